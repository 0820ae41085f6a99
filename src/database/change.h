/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_DATABASE_CHANGE_H
#define RDX_DATABASE_CHANGE_H

#include "database/internal.h"

/* Tables as statements that change them need them (rows.c). */

/* A view of all columns of a catalog table, which must be open; valid while that table is held. */
RDX_MUST_USE rdx_status rdx_change_view(const rdx_catalog_table *table, rdx_table **out, rdx_error *err);
/* The same of these columns. */
RDX_MUST_USE rdx_status rdx_change_view_columns(const rdx_catalog_table *table, const uint32_t *columns, uint32_t count,
                                                rdx_table **out, rdx_error *err);
/* All rows of two tables of the same columns. */
RDX_MUST_USE rdx_status rdx_change_concatenate(const rdx_table *first, const rdx_table *second, rdx_table **out,
                                               rdx_error *err);
/* What becomes of the rows of a table: chosen[i] is the row of `added` that changes row i, RDX_NO_ROW: none does.
 * `added` NULL: rows that are chosen go. Else they get the values of its columns from[i] for column i, where that is
 * not UINT32_MAX. */
typedef struct rdx_merge {
  const rdx_table *old, *added;
  const uint32_t *chosen, *from;
  uint64_t rows; /* of the result */
  bool borrows;  /* columns that stay as they are may be those of `old` */
} rdx_merge;

RDX_MUST_USE rdx_status rdx_change_merge(const rdx_merge *merge, rdx_table **out, rdx_error *err);
/* A column of a new version: that of the old one, or, where `from` is UINT32_MAX, a new one: all rows have the first
 * row of `value`. */
typedef struct rdx_new_column {
  const char *name, *declaration;
  uint32_t from;
  rdx_vector value;
} rdx_new_column;

typedef struct rdx_new_columns {
  rdx_new_column *list;
  uint32_t count;
  const char *constraints; /* NULL: none */
} rdx_new_columns;

/* The rows of a table with these columns, which may be its own where it `borrows`. */
RDX_MUST_USE rdx_status rdx_change_columns(const rdx_table *old, const rdx_new_columns *columns, bool borrows,
                                           rdx_table **out, rdx_error *err);
/* Rows with the table's columns and types: column i is column from[i] of `rows`, UINT32_MAX: its DEFAULT. A value that
 * does not fit is an error that names it. */
RDX_MUST_USE rdx_status rdx_change_convert(const rdx_statement *statement, const rdx_catalog_table *table,
                                           const rdx_table *rows, const uint32_t *from, rdx_table **out,
                                           rdx_error *err);

/* The values of a column in place of those that it has; `values` is of its type and length. */
RDX_MUST_USE rdx_status rdx_change_set_column(rdx_table *table, uint32_t index, const rdx_column *values,
                                              rdx_error *err);

/* What is declared of columns (declared.c). `rows` times the DEFAULT of a declaration, which may be NULL, of a type. */
RDX_MUST_USE rdx_status rdx_declared_default(const rdx_statement *statement, rdx_arena *arena, const char *declaration,
                                             rdx_sql_type type, uint64_t rows, rdx_vector *out, rdx_error *err);
/* The declaration of a column as it is written, and its DEFAULT, which must be of the column's type. */
RDX_MUST_USE rdx_status rdx_declare(const rdx_statement *statement, rdx_arena *arena, const rdx_sql_column *column,
                                    const rdx_field *field, const char **out, rdx_vector *value, rdx_error *err);
/* For each column of a table what is declared of it. */
RDX_MUST_USE rdx_status rdx_declared_list(const rdx_catalog_table *table, rdx_arena *arena, rdx_sql_column **out,
                                          rdx_error *err);
/* Fail where a column that is declared to be NOT NULL has one. */
RDX_MUST_USE rdx_status rdx_declared_check(const rdx_statement *statement, const char *table, const rdx_table *rows,
                                           rdx_error *err);

/* Statements that change tables (change.c). Fail, with the place of the statement. */
rdx_status rdx_change_fail(const rdx_statement *statement, rdx_error *err, rdx_status status, const char *format, ...)
    RDX_PRINTF(4, 5);
/* A table by its name, which is no view; release it. */
RDX_MUST_USE rdx_status rdx_change_find(const rdx_statement *statement, const char *name, rdx_catalog_table **out,
                                        rdx_error *err);
/* Fail where a definition of a folder would be of a temporary table; the same of all tables that the statement's plan
 * reads. */
RDX_MUST_USE rdx_status rdx_change_check_lasts(const rdx_statement *statement, const rdx_catalog_table *table,
                                               const char *what, rdx_error *err);
