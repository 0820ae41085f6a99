/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RAYDEX_TESTS_TABLES_H
#define RAYDEX_TESTS_TABLES_H

/* What tests of tables share. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <raydex/raydex.h>

#include <string.h>

/* Calls that name their error `err`. */
#define OK(call)                                                                                                       \
  do {                                                                                                                 \
    rdx_error ok_err = {""};                                                                                           \
    rdx_error *const err = &ok_err;                                                                                    \
    if ((call) != RDX_OK)                                                                                              \
      fail_msg("%s", ok_err.text);                                                                                     \
  } while (0)

#define FAILS(call, status, words)                                                                                     \
  do {                                                                                                                 \
    rdx_error fails_err = {""};                                                                                        \
    rdx_error *const err = &fails_err;                                                                                 \
    assert_int_equal(call, status);                                                                                    \
    if (!strstr(fails_err.text, words))                                                                                \
      fail_msg("'%s' does not say '%s'", fails_err.text, words);                                                       \
  } while (0)

bool is_null(const rdx_column *column, uint64_t row);

/* Names, types, and every value, by its bytes. */
void check_same(const rdx_table *a, const rdx_table *b);

#endif
