/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/rx/rx.h"

#define THREADS 256u

/* A workgroup's primitives, written out side by side at the end: each alone would fill only a part of what memory takes
 * in one go. */
shared f32 staged[THREADS * 9];

#include "kernels/rx/rx_primitives.h"

layout(constant_id = 0) const u32 KEY64 = 0;
layout(constant_id = 1) const u32 BOXES = 0;
COMPUTE(rx_encode_args, THREADS)

void main() {
  const u32 begin = gl_WorkGroupID.x * THREADS, k = gl_LocalInvocationIndex;
  const u32 words = BOXES != 0 ? RX_BOX_WORDS : RX_TRIANGLE_WORDS;
  if (begin + k < a.count) {
    const u64 key = load_key(a.keys, a.first + begin + k, KEY64) - a.zero;
    if (BOXES != 0)
      rx_write_box(k * words, key, a.scheme);
    else
      rx_write_triangle(k * words, key, a.scheme);
  }
  barrier();
  /* Arrays may hold more than 2^32 words: address these from their start. */
  f32_ptr target = f32_ptr(u64(a.primitives) + u64(a.first + begin) * words * 4);
  const u32 end = min(THREADS, a.count - begin) * words;
  for (u32 word = k; word < end; word += THREADS)
    AT(target, word) = staged[word];
}
