/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Packed codes of a column back to its values. */

#include "column/encoded_column.h"

#include <string.h>

#include "column/keys.h"

/* ---- Strings ---- */

/* Strings that are all short are copied as if they had the most bytes, one over the end of another. */
static rdx_status copy_short(const rdx_dictionary *d, const uint64_t *codes, uint64_t count, uint64_t *offsets,
                             char *text, rdx_error *err) {
  uint64_t at = 0;
  for (uint64_t i = 0; i < count; i++) {
    RDX_TRY(rdx_loop_goes_on(i, count, "result", err));
    offsets[i] = at;
    if (codes[i] < d->count) {
      const uint64_t *from = d->offsets + codes[i];
      memcpy(text + at, d->bytes + from[0], RDX_DICTIONARY_SPARE);
      at += from[1] - from[0];
    }
  }
  offsets[count] = at;
  return RDX_OK;
}

static rdx_status make_strings(const rdx_dictionary *d, const uint64_t *codes, uint64_t count, rdx_arena *arena,
                               rdx_column *out, rdx_error *err) {
  const bool are_short = d->longest <= RDX_DICTIONARY_SPARE;
  uint64_t *offsets = NULL, bytes = 0;
  char *text = NULL;
  RDX_TRY(rdx_arena_alloc(arena, count + 1, 8, "the strings of a result", (void **)&offsets, err));
  for (uint64_t i = 0; i < count && !are_short; i++) {
    RDX_TRY(rdx_loop_goes_on(i, count, "result", err));
    offsets[i] = bytes;
    bytes += codes[i] < d->count ? d->offsets[codes[i] + 1] - d->offsets[codes[i]] : 0;
  }
  offsets[count] = bytes;
  RDX_TRY(rdx_arena_alloc(arena, are_short ? (count + 1) * RDX_DICTIONARY_SPARE : bytes, 1, "the strings of a result",
                          (void **)&text, err));
  if (are_short)
    RDX_TRY(copy_short(d, codes, count, offsets, text, err));
  for (uint64_t i = 0; i < count && !are_short; i++) {
    RDX_TRY(rdx_loop_goes_on(i, count, "result", err));
    if (offsets[i + 1] > offsets[i])
      memcpy(text + offsets[i], d->bytes + d->offsets[codes[i]], offsets[i + 1] - offsets[i]);
  }
  out->offsets = offsets;
  out->values = text;
  return RDX_OK;
}

/* ---- Values ---- */

#define DECODED 256 /* codes at a time */
#define PIECE 16384 /* of them for a thread */

typedef struct decoding {
  const rdx_encoded_column *column;
  const uint64_t *codes;
  char *values;
  uint8_t *validity; /* NULL: there are no NULLs */
} decoding;

/* NULLs get the value 0. */
static void decode_values(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  const decoding *d = context;
  const rdx_type type = d->column->type;
  const uint64_t zero = rdx_key_zero(type), size = rdx_type_size(type);
  uint64_t keys[DECODED];
  for (uint64_t first = begin, n; first < end; first += n) {
    n = end - first < DECODED ? end - first : DECODED;
    for (uint64_t i = 0; i < n; i++)
      keys[i] = d->codes[first + i] < d->column->count ? rdx_encoded_column_key(d->column, d->codes[first + i]) : zero;
    rdx_keys_decode(type, keys, n, d->values + first * size);
  }
}

static void decode_validity(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  const decoding *d = context;
  memset(d->validity + begin / 8, 0, (end - begin + 7) / 8);
  for (uint64_t i = begin; i < end; i++)
    d->validity[i / 8] |= (uint8_t)((d->codes[i] < d->column->count) << i % 8);
}

static rdx_status make_values(decoding *d, uint64_t count, rdx_arena *arena, rdx_column *out, rdx_error *err) {
  RDX_TRY(rdx_arena_alloc(arena, count, rdx_type_size(d->column->type), "the values of a result", (void **)&d->values,
                          err));
  out->values = d->values;
  return rdx_device_run_stage_on_host(d->column->codes->device, count, PIECE, decode_values, d, "query", err);
}

static rdx_status make_validity(decoding *d, uint64_t count, rdx_arena *arena, rdx_column *out, rdx_error *err) {
  RDX_TRY(rdx_arena_alloc(arena, (count + 7) / 8, 1, "the NULL bits of a result", (void **)&d->validity, err));
  out->validity = d->validity;
  return rdx_device_run_stage_on_host(d->column->codes->device, count, PIECE, decode_validity, d, "query", err);
}

rdx_status rdx_encoded_column_values(const rdx_encoded_column *column, const uint64_t *codes, uint64_t count,
                                     bool nulls, rdx_arena *arena, rdx_column *out, rdx_error *err) {
  *out = (rdx_column){.type = column->type, .scale = column->scale, .rows = count};
  decoding d = {.column = column, .codes = codes};
  if (nulls)
    RDX_TRY(make_validity(&d, count, arena, out, err));
  return column->type == RDX_TYPE_STRING ? make_strings(column->dictionary, codes, count, arena, out, err)
                                         : make_values(&d, count, arena, out, err);
}
