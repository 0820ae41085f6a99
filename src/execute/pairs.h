/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_EXECUTE_PAIRS_H
#define RDX_EXECUTE_PAIRS_H

/* Pairs of rows of a join's two inputs. */

#include <raydex/join.h>

#include "execute/operators.h"

typedef struct rdx_joining {
  rdx_execution *x;
  const rdx_plan_node *node;
  rdx_operand left, right;
  rdx_vector left_key, right_key; /* one column for all keys */
  rdx_device *device;             /* that looks up */
  bool counted;                   /* the number of pairs is all that is wanted */
  uint64_t max_pairs;             /* more are refused as if there were no memory for them; 0: none are */
} rdx_joining;

void rdx_joining_drop(rdx_joining *j);

/* ---- Keys ---- */

/* Key `i` of both inputs, of one type. A column whose rows are all that count is viewed: see rdx_operand_flat(). */
RDX_MUST_USE rdx_status rdx_join_key(rdx_joining *j, uint32_t i, rdx_vector *left, rdx_vector *right, rdx_error *err);

/* The same as numbers, of the left rows, then of the right ones: of values that are equal, and no others, the same; of
 * NULL 0. `codes` has room for all. */
RDX_MUST_USE rdx_status rdx_join_key_codes(rdx_joining *j, uint32_t i, uint32_t *codes, rdx_error *err);

/* Calculate the keys of both inputs. */
RDX_MUST_USE rdx_status rdx_join_keys(rdx_joining *j, rdx_error *err);

/* ---- Matches ---- */

/* Which rows of one input have the key of each row of the other. */
typedef struct rdx_matches {
  bool inverse;            /* right rows have looked left ones up; else left rows right ones */
  uint64_t probes;         /* rows that looked others up */
  const uint32_t *first;   /* of each its match, or RDX_NO_ROW: keys are distinct. NULL: */
  const uint64_t *offsets; /* probes + 1: where those of each begin in `rows` */
  const uint32_t *rows;
  rdx_shared *keeper;
} rdx_matches;

/* Say in the node's actuals what an index and a lookup did. */
void rdx_join_note(const rdx_joining *j, const rdx_index *index, const rdx_lookup_result *found);

/* `ordered`: left rows look right ones up; else it is the smaller input that is looked up in. */
RDX_MUST_USE rdx_status rdx_matches_find(rdx_joining *j, bool ordered, rdx_matches *out, rdx_error *err);
void rdx_matches_drop(rdx_matches *matches);

/* ---- Pairs ---- */

/* Of a side that is NULL all rows are there, once each and in order. `left_only`: there is no right side. */
typedef struct rdx_pairs {
  uint64_t count;
  const uint32_t *left, *right;
  rdx_shared *left_keeper, *right_keeper;
  bool left_only;
} rdx_pairs;

void rdx_pairs_drop(rdx_pairs *pairs);
/* Pairs of these arrays, which are taken over, also on failure. */
RDX_MUST_USE rdx_status rdx_pairs_take(uint32_t *left, uint32_t *right, uint64_t count, rdx_pairs *out, rdx_error *err);
/* The same of left rows alone. */
RDX_MUST_USE rdx_status rdx_pairs_take_left(uint32_t *left, uint64_t count, rdx_pairs *out, rdx_error *err);

/* The left rows whose bit is set, or is not. */
RDX_MUST_USE rdx_status rdx_pairs_of_marks(const rdx_joining *j, const uint32_t *marks, bool wanted, rdx_pairs *out,
                                           rdx_error *err);

/* All matches as pairs, in the order of the rows that looked up; `outer`: and those that match nothing, with
 * RDX_NO_ROW. */
RDX_MUST_USE rdx_status rdx_pairs_list(rdx_joining *j, const rdx_matches *matches, bool outer, rdx_pairs *out,
                                       rdx_error *err);
/* All pairs of rows. */
RDX_MUST_USE rdx_status rdx_pairs_cross(rdx_joining *j, rdx_pairs *out, rdx_error *err);
/* The left rows of a semi or an anti join. */
RDX_MUST_USE rdx_status rdx_pairs_left(rdx_joining *j, rdx_join_kind kind, rdx_pairs *out, rdx_error *err);

/* The left rows that NOT IN keeps (not_in.c). */
RDX_MUST_USE rdx_status rdx_pairs_not_in(rdx_joining *j, rdx_pairs *out, rdx_error *err);

/* ---- Conditions ---- */

/* Those of the matches (NULL: of all pairs of rows) for which the node's filter is true: `marks` NULL: as pairs, else
 * set the bits of their left rows. */
RDX_MUST_USE rdx_status rdx_pairs_filter(rdx_joining *j, const rdx_matches *matches, uint32_t *marks, rdx_pairs *out,
                                         rdx_error *err);

/* The same of pairs whose rows lie in the node's band; without `marks` they are in the order of left rows. False in
 * `*found`: its values cannot be told. */
RDX_MUST_USE rdx_status rdx_pairs_band(rdx_joining *j, uint32_t *marks, bool *found, rdx_pairs *out, rdx_error *err);

/* How many pairs of equal keys there are, with `outer` those of left rows that match nothing too. */
RDX_MUST_USE rdx_status rdx_pairs_count(rdx_joining *j, bool outer, uint64_t *out, rdx_error *err);

/* The frame of pairs: columns of the left input, then of the right one. */
RDX_MUST_USE rdx_status rdx_pairs_frame(const rdx_joining *j, const rdx_pairs *pairs, rdx_frame *out, rdx_error *err);

/* Leave rows out that have no match, where a look at one side's keys tells it faster than the join (reduce.c). */
RDX_MUST_USE rdx_status rdx_join_reduce(rdx_joining *join, rdx_error *err);

#endif
