/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_CGRX_CGRX_GLSL_H
#define RDX_KERNELS_CGRX_CGRX_GLSL_H

/* GLSL: what the stages of a cgRX lookup share. */

#include "kernels/cgrx/cgrx_nodes.h"

layout(constant_id = 0) const u32 KEY64 = 0;
layout(constant_id = 1) const u32 GATHER = GATHER_COUNT;
layout(constant_id = 2) const u32 VALUE = VALUE_U32;
layout(constant_id = 3) const u32 OUTPUT = CGRX_OUTPUT_RESULT;
layout(constant_id = 4) const u32 CHAINED = 0;
layout(constant_id = 5) const u32 REPRESENTATION = CGRX_OPTIMIZED;

layout(push_constant, scalar) uniform push {
  cgrx_args a;
};

#define NO_HIT 0xffffffffu

struct cgrx_payload {
  u32 primitive;
  u32 flipped;
};

#endif
