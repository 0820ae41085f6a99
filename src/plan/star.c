/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Stars recognised: one fact table, dimensions by unique keys, and all the rest in the star layer's terms. Then the
 * whole block is one job (RTCUDB, section 3.1). */

#include "plan/internal.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "plan/zones.h"
#include "star/star.h"

#define MAX_GROUPS 8
#define MAX_AGGREGATES 8
#define MAX_DIMENSIONS 8
#define MAX_STEPS 64
#define MAX_LEVELS 100 /* of conditions: fewer than the executor translates */

typedef struct shape {
  rdx_block *block;
  rdx_catalog_star *star;
  uint32_t dimension_of[64]; /* of each leaf: 0 for the fact table, else 1 + the dimension */
  bool *is_edge;             /* of each conjunct: it joins a dimension */
} shape;

/* ---- What the star layer can say ---- */

/* Below casts that change no value and no scale, nor fail. */
static const rdx_bound *without_casts(const rdx_bound *e) {
  while (rdx_is_call(e, RDX_OP_CAST) && rdx_is_exact(e->type) && e->type.scale == e->args[0]->type.scale &&
         rdx_keeps_values(e->args[0]->type, e->type))
    e = e->args[0];
  return e;
}

/* Arithmetic over integers and decimals. */
static bool is_exact_expression(const rdx_bound *e, uint32_t *steps) {
  e = without_casts(e);
  if (!rdx_is_exact(e->type) || ++*steps > MAX_STEPS)
    return false;
  if (e->kind == RDX_BOUND_CONSTANT)
    return !e->value.null && e->type.precision <= 18 && e->type.scale <= 18;
  if (e->kind == RDX_BOUND_COLUMN)
    return true;
  return e->kind == RDX_BOUND_CALL && (e->op == RDX_OP_ADD || e->op == RDX_OP_SUBTRACT || e->op == RDX_OP_MULTIPLY) &&
         is_exact_expression(e->args[0], steps) && is_exact_expression(e->args[1], steps);
}

/* Texts that are compared once for each distinct one. */
static bool has_dictionary(const rdx_block *b, const rdx_bound *e) {
  if (e->kind != RDX_BOUND_COLUMN)
    return false;
  const rdx_catalog_table *table = b->leaves[rdx_leaf_of(e->index)].table;
  return table->columns[rdx_column_of(e->index)].has_dictionary;
}

/* A condition that is an rdx_predicate, below so many levels of one. */
static bool is_predicate(const rdx_block *b, const rdx_bound *c, uint32_t level) {
  bool is = level < MAX_LEVELS;
  if (c->kind == RDX_BOUND_COLUMN || c->kind == RDX_BOUND_CONSTANT)
    return c->type.kind == RDX_SQL_BOOL;
  if (c->kind != RDX_BOUND_CALL)
    return false;
  switch (c->op) {
  case RDX_OP_AND:
  case RDX_OP_OR:
  case RDX_OP_NOT:
    for (uint32_t i = 0; i < c->count && is; i++)
      is = is_predicate(b, c->args[i], level + 1);
    return is;
  case RDX_OP_IS_NULL:
    return c->args[0]->kind == RDX_BOUND_COLUMN;
  case RDX_OP_EQ:
  case RDX_OP_NE:
  case RDX_OP_LT:
  case RDX_OP_LE:
  case RDX_OP_GT:
  case RDX_OP_GE:
    return (without_casts(c->args[0])->kind == RDX_BOUND_COLUMN && rdx_is_given(c->args[1])) ||
           (without_casts(c->args[1])->kind == RDX_BOUND_COLUMN && rdx_is_given(c->args[0]));
  case RDX_OP_IN:
    for (uint32_t i = 1; i < c->count && is; i++)
      is = rdx_is_given(c->args[i]);
    return is && without_casts(c->args[0])->kind == RDX_BOUND_COLUMN;
  case RDX_OP_LIKE:
  case RDX_OP_ILIKE:
    return has_dictionary(b, c->args[0]) && c->args[1]->kind == RDX_BOUND_CONSTANT;
  default:
    return false;
  }
}

