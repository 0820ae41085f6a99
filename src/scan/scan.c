/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Scans: preparing, running, results. */

#include "scan/scan.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/options.h"
#include "column/column.h"
#include "column/derived.h"
#include "kernels/bitmap/kernels.h"
#include "scan/evaluate.h"

/* The table of methods. */
extern const rdx_scan_ops rdx_column_scan_ops, rdx_bindex_ops, rdx_btree_scan_ops, rdx_scan_rtindex_ops, rdx_rtc1_ops,
    rdx_rtc3_ops, rdx_rtscan_ops;

static const rdx_scan_ops *const methods[] = {
    [RDX_SCAN_COLUMN] = &rdx_column_scan_ops, [RDX_SCAN_BINDEX] = &rdx_bindex_ops,
    [RDX_SCAN_BTREE] = &rdx_btree_scan_ops,   [RDX_SCAN_RTINDEX] = &rdx_scan_rtindex_ops,
    [RDX_SCAN_RTC1] = &rdx_rtc1_ops,          [RDX_SCAN_RTC3] = &rdx_rtc3_ops,
    [RDX_SCAN_RTSCAN] = &rdx_rtscan_ops,
};

_Static_assert(RDX_COUNT(methods) == RDX_SCAN_METHODS, "a method is not counted");

const rdx_scan_ops *rdx_scan_ops_of(rdx_scan_method method) {
  return methods[method];
}

rdx_status rdx_scan_check_tracing(const rdx_scan_ops *ops, const rdx_device *device, rdx_error *err) {
  return ops->traces_rays ? rdx_device_check_tracing(device, ops->name, err) : RDX_OK;
}

/* ---- Names ---- */

const char *rdx_scan_method_name(rdx_scan_method method) {
  if (method == RDX_SCAN_AUTO)
    return "auto";
  return (size_t)method < RDX_COUNT(methods) && methods[method] ? methods[method]->name : "unknown";
}

rdx_status rdx_scan_method_from_name(const char *name, rdx_scan_method *out, rdx_error *err) {
  const char *names[RDX_SCAN_METHODS];
  uint32_t number = 0;
  if (!name || !out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_scan_method_from_name: name and out must not be NULL");
  for (uint32_t i = 0; i < RDX_SCAN_METHODS; i++)
    names[i] = rdx_scan_method_name((rdx_scan_method)i);
  RDX_TRY(rdx_method_find(names, RDX_SCAN_METHODS, "scan method", name, &number, err));
  *out = (rdx_scan_method)number;
  return RDX_OK;
}

/* ---- Preparing ---- */

/* Device bytes that columns take before a method is asked. */
static uint64_t estimate_columns(const rdx_column *columns, uint32_t count) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < count; i++) {
    const rdx_column *c = &columns[i];
    const uint64_t codes = c->type == RDX_TYPE_STRING ? 12 : rdx_type_size(c->type) == 8 ? 8 : 4;
    if (!c->device)
      bytes += c->rows * codes + (c->validity ? c->rows / 8 : 0);
    else if (c->type == RDX_TYPE_STRING)
      bytes += c->rows * 4;
  }
  return bytes;
}

static rdx_status check_columns(const rdx_column *columns, uint32_t count, rdx_error *err) {
  for (uint32_t i = 0; i < count; i++) {
    RDX_TRY(rdx_rows_check("a scan", columns[i].rows, err));
    RDX_TRY(rdx_column_check(&columns[i], "a column of a scan", err));
    if (columns[i].rows != columns[0].rows)
      return rdx_fail(err, RDX_ERROR_ARGUMENT, "the columns of a scan have different lengths: %llu and %llu rows",
                      (unsigned long long)columns[0].rows, (unsigned long long)columns[i].rows);
  }
  return RDX_OK;
}

