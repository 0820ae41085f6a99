/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_LOOKUP_LOOKUP_H
#define RDX_KERNELS_LOOKUP_LOOKUP_H

/* C and GLSL: what the lookup kernels of all indexes share: probes in, matches gathered, results out. */

#include "device/search.h"

/* What is gathered: a constant of each kernel. */
#define GATHER_COUNT 0    /* out_count and out_first, each where its address is not 0 */
#define GATHER_SUM 1      /* out_count, out_sum: sums that cannot overflow 64 bits */
#define GATHER_SUM_WIDE 2 /* out_count, out_sum: two words a probe, of the low halves and of the high halves */
#define GATHER_ROWS 3     /* out_rows from offsets[probe] on */
#define GATHER_ANY 4      /* points: out_count, 0 where nothing matches, else any number of the matches */

/* How the encoded value column is read back (see column/keys.h). */
#define VALUE_U32 0
#define VALUE_I32 1
#define VALUE_U64 2
#define VALUE_I64 3

#define NO_ROW 0xffffffffu

#define LONG_RUN 32 /* keys that are equal: of more, rdx_index_stats.long_runs tells */

/* What is gathered from, and to. Values of rows without their bit in `values_valid` are skipped. */
struct found_io {
  PTR(u32) values;
  PTR(u32) values_valid;
  PTR(u32) out_count;
  PTR(u32) out_first;
  PTR(u64) out_sum;
  PTR(u64) offsets;
  PTR(u32) out_rows;
};
ARGS_SIZE(found_io, 56);

/* Probe i asks for keys from lower[i] to upper[i] (upper 0: equal to lower[i]); keys are u32 or u64 by the kernel's
 * KEY64. It matches nothing where bit i of `valid` (0: all set) is not set. */
#define LOOKUP_FIELDS                                                                                                  \
  PTR(u32) lower;                                                                                                      \
  PTR(u32) upper;                                                                                                      \
  PTR(u32) valid;                                                                                                      \
  found_io io

FN u64 load_key(PTR(u32) keys, u32 i, u32 key64) {
  return key64 != 0 ? AT(AS_U64_PTR(keys), i) : AT(keys, i);
}

FN void store_key(PTR(u32) keys, u32 i, u64 key, u32 key64) {
  if (key64 != 0)
    AT(AS_U64_PTR(keys), i) = key;
  else
    AT(keys, i) = TO_U32(key);
}

/* Bit i of a bitmap; set where there is no bitmap. */
FN bool has_bit(PTR(u32) bits, u32 i) {
  return IS_NULL(bits) || (AT(bits, i / 32) >> (i % 32) & 1u) != 0;
}

/* The value of a row as two's complement of 64 bits. */
FN u64 load_value(PTR(u32) values, u32 row, u32 kind) {
  if (kind == VALUE_U32)
    return AT(values, row);
  if (kind == VALUE_I32)
    return TO_U64(AT(values, row)) - 0x80000000ul;
  if (kind == VALUE_I64)
    return AT(AS_U64_PTR(values), row) ^ 0x8000000000000000ul;
  return AT(AS_U64_PTR(values), row);
}

FN u64 low_half(u64 value) {
  return value & 0xfffffffful;
}

/* The high half, with the sign kept for VALUE_I64. */
FN u64 high_half(u64 value, u32 kind) {
  u64 high = value >> 32;
  return kind == VALUE_I64 ? (high ^ 0x80000000ul) - 0x80000000ul : high;
}

/* Among ascending keys, the first that is not below `key`, or the first that is above it. */
DEFINE_BOUND(lower_bound_key, (PTR(u32) keys, u32 begin, u32 end, u64 key, u32 key64),
             load_key(keys, middle, key64) < key)
DEFINE_BOUND(upper_bound_key, (PTR(u32) keys, u32 begin, u32 end, u64 key, u32 key64),
             load_key(keys, middle, key64) <= key)

#endif
