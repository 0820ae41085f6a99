/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Columns on devices. */

#include "column/device_column.h"

#include <string.h>

#include "column/keys.h"

#define CHUNK (1u << 22) /* rows encoded at a time */

static uint64_t magnitude_of(int64_t value) {
  return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

/* The largest distance from 0 of an integer column's values; NULLs may make it larger. */
static uint64_t find_magnitude(const rdx_column *c) {
  uint64_t largest = 0;
  switch (c->type) {
  case RDX_TYPE_U64:
    for (uint64_t i = 0; i < c->rows; i++)
      if (((const uint64_t *)c->values)[i] > largest)
        largest = ((const uint64_t *)c->values)[i];
    return largest;
  case RDX_TYPE_I64:
  case RDX_TYPE_DECIMAL:
    for (uint64_t i = 0; i < c->rows; i++) {
      const uint64_t m = magnitude_of(((const int64_t *)c->values)[i]);
      largest = m > largest ? m : largest;
    }
    return largest;
  default:
    return UINT32_MAX; /* narrower types: 2^32 of them still fit 64 bits */
  }
}

static uint64_t count_nulls(const rdx_column *c) {
  uint64_t set = 0;
  for (uint64_t i = 0; i < c->rows / 8; i++)
    set += (uint64_t)__builtin_popcount(c->validity[i]);
  for (uint64_t i = c->rows / 8 * 8; i < c->rows; i++)
    set += c->validity[i / 8] >> (i % 8) & 1u;
  return c->rows - set;
}

typedef struct encoding {
  const rdx_column *column;
  uint64_t begin; /* row */
  uint32_t bytes;
  char *keys;
} encoding;

#define PIECE 65536 /* rows that a thread encodes at a time */

static void encode_piece(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  const encoding *e = context;
  rdx_keys_encode(e->column, e->begin + begin, end - begin, e->keys + begin * e->bytes);
}

static rdx_status upload_keys(rdx_device_column *d, const rdx_column *c, rdx_error *err) {
  const uint32_t bytes = d->key_bits / 8;
  RDX_TRY(rdx_buffer_create(d->device, c->rows * bytes, "a column", &d->keys, err));
  RDX_SCOPED(rdx_free_local) void *keys = NULL;
  if (c->type == RDX_TYPE_U32 || c->type == RDX_TYPE_U64) /* are their own keys */
    return rdx_buffer_upload(d->keys, 0, c->values, c->rows * bytes, err);
  RDX_TRY(rdx_alloc(c->rows < CHUNK ? c->rows : CHUNK, bytes, "a column", &keys, err));
  for (uint64_t done = 0; done < c->rows; done += CHUNK) {
    const uint64_t n = c->rows - done < CHUNK ? c->rows - done : CHUNK;
    encoding e = {c, done, bytes, keys};
    RDX_TRY(rdx_device_run_stage_on_host(d->device, n, PIECE, encode_piece, &e, "upload", err));
    RDX_TRY(rdx_buffer_upload(d->keys, done * bytes, keys, n * bytes, err));
    RDX_TRY(rdx_progress("upload", done + n, c->rows, err));
  }
  return RDX_OK;
}

static rdx_status upload_valid(rdx_device_column *d, const rdx_column *c, rdx_error *err) {
  d->nulls = c->validity ? count_nulls(c) : 0;
  if (d->nulls == 0)
    return RDX_OK;
  const uint64_t size = (c->rows + 31) / 32 * 4;
  RDX_SCOPED(rdx_free_local) uint8_t *bits = NULL; /* whole words, which the caller's bitmap need not fill */
  RDX_TRY(rdx_calloc(size, 1, "NULL bits", (void **)&bits, err));
  memcpy(bits, c->validity, (c->rows + 7) / 8);
  RDX_TRY(rdx_buffer_create(d->device, size, "NULL bits", &d->valid, err));
  return rdx_buffer_upload(d->valid, 0, bits, size, err);
}

/* The bytes and offsets of an ordinary column of strings. */
static rdx_status copy_strings(rdx_device_column *d, const rdx_column *c, rdx_error *err) {
  if (c->rows == 0)
    return rdx_calloc(1, 8, "a string column", (void **)&d->offsets, err);
  const uint64_t bytes = c->offsets[c->rows] - c->offsets[0];
  RDX_TRY(rdx_alloc(c->rows + 1, 8, "a string column", (void **)&d->offsets, err));
  RDX_TRY(rdx_alloc(bytes, 1, "a string column", (void **)&d->bytes, err));
  for (uint64_t i = 0; i <= c->rows; i++) {
    RDX_TRY(rdx_loop_goes_on(i, c->rows, "upload", err));
    d->offsets[i] = c->offsets[i] - c->offsets[0];
  }
  return bytes == 0 ? RDX_OK
                    : rdx_device_copy_stage_on_host(d->device, d->bytes, (const char *)c->values + c->offsets[0], bytes,
                                                    "upload", err);
}

static rdx_status copy_text(rdx_device_column *d, const rdx_column *c, rdx_error *err) {
  const rdx_column *strings = c->rows > 0 && c->dictionary ? c->dictionary : c;
  RDX_TRY(copy_strings(d, strings, err));
  if (strings != c) {
    d->dictionary =
        (rdx_column){.type = RDX_TYPE_STRING, .rows = strings->rows, .values = d->bytes, .offsets = d->offsets};
    RDX_TRY(rdx_alloc(c->rows, sizeof *d->places, "a string column", (void **)&d->places, err));
    RDX_TRY(rdx_device_copy_stage_on_host(d->device, d->places, c->values, c->rows * sizeof *d->places, "upload", err));
  }
  if (c->rows > 0 && c->validity) {
    RDX_TRY(rdx_alloc((c->rows + 7) / 8, 1, "a string column", (void **)&d->validity, err));
    memcpy(d->validity, c->validity, (c->rows + 7) / 8);
  }
  d->exact = rdx_keys_exact_prefix(c);
  return RDX_OK;
}

rdx_status rdx_device_column_create(rdx_device *device, const rdx_column *column, rdx_device_column **out,
                                    rdx_error *err) {
  if (!device || !column || !out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_device_column_create: device, column and out must not be NULL");
  if (column->device)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "the column is on a device already");
  RDX_TRY(rdx_column_check(column, "the column", err));
  RDX_SCOPED(rdx_device_column_destroy) rdx_device_column *d = NULL;
  RDX_TRY(rdx_calloc(1, sizeof *d, "a column", (void **)&d, err));
  d->device = device;
  d->type = column->type;
  d->scale = column->scale;
  d->rows = column->rows;
  d->key_bits = rdx_key_bits(column->type);
  d->magnitude = find_magnitude(column);
  RDX_TRY(upload_keys(d, column, err));
  RDX_TRY(upload_valid(d, column, err));
  if (column->type == RDX_TYPE_STRING)
    RDX_TRY(copy_text(d, column, err));
  *out = RDX_KEEP(d);
  return RDX_OK;
}

rdx_status rdx_device_column_copy_text(const rdx_device_column *column, rdx_device_column **out, rdx_error *err) {
  const rdx_column text = rdx_device_column_text(column);
  RDX_SCOPED(rdx_device_column_destroy) rdx_device_column *d = NULL;
  RDX_TRY(rdx_calloc(1, sizeof *d, "a string column", (void **)&d, err));
  d->device = column->device;
  d->type = column->type;
  d->rows = column->rows;
  RDX_TRY(copy_text(d, &text, err));
  *out = RDX_KEEP(d);
  return RDX_OK;
}

rdx_column rdx_device_column_view(const rdx_device_column *column) {
  if (!column)
    return (rdx_column){0};
  return (rdx_column){.type = column->type, .scale = column->scale, .rows = column->rows, .device = column};
}

rdx_column rdx_device_column_text(const rdx_device_column *column) {
  return (rdx_column){.type = column->type,
                      .rows = column->rows,
                      .values = column->places ? (const void *)column->places : column->bytes,
                      .offsets = column->places ? NULL : column->offsets,
                      .validity = column->validity,
                      .dictionary = column->places ? &column->dictionary : NULL};
}

rdx_column rdx_column_on_host(const rdx_column *column) {
  return column->device ? rdx_device_column_text(column->device) : *column;
}

uint64_t rdx_device_column_bytes(const rdx_device_column *column) {
  return (column->keys ? column->keys->size : 0) + (column->valid ? column->valid->size : 0);
}

rdx_column rdx_column_codes(const rdx_column *column) {
  rdx_column codes = *column;
  if (column->type == RDX_TYPE_STRING && column->dictionary) {
    codes.type = RDX_TYPE_U32;
    codes.dictionary = NULL;
  }
  return codes;
}

void rdx_device_column_destroy(rdx_device_column **column) {
  if (!column || !*column)
    return;
  rdx_device_column *d = *column;
  RDX_DESTROY_BUFFERS(&d->keys, &d->valid);
  RDX_FREE_ALL(d->offsets, d->bytes, d->places, d->validity, d);
  *column = NULL;
}

rdx_status rdx_device_column_use(rdx_device *device, const rdx_column *column, const rdx_device_column **out,
                                 rdx_device_column **owned, rdx_error *err) {
  *owned = NULL;
  if (column->device) {
    if (column->device->device != device)
      return rdx_fail(err, RDX_ERROR_ARGUMENT, "the column lies on another device");
    RDX_TRY(rdx_column_check_view(column, "the column", err));
    *out = column->device;
    return RDX_OK;
  }
  RDX_TRY(rdx_device_column_create(device, column, owned, err));
  *out = *owned;
  return RDX_OK;
}
