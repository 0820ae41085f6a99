/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Columns of frames on the device, and joins of them. */

#include "execute/on_device.h"

#include "column/derived.h"
#include "column/keys.h"
#include "index/result.h"

#define MANY_ROWS 65536u               /* of fewer, launches cost more than they save */
#define MANY_PAIRS ((uint64_t)1 << 27) /* before a condition: more are evaluated in batches, on the host */

bool rdx_runs_on_device(const rdx_execution *x, uint64_t rows) {
  const rdx_device_info *info = &x->device->info;
  if (x->settings->operators != RDX_OPERATORS_AUTO)
    return x->settings->operators == RDX_OPERATORS_DEVICE && rows > 0;
  return info->backend == RDX_BACKEND_VULKAN && !info->emulated && rows >= MANY_ROWS;
}

/* ---- Columns ---- */

bool rdx_is_device_column(const rdx_frame_column *c) {
  const rdx_column *column = &c->input.column;
  if (c->table)
    return column->type != RDX_TYPE_STRING || column->dictionary;
  return column->type != RDX_TYPE_STRING && c->rows && rdx_row_list_device(c->rows);
}

rdx_status rdx_frame_on_device(rdx_execution *x, const rdx_frame *frame, uint32_t index, rdx_device_column **owned,
                               rdx_column *out, rdx_error *err) {
  const rdx_frame_column *c = &frame->columns[index];
  const rdx_device_column *all = NULL, *rows = NULL;
  *owned = NULL;
  if (c->table) {
    RDX_TRY(rdx_catalog_device_column(x->catalog, c->table, c->number, &all, err));
  } else {
    const rdx_column codes = rdx_column_codes(&c->input.column);
    RDX_TRY(rdx_device_column_create(x->device, &codes, owned, err));
    all = *owned;
  }
  if (c->rows) {
    RDX_SCOPED(rdx_device_column_destroy) rdx_device_column *copy = *owned;
    *owned = NULL;
    RDX_TRY(rdx_row_list_on_device(c->rows, x->device, &rows, err));
    RDX_TRY(rdx_device_column_gather(all, rows, owned, err));
    all = *owned;
  }
  *out = rdx_device_column_view(all);
  return RDX_OK;
}

/* ---- Joins ---- */

/* Lists of the rows of a join's pairs. A side that is NULL has all rows, once each and in order. */
typedef struct pair_lists {
  rdx_row_list *probe, *other;
} pair_lists;

typedef struct device_join {
  rdx_joining *j;
  rdx_device_column *owned[2]; /* of the left and the right key */
  rdx_column keys[2];
  bool inverse; /* the index is over the left side */
  rdx_index *index;
  rdx_lookup_result *found;
} device_join;

static const rdx_frame_column *key_of(const rdx_operand *side, const rdx_bound *e) {
  return e->kind == RDX_BOUND_COLUMN ? &side->frame.columns[e->index] : NULL;
}

/* Floats are the host's, where NaN and -0 are equal to themselves. */
static bool keys_fit(const rdx_joining *j) {
  const rdx_plan_node *n = j->node;
  if (n->key_count != 1)
    return false;
  const rdx_frame_column *left = key_of(&j->left, n->left_keys[0]), *right = key_of(&j->right, n->right_keys[0]);
  if (!left || !right)
    return false;
  const rdx_column *a = &left->input.column, *b = &right->input.column;
  return a->type == b->type && a->scale == b->scale && !rdx_type_is_float(a->type) &&
         (a->type != RDX_TYPE_STRING || (a->dictionary && a->dictionary == b->dictionary));
}

static bool kind_fits(const rdx_plan_node *n) {
  switch (n->join) {
  case RDX_PLAN_INNER:
    return true;
  case RDX_PLAN_SEMI:
  case RDX_PLAN_ANTI:
  case RDX_PLAN_LEFT:
  case RDX_PLAN_SINGLE:
    return !n->filter;
  default:
    return false;
  }
}

static bool fits(const rdx_joining *j) {
  const uint64_t lefts = j->left.frame.rows, rights = j->right.frame.rows;
  return lefts > 0 && rights > 0 && lefts < UINT32_MAX && rights < UINT32_MAX && kind_fits(j->node) && keys_fit(j) &&
         rdx_runs_on_device(j->x, lefts + rights);
}

static const rdx_operand *probing_side(const device_join *d) {
  return d->inverse ? &d->j->right : &d->j->left;
}

static const rdx_operand *indexed_side(const device_join *d) {
  return d->inverse ? &d->j->left : &d->j->right;
}

/* `*one`: each row finds one other at most. Of semi and anti joins the first is enough. */
static rdx_status look_up(device_join *d, bool *one, rdx_error *err) {
  const rdx_plan_node *n = d->j->node;
  rdx_index_params params = d->j->x->settings->join;
  rdx_index_stats stats;
  params.method = n->join_method;
  RDX_TRY(rdx_index_create(d->j->x->device, &d->keys[d->inverse ? 0 : 1], &params, &d->index, err));
  rdx_index_get_stats(d->index, &stats);
  *one = stats.distinct || n->join == RDX_PLAN_SEMI || n->join == RDX_PLAN_ANTI;
  if (!*one && n->join != RDX_PLAN_INNER)
    return RDX_OK;
  const rdx_lookup_params wanted = {.result = *one ? RDX_LOOKUP_FIRST : RDX_LOOKUP_ROWS, .stats = d->j->x->counts};
  return rdx_index_lookup(d->index, &d->keys[d->inverse ? 1 : 0], &wanted, &d->found, err);
}