static rdx_status prepare(rdx_scan *scan, const rdx_column *columns, uint32_t count, const rdx_scan_params *params,
                          rdx_error *err) {
  rdx_device *device = scan->device;
  const double start = rdx_now_ms();
  char what[96];
  snprintf(what, sizeof what, "preparing a scan of %u columns of %llu rows", count,
           (unsigned long long)columns[0].rows);
  RDX_TRY(rdx_device_expect(device, estimate_columns(columns, count), what, "use fewer rows or columns", err));
  for (uint32_t i = 0; i < count; i++)
    RDX_TRY(rdx_encoded_column_create(device, &columns[i], &scan->columns[i], err));
  const uint64_t need = scan->ops->estimate(device, params, scan->columns, count) + rdx_bitmap_bytes(columns[0].rows);
  snprintf(what, sizeof what, "preparing %s for %u columns of %llu rows", scan->ops->name, count,
           (unsigned long long)columns[0].rows);
  RDX_TRY(rdx_device_expect(device, need, what, "use fewer rows or columns, or another method", err));
  scan->stats.encode_ms = rdx_now_ms() - start;
  RDX_TRY(rdx_calloc(1, scan->ops->size, "a scan", &scan->self, err));
  return scan->ops->build(scan->self, device, params, scan->columns, count, &scan->stats, err);
}

/* What only preparing needed. */
static void drop_keys(rdx_scan *scan) {
  for (uint32_t i = 0; i < scan->stats.columns; i++)
    RDX_DESTROY_BUFFERS(&scan->columns[i].keys, &scan->columns[i].zones);
}

static rdx_status create(rdx_scan *scan, const rdx_column *columns, uint32_t count, const rdx_scan_params *params,
                         rdx_error *err) {
  rdx_device *device = scan->device;
  RDX_TRY(rdx_calloc(count, sizeof *scan->columns, "a scan", (void **)&scan->columns, err));
  scan->stats.columns = count;
  scan->stats.rows = columns[0].rows;
  RDX_TRY(rdx_workspace_create(device, rdx_bitmap_bytes(columns[0].rows), &scan->workspace, err));
  const uint64_t used = atomic_load(&device->memory_used);
  atomic_store(&device->memory_mark, used);
  RDX_TRY(prepare(scan, columns, count, params, err));
  scan->stats.bytes_peak = atomic_load(&device->memory_mark) - used;
  drop_keys(scan);
  scan->stats.bytes_resident = atomic_load(&device->memory_used) - used;
  return RDX_OK;
}

/* RTScan, section 7 "When data is updated, the BVH tree should be rebuilt". */
rdx_status rdx_scan_create(rdx_device *device, const rdx_column *columns, uint32_t count, const rdx_scan_params *params,
                           rdx_scan **out, rdx_error *err) {
  static const rdx_scan_params defaults = {0};
  if (!device || !columns || count == 0 || !out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_scan_create: device, columns and out must not be NULL, nor count 0");
  const double start = rdx_now_ms();
  rdx_scan_params used = params ? *params : defaults;
  const bool choice = used.method == RDX_SCAN_AUTO && rdx_scan_is_choice(&used);
  if (used.method == RDX_SCAN_AUTO && !choice)
    used.method = RDX_SCAN_COLUMN;
  if ((size_t)used.method >= RDX_COUNT(methods))
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "unknown scan method %d", (int)used.method);
  RDX_TRY(rdx_scan_check_options(params ? params : &defaults, err));
  const rdx_scan_ops *ops = choice ? &rdx_scan_auto_ops : methods[used.method];
  RDX_TRY(rdx_scan_check_tracing(ops, device, err));
  RDX_TRY(check_columns(columns, count, err));
  RDX_SCOPED(rdx_scan_destroy) rdx_scan *scan = NULL;
  RDX_TRY(rdx_calloc(1, sizeof *scan, "a scan", (void **)&scan, err));
  scan->device = device;
  scan->ops = ops;
  scan->stats.method = used.method;
  RDX_TRY(create(scan, columns, count, &used, err));
  scan->stats.total_ms = rdx_now_ms() - start;
  *out = RDX_KEEP(scan);
  return RDX_OK;
}

