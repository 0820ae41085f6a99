/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The Arrow C data interface: tables out and in again, arrays made by hand, and who releases what. */

#include "tables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Out and in again ---- */

static const char text[] = "b,i,l,d,f,day,time,s,none\n"
                           "true,1,5000000000,1.25,1e10,2024-02-29,2024-02-29 23:59:59.5,caf\xc3\xa9,\n"
                           "false,,-7,-0.01,2.5,,1969-12-31 00:00,\"\",\n"
                           ",3,0,99.99,,1969-12-31,,,\n"
                           "true,4,,,-1e-5,0001-01-01,2000-01-01 00:00,caf\xc3\xa9,\n";

static rdx_table *parse(const char *csv) {
  rdx_table *table = NULL;
  OK(rdx_table_parse_csv("test", csv, strlen(csv), NULL, &table, err));
  return table;
}

/* A table with these bytes in its second row, which no text in UTF-8 has. */
static rdx_table *parse_bytes(const char *bytes) {
  char fine[32];
  snprintf(fine, sizeof fine, "a\nfine\n%.*s\n", (int)strlen(bytes), "####");
  rdx_table *table = parse(fine);
  char *values = (char *)(uintptr_t)rdx_table_column(table, 0)->values;
  memcpy(values + strlen("fine"), bytes, strlen(bytes));
  return table;
}

static void check_formats(const struct ArrowSchema *schema, const char *const *formats) {
  assert_string_equal(schema->format, "+s");
  for (int64_t i = 0; i < schema->n_children; i++)
    assert_string_equal(schema->children[i]->format, formats[i]);
}

/* The table that was exported is destroyed before the one made of it is looked at. */
static void round_trip(rdx_table *table, const rdx_table *same, const char *const *formats) {
  struct ArrowSchema schema;
  struct ArrowArray array;
  rdx_table *again = NULL;
  OK(rdx_table_to_arrow(table, &schema, &array, err));
  assert_int_equal(array.length, rdx_table_rows(table));
  assert_int_equal(array.n_children, rdx_table_columns(table));
  check_formats(&schema, formats);
  rdx_table_destroy(&table);
  OK(rdx_table_from_arrow(&schema, &array, &again, err));
  assert_null(schema.release);
  assert_null(array.release);
  check_same(again, same);
  rdx_table_destroy(&again);
}

static void test_round_trips(void **state) {
  (void)state;
  static const char *const plain[] = {"b", "i", "l", "d:19,2", "g", "tdD", "tsu:UTC", "U", "U"};
  static const char *const coded[] = {"b", "i", "l", "d:19,2", "g", "tdD", "tsu:UTC", "I", "I"};
  rdx_table *same = parse(text), *opened = NULL;
  round_trip(parse(text), same, plain);
  char path[] = "/tmp/raydex-arrow-XXXXXX", csv[] = "/tmp/raydex-arrow-csv-XXXXXX";
  close(mkstemp(path));
  const int file = mkstemp(csv);
  assert_int_equal(write(file, text, sizeof text - 1), sizeof text - 1);
  close(file);
  OK(rdx_table_import_csv(csv, path, NULL, NULL, err));
  OK(rdx_table_open(path, &opened, err));
  round_trip(opened, same, coded);
  unlink(path);
  unlink(csv);
  rdx_table_destroy(&same);
  /* No rows, and bytes that are no text. */
  static const char *const strings[] = {"U", "U"}, *const bytes[] = {"Z"};
  same = parse("a,b\n");
  round_trip(parse("a,b\n"), same, strings);
  rdx_table_destroy(&same);
  static const char *const bad[] = {"\xff", "\xc3", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc0\x80", "\xe2\x82x"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    same = parse_bytes(bad[i]);
    round_trip(parse_bytes(bad[i]), same, bytes);
    rdx_table_destroy(&same);
  }
}

