/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* String keys whose prefixes do not tell them apart: long common beginnings, NUL bytes, the highest bytes, UTF-8. */

#include "reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX 512 /* strings in a set */
#define MAX_BYTES (1u << 20)

/* Strings under construction; the first byte of `bytes` belongs to none of them, as in a slice of a column. */
typedef struct texts {
  char *bytes;
  uint64_t offsets[MAX + 1];
  rdx_column view;
} texts;

static void start(texts *t) {
  t->bytes = malloc(MAX_BYTES);
  assert_non_null(t->bytes);
  t->bytes[0] = '?';
  t->offsets[0] = 1;
  t->view = (rdx_column){.type = RDX_TYPE_STRING, .values = t->bytes, .offsets = t->offsets};
}

static void add(texts *t, const char *text, uint64_t length) {
  const uint64_t row = t->view.rows++;
  assert_true(row < MAX && t->offsets[row] + length <= MAX_BYTES);
  memcpy(t->bytes + t->offsets[row], text, length);
  t->offsets[row + 1] = t->offsets[row] + length;
}

static void stop(texts *t) {
  free(t->bytes);
}

static uint64_t length_of(const texts *t, uint64_t row) {
  return t->offsets[row + 1] - t->offsets[row];
}

/* Every key, and what lies next to it on either side. */
static void make_probes(texts *probes, const texts *keys) {
  start(probes);
  add(probes, "", 0);
  const uint64_t step = keys->view.rows / 40 + 1;
  for (uint64_t row = 0; row < keys->view.rows; row += step) {
    char text[256];
    const uint64_t whole = length_of(keys, row), length = whole < 200 ? whole : 200;
    memcpy(text, keys->bytes + keys->offsets[row], length);
    add(probes, keys->bytes + keys->offsets[row], whole);
    text[length] = '\0';
    add(probes, text, length + 1);
    text[length] = '\xff';
    add(probes, text, length + 1);
    if (length > 0) {
      add(probes, text, length - 1);
      text[length - 1]++;
      add(probes, text, length);
      text[length - 1] = (char)(text[length - 1] - 2);
      add(probes, text, length);
    }
    if (length > 8)
      add(probes, text, 8);
  }
}

/* Points, and ranges from each probe to another, with both indexes. */
static void check_set(const texts *keys) {
  texts probes, upper;
  make_probes(&probes, keys);
  start(&upper);
  for (uint64_t row = 0; row < probes.view.rows; row++) {
    const uint64_t other = test_random() % 3 == 0 ? row : test_random() % probes.view.rows;
    add(&upper, probes.bytes + probes.offsets[other], length_of(&probes, other));
  }
  test_column values = column_make(RDX_TYPE_I64, SHAPE_SKEWED, SOME_NULLS, keys->view.rows + 1);
  values.view.rows = keys->view.rows;
  for (rdx_index_method method = RDX_INDEX_RX; method < RDX_INDEX_METHODS; method++) {
    if (method == RDX_INDEX_RX && rdx_device_get_info(test_device)->tracing == RDX_TRACING_NONE)
      continue;
    rdx_index *index = NULL;
    OK(rdx_index_create(test_device, &keys->view, &(rdx_index_params){.method = method}, &index, err));
    check_lookups(index, &keys->view, &probes.view, NULL, &values.view);
    if (rdx_index_method_abilities(method).ranges)
      check_lookups(index, &keys->view, &probes.view, &upper.view, &values.view);
    rdx_index_destroy(&index);
  }
  column_free(&values);
  stop(&probes);
  stop(&upper);
}

static void test_common_prefixes(void **state) {
  (void)state;
  for (uint64_t common = 6; common <= 40; common = common < 9 ? common + 1 : common * 2) {
    texts keys;
    start(&keys);
    for (uint32_t i = 0; i < 120; i++) {
      char text[64];
      memset(text, 'p', common);
      add(&keys, text, common + (uint64_t)snprintf(text + common, 16, "%u", (uint32_t)(test_random() % 50)));
    }
    check_set(&keys);
    stop(&keys);
  }
}

/* All lengths of one byte: each is a prefix of all that follow. */
static void test_prefixes_of_each_other(void **state) {
  (void)state;
  static const char bytes[] = {'\0', 'a', '\xff'};
  for (size_t b = 0; b < sizeof bytes; b++) {
    texts keys;
    char text[24];
    memset(text, bytes[b], sizeof text);
    start(&keys);
    for (uint64_t i = 0; i < 3 * sizeof text; i++)
      add(&keys, text, i * 5 % sizeof text);
    check_set(&keys);
    stop(&keys);
  }
}

/* Short strings only: their codes are exact until a zero byte appears, at either end. */
static void test_short_strings(void **state) {
  (void)state;
  for (int zeros = 0; zeros < 2; zeros++) {
    texts keys;
    start(&keys);
    for (uint32_t i = 0; i < 200; i++) {
      char text[8];
      const uint64_t length = test_random() % 9;
      for (uint64_t k = 0; k < length; k++)
        text[k] = "\0\1b\xff"[zeros ? test_random() % 4 : 1 + test_random() % 3];
      add(&keys, text, length);
    }
    check_set(&keys);
    stop(&keys);
  }
}

static void test_single_bytes(void **state) {
  (void)state;
  texts keys;
  start(&keys);
  for (uint32_t i = 0; i < 256; i++)
    add(&keys, &(char){(char)(i * 37)}, 1);
  check_set(&keys);
  stop(&keys);
}

