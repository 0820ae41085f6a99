/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_atomic_int64 : require
#include "kernels/star/cube_build.h"

layout(local_size_x = 64) in;
layout(push_constant, scalar) uniform push { star_runs_args a; };

void main() {
  if (gl_GlobalInvocationID.x >= a.count)
    return;
  const u32 begin = (a.first + gl_GlobalInvocationID.x) * STAR_RUN, end = min(a.rows - begin, STAR_RUN) + begin;
  u32 run = star_find(a.starts, a.runs, begin);
  u64 sum = 0, number = 0;
  for (u32 i = begin; i < end; i++) {
    const u64 code = star_load(a.codes, a.bytes, i);
    if (IS_NULL(a.counts) || code != a.null_code) {
      sum += code;
      number++;
    }
    if (i + 1 == end || (run + 1 < a.runs && AT(a.starts, run + 1) == i + 1)) {
      atomicAdd(AT(a.sums, run), sum);
      if (!IS_NULL(a.counts))
        atomicAdd(AT(a.counts, run), number);
      sum = number = 0;
      run++;
    }
  }
}
