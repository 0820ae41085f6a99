/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_ENGINE_PLAN_H
#define RDX_ENGINE_PLAN_H

/* A query, checked and brought to codes: what every engine starts from. All pointers are in the plan's arena. */

#include <raydex/engine.h>

#include "engine/relation.h"
#include "scan/intervals.h"
#include "scan/terms.h"

/* True for rows whose code of the attribute lies in one of the intervals (of codes; IS NULL is code `count`). */
typedef struct rdx_condition_term {
  uint32_t attribute;
  rdx_intervals intervals;
} rdx_condition_term;

/* An expression as steps on a stack of at most 8 values: 64-bit, each step's range known not to pass 63 bits (else
 * RDX_ERROR_OVERFLOW when planning). */
typedef struct rdx_step {
  rdx_expression_kind kind;
  uint32_t attribute;
  /* ATTRIBUTE: x * factor + value at the step's scale, where x is the code, or the attribute's values[code] where it
   * has these; computed modulo 2^64, since only the result is known to fit. CONSTANT: value. */
  int64_t value;
  int64_t factor;
} rdx_step;

/* Which arrays of rdx_group_values a query needs. */
#define RDX_WANT_COUNT 1u
#define RDX_WANT_SUM 2u
#define RDX_WANT_LEAST 4u
#define RDX_WANT_MOST 8u

#define RDX_MOST_STEPS 64
#define RDX_MOST_STACK 8

typedef struct rdx_measure {
  rdx_step *steps; /* one step: a plain attribute, possibly not numeric: then MIN, MAX and COUNT take its codes */
  uint32_t step_count;
  bool numeric;
  bool nulls; /* it may be NULL */
  uint8_t scale;
  uint8_t wanted;      /* RDX_WANT_... */
  int64_t least, most; /* of its values, by the ranges of its attributes; not numeric: 0 and the last code */
} rdx_measure;

/* SUM or AVG of a float attribute: what its digits add up to. */
typedef struct rdx_float_sum {
  const rdx_digits *digits; /* NULL: an aggregate is none */
  uint32_t measures[RDX_MOST_DIGITS + 1];
} rdx_float_sum;

#define RDX_MOST_MEASURES 16
#define RDX_MOST_GROUP_BY 8
#define RDX_MOST_AGGREGATES 8

typedef struct rdx_plan {
  rdx_arena arena;
  const rdx_coded_relation *relation;
  const rdx_query *query;
  bool empty;                /* no row can qualify */
  rdx_condition_term *terms; /* of distinct attributes: all must hold */
  uint32_t term_count;
  rdx_node *rest;        /* what is not a conjunction of terms (codes as in rdx_condition_term); NULL: nothing */
  rdx_measure *measures; /* distinct, at most RDX_MOST_MEASURES; aggregates name them by number */
  uint32_t measure_count;
  uint32_t *aggregate_measure; /* for each aggregate; UINT32_MAX: COUNT of rows */
  rdx_float_sum *float_sums;   /* for each aggregate */
  /* The group of a row: sum of (code - group_low) * group_stride; group_width codes of each attribute can occur with
   * the terms given. Where numbers would pass 64 bits places of codes take the place of some attributes' codes
   * (group_places; else NULL), and where these do not help it is RDX_ERROR_UNSUPPORTED when planning. */
  uint64_t *group_low, *group_width, *group_stride;
  const rdx_code_places **group_places;
  uint64_t groups;
} rdx_plan;

RDX_MUST_USE rdx_status rdx_plan_create(const rdx_coded_relation *relation, const rdx_query *query, rdx_plan *out,
                                        rdx_error *err);
/* Only the measures, of all that aggregates of a cube's expressions may take; nothing is wanted of them. */
RDX_MUST_USE rdx_status rdx_plan_measures(const rdx_coded_relation *relation, const rdx_cube_spec *spec, rdx_plan *out,
                                          rdx_error *err);
void rdx_plan_destroy(rdx_plan *plan);

#endif
