/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Searching the tree on the CPU: a node is one cache line, and one comparison where instructions are as wide. */

#include "kernels/tree/descent.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* What the search needs of an instruction set, for each width of keys:
 *   below(node, key)   how many of a node's keys are below
 *   match(block, key, &row)   the same of a block's entries, and the row of the first that is equal, or NO_ROW
 * and coarse_below(node, key), the same as below() of a coarse node. */

/* ---- Plain C ---- */

static inline uint32_t below_u32_c(const uint32_t *node, uint32_t key) {
  uint32_t count = 0;
  for (int k = 0; k < 16; k++)
    count += node[k] < key;
  return count;
}

static inline uint32_t below_u64_c(const uint64_t *node, uint64_t key) {
  uint32_t count = 0;
  for (int k = 0; k < 8; k++)
    count += node[k] < key;
  return count;
}

static inline uint32_t coarse_below_c(const uint16_t *node, uint32_t key) {
  uint32_t count = 0;
  for (uint32_t k = TREE_COARSE_HEAD; k < TREE_COARSE_HEAD + TREE_COARSE_FANOUT; k++)
    count += node[k] < key;
  return count;
}

/* Unused entries hold the largest key and NO_ROW, so that a match with one is none. */
static inline uint32_t match_u32_c(const uint32_t *block, uint32_t key, uint32_t *row) {
  uint32_t count = 0;
  for (int k = 0; k < TREE_LEAF; k++)
    count += block[2 * k] < key;
  *row = count < TREE_LEAF && block[2 * count] == key ? block[2 * count + 1] : NO_ROW;
  return count;
}

static inline uint32_t row_of_u64(const uint32_t *block, uint32_t slot, uint64_t key) {
  return slot < TREE_LEAF && ((const uint64_t *)(const void *)block)[slot] == key ? block[16 + slot] : NO_ROW;
}

static inline uint32_t match_u64_c(const uint32_t *block, uint64_t key, uint32_t *row) {
  const uint32_t count = below_u64_c((const uint64_t *)(const void *)block, key);
  *row = row_of_u64(block, count, key);
  return count;
}

/* ---- The descent ---- */

/* The block that has the first entry which is not below `key`, when `block`, to which a coarse node leads, has not. */
static uint32_t later_block(const struct tree_args *args, uint32_t key64, uint32_t block, uint64_t key) {
  const uint32_t end = (block / TREE_COARSE_FANOUT + 1) * TREE_COARSE_FANOUT, all = tree_blocks(args->n);
  return tree_block_from(args->leaves, block + 1, (end < all ? end : all) - 1, key, key64);
}

/* Coarse nodes of a batch, by the directory or from the top, which is one node here, down. A level's last node may be
 * filled up with keys that belong to no child: the last child takes their place. */
#define DEFINE_LEVELS(name, attributes, type, fanout, below)                                                           \
  attributes static void name##_cells(const struct tree_args *args, const struct tree_batch *b, uint32_t *node) {      \
    const struct tree_state s = *args->state;                                                                          \
    const uint32_t *directory = (const uint32_t *)(const void *)(args->state + 1), count = s.count[s.levels - 1];      \
    const type *inner = (const type *)(const void *)args->inner, *keys = inner + s.begin[s.levels - 1];                \
    const type *coarse = inner + s.coarse;                                                                             \
    for (uint32_t k = 0; k < b->count; k++) {                                                                          \
      const uint32_t begin = directory[tree_cell(b->key[k], s.lowest, s.shift, s.cells)];                              \
      const uint32_t child = begin + below(keys + begin, (type)b->key[k]);                                             \
      node[k] = child < count ? child : count - 1;                                                                     \
      __builtin_prefetch(coarse + (uint64_t)node[k] * fanout);                                                         \
    }                                                                                                                  \
  }                                                                                                                    \
  attributes static void name##_levels(const struct tree_args *args, const struct tree_batch *b, uint32_t *node) {     \
    const struct tree_state *s = args->state;                                                                          \
    const type *inner = (const type *)(const void *)args->inner, *keys = inner;                                        \
    uint32_t count = s->top_count;                                                                                     \
    for (uint32_t k = 0; k < b->count; k++)                                                                            \
      node[k] = 0;                                                                                                     \
    for (uint32_t level = 0; level <= s->levels; level++) { /* the next one is the coarse one in the end */            \
      const type *next = inner + (level == s->levels ? s->coarse : s->begin[level]);                                   \
      for (uint32_t k = 0; k < b->count; k++) {                                                                        \
        const uint32_t child = node[k] * fanout + below(keys + (uint64_t)node[k] * fanout, (type)b->key[k]);           \
        node[k] = child < count ? child : count - 1;                                                                   \
        __builtin_prefetch(next + (uint64_t)node[k] * fanout);                                                         \
      }                                                                                                                \
      keys = next;                                                                                                     \
      count = level == s->levels ? count : s->count[level];                                                            \
    }                                                                                                                  \
  }

