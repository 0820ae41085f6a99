/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_EXECUTE_EQUAL_ROWS_H
#define RDX_EXECUTE_EQUAL_ROWS_H

/* Rows that are equal in all of some columns. A row with a NULL in one of these is equal to none, not even itself. */

#include "execute/execute.h"

typedef struct rdx_equal_rows {
  uint32_t *first; /* of each row the first one that is equal to it; RDX_NO_ROW: it has a NULL */
  uint32_t *old;   /* of each row the one of `old` that is equal to it; RDX_NO_ROW: none */
} rdx_equal_rows;

/* Of rows in which no two of `old` (NULL: there is none) are equal; both have `count` columns of the same types. */
RDX_MUST_USE rdx_status rdx_equal_rows_find(rdx_execution *x, const rdx_column *const *old,
                                            const rdx_column *const *rows, uint32_t count, rdx_equal_rows *out,
                                            rdx_error *err);
void rdx_equal_rows_drop(rdx_equal_rows *equal);

#endif
