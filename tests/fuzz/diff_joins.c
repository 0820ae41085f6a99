/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors
 *
 * Joins of equal values and of values that lie between others. */

#include "diff.h"

#include <inttypes.h>
#include <string.h>

/* The columns on both sides; `upper` NULL: equal values. */
typedef struct sides {
  const rdx_column *left, *right, *upper;
  const value *x, *low, *high; /* their values */
} sides;

static bool match(const sides *s, uint64_t i, uint64_t j) {
  const value *x = &s->x[i], *low = &s->low[j];
  if (x->kind == VALUE_NULL || low->kind == VALUE_NULL)
    return false;
  if (!s->upper)
    return value_compare(x, low) == 0;
  const value *high = &s->high[j];
  return high->kind != VALUE_NULL && value_compare(x, low) >= 0 && value_compare(x, high) <= 0;
}

/* What a join must come to: passed over in order, with or without a view to compare with. */
typedef struct walk {
  const rdx_join_view *got;
  uint64_t count;
} walk;

static void next(walk *w, bool pairs, uint64_t i, uint64_t j) {
  if (w->got && w->got->result == RDX_JOIN_PAIRS) {
    if (w->count >= w->got->count)
      wrong("pair %" PRIu64 ": %" PRIu64 ", %" PRIu64 " is missing", w->count, i, j);
    if (w->got->left_rows[w->count] != i || (pairs && w->got->right_rows[w->count] != j))
      wrong("pair %" PRIu64 ": left %u, expected %" PRIu64 ", %" PRIu64, w->count, w->got->left_rows[w->count], i, j);
  }
  w->count++;
}

static void walk_pairs(walk *w, const sides *s, rdx_join_kind kind) {
  const bool pairs = kind == RDX_JOIN_INNER || kind == RDX_JOIN_LEFT;
  for (uint64_t i = 0; i < s->left->rows; i++) {
    bool any = false;
    for (uint64_t j = 0; j < s->right->rows && (pairs || !any); j++) {
      if (!match(s, i, j))
        continue;
      any = true;
      if (pairs)
        next(w, true, i, j);
    }
    if ((kind == RDX_JOIN_SEMI && any) || (kind == RDX_JOIN_ANTI && !any))
      next(w, false, i, 0);
    else if (kind == RDX_JOIN_LEFT && !any)
      next(w, true, i, RDX_NO_ROW);
  }
}

/* The sum over all pairs, exactly, and whether it is beyond 64 bits. Of floats the order is not documented: the exact
 * sum, and how far another may be from it. */
typedef struct total {
  i128 whole;
  exact exact;
  double sizes;
  uint64_t count;
  bool overflows;
} total;

static bool fits(i128 x, rdx_type type) {
  const bool is_unsigned = type >= RDX_TYPE_U8 && type <= RDX_TYPE_U64;
  return is_unsigned ? x <= UINT64_MAX : x >= INT64_MIN && x <= INT64_MAX;
}

/* What a row adds to the sum of its pairs. */
static void add_pair(total *t, const rdx_column *values, uint64_t row, i128 *sum) {
  if (is_null(values, row))
    return;
  const value v = value_at(values, row);
  t->count++;
  *sum += v.whole;
  if (v.kind == VALUE_REAL) {
    exact_add(&t->exact, v.real);
    t->sizes += v.real < 0 ? -v.real : v.real;
  }
}

/* Of rdx_join_between() the values are those of left rows, and a left join adds those that match nothing, too. */
static void add_up(total *t, const sides *s, rdx_join_kind kind, const rdx_column *values) {
  const bool of_left = s->upper != NULL;
  const uint64_t outer = of_left ? s->right->rows : s->left->rows, inner = of_left ? s->left->rows : s->right->rows;
  bool *alone = take(inner * sizeof *alone);
  memset(alone, of_left && kind == RDX_JOIN_LEFT, inner * sizeof *alone);
  for (uint64_t a = 0; a < outer; a++) {
    i128 row = 0;
    for (uint64_t b = 0; b < inner; b++)
      if (match(s, of_left ? b : a, of_left ? a : b)) {
        add_pair(t, values, b, &row);
        alone[b] = false;
      }
    t->whole += row;
  }
  for (uint64_t b = 0; b < inner; b++)
    if (alone[b])
      add_pair(t, values, b, &t->whole);
  t->overflows = !fits(t->whole, values->type);
}

