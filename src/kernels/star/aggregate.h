/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_STAR_AGGREGATE_H
#define RDX_KERNELS_STAR_AGGREGATE_H

/* C and GLSL: rows of a cube, and their sums by group.
 *
 * A cube holds for each row its group number and its measures, as columns of packed numbers of 1, 2, 4 or 8 bytes
 * (bytes 0: no column, all are 0), in an order of its own. A query adds up rows into accumulators: for each group a
 * record of `slot_count` u64, first the number of rows, then for each measure a slot for each STAR_ flag that it has,
 * in the order of the flags. All slots are 0 before and after a query.
 *
 * There are `copies` of the records, so that many rays or threads need not meet at one (RTCUDB adds to one with
 * atomics: algorithm 1). On the CPU each copy belongs to one item of a launch, which needs no atomics then, and
 * lists the groups that it touches. */

#include "device/search.h"

#define STAR_COUNT 1u /* of rows where the measure is not NULL */
#define STAR_SUM 2u   /* of codes; with STAR_HIGH of their low halves */
#define STAR_HIGH 4u  /* of high halves, where a sum of whole codes might pass 64 bits */
#define STAR_LEAST 8u /* the largest complement of a code */
#define STAR_MOST 16u /* the largest code */

#define STAR_NULLS 32u /* no slot: the measure has NULLs, whose code is null_code */

#define STAR_MEASURES 16u
#define STAR_COPIES 256u

struct star_measure {
  PTR(u32) codes;
  u64 null_code;
  u32 bytes;
  u32 slots; /* flags */
};

SHARED_TYPE(star_measure);

struct star_query {
  PTR(u32) groups;
  PTR(u64) sums;
  PTR(u32) touched; /* CPU: lists of group_count + 1 numbers, one a copy */
  PTR(u32) marks;   /* CPU: STAR_COPIES lengths of lists, a bit for each group, one for each word of these; 0 at rest */
  u32 group_bytes;
  u32 group_count;
  u32 slot_count;
  u32 measure_count;
  u32 copies; /* at most STAR_COPIES */
  u32 simple; /* no measure, or one with a whole sum and nothing else and no NULL */
  star_measure measures[STAR_MEASURES];
};
ARGS_SIZE(star_query, 56 + 16 * 24);

SHARED_STRUCT(star_query, 8)

#ifndef RDX_GLSL
/* CPU: words from a copy to the next of records and of lists: threads do not meet at a line of a cache. */
static inline uint64_t star_record_stride(const star_query *q) {
  return ((uint64_t)q->group_count * q->slot_count + 15) / 16 * 16;
}
static inline uint64_t star_list_stride(const star_query *q) {
  return ((uint64_t)q->group_count + 1 + 31) / 32 * 32;
}
#endif

FN bool star_is_null(u32 slots, u64 code, u64 null_code) {
  return (slots & STAR_NULLS) != 0u && code == null_code;
}

/* Number i of a packed column. */
FN u64 star_load(PTR(u32) column, u32 bytes, u32 i) {
  if (bytes == 1u)
    return TO_U64(AT(column, i / 4u) >> (i % 4u * 8u) & 0xffu);
  if (bytes == 2u)
    return TO_U64(AT(column, i / 2u) >> (i % 2u * 16u) & 0xffffu);
  if (bytes == 4u)
    return TO_U64(AT(column, i));
  return bytes == 8u ? AT(AS_U64_PTR(column), i) : 0ul;
}

/* The largest index whose start is not above `place`; starts[0] is 0, equal ones may follow each other. */
FN u32 star_find(ASCENDING(u32) starts, u32 count, u32 place) {
  return upper_bound(starts, 1, count, place) - 1;
}

/* Of the disjoint ascending intervals (pairs low, end) first .. first + count - 1 the last that begins at or before z;
 * the first where none does. */
FN u32 star_interval(PTR(u32) intervals, u32 first, u32 count, u32 z) {
  return interval_above(intervals, first + 1, first + count, z) - 1;
}