#define DEFINE_DESCENT(name, attributes, type, fanout, below, coarse_below, match)                                     \
  DEFINE_LEVELS(name, attributes, type, fanout, below)                                                                 \
  attributes static void name(const struct tree_args *args, struct tree_batch *b) {                                    \
    const type *inner = (const type *)(const void *)args->inner;                                                       \
    const uint16_t *coarse = (const uint16_t *)(const void *)(inner + args->state->coarse);                            \
    const uint32_t words = TREE_BLOCK_WORDS(sizeof(type) == 8), blocks = tree_blocks(args->n);                         \
    uint32_t node[TREE_BATCH];                                                                                         \
    (args->state->cells > 0 ? name##_cells : name##_levels)(args, b, node);                                            \
    for (uint32_t k = 0; k < b->count; k++) {                                                                          \
      const uint16_t *coarse_node = coarse + (uint64_t)node[k] * TREE_NODE_WORDS * 2;                                  \
      uint64_t head;                                                                                                   \
      memcpy(&head, coarse_node, sizeof head);                                                                         \
      const uint32_t child =                                                                                           \
          node[k] * TREE_COARSE_FANOUT + coarse_below(coarse_node, tree_coarse_key(head, b->key[k]));                  \
      node[k] = child < blocks ? child : blocks - 1;                                                                   \
      const uint32_t *block = args->leaves + (uint64_t)node[k] * words;                                                \
      __builtin_prefetch(block);                                                                                       \
      if (sizeof(type) == 8)                                                                                           \
        __builtin_prefetch(block + 16);                                                                                \
    }                                                                                                                  \
    for (uint32_t k = 0; k < b->count; k++) {                                                                          \
      uint32_t slot = match(args->leaves + (uint64_t)node[k] * words, (type)b->key[k], &b->row[k]);                    \
      if (slot == TREE_LEAF && node[k] + 1 < blocks) {                                                                 \
        node[k] = later_block(args, sizeof(type) == 8, node[k], b->key[k]);                                            \
        slot = match(args->leaves + (uint64_t)node[k] * words, (type)b->key[k], &b->row[k]);                           \
      }                                                                                                                \
      const uint32_t entry = node[k] * TREE_LEAF + slot;                                                               \
      b->entry[k] = entry < args->n ? entry : args->n;                                                                 \
    }                                                                                                                  \
  }

DEFINE_DESCENT(descend_u32_c, , uint32_t, 16, below_u32_c, coarse_below_c, match_u32_c)
DEFINE_DESCENT(descend_u64_c, , uint64_t, 8, below_u64_c, coarse_below_c, match_u64_c)

#if defined(__x86_64__)

/* ---- AVX2: comparisons are signed, so both sides have their sign bits flipped ---- */

#define AVX2 __attribute__((target("avx2,popcnt")))

AVX2 static inline uint32_t mask_u32_avx2(const uint32_t *eight, __m256i flipped_key, __m256i sign) {
  const __m256i keys = _mm256_xor_si256(_mm256_loadu_si256((const __m256i *)(const void *)eight), sign);
  return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(flipped_key, keys)));
}

AVX2 static inline uint32_t below_u32_avx2(const uint32_t *node, uint32_t key) {
  const __m256i sign = _mm256_set1_epi32(INT32_MIN), flipped = _mm256_set1_epi32((int32_t)(key ^ 0x80000000u));
  return (uint32_t)__builtin_popcount(mask_u32_avx2(node, flipped, sign) | mask_u32_avx2(node + 8, flipped, sign) << 8);
}

AVX2 static inline uint32_t match_u32_avx2(const uint32_t *block, uint32_t key, uint32_t *row) {
  const __m256i sign = _mm256_set1_epi32(INT32_MIN), flipped = _mm256_set1_epi32((int32_t)(key ^ 0x80000000u));
  const uint32_t mask = mask_u32_avx2(block, flipped, sign) | mask_u32_avx2(block + 8, flipped, sign) << 8;
  const uint32_t count = (uint32_t)__builtin_popcount(mask & 0x5555u);
  *row = count < TREE_LEAF && block[2 * count] == key ? block[2 * count + 1] : NO_ROW;
  return count;
}

AVX2 static inline uint32_t mask_u64_avx2(const uint64_t *four, __m256i flipped_key, __m256i sign) {
  const __m256i keys = _mm256_xor_si256(_mm256_loadu_si256((const __m256i *)(const void *)four), sign);
  return (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpgt_epi64(flipped_key, keys)));
}