static void check_total(const rdx_join_view *got, const total *t, const rdx_column *values) {
  if (got->count != t->count)
    wrong("%" PRIu64 " values added, expected %" PRIu64, got->count, t->count);
  if (got->sum_is_null != (t->count == 0))
    wrong("sum_is_null is %d", got->sum_is_null);
  if (t->count == 0)
    return;
  if (is_float(values->type)) {
    const double expected = exact_round(&t->exact, 1, 0);
    const double error = got->sum_f64 > expected ? got->sum_f64 - expected : expected - got->sum_f64;
    const bool near = error <= t->sizes * (double)t->count * 0x1p-52;
    if (!same_real(got->sum_f64, expected) && !near && t->sizes <= 0x1p1023)
      wrong("sum %.17g, expected %.17g", got->sum_f64, expected);
    return;
  }
  const bool is_unsigned = got->sum_type == RDX_TYPE_U64;
  if (got->sum_scale != values->scale || got->sum_type == RDX_TYPE_F64)
    wrong("the sum is of type %s(%d)", rdx_type_name(got->sum_type), got->sum_scale);
  if (is_unsigned ? got->sum_u64 != (uint64_t)t->whole : got->sum_i64 != (int64_t)t->whole)
    wrong("sum %" PRId64 ", expected %" PRId64, is_unsigned ? (int64_t)got->sum_u64 : got->sum_i64, (int64_t)t->whole);
}

static void destroy_join(void *object) {
  rdx_join_result *join = object;
  rdx_join_result_destroy(&join);
}

static void run(const sides *s, rdx_join_params *params, const rdx_column *values, refusal *r) {
  total t = {0};
  if (params->result == RDX_JOIN_SUM && values) {
    add_up(&t, s, params->kind, values);
    if (t.overflows)
      must_refuse(r, RDX_ERROR_OVERFLOW, "a sum beyond 64 bits");
  }
  const rdx_column left = maybe_upload(s->left), right = maybe_upload(s->right);
  const rdx_column upper = s->upper ? maybe_upload(s->upper) : right, uploaded = values ? maybe_upload(values) : right;
  params->values = values ? &uploaded : NULL;
  rdx_join_result *join = NULL;
  rdx_error err = {""};
  const rdx_status status = s->upper ? rdx_join_between(diff_device, &left, &right, &upper, params, &join, &err)
                                     : rdx_join_equal(diff_device, &left, &right, params, &join, &err);
  if (!passed("join", status, &err, r))
    return;
  at_end(destroy_join, join);
  rdx_join_view got;
  passed("join", rdx_join_result_view(join, &got, &err), &err, NULL);
  if (got.kind != params->kind || got.result != params->result)
    wrong("a result of kind %d, %d", got.kind, got.result);
  if (params->result == RDX_JOIN_SUM) {
    check_total(&got, &t, values);
    return;
  }
  walk w = {.got = &got};
  walk_pairs(&w, s, params->kind);
  if (w.count != got.count)
    wrong("count %" PRIu64 ", expected %" PRIu64, got.count, w.count);
}

