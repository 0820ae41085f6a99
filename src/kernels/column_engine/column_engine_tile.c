/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Tiles on the CPU: batches of rows that stay in the cache, operator by operator (MonetDB/X100: Boncz, Zukowski, Nes,
 * CIDR 2005). Terms make bits, of which the rows that qualify are listed; dimensions shorten the list. */

#include "kernels/column_engine/host.h"

#if defined __x86_64__
#include <immintrin.h>
#endif

#define WORDS (ENGINE_BATCH / 64)
#define SLACK 16     /* vectors are stored whole */
#define MOST_LATE 16 /* columns */
#define ENOUGH 512   /* rows to be added */
#define HOT static inline __attribute__((always_inline))

/* The bits of a small dimension as a byte for each of 512 rows, of which bit k is that of the row k * 512 further on:
 * what byte shuffles look up. */
typedef struct small_bits {
  uint8_t bytes[ENGINE_SMALL / 8] __attribute__((aligned(64)));
} small_bits;

/* A column that rows are read from which are few by then. */
typedef struct late_column {
  const char *codes; /* of the tile's first row */
  uint32_t bytes;
} late_column;

typedef struct batch {
  const engine_query *q;
  const small_bits *small; /* of the first ENGINE_MOST_EARLY dimensions, if they are small */
  uint32_t first;          /* row of the tile */
  uint32_t late_count;
  late_column late[MOST_LATE];
  uint32_t n;                              /* of rows that qualify and wait to be added */
  uint32_t rows[2 * ENGINE_BATCH + SLACK]; /* less `first`, ascending */
  uint32_t groups[ENGINE_BATCH];           /* numbers of those that are being added */
} batch;

/* What is written for each instruction set. */
typedef struct operators {
  /* Narrow words of 64 rows, from `codes` on, to those whose code less `low` is at most `span`. */
  void (*compare)(const void *codes, uint32_t bytes, uint64_t low, uint64_t span, uint32_t count, uint64_t *words);
  /* List the rows whose bits are set, of which the first is `row`. */
  uint32_t (*list)(const uint64_t *words, uint32_t count, uint32_t row, uint32_t *rows);
  /* Narrow words to the rows whose partners have their bits set; their codes begin at `partners`. */
  void (*look_up)(const void *partners, const engine_link *link, uint32_t count, uint64_t *words);
  /* The same by the bits of a small dimension; NULL: it would take no less than the above. */
  void (*look_up_small)(const void *partners, uint32_t bytes, const small_bits *small, uint32_t count, uint64_t *words);
  /* Keep those of listed rows, counted from `first`, whose partners have their bits set. */
  uint32_t (*follow)(const engine_link *link, uint32_t first, uint32_t *rows, uint32_t n);
} operators;

/* ---- Plain operators ---- */

/* A multiplication brings eight bytes that are 0 or 1 together as bits. */
#define DEFINE_COMPARE(bits)                                                                                           \
  HOT uint64_t compare_u##bits(const void *codes, uint64_t low, uint64_t span) {                                       \
    const uint##bits##_t *c = codes, from = (uint##bits##_t)low, most = (uint##bits##_t)span;                          \
    uint8_t inside[64];                                                                                                \
    uint64_t word = 0;                                                                                                 \
    for (uint32_t k = 0; k < 64; k++)                                                                                  \
      inside[k] = (uint##bits##_t)(c[k] - from) <= most;                                                               \
    for (uint32_t k = 0; k < 8; k++) {                                                                                 \
      uint64_t eight;                                                                                                  \
      memcpy(&eight, inside + 8 * k, sizeof eight);                                                                    \
      word |= eight * 0x0102040810204080u >> 56 << (8 * k);                                                            \
    }                                                                                                                  \
    return word;                                                                                                       \
  }

DEFINE_COMPARE(8)
DEFINE_COMPARE(16)
DEFINE_COMPARE(32)
DEFINE_COMPARE(64)

#define COMPARE_EACH(bits)                                                                                             \
  for (uint32_t w = 0; w < count; w++)                                                                                 \
    if (words[w] != 0)                                                                                                 \
      words[w] &= compare_u##bits((const uint##bits##_t *)codes + 64 * (size_t)w, low, span);                          \
  break

HOT void compare_any(const void *codes, uint32_t bytes, uint64_t low, uint64_t span, uint32_t count, uint64_t *words) {
  switch (bytes) {
  case 1:
    COMPARE_EACH(8);
  case 2:
    COMPARE_EACH(16);
  case 4:
    COMPARE_EACH(32);
  default:
    COMPARE_EACH(64);
  }
}

