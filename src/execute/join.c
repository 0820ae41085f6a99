/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Joins: pairs of rows, and what each kind makes of them. */

#include <string.h>

#include "base/column.h"
#include "execute/pairs.h"

#define WHAT "the rows of a join"

static bool is_marked(const uint32_t *marks, uint64_t i) {
  return (marks[i / 32] >> i % 32 & 1u) != 0;
}

/* A bit for each of `count` rows that a list names. */
static rdx_status mark_rows(const uint32_t *rows, uint64_t listed, uint64_t count, uint32_t **out, rdx_error *err) {
  RDX_TRY(rdx_calloc(count / 32 + 1, sizeof **out, WHAT, (void **)out, err));
  for (uint64_t i = 0; i < listed; i++)
    if (rows[i] != RDX_NO_ROW)
      (*out)[rows[i] / 32] |= 1u << rows[i] % 32;
  return RDX_OK;
}

/* The left rows that pairs have, or have not. */
static rdx_status keep_left(const rdx_joining *j, rdx_pairs *p, bool wanted, rdx_error *err) {
  const uint64_t lefts = j->left.frame.rows;
  uint32_t *marks = NULL, *rows = NULL;
  uint64_t count = 0;
  RDX_TRY(mark_rows(p->left, p->count, lefts, &marks, err));
  rdx_pairs_drop(p);
  const rdx_status status = rdx_alloc(lefts, sizeof *rows, WHAT, (void **)&rows, err);
  for (uint64_t i = 0; i < lefts && status == RDX_OK; i++)
    if (is_marked(marks, i) == wanted)
      rows[count++] = (uint32_t)i;
  rdx_free(marks);
  return status == RDX_OK ? rdx_pairs_take(rows, NULL, count, p, err) : status;
}

/* Give each left row that no pair has a pair with no row. */
static rdx_status complete_left(const rdx_joining *j, rdx_pairs *p, rdx_error *err) {
  const uint64_t lefts = j->left.frame.rows;
  uint32_t *left = NULL, *right = NULL;
  uint64_t count = 0, alone = lefts;
  for (uint64_t i = 0; i < p->count; i++)
    alone -= i == 0 || p->left[i] != p->left[i - 1];
  RDX_TRY(rdx_alloc(p->count + alone, sizeof *left, WHAT, (void **)&left, err));
  const rdx_status status = rdx_alloc(p->count + alone, sizeof *right, WHAT, (void **)&right, err);
  if (status != RDX_OK) {
    rdx_free(left);
    return status;
  }
  for (uint64_t i = 0, k = 0; i < lefts; i++) {
    if (k == p->count || p->left[k] != i) {
      left[count] = (uint32_t)i;
      right[count++] = RDX_NO_ROW;
    }
    for (; k < p->count && p->left[k] == i; k++) {
      left[count] = (uint32_t)i;
      right[count++] = p->right[k];
    }
  }
  rdx_pairs_drop(p);
  return rdx_pairs_take(left, right, count, p, err);
}

/* Give each right row that no pair has a pair with no row, behind all others. */
static rdx_status complete_right(const rdx_joining *j, rdx_pairs *p, rdx_error *err) {
  const uint64_t rights = j->right.frame.rows;
  uint32_t *marks = NULL, *left = NULL, *right = NULL;
  uint64_t count = p->count;
  RDX_TRY(mark_rows(p->right, p->count, rights, &marks, err));
  rdx_status status = rdx_alloc(count + rights, sizeof *left, WHAT, (void **)&left, err);
  if (status == RDX_OK)
    status = rdx_alloc(count + rights, sizeof *right, WHAT, (void **)&right, err);
  if (status == RDX_OK && count > 0) {
    memcpy(left, p->left, count * sizeof *left);
    memcpy(right, p->right, count * sizeof *right);
  }
  for (uint64_t i = 0; i < rights && status == RDX_OK; i++)
    if (!is_marked(marks, i)) {
      left[count] = RDX_NO_ROW;
      right[count++] = (uint32_t)i;
    }
  rdx_free(marks);
  if (status != RDX_OK) {
    rdx_free(left);
    rdx_free(right);
    return status;
  }
  rdx_pairs_drop(p);
  return rdx_pairs_take(left, right, count, p, err);
}

static rdx_status check_single(const rdx_joining *j, const rdx_pairs *p, rdx_error *err) {
  for (uint64_t i = 1; i < p->count; i++)
    if (p->left[i] == p->left[i - 1])
      return rdx_sql_error(err, RDX_ERROR_ARGUMENT, j->x->text, 0, NULL,
                           "more than one row returned by a subquery used as an expression");
  return RDX_OK;
}

