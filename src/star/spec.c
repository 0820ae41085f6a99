/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* What cubes can answer and what queries need (RTCUDB, section 3.1: the choice of a BVH). */

#include "star/spec.h"

#include <stdio.h>
#include <string.h>

#include "star/expression.h"

#define MAX_DEPTH 64

static bool contains(const uint32_t *list, uint32_t count, uint32_t attribute) {
  for (uint32_t i = 0; i < count; i++)
    if (list[i] == attribute)
      return true;
  return false;
}

/* Where it is in the list; `count`: nowhere. */
static uint32_t find_expression(const rdx_expression *const *list, uint32_t count, const rdx_expression *e) {
  uint32_t i = 0;
  while (i < count && !rdx_expressions_equal(list[i], e))
    i++;
  return i;
}

/* ---- What queries need ---- */

static rdx_status need_scan(rdx_needs *needs, const rdx_predicate *p, uint32_t depth, rdx_error *err) {
  if (depth > RDX_PREDICATE_DEPTH)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "the predicate is more than %d levels deep", RDX_PREDICATE_DEPTH);
  if (p->kind == RDX_PREDICATE_TRUE)
    return RDX_OK;
  if (p->kind <= RDX_PREDICATE_NOT) {
    for (uint32_t i = 0; i < p->child_count; i++)
      RDX_TRY(need_scan(needs, &p->children[i], depth + 1, err));
    return RDX_OK;
  }
  if (contains(needs->scan, needs->scan_count, p->column))
    return RDX_OK;
  if (needs->scan_count == needs->max_scan)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "a cube has at most %u scan attributes, and the predicate more",
                    needs->max_scan);
  needs->scan[needs->scan_count++] = p->column;
  return RDX_OK;
}

rdx_status rdx_needs_of(const rdx_query *query, uint32_t max_scan, rdx_needs *out, rdx_error *err) {
  *out = (rdx_needs){.max_scan = max_scan};
  if (query->where)
    RDX_TRY(need_scan(out, query->where, 1, err));
  for (uint32_t i = 0; i < query->group_count; i++)
    if (!contains(out->group_by, out->group_count, query->group_by[i]))
      out->group_by[out->group_count++] = query->group_by[i];
  for (uint32_t i = 0; i < query->aggregate_count; i++) {
    const rdx_aggregate *a = &query->aggregates[i];
    if (!a->expression)
      continue;
    const uint32_t at = find_expression(out->expressions, out->expression_count, a->expression);
    if (at == out->expression_count)
      out->expressions[out->expression_count++] = a->expression;
    if (a->kind == RDX_AGGREGATE_SUM || a->kind == RDX_AGGREGATE_AVG)
      out->summed[at] = true;
  }
  return RDX_OK;
}

static bool same_but_scan(const rdx_needs *a, const rdx_needs *b) {
  if (a->group_count != b->group_count || a->expression_count != b->expression_count)
    return false;
  for (uint32_t i = 0; i < a->group_count; i++)
    if (a->group_by[i] != b->group_by[i])
      return false;
  for (uint32_t i = 0; i < a->expression_count; i++)
    if (find_expression(b->expressions, b->expression_count, a->expressions[i]) == b->expression_count)
      return false;
  return true;
}

/* RTCUDB, section 3.1 "RTCUDB maintains multiple BVHs". */
bool rdx_needs_unite(rdx_needs *needs, const rdx_needs *more) {
  rdx_needs all = *needs;
  if (!same_but_scan(needs, more))
    return false;
  for (uint32_t i = 0; i < more->scan_count; i++) {
    if (contains(all.scan, all.scan_count, more->scan[i]))
      continue;
    if (all.scan_count == all.max_scan)
      return false;
    all.scan[all.scan_count++] = more->scan[i];
  }
  for (uint32_t i = 0; i < more->expression_count; i++)
    if (more->summed[i])
      all.summed[find_expression(all.expressions, all.expression_count, more->expressions[i])] = true;
  *needs = all;
  return true;
}

