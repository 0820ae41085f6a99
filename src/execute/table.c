/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Tables: columns as they lie, and which rows count. What of a filter is a predicate goes to a scan, the rest is
 * evaluated for the rows that are left. */

#include <string.h>

#include "execute/on_device.h"
#include "execute/predicate.h"
#include "plan/zones.h"
#include "scan/scan.h"

#define WHAT "the filter of a table"

/* A filter at work. */
typedef struct filtering {
  rdx_execution *x;
  const rdx_plan_node *node;
  rdx_operand in;
  rdx_predicate *scanned; /* parts that are predicates, by the table's place in the node */
  uint32_t scanned_count;
  rdx_bound **rest;
  uint32_t rest_count;
  bool scans;
} filtering;

/* ---- Parts ---- */

/* Whether a scan has something to look at: what is always true, or never, is no comparison of a column. */
static bool reads_column(const rdx_predicate *p) {
  bool reads = p->kind >= RDX_PREDICATE_EQ;
  for (uint32_t i = 0; i < p->child_count && !reads; i++)
    reads = reads_column(&p->children[i]);
  return reads;
}

static rdx_status split(filtering *f, const rdx_translation *t, rdx_bound *e, rdx_error *err) {
  bool found = false;
  if (f->scans)
    RDX_TRY(rdx_predicate_of(t, e, &f->scanned[f->scanned_count], &found, err));
  if (found && reads_column(&f->scanned[f->scanned_count]))
    f->scanned_count++;
  else
    f->rest[f->rest_count++] = e;
  return RDX_OK;
}

/* How it scans: by the index that there is, or as the session says. */
static void find_scan_params(const filtering *f, rdx_scan_params *out) {
  if (f->node->index && f->node->index->scans)
    memcpy(out, &f->node->index->scan, sizeof *out);
  else
    rdx_filter_scan_params(f->x->settings, out);
}

/* Whether rows that a scan finds stay on the device: an operator above takes them there. */
static bool stays(const filtering *f, double found) {
  return (f->x->feeds_device || f->x->settings->operators == RDX_OPERATORS_DEVICE) &&
         rdx_runs_on_device(f->x, (uint64_t)found);
}

/* What a scan of these columns is expected to save beside evaluation for `read` rows, and what it takes to prepare. */
static double scan_saves(const filtering *f, double read, const uint32_t *columns, uint32_t count, double *prepare_ms) {
  rdx_calibration rates;
  rdx_filter_work work;
  rdx_device_get_calibration(f->x->device, &rates);
  rdx_filter_work_of(f->node, read, columns, count, f->x->device->info.backend == RDX_BACKEND_CPU, &work);
  if (stays(f, f->node->expected_rows)) {
    work.scan.found = work.scan.evaluations = work.scan.values = 0;
    work.evaluation.moved = sizeof(uint32_t) * f->node->expected_rows;
  }
  *prepare_ms = rdx_work_ms(&rates, &work.preparation);
  return rdx_work_ms(&rates, &work.evaluation) - rdx_work_ms(&rates, &work.scan);
}

/* Whether a scan of these columns is expected to be faster than evaluation, and is there, or worth to be prepared. */
static bool scan_pays(const filtering *f, const uint32_t *columns, uint32_t count) {
  rdx_scan_params params;
  double prepare_ms = 0;
  const double saved = scan_saves(f, (double)f->node->table->rows, columns, count, &prepare_ms);
  find_scan_params(f, &params);
  return saved > 0 && rdx_catalog_scan_pays(f->x->catalog, f->node->table, columns, count, &params, saved, prepare_ms);
}

/* Whether a scan that is there is expected to be faster than evaluation for `read` rows. */
static rdx_status prefers_scan(const filtering *f, uint64_t read, bool *out, rdx_error *err) {
  uint32_t *columns = NULL, count = 0;
  rdx_scan_params params;
  double ignored = 0;
  RDX_TRY(rdx_filter_columns(f->x->arena, f->node, &columns, &count, err));
  find_scan_params(f, &params);
  *out = f->x->settings->filter == RDX_FILTER_AUTO && rdx_filter_scans(f->node->filter) &&
         scan_saves(f, (double)read, columns, count, &ignored) > 0 &&
         rdx_catalog_has_scan(f->x->catalog, f->node->table, columns, count, &params);
  return RDX_OK;
}

/* Whether a scan is to answer what it can: one that was asked for by its method, or that pays. */
static rdx_status choose_scan(filtering *f, rdx_error *err) {
  uint32_t *columns = NULL, count = 0;
  RDX_TRY(rdx_filter_columns(f->x->arena, f->node, &columns, &count, err));
  const bool asked = f->node->index || f->x->settings->filter == RDX_FILTER_SCAN;
  f->scans = count > 0 && f->x->settings->filter != RDX_FILTER_EVALUATION &&
             (asked || (rdx_filter_scans(f->node->filter) && scan_pays(f, columns, count)));
  return RDX_OK;
}