/* NOT IN: a NULL among the right values makes every answer unknown, or false; a left one its own. */
static rdx_status anti_null(rdx_joining *j, rdx_pairs *p, rdx_error *err) {
  const rdx_column *left = &j->left_key.column, *right = &j->right_key.column;
  uint32_t *rows = NULL;
  uint64_t count = 0;
  bool none = false;
  for (uint64_t i = 0; i < right->rows && right->validity && !none; i++)
    none = !rdx_column_has(right, i);
  if (right->rows == 0) {
    RDX_TRY(rdx_number_rows(j->x, 0, left->rows, &rows, err));
    return rdx_pairs_take(rows, NULL, left->rows, p, err);
  }
  RDX_TRY(rdx_pairs_equal(j, RDX_JOIN_ANTI, p, err));
  RDX_TRY(rdx_alloc(p->count, sizeof *rows, WHAT, (void **)&rows, err));
  for (uint64_t i = 0; i < p->count && !none; i++)
    if (rdx_column_has(left, p->left[i]))
      rows[count++] = p->left[i];
  rdx_pairs_drop(p);
  return rdx_pairs_take(rows, NULL, count, p, err);
}

/* ---- Pairs of any kind ---- */

static const rdx_join_kind plain_kinds[] = {
    [RDX_PLAN_INNER] = RDX_JOIN_INNER, [RDX_PLAN_LEFT] = RDX_JOIN_LEFT, [RDX_PLAN_FULL] = RDX_JOIN_LEFT,
    [RDX_PLAN_SEMI] = RDX_JOIN_SEMI,   [RDX_PLAN_ANTI] = RDX_JOIN_ANTI, [RDX_PLAN_SINGLE] = RDX_JOIN_LEFT,
};

/* Without a condition the library's join says which rows. */
static rdx_status find_plain(rdx_joining *j, rdx_pairs *p, rdx_error *err) {
  if (j->node->join == RDX_PLAN_ANTI_NULL)
    return anti_null(j, p, err);
  RDX_TRY(rdx_pairs_equal(j, plain_kinds[j->node->join], p, err));
  if (j->node->join == RDX_PLAN_SINGLE)
    return check_single(j, p, err);
  return j->node->join == RDX_PLAN_FULL ? complete_right(j, p, err) : RDX_OK;
}

/* What a kind makes of the pairs that match. */
static rdx_status derive(rdx_joining *j, rdx_pairs *p, rdx_error *err) {
  switch (j->node->join) {
  case RDX_PLAN_INNER:
    return RDX_OK;
  case RDX_PLAN_SEMI:
  case RDX_PLAN_ANTI:
  case RDX_PLAN_ANTI_NULL:
    return keep_left(j, p, j->node->join == RDX_PLAN_SEMI, err);
  case RDX_PLAN_SINGLE:
    RDX_TRY(check_single(j, p, err));
    break;
  case RDX_PLAN_LEFT:
  case RDX_PLAN_FULL:
    break;
  }
  RDX_TRY(complete_left(j, p, err));
  return j->node->join == RDX_PLAN_FULL ? complete_right(j, p, err) : RDX_OK;
}

static bool keeps_left_only(rdx_plan_join kind) {
  return kind == RDX_PLAN_SEMI || kind == RDX_PLAN_ANTI || kind == RDX_PLAN_ANTI_NULL;
}

/* Whether every left row matches, or none, because there are right rows, or none. */
static rdx_status find_by_presence(rdx_joining *j, rdx_pairs *p, rdx_error *err) {
  const bool all = (j->right.frame.rows > 0) == (j->node->join == RDX_PLAN_SEMI);
  uint32_t *rows = NULL;
  const uint64_t count = all ? j->left.frame.rows : 0;
  RDX_TRY(rdx_number_rows(j->x, 0, count, &rows, err));
  return rdx_pairs_take(rows, NULL, count, p, err);
}

static rdx_status find_pairs(rdx_joining *j, rdx_pairs *p, rdx_error *err) {
  const rdx_plan_node *node = j->node;
  if (j->left.frame.rows >= UINT32_MAX || j->right.frame.rows >= UINT32_MAX)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "a join of more than 2^32 - 2 rows is too large");
  if (node->key_count == 0) {
    if (!node->filter && keeps_left_only(node->join))
      return find_by_presence(j, p, err);
    RDX_TRY(rdx_pairs_cross(j, p, err));
    rdx_actuals_method(rdx_actuals_of(j->x, node), "all pairs");
    return derive(j, p, err);
  }
  RDX_TRY(rdx_join_keys(j, err));
  if (!node->filter)
    return find_plain(j, p, err);
  RDX_TRY(rdx_pairs_equal(j, RDX_JOIN_INNER, p, err));
  RDX_TRY(rdx_pairs_filter(j, p, err));
  return derive(j, p, err);
}

rdx_status rdx_execute_join(rdx_execution *x, const rdx_plan_node *node, rdx_frame *out, rdx_error *err) {
  rdx_joining j = {.x = x, .node = node};
  rdx_pairs pairs = {0};
  rdx_status status = rdx_operand_run(x, node->left, &j.left, err);
  if (status == RDX_OK)
    status = rdx_operand_run(x, node->right, &j.right, err);
  if (status == RDX_OK)
    status = find_pairs(&j, &pairs, err);
  if (status == RDX_OK)
    status = rdx_pairs_frame(&j, &pairs, out, err);
  rdx_pairs_drop(&pairs);
  rdx_join_keys_drop(&j);
  rdx_operand_drop(&j.left);
  rdx_operand_drop(&j.right);
  return status;
}
