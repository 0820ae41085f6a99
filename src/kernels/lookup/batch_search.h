/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_LOOKUP_BATCH_SEARCH_H
#define RDX_KERNELS_LOOKUP_BATCH_SEARCH_H

/* C: binary searches in ascending keys, a batch at a time. */

#include "kernels/lookup/lookup.h"

#define SHORT_RUN 8

/* Define the end of the run of equal entries that starts at `begin`, of `n` entries: a short one's entry by entry, else
 * by steps that double. `equal` tells of entry `at` whether it is part of the run where those before it are. */
#define DEFINE_RUN_END(name, parameters, equal)                                                                        \
  static inline uint32_t name parameters {                                                                             \
    uint64_t at = begin;                                                                                               \
    while (at < n && at - begin < SHORT_RUN && (equal))                                                                \
      at++;                                                                                                            \
    if (at - begin < SHORT_RUN)                                                                                        \
      return (uint32_t)at;                                                                                             \
    uint64_t low = at, step = SHORT_RUN; /* entries before `low` are part of the run */                                \
    for (at = low + step - 1; at < n && (equal); at = low + step - 1) {                                                \
      low += step;                                                                                                     \
      step *= 2;                                                                                                       \
    }                                                                                                                  \
    for (uint64_t high = at < n ? at : n; low < high;) {                                                               \
      at = low + (high - low) / 2;                                                                                     \
      low = (equal) ? at + 1 : low;                                                                                    \
      high = low == at + 1 ? high : at;                                                                                \
    }                                                                                                                  \
    return (uint32_t)low;                                                                                              \
  }

/* Searches that advance together, each prefetching its next step while the others take theirs. */
#define SEARCH_BATCH 32

/* For each of `count` keys, the first place whose key is not below it (above: is above it). Every search takes the same
 * steps, without branches: a mask decides, as compilers turn a conditional into a jump that half of all keys miss. Once
 * for each width, with the same body. */
#define DEFINE_SEARCH(name, type)                                                                                      \
  static inline void name(const type *keys, uint32_t n, const uint64_t *wanted, uint32_t count, bool above,            \
                          uint32_t *place) {                                                                           \
    /* Above a key is not below the next one; nothing is above the largest. */                                         \
    type key[SEARCH_BATCH];                                                                                            \
    for (uint32_t k = 0; k < count; k++) {                                                                             \
      place[k] = 0;                                                                                                    \
      key[k] = (type)(wanted[k] + (above && (type)wanted[k] != (type)-1));                                             \
    }                                                                                                                  \
    uint32_t length = n;                                                                                               \
    while (length > 1) {                                                                                               \
      const uint32_t half = length / 2, next = (length - half) / 2;                                                    \
      for (uint32_t k = 0; k < count; k++) {                                                                           \
        place[k] += half & (0u - (uint32_t)(keys[place[k] + half - 1] < key[k]));                                      \
        __builtin_prefetch(&keys[place[k] + next - (next > 0)]);                                                       \
      }                                                                                                                \
      length -= half;                                                                                                  \
    }                                                                                                                  \
    for (uint32_t k = 0; k < count; k++) {                                                                             \
      place[k] += keys[place[k]] < key[k];                                                                             \
      if (above && (type)wanted[k] == (type)-1)                                                                        \
        place[k] = n;                                                                                                  \
    }                                                                                                                  \
  }

DEFINE_SEARCH(search_u32, uint32_t)
DEFINE_SEARCH(search_u64, uint64_t)

static inline void search_batch(uint32_t *keys, uint32_t n, uint32_t key64, const uint64_t *wanted, uint32_t count,
                                bool above, uint32_t *place) {
  if (n == 0) {
    memset(place, 0, count * sizeof *place);
    return;
  }
  if (key64)
    search_u64(AS_U64_PTR(keys), n, wanted, count, above, place);
  else
    search_u32(keys, n, wanted, count, above, place);
}

#endif
