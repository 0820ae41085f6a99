/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Expressions as written become bound: names, aggregates, subqueries. */

#include "plan/internal.h"

#include <stdio.h>
#include <string.h>

#include "base/words.h"

rdx_status rdx_bind_column(rdx_planner *p, uint32_t index, rdx_sql_type type, rdx_sql_place place, rdx_bound **out) {
  RDX_TRY(rdx_planner_alloc(p, 1, sizeof **out, out));
  **out = (rdx_bound){.kind = RDX_BOUND_COLUMN, .type = type, .place = place, .index = index};
  return RDX_OK;
}

rdx_status rdx_bind_call_of(rdx_planner *p, const char *name, rdx_bound *const *args, uint32_t count,
                            rdx_sql_place place, rdx_bound **out) {
  return rdx_bind_call(&p->binding, name, args, count, place, out);
}

rdx_status rdx_bind_pair(rdx_block *b, const char *name, rdx_bound *left, rdx_bound *right, rdx_sql_place place,
                         rdx_bound **out) {
  rdx_bound *const args[] = {left, right};
  return rdx_bind_call_of(b->planner, name, args, right ? 2 : 1, place, out);
}

rdx_status rdx_leaf_value(rdx_block *b, uint32_t number, uint32_t column, rdx_sql_place place, rdx_bound **out) {
  const rdx_leaf *leaf = &b->leaves[number];
  if (leaf->values && leaf->values[column]) {
    *out = leaf->values[column];
    return RDX_OK;
  }
  leaf->used[column] = true;
  for (uint32_t i = 0; leaf->table && i < b->planner->table_count; i++)
    if (b->planner->tables[i] == leaf->table)
      b->planner->plan->columns[i][column] = true;
  return rdx_bind_column(b->planner, rdx_leaf_column(number, column), leaf->types[column], place, out);
}

/* ---- Names ---- */

/* What a name was found to be. */
typedef struct found {
  rdx_bound *value; /* of USING */
  uint32_t leaf, column;
  uint32_t count; /* of what has the name */
  bool twice;     /* one relation has it several times */
} found;

static bool names_equal(const char *a, const char *b, bool exact) {
  return exact ? strcmp(a, b) == 0 : rdx_words_alike(a, b);
}

static void find_in_block(rdx_block *b, const char *qualifier, const char *name, bool exact, found *out) {
  *out = (found){0};
  if (!qualifier)
    out->count = rdx_merged_find(b, b->scope ? b->scope : UINT64_MAX, name, exact, &out->value);
  for (uint32_t i = 0; i < b->leaf_count; i++) {
    const rdx_leaf *leaf = &b->leaves[i];
    if (!leaf->alias || (qualifier && !names_equal(leaf->alias, qualifier, exact)) ||
        (b->scope && !(b->scope >> i & 1)))
      continue;
    for (uint32_t c = 0; c < leaf->named; c++) {
      if (!names_equal(leaf->names[c], name, exact) || (!qualifier && rdx_is_merged(b, rdx_leaf_column(i, c))))
        continue;
      out->twice |= out->count > 0 && out->leaf == i && !out->value;
      if (out->count++ == 0) {
        out->leaf = i;
        out->column = c;
      }
    }
  }
}

/* Exactly as written; else without regard to case. */
static void find_name(rdx_block *b, const char *qualifier, const char *name, found *out) {
  find_in_block(b, qualifier, name, true, out);
  if (out->count == 0)
    find_in_block(b, qualifier, name, false, out);
}

/* Whether a table that a name can be of has this alias: then what it lacks is not looked for further out. */
static bool has_alias(const rdx_block *b, const char *alias) {
  for (uint32_t i = 0; i < b->leaf_count; i++)
    if (b->leaves[i].alias && strcmp(b->leaves[i].alias, alias) == 0 && (!b->scope || b->scope >> i & 1))
      return true;
  return false;
}

