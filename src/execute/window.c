/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Window functions. Rows are sorted once for each PARTITION BY and ORDER BY; then each function goes through them once:
 * frames begin and end further on from row to row, so that what is in a frame is added once, and taken away once. */

#include <math.h>
#include <string.h>

#include "column/column.h"
#include "execute/window.h"
#include "expression/block.h"

#define WHAT "a window function"

/* ---- Sorting ---- */

rdx_status rdx_window_keys_create(rdx_windowing *w, const rdx_plan_window *p, rdx_window_keys *out, rdx_error *err) {
  *out = (rdx_window_keys){.count = p->partition_count + p->order_count};
  RDX_TRY(rdx_arena_alloc(w->x->arena, out->count, sizeof *out->columns, WHAT, (void **)&out->columns, err));
  RDX_TRY(rdx_calloc(out->count, sizeof *out->flat, WHAT, (void **)&out->flat, err));
  for (uint32_t i = 0; i < out->count; i++) {
    const bool parts = i < p->partition_count;
    const rdx_plan_ordering *o = parts ? NULL : &p->orders[i - p->partition_count];
    const rdx_bound *value = parts ? p->partition[i] : o->value;
    RDX_TRY(value->kind == RDX_BOUND_COLUMN ? rdx_operand_coded(w->x, &w->in, value->index, &out->flat[i], err)
                                            : rdx_operand_flat(w->x, &w->in, value, &out->flat[i], err));
    out->columns[i] = (rdx_key_column){
        .parts = {&out->flat[i].column}, .descending = o && o->descending, .nulls_first = o && o->nulls_first};
  }
  return RDX_OK;
}

void rdx_window_keys_destroy(rdx_window_keys *keys) {
  for (uint32_t i = 0; keys->flat && i < keys->count; i++)
    rdx_vector_destroy(&keys->flat[i]);
  rdx_free(keys->flat);
}

#define AHEAD 16u /* places in order whose rows are fetched before it is their turn */

typedef struct marking {
  rdx_windowing *w;
  const rdx_key_words *words;
  uint8_t bit;
} marking;

/* Mark where neighbours in order differ. */
static void mark(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  const marking *m = context;
  const uint32_t *order = m->w->order;
  for (uint64_t i = begin > 0 ? begin : 1; i < end; i++) {
    bool differ = false;
    if (i + AHEAD < end)
      __builtin_prefetch(&m->words->words[0][order[i + AHEAD]]);
    for (uint32_t k = 0; k < m->words->count && !differ; k++)
      differ = m->words->words[k][order[i]] != m->words->words[k][order[i - 1]];
    m->w->marks[i] |= differ ? m->bit : 0;
  }
}

static rdx_status mark_keys(rdx_windowing *w, const rdx_key_column *columns, uint32_t count, bool sorts, uint8_t bit,
                            rdx_error *err) {
  const uint64_t rows[2] = {w->rows, 0};
  RDX_SCOPED(rdx_key_words_destroy) rdx_key_words words = {0};
  RDX_TRY(rdx_key_words_create(w->x, columns, count, rows, false, &words, err));
  if (sorts)
    RDX_TRY(rdx_key_words_order(w->x, &words, w->order, err));
  marking m = {w, &words, bit};
  return rdx_pool_run_stage(w->x->pool, w->rows, RDX_EXECUTE_GRAIN, mark, &m, "window", err);
}

rdx_status rdx_window_sort(rdx_windowing *w, const rdx_plan_window *p, rdx_error *err) {
  RDX_SCOPED(rdx_window_keys_destroy) rdx_window_keys keys = {0};
  for (uint64_t i = 0; i < w->rows; i++)
    w->order[i] = (uint32_t)i;
  memset(w->marks, 0, w->rows);
  if (w->rows == 0)
    return RDX_OK;
  w->marks[0] = RDX_WINDOW_PARTITION | RDX_WINDOW_PEERS;
  if (p->partition_count + p->order_count == 0)
    return RDX_OK;
  RDX_TRY(rdx_window_keys_create(w, p, &keys, err));
  RDX_TRY(mark_keys(w, keys.columns, keys.count, true, RDX_WINDOW_PEERS, err));
  return p->partition_count > 0 ? mark_keys(w, keys.columns, p->partition_count, false, RDX_WINDOW_PARTITION, err)
                                : RDX_OK;
}

