/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_COLUMN_ENGINE_HOST_H
#define RDX_KERNELS_COLUMN_ENGINE_HOST_H

/* What the bodies on the CPU share. */

#include "kernels/column_engine/kernels.h"

#define ENGINE_BATCH 2048 /* rows that are selected at a time, at most */
#define ENGINE_CHUNK 256  /* rows that are added at a time: what they take is on the stack of a thread */

/* The bodies of the kernels that go through many rows. */
void engine_table_body(const void *arguments, const uint32_t *variant, const rdx_scene *scene);
void engine_tile_body(const void *arguments, const uint32_t *variant, const rdx_scene *scene);

/* Add `n` rows of one group, at most a chunk, to its slots: rows[i] counts from `first` on. */
void engine_add_single(const engine_query *q, uint32_t first, const uint32_t *rows, uint32_t n, uint64_t *cells);

/* Join the slots of a group that has rows with others; `shared`: of several threads. */
static inline void engine_join(const engine_query *q, const uint64_t *from, uint64_t *to, bool shared) {
  for (uint32_t s = 0; s < q->slots; s++) {
    if ((q->max_slots >> s & 1) == 0) {
      if (shared)
        __atomic_fetch_add(&to[s], from[s], __ATOMIC_RELAXED);
      else
        to[s] += from[s];
      continue;
    }
    uint64_t seen = shared ? __atomic_load_n(&to[s], __ATOMIC_RELAXED) : to[s];
    if (!shared)
      to[s] = from[s] > seen ? from[s] : seen;
    else
      while (seen < from[s] &&
             !__atomic_compare_exchange_n(&to[s], &seen, from[s], true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        continue;
  }
}

#endif
