/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_RTC1_RTC1_H
#define RDX_KERNELS_RTC1_RTC1_H

/* C and GLSL: the rows of one column as triangles along the x axis, and rays along it (RTIndex, as RTScan's section 2.2
 * takes it) or across it (RTc1, section 2.3).
 *
 * A value less the smallest is cut into cells of 2^shift, at most 2^21. Cell k has the triangle of section 2.3 with
 * its edge s = `width`, moved so that its middle is at k, and lowered so that the x axis runs through its inside:
 *
 *   (k + s/2, -s/2, 0)   (k - s/2, 0, s)   (k - s/2, s, -s)
 *
 * In the plane z = 0 it is a line from (k - s/2, s/2) to (k + s/2, -s/2): a ray along y at x meets it between these
 * two, and one along x does at y = 0. Rays across stand at whole numbers and a half, corners at whole numbers (s is
 * even): as for the ray matrix (kernels/ray_matrix/ray_matrix.h) nothing is rounded, so that rays at an interval of s
 * meet each triangle once. Rows that are met are decided by their codes. */

#include "kernels/sieve/sieve.h"

#define RTC1_MAX_CELL 0x1fffffu

/* Item: a row that is not NULL. Constants: KEY64. */
struct rtc1_encode_args {
  LAUNCH_HEADER;
  PTR(u32) codes;
  PTR(u32) rows; /* those that are not NULL; 0: all are */
  PTR(f32) triangles;
  u64 smallest;
  u32 shift;
  u32 width;
};
ARGS_SIZE(rtc1_encode_args, 56);

#define RTC1_STRIPES 64u /* of the counters */

/* Item: a ray. */
struct rtc1_rays_args {
  LAUNCH_HEADER;
  PTR(u64) query; /* one term */
  PTR(u32) rows;  /* of each triangle; 0: triangle i is row i */
  PTR(u32) mask;  /* rows that may qualify; 0: all */
  PTR(u32) out_bits;
  PTR(u32) counters; /* rays that hit and intersections, RTC1_STRIPES times; 0: not wanted */
  u32 partition_size;
  u32 low;  /* first cell */
  u32 size; /* cells */
  u32 width;
  u32 along; /* one ray along x, else rays across it */
};
ARGS_SIZE(rtc1_rays_args, 80);

struct rtc1_ray {
  f32 x, y;
  f32 tmax; /* it begins at its origin */
};

SHARED_TYPE(rtc1_ray);

#ifdef RDX_GLSL
#define RTC1_TRIANGLE(p, i) f32_ptr(u64(p) + u64(i) * 36)
#else
#define RTC1_TRIANGLE(p, i) ((p) + (u64)(i)*9)
#endif

/* RTScan, Figure 1 "How RTIndex and RTc1 work". */
/* RTScan, section 2.3 "perpendicular to the XZ-plane". */
/* Ray `i`. One along x begins and ends beyond the triangles of its first and last cell. */
FN rtc1_ray rtc1_ray_of(u32 i, u32 low, u32 size, u32 width, u32 along) {
  f32 s = TO_F32(width);
  rtc1_ray ray;
  ray.x = along != 0 ? TO_F32(low) - s : TO_F32(low + i * width) + s * 0.5f - 0.5f;
  ray.y = along != 0 ? 0.0f : -s;
  ray.tmax = along != 0 ? TO_F32(size) + 2.0f * s : 2.0f * s;
  return ray;
}

/* RTScan, section 2.3 "The coordinates of a triangle that represents a value k". */
FN void rtc1_write_triangle(PTR(f32) triangles, u32 i, u32 cell, u32 width) {
  PTR(f32) v = RTC1_TRIANGLE(triangles, i);
  f32 k = TO_F32(cell), s = TO_F32(width);
  AT(v, 0) = k + s * 0.5f;
  AT(v, 1) = -(s * 0.5f);
  AT(v, 2) = 0.0f;
  AT(v, 3) = k - s * 0.5f;
  AT(v, 4) = 0.0f;
  AT(v, 5) = s;
  AT(v, 6) = k - s * 0.5f;
  AT(v, 7) = s;
  AT(v, 8) = -s;
}

#endif