HOT uint32_t list_any(const uint64_t *words, uint32_t count, uint32_t row, uint32_t *rows) {
  uint32_t n = 0;
  for (uint32_t w = 0; w < count; w++)
    for (uint64_t bits = words[w]; bits != 0; bits &= bits - 1)
      rows[n++] = row + 64 * w + (uint32_t)__builtin_ctzll(bits);
  return n;
}

HOT void look_up_any(const void *partners, const engine_link *link, uint32_t count, uint64_t *words) {
  for (uint32_t w = 0; w < count; w++) {
    uint64_t found = 0;
    for (uint64_t left = words[w]; left != 0; left &= left - 1) {
      const uint32_t k = (uint32_t)__builtin_ctzll(left);
      const uint32_t partner = (uint32_t)load_code((uint32_t *)(uintptr_t)partners, link->bytes, 64 * w + k);
      found |= (uint64_t)(link->bits[partner / 32] >> partner % 32 & 1) << k;
    }
    words[w] = found;
  }
}

HOT uint32_t follow_any(const engine_link *link, uint32_t first, uint32_t *rows, uint32_t n) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < n; i++) { /* without a branch that would be hard to foresee */
    const uint32_t row = rows[i], partner = (uint32_t)load_code(link->partners, link->bytes, first + row);
    rows[kept] = row;
    kept += link->bits[partner / 32] >> partner % 32 & 1;
  }
  return kept;
}

static void compare_plain(const void *codes, uint32_t bytes, uint64_t low, uint64_t span, uint32_t count,
                          uint64_t *words) {
  compare_any(codes, bytes, low, span, count, words);
}

static uint32_t list_plain(const uint64_t *words, uint32_t count, uint32_t row, uint32_t *rows) {
  return list_any(words, count, row, rows);
}

static void look_up_plain(const void *partners, const engine_link *link, uint32_t count, uint64_t *words) {
  look_up_any(partners, link, count, words);
}

static uint32_t follow_plain(const engine_link *link, uint32_t first, uint32_t *rows, uint32_t n) {
  return follow_any(link, first, rows, n);
}

/* ---- Vector operators ---- */

#if defined __x86_64__

#define AVX2 __attribute__((target("avx2,bmi,popcnt")))
#define AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,bmi,popcnt")))
#define VBMI __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,bmi,popcnt")))

AVX2 static void compare_avx2(const void *codes, uint32_t bytes, uint64_t low, uint64_t span, uint32_t count,
                              uint64_t *words) {
  compare_any(codes, bytes, low, span, count, words);
}

AVX2 static uint32_t list_avx2(const uint64_t *words, uint32_t count, uint32_t row, uint32_t *rows) {
  return list_any(words, count, row, rows);
}

AVX2 static void look_up_avx2(const void *partners, const engine_link *link, uint32_t count, uint64_t *words) {
  look_up_any(partners, link, count, words);
}

AVX2 static uint32_t follow_avx2(const engine_link *link, uint32_t first, uint32_t *rows, uint32_t n) {
  return follow_any(link, first, rows, n);
}

AVX512 static inline uint64_t inside_u8(const char *codes, __m512i low, __m512i span) {
  return _mm512_cmple_epu8_mask(_mm512_sub_epi8(_mm512_loadu_si512(codes), low), span);
}

AVX512 static inline uint64_t inside_u16(const char *codes, __m512i low, __m512i span) {
  return _mm512_cmple_epu16_mask(_mm512_sub_epi16(_mm512_loadu_si512(codes), low), span);
}

AVX512 static inline uint64_t inside_u32(const char *codes, __m512i low, __m512i span) {
  return _mm512_cmple_epu32_mask(_mm512_sub_epi32(_mm512_loadu_si512(codes), low), span);
}

AVX512 static inline uint64_t inside_u64(const char *codes, __m512i low, __m512i span) {
  return _mm512_cmple_epu64_mask(_mm512_sub_epi64(_mm512_loadu_si512(codes), low), span);
}

#define COMPARE_VECTORS(bits, set1, type)                                                                              \
  for (uint32_t w = 0; w < count; w++) {                                                                               \
    const char *from = (const char *)codes + (size_t)w * 64 * (bits / 8);                                              \
    uint64_t found = 0;                                                                                                \
    for (uint32_t k = 0; k < bits / 8 && words[w] != 0; k++)                                                           \
      found |= inside_u##bits(from + 64 * k, set1((type)low), set1((type)span)) << (512 / bits * k);                   \
    words[w] &= found;                                                                                                 \
  }                                                                                                                    \
  break

