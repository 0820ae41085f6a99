/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* RTScan over the scan attributes of a cube. */

#include "star/method/rt_filter.h"

#include "kernels/bitmap/kernels.h"
#include "kernels/primitives/kernels.h"
#include "scan/evaluate.h"

/* ---- Preparing ---- */

static rdx_status reorder(const rdx_cube_core *core, const rdx_buffer *codes, const rdx_buffer *order, uint32_t bits,
                          rdx_buffer **out, rdx_error *err) {
  RDX_SCOPED(rdx_stream_destroy) rdx_stream *stream = NULL;
  RDX_TRY(rdx_buffer_create(core->device, core->rows * bits / 8, "the codes of a scan", out, err));
  RDX_TRY(rdx_stream_create_for(core->device, "build", &stream, err));
  RDX_TRY(rdx_primitive_gather(stream, RDX_ADDRESS(uint32_t, codes), order, bits, *out, core->rows, err));
  return rdx_stream_finish(stream, err);
}

/* A scan attribute as a column in the order of the cube. NULL is a code like others there. */
static rdx_status make_column(const rdx_cube_core *core, const rdx_cube_rows *rows, uint32_t number,
                              rdx_encoded_column *out, rdx_error *err) {
  const rdx_encoded_column *attribute = &core->relation->attributes[number];
  const uint32_t bytes = rdx_tuples_code_bytes(attribute);
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *codes = NULL;
  *out = (rdx_encoded_column){.type = bytes == 8 ? RDX_TYPE_U64 : RDX_TYPE_U32,
                              .key_bits = 8 * bytes,
                              .rows = core->rows,
                              .largest = rdx_encoded_column_codes(attribute) - 1};
  RDX_TRY(rdx_packed_gather(core->relation, attribute, rows->joined, core->rows, bytes, &codes, err));
  if (rows->order)
    return reorder(core, codes, rows->order, out->key_bits, &out->keys, err);
  out->keys = RDX_KEEP(codes);
  return RDX_OK;
}

static rdx_status create(const rdx_cube_core *core, const rdx_cube_rows *rows, const uint32_t *attributes,
                         uint32_t count, rdx_scan *scan, rdx_error *err) {
  const rdx_scan_params params = {.method = RDX_SCAN_RTSCAN};
  RDX_TRY(rdx_calloc(count, sizeof *scan->columns, "a scan", (void **)&scan->columns, err));
  scan->stats.columns = count;
  scan->stats.rows = core->rows;
  RDX_TRY(rdx_workspace_create(core->device, rdx_bitmap_bytes(core->rows), &scan->workspace, err));
  for (uint32_t i = 0; i < count; i++)
    RDX_TRY(make_column(core, rows, attributes[i], &scan->columns[i], err));
  RDX_TRY(rdx_calloc(1, scan->ops->size, "a scan", &scan->self, err));
  RDX_TRY(scan->ops->build(scan->self, core->device, &params, scan->columns, count, &scan->stats, err));
  for (uint32_t i = 0; i < count; i++)
    rdx_buffer_destroy(&scan->columns[i].keys); /* the method keeps what it needs */
  return RDX_OK;
}

rdx_status rdx_rt_filter_create(rdx_cube_core *core, const rdx_cube_rows *rows, const uint32_t *attributes,
                                uint32_t count, rdx_error *err) {
  RDX_TRY(rdx_calloc(1, sizeof *core->filter, "a scan", (void **)&core->filter, err));
  core->filter->device = core->device;
  core->filter->ops = rdx_scan_ops_of(RDX_SCAN_RTSCAN);
  return create(core, rows, attributes, count, core->filter, err);
}

/* ---- Running ---- */

typedef struct translation {
  const rdx_scan *scan;
  const uint32_t *attributes; /* of the scan's columns */
  uint32_t attribute_count;
  rdx_arena arena;
} translation;

/* A term of an attribute as one of the scan's column, whose keys are its codes. */
static rdx_term_node translate_term(const translation *t, const rdx_term *term) {
  uint32_t column = 0;
  while (column + 1 < t->attribute_count && t->attributes[column] != term->column)
    column++;
  return (rdx_term_node){.kind = RDX_NODE_TERM, .term = {column, term->set}};
}

