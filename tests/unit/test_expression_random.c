/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Random expressions: whole columns by several threads must say what each row says by itself, with the same errors; and
 * arithmetic at the ends of types must be what 128 bits say. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "expressions.h"
#include "random.h"

#define ROWS 1500
#define EXPRESSIONS 400
#define LOOKED_AT 40 /* rows of each that are evaluated by themselves */

/* ---- Data ---- */

enum { SMALL, INT, BIG, DECIMAL, FLOAT, DAY, TRUTH, WORD, COLUMNS };

static const char *const names[COLUMNS] = {"s", "i", "l", "d", "f", "day", "b", "w"};

static struct {
  int16_t small[ROWS];
  int32_t integer[ROWS], day[ROWS];
  int64_t big[ROWS], decimal[ROWS];
  double real[ROWS];
  uint8_t truth[ROWS], validity[COLUMNS][(ROWS + 7) / 8];
  uint32_t codes[ROWS];
  rdx_input inputs[COLUMNS];
  rdx_pool *pool;
} data;

static const char word_bytes[] = "12-7BerlinPROMO TINaab";
static const uint64_t word_offsets[] = {0, 0, 2, 4, 10, 19, 20, 22};
static const rdx_column dictionary = {
    .type = RDX_TYPE_STRING, .rows = 7, .values = word_bytes, .offsets = word_offsets};

static uint64_t below(uint64_t limit) {
  return next_random() % limit;
}

/* Small numbers mostly, so that not all is an overflow. */
static int64_t some_number(int bits) {
  const int64_t max = (int64_t)(UINT64_MAX >> (65 - bits));
  const int64_t ends[] = {0, 1, -1, max, -max - 1, max - 1};
  return below(200) == 0 ? ends[below(RDX_COUNT(ends))] : (int64_t)below(41) - 20;
}

static int make_data(void **state) {
  (void)state;
  for (uint32_t i = 0; i < ROWS; i++) {
    data.small[i] = (int16_t)some_number(16);
    data.integer[i] = (int32_t)some_number(32);
    data.big[i] = some_number(64);
    data.decimal[i] = below(50) == 0 ? some_number(62) : (int64_t)below(4001) - 2000;
    data.real[i] = below(30) == 0 ? (double)INFINITY : (double)((int64_t)below(401) - 200) / 16;
    data.day[i] = (int32_t)below(300) + 9000; /* few: what depends on them is looked up */
    data.truth[i] = (uint8_t)below(2);
    data.codes[i] = (uint32_t)below(7);
    for (int c = 0; c < COLUMNS; c++)
      data.validity[c][i / 8] |= (uint8_t)((below(10) != 0) << i % 8);
  }
  const struct {
    rdx_type type;
    const void *values;
  } kinds[COLUMNS] = {{RDX_TYPE_I16, data.small},       {RDX_TYPE_I32, data.integer}, {RDX_TYPE_I64, data.big},
                      {RDX_TYPE_DECIMAL, data.decimal}, {RDX_TYPE_F64, data.real},    {RDX_TYPE_DATE, data.day},
                      {RDX_TYPE_BOOL, data.truth},      {RDX_TYPE_STRING, data.codes}};
  for (int c = 0; c < COLUMNS; c++)
    data.inputs[c].column = (rdx_column){.type = kinds[c].type,
                                         .scale = c == DECIMAL ? 2 : 0,
                                         .rows = ROWS,
                                         .values = kinds[c].values,
                                         .validity = data.validity[c]};
  data.inputs[WORD].column.dictionary = &dictionary;
  return rdx_pool_create(3, &data.pool, NULL) == RDX_OK ? 0 : -1;
}

static int drop_data(void **state) {
  (void)state;
  rdx_pool_destroy(&data.pool);
  return 0;
}

/* ---- Random texts ---- */

typedef struct writer {
  char text[4096];
  size_t used;
} writer;

static void write_number(writer *w, int depth);
static void write_truth(writer *w, int depth);
static void write_text(writer *w, int depth);
static void write_date(writer *w, int depth);

/* A pattern whose letters stand for what is written there: n, b, t, d as above. */
static void write(writer *w, const char *pattern, int depth) {
  for (const char *c = pattern; *c; c++) {
    if (c[0] == '@' && c[1] == 'n')
      write_number(w, depth - 1);
    else if (c[0] == '@' && c[1] == 'b')
      write_truth(w, depth - 1);
    else if (c[0] == '@' && c[1] == 't')
      write_text(w, depth - 1);
    else if (c[0] == '@' && c[1] == 'd')
      write_date(w, depth - 1);
    else if (w->used + 1 < sizeof w->text)
      w->text[w->used++] = *c;
    c += c[0] == '@';
  }
  w->text[w->used] = '\0';
}

