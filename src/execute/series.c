/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* generate_series: numbers and times at equal distances. */

#include <string.h>

#include "column/column.h"
#include "device/device.h"
#include "execute/portions.h"
#include "expression/calendar.h"

#define WHAT "the rows of generate_series"

typedef struct series {
  rdx_execution *x;
  const rdx_plan_node *node;
  int64_t from, to, step; /* in units of the type */
  rdx_sql_interval interval;
  bool by_months; /* the distance is not the same from time to time */
  bool backwards;
  bool one; /* a step passes any end */
  void *values;
  bool narrow; /* 32 bits */
} series;

static rdx_status find_step(series *s, bool *none, rdx_error *err) {
  const rdx_bound *e = s->node->exprs[2];
  rdx_datum value;
  RDX_TRY(rdx_value_of(s->x, e, &value, err));
  *none = value.null;
  if (*none)
    return RDX_OK;
  rdx_i128 step = value.i;
  if (e->type.kind == RDX_SQL_INTERVAL) {
    s->interval = value.interval;
    s->by_months = s->interval.months != 0;
    step = rdx_interval_span(s->interval);
  }
  if (step == 0)
    return rdx_sql_error(err, RDX_ERROR_ARGUMENT, s->x->text, e->place, NULL, "step size cannot equal zero");
  s->backwards = step < 0;
  s->one = !s->by_months && (step > INT64_MAX || step < INT64_MIN);
  s->step = s->one || s->by_months ? 0 : (int64_t)step;
  return RDX_OK;
}

/* The next time by months; false: it is behind the end. */
static bool go_on(const series *s, int64_t *time) {
  return rdx_time_add(*time, s->interval, false, time) && (s->backwards ? *time >= s->to : *time <= s->to);
}

static rdx_status count_rows(const series *s, uint64_t *out, rdx_error *err) {
  int64_t time = s->from;
  *out = 0;
  if (s->backwards ? s->from < s->to : s->from > s->to)
    return RDX_OK;
  if (!s->by_months) {
    const rdx_i128 steps = s->step == 0 ? 0 : ((rdx_i128)s->to - s->from) / s->step;
    *out = steps > INT64_MAX ? INT64_MAX : (uint64_t)steps + 1;
    return RDX_OK;
  }
  *out = 1;
  for (int64_t before = time; *out < UINT32_MAX && go_on(s, &time); before = time) {
    RDX_TRY(rdx_loop_goes_on(*out, UINT32_MAX, "execute", err));
    if (s->backwards ? time >= before : time <= before) /* '1 month -29 days' comes from January to January */
      return rdx_sql_error(err, RDX_ERROR_ARGUMENT, s->x->text, s->node->exprs[2]->place, NULL,
                           "with this step generate_series does not come to an end");
    ++*out;
  }
  return RDX_OK;
}

static void put(const series *s, uint64_t i, int64_t value) {
  if (s->narrow)
    ((int32_t *)s->values)[i] = (int32_t)value;
  else
    ((int64_t *)s->values)[i] = value;
}

static void fill(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  const series *s = context;
  for (uint64_t i = begin; i < end; i++)
    put(s, i, (int64_t)((uint64_t)s->from + i * (uint64_t)s->step));
}

static rdx_status fill_rows(series *s, uint64_t count, rdx_error *err) {
  int64_t time = s->from;
  if (!s->by_months)
    return rdx_pool_run_stage(s->x->pool, count, RDX_EXECUTE_GRAIN, fill, s, "execute", err);
  for (uint64_t i = 0; i < count; i++) {
    RDX_TRY(rdx_loop_goes_on(i, count, "execute", err));
    ((int64_t *)s->values)[i] = time;
    if (i + 1 < count)
      go_on(s, &time);
  }
  return RDX_OK;
}

/* Memory for so many values, and for `more` bytes of each beside them. */
static rdx_status take_values(series *s, uint64_t count, uint64_t more, rdx_vector *out, rdx_error *err) {
  const rdx_sql_type type = s->node->columns[s->node->column_count - 1].type;
  const rdx_type stored = type.kind == RDX_SQL_INTEGER     ? RDX_TYPE_I32
                          : type.kind == RDX_SQL_DECIMAL   ? RDX_TYPE_DECIMAL
                          : type.kind == RDX_SQL_TIMESTAMP ? RDX_TYPE_TIMESTAMP
                                                           : RDX_TYPE_I64;
  const uint64_t size = rdx_type_size(stored);
  if (count >= UINT32_MAX)
    return rdx_sql_error(err, RDX_ERROR_UNSUPPORTED, s->x->text, s->node->exprs[1]->place, NULL,
                         "generate_series would have %s%llu rows: a result has 4294967294 at most",
                         s->node->left ? "at least " : "", (unsigned long long)count);
  RDX_TRY(rdx_device_expect_host(s->x->device, count * (size + more), "the rows of generate_series take",
                                 "ask for fewer, or raise memory_limit", err));
  RDX_TRY(rdx_alloc(count, size, WHAT, &out->memory[0], err));
  s->values = out->memory[0];
  s->narrow = size == 4;
  out->column = (rdx_column){.type = stored, .scale = type.scale, .rows = count, .values = s->values};
  return RDX_OK;
}

/* Of many rows those of the next portion, for who takes them so. */
static void take_portion(series *s, uint64_t *count) {
  rdx_portions *p = s->x->portions;
  const uint64_t max = rdx_portion_rows(s->x);
  if (*count > max && !s->by_months && rdx_portions_may_begin(s->x, s->node, false))
    rdx_portions_begin(s->x, s->node, *count, max);
  if (!p || p->source != s->node)
    return;
  *count = rdx_portions_count(p);
  s->from = (int64_t)((uint64_t)s->from + p->done * (uint64_t)s->step);
  rdx_portions_advance(s->x, p, *count, *count);
}