static rdx_status translate(translation *t, const rdx_term_node *node, rdx_term_node *out, rdx_error *err) {
  if (node->kind == RDX_NODE_TERM) {
    *out = translate_term(t, &node->term);
    return RDX_OK;
  }
  *out = (rdx_term_node){.kind = node->kind, .count = node->count};
  RDX_TRY(rdx_arena_alloc(&t->arena, node->count, sizeof *out->children, "a predicate", (void **)&out->children, err));
  for (uint32_t i = 0; i < node->count; i++)
    RDX_TRY(translate(t, &node->children[i], &out->children[i], err));
  return RDX_OK;
}

/* All terms of a plan, and the residual predicate. */
static rdx_status translate_plan(translation *t, const rdx_plan *plan, rdx_term_node *out, rdx_error *err) {
  *out = (rdx_term_node){.kind = RDX_NODE_AND};
  RDX_TRY(rdx_arena_alloc(&t->arena, (size_t)plan->term_count + 1, sizeof *out->children, "a predicate",
                          (void **)&out->children, err));
  for (uint32_t i = 0; i < plan->term_count; i++)
    out->children[out->count++] = translate_term(t, &plan->terms[i]);
  if (plan->residual)
    RDX_TRY(translate(t, plan->residual, &out->children[out->count++], err));
  if (out->count == 0)
    out->kind = RDX_NODE_TRUE;
  else if (out->count == 1)
    *out = out->children[0];
  return RDX_OK;
}

static rdx_status evaluate(translation *t, const rdx_term_node *node, rdx_stream *stream, rdx_buffer *bitmap,
                           rdx_scan_counts *counts, double *device_ms, rdx_error *err) {
  RDX_SCOPED(rdx_scan_evaluation_end)
  rdx_scan_evaluation e = {.scan = t->scan, .stream = stream, .arena = &t->arena, .counts = counts};
  RDX_TRY(rdx_stream_mark(stream, err));
  RDX_TRY(rdx_scan_evaluate(&e, node, bitmap, err));
  if (!counts)
    RDX_TRY(rdx_stream_mark(stream, err));
  RDX_TRY(rdx_stream_finish(stream, err));
  if (!counts) /* counting finishes the stream on the way */
    *device_ms += e.device_ms + rdx_stream_elapsed(stream, 0, 1);
  return RDX_OK;
}

static void drop(translation *t) {
  rdx_arena_free(&t->arena);
}

/* RTCUDB, Figure 4 "The execution of RTScan". */
/* RTCUDB, section 6.5 "RTScan transmits its execution result to RTCUDB in the form of a bit vector". */
rdx_status rdx_rt_filter_run(const rdx_cube_core *core, const uint32_t *attributes, uint32_t count, rdx_cube_run *run,
                             rdx_error *err) {
  const rdx_scan *scan = core->filter;
  rdx_query_counts *counts = run->call->counts;
  rdx_scan_counts own = {0};
  RDX_SCOPED(drop) translation t = {.scan = scan, .attributes = attributes, .attribute_count = count};
  RDX_SCOPED(rdx_stream_destroy) rdx_stream *stream = NULL;
  rdx_term_node node;
  if (!scan)
    return RDX_OK;
  RDX_TRY(translate_plan(&t, run->call->plan, &node, err));
  RDX_TRY(rdx_workspace_take_stream(scan->workspace, &stream, err));
  RDX_TRY(rdx_stream_begin(stream, "query", err));
  RDX_TRY(rdx_workspace_take_bitmap(scan->workspace, &run->bits, err));
  RDX_TRY(evaluate(&t, &node, stream, run->bits, counts ? &own : NULL, &run->call->device_ms, err));
  if (counts) {
    counts->rays += own.rays;
    counts->hits += own.intersections;
    counts->bytes += own.bytes;
  }
  rdx_workspace_give_stream(scan->workspace, &stream);
  return RDX_OK;
}
