/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

#include "table/names.h"

#include <string.h>

/* The number of a name, which is one of no column where it is new. */
static rdx_status number_of(rdx_names *n, const char *name, uint64_t length, uint32_t *number, rdx_error *err) {
  RDX_TRY(rdx_distinct_add(&n->names, name, length, number, err));
  if (*number < n->capacity)
    return RDX_OK;
  const uint32_t capacity = 2 * n->capacity + 16; /* names come one by one */
  RDX_TRY(rdx_realloc((void **)&n->first, capacity, sizeof *n->first, "column names", err));
  RDX_TRY(rdx_realloc((void **)&n->second, capacity, sizeof *n->second, "column names", err));
  memset(n->first + n->capacity, 0xff, (capacity - n->capacity) * sizeof *n->first);
  memset(n->second + n->capacity, 0xff, (capacity - n->capacity) * sizeof *n->second);
  n->capacity = capacity;
  return RDX_OK;
}

rdx_status rdx_names_add(rdx_names *n, const char *name, uint64_t length, rdx_error *err) {
  uint32_t number = 0;
  RDX_TRY(number_of(n, name, length, &number, err));
  if (n->first[number] == RDX_NO_COLUMN)
    n->first[number] = n->columns;
  else if (n->second[number] == RDX_NO_COLUMN)
    n->second[number] = n->columns;
  n->columns++;
  return RDX_OK;
}

rdx_status rdx_names_find(rdx_names *n, const char *name, uint32_t *first, uint32_t *second, rdx_error *err) {
  uint32_t number = 0;
  RDX_TRY(number_of(n, name, strlen(name), &number, err));
  *first = n->first[number];
  *second = n->second[number];
  return RDX_OK;
}

void rdx_names_drop(rdx_names *n) {
  rdx_distinct_drop(&n->names);
  RDX_FREE_ALL(n->first, n->second);
  *n = (rdx_names){0};
}
