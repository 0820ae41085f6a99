/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Blocks, set operations and VALUES: bound clause by clause, then built from the joins up to LIMIT. */

#include "plan/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"

/* ---- Names of outputs ---- */

/* Whether a call has a function's name, and is no operator that is written in words. */
static bool is_function(const char *name) {
  static const char *const words[] = {"and", "or", "not", "in", "like", "ilike", "between"};
  for (size_t i = 0; i < RDX_COUNT(words); i++)
    if (strcmp(name, words[i]) == 0)
      return false;
  return name[0] >= 'a' && name[0] <= 'z' && !strchr(name, ' ');
}

/* The name that an expression has of a column or a function in it; NULL: none. A cast, and CASE by its ELSE, take that
 * of what is in them. */
static const char *own_name(const rdx_ast *ast) {
  const rdx_sql_query *q = ast->query;
  switch (ast->kind) {
  case RDX_AST_COLUMN:
    return ast->name;
  case RDX_AST_CALL:
    if (strcmp(ast->name, "case") == 0)
      return ast->count % 2 == 1 ? own_name(ast->args[ast->count - 1]) : NULL;
    return is_function(ast->name) ? ast->name : NULL;
  case RDX_AST_CAST:
    return own_name(ast->args[0]);
  case RDX_AST_SCALAR:
    if (q->kind != RDX_QUERY_SELECT || q->target_count != 1)
      return NULL;
    return q->targets[0].alias ? q->targets[0].alias : own_name(q->targets[0].value);
  case RDX_AST_EXISTS:
    return "exists";
  default:
    return NULL;
  }
}

/* As PostgreSQL names them: the column's name, the function's, "case", the type's, or "?column?". */
static const char *name_of(const rdx_ast *ast) {
  const char *name = own_name(ast);
  if (name)
    return name;
  if (ast->kind == RDX_AST_SCALAR && ast->query->kind == RDX_QUERY_SELECT && ast->query->target_count == 1)
    return name_of(ast->query->targets[0].value);
  if (ast->kind == RDX_AST_CAST || (ast->kind == RDX_AST_CALL && strcmp(ast->name, "case") == 0))
    return ast->name;
  return "?column?";
}

rdx_status rdx_block_add_output(rdx_block *b, const char *name, rdx_bound *value) {
  RDX_TRY(rdx_planner_grow(b->planner, &b->outputs, b->output_count, &b->output_capacity, sizeof *b->outputs));
  b->outputs[b->output_count++] = (rdx_output){name, value};
  return RDX_OK;
}

/* ---- The SELECT list ---- */

/* What EXCLUDE or REPLACE behind a * says of a column of a leaf (NULL: of several, by USING); NULL: nothing. */
static const rdx_ast *find_change(const rdx_ast *star, const rdx_leaf *leaf, const char *name, bool *used) {
  const rdx_ast *found = NULL;
  for (uint32_t i = 0; i < star->count; i++) {
    const rdx_ast *c = star->args[i];
    if ((c->qualifier && !(leaf && rdx_words_alike(leaf->alias, c->qualifier))) ||
        !rdx_words_alike(c->kind == RDX_AST_COLUMN ? c->name : c->field, name))
      continue;
    used[i] = true;
    found = c;
  }
  return found;
}

/* A column of a leaf, or `merged`, which USING made of several. One that EXCLUDE or REPLACE names is not read. */
static rdx_status add_star_column(rdx_block *b, const rdx_ast *star, uint32_t leaf, uint32_t number,
                                  const rdx_merged *merged, bool *used) {
  const char *name = merged ? merged->name : b->leaves[leaf].names[number];
  const rdx_ast *change = find_change(star, merged ? NULL : &b->leaves[leaf], name, used);
  rdx_bound *column = merged ? merged->value : NULL;
  if (change && change->kind == RDX_AST_COLUMN)
    return RDX_OK;
  if (change)
    RDX_TRY(rdx_bind(b, change->args[0], &column));
  else if (!merged)
    RDX_TRY(rdx_leaf_value(b, leaf, number, star->place, &column));
  return rdx_block_add_output(b, name, column);
}

/* What USING made of joins that begin with a leaf. */
static rdx_status expand_merged(rdx_block *b, const rdx_ast *star, uint32_t leaf, bool *used) {
  uint32_t *numbers = NULL, count = 0;
  RDX_TRY(rdx_merged_before(b, leaf, &numbers, &count));
  for (uint32_t i = 0; i < count; i++)
    RDX_TRY(add_star_column(b, star, leaf, 0, &b->merged[numbers[i]], used));
  return RDX_OK;
}

static rdx_status expand_star(rdx_block *b, const rdx_ast *star) {
  const uint32_t before = b->output_count;
  bool any = false, *used = NULL;
  RDX_TRY(rdx_planner_alloc(b->planner, star->count, sizeof *used, &used));
  for (uint32_t i = 0; i < b->leaf_count; i++) {
    const rdx_leaf *leaf = &b->leaves[i];
    if (!leaf->alias || (star->qualifier && strcmp(leaf->alias, star->qualifier) != 0))
      continue;
    any = true;
    if (!star->qualifier)
      RDX_TRY(expand_merged(b, star, i, used));
    for (uint32_t c = 0; c < leaf->named; c++)
      if (star->qualifier || !rdx_is_merged(b, rdx_leaf_column(i, c)))
        RDX_TRY(add_star_column(b, star, i, c, NULL, used));
  }
  for (uint32_t i = 0; i < star->count && any; i++) {
    const rdx_ast *c = star->args[i];
    const bool excludes = c->kind == RDX_AST_COLUMN;
    if (!used[i])
      return rdx_planner_fail(b->planner, RDX_ERROR_NOT_FOUND, c->place, NULL, "%s: * has no column \"%.100s\"",
                              excludes ? "EXCLUDE" : "REPLACE", excludes ? c->name : c->field);
  }
  if (any && b->output_count == before && star->count > 0)
    return rdx_planner_fail(b->planner, RDX_ERROR_ARGUMENT, star->place, NULL, "EXCLUDE leaves no columns of *");
  if (any)
    return RDX_OK;
  return rdx_planner_fail(b->planner, RDX_ERROR_NOT_FOUND, star->place, NULL,
                          "there is no table %s%.100s in FROM for *", star->qualifier ? "" : "at all",
                          star->qualifier ? star->qualifier : "");
}

