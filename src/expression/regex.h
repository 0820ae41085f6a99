/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_EXPRESSION_REGEX_H
#define RDX_EXPRESSION_REGEX_H

/* PostgreSQL's regular expressions, without back references and lookaround. The time that a match takes grows with the
 * length of the text times that of the pattern; where its groups are may take the square of the text's. */

#include "base/base.h"
#include "expression/types.h"

#define RDX_REGEX_GROUPS 10 /* the whole match, and \1 to \9 */

typedef struct rdx_regex rdx_regex;

/* Bytes of a text: none where begin is UINT64_MAX. */
typedef struct rdx_regex_span {
  uint64_t begin, end;
} rdx_regex_span;

/* `*wrong` says what is wrong with a pattern, `*out` is NULL then. The pattern's bytes are kept in the arena. */
RDX_MUST_USE rdx_status rdx_regex_compile(rdx_sql_text pattern, bool any_case, rdx_arena *arena, rdx_regex **out,
                                          const char **wrong, rdx_error *err);

bool rdx_regex_is(const rdx_regex *r, rdx_sql_text pattern, bool any_case);
/* How many groups it has. */
uint32_t rdx_regex_groups(const rdx_regex *r);

/* Whether what it said is true: it is not where it had to stop. */
RDX_MUST_USE rdx_status rdx_regex_status(const rdx_regex *r, rdx_error *err);

/* Whether it matches somewhere. */
bool rdx_regex_matches(rdx_regex *r, rdx_sql_text text);
/* The first match at or behind byte `from`, the longest there unless the pattern prefers short ones; `groups` has the
 * places of its groups, unless it is NULL. */
bool rdx_regex_find(rdx_regex *r, rdx_sql_text text, uint64_t from, rdx_regex_span *match,
                    rdx_regex_span groups[RDX_REGEX_GROUPS]);

#endif
