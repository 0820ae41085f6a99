/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The kernels of the radix-partitioned hash join, and their bodies on the CPU. */

#include "kernels/radix_hash/kernels.h"
#include "spirv/shaders.h"

#include "kernels/lookup/found.h"

/* Probes that are looked for together, each having the next thing it needs on its way. */
#define BATCH 32

RDX_EACH_ITEM(starts, radix_hash_starts_args,
              a->starts[i] = partition_start(a->keys, 0, a->n, (uint32_t)i, variant[0], variant[1]))

/* ---- Inserting ---- */

static inline uint32_t next_slot(uint32_t slot, uint32_t slots) {
  return slot + 1 == slots ? 0 : slot + 1;
}

/* Last entries first, so that chains lead through ascending rows. */
RDX_INLINE void insert_partition(const struct radix_hash_insert_args *args, uint32_t key64, uint32_t begin,
                                 uint32_t end) {
  const uint32_t slots = partition_slots(end - begin);
  bool repeated = false;
  uint32_t longest = 0; /* of the chains, less 1 */
  memset(SLOT_AT(args->table, begin, 0), 0xff, (uint64_t)slots * SLOT_BYTES);
  for (uint32_t e = end; e-- > begin;) {
    const uint64_t key = load_key(args->keys, e, key64);
    uint32_t slot = home_bucket(key, key64, slots);
    uint32_t *words = SLOT_AT(args->table, begin, slot);
    while (words[0] != NO_ROW && load_key(args->keys, words[0], key64) != key) {
      slot = next_slot(slot, slots);
      words = SLOT_AT(args->table, begin, slot);
    }
    uint32_t *link = LINK_AT(args->links, (uint64_t)e);
    link[0] = args->rows[e];
    link[1] = words[0];
    repeated |= words[0] != NO_ROW;
    words[0] = e;
    words[1]++;
    longest = words[1] > longest ? words[1] : longest;
  }
  if (repeated)
    __atomic_store_n(&args->repeated[0], 1, __ATOMIC_RELAXED);
  if (longest >= LONG_RUN)
    __atomic_store_n(&args->repeated[1], 1, __ATOMIC_RELAXED);
}

/* Each partition that starts among the items, as a whole: no two threads work on one. */
RDX_INLINE void insert_partitions(const struct radix_hash_insert_args *args, uint32_t key64, uint32_t bits) {
  const uint64_t items_end = (uint64_t)args->first + args->count;
  uint32_t p = partition_of(load_key(args->keys, args->first, key64), bits);
  p += args->starts[p] < args->first;
  for (; p < 1u << bits && args->starts[p] < items_end; p++)
    insert_partition(args, key64, args->starts[p], args->starts[p + 1]);
}

RDX_KERNEL_BODY(insert, radix_hash_insert_args) {
  variant[0] ? insert_partitions(a, 1, variant[1]) : insert_partitions(a, 0, variant[1]);
}

/* ---- Lookups ---- */

typedef struct batch {
  uint64_t keys[BATCH];
  uint32_t begins[BATCH], slots[BATCH], homes[BATCH];
  uint32_t heads[BATCH], counts[BATCH];
} batch;

RDX_INLINE void find(const struct radix_hash_args *args, uint32_t key64, uint32_t bits, uint32_t first, uint32_t count,
                     batch *b) {
  for (uint32_t k = 0; k < count; k++) {
    b->keys[k] = load_key(args->lower, first + k, key64);
    const uint32_t p = partition_of(b->keys[k], bits);
    b->begins[k] = args->starts[p];
    b->slots[k] = partition_slots(args->starts[p + 1] - args->starts[p]);
    b->homes[k] = home_bucket(b->keys[k], key64, b->slots[k]);
    __builtin_prefetch(SLOT_AT(args->table, b->begins[k], b->homes[k]));
  }
  for (uint32_t k = 0; k < count; k++) {
    b->heads[k] = b->slots[k] > 0 ? SLOT_AT(args->table, b->begins[k], b->homes[k])[0] : NO_ROW;
    const uint32_t at = b->heads[k] == NO_ROW ? 0 : b->heads[k];
    __builtin_prefetch(key64 ? (const void *)&AS_U64_PTR(args->keys)[at] : (const void *)&args->keys[at]);
  }
  for (uint32_t k = 0; k < count; k++) {
    uint32_t slot = b->homes[k];
    while (b->heads[k] != NO_ROW && load_key(args->keys, b->heads[k], key64) != b->keys[k]) {
      slot = next_slot(slot, b->slots[k]);
      b->heads[k] = SLOT_AT(args->table, b->begins[k], slot)[0];
    }
    const bool found = b->heads[k] != NO_ROW && has_bit(args->valid, first + k);
    b->heads[k] = found ? b->heads[k] : NO_ROW;
    b->counts[k] = found ? SLOT_AT(args->table, b->begins[k], slot)[1] + 1 : 0;
  }
}

static void collect(const struct radix_hash_args *args, const uint32_t *variant, uint32_t i, uint32_t entry) {
  const uint32_t gather = variant[2], value = variant[3];
  const uint32_t to = gather == GATHER_ROWS ? (uint32_t)args->io.offsets[i] : 0;
  findings f = FOUND_NONE;
  while (entry != NO_ROW) {
    const uint32_t *link = LINK_AT(args->links, (uint64_t)entry);
    const uint32_t row = link[0];
    entry = link[1];
    f = found_add(f, args->io, row, to, gather, value);
  }
  found_store(f, args->io, (uint64_t)i, gather);
}

RDX_KERNEL_BODY(lookup, radix_hash_args) {
  const bool count_only = variant[2] == GATHER_COUNT && !a->io.out_first;
  batch b;
  for (uint32_t done = 0; done < a->count; done += BATCH) {
    const uint32_t first = a->first + done, count = a->count - done < BATCH ? a->count - done : BATCH;
    variant[0] ? find(a, 1, variant[1], first, count, &b) : find(a, 0, variant[1], first, count, &b);
    if (count_only) {
      memcpy(&a->io.out_count[first], b.counts, count * sizeof *b.counts);
      continue;
    }
    for (uint32_t k = 0; k < count; k++)
      if (b.heads[k] != NO_ROW)
        __builtin_prefetch(LINK_AT(a->links, (uint64_t)b.heads[k]));
    for (uint32_t k = 0; k < count; k++)
      collect(a, variant, first + k, b.heads[k]);
  }
}

const rdx_kernel rdx_kernel_radix_hash_starts =
    RDX_COMPUTE_KERNEL("radix hash starts", radix_hash_starts_args, 2, 64, 256, starts, spirv_radix_hash_starts_comp);
const rdx_kernel rdx_kernel_radix_hash_insert = RDX_COMPUTE_KERNEL("radix hash insert", radix_hash_insert_args, 2,
                                                                   32768, 256, insert, spirv_radix_hash_insert_comp);
const rdx_kernel rdx_kernel_radix_hash_lookup = RDX_COMPUTE_KERNEL(
    "radix hash lookup", radix_hash_args, RADIX_HASH_CONSTANTS, 8192, 256, lookup, spirv_radix_hash_lookup_comp);