rdx_status rdx_bind_targets(rdx_block *b, const rdx_sql_target *targets, uint32_t count, const char *clause) {
  b->clause = clause;
  for (uint32_t i = 0; i < count; i++) {
    const rdx_sql_target *t = &targets[i];
    rdx_bound *value = NULL;
    if (t->value->kind == RDX_AST_STAR) {
      RDX_TRY(expand_star(b, t->value));
      continue;
    }
    RDX_TRY(rdx_bind(b, t->value, &value));
    RDX_TRY(rdx_block_add_output(b, t->alias ? t->alias : name_of(t->value), value));
  }
  b->visible = b->output_count;
  b->clause = NULL;
  return RDX_OK;
}

/* ---- Positions and names in GROUP BY and ORDER BY ---- */

/* A literal that is no position would be the same for all rows. */
static rdx_status check_literal(rdx_block *b, const rdx_ast *ast, const char *clause) {
  const bool negative = ast->kind == RDX_AST_CALL && ast->count == 1 && strcmp(ast->name, "-") == 0;
  const rdx_ast *value = negative ? ast->args[0] : ast;
  if (value->kind != RDX_AST_NUMBER &&
      (negative || (value->kind != RDX_AST_STRING && value->kind != RDX_AST_NULL && value->kind != RDX_AST_BOOL)))
    return RDX_OK;
  return rdx_planner_fail(b->planner, RDX_ERROR_ARGUMENT, ast->place,
                          value->kind == RDX_AST_STRING ? "names stand in double quotes, or without any"
                                                        : "write the position or the name of a column",
                          "a literal in %s is the position of a column", clause);
}

/* A number without a point: the target that it counts to. */
static rdx_status find_position(rdx_block *b, const rdx_ast *ast, const char *clause, uint32_t count, bool *is,
                                uint32_t *out) {
  *is = ast->kind == RDX_AST_NUMBER && strspn(ast->name, "0123456789") == strlen(ast->name);
  if (!*is)
    return check_literal(b, ast, clause);
  const unsigned long long position = strtoull(ast->name, NULL, 10);
  if (position < 1 || position > count)
    return rdx_planner_fail(b->planner, RDX_ERROR_ARGUMENT, ast->place, NULL, "%s position %.20s is not in the list",
                            clause, ast->name);
  *out = (uint32_t)position - 1;
  return RDX_OK;
}

/* The first output of a name; others of this name must be the same expression. */
static rdx_status find_output_name(const rdx_block *b, const rdx_ast *ast, const char *clause, bool *is,
                                   uint32_t *out) {
  uint32_t i = 0;
  if (ast->kind != RDX_AST_COLUMN || ast->qualifier)
    return RDX_OK;
  while (i < b->visible && strcmp(b->outputs[i].name, ast->name) != 0)
    i++;
  *is = i < b->visible;
  *out = i;
  for (i++; i < b->visible; i++)
    if (strcmp(b->outputs[i].name, ast->name) == 0 &&
        (!b->outputs[i].value || !rdx_bound_equal(b->outputs[i].value, b->outputs[*out].value)))
      return rdx_planner_fail(
          b->planner, RDX_ERROR_ARGUMENT, ast->place, "write TABLE.COLUMN, or the position of the column",
          "%s \"%.100s\" is ambiguous: several columns of the list have this name", clause, ast->name);
  return RDX_OK;
}

/* The output of the target with this alias. */
static rdx_status find_alias(const rdx_block *b, const rdx_sql_query *query, const rdx_ast *ast, bool *is,
                             uint32_t *out) {
  bool written = false;
  for (uint32_t i = 0; i < query->target_count; i++)
    written |= query->targets[i].alias && strcmp(query->targets[i].alias, ast->name) == 0;
  return written ? find_output_name(b, ast, "GROUP BY", is, out) : RDX_OK;
}

static bool has_column(const rdx_block *b, const char *name) {
  for (uint32_t i = 0; i < b->leaf_count; i++)
    for (uint32_t c = 0; c < b->leaves[i].named && b->leaves[i].alias; c++)
      if (strcmp(b->leaves[i].names[c], name) == 0)
        return true;
  return false;
}

/* grouping() counts as one. */
static bool has_aggregates(const rdx_bound *e) {
  const uint32_t leaf = e->kind == RDX_BOUND_COLUMN ? rdx_leaf_of(e->index) : 0;
  bool has = leaf == RDX_AGGREGATES_LEAF || leaf == RDX_GROUPINGS_LEAF;
  for (uint32_t i = 0; e->kind == RDX_BOUND_CALL && i < e->count && !has; i++)
    has = has_aggregates(e->args[i]);
  return has;
}

