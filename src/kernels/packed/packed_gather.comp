/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernels/packed/packed.h"

layout(constant_id = 0) const u32 OUT64 = 0;
layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform push { packed_gather_args a; };

void main() {
  if (gl_GlobalInvocationID.x >= a.count)
    return;
  const u32 i = a.first + gl_GlobalInvocationID.x;
  const u64 code = gathered_code(a.codes, a.bytes, a.foreign_rows, a.foreign_bytes, a.rows, i);
  if (OUT64 != 0)
    AT(AS_U64_PTR(a.out_codes), i) = code;
  else
    AT(a.out_codes, i) = u32(code);
}
