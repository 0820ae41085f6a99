/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Window functions: bound where they stand, and calculated over the rows of a block, or over its groups, before the
 * list is. */

#include "plan/internal.h"

#include <string.h>

static const struct function {
  const char *name;
  rdx_plan_window_kind kind;
  uint8_t min, max; /* arguments */
  bool truth;       /* of booleans */
} functions[] = {
    {"row_number", RDX_WINDOW_ROW_NUMBER, 0, 0, false},
    {"rank", RDX_WINDOW_RANK, 0, 0, false},
    {"dense_rank", RDX_WINDOW_DENSE_RANK, 0, 0, false},
    {"percent_rank", RDX_WINDOW_PERCENT_RANK, 0, 0, false},
    {"cume_dist", RDX_WINDOW_CUME_DIST, 0, 0, false},
    {"ntile", RDX_WINDOW_NTILE, 1, 1, false},
    {"lag", RDX_WINDOW_LAG, 1, 3, false},
    {"lead", RDX_WINDOW_LEAD, 1, 3, false},
    {"first_value", RDX_WINDOW_FIRST, 1, 1, false},
    {"last_value", RDX_WINDOW_LAST, 1, 1, false},
    {"nth_value", RDX_WINDOW_NTH, 2, 2, false},
    {"count", RDX_WINDOW_COUNT, 0, 1, false},
    {"sum", RDX_WINDOW_SUM, 1, 1, false},
    {"avg", RDX_WINDOW_AVG, 1, 1, false},
    {"min", RDX_WINDOW_MIN, 1, 1, false},
    {"max", RDX_WINDOW_MAX, 1, 1, false},
    {"bit_and", RDX_WINDOW_BIT_AND, 1, 1, false},
    {"bit_or", RDX_WINDOW_BIT_OR, 1, 1, false},
    {"bit_xor", RDX_WINDOW_BIT_XOR, 1, 1, false},
    {"bool_and", RDX_WINDOW_MIN, 1, 1, true},
    {"every", RDX_WINDOW_MIN, 1, 1, true},
    {"bool_or", RDX_WINDOW_MAX, 1, 1, true},
};

static const rdx_sql_type bigint = {.kind = RDX_SQL_BIGINT};

/* ---- Functions ---- */

static rdx_status fail(const rdx_block *b, const rdx_ast *ast, const char *format, const char *word) {
  return rdx_planner_fail(b->planner, RDX_ERROR_ARGUMENT, ast->place, NULL, format, word);
}

bool rdx_is_window_function(const char *name) {
  for (size_t i = 0; i < RDX_COUNT(functions); i++)
    if (functions[i].kind < RDX_WINDOW_COUNT && strcmp(functions[i].name, name) == 0)
      return true;
  return false;
}

static rdx_status check_call(const rdx_block *b, const rdx_ast *ast, const struct function *f) {
  if (ast->distinct)
    return rdx_planner_fail(b->planner, RDX_ERROR_UNSUPPORTED, ast->place, NULL,
                            "DISTINCT is not supported in window functions");
  if (ast->order_count > 0)
    return fail(b, ast, "ORDER BY of window function %s stands in OVER (...)", ast->name);
  if (ast->filter && f->kind < RDX_WINDOW_COUNT)
    return fail(b, ast, "FILTER is not for %s, which is no aggregate", ast->name);
  if (ast->count < f->min || ast->count > f->max ||
      (ast->star ? f->kind != RDX_WINDOW_COUNT : f->kind == RDX_WINDOW_COUNT && ast->count == 0))
    return fail(b, ast, "%s does not take such arguments", ast->name);
  return RDX_OK;
}

static rdx_status find_function(const rdx_block *b, const rdx_ast *ast, struct function *out) {
  const rdx_statistic *statistic = rdx_find_statistic(ast->name);
  for (size_t i = 0; i < RDX_COUNT(functions); i++)
    if (strcmp(functions[i].name, ast->name) == 0)
      *out = functions[i];
  if (statistic) {
    out->kind = RDX_WINDOW_MOMENT;
    out->min = out->max = (uint8_t)rdx_statistic_arguments(statistic);
  } else if (!out->name) {
    return rdx_planner_fail(b->planner, RDX_ERROR_UNSUPPORTED, ast->place, NULL, "%.60s is not supported with OVER",
                            ast->name);
  }
  return check_call(b, ast, out);
}

