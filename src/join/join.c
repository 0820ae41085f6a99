/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Joins by an index over either side. */

#include <raydex/join.h>

#include <string.h>

#include "base/base.h"
#include "index/index.h"
#include "index/intervals.h"
#include "index/keys.h"
#include "join/strings.h"

struct rdx_join {
  rdx_join_view view;
  rdx_join_stats stats;
  uint32_t *left_rows, *right_rows;
};

/* A join at work. Sides are seen from the lookup: `indexed` holds the keys, `lower` and `upper` the probes. */
typedef struct work {
  rdx_device *device;
  const rdx_join_params *params;
  const rdx_column *indexed, *lower, *upper; /* upper NULL: equal */
  const rdx_column *ends;                    /* not NULL: `indexed` to `ends` are ranges, the probes are points */
  bool inverse;                              /* the left side is indexed */
  rdx_index_params index_params;
  rdx_index *index;
  rdx_result *result;
  rdx_result_view found;
  rdx_join *join;
} work;

static uint64_t left_count(const work *w) {
  return w->inverse ? w->indexed->rows : w->lower->rows;
}

/* ---- Lookups ---- */

/* thesis, Figure 4.4 "Illustration for Point Query before Inverse Mapping". */
/* `anyhow`: the order of answers does not matter. */
static rdx_status look_up(work *w, rdx_result_kind kind, bool anyhow, rdx_error *err) {
  const rdx_lookup_params params = {.result = kind, .values = kind == RDX_RESULT_SUM ? w->params->values : NULL};
  if (w->ends) {
    RDX_TRY(
        rdx_intervals_look_up(w->device, w->lower, w->indexed, w->ends, kind, &w->join->stats.index, &w->result, err));
    rdx_result_get_stats(w->result, &w->join->stats.lookup);
    return RDX_OK;
  }
  RDX_TRY(rdx_index_create(w->device, w->indexed, &w->index_params, &w->index, err));
  rdx_index_get_stats(w->index, &w->join->stats.index);
  if (anyhow)
    RDX_TRY(rdx_index_look_up_anyhow(w->index, w->lower, w->upper, &params, &w->result, err));
  else if (w->upper)
    RDX_TRY(rdx_index_range(w->index, w->lower, w->upper, &params, &w->result, err));
  else
    RDX_TRY(rdx_index_lookup(w->index, w->lower, &params, &w->result, err));
  rdx_result_get_stats(w->result, &w->join->stats.lookup);
  return RDX_OK;
}

/* ---- Counts ---- */

static bool wants_matched(rdx_join_kind kind) {
  return kind == RDX_JOIN_SEMI;
}

/* Nobody asks for the count of a single probe: they stay on the device. */
static rdx_status count_pairs(work *w, rdx_error *err) {
  const uint64_t probes = w->lower->rows;
  uint64_t pairs = 0, matched = 0;
  RDX_TRY(look_up(w, RDX_RESULT_COUNT, true, err));
  RDX_TRY(rdx_result_totals(w->result, &pairs, &matched, err));
  switch (w->params->kind) {
  case RDX_JOIN_LEFT:
    w->join->view.count = pairs + probes - matched;
    return RDX_OK;
  case RDX_JOIN_SEMI:
    w->join->view.count = matched;
    return RDX_OK;
  case RDX_JOIN_ANTI:
    w->join->view.count = probes - matched;
    return RDX_OK;
  default:
    w->join->view.count = pairs;
    return RDX_OK;
  }
}

/* ---- Pairs ---- */

/* Matches by left row: the right rows of left row i are rows[offsets[i]] to rows[offsets[i + 1] - 1]. */
typedef struct matches {
  const uint64_t *offsets;
  const uint32_t *rows;
  uint64_t *own_offsets; /* what an inverse join made itself */
  uint32_t *own_rows;
} matches;

