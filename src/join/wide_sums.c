/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

#include "join/wide_sums.h"

#include "column/device_column.h"
#include "column/keys.h"

/* The values of a device column, and which of them are not NULL (NULL: all are not), in memory of the halves. */
static rdx_status download(const rdx_device_column *d, rdx_wide_sums *out, const uint64_t **values,
                           const uint8_t **validity, rdx_error *err) {
  const uint64_t words = (d->rows + 31) / 32;
  RDX_TRY(rdx_alloc(d->rows, 8, "a value column", &out->memory[1], err));
  RDX_TRY(rdx_buffer_download(d->keys, 0, out->memory[1], d->rows * 8, err));
  rdx_keys_decode(d->type, out->memory[1], d->rows, out->memory[1]); /* of 8 bytes each, too */
  *values = out->memory[1];
  if (!d->valid)
    return RDX_OK;
  RDX_TRY(rdx_alloc(words, 4, "a value column", &out->memory[2], err));
  RDX_TRY(rdx_buffer_download(d->valid, 0, out->memory[2], words * 4, err));
  *validity = out->memory[2];
  return RDX_OK;
}

static rdx_status make(const rdx_column *values, rdx_wide_sums *out, rdx_error *err) {
  const rdx_device_column *d = values->device;
  const uint64_t rows = d ? d->rows : values->rows, *all = values->values;
  const rdx_type type = d ? d->type : values->type, high_type = type == RDX_TYPE_U64 ? RDX_TYPE_U32 : RDX_TYPE_I32;
  const uint8_t *validity = values->validity;
  if (d)
    RDX_TRY(download(d, out, &all, &validity, err));
  RDX_TRY(rdx_alloc(2 * rows, 4, "a value column", &out->memory[0], err));
  uint32_t *const low = out->memory[0], *const high = low + rows;
  for (uint64_t i = 0; i < rows; i++) {
    low[i] = (uint32_t)all[i];
    high[i] = (uint32_t)(all[i] >> 32);
  }
  out->sum_type = type;
  out->sum_scale = d ? d->scale : values->scale;
  out->columns[0] = (rdx_column){.type = RDX_TYPE_U32, .rows = rows, .values = low, .validity = validity};
  out->columns[1] = (rdx_column){.type = high_type, .rows = rows, .values = high, .validity = validity};
  return RDX_OK;
}

rdx_status rdx_wide_sums_make(const rdx_column *values, rdx_wide_sums *out, rdx_error *err) {
  *out = (rdx_wide_sums){0};
  const rdx_status status = make(values, out, err);
  if (status != RDX_OK)
    rdx_wide_sums_free(out);
  return status;
}

void rdx_wide_sums_free(rdx_wide_sums *sums_of_halves) {
  for (uint32_t i = 0; i < RDX_COUNT(sums_of_halves->memory); i++)
    rdx_free(sums_of_halves->memory[i]);
  *sums_of_halves = (rdx_wide_sums){0};
}
