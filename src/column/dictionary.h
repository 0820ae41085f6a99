/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_COLUMN_DICTIONARY_H
#define RDX_COLUMN_DICTIONARY_H

#include <stdatomic.h>

#include <raydex/column.h>

#include "base/base.h"

/* ---- Collecting distinct strings ---- */

/* The distinct strings so far, numbered as they came: `strings` is a column without NULLs. All zero is an empty one. */
typedef struct rdx_distinct {
  rdx_column strings;
  uint64_t *offsets; /* what `strings` views */
  char *bytes;
  uint64_t byte_capacity;
  uint32_t *slots; /* number of a string + 1; 0: free; a power of two of them, at least half of them free */
  uint64_t *hashes;
  uint32_t capacity;
} rdx_distinct;

/* The number of a string, a new one where it has not been seen. */
RDX_MUST_USE rdx_status rdx_distinct_add(rdx_distinct *distinct, const char *bytes, uint64_t length, uint32_t *number,
                                         rdx_error *err);

/* A string whose number is wanted. */
typedef struct rdx_arrival {
  const char *bytes;
  uint64_t length;
  uint32_t *number; /* where that goes */
  uint64_t hash;    /* of use to rdx_distinct_add_each() */
} rdx_arrival;

#define RDX_ARRIVALS 32u /* strings whose way through memory, from slot to hash to bytes, is asked for together */

/* The same for several, RDX_ARRIVALS at most, which is faster. */
RDX_MUST_USE rdx_status rdx_distinct_add_each(rdx_distinct *distinct, rdx_arrival *arrivals, uint32_t count,
                                              rdx_error *err);

/* The same for rows of a column of strings: numbers[i] becomes that of row begin + i, unless that is
 * NULL. */
RDX_MUST_USE rdx_status rdx_distinct_add_rows(rdx_distinct *distinct, const rdx_column *column, uint64_t begin,
                                              uint64_t count, uint32_t *numbers, rdx_error *err);

/* Forget all strings; the memory is kept. */
void rdx_distinct_clear(rdx_distinct *distinct);

/* Free what finds strings: none is added from then on. */
void rdx_distinct_seal(rdx_distinct *distinct);

/* The numbers in the ascending order of their strings (`*sorted`), and the place of each number in it (`*places`).
 * Free both with rdx_free(). Asks for progress as `stage`. Of what was written by hand - `strings.rows`, `offsets`, and
 * `bytes` with eight to spare behind the last string - some strings may be equal. */
RDX_MUST_USE rdx_status rdx_distinct_sort(const rdx_distinct *distinct, const char *stage, uint32_t **sorted,
                                          uint32_t **places, rdx_error *err);
void rdx_distinct_drop(rdx_distinct *distinct);

/* ---- Dictionaries of columns ---- */

#define RDX_DICTIONARY_SPARE 16u /* bytes behind the last string, so that as many may be read of each */

/* The distinct values of a column, ascending: the code of a value is its place. They are strings, or keys of other
 * types. */
typedef struct rdx_dictionary {
  atomic_uint sharers; /* besides the first */
  uint32_t count;
  uint64_t *keys;    /* not strings */
  uint64_t *offsets; /* count + 1 */
  uint64_t longest;  /* bytes of a string */
  char *bytes;
  rdx_column strings; /* as a column, where they are strings */
} rdx_dictionary;

/* Make the dictionary of a host column of strings, and the codes of its rows (`codes`; those of NULLs are 0). A column
 * with a dictionary keeps it, with its strings that no row has. */
RDX_MUST_USE rdx_status rdx_dictionary_create(const rdx_column *column, uint32_t *codes, rdx_dictionary **out,
                                              rdx_error *err);
/* The dictionary of distinct strings, which are sealed, and the place of each number in it (free with rdx_free()). */
RDX_MUST_USE rdx_status rdx_dictionary_of_strings(rdx_distinct *distinct, rdx_dictionary **out, uint32_t **places,
                                                  rdx_error *err);
/* The dictionary of ascending keys, which it takes over. */
RDX_MUST_USE rdx_status rdx_dictionary_of_keys(uint64_t **keys, uint64_t count, rdx_dictionary **out, rdx_error *err);
/* The same once more: each is destroyed by itself. */
rdx_dictionary *rdx_dictionary_retain(rdx_dictionary *dictionary);
void rdx_dictionary_destroy(rdx_dictionary **dictionary);

/* For each code of a dictionary that of the same string in another; UINT32_MAX: it has none. Free with rdx_free(). */
RDX_MUST_USE rdx_status rdx_dictionary_map(const rdx_dictionary *from, const rdx_dictionary *to, uint32_t **out,
                                           rdx_error *err);

/* The first code whose string is not below row `row` of `strings`; `*equal`: it is that string. */
uint32_t rdx_dictionary_search(const rdx_dictionary *dictionary, const rdx_column *strings, uint64_t row, bool *equal);

#endif
