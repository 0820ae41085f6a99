/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_STAR_RTCUDB_H
#define RDX_KERNELS_STAR_RTCUDB_H

/* C and GLSL: the published mapping of RTCUDB (sections 3.2 and 4).
 *
 * A row is a right triangle. Its corner is (x, y, z): x holds measures, bit fields side by side (section 4.4); y is the
 * code of the row's group (4.3); z is the mixed-radix code of its scan attributes (4.2). The legs are 2 hx and 2 hy
 * long, along x and y. A query launches a grid of rays along z for each interval of codes that it selects, hx and hy
 * apart, which is half a leg. The hit program reads the corner and decodes it: that is its one access to memory, but
 * for numbers that pass 24 bits, whose other bits or attributes are in memory (4.5).
 *
 * Coordinates are exact. A code is below 2^24. Less the axis' centre, which is half the number of codes, it is a whole
 * number within 2^23 of 0; z lies another half above that, in the middle of its unit. Whole numbers and halves of that
 * size are f32 values, and the unit of z is a power of two. So a corner decodes to the codes that it was made of.
 *
 * Each triangle of an interval is hit. Let i = x / hx, rounded down. The ray i passes at min(hx (i + 1), codes) - 1/2,
 * so 1/2 <= dx <= hx - 1/2 beyond x; the same for y. It passes inside of both legs: their lines are whole numbers and
 * the rays halves, and a test of a box or a leg errs by a quarter at most. It passes inside of the third side, because
 * dx / 2 hx + dy / 2 hy <= 1 - 1 / 4 hx - 1 / 4 hy. A test of that side errs by about 2^-22; hx or hy is at most 2^17,
 * which leaves 2^-19. A ray begins half a unit before the first z and ends half a unit after the last one, and a part
 * of 2^20 of its length later, which is more than a distance errs by.
 *
 * No other row counts. The hit program compares z with the interval of the ray, as whole numbers.
 *
 * Each row counts once. Up to three rays of a grid hit a triangle. The first that does sets the row's flag (algorithm
 * 1, line 3). Intervals are disjoint, so no other interval finds the flag set. */

#include "kernels/star/aggregate.h"

#define RTCUDB_BITS 24u
#define RTCUDB_CODES (1u << RTCUDB_BITS)
#define RTCUDB_MAX_SHORT_HALF_LEG 131072u /* of the shorter leg */

/* Part of the code of a measure: the lowest bits, in x. The others are in memory. */
struct rtcudb_field {
  PTR(u32) rest; /* packed; when triangles are made, the whole code */
  u32 rest_bytes;
  u32 shift; /* where in x */
  u32 bits;
  u32 unused;
};

SHARED_STRUCT(rtcudb_field, 8)
ARGS_SIZE(rtcudb_field, 24);

FN u32 rtcudb_low_bits(u32 bits) {
  return bits == 0u ? 0u : 0xffffffffu >> (32u - bits);
}

/* ---- Building ---- */

/* Item: a row. Its triangle, and its corner where that is kept apart. */
struct rtcudb_place_args {
  LAUNCH_HEADER;
  PTR(rtcudb_field) fields;
  PTR(u32) groups;    /* codes of groups; 0: all are 0 */
  PTR(u32) cuts;      /* the first group of each y; 0: y is the group */
  PTR(u32) rests;     /* out, with cuts: groups less the first group of their y */
  PTR(u32) z;         /* codes; 0: all are 0 */
  PTR(f32) triangles; /* out */
  PTR(f32) corners;   /* out; 0: not wanted */
  u32 field_count;
  u32 cut_count;
  u32 centre_x;
  u32 centre_y;
  u32 centre_z;
  f32 leg_x;
  f32 leg_y;
  f32 unit_z;
};
ARGS_SIZE(rtcudb_place_args, 104);

/* RTCUDB, section 4.4 "pack the bits of the attribute values in a 32-bit float coordinate". */
FN u32 rtcudb_x(PTR(rtcudb_field) fields, u32 count, u32 row) {
  u32 x = 0u;
  for (u32 i = 0u; i < count; i++)
    x |= (TO_U32(star_load(AT(fields, i).rest, AT(fields, i).rest_bytes, row)) & rtcudb_low_bits(AT(fields, i).bits))
         << AT(fields, i).shift;
  return x;
}

/* A code as a coordinate: exact. */
FN f32 rtcudb_coordinate(u32 code, u32 centre) {
  return TO_F32(TO_I32(code) - TO_I32(centre));
}

/* ---- Answering ---- */

/* A comparison of an attribute of a row. */
#define RTCUDB_TRUE 0xffffffffu
#define RTCUDB_FALSE 0xfffffffeu
struct rtcudb_check {
  PTR(u32) codes;     /* packed; 0: a digit of z */
  PTR(u64) intervals; /* of codes that qualify: pairs, both ends included, ascending */
  u32 bytes;
  u32 stride; /* digit: z / stride % radix */
  u32 radix;
  u32 interval_count;
  u32 on_true; /* the next check, or RTCUDB_TRUE or RTCUDB_FALSE */
  u32 on_false;
};

