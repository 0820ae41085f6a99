/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_DATABASE_IDENTITY_H
#define RDX_DATABASE_IDENTITY_H

#include "database/change.h"

/* Columns that number rows. Row r of those that a statement adds has the number next + r * increment, whether it takes
 * it or has another one. */

/* Fail where a column cannot number rows. */
RDX_MUST_USE rdx_status rdx_identity_check(const rdx_statement *statement, const rdx_sql_identity *identity,
                                           rdx_type type, rdx_error *err);
/* For each column of a table what numbers its rows; NULL: nothing. */
RDX_MUST_USE rdx_status rdx_identity_list(const rdx_table *table, rdx_arena *arena, const rdx_sql_identity ***out,
                                          rdx_error *err);
/* Number `table`'s rows in a column, those that are `wanted` (NULL: all), and note that they are. */
RDX_MUST_USE rdx_status rdx_identity_fill(rdx_statement *statement, const char *name, rdx_table *table, uint32_t column,
                                          const bool *wanted, rdx_error *err);
/* Note that a column of a table of `columns` gave numbers to so many rows. */
RDX_MUST_USE rdx_status rdx_identity_note(rdx_statement *statement, uint32_t columns, uint32_t column, uint64_t rows,
                                          rdx_error *err);
/* A table that is to be written gets the next numbers behind those. */
RDX_MUST_USE rdx_status rdx_identity_advance(const rdx_statement *statement, rdx_table *table, rdx_error *err);

#endif