/* Whether what is bound is one value for all rows. */
static bool is_of_no_row(const rdx_block *b) {
  static const char *const clauses[] = {"LIMIT", "OFFSET"};
  bool is = false;
  for (size_t i = 0; i < RDX_COUNT(clauses) && b->clause && b->leaf_count == 0; i++)
    is |= strcmp(b->clause, clauses[i]) == 0;
  return is;
}

static rdx_status no_name(rdx_block *b, const char *qualifier, const char *name, rdx_sql_place place) {
  if (is_of_no_row(b))
    return rdx_planner_fail(b->planner, RDX_ERROR_ARGUMENT, place, NULL, "%s cannot read columns, such as \"%.100s\"",
                            b->clause, name);
  rdx_nearest columns = {0}, tables = {0};
  bool known = !qualifier;
  char hint[160] = "";
  for (const rdx_block *at = b; at && !(qualifier && known); at = at->parent) {
    for (uint32_t i = 0; i < at->leaf_count; i++) {
      const rdx_leaf *leaf = &at->leaves[i];
      if (!leaf->alias)
        continue;
      const bool this_one = qualifier && rdx_words_alike(leaf->alias, qualifier);
      known |= this_one;
      if (qualifier && !this_one && leaf->table && rdx_words_alike(leaf->table->name, qualifier))
        return rdx_planner_fail(b->planner, RDX_ERROR_NOT_FOUND, place, "write its alias",
                                "table \"%.100s\" is \"%.100s\" here", leaf->table->name, leaf->alias);
      if (qualifier)
        rdx_nearest_consider(&tables, qualifier, leaf->alias);
      for (uint32_t c = 0; c < leaf->named && (!qualifier || this_one); c++)
        rdx_nearest_consider(&columns, name, leaf->names[c]);
    }
  }
  const rdx_nearest *best = known ? &columns : &tables;
  found beside = {0};
  for (const rdx_block *at = b; at && !qualifier; at = at->parent)
    if (has_alias(at, name))
      return rdx_planner_fail(b->planner, RDX_ERROR_UNSUPPORTED, place,
                              "name its columns; count(*) counts rows, count(t.id) those that an outer join has found",
                              "rows as values are not supported: \"%.100s\" is a table", name);
  if (b->planner->beside)
    find_name(b->planner->beside, qualifier, name, &beside);
  if (beside.count > 0)
    snprintf(hint, sizeof hint, "to read what stands before a query in FROM, write LATERAL before it");
  else if (best->word)
    snprintf(hint, sizeof hint, "did you mean \"%.100s\"?", best->word);
  if (!known)
    return rdx_planner_fail(b->planner, RDX_ERROR_NOT_FOUND, place, hint, "there is no table \"%.100s\" in FROM",
                            qualifier);
  return rdx_planner_fail(b->planner, RDX_ERROR_NOT_FOUND, place, hint, "column \"%.100s%s%.100s\" does not exist",
                          qualifier ? qualifier : "", qualifier ? "." : "", name);
}

typedef struct outer {
  rdx_planner *planner;
  uint32_t level;
} outer;

/* Columns of a block become those of an outer one. */
static rdx_status outer_node(void *user, rdx_bound *node, rdx_bound **out) {
  const outer *o = user;
  if (node->kind != RDX_BOUND_COLUMN)
    return RDX_OK;
  RDX_TRY(rdx_bind_column(o->planner, node->index, node->type, node->place, out));
  (*out)->kind = RDX_BOUND_OUTER;
  (*out)->value.i = o->level;
  return RDX_OK;
}

/* In ORDER BY and HAVING what no table has may be an output's name, which is not so in PostgreSQL. NULL: it is none. */
static rdx_bound *find_output(const rdx_block *b, const char *name) {
  rdx_bound *output = NULL;
  if (!(b->in_order || b->in_having) || b->in_aggregate || b->in_window)
    return NULL;
  for (uint32_t i = 0; i < b->visible; i++) {
    if (strcmp(b->outputs[i].name, name) != 0)
      continue;
    if (output || (b->in_having && rdx_reads_windows(b->outputs[i].value)))
      return NULL;
    output = b->outputs[i].value;
  }
  return output;
}

