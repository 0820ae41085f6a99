/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* A query planned: memory, nodes, and the whole from text to tree. */

#include "plan/internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "device/device.h"

rdx_status rdx_planner_alloc(rdx_planner *p, uint64_t count, size_t size, void *out) {
  void *memory = NULL;
  RDX_TRY(rdx_arena_alloc(p->arena, count, size, "a plan", &memory, p->err));
  if (count > 0)
    memset(memory, 0, count * size);
  memcpy(out, &memory, sizeof memory);
  return RDX_OK;
}

rdx_status rdx_planner_grow(rdx_planner *p, void *array, uint32_t count, uint32_t *capacity, size_t size) {
  void *old, *grown = NULL;
  if (count < *capacity)
    return RDX_OK;
  memcpy(&old, array, sizeof old);
  RDX_TRY(rdx_planner_alloc(p, 2 * (uint64_t)count + 4, size, &grown));
  if (count > 0)
    memcpy(grown, old, count * size);
  memcpy(array, &grown, sizeof grown);
  *capacity = 2 * count + 4;
  return RDX_OK;
}

rdx_status rdx_planner_fail(const rdx_planner *p, rdx_status status, rdx_sql_place place, const char *hint,
                            const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return rdx_sql_error(p->err, status, p->text, place, hint && *hint ? hint : NULL, "%s", text);
}

rdx_status rdx_block_refuse(const rdx_block *b, rdx_sql_place place, const char *what) {
  return rdx_planner_fail(b->planner, RDX_ERROR_UNSUPPORTED, place, NULL, "%s", what);
}

rdx_status rdx_planner_node(rdx_planner *p, rdx_plan_kind kind, rdx_plan_node *left, rdx_plan_node *right,
                            rdx_plan_node **out) {
  rdx_plan_node *node = NULL;
  RDX_TRY(rdx_planner_alloc(p, 1, sizeof *node, &node));
  node->kind = kind;
  node->id = p->plan->node_count++;
  node->left = left;
  node->right = right;
  if (kind == RDX_PLAN_FILTER) {
    node->columns = left->columns;
    node->column_count = left->column_count;
  }
  *out = node;
  return RDX_OK;
}

rdx_status rdx_planner_add_scalar(rdx_planner *p, rdx_plan_scalar scalar) {
  rdx_query_plan *q = p->plan;
  RDX_TRY(rdx_planner_grow(p, &q->scalars, q->scalar_count, &p->scalar_capacity, sizeof *q->scalars));
  q->scalars[q->scalar_count++] = scalar;
  return RDX_OK;
}

rdx_status rdx_planner_deepen(rdx_planner *p, uint32_t levels) {
  rdx_query_plan *q = p->plan;
  levels += p->levels;
  q->levels = levels > q->levels ? levels : q->levels;
  if (!p->is_deeper || levels <= RDX_SQL_SHALLOW_LEVELS)
    return RDX_OK;
  *p->is_deeper = true;
  return rdx_fail(p->err, RDX_ERROR_UNSUPPORTED, "it is nested too deeply");
}

static rdx_status make_parameters(rdx_planner *p, const rdx_sql_type *types) {
  RDX_TRY(rdx_planner_alloc(p, p->parameter_count, sizeof *p->parameters, &p->parameters));
  for (uint32_t i = 0; i < p->parameter_count; i++) {
    RDX_TRY(rdx_planner_alloc(p, 1, sizeof **p->parameters, &p->parameters[i]));
    *p->parameters[i] = (rdx_bound){.kind = RDX_BOUND_PARAMETER, .type = types[i], .index = i};
  }
  p->values = p->parameter_count;
  return RDX_OK;
}

