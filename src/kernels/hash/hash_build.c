/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The kernels that build a hash table, and their bodies on the CPU. */

#include "kernels/hash/kernels.h"
#include "spirv/shaders.h"

RDX_KERNEL_BODY(mix, hash_mix_args) {
  if (variant[0]) {
    for (uint32_t i = 0; i < a->count; i++)
      AS_U64_PTR(a->mixed)[a->first + i] = mix_u64(AS_U64_PTR(a->keys)[a->first + i]);
  } else {
    for (uint32_t i = 0; i < a->count; i++)
      a->mixed[a->first + i] = mix_u32(a->keys[a->first + i]);
  }
}

/* The first entry of a tile, and the first after it. */
static uint32_t tile_begin(uint32_t tile) {
  return tile * HASH_TILE;
}

static uint32_t tile_end(const struct hash_place_args *args, uint32_t tile) {
  const uint64_t end = (uint64_t)tile_begin(tile) + HASH_TILE;
  return end < args->entries ? (uint32_t)end : args->entries;
}

/* Bodies for each width and layout, with both known when they are compiled. */
#define FOR_EACH_LAYOUT(body, args, variant)                                                                           \
  switch (2 * ((variant)[0] != 0) + ((variant)[1] != 0)) {                                                             \
  case 0:                                                                                                              \
    body(args, 0, 0);                                                                                                  \
    break;                                                                                                             \
  case 1:                                                                                                              \
    body(args, 0, 1);                                                                                                  \
    break;                                                                                                             \
  case 2:                                                                                                              \
    body(args, 1, 0);                                                                                                  \
    break;                                                                                                             \
  default:                                                                                                             \
    body(args, 1, 1);                                                                                                  \
  }

RDX_INLINE void reach_of(const struct hash_place_args *args, uint32_t key64, uint32_t runs) {
  for (uint32_t tile = args->first; tile < args->first + args->count; tile++) {
    uint64_t max = 0;
    const uint32_t end = tile_end(args, tile);
    for (uint32_t e = tile_begin(tile); e < end; e++) {
      const uint64_t key = load_key(args->keys, runs ? args->starts[e] : e, key64);
      const uint64_t given = entry_reach(e, key, key64, runs, args->entries, args->homes);
      max = given > max ? given : max;
    }
    args->reaches[tile] = max;
  }
}

RDX_KERNEL_BODY(reach, hash_place_args) {
  FOR_EACH_LAYOUT(reach_of, a, variant);
}

RDX_KERNEL_BODY(spine, hash_spine_args) {
  uint64_t max = 0;
  for (uint32_t tile = 0; tile < a->tiles; tile++) {
    const uint64_t own = a->reaches[tile];
    a->reaches[tile] = max;
    max = own > max ? own : max;
  }
  a->reaches[a->tiles] = max;
}

RDX_INLINE void write_slot(const struct hash_place_args *args, uint32_t key64, uint32_t runs, uint64_t slot, uint32_t e,
                           uint32_t start, uint64_t key) {
  const uint32_t slots = bucket_slots(key64, runs), s = (uint32_t)(slot % slots), at = values_at(key64, runs) + s;
  uint32_t *bucket = args->table + slot / slots * BUCKET_WORDS, count = 1;
  if (key64)
    memcpy(bucket + 2 * s, &key, 8);
  else
    bucket[s] = (uint32_t)key;
  if (runs) {
    count = (e + 1 < args->entries ? args->starts[e + 1] : args->n) - start;
    bucket[at + slots] = count;
  }
  bucket[at] = count == 1 ? args->rows[start] : start;
}

RDX_INLINE void place_tiles(const struct hash_place_args *args, uint32_t key64, uint32_t runs) {
  for (uint32_t tile = args->first; tile < args->first + args->count; tile++) {
    uint64_t max = args->reaches[tile];
    const uint32_t end = tile_end(args, tile);
    for (uint32_t e = tile_begin(tile); e < end; e++) {
      const uint32_t start = runs ? args->starts[e] : e;
      const uint64_t key = load_key(args->keys, start, key64);
      const uint64_t given = entry_reach(e, key, key64, runs, args->entries, args->homes);
      max = given > max ? given : max;
      write_slot(args, key64, runs, max - (args->entries - e), e, start, key);
    }
  }
}

RDX_KERNEL_BODY(place, hash_place_args) {
  FOR_EACH_LAYOUT(place_tiles, a, variant);
}

/* ---- One by one ---- */

#define INSERT_AHEAD 16 /* keys, whose buckets are on their way */

RDX_INLINE uint32_t *bucket_of(const struct hash_insert_args *args, uint32_t bucket) {
  return args->table + (uint64_t)bucket * BUCKET_WORDS;
}

RDX_INLINE uint32_t home_of(const struct hash_insert_args *args, uint64_t mixed, uint32_t key64) {
  return home_bucket(mixed, key64, args->homes);
}

/* Have the bucket of a later key on its way. */
RDX_INLINE void fetch_ahead(const struct hash_insert_args *args, uint32_t i, uint32_t key64) {
  if (i + INSERT_AHEAD < args->count) {
    const uint64_t later = mix_key(load_key(args->keys, args->first + i + INSERT_AHEAD, key64), key64);
    __builtin_prefetch(bucket_of(args, home_of(args, later, key64)), 1);
  }
}