/* ---- The order of scan attributes ----
 *
 * In an order of attributes a query reads, for each combination of codes of the attributes before the last one that
 * it restricts, the intervals of that one. RTCUDB (section 4.2) puts attributes with larger ranges later; here all
 * orders of at most 8 attributes are tried, and of more the one that RTCUDB has. */

/* What a plan does to an attribute: how many codes qualify, and in how many intervals; 0 intervals: it does not ask. */
typedef struct restriction {
  double codes, intervals;
} restriction;

typedef struct ordering {
  const rdx_needs *needs;
  const restriction (*plans)[RDX_MAX_SPEC]; /* of each plan, by position in needs->scan */
  uint32_t plan_count;
  uint32_t order[RDX_MAX_SPEC], best[RDX_MAX_SPEC];
  double min;
} ordering;

static double ranges_of(const ordering *o, const restriction *attributes) {
  double combinations = 1, ranges = 1;
  for (uint32_t i = 0; i < o->needs->scan_count; i++) {
    const restriction *r = &attributes[o->order[i]];
    if (r->intervals > 0)
      ranges = combinations * r->intervals;
    combinations *= r->codes;
  }
  return ranges;
}

/* RTCUDB, section 4.2 "tends to place attributes with larger predicate ranges later". */
static void try_orders(ordering *o, uint32_t placed) {
  const uint32_t count = o->needs->scan_count;
  if (placed == count) {
    double total = 0;
    for (uint32_t i = 0; i < o->plan_count; i++)
      total += ranges_of(o, o->plans[i]);
    if (o->min < 0 || total < o->min) {
      o->min = total;
      memcpy(o->best, o->order, sizeof o->best);
    }
    return;
  }
  for (uint32_t i = placed; i < count; i++) {
    const uint32_t chosen = o->order[i];
    memmove(&o->order[placed + 1], &o->order[placed], (i - placed) * sizeof chosen);
    o->order[placed] = chosen;
    try_orders(o, placed + 1);
    memmove(&o->order[placed], &o->order[placed + 1], (i - placed) * sizeof chosen);
    o->order[i] = chosen;
  }
}

/* False where the plan needs an attribute that `needs` has not. */
static bool restrict_all(const rdx_needs *needs, const rdx_plan *plan, restriction *out) {
  for (uint32_t i = 0; i < needs->scan_count; i++)
    out[i] = (restriction){.codes = (double)plan->relation->attributes[needs->scan[i]].count + 1};
  for (uint32_t t = 0; t < plan->term_count; t++) {
    uint32_t i = 0;
    while (i < needs->scan_count && needs->scan[i] != plan->terms[t].column)
      i++;
    if (i == needs->scan_count)
      return false;
    const rdx_code_set *set = &plan->terms[t].set;
    out[i] = (restriction){.intervals = set->count, .codes = rdx_code_set_size(set)};
  }
  return true;
}

#define MAX_ORDERING 64 /* plans that are looked at */

/* By the share of codes that qualify, on the average over the plans. */
static void order_by_share(rdx_needs *needs, const rdx_plan *plans, uint32_t count) {
  double shares[RDX_MAX_SCAN] = {0};
  for (uint32_t i = 0; i < needs->scan_count; i++) {
    for (uint32_t p = 0; p < count; p++) {
      const rdx_code_set *set = rdx_plan_set(&plans[p], needs->scan[i]);
      shares[i] += set ? rdx_code_set_size(set) / ((double)plans[p].relation->attributes[needs->scan[i]].count + 1) : 1;
    }
    for (uint32_t k = i; k > 0 && shares[k] < shares[k - 1]; k--) {
      const double share = shares[k];
      const uint32_t attribute = needs->scan[k];
      shares[k] = shares[k - 1];
      needs->scan[k] = needs->scan[k - 1];
      shares[k - 1] = share;
      needs->scan[k - 1] = attribute;
    }
  }
}

