/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Joins: pairs of rows, and what each kind makes of them. */

#include "device/device.h"
#include "execute/on_device.h"
#include "execute/portions.h"

#define WHAT "the rows of a join"

static bool is_marked(const uint32_t *marks, uint64_t i) {
  return (marks[i / 32] >> i % 32 & 1u) != 0;
}

rdx_status rdx_pairs_of_marks(const rdx_joining *j, const uint32_t *marks, bool wanted, rdx_pairs *out,
                              rdx_error *err) {
  uint32_t *rows = NULL;
  uint64_t count = 0;
  RDX_TRY(rdx_list_marked(marks, j->left.frame.rows, wanted, &rows, &count, err));
  return rdx_pairs_take_left(rows, count, out, err);
}

/* Give each left row that no pair has a pair with no row. Pairs are in the order of left rows. */
static rdx_status complete_left(const rdx_joining *j, rdx_pairs *p, rdx_error *err) {
  const uint64_t lefts = j->left.frame.rows;
  RDX_SCOPED(rdx_free_local) uint32_t *left = NULL, *right = NULL;
  uint64_t count = 0, alone = lefts;
  for (uint64_t i = 0; i < p->count; i++)
    alone -= i == 0 || p->left[i] != p->left[i - 1];
  RDX_TRY(rdx_alloc(p->count + alone, sizeof *left, WHAT, (void **)&left, err));
  RDX_TRY(rdx_alloc(p->count + alone, sizeof *right, WHAT, (void **)&right, err));
  for (uint64_t i = 0, k = 0; i < lefts; i++) {
    RDX_TRY(rdx_loop_goes_on(i, lefts, "join", err));
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
  return rdx_pairs_take(RDX_KEEP(left), RDX_KEEP(right), count, p, err);
}

/* A bit for each right row that pairs have. */
static rdx_status mark_right(const rdx_pairs *p, uint64_t rights, uint32_t **out, rdx_error *err) {
  RDX_TRY(rdx_calloc(rights / 32 + 1, sizeof **out, WHAT, (void **)out, err));
  for (uint64_t i = 0; i < p->count; i++) {
    RDX_TRY(rdx_loop_goes_on(i, p->count, "join", err));
    if (p->right[i] != RDX_NO_ROW)
      (*out)[p->right[i] / 32] |= 1u << p->right[i] % 32;
  }
  return RDX_OK;
}

/* Give each right row that no pair has a pair with no row, behind all others. */
static rdx_status complete_right(const rdx_joining *j, rdx_pairs *p, rdx_error *err) {
  const uint64_t rights = j->right.frame.rows;
  RDX_SCOPED(rdx_free_local) uint32_t *marks = NULL, *left = NULL, *right = NULL;
  uint64_t count = p->count;
  RDX_TRY(mark_right(p, rights, &marks, err));
  RDX_TRY(rdx_alloc(count + rights, sizeof *left, WHAT, (void **)&left, err));
  RDX_TRY(rdx_alloc(count + rights, sizeof *right, WHAT, (void **)&right, err));
  for (uint64_t i = 0; i < p->count; i++) {
    RDX_TRY(rdx_loop_goes_on(i, p->count, "join", err));
    left[i] = p->left ? p->left[i] : (uint32_t)i;
    right[i] = p->right[i];
  }
  for (uint64_t i = 0; i < rights; i++)
    if (!is_marked(marks, i)) {
      left[count] = RDX_NO_ROW;
      right[count++] = (uint32_t)i;
    }
  rdx_pairs_drop(p);
  return rdx_pairs_take(RDX_KEEP(left), RDX_KEEP(right), count, p, err);
}

/* Pairs are in the order of left rows. */
static rdx_status check_single(const rdx_joining *j, const rdx_pairs *p, rdx_error *err) {
  for (uint64_t i = 1; i < p->count && p->left; i++)
    if (p->left[i] == p->left[i - 1])
      return rdx_sql_error(err, RDX_ERROR_ARGUMENT, j->x->text, j->node->right->place, NULL,
                           "more than one row returned by a subquery used as an expression");
  return RDX_OK;
}

/* ---- Kinds ---- */

static bool keeps_left_only(rdx_plan_join kind) {
  return kind == RDX_PLAN_SEMI || kind == RDX_PLAN_ANTI || kind == RDX_PLAN_ANTI_NULL;
}

/* Equal keys and no condition. */
static rdx_status find_equal(rdx_joining *j, rdx_pairs *p, rdx_error *err) {
  const rdx_plan_join kind = j->node->join;
  rdx_matches matches;
  if (keeps_left_only(kind))
    return rdx_pairs_left(j, kind == RDX_PLAN_SEMI ? RDX_JOIN_SEMI : RDX_JOIN_ANTI, p, err);
  RDX_TRY(rdx_matches_find(j, kind != RDX_PLAN_INNER, &matches, err));
  rdx_status status = rdx_pairs_list(j, &matches, kind != RDX_PLAN_INNER, p, err);
  rdx_matches_drop(&matches);
  if (status == RDX_OK && kind == RDX_PLAN_SINGLE)
    status = check_single(j, p, err);
  return status == RDX_OK && kind == RDX_PLAN_FULL ? complete_right(j, p, err) : status;
}

/* Whether no keys are looked up: rows that have nothing to match do not ask for the values of theirs. */
static bool is_without_keys(const rdx_joining *j) {
  return j->node->key_count == 0 || j->right.frame.rows == 0;
}

/* Neither keys nor a condition: each row matches all others, or there are none. */
static rdx_status find_all(rdx_joining *j, rdx_pairs *p, rdx_error *err) {
  const rdx_plan_join kind = j->node->join;
  uint32_t *rows = NULL;
  if (j->node->key_count == 0)
    rdx_actuals_method(rdx_actuals_of(j->x, j->node), "all pairs");
  if (keeps_left_only(kind)) {
    const bool all = (j->right.frame.rows > 0) == (kind == RDX_PLAN_SEMI);
    const uint64_t count = all ? j->left.frame.rows : 0;
    RDX_TRY(rdx_number_rows(j->x, 0, count, &rows, err));
    return rdx_pairs_take_left(rows, count, p, err);
  }
  RDX_TRY(rdx_pairs_cross(j, p, err));
  if (kind == RDX_PLAN_SINGLE)
    RDX_TRY(check_single(j, p, err));
  if (kind != RDX_PLAN_INNER)
    RDX_TRY(complete_left(j, p, err));
  return kind == RDX_PLAN_FULL ? complete_right(j, p, err) : RDX_OK;
}

/* Those of matches, of the band, or of all pairs for which the condition is true. */
static rdx_status filter_pairs(rdx_joining *j, const rdx_matches *matches, uint32_t *marks, rdx_pairs *p,
                               rdx_error *err) {
  bool found = false;
  if (!matches && j->node->band_key)
    RDX_TRY(rdx_pairs_band(j, marks, &found, p, err));
  if (found)
    return RDX_OK;
  if (!matches)
    rdx_actuals_method(rdx_actuals_of(j->x, j->node), "all pairs");
  return rdx_pairs_filter(j, matches, marks, p, err);
}

/* With a condition, of matches or of all pairs. */
static rdx_status find_true(rdx_joining *j, const rdx_matches *matches, rdx_pairs *p, rdx_error *err) {
  const rdx_plan_join kind = j->node->join;
  RDX_SCOPED(rdx_free_local) uint32_t *marks = NULL;
  if (keeps_left_only(kind)) {
    RDX_TRY(rdx_calloc(j->left.frame.rows / 32 + 1, sizeof *marks, WHAT, (void **)&marks, err));
    RDX_TRY(filter_pairs(j, matches, marks, p, err));
    return rdx_pairs_of_marks(j, marks, kind == RDX_PLAN_SEMI, p, err);
  }
  RDX_TRY(filter_pairs(j, matches, NULL, p, err));
  if (kind == RDX_PLAN_SINGLE)
    RDX_TRY(check_single(j, p, err));
  if (kind != RDX_PLAN_INNER)
    RDX_TRY(complete_left(j, p, err));
  return kind == RDX_PLAN_FULL ? complete_right(j, p, err) : RDX_OK;
}

static rdx_status find_device(rdx_joining *j, rdx_error *err) {
  return rdx_device_for_rows(j->x, j->node, j->left.frame.rows + j->right.frame.rows, &j->device, err);
}

/* Of as many pairs as no memory holds, the number: it is all that the operator above asks for. */
static rdx_status count_pairs(rdx_joining *j, rdx_frame *out, rdx_error *err) {
  const uint64_t lefts = j->left.frame.rows, rights = j->right.frame.rows;
  const bool outer = j->node->join == RDX_PLAN_LEFT;
  uint64_t count = outer && rights == 0 ? lefts : lefts * rights;
  if (j->node->key_count == 0)
    rdx_actuals_method(rdx_actuals_of(j->x, j->node), "all pairs");
  else if (!is_without_keys(j))
    RDX_TRY(rdx_join_keys(j, err));
  RDX_TRY(find_device(j, err));
  if (!is_without_keys(j))
    RDX_TRY(rdx_pairs_count(j, outer, &count, err));
  return rdx_frame_create(0, count, out, err);
}

static bool counts_pairs(const rdx_joining *j) {
  const rdx_plan_node *n = j->node;
  return j->counted && !n->filter && (n->join == RDX_PLAN_INNER || n->join == RDX_PLAN_LEFT) &&
         j->left.frame.rows < UINT32_MAX && j->right.frame.rows < UINT32_MAX;
}

static rdx_status find_pairs(rdx_joining *j, rdx_pairs *p, rdx_error *err) {
  const rdx_plan_node *node = j->node;
  rdx_matches matches;
  if (j->left.frame.rows >= UINT32_MAX || j->right.frame.rows >= UINT32_MAX)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "a join of more than 2^32 - 2 rows is too large");
  RDX_TRY(find_device(j, err));
  if (is_without_keys(j))
    return node->filter && j->right.frame.rows > 0 ? find_true(j, NULL, p, err) : find_all(j, p, err);
  if (node->join == RDX_PLAN_ANTI_NULL)
    return rdx_pairs_not_in(j, p, err);
  RDX_TRY(rdx_join_keys(j, err));
  if (!node->filter)
    return find_equal(j, p, err);
  const bool ordered = node->join != RDX_PLAN_INNER && !keeps_left_only(node->join);
  RDX_TRY(rdx_matches_find(j, ordered, &matches, err));
  const rdx_status status = find_true(j, &matches, p, err);
  rdx_matches_drop(&matches);
  return status;
}

