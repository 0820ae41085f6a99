/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

#include "join/weighted_sums.h"

#include "column/device_column.h"
#include "column/keys.h"

static rdx_status find_type(const rdx_device_column *values, rdx_weighted_sum *out, rdx_error *err) {
  out->scale = values->scale;
  switch (values->type) {
  case RDX_TYPE_BOOL:
  case RDX_TYPE_I8:
  case RDX_TYPE_I16:
  case RDX_TYPE_I32:
  case RDX_TYPE_I64:
    out->type = RDX_TYPE_I64;
    return RDX_OK;
  case RDX_TYPE_U8:
  case RDX_TYPE_U16:
  case RDX_TYPE_U32:
  case RDX_TYPE_U64:
    out->type = RDX_TYPE_U64;
    return RDX_OK;
  case RDX_TYPE_DECIMAL:
    out->type = RDX_TYPE_DECIMAL;
    return RDX_OK;
  default:
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED,
                    "values of type %s are added by an index over their own side: leave the mapping out",
                    rdx_type_name(values->type));
  }
}

/* Codes less the code of 0 are the values. */
static void add(const rdx_device_column *values, const void *codes, const uint32_t *valid, const uint32_t *counts,
                rdx_weighted_sum *out) {
  const uint64_t zero = rdx_key_zero(values->type);
  for (uint64_t i = 0; i < values->rows; i++) {
    if (counts[i] == 0 || (valid && (valid[i / 32] >> i % 32 & 1u) == 0))
      continue;
    const uint64_t code = values->key_bits == 64 ? ((const uint64_t *)codes)[i] : ((const uint32_t *)codes)[i];
    out->sum += ((rdx_i128)code - (rdx_i128)zero) * counts[i];
    out->count += counts[i];
  }
}

static rdx_status add_column(const rdx_device_column *values, const uint32_t *counts, rdx_weighted_sum *out,
                             rdx_error *err) {
  const uint64_t bytes = values->rows * (values->key_bits / 8), words = (values->rows + 31) / 32;
  RDX_SCOPED(rdx_free_local) uint32_t *valid = NULL;
  RDX_SCOPED(rdx_free_local) void *codes = NULL;
  RDX_TRY(rdx_alloc(values->rows, values->key_bits / 8, "the values of a join", &codes, err));
  RDX_TRY(rdx_buffer_download(values->keys, 0, codes, bytes, err));
  if (values->valid)
    RDX_TRY(rdx_alloc(words, 4, "the values of a join", (void **)&valid, err));
  if (values->valid)
    RDX_TRY(rdx_buffer_download(values->valid, 0, valid, words * 4, err));
  add(values, codes, valid, counts, out);
  return RDX_OK;
}

rdx_status rdx_weighted_sum_make(rdx_device *device, const rdx_column *values, const uint32_t *counts, uint64_t rows,
                                 rdx_weighted_sum *out, rdx_error *err) {
  const rdx_device_column *column = NULL;
  RDX_SCOPED(rdx_device_column_destroy) rdx_device_column *owned = NULL;
  *out = (rdx_weighted_sum){0};
  if (values->rows != rows)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "the value column has %llu rows, its side of the join %llu",
                    (unsigned long long)values->rows, (unsigned long long)rows);
  RDX_TRY(rdx_device_column_use(device, values, &column, &owned, err));
  RDX_TRY(find_type(column, out, err));
  return rows > 0 ? add_column(column, counts, out, err) : RDX_OK;
}
