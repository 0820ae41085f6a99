/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Flat tables of stars, against looking the partners of each row up one by one. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support.h"

#define MAX_ROWS 300000 /* more than a piece */
#define DIMENSION_ROWS 500
#define MAX_KEYS 600 /* so that some rows have no partner */

static int32_t foreign[2][MAX_ROWS], keys[2][DIMENSION_ROWS];
static int64_t amounts[MAX_ROWS], prices[DIMENSION_ROWS];
static double weights[MAX_ROWS];
static uint8_t amount_valid[MAX_ROWS / 8 + 1], name_valid[DIMENSION_ROWS / 8 + 1];
static char names[DIMENSION_ROWS * 8];
static uint64_t name_offsets[DIMENSION_ROWS + 1];
static char path[64];

enum { AMOUNT, WEIGHT, NAME, PRICE, CODE, ATTRIBUTES };
static rdx_attribute attributes[ATTRIBUTES];
static rdx_dimension dimensions[2];

static void fill(void) {
  for (uint32_t i = 0; i < MAX_ROWS; i++) {
    foreign[0][i] = (int32_t)(test_random() % MAX_KEYS);
    foreign[1][i] = (int32_t)(test_random() % MAX_KEYS);
    amounts[i] = (int64_t)test_random();
    weights[i] = (double)(int64_t)test_random() / 7;
  }
  for (size_t i = 0; i < sizeof amount_valid; i++)
    amount_valid[i] = (uint8_t)test_random();
  for (size_t i = 0; i < sizeof name_valid; i++)
    name_valid[i] = (uint8_t)(test_random() | 1);
  for (uint32_t i = 0; i < DIMENSION_ROWS; i++) { /* every key once, in some order */
    keys[0][i] = (int32_t)(i * 7 % DIMENSION_ROWS);
    keys[1][i] = (int32_t)(DIMENSION_ROWS - 1 - i);
    prices[i] = (int64_t)(test_random() % 100000) - 50000;
    name_offsets[i + 1] =
        name_offsets[i] + (uint64_t)snprintf(names + name_offsets[i], 8, "n%u", (unsigned)(test_random() % 200));
  }
}

/* A star of so many rows; without `missing` each has its partners. */
static rdx_relation make_star(uint64_t rows, bool missing) {
  for (uint64_t i = 0; i < rows && !missing; i++) {
    foreign[0][i] %= DIMENSION_ROWS;
    foreign[1][i] %= DIMENSION_ROWS;
  }
  for (uint32_t d = 0; d < 2; d++)
    dimensions[d] = (rdx_dimension){.foreign_key = {.type = RDX_TYPE_I32, .rows = rows, .values = foreign[d]},
                                    .key = {.type = RDX_TYPE_I32, .rows = DIMENSION_ROWS, .values = keys[d]}};
  attributes[AMOUNT] =
      (rdx_attribute){"amount", {.type = RDX_TYPE_I64, .rows = rows, .values = amounts, .validity = amount_valid}, 0};
  attributes[WEIGHT] = (rdx_attribute){"weight", {.type = RDX_TYPE_F64, .rows = rows, .values = weights}, 0};
  attributes[NAME] = (rdx_attribute){"name",
                                     {.type = RDX_TYPE_STRING,
                                      .rows = DIMENSION_ROWS,
                                      .values = names,
                                      .offsets = name_offsets,
                                      .validity = name_valid},
                                     1};
  attributes[PRICE] =
      (rdx_attribute){"price", {.type = RDX_TYPE_DECIMAL, .scale = 2, .rows = DIMENSION_ROWS, .values = prices}, 2};
  attributes[CODE] = (rdx_attribute){"code", {.type = RDX_TYPE_I32, .rows = rows, .values = foreign[1]}, 0};
  return (rdx_relation){.rows = rows,
                        .attributes = attributes,
                        .attribute_count = ATTRIBUTES,
                        .dimensions = dimensions,
                        .dimension_count = 2};
}

static bool has(const uint8_t *validity, uint64_t row) {
  return !validity || (validity[row / 8] >> row % 8 & 1);
}

