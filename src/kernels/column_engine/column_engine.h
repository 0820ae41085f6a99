/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_COLUMN_ENGINE_COLUMN_ENGINE_H
#define RDX_KERNELS_COLUMN_ENGINE_COLUMN_ENGINE_H

/* C and GLSL: star queries in one pass over packed columns. A row is tested by terms on the fact table, then looked up
 * in a table for each dimension, which holds for each row of the dimension either NO_LINK or its part of the group's
 * number (the invisible join: Abadi, Madden, Hachem, SIGMOD 2008, section 5; as in Crystal: Shanbhag, Madden, Yu,
 * SIGMOD 2020, with tables instead of hash tables). Then its measures are calculated and added to its group. */

#include "kernels/packed/packed.h"

/* ---- What a query is to the kernels: arrays in constants of the stream ---- */

/* How GPUs compare side by side the codes of a term with its span, less a gap; all of them below 8 bytes. */
#define COMPARE_SPAN 0 /* no code has its highest bit set, and there is no gap */
#define COMPARE_GAP 1  /* the highest bits of those in the span are the same */
#define COMPARE_WIDE 2 /* they are not; the gap is not looked at */

/* A set of codes of an attribute: low .. low + span of it, less what is not in the bitmap, or in the intervals. */
struct engine_term {
  PTR(u32) codes;
  PTR(u32) foreign_rows; /* of the attribute's dimension; 0: codes are of the row itself */
  u64 low;
  u64 span;
  u64 gap_low; /* the most codes side by side in the span that are not in the set; gap_low > gap_high: all are */
  u64 gap_high;
  u32 bytes;
  u32 foreign_bytes;
  u32 set;   /* where in `numbers` a bit for each code from `low` on is, or pairs of intervals */
  u32 count; /* 1: the whole span; 0: a bitmap; else so many intervals */
  u32 compare;
  u32 exact; /* whether comparing so decides */
};

struct engine_link {
  PTR(u32) foreign_rows;
  PTR(u32) table; /* u32, or with GROUP64 u64; 0: the dimension has no part in groups */
  PTR(u32) bits;  /* one for each row of the dimension that is in the table; 0: all are, or with GROUP64 */
  u32 bytes;
  u32 rows; /* of the dimension */
};

#define ENGINE_SMALL 4096u /* CPU: bits of dimensions of fewer rows are looked up by byte shuffles */

#define NO_LINK 0xfffffffful
#define NO_LINK64 0xfffffffffffffffful

/* A group attribute's part of the group's number: (code - low) * stride. */
struct engine_part {
  PTR(u32) codes;
  u64 low;
  u64 stride;
  u32 bytes;
  u32 reserved;
};

/* A step of an expression: see rdx_step. */
#define STEP_ATTRIBUTE 0
#define STEP_CONSTANT 1
#define STEP_ADD 2
#define STEP_SUBTRACT 3
#define STEP_MULTIPLY 4
#define STEP_STACK 8

struct engine_step {
  PTR(u32) codes;
  PTR(u32) foreign_rows;
  PTR(u64) values; /* of codes; 0: the code itself counts */
  u64 value;
  u64 factor;
  u64 null_code; /* 2^64 - 1: there is none */
  u32 bytes;
  u32 foreign_bytes;
  u32 kind;
  u32 reserved;
};

/* A measure, and the slots that take it in. Slots are u64 that begin as 0: sums and counts are added to, the others
 * take the largest of value - min (max_slot) and of max - value (min_slot). */
#define NO_SLOT 0xffffffffu

struct engine_measure {
  u64 min;
  u64 max;
  u32 first_step;
  u32 step_count;
  u32 count_slot;
  u32 sum_slot; /* of value - least; with `wide` of its low half, and the next slot that of its high half */
  u32 wide;
  u32 min_slot;
  u32 max_slot;
  u32 reserved;
};

/* What terms alone do not say: a row begins with test 0, goes on as its term says, and ends beyond the last. */
struct engine_test {
  u32 term;
  u32 on_true;
  u32 on_false;
};
#define TEST_ACCEPT 0xfffffffeu
#define TEST_REJECT 0xffffffffu

