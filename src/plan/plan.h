/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_PLAN_PLAN_H
#define RDX_PLAN_PLAN_H

/* Plans of queries: trees of operators on columns. All memory is the statement's arena. */

#include "catalog/catalog.h"
#include "cost/cost.h"
#include "expression/expression.h"

typedef struct rdx_plan_column {
  const char *name;
  rdx_sql_type type;
} rdx_plan_column;

typedef enum rdx_plan_kind {
  RDX_PLAN_TABLE,     /* `table_columns` of `table`, of the rows where `filter` is true (NULL: of all) */
  RDX_PLAN_VALUES,    /* `row_count` rows of `exprs`, one row after the other, which read no columns */
  RDX_PLAN_FILTER,    /* rows of left where `filter` is true */
  RDX_PLAN_PROJECT,   /* `exprs` of left */
  RDX_PLAN_JOIN,      /* left with right */
  RDX_PLAN_AGGREGATE, /* a row for each group of left: `exprs` are the groups' columns, then come `aggregates` */
  RDX_PLAN_STAR,  /* an aggregate over a star of tables, as one query of the star layer, with `orders` and `limit` */
  RDX_PLAN_SORT,  /* left in the order of `orders`; `limited`: the first `limit` after `offset` */
  RDX_PLAN_LIMIT, /* `limit` rows of left after `offset` */
  RDX_PLAN_UNION, /* left, then right: all rows */
  RDX_PLAN_INTERSECT, /* `all` or distinct rows */
  RDX_PLAN_EXCEPT,
  RDX_PLAN_WINDOW, /* left with one more column for each of `windows` */
  RDX_PLAN_ROWS,   /* left with one more column, of BIGINT: the row's number */
  /* Values from exprs[0] to exprs[1] in steps of exprs[2], which reads no columns. Without left nor do the others;
   * else each row of left comes with the values of its own as one more column, `all`: with NULL where there is none */
  RDX_PLAN_SERIES,
  /* Rows of left, then those of right, again and again, as long as it has any: right reads those of the last time as
   * `working`. Not `all`: each distinct row once, and right reads the new ones. With `limit` and `offset` rows
   * beyond these need not be there */
  RDX_PLAN_RECURSIVE,
  RDX_PLAN_WORKING, /* shared: its frame is set by the RECURSIVE node that it is `working` of */
} rdx_plan_kind;

typedef enum rdx_plan_join {
  RDX_PLAN_INNER,
  RDX_PLAN_LEFT,
  RDX_PLAN_FULL,
  RDX_PLAN_SEMI,      /* rows of left that match; output: columns of left */
  RDX_PLAN_ANTI,      /* rows of left that match none */
  RDX_PLAN_ANTI_NULL, /* the same for NOT IN: rows of left that differ from each of right in a key that is NULL in
                         neither */
  RDX_PLAN_SINGLE,    /* LEFT, where more than one match of a row is an error: a scalar subquery */
} rdx_plan_join;

typedef enum rdx_plan_aggregate_kind {
  RDX_PLAN_COUNT, /* without `value`: of rows */
  RDX_PLAN_SUM,
  RDX_PLAN_AVG,
  RDX_PLAN_MIN,
  RDX_PLAN_MAX,
  RDX_PLAN_MOMENT, /* as RDX_WINDOW_MOMENT, of `value` and `argument`: both are NULL in the same rows */
  /* Of values in order: */
  RDX_PLAN_STRING_AGG,
  RDX_PLAN_PERCENTILE_CONT, /* of DOUBLE, as DOUBLE */
  RDX_PLAN_PERCENTILE_DISC,
  RDX_PLAN_MODE,
  RDX_PLAN_FIRST,   /* of the row behind `argument` others, NULL or not */
  RDX_PLAN_BIT_AND, /* of BIGINT */
  RDX_PLAN_BIT_OR,
  RDX_PLAN_BIT_XOR,
  /* Of a row that is not there, among those that are: `value` says for each of these whether it comes before that row;
   * for CUME_DIST whether it does not come behind it; NULL: it does not count. */
  RDX_PLAN_RANK,
  RDX_PLAN_DENSE_RANK, /* sorted, so that equal rows count once */
  RDX_PLAN_PERCENT_RANK,
  RDX_PLAN_CUME_DIST,
} rdx_plan_aggregate_kind;

