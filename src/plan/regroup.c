/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Groups by expressions over columns of few values, and aggregates of such: a star's query groups by the columns
 * themselves, and its few groups, the parts, are grouped once more, so that no expression is evaluated for all rows. */

#include "plan/internal.h"

#include <math.h>

#include "expression/evaluate.h"

#define MAX_KEYS 8        /* as many groups and aggregates as a star's query takes */
#define MAX_VALUES 8      /* of a star's query */
#define FEW_PARTS 32      /* one of so many rows */
#define FEW_LEFT 4        /* one row of so many */
#define MAX_VALUE 1e18    /* in units of its type */
#define MAX_SUM 4e18      /* of any rows: 64 bits hold it, with room for what doubles round */
#define MAX_AVERAGED 9e15 /* doubles are exact */

typedef struct regrouping {
  rdx_block *block;
  rdx_bound *keys[MAX_KEYS]; /* columns that the star's query groups by, */
  uint32_t key_count;
  rdx_plan_aggregate values[MAX_VALUES]; /* and what it aggregates */
  uint32_t value_count;
  rdx_plan_aggregate *totals; /* what is aggregated of the parts */
  uint32_t total_count;
  rdx_bound **results; /* the block's aggregates over groups and totals; NULL: total i is the one */
  double limit;        /* of sums */
  bool fits;
} regrouping;

static const rdx_sql_type whole = {.kind = RDX_SQL_BIGINT};

/* ---- Which columns ---- */

/* Equal values of these are the same in whatever reads them, other than 0 and -0, or one interval in other units. */
static bool is_alike(rdx_sql_type t) {
  return !rdx_is_float(t) && t.kind != RDX_SQL_INTERVAL && t.kind != RDX_SQL_UNKNOWN;
}

static uint8_t scale_of(rdx_sql_type t) {
  return t.kind == RDX_SQL_DECIMAL ? t.scale : 0;
}

static uint32_t find_key(const regrouping *r, const rdx_bound *column) {
  uint32_t i = 0;
  while (i < r->key_count && r->keys[i]->index != column->index)
    i++;
  return i;
}

/* Numbers of rows, which random() reads, are no column of the leaf. */
static void add_keys(regrouping *r, rdx_bound *e) {
  for (uint32_t i = 0; e->kind == RDX_BOUND_CALL && i < e->count; i++)
    add_keys(r, e->args[i]);
  r->fits &= e->kind != RDX_BOUND_OUTER;
  if (e->kind != RDX_BOUND_COLUMN || find_key(r, e) < r->key_count)
    return;
  const uint32_t number = rdx_leaf_of(e->index);
  const rdx_leaf *leaf = number < r->block->leaf_count ? &r->block->leaves[number] : NULL;
  r->fits &= leaf && leaf->table && rdx_column_of(e->index) < leaf->column_count && is_alike(e->type) &&
             r->key_count < MAX_KEYS;
  if (r->fits)
    r->keys[r->key_count++] = e;
}

/* What decides about values, and values that a star's query does not add up. */
static void add_value_keys(regrouping *r, rdx_bound *value) {
  const rdx_plan_aggregate alone = {.kind = RDX_PLAN_SUM, .value = value};
  if (value->kind == RDX_BOUND_CONSTANT || rdx_star_adds(&alone))
    return;
  if (!rdx_is_call(value, RDX_OP_CASE)) {
    add_keys(r, value);
    return;
  }
  for (uint32_t i = 0; i < value->count; i++)
    if (i % 2 == 0 && i + 1 < value->count)
      add_keys(r, value->args[i]);
    else
      add_value_keys(r, value->args[i]);
}

/* Whether there is anything that a star's query over the block does not do. */
static bool collect_keys(regrouping *r) {
  const rdx_block *b = r->block;
  bool any = false;
  for (uint32_t i = 0; i < b->group_count; i++) {
    any |= b->groups[i]->kind == RDX_BOUND_CALL;
    add_keys(r, b->groups[i]);
  }
  for (uint32_t i = 0; i < b->aggregate_count; i++) {
    const rdx_plan_aggregate *a = &b->aggregates[i];
    any |= !rdx_star_adds(a);
    r->fits &= a->kind < RDX_PLAN_MOMENT;
    if (a->value && a->distinct)
      add_keys(r, a->value);
    else if (a->value)
      add_value_keys(r, a->value);
  }
  return any && r->fits && r->key_count > 0;
}

