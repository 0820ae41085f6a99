/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_STAR_COARSE_CUBE_H
#define RDX_KERNELS_STAR_COARSE_CUBE_H

/* C and GLSL: the coarse cube.
 *
 * Rows lie in blocks. A cell is 2^shift scan places, in each of a few scene rows; a block has rows of one cell, and is
 * a triangle at x = its cell, y = its scene row. A query's ranges of places touch some runs of cells, disjoint ones: a
 * ray along x for each run and scene row, or for each piece of a run, meets each block of its cells, and no other ray
 * meets these. Of a block that it meets it adds those rows whose place lies in one of the ranges. So each row that
 * qualifies is added once, whatever the order of hits.
 *
 * Coordinates are whole numbers below 2^22, rays end between them, half a unit away, and are no longer than 2^16
 * cells, so that the error of a hit's distance is far below that half. */

#include "kernels/star/aggregate.h"

/* A piece of a run of cells, and the ranges that touch it. */
#define STAR_MAX_CELLS 65536u /* of a piece */
struct star_piece {
  u32 first_cell;
  u32 last_cell;
  u32 first_range;
  u32 range_count;
};

SHARED_STRUCT(star_piece, 4)

/* Item: a ray, one for each piece and scene row; on the CPU a part of `parts`. Lists the blocks that rays meet: what
 * they do is little, and a block meets one ray at most. */
struct coarse_args {
  LAUNCH_HEADER;
  PTR(star_piece) pieces;
  PTR(u32) hit_list; /* how many; then for each the block, and the number of the piece */
  u32 scene_rows;
  u32 rays;
  u32 partition_size;
  u32 parts;
};
ARGS_SIZE(coarse_args, 48);

/* Add up the blocks listed. Item: on GPUs a lane of a workgroup, `parts` of which the shares of all blocks are dealt
 * out to; on the CPU a part, which is a copy of the accumulators. */
#define COARSE_GROUP 64u
struct coarse_add_args {
  LAUNCH_HEADER;
  PTR(star_query) query;
  PTR(u32) hit_list;
  PTR(star_piece) pieces;
  PTR(u32) blocks;   /* for each its first row and its cell; then the number of rows */
  PTR(u32) places;   /* of each row */
  PTR(u32) ranges;   /* pairs (low, end) of places */
  PTR(u64) counters; /* hits, and rows; 0: not wanted */
  u32 shift;
  u32 parts;
  u32 shares;   /* of a block; on the CPU 1 */
  u32 by_place; /* rows of a cell are in the order of places, for the same in that of groups; else of groups */
};
ARGS_SIZE(coarse_add_args, 88);

/* The same by runs whose totals are kept, of which each block has some of its own. Item: a part, `parts` of which the
 * shares of all blocks are dealt out to; on the CPU a copy of the accumulators. */
struct coarse_runs_args {
  LAUNCH_HEADER;
  PTR(star_query) query;
  PTR(u32) hit_list;
  PTR(star_piece) pieces;
  PTR(star_runs) runs;
  PTR(u32) block_runs; /* the first run of each block, and the number of runs */
  PTR(u32) ranges;     /* pairs (low, end) of runs */
  PTR(u64) counters;   /* hits, and rows, of which none is read; 0: not wanted */
  u32 parts;
  u32 shares; /* of a block; on the CPU 1 */
};
ARGS_SIZE(coarse_runs_args, 80);

/* Whether all places of a cell are in the first of a piece's ranges. */
FN bool coarse_all(PTR(u32) ranges, star_piece piece, u32 cell, u32 shift) {
  u32 low = AT(ranges, 2u * piece.first_range), end = AT(ranges, 2u * piece.first_range + 1u);
  return low <= cell << shift && end - (cell << shift) >= 1u << shift && end > cell << shift;
}

#endif
