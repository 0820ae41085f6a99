/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernels/star/rtcudb_place.h"

layout(local_size_x = 128) in;
layout(push_constant, scalar) uniform push { rtcudb_place_args a; };

void main() {
  if (gl_GlobalInvocationID.x < a.count)
    rtcudb_place(a, a.first + gl_GlobalInvocationID.x);
}