RDX_INLINE bool is_last(const struct hash_insert_args *args, uint32_t bucket, uint32_t slot, uint32_t slots) {
  return bucket + 1 == args->buckets && slot + 1 == slots;
}

/* Put the key into a slot whose key is larger. Returns what was there. */
#define DEFINE_EXCHANGE(bits)                                                                                          \
  static inline uint##bits##_t exchange_u##bits(uint##bits##_t *at, uint##bits##_t key) {                              \
    uint##bits##_t seen = __atomic_load_n(at, __ATOMIC_RELAXED);                                                       \
    while (seen > key && !__atomic_compare_exchange_n(at, &seen, key, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))       \
      ;                                                                                                                \
    return seen;                                                                                                       \
  }

DEFINE_EXCHANGE(32)
DEFINE_EXCHANGE(64)

RDX_INLINE uint64_t exchange(uint32_t *bucket, uint32_t slot, uint64_t key, uint32_t key64) {
  return key64 ? exchange_u64((uint64_t *)(void *)bucket + slot, key) : exchange_u32(bucket + slot, (uint32_t)key);
}

RDX_INLINE bool insert_key(const struct hash_insert_args *args, uint64_t key, uint32_t key64) {
  const uint32_t slots = bucket_slots(key64, 0);
  const uint64_t empty = key64 ? UINT64_MAX : UINT32_MAX;
  for (uint32_t bucket = home_of(args, key, key64); bucket < args->buckets; bucket++) {
    for (uint32_t slot = 0; slot < slots && !is_last(args, bucket, slot, slots); slot++) {
      const uint64_t seen = exchange(bucket_of(args, bucket), slot, key, key64);
      if (seen == key || seen == empty)
        return true;
      key = seen > key ? seen : key;
    }
  }
  return false;
}

RDX_INLINE void insert_keys(const struct hash_insert_args *args, uint32_t key64) {
  for (uint32_t i = 0; i < args->count; i++) {
    fetch_ahead(args, i, key64);
    if (!insert_key(args, mix_key(load_key(args->keys, args->first + i, key64), key64), key64))
      __atomic_store_n(&args->trouble[INSERT_FULL], 1, __ATOMIC_RELAXED);
  }
}

RDX_KERNEL_BODY(insert, hash_insert_args) {
  variant[0] ? insert_keys(a, 1) : insert_keys(a, 0);
}

/* What went wrong, or -1. */
RDX_INLINE int put_row(const struct hash_insert_args *args, uint64_t key, uint32_t row, uint32_t key64) {
  const uint32_t slots = bucket_slots(key64, 0);
  for (uint32_t bucket = home_of(args, key, key64); bucket < args->buckets; bucket++) {
    for (uint32_t slot = 0; slot < slots && !is_last(args, bucket, slot, slots); slot++) {
      uint32_t *words = bucket_of(args, bucket), none = NO_ROW;
      if (load_key(words, slot, key64) != key)
        continue;
      const bool first = __atomic_compare_exchange_n(words + values_at(key64, 0) + slot, &none, row, false,
                                                     __ATOMIC_RELAXED, __ATOMIC_RELAXED);
      return first ? -1 : INSERT_REPEATED;
    }
  }
  return INSERT_FULL;
}

RDX_INLINE void put_rows_of(const struct hash_insert_args *args, uint32_t key64) {
  for (uint32_t i = 0; i < args->count; i++) {
    const uint32_t at = args->first + i;
    fetch_ahead(args, i, key64);
    const int trouble =
        put_row(args, mix_key(load_key(args->keys, at, key64), key64), args->rows ? args->rows[at] : at, key64);
    if (trouble >= 0)
      __atomic_store_n(&args->trouble[trouble], 1, __ATOMIC_RELAXED);
  }
}

RDX_KERNEL_BODY(put_rows, hash_insert_args) {
  variant[0] ? put_rows_of(a, 1) : put_rows_of(a, 0);
}

const rdx_kernel rdx_kernel_hash_mix =
    RDX_COMPUTE_KERNEL("hash mix", hash_mix_args, 1, 65536, 256, mix, spirv_hash_mix_comp);
const rdx_kernel rdx_kernel_hash_reach =
    RDX_COMPUTE_KERNEL("hash reach", hash_place_args, 2, 32, 1, reach, spirv_hash_place_comp_reach);
const rdx_kernel rdx_kernel_hash_spine =
    RDX_COMPUTE_KERNEL("hash spine", hash_spine_args, 0, 1, 1, spine, spirv_hash_spine_comp);
const rdx_kernel rdx_kernel_hash_place =
    RDX_COMPUTE_KERNEL("hash place", hash_place_args, 2, 32, 1, place, spirv_hash_place_comp_place);
const rdx_kernel rdx_kernel_hash_insert[2] = {
    RDX_COMPUTE_KERNEL("hash insert", hash_insert_args, 1, 32768, 256, insert, spirv_hash_insert_comp_u32),
    RDX_COMPUTE_KERNEL("hash insert of u64", hash_insert_args, 1, 32768, 256, insert, spirv_hash_insert_comp_u64),
};
const rdx_kernel rdx_kernel_hash_rows =
    RDX_COMPUTE_KERNEL("hash rows", hash_insert_args, 1, 32768, 256, put_rows, spirv_hash_insert_comp_rows);
