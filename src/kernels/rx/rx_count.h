/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_RX_RX_COUNT_H
#define RDX_KERNELS_RX_RX_COUNT_H

/* C and GLSL: the number of rays that the lookup kernels cast for a probe. */

#include "kernels/rx/rx_segments.h"

FN u32 rx_rays_of(rx_rays_args a, u32 i, u32 key64, u32 perpendicular) {
  u64 lower = load_key(a.lower, i, key64), upper = IS_NULL(a.upper) ? lower : load_key(a.upper, i, key64);
  if (!has_bit(a.valid, i))
    return 0u;
  if (perpendicular != 0)
    return rx_representable(lower - a.zero, a.scheme) ? 1u : 0u;
  rx_bounds bounds = rx_clamp(lower, upper, a.zero, AT(a.state, 0).min_key, AT(a.state, 0).max_key);
  if (bounds.empty != 0)
    return 0u;
  rx_visit visit = rx_plan(bounds, rx_segment_shift(a.scheme), AT(a.state, 0).segments, AT(a.state, 0).segment_count);
  return TO_U32(visit.end - visit.begin);
}

#endif
