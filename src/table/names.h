/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_TABLE_NAMES_H
#define RDX_TABLE_NAMES_H

/* Columns by their names, also where there are many. */

#include "column/dictionary.h"

#define RDX_NO_COLUMN UINT32_MAX

/* All zero has no columns. */
typedef struct rdx_names {
  rdx_distinct names;
  uint32_t *first, *second; /* of each name: the columns that have it */
  uint32_t columns, capacity;
} rdx_names;

/* Add the name of the next column. */
RDX_MUST_USE rdx_status rdx_names_add(rdx_names *names, const char *name, uint64_t length, rdx_error *err);

/* The first column of a name, and the second; RDX_NO_COLUMN: there is none. */
RDX_MUST_USE rdx_status rdx_names_find(rdx_names *names, const char *name, uint32_t *first, uint32_t *second,
                                       rdx_error *err);

void rdx_names_drop(rdx_names *names);

#endif
