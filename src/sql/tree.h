/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_SQL_TREE_H
#define RDX_SQL_TREE_H

/* PostgreSQL's tree, of which queries and expressions are taken over. What the tree has and Raydex has not is refused,
 * so that nothing is ignored. */

#include <string.h>

#include <pg_query.h>
#include <pg_query/pg_query.pb-c.h>

#include "sql/statement.h"
#include "sql/text.h"

typedef PgQuery__Node rdx_tree_node;

typedef struct rdx_tree {
  rdx_sql_source *text;
  rdx_arena *arena; /* of the statement */
  rdx_error *err;
  rdx_sql_place near;  /* the last one that was met, for what has none of its own */
  bool placeless;      /* places are unknown */
  uint32_t levels;     /* that are open */
  uint32_t deepest;    /* the most that were */
  uint64_t nodes;      /* of expressions; what has several parents counts for each */
  uint32_t parameters; /* the largest */
  size_t window_count; /* WINDOW of the query at hand */
  rdx_tree_node *const *windows;
  bool *window_used; /* each of them: OVER or another one has named it */
  bool takes_default; /* the query that comes next is VALUES of INSERT, where DEFAULT may stand */
  uint32_t unnamed;   /* subqueries in FROM that have no name */
  bool in_exists;     /* the query that comes next is EXISTS's: it need not list anything */
  size_t type_count;  /* PREPARE's types of parameters */
  rdx_tree_node *const *types;
} rdx_tree;

/* Where a location of the tree is in the text. */
rdx_sql_place rdx_tree_place(const rdx_tree *t, int32_t location);

/* Fail with RDX_ERROR_UNSUPPORTED; where the place is unknown, near the last one that was met. */
rdx_status rdx_tree_refuse(const rdx_tree *t, rdx_sql_place place, const char *what);
/* What to do instead of what is refused, by the words that the message begins with; NULL where nothing is known. */
const char *rdx_refusal_hint(const char *what);
/* The same, where `refused`. */
RDX_MUST_USE rdx_status rdx_tree_refuse_if(const rdx_tree *t, bool refused, rdx_sql_place place, const char *what);

/* Every level of what is taken over is entered, and left where it is done: there is a limit. */
RDX_MUST_USE rdx_status rdx_tree_enter(rdx_tree *t, rdx_sql_place place);

/* Memory of the statement, zero. */
RDX_MUST_USE rdx_status rdx_tree_alloc(const rdx_tree *t, size_t count, size_t size, void **out);
RDX_MUST_USE rdx_status rdx_tree_copy(const rdx_tree *t, const char *text, const char **out);

/* A name as it is in the text; NULL: it is empty, which is how the tree has none. */
RDX_MUST_USE rdx_status rdx_tree_name(const rdx_tree *t, const char *parsed, const char **out);
/* The text of a string node, "" of any other. */
const char *rdx_tree_string(const rdx_tree_node *n);
RDX_MUST_USE rdx_status rdx_tree_names(const rdx_tree *t, size_t count, rdx_tree_node *const *strings,
                                       const char ***out, uint32_t *out_count);
/* Of a function, an operator or a type: the last name; PostgreSQL's own schema may be before it, no other. */
RDX_MUST_USE rdx_status rdx_tree_last_name(const rdx_tree *t, size_t count, rdx_tree_node *const *strings,
                                           rdx_sql_place place, const char **out);

typedef struct rdx_tree_type {
  const char *name, *field; /* of an interval */
  rdx_sql_place place;
  int32_t modifiers[2];
  uint32_t modifier_count;
} rdx_tree_type;

RDX_MUST_USE rdx_status rdx_tree_take_type(const rdx_tree *t, const PgQuery__TypeName *type, rdx_tree_type *out);

RDX_MUST_USE rdx_status rdx_tree_expression(rdx_tree *t, const rdx_tree_node *n, rdx_ast **out);
/* The elements of ARRAY[...], or of '{1,2}' as strings, of the type behind them. */
RDX_MUST_USE rdx_status rdx_tree_elements(rdx_tree *t, const PgQuery__Node *n, rdx_sql_place place, rdx_ast ***out,
                                          uint32_t *count);
