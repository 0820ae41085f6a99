/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* FROM: tables, queries and joins become leaves and what they are joined by. */

#include "plan/internal.h"

#include <stdio.h>
#include <string.h>

#include "base/words.h"

/* No other leaf has the name. */
static rdx_status check_alias(const rdx_block *b, const char *alias, rdx_sql_place place) {
  for (uint32_t i = 0; i < b->leaf_count && alias; i++)
    if (b->leaves[i].alias && strcmp(b->leaves[i].alias, alias) == 0)
      return rdx_planner_fail(b->planner, RDX_ERROR_ARGUMENT, place, "give one of them another name: TABLE AS NAME",
                              "table \"%.100s\" is in FROM twice", alias);
  return RDX_OK;
}

rdx_status rdx_block_add_leaf(rdx_block *b, rdx_leaf leaf, uint32_t *out, rdx_sql_place place) {
  rdx_planner *p = b->planner;
  RDX_TRY(check_alias(b, leaf.alias, place));
  if (b->leaf_count == RDX_MAX_LEAVES)
    return rdx_planner_fail(p, RDX_ERROR_UNSUPPORTED, place, NULL, "a query cannot join more than %d relations",
                            RDX_MAX_LEAVES);
  if (leaf.column_count + leaf.numbered > 1u << RDX_LEAF_BITS)
    return rdx_planner_fail(p, RDX_ERROR_UNSUPPORTED, place, NULL, "a table cannot have more than 65536 columns here");
  RDX_TRY(rdx_planner_grow(p, &b->leaves, b->leaf_count, &b->leaf_capacity, sizeof leaf));
  b->leaves[b->leaf_count] = leaf;
  *out = b->leaf_count++;
  return RDX_OK;
}

static rdx_status leaf_of_columns(rdx_planner *p, const rdx_plan_column *columns, uint32_t count, rdx_leaf *out) {
  out->column_count = out->named = count;
  RDX_TRY(rdx_planner_alloc(p, count, sizeof *out->names, &out->names));
  RDX_TRY(rdx_planner_alloc(p, count, sizeof *out->types, &out->types));
  RDX_TRY(rdx_planner_alloc(p, count, sizeof *out->used, &out->used));
  for (uint32_t i = 0; i < count; i++) {
    out->names[i] = columns[i].name;
    out->types[i] = columns[i].type;
  }
  return RDX_OK;
}

rdx_status rdx_leaf_of_plan(rdx_planner *p, rdx_plan_node *plan, const char *alias, rdx_leaf *out) {
  *out = (rdx_leaf){.alias = alias, .plan = plan};
  return leaf_of_columns(p, plan->columns, plan->column_count, out);
}

rdx_status rdx_leaf_of_query(rdx_planner *p, rdx_bound_query *query, const rdx_from *from, const char *alias,
                             rdx_leaf *out) {
  *out = (rdx_leaf){.alias = alias, .query = query, .from = from};
  RDX_TRY(rdx_query_settle(p, query, NULL));
  return leaf_of_columns(p, query->columns, query->column_count, out);
}

static rdx_status rename_columns(rdx_planner *p, const rdx_from *from, rdx_leaf *leaf) {
  if (from->column_count > leaf->named)
    return rdx_planner_fail(p, RDX_ERROR_ARGUMENT, from->place, NULL, "\"%.100s\" has %u columns, and %u names",
                            leaf->alias, leaf->named, from->column_count);
  for (uint32_t i = 0; i < from->column_count; i++)
    leaf->names[i] = from->columns[i];
  return RDX_OK;
}

/* ---- Tables ---- */

static rdx_status no_table(rdx_block *b, const rdx_from *from, const char *nearest, const char *nearest_view) {
  rdx_nearest best = {0};
  char hint[160] = "";
  const rdx_sql_query *with = b->planner->with;
  if (*nearest)
    rdx_nearest_consider(&best, from->name, nearest);
  if (*nearest_view)
    rdx_nearest_consider(&best, from->name, nearest_view);
  for (const rdx_cte *c = b->ctes; c; c = c->before)
    rdx_nearest_consider(&best, from->name, c->name);
  for (uint32_t i = 0; with && i < with->cte_count; i++)
    if (strcmp(with->ctes[i].name, from->name) == 0)
      return rdx_planner_fail(b->planner, RDX_ERROR_NOT_FOUND, from->place,
                              "write it further ahead; WITH RECURSIVE reads itself",
                              "\"%.200s\" is a query of WITH that cannot be read here", from->name);
  if (best.word)
    snprintf(hint, sizeof hint, "did you mean \"%.100s\"?", best.word);
  else if (strncmp(from->name, "pg_", 3) == 0)
    snprintf(hint, sizeof hint, "information_schema.tables and .columns tell what there is");
  return rdx_planner_fail(b->planner, RDX_ERROR_NOT_FOUND, from->place, hint, "table \"%.200s\" does not exist",
                          from->name);
}