static void write_one(writer *w, const char *const *leaves, size_t leaf_count, const char *const *calls,
                      size_t call_count, int depth) {
  if (depth <= 0 || below(5) == 0)
    write(w, leaves[below(leaf_count)], 0);
  else
    write(w, calls[below(call_count)], depth);
}

static void write_number(writer *w, int depth) {
  static const char *const leaves[] = {"s",  "i",   "l",     "d",     "f",         "0",           "1",
                                       "-3", "2.5", "0.001", "1.5e0", "NULL::int", "7::smallint", "2000000000"};
  static const char *const calls[] = {"(@n + @n)",
                                      "(@n - @n)",
                                      "(@n * @n)",
                                      "(@n / @n)",
                                      "(- @n)",
                                      "abs(@n)",
                                      "CASE WHEN @b THEN @n ELSE @n END",
                                      "COALESCE(@n, @n)",
                                      "GREATEST(@n, @n)",
                                      "LEAST(@n, @n, @n)",
                                      "length(@t)",
                                      "round(@n, 1)",
                                      "(@n)::numeric(20,3)",
                                      "(@n)::int",
                                      "(@n)::float8",
                                      "NULLIF(@n, @n)",
                                      "extract(month from @d)",
                                      "(@d - @d)",
                                      "mod(i, s)",
                                      "floor(@n)"};
  write_one(w, leaves, RDX_COUNT(leaves), calls, RDX_COUNT(calls), depth);
}

static void write_truth(writer *w, int depth) {
  static const char *const leaves[] = {"b", "true", "false", "NULL::bool", "w = 'a'", "i > 3"};
  static const char *const calls[] = {"(@n < @n)",
                                      "(@n = @n)",
                                      "(@n >= @n)",
                                      "(@b AND @b)",
                                      "(@b OR @b)",
                                      "(NOT @b)",
                                      "(@n IS NULL)",
                                      "(@b IS TRUE)",
                                      "(@n IS DISTINCT FROM @n)",
                                      "(@t LIKE '%a%')",
                                      "(@t = @t)",
                                      "(@n IN (1, 2.5, @n))",
                                      "(@n BETWEEN @n AND @n)",
                                      "(@d < @d)",
                                      "(@t IN ('a', 'PROMO TIN', '12'))",
                                      "(@t < @t)",
                                      "(i IN (1,2,3,4,5,6,7,8,9,NULL))"};
  write_one(w, leaves, RDX_COUNT(leaves), calls, RDX_COUNT(calls), depth);
}

static void write_text(writer *w, int depth) {
  static const char *const leaves[] = {"w", "w", "'a'", "''", "NULL::text"};
  static const char *const calls[] = {"upper(@t)",
                                      "(@t || @t)",
                                      "substring(@t from 2 for 3)",
                                      "COALESCE(@t, @t)",
                                      "CASE WHEN @b THEN @t ELSE @t END",
                                      "(@n)::text",
                                      "concat(@t, @n)",
                                      "replace(@t, 'a', 'bb')",
                                      "GREATEST(@t, @t)",
                                      "(@d)::text",
                                      "trim(@t)"};
  write_one(w, leaves, RDX_COUNT(leaves), calls, RDX_COUNT(calls), depth);
}

static void write_date(writer *w, int depth) {
  static const char *const leaves[] = {"day", "day", "date '1995-01-31'", "NULL::date"};
  static const char *const calls[] = {
      "(@d + 30)",        "(@d + interval '1' month)::date",  "date_trunc('month', @d)::date",
      "COALESCE(@d, @d)", "CASE WHEN @b THEN @d ELSE @d END", "LEAST(@d, @d)"};
  write_one(w, leaves, RDX_COUNT(leaves), calls, RDX_COUNT(calls), depth);
}

/* ---- Comparing ---- */

static rdx_status evaluate_rows(const test_expression *expression, const uint32_t *rows, uint64_t count, rdx_pool *pool,
                                rdx_vector *out, rdx_error *err) {
  rdx_input inputs[COLUMNS];
  for (int c = 0; c < COLUMNS; c++)
    inputs[c] = (rdx_input){data.inputs[c].column, rows};
  const rdx_evaluation e = {
      .pool = pool, .inputs = inputs, .parameters = expression->parameters, .rows = count, .text = expression->text};
  return rdx_evaluate(&e, expression->bound, out, err);
}

/* The rows around a failure: each by itself must be fine, or fail. */
static bool fails_somewhere(const test_expression *expression, const char *text) {
  for (uint32_t row = 0; row < ROWS; row++) {
    rdx_vector one;
    rdx_error err = {""};
    if (evaluate_rows(expression, &row, 1, NULL, &one, &err) == RDX_OK) {
      rdx_vector_destroy(&one);
      continue;
    }
    if (strcmp(err.text, text) == 0)
      return true;
  }
  return false;
}