/* The block, this one or further out, that a name is of, and how many levels out it is; NULL: none. */
static rdx_block *find_block(rdx_block *b, const char *qualifier, const char *name, found *f, uint32_t *level) {
  for (*level = 0; b; b = b->parent, ++*level) {
    find_name(b, qualifier, name, f);
    if (f->count > 0 || (qualifier && has_alias(b, qualifier)))
      break;
  }
  return b;
}

/* Names of a block that are read in subqueries of the one that is asked about, or of one around it, tell its owner. */
static void note_owner(rdx_aggregate_owner *o, const rdx_block *at) {
  uint32_t level = 0;
  for (const rdx_block *b = o->block; b && b != at; b = b->parent)
    level++;
  for (const rdx_block *b = o->block; b; b = b->parent)
    if (b == at && level < o->level)
      o->level = level;
}

/* What is bound at a block `level` levels out becomes a value here. */
static rdx_status bring_in(rdx_block *b, uint32_t level, rdx_bound **value) {
  outer o = {b->planner, level};
  RDX_TRY(rdx_bound_rewrite(b->planner, *value, outer_node, &o, value));
  for (; level > 0; b = b->parent, level--)
    b->outer_levels = b->outer_levels > level ? b->outer_levels : level;
  if (b->planner->owner)
    note_owner(b->planner->owner, b);
  return RDX_OK;
}

static rdx_status bind_name(rdx_block *block, const char *qualifier, const char *name, rdx_sql_place place,
                            rdx_bound **out) {
  uint32_t level = 0;
  found f = {0};
  rdx_block *at = find_block(block, qualifier, name, &f, &level);
  if (f.count == 0) {
    *out = qualifier ? NULL : find_output(block, name);
    return *out ? RDX_OK : no_name(block, qualifier, name, place);
  }
  if (f.count > 1)
    return rdx_planner_fail(block->planner, RDX_ERROR_ARGUMENT, place,
                            f.twice ? "give columns of a query names of their own with AS" : "write TABLE.COLUMN",
                            "column \"%.100s\" is ambiguous: %s", name,
                            f.twice ? "a relation has it twice" : "several tables have it");
  *out = f.value;
  if (!f.value)
    RDX_TRY(rdx_leaf_value(at, f.leaf, f.column, place, out));
  return level > 0 ? bring_in(block, level, out) : RDX_OK;
}

static rdx_status bind_parameter(rdx_block *b, const rdx_ast *ast, rdx_bound **out) {
  rdx_planner *p = b->planner;
  if (ast->number == 0 || ast->number > p->parameter_count)
    return rdx_planner_fail(p, RDX_ERROR_ARGUMENT, ast->place, NULL, "there is no parameter $%u", ast->number);
  *out = p->parameters[ast->number - 1];
  return RDX_OK;
}

/* ---- Aggregates ---- */

static const struct aggregate_name {
  const char *name;
  rdx_plan_aggregate_kind kind;
  bool truth; /* of booleans */
} aggregate_names[] = {
    {"count", RDX_PLAN_COUNT, false},
    {"sum", RDX_PLAN_SUM, false},
    {"avg", RDX_PLAN_AVG, false},
    {"min", RDX_PLAN_MIN, false},
    {"max", RDX_PLAN_MAX, false},
    {"bool_and", RDX_PLAN_MIN, true},
    {"every", RDX_PLAN_MIN, true},
    {"bool_or", RDX_PLAN_MAX, true},
    {"string_agg", RDX_PLAN_STRING_AGG, false},
    {"percentile_cont", RDX_PLAN_PERCENTILE_CONT, false},
    {"percentile_disc", RDX_PLAN_PERCENTILE_DISC, false},
    {"mode", RDX_PLAN_MODE, false},
    {"bit_and", RDX_PLAN_BIT_AND, false},
    {"bit_or", RDX_PLAN_BIT_OR, false},
    {"bit_xor", RDX_PLAN_BIT_XOR, false},
    {"rank", RDX_PLAN_RANK, false}, /* window functions, unless WITHIN GROUP stands behind them */
    {"dense_rank", RDX_PLAN_DENSE_RANK, false},
    {"percent_rank", RDX_PLAN_PERCENT_RANK, false},
    {"cume_dist", RDX_PLAN_CUME_DIST, false},
};

