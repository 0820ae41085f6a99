/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Lookups in a B+-tree on the CPU. */

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "kernels/btree/kernels.h"
#include "spirv/shaders.h"

#include "kernels/lookup/found.h"

/* Searches that advance together, level by level, each prefetching its next node while the others take their step. */
#define BATCH 32
#define LINE 64u

/* Where a key would stand: a place, its leaf, the entries of the leaf below the key and those not above it. */
typedef struct spot {
  uint32_t place, leaf, below, upto;
} spot;

/* ---- Searching a node: the keys below `key`, and those not above it ---- */

#define DEFINE_PLAIN(name, bits, is)                                                                                   \
  static inline uint32_t name##_u##bits##_plain(const uint##bits##_t *node, uint##bits##_t key) {                      \
    uint32_t n = 0;                                                                                                    \
    for (uint32_t i = 0; i < BTREE_WIDTH; i++)                                                                         \
      n += node[i] is key;                                                                                             \
    return n;                                                                                                          \
  }

DEFINE_PLAIN(below, 32, <)
DEFINE_PLAIN(upto, 32, <=)
DEFINE_PLAIN(below, 64, <)
DEFINE_PLAIN(upto, 64, <=)

#ifdef __x86_64__
#define TARGET_AVX512 __attribute__((target("avx512f,popcnt")))
#define TARGET_AVX2 __attribute__((target("avx2,popcnt")))

#define DEFINE_AVX512(name, compare)                                                                                   \
  TARGET_AVX512 static inline uint32_t name##_u32_avx512(const uint32_t *node, uint32_t key) {                         \
    const __m512i k = _mm512_set1_epi32((int32_t)key);                                                                 \
    return (uint32_t)__builtin_popcount(_mm512_##compare##_epu32_mask(_mm512_loadu_si512(node), k));                   \
  }                                                                                                                    \
  TARGET_AVX512 static inline uint32_t name##_u64_avx512(const uint64_t *node, uint64_t key) {                         \
    const __m512i k = _mm512_set1_epi64((int64_t)key);                                                                 \
    const uint32_t low = _mm512_##compare##_epu64_mask(_mm512_loadu_si512(node), k);                                   \
    const uint32_t high = _mm512_##compare##_epu64_mask(_mm512_loadu_si512(node + 8), k);                              \
    return (uint32_t)__builtin_popcount(low | high << 8);                                                              \
  }

DEFINE_AVX512(below, cmplt)
DEFINE_AVX512(upto, cmple)

/* AVX2 compares signed numbers: the sign bits of both sides are flipped. */
TARGET_AVX2 static inline __m256i load_flipped_u32(const uint32_t *from) {
  return _mm256_xor_si256(_mm256_loadu_si256((const __m256i *)(const void *)from), _mm256_set1_epi32(INT32_MIN));
}

TARGET_AVX2 static inline __m256i load_flipped_u64(const uint64_t *from) {
  return _mm256_xor_si256(_mm256_loadu_si256((const __m256i *)(const void *)from), _mm256_set1_epi64x(INT64_MIN));
}

TARGET_AVX2 static inline uint32_t below_u32_avx2(const uint32_t *node, uint32_t key) {
  const __m256i k = _mm256_set1_epi32((int32_t)(key ^ 0x80000000u));
  const __m256i low = _mm256_cmpgt_epi32(k, load_flipped_u32(node));
  const __m256i high = _mm256_cmpgt_epi32(k, load_flipped_u32(node + 8));
  return (uint32_t)__builtin_popcount((uint32_t)_mm256_movemask_epi8(_mm256_packs_epi32(low, high))) / 2;
}

TARGET_AVX2 static inline uint32_t upto_u32_avx2(const uint32_t *node, uint32_t key) {
  const __m256i k = _mm256_set1_epi32((int32_t)(key ^ 0x80000000u));
  const __m256i low = _mm256_cmpgt_epi32(load_flipped_u32(node), k);
  const __m256i high = _mm256_cmpgt_epi32(load_flipped_u32(node + 8), k);
  return BTREE_WIDTH - (uint32_t)__builtin_popcount((uint32_t)_mm256_movemask_epi8(_mm256_packs_epi32(low, high))) / 2;
}

