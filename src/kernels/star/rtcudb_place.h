/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_STAR_RTCUDB_PLACE_H
#define RDX_KERNELS_STAR_RTCUDB_PLACE_H

/* C and GLSL: the item of the kernel that makes triangles. */

#include "kernels/star/cube_build.h"
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

/* RTCUDB, section 3.2 "RTCUDB creates a right triangle as the primitive". */
FN void rtcudb_place(rtcudb_place_args a, u32 row) {
  f32 x = rtcudb_coordinate(rtcudb_x(a.fields, a.field_count, row), a.centre_x);
  f32 y = rtcudb_coordinate(rtcudb_y(a.groups, a.cuts, a.cut_count, a.rests, row), a.centre_y);
  f32 z = (rtcudb_coordinate(IS_NULL(a.z) ? 0u : AT(a.z, row), a.centre_z) + 0.5f) * a.unit_z;
  star_triangle(a.triangles, row, x, y, z, a.leg_x, a.leg_y);
  if (IS_NULL(a.corners))
    return;
  AT(a.corners, 3ul * row) = x;
  AT(a.corners, 3ul * row + 1ul) = y;
  AT(a.corners, 3ul * row + 2ul) = z;
}

#endif
