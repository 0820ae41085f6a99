/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_STAR_STEPS_H
#define RDX_STAR_STEPS_H

/* Expressions as methods calculate them: steps on a stack of values. */

#include "star/relation.h"
#include "column/keys.h"

#define RDX_MAX_STEPS 64
#define RDX_MAX_STACK 8

typedef struct rdx_step {
  rdx_expression_kind kind;
  const rdx_encoded_column *attribute; /* else NULL */
  /* ATTRIBUTE: x * factor + value at the step's scale, where x is the code, or the attribute's values[code] where it
   * has these. CONSTANT: value * factor. Computed modulo 2^64, since only the result is known to fit; but for values
   * that may pass 64 bits (star/wide_values.h). */
  int64_t value;
  int64_t factor;
} rdx_step;

static inline bool rdx_steps_equal(const rdx_step *a, uint32_t a_count, const rdx_step *b, uint32_t b_count) {
  for (uint32_t i = 0; a_count == b_count && i < a_count; i++)
    if (a[i].kind != b[i].kind || a[i].attribute != b[i].attribute || a[i].value != b[i].value ||
        a[i].factor != b[i].factor)
      return false;
  return a_count == b_count;
}

/* What a constant, or an attribute besides its code, adds. */
static inline uint64_t rdx_step_value(const rdx_step *step) {
  const uint64_t factor = step->kind == RDX_EXPRESSION_CONSTANT ? (uint64_t)step->factor : 1;
  return (uint64_t)step->value * factor;
}

/* The value of a key of integers, or bools. */
static inline rdx_i128 rdx_encoded_column_value_of_key(const rdx_encoded_column *attribute, uint64_t key) {
  const rdx_type type = attribute->type;
  return type == RDX_TYPE_U64 ? (rdx_i128)key : (rdx_i128)(int64_t)(key - rdx_key_zero(type));
}

#endif
