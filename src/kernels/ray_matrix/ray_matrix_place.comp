/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernels/ray_matrix/ray_matrix_place.h"

layout(constant_id = 0) const u32 KEY64 = 0;
layout(constant_id = 1) const u32 BY_VALUE = 0;
layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform push { ray_matrix_place_args a; };

void main() {
  if (gl_GlobalInvocationID.x < a.count)
    RAY_MATRIX_PLACE(a, a.first + gl_GlobalInvocationID.x, KEY64, BY_VALUE);
}