/* thesis, Algorithm 6 "High-Level Explanation of Collaborative Scan Kernel (Inverse Mapping)". */
/* thesis, Figure 4.5 "Illustration for Point Query after Inverse Mapping". */
/* Turn (right, its left rows) into (left, its right rows), by counting. */
static rdx_status invert(const work *w, matches *m, rdx_error *err) {
  const rdx_result_view *f = &w->found;
  const uint64_t left = left_count(w), total = f->offsets[f->probes];
  RDX_TRY(rdx_calloc(left + 2, 8, "the matches of a join", (void **)&m->own_offsets, err));
  RDX_TRY(rdx_alloc(total + 1, 4, "the matches of a join", (void **)&m->own_rows, err));
  uint64_t *next = m->own_offsets + 1; /* while filling, next[i] is where the next match of left row i goes */
  for (uint64_t k = 0; k < total; k++)
    next[f->rows[k] + 1]++;
  for (uint64_t i = 0; i < left; i++)
    next[i + 1] += next[i];
  for (uint64_t right = 0; right < f->probes; right++)
    for (uint64_t k = f->offsets[right]; k < f->offsets[right + 1]; k++)
      m->own_rows[next[f->rows[k]]++] = (uint32_t)right;
  m->offsets = m->own_offsets;
  m->rows = m->own_rows;
  return RDX_OK;
}

static uint64_t rows_of_left(const matches *m, uint64_t i) {
  return m->offsets[i + 1] - m->offsets[i];
}

static uint64_t count_of(const matches *m, uint64_t left, rdx_join_kind kind) {
  uint64_t count = kind == RDX_JOIN_INNER || kind == RDX_JOIN_LEFT ? m->offsets[left] : 0;
  for (uint64_t i = 0; i < left && kind != RDX_JOIN_INNER; i++)
    count += (rows_of_left(m, i) > 0) == wants_matched(kind);
  return count;
}

/* Left rows with or without a match. */
static void list_left(const matches *m, uint64_t left, bool matched, uint32_t *out) {
  for (uint64_t i = 0; i < left; i++)
    if ((rows_of_left(m, i) > 0) == matched)
      *out++ = (uint32_t)i;
}

static void list_pairs(const matches *m, uint64_t left, bool outer, uint32_t *left_rows, uint32_t *right_rows) {
  for (uint64_t i = 0; i < left; i++) {
    if (outer && rows_of_left(m, i) == 0) {
      *left_rows++ = (uint32_t)i;
      *right_rows++ = RDX_NO_ROW;
    }
    for (uint64_t k = m->offsets[i]; k < m->offsets[i + 1]; k++) {
      *left_rows++ = (uint32_t)i;
      *right_rows++ = m->rows[k];
    }
  }
}

static rdx_status list_matches(work *w, const matches *m, rdx_error *err) {
  rdx_join *j = w->join;
  const rdx_join_kind kind = w->params->kind;
  const bool pairs = kind == RDX_JOIN_INNER || kind == RDX_JOIN_LEFT;
  const uint64_t left = left_count(w), count = count_of(m, left, kind);
  j->view.count = count;
  if (w->params->result == RDX_JOIN_COUNT)
    return RDX_OK;
  RDX_TRY(rdx_alloc(count + 1, 4, "the rows of a join", (void **)&j->left_rows, err));
  if (pairs)
    RDX_TRY(rdx_alloc(count + 1, 4, "the rows of a join", (void **)&j->right_rows, err));
  if (pairs)
    list_pairs(m, left, kind == RDX_JOIN_LEFT, j->left_rows, j->right_rows);
  else
    list_left(m, left, wants_matched(kind), j->left_rows);
  j->view.left_rows = j->left_rows;
  j->view.right_rows = j->right_rows;
  return RDX_OK;
}

/* Of a semi or an anti join: how many right rows a left one has is enough. */
static rdx_status find_left(work *w, rdx_error *err) {
  RDX_TRY(look_up(w, RDX_RESULT_COUNT, false, err));
  RDX_TRY(rdx_result_read(w->result, &w->found, err));
  rdx_join *j = w->join;
  const uint64_t left = left_count(w);
  RDX_TRY(rdx_alloc(left + 1, 4, "the rows of a join", (void **)&j->left_rows, err));
  for (uint64_t i = 0; i < left; i++)
    if ((w->found.count[i] > 0) == wants_matched(w->params->kind))
      j->left_rows[j->view.count++] = (uint32_t)i;
  j->view.left_rows = j->left_rows;
  return RDX_OK;
}

