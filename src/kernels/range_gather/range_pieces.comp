/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernels/range_gather/range_gather.h"

layout(constant_id = 0) const u32 STEP = PIECES_COUNT;
layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform push { range_pieces_args a; };

void main() {
  const u32 i = a.first + gl_GlobalInvocationID.x;
  if (gl_GlobalInvocationID.x >= a.count)
    return;
  if (STEP == PIECES_COUNT)
    AT(a.counts, i) = pieces_of(AT(a.size, i), a.piece_length);
  else if (STEP == PIECES_CUT)
    cut_piece(a, i);
  else
    AT(a.begin, i) -= AT(a.size, i);
}
