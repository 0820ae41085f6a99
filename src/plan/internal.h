/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_PLAN_INTERNAL_H
#define RDX_PLAN_INTERNAL_H

/* How a query becomes a plan: its names are bound block by block (bind.c, from.c, subquery.c), then each block's
 * relations are joined in a good order (joins.c) and what comes after is put on top (query.c). */

#include "cost/cost.h"
#include "expression/types.h"
#include "plan/plan.h"

/* ---- Columns while a block is planned ---- */

/* A column of a block is named by its leaf and its number there. */
#define RDX_LEAF_BITS 16
#define RDX_ROWS_LEAF 0xfff9u       /* numbers of rows that are joined to first ones, by the leaf of these */
#define RDX_GROUPINGS_LEAF 0xfffau  /* calls of grouping() */
#define RDX_FIRSTS_LEAF 0xfffbu     /* places of rows among those of their group with an equal value, by number */
#define RDX_CONSTANTS_LEAF 0xfffcu  /* constants in GROUPING SETS, by number of what is written */
#define RDX_WINDOWS_LEAF 0xfffeu    /* its window functions */
#define RDX_AGGREGATES_LEAF 0xffffu /* its aggregates */
#define RDX_MAX_LEAVES 60           /* of a block: sets of leaves are bits */

static inline uint32_t rdx_leaf_column(uint32_t leaf, uint32_t column) {
  return leaf << RDX_LEAF_BITS | column;
}
static inline uint32_t rdx_leaf_of(uint32_t index) {
  return index >> RDX_LEAF_BITS;
}
static inline uint32_t rdx_column_of(uint32_t index) {
  return index & ((1u << RDX_LEAF_BITS) - 1);
}

typedef struct rdx_conjuncts {
  rdx_bound **list;
  uint32_t count, capacity;
} rdx_conjuncts;

/* A relation of a block: a table, a query in FROM, or a subquery of an expression. */
typedef struct rdx_leaf {
  const char *alias; /* NULL: of a subquery of an expression, which has no name */
  rdx_catalog_table *table;
  rdx_plan_node *plan; /* where it is no table */
  /* A query in FROM, until rdx_build_queries() makes `plan` of it; `view`: the name of the one that it is, or NULL */
  struct rdx_bound_query *query;
  const rdx_from *from;
  const char *view;
  uint32_t column_count, named; /* named: how many columns, the first ones, have names */
  const char **names;
  rdx_sql_type *types;
  bool *used;     /* columns that the block reads */
  bool numbered;  /* the number of the row is one more column, `column_count` */
  bool countable; /* it can be */
  rdx_bound *
      *values; /* of LATERAL: what names stand for, over the block's columns; NULL: for the columns. So are all */
} rdx_leaf;

/* Rows of a leaf that belong to another row as `pairs` say: of these the first ones are joined to it. */
typedef struct rdx_first_rows {
  uint32_t leaf;
  rdx_conjuncts pairs;
  const rdx_plan_order *orders; /* by columns of the leaf */
  uint32_t order_count;
  rdx_bound *limit, *offset; /* NULL: none */
  bool ties;
} rdx_first_rows;

/* Leaves that are joined by all their conjuncts, in any order. */
typedef struct rdx_group {
  struct rdx_item *items;
  uint32_t count, capacity;
  rdx_conjuncts conjuncts;
  uint64_t dependents; /* leaves of subqueries that are joined to it, before what it is a side of */
  /* It is a leaf alone, to be the right side of a LEFT JOIN: of first rows, or of a series whose ends are exprs */
  rdx_first_rows *first;
  rdx_plan_node *series;
} rdx_group;

/* A leaf, or an outer join of two groups, or one with first rows. */
typedef struct rdx_item {
  uint64_t leaves;
  bool outer;
  uint32_t leaf;
  rdx_plan_join join; /* LEFT or FULL; of first rows INNER, too */
  rdx_group *left, *right;
  rdx_first_rows *first; /* NULL: all that `on` matches */
  rdx_plan_node *series; /* NULL: it is no series that reads columns of the left side */
  rdx_conjuncts on;
} rdx_item;

/* A subquery that is joined to the block's relations: a value for each row (LEFT, SINGLE), or which rows stay. */
typedef struct rdx_dependent {
  uint32_t leaf;
  rdx_plan_join join;
  rdx_bound **outer_keys; /* of the block */
  rdx_bound **inner_keys; /* columns of the leaf */
  uint32_t key_count;
  uint32_t correlated;  /* how many keys, the first ones, the subquery groups by: 0 where it does not aggregate */
  rdx_conjuncts filter; /* over the block's and the leaf's columns */
  rdx_conjuncts gates;  /* conditions over the block's columns alone that hold where a key is evaluated */
  uint64_t needs;       /* leaves that keys and filter read, its own aside */
  bool attached;        /* to a group of an outer join: see rdx_group */
  /* What is asked of each row about the rows of the subquery that keys and filter match; answers are more columns of
   * the leaf, behind its own, and take the place of these. Either whether `compared` is true for one: RDX_MARK_TRUE,
   * else RDX_MARK_NULL where it is NULL for one, else NULL. Or aggregates over them, all NULL where there is none. */
  rdx_bound *compared;
  bool unlike; /* asked is instead whether NOT IN keeps the row: then it is RDX_MARK_TRUE. `compared` is true */
  rdx_plan_aggregate *aggregates;
  uint32_t aggregate_count;
} rdx_dependent;

