/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Order-preserving dictionaries of strings: a hash table finds the distinct ones, which are then sorted. */

#include "index/dictionary.h"

#include <stdlib.h>
#include <string.h>

#include "index/keys.h"

/* ---- Distinct strings ---- */

static uint64_t hash_of(const char *bytes, uint64_t length) {
  uint64_t hash = 0x9e3779b97f4a7c15u;
  for (uint64_t done = 0; done < length; done += 8) {
    uint64_t word = 0;
    memcpy(&word, bytes + done, length - done < 8 ? length - done : 8);
    hash = (hash ^ word) * 0xbf58476d1ce4e5b9u;
    hash ^= hash >> 29;
  }
  hash = (hash ^ length) * 0x94d049bb133111ebu;
  return hash ^ hash >> 32;
}

static void place(rdx_distinct *d, uint32_t number) {
  const uint64_t mask = 2 * (uint64_t)d->capacity - 1;
  uint64_t slot = d->hashes[number] & mask;
  while (d->slots[slot] != 0)
    slot = (slot + 1) & mask;
  d->slots[slot] = number + 1;
}

/* `capacity` grows when all has grown, so that a failure leaves what there was. */
static rdx_status grow(rdx_distinct *d, rdx_error *err) {
  if (d->capacity > UINT32_MAX / 4)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "a string column has more than %u distinct values", d->capacity);
  const uint32_t capacity = d->capacity ? 2 * d->capacity : 16; /* little, for tables of many columns */
  uint32_t *slots = NULL;
  RDX_TRY(rdx_realloc((void **)&d->offsets, (size_t)capacity + 1, sizeof *d->offsets, "a dictionary", err));
  d->strings.offsets = d->offsets; /* at once: what follows may fail, or the string that needs room be known already */
  RDX_TRY(rdx_realloc((void **)&d->hashes, capacity, sizeof *d->hashes, "a dictionary", err));
  RDX_TRY(rdx_calloc(2 * (size_t)capacity, sizeof *slots, "a dictionary", (void **)&slots, err));
  rdx_free(d->slots);
  d->slots = slots;
  d->offsets[0] = 0;
  d->capacity = capacity;
  for (uint32_t i = 0; i < d->strings.rows; i++)
    place(d, i);
  return RDX_OK;
}

static rdx_status append(rdx_distinct *d, const char *bytes, uint64_t length, rdx_error *err) {
  const uint64_t used = d->offsets[d->strings.rows];
  if (used + length > d->byte_capacity) {
    const uint64_t capacity = 2 * (used + length) + 64;
    RDX_TRY(rdx_realloc((void **)&d->bytes, capacity, 1, "a dictionary", err));
    d->byte_capacity = capacity;
  }
  if (length > 0)
    memcpy(d->bytes + used, bytes, length);
  d->strings.values = d->bytes;
  d->offsets[++d->strings.rows] = used + length;
  return RDX_OK;
}

rdx_status rdx_distinct_add(rdx_distinct *d, const char *bytes, uint64_t length, uint32_t *number, rdx_error *err) {
  if (d->strings.rows == d->capacity)
    RDX_TRY(grow(d, err));
  const uint64_t hash = hash_of(bytes, length), mask = 2 * (uint64_t)d->capacity - 1;
  uint64_t slot = hash & mask;
  for (; d->slots[slot] != 0; slot = (slot + 1) & mask) {
    const uint32_t i = d->slots[slot] - 1;
    if (d->hashes[i] == hash && d->offsets[i + 1] - d->offsets[i] == length &&
        (length == 0 || memcmp(d->bytes + d->offsets[i], bytes, length) == 0)) {
      *number = i;
      return RDX_OK;
    }
  }
  *number = (uint32_t)d->strings.rows;
  RDX_TRY(append(d, bytes, length, err));
  d->strings.type = RDX_TYPE_STRING;
  d->hashes[*number] = hash;
  d->slots[slot] = *number + 1;
  return RDX_OK;
}

/* A string's number, and its first bytes, which mostly decide. */
typedef struct entry {
  uint64_t prefix;
  uint32_t number;
} entry;

static int compare_entries(const void *x, const void *y, void *context) {
  const rdx_column *strings = context;
  const entry *a = x, *b = y;
  if (a->prefix != b->prefix)
    return a->prefix < b->prefix ? -1 : 1;
  return rdx_column_compare_strings(strings, a->number, strings, b->number);
}

rdx_status rdx_distinct_sort(const rdx_distinct *d, uint32_t **sorted, uint32_t **places, rdx_error *err) {
  const uint32_t count = (uint32_t)d->strings.rows;
  entry *entries = NULL;
  uint32_t *both[2] = {NULL, NULL};
  rdx_status status = rdx_alloc(count, sizeof *entries, "a dictionary", (void **)&entries, err);
  for (int i = 0; i < 2 && status == RDX_OK; i++)
    status = rdx_alloc(count, sizeof *both[i], "a dictionary", (void **)&both[i], err);
  if (status != RDX_OK) {
    rdx_free(entries);
    rdx_free(both[0]);
    return status;
  }
  for (uint32_t i = 0; i < count; i++) {
    rdx_keys_encode(&d->strings, i, 1, &entries[i].prefix);
    entries[i].number = i;
  }
  rdx_column strings = d->strings;
  if (count > 0)
    qsort_r(entries, count, sizeof *entries, compare_entries, &strings);
  for (uint32_t i = 0; i < count; i++) {
    both[0][i] = entries[i].number;
    both[1][entries[i].number] = i;
  }
  rdx_free(entries);
  *sorted = both[0];
  *places = both[1];
  return RDX_OK;
}