AVX512 static void compare_avx512(const void *codes, uint32_t bytes, uint64_t low, uint64_t span, uint32_t count,
                                  uint64_t *words) {
  switch (bytes) {
  case 1:
    COMPARE_VECTORS(8, _mm512_set1_epi8, char);
  case 2:
    COMPARE_VECTORS(16, _mm512_set1_epi16, short);
  case 4:
    COMPARE_VECTORS(32, _mm512_set1_epi32, int);
  default:
    COMPARE_VECTORS(64, _mm512_set1_epi64, long long);
  }
}

AVX512 static uint32_t list_avx512(const uint64_t *words, uint32_t count, uint32_t row, uint32_t *rows) {
  const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  uint32_t n = 0;
  for (uint32_t w = 0; w < count; w++) {
    for (uint32_t k = 0; k < 4 && words[w] != 0; k++) {
      const __mmask16 bits = (__mmask16)(words[w] >> (16 * k));
      const __m512i numbers = _mm512_add_epi32(lanes, _mm512_set1_epi32((int)(row + 64 * w + 16 * k)));
      _mm512_storeu_si512(rows + n, _mm512_maskz_compress_epi32(bits, numbers));
      n += (uint32_t)__builtin_popcount(bits);
    }
  }
  return n;
}

/* The bits of 16 rows of a dimension. */
AVX512 static inline __mmask16 gather_bits(const uint32_t *bits, __m512i partners, __mmask16 some) {
  const __m512i low_bits = _mm512_set1_epi32(31), one = _mm512_set1_epi32(1);
  const __m512i words =
      _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), some, _mm512_srli_epi32(partners, 5), bits, 4);
  return _mm512_test_epi32_mask(_mm512_srlv_epi32(words, _mm512_and_si512(partners, low_bits)), one) & some;
}

/* Codes may be read a vector past the last row, which buffers have room for. */
AVX512 static void look_up_avx512(const void *partners, const engine_link *link, uint32_t count, uint64_t *words) {
  const char *from = partners;
  for (uint32_t w = 0; w < count; w++) {
    const uint64_t rows = words[w];
    uint64_t found = 0;
    for (uint32_t k = 0; k < 64; k += 16, from += 16 * (size_t)link->bytes) {
      const __mmask16 some = (__mmask16)(rows >> k);
      if (some == 0)
        continue;
      const __m512i codes = link->bytes == 1   ? _mm512_cvtepu8_epi32(_mm_loadu_si128((const void *)from))
                            : link->bytes == 2 ? _mm512_cvtepu16_epi32(_mm256_loadu_si256((const void *)from))
                                               : _mm512_loadu_si512(from);
      found |= (uint64_t)gather_bits(link->bits, codes, some) << k;
    }
    words[w] = found;
  }
}

AVX512 static uint32_t follow_avx512(const engine_link *link, uint32_t first, uint32_t *rows, uint32_t n) {
  const char *from = (const char *)link->partners + (uint64_t)first * link->bytes;
  const __m512i none = _mm512_setzero_si512();
  uint32_t kept = 0;
  for (uint32_t i = 0; i < n; i += 16) {
    const __mmask16 some = n - i < 16 ? (__mmask16)((1u << (n - i)) - 1) : (__mmask16)0xffff;
    const __m512i some_rows = _mm512_loadu_si512(rows + i);
    __m512i codes;
    if (link->bytes == 1)
      codes = _mm512_and_si512(_mm512_mask_i32gather_epi32(none, some, some_rows, from, 1), _mm512_set1_epi32(0xff));
    else if (link->bytes == 2)
      codes = _mm512_and_si512(_mm512_mask_i32gather_epi32(none, some, some_rows, from, 2), _mm512_set1_epi32(0xffff));
    else
      codes = _mm512_mask_i32gather_epi32(none, some, some_rows, from, 4);
    const __mmask16 keep = gather_bits(link->bits, codes, some);
    _mm512_storeu_si512(rows + kept, _mm512_maskz_compress_epi32(keep, some_rows));
    kept += (uint32_t)__builtin_popcount(keep);
  }
  return kept;
}