typedef struct rdx_plan_ordering {
  rdx_bound *value;
  bool descending, nulls_first;
} rdx_plan_ordering;

typedef struct rdx_plan_aggregate {
  rdx_plan_aggregate_kind kind;
  rdx_bound *value; /* over left's columns */
  bool distinct;
  rdx_sql_type type; /* of the result */
  /* MOMENT: the other value; STRING_AGG: what stands before the value, unless that is the first one; PERCENTILE: the
   * fraction, DOUBLE, without columns; FIRST: BIGINT, or NULL for 0 */
  rdx_bound *argument;
  /* Aggregates of values in order: what they are sorted by. With `distinct` of STRING_AGG and BIT_XOR value and
   * argument are among it */
  rdx_plan_ordering *orders;
  uint32_t order_count;
} rdx_plan_aggregate;

/* "sum". */
const char *rdx_plan_aggregate_name(const rdx_plan_aggregate *aggregate);

static inline bool rdx_is_ordered(const rdx_plan_aggregate *a) {
  return a->kind >= RDX_PLAN_STRING_AGG;
}

static inline bool rdx_is_of_bits(rdx_plan_aggregate_kind kind) {
  return kind >= RDX_PLAN_BIT_AND && kind <= RDX_PLAN_BIT_XOR;
}

static inline bool rdx_is_hypothetical(rdx_plan_aggregate_kind kind) {
  return kind >= RDX_PLAN_RANK;
}

/* Window functions. Those from LAG to NTH, MIN and MAX give the value of some row. */
typedef enum rdx_plan_window_kind {
  RDX_WINDOW_ROW_NUMBER,
  RDX_WINDOW_RANK,
  RDX_WINDOW_DENSE_RANK,
  RDX_WINDOW_PERCENT_RANK,
  RDX_WINDOW_CUME_DIST,
  RDX_WINDOW_NTILE, /* of `number` */
  RDX_WINDOW_LAG,   /* by `number`; NULL: 1 */
  RDX_WINDOW_LEAD,
  RDX_WINDOW_FIRST,
  RDX_WINDOW_LAST,
  RDX_WINDOW_NTH,   /* of `number` */
  RDX_WINDOW_COUNT, /* aggregates of the frame; without `value`: of rows */
  RDX_WINDOW_SUM,
  RDX_WINDOW_AVG,
  RDX_WINDOW_MOMENT,  /* sum((x - avg(x)) * (y - avg(y))) of `value` and `other`: both whole numbers, or both DOUBLE */
  RDX_WINDOW_BIT_AND, /* of BIGINT */
  RDX_WINDOW_BIT_OR,
  RDX_WINDOW_BIT_XOR,
  RDX_WINDOW_MIN,
  RDX_WINDOW_MAX,
} rdx_plan_window_kind;

typedef struct rdx_plan_window {
  rdx_plan_window_kind kind;
  const char *name;
  rdx_sql_place place;
  rdx_sql_type type; /* of the result */
  rdx_bound *value;  /* over left's columns */
  rdx_bound *other;  /* of MOMENT; NULL: the same */
  rdx_bound *number; /* BIGINT, no columns */
  rdx_bound **partition;
  uint32_t partition_count;
  rdx_plan_ordering *orders;
  uint32_t order_count;
  rdx_window_unit unit; /* but of ROWS, CURRENT is all rows that are equal in ORDER BY */
  rdx_window_edge begin, end;
  rdx_window_exclusion exclusion;
  rdx_bound *begin_offset, *end_offset; /* no columns; BIGINT, but of RANGE */
  /* RANGE with distances: the value of ORDER BY, and what it is compared with at the ends of the frame (NULL: the end
   * has no distance); all of one type */
  rdx_bound *range_value, *range_begin, *range_end;
} rdx_plan_window;

/* Whether they sort rows alike. */
bool rdx_windows_alike(const rdx_plan_window *a, const rdx_plan_window *b);

typedef struct rdx_plan_order {
  uint32_t column; /* of left */
  bool descending, nulls_first;
} rdx_plan_order;

struct rdx_plan_view;

/* A method that was not chosen. */
typedef struct rdx_plan_method {
  const char *name;
  const char *reason; /* why it could not be; NULL: */
  double ms;          /* it is expected to take this */
} rdx_plan_method;