/* ---- Parts of left rows ---- */

/* A join of as many left rows from `begin` on. Inputs of `of` stay its own. */
static rdx_status take_part(const rdx_joining *of, uint64_t begin, uint64_t count, rdx_joining *out, rdx_error *err) {
  uint32_t *rows = NULL;
  *out = (rdx_joining){.x = of->x, .node = of->node, .max_pairs = count > 1 ? rdx_portion_rows(of->x) : 0};
  RDX_TRY(rdx_frame_copy(&of->left.frame, &out->left.frame, err));
  RDX_TRY(rdx_frame_copy(&of->right.frame, &out->right.frame, err));
  RDX_TRY(rdx_number_rows(of->x, begin, count, &rows, err));
  RDX_TRY(rdx_frame_select(of->x->pool, &out->left.frame, rows, count, err));
  RDX_TRY(rdx_operand_refresh(of->x, &out->left, err));
  return rdx_operand_refresh(of->x, &out->right, err);
}

typedef struct collection {
  uint32_t *left, *right;
  uint64_t count, capacity;
} collection;

static void drop_collection(collection *c) {
  RDX_FREE_ALL(c->left, c->right);
}

static rdx_status collect(const rdx_joining *j, uint64_t begin, const rdx_pairs *p, collection *c, rdx_error *err) {
  const uint64_t wanted = c->count + p->count;
  if (wanted > c->capacity) {
    const uint64_t more = wanted + wanted / 2;
    RDX_TRY(rdx_device_expect_host(j->x->device, more * 8, "the pairs of a join take",
                                   "join by equal columns, or filter its inputs", err));
    RDX_TRY(rdx_realloc((void **)&c->left, more, sizeof *c->left, WHAT, err));
    RDX_TRY(rdx_realloc((void **)&c->right, more, sizeof *c->right, WHAT, err));
    c->capacity = more;
  }
  for (uint64_t i = 0; i < p->count; i++, c->count++) {
    c->left[c->count] = (uint32_t)(begin + (p->left ? p->left[i] : i));
    c->right[c->count] = p->left_only ? 0 : p->right ? p->right[i] : (uint32_t)i;
  }
  return RDX_OK;
}