static rdx_status check_allowed(const rdx_block *b, const rdx_ast *ast) {
  if (b->clause)
    return fail(b, ast, "window functions are not allowed in %s", b->clause);
  if (b->in_having)
    return fail(b, ast, "window functions are not allowed in %s", "HAVING");
  if (b->in_aggregate)
    return fail(b, ast, "window functions cannot be in %s", "aggregates");
  return b->in_window ? fail(b, ast, "window functions cannot be in %s", "window functions") : RDX_OK;
}

static bool has_columns(const rdx_bound *e) {
  return rdx_bound_has(e, RDX_BOUND_COLUMN) || rdx_bound_has(e, RDX_BOUND_OUTER);
}

/* A number that is the same for all rows. */
static rdx_status bind_number(rdx_block *b, const rdx_ast *ast, rdx_bound **out) {
  RDX_TRY(rdx_bind(b, ast, out));
  if (has_columns(*out))
    return rdx_planner_fail(b->planner, RDX_ERROR_UNSUPPORTED, ast->place, NULL,
                            "this must be the same for all rows, and reads columns");
  return rdx_bind_cast(&b->planner->binding, *out, bigint, false, ast->place, out);
}

static bool is_sum(rdx_plan_window_kind kind) {
  return kind == RDX_WINDOW_SUM || kind == RDX_WINDOW_AVG;
}

static rdx_status check_value(const rdx_block *b, const rdx_ast *ast, const struct function *f, rdx_bound *value) {
  const rdx_sql_kind kind = value->type.kind;
  char text[32];
  if ((is_sum(f->kind) && !rdx_is_number(value->type) && kind != RDX_SQL_INTERVAL) ||
      (f->truth && kind != RDX_SQL_BOOL) ||
      ((f->kind == RDX_WINDOW_MIN || f->kind == RDX_WINDOW_MAX) && kind == RDX_SQL_INTERVAL))
    return rdx_planner_fail(b->planner, RDX_ERROR_ARGUMENT, ast->place, NULL, "there is no %s(%s)", f->name,
                            rdx_sql_type_text(value->type, text));
  return RDX_OK;
}

static bool is_of_bits(rdx_plan_window_kind kind) {
  return kind >= RDX_WINDOW_BIT_AND && kind <= RDX_WINDOW_BIT_XOR;
}

/* `type`: the value's, before it becomes what the function takes. */
static rdx_status bind_value(rdx_block *b, const rdx_ast *ast, const struct function *f, rdx_sql_type *type,
                             rdx_bound **out) {
  *out = NULL;
  if (ast->count > 0)
    RDX_TRY(rdx_bind(b, ast->args[0], out));
  if (*out && (*out)->type.kind == RDX_SQL_UNKNOWN)
    RDX_TRY(rdx_bind_cast(&b->planner->binding, *out, (rdx_sql_type){.kind = f->truth ? RDX_SQL_BOOL : RDX_SQL_TEXT},
                          true, ast->place, out));
  if (*out)
    *type = (*out)->type;
  if (*out)
    RDX_TRY(is_of_bits(f->kind) ? rdx_bind_bits(b, ast, out) : check_value(b, ast, f, *out));
  return rdx_bind_filtered(b, ast, out, 1);
}

static rdx_sql_type type_of(rdx_plan_window_kind kind, const rdx_bound *value) {
  switch (kind) {
  case RDX_WINDOW_PERCENT_RANK:
  case RDX_WINDOW_CUME_DIST:
  case RDX_WINDOW_MOMENT:
    return (rdx_sql_type){.kind = RDX_SQL_DOUBLE};
  case RDX_WINDOW_NTILE:
    return (rdx_sql_type){.kind = RDX_SQL_INTEGER};
  case RDX_WINDOW_AVG:
    return rdx_aggregate_type(RDX_PLAN_AVG, value->type);
  case RDX_WINDOW_SUM:
    return rdx_aggregate_type(RDX_PLAN_SUM, value->type);
  case RDX_WINDOW_LAG:
  case RDX_WINDOW_LEAD:
  case RDX_WINDOW_FIRST:
  case RDX_WINDOW_LAST:
  case RDX_WINDOW_NTH:
  case RDX_WINDOW_MIN:
  case RDX_WINDOW_MAX:
    return value->type;
  default:
    return bigint;
  }
}

