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
/* Rows with the table's columns and types: column i is column from[i] of `rows`, UINT32_MAX: NULL. A value that does
 * not fit is an error that names it. */
RDX_MUST_USE rdx_status rdx_change_convert(rdx_pool *pool, const rdx_catalog_table *table, const rdx_table *rows,
                                           const uint32_t *from, const char *text, rdx_table **out, rdx_error *err);

/* The list of UPDATE's query: the columns of the new version, as the table has them, and whether the row is changed
 * (update.c). */
RDX_MUST_USE rdx_status rdx_change_list(rdx_prepared *prepared, rdx_error *err);

/* COPY's options (options.c). */
typedef struct rdx_copy_options {
  rdx_csv_params *csv;
  const char *nulls[1];
  bool parquet; /* instead of CSV */
} rdx_copy_options;

RDX_MUST_USE rdx_status rdx_change_copy_options(const rdx_statement *statement, rdx_copy_options *out, rdx_error *err);

#endif