/* An index that was asked for: CREATE INDEX. */
typedef struct rdx_plan_index {
  const char *name, *table;
  const char *const *columns;
  uint32_t column_count;
  bool scans; /* a method of scans, over all columns; else of lookups, in one */
  rdx_index_params lookup;
  rdx_scan_params scan;
} rdx_plan_index;

typedef struct rdx_plan_node {
  rdx_plan_kind kind;
  uint32_t id;         /* numbered through the statement */
  rdx_sql_place place; /* of a subquery's plan: where it is written; else 0 */
  bool shared;         /* a WITH query that several places read: executed once */
  bool lenient;        /* where it fails by its values it has no rows: a scalar of the same rows tells, if asked */
  uint32_t column_count;
  rdx_plan_column *columns; /* of the output */
  struct rdx_plan_node *left, *right;
  double expected_rows, expected_ms; /* ms: with what is below it */
  double own_ms;                     /* without */
  bool costed;                       /* these times are set */
  bool checked;                      /* by rdx_plan_check() */
  const char *method;                /* that it is expected to run by; NULL: there is no choice */
  bool on_host;                      /* so few rows are expected that the host's threads work on them, not a GPU */
  rdx_plan_method *rejected;         /* of statements that are explained */
  uint32_t rejected_count;
  /* TABLE */
  rdx_catalog_table *table;
  uint32_t *table_columns;
  const rdx_plan_index *index; /* that finds rows for the filter; NULL: none */
  uint32_t index_columns;      /* of lookups: how many of its columns, from the first, the filter has conditions on */
  /* TABLE: over table_columns; FILTER: over left's columns; JOIN: over left's, then right's columns, what pairs must
   * satisfy beside their keys (NULL: nothing) */
  rdx_bound *filter;
  /* JOIN: left_keys[i] equals right_keys[i], each over its own side's columns; no key: every pair */
  rdx_plan_join join;
  rdx_bound **left_keys, **right_keys;
  uint32_t key_count;
  rdx_index_method join_method; /* of the index that finds partners */
  /* JOIN without keys: of pairs for which the filter is true the key, of the left or the right side, lies between
   * these values of the other one; NULL: nothing is known */
  rdx_bound *band_key, *band_lower, *band_upper;
  bool band_left;
  /* VALUES, PROJECT, AGGREGATE, SERIES */
  rdx_bound **exprs;
  uint32_t expr_count, row_count;
  rdx_plan_aggregate *aggregates;
  uint32_t aggregate_count;
  /* STAR: exprs, aggregates and filter read the star's attributes as columns; exprs are COLUMNs */
  rdx_catalog_star *star;
  rdx_star_params star_params;      /* the method */
  const struct rdx_plan_view *view; /* the cube that serves it: `star` is the view's; NULL: none */
  /* SORT, LIMIT, STAR (by its own outputs) */
  rdx_plan_order *orders;
  uint32_t order_count;
  rdx_bound *limit, *offset; /* BIGINT, no columns; NULL: all, 0 */
  bool ties;                 /* SORT: also the rows that are equal to the last one */
  bool all;                  /* INTERSECT, EXCEPT, SERIES, RECURSIVE */
  /* RECURSIVE */
  struct rdx_plan_node *working;
  bool once; /* one place reads it */
  /* WINDOW */
  rdx_plan_window *windows;
  uint32_t window_count;
  /* All windows are numbers of rows, alike, and rows with larger ones than this need not be there; 0: they must */
  uint64_t first_numbers;
} rdx_plan_node;

/* A cube that was asked for: CREATE MATERIALIZED VIEW. */
typedef struct rdx_plan_view {
  const char *name;
  const rdx_sql_query *query;
  const rdx_plan_node *star; /* its query: groups by plain columns, and aggregates */
  rdx_star_params star_params;
  uint32_t levels; /* of its statement */
} rdx_plan_view;

/* A subquery without correlation whose one value is a parameter of the rest: run before, in order. */
typedef struct rdx_plan_scalar {
  rdx_plan_node *plan;
  uint32_t parameter; /* gets its value, NULL of no row; more than one row is an error */
  bool exists;        /* BOOL: whether there is a row */
  rdx_sql_place place;
} rdx_plan_scalar;

/* What the root's columns are where a statement changes rows: values, then RETURNING's, then numbers of rows. Of these
 * the first is that of the row that is changed, the others are of what it was joined with, in the order of FROM; or of
 * the row that is inserted. */
