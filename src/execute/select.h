/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_EXECUTE_SELECT_H
#define RDX_EXECUTE_SELECT_H

/* Rows chosen by their first words, without sorting them all. */

#include "execute/keys.h"

/* The rows whose first words are between two bounds, both included, ascending; for rdx_free(). */
RDX_MUST_USE rdx_status rdx_select_between(rdx_first_words *words, uint64_t rows, uint64_t min, uint64_t max,
                                           uint32_t **out, uint64_t *count, rdx_error *err);

/* Rows that are next to each other in the order of keys, some places of it among them. */
typedef struct rdx_selection {
  uint64_t first, last; /* the places */
  uint32_t *rows;       /* ascending, for rdx_free() */
  uint64_t count;
  uint64_t before; /* rows that come before all of these in the order */
} rdx_selection;

/* Find them. */
RDX_MUST_USE rdx_status rdx_select_places(rdx_execution *x, const rdx_key_column *columns, uint32_t count,
                                          uint64_t rows, rdx_selection *selection, rdx_error *err);

#endif