bool rdx_star_adds(const rdx_plan_aggregate *a) {
  uint32_t steps = 0;
  return !a->distinct && a->kind < RDX_PLAN_MOMENT &&
         (!a->value || a->value->kind == RDX_BOUND_COLUMN || is_exact_expression(a->value, &steps));
}

/* ---- Its shape ---- */

/* An equality of columns of two leaves. */
static bool is_edge(const rdx_bound *c, const rdx_bound **a, const rdx_bound **b) {
  if (!rdx_is_call(c, RDX_OP_EQ))
    return false;
  *a = without_casts(c->args[0]);
  *b = without_casts(c->args[1]);
  return (*a)->kind == RDX_BOUND_COLUMN && (*b)->kind == RDX_BOUND_COLUMN &&
         rdx_leaf_of((*a)->index) != rdx_leaf_of((*b)->index);
}

static bool same_kind(const rdx_sql_type *a, const rdx_sql_type *b) {
  return (rdx_is_integer(*a) && rdx_is_integer(*b)) ||
         (a->kind == b->kind && (a->kind == RDX_SQL_DATE || a->kind == RDX_SQL_TEXT));
}

/* The dimension that an edge of the fact table leads to; `*fits` is false where it is none of a star. */
static rdx_status add_dimension(shape *s, const rdx_bound *foreign, const rdx_bound *key, bool *fits) {
  rdx_block *b = s->block;
  const uint32_t leaf = rdx_leaf_of(key->index);
  rdx_catalog_table *table = b->leaves[leaf].table;
  *fits =
      s->dimension_of[leaf] == 0 && s->star->dimension_count < MAX_DIMENSIONS && same_kind(&foreign->type, &key->type);
  if (!*fits)
    return RDX_OK;
  RDX_TRY(rdx_catalog_unique(b->planner->catalog, table, rdx_column_of(key->index), fits, b->planner->err));
  s->star->dimensions[s->star->dimension_count++] =
      (rdx_catalog_dimension){table, rdx_column_of(foreign->index), rdx_column_of(key->index)};
  s->dimension_of[leaf] = s->star->dimension_count;
  return RDX_OK;
}

/* Whether the block is a star around this leaf. */
static rdx_status try_fact(shape *s, uint32_t fact, bool *fits) {
  rdx_block *b = s->block;
  *fits = true;
  s->star->fact = b->leaves[fact].table;
  s->star->dimension_count = 0;
  memset(s->dimension_of, 0, sizeof s->dimension_of);
  for (uint32_t i = 0; i < b->from.conjuncts.count && *fits; i++) {
    const rdx_bound *x = NULL, *y = NULL, *c = b->from.conjuncts.list[i];
    s->is_edge[i] = is_edge(c, &x, &y);
    if (!s->is_edge[i]) {
      *fits = is_predicate(b, c, 0);
      continue;
    }
    if (rdx_leaf_of(y->index) == fact) {
      const rdx_bound *other = x;
      x = y;
      y = other;
    }
    *fits = rdx_leaf_of(x->index) == fact;
    if (*fits)
      RDX_TRY(add_dimension(s, x, y, fits));
  }
  for (uint32_t i = 0; i < b->from.count && *fits; i++)
    *fits = b->from.items[i].leaf == fact || s->dimension_of[b->from.items[i].leaf] > 0;
  return RDX_OK;
}

/* The star layer gives each group a number of 64 bits. Numbers of values are estimates: half a bit more for each. */
static bool has_numbers(const rdx_block *b) {
  double bits = 0;
  for (uint32_t i = 0; i < b->group_count; i++)
    bits += log2(rdx_estimate_distinct(b, b->groups[i], 1e6)) + 0.5;
  return bits < 64;
}