typedef struct rdx_plan_change {
  rdx_catalog_table *table; /* whose rows are changed; NULL: of INSERT, or it is no table */
  uint32_t *columns;        /* of the table, which SET and what is generated of it change; NULL: of INSERT */
  uint32_t column_count;
  bool *numbered; /* columns of the table that rows may get numbers in, as each has its own; NULL: none */
  uint32_t values, returned, numbers;
  /* Of INSERT ... ON CONFLICT DO UPDATE: values are those of all columns of the row that is to be there, those of the
   * row that was to be inserted, and whether it is changed at all; of the numbers the first is that of the latter, the
   * second that of the row with its key, NULL for none. Of MERGE values are those of all columns, and the
   * number of the WHEN that is the case, or how many there are; the last number is that of the row of the table, NULL
   * for none. */
  bool merges;
} rdx_plan_change;

typedef struct rdx_query_plan {
  rdx_plan_node *root;
  rdx_plan_scalar *scalars;
  uint32_t scalar_count;
  uint32_t parameter_count; /* values that an execution has room for: $1.., then those of scalars */
  uint32_t node_count;
  uint32_t levels;            /* of the statement, with those of the deepest view or DEFAULT that it reads */
  bool lists;                 /* what there is now is in it: it serves one run */
  bool once;                  /* another plan may be better the next time: it serves one run */
  bool random;                /* random() is in it, of one run */
  int64_t now;                /* what now() is in it, a constant: it serves one run; 0: it does not ask */
  rdx_catalog_table **tables; /* all that are read: rdx_plan_release() lets them go */
  bool **columns;             /* of each of these, those that are named */
  uint32_t table_count;
  const char **views; /* names of those that are read */
  uint32_t view_count;
  rdx_plan_change change; /* of statements that change rows */
} rdx_query_plan;

/* A view, as the database keeps it. */
typedef struct rdx_view_text {
  const char *name, *text; /* text: of its CREATE VIEW; NULL: there is no such view */
  bool lists;              /* it lists what there is now: it is of use once, and not to views */
  char nearest[64];        /* then: the name that is nearest, where case was not to count (may be empty) */
} rdx_view_text;

/* Copy the view of a name to memory of `arena`. Not `exact`: case does not count. */
typedef rdx_status (*rdx_find_view_fn)(void *user, const char *name, bool exact, rdx_arena *arena, rdx_view_text *out,
                                       rdx_error *err);

/* How rows of tables are found for WHERE. */
typedef enum rdx_filter_method {
  RDX_FILTER_AUTO,
  RDX_FILTER_EVALUATION, /* row by row */
  RDX_FILTER_INDEX,      /* by an index that was created, where one can */
  RDX_FILTER_SCAN,       /* by a scan of the method that `scan` names */
} rdx_filter_method;

/* Whether rows of the larger input of a join on the host are tested before they are looked up: `found` pairs are
 * expected. */
bool rdx_join_reduces(double larger, double smaller, double found);

/* Where joins and aggregates keep rows. */
/* Of fewer rows launches cost more than they save. */
#define RDX_DEVICE_ROWS 65536u

typedef enum rdx_operators_place {
  RDX_OPERATORS_AUTO, /* on a GPU where they are many, else on the host */
  RDX_OPERATORS_HOST,
  RDX_OPERATORS_DEVICE,
} rdx_operators_place;

/* The settings of a session. */
typedef struct rdx_settings {
  rdx_star_params star;     /* method of star queries: SET method */
  rdx_filter_method filter; /* SET scan_method */
  rdx_scan_params scan;
  rdx_index_params join;
  rdx_operators_place operators;
  bool explains; /* expected times are wanted */
  bool insist;   /* a method was set: where it cannot serve, that is an error */
  const rdx_plan_index *indexes;
  uint32_t index_count;
  const rdx_plan_view *views; /* cubes that queries may use, as long as their plans live */
  uint32_t view_count;
  rdx_find_view_fn find_view; /* NULL: there are no views */
  void *views_user;
  _Atomic uint64_t *random; /* grows with each plan that calls random(); NULL: none may */
  const char *defines;      /* the view that the query is to be; NULL: none */
  const char *cube;         /* the materialized view that the query is to be, or to be answered by; NULL: none */
} rdx_settings;