/* A code's low byte and the lowest bit of its high byte number one of 512 bytes, the rest a bit in it. */
VBMI static void look_up_small_vbmi(const void *partners, uint32_t bytes, const small_bits *small, uint32_t count,
                                    uint64_t *words) {
  const __m512i evens =
      _mm512_set_epi64(0x7e7c7a7876747270, 0x6e6c6a6866646260, 0x5e5c5a5856545250, 0x4e4c4a4846444240,
                       0x3e3c3a3836343230, 0x2e2c2a2826242220, 0x1e1c1a1816141210, 0x0e0c0a0806040200);
  const __m512i bits = _mm512_broadcast_i32x4(_mm_set_epi64x((long long)0x8080404020201010, 0x0808040402020101));
  const __m512i one = _mm512_set1_epi8(1), odds = _mm512_or_si512(evens, one);
  __m512i t[8];
  for (uint32_t k = 0; k < 8; k++)
    t[k] = _mm512_load_si512(small->bytes + 64 * k);
  for (uint32_t w = 0; w < count; w++) {
    const char *from = (const char *)partners + (size_t)w * 64 * bytes;
    if (words[w] == 0)
      continue;
    __m512i low = _mm512_loadu_si512(from), high = _mm512_setzero_si512();
    if (bytes == 2) {
      const __m512i first = low, second = _mm512_loadu_si512(from + 64);
      high = _mm512_permutex2var_epi8(first, odds, second);
      low = _mm512_permutex2var_epi8(first, evens, second);
    }
    const __mmask64 upper = _mm512_movepi8_mask(low), last = _mm512_test_epi8_mask(high, one);
    const __m512i first_half = _mm512_mask_blend_epi8(upper, _mm512_permutex2var_epi8(t[0], low, t[1]),
                                                      _mm512_permutex2var_epi8(t[2], low, t[3]));
    const __m512i last_half = _mm512_mask_blend_epi8(upper, _mm512_permutex2var_epi8(t[4], low, t[5]),
                                                     _mm512_permutex2var_epi8(t[6], low, t[7]));
    words[w] &=
        _mm512_test_epi8_mask(_mm512_mask_blend_epi8(last, first_half, last_half), _mm512_shuffle_epi8(bits, high));
  }
}

#endif

/* ---- Rows that qualify ---- */

/* Dimensions are looked at for words of rows, rather than for rows one by one, where of so many rows one is left. */
#define FEW_FOR_SMALL 10
#define FEW_FOR_ANY 2

static bool is_small(const engine_link *link) {
  return link->bits && link->rows < ENGINE_SMALL && link->bytes <= 2;
}

static void prepare_small(const engine_query *q, small_bits *small) {
  for (uint32_t l = 0; l < q->link_count && l < ENGINE_MOST_EARLY; l++) {
    const engine_link *link = &q->links[l];
    if (!is_small(link))
      continue;
    memset(&small[l], 0, sizeof small[l]);
    for (uint32_t row = 0; row <= link->rows; row++)
      small[l].bytes[row % 512] |= (uint8_t)((link->bits[row / 32] >> row % 32 & 1) << row / 512);
  }
}

/* Bits of the first `n` rows of a batch. Returns the number of words. */
static uint32_t all_rows(uint32_t n, uint64_t *words) {
  const uint32_t count = (n + 63) / 64;
  for (uint32_t w = 0; w < count; w++)
    words[w] = n - 64 * w >= 64 ? UINT64_MAX : UINT64_MAX >> (64 - n % 64);
  return count;
}

/* Narrow the bits of rows `first` .. first + n - 1 to those for which a term holds. */
HOT void apply_term(const operators *o, const engine_term *terms, uint64_t *numbers, uint32_t t, uint32_t first,
                    uint32_t n, uint64_t *words) {
  const engine_term *term = &terms[t];
  const uint32_t full = n / 64;
  o->compare((const char *)term->codes + (uint64_t)first * term->bytes, term->bytes, term->low, term->span, full,
             words);
  for (uint32_t w = term->count == 1 ? full : 0; 64 * w < n; w++)
    for (uint64_t bits = words[w]; bits != 0; bits &= bits - 1) {
      const uint32_t row = first + 64 * w + (uint32_t)__builtin_ctzll(bits);
      if (!engine_holds((engine_term *)(uintptr_t)terms, numbers, t, row))
        words[w] &= ~(bits & (0 - bits));
    }
}

static uint32_t count_rows(const uint64_t *words, uint32_t count) {
  uint32_t n = 0;
  for (uint32_t w = 0; w < count; w++)
    n += (uint32_t)__builtin_popcountll(words[w]);
  return n;
}

/* Narrow the bits of the batch by dimensions while that is sooner done than by a list of rows. Returns how many of the
 * dimensions were looked at. */