static const struct aggregate_name *find_aggregate(const rdx_ast *ast) {
  for (size_t i = 0; ast->kind == RDX_AST_CALL && i < RDX_COUNT(aggregate_names); i++)
    if (strcmp(aggregate_names[i].name, ast->name) == 0)
      return rdx_is_hypothetical(aggregate_names[i].kind) && !ast->within_group ? NULL : &aggregate_names[i];
  return NULL;
}

bool rdx_is_aggregate(const rdx_ast *ast) {
  return find_aggregate(ast) || (ast->kind == RDX_AST_CALL && rdx_find_statistic(ast->name));
}

bool rdx_orderings_equal(const rdx_plan_ordering *a, const rdx_plan_ordering *b, uint32_t count) {
  bool equal = true;
  for (uint32_t i = 0; i < count && equal; i++)
    equal = rdx_bound_equal(a[i].value, b[i].value) && a[i].descending == b[i].descending &&
            a[i].nulls_first == b[i].nulls_first;
  return equal;
}

static bool same_aggregate(const rdx_plan_aggregate *a, const rdx_plan_aggregate *b) {
  const bool equal = a->kind == b->kind && a->distinct == b->distinct && rdx_bound_same(a->value, b->value) &&
                     rdx_bound_same(a->argument, b->argument) && a->order_count == b->order_count;
  return equal && rdx_orderings_equal(a->orders, b->orders, a->order_count);
}

/* The aggregate's result as a column of the block's aggregate; the same one twice is calculated once. */
static rdx_status add_bound(rdx_block *b, rdx_plan_aggregate a, rdx_sql_place place, rdx_bound **out) {
  uint32_t i = 0;
  while (i < b->aggregate_count && !same_aggregate(&b->aggregates[i], &a))
    i++;
  if (i == b->aggregate_count) {
    RDX_TRY(rdx_planner_grow(b->planner, &b->aggregates, b->aggregate_count, &b->aggregate_capacity, sizeof a));
    b->aggregates[b->aggregate_count++] = a;
  }
  b->aggregating = true;
  return rdx_bind_column(b->planner, rdx_leaf_column(RDX_AGGREGATES_LEAF, i), a.type, place, out);
}

rdx_sql_type rdx_aggregate_type(rdx_plan_aggregate_kind kind, rdx_sql_type of) {
  const bool real = of.kind == RDX_SQL_REAL || of.kind == RDX_SQL_DOUBLE;
  switch (kind) {
  case RDX_PLAN_COUNT:
    return (rdx_sql_type){.kind = RDX_SQL_BIGINT};
  case RDX_PLAN_AVG:
    return real && !rdx_is_quotient(of) ? (rdx_sql_type){.kind = RDX_SQL_DOUBLE} : rdx_quotient_type();
  case RDX_PLAN_SUM:
    if (real)
      return (rdx_sql_type){.kind = RDX_SQL_DOUBLE, .precision = of.kind == RDX_SQL_DOUBLE ? of.precision : 0};
    if (of.kind == RDX_SQL_DECIMAL)
      return (rdx_sql_type){.kind = RDX_SQL_DECIMAL, .precision = 18, .scale = of.scale};
    return (rdx_sql_type){.kind = RDX_SQL_BIGINT, .precision = of.kind == RDX_SQL_BIGINT};
  default:
    return of;
  }
}

