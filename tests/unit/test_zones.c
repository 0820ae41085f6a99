/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Conditions on table files of several blocks: rows that are found are those that looking at every row finds, and only
 * blocks that may have such rows are read. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <raydex/raydex.h>

#define BLOCK 65536u
#define BLOCKS 9u
#define ROWS (BLOCKS * BLOCK - 1234) /* the last block is not full */
#define NAMES 700u
#define COUNT(array) (sizeof(array) / sizeof *(array))

static char folder[] = "/tmp/raydex-zones-XXXXXX";
static char path[64];
static rdx_device *device;

/* ---- The table ---- */

/* Rows of block 2 have no key, and so has every hundredth. */
static bool has_key(uint32_t i) {
  return i / BLOCK != 2 && i % 100 != 7;
}
static int64_t key_of(uint32_t i) {
  return i / 3;
}
static int64_t cents_of(uint32_t i) {
  return 50 - (int64_t)i;
}
static int32_t day_of(uint32_t i) {
  return (int32_t)(i / 1000);
}
static double real_of(uint32_t i) {
  return i % BLOCK == 5 && i / BLOCK == 4 ? (double)NAN : i * 0.5;
}
static uint32_t name_of(uint32_t i) {
  return i / 1000;
}
static uint32_t value_of(uint32_t i) {
  return i * 2654435761u >> 8;
}

typedef struct content {
  int64_t key[ROWS], cents[ROWS];
  int32_t day[ROWS];
  double real[ROWS];
  uint32_t name[ROWS], value[ROWS];
  uint8_t has_key[ROWS / 8 + 1];
  char names[NAMES * 4 + 1];
  uint64_t offsets[NAMES + 1];
} content;

static void fill(content *c) {
  for (uint32_t i = 0; i < ROWS; i++) {
    c->key[i] = key_of(i);
    c->cents[i] = cents_of(i);
    c->day[i] = day_of(i);
    c->real[i] = real_of(i);
    c->name[i] = name_of(i);
    c->value[i] = value_of(i);
    c->has_key[i / 8] |= (uint8_t)(has_key(i) << i % 8);
  }
  for (uint32_t i = 0; i < NAMES; i++) {
    snprintf(c->names + 4 * (size_t)i, 5, "n%03u", i);
    c->offsets[i + 1] = 4 * (uint64_t)(i + 1);
  }
}

static int write_table(const content *c, const char *name) {
  static const rdx_field fields[] = {
      {.name = "key", .type = RDX_TYPE_I64},     {.name = "price", .type = RDX_TYPE_DECIMAL, .scale = 2},
      {.name = "day", .type = RDX_TYPE_DATE},    {.name = "x", .type = RDX_TYPE_F64},
      {.name = "name", .type = RDX_TYPE_STRING}, {.name = "value", .type = RDX_TYPE_U32}};
  const rdx_column dictionary = {.type = RDX_TYPE_STRING, .rows = NAMES, .values = c->names, .offsets = c->offsets};
  const rdx_column columns[] = {
      {.type = RDX_TYPE_I64, .rows = ROWS, .values = c->key, .validity = c->has_key},
      {.type = RDX_TYPE_DECIMAL, .scale = 2, .rows = ROWS, .values = c->cents},
      {.type = RDX_TYPE_DATE, .rows = ROWS, .values = c->day},
      {.type = RDX_TYPE_F64, .rows = ROWS, .values = c->real},
      {.type = RDX_TYPE_STRING, .rows = ROWS, .values = c->name, .dictionary = &dictionary},
      {.type = RDX_TYPE_U32, .rows = ROWS, .values = c->value},
  };
  rdx_error err = {""};
  rdx_table_writer *w = NULL;
  rdx_status status = rdx_table_writer_create(name, fields, COUNT(fields), &w, &err);
  if (status == RDX_OK)
    status = rdx_table_writer_append(w, columns, &err);
  if (status == RDX_OK)
    status = rdx_table_writer_finish(w, &err);
  rdx_table_writer_destroy(&w);
  if (status != RDX_OK)
    print_error("%s\n", err.text);
  return status == RDX_OK ? 0 : -1;
}