static rdx_status key_node(void *user, rdx_bound *node, rdx_bound **out) {
  const regrouping *r = user;
  return node->kind == RDX_BOUND_COLUMN
             ? rdx_bind_column(r->block->planner, find_key(r, node), node->type, node->place, out)
             : RDX_OK;
}

/* An expression of keys over the parts. */
static rdx_status over_parts(regrouping *r, rdx_bound *e, rdx_bound **out) {
  return rdx_bound_rewrite(r->block->planner, e, key_node, r, out);
}

static bool reads_keys(const regrouping *r, const rdx_bound *e) {
  bool reads = e->kind != RDX_BOUND_COLUMN || find_key(r, e) < r->key_count;
  for (uint32_t i = 0; e->kind == RDX_BOUND_CALL && i < e->count && reads; i++)
    reads = reads_keys(r, e->args[i]);
  return reads;
}

/* ---- Sums that fit ---- */

/* No value of the expression is further from 0; INFINITY: that is not known. */
static rdx_status magnitude_of(regrouping *r, const rdx_bound *e, double *out);

static double limit_of(rdx_sql_type t) {
  return t.kind == RDX_SQL_INTEGER ? 2147483648.0 : t.kind == RDX_SQL_SMALLINT ? 32768.0 : INFINITY;
}

static void widen_by(const rdx_column *values, double *out) {
  for (uint64_t i = 0; i < values->rows; i++) {
    rdx_datum value = {.null = true};
    rdx_column_datum(values, i, &value);
    if (!value.null)
      *out = fmax(*out, fabs((double)value.i));
  }
}

/* By the zone map of a large table, or all values of a small one; else as the type says. */
static rdx_status magnitude_of_column(regrouping *r, const rdx_bound *e, double *out) {
  rdx_planner *p = r->block->planner;
  const uint32_t number = rdx_leaf_of(e->index), column = rdx_column_of(e->index);
  const rdx_leaf *leaf = number < r->block->leaf_count ? &r->block->leaves[number] : NULL;
  rdx_column ends[2] = {{0}};
  bool found = false;
  *out = limit_of(e->type);
  if (!leaf || !leaf->table || column >= leaf->column_count)
    return RDX_OK;
  if (leaf->table->path)
    RDX_TRY(rdx_catalog_zones(p->catalog, leaf->table, column, &ends[0], &ends[1], &found, p->err));
  if (!found && leaf->table->rows <= RDX_CATALOG_BLOCK) {
    RDX_TRY(rdx_catalog_open_columns(p->catalog, leaf->table, &column, 1, p->err));
    ends[0] = leaf->table->columns[column].column;
    found = true;
  }
  *out = found ? 0 : *out;
  for (uint32_t k = 0; k < 2 && found; k++)
    widen_by(&ends[k], out);
  *out /= pow(10, scale_of(e->type));
  return RDX_OK;
}

static rdx_status magnitude_of(regrouping *r, const rdx_bound *e, double *out) {
  double left = 0, right = 0;
  *out = INFINITY;
  if (!rdx_is_exact(e->type) || (e->type.kind == RDX_SQL_DECIMAL && e->type.precision > 18))
    return RDX_OK;
  if (e->kind == RDX_BOUND_COLUMN)
    return magnitude_of_column(r, e, out);
  if (e->kind == RDX_BOUND_CONSTANT)
    *out = e->value.null ? 0 : fabs((double)e->value.i) / pow(10, scale_of(e->type));
  if (e->kind != RDX_BOUND_CALL)
    return RDX_OK;
  const bool pair = e->op == RDX_OP_ADD || e->op == RDX_OP_SUBTRACT || e->op == RDX_OP_MULTIPLY;
  if (!pair && e->op != RDX_OP_CAST && e->op != RDX_OP_NEGATE)
    return RDX_OK;
  RDX_TRY(magnitude_of(r, e->args[0], &left));
  if (pair)
    RDX_TRY(magnitude_of(r, e->args[1], &right));
  *out = e->op == RDX_OP_MULTIPLY ? left * right : left + right + (e->op == RDX_OP_CAST);
  return RDX_OK;
}