rdx_status rdx_add_aggregate(rdx_block *b, rdx_plan_aggregate_kind kind, rdx_bound *value, bool distinct,
                             rdx_sql_place place, rdx_bound **out) {
  const rdx_plan_aggregate a = {
      .kind = kind,
      .value = value,
      .distinct = distinct && kind != RDX_PLAN_MIN && kind != RDX_PLAN_MAX,
      .type = rdx_aggregate_type(kind, value ? value->type : (rdx_sql_type){RDX_SQL_BIGINT, 0, 0})};
  return add_bound(b, a, place, out);
}

rdx_status rdx_add_moment(rdx_block *b, rdx_bound *x, rdx_bound *y, rdx_sql_place place, rdx_bound **out) {
  const rdx_plan_aggregate a = {
      .kind = RDX_PLAN_MOMENT, .value = x, .argument = y, .type = rdx_aggregate_type(RDX_PLAN_AVG, x->type)};
  return add_bound(b, a, place, out);
}

rdx_status rdx_bind_filtered(rdx_block *b, const rdx_ast *ast, rdx_bound **values, uint32_t count) {
  rdx_bound *args[2] = {NULL, NULL};
  if (!ast->filter)
    return RDX_OK;
  args[0] = b->filter;
  if (!args[0])
    RDX_TRY(rdx_bind(b, ast->filter, &args[0]));
  for (uint32_t i = 0; i < count; i++) {
    args[1] = values[i];
    if (!args[1])
      RDX_TRY(rdx_bind_constant(&b->planner->binding, (rdx_sql_type){.kind = RDX_SQL_BOOL}, (rdx_datum){.i = 1},
                                ast->place, &args[1]));
    RDX_TRY(rdx_bind_call_of(b->planner, "case", args, 2, ast->place, &values[i]));
  }
  return RDX_OK;
}

/* Literals of no type become what the aggregate takes, or texts, before FILTER is in them. */
static rdx_status bind_unknown(rdx_block *b, const rdx_ast *ast, uint32_t count, rdx_bound **args) {
  const struct aggregate_name *which = find_aggregate(ast);
  const rdx_sql_type type = {.kind = count == 2 ? RDX_SQL_DOUBLE : which && which->truth ? RDX_SQL_BOOL : RDX_SQL_TEXT};
  for (uint32_t i = 0; i < count; i++)
    if (args[i]->type.kind == RDX_SQL_UNKNOWN)
      RDX_TRY(rdx_bind_cast(&b->planner->binding, args[i], type, true, ast->place, &args[i]));
  return RDX_OK;
}

/* The arguments, `count` of them, of an aggregate whose values may come in any order; of count(*) a NULL. */
static rdx_status bind_unordered(rdx_block *b, const rdx_ast *ast, uint32_t count, rdx_bound **args) {
  rdx_plan_aggregate ignored = {0}; /* the order */
  if (ast->within_group)
    return rdx_planner_fail(b->planner, RDX_ERROR_ARGUMENT, ast->place, NULL, "%s does not take WITHIN GROUP",
                            ast->name);
  if (ast->count != (ast->star ? 0 : count) || (ast->star && strcmp(ast->name, "count") != 0))
    return rdx_planner_fail(b->planner, RDX_ERROR_ARGUMENT, ast->place, NULL, "%s takes %s", ast->name,
                            count == 1 ? "one argument" : "two arguments");
  for (uint32_t i = 0; i < ast->count; i++)
    RDX_TRY(rdx_bind(b, ast->args[i], &args[i]));
  RDX_TRY(rdx_bind_orderings(b, ast, args, ast->count, &ignored));
  RDX_TRY(bind_unknown(b, ast, ast->count, args));
  return rdx_bind_filtered(b, ast, args, count);
}

