/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_PRIMITIVES_PRIMITIVES_H
#define RDX_KERNELS_PRIMITIVES_PRIMITIVES_H

/* C and GLSL: what happens to results after the lookup itself, whatever index it ran on. */

#include "kernels/lookup/lookup.h"

/* Item: a row of the result. Make (probe << 32 | row) of it, so that sorting them puts the rows of each probe in
 * order. */
struct primitive_pair_args {
  LAUNCH_HEADER;
  PTR(u64) offsets;
  PTR(u32) rows;
  PTR(u64) pairs;
  u32 probes;
};
ARGS_SIZE(primitive_pair_args, 48);

/* The probe whose rows have place `k` among them. */
FN u32 probe_of_row(PTR(u64) offsets, u32 probes, u32 k) {
  return lower_bound_u64(offsets, 0, probes, TO_U64(k) + 1ul) - 1u;
}

/* Item: a row of the result. owners[i] = the probe whose row it is. */
struct primitive_owner_args {
  LAUNCH_HEADER;
  PTR(u64) offsets;
  PTR(u32) owners;
  u32 probes;
};
ARGS_SIZE(primitive_owner_args, 40);

/* Item: a pair. rows[i] = its row. */
struct primitive_unpair_args {
  LAUNCH_HEADER;
  PTR(u64) pairs;
  PTR(u32) rows;
};
ARGS_SIZE(primitive_unpair_args, 32);

/* Item: a row. rows[i] = i */
struct primitive_iota_args {
  LAUNCH_HEADER;
  PTR(u32) rows;
};
ARGS_SIZE(primitive_iota_args, 24);

/* Item: 32 keys in order. Mark those that differ from the one before. Constants: KEY64. */
struct primitive_heads_args {
  LAUNCH_HEADER;
  PTR(u32) keys;
  PTR(u32) bits;
  u32 n;
};
ARGS_SIZE(primitive_heads_args, 40);

FN u32 run_heads(PTR(u32) keys, u32 word, u32 n, u32 key64) {
  u32 begin = word * 32, bits = 0;
  u64 previous = begin > 0 ? load_key(keys, begin - 1, key64) : 0ul;
  for (u32 k = 0; k < 32 && begin + k < n; k++) {
    u64 key = load_key(keys, begin + k, key64);
    if (begin + k == 0 || key != previous)
      bits |= 1u << k;
    previous = key;
  }
  return bits;
}

/* Item: a key of `n` in order. Set long_run[0] to 1 where it stands more than `distance` times. Constants: KEY64. */
struct primitive_long_runs_args {
  LAUNCH_HEADER;
  PTR(u32) keys;
  PTR(u32) long_run;
  u32 distance;
  u32 n;
};
ARGS_SIZE(primitive_long_runs_args, 40);

FN bool begins_long_run(PTR(u32) keys, u32 i, u32 n, u32 distance, u32 key64) {
  return distance < n - i && load_key(keys, i, key64) == load_key(keys, i + distance, key64);
}

/* Item: a probe. Its answers are those of its key among `n` distinct ones, ascending; of a NULL, those of no match.
 * Constants: KEY64. */
struct primitive_expand_args {
  LAUNCH_HEADER;
  PTR(u32) probes;
  PTR(u32) valid;
  PTR(u32) keys;
  PTR(u32) counts; /* of the keys; this and the next two where they are wanted */
  PTR(u32) firsts;
  PTR(u64) sums;
  PTR(u32) out_counts;
  PTR(u32) out_firsts;
  PTR(u64) out_sums;
  u32 n;
  u32 padding;
};
ARGS_SIZE(primitive_expand_args, 96);

/* The place of a key among `n` ascending ones, of which it is. */
FN u32 place_of_key(PTR(u32) keys, u32 n, u64 key, u32 key64) {
  return upper_bound_key(keys, 1, n, key, key64) - 1;
}

