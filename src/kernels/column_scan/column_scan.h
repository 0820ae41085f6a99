/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_COLUMN_SCAN_COLUMN_SCAN_H
#define RDX_KERNELS_COLUMN_SCAN_COLUMN_SCAN_H

/* C and GLSL: scans of packed columns.
 *
 * A column is packed to as few bytes as its range of codes needs: a row's number is (code - smallest) << shift, where
 * shift moves the highest bit to the top of the first byte. The bytes of a number lie in planes, the highest first
 * (ByteSlice: Feng et al., SIGMOD 2015), so that a comparison reads another plane only of rows that all planes before
 * left undecided: of 32-bit numbers spread evenly mostly one byte in four. In a plane the CPU has the bytes in the
 * order of rows; a GPU, which has no instructions for bytes, has 32 rows as a word for each bit (BitWeaving/V: Li,
 * Patel, SIGMOD 2013), the lowest first.
 *
 * Where the first byte would tell few rows apart, as of skewed columns, the number gets another byte in front: in which
 * of 256 steps of about as many rows it lies (Column Sketches: Hentschel, Kester, Idreos, SIGMOD 2018). That keeps the
 * order of numbers, so that nothing else has to know.
 *
 * Each block of rows has its smallest and largest number ("zone map", Moerkotte, VLDB 1998). */

#include "device/search.h"

#define BLOCK_ROWS 4096
#define BLOCK_WORDS (BLOCK_ROWS / 32)

/* Blocks that are worked on together, so that many reads are under way at a time. */
#define TILE_BLOCKS 8
#define TILE_WORDS (TILE_BLOCKS * BLOCK_WORDS)

/* Up to as many intervals are compared one by one; more are searched. */
#define LINEAR_INTERVALS 4

/* One term of a conjunction. Its intervals are pairs (low, high) of numbers: ascending, disjoint. A last high of
 * 2^64 - 1 stands for no upper bound. */
struct scan_term {
  PTR(u32) planes;
  PTR(u32) valid; /* 0: no row is NULL */
  PTR(u64) zones; /* pairs, one a block; 0: the blocks tell little apart */
  u32 plane_count;
  u32 first; /* of its intervals */
  u32 interval_count;
  u32 table; /* more than LINEAR_INTERVALS: where the bits of the first byte are, see byte_table */
};

SHARED_STRUCT(scan_term, 8)

/* The rows for which all terms are true. An item is a tile. Constant: whether bytes are counted. */
struct column_scan_args {
  LAUNCH_HEADER;
  PTR(scan_term) terms;
  PTR(u64) intervals; /* and tables */
  PTR(u32) words;     /* the bitmap */
  PTR(u32) total;     /* the number of rows is added; 0: nobody asks */
  PTR(u32) bytes;     /* read and written, by tile */
  u64 stride;         /* bytes of a plane */
  u32 rows;
  u32 term_count;
  u32 narrow; /* keep only rows that the bitmap holds already */
};
ARGS_SIZE(column_scan_args, 80);

/* The smallest and largest code of each block's rows that are not NULL (none: smallest above largest). An item is a
 * block. Constant: KEY64. */
struct column_bounds_args {
  LAUNCH_HEADER;
  PTR(u32) keys;
  PTR(u32) valid;
  PTR(u64) zones;
  u32 rows;
};
ARGS_SIZE(column_bounds_args, 48);

/* Pack a column and its zones. An item is a word of 32 rows. Constant: KEY64. */
struct column_pack_args {
  LAUNCH_HEADER;
  PTR(u32) keys;
  PTR(u64) zones; /* of codes */
  PTR(u32) planes;
  PTR(u64) packed_zones;
  PTR(u64) steps; /* STEPS of them, ascending: where a step begins; 0: no such byte */
  u64 stride;
  u64 smallest;
  u32 rows;
  u32 plane_count;
  u32 shift;
};
ARGS_SIZE(column_pack_args, 88);

#define STEPS 255

/* The number of a code. `plane_count` counts the byte of the step, too. */
FN u64 packed_number(u64 code, u64 smallest, u32 shift, PTR(u64) steps, u32 plane_count) {
  u64 number = (code - smallest) << shift;
  if (IS_NULL(steps))
    return number;
  u32 step = 0;
  for (u32 half_of = 128; half_of > 0; half_of /= 2)
    step += half_of * TO_U32(AT(steps, step + half_of - 1) <= number); /* no branch, which half of all would miss */
  return TO_U64(step) << (8 * (plane_count - 1)) | number;
}

/* The planes that a comparison with `bound` looks at: behind them it has only bits that are set, which nothing is
 * above. */
FN u32 planes_of_bound(u64 bound, u32 plane_count) {
  u32 planes = plane_count;
  while (planes > 1 && (bound >> (8 * (plane_count - planes)) & 255ul) == 255ul)
    planes--;
  return planes;
}

/* How a zone meets intervals. */
#define ZONE_NONE 0 /* no number of it is in any */
#define ZONE_SOME 1
#define ZONE_ALL 2 /* all of it is in one */

FN u32 zone_meets(PTR(u64) intervals, u32 first, u32 count, u64 low, u64 high) {
  u32 begun = interval_above_u64(intervals, 2 * first, 0, count, high);
  if (begun == 0)
    return ZONE_NONE;
  u32 at = 2 * (first + begun - 1);
  if (AT(intervals, at + 1) < low)
    return ZONE_NONE;
  return AT(intervals, at) <= low && high <= AT(intervals, at + 1) ? ZONE_ALL : ZONE_SOME;
}

/* A byte table tells what the first byte of a number decides: four u64 hold a bit for each byte whose numbers are all
 * in an interval, four more one for each byte of which only some are. */
FN bool byte_table(PTR(u64) intervals, u32 table, u32 byte) {
  return (AT(intervals, table + byte / 64) >> (byte % 64) & 1ul) != 0;
}
#define BYTE_TABLE_SIZE 8
#define BYTE_TABLE_SOME 4

#endif