/* What a grouping expression stands for as it is written: of a position or an alias the target; NULL: it is not told
 * before the list is bound. */
const rdx_ast *rdx_group_written(const rdx_block *b, const rdx_sql_query *query, const rdx_ast *ast) {
  const bool positional = ast->kind == RDX_AST_NUMBER && strspn(ast->name, "0123456789") == strlen(ast->name);
  const unsigned long long position = positional ? strtoull(ast->name, NULL, 10) : 0;
  for (uint32_t i = 0; i < query->target_count && positional; i++)
    if (query->targets[i].value->kind == RDX_AST_STAR)
      return NULL;
  if (positional)
    return position >= 1 && position <= query->target_count ? query->targets[position - 1].value : NULL;
  if (ast->kind != RDX_AST_COLUMN)
    return ast;
  for (uint32_t i = 0; i < query->target_count && !ast->qualifier && !has_column(b, ast->name); i++)
    if (query->targets[i].alias && strcmp(query->targets[i].alias, ast->name) == 0)
      return query->targets[i].value;
  return NULL;
}

/* A group is a position, a column, the alias of a target, or an expression, in this order. */
static rdx_status bind_group(rdx_block *b, const rdx_sql_query *query, const rdx_ast *ast, rdx_bound **out) {
  bool positional = false;
  uint32_t number = 0;
  RDX_TRY(find_position(b, ast, "GROUP BY", b->visible, &positional, &number));
  if (!positional && ast->kind == RDX_AST_COLUMN && !ast->qualifier && !has_column(b, ast->name))
    RDX_TRY(find_alias(b, query, ast, &positional, &number));
  if (positional) {
    *out = b->outputs[number].value;
  } else {
    const char *before = b->clause;
    b->clause = "GROUP BY";
    const rdx_status status = rdx_bind(b, ast, out);
    b->clause = before;
    RDX_TRY(status);
  }
  const char *what = has_aggregates(*out) ? "aggregates" : rdx_reads_windows(*out) ? "window functions" : NULL;
  return what ? rdx_planner_fail(b->planner, RDX_ERROR_ARGUMENT, ast->place, "compute it in a query in FROM",
                                 "%s are not allowed in GROUP BY", what)
              : RDX_OK;
}

/* ---- GROUP BY ---- */

/* What reads outer columns alone is the same for all rows, and makes no groups. */
static rdx_status add_group(rdx_block *b, rdx_bound *value, uint32_t *capacity, uint32_t *out) {
  if (rdx_bound_has(value, RDX_BOUND_OUTER) && !rdx_bound_has(value, RDX_BOUND_COLUMN))
    RDX_TRY(rdx_bind_constant(&b->planner->binding, (rdx_sql_type){.kind = RDX_SQL_BOOL}, (rdx_datum){.i = true},
                              value->place, &value));
  for (*out = 0; *out < b->group_count; ++*out)
    if (rdx_bound_equal(b->groups[*out], value))
      return RDX_OK;
  RDX_TRY(rdx_planner_grow(b->planner, &b->groups, b->group_count, capacity, sizeof *b->groups));
  b->groups[b->group_count++] = value;
  return RDX_OK;
}

#define MAX_SETS 512 /* of GROUPING SETS */
#define MAX_SET_GROUPS 64

/* Sets of groups, as bits. */
typedef struct sets {
  uint64_t list[MAX_SETS];
  uint32_t count;
} sets;

static rdx_status list_sets(rdx_block *b, const rdx_sql_query *query, const rdx_grouping *g, uint32_t *capacity,
                            sets *out);

static rdx_status add_set(rdx_block *b, sets *s, uint64_t set) {
  if (s->count == MAX_SETS)
    return rdx_planner_fail(b->planner, RDX_ERROR_UNSUPPORTED, 0, NULL, "GROUP BY has more than %d grouping sets",
                            MAX_SETS);
  s->list[s->count++] = set;
  return RDX_OK;
}

/* The columns of a plain list. */
static rdx_status bind_set(rdx_block *b, const rdx_sql_query *query, const rdx_grouping *g, uint32_t *capacity,
                           uint64_t *bits) {
  *bits = 0;
  for (uint32_t i = 0; i < g->expr_count; i++) {
    rdx_bound *value = NULL;
    uint32_t number = 0;
    RDX_TRY(bind_group(b, query, g->exprs[i], &value));
    if (value->kind == RDX_BOUND_CONSTANT) /* of *, or that is none as it is written */
      return rdx_planner_fail(b->planner, RDX_ERROR_UNSUPPORTED, g->exprs[i]->place, "write the constant itself",
                              "this constant cannot be in GROUPING SETS, ROLLUP or CUBE");
    RDX_TRY(add_group(b, value, capacity, &number));
    if (number >= MAX_SET_GROUPS)
      return rdx_planner_fail(b->planner, RDX_ERROR_UNSUPPORTED, g->exprs[i]->place, NULL,
                              "GROUPING SETS of more than %d columns are not supported", MAX_SET_GROUPS);
    *bits |= (uint64_t)1 << number;
  }
  return RDX_OK;
}