static rdx_status find_part(const rdx_joining *j, uint64_t begin, uint64_t count, rdx_pairs *out, rdx_error *err) {
  RDX_SCOPED(rdx_joining_drop) rdx_joining part = {0};
  RDX_TRY(take_part(j, begin, count, &part, err));
  return find_pairs(&part, out, err);
}

/* Those of many matches for which the condition is true, part by part. */
static rdx_status find_in_parts(rdx_joining *j, rdx_pairs *out, rdx_error *err) {
  RDX_SCOPED(drop_collection) collection c = {0};
  rdx_portions parts = {.rows = j->left.frame.rows, .step = j->left.frame.rows};
  while (parts.done < parts.rows) {
    RDX_SCOPED(rdx_pairs_drop) rdx_pairs found = {0};
    const uint64_t count = rdx_portions_count(&parts);
    const rdx_status status = find_part(j, parts.done, count, &found, err);
    if (status == RDX_ERROR_MEMORY && rdx_portions_halve(&parts))
      continue;
    RDX_TRY(status);
    RDX_TRY(collect(j, parts.done, &found, &c, err));
    rdx_portions_advance(j->x, &parts, count, found.count);
  }
  if (keeps_left_only(j->node->join))
    return rdx_pairs_take_left(RDX_KEEP(c.left), c.count, out, err);
  return rdx_pairs_take(RDX_KEEP(c.left), RDX_KEEP(c.right), c.count, out, err);
}