static int make_folder(void **state) {
  rdx_error err;
  const rdx_device_params params = {.threads = 2};
  content *c = calloc(1, sizeof *c);
  (void)state;
  if (!c || !mkdtemp(folder) || rdx_device_open("cpu", &params, &device, &err) != RDX_OK)
    return -1;
  snprintf(path, sizeof path, "%s/t.rdx", folder);
  fill(c);
  const int written = write_table(c, path);
  free(c);
  return written;
}

static int remove_folder(void **state) {
  char command[64];
  (void)state;
  rdx_device_close(&device);
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command);
}

/* ---- Statements ---- */

static rdx_database *open_database(void) {
  rdx_error err = {""};
  rdx_database *d = NULL;
  if (rdx_database_open(device, folder, NULL, &d, &err) != RDX_OK)
    fail_msg("%s", err.text);
  return d;
}

static rdx_status ask(rdx_database *d, const char *sql, rdx_answer **out, rdx_error *err) {
  rdx_statement *s = NULL;
  *out = NULL;
  rdx_status status = rdx_statement_prepare(d, sql, NULL, &s, err);
  if (status == RDX_OK)
    status = rdx_statement_execute(s, out, err);
  rdx_statement_destroy(&s);
  return status;
}

/* The rows and their sum of column "value". */
typedef struct total {
  uint64_t rows, sum;
} total;

static total answer_of(rdx_database *d, const char *condition) {
  char sql[256];
  rdx_error err = {""};
  rdx_answer *a = NULL;
  total t = {0};
  snprintf(sql, sizeof sql, "SELECT value FROM t WHERE %s", condition);
  if (ask(d, sql, &a, &err) != RDX_OK)
    fail_msg("%s: %s", sql, err.text);
  const rdx_column *c = rdx_table_column(rdx_answer_table(a), 0);
  t.rows = c->rows;
  for (uint64_t i = 0; i < c->rows; i++)
    t.sum += c->type == RDX_TYPE_I64 ? (uint64_t)((const int64_t *)c->values)[i] : ((const uint32_t *)c->values)[i];
  rdx_answer_destroy(&a);
  return t;
}

/* The same by aggregates, of groups where `groups` says. */
static total aggregates_of(rdx_database *d, const char *condition, const char *groups) {
  char sql[256];
  rdx_error err = {""};
  rdx_answer *a = NULL;
  total t = {0};
  snprintf(sql, sizeof sql, "SELECT count(value), coalesce(sum(value), 0) FROM t WHERE %s%s", condition, groups);
  if (ask(d, sql, &a, &err) != RDX_OK)
    fail_msg("%s: %s", sql, err.text);
  const rdx_column *counts = rdx_table_column(rdx_answer_table(a), 0), *sums = rdx_table_column(rdx_answer_table(a), 1);
  for (uint64_t i = 0; i < counts->rows; i++) {
    t.rows += (uint64_t)((const int64_t *)counts->values)[i];
    t.sum += (uint64_t)((const int64_t *)sums->values)[i];
  }
  rdx_answer_destroy(&a);
  return t;
}

/* ---- Conditions ---- */

#define CONDITION(name, test)                                                                                          \
  static bool name(uint32_t i) {                                                                                       \
    return test;                                                                                                       \
  }

CONDITION(key_is_first, has_key(i) && key_of(i) == 2)
CONDITION(key_is_inner, has_key(i) && key_of(i) == 100000)
CONDITION(key_is_none, i > ROWS)
CONDITION(key_is_low, has_key(i) && key_of(i) < 500)
CONDITION(key_is_high, has_key(i) && key_of(i) >= key_of(ROWS - 1) - 20)
CONDITION(key_is_between, has_key(i) && key_of(i) >= 21800 && key_of(i) <= 21900)
CONDITION(key_is_one_of, has_key(i) && (key_of(i) == 5 || key_of(i) == 190000))
CONDITION(key_is_either, has_key(i) && (key_of(i) < 5 || key_of(i) > 196000))
CONDITION(price_is_low, cents_of(i) < -589000)
CONDITION(price_is_exact, cents_of(i) == -200)
CONDITION(price_is_rounded, cents_of(i) * 10 > 495)
CONDITION(day_is_late, day_of(i) >= 588)
CONDITION(day_is_noon, day_of(i) == 3)
CONDITION(x_is_high, real_of(i) > 294000 || isnan(real_of(i)))
CONDITION(x_is_nan, isnan(real_of(i)))
CONDITION(name_is, name_of(i) == 123)
CONDITION(name_is_late, name_of(i) >= 585)
CONDITION(both, has_key(i) && key_of(i) > 100000 && name_of(i) < 310 && value_of(i) % 2 == 0)

