/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_RAY_MATRIX_RAY_MATRIX_H
#define RDX_KERNELS_RAY_MATRIX_RAY_MATRIX_H

/* C and GLSL: rows as cubes in the space of up to three columns, and a matrix of rays through regions of it (RTc3 and
 * the Matrix RT Refine of RTScan, sections 3.1 and 4.4).
 *
 * Space. A column's positions (ranks, or values) are cut into cells of 2^shift, at most 2^21 on an axis; a row's cube
 * has the row's cell as its centre and an even number `width` of cells as its edge.
 *
 * Epsilon. The paper lets cubes be wider than the interval of rays by epsilon, twice the loss of rounding positions to
 * f32 (section 4.4.4). Here nothing is rounded: with at most 2^21 cells and cubes of at most 2^20, all coordinates are
 * multiples of one half below 2^22, which f32 holds exactly, so epsilon is 0 and interval and spacing may equal the
 * width. What remains is the error of the ray-box test itself: it multiplies coordinates by the inverse of the
 * direction, with a relative error of 2^-24 each, which moves a face by less than 2^22 * 2^-24 = 1/4. Faces lie on
 * whole numbers, rays and their ends on whole numbers and a half, 1/2 apart: no test can go wrong.
 *
 *   across   A ray at q + 1/2 meets the cubes with centres q + 1 - width/2 .. q + width/2: `width` cells. Rays at an
 *            interval of `width` meet each cube once, at less than that some twice, none is missed.
 *   along    Rays of some length follow each other at a distance. A cube that lies in the gap between two of them has
 *            its faces at whole numbers and is as wide as the gap or wider, and the gap's ends are halves: the cube
 *            sticks out by 1/2 at one end, and is met there.
 *
 * Which rows are met is thus the same on all devices, however boxes are grouped, and rows are then decided by their
 * codes: coordinates decide nothing. */

#include "kernels/sieve/sieve.h"

#define RAY_MATRIX_BITS 21u /* of a cell */
#define RAY_MATRIX_MASK 0x1ffffful
#define RAY_MATRIX_MAX_WIDTH 0x100000u

/* Item: a rank of a column (or, BY_VALUE, a row): set or add its row's cell on one axis. Constants: KEY64, BY_VALUE.
 * Values of a small range are spread over the axis, so that all axes are alike. */
struct ray_matrix_place_args {
  LAUNCH_HEADER;
  PTR(u32) codes; /* BY_VALUE */
  PTR(u32) valid;
  PTR(u32) order; /* the row of each rank */
  PTR(u64) cells; /* of each row: all axes, interleaved (Morton) */
  u64 smallest;   /* BY_VALUE: what cell 0 begins with */
  u32 shift;
  u32 spread; /* cells between two values, as a shift */
  u32 axis;
  u32 add; /* 0: the first axis */
};
ARGS_SIZE(ray_matrix_place_args, 72);

/* Item: a box around the cubes of `rows_per_box` rows; their cells are rewritten side by side instead of
 * interleaved. */
struct ray_matrix_box_args {
  LAUNCH_HEADER;
  PTR(u64) cells;
  PTR(f32) boxes;
  u32 rows;
  u32 rows_per_box;
  u32 width;
};
ARGS_SIZE(ray_matrix_box_args, 48);

/* A cuboid of cells and the rays through it. */
struct ray_matrix_region {
  u32 start; /* number of rays in the regions before */
  u32 axis;  /* that its rays run along */
  u32 low[3];
  u32 size[3];
  u32 across[2]; /* rays on the axes after `axis` */
};

SHARED_STRUCT(ray_matrix_region, 4)

#ifdef RDX_GLSL
#define RAY_MATRIX_REGIONS(query, place) ray_matrix_region_ptr(u64(query) + u64(place) * 8)
#else
#define RAY_MATRIX_REGIONS(query, place) ((struct ray_matrix_region *)(void *)((query) + (place)))
#endif
ARGS_SIZE(ray_matrix_region, 40);

#define RAY_MATRIX_STRIPES 64u /* of the counters, lest all rays add to one */