static void test_utf8(void **state) {
  (void)state;
  // clang-format off
  static const char *const words[] = {
      "Zürich", "Zurich", "zürich", "Ζυρίχη", "チューリッヒ", "チューリヒ", "цюрих",
      "Цюрих", "é", "e\xcc\x81", "😀", "😀😀", "", "ß",
      "Straße 1", "Straße", "Straßen", "straße", "ss"};
  // clang-format on
  texts keys;
  start(&keys);
  for (size_t i = 0; i < 2 * sizeof words / sizeof *words; i++)
    add(&keys, words[i % (sizeof words / sizeof *words)], strlen(words[i % (sizeof words / sizeof *words)]));
  check_set(&keys);
  stop(&keys);
}

/* Equal in tens of thousands of bytes, different in the last one. */
static void test_long_strings(void **state) {
  (void)state;
  enum { LENGTH = 30000 };
  char *text = malloc(LENGTH);
  assert_non_null(text);
  memset(text, 'x', LENGTH);
  texts keys;
  start(&keys);
  for (uint32_t i = 0; i < 8; i++) {
    text[LENGTH - 1] = (char)('a' + i % 5);
    add(&keys, text, LENGTH - (i == 7));
  }
  check_set(&keys);
  stop(&keys);
  free(text);
}

static void test_equal_and_empty(void **state) {
  (void)state;
  static const char *const texts_of_sets[] = {"", "same", "the same long text"};
  for (size_t i = 0; i < 3; i++) {
    for (uint32_t rows = 0; rows <= 60; rows = rows * 6 + 1) {
      texts keys;
      start(&keys);
      for (uint32_t row = 0; row < rows; row++)
        add(&keys, texts_of_sets[i], strlen(texts_of_sets[i]));
      check_set(&keys);
      stop(&keys);
    }
  }
}

/* NULL is not the empty string, in keys and in probes. */
static void test_null_and_empty(void **state) {
  (void)state;
  const uint64_t offsets[] = {0, 0, 0, 0, 1};
  const uint8_t validity[] = {0x0a};
  const rdx_column keys = {.type = RDX_TYPE_STRING, .rows = 4, .values = "a", .offsets = offsets, .validity = validity};
  for (rdx_index_method method = RDX_INDEX_RX; method < RDX_INDEX_METHODS; method++) {
    if (method == RDX_INDEX_RX && rdx_device_get_info(test_device)->tracing == RDX_TRACING_NONE)
      continue;
    rdx_index *index = NULL;
    rdx_lookup_result *result = NULL;
    rdx_lookup_view view;
    OK(rdx_index_create(test_device, &keys, &(rdx_index_params){.method = method}, &index, err));
    OK(rdx_index_lookup(index, &keys, NULL, &result, err));
    OK(rdx_lookup_result_view(result, &view, err));
    assert_memory_equal(view.count, ((const uint32_t[]){0, 1, 0, 1}), 16);
    rdx_lookup_result_destroy(&result);
    rdx_index_destroy(&index);
  }
}

static void make_names(texts *t, const char *format, uint32_t factor) {
  start(t);
  for (uint32_t i = 0; i < 100; i++) {
    char text[64];
    add(t, text, (uint64_t)snprintf(text, sizeof text, format, i * factor % 70));
  }
}

static void check_names(const rdx_index *index, const texts *keys) {
  texts probes;
  make_probes(&probes, keys);
  test_column values = column_make(RDX_TYPE_I64, SHAPE_SKEWED, SOME_NULLS, keys->view.rows);
  check_lookups(index, &keys->view, &probes.view, NULL, &values.view);
  column_free(&values);
  stop(&probes);
}

/* Updates from strings that begin alike to others and back; what such an index refuses. */
static void test_alike_updates(void **state) {
  (void)state;
  texts alike, more, others;
  make_names(&alike, "Customer#%09u", 37);
  make_names(&more, "Supplier#%09u", 31);
  make_names(&others, "%u names that differ", 41);
  const bool rays = rdx_device_get_info(test_device)->tracing != RDX_TRACING_NONE;
  const rdx_index_params params = {.method = rays ? RDX_INDEX_RX : RDX_INDEX_BTREE, .rx.updatable = rays};
  const uint32_t number = 5;
  const rdx_column numbers = {.type = RDX_TYPE_U32, .rows = 1, .values = &number};
  rdx_index *index = NULL;
  rdx_lookup_result *result = NULL;
  rdx_index_stats stats;
  OK(rdx_index_create(test_device, &alike.view, &params, &index, err));
  check_names(index, &alike);
  rdx_index_get_stats(index, &stats);
  assert_int_equal(stats.key_type, RDX_TYPE_STRING);
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_lookup(index, &numbers, NULL, &result, err));
  FAILS(RDX_ERROR_UNSUPPORTED, rdx_index_apply(index, &(rdx_index_changes){.insert = &more.view}, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_update(index, &numbers, RDX_UPDATE_REBUILD, err));
  if (rays) {
    OK(rdx_index_update(index, &more.view, RDX_UPDATE_REFIT, err));
    check_names(index, &more);
  }
  OK(rdx_index_update(index, &others.view, RDX_UPDATE_REBUILD, err));
  check_names(index, &others);
  OK(rdx_index_update(index, &alike.view, RDX_UPDATE_REBUILD, err));
  check_names(index, &alike);
  rdx_index_destroy(&index);
  stop(&alike);
  stop(&more);
  stop(&others);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_common_prefixes),
      cmocka_unit_test(test_prefixes_of_each_other),
      cmocka_unit_test(test_short_strings),
      cmocka_unit_test(test_single_bytes),
      cmocka_unit_test(test_utf8),
      cmocka_unit_test(test_long_strings),
      cmocka_unit_test(test_equal_and_empty),
      cmocka_unit_test(test_null_and_empty),
      cmocka_unit_test(test_alike_updates),
  };
  return TEST_MAIN(tests);
}