/* RTCUDB, section 4.2 "determining the order of the attributes involved in the encoding". */
void rdx_needs_order(rdx_needs *needs, const rdx_plan *plans, uint32_t count) {
  if (needs->scan_count > RDX_MAX_SPEC) {
    order_by_share(needs, plans, count);
    return;
  }
  restriction restrictions[MAX_ORDERING][RDX_MAX_SPEC];
  ordering o = {.needs = needs, .plans = (const restriction(*)[RDX_MAX_SPEC])restrictions, .min = -1};
  for (uint32_t i = 0; i < count && o.plan_count < MAX_ORDERING; i++)
    o.plan_count += restrict_all(needs, &plans[i], restrictions[o.plan_count]);
  for (uint32_t i = 0; i < needs->scan_count; i++)
    o.order[i] = i;
  try_orders(&o, 0);
  uint32_t ordered[RDX_MAX_SPEC] = {0};
  for (uint32_t i = 0; i < needs->scan_count; i++)
    ordered[i] = needs->scan[o.best[i]];
  memcpy(needs->scan, ordered, sizeof ordered);
}

/* ---- Specs ---- */

rdx_cube_spec rdx_needs_spec(const rdx_needs *needs) {
  return (rdx_cube_spec){.scan = needs->scan,
                         .scan_count = needs->scan_count,
                         .group_by = needs->group_by,
                         .group_count = needs->group_count,
                         .expressions = needs->expressions,
                         .expression_count = needs->expression_count,
                         .summed = needs->summed};
}

/* Whether a cube has expression `number` of a query; of some attributes their sums are something apart. A cube may name
 * an expression twice, to be summed and not. */
static bool has_expression(const rdx_cube_spec *spec, const rdx_needs *needs, uint32_t number,
                           const rdx_packed_relation *relation) {
  const rdx_expression *e = needs->expressions[number];
  const bool sums = e->kind == RDX_EXPRESSION_ATTRIBUTE &&
                    rdx_attribute_is_summed_apart(&relation->attributes[e->attribute]) && needs->summed[number];
  for (uint32_t i = 0; i < spec->expression_count; i++)
    if (rdx_expressions_equal(spec->expressions[i], e) && !(sums && spec->summed && !spec->summed[i]))
      return true;
  return false;
}

/* Add what is lacking to the text, if there is any. */
static void name_lack(char *text, size_t size, const char *what, const char *name) {
  const size_t used = text ? strlen(text) : 0;
  if (text)
    snprintf(text + used, size - used, "%s%s%.40s", used > 0 ? ", " : "", what, name);
}

uint32_t rdx_spec_lacks(const rdx_cube_spec *spec, const rdx_needs *needs, const rdx_packed_relation *relation,
                        char *text, size_t size) {
  uint32_t count = 0, expressions = 0;
  if (text)
    text[0] = '\0';
  for (uint32_t i = 0; i < needs->scan_count; i++) {
    if (contains(spec->scan, spec->scan_count, needs->scan[i]))
      continue;
    name_lack(text, size, "to scan ", relation->names[needs->scan[i]]);
    count++;
  }
  for (uint32_t i = 0; i < needs->group_count; i++) {
    if (contains(spec->group_by, spec->group_count, needs->group_by[i]))
      continue;
    name_lack(text, size, "to group by ", relation->names[needs->group_by[i]]);
    count++;
  }
  for (uint32_t i = 0; i < needs->expression_count; i++)
    expressions += !has_expression(spec, needs, i, relation);
  if (expressions > 0)
    name_lack(text, size, expressions > 1 ? "expressions of its aggregates" : "an expression of its aggregates", "");
  return count + expressions;
}

/* ---- Copies ---- */

