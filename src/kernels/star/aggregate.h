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
#define STAR_MIN 8u   /* the largest complement of a code */
#define STAR_MAX 16u  /* the largest code */

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

/* Bring the groups that have rows to `found`: their number, then for each its group and its record, all u64. Everything
 * is 0 again afterwards. Item: a group; on the CPU there is one item, and groups ascend. */
struct star_collect_args {
  LAUNCH_HEADER;
  PTR(star_query) query;
  PTR(u64) found;
};
ARGS_SIZE(star_collect_args, 32);

#endif
