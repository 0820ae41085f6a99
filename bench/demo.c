/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* raydex-bench demo: the same lookups by rays and by binary search, checked against each other and against what the
 * generator knows. */

#include "bench/bench.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static double median_of(const bench_report *report, const char *experiment, const char *method, const char *variant,
                        const char *metric) {
  for (size_t i = 0; i < bench_report_count(report); i++) {
    const bench_row *row = bench_report_row(report, i);
    if (strcmp(row->experiment, experiment) == 0 && strcmp(row->method, method) == 0 &&
        strcmp(row->variant, variant) == 0 && strcmp(row->metric, metric) == 0)
      return row->median;
  }
  return 0;
}

rdx_status bench_demo(bench *b, rdx_error *err) {
  static const bench_contender contenders[] = {
      {"", {.kind = RDX_INDEX_RX}},   {"fast build", {.kind = RDX_INDEX_RX, .rx.build = RDX_BUILD_FAST_BUILD}},
      {"", {.kind = RDX_INDEX_CGRX}}, {"", {.kind = RDX_INDEX_SORTED_ARRAY}},
      {"", {.kind = RDX_INDEX_TREE}},
  };
  enum { COUNT = sizeof contenders / sizeof *contenders };
  const uint32_t log_ranges = b->log_probes > 5 ? b->log_probes - 5 : 0; /* 131,072 for 4 million points */
  const bench_spec points = {.log_rows = b->log_keys, .log_probes = b->log_probes};
  const bench_spec ranges = {.log_rows = b->log_keys, .log_probes = log_ranges, .range = 16};
  const bench_point point = {"demo-points", "", 0}, range = {"demo-ranges", "", 0};
  printf("%" PRIu64 " keys, %" PRIu64 " point lookups and %" PRIu64 " range lookups of %" PRIu64
         " rows each,\nsumming a column over the rows found, on %s.\n\n",
         (uint64_t)1 << b->log_keys, (uint64_t)1 << b->log_probes, (uint64_t)1 << log_ranges, ranges.range,
         b->info->name);
  fflush(stdout);
  b->options.runs = 1;
  rdx_status status = bench_measure(b, &point, &points, contenders, COUNT, BENCH_LOOKUPS | BENCH_BUILDS, err);
  if (status == RDX_OK)
    status = bench_measure(b, &range, &ranges, contenders, COUNT, BENCH_LOOKUPS, err);
  if (status != RDX_OK)
    return status;
  printf("%-24s %10s %8s %12s %12s  %s\n", "method", "build ms", "B/key", "points Ml/s", "ranges Ml/s", "checked");
  for (size_t i = 0; i < COUNT; i++) {
    const char *method = rdx_index_kind_name(contenders[i].params.kind), *variant = contenders[i].variant;
    const double point_ms = median_of(b->report, "demo-points", method, variant, "lookup_ms");
    const double range_ms = median_of(b->report, "demo-ranges", method, variant, "lookup_ms");
    char name[64];
    snprintf(name, sizeof name, "%s%s%s", method, variant[0] ? ", " : "", variant);
    if (point_ms == 0 || range_ms == 0) {
      printf("%-24s does not run on this device\n", name);
      continue;
    }
    printf("%-24s %10.1f %8.1f %12.2f %12.3f  %s\n", name,
           median_of(b->report, "demo-points", method, variant, "build_ms"),
           median_of(b->report, "demo-points", method, variant, "bytes_resident") / (double)(1ull << b->log_keys),
           (double)(1ull << b->log_probes) / point_ms / 1e3, (double)(1ull << log_ranges) / range_ms / 1e3,
           "all answers equal");
  }
  return RDX_OK;
}
