/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Columns on the device as keys, and what these range over. */

#include "column/encoded_column.h"

#include "column/device_column.h"
#include "kernels/column_scan/kernels.h"

/* Codes of strings: their places in a dictionary. */
static rdx_status code_strings(rdx_device *device, const rdx_device_column *column, rdx_encoded_column *out,
                               rdx_error *err) {
  const rdx_column text = rdx_device_column_text(column);
  RDX_SCOPED(rdx_free_local) uint32_t *codes = NULL;
  RDX_TRY(rdx_alloc(text.rows, 4, "the codes of strings", (void **)&codes, err));
  RDX_TRY(rdx_dictionary_create(&text, codes, &out->dictionary, err));
  RDX_TRY(rdx_buffer_create(device, text.rows * 4, "the codes of strings", &out->keys, err));
  return rdx_buffer_upload(out->keys, 0, codes, text.rows * 4, err);
}

static rdx_status check_largest(const rdx_device *device, const rdx_encoded_column *c, rdx_error *err) {
  const uint64_t last = c->dictionary ? c->dictionary->count - 1ull : UINT64_MAX >> (64 - c->key_bits);
  return rdx_returned_number(device, c->largest, 0, c->nulls < c->rows ? last : 0, "the largest code of a column", err);
}

/* Take in what the blocks range over. */
static rdx_status sum_up(const rdx_device *device, rdx_encoded_column *c, const uint64_t *zones, uint64_t blocks,
                         rdx_error *err) {
  c->smallest = UINT64_MAX;
  c->largest = 0;
  double spans = 0, filled = 0;
  for (uint64_t i = 0; i < blocks; i++) {
    const uint64_t low = zones[2 * i], high = zones[2 * i + 1];
    if (low > high)
      continue;
    c->smallest = low < c->smallest ? low : c->smallest;
    c->largest = high > c->largest ? high : c->largest;
    spans += (double)(high - low);
    filled++;
  }
  if (c->smallest > c->largest || c->nulls == c->rows) /* it has no code */
    return rdx_returned_number(device, c->smallest <= c->largest, c->nulls < c->rows, c->nulls < c->rows,
                               "whether a column has codes", err);
  c->clustered = filled > 1 && spans / filled < 0.5 * (double)(c->largest - c->smallest);
  return check_largest(device, c, err);
}

static rdx_status find_bounds(rdx_device *device, rdx_encoded_column *c, rdx_error *err) {
  const uint64_t blocks = (c->rows + BLOCK_ROWS - 1) / BLOCK_ROWS;
  const uint32_t key64 = c->key_bits == 64;
  RDX_SCOPED(rdx_free_local) uint64_t *zones = NULL;
  double ms = 0;
  RDX_TRY(rdx_buffer_create(device, blocks * 16, "the zones of a column", &c->zones, err));
  const struct column_bounds_args args = {.keys = RDX_ADDRESS(uint32_t, c->keys),
                                          .valid = RDX_ADDRESS(uint32_t, c->valid),
                                          .zones = RDX_ADDRESS(uint64_t, c->zones),
                                          .rows = (uint32_t)c->rows};
  RDX_TRY(rdx_launch_timed(device, &rdx_kernel_column_bounds, &args, &key64, blocks, "build", &ms, err));
  RDX_TRY(rdx_alloc(blocks, 16, "the zones of a column", (void **)&zones, err));
  RDX_TRY(rdx_buffer_download(c->zones, 0, zones, blocks * 16, err));
  return sum_up(device, c, zones, blocks, err);
}

/* Strings of a host dictionary: their places are codes as they are, so that only these go to the device. */
static rdx_status use_places(rdx_device *device, const rdx_column *column, rdx_encoded_column *out, rdx_error *err) {
  const rdx_column places = {
      .type = RDX_TYPE_U32, .rows = column->rows, .values = column->values, .validity = column->validity};
  const rdx_column none = {.type = RDX_TYPE_STRING, .dictionary = column->dictionary};
  RDX_TRY(rdx_encoded_column_create(device, &places, out, err));
  out->type = RDX_TYPE_STRING;
  RDX_TRY(rdx_dictionary_create(&none, NULL, &out->dictionary, err));
  return check_largest(device, out, err);
}

rdx_status rdx_encoded_column_create(rdx_device *device, const rdx_column *column, rdx_encoded_column *out,
                                     rdx_error *err) {
  const rdx_device_column *d = NULL;
  RDX_SCOPED(rdx_device_column_destroy) rdx_device_column *owned = NULL;
  if (column->type == RDX_TYPE_STRING && column->dictionary && !column->device && column->rows > 0)
    return use_places(device, column, out, err);
  RDX_TRY(rdx_device_column_use(device, column, &d, &owned, err));
  *out = (rdx_encoded_column){
      .type = d->type, .scale = d->scale, .key_bits = d->key_bits, .rows = d->rows, .nulls = d->nulls};
  if (d->valid)
    out->valid = rdx_buffer_retain(d->valid);
  if (d->type == RDX_TYPE_STRING) {
    out->key_bits = 32;
    RDX_TRY(code_strings(device, d, out, err));
  } else {
    out->keys = rdx_buffer_retain(d->keys);
  }
  return find_bounds(device, out, err);
}

void rdx_encoded_column_share(const rdx_encoded_column *column, rdx_encoded_column *out) {
  *out = *column;
  rdx_buffer_retain(out->codes);
  if (out->values)
    rdx_buffer_retain(out->values);
  if (out->dictionary)
    rdx_dictionary_retain(out->dictionary);
}

void rdx_encoded_column_drop(rdx_encoded_column *c) {
  rdx_dictionary_destroy(&c->dictionary);
  RDX_DESTROY_BUFFERS(&c->keys, &c->valid, &c->zones, &c->codes, &c->values);
  *c = (rdx_encoded_column){0};
}

rdx_status rdx_encoded_columns_retain(const rdx_encoded_column *columns, uint32_t count, rdx_encoded_column **out,
                                      rdx_error *err) {
  RDX_TRY(rdx_calloc(count, sizeof **out, "the columns of a scan", (void **)out, err));
  for (uint32_t i = 0; i < count; i++) {
    (*out)[i] = columns[i];
    rdx_buffer_retain(columns[i].keys);
    if (columns[i].valid)
      rdx_buffer_retain(columns[i].valid);
  }
  return RDX_OK;
}

void rdx_encoded_columns_release(rdx_encoded_column *columns, uint32_t count) {
  for (uint32_t i = 0; columns && i < count; i++)
    RDX_DESTROY_BUFFERS(&columns[i].keys, &columns[i].valid);
  rdx_free(columns);
}
