/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#extension GL_EXT_ray_tracing : require
#include "kernels/cgrx/cgrx.glsl.h"

layout(location = 0) rayPayloadInEXT cgrx_payload hit;

/* cgRX, section 3.1 "closest-hit". */
/* cgRX, section 3.3 "back-side hit". */
void main() {
  hit.primitive = gl_InstanceCustomIndexEXT * AT(a.state, 0).partition_size + gl_PrimitiveID;
  hit.flipped = gl_HitKindEXT == gl_HitKindBackFacingTriangleEXT ? 1 : 0;
}