/* ---- Windows ---- */

/* What is given is the same for all rows, too, but as a group it is NULL in sets without it. */
static bool may_differ(const rdx_bound *e) {
  return has_columns(e) || rdx_bound_has(e, RDX_BOUND_PARAMETER);
}

static rdx_status bind_partition(rdx_block *b, const rdx_sql_window *written, rdx_plan_window *w) {
  RDX_TRY(rdx_planner_alloc(b->planner, written->partition_count, sizeof(rdx_bound *), &w->partition));
  RDX_TRY(rdx_planner_alloc(b->planner, written->order_count, sizeof *w->orders, &w->orders));
  for (uint32_t i = 0; i < written->partition_count; i++) {
    rdx_bound *value = NULL;
    RDX_TRY(rdx_bind(b, written->partition[i], &value));
    if (may_differ(value)) /* what is the same for all parts nothing */
      w->partition[w->partition_count++] = value;
  }
  for (uint32_t i = 0; i < written->order_count; i++) {
    const rdx_sql_order *o = &written->orders[i];
    const bool first = o->nulls == RDX_NULLS_DEFAULT ? o->descending : o->nulls == RDX_NULLS_FIRST;
    rdx_bound *value = NULL;
    RDX_TRY(rdx_bind(b, o->value, &value));
    RDX_TRY(rdx_bind_span(b->planner, &value));
    if (may_differ(value))
      w->orders[w->order_count++] = (rdx_plan_ordering){value, o->descending, first};
  }
  return RDX_OK;
}

static bool is_time(rdx_sql_kind kind) {
  return kind == RDX_SQL_DATE || kind == RDX_SQL_TIMESTAMP;
}

/* Distances from reals are calculated as doubles. */
static rdx_status widen_real(rdx_block *b, rdx_bound **value) {
  const rdx_sql_type wide = {.kind = RDX_SQL_DOUBLE};
  return (*value)->type.kind == RDX_SQL_REAL
             ? rdx_bind_cast(&b->planner->binding, *value, wide, false, (*value)->place, value)
             : RDX_OK;
}

/* A distance of RANGE: a number for numbers, an interval for dates and timestamps. */
static rdx_status bind_distance(rdx_block *b, const rdx_ast *ast, const rdx_bound *value, rdx_bound **out) {
  char texts[2][32];
  RDX_TRY(rdx_bind(b, ast, out));
  if (has_columns(*out))
    return rdx_planner_fail(b->planner, RDX_ERROR_UNSUPPORTED, ast->place, NULL,
                            "this must be the same for all rows, and reads columns");
  if ((*out)->type.kind == RDX_SQL_UNKNOWN)
    RDX_TRY(rdx_bind_cast(&b->planner->binding, *out,
                          is_time(value->type.kind) ? (rdx_sql_type){.kind = RDX_SQL_INTERVAL} : value->type, false,
                          ast->place, out));
  RDX_TRY(widen_real(b, out));
  const rdx_sql_kind kind = (*out)->type.kind;
  if (is_time(value->type.kind) ? kind == RDX_SQL_INTERVAL : rdx_is_number(value->type) && rdx_is_number((*out)->type))
    return RDX_OK;
  return rdx_planner_fail(b->planner, RDX_ERROR_ARGUMENT, ast->place,
                          is_time(value->type.kind) ? "write INTERVAL '1 day'" : NULL,
                          "RANGE cannot have a distance of %s from %s", rdx_sql_type_text((*out)->type, texts[0]),
                          rdx_sql_type_text(value->type, texts[1]));
}

/* A bigint up to where its sum with a distance fits. Behind that, an end of the frame that lies outwards is as far as
 * any value; one that lies inwards is behind all values, for which NULL stands. */
