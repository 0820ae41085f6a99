/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

#include "tables.h"

bool is_null(const rdx_column *c, uint64_t i) {
  return c->validity && !(c->validity[i / 8] >> i % 8 & 1);
}

void check_same(const rdx_table *a, const rdx_table *b) {
  assert_int_equal(rdx_table_rows(a), rdx_table_rows(b));
  assert_int_equal(rdx_table_columns(a), rdx_table_columns(b));
  for (uint32_t k = 0; k < rdx_table_columns(a); k++) {
    const rdx_column *x = rdx_table_column(a, k), *y = rdx_table_column(b, k);
    assert_string_equal(rdx_table_column_name(a, k), rdx_table_column_name(b, k));
    assert_int_equal(x->type, y->type);
    assert_int_equal(x->scale, y->scale);
    const size_t size = rdx_type_size(x->type);
    for (uint64_t i = 0; i < x->rows; i++) {
      assert_int_equal(is_null(x, i), is_null(y, i));
      if (is_null(x, i))
        continue;
      uint64_t n = size, m = size;
      const char *p = size ? (const char *)x->values + i * size : rdx_column_string(x, i, &n);
      const char *q = size ? (const char *)y->values + i * size : rdx_column_string(y, i, &m);
      if (n != m || memcmp(p, q, n) != 0)
        fail_msg("column %u, row %llu", k, (unsigned long long)i);
    }
  }
}