/* Whether no sum of any rows, in units of its type, passes the limit. No value is further from 0 than `end`. */
static rdx_status check_sum(regrouping *r, const rdx_bound *value, double end) {
  double rows = 0, magnitude = 0;
  if (!rdx_is_exact(value->type)) {
    r->fits = false;
    return RDX_OK;
  }
  for (uint32_t i = 0; i < r->block->from.count; i++) {
    const rdx_leaf *leaf = &r->block->leaves[r->block->from.items[i].leaf];
    rows = fmax(rows, leaf->table ? (double)leaf->table->rows : INFINITY);
  }
  RDX_TRY(magnitude_of(r, value, &magnitude));
  r->fits &= fmax(fmin(magnitude, end), 1) * rows * pow(10, scale_of(value->type)) <= r->limit;
  return RDX_OK;
}

/* Whether a value fits its type in all rows: CASE may have it in some only, and the others must not fail. */
static rdx_status check_value(regrouping *r, const rdx_bound *value) {
  double magnitude = 0;
  if (value->kind == RDX_BOUND_COLUMN)
    return RDX_OK;
  RDX_TRY(magnitude_of(r, value, &magnitude));
  r->fits &= magnitude * pow(10, scale_of(value->type)) < MAX_VALUE && magnitude < limit_of(value->type);
  return RDX_OK;
}

/* ---- Aggregates ---- */

/* The column of the parts that has an aggregate of a star's query. */
static rdx_status value_of_part(regrouping *r, rdx_plan_aggregate_kind kind, rdx_bound *value, rdx_bound **out) {
  const rdx_sql_place place = value ? value->place : 0;
  const rdx_plan_aggregate a = {
      .kind = kind, .value = value, .type = rdx_aggregate_type(kind, value ? value->type : whole)};
  uint32_t i = 0;
  while (i < r->value_count && (r->values[i].kind != kind || !rdx_bound_same(r->values[i].value, value)))
    i++;
  r->fits &= i < MAX_VALUES && rdx_star_adds(&a) && (kind < RDX_PLAN_MIN || is_alike(a.type));
  if (r->fits && kind == RDX_PLAN_SUM && i == r->value_count)
    RDX_TRY(check_sum(r, value, INFINITY));
  if (r->fits && kind >= RDX_PLAN_MIN && i == r->value_count)
    RDX_TRY(check_value(r, value));
  if (r->fits && i == r->value_count)
    r->values[r->value_count++] = a;
  return rdx_bind_column(r->block->planner, r->key_count + i, a.type, place, out);
}

/* CASE WHEN value IS NOT NULL THEN n ELSE 0 END. */
static rdx_status count_of_part(regrouping *r, rdx_bound *value, rdx_bound *rows, rdx_bound **out) {
  rdx_planner *p = r->block->planner;
  rdx_bound *args[3] = {NULL, rows, NULL};
  RDX_TRY(rdx_bind_call_of(p, "is not null", &value, 1, value->place, &args[0]));
  RDX_TRY(rdx_bind_constant(&p->binding, whole, (rdx_datum){.i = 0}, value->place, &args[2]));
  return rdx_bind_call_of(p, "case", args, 3, value->place, out);
}

static bool is_narrow(const rdx_bound *value) {
  return value->type.kind == RDX_SQL_INTEGER || value->type.kind == RDX_SQL_SMALLINT;
}

static bool is_nothing(const rdx_bound *value) {
  return value->kind == RDX_BOUND_CONSTANT && (value->value.null || (rdx_is_exact(value->type) && value->value.i == 0));
}