/* Item: a ray. */
struct ray_matrix_rays_args {
  LAUNCH_HEADER;
  PTR(u64) query;    /* begins with the terms that decide */
  PTR(u64) cells;    /* of each entry: x, y, z side by side */
  PTR(u32) rows;     /* of each entry */
  PTR(u32) mask;     /* rows that may qualify; 0: all */
  PTR(u32) out_bits; /* the bits of rows that are met become what the terms say */
  PTR(u32) counters; /* rays that hit and intersections, RAY_MATRIX_STRIPES times; 0: not wanted */
  u32 regions;       /* their place */
  u32 region_count;
  u32 term_count;
  u32 entries;
  u32 rows_per_box;
  u32 partition_size; /* boxes of an instance */
  u32 width;          /* of cubes; this and the next in cells */
  u32 interval;
  u32 ray_length;
  u32 spacing;
};
ARGS_SIZE(ray_matrix_rays_args, 104);

/* The 21 bits of a cell at every third place. */
FN u64 ray_matrix_spread(u32 cell) {
  u64 x = TO_U64(cell) & RAY_MATRIX_MASK;
  x = (x | x << 32) & 0x1f00000000fffful;
  x = (x | x << 16) & 0x1f0000ff0000fful;
  x = (x | x << 8) & 0x100f00f00f00f00ful;
  x = (x | x << 4) & 0x10c30c30c30c30c3ul;
  return (x | x << 2) & 0x1249249249249249ul;
}

FN u32 ray_matrix_gather(u64 x) {
  x &= 0x1249249249249249ul;
  x = (x | x >> 2) & 0x10c30c30c30c30c3ul;
  x = (x | x >> 4) & 0x100f00f00f00f00ful;
  x = (x | x >> 8) & 0x1f0000ff0000fful;
  x = (x | x >> 16) & 0x1f00000000fffful;
  return TO_U32((x | x >> 32) & RAY_MATRIX_MASK);
}

/* The cell on one axis, of cells side by side. */
FN f32 ray_matrix_cell(u64 cells, u32 axis) {
  return TO_F32(TO_U32(cells >> (axis * RAY_MATRIX_BITS) & RAY_MATRIX_MASK));
}

/* RTScan, section 4.4.4 "Analysis of the Precision Loss". */
/* Whether a cube meets what a ray covers on one axis. */
FN bool ray_matrix_overlap(f32 cell, f32 half_width, f32 low, f32 high) {
  return cell + half_width > low && cell - half_width < high;
}

struct ray_matrix_ray {
  f32 origin[3];
  f32 tmax; /* its length; it begins at its origin */
  u32 axis;
};

SHARED_TYPE(ray_matrix_ray);

/* Cells that the rays in a row along an axis span: from the far face of the first cube to the near face of the last,
 * and never nothing. */
FN u32 ray_matrix_reach(u32 size, u32 width) {
  return size > width ? size - width + 1u : 1u;
}

/* Rays across a region on one axis. */
FN u32 ray_matrix_across(u32 size, u32 width, u32 interval) {
  return size > width ? (size - width + interval - 1u) / interval + 1u : 1u;
}

/* RTScan, Figure 13 "The effect of adding spacing to rays". */
/* Rays in a row along it. The last begins inside the cube of the last cell. */
FN u32 ray_matrix_along(u32 size, u32 width, u32 ray_length, u32 spacing) {
  u32 reach = ray_matrix_reach(size, width), period = ray_length + spacing;
  return reach / period + 1u + (reach % period > ray_length ? 1u : 0u);
}

/* RTScan, Figure 12 "Ray interval and spacing". */
/* Ray `i` of a region. */
FN ray_matrix_ray ray_matrix_ray_of(ray_matrix_region region, u32 i, u32 width, u32 interval, u32 ray_length,
                                    u32 spacing) {
  ray_matrix_ray ray;
  u32 u = (region.axis + 1u) % 3u, v = (region.axis + 2u) % 3u;
  u32 k = i % region.across[0], rest = i / region.across[0];
  f32 inset = TO_F32(width) * 0.5f - 0.5f;
  ray.axis = region.axis;
  ray.origin[u] = TO_F32(region.low[u] + k * interval) + inset;
  ray.origin[v] = TO_F32(region.low[v] + rest % region.across[1] * interval) + inset;
  u32 begin = rest / region.across[1] * (ray_length + spacing);
  u32 reach = ray_matrix_reach(region.size[ray.axis], width);
  u32 left = reach > begin ? reach - begin : 1u;
  ray.origin[ray.axis] = TO_F32(region.low[ray.axis] + begin) + inset - 1.0f;
  ray.tmax = TO_F32(left < ray_length ? left : ray_length);
  return ray;
}

/* The region that holds ray `i` of all. */
DEFINE_REGION_OF(ray_matrix_region_of, ray_matrix_region)

#endif
