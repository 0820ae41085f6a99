/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Distinct strings, numbered and sorted, against comparing them all. */

#include "tables.h"

#include <stdio.h>
#include <stdlib.h>

#include "column/column.h"
#include "column/dictionary.h"
#include "random.h"

typedef struct strings {
  char *bytes;
  uint64_t *offsets;
  uint64_t rows, used;
} strings;

static strings make_strings(uint64_t rows, uint64_t bytes) {
  strings s = {.bytes = malloc(bytes), .offsets = calloc(rows + 1, sizeof *s.offsets)};
  assert_non_null(s.bytes);
  assert_non_null(s.offsets);
  return s;
}

static void add(strings *s, const char *bytes, uint64_t length) {
  if (length > 0)
    memcpy(s->bytes + s->used, bytes, length);
  s->used += length;
  s->offsets[++s->rows] = s->used;
}

static rdx_column column_of(const strings *s) {
  return (rdx_column){.type = RDX_TYPE_STRING, .rows = s->rows, .values = s->bytes, .offsets = s->offsets};
}

static int compare_rows(const void *a, const void *b, void *context) {
  return rdx_column_compare_strings(context, *(const uint32_t *)a, context, *(const uint32_t *)b);
}

/* Number all rows in pieces, and sort; compare with sorting the rows. */
static void check(const strings *s, const uint8_t *validity, uint64_t piece) {
  rdx_column column = column_of(s);
  column.validity = validity;
  rdx_distinct d = {0};
  uint32_t *numbers = calloc(s->rows + 1, sizeof *numbers), *rows = calloc(s->rows + 1, sizeof *rows), count = 0;
  uint32_t *sorted = NULL, *places = NULL;
  assert_non_null(numbers);
  assert_non_null(rows);
  for (uint64_t begin = 0; begin < s->rows; begin += piece) {
    const uint64_t rest = s->rows - begin;
    OK(rdx_distinct_add_rows(&d, &column, begin, rest < piece ? rest : piece, numbers + begin, err));
  }
  OK(rdx_distinct_sort(&d, "sort", &sorted, &places, err));
  for (uint32_t i = 0; i < s->rows; i++)
    if (rdx_column_has(&column, i))
      rows[count++] = i;
  qsort_r(rows, count, sizeof *rows, compare_rows, &column);
  uint32_t place = 0;
  for (uint32_t i = 0; i < count; i++) {
    place += i > 0 && compare_rows(&rows[i - 1], &rows[i], &column) != 0;
    const uint32_t number = numbers[rows[i]];
    assert_true(number < d.strings.rows);
    assert_int_equal(rdx_column_compare_strings(&d.strings, number, &column, rows[i]), 0);
    assert_int_equal(places[number], place);
    assert_int_equal(sorted[place], number);
  }
  assert_int_equal(d.strings.rows, count > 0 ? place + 1 : 0);
  rdx_distinct_drop(&d);
  rdx_free(sorted);
  rdx_free(places);
  free(numbers);
  free(rows);
}

static void drop(strings *s) {
  free(s->bytes);
  free(s->offsets);
}

/* Texts of few letters, zeros among them, so that many are alike, or begin alike. */
static void test_random(void **state) {
  (void)state;
  for (uint64_t round = 0; round < 60; round++) {
    const uint64_t rows = round < 4 ? round : 1 + next_random() % 3000, longest = 1 + next_random() % 40;
    const uint32_t letters = 1 + (uint32_t)(next_random() % 3);
    strings s = make_strings(rows, rows * longest + 1);
    uint8_t *validity = calloc(rows / 8 + 1, 1);
    assert_non_null(validity);
    for (uint64_t i = 0; i < rows; i++) {
      char text[40];
      const uint64_t length = next_random() % (longest + 1);
      for (uint64_t k = 0; k < length; k++)
        text[k] = (char)(next_random() % (letters + 1) * 127);
      add(&s, text, length);
      if (next_random() % 4)
        validity[i / 8] |= (uint8_t)(1u << i % 8);
    }
    check(&s, round % 2 ? validity : NULL, round % 3 ? 1 + next_random() % 200 : rows + 1);
    free(validity);
    drop(&s);
  }
}

/* Each text begins with the one before it: sorting goes eight bytes deeper with each few texts. */
static void test_nested(void **state) {
  (void)state;
  const uint64_t rows = 5000;
  static const char fills[] = {'\0', 'a'};
  for (size_t f = 0; f < sizeof fills; f++) {
    strings s = make_strings(rows, rows * rows / 2 + rows);
    char *text = malloc(rows);
    assert_non_null(text);
    memset(text, fills[f], rows);
    for (uint64_t i = 0; i < rows; i++)
      add(&s, text, i * 7 % rows);
    check(&s, NULL, 100);
    free(text);
    drop(&s);
  }
}

/* More texts than the table begins with, in pieces, each alike to another. */
static void test_many(void **state) {
  (void)state;
  const uint64_t rows = 300000;
  strings s = make_strings(rows, rows * 32);
  for (uint64_t i = 0; i < rows; i++) {
    char text[48];
    const int length =
        snprintf(text, sizeof text, "carefully final deposits %llu", (unsigned long long)(i * i % 100003));
    add(&s, text, (uint64_t)length < 32 ? (uint64_t)length : 32);
  }
  check(&s, NULL, 65536);
  drop(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random),
      cmocka_unit_test(test_nested),
      cmocka_unit_test(test_many),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