HOT uint32_t apply_links(const operators *o, const batch *b, uint32_t first, uint32_t n, uint64_t *words,
                         uint32_t count) {
  const engine_query *q = b->q;
  uint32_t l = 0;
  for (; l < q->link_count; l++) {
    const engine_link *link = &q->links[l];
    const bool small = o->look_up_small && l < ENGINE_MOST_EARLY && is_small(link);
    if (!link->bits)
      continue;
    if (count_rows(words, count) * (small ? FEW_FOR_SMALL : FEW_FOR_ANY) < n)
      break;
    const char *partners = (const char *)link->partners + (uint64_t)first * link->bytes;
    if (small)
      o->look_up_small(partners, link->bytes, &b->small[l], count, words);
    else
      o->look_up(partners, link, count, words);
  }
  return l;
}

static uint32_t apply_tests(const engine_query *q, uint32_t first, uint32_t *rows, uint32_t n) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < n; i++) {
    rows[kept] = rows[i];
    kept += engine_passes(q->terms, q->tests, q->numbers, q->test_count, first + rows[i]);
  }
  return kept;
}

/* Rows that are far from each other: what will be read of them is on its way meanwhile. */
static void fetch(const batch *b, const uint32_t *rows, uint32_t n) {
  for (uint32_t c = 0; c < b->late_count; c++)
    for (uint32_t i = 0; i < n; i++)
      __builtin_prefetch(b->late[c].codes + (uint64_t)rows[i] * b->late[c].bytes);
}

/* List the rows that qualify among `n` from `at` on, behind those that wait. */
HOT void select_rows(const operators *o, batch *b, uint32_t at, uint32_t n) {
  const engine_query *q = b->q;
  uint64_t words[WORDS];
  uint32_t *rows = b->rows + b->n;
  const uint32_t count = all_rows(n, words);
  for (uint32_t t = 0; t < q->term_count; t++)
    apply_term(o, q->terms, q->numbers, t, at, n, words);
  const uint32_t done = apply_links(o, b, at, n, words, count);
  uint32_t left = o->list(words, count, at - b->first, rows);
  for (uint32_t l = done; l < q->link_count && left > 0; l++)
    if (q->links[l].bits)
      left = o->follow(&q->links[l], b->first, rows, left);
  if (q->test_count > 0)
    left = apply_tests(q, b->first, rows, left);
  if (left < n / 8)
    fetch(b, rows, left);
  b->n += left;
}

/* ---- Values ---- */

#define EACH_CODE(type)                                                                                                \
  for (uint32_t i = 0; i < n; i++)                                                                                     \
    out[i] = ((const type *)(const void *)codes)[(uint64_t)first + rows[i]];                                           \
  break

HOT void load_rows(const uint32_t *codes, uint32_t bytes, uint32_t first, const uint32_t *rows, uint32_t n,
                   uint64_t *out) {
  switch (bytes) {
  case 1:
    EACH_CODE(uint8_t);
  case 2:
    EACH_CODE(uint16_t);
  case 4:
    EACH_CODE(uint32_t);
  default:
    EACH_CODE(uint64_t);
  }
}

HOT void load_step(const engine_step *s, uint32_t first, const uint32_t *rows, uint32_t n, uint64_t *out) {
  load_rows(s->partners ? s->partners : s->codes, s->partners ? s->partner_bytes : s->bytes, first, rows, n, out);
  for (uint32_t i = 0; i < n && s->partners; i++)
    out[i] = load_code(s->codes, s->bytes, (uint32_t)out[i]);
}

/* The numbers of the groups of rows. */
HOT void number_groups(batch *b, const uint32_t *rows, uint32_t n) {
  const engine_query *q = b->q;
  uint64_t codes[ENGINE_BATCH];
  memset(b->groups, 0, n * sizeof *b->groups);
  for (uint32_t l = 0; l < q->link_count; l++) {
    const engine_link *link = &q->links[l];
    if (!link->table)
      continue;
    load_rows(link->partners, link->bytes, b->first, rows, n, codes);
    for (uint32_t i = 0; i < n; i++)
      b->groups[i] += link->table[codes[i]];
  }
  for (uint32_t p = 0; p < b->q->part_count; p++) {
    const engine_part *part = &b->q->parts[p];
    load_rows(part->codes, part->bytes, b->first, rows, n, codes);
    for (uint32_t i = 0; i < n; i++)
      b->groups[i] += (uint32_t)((codes[i] - part->low) * part->stride);
  }
}