static rdx_status bind_within(rdx_block *b, rdx_bound *offset, bool minus, bool outwards, rdx_bound **value) {
  rdx_bound *args[] = {*value, NULL};
  const int64_t n = offset->value.i;
  const rdx_datum limit = {.i = minus ? INT64_MIN + n : INT64_MAX - n};
  RDX_TRY(rdx_bind_constant(&b->planner->binding, bigint, limit, offset->place, &args[1]));
  if (outwards)
    return rdx_bind_call_of(b->planner, minus ? "greatest" : "least", args, 2, offset->place, value);
  rdx_bound *when[] = {NULL, *value};
  RDX_TRY(rdx_bind_pair(b, minus ? ">=" : "<=", *value, args[1], offset->place, &when[0]));
  return rdx_bind_call_of(b->planner, "case", when, 2, offset->place, value);
}

/* What values are compared with at an end of the frame: value - distance, or +, as the order goes. */
static rdx_status bind_range_end(rdx_block *b, const rdx_plan_window *w, bool is_end, bool descending, rdx_bound *value,
                                 rdx_bound **out) {
  const rdx_window_edge edge = is_end ? w->end : w->begin;
  rdx_bound *const offset = is_end ? w->end_offset : w->begin_offset;
  const bool minus = (edge == RDX_EDGE_PRECEDING) != descending, outwards = (edge == RDX_EDGE_PRECEDING) != is_end;
  rdx_bound *args[] = {value, offset};
  if (value->type.kind == RDX_SQL_BIGINT && rdx_is_integer(offset->type) && offset->kind == RDX_BOUND_CONSTANT &&
      !offset->value.null && offset->value.i >= 0)
    RDX_TRY(bind_within(b, offset, minus, outwards, &args[0]));
  return rdx_bind_call_of(b->planner, minus ? "-" : "+", args, 2, offset->place, out);
}

/* RANGE with distances. Integers become bigint. */
static rdx_status bind_range(rdx_block *b, const rdx_sql_window *written, rdx_plan_window *w) {
  rdx_bound *value = NULL, **parts[] = {&w->range_value, &w->range_begin, &w->range_end};
  rdx_sql_type types[3];
  uint32_t count = 0;
  const rdx_sql_order *o = &written->orders[0];
  const bool descending = o->descending && w->order_count > 0; /* a constant orders nothing */
  RDX_TRY(rdx_bind(b, o->value, &value));
  RDX_TRY(widen_real(b, &value));
  if (value->type.kind == RDX_SQL_SMALLINT || value->type.kind == RDX_SQL_INTEGER)
    RDX_TRY(rdx_bind_cast(&b->planner->binding, value, bigint, false, o->value->place, &value));
  w->range_value = value;
  if (written->begin_offset) {
    RDX_TRY(bind_distance(b, written->begin_offset, value, &w->begin_offset));
    RDX_TRY(bind_range_end(b, w, false, descending, value, &w->range_begin));
  }
  if (written->end_offset) {
    RDX_TRY(bind_distance(b, written->end_offset, value, &w->end_offset));
    RDX_TRY(bind_range_end(b, w, true, descending, value, &w->range_end));
  }
  for (size_t i = 0; i < RDX_COUNT(parts); i++)
    if (*parts[i])
      types[count++] = (*parts[i])->type;
  if (!rdx_sql_common_type(types, count, &types[0]))
    return rdx_planner_fail(b->planner, RDX_ERROR_ARGUMENT, o->value->place, NULL,
                            "RANGE has ends of types that do not mix");
  for (size_t i = 0; i < RDX_COUNT(parts); i++)
    if (*parts[i])
      RDX_TRY(rdx_bind_cast(&b->planner->binding, *parts[i], types[0], false, o->value->place, parts[i]));
  return RDX_OK;
}

static rdx_status bind_frame(rdx_block *b, const rdx_sql_window *written, rdx_plan_window *w) {
  w->unit = written->unit;
  w->begin = written->begin;
  w->exclusion = written->exclusion;
  w->end = written->end;
  if (w->unit == RDX_FRAME_RANGE && (written->begin_offset || written->end_offset))
    return bind_range(b, written, w);
  if (written->begin_offset)
    RDX_TRY(bind_number(b, written->begin_offset, &w->begin_offset));
  if (written->end_offset)
    RDX_TRY(bind_number(b, written->end_offset, &w->end_offset));
  return RDX_OK;
}

