/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_LOOKUP_ASCENDING_GLSL_H
#define RDX_KERNELS_LOOKUP_ASCENDING_GLSL_H

/* GLSL, for shaders that define KEY (u32 or u64, then with KEYS_U64): probes in ascending order want what lies side by
 * side, so that one search may do for a subgroup. */

KEY key_of_lane(KEY key, u32 lane) {
#ifdef KEYS_U64
  return packUint2x32(subgroupShuffle(unpackUint2x32(key), lane));
#else
  return subgroupShuffle(key, lane);
#endif
}

/* Whether the probes of a subgroup lie between its first and its last, as they do in ascending order. */
bool is_ascending(KEY wanted) {
  return subgroupAll(key_of_lane(wanted, 0) <= wanted && wanted <= key_of_lane(wanted, gl_SubgroupSize - 1));
}

/* How many of the ascending keys that the threads of a subgroup hold are below `wanted`. */
u32 rank_in_window(KEY held, KEY wanted) {
  u32 rank = 0;
  for (u32 part = gl_SubgroupSize / 2; part > 0; part /= 2)
    rank += key_of_lane(held, rank + part - 1) < wanted ? part : 0;
  return rank + u32(key_of_lane(held, rank) < wanted);
}

#endif