static rdx_status find_matches(work *w, rdx_error *err) {
  RDX_TRY(look_up(w, RDX_RESULT_ROWS, false, err));
  RDX_TRY(rdx_result_read(w->result, &w->found, err));
  matches m = {.offsets = w->found.offsets, .rows = w->found.rows};
  rdx_status status = w->inverse ? invert(w, &m, err) : RDX_OK;
  if (status == RDX_OK)
    status = list_matches(w, &m, err);
  rdx_free(m.own_offsets);
  rdx_free(m.own_rows);
  return status;
}

/* ---- Sums ---- */

typedef struct total {
  uint64_t values; /* that were added */
  rdx_i128 sum;
  double floats;
} total;

/* Add the values that all lookups find. */
static rdx_status add_found(work *w, total *t, rdx_error *err) {
  rdx_status status = look_up(w, RDX_RESULT_SUM, true, err);
  if (status == RDX_OK)
    status = rdx_result_read(w->result, &w->found, err);
  if (status == RDX_ERROR_OVERFLOW) /* which speaks of a probe */
    return rdx_fail(err, status, "the sum over the pairs of a row does not fit 64 bits");
  RDX_TRY(status);
  const rdx_result_view *f = &w->found;
  for (uint64_t i = 0; i < f->probes; i++) {
    t->values += f->count[i];
    if (f->sum_f64)
      t->floats += f->sum_f64[i];
    else
      t->sum += f->sum_u64 ? (rdx_i128)f->sum_u64[i] : (rdx_i128)f->sum_i64[i];
  }
  return RDX_OK;
}

/* Add the values of some rows, by joining these with the numbers of all. */
static rdx_status add_rows(rdx_device *device, const rdx_join_params *p, const uint32_t *rows, uint64_t count, total *t,
                           rdx_error *err) {
  uint32_t *numbers = NULL;
  RDX_TRY(rdx_alloc(p->values->rows, sizeof *numbers, "the rows of a join", (void **)&numbers, err));
  for (uint64_t i = 0; i < p->values->rows; i++)
    numbers[i] = (uint32_t)i;
  const rdx_column all = {.type = RDX_TYPE_U32, .rows = p->values->rows, .values = numbers};
  const rdx_column some = {.type = RDX_TYPE_U32, .rows = count, .values = rows};
  rdx_join scratch = {0};
  work w = {.device = device, .params = p, .indexed = &all, .lower = &some, .join = &scratch};
  w.index_params.kind = RDX_INDEX_HASH;
  const rdx_status status = add_found(&w, t, err);
  rdx_result_destroy(&w.result);
  rdx_index_destroy(&w.index);
  rdx_free(numbers);
  return status;
}

/* A band join's left rows without a match, whose values a left join adds once. */
static rdx_status add_unmatched(const work *w, total *t, rdx_error *err) {
  const bool strings = w->indexed->type == RDX_TYPE_STRING; /* which ranges may not hold */
  const rdx_join_params anti = {.kind = RDX_JOIN_ANTI,
                                .mapping = strings ? RDX_JOIN_MAPPING_INVERSE : RDX_JOIN_MAPPING_DIRECT};
  rdx_join *unmatched = NULL;
  RDX_TRY(rdx_join_between(w->device, w->indexed, w->lower, w->upper, &anti, &unmatched, err));
  rdx_status status = RDX_OK;
  if (unmatched->view.count > 0)
    status = add_rows(w->device, w->params, unmatched->view.left_rows, unmatched->view.count, t, err);
  rdx_join_destroy(&unmatched);
  return status;
}

