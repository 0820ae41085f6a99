/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_RANGE_GATHER_RANGE_GATHER_H
#define RDX_KERNELS_RANGE_GATHER_RANGE_GATHER_H

/* C and GLSL: gathering over spans. A range lookup among sorted entries finds a span of them; what is wanted of its
 * rows is then gathered here, whatever index found it (thesis, algorithm 4). Sums of many long spans are differences of
 * prefix sums over the values in the order of the entries; their first rows come from levels of minima. */

#include "kernels/lookup/found.h"

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
  found_io io;
  ROW_LAYOUT;
};
ARGS_SIZE(range_gather_args, 112);

/* Long spans are cut into pieces, which are spans themselves, so that many threads share one. A probe has one piece at
 * least. Item of PIECES_COUNT: a probe: how many pieces it has. Item of PIECES_CUT: a piece: the entries that it has,
 * and where its rows go; those behind the last one have no entry. Item of PIECES_BEGIN: a probe: `begin` is the end of
 * its span at first, and where the span begins from then on. */
#define PIECES_COUNT 0
#define PIECES_CUT 1
#define PIECES_BEGIN 2
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

FN void cut_piece(range_pieces_args a, u32 piece) {
  u32 probe = upper_bound_u64(a.starts, 0, a.probes, TO_U64(piece)) - 1u;
  u64 done = (TO_U64(piece) - AT(a.starts, probe)) * a.piece_length;
  u32 size = AT(a.size, probe), left = done < size ? size - TO_U32(done) : 0u;
  AT(a.piece_begin, piece) = left > 0u ? AT(a.begin, probe) + TO_U32(done) : 0u;
  AT(a.piece_size, piece) = left < a.piece_length ? left : a.piece_length;
  if (!IS_NULL(a.offsets))
    AT(a.piece_offsets, piece) = AT(a.offsets, probe) + done;
}

/* Item: a probe: what its pieces found comes together. Constant: GATHER, not of rows. */
struct range_join_args {
  LAUNCH_HEADER;
  PTR(u64) starts;
  PTR(u32) piece_count; /* 0 where out_count is 0, and so on */
  PTR(u32) piece_first;
  PTR(u64) piece_sum;
  found_io io;
};
ARGS_SIZE(range_join_args, 104);