/* a/orders.csv is orders. */
static rdx_status base_name(rdx_planner *p, const char *name, const char **out) {
  const char *slash = strrchr(name, '/'), *begin = slash ? slash + 1 : name, *point = strrchr(begin, '.');
  const size_t length = point && point > begin ? (size_t)(point - begin) : strlen(begin);
  char *copy = NULL;
  RDX_TRY(rdx_planner_alloc(p, length + 1, 1, &copy));
  memcpy(copy, begin, length);
  *out = copy;
  return RDX_OK;
}

static rdx_status keep_table(rdx_planner *p, rdx_catalog_table *table) {
  RDX_SCOPED(rdx_catalog_release) rdx_catalog_table *own = table;
  bool *columns = NULL;
  RDX_TRY(rdx_planner_grow(p, &p->tables, p->table_count, &p->table_capacity, sizeof(rdx_catalog_table *)));
  RDX_TRY(rdx_planner_grow(p, &p->plan->columns, p->table_count, &p->column_capacity, sizeof(bool *)));
  RDX_TRY(rdx_planner_alloc(p, table->column_count, sizeof *columns, &columns));
  p->plan->columns[p->table_count] = columns;
  p->tables[p->table_count++] = RDX_KEEP(own);
  return RDX_OK;
}

/* A table that the statement has already is the same one, even if its file was replaced meanwhile. */
static rdx_catalog_table *find_kept(const rdx_planner *p, const char *name) {
  for (uint32_t i = 0; i < p->table_count; i++)
    if (strcmp(p->tables[i]->name, name) == 0)
      return p->tables[i];
  return NULL;
}

/* NULL: there is none. */
static rdx_status find_table(rdx_block *b, const rdx_from *from, rdx_catalog_table **out, char nearest[64]) {
  rdx_planner *p = b->planner;
  rdx_error why = {""};
  *out = find_kept(p, from->name);
  if (*out)
    return RDX_OK;
  const rdx_status status = rdx_catalog_find(p->catalog, from->name, out, nearest, &why);
  if (status != RDX_OK)
    return rdx_planner_fail(p, status, from->place, NULL, "%s", why.text);
  return *out ? keep_table(p, *out) : RDX_OK;
}

static rdx_status bind_table(rdx_block *b, const rdx_from *from, rdx_catalog_table *table, rdx_leaf *out) {
  rdx_planner *p = b->planner;
  *out = (rdx_leaf){
      .alias = from->alias, .table = table, .column_count = table->column_count, .named = table->column_count};
  if (!out->alias)
    RDX_TRY(base_name(p, from->name, &out->alias));
  RDX_TRY(rdx_planner_alloc(p, table->column_count, sizeof *out->names, &out->names));
  RDX_TRY(rdx_planner_alloc(p, table->column_count, sizeof *out->types, &out->types));
  RDX_TRY(rdx_planner_alloc(p, table->column_count, sizeof *out->used, &out->used));
  for (uint32_t i = 0; i < table->column_count; i++) {
    const rdx_column like = {.type = table->columns[i].type, .scale = table->columns[i].scale};
    out->names[i] = table->columns[i].name;
    out->types[i] = rdx_sql_type_of_column(&like);
  }
  return rename_columns(p, from, out);
}

/* ---- Queries ---- */

static rdx_cte *find_cte(rdx_block *b, const char *name) {
  for (rdx_cte *c = b->ctes; c; c = c->before)
    if (strcmp(c->name, name) == 0)
      return c;
  return NULL;
}

/* One that a single place reads is a query of it; where this is bound again, so is the query. */
static rdx_status bind_cte(rdx_block *b, rdx_cte *cte, const rdx_from *from, rdx_leaf *out) {
  rdx_planner *p = b->planner;
  const char *alias = from->alias ? from->alias : cte->name;
  rdx_bound_query *query = cte->query;
  cte->uses++;
  cte->query = NULL;
  if (cte->plan) {
    cte->plan->shared |= cte->uses > 1;
    RDX_TRY(rdx_leaf_of_plan(p, cte->plan, alias, out));
  } else {
    if (!query)
      RDX_TRY(rdx_bind_query(p, cte->parent, cte->before, cte->written->query, &query));
    RDX_TRY(rdx_leaf_of_query(p, query, from, alias, out));
  }
  for (uint32_t i = 0; i < cte->written->column_count; i++)
    out->names[i] = cte->written->columns[i];
  return rename_columns(b->planner, from, out);
}

