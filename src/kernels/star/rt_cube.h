/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_STAR_RT_CUBE_H
#define RDX_KERNELS_STAR_RT_CUBE_H

/* C and GLSL: the RT cube (RTCUDB, sections 3.2 and 4).
 *
 * Rows are numbered in the order of their scan codes. A row is a right triangle at x = its measures, y = its group,
 * each as far as 21 bits tell, and z = its number, as far as 24 bits tell: so a run of codes is a run of z, rows of a
 * code lie one behind the other, and a ray may be cut anywhere. Corners: (x, y, z), (x + leg x, y, z), (x, y + leg y,
 * z). For each run of rows rays along z start at a grid of points (hx (i + 1) - 1/2, hy (j + 1) - 1/2), hx and hy at
 * most half a leg, as in section 3.2.
 *
 * Every triangle of the area is hit. Let i = x / hx and j = y / hy, rounded down. Then the ray (i, j) passes at
 * distances dx = hx (i + 1) - 1/2 - x and dy from the two legs, and 1/2 <= dx <= hx - 1/2, the same for dy: so it is
 * inside of both legs, and inside of the third side, because dx / leg x + dy / leg y <= 1 - 1/4hx - 1/4hy < 1. The
 * right angle and the rays are whole numbers and halves below 2^23, and the legs run along the axes even where their
 * far ends are rounded: so on which side of a leg a ray passes is exact. An intersection test gets the third side with
 * an error of about 2^-22 of the product of the legs. So the legs are 4 times hx and hy or longer, which leaves a
 * margin of a half, or the smaller of hx and hy is at most 2^17, which leaves 2^-19.
 *
 * None outside counts. Triangles lie in the middle of their unit of z, rays end where units do, so half a unit away,
 * and none is longer than 2^16, so that the error of a distance does not matter. All these are whole numbers and
 * halves, of both signs so that they stay within 2^23; a unit may be a power of two (z_scale), which changes no digit
 * of them. (Embree's test of a box rounds a product of origin and direction, by a quarter at 2^22 and above: the half
 * allows for it, but not for a 25th bit.) Where rows share a z with those of another run, their numbers tell them
 * apart.
 *
 * Each row counts once. Up to three rays hit a triangle if legs are 2 hx and 2 hy; the paper sets a flag for each row
 * that is hit (algorithm 1, line 3). Here the ray (i, j) of above owns the row, and hits of others are passed over:
 * nothing has to be reset after a query, and queries may run at the same time. */

#include "kernels/star/cube_build.h"

#define RT_MAX_HALF_LEG 131072u
#define RT_MAX_CELLS 65536u /* of a ray: different z */

/* Item: a row. Its triangle, and its owner: j * columns + i. */
struct rt_place_args {
  LAUNCH_HEADER;
  PTR(star_step) steps; /* x, of step_count steps */
  PTR(u32) groups;
  PTR(f32) triangles;
  PTR(u32) owners; /* 0: there is one ray for all */
  u32 step_count;
  u32 group_bytes;
  u32 x_shift;
  u32 y_shift;
  u32 z_shift;
  u32 half_x;
  u32 half_y;
  u32 columns;
  f32 leg_x;
  f32 leg_y;
  f32 z_scale;
};
ARGS_SIZE(rt_place_args, 96);

/* Rows begin .. end - 1, of which those count whose scan places are in some ranges; and how many pieces of z come
 * before them, each of which has a grid of rays. */
struct rt_run {
  u32 first_piece;
  u32 begin;
  u32 end;
  u32 first_range;
  u32 range_count;
};

SHARED_STRUCT(rt_run, 4)

/* Item: a ray, columns * lines of them for each piece; on the CPU a part of `parts`, which share the
 * copies of the accumulators. */
struct rt_rays_args {
  LAUNCH_HEADER;
  PTR(star_query) query;
  PTR(rt_run) runs;
  PTR(u32) owners;
  PTR(u32) places;   /* of rows, to be looked up in the ranges; 0: all rows of a run count */
  PTR(u32) ranges;   /* pairs (low, end) */
  PTR(u32) bits;     /* rows that qualify; 0: not asked */
  PTR(u64) counters; /* hits, and rows; 0: not wanted */
  u32 run_count;
  u32 cells; /* z of a piece */
  u32 z_shift;
  u32 columns;
  u32 lines;
  u32 half_x;
  u32 half_y;
  u32 rays;
  u32 partition_size;
  u32 parts;
  f32 z_scale;
};
ARGS_SIZE(rt_rays_args, 120);

/* z of a cell, 0 in the middle of the 2^24 that there may be. */
#define RT_Z(cell) (TO_F32(cell) - 8388608.0f)
#define RT_PLACE_ON_GRID(half_leg, i) (TO_F32((half_leg) * ((i) + 1u)) - 0.5f)

DEFINE_BOUND(rt_run_above, (PTR(rt_run) runs, u32 begin, u32 end, u32 piece), AT(runs, middle).first_piece <= piece)

/* The run that a piece is of. */
FN u32 rt_find(PTR(rt_run) runs, u32 count, u32 piece) {
  return rt_run_above(runs, 1, count, piece) - 1;
}

/* The z that a piece begins with, and how many it has. */
FN u32 rt_first_cell(rt_run run, u32 piece, u32 cells, u32 z_shift) {
  return (run.begin >> z_shift) + (piece - run.first_piece) * cells;
}

FN u32 rt_cells(rt_run run, u32 first_cell, u32 cells, u32 z_shift) {
  u32 rest = ((run.end - 1u) >> z_shift) - first_cell + 1u;
  return rest < cells ? rest : cells;
}

/* Whether a hit of ray `cell` of the grid counts. */
FN bool rt_counts(PTR(u32) owners, PTR(u32) places, PTR(u32) ranges, PTR(u32) bits, u32 row, u32 cell, rt_run run) {
  if (row - run.begin >= run.end - run.begin)
    return false;
  if (!IS_NULL(owners) && AT(owners, row) != cell)
    return false;
  if (!IS_NULL(bits) && (AT(bits, row / 32u) >> (row % 32u) & 1u) == 0u)
    return false;
  return IS_NULL(places) || star_inside(ranges, run.first_range, run.range_count, AT(places, row));
}

FN void rt_place(rt_place_args a, u32 row) {
  u32 x = TO_U32(star_value(a.steps, a.step_count, row, 0ul, 0ul) >> a.x_shift);
  u32 y = TO_U32(star_load(a.groups, a.group_bytes, row)) >> a.y_shift, z = row >> a.z_shift;
  star_triangle(a.triangles, row, TO_F32(x), TO_F32(y), (RT_Z(z) + 0.5f) * a.z_scale, a.leg_x, a.leg_y);
  if (!IS_NULL(a.owners))
    AT(a.owners, row) = y / a.half_y * a.columns + x / a.half_x;
}

#endif