TARGET_AVX2 static inline uint32_t below_u64_avx2(const uint64_t *node, uint64_t key) {
  const __m256i k = _mm256_set1_epi64x((int64_t)(key ^ 0x8000000000000000u));
  uint32_t bits = 0;
  for (uint32_t j = 0; j < BTREE_WIDTH / 4; j++)
    bits |= (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpgt_epi64(k, load_flipped_u64(node + 4 * j))))
            << 4 * j;
  return (uint32_t)__builtin_popcount(bits);
}

TARGET_AVX2 static inline uint32_t upto_u64_avx2(const uint64_t *node, uint64_t key) {
  const __m256i k = _mm256_set1_epi64x((int64_t)(key ^ 0x8000000000000000u));
  uint32_t bits = 0;
  for (uint32_t j = 0; j < BTREE_WIDTH / 4; j++)
    bits |= (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpgt_epi64(load_flipped_u64(node + 4 * j), k)))
            << 4 * j;
  return BTREE_WIDTH - (uint32_t)__builtin_popcount(bits);
}
#endif

/* ---- Searching the tree ---- */

static inline void prefetch_node(const void *node, size_t size) {
  for (size_t at = 0; at < size; at += LINE)
    __builtin_prefetch((const char *)node + at);
}

typedef void (*find_fn)(const struct btree_args *args, uint32_t depth, const uint32_t *rows, const uint64_t *wanted,
                        uint32_t count, spot *out);

/* Spots of `count` keys; `rows`, where not NULL, are fetched beside the leaves. Once for each width and instruction
 * set, with the same body. No array is local: GCC 12 places those of AVX-512 code wrongly on the stack that
 * AddressSanitizer checks for use after return. */
#define DEFINE_FIND(width, type, suffix, target)                                                                       \
  target static void find_##width##_##suffix(const struct btree_args *args, uint32_t depth, const uint32_t *rows,      \
                                             const uint64_t *wanted, uint32_t count, spot *out) {                      \
    const type *levels = (const type *)(const void *)args->levels, *keys = (const type *)(const void *)args->keys;     \
    uint32_t *const order = args->state->order;                                                                        \
    enum { NODE = BTREE_WIDTH * sizeof(type) };                                                                        \
    for (uint32_t k = 0; k < count; k++)                                                                               \
      out[k].place = 0; /* the node of the level */                                                                    \
    for (uint32_t level = depth; level > 0; level--) {                                                                 \
      const type *next = levels + BTREE_WIDTH * (uint64_t)btree_level_size(args->leaves, level);                       \
      for (uint32_t k = 0; k < count; k++) {                                                                           \
        const uint64_t first = BTREE_WIDTH * (uint64_t)out[k].place;                                                   \
        const uint64_t child = first + below_##width##_##suffix(levels + first, (type)wanted[k]);                      \
        out[k].place = (uint32_t)child;                                                                                \
        if (level > 1)                                                                                                 \
          prefetch_node(next + BTREE_WIDTH * child, NODE);                                                             \
        else if (order)                                                                                                \
          __builtin_prefetch(&order[child]);                                                                           \
        else                                                                                                           \
          prefetch_node(keys + BTREE_WIDTH * child, NODE);                                                             \
      }                                                                                                                \
      levels = next;                                                                                                   \
    }                                                                                                                  \
    for (uint32_t k = 0; k < count; k++) {                                                                             \
      out[k].leaf = btree_leaf(order, out[k].place);                                                                   \
      if (order)                                                                                                       \
        prefetch_node(keys + BTREE_WIDTH * (uint64_t)out[k].leaf, NODE);                                               \
      if (rows)                                                                                                        \
        __builtin_prefetch(rows + BTREE_WIDTH * (uint64_t)out[k].leaf);                                                \
    }                                                                                                                  \
    for (uint32_t k = 0; k < count; k++) {                                                                             \
      const type *leaf = keys + BTREE_WIDTH * (uint64_t)out[k].leaf;                                                   \
      out[k].below = below_##width##_##suffix(leaf, (type)wanted[k]);                                                  \
      out[k].upto = upto_##width##_##suffix(leaf, (type)wanted[k]);                                                    \
    }                                                                                                                  \
  }

