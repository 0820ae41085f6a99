/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_CHANGES_CHANGES_H
#define RDX_KERNELS_CHANGES_CHANGES_H

/* C and GLSL: batches of keys to insert and to remove, made ready for an index (cgRX, section 4). */

#include "kernels/lookup/lookup.h"

/* Item: a key of the output. Key and row i are those at place selected[i] (`selected` 0: at place i). `rows` 0: the row
 * is `base` plus the place; `rows_out` 0: no rows. */
struct changes_gather_args {
  LAUNCH_HEADER;
  PTR(u32) keys;
  PTR(u32) rows;
  PTR(u32) selected;
  PTR(u32) keys_out;
  PTR(u32) rows_out;
  u32 base;
};
ARGS_SIZE(changes_gather_args, 64);

/* Item: a word of `keep`, of 32 of the `n` sorted keys. A bit is set where the key acts: the first keys of a run vanish
 * with as many equal ones among the sorted `others`. */
struct changes_pair_args {
  LAUNCH_HEADER;
  PTR(u32) keys;
  PTR(u32) others;
  PTR(u32) keep;
  u32 n;
  u32 other_n;
};
ARGS_SIZE(changes_pair_args, 48);

FN u32 changes_keep(PTR(u32) keys, u32 n, PTR(u32) others, u32 other_n, u32 word, u32 key64) {
  u32 bits = 0;
  u64 run = 0;
  u32 run_begin = 0, cancelled = 0;
  for (u32 k = 0; k < 32 && word * 32 + k < n; k++) {
    u32 i = word * 32 + k;
    u64 key = load_key(keys, i, key64);
    if (k == 0 || key != run) {
      u32 first = lower_bound_key(others, 0, other_n, key, key64);
      cancelled = upper_bound_key(others, first, other_n, key, key64) - first;
      run_begin = k == 0 ? lower_bound_key(keys, 0, i, key, key64) : i;
      run = key;
    }
    if (i - run_begin >= cancelled)
      bits |= 1u << k;
  }
  return bits;
}

#endif