/* ---- Partitions, peers and frames ---- */

/* A partition, and the place in it: rows in order have places 0 .. rows - 1 of all. */
typedef struct cursor {
  const rdx_windowing *w;
  uint64_t begin, end;             /* of the partition */
  uint64_t at;                     /* the row */
  uint64_t peer_begin, peer_end;   /* of rows that are equal in ORDER BY */
  uint64_t rank;                   /* of distinct ones, from 1 */
  uint64_t groups;                 /* of them in the partitions before */
  uint64_t range_begin, range_end; /* how far the ends of RANGE came */
  uint64_t frame_begin, frame_end; /* begin >= end: it is empty */
  uint64_t hole_begin, hole_end;   /* of it what is left out; its ends never move back; nothing: its end, twice */
  bool keeps;                      /* the row is in it, though it lies in the hole */
} cursor;

static uint64_t next_mark(const rdx_windowing *w, uint64_t at, uint8_t bit) {
  do
    at++;
  while (at < w->rows && !(w->marks[at] & bit));
  return at;
}

/* ROWS: so many rows away. */
static uint64_t row_edge(const cursor *c, bool preceding, uint64_t offset, bool is_end) {
  const uint64_t before = c->at - c->begin, after = c->end - 1 - c->at;
  if (preceding)
    return offset > before ? c->begin : c->at - offset + is_end;
  return offset > after ? c->end : c->at + offset + is_end;
}

/* GROUPS: so many groups of equal rows away. */
static uint64_t group_edge(const cursor *c, const rdx_window_run *r, bool preceding, uint64_t offset, bool is_end) {
  const uint64_t at = c->groups + c->rank - 1; /* the number of the row's group */
  if (preceding)
    return offset > c->rank - 1 ? c->begin : r->groups[at - offset + is_end];
  if (offset >= r->group_count - at)
    return c->end;
  const uint64_t edge = r->groups[at + offset + is_end];
  return edge < c->end ? edge : c->end;
}

/* Whether the value of a place comes before the end of a frame whose value is that of a row; with `is_end` also where
 * it is equal. */
static bool is_before(const rdx_window_run *r, uint32_t row, const rdx_column *ends, uint32_t of, bool is_end) {
  const rdx_plan_ordering *o = r->window->orders;
  const rdx_column *values = &r->range_value.column;
  rdx_datum a, b;
  if (!rdx_column_has(values, row)) /* NULLs are before all others, or behind */
    return o && o->nulls_first;
  if (!rdx_column_has(ends, of)) /* the frame begins behind all values, or ends before them */
    return !is_end;
  rdx_column_datum(values, row, &a);
  rdx_column_datum(ends, of, &b);
  const int order = rdx_type_is_float(values->type) ? rdx_compare_doubles(a.f, b.f) : (a.i > b.i) - (a.i < b.i);
  return is_end && order == 0 ? true : o && o->descending ? order > 0 : order < 0;
}

/* RANGE: as far away by value. Ends never move back from row to row. The frame of a NULL is the NULLs. */
static uint64_t range_edge(cursor *c, const rdx_window_run *r, bool is_end) {
  const uint32_t row = c->w->order[c->at];
  const rdx_column *ends = is_end ? &r->range_end.column : &r->range_begin.column;
  uint64_t *at = is_end ? &c->range_end : &c->range_begin;
  if (!rdx_column_has(&r->range_value.column, row))
    return is_end ? c->peer_end : c->peer_begin;
  while (*at < c->end && is_before(r, c->w->order[*at], ends, row, is_end))
    ++*at;
  return *at;
}

