/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Expressions over columns: every row compared with a computation of its own, with NULLs, dictionaries, lists of rows,
 * threads. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "expressions.h"
#include "random.h"

#define ROWS 5000
#define LISTED 10001 /* rows of inputs with a list */

/* ---- Data ---- */

enum { I16, I32, I64, DEC, DEC4, F32, F64, DAY, TIME, BOOL, U8, U64, WORD, PLAIN, COLUMNS };

static const char *const names[COLUMNS] = {"s", "i", "l", "d", "d4", "r", "f", "day", "t", "b", "u", "ul", "w", "p"};

static const char *const words[] = {
    "",   "Paris",        "paris", "PROMO BRUSHED", "STANDARD TIN", "PROMO TIN", "Zürich", "a%b_c", "1994-01-01",
    "12", "forest green", "x"};

static struct {
  int16_t i16[ROWS];
  int32_t i32[ROWS], day[ROWS];
  int64_t i64[ROWS], dec[ROWS], dec4[ROWS], time[ROWS];
  float f32[ROWS];
  double f64[ROWS];
  uint8_t truth[ROWS], u8[ROWS], validity[COLUMNS][(ROWS + 7) / 8];
  uint64_t u64[ROWS], dictionary_offsets[RDX_COUNT(words) + 1], plain_offsets[ROWS + 1];
  uint32_t codes[ROWS], list[LISTED];
  char dictionary_bytes[256], plain_bytes[ROWS * 16];
  rdx_column dictionary;
  rdx_input inputs[COLUMNS], listed[COLUMNS];
  rdx_pool *pool;
} data;

static uint64_t below(uint64_t limit) {
  return next_random() % limit;
}

