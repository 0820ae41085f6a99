/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_COLUMN_SCAN_PLANES_GLSL_H
#define RDX_KERNELS_COLUMN_SCAN_PLANES_GLSL_H

/* GLSL: the bytes of 32 rows in a plane. */

/* From a word for each bit to words of bytes, or back: byte j of word i then is that of row 8j + i. Four square
 * matrices of bits are transposed together (Hacker's Delight, section 7-3). */
u32[8] transposed(u32 w[8]) {
  const u32 masks[3] = {0x0f0f0f0fu, 0x33333333u, 0x55555555u};
  for (u32 m = 0; m < 3; m++) {
    const u32 step = 4 >> m;
    for (u32 i = 0; i < 8; i++) {
      if ((i & step) != 0)
        continue;
      const u32 swapped = (w[i] >> step ^ w[i + step]) & masks[m];
      w[i] ^= swapped << step;
      w[i + step] ^= swapped;
    }
  }
  return w;
}

#endif