static rdx_status split_all(filtering *f, rdx_error *err) {
  rdx_column *columns = NULL;
  rdx_bound **parts = NULL;
  uint32_t count = 0;
  RDX_TRY(rdx_filter_parts(f->x, f->node->filter, &parts, &count, err));
  RDX_TRY(rdx_arena_alloc(f->x->arena, f->in.frame.count, sizeof *columns, WHAT, (void **)&columns, err));
  for (uint32_t i = 0; i < f->in.frame.count; i++)
    columns[i] = f->in.inputs[i].column;
  RDX_TRY(rdx_arena_alloc(f->x->arena, count, sizeof *f->scanned, WHAT, (void **)&f->scanned, err));
  RDX_TRY(rdx_arena_alloc(f->x->arena, count, sizeof *f->rest, WHAT, (void **)&f->rest, err));
  const rdx_translation t = {.x = f->x, .columns = columns};
  for (uint32_t i = 0; i < count; i++)
    RDX_TRY(split(f, &t, parts[i], err));
  return RDX_OK;
}

/* ---- Scans ---- */

static void note_scan(filtering *f, const rdx_scan *scan, const rdx_scan_result *result) {
  rdx_node_actuals *a = rdx_actuals_of(f->x, f->node);
  rdx_scan_stats made;
  rdx_scan_run_stats run;
  rdx_scan_get_stats(scan, &made);
  rdx_scan_result_get_stats(result, &run);
  rdx_actuals_method(a, rdx_scan_method_name(made.method));
  a->device_ms += run.device_ms;
  a->rays += run.rays;
  a->hits += run.hits;
  a->rows_read += made.rows;
  a->bytes += run.bytes;
}

/* Where many of `*count` rows are found they may stay on the device, and become the frame's there: `*done`. */
static rdx_status take_rows_there(filtering *f, rdx_scan_result *result, uint64_t *count, bool *done, rdx_error *err) {
  rdx_device_column *rows = NULL;
  RDX_SCOPED(rdx_row_list_release) rdx_row_list *list = NULL;
  RDX_TRY(rdx_scan_result_column(result, &rows, err));
  *count = rdx_device_column_view(rows).rows;
  *done = stays(f, (double)*count);
  if (!*done || *count == f->in.frame.rows) {
    rdx_device_column_destroy(&rows);
    return RDX_OK;
  }
  RDX_TRY(rdx_row_list_create_on_device(rows, f->in.frame.rows, &list, err));
  RDX_TRY(rdx_frame_choose_list(f->x->pool, &f->in.frame, list, err));
  return rdx_operand_refresh(f->x, &f->in, err);
}

/* The scan's rows become the frame's. */
static rdx_status take_rows(filtering *f, rdx_scan_result *result, rdx_error *err) {
  uint64_t count = 0;
  uint32_t *rows = NULL;
  bool done = false;
  RDX_TRY(take_rows_there(f, result, &count, &done, err));
  if (done || count == f->in.frame.rows)
    return RDX_OK;
  RDX_TRY(rdx_scan_result_take_rows(result, &rows, err));
  RDX_TRY(rdx_frame_select(f->x->pool, &f->in.frame, rows, count, err));
  return rdx_operand_refresh(f->x, &f->in, err);
}

/* The scan, with the predicate's columns numbered as it has them. */
static rdx_status open_scan(filtering *f, rdx_predicate *predicate, const rdx_scan **out, rdx_error *err) {
  const uint32_t count = f->in.frame.count;
  uint32_t *columns = NULL, *numbers = NULL, *by_place = NULL, used_count = 0;
  bool *used = NULL;
  rdx_scan_params params;
  find_scan_params(f, &params);
  RDX_TRY(rdx_arena_alloc(f->x->arena, count, sizeof *used, WHAT, (void **)&used, err));
  RDX_TRY(rdx_arena_alloc(f->x->arena, 3 * (size_t)count, sizeof *columns, WHAT, (void **)&columns, err));
  numbers = columns + count;
  by_place = numbers + count;
  memset(used, 0, count * sizeof *used);
  rdx_predicate_mark(predicate, used);
  for (uint32_t i = 0; i < count; i++)
    if (used[i])
      columns[used_count++] = f->node->table_columns[i];
  RDX_TRY(rdx_catalog_scan(f->x->catalog, f->node->table, columns, used_count, &params, out, numbers, err));
  for (uint32_t i = 0, k = 0; i < count; i++)
    by_place[i] = used[i] ? numbers[k++] : 0;
  rdx_predicate_number(predicate, by_place);
  return RDX_OK;
}

