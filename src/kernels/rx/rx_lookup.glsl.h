/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_RX_RX_LOOKUP_GLSL_H
#define RDX_KERNELS_RX_RX_LOOKUP_GLSL_H

/* GLSL: what the stages of an RX lookup share. */

#include "kernels/rx/rx.h"

layout(constant_id = 0) const u32 KEY64 = 0;
layout(constant_id = 1) const u32 GATHER = GATHER_COUNT;
layout(constant_id = 2) const u32 VALUE = VALUE_U32;
layout(constant_id = 3) const u32 VERIFY = 0;    /* compare the key of each hit with the bounds */
layout(constant_id = 4) const u32 FROM_ZERO = 0; /* parallel rays start at zero */
layout(constant_id = 5) const u32 FIRST_HIT = 0; /* keys are distinct: a point's ray ends at its first hit */
layout(constant_id = 6) const u32 PRIMITIVE = RX_PRIMITIVE_TRIANGLE;
layout(constant_id = 7) const u32 COUNT_ONLY = 0; /* which rows are hit does not matter */

layout(push_constant, scalar) uniform push {
  rx_args a;
};

/* The item of this invocation. A small launch has several invocations for each item, so that it has a subgroup of its
 * own and does not wait for other items: the first of them works (rdx_kernel.subgroup_per_item). */
u32 own_item() {
  const u32 each = gl_LaunchSizeEXT.x == a.count ? 1 : gl_LaunchSizeEXT.x / a.count;
  return a.first + gl_LaunchIDEXT.x / each;
}

bool is_idle() {
  return gl_LaunchSizeEXT.x != a.count && gl_LaunchIDEXT.x % (gl_LaunchSizeEXT.x / a.count) != 0;
}

/* The primitive that was hit, or whose box program runs. */
#define HIT_PRIMITIVE (gl_InstanceCustomIndexEXT * a.partition_size + gl_PrimitiveID)

#include "kernels/lookup/found.h"

#endif
