/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Aggregates of values in order. Rows are sorted by their groups, and there as the aggregate says, in the way of window
 * functions; then each group is a run of them. */

#include "execute/ordered.h"

#include <math.h>
#include <string.h>

#include "column/column.h"
#include "device/device.h"
#include "execute/select.h"
#include "execute/window.h"

#define WHAT "an aggregate of values in order"

typedef struct ordered {
  const rdx_ordered_query *q;
  rdx_windowing w; /* its last column is the number of the group, where there are several */
  const rdx_plan_aggregate *aggregate;
  rdx_vector value, argument;
  rdx_datum fraction;      /* or the offset of FIRST */
  bool few;                /* of one group the rows are only those around a percentile: */
  uint64_t before, values; /* the rows before them, and all that are not NULL */
} ordered;

/* The rows of a group, by their places in the order. */
typedef struct run {
  uint64_t begin, end, group;
} run;

/* The next group; false: there is none. */
static bool next_run(const ordered *o, run *r) {
  if (r->end >= o->w.rows)
    return false;
  r->begin = r->end;
  do
    r->end++;
  while (r->end < o->w.rows && !(o->w.marks[r->end] & RDX_WINDOW_PARTITION));
  r->group = o->q->codes ? o->q->codes[o->w.order[r->begin]] : 0;
  return true;
}

static bool has_value(const ordered *o, uint64_t place) {
  return rdx_column_has(&o->value.column, o->w.order[place]);
}

/* Values that are not NULL: these are last. */
static uint64_t count_values(const ordered *o, const run *r) {
  uint64_t low = r->begin, high = r->end;
  if (o->few)
    return o->values;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (has_value(o, middle))
      low = middle + 1;
    else
      high = middle;
  }
  return low - r->begin;
}

/* ---- One of the values ---- */

/* The number of percentile_disc's value among so many. */
static uint64_t discrete_number(const ordered *o, uint64_t count) {
  const double place = ceil(o->fraction.f * (double)count);
  return (uint64_t)(place <= 1 ? 0 : fmin(place, (double)count) - 1);
}

static uint64_t percentile_place(const ordered *o, const run *r) {
  const uint64_t count = count_values(o, r);
  if (count == 0 || o->fraction.null)
    return UINT64_MAX;
  return r->begin + discrete_number(o, count) - o->before;
}

static uint64_t first_place(const ordered *o, const run *r) {
  const uint64_t offset = o->fraction.null || o->fraction.i < 0 ? 0 : (uint64_t)o->fraction.i;
  return offset < r->end - r->begin ? r->begin + offset : UINT64_MAX;
}

/* Of the values that are there the most often the first. */
static rdx_status mode_place(const ordered *o, const run *r, uint64_t *out, rdx_error *err) {
  const uint64_t end = r->begin + count_values(o, r);
  uint64_t max = 0, first = r->begin;
  *out = UINT64_MAX;
  for (uint64_t i = r->begin; i < end; i++) {
    RDX_TRY(rdx_loop_goes_on(i, end, "execute", err));
    if (o->w.marks[i] & RDX_WINDOW_PEERS)
      first = i;
    if (i - first < max)
      continue;
    max = i - first + 1;
    *out = first;
  }
  return RDX_OK;
}

static rdx_status find_sources(const ordered *o, uint32_t *source, rdx_error *err) {
  run r = {0};
  for (uint64_t i = 0; i < o->q->groups; i++)
    source[i] = RDX_NO_ROW;
  while (next_run(o, &r)) {
    uint64_t place = UINT64_MAX;
    RDX_TRY(rdx_loop_goes_on(r.group, o->q->groups, "execute", err));
    if (o->aggregate->kind == RDX_PLAN_MODE)
      RDX_TRY(mode_place(o, &r, &place, err));
    else
      place = o->aggregate->kind == RDX_PLAN_FIRST ? first_place(o, &r) : percentile_place(o, &r);
    source[r.group] = place == UINT64_MAX ? RDX_NO_ROW : o->w.order[place];
  }
  return RDX_OK;
}

