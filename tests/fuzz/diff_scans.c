/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors
 *
 * Scans, with every method. */

#include "diff.h"

#include <inttypes.h>

#define MAX_COLUMNS 6

static rdx_build_preference random_build(void) {
  return chance(60) ? RDX_BUILD_DEFAULT : (rdx_build_preference)below(RDX_BUILD_LOW_MEMORY + 1);
}

static uint32_t or_default(unsigned percent, uint32_t given) {
  return chance(percent) ? 0 : given;
}

static void random_rtscan(rdx_rtscan_params *p, uint64_t rows) {
  p->vectors = or_default(50, 1 + (uint32_t)magnitude(chance(90) ? 100 : 1024));
  p->derived = chance(20) ? RDX_SWITCH_OFF : RDX_SWITCH_DEFAULT;
  p->planes = p->derived == RDX_SWITCH_OFF ? 0 : or_default(50, 1 + (uint32_t)below(6));
  p->group = (uint32_t)below(4);
  p->encoding = chance(10) ? RDX_SWITCH_OFF : RDX_SWITCH_DEFAULT;
  p->insist = p->encoding != RDX_SWITCH_OFF && chance(20);
  if (p->encoding != RDX_SWITCH_OFF) { /* else lengths are in values, and short ones take long */
    const uint64_t min = rows / 64 + 1;
    p->cube_width = or_default(60, (uint32_t)(min + magnitude(2 * rows + 4)));
    p->ray_length = or_default(60, (uint32_t)(min + magnitude(2 * rows + 4)));
  }
  p->interval_percent = or_default(60, 20 + (uint32_t)below(81));
  p->spaced = chance(20) ? RDX_SWITCH_OFF : RDX_SWITCH_DEFAULT;
  p->spacing_percent = p->spaced == RDX_SWITCH_OFF ? 0 : or_default(60, 20 + (uint32_t)below(81));
  p->negative = chance(20) ? RDX_SWITCH_OFF : RDX_SWITCH_DEFAULT;
  p->rows_per_box = or_default(50, 1 + (uint32_t)magnitude(256));
  p->build = random_build();
}

static rdx_scan_params random_params(uint64_t rows) {
  rdx_scan_params p = {.method = (rdx_scan_method)below(RDX_SCAN_METHODS)};
  if (chance(15))
    return p;
  if (p.method == RDX_SCAN_AUTO && chance(40)) {
    p.among.bindex = chance(50);
    p.among.btree = chance(30);
    p.among.rtindex = chance(30);
    p.among.rtc1 = chance(30);
    p.among.rtc3 = chance(30);
    p.among.rtscan = chance(50);
  }
  if (p.method == RDX_SCAN_BINDEX || p.among.bindex)
    p.bindex.vectors = or_default(30, 1 + (uint32_t)magnitude(1024));
  if (p.method == RDX_SCAN_BTREE || p.among.btree)
    p.btree.published = chance(50);
  if (p.method == RDX_SCAN_RTC1 || p.among.rtc1)
    p.rtc1.rays = or_default(40, 1 + (uint32_t)magnitude(chance(95) ? 500 : 20000));
  if (p.method == RDX_SCAN_RTC1 || p.method == RDX_SCAN_RTINDEX)
    p.rtc1.build = random_build();
  if (p.method == RDX_SCAN_RTC3 || p.among.rtc3) {
    p.rtc3.group = (uint32_t)below(4);
    p.rtc3.insist = chance(20);
    p.rtc3.rays = or_default(60, 2 + (uint32_t)magnitude(60));
    p.rtc3.rows_per_box = or_default(50, 1 + (uint32_t)magnitude(256));
    p.rtc3.build = random_build();
  }
  if (p.method == RDX_SCAN_RTSCAN || p.among.rtscan)
    random_rtscan(&p.rtscan, rows);
  return p;
}

static void note_params(const rdx_scan_params *p) {
  note("scan %s, among %d%d%d%d%d%d, bindex %u, btree %d, rtc1 %u %d, rtc3 group %u rays %u box %u build %d\n"
       "rtscan vectors %u planes %u,%d group %u cube %u ray %u interval %u spacing %u,%d encoding %d negative %d "
       "box %u build %d\n",
       rdx_scan_method_name(p->method), p->among.bindex, p->among.btree, p->among.rtindex, p->among.rtc1, p->among.rtc3,
       p->among.rtscan, p->bindex.vectors, p->btree.published, p->rtc1.rays, p->rtc1.build, p->rtc3.group, p->rtc3.rays,
       p->rtc3.rows_per_box, p->rtc3.build, p->rtscan.vectors, p->rtscan.planes, p->rtscan.derived, p->rtscan.group,
       p->rtscan.cube_width, p->rtscan.ray_length, p->rtscan.interval_percent, p->rtscan.spacing_percent,
       p->rtscan.spaced, p->rtscan.encoding, p->rtscan.negative, p->rtscan.rows_per_box, p->rtscan.build);
}

