/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors
 *
 * Lookups and joins so large that they are partitioned or split, against rows that are sorted here. */

#include "diff.h"

#include <inttypes.h>
#include <stdlib.h>

/* Rows that are not NULL, by value, then by number. */
typedef struct sorted {
  const value *values;
  uint32_t *rows;
  uint64_t count;
  i128 *sums; /* of the values that are added up, of the rows before each */
} sorted;

static const value *sorted_values;

static int compare_by_value(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  const int order = value_compare(&sorted_values[x], &sorted_values[y]);
  return order ? order : x < y ? -1 : x > y;
}

static sorted sort_rows(const rdx_column *column, const rdx_column *added) {
  sorted s = {.values = values_of(column), .rows = take(column->rows * sizeof(uint32_t))};
  for (uint64_t i = 0; i < column->rows; i++)
    if (s.values[i].kind != VALUE_NULL)
      s.rows[s.count++] = (uint32_t)i;
  sorted_values = s.values;
  qsort(s.rows, s.count, sizeof *s.rows, compare_by_value);
  s.sums = take((s.count + 1) * sizeof *s.sums);
  s.sums[0] = 0;
  for (uint64_t i = 0; i < s.count; i++)
    s.sums[i + 1] = s.sums[i] + value_at(added, s.rows[i]).whole;
  return s;
}

