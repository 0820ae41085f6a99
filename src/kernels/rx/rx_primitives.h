/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_RX_RX_PRIMITIVES_H
#define RDX_KERNELS_RX_RX_PRIMITIVES_H

/* C and GLSL: what stands at a key's point. */

#include "kernels/rx/rx.h"

/* Arrays may hold more than 2^32 words: address a primitive's own words from its start. */
#ifdef RDX_GLSL
#define F32_FROM(p, first) f32_ptr(u64(p) + (first)*4ul)
#else
#define F32_FROM(p, first) ((p) + (first))
#endif

/* The three corners' offsets from the point sum to zero: the point lies inside, and rays along x and z pass the
 * corners and edges at a distance. */
FN void rx_write_triangle(PTR(f32) primitives, u32 i, u64 key, u32 scheme) {
  PTR(f32) v = F32_FROM(primitives, TO_U64(i) * 9ul);
  RX_VEC_TYPE p = rx_point(key, scheme);
  AT(v, 0) = rx_right(p.x, key, scheme);
  AT(v, 1) = p.y - 0.5f;
  AT(v, 2) = p.z;
  AT(v, 3) = rx_left(p.x, key, scheme);
  AT(v, 4) = p.y;
  AT(v, 5) = p.z + 0.5f;
  AT(v, 6) = p.x;
  AT(v, 7) = p.y + 0.5f;
  AT(v, 8) = p.z - 0.5f;
}

/* The box also stands for a sphere. It reaches half a unit, more than the quarter that counts (rx_meets), because a
 * quarter is not exact in f32 at far coordinates. */
FN void rx_write_box(PTR(f32) primitives, u32 i, u64 key, u32 scheme) {
  PTR(f32) v = F32_FROM(primitives, TO_U64(i) * 6ul);
  RX_VEC_TYPE p = rx_point(key, scheme);
  AT(v, 0) = rx_left(p.x, key, scheme);
  AT(v, 1) = p.y - 0.5f;
  AT(v, 2) = p.z - 0.5f;
  AT(v, 3) = rx_right(p.x, key, scheme);
  AT(v, 4) = p.y + 0.5f;
  AT(v, 5) = p.z + 0.5f;
}

#endif
