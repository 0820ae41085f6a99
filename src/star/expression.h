/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_STAR_EXPRESSION_H
#define RDX_STAR_EXPRESSION_H

/* Expressions that are the same but for the order of what is added or multiplied: one measure, and one of a cube's
 * expressions, serves them all. They lack no operand and are small (RDX_MAX_STEPS). */

#include <raydex/query.h>

#include <stdbool.h>

/* The operands in the order that they are computed in, the same however they were written. */
void rdx_expression_operands(const rdx_expression *e, const rdx_expression **first, const rdx_expression **second);

bool rdx_expressions_equal(const rdx_expression *a, const rdx_expression *b);

#endif