static inline bool rdx_is_asked(const rdx_dependent *d) {
  return d->compared || d->aggregate_count > 0;
}

static inline bool rdx_keeps_rows(const rdx_dependent *d) {
  return d->join == RDX_PLAN_SEMI || d->join == RDX_PLAN_ANTI || d->join == RDX_PLAN_ANTI_NULL;
}

#define RDX_MARK_NULL 1
#define RDX_MARK_TRUE 2

/* USING (name): what the name alone stands for. */
typedef struct rdx_merged {
  const char *name;
  rdx_bound *value;
  uint32_t left, right; /* the columns, by leaf */
  const rdx_from *join;
  uint64_t leaves; /* of the join: * has it before the columns of the first one */
} rdx_merged;

typedef struct rdx_cte {
  const char *name;
  const rdx_sql_cte *written;
  rdx_plan_node *plan;           /* NULL: one place reads it, and plans it, */
  struct rdx_bound_query *query; /* which is this one, until it does */
  struct rdx_block *parent;
  uint32_t uses;
  struct rdx_cte *before; /* the ones that it sees */
} rdx_cte;

/* A view whose query is being bound, and the one that reads it. */
typedef struct rdx_open_view {
  const char *name;
  uint32_t levels; /* of its tree and those of the views that it is in */
  const struct rdx_open_view *outside;
} rdx_open_view;

/* Rows of a table that a filter leaves, as far as a sample tells. */
typedef struct rdx_sample {
  const rdx_catalog_table *table;
  const uint32_t *columns;
  uint32_t column_count;
  const rdx_bound *filter;
  double rows;
  double read; /* rows of the blocks that the filter has to look at */
} rdx_sample;

/* The innermost of a block and those around it whose columns an aggregate of the block reads. */
typedef struct rdx_aggregate_owner {
  const struct rdx_block *block;
  uint32_t level; /* how many levels out it is; UINT32_MAX: it reads none */
} rdx_aggregate_owner;

typedef struct rdx_planner {
  rdx_catalog *catalog;
  const rdx_settings *settings;
  rdx_arena *arena;
  const char *text;
  uint32_t levels; /* of the statement */
  bool *is_deeper; /* as rdx_query_text has it */
  rdx_error *err;
  rdx_binding binding;
  rdx_bound **parameters;           /* one for each $n */
  uint32_t parameter_count, values; /* values: with those of scalars */
  rdx_query_plan *plan;
  uint32_t scalar_capacity;
  rdx_catalog_table **tables; /* to release: the plan's */
  uint32_t table_count, table_capacity, column_capacity;
  const rdx_open_view *view; /* that is bound; NULL: the statement itself */
  bool named_view;           /* the error names the view that it is in */
  bool in_cube;              /* the definition of a cube is bound, which reads tables */
  uint32_t view_capacity;
  rdx_calibration rates; /* of the device */
  rdx_calibration host;  /* of the host's threads beside a GPU, which join and group few rows */
  bool has_host;         /* there are such */
  bool on_cpu;           /* the device is a CPU */
  uint32_t threads;      /* that share the work of a CPU; else 1 */
  uint64_t random;       /* what random() of this plan is made of, */
  uint32_t randoms;      /* how many calls it has */
  uint32_t next_ref;     /* of what is built the column that may be asked for next, as they mostly are in their order */
  struct rdx_block *beside;   /* that a query without LATERAL stands in FROM of; NULL: none */
  const rdx_sql_query *with;  /* whose queries of WITH are bound; NULL: none */
  rdx_aggregate_owner *owner; /* that is looked for; NULL: none */
  uint32_t recursions;        /* recursive queries whose second part is bound */
  rdx_sample *samples;
  uint32_t sample_count, sample_capacity;
} rdx_planner;

/* The query reads what is stored, which has so many levels. */
RDX_MUST_USE rdx_status rdx_planner_deepen(rdx_planner *planner, uint32_t levels);

/* A target, or what is sorted by. */
typedef struct rdx_output {
  const char *name;
  rdx_bound *value;
} rdx_output;

/* An expression that is told by how it is written. */
typedef struct rdx_written {
  const rdx_ast *ast;
  rdx_bound *value;    /* what stands wherever it is written so; NULL: a subquery that is not bound yet */
  rdx_bound *constant; /* in GROUPING SETS: `value` is its column */
} rdx_written;

/* grouping(...): its arguments are to be groups. */
typedef struct rdx_grouping_call {
  rdx_bound **args;
  uint32_t count;
} rdx_grouping_call;

/* The arguments of CASE, AND, OR or COALESCE that are bound: they decide for which rows the next one is evaluated. */
typedef struct rdx_guard {
  const char *call;
  rdx_bound *const *args;
  uint32_t count;
  const struct rdx_guard *outside; /* that this one stands in; NULL: none */
} rdx_guard;