/* The column that the values come from, by the rows that they come from. */
static rdx_status choose(ordered *o, rdx_frame *out, uint32_t index, rdx_error *err) {
  rdx_execution *x = o->q->x;
  RDX_SCOPED(rdx_frame_destroy) rdx_frame one = {0};
  RDX_SCOPED(rdx_free_local) uint32_t *source = NULL;
  RDX_TRY(rdx_frame_create(1, o->w.rows, &one, err));
  RDX_TRY(rdx_operand_column(x, &o->w.in, o->aggregate->value, &one, 0, err));
  RDX_TRY(rdx_alloc(o->q->groups, sizeof *source, WHAT, (void **)&source, err));
  RDX_TRY(find_sources(o, source, err));
  RDX_TRY(rdx_frame_select(x->pool, &one, RDX_KEEP(source), o->q->groups, err));
  rdx_frame_share(&one.columns[0], &out->columns[index]);
  return RDX_OK;
}

/* ---- percentile_cont ---- */

/* That with a number in a group. */
static double value_at(const ordered *o, const run *r, uint64_t number) {
  return ((const double *)o->value.column.values)[o->w.order[r->begin + number - o->before]];
}

/* percentile_cont's value is between two. */
static double continuous_number(const ordered *o, uint64_t count) {
  return o->fraction.f * (double)(count - 1);
}

/* Between two values: as PostgreSQL calculates it. */
static double interpolate(const ordered *o, const run *r, uint64_t count) {
  const double place = continuous_number(o, count), low = floor(place), high = ceil(place);
  const double min = value_at(o, r, (uint64_t)low);
  return low == high ? min : min + (place - low) * (value_at(o, r, (uint64_t)high) - min);
}

static rdx_status fill_percentiles(ordered *o, rdx_vector *out, rdx_error *err) {
  run r = {0};
  RDX_TRY(rdx_calloc(o->q->groups, sizeof(double), WHAT, &out->memory[0], err));
  RDX_TRY(rdx_calloc(o->q->groups / 8 + 1, 1, WHAT, &out->memory[1], err));
  double *values = out->memory[0];
  uint8_t *validity = out->memory[1];
  out->column = (rdx_column){.type = RDX_TYPE_F64, .rows = o->q->groups, .values = values, .validity = out->memory[1]};
  while (next_run(o, &r)) {
    const uint64_t count = count_values(o, &r);
    RDX_TRY(rdx_loop_goes_on(r.group, o->q->groups, "execute", err));
    if (count == 0 || o->fraction.null)
      continue;
    values[r.group] = interpolate(o, &r, count);
    validity[r.group / 8] |= (uint8_t)(1u << r.group % 8);
  }
  return RDX_OK;
}

/* ---- The place of a row that is not there ---- */

typedef struct counts {
  uint64_t rows, before, keys; /* keys: of those before, equal ones once, where they are sorted */
} counts;

static rdx_status count_before(const ordered *o, const run *r, counts *out, rdx_error *err) {
  const uint8_t *before = o->value.column.values;
  bool taken = false;
  *out = (counts){0};
  for (uint64_t i = r->begin; i < r->end; i++) {
    RDX_TRY(rdx_loop_goes_on(i, o->w.rows, "execute", err));
    taken &= !(o->w.marks[i] & RDX_WINDOW_PEERS);
    if (!has_value(o, i))
      continue;
    out->rows++;
    if (!before[o->w.order[i]])
      continue;
    out->before++;
    out->keys += !taken;
    taken = true;
  }
  return RDX_OK;
}

static double share(const ordered *o, const counts *c) {
  if (o->aggregate->kind == RDX_PLAN_CUME_DIST)
    return (double)(c->before + 1) / (double)(c->rows + 1);
  return c->rows > 0 ? (double)c->before / (double)c->rows : 0;
}

static void put_place(const ordered *o, const counts *c, uint64_t group, void *values) {
  if (o->aggregate->type.kind == RDX_SQL_DOUBLE)
    ((double *)values)[group] = share(o, c);
  else
    ((int64_t *)values)[group] = 1 + (int64_t)(o->aggregate->kind == RDX_PLAN_RANK ? c->before : c->keys);
}

static rdx_status fill_places(ordered *o, rdx_vector *out, rdx_error *err) {
  const bool share_of = o->aggregate->type.kind == RDX_SQL_DOUBLE;
  counts c = {0};
  run r = {0};
  RDX_TRY(rdx_calloc(o->q->groups, sizeof(double), WHAT, &out->memory[0], err));
  out->column =
      (rdx_column){.type = share_of ? RDX_TYPE_F64 : RDX_TYPE_I64, .rows = o->q->groups, .values = out->memory[0]};
  for (uint64_t i = 0; i < o->q->groups; i++) /* one of no rows has no run */
    put_place(o, &c, i, out->memory[0]);
  while (next_run(o, &r)) {
    RDX_TRY(count_before(o, &r, &c, err));
    put_place(o, &c, r.group, out->memory[0]);
  }
  return RDX_OK;
}

