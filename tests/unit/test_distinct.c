/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Distinct strings, numbered and sorted, and merged of runs, against comparing them all. */

#include "tables.h"

#include <stdio.h>
#include <stdlib.h>

#include "column/column.h"
#include "column/string_runs.h"
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

/* Add a piece of rows, as many at a time as there may be. */
static void add_piece(rdx_string_runs *runs, uint32_t worker, const rdx_column *column, uint64_t begin, uint64_t count,
                      uint32_t *numbers, uint32_t *run) {
  OK(rdx_string_runs_open(runs, worker, (uint32_t)count, run, err));
  for (uint64_t done = 0; done < count;) {
    rdx_arrival arrivals[RDX_ARRIVALS];
    uint32_t n = 0;
    for (; done < count && n < RDX_ARRIVALS; n++, done++) {
      arrivals[n].bytes = rdx_column_text(column, begin + done, &arrivals[n].length);
      arrivals[n].number = &numbers[begin + done];
    }
    OK(rdx_string_runs_add(runs, worker, arrivals, n, err));
  }
}

/* The strings ascend, each once. */
static void check_ascending(const rdx_column *list) {
  for (uint64_t i = 1; i < list->rows; i++)
    assert_true(rdx_column_compare_strings(list, i - 1, list, i) < 0);
}

/* The same of workers that take pieces in turns, expecting so many rows; by some threads or this one. */
static void check_runs(const strings *s, uint64_t piece, uint64_t expected, uint32_t workers, rdx_pool *pool) {
  const rdx_column column = column_of(s);
  rdx_string_runs *runs = NULL;
  uint32_t *numbers = calloc(s->rows + 1, sizeof *numbers), *run = calloc(s->rows / piece + 1, sizeof *run);
  uint64_t total = 0, bytes = 0, count = 0;
  assert_non_null(numbers);
  assert_non_null(run);
  OK(rdx_string_runs_create(workers, expected, &runs, err));
  for (uint64_t begin = 0; begin < s->rows; begin += piece)
    add_piece(runs, (uint32_t)(begin / piece % workers), &column, begin,
              s->rows - begin < piece ? s->rows - begin : piece, numbers, &run[begin / piece]);
  OK(rdx_string_runs_end(runs, pool, &total, &bytes, err));
  strings merged = make_strings(total, bytes + 1);
  OK(rdx_string_runs_merge(runs, merged.offsets, merged.bytes, &count, err));
  merged.rows = count;
  const rdx_column found = column_of(&merged);
  check_ascending(&found);
  uint8_t *seen = calloc(count + 1, 1);
  assert_non_null(seen);
  for (uint64_t i = 0; i < s->rows; i++) {
    const uint32_t worker = (uint32_t)(i / piece % workers);
    const uint32_t place = rdx_string_runs_places(runs, worker, run[i / piece])[numbers[i]];
    assert_true(place < count);
    seen[place] = 1;
    assert_int_equal(rdx_column_compare_strings(&found, place, &column, i), 0);
  }
  assert_null(memchr(seen, 0, count));
  rdx_string_runs_destroy(&runs);
  free(seen);
  free(merged.bytes);
  free(merged.offsets);
  free(numbers);
  free(run);
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
    check_runs(&s, 1 + next_random() % 200, rows, 1, NULL);
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

/* Strings that are seldom alike make many runs; those that often are make tables grow. */
static void test_runs(void **state) {
  (void)state;
  const uint64_t rows = 400000;
  strings s = make_strings(rows, rows * 32);
  rdx_pool *pool = NULL;
  OK(rdx_pool_create(3, &pool, err));
  for (uint64_t i = 0; i < rows; i++) {
    char text[32];
    const int length =
        snprintf(text, sizeof text, "%.*s%llu", (int)(i % 5), "pending", (unsigned long long)(next_random() % 300000));
    add(&s, text, (uint64_t)length);
  }
  check_runs(&s, 1000, rows, 3, pool);
  check_runs(&s, 1000, 0, 3, pool);
  check_runs(&s, 777, 100 * rows, 1, NULL);
  s.rows = 0;
  check_runs(&s, 10, 0, 3, pool);
  s.rows = 1;
  check_runs(&s, 10, 1, 3, pool);
  rdx_pool_destroy(&pool);
  drop(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random),
      cmocka_unit_test(test_nested),
      cmocka_unit_test(test_many),
      cmocka_unit_test(test_runs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