/* A SELECT while it is bound. */
typedef struct rdx_block {
  rdx_planner *planner;
  struct rdx_block *parent;
  rdx_cte *ctes;
  rdx_leaf *leaves;
  uint32_t leaf_count, leaf_capacity;
  rdx_group from;
  bool pulled;       /* rdx_pull_queries() has seen it */
  uint32_t nullable; /* how many outer joins may fill what is bound with NULL */
  uint64_t scope;    /* leaves that a name may be of, while ON is bound; 0: all */
  bool numbers;      /* relations of FROM get numbers of rows */
  rdx_merged *merged;
  uint32_t merged_count, merged_capacity;
  rdx_dependent *dependents;
  uint32_t dependent_count, dependent_capacity;
  rdx_conjuncts correlations; /* conjuncts of WHERE that read the parent's columns */
  uint32_t outer_levels;      /* how many levels out names were found: 0: none */
  bool aggregating;           /* it has groups or aggregates */
  bool in_aggregate;          /* the argument of one is bound, */
  bool in_window, in_having;  /* of a window function; HAVING */
  bool in_order;              /* ORDER BY */
  const rdx_guard *guard;     /* of what is bound, which some rows only may ask for; NULL: all do */
  rdx_bound *filter;          /* of the aggregate whose arguments are bound, or NULL */
  const char *clause;         /* where aggregates are refused: "WHERE"; NULL: they are welcome */
  rdx_bound **groups;
  rdx_bound **named_groups; /* as the list and HAVING name them: by columns of queries that became a part of it */
  uint32_t group_count;
  rdx_plan_aggregate *aggregates;
  uint32_t aggregate_count, aggregate_capacity;
  rdx_plan_window *windows;
  uint32_t window_count, window_capacity;
  uint32_t unused_windows; /* behind them, which WINDOW defines: they have to be right */
  rdx_conjuncts firsts;    /* values whose equal ones in their group are numbered by a column of its rows */
  rdx_bound *having;
  bool qualify;        /* the last output is QUALIFY's condition */
  rdx_output *outputs; /* `visible` targets, then what is only sorted by */
  uint32_t output_count, output_capacity, visible;
  bool distinct;
  uint32_t *distinct_on; /* outputs: of rows that have these in common the first one stays */
  uint32_t distinct_on_count;
  rdx_written *written;
  uint32_t written_count, written_capacity;
  bool no_star; /* its aggregate is a plain one: what it reads may be reduced */
  /* GROUPING SETS: for each set which groups it has; NULL: one, of all */
  bool *sets;
  uint32_t set_count;
  rdx_grouping_call *groupings;
  uint32_t grouping_count, grouping_capacity;
} rdx_block;

/* A query while it is planned. */
typedef struct rdx_bound_query {
  const rdx_sql_query *written;
  rdx_block *block;                     /* SELECT */
  struct rdx_bound_query *left, *right; /* set operations */
  rdx_plan_node *working;               /* of a recursive one */
  bool once;                            /* which one place reads */
  rdx_bound **values;                   /* VALUES */
  uint32_t row_count;
  uint32_t column_count;
  rdx_plan_column *columns; /* of the result */
  rdx_plan_order *orders;   /* by outputs */
  uint32_t order_count;
  rdx_bound *limit, *offset;
  bool ties;
  uint32_t outer_levels;
} rdx_bound_query;

/* ---- Memory and messages ---- */

RDX_MUST_USE rdx_status rdx_planner_alloc(rdx_planner *p, uint64_t count, size_t size, void *out);
/* Room for one more in an array of the arena; it doubles. */
RDX_MUST_USE rdx_status rdx_planner_grow(rdx_planner *p, void *array, uint32_t count, uint32_t *capacity, size_t size);
rdx_status rdx_planner_fail(const rdx_planner *p, rdx_status status, rdx_sql_place place, const char *hint,
                            const char *format, ...) RDX_PRINTF(5, 6);
/* What is not supported. */
rdx_status rdx_block_refuse(const rdx_block *block, rdx_sql_place place, const char *what);
RDX_MUST_USE rdx_status rdx_planner_node(rdx_planner *p, rdx_plan_kind kind, rdx_plan_node *left, rdx_plan_node *right,
                                         rdx_plan_node **out);

/* ---- Expressions (bind.c) ---- */

RDX_MUST_USE rdx_status rdx_bind(rdx_block *block, const rdx_ast *ast, rdx_bound **out);
/* The same, and it must be BOOL. */
/* A call of random() (random.c). */
RDX_MUST_USE rdx_status rdx_bind_random(rdx_block *block, const rdx_ast *ast, rdx_bound **out);
RDX_MUST_USE rdx_status rdx_bind_condition(rdx_block *block, const rdx_ast *ast, const char *clause, rdx_bound **out);
RDX_MUST_USE rdx_status rdx_bind_column(rdx_planner *p, uint32_t index, rdx_sql_type type, rdx_sql_place place,
                                        rdx_bound **out);
RDX_MUST_USE rdx_status rdx_bind_call_of(rdx_planner *p, const char *name, rdx_bound *const *args, uint32_t count,
                                         rdx_sql_place place, rdx_bound **out);
/* The same of one argument, or (`right` not NULL) two. */
RDX_MUST_USE rdx_status rdx_bind_pair(rdx_block *block, const char *name, rdx_bound *left, rdx_bound *right,
                                      rdx_sql_place place, rdx_bound **out);

/* Whether a call is that of an aggregate. */
bool rdx_is_aggregate(const rdx_ast *ast);
bool rdx_has_subquery(const rdx_ast *ast);
/* Each value becomes CASE WHEN filter THEN value END, where FILTER is written; values may be NULL. */
RDX_MUST_USE rdx_status rdx_bind_filtered(rdx_block *block, const rdx_ast *ast, rdx_bound **values, uint32_t count);
/* An aggregate that may be of values in any order, as a column of the block's aggregate. */
RDX_MUST_USE rdx_status rdx_add_aggregate(rdx_block *block, rdx_plan_aggregate_kind kind, rdx_bound *value,
                                          bool distinct, rdx_sql_place place, rdx_bound **out);
