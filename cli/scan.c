/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* raydex scan */

#include "cli/cli.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct scan_options {
  const char *data, *where;
  cli_type_list types;
  rdx_scan_result_kind result;
  cli_common common;
} scan_options;

static void print_help(void) {
  printf(
      "Example: raydex scan --data orders.csv --where \"price < 5\"\n\n"
      "Usage: raydex scan --data FILE --where CONDITION [--return WHAT] [OPTION...]\n\n"
      "Find the rows of a table file (see raydex import) or CSV file that satisfy a condition. Only the columns that\n"
      "it names are prepared.\n\n"
      "The condition (--where) is SQL, as it stands after WHERE: columns compared with literals by = <> < <= > >=,\n"
      "BETWEEN, IN, IS NULL, IS TRUE, each also with NOT, and AND, OR and NOT of such. Literals are numbers,\n"
      "'strings', DATE '2024-02-29', TIMESTAMP '2024-02-29 23:59:59', TRUE, FALSE and NULL. Names that are not in\n"
      "lower case go in double quotes.\n\n"
      "Answers (--return), on the standard output:\n"
      "  count                   the number of rows\n"
      "  rows                    their numbers, counted from 0, one a line; so without --return\n"
      "  bitmap                  a line with a character for each row of the file: 1 or 0\n\n"
      "Options:\n"
      "  --method NAME           how to scan, see below (auto: column, or the fastest of it and those that its\n"
      "                          options switch on)\n"
      "  --options NAME=VALUE[,...]   options of the method, see below\n"
      "  --type COLUMN=TYPE      the type of a column instead of the one its values suggest: bool, i8 to i64,\n"
      "                          u8 to u64, f32, f64, date, timestamp, decimal(DIGITS), string; may be repeated\n");
  cli_print_common_help();
  printf("\nMethods (--method) and their options (--options):\n");
  console_print_scan_options();
}

/* ---- Options ---- */

static const char *parse_return(const char *text, scan_options *o) {
  static const char *const names[] = {
      [RDX_SCAN_COUNT] = "count", [RDX_SCAN_ROWS] = "rows", [RDX_SCAN_BITMAP] = "bitmap"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcmp(text, names[i]) == 0) {
      o->result = (rdx_scan_result_kind)i;
      return NULL;
    }
  }
  return "it is count, rows or bitmap";
}

enum { DATA = CLI_OWN, WHERE, RETURN, TYPE };

static const int repeats[] = {TYPE, 0};

static const struct option options[] = {CLI_COMMON_OPTIONS,
                                        {"data", required_argument, NULL, DATA},
                                        {"where", required_argument, NULL, WHERE},
                                        {"return", required_argument, NULL, RETURN},
                                        {"type", required_argument, NULL, TYPE},
                                        {0}};

static const char *take(int option, char *value, void *context) {
  scan_options *o = context;
  switch (option) {
  case DATA:
    o->data = value;
    return NULL;
  case WHERE:
    o->where = value;
    return NULL;
  case RETURN:
    return parse_return(value, o);
  default:
    return cli_add_type(value, &o->types);
  }
}

/* 0 to go on, else the exit status plus one. */
static int parse(int argc, char **argv, scan_options *o) {
  const int parsed = cli_parse(&(cli_command){"scan", options, print_help, take, repeats}, argc, argv, o, &o->common);
  if (parsed != 0)
    return parsed;
  const char *wrong = !o->data ? "--data FILE is needed" : !o->where ? "--where CONDITION is needed" : NULL;
  return wrong ? console_usage("scan", "%s", wrong) + 1
               : cli_check_output("scan", "--out", o->common.out, true, &o->data, 1);
}

/* ---- The answer ---- */

typedef struct job {
  const scan_options *options;
  rdx_condition *condition;
  const rdx_predicate *predicate;
  const char **names; /* of the columns of the condition */
  rdx_column *columns;
  rdx_table *data;
  rdx_device *device;
  rdx_scan *scan;
  rdx_scan_result *result;
  rdx_scan_view view;
} job;

/* Whether to write on is of no use. */
static bool stopped(FILE *stream) {
  return console_interrupted() || ferror(stream);
}

static bool qualifies(const rdx_scan_view *v, uint64_t row) {
  return (v->bitmap[row / 32] >> row % 32 & 1u) != 0;
}