/* The sets of ROLLUP or CUBE over n plain lists. */
static rdx_status list_levels(rdx_block *b, const rdx_sql_query *query, const rdx_grouping *g, uint32_t *capacity,
                              sets *out) {
  uint64_t bits[MAX_SET_GROUPS] = {0};
  const uint32_t count = g->child_count;
  if (count > (g->kind == RDX_GROUPING_CUBE ? 9u : MAX_SET_GROUPS))
    return rdx_planner_fail(b->planner, RDX_ERROR_UNSUPPORTED, 0, NULL, "GROUP BY has too many grouping sets");
  for (uint32_t i = 0; i < count; i++)
    RDX_TRY(bind_set(b, query, g->children[i], capacity, &bits[i]));
  for (uint32_t n = count + 1; g->kind == RDX_GROUPING_ROLLUP && n-- > 0;) {
    uint64_t set = 0;
    for (uint32_t i = 0; i < n; i++)
      set |= bits[i];
    RDX_TRY(add_set(b, out, set));
  }
  for (uint32_t choice = g->kind == RDX_GROUPING_CUBE ? 1u << count : 0; choice-- > 0;) {
    uint64_t set = 0;
    for (uint32_t i = 0; i < count; i++)
      set |= choice >> (count - 1 - i) & 1 ? bits[i] : 0;
    RDX_TRY(add_set(b, out, set));
  }
  return RDX_OK;
}

static rdx_status list_sets(rdx_block *b, const rdx_sql_query *query, const rdx_grouping *g, uint32_t *capacity,
                            sets *out) {
  uint64_t set = 0;
  if (g->kind == RDX_GROUPING_ROLLUP || g->kind == RDX_GROUPING_CUBE)
    return list_levels(b, query, g, capacity, out);
  if (g->child_count == 0) {
    RDX_TRY(bind_set(b, query, g, capacity, &set));
    return add_set(b, out, set);
  }
  for (uint32_t i = 0; i < g->child_count; i++)
    RDX_TRY(list_sets(b, query, g->children[i], capacity, out));
  return RDX_OK;
}

static void drop_equal_sets(sets *s) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < s->count; i++) {
    uint32_t k = 0;
    while (k < kept && s->list[k] != s->list[i])
      k++;
    if (k == kept)
      s->list[kept++] = s->list[i];
  }
  s->count = kept;
}

/* Sets of one part with each of another's. */
static rdx_status multiply_sets(rdx_block *b, const sets *x, const sets *y, sets *out) {
  out->count = 0;
  for (uint32_t i = 0; i < x->count; i++)
    for (uint32_t k = 0; k < y->count; k++)
      RDX_TRY(add_set(b, out, x->list[i] | y->list[k]));
  return RDX_OK;
}

static rdx_status keep_sets(rdx_block *b, const sets *s) {
  RDX_TRY(rdx_planner_alloc(b->planner, (uint64_t)s->count * b->group_count + 1, sizeof *b->sets, &b->sets));
  b->set_count = s->count;
  for (uint32_t i = 0; i < s->count; i++)
    for (uint32_t k = 0; k < b->group_count; k++)
      b->sets[(size_t)i * b->group_count + k] = s->list[i] >> k & 1;
  return RDX_OK;
}

static rdx_status bind_sets(rdx_block *b, const rdx_sql_query *query) {
  sets *s = NULL; /* all so far, those of a part, both multiplied */
  uint32_t capacity = 0;
  RDX_TRY(rdx_planner_alloc(b->planner, 3, sizeof *s, &s));
  s[0] = (sets){.count = 1};
  for (uint32_t i = 0; i < query->group_count; i++) {
    s[1].count = 0;
    RDX_TRY(list_sets(b, query, query->group_by[i], &capacity, &s[1]));
    RDX_TRY(multiply_sets(b, &s[0], &s[1], &s[2]));
    s[0] = s[2];
  }
  if (query->distinct_sets)
    drop_equal_sets(&s[0]);
  return keep_sets(b, &s[0]);
}

static bool has_sets(const rdx_sql_query *query) {
  for (uint32_t i = 0; i < query->group_count; i++)
    if (query->group_by[i]->kind != RDX_GROUPING_SIMPLE && query->group_by[i]->kind != RDX_GROUPING_ALL)
      return true;
  return false;
}

/* GROUP BY ALL. */
static rdx_status group_by_list(rdx_block *b, uint32_t *capacity) {
  uint32_t number;
  for (uint32_t i = 0; i < b->visible; i++)
    if (!has_aggregates(b->outputs[i].value) && !rdx_reads_windows(b->outputs[i].value))
      RDX_TRY(add_group(b, b->outputs[i].value, capacity, &number));
  return RDX_OK;
}

static rdx_status bind_groups(rdx_block *b, const rdx_sql_query *query) {
  uint32_t capacity = 0, number;
  b->aggregating |= query->group_count > 0;
  if (has_sets(query))
    return bind_sets(b, query);
  for (uint32_t i = 0; i < query->group_count; i++) {
    if (query->group_by[i]->kind == RDX_GROUPING_ALL)
      RDX_TRY(group_by_list(b, &capacity));
    for (uint32_t k = 0; k < query->group_by[i]->expr_count; k++) {
      rdx_bound *value = NULL;
      RDX_TRY(bind_group(b, query, query->group_by[i]->exprs[k], &value));
      RDX_TRY(add_group(b, value, &capacity, &number));
    }
  }
  return RDX_OK;
}

/* ---- ORDER BY, LIMIT ---- */

static void set_order(rdx_plan_order *order, const rdx_sql_order *written, uint32_t column) {
  const bool first = written->nulls == RDX_NULLS_DEFAULT ? written->descending : written->nulls == RDX_NULLS_FIRST;
  *order = (rdx_plan_order){.column = column, .descending = written->descending, .nulls_first = first};
}