/* The co-moment of two values in the same way. */
RDX_MUST_USE rdx_status rdx_add_moment(rdx_block *block, rdx_bound *x, rdx_bound *y, rdx_sql_place place,
                                       rdx_bound **out);
/* What ORDER BY in an aggregate sorts by, and with DISTINCT the arguments (ordered.c). */
RDX_MUST_USE rdx_status rdx_bind_orderings(rdx_block *block, const rdx_ast *ast, rdx_bound *const *args, uint32_t count,
                                           rdx_plan_aggregate *out);
/* The value of bit_and and so on, as BIGINT: an integer, whose type the result is to have. */
RDX_MUST_USE rdx_status rdx_bind_bits(rdx_block *block, const rdx_ast *ast, rdx_bound **value);
/* An aggregate of values in order, of out->kind (ordered.c). */
RDX_MUST_USE rdx_status rdx_bind_ordered(rdx_block *block, const rdx_ast *ast, rdx_plan_aggregate *out);
/* The type of an aggregate of values of a type. */
rdx_sql_type rdx_aggregate_type(rdx_plan_aggregate_kind kind, rdx_sql_type of);

/* ---- Statistics (statistics.c) ---- */

/* What stddev, corr and so on are, of groups and of frames. */
typedef struct rdx_statistic rdx_statistic;

const rdx_statistic *rdx_find_statistic(const char *name); /* NULL: it is none */
uint32_t rdx_statistic_arguments(const rdx_statistic *statistic);
/* Of arguments that are bound, filtered by FILTER; a frame's where the call has OVER. */
RDX_MUST_USE rdx_status rdx_bind_statistic(rdx_block *block, const rdx_ast *ast, const rdx_statistic *statistic,
                                           rdx_bound *const *args, rdx_bound **out);

/* ---- Aggregates of intervals (intervals.c) ---- */

/* What an interval is sorted by takes its place; other values stay. */
RDX_MUST_USE rdx_status rdx_bind_span(rdx_planner *planner, rdx_bound **value);
/* sum, or avg, of groups, and of frames where the call has OVER. */
RDX_MUST_USE rdx_status rdx_bind_interval_sum(rdx_block *block, const rdx_ast *ast, bool average, rdx_bound *value,
                                              rdx_bound **out);
/* min or max. */
RDX_MUST_USE rdx_status rdx_bind_interval_extreme(rdx_block *block, bool max, rdx_bound *value,
                                                  rdx_plan_aggregate *out);

typedef rdx_status (*rdx_value_fn)(void *user, rdx_bound *value, rdx_bound **out);

/* ---- Window functions (windows.c) ---- */

/* Whether a name is that of a function which stands with OVER only. */
bool rdx_is_window_function(const char *name);
RDX_MUST_USE rdx_status rdx_bind_window(rdx_block *block, const rdx_ast *ast, rdx_bound **out);
/* An aggregate of one value, or of two, over the frames of a call. */
RDX_MUST_USE rdx_status rdx_add_frame(rdx_block *block, const rdx_ast *ast, rdx_plan_window_kind kind,
                                      rdx_bound *const values[2], rdx_bound **out);
/* The first row by these orders of those that are equal in the outputs of DISTINCT ON: `*below` has all outputs. */
RDX_MUST_USE rdx_status rdx_build_distinct_on(rdx_block *block, const rdx_plan_order *orders, uint32_t count,
                                              rdx_plan_node **below);
/* The first rows, by these orders, of those that are equal in the outputs `partition`: `limit` after `offset`, each of
 * which may be NULL (first.c). */
typedef struct rdx_top {
  uint32_t *partition;
  uint32_t partition_count;
  const rdx_plan_order *orders;
  uint32_t order_count;
  rdx_bound *limit, *offset;
  bool ties; /* then without offset */
} rdx_top;

RDX_MUST_USE rdx_status rdx_build_top(rdx_planner *p, const rdx_top *top, rdx_plan_node **below);
/* What they read becomes what `fn` makes of it. */
RDX_MUST_USE rdx_status rdx_windows_rewrite(rdx_block *block, rdx_value_fn fn, void *user);
/* The block's window functions, if it has any, over the rows below; its outputs then read them. */
/* Whether an expression reads a window function. */
bool rdx_reads_windows(const rdx_bound *e);
RDX_MUST_USE rdx_status rdx_build_windows(rdx_block *block, rdx_plan_node **below);

/* ---- Expressions that are told by how they are written (written.c) ---- */

/* Subqueries of GROUP BY or DISTINCT, and constants of GROUPING SETS (`sets`): what is written like one is the same
 * from then on. */
RDX_MUST_USE rdx_status rdx_note_written(rdx_block *block, const rdx_sql_query *query, bool sets);
/* The expression that a grouping expression stands for, as it is written; NULL: it cannot be told (query.c). */
const rdx_ast *rdx_group_written(const rdx_block *block, const rdx_sql_query *query, const rdx_ast *ast);
rdx_written *rdx_find_written(const rdx_block *block, const rdx_ast *ast); /* NULL: none */
/* The value of a group over the rows below: of a constant's column the constant. */
rdx_bound *rdx_constant_of_group(const rdx_block *block, rdx_bound *group);

/* ---- grouping() (grouping.c) ---- */

/* As a column of the block's groupings. */
RDX_MUST_USE rdx_status rdx_bind_grouping(rdx_block *block, const rdx_ast *ast, rdx_bound **out);
/* What one is in a grouping set, of which `wanted` says the groups; NULL: it has all. */
RDX_MUST_USE rdx_status rdx_grouping_value(rdx_block *block, uint32_t number, const bool *wanted, rdx_bound **out);