static rdx_status copy_attributes(const uint32_t *list, uint32_t count, uint32_t max, const char *what,
                                  const rdx_packed_relation *relation, rdx_arena *arena, const uint32_t **out,
                                  rdx_error *err) {
  uint32_t *copy = NULL;
  if (count > 0 && !list)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "a cube has %u %s, but names none", count, what);
  if (count > max)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "a cube has at most %u %s, not %u", max, what, count);
  RDX_TRY(rdx_arena_alloc(arena, count, sizeof *copy, "a cube", (void **)&copy, err));
  for (uint32_t i = 0; i < count; i++) {
    if (list[i] >= relation->attribute_count)
      return rdx_fail(err, RDX_ERROR_ARGUMENT, "a cube names attribute %u: the relation has %u, from 0", list[i],
                      relation->attribute_count);
    if (contains(list, i, list[i]))
      return rdx_fail(err, RDX_ERROR_ARGUMENT, "a cube names attribute %.40s twice among its %s",
                      relation->names[list[i]], what);
    copy[i] = list[i];
  }
  *out = copy;
  return RDX_OK;
}

/* `left`: how many nodes it may have. */
static rdx_status copy_expression(const rdx_expression *e, uint32_t depth, uint32_t *left, rdx_arena *arena,
                                  const rdx_expression **out, rdx_error *err) {
  rdx_expression *copy = NULL;
  if (!e)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "an expression of a cube lacks an operand, or is missing");
  if (depth > MAX_DEPTH)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "an expression is more than %d levels deep", MAX_DEPTH);
  if ((*left)-- == 0)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "an expression takes more than %d steps", RDX_MAX_STEPS);
  RDX_TRY(rdx_arena_alloc(arena, 1, sizeof *copy, "a cube", (void **)&copy, err));
  *copy = *e;
  copy->left = copy->right = NULL;
  if (e->kind >= RDX_EXPRESSION_ADD) {
    RDX_TRY(copy_expression(e->left, depth + 1, left, arena, &copy->left, err));
    RDX_TRY(copy_expression(e->right, depth + 1, left, arena, &copy->right, err));
  }
  *out = copy;
  return RDX_OK;
}

static rdx_status copy_summed(const rdx_cube_spec *spec, rdx_arena *arena, rdx_cube_spec *out, rdx_error *err) {
  bool *summed = NULL;
  if (!spec->summed)
    return RDX_OK;
  RDX_TRY(rdx_arena_alloc(arena, spec->expression_count, sizeof *summed, "a cube", (void **)&summed, err));
  for (uint32_t i = 0; i < spec->expression_count; i++)
    summed[i] = spec->summed[i];
  out->summed = summed;
  return RDX_OK;
}

rdx_status rdx_spec_copy(const rdx_cube_spec *spec, uint32_t max_scan, const rdx_packed_relation *relation,
                         rdx_arena *arena, rdx_cube_spec *out, rdx_error *err) {
  const rdx_expression **expressions = NULL;
  *out = *spec;
  RDX_TRY(copy_attributes(spec->scan, spec->scan_count, max_scan, "scan attributes", relation, arena, &out->scan, err));
  RDX_TRY(copy_attributes(spec->group_by, spec->group_count, RDX_MAX_SPEC, "group attributes", relation, arena,
                          &out->group_by, err));
  if (spec->expression_count > 0 && !spec->expressions)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "a cube has %u expressions, but names none", spec->expression_count);
  if (spec->expression_count > RDX_MAX_SPEC)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "a cube has at most %d expressions, not %u", RDX_MAX_SPEC,
                    spec->expression_count);
  RDX_TRY(rdx_arena_alloc(arena, spec->expression_count, sizeof *expressions, "a cube", (void **)&expressions, err));
  for (uint32_t i = 0; i < spec->expression_count; i++) {
    uint32_t left = RDX_MAX_STEPS;
    RDX_TRY(copy_expression(spec->expressions[i], 1, &left, arena, &expressions[i], err));
  }
  out->expressions = expressions;
  return copy_summed(spec, arena, out, err);
}
