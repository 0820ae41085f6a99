/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The sorted array: keys in order beside their rows (RTIndeX, section 4.1, "SA"). */

#include "index/sorted_keys.h"
#include "kernels/sorted_array/kernels.h"

typedef struct sorted_array {
  rdx_sorted_keys sorted;
  uint32_t lanes;
} sorted_array;

static void destroy(void *self) {
  sorted_array *s = self;
  rdx_sorted_keys_destroy(&s->sorted);
  rdx_free(s);
}

static uint64_t estimate(const rdx_device *device, const rdx_index_params *params, uint64_t count, uint32_t key_bits) {
  (void)device, (void)params;
  return rdx_sorted_keys_estimate(count, key_bits);
}

static rdx_status build(const rdx_key_set *keys, const rdx_index_params *params, rdx_index_stats *stats, void **out,
                        rdx_error *err) {
  uint32_t lanes = params->sorted_array.lanes ? params->sorted_array.lanes : 1;
  if (lanes > 32 || (lanes & (lanes - 1)) != 0)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "sorted_array: %u lanes are not 1, 2, 4, 8, 16 or 32", lanes);
  while (lanes > 1 && lanes > keys->device->info.threads) /* of a subgroup; the CPU's body takes none together */
    lanes /= 2;
  sorted_array *s = NULL;
  RDX_TRY(rdx_calloc(1, sizeof *s, "a sorted array", (void **)&s, err));
  s->lanes = lanes;
  rdx_status status = rdx_sorted_keys_create(keys, &s->sorted, stats, err);
  if (status != RDX_OK) {
    destroy(s);
    return status;
  }
  stats->bytes_resident = s->sorted.keys->size + s->sorted.rows->size;
  *out = s;
  return RDX_OK;
}

static rdx_status query(const void *self, rdx_stream *stream, const rdx_query *q, rdx_error *err) {
  const sorted_array *array = self;
  const rdx_sorted_keys *s = &array->sorted;
  const struct sorted_array_args args = {RDX_LOOKUP_FIELDS(q), .keys = RDX_ADDRESS(uint32_t, s->keys),
                                         .rows = RDX_ADDRESS(uint32_t, s->rows), .n = (uint32_t)s->count};
  const uint32_t variant[SORTED_ARRAY_CONSTANTS] = {s->key_bits == 64, q->gather, q->value, array->lanes};
  return rdx_stream_launch(stream, &rdx_kernel_sorted_array, &args, variant, q->count, NULL, err);
}

static rdx_row_layout rows(const void *self) {
  return (rdx_row_layout){.words = ((const sorted_array *)self)->sorted.rows, .block_words = 8, .step = 1};
}

const rdx_index_ops rdx_sorted_array_ops = {
    .name = "sorted_array",
    .estimate = estimate,
    .build = build,
    .query = query,
    .rows = rows,
    .destroy = destroy,
    .rows_in_order = true,
};
