/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef CLI_PROBES_H
#define CLI_PROBES_H

#include "cli/cli.h"

/* What to look up, as the command line gives it: values, ranges, or columns of a file. */
typedef struct cli_probe_options {
  char **points; /* values, `point_count` of them */
  size_t point_count;
  char **ranges; /* LO..HI, `range_count` of them, cli_is_range() */
  size_t range_count;
  const char *file;
  const char *column; /* of the file; NULL: named as the key, or the only one */
  const char *lower, *upper;
  rdx_csv_params csv; /* how it is read */
} cli_probe_options;

/* A value of the command line, or the end of a range that was left open. */
typedef struct cli_literal {
  const char *text; /* ends with a NUL, except an open end */
  size_t length;
  bool open;
} cli_literal;

/* Points (`upper` NULL) or ranges, ready to be looked up. */
typedef struct cli_probes {
  rdx_table *tables[2];
  cli_literal *literals[2]; /* values of the command line, as they were written; NULL for a file */
  const rdx_column *lower, *upper;
  const char *lower_name, *upper_name; /* for headers */
  bool single;                         /* one value or range from the command line: its answer stands alone */
} cli_probes;

/* Whether a text has the form LO..HI, LO.. or ..HI. */
bool cli_is_range(const char *text);

/* Read or parse the probes for keys of this type and name, whose type was chosen so (NULL: it is that of a table file).
 * Free them with cli_probes_destroy(), also on failure. */
RDX_MUST_USE rdx_status cli_probes_create(const cli_probe_options *options, const rdx_column *keys,
                                          const char *key_name, const rdx_choice *choice, cli_probes *out,
                                          rdx_error *err);
void cli_probes_destroy(cli_probes *probes);

/* Write probe `i` as CSV fields: as it was written on the command line, or as the file's column has it. */
void cli_probes_write(FILE *stream, const cli_probes *probes, uint64_t i);

/* ---- Values that go with keys (literal.c) ---- */

/* What a value is looked up as. */
typedef enum cli_role { CLI_POINT = 0, CLI_LOWER, CLI_UPPER } cli_role;

/* The type to parse values as, for keys of this type: the widest that compares as the keys do. */
rdx_csv_type cli_literal_type(const rdx_column *keys);

/* An open end of a range: below or above all keys of the column. */
cli_literal cli_literal_open(const rdx_column *keys, cli_role role);

/* Write `literal` for the CSV reader as a value of `type` that matches the same keys, in quotes and with a line end, to
 * `to`, which has room for CLI_LITERAL_ROOM bytes more than twice its length; returns the end. A number beyond the type
 * becomes its limit as a bound and NULL, which matches nothing, as a point. Text that is no number stays as it is. */
#define CLI_LITERAL_CAPACITY 48
char *cli_literal_write(const cli_literal *literal, const rdx_csv_type *type, cli_role role, char *to);

#endif