static void refuse_options(const rdx_join_params *p, bool between, bool long_strings, refusal *r) {
  const bool sum = p->result == RDX_JOIN_SUM;
  if (sum && p->kind >= RDX_JOIN_SEMI) {
    must_refuse(r, RDX_ERROR_ARGUMENT, "sums of semi and anti joins");
    must_refuse(r, RDX_ERROR_UNSUPPORTED, "sums of semi and anti joins");
  }
  if (sum && !between && p->mapping == RDX_JOIN_MAPPING_INVERSE)
    may_refuse(r, RDX_ERROR_UNSUPPORTED, "floats, the index on the side without values");
  if (sum && between && p->mapping == RDX_JOIN_MAPPING_DIRECT) {
    must_refuse(r, RDX_ERROR_ARGUMENT, "the index on the side without values");
    must_refuse(r, RDX_ERROR_UNSUPPORTED, "the index on the side without values");
  }
  if (between && !rdx_index_method_abilities(p->index.method).ranges)
    may_refuse(r, RDX_ERROR_UNSUPPORTED, "ranges of a hash table");
  if (between && p->mapping == RDX_JOIN_MAPPING_DIRECT && p->index.method != RDX_INDEX_AUTO)
    may_refuse(r, RDX_ERROR_UNSUPPORTED, "ranges over the right side");
  if (between && p->mapping == RDX_JOIN_MAPPING_DIRECT && long_strings)
    may_refuse(r, RDX_ERROR_UNSUPPORTED, "long strings, ranges over the right side");
  if (p->index.method == RDX_INDEX_RX && p->index.rx.duplicate_any_hit)
    may_refuse(r, RDX_ERROR_UNSUPPORTED, "duplicate_any_hit");
  if (between && p->index.method == RDX_INDEX_RX && p->index.rx.published)
    may_refuse(r, RDX_ERROR_UNSUPPORTED, "ranges over many rows of a scene, as published");
}

void joins_case(void) {
  if (!diff_slow && below(1500) == 0) {
    large_joins();
    return;
  }
  const bool between = chance(40);
  const uint64_t max = diff_slow ? 200 : 600;
  uint64_t left_rows = random_rows(max, 0), right_rows = random_rows(max, 0);
  if (below(200) == 0)
    left_rows = 1 + below(20000), right_rows = 1 + below(50);
  if (chance(50)) {
    const uint64_t rows = left_rows;
    left_rows = right_rows;
    right_rows = rows;
  }
  const rdx_type type = random_type(TYPES_KEYS);
  const uint64_t distinct = 1 + magnitude(2 * (left_rows + right_rows));
  const pool p = pool_make(type, distinct, chance(15));
  const rdx_column left = pool_column(&p, left_rows, random_nulls());
  const rdx_column right = chance(50) ? pool_column(&p, right_rows, random_nulls()) : pool_probes(&p, right_rows, 0);
  const rdx_column upper = pool_probes(&p, right_rows, random_nulls());
  const sides s = {&left, &right, between ? &upper : NULL, values_of(&left), values_of(&right), values_of(&upper)};
  refusal r = {0};
  rdx_join_params params = {.kind = (rdx_join_kind)below(4), .result = (rdx_join_result_kind)below(3)};
  params.mapping = (rdx_join_mapping)below(3);
  if (params.result == RDX_JOIN_SUM && chance(90)) { /* mostly what can be added up */
    params.kind = (rdx_join_kind)below(2);
    params.mapping = RDX_JOIN_MAPPING_AUTO;
  }
  const rdx_index_method method = chance(20) ? RDX_INDEX_AUTO : random_index_method(between && chance(98));
  params.index = index_params(method, params.mapping == RDX_JOIN_MAPPING_INVERSE ? &left : &right, &r);
  if (params.index.hash.build == RDX_HASH_BUILD_INSERT && !all_distinct(&left)) /* the index may be over this side */
    may_refuse(&r, RDX_ERROR_UNSUPPORTED, "equal keys of build=insert");
  if (method == RDX_INDEX_RX && params.index.rx.key_mode != RDX_RX_KEY_3D)
    may_refuse(&r, RDX_ERROR_RANGE, "keys beyond the key mode");
  const rdx_type value_type = random_type(TYPES_SUM);
  const pool v = pool_make(value_type, 1 + distinct, chance(60));
  const rdx_column values = pool_column(&v, between ? left_rows : right_rows, random_nulls());
  watch("left", &left);
  watch(between ? "lower" : "right", &right);
  if (between)
    watch("upper", &upper);
  const bool sum = params.result == RDX_JOIN_SUM;
  if (sum)
    watch("values", &values);
  note("join kind %d, result %d, mapping %d, ", params.kind, params.result, params.mapping);
  index_note(&params.index);
  refuse_options(&params, between, has_long_strings(&left) || has_long_strings(&right) || has_long_strings(&upper), &r);
  run(&s, &params, sum ? &values : NULL, &r);
}
