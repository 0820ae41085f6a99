/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#extension GL_EXT_shader_atomic_int64 : require
#include "kernels/star/cube_build.h"

COMPUTE(star_runs_args, 64)

MAIN_ITEM(piece) {
  const u32 begin = piece * STAR_RUN, end = min(a.rows - begin, STAR_RUN) + begin;
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
