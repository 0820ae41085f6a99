/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef CLI_SSB_RUN_H
#define CLI_SSB_RUN_H

/* raydex ssb run and raydex ssb flatten, their command lines parsed by ssb.c. */

#include "cli/cli.h"
#include "ssb/ssb.h"

typedef struct cli_ssb_run_options {
  const char *folder, *flat, *queries, *methods, *options, *device, *out; /* NULL: the star, all queries, all methods */
  rdx_device_params device_params;
  uint32_t runs;
  bool stats, check;
} cli_ssb_run_options;

int cli_ssb_run(const cli_ssb_run_options *options);

/* Takes the folder, the device, and the path of the flat table (NULL: in the folder). */
int cli_ssb_flatten(const cli_ssb_run_options *options);

#endif
