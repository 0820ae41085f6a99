/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* raydex lookup */

#include "cli/probes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct lookup_options {
  const char *data, *key;
  cli_probe_options probes;
  cli_type_list types;
  rdx_lookup_result_kind result;
  bool has_result;
  const char *value; /* column to sum */
  bool sort_probes, inverse;
  cli_common common;
} lookup_options;

static void print_help(void) {
  printf("Example: raydex lookup --data orders.csv --key customer --point 4711 --return count\n\n"
         "Usage: raydex lookup --data FILE --key COLUMN PROBES --return WHAT [OPTION...]\n\n"
         "Build an index over a column of a table file (see raydex import) or CSV file and look up values or ranges\n"
         "in it.\n\n"
         "Probes, one kind of:\n"
         "  --point VALUE           rows whose key is VALUE; may be repeated\n"
         "  --range LO..HI          rows with LO <= key <= HI; LO.. and ..HI are open; may be repeated\n"
         "  --probe FILE            a value per record: the column named as the key, or the only one\n"
         "    --probe-column NAME   the column of values\n"
         "    --lower NAME --upper NAME   a range per record instead: the columns of its bounds\n\n"
         "Answers (--return), on the standard output:\n"
         "  count                   the number of rows\n"
         "  first                   the first row, counted from 0; an empty line if there is none\n"
         "  rows                    all rows\n"
         "  'sum(COLUMN)'           the sum of a column over the rows; an empty line if there are none\n"
         "A single --point or --range prints its answer alone; more probes, or a file, print CSV.\n\n"
         "Options:\n"
         "  --sort-probes           sort the probes before they are looked up; answers come in the order given\n"
         "  --inverse               build the index over the probes, and look the keys up in it: for few points among\n"
         "                          many keys; without --method by hash\n"
         "  --type COLUMN=TYPE      the type of a column instead of the one its values suggest: bool, i8 to i64,\n"
         "                          u8 to u64, f32, f64, date, timestamp, decimal(DIGITS), string; may be repeated\n");
  cli_print_index_help();
}

/* ---- Options ---- */

static const char *parse_return(char *text, lookup_options *o) {
  static const char *const names[] = {
      [RDX_LOOKUP_COUNT] = "count", [RDX_LOOKUP_FIRST] = "first", [RDX_LOOKUP_ROWS] = "rows"};
  o->has_result = true;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (names[i] && strcmp(text, names[i]) == 0) {
      o->result = (rdx_lookup_result_kind)i;
      return NULL;
    }
  }
  const char *wrong = NULL;
  if (!cli_parse_sum(text, &o->value, &wrong))
    return "it is count, first, rows or 'sum(COLUMN)'";
  o->result = RDX_LOOKUP_SUM;
  return wrong;
}

static const char *append(char ***list, size_t *count, char *value) {
  char **longer = realloc(*list, (*count + 1) * sizeof *longer);
  if (!longer)
    return "host memory ran out";
  *list = longer;
  longer[(*count)++] = value;
  return NULL;
}

enum { DATA = CLI_OWN, KEY, POINT, RANGE, PROBE, PROBE_COLUMN, LOWER, UPPER, RETURN, TYPE, SORT_PROBES, INVERSE };

static const struct option options[] = {CLI_COMMON_OPTIONS,
                                        {"data", required_argument, NULL, DATA},
                                        {"key", required_argument, NULL, KEY},
                                        {"point", required_argument, NULL, POINT},
                                        {"range", required_argument, NULL, RANGE},
                                        {"probe", required_argument, NULL, PROBE},
                                        {"probe-column", required_argument, NULL, PROBE_COLUMN},
                                        {"lower", required_argument, NULL, LOWER},
                                        {"upper", required_argument, NULL, UPPER},
                                        {"return", required_argument, NULL, RETURN},
                                        {"type", required_argument, NULL, TYPE},
                                        {"sort-probes", no_argument, NULL, SORT_PROBES},
                                        {"inverse", no_argument, NULL, INVERSE},
                                        {0}};

static const char *take(int option, char *value, void *context) {
  lookup_options *o = context;
  switch (option) {
  case DATA:
    o->data = value;
    return NULL;
  case KEY:
    return cli_parse_name(value, &o->key);
  case POINT:
    return append(&o->probes.points, &o->probes.point_count, value);
  case RANGE:
    if (!cli_is_range(value))
      return "a range has the form LO..HI, LO.. or ..HI";
    return append(&o->probes.ranges, &o->probes.range_count, value);
  case PROBE:
    o->probes.file = value;
    return NULL;
  case PROBE_COLUMN:
    return cli_parse_name(value, &o->probes.column);
  case LOWER:
    return cli_parse_name(value, &o->probes.lower);
  case UPPER:
    return cli_parse_name(value, &o->probes.upper);
  case RETURN:
    return parse_return(value, o);
  case SORT_PROBES:
    o->sort_probes = true;
    return NULL;
  case INVERSE:
    o->inverse = true;
    return NULL;
  default:
    return cli_add_type(value, &o->types);
  }
}

