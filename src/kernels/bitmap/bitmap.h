/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_BITMAP_BITMAP_H
#define RDX_KERNELS_BITMAP_BITMAP_H

/* C and GLSL: the algebra of bitmaps of rows, and bitmaps as sets of numbers. Bits past the last row are 0 in every
 * bitmap. */

#include "kernels/lookup/lookup.h"

/* What bitmap_combine makes of a word of `out` and one of `other`. */
#define BITMAP_OR 0
#define BITMAP_AND 1
#define BITMAP_AND_NOT 2
#define BITMAP_NOT 3 /* of `other` alone */

/* An item is a word. */
struct bitmap_combine_args {
  LAUNCH_HEADER;
  PTR(u32) words;
  PTR(u32) other;
  u32 rows;
};
ARGS_SIZE(bitmap_combine_args, 40);

/* An item is BITMAP_TILE words, whose set bits are added to the u32 `total`. */
#define BITMAP_TILE 4096
struct bitmap_count_args {
  LAUNCH_HEADER;
  PTR(u32) words;
  PTR(u32) total;
  u32 n; /* words */
};
ARGS_SIZE(bitmap_count_args, 40);

/* The bits of word i that stand for rows. */
FN u32 bitmap_rows_mask(u32 i, u32 rows) {
  u32 begin = i * 32; /* rows are fewer than 2^32 */
  return rows - begin >= 32 ? 0xffffffffu : (1u << (rows - begin)) - 1;
}

FN u32 bitmap_combined(u32 word, u32 other, u32 i, u32 rows, u32 op) {
  return op == BITMAP_OR        ? word | other
         : op == BITMAP_AND     ? word & other
         : op == BITMAP_AND_NOT ? word & ~other
                                : ~other & bitmap_rows_mask(i, rows);
}

/* ---- Sets of numbers ----
 *
 * A set of numbers below 2^32 is the bitmap that has their bits set. The rank of a number is how many smaller ones
 * there are: the bits before its word, which are counted once for all words, and those before it in the word (rank of a
 * bit vector: Jacobson, FOCS 1989). So the places of keys among their distinct values are found without sorting. */

/* An item is a row: the bit of its key less `base` is set, bit 0 for a NULL. With `hash_bits` numbers are spread over
 * so many bits first: there are at least as many of them as bits then. Constant: KEY64. */
struct bitmap_mark_args {
  LAUNCH_HEADER;
  PTR(u32) keys;
  PTR(u32) valid;
  PTR(u32) bits;
  u64 base;
  u32 hash_bits; /* 0: numbers are bits */
};
ARGS_SIZE(bitmap_mark_args, 56);

/* Fibonacci hashing (Knuth, The Art of Computer Programming 3, section 6.4). */
FN u32 bitmap_bit(u64 number, u32 hash_bits) {
  return hash_bits == 0u ? TO_U32(number) : TO_U32(number * 0x9e3779b97f4a7c15ul >> (64u - hash_bits));
}

FN u32 marked_bit(PTR(u32) keys, PTR(u32) valid, u64 base, u32 hash_bits, u32 row, u32 key64) {
  return bitmap_bit(has_bit(valid, row) ? load_key(keys, row, key64) - base : 0ul, hash_bits);
}

/* An item is a word: the number of its set bits. */
struct bitmap_words_args {
  LAUNCH_HEADER;
  PTR(u32) bits;
  PTR(u32) out_counts;
};
ARGS_SIZE(bitmap_words_args, 32);

#ifdef RDX_GLSL
#define BITMAP_COUNT(word) u32(bitCount(word))
#else
#define BITMAP_COUNT(word) ((u32)__builtin_popcount(word))
#endif

/* The rank of a number that `before` bits lie before the word of. */
FN u32 bitmap_rank(PTR(u32) bits, PTR(u64) before, u32 number) {
  return TO_U32(AT(before, number / 32u)) + BITMAP_COUNT(AT(bits, number / 32u) & ((1u << number % 32u) - 1u));
}

/* An item is a row: the rank of its key. Constant: KEY64. */
struct bitmap_rank_args {
  LAUNCH_HEADER;
  PTR(u32) keys;
  PTR(u32) bits;
  PTR(u64) before;
  PTR(u32) out_ranks;
};
ARGS_SIZE(bitmap_rank_args, 48);

#endif
