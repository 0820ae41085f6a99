/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_COLUMN_ENGINE_OPERATORS_PLAIN_H
#define RDX_KERNELS_COLUMN_ENGINE_OPERATORS_PLAIN_H

/* What tiles do to many rows at once on the CPU, and how that is done without vectors: for operators.h. */

#include "kernels/column_engine/host.h"

#define ENGINE_SLACK 16 /* rows: vectors are stored whole */

/* Bits of fewer than ENGINE_SMALL codes as `size` bytes, a power of two, of which bit k of byte i is that of the code
 * k * size + i: what byte shuffles look up. */
typedef struct small_bits {
  uint8_t bytes[ENGINE_SMALL / 8] __attribute__((aligned(64)));
  uint32_t size;
} small_bits;

/* Bits of `count` codes from `low` on, in the form for shuffles, of so many bytes at least. */
static inline void make_small(const uint32_t *bits, uint64_t low, uint64_t count, uint32_t min_size, small_bits *out) {
  for (out->size = min_size; out->size * 8 < low + count;)
    out->size *= 2;
  const uint32_t shift = (uint32_t)__builtin_ctz(out->size);
  memset(out->bytes, 0, out->size);
  for (uint64_t k = 0; k < count; k++)
    out->bytes[(low + k) & (out->size - 1)] |= (uint8_t)((bits[k / 32] >> k % 32 & 1) << ((low + k) >> shift));
}

/* A bit for each code from `low` on. */
typedef struct code_set {
  const uint32_t *bits;
  uint64_t low;
} code_set;

/* A batch's piece of a column, a word of 64 rows after the other. */
typedef struct piece {
  const char *codes;
  uint32_t bytes; /* of a code */
  uint32_t count; /* words */
  uint32_t ahead; /* bytes: what is so far ahead of a word is fetched meanwhile; 0: nothing is */
} piece;

/* What is written for each instruction set. */
typedef struct operators {
  uint32_t few; /* words are looked up while one row of so many is left; then it is sooner done to follow a list */
  uint32_t small_few; /* the same for look_up_small */
  /* Narrow words to the rows whose code less `low` is at most `span`. */
  void (*compare)(const piece *p, uint64_t low, uint64_t span, uint64_t *words);
  /* List the rows whose bits are set, of which the first is `row`. */
  uint32_t (*list)(const uint64_t *words, uint32_t count, uint32_t row, uint32_t *rows);
  /* Narrow words to the rows whose codes, none of which is below or beyond those that the set has bits for, have their
   * bits set. */
  void (*look_up)(const piece *p, const code_set *set, uint64_t *words);
  /* The same with a set in that form, of `small_size` bytes at least; NULL: it would take no less than the above. */
  void (*look_up_small)(const piece *p, const small_bits *small, uint64_t *words);
  uint32_t small_size;
  /* Keep those of listed rows, counted from `first`, whose foreign rows have their bits set. */
  uint32_t (*follow)(const engine_link *link, uint32_t first, uint32_t *rows, uint32_t n);
} operators;

/* Codes of a word of rows. */
RDX_INLINE const char *codes_of(const piece *p, uint32_t w) {
  return p->codes + (size_t)w * 64 * p->bytes;
}

/* Fetch what is ahead of a line, of 64 bytes: the processor does not foresee that a batch reads pieces of several
 * columns, with gaps in some. Line by line where words are gone through, as to ask for all of a piece at once takes
 * long. */
RDX_INLINE void fetch_ahead(const piece *p, const char *line) {
  if (p->ahead != 0)
    __builtin_prefetch(line + p->ahead);
}

RDX_INLINE void fetch_word_ahead(const piece *p, uint32_t w) {
  for (uint32_t k = 0; k < p->bytes; k++)
    fetch_ahead(p, codes_of(p, w) + 64 * k);
}

/* ---- Plain operators ---- */

/* A multiplication brings eight bytes that are 0 or 1 together as bits. */
#define DEFINE_COMPARE(bits)                                                                                           \
  RDX_INLINE uint64_t compare_u##bits(const void *codes, uint64_t low, uint64_t span) {                                \
    const uint##bits##_t *c = codes, from = (uint##bits##_t)low, max = (uint##bits##_t)span;                           \
    uint8_t inside[64];                                                                                                \
    uint64_t word = 0;                                                                                                 \
    for (uint32_t k = 0; k < 64; k++)                                                                                  \
      inside[k] = (uint##bits##_t)(c[k] - from) <= max;                                                                \
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
  for (uint32_t w = 0; w < p->count; w++)                                                                              \
    if (words[w] != 0) {                                                                                               \
      fetch_word_ahead(p, w);                                                                                          \
      words[w] &= compare_u##bits(codes_of(p, w), low, span);                                                          \
    }                                                                                                                  \
  break

RDX_INLINE void compare_any(const piece *p, uint64_t low, uint64_t span, uint64_t *words) {
  switch (p->bytes) {
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

RDX_INLINE uint32_t list_any(const uint64_t *words, uint32_t count, uint32_t row, uint32_t *rows) {
  uint32_t n = 0;
  for (uint32_t w = 0; w < count; w++)
    for (uint64_t bits = words[w]; bits != 0; bits &= bits - 1)
      rows[n++] = row + 64 * w + (uint32_t)__builtin_ctzll(bits);
  return n;
}

RDX_INLINE void look_up_any(const piece *p, const code_set *set, uint64_t *words) {
  for (uint32_t w = 0; w < p->count; w++) {
    const uint32_t *codes = (const uint32_t *)(const void *)codes_of(p, w);
    uint64_t found = 0;
    if (words[w] != 0)
      fetch_word_ahead(p, w);
    for (uint64_t left = words[w]; left != 0; left &= left - 1) {
      const uint32_t k = (uint32_t)__builtin_ctzll(left);
      const uint64_t code = load_code(codes, p->bytes, k) - set->low;
      found |= (uint64_t)(set->bits[code / 32] >> code % 32 & 1) << k;
    }
    words[w] = found;
  }
}

RDX_INLINE uint32_t follow_any(const engine_link *link, uint32_t first, uint32_t *rows, uint32_t n) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < n; i++) { /* without a branch that would be hard to foresee */
    const uint32_t row = rows[i], foreign_row = (uint32_t)load_code(link->foreign_rows, link->bytes, first + row);
    rows[kept] = row;
    kept += link->bits[foreign_row / 32] >> foreign_row % 32 & 1;
  }
  return kept;
}

static void compare_plain(const piece *p, uint64_t low, uint64_t span, uint64_t *words) {
  compare_any(p, low, span, words);
}

static uint32_t list_plain(const uint64_t *words, uint32_t count, uint32_t row, uint32_t *rows) {
  return list_any(words, count, row, rows);
}

static void look_up_plain(const piece *p, const code_set *set, uint64_t *words) {
  look_up_any(p, set, words);
}

static uint32_t follow_plain(const engine_link *link, uint32_t first, uint32_t *rows, uint32_t n) {
  return follow_any(link, first, rows, n);
}

#endif