/* The rows that found one, and what they found. */
static rdx_status list_found(const device_join *d, pair_lists *out, rdx_error *err) {
  const rdx_plan_join kind = d->j->node->join;
  const uint64_t probes = probing_side(d)->frame.rows, others = indexed_side(d)->frame.rows;
  RDX_SCOPED(rdx_device_column_destroy) rdx_device_column *first = NULL;
  rdx_device_column *rows = NULL, *matches = NULL;
  const rdx_device_column *chosen = NULL;
  RDX_TRY(rdx_lookup_result_column(d->found, RDX_LOOKUP_FIRST, &first, err));
  if (kind == RDX_PLAN_LEFT || kind == RDX_PLAN_SINGLE || (kind == RDX_PLAN_INNER && first->nulls == 0)) {
    matches = first;
    first = NULL;
    return rdx_row_list_create_on_device(matches, others, &out->other, err);
  }
  RDX_TRY(rdx_device_column_rows(first, kind != RDX_PLAN_ANTI, &rows, err));
  RDX_TRY(rdx_row_list_create_on_device(rows, probes, &out->probe, err));
  if (kind != RDX_PLAN_INNER)
    return RDX_OK;
  RDX_TRY(rdx_row_list_on_device(out->probe, d->j->x->device, &chosen, err));
  RDX_TRY(rdx_device_column_gather(first, chosen, &matches, err));
  return rdx_row_list_create_on_device(matches, others, &out->other, err);
}

/* All rows that each found; `*done` false: there are too many. */
static rdx_status list_all(const device_join *d, pair_lists *out, bool *done, rdx_error *err) {
  const rdx_parts *p = &d->found->parts;
  const uint64_t probes = probing_side(d)->frame.rows, others = indexed_side(d)->frame.rows;
  rdx_device_column *column = NULL;
  *done = d->found->on_device && p->row_count < (d->j->node->filter ? MANY_PAIRS : UINT32_MAX);
  if (!*done)
    return RDX_OK;
  RDX_TRY(rdx_device_column_of_probes(p->offsets, probes, p->row_count, &column, err));
  RDX_TRY(rdx_row_list_create_on_device(column, probes, &out->probe, err));
  RDX_TRY(rdx_device_column_of_rows(p->rows, p->row_count, false, &column, err));
  return rdx_row_list_create_on_device(column, others, &out->other, err);
}

static rdx_status find_pairs(device_join *d, pair_lists *out, bool *done, rdx_error *err) {
  rdx_joining *j = d->j;
  bool one = false;
  RDX_TRY(rdx_frame_on_device(j->x, &j->left.frame, j->node->left_keys[0]->index, &d->owned[0], &d->keys[0], err));
  RDX_TRY(rdx_frame_on_device(j->x, &j->right.frame, j->node->right_keys[0]->index, &d->owned[1], &d->keys[1], err));
  RDX_TRY(look_up(d, &one, err));
  *done = d->found != NULL;
  if (*done)
    RDX_TRY(one ? list_found(d, out, err) : list_all(d, out, done, err));
  if (*done)
    rdx_join_note(j, d->index, d->found);
  return RDX_OK;
}

static rdx_status choose(rdx_joining *j, const rdx_frame *from, rdx_row_list *rows, rdx_frame *out, rdx_error *err) {
  RDX_TRY(rdx_frame_copy(from, out, err));
  return rows ? rdx_frame_choose_list(j->x->pool, out, rows, err) : RDX_OK;
}

/* The columns of both sides, or of the left one, for the pairs that fulfil the condition. */
static rdx_status make_frame(const device_join *d, const pair_lists *lists, rdx_frame *out, rdx_error *err) {
  rdx_joining *j = d->j;
  const bool left_only = j->node->join == RDX_PLAN_SEMI || j->node->join == RDX_PLAN_ANTI;
  rdx_operand pairs = {0};
  rdx_frame left = {0}, right = {0};
  rdx_status status = choose(j, &j->left.frame, d->inverse ? lists->other : lists->probe, &left, err);
  if (status == RDX_OK && !left_only)
    status = choose(j, &j->right.frame, d->inverse ? lists->probe : lists->other, &right, err);
  if (status == RDX_OK)
    status = rdx_frame_join(&left, &right, &pairs.frame, err);
  if (status == RDX_OK && j->node->filter) {
    status = rdx_operand_refresh(j->x, &pairs, err);
    if (status == RDX_OK)
      status = rdx_operand_filter(j->x, &pairs, j->node->filter, err);
  }
  rdx_frame_destroy(&left);
  rdx_frame_destroy(&right);
  if (status == RDX_OK)
    *out = pairs.frame;
  else
    rdx_operand_drop(&pairs);
  return status;
}

static rdx_status join(device_join *d, rdx_frame *out, bool *done, rdx_error *err) {
  pair_lists lists = {0};
  rdx_status status = find_pairs(d, &lists, done, err);
  if (status == RDX_OK && *done)
    status = make_frame(d, &lists, out, err);
  rdx_row_list_release(&lists.probe);
  rdx_row_list_release(&lists.other);
  return status;
}

rdx_status rdx_join_on_device(rdx_joining *j, rdx_frame *out, bool *done, rdx_error *err) {
  *done = false;
  if (!fits(j))
    return RDX_OK;
  device_join d = {.j = j, .inverse = j->node->join == RDX_PLAN_INNER && j->left.frame.rows < j->right.frame.rows};
  const rdx_status status = join(&d, out, done, err);
  rdx_lookup_result_destroy(&d.found);
  rdx_index_destroy(&d.index);
  rdx_device_column_destroy(&d.owned[0]);
  rdx_device_column_destroy(&d.owned[1]);
  if (status != RDX_ERROR_DEVICE_MEMORY)
    return status;
  *done = false;
  return RDX_OK;
}