/* Whether the pairs that are kept may be few where those that are looked at are not. */
static bool may_keep_few(const rdx_joining *j) {
  return j->node->filter && j->node->join != RDX_PLAN_FULL && j->max_pairs == 0;
}

/* ---- All of it ---- */

/* On the host: what keys and conditions read comes there. */
static rdx_status join_here(rdx_joining *j, rdx_frame *out, rdx_error *err) {
  const rdx_plan_node *n = j->node;
  RDX_SCOPED(rdx_pairs_drop) rdx_pairs pairs = {0};
  for (uint32_t i = 0; i < n->key_count; i++) {
    RDX_TRY(rdx_operand_bring(&j->left, n->left_keys[i], err));
    RDX_TRY(rdx_operand_bring(&j->right, n->right_keys[i], err));
  }
  if (counts_pairs(j))
    return count_pairs(j, out, err);
  if (!is_without_keys(j))
    RDX_TRY(rdx_join_reduce(j, err));
  if (n->filter) { /* evaluated in batches */
    RDX_TRY(rdx_frame_bring(&j->left.frame, err));
    RDX_TRY(rdx_frame_bring(&j->right.frame, err));
  }
  rdx_status status = find_pairs(j, &pairs, err);
  if (status == RDX_ERROR_MEMORY && may_keep_few(j)) {
    rdx_pairs_drop(&pairs);
    status = find_in_parts(j, &pairs, err);
  }
  RDX_TRY(status);
  return rdx_pairs_frame(j, &pairs, out, err);
}

/* The next portion for who takes rows so. */
static rdx_status join_portion(rdx_execution *x, const rdx_plan_node *node, rdx_frame *out, rdx_error *err) {
  rdx_portions *p = x->portions;
  const rdx_joining all = {.x = x, .node = node, .left = p->left, .right = p->right};
  const uint64_t count = rdx_portions_count(p);
  RDX_SCOPED(rdx_joining_drop) rdx_joining part = {0};
  RDX_TRY(take_part(&all, p->done, count, &part, err));
  RDX_TRY(join_here(&part, out, err));
  rdx_portions_advance(x, p, count, out->rows);
  return RDX_OK;
}

/* All rows or, where they are too many for memory, the first portion. */
static rdx_status join_all(rdx_joining *j, rdx_frame *out, rdx_error *err) {
  if (!rdx_portions_may_begin(j->x, j->node, true) || j->node->join == RDX_PLAN_FULL)
    return join_here(j, out, err);
  j->max_pairs = UINT32_MAX - 1;
  const rdx_status status = j->x->portions->forced ? RDX_ERROR_MEMORY : join_here(j, out, err);
  if (status != RDX_ERROR_MEMORY)
    return status;
  rdx_frame_destroy(out);
  rdx_portions_begin(j->x, j->node, j->left.frame.rows, j->left.frame.rows / 2);
  j->x->portions->left = RDX_KEEP(j->left);
  j->x->portions->right = RDX_KEEP(j->right);
  return join_portion(j->x, j->node, out, err);
}

rdx_status rdx_execute_join(rdx_execution *x, const rdx_plan_node *node, rdx_frame *out, rdx_error *err) {
  if (x->portions && x->portions->source == node)
    return join_portion(x, node, out, err);
  RDX_SCOPED(rdx_joining_drop) rdx_joining j = {.x = x, .node = node, .counted = x->counted == node};
  bool done = false;
  RDX_TRY(rdx_operand_run_in_place(x, node->left, &j.left, err));
  RDX_TRY(rdx_operand_run_in_place(x, node->right, &j.right, err));
  if (j.right.frame.rows > 0)
    RDX_TRY(rdx_join_on_device(&j, out, &done, err));
  return done ? RDX_OK : join_all(&j, out, err);
}
