/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RAYDEX_TESTS_EXPRESSIONS_H
#define RAYDEX_TESTS_EXPRESSIONS_H

/* Expressions as SQL texts over columns, bound and evaluated. */

#include <raydex/raydex.h>

#include "base/base.h"
#include "expression/evaluate.h"

typedef struct test_inputs {
  const char *const *names;
  const rdx_input *inputs;
  uint32_t count;
  uint64_t rows;
  rdx_pool *pool;
  bool unfolded; /* numbers, dates and so on become parameters, so that nothing is computed before it runs */
} test_inputs;

typedef struct test_expression {
  rdx_arena arena;
  char *text; /* SELECT ... */
  rdx_bound *bound;
  rdx_datum parameters[64];
  uint32_t parameter_count;
} test_expression;

/* Bind the expression of a text; the arena and the text must be dropped by drop_expression(), also on failure. */
RDX_MUST_USE rdx_status bind_expression(const test_inputs *inputs, const char *text, test_expression *out,
                                        rdx_error *err);
void drop_expression(test_expression *expression);

/* Bind and evaluate. */
RDX_MUST_USE rdx_status evaluate_text(const test_inputs *inputs, const char *text, rdx_vector *out, rdx_error *err);

/* Row `row` of a column as a text; "NULL" for that. */
const char *text_of_row(const rdx_column *column, uint64_t row, char *to, size_t capacity);

#endif
