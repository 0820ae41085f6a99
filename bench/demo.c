/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* raydex-bench demo: the 13 queries of the Star Schema Benchmark by every method, as one table. */

#include "bench/bench.h"

#include <inttypes.h>
#include <string.h>

enum { MAX_METHODS = 8 };

/* The rows of a metric, one for each query and method, in the order in which they were measured. */
static const bench_row *find(const bench_report *report, const bench_row *method, const char *query,
                             const char *metric) {
  for (size_t i = 0; i < bench_report_count(report); i++) {
    const bench_row *row = bench_report_row(report, i);
    if (strcmp(row->metric, metric) == 0 && (!method || strcmp(row->method, method->method) == 0) &&
        (!method || strcmp(row->variant, method->variant) == 0) && (!query || strcmp(row->parameter, query) == 0))
      return row;
  }
  return NULL;
}

/* The methods that answered any query. */
static size_t list_methods(const bench_report *report, const bench_row *methods[MAX_METHODS]) {
  size_t count = 0;
  for (size_t i = 0; i < bench_report_count(report) && count < MAX_METHODS; i++) {
    const bench_row *row = bench_report_row(report, i);
    if (find(report, row, NULL, row->metric) == row && strcmp(row->metric, "answer_ms") == 0)
      methods[count++] = row;
  }
  return count;
}

static rdx_status print_query(const bench *b, uint32_t q, const bench_row *const *methods, size_t count,
                              rdx_error *err) {
  uint64_t selected = 0, rows = 0;
  char name[8];
  const rdx_status status = ssb_star_count(b->star, q, &selected, &rows, err);
  if (status != RDX_OK)
    return status;
  snprintf(name, sizeof name, "Q%s", ssb_queries[q].name);
  printf("%-5s %9" PRIu64 " %7" PRIu64, name, selected, rows);
  for (size_t k = 0; k < count; k++) {
    const bench_row *row = find(b->report, methods[k], name, "answer_ms");
    char text[32] = "-"; /* cannot answer it here */
    if (row)
      snprintf(text, sizeof text, "%.3f", row->median);
    printf(" %14s", text);
  }
  printf("  all equal\n"); /* else the measurement had failed */
  return RDX_OK;
}

/* ---- What the columns are ---- */

static const struct {
  const char *method, *variant, *what;
} columns[] = {
    {"column", "", "looks at all rows, in packed columns; no rays"},
    {"column", "flat", "the same over one table in which the five are joined; no rays"},
    {"sorted_cube", "", "rows sorted for such queries, with the sums of their runs kept; no rays"},
    {"coarse_cube", "", "Raydex's RAYS find blocks of rows that qualify, sums of their runs are kept"},
    {"rt_cube", "", "Raydex's RAYS find the rows that qualify, one by one, as RTCUDB's do"},
};

static void print_name(const bench_row *method, int width) {
  char name[sizeof method->method + sizeof method->variant + 3];
  const bool only = method->variant[0] == '\0';
  snprintf(name, sizeof name, only ? "%s" : "%s (%s)", method->method, method->variant);
  printf("%*s", width, name);
}

static void print_legend(const bench_row *const *methods, size_t count) {
  printf("\n");
  for (size_t k = 0; k < count; k++)
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
      if (strcmp(columns[i].method, methods[k]->method) == 0 && strcmp(columns[i].variant, methods[k]->variant) == 0) {
        print_name(methods[k], -15);
        printf("%s\n", columns[i].what);
      }
}

/* What the fastest method of a method takes for a query; 0: none answered. */
static double fastest(const bench_report *report, const bench_row *const *methods, size_t count, const char *method,
                      const char *query) {
  double min = 0;
  for (size_t k = 0; k < count; k++) {
    const bench_row *row = find(report, methods[k], query, "answer_ms");
    if (strcmp(methods[k]->method, method) == 0 && row && (min == 0 || row->median < min))
      min = row->median;
  }
  return min;
}

/* The query in which rays gain the most over looking at all rows. */
static void print_why(const bench_report *report, const bench_row *const *methods, size_t count) {
  double max = 1;
  char best[8] = "";
  for (uint32_t q = 0; q < SSB_QUERIES; q++) {
    char name[8];
    snprintf(name, sizeof name, "Q%s", ssb_queries[q].name);
    const double slow = fastest(report, methods, count, "column", name),
                 fast = fastest(report, methods, count, "rt_cube", name);
    if (fast > 0 && slow / fast > max) {
      max = slow / fast;
      snprintf(best, sizeof best, "%s", name);
    }
  }
  if (best[0])
    printf(
        "\nWhy rays, if sorted_cube is faster? They meet only the rows that qualify, and need no sums made before the\n"
        "query, which are what sorted_cube reads: rt_cube answers %s %.0f times as fast as looking at all rows.\n",
        best, max);
}

rdx_status bench_demo(bench *b, rdx_error *err) {
  const bench_point point = {.experiment = "demo", .parameter = ""};
  const bench_row *methods[MAX_METHODS];
  rdx_status status = bench_rtcudb_defaults(b, &point, err);
  if (status != RDX_OK || !b->star)
    return status;
  const size_t count = list_methods(b->report, methods);
  printf("The Star Schema Benchmark, %" PRIu64 " rows (scale factor %.3g), on %s: ms from call to result,\n"
         "median of %" PRIu32 " runs, each compared with looking at every row.\n\n%-5s %9s %7s",
         ssb_star_relation(b->star)->rows, b->scale_factor, b->info->name, b->options.runs, "query", "selected",
         "result");
  for (size_t k = 0; k < count; k++) {
    printf(" ");
    print_name(methods[k], 14);
  }
  printf("  answers\n");
  for (uint32_t q = 0; q < SSB_QUERIES && status == RDX_OK; q++)
    status = print_query(b, q, methods, count, err);
  if (status != RDX_OK)
    return status;
  print_legend(methods, count);
  print_why(b->report, methods, count);
  printf("\nNext, a CSV file of your own: raydex lookup --data FILE.csv --key COLUMN --point VALUE --return count\n"
         "('raydex help' lists what else there is; 'raydex-bench demo --device auto' takes a GPU).\n");
  return RDX_OK;
}