void rdx_scan_destroy(rdx_scan **scan) {
  if (!scan || !*scan)
    return;
  rdx_scan *s = *scan;
  if (s->self)
    s->ops->destroy(s->self);
  rdx_free(s->self);
  for (uint32_t i = 0; i < s->stats.columns; i++)
    rdx_encoded_column_drop(&s->columns[i]);
  rdx_free(s->columns);
  rdx_workspace_destroy(&s->workspace);
  rdx_free(s);
  *scan = NULL;
}

void rdx_scan_get_stats(const rdx_scan *scan, rdx_scan_stats *out) {
  *out = scan ? scan->stats : (rdx_scan_stats){0};
}

uint32_t rdx_scan_borders(const rdx_scan *scan, uint32_t column, const uint32_t **out) {
  static const uint32_t none[1];
  *out = none;
  if (!scan || !scan->ops->borders || column >= scan->stats.columns || scan->stats.rows == 0)
    return 0;
  return scan->ops->borders(scan->self, column, out);
}

/* ---- Running ---- */

struct rdx_scan_result {
  const rdx_scan *scan;
  rdx_scan_result_kind kind;
  rdx_scan_run_stats stats;
  bool counted; /* `count` is known */
  uint64_t count;
  rdx_buffer *total;  /* one u64 */
  rdx_buffer *bitmap; /* BITMAP */
  rdx_buffer *rows;   /* ROWS */
  uint32_t *host_bitmap, *host_rows;
  uint64_t host_bytes; /* of both */
};

/* A run at work. */
typedef struct run {
  const rdx_scan *scan;
  const rdx_predicate *predicate;
  rdx_arena arena;
  rdx_scan_evaluation evaluation;
  rdx_stream *stream;
  rdx_buffer *bitmap;
} run;

static rdx_status read_count(rdx_scan_result *result, rdx_error *err) {
  if (result->counted)
    return RDX_OK;
  RDX_TRY(rdx_buffer_number(result->total, 0, 0, result->scan->stats.rows, "the rows of a scan", &result->count, err));
  result->counted = true;
  return RDX_OK;
}

/* How many rows there are must be known before they have a buffer. */
static rdx_status select_rows(run *r, rdx_scan_result *result, rdx_error *err) {
  char what[64];
  RDX_TRY(read_count(result, err));
  snprintf(what, sizeof what, "the %llu rows that qualify take", (unsigned long long)result->count);
  RDX_TRY(
      rdx_device_expect_host(r->scan->device, result->count * 4, what, "ask for their number, or for a bitmap", err));
  RDX_TRY(rdx_buffer_create(r->scan->device, result->count * 4, "row numbers", &result->rows, err));
  if (result->count == 0)
    return RDX_OK;
  RDX_TRY(rdx_stream_mark(r->stream, err));
  RDX_TRY(rdx_stream_select(r->stream, r->bitmap, result->rows, result->total, r->scan->stats.rows, err));
  return rdx_stream_finish_timed(r->stream, &result->stats.device_ms, err);
}

/* The same again, counting; what it finds is the same, too. */
static rdx_status count_work(run *r, const rdx_term_node *node, rdx_scan_result *result, rdx_error *err) {
  rdx_scan_counts counts = {0};
  r->evaluation.counts = &counts;
  RDX_TRY(rdx_scan_evaluate(&r->evaluation, node, r->bitmap, err));
  RDX_TRY(rdx_stream_finish(r->stream, err));
  result->stats.rays = counts.rays;
  result->stats.rays_hit = counts.rays_hit;
  result->stats.hits = counts.intersections;
  result->stats.refined = counts.refined;
  result->stats.bytes = counts.bytes;
  result->stats.methods |= counts.methods;
  result->stats.group = counts.group;
  result->stats.reduced = counts.reduced;
  result->stats.transform_ms = counts.transform_ms;
  result->stats.sieve_ms = counts.sieve_ms;
  result->stats.refine_ms = counts.refine_ms;
  result->stats.merge_ms = counts.merge_ms;
  memcpy(result->stats.predicted_ms, counts.predicted_ms, sizeof counts.predicted_ms);
  return RDX_OK;
}

