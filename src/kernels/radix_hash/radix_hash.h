/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_RADIX_HASH_RADIX_HASH_H
#define RDX_KERNELS_RADIX_HASH_RADIX_HASH_H

/* C and GLSL: a hash table for each partition of the keys: the radix-partitioned hash join (Manegold, Boncz, Kersten,
 * "Optimizing main-memory join on modern hardware", TKDE 2002; Balkesen et al., "Main-memory hash joins on multi-core
 * CPUs", ICDE 2013).
 *
 * Keys are mixed by a bijection. The low BITS bits of a mixed key are its partition: entries stand in the order of
 * partitions, those of partition p from starts[p] to starts[p + 1] - 1. Probes come in this order, too, so that all
 * that neighbours look at is a partition's, which a cache holds. No answer depends on their order.
 *
 * A partition of n entries has 2n slots from slot 2 * starts[p] on, however many keys are equal. A slot is two words,
 * for one distinct key: the last entry of its chain, or NO_ROW, and the number of its entries less 1. A key's slot is
 * the first from its home on, in a circle, that holds it or is empty. An entry's link is two words: its row, and the
 * entry before it in its chain, or NO_ROW. */

#include "kernels/hash/hash.h"
#include "kernels/lookup/entries.h"

#define RADIX_HASH_CONSTANTS 4 /* KEY64, BITS, GATHER, VALUE */

#define SLOT_WORDS 2
#define SLOT_BYTES (4 * SLOT_WORDS)
#define LINK_WORDS 2

FN u32 partition_of(u64 mixed, u32 bits) {
  return TO_U32(mixed) & ((1u << bits) - 1u);
}

/* The slots of a partition of n entries: always more than n, so that a search ends. */
FN u32 partition_slots(u32 n) {
  return n < 0x80000000u ? 2u * n : 0xffffffffu;
}

/* Slot `slot` of the partition whose entries start at `begin`. */
#define SLOT_AT(table, begin, slot) ENTRY_AT(table, 2ul * TO_U64(begin) + TO_U64(slot), SLOT_WORDS)
#define LINK_AT(links, entry) ENTRY_AT(links, entry, LINK_WORDS)

/* Item: a partition, and one more. starts[p] = the first entry whose partition is not below p. */
struct radix_hash_starts_args {
  LAUNCH_HEADER;
  PTR(u32) keys;
  PTR(u32) starts;
  u32 n;
  u32 padding;
};
ARGS_SIZE(radix_hash_starts_args, 40);

DEFINE_BOUND(partition_start, (PTR(u32) keys, u32 begin, u32 end, u32 p, u32 key64, u32 bits),
             partition_of(load_key(keys, middle, key64), bits) < p)

/* Item: an entry. Put it into the slot of its key. GPU: all bits of all slots are set before; a CPU sets those of a
 * partition when it comes to it, which brings them into its cache. */
struct radix_hash_insert_args {
  LAUNCH_HEADER;
  PTR(u32) keys; /* mixed, in the order of partitions */
  PTR(u32) rows;
  PTR(u32) starts;
  PTR(u32) table;
  PTR(u32) links;
  PTR(u32) repeated; /* two words, set to 1 where some key stands twice, and more than LONG_RUN times */
};
ARGS_SIZE(radix_hash_insert_args, 64);

/* Item: a probe; `lower` are mixed keys. */
struct radix_hash_args {
  LAUNCH_HEADER;
  LOOKUP_FIELDS;
  PTR(u32) keys;
  PTR(u32) starts;
  PTR(u32) table;
  PTR(u32) links;
};
ARGS_SIZE(radix_hash_args, 128);

#endif