SHARED_STRUCT(rtcudb_check, 8)
ARGS_SIZE(rtcudb_check, 40);

/* What a query reads of a cube. */
struct rtcudb_query {
  PTR(star_query) query;
  PTR(f32) corners; /* of row i: 3 numbers from i * corner_stride on */
  PTR(u32) rests;   /* packed; groups less the first group of their y */
  PTR(u32) cuts;    /* the first group of each y; 0: y is the group */
  PTR(rtcudb_check) checks;
  PTR(u32) bits;  /* of rows that qualify; 0: not asked */
  PTR(u32) flags; /* of rows: a bit each, 0 before */
  u32 corner_stride;
  u32 rest_bytes;
  u32 first_check;
  u32 centre_x;
  u32 centre_y;
  u32 centre_z;
  u32 half_x;
  u32 half_y;
  u32 x_codes;
  u32 y_codes;
  u32 columns;
  u32 lines;
  f32 unit_z;
  f32 per_unit_z; /* 1 / unit_z */
  rtcudb_field fields[STAR_MEASURES];
};
ARGS_SIZE(rtcudb_query, 56 + 56 + 16 * 24);

SHARED_STRUCT(rtcudb_query, 8)

/* Item: a ray, columns * lines of them for each interval of z; on the CPU a part of `parts`. */
struct rtcudb_rays_args {
  LAUNCH_HEADER;
  PTR(rtcudb_query) cube;
  PTR(u32) intervals; /* pairs (first code, end) */
  PTR(u64) counters;  /* hits, and rows; 0: not wanted */
  u32 rays;
  u32 parts;
  u32 partition_size;
  u32 unused;
};
ARGS_SIZE(rtcudb_rays_args, 56);

/* RTCUDB, section 3.2 "have an interval of 1/2 Sx along the X-axis". */
/* Where ray i of an axis passes. */
FN f32 rtcudb_on_grid(u32 i, u32 half_leg, u32 codes, u32 centre) {
  u32 place = half_leg * (i + 1u);
  return rtcudb_coordinate(place < codes ? place : codes, centre) - 0.5f;
}

/* The length of a ray through so many codes. */
FN f32 rtcudb_length(u32 codes, f32 unit_z) {
  return TO_F32(codes) * unit_z * 1.00000095367431640625f; /* 1 + 2^-20 */
}

/* RTCUDB, Algorithm 1 "get_prim_right_vertex_coord". */
FN u32 rtcudb_decode(f32 coordinate, u32 centre) {
  return TO_U32(TO_I32(coordinate) + TO_I32(centre));
}

/* z is half a unit above its code. */
FN u32 rtcudb_decode_z(f32 z, f32 per_unit_z, u32 centre) {
  return rtcudb_decode(z * per_unit_z - 0.5f, centre);
}

/* Whether one of ascending disjoint intervals has the code. */
FN bool rtcudb_has(PTR(u64) intervals, u32 count, u64 code) {
  u32 begin = 0u, n = count;
  while (n > 1u) {
    u32 half_of = n / 2u;
    if (AT(intervals, 2u * (begin + half_of)) <= code) {
      begin += half_of;
      n -= half_of;
    } else {
      n = half_of;
    }
  }
  return count > 0u && AT(intervals, 2u * begin) <= code && code <= AT(intervals, 2u * begin + 1u);
}

/* RTCUDB, section 4.5 "the Any Hit Shader needs to access the corresponding attributes with the primitive ID". */
FN bool rtcudb_holds(PTR(rtcudb_check) checks, u32 first, u32 row, u32 z) {
  u32 i = first;
  while (i < RTCUDB_FALSE) {
    u64 code = IS_NULL(AT(checks, i).codes) ? TO_U64(z / AT(checks, i).stride % AT(checks, i).radix)
                                            : star_load(AT(checks, i).codes, AT(checks, i).bytes, row);
    i = rtcudb_has(AT(checks, i).intervals, AT(checks, i).interval_count, code) ? AT(checks, i).on_true
                                                                                : AT(checks, i).on_false;
  }
  return i == RTCUDB_TRUE;
}

/* RTCUDB, section 4.4 "by decoding the X-coordinate". */
FN u64 rtcudb_code(rtcudb_field field, u32 x, u32 row) {
  u64 low = TO_U64(x >> field.shift & rtcudb_low_bits(field.bits));
  return field.rest_bytes == 0u ? low : star_load(field.rest, field.rest_bytes, row) << field.bits | low;
}

/* RTCUDB, section 3.2 "Indexing by the Y-axis coordinate". */
/* The group of a row, of `groups` that the query tells apart. */
FN u32 rtcudb_group(u32 groups, PTR(u32) cuts, PTR(u32) rests, u32 rest_bytes, u32 y, u32 row) {
  if (groups == 1u)
    return 0u;
  return IS_NULL(cuts) ? y : AT(cuts, y) + TO_U32(star_load(rests, rest_bytes, row));
}

#endif
