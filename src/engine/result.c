/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Results: the columns of groups, and of those the rows that are left. */

#include "engine/result.h"

#include <math.h>
#include <string.h>

#include "base/wide.h"
#include "index/keys.h"

static rdx_status make_array(rdx_finishing *f, uint64_t count, size_t size, void *out, rdx_error *err) {
  void *array = NULL;
  RDX_TRY(rdx_arena_alloc(&f->arena, count, size, "the values of a result", &array, err));
  memcpy(out, &array, sizeof array);
  return RDX_OK;
}

/* ---- The attributes of groups ---- */

/* Numbers below 2^32 are divided by multiplying: 2^64 / divisor, rounded up, is so near that the quotient is exact. */
static inline uint64_t quotient(uint64_t number, uint64_t divisor, uint64_t inverse) {
  return inverse ? (uint64_t)((rdx_i128)number * inverse >> 64) : number / divisor;
}

static uint64_t inverse_of(uint64_t divisor, uint64_t numbers) {
  return divisor > 1 && numbers <= UINT32_MAX ? UINT64_MAX / divisor + 1 : 0;
}

/* The codes of one of the attributes in groups of these numbers. */
static void decode_groups(const rdx_plan *p, uint32_t attribute, const uint64_t *numbers, uint64_t count,
                          uint64_t *codes) {
  const uint64_t low = p->group_low[attribute], stride = p->group_stride[attribute], width = p->group_width[attribute];
  const uint64_t by_stride = inverse_of(stride, p->groups), by_width = inverse_of(width, p->groups);
  const rdx_code_places *places = p->group_places[attribute];
  const uint64_t *rest = numbers;
  if (stride > 1) {
    for (uint64_t i = 0; i < count; i++)
      codes[i] = quotient(numbers[i], stride, by_stride);
    rest = codes;
  }
  if (attribute == 0) /* nothing is above it */
    for (uint64_t i = 0; i < count; i++)
      codes[i] = low + rest[i];
  else
    for (uint64_t i = 0; i < count; i++)
      codes[i] = low + rest[i] - quotient(rest[i], width, by_width) * width;
  for (uint64_t i = 0; places && i < count; i++)
    codes[i] = places->codes[codes[i]];
}

/* A column of an attribute; its codes are still to be listed. */
static void begin_group(rdx_finishing *f, uint32_t number) {
  const rdx_plan *p = f->plan;
  const rdx_code_places *places = p->group_places[number];
  const uint64_t low = p->group_low[number], high = low + p->group_width[number] - 1;
  const rdx_coded *c = &p->relation->attributes[p->query->group_by[number]];
  f->columns[number] = (rdx_group_column){.attribute = c,
                                          .nulls = c->nulls,
                                          .low = places && f->groups->count > 0 ? places->codes[low] : low,
                                          .high = places && f->groups->count > 0 ? places->codes[high] : high};
}

rdx_status rdx_group_codes(rdx_finishing *f, uint32_t column, rdx_error *err) {
  uint64_t *codes = NULL;
  if (f->columns[column].codes)
    return RDX_OK;
  RDX_TRY(make_array(f, f->groups->count, sizeof *codes, &codes, err));
  decode_groups(f->plan, column, f->groups->numbers, f->groups->count, codes);
  f->columns[column].codes = codes;
  return RDX_OK;
}

/* ---- Aggregates ---- */

/* How many values a group has that are not NULL. */
static uint64_t count_of(const rdx_finishing *f, uint32_t measure, uint64_t group) {
  const uint64_t *counts = measure == UINT32_MAX ? NULL : f->groups->values[measure].counts;
  return counts ? counts[group] : f->groups->rows[group];
}

static bool is_empty(const rdx_finishing *f, uint32_t measure, uint64_t group) {
  const uint64_t *counts = f->groups->values[measure].counts;
  return counts && counts[group] == 0;
}

static rdx_i128 sum_of(const rdx_finishing *f, uint32_t measure, uint64_t group) {
  const rdx_group_values *v = &f->groups->values[measure];
  return v->sums ? v->sums[group] : v->wide_sums[group];
}

static rdx_status make_validity(rdx_finishing *f, uint32_t measure, rdx_group_column *out, rdx_error *err) {
  const uint64_t n = f->groups->count;
  uint8_t *validity = NULL;
  for (uint64_t i = 0; i < n && f->groups->values[measure].counts && !out->nulls; i++)
    out->nulls = is_empty(f, measure, i);
  if (!out->nulls || out->attribute)
    return RDX_OK;
  RDX_TRY(make_array(f, (n + 7) / 8, 1, &validity, err));
  memset(validity, 0, (n + 7) / 8);
  for (uint64_t i = 0; i < n; i++)
    validity[i / 8] |= (uint8_t)(!is_empty(f, measure, i) << i % 8);
  out->values.validity = validity;
  return RDX_OK;
}

