/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Tiles on the CPU: batches of rows that stay in the cache, operator by operator (MonetDB/X100: Boncz, Zukowski, Nes,
 * CIDR 2005). Terms make bits, of which the rows that qualify are listed; dimensions shorten the list. */

#include "kernels/column_engine/host.h"

#if defined __x86_64__
#include <immintrin.h>
#endif

#define WORDS (ENGINE_BATCH / 64)
#define SLACK 16 /* vectors are stored whole */
#define HOT static inline __attribute__((always_inline))

typedef struct batch {
  const engine_query *q;
  uint32_t first;                      /* row */
  uint32_t n;                          /* of rows that are left */
  uint32_t rows[ENGINE_BATCH + SLACK]; /* less `first`, ascending */
  uint32_t groups[ENGINE_BATCH];       /* their numbers */
} batch;

/* What is written for each instruction set. */
typedef struct operators {
  /* Of 64 rows from `codes` on: whose code less `low` is at most `span`. */
  uint64_t (*compare)(const void *codes, uint32_t bytes, uint64_t low, uint64_t span);
  uint32_t (*list)(const uint64_t *words, uint32_t count, uint32_t *rows);
  /* Keep the rows whose partners in a dimension have their bits set. With `all`, the rows are 0 .. n - 1. */
  uint32_t (*follow)(const engine_link *link, batch *b, bool all);
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

HOT uint64_t compare_any(const void *codes, uint32_t bytes, uint64_t low, uint64_t span) {
  switch (bytes) {
  case 1:
    return compare_u8(codes, low, span);
  case 2:
    return compare_u16(codes, low, span);
  case 4:
    return compare_u32(codes, low, span);
  default:
    return compare_u64(codes, low, span);
  }
}

HOT uint32_t list_any(const uint64_t *words, uint32_t count, uint32_t *rows) {
  uint32_t n = 0;
  for (uint32_t w = 0; w < count; w++)
    for (uint64_t bits = words[w]; bits != 0; bits &= bits - 1)
      rows[n++] = 64 * w + (uint32_t)__builtin_ctzll(bits);
  return n;
}

HOT uint32_t follow_any(const engine_link *link, batch *b) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < b->n; i++) { /* without a branch that would be hard to foresee */
    const uint32_t row = b->rows[i], partner = (uint32_t)load_code(link->partners, link->bytes, b->first + row);
    b->rows[kept] = row;
    kept += link->bits[partner / 32] >> partner % 32 & 1;
  }
  return kept;
}

static uint64_t compare_plain(const void *codes, uint32_t bytes, uint64_t low, uint64_t span) {
  return compare_any(codes, bytes, low, span);
}

static uint32_t list_plain(const uint64_t *words, uint32_t count, uint32_t *rows) {
  return list_any(words, count, rows);
}

static uint32_t follow_plain(const engine_link *link, batch *b, bool all) {
  (void)all;
  return follow_any(link, b);
}

/* ---- Vector operators ---- */

#if defined __x86_64__

#define AVX2 __attribute__((target("avx2,bmi,popcnt")))
#define AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,bmi,popcnt")))

AVX2 static uint64_t compare_avx2(const void *codes, uint32_t bytes, uint64_t low, uint64_t span) {
  return compare_any(codes, bytes, low, span);
}

AVX2 static uint32_t list_avx2(const uint64_t *words, uint32_t count, uint32_t *rows) {
  return list_any(words, count, rows);
}

AVX2 static uint32_t follow_avx2(const engine_link *link, batch *b, bool all) {
  (void)all;
  return follow_any(link, b);
}

AVX512 static uint64_t compare_avx512(const void *codes, uint32_t bytes, uint64_t low, uint64_t span) {
  const char *c = codes;
  uint64_t word = 0;
  switch (bytes) {
  case 1:
    return _mm512_cmple_epu8_mask(_mm512_sub_epi8(_mm512_loadu_si512(c), _mm512_set1_epi8((char)low)),
                                  _mm512_set1_epi8((char)span));
  case 2:
    for (uint32_t k = 0; k < 2; k++)
      word |= (uint64_t)_mm512_cmple_epu16_mask(
                  _mm512_sub_epi16(_mm512_loadu_si512(c + 64 * k), _mm512_set1_epi16((short)low)),
                  _mm512_set1_epi16((short)span))
              << (32 * k);
    return word;
  case 4:
    for (uint32_t k = 0; k < 4; k++)
      word |= (uint64_t)_mm512_cmple_epu32_mask(
                  _mm512_sub_epi32(_mm512_loadu_si512(c + 64 * k), _mm512_set1_epi32((int)low)),
                  _mm512_set1_epi32((int)span))
              << (16 * k);
    return word;
  default:
    for (uint32_t k = 0; k < 8; k++)
      word |= (uint64_t)_mm512_cmple_epu64_mask(
                  _mm512_sub_epi64(_mm512_loadu_si512(c + 64 * k), _mm512_set1_epi64((long long)low)),
                  _mm512_set1_epi64((long long)span))
              << (8 * k);
    return word;
  }
}

