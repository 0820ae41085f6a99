/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef CLI_PROBES_H
#define CLI_PROBES_H

#include "cli/cli.h"

/* What to look up, as the command line gives it: values, ranges, or columns of a file. */
typedef struct cli_probe_options {
  char **points; /* values, `point_count` of them */
  size_t point_count;
  char **ranges; /* LO..HI, `range_count` of them */
  size_t range_count;
  const char *file;
  const char *column; /* of the file; NULL: named as the key, or the only one */
  const char *lower, *upper;
  char delimiter;
  bool no_header;
} cli_probe_options;

/* Points (`upper` NULL) or ranges, ready to be looked up. */
typedef struct cli_probes {
  rdx_table *tables[2];
  const rdx_column *lower, *upper;
  const char *lower_name, *upper_name; /* for headers */
  bool single;                         /* one value or range from the command line: its answer stands alone */
} cli_probes;

/* Read or parse the probes for keys of this type and name. Free them with cli_probes_destroy(), also on failure. */
RDX_MUST_USE rdx_status cli_probes_create(const cli_probe_options *options, const rdx_column *keys,
                                          const char *key_name, cli_probes *out, rdx_error *err);
void cli_probes_destroy(cli_probes *probes);

#endif