/* Values are shared, and a child that was moved outlives its parent and the table. */
static void test_moved_child(void **state) {
  (void)state;
  rdx_table *table = parse(text);
  const rdx_column *c = rdx_table_column(table, 2);
  const int64_t *values = c->values;
  struct ArrowSchema schema;
  struct ArrowArray array;
  OK(rdx_table_to_arrow(table, &schema, &array, err));
  assert_ptr_equal(array.children[2]->buffers[1], values);
  struct ArrowArray moved = *array.children[2];
  array.children[2]->release = NULL;
  rdx_table_destroy(&table);
  array.release(&array);
  assert_null(array.release);
  schema.release(&schema);
  assert_null(schema.release);
  assert_int_equal(moved.length, 4);
  assert_int_equal(((const int64_t *)moved.buffers[1])[1], -7);
  moved.release(&moved);
  assert_null(moved.release);
}

/* ---- Arrays made by hand ---- */

static int released_schemas, released_arrays;

static void release_schema(struct ArrowSchema *s) {
  released_schemas++;
  s->release = NULL;
}

static void release_array(struct ArrowArray *a) {
  released_arrays++;
  a->release = NULL;
}

/* A struct array of one column: rows 3 .. 7 of the child, of which 1 comes from the parent and 2 from the child. */
typedef struct hand {
  struct ArrowSchema schema, child_schema, dictionary_schema;
  struct ArrowArray array, child, dictionary;
  struct ArrowSchema *schemas[1];
  struct ArrowArray *arrays[1];
  const void *buffers[3], *dictionary_buffers[3], *none[1];
} hand;

static void make_hand(hand *h, const char *format, const void *validity, const void *first, const void *second) {
  *h = (hand){0};
  h->buffers[0] = validity;
  h->buffers[1] = first;
  h->buffers[2] = second;
  h->schemas[0] = &h->child_schema;
  h->arrays[0] = &h->child;
  h->child_schema = (struct ArrowSchema){.format = format, .name = "x", .release = release_schema};
  h->schema = (struct ArrowSchema){.format = "+s", .n_children = 1, .children = h->schemas, .release = release_schema};
  h->child = (struct ArrowArray){.length = 6,
                                 .null_count = -1,
                                 .offset = 2,
                                 .n_buffers = second ? 3 : 2,
                                 .buffers = h->buffers,
                                 .release = release_array};
  h->array = (struct ArrowArray){.length = 5,
                                 .offset = 1,
                                 .n_buffers = 1,
                                 .buffers = h->none,
                                 .n_children = 1,
                                 .children = h->arrays,
                                 .release = release_array};
  released_schemas = released_arrays = 0;
}

static rdx_table *import_hand(hand *h) {
  rdx_table *table = NULL;
  OK(rdx_table_from_arrow(&h->schema, &h->array, &table, err));
  assert_null(h->schema.release);
  assert_null(h->array.release);
  assert_int_equal(released_schemas, 1);
  assert_int_equal(released_arrays, 0);
  assert_int_equal(rdx_table_rows(table), 5);
  return table;
}

static void drop_hand(rdx_table *table) {
  rdx_table_destroy(&table);
  assert_int_equal(released_arrays, 1);
}

/* What fails leaves both to the caller. */
static void fail_hand(hand *h, rdx_status status, const char *words) {
  rdx_table *table = NULL;
  rdx_error err = {""};
  assert_int_equal(rdx_table_from_arrow(&h->schema, &h->array, &table, &err), status);
  assert_null(table);
  assert_non_null(h->schema.release);
  assert_non_null(h->array.release);
  assert_int_equal(released_schemas + released_arrays, 0);
  if (!strstr(err.text, words))
    fail_msg("'%s' does not say '%s'", err.text, words);
}

/* Rows of the child: NULLs at 4 and 9. */
static const uint8_t validity[] = {0xef, 0xfd};