/* Row numbers are written from a bitmap, which takes a bit for each row however many qualify. */
static void write_lines(FILE *stream, rdx_scan_result_kind wanted, const rdx_scan_view *v) {
  if (wanted == RDX_SCAN_COUNT) {
    fprintf(stream, "%" PRIu64 "\n", v->count);
    return;
  }
  for (uint64_t i = 0; i < v->rows && !stopped(stream); i++) {
    if (wanted == RDX_SCAN_BITMAP)
      fputc(qualifies(v, i) ? '1' : '0', stream);
    else if (qualifies(v, i))
      fprintf(stream, "%" PRIu64 "\n", i);
  }
  if (wanted == RDX_SCAN_BITMAP)
    fputc('\n', stream);
}

static rdx_status write_answer(const job *j, rdx_error *err) {
  console_output out;
  rdx_status status = console_output_open(j->options->common.out, &out, err);
  if (status != RDX_OK)
    return status;
  write_lines(out.stream, j->options->result, &j->view);
  return console_output_finish(&out, err);
}

/* What each method was predicted to take, and which were taken. */
static void print_choice(const rdx_scan_run_stats *r) {
  for (uint32_t m = 0; m < RDX_SCAN_METHODS; m++)
    if (r->predicted_ms[m] > 0)
      console_note("choice    %s: %.3f ms expected%s", rdx_scan_method_name((rdx_scan_method)m), r->predicted_ms[m],
                   r->methods >> m & 1u ? ", taken" : "");
}

static void print_stats(const job *j) {
  rdx_scan_stats s;
  rdx_scan_run_stats r;
  rdx_device_usage u;
  char resident[32], peak[32], used[32];
  rdx_scan_get_stats(j->scan, &s);
  rdx_scan_result_get_stats(j->result, &r);
  rdx_device_get_usage(j->device, &u);
  console_note("device    %s", rdx_device_get_info(j->device)->name);
  console_note("method    %s", rdx_scan_method_name(s.method));
  console_note("build     %.3f ms: encode %.3f, scene %.3f; %" PRIu32 " column%s of %" PRIu64 " row%s", s.total_ms,
               s.encode_ms, s.scene_ms, s.columns, console_s(s.columns), s.rows, console_s(s.rows));
  if (s.bytes_table + s.bytes_scene > 0)
    console_note("parts     table %.3f ms, %s; vectors %.3f ms, %s; scene %.3f ms, %s", s.table_ms,
                 console_bytes(s.bytes_table, resident), s.vectors_ms, console_bytes(s.bytes_vectors, peak), s.scene_ms,
                 console_bytes(s.bytes_scene, used));
  console_note("memory    %s (%.1f B a row), %s at most during the build, %s in all",
               console_bytes(s.bytes_resident, resident), s.rows ? (double)s.bytes_resident / (double)s.rows : 0.0,
               console_bytes(s.bytes_peak, peak), console_bytes(u.memory_peak, used));
  console_note("scan      %.3f ms, of which %.3f on the device", r.total_ms, r.device_ms);
  print_choice(&r);
  console_note("rays      %" PRIu64 ", %" PRIu64 " hit, %" PRIu64 " intersections, %" PRIu64 " rows refined", r.rays,
               r.rays_hit, r.hits, r.refined);
  if (r.sieve_ms > 0)
    console_note("stages    transform %.3f ms, sieve %.3f, refine %.3f, merge %.3f (of a run that counts)",
                 r.transform_ms, r.sieve_ms, r.refine_ms, r.merge_ms);
  console_note("bytes     %" PRIu64 " read and written by the scan", r.bytes);
}

/* ---- The work ---- */

static rdx_status list_names(job *j, rdx_error *err) {
  const uint32_t count = rdx_condition_columns(j->condition);
  j->names = malloc((count + 1) * sizeof *j->names);
  j->columns = malloc((count + 1) * sizeof *j->columns);
  if (!j->names || !j->columns)
    return console_error(err, RDX_ERROR_MEMORY, "host memory ran out");
  for (uint32_t i = 0; i < count; i++)
    j->names[i] = rdx_condition_column_name(j->condition, i);
  return RDX_OK;
}

/* Whether a name of the condition was turned to lower case. */
static bool is_folded(const char *where, const char *name) {
  const size_t length = strlen(name);
  for (; length > 0 && *where; where++)
    if (strncasecmp(where, name, length) == 0 && strncmp(where, name, length) != 0)
      return true;
  return false;
}