/* Those of no values are 0, as the value of a NULL is. */
static rdx_status make_sums(const rdx_finishing *f, uint32_t measure, int64_t *values, rdx_error *err) {
  const rdx_group_values *v = &f->groups->values[measure];
  if (v->sums)
    memcpy(values, v->sums, f->groups->count * sizeof *values);
  for (uint64_t i = 0; !v->sums && i < f->groups->count; i++) {
    const rdx_i128 sum = v->wide_sums[i];
    if (sum < INT64_MIN || sum > INT64_MAX)
      return rdx_fail(err, RDX_ERROR_OVERFLOW, "a sum does not fit 64 bits: it is about %.6g", (double)sum);
    values[i] = (int64_t)sum;
  }
  return RDX_OK;
}

static void make_averages(const rdx_finishing *f, uint32_t measure, double *values) {
  rdx_i128 scale = 1;
  for (uint8_t i = 0; i < f->plan->measures[measure].scale; i++)
    scale *= 10;
  for (uint64_t i = 0; i < f->groups->count; i++) {
    const uint64_t count = count_of(f, measure, i);
    rdx_wide sum = {0};
    rdx_wide_add(&sum, sum_of(f, measure, i), 0);
    values[i] = count > 0 ? rdx_wide_quotient(&sum, 0, count * scale) : 0;
  }
}

/* What values that are not finite make of a sum; 0: there are none. */
static double special_sum(const rdx_finishing *f, const rdx_float_sum *sum, uint64_t group) {
  if (!sum->digits->special)
    return 0;
  const rdx_i128 all = sum_of(f, sum->measures[sum->digits->count], group);
  const bool up = all % RDX_SPECIAL_DOWN > 0, down = all >= RDX_SPECIAL_DOWN;
  return up && down ? NAN : up ? INFINITY : down ? -INFINITY : 0;
}

/* Sums of floats, or their averages: rounded once. */
static rdx_status make_float_sums(const rdx_finishing *f, uint32_t number, double *values, rdx_error *err) {
  const rdx_float_sum *sum = &f->plan->float_sums[number];
  const bool average = f->plan->query->aggregates[number].kind == RDX_AGGREGATE_AVG;
  for (uint64_t i = 0; i < f->groups->count; i++) {
    const bool empty = is_empty(f, sum->measures[0], i);
    rdx_wide all = {0};
    values[i] = empty ? 0 : special_sum(f, sum, i);
    if (empty || values[i] != 0)
      continue;
    for (uint32_t k = 0; k < sum->digits->count; k++)
      rdx_wide_add(&all, sum_of(f, sum->measures[k], i), k * sum->digits->bits);
    values[i] = rdx_wide_quotient(&all, sum->digits->exponent, average ? count_of(f, sum->measures[0], i) : 1);
    if (isinf(values[i]))
      return rdx_fail(err, RDX_ERROR_OVERFLOW, "%s passes the largest float", average ? "an average" : "a sum");
  }
  return RDX_OK;
}

/* MIN or MAX of an attribute: as codes again, so that the column gets its type. */
static rdx_status begin_extremes(rdx_finishing *f, uint32_t measure, bool most, rdx_group_column *out, rdx_error *err) {
  const rdx_group_values *v = &f->groups->values[measure];
  const rdx_coded *c = &f->plan->relation->attributes[f->plan->measures[measure].steps->attribute];
  uint64_t *codes = NULL;
  RDX_TRY(make_array(f, f->groups->count, sizeof *codes, &codes, err));
  for (uint64_t i = 0; i < f->groups->count; i++) {
    codes[i] = is_empty(f, measure, i) ? c->count : (uint64_t)(most ? v->most[i] : v->least[i]);
    if (codes[i] >= c->count && !is_empty(f, measure, i))
      return rdx_returned_wrong(f->plan->relation->device, codes[i], 0, c->count - 1, "a code of a group", err);
  }
  *out = (rdx_group_column){.attribute = c, .codes = codes, .high = c->count - (c->count > 0)};
  return RDX_OK;
}