/* ---- string_agg ---- */

/* The texts of groups, one behind the other: counted first, then written. */
typedef struct texts {
  uint64_t *lengths; /* of each group; then where it begins */
  uint8_t *validity;
  char *bytes; /* NULL: they are counted */
} texts;

static void add_text(const rdx_column *column, uint32_t row, char *bytes, uint64_t *at) {
  uint64_t length = 0;
  const char *text = rdx_column_text(column, row, &length);
  if (bytes && length > 0)
    memcpy(bytes + *at, text, length);
  *at += length;
}

/* The values of a group, each but the first with its delimiter before it; equal ones once where they are distinct. */
static rdx_status join_texts(const ordered *o, const run *r, const texts *t, uint64_t *at, rdx_error *err) {
  bool any = false, taken = false; /* taken: the value at hand, of those that are equal */
  for (uint64_t i = r->begin; i < r->end; i++) {
    const uint32_t row = o->w.order[i];
    RDX_TRY(rdx_loop_goes_on(i, o->w.rows, "execute", err));
    taken &= !(o->w.marks[i] & RDX_WINDOW_PEERS);
    if (!has_value(o, i) || (taken && o->aggregate->distinct))
      continue;
    if (any && rdx_column_has(&o->argument.column, row))
      add_text(&o->argument.column, row, t->bytes, at);
    add_text(&o->value.column, row, t->bytes, at);
    any = taken = true;
  }
  if (any)
    t->validity[r->group / 8] |= (uint8_t)(1u << r->group % 8);
  return RDX_OK;
}

static rdx_status walk_texts(const ordered *o, const texts *t, rdx_error *err) {
  run r = {0};
  while (next_run(o, &r)) {
    uint64_t at = t->bytes ? t->lengths[r.group] : 0;
    RDX_TRY(join_texts(o, &r, t, &at, err));
    if (!t->bytes)
      t->lengths[r.group] = at;
  }
  return RDX_OK;
}

static rdx_status fill_texts(ordered *o, rdx_vector *out, rdx_error *err) {
  const uint64_t groups = o->q->groups;
  uint64_t total = 0;
  RDX_TRY(rdx_calloc(groups + 1, sizeof(uint64_t), WHAT, &out->memory[0], err));
  RDX_TRY(rdx_calloc(groups / 8 + 1, 1, WHAT, &out->memory[1], err));
  texts t = {.lengths = out->memory[0], .validity = out->memory[1]};
  RDX_TRY(walk_texts(o, &t, err));
  for (uint64_t i = 0; i <= groups; i++) {
    const uint64_t length = t.lengths[i];
    t.lengths[i] = total;
    total += length;
  }
  RDX_TRY(rdx_device_expect_host(o->q->x->device, total, "the texts of string_agg take",
                                 "aggregate fewer rows, or raise memory_limit", err));
  RDX_TRY(rdx_alloc(total + 1, 1, WHAT, &out->memory[2], err));
  t.bytes = out->memory[2];
  out->column = (rdx_column){
      .type = RDX_TYPE_STRING, .rows = groups, .values = t.bytes, .offsets = t.lengths, .validity = out->memory[1]};
  return walk_texts(o, &t, err);
}

/* ---- Bits ---- */

static rdx_status fill_bits(ordered *o, rdx_vector *out, rdx_error *err) {
  const rdx_plan_aggregate *a = o->aggregate;
  run r = {0};
  RDX_TRY(rdx_calloc(o->q->groups, sizeof(int64_t), WHAT, &out->memory[0], err));
  RDX_TRY(rdx_calloc(o->q->groups / 8 + 1, 1, WHAT, &out->memory[1], err));
  int64_t *values = out->memory[0];
  uint8_t *validity = out->memory[1];
  out->column = (rdx_column){.type = RDX_TYPE_I64, .rows = o->q->groups, .values = values, .validity = validity};
  while (next_run(o, &r)) {
    int64_t bits = a->kind == RDX_PLAN_BIT_AND ? -1 : 0;
    bool taken = false; /* the value at hand, of those that are equal */
    for (uint64_t i = r.begin; i < r.end; i++) {
      rdx_datum value;
      RDX_TRY(rdx_loop_goes_on(i, o->w.rows, "execute", err));
      taken &= !(o->w.marks[i] & RDX_WINDOW_PEERS);
      if (!has_value(o, i) || (taken && a->distinct))
        continue;
      rdx_column_datum(&o->value.column, o->w.order[i], &value);
      bits = a->kind == RDX_PLAN_BIT_AND  ? bits & value.i
             : a->kind == RDX_PLAN_BIT_OR ? bits | value.i
                                          : bits ^ value.i;
      validity[r.group / 8] |= (uint8_t)(1u << r.group % 8);
      taken = true;
    }
    values[r.group] = bits;
  }
  return RDX_OK;
}

