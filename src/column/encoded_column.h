/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_COLUMN_ENCODED_COLUMN_H
#define RDX_COLUMN_ENCODED_COLUMN_H

#include <raydex/column.h>

#include "column/dictionary.h"
#include "column/keys.h"
#include "device/device.h"
#include "device/search.h"
#include "kernels/packed/packed.h"

/* A column on the device as numbers that keep the order of its values, first as keys (column/keys.h; strings: places in
 * the dictionary of the column), from which scans are prepared, then as packed codes, on which star queries run. The
 * codes are dense: 0 .. count - 1 are values, `count` is NULL where the column has any. They are differences to the
 * smallest key, or ranks among the distinct keys: the latter for strings, where at most 65,536 ranks take no more than
 * half the bytes, and where differences pass 64 bits. */
typedef struct rdx_encoded_column {
  rdx_type type;
  uint8_t scale;
  uint32_t dimension; /* of an attribute: 0: its rows are those of the fact table; else of dimension - 1 */
  uint64_t rows, nulls;
  rdx_dictionary *dictionary; /* strings, and keys that have ranks; else NULL */
  /* Keys. */
  uint32_t key_bits;          /* 32 or 64 */
  bool clustered;             /* a block spans less than half of the range, on average */
  uint64_t smallest, largest; /* of rows that are not NULL; smallest > largest: there are none */
  rdx_buffer *keys;           /* u32 or u64; those of NULLs mean nothing */
  rdx_buffer *valid;          /* a bit per row; NULL where no row is NULL */
  rdx_buffer *zones;          /* two u64 a block of 4096 rows: smallest and largest key (none: smallest > largest) */
  /* Packed codes. */
  uint32_t bytes; /* of a code: 1, 2, 4 or 8; padded to whole words, and by 128 more bytes */
  uint64_t count;
  uint64_t base; /* differences: the key of code 0 */
  rdx_buffer *codes;
  rdx_buffer *values; /* ranks of integers and decimals: the value of each code as i64, for calculating; else NULL */
} rdx_encoded_column;

/* Bring a column, which rdx_column_check() has passed, to the device as keys. rdx_encoded_column_drop() frees it; so
 * does it what a failed call left. */
RDX_MUST_USE rdx_status rdx_encoded_column_create(rdx_device *device, const rdx_column *column, rdx_encoded_column *out,
                                                  rdx_error *err);
/* Make packed codes of the keys, and drop these with their validity and zones. Adds to `ms`. */
RDX_MUST_USE rdx_status rdx_encoded_column_pack(rdx_device *device, rdx_encoded_column *column, double *ms,
                                                rdx_error *err);
/* The same packed column once more, of which nothing is copied: each is dropped by itself. */
void rdx_encoded_column_share(const rdx_encoded_column *column, rdx_encoded_column *out);
void rdx_encoded_column_drop(rdx_encoded_column *column);

/* RTCUDB, section 4.2: dense codes. A packed column of the codes of a packed column, of 4 or 8 bytes, by their ranks
 * among those that occur, NULL's with them: numbers of groups need no more, however far apart codes are. */
RDX_MUST_USE rdx_status rdx_encoded_column_make_dense(rdx_device *device, const rdx_encoded_column *column,
                                                      rdx_encoded_column *out, rdx_error *err);

/* A method's own copy of columns, which shares and keeps their keys and validity. */
RDX_MUST_USE rdx_status rdx_encoded_columns_retain(const rdx_encoded_column *columns, uint32_t count,
                                                   rdx_encoded_column **out, rdx_error *err);
void rdx_encoded_columns_release(rdx_encoded_column *columns, uint32_t count);

/* Codes to values: a host column of the values of `count` codes of a packed column, in an arena. `nulls`: some may be
 * NULL, which is any code that is no value's. */
RDX_MUST_USE rdx_status rdx_encoded_column_values(const rdx_encoded_column *column, const uint64_t *codes,
                                                  uint64_t count, bool nulls, rdx_arena *arena, rdx_column *out,
                                                  rdx_error *err);

/* Whether the codes of a packed column are ranks of keys. */
static inline bool rdx_encoded_column_has_ranks(const rdx_encoded_column *column) {
  return column->dictionary && column->dictionary->keys;
}

/* The key of a code that is not NULL, of no string. */
static inline uint64_t rdx_encoded_column_key(const rdx_encoded_column *column, uint64_t code) {
  return rdx_encoded_column_has_ranks(column) ? column->dictionary->keys[code] : column->base + code;
}

/* How many of the keys that have ranks are below `key`: its rank, where it has one. */
static inline uint64_t rdx_encoded_column_rank(const rdx_encoded_column *column, uint64_t key) {
  return lower_bound_u64(column->dictionary->keys, 0, (uint32_t)column->count, key);
}

/* The number of codes, with that of NULL. */
static inline uint64_t rdx_encoded_column_codes(const rdx_encoded_column *column) {
  return column->count + (column->nulls > 0);
}

static inline bool rdx_encoded_column_is_float(const rdx_encoded_column *column) {
  return rdx_type_is_float(column->type);
}

/* ---- Codes without a column ---- */

/* Bytes of a packed code that may be `max`. */
uint32_t rdx_code_bytes(uint64_t max);
/* A new buffer for packed codes. */
RDX_MUST_USE rdx_status rdx_codes_create(rdx_device *device, uint64_t rows, uint32_t bytes, rdx_buffer **out,
                                         rdx_error *err);
/* Run the kernel that packs, on keys of 32 or 64 bits. Adds to `ms`. */
RDX_MUST_USE rdx_status rdx_codes_pack(rdx_device *device, const struct packed_pack_args *args, bool key64,
                                       uint32_t bytes, double *ms, rdx_error *err);

#endif
