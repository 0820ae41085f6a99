/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_RANGE_GATHER_RANGE_GATHER_H
#define RDX_KERNELS_RANGE_GATHER_RANGE_GATHER_H

/* C and GLSL: gathering over spans. A range lookup among sorted entries finds a span of them; what is wanted of its
 * rows is then gathered here, whatever index found it (thesis, algorithm 4). Sums of many long spans are differences of
 * prefix sums over the values in the order of the entries. */

#include "kernels/lookup/lookup.h"

/* Where the rows of entries stand: entry e's is word first_word + e % 8 * step of block e / 8. */
#define ROW_LAYOUT                                                                                                     \
  u32 block_words;                                                                                                     \
  u32 first_word;                                                                                                      \
  u32 step

/* Item: a probe, whose entries are begin[i] .. begin[i] + size[i] - 1. Constants: GATHER, VALUE, LANES. */
struct range_gather_args {
  LAUNCH_HEADER;
  PTR(u32) begin;
  PTR(u32) size;
  PTR(u32) words;
  PTR(u32) values;
  PTR(u32) values_valid;
  PTR(u32) out_count;
  PTR(u32) out_first;
  PTR(u64) out_sum;
  PTR(u64) offsets;
  PTR(u32) out_rows;
  ROW_LAYOUT;
};
ARGS_SIZE(range_gather_args, 112);

/* Long spans are cut into pieces, which are spans themselves, so that many threads share one. A probe has one piece at
 * least. Item of PIECES_COUNT: a probe: how many pieces it has. Item of PIECES_CUT: a piece: the entries that it has,
 * and where its rows go; those behind the last one have no entry. */
#define PIECES_COUNT 0
#define PIECES_CUT 1
struct range_pieces_args {
  LAUNCH_HEADER;
  PTR(u32) begin;
  PTR(u32) size;
  PTR(u64) offsets; /* 0: rows are not gathered */
  PTR(u32) counts;  /* PIECES_COUNT */
  PTR(u64) starts;  /* the first piece of each probe, and of one more */
  PTR(u32) piece_begin;
  PTR(u32) piece_size;
  PTR(u64) piece_offsets;
  u32 probes;
  u32 piece_length; /* in entries */
};
ARGS_SIZE(range_pieces_args, 88);

FN u32 pieces_of(u32 size, u32 length) {
  return size == 0u ? 1u : (size - 1u) / length + 1u;
}

/* With the args declared as `a` (C: a macro for them). */
#define CUT_PIECE(piece)                                                                                               \
  do {                                                                                                                 \
    u32 cut_probe = lower_bound_u64(a.starts, 0, a.probes, TO_U64(piece) + 1ul) - 1u;                                  \
    u64 cut_done = (TO_U64(piece) - AT(a.starts, cut_probe)) * a.piece_length;                                         \
    u32 cut_size = AT(a.size, cut_probe);                                                                              \
    bool cut_any = cut_done < cut_size;                                                                                \
    u32 cut_left = cut_any ? cut_size - TO_U32(cut_done) : 0u;                                                         \
    AT(a.piece_begin, piece) = cut_any ? AT(a.begin, cut_probe) + TO_U32(cut_done) : 0u;                               \
    AT(a.piece_size, piece) = cut_left < a.piece_length ? cut_left : a.piece_length;                                   \
    if (!IS_NULL(a.offsets))                                                                                           \
      AT(a.piece_offsets, piece) = AT(a.offsets, cut_probe) + cut_done;                                                \
  } while (false)

/* Item: a probe: what its pieces found comes together. Constant: GATHER, not of rows. */
struct range_join_args {
  LAUNCH_HEADER;
  PTR(u64) starts;
  PTR(u32) piece_count; /* 0 where out_count is 0, and so on */
  PTR(u32) piece_first;
  PTR(u64) piece_sum;
  PTR(u32) out_count;
  PTR(u32) out_first;
  PTR(u64) out_sum;
};
ARGS_SIZE(range_join_args, 72);

#define JOIN_PIECES(f, i, gather)                                                                                      \
  for (u64 piece = AT(a.starts, i), pieces_end = AT(a.starts, TO_U64(i) + 1ul); piece < pieces_end; piece++) {         \
    if (!IS_NULL(a.piece_count))                                                                                       \
      f.count += AT(a.piece_count, piece);                                                                             \
    if (!IS_NULL(a.piece_first) && AT(a.piece_first, piece) < f.first)                                                 \
      f.first = AT(a.piece_first, piece);                                                                              \
    if ((gather) == GATHER_SUM)                                                                                        \
      f.sum += AT(a.piece_sum, piece);                                                                                 \
    if ((gather) == GATHER_SUM_WIDE) {                                                                                 \
      f.sum += AT(a.piece_sum, 2ul * piece);                                                                           \
      f.high += AT(a.piece_sum, 2ul * piece + 1ul);                                                                    \
    }                                                                                                                  \
  }

/* Prefix sums are written and read with the values, so that one gather of 32 bytes is all that an end of a span takes:
 * of each block of entries the sum of what comes before it in its tile, and the values. The last one counts from the
 * next block on only, so it need not be there. The entry behind all others has a block, too. */