static rdx_status run_alone(series *s, bool none, rdx_frame *out, rdx_error *err) {
  RDX_SCOPED(rdx_vector_destroy) rdx_vector vector = {0};
  uint64_t count = 0;
  for (uint32_t i = 0; i < 2; i++) {
    rdx_datum value;
    RDX_TRY(rdx_value_of(s->x, s->node->exprs[i], &value, err));
    none |= value.null;
    *(i == 0 ? &s->from : &s->to) = value.null ? 0 : value.i;
  }
  if (!none)
    RDX_TRY(count_rows(s, &count, err));
  take_portion(s, &count);
  RDX_TRY(take_values(s, count, 0, &vector, err));
  RDX_TRY(fill_rows(s, count, err));
  RDX_TRY(rdx_frame_create(1, count, out, err));
  return rdx_frame_take(out, 0, &vector, err);
}

/* ---- For each row ---- */

typedef struct rows {
  rdx_operand in;
  rdx_vector ends[2];
  uint32_t *counts; /* of each row's values */
  uint64_t total;   /* of rows that come of it */
} rows;

/* The ends of a row's values, and how many there are. */
static rdx_status count_row(series *s, const rows *r, uint64_t row, uint64_t *count, rdx_error *err) {
  *count = 0;
  for (uint32_t i = 0; i < 2; i++) {
    rdx_datum value;
    if (!rdx_column_has(&r->ends[i].column, row))
      return RDX_OK;
    rdx_column_datum(&r->ends[i].column, row, &value);
    *(i == 0 ? &s->from : &s->to) = value.i;
  }
  return count_rows(s, count, err);
}

static rdx_status count_all(series *s, rows *r, bool none, rdx_error *err) {
  const uint64_t min = s->node->all;
  RDX_TRY(rdx_calloc(r->in.frame.rows, sizeof *r->counts, WHAT, (void **)&r->counts, err));
  for (uint64_t i = 0; i < r->in.frame.rows; i++) {
    uint64_t count = 0;
    RDX_TRY(rdx_loop_goes_on(i, r->in.frame.rows, "execute", err));
    if (!none)
      RDX_TRY(count_row(s, r, i, &count, err));
    r->total += count > min ? count : min;
    r->counts[i] = (uint32_t)count;
    if (r->total >= UINT32_MAX) /* told there */
      return RDX_OK;
  }
  return RDX_OK;
}

/* The values, and the row that each belongs to. */
static rdx_status expand(series *s, const rows *r, uint32_t *source, rdx_vector *out, rdx_error *err) {
  uint64_t at = 0;
  uint8_t *validity = out->memory[1];
  memset(validity, 0xff, r->total / 8 + 1);
  for (uint64_t i = 0; i < r->in.frame.rows; i++) {
    uint64_t count = 0;
    if (r->counts[i] > 0)
      RDX_TRY(count_row(s, r, i, &count, err));
    int64_t value = s->from;
    for (uint64_t k = 0; k < count; k++, at++) {
      RDX_TRY(rdx_loop_goes_on(at, r->total, "execute", err));
      source[at] = (uint32_t)i;
      put(s, at, value);
      if (s->by_months)
        go_on(s, &value);
      else
        value = (int64_t)((uint64_t)value + (uint64_t)s->step);
    }
    if (count > 0 || !s->node->all)
      continue;
    validity[at / 8] &= (uint8_t) ~(1u << at % 8);
    put(s, at, 0);
    source[at++] = (uint32_t)i;
  }
  return RDX_OK;
}

static void drop(rows *r) {
  for (uint32_t i = 0; i < 2; i++)
    rdx_vector_destroy(&r->ends[i]);
  rdx_free(r->counts);
  rdx_operand_drop(&r->in);
}

static rdx_status run_rows(series *s, rows *r, bool none, rdx_frame *out, rdx_error *err) {
  RDX_SCOPED(rdx_vector_destroy) rdx_vector vector = {0};
  RDX_SCOPED(rdx_frame_destroy) rdx_frame left = {0};
  RDX_SCOPED(rdx_free_local) uint32_t *source = NULL;
  for (uint32_t i = 0; i < 2; i++)
    RDX_TRY(rdx_operand_flat(s->x, &r->in, s->node->exprs[i], &r->ends[i], err));
  RDX_TRY(count_all(s, r, none, err));
  RDX_TRY(take_values(s, r->total, sizeof *source, &vector, err));
  RDX_TRY(rdx_alloc(r->total / 8 + 1, 1, WHAT, &vector.memory[1], err));
  RDX_TRY(rdx_frame_copy(&r->in.frame, &left, err));
  RDX_TRY(rdx_alloc(r->total, sizeof *source, WHAT, (void **)&source, err));
  RDX_TRY(expand(s, r, source, &vector, err));
  vector.column.validity = vector.memory[1];
  RDX_TRY(rdx_frame_select(s->x->pool, &left, RDX_KEEP(source), r->total, err));
  RDX_TRY(rdx_frame_create(left.count + 1, r->total, out, err));
  for (uint32_t i = 0; i < left.count; i++)
    rdx_frame_share(&left.columns[i], &out->columns[i]);
  return rdx_frame_take(out, left.count, &vector, err);
}

rdx_status rdx_execute_series(rdx_execution *x, const rdx_plan_node *node, rdx_frame *out, rdx_error *err) {
  series s = {.x = x, .node = node};
  bool none = false;
  RDX_TRY(find_step(&s, &none, err));
  if (!node->left)
    return run_alone(&s, none, out, err);
  RDX_SCOPED(drop) rows r = {0};
  RDX_TRY(rdx_operand_run(x, node->left, &r.in, err));
  return run_rows(&s, &r, none, out, err);
}