/* A position, the name of an output, or an expression, which may be one more output. */
static rdx_status find_output(rdx_block *b, const rdx_ast *ast, const char *clause, uint32_t *number) {
  bool positional = false;
  rdx_bound *value = NULL;
  RDX_TRY(find_position(b, ast, clause, b->visible, &positional, number));
  if (!positional)
    RDX_TRY(find_output_name(b, ast, clause, &positional, number));
  if (positional)
    return RDX_OK;
  b->in_order = true;
  RDX_TRY(rdx_bind(b, ast, &value));
  b->in_order = false;
  for (*number = 0; *number < b->output_count; ++*number)
    if (rdx_bound_equal(b->outputs[*number].value, value))
      return RDX_OK;
  if (b->distinct)
    return rdx_planner_fail(b->planner, RDX_ERROR_ARGUMENT, ast->place, NULL,
                            "with DISTINCT, ORDER BY needs an expression of the list");
  return rdx_block_add_output(b, "", value);
}

static rdx_status bind_order(rdx_block *b, const rdx_sql_order *written, rdx_plan_order *out) {
  uint32_t number = 0;
  RDX_TRY(find_output(b, written->value, "ORDER BY", &number));
  if (b->outputs[number].value->type.kind == RDX_SQL_INTERVAL && !b->distinct) {
    rdx_bound *span = b->outputs[number].value;
    number = b->output_count;
    RDX_TRY(rdx_bind_span(b->planner, &span));
    RDX_TRY(rdx_block_add_output(b, "", span));
  }
  set_order(out, written, number);
  return RDX_OK;
}

static bool is_distinct_on(const rdx_block *b, uint32_t output) {
  bool is = false;
  for (uint32_t i = 0; i < b->distinct_on_count; i++)
    is |= b->distinct_on[i] == output;
  return is;
}

/* What ORDER BY begins with is what DISTINCT ON names: else it would not tell which row is the first one. */
static rdx_status bind_distinct_on(rdx_block *b, const rdx_bound_query *q, const rdx_sql_query *query) {
  RDX_TRY(rdx_planner_alloc(b->planner, query->distinct_on_count, sizeof *b->distinct_on, &b->distinct_on));
  for (uint32_t i = 0; i < query->distinct_on_count; i++) {
    uint32_t output = 0;
    RDX_TRY(find_output(b, query->distinct_on[i], "DISTINCT ON", &output));
    if (!is_distinct_on(b, output))
      b->distinct_on[b->distinct_on_count++] = output;
  }
  for (uint32_t i = 0; i < q->order_count && i < b->distinct_on_count; i++)
    if (!is_distinct_on(b, q->orders[i].column))
      return rdx_planner_fail(b->planner, RDX_ERROR_ARGUMENT, query->order_by[i].value->place, NULL,
                              "ORDER BY must begin with the expressions of DISTINCT ON");
  return RDX_OK;
}

static rdx_status bind_limit(rdx_planner *p, rdx_cte *ctes, const rdx_ast *ast, const char *clause, rdx_bound **out) {
  rdx_block nothing = {.planner = p, .ctes = ctes, .clause = clause};
  *out = NULL;
  if (!ast)
    return RDX_OK;
  RDX_TRY(rdx_bind(&nothing, ast, out));
  RDX_TRY(rdx_bind_cast(&p->binding, *out, (rdx_sql_type){.kind = RDX_SQL_BIGINT}, true, ast->place, out));
  if ((*out)->kind == RDX_BOUND_CONSTANT && (*out)->value.null)
    *out = NULL;
  else if ((*out)->kind == RDX_BOUND_CONSTANT && (*out)->value.i < 0)
    return rdx_planner_fail(p, RDX_ERROR_ARGUMENT, ast->place, NULL, "%s must not be negative", clause);
  return RDX_OK;
}

/* ---- A block ---- */

static bool has_subquery(const rdx_ast *ast) {
  const bool parts = ast->kind == RDX_AST_CALL && (strcmp(ast->name, "and") == 0 || strcmp(ast->name, "not") == 0);
  bool has = ast->query != NULL;
  for (uint32_t i = 0; parts && i < ast->count && !has; i++)
    has = has_subquery(ast->args[i]);
  return has;
}

rdx_status rdx_bind_where(rdx_block *b, const rdx_ast *ast) {
  rdx_planner *p = b->planner;
  bool done = false;
  rdx_bound *condition = NULL;
  rdx_conjuncts parts = {0};
  if (ast->kind == RDX_AST_CALL && strcmp(ast->name, "and") == 0) {
    for (uint32_t i = 0; i < 2 * ast->count; i++) /* others may guard what subqueries say of the rows alone */
      if (has_subquery(ast->args[i % ast->count]) == (i >= ast->count))
        RDX_TRY(rdx_bind_where(b, ast->args[i % ast->count]));
    return RDX_OK;
  }
  const char *before = b->clause;
  b->clause = "WHERE";
  const rdx_status status = rdx_bind_subquery_conjunct(b, ast, &done);
  b->clause = before;
  if (status != RDX_OK || done)
    return status;
  RDX_TRY(rdx_bind_condition(b, ast, "WHERE", &condition));
  RDX_TRY(rdx_conjuncts_split(p, &parts, condition));
  for (uint32_t i = 0; i < parts.count; i++)
    RDX_TRY(rdx_conjuncts_add(p, rdx_bound_has(parts.list[i], RDX_BOUND_OUTER) ? &b->correlations : &b->from.conjuncts,
                              parts.list[i]));
  return RDX_OK;
}

