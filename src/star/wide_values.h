/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_STAR_WIDE_VALUES_H
#define RDX_STAR_WIDE_VALUES_H

/* Values of expressions that may pass 64 bits: calculated on the host with as many as they take, for all rows, and kept
 * as attributes. What rows that do not qualify come to does not matter then, nor what is added up on the way. */

#include "star/superaccumulator.h"
#include "star/steps.h"

typedef struct rdx_wide_values {
  rdx_step *steps;
  uint32_t step_count;
  uint32_t words;  /* of a value, as rdx_wide has them */
  rdx_limbs limbs; /* for SUM and AVG; no special ones */
  rdx_encoded_column
      nearest; /* for the others: the value, or the nearest of 64 bits. Both are made when asked for first */
  rdx_encoded_column beyond; /* 0 where it is the value; 1 where the value is above it, RDX_SPECIAL_DOWN below */
  bool some_beyond;          /* else there is no such attribute */
  uint32_t users;
  struct rdx_wide_values *next;
} rdx_wide_values;

/* The values of an expression, which is used by the caller until it is given back; those that nobody uses are kept
 * for a while. `bits` hold any value without its sign, at most 2108: there are 32 operands of 64 bits at most, and
 * powers of ten that make a scale of 18. */
RDX_MUST_USE rdx_status rdx_wide_values_take(const rdx_packed_relation *relation, const rdx_step *steps,
                                             uint32_t step_count, uint32_t bits, rdx_wide_values **out, rdx_error *err);
void rdx_wide_values_give(const rdx_packed_relation *relation, rdx_wide_values *values);

/* Make its limbs, or the nearest values and what is beyond them, unless they are there. */
RDX_MUST_USE rdx_status rdx_wide_values_sums(const rdx_packed_relation *relation, rdx_wide_values *values,
                                             rdx_error *err);
RDX_MUST_USE rdx_status rdx_wide_values_extremes(const rdx_packed_relation *relation, rdx_wide_values *values,
                                                 rdx_error *err);

/* Of a relation that ends. */
void rdx_wide_values_drop_all(rdx_packed_relation *relation);

#endif
