/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_RX_RX_COUNT_H
#define RDX_KERNELS_RX_RX_COUNT_H

/* C and GLSL: the number of rays that the lookup kernels cast for probe i; `a` are the rx_rays_args. */

#include "kernels/rx/rx_segments.h"

#define RX_COUNT_RAYS(i, key64, perpendicular)                                                                         \
  do {                                                                                                                 \
    u64 count_lower = load_key(a.lower, i, key64);                                                                     \
    u64 count_upper = IS_NULL(a.upper) ? count_lower : load_key(a.upper, i, key64);                                    \
    u32 count_rays = 0;                                                                                                \
    if ((perpendicular) != 0) {                                                                                        \
      count_rays = rx_representable(count_lower - a.zero, a.scheme) ? 1u : 0u;                                         \
    } else {                                                                                                           \
      RX_BOUNDS_TYPE count_bounds =                                                                                    \
          rx_clamp(count_lower, count_upper, a.zero, AT(a.state, 0).min_key, AT(a.state, 0).max_key);                  \
      if (count_bounds.empty == 0) {                                                                                   \
        RX_VISIT_TYPE count_visit =                                                                                    \
            rx_plan(count_bounds, rx_segment_shift(a.scheme), AT(a.state, 0).segments, AT(a.state, 0).segment_count);  \
        count_rays = TO_U32(count_visit.end - count_visit.begin);                                                      \
      }                                                                                                                \
    }                                                                                                                  \
    AT(a.out_rays, i) = has_bit(a.valid, i) ? count_rays : 0u;                                                         \
  } while (false)

#endif