static uint64_t edge(cursor *c, const rdx_window_run *r, bool is_end) {
  const rdx_window_edge edge = is_end ? r->window->end : r->window->begin;
  const uint64_t offset = is_end ? r->end_offset : r->begin_offset;
  if (edge == RDX_EDGE_FIRST)
    return c->begin;
  if (edge == RDX_EDGE_LAST)
    return c->end;
  if (edge == RDX_EDGE_CURRENT && r->window->unit == RDX_FRAME_ROWS)
    return c->at + is_end;
  if (edge == RDX_EDGE_CURRENT)
    return is_end ? c->peer_end : c->peer_begin;
  switch (r->window->unit) {
  case RDX_FRAME_ROWS:
    return row_edge(c, edge == RDX_EDGE_PRECEDING, offset, is_end);
  case RDX_FRAME_GROUPS:
    return group_edge(c, r, edge == RDX_EDGE_PRECEDING, offset, is_end);
  default:
    return range_edge(c, r, is_end);
  }
}

static uint64_t clamp(uint64_t at, uint64_t low, uint64_t high) {
  return at < low ? low : at > high ? high : at;
}

static void leave_out(cursor *c, rdx_window_exclusion exclusion) {
  const uint64_t begin = c->frame_begin, end = begin > c->frame_end ? begin : c->frame_end;
  const bool row = exclusion == RDX_EXCLUDE_CURRENT;
  c->hole_begin = c->hole_end = end;
  c->keeps = exclusion == RDX_EXCLUDE_TIES && c->at >= begin && c->at < end;
  if (exclusion == RDX_EXCLUDE_NOTHING)
    return;
  c->hole_begin = clamp(row ? c->at : c->peer_begin, begin, end);
  c->hole_end = clamp(row ? c->at + 1 : c->peer_end, begin, end);
}

/* Fetch what a place some way on has in an array of so many bytes a row: rows in order lie anywhere. */
static inline void fetch_ahead(const rdx_windowing *w, uint64_t at, const void *array, uint32_t bytes) {
  if (array && at + AHEAD < w->rows)
    __builtin_prefetch((const char *)array + (uint64_t)w->order[at + AHEAD] * bytes);
}

/* The next row; false: there is none. */
static bool advance(cursor *c, const rdx_window_run *r) {
  const rdx_windowing *w = c->w;
  c->at = c->end == 0 ? 0 : c->at + 1;
  if (c->at >= w->rows)
    return false;
  if (c->at == c->end) {
    c->groups += c->rank;
    c->begin = c->range_begin = c->range_end = c->at;
    c->end = next_mark(w, c->at, RDX_WINDOW_PARTITION);
    c->rank = 0;
    c->peer_end = c->at;
  }
  if (c->at == c->peer_end) {
    c->peer_begin = c->at;
    c->peer_end = next_mark(w, c->at, RDX_WINDOW_PARTITION | RDX_WINDOW_PEERS);
    c->rank++;
  }
  c->frame_begin = edge(c, r, false);
  c->frame_end = edge(c, r, true);
  leave_out(c, r->window->exclusion);
  return true;
}

/* ---- Numbers of rows ---- */

static int64_t tile_of(const cursor *c, int64_t tiles) {
  const uint64_t n = (uint64_t)tiles, rows = c->end - c->begin, i = c->at - c->begin;
  const uint64_t each = rows / n, larger = rows % n, in_larger = larger * (each + 1);
  return (int64_t)(i < in_larger ? i / (each + 1) : larger + (i - in_larger) / each) + 1;
}

static int64_t number_of(const cursor *c, const rdx_window_run *r) {
  switch (r->window->kind) {
  case RDX_WINDOW_ROW_NUMBER:
    return (int64_t)(c->at - c->begin) + 1;
  case RDX_WINDOW_RANK:
    return (int64_t)(c->peer_begin - c->begin) + 1;
  case RDX_WINDOW_DENSE_RANK:
    return (int64_t)c->rank;
  default:
    return tile_of(c, r->number);
  }
}

static double share_of(const cursor *c, rdx_plan_window_kind kind) {
  const uint64_t rows = c->end - c->begin;
  if (kind == RDX_WINDOW_CUME_DIST)
    return (double)(c->peer_end - c->begin) / (double)rows;
  return rows == 1 ? 0 : (double)(c->peer_begin - c->begin) / (double)(rows - 1);
}