AVX512 static uint32_t list_avx512(const uint64_t *words, uint32_t count, uint32_t *rows) {
  const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  uint32_t n = 0;
  for (uint32_t w = 0; w < count; w++) {
    for (uint32_t k = 0; k < 4 && words[w] != 0; k++) {
      const __mmask16 bits = (__mmask16)(words[w] >> (16 * k));
      const __m512i numbers = _mm512_add_epi32(lanes, _mm512_set1_epi32((int)(64 * w + 16 * k)));
      _mm512_storeu_si512(rows + n, _mm512_maskz_compress_epi32(bits, numbers));
      n += (uint32_t)__builtin_popcount(bits);
    }
  }
  return n;
}

/* The partners of 16 rows. Codes may be read a vector past the last row, which buffers have room for. */
AVX512 static inline __m512i partners_of(const engine_link *link, const batch *b, uint32_t i, __m512i rows,
                                         __mmask16 some, bool all) {
  const char *from = (const char *)link->partners + (uint64_t)b->first * link->bytes;
  const __m512i none = _mm512_setzero_si512();
  if (link->bytes == 1)
    return all ? _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(const void *)(from + i)))
               : _mm512_and_si512(_mm512_mask_i32gather_epi32(none, some, rows, from, 1), _mm512_set1_epi32(0xff));
  if (link->bytes == 2)
    return all ? _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)(from + 2 * i)))
               : _mm512_and_si512(_mm512_mask_i32gather_epi32(none, some, rows, from, 2), _mm512_set1_epi32(0xffff));
  return all ? _mm512_loadu_si512(from + 4 * i) : _mm512_mask_i32gather_epi32(none, some, rows, from, 4);
}

AVX512 static uint32_t follow_avx512(const engine_link *link, batch *b, bool all) {
  const __m512i low_bits = _mm512_set1_epi32(31), one = _mm512_set1_epi32(1);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < b->n; i += 16) {
    const __mmask16 some = b->n - i < 16 ? (__mmask16)((1u << (b->n - i)) - 1) : (__mmask16)0xffff;
    const __m512i rows = _mm512_loadu_si512(b->rows + i);
    const __m512i partners = partners_of(link, b, i, rows, some, all);
    const __m512i words =
        _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), some, _mm512_srli_epi32(partners, 5), link->bits, 4);
    const __mmask16 keep = _mm512_test_epi32_mask(_mm512_srlv_epi32(words, _mm512_and_si512(partners, low_bits)), one);
    _mm512_storeu_si512(b->rows + kept, _mm512_maskz_compress_epi32(keep, rows));
    kept += (uint32_t)__builtin_popcount(keep);
  }
  return kept;
}

#endif

/* ---- Rows that qualify ---- */

/* Narrow the bits of the batch to rows for which a term holds. */
HOT void apply_term(const operators *o, const batch *b, uint32_t t, uint32_t n, uint64_t *words) {
  const engine_term *term = &b->q->terms[t];
  const char *codes = (const char *)term->codes + (uint64_t)b->first * term->bytes;
  for (uint32_t w = 0; 64 * w < n; w++) {
    if (words[w] == 0)
      continue;
    if (n - 64 * w >= 64) {
      words[w] &= o->compare(codes + (uint64_t)64 * w * term->bytes, term->bytes, term->low, term->span);
      if (term->count == 1)
        continue;
    }
    for (uint64_t bits = words[w]; bits != 0; bits &= bits - 1) {
      const uint32_t row = b->first + 64 * w + (uint32_t)__builtin_ctzll(bits);
      if (!engine_holds(b->q->terms, b->q->numbers, t, row))
        words[w] &= ~(bits & (0 - bits));
    }
  }
}

