/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Columns of frames on the device, and joins of them. */

#include "execute/on_device.h"

#include "column/derived.h"
#include "column/keys.h"
#include "index/result.h"

#define MANY_PAIRS ((uint64_t)1 << 27) /* before a condition: more are evaluated in batches, on the host */

bool rdx_runs_on_device(const rdx_execution *x, uint64_t rows) {
  const rdx_device_info *info = &x->device->info;
  if (x->settings->operators != RDX_OPERATORS_AUTO)
    return x->settings->operators == RDX_OPERATORS_DEVICE && rows > 0;
  return info->backend == RDX_BACKEND_VULKAN && !info->emulated && rows >= RDX_DEVICE_ROWS;
}

rdx_status rdx_device_for_rows(rdx_execution *x, const rdx_plan_node *node, uint64_t rows, rdx_device **out,
                               rdx_error *err) {
  *out = x->device;
  if (x->settings->operators != RDX_OPERATORS_AUTO || rows >= RDX_DEVICE_ROWS)
    return RDX_OK;
  RDX_TRY(rdx_device_host(x->device, out, err));
  rdx_actuals_of(x, node)->on_host = *out != x->device;
  return RDX_OK;
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

#define KEYS 2u /* that fit one */

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

static bool keeps_left_only(rdx_plan_join kind) {
  return kind == RDX_PLAN_SEMI || kind == RDX_PLAN_ANTI;
}

/* Whether all pairs are looked for, in any order. */
static bool wants_pairs(const rdx_plan_node *n) {
  return n->join == RDX_PLAN_INNER || (keeps_left_only(n->join) && n->filter);
}

static bool kind_fits(const rdx_plan_node *n) {
  return wants_pairs(n) || keeps_left_only(n->join) ||
         ((n->join == RDX_PLAN_LEFT || n->join == RDX_PLAN_SINGLE) && !n->filter);
}

static const rdx_column *key_of(const rdx_operand *side, const rdx_bound *e) {
  return e->kind == RDX_BOUND_COLUMN ? &side->frame.columns[e->index].input.column : NULL;
}

/* Floats stay on the host, where NaN equals NaN and -0 equals 0. */
static bool key_fits(const rdx_column *a, const rdx_column *b) {
  return a && b && a->type == b->type && a->scale == b->scale && !rdx_type_is_float(a->type) &&
         (a->type != RDX_TYPE_STRING || (a->dictionary && a->dictionary == b->dictionary));
}

static bool keys_fit(const rdx_joining *j) {
  const rdx_plan_node *n = j->node;
  bool fit = n->key_count > 0 && n->key_count <= KEYS;
  for (uint32_t i = 0; i < n->key_count && fit; i++) {
    const rdx_column *key = key_of(&j->left, n->left_keys[i]);
    fit = key_fits(key, key_of(&j->right, n->right_keys[i]));
    if (fit && n->key_count > 1) {
      const rdx_column codes = rdx_column_codes(key);
      fit = rdx_key_bits(codes.type) == 32;
    }
  }
  return fit;
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

/* The key of one side, two of which are one. */
static rdx_status make_key(device_join *d, uint32_t side, rdx_error *err) {
  const rdx_plan_node *n = d->j->node;
  rdx_execution *x = d->j->x;
  const rdx_frame *frame = side == 0 ? &d->j->left.frame : &d->j->right.frame;
  rdx_bound *const *keys = side == 0 ? n->left_keys : n->right_keys;
  RDX_TRY(rdx_frame_on_device(x, frame, keys[0]->index, &d->owned[side], &d->keys[side], err));
  if (n->key_count == 1)
    return RDX_OK;
  RDX_SCOPED(rdx_device_column_destroy) rdx_device_column *high = d->owned[side];
  RDX_SCOPED(rdx_device_column_destroy) rdx_device_column *low = NULL;
  rdx_column second;
  d->owned[side] = NULL;
  RDX_TRY(rdx_frame_on_device(x, frame, keys[1]->index, &low, &second, err));
  RDX_TRY(rdx_device_column_pair(d->keys[side].device, second.device, &d->owned[side], err));
  d->keys[side] = rdx_device_column_view(d->owned[side]);
  return RDX_OK;
}

static rdx_status look_up(device_join *d, rdx_lookup_result_kind kind, rdx_error *err) {
  const rdx_lookup_params wanted = {.result = kind, .stats = d->j->x->counts};
  rdx_lookup_result_destroy(&d->found);
  RDX_TRY(rdx_index_lookup(d->index, &d->keys[d->inverse ? 1 : 0], &wanted, &d->found, err));
  rdx_join_note(d->j, d->index, d->found);
  return RDX_OK;
}

/* `*one`: each row finds one other at most. Where all that counts is whether there is one, the first is enough. */
static rdx_status build(device_join *d, bool *one, rdx_error *err) {
  const rdx_plan_node *n = d->j->node;
  rdx_index_params params = d->j->x->settings->join;
  rdx_index_stats stats;
  params.method = n->join_method;
  RDX_TRY(rdx_index_create(d->j->x->device, &d->keys[d->inverse ? 0 : 1], &params, &d->index, err));
  rdx_index_get_stats(d->index, &stats);
  *one = stats.distinct || (keeps_left_only(n->join) && !n->filter);
  return RDX_OK;
}

/* The rows that found one, and what they found. */
static rdx_status list_found(device_join *d, pair_lists *out, rdx_error *err) {
  const rdx_plan_join kind = d->j->node->join;
  const uint64_t probes = probing_side(d)->frame.rows, others = indexed_side(d)->frame.rows;
  const bool pairs = wants_pairs(d->j->node);
  RDX_SCOPED(rdx_device_column_destroy) rdx_device_column *first = NULL;
  rdx_device_column *rows = NULL, *matches = NULL;
  const rdx_device_column *chosen = NULL;
  RDX_TRY(look_up(d, RDX_LOOKUP_FIRST, err));
  RDX_TRY(rdx_lookup_result_column(d->found, RDX_LOOKUP_FIRST, &first, err));
  if (kind == RDX_PLAN_LEFT || kind == RDX_PLAN_SINGLE || (pairs && first->nulls == 0)) {
    matches = first;
    first = NULL;
    return rdx_row_list_create_on_device(matches, others, &out->other, err);
  }
  RDX_TRY(rdx_device_column_rows(first, pairs || kind == RDX_PLAN_SEMI, &rows, err));
  RDX_TRY(rdx_row_list_create_on_device(rows, probes, &out->probe, err));
  if (!pairs)
    return RDX_OK;
  RDX_TRY(rdx_row_list_on_device(out->probe, d->j->x->device, &chosen, err));
  RDX_TRY(rdx_device_column_gather(first, chosen, &matches, err));
  return rdx_row_list_create_on_device(matches, others, &out->other, err);
}

/* Pairs that are listed on the device: `*done` false: there are too many. */
static rdx_status list_all(device_join *d, rdx_device_column **probe, rdx_device_column **other, bool *done,
                           rdx_error *err) {
  RDX_TRY(look_up(d, RDX_LOOKUP_ROWS, err));
  const rdx_parts *p = &d->found->parts;
  const uint64_t max = d->j->node->filter ? MANY_PAIRS : UINT32_MAX - probing_side(d)->frame.rows;
  *done = d->found->on_device && p->row_count < max;
  if (!*done)
    return RDX_OK;
  RDX_TRY(rdx_device_column_of_probes(p->offsets, probing_side(d)->frame.rows, p->row_count, probe, err));
  return rdx_device_column_of_rows(p->rows, p->row_count, false, other, err);
}

/* Give each row that found nothing a pair with none, behind all others. */
static rdx_status complete(device_join *d, rdx_device_column **probe, rdx_device_column **other, rdx_error *err) {
  RDX_SCOPED(rdx_device_column_destroy) rdx_device_column *first = NULL;
  RDX_SCOPED(rdx_device_column_destroy) rdx_device_column *alone = NULL;
  RDX_SCOPED(rdx_device_column_destroy) rdx_device_column *probes = *probe;
  RDX_SCOPED(rdx_device_column_destroy) rdx_device_column *others = *other;
  *probe = *other = NULL;
  RDX_TRY(look_up(d, RDX_LOOKUP_FIRST, err));
  RDX_TRY(rdx_lookup_result_column(d->found, RDX_LOOKUP_FIRST, &first, err));
  RDX_TRY(rdx_device_column_rows(first, false, &alone, err));
  RDX_TRY(rdx_device_column_append(probes, alone, 0, probe, err));
  return rdx_device_column_append(others, NULL, alone->rows, other, err);
}

/* All rows that each found. */
static rdx_status list_pairs(device_join *d, pair_lists *out, bool *done, rdx_error *err) {
  RDX_SCOPED(rdx_device_column_destroy) rdx_device_column *probe = NULL;
  RDX_SCOPED(rdx_device_column_destroy) rdx_device_column *other = NULL;
  RDX_TRY(list_all(d, &probe, &other, done, err));
  if (!*done)
    return RDX_OK;
  if (d->j->node->join == RDX_PLAN_LEFT)
    RDX_TRY(complete(d, &probe, &other, err));
  rdx_device_column *column = probe;
  probe = NULL;
  RDX_TRY(rdx_row_list_create_on_device(column, probing_side(d)->frame.rows, &out->probe, err));
  column = other;
  other = NULL;
  return rdx_row_list_create_on_device(column, indexed_side(d)->frame.rows, &out->other, err);
}

/* `*done` false: a row may match several, of which at most one is allowed, or there are too many pairs. */
static rdx_status find_pairs(device_join *d, pair_lists *out, bool *done, rdx_error *err) {
  bool one = false;
  RDX_TRY(make_key(d, 0, err));
  RDX_TRY(make_key(d, 1, err));
  RDX_TRY(build(d, &one, err));
  *done = one || d->j->node->join != RDX_PLAN_SINGLE;
  if (one)
    return list_found(d, out, err);
  return *done ? list_pairs(d, out, done, err) : RDX_OK;
}

static rdx_status choose(rdx_joining *j, const rdx_frame *from, rdx_row_list *rows, rdx_frame *out, rdx_error *err) {
  RDX_TRY(rdx_frame_copy(from, out, err));
  return rows ? rdx_frame_choose_list(j->x->pool, out, rows, err) : RDX_OK;
}

/* The columns of both sides of all pairs. */
static rdx_status make_pairs(const device_join *d, rdx_row_list *lefts, rdx_row_list *rights, rdx_operand *out,
                             rdx_error *err) {
  rdx_joining *j = d->j;
  RDX_SCOPED(rdx_frame_destroy) rdx_frame left = {0}, right = {0};
  RDX_TRY(choose(j, &j->left.frame, lefts, &left, err));
  RDX_TRY(choose(j, &j->right.frame, rights, &right, err));
  RDX_TRY(rdx_frame_join(&left, &right, &out->frame, err));
  return rdx_operand_refresh(j->x, out, err);
}

/* Left rows with a pair, or without one, for which the condition is true. */
static rdx_status mark_left(const device_join *d, rdx_row_list *lefts, rdx_operand *pairs, uint32_t **marks,
                            rdx_error *err) {
  const rdx_bound *condition = d->j->node->filter;
  const uint32_t *rows = NULL;
  uint64_t count = 0;
  RDX_TRY(rdx_operand_bring(pairs, condition, err));
  if (lefts)
    RDX_TRY(rdx_row_list_on_host(lefts, &rows, err));
  const rdx_evaluation e = rdx_operand_evaluation(d->j->x, pairs);
  RDX_SCOPED(rdx_free_local) uint32_t *places = NULL;
  RDX_TRY(rdx_evaluate_filter(&e, condition, &places, &count, err));
  RDX_TRY(rdx_calloc(d->j->left.frame.rows / 32 + 1, sizeof **marks, "the rows of a join", (void **)marks, err));
  for (uint64_t i = 0; i < count; i++) {
    const uint32_t row = rows ? rows[places[i]] : places[i];
    (*marks)[row / 32] |= 1u << row % 32;
    RDX_TRY(rdx_loop_goes_on(i, count, "join", err));
  }
  return RDX_OK;
}

static rdx_status keep_marked(const device_join *d, rdx_row_list *lefts, rdx_operand *pairs, rdx_frame *out,
                              rdx_error *err) {
  RDX_SCOPED(rdx_free_local) uint32_t *marks = NULL;
  RDX_SCOPED(rdx_pairs_drop) rdx_pairs kept = {0};
  RDX_TRY(mark_left(d, lefts, pairs, &marks, err));
  RDX_TRY(rdx_pairs_of_marks(d->j, marks, d->j->node->join == RDX_PLAN_SEMI, &kept, err));
  return rdx_pairs_frame(d->j, &kept, out, err);
}

static rdx_status make_frame(const device_join *d, const pair_lists *lists, rdx_frame *out, rdx_error *err) {
  const rdx_plan_node *n = d->j->node;
  rdx_row_list *lefts = d->inverse ? lists->other : lists->probe, *rights = d->inverse ? lists->probe : lists->other;
  RDX_SCOPED(rdx_operand_drop) rdx_operand pairs = {0};
  if (keeps_left_only(n->join) && !n->filter)
    return choose(d->j, &d->j->left.frame, lefts, out, err);
  RDX_TRY(make_pairs(d, lefts, rights, &pairs, err));
  if (keeps_left_only(n->join))
    RDX_TRY(keep_marked(d, lefts, &pairs, out, err));
  else if (n->filter)
    RDX_TRY(rdx_operand_filter(d->j->x, &pairs, n->filter, err));
  if (!keeps_left_only(n->join))
    *out = RDX_KEEP(pairs.frame);
  return RDX_OK;
}

static void drop_lists(pair_lists *lists) {
  rdx_row_list_release(&lists->probe);
  rdx_row_list_release(&lists->other);
}

static rdx_status join(device_join *d, rdx_frame *out, bool *done, rdx_error *err) {
  RDX_SCOPED(drop_lists) pair_lists lists = {0};
  RDX_TRY(find_pairs(d, &lists, done, err));
  return *done ? make_frame(d, &lists, out, err) : RDX_OK;
}

rdx_status rdx_join_on_device(rdx_joining *j, rdx_frame *out, bool *done, rdx_error *err) {
  *done = false;
  if (!fits(j))
    return RDX_OK;
  device_join d = {.j = j, .inverse = wants_pairs(j->node) && j->left.frame.rows < j->right.frame.rows};
  const rdx_status status = join(&d, out, done, err);
  rdx_lookup_result_destroy(&d.found);
  rdx_index_destroy(&d.index);
  rdx_device_column_destroy(&d.owned[0]);
  rdx_device_column_destroy(&d.owned[1]);
  if (status == RDX_OK && *done)
    rdx_actuals_of(j->x, j->node)->on_device = true;
  if (status != RDX_ERROR_DEVICE_MEMORY)
    return status;
  rdx_frame_destroy(out);
  *done = false;
  return RDX_OK;
}
