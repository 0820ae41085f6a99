/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Conditions of joins, which are evaluated for pairs: in batches, so that memory does not grow with what they leave
 * out. */

#include <string.h>

#include "device/device.h"
#include "execute/pairs.h"

#define WHAT "the pairs of a join"
#define BATCH (1u << 18) /* pairs */

typedef struct pair_filter {
  rdx_joining *j;
  uint32_t *left, *right; /* the batch */
  uint64_t count, capacity;
  uint32_t *marks; /* of left rows; NULL: pairs are kept */
  uint32_t *alone; /* of left rows for which a part of the condition that reads these only is not true; NULL: of none */
  uint32_t *kept_left, *kept_right;
  uint64_t kept, kept_capacity;
} pair_filter;

/* Room for pairs, at least so many. */
static rdx_status reserve(const pair_filter *f, uint32_t **left, uint32_t **right, uint64_t *capacity, uint64_t wanted,
                          rdx_error *err) {
  if (wanted <= *capacity)
    return RDX_OK;
  if (f->j->max_pairs > 0 && wanted > f->j->max_pairs + BATCH)
    return rdx_fail(err, RDX_ERROR_MEMORY, "a join has more than %llu pairs", (unsigned long long)f->j->max_pairs);
  uint64_t more = *capacity + *capacity / 2;
  more = more > wanted ? more : wanted;
  RDX_TRY(rdx_device_expect_host(f->j->x->device, (more - *capacity) * 8, "the pairs of a join take",
                                 "join by equal columns, or filter its inputs", err));
  RDX_TRY(rdx_realloc((void **)left, more, sizeof **left, WHAT, err));
  RDX_TRY(rdx_realloc((void **)right, more, sizeof **right, WHAT, err));
  *capacity = more;
  return RDX_OK;
}

static bool reads_from(const rdx_bound *e, uint32_t column) {
  bool reads = e->kind == RDX_BOUND_COLUMN && e->index >= column;
  for (uint32_t i = 0; e->kind == RDX_BOUND_CALL && i < e->count && !reads; i++)
    reads = reads_from(e->args[i], column);
  return reads;
}

/* What fails by its values, as that of a row without partners, may not matter: all pairs tell. */
static bool may_not_matter(rdx_status status) {
  return status == RDX_ERROR_ARGUMENT || status == RDX_ERROR_RANGE || status == RDX_ERROR_FORMAT ||
         status == RDX_ERROR_OVERFLOW || status == RDX_ERROR_UNSUPPORTED;
}

/* Mark left rows for which this is not true. */
static rdx_status mark_alone(pair_filter *f, const rdx_bound *condition, rdx_error *err) {
  rdx_operand *left = &f->j->left;
  const uint64_t rows = left->frame.rows;
  RDX_SCOPED(rdx_free_local) uint32_t *places = NULL;
  uint64_t count = 0;
  RDX_TRY(rdx_operand_bring(left, condition, err));
  const rdx_evaluation e = rdx_operand_evaluation(f->j->x, left);
  RDX_TRY(rdx_evaluate_filter(&e, condition, &places, &count, err));
  if (!f->alone)
    RDX_TRY(rdx_calloc(rows / 32 + 1, sizeof *f->alone, WHAT, (void **)&f->alone, err));
  for (uint64_t i = 0, k = 0; i < rows; i++) {
    const bool is_true = k < count && places[k] == i;
    RDX_TRY(rdx_loop_goes_on(i, rows, "join", err));
    k += is_true;
    f->alone[i / 32] |= (uint32_t)!is_true << i % 32;
  }
  return RDX_OK;
}

static rdx_status find_alone(pair_filter *f, rdx_error *err) {
  const rdx_joining *j = f->j;
  rdx_bound **parts = NULL;
  uint32_t count = 0;
  RDX_TRY(rdx_filter_parts(j->x, j->node->filter, &parts, &count, err));
  for (uint32_t i = 0; i < count && j->right.frame.rows > 0; i++) {
    const rdx_status status = reads_from(parts[i], j->left.frame.count) ? RDX_OK : mark_alone(f, parts[i], err);
    if (!may_not_matter(status))
      RDX_TRY(status);
  }
  return RDX_OK;
}