static bool is_candidate(const rdx_block *b) {
  bool fits = b->from.count > 0 && !b->no_star && b->dependent_count == 0 && b->set_count == 0 &&
              b->group_count <= MAX_GROUPS && b->aggregate_count <= MAX_AGGREGATES &&
              b->from.count <= MAX_DIMENSIONS + 1 && b->group_count + b->aggregate_count > 0;
  for (uint32_t i = 0; i < b->from.count && fits; i++)
    fits = !b->from.items[i].outer && b->leaves[b->from.items[i].leaf].table;
  for (uint32_t i = 0; i < b->group_count && fits; i++)
    fits = b->groups[i]->kind == RDX_BOUND_COLUMN;
  for (uint32_t i = 0; i < b->aggregate_count && fits; i++)
    fits = rdx_star_adds(&b->aggregates[i]);
  return fits && has_numbers(b);
}

/* ---- Its node ---- */

/* A column of the block as an attribute of the star. */
static rdx_status attribute_node(void *user, rdx_bound *node, rdx_bound **out) {
  shape *s = user;
  rdx_catalog_star *star = s->star;
  if (node->kind != RDX_BOUND_COLUMN)
    return RDX_OK;
  const rdx_catalog_attribute wanted = {s->dimension_of[rdx_leaf_of(node->index)], rdx_column_of(node->index)};
  uint32_t i = 0;
  while (i < star->attribute_count &&
         (star->attributes[i].dimension != wanted.dimension || star->attributes[i].column != wanted.column))
    i++;
  if (i == star->attribute_count)
    star->attributes[star->attribute_count++] = wanted;
  return rdx_bind_column(s->block->planner, i, node->type, node->place, out);
}

static rdx_status attributes_of(shape *s, rdx_bound *value, rdx_bound **out) {
  return rdx_bound_rewrite(s->block->planner, value, attribute_node, s, out);
}

static rdx_status set_filter(shape *s, rdx_plan_node *node) {
  rdx_planner *p = s->block->planner;
  const rdx_conjuncts *all = &s->block->from.conjuncts;
  rdx_conjuncts rest = {0};
  rdx_bound *filter = NULL;
  for (uint32_t i = 0; i < all->count; i++)
    if (!s->is_edge[i])
      RDX_TRY(rdx_conjuncts_add(p, &rest, all->list[i]));
  RDX_TRY(rdx_conjuncts_join(p, &rest, &filter));
  return filter ? attributes_of(s, filter, &node->filter) : RDX_OK;
}

static double estimate_rows(const rdx_block *b) {
  double groups = 1;
  for (uint32_t i = 0; i < b->group_count; i++)
    groups *= rdx_estimate_distinct(b, b->groups[i], 1e6);
  return groups;
}

static rdx_status make_node(shape *s, rdx_plan_node **out) {
  rdx_block *b = s->block;
  rdx_planner *p = b->planner;
  rdx_plan_node *node = NULL;
  uint32_t used = 0;
  for (uint32_t i = 0; i < b->from.count; i++) {
    const rdx_leaf *leaf = &b->leaves[b->from.items[i].leaf];
    for (uint32_t c = 0; c < leaf->column_count; c++)
      used += leaf->used[c];
  }
  RDX_TRY(rdx_planner_node(p, RDX_PLAN_STAR, NULL, NULL, &node));
  RDX_TRY(rdx_planner_alloc(p, used, sizeof *s->star->attributes, &s->star->attributes));
  RDX_TRY(rdx_planner_alloc(p, b->group_count, sizeof *node->exprs, &node->exprs));
  RDX_TRY(rdx_planner_alloc(p, b->aggregate_count, sizeof *node->aggregates, &node->aggregates));
  RDX_TRY(rdx_planner_alloc(p, (uint64_t)b->group_count + b->aggregate_count, sizeof *node->columns, &node->columns));
  node->star = s->star;
  node->star_params = p->settings->star;
  for (uint32_t i = 0; i < b->group_count; i++) {
    RDX_TRY(attributes_of(s, b->groups[i], &node->exprs[node->expr_count++]));
    node->columns[node->column_count++] = rdx_group_column(b, i);
  }
  for (uint32_t i = 0; i < b->aggregate_count; i++) {
    rdx_plan_aggregate *a = &node->aggregates[node->aggregate_count++]; /* none of values in order */
    *a = b->aggregates[i];
    if (a->value)
      RDX_TRY(attributes_of(s, a->value, &a->value));
    node->columns[node->column_count++] = rdx_aggregate_column(b, i);
  }
  RDX_TRY(set_filter(s, node));
  node->expected_rows = estimate_rows(b);
  RDX_TRY(rdx_choose_star(p, node));
  *out = s->star->attribute_count > 0 ? node : NULL; /* without any there is nothing that a star could hold */
  return RDX_OK;
}