DEFINE_FIND(u32, uint32_t, plain, )
DEFINE_FIND(u64, uint64_t, plain, )
#ifdef __x86_64__
DEFINE_FIND(u32, uint32_t, avx2, TARGET_AVX2)
DEFINE_FIND(u64, uint64_t, avx2, TARGET_AVX2)
DEFINE_FIND(u32, uint32_t, avx512, TARGET_AVX512)
DEFINE_FIND(u64, uint64_t, avx512, TARGET_AVX512)
#endif

static find_fn choose_find(uint32_t key64) {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f"))
    return key64 ? find_u64_avx512 : find_u32_avx512;
  if (__builtin_cpu_supports("avx2"))
    return key64 ? find_u64_avx2 : find_u32_avx2;
#endif
  return key64 ? find_u64_plain : find_u32_plain;
}

/* ---- Lookups ---- */

static uint32_t start(const struct btree_args *args, uint32_t place) {
  return btree_start(args->state->starts, args->state->n, args->state->per_leaf, place);
}

/* The entries of a batch of probes: `count` from the spot on. */
typedef struct match {
  uint32_t count;
  bool inside; /* all of them are in the leaf of the spot */
} match;

static void gather(const struct btree_args *args, const uint32_t *variant, uint32_t i, const spot *s, match m) {
  const uint32_t how = variant[1], value = variant[2];
  const uint32_t *rows = args->state->rows;
  findings f = FOUND_NONE;
  if (how == GATHER_ANY || (how == GATHER_COUNT && (!args->io.out_first || (m.count > 0 && !args->upper)))) {
    f.count = m.count; /* the rows of equal keys ascend */
    if (args->io.out_first)
      f.first = rows[s->leaf * (uint64_t)BTREE_WIDTH + s->below];
    found_store(f, args->io, (uint64_t)i, how);
    return;
  }
  const uint32_t to = how == GATHER_ROWS ? (uint32_t)args->io.offsets[i] : 0;
  uint32_t place = s->place, leaf = s->leaf, slot = s->below;
  while (m.count > 0) {
    const uint32_t rest = m.inside ? m.count : start(args, place + 1) - start(args, place) - slot;
    const uint32_t here = rest < m.count ? rest : m.count;
    for (uint32_t k = 0; k < here; k++) {
      const uint32_t row = rows[leaf * (uint64_t)BTREE_WIDTH + slot + k];
      f = found_add(f, args->io, row, to, how, value);
    }
    m.count -= here;
    slot = 0;
    place++;
    if (m.count > 0)
      leaf = btree_leaf(args->state->order, place);
  }
  found_store(f, args->io, (uint64_t)i, how);
}

/* The entries that are not above each of `count` keys, which are not the largest. */
static void ranks_above(const struct btree_args *args, const uint32_t *variant, const uint64_t *keys, uint32_t count,
                        uint32_t *out) {
  uint64_t next[BATCH] = {0};
  spot spots[BATCH];
  for (uint32_t k = 0; k < count; k++) /* nothing is above the largest key: it is dealt with below */
    next[k] = keys[k] == btree_largest_key(variant[0]) ? keys[k] : keys[k] + 1;
  choose_find(variant[0])(args, variant[3], NULL, next, count, spots);
  for (uint32_t k = 0; k < count; k++)
    out[k] = keys[k] == btree_largest_key(variant[0]) ? args->state->n : start(args, spots[k].place) + spots[k].below;
}

/* Whether the run of a key that was found is known to end in its leaf. A run that ends with the last key may go on in
 * the next leaf; the largest key also fills leaves. */
static bool ends_inside(const struct btree_args *args, const uint32_t *variant, const spot *s, uint64_t key) {
  const uint64_t largest = btree_largest_key(variant[0]);
  if (s->upto == s->below || (variant[4] && key != largest))
    return true;
  if (s->upto == BTREE_WIDTH)
    return false;
  const uint64_t at = s->leaf * (uint64_t)BTREE_WIDTH + s->upto;
  return (variant[0] ? AS_U64_PTR(args->keys)[at] : args->keys[at]) != largest;
}

