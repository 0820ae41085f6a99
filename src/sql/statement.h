/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_SQL_STATEMENT_H
#define RDX_SQL_STATEMENT_H

/* Statements as they are written: what the parser leaves of PostgreSQL's tree. Names are not resolved, nothing has a
 * type. All memory is the statement's arena. */

#include "base/base.h"

/* Levels that the tree of a statement may have: of expressions within each other, of queries, of joins. What is made of
 * trees may recurse over them, so that nobody's recursion has to end in a crash. */
#define RDX_SQL_MAX_LEVELS 2500

/* A place in a statement's text: a byte, from 1; 0: unknown. */
typedef uint32_t rdx_sql_place;

typedef enum rdx_ast_kind {
  RDX_AST_COLUMN,    /* `name`, of table `qualifier` (NULL: any) */
  RDX_AST_STAR,      /* *, qualifier.*; args: columns that EXCLUDE leaves out, and a call of "replace" with the `field`
                      * of each that REPLACE has another value for, and that value */
  RDX_AST_NULL,      /* literals: `name` has the text */
  RDX_AST_BOOL,      /* "true", "false" */
  RDX_AST_NUMBER,    /* digits, a point, an exponent; a sign of the smallest integers only */
  RDX_AST_STRING,    /* a string that takes the type of what it meets; may hold any bytes but NUL */
  RDX_AST_PARAMETER, /* $n: `number` from 1 */
  /* `name` with `args`. Functions by their lower-case names (distinct, star, filter, order as below); operators by
   * their text: "+", "-" (one or two args), "*", "/", "%", "^", "||", "=", "<>", "<", "<=", ">", ">=", "~" and so on.
   * Forms with words of their own are calls, too:
   *   "and", "or" (two or more args), "not", "is null", "is not null", "is true", "is not true", "is false",
   *   "is not false", "is unknown", "is not unknown", "is distinct from", "is not distinct from",
   *   "between", "not between", "between symmetric", "not between symmetric" (3 args),
   *   "in", "not in" (the value, then the list), "like", "not like", "ilike", "not ilike" (2 args; with ESCAPE the
   *   second is a "like_escape"),
   *   "case" (WHEN, THEN, WHEN, THEN ..., ELSE where there is one, which makes an odd number of args; CASE x WHEN v is
   *   CASE WHEN x = v, and the x of all its comparisons is one node with several parents, so nobody changes nodes),
   *   "coalesce", "nullif", "greatest", "least", "extract" (field as a STRING, value), "substring", "position" (of the
   *   second arg in the first, as strpos has them), "btrim", "ltrim", "rtrim" (TRIM), "timezone" (zone, value: AT TIME
   *   ZONE), "current_date", "current_timestamp", "localtimestamp", "grouping", "row", "default" (of VALUES in INSERT,
   *   and of SET in UPDATE), "random row" (with REPEATABLE's seed, if any) and "sample share" (TABLESAMPLE) */
  RDX_AST_CALL,
  RDX_AST_CAST,     /* args[0] as type `name` with `modifiers` (numeric(12,2)); INTERVAL '1' DAY has `field` "day" */
  RDX_AST_SCALAR,   /* (SELECT ...) as a value */
  RDX_AST_EXISTS,   /* EXISTS (SELECT ...) */
  RDX_AST_QUANTIFY, /* args[0] `name` ANY|ALL (SELECT ...): IN is = ANY, NOT IN is "not" of it; `all` */
} rdx_ast_kind;

struct rdx_sql_window;
struct rdx_sql_order;

typedef struct rdx_ast {
  rdx_ast_kind kind;
  rdx_sql_place place;
  const char *name, *qualifier;
  struct rdx_ast **args;
  uint32_t count; /* of args */
  uint32_t number;
  const char *field;
  int32_t modifiers[2];
  uint32_t modifier_count;
  bool all;          /* QUANTIFY */
  bool star;         /* count(*) */
  bool distinct;     /* count(DISTINCT x) */
  bool within_group; /* WITHIN GROUP (ORDER BY `orders`); else these stand behind the arguments */
  struct rdx_ast *filter;
  struct rdx_sql_order *orders; /* of an aggregate's values */
  uint32_t order_count;
  struct rdx_sql_window *over; /* of a window function */
  struct rdx_sql_query *query;
} rdx_ast;

