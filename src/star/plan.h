/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_STAR_PLAN_H
#define RDX_STAR_PLAN_H

/* A query, checked and brought to codes: what every method starts from. All pointers are in the plan's arena. */

#include <raydex/star.h>

#include "star/relation.h"
#include "star/wide_values.h"
#include "predicate/code_set.h"
#include "predicate/terms.h"

/* Which arrays of rdx_group_values a query needs. */
#define RDX_WANT_COUNT 1u
#define RDX_WANT_SUM 2u
#define RDX_WANT_MIN 4u
#define RDX_WANT_MAX 8u

/* Numbers of rows that are added up or compared: 64 bits hold any of them. */
typedef struct rdx_measure {
  rdx_step *steps; /* one step: a plain attribute, possibly not numeric: then MIN, MAX and COUNT take its codes */
  uint32_t step_count;
  bool numeric;
  bool nulls; /* it may be NULL */
  uint8_t scale;
  uint8_t wanted;   /* RDX_WANT_... */
  int64_t min, max; /* of its values, by the ranges of its attributes; not numeric: 0 and the last code */
} rdx_measure;

/* What an aggregate takes beside its measure, where 64 bits may not hold its values. */
typedef struct rdx_wide_aggregate {
  const rdx_limbs *limbs; /* SUM and AVG: what these add up to; else NULL */
  uint32_t *measures;     /* of the limbs, and the special one */
  bool floats;
  uint8_t scale;    /* not of floats */
  bool some_beyond; /* MIN and MAX: some values are none of 64 bits; then so many are above and below: */
  uint32_t beyond;  /* this measure's sum */
} rdx_wide_aggregate;

#define RDX_MAX_MEASURES 16 /* that are taken at a time: see rdx_plan_part() */
#define RDX_MAX_GROUP_BY 8
#define RDX_MAX_AGGREGATES 8

typedef struct rdx_plan {
  rdx_arena arena;
  const rdx_packed_relation *relation;
  const rdx_query *query;
  bool empty;      /* no row can qualify */
  rdx_term *terms; /* of packed codes, of distinct attributes: all must hold */
  uint32_t term_count;
  rdx_term_node *residual; /* the residual predicate, of packed codes: what is no conjunction of terms; NULL: nothing */
  rdx_measure *measures; /* distinct; aggregates name them by number. A method sees RDX_MAX_MEASURES of them at most */
  uint32_t measure_count, measure_capacity;
  uint32_t *aggregate_measure; /* for each aggregate; UINT32_MAX: COUNT of rows */
  rdx_wide_aggregate *wide;    /* for each aggregate */
  rdx_wide_values **values;    /* that it uses */
  uint32_t value_count;
  /* The group of a row: sum of (code - group_low) * group_stride; group_width codes of each attribute can occur with
   * the terms given. Where numbers would pass 64 bits places of codes take the place of some attributes' codes
   * (group_dense; else NULL), and where these do not help it is RDX_ERROR_UNSUPPORTED when planning. */
  uint64_t *group_low, *group_width, *group_stride;
  const rdx_encoded_column **group_dense;
  uint64_t groups;
} rdx_plan;

RDX_MUST_USE rdx_status rdx_plan_create(const rdx_packed_relation *relation, const rdx_query *query, rdx_plan *out,
                                        rdx_error *err);
/* Only the measures, of all that aggregates of a cube's expressions may take; what is wanted of them does not count. */
RDX_MUST_USE rdx_status rdx_plan_measures(const rdx_packed_relation *relation, const rdx_cube_spec *spec, rdx_plan *out,
                                          rdx_error *err);
void rdx_plan_destroy(rdx_plan *plan);

/* The codes that the terms of a plan allow an attribute; NULL: all. */
const rdx_code_set *rdx_plan_set(const rdx_plan *plan, uint32_t attribute);

/* A plan whose measures are too many is run in parts, for the same groups. A part is a view of the plan. */
static inline uint32_t rdx_plan_parts(const rdx_plan *plan) {
  return plan->measure_count > 0 ? (plan->measure_count + RDX_MAX_MEASURES - 1) / RDX_MAX_MEASURES : 1;
}

static inline rdx_plan rdx_plan_part(const rdx_plan *plan, uint32_t part) {
  const uint32_t first = part * RDX_MAX_MEASURES, left = plan->measure_count - first;
  rdx_plan p = *plan;
  p.measures += plan->measure_count > 0 ? first : 0;
  p.measure_count = left < RDX_MAX_MEASURES ? left : RDX_MAX_MEASURES;
  return p;
}

#endif
