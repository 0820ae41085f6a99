/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* What expressions are bound to: the shapes that plans look for, types, equality, constants as columns. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "expressions.h"

static const char *const names[] = {"s", "i", "l", "d", "r", "f", "day", "t", "b", "w"};

static const rdx_input inputs[] = {
    {{.type = RDX_TYPE_I16}, NULL},  {{.type = RDX_TYPE_I32}, NULL},
    {{.type = RDX_TYPE_I64}, NULL},  {{.type = RDX_TYPE_DECIMAL, .scale = 2}, NULL},
    {{.type = RDX_TYPE_F32}, NULL},  {{.type = RDX_TYPE_F64}, NULL},
    {{.type = RDX_TYPE_DATE}, NULL}, {{.type = RDX_TYPE_TIMESTAMP}, NULL},
    {{.type = RDX_TYPE_BOOL}, NULL}, {{.type = RDX_TYPE_STRING}, NULL},
};

static const test_inputs with = {names, inputs, RDX_COUNT(names), 1, NULL, false};

/* ---- Shapes ---- */

static size_t put(char *to, size_t used, size_t capacity, const char *text) {
  return used + (size_t)snprintf(to + used, used < capacity ? capacity - used : 0, "%s", text);
}

static const char *const ops[] = {
    [RDX_OP_AND] = "and",
    [RDX_OP_OR] = "or",
    [RDX_OP_NOT] = "not",
    [RDX_OP_IS_NULL] = "is_null",
    [RDX_OP_IS_TRUE] = "is_true",
    [RDX_OP_EQ] = "=",
    [RDX_OP_NE] = "<>",
    [RDX_OP_LT] = "<",
    [RDX_OP_LE] = "<=",
    [RDX_OP_GT] = ">",
    [RDX_OP_GE] = ">=",
    [RDX_OP_DISTINCT] = "distinct",
    [RDX_OP_IN] = "in",
    [RDX_OP_CAST] = "cast",
    [RDX_OP_CASE] = "case",
    [RDX_OP_COALESCE] = "coalesce",
    [RDX_OP_GREATEST] = "greatest",
    [RDX_OP_LEAST] = "least",
    [RDX_OP_ADD] = "+",
    [RDX_OP_SUBTRACT] = "-",
    [RDX_OP_MULTIPLY] = "*",
    [RDX_OP_DIVIDE] = "/",
    [RDX_OP_MODULO] = "%",
    [RDX_OP_NEGATE] = "neg",
    [RDX_OP_LIKE] = "like",
    [RDX_OP_ILIKE] = "ilike",
    [RDX_OP_FUNCTION] = "function",
};

/* (< d 24.00:numeric(18,2)): columns by name, constants with their types, casts with what they cast to. */
static size_t show(const rdx_bound *b, char *to, size_t used, size_t capacity) {
  char type[32], value[64];
  rdx_arena arena = {0};
  rdx_column column;
  switch (b->kind) {
  case RDX_BOUND_COLUMN:
    return put(to, used, capacity, names[b->index]);
  case RDX_BOUND_CONSTANT:
    if (rdx_datum_column(b->type, &b->value, 1, &arena, &column, NULL) == RDX_OK)
      used = put(to, used, capacity, text_of_row(&column, 0, value, sizeof value));
    rdx_arena_free(&arena);
    used = put(to, used, capacity, ":");
    return put(to, used, capacity, rdx_sql_type_text(b->type, type));
  case RDX_BOUND_PARAMETER:
    used = put(to, used, capacity, "$:");
    return put(to, used, capacity, rdx_sql_type_text(b->type, type));
  default:
    break;
  }
  used = put(to, used, capacity, "(");
  used = put(to, used, capacity, ops[b->op]);
  if (b->op == RDX_OP_CAST) {
    used = put(to, used, capacity, ":");
    used = put(to, used, capacity, rdx_sql_type_text(b->type, type));
  }
  for (uint32_t i = 0; i < b->count; i++) {
    used = put(to, used, capacity, " ");
    used = show(b->args[i], to, used, capacity);
  }
  return put(to, used, capacity, ")");
}

