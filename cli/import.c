/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* raydex import: CSV or Parquet to a table file. */

#include "cli/cli.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SHOWN 10 /* rejected records on stderr */

typedef struct import_options {
  cli_types types; /* of --type */
  const char *types_file;
  cli_columns columns;
  uint64_t max_rejects;
  const char *rejects;
  bool parquet; /* instead of CSV */
  cli_common common;
} import_options;

static void print_help(void) {
  printf(
      "Example: raydex import orders.csv orders.rdx\n\n"
      "Usage: raydex import FILE.csv|FILE.parquet TABLE.rdx [OPTION...]\n\n"
      "Make a table file of a CSV file (-: the standard input), or of a Parquet file by DuckDB's library. The table\n"
      "appears, in place of one that was there, when it is complete. Parquet has types, so that of the options only\n"
      "--columns is for it.\n\n"
      "Options:\n"
      "  --columns A,B,...       only these columns, in this order; names with a comma in double quotes\n"
      "  --type COLUMN=TYPE      the type of a column instead of the one its values suggest: bool, i8 to i64,\n"
      "                          u8 to u64, f32, f64, date, timestamp, decimal(DIGITS), string; may be repeated\n"
      "  --types FILE            types of columns from FILE, as export --types and raydex table list them: CSV with\n"
      "                          the columns column and type; --type goes before it\n"
      "  --max-rejects N         leave out up to N records that are malformed or do not fit a type given (0)\n"
      "  --rejects FILE          list those in FILE: line, problem and record, as CSV; an import that fails leaves a\n"
      "                          FILE that is there as it is\n"
      "  --threads N             threads (one a core)\n\n");
  cli_print_csv_help();
}

enum { COLUMNS = CLI_OWN, TYPE, TYPES, MAX_REJECTS, REJECTS };

static const int repeats[] = {TYPE, 0};

static const struct option options[] = {{"columns", required_argument, NULL, COLUMNS},
                                        {"type", required_argument, NULL, TYPE},
                                        {"types", required_argument, NULL, TYPES},
                                        {"max-rejects", required_argument, NULL, MAX_REJECTS},
                                        {"rejects", required_argument, NULL, REJECTS},
                                        CLI_CSV_OPTIONS,
                                        {"threads", required_argument, NULL, CLI_THREADS},
                                        {"help", no_argument, NULL, CLI_HELP},
                                        {0}};

/* One more of --type. */
static const char *take_type(import_options *o, char *value) {
  rdx_csv_type *longer = realloc(o->types.types, (o->types.count + 1) * sizeof *longer);
  if (!longer)
    return "host memory ran out";
  o->types.types = longer;
  return cli_parse_type(value, &longer[o->types.count++]);
}

static const char *take(int option, char *value, void *context) {
  import_options *o = context;
  switch (option) {
  case COLUMNS:
    return cli_parse_columns(value, &o->columns);
  case MAX_REJECTS:
    return console_parse_u64(value, 0, UINT64_MAX, &o->max_rejects) ? NULL : "it is a number";
  case REJECTS:
    o->rejects = value;
    return NULL;
  case TYPES:
    o->types_file = value;
    return NULL;
  default:
    return take_type(o, value);
  }
}

/* ---- Rejected records ---- */

typedef struct reject_log {
  console_output *list; /* NULL: some go to stderr */
  uint64_t count;
} reject_log;

static rdx_status log_reject(void *user, uint64_t line, const char *problem, const char *record, size_t length,
                             rdx_error *err) {
  reject_log *log = user;
  log->count++;
  if (!log->list) {
    if (log->count <= SHOWN)
      console_note("rejected: %s", problem);
    else if (log->count == SHOWN + 1)
      console_note("rejected: more, which --rejects FILE lists");
    return RDX_OK;
  }
  FILE *stream = log->list->stream;
  fprintf(stream, "%" PRIu64 ",", line);
  cli_write_text(stream, problem, strlen(problem));
  fputc(',', stream);
  cli_write_text(stream, record, length);
  fputc('\n', stream);
  return ferror(stream) ? console_output_sync(log->list, err) : RDX_OK;
}

/* The table is not replaced before the list is on the disk. */
static rdx_status sync_list(void *user, rdx_error *err) {
  reject_log *log = user;
  return log->list ? console_output_sync(log->list, err) : RDX_OK;
}

/* ---- The work ---- */

/* What was chosen, and why where one might expect something else. */
static void note_column(void *user, const rdx_field *column, const rdx_choice *choice) {
  (void)user;
  char type[CLI_TYPE_TEXT];
  console_note("column '%s' is %s%s%s%s", column->name, cli_type_text(column->type, column->scale, type),
               choice->given ? ", as given" : "", choice->doubtful ? ": " : "", choice->doubtful ? choice->why : "");
}