/* The arguments of a statistic where that is not NULL, else what `out` is to be of. */
static rdx_status bind_arguments(rdx_block *b, const rdx_ast *ast, const rdx_statistic *statistic, rdx_bound **args,
                                 rdx_plan_aggregate *out) {
  rdx_planner *p = b->planner;
  if (b->clause)
    return rdx_planner_fail(p, RDX_ERROR_ARGUMENT, ast->place, NULL, "aggregates are not allowed in %s", b->clause);
  if (b->in_aggregate)
    return rdx_planner_fail(p, RDX_ERROR_ARGUMENT, ast->place, NULL, "aggregates cannot be in aggregates");
  const bool keeps = p->binding.keeps_all;
  const rdx_guard guard = {.call = "case", .args = &b->filter, .count = 1, .outside = b->guard};
  b->in_aggregate = true;
  p->binding.keeps_all = false;
  rdx_status status = ast->filter ? rdx_bind(b, ast->filter, &b->filter) : RDX_OK;
  if (b->filter)
    b->guard = &guard;
  if (status == RDX_OK)
    status = rdx_is_ordered(out) ? rdx_bind_ordered(b, ast, out)
                                 : bind_unordered(b, ast, statistic ? rdx_statistic_arguments(statistic) : 1, args);
  b->in_aggregate = false;
  b->guard = guard.outside;
  b->filter = NULL;
  p->binding.keeps_all = keeps;
  return status;
}

static rdx_status bind_statistic(rdx_block *b, const rdx_statistic *statistic, const rdx_ast *ast, rdx_bound **out) {
  rdx_plan_aggregate none = {0};
  rdx_bound *args[2] = {NULL, NULL};
  RDX_TRY(bind_arguments(b, ast, statistic, args, &none));
  return rdx_bind_statistic(b, ast, statistic, args, out);
}

static rdx_status bind_aggregate(rdx_block *b, const struct aggregate_name *which, const rdx_ast *ast,
                                 rdx_bound **out) {
  rdx_planner *p = b->planner;
  rdx_plan_aggregate bound = {.kind = which->kind};
  rdx_bound *value = NULL;
  RDX_TRY(bind_arguments(b, ast, NULL, &value, &bound));
  if (rdx_is_ordered(&bound)) {
    const rdx_sql_type type = bound.type;
    bound.type.kind = rdx_is_of_bits(bound.kind) ? RDX_SQL_BIGINT : type.kind;
    RDX_TRY(add_bound(b, bound, ast->place, out));
    return rdx_bind_cast(&p->binding, *out, type, true, ast->place, out);
  }
  const rdx_sql_kind kind = value ? value->type.kind : RDX_SQL_BOOL;
  const bool numbers = which->kind == RDX_PLAN_SUM || which->kind == RDX_PLAN_AVG;
  if (kind == RDX_SQL_INTERVAL && numbers)
    return rdx_bind_interval_sum(b, ast, which->kind == RDX_PLAN_AVG, value, out);
  if (kind == RDX_SQL_INTERVAL && which->kind != RDX_PLAN_COUNT) {
    RDX_TRY(rdx_bind_interval_extreme(b, which->kind == RDX_PLAN_MAX, value, &bound));
    return add_bound(b, bound, ast->place, out);
  }
  char text[32];
  if ((numbers && !rdx_is_number(rdx_type_of_kind(kind))) || (which->truth && kind != RDX_SQL_BOOL))
    return rdx_planner_fail(p, RDX_ERROR_ARGUMENT, ast->place, NULL, "there is no %s(%s)", which->name,
                            rdx_sql_type_text(value->type, text));
  return rdx_add_aggregate(b, which->kind, value, ast->distinct, ast->place, out);
}