SHARED_STRUCT(engine_term, 8)
SHARED_STRUCT(engine_link, 8)
SHARED_STRUCT(engine_part, 8)
SHARED_STRUCT(engine_step, 8)
SHARED_STRUCT(engine_measure, 8)
SHARED_STRUCT(engine_test, 4)

/* All of a query. Terms are first those that must hold, then those of tests. */
struct engine_query {
  PTR(engine_term) terms;
  PTR(engine_link) links;
  PTR(engine_part) parts;
  PTR(engine_step) steps;
  PTR(engine_measure) measures;
  PTR(engine_test) tests;
  PTR(u64) numbers;
  PTR(u64) groups; /* `slots` u64 for each group; slot 0 counts rows */
  u64 max_slots;   /* a bit for each slot that takes the largest */
  u32 term_count;
  u32 link_count;
  u32 part_count;
  u32 measure_count;
  u32 test_count;
  u32 slots;
  u32 group_count; /* not of runs */
  u32 rows;
};

SHARED_STRUCT(engine_query, 8)

#define ENGINE_MAX_SLOTS 57 /* rows; of 16 measures: count, sum and its high half; of 8 aggregates: least or most */

/* ---- Kernels ---- */

/* Item: a row of a dimension, or one past the last for rows without a foreign row. Fill in its table and its bits, in
 * whole words, where these are not 0. Constant: GROUP64. */
#define ENGINE_TABLE_GROUP 256u
struct engine_table_args {
  LAUNCH_HEADER;
  PTR(engine_term) terms;
  PTR(engine_part) parts;
  PTR(u64) numbers;
  PTR(u32) table;
  PTR(u32) bits;
  u32 term_count;
  u32 part_count;
  u32 rows;
};
ARGS_SIZE(engine_table_args, 72);

/* Item: a tile of rows. Add its rows to their groups. On the CPU each tile has groups of its own with `copies`. On GPUs
 * an item is a worker, which takes tiles that a counter deals out. What they read of the query for each row
 * is in the arguments, where it takes no registers. Constants: how a GPU adds up, see below, and whether the threads
 * of a subgroup take each step together, as those of emulated devices do. */
#define ENGINE_WORKERS 792u        /* an H100 runs so many at a time */
#define ENGINE_EMULATED_WORKERS 4u /* on a host's few cores */
#define ENGINE_FEW_GROUPS 1024u    /* GPUs: the last worker lists them, from ENGINE_FOUND bytes after the counters on */
#define ENGINE_FOUND 64u
#define ENGINE_STRETCH 8192u /* rows that a worker narrows at a time; a tile is a multiple of it */
#define ENGINE_MAX_EARLY 8u  /* terms, and dimensions */
struct engine_tile_args {
  LAUNCH_HEADER;
  PTR(engine_query) query;
  PTR(u32)
  counters; /* of groups found: becomes 0; of tiles taken and, on GPUs, of workers done: 0, as they are again
                      * once groups are listed */
  PTR(engine_term) terms;
  PTR(engine_link) links;
  PTR(engine_part) parts;
  PTR(engine_step) steps;
  PTR(engine_measure) measures;
  PTR(u64) groups;
  u32 tile;   /* rows */
  u32 copies; /* GPUs: in shared memory, with ADD_SHARED */
  u32 rows;
  u32 slots;
  u32 term_count;
  u32 link_count;
  u32 early_terms;     /* GPUs: all rows are looked at for these */
  u32 early_links;     /* and for these */
  u32 first_late_term; /* the rows that are left are looked at for terms from here on. Some may be early ones, of whose
                        * sets only the spans were looked at; sets of those before are exact, or bitmaps */
  u32 part_count;
  u32 measure_count;
  u32 test_count;
};
ARGS_SIZE(engine_tile_args, 128);

/* How a GPU adds up: in copies of all groups in shared memory, in shared memory for the groups that a tile meets first,
 * or in memory. Cells are u64. */
