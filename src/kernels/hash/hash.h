/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_HASH_HASH_H
#define RDX_KERNELS_HASH_HASH_H

/* C and GLSL: a static hash table of buckets, as in WarpCore (Juenger et al., HiPC 2020), the "HT" of RTIndeX, section
 * 4.1.
 *
 * Keys are mixed by a bijection, and a mixed key's upper bits give its home bucket: in the order of mixed keys, home
 * buckets ascend. Entries take slots in this order, each the first slot that is neither before its home bucket nor
 * before the slot after its predecessor's. So all mixed keys of the table ascend (Amble and Knuth, "Ordered hash
 * tables", 1974), the buckets from an entry's home to its own are full, and the slots of a bucket are taken from its
 * first on. All bits of an empty slot are set, which puts it after all keys. A search need only look into the first
 * bucket, from home on, whose last key is not below its own. The last slot of a table is empty.
 *
 * A bucket is 16 words in one 64-byte line: the mixed keys of its slots, then a word for each of them: NO_ROW where
 * the slot is empty, else
 *   distinct keys: the row;
 *   runs: the row where the key has one, else where its rows begin in `rows`; then come as many words, the numbers of
 *   rows. */

#include "kernels/lookup/lookup.h"

#define HASH_CONSTANTS 4 /* KEY64, RUNS, GATHER, VALUE */

#define BUCKET_WORDS 16
#define BUCKET_BYTES 64
#define HASH_TILE_THREADS 256
#define HASH_TILE_ITEMS 8
#define HASH_TILE (HASH_TILE_THREADS * HASH_TILE_ITEMS) /* entries of a workgroup */

/* The slots of a bucket. */
FN u32 bucket_slots(u32 key64, u32 runs) {
  return key64 != 0 ? (runs != 0 ? 4u : 5u) : (runs != 0 ? 5u : 8u);
}

/* The first of a bucket's words that are not keys. */
FN u32 values_at(u32 key64, u32 runs) {
  return bucket_slots(key64, runs) * (key64 != 0 ? 2u : 1u);
}

/* The finalizers of MurmurHash3 (Appleby, 2011): bijections after which every bit depends on all others. */
FN u32 mix_u32(u32 x) {
  x = (x ^ x >> 16) * 0x85ebca6bu;
  x = (x ^ x >> 13) * 0xc2b2ae35u;
  return x ^ x >> 16;
}

FN u64 mix_u64(u64 x) {
  x = (x ^ x >> 33) * 0xff51afd7ed558ccdul;
  x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53ul;
  return x ^ x >> 33;
}

FN u64 mix_key(u64 key, u32 key64) {
  return key64 != 0 ? mix_u64(key) : TO_U64(mix_u32(TO_U32(key)));
}

/* The home bucket of a mixed key among `homes`, by its upper 32 bits. */
FN u32 home_bucket(u64 mixed, u32 key64, u32 homes) {
  return TO_U32((key64 != 0 ? mixed >> 32 : mixed) * homes >> 32);
}

/* Item: a key. mixed[i] = mix(keys[i]) */
struct hash_mix_args {
  LAUNCH_HEADER;
  PTR(u32) keys;
  PTR(u32) mixed;
};
ARGS_SIZE(hash_mix_args, 32);

/* Item: a tile of HASH_TILE entries. Entry e has the mixed key at starts[e], as its rows do (starts 0: at e).
 *
 * The slot of entry e is the largest of (first slot of the home of j) + e - j over all j up to e. So that nothing is
 * below 0, `reach` is that with the number of entries in the place of e: a maximum over what each entry gives. */
struct hash_place_args {
  LAUNCH_HEADER;
  PTR(u32) keys;
  PTR(u32) rows;
  PTR(u32) starts;
  PTR(u64) reaches; /* of each tile; after the spine, of all tiles before it */
  PTR(u32) table;
  u32 entries;
  u32 n; /* keys */
  u32 homes;
  u32 padding;
};
ARGS_SIZE(hash_place_args, 72);

/* Item: all tiles. Turn the reaches of tiles into those of all tiles before each; the last goes to reaches[tiles]. */
struct hash_spine_args {
  LAUNCH_HEADER;
  PTR(u64) reaches;
  u32 tiles;
  u32 padding;
};
ARGS_SIZE(hash_spine_args, 32);

/* Item: a key, inserted by itself. Where it comes upon a larger one it takes its slot and goes on with that one, and so
 * none is passed by a key that it would have stopped: the table is the one above, whichever comes first (Shun and
 * Blelloch, "Phase-concurrent hash tables for determinism", 2014). When all keys are there, each puts its row beside
 * it. Keys are distinct. */
struct hash_insert_args {
  LAUNCH_HEADER;
  PTR(u32) keys;
  PTR(u32) rows; /* NULL: their own numbers */
  PTR(u32) table;
  PTR(u32) trouble; /* INSERT_REPEATED, INSERT_FULL: set where it happened */
  u32 homes;
  u32 buckets;
};
ARGS_SIZE(hash_insert_args, 56);

#define INSERT_REPEATED 0
#define INSERT_FULL 1 /* no slot before the last one, which stays empty */

struct hash_args {
  LAUNCH_HEADER;
  LOOKUP_FIELDS;
  PTR(u32) table;
  PTR(u32) rows; /* runs only; the rows of a key ascend */
  u32 homes;
  u32 padding;
};
ARGS_SIZE(hash_args, 120);

/* Item: a probe. The buckets that it looks into. */
struct hash_visits_args {
  LAUNCH_HEADER;
  PTR(u32) lower;
  PTR(u32) valid;
  PTR(u32) table;
  PTR(u32) out_visits;
  u32 homes;
  u32 padding;
};
ARGS_SIZE(hash_visits_args, 56);

/* What entry e gives to the reach. */
FN u64 entry_reach(u32 e, u64 mixed, u32 key64, u32 runs, u32 entries, u32 homes) {
  return TO_U64(home_bucket(mixed, key64, homes)) * bucket_slots(key64, runs) + (entries - e);
}

#endif
