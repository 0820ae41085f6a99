/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Comparisons. NaN equals NaN and is above all other numbers. */

#include <string.h>

#include "expression/block.h"
#include "expression/calendar.h"

int rdx_compare_texts(rdx_sql_text a, rdx_sql_text b) {
  const uint64_t shared = a.length < b.length ? a.length : b.length;
  const int order = shared > 0 ? memcmp(a.data, b.data, shared) : 0;
  return order != 0 ? order : (a.length > b.length) - (a.length < b.length);
}

int rdx_compare_doubles(double a, double b) {
  const int nan_a = a != a, nan_b = b != b;
  return nan_a | nan_b ? nan_a - nan_b : (a > b) - (a < b);
}

static int compare_intervals(rdx_sql_interval a, rdx_sql_interval b) {
  const rdx_i128 x = rdx_interval_span(a), y = rdx_interval_span(b);
  return (x > y) - (x < y);
}

#define KERNEL(name, type, test)                                                                                       \
  static rdx_status name(rdx_worker *w, const rdx_node *n, const rdx_values *args, const uint8_t *active,              \
                         rdx_values *out) {                                                                            \
    const type *restrict a = args[0].data, *restrict b = args[1].data;                                                 \
    int64_t *restrict to = out->data;                                                                                  \
    (void)n;                                                                                                           \
    (void)active;                                                                                                      \
    for (uint32_t i = 0; i < w->rows; i++)                                                                             \
      to[i] = test;                                                                                                    \
    return RDX_OK;                                                                                                     \
  }

#define KERNELS_OF_INTEGERS(name, type)                                                                                \
  KERNEL(name##_eq, type, a[i] == b[i])                                                                                \
  KERNEL(name##_ne, type, a[i] != b[i])                                                                                \
  KERNEL(name##_lt, type, a[i] < b[i])                                                                                 \
  KERNEL(name##_le, type, a[i] <= b[i])                                                                                \
  KERNEL(name##_gt, type, a[i] > b[i])                                                                                 \
  KERNEL(name##_ge, type, a[i] >= b[i])

#define NAN_A (a[i] != a[i])
#define NAN_B (b[i] != b[i])

KERNELS_OF_INTEGERS(i64, int64_t)
KERNELS_OF_INTEGERS(wide, rdx_i128)
KERNEL(f64_eq, double, (a[i] == b[i]) | (NAN_A & NAN_B))
KERNEL(f64_ne, double, !((a[i] == b[i]) | (NAN_A & NAN_B)))
KERNEL(f64_lt, double, (a[i] < b[i]) | (!NAN_A & NAN_B))
KERNEL(f64_le, double, (a[i] <= b[i]) | NAN_B)
KERNEL(f64_gt, double, (a[i] > b[i]) | (NAN_A & !NAN_B))
KERNEL(f64_ge, double, (a[i] >= b[i]) | NAN_A)
KERNEL(text_lt, rdx_sql_text, rdx_compare_texts(a[i], b[i]) < 0)
KERNEL(text_le, rdx_sql_text, rdx_compare_texts(a[i], b[i]) <= 0)
KERNEL(text_gt, rdx_sql_text, rdx_compare_texts(a[i], b[i]) > 0)
KERNEL(text_ge, rdx_sql_text, rdx_compare_texts(a[i], b[i]) >= 0)
KERNEL(interval_eq, rdx_sql_interval, compare_intervals(a[i], b[i]) == 0)
KERNEL(interval_ne, rdx_sql_interval, compare_intervals(a[i], b[i]) != 0)
KERNEL(interval_lt, rdx_sql_interval, compare_intervals(a[i], b[i]) < 0)
KERNEL(interval_le, rdx_sql_interval, compare_intervals(a[i], b[i]) <= 0)
KERNEL(interval_gt, rdx_sql_interval, compare_intervals(a[i], b[i]) > 0)
KERNEL(interval_ge, rdx_sql_interval, compare_intervals(a[i], b[i]) >= 0)

static bool same_text(rdx_sql_text a, rdx_sql_text b) {
  return a.length == b.length && (a.length == 0 || memcmp(a.data, b.data, a.length) == 0);
}

KERNEL(text_same, rdx_sql_text, same_text(a[i], b[i]))
KERNEL(text_other, rdx_sql_text, !same_text(a[i], b[i]))

rdx_values_fn rdx_comparison_kernel(rdx_op op, rdx_class class) {
  static const rdx_values_fn kernels[][6] = {
      [RDX_CLASS_I64] = {i64_eq, i64_ne, i64_lt, i64_le, i64_gt, i64_ge},
      [RDX_CLASS_WIDE] = {wide_eq, wide_ne, wide_lt, wide_le, wide_gt, wide_ge},
      [RDX_CLASS_F64] = {f64_eq, f64_ne, f64_lt, f64_le, f64_gt, f64_ge},
      [RDX_CLASS_TEXT] = {text_same, text_other, text_lt, text_le, text_gt, text_ge},
      [RDX_CLASS_INTERVAL] = {interval_eq, interval_ne, interval_lt, interval_le, interval_gt, interval_ge},
  };
  return kernels[class][op == RDX_OP_DISTINCT ? RDX_OP_NE - RDX_OP_EQ : op - RDX_OP_EQ];
}
