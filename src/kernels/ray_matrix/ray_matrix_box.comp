/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernels/ray_matrix/ray_matrix_place.h"

layout(local_size_x = 128) in;
layout(push_constant, scalar) uniform push { ray_matrix_box_args a; };

void main() {
  if (gl_GlobalInvocationID.x < a.count)
    ray_matrix_write_box(a.cells, a.boxes, a.first + gl_GlobalInvocationID.x, a.rows, a.rows_per_box, a.width);
}
