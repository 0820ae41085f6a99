/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_RAY_MATRIX_RAY_MATRIX_PLACE_H
#define RDX_KERNELS_RAY_MATRIX_RAY_MATRIX_PLACE_H

/* C and GLSL: from columns to boxes. */

#include "kernels/ray_matrix/ray_matrix.h"

/* Item `i` of ray_matrix_place_args `a`. By value, a NULL goes to the last cell. */
#define RAY_MATRIX_PLACE(a, i, key64, by_value)                                                                        \
  do {                                                                                                                 \
    u32 place_row = (by_value) != 0 ? (i) : AT((a).order, i);                                                          \
    u32 place_cell = TO_U32(RAY_MATRIX_MASK);                                                                          \
    if ((by_value) == 0)                                                                                               \
      place_cell = (i) >> (a).shift;                                                                                   \
    else if (has_bit((a).valid, place_row))                                                                            \
      place_cell = TO_U32((load_key((a).codes, place_row, key64) - (a).smallest) >> (a).shift) << (a).spread;          \
    u64 place_bits = ray_matrix_spread(place_cell) << (a).axis;                                                        \
    if ((a).add != 0)                                                                                                  \
      place_bits |= AT((a).cells, place_row);                                                                          \
    AT((a).cells, place_row) = place_bits;                                                                             \
  } while (false)

/* RTScan, section 4.4.2 "RTScan uses a cube as the primitive". */
/* RTScan, Figure 11 "Projection of primitives on a 2D plane". */
FN void ray_matrix_write_box(PTR(u64) cells, PTR(f32) boxes, u32 box, u32 rows, u32 rows_per_box, u32 width) {
  u32 begin = box * rows_per_box, end = rows - begin > rows_per_box ? begin + rows_per_box : rows;
  u32 low[3], high[3];
  for (u32 k = 0; k < 3; k++) {
    low[k] = TO_U32(RAY_MATRIX_MASK);
    high[k] = 0;
  }
  for (u32 i = begin; i < end; i++) {
    u64 interleaved = AT(cells, i), side_by_side = 0ul;
    for (u32 k = 0; k < 3; k++) {
      u32 cell = ray_matrix_gather(interleaved >> k);
      low[k] = cell < low[k] ? cell : low[k];
      high[k] = cell > high[k] ? cell : high[k];
      side_by_side |= TO_U64(cell) << (k * RAY_MATRIX_BITS);
    }
    AT(cells, i) = side_by_side;
  }
  f32 reach = TO_F32(width) * 0.5f;
#ifdef RDX_GLSL
  f32_ptr corners = f32_ptr(u64(boxes) + u64(box) * 24);
#else
  f32 *corners = boxes + (u64)box * 6;
#endif
  for (u32 k = 0; k < 3; k++) {
    AT(corners, k) = TO_F32(low[k]) - reach;
    AT(corners, k + 3) = TO_F32(high[k]) + reach;
  }
}

#endif