/* ---- Any ---- */

static rdx_status find_fraction(ordered *o, rdx_error *err) {
  const rdx_bound *e = o->aggregate->argument;
  o->fraction = (rdx_datum){0};
  if (!e || o->aggregate->kind == RDX_PLAN_STRING_AGG)
    return RDX_OK;
  RDX_TRY(rdx_value_of(o->q->x, e, &o->fraction, err));
  if (o->aggregate->kind == RDX_PLAN_FIRST)
    return RDX_OK;
  return o->fraction.null || (o->fraction.f >= 0 && o->fraction.f <= 1)
             ? RDX_OK
             : rdx_sql_error(err, RDX_ERROR_RANGE, o->q->x->text, e->place, NULL,
                             "percentile value %g is not between 0 and 1", o->fraction.f);
}

static rdx_status evaluate(ordered *o, const rdx_bound *e, rdx_vector *out, rdx_error *err) {
  return e->kind == RDX_BOUND_COLUMN ? rdx_operand_coded(o->q->x, &o->w.in, e->index, out, err)
                                     : rdx_operand_flat(o->q->x, &o->w.in, e, out, err);
}

static rdx_status run_one(ordered *o, rdx_frame *out, uint32_t index, rdx_error *err) {
  const rdx_plan_aggregate *a = o->aggregate;
  RDX_TRY(find_fraction(o, err));
  if (a->kind == RDX_PLAN_FIRST)
    return choose(o, out, index, err);
  RDX_TRY(evaluate(o, a->value, &o->value, err));
  if (a->kind == RDX_PLAN_PERCENTILE_DISC || a->kind == RDX_PLAN_MODE)
    return choose(o, out, index, err);
  if (a->kind == RDX_PLAN_STRING_AGG)
    RDX_TRY(evaluate(o, a->argument, &o->argument, err));
  RDX_SCOPED(rdx_vector_destroy) rdx_vector made = {0};
  RDX_TRY(a->kind == RDX_PLAN_STRING_AGG ? fill_texts(o, &made, err)
          : rdx_is_of_bits(a->kind)      ? fill_bits(o, &made, err)
          : rdx_is_hypothetical(a->kind) ? fill_places(o, &made, err)
                                         : fill_percentiles(o, &made, err));
  return rdx_frame_take(out, index, &made, err);
}

/* What sorts rows for an aggregate. */
static rdx_plan_window window_of(const ordered *o, rdx_bound **group) {
  return (rdx_plan_window){.partition = group,
                           .partition_count = o->q->codes ? 1 : 0,
                           .orders = o->aggregate->orders,
                           .order_count = o->aggregate->order_count};
}

/* ---- A few percentiles ---- */

#define MAX_SELECTED 4u /* aggregates: sorting once is as fast as selecting the rows of more */
#define MIN_ROWS 65536u

static bool is_selected(const ordered *o) {
  const rdx_plan_aggregate *a = o->aggregate;
  return !o->q->codes && o->w.rows >= MIN_ROWS && o->q->count <= MAX_SELECTED && a->order_count == 1 &&
         (a->kind == RDX_PLAN_PERCENTILE_CONT || a->kind == RDX_PLAN_PERCENTILE_DISC);
}

static rdx_status count_valid(const rdx_column *column, uint64_t *out, rdx_error *err) {
  *out = column->rows;
  for (uint64_t i = 0; column->validity && i < column->rows; i++) {
    RDX_TRY(rdx_loop_goes_on(i, column->rows, "execute", err));
    *out -= !rdx_column_has(column, i);
  }
  return RDX_OK;
}

