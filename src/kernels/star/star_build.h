/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_STAR_STAR_BUILD_H
#define RDX_KERNELS_STAR_STAR_BUILD_H

/* C and GLSL: the items of the kernels that build cubes. `a` is the args struct, in GLSL the push constants. */

#include "kernels/lookup/lookup.h"
#include "kernels/star/star.h"

FN u64 star_key(u64 before, u64 code, PTR(u64) dictionary, u32 dictionary_count, u32 bits, u32 first_attribute) {
  if (!IS_NULL(dictionary))
    code = TO_U64(lower_bound_u64(dictionary, dictionary_count, code));
  return first_attribute != 0u || bits == 64u ? code : before << bits | code;
}

#define STAR_KEY(a, i)                                                                                                 \
  AT(a.keys, i) = star_key(AT(a.keys, i), star_load(a.codes, a.bytes, i) >> a.shift, a.dictionary, a.dictionary_count, \
                           a.bits, a.first_attribute)

/* The packed result of one place of the order; 0 past the last. */
FN u64 star_packed(PTR(star_step) steps, u32 step_count, PTR(u32) order, u32 rows, u32 place, u64 least,
                   u64 null_code) {
  if (place >= rows)
    return 0ul;
  return star_value(steps, step_count, IS_NULL(order) ? place : AT(order, place), least, null_code);
}

FN void star_pack(PTR(star_step) steps, u32 step_count, PTR(u32) order, PTR(u32) packed_out, u32 rows, u32 bytes,
                  u64 least, u64 null_code, u32 item) {
  if (bytes == 8u) {
    AT(AS_U64_PTR(packed_out), item) = star_packed(steps, step_count, order, rows, item, least, null_code);
    return;
  }
  u32 word = 0u, each = 4u / bytes;
  for (u32 k = 0u; k < each; k++)
    word |= TO_U32(star_packed(steps, step_count, order, rows, item * each + k, least, null_code)) << (8u * bytes * k);
  AT(packed_out, item) = word;
}

#define STAR_PACK(a, item)                                                                                             \
  star_pack(a.steps, a.step_count, a.order, a.packed_out, a.rows, a.bytes, a.least, a.null_code, item)

#endif