/* Item: a row. keys_out[i] = keys[rows[i]] */
struct primitive_gather_args {
  LAUNCH_HEADER;
  PTR(u32) keys;
  PTR(u32) rows;
  PTR(u32) keys_out;
};
ARGS_SIZE(primitive_gather_args, 40);

/* Item: an answer. out[places[i]] = in[i], of WORDS words each. */
struct primitive_scatter_args {
  LAUNCH_HEADER;
  PTR(u32) answers;
  PTR(u32) places;
  PTR(u32) out_answers;
};
ARGS_SIZE(primitive_scatter_args, 40);

/* Item: 32 rows. Bit i of out_bits = bit rows[i] of `bits`. */
struct primitive_bits_args {
  LAUNCH_HEADER;
  PTR(u32) bits;
  PTR(u32) rows;
  PTR(u32) out_bits;
  u32 n;
};
ARGS_SIZE(primitive_bits_args, 48);

FN u32 gathered_bits(PTR(u32) bits, PTR(u32) rows, u32 word, u32 n) {
  u32 begin = word * 32, gathered = 0;
  for (u32 k = 0; k < 32 && begin + k < n; k++)
    if (has_bit(bits, AT(rows, begin + k)))
      gathered |= 1u << k;
  return gathered;
}

/* Item: a probe that matches a row at most. */
struct primitive_values_args {
  LAUNCH_HEADER;
  PTR(u32) rows; /* NO_ROW: none; become counts */
  PTR(u32) values;
  PTR(u32) values_valid;
  PTR(u64) sums;
};
ARGS_SIZE(primitive_values_args, 48);

/* Item: a probe. Join its sums of low and of high halves (GATHER_SUM_WIDE); where the whole does not fit 64 bits, set
 * overflow[0] to the probe + 1. */
struct primitive_wide_args {
  LAUNCH_HEADER;
  PTR(u64) sums_of_halves;
  PTR(u64) sums;
  PTR(u32) overflow;
};
ARGS_SIZE(primitive_wide_args, 40);

/* Item: a probe. The sum and number of the float values of its rows that are not NULL, added one after the other. */
struct primitive_floats_args {
  LAUNCH_HEADER;
  PTR(u64) offsets;
  PTR(u32) rows;
  PTR(u32) values; /* encoded: see column/keys.h */
  PTR(u32) values_valid;
  PTR(f64) sums;
  PTR(u32) counts;
};
ARGS_SIZE(primitive_floats_args, 64);

/* The bits of a float from its order-preserving code. */
FN u32 float_bits(u32 code) {
  return (code & 0x80000000u) != 0 ? code ^ 0x80000000u : ~code;
}

FN u64 double_bits(u64 code) {
  return (code & 0x8000000000000000ul) != 0 ? code ^ 0x8000000000000000ul : ~code;
}

/* The bits of a float as a double. By integers, because devices may take small floats for 0. */
FN u64 widened_bits(u32 bits) {
  u64 sign = TO_U64(bits >> 31) << 63;
  u32 exponent = bits >> 23 & 0xffu, fraction = bits & 0x7fffffu;
  if (exponent == 0xffu)
    return sign | 0x7ff0000000000000ul | TO_U64(fraction) << 29;
  if (exponent == 0u) {
    if (fraction == 0u)
      return sign;
    exponent = 1u;
    while ((fraction & 0x800000u) == 0u) {
      fraction <<= 1;
      exponent--; /* below 0 it wraps around, and back when the bias is added */
    }
    fraction &= 0x7fffffu;
  }
  return sign | TO_U64(exponent + (1023u - 127u)) << 52 | TO_U64(fraction) << 29;
}

/* The high half of a whole made from two sums of halves, which fits 64 bits if it is a number of 32 bits. */
FN u64 wide_high(u64 low, u64 high) {
  return high + (low >> 32);
}

FN bool wide_fits(u64 high, u32 is_signed) {
  return is_signed != 0 ? high + 0x80000000ul < 0x100000000ul : high < 0x100000000ul;
}

#endif