/* The innermost block whose columns an aggregate reads; those that subqueries read are told by binding these. */
static rdx_status find_owner(rdx_block *b, const rdx_ast *ast, bool subqueries, rdx_aggregate_owner *o) {
  uint32_t level = 0;
  found f = {0};
  rdx_bound_query *q = NULL;
  if (ast->query && subqueries)
    RDX_TRY(rdx_bind_query(b->planner, b, b->ctes, ast->query, &q));
  if (ast->kind == RDX_AST_COLUMN && (!find_block(b, ast->qualifier, ast->name, &f, &level) || level < o->level))
    o->level = f.count > 0 ? level : 0;
  for (uint32_t i = 0; i < ast->count; i++)
    RDX_TRY(find_owner(b, ast->args[i], subqueries, o));
  for (uint32_t i = 0; i < ast->order_count; i++)
    RDX_TRY(find_owner(b, ast->orders[i].value, subqueries, o));
  return ast->filter ? find_owner(b, ast->filter, subqueries, o) : RDX_OK;
}

static rdx_status find_subquery_owner(rdx_block *b, const rdx_ast *ast, rdx_aggregate_owner *o) {
  rdx_planner *p = b->planner;
  if (p->owner) /* each level would be bound twice as often as the one around it */
    return rdx_block_refuse(b, ast->place,
                            "an aggregate with a subquery within a subquery of an aggregate is not supported");
  const uint32_t levels = b->outer_levels;
  p->owner = o;
  const rdx_status status = find_owner(b, ast, true, o);
  p->owner = NULL;
  b->outer_levels = levels;
  return status;
}

/* An aggregate, or grouping(), that reads columns of blocks further out alone is of the innermost of them. */
static rdx_status bind_outer_aggregate(rdx_block *b, const rdx_ast *ast, bool *done, rdx_bound **out) {
  rdx_aggregate_owner o = {.block = b, .level = UINT32_MAX};
  rdx_block *at = b;
  RDX_TRY(find_owner(b, ast, false, &o));
  const bool subquery = o.level > 0 && b->parent && rdx_has_subquery(ast);
  if (subquery)
    RDX_TRY(find_subquery_owner(b, ast, &o));
  *done = o.level > 0 && o.level < UINT32_MAX;
  if (!*done)
    return RDX_OK;
  for (uint32_t i = 0; i < o.level; i++)
    at = at->parent;
  if (subquery && at->ctes != b->ctes)
    return rdx_block_refuse(b, ast->place, "an aggregate of outer columns with a subquery cannot stand behind WITH");
  RDX_TRY(rdx_bind(at, ast, out));
  return bring_in(b, o.level, out);
}

/* ---- All of it ---- */

/* Whether the first argument may decide that others are not looked at. */
static bool stops_early(const char *name) {
  return strcmp(name, "case") == 0 || strcmp(name, "and") == 0 || strcmp(name, "or") == 0 ||
         strcmp(name, "coalesce") == 0;
}

