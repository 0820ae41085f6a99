/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef CLI_H
#define CLI_H

/* The commands of the program, each with the arguments after its name; they return the exit status. */

#include "console/console.h"

int cli_devices(int argc, char **argv);
int cli_lookup(int argc, char **argv);

/* ---- Options (options.c) ---- */

/* Options that several commands have. */
typedef struct cli_device_options {
  const char *name;
  rdx_device_params params;
} cli_device_options;

/* The option that getopt_long() has just refused, when the values of long options are below ' '. */
const char *cli_unknown_option(char **argv);

/* Options of a method that has some, rx or btree: name=value[,name=value...]. NULL or what is wrong. */
const char *cli_parse_method(const char *method, const char *text, rdx_index_params *params);

/* Parse "COLUMN=TYPE", TYPE such as i32 or decimal(2); NULL or what is wrong. `*out` points into `text`, which is
 * cut. */
const char *cli_parse_type(char *text, rdx_csv_type *out);

/* ---- Values to text (values.c) ---- */

/* Write row `row` of a host column as a CSV field; nothing for NULL. */
void cli_write_value(FILE *stream, const rdx_column *column, uint64_t row);

/* Write `length` bytes as a CSV field, in quotes where needed. */
void cli_write_text(FILE *stream, const char *text, size_t length);

#endif