static const char *check(const lookup_options *o) {
  const cli_probe_options *p = &o->probes;
  if (!o->data)
    return "--data FILE is needed";
  if (!o->key)
    return "--key COLUMN is needed";
  if ((p->point_count > 0) + (p->range_count > 0) + (p->file != NULL) != 1)
    return "one kind of probes is needed: --point, --range or --probe";
  if (!o->has_result)
    return "--return count|first|rows|'sum(COLUMN)' is needed";
  if (!p->file && (p->column || p->lower || p->upper))
    return "--probe-column, --lower and --upper belong to --probe";
  if (!p->lower != !p->upper || (p->lower && p->column))
    return "--probe takes either --probe-column, or both --lower and --upper";
  if (o->inverse && (p->range_count > 0 || p->lower))
    return "--inverse is for points: leave it out for ranges";
  return NULL;
}

/* 0 to go on, else the exit status plus one. */
static int parse(int argc, char **argv, lookup_options *o) {
  const int parsed = cli_parse(&(cli_command){"lookup", options, print_help, take}, argc, argv, o, &o->common);
  if (parsed != 0)
    return parsed;
  o->probes.csv = o->common.csv;
  const char *wrong = check(o), *const inputs[] = {o->data, o->probes.file};
  return wrong ? console_usage("lookup", "%s", wrong) + 1
               : cli_check_output("lookup", "--out", o->common.out, true, inputs, 2);
}

/* ---- The answer ---- */

typedef struct job {
  const lookup_options *options;
  rdx_table *data;
  const rdx_column *keys, *values;
  cli_probes probes;
  rdx_device *device;
  rdx_index *index; /* NULL: inverse */
  rdx_index_stats index_stats;
  rdx_lookup_result *result;
  console_output out;
  bool begun; /* the header is written */
} job;

/* SQL's sum over no rows is NULL. */
static void write_sum(FILE *stream, const rdx_lookup_view *v, uint64_t i) {
  if (v->count[i] > 0)
    cli_write_sum(stream, v->sum_type, v->sum_scale, v->sum_i64 ? v->sum_i64 + i : NULL,
                  v->sum_u64 ? v->sum_u64 + i : NULL, v->sum_f64 ? v->sum_f64 + i : NULL);
}

/* Of CSV, and not before there is an answer. */
static void write_header(job *j) {
  static const char *const names[] = {
      [RDX_LOOKUP_COUNT] = "count", [RDX_LOOKUP_FIRST] = "first", [RDX_LOOKUP_ROWS] = "row"};
  const cli_probes *p = &j->probes;
  FILE *stream = j->out.stream;
  if (j->begun || p->single)
    return;
  j->begun = true;
  cli_write_text(stream, p->lower_name, strlen(p->lower_name));
  if (p->upper) {
    fputc(',', stream);
    cli_write_text(stream, p->upper_name, strlen(p->upper_name));
  }
  fputc(',', stream);
  if (j->options->result == RDX_LOOKUP_SUM) {
    char name[300];
    snprintf(name, sizeof name, "sum(%s)", j->options->value);
    cli_write_text(stream, name, strlen(name));
  } else {
    fputs(names[j->options->result], stream);
  }
  fputc('\n', stream);
}

static void write_probe(FILE *stream, const job *j, uint64_t i) {
  if (j->probes.single)
    return;
  cli_probes_write(stream, &j->probes, i);
  fputc(',', stream);
}

/* A part of the rows. */
static bool write_rows(void *user, uint64_t first, const rdx_lookup_view *v) {
  job *j = user;
  FILE *stream = j->out.stream;
  write_header(j);
  for (uint64_t i = 0; i < v->probes && !console_output_stopped(&j->out); i++) {
    for (uint64_t k = v->offsets[i]; k < v->offsets[i + 1] && !console_output_stopped(&j->out); k++) {
      write_probe(stream, j, first + i);
      fprintf(stream, "%" PRIu32 "\n", v->rows[k]);
    }
  }
  return console_output_stopped(&j->out);
}

static void write_line(FILE *stream, const job *j, const rdx_lookup_view *v, uint64_t i) {
  write_probe(stream, j, i);
  if (v->kind == RDX_LOOKUP_COUNT)
    fprintf(stream, "%" PRIu32, v->count[i]);
  else if (v->kind == RDX_LOOKUP_SUM)
    write_sum(stream, v, i);
  else if (v->first[i] != RDX_NO_ROW)
    fprintf(stream, "%" PRIu32, v->first[i]);
  fputc('\n', stream);
}

