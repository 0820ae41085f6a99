/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The sorted array: keys in order beside their rows (RTIndeX, section 4.1, "SA"). */

#include "index/index.h"
#include "kernels/refine/kernels.h"
#include "kernels/sorted_array/kernels.h"

typedef struct sorted_array {
  uint32_t key_bits;
  uint64_t count;
  rdx_buffer *keys, *rows;
} sorted_array;

static void destroy(void *self) {
  sorted_array *s = self;
  rdx_buffer_destroy(&s->keys);
  rdx_buffer_destroy(&s->rows);
  rdx_free(s);
}

/* The input's size again while sorting, and the sorted arrays themselves. */
static uint64_t estimate(const rdx_device *device, const rdx_index_params *params, uint64_t count, uint32_t key_bits) {
  (void)device, (void)params;
  return 2 * count * (key_bits / 8 + 4);
}

static rdx_status sort(sorted_array *s, const rdx_key_set *keys, rdx_index_stats *stats, rdx_error *err) {
  rdx_stream *stream = NULL;
  rdx_buffer *distinct = NULL;
  uint64_t count = 0;
  RDX_TRY(rdx_stream_create(keys->device, &stream, err));
  rdx_status status = rdx_buffer_create(keys->device, 8, "a count", &distinct, err);
  if (status == RDX_OK)
    status = rdx_stream_mark(stream, err);
  if (status == RDX_OK)
    status = rdx_stream_copy(stream, keys->keys, 0, s->keys, 0, s->count * s->key_bits / 8, err);
  if (status == RDX_OK)
    status = keys->rows ? rdx_stream_copy(stream, keys->rows, 0, s->rows, 0, s->count * 4, err)
                        : rdx_refine_iota(stream, s->rows, s->count, err);
  if (status == RDX_OK)
    status = rdx_stream_sort(stream, s->keys, s->key_bits / 8, s->key_bits, s->rows, s->count, err);
  if (status == RDX_OK)
    status = rdx_stream_unique(stream, s->keys, s->key_bits / 8, 0, NULL, distinct, s->count, err);
  if (status == RDX_OK)
    status = rdx_stream_mark(stream, err);
  if (status == RDX_OK)
    status = rdx_stream_finish(stream, err);
  if (status == RDX_OK)
    status = rdx_buffer_download(distinct, 0, &count, sizeof count, err);
  if (status == RDX_OK) {
    stats->sort_ms = rdx_stream_elapsed(stream, 0, 1);
    stats->distinct = count == s->count;
    stats->bytes_resident = s->keys->size + s->rows->size;
  }
  rdx_buffer_destroy(&distinct);
  rdx_stream_destroy(&stream);
  return status;
}

static rdx_status build(const rdx_key_set *keys, const rdx_index_params *params, rdx_index_stats *stats, void **out,
                        rdx_error *err) {
  (void)params;
  sorted_array *s = NULL;
  RDX_TRY(rdx_calloc(1, sizeof *s, "a sorted array", (void **)&s, err));
  s->key_bits = keys->key_bits;
  s->count = keys->count;
  rdx_status status = rdx_buffer_create(keys->device, s->count * s->key_bits / 8, "the sorted keys", &s->keys, err);
  if (status == RDX_OK)
    status = rdx_buffer_create(keys->device, s->count * 4, "the sorted rows", &s->rows, err);
  if (status == RDX_OK)
    status = sort(s, keys, stats, err);
  if (status != RDX_OK) {
    destroy(s);
    return status;
  }
  *out = s;
  return RDX_OK;
}

static rdx_status query(const void *self, rdx_stream *stream, const rdx_query *q, rdx_error *err) {
  const sorted_array *s = self;
  const struct sorted_array_args args = {.lower = q->lower,
                                         .upper = q->upper,
                                         .valid = q->valid,
                                         .values = q->values,
                                         .values_valid = q->values_valid,
                                         .out_count = q->out_count,
                                         .out_first = q->out_first,
                                         .out_sum = q->out_sum,
                                         .offsets = q->offsets,
                                         .out_rows = q->out_rows,
                                         .keys = RDX_ADDRESS(uint32_t, s->keys),
                                         .rows = RDX_ADDRESS(uint32_t, s->rows),
                                         .n = (uint32_t)s->count};
  const uint32_t variant[SORTED_ARRAY_CONSTANTS] = {s->key_bits == 64, q->gather, q->value};
  return rdx_stream_launch(stream, &rdx_kernel_sorted_array, &args, variant, q->count, NULL, err);
}

const rdx_index_ops rdx_sorted_array_ops = {
    .name = "sorted_array",
    .estimate = estimate,
    .build = build,
    .query = query,
    .destroy = destroy,
    .rows_in_order = true,
};
