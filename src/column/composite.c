/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Keys of several columns as one number: what columns have, and the keys of rows. */

#include "column/composite_internal.h"

#include <string.h>

#include "base/numbers.h"
#include "column/column.h"
#include "device/search.h"

#define BLOCK 1024
#define WHAT "the keys of several columns"

void rdx_composite_destroy(rdx_composite **composite) {
  rdx_composite *c = *composite;
  if (!c)
    return;
  for (uint32_t i = 0; i < c->count; i++)
    rdx_dictionary_destroy(&c->parts[i].dictionary);
  rdx_free(c);
  *composite = NULL;
}

uint32_t rdx_composite_count(const rdx_composite *composite) {
  return composite->count;
}

void rdx_packed_keys_drop(rdx_packed_keys *keys) {
  RDX_FREE_ALL(keys->values, keys->validity);
  *keys = (rdx_packed_keys){0};
}

rdx_status rdx_packed_keys_create(const rdx_composite *c, uint64_t rows, bool nulls, rdx_packed_keys *out,
                                  rdx_error *err) {
  const bool wide = c->bits > 32;
  RDX_SCOPED(rdx_packed_keys_drop)
  rdx_packed_keys made = {.column = {.type = wide ? RDX_TYPE_U64 : RDX_TYPE_U32, .rows = rows}};
  RDX_TRY(rdx_calloc(rows, wide ? 8 : 4, WHAT, &made.values, err));
  if (nulls) {
    RDX_TRY(rdx_alloc(rows / 8 + 1, 1, WHAT, (void **)&made.validity, err));
    memset(made.validity, 0xff, rows / 8 + 1);
  }
  made.column.values = made.values;
  made.column.validity = made.validity;
  *out = RDX_KEEP(made);
  return RDX_OK;
}

/* ---- What columns have ---- */

/* Keys of rows as u64, whatever their type. */
static void encode(const rdx_column *column, uint64_t begin, uint64_t count, uint64_t *out) {
  uint32_t narrow[BLOCK];
  if (rdx_key_bits(column->type) == 64) {
    rdx_keys_encode(column, begin, count, out);
    return;
  }
  rdx_keys_encode(column, begin, count, narrow);
  for (uint64_t i = 0; i < count; i++)
    out[i] = narrow[i];
}

static uint64_t block_at(const rdx_column *column, uint64_t begin) {
  return column->rows - begin < BLOCK ? column->rows - begin : BLOCK;
}

static rdx_status find_range(const rdx_column *column, rdx_component *p, rdx_error *err) {
  uint64_t keys[BLOCK], min = UINT64_MAX, max = 0;
  for (uint64_t begin = 0; begin < column->rows; begin += BLOCK) {
    const uint64_t count = block_at(column, begin);
    RDX_TRY(rdx_loop_goes_on(begin, column->rows, "build", err));
    encode(column, begin, count, keys);
    for (uint64_t i = 0; i < count; i++) {
      if (!rdx_column_has(column, begin + i))
        continue;
      min = keys[i] < min ? keys[i] : min;
      max = keys[i] > max ? keys[i] : max;
    }
  }
  p->smallest = min <= max ? min : 0;
  p->last = min <= max ? max - min : 0;
  p->empty = min > max;
  return RDX_OK;
}

/* The codes of strings are needed once more for the keys of rows; they are found again then. */
static rdx_status number_strings(const rdx_column *column, rdx_component *p, rdx_error *err) {
  RDX_SCOPED(rdx_free_local) uint32_t *codes = NULL;
  RDX_TRY(rdx_alloc(column->rows, sizeof *codes, WHAT, (void **)&codes, err));
  RDX_TRY(rdx_dictionary_create(column, codes, &p->dictionary, err));
  p->empty = p->dictionary->count == 0;
  p->last = p->empty ? 0 : p->dictionary->count - 1;
  return RDX_OK;
}