static rdx_status add_sums(work *w, rdx_error *err) {
  rdx_join_view *v = &w->join->view;
  total t = {0};
  RDX_TRY(add_found(w, &t, err));
  if (w->upper && w->params->kind == RDX_JOIN_LEFT)
    RDX_TRY(add_unmatched(w, &t, err));
  v->sum_type = w->found.sum_type;
  v->sum_scale = w->found.sum_scale;
  v->sum_is_null = t.values == 0;
  v->count = t.values;
  v->sum_f64 = t.floats;
  v->sum_u64 = (uint64_t)t.sum;
  v->sum_i64 = (int64_t)t.sum;
  const bool fits = w->found.sum_u64 ? t.sum <= (rdx_i128)UINT64_MAX : t.sum >= INT64_MIN && t.sum <= INT64_MAX;
  return fits ? RDX_OK : rdx_fail(err, RDX_ERROR_OVERFLOW, "the sum over a join does not fit 64 bits");
}

/* ---- Joins ---- */

static rdx_status answer(work *w, rdx_error *err) {
  const rdx_join_params *p = w->params;
  if (p->result == RDX_JOIN_SUM)
    return add_sums(w, err);
  /* Counts of right rows say nothing of which left rows match. */
  if (p->result == RDX_JOIN_COUNT && (!w->inverse || p->kind == RDX_JOIN_INNER))
    return count_pairs(w, err);
  return !w->inverse && p->kind > RDX_JOIN_LEFT ? find_left(w, err) : find_matches(w, err);
}

static rdx_status check(const char *name, const rdx_device *device, const rdx_column *left, const rdx_column *right,
                        const rdx_join_params *p, rdx_join **out, rdx_error *err) {
  if (!device || !left || !right || !out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "%s: device, columns and out must not be NULL", name);
  if (p->kind > RDX_JOIN_ANTI || p->result > RDX_JOIN_SUM || p->mapping > RDX_JOIN_MAPPING_INVERSE)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "%s: unknown kind, result or mapping", name);
  if ((p->result == RDX_JOIN_SUM) != (p->values != NULL))
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "%s: a value column goes with RDX_JOIN_SUM and with nothing else", name);
  if (p->result == RDX_JOIN_SUM && p->kind > RDX_JOIN_LEFT)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "only the pairs of inner and left joins have a sum");
  return RDX_OK;
}

/* Equal keys need no order: hash tables are faster than the tree. Partitions make a join of them; to list rows, though,
 * the answers to probes have to be brought back into order, which costs more than partitions save. */
static rdx_index_params choose_index(const work *w) {
  rdx_index_params index = w->params->index;
  if (index.kind == RDX_INDEX_AUTO && !w->upper && !w->ends)
    index.kind = w->params->result == RDX_JOIN_PAIRS ? RDX_INDEX_HASH : RDX_INDEX_RADIX_HASH;
  return index;
}

/* thesis, section 4.3 "Inverse Mapping Algorithm for Point Query". */
static rdx_status join(work *w, rdx_join **out, rdx_error *err) {
  const double start = rdx_now_ms();
  w->index_params = choose_index(w);
  RDX_TRY(rdx_calloc(1, sizeof *w->join, "a join", (void **)&w->join, err));
  w->join->view.kind = w->params->kind;
  w->join->view.result = w->params->result;
  w->join->stats.inverse = w->inverse;
  rdx_status status = answer(w, err);
  rdx_result_destroy(&w->result);
  rdx_index_destroy(&w->index);
  if (status != RDX_OK) {
    rdx_join_destroy(&w->join);
    return status;
  }
  w->join->stats.total_ms = rdx_now_ms() - start;
  *out = w->join;
  return RDX_OK;
}

static const rdx_join_params defaults = {0};

static rdx_status join_strings(rdx_device *device, const rdx_column *left, const rdx_column *right,
                               const rdx_join_params *p, rdx_join **out, rdx_error *err) {
  const double start = rdx_now_ms();
  rdx_join_codes codes;
  rdx_status status = rdx_join_codes_make(left, right, &codes, err);
  if (status == RDX_OK)
    status = rdx_join_equal(device, &codes.left, &codes.right, p, out, err);
  rdx_join_codes_drop(&codes);
  if (status == RDX_OK)
    (*out)->stats.total_ms = rdx_now_ms() - start;
  return status;
}