static rdx_status fill_numbers(rdx_windowing *w, const rdx_window_run *r, rdx_error *err) {
  cursor c = {.w = w};
  const rdx_plan_window_kind kind = r->window->kind;
  if (r->no_number) { /* ntile(NULL) */
    memset(r->validity, 0, (w->rows + 7) / 8);
    memset(r->values, 0, w->rows * (kind == RDX_WINDOW_NTILE ? 4 : 8));
    return RDX_OK;
  }
  while (advance(&c, r)) {
    const uint32_t row = w->order[c.at];
    fetch_ahead(w, c.at, r->values, kind == RDX_WINDOW_NTILE ? 4 : 8);
    RDX_TRY(rdx_loop_goes_on(c.at, w->rows, "window", err));
    if (kind == RDX_WINDOW_PERCENT_RANK || kind == RDX_WINDOW_CUME_DIST)
      ((double *)r->values)[row] = share_of(&c, kind);
    else if (kind == RDX_WINDOW_NTILE)
      ((int32_t *)r->values)[row] = (int32_t)number_of(&c, r);
    else
      ((int64_t *)r->values)[row] = number_of(&c, r);
  }
  return RDX_OK;
}

/* ---- Values of other rows ---- */

/* The place of a row of the frame, by its number from 0; UINT64_MAX: it has not so many. */
static uint64_t place_in_frame(const cursor *c, uint64_t number) {
  const uint64_t parts[3][2] = {{c->frame_begin, c->hole_begin},
                                {c->at, c->at + c->keeps},
                                {c->hole_end, c->frame_end > c->hole_end ? c->frame_end : c->hole_end}};
  for (uint32_t i = 0; i < 3; i++) {
    const uint64_t rows = parts[i][1] - parts[i][0];
    if (number < rows)
      return parts[i][0] + number;
    number -= rows;
  }
  return UINT64_MAX;
}

static uint64_t rows_in_frame(const cursor *c) {
  const uint64_t behind = c->frame_end > c->hole_end ? c->frame_end - c->hole_end : 0;
  return c->hole_begin - c->frame_begin + c->keeps + behind;
}

/* The place of the row whose value it is; UINT64_MAX: none. */
static uint64_t source_of(const cursor *c, const rdx_window_run *r) {
  const uint64_t rows = c->end - c->begin, i = c->at - c->begin;
  const int64_t n = r->window->kind == RDX_WINDOW_LAG ? r->number : 0;
  switch (r->window->kind) {
  case RDX_WINDOW_LAG:
  case RDX_WINDOW_LEAD: {
    const rdx_i128 at = (rdx_i128)i + (r->window->kind == RDX_WINDOW_LAG ? -(rdx_i128)n : (rdx_i128)r->number);
    return at < 0 || at >= (rdx_i128)rows ? UINT64_MAX : c->begin + (uint64_t)at;
  }
  case RDX_WINDOW_FIRST:
    return place_in_frame(c, 0);
  case RDX_WINDOW_LAST:
    return place_in_frame(c, rows_in_frame(c) - 1); /* of no rows none has this number */
  default:
    return place_in_frame(c, (uint64_t)r->number - 1);
  }
}

static rdx_status find_sources(rdx_windowing *w, const rdx_window_run *r, uint32_t *source, rdx_error *err) {
  cursor c = {.w = w};
  while (advance(&c, r)) {
    const uint64_t from = r->no_number ? UINT64_MAX : source_of(&c, r);
    fetch_ahead(w, c.at, source, sizeof *source);
    RDX_TRY(rdx_loop_goes_on(c.at, w->rows, "window", err));
    source[w->order[c.at]] = from == UINT64_MAX ? RDX_NO_ROW : w->order[from];
  }
  return RDX_OK;
}

/* The smallest or largest of rows whose begin and end never move back: places from the best to the last, each the best
 * of those behind it (Lemire, Nordic Journal of Computing 2006). */
