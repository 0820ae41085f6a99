/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_PACKED_BLOCKS_H
#define RDX_KERNELS_PACKED_BLOCKS_H

/* The CPU's bodies read packed codes in blocks, so that what kind of codes they are is asked once a block and not once
 * a row (as in MonetDB/X100: Boncz and others, CIDR 2005). */

#include <stdint.h>
#include <string.h>

#define PACKED_BLOCK 256u

#define DEFINE_PACKED_LOAD_OF(name, to, from)                                                                          \
  static inline void name(const from *codes, const uint32_t *rows, uint64_t first, uint32_t n, to *out) {              \
    if (rows)                                                                                                          \
      for (uint32_t k = 0; k < n; k++)                                                                                 \
        out[k] = codes[rows[k]];                                                                                       \
    else                                                                                                               \
      for (uint32_t k = 0; k < n; k++)                                                                                 \
        out[k] = codes[first + k];                                                                                     \
  }

#define DEFINE_PACKED_LOAD(name, to)                                                                                   \
  DEFINE_PACKED_LOAD_OF(name##_u8, to, uint8_t)                                                                        \
  DEFINE_PACKED_LOAD_OF(name##_u16, to, uint16_t)                                                                      \
  DEFINE_PACKED_LOAD_OF(name##_u32, to, uint32_t)                                                                      \
  DEFINE_PACKED_LOAD_OF(name##_u64, to, uint64_t)                                                                      \
  static inline void name(const void *codes, uint32_t bytes, const uint32_t *rows, uint64_t first, uint32_t n,         \
                          to *out) {                                                                                   \
    switch (bytes) {                                                                                                   \
    case 1:                                                                                                            \
      name##_u8(codes, rows, first, n, out);                                                                           \
      break;                                                                                                           \
    case 2:                                                                                                            \
      name##_u16(codes, rows, first, n, out);                                                                          \
      break;                                                                                                           \
    case 4:                                                                                                            \
      name##_u32(codes, rows, first, n, out);                                                                          \
      break;                                                                                                           \
    case 8:                                                                                                            \
      name##_u64(codes, rows, first, n, out);                                                                          \
      break;                                                                                                           \
    default: /* no column: all are 0 */                                                                                \
      memset(out, 0, n * sizeof *out);                                                                                 \
    }                                                                                                                  \
  }

/* Codes of `n` rows, at most a block: rows[0] and so on, or with `rows` NULL from `first` on. */
DEFINE_PACKED_LOAD(packed_load, uint64_t)
DEFINE_PACKED_LOAD(packed_load_rows, uint32_t) /* of codes that are numbers of rows */

/* The rows that items first .. first + n - 1 mean: those of `order` (NULL: the items themselves), or their foreign
 * rows'. Returns where they stand, `scratch` or elsewhere; NULL where they are the items. */
static inline const uint32_t *packed_rows(const uint32_t *order, const void *foreign_rows, uint32_t foreign_bytes,
                                          uint64_t first, uint32_t n, uint32_t *scratch) {
  const uint32_t *rows = order ? order + first : NULL;
  if (!foreign_rows)
    return rows;
  packed_load_rows(foreign_rows, foreign_bytes, rows, first, n, scratch);
  return scratch;
}

#endif