static rdx_status begin(pair_filter *f, rdx_error *err) {
  RDX_TRY(find_alone(f, err));
  RDX_TRY(reserve(f, &f->left, &f->right, &f->capacity, BATCH, err));
  return f->marks ? RDX_OK : reserve(f, &f->kept_left, &f->kept_right, &f->kept_capacity, 64, err);
}

static void drop(pair_filter *f) {
  RDX_FREE_ALL(f->left, f->right, f->kept_left, f->kept_right, f->alone);
}

/* The places of the batch's pairs for which the condition is true, for rdx_free(). */
static rdx_status find_true(const pair_filter *f, uint32_t **places, uint64_t *count, rdx_error *err) {
  const rdx_pairs batch = {.count = f->count, .left = f->left, .right = f->right};
  const rdx_joining *j = f->j;
  RDX_SCOPED(rdx_arena_free) rdx_arena arena = {0};
  RDX_SCOPED(rdx_operand_drop) rdx_operand pairs = {0};
  RDX_TRY(rdx_pairs_frame(j, &batch, &pairs.frame, err));
  RDX_TRY(rdx_frame_inputs(&pairs.frame, &arena, &pairs.inputs, err));
  const rdx_evaluation e = rdx_operand_evaluation(j->x, &pairs);
  return rdx_evaluate_filter(&e, j->node->filter, places, count, err);
}

/* Evaluate the condition for the batch, which is empty then. */
static rdx_status filter_batch(pair_filter *f, rdx_error *err) {
  RDX_SCOPED(rdx_free_local) uint32_t *places = NULL;
  uint64_t count = 0;
  if (f->count == 0)
    return RDX_OK;
  RDX_TRY(rdx_progress_at_times("join", 0, 0, err));
  RDX_TRY(find_true(f, &places, &count, err));
  if (!f->marks)
    RDX_TRY(reserve(f, &f->kept_left, &f->kept_right, &f->kept_capacity, f->kept + count, err));
  for (uint64_t i = 0; i < count; i++) {
    const uint32_t left = f->left[places[i]];
    if (f->marks) {
      f->marks[left / 32] |= 1u << left % 32;
      continue;
    }
    f->kept_left[f->kept] = left;
    f->kept_right[f->kept++] = f->right[places[i]];
  }
  f->count = 0;
  return RDX_OK;
}

/* Whether no more pairs of a left row need be looked at. */
static bool is_done(const pair_filter *f, uint32_t left) {
  const uint32_t done = (f->marks ? f->marks[left / 32] : 0) | (f->alone ? f->alone[left / 32] : 0);
  return (done >> left % 32 & 1u) != 0;
}

/* Take pairs into the batch behind which they stand, but for those of left rows that are done. */
static void drop_done(pair_filter *f, uint64_t count) {
  uint64_t to = f->count;
  if (!f->marks && !f->alone) {
    f->count += count;
    return;
  }
  for (uint64_t i = to; i < f->count + count; i++) {
    f->left[to] = f->left[i];
    f->right[to] = f->right[i];
    to += !is_done(f, f->left[i]);
  }
  f->count = to;
}

/* A row with those that it is paired with: rows[begin .. end - 1], or begin .. end - 1. */
static rdx_status add_row(pair_filter *f, uint32_t row, bool is_left, const uint32_t *rows, uint64_t begin,
                          uint64_t end, rdx_error *err) {
  while (begin < end && !(is_left && is_done(f, row))) {
    if (f->count == BATCH)
      RDX_TRY(filter_batch(f, err));
    const uint64_t capacity = BATCH - f->count, n = end - begin < capacity ? end - begin : capacity;
    uint32_t *own = (is_left ? f->left : f->right) + f->count, *other = (is_left ? f->right : f->left) + f->count;
    for (uint64_t k = 0; k < n; k++) {
      own[k] = row;
      other[k] = rows ? rows[begin + k] : (uint32_t)(begin + k);
    }
    if (is_left)
      f->count += n;
    else
      drop_done(f, n);
    begin += n;
  }
  return RDX_OK;
}