typedef struct extremes {
  const rdx_windowing *w;
  const rdx_window_run *r;
  const uint64_t *codes;
  uint32_t *queue;
  uint64_t head, tail, added;
} extremes;

/* Whether the value of a row comes before that of another one. */
static bool is_better(const extremes *e, uint32_t row, uint32_t other) {
  return e->r->window->kind == RDX_WINDOW_MIN ? e->codes[row] < e->codes[other] : e->codes[row] > e->codes[other];
}

/* The row of places begin .. end - 1; RDX_NO_ROW: none has a value. */
static uint32_t slide(extremes *e, uint64_t begin, uint64_t end) {
  const uint32_t *order = e->w->order;
  e->added = e->added > begin ? e->added : begin;
  for (; e->added < end; e->added++) {
    const uint32_t row = order[e->added];
    if (!rdx_column_has(&e->r->value.column, row))
      continue;
    while (e->tail > e->head && is_better(e, row, order[e->queue[e->tail - 1]]))
      e->tail--;
    e->queue[e->tail++] = (uint32_t)e->added;
  }
  while (e->head < e->tail && e->queue[e->head] < begin)
    e->head++;
  return e->head < e->tail && begin < end ? order[e->queue[e->head]] : RDX_NO_ROW;
}

static uint32_t better_of(const extremes *e, uint32_t a, uint32_t b) {
  return b == RDX_NO_ROW || (a != RDX_NO_ROW && !is_better(e, b, a)) ? a : b;
}

/* Of what is before the hole of a frame, and of what is behind it. */
static rdx_status find_extremes(rdx_windowing *w, const rdx_window_run *r, extremes sides[2], uint32_t *source,
                                rdx_error *err) {
  cursor c = {.w = w};
  uint64_t begin = UINT64_MAX;
  while (advance(&c, r)) {
    const uint32_t row = w->order[c.at];
    RDX_TRY(rdx_loop_goes_on(c.at, w->rows, "window", err));
    for (uint32_t i = 0; i < 2 && c.begin != begin; i++) {
      sides[i].added = c.begin;
      sides[i].head = sides[i].tail = 0;
    }
    begin = c.begin;
    source[row] =
        better_of(sides, slide(&sides[0], c.frame_begin, c.hole_begin), slide(&sides[1], c.hole_end, c.frame_end));
    if (c.keeps && rdx_column_has(&r->value.column, row))
      source[row] = better_of(sides, source[row], row);
  }
  return RDX_OK;
}

static rdx_status take_extremes(rdx_windowing *w, const rdx_window_run *r, uint32_t *source, rdx_error *err) {
  RDX_SCOPED(rdx_free_local) uint32_t *before = NULL, *behind = NULL;
  RDX_SCOPED(rdx_free_local) uint64_t *codes = NULL;
  RDX_TRY(rdx_alloc(w->rows, sizeof *codes, WHAT, (void **)&codes, err));
  RDX_TRY(rdx_alloc(w->rows, sizeof *before, WHAT, (void **)&before, err));
  RDX_TRY(rdx_alloc(w->rows, sizeof *behind, WHAT, (void **)&behind, err));
  rdx_codes_of(&r->value.column, codes);
  extremes sides[2] = {{.w = w, .r = r, .codes = codes, .queue = before},
                       {.w = w, .r = r, .codes = codes, .queue = behind}};
  return find_extremes(w, r, sides, source, err);
}

/* The column that the values come from, by the rows that they come from. */
static rdx_status choose_sources(rdx_windowing *w, const rdx_window_run *r, rdx_frame *out, uint32_t index,
                                 rdx_error *err) {
  const rdx_plan_window_kind kind = r->window->kind;
  RDX_SCOPED(rdx_frame_destroy) rdx_frame one = {0};
  RDX_SCOPED(rdx_free_local) uint32_t *source = NULL;
  RDX_TRY(rdx_alloc(w->rows, sizeof *source, WHAT, (void **)&source, err));
  RDX_TRY(kind == RDX_WINDOW_MIN || kind == RDX_WINDOW_MAX ? take_extremes(w, r, source, err)
                                                           : find_sources(w, r, source, err));
  RDX_TRY(rdx_frame_create(1, w->rows, &one, err));
  RDX_TRY(rdx_operand_column(w->x, &w->in, r->window->value, &one, 0, err));
  RDX_TRY(rdx_frame_select(w->x->pool, &one, RDX_KEEP(source), w->rows, err));
  rdx_frame_share(&one.columns[0], &out->columns[index]);
  return RDX_OK;
}

