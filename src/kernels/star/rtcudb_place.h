/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_STAR_RTCUDB_PLACE_H
#define RDX_KERNELS_STAR_RTCUDB_PLACE_H

/* C and GLSL: the item of the kernel that makes triangles. `a` is the args struct, in GLSL the push constants. */

#include "kernels/star/rtcudb.h"

/* y of a group; what it leaves out goes to memory (section 4.5). */
FN u32 rtcudb_y(PTR(u32) groups, PTR(u32) cuts, u32 cut_count, PTR(u32) rests, u32 row) {
  u32 group = IS_NULL(groups) ? 0u : AT(groups, row);
  if (IS_NULL(cuts))
    return group;
  u32 y = star_find(cuts, cut_count, group);
  AT(rests, row) = group - AT(cuts, y);
  return y;
}

#define RTCUDB_PLACE(a, i)                                                                                             \
  rtcudb_place(a.triangles, a.corners, i, rtcudb_coordinate(rtcudb_x(a.fields, a.field_count, i), a.centre_x),         \
               rtcudb_coordinate(rtcudb_y(a.groups, a.cuts, a.cut_count, a.rests, i), a.centre_y),                     \
               (rtcudb_coordinate(IS_NULL(a.z) ? 0u : AT(a.z, i), a.centre_z) + 0.5f) * a.unit_z, a.leg_x, a.leg_y)

/* RTCUDB, section 3.2 "RTCUDB creates a right triangle as the primitive". */
FN void rtcudb_place(PTR(f32) triangles, PTR(f32) corners, u32 row, f32 x, f32 y, f32 z, f32 leg_x, f32 leg_y) {
#ifdef RDX_GLSL
  f32_ptr t = f32_ptr(u64(triangles) + u64(row) * 36), c = f32_ptr(u64(corners) + u64(row) * 12);
#else
  f32 *t = triangles + (u64)row * 9, *c = corners + (corners ? (u64)row * 3 : 0);
#endif
  AT(t, 0) = x;
  AT(t, 1) = y;
  AT(t, 2) = z;
  AT(t, 3) = x + leg_x;
  AT(t, 4) = y;
  AT(t, 5) = z;
  AT(t, 6) = x;
  AT(t, 7) = y + leg_y;
  AT(t, 8) = z;
  if (IS_NULL(corners))
    return;
  AT(c, 0) = x;
  AT(c, 1) = y;
  AT(c, 2) = z;
}

#endif