static void test_fixed(void **state) {
  (void)state;
  static const int32_t values[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  hand h;
  for (int with = 0; with < 2; with++) {
    make_hand(&h, "i", with ? validity : NULL, values, NULL);
    rdx_table *t = import_hand(&h);
    const rdx_column *c = rdx_table_column(t, 0);
    assert_int_equal(c->type, RDX_TYPE_I32);
    assert_ptr_equal(c->values, values + 3);
    for (uint64_t i = 0; i < 5; i++)
      assert_int_equal(is_null(c, i), with && i == 1);
    drop_hand(t);
  }
  /* From a whole byte on, NULL bits are shared. */
  make_hand(&h, "tdD", validity, values, NULL);
  h.array.offset = 6;
  h.array.length = 2;
  h.child.length = 8;
  rdx_table *t = NULL;
  OK(rdx_table_from_arrow(&h.schema, &h.array, &t, err));
  assert_int_equal(rdx_table_column(t, 0)->type, RDX_TYPE_DATE);
  assert_ptr_equal(rdx_table_column(t, 0)->validity, validity + 1);
  assert_true(!is_null(rdx_table_column(t, 0), 0) && is_null(rdx_table_column(t, 0), 1));
  drop_hand(t);
  /* Values that lie askew are copied. */
  char askew[41];
  memcpy(askew + 1, values, 40);
  make_hand(&h, "i", NULL, askew + 1, NULL);
  t = import_hand(&h);
  assert_memory_equal(rdx_table_column(t, 0)->values, values + 3, 20);
  drop_hand(t);
}

static void test_bools(void **state) {
  (void)state;
  static const uint8_t bits[] = {0xa8, 0x01}, expected[] = {1, 0, 1, 0, 1};
  hand h;
  make_hand(&h, "b", validity, bits, NULL);
  rdx_table *t = import_hand(&h);
  assert_int_equal(rdx_table_column(t, 0)->type, RDX_TYPE_BOOL);
  assert_memory_equal(rdx_table_column(t, 0)->values, expected, 5);
  assert_true(is_null(rdx_table_column(t, 0), 1));
  drop_hand(t);
}

static void test_decimals(void **state) {
  (void)state;
  int64_t wide[20] = {0};
  static const int64_t narrow[10] = {0, 0, 0, -5, 1, 2, 3, 4};
  for (int i = 0; i < 10; i++) {
    wide[2 * i] = i % 2 ? INT64_MIN : INT64_MAX;
    wide[2 * i + 1] = i % 2 ? -1 : 0;
  }
  wide[9] = 1; /* row 4, which is NULL, does not fit */
  hand h;
  make_hand(&h, "d:30,3", validity, wide, NULL);
  rdx_table *t = import_hand(&h);
  const rdx_column *c = rdx_table_column(t, 0);
  assert_int_equal(c->type, RDX_TYPE_DECIMAL);
  assert_int_equal(c->scale, 3);
  assert_true(((const int64_t *)c->values)[0] == INT64_MIN && ((const int64_t *)c->values)[3] == INT64_MAX);
  drop_hand(t);
  make_hand(&h, "d:30,3", NULL, wide, NULL);
  fail_hand(&h, RDX_ERROR_RANGE, "column 'x', row 1: the decimal does not fit 64 bits");
  make_hand(&h, "d:18,0,64", NULL, narrow, NULL);
  t = import_hand(&h);
  assert_ptr_equal(rdx_table_column(t, 0)->values, narrow + 3);
  drop_hand(t);
  int32_t small[10] = {0};
  int64_t huge[40] = {0};
  for (int i = 0; i < 10; i++) {
    small[i] = i % 2 ? INT32_MIN : 7;
    huge[4 * i] = i % 2 ? INT64_MIN : INT64_MAX;
    huge[4 * i + 1] = huge[4 * i + 2] = huge[4 * i + 3] = i % 2 ? -1 : 0;
  }
  make_hand(&h, "d:9,2,32", validity, small, NULL);
  t = import_hand(&h);
  c = rdx_table_column(t, 0);
  assert_true(c->scale == 2 && ((const int64_t *)c->values)[0] == INT32_MIN && ((const int64_t *)c->values)[3] == 7);
  drop_hand(t);
  make_hand(&h, "d:70,3,256", NULL, huge, NULL);
  t = import_hand(&h);
  assert_true(((const int64_t *)rdx_table_column(t, 0)->values)[1] == INT64_MAX);
  drop_hand(t);
  huge[4 * 5 + 3] = 0; /* -2^63 modulo 2^192 */
  make_hand(&h, "d:70,3,256", NULL, huge, NULL);
  fail_hand(&h, RDX_ERROR_RANGE, "column 'x', row 2: the decimal does not fit 64 bits");
  static const char *const bad[] = {"d:30,19", "d:30,-1", "d:30", "d:9,2,16", "d:", "d:1,2,3,4", "d:9,-2"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    make_hand(&h, bad[i], NULL, wide, NULL);
    fail_hand(&h, RDX_ERROR_UNSUPPORTED, bad[i]);
  }
}

static void check_texts(const rdx_column *c, const char *const *texts) {
  assert_int_equal(c->type, RDX_TYPE_STRING);
  for (uint64_t i = 0; i < c->rows; i++) {
    assert_int_equal(is_null(c, i), !texts[i]);
    uint64_t length;
    const char *got = rdx_column_string(c, i, &length);
    if (texts[i])
      assert_true(length == strlen(texts[i]) && memcmp(got, texts[i], length) == 0);
  }
}

static void test_strings(void **state) {
  (void)state;
  static const char bytes[] = "zeroonetwothreefourfivesixseven";
  static const int32_t small[] = {0, 4, 7, 10, 15, 19, 23, 26, 31, 31, 31};
  static const int64_t large[] = {0, 4, 7, 10, 15, 19, 23, 26, 31, 31, 31};
  static const int64_t falling[] = {0, 4, 7, 10, 15, 4, 23, 26, 31, 31, 31};
  static const char *const texts[] = {"three", NULL, "five", "six", "seven"};
  static const char *const formats = "uzUZ";
  hand h;
  for (int i = 0; i < 4; i++) {
    const char format[] = {formats[i], '\0'};
    make_hand(&h, format, validity, i < 2 ? (const void *)small : large, bytes);
    rdx_table *t = import_hand(&h);
    const rdx_column *c = rdx_table_column(t, 0);
    check_texts(c, texts);
    assert_ptr_equal(c->values, bytes);
    if (i >= 2)
      assert_ptr_equal(c->offsets, large + 3);
    drop_hand(t);
  }
  make_hand(&h, "U", NULL, falling, bytes);
  fail_hand(&h, RDX_ERROR_ARGUMENT, "must ascend");
  static const int64_t flat[10] = {0};
  static const char *const empty[] = {"", NULL, "", "", ""};
  make_hand(&h, "U", validity, flat, bytes);
  h.buffers[2] = NULL; /* no string has any */
  rdx_table *t = import_hand(&h);
  check_texts(rdx_table_column(t, 0), empty);
  drop_hand(t);
  make_hand(&h, "U", validity, large, bytes);
  h.buffers[2] = NULL;
  fail_hand(&h, RDX_ERROR_ARGUMENT, "a buffer is missing");
}

/* Dictionaries: with all widths of indices, unsorted, with the same string twice, with a NULL, as a slice. */
static void test_dictionaries(void **state) {
  (void)state;
  static const int32_t offsets[] = {0, 1, 2, 3, 4, 5};
  static const int64_t large[] = {0, 1, 2, 3, 4, 5};
  static const uint8_t no_d[] = {0x17};
  static const int8_t i8[] = {9, 9, 9, 0, 9, 1, 2, 3};
  static const uint16_t u16[] = {9, 9, 9, 0, 9, 1, 2, 3};
  static const uint32_t u32[] = {9, 9, 9, 0, 9, 1, 2, 3};
  static const int64_t i64[] = {9, 9, 9, 0, 9, 1, 2, 3};
  static const char *const sliced[] = {"a", NULL, "c", NULL, "a"}; /* "?cbda" without its first: d is NULL */
  static const char *const plain[] = {"b", NULL, "c", "d", "e"};
  const struct {
    const char *format;
    const void *values;
  } widths[] = {{"c", i8}, {"S", u16}, {"I", u32}, {"l", i64}};
  hand h;
  for (size_t k = 0; k < 2 * sizeof widths / sizeof *widths; k++) {
    make_hand(&h, widths[k / 2].format, validity, widths[k / 2].values, NULL);
    h.dictionary_schema = (struct ArrowSchema){.format = k % 2 ? "u" : "U", .release = release_schema};
    h.dictionary_buffers[0] = k % 2 ? no_d : NULL;
    h.dictionary_buffers[1] = k % 2 ? (const void *)offsets : large;
    h.dictionary_buffers[2] = k % 2 ? "?acda" : "abcde";
    h.dictionary = (struct ArrowArray){.length = 4,
                                       .null_count = -1,
                                       .offset = 1,
                                       .n_buffers = 3,
                                       .buffers = h.dictionary_buffers,
                                       .release = release_array};
    h.child_schema.dictionary = &h.dictionary_schema;
    h.child.dictionary = &h.dictionary;
    rdx_table *t = import_hand(&h);
    const rdx_column *c = rdx_table_column(t, 0);
    check_texts(c, k % 2 ? sliced : plain);
    assert_non_null(c->dictionary);
    assert_int_equal(c->dictionary->rows, k % 2 ? 2 : 4);
    if (k == 4) { /* ascending, 32 bits */
      assert_ptr_equal(c->values, u32 + 3);
      assert_ptr_equal(c->dictionary->offsets, large + 1);
    }
    drop_hand(t);
  }
  make_hand(&h, "I", NULL, u32, NULL);
  h.child_schema.dictionary = &h.dictionary_schema;
  h.dictionary_schema = (struct ArrowSchema){.format = "U", .release = release_schema};
  fail_hand(&h, RDX_ERROR_ARGUMENT, "there is no dictionary");
  h.dictionary =
      (struct ArrowArray){.length = 4, .n_buffers = 3, .buffers = h.dictionary_buffers, .release = release_array};
  h.dictionary_buffers[1] = large;
  h.dictionary_buffers[2] = "abcd";
  h.child.dictionary = &h.dictionary;
  fail_hand(&h, RDX_ERROR_ARGUMENT, "row 1 has place 9 in a dictionary of 4 strings");
  h.child_schema.format = "f";
  fail_hand(&h, RDX_ERROR_UNSUPPORTED, "format 'f'");
  h.child_schema.format = "I";
  h.child.buffers = NULL;
  fail_hand(&h, RDX_ERROR_ARGUMENT, "a buffer is missing");
}

/* ---- What is converted ---- */

static void check_i64(hand *h, rdx_type type, const int64_t *expected) {
  rdx_table *t = import_hand(h);
  const rdx_column *c = rdx_table_column(t, 0);
  assert_int_equal(c->type, type);
  for (uint64_t i = 0; i < 5; i++) {
    assert_int_equal(is_null(c, i), i == 1);
    if (type == RDX_TYPE_DATE)
      assert_true(i == 1 || ((const int32_t *)c->values)[i] == expected[i]);
    else
      assert_true(i == 1 || ((const int64_t *)c->values)[i] == expected[i]);
  }
  drop_hand(t);
}

/* Row 1 is NULL, and what stands there would not be kept. */
static void test_times(void **state) {
  (void)state;
  static const char *const formats[] = {"tss:", "tsm:Europe/Paris", "tsu:UTC", "tsn:+02:00"};
  static const int64_t units[] = {1, 1000, 1000000, 1000000000};
  static const int64_t instants[] = {0, 0, -1000000, 253402300799000000, -62135596800000000};
  hand h;
  for (int k = 0; k < 4; k++) {
    int64_t values[10] = {0}, expected[5];
    for (int i = 0; i < 5; i++) {
      const int64_t instant = k == 3 && i > 2 ? 1700000000123456 * (i % 2 ? 1 : -1) : instants[i];
      expected[i] = instant;
      values[3 + i] = k < 2 ? instant / (1000000 / units[k]) : instant * (units[k] / 1000000);
    }
    values[4] = k < 2 ? INT64_MAX : 1;
    make_hand(&h, formats[k], validity, values, NULL);
    check_i64(&h, RDX_TYPE_TIMESTAMP, expected);
    values[6] = k < 2 ? INT64_MAX / 100 : 999;
    make_hand(&h, formats[k], validity, values, NULL);
    if (k == 2)
      drop_hand(import_hand(&h));
    else
      fail_hand(&h, RDX_ERROR_RANGE, k < 2 ? "column 'x', row 3: the timestamp is beyond" : "part of a microsecond");
  }
  static const int64_t days[] = {0, 0, -719162, 2932896, 1};
  int64_t ms[10] = {0};
  for (int i = 0; i < 5; i++)
    ms[3 + i] = days[i] * 86400000;
  ms[4] = 1;
  make_hand(&h, "tdm", validity, ms, NULL);
  check_i64(&h, RDX_TYPE_DATE, days);
  ms[5]++;
  make_hand(&h, "tdm", validity, ms, NULL);
  fail_hand(&h, RDX_ERROR_RANGE, "row 2: the date has a part of a day");
  ms[5] = 86400000 * ((int64_t)INT32_MAX + 1);
  make_hand(&h, "tdm", validity, ms, NULL);
  fail_hand(&h, RDX_ERROR_RANGE, "row 2: the date is beyond");
}

static void test_times_of_day(void **state) {
  (void)state;
  static const char *const formats[] = {"tts", "ttm", "ttu", "ttn"};
  static const char *const ends[] = {"", ".987", ".987654", ".987654321"};
  static const int64_t units[] = {1, 1000, 1000000, 1000000000};
  for (int k = 0; k < 4; k++) {
    int64_t wide[10] = {0};
    int32_t narrow[10] = {0};
    char last[32];
    hand h;
    wide[7] = 86399 * units[k] + 987654321 / (1000000000 / units[k]) % units[k];
    wide[4] = -1;
    for (int i = 0; i < 10; i++)
      narrow[i] = (int32_t)wide[i];
    const void *values = k < 2 ? (const void *)narrow : wide;
    make_hand(&h, formats[k], validity, values, NULL);
    rdx_table *t = import_hand(&h);
    char first[32] = "00:00:00.000000000";
    first[k ? 9 + 3 * k : 8] = '\0';
    snprintf(last, sizeof last, "23:59:59%s", ends[k]);
    const char *const texts[] = {first, NULL, first, first, last};
    check_texts(rdx_table_column(t, 0), texts);
    drop_hand(t);
    wide[3] = 86400 * units[k];
    narrow[3] = (int32_t)wide[3];
    make_hand(&h, formats[k], validity, values, NULL);
    fail_hand(&h, RDX_ERROR_RANGE, "column 'x', row 0: the time of day");
  }
}

/* All halves, by what their parts say. */
static void test_halves(void **state) {
  (void)state;
  for (uint32_t half = 0; half < 65536; half++) {
    uint16_t values[10];
    for (int i = 0; i < 10; i++)
      values[i] = (uint16_t)half;
    const uint32_t exponent = half >> 10 & 31, fraction = half & 1023;
    float expected = exponent == 31  ? (fraction ? NAN : INFINITY)
                     : exponent == 0 ? (float)fraction / 16777216
                                     : ldexpf(1024 + (float)fraction, (int)exponent - 25);
    expected = half & 0x8000 ? -expected : expected;
    hand h;
    make_hand(&h, "e", NULL, values, NULL);
    rdx_table *t = import_hand(&h);
    const float got = ((const float *)rdx_table_column(t, 0)->values)[4];
    assert_int_equal(rdx_table_column(t, 0)->type, RDX_TYPE_F32);
    assert_true(isnan(expected) ? isnan(got) : memcmp(&got, &expected, sizeof got) == 0);
    drop_hand(t);
  }
}

static void put_view(char *to, int32_t length, const char *bytes, int32_t buffer, int32_t offset) {
  memset(to, 0, 16);
  memcpy(to, &length, 4);
  memcpy(to + 4, bytes, length > 12 || length < 0 ? strnlen(bytes, 4) : (size_t)length);
  if (length > 12 || length < 0) {
    memcpy(to + 8, &buffer, 4);
    memcpy(to + 12, &offset, 4);
  }
}

static void test_other_strings(void **state) {
  (void)state;
  static const char bytes[] = "aabbccddeeffgghh", longer[] = "..a string that is longer";
  static const char *const pairs[] = {"dd", NULL, "ff", "gg", "hh"}, *const empty[] = {"", NULL, "", "", ""};
  static const char *const texts[] = {"a string that is longer", NULL, "", "twelve bytes", "that is longer"};
  static const char *const nulls[5] = {NULL};
  hand h;
  make_hand(&h, "w:2", validity, bytes, NULL);
  rdx_table *t = import_hand(&h);
  check_texts(rdx_table_column(t, 0), pairs);
  assert_ptr_equal(rdx_table_column(t, 0)->values, bytes);
  drop_hand(t);
  make_hand(&h, "w:0", validity, NULL, NULL);
  t = import_hand(&h);
  check_texts(rdx_table_column(t, 0), empty);
  drop_hand(t);
  make_hand(&h, "n", NULL, NULL, NULL);
  h.child.n_buffers = 0;
  h.child.buffers = NULL;
  t = import_hand(&h);
  check_texts(rdx_table_column(t, 0), nulls);
  drop_hand(t);
  char views[8 * 16] = {0};
  const int64_t size = sizeof longer - 1;
  const void *buffers[] = {validity, views, longer, &size};
  put_view(views + 3 * 16, 23, longer + 2, 0, 2);
  put_view(views + 4 * 16, 1000, "", 77, -5); /* NULL */
  put_view(views + 6 * 16, 12, "twelve bytes", 0, 0);
  put_view(views + 7 * 16, 14, longer + 11, 0, 11);
  for (int k = 0; k < 2; k++) {
    make_hand(&h, k ? "vz" : "vu", NULL, NULL, NULL);
    h.child.n_buffers = 4;
    h.child.buffers = buffers;
    t = import_hand(&h);
    check_texts(rdx_table_column(t, 0), texts);
    drop_hand(t);
  }
  static const int32_t wrong[][3] = {{15, 0, 11}, {-1, 0, 0}, {13, 1, 0}, {13, -1, 0}, {13, 0, -1}, {INT32_MAX, 0, 2}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    put_view(views + 7 * 16, wrong[i][0], longer, wrong[i][1], wrong[i][2]);
    make_hand(&h, "vu", NULL, NULL, NULL);
    h.child.n_buffers = 4;
    h.child.buffers = buffers;
    fail_hand(&h, RDX_ERROR_ARGUMENT, "a view is beyond its buffer");
  }
}

/* Of numbers, with a NULL; decimals become narrow on the way. */
static void test_other_dictionaries(void **state) {
  (void)state;
  static const uint8_t places[] = {9, 9, 9, 0, 9, 1, 2, 0}, no_1[] = {0xfd};
  static const int64_t wide[] = {7, 0, 8, 0, -9, -1};
  hand h;
  make_hand(&h, "C", validity, places, NULL);
  h.dictionary_schema = (struct ArrowSchema){.format = "d:5,2", .release = release_schema};
  h.dictionary_buffers[0] = no_1;
  h.dictionary_buffers[1] = wide;
  h.dictionary = (struct ArrowArray){
      .length = 3, .null_count = 1, .n_buffers = 2, .buffers = h.dictionary_buffers, .release = release_array};
  h.child_schema.dictionary = &h.dictionary_schema;
  h.child.dictionary = &h.dictionary;
  rdx_table *t = import_hand(&h);
  const rdx_column *c = rdx_table_column(t, 0);
  const int64_t *values = c->values;
  assert_true(c->type == RDX_TYPE_DECIMAL && c->scale == 2 && !c->dictionary);
  assert_true(values[0] == 7 && values[3] == -9 && values[4] == 7);
  for (uint64_t i = 0; i < 5; i++)
    assert_int_equal(is_null(c, i), i == 1 || i == 2);
  drop_hand(t);
  h.child_schema.release = release_schema;
  make_hand(&h, "C", NULL, places, NULL);
  h.child_schema.dictionary = &h.dictionary_schema;
  h.child.dictionary = &h.dictionary;
  h.dictionary_buffers[1] = wide;
  h.dictionary_schema = (struct ArrowSchema){.format = "d:5,2", .release = release_schema};
  h.dictionary =
      (struct ArrowArray){.length = 3, .n_buffers = 2, .buffers = h.dictionary_buffers, .release = release_array};
  fail_hand(&h, RDX_ERROR_ARGUMENT, "an index is beyond its dictionary");
}

/* A name that is no UTF-8 is not handed on. */
static void test_names(void **state) {
  (void)state;
  static const int32_t values[10] = {0};
  hand h;
  make_hand(&h, "i", NULL, values, NULL);
  h.child_schema.name = "caf\xe9";
  rdx_table *t = import_hand(&h);
  struct ArrowSchema schema = {0};
  struct ArrowArray array = {0};
  FAILS(rdx_table_to_arrow(t, &schema, &array, err), RDX_ERROR_UNSUPPORTED, "the name of column 1 is no UTF-8");
  assert_null(schema.release);
  assert_null(array.release);
  drop_hand(t);
}

static void test_errors(void **state) {
  (void)state;
  static const int32_t values[10] = {0};
  static const uint8_t some[] = {0xf7};
  hand h;
  static const char *const formats[] = {
      "+l", "+s", "+r", "+ud:1", "tDs", "tiM", "w:", "w:-1", "tsx:", "ts", "tt", "q", ""};
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
    make_hand(&h, formats[i], NULL, values, NULL);
    fail_hand(&h, RDX_ERROR_UNSUPPORTED, "which is not supported: ");
  }
  make_hand(&h, "i", NULL, NULL, NULL);
  fail_hand(&h, RDX_ERROR_ARGUMENT, "a buffer is missing");
  make_hand(&h, "U", NULL, values, NULL);
  fail_hand(&h, RDX_ERROR_ARGUMENT, "not as many buffers");
  make_hand(&h, "i", NULL, values, NULL);
  h.child.length = 5;
  fail_hand(&h, RDX_ERROR_ARGUMENT, "shorter than its parent");
  h.child.length = 6;
  h.array.null_count = 1;
  h.none[0] = some;
  fail_hand(&h, RDX_ERROR_UNSUPPORTED, "row 2 of the Arrow array is NULL as a whole");
  h.none[0] = NULL;
  fail_hand(&h, RDX_ERROR_ARGUMENT, "the Arrow array has NULLs, and no bits");
  h.array.null_count = 0;
  h.child.null_count = 1;
  fail_hand(&h, RDX_ERROR_ARGUMENT, "it has NULLs, and no bits");
  h.child.null_count = -1;
  h.schema.n_children = 2;
  fail_hand(&h, RDX_ERROR_ARGUMENT, "do not go together");
  h.schema.format = "i";
  fail_hand(&h, RDX_ERROR_UNSUPPORTED, "not of 'i'");
  h.array.release = NULL;
  rdx_table *table = NULL;
  assert_int_equal(rdx_table_from_arrow(&h.schema, &h.array, &table, NULL), RDX_ERROR_ARGUMENT);
  assert_int_equal(rdx_table_to_arrow(NULL, &h.schema, &h.array, NULL), RDX_ERROR_ARGUMENT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_round_trips),   cmocka_unit_test(test_moved_child),
      cmocka_unit_test(test_fixed),         cmocka_unit_test(test_bools),
      cmocka_unit_test(test_decimals),      cmocka_unit_test(test_strings),
      cmocka_unit_test(test_dictionaries),  cmocka_unit_test(test_times),
      cmocka_unit_test(test_times_of_day),  cmocka_unit_test(test_halves),
      cmocka_unit_test(test_other_strings), cmocka_unit_test(test_other_dictionaries),
      cmocka_unit_test(test_names),         cmocka_unit_test(test_errors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