static rdx_status bind_call(rdx_block *b, const rdx_ast *ast, rdx_bound **out) {
  rdx_bound **args = NULL;
  const struct aggregate_name *aggregate = find_aggregate(ast);
  const rdx_statistic *statistic = rdx_find_statistic(ast->name);
  bool done = false;
  if (ast->over)
    return rdx_bind_window(b, ast, out);
  if (aggregate || statistic || strcmp(ast->name, "grouping") == 0)
    RDX_TRY(bind_outer_aggregate(b, ast, &done, out));
  if (done)
    return RDX_OK;
  if (aggregate)
    return bind_aggregate(b, aggregate, ast, out);
  if (statistic)
    return bind_statistic(b, statistic, ast, out);
  if (strcmp(ast->name, "grouping") == 0)
    return rdx_bind_grouping(b, ast, out);
  if (ast->within_group)
    return rdx_planner_fail(b->planner, RDX_ERROR_UNSUPPORTED, ast->place, NULL,
                            "%.60s(...) WITHIN GROUP is not supported", ast->name);
  if (rdx_is_window_function(ast->name))
    return rdx_planner_fail(b->planner, RDX_ERROR_ARGUMENT, ast->place, NULL, "window function %.60s needs OVER",
                            ast->name);
  if ((strcmp(ast->name, "random") == 0 && ast->count == 0) || strcmp(ast->name, "random row") == 0)
    return rdx_bind_random(b, ast, out);
  if (strcmp(ast->name, "setseed") == 0)
    return rdx_planner_fail(b->planner, RDX_ERROR_UNSUPPORTED, ast->place, "SET seed = 0.5 does it",
                            "setseed() is not supported");
  if (ast->star || ast->distinct || ast->filter || ast->order_count > 0)
    return rdx_planner_fail(b->planner, RDX_ERROR_ARGUMENT, ast->place, NULL, "%.60s is not an aggregate", ast->name);
  RDX_TRY(rdx_planner_alloc(b->planner, ast->count, sizeof *args, &args));
  rdx_guard guard = {.call = ast->name, .args = args, .outside = b->guard};
  rdx_status status = RDX_OK;
  for (; guard.count < ast->count && status == RDX_OK; guard.count++) {
    b->guard = guard.count > 0 && stops_early(ast->name) ? &guard : guard.outside;
    status = rdx_bind(b, ast->args[guard.count], &args[guard.count]);
  }
  b->guard = guard.outside;
  return status == RDX_OK ? rdx_bind_call_of(b->planner, ast->name, args, ast->count, ast->place, out) : status;
}

static rdx_status bind_node(rdx_block *b, const rdx_ast *ast, rdx_bound **out) {
  rdx_bound *value = NULL;
  switch (ast->kind) {
  case RDX_AST_COLUMN:
    return bind_name(b, ast->qualifier, ast->name, ast->place, out);
  case RDX_AST_STAR:
    return rdx_planner_fail(b->planner, RDX_ERROR_ARGUMENT, ast->place,
                            "name columns; count(*) counts rows, count(t.id) those that an outer join has found",
                            "* cannot stand here");
  case RDX_AST_NULL:
  case RDX_AST_BOOL:
  case RDX_AST_NUMBER:
  case RDX_AST_STRING:
    return rdx_bind_literal(&b->planner->binding, ast, out);
  case RDX_AST_PARAMETER:
    return bind_parameter(b, ast, out);
  case RDX_AST_CALL:
    return bind_call(b, ast, out);
  case RDX_AST_CAST:
    RDX_TRY(rdx_bind(b, ast->args[0], &value));
    return rdx_bind_written_cast(&b->planner->binding, ast, value, out);
  default:
    return b->planner->catalog
               ? rdx_bind_subquery(b, ast, out)
               : rdx_planner_fail(b->planner, RDX_ERROR_UNSUPPORTED, ast->place, NULL, "a subquery cannot stand here");
  }
}

rdx_status rdx_bind(rdx_block *b, const rdx_ast *ast, rdx_bound **out) {
  rdx_written *written = rdx_find_written(b, ast);
  if (written && written->value) {
    *out = written->value;
    return RDX_OK;
  }
  RDX_TRY(bind_node(b, ast, out));
  if (written)
    written->value = *out;
  return RDX_OK;
}

rdx_status rdx_bind_condition(rdx_block *b, const rdx_ast *ast, const char *clause, rdx_bound **out) {
  const char *before = b->clause;
  char text[32];
  b->clause = clause;
  const rdx_status status = rdx_bind(b, ast, out);
  b->clause = before;
  RDX_TRY(status);
  if ((*out)->type.kind == RDX_SQL_UNKNOWN)
    return rdx_bind_cast(&b->planner->binding, *out, (rdx_sql_type){.kind = RDX_SQL_BOOL}, false, ast->place, out);
  if ((*out)->type.kind != RDX_SQL_BOOL)
    return rdx_planner_fail(b->planner, RDX_ERROR_ARGUMENT, ast->place, NULL, "this must be boolean, and is %s",
                            rdx_sql_type_text((*out)->type, text));
  return RDX_OK;
}
