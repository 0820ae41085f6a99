/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_DATABASE_CONSTRAINTS_H
#define RDX_DATABASE_CONSTRAINTS_H

#include "database/change.h"
#include "execute/equal_rows.h"

/* Constraints of tables: PRIMARY KEY, UNIQUE and CHECK. Those that a statement writes have a place, those that the
 * table had before have none. */
typedef struct rdx_constraints {
  rdx_sql_constraint *list;
  uint32_t count;
} rdx_constraints;

/* The columns of a table as a row of it. */
RDX_MUST_USE rdx_status rdx_constraints_row(rdx_arena *arena, const char *table, const rdx_table *rows,
                                            rdx_row_columns *out, rdx_error *err);
/* For each column of a row, all of which a constraint finds, whether it reads it. */
RDX_MUST_USE rdx_status rdx_constraint_reads(const rdx_sql_constraint *constraint, const rdx_row_columns *row,
                                             rdx_arena *arena, bool **out, rdx_error *err);
/* Columns by the names that they have in the row, where it has them: no array of the statement's changes. */
RDX_MUST_USE rdx_status rdx_constraints_resolve(rdx_constraints *constraints, const rdx_row_columns *row,
                                                rdx_arena *arena, rdx_error *err);
/* The same, where the row's column `from` is called `to` from now on. */
RDX_MUST_USE rdx_status rdx_constraints_rename(rdx_constraints *constraints, const rdx_row_columns *row,
                                               const char *from, const char *to, rdx_arena *arena, rdx_error *err);
/* Find out whether those that are new can be of a table with the columns of `rows`, and name those without a name;
 * `*out` is the text of all, NULL: none. */
RDX_MUST_USE rdx_status rdx_constraints_define(const rdx_statement *statement, rdx_constraints *constraints,
                                               const char *table, const rdx_table *rows, rdx_arena *arena,
                                               const char **out, rdx_error *err);
/* Whether a column is of the primary key. */
bool rdx_constraints_has_key_column(const rdx_constraints *constraints, const char *column);

/* Rows that are to be looked at. */
typedef struct rdx_constrained_rows {
  const rdx_statement *statement;
  const char *table;
  const rdx_table *old; /* those that are there, for which all holds; NULL: none */
  const rdx_table *rows;
  const bool *changed; /* columns; NULL: all */
  bool only_checks;    /* keys are not looked at */
} rdx_constrained_rows;

/* Fail where a row violates a constraint; ALTER TABLE looks at those that are new. */
RDX_MUST_USE rdx_status rdx_constraints_check_list(const rdx_constrained_rows *of, const rdx_constraints *constraints,
                                                   rdx_error *err);
/* The same of a text (NULL: none). */
RDX_MUST_USE rdx_status rdx_constraints_check(const rdx_constrained_rows *of, const char *constraints, rdx_error *err);
/* Which rows of `rows`, and of `old`, are equal in a key; drop `*out`. */
RDX_MUST_USE rdx_status rdx_constraint_find_equal(const rdx_constrained_rows *of, const rdx_sql_constraint *key,
                                                  rdx_equal_rows *out, rdx_error *err);

#endif
