/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The sorted array: keys in order beside their rows (RTIndeX, section 4.1, "SA"). */

#include "index/method/sorted_keys.h"
#include "kernels/primitives/kernels.h"
#include "kernels/sorted_array/kernels.h"

typedef struct sorted_array {
  rdx_sorted_keys sorted;
  uint32_t lanes;
  uint32_t stride; /* of the top */
  rdx_buffer *top; /* NULL: there is none */
} sorted_array;

static void destroy(void *self) {
  sorted_array *s = self;
  rdx_sorted_keys_destroy(&s->sorted);
  rdx_buffer_destroy(&s->top);
}

static uint64_t estimate(const rdx_device *device, RDX_UNUSED const rdx_index_params *params, uint64_t count,
                         uint32_t key_bits) {
  return rdx_sorted_keys_estimate(device, count, key_bits);
}

static rdx_status gather_top(sorted_array *s, const rdx_buffer *places, uint64_t count, rdx_error *err) {
  RDX_SCOPED(rdx_stream_destroy) rdx_stream *stream = NULL;
  RDX_TRY(
      rdx_buffer_create(places->device, count * (s->sorted.key_bits / 8), "the top of a sorted array", &s->top, err));
  RDX_TRY(rdx_stream_create_for(places->device, "build", &stream, err));
  RDX_TRY(rdx_primitive_gather(stream, RDX_ADDRESS(uint32_t, s->sorted.keys), places, s->sorted.key_bits, s->top, count,
                               err));
  return rdx_stream_finish(stream, err);
}

/* Only where threads share memory, and there are keys enough. */
static rdx_status make_top(sorted_array *s, rdx_device *device, rdx_error *err) {
  const uint64_t n = s->sorted.count;
  if (device->info.backend == RDX_BACKEND_CPU || s->lanes > 1 || n < 4 * SORTED_ARRAY_TOP)
    return RDX_OK;
  uint32_t places[SORTED_ARRAY_TOP], count = 0;
  s->stride = (uint32_t)((n + SORTED_ARRAY_TOP - 1) / SORTED_ARRAY_TOP);
  for (uint64_t end = s->stride; count == 0 || places[count - 1] < n - 1; end += s->stride)
    places[count++] = (uint32_t)((end < n ? end : n) - 1);
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *buffer = NULL;
  RDX_TRY(rdx_buffer_create(device, sizeof places, "places of the top", &buffer, err));
  RDX_TRY(rdx_buffer_upload(buffer, 0, places, sizeof *places * count, err));
  return gather_top(s, buffer, count, err);
}

static rdx_status build(void *self, const rdx_key_set *keys, const rdx_index_params *params, rdx_index_stats *stats,
                        rdx_error *err) {
  uint32_t lanes = params->sorted_array.lanes ? params->sorted_array.lanes : 1;
  if (lanes > 32 || (lanes & (lanes - 1)) != 0)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "sorted_array: %u lanes are not 1, 2, 4, 8, 16 or 32", lanes);
  RDX_TRY(rdx_check_lanes("sorted_array", keys->device, lanes, err));
  while (lanes > 1 && lanes > keys->device->info.threads) /* of a subgroup */
    lanes /= 2;
  sorted_array *s = self;
  s->lanes = lanes;
  RDX_TRY(rdx_sorted_keys_create(keys, &s->sorted, stats, err));
  RDX_TRY(make_top(s, keys->device, err));
  stats->bytes_resident = s->sorted.keys->size + s->sorted.rows->size + (s->top ? s->top->size : 0);
  return RDX_OK;
}

static rdx_status query(const void *self, rdx_stream *stream, const rdx_index_query *q, rdx_error *err) {
  const sorted_array *array = self;
  const rdx_sorted_keys *s = &array->sorted;
  const struct sorted_array_args args = {RDX_LOOKUP_FIELDS(q),
                                         .keys = RDX_ADDRESS(uint32_t, s->keys),
                                         .rows = RDX_ADDRESS(uint32_t, s->rows),
                                         .top = RDX_ADDRESS(uint32_t, array->top),
                                         .n = (uint32_t)s->count,
                                         .stride = array->stride};
  const bool key64 = s->key_bits == 64;
  const uint32_t variant[SORTED_ARRAY_CONSTANTS] = {key64, q->gather, q->value, array->lanes};
  return rdx_stream_launch(stream, key64 ? &rdx_kernel_sorted_array_u64 : &rdx_kernel_sorted_array_u32, &args, variant,
                           q->count, NULL, err);
}

static rdx_row_layout rows(const void *self) {
  return (rdx_row_layout){.words = ((const sorted_array *)self)->sorted.rows, .block_words = 8, .step = 1};
}

const rdx_index_ops rdx_sorted_array_ops = {
    .name = "sorted_array",
    .estimate = estimate,
    .size = sizeof(sorted_array),
    .build = build,
    .query = query,
    .rows = rows,
    .destroy = destroy,
    .rows_in_order = true,
    .partition_bytes = 8u << 20,
};
