/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_DATABASE_GENERATED_H
#define RDX_DATABASE_GENERATED_H

#include "database/constraints.h"

/* Columns that are GENERATED ALWAYS AS (value) STORED. */

/* The columns that `column` reads by their names in the row, of which `from` (NULL: none) is called `to` from now on:
 * nothing of the statement's changes. */
RDX_MUST_USE rdx_status rdx_generated_resolve(rdx_sql_column *column, const rdx_row_columns *row, const char *from,
                                              const char *to, rdx_arena *arena, rdx_error *err);
/* Find out whether a column that is new can be column `index` of a table. */
RDX_MUST_USE rdx_status rdx_generated_define(const rdx_statement *statement, const rdx_sql_column *column,
                                             const char *name, const rdx_table *table, uint32_t index, rdx_error *err);
/* Calculate the columns of a table that are generated; `which`: of these (NULL: all). */
RDX_MUST_USE rdx_status rdx_generated_fill(const rdx_statement *statement, const char *name, rdx_table *table,
                                           const bool *which, rdx_error *err);

#endif