typedef enum rdx_nulls_order { RDX_NULLS_DEFAULT = 0, RDX_NULLS_FIRST, RDX_NULLS_LAST } rdx_nulls_order;

typedef struct rdx_sql_order {
  rdx_ast *value; /* an expression; a NUMBER without a point is a position */
  bool descending;
  rdx_nulls_order nulls;
} rdx_sql_order;

/* Where a frame begins or ends. CURRENT: with ROWS the row, else all that are equal to it in ORDER BY. */
typedef enum rdx_window_edge {
  RDX_EDGE_FIRST, /* UNBOUNDED PRECEDING */
  RDX_EDGE_PRECEDING,
  RDX_EDGE_CURRENT,
  RDX_EDGE_FOLLOWING,
  RDX_EDGE_LAST,
} rdx_window_edge;

/* What the distances of a frame count. */
typedef enum rdx_window_unit {
  RDX_FRAME_RANGE, /* values of ORDER BY */
  RDX_FRAME_ROWS,
  RDX_FRAME_GROUPS, /* of rows that are equal in ORDER BY */
} rdx_window_unit;

/* Rows that a frame leaves out. */
typedef enum rdx_window_exclusion {
  RDX_EXCLUDE_NOTHING,
  RDX_EXCLUDE_CURRENT, /* the row */
  RDX_EXCLUDE_GROUP,   /* and all that are equal to it in ORDER BY */
  RDX_EXCLUDE_TIES,    /* these, but not the row */
} rdx_window_exclusion;

/* OVER (PARTITION BY ... ORDER BY ... ROWS BETWEEN ...) */
typedef struct rdx_sql_window {
  rdx_sql_place place;
  rdx_ast **partition;
  uint32_t partition_count;
  rdx_sql_order *orders;
  uint32_t order_count;
  rdx_window_unit unit;
  rdx_window_edge begin, end;
  rdx_window_exclusion exclusion;
  rdx_ast *begin_offset, *end_offset; /* of PRECEDING and FOLLOWING */
} rdx_sql_window;

typedef struct rdx_sql_target {
  rdx_ast *value;
  const char *alias; /* NULL: none written */
} rdx_sql_target;

typedef enum rdx_from_kind { RDX_FROM_TABLE, RDX_FROM_QUERY, RDX_FROM_SERIES, RDX_FROM_JOIN } rdx_from_kind;

typedef enum rdx_sql_join {
  RDX_SQL_INNER, /* also CROSS: without a condition */
  RDX_SQL_LEFT,
  RDX_SQL_RIGHT,
  RDX_SQL_FULL,
} rdx_sql_join;

typedef struct rdx_from {
  rdx_from_kind kind;
  rdx_sql_place place;
  const char *name;     /* TABLE: as written; a file where it holds a '.' or '/': FROM 'x.csv' */
  const char *alias;    /* NULL: none */
  const char **columns; /* aliases of columns */
  uint32_t column_count;
  struct rdx_sql_query *query; /* QUERY */
  rdx_ast *call;               /* SERIES: of generate_series */
  bool ordinality;             /* WITH ORDINALITY */
  bool lateral;
  bool in_public;    /* TABLE: the schema is written, which queries of WITH are not in */
  rdx_sql_join join; /* JOIN, and the rest */
  bool natural;
  struct rdx_from *left, *right;
  rdx_ast *on;
  const char **using_columns;
  uint32_t using_count;
} rdx_from;

/* GROUP BY's parts. A plain expression is SIMPLE. */
typedef enum rdx_grouping_kind {
  RDX_GROUPING_SIMPLE, /* `exprs`, one; of a set: any number */
  RDX_GROUPING_SETS,   /* `children` */
  RDX_GROUPING_ROLLUP, /* of `children`, which are SIMPLE */
  RDX_GROUPING_CUBE,
  RDX_GROUPING_ALL, /* all of the list that has no aggregates and window functions in it */
} rdx_grouping_kind;

