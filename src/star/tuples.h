/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_STAR_TUPLES_H
#define RDX_STAR_TUPLES_H

/* The distinct tuples of some attributes that occur, in lexicographic order: their places are dense codes (RTCUDB,
 * section 4.3; for the scan, too, where the bijection of section 4.2 would waste codes on tuples that never occur,
 * as of a year and a month of another one). Tuples that agree in their first attributes have neighbouring places. */

#include "star/plan.h"

#define RDX_MAX_TUPLE 8

typedef struct rdx_tuples {
  uint32_t attribute_count;
  uint32_t attributes[RDX_MAX_TUPLE];
  /* A tuple is a key of 64 bits: codes side by side, the first the highest. */
  uint32_t bits[RDX_MAX_TUPLE], shifts[RDX_MAX_TUPLE];
  uint64_t *dictionaries[RDX_MAX_TUPLE]; /* ascending codes, whose places stand in the key; NULL: codes do */
  uint32_t dictionary_counts[RDX_MAX_TUPLE];
  uint32_t count;
  uint64_t *keys;                       /* ascending */
  uint32_t prefixes[RDX_MAX_TUPLE + 1]; /* distinct tuples of the first attributes, of so many */
  /* determined[b][a], where attribute b of a tuple determines its attribute a (a month its year): the code of a for
   * each code of b, or UINT32_MAX where b has none. Else NULL. */
  uint32_t *determined[RDX_MAX_TUPLE][RDX_MAX_TUPLE];
  uint32_t *starts; /* count + 1: where the rows of each tuple begin, in the order of tuples; the caller's to find */
} rdx_tuples;

/* Find the tuples of `count` rows (as for rdx_packed_gather()), and the place of each row's, u32 (NULL where there is
 * at most one tuple). */
RDX_MUST_USE rdx_status rdx_tuples_create(const rdx_packed_relation *relation, rdx_buffer *rows, uint64_t count,
                                          const uint32_t *attributes, uint32_t attribute_count, rdx_tuples *out,
                                          rdx_buffer **out_places, rdx_error *err);
void rdx_tuples_destroy(rdx_tuples *tuples);

/* Of host memory. */
uint64_t rdx_tuples_bytes(const rdx_tuples *tuples);

/* Which attribute of the tuples this is; RDX_MAX_TUPLE: none. */
uint32_t rdx_tuples_position(const rdx_tuples *tuples, uint32_t attribute);

/* A field of a key is the code of attribute `position`, or its place in the dictionary. The largest; that of a key. */
static inline uint64_t rdx_tuples_max(const rdx_tuples *t, uint32_t position) {
  return t->bits[position] == 0 ? 0 : UINT64_MAX >> (64 - t->bits[position]);
}
static inline uint64_t rdx_tuples_field(const rdx_tuples *t, uint64_t key, uint32_t position) {
  return t->bits[position] == 0 ? 0 : key >> t->shifts[position] & rdx_tuples_max(t, position);
}

/* The code of attribute `position` in tuple `place`. */
uint64_t rdx_tuples_code(const rdx_tuples *tuples, uint32_t place, uint32_t position);
/* The groups, as a plan numbers them, of tuples that have all attributes that it groups by. Their places are given
 * `stride` words apart. */
void rdx_tuples_number(const rdx_tuples *tuples, const rdx_plan *plan, const uint64_t *places, uint64_t stride,
                       uint64_t count, uint64_t *numbers);

/* The codes of an attribute, gathered: of 4 or 8 bytes. */
uint32_t rdx_tuples_code_bytes(const rdx_encoded_column *attribute);

/* Whether no two tuples that fulfil a plan's terms have rows of the same group. */
bool rdx_tuples_are_constant(const rdx_tuples *tuples, const rdx_plan *plan);

/* Places as disjoint ascending ranges (low, end), in memory that grows. */
typedef struct rdx_ranges {
  uint32_t count, capacity;
  uint32_t *list;
} rdx_ranges;

/* Add one that begins where the last one ends, or later. */
RDX_MUST_USE rdx_status rdx_ranges_add(rdx_ranges *ranges, uint32_t begin, uint32_t end, rdx_error *err);

/* The places of tuples that fulfil a plan's condition, whose attributes are all in the tuples. `ranges` is filled
 * anew. */
RDX_MUST_USE rdx_status rdx_tuples_select(const rdx_tuples *tuples, const rdx_plan *plan, rdx_ranges *ranges,
                                          rdx_error *err);

#endif