#define PREFIX_BLOCK 7  /* entries */
#define PREFIX_TILE 256 /* blocks: a workgroup's */
#define PREFIX_TILE_ENTRIES (PREFIX_TILE * PREFIX_BLOCK)

struct prefix_block {
  u64 before;
  u32 values[PREFIX_BLOCK - 1];
};

SHARED_STRUCT(prefix_block, 32)

#ifdef RDX_GLSL
#else
typedef struct prefix_sums prefix_sums;
#endif

/* Prefix sums over one part of the values; addresses 0: not wanted. */
struct prefix_sums {
  PTR(prefix_block) blocks;
  PTR(u64) tiles; /* first the sum of each tile, then of all before it */
};

/* Item: a block. The parts: values in halves (high: 64-bit values only), 0 for NULLs, and whether they are not NULL.
 * Halves are those of the code: see column/keys.h. */
struct prefix_blocks_args {
  LAUNCH_HEADER;
  PTR(u32) words;
  PTR(u32) values;
  PTR(u32) values_valid;
  prefix_sums low;
  prefix_sums high;
  prefix_sums present;
  ROW_LAYOUT;
  u32 n; /* entries */
};
ARGS_SIZE(prefix_blocks_args, 104);

/* Item: a probe. Differences of prefix sums. Constants: GATHER (one of the sums), VALUE. */
struct prefix_sum_args {
  LAUNCH_HEADER;
  PTR(u32) begin;
  PTR(u32) size;
  prefix_sums low;
  prefix_sums high;
  prefix_sums present;
  PTR(u32) out_count;
  PTR(u64) out_sum;
};
ARGS_SIZE(prefix_sum_args, 96);

#ifdef RDX_GLSL
#define ROW_OF_ENTRY(a, entry)                                                                                         \
  AT(u32_ptr(u64(a.words) + u64((entry) / 8) * (4 * a.block_words)), a.first_word + (entry) % 8 * a.step)
#else
#define ROW_OF_ENTRY(a, entry) (a.words[(u64)((entry) / 8) * a.block_words + a.first_word + (entry) % 8 * a.step])
#endif

/* With the args declared as `a` (C: a macro for them): the parts of the value of an entry, where they are wanted. */
#define PREFIX_VALUE(entry, low_part, high_part, present_part)                                                         \
  do {                                                                                                                 \
    u32 span_row = ROW_OF_ENTRY(a, entry);                                                                             \
    bool span_present = has_bit(a.values_valid, span_row);                                                             \
    if (!IS_NULL(a.high.blocks)) {                                                                                     \
      u64 span_code = span_present ? AT(AS_U64_PTR(a.values), span_row) : 0ul;                                         \
      low_part = TO_U32(span_code);                                                                                    \
      high_part = TO_U32(span_code >> 32);                                                                             \
    } else {                                                                                                           \
      low_part = span_present ? AT(a.values, span_row) : 0u;                                                           \
    }                                                                                                                  \
    if (!IS_NULL(a.present.blocks))                                                                                    \
      present_part = span_present ? 1u : 0u;                                                                           \
  } while (false)

/* The sum over all entries before `entry`. A mask decides, as compilers turn a conditional into jumps. */
FN u64 prefix_sum_before(prefix_sums sums, u32 entry) {
  u32 block = entry / PREFIX_BLOCK, rest = entry % PREFIX_BLOCK;
  prefix_block here = AT(sums.blocks, block);
  u64 sum = AT(sums.tiles, block / PREFIX_TILE) + here.before;
  for (u32 k = 0; k < PREFIX_BLOCK - 1; k++)
    sum += here.values[k] & (0u - TO_U32(k < rest));
  return sum;
}

FN u64 prefix_sum_of(prefix_sums sums, u32 begin, u32 size) {
  if (size == 0u || IS_NULL(sums.blocks))
    return 0ul;
  return prefix_sum_before(sums, begin + size) - prefix_sum_before(sums, begin);
}

/* The codes of signed values are 2^31 (2^63) above them. */
#define PREFIX_DIFFERENCE(i, gather, value_kind)                                                                       \
  do {                                                                                                                 \
    u32 span_begin = AT(a.begin, i), span_count = AT(a.size, i);                                                       \
    u64 span_low = prefix_sum_of(a.low, span_begin, span_count),                                                       \
        span_high = prefix_sum_of(a.high, span_begin, span_count);                                                     \
    if (!IS_NULL(a.present.blocks))                                                                                    \
      span_count = TO_U32(prefix_sum_of(a.present, span_begin, span_count));                                           \
    if ((value_kind) == VALUE_I32)                                                                                     \
      span_low -= TO_U64(span_count) << 31;                                                                            \
    if ((value_kind) == VALUE_I64)                                                                                     \
      span_high -= TO_U64(span_count) << 31;                                                                           \
    if (!IS_NULL(a.out_count))                                                                                         \
      AT(a.out_count, i) = span_count;                                                                                 \
    if ((gather) == GATHER_SUM) {                                                                                      \
      AT(a.out_sum, i) = span_low + (span_high << 32);                                                                 \
    } else {                                                                                                           \
      AT(a.out_sum, 2ul * (i)) = span_low;                                                                             \
      AT(a.out_sum, 2ul * (i) + 1ul) = span_high;                                                                      \
    }                                                                                                                  \
  } while (false)

#endif