static rdx_status run_all(run *r, const rdx_scan_run_params *params, rdx_scan_result *result, rdx_error *err) {
  const rdx_scan *scan = r->scan;
  const double start = rdx_now_ms();
  rdx_term_node node;
  RDX_TRY(rdx_predicate_normalize(scan->columns, scan->stats.columns, RDX_DOMAIN_KEYS, r->predicate, &r->arena, &node,
                                  err));
  RDX_TRY(rdx_workspace_take_stream(scan->workspace, &r->stream, err));
  RDX_TRY(rdx_stream_begin(r->stream, "scan", err));
  RDX_TRY(rdx_workspace_take_bitmap(scan->workspace, &r->bitmap, err));
  RDX_TRY(rdx_workspace_take_count(scan->workspace, &result->total, err));
  r->evaluation = (rdx_scan_evaluation){.scan = scan, .stream = r->stream, .arena = &r->arena, .total = result->total};
  RDX_TRY(rdx_stream_mark(r->stream, err));
  RDX_TRY(rdx_scan_evaluate(&r->evaluation, &node, r->bitmap, err));
  result->stats.device_ms = r->evaluation.device_ms;
  if (!r->evaluation.counted)
    RDX_TRY(rdx_bitmap_count(r->stream, r->bitmap, scan->stats.rows, result->total, err));
  RDX_TRY(rdx_stream_finish_timed(r->stream, &result->stats.device_ms, err));
  if (params->result == RDX_SCAN_ROWS)
    RDX_TRY(select_rows(r, result, err));
  result->stats.total_ms = rdx_now_ms() - start;
  return params->stats ? count_work(r, &node, result, err) : RDX_OK;
}

static void end(run *r) {
  rdx_stream_destroy(&r->stream); /* what it has recorded must not run */
  rdx_scan_evaluation_end(&r->evaluation);
  rdx_workspace_give_bitmap(r->scan->workspace, &r->bitmap);
  rdx_arena_free(&r->arena);
}

rdx_status rdx_scan_run(const rdx_scan *scan, const rdx_predicate *predicate, const rdx_scan_run_params *params,
                        rdx_scan_result **out, rdx_error *err) {
  static const rdx_scan_run_params defaults = {0};
  if (!scan || !predicate || !out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_scan_run: scan, predicate and out must not be NULL");
  const rdx_scan_run_params *p = params ? params : &defaults;
  if (p->result < RDX_SCAN_COUNT || p->result > RDX_SCAN_BITMAP)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "unknown scan result %d", (int)p->result);
  RDX_SCOPED(rdx_scan_result_destroy) rdx_scan_result *result = NULL;
  RDX_TRY(rdx_calloc(1, sizeof *result, "a result", (void **)&result, err));
  result->scan = scan;
  result->kind = p->result;
  result->stats.methods = scan->stats.method == RDX_SCAN_AUTO ? 0 : 1u << scan->stats.method;
  RDX_SCOPED(end) run r = {.scan = scan, .predicate = predicate};
  RDX_TRY(run_all(&r, p, result, err));
  rdx_workspace_give_stream(scan->workspace, &r.stream);
  if (p->result == RDX_SCAN_BITMAP)
    result->bitmap = RDX_KEEP(r.bitmap);
  *out = RDX_KEEP(result);
  return RDX_OK;
}

/* ---- Results ---- */

static rdx_status read_words(rdx_scan_result *result, const rdx_buffer *buffer, uint64_t count, uint32_t **out,
                             rdx_error *err) {
  rdx_device *device = result->scan->device;
  RDX_SCOPED(rdx_free_local) uint32_t *words = NULL;
  uint64_t bytes = 0;
  if (*out)
    return RDX_OK;
  RDX_TRY(rdx_device_grow_host(device, (void **)&words, 0, count, sizeof *words, "the rows of a scan", &bytes, err));
  const rdx_status status = rdx_buffer_download(buffer, 0, words, bytes, err);
  if (status == RDX_OK)
    *out = RDX_KEEP(words);
  else
    rdx_device_release_host(device, bytes);
  result->host_bytes += *out ? bytes : 0;
  return status;
}