rdx_status rdx_query_list_columns(rdx_planner *p, rdx_bound_query *q) {
  rdx_block *b = q->block;
  q->column_count = b->visible;
  RDX_TRY(rdx_planner_alloc(p, b->visible, sizeof *q->columns, &q->columns));
  for (uint32_t i = 0; i < b->visible; i++) {
    q->columns[i] = (rdx_plan_column){b->outputs[i].name, b->outputs[i].value->type};
  }
  return RDX_OK;
}

static bool calls_aggregate(const rdx_ast *ast) {
  bool calls = !ast->over && rdx_is_aggregate(ast);
  for (uint32_t i = 0; i < ast->count && !calls; i++)
    calls = calls_aggregate(ast->args[i]);
  return calls;
}

/* Whether the list and ORDER BY are of groups: then all that they read must be grouped by. */
static bool has_groups(const rdx_sql_query *query) {
  bool groups = query->group_count > 0 || query->having || (query->qualify && calls_aggregate(query->qualify));
  for (uint32_t i = 0; i < query->target_count && !groups; i++)
    groups = calls_aggregate(query->targets[i].value);
  for (uint32_t i = 0; i < query->order_count && !groups; i++)
    groups = calls_aggregate(query->order_by[i].value);
  return groups;
}

bool rdx_is_one_row(const rdx_sql_query *query) {
  return query->kind == RDX_QUERY_SELECT && query->group_count == 0 && !query->having && !query->qualify &&
         has_groups(query);
}

/* QUALIFY is the last output until it is a filter: it reads the list's names, too. */
static rdx_status bind_qualify(rdx_block *b, const rdx_ast *ast) {
  rdx_bound *condition = NULL;
  b->in_order = true;
  RDX_TRY(rdx_bind_condition(b, ast, NULL, &condition));
  b->in_order = false;
  b->qualify = true;
  RDX_TRY(rdx_block_add_output(b, "", condition));
  return b->window_count > 0 ? RDX_OK
                             : rdx_planner_fail(b->planner, RDX_ERROR_ARGUMENT, ast->place, "write WHERE or HAVING",
                                                "QUALIFY needs a window function in it or in the list");
}

/* The list, groups, HAVING, ORDER BY. */
static rdx_status bind_list(rdx_block *b, const rdx_sql_query *query, rdx_bound_query *q) {
  RDX_TRY(rdx_bind_targets(b, query->targets, query->target_count, NULL));
  RDX_TRY(bind_groups(b, query));
  if (query->having) {
    b->aggregating = true;
    b->in_having = true;
    RDX_TRY(rdx_bind_condition(b, query->having, NULL, &b->having));
    b->in_having = false;
  }
  RDX_TRY(rdx_query_list_columns(b->planner, q));
  for (uint32_t i = 0; i < query->order_count; i++)
    RDX_TRY(bind_order(b, &query->order_by[i], &q->orders[q->order_count++]));
  RDX_TRY(bind_distinct_on(b, q, query));
  if (query->qualify)
    RDX_TRY(bind_qualify(b, query->qualify));
  const uint32_t windows = b->window_count;
  for (uint32_t i = 0; i < query->unused_count; i++) { /* as if it were used */
    rdx_bound *ignored = NULL;
    RDX_TRY(rdx_bind(b, query->unused_windows[i], &ignored));
  }
  b->unused_windows = b->window_count - windows;
  b->window_count = windows;
  return RDX_OK;
}

static rdx_status bind_select(rdx_planner *p, rdx_block *parent, rdx_cte *ctes, const rdx_sql_query *query,
                              rdx_bound_query *q) {
  rdx_block *b = NULL;
  RDX_TRY(rdx_planner_alloc(p, 1, sizeof *b, &b));
  *b = (rdx_block){.planner = p, .parent = parent, .ctes = ctes, .distinct = query->distinct};
  q->block = b;
  const bool keeps = p->binding.keeps_all;
  p->binding.keeps_all = false;
  RDX_TRY(rdx_bind_from(b, query));
  if (query->where)
    RDX_TRY(rdx_bind_where(b, query->where));
  RDX_TRY(rdx_note_written(b, query, has_sets(query))); /* before the list, which reads it */
  p->binding.keeps_all = has_groups(query);
  RDX_TRY(bind_list(b, query, q));
  p->binding.keeps_all = keeps;
  q->outer_levels = b->outer_levels;
  for (uint32_t i = 0; i < b->leaf_count && b->aggregate_count > 0; i++)
    if (b->leaves[i].plan && b->leaves[i].plan->kind == RDX_PLAN_WORKING)
      return rdx_planner_fail(p, RDX_ERROR_UNSUPPORTED, query->place, "aggregate what the query of WITH gives",
                              "aggregates are not allowed where a recursive query reads itself");
  return RDX_OK;
}

/* ---- The other kinds of query ---- */

/* A string that meets a DECIMAL keeps all of its digits, which the type then has. */
static rdx_status keep_digits(rdx_planner *p, rdx_bound **value, rdx_sql_type *type) {
  if ((*value)->type.kind == RDX_SQL_UNKNOWN && (*value)->kind == RDX_BOUND_CONSTANT && !(*value)->value.null)
    RDX_TRY(rdx_bind_cast(&p->binding, *value, (rdx_sql_type){.kind = RDX_SQL_DECIMAL}, true, (*value)->place, value));
  const rdx_sql_type pair[] = {*type, (*value)->type};
  return rdx_sql_common_type(pair, 2, type)
             ? RDX_OK
             : rdx_planner_fail(p, RDX_ERROR_INTERNAL, (*value)->place, NULL, "numbers do not mix");
}

