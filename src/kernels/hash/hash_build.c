/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The kernels that build a hash table, and their bodies on the CPU. */

#include "kernels/hash/kernels.h"
#include "spirv/hash_mix_comp.h"
#include "spirv/hash_place_comp_place.h"
#include "spirv/hash_place_comp_reach.h"
#include "spirv/hash_spine_comp.h"

static void mix(const void *arguments, const uint32_t *variant, const rdx_scene *scene) {
  (void)scene;
  const struct hash_mix_args *args = arguments;
  if (variant[0]) {
    for (uint32_t i = 0; i < args->count; i++)
      AS_U64_PTR(args->mixed)[args->first + i] = mix_u64(AS_U64_PTR(args->keys)[args->first + i]);
  } else {
    for (uint32_t i = 0; i < args->count; i++)
      args->mixed[args->first + i] = mix_u32(args->keys[args->first + i]);
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

#define INLINE static inline __attribute__((always_inline))

INLINE void reach_of(const struct hash_place_args *args, uint32_t key64, uint32_t runs) {
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

static void reach(const void *arguments, const uint32_t *variant, const rdx_scene *scene) {
  (void)scene;
  FOR_EACH_LAYOUT(reach_of, arguments, variant);
}

static void spine(const void *arguments, const uint32_t *variant, const rdx_scene *scene) {
  (void)variant, (void)scene;
  const struct hash_spine_args *args = arguments;
  uint64_t max = 0;
  for (uint32_t tile = 0; tile < args->tiles; tile++) {
    const uint64_t own = args->reaches[tile];
    args->reaches[tile] = max;
    max = own > max ? own : max;
  }
  args->reaches[args->tiles] = max;
}

INLINE void write_slot(const struct hash_place_args *args, uint32_t key64, uint32_t runs, uint64_t slot, uint32_t e,
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

INLINE void place_tiles(const struct hash_place_args *args, uint32_t key64, uint32_t runs) {
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

static void place(const void *arguments, const uint32_t *variant, const rdx_scene *scene) {
  (void)scene;
  FOR_EACH_LAYOUT(place_tiles, arguments, variant);
}

const rdx_kernel rdx_kernel_hash_mix =
    RDX_COMPUTE_KERNEL("hash mix", hash_mix_args, 1, 65536, 256, mix, spirv_hash_mix_comp);
const rdx_kernel rdx_kernel_hash_reach =
    RDX_COMPUTE_KERNEL("hash reach", hash_place_args, 2, 32, 1, reach, spirv_hash_place_comp_reach);
const rdx_kernel rdx_kernel_hash_spine =
    RDX_COMPUTE_KERNEL("hash spine", hash_spine_args, 0, 1, 1, spine, spirv_hash_spine_comp);
const rdx_kernel rdx_kernel_hash_place =
    RDX_COMPUTE_KERNEL("hash place", hash_place_args, 2, 32, 1, place, spirv_hash_place_comp_place);