/* What a cube that is made for a star query is called: the same for queries that need the same attributes and values,
 * and no name of a view. False where there is no room. */
bool rdx_star_cube_name(const rdx_plan_node *star, char *out, size_t size);

/* A query of a statement's text. */
typedef struct rdx_query_text {
  const char *text;
  const rdx_sql_query *query;
  const rdx_sql_statement *change; /* UPDATE, DELETE, INSERT with RETURNING or WITH: of `query`; else NULL */
  rdx_sql_type *parameter_types;   /* those of $1..$`parameters`, UNKNOWN where not given: they are set by use */
  bool *parameter_rounds;          /* set: values of these are rounded to their types */
  uint32_t parameters;
  uint32_t levels; /* of its statement */
  /* Set, and the query not planned, where it reads a view or a DEFAULT that makes these more than
   * RDX_SQL_SHALLOW_LEVELS; NULL: the stack has room. */
  bool *is_deeper;
} rdx_query_text;

/* Bind and plan a query. Tables are found in the catalog and stay until rdx_plan_release(). */
RDX_MUST_USE rdx_status rdx_plan_query(rdx_catalog *catalog, const rdx_settings *settings, const rdx_query_text *of,
                                       rdx_arena *arena, rdx_query_plan **out, rdx_error *err);
/* A value by itself: an expression that names no columns and has no subqueries. */
RDX_MUST_USE rdx_status rdx_bind_alone(rdx_binding *binding, const rdx_ast *ast, rdx_bound **out);
/* Fail where a table has no key that ON CONFLICT asks for. */
rdx_status rdx_conflict_fail(const rdx_sql_conflict *conflict, const char *text, const char *table, rdx_error *err);
/* Fail where INSERT gives a value that is not DEFAULT, in column `from` of its rows (UINT32_MAX: there is none), for a
 * column whose values are always made, as it is declared. */
RDX_MUST_USE rdx_status rdx_check_given(const rdx_sql_statement *insert, uint32_t from, const char *column,
                                        const rdx_sql_column *declared, const char *text, rdx_error *err);
/* Whether a statement gives no value for column `from` of its rows as far as OVERRIDING says so. */
static inline bool rdx_overrides_given(const rdx_sql_statement *insert, const rdx_sql_column *declared) {
  return declared->identity && insert->overriding == RDX_OVERRIDING_USER;
}
/* What INSERT of MERGE says of column `index`; NULL: nothing, or DEFAULT. */
const rdx_ast *rdx_merge_value(const rdx_sql_statement *set, uint32_t index, const char *name);
/* The columns of a row, by `index` of COLUMN. */
typedef struct rdx_row_columns {
  const char *table; /* what a qualifier may be */
  const char **names;
  rdx_sql_type *types;
  uint32_t count;
} rdx_row_columns;

/* A value over a row, or a condition, without subqueries, of a clause as errors name it. */
RDX_MUST_USE rdx_status rdx_bind_row(rdx_binding *binding, const rdx_row_columns *row, const rdx_ast *ast,
                                     const char *clause, bool condition, rdx_bound **out);
/* What the filter of a table that reads so many columns takes: by evaluating it for `read` rows, by a scan, and to
 * prepare that. */
typedef struct rdx_filter_work {
  rdx_work evaluation, scan, preparation;
} rdx_filter_work;

/* How a filter is scanned without an index: as a setting says, else as if it said 'column'. Padding is copied, too, as
 * the catalog compares bytes. */
void rdx_filter_scan_params(const rdx_settings *settings, rdx_scan_params *out);
/* Whether a scan can answer a part of a filter. */
bool rdx_filter_scans(const rdx_bound *filter);
/* The table's columns that the filter of a TABLE node reads. */
RDX_MUST_USE rdx_status rdx_filter_columns(rdx_arena *arena, const rdx_plan_node *table, uint32_t **columns,
                                           uint32_t *count, rdx_error *err);
/* The output of a TABLE node that is the column which its table calls so, whatever FROM calls it; else column_count. */
uint32_t rdx_plan_find_column(const rdx_plan_node *table, const char *name);
void rdx_filter_work_of(const rdx_plan_node *table, double read, const uint32_t *columns, uint32_t count, bool on_cpu,
                        rdx_filter_work *out);
void rdx_plan_release(rdx_query_plan *plan);

#endif