static rdx_status bind_values(rdx_planner *p, rdx_block *parent, rdx_cte *ctes, const rdx_sql_query *query,
                              rdx_bound_query *q) {
  rdx_block nothing = {.planner = p, .parent = parent, .ctes = ctes, .clause = "VALUES"};
  const uint32_t count = query->row_count * query->width;
  rdx_sql_type *types = NULL;
  RDX_TRY(rdx_planner_alloc(p, count, sizeof *q->values, &q->values));
  RDX_TRY(rdx_planner_alloc(p, query->row_count, sizeof *types, &types));
  RDX_TRY(rdx_planner_alloc(p, query->width, sizeof *q->columns, &q->columns));
  q->row_count = query->row_count;
  q->column_count = query->width;
  for (uint32_t i = 0; i < count; i++)
    RDX_TRY(rdx_bind(&nothing, query->values[i], &q->values[i]));
  for (uint32_t c = 0; c < query->width; c++) {
    rdx_sql_type type;
    char *name = NULL;
    for (uint32_t r = 0; r < query->row_count; r++)
      types[r] = q->values[r * query->width + c]->type;
    if (!rdx_sql_common_type(types, query->row_count, &type))
      return rdx_planner_fail(p, RDX_ERROR_ARGUMENT, query->place, NULL,
                              "column %u of VALUES has types that do not mix", c + 1);
    for (uint32_t r = 0; r < query->row_count && type.kind == RDX_SQL_DECIMAL; r++)
      RDX_TRY(keep_digits(p, &q->values[r * query->width + c], &type));
    for (uint32_t r = 0; r < query->row_count && type.kind != RDX_SQL_UNKNOWN; r++) {
      rdx_bound **value = &q->values[r * query->width + c];
      const bool wanted = (*value)->kind != RDX_BOUND_PARAMETER;
      RDX_TRY(rdx_bind_cast(&p->binding, *value, type, wanted, (*value)->place, value));
    }
    RDX_TRY(rdx_planner_alloc(p, 32, 1, &name));
    snprintf(name, 32, "column%u", c + 1);
    q->columns[c] = (rdx_plan_column){name, type};
  }
  q->outer_levels = nothing.outer_levels;
  return nothing.dependent_count == 0 ? RDX_OK
                                      : rdx_planner_fail(p, RDX_ERROR_UNSUPPORTED, query->place, NULL,
                                                         "VALUES cannot have subqueries that read outer columns");
}

/* The orders of a result whose columns alone can be named. */
static rdx_status bind_result_orders(rdx_planner *p, const rdx_sql_query *query, rdx_bound_query *q) {
  rdx_block names = {.planner = p, .visible = q->column_count};
  RDX_TRY(rdx_planner_alloc(p, q->column_count, sizeof *names.outputs, &names.outputs));
  for (uint32_t i = 0; i < q->column_count; i++)
    names.outputs[i].name = q->columns[i].name;
  for (uint32_t i = 0; i < query->order_count; i++) {
    const rdx_sql_order *written = &query->order_by[i];
    bool positional = false;
    uint32_t number = 0;
    RDX_TRY(find_position(&names, written->value, "ORDER BY", q->column_count, &positional, &number));
    if (!positional)
      RDX_TRY(find_output_name(&names, written->value, "ORDER BY", &positional, &number));
    if (!positional)
      return rdx_planner_fail(p, RDX_ERROR_ARGUMENT, written->value->place, NULL,
                              "ORDER BY of a set operation needs the name or position of a column of its result");
    set_order(&q->orders[q->order_count++], written, number);
  }
  return RDX_OK;
}

/* Values whose type nothing has decided yet get that of the result's column: TEXT where `types` is NULL. */
static rdx_status settle_value(rdx_planner *p, rdx_sql_type type, rdx_bound **value) {
  return (*value)->type.kind == RDX_SQL_UNKNOWN ? rdx_bind_cast(&p->binding, *value, type, true, (*value)->place, value)
                                                : RDX_OK;
}

rdx_status rdx_query_settle(rdx_planner *p, rdx_bound_query *q, const rdx_plan_column *columns) {
  for (uint32_t i = 0; i < q->column_count; i++) {
    const rdx_sql_type type = columns ? columns[i].type : (rdx_sql_type){.kind = RDX_SQL_TEXT};
    if (q->columns[i].type.kind != RDX_SQL_UNKNOWN || type.kind == RDX_SQL_UNKNOWN)
      continue;
    q->columns[i].type = type;
    if (q->block)
      RDX_TRY(settle_value(p, type, &q->block->outputs[i].value));
    for (uint32_t r = 0; r < q->row_count; r++)
      RDX_TRY(settle_value(p, type, &q->values[r * q->column_count + i]));
  }
  if (!q->left)
    return RDX_OK;
  RDX_TRY(rdx_query_settle(p, q->left, q->columns));
  return rdx_query_settle(p, q->right, q->columns);
}

/* The same of the strings of a column without a type, on one side of a set operation. */
static rdx_status keep_column(rdx_planner *p, rdx_bound_query *q, uint32_t column, rdx_sql_type *type) {
  if (q->columns[column].type.kind != RDX_SQL_UNKNOWN)
    return RDX_OK;
  if (q->left) {
    RDX_TRY(keep_column(p, q->left, column, type));
    return keep_column(p, q->right, column, type);
  }
  if (q->block)
    return keep_digits(p, &q->block->outputs[column].value, type);
  for (uint32_t r = 0; r < q->row_count; r++)
    RDX_TRY(keep_digits(p, &q->values[r * q->column_count + column], type));
  return RDX_OK;
}