static rdx_status scan(filtering *f, rdx_error *err) {
  rdx_predicate all = {.kind = RDX_PREDICATE_AND, .children = f->scanned, .child_count = f->scanned_count};
  const rdx_scan_run_params params = {.result = RDX_SCAN_ROWS, .stats = f->x->counts};
  const rdx_scan *scan = NULL;
  RDX_SCOPED(rdx_scan_result_destroy) rdx_scan_result *result = NULL;
  RDX_TRY(open_scan(f, &all, &scan, err));
  RDX_TRY(rdx_scan_run(scan, &all, &params, &result, err));
  note_scan(f, scan, result);
  return take_rows(f, result, err);
}

/* ---- Tables ---- */

static rdx_status filter(filtering *f, rdx_error *err) {
  bool found = false;
  RDX_TRY(rdx_operand_refresh(f->x, &f->in, err));
  if (f->node->index && !f->node->index->scans) {
    RDX_TRY(rdx_index_rows(f->x, f->node, &f->in, &found, err));
    if (found)
      return RDX_OK;
  }
  RDX_TRY(choose_scan(f, err));
  RDX_TRY(split_all(f, err));
  if (f->scanned_count > 0)
    RDX_TRY(scan(f, err));
  else
    rdx_actuals_method(rdx_actuals_of(f->x, f->node), "evaluation");
  return rdx_operand_filter_all(f->x, &f->in, f->rest, f->rest_count, err);
}

_Static_assert(RDX_STRETCH == RDX_CATALOG_BLOCK, "blocks of table files are evaluated as stretches");

/* The filter, evaluated for the rows of some blocks. */
static rdx_status filter_blocks(filtering *f, const uint32_t *blocks, uint64_t count, rdx_error *err) {
  const uint64_t rows = rdx_zones_rows(f->node->table, blocks, count);
  rdx_node_actuals *a = rdx_actuals_of(f->x, f->node);
  RDX_TRY(rdx_operand_refresh(f->x, &f->in, err));
  rdx_actuals_method(a, "evaluation");
  a->rows_read += rows;
  return rdx_operand_filter_stretches(f->x, &f->in, f->node->filter, blocks, rows, err);
}

/* The few blocks that the filter has to look at; `*few` false: they are all, or an index or a scan is wanted. */
static rdx_status find_blocks(const filtering *f, uint32_t **blocks, uint64_t *count, bool *few, rdx_error *err) {
  const rdx_plan_node *n = f->node;
  const rdx_zone_filter z = {.catalog = f->x->catalog,
                             .table = n->table,
                             .columns = n->table_columns,
                             .count = n->column_count,
                             .filter = n->filter,
                             .parameters = f->x->parameters,
                             .pool = f->x->pool,
                             .text = f->x->text,
                             .arena = f->x->arena};
  *few = false;
  bool scans = false;
  if (!n->filter || n->index || f->x->settings->filter == RDX_FILTER_SCAN)
    return RDX_OK;
  RDX_TRY(rdx_zones_find(&z, blocks, count, few, err));
  if (*few)
    RDX_TRY(prefers_scan(f, rdx_zones_rows(n->table, *blocks, *count), &scans, err));
  *few = *few && !scans;
  return RDX_OK;
}

rdx_status rdx_execute_table(rdx_execution *x, const rdx_plan_node *node, rdx_frame *out, rdx_error *err) {
  filtering f = {.x = x, .node = node};
  uint32_t *blocks = NULL;
  uint64_t count = 0;
  bool few = false;
  RDX_TRY(find_blocks(&f, &blocks, &count, &few, err));
  RDX_TRY(few ? rdx_catalog_open_blocks(x->catalog, node->table, node->table_columns, node->column_count, blocks, count,
                                        err)
              : rdx_catalog_open_columns(x->catalog, node->table, node->table_columns, node->column_count, err));
  RDX_TRY(rdx_frame_create(node->column_count, node->table->rows, &f.in.frame, err));
  for (uint32_t i = 0; i < node->column_count; i++) {
    const uint32_t number = node->table_columns[i];
    f.in.frame.columns[i] = (rdx_frame_column){
        .input = {.column = node->table->columns[number].column}, .table = node->table, .number = number};
  }
  rdx_status status = RDX_OK;
  if (few)
    status = filter_blocks(&f, blocks, count, err);
  else if (node->filter)
    status = filter(&f, err);
  if (status == RDX_OK)
    *out = f.in.frame;
  else
    rdx_operand_drop(&f.in);
  return status;
}
