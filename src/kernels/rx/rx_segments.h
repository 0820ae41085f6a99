/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_RX_RX_SEGMENTS_H
#define RDX_KERNELS_RX_RX_SEGMENTS_H

/* C and GLSL: which segments a range lookup visits. The paper casts a ray along every row between the bounds; where
 * the keys are sparse that would be up to 2^41 rays, so an index over more than a few segments lists those that hold
 * keys. */

#include "kernels/rx/rx.h"

/* Keys less zero, cut to the smallest and largest key of the index. */
struct rx_bounds {
  u64 lower;
  u64 upper;
  u32 empty;
};

/* Segments begin .. end - 1 themselves (listed 0), or places in the list of segments. */
struct rx_visit {
  u64 begin;
  u64 end;
  u32 listed;
};

SHARED_TYPE(rx_bounds);
SHARED_TYPE(rx_visit);

#ifndef RDX_GLSL
#define rx_bounds(...) ((struct rx_bounds){__VA_ARGS__})
#define rx_visit(...) ((struct rx_visit){__VA_ARGS__})
#endif

FN rx_bounds rx_clamp(u64 lower, u64 upper, u64 zero, u64 min_key, u64 max_key) {
  if (lower > upper || min_key > max_key || upper < zero)
    return rx_bounds(0ul, 0ul, 1u);
  u64 from = lower > zero ? lower - zero : 0ul;
  u64 to = upper - zero;
  from = from > min_key ? from : min_key;
  to = to < max_key ? to : max_key;
  return rx_bounds(from, to, from > to ? 1u : 0u);
}

/* RX, section 3.2 "unbounded, i.e., they hit all triangles along that line". */
/* RX, section 3.2 "we have to cast distinct rays for each integer between". */
FN rx_visit rx_plan(rx_bounds bounds, u32 shift, PTR(u64) segments, u32 segment_count) {
  u64 begin = bounds.lower >> shift, last = bounds.upper >> shift;
  if (IS_NULL(segments) || last - begin < 4ul)
    return rx_visit(begin, last + 1ul, 0u);
  u32 from = lower_bound_u64(segments, 0, segment_count, begin);
  u32 to = lower_bound_u64(segments, 0, segment_count, last + 1ul);
  return rx_visit(TO_U64(from), TO_U64(to), 1u);
}

FN u64 rx_visited(rx_visit visit, u64 k, PTR(u64) segments) {
  return visit.listed != 0 ? AT(segments, TO_U32(k)) : k;
}

#endif