/* The rows are no longer the result's. */
static uint32_t *give_rows(rdx_scan_result *result) {
  const uint64_t bytes = result->count * sizeof *result->host_rows;
  uint32_t *rows = result->host_rows;
  rdx_device_release_host(result->scan->device, bytes);
  result->host_bytes -= bytes;
  result->host_rows = NULL;
  return rows;
}

static rdx_status read_rows(rdx_scan_result *result, rdx_error *err) {
  if (result->host_rows)
    return RDX_OK;
  RDX_TRY(read_words(result, result->rows, result->count, &result->host_rows, err));
  const rdx_status status = rdx_returned_rows(result->scan->device, result->host_rows, result->count,
                                              result->scan->stats.rows, "a row of a scan", err);
  if (status != RDX_OK)
    rdx_free(give_rows(result));
  return status;
}

rdx_status rdx_scan_result_take_rows(rdx_scan_result *result, uint32_t **out, rdx_error *err) {
  RDX_TRY(read_count(result, err));
  RDX_TRY(read_rows(result, err));
  *out = give_rows(result);
  return RDX_OK;
}

rdx_status rdx_scan_result_view(rdx_scan_result *result, rdx_scan_view *out, rdx_error *err) {
  if (!result || !out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_scan_result_view: result and out must not be NULL");
  const uint64_t rows = result->scan->stats.rows;
  RDX_TRY(read_count(result, err));
  if (result->kind == RDX_SCAN_ROWS)
    RDX_TRY(read_rows(result, err));
  if (result->kind == RDX_SCAN_BITMAP)
    RDX_TRY(read_words(result, result->bitmap, (rows + 31) / 32, &result->host_bitmap, err));
  *out = (rdx_scan_view){.kind = result->kind,
                         .rows = rows,
                         .count = result->count,
                         .row = result->host_rows,
                         .bitmap = result->host_bitmap};
  return RDX_OK;
}

rdx_status rdx_scan_result_column(const rdx_scan_result *result, rdx_device_column **out, rdx_error *err) {
  if (!result || !out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_scan_result_column: result and out must not be NULL");
  if (result->kind != RDX_SCAN_ROWS)
    return rdx_fail(err, RDX_ERROR_ARGUMENT,
                    "rdx_scan_result_column: only RDX_SCAN_ROWS gives row numbers; for a bitmap there is "
                    "rdx_scan_result_filter()");
  return rdx_device_column_of_rows(result->rows, result->count, false, out, err);
}

rdx_status rdx_scan_result_filter(const rdx_scan_result *result, const rdx_column *column, rdx_device_column **out,
                                  rdx_error *err) {
  const rdx_device_column *used = NULL;
  RDX_SCOPED(rdx_device_column_destroy) rdx_device_column *owned = NULL;
  if (!result || !column || !out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_scan_result_filter: result, column and out must not be NULL");
  if (result->kind != RDX_SCAN_BITMAP)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_scan_result_filter: the scan must be run for RDX_SCAN_BITMAP");
  if (column->rows != result->scan->stats.rows)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_scan_result_filter: the column has %llu rows, the scanned table %llu",
                    (unsigned long long)column->rows, (unsigned long long)result->scan->stats.rows);
  RDX_TRY(rdx_column_check(column, "rdx_scan_result_filter: the column", err));
  RDX_TRY(rdx_device_column_use(result->scan->device, column, &used, &owned, err));
  return rdx_device_column_filter(used, result->bitmap, out, err);
}

void rdx_scan_result_get_stats(const rdx_scan_result *result, rdx_scan_run_stats *out) {
  *out = result ? result->stats : (rdx_scan_run_stats){0};
}

void rdx_scan_result_destroy(rdx_scan_result **result) {
  if (!result || !*result)
    return;
  rdx_scan_result *r = *result;
  rdx_workspace_give_count(r->scan->workspace, &r->total);
  rdx_workspace_give_bitmap(r->scan->workspace, &r->bitmap);
  rdx_buffer_destroy(&r->rows);
  rdx_device_release_host(r->scan->device, r->host_bytes);
  RDX_FREE_ALL(r->host_bitmap, r->host_rows, r);
  *result = NULL;
}