/* Numbers, as the type of the attribute or of calculated values. */
static rdx_status make_numbers(rdx_finishing *f, uint32_t measure, bool most, rdx_type type, void *values,
                               rdx_error *err) {
  const uint64_t zero = rdx_key_zero(type);
  const rdx_group_values *v = &f->groups->values[measure];
  uint64_t *keys = NULL;
  RDX_TRY(make_array(f, f->groups->count, sizeof *keys, &keys, err));
  for (uint64_t i = 0; i < f->groups->count; i++)
    keys[i] = is_empty(f, measure, i) ? zero : (uint64_t)(most ? v->most[i] : v->least[i]) + zero;
  rdx_keys_decode(type, keys, f->groups->count, values);
  return RDX_OK;
}

static rdx_type type_of(const rdx_finishing *f, uint32_t number) {
  const rdx_aggregate *a = &f->plan->query->aggregates[number];
  const uint32_t measure = f->plan->aggregate_measure[number];
  const rdx_measure *m = measure == UINT32_MAX ? NULL : &f->plan->measures[measure];
  if (a->kind == RDX_AGGREGATE_COUNT)
    return RDX_TYPE_U64;
  if (a->kind == RDX_AGGREGATE_AVG || f->plan->float_sums[number].digits)
    return RDX_TYPE_F64;
  if (a->kind != RDX_AGGREGATE_SUM && a->expression->kind == RDX_EXPRESSION_ATTRIBUTE)
    return f->plan->relation->attributes[a->expression->attribute].source.type;
  return m->scale > 0 ? RDX_TYPE_DECIMAL : RDX_TYPE_I64;
}

static rdx_status make_aggregate(rdx_finishing *f, uint32_t number, rdx_group_column *out, rdx_error *err) {
  const rdx_aggregate *a = &f->plan->query->aggregates[number];
  const uint32_t measure = f->plan->aggregate_measure[number];
  const rdx_type type = type_of(f, number);
  const bool most = a->kind == RDX_AGGREGATE_MAX;
  void *values = NULL;
  if ((a->kind == RDX_AGGREGATE_MIN || most) && !f->plan->measures[measure].numeric) {
    RDX_TRY(begin_extremes(f, measure, most, out, err));
    return make_validity(f, measure, out, err);
  }
  RDX_TRY(make_array(f, f->groups->count, rdx_type_size(type), &values, err));
  *out = (rdx_group_column){.values = {.type = type,
                                       .scale = type == RDX_TYPE_DECIMAL ? f->plan->measures[measure].scale : 0,
                                       .rows = f->groups->count,
                                       .values = values}};
  if (f->plan->float_sums[number].digits) {
    RDX_TRY(make_float_sums(f, number, values, err));
    return make_validity(f, measure, out, err);
  }
  switch (a->kind) {
  case RDX_AGGREGATE_COUNT:
    for (uint64_t i = 0; i < f->groups->count; i++)
      ((uint64_t *)values)[i] = count_of(f, measure, i);
    return RDX_OK;
  case RDX_AGGREGATE_SUM:
    RDX_TRY(make_sums(f, measure, values, err));
    break;
  case RDX_AGGREGATE_AVG:
    make_averages(f, measure, values);
    break;
  default:
    RDX_TRY(make_numbers(f, measure, most, type, values, err));
    break;
  }
  return make_validity(f, measure, out, err);
}

/* ---- The rows that are left ---- */

static void take_numbers(const uint64_t *from, const uint64_t *rows, uint64_t count, uint64_t *out) {
  for (uint64_t i = 0; i < count; i++)
    out[i] = from[rows[i]];
}

static rdx_status take_values(const rdx_finishing *f, const rdx_column *from, rdx_arena *arena, rdx_column *out,
                              rdx_error *err) {
  const size_t size = rdx_type_size(from->type);
  const uint64_t *rows = f->rows, n = f->count;
  char *values = NULL;
  uint8_t *validity = NULL;
  *out = (rdx_column){.type = from->type, .scale = from->scale, .rows = n};
  RDX_TRY(rdx_arena_alloc(arena, n, size, "the values of a result", (void **)&values, err));
  out->values = values;
  if (!rows)
    memcpy(values, from->values, n * size);
  for (uint64_t i = 0; rows && i < n && size == 8; i++) /* most results: words are copied */
    memcpy(values + i * 8, (const char *)from->values + rows[i] * 8, 8);
  for (uint64_t i = 0; rows && i < n && size != 8; i++)
    memcpy(values + i * size, (const char *)from->values + rows[i] * size, size);
  if (!from->validity)
    return RDX_OK;
  RDX_TRY(rdx_arena_alloc(arena, (n + 7) / 8, 1, "the NULL bits of a result", (void **)&validity, err));
  memset(validity, 0, (n + 7) / 8);
  for (uint64_t i = 0; i < n; i++)
    validity[i / 8] |= (uint8_t)(rdx_column_has(from, rows ? rows[i] : i) << i % 8);
  out->validity = validity;
  return RDX_OK;
}