#define ADD_SHARED 0
#define ADD_CACHED 1
#define ADD_MEMORY 2
#define ENGINE_SHARED_CELLS 512u
#define ENGINE_COPIES 32u

/* Item: a word of 32 rows. Which of them qualify. */
struct engine_select_args {
  LAUNCH_HEADER;
  PTR(engine_query) query;
  PTR(u32) bits;
};
ARGS_SIZE(engine_select_args, 32);

/* Item: a row that qualifies. The number of its group, by tables with GROUP64. */
struct engine_number_args {
  LAUNCH_HEADER;
  PTR(engine_query) query;
  PTR(u32) rows;
  PTR(u64) out_groups;
};
ARGS_SIZE(engine_number_args, 40);

/* Item: a row that qualifies, in the order of groups. Add it to the run of rows that it is in. */
struct engine_runs_args {
  LAUNCH_HEADER;
  PTR(engine_query) query;
  PTR(u32) rows;
  PTR(u32) starts; /* of runs */
  u32 run_count;
};
ARGS_SIZE(engine_runs_args, 48);

/* Item: a group. List those that have rows, in any order: their number, then their slots, which are cleared; `copies`
 * of each group are joined. */
struct engine_compact_args {
  LAUNCH_HEADER;
  PTR(engine_query) query;
  PTR(u32) counters;
  PTR(u64) out_groups;
  u32 copies;
};
ARGS_SIZE(engine_compact_args, 48);

/* ---- Shared logic ---- */

FN u64 engine_code(PTR(u32) codes, u32 bytes, PTR(u32) foreign_rows, u32 foreign_bytes, u32 row) {
  if (!IS_NULL(foreign_rows))
    row = TO_U32(load_code(foreign_rows, foreign_bytes, row));
  return load_code(codes, bytes, row);
}

/* Whether `offset`, a code less the term's low, which is at most its span, is in the set. */
FN bool engine_in_set(PTR(u64) numbers, u32 set, u32 count, u64 offset) {
  if (count == 1)
    return true;
  if (count == 0)
    return (AT(numbers, set + TO_U32(offset >> 6)) >> (offset & 63ul) & 1ul) != 0;
  u32 begun = interval_above_u64(numbers, set, 0, count, offset); /* at least one */
  return offset <= AT(numbers, set + 2 * begun - 1);
}

FN bool engine_holds(PTR(engine_term) terms, PTR(u64) numbers, u32 t, u32 row) {
  u64 offset =
      engine_code(AT(terms, t).codes, AT(terms, t).bytes, AT(terms, t).foreign_rows, AT(terms, t).foreign_bytes, row) -
      AT(terms, t).low;
  return offset <= AT(terms, t).span && engine_in_set(numbers, AT(terms, t).set, AT(terms, t).count, offset);
}

FN u64 engine_part_of(PTR(engine_part) parts, u32 p, u32 row) {
  return (load_code(AT(parts, p).codes, AT(parts, p).bytes, row) - AT(parts, p).low) * AT(parts, p).stride;
}

/* A row of a dimension: its part of the group's number, or NO_LINK64. */
FN u64 engine_table_entry(PTR(engine_term) terms, u32 term_count, PTR(engine_part) parts, u32 part_count,
                          PTR(u64) numbers, u32 row) {
  for (u32 t = 0; t < term_count; t++)
    if (!engine_holds(terms, numbers, t, row))
      return NO_LINK64;
  u64 group = 0;
  for (u32 p = 0; p < part_count; p++)
    group += engine_part_of(parts, p, row);
  return group;
}

FN bool engine_passes(PTR(engine_term) terms, PTR(engine_test) tests, PTR(u64) numbers, u32 test_count, u32 row) {
  u32 at = 0;
  while (at < test_count) {
    if (engine_holds(terms, numbers, AT(tests, at).term, row))
      at = AT(tests, at).on_true;
    else
      at = AT(tests, at).on_false;
  }
  return at != TEST_REJECT;
}

#endif
