/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* raydex lookup */

#include "cli/probes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct lookup_options {
  const char *data;
  cli_columns keys;
  cli_probe_options probes;          /* without names of columns */
  cli_columns columns, lower, upper; /* of the file of probes */
  cli_type_list types;
  rdx_lookup_result_kind result;
  bool has_result;
  const char *value; /* column to sum */
  bool sort_probes, inverse;
  cli_common common;
} lookup_options;

static void print_help(void) {
  printf(
      "Example: raydex lookup --data orders.csv --key customer --point 4711 --return count\n\n"
      "Usage: raydex lookup --data FILE --key COLUMN[,COLUMN...] PROBES --return WHAT [OPTION...]\n\n"
      "Build an index over a column of a table file (see raydex import) or CSV file, or over up to eight, and look\n"
      "up values or ranges in it.\n\n"
      "Probes, one kind of:\n"
      "  --point VALUE           rows whose key is VALUE; may be repeated\n"
      "  --range LO..HI          rows with LO <= key <= HI; LO.. and ..HI are open; may be repeated\n"
      "  --probe FILE            a value per record: the column named as the key, or the only one\n"
      "    --probe-column NAME   the column of values\n"
      "    --lower NAME --upper NAME   a range per record instead: the columns of its bounds\n"
      "Of several columns: their values, with commas between (--point 4711,open --range 4711,3..4711,9), and columns\n"
      "named likewise; fewer values than columns are those of the first. Ranges are those of tuples in their order.\n\n"
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

static const int repeats[] = {POINT, RANGE, TYPE, 0};

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
    return cli_parse_columns(value, &o->keys);
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
    return cli_parse_columns(value, &o->columns);
  case LOWER:
    return cli_parse_columns(value, &o->lower);
  case UPPER:
    return cli_parse_columns(value, &o->upper);
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
  if (o->keys.count == 0)
    return "--key COLUMN is needed";
  if (o->keys.count > RDX_INDEX_COLUMNS)
    return "--key has at most eight columns";
  if ((p->point_count > 0) + (p->range_count > 0) + (p->file != NULL) != 1)
    return "one kind of probes is needed: --point, --range or --probe";
  if (!o->has_result)
    return "--return count|first|rows|'sum(COLUMN)' is needed";
  if (!p->file && (o->columns.count || o->lower.count || o->upper.count))
    return "--probe-column, --lower and --upper belong to --probe";
  if (o->lower.count != o->upper.count || (o->lower.count && o->columns.count))
    return "--probe takes either --probe-column, or both --lower and --upper";
  if (o->columns.count > o->keys.count || o->lower.count > o->keys.count)
    return "there are more columns of probes than of keys";
  if (o->inverse && (p->range_count > 0 || o->lower.count))
    return "--inverse is for points: leave it out for ranges";
  if (o->inverse && o->keys.count > 1)
    return "--inverse is for keys of one column";
  return NULL;
}

/* A column that is there twice; NULL: none is. */
static const char *find_twice(const cli_columns *columns) {
  for (size_t i = 0; i < columns->count; i++)
    for (size_t k = 0; k < i; k++)
      if (strcmp(columns->names[k], columns->names[i]) == 0)
        return columns->names[i];
  return NULL;
}

/* 0 to go on, else the exit status plus one. */
static int parse(int argc, char **argv, lookup_options *o) {
  const int parsed = cli_parse(&(cli_command){"lookup", options, print_help, take, repeats}, argc, argv, o, &o->common);
  if (parsed != 0)
    return parsed;
  o->probes.csv = o->common.csv;
  const char *wrong = check(o), *const inputs[] = {o->data, o->probes.file};
  const char *twice = find_twice(&o->keys);
  if (wrong || twice)
    return (wrong ? console_usage("lookup", "%s", wrong)
                  : console_usage("lookup", "--key has column '%s' twice", twice)) +
           1;
  return cli_check_output("lookup", "--out", o->common.out, true, inputs, 2);
}

/* ---- The answer ---- */

typedef struct job {
  const lookup_options *options;
  rdx_table *data;
  rdx_column keys[RDX_INDEX_COLUMNS];
  const rdx_column *values;
  cli_probes probes[RDX_INDEX_COLUMNS]; /* of each of the first columns */
  uint32_t probe_columns;
  char **texts[RDX_INDEX_COLUMNS]; /* what probes of several columns refer to */
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

/* Bounds of several columns on the command line are told apart by these. */
static void write_name(const job *j, uint32_t k, const char *name) {
  const cli_probes *p = &j->probes[k];
  char whole[600];
  if (j->options->keys.count > 1 && p->literals[1]) {
    snprintf(whole, sizeof whole, "%.300s of %.250s", name, j->options->keys.names[k]);
    name = whole;
  }
  cli_write_text(j->out.stream, name, strlen(name));
  fputc(',', j->out.stream);
}

/* Of CSV, and not before there is an answer. */
static void write_header(job *j) {
  static const char *const names[] = {
      [RDX_LOOKUP_COUNT] = "count", [RDX_LOOKUP_FIRST] = "first", [RDX_LOOKUP_ROWS] = "row"};
  FILE *stream = j->out.stream;
  if (j->begun || j->probes[0].single)
    return;
  j->begun = true;
  for (uint32_t k = 0; k < j->probe_columns; k++) {
    write_name(j, k, j->probes[k].lower_name);
    if (j->probes[k].upper)
      write_name(j, k, j->probes[k].upper_name);
  }
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
  for (uint32_t k = 0; k < j->probe_columns && !j->probes[0].single; k++) {
    cli_probes_write(stream, &j->probes[k], i);
    fputc(',', stream);
  }
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
  const char *columns[RDX_INDEX_COLUMNS + 1];
  const uint32_t keys = (uint32_t)o->keys.count;
  uint32_t value = 0;
  memcpy(columns, o->keys.names, keys * sizeof *columns);
  while (o->value && value < keys && strcmp(columns[value], o->value) != 0)
    value++;
  columns[keys] = o->value;
  rdx_csv_params params = o->probes.csv;
  params.types = o->types.list;
  params.type_count = o->types.count;
  params.columns = columns;
  params.column_count = keys + (o->value && value == keys);
  rdx_status status = cli_read(o->data, &params, NULL, &j->data, err);
  if (status != RDX_OK)
    return status;
  for (uint32_t k = 0; k < keys; k++)
    j->keys[k] = *rdx_table_column(j->data, k);
  if (o->value)
    j->values = rdx_table_column(j->data, value);
  return RDX_OK;
}

/* The length of the next value of a list, which `*list` then leaves behind; `*more`: there is another. */
static int cut_value(const char **list, const char *end, const char **value, bool *more) {
  const char *comma = memchr(*list, ',', (size_t)(end - *list));
  const char *const stop = comma ? comma : end;
  *value = *list;
  *list = comma ? comma + 1 : end;
  *more = comma != NULL;
  return (int)(stop - *value);
}

/* Cut "a,b..c,d" (with `range`) or "a,b" into "a..c" and "b..d", in memory of their own; how many there are, 0 where
 * both ends have not as many. An end that is open as a whole is so for each. */
static uint32_t cut_values(const char *text, bool range, char *parts[RDX_INDEX_COLUMNS]) {
  const char *const dots = range ? strstr(text, "..") : NULL, *const end = text + strlen(text);
  const char *low = text, *high = dots ? dots + 2 : end, *const low_end = dots ? dots : end;
  const bool has_low = low < low_end, has_high = high < end;
  bool more = true;
  uint32_t count = 0;
  while (more && count < RDX_INDEX_COLUMNS) {
    const char *from, *to;
    bool more_low, more_high;
    const int length = cut_value(&low, low_end, &from, &more_low), rest = cut_value(&high, end, &to, &more_high);
    const size_t size = (size_t)length + (size_t)rest + 3;
    parts[count] = malloc(size);
    if (!parts[count] || (has_low && has_high && more_low != more_high))
      return 0;
    snprintf(parts[count++], size, "%.*s%s%.*s", length, from, dots ? ".." : "", rest, to);
    more = more_low || more_high;
  }
  return more ? 0 : count;
}

/* The values of each column, of all points or ranges. */
static rdx_status cut_probes(job *j, char **texts, size_t count, bool range, char ***out, rdx_error *err) {
  const lookup_options *o = j->options;
  const char *const option = range ? "--range" : "--point";
  for (size_t i = 0; i < count; i++) {
    char *parts[RDX_INDEX_COLUMNS] = {NULL};
    const uint32_t values = cut_values(texts[i], range, parts);
    for (uint32_t k = 0; k < RDX_INDEX_COLUMNS; k++)
      out[k][i] = parts[k];
    if (values == 0 || values > o->keys.count || (i > 0 && values != j->probe_columns))
      return console_error(
          err, RDX_ERROR_ARGUMENT,
          "%s %.200s: it has one value for each of the first columns of --key, and as many as the others; "
          "values that hold commas come in a file (--probe)",
          option, texts[i]);
    j->probe_columns = values;
  }
  return RDX_OK;
}

static rdx_status make_probes(job *j, uint32_t k, char **texts, rdx_error *err) {
  const lookup_options *o = j->options;
  cli_probe_options one = o->probes;
  one.points = o->probes.point_count > 0 ? texts : NULL;
  one.ranges = o->probes.range_count > 0 ? texts : NULL;
  one.column = o->columns.count ? o->columns.names[k] : o->probes.file && o->keys.count > 1 ? o->keys.names[k] : NULL;
  one.lower = o->lower.count ? o->lower.names[k] : NULL;
  one.upper = o->upper.count ? o->upper.names[k] : NULL;
  one.column = one.lower ? NULL : one.column;
  return cli_probes_create(&one, &j->keys[k], o->keys.names[k], rdx_table_choice(j->data, k), &j->probes[k], err);
}

static rdx_status make_single_probes(job *j, rdx_error *err) {
  j->probe_columns = 1;
  return make_probes(j, 0, j->options->probes.point_count ? j->options->probes.points : j->options->probes.ranges, err);
}

/* Of keys of several columns. */
static rdx_status make_all_probes(job *j, rdx_error *err) {
  const lookup_options *o = j->options;
  const size_t count = o->probes.point_count + o->probes.range_count;
  char ***const texts = j->texts;
  rdx_status status = RDX_OK;
  j->probe_columns = (uint32_t)(o->columns.count ? o->columns.count : o->lower.count ? o->lower.count : o->keys.count);
  for (uint32_t k = 0; k < RDX_INDEX_COLUMNS; k++) {
    texts[k] = calloc(count + 1, sizeof *texts[k]);
    if (!texts[k])
      status = console_error(err, RDX_ERROR_MEMORY, "host memory ran out");
  }
  if (status == RDX_OK && count > 0)
    status = cut_probes(j, o->probes.point_count ? o->probes.points : o->probes.ranges, count,
                        o->probes.range_count > 0, texts, err);
  for (uint32_t k = 0; k < j->probe_columns && status == RDX_OK; k++)
    status = make_probes(j, k, texts[k], err);
  return status;
}

static rdx_status look_up(job *j, const rdx_lookup_params *params, rdx_error *err) {
  const rdx_column *lower = j->probes[0].lower, *upper = j->probes[0].upper;
  rdx_column low[RDX_INDEX_COLUMNS], high[RDX_INDEX_COLUMNS];
  if (j->options->inverse)
    return rdx_lookup_inverse(j->device, j->keys, lower, &j->options->common.index, params, &j->index_stats, &j->result,
                              err);
  if (j->options->keys.count == 1)
    return upper ? rdx_index_range(j->index, lower, upper, params, &j->result, err)
                 : rdx_index_lookup(j->index, lower, params, &j->result, err);
  for (uint32_t k = 0; k < j->probe_columns; k++) {
    low[k] = *j->probes[k].lower;
    high[k] = upper ? *j->probes[k].upper : (rdx_column){0};
  }
  return upper ? rdx_index_range_columns(j->index, low, high, j->probe_columns, params, &j->result, err)
               : rdx_index_lookup_columns(j->index, low, j->probe_columns, params, &j->result, err);
}

static rdx_status build(job *j, rdx_error *err) {
  const lookup_options *o = j->options;
  if (o->inverse)
    return RDX_OK;
  return o->keys.count == 1
             ? rdx_index_create(j->device, j->keys, &o->common.index, &j->index, err)
             : rdx_index_create_columns(j->device, j->keys, (uint32_t)o->keys.count, &o->common.index, &j->index, err);
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
    status = o->keys.count == 1 ? make_single_probes(j, err) : make_all_probes(j, err);
  if (status == RDX_OK)
    status = build(j, err);
  if (status == RDX_OK)
    status = console_output_open(o->common.out, &j->out, err);
  if (status == RDX_OK)
    status = look_up_and_write(j, err);
  if (status == RDX_OK && o->common.stats)
    print_stats(j);
  return status;
}

int cli_lookup(int argc, char **argv) {
  static lookup_options o = {.common = {.device = "auto"}}; /* its lists would take most of a small stack */
  const int parsed = parse(argc, argv, &o);
  job j = {.options = &o};
  const int exit_status = cli_run(parsed, run, &j);
  rdx_lookup_result_destroy(&j.result);
  rdx_index_destroy(&j.index);
  for (uint32_t k = 0; k < RDX_INDEX_COLUMNS; k++) {
    cli_probes_destroy(&j.probes[k]);
    for (size_t i = 0; j.texts[k] && i < o.probes.point_count + o.probes.range_count; i++)
      free(j.texts[k][i]);
    free(j.texts[k]);
  }
  rdx_table_destroy(&j.data);
  rdx_device_close(&j.device);
  free(o.probes.points);
  free(o.probes.ranges);
  return exit_status;
}