/* Distinct keys instead of the range of keys. */
static rdx_status number_keys(const rdx_column *column, rdx_component *p, rdx_error *err) {
  RDX_SCOPED(rdx_free_local) uint64_t *keys = NULL, *distinct = NULL;
  uint64_t count = 0, kept = 0, block[BLOCK];
  RDX_TRY(rdx_alloc(2 * column->rows, sizeof *keys, WHAT, (void **)&keys, err));
  for (uint64_t begin = 0; begin < column->rows; begin += BLOCK) {
    const uint64_t size = block_at(column, begin);
    RDX_TRY(rdx_loop_goes_on(begin, column->rows, "build", err));
    encode(column, begin, size, block);
    for (uint64_t i = 0; i < size; i++)
      if (rdx_column_has(column, begin + i))
        keys[count++] = block[i];
  }
  const uint64_t *sorted = rdx_sort(keys, count, 1, 1, keys + count);
  for (uint64_t i = 0; i < count; i++)
    kept += i == 0 || sorted[i] != sorted[i - 1];
  RDX_TRY(rdx_alloc(kept, sizeof *distinct, WHAT, (void **)&distinct, err));
  kept = 0;
  for (uint64_t i = 0; i < count; i++)
    if (i == 0 || sorted[i] != sorted[i - 1])
      distinct[kept++] = sorted[i];
  p->last = kept > 0 ? kept - 1 : 0;
  return rdx_dictionary_of_keys(&distinct, kept, &p->dictionary, err);
}

static uint32_t bits_of(const rdx_component *p) {
  if (p->nulls && p->last == UINT64_MAX)
    return 65;
  return rdx_bit_length(p->last + p->nulls);
}

/* Where the bits of each column are; in all. */
static uint32_t place(rdx_composite *c) {
  uint32_t shift = 0;
  for (uint32_t i = c->count; i-- > 0;) {
    c->parts[i].bits = bits_of(&c->parts[i]);
    c->parts[i].shift = shift;
    shift += c->parts[i].bits;
  }
  return shift;
}

/* The column that takes the most bits and has no dictionary yet; NULL: all have. */
static rdx_component *find_widest(rdx_composite *c) {
  rdx_component *widest = NULL;
  for (uint32_t i = 0; i < c->count; i++)
    if (!c->parts[i].dictionary && (!widest || c->parts[i].bits > widest->bits))
      widest = &c->parts[i];
  return widest;
}

static bool has_nulls(const rdx_column *column) {
  bool nulls = false;
  for (uint64_t i = 0; column->validity && i < column->rows && !nulls; i++)
    nulls = !rdx_column_has(column, i);
  return nulls;
}

static rdx_status learn(const rdx_column *columns, rdx_composite *c, rdx_error *err) {
  for (uint32_t i = 0; i < c->count; i++) {
    rdx_component *p = &c->parts[i];
    *p = (rdx_component){.type = columns[i].type, .scale = columns[i].scale};
    p->nulls = i > 0 && has_nulls(&columns[i]);
    RDX_TRY(p->type == RDX_TYPE_STRING ? number_strings(&columns[i], p, err) : find_range(&columns[i], p, err));
  }
  rdx_component *widest = NULL;
  while ((c->bits = place(c)) > 64 && (widest = find_widest(c)))
    RDX_TRY(number_keys(&columns[widest - c->parts], widest, err));
  if (c->bits > 64)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED,
                    "the values of %u columns take %u bits, more than the 64 of a key: index fewer columns", c->count,
                    c->bits);
  return RDX_OK;
}