/* How many sorted rows lie below a value, or, with `equal`, are not above it. */
static uint64_t rows_below(const sorted *s, const value *v, bool equal) {
  uint64_t low = 0, high = s->count;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    const int order = value_compare(&s->values[s->rows[middle]], v);
    if (order < 0 || (equal && order == 0))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void span_of(const sorted *s, const value *lower, const value *upper, uint64_t *begin, uint64_t *end) {
  *begin = *end = 0;
  if (lower->kind == VALUE_NULL || upper->kind == VALUE_NULL || value_compare(lower, upper) > 0)
    return;
  *begin = rows_below(s, lower, false);
  *end = rows_below(s, upper, true);
}

static pool number_pool(void) {
  static const rdx_type types[] = {RDX_TYPE_U32, RDX_TYPE_I32, RDX_TYPE_U64, RDX_TYPE_I64, RDX_TYPE_DATE, RDX_TYPE_F64};
  const rdx_type type = types[below(6)];
  const uint64_t count = 1 + magnitude(200000);
  return pool_make(type, count, chance(10));
}

/* ---- Lookups ---- */

static void destroy_index(void *object) {
  rdx_index *index = object;
  rdx_index_destroy(&index);
}

static void destroy_result(void *object) {
  rdx_lookup_result *result = object;
  rdx_lookup_result_destroy(&result);
}

/* Of ranges only the first row of short ones is looked for. */
static void check_probe(const rdx_lookup_view *got, const sorted *s, uint64_t i, uint64_t begin, uint64_t end) {
  const uint64_t count = end - begin;
  if (got->kind != RDX_LOOKUP_FIRST && got->count[i] != count)
    wrong("probe %" PRIu64 ": count %u, expected %" PRIu64, i, got->count[i], count);
  if (got->kind == RDX_LOOKUP_SUM && got->sum_i64[i] != (int64_t)(s->sums[end] - s->sums[begin]))
    wrong("probe %" PRIu64 ": sum %" PRId64, i, got->sum_i64[i]);
  if (got->kind != RDX_LOOKUP_FIRST || count > 1000)
    return;
  uint32_t first = RDX_NO_ROW;
  for (uint64_t k = begin; k < end; k++)
    first = s->rows[k] < first ? s->rows[k] : first;
  if (got->first[i] != first)
    wrong("probe %" PRIu64 ": first %u, expected %u", i, got->first[i], first);
}

static void look_up(const rdx_index *index, const sorted *s, const pool *p, const rdx_column *added, bool ranges) {
  const uint64_t count = chance(50) ? 1000000 + below(300000) : 1 + below(200000);
  const rdx_column lower = pool_probes(p, count, chance(70) ? 0 : 5);
  const rdx_column upper = ranges ? pool_probes(p, count, 0) : lower;
  const rdx_column lower_view = maybe_upload(&lower), upper_view = ranges ? maybe_upload(&upper) : lower_view;
  rdx_lookup_params params = {.result = (rdx_lookup_result_kind)below(RDX_LOOKUP_ROWS), .sort_probes = chance(40)};
  if (params.result == RDX_LOOKUP_SUM)
    params.values = added;
  note("%" PRIu64 " %s, result %d, sort %d, device %d %d\n", count, ranges ? "ranges" : "points", (int)params.result,
       params.sort_probes, lower_view.device != NULL, upper_view.device != NULL);
  rdx_lookup_result *result = NULL;
  rdx_lookup_view got;
  rdx_error err = {""};
  const rdx_status status = ranges ? rdx_index_range(index, &lower_view, &upper_view, &params, &result, &err)
                                   : rdx_index_lookup(index, &lower_view, &params, &result, &err);
  passed("large lookup", status, &err, NULL);
  at_end(destroy_result, result);
  passed("reading a result", rdx_lookup_result_view(result, &got, &err), &err, NULL);
  for (uint64_t i = 0; i < count; i++) {
    uint64_t begin, end;
    const value low = value_at(&lower, i), high = value_at(&upper, i);
    span_of(s, &low, &high, &begin, &end);
    check_probe(&got, s, i, begin, end);
  }
}

void large_lookups(void) {
  static const rdx_index_method kinds[] = {RDX_INDEX_AUTO, RDX_INDEX_SORTED_ARRAY, RDX_INDEX_TREE, RDX_INDEX_BTREE,
                                           RDX_INDEX_HASH, RDX_INDEX_RADIX_HASH,   RDX_INDEX_CGRX};
  const rdx_index_params params = {.method = kinds[below(7)]};
  const pool p = number_pool();
  const uint64_t rows = 1 + below(150000);
  const rdx_column keys = pool_column(&p, rows, random_nulls());
  const pool v = pool_make(RDX_TYPE_I32, 100, true);
  const rdx_column added = pool_column(&v, rows, 0);
  const sorted s = sort_rows(&keys, &added);
  note("large: ");
  index_note(&params);
  watch("keys", &keys);
  rdx_index *index = NULL;
  rdx_error err = {""};
  const rdx_column view = maybe_upload(&keys);
  passed("large index", rdx_index_create(diff_device, &view, &params, &index, &err), &err, NULL);
  at_end(destroy_index, index);
  look_up(index, &s, &p, &added, rdx_index_method_abilities(params.method).ranges && chance(40));
}

/* ---- Joins ---- */

static void destroy_join(void *object) {
  rdx_join_result *join = object;
  rdx_join_result_destroy(&join);
}

static void check_join(const rdx_join_view *got, const rdx_column *left, const sorted *right) {
  uint64_t at = 0;
  i128 sum = 0;
  for (uint64_t i = 0; i < left->rows; i++) {
    uint64_t begin, end;
    const value v = value_at(left, i);
    span_of(right, &v, &v, &begin, &end);
    sum += right->sums[end] - right->sums[begin];
    if (got->kind == RDX_JOIN_SEMI || got->kind == RDX_JOIN_ANTI)
      end = begin + ((begin < end) == (got->kind == RDX_JOIN_SEMI));
    else if (got->kind == RDX_JOIN_LEFT && begin == end && got->result != RDX_JOIN_SUM)
      end++;
    for (uint64_t k = begin; got->result == RDX_JOIN_PAIRS && k < end; k++, at++) {
      if (at >= got->count || got->left_rows[at] != i)
        wrong("pair %" PRIu64 " should be of left row %" PRIu64, at, i);
      if (got->kind <= RDX_JOIN_LEFT && v.kind != VALUE_NULL && got->right_rows[at] != RDX_NO_ROW &&
          got->right_rows[at] != right->rows[k])
        wrong("pair %" PRIu64 ": right row %u, expected %u", at, got->right_rows[at], right->rows[k]);
    }
    at += got->result == RDX_JOIN_PAIRS ? 0 : end - begin;
  }
  if (got->count != at)
    wrong("count %" PRIu64 ", expected %" PRIu64, got->count, at);
  if (got->result == RDX_JOIN_SUM && got->sum_i64 != (int64_t)sum)
    wrong("sum %" PRId64, got->sum_i64);
}

/* How many pairs there are: too many take too long. */
static uint64_t count_pairs(const rdx_column *left, const sorted *right) {
  uint64_t count = 0;
  for (uint64_t i = 0; i < left->rows; i++) {
    uint64_t begin, end;
    const value v = value_at(left, i);
    span_of(right, &v, &v, &begin, &end);
    count += end - begin;
  }
  return count;
}

void large_joins(void) {
  const pool p = number_pool();
  const uint64_t left_rows = 1 + below(300000), right_rows = 1 + below(300000);
  const rdx_column left = pool_column(&p, left_rows, random_nulls());
  const rdx_column right = pool_column(&p, right_rows, random_nulls());
  const pool v = pool_make(RDX_TYPE_I32, 100, true);
  const rdx_column added = pool_column(&v, right_rows, 0);
  const sorted s = sort_rows(&right, &added);
  const uint64_t pairs = count_pairs(&left, &s);
  if (pairs > 30000000)
    return;
  rdx_join_params params = {.kind = (rdx_join_kind)below(4), .result = (rdx_join_result_kind)below(3)};
  if (params.result == RDX_JOIN_SUM) {
    params.kind = (rdx_join_kind)below(2);
    params.values = &added;
  } else if (pairs > 3000000) {
    params.result = RDX_JOIN_COUNT;
  }
  static const rdx_index_method kinds[] = {RDX_INDEX_AUTO, RDX_INDEX_RADIX_HASH, RDX_INDEX_HASH, RDX_INDEX_TREE};
  params.index.method = kinds[below(4)];
  note("large: join kind %d, result %d, ", (int)params.kind, (int)params.result);
  index_note(&params.index);
  watch("left", &left);
  watch("right", &right);
  const rdx_column left_view = maybe_upload(&left), right_view = maybe_upload(&right);
  rdx_join_result *join = NULL;
  rdx_join_view got;
  rdx_error err = {""};
  passed("large join", rdx_join_equal(diff_device, &left_view, &right_view, &params, &join, &err), &err, NULL);
  at_end(destroy_join, join);
  passed("large join", rdx_join_result_view(join, &got, &err), &err, NULL);
  check_join(&got, &left, &s);
}