/* What a row that looked others up is paired with; no matches: all right rows. */
static const uint32_t *partners_of(const pair_filter *f, const rdx_matches *m, uint64_t row, uint64_t *count) {
  if (!m) {
    *count = f->j->right.frame.rows;
    return NULL;
  }
  *count = m->first ? m->first[row] != RDX_NO_ROW : m->offsets[row + 1] - m->offsets[row];
  return m->first ? &m->first[row] : m->rows + m->offsets[row];
}

/* Of each row the partners from the begin-th up to the end-th; `*more`: some have others. */
static rdx_status add_partners(pair_filter *f, const rdx_matches *m, uint64_t begin, uint64_t end, bool *more,
                               rdx_error *err) {
  const uint64_t probes = m ? m->probes : f->j->left.frame.rows;
  const bool is_left = !m || !m->inverse;
  *more = false;
  for (uint64_t i = 0; i < probes; i++) {
    uint64_t count = 0;
    RDX_TRY(rdx_loop_goes_on(i, probes, "join", err));
    if (is_left && is_done(f, (uint32_t)i))
      continue;
    const uint32_t *rows = partners_of(f, m, i, &count);
    *more |= count > end;
    RDX_TRY(add_row(f, (uint32_t)i, is_left, rows, begin, count < end ? count : end, err));
  }
  return filter_batch(f, err);
}

/* Where one pair of a left row is enough, a few of each are looked at first, then more of those that had none. */
static rdx_status filter_partners(pair_filter *f, const rdx_matches *m, rdx_error *err) {
  const bool one_is_enough = f->marks && (!m || !m->inverse);
  uint64_t begin = 0, step = one_is_enough ? 1 : UINT64_MAX;
  for (bool more = true; more; begin += step, step *= 4)
    RDX_TRY(add_partners(f, m, begin, begin + step, &more, err));
  return RDX_OK;
}

/* ---- Bands ---- */

typedef struct band {
  pair_filter *f;
  bool left; /* the points are left rows */
  rdx_status status;
  rdx_error err;
} band;

/* Gets points, and ranges that hold them. */
static bool take_pairs(void *user, const rdx_row *points, const rdx_row *ranges, uint64_t count) {
  band *b = user;
  pair_filter *f = b->f;
  for (uint64_t done = 0; done < count && b->status == RDX_OK;) {
    const uint64_t capacity = BATCH - f->count, n = count - done < capacity ? count - done : capacity;
    memcpy((b->left ? f->left : f->right) + f->count, points + done, n * sizeof *points);
    memcpy((b->left ? f->right : f->left) + f->count, ranges + done, n * sizeof *ranges);
    drop_done(f, n);
    done += n;
    if (f->count == BATCH)
      b->status = filter_batch(f, &b->err);
  }
  return b->status != RDX_OK;
}

static rdx_status join_band(pair_filter *f, const rdx_vector values[3], rdx_error *err) {
  const rdx_joining *j = f->j;
  band b = {.f = f, .left = j->node->band_left};
  const rdx_join_params params = {
      .index = {.method = j->node->join_method}, .each = take_pairs, .each_user = &b, .stats = j->x->counts};
  rdx_node_actuals *a = rdx_actuals_of(j->x, j->node);
  rdx_join_result *join = NULL;
  rdx_join_stats stats;
  const rdx_status status =
      rdx_join_between(j->device, &values[0].column, &values[1].column, &values[2].column, &params, &join, err);
  if (b.status != RDX_OK && err)
    *err = b.err;
  RDX_TRY(b.status != RDX_OK ? b.status : status);
  rdx_join_result_get_stats(join, &stats);
  rdx_actuals_method(a, rdx_index_method_name(stats.index.method));
  a->device_ms += stats.device_ms;
  a->rays += stats.rays;
  a->hits += stats.hits;
  rdx_join_result_destroy(&join);
  return filter_batch(f, err);
}