static void check_row(const rdx_table *table, uint64_t at, uint64_t row, const uint32_t partners[2]) {
  const rdx_column *c[ATTRIBUTES];
  for (uint32_t i = 0; i < ATTRIBUTES; i++)
    c[i] = rdx_table_column(table, i);
  assert_int_equal(has(c[AMOUNT]->validity, at), has(amount_valid, row));
  if (has(amount_valid, row))
    assert_true(((const int64_t *)c[AMOUNT]->values)[at] == amounts[row]);
  assert_true(((const double *)c[WEIGHT]->values)[at] == weights[row]);
  assert_int_equal(has(c[NAME]->validity, at), has(name_valid, partners[0]));
  if (has(name_valid, partners[0])) {
    uint64_t length = 0;
    const char *text = rdx_column_string(c[NAME], at, &length);
    assert_int_equal(length, name_offsets[partners[0] + 1] - name_offsets[partners[0]]);
    assert_memory_equal(text, names + name_offsets[partners[0]], length);
  }
  assert_true(((const int64_t *)c[PRICE]->values)[at] == prices[partners[1]]);
  assert_int_equal(((const int32_t *)c[CODE]->values)[at], foreign[1][row]);
}

static void check_star(uint64_t rows, bool missing) {
  rdx_table *table = NULL;
  const rdx_relation star = make_star(rows, missing);
  uint32_t partner[2][MAX_KEYS];
  memset(partner, 0xff, sizeof partner);
  for (uint32_t d = 0; d < 2; d++)
    for (uint32_t i = 0; i < DIMENSION_ROWS; i++)
      partner[d][keys[d][i]] = i;
  OK(rdx_relation_flatten(test_device, &star, path, err));
  OK(rdx_table_open(path, &table, err));
  assert_int_equal(rdx_table_columns(table), ATTRIBUTES);
  for (uint32_t i = 0; i < ATTRIBUTES; i++) {
    assert_string_equal(rdx_table_column_name(table, i), attributes[i].name);
    assert_int_equal(rdx_table_column(table, i)->type, attributes[i].column.type);
    assert_int_equal(rdx_table_column(table, i)->scale, attributes[i].column.scale);
  }
  uint64_t at = 0;
  for (uint64_t row = 0; row < rows; row++) {
    const uint32_t partners[2] = {partner[0][foreign[0][row]], partner[1][foreign[1][row]]};
    if (partners[0] != UINT32_MAX && partners[1] != UINT32_MAX)
      check_row(table, at++, row, partners);
  }
  assert_true(rdx_table_rows(table) == at);
  rdx_table_destroy(&table);
}

static void test_stars(void **state) {
  (void)state;
  static const uint64_t sizes[] = {0, 1, 31, 5000, MAX_ROWS};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    if (test_is_slow() && sizes[i] > 5000)
      continue;
    fill();
    check_star(sizes[i], true);
    check_star(sizes[i], false);
  }
}

/* A failure leaves what was there. */
static void test_refusals(void **state) {
  (void)state;
  rdx_table *table = NULL;
  rdx_relation star = make_star(10, true);
  OK(rdx_relation_flatten(test_device, &star, path, err));
  OK(rdx_table_open(path, &table, err));
  const uint64_t before = rdx_table_rows(table);
  rdx_table_destroy(&table);
  FAILS(RDX_ERROR_ARGUMENT, rdx_relation_flatten(NULL, &star, path, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_relation_flatten(test_device, NULL, path, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_relation_flatten(test_device, &star, NULL, err));
  FAILS(RDX_ERROR_IO, rdx_relation_flatten(test_device, &star, "/nowhere/flat.rdx", err));
  attributes[PRICE].name = "amount"; /* twice */
  FAILS(RDX_ERROR_ARGUMENT, rdx_relation_flatten(test_device, &star, path, err));
  star = make_star(10, true);
  star.attribute_count = 0;
  FAILS(RDX_ERROR_ARGUMENT, rdx_relation_flatten(test_device, &star, path, err));
  star = make_star(10, true);
  keys[0][3] = keys[0][4];
  FAILS(RDX_ERROR_ARGUMENT, rdx_relation_flatten(test_device, &star, path, err));
  OK(rdx_table_open(path, &table, err));
  assert_true(rdx_table_rows(table) == before);
  rdx_table_destroy(&table);
}

static int make_folder(void **state) {
  (void)state;
  static char folder[] = "/tmp/raydex-flat-XXXXXX";
  if (!mkdtemp(folder))
    return -1;
  snprintf(path, sizeof path, "%s/flat.rdx", folder);
  return 0;
}

static int remove_folder(void **state) {
  (void)state;
  unlink(path);
  *strrchr(path, '/') = '\0';
  return rmdir(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test_setup(test_stars, make_folder),
                                     cmocka_unit_test_teardown(test_refusals, remove_folder)};
  return TEST_MAIN(tests);
}
