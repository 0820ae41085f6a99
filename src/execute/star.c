/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Stars: one query of a star that the catalog keeps. */

#include "execute/predicate.h"
#include "execute/query.h"
#include "star/star.h"

#define WHAT "a star query"

typedef struct star_query {
  rdx_execution *x;
  const rdx_plan_node *node;
  uint32_t *numbers; /* of attributes in the star */
  rdx_column *columns;
  rdx_predicate where;
  uint32_t *group_by;
  rdx_expression **expressions;
} star_query;

static rdx_status translate_filter(star_query *s, rdx_error *err) {
  const rdx_translation t = {.x = s->x, .columns = s->columns, .insist = true};
  bool found = true;
  if (!s->node->filter)
    return RDX_OK;
  RDX_TRY(rdx_check_parameters(s->x, s->node->filter, err));
  RDX_TRY(rdx_predicate_of(&t, s->node->filter, &s->where, &found, err));
  if (!found)
    return rdx_sql_error(err, RDX_ERROR_UNSUPPORTED, s->x->text, s->node->filter->place, NULL,
                         "a star query cannot evaluate this condition");
  rdx_predicate_number(&s->where, s->numbers);
  return RDX_OK;
}

static rdx_status translate_value(star_query *s, const rdx_bound *value, rdx_expression **out, rdx_error *err) {
  *out = NULL;
  if (!value)
    return RDX_OK;
  if (value->kind == RDX_BOUND_COLUMN)
    return rdx_attribute_expression(s->x, s->numbers[value->index], out, err);
  RDX_TRY(rdx_check_parameters(s->x, value, err));
  RDX_TRY(rdx_exact_expression(s->x, value, s->columns, s->numbers, out, err));
  if (!*out)
    return rdx_sql_error(err, RDX_ERROR_UNSUPPORTED, s->x->text, value->place, NULL,
                         "a star query cannot evaluate this expression");
  return RDX_OK;
}

static rdx_status translate(star_query *s, rdx_error *err) {
  const rdx_plan_node *node = s->node;
  const rdx_catalog_star *of = node->star;
  RDX_TRY(rdx_arena_alloc(s->x->arena, of->attribute_count, sizeof *s->columns, WHAT, (void **)&s->columns, err));
  for (uint32_t i = 0; i < of->attribute_count; i++) {
    const rdx_catalog_attribute *a = &of->attributes[i];
    const rdx_catalog_table *table = a->dimension ? of->dimensions[a->dimension - 1].table : of->fact;
    s->columns[i] = table->columns[a->column].column;
  }
  RDX_TRY(translate_filter(s, err));
  RDX_TRY(rdx_arena_alloc(s->x->arena, node->expr_count, sizeof *s->group_by, WHAT, (void **)&s->group_by, err));
  for (uint32_t i = 0; i < node->expr_count; i++)
    s->group_by[i] = s->numbers[node->exprs[i]->index];
  RDX_TRY(rdx_arena_alloc(s->x->arena, node->aggregate_count, sizeof(rdx_expression *), WHAT, (void **)&s->expressions,
                          err));
  for (uint32_t i = 0; i < node->aggregate_count; i++)
    RDX_TRY(translate_value(s, node->aggregates[i].value, &s->expressions[i], err));
  return RDX_OK;
}

/* ORDER BY and LIMIT, which the planner gives to a star only where one query answers it. */
static rdx_status translate_order(star_query *s, rdx_grouping_query *q, rdx_error *err) {
  const rdx_plan_node *node = s->node;
  rdx_order *orders = NULL;
  RDX_TRY(rdx_arena_alloc(s->x->arena, node->order_count, sizeof *orders, WHAT, (void **)&orders, err));
  for (uint32_t i = 0; i < node->order_count; i++)
    orders[i] = (rdx_order){node->orders[i].column, node->orders[i].descending, node->orders[i].nulls_first};
  q->orders = orders;
  q->order_count = node->order_count;
  q->limited = node->limit || node->offset;
  return rdx_find_limits(s->x, node, &q->limit, &q->offset, err);
}

static bool has_value_before(const rdx_plan_node *view, uint32_t place) {
  const rdx_bound *value = view->aggregates[place].value;
  for (uint32_t i = 0; i < place && value; i++)
    if (view->aggregates[i].value && rdx_bound_equal(view->aggregates[i].value, value))
      return true;
  return false;
}

/* The view's groups are what its cube can be scanned and grouped by, its aggregates what it adds up. */
static rdx_status build_view(star_query *s, const rdx_grouping_query *q, rdx_error *err) {
  const rdx_plan_node *view = s->node->view->star;
  rdx_cube_spec spec = {.scan_count = view->expr_count, .group_count = view->expr_count};
  uint32_t *groups = NULL;
  const rdx_expression **expressions = NULL;
  RDX_TRY(rdx_arena_alloc(s->x->arena, view->expr_count, sizeof *groups, WHAT, (void **)&groups, err));
  RDX_TRY(rdx_arena_alloc(s->x->arena, view->aggregate_count, sizeof *expressions, WHAT, (void **)&expressions, err));
  for (uint32_t i = 0; i < view->expr_count; i++)
    groups[i] = s->numbers[view->exprs[i]->index];
  for (uint32_t i = 0; i < view->aggregate_count; i++) {
    rdx_expression *made = NULL;
    if (has_value_before(view, i))
      continue;
    RDX_TRY(translate_value(s, view->aggregates[i].value, &made, err));
    if (made)
      expressions[spec.expression_count++] = made;
  }
  spec.scan = spec.group_by = groups;
  spec.expressions = expressions;
  return rdx_grouping_cube(q, s->node->view->name, &spec, err);
}

/* What was made for the query is there for others like it. */
static rdx_status note_cube(const star_query *s, const rdx_star *star, rdx_error *err) {
  char name[512];
  if (!rdx_star_cube_name(s->node, name, sizeof name) || rdx_catalog_has_cube(s->x->catalog, star, name))
    return RDX_OK;
  return rdx_catalog_note_cube(s->x->catalog, star, name, 0, err);
}

static rdx_status run(star_query *s, rdx_star *star, rdx_frame *out, rdx_error *err) {
  const rdx_plan_node *node = s->node;
  RDX_TRY(translate(s, err));
  rdx_grouping_query q = {.x = s->x,
                          .node = node,
                          .device = s->x->device,
                          .star = star,
                          .where = node->filter ? &s->where : NULL,
                          .group_by = s->group_by,
                          .group_count = node->expr_count,
                          .aggregates = node->aggregates,
                          .expressions = s->expressions,
                          .aggregate_count = node->aggregate_count,
                          .prepares = !node->view && rdx_star_method_is_cube(node->star_params.method)};
  if (node->view)
    RDX_TRY(build_view(s, &q, err));
  RDX_TRY(translate_order(s, &q, err));
  RDX_TRY(rdx_grouping_run(&q, out, err));
  if (q.prepares)
    RDX_TRY(note_cube(s, star, err));
  return rdx_frame_conform(s->x, node->columns, out, err);
}

rdx_status rdx_execute_star(rdx_execution *x, const rdx_plan_node *node, rdx_frame *out, rdx_error *err) {
  star_query s = {.x = x, .node = node};
  rdx_star *star = NULL;
  RDX_TRY(rdx_arena_alloc(x->arena, node->star->attribute_count, sizeof *s.numbers, WHAT, (void **)&s.numbers, err));
  RDX_TRY(rdx_catalog_hold_star(x->catalog, node->star, &node->star_params, &star, s.numbers, err));
  const rdx_status status = run(&s, star, out, err);
  rdx_catalog_release_star(x->catalog, star);
  return status;
}