typedef struct taking {
  const rdx_finishing *f;
  const uint64_t *numbers; /* of the rows' groups; NULL: not listed yet */
  uint64_t *room;          /* for them, then for codes of the rows */
  rdx_query_result *result;
} taking;

static rdx_status take_codes(taking *t, uint32_t column, rdx_column *out, rdx_error *err) {
  const rdx_finishing *f = t->f;
  const rdx_group_column *c = &f->columns[column];
  uint64_t *const room = t->room + f->count;
  const uint64_t *codes = c->codes && !f->rows ? c->codes : room;
  if (!t->numbers && f->rows)
    take_numbers(f->groups->numbers, f->rows, f->count, t->room);
  t->numbers = f->rows ? t->room : f->groups->numbers;
  if (!c->codes)
    decode_groups(f->plan, column, t->numbers, f->count, room);
  else if (f->rows)
    take_numbers(c->codes, f->rows, f->count, room);
  return rdx_coded_values(c->attribute, codes, f->count, c->nulls, &t->result->arena, out, err);
}

static rdx_status take_columns(rdx_finishing *f, rdx_query_result *result, rdx_error *err) {
  taking t = {.f = f, .result = result};
  RDX_TRY(make_array(f, 2 * f->count, sizeof *t.room, &t.room, err));
  RDX_TRY(rdx_arena_alloc(&result->arena, f->column_count, sizeof *result->columns, "a result",
                          (void **)&result->columns, err));
  for (uint32_t i = 0; i < f->column_count; i++)
    RDX_TRY(f->columns[i].attribute ? take_codes(&t, i, &result->columns[i], err)
                                    : take_values(f, &f->columns[i].values, &result->arena, &result->columns[i], err));
  result->rows = f->count;
  result->count = f->column_count;
  return RDX_OK;
}

/* ---- Results ---- */

static rdx_status finish(rdx_finishing *f, rdx_query_result *result, rdx_error *err) {
  const rdx_query *q = f->plan->query;
  RDX_TRY(make_array(f, f->column_count, sizeof *f->columns, &f->columns, err));
  for (uint32_t i = 0; i < q->group_count; i++)
    begin_group(f, i);
  for (uint32_t i = 0; i < q->aggregate_count; i++)
    RDX_TRY(make_aggregate(f, i, &f->columns[q->group_count + i], err));
  RDX_TRY(rdx_groups_order(f, err));
  return take_columns(f, result, err);
}

/* Without GROUP BY there is a group of no rows, too. */
static rdx_groups group_of_nothing(void) {
  static uint64_t none[2];
  rdx_groups one = {.count = 1, .ascending = true, .numbers = none, .rows = none};
  for (uint32_t i = 0; i < RDX_MOST_MEASURES; i++)
    one.values[i] =
        (rdx_group_values){.counts = none, .sums = (int64_t *)none, .least = (int64_t *)none, .most = (int64_t *)none};
  return one;
}

rdx_status rdx_groups_finish(const rdx_plan *plan, const rdx_groups *groups, rdx_query_result **out, rdx_error *err) {
  rdx_groups nothing;
  rdx_query_result *result = NULL;
  const bool bare = groups->count == 0 && plan->query->group_count == 0;
  if (bare)
    nothing = group_of_nothing();
  rdx_finishing f = {.plan = plan,
                     .groups = bare ? &nothing : groups,
                     .column_count = plan->query->group_count + plan->query->aggregate_count,
                     .count = bare ? 1 : groups->count};
  RDX_TRY(rdx_calloc(1, sizeof *result, "a result", (void **)&result, err));
  const rdx_status status = finish(&f, result, err);
  rdx_arena_free(&f.arena);
  result->stats.groups = groups->count;
  if (status == RDX_OK)
    *out = result;
  else
    rdx_query_result_destroy(&result);
  return status;
}

uint64_t rdx_query_result_rows(const rdx_query_result *result) {
  return result->rows;
}

uint32_t rdx_query_result_columns(const rdx_query_result *result) {
  return result->count;
}

const rdx_column *rdx_query_result_column(const rdx_query_result *result, uint32_t index) {
  return index < result->count ? &result->columns[index] : NULL;
}

void rdx_query_result_get_stats(const rdx_query_result *result, rdx_query_stats *out) {
  *out = result->stats;
}

void rdx_query_result_destroy(rdx_query_result **result) {
  if (!result || !*result)
    return;
  rdx_arena_free(&(*result)->arena);
  rdx_free(*result);
  *result = NULL;
}