/* The cube of this name. */
static const rdx_plan_view *find_cube(const rdx_planner *p, const char *name) {
  for (uint32_t i = 0; i < p->settings->view_count; i++)
    if (strcmp(p->settings->views[i].name, name) == 0)
      return &p->settings->views[i];
  return NULL;
}

static rdx_status bind_from_query(rdx_block *b, const rdx_from *from, const rdx_sql_query *written, rdx_leaf *out) {
  rdx_planner *p = b->planner;
  rdx_bound_query *query = NULL;
  rdx_block *beside = p->beside;
  p->beside = b;
  RDX_TRY(rdx_bind_query(p, b->parent, b->ctes, written, &query));
  p->beside = beside;
  if (query->outer_levels > 0)
    return rdx_planner_fail(p, RDX_ERROR_UNSUPPORTED, from->place, "use the outer columns in the subquery's WHERE",
                            "a query in FROM cannot read columns of an enclosing query");
  RDX_TRY(rdx_leaf_of_query(p, query, from, from->alias ? from->alias : "", out));
  return rename_columns(p, from, out);
}

/* Its definition knows nothing of the statement's WITH, nor of other cubes. */
static rdx_status bind_cube(rdx_block *b, const rdx_from *from, const rdx_plan_view *cube, rdx_leaf *out) {
  rdx_planner *p = b->planner;
  rdx_bound_query *query = NULL;
  RDX_TRY(rdx_planner_deepen(p, cube->levels + (p->view ? p->view->levels : 0)));
  p->in_cube = true;
  const rdx_status status = rdx_bind_query(p, NULL, NULL, cube->query, &query);
  p->in_cube = false;
  if (status != RDX_OK)
    return rdx_view_fail(p, from, cube->name, status);
  RDX_TRY(rdx_leaf_of_query(p, query, from, from->alias ? from->alias : from->name, out));
  return rename_columns(p, from, out);
}

static rdx_status bind_view(rdx_block *b, const rdx_from *from, const rdx_view_text *view, rdx_leaf *out) {
  RDX_TRY(rdx_bind_view(b->planner, from, view, out));
  return rename_columns(b->planner, from, out);
}

/* A name that is written otherwise than that of the table or view it stands for would be that of the view which is
 * defined from then on, where this has it. */
static rdx_status check_defined(const rdx_planner *p, const rdx_from *from, const char *table, const char *view) {
  const char *defines = p->settings->defines, *found = table ? table : view;
  char hint[160];
  if (!defines || !found || strcmp(found, from->name) == 0 || strcmp(found, defines) == 0)
    return RDX_OK;
  if (table ? strcmp(defines, from->name) != 0 : !rdx_words_alike(defines, from->name))
    return RDX_OK;
  snprintf(hint, sizeof hint, "give it another name, or write \"%.100s\" where that is meant", found);
  return rdx_planner_fail(p, RDX_ERROR_ARGUMENT, from->place, hint, "view \"%.100s\" would read itself", defines);
}

/* A name stands for a query of WITH, else for a table that was added, a cube, a view or a table that has it, else for a
 * table or view whose name is written otherwise. */
rdx_status rdx_bind_relation(rdx_block *b, const rdx_from *from, rdx_leaf *out) {
  rdx_planner *p = b->planner;
  rdx_cte *cte = from->in_public ? NULL : find_cte(b, from->name);
  const bool added = rdx_catalog_has_added(p->catalog, from->name);
  const rdx_plan_view *cube = cte || added || p->in_cube ? NULL : find_cube(p, from->name);
  rdx_view_text view;
  rdx_catalog_table *table = NULL;
  char nearest[64] = "";
  if (cte)
    return bind_cte(b, cte, from, out);
  if (cube)
    return bind_cube(b, from, cube, out);
  RDX_TRY(rdx_find_view(p, from->name, true, &view));
  if (view.text)
    return bind_view(b, from, &view, out);
  RDX_TRY(find_table(b, from, &table, nearest));
  if (!table)
    RDX_TRY(rdx_find_view(p, from->name, false, &view));
  RDX_TRY(check_defined(p, from, table ? table->name : NULL, view.text ? view.name : NULL));
  if (table)
    return bind_table(b, from, table, out);
  return view.text ? bind_view(b, from, &view, out) : no_table(b, from, nearest, view.nearest);
}

/* ---- Columns of USING ---- */

static uint32_t first_leaf(const rdx_merged *m) {
  return (uint32_t)__builtin_ctzll(m->leaves);
}

/* Whether another one of its name has it in it. */
static bool is_merged_again(const rdx_block *b, uint32_t number) {
  const rdx_merged *m = &b->merged[number];
  bool again = false;
  for (uint32_t i = number + 1; i < b->merged_count; i++)
    again |= strcmp(b->merged[i].name, m->name) == 0 && (b->merged[i].leaves >> first_leaf(m) & 1);
  return again;
}