RDX_MUST_USE rdx_status rdx_change_check_lasting(const rdx_statement *statement, const char *what, rdx_error *err);
/* As rdx_change_find(); `if_exists`: NULL where there is none. */
RDX_MUST_USE rdx_status rdx_change_find_if(const rdx_statement *statement, const char *name, bool if_exists,
                                           rdx_catalog_table **out, rdx_error *err);
/* All of a table that can be changed, read and verified, as a view of it. */
RDX_MUST_USE rdx_status rdx_change_open(rdx_statement *statement, rdx_catalog_table *table, rdx_table **out,
                                        rdx_error *err);
/* Rows whose columns are those that the statement names, or `all` of the table's, with the table's columns: what is
 * declared of these holds. */
RDX_MUST_USE rdx_status rdx_change_fit(rdx_statement *statement, const rdx_catalog_table *table, const rdx_table *rows,
                                       bool all, rdx_table **out, rdx_error *err);
/* Append such rows, for which constraints must hold, too. */
RDX_MUST_USE rdx_status rdx_change_append(rdx_statement *statement, rdx_catalog_table *table, const rdx_table *added,
                                          rdx_error *err);
/* Both. */
RDX_MUST_USE rdx_status rdx_change_insert(rdx_statement *statement, rdx_catalog_table *table, const rdx_table *rows,
                                          rdx_error *err);
/* `*content` as the new version of a table; it is taken over. */
RDX_MUST_USE rdx_status rdx_change_replace(rdx_statement *statement, const rdx_catalog_table *table,
                                           rdx_table **content, rdx_error *err);

/* The type of a column as CREATE TABLE and ALTER TABLE write it. */
RDX_MUST_USE rdx_status rdx_change_field(const rdx_statement *statement, const rdx_sql_column *column, rdx_field *out,
                                         rdx_error *err);

/* What the plan of a statement that changes rows found (update.c): for each of `rows` rows the one that was found for
 * it, RDX_NO_ROW: none; of several the first. */
RDX_MUST_USE rdx_status rdx_change_choose(const rdx_plan_change *change, const rdx_table *found, uint64_t rows,
                                          uint32_t **out, uint64_t *count, rdx_error *err);
/* `count` columns of some rows, with the names of the plan's outputs. */
RDX_MUST_USE rdx_status rdx_change_take(const rdx_statement *statement, const rdx_table *found, uint32_t first,
                                        uint32_t count, const uint32_t *rows, uint64_t row_count, rdx_table **out,
                                        rdx_error *err);
/* The value of a column of numbers; INT64_MAX for NULL. */
int64_t rdx_change_number(const rdx_table *found, uint32_t column, uint64_t row);

/* Some rows of a table, with what is declared of its columns; `list` NULL: all of it. */
RDX_MUST_USE rdx_status rdx_change_take_rows(const rdx_statement *statement, const rdx_table *from,
                                             const uint32_t *list, uint64_t count, rdx_table **out, rdx_error *err);
/* The first columns of what was found for a statement that merges, of the chosen rows (NULL: all), as the table's. */
RDX_MUST_USE rdx_status rdx_change_take_values(const rdx_statement *statement, const rdx_catalog_table *table,
                                               const rdx_table *found, const uint32_t *chosen, uint64_t rows,
                                               rdx_table **out, rdx_error *err);

/* INSERT with ON CONFLICT, of what the plan found (conflict.c): the answer is RETURNING's. */
RDX_MUST_USE rdx_status rdx_change_run_conflict(rdx_statement *statement, rdx_catalog_table *table, rdx_answer *answer,
                                                rdx_error *err);
/* INSERT; UPDATE and DELETE (update.c); MERGE (merge.c); ALTER TABLE (alter.c). */
RDX_MUST_USE rdx_status rdx_change_run_insert(rdx_statement *statement, rdx_answer *answer, rdx_error *err);
RDX_MUST_USE rdx_status rdx_change_run_update(rdx_statement *statement, rdx_answer *answer, rdx_error *err);
RDX_MUST_USE rdx_status rdx_change_run_merge(rdx_statement *statement, rdx_answer *answer, rdx_error *err);
RDX_MUST_USE rdx_status rdx_change_run_alter(rdx_statement *statement, rdx_answer *answer, rdx_error *err);

/* COPY's options (options.c). */
typedef struct rdx_copy_options {
  rdx_csv_params *csv;
  const char *nulls[1];
  bool parquet; /* instead of CSV */
} rdx_copy_options;

RDX_MUST_USE rdx_status rdx_change_copy_options(const rdx_statement *statement, rdx_copy_options *out, rdx_error *err);

#endif