AVX2 static inline uint32_t below_u64_avx2(const uint64_t *node, uint64_t key) {
  const __m256i sign = _mm256_set1_epi64x(INT64_MIN), flipped = _mm256_set1_epi64x((int64_t)(key ^ 1ull << 63));
  return (uint32_t)__builtin_popcount(mask_u64_avx2(node, flipped, sign) | mask_u64_avx2(node + 4, flipped, sign) << 4);
}

AVX2 static inline uint32_t match_u64_avx2(const uint32_t *block, uint64_t key, uint32_t *row) {
  const uint32_t count = below_u64_avx2((const uint64_t *)(const void *)block, key);
  *row = row_of_u64(block, count, key);
  return count;
}

/* They have 15 bits. */
AVX2 static inline uint32_t coarse_below_avx2(const uint16_t *node, uint32_t key) {
  const uint32_t keys = UINT32_MAX << TREE_COARSE_HEAD; /* those of a lane of 16 bytes are where they were */
  const __m256i k = _mm256_set1_epi16((short)key);
  const __m256i first = _mm256_cmpgt_epi16(k, _mm256_loadu_si256((const __m256i *)(const void *)node));
  const __m256i second = _mm256_cmpgt_epi16(k, _mm256_loadu_si256((const __m256i *)(const void *)(node + 16)));
  return (uint32_t)__builtin_popcount((uint32_t)_mm256_movemask_epi8(_mm256_packs_epi16(first, second)) & keys);
}

DEFINE_DESCENT(descend_u32_avx2, AVX2, uint32_t, 16, below_u32_avx2, coarse_below_avx2, match_u32_avx2)
DEFINE_DESCENT(descend_u64_avx2, AVX2, uint64_t, 8, below_u64_avx2, coarse_below_avx2, match_u64_avx2)

/* ---- AVX-512 ---- */

#define AVX512 __attribute__((target("avx512f,avx512bw,popcnt")))

AVX512 static inline uint32_t below_u32_avx512(const uint32_t *node, uint32_t key) {
  return (uint32_t)__builtin_popcount(_mm512_cmplt_epu32_mask(_mm512_loadu_si512(node), _mm512_set1_epi32((int)key)));
}

AVX512 static inline uint32_t match_u32_avx512(const uint32_t *block, uint32_t key, uint32_t *row) {
  const __m512i entries = _mm512_loadu_si512(block), keys = _mm512_set1_epi32((int)key);
  const uint32_t count = (uint32_t)__builtin_popcount(_mm512_mask_cmplt_epu32_mask(0x5555, entries, keys));
  *row = count < TREE_LEAF && block[2 * count] == key ? block[2 * count + 1] : NO_ROW;
  return count;
}

AVX512 static inline uint32_t below_u64_avx512(const uint64_t *node, uint64_t key) {
  return (uint32_t)__builtin_popcount(
      _mm512_cmplt_epu64_mask(_mm512_loadu_si512(node), _mm512_set1_epi64((long long)key)));
}

AVX512 static inline uint32_t match_u64_avx512(const uint32_t *block, uint64_t key, uint32_t *row) {
  const uint32_t count = below_u64_avx512((const uint64_t *)(const void *)block, key);
  *row = row_of_u64(block, count, key);
  return count;
}

AVX512 static inline uint32_t coarse_below_avx512(const uint16_t *node, uint32_t key) {
  const uint32_t keys = UINT32_MAX << TREE_COARSE_HEAD;
  return (uint32_t)__builtin_popcount(
      _mm512_mask_cmplt_epu16_mask(keys, _mm512_loadu_si512(node), _mm512_set1_epi16((short)key)));
}

DEFINE_DESCENT(descend_u32_avx512, AVX512, uint32_t, 16, below_u32_avx512, coarse_below_avx512, match_u32_avx512)
DEFINE_DESCENT(descend_u64_avx512, AVX512, uint64_t, 8, below_u64_avx512, coarse_below_avx512, match_u64_avx512)

#endif

void tree_search(const struct tree_args *args, uint32_t key64, struct tree_batch *batch) {
  if (args->n == 0) {
    for (uint32_t k = 0; k < batch->count; k++) {
      batch->entry[k] = 0;
      batch->row[k] = NO_ROW;
    }
    return;
  }
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512bw")) {
    (key64 ? descend_u64_avx512 : descend_u32_avx512)(args, batch);
    return;
  }
  if (__builtin_cpu_supports("avx2")) {
    (key64 ? descend_u64_avx2 : descend_u32_avx2)(args, batch);
    return;
  }
#endif
  (key64 ? descend_u64_c : descend_u32_c)(args, batch);
}