static void print_stats(const job *j) {
  rdx_index_stats s;
  rdx_lookup_stats l;
  rdx_device_usage u;
  char resident[32], peak[32], used[32];
  s = j->index_stats;
  if (j->index)
    rdx_index_get_stats(j->index, &s);
  rdx_lookup_result_get_stats(j->result, &l);
  rdx_device_get_usage(j->device, &u);
  console_note("device    %s", rdx_device_get_info(j->device)->name);
  console_note("method    %s", rdx_index_method_name(s.method));
  console_note("keys      %" PRIu64 " of %" PRIu64 " row%s, type %s, %" PRIu32 " bits, %s", s.keys, s.rows,
               console_s(s.rows), rdx_type_name(s.key_type), s.key_bits, s.distinct ? "distinct" : "with duplicates");
  console_note("build     %.3f ms: sort %.3f, encode %.3f, scene %.3f, compact %.3f", s.total_ms, s.sort_ms,
               s.encode_ms, s.scene_ms, s.compact_ms);
  console_note("index     %s (%.1f B a key), %s at most during the build, %" PRIu32 " scene parts",
               console_bytes(s.bytes_resident, resident), s.keys ? (double)s.bytes_resident / (double)s.keys : 0.0,
               console_bytes(s.bytes_peak, peak), s.partitions);
  console_note("lookup    %.3f ms: upload %.3f, search %.3f, refine %.3f", l.total_ms, l.upload_ms, l.device_ms,
               l.refine_ms);
  console_note("probes    %" PRIu64 ", rays %" PRIu64 ", visits %" PRIu64 ", hits %" PRIu64, l.probes, l.rays, l.visits,
               l.hits);
  console_note("bytes     %" PRIu64 " uploaded, %" PRIu64 " of results, %s of device memory at most", l.bytes_uploaded,
               l.bytes_result, console_bytes(u.memory_peak, used));
}

/* ---- The work ---- */

static rdx_status read_data(job *j, rdx_error *err) {
  const lookup_options *o = j->options;
  const char *columns[2] = {o->key, o->value};
  const bool both = o->value && strcmp(o->key, o->value) != 0;
  rdx_csv_params params = o->probes.csv;
  params.types = o->types.list;
  params.type_count = o->types.count;
  params.columns = columns;
  params.column_count = both ? 2 : 1;
  rdx_status status = cli_read(o->data, &params, NULL, &j->data, err);
  if (status != RDX_OK)
    return status;
  j->keys = rdx_table_column(j->data, 0);
  if (o->value)
    j->values = rdx_table_column(j->data, both ? 1 : 0);
  return RDX_OK;
}

static rdx_status look_up(job *j, const rdx_lookup_params *params, rdx_error *err) {
  const rdx_column *lower = j->probes.lower, *upper = j->probes.upper;
  if (j->options->inverse)
    return rdx_lookup_inverse(j->device, j->keys, lower, &j->options->common.index, params, &j->index_stats, &j->result,
                              err);
  return upper ? rdx_index_range(j->index, lower, upper, params, &j->result, err)
               : rdx_index_lookup(j->index, lower, params, &j->result, err);
}

/* Rows are written as they are found, all else in the end. */
static rdx_status look_up_and_write(job *j, rdx_error *err) {
  const lookup_options *o = j->options;
  const bool rows = o->result == RDX_LOOKUP_ROWS, in_parts = rows && !o->inverse;
  const rdx_lookup_params params = {.result = o->result,
                                    .values = j->values,
                                    .stats = o->common.stats,
                                    .sort_probes = o->sort_probes,
                                    .each = in_parts ? write_rows : NULL,
                                    .each_user = j};
  rdx_status status = look_up(j, &params, err);
  rdx_lookup_view view = {0};
  if (status == RDX_OK && !in_parts)
    status = rdx_lookup_result_view(j->result, &view, err);
  if (status == RDX_OK)
    write_header(j);
  if (status == RDX_OK && rows && !in_parts)
    (void)write_rows(j, 0, &view);
  for (uint64_t i = 0; i < view.probes && !rows && !console_output_stopped(&j->out); i++)
    write_line(j->out.stream, j, &view, i);
  return console_output_close(&j->out, status, err);
}

static rdx_status run(void *context, rdx_error *err) {
  job *j = context;
  const lookup_options *o = j->options;
  rdx_status status = rdx_device_open(o->common.device, &o->common.device_params, &j->device, err);
  if (status == RDX_OK)
    status = read_data(j, err);
  if (status == RDX_OK)
    status = cli_probes_create(&o->probes, j->keys, o->key, rdx_table_choice(j->data, 0), &j->probes, err);
  if (status == RDX_OK && !o->inverse)
    status = rdx_index_create(j->device, j->keys, &o->common.index, &j->index, err);
  if (status == RDX_OK)
    status = console_output_open(o->common.out, &j->out, err);
  if (status == RDX_OK)
    status = look_up_and_write(j, err);
  if (status == RDX_OK && o->common.stats)
    print_stats(j);
  return status;
}

int cli_lookup(int argc, char **argv) {
  lookup_options o = {.common = {.device = "auto"}};
  const int parsed = parse(argc, argv, &o);
  job j = {.options = &o};
  const int exit_status = cli_run(parsed, run, &j);
  rdx_lookup_result_destroy(&j.result);
  rdx_index_destroy(&j.index);
  cli_probes_destroy(&j.probes);
  rdx_table_destroy(&j.data);
  rdx_device_close(&j.device);
  free(o.probes.points);
  free(o.probes.ranges);
  return exit_status;
}