static int compare_words(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void make_strings(void) {
  const char *sorted[RDX_COUNT(words)];
  memcpy(sorted, words, sizeof words);
  qsort(sorted, RDX_COUNT(sorted), sizeof *sorted, compare_words);
  for (size_t i = 0; i < RDX_COUNT(sorted); i++) {
    const size_t length = strlen(sorted[i]);
    memcpy(data.dictionary_bytes + data.dictionary_offsets[i], sorted[i], length);
    data.dictionary_offsets[i + 1] = data.dictionary_offsets[i] + length;
  }
  for (uint32_t i = 0; i < ROWS; i++) {
    data.codes[i] = (uint32_t)below(RDX_COUNT(words));
    const size_t length = strlen(sorted[data.codes[i]]);
    memcpy(data.plain_bytes + data.plain_offsets[i], sorted[data.codes[i]], length);
    data.plain_offsets[i + 1] = data.plain_offsets[i] + length;
  }
  data.dictionary = (rdx_column){.type = RDX_TYPE_STRING,
                                 .rows = RDX_COUNT(words),
                                 .values = data.dictionary_bytes,
                                 .offsets = data.dictionary_offsets};
}

static void make_numbers(void) {
  for (uint32_t i = 0; i < ROWS; i++) {
    data.i16[i] = (int16_t)((int)below(201) - 100);
    data.i32[i] = (int32_t)below(20001) - 10000;
    data.i64[i] = (int64_t)below(2000000001) - 1000000000;
    data.dec[i] = (int64_t)below(2000001) - 1000000;
    data.dec4[i] = (int64_t)below(200001) - 100000;
    data.f32[i] = (float)((double)((int64_t)below(2001) - 1000) / 8);
    data.f64[i] = below(20) == 0 ? (double)NAN : (double)((int64_t)below(20001) - 10000) / 7;
    data.day[i] = (int32_t)below(40000) - 10000;
    data.time[i] = (int64_t)below(2000000000000000) - 500000000000000;
    data.truth[i] = (uint8_t)below(2);
    data.u8[i] = (uint8_t)below(256);
    data.u64[i] = below(10) == 0 ? UINT64_MAX - below(1000) : below(1000000);
  }
}

static int make_data(void **state) {
  (void)state;
  make_numbers();
  make_strings();
  const struct {
    rdx_type type;
    uint8_t scale;
    const void *values;
  } kinds[COLUMNS] = {
      [I16] = {RDX_TYPE_I16, 0, data.i16},
      [I32] = {RDX_TYPE_I32, 0, data.i32},
      [I64] = {RDX_TYPE_I64, 0, data.i64},
      [DEC] = {RDX_TYPE_DECIMAL, 2, data.dec},
      [DEC4] = {RDX_TYPE_DECIMAL, 4, data.dec4},
      [F32] = {RDX_TYPE_F32, 0, data.f32},
      [F64] = {RDX_TYPE_F64, 0, data.f64},
      [DAY] = {RDX_TYPE_DATE, 0, data.day},
      [TIME] = {RDX_TYPE_TIMESTAMP, 0, data.time},
      [BOOL] = {RDX_TYPE_BOOL, 0, data.truth},
      [U8] = {RDX_TYPE_U8, 0, data.u8},
      [U64] = {RDX_TYPE_U64, 0, data.u64},
      [WORD] = {RDX_TYPE_STRING, 0, data.codes},
      [PLAIN] = {RDX_TYPE_STRING, 0, data.plain_bytes},
  };
  for (int c = 0; c < COLUMNS; c++) {
    for (uint32_t i = 0; i < ROWS; i++)
      data.validity[c][i / 8] |= (uint8_t)((below(8) != 0) << i % 8);
    data.inputs[c].column = (rdx_column){.type = kinds[c].type,
                                         .scale = kinds[c].scale,
                                         .rows = ROWS,
                                         .values = kinds[c].values,
                                         .validity = data.validity[c == PLAIN ? WORD : c]};
  }
  data.inputs[WORD].column.dictionary = &data.dictionary;
  data.inputs[PLAIN].column.offsets = data.plain_offsets;
  for (uint32_t i = 0; i < LISTED; i++)
    data.list[i] = below(10) == 0 ? RDX_NO_ROW : (uint32_t)below(ROWS);
  for (int c = 0; c < COLUMNS; c++)
    data.listed[c] = (rdx_input){data.inputs[c].column, data.list};
  return rdx_pool_create(3, &data.pool, NULL) == RDX_OK ? 0 : -1;
}

static int drop_data(void **state) {
  (void)state;
  rdx_pool_destroy(&data.pool);
  return 0;
}

/* Rows 0.. of the data, or the listed ones. */
static test_inputs inputs_of(uint64_t rows, bool listed) {
  return (test_inputs){names, listed ? data.listed : data.inputs, COLUMNS, rows, data.pool, false};
}

static bool is_null(int column, uint32_t row) {
  return row == RDX_NO_ROW || !(data.validity[column == PLAIN ? WORD : column][row / 8] >> (row % 8) & 1);
}

static bool is_null_in(const rdx_column *column, uint64_t row) {
  return column->validity && !(column->validity[row / 8] >> (row % 8) & 1);
}

static void evaluate(const test_inputs *inputs, const char *text, rdx_vector *out) {
  rdx_error err = {""};
  if (evaluate_text(inputs, text, out, &err) != RDX_OK)
    fail_msg("%s: %s", text, err.text);
  assert_int_equal(out->column.rows, inputs->rows);
}

/* ---- Arithmetic ---- */

/* A reference: the value of a row as a long double; false: NULL. */
typedef bool (*reference_fn)(uint32_t row, long double *out);

#define REFERENCE(name, null, value)                                                                                   \
  static bool name(uint32_t r, long double *out) {                                                                     \
    if (r == RDX_NO_ROW || (null))                                                                                     \
      return false;                                                                                                    \
    *out = (long double)(value);                                                                                       \
    return true;                                                                                                       \
  }

REFERENCE(add_integers, is_null(I32, r) || is_null(I16, r), data.i32[r] + data.i16[r])
REFERENCE(multiply_integers, is_null(I64, r) || is_null(I32, r), (__extension__(__int128) data.i64[r]) * data.i32[r])
REFERENCE(divide_integers, is_null(I32, r) || is_null(U8, r), data.i32[r] / (data.u8[r] + 1))
REFERENCE(modulo_integers, is_null(I32, r) || is_null(U8, r), data.i32[r] % (data.u8[r] + 1))
REFERENCE(add_decimals, is_null(DEC, r) || is_null(DEC4, r), data.dec[r] * 100 + data.dec4[r])
REFERENCE(multiply_decimals, is_null(DEC, r) || is_null(DEC4, r),
          (__extension__(__int128) data.dec[r]) * (10000 - data.dec4[r]))
REFERENCE(subtract_decimals, is_null(DEC, r) || is_null(I32, r), data.i32[r] * INT64_C(100) - data.dec[r])
REFERENCE(modulo_decimals, is_null(DEC, r), data.dec[r] % 70)
REFERENCE(round_decimals, is_null(DEC4, r), (labs((long)data.dec4[r]) + 500) / 1000 * (data.dec4[r] < 0 ? -1 : 1))
REFERENCE(compare, is_null(DEC, r) || is_null(I32, r), data.dec[r] < data.i32[r] * INT64_C(100))
REFERENCE(multiply_reals, is_null(F32, r), (float)(data.f32[r] * 3.0f))
REFERENCE(subtract_dates, is_null(DAY, r) || is_null(I16, r), data.day[r] - (data.day[r] + data.i16[r]))
REFERENCE(is_unknown, false, is_null(BOOL, r))
REFERENCE(lazy, is_null(I16, r) || (data.i16[r] != 0 && is_null(I32, r)),
          data.i16[r] != 0 ? data.i32[r] / data.i16[r] : -1)
REFERENCE(either, is_null(I16, r) && is_null(I32, r), is_null(I16, r) ? data.i32[r] : data.i16[r])
REFERENCE(greatest, is_null(I16, r) && is_null(I32, r),
          is_null(I16, r)             ? data.i32[r]
          : is_null(I32, r)           ? data.i16[r]
          : data.i16[r] > data.i32[r] ? data.i16[r]
                                      : data.i32[r])
REFERENCE(listed, is_null(I16, r), data.i16[r] == 1 || data.i16[r] == -7 || data.i16[r] == 99)
REFERENCE(unsigned_sum, is_null(U64, r), (__extension__(__int128) data.u64[r] + 1) / 1000)

typedef struct reference {
  const char *text;
  reference_fn value;
} reference;

static const reference references[] = {
    {"i + s", add_integers},          {"l * i", multiply_integers},
    {"i / (u + 1)", divide_integers}, {"i % (u + 1::smallint)", modulo_integers},
    {"d + d4", add_decimals},         {"d * (1 - d4)", multiply_decimals},
    {"i - d", subtract_decimals},     {"d % 0.70", modulo_decimals},
    {"round(d4, 1)", round_decimals}, {"d < i", compare},
    {"r * 3::real", multiply_reals},  {"day - (day + s)", subtract_dates},
    {"b IS UNKNOWN", is_unknown},     {"CASE WHEN s <> 0 THEN i / s WHEN s IS NOT NULL THEN -1 END", lazy},
    {"COALESCE(s, i)", either},       {"GREATEST(s, i)", greatest},
    {"s IN (1, -7, 99)", listed},     {"trunc((ul + 1) * 0.001)::bigint", unsigned_sum},
};

static long double number_in(const rdx_column *c, uint64_t row) {
  rdx_datum value;
  rdx_column_datum(c, row, &value);
  return c->type == RDX_TYPE_F32 || c->type == RDX_TYPE_F64 ? (long double)value.f : (long double)value.i;
}

static void check_reference(const reference *r, uint64_t rows, bool is_listed) {
  const test_inputs inputs = inputs_of(rows, is_listed);
  rdx_vector vector;
  evaluate(&inputs, r->text, &vector);
  for (uint32_t i = 0; i < rows; i++) {
    const uint32_t row = is_listed ? data.list[i] : i;
    long double wanted = 0;
    bool has = r->value(row, &wanted);
    if (r->value == is_unknown && row == RDX_NO_ROW) {
      has = true;
      wanted = 1;
    }
    if (is_null_in(&vector.column, i) != !has)
      fail_msg("%s: row %u is %sNULL", r->text, i, has ? "" : "not ");
    if (has && number_in(&vector.column, i) != wanted)
      fail_msg("%s: row %u is %.20Lg, not %.20Lg", r->text, i, number_in(&vector.column, i), wanted);
  }
  rdx_vector_destroy(&vector);
}

static void test_references(void **state) {
  static const uint64_t sizes[] = {0, 1, 7, 1024, 1025, ROWS};
  (void)state;
  for (size_t i = 0; i < RDX_COUNT(references); i++) {
    for (size_t k = 0; k < RDX_COUNT(sizes); k++)
      check_reference(&references[i], sizes[k], false);
    check_reference(&references[i], LISTED, true);
  }
}

/* ---- Strings ---- */

/* What must be the same of a column with a dictionary and of one without. */
static const char *const of_strings[] = {
    "%s",
    "%s = 'Paris'",
    "%s < 'STANDARD'",
    "%s LIKE 'PROMO%%'",
    "%s NOT ILIKE '%%TIN'",
    "upper(%s)",
    "lower(%s) || '-' || length(%s)",
    "substring(%s from 1 for 3)",
    "%s IN ('paris', 'x', 'nowhere')",
    "COALESCE(%s, 'none')",
    "%s IS NULL",
    "length(%s) * 2 + i",
    "CASE WHEN %s = '12' THEN %s::int ELSE -1 END",
    "CASE WHEN %s LIKE 'PROMO%%' THEN d * (1 - d4) ELSE 0 END",
    "NULLIF(%s, '')",
    "GREATEST(%s, 'Q')",
    "%s > lower(%s)",
    "concat(%s, i)",
    "length(%s)::numeric(30,3)",
    "reverse(%s) || NULL",
};

static void fill_in(const char *pattern, const char *column, char *out, size_t capacity) {
  snprintf(out, capacity, pattern, column, column);
}

static void check_dictionary(const rdx_column *c) {
  if (c->type != RDX_TYPE_STRING)
    return;
  assert_non_null(c->dictionary);
  for (uint64_t i = 1; i < c->dictionary->rows; i++) {
    uint64_t a = 0, b = 0;
    const char *x = rdx_column_string(c->dictionary, i - 1, &a), *y = rdx_column_string(c->dictionary, i, &b);
    const int order = memcmp(x, y, a < b ? a : b);
    assert_true(order < 0 || (order == 0 && a < b));
  }
  for (uint64_t i = 0; i < c->rows; i++)
    assert_true(is_null_in(c, i) || ((const uint32_t *)c->values)[i] < c->dictionary->rows);
}

static void compare_strings(const char *pattern, uint64_t rows, bool is_listed) {
  const test_inputs inputs = inputs_of(rows, is_listed);
  char coded[128], plain[128], x[128], y[128];
  rdx_vector a, b;
  fill_in(pattern, "w", coded, sizeof coded);
  fill_in(pattern, "p", plain, sizeof plain);
  evaluate(&inputs, coded, &a);
  evaluate(&inputs, plain, &b);
  check_dictionary(&a.column);
  check_dictionary(&b.column);
  for (uint64_t i = 0; i < rows; i++)
    if (strcmp(text_of_row(&a.column, i, x, sizeof x), text_of_row(&b.column, i, y, sizeof y)) != 0)
      fail_msg("%s: row %llu is %s, without a dictionary %s", coded, (unsigned long long)i, x, y);
  rdx_vector_destroy(&a);
  rdx_vector_destroy(&b);
}

static void test_strings(void **state) {
  (void)state;
  for (size_t i = 0; i < RDX_COUNT(of_strings); i++) {
    compare_strings(of_strings[i], ROWS, false);
    compare_strings(of_strings[i], LISTED, true);
    compare_strings(of_strings[i], 1, false);
    compare_strings(of_strings[i], 0, false);
  }
}

/* An entry of a dictionary that no row has, or only rows that do not get there, raises no error. */
static void test_unused_entries(void **state) {
  uint32_t codes[100] = {0};
  rdx_input input = {{.type = RDX_TYPE_STRING, .rows = 100, .values = codes, .dictionary = &data.dictionary}, NULL};
  const test_inputs with = {(const char *const[]){"w"}, &input, 1, 100, NULL, false};
  rdx_vector vector;
  rdx_error err = {""};
  char text[64];
  (void)state;
  for (uint32_t i = 0; i < 100; i++)
    codes[i] = 1; /* "12" */
  assert_int_equal(evaluate_text(&with, "w::int + 1", &vector, &err), RDX_OK);
  assert_string_equal(text_of_row(&vector.column, 99, text, sizeof text), "13");
  rdx_vector_destroy(&vector);
  codes[50] = 3;
  assert_int_equal(evaluate_text(&with, "w::int + 1", &vector, &err), RDX_ERROR_FORMAT);
  assert_non_null(strstr(err.text, "invalid input syntax for type integer"));
  assert_int_equal(evaluate_text(&with, "CASE WHEN w LIKE '1%' AND length(w) = 2 THEN w::int + 1 END", &vector, &err),
                   RDX_OK);
  assert_string_equal(text_of_row(&vector.column, 50, text, sizeof text), "NULL");
  assert_string_equal(text_of_row(&vector.column, 51, text, sizeof text), "13");
  rdx_vector_destroy(&vector);
}

/* ---- Errors ---- */

static void test_errors(void **state) {
  static const struct {
    const char *text, *error;
    rdx_status status;
  } cases[] = {
      {"i / s", "division by zero\nLINE 1: SELECT i / s\n", RDX_ERROR_RANGE},
      {"i * 1000000", "integer out of range", RDX_ERROR_OVERFLOW},
      {"w::date", "invalid input syntax for type date", RDX_ERROR_FORMAT},
      {"d4 * l * l * l", "numeric field overflow", RDX_ERROR_OVERFLOW},
      {"sqrt(f)", "square root of a negative number", RDX_ERROR_RANGE},
      {"ul * 100", "numeric field overflow", RDX_ERROR_OVERFLOW},
      {"CASE WHEN i % 2 = 0 THEN ul ELSE -1 END", "numeric field overflow", RDX_ERROR_OVERFLOW},
      {"day + interval '300000 years'", "timestamp out of range", RDX_ERROR_OVERFLOW},
      {"d4::numeric(4,4)", "numeric field overflow", RDX_ERROR_OVERFLOW},
  };
  (void)state;
  for (size_t i = 0; i < RDX_COUNT(cases); i++)
    for (int few = 0; few < 2; few++) {
      const test_inputs inputs = inputs_of(few ? 1000 : ROWS, false);
      rdx_vector vector;
      rdx_error err = {""};
      assert_int_equal(evaluate_text(&inputs, cases[i].text, &vector, &err), cases[i].status);
      if (!strstr(err.text, cases[i].error))
        fail_msg("%s: %s", cases[i].text, err.text);
    }
}

/* ---- Filters and gathers ---- */

static void test_filters(void **state) {
  static const char *const texts[] = {
      "i > 0",      "i > 0 AND d < 10", "w LIKE '%a%' OR b",
      "NULL::bool", "i = 123456",       "day BETWEEN date '1980-01-01' AND date '2000-01-01'"};
  (void)state;
  for (size_t k = 0; k < RDX_COUNT(texts); k++)
    for (int is_listed = 0; is_listed < 2; is_listed++) {
      const test_inputs inputs = inputs_of(is_listed ? LISTED : ROWS, is_listed);
      test_expression expression;
      rdx_error err = {""};
      rdx_vector vector;
      uint32_t *rows = NULL;
      uint64_t count = 0, at = 0;
      evaluate(&inputs, texts[k], &vector);
      assert_int_equal(bind_expression(&inputs, texts[k], &expression, &err), RDX_OK);
      const rdx_evaluation e = {
          .pool = data.pool, .inputs = inputs.inputs, .rows = inputs.rows, .text = expression.text};
      assert_int_equal(rdx_evaluate_filter(&e, expression.bound, &rows, &count, &err), RDX_OK);
      for (uint32_t i = 0; i < inputs.rows; i++) {
        if (is_null_in(&vector.column, i) || !((const uint8_t *)vector.column.values)[i])
          continue;
        assert_true(at < count);
        assert_int_equal(rows[at++], i);
      }
      assert_int_equal(at, count);
      rdx_free(rows);
      drop_expression(&expression);
      rdx_vector_destroy(&vector);
    }
}

static void test_gather_nothing(void **state) {
  (void)state;
  const rdx_input none = {.column = {.type = RDX_TYPE_I64}};
  rdx_vector vector;
  assert_int_equal(rdx_gather(data.pool, &none, 0, true, &vector, NULL), RDX_OK);
  assert_int_equal(vector.column.rows, 0);
  rdx_vector_destroy(&vector);
}

static void test_gather(void **state) {
  (void)state;
  for (int c = 0; c < COLUMNS; c++)
    for (int way = 0; way < 4; way++) {
      const bool is_listed = way & 1, plain = way & 2;
      const rdx_input *input = is_listed ? &data.listed[c] : &data.inputs[c];
      const uint64_t rows = is_listed ? LISTED : ROWS;
      char x[128], y[128];
      rdx_vector vector;
      assert_int_equal(rdx_gather(data.pool, input, rows, plain, &vector, NULL), RDX_OK);
      assert_int_equal(vector.column.type, input->column.type);
      assert_int_equal(vector.column.scale, input->column.scale);
      assert_ptr_equal(vector.column.dictionary, plain ? NULL : input->column.dictionary);
      for (uint64_t i = 0; i < rows; i++) {
        const uint64_t row = is_listed ? data.list[i] : i;
        text_of_row(&vector.column, i, x, sizeof x);
        if (row == RDX_NO_ROW)
          assert_string_equal(x, "NULL");
        else
          assert_string_equal(x, text_of_row(&input->column, row, y, sizeof y));
      }
      rdx_vector_destroy(&vector);
    }
}

/* ---- Wide numbers ---- */

/* Blocks whose numbers pass 64 bits beside blocks whose do not. */
static void test_wide(void **state) {
  static int64_t a[ROWS], b[ROWS];
  const rdx_input inputs[] = {{{.type = RDX_TYPE_DECIMAL, .scale = 2, .rows = ROWS, .values = a}, NULL},
                              {{.type = RDX_TYPE_DECIMAL, .scale = 2, .rows = ROWS, .values = b}, NULL}};
  const test_inputs with = {(const char *const[]){"a", "b"}, inputs, 2, ROWS, data.pool, false};
  rdx_vector vector;
  (void)state;
  for (uint32_t i = 0; i < ROWS; i++) {
    a[i] = (int64_t)(next_random() >> (i < 2000 ? 40 : 5)) - (i < 2000 ? 1 << 23 : INT64_C(1) << 58);
    b[i] = (int64_t)(next_random() >> (i < 2000 ? 40 : 5)) + 1;
  }
  evaluate(&with, "(a * b)::text", &vector);
  for (uint32_t i = 0; i < ROWS; i++) {
    __extension__ const __int128 product = (__int128)a[i] * b[i];
    __extension__ unsigned __int128 left = product < 0 ? 0 - (unsigned __int128)product : (unsigned __int128)product;
    char text[64], *at = text + sizeof text - 1;
    *at = '\0';
    for (int digit = 0; left > 0 || digit < 5; digit++, left /= 10) {
      if (digit == 4)
        *--at = '.';
      *--at = (char)('0' + (int)(left % 10));
    }
    if (product < 0)
      *--at = '-';
    char shown[64];
    assert_string_equal(text_of_row(&vector.column, i, shown, sizeof shown), at);
  }
  rdx_vector_destroy(&vector);
  evaluate(&with, "trunc(a * b / b * 1e0 - a) = 0 AND a * b % a = 0", &vector);
  rdx_vector_destroy(&vector);
}

/* ---- Columns that are kept otherwise than their type says ---- */

/* Evaluate column 0 as one of a type, plus or times itself. */
static rdx_status evaluate_kept(const rdx_column *kept, rdx_sql_type type, const char *op, rdx_vector *out) {
  rdx_arena arena = {0};
  rdx_binding b = {.arena = &arena, .text = ""};
  const rdx_input input = {*kept, NULL};
  const rdx_evaluation e = {.pool = data.pool, .inputs = &input, .rows = kept->rows, .text = ""};
  rdx_bound column = {.kind = RDX_BOUND_COLUMN, .type = type}, *args[] = {&column, &column}, *bound = &column;
  rdx_status status = op ? rdx_bind_call(&b, op, args, 2, 0, &bound) : RDX_OK;
  if (status == RDX_OK)
    status = rdx_evaluate(&e, bound, out, NULL);
  rdx_arena_free(&arena);
  return status;
}

static void test_kept(void **state) {
  static const int64_t sums[] = {150, -275, INT64_C(9000000000000000000)};
  static const char bytes[] = "1 day02:00:00";
  static const uint64_t offsets[] = {0, 5, 13};
  const rdx_column decimals = {.type = RDX_TYPE_DECIMAL, .scale = 2, .rows = 3, .values = sums};
  const rdx_column strings = {.type = RDX_TYPE_STRING, .rows = 2, .values = bytes, .offsets = offsets};
  rdx_column few = decimals;
  rdx_vector v;
  char text[64];
  (void)state;
  few.rows = 2;
  assert_int_equal(evaluate_kept(&few, (rdx_sql_type){RDX_SQL_DECIMAL, 38, 2}, "+", &v), RDX_OK);
  assert_string_equal(text_of_row(&v.column, 1, text, sizeof text), "-5.50");
  rdx_vector_destroy(&v);
  assert_int_equal(evaluate_kept(&decimals, (rdx_sql_type){RDX_SQL_DECIMAL, 38, 2}, "=", &v), RDX_OK);
  assert_string_equal(text_of_row(&v.column, 2, text, sizeof text), "true");
  rdx_vector_destroy(&v);
  assert_int_equal(evaluate_kept(&decimals, (rdx_sql_type){RDX_SQL_DECIMAL, 38, 2}, "+", &v), RDX_ERROR_OVERFLOW);
  assert_int_equal(evaluate_kept(&few, (rdx_sql_type){RDX_SQL_DECIMAL, 38, 4}, NULL, &v), RDX_OK);
  assert_string_equal(text_of_row(&v.column, 0, text, sizeof text), "1.5000");
  rdx_vector_destroy(&v);
  assert_int_equal(evaluate_kept(&few, (rdx_sql_type){RDX_SQL_DECIMAL, 10, 2}, "*", &v), RDX_OK);
  assert_string_equal(text_of_row(&v.column, 0, text, sizeof text), "2.2500");
  rdx_vector_destroy(&v);
  assert_int_equal(evaluate_kept(&strings, (rdx_sql_type){.kind = RDX_SQL_INTERVAL}, "+", &v), RDX_OK);
  assert_string_equal(text_of_row(&v.column, 0, text, sizeof text), "2 days");
  assert_string_equal(text_of_row(&v.column, 1, text, sizeof text), "04:00:00");
  rdx_vector_destroy(&v);
}

/* ---- Memory ---- */

static uint64_t allocations_left;

static void *allocate(void *user, size_t size) {
  (void)user;
  return allocations_left > 0 && allocations_left-- ? malloc(size) : NULL;
}

static void *reallocate(void *user, void *old, size_t size) {
  (void)user;
  return allocations_left > 0 && allocations_left-- ? realloc(old, size) : NULL;
}

static void release(void *user, void *memory) {
  (void)user;
  free(memory);
}

static void test_memory(void **state) {
  static const char *const texts[] = {"upper(w) || i", "upper(w)", "w", "d * (1 - d4)",
                                      "CASE WHEN b THEN p ELSE w END"};
  const rdx_allocator failing = {allocate, reallocate, release, NULL};
  (void)state;
  rdx_set_allocator(&failing);
  for (size_t k = 0; k < RDX_COUNT(texts); k++)
    for (uint64_t limit = 0;; limit++) {
      test_inputs inputs = inputs_of(2000, false);
      rdx_vector vector;
      inputs.pool = NULL;
      allocations_left = limit;
      const rdx_status status = evaluate_text(&inputs, texts[k], &vector, NULL);
      if (status == RDX_OK) {
        rdx_vector_destroy(&vector);
        break;
      }
      assert_int_equal(status, RDX_ERROR_MEMORY);
      assert_null(vector.memory[0]);
    }
  rdx_set_allocator(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_references), cmocka_unit_test(test_strings), cmocka_unit_test(test_unused_entries),
      cmocka_unit_test(test_errors),     cmocka_unit_test(test_filters), cmocka_unit_test(test_gather_nothing),
      cmocka_unit_test(test_gather),     cmocka_unit_test(test_wide),    cmocka_unit_test(test_kept),
      cmocka_unit_test(test_memory),
  };
  return cmocka_run_group_tests(tests, make_data, drop_data);
}