/* ---- Trees (tree.c) ---- */

typedef rdx_status (*rdx_rewrite_fn)(void *user, rdx_bound *node, rdx_bound **out);
/* A copy where `fn` may replace nodes, from the root on: it sets `*out` to what stands instead, or leaves it NULL. */
RDX_MUST_USE rdx_status rdx_bound_rewrite(rdx_planner *p, rdx_bound *node, rdx_rewrite_fn fn, void *user,
                                          rdx_bound **out);
uint64_t rdx_bound_leaves(const rdx_bound *node);  /* leaves that it reads, as bits */
uint64_t rdx_group_leaves(const rdx_group *group); /* and that are in a group */
/* Whether it is a constant, or a parameter of the statement's own. */
bool rdx_is_known(const rdx_planner *p, const rdx_bound *e);
/* All that aggregates read becomes what `fn` makes of it; their lists are copied. */
RDX_MUST_USE rdx_status rdx_aggregates_rewrite(rdx_planner *p, rdx_plan_aggregate *list, uint32_t count,
                                               rdx_value_fn fn, void *user);
uint64_t rdx_aggregates_leaves(const rdx_plan_aggregate *list, uint32_t count);
/* Whether an expression is NULL, or a condition is not true, wherever all columns of `leaves` are NULL; UINT64_MAX: all
 * columns there are, aggregates included (outer.c). */
bool rdx_bound_is_strict(const rdx_bound *e, uint64_t leaves);
bool rdx_bound_rejects(const rdx_bound *condition, uint64_t leaves);
RDX_MUST_USE rdx_status rdx_conjuncts_add(rdx_planner *p, rdx_conjuncts *list, rdx_bound *conjunct);
/* Add the parts of a condition that must all hold; what all branches of an OR have in common is a part of its own, and
 * so is what they say together of one leaf. */
RDX_MUST_USE rdx_status rdx_conjuncts_split(rdx_planner *p, rdx_conjuncts *list, rdx_bound *condition);
/* All of them under one AND; NULL for none. */
RDX_MUST_USE rdx_status rdx_conjuncts_join(rdx_planner *p, const rdx_conjuncts *list, rdx_bound **out);

/* ---- FROM (from.c) ---- */

RDX_MUST_USE rdx_status rdx_bind_from(rdx_block *block, const rdx_sql_query *query);
/* Which of the columns that USING made stand before those of a leaf in *: of joins that begin with it, the outer ones
 * first. */
RDX_MUST_USE rdx_status rdx_merged_before(rdx_block *block, uint32_t leaf, uint32_t **out, uint32_t *count);
/* What a name without a qualifier stands for among them, if it begins with one of `leaves`: of the outermost join;
 * NULL: nothing. The number of joins that it could be of is returned. */
uint32_t rdx_merged_find(const rdx_block *block, uint64_t leaves, const char *name, bool exact, rdx_bound **out);
/* Whether a column stands for nothing by itself, as USING has it. */
bool rdx_is_merged(const rdx_block *block, uint32_t index);
/* What a name in FROM stands for. */
RDX_MUST_USE rdx_status rdx_bind_relation(rdx_block *block, const rdx_from *from, rdx_leaf *out);
/* One more relation of a group of the block. */
RDX_MUST_USE rdx_status rdx_block_add_relation(rdx_block *block, rdx_leaf leaf, rdx_sql_place place, rdx_group *group);
/* An item of FROM; two groups as a LEFT JOIN. */
RDX_MUST_USE rdx_status rdx_bind_from_item(rdx_block *block, const rdx_from *from, rdx_group *group);
RDX_MUST_USE rdx_status rdx_block_left_join(rdx_block *block, rdx_group *left, rdx_group *right, rdx_conjuncts on);
RDX_MUST_USE rdx_status rdx_block_add_leaf(rdx_block *block, rdx_leaf leaf, uint32_t *out, rdx_sql_place place);
/* What the name of a column of a leaf stands for. */
RDX_MUST_USE rdx_status rdx_leaf_value(rdx_block *block, uint32_t leaf, uint32_t column, rdx_sql_place place,
                                       rdx_bound **out);
/* A leaf that is a plan's result. */
RDX_MUST_USE rdx_status rdx_leaf_of_plan(rdx_planner *p, rdx_plan_node *plan, const char *alias, rdx_leaf *out);
/* A leaf that is a query's result: it is planned later. */
RDX_MUST_USE rdx_status rdx_leaf_of_query(rdx_planner *p, rdx_bound_query *query, const rdx_from *from,
                                          const char *alias, rdx_leaf *out);

/* How many places of a query name a table or a query of WITH so; what has several parents counts for each
 * (reads.c). */
uint32_t rdx_count_reads(const rdx_sql_query *query, const char *name);
/* Where a recursive query reads itself and must not: "within a subquery"; NULL: nowhere. */
const char *rdx_find_misread(const rdx_sql_query *query, const char *name);

/* ---- WITH RECURSIVE (recursive.c) ---- */

/* A query of WITH that reads itself; `once`: one place reads it. */
RDX_MUST_USE rdx_status rdx_bind_recursive(rdx_planner *p, rdx_block *parent, rdx_cte *ctes, const rdx_sql_cte *written,
                                           bool once, rdx_bound_query **out);
/* The plan of left and right, which are of its columns. */
RDX_MUST_USE rdx_status rdx_build_recursive(rdx_planner *p, const rdx_bound_query *query, rdx_plan_node *left,
                                            rdx_plan_node *right, rdx_plan_node **out);
