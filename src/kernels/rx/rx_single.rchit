/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#extension GL_EXT_ray_tracing : require
#include "kernels/rx/rx_lookup.glsl.h"

/* The one hit of a ray that skipped the any-hit stage. */

layout(location = 0) rayPayloadInEXT u32 primitive;

void main() {
  primitive = HIT_PRIMITIVE;
}