static const struct {
  const char *sql;
  bool (*test)(uint32_t i);
} conditions[] = {
    {"key = 2", key_is_first},
    {"key = 100000", key_is_inner},
    {"key = -1", key_is_none},
    {"key = NULL", key_is_none},
    {"key < 500", key_is_low},
    {"500 > key", key_is_low},
    {"key < 499.5", key_is_low},
    {"key >= 196196 - 20", key_is_high},
    {"key BETWEEN 21800 AND 21900", key_is_between},
    {"key IN (5, 190000, NULL)", key_is_one_of},
    {"key < 5 OR key > 196000", key_is_either},
    {"key < 5 OR (key > 196000 AND value >= 0)", key_is_either},
    {"price < -5890", price_is_low},
    {"price = -2", price_is_exact},
    {"price > 0.495", price_is_rounded},
    {"day >= DATE '1971-08-12'", day_is_late},
    {"day = TIMESTAMP '1970-01-04 00:00:00'", day_is_noon},
    {"x > 294000", x_is_high},
    {"x = 'NaN'", x_is_nan},
    {"name = 'n123'", name_is},
    {"name > 'n584'", name_is_late},
    {"key > 100000 AND name < 'n310' AND value % 2 = 0", both},
    {"key = (SELECT 100000)", key_is_inner},
};

static void test_rows_are_those_of_all_blocks(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(conditions); i++) {
    rdx_database *d = open_database();
    total expected = {0};
    for (uint32_t row = 0; row < ROWS; row++)
      if (conditions[i].test(row)) {
        expected.rows++;
        expected.sum += value_of(row);
      }
    for (int again = 0; again < 4; again++) {
      const total got = again % 2 ? answer_of(d, conditions[i].sql)
                                  : aggregates_of(d, conditions[i].sql, again ? "" : " GROUP BY name");
      if (got.rows != expected.rows || got.sum != expected.sum)
        fail_msg("%s: %llu rows, not %llu", conditions[i].sql, (unsigned long long)got.rows,
                 (unsigned long long)expected.rows);
    }
    rdx_database_close(&d);
  }
}

/* ---- Damage ---- */

/* Change a byte of the first column, whose values begin behind the header. */
static void damage(uint32_t row) {
  const int file = open(path, O_RDWR);
  const off_t place = 4096 + 8 * (off_t)row;
  char byte = 0;
  assert_true(file >= 0);
  assert_int_equal(pread(file, &byte, 1, place), 1);
  byte ^= 1;
  assert_int_equal(pwrite(file, &byte, 1, place), 1);
  close(file);
}

static void test_other_blocks_are_not_read(void **state) {
  rdx_error err = {""};
  rdx_answer *a = NULL;
  (void)state;
  damage(5 * BLOCK + 3);
  rdx_database *d = open_database();
  assert_int_equal(answer_of(d, "key = 2").rows, 2);
  assert_int_equal(answer_of(d, "key > 196000").rows, 581);
  assert_int_equal(aggregates_of(d, "key = 2", "").rows, 2);
  assert_int_equal(aggregates_of(d, "key > 196000", " GROUP BY name").rows, 581);
  assert_int_equal(ask(d, "SELECT value FROM t WHERE key = 110000", &a, &err), RDX_ERROR_FORMAT);
  assert_non_null(strstr(err.text, "column 'key', block 5 "));
  assert_int_equal(ask(d, "SELECT sum(key) FROM t", &a, &err), RDX_ERROR_FORMAT);
  assert_int_equal(answer_of(d, "key = 2").rows, 2);
  rdx_database_close(&d);
  damage(5 * BLOCK + 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rows_are_those_of_all_blocks),
      cmocka_unit_test(test_other_blocks_are_not_read),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