static const struct {
  const char *text, *shape;
} shapes[] = {
    {"d < 24", "(< d 24:numeric(18,2))"},
    {"d < 24.5", "(< d 24.5:numeric(18,2))"},
    {"d < 24.005", "(< d 24.005:numeric(5,3))"},
    {"24 > d", "(> 24:numeric(18,2) d)"},
    {"d BETWEEN 0.06 - 0.01 AND 0.06 + 0.01", "(and (>= d 0.05:numeric(18,2)) (<= d 0.07:numeric(18,2)))"},
    {"d = '1.5'", "(= d 1.5:numeric(18,2))"},
    {"d = 2.5e0", "(= (cast:double precision d) 2.5:double precision)"},
    {"i < 24", "(< i 24:integer)"},
    {"i < 24.0", "(< i 24:integer)"},
    {"i < 5.5", "(< (cast:numeric(11,1) i) 5.5:numeric(11,1))"},
    {"i < 5000000000", "(< (cast:bigint i) 5000000000:bigint)"},
    {"i = 7e0", "(= i 7:integer)"},
    {"s = 5", "(= s 5:smallint)"},
    {"s = 70000", "(= (cast:integer s) 70000:integer)"},
    {"l = 5", "(= l 5:bigint)"},
    {"i = '5'", "(= i 5:integer)"},
    {"r = 0.5", "(= r 0.5:real)"},
    {"r = 0.1", "(= (cast:double precision r) 0.1:double precision)"},
    {"f = 0.1", "(= f 0.1:double precision)"},
    {"f = 1", "(= f 1:double precision)"},
    {"day <= '1998-09-02'", "(<= day 1998-09-02:date)"},
    {"day <= date '1998-12-01' - interval '90' day", "(<= day 1998-09-02:date)"},
    {"day < date '1994-01-01' + interval '1' hour", "(< (cast:timestamp day) 1994-01-01 01:00:00:timestamp)"},
    {"t >= date '1994-01-01'", "(>= t 1994-01-01 00:00:00:timestamp)"},
    {"day = t", "(= (cast:timestamp day) t)"},
    {"w = 'x'", "(= w x:text)"},
    {"w LIKE 'x%'", "(like w x%:text)"},
    {"i IN (1, 2, 3)", "(in i 1:integer 2:integer 3:integer)"},
    {"d IN (1, 2.5, '3')", "(in d 1:numeric(18,2) 2.5:numeric(18,2) 3:numeric(18,2))"},
    {"i IN (1, 2.5)", "(in (cast:numeric(11,1) i) 1:numeric(11,1) 2.5:numeric(11,1))"},
    {"l IN (1, NULL)", "(in l 1:bigint NULL:bigint)"},
    {"w IN ('a', 'b')", "(in w a:text b:text)"},
    {"i IN (1)", "(= i 1:integer)"},
    {"i = s", "(= i (cast:integer s))"},
    {"i = d", "(= (cast:numeric(18,2) i) d)"},
    {"b IS FALSE", "(is_true (not b))"},
    {"b IS NOT UNKNOWN", "(not (is_null b))"},
    {"i NOT BETWEEN 1 AND 2", "(not (and (>= i 1:integer) (<= i 2:integer)))"},
    {"NULLIF(i, 1)", "(case (= i 1:integer) NULL:integer i)"},
    {"CASE WHEN b THEN 1 ELSE d END", "(case b 1:numeric(18,2) d)"},
    {"b AND true", "b"},
    {"b AND i > 1 AND false", "false:boolean"},
    {"i = NULL", "NULL:boolean"},
    {"CASE WHEN false THEN l WHEN b THEN 1 WHEN true THEN i ELSE 5 END", "(case b 1:bigint (cast:bigint i))"},
    {"CASE WHEN b THEN i END", "(case b i NULL:integer)"},
    {"d * (1 - d)", "(* d (- 1:numeric(10,0) d))"},
    {"d / 2", "(/ (cast:double precision d) 2:double precision)"},
    {"i + 1.5", "(+ (cast:numeric(10,0) i) 1.5:numeric(2,1))"},
    {"upper('a')", "A:text"},
    {"1 / 0", "(/ 1:integer 0:integer)"},
    {"day + 1", "(+ day 1:integer)"},
    {"day + interval '1' month", "(+ (cast:timestamp day) :interval)"},
};

static void test_shapes(void **state) {
  (void)state;
  for (size_t i = 0; i < RDX_COUNT(shapes); i++) {
    test_expression expression;
    rdx_error err = {""};
    char shown[512] = "";
    if (bind_expression(&with, shapes[i].text, &expression, &err) != RDX_OK)
      fail_msg("%s: %s", shapes[i].text, err.text);
    show(expression.bound, shown, 0, sizeof shown);
    if (strcmp(shown, shapes[i].shape) != 0)
      fail_msg("%s\n  is       %s\n  expected %s", shapes[i].text, shown, shapes[i].shape);
    drop_expression(&expression);
  }
}

/* ---- Types ---- */