void rdx_distinct_drop(rdx_distinct *d) {
  rdx_free(d->offsets);
  rdx_free(d->bytes);
  rdx_free(d->slots);
  rdx_free(d->hashes);
  *d = (rdx_distinct){0};
}

/* ---- Dictionaries ---- */

/* Copy `count` strings, in the order of `sorted` (NULL: as they are). */
static rdx_status copy_strings(const rdx_column *strings, uint32_t count, const uint32_t *sorted, rdx_dictionary *d,
                               rdx_error *err) {
  uint64_t total = 0, length;
  RDX_TRY(rdx_alloc((size_t)count + 1, sizeof *d->offsets, "a dictionary", (void **)&d->offsets, err));
  for (uint32_t i = 0; i < count; i++) {
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
    const char *bytes = rdx_column_text(strings, sorted ? sorted[i] : i, &length);
    memcpy(d->bytes + d->offsets[i], bytes, length);
  }
  return RDX_OK;
}

static rdx_status number_rows(const rdx_column *column, rdx_distinct *distinct, uint32_t *codes, rdx_error *err) {
  for (uint64_t row = 0; row < column->rows; row++) {
    codes[row] = 0;
    if (rdx_column_has(column, row)) {
      uint64_t length;
      const char *bytes = rdx_column_text(column, row, &length);
      RDX_TRY(rdx_distinct_add(distinct, bytes, length, &codes[row], err));
    }
    if (row % (1u << 20) == 0)
      RDX_TRY(rdx_progress("dictionary", row, column->rows, err));
  }
  return RDX_OK;
}

/* Number the strings of all rows, then turn numbers into places. */
static rdx_status fill(const rdx_column *column, rdx_distinct *distinct, uint32_t *codes, rdx_dictionary *d,
                       rdx_error *err) {
  uint32_t *sorted = NULL, *places = NULL;
  RDX_TRY(number_rows(column, distinct, codes, err));
  RDX_TRY(rdx_distinct_sort(distinct, &sorted, &places, err));
  rdx_status status = copy_strings(&distinct->strings, (uint32_t)distinct->strings.rows, sorted, d, err);
  for (uint64_t row = 0; row < column->rows && status == RDX_OK; row++)
    if (rdx_column_has(column, row))
      codes[row] = places[codes[row]];
  rdx_free(sorted);
  rdx_free(places);
  return status;
}

/* The codes and strings that the column has already. */
static rdx_status take(const rdx_column *column, uint32_t *codes, rdx_dictionary *d, rdx_error *err) {
  const uint32_t *values = column->values;
  for (uint64_t row = 0; row < column->rows; row++)
    codes[row] = rdx_column_has(column, row) ? values[row] : 0;
  return copy_strings(column->dictionary, (uint32_t)column->dictionary->rows, NULL, d, err);
}

rdx_status rdx_dictionary_create(const rdx_column *column, uint32_t *codes, rdx_dictionary **out, rdx_error *err) {
  rdx_dictionary *d = NULL;
  rdx_distinct distinct = {0};
  RDX_TRY(rdx_calloc(1, sizeof *d, "a dictionary", (void **)&d, err));
  rdx_status status = column->dictionary ? take(column, codes, d, err) : fill(column, &distinct, codes, d, err);
  rdx_distinct_drop(&distinct);
  if (status != RDX_OK) {
    rdx_dictionary_destroy(&d);
    return status;
  }
  *out = d;
  return RDX_OK;
}

void rdx_dictionary_destroy(rdx_dictionary **dictionary) {
  if (!*dictionary)
    return;
  rdx_free((*dictionary)->offsets);
  rdx_free((*dictionary)->bytes);
  rdx_free(*dictionary);
  *dictionary = NULL;
}

static rdx_column strings_of(const rdx_dictionary *d) {
  return (rdx_column){.type = RDX_TYPE_STRING, .rows = d->count, .values = d->bytes, .offsets = d->offsets};
}

/* Both ascend, so they are merged. */
rdx_status rdx_dictionary_map(const rdx_dictionary *from, const rdx_dictionary *to, uint32_t **out, rdx_error *err) {
  const rdx_column left = strings_of(from), right = strings_of(to);
  RDX_TRY(rdx_alloc(from->count, sizeof **out, "the codes of strings", (void **)out, err));
  for (uint32_t i = 0, k = 0; i < from->count; i++) {
    int order = -1;
    while (k < to->count && (order = rdx_column_compare_strings(&right, k, &left, i)) < 0)
      k++;
    (*out)[i] = order == 0 ? k : UINT32_MAX;
  }
  return RDX_OK;
}

uint32_t rdx_dictionary_search(const rdx_dictionary *dictionary, const rdx_column *strings, uint64_t row, bool *equal) {
  const rdx_column own = strings_of(dictionary);
  uint32_t begin = 0, end = dictionary->count;
  *equal = false;
  while (begin < end) {
    const uint32_t middle = begin + (end - begin) / 2;
    const int order = rdx_column_compare_strings(&own, middle, strings, row);
    if (order == 0) {
      *equal = true;
      return middle;
    }
    if (order < 0)
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}
