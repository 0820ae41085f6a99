/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_STAR_CUBE_BUILD_H
#define RDX_KERNELS_STAR_CUBE_BUILD_H

/* C and GLSL: the items of the kernels that build cubes. */

#include "kernels/lookup/lookup.h"
#include "kernels/star/aggregate.h"

/* Item: a row. keys[i] = keys[i] << bits | the code of row rows[i] (`rows` 0: row i), or where `foreign_rows` is not 0
 * that of its foreign row, or that code's place in `dictionary`. Nothing is kept of the keys where `bits` is 64 or
 * `first_attribute` is set. */
struct star_key_args {
  LAUNCH_HEADER;
  PTR(u64) keys; /* u64, or u32 where `narrow` is set */
  PTR(u32) codes;
  PTR(u32) rows;
  PTR(u32) foreign_rows;
  PTR(u64) dictionary; /* ascending; 0: codes as they are */
  u32 dictionary_count;
  u32 bytes; /* of a code */
  u32 foreign_bytes;
  u32 bits;
  u32 first_attribute;
  u32 shift; /* the lowest bits of a code that are dropped */
  u32 narrow;
};
ARGS_SIZE(star_key_args, 88);

/* Item: a row, in the order of keys that begin with a place, above `shift` bits: starts[place] = its first row. Each
 * place has rows. Constant: KEY64. */
struct star_starts_args {
  LAUNCH_HEADER;
  PTR(u32) keys;
  PTR(u32) starts;
  u32 shift;
};
ARGS_SIZE(star_starts_args, 40);

/* Item: a place in an order. out[order[i]] (out[i] without order) = which run of `starts` it lies in. */
struct star_place_args {
  LAUNCH_HEADER;
  PTR(u32) starts;
  PTR(u32) order;
  PTR(u32) out_places;
  u32 starts_count;
};
ARGS_SIZE(star_place_args, 48);

/* A step of an expression (star/plan.h): attributes push x * factor + value, x being values[code] or the code. */
#define STAR_ATTRIBUTE 0u
#define STAR_CONSTANT 1u
#define STAR_ADD 2u
#define STAR_SUBTRACT 3u
#define STAR_MULTIPLY 4u
#define STAR_DEPTH 8

struct star_step {
  PTR(u32) codes;  /* packed */
  PTR(u64) values; /* 0: none */
  u64 null_code;
  u64 value;
  u64 factor;
  u32 kind;
  u32 bytes;
};

SHARED_STRUCT(star_step, 8)
ARGS_SIZE(star_step, 48);

/* Item: a word (two words of 8 bytes) of packed results: of rows order[i] (i without order) the value less `min`, or
 * `null_code`. */
struct star_pack_args {
  LAUNCH_HEADER;
  PTR(star_step) steps;
  PTR(u32) order;
  PTR(u32) packed_out;
  u64 min;
  u64 null_code;
  u32 step_count;
  u32 bytes;
  u32 rows;
};
ARGS_SIZE(star_pack_args, 72);

#ifdef RDX_GLSL
#define STAR_STACK(name) u64 name[STAR_DEPTH]
#else
#define STAR_STACK(name) u64 name[STAR_DEPTH] = {0}
#endif

/* The packed number of a row. Two's complement: what wraps around on the way comes back, as no value passes 63 bits. */
FN u64 star_value(PTR(star_step) steps, u32 step_count, u32 row, u64 min, u64 null_code) {
  STAR_STACK(stack);
  u32 top = 0u;
  for (u32 s = 0u; s < step_count; s++) {
    u32 kind = AT(steps, s).kind;
    if (kind == STAR_ATTRIBUTE) {
      u64 code = star_load(AT(steps, s).codes, AT(steps, s).bytes, row);
      if (code == AT(steps, s).null_code)
        return null_code;
      if (!IS_NULL(AT(steps, s).values))
        code = AT(AT(steps, s).values, TO_U32(code));
      stack[top++] = code * AT(steps, s).factor + AT(steps, s).value;
    } else if (kind == STAR_CONSTANT) {
      stack[top++] = AT(steps, s).value;
    } else {
      u64 right = stack[--top], left = stack[top - 1u];
      stack[top - 1u] = kind == STAR_ADD ? left + right : kind == STAR_SUBTRACT ? left - right : left * right;
    }
  }
  return stack[0] - min;
}