/* RX, section 3.2 "densely pack them into a single 64-bit integer". */
rdx_status rdx_composite_create(const rdx_column *columns, uint32_t count, rdx_composite **out, rdx_error *err) {
  if (count == 0 || count > RDX_COMPOSITE_COLUMNS)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "an index is over 1 to %d columns, not %u", RDX_COMPOSITE_COLUMNS, count);
  for (uint32_t i = 0; i < count; i++) {
    if (columns[i].device)
      return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "keys of several columns are packed of host columns");
    RDX_TRY(rdx_rows_check("an index", columns[i].rows, err));
    RDX_TRY(rdx_column_check(&columns[i], "a key column", err));
    if (columns[i].rows != columns[0].rows)
      return rdx_fail(err, RDX_ERROR_ARGUMENT, "key column %u has %llu rows and the first %llu", i,
                      (unsigned long long)columns[i].rows, (unsigned long long)columns[0].rows);
  }
  RDX_SCOPED(rdx_composite_destroy) rdx_composite *c = NULL;
  RDX_TRY(rdx_calloc(1, sizeof *c, WHAT, (void **)&c, err));
  c->count = count;
  RDX_TRY(learn(columns, c, err));
  *out = RDX_KEEP(c);
  return RDX_OK;
}

/* ---- Keys of rows ---- */

/* The code of a key that the column has. */
static uint64_t code_of(const rdx_component *p, uint64_t key) {
  return p->dictionary ? lower_bound_u64(p->dictionary->keys, 0, p->dictionary->count, key) : key - p->smallest;
}

static void put(rdx_packed_keys *out, uint64_t row, uint64_t bits) {
  if (out->column.type == RDX_TYPE_U64)
    ((uint64_t *)out->values)[row] |= bits;
  else
    ((uint32_t *)out->values)[row] |= (uint32_t)bits;
}

/* A column of one value has no bits, and so no place to shift to. */
static uint64_t at_place(const rdx_component *p, uint64_t code) {
  return p->bits > 0 ? code << p->shift : 0;
}

static rdx_status add_strings(const rdx_component *p, const rdx_column *column, rdx_packed_keys *out, rdx_error *err) {
  RDX_SCOPED(rdx_free_local) uint32_t *codes = NULL;
  rdx_dictionary *again = NULL; /* the same once more */
  RDX_TRY(rdx_alloc(column->rows, sizeof *codes, WHAT, (void **)&codes, err));
  RDX_TRY(rdx_dictionary_create(column, codes, &again, err));
  rdx_dictionary_destroy(&again);
  for (uint64_t i = 0; i < column->rows; i++)
    put(out, i, at_place(p, rdx_column_has(column, i) ? codes[i] : p->last + 1));
  return RDX_OK;
}

static rdx_status add_column(const rdx_component *p, const rdx_column *column, rdx_packed_keys *out, rdx_error *err) {
  uint64_t keys[BLOCK];
  if (p->type == RDX_TYPE_STRING)
    return add_strings(p, column, out, err);
  for (uint64_t begin = 0; begin < column->rows; begin += BLOCK) {
    const uint64_t count = block_at(column, begin);
    RDX_TRY(rdx_loop_goes_on(begin, column->rows, "build", err));
    encode(column, begin, count, keys);
    for (uint64_t i = 0; i < count; i++)
      put(out, begin + i, at_place(p, rdx_column_has(column, begin + i) ? code_of(p, keys[i]) : p->last + 1));
  }
  return RDX_OK;
}

rdx_status rdx_composite_keys(const rdx_composite *c, const rdx_column *columns, rdx_packed_keys *out, rdx_error *err) {
  RDX_SCOPED(rdx_packed_keys_drop) rdx_packed_keys made = {0};
  const bool nulls = has_nulls(&columns[0]);
  RDX_TRY(rdx_packed_keys_create(c, columns[0].rows, nulls, &made, err));
  for (uint32_t i = 0; i < c->count; i++)
    RDX_TRY(add_column(&c->parts[i], &columns[i], &made, err));
  if (nulls)
    memcpy(made.validity, columns[0].validity, (columns[0].rows + 7) / 8);
  *out = RDX_KEEP(made);
  return RDX_OK;
}