/* The first rows are enough: of a plan that only lists what a recursive one gives. */
void rdx_limit_recursive(const rdx_bound_query *query, rdx_plan_node *below);

/* ---- Conditions that go down (push.c) ---- */

/* The block's queries in FROM become plans, with the conditions of the block that can be theirs. */
RDX_MUST_USE rdx_status rdx_build_queries(rdx_block *block);

/* A FILTER that all aggregates of the block's rows have becomes a condition of these. */
RDX_MUST_USE rdx_status rdx_push_filters(rdx_block *block);

/* Whether the value of an expression, or of one with equal values, is there in any row. */
bool rdx_cannot_fail(const rdx_planner *p, const rdx_bound *e);

/* ---- Queries that come up (pull.c) ---- */

/* The block's queries in FROM that are no more than joins, conditions and a list become a part of it. */
RDX_MUST_USE rdx_status rdx_pull_queries(rdx_block *block);

/* A LATERAL query that reads columns of the block (lateral.c). */
typedef struct rdx_lateral {
  uint32_t leaf;
  bool one_row;            /* the leaf is that of the block's last dependent, with a row for each of its rows; else */
  rdx_conjuncts conjuncts; /* its rows are joined by these, */
  rdx_first_rows *first;   /* or, not NULL, these are */
} rdx_lateral;

RDX_MUST_USE rdx_status rdx_bind_lateral(rdx_block *block, const rdx_from *from, rdx_bound_query *query,
                                         rdx_lateral *out);
/* Whether a query has one row in any case, since it aggregates all its rows (query.c). */
bool rdx_is_one_row(const rdx_sql_query *query);

/* generate_series (series.c); out->plan is its node, `*lateral`: which reads columns of the block. */
RDX_MUST_USE rdx_status rdx_bind_series(rdx_block *block, const rdx_from *from, rdx_leaf *out, bool *lateral);

/* A view in FROM (view.c): find its definition, and bind that; names that FROM gives its columns are not applied. */
RDX_MUST_USE rdx_status rdx_find_view(const rdx_planner *planner, const char *name, bool exact, rdx_view_text *out);
RDX_MUST_USE rdx_status rdx_bind_view(rdx_planner *planner, const rdx_from *from, const rdx_view_text *view,
                                      rdx_leaf *out);
/* An error in a view is shown where the statement names it, or the view above; returns the status. */
rdx_status rdx_view_fail(rdx_planner *p, const rdx_from *from, const char *view, rdx_status status);

/* Outer joins of a group, and in it, that conditions make inner ones are that; of the others the sides get the
 * conditions that are on their rows alone, with what is implied (outer.c). */
RDX_MUST_USE rdx_status rdx_lower_conditions(rdx_planner *p, rdx_group *group);

/* Comparisons with values that equalities imply, of a group or of what a LEFT join joins by, become conditions, too
 * (imply.c). */
RDX_MUST_USE rdx_status rdx_imply(rdx_planner *p, rdx_group *group);
RDX_MUST_USE rdx_status rdx_imply_on(rdx_planner *p, rdx_item *item);

/* ---- Subqueries (subquery.c) ---- */

/* A conjunct of WHERE that is [NOT] EXISTS or [NOT] IN of a subquery becomes a join; `*done`: it was one. */
RDX_MUST_USE rdx_status rdx_bind_subquery_conjunct(rdx_block *block, const rdx_ast *ast, bool *done);
RDX_MUST_USE rdx_status rdx_bind_subquery(rdx_block *block, const rdx_ast *ast, rdx_bound **out);

/* Set `needs`. */
void rdx_dependent_find_needs(rdx_dependent *d);

/* A plan that runs before, and whose one value is a parameter. */
RDX_MUST_USE rdx_status rdx_planner_add_scalar(rdx_planner *p, rdx_plan_scalar scalar);

/* ---- Queries (query.c) ---- */

RDX_MUST_USE rdx_status rdx_bind_query(rdx_planner *p, rdx_block *parent, rdx_cte *ctes, const rdx_sql_query *query,
                                       rdx_bound_query **out);
/* The queries of its WITH come before `*ctes`. */
RDX_MUST_USE rdx_status rdx_bind_ctes(rdx_planner *p, rdx_block *parent, const rdx_sql_query *query, rdx_cte **ctes);
/* Parts of a query: WHERE; a list, of `clause` where it may have no aggregates, else NULL; one more output; all
 * outputs are the query's columns. */
RDX_MUST_USE rdx_status rdx_bind_where(rdx_block *block, const rdx_ast *ast);
RDX_MUST_USE rdx_status rdx_bind_targets(rdx_block *block, const rdx_sql_target *targets, uint32_t count,
                                         const char *clause);
RDX_MUST_USE rdx_status rdx_block_add_output(rdx_block *block, const char *name, rdx_bound *value);
RDX_MUST_USE rdx_status rdx_query_list_columns(rdx_planner *p, rdx_bound_query *query);

/* Whether a value is DEFAULT; what that is for a column of the target: of none, or of a view's, which are not changed,
 * NULL. */
bool rdx_is_default(const rdx_ast *ast);
RDX_MUST_USE rdx_status rdx_declared_of(rdx_planner *p, const rdx_leaf *target, uint32_t column, rdx_sql_column *out);
RDX_MUST_USE rdx_status rdx_default_of(rdx_planner *p, const rdx_leaf *target, uint32_t column, rdx_ast **out);
/* The value of SET number `k`, as that of the column of leaf `target` which it is for. */
RDX_MUST_USE rdx_status rdx_assign(rdx_block *block, uint32_t target, const rdx_sql_statement *statement, uint32_t k,
                                   rdx_bound **values);