static void destroy_scan(void *object) {
  rdx_scan *scan = object;
  rdx_scan_destroy(&scan);
}

static void destroy_result(void *object) {
  rdx_scan_result *result = object;
  rdx_scan_result_destroy(&result);
}

static void check(const rdx_scan_view *got, const rdx_predicate *p, const rdx_column *columns, uint64_t rows) {
  uint64_t count = 0;
  if (got->rows != rows)
    wrong("the result is of %" PRIu64 " rows", got->rows);
  for (uint64_t row = 0; row < rows; row++) {
    const bool holds = predicate_truth(p, columns, NULL, row) == 1;
    if (got->kind == RDX_SCAN_BITMAP && (got->bitmap[row / 32] >> row % 32 & 1) != holds)
      wrong("bitmap: row %" PRIu64 " is %d", row, !holds);
    if (got->kind == RDX_SCAN_ROWS && holds && (count >= got->count || got->row[count] != row))
      wrong("row %" PRIu64 " is missing, or one before it too much", row);
    count += holds;
  }
  if (got->count != count)
    wrong("%" PRIu64 " rows, expected %" PRIu64, got->count, count);
  if (got->kind == RDX_SCAN_BITMAP && rows % 32 && got->bitmap[rows / 32] >> rows % 32)
    wrong("bitmap: bits past the last row");
}

/* Rays that options multiply beyond what there are rows for. */
static void refuse_costly_options(const rdx_scan_params *p, refusal *r) {
  if (p->rtscan.cube_width || p->rtscan.ray_length || p->rtscan.interval_percent || p->rtscan.spacing_percent ||
      p->rtscan.encoding == RDX_SWITCH_OFF || p->rtc3.rays)
    may_refuse(r, RDX_ERROR_UNSUPPORTED, "options that cost too many rays");
}

static void run(const rdx_scan *scan, const rdx_scan_params *options, const pool *pools, const rdx_column *columns,
                uint32_t count) {
  refusal r = {0};
  const rdx_predicate *p = predicate_make(pools, count, &r);
  const bool understood = !r.may;
  refuse_costly_options(options, &r);
  const rdx_scan_run_params params = {.result = (rdx_scan_result_kind)below(3), .stats = chance(10)};
  note("result %d, stats %d: ", params.result, params.stats);
  predicate_note(p);
  note("\n");
  const rdx_predicate *asked = understood && chance(20) ? predicate_by_sql(p, columns) : p;
  rdx_scan_result *result = NULL;
  rdx_scan_view got;
  rdx_error err = {""};
  if (!passed("scan", rdx_scan_run(scan, asked, &params, &result, &err), &err, &r))
    return;
  at_end(destroy_result, result);
  passed("reading a result", rdx_scan_result_view(result, &got, &err), &err, NULL);
  if (got.kind != params.result)
    wrong("the result is of kind %d", got.kind);
  check(&got, p, columns, columns[0].rows);
}

void scans_case(void) {
  const uint64_t rows = random_rows(diff_slow ? 800 : 2000, diff_slow ? 0 : 100000);
  const uint32_t count = 1 + (uint32_t)magnitude(MAX_COLUMNS);
  pool pools[MAX_COLUMNS];
  rdx_column columns[MAX_COLUMNS], views[MAX_COLUMNS];
  for (uint32_t i = 0; i < count; i++) {
    const rdx_type type = random_type(chance(50) ? TYPES_ALL : TYPES_KEYS);
    const uint64_t distinct = chance(30) ? rows : 1 + magnitude(rows + 1);
    pools[i] = pool_make(type, distinct, chance(20));
    columns[i] = pool_column(&pools[i], rows, random_nulls());
    views[i] = maybe_upload(&columns[i]);
    static const char *const names[MAX_COLUMNS] = {"#0", "#1", "#2", "#3", "#4", "#5"};
    watch(names[i], &columns[i]);
  }
  const rdx_scan_params params = random_params(rows);
  note_params(&params);
  rdx_scan *scan = NULL;
  rdx_error err = {""};
  refusal r = {0};
  refuse_costly_options(&params, &r);
  if (!passed("preparing a scan", rdx_scan_create(diff_device, views, count, &params, &scan, &err), &err, &r))
    return;
  at_end(destroy_scan, scan);
  for (uint64_t calls = rows > 10000 ? 2 : 1 + below(8); calls > 0; calls--)
    run(scan, &params, pools, columns, count);
}