/* ---- Counts, sums, averages ---- */

/* Places that came to the sum, or went from it. */
typedef struct stretch {
  uint64_t first, last;
} stretch;

/* The places become those from `begin` on, before `end`; what comes is `in` the sum, what goes is not, or the other way
 * round. */
static rdx_status move(rdx_windowing *w, rdx_window_run *r, stretch *s, uint64_t begin, uint64_t end, bool in,
                       rdx_error *err) {
  const rdx_column *value = &r->value.column;
  const uint32_t bytes = value->values ? (uint32_t)rdx_type_size(value->type) : 0;
  for (; s->last < end; s->last++) {
    fetch_ahead(w, s->last, value->values, bytes);
    RDX_TRY(rdx_loop_goes_on(s->last, w->rows, "window", err));
    rdx_window_sum_change(r, w->order[s->last], in);
  }
  for (; s->first < begin && s->first < s->last; s->first++) {
    RDX_TRY(rdx_loop_goes_on(s->first, w->rows, "window", err));
    rdx_window_sum_change(r, w->order[s->first], !in);
  }
  return RDX_OK;
}

static rdx_status fill_sums(rdx_windowing *w, rdx_window_run *r, rdx_error *err) {
  const bool leaves_out = r->window->exclusion != RDX_EXCLUDE_NOTHING;
  cursor c = {.w = w};
  uint64_t begin = UINT64_MAX;
  stretch frame = {0}, hole = {0};
  while (advance(&c, r)) {
    const uint32_t row = w->order[c.at];
    fetch_ahead(w, c.at, r->values, sizeof(int64_t));
    RDX_TRY(rdx_loop_goes_on(c.at, w->rows, "window", err));
    if (c.begin != begin) {
      begin = c.begin;
      frame = hole = (stretch){begin, begin};
      rdx_window_sum_clear(r);
    }
    RDX_TRY(move(w, r, &frame, c.frame_begin, c.frame_end, true, err));
    if (leaves_out)
      RDX_TRY(move(w, r, &hole, c.hole_begin, c.hole_end, false, err));
    if (c.keeps)
      rdx_window_sum_change(r, row, true);
    RDX_TRY(rdx_window_sum_store(w, r, rows_in_frame(&c) == 0, row, err));
    if (c.keeps)
      rdx_window_sum_change(r, row, false);
  }
  return RDX_OK;
}

/* ---- A function ---- */

static rdx_status find_number(rdx_windowing *w, const rdx_bound *e, int64_t *out, bool *null, rdx_error *err) {
  rdx_datum value;
  RDX_TRY(rdx_value_of(w->x, e, &value, err));
  *null = value.null;
  *out = value.null ? 0 : value.i;
  return RDX_OK;
}

#define MONTH_DAYS 30
#define DAY_MICROS ((rdx_i128)86400 * 1000000)

/* A distance of RANGE below 0; a NaN counts as one. */
static bool is_negative(rdx_sql_type type, const rdx_datum *value) {
  switch (type.kind) {
  case RDX_SQL_INTERVAL:
    return ((rdx_i128)value->interval.months * MONTH_DAYS + value->interval.days) * DAY_MICROS +
               value->interval.micros <
           0;
  case RDX_SQL_REAL:
  case RDX_SQL_DOUBLE:
    return !(value->f >= 0);
  case RDX_SQL_DECIMAL:
    return type.precision > 18 ? value->wide < 0 : value->i < 0;
  default:
    return value->i < 0;
  }
}