/* The rows around the percentile of all, where there are values. */
static rdx_status find_few(ordered *o, const rdx_plan_window *window, uint64_t *values, rdx_selection *out,
                           rdx_error *err) {
  RDX_SCOPED(rdx_window_keys_destroy) rdx_window_keys keys = {0};
  RDX_TRY(rdx_window_keys_create(&o->w, window, &keys, err));
  RDX_TRY(count_valid(&keys.flat[0].column, values, err));
  if (*values == 0)
    return RDX_OK;
  out->first = out->last = discrete_number(o, *values);
  if (o->aggregate->kind == RDX_PLAN_PERCENTILE_CONT) {
    out->first = (uint64_t)floor(continuous_number(o, *values));
    out->last = (uint64_t)ceil(continuous_number(o, *values));
  }
  return rdx_select_places(o->q->x, keys.columns, 1, o->w.rows, out, err);
}

static void end(ordered *o) {
  rdx_vector_destroy(&o->value);
  rdx_vector_destroy(&o->argument);
  rdx_window_end(&o->w);
}

/* A percentile of all rows by those around it. `*done` false: they are too many, or there is none. */
static rdx_status run_few(ordered *o, const rdx_plan_window *window, rdx_frame *out, uint32_t index, bool *done,
                          rdx_error *err) {
  rdx_execution *x = o->q->x;
  RDX_SCOPED(end) ordered few = {.q = o->q, .w = {.x = x}, .aggregate = o->aggregate, .few = true};
  const rdx_frame none = {0};
  rdx_selection s = {0};
  *done = false;
  RDX_TRY(find_fraction(o, err));
  if (o->fraction.null)
    return RDX_OK;
  RDX_TRY(find_few(o, window, &few.values, &s, err));
  if (s.count == 0 || s.count > o->w.rows / 2) {
    rdx_free(s.rows);
    return RDX_OK;
  }
  few.before = s.before;
  RDX_SCOPED(rdx_free_local) uint32_t *rows = s.rows;
  RDX_TRY(rdx_frame_join(&o->w.in.frame, &none, &few.w.in.frame, err));
  RDX_TRY(rdx_frame_select(x->pool, &few.w.in.frame, RDX_KEEP(rows), s.count, err));
  RDX_TRY(rdx_operand_refresh(x, &few.w.in, err));
  RDX_TRY(rdx_window_begin(&few.w, err));
  RDX_TRY(rdx_window_sort(&few.w, window, err));
  *done = true;
  return run_one(&few, out, index, err);
}

/* ---- All ---- */

static rdx_status run_all(ordered *o, rdx_frame *out, rdx_error *err) {
  rdx_bound number = {.kind = RDX_BOUND_COLUMN, .type = {.kind = RDX_SQL_BIGINT}}, *group = &number;
  rdx_plan_window before = {0};
  bool sorted = false, done = false;
  number.index = o->w.in.frame.count - 1;
  for (uint32_t i = 0; i < o->q->count; i++) {
    o->aggregate = &o->q->aggregates[i];
    const rdx_plan_window window = window_of(o, &group);
    const bool alike = sorted && rdx_windows_alike(&before, &window);
    if (!alike && is_selected(o)) {
      RDX_TRY(run_few(o, &window, out, i, &done, err));
      if (done)
        continue;
    }
    if (!alike)
      RDX_TRY(rdx_window_sort(&o->w, &window, err));
    before = window;
    sorted = true;
    const rdx_status status = run_one(o, out, i, err);
    rdx_vector_destroy(&o->value);
    rdx_vector_destroy(&o->argument);
    RDX_TRY(status);
  }
  return RDX_OK;
}

/* The input with the numbers of groups behind it. */
static rdx_status make_input(ordered *o, rdx_error *err) {
  RDX_SCOPED(rdx_frame_destroy) rdx_frame numbers = {0};
  rdx_vector codes = {
      .column = {.type = RDX_TYPE_U32, .rows = o->q->in->frame.rows, .values = o->q->codes}}; /* borrowed */
  if (o->q->codes) {
    RDX_TRY(rdx_frame_create(1, o->q->in->frame.rows, &numbers, err));
    RDX_TRY(rdx_frame_take(&numbers, 0, &codes, err));
  }
  RDX_TRY(rdx_frame_join(&o->q->in->frame, &numbers, &o->w.in.frame, err));
  return rdx_operand_refresh(o->q->x, &o->w.in, err);
}

rdx_status rdx_ordered_run(const rdx_ordered_query *q, rdx_frame *out, rdx_error *err) {
  RDX_SCOPED(end) ordered o = {.q = q, .w = {.x = q->x}};
  RDX_TRY(rdx_frame_create(q->count, q->groups, out, err));
  RDX_TRY(make_input(&o, err));
  RDX_TRY(rdx_window_begin(&o.w, err));
  return run_all(&o, out, err);
}
