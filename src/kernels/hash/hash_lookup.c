/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The kernels that look up in a hash table, and their bodies on the CPU. */

#include "kernels/hash/kernels.h"
#include "spirv/shaders.h"

#if defined __x86_64__
#include <immintrin.h>
#endif

#include "kernels/lookup/found.h"

/* Probes whose buckets are fetched together: for u64 keys fewer are faster. */
#define BATCH 32
#define BATCH_U64 20

/* The probes of a batch. */
typedef struct batch {
  union {
    uint32_t u32[BATCH];
    uint64_t u64[BATCH];
  } keys; /* mixed */
  const uint32_t *buckets[BATCH];
  uint32_t values[BATCH]; /* of their entries; NO_ROW: none */
  uint32_t counts[BATCH];
} batch;

/* ---- The slots of a bucket that hold a key, empty ones included, as bits ----
 *
 * AVX-512 compares a bucket at once, but is no faster: buckets come slower than they are compared. */

static inline uint32_t load_u32(const uint32_t *bucket, uint32_t slot) {
  return bucket[slot];
}

static inline uint64_t load_u64(const uint32_t *bucket, uint32_t slot) {
  uint64_t key;
  memcpy(&key, bucket + 2 * slot, sizeof key);
  return key;
}

static inline uint32_t match_plain_u32(const uint32_t *bucket, uint64_t key, uint32_t slots) {
  uint32_t bits = 0;
  for (uint32_t s = 0; s < slots; s++)
    bits |= (uint32_t)(load_u32(bucket, s) == (uint32_t)key) << s;
  return bits;
}

static inline uint32_t match_plain_u64(const uint32_t *bucket, uint64_t key, uint32_t slots) {
  uint32_t bits = 0;
  for (uint32_t s = 0; s < slots; s++)
    bits |= (uint32_t)(load_u64(bucket, s) == key) << s;
  return bits;
}

#if defined __x86_64__

#define AVX2 __attribute__((target("avx2,bmi")))

AVX2 static inline uint32_t match_avx2_u32(const uint32_t *bucket, uint64_t key, uint32_t slots) {
  const __m256i words = _mm256_load_si256((const __m256i *)(const void *)bucket);
  const __m256i equal = _mm256_cmpeq_epi32(words, _mm256_set1_epi32((int)(uint32_t)key));
  return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(equal)) & ((1u << slots) - 1);
}

AVX2 static inline uint32_t match_avx2_u64(const uint32_t *bucket, uint64_t key, uint32_t slots) {
  const __m256i *halves = (const __m256i *)(const void *)bucket, wanted = _mm256_set1_epi64x((long long)key);
  const __m256i low = _mm256_cmpeq_epi64(_mm256_load_si256(halves), wanted);
  const __m256i high = _mm256_cmpeq_epi64(_mm256_load_si256(halves + 1), wanted);
  return ((uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(low)) |
          (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(high)) << 4) &
         ((1u << slots) - 1);
}

#endif

/* ---- Searching, once for each width, layout and instruction set, with the same body ---- */

/* Find the home buckets of probes from `first` on and have them on their way. */
#define DEFINE_START(isa, bits, target)                                                                                \
  target static void start_##isa##_u##bits(const struct hash_args *args, uint32_t first, uint32_t count, batch *b) {   \
    const uint##bits##_t *probes = (const uint##bits##_t *)(const void *)args->lower + first;                          \
    for (uint32_t k = 0; k < count; k++)                                                                               \
      b->keys.u##bits[k] = mix_u##bits(probes[k]);                                                                     \
    for (uint32_t k = 0; k < count; k++) {                                                                             \
      b->buckets[k] = args->table + (uint64_t)home_bucket(b->keys.u##bits[k], bits == 64, args->homes) * BUCKET_WORDS; \
      __builtin_prefetch(b->buckets[k]);                                                                               \
    }                                                                                                                  \
  }

