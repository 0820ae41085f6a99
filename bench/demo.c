/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* raydex-bench demo: the 13 queries of the Star Schema Benchmark by every engine, as one table. */

#include "bench/bench.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_ENGINES = 8 };

/* The rows of a metric, one for each query and engine, in the order in which they were measured. */
static const bench_row *find(const bench_report *report, const bench_row *engine, const char *query,
                             const char *metric) {
  for (size_t i = 0; i < bench_report_count(report); i++) {
    const bench_row *row = bench_report_row(report, i);
    if (strcmp(row->metric, metric) == 0 && (!engine || strcmp(row->method, engine->method) == 0) &&
        (!engine || strcmp(row->variant, engine->variant) == 0) && (!query || strcmp(row->parameter, query) == 0))
      return row;
  }
  return NULL;
}

/* The engines that answered any query. */
static size_t list_engines(const bench_report *report, const bench_row *engines[MOST_ENGINES]) {
  size_t count = 0;
  for (size_t i = 0; i < bench_report_count(report) && count < MOST_ENGINES; i++) {
    const bench_row *row = bench_report_row(report, i);
    if (find(report, row, NULL, row->metric) == row && strcmp(row->metric, "answer_ms") == 0)
      engines[count++] = row;
  }
  return count;
}

static rdx_status print_query(const bench *b, uint32_t q, const bench_row *const *engines, size_t count,
                              rdx_error *err) {
  uint64_t selected = 0, rows = 0;
  char name[8];
  const rdx_status status = ssb_star_count(b->star, q, &selected, &rows, err);
  if (status != RDX_OK)
    return status;
  snprintf(name, sizeof name, "Q%s", ssb_queries[q].name);
  printf("%-5s %9" PRIu64 " %7" PRIu64, name, selected, rows);
  for (size_t k = 0; k < count; k++) {
    const bench_row *row = find(b->report, engines[k], name, "answer_ms");
    char text[32] = "-"; /* cannot answer it here */
    if (row)
      snprintf(text, sizeof text, "%.3f", row->median);
    printf(" %12s", text);
  }
  printf("  all equal\n"); /* else the measurement had failed */
  return RDX_OK;
}

rdx_status bench_demo(bench *b, rdx_error *err) {
  const bench_point point = {.experiment = "demo", .parameter = ""};
  const bench_row *engines[MOST_ENGINES];
  rdx_status status = bench_rtcudb_queries(b, &point, err);
  if (status != RDX_OK || !b->star)
    return status;
  const size_t count = list_engines(b->report, engines);
  printf("The Star Schema Benchmark, %" PRIu64 " rows (scale factor %.3g), on %s: ms from call to result,\n"
         "median of %" PRIu32 " runs, each compared with looking at every row.\n\n%-5s %9s %7s",
         ssb_star_relation(b->star)->rows, b->scale_factor, b->info->name, b->options.runs, "query", "selected",
         "result");
  for (size_t k = 0; k < count; k++) {
    char name[80];
    snprintf(name, sizeof name, "%s%s%s", engines[k]->method, engines[k]->variant[0] ? ", " : "", engines[k]->variant);
    printf(" %12s", name);
  }
  printf("  answers\n");
  for (uint32_t q = 0; q < SSB_QUERIES && status == RDX_OK; q++)
    status = print_query(b, q, engines, count, err);
  return status;
}
