/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_RX_OPTIMIZED_RX_OPTIMIZED_H
#define RDX_KERNELS_RX_OPTIMIZED_RX_OPTIMIZED_H

/* C and GLSL: the optimized RX (thesis, chapter 4). Entries are sorted; each distinct key has one triangle (section
 * 4.2, "duplicated key compression"), at RX's point for it, or one of RX's spheres or boxes. A ray needs one hit, from
 * which the entries are scanned: points cast RX's perpendicular ray, ranges a ray along each row until one hits
 * (algorithm 3).
 *
 * Any hit within a range leads to its first entry, by a search downwards; the closest one leads there at once. Rays
 * along x are as exact as RX's: see kernels/rx/rx.h. */

#include "kernels/lookup/entries.h"
#include "kernels/rx/rx_segments.h"

#define RX_OPTIMIZED_CONSTANTS 5 /* KEY64, GATHER, VALUE, COUNT_RAYS, PRIMITIVE */
#define RX_OPTIMIZED_GROW 8.0f   /* a ray that ends without a hit goes on, so many times as long */

struct rx_optimized_state {
  PTR(u32) positions; /* the first entry of each triangle's key; 0: triangle i is entry i */
  PTR(u64) segments;  /* those that hold keys, ascending; 0: visit all between the bounds */
  u64 min_key, max_key;
  u32 segment_count;
  u32 n;
  u32 partition_size; /* triangles of an instance */
  u32 scheme;
  f32 reach;       /* of a first ray along x */
  u32 triangles;   /* in all */
  u32 distinct;    /* no two triangles stand for the same key */
  u32 linear_scan; /* ranges are read entry by entry, as published */
};

SHARED_STRUCT(rx_optimized_state, 8)

/* The first entry of a triangle's key. */
FN u32 rx_optimized_entry(u32 triangle, rx_optimized_state s) {
  return IS_NULL(s.positions) ? triangle : AT(s.positions, triangle);
}

/* The end of the entries of a triangle's key, which begin `at`, where triangles are distinct. */
FN u32 rx_optimized_end(u32 triangle, u32 at, rx_optimized_state s) {
  if (IS_NULL(s.positions))
    return at + 1u;
  return triangle + 1u < s.triangles ? AT(s.positions, triangle + 1u) : s.n;
}

struct rx_optimized_args {
  LAUNCH_HEADER;
  LOOKUP_FIELDS;
  PTR(rx_optimized_state) state;
  PTR(u32) keys;
  PTR(u32) rows;
};
ARGS_SIZE(rx_optimized_args, 120);

#endif