uint32_t rdx_merged_find(const rdx_block *b, uint64_t leaves, const char *name, bool exact, rdx_bound **out) {
  uint32_t count = 0;
  *out = NULL;
  for (uint32_t i = 0; i < b->merged_count; i++) {
    const rdx_merged *m = &b->merged[i];
    const bool named = exact ? strcmp(m->name, name) == 0 : rdx_words_alike(m->name, name);
    if (!named || !(leaves >> first_leaf(m) & 1) || is_merged_again(b, i))
      continue;
    *out = m->value;
    count++;
  }
  return count;
}

bool rdx_is_merged(const rdx_block *b, uint32_t index) {
  for (uint32_t i = 0; i < b->merged_count; i++)
    if (b->merged[i].left == index || b->merged[i].right == index)
      return true;
  return false;
}

/* Joins within others were bound before these. */
rdx_status rdx_merged_before(rdx_block *b, uint32_t leaf, uint32_t **out, uint32_t *count) {
  *count = 0;
  RDX_TRY(rdx_planner_alloc(b->planner, b->merged_count, sizeof **out, out));
  for (uint32_t end = b->merged_count, begin; end > 0; end = begin) {
    begin = end - 1;
    while (begin > 0 && b->merged[begin - 1].join == b->merged[begin].join)
      begin--;
    for (uint32_t i = begin; i < end; i++)
      if (first_leaf(&b->merged[i]) == leaf && !is_merged_again(b, i))
        (*out)[(*count)++] = i;
  }
  return RDX_OK;
}

/* ---- Joins ---- */

static rdx_status add_item(rdx_block *b, rdx_group *group, rdx_item item) {
  RDX_TRY(rdx_planner_grow(b->planner, &group->items, group->count, &group->capacity, sizeof item));
  group->items[group->count++] = item;
  return RDX_OK;
}

rdx_status rdx_block_add_relation(rdx_block *b, rdx_leaf leaf, rdx_sql_place place, rdx_group *group) {
  uint32_t number = 0;
  leaf.numbered = b->numbers;
  leaf.countable = true;
  RDX_TRY(rdx_block_add_leaf(b, leaf, &number, place));
  return add_item(b, group, (rdx_item){.leaves = (uint64_t)1 << number, .leaf = number});
}

rdx_status rdx_block_left_join(rdx_block *b, rdx_group *left, rdx_group *right, rdx_conjuncts on) {
  return add_item(b, &b->from,
                  (rdx_item){.leaves = rdx_group_leaves(left) | rdx_group_leaves(right),
                             .outer = true,
                             .join = RDX_PLAN_LEFT,
                             .left = left,
                             .right = right,
                             .on = on});
}

static rdx_status bind_item(rdx_block *b, const rdx_from *from, rdx_group *group);

/* The column of this name among leaves. */
static rdx_status column_among(rdx_block *b, uint64_t leaves, const char *name, rdx_sql_place place, rdx_bound **out) {
  uint32_t count = rdx_merged_find(b, leaves, name, true, out);
  for (uint32_t i = 0; i < b->leaf_count; i++) {
    const rdx_leaf *leaf = &b->leaves[i];
    for (uint32_t c = 0; (leaves >> i & 1) && leaf->alias && c < leaf->named; c++) {
      if (!rdx_words_alike(leaf->names[c], name) || rdx_is_merged(b, rdx_leaf_column(i, c)))
        continue;
      count++;
      RDX_TRY(rdx_leaf_value(b, i, c, place, out));
    }
  }
  if (count > 1)
    return rdx_planner_fail(b->planner, RDX_ERROR_ARGUMENT, place, NULL, "column \"%.100s\" of USING is ambiguous",
                            name);
  if (count == 0)
    return rdx_planner_fail(b->planner, RDX_ERROR_NOT_FOUND, place, NULL,
                            "column \"%.100s\" of USING is not on both sides", name);
  return RDX_OK;
}

static rdx_status join_by_name(rdx_block *b, const rdx_from *from, const char *name, uint64_t left, uint64_t right,
                               rdx_conjuncts *on) {
  rdx_bound *sides[2], *equal = NULL;
  rdx_merged merged = {.name = name, .join = from, .leaves = left | right};
  RDX_TRY(column_among(b, left, name, from->place, &sides[0]));
  RDX_TRY(column_among(b, right, name, from->place, &sides[1]));
  RDX_TRY(rdx_bind_call_of(b->planner, "=", sides, 2, from->place, &equal));
  RDX_TRY(rdx_conjuncts_add(b->planner, on, equal));
  merged.value = sides[from->join == RDX_SQL_RIGHT];
  if (from->join == RDX_SQL_FULL)
    RDX_TRY(rdx_bind_call_of(b->planner, "coalesce", sides, 2, from->place, &merged.value));
  merged.left = sides[0]->kind == RDX_BOUND_COLUMN ? sides[0]->index : UINT32_MAX;
  merged.right = sides[1]->kind == RDX_BOUND_COLUMN ? sides[1]->index : UINT32_MAX;
  RDX_TRY(rdx_planner_grow(b->planner, &b->merged, b->merged_count, &b->merged_capacity, sizeof merged));
  b->merged[b->merged_count++] = merged;
  return RDX_OK;
}