/* Of a value that all rows of a part have in common. */
static rdx_status common_value(regrouping *r, rdx_plan_aggregate_kind kind, rdx_bound *value, rdx_bound **out) {
  rdx_planner *p = r->block->planner;
  rdx_bound *args[2] = {NULL, NULL};
  RDX_TRY(over_parts(r, value, &args[0]));
  *out = args[0];
  if (kind > RDX_PLAN_SUM || (kind == RDX_PLAN_SUM && is_nothing(value)))
    return RDX_OK;
  RDX_TRY(value_of_part(r, RDX_PLAN_COUNT, NULL, &args[1]));
  if (kind == RDX_PLAN_COUNT)
    return count_of_part(r, args[0], args[1], out);
  r->fits &= is_narrow(value);
  RDX_TRY(check_sum(r, value, limit_of(value->type)));
  RDX_TRY(rdx_bind_cast(&p->binding, args[0], whole, true, value->place, &args[0]));
  return rdx_bind_call_of(p, "*", args, 2, value->place, out);
}

/* What of a part is added up, or compared, for the aggregate of a value. */
static rdx_status total_of_part(regrouping *r, rdx_plan_aggregate_kind kind, rdx_bound *value, rdx_bound **out) {
  rdx_planner *p = r->block->planner;
  rdx_bound **args = NULL;
  if (!value)
    return value_of_part(r, kind, NULL, out);
  const bool wide = kind == RDX_PLAN_SUM && !is_narrow(value) && rdx_bound_has(value, RDX_BOUND_COLUMN);
  const bool adds = rdx_star_adds(&(rdx_plan_aggregate){.kind = kind, .value = value});
  if (!rdx_is_call(value, RDX_OP_CASE))
    return reads_keys(r, value) && !(wide && adds) ? common_value(r, kind, value, out)
                                                   : value_of_part(r, kind, value, out);
  RDX_TRY(rdx_planner_alloc(p, value->count, sizeof *args, &args));
  for (uint32_t i = 0; i < value->count && r->fits; i++) {
    const bool condition = i % 2 == 0 && i + 1 < value->count;
    RDX_TRY(condition ? over_parts(r, value->args[i], &args[i]) : total_of_part(r, kind, value->args[i], &args[i]));
  }
  return r->fits ? rdx_bind_call_of(p, "case", args, value->count, value->place, out) : RDX_OK;
}

static rdx_status add_total(regrouping *r, rdx_plan_aggregate a, rdx_bound **out) {
  const uint32_t column = r->block->group_count + r->total_count;
  r->totals[r->total_count++] = a;
  return rdx_bind_column(r->block->planner, column, a.type, a.value ? a.value->place : 0, out);
}

/* A sum or a number of values; where there are no rows at all the number is 0. */
static rdx_status add_sum(regrouping *r, rdx_plan_aggregate_kind kind, rdx_bound *value, rdx_bound **out) {
  rdx_planner *p = r->block->planner;
  rdx_plan_aggregate a = {.kind = RDX_PLAN_SUM, .type = rdx_aggregate_type(kind, value ? value->type : whole)};
  rdx_bound *args[2] = {NULL, NULL};
  RDX_TRY(total_of_part(r, kind, value, &a.value));
  if (!r->fits)
    return RDX_OK;
  RDX_TRY(add_total(r, a, out));
  if (kind != RDX_PLAN_COUNT || r->block->group_count > 0)
    return RDX_OK;
  args[0] = *out;
  RDX_TRY(rdx_bind_constant(&p->binding, whole, (rdx_datum){.i = 0}, args[0]->place, &args[1]));
  return rdx_bind_call_of(p, "coalesce", args, 2, args[0]->place, out);
}