/* Item: a word of 32 rows. A bit for each row that begins a scan place (`starts`), or has another group than the row
 * before it. */
struct star_heads_args {
  LAUNCH_HEADER;
  PTR(u32) starts;
  PTR(u32) groups;
  PTR(u32) bits;
  u32 starts_count;
  u32 group_bytes;
  u32 rows;
};
ARGS_SIZE(star_heads_args, 56);

FN u32 star_heads(PTR(u32) starts, u32 starts_count, PTR(u32) groups, u32 group_bytes, u32 rows, u32 word) {
  u32 begin = word * 32u, bits = 0u, place = star_find(starts, starts_count, begin);
  u64 before = begin > 0u ? star_load(groups, group_bytes, begin - 1u) : 0ul;
  for (u32 k = 0u; k < 32u && begin + k < rows; k++) {
    u64 group = star_load(groups, group_bytes, begin + k);
    while (place + 1u < starts_count && AT(starts, place + 1u) <= begin + k)
      place++;
    bits |= AT(starts, place) == begin + k || group != before ? 1u << k : 0u;
    before = group;
  }
  return bits;
}

/* Item: STAR_RUN rows. Add a measure's codes up by run of `starts`: sums[run], and counts[run] of those not NULL. */
#define STAR_RUN 1024u
struct star_runs_args {
  LAUNCH_HEADER;
  PTR(u32) starts;
  PTR(u32) codes;
  PTR(u64) sums;
  PTR(u64) counts; /* 0: there are no NULLs */
  u64 null_code;
  u32 runs;
  u32 bytes;
  u32 rows;
};
ARGS_SIZE(star_runs_args, 72);

FN u64 star_key(u64 before, u64 code, PTR(u64) dictionary, u32 dictionary_count, u32 bits, u32 first_attribute) {
  if (!IS_NULL(dictionary))
    code = TO_U64(lower_bound_u64(dictionary, 0, dictionary_count, code));
  return first_attribute != 0u || bits == 64u ? code : before << bits | code;
}

FN void star_start(PTR(u32) keys, PTR(u32) starts, u32 shift, u32 i, u32 key64) {
  u32 place = TO_U32(load_key(keys, i, key64) >> shift);
  if (i == 0u || place != TO_U32(load_key(keys, i - 1u, key64) >> shift))
    AT(starts, place) = i;
}

/* The packed result of one place of the order; 0 past the last. */
FN u64 star_packed(star_pack_args a, u32 place) {
  if (place >= a.rows)
    return 0ul;
  return star_value(a.steps, a.step_count, IS_NULL(a.order) ? place : AT(a.order, place), a.min, a.null_code);
}

FN void star_pack(star_pack_args a, u32 item) {
  if (a.bytes == 8u) {
    AT(AS_U64_PTR(a.packed_out), item) = star_packed(a, item);
    return;
  }
  u32 word = 0u, each = 4u / a.bytes;
  for (u32 k = 0u; k < each; k++)
    word |= TO_U32(star_packed(a, item * each + k)) << (8u * a.bytes * k);
  AT(a.packed_out, item) = word;
}

/* Write the right triangle of a row. */
FN void star_triangle(PTR(f32) triangles, u32 row, f32 x, f32 y, f32 z, f32 leg_x, f32 leg_y) {
#ifdef RDX_GLSL
  f32_ptr corners = f32_ptr(u64(triangles) + u64(row) * 36);
#else
  f32 *corners = triangles + (u64)row * 9;
#endif
  AT(corners, 0) = x;
  AT(corners, 1) = y;
  AT(corners, 2) = z;
  AT(corners, 3) = x + leg_x;
  AT(corners, 4) = y;
  AT(corners, 5) = z;
  AT(corners, 6) = x;
  AT(corners, 7) = y + leg_y;
  AT(corners, 8) = z;
}

#endif
