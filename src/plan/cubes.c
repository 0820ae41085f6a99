/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* What can answer a star query: the column engine, and cubes that have all that it reads. The one that is expected to
 * be the fastest does. */

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "plan/internal.h"
#include "star/star.h"

/* ---- Cubes that serve it ---- */

typedef struct mapping {
  rdx_planner *planner;
  const rdx_catalog_star *from, *to;
  bool found;
} mapping;

/* An attribute of one star as the same one of another. */
static rdx_status map_node(void *user, rdx_bound *node, rdx_bound **out) {
  mapping *m = user;
  if (node->kind != RDX_BOUND_COLUMN)
    return RDX_OK;
  const rdx_catalog_attribute *a = &m->from->attributes[node->index];
  uint32_t i = 0;
  while (i < m->to->attribute_count &&
         (m->to->attributes[i].dimension != a->dimension || m->to->attributes[i].column != a->column))
    i++;
  m->found &= i < m->to->attribute_count;
  return rdx_bind_column(m->planner, i, node->type, node->place, out);
}

static bool has_group(const rdx_plan_node *view, uint32_t attribute) {
  for (uint32_t i = 0; i < view->expr_count; i++)
    if (view->exprs[i]->index == attribute)
      return true;
  return false;
}

static bool reads_groups(const rdx_plan_node *view, const rdx_bound *e) {
  bool reads = e->kind != RDX_BOUND_COLUMN || has_group(view, e->index);
  for (uint32_t i = 0; e->kind == RDX_BOUND_CALL && i < e->count && reads; i++)
    reads = reads_groups(view, e->args[i]);
  return reads;
}

static bool has_value(const rdx_plan_node *view, const rdx_bound *value) {
  for (uint32_t i = 0; i < view->aggregate_count; i++)
    if (view->aggregates[i].value && rdx_bound_equal(view->aggregates[i].value, value))
      return true;
  return false;
}

static bool same_star(const rdx_catalog_star *a, const rdx_catalog_star *b) {
  bool same = a->fact == b->fact && a->dimension_count == b->dimension_count;
  for (uint32_t i = 0; i < a->dimension_count && same; i++)
    same = a->dimensions[i].table == b->dimensions[i].table &&
           a->dimensions[i].foreign_key == b->dimensions[i].foreign_key && a->dimensions[i].key == b->dimensions[i].key;
  return same;
}

/* The node in the view's attributes; false where the view has not all that it reads. */
static rdx_status map_to_view(rdx_planner *p, const rdx_plan_view *view, rdx_plan_node *node, bool *fits) {
  mapping m = {p, node->star, view->star->star, true};
  for (uint32_t i = 0; i < node->expr_count && m.found; i++) {
    RDX_TRY(rdx_bound_rewrite(p, node->exprs[i], map_node, &m, &node->exprs[i]));
    m.found = m.found && reads_groups(view->star, node->exprs[i]);
  }
  for (uint32_t i = 0; i < node->aggregate_count && m.found; i++) {
    rdx_plan_aggregate *a = &node->aggregates[i];
    if (!a->value)
      continue;
    RDX_TRY(rdx_bound_rewrite(p, a->value, map_node, &m, &a->value));
    m.found = m.found && has_value(view->star, a->value);
  }
  if (node->filter && m.found) {
    RDX_TRY(rdx_bound_rewrite(p, node->filter, map_node, &m, &node->filter));
    m.found = m.found && reads_groups(view->star, node->filter);
  }
  *fits = m.found;
  return RDX_OK;
}

static rdx_status copy_lists(rdx_planner *p, const rdx_plan_node *node, rdx_plan_node *out) {
  *out = *node;
  RDX_TRY(rdx_planner_alloc(p, node->expr_count, sizeof *out->exprs, &out->exprs));
  RDX_TRY(rdx_planner_alloc(p, node->aggregate_count, sizeof *out->aggregates, &out->aggregates));
  for (uint32_t i = 0; i < node->expr_count; i++)
    out->exprs[i] = node->exprs[i];
  for (uint32_t i = 0; i < node->aggregate_count; i++)
    out->aggregates[i] = node->aggregates[i];
  return RDX_OK;
}

/* The node as the view's cube answers it. */
static rdx_status use_view(rdx_planner *p, const rdx_plan_view *view, const rdx_plan_node *node, rdx_plan_node *out,
                           bool *fits) {
  *fits = same_star(view->star->star, node->star);
  if (!*fits)
    return RDX_OK;
  RDX_TRY(copy_lists(p, node, out));
  RDX_TRY(map_to_view(p, view, out, fits));
  out->star = view->star->star;
  out->star_params = view->star_params;
  out->view = view;
  return RDX_OK;
}

/* ---- Cubes that were made for queries ---- */

typedef struct cube_name {
  char *text;
  size_t used, size;
} cube_name;

