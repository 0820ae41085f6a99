/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/sieve/sieve.h"
#include "kernels/bitmap/group_rows.glsl.h"

COMPUTE(sieve_combine_args, 256)

/* The rows below a border (kernels/sieve/sieve.h): of words i of type `type`. */
#define BELOW_BORDER(name, type)                                                                                       \
  type name(sieve_vector v, u32_ptr valid, u32 i) {                                                                    \
    if (v.place == 0)                                                                                                  \
      return AT(type##_ptr(v.low), i);                                                                                 \
    type bits = AT(type##_ptr(v.planes), i);                                                                           \
    for (u32 k = 1; k < v.plane_count; k++) {                                                                          \
      const type plane = AT(type##_ptr(u64(v.planes) + u64(k) * a.stride * 4), i);                                     \
      bits = (v.place >> k & 1u) != 0 ? bits | plane : bits & plane;                                                   \
    }                                                                                                                  \
    if (!IS_NULL(v.high))                                                                                              \
      bits &= AT(type##_ptr(v.high), i);                                                                               \
    else if (!IS_NULL(valid))                                                                                          \
      bits &= AT(type##_ptr(valid), i);                                                                                \
    return IS_NULL(v.low) ? bits : bits | AT(type##_ptr(v.low), i);                                                    \
  }

BELOW_BORDER(below_border_4, uvec4)
BELOW_BORDER(below_border_1, u32)

/* Words 4i .. 4i + 3, all of them inside of the result. Returns how many rows they have. */
u32 whole(u32 i) {
  uvec4 result = uvec4(0xffffffffu);
  for (u32 t = 0; t < a.term_count; t++) {
    sieve_term term = SIEVE_TERM(a.query, t);
    uvec4 bits = uvec4(0);
    if (term.all != 0)
      bits = IS_NULL(term.valid) ? uvec4(0xffffffffu) : AT(uvec4_ptr(term.valid), i);
    for (u32 v = 0; v < term.vector_count; v++)
      bits ^= below_border_4(AT(SIEVE_VECTORS(a.query, term.vectors), v), term.valid, i);
    result &= bits;
  }
  if (a.narrow != 0)
    result &= AT(uvec4_ptr(a.out_bits), i);
  AT(uvec4_ptr(a.out_bits), i) = result;
  const ivec4 rows = bitCount(result);
  return u32(rows.x + rows.y + rows.z + rows.w);
}

/* One word, perhaps with bits past the last row. */
u32 single(u32 word) {
  u32 result = a.rows - word * 32 < 32 ? (1u << (a.rows - word * 32)) - 1u : 0xffffffffu;
  for (u32 t = 0; t < a.term_count; t++) {
    sieve_term term = SIEVE_TERM(a.query, t);
    u32 bits = 0;
    if (term.all != 0)
      bits = IS_NULL(term.valid) ? 0xffffffffu : AT(term.valid, word);
    for (u32 v = 0; v < term.vector_count; v++)
      bits ^= below_border_1(AT(SIEVE_VECTORS(a.query, term.vectors), v), term.valid, word);
    result &= bits;
  }
  if (a.narrow != 0)
    result &= AT(a.out_bits, word);
  AT(a.out_bits, word) = result;
  return u32(bitCount(result));
}

void main() {
  const u32 i = a.first + gl_GlobalInvocationID.x;
  const bool wanted = gl_GlobalInvocationID.x < a.count;
  u32 rows = 0;
  if (wanted && a.rows / 32 >= (i + 1) * SIEVE_WORDS)
    rows = whole(i);
  else if (wanted)
    for (u32 word = i * SIEVE_WORDS; word <= (a.rows - 1) / 32; word++)
      rows += single(word);
  add_group_rows(rows, a.total);
}
