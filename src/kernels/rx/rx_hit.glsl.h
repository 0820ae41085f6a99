/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_RX_RX_HIT_GLSL_H
#define RDX_KERNELS_RX_RX_HIT_GLSL_H

/* GLSL: what the any-hit program of RX does with a hit. */

#include "kernels/rx/rx_lookup.glsl.h"

layout(location = 0) rayPayloadInEXT findings f;

/* Whether a primitive's key lies within the bounds of this launch item's probe. */
bool verified(u32 primitive) {
  const u32 i = own_item();
  const u64 key = load_key(AT(a.state, 0).keys, primitive, KEY64);
  const u64 lower = load_key(a.lower, i, KEY64);
  const u64 upper = IS_NULL(a.upper) ? lower : load_key(a.upper, i, KEY64);
  return lower <= key && key <= upper;
}

/* RX, section 3.1 "compute the sum of all retrieved values". */
void gather(u32 primitive) {
  if (COUNT_ONLY != 0) {
    f.count++;
    return;
  }
  const u32 row = IS_NULL(a.rows) ? primitive : AT(a.rows, primitive);
  const u32 end = GATHER == GATHER_ROWS ? u32(AT(a.io.offsets, own_item())) : 0;
  f = found_add(f, a.io, row, end, GATHER, VALUE);
}

#endif
