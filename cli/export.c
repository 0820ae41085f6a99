/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* raydex export: a table file to CSV or Parquet. */

#include "cli/cli.h"

#include <stdlib.h>

typedef struct export_options {
  cli_columns columns;
  const char *types;
  cli_common common;
} export_options;

static void print_help(void) {
  printf(
      "Example: raydex export orders.rdx --columns id,price --out prices.csv\n\n"
      "Usage: raydex export TABLE.rdx [OPTION...]\n\n"
      "Write a table file as CSV: NULL is an empty field, the empty string is in quotes. With the types that --types\n"
      "lists, import --types makes the same table of it again. Where FILE ends in .parquet it gets Parquet, by "
      "DuckDB's\n"
      "library.\n\n"
      "Options:\n"
      "  --columns A,B,...       only these columns, in this order; names with a comma in double quotes\n"
      "  --delimiter C           what separates fields (,); \\t is a tab; no letter, digit, +, - or .\n"
      "  --no-header             leave the line of names out\n"
      "  --out FILE              write to FILE, which appears when it is complete, instead of the standard output\n"
      "  --types FILE            list the types in FILE, for import --types; so does raydex table\n");
}

enum { COLUMNS = CLI_OWN, TYPES };

static const struct option options[] = {{"columns", required_argument, NULL, COLUMNS},
                                        {"delimiter", required_argument, NULL, CLI_DELIMITER},
                                        {"no-header", no_argument, NULL, CLI_NO_HEADER},
                                        {"out", required_argument, NULL, CLI_OUT},
                                        {"types", required_argument, NULL, TYPES},
                                        {"help", no_argument, NULL, CLI_HELP},
                                        {0}};

static const char *take(int option, char *value, void *context) {
  export_options *o = context;
  if (option == TYPES)
    o->types = value;
  return option == TYPES ? NULL : cli_parse_columns(value, &o->columns);
}

static rdx_status write_data(const export_options *o, const rdx_table *table, rdx_error *err) {
  if (cli_is_parquet_name(o->common.out))
    return rdx_table_write_parquet(table, o->common.out, err);
  return rdx_table_write_csv(table, o->common.out, o->common.csv.delimiter, o->common.csv.header != RDX_SWITCH_OFF,
                             err);
}

/* The list of types appears after the data, and only with it. */
static rdx_status write_both(const export_options *o, const rdx_table *table, rdx_error *err) {
  console_output list;
  rdx_status status = console_output_open(cli_stream_path(o->types), &list, err);
  if (status != RDX_OK)
    return status;
  cli_write_types(list.stream, table, o->common.csv.header == RDX_SWITCH_OFF);
  status = console_output_sync(&list, err);
  if (status == RDX_OK)
    status = write_data(o, table, err);
  if (status == RDX_OK)
    return console_output_commit(&list, err);
  console_output_discard(&list);
  return status;
}

static rdx_status run(const export_options *o, rdx_table **table, rdx_error *err) {
  const rdx_status status = cli_open_table(o->common.words[0], o->columns.names, o->columns.count, table, err);
  if (status != RDX_OK)
    return status;
  return o->types ? write_both(o, *table, err) : write_data(o, *table, err);
}

/* 0 to go on, else the exit status plus one. */
static int check(const export_options *o) {
  const char *const files[] = {o->common.words[0], o->common.out};
  const bool parquet = cli_is_parquet_name(o->common.out);
  const int wrong = parquet ? cli_check_parquet("export", "--out", o->common.out, files, 1)
                            : cli_check_output("export", "--out", o->common.out, true, files, 1);
  if (wrong != 0)
    return wrong;
  if (parquet && cli_csv_option(&o->common))
    return console_usage("export", "%s is for CSV, and %s is Parquet", cli_csv_option(&o->common), o->common.out) + 1;
  if (o->types && !cli_stream_path(o->types) && !o->common.out)
    return console_usage("export", "only one of --out and --types can be -, the standard output") + 1;
  return cli_check_output("export", "--types", o->types, true, files, 2);
}

int cli_export(int argc, char **argv) {
  static const char *const words[] = {"TABLE.rdx"};
  static export_options o; /* large */
  o.common.word_count = 1;
  o.common.word_names = words;
  const int parsed = cli_parse(&(cli_command){"export", options, print_help, take, NULL}, argc, argv, &o, &o.common);
  if (parsed != 0)
    return parsed - 1;
  const int wrong = check(&o);
  if (wrong != 0)
    return wrong - 1;
  rdx_error err = {""};
  rdx_table *table = NULL;
  const rdx_status status = run(&o, &table, &err);
  rdx_table_destroy(&table);
  return status == RDX_OK ? EXIT_SUCCESS : console_fail(status, "%s", err.text);
}
