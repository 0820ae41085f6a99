/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_DERIVED_COLUMN_DERIVED_COLUMN_H
#define RDX_KERNELS_DERIVED_COLUMN_DERIVED_COLUMN_H

/* C and GLSL: columns made of results and of other columns, on the device. */

#include "kernels/lookup/lookup.h"

/* Item: 32 words. Bit i of out_bits = whether word i is another than `absent`. */
struct derived_present_args {
  LAUNCH_HEADER;
  PTR(u32) words;
  PTR(u32) out_bits;
  u32 absent;
  u32 n; /* words */
};
ARGS_SIZE(derived_present_args, 40);

FN u32 present_bits(PTR(u32) words, u32 absent, u32 item, u32 n) {
  u32 begin = item * 32, bits = 0;
  for (u32 k = 0; k < 32 && begin + k < n; k++)
    if (AT(words, begin + k) != absent)
      bits |= 1u << k;
  return bits;
}

/* Item: a row. keys_out[i] = keys[rows[i]]; 0 where there is no such row. Constants: KEY64. */
struct derived_take_args {
  LAUNCH_HEADER;
  PTR(u32) keys;
  PTR(u32) rows;
  PTR(u32) rows_valid;
  PTR(u32) keys_out;
  u32 n; /* keys */
  u32 padding;
};
ARGS_SIZE(derived_take_args, 56);

FN u64 taken_key(PTR(u32) keys, PTR(u32) rows, PTR(u32) rows_valid, u32 n, u32 i, u32 key64) {
  u32 row = AT(rows, i);
  return has_bit(rows_valid, i) && row < n ? load_key(keys, row, key64) : 0ul;
}

/* Item: 32 rows. Bit i of out_bits = bit rows[i] of `valid`, 0 for a row that is NULL; `beyond` becomes 1 where one is
 * not below `n`. */
struct derived_take_bits_args {
  LAUNCH_HEADER;
  PTR(u32) valid;
  PTR(u32) rows;
  PTR(u32) rows_valid;
  PTR(u32) out_bits;
  PTR(u32) beyond;
  u32 n;
  u32 row_count;
};
ARGS_SIZE(derived_take_bits_args, 64);

#define TAKEN 0
#define TAKEN_NULL 1
#define TAKEN_BEYOND 2

FN u32 taken_bit(PTR(u32) valid, PTR(u32) rows, PTR(u32) rows_valid, u32 n, u32 i) {
  if (!has_bit(rows_valid, i))
    return TAKEN_NULL;
  u32 row = AT(rows, i);
  return row >= n ? TAKEN_BEYOND : has_bit(valid, row) ? TAKEN : TAKEN_NULL;
}

/* Item: a value. The order-preserving code (column/keys.h) of a signed integer of 64 bits, or of a float. Constants:
 * FLOATS. */
struct derived_codes_args {
  LAUNCH_HEADER;
  PTR(u64) values;
  PTR(u64) codes;
};
ARGS_SIZE(derived_codes_args, 32);

#define SIGN_BIT 0x8000000000000000ul

FN u64 derived_code(u64 bits, u32 floats) {
  if (floats == 0u || bits == SIGN_BIT) /* -0 is 0 */
    return floats == 0u ? bits ^ SIGN_BIT : SIGN_BIT;
  if ((bits & ~SIGN_BIT) > 0x7ff0000000000000ul) /* NaNs are alike */
    return 0xfff8000000000000ul;
  return (bits & SIGN_BIT) != 0ul ? ~bits : bits ^ SIGN_BIT;
}

/* Item: a row. out_keys[i] = the keys of two columns as one, the first in the high half. */
struct derived_pair_args {
  LAUNCH_HEADER;
  PTR(u32) high;
  PTR(u32) low;
  PTR(u64) out_keys;
};
ARGS_SIZE(derived_pair_args, 40);

FN u64 paired_key(PTR(u32) high, PTR(u32) low, u32 i) {
  return TO_U64(AT(high, i)) << 32 | TO_U64(AT(low, i));
}

#endif
