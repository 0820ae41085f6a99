/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* An order of expressions, by which operands are ordered. */

#include "star/expression.h"

static bool is_leaf(const rdx_expression *e) {
  return e->kind == RDX_EXPRESSION_ATTRIBUTE || e->kind == RDX_EXPRESSION_CONSTANT;
}

/* A value on the stack for each operand that waits for the other. */
static uint32_t height_of(const rdx_expression *e) {
  if (is_leaf(e))
    return 1;
  const uint32_t left = height_of(e->left), right = height_of(e->right);
  if (e->kind != RDX_EXPRESSION_SUBTRACT && left != right)
    return left > right ? left : right;
  return left > right ? left : right + 1;
}

static int compare_numbers(int64_t a, int64_t b) {
  return (a > b) - (a < b);
}

static int compare(const rdx_expression *a, const rdx_expression *b) {
  if (a == b)
    return 0;
  if (a->kind != b->kind)
    return compare_numbers(a->kind, b->kind);
  if (a->kind == RDX_EXPRESSION_ATTRIBUTE)
    return compare_numbers(a->attribute, b->attribute);
  if (a->kind == RDX_EXPRESSION_CONSTANT)
    return a->value != b->value ? compare_numbers(a->value, b->value) : compare_numbers(a->scale, b->scale);
  const rdx_expression *of_a[2], *of_b[2];
  rdx_expression_operands(a, &of_a[0], &of_a[1]);
  rdx_expression_operands(b, &of_b[0], &of_b[1]);
  const int first = compare(of_a[0], of_b[0]);
  return first ? first : compare(of_a[1], of_b[1]);
}

/* The one that takes more of the stack first, so that nothing waits there meanwhile (Sethi and Ullman, 1970). */
void rdx_expression_operands(const rdx_expression *e, const rdx_expression **first, const rdx_expression **second) {
  const uint32_t left = height_of(e->left), right = height_of(e->right);
  const bool swap =
      e->kind != RDX_EXPRESSION_SUBTRACT && (left != right ? left < right : compare(e->left, e->right) > 0);
  *first = swap ? e->right : e->left;
  *second = swap ? e->left : e->right;
}

bool rdx_expressions_equal(const rdx_expression *a, const rdx_expression *b) {
  return compare(a, b) == 0;
}