HOT void combine(uint32_t kind, uint64_t *left, const uint64_t *right, uint32_t n) {
  if (kind == STEP_ADD)
    for (uint32_t i = 0; i < n; i++)
      left[i] += right[i];
  else if (kind == STEP_SUBTRACT)
    for (uint32_t i = 0; i < n; i++)
      left[i] -= right[i];
  else
    for (uint32_t i = 0; i < n; i++)
      left[i] *= right[i];
}

/* The values of a measure in rows where it is not NULL. */
HOT void calculate(const engine_query *q, const engine_measure *m, uint32_t first, const uint32_t *rows, uint32_t n,
                   uint64_t stack[STEP_STACK][ENGINE_BATCH]) {
  uint32_t height = 0;
  for (uint32_t k = 0; k < m->step_count; k++) {
    const engine_step *s = &q->steps[m->first_step + k];
    uint64_t *top = stack[height];
    if (s->kind == STEP_ATTRIBUTE) {
      load_step(s, first, rows, n, top);
      for (uint32_t i = 0; i < n && s->values; i++)
        top[i] = s->values[top[i]];
      for (uint32_t i = 0; i < n; i++)
        top[i] = top[i] * s->factor + s->value;
      height++;
    } else if (s->kind == STEP_CONSTANT) {
      for (uint32_t i = 0; i < n; i++)
        top[i] = s->value;
      height++;
    } else {
      height--;
      combine(s->kind, stack[height - 1], stack[height], n);
    }
  }
}

/* List the rows in which a measure is not NULL, and their groups. */
typedef struct listed {
  uint32_t n;
  uint32_t rows[ENGINE_BATCH], groups[ENGINE_BATCH];
} listed;

HOT void drop_nulls(const engine_query *q, const engine_measure *m, uint32_t first, listed *l) {
  uint64_t codes[ENGINE_BATCH];
  for (uint32_t k = 0; k < m->step_count; k++) {
    const engine_step *s = &q->steps[m->first_step + k];
    uint32_t kept = 0;
    if (s->kind != STEP_ATTRIBUTE || s->null_code == UINT64_MAX)
      continue;
    load_step(s, first, l->rows, l->n, codes);
    for (uint32_t i = 0; i < l->n; i++) {
      l->rows[kept] = l->rows[i];
      l->groups[kept] = l->groups[i];
      kept += codes[i] != s->null_code;
    }
    l->n = kept;
  }
}

static bool may_be_null(const engine_query *q, const engine_measure *m) {
  for (uint32_t k = 0; k < m->step_count; k++)
    if (q->steps[m->first_step + k].kind == STEP_ATTRIBUTE && q->steps[m->first_step + k].null_code != UINT64_MAX)
      return true;
  return false;
}

/* ---- Adding ---- */

/* Where a batch goes: to the slots of its groups, or with `groups` NULL of one. `shared`: of several threads. */
typedef struct target {
  uint64_t *cells;
  const uint32_t *groups;
  uint32_t slots;
  bool shared;
} target;

/* x(i), made from `i`, to one slot of each row's group. */
#define ADD_EACH(t, slot, n, x)                                                                                        \
  do {                                                                                                                 \
    uint64_t *const cells = (t).cells + (slot);                                                                        \
    uint64_t sum = 0;                                                                                                  \
    if (!(t).groups) {                                                                                                 \
      for (uint32_t i = 0; i < (n); i++)                                                                               \
        sum += (x);                                                                                                    \
      cells[0] += sum;                                                                                                 \
    } else if ((t).shared) {                                                                                           \
      for (uint32_t i = 0; i < (n); i++)                                                                               \
        __atomic_fetch_add(&cells[(uint64_t)(t).groups[i] * (t).slots], (x), __ATOMIC_RELAXED);                        \
    } else {                                                                                                           \
      for (uint32_t i = 0; i < (n); i++)                                                                               \
        cells[(uint64_t)(t).groups[i] * (t).slots] += (x);                                                             \
    }                                                                                                                  \
  } while (0)