static void add_hint(rdx_error *err, const char *format, const char *a, const char *b) {
  const size_t used = strlen(err->text);
  snprintf(err->text + used, sizeof err->text - used, format, a, b);
}

/* A name that is not there may be one that was folded. */
static void hint_at_names(const job *j, uint32_t count, rdx_error *err) {
  for (uint32_t i = 0; i < count && strstr(err->text, "no column"); i++) {
    if (!is_folded(j->options->where, j->names[i]))
      continue;
    add_hint(err, "; SQL turns names to lower case that are not in double quotes: '%s' was one%s", j->names[i], "");
    return;
  }
}

/* Why columns are strings that are compared with what is none. */
static void hint_at_types(const job *j, uint32_t count, rdx_error *err) {
  for (uint32_t i = 0; i < count; i++) {
    char named[128];
    const rdx_choice *choice = rdx_table_choice(j->data, i);
    snprintf(named, sizeof named, "column '%.60s' is of type string", j->names[i]);
    if (choice && !choice->given && choice->why && strstr(err->text, named))
      add_hint(err, "; %s%s", choice->why, "");
  }
}

/* Strings that are compared as such, though they may not be meant to be. */
static void note_strings(const job *j, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    const rdx_choice *choice = rdx_table_choice(j->data, i);
    if (choice && !choice->given && choice->why && !choice->doubtful && j->columns[i].type == RDX_TYPE_STRING &&
        rdx_condition_has_values(j->condition, i))
      console_note("%s: column '%s' is string and compared as text: %s", j->options->data, j->names[i], choice->why);
  }
}

/* The columns of the condition; a condition without any is over all rows all the same. */
static rdx_status read_data(job *j, rdx_error *err) {
  const scan_options *o = j->options;
  const uint32_t count = rdx_condition_columns(j->condition);
  rdx_csv_params params = o->common.csv;
  params.types = o->types.list;
  params.type_count = o->types.count;
  params.columns = count > 0 ? j->names : NULL;
  params.column_count = count;
  rdx_status status = cli_read(o->data, &params, NULL, &j->data, err);
  if (status == RDX_ERROR_NOT_FOUND)
    hint_at_names(j, count, err);
  if (status != RDX_OK)
    return status;
  for (uint32_t i = 0; i < count || i == 0; i++)
    j->columns[i] = *rdx_table_column(j->data, i);
  status = rdx_condition_bind(j->condition, j->columns, NULL, &j->predicate, err);
  if (status == RDX_OK)
    note_strings(j, count);
  else
    hint_at_types(j, count, err);
  return status;
}

static rdx_status run(void *context, rdx_error *err) {
  job *j = context;
  const scan_options *o = j->options;
  rdx_status status = rdx_condition_parse(o->where, &j->condition, err);
  if (status == RDX_OK)
    status = rdx_device_open(o->common.device, &o->common.device_params, &j->device, err);
  if (status == RDX_OK)
    status = list_names(j, err);
  if (status == RDX_OK)
    status = read_data(j, err);
  const uint32_t count = status == RDX_OK ? rdx_condition_columns(j->condition) : 0;
  const rdx_scan_run_params params = {.result = o->result == RDX_SCAN_COUNT ? RDX_SCAN_COUNT : RDX_SCAN_BITMAP,
                                      .stats = o->common.stats};
  if (status == RDX_OK)
    status = rdx_scan_create(j->device, j->columns, count > 0 ? count : 1, &o->common.scan, &j->scan, err);
  if (status == RDX_OK)
    status = rdx_scan_run(j->scan, j->predicate, &params, &j->result, err);
  if (status == RDX_OK)
    status = rdx_scan_result_view(j->result, &j->view, err);
  if (status == RDX_OK)
    status = write_answer(j, err);
  if (status == RDX_OK && o->common.stats)
    print_stats(j);
  return status;
}

int cli_scan(int argc, char **argv) {
  scan_options o = {.result = RDX_SCAN_ROWS, .common = {.device = "auto", .scans = true}};
  const int parsed = parse(argc, argv, &o);
  job j = {.options = &o};
  const int exit_status = cli_run(parsed, run, &j);
  rdx_scan_result_destroy(&j.result);
  rdx_scan_destroy(&j.scan);
  rdx_table_destroy(&j.data);
  rdx_condition_destroy(&j.condition);
  rdx_device_close(&j.device);
  free(j.names);
  free(j.columns);
  return exit_status;
}