static void append(cube_name *n, const char *format, ...) RDX_PRINTF(2, 3);

static void append(cube_name *n, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  if (n->used < n->size)
    n->used += (size_t)vsnprintf(n->text + n->used, n->size - n->used, format, arguments);
  va_end(arguments);
}

static void append_value(cube_name *n, const rdx_catalog_star *star, const rdx_bound *e) {
  if (e->kind == RDX_BOUND_COLUMN)
    append(n, "%u.%u", star->attributes[e->index].dimension, star->attributes[e->index].column);
  else if (e->kind == RDX_BOUND_CALL)
    append(n, "%d(", (int)e->op);
  else
    append(n, "%lld/%u", (long long)e->value.i, e->type.scale);
  for (uint32_t i = 0; e->kind == RDX_BOUND_CALL && i < e->count; i++) {
    append(n, "%s", i ? "," : "");
    append_value(n, star, e->args[i]);
  }
  append(n, "%s", e->kind == RDX_BOUND_CALL ? ")" : "");
}

static void append_restricted(cube_name *n, const rdx_plan_node *node, uint32_t attribute, const rdx_bound *e,
                              bool *found) {
  if (e->kind == RDX_BOUND_COLUMN && e->index == attribute && !*found) {
    append_value(n, node->star, e);
    append(n, " ");
    *found = true;
  }
  for (uint32_t i = 0; e->kind == RDX_BOUND_CALL && i < e->count; i++)
    append_restricted(n, node, attribute, e->args[i], found);
}

bool rdx_star_cube_name(const rdx_plan_node *star, char *out, size_t size) {
  cube_name n = {out, 0, size};
  append(&n, "\1"); /* no view's name begins with it */
  for (uint32_t i = 0; i < star->star->attribute_count && star->filter; i++) {
    bool found = false;
    append_restricted(&n, star, i, star->filter, &found);
  }
  append(&n, "|");
  for (uint32_t i = 0; i < star->expr_count; i++) {
    append_value(&n, star->star, star->exprs[i]);
    append(&n, " ");
  }
  for (uint32_t i = 0; i < star->aggregate_count; i++) {
    append(&n, "|");
    if (star->aggregates[i].value)
      append_value(&n, star->star, star->aggregates[i].value);
  }
  return n.used < n.size;
}

/* The node by a cube of this method that was made for such a query; false: there is none. */
static bool use_kept(const rdx_planner *p, const rdx_plan_node *node, rdx_star_method method, rdx_plan_node *out) {
  char name[512];
  uint64_t ignored;
  *out = *node;
  memset(&out->star_params, 0, sizeof out->star_params); /* with its padding: the catalog compares bytes */
  out->star_params.method = method;
  return method != node->star_params.method && rdx_star_cube_name(node, name, sizeof name) &&
         rdx_catalog_has_star_cube(p->catalog, node->star, &out->star_params, name, &ignored);
}

/* ---- The choice ---- */

static rdx_star_method kind_of(const rdx_plan_node *node) {
  return node->star_params.method == RDX_STAR_AUTO ? RDX_STAR_COLUMN_ENGINE : node->star_params.method;
}

/* What could answer: first the node as it is written, by the method that is set or by the column engine. */
typedef struct candidates {
  rdx_plan_node *list;
  double *combinations; /* of the attributes of each one's cube */
  uint32_t count;
} candidates;

static rdx_status list_candidates(rdx_planner *p, const rdx_plan_node *node, candidates *out) {
  const rdx_settings *s = p->settings;
  const uint64_t max = 1 + RDX_STAR_METHODS + (uint64_t)s->view_count;
  RDX_TRY(rdx_planner_alloc(p, max, sizeof *out->list, &out->list));
  RDX_TRY(rdx_planner_alloc(p, max, sizeof *out->combinations, &out->combinations));
  out->list[out->count++] = *node;
  if (kind_of(node) != RDX_STAR_COLUMN_ENGINE) {
    out->list[out->count] = *node;
    out->list[out->count++].star_params = (rdx_star_params){.method = RDX_STAR_COLUMN_ENGINE};
  }
  for (rdx_star_method method = 0; method < RDX_STAR_METHODS; method++)
    out->count += rdx_star_method_is_cube(method) && use_kept(p, node, method, &out->list[out->count]);
  for (uint32_t i = 0; i < s->view_count; i++) {
    bool fits = false;
    RDX_TRY(use_view(p, &s->views[i], node, &out->list[out->count], &fits));
    out->count += fits;
  }
  return RDX_OK;
}

static bool is_asked_for(const rdx_planner *p, const rdx_plan_node *n) {
  return p->settings->cube && n->view && strcmp(n->view->name, p->settings->cube) == 0;
}