static bool has_name(const rdx_block *b, uint64_t leaves, const char *name) {
  for (uint32_t i = 0; i < b->leaf_count; i++)
    for (uint32_t c = 0; (leaves >> i & 1) && b->leaves[i].alias && c < b->leaves[i].named; c++)
      if (strcmp(b->leaves[i].names[c], name) == 0)
        return true;
  return false;
}

/* Join by a name of the left side, unless the right one has none such, or it was done. */
static rdx_status join_if_common(rdx_block *b, const rdx_from *from, const char *name, uint64_t left, uint64_t right,
                                 rdx_conjuncts *on) {
  for (uint32_t i = 0; i < b->merged_count; i++)
    if (b->merged[i].join == from && strcmp(b->merged[i].name, name) == 0)
      return RDX_OK;
  return has_name(b, right, name) ? join_by_name(b, from, name, left, right, on) : RDX_OK;
}

/* By all names that both sides have, in the order of the left one. */
static rdx_status join_natural(rdx_block *b, const rdx_from *from, uint64_t left, uint64_t right, rdx_conjuncts *on) {
  for (uint32_t i = 0; i < b->leaf_count; i++) {
    const rdx_leaf *leaf = &b->leaves[i];
    uint32_t *numbers = NULL, count = 0;
    if (!(left >> i & 1) || !leaf->alias)
      continue;
    RDX_TRY(rdx_merged_before(b, i, &numbers, &count));
    for (uint32_t k = 0; k < count; k++)
      RDX_TRY(join_if_common(b, from, b->merged[numbers[k]].name, left, right, on));
    for (uint32_t c = 0; c < leaf->named; c++)
      RDX_TRY(join_if_common(b, from, leaf->names[c], left, right, on));
  }
  return RDX_OK;
}

/* Subqueries in ON are joined to the side of an outer join that they read, before it is. */
static rdx_status attach(rdx_block *b, const rdx_from *from, uint32_t first, rdx_group *sides[2]) {
  for (uint32_t i = first; i < b->dependent_count; i++) {
    rdx_dependent *d = &b->dependents[i];
    const bool left = !(d->needs & ~rdx_group_leaves(sides[0]));
    if (!left && (d->needs & ~rdx_group_leaves(sides[1])))
      return rdx_planner_fail(b->planner, RDX_ERROR_UNSUPPORTED, from->on->place, NULL,
                              "a subquery in ON of an outer join can read columns of one of its sides only");
    d->attached = true;
    sides[!left]->dependents |= (uint64_t)1 << d->leaf;
  }
  return RDX_OK;
}

/* What the two sides are joined by. `sides`: the groups that they are; of an inner join both are its own. */
static rdx_status bind_on(rdx_block *b, const rdx_from *from, uint64_t left, uint64_t right, rdx_group *sides[2],
                          rdx_conjuncts *on) {
  rdx_bound *condition = NULL;
  if (from->natural)
    RDX_TRY(join_natural(b, from, left, right, on));
  for (uint32_t i = 0; i < from->using_count; i++)
    RDX_TRY(join_by_name(b, from, from->using_columns[i], left, right, on));
  if (!from->on)
    return RDX_OK;
  const uint32_t dependents = b->dependent_count;
  b->scope = left | right;
  const rdx_status status = rdx_bind_condition(b, from->on, "JOIN conditions", &condition);
  b->scope = 0;
  RDX_TRY(status);
  if (from->join != RDX_SQL_INNER || b->nullable > 0)
    RDX_TRY(attach(b, from, dependents, sides));
  else if (b->dependent_count > dependents) /* what an inner join keeps is what WHERE keeps */
    on = &b->from.conjuncts;
  if (rdx_bound_has(condition, RDX_BOUND_OUTER))
    return rdx_planner_fail(b->planner, RDX_ERROR_UNSUPPORTED, from->on->place, "use them in the subquery's WHERE",
                            "ON cannot read columns of an enclosing query");
  return rdx_conjuncts_split(b->planner, on, condition);
}