typedef struct rdx_grouping {
  rdx_grouping_kind kind;
  rdx_ast **exprs;
  uint32_t expr_count;
  struct rdx_grouping **children;
  uint32_t child_count;
} rdx_grouping;

typedef enum rdx_query_kind {
  RDX_QUERY_SELECT,
  RDX_QUERY_VALUES, /* row r's are values[r * width ...] */
  RDX_QUERY_UNION,
  RDX_QUERY_INTERSECT,
  RDX_QUERY_EXCEPT,
} rdx_query_kind;

typedef struct rdx_sql_cte {
  const char *name;
  rdx_sql_place place;
  const char **columns;
  uint32_t column_count;
  bool materialized; /* MATERIALIZED is written */
  struct rdx_sql_query *query;
} rdx_sql_cte;

typedef struct rdx_sql_query {
  rdx_query_kind kind;
  rdx_sql_place place;
  rdx_sql_cte *ctes;
  uint32_t cte_count;
  bool recursive; /* WITH RECURSIVE */
  /* SELECT */
  bool distinct;
  rdx_ast **distinct_on; /* DISTINCT ON (...): then `distinct` is false */
  uint32_t distinct_on_count;
  rdx_sql_target *targets;
  uint32_t target_count;
  rdx_from **from; /* items between commas */
  uint32_t from_count;
  rdx_ast *where;
  rdx_grouping **group_by;
  uint32_t group_count;
  bool distinct_sets; /* GROUP BY DISTINCT */
  rdx_ast *having;
  rdx_ast *qualify;         /* a condition on the rows with their windows */
  rdx_ast **unused_windows; /* of WINDOW: a call over each */
  uint32_t unused_count;
  /* VALUES */
  rdx_ast **values; /* of equal rows, one behind the other */
  uint32_t row_count, width;
  /* UNION, INTERSECT, EXCEPT */
  bool all;
  struct rdx_sql_query *left, *right;
  /* any */
  rdx_sql_order *order_by;
  uint32_t order_count;
  rdx_ast *limit, *offset; /* NULL: none */
  bool ties;               /* WITH TIES: also the rows that are equal to the last one */
} rdx_sql_query;

typedef struct rdx_sql_option { /* WITH (name = value), COPY's options */
  const char *name;
  rdx_sql_place place;
  const char **values; /* as texts; none: the option is a bare word */
  uint32_t count;
} rdx_sql_option;

typedef enum rdx_constraint_kind {
  RDX_CONSTRAINT_PRIMARY_KEY,
  RDX_CONSTRAINT_UNIQUE,
  RDX_CONSTRAINT_CHECK,
  RDX_CONSTRAINT_GENERATED, /* of a column alone: its value */
} rdx_constraint_kind;

typedef struct rdx_sql_constraint { /* of a table, or what a column is generated as */
  rdx_constraint_kind kind;
  rdx_sql_place place;  /* 0: the table had it before */
  const char *name;     /* NULL: none is written */
  const char **columns; /* of a key; of the CHECK of a column that column */
  uint32_t column_count;
  rdx_ast *check;         /* the condition; of GENERATED the value */
  const char *check_text; /* with its parentheses */
  uint32_t levels;        /* no tree of it is deeper */
} rdx_sql_constraint;

typedef struct rdx_sql_identity { /* numbers for rows that get none: GENERATED ... AS IDENTITY, and serial */
  rdx_sql_place place;
  bool always; /* rows may have no other numbers */
  int64_t start, increment;
  int64_t min, max;
  bool has_min, has_max; /* else they are those of the type, without what is on the other side of 0 */
  bool cycles;           /* behind the last number comes the first one again */
  rdx_i128 next;         /* the number of the next row */
  /* What is written of these; `restarts`: RESTART without a number */
  bool sets_always, sets_start, sets_increment, sets_min, sets_max, sets_cycles, sets_next, restarts;
} rdx_sql_identity;

typedef struct rdx_sql_numbers { /* of an identity column of a type, from its next one on */
  int64_t min, max;
  int64_t next, step, count; /* how many there are up to the last one */
  int64_t again, period;     /* what follows them, and how many numbers a cycle has; 0: nothing does */
} rdx_sql_numbers;