HOT void select_rows(const operators *o, batch *b, uint32_t n) {
  const engine_query *q = b->q;
  uint64_t words[WORDS];
  const uint32_t count = (n + 63) / 64;
  for (uint32_t w = 0; w < count; w++)
    words[w] = n - 64 * w >= 64 ? UINT64_MAX : UINT64_MAX >> (64 - n % 64);
  for (uint32_t t = 0; t < q->term_count; t++)
    apply_term(o, b, t, n, words);
  b->n = o->list(words, count, b->rows);
  for (uint32_t l = 0; l < q->link_count && b->n > 0; l++)
    if (q->links[l].bits)
      b->n = o->follow(&q->links[l], b, b->n == n);
}

static void apply_tests(batch *b) {
  const engine_query *q = b->q;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < b->n; i++) {
    b->rows[kept] = b->rows[i];
    kept += engine_passes(q->terms, q->tests, q->numbers, q->test_count, b->first + b->rows[i]);
  }
  b->n = kept;
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

/* The numbers of the groups of the rows that are left. */
HOT void number_groups(batch *b) {
  const engine_query *q = b->q;
  uint64_t codes[ENGINE_BATCH];
  memset(b->groups, 0, b->n * sizeof *b->groups);
  for (uint32_t l = 0; l < q->link_count; l++) {
    const engine_link *link = &q->links[l];
    if (!link->table)
      continue;
    load_rows(link->partners, link->bytes, b->first, b->rows, b->n, codes);
    for (uint32_t i = 0; i < b->n; i++)
      b->groups[i] += link->table[codes[i]];
  }
  for (uint32_t p = 0; p < b->q->part_count; p++) {
    const engine_part *part = &b->q->parts[p];
    load_rows(part->codes, part->bytes, b->first, b->rows, b->n, codes);
    for (uint32_t i = 0; i < b->n; i++)
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

HOT void run_tile(const operators *o, const struct engine_tile_args *a, uint32_t tile) {
  const engine_query *q = a->query;
  const uint64_t begin = (uint64_t)tile * a->tile, end = begin + a->tile < q->rows ? begin + a->tile : q->rows;
  const bool single = q->group_count == 1;
  uint64_t *cells = q->groups + (a->copies ? (uint64_t)tile * q->group_count * q->slots : 0);
  uint64_t own[ENGINE_MOST_SLOTS] = {0};
  batch b = {.q = q};
  const target t = {single ? own : cells, single ? NULL : b.groups, q->slots, !single && !a->copies};
  for (uint64_t row = begin; row < end; row += ENGINE_BATCH) {
    b.first = (uint32_t)row;
    select_rows(o, &b, end - row < ENGINE_BATCH ? (uint32_t)(end - row) : ENGINE_BATCH);
    if (q->test_count > 0)
      apply_tests(&b);
    if (b.n == 0)
      continue;
    if (!single)
      number_groups(&b);
    add_rows(q, b.first, b.rows, b.n, t);
  }
  if (single && own[0] > 0)
    engine_join(q, own, cells, !a->copies);
}

#define DEFINE_TILE(isa, TARGET)                                                                                       \
  TARGET static void tile_##isa(const struct engine_tile_args *a, uint32_t tile) {                                     \
    static const operators o = {compare_##isa, list_##isa, follow_##isa};                                              \
    run_tile(&o, a, tile);                                                                                             \
  }

DEFINE_TILE(plain, )

typedef void (*tile_fn)(const struct engine_tile_args *a, uint32_t tile);

#if defined __x86_64__

DEFINE_TILE(avx2, AVX2)
DEFINE_TILE(avx512, AVX512)

static tile_fn best_tile(void) {
  return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")
             ? tile_avx512
         : __builtin_cpu_supports("avx2") ? tile_avx2
                                          : tile_plain;
}

#else

static tile_fn best_tile(void) {
  return tile_plain;
}

#endif

void engine_tile_body(const void *arguments, const uint32_t *variant, const rdx_scene *scene) {
  (void)variant, (void)scene;
  const struct engine_tile_args *a = arguments;
  const tile_fn run = best_tile();
  if (a->first == 0)
    *a->counters = 0;
  for (uint32_t k = 0; k < a->count; k++)
    run(a, a->first + k);
}
