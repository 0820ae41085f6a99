/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_STAR_CUBE_BUILD_H
#define RDX_KERNELS_STAR_CUBE_BUILD_H

/* C and GLSL: the items of the kernels that build cubes. `a` is the args struct, in GLSL the push constants. */

#include "kernels/lookup/lookup.h"
#include "kernels/star/aggregate.h"

FN u64 star_key(u64 before, u64 code, PTR(u64) dictionary, u32 dictionary_count, u32 bits, u32 first_attribute) {
  if (!IS_NULL(dictionary))
    code = TO_U64(lower_bound_u64(dictionary, 0, dictionary_count, code));
  return first_attribute != 0u || bits == 64u ? code : before << bits | code;
}

FN void star_start(PTR(u32) keys, PTR(u32) starts, u32 shift, u32 i, u32 key64) {
  u32 place = TO_U32(load_key(keys, i, key64) >> shift);
  if (i == 0u || place != TO_U32(load_key(keys, i - 1u, key64) >> shift))
    AT(starts, place) = i;
}

/* The packed result of one place of the order; 0 past the last. */
FN u64 star_packed(PTR(star_step) steps, u32 step_count, PTR(u32) order, u32 rows, u32 place, u64 least,
                   u64 null_code) {
  if (place >= rows)
    return 0ul;
  return star_value(steps, step_count, IS_NULL(order) ? place : AT(order, place), least, null_code);
}

FN void star_pack(PTR(star_step) steps, u32 step_count, PTR(u32) order, PTR(u32) packed_out, u32 rows, u32 bytes,
                  u64 least, u64 null_code, u32 item) {
  if (bytes == 8u) {
    AT(AS_U64_PTR(packed_out), item) = star_packed(steps, step_count, order, rows, item, least, null_code);
    return;
  }
  u32 word = 0u, each = 4u / bytes;
  for (u32 k = 0u; k < each; k++)
    word |= TO_U32(star_packed(steps, step_count, order, rows, item * each + k, least, null_code)) << (8u * bytes * k);
  AT(packed_out, item) = word;
}

#define STAR_PACK(a, item)                                                                                             \
  star_pack(a.steps, a.step_count, a.order, a.packed_out, a.rows, a.bytes, a.least, a.null_code, item)

#define RT_PLACE(a, i)                                                                                                 \
  rt_place(a.triangles, a.owners, i, TO_U32(star_value(a.steps, a.step_count, i, 0ul, 0ul) >> a.x_shift),              \
           TO_U32(star_load(a.groups, a.group_bytes, i)) >> a.y_shift, (i) >> a.z_shift, a.half_x, a.half_y,           \
           a.columns, a.leg_x, a.leg_y, a.z_scale)

FN void rt_place(PTR(f32) triangles, PTR(u32) owners, u32 row, u32 x, u32 y, u32 z, u32 half_x, u32 half_y, u32 columns,
                 f32 leg_x, f32 leg_y, f32 z_scale) {
  f32 fx = TO_F32(x), fy = TO_F32(y), fz = (RT_Z(z) + 0.5f) * z_scale;
#ifdef RDX_GLSL
  f32_ptr corners = f32_ptr(u64(triangles) + u64(row) * 36);
#else
  f32 *corners = triangles + (u64)row * 9;
#endif
  AT(corners, 0) = fx;
  AT(corners, 1) = fy;
  AT(corners, 2) = fz;
  AT(corners, 3) = fx + leg_x;
  AT(corners, 4) = fy;
  AT(corners, 5) = fz;
  AT(corners, 6) = fx;
  AT(corners, 7) = fy + leg_y;
  AT(corners, 8) = fz;
  if (!IS_NULL(owners))
    AT(owners, row) = y / half_y * columns + x / half_x;
}

#endif