/* Whether z lies in one of them. */
FN bool star_inside(PTR(u32) intervals, u32 first, u32 count, u32 z) {
  u32 i = star_interval(intervals, first, count, z);
  return AT(intervals, 2u * i) <= z && z < AT(intervals, 2u * i + 1u);
}

/* ---- Building ---- */

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

/* Item: a word (two words of 8 bytes) of packed results: of rows order[i] (i without order) the value less `least`, or
 * `null_code`. */
struct star_pack_args {
  LAUNCH_HEADER;
  PTR(star_step) steps;
  PTR(u32) order;
  PTR(u32) packed_out;
  u64 least;
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
FN u64 star_value(PTR(star_step) steps, u32 step_count, u32 row, u64 least, u64 null_code) {
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
  return stack[0] - least;
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

/* ---- Answering ---- */

/* The first of `count` things that are dealt out to a part, that of part + 1 being where they end. */
FN u32 star_part(u32 count, u32 part, u32 parts) {
  return TO_U32(TO_U64(count) * part / parts);
}

/* Add up the rows of some ranges, thought of as one after the other. Item: on GPUs a thread, STAR_WORK rows for each
 * workgroup; on the CPU a part of `parts`, which is a copy of the accumulators. */
#define STAR_GROUP 256u
#define STAR_WORK 2048u
struct star_ranges_args {
  LAUNCH_HEADER;
  PTR(star_query) query;
  PTR(u32) ranges; /* for each the number of rows before it; then for each its first row */
  u32 range_count;
  u32 rows;
  u32 parts;
};
ARGS_SIZE(star_ranges_args, 48);

/* ---- Runs ----
 *
 * Of rows of one scan place and one group, and what all rows before each of them come to: then many runs of one group
 * are one difference. */

/* Of a measure: of all rows before each run, and of all rows. */
struct star_totals {
  PTR(u64) sums;   /* of codes; 0: not kept */
  PTR(u64) counts; /* of values; 0: no value is NULL */
};

SHARED_TYPE(star_totals);

struct star_runs {
  PTR(u32) starts;                   /* the first row of each, and the number of rows */
  PTR(u32) groups;                   /* 0: there is one group */
  PTR(u32) next_group_run;           /* for each the next one of another group; 0: there is one group */
  star_totals totals[STAR_MEASURES]; /* of each of the query's measures: what it wants of them is kept */
};
ARGS_SIZE(star_runs, 24 + 16 * 16);

SHARED_STRUCT(star_runs, 8)

/* ---- The coarse cube ----
 *
 * Rows lie in blocks. A cell is 2^shift scan places, in each of a few scene rows; a block has rows of one cell, and is
 * a triangle at x = its cell, y = its scene row. A query's ranges of places touch some runs of cells, disjoint ones: a
 * ray along x for each run and scene row, or for each piece of a run, meets each block of its cells, and no other ray
 * meets these. Of a block that it meets it adds those rows whose place lies in one of the ranges. So each row that
 * qualifies is added once, whatever the order of hits.
 *
 * Coordinates are whole numbers below 2^22, rays end between them, half a unit away, and are no longer than 2^16
 * cells, so that the error of a hit's distance is far below that half. */

/* A piece of a run of cells, and the ranges that touch it. */
#define STAR_MOST_CELLS 65536u /* of a piece */
struct star_piece {
  u32 first_cell;
  u32 last_cell;
  u32 first_range;
  u32 range_count;
};

SHARED_STRUCT(star_piece, 4)

/* Item: a ray, one for each piece and scene row; on the CPU a part of `parts`. Lists the blocks that rays meet: what
 * they do is little, and a block meets one ray at most. */
struct coarse_args {
  LAUNCH_HEADER;
  PTR(star_piece) pieces;
  PTR(u32) hit_list; /* how many; then for each the block, and the number of the piece */
  u32 scene_rows;
  u32 rays;
  u32 partition_size;
  u32 parts;
};
ARGS_SIZE(coarse_args, 48);

/* Add up the blocks listed. Item: on GPUs a lane of a workgroup, `parts` of which the shares of all blocks are dealt
 * out to; on the CPU a part, which is a copy of the accumulators. */
#define COARSE_GROUP 64u
struct coarse_add_args {
  LAUNCH_HEADER;
  PTR(star_query) query;
  PTR(u32) hit_list;
  PTR(star_piece) pieces;
  PTR(u32) blocks;   /* for each its first row and its cell; then the number of rows */
  PTR(u32) places;   /* of each row */
  PTR(u32) ranges;   /* pairs (low, end) of places */
  PTR(u64) counters; /* hits, and rows; 0: not wanted */
  u32 shift;
  u32 parts;
  u32 shares;   /* of a block; on the CPU 1 */
  u32 by_place; /* rows of a cell are in the order of places, for the same in that of groups; else of groups */
};
ARGS_SIZE(coarse_add_args, 88);

/* The same by runs whose totals are kept, of which each block has some of its own. Item: a part, `parts` of which the
 * shares of all blocks are dealt out to; on the CPU a copy of the accumulators. */
struct coarse_runs_args {
  LAUNCH_HEADER;
  PTR(star_query) query;
  PTR(u32) hit_list;
  PTR(star_piece) pieces;
  PTR(star_runs) runs;
  PTR(u32) block_runs; /* the first run of each block, and the number of runs */
  PTR(u32) ranges;     /* pairs (low, end) of runs */
  PTR(u64) counters;   /* hits, and rows, of which none is read; 0: not wanted */
  u32 parts;
  u32 shares; /* of a block; on the CPU 1 */
};
ARGS_SIZE(coarse_runs_args, 80);

/* Whether all places of a cell are in the first of a piece's ranges. */
FN bool coarse_all(PTR(u32) ranges, star_piece piece, u32 cell, u32 shift) {
  u32 low = AT(ranges, 2u * piece.first_range), end = AT(ranges, 2u * piece.first_range + 1u);
  return low <= cell << shift && end - (cell << shift) >= 1u << shift && end > cell << shift;
}

/* ---- The RT cube (RTCUDB, sections 3.2 and 4) ----
 *
 * Rows are numbered in the order of their scan codes. A row is a right triangle at x = its measures, y = its group,
 * each as far as 21 bits tell, and z = its number, as far as 24 bits tell: so a run of codes is a run of z, rows of a
 * code lie one behind the other, and a ray may be cut anywhere. Corners: (x, y, z), (x + leg x, y, z), (x, y + leg y,
 * z). For each run of rows rays along z start at a grid of points (hx (i + 1) - 1/2, hy (j + 1) - 1/2), hx and hy at
 * most half a leg, as in section 3.2.
 *
 * Every triangle of the area is hit. Let i = x / hx and j = y / hy, rounded down. Then the ray (i, j) passes at
 * distances dx = hx (i + 1) - 1/2 - x and dy from the two legs, and 1/2 <= dx <= hx - 1/2, the same for dy: so it is
 * inside of both legs, and inside of the third side, because dx / leg x + dy / leg y <= 1 - 1/4hx - 1/4hy < 1. The
 * right angle and the rays are whole numbers and halves below 2^23, and the legs run along the axes even where their
 * far ends are rounded: so on which side of a leg a ray passes is exact. An intersection test gets the third side with
 * an error of about 2^-22 of the product of the legs. So the legs are 4 times hx and hy or longer, which leaves a
 * margin of a half, or the smaller of hx and hy is at most 2^17, which leaves 2^-19.
 *
 * None outside counts. Triangles lie in the middle of their unit of z, rays end where units do, so half a unit away,
 * and none is longer than 2^16, so that the error of a distance does not matter. All these are whole numbers and
 * halves, of both signs so that they stay within 2^23; a unit may be a power of two (z_scale), which changes no digit
 * of them. (Embree's test of a box rounds a product of origin and direction, by a quarter at 2^22 and above: the half
 * allows for it, but not for a 25th bit.) Where rows share a z with those of another run, their numbers tell them
 * apart.
 *
 * Each row counts once. Up to three rays hit a triangle if legs are 2 hx and 2 hy; the paper sets a flag for each row
 * that is hit (algorithm 1, line 3). Here the ray (i, j) of above owns the row, and hits of others are passed over:
 * nothing has to be reset after a query, and queries may run at the same time. */

#define RT_MOST_HALF_LEG 131072u
#define RT_MOST_CELLS 65536u /* of a ray: different z */

/* Item: a row. Its triangle, and its owner: j * columns + i. */
struct rt_place_args {
  LAUNCH_HEADER;
  PTR(star_step) steps; /* x, of step_count steps */
  PTR(u32) groups;
  PTR(f32) triangles;
  PTR(u32) owners; /* 0: there is one ray for all */
  u32 step_count;
  u32 group_bytes;
  u32 x_shift;
  u32 y_shift;
  u32 z_shift;
  u32 half_x;
  u32 half_y;
  u32 columns;
  f32 leg_x;
  f32 leg_y;
  f32 z_scale;
};
ARGS_SIZE(rt_place_args, 96);

/* Rows begin .. end - 1, of which those count whose scan places are in some ranges; and how many pieces of z come
 * before them, each of which has a grid of rays. */
struct rt_run {
  u32 first_piece;
  u32 begin;
  u32 end;
  u32 first_range;
  u32 range_count;
};

SHARED_STRUCT(rt_run, 4)

/* Item: a ray, columns * lines of them for each piece; on the CPU a part of `parts`, which share the
 * copies of the accumulators. */
struct rt_rays_args {
  LAUNCH_HEADER;
  PTR(star_query) query;
  PTR(rt_run) runs;
  PTR(u32) owners;
  PTR(u32) places;   /* of rows, to be looked up in the ranges; 0: all rows of a run count */
  PTR(u32) ranges;   /* pairs (low, end) */
  PTR(u32) bits;     /* rows that qualify; 0: not asked */
  PTR(u64) counters; /* hits, and rows; 0: not wanted */
  u32 run_count;
  u32 cells; /* z of a piece */
  u32 z_shift;
  u32 columns;
  u32 lines;
  u32 half_x;
  u32 half_y;
  u32 rays;
  u32 partition_size;
  u32 parts;
  f32 z_scale;
};
ARGS_SIZE(rt_rays_args, 120);

/* z of a cell, 0 in the middle of the 2^24 that there may be. */
#define RT_Z(cell) (TO_F32(cell) - 8388608.0f)
#define RT_PLACE_ON_GRID(half_leg, i) (TO_F32((half_leg) * ((i) + 1u)) - 0.5f)

DEFINE_BOUND(rt_run_above, (PTR(rt_run) runs, u32 begin, u32 end, u32 piece), AT(runs, middle).first_piece <= piece)

/* The run that a piece is of. */
FN u32 rt_find(PTR(rt_run) runs, u32 count, u32 piece) {
  return rt_run_above(runs, 1, count, piece) - 1;
}

/* The z that a piece begins with, and how many it has. */
FN u32 rt_first_cell(rt_run run, u32 piece, u32 cells, u32 z_shift) {
  return (run.begin >> z_shift) + (piece - run.first_piece) * cells;
}

FN u32 rt_cells(rt_run run, u32 first_cell, u32 cells, u32 z_shift) {
  u32 rest = ((run.end - 1u) >> z_shift) - first_cell + 1u;
  return rest < cells ? rest : cells;
}

/* Whether a hit of ray `cell` of the grid counts. */
FN bool rt_counts(PTR(u32) owners, PTR(u32) places, PTR(u32) ranges, PTR(u32) bits, u32 row, u32 cell, rt_run run) {
  if (row - run.begin >= run.end - run.begin)
    return false;
  if (!IS_NULL(owners) && AT(owners, row) != cell)
    return false;
  if (!IS_NULL(bits) && (AT(bits, row / 32u) >> (row % 32u) & 1u) == 0u)
    return false;
  return IS_NULL(places) || star_inside(ranges, run.first_range, run.range_count, AT(places, row));
}

/* Bring the groups that have rows to `found`: their number, then for each its group and its record, all u64. Everything
 * is 0 again afterwards. Item: a group; on the CPU there is one item, and groups ascend. */
struct star_collect_args {
  LAUNCH_HEADER;
  PTR(star_query) query;
  PTR(u64) found;
};
ARGS_SIZE(star_collect_args, 32);

#endif
