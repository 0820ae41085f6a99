/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef TESTS_UNIT_ASK_H
#define TESTS_UNIT_ASK_H

/* Statements of which a test looks at one bigint. Include cmocka.h first. */

#include <raydex/raydex.h>

/* Returns the first value of the answer; 0 where it has none. */
static rdx_status ask(rdx_database *d, const char *sql, int64_t *out, rdx_error *err) {
  rdx_statement *s = NULL;
  rdx_answer *a = NULL;
  rdx_status status = rdx_statement_prepare(d, sql, NULL, &s, err);
  if (status == RDX_OK)
    status = rdx_statement_execute(s, &a, err);
  const rdx_table *t = status == RDX_OK ? rdx_answer_table(a) : NULL;
  *out = t && rdx_table_rows(t) > 0 ? *(const int64_t *)rdx_table_column(t, 0)->values : 0;
  rdx_answer_destroy(&a);
  rdx_statement_destroy(&s);
  return status;
}

static int64_t must(rdx_database *d, const char *sql) {
  rdx_error err = {""};
  int64_t value = 0;
  if (ask(d, sql, &value, &err) != RDX_OK)
    fail_msg("%s: %s", sql, err.text);
  return value;
}

#endif