#define DEFINE_FIND(isa, match, bits, runs, target)                                                                    \
  target static void find_##isa##_u##bits##_##runs(batch *b, uint32_t count) {                                         \
    const uint32_t slots = bucket_slots(bits == 64, runs), values = values_at(bits == 64, runs);                       \
    const uint##bits##_t *keys = b->keys.u##bits;                                                                      \
    /* A step without a branch, which would be hard to foresee, ends nearly all searches. */                           \
    for (uint32_t k = 0; k < count; k++) {                                                                             \
      const uint32_t *bucket = b->buckets[k];                                                                          \
      bucket += BUCKET_WORDS & (0u - (uint32_t)(load_u##bits(bucket, slots - 1) < keys[k]));                           \
      __builtin_prefetch(bucket);                                                                                      \
      b->buckets[k] = bucket;                                                                                          \
    }                                                                                                                  \
    for (uint32_t k = 0; k < count; k++) {                                                                             \
      const uint32_t *bucket = b->buckets[k];                                                                          \
      while (load_u##bits(bucket, slots - 1) < keys[k])                                                                \
        bucket += BUCKET_WORDS;                                                                                        \
      const uint32_t found = match(bucket, keys[k], slots);                                                            \
      const uint32_t slot = (uint32_t)__builtin_ctz(found | 1u << (slots - 1));                                        \
      b->values[k] = bucket[values + slot] | (0u - (uint32_t)(found == 0));                                            \
      if (runs)                                                                                                        \
        b->counts[k] = b->values[k] == NO_ROW ? 0 : bucket[values + slots + slot];                                     \
    }                                                                                                                  \
    for (uint32_t k = 0; !runs && k < count; k++)                                                                      \
      b->counts[k] = b->values[k] != NO_ROW;                                                                           \
  }

#define DEFINE_FINDS(isa, target)                                                                                      \
  DEFINE_START(isa, 32, target)                                                                                        \
  DEFINE_START(isa, 64, target)                                                                                        \
  DEFINE_FIND(isa, match_##isa##_u32, 32, 0, target)                                                                   \
  DEFINE_FIND(isa, match_##isa##_u32, 32, 1, target)                                                                   \
  DEFINE_FIND(isa, match_##isa##_u64, 64, 0, target)                                                                   \
  DEFINE_FIND(isa, match_##isa##_u64, 64, 1, target)                                                                   \
  static const search search_##isa[2][2] = {                                                                           \
      {{start_##isa##_u32, find_##isa##_u32_0}, {start_##isa##_u32, find_##isa##_u32_1}},                              \
      {{start_##isa##_u64, find_##isa##_u64_0}, {start_##isa##_u64, find_##isa##_u64_1}}};

typedef struct search {
  void (*start)(const struct hash_args *args, uint32_t first, uint32_t count, batch *b);
  void (*find)(batch *b, uint32_t count);
} search;

DEFINE_FINDS(plain, )
#if defined __x86_64__
DEFINE_FINDS(avx2, AVX2)
#endif

static search choose_search(uint32_t key64, uint32_t runs) {
#if defined __x86_64__
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi"))
    return search_avx2[key64 != 0][runs != 0];
#endif
  return search_plain[key64 != 0][runs != 0];
}

/* ---- Lookups ---- */

/* Counts and first rows. */
static void store_counts(const struct hash_args *args, uint32_t first, uint32_t count, const batch *b) {
  if (args->io.out_count)
    memcpy(&args->io.out_count[first], b->counts, count * sizeof *b->counts);
  if (!args->io.out_first)
    return;
  if (!args->rows) {
    memcpy(&args->io.out_first[first], b->values, count * sizeof *b->values);
    return;
  }
  for (uint32_t k = 0; k < count; k++)
    args->io.out_first[first + k] = b->counts[k] > 1 ? args->rows[b->values[k]] : b->values[k];
}

static void collect(const struct hash_args *args, const uint32_t *variant, uint32_t i, uint32_t start_or_row,
                    uint32_t count) {
  const uint32_t gather = variant[2], value = variant[3];
  const uint32_t to = gather == GATHER_ROWS ? (uint32_t)args->io.offsets[i] : 0;
  findings f = FOUND_NONE;
  for (uint32_t k = 0; k < count; k++) {
    const uint32_t row = count == 1 ? start_or_row : args->rows[start_or_row + k];
    f = found_add(f, args->io, row, to, gather, value);
  }
  found_store(f, args->io, (uint64_t)i, gather);
}

static void end(const struct hash_args *args, const uint32_t *variant, uint32_t first, uint32_t count, batch *b) {
  if (args->valid) {
    for (uint32_t k = 0; k < count; k++) {
      if (!has_bit(args->valid, first + k)) {
        b->values[k] = NO_ROW;
        b->counts[k] = 0;
      }
    }
  }
  /* Have what is needed next on its way for all probes at once: where a run's rows begin, or a single row's value. */
  for (uint32_t k = 0; k < count && variant[1]; k++)
    if (b->counts[k] > 1)
      __builtin_prefetch(&args->rows[b->values[k]]);
  if (variant[2] == GATHER_COUNT) {
    store_counts(args, first, count, b);
    return;
  }
  for (uint32_t k = 0; k < count && args->io.values; k++)
    if (b->counts[k] == 1)
      __builtin_prefetch(variant[3] >= VALUE_U64 ? (const void *)&AS_U64_PTR(args->io.values)[b->values[k]]
                                                 : (const void *)&args->io.values[b->values[k]]);
  for (uint32_t k = 0; k < count; k++)
    collect(args, variant, first + k, b->values[k], b->counts[k]);
}

/* Batches take turns: while one is searched the buckets of the next are on their way. */
RDX_KERNEL_BODY(lookup, hash_args) {
  const search s = choose_search(variant[0], variant[1]);
  const uint32_t max = variant[0] ? BATCH_U64 : BATCH;
  batch batches[2];
  uint32_t length = a->count < max ? a->count : max;
  s.start(a, a->first, length, &batches[0]);
  for (uint32_t done = 0, turn = 0; done < a->count; turn ^= 1) {
    const uint32_t rest = a->count - done - length, next = rest < max ? rest : max;
    s.start(a, a->first + done + length, next, &batches[turn ^ 1]);
    s.find(&batches[turn], length);
    end(a, variant, a->first + done, length, &batches[turn]);
    done += length;
    length = next;
  }
}

RDX_KERNEL_BODY(visits, hash_visits_args) {
  const uint32_t key64 = variant[0], runs = variant[1];
  const uint32_t last = bucket_slots(key64, runs) - 1;
  for (uint32_t i = a->first; i < a->first + a->count; i++) {
    const uint64_t key = mix_key(load_key(a->lower, i, key64), key64);
    const uint32_t *bucket = a->table + (uint64_t)home_bucket(key, key64, a->homes) * BUCKET_WORDS;
    uint32_t looked = has_bit(a->valid, i);
    while (looked && (key64 ? load_u64(bucket, last) : load_u32(bucket, last)) < key) {
      bucket += BUCKET_WORDS;
      looked++;
    }
    a->out_visits[i] = looked;
  }
}

#define LOOKUP(title, code) RDX_COMPUTE_KERNEL(title, hash_args, HASH_CONSTANTS, 4096, 256, lookup, code)

const rdx_kernel rdx_kernel_hash_lookup[5] = {
    LOOKUP("hash lookup by 1 lane", spirv_hash_lookup_comp_lanes_1),
    LOOKUP("hash lookup by 2 lanes", spirv_hash_lookup_comp_lanes_2),
    LOOKUP("hash lookup by 4 lanes", spirv_hash_lookup_comp_lanes_4),
    LOOKUP("hash lookup by 8 lanes", spirv_hash_lookup_comp_lanes_8),
    LOOKUP("hash lookup by 16 lanes", spirv_hash_lookup_comp_lanes_16),
};

const rdx_kernel rdx_kernel_hash_visits =
    RDX_COMPUTE_KERNEL("hash visits", hash_visits_args, 2, 4096, 256, visits, spirv_hash_visits_comp);