/* Columns of leaf `target` that are generated get their values where others, which they read, have new ones: `values`,
 * NULL for what stays (generated.c). */
RDX_MUST_USE rdx_status rdx_bind_generated(rdx_block *block, uint32_t target, rdx_bound **values);
/* Fail where a value is given at a place for a column whose values are always made. */
RDX_MUST_USE rdx_status rdx_check_value(rdx_overriding overriding, const char *column, const rdx_sql_column *declared,
                                        const char *text, rdx_sql_place place, rdx_error *err);
/* Note that rows get numbers in a column of the target. */
RDX_MUST_USE rdx_status rdx_note_numbered(rdx_planner *p, const rdx_leaf *target, uint32_t column);
/* MERGE (merge.c). */
RDX_MUST_USE rdx_status rdx_bind_merge(rdx_block *block, const rdx_sql_statement *statement);
/* The rows that INSERT with RETURNING, UPDATE or DELETE changes, as a query with the columns of rdx_plan_change
 * (change.c). */
RDX_MUST_USE rdx_status rdx_bind_change(rdx_planner *p, const rdx_sql_statement *statement, rdx_bound_query **out);

/* Give columns without a type one: that of `columns`, or TEXT. */
RDX_MUST_USE rdx_status rdx_query_settle(rdx_planner *p, rdx_bound_query *query, const rdx_plan_column *columns);
RDX_MUST_USE rdx_status rdx_build_query(rdx_planner *p, rdx_bound_query *query, rdx_plan_node **out);
/* The columns that a group and an aggregate of the block become. */
rdx_plan_column rdx_group_column(const rdx_block *block, uint32_t group);
rdx_plan_column rdx_aggregate_column(const rdx_block *block, uint32_t aggregate);

/* ---- Joins (joins.c) ---- */

/* A plan and which columns of the block its outputs are. */
typedef struct rdx_built {
  rdx_plan_node *node;
  uint32_t *refs;
  uint64_t leaves;
} rdx_built;

/* One more column for each of the block's `firsts`: the number of each row among those of its group that have an equal
 * value (first.c). `wanted`: which groups; NULL: all. */
RDX_MUST_USE rdx_status rdx_build_firsts(rdx_block *block, rdx_built *built, const bool *wanted);
/* The block's relations joined, with all its conjuncts and dependents. */
RDX_MUST_USE rdx_status rdx_build_from(rdx_block *block, rdx_built *out);
/* An expression of block columns over the outputs of what is built. */
RDX_MUST_USE rdx_status rdx_built_expression(rdx_planner *p, const rdx_built *built, rdx_bound *value, rdx_bound **out);

/* ---- Marks (marks.c) ---- */

/* What marks are made of: `compared`, or else aggregates, for pairs of left and right that keys and filter match. Keys
 * are over their own side's columns, filter (NULL: none), `compared` and aggregates over left's, then right's. */
typedef struct rdx_marking {
  rdx_plan_node *left, *right;
  rdx_bound **left_keys, **right_keys;
  uint32_t key_count;
  rdx_bound *filter, *compared;
  bool unlike;
  rdx_plan_aggregate *aggregates;
  uint32_t aggregate_count;
} rdx_marking;

/* Left with more columns, the mark or the aggregates: see rdx_dependent. */
RDX_MUST_USE rdx_status rdx_build_mark(rdx_planner *p, const rdx_marking *marking, rdx_plan_node **out);

/* Rows with one more column, their numbers; they may be read twice. */
RDX_MUST_USE rdx_status rdx_build_numbers(rdx_planner *p, rdx_plan_node *left, rdx_plan_node **out);

/* ---- The order of joins (order.c) ---- */

#define RDX_ORDERED 10 /* relations at most */

/* A condition on several relations, sets of which are bits: an equality of two sides, or any, without a right one. */
typedef struct rdx_join_edge {
  uint32_t left, right;
  double share; /* of all pairs */
} rdx_join_edge;

typedef struct rdx_join_graph {
  uint32_t count;
  double rows[RDX_ORDERED];
  rdx_join_edge *edges;
  uint32_t edge_count;
} rdx_join_graph;

/* For each set of two relations or more one of the two halves that it is to be joined of. */
RDX_MUST_USE rdx_status rdx_order_joins(rdx_planner *p, const rdx_join_graph *graph, uint32_t **splits);

/* ---- Estimates (estimate.c) ---- */

/* Rows of a table that satisfy a filter over `columns` of it: by evaluating it for a sample. */
RDX_MUST_USE rdx_status rdx_estimate_filter(rdx_planner *p, rdx_catalog_table *table, const uint32_t *columns,
                                            uint32_t count, const rdx_bound *filter, double *out);
/* Whether that evaluates it for all rows, so that it is exact. */
bool rdx_estimate_reads_all(const rdx_catalog_table *table);
/* Rows of a table that its filter, which was estimated, has to look at: those of blocks that may have some. */
double rdx_estimate_read(const rdx_planner *p, const rdx_plan_node *table);
/* Share of the rows of anything that satisfy a condition, by rules of thumb. */
double rdx_estimate_share(const rdx_bound *condition);
/* How many values a block's column expression may have. */
double rdx_estimate_distinct(const rdx_block *block, const rdx_bound *value, double rows);

