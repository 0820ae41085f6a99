/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_RX_RX_PRIMITIVES_H
#define RDX_KERNELS_RX_RX_PRIMITIVES_H

/* C and GLSL: what stands at a key's point. */

#include "kernels/rx/rx.h"

/* Where a primitive is written: its words. A shader writes them to shared memory (rx_encode.comp). */
#ifdef RDX_GLSL
#define PRIMITIVE u32
#define WORD(p, k) staged[(p) + (k)]
#else
#define PRIMITIVE f32 *
#define WORD(p, k) (p)[k]
#endif

#define RX_TRIANGLE_WORDS 9
#define RX_BOX_WORDS 6

/* RX, section 2.1 "convert each key of the table column into a corresponding triangle". */
/* The three corners' offsets from the point sum to zero: the point lies inside, and rays along x and z pass the
 * corners and edges at a distance. */
FN void rx_write_triangle(PRIMITIVE v, u64 key, u32 scheme) {
  rx_vec p = rx_point(key, scheme);
  WORD(v, 0) = rx_right(p.x, key, scheme);
  WORD(v, 1) = p.y - 0.5f;
  WORD(v, 2) = p.z;
  WORD(v, 3) = rx_left(p.x, key, scheme);
  WORD(v, 4) = p.y;
  WORD(v, 5) = p.z + 0.5f;
  WORD(v, 6) = p.x;
  WORD(v, 7) = p.y + 0.5f;
  WORD(v, 8) = p.z - 0.5f;
}

/* RX, section 3.5 "AABBs". */
/* The box also stands for a sphere. It reaches half a unit, more than the quarter that counts (rx_meets), because a
 * quarter is not exact in f32 at far coordinates. */
FN void rx_write_box(PRIMITIVE v, u64 key, u32 scheme) {
  rx_vec p = rx_point(key, scheme);
  WORD(v, 0) = rx_left(p.x, key, scheme);
  WORD(v, 1) = p.y - 0.5f;
  WORD(v, 2) = p.z - 0.5f;
  WORD(v, 3) = rx_right(p.x, key, scheme);
  WORD(v, 4) = p.y + 0.5f;
  WORD(v, 5) = p.z + 0.5f;
}

#endif