/* ---- Whether it is worth it ---- */

#define LARGE_TABLE ((uint64_t)1 << 19) /* rows: columns of fewer are packed as fast as anything else is done */
#define FLOAT_SUMS 16                   /* queries */
#define TEXT_COMPARISONS 4
#define FEW_READ 8   /* one row in so many, of blocks that a filter has to look at, */
#define FEW_FOUND 64 /* or that an index finds */

static rdx_status has_few_blocks(const shape *s, const rdx_plan_node *node, bool *few) {
  rdx_planner *p = s->block->planner;
  rdx_catalog_table *table = s->star->fact;
  uint32_t *columns = NULL, *blocks = NULL;
  uint64_t count = 0;
  RDX_TRY(rdx_planner_alloc(p, s->star->attribute_count, sizeof *columns, &columns));
  for (uint32_t i = 0; i < s->star->attribute_count; i++)
    columns[i] = s->star->attributes[i].column;
  const rdx_zone_filter z = {.catalog = p->catalog,
                             .table = table,
                             .columns = columns,
                             .count = s->star->attribute_count,
                             .filter = node->filter,
                             .text = p->text,
                             .arena = p->arena};
  RDX_TRY(rdx_zones_find(&z, &blocks, &count, few, p->err));
  *few = *few && rdx_zones_rows(table, blocks, count) <= table->rows / FEW_READ;
  return RDX_OK;
}

static rdx_status has_index(const shape *s, bool *has) {
  const rdx_settings *settings = s->block->planner->settings;
  const rdx_catalog_table *table = s->star->fact;
  rdx_built built = {0};
  *has = false;
  for (uint32_t i = 0; i < settings->index_count; i++)
    *has |= strcmp(settings->indexes[i].table, table->name) == 0;
  if (!*has)
    return RDX_OK;
  RDX_TRY(rdx_build_from(s->block, &built));
  const rdx_plan_node *node = built.node;
  *has = node->kind == RDX_PLAN_TABLE && node->index && node->expected_rows <= (double)table->rows / FEW_FOUND;
  return RDX_OK;
}

bool rdx_star_would_pack(const rdx_planner *p, const rdx_plan_node *node) {
  return node->star->dimension_count == 0 && node->star->fact->rows >= LARGE_TABLE && !node->view &&
         p->settings->star.method == RDX_STAR_AUTO && !rdx_star_method_is_cube(node->star_params.method) &&
         !rdx_catalog_has_packed(p->catalog, node->star);
}

static bool sums_floats(const rdx_plan_node *node) {
  bool sums = false;
  for (uint32_t i = 0; i < node->aggregate_count && !sums; i++) {
    const rdx_plan_aggregate *a = &node->aggregates[i];
    sums = (a->kind == RDX_PLAN_SUM || a->kind == RDX_PLAN_AVG) && a->value &&
           (a->value->type.kind == RDX_SQL_REAL || a->value->type.kind == RDX_SQL_DOUBLE);
  }
  return sums;
}

/* Whether texts without a dictionary are compared, and are no groups, which need one in any case. */
static bool compares_texts(const shape *s, const rdx_plan_node *node) {
  bool compares = false;
  for (uint32_t i = 0; i < s->star->attribute_count; i++) {
    const rdx_catalog_column *c = &s->star->fact->columns[s->star->attributes[i].column];
    bool grouped = false;
    for (uint32_t k = 0; k < node->expr_count; k++)
      grouped |= node->exprs[k]->index == i;
    compares |= c->type == RDX_TYPE_STRING && !c->has_dictionary && !grouped;
  }
  return compares;
}