static rdx_status import_file(const import_options *o, reject_log *log, rdx_import_stats *stats, rdx_error *err) {
  const char *const *columns = o->columns.count > 0 ? o->columns.names : NULL;
  if (o->parquet)
    return rdx_table_import_parquet(o->common.words[0], o->common.words[1], columns, o->columns.count, stats, err);
  rdx_csv_params csv = o->common.csv;
  csv.types = o->types.types;
  csv.type_count = o->types.count;
  csv.columns = columns;
  csv.column_count = o->columns.count;
  const rdx_import_params params = {.csv = csv,
                                    .column = note_column,
                                    .threads = o->common.device_params.threads,
                                    .max_rejects = o->max_rejects,
                                    .reject = log_reject,
                                    .ready = sync_list,
                                    .user = log};
  return rdx_table_import_csv(cli_stream_path(o->common.words[0]), o->common.words[1], &params, stats, err);
}

/* The list of an import that fails is of use unless it is empty, but not worth a file that is there: that one may be
 * the list of an import that has made the table. */
static rdx_status finish_list(const import_options *o, uint64_t rejected, console_output *out, rdx_status status,
                              rdx_error *err) {
  rdx_error list_err;
  if (status == RDX_OK)
    return console_output_commit(out, err);
  if (status == RDX_ERROR_CANCELLED || rejected == 0 || !out->path || access(o->rejects, F_OK) == 0)
    console_output_discard(out);
  else
    (void)!console_output_commit(out, &list_err);
  return status;
}

static rdx_status run(const import_options *o, rdx_import_stats *stats, rdx_error *err) {
  reject_log log = {0};
  if (!o->rejects)
    return import_file(o, &log, stats, err);
  console_output out;
  const rdx_status status = console_output_open(cli_stream_path(o->rejects), &out, err);
  if (status != RDX_OK)
    return status;
  log.list = &out;
  fputs("line,problem,record\n", out.stream);
  const rdx_status imported = import_file(o, &log, stats, err);
  return finish_list(o, log.count, &out, imported, err);
}

/* Types of the file, and then of --type: the last of a column counts. */
static rdx_status read_types(import_options *o, cli_types *file, rdx_error *err) {
  *file = (cli_types){0};
  rdx_status status = o->types_file ? cli_read_types(o->types_file, file, err) : RDX_OK;
  if (status != RDX_OK || !o->types_file)
    return status;
  rdx_csv_type *both = realloc(file->types, (file->count + o->types.count + 1) * sizeof *both);
  if (!both)
    return console_error(err, RDX_ERROR_MEMORY, "host memory ran out");
  if (o->types.count > 0)
    memcpy(both + file->count, o->types.types, o->types.count * sizeof *both);
  free(o->types.types);
  o->types.types = both;
  o->types.count += file->count;
  file->types = NULL;
  return RDX_OK;
}

/* An option that was given and is not for Parquet; NULL: none. */
static const char *unfit_option(const import_options *o) {
  return o->types.count > 0                    ? "--type"
         : o->types_file                       ? "--types"
         : o->max_rejects > 0                  ? "--max-rejects"
         : o->rejects                          ? "--rejects"
         : o->common.device_params.threads > 0 ? "--threads"
                                               : cli_csv_option(&o->common);
}

/* 0 to go on, else the exit status plus one. */
static int check(const import_options *o) {
  if (o->parquet && unfit_option(o))
    return console_usage("import", "%s is for CSV, and %s is Parquet", unfit_option(o), o->common.words[0]) + 1;
  const char *const files[] = {o->common.words[0], o->types_file, o->common.words[1]};
  const int wrong = cli_check_output("import", NULL, files[2], false, files, 2);
  return wrong != 0 ? wrong : cli_check_output("import", "--rejects", o->rejects, true, files, 3);
}

int cli_import(int argc, char **argv) {
  static const char *const words[] = {"FILE.csv", "TABLE.rdx"};
  static import_options o; /* large */
  o.common.word_count = 2;
  o.common.word_names = words;
  const int parsed = cli_parse(&(cli_command){"import", options, print_help, take, repeats}, argc, argv, &o, &o.common);
  if (parsed != 0)
    return parsed - 1;
  o.parquet = rdx_table_is_parquet(o.common.words[0]);
  const int wrong = check(&o);
  if (wrong != 0)
    return wrong - 1;
  rdx_error err = {""};
  rdx_import_stats s = {0};
  cli_types file;
  rdx_status status = read_types(&o, &file, &err);
  if (status == RDX_OK)
    status = run(&o, &s, &err);
  cli_drop_types(&file);
  free(o.types.types);
  if (status != RDX_OK)
    return console_fail(status, "%s", err.text);
  if (!o.parquet && s.delimiter != ',' && !o.common.csv.delimiter)
    console_note(s.delimiter == '\t' ? "%s: fields are separated by tabs" : "%s: fields are separated by '%c'",
                 o.common.words[0], s.delimiter);
  const double seconds = s.total_ms / 1000;
  char bytes[32];
  console_note("%s: %" PRIu64 " row%s, %" PRIu64 " rejected; %s of %s in %.2f s (%.0f MB/s)", o.common.words[1], s.rows,
               console_s(s.rows), s.rejected, console_bytes(s.bytes, bytes), o.parquet ? "Parquet" : "CSV", seconds,
               (double)s.bytes / 1e6 / (seconds > 0 ? seconds : 1));
  return EXIT_SUCCESS;
}
