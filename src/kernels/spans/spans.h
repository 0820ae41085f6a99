/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_SPANS_SPANS_H
#define RDX_KERNELS_SPANS_SPANS_H

/* C and GLSL: gathering over spans. A range lookup among sorted entries finds a span of them; what is wanted of its
 * rows is then gathered here, whatever index found it (thesis, algorithm 4). Sums of many long spans come from prefix
 * sums over the values in the order of the entries. */

#include "kernels/lookup/lookup.h"

/* Where the rows of entries stand: entry e's is word first_word + e % 8 * step of block e / 8. */
#define ROW_LAYOUT                                                                                                     \
  u32 block_words;                                                                                                     \
  u32 first_word;                                                                                                      \
  u32 step

/* Item: a probe, whose entries are begin[i] .. begin[i] + size[i] - 1. Constants: GATHER, VALUE, LANES. */
struct spans_args {
  LAUNCH_HEADER;
  PTR(u32) begin;
  PTR(u32) size;
  PTR(u32) words;
  PTR(u32) values;
  PTR(u32) values_valid;
  PTR(u32) out_count;
  PTR(u32) out_first;
  PTR(u64) out_sum;
  PTR(u64) offsets;
  PTR(u32) out_rows;
  ROW_LAYOUT;
};
ARGS_SIZE(spans_args, 112);

/* Item: an entry. Its value in halves (high: 64-bit values only; 0: not wanted), 0 for NULLs, and whether it is not
 * NULL (0: not wanted). Halves are those of the code: see index/keys.h. */
struct spans_values_args {
  LAUNCH_HEADER;
  PTR(u32) words;
  PTR(u32) values;
  PTR(u32) values_valid;
  PTR(u32) low;
  PTR(u32) high;
  PTR(u32) present;
  ROW_LAYOUT;
};
ARGS_SIZE(spans_values_args, 80);

/* Item: a probe. Differences of prefix sums. Constants: GATHER (one of the sums), VALUE. */
struct spans_prefix_args {
  LAUNCH_HEADER;
  PTR(u32) begin;
  PTR(u32) size;
  PTR(u64) low;
  PTR(u64) high;    /* 0: values of 32 bits */
  PTR(u64) present; /* 0: no value is NULL */
  PTR(u32) out_count;
  PTR(u64) out_sum;
};
ARGS_SIZE(spans_prefix_args, 72);

#ifdef RDX_GLSL
#define ROW_OF_ENTRY(a, entry)                                                                                         \
  AT(u32_ptr(u64(a.words) + u64((entry) / 8) * (4 * a.block_words)), a.first_word + (entry) % 8 * a.step)
#else
#define ROW_OF_ENTRY(a, entry) (a.words[(u64)((entry) / 8) * a.block_words + a.first_word + (entry) % 8 * a.step])
#endif

/* With the args declared as `a` (C: a macro for them). */
#define SPANS_VALUE(i)                                                                                                 \
  do {                                                                                                                 \
    u32 span_entry = i;                                                                                                \
    u32 span_row = ROW_OF_ENTRY(a, span_entry);                                                                        \
    bool span_present = has_bit(a.values_valid, span_row);                                                             \
    if (!IS_NULL(a.high)) {                                                                                            \
      u64 span_code = span_present ? AT(AS_U64_PTR(a.values), span_row) : 0ul;                                         \
      AT(a.low, span_entry) = TO_U32(span_code);                                                                       \
      AT(a.high, span_entry) = TO_U32(span_code >> 32);                                                                \
    } else {                                                                                                           \
      AT(a.low, span_entry) = span_present ? AT(a.values, span_row) : 0u;                                              \
    }                                                                                                                  \
    if (!IS_NULL(a.present))                                                                                           \
      AT(a.present, span_entry) = span_present ? 1u : 0u;                                                              \
  } while (false)

/* The codes of signed values are 2^31 (2^63) above them. */
#define SPANS_DIFFERENCE(i, gather, value_kind)                                                                        \
  do {                                                                                                                 \
    u32 span_begin = AT(a.begin, i), span_size = AT(a.size, i), span_end = span_begin + span_size;                     \
    u32 span_count = span_size;                                                                                        \
    if (span_size == 0)                                                                                                \
      span_begin = span_end = 0;                                                                                       \
    if (!IS_NULL(a.present))                                                                                           \
      span_count = TO_U32(AT(a.present, span_end) - AT(a.present, span_begin));                                        \
    u64 span_low = AT(a.low, span_end) - AT(a.low, span_begin), span_high = 0ul;                                       \
    if (!IS_NULL(a.high))                                                                                              \
      span_high = AT(a.high, span_end) - AT(a.high, span_begin);                                                       \
    if ((value_kind) == VALUE_I32)                                                                                     \
      span_low -= TO_U64(span_count) << 31;                                                                            \
    if ((value_kind) == VALUE_I64)                                                                                     \
      span_high -= TO_U64(span_count) << 31;                                                                           \
    if (!IS_NULL(a.out_count))                                                                                         \
      AT(a.out_count, i) = span_count;                                                                                 \
    if ((gather) == GATHER_SUM) {                                                                                      \
      AT(a.out_sum, i) = span_low + (span_high << 32);                                                                 \
    } else {                                                                                                           \
      AT(a.out_sum, 2 * (i)) = span_low;                                                                               \
      AT(a.out_sum, 2 * (i) + 1) = span_high;                                                                          \
    }                                                                                                                  \
  } while (false)

#endif