static rdx_status bind_inner(rdx_block *b, const rdx_from *from, rdx_group *group) {
  const uint64_t before = rdx_group_leaves(group);
  RDX_TRY(bind_item(b, from->left, group));
  const uint64_t left = rdx_group_leaves(group) & ~before;
  RDX_TRY(bind_item(b, from->right, group));
  return bind_on(b, from, left, rdx_group_leaves(group) & ~before & ~left, (rdx_group *[]){group, group},
                 &group->conjuncts);
}

#define RIGHT_LATERAL "a LATERAL query can read the other side of its join only where that is INNER or LEFT"

/* Conditions of LATERAL queries in a side that read columns outside of it go to `out`, where the join allows that. */
static rdx_status raise_conjuncts(rdx_block *b, const rdx_from *from, rdx_group *side, uint64_t allowed, bool can,
                                  rdx_conjuncts *out) {
  rdx_conjuncts *list = &side->conjuncts;
  const uint64_t own = rdx_group_leaves(side);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < list->count; i++) {
    const uint64_t reads = rdx_bound_leaves(list->list[i]);
    if (!(reads & ~own)) {
      list->list[kept++] = list->list[i];
      continue;
    }
    if (!can || (reads & ~allowed))
      return rdx_planner_fail(b->planner, RDX_ERROR_UNSUPPORTED, from->place, NULL, RIGHT_LATERAL);
    RDX_TRY(rdx_conjuncts_add(b->planner, out, list->list[i]));
  }
  list->count = kept;
  return RDX_OK;
}

/* In a side of a RIGHT or FULL JOIN columns of LATERAL queries stand for nothing that reads columns outside of it. */
static rdx_status check_values(const rdx_block *b, const rdx_from *from, const rdx_group *side) {
  const uint64_t own = rdx_group_leaves(side);
  for (uint32_t i = 0; i < b->leaf_count; i++)
    for (uint32_t c = 0; c < b->leaves[i].named && b->leaves[i].values && (own >> i & 1); c++)
      if (b->leaves[i].values[c] && (rdx_bound_leaves(b->leaves[i].values[c]) & ~own))
        return rdx_planner_fail(b->planner, RDX_ERROR_UNSUPPORTED, from->place, NULL, RIGHT_LATERAL);
  return RDX_OK;
}

/* Both sides of an outer join. Fills: with NULL. */
static rdx_status bind_sides(rdx_block *b, const rdx_from *from, rdx_group *left, rdx_group *right) {
  const uint32_t fills_left = from->join != RDX_SQL_LEFT, fills_right = from->join != RDX_SQL_RIGHT;
  b->nullable += fills_left;
  RDX_TRY(bind_item(b, from->left, left));
  b->nullable += fills_right - fills_left;
  RDX_TRY(bind_item(b, from->right, right));
  b->nullable -= fills_right;
  return RDX_OK;
}

static bool has_lateral(const rdx_from *from) {
  return from->kind == RDX_FROM_JOIN ? has_lateral(from->left) || has_lateral(from->right)
                                     : from->kind == RDX_FROM_SERIES || (from->kind == RDX_FROM_QUERY && from->lateral);
}

/* What stands before a LEFT JOIN with LATERAL queries, which may read it, becomes a part of its left side. */
static rdx_status absorb(rdx_block *b, rdx_group *group, rdx_group *left) {
  const uint64_t leaves = rdx_group_leaves(group);
  const rdx_group all = *group;
  *group = (rdx_group){0};
  *left = (rdx_group){.items = all.items, .count = all.count, .capacity = all.capacity, .dependents = all.dependents};
  for (uint32_t i = 0; i < all.conjuncts.count; i++) {
    rdx_bound *c = all.conjuncts.list[i];
    RDX_TRY(rdx_conjuncts_add(b->planner, rdx_bound_leaves(c) & ~leaves ? &group->conjuncts : &left->conjuncts, c));
  }
  return RDX_OK;
}

/* First rows, and a series, need a left side that has all that they read. */
static rdx_status check_first(const rdx_block *b, const rdx_from *from, const rdx_group *left, const rdx_group *right) {
  const uint64_t leaves = rdx_group_leaves(left) | rdx_group_leaves(right);
  uint64_t reads = 0;
  for (uint32_t i = 0; right->series && i < 2; i++)
    reads |= rdx_bound_leaves(right->series->exprs[i]);
  for (uint32_t i = 0; right->first && i < right->first->pairs.count; i++)
    reads |= rdx_bound_leaves(right->first->pairs.list[i]);
  return left->first || left->series || from->join == RDX_SQL_RIGHT || from->join == RDX_SQL_FULL ||
                 right->count != 1 || (reads & ~leaves)
             ? rdx_planner_fail(b->planner, RDX_ERROR_UNSUPPORTED, from->place, NULL, RIGHT_LATERAL)
             : RDX_OK;
}