static const struct {
  const char *text, *type;
} types[] = {
    {"i + s", "integer"},
    {"i + l", "bigint"},
    {"i + r", "double precision"},
    {"r + r", "real"},
    {"d + d", "numeric(19,2)"},
    {"d * d", "numeric(36,4)"},
    {"d * d * d", "numeric(38,6)"},
    {"d / d", "double precision"},
    {"d % 3", "numeric(18,2)"},
    {"i / 2", "integer"},
    {"day - day", "integer"},
    {"day + 1", "date"},
    {"t - t", "interval"},
    {"day + interval '1' day", "timestamp"},
    {"NULL", "unknown"},
    {"'x'", "unknown"},
    {"0.05", "numeric(2,2)"},
    {"10", "integer"},
    {"3000000000", "bigint"},
    {"30000000000000000000", "numeric(20,0)"},
    {"1e2", "double precision"},
    {"round(d, 1)", "numeric(18,1)"},
    {"floor(i)", "double precision"},
    {"abs(s)", "smallint"},
    {"COALESCE(i, r)", "real"},
    {"COALESCE(i, d)", "numeric(18,2)"},
    {"COALESCE(NULL, 'a')", "text"},
    {"extract(year from day)", "numeric(10,0)"},
    {"date_part('year', day)", "double precision"},
    {"length(w)", "integer"},
    {"i::numeric(12,3)", "numeric(12,3)"},
    {"i::numeric", "numeric(10,0)"},
};

static void test_types(void **state) {
  (void)state;
  for (size_t i = 0; i < RDX_COUNT(types); i++) {
    test_expression expression;
    rdx_error err = {""};
    char shown[32];
    if (bind_expression(&with, types[i].text, &expression, &err) != RDX_OK)
      fail_msg("%s: %s", types[i].text, err.text);
    if (strcmp(rdx_sql_type_text(expression.bound->type, shown), types[i].type) != 0)
      fail_msg("%s is %s, not %s", types[i].text, shown, types[i].type);
    drop_expression(&expression);
  }
}

static void test_names(void **state) {
  rdx_sql_type type;
  const int32_t digits[] = {12, 2}, wrong[] = {39, 2}, negative[] = {5, -1};
  (void)state;
  assert_true(rdx_sql_type_from_name("NUMERIC", digits, 2, &type));
  assert_int_equal(type.kind, RDX_SQL_DECIMAL);
  assert_int_equal(type.precision, 12);
  assert_int_equal(type.scale, 2);
  assert_true(rdx_sql_type_from_name("numeric", NULL, 0, &type));
  assert_int_equal(type.precision, 0);
  assert_false(rdx_sql_type_from_name("numeric", wrong, 2, &type));
  assert_false(rdx_sql_type_from_name("numeric", negative, 2, &type));
  assert_true(rdx_sql_type_from_name("varchar", digits, 1, &type));
  assert_int_equal(type.kind, RDX_SQL_TEXT);
  assert_false(rdx_sql_type_from_name("json", NULL, 0, &type));
}

/* ---- Errors ---- */

static void test_errors(void **state) {
  static const struct {
    const char *text, *error;
  } cases[] = {
      {"lenght(w)",
       "there is no function lenght(text)\nLINE 1: SELECT lenght(w)\n               ^\nHINT: did you mean length?"},
      {"w + i",
       "there is no operator text + integer\nLINE 1: SELECT w + i\n                 ^\nHINT: texts become other types "
       "only by CAST(... AS type)"},
      {"upper(i)",
       "there is no function upper(integer)\nLINE 1: SELECT upper(i)\n               ^\nHINT: there is upper(text)"},
      {"day = 'abc'",
       "invalid input syntax for type date: \"abc\"\nLINE 1: SELECT day = 'abc'\n                     ^"},
      {"w::json", "there is no type \"json\""},
      {"w LIKE i", "there is no operator text LIKE integer"},
      {"day::bool", "cannot cast type date to boolean"},
      {"NOT i", "argument of NOT must be type boolean, not type integer"},
      {"now(1)", "now does not take 1 argument"},
  };
  (void)state;
  for (size_t i = 0; i < RDX_COUNT(cases); i++) {
    test_expression expression;
    rdx_error err = {""};
    assert_int_not_equal(bind_expression(&with, cases[i].text, &expression, &err), RDX_OK);
    if (strncmp(err.text, cases[i].error, strlen(cases[i].error)) != 0)
      fail_msg("%s:\n%s\nexpected\n%s", cases[i].text, err.text, cases[i].error);
    drop_expression(&expression);
  }
}

/* ---- Parameters ---- */