static void check_expression(const char *text, uint32_t *failed) {
  const test_inputs inputs = {names, data.inputs, COLUMNS, ROWS, data.pool, false};
  test_expression expression;
  rdx_vector all;
  rdx_error err = {""}, of_row = {""};
  if (bind_expression(&inputs, text, &expression, &err) != RDX_OK) {
    drop_expression(&expression); /* operands of types that do not go together */
    return;
  }
  if (evaluate_rows(&expression, NULL, ROWS, data.pool, &all, &err) != RDX_OK) {
    ++*failed;
    if (!fails_somewhere(&expression, err.text))
      fail_msg("%s fails, but no row of it does:\n%s", text, err.text);
    drop_expression(&expression);
    return;
  }
  for (int i = 0; i < LOOKED_AT; i++) {
    const uint32_t row = (uint32_t)below(ROWS);
    char x[256], y[256];
    rdx_vector one;
    if (evaluate_rows(&expression, &row, 1, NULL, &one, &of_row) != RDX_OK)
      fail_msg("%s: row %u fails by itself:\n%s", text, row, of_row.text);
    text_of_row(&all.column, row, x, sizeof x);
    text_of_row(&one.column, 0, y, sizeof y);
    if (strcmp(x, y) != 0)
      fail_msg("%s: row %u is %s, by itself %s", text, row, x, y);
    rdx_vector_destroy(&one);
  }
  rdx_vector_destroy(&all);
  drop_expression(&expression);
}

static void test_random(void **state) {
  uint32_t failed = 0;
  const char *const kinds[] = {"@n", "@b", "@t", "@d"};
  (void)state;
  for (int i = 0; i < EXPRESSIONS; i++) {
    writer w = {.used = 0};
    write(&w, kinds[i % 4], 4);
    check_expression(w.text, &failed);
  }
  assert_in_range(failed, 1, EXPRESSIONS / 2);
}

/* ---- The ends of types ---- */

__extension__ typedef __int128 wide;

static bool reference(char op, wide a, wide b, wide *out) {
  if ((op == '/' || op == '%') && b == 0)
    return false;
  *out = op == '+' ? a + b : op == '-' ? a - b : op == '*' ? a * b : op == '/' ? a / b : a % b;
  return true;
}

static void check_ends(rdx_type type, const int64_t *ends, uint32_t count, char op) {
  const char text[] = {'a', ' ', op, ' ', 'b', '\0'};
  const size_t size = rdx_type_size(type);
  const wide max = (wide)(UINT64_MAX >> (65 - 8 * size));
  for (uint32_t i = 0; i < count * count; i++) {
    const int64_t a = ends[i / count], b = ends[i % count];
    const rdx_input inputs[] = {{{.type = type, .rows = 1, .values = &a}, NULL},
                                {{.type = type, .rows = 1, .values = &b}, NULL}};
    const test_inputs with = {(const char *const[]){"a", "b"}, inputs, 2, 1, NULL, false};
    wide wanted = 0;
    const bool divides = reference(op, a, b, &wanted);
    rdx_vector vector;
    rdx_datum value;
    const rdx_status status = evaluate_text(&with, text, &vector, NULL);
    assert_int_equal(status, !divides                            ? RDX_ERROR_RANGE
                             : wanted > max || wanted < -max - 1 ? RDX_ERROR_OVERFLOW
                                                                 : RDX_OK);
    if (status != RDX_OK)
      continue;
    rdx_column_datum(&vector.column, 0, &value);
    assert_true(value.i == wanted);
    rdx_vector_destroy(&vector);
  }
}

static void test_ends(void **state) {
  static const int64_t i16[] = {0, 1, -1, 2, -2, 181, 182, 255, -182, 32767, 32766, -32767, -32768, 16384, -16384};
  static const int64_t i32[] = {0,          1,           -1,          2,          46340,       46341,
                                2147483647, -2147483648, -2147483647, 1073741824, -1073741824, -46341};
  static const int64_t i64[] = {0,           1,         -1,        2,          3037000499,    3037000500,
                                -3037000500, INT64_MAX, INT64_MIN, -INT64_MAX, INT64_MAX / 2, INT64_MIN / 2,
                                -2};
  static const char ops[] = "+-*/%";
  (void)state;
  for (const char *op = ops; *op; op++) {
    check_ends(RDX_TYPE_I16, i16, RDX_COUNT(i16), *op);
    check_ends(RDX_TYPE_I32, i32, RDX_COUNT(i32), *op);
    check_ends(RDX_TYPE_I64, i64, RDX_COUNT(i64), *op);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random),
      cmocka_unit_test(test_ends),
  };
  const char *seed = getenv("RAYDEX_TEST_SEED");
  if (seed)
    state_of_random ^= strtoull(seed, NULL, 10) * 2;
  return cmocka_run_group_tests(tests, make_data, drop_data);
}
