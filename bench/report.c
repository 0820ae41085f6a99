/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Results: one long table for all experiments, as CSV and as text. */

#include "bench/bench.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct bench_report {
  bench_row *rows;
  size_t count, capacity;
  /* What is printed: the rows before `printed` of an experiment, the last under a head that stands for `head_rows`. */
  char printing[sizeof((bench_row *)0)->experiment];
  size_t printed;
  bool head;
  uint64_t head_rows;
};

rdx_status bench_report_create(bench_report **out, rdx_error *err) {
  *out = calloc(1, sizeof **out);
  return *out ? RDX_OK : console_error(err, RDX_ERROR_MEMORY, "host memory ran out");
}

void bench_report_destroy(bench_report **report) {
  if (*report)
    free((*report)->rows);
  free(*report);
  *report = NULL;
}

size_t bench_report_count(const bench_report *report) {
  return report->count;
}

const bench_row *bench_report_row(const bench_report *report, size_t i) {
  return &report->rows[i];
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

rdx_status bench_report_append(bench_report *report, const bench_row *row, rdx_error *err) {
  if (report->count == report->capacity) {
    const size_t capacity = report->capacity ? 2 * report->capacity : 256;
    bench_row *rows = realloc(report->rows, capacity * sizeof *rows);
    if (!rows)
      return console_error(err, RDX_ERROR_MEMORY, "host memory ran out");
    report->rows = rows;
    report->capacity = capacity;
  }
  report->rows[report->count++] = *row;
  return RDX_OK;
}

rdx_status bench_report_add(bench_report *report, bench_row row, double *samples, uint32_t count, rdx_error *err) {
  qsort(samples, count, sizeof *samples, compare);
  row.median = count % 2 == 1 ? samples[count / 2] : (samples[count / 2 - 1] + samples[count / 2]) / 2;
  row.min = samples[0];
  row.max = samples[count - 1];
  row.runs = count;
  return bench_report_append(report, &row, err);
}

/* ---- Text ---- */

const char *bench_place(const char *parameter, double value, char out[BENCH_PLACE]) {
  if (value < 0)
    snprintf(out, BENCH_PLACE, "%s", parameter);
  else
    snprintf(out, BENCH_PLACE, "%s %.9g", parameter, value);
  return out;
}

static bool same_place(const bench_row *a, const bench_row *b) {
  return strcmp(a->experiment, b->experiment) == 0 && strcmp(a->method, b->method) == 0 &&
         strcmp(a->variant, b->variant) == 0 && strcmp(a->parameter, b->parameter) == 0 &&
         strcmp(a->keys, b->keys) == 0 && a->value == b->value && a->rows == b->rows && a->probes == b->probes;
}

const bench_row *bench_report_find(const bench_report *report, const bench_row *like) {
  for (size_t i = 0; i < report->count; i++)
    if (same_place(&report->rows[i], like) && strcmp(report->rows[i].metric, like->metric) == 0)
      return &report->rows[i];
  return NULL;
}

static const bench_row *find(const bench_report *report, const bench_row *like, const char *metric) {
  for (size_t i = 0; i < report->count; i++)
    if (same_place(&report->rows[i], like) && strcmp(report->rows[i].metric, metric) == 0)
      return &report->rows[i];
  return NULL;
}

/* The plain binary search that the row's methods ran beside. */
static const bench_row *find_plain(const bench_report *report, const bench_row *row) {
  bench_row like = *row;
  snprintf(like.method, sizeof like.method, "binary_search");
  snprintf(like.variant, sizeof like.variant, "plain");
  return find(report, &like, "lookup_ms");
}

/* Whether no earlier row is of the same place: it then stands for all of them. */
static bool is_first(const bench_report *report, size_t i) {
  for (size_t k = 0; k < i; k++)
    if (same_place(&report->rows[k], &report->rows[i]))
      return false;
  return true;
}

/* What is said of the answers of an experiment: it had failed if one were wrong. */
static const char *verdict(const bench_report *report, const char *experiment) {
  for (size_t i = 0; i < report->count; i++)
    if (strcmp(report->rows[i].experiment, experiment) == 0 && report->rows[i].probes > 0)
      return "all answers checked";
  for (size_t i = 0; i < report->count; i++)
    if (strcmp(report->rows[i].experiment, experiment) == 0 && strcmp(report->rows[i].metric, "answer_ms") == 0)
      return "answers not checked";
  return "builds only";
}

static void print_row(const bench_report *report, const bench_row *row) {
  const bench_row *lookup = find(report, row, "lookup_ms"), *build = find(report, row, "build_ms");
  const bench_row *resident = find(report, row, "bytes_resident"), *peak = find(report, row, "bytes_peak");
  char place[BENCH_PLACE];
  printf("%-13s %-22s %-3s %-17s %10" PRIu64 " %10" PRIu64, row->method, row->variant, row->keys,
         bench_place(row->parameter, row->value, place), row->rows, row->probes);
  const bench_row *plain = find_plain(report, row);
  if (lookup)
    printf(" %10.3f %10.*f %4.0f%%", lookup->median, (double)row->probes < 1e4 * lookup->median ? 3 : 1,
           (double)row->probes / lookup->median / 1e3, 100 * (lookup->max - lookup->min) / lookup->median);
  else if (build)
    printf(" %10s %10s %5s", "", "", "");
  if (lookup && plain)
    printf(" %7.2f", plain->median / lookup->median);
  else if (build)
    printf(" %7s", "");
  if (build)
    printf(" %10.2f", build->median);
  if (build && resident && peak)
    printf(" %8.1f %8.1f", resident->median / (double)row->rows, peak->median / (double)row->rows);
  printf("\n");
}

/* ---- Scans ---- */

static bool is_scan(const bench_row *row) {
  return strncmp(row->experiment, "rtscan-", 7) == 0 || strcmp(row->experiment, "scale-scans") == 0;
}

/* Those that an experiment has are columns of its table. */
typedef struct scan_column {
  const char *metric, *head, *format;
  double per;             /* 0: rows */
  const char *experiment; /* that alone shows it; NULL: any */
} scan_column;

static const scan_column scan_columns[] = {
    {"found", "found", "%.0f", 1, NULL},
    {"scan_ms", "scan ms", "%.3f", 1, NULL},
    {"total_ms", "total ms", "%.3f", 1, NULL},
    {"read_ms", "read ms", "%.3f", 1, NULL},
    {"gb_per_s", "GB/s", "%.1f", 1, NULL},
    {"reduced", "reduced %", "%.2f", 1, "rtscan-vectors"},
    {"transform_ms", "transform", "%.3f", 1, "rtscan-stages"},
    {"sieve_ms", "sieve", "%.3f", 1, "rtscan-stages"},
    {"refine_ms", "refine", "%.3f", 1, "rtscan-stages"},
    {"merge_ms", "merge", "%.3f", 1, "rtscan-stages"},
    {"share", "share %", "%.2f", 1, "rtscan-stages"},
    {"build_ms", "build ms", "%.1f", 1, NULL},
    {"table_ms", "table ms", "%.1f", 1, "rtscan-build"},
    {"vectors_ms", "vectors ms", "%.1f", 1, "rtscan-build"},
    {"scene_ms", "scene ms", "%.1f", 1, "rtscan-build"},
    {"bytes_resident", "B/row", "%.2f", 0, NULL},
    {"bytes_peak", "peak", "%.2f", 0, NULL},
    {"bytes_table", "table B/row", "%.2f", 0, "rtscan-build"},
    {"bytes_vectors", "vectors", "%.2f", 0, "rtscan-build"},
    {"bytes_scene", "scene", "%.2f", 0, "rtscan-build"},
};
enum { SCAN_COLUMNS_SHOWN = sizeof scan_columns / sizeof *scan_columns };

static bool shows(const scan_column *c, const bench_row *row) {
  return !c->experiment || strcmp(c->experiment, row->experiment) == 0;
}

static void print_scan(const bench_report *report, const bench_row *row) {
  char place[BENCH_PLACE];
  printf("%-10s %-24s %-8s %-18s %10" PRIu64 " %3" PRIu64, row->method, row->variant, row->keys,
         bench_place(row->parameter, row->value, place), row->rows, row->probes);
  for (size_t i = 0; i < SCAN_COLUMNS_SHOWN; i++) {
    const scan_column *c = &scan_columns[i];
    const bench_row *found = shows(c, row) ? find(report, row, c->metric) : NULL;
    char text[32] = "";
    if (found)
      snprintf(text, sizeof text, c->format, found->median / (c->per > 0 ? c->per : (double)row->rows));
    if (shows(c, row))
      printf(" %10s", text);
  }
  printf("\n");
}

static void print_scan_head(const bench_report *report, const bench_row *row) {
  printf("\n%s on %s, %s\n%-10s %-24s %-8s %-18s %10s %3s", row->experiment, row->device,
         verdict(report, row->experiment), "method", "variant", "data", "parameter", "rows", "");
  for (size_t i = 0; i < SCAN_COLUMNS_SHOWN; i++)
    if (shows(&scan_columns[i], row))
      printf(" %10s", scan_columns[i].head);
  printf("\n");
}

/* ---- Star queries ---- */

static bool is_star(const bench_row *row) {
  return strncmp(row->experiment, "rtcudb-", 7) == 0 || strncmp(row->experiment, "tpch-", 5) == 0 ||
         strcmp(row->experiment, "scale-stars") == 0;
}

/* Those that an experiment has are columns of its table. */
typedef struct star_column {
  const char *metric, *head, *format;
  double per;
  int width;
  enum { VALUE, SPREAD, PUBLISHED } what; /* the median, how far runs differ from it, what the paper has instead */
} star_column;

static const star_column star_columns[] = {
    {"selected", "selected", "%.0f", 1, 10, VALUE},
    {"selectivity", "selected %", "%.3g", 1, 10, VALUE},
    {"selectivity", "published", "%.3g", 1, 9, PUBLISHED},
    {"result_rows", "result", "%.0f", 1, 6, VALUE},
    {"result_rows", "reference", "%.0f", 1, 9, PUBLISHED},
    {"query_ms", "device ms", "%.4f", 1, 10, VALUE},
    {"query_ms", "+-", "%.0f%%", 0.01, 5, SPREAD},
    {"answer_ms", "answer ms", "%.4f", 1, 10, VALUE},
    {"plan_ms", "plan ms", "%.4f", 1, 10, VALUE},
    {"first_ms", "first ms", "%.1f", 1, 10, VALUE},
    {"rays", "rays", "%.0f", 1, 9, VALUE},
    {"hits", "hits", "%.0f", 1, 10, VALUE},
    {"rows_read", "rows read", "%.0f", 1, 10, VALUE},
    {"bytes", "MB", "%.3f", 1e6, 10, VALUE},
    {"scene_bytes", "scene MB", "%.3f", 1e6, 10, VALUE},
    {"gb_per_s", "GB/s", "%.1f", 1, 7, VALUE},
    {"cubes", "cubes", "%.0f", 1, 5, VALUE},
    {"encode_ms", "encode ms", "%.0f", 1, 9, VALUE},
    {"build_ms", "build ms", "%.1f", 1, 10, VALUE},
    {"bytes_columns", "columns MB", "%.1f", 1e6, 10, VALUE},
    {"bytes_cubes", "cubes MB", "%.1f", 1e6, 10, VALUE},
    {"bytes_peak", "peak MB", "%.1f", 1e6, 10, VALUE},
};
enum { STAR_COLUMNS = sizeof star_columns / sizeof *star_columns };

static bool is_published(const bench_row *row) {
  return strcmp(row->device, "published") == 0;
}

static bool has_column(const bench_report *report, const char *experiment, const star_column *c) {
  for (size_t i = 0; i < report->count; i++)
    if (strcmp(report->rows[i].experiment, experiment) == 0 && strcmp(report->rows[i].metric, c->metric) == 0 &&
        (c->what != PUBLISHED || is_published(&report->rows[i])))
      return true;
  return false;
}

static void print_star_head(const bench_report *report, const bench_row *row) {
  printf("\n%s on %s, %s, %" PRIu64 " rows, %s\n%-12s %-16s %-9s", row->experiment, row->device, row->keys, row->rows,
         verdict(report, row->experiment), "method", "variant", "query");
  for (size_t c = 0; c < STAR_COLUMNS; c++)
    if (has_column(report, row->experiment, &star_columns[c]))
      printf(" %*s", star_columns[c].width, star_columns[c].head);
  printf("\n");
}

/* What a row's line shows in a column. */
static void format_star(const bench_report *report, const bench_row *row, const star_column *c, char out[32]) {
  bench_row like = *row;
  if (c->what == PUBLISHED)
    snprintf(like.method, sizeof like.method, "RTCUDB");
  const bench_row *found = find(report, &like, c->metric);
  out[0] = '\0';
  if (found)
    snprintf(out, 32, c->format,
             (c->what == SPREAD && found->median > 0 ? (found->max - found->min) / found->median
              : c->what == SPREAD                    ? 0
                                                     : found->median) /
                 c->per);
}

static void print_star(const bench_report *report, const bench_row *row) {
  if (is_published(row))
    return;
  printf("%-12s %-16s %-9s", row->method, row->variant, row->parameter);
  for (size_t c = 0; c < STAR_COLUMNS; c++) {
    char text[32];
    format_star(report, row, &star_columns[c], text);
    if (has_column(report, row->experiment, &star_columns[c]))
      printf(" %*s", star_columns[c].width, text);
  }
  printf("\n");
}

static void print_head(const bench_report *report, const bench_row *row) {
  if (is_scan(row))
    print_scan_head(report, row);
  else if (is_star(row))
    print_star_head(report, row);
  else
    printf("\n%s on %s, %" PRIu32 " runs, %s\n%-13s %-22s %-3s %-17s %10s %10s %10s %10s %5s %7s "
           "%10s %8s %8s\n",
           row->experiment, row->device, row->runs, verdict(report, row->experiment), "method", "variant", "",
           "parameter", "keys", "lookups", "lookup ms", "Ml/s", "+-", "x plain", "build ms", "B/key", "peak");
}

void bench_report_print(bench_report *report, const char *experiment) {
  if (strcmp(experiment, "planner") == 0) /* it says by itself what it found */
    return;
  if (strcmp(report->printing, experiment) != 0) {
    snprintf(report->printing, sizeof report->printing, "%s", experiment);
    report->printed = 0;
    report->head = false;
  }
  for (; report->printed < report->count; report->printed++) {
    const bench_row *row = &report->rows[report->printed];
    if (strcmp(row->experiment, experiment) != 0 || !is_first(report, report->printed))
      continue;
    if (!report->head || (is_star(row) && row->rows != report->head_rows)) /* which tells how many rows there are */
      print_head(report, row);
    report->head = true;
    report->head_rows = row->rows;
    if (is_scan(row))
      print_scan(report, row);
    else if (is_star(row))
      print_star(report, row);
    else
      print_row(report, row);
  }
  fflush(stdout);
}

/* ---- CSV ---- */

static const char header[] = "experiment,device,method,variant,key_type,keys,lookups,parameter,value,metric,median,min,"
                             "max,runs,checked";

rdx_status bench_report_write(const bench_report *report, const char *path, rdx_error *err) {
  console_output out;
  rdx_status status = console_output_open(path, &out, err);
  if (status != RDX_OK)
    return status;
  fprintf(out.stream, "%s\n", header);
  for (size_t i = 0; i < report->count; i++) {
    const bench_row *r = &report->rows[i];
    const char *quote = strchr(r->variant, ',') ? "\"" : "";
    fprintf(out.stream, "%s,\"%s\",%s,%s%s%s,%s,%" PRIu64 ",%" PRIu64 ",%s,%.9g,%s,%.9g,%.9g,%.9g,%" PRIu32 ",%s\n",
            r->experiment, r->device, r->method, quote, r->variant, quote, r->keys, r->rows, r->probes, r->parameter,
            r->value, r->metric, r->median, r->min, r->max, r->runs, r->probes > 0 ? "true" : "none");
  }
  return console_output_commit(&out, err);
}

static void copy_text(const rdx_column *c, uint64_t row, char *out, size_t size) {
  const uint64_t begin = c->offsets[row], length = c->offsets[row + 1] - begin;
  snprintf(out, size, "%.*s", (int)length, (const char *)c->values + begin);
}

rdx_status bench_report_read(const char *path, bench_report **out, rdx_error *err) {
  static const rdx_csv_type types[] = {
      {"experiment", RDX_TYPE_STRING, 0}, {"device", RDX_TYPE_STRING, 0},    {"method", RDX_TYPE_STRING, 0},
      {"variant", RDX_TYPE_STRING, 0},    {"key_type", RDX_TYPE_STRING, 0},  {"keys", RDX_TYPE_U64, 0},
      {"lookups", RDX_TYPE_U64, 0},       {"parameter", RDX_TYPE_STRING, 0}, {"value", RDX_TYPE_F64, 0},
      {"metric", RDX_TYPE_STRING, 0},     {"median", RDX_TYPE_F64, 0},       {"min", RDX_TYPE_F64, 0},
      {"max", RDX_TYPE_F64, 0},           {"runs", RDX_TYPE_U32, 0}};
  enum { TYPES = sizeof types / sizeof *types };
  const char *names[TYPES];
  for (size_t i = 0; i < TYPES; i++)
    names[i] = types[i].column;
  const rdx_csv_params params = {.types = types, .type_count = TYPES, .columns = names, .column_count = TYPES};
  rdx_table *table = NULL;
  rdx_status status = rdx_table_read_csv(path, &params, &table, err);
  if (status != RDX_OK)
    return status;
  status = bench_report_create(out, err);
  const rdx_column *c[TYPES];
  for (uint32_t i = 0; i < TYPES; i++)
    c[i] = rdx_table_column(table, i);
  for (uint64_t i = 0; i < rdx_table_rows(table) && status == RDX_OK; i++) {
    bench_row row = {.rows = ((const uint64_t *)c[5]->values)[i],
                     .probes = ((const uint64_t *)c[6]->values)[i],
                     .value = ((const double *)c[8]->values)[i],
                     .median = ((const double *)c[10]->values)[i],
                     .min = ((const double *)c[11]->values)[i],
                     .max = ((const double *)c[12]->values)[i],
                     .runs = ((const uint32_t *)c[13]->values)[i]};
    copy_text(c[0], i, row.experiment, sizeof row.experiment);
    copy_text(c[1], i, row.device, sizeof row.device);
    copy_text(c[2], i, row.method, sizeof row.method);
    copy_text(c[3], i, row.variant, sizeof row.variant);
    copy_text(c[4], i, row.keys, sizeof row.keys);
    copy_text(c[7], i, row.parameter, sizeof row.parameter);
    copy_text(c[9], i, row.metric, sizeof row.metric);
    status = bench_report_append(*out, &row, err);
  }
  rdx_table_destroy(&table);
  if (status != RDX_OK)
    bench_report_destroy(out);
  return status;
}
