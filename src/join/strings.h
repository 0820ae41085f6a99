/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_JOIN_STRINGS_H
#define RDX_JOIN_STRINGS_H

#include <raydex/column.h>

#include "base/base.h"

/* Columns of strings as u32 that are equal where the strings are: codes of the right column's dictionary, and
 * UINT32_MAX for what it has not. NULLs stay NULL, as the columns' own validity says. */
typedef struct rdx_join_codes {
  rdx_column left, right;
} rdx_join_codes;

/* Whether both are strings, of which some are so long that an index, which holds their first eight bytes, would compare
 * each with all that begin alike. */
bool rdx_join_wants_codes(const rdx_column *left, const rdx_column *right);

/* Drop with rdx_join_codes_drop(), after an error, too. */
RDX_MUST_USE rdx_status rdx_join_codes_make(const rdx_column *left, const rdx_column *right, rdx_join_codes *out,
                                            rdx_error *err);
void rdx_join_codes_drop(rdx_join_codes *codes);

#endif