/* A number as so many times as large, and whole. */
static rdx_status scale_up(regrouping *r, uint8_t scale, rdx_bound **value) {
  rdx_planner *p = r->block->planner;
  const rdx_sql_type exact = {.kind = RDX_SQL_DECIMAL, .precision = 18};
  const rdx_sql_place place = (*value)->place;
  rdx_bound *args[2] = {*value, NULL};
  rdx_datum factor = {.i = 1};
  for (uint8_t i = 0; i < scale; i++)
    factor.i *= 10;
  RDX_TRY(rdx_bind_constant(&p->binding, whole, factor, place, &args[1]));
  if (scale > 0)
    RDX_TRY(rdx_bind_call_of(p, "*", args, 2, place, value));
  return rdx_bind_cast(&p->binding, *value, exact, true, place, value);
}

/* The sum divided by the count: of whole numbers that doubles hold the quotient is rounded once. */
static rdx_status add_average(regrouping *r, const rdx_plan_aggregate *a, rdx_bound **out) {
  const uint8_t scale = scale_of(a->value->type);
  rdx_bound *args[2] = {NULL, NULL};
  r->fits &= rdx_is_exact(a->value->type) && scale < 18;
  RDX_TRY(add_sum(r, RDX_PLAN_SUM, a->value, &args[0]));
  RDX_TRY(add_sum(r, RDX_PLAN_COUNT, a->value, &args[1]));
  for (uint32_t i = 0; i < 2 && r->fits; i++)
    RDX_TRY(scale_up(r, scale, &args[i]));
  if (!r->fits)
    return RDX_OK;
  RDX_TRY(rdx_bind_call_of(r->block->planner, "/", args, 2, a->value->place, out));
  r->fits &= rdx_is_quotient((*out)->type);
  return RDX_OK;
}

static rdx_status add_aggregate(regrouping *r, const rdx_plan_aggregate *a, rdx_bound **out) {
  rdx_plan_aggregate total = *a;
  if (!a->distinct && a->kind == RDX_PLAN_AVG)
    return add_average(r, a, out);
  if (!a->distinct && a->kind <= RDX_PLAN_SUM)
    return add_sum(r, a->kind, a->value, out);
  RDX_TRY(a->distinct ? over_parts(r, a->value, &total.value) : total_of_part(r, a->kind, a->value, &total.value));
  return add_total(r, total, out);
}

static rdx_status add_aggregates(regrouping *r) {
  const rdx_block *b = r->block;
  RDX_TRY(rdx_planner_alloc(b->planner, 2 * (uint64_t)b->aggregate_count, sizeof *r->totals, &r->totals));
  RDX_TRY(rdx_planner_alloc(b->planner, b->aggregate_count, sizeof *r->results, &r->results));
  for (uint32_t i = 0; i < b->aggregate_count; i++)
    r->limit = !b->aggregates[i].distinct && b->aggregates[i].kind == RDX_PLAN_AVG ? MAX_AVERAGED : r->limit;
  for (uint32_t i = 0; i < b->aggregate_count && r->fits; i++)
    RDX_TRY(add_aggregate(r, &b->aggregates[i], &r->results[i]));
  return RDX_OK;
}

/* ---- Nodes ---- */

/* Whether a filter leaves so few rows of columns that are yet to be packed that their values are evaluated sooner. */
static rdx_status leaves_few(rdx_planner *p, const rdx_plan_node *star, bool *out) {
  const rdx_catalog_star *s = star->star;
  uint32_t *columns = NULL;
  double rows = 0;
  *out = false;
  if (!star->filter || !rdx_star_would_pack(p, star))
    return RDX_OK;
  RDX_TRY(rdx_planner_alloc(p, s->attribute_count, sizeof *columns, &columns));
  for (uint32_t i = 0; i < s->attribute_count; i++)
    columns[i] = s->attributes[i].column;
  RDX_TRY(rdx_estimate_filter(p, s->fact, columns, s->attribute_count, star->filter, &rows));
  *out = rows * FEW_LEFT < (double)s->fact->rows;
  return RDX_OK;
}

