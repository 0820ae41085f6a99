/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* raydex export: a table file to CSV. */

#include "cli/cli.h"

#include <stdlib.h>

typedef struct export_options {
  cli_columns columns;
  cli_common common;
} export_options;

static void print_help(void) {
  printf(
      "Usage: raydex export TABLE.rdx [OPTION...]\n\n"
      "Write a table file as CSV. Imported with the same types (see raydex table) it is the same table: NULL is an\n"
      "empty field, the empty string is in quotes.\n\n"
      "Options:\n"
      "  --columns A,B,...       only these columns, in this order; names with a comma in double quotes\n"
      "  --delimiter C           what separates fields (,); \\t is a tab; no letter, digit, +, - or .\n"
      "  --no-header             leave the line of names out\n"
      "  --out FILE              write to FILE, which appears when it is complete, instead of the standard output\n");
}

enum { COLUMNS = CLI_OWN };

static const struct option options[] = {
    {"columns", required_argument, NULL, COLUMNS},   {"delimiter", required_argument, NULL, CLI_DELIMITER},
    {"no-header", no_argument, NULL, CLI_NO_HEADER}, {"out", required_argument, NULL, CLI_OUT},
    {"help", no_argument, NULL, CLI_HELP},           {0}};

static const char *take(int option, char *value, void *context) {
  (void)option;
  export_options *o = context;
  return cli_parse_columns(value, &o->columns);
}

static rdx_status run(const export_options *o, rdx_table **table, rdx_error *err) {
  const char *path = o->common.words[0];
  rdx_status status = cli_open_table(path, o->columns.names, o->columns.count, table, err);
  if (status == RDX_OK)
    status = rdx_table_write_csv(*table, o->common.out, o->common.delimiter, !o->common.no_header, err);
  return status;
}

int cli_export(int argc, char **argv) {
  static const char *const words[] = {"TABLE.rdx"};
  static export_options o; /* large */
  o.common.word_count = 1;
  o.common.word_names = words;
  const int parsed = cli_parse("export", argc, argv, options, print_help, take, &o, &o.common);
  if (parsed != 0)
    return parsed - 1;
  const int wrong = cli_check_output("export", "--out", o.common.out, true, o.common.words, 1);
  if (wrong != 0)
    return wrong - 1;
  rdx_error err = {""};
  rdx_table *table = NULL;
  const rdx_status status = run(&o, &table, &err);
  rdx_table_destroy(&table);
  return status == RDX_OK ? EXIT_SUCCESS : console_fail(status, "%s", err.text);
}
