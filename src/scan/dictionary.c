/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Order-preserving dictionaries of strings: a hash table finds the distinct ones, which are then sorted. */

#include "scan/dictionary.h"

#include <stdlib.h>
#include <string.h>

#include "index/keys.h"

/* The distinct strings so far. A string is known by the row that had it first. */
typedef struct builder {
  const rdx_column *column;
  uint32_t *rows;  /* of each distinct string */
  uint32_t *slots; /* number of a string + 1; 0: free; a power of two of them, at least half of them free */
  uint64_t *hashes;
  uint32_t count, capacity;
} builder;

static const char *string_of(const rdx_column *c, uint64_t row, uint64_t *length) {
  *length = c->offsets[row + 1] - c->offsets[row];
  return *length ? (const char *)c->values + c->offsets[row] : "";
}

static uint64_t hash_of(const rdx_column *c, uint64_t row) {
  uint64_t length, hash = 0x9e3779b97f4a7c15u;
  const char *bytes = string_of(c, row, &length);
  for (uint64_t done = 0; done < length; done += 8) {
    uint64_t word = 0;
    memcpy(&word, bytes + done, length - done < 8 ? length - done : 8);
    hash = (hash ^ word) * 0xbf58476d1ce4e5b9u;
    hash ^= hash >> 29;
  }
  hash = (hash ^ length) * 0x94d049bb133111ebu;
  return hash ^ hash >> 32;
}

static void place(builder *b, uint32_t number) {
  const uint64_t mask = 2 * (uint64_t)b->capacity - 1;
  uint64_t slot = b->hashes[number] & mask;
  while (b->slots[slot] != 0)
    slot = (slot + 1) & mask;
  b->slots[slot] = number + 1;
}

static rdx_status grow(builder *b, rdx_error *err) {
  if (b->capacity > UINT32_MAX / 4)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "a string column has more than %u distinct values", b->capacity);
  const uint32_t capacity = b->capacity ? 2 * b->capacity : 1024;
  RDX_TRY(rdx_realloc((void **)&b->rows, capacity, sizeof *b->rows, "a dictionary", err));
  RDX_TRY(rdx_realloc((void **)&b->hashes, capacity, sizeof *b->hashes, "a dictionary", err));
  RDX_TRY(rdx_realloc((void **)&b->slots, 2 * (size_t)capacity, sizeof *b->slots, "a dictionary", err));
  memset(b->slots, 0, 2 * (size_t)capacity * sizeof *b->slots);
  b->capacity = capacity;
  for (uint32_t i = 0; i < b->count; i++)
    place(b, i);
  return RDX_OK;
}

/* The number of a row's string, a new one where it has not been seen. */
static rdx_status number_of(builder *b, uint64_t row, uint32_t *out, rdx_error *err) {
  if (b->count == b->capacity)
    RDX_TRY(grow(b, err));
  const uint64_t hash = hash_of(b->column, row), mask = 2 * (uint64_t)b->capacity - 1;
  uint64_t slot = hash & mask;
  for (; b->slots[slot] != 0; slot = (slot + 1) & mask) {
    const uint32_t number = b->slots[slot] - 1;
    if (b->hashes[number] == hash && rdx_keys_compare_strings(b->column, b->rows[number], b->column, row) == 0) {
      *out = number;
      return RDX_OK;
    }
  }
  b->rows[b->count] = (uint32_t)row;
  b->hashes[b->count] = hash;
  b->slots[slot] = b->count + 1;
  *out = b->count++;
  return RDX_OK;
}

static int compare_numbers(const void *x, const void *y, void *context) {
  const builder *b = context;
  return rdx_keys_compare_strings(b->column, b->rows[*(const uint32_t *)x], b->column, b->rows[*(const uint32_t *)y]);
}

/* Copy the strings in the order of `sorted`. */
static rdx_status copy_strings(const builder *b, const uint32_t *sorted, rdx_dictionary *d, rdx_error *err) {
  uint64_t total = 0, length;
  RDX_TRY(rdx_alloc((size_t)b->count + 1, sizeof *d->offsets, "a dictionary", (void **)&d->offsets, err));
  for (uint32_t i = 0; i < b->count; i++) {
    d->offsets[i] = total;
    string_of(b->column, b->rows[sorted[i]], &length);
    total += length;
  }
  d->offsets[b->count] = total;
  d->count = b->count;
  RDX_TRY(rdx_alloc(total, 1, "a dictionary", (void **)&d->bytes, err));
  for (uint32_t i = 0; i < b->count; i++) {
    const char *bytes = string_of(b->column, b->rows[sorted[i]], &length);
    memcpy(d->bytes + d->offsets[i], bytes, length);
  }
  return RDX_OK;
}

/* Turn numbers into places. */
static rdx_status finish(builder *b, uint32_t *codes, rdx_dictionary *d, rdx_error *err) {
  uint32_t *sorted = NULL, *places = b->slots; /* not needed any more */
  RDX_TRY(rdx_alloc(b->count, sizeof *sorted, "a dictionary", (void **)&sorted, err));
  for (uint32_t i = 0; i < b->count; i++)
    sorted[i] = i;
  if (b->count > 0)
    qsort_r(sorted, b->count, sizeof *sorted, compare_numbers, b);
  for (uint32_t i = 0; i < b->count; i++)
    places[sorted[i]] = i;
  rdx_status status = copy_strings(b, sorted, d, err);
  rdx_free(sorted);
  for (uint64_t row = 0; row < b->column->rows && status == RDX_OK; row++)
    if (rdx_column_has(b->column, row))
      codes[row] = places[codes[row]];
  return status;
}

rdx_status rdx_dictionary_create(const rdx_column *column, uint32_t *codes, rdx_dictionary **out, rdx_error *err) {
  rdx_dictionary *d = NULL;
  RDX_TRY(rdx_calloc(1, sizeof *d, "a dictionary", (void **)&d, err));
  builder b = {.column = column};
  rdx_status status = RDX_OK;
  for (uint64_t row = 0; row < column->rows && status == RDX_OK; row++) {
    codes[row] = 0;
    if (rdx_column_has(column, row))
      status = number_of(&b, row, &codes[row], err);
    if (status == RDX_OK && row % (1u << 20) == 0)
      status = rdx_progress("dictionary", row, column->rows, err);
  }
  if (status == RDX_OK)
    status = finish(&b, codes, d, err);
  rdx_free(b.rows);
  rdx_free(b.slots);
  rdx_free(b.hashes);
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

uint32_t rdx_dictionary_search(const rdx_dictionary *dictionary, const rdx_column *strings, uint64_t row, bool *equal) {
  const rdx_column own = {
      .type = RDX_TYPE_STRING, .rows = dictionary->count, .values = dictionary->bytes, .offsets = dictionary->offsets};
  uint32_t begin = 0, end = dictionary->count;
  *equal = false;
  while (begin < end) {
    const uint32_t middle = begin + (end - begin) / 2;
    const int order = rdx_keys_compare_strings(&own, middle, strings, row);
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