static rdx_status bind_outer(rdx_block *b, const rdx_from *from, rdx_group *group) {
  rdx_planner *p = b->planner;
  const bool turned = from->join == RDX_SQL_RIGHT;
  rdx_group *left = NULL, *right = NULL;
  RDX_TRY(rdx_planner_alloc(p, 1, sizeof *left, &left));
  RDX_TRY(rdx_planner_alloc(p, 1, sizeof *right, &right));
  if (from->join == RDX_SQL_LEFT && has_lateral(from))
    RDX_TRY(absorb(b, group, left));
  const uint64_t before = rdx_group_leaves(left);
  RDX_TRY(bind_sides(b, from, left, right));
  if (right->first || left->first || right->series || left->series)
    RDX_TRY(check_first(b, from, left, right));
  rdx_item item = {.leaves = rdx_group_leaves(left) | rdx_group_leaves(right),
                   .outer = true,
                   .join = from->join == RDX_SQL_FULL ? RDX_PLAN_FULL : RDX_PLAN_LEFT,
                   .left = turned ? right : left,
                   .right = turned ? left : right,
                   .first = right->first,
                   .series = right->series};
  RDX_TRY(bind_on(b, from, rdx_group_leaves(left) & ~before, rdx_group_leaves(right), (rdx_group *[]){left, right},
                  &item.on));
  item.leaves |= left->dependents | right->dependents;
  const bool fills_right = from->join == RDX_SQL_LEFT;
  RDX_TRY(
      raise_conjuncts(b, from->right, right, rdx_group_leaves(left) | rdx_group_leaves(right), fills_right, &item.on));
  RDX_TRY(raise_conjuncts(b, from->left, left, UINT64_MAX, fills_right, &group->conjuncts));
  if (!fills_right) {
    RDX_TRY(check_values(b, from->left, left));
    RDX_TRY(check_values(b, from->right, right));
  }
  return add_item(b, group, item);
}

/* x LEFT JOIN LATERAL (one row) ON condition has the rows of x: where the condition does not hold, values are NULL. */
static rdx_status bind_one_row(rdx_block *b, const rdx_from *from, rdx_group *group) {
  const uint64_t before = rdx_group_leaves(group);
  rdx_bound *args[2];
  RDX_TRY(bind_item(b, from->left, group));
  RDX_TRY(bind_item(b, from->right, group));
  const rdx_leaf *leaf = &b->leaves[b->leaf_count - 1];
  const uint32_t before_on = b->dependent_count;
  b->scope = rdx_group_leaves(group) & ~before;
  const rdx_status status = rdx_bind_condition(b, from->on, "JOIN conditions", &args[0]);
  b->scope = 0;
  RDX_TRY(status);
  if (b->dependent_count > before_on || rdx_bound_has(args[0], RDX_BOUND_OUTER))
    return rdx_planner_fail(b->planner, RDX_ERROR_UNSUPPORTED, from->on->place,
                            "write ON true, and use CASE in the list",
                            "this condition of a LATERAL query that aggregates is not supported");
  if (args[0]->kind == RDX_BOUND_CONSTANT && !args[0]->value.null && args[0]->value.i)
    return RDX_OK;
  for (uint32_t i = 0; i < leaf->named; i++) {
    RDX_TRY(rdx_leaf_value(b, b->leaf_count - 1, i, from->on->place, &args[1]));
    RDX_TRY(rdx_bind_call_of(b->planner, "case", args, 2, from->on->place, &leaf->values[i]));
  }
  return RDX_OK;
}

static rdx_status bind_join(rdx_block *b, const rdx_from *from, rdx_group *group) {
  if (from->join == RDX_SQL_INNER)
    return bind_inner(b, from, group);
  const rdx_from *right = from->right;
  if (from->join == RDX_SQL_LEFT && from->on && right->kind == RDX_FROM_QUERY && right->lateral &&
      rdx_is_one_row(right->query))
    return bind_one_row(b, from, group);
  return bind_outer(b, from, group);
}

/* All of a group with the first rows that belong to each of its rows; an empty group is to be the right side of a LEFT
 * JOIN. */
static rdx_status add_first(rdx_block *b, const rdx_from *from, uint32_t number, const rdx_item *made,
                            rdx_group *group) {
  rdx_planner *p = b->planner;
  rdx_group *left = NULL, *right = NULL;
  const rdx_item leaf = {.leaves = (uint64_t)1 << number, .leaf = number};
  if (group->count == 0) {
    group->first = made->first;
    group->series = made->series;
    return add_item(b, group, leaf);
  }
  RDX_TRY(rdx_planner_alloc(p, 1, sizeof *left, &left));
  RDX_TRY(rdx_planner_alloc(p, 1, sizeof *right, &right));
  RDX_TRY(absorb(b, group, left));
  RDX_TRY(add_item(b, right, leaf));
  right->first = made->first;
  right->series = made->series;
  const rdx_from inner = {.join = RDX_SQL_INNER, .place = from->place};
  RDX_TRY(check_first(b, &inner, left, right));
  return add_item(b, group,
                  (rdx_item){.leaves = rdx_group_leaves(left) | leaf.leaves,
                             .outer = true,
                             .join = RDX_PLAN_INNER,
                             .left = left,
                             .right = right,
                             .first = made->first,
                             .series = made->series});
}

