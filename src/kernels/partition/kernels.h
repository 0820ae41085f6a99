/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_PARTITION_KERNELS_H
#define RDX_KERNELS_PARTITION_KERNELS_H

/* Probes in the order of partitions of their keys, and answers back in the order given: for CPUs, where what the
 * probes of a partition look at then stays in the caches nearest to a core (the idea of Zhou and Ross, "Buffering
 * accesses to memory-resident index structures", VLDB 2003).
 *
 * Threads take chunks of probes. Those of a chunk keep their order within a partition, so that no list of places is
 * needed: who goes through the chunk again knows of each probe its partition, and takes the next answer of that. */

#include "device/device.h"

#define RDX_PARTITIONS 512u
#define RDX_PARTITION_CELLS 4096u

/* The partition of a key is that of its cell; cells are 2^shift wide, and the last one is for all keys above.
 * Partitions ascend as keys do. */
typedef struct rdx_partition_map {
  uint64_t lowest; /* where the first cell begins */
  uint32_t shift;
  bool key64;
  uint16_t of_cell[RDX_PARTITION_CELLS];
} rdx_partition_map;

static inline uint32_t rdx_partition_of(const rdx_partition_map *map, uint64_t key) {
  const uint64_t cell = key > map->lowest ? (key - map->lowest) >> map->shift : 0;
  return map->of_cell[cell < RDX_PARTITION_CELLS ? cell : RDX_PARTITION_CELLS - 1];
}

typedef struct rdx_partitioned {
  const rdx_partition_map *map;
  const uint32_t *keys; /* in the order given */
  uint64_t count, chunk;
  uint32_t (*starts)[RDX_PARTITIONS]; /* of each chunk: where its keys of a partition go; room for what is moved */
} rdx_partitioned;

/* Move the keys to `out`, and fill in p->starts. */
RDX_MUST_USE rdx_status rdx_partition_move(rdx_stream *stream, const rdx_partitioned *p, rdx_buffer *out,
                                           rdx_error *err);

/* Put answers of `words` (1, 2 or 4) words back in the order given. Probes without their bit in `valid` (NULL: all have
 * it) get words of `none`. */
RDX_MUST_USE rdx_status rdx_partition_restore(rdx_stream *stream, const rdx_partitioned *p, const rdx_buffer *answers,
                                              uint32_t words, const uint32_t *valid, uint32_t none, void *out,
                                              rdx_error *err);

#endif
