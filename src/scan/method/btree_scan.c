/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* A B+-tree for each column (the baseline "GPU B-Tree" of RTScan, section 5.1): a term is a range of leaves, whose rows
 * are set in a bitmap, and the columns' bitmaps are intersected. The trees are those of lookups. */

#include "index/index.h"
#include "kernels/bitmap/kernels.h"
#include "scan/scan.h"

typedef struct tree {
  void *self;           /* of rdx_btree_ops */
  uint32_t entry_bytes; /* of a key and its row */
  uint64_t smallest, largest;
} tree;

typedef struct trees {
  bool published;
  uint32_t count;
  uint64_t rows;
  tree *list;
} trees;

static const rdx_index_params index_params = {.method = RDX_INDEX_BTREE};

/* ---- Preparing ---- */

static uint64_t estimate(const rdx_device *device, RDX_UNUSED const rdx_scan_params *params,
                         const rdx_encoded_column *columns, uint32_t count) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < count; i++)
    bytes += rdx_btree_ops.estimate(device, &index_params, columns[i].rows, columns[i].key_bits);
  return bytes;
}

static void destroy(void *self) {
  trees *t = self;
  for (uint32_t i = 0; i < t->count; i++) {
    if (t->list[i].self)
      rdx_btree_ops.destroy(t->list[i].self);
    rdx_free(t->list[i].self);
  }
  rdx_free(t->list);
}

static rdx_status build_tree(rdx_device *device, const rdx_encoded_column *column, tree *out, rdx_scan_stats *stats,
                             rdx_error *err) {
  const rdx_device_column keys = {.device = device,
                                  .type = column->type,
                                  .rows = column->rows,
                                  .nulls = column->nulls,
                                  .key_bits = column->key_bits,
                                  .keys = column->keys,
                                  .valid = column->valid};
  rdx_index_stats built = {0};
  RDX_SCOPED(rdx_key_set_destroy) rdx_key_set set = {0};
  out->entry_bytes = column->key_bits / 8 + 4;
  out->smallest = column->smallest;
  out->largest = column->largest;
  RDX_TRY(rdx_calloc(1, rdx_btree_ops.size, "a B+-tree", &out->self, err));
  RDX_TRY(rdx_key_set_create(device, &keys, &set, err));
  RDX_TRY(rdx_btree_ops.build(out->self, &set, &index_params, &built, err));
  stats->bytes_table += built.bytes_resident;
  return RDX_OK;
}

static rdx_status build_trees(rdx_device *device, const rdx_encoded_column *columns, uint32_t count, trees *t,
                              rdx_scan_stats *stats, rdx_error *err) {
  RDX_TRY(rdx_calloc(count, sizeof *t->list, "B+-trees", (void **)&t->list, err));
  t->count = count;
  for (uint32_t i = 0; i < count; i++)
    RDX_TRY(build_tree(device, &columns[i], &t->list[i], stats, err));
  return RDX_OK;
}

/* RTScan, section 5.1 "GPU B-Tree". */
static rdx_status build(void *self, rdx_device *device, const rdx_scan_params *params,
                        const rdx_encoded_column *columns, uint32_t count, rdx_scan_stats *stats, rdx_error *err) {
  const double start = rdx_now_ms();
  trees *t = self;
  t->published = params->btree.published;
  t->rows = columns[0].rows;
  RDX_TRY(build_trees(device, columns, count, t, stats, err));
  stats->table_ms += rdx_now_ms() - start;
  stats->encode_ms += rdx_now_ms() - start;
  return RDX_OK;
}

/* ---- Evaluating ---- */

static rdx_status scan_column(const trees *t, rdx_stream *stream, const rdx_term *term, rdx_buffer *out,
                              rdx_error *err) {
  RDX_TRY(rdx_stream_fill(stream, out, 0, out->size, 0, err));
  for (uint32_t i = 0; i < term->set.count; i++) {
    const rdx_index_range_scan range = {
        .low = term->set.list[i].low, .high = term->set.list[i].high, .walkers = t->published ? 1 : 0, .bits = out};
    RDX_TRY(rdx_btree_ops.scan(t->list[term->column].self, stream, &range, err));
  }
  return RDX_OK;
}

/* Entries of leaves, of all rows that each term qualifies. */
static double work(const void *self, const rdx_term *terms, uint32_t count) {
  const trees *t = self;
  double bytes = 0;
  for (uint32_t i = 0; i < count; i++) {
    const tree *one = &t->list[terms[i].column];
    bytes += one->entry_bytes * rdx_term_selectivity(&terms[i], one->smallest, one->largest);
  }
  return bytes * (double)t->rows;
}

/* RTScan, section 5.1 "perform scans on the columns separately and then merge their results". */
static rdx_status evaluate(const void *self, rdx_stream *stream, rdx_scan_call *call, rdx_scan_counts *counts,
                           rdx_error *err) {
  const trees *t = self;
  rdx_buffer *one = NULL;
  if (call->narrow || call->count > 1)
    RDX_TRY(rdx_stream_scratch(stream, call->out->size, "the rows of a column", &one, err));
  for (uint32_t i = 0; i < call->count; i++) {
    const bool merged = call->narrow || i > 0;
    RDX_TRY(scan_column(t, stream, &call->terms[i], merged ? one : call->out, err));
    if (merged)
      RDX_TRY(rdx_bitmap_combine(stream, BITMAP_AND, call->out, one, t->rows, err));
  }
  if (counts)
    counts->bytes += (uint64_t)work(t, call->terms, call->count) + call->count * ((t->rows + 7) / 8);
  return RDX_OK;
}

const rdx_scan_ops rdx_btree_scan_ops = {
    .name = "btree_scan",
    .size = sizeof(trees),
    .estimate = estimate,
    .build = build,
    .evaluate = evaluate,
    .work = work,
    .destroy = destroy,
};
