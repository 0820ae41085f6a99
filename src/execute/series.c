/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* generate_series: numbers and times at equal distances. */

#include "device/device.h"
#include "execute/operators.h"
#include "expression/calendar.h"

#define WHAT "the rows of generate_series"

typedef struct series {
  rdx_execution *x;
  const rdx_plan_node *node;
  int64_t from, to, step; /* in units of the type */
  rdx_sql_interval interval;
  bool by_months; /* the distance is not the same from time to time */
  bool backwards;
  void *values;
  bool narrow; /* 32 bits */
} series;

/* What the arguments are; `*none`: one is NULL, or there is no row. */
static rdx_status find_ends(series *s, bool *none, rdx_error *err) {
  const rdx_plan_node *n = s->node;
  rdx_datum values[3];
  *none = false;
  for (uint32_t i = 0; i < 3; i++) {
    RDX_TRY(rdx_value_of(s->x, n->exprs[i], &values[i], err));
    *none |= values[i].null;
  }
  if (*none)
    return RDX_OK;
  rdx_i128 step = values[2].i;
  if (n->exprs[2]->type.kind == RDX_SQL_INTERVAL) {
    s->interval = values[2].interval;
    s->by_months = s->interval.months != 0;
    step = rdx_interval_span(s->interval);
  }
  if (step == 0)
    return rdx_sql_error(err, RDX_ERROR_ARGUMENT, s->x->text, n->exprs[2]->place, NULL, "step size cannot equal zero");
  s->from = values[0].i;
  s->to = values[1].i;
  s->backwards = step < 0;
  *none = s->backwards ? s->from < s->to : s->from > s->to;
  if (!s->by_months && (step > INT64_MAX || step < INT64_MIN)) /* one row */
    s->to = s->from;
  else if (!s->by_months)
    s->step = (int64_t)step;
  return RDX_OK;
}

/* The next time by months; false: it is behind the end. */
static bool go_on(const series *s, int64_t *time) {
  return rdx_time_add(*time, s->interval, false, time) && (s->backwards ? *time >= s->to : *time <= s->to);
}

static rdx_status count_rows(const series *s, uint64_t *out, rdx_error *err) {
  int64_t time = s->from;
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

static void fill(void *context, uint64_t begin, uint64_t end, uint32_t worker) {
  const series *s = context;
  (void)worker;
  for (uint64_t i = begin; i < end; i++) {
    const int64_t value = (int64_t)((uint64_t)s->from + i * (uint64_t)s->step);
    if (s->narrow)
      ((int32_t *)s->values)[i] = (int32_t)value;
    else
      ((int64_t *)s->values)[i] = value;
  }
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

static rdx_status make(series *s, uint64_t count, rdx_vector *out, rdx_error *err) {
  const rdx_sql_type type = s->node->columns[0].type;
  const rdx_type stored = type.kind == RDX_SQL_INTEGER     ? RDX_TYPE_I32
                          : type.kind == RDX_SQL_DECIMAL   ? RDX_TYPE_DECIMAL
                          : type.kind == RDX_SQL_TIMESTAMP ? RDX_TYPE_TIMESTAMP
                                                           : RDX_TYPE_I64;
  const uint64_t size = rdx_type_size(stored);
  if (count >= UINT32_MAX)
    return rdx_sql_error(err, RDX_ERROR_UNSUPPORTED, s->x->text, s->node->exprs[1]->place, NULL,
                         "generate_series would have %llu rows: a result has 4294967294 at most",
                         (unsigned long long)count);
  RDX_TRY(rdx_device_expect_host(s->x->device, count * size, "the rows of generate_series take",
                                 "ask for fewer, or raise memory_limit", err));
  RDX_TRY(rdx_alloc(count, size, WHAT, &out->memory[0], err));
  s->values = out->memory[0];
  s->narrow = size == 4;
  out->column = (rdx_column){.type = stored, .scale = type.scale, .rows = count, .values = s->values};
  return fill_rows(s, count, err);
}

rdx_status rdx_execute_series(rdx_execution *x, const rdx_plan_node *node, rdx_frame *out, rdx_error *err) {
  series s = {.x = x, .node = node};
  RDX_SCOPED(rdx_vector_destroy) rdx_vector vector = {0};
  uint64_t count = 0;
  bool none = false;
  RDX_TRY(find_ends(&s, &none, err));
  if (!none)
    RDX_TRY(count_rows(&s, &count, err));
  RDX_TRY(make(&s, count, &vector, err));
  RDX_TRY(rdx_frame_create(1, count, out, err));
  return rdx_frame_take(out, 0, &vector, err);
}