FN findings join_pieces(range_join_args a, u64 i, u32 gather) {
  findings f = FOUND_NONE;
  u64 end = AT(a.starts, i + 1ul);
  for (u64 piece = AT(a.starts, i); piece < end; piece++) {
    if (!IS_NULL(a.piece_count))
      f.count += AT(a.piece_count, piece);
    if (!IS_NULL(a.piece_first) && AT(a.piece_first, piece) < f.first)
      f.first = AT(a.piece_first, piece);
    if (gather == GATHER_SUM)
      f.sum += AT(a.piece_sum, piece);
    if (gather == GATHER_SUM_WIDE) {
      f.sum += AT(a.piece_sum, 2ul * piece);
      f.high += AT(a.piece_sum, 2ul * piece + 1ul);
    }
  }
  return f;
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

/* Prefix sums over one part of the values; addresses 0: not wanted. */
struct prefix_sums {
  PTR(prefix_block) blocks;
  PTR(u64) tiles; /* first the sum of each tile, then of all before it */
};
SHARED_TYPE(prefix_sums);

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

/* Levels of minima: the first has the least row of each MINIMA_BLOCK entries, the next ones of as many numbers of the
 * level below; they stand one behind the other. Item: a number of a level. */
#define MINIMA_BLOCK 16u

struct range_minima_args {
  LAUNCH_HEADER;
  PTR(u32) words; /* 0: the level below is at `below` */
  PTR(u32) below;
  PTR(u32) out_minima;
  ROW_LAYOUT;
  u32 n; /* entries, or numbers of the level below */
};
ARGS_SIZE(range_minima_args, 56);

/* Item: a probe: the first row of its entries, and how many these are. */
struct range_first_args {
  LAUNCH_HEADER;
  PTR(u32) begin;
  PTR(u32) size;
  PTR(u32) words;
  PTR(u32) minima;
  PTR(u32) out_count;
  PTR(u32) out_first;
  ROW_LAYOUT;
  u32 n;
};
ARGS_SIZE(range_first_args, 80);

FN u32 lesser_row(u32 a, u32 b) {
  return a < b ? a : b;
}

FN void take_minimum(range_minima_args a, u32 block) {
  u32 row = NO_ROW, begin = block * MINIMA_BLOCK, left = a.n - begin,
      end = left < MINIMA_BLOCK ? a.n : begin + MINIMA_BLOCK;
  for (u32 i = begin; i < end; i++) {
    if (IS_NULL(a.words))
      row = lesser_row(row, AT(a.below, i));
    else
      row = lesser_row(row, ROW_OF_ENTRY(a, i));
  }
  AT(a.out_minima, block) = row;
}

/* Ends of the span that are no whole blocks are looked at by themselves, level by level. */
FN void find_first(range_first_args a, u64 probe) {
  u32 begin = AT(a.begin, probe), end = begin + AT(a.size, probe), row = NO_ROW, count = a.n, level = 0u;
  for (; begin < end && begin % MINIMA_BLOCK != 0u; begin++)
    row = lesser_row(row, ROW_OF_ENTRY(a, begin));
  for (; begin < end && end % MINIMA_BLOCK != 0u; end--)
    row = lesser_row(row, ROW_OF_ENTRY(a, end - 1u));
  for (begin /= MINIMA_BLOCK, end /= MINIMA_BLOCK; begin < end; begin /= MINIMA_BLOCK, end /= MINIMA_BLOCK) {
    for (; begin < end && begin % MINIMA_BLOCK != 0u; begin++)
      row = lesser_row(row, AT(a.minima, level + begin));
    for (; begin < end && end % MINIMA_BLOCK != 0u; end--)
      row = lesser_row(row, AT(a.minima, level + end - 1u));
    count = (count - 1u) / MINIMA_BLOCK + 1u;
    level += count;
  }
  if (!IS_NULL(a.out_count))
    AT(a.out_count, probe) = AT(a.size, probe);
  AT(a.out_first, probe) = row;
}

/* The parts of the value of an entry, where they are wanted. */
struct prefix_value {
  u32 low;
  u32 high;
  u32 present;
};
ARGS_SIZE(prefix_value, 12);

FN prefix_value prefix_value_of(prefix_blocks_args a, u32 entry) {
  u32 row = ROW_OF_ENTRY(a, entry);
  bool present = has_bit(a.values_valid, row);
  prefix_value v;
  v.present = present ? 1u : 0u;
  v.high = 0u;
  if (!IS_NULL(a.high.blocks)) {
    u64 code = present ? AT(AS_U64_PTR(a.values), row) : 0ul;
    v.low = TO_U32(code);
    v.high = TO_U32(code >> 32);
  } else {
    v.low = present ? AT(a.values, row) : 0u;
  }
  return v;
}

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
FN void prefix_difference(prefix_sum_args a, u64 i, u32 gather, u32 value_kind) {
  u32 begin = AT(a.begin, i), count = AT(a.size, i);
  u64 low = prefix_sum_of(a.low, begin, count), high = prefix_sum_of(a.high, begin, count);
  if (!IS_NULL(a.present.blocks))
    count = TO_U32(prefix_sum_of(a.present, begin, count));
  if (value_kind == VALUE_I32)
    low -= TO_U64(count) << 31;
  if (value_kind == VALUE_I64)
    high -= TO_U64(count) << 31;
  if (!IS_NULL(a.out_count))
    AT(a.out_count, i) = count;
  if (gather == GATHER_SUM) {
    AT(a.out_sum, i) = low + (high << 32);
  } else {
    AT(a.out_sum, 2ul * i) = low;
    AT(a.out_sum, 2ul * i + 1ul) = high;
  }
}

#endif