typedef struct rdx_sql_column { /* of CREATE TABLE */
  const char *name, *type;
  rdx_sql_place place;
  int32_t modifiers[2];
  uint32_t modifier_count;
  bool not_null, nullable; /* nullable: NULL is written */
  rdx_ast *value;          /* of DEFAULT; NULL: there is none */
  const char *value_text;
  rdx_sql_constraint *generated;    /* ALWAYS AS (value) STORED; NULL: it is not */
  const rdx_sql_identity *identity; /* NULL: it has none */
  uint32_t levels;                  /* no tree of a declaration is deeper */
  rdx_sql_constraint *constraints;  /* that are written behind it */
  uint32_t constraint_count;
} rdx_sql_column;

typedef enum rdx_alteration_kind {
  RDX_ALTER_RENAME,        /* the table, to `to` */
  RDX_ALTER_RENAME_COLUMN, /* `name` to `to` */
  RDX_ALTER_ADD,           /* `column`; `conditional`: IF NOT EXISTS */
  RDX_ALTER_DROP,          /* column `name`; `conditional`: IF EXISTS */
  RDX_ALTER_DEFAULT,       /* of column `name`: that of `column`, or none */
  RDX_ALTER_SET_NOT_NULL,  /* column `name` */
  RDX_ALTER_DROP_NOT_NULL,
  RDX_ALTER_DROP_EXPRESSION,   /* column `name` is generated no more; `conditional`: IF EXISTS */
  RDX_ALTER_ADD_IDENTITY,      /* column `name` gets that of `column` */
  RDX_ALTER_SET_IDENTITY,      /* that of column `name` gets what is written in that of `column` */
  RDX_ALTER_DROP_IDENTITY,     /* of column `name`; `conditional`: IF EXISTS */
  RDX_ALTER_ADD_CONSTRAINT,    /* `constraint` */
  RDX_ALTER_DROP_CONSTRAINT,   /* `name`; `conditional`: IF EXISTS */
  RDX_ALTER_RENAME_CONSTRAINT, /* `name` to `to` */
} rdx_alteration_kind;

typedef struct rdx_sql_alteration { /* of ALTER TABLE */
  rdx_alteration_kind kind;
  const char *name, *to;
  rdx_sql_column column;
  rdx_sql_constraint constraint;
  bool conditional;
} rdx_sql_alteration;

/* ON CONFLICT of INSERT: which keys rows may have that are there. */
typedef struct rdx_sql_conflict {
  rdx_sql_place place;
  const char *constraint; /* by its name; NULL: the one of these columns, without any of them each key */
  const char **columns;
  uint32_t column_count;
  const struct rdx_sql_statement *update; /* DO UPDATE SET: `names` = `args`; NULL: DO NOTHING */
  rdx_ast *where;                         /* of DO UPDATE; NULL: none */
} rdx_sql_conflict;

/* OVERRIDING of INSERT: which values that are given for numbered columns count. */
typedef enum rdx_overriding {
  RDX_OVERRIDING_NOTHING, /* where a column's numbers are not ALWAYS made */
  RDX_OVERRIDING_USER,    /* none */
  RDX_OVERRIDING_SYSTEM,  /* all */
} rdx_overriding;

typedef enum rdx_merge_action {
  RDX_MERGE_NOTHING,
  RDX_MERGE_UPDATE,
  RDX_MERGE_DELETE,
  RDX_MERGE_INSERT
} rdx_merge_action;

/* WHEN [NOT] MATCHED of MERGE. */
typedef struct rdx_sql_merge {
  bool matched;
  rdx_ast *condition; /* NULL: none */
  rdx_merge_action action;
  const struct rdx_sql_statement *set; /* `names` = `args`: of UPDATE; of INSERT, without names: of all columns */
} rdx_sql_merge;