/* Where a method was set, only that counts: a cube of it that is there, else one that is made for the query. */
static uint32_t find_best(const rdx_planner *p, const candidates *c) {
  const bool insists = p->settings->insist;
  uint32_t best = 0;
  for (uint32_t i = 1; i < c->count; i++) {
    const rdx_plan_node *n = &c->list[i], *now = &c->list[best];
    if (is_asked_for(p, n))
      return i;
    if (insists && kind_of(n) != kind_of(&c->list[0]))
      continue;
    if (n->own_ms < now->own_ms || (insists && n->view && !now->view))
      best = i;
  }
  return best;
}

/* A query for which a cube is made has one of its own attributes, restricted ones with each value of the others. A cube
 * that is there knows. */
static rdx_status combine(rdx_planner *p, const rdx_star_estimate *e, bool sampled, candidates *c) {
  for (uint32_t i = 0; i < c->count; i++) {
    const rdx_plan_node *n = &c->list[i];
    uint64_t tuples = 0;
    if (n->view && rdx_catalog_has_star_cube(p->catalog, n->star, &n->star_params, n->view->name, &tuples) &&
        tuples > 0) {
      c->combinations[i] = (double)tuples;
      continue;
    }
    RDX_TRY(rdx_star_combinations(p, n->view ? n->view->star : n, sampled, &c->combinations[i]));
    if (!n->view)
      c->combinations[i] = rdx_star_restricted(e, n, c->combinations[i]);
  }
  return RDX_OK;
}

/* Candidates' times where conditions of which nothing is known leave this share of the rows. Returns the best. */
static uint32_t weigh(const rdx_planner *p, const rdx_star_estimate *e, double unknown, candidates *c) {
  for (uint32_t i = 0; i < c->count; i++)
    c->list[i].own_ms = rdx_star_ms(p, e, &c->list[i], c->combinations[i], unknown);
  return find_best(p, c);
}

/* The others, by their methods in a fixed order. */
static rdx_status list_rejected(rdx_planner *p, const candidates *c, uint32_t best, rdx_plan_node *out) {
  RDX_TRY(rdx_planner_alloc(p, (uint64_t)c->count + RDX_STAR_METHODS, sizeof *out->rejected, &out->rejected));
  for (rdx_star_method method = RDX_STAR_COLUMN_ENGINE; method < RDX_STAR_METHODS; method++) {
    bool built = method == kind_of(&c->list[best]);
    for (uint32_t i = 0; i < c->count; i++) {
      if (i == best || kind_of(&c->list[i]) != method || (i == 0 && rdx_star_method_is_cube(method)))
        continue; /* a cube that is yet to be made is none */
      built = true;
      out->rejected[out->rejected_count++] =
          (rdx_plan_method){.name = rdx_star_method_name(method), .ms = c->list[i].own_ms};
    }
    if (!built && rdx_star_method_is_cube(method))
      out->rejected[out->rejected_count++] =
          (rdx_plan_method){.name = rdx_star_method_name(method), .reason = "none built"};
  }
  return RDX_OK;
}

/* Whether the best depends on what only rows tell: the shares of some conditions, and how far the attributes of a cube
 * determine each other, which without a look at them are taken for independent. */
static rdx_status is_open(rdx_planner *p, const rdx_star_estimate *e, candidates *c, bool *out) {
  for (uint32_t i = 0; i < c->count; i++)
    c->combinations[i] = 1;
  const uint32_t best = weigh(p, e, 1, c);
  RDX_TRY(combine(p, e, false, c));
  *out = best != weigh(p, e, 0.001, c) || best != weigh(p, e, 0.1, c) || best != weigh(p, e, 1, c);
  return RDX_OK;
}

/* Rows are looked at only where a choice depends on them, or where someone asks for the times. */
rdx_status rdx_choose_star(rdx_planner *p, rdx_plan_node *node) {
  candidates c = {0};
  rdx_star_estimate e;
  RDX_TRY(list_candidates(p, node, &c));
  if (c.count == 1 && !p->settings->explains) {
    node->method = rdx_star_method_name(kind_of(node));
    return RDX_OK;
  }
  RDX_TRY(rdx_star_estimate_begin(p, node, &e));
  bool open = p->settings->explains;
  if (!open)
    RDX_TRY(is_open(p, &e, &c, &open));
  if (open) {
    RDX_TRY(rdx_star_estimate_sample(p, node, &e));
    RDX_TRY(combine(p, &e, true, &c));
  }
  const uint32_t best = open ? weigh(p, &e, 1, &c) : find_best(p, &c);
  const double rows = rdx_star_groups(&e, node, 1.0 / 3);
  *node = c.list[best];
  node->method = rdx_star_method_name(kind_of(node));
  node->expected_rows = rows;
  return p->settings->explains ? list_rejected(p, &c, best, node) : RDX_OK;
}