/* Bring kept pairs into the order of left rows, unless they are in it. */
static rdx_status sort_kept(pair_filter *f, rdx_error *err) {
  const uint64_t lefts = f->j->left.frame.rows;
  RDX_SCOPED(rdx_free_local) uint64_t *starts = NULL;
  RDX_SCOPED(rdx_free_local) uint32_t *left = NULL, *right = NULL;
  uint64_t capacity = 0;
  RDX_TRY(rdx_calloc(lefts + 1, sizeof *starts, WHAT, (void **)&starts, err));
  RDX_TRY(reserve(f, &left, &right, &capacity, f->kept + 1, err));
  for (uint64_t i = 0; i < f->kept; i++)
    starts[f->kept_left[i] + 1]++;
  for (uint64_t i = 0; i < lefts; i++)
    starts[i + 1] += starts[i];
  for (uint64_t i = 0; i < f->kept; i++) {
    const uint64_t to = starts[f->kept_left[i]]++;
    RDX_TRY(rdx_loop_goes_on(i, f->kept, "join", err));
    left[to] = f->kept_left[i];
    right[to] = f->kept_right[i];
  }
  RDX_FREE_ALL(f->kept_left, f->kept_right);
  f->kept_left = RDX_KEEP(left);
  f->kept_right = RDX_KEEP(right);
  return RDX_OK;
}

static void drop_values(rdx_vector (*values)[3]) {
  for (uint32_t i = 0; i < 3; i++)
    rdx_vector_destroy(&(*values)[i]);
}

static rdx_status find_band(pair_filter *f, rdx_error *err) {
  rdx_joining *j = f->j;
  const rdx_plan_node *n = j->node;
  rdx_operand *points = n->band_left ? &j->left : &j->right, *ranges = n->band_left ? &j->right : &j->left;
  RDX_SCOPED(drop_values) rdx_vector values[3] = {0};
  RDX_TRY(begin(f, err));
  RDX_TRY(rdx_operand_flat(j->x, points, n->band_key, &values[0], err));
  RDX_TRY(rdx_operand_flat(j->x, ranges, n->band_lower, &values[1], err));
  RDX_TRY(rdx_operand_flat(j->x, ranges, n->band_upper, &values[2], err));
  RDX_TRY(join_band(f, values, err));
  return f->marks || n->band_left ? RDX_OK : sort_kept(f, err);
}

/* ---- All of them ---- */

/* What was kept becomes pairs. */
static rdx_status take_kept(pair_filter *f, rdx_pairs *out, rdx_error *err) {
  return f->marks ? RDX_OK : rdx_pairs_take(RDX_KEEP(f->kept_left), RDX_KEEP(f->kept_right), f->kept, out, err);
}

rdx_status rdx_pairs_filter(rdx_joining *j, const rdx_matches *matches, uint32_t *marks, rdx_pairs *out,
                            rdx_error *err) {
  RDX_SCOPED(drop) pair_filter f = {.j = j, .marks = marks};
  *out = (rdx_pairs){0};
  RDX_TRY(begin(&f, err));
  RDX_TRY(filter_partners(&f, matches, err));
  return take_kept(&f, out, err);
}

rdx_status rdx_pairs_band(rdx_joining *j, uint32_t *marks, bool *found, rdx_pairs *out, rdx_error *err) {
  RDX_SCOPED(drop) pair_filter f = {.j = j, .marks = marks};
  *out = (rdx_pairs){0};
  const rdx_status status = find_band(&f, err);
  *found = !may_not_matter(status);
  if (!*found)
    return RDX_OK;
  RDX_TRY(status);
  return take_kept(&f, out, err);
}