static rdx_status find_offset(rdx_windowing *w, const rdx_bound *e, bool range, uint64_t *out, rdx_error *err) {
  rdx_datum value = {0};
  *out = 0;
  if (!e)
    return RDX_OK;
  RDX_TRY(rdx_value_of(w->x, e, &value, err));
  if (value.null || is_negative(e->type, &value))
    return rdx_sql_error(err, RDX_ERROR_ARGUMENT, w->x->text, e->place, NULL, "the distance of a frame must not be %s",
                         value.null ? "NULL" : "negative");
  if (e->type.kind == RDX_SQL_DOUBLE && !isfinite(value.f))
    return rdx_sql_error(err, RDX_ERROR_UNSUPPORTED, w->x->text, e->place, "write UNBOUNDED",
                         "the distance of a frame must be finite");
  *out = range ? 0 : (uint64_t)value.i;
  return RDX_OK;
}

static rdx_status find_numbers(rdx_windowing *w, rdx_window_run *r, rdx_error *err) {
  const rdx_plan_window *p = r->window;
  const bool range = p->unit == RDX_FRAME_RANGE;
  r->number = 1;
  RDX_TRY(find_offset(w, p->begin_offset, range, &r->begin_offset, err));
  RDX_TRY(find_offset(w, p->end_offset, range, &r->end_offset, err));
  if (p->number)
    RDX_TRY(find_number(w, p->number, &r->number, &r->no_number, err));
  if ((p->kind == RDX_WINDOW_NTILE || p->kind == RDX_WINDOW_NTH) && !r->no_number && r->number < 1)
    return rdx_sql_error(err, RDX_ERROR_ARGUMENT, w->x->text, p->number->place, NULL,
                         "the number of %s must be greater than zero", p->name);
  return RDX_OK;
}

/* A column of its own: numbers, and sums. */
static rdx_status fill_column(rdx_windowing *w, rdx_window_run *r, rdx_frame *out, uint32_t index, rdx_error *err) {
  const rdx_sql_type type = r->window->type;
  const rdx_type stored = type.kind == RDX_SQL_INTEGER   ? RDX_TYPE_I32
                          : type.kind == RDX_SQL_DOUBLE  ? RDX_TYPE_F64
                          : type.kind == RDX_SQL_DECIMAL ? RDX_TYPE_DECIMAL
                                                         : RDX_TYPE_I64;
  RDX_SCOPED(rdx_vector_destroy) rdx_vector vector = {0};
  RDX_TRY(rdx_alloc(w->rows, rdx_type_size(stored), WHAT, &vector.memory[0], err));
  RDX_TRY(rdx_alloc(w->rows / 8 + 1, 1, WHAT, &vector.memory[1], err));
  r->values = vector.memory[0];
  r->validity = vector.memory[1];
  memset(r->validity, 0xff, w->rows / 8 + 1);
  RDX_TRY(r->window->kind < RDX_WINDOW_COUNT ? fill_numbers(w, r, err) : fill_sums(w, r, err));
  vector.column = (rdx_column){.type = stored, .scale = type.scale, .rows = w->rows, .values = r->values};
  vector.column.validity = r->validity;
  return rdx_frame_take(out, index, &vector, err);
}

/* Where groups of equal rows begin. */
static rdx_status list_groups(rdx_windowing *w, rdx_window_run *r, rdx_error *err) {
  uint64_t count = 0;
  for (uint64_t i = 0; i < w->rows; i++)
    count += (w->marks[i] & (RDX_WINDOW_PARTITION | RDX_WINDOW_PEERS)) != 0;
  RDX_TRY(rdx_alloc(count + 1, sizeof *r->groups, WHAT, (void **)&r->groups, err));
  for (uint64_t i = 0; i < w->rows; i++) {
    RDX_TRY(rdx_loop_goes_on(i, w->rows, "window", err));
    if (w->marks[i] & (RDX_WINDOW_PARTITION | RDX_WINDOW_PEERS))
      r->groups[r->group_count++] = (uint32_t)i;
  }
  r->groups[r->group_count] = (uint32_t)w->rows;
  return RDX_OK;
}