/* The star's query; NULL: there is none, it has many groups beside its rows, or these are few. */
static rdx_status build_parts(const regrouping *r, rdx_plan_node **out) {
  rdx_planner *p = r->block->planner;
  rdx_block inner = *r->block;
  double parts = 0;
  bool few = false;
  inner.groups = (rdx_bound **)(uintptr_t)r->keys;
  inner.group_count = r->key_count;
  inner.aggregates = (rdx_plan_aggregate *)(uintptr_t)r->values;
  inner.aggregate_count = r->value_count;
  RDX_TRY(rdx_build_star(&inner, out));
  if (!*out)
    return RDX_OK;
  RDX_TRY(rdx_star_combinations(p, *out, true, &parts));
  RDX_TRY(leaves_few(p, *out, &few));
  if (few || parts * FEW_PARTS > (double)(*out)->star->fact->rows)
    *out = NULL;
  return RDX_OK;
}

static rdx_status build_totals(regrouping *r, rdx_plan_node *parts, rdx_plan_node **out) {
  const rdx_block *b = r->block;
  rdx_planner *p = b->planner;
  rdx_plan_node *node = NULL;
  const uint32_t count = b->group_count + r->total_count;
  RDX_TRY(rdx_planner_node(p, RDX_PLAN_AGGREGATE, parts, NULL, &node));
  RDX_TRY(rdx_planner_alloc(p, count, sizeof *node->columns, &node->columns));
  RDX_TRY(rdx_planner_alloc(p, b->group_count, sizeof *node->exprs, &node->exprs));
  for (uint32_t i = 0; i < b->group_count; i++) {
    RDX_TRY(over_parts(r, b->groups[i], &node->exprs[node->expr_count++]));
    node->columns[node->column_count++] = rdx_group_column(b, i);
  }
  node->aggregates = r->totals;
  node->aggregate_count = r->total_count;
  for (uint32_t i = 0; i < r->total_count; i++)
    node->columns[node->column_count++] = (rdx_plan_column){rdx_plan_aggregate_name(&r->totals[i]), r->totals[i].type};
  node->expected_rows = rdx_estimate_groups(b, parts->expected_rows);
  *out = node;
  return RDX_OK;
}

/* The block's aggregates, of which some are made of totals. */
static rdx_status build_results(const regrouping *r, rdx_plan_node **node) {
  const rdx_block *b = r->block;
  rdx_planner *p = b->planner;
  rdx_plan_node *totals = *node, *list = NULL;
  bool same = r->total_count == b->aggregate_count;
  for (uint32_t i = 0; i < b->aggregate_count; i++)
    same &= r->results[i]->kind == RDX_BOUND_COLUMN;
  if (same)
    return RDX_OK;
  RDX_TRY(rdx_planner_node(p, RDX_PLAN_PROJECT, totals, NULL, &list));
  RDX_TRY(rdx_planner_alloc(p, (uint64_t)b->group_count + b->aggregate_count, sizeof *list->columns, &list->columns));
  RDX_TRY(rdx_planner_alloc(p, (uint64_t)b->group_count + b->aggregate_count, sizeof *list->exprs, &list->exprs));
  for (uint32_t i = 0; i < b->group_count; i++) {
    RDX_TRY(rdx_bind_column(p, i, totals->columns[i].type, 0, &list->exprs[list->expr_count++]));
    list->columns[list->column_count++] = totals->columns[i];
  }
  for (uint32_t i = 0; i < b->aggregate_count; i++) {
    list->exprs[list->expr_count++] = r->results[i];
    list->columns[list->column_count++] = rdx_aggregate_column(b, i);
  }
  list->expected_rows = totals->expected_rows;
  *node = list;
  return RDX_OK;
}

rdx_status rdx_build_regrouped(rdx_block *b, rdx_plan_node **out) {
  regrouping r = {.block = b, .limit = MAX_SUM, .fits = b->set_count == 0 && b->firsts.count == 0};
  rdx_plan_node *parts = NULL;
  *out = NULL;
  if (!r.fits || !collect_keys(&r))
    return RDX_OK;
  RDX_TRY(add_aggregates(&r));
  if (r.fits)
    RDX_TRY(build_parts(&r, &parts));
  if (!parts)
    return RDX_OK;
  RDX_TRY(build_totals(&r, parts, out));
  return build_results(&r, out);
}
