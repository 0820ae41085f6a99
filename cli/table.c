/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* raydex table: what a table file or CSV file holds. */

#include "cli/cli.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct table_options {
  const char *zones;
  cli_common common;
} table_options;

static void print_help(void) {
  printf(
      "Example: raydex table orders.rdx\n\n"
      "Usage: raydex table FILE [OPTION...]\n\n"
      "Verify a table file and describe its columns, as CSV: name, type, NULLs, the number of distinct strings, the\n"
      "smallest and the largest value, and bytes in the file. Of a CSV file: name, type and NULLs of each column, and\n"
      "why it has that type. The number of rows goes to stderr.\n\n"
      "  --zones COLUMN          of a table file: the smallest and the largest value of each block of rows of a "
      "column\n"
      "                          instead\n\n");
  cli_print_csv_help();
}

enum { ZONES = CLI_OWN };

static const struct option options[] = {
    {"zones", required_argument, NULL, ZONES}, CLI_CSV_OPTIONS, {"help", no_argument, NULL, CLI_HELP}, {0}};

static const char *take(int option, char *value, void *context) {
  (void)option;
  table_options *o = context;
  return cli_parse_name(value, &o->zones);
}

/* ---- Table files ---- */

static void print_column(const rdx_table *table, uint32_t i, const rdx_column_stats *s) {
  const char *name = rdx_table_column_name(table, i);
  const rdx_column *c = rdx_table_column(table, i);
  char type[CLI_TYPE_TEXT];
  cli_write_text(stdout, name, strlen(name));
  printf(",%s,%" PRIu64 ",", cli_type_text(c->type, c->scale, type), s->nulls);
  if (c->type == RDX_TYPE_STRING)
    printf("%" PRIu64, s->distinct);
  fputc(',', stdout);
  if (s->min.rows > 0)
    cli_write_value(stdout, &s->min, 0);
  fputc(',', stdout);
  if (s->max.rows > 0)
    cli_write_value(stdout, &s->max, 0);
  printf(",%" PRIu64 "\n", s->bytes);
}

static void print_zones(const rdx_column_stats *s) {
  printf("first_row,smallest,largest\n");
  for (uint64_t i = 0; i < s->smallest.rows; i++) {
    printf("%" PRIu64 ",", i * s->block_rows);
    cli_write_value(stdout, &s->smallest, i);
    fputc(',', stdout);
    cli_write_value(stdout, &s->largest, i);
    fputc('\n', stdout);
  }
}

static rdx_status print_table(const table_options *o, const rdx_table *table, rdx_error *err) {
  rdx_status status = RDX_OK;
  if (!o->zones)
    printf("column,type,nulls,distinct,smallest,largest,bytes\n");
  for (uint32_t i = 0; status == RDX_OK && i < rdx_table_columns(table); i++) {
    rdx_column_stats s;
    status = rdx_table_get_stats(table, i, &s, err);
    if (status == RDX_OK && o->zones)
      print_zones(&s);
    else if (status == RDX_OK)
      print_column(table, i, &s);
  }
  return status;
}

/* ---- Other files ---- */

static void print_columns(const rdx_table *table) {
  printf("column,type,nulls,why\n");
  for (uint32_t i = 0; i < rdx_table_columns(table); i++) {
    const char *name = rdx_table_column_name(table, i);
    const rdx_column *c = rdx_table_column(table, i);
    const rdx_choice *choice = rdx_table_choice(table, i);
    char type[CLI_TYPE_TEXT];
    uint64_t nulls = 0;
    for (uint64_t row = 0; c->validity && row < c->rows; row++)
      nulls += !(c->validity[row / 8] >> row % 8 & 1);
    cli_write_text(stdout, name, strlen(name));
    printf(",%s,%" PRIu64 ",", cli_type_text(c->type, c->scale, type), nulls);
    if (choice && choice->why)
      cli_write_text(stdout, choice->why, strlen(choice->why));
    fputc('\n', stdout);
  }
}

static rdx_status run(const table_options *o, rdx_table **table, rdx_error *err) {
  const char *path = o->common.words[0], *const names[] = {o->zones};
  rdx_csv_params params = o->common.csv;
  params.columns = o->zones ? names : NULL;
  params.column_count = o->zones ? 1 : 0;
  rdx_status status = rdx_table_read(cli_stream_path(path), &params, table, err);
  if (status != RDX_OK)
    return status;
  const char delimiter = rdx_table_delimiter(*table);
  rdx_column_stats stats;
  const char *other = delimiter                                                               ? "CSV"
                      : rdx_table_get_stats(*table, 0, &stats, NULL) == RDX_ERROR_UNSUPPORTED ? "Parquet"
                                                                                              : NULL;
  if (other && o->zones)
    return console_error(err, RDX_ERROR_UNSUPPORTED, "%s is %s, which has no zones: import it first", path, other);
  if (other)
    print_columns(*table);
  else
    status = print_table(o, *table, err);
  if (status != RDX_OK || o->zones)
    return status;
  console_note("%s: %" PRIu64 " row%s, %" PRIu32 " column%s, %s", path, rdx_table_rows(*table),
               console_s(rdx_table_rows(*table)), rdx_table_columns(*table), console_s(rdx_table_columns(*table)),
               other ? other : "verified");
  if (delimiter && delimiter != ',')
    console_note("fields are separated by %s", delimiter == '\t' ? "tabs" : (const char[]){'\'', delimiter, '\'', 0});
  return RDX_OK;
}

int cli_table(int argc, char **argv) {
  static const char *const words[] = {"FILE"};
  table_options o = {.common = {.word_count = 1, .word_names = words}};
  const int parsed = cli_parse(&(cli_command){"table", options, print_help, take, NULL}, argc, argv, &o, &o.common);
  if (parsed != 0)
    return parsed - 1;
  rdx_error err = {""};
  rdx_table *table = NULL;
  const rdx_status status = run(&o, &table, &err);
  rdx_table_destroy(&table);
  return status == RDX_OK ? EXIT_SUCCESS : console_fail(status, "%s", err.text);
}