/* What frames of values and of groups need. */
static rdx_status begin_frames(rdx_windowing *w, rdx_window_run *r, rdx_error *err) {
  const rdx_plan_window *p = r->window;
  if (p->unit == RDX_FRAME_GROUPS)
    RDX_TRY(list_groups(w, r, err));
  if (p->range_value)
    RDX_TRY(rdx_operand_flat(w->x, &w->in, p->range_value, &r->range_value, err));
  if (p->range_begin)
    RDX_TRY(rdx_operand_flat(w->x, &w->in, p->range_begin, &r->range_begin, err));
  return p->range_end ? rdx_operand_flat(w->x, &w->in, p->range_end, &r->range_end, err) : RDX_OK;
}

static rdx_status find_values(rdx_windowing *w, const rdx_bound *e, rdx_vector *out, rdx_error *err) {
  if (!e)
    return RDX_OK;
  return e->kind == RDX_BOUND_COLUMN ? rdx_operand_coded(w->x, &w->in, e->index, out, err)
                                     : rdx_operand_flat(w->x, &w->in, e, out, err);
}

static void end(rdx_window_run *r) {
  rdx_vector *const vectors[] = {&r->value, &r->other, &r->range_value, &r->range_begin, &r->range_end};
  for (size_t i = 0; i < RDX_COUNT(vectors); i++)
    rdx_vector_destroy(vectors[i]);
  rdx_free(r->groups);
}

static rdx_status run_function(rdx_windowing *w, const rdx_plan_window *p, rdx_frame *out, uint32_t index,
                               rdx_error *err) {
  RDX_SCOPED(end) rdx_window_run r = {.window = p};
  const bool chooses = (p->kind >= RDX_WINDOW_LAG && p->kind <= RDX_WINDOW_NTH) || p->kind >= RDX_WINDOW_MIN;
  RDX_TRY(find_numbers(w, &r, err));
  RDX_TRY(begin_frames(w, &r, err));
  if (p->kind >= RDX_WINDOW_COUNT)
    RDX_TRY(find_values(w, p->value, &r.value, err));
  RDX_TRY(find_values(w, p->other, &r.other, err));
  return chooses ? choose_sources(w, &r, out, index, err) : fill_column(w, &r, out, index, err);
}

static rdx_status run_functions(rdx_windowing *w, const rdx_plan_node *node, rdx_frame *out, rdx_error *err) {
  const uint32_t own = w->in.frame.count;
  for (uint32_t i = 0; i < own; i++)
    rdx_frame_share(&w->in.frame.columns[i], &out->columns[i]);
  for (uint32_t i = 0; i < node->window_count; i++) {
    if (i == 0 || !rdx_windows_alike(&node->windows[i - 1], &node->windows[i]))
      RDX_TRY(rdx_window_sort(w, &node->windows[i], err));
    RDX_TRY(run_function(w, &node->windows[i], out, own + i, err));
  }
  return RDX_OK;
}

rdx_status rdx_window_begin(rdx_windowing *w, rdx_error *err) {
  w->rows = w->in.frame.rows;
  if (w->rows >= UINT32_MAX)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "%llu rows are too many to sort", (unsigned long long)w->rows);
  RDX_TRY(rdx_alloc(w->rows, sizeof *w->order, WHAT, (void **)&w->order, err));
  return rdx_alloc(w->rows, 1, WHAT, (void **)&w->marks, err);
}

void rdx_window_end(rdx_windowing *w) {
  RDX_FREE_ALL(w->order, w->marks);
  rdx_operand_drop(&w->in);
}

rdx_status rdx_execute_window(rdx_execution *x, const rdx_plan_node *node, rdx_frame *out, rdx_error *err) {
  RDX_SCOPED(rdx_window_end) rdx_windowing w = {.x = x};
  RDX_TRY(rdx_operand_run(x, node->left, &w.in, err));
  RDX_TRY(rdx_window_keep_firsts(&w, node, err));
  RDX_TRY(rdx_window_begin(&w, err));
  RDX_TRY(rdx_frame_create(node->column_count, w.rows, out, err));
  return run_functions(&w, node, out, err);
}