bool rdx_windows_alike(const rdx_plan_window *a, const rdx_plan_window *b) {
  bool alike = a->partition_count == b->partition_count && a->order_count == b->order_count;
  for (uint32_t i = 0; alike && i < a->partition_count; i++)
    alike = rdx_bound_equal(a->partition[i], b->partition[i]);
  return alike && rdx_orderings_equal(a->orders, b->orders, a->order_count);
}

/* The function's result as a column of the block's windows; the same one twice is calculated once. */
static rdx_status add_window(rdx_block *b, const rdx_plan_window *w, rdx_bound **out) {
  uint32_t i = 0;
  for (; i < b->window_count; i++) {
    const rdx_plan_window *other = &b->windows[i];
    if (other->kind == w->kind && rdx_bound_same(other->value, w->value) && rdx_bound_same(other->other, w->other) &&
        rdx_bound_same(other->number, w->number) && rdx_windows_alike(other, w) && other->unit == w->unit &&
        other->begin == w->begin && other->end == w->end && other->exclusion == w->exclusion &&
        rdx_bound_same(other->begin_offset, w->begin_offset) && rdx_bound_same(other->end_offset, w->end_offset) &&
        rdx_bound_same(other->range_value, w->range_value))
      break;
  }
  if (i == b->window_count) {
    RDX_TRY(rdx_planner_grow(b->planner, &b->windows, b->window_count, &b->window_capacity, sizeof *w));
    b->windows[b->window_count++] = *w;
  }
  return rdx_bind_column(b->planner, rdx_leaf_column(RDX_WINDOWS_LEAF, i), w->type, w->place, out);
}

/* lag(x, n, otherwise) is CASE WHEN lag(true, n) THEN lag(x, n) ELSE otherwise END. */
static rdx_status add_default(rdx_block *b, const rdx_ast *ast, rdx_plan_window w, rdx_bound **out) {
  rdx_bound *args[3] = {NULL, *out, NULL};
  RDX_TRY(rdx_bind(b, ast->args[2], &args[2]));
  RDX_TRY(rdx_bind_constant(&b->planner->binding, (rdx_sql_type){.kind = RDX_SQL_BOOL}, (rdx_datum){.i = 1}, ast->place,
                            &w.value));
  w.type = w.value->type;
  w.partition_count = w.order_count = 0;
  RDX_TRY(bind_partition(b, ast->over, &w)); /* anew: each window is rewritten by itself */
  RDX_TRY(add_window(b, &w, &args[0]));
  return rdx_bind_call_of(b->planner, "case", args, 3, ast->place, out);
}

rdx_status rdx_add_frame(rdx_block *b, const rdx_ast *ast, rdx_plan_window_kind kind, rdx_bound *const values[2],
                         rdx_bound **out) {
  rdx_plan_window w = {.kind = kind, .place = ast->place, .value = values[0]};
  w.name = kind == RDX_WINDOW_COUNT ? "count"
           : kind == RDX_WINDOW_AVG ? "avg"
           : kind == RDX_WINDOW_SUM ? "sum"
                                    : "moment";
  w.other = values[1] && !rdx_bound_equal(values[0], values[1]) ? values[1] : NULL;
  w.type = type_of(kind, w.value);
  RDX_TRY(bind_partition(b, ast->over, &w));
  RDX_TRY(bind_frame(b, ast->over, &w));
  return add_window(b, &w, out);
}

static rdx_status bind_statistic(rdx_block *b, const rdx_ast *ast, rdx_bound **out) {
  rdx_bound *values[2] = {NULL, NULL};
  for (uint32_t i = 0; i < ast->count; i++)
    RDX_TRY(rdx_bind(b, ast->args[i], &values[i]));
  RDX_TRY(rdx_bind_filtered(b, ast, values, ast->count));
  return rdx_bind_statistic(b, ast, rdx_find_statistic(ast->name), values, out);
}

