/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_COLUMN_KEYS_H
#define RDX_COLUMN_KEYS_H

/* Order-preserving keys: every type as u32 or u64, so that comparing keys compares values (RTIndeX, section 3.2,
 * "Handling other data types").
 *
 *   unsigned, bool     the value
 *   signed, date, timestamp, decimal   the value with its sign bit flipped
 *   float              positive: sign bit flipped; negative: all bits flipped; -0 as 0, every NaN as one above infinity
 *   string             the first eight bytes, big-endian, padded with zeros */

#include <raydex/column.h>

#include "base/base.h"
#include "column/column.h"

/* The width of keys of a type: 32 or 64. */
uint32_t rdx_key_bits(rdx_type type);

/* The key of the value 0 (for strings: of the empty string). */
uint64_t rdx_key_zero(rdx_type type);

/* Write the keys of rows begin .. begin + count - 1 of a host column to `out` (u32 or u64). Keys of NULLs mean
 * nothing. */
void rdx_keys_encode(const rdx_column *column, uint64_t begin, uint64_t count, void *out);

/* The inverse: write the values of keys (as u64) of any type but strings to `out`. */
void rdx_keys_decode(rdx_type type, const uint64_t *keys, uint64_t count, void *out);

/* Whether the keys of a string column tell all its strings apart from any other: none is longer than eight bytes or
 * has a zero byte. NULLs do not matter; strings of a dictionary that no row has do. */
bool rdx_keys_exact_prefix(const rdx_column *column);

typedef enum rdx_probe_role {
  RDX_PROBE_POINT,
  RDX_PROBE_LOWER,
  RDX_PROBE_UPPER,
} rdx_probe_role;

/* The keys that probes are for. */
typedef struct rdx_probe_target {
  rdx_type type;
  uint8_t scale;
  bool exact; /* string keys: their prefixes are exact */
  rdx_probe_role role;
} rdx_probe_target;

/* Encode probes for keys of a type. Integers, decimals and floats go among their kind (a decimal's scale, an integer's
 * width, may differ): a point that the key type cannot represent matches nothing, a bound moves inwards to the nearest
 * value that it can. Probes of string keys whose prefixes are not exact only narrow the search. Bit i of `usable` is
 * cleared where probe begin + i can match nothing; bits that are not cleared stay. RDX_ERROR_ARGUMENT where the types
 * do not go together. */
RDX_MUST_USE rdx_status rdx_keys_encode_probes(const rdx_column *probes, uint64_t begin, uint64_t count,
                                               const rdx_probe_target *target, void *out, uint32_t *usable,
                                               rdx_error *err);

#endif