/* How many combinations of values of columns there may be, by a sample. */
RDX_MUST_USE rdx_status rdx_estimate_combinations(rdx_planner *p, rdx_catalog_table *table, const uint32_t *columns,
                                                  uint32_t count, double *out);

/* ---- Stars (star.c) ---- */

/* A plan of the block's aggregate as one query of the star layer, where it is one: else `*out` is NULL. Its outputs are
 * the groups, then the aggregates. */
RDX_MUST_USE rdx_status rdx_build_star(rdx_block *block, rdx_plan_node **out);
/* Whether a star's query may have an aggregate. */
bool rdx_star_adds(const rdx_plan_aggregate *aggregate);
/* Whether the columns of one large table would have to be packed, which no query has needed yet, and need not be. */
bool rdx_star_would_pack(const rdx_planner *p, const rdx_plan_node *star);

/* The same of expressions over columns of few values: of the groups of such a query (regroup.c). */
RDX_MUST_USE rdx_status rdx_build_regrouped(rdx_block *block, rdx_plan_node **out);
/* How many groups the block has of so many rows. */
double rdx_estimate_groups(const rdx_block *block, double rows);

/* ---- What operators take (cost.c) ---- */

/* What a join takes whose smaller input has so many rows, in milliseconds: to begin with, for each row of the other,
 * and for each pair. */
typedef struct rdx_join_rates {
  double rows, fixed, probe, pair;
  double test; /* of a row that is tested before it is looked up; 0: none is */
} rdx_join_rates;

/* By where joins of few and of many rows are expected to run. */
typedef struct rdx_join_costs {
  rdx_join_rates few, many;
} rdx_join_costs;

rdx_join_costs rdx_join_costs_of(const rdx_planner *p, double rows);
double rdx_join_ms(const rdx_join_costs *costs, double larger, double pairs);
/* What an expression takes for a row, in sums of two numbers. */
double rdx_count_values(const rdx_bound *e);
/* Expected times of all nodes of the plan. */
RDX_MUST_USE rdx_status rdx_plan_cost(rdx_planner *p);
/* Find the band of a join without keys that has a filter (band.c). */
RDX_MUST_USE rdx_status rdx_plan_band(rdx_planner *p, rdx_plan_node *join);
/* Tell the windows below a filter which numbers it asks for (first.c). */
void rdx_plan_first_numbers(const rdx_plan_node *filter);

/* Refuse what operators cannot do with types, and find the bands of joins (check.c). */
RDX_MUST_USE rdx_status rdx_plan_check(rdx_planner *p);

/* ---- Filters of tables (filter.c) ---- */

/* Take the way of finding rows for a table's filter that is expected to be the fastest, or that a setting asks for. */
static inline bool rdx_is_given(const rdx_bound *e) {
  return e->kind == RDX_BOUND_CONSTANT || e->kind == RDX_BOUND_PARAMETER;
}
static inline bool rdx_bound_same(const rdx_bound *a, const rdx_bound *b) { /* or both NULL */
  return !a == !b && (!a || rdx_bound_equal(a, b));
}
bool rdx_orderings_equal(const rdx_plan_ordering *a, const rdx_plan_ordering *b, uint32_t count);

RDX_MUST_USE rdx_status rdx_choose_filter(rdx_planner *p, rdx_plan_node *table);

/* ---- What star queries take (cubes.c, star_cost.c) ---- */

#define RDX_SEVERAL UINT32_MAX

/* Conditions on an attribute of a star, or one on several. */
typedef struct rdx_restriction {
  uint32_t attribute; /* of the node's star, or RDX_SEVERAL */
  rdx_catalog_attribute of;
  rdx_conjuncts conditions;
  uint32_t comparisons, ranges; /* ranges: of values that qualify */
  bool known;                   /* `share` is */
  double share;                 /* of rows that qualify */
} rdx_restriction;

typedef struct rdx_star_estimate {
  rdx_restriction *list;
  uint32_t count;
  double groups[9];     /* combinations of the attributes of each table that are grouped by; 0: there are none */
  double restricted[9]; /* the same with those that are restricted */
} rdx_star_estimate;

/* The restrictions of a node's filter, with shares as far as they are told without a look at rows. */
RDX_MUST_USE rdx_status rdx_star_estimate_begin(rdx_planner *p, const rdx_plan_node *node, rdx_star_estimate *out);
/* The other shares, and combinations, by samples. */
RDX_MUST_USE rdx_status rdx_star_estimate_sample(rdx_planner *p, const rdx_plan_node *node, rdx_star_estimate *e);
/* Combinations of a cube's attributes, by samples or not. */
RDX_MUST_USE rdx_status rdx_star_combinations(rdx_planner *p, const rdx_plan_node *view, bool sampled, double *out);
/* Combinations with attributes that are restricted, of a cube that is made for the node. */
double rdx_star_restricted(const rdx_star_estimate *e, const rdx_plan_node *node, double combinations);
/* What a method is expected to take, that of `node`, whose cube has so many combinations; shares that are not known are
 * `unknown`. */
double rdx_star_ms(const rdx_planner *p, const rdx_star_estimate *e, const rdx_plan_node *node, double combinations,
                   double unknown);
/* How many groups there are. */
double rdx_star_groups(const rdx_star_estimate *e, const rdx_plan_node *node, double unknown);

/* The fastest of the methods that can answer a star query, unless one is set. */
RDX_MUST_USE rdx_status rdx_choose_star(rdx_planner *p, rdx_plan_node *node);

#endif