static void raise_cell(uint64_t *cell, uint64_t x, bool shared) {
  uint64_t seen = __atomic_load_n(cell, __ATOMIC_RELAXED);
  if (!shared) {
    *cell = x > seen ? x : seen;
    return;
  }
  while (seen < x && !__atomic_compare_exchange_n(cell, &seen, x, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    continue;
}

#define MAX_EACH(t, slot, n, x)                                                                                        \
  for (uint32_t i = 0; i < (n); i++)                                                                                   \
  raise_cell((t).cells + (slot) + ((t).groups ? (uint64_t)(t).groups[i] * (t).slots : 0), x, (t).shared)

HOT void add_measure(const engine_query *q, const engine_measure *m, uint32_t first, const uint32_t *rows, uint32_t n,
                     target t) {
  uint64_t stack[STEP_STACK][ENGINE_BATCH];
  const uint64_t *v = stack[0];
  if (m->count_slot != NO_SLOT)
    ADD_EACH(t, m->count_slot, n, 1);
  if (m->sum_slot == NO_SLOT && m->least_slot == NO_SLOT && m->most_slot == NO_SLOT)
    return;
  calculate(q, m, first, rows, n, stack);
  if (m->sum_slot != NO_SLOT && !m->wide)
    ADD_EACH(t, m->sum_slot, n, v[i] - m->least);
  if (m->sum_slot != NO_SLOT && m->wide) {
    ADD_EACH(t, m->sum_slot, n, (v[i] - m->least) & UINT32_MAX);
    ADD_EACH(t, m->sum_slot + 1, n, (v[i] - m->least) >> 32);
  }
  if (m->least_slot != NO_SLOT)
    MAX_EACH(t, m->least_slot, n, m->most - v[i]);
  if (m->most_slot != NO_SLOT)
    MAX_EACH(t, m->most_slot, n, v[i] - m->least);
}

HOT void add_rows(const engine_query *q, uint32_t first, const uint32_t *rows, uint32_t n, target t) {
  ADD_EACH(t, 0, n, 1);
  for (uint32_t k = 0; k < q->measure_count; k++) {
    const engine_measure *m = &q->measures[k];
    if (!may_be_null(q, m)) {
      add_measure(q, m, first, rows, n, t);
      continue;
    }
    listed l = {.n = n};
    memcpy(l.rows, rows, n * sizeof *rows);
    memcpy(l.groups, t.groups ? t.groups : rows, n * sizeof *rows);
    drop_nulls(q, m, first, &l);
    const target narrowed = {t.cells, t.groups ? l.groups : NULL, t.slots, t.shared};
    add_measure(q, m, first, l.rows, l.n, narrowed);
  }
}

void engine_add_single(const engine_query *q, uint32_t first, const uint32_t *rows, uint32_t n, uint64_t *cells) {
  add_rows(q, first, rows, n, (target){.cells = cells, .slots = q->slots});
}

/* ---- Tiles ---- */

static void add_late(batch *b, const uint32_t *codes, uint32_t bytes) {
  if (b->late_count < MOST_LATE)
    b->late[b->late_count++] = (late_column){(const char *)codes + (uint64_t)b->first * bytes, bytes};
}

/* The columns of groups and measures. */
static void list_late(batch *b) {
  const engine_query *q = b->q;
  for (uint32_t l = 0; l < q->link_count; l++)
    if (q->links[l].table && !q->links[l].bits)
      add_late(b, q->links[l].partners, q->links[l].bytes);
  for (uint32_t p = 0; p < q->part_count; p++)
    add_late(b, q->parts[p].codes, q->parts[p].bytes);
  for (uint32_t m = 0; m < q->measure_count; m++)
    for (uint32_t k = 0; k < q->measures[m].step_count; k++) {
      const engine_step *s = &q->steps[q->measures[m].first_step + k];
      if (s->kind == STEP_ATTRIBUTE)
        add_late(b, s->partners ? s->partners : s->codes, s->partners ? s->partner_bytes : s->bytes);
    }
}

/* Add the rows that wait. */
HOT void add_waiting(batch *b, target t) {
  for (uint32_t done = 0; done < b->n; done += ENGINE_BATCH) {
    const uint32_t n = b->n - done < ENGINE_BATCH ? b->n - done : ENGINE_BATCH;
    if (t.groups)
      number_groups(b, b->rows + done, n);
    add_rows(b->q, b->first, b->rows + done, n, t);
  }
  b->n = 0;
}

HOT void run_tile(const operators *o, const struct engine_tile_args *a, uint32_t tile) {
  const engine_query *q = a->query;
  const uint64_t begin = (uint64_t)tile * a->tile, end = begin + a->tile < q->rows ? begin + a->tile : q->rows;
  const bool single = q->group_count == 1;
  uint64_t *cells = q->groups + (a->copies ? (uint64_t)tile * q->group_count * q->slots : 0);
  uint64_t own[ENGINE_MOST_SLOTS] = {0};
  small_bits small[ENGINE_MOST_EARLY];
  batch b = {.q = q, .small = small, .first = (uint32_t)begin};
  const target t = {single ? own : cells, single ? NULL : b.groups, q->slots, !single && !a->copies};
  list_late(&b);
  if (o->look_up_small)
    prepare_small(q, small);
  for (uint64_t row = begin; row < end; row += ENGINE_BATCH) {
    select_rows(o, &b, (uint32_t)row, end - row < ENGINE_BATCH ? (uint32_t)(end - row) : ENGINE_BATCH);
    if (b.n >= ENOUGH)
      add_waiting(&b, t);
  }
  add_waiting(&b, t);
  if (single && own[0] > 0)
    engine_join(q, own, cells, !a->copies);
}

/* ---- Tables ---- */

/* Rows that do not qualify get no entry where bits tell. */
static void fill_entries(const struct engine_table_args *a, bool group64, uint32_t first, uint32_t n,
                         const uint64_t *words) {
  for (uint32_t i = 0; group64 && i < n; i++)
    AS_U64_PTR(a->table)[first + i] = NO_LINK64;
  for (uint32_t w = 0; 64 * w < n; w++)
    for (uint64_t bits = words[w]; bits != 0; bits &= bits - 1) {
      const uint32_t row = first + 64 * w + (uint32_t)__builtin_ctzll(bits);
      uint64_t group = 0;
      for (uint32_t p = 0; p < a->part_count; p++)
        group += engine_part_of(a->parts, p, row);
      if (group64)
        AS_U64_PTR(a->table)[row] = group;
      else
        a->table[row] = (uint32_t)group;
    }
}

/* Rows from a multiple of 64 on, as the grain is one. */
HOT void fill_table(const operators *o, const struct engine_table_args *a, bool group64) {
  const uint64_t end = (uint64_t)a->first + a->count;
  for (uint64_t row = a->first; row < end; row += ENGINE_BATCH) {
    const uint32_t first = (uint32_t)row, n = end - row < ENGINE_BATCH ? (uint32_t)(end - row) : ENGINE_BATCH;
    uint64_t words[WORDS];
    const uint32_t count = all_rows(n, words);
    if (row + n > a->rows) /* the last is none */
      words[count - 1] &= ~(1ul << (n - 1) % 64);
    for (uint32_t t = 0; t < a->term_count; t++)
      apply_term(o, a->terms, a->numbers, t, first, n, words);
    if (a->bits)
      memcpy(a->bits + first / 32, words, count * sizeof *words);
    if (a->table)
      fill_entries(a, group64, first, n, words);
  }
}

#define DEFINE_BODIES(isa, TARGET, operators_of, small)                                                                \
  TARGET static void tile_##isa(const struct engine_tile_args *a, uint32_t tile) {                                     \
    static const operators o = {compare_##operators_of, list_##operators_of, look_up_##operators_of, small,            \
                                follow_##operators_of};                                                                \
    run_tile(&o, a, tile);                                                                                             \
  }                                                                                                                    \
  TARGET static void table_##isa(const struct engine_table_args *a, bool group64) {                                    \
    static const operators o = {.compare = compare_##operators_of};                                                    \
    fill_table(&o, a, group64);                                                                                        \
  }

DEFINE_BODIES(plain, , plain, NULL)
#if defined __x86_64__
DEFINE_BODIES(avx2, AVX2, avx2, NULL)
DEFINE_BODIES(avx512, AVX512, avx512, NULL)
DEFINE_BODIES(vbmi, VBMI, avx512, look_up_small_vbmi)
#endif

typedef struct bodies {
  void (*tile)(const struct engine_tile_args *a, uint32_t tile);
  void (*table)(const struct engine_table_args *a, bool group64);
} bodies;

static bodies best_bodies(void) {
#if defined __x86_64__
  if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return __builtin_cpu_supports("avx512vbmi") ? (bodies){tile_vbmi, table_vbmi} : (bodies){tile_avx512, table_avx512};
  if (__builtin_cpu_supports("avx2"))
    return (bodies){tile_avx2, table_avx2};
#endif
  return (bodies){tile_plain, table_plain};
}

void engine_tile_body(const void *arguments, const uint32_t *variant, const rdx_scene *scene) {
  (void)variant, (void)scene;
  const struct engine_tile_args *a = arguments;
  const bodies best = best_bodies();
  if (a->first == 0)
    *a->counters = 0;
  for (uint32_t k = 0; k < a->count; k++)
    best.tile(a, a->first + k);
}

void engine_table_body(const void *arguments, const uint32_t *variant, const rdx_scene *scene) {
  (void)scene;
  best_bodies().table(arguments, variant[0] != 0);
}
