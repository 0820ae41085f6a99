/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_PACKED_ATOMIC_ADD_GLSL_H
#define RDX_KERNELS_PACKED_ATOMIC_ADD_GLSL_H

/* GLSL: add a u64 to one that lies in two u32, by 32-bit atomics: what carries over goes to the high half. All adds
 * together are exact once they are all done. (A macro: places in shared memory cannot be passed to functions.) */
#define ATOMIC_ADD_U64(low_place, high_place, x)                                                                       \
  {                                                                                                                    \
    const u32 added_low = u32(x), carry = u32(atomicAdd(low_place, added_low) + added_low < added_low);                \
    if (u32((x) >> 32) + carry != 0)                                                                                   \
      atomicAdd(high_place, u32((x) >> 32) + carry);                                                                   \
  }

#endif
