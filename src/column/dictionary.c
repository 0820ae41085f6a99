/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Order-preserving dictionaries of strings: the distinct ones are found, then sorted. */

#include "column/dictionary.h"

#include <string.h>

#include "column/column.h"
#include "device/search.h"

/* Copy `count` strings, in the order of `sorted` (NULL: as they are). */
static rdx_status copy_strings(const rdx_column *strings, uint32_t count, const uint32_t *sorted, rdx_dictionary *d,
                               rdx_error *err) {
  uint64_t total = 0, length;
  RDX_TRY(rdx_alloc((size_t)count + 1, sizeof *d->offsets, "a dictionary", (void **)&d->offsets, err));
  for (uint32_t i = 0; i < count; i++) {
    RDX_TRY(rdx_loop_goes_on(i, count, "dictionary", err));
    d->offsets[i] = total;
    rdx_column_text(strings, sorted ? sorted[i] : i, &length);
    total += length;
    d->longest = length > d->longest ? length : d->longest;
  }
  d->offsets[count] = total;
  d->count = count;
  RDX_TRY(rdx_alloc(total + RDX_DICTIONARY_SPARE, 1, "a dictionary", (void **)&d->bytes, err));
  memset(d->bytes + total, 0, RDX_DICTIONARY_SPARE);
  for (uint32_t i = 0; i < count; i++) {
    RDX_TRY(rdx_loop_goes_on(i, count, "dictionary", err));
    const char *bytes = rdx_column_text(strings, sorted ? sorted[i] : i, &length);
    memcpy(d->bytes + d->offsets[i], bytes, length);
  }
  d->strings = (rdx_column){.type = RDX_TYPE_STRING, .rows = d->count, .values = d->bytes, .offsets = d->offsets};
  return RDX_OK;
}

static rdx_status number_rows(const rdx_column *column, rdx_distinct *distinct, uint32_t *codes, rdx_error *err) {
  const uint64_t piece = 1u << 16;
  memset(codes, 0, column->rows * sizeof *codes);
  for (uint64_t row = 0; row < column->rows; row += piece) {
    const uint64_t rest = column->rows - row;
    RDX_TRY(rdx_progress_at_times("dictionary", row, column->rows, err));
    RDX_TRY(rdx_distinct_add_rows(distinct, column, row, rest < piece ? rest : piece, codes + row, err));
  }
  return RDX_OK;
}

static rdx_status sort(rdx_distinct *distinct, rdx_dictionary *d, uint32_t **places, rdx_error *err) {
  RDX_SCOPED(rdx_free_local) uint32_t *sorted = NULL;
  rdx_distinct_seal(distinct);
  RDX_TRY(rdx_distinct_sort(distinct, "dictionary", &sorted, places, err));
  return copy_strings(&distinct->strings, (uint32_t)distinct->strings.rows, sorted, d, err);
}

/* Number the strings of all rows, then turn numbers into places. */
static rdx_status fill(const rdx_column *column, rdx_distinct *distinct, uint32_t *codes, rdx_dictionary *d,
                       rdx_error *err) {
  RDX_SCOPED(rdx_free_local) uint32_t *places = NULL;
  RDX_TRY(number_rows(column, distinct, codes, err));
  RDX_TRY(sort(distinct, d, &places, err));
  for (uint64_t row = 0; row < column->rows; row++) {
    RDX_TRY(rdx_loop_goes_on(row, column->rows, "dictionary", err));
    if (rdx_column_has(column, row))
      codes[row] = places[codes[row]];
  }
  return RDX_OK;
}

/* The codes and strings that the column has already. */
static rdx_status take(const rdx_column *column, uint32_t *codes, rdx_dictionary *d, rdx_error *err) {
  const uint32_t *values = column->values;
  for (uint64_t row = 0; row < column->rows; row++) {
    RDX_TRY(rdx_loop_goes_on(row, column->rows, "dictionary", err));
    codes[row] = rdx_column_has(column, row) ? values[row] : 0;
  }
  return copy_strings(column->dictionary, (uint32_t)column->dictionary->rows, NULL, d, err);
}

rdx_status rdx_dictionary_create(const rdx_column *column, uint32_t *codes, rdx_dictionary **out, rdx_error *err) {
  RDX_SCOPED(rdx_dictionary_destroy) rdx_dictionary *d = NULL;
  RDX_SCOPED(rdx_distinct_drop) rdx_distinct distinct = {0};
  RDX_TRY(rdx_calloc(1, sizeof *d, "a dictionary", (void **)&d, err));
  RDX_TRY(column->dictionary ? take(column, codes, d, err) : fill(column, &distinct, codes, d, err));
  *out = RDX_KEEP(d);
  return RDX_OK;
}

rdx_status rdx_dictionary_of_strings(rdx_distinct *distinct, rdx_dictionary **out, uint32_t **places, rdx_error *err) {
  RDX_SCOPED(rdx_dictionary_destroy) rdx_dictionary *d = NULL;
  RDX_TRY(rdx_calloc(1, sizeof *d, "a dictionary", (void **)&d, err));
  RDX_TRY(sort(distinct, d, places, err));
  *out = RDX_KEEP(d);
  return RDX_OK;
}

rdx_status rdx_dictionary_of_keys(uint64_t **keys, uint64_t count, rdx_dictionary **out, rdx_error *err) {
  RDX_TRY(rdx_calloc(1, sizeof **out, "a dictionary", (void **)out, err));
  (*out)->count = (uint32_t)count;
  (*out)->keys = *keys;
  *keys = NULL;
  return RDX_OK;
}

rdx_dictionary *rdx_dictionary_retain(rdx_dictionary *dictionary) {
  atomic_fetch_add(&dictionary->sharers, 1);
  return dictionary;
}

void rdx_dictionary_destroy(rdx_dictionary **dictionary) {
  rdx_dictionary *d = *dictionary;
  *dictionary = NULL;
  if (!d || atomic_fetch_sub(&d->sharers, 1) > 0)
    return;
  RDX_FREE_ALL(d->keys, d->offsets, d->bytes, d);
}

/* Both ascend, so they are merged. */
rdx_status rdx_dictionary_map(const rdx_dictionary *from, const rdx_dictionary *to, uint32_t **out, rdx_error *err) {
  RDX_TRY(rdx_alloc(from->count, sizeof **out, "the codes of strings", (void **)out, err));
  for (uint32_t i = 0, k = 0; i < from->count; i++) {
    int order = -1;
    while (k < to->count && (order = rdx_column_compare_strings(&to->strings, k, &from->strings, i)) < 0)
      k++;
    (*out)[i] = order == 0 ? k : UINT32_MAX;
  }
  return RDX_OK;
}

DEFINE_BOUND(first_not_below, (const rdx_column *own, u32 begin, u32 end, const rdx_column *strings, u64 row),
             rdx_column_compare_strings(own, middle, strings, row) < 0)

uint32_t rdx_dictionary_search(const rdx_dictionary *dictionary, const rdx_column *strings, uint64_t row, bool *equal) {
  const rdx_column *own = &dictionary->strings;
  const uint32_t place = first_not_below(own, 0, dictionary->count, strings, row);
  *equal = place < dictionary->count && rdx_column_compare_strings(own, place, strings, row) == 0;
  return place;
}