static rdx_status bind_series(rdx_block *b, const rdx_from *from, rdx_group *group) {
  rdx_leaf leaf;
  uint32_t number = 0;
  bool lateral = false;
  RDX_TRY(rdx_bind_series(b, from, &leaf, &lateral));
  RDX_TRY(rename_columns(b->planner, from, &leaf));
  if (!lateral)
    return rdx_block_add_relation(b, leaf, from->place, group);
  RDX_TRY(rdx_block_add_leaf(b, leaf, &number, from->place));
  return add_first(b, from, number, &(rdx_item){.series = leaf.plan}, group);
}

static rdx_status add_lateral(rdx_block *b, const rdx_from *from, rdx_bound_query *query, rdx_group *group) {
  const char *alias = from->alias ? from->alias : "";
  rdx_lateral made;
  RDX_TRY(check_alias(b, alias, from->place));
  RDX_TRY(rdx_bind_lateral(b, from, query, &made));
  rdx_leaf *leaf = &b->leaves[made.leaf];
  leaf->alias = alias;
  RDX_TRY(rename_columns(b->planner, from, leaf));
  for (uint32_t i = 0; i < made.conjuncts.count; i++)
    RDX_TRY(rdx_conjuncts_add(b->planner, &group->conjuncts, made.conjuncts.list[i]));
  if (made.first)
    return add_first(b, from, made.leaf, &(rdx_item){.first = made.first}, group);
  if (!made.one_row)
    return add_item(b, group, (rdx_item){.leaves = (uint64_t)1 << made.leaf, .leaf = made.leaf});
  if (group != &b->from && (b->dependents[b->dependent_count - 1].needs & ~rdx_group_leaves(group)))
    return rdx_planner_fail(b->planner, RDX_ERROR_UNSUPPORTED, from->place, "write it before the outer join",
                            "a LATERAL query that aggregates can read columns of its own side of an outer join only");
  group->dependents |= (uint64_t)1 << made.leaf;
  return RDX_OK;
}

/* One that reads no columns of the block is a query like others. */
static rdx_status bind_lateral(rdx_block *b, const rdx_from *from, rdx_group *group) {
  rdx_planner *p = b->planner;
  rdx_bound_query *query = NULL;
  rdx_leaf leaf;
  RDX_TRY(rdx_bind_query(p, b, b->ctes, from->query, &query));
  if (query->outer_levels > 0)
    return add_lateral(b, from, query, group);
  RDX_TRY(rdx_leaf_of_query(p, query, from, from->alias ? from->alias : "", &leaf));
  RDX_TRY(rdx_planner_alloc(p, leaf.named, sizeof *leaf.values, &leaf.values));
  RDX_TRY(rename_columns(p, from, &leaf));
  return rdx_block_add_relation(b, leaf, from->place, group);
}

static rdx_status bind_item(rdx_block *b, const rdx_from *from, rdx_group *group) {
  rdx_leaf leaf = {0};
  if (from->kind == RDX_FROM_JOIN)
    return bind_join(b, from, group);
  if (from->kind == RDX_FROM_QUERY && from->lateral)
    return bind_lateral(b, from, group);
  if (from->kind == RDX_FROM_SERIES)
    return bind_series(b, from, group);
  if (from->kind == RDX_FROM_TABLE)
    RDX_TRY(rdx_bind_relation(b, from, &leaf));
  else
    RDX_TRY(bind_from_query(b, from, from->query, &leaf));
  return rdx_block_add_relation(b, leaf, from->place, group);
}

rdx_status rdx_bind_from_item(rdx_block *b, const rdx_from *from, rdx_group *group) {
  return bind_item(b, from, group);
}

rdx_status rdx_bind_from(rdx_block *b, const rdx_sql_query *query) {
  rdx_cte *ctes = b->ctes;
  b->clause = "FROM";
  for (uint32_t i = 0; i < query->from_count; i++) {
    b->ctes = b->numbers && i == 0 ? NULL : ctes; /* what changes is a table */
    RDX_TRY(bind_item(b, query->from[i], &b->from));
    b->ctes = ctes;
  }
  b->clause = NULL;
  return RDX_OK;
}