static rdx_status plan_query(rdx_planner *p, const rdx_query_text *of) {
  rdx_bound_query *q = NULL;
  rdx_sql_type *types = of->parameter_types;
  RDX_TRY(make_parameters(p, types));
  RDX_TRY(of->change ? rdx_bind_change(p, of->change, &q) : rdx_bind_query(p, NULL, NULL, of->query, &q));
  RDX_TRY(rdx_build_query(p, q, &p->plan->root));
  for (uint32_t i = 0; i < p->parameter_count; i++) {
    types[i] = p->parameters[i]->type;
    of->parameter_rounds[i] = p->parameters[i]->op == RDX_OP_CAST;
    if (types[i].kind == RDX_SQL_UNKNOWN) /* nothing asked for another */
      types[i] = p->parameters[i]->type = (rdx_sql_type){.kind = RDX_SQL_TEXT};
  }
  p->plan->parameter_count = p->values;
  RDX_TRY(rdx_plan_check(p));
  RDX_TRY(rdx_plan_cost(p));
  p->plan->now = p->binding.now;
  return RDX_OK;
}

rdx_status rdx_plan_query(rdx_catalog *catalog, const rdx_settings *settings, const rdx_query_text *of,
                          rdx_arena *arena, rdx_query_plan **out, rdx_error *err) {
  rdx_planner p = {.catalog = catalog,
                   .settings = settings,
                   .arena = arena,
                   .text = of->text,
                   .levels = of->levels,
                   .is_deeper = of->is_deeper,
                   .err = err,
                   .binding = {.arena = arena, .text = of->text, .err = err},
                   .parameter_count = of->parameters};
  const rdx_device_info *device = rdx_device_get_info(rdx_catalog_device(catalog));
  rdx_device_get_calibration(rdx_catalog_device(catalog), &p.rates);
  p.has_host = device->backend != RDX_BACKEND_CPU && settings->operators == RDX_OPERATORS_AUTO;
  if (p.has_host) {
    rdx_device *host = NULL;
    RDX_TRY(rdx_device_host(rdx_catalog_device(catalog), &host, err));
    rdx_device_get_calibration(host, &p.host);
  }
  p.on_cpu = device->backend == RDX_BACKEND_CPU;
  p.threads = device->backend == RDX_BACKEND_CPU ? device->threads : 1;
  RDX_TRY(rdx_planner_alloc(&p, 1, sizeof *p.plan, &p.plan));
  p.plan->levels = of->levels;
  const rdx_status status = plan_query(&p, of);
  p.plan->tables = p.tables;
  p.plan->table_count = p.table_count;
  if (status != RDX_OK) {
    rdx_plan_release(p.plan);
    return status;
  }
  *out = p.plan;
  return RDX_OK;
}

rdx_status rdx_bind_alone(rdx_binding *binding, const rdx_ast *ast, rdx_bound **out) {
  rdx_planner p = {.arena = binding->arena, .text = binding->text, .err = binding->err, .binding = *binding};
  rdx_block nothing = {.planner = &p, .clause = "values"};
  return rdx_bind(&nothing, ast, out);
}

rdx_status rdx_bind_row(rdx_binding *binding, const rdx_row_columns *row, const rdx_ast *ast, const char *clause,
                        bool condition, rdx_bound **out) {
  rdx_planner p = {.arena = binding->arena, .text = binding->text, .err = binding->err, .binding = *binding};
  rdx_leaf leaf = {.alias = row->table, .column_count = row->count, .named = row->count};
  rdx_block block = {.planner = &p, .leaves = &leaf, .leaf_count = 1, .clause = clause};
  leaf.names = row->names;
  leaf.types = row->types;
  RDX_TRY(rdx_planner_alloc(&p, row->count, sizeof *leaf.used, &leaf.used));
  RDX_TRY(condition ? rdx_bind_condition(&block, ast, clause, out) : rdx_bind(&block, ast, out));
  binding->now = p.binding.now;
  return RDX_OK;
}

void rdx_plan_release(rdx_query_plan *plan) {
  for (uint32_t i = 0; plan && i < plan->table_count; i++)
    rdx_catalog_release(&plan->tables[i]);
  if (plan)
    plan->table_count = 0;
}