static rdx_status bind_window(rdx_block *b, const rdx_ast *ast, const struct function *f, rdx_bound **out) {
  rdx_plan_window w = {.kind = f->kind, .name = f->name, .place = ast->place};
  rdx_sql_type type = bigint;
  if (f->kind == RDX_WINDOW_NTILE)
    RDX_TRY(bind_number(b, ast->args[0], &w.number));
  else
    RDX_TRY(bind_value(b, ast, f, &type, &w.value));
  if (is_sum(f->kind) && type.kind == RDX_SQL_INTERVAL)
    return rdx_bind_interval_sum(b, ast, f->kind == RDX_WINDOW_AVG, w.value, out);
  if (ast->count > 1)
    RDX_TRY(bind_number(b, ast->args[1], &w.number));
  w.type = type_of(w.kind, w.value);
  RDX_TRY(bind_partition(b, ast->over, &w));
  RDX_TRY(bind_frame(b, ast->over, &w));
  RDX_TRY(add_window(b, &w, out));
  if (is_of_bits(f->kind))
    return rdx_bind_cast(&b->planner->binding, *out, type, true, ast->place, out);
  return ast->count > 2 ? add_default(b, ast, w, out) : RDX_OK;
}

rdx_status rdx_bind_window(rdx_block *b, const rdx_ast *ast, rdx_bound **out) {
  struct function f = {0};
  RDX_TRY(check_allowed(b, ast));
  RDX_TRY(find_function(b, ast, &f));
  b->in_window = true;
  const rdx_status status = f.kind == RDX_WINDOW_MOMENT ? bind_statistic(b, ast, out) : bind_window(b, ast, &f, out);
  b->in_window = false;
  return status;
}

bool rdx_reads_windows(const rdx_bound *e) {
  bool reads = e->kind == RDX_BOUND_COLUMN && rdx_leaf_of(e->index) == RDX_WINDOWS_LEAF;
  for (uint32_t i = 0; e->kind == RDX_BOUND_CALL && i < e->count && !reads; i++)
    reads = rdx_reads_windows(e->args[i]);
  return reads;
}

/* ---- Building ---- */

rdx_status rdx_windows_rewrite(rdx_block *b, rdx_value_fn fn, void *user) {
  for (uint32_t i = 0; i < b->window_count; i++) {
    rdx_plan_window *w = &b->windows[i];
    rdx_bound **parts[] = {&w->value, &w->other, &w->range_value, &w->range_begin, &w->range_end};
    for (size_t k = 0; k < RDX_COUNT(parts); k++)
      if (*parts[k])
        RDX_TRY(fn(user, *parts[k], parts[k]));
    for (uint32_t k = 0; k < w->partition_count; k++)
      RDX_TRY(fn(user, w->partition[k], &w->partition[k]));
    for (uint32_t k = 0; k < w->order_count; k++)
      RDX_TRY(fn(user, w->orders[k].value, &w->orders[k].value));
  }
  return RDX_OK;
}

typedef struct renaming {
  rdx_planner *planner;
  uint32_t first; /* the column of the first window */
} renaming;

static rdx_status window_node(void *user, rdx_bound *node, rdx_bound **out) {
  const renaming *r = user;
  if (node->kind != RDX_BOUND_COLUMN || rdx_leaf_of(node->index) != RDX_WINDOWS_LEAF)
    return RDX_OK;
  return rdx_bind_column(r->planner, r->first + rdx_column_of(node->index), node->type, node->place, out);
}

rdx_status rdx_build_windows(rdx_block *b, rdx_plan_node **below) {
  rdx_planner *p = b->planner;
  rdx_plan_node *node = NULL;
  const uint32_t own = (*below)->column_count;
  renaming r = {p, own};
  if (b->window_count == 0)
    return RDX_OK;
  RDX_TRY(rdx_planner_node(p, RDX_PLAN_WINDOW, *below, NULL, &node));
  node->windows = b->windows;
  node->window_count = b->window_count;
  node->column_count = own + b->window_count;
  node->expected_rows = (*below)->expected_rows;
  RDX_TRY(rdx_planner_alloc(p, node->column_count, sizeof *node->columns, &node->columns));
  memcpy(node->columns, (*below)->columns, own * sizeof *node->columns);
  for (uint32_t i = 0; i < b->window_count; i++)
    node->columns[own + i] = (rdx_plan_column){b->windows[i].name, b->windows[i].type};
  for (uint32_t i = 0; i < b->output_count; i++)
    RDX_TRY(rdx_bound_rewrite(p, b->outputs[i].value, window_node, &r, &b->outputs[i].value));
  *below = node;
  return RDX_OK;
}
