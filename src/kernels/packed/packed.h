/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_PACKED_PACKED_H
#define RDX_KERNELS_PACKED_PACKED_H

/* C and GLSL: columns as packed codes of 1, 2, 4 or 8 bytes, one after the other. */

#include "kernels/lookup/lookup.h"

#define PACKED_PADDING                                                                                                 \
  256u /* bytes after a column's last code: codes of 64 rows are read at a time, of up to 4 bytes */

/* Code `i` of a column. */
#ifdef RDX_GLSL
u64 load_code(PTR(u32) codes, u32 bytes, u32 i) {
  const u64 place = u64(codes) + u64(i) * bytes;
  if (bytes == 8)
    return AT(u64_ptr(place), 0);
  return AT(u32_ptr(place & ~3ul), 0) >> (u32(place) & 3) * 8 & 0xffffffffu >> 32 - bytes * 8;
}
#else
static inline u64 load_code(const u32 *codes, u32 bytes, u32 i) {
  switch (bytes) {
  case 1:
    return ((const uint8_t *)codes)[i];
  case 2:
    return ((const uint16_t *)(const void *)codes)[i];
  case 4:
    return codes[i];
  default:
    return ((const u64 *)(const void *)codes)[i];
  }
}
#endif

/* Item: a word of codes (of 8 bytes: a code). The code of a key is key - base, or places[key - base] where `places` is
 * not 0, or its place in `table` where that is not 0; that of a row whose bit in `valid` is not set, or of a key above
 * `max`, is `null_code`. Constants: KEY64, bytes of a code. */
struct packed_pack_args {
  LAUNCH_HEADER;
  PTR(u32) keys;
  PTR(u32) valid;
  PTR(u32) places;
  PTR(u64) table; /* ascending, and every key is in it */
  PTR(u32) out_codes;
  u64 base;
  u64 max;
  u64 null_code;
  u32 rows;
  u32 table_count;
};
ARGS_SIZE(packed_pack_args, 88);

FN u64 code_of(packed_pack_args a, u32 row, u32 key64) {
  u64 key = load_key(a.keys, row, key64);
  if (key > a.max || !has_bit(a.valid, row))
    return a.null_code;
  if (!IS_NULL(a.places))
    return TO_U64(AT(a.places, TO_U32(key - a.base)));
  return IS_NULL(a.table) ? key - a.base : TO_U64(lower_bound_u64(a.table, 0, a.table_count, key));
}

/* Item: a row. Gather the code of row rows[i] (`rows` 0: row i), or where `foreign_rows` is not 0 that of its foreign
 * row. Constant: whether 64-bit codes are written, else 32-bit ones. */
struct packed_gather_args {
  LAUNCH_HEADER;
  PTR(u32) codes;
  PTR(u32) foreign_rows;
  PTR(u32) rows;
  PTR(u32) out_codes;
  u32 bytes;
  u32 foreign_bytes;
};
ARGS_SIZE(packed_gather_args, 56);

FN u64 gathered_code(PTR(u32) codes, u32 bytes, PTR(u32) foreign_rows, u32 foreign_bytes, PTR(u32) rows, u32 i) {
  u32 row = i;
  if (!IS_NULL(rows))
    row = AT(rows, i);
  if (!IS_NULL(foreign_rows))
    row = TO_U32(load_code(foreign_rows, foreign_bytes, row));
  return load_code(codes, bytes, row);
}

/* Item: a word of 32 rows. Clear the bits of rows whose foreign row is number `none`; with `start`, the others are
 * set. */
struct packed_joined_args {
  LAUNCH_HEADER;
  PTR(u32) foreign_rows;
  PTR(u32) bits;
  u32 foreign_bytes;
  u32 none;
  u32 rows;
  u32 start;
};
ARGS_SIZE(packed_joined_args, 48);

FN u32 joined_bits(PTR(u32) foreign_rows, u32 foreign_bytes, u32 none, u32 rows, u32 word) {
  u32 bits = 0;
  for (u32 k = 0; k < 32 && word * 32 + k < rows; k++)
    if (TO_U32(load_code(foreign_rows, foreign_bytes, word * 32 + k)) != none)
      bits |= 1u << k;
  return bits;
}

#endif
