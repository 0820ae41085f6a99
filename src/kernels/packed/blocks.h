/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_PACKED_BLOCKS_H
#define RDX_KERNELS_PACKED_BLOCKS_H

/* The CPU's bodies read packed codes in blocks, so that what kind of codes they are is asked once a block and not once
 * a row (as in MonetDB/X100: Boncz and others, CIDR 2005). */

#include <stdint.h>
#include <string.h>

#define CODED_BLOCK 256u

#define CODED_LOAD(to, from)                                                                                           \
  if (rows)                                                                                                            \
    for (uint32_t k = 0; k < n; k++)                                                                                   \
      out[k] = ((const from *)codes)[rows[k]];                                                                         \
  else                                                                                                                 \
    for (uint32_t k = 0; k < n; k++)                                                                                   \
      out[k] = ((const from *)codes)[first + k];                                                                       \
  break

#define DEFINE_CODED_LOAD(name, to)                                                                                    \
  static inline void name(const void *codes, uint32_t bytes, const uint32_t *rows, uint64_t first, uint32_t n,         \
                          to *out) {                                                                                   \
    switch (bytes) {                                                                                                   \
    case 1:                                                                                                            \
      CODED_LOAD(to, uint8_t);                                                                                         \
    case 2:                                                                                                            \
      CODED_LOAD(to, uint16_t);                                                                                        \
    case 4:                                                                                                            \
      CODED_LOAD(to, uint32_t);                                                                                        \
    case 8:                                                                                                            \
      CODED_LOAD(to, uint64_t);                                                                                        \
    default: /* no column: all are 0 */                                                                                \
      memset(out, 0, n * sizeof *out);                                                                                 \
    }                                                                                                                  \
  }

/* Codes of `n` rows, at most a block: rows[0] and so on, or with `rows` NULL from `first` on. */
DEFINE_CODED_LOAD(coded_load, uint64_t)
DEFINE_CODED_LOAD(coded_load_rows, uint32_t) /* of codes that are numbers of rows */

/* The rows that items first .. first + n - 1 mean: those of `order` (NULL: the items themselves), or their partners'.
 * Returns where they stand, `room` or elsewhere; NULL where they are the items. */
static inline const uint32_t *coded_rows(const uint32_t *order, const void *partners, uint32_t partner_bytes,
                                         uint64_t first, uint32_t n, uint32_t *room) {
  const uint32_t *rows = order ? order + first : NULL;
  if (!partners)
    return rows;
  coded_load_rows(partners, partner_bytes, rows, first, n, room);
  return room;
}

#endif