static void test_parameters(void **state) {
  rdx_arena arena = {0};
  rdx_error err = {""};
  rdx_binding b = {.arena = &arena, .text = "", .err = &err};
  rdx_bound column = {.kind = RDX_BOUND_COLUMN, .type = {RDX_SQL_DECIMAL, 18, 2}, .index = 3};
  rdx_bound parameter = {.kind = RDX_BOUND_PARAMETER}, day = {.kind = RDX_BOUND_COLUMN, .type = {.kind = RDX_SQL_DATE}};
  rdx_bound *args[] = {&column, &parameter}, *out = NULL;
  (void)state;
  assert_int_equal(rdx_bind_call(&b, "<", args, 2, 0, &out), RDX_OK);
  assert_int_equal(parameter.type.kind, RDX_SQL_DECIMAL);
  assert_int_equal(parameter.type.precision, 38); /* it may have more digits than the column */
  assert_int_equal(parameter.type.scale, 18);
  assert_ptr_equal(out->args[0], &column);
  assert_ptr_equal(out->args[1], &parameter);
  parameter.type.kind = RDX_SQL_UNKNOWN;
  args[0] = &day;
  assert_int_equal(rdx_bind_call(&b, "=", args, 2, 0, &out), RDX_OK);
  assert_int_equal(parameter.type.kind, RDX_SQL_DATE);
  rdx_arena_free(&arena);
}

/* ---- Equality ---- */

static void test_equality(void **state) {
  static const char *const texts[] = {"i + 1",
                                      "i + 2",
                                      "l + 1",
                                      "i - 1",
                                      "upper(w)",
                                      "lower(w)",
                                      "w",
                                      "'x'",
                                      "'y'",
                                      "d * (1 - d)",
                                      "NULL",
                                      "1.0",
                                      "1.00",
                                      "w IN ('a', 'b')",
                                      "w = 'a'",
                                      "d::text",
                                      "i::text",
                                      "0e0",
                                      "-0e0",
                                      "interval '1 month'",
                                      "interval '30 days'"};
  (void)state;
  for (size_t i = 0; i < RDX_COUNT(texts); i++)
    for (size_t k = 0; k < RDX_COUNT(texts); k++) {
      test_expression a, b;
      assert_int_equal(bind_expression(&with, texts[i], &a, NULL), RDX_OK);
      assert_int_equal(bind_expression(&with, texts[k], &b, NULL), RDX_OK);
      if (rdx_bound_equal(a.bound, b.bound) != (i == k))
        fail_msg("%s and %s", texts[i], texts[k]);
      drop_expression(&a);
      drop_expression(&b);
    }
}

/* ---- Constants as columns ---- */

static void test_columns(void **state) {
  rdx_arena arena = {0};
  rdx_column c;
  rdx_error err = {""};
  const rdx_datum decimals[] = {{.i = 12500}, {.null = true}, {.i = -300}};
  const rdx_datum texts[] = {{.text = {"ab", 2}}, {.null = true}, {.text = {"", 0}}};
  const rdx_datum wide = {.wide = (rdx_i128)1 << 70}, fine = {.wide = (rdx_i128)1000000000000 * 1000000000000};
  uint64_t length = 0;
  (void)state;
  assert_int_equal(rdx_datum_column((rdx_sql_type){RDX_SQL_DECIMAL, 18, 4}, decimals, 3, &arena, &c, &err), RDX_OK);
  assert_int_equal(c.type, RDX_TYPE_DECIMAL);
  assert_int_equal(c.scale, 2);
  assert_int_equal(((const int64_t *)c.values)[0], 125);
  assert_int_equal(((const int64_t *)c.values)[2], -3);
  assert_int_equal(c.validity[0], 5);
  assert_int_equal(rdx_datum_column((rdx_sql_type){.kind = RDX_SQL_TEXT}, texts, 3, &arena, &c, &err), RDX_OK);
  assert_int_equal(c.type, RDX_TYPE_STRING);
  assert_memory_equal(rdx_column_string(&c, 0, &length), "ab", 2);
  assert_int_equal(length, 2);
  assert_int_equal(rdx_datum_column((rdx_sql_type){.kind = RDX_SQL_SMALLINT}, decimals, 1, &arena, &c, &err), RDX_OK);
  assert_int_equal(c.type, RDX_TYPE_I64);
  assert_null(c.validity);
  assert_int_equal(rdx_datum_column((rdx_sql_type){RDX_SQL_DECIMAL, 38, 0}, &wide, 1, &arena, &c, &err),
                   RDX_ERROR_OVERFLOW);
  assert_int_equal(rdx_datum_column((rdx_sql_type){RDX_SQL_DECIMAL, 38, 20}, &fine, 1, &arena, &c, &err), RDX_OK);
  assert_int_equal(c.scale, 0);
  assert_int_equal(((const int64_t *)c.values)[0], 10000);
  rdx_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_shapes),  cmocka_unit_test(test_types),      cmocka_unit_test(test_names),
      cmocka_unit_test(test_errors),  cmocka_unit_test(test_parameters), cmocka_unit_test(test_equality),
      cmocka_unit_test(test_columns),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