/* thesis, section 3.5 "Inverse Mapping". */
rdx_status rdx_join_equal(rdx_device *device, const rdx_column *left, const rdx_column *right,
                          const rdx_join_params *params, rdx_join **out, rdx_error *err) {
  const rdx_join_params *p = params ? params : &defaults;
  RDX_TRY(check("rdx_join_equal", device, left, right, p, out, err));
  if (p->values && p->mapping == RDX_JOIN_MAPPING_INVERSE)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED,
                    "rdx_join_equal: values of right rows are added by an index over the right side");
  if (rdx_join_wants_codes(left, right))
    return join_strings(device, left, right, p, out, err);
  const bool smaller = left->rows < right->rows && !p->values;
  const bool inverse = p->mapping == RDX_JOIN_MAPPING_INVERSE || (p->mapping == RDX_JOIN_MAPPING_AUTO && smaller);
  work w = {.device = device,
            .params = p,
            .indexed = inverse ? left : right,
            .lower = inverse ? right : left,
            .inverse = inverse};
  return join(&w, out, err);
}

static rdx_status check_over_ranges(const rdx_join_params *p, rdx_error *err) {
  if (p->values)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED,
                    "rdx_join_between: values of left rows are added by an index over the left side");
  if (p->index.kind != RDX_INDEX_AUTO && p->index.kind != RDX_INDEX_SORTED_ARRAY)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED,
                    "rdx_join_between: %s holds points, which are on the left side; ranges are sorted by their bounds "
                    "(sorted_array)",
                    rdx_index_kind_name(p->index.kind));
  return RDX_OK;
}

/* From how many points a range on, of 64 bits, to sort the ranges and search among them takes less than an index over
 * the points, as measured (docs/measurements.md). Points of 32 bits are sorted too fast for that; to list pairs, each
 * point is searched for twice. */
#define POINTS_A_RANGE 64

static bool prefers_ranges(const rdx_join_params *p, const rdx_column *left, const rdx_column *lower) {
  return p->mapping == RDX_JOIN_MAPPING_AUTO && p->index.kind == RDX_INDEX_AUTO && p->result == RDX_JOIN_COUNT &&
         left->type != RDX_TYPE_STRING && rdx_key_bits(left->type) == 64 && lower->rows < left->rows / POINTS_A_RANGE;
}

rdx_status rdx_join_between(rdx_device *device, const rdx_column *left, const rdx_column *lower,
                            const rdx_column *upper, const rdx_join_params *params, rdx_join **out, rdx_error *err) {
  const rdx_join_params *p = params ? params : &defaults;
  RDX_TRY(check("rdx_join_between", device, left, lower, p, out, err));
  if (!upper || upper->rows != lower->rows)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_join_between: there must be as many upper bounds as lower ones");
  if (p->mapping == RDX_JOIN_MAPPING_DIRECT)
    RDX_TRY(check_over_ranges(p, err));
  if (p->mapping == RDX_JOIN_MAPPING_DIRECT || prefers_ranges(p, left, lower)) {
    work w = {.device = device, .params = p, .indexed = lower, .ends = upper, .lower = left};
    return join(&w, out, err);
  }
  work w = {.device = device, .params = p, .indexed = left, .lower = lower, .upper = upper, .inverse = true};
  return join(&w, out, err);
}

void rdx_join_get(const rdx_join *j, rdx_join_view *out) {
  *out = j->view;
}

void rdx_join_get_stats(const rdx_join *j, rdx_join_stats *out) {
  *out = j->stats;
}

void rdx_join_destroy(rdx_join **j) {
  if (!j || !*j)
    return;
  rdx_free((*j)->left_rows);
  rdx_free((*j)->right_rows);
  rdx_free(*j);
  *j = NULL;
}
