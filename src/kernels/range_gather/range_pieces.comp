/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/range_gather/range_gather.h"

layout(constant_id = 0) const u32 STEP = PIECES_COUNT;

EACH_ITEM(range_pieces_args, i) {
  if (STEP == PIECES_COUNT)
    AT(a.counts, i) = pieces_of(AT(a.size, i), a.piece_length);
  else if (STEP == PIECES_CUT)
    cut_piece(a, i);
  else
    AT(a.begin, i) -= AT(a.size, i);
}