static rdx_status bind_set_operation(rdx_planner *p, rdx_block *parent, rdx_cte *ctes, const rdx_sql_query *query,
                                     rdx_bound_query *q) {
  RDX_TRY(rdx_bind_query(p, parent, ctes, query->left, &q->left));
  RDX_TRY(rdx_bind_query(p, parent, ctes, query->right, &q->right));
  q->outer_levels = q->left->outer_levels > q->right->outer_levels ? q->left->outer_levels : q->right->outer_levels;
  if (q->left->column_count != q->right->column_count)
    return rdx_planner_fail(p, RDX_ERROR_ARGUMENT, query->place, NULL, "the sides have %u and %u columns",
                            q->left->column_count, q->right->column_count);
  q->column_count = q->left->column_count;
  RDX_TRY(rdx_planner_alloc(p, q->column_count, sizeof *q->columns, &q->columns));
  for (uint32_t i = 0; i < q->column_count; i++) {
    const rdx_sql_type types[] = {q->left->columns[i].type, q->right->columns[i].type};
    char texts[2][32];
    q->columns[i].name = q->left->columns[i].name;
    if (!rdx_sql_common_type(types, 2, &q->columns[i].type))
      return rdx_planner_fail(p, RDX_ERROR_ARGUMENT, query->place, NULL,
                              "column %u is %s on one side and %s on the other", i + 1,
                              rdx_sql_type_text(types[0], texts[0]), rdx_sql_type_text(types[1], texts[1]));
    if (q->columns[i].type.kind == RDX_SQL_DECIMAL) {
      RDX_TRY(keep_column(p, q->left, i, &q->columns[i].type));
      RDX_TRY(keep_column(p, q->right, i, &q->columns[i].type));
    }
  }
  return RDX_OK;
}

/* A query of WITH has a name of its own, and reads those before it. */
static rdx_status check_cte(rdx_planner *p, const rdx_sql_query *query, uint32_t number) {
  const rdx_sql_cte *c = &query->ctes[number];
  for (uint32_t i = 0; i < number; i++)
    if (strcmp(query->ctes[i].name, c->name) == 0)
      return rdx_planner_fail(p, RDX_ERROR_ARGUMENT, c->place, "give one of them another name",
                              "WITH has two queries of the name \"%.100s\"", c->name);
  return RDX_OK;
}

/* WITH: each is planned once, whoever reads it; what one place reads is planned there. */
rdx_status rdx_bind_ctes(rdx_planner *p, rdx_block *parent, const rdx_sql_query *query, rdx_cte **ctes) {
  for (uint32_t i = 0; i < query->cte_count; i++) {
    const rdx_sql_cte *written = &query->ctes[i];
    rdx_bound_query *q = NULL;
    rdx_cte *cte = NULL;
    const rdx_sql_query *with = p->with;
    RDX_TRY(check_cte(p, query, i));
    p->with = query;
    const uint32_t reads = rdx_count_reads(query, written->name);
    const uint32_t own = query->recursive ? rdx_count_reads(written->query, written->name) : 0;
    RDX_TRY(own > 0 ? rdx_bind_recursive(p, parent, *ctes, written, reads == own + 1, &q)
                    : rdx_bind_query(p, parent, *ctes, written->query, &q));
    p->with = with;
    if (q->outer_levels > 0)
      return rdx_planner_fail(p, RDX_ERROR_UNSUPPORTED, written->place, NULL,
                              "a query in WITH cannot read columns of an enclosing query");
    if (written->column_count > q->column_count)
      return rdx_planner_fail(p, RDX_ERROR_ARGUMENT, written->place, NULL, "\"%.100s\" has %u columns, and %u names",
                              written->name, q->column_count, written->column_count);
    RDX_TRY(rdx_planner_alloc(p, 1, sizeof *cte, &cte));
    *cte = (rdx_cte){.name = written->name, .written = written, .query = q, .parent = parent, .before = *ctes};
    if (written->materialized || own > 0 || reads != 1)
      RDX_TRY(rdx_build_query(p, q, &cte->plan));
    *ctes = cte;
  }
  return RDX_OK;
}

rdx_status rdx_bind_query(rdx_planner *p, rdx_block *parent, rdx_cte *ctes, const rdx_sql_query *query,
                          rdx_bound_query **out) {
  rdx_bound_query *q = NULL;
  RDX_TRY(rdx_planner_alloc(p, 1, sizeof *q, &q));
  q->written = query;
  RDX_TRY(rdx_planner_alloc(p, query->order_count, sizeof *q->orders, &q->orders));
  RDX_TRY(rdx_bind_ctes(p, parent, query, &ctes));
  if (query->kind == RDX_QUERY_SELECT)
    RDX_TRY(bind_select(p, parent, ctes, query, q));
  else if (query->kind == RDX_QUERY_VALUES)
    RDX_TRY(bind_values(p, parent, ctes, query, q));
  else
    RDX_TRY(bind_set_operation(p, parent, ctes, query, q));
  if (query->kind != RDX_QUERY_SELECT)
    RDX_TRY(bind_result_orders(p, query, q));
  RDX_TRY(bind_limit(p, ctes, query->limit, "LIMIT", &q->limit));
  RDX_TRY(bind_limit(p, ctes, query->offset, "OFFSET", &q->offset));
  q->ties = query->ties;
  if (q->ties && !q->limit)
    return rdx_planner_fail(p, RDX_ERROR_ARGUMENT, query->place, NULL,
                            "row count cannot be null in FETCH FIRST ... WITH TIES");
  *out = q;
  return RDX_OK;
}