/* A column of floats takes the star layer as long to prepare as the plain way takes for so many sums of it, and one of
 * texts as long as so many comparisons, which the star layer then finds ten times faster: it is prepared once that many
 * have been asked for. */
static bool asks_seldom(const shape *s, const rdx_plan_node *node) {
  rdx_planner *p = s->block->planner;
  rdx_catalog_table *fact = s->star->fact;
  const bool sums = sums_floats(node) && atomic_load(&fact->float_sums) < FLOAT_SUMS;
  const bool compares = compares_texts(s, node) && atomic_load(&fact->text_comparisons) < TEXT_COMPARISONS;
  if (!p->settings->explains) {
    atomic_fetch_add(&fact->float_sums, sums);
    atomic_fetch_add(&fact->text_comparisons, compares);
  }
  p->plan->once |= sums || compares;
  return sums || compares;
}

/* Whether the rows of one large table that a filter leaves are few and found without a look at the others: to pack its
 * whole columns would take longer than all the rest. */
static rdx_status reads_few(const shape *s, const rdx_plan_node *node, bool *few) {
  const bool packs = rdx_star_would_pack(s->block->planner, node);
  *few = packs && asks_seldom(s, node);
  if (*few || !packs || !node->filter || rdx_bound_has(node->filter, RDX_BOUND_PARAMETER))
    return RDX_OK;
  RDX_TRY(has_few_blocks(s, node, few));
  return *few ? RDX_OK : has_index(s, few);
}

/* Dimensions in the order of their foreign keys, so that the same star is the same whatever the order in FROM. */
static void sort_dimensions(shape *s) {
  rdx_catalog_dimension *d = s->star->dimensions;
  for (uint32_t i = 1; i < s->star->dimension_count; i++) {
    for (uint32_t k = i; k > 0 && d[k - 1].foreign_key > d[k].foreign_key; k--) {
      const rdx_catalog_dimension other = d[k];
      d[k] = d[k - 1];
      d[k - 1] = other;
      for (uint32_t leaf = 0; leaf < s->block->leaf_count; leaf++)
        s->dimension_of[leaf] = s->dimension_of[leaf] == k       ? k + 1
                                : s->dimension_of[leaf] == k + 1 ? k
                                                                 : s->dimension_of[leaf];
    }
  }
}

/* The leaf that has `place` others with more rows, or as many and before it. */
static uint32_t leaf_by_size(const rdx_block *b, uint32_t place) {
  const rdx_item *items = b->from.items;
  uint32_t found = 0;
  for (; found < b->from.count; found++) {
    uint32_t larger = 0;
    for (uint32_t i = 0; i < b->from.count; i++) {
      const uint64_t rows = b->leaves[items[i].leaf].table->rows, own = b->leaves[items[found].leaf].table->rows;
      larger += rows > own || (rows == own && i < found);
    }
    if (larger == place)
      break;
  }
  return items[found].leaf;
}

rdx_status rdx_build_star(rdx_block *b, rdx_plan_node **out) {
  shape s = {.block = b};
  bool fits = false;
  *out = NULL;
  if (!is_candidate(b))
    return RDX_OK;
  RDX_TRY(rdx_planner_alloc(b->planner, 1, sizeof *s.star, &s.star));
  RDX_TRY(rdx_planner_alloc(b->planner, b->from.conjuncts.count, sizeof *s.is_edge, &s.is_edge));
  for (uint32_t i = 0; i < b->from.count && !fits; i++)
    RDX_TRY(try_fact(&s, leaf_by_size(b, i), &fits));
  if (!fits)
    return RDX_OK;
  sort_dimensions(&s);
  RDX_TRY(make_node(&s, out));
  fits = false;
  if (*out && !b->planner->settings->cube)
    RDX_TRY(reads_few(&s, *out, &fits));
  if (fits)
    *out = NULL;
  return RDX_OK;
}