typedef enum rdx_statement_kind {
  RDX_STATEMENT_SELECT,
  RDX_STATEMENT_EXPLAIN,         /* `inner`; `analyze`, `json` */
  RDX_STATEMENT_CREATE_TABLE,    /* `name`, `columns`, `constraints`, `if_not_exists`, `temporary` */
  RDX_STATEMENT_CREATE_TABLE_AS, /* `name`, `query`; `with_data`, `temporary` */
  RDX_STATEMENT_DEFINE_VIEW,     /* VIEW `name` (`names`, none: the query's) AS `query`; `replaces` */
  RDX_STATEMENT_CREATE_VIEW,     /* MATERIALIZED VIEW `name` USING `method` WITH `options` AS `query`; `with_data` */
  RDX_STATEMENT_CREATE_INDEX,    /* `name` ON `table` USING `method` (`names`) WITH `options`; `if_not_exists` */
  RDX_STATEMENT_ALTER_TABLE,     /* `name`: `alterations`, one after the other; `if_exists` */
  RDX_STATEMENT_DROP,            /* `object` "table", "index", "view", "materialized view"; `names`; `if_exists` */
  /* INTO `target` (`names`, none: all) `query`; `conflict`; `returning` */
  RDX_STATEMENT_INSERT,
  /* `target` SET `names` = `args`; `query` has no list, FROM begins with the target; `returning` */
  RDX_STATEMENT_UPDATE,
  RDX_STATEMENT_DELETE,     /* FROM `target`; `query` and `returning` as of UPDATE */
  RDX_STATEMENT_MERGE,      /* INTO `target` USING the first item of `query`, whose `where` is ON: `merges` */
  RDX_STATEMENT_COPY,       /* `name` (`names`) or `query`, `from` or to `path` (NULL: standard streams), `options` */
  RDX_STATEMENT_PREPARE,    /* `name`, `inner`, in which types of parameters are casts of these */
  RDX_STATEMENT_EXECUTE,    /* `name`, `args` */
  RDX_STATEMENT_DEALLOCATE, /* `name`; NULL: ALL */
  RDX_STATEMENT_SET,        /* `name` = `value`; NULL: DEFAULT (RESET); RESET ALL has "all" */
  RDX_STATEMENT_SHOW,       /* `name` */
  RDX_STATEMENT_ANALYZE,    /* `name`; NULL: all tables */
} rdx_statement_kind;

typedef struct rdx_sql_statement {
  rdx_statement_kind kind;
  rdx_sql_place place;
  rdx_sql_query *query;
  struct rdx_sql_statement *inner;
  const char *name, *table, *method, *object, *path, *value; /* NULL: not written */
  rdx_sql_column *columns;
  uint32_t column_count;
  rdx_sql_constraint *constraints; /* of the table, but for those of its columns */
  uint32_t constraint_count;
  const char **names;
  uint32_t name_count;
  rdx_sql_option *options;
  uint32_t option_count;
  rdx_ast **args;
  uint32_t arg_count;
  rdx_sql_query *with; /* before INSERT, UPDATE and DELETE: its `ctes`; NULL: none */
  rdx_from *target;    /* the table that INSERT, UPDATE and DELETE change; `name` is its name, too */
  struct rdx_sql_merge *merges;
  uint32_t merge_count;
  rdx_sql_conflict *conflict; /* NULL: a key that is there is an error */
  rdx_sql_alteration *alterations;
  uint32_t alteration_count;
  rdx_sql_target *returning;
  uint32_t returning_count; /* 0: no RETURNING */
  bool analyze, json, if_exists, if_not_exists, from, with_data, replaces, temporary;
  bool restarts; /* DELETE: RESTART IDENTITY of TRUNCATE */
  rdx_overriding overriding;
  uint32_t parameters; /* the largest n of any $n */
  uint32_t levels;     /* of its tree */
} rdx_sql_statement;

/* Levels that are planned and run on the caller's stack, which take up to 5 KiB each. */
#define RDX_SQL_SHALLOW_LEVELS 50

/* Parse the first statement of a text. `*next` is set behind it and its semicolon, at the end of the text where nothing
 * but blanks and comments follows. `*out` is NULL where the text has no statement. RDX_ERROR_FORMAT for what is no SQL,
 * RDX_ERROR_UNSUPPORTED, by its name, for what SQL has and Raydex has not. Errors show the line with a caret
 * (rdx_sql_error()). Deep and long statements are answers or errors, never crashes. */
