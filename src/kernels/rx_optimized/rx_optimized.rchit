/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#extension GL_EXT_ray_tracing : require
#include "kernels/rx_optimized/rx_optimized.h"

layout(push_constant, scalar) uniform push { rx_optimized_args a; };
layout(location = 0) rayPayloadInEXT u32 primitive;

/* thesis, section 4.1 "Closest-hit shader". */
void main() {
  primitive = gl_InstanceCustomIndexEXT * AT(a.state, 0).partition_size + gl_PrimitiveID;
}