static void match_points(const struct btree_args *args, const uint32_t *variant, const uint64_t *keys, uint32_t count,
                         const spot *spots, match *out) {
  uint64_t left_keys[BATCH];
  uint32_t left[BATCH], ends[BATCH], n = 0;
  for (uint32_t k = 0; k < count; k++) {
    out[k] = (match){spots[k].upto - spots[k].below, ends_inside(args, variant, &spots[k], keys[k])};
    const bool will_do = variant[1] == GATHER_ANY && out[k].count > 0 && keys[k] != btree_largest_key(variant[0]);
    if (out[k].inside || will_do)
      continue;
    left_keys[n] = keys[k];
    left[n++] = k;
  }
  if (n == 0)
    return;
  ranks_above(args, variant, left_keys, n, ends);
  for (uint32_t j = 0; j < n; j++) {
    const spot *s = &spots[left[j]];
    out[left[j]].count = ends[j] - start(args, s->place) - s->below;
  }
}

static void match_ranges(const struct btree_args *args, const uint32_t *variant, uint32_t first, const uint64_t *lower,
                         uint32_t count, const spot *spots, match *out) {
  uint64_t upper[BATCH];
  uint32_t ends[BATCH];
  for (uint32_t k = 0; k < count; k++)
    upper[k] = load_key(args->upper, first + k, variant[0]);
  ranks_above(args, variant, upper, count, ends);
  for (uint32_t k = 0; k < count; k++)
    out[k].count = lower[k] <= upper[k] ? ends[k] - start(args, spots[k].place) - spots[k].below : 0;
}

static void lookup_batch(const struct btree_args *args, const uint32_t *variant, uint32_t first, uint32_t count) {
  uint64_t lower[BATCH];
  spot spots[BATCH];
  match matches[BATCH] = {{0}};
  if (args->leaves > 0) {
    for (uint32_t k = 0; k < count; k++)
      lower[k] = load_key(args->lower, first + k, variant[0]);
    const bool needs_rows = (variant[1] != GATHER_COUNT && variant[1] != GATHER_ANY) || args->io.out_first;
    choose_find(variant[0])(args, variant[3], needs_rows ? args->state->rows : NULL, lower, count, spots);
    if (args->upper)
      match_ranges(args, variant, first, lower, count, spots, matches);
    else
      match_points(args, variant, lower, count, spots, matches);
  }
  if (args->io.values && !args->upper) { /* equal keys are few: have the first value on its way for each */
    for (uint32_t k = 0; k < count; k++) {
      if (matches[k].count == 0)
        continue;
      const uint32_t row = args->state->rows[spots[k].leaf * (uint64_t)BTREE_WIDTH + spots[k].below];
      __builtin_prefetch(variant[2] >= VALUE_U64 ? (const void *)&AS_U64_PTR(args->io.values)[row]
                                                 : (const void *)&args->io.values[row]);
    }
  }
  for (uint32_t k = 0; k < count; k++)
    gather(args, variant, first + k, &spots[k], has_bit(args->valid, first + k) ? matches[k] : (match){0});
}

RDX_KERNEL_BODY(lookup, btree_args) {
  for (uint32_t done = 0; done < a->count; done += BATCH)
    lookup_batch(a, variant, a->first + done, a->count - done < BATCH ? a->count - done : BATCH);
}

#define LOOKUP(title, code) RDX_COMPUTE_KERNEL(title, btree_args, BTREE_CONSTANTS, 4096, 256, lookup, code)

const rdx_kernel rdx_kernel_btree = LOOKUP("btree", spirv_btree_comp);
const rdx_kernel rdx_kernel_btree_by_8 = LOOKUP("btree by 8 lanes", spirv_btree_tile_comp_lanes_8);
const rdx_kernel rdx_kernel_btree_by_16 = LOOKUP("btree by 16 lanes", spirv_btree_tile_comp_lanes_16);
