/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Results: the columns of groups, and of those the rows that are left. */

#include "star/result.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/wide.h"
#include "column/keys.h"
#include "base/numbers.h"

static rdx_status make_array(rdx_finishing *f, uint64_t count, size_t size, void *out, rdx_error *err) {
  void *array = NULL;
  RDX_TRY(rdx_arena_alloc(f->arena, count, size, "the values of a result", &array, err));
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
static void decode_some(const rdx_plan *p, uint32_t attribute, const uint64_t *numbers, uint64_t count,
                        uint64_t *codes) {
  const uint64_t low = p->group_low[attribute], stride = p->group_stride[attribute], width = p->group_width[attribute];
  const uint64_t by_stride = inverse_of(stride, p->groups), by_width = inverse_of(width, p->groups);
  const rdx_encoded_column *dense = p->group_dense[attribute];
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
  for (uint64_t i = 0; dense && i < count; i++)
    codes[i] = dense->dictionary->keys[codes[i]];
}

typedef struct decoding {
  const rdx_plan *plan;
  uint32_t attribute;
  const uint64_t *numbers;
  uint64_t *codes;
} decoding;

static void decode_piece(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  const decoding *d = context;
  decode_some(d->plan, d->attribute, d->numbers + begin, end - begin, d->codes + begin);
}

#define PIECE 16384 /* groups */

static rdx_status decode_groups(const rdx_plan *p, uint32_t attribute, const uint64_t *numbers, uint64_t count,
                                uint64_t *codes, rdx_error *err) {
  decoding d = {p, attribute, numbers, codes};
  return rdx_device_run_stage_on_host(p->relation->device, count, PIECE, decode_piece, &d, "query", err);
}

/* A column of an attribute; its codes are still to be listed. */
static void begin_group(rdx_finishing *f, uint32_t number) {
  const rdx_plan *p = f->plan;
  const rdx_encoded_column *dense = p->group_dense[number];
  const uint64_t low = p->group_low[number], high = low + p->group_width[number] - 1;
  const rdx_encoded_column *c = &p->relation->attributes[p->query->group_by[number]];
  f->columns[number] = (rdx_group_column){.attribute = c,
                                          .nulls = c->nulls,
                                          .low = dense && f->groups->count > 0 ? dense->dictionary->keys[low] : low,
                                          .high = dense && f->groups->count > 0 ? dense->dictionary->keys[high] : high};
}

rdx_status rdx_group_codes(rdx_finishing *f, uint32_t column, rdx_error *err) {
  uint64_t *codes = NULL;
  if (f->columns[column].codes)
    return RDX_OK;
  RDX_TRY(make_array(f, f->groups->count, sizeof *codes, &codes, err));
  RDX_TRY(decode_groups(f->plan, column, f->groups->numbers, f->groups->count, codes, err));
  f->columns[column].codes = codes;
  return RDX_OK;
}

/* ---- Aggregates ---- */

/* What groups have of a measure: that of a group of nothing is all 0. */
static const rdx_group_values *values_of(const rdx_finishing *f, uint32_t measure) {
  return &f->groups[f->is_nothing ? 0 : measure / RDX_MAX_MEASURES].values[measure % RDX_MAX_MEASURES];
}

/* How many values each group has that are not NULL. */
static const uint64_t *counts_of(const rdx_finishing *f, uint32_t measure) {
  const uint64_t *counts = measure == UINT32_MAX ? NULL : values_of(f, measure)->counts;
  return counts ? counts : f->groups->rows;
}

static bool is_empty(const rdx_finishing *f, uint32_t measure, uint64_t group) {
  const uint64_t *counts = values_of(f, measure)->counts;
  return counts && counts[group] == 0;
}

static rdx_i128 sum_of(const rdx_finishing *f, uint32_t measure, uint64_t group) {
  const rdx_group_values *v = values_of(f, measure);
  return v->sums ? v->sums[group] : v->wide_sums[group];
}

static rdx_status make_validity(rdx_finishing *f, uint32_t measure, rdx_group_column *out, rdx_error *err) {
  const uint64_t n = f->groups->count, *counts = values_of(f, measure)->counts;
  uint8_t *validity = NULL;
  for (uint64_t i = 0; i < n && counts && !out->nulls; i++)
    out->nulls = counts[i] == 0;
  if (!out->nulls || out->attribute)
    return RDX_OK;
  RDX_TRY(make_array(f, (n + 7) / 8, 1, &validity, err));
  memset(validity, 0, (n + 7) / 8);
  for (uint64_t i = 0; i < n; i++)
    validity[i / 8] |= (uint8_t)((counts[i] > 0) << i % 8);
  out->values.validity = validity;
  return RDX_OK;
}

/* ---- Aggregates that do not fit ---- */

/* The text of a code, for errors. */
static void name_value(const rdx_encoded_column *c, uint64_t code, char *text, size_t size) {
  const rdx_type type = c->type;
  const bool is_float = rdx_encoded_column_is_float(c), is_time = type == RDX_TYPE_DATE || type == RDX_TYPE_TIMESTAMP;
  if (code >= c->count) {
    snprintf(text, size, "NULL");
    return;
  }
  if (type == RDX_TYPE_STRING) {
    const uint64_t *from = c->dictionary->offsets + code;
    const uint64_t length = from[1] - from[0];
    snprintf(text, size, "'%.*s'", (int)(length < 20 ? length : 20), c->dictionary->bytes + from[0]);
    return;
  }
  const uint64_t key = rdx_encoded_column_key(c, code);
  const rdx_i128 value = rdx_encoded_column_value_of_key(c, key);
  if (is_time) {
    const rdx_i128 day = 86400 * (rdx_i128)1000000, micros = type == RDX_TYPE_DATE ? value * day : value;
    const time_t seconds = (time_t)((micros - (micros < 0 ? 999999 : 0)) / 1000000);
    struct tm parts;
    if (gmtime_r(&seconds, &parts))
      strftime(text, size, type == RDX_TYPE_DATE ? "%Y-%m-%d" : "%Y-%m-%d %H:%M:%S", &parts);
  } else if (is_float) {
    double wide = 0;
    float narrow = 0;
    rdx_keys_decode(type, &key, 1, type == RDX_TYPE_F64 ? (void *)&wide : &narrow);
    rdx_text_print(text, size, "%.9g", type == RDX_TYPE_F64 ? wide : (double)narrow);
  } else if (type == RDX_TYPE_DECIMAL) {
    rdx_text_print(text, size, "%.15g", (double)value / pow(10, c->scale));
  } else {
    snprintf(text, size, value < 0 ? "-%llu" : "%llu", (unsigned long long)(value < 0 ? -value : value));
  }
}

/* " (year 1994, city 'Rome')" for a group. */
static void name_group(const rdx_finishing *f, uint64_t group, char *text, size_t size) {
  const rdx_query *q = f->plan->query;
  for (uint32_t i = 0; i < q->group_count; i++) {
    const size_t used = strlen(text);
    char value[64] = "";
    uint64_t code = 0;
    decode_some(f->plan, i, &f->groups->numbers[group], 1, &code);
    name_value(&f->plan->relation->attributes[q->group_by[i]], code, value, sizeof value);
    snprintf(text + used, size - used, "%s%.20s %s%s", i ? ", " : " (", f->plan->relation->names[q->group_by[i]], value,
             i + 1 < q->group_count ? "" : ")");
  }
}

static uint8_t scale_of(const rdx_finishing *f, uint32_t number) {
  return f->plan->wide[number].limbs ? f->plan->wide[number].scale
                                     : f->plan->measures[f->plan->aggregate_measure[number]].scale;
}

/* The error about an aggregate of a group that does not fit its type. */
static rdx_status fail_overflow(const rdx_finishing *f, uint32_t number, uint64_t group, double about, rdx_error *err) {
  static const char *const names[] = {[RDX_AGGREGATE_SUM] = "sum",
                                      [RDX_AGGREGATE_AVG] = "average",
                                      [RDX_AGGREGATE_MIN] = "least value",
                                      [RDX_AGGREGATE_MAX] = "largest value"};
  const rdx_query *q = f->plan->query;
  const rdx_aggregate *a = &q->aggregates[number];
  const bool plain = a->expression->kind == RDX_EXPRESSION_ATTRIBUTE, floats = f->plan->wide[number].floats;
  char where[160] = "", size[64] = "";
  if (q->group_count > 0)
    name_group(f, group, where, sizeof where);
  if (!floats && scale_of(f, number) > 0)
    snprintf(size, sizeof size, " with %u digits after the point", scale_of(f, number));
  if (!isinf(about))
    rdx_text_print(size + strlen(size), sizeof size - strlen(size), ": it is about %.6g", about);
  return rdx_fail(err, RDX_ERROR_OVERFLOW, "the %s of %.40s%s %s%s", names[a->kind],
                  plain ? f->plan->relation->names[a->expression->attribute] : "an expression", where,
                  floats ? "passes the largest float" : "does not fit 64 bits", size);
}

/* ---- Sums and averages ---- */

/* Those of no values are 0, as the value of a NULL is. */
static rdx_status make_sums(const rdx_finishing *f, uint32_t number, uint32_t measure, int64_t *values,
                            rdx_error *err) {
  const rdx_group_values *v = values_of(f, measure);
  const double scale = pow(10, f->plan->measures[measure].scale);
  if (v->sums)
    rdx_device_copy_on_host(f->plan->relation->device, values, v->sums, f->groups->count * sizeof *values);
  for (uint64_t i = 0; !v->sums && i < f->groups->count; i++) {
    const rdx_i128 sum = v->wide_sums[i];
    if (sum < INT64_MIN || sum > INT64_MAX)
      return fail_overflow(f, number, i, (double)sum / scale, err);
    values[i] = (int64_t)sum;
  }
  return RDX_OK;
}

#define SUM_WORDS 3 /* of 128 bits, with a sign */

typedef struct averaging {
  const rdx_finishing *f;
  uint32_t measure;
  double *values;
} averaging;

static void average_piece(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  const averaging *a = context;
  const rdx_i128 scale = rdx_power_of_ten(a->f->plan->measures[a->measure].scale);
  const uint64_t *counts = counts_of(a->f, a->measure);
  for (uint64_t i = begin; i < end; i++) {
    const uint64_t count = counts[i];
    uint64_t sum[SUM_WORDS] = {0};
    rdx_wide_add(sum, SUM_WORDS, sum_of(a->f, a->measure, i), 0);
    a->values[i] = count > 0 ? rdx_wide_quotient(sum, SUM_WORDS, 0, count * scale) : 0;
  }
}

static rdx_status make_averages(const rdx_finishing *f, uint32_t measure, double *values, rdx_error *err) {
  averaging a = {f, measure, values};
  return rdx_device_run_stage_on_host(f->plan->relation->device, f->groups->count, PIECE, average_piece, &a, "query",
                                      err);
}

/* What values that are not finite make of a sum; 0: there are none. */
static double special_sum(const rdx_finishing *f, const rdx_wide_aggregate *wide, uint64_t group) {
  if (!wide->limbs->special)
    return 0;
  const rdx_i128 all = sum_of(f, wide->measures[wide->limbs->count], group);
  const bool up = all % RDX_SPECIAL_DOWN > 0, down = all >= RDX_SPECIAL_DOWN;
  return up && down ? NAN : up ? INFINITY : down ? -INFINITY : 0;
}

/* What the limbs of a group come to, as a whole number of 2^exponent. Returns how many words it takes: sums of limbs
 * are below 2^94, and any sum has RDX_WIDE_WORDS. */
static uint32_t add_limbs(const rdx_finishing *f, const rdx_wide_aggregate *wide, uint64_t group, int exponent,
                          uint64_t *out) {
  const rdx_limbs *d = wide->limbs;
  const uint32_t wanted = (uint32_t)(d->exponents[d->count - 1] - exponent + 94) / 64 + 1;
  const uint32_t words = wanted < RDX_WIDE_WORDS ? wanted : RDX_WIDE_WORDS;
  memset(out, 0, words * sizeof *out);
  for (uint32_t k = 0; k < d->count; k++)
    rdx_wide_add(out, words, sum_of(f, wide->measures[k], group), (uint32_t)(d->exponents[k] - exponent));
  return words;
}

/* Sums of floats, or averages of whatever has limbs: rounded once. */
static rdx_status make_wide_quotients(const rdx_finishing *f, uint32_t number, double *values, rdx_error *err) {
  const rdx_wide_aggregate *wide = &f->plan->wide[number];
  const bool average = f->plan->query->aggregates[number].kind == RDX_AGGREGATE_AVG;
  const rdx_i128 scale = rdx_power_of_ten(wide->scale);
  const int exponent = wide->limbs->exponents[0];
  const uint64_t *counts = counts_of(f, wide->measures[0]);
  for (uint64_t i = 0; i < f->groups->count; i++) {
    const bool empty = is_empty(f, wide->measures[0], i);
    uint64_t all[RDX_WIDE_WORDS];
    values[i] = empty ? 0 : special_sum(f, wide, i);
    if (empty || values[i] != 0)
      continue;
    const uint32_t words = add_limbs(f, wide, i, exponent, all);
    values[i] = rdx_wide_quotient(all, words, exponent, average ? counts[i] * scale : 1);
    if (isinf(values[i]))
      return fail_overflow(f, number, i, values[i], err);
  }
  return RDX_OK;
}

static rdx_status make_wide_sums(const rdx_finishing *f, uint32_t number, int64_t *values, rdx_error *err) {
  const rdx_wide_aggregate *wide = &f->plan->wide[number];
  for (uint64_t i = 0; i < f->groups->count; i++) {
    uint64_t all[RDX_WIDE_WORDS];
    const uint32_t words = add_limbs(f, wide, i, 0, all);
    if (!rdx_wide_fits(all, words))
      return fail_overflow(f, number, i, rdx_wide_quotient(all, words, 0, rdx_power_of_ten(wide->scale)), err);
    values[i] = (int64_t)all[0];
  }
  return RDX_OK;
}

/* Where the least of values, or the largest, is at the end of 64 bits it may be one beyond. */
static rdx_status check_extremes(const rdx_finishing *f, uint32_t number, uint32_t measure, bool max, rdx_error *err) {
  const rdx_wide_aggregate *wide = &f->plan->wide[number];
  const rdx_group_values *v = values_of(f, measure);
  for (uint64_t i = 0; wide->some_beyond && i < f->groups->count; i++) {
    if (is_empty(f, measure, i))
      continue;
    const int64_t end = max ? v->max[i] : v->min[i];
    const rdx_i128 beyond = sum_of(f, wide->beyond, i), above = beyond % RDX_SPECIAL_DOWN,
                   below = beyond / RDX_SPECIAL_DOWN, count = counts_of(f, measure)[i];
    const bool too_large = end == INT64_MAX && (max ? above > 0 : above == count);
    const bool too_small = end == INT64_MIN && (max ? below == count : below > 0);
    if (too_large || too_small)
      return fail_overflow(f, number, i, too_large ? INFINITY : -INFINITY, err);
  }
  return RDX_OK;
}

/* ---- All aggregates ---- */

/* MIN or MAX of an attribute: as codes again, so that the column gets its type. */
static rdx_status begin_extremes(rdx_finishing *f, uint32_t measure, bool max, rdx_group_column *out, rdx_error *err) {
  const rdx_group_values *v = values_of(f, measure);
  const rdx_encoded_column *c = f->plan->measures[measure].steps->attribute;
  uint64_t *codes = NULL;
  RDX_TRY(make_array(f, f->groups->count, sizeof *codes, &codes, err));
  for (uint64_t i = 0; i < f->groups->count; i++) {
    codes[i] = is_empty(f, measure, i) ? c->count : (uint64_t)(max ? v->max[i] : v->min[i]);
    if (codes[i] >= c->count && !is_empty(f, measure, i))
      return rdx_returned_wrong(f->plan->relation->device, codes[i], 0, c->count - 1, "a code of a group", err);
  }
  *out = (rdx_group_column){.attribute = c, .codes = codes, .high = c->count - (c->count > 0)};
  return RDX_OK;
}

/* Numbers, as the type of the attribute or of calculated values. */
static rdx_status make_numbers(rdx_finishing *f, uint32_t measure, bool max, rdx_type type, void *values,
                               rdx_error *err) {
  const uint64_t zero = rdx_key_zero(type);
  const rdx_group_values *v = values_of(f, measure);
  uint64_t *keys = NULL;
  RDX_TRY(make_array(f, f->groups->count, sizeof *keys, &keys, err));
  for (uint64_t i = 0; i < f->groups->count; i++)
    keys[i] = is_empty(f, measure, i) ? zero : (uint64_t)(max ? v->max[i] : v->min[i]) + zero;
  rdx_keys_decode(type, keys, f->groups->count, values);
  return RDX_OK;
}

static rdx_type type_of(const rdx_finishing *f, uint32_t number) {
  const rdx_aggregate *a = &f->plan->query->aggregates[number];
  if (a->kind == RDX_AGGREGATE_COUNT)
    return RDX_TYPE_U64;
  if (a->kind == RDX_AGGREGATE_AVG || f->plan->wide[number].floats)
    return RDX_TYPE_F64;
  if (a->kind != RDX_AGGREGATE_SUM && a->expression->kind == RDX_EXPRESSION_ATTRIBUTE)
    return f->plan->relation->attributes[a->expression->attribute].type;
  return scale_of(f, number) > 0 ? RDX_TYPE_DECIMAL : RDX_TYPE_I64;
}

static rdx_status make_aggregate(rdx_finishing *f, uint32_t number, rdx_group_column *out, rdx_error *err) {
  const rdx_aggregate *a = &f->plan->query->aggregates[number];
  const uint32_t measure = f->plan->aggregate_measure[number];
  const rdx_type type = type_of(f, number);
  const bool max = a->kind == RDX_AGGREGATE_MAX;
  void *values = NULL;
  if ((a->kind == RDX_AGGREGATE_MIN || max) && !f->plan->measures[measure].numeric) {
    RDX_TRY(begin_extremes(f, measure, max, out, err));
    return make_validity(f, measure, out, err);
  }
  RDX_TRY(make_array(f, f->groups->count, rdx_type_size(type), &values, err));
  *out = (rdx_group_column){.values = {.type = type,
                                       .scale = type == RDX_TYPE_DECIMAL ? scale_of(f, number) : 0,
                                       .rows = f->groups->count,
                                       .values = values}};
  if (f->plan->wide[number].limbs) {
    RDX_TRY(type == RDX_TYPE_F64 ? make_wide_quotients(f, number, values, err)
                                 : make_wide_sums(f, number, values, err));
    return make_validity(f, measure, out, err);
  }
  switch (a->kind) {
  case RDX_AGGREGATE_COUNT:
    if (f->groups->count > 0)
      rdx_device_copy_on_host(f->plan->relation->device, values, counts_of(f, measure),
                              f->groups->count * sizeof(uint64_t));
    return RDX_OK;
  case RDX_AGGREGATE_SUM:
    RDX_TRY(make_sums(f, number, measure, values, err));
    break;
  case RDX_AGGREGATE_AVG:
    RDX_TRY(make_averages(f, measure, values, err));
    break;
  default:
    RDX_TRY(check_extremes(f, number, measure, max, err));
    RDX_TRY(make_numbers(f, measure, max, type, values, err));
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
  RDX_TRY(rdx_progress_at_times("query", 0, 0, err));
  RDX_TRY(rdx_arena_alloc(arena, n, size, "the values of a result", (void **)&values, err));
  out->values = values;
  if (!rows)
    rdx_device_copy_on_host(f->plan->relation->device, values, from->values, n * size);
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
  uint64_t *scratch;       /* for them, then for codes of the rows */
  rdx_query_result *result;
} taking;

static rdx_status take_codes(taking *t, uint32_t column, rdx_column *out, rdx_error *err) {
  const rdx_finishing *f = t->f;
  const rdx_group_column *c = &f->columns[column];
  uint64_t *const scratch = t->scratch + f->count;
  const uint64_t *codes = c->codes && !f->rows ? c->codes : scratch;
  RDX_TRY(rdx_progress_at_times("query", 0, 0, err));
  if (!t->numbers && f->rows)
    take_numbers(f->groups->numbers, f->rows, f->count, t->scratch);
  t->numbers = f->rows ? t->scratch : f->groups->numbers;
  if (!c->codes)
    RDX_TRY(decode_groups(f->plan, column, t->numbers, f->count, scratch, err));
  else if (f->rows)
    take_numbers(c->codes, f->rows, f->count, scratch);
  return rdx_encoded_column_values(c->attribute, codes, f->count, c->nulls, &t->result->arena, out, err);
}

static rdx_status take_columns(rdx_finishing *f, rdx_query_result *result, rdx_error *err) {
  taking t = {.f = f, .result = result};
  RDX_TRY(make_array(f, 2 * f->count, sizeof *t.scratch, &t.scratch, err));
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
  for (uint32_t i = 0; i < RDX_MAX_MEASURES; i++)
    one.values[i] =
        (rdx_group_values){.counts = none, .sums = (int64_t *)none, .min = (int64_t *)none, .max = (int64_t *)none};
  return one;
}

rdx_status rdx_groups_finish(const rdx_plan *plan, const rdx_groups *groups, rdx_query_result **out, rdx_error *err) {
  rdx_groups nothing;
  RDX_SCOPED(rdx_query_result_destroy) rdx_query_result *result = NULL;
  RDX_SCOPED(rdx_arena_free) rdx_arena arena = {0};
  const bool bare = groups->count == 0 && plan->query->group_count == 0;
  if (bare)
    nothing = group_of_nothing();
  rdx_finishing f = {.plan = plan,
                     .groups = bare ? &nothing : groups,
                     .is_nothing = bare,
                     .column_count = plan->query->group_count + plan->query->aggregate_count,
                     .count = bare ? 1 : groups->count,
                     .arena = &arena};
  RDX_TRY(rdx_calloc(1, sizeof *result, "a result", (void **)&result, err));
  RDX_TRY(finish(&f, result, err));
  result->device = plan->relation->device;
  result->stats.groups = groups->count;
  *out = RDX_KEEP(result);
  return RDX_OK;
}

rdx_status rdx_query_result_view(const rdx_query_result *result, rdx_query_view *out, rdx_error *err) {
  if (!result || !out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_query_result_view: result and out must not be NULL");
  *out = (rdx_query_view){.rows = result->rows, .column_count = result->count, .columns = result->columns};
  return RDX_OK;
}

rdx_status rdx_query_result_column(const rdx_query_result *result, uint32_t index, rdx_device_column **out,
                                   rdx_error *err) {
  if (!result || !out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_query_result_column: result and out must not be NULL");
  if (index >= result->count)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_query_result_column: there is no column %u, but %u of them", index,
                    result->count);
  return rdx_device_column_create(result->device, &result->columns[index], out, err);
}

void rdx_query_result_get_stats(const rdx_query_result *result, rdx_query_stats *out) {
  *out = result ? result->stats : (rdx_query_stats){0};
}

void rdx_query_result_destroy(rdx_query_result **result) {
  if (!result || !*result)
    return;
  rdx_arena_free(&(*result)->arena);
  rdx_free(*result);
  *result = NULL;
}