RDX_MUST_USE rdx_status rdx_sql_parse(const char *text, rdx_arena *arena, rdx_sql_statement **out, const char **next,
                                      rdx_error *err);

/* The same, where nothing has a place: errors show the text of another statement. */
RDX_MUST_USE rdx_status rdx_sql_parse_placeless(const char *text, rdx_arena *arena, rdx_sql_statement **out,
                                                rdx_error *err);

/* The same of the text of a view. */
RDX_MUST_USE rdx_status rdx_sql_parse_view(const char *text, rdx_arena *arena, rdx_sql_statement **out, rdx_error *err);

/* The most characters of a column of varchar(n) or char(n), or digits of one of numeric(n, s), whose type is `title` in
 * words; 0: it is of none of them, or has as many digits as a column can have. */
int32_t rdx_sql_column_limit(const rdx_sql_column *column, const char **title);

/* What is said of a column beside its name and type, as a text such as "NOT NULL DEFAULT 5"; a type that has a limit
 * stands before it, such as "varchar(9)" or "numeric(4,2)"; NULL: nothing. And back, of which nothing has a place. */
RDX_MUST_USE rdx_status rdx_sql_declare(const rdx_sql_column *column, rdx_arena *arena, const char **out,
                                        rdx_error *err);
RDX_MUST_USE rdx_status rdx_sql_parse_declaration(const char *declaration, rdx_arena *arena, rdx_sql_column *out,
                                                  rdx_error *err);

/* `bits`: of the column's type. */
rdx_sql_numbers rdx_sql_numbers_of(const rdx_sql_identity *identity, uint32_t bits);
/* The number that row `row`, from 0, of the next rows gets; false: there is none. */
bool rdx_sql_number(const rdx_sql_numbers *numbers, uint64_t row, int64_t *out);
/* The number that the first one is without START. */
int64_t rdx_sql_default_start(const rdx_sql_identity *identity);
/* Fail as a column does whose numbers are used up. */
rdx_status rdx_sql_no_more_numbers(const char *text, rdx_sql_place place, const char *type, const char *column,
                                   const char *table, rdx_error *err);
/* As a text of `to`; returns that. */
const char *rdx_sql_number_text(rdx_i128 number, char to[44]);
/* What is written of `changes` becomes that of `identity`; bounds that nobody wrote stay if the direction changes. */
void rdx_sql_identity_apply(const rdx_sql_identity *changes, uint32_t bits, rdx_sql_identity *identity);

/* Constraints that have names as a text such as "CONSTRAINT "t_pkey" PRIMARY KEY ("id")", with commas between them;
 * NULL: there are none. And back, of which nothing has a place, and columns have no qualifier. */
RDX_MUST_USE rdx_status rdx_sql_declare_constraints(const rdx_sql_constraint *list, uint32_t count, rdx_arena *arena,
                                                    const char **out, rdx_error *err);
RDX_MUST_USE rdx_status rdx_sql_parse_constraints(const char *text, rdx_arena *arena, rdx_sql_constraint **out,
                                                  uint32_t *count, rdx_error *err);

/* The text of a CHECK, or of what is generated, in which columns have the names that `name` has for theirs. */
typedef const char *(*rdx_name_of_column)(const void *user, const char *name);
RDX_MUST_USE rdx_status rdx_sql_check_rename(rdx_sql_constraint *check, rdx_name_of_column name, const void *user,
                                             rdx_arena *arena, rdx_error *err);

/* Whether two expressions, either of which may be NULL, are written alike, whatever their places (alike.c). */
bool rdx_sql_is_alike(const rdx_ast *a, const rdx_ast *b);

/* Whether a constraint is a key that ON CONFLICT is about. */
bool rdx_sql_conflict_is_of(const rdx_sql_conflict *conflict, const rdx_sql_constraint *constraint);

/* Fail with what is wrong, the line of the text that has `place`, and a caret below it:
 *
 *   column "prize" does not exist
 *   LINE 1: SELECT prize FROM parts
 *                  ^
 *   HINT: there is "price" */
rdx_status rdx_sql_error(rdx_error *err, rdx_status status, const char *text, rdx_sql_place place, const char *hint,
                         const char *format, ...) RDX_PRINTF(6, 7);

#endif
