/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef TESTS_UNIT_STATEMENT_TEXT_H
#define TESTS_UNIT_STATEMENT_TEXT_H

/* Statements as texts that tests compare: every part of a tree that is not empty, each in its own form. */

#include <stddef.h>

#include "sql/statement.h"

/* Returns `out`; what does not fit is cut. */
const char *statement_text(const rdx_sql_statement *s, char *out, size_t capacity);

#endif
