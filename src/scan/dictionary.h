/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_SCAN_DICTIONARY_H
#define RDX_SCAN_DICTIONARY_H

#include <raydex/column.h>

#include "base/base.h"

/* The distinct strings of a column, ascending: the code of a string is its place. */
typedef struct rdx_dictionary {
  uint32_t count;
  uint64_t *offsets; /* count + 1 */
  char *bytes;
} rdx_dictionary;

/* Make the dictionary of a host column of strings, and the codes of its rows (`codes`; those of NULLs are 0). */
RDX_MUST_USE rdx_status rdx_dictionary_create(const rdx_column *column, uint32_t *codes, rdx_dictionary **out,
                                              rdx_error *err);
void rdx_dictionary_destroy(rdx_dictionary **dictionary);

/* The first code whose string is not below row `row` of `strings`; `*equal`: it is that string. */
uint32_t rdx_dictionary_search(const rdx_dictionary *dictionary, const rdx_column *strings, uint64_t row, bool *equal);

#endif