RDX_MUST_USE rdx_status rdx_tree_expressions(rdx_tree *t, size_t count, rdx_tree_node *const *nodes, rdx_ast ***out,
                                             uint32_t *out_count);
RDX_MUST_USE rdx_status rdx_tree_call(rdx_tree *t, rdx_sql_place place, const char *name, uint32_t count,
                                      rdx_ast **out);

/* A column of CREATE TABLE or ADD COLUMN; what SET DEFAULT number `number`, from 0, of the statement says (NULL:
 * DROP). */
RDX_MUST_USE rdx_status rdx_tree_column(rdx_tree *t, const rdx_tree_node *n, rdx_sql_column *out);
RDX_MUST_USE rdx_status rdx_tree_set_default(rdx_tree *t, const rdx_tree_node *value, uint32_t number,
                                             rdx_sql_column *out);

/* A constraint of a table; `column`: the one that it is written behind, NULL: none. */
RDX_MUST_USE rdx_status rdx_tree_constraint(rdx_tree *t, const PgQuery__Constraint *k, const char *column,
                                            rdx_sql_constraint *out);

/* GENERATED ALWAYS AS (value) STORED. */
RDX_MUST_USE rdx_status rdx_tree_generated(rdx_tree *t, const PgQuery__Constraint *k, rdx_sql_constraint *out);
/* GENERATED ... AS IDENTITY, and its options, also those of ALTER COLUMN: what is written of them. */
RDX_MUST_USE rdx_status rdx_tree_identity(rdx_tree *t, const PgQuery__Constraint *k, const rdx_sql_identity **out);
RDX_MUST_USE rdx_status rdx_tree_identity_options(rdx_tree *t, size_t count, rdx_tree_node *const *options,
                                                  rdx_sql_identity *out);
/* The identity that smallserial, serial or bigserial has, and `*type` becomes the type that it is of; else NULL. */
RDX_MUST_USE rdx_status rdx_tree_serial(rdx_tree *t, const char **type, rdx_sql_place place,
                                        const rdx_sql_identity **out);
/* Columns by their names alone: the table may have another name by now. */
void rdx_tree_drop_qualifiers(rdx_ast *ast);

RDX_MUST_USE rdx_status rdx_tree_null(rdx_tree *t, rdx_sql_place place, rdx_ast **out);

/* ORDER BY's parts. */
RDX_MUST_USE rdx_status rdx_tree_orders(rdx_tree *t, size_t count, rdx_tree_node *const *nodes, rdx_sql_order **out,
                                        uint32_t *out_count);
/* What stands behind OVER. */
/* Begin with the windows that WINDOW names: fail where two have one name. */
RDX_MUST_USE rdx_status rdx_tree_windows(rdx_tree *t, size_t count, rdx_tree_node *const *windows);
/* Calls over those that nothing names. */
RDX_MUST_USE rdx_status rdx_tree_unused_windows(rdx_tree *t, rdx_sql_query *out);
RDX_MUST_USE rdx_status rdx_tree_window(rdx_tree *t, const PgQuery__WindowDef *w, rdx_sql_window **out);

RDX_MUST_USE rdx_status rdx_tree_query(rdx_tree *t, const PgQuery__SelectStmt *s, rdx_sql_query **out);
/* The list of SELECT or RETURNING. */
RDX_MUST_USE rdx_status rdx_tree_targets(rdx_tree *t, size_t count, rdx_tree_node *const *nodes, rdx_sql_target **out,
                                         uint32_t *out_count);
/* WITH of a query. */
RDX_MUST_USE rdx_status rdx_tree_with(rdx_tree *t, const PgQuery__WithClause *w, rdx_sql_query *out);
/* An item of FROM. */
/* SELECT * FROM `from`. */
RDX_MUST_USE rdx_status rdx_tree_all_of(rdx_tree *t, rdx_from *from, rdx_sql_query **out);
RDX_MUST_USE rdx_status rdx_tree_from(rdx_tree *t, const rdx_tree_node *n, rdx_from **out);
/* Whether a schema is that of all tables, or is not written (""). */
bool rdx_tree_is_public(const char *schema);
/* Where a table stands alone: no alias. */
RDX_MUST_USE rdx_status rdx_tree_table(const rdx_tree *t, const PgQuery__RangeVar *r, const char **out);

#endif
