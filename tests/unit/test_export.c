/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Random tables to CSV and back, with their types: the same table file, byte for byte. */

#include "tables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/random.h"

#define COLUMNS 6
#define ROWS 3000
#define TEXT 65536 /* bytes of a column's strings */

static char folder[] = "/tmp/raydex-export-XXXXXX";
static char first[64], again[64], csv[64];

static int make_folder(void **state) {
  (void)state;
  assert_non_null(mkdtemp(folder));
  snprintf(first, sizeof first, "%s/first.rdx", folder);
  snprintf(again, sizeof again, "%s/again.rdx", folder);
  snprintf(csv, sizeof csv, "%s/t.csv", folder);
  return 0;
}

static int remove_folder(void **state) {
  (void)state;
  unlink(first);
  unlink(again);
  unlink(csv);
  return rmdir(folder); /* fails when something was left behind */
}

static uint64_t random_below(uint64_t limit) {
  return next_random() % limit;
}

/* A column with all memory of its own. */
typedef struct random_column {
  char name[64];
  rdx_column view;
  uint64_t values[ROWS];
  uint8_t validity[ROWS / 8 + 1];
  uint64_t offsets[ROWS + 1];
  char text[TEXT];
} random_column;

/* Texts that mean something to readers of CSV, or look as other types do. */
static const char *const pieces[] = {
    "",      "\"",   "\"\"", "\n",  "\r\n",         "\r",     ",",      ";",          "\t",    "|",    ":",    "'",
    " ",     "NULL", "NA",   "nan", "00123",        "12e3",   "-0",     "1.0",        "true",  "\\N",  "\\",   "#",
    "sep=;", "BZh9", "PK",   "x",   "\xef\xbb\xbf", "\u00e9", "\u2028", "2024-01-05", "1e999", "-inf", "0x10", "a b"};

static size_t put_text(char *to) {
  size_t size = 0;
  for (uint64_t n = random_below(4); n > 0; n--) {
    const char *piece = pieces[random_below(sizeof pieces / sizeof *pieces)];
    memcpy(to + size, piece, strlen(piece));
    size += strlen(piece);
  }
  return size;
}

/* The bytes of a value of a type: any of it, of which many are at its ends. */
static uint64_t random_value(rdx_type type) {
  static const double reals[] = {NAN, INFINITY, -INFINITY, -0.0, 0, 5e-324, -1.7976931348623157e308,
                                 0.1, 1e22,     123456.5};
  static const float narrow[] = {NAN, INFINITY, -INFINITY, -0.0f, 0, 1e-45f, -3.4028235e38f, 0.1f, 1e10f, 16777216};
  const uint64_t bits = next_random(), choice = random_below(20);
  uint64_t out = bits >> random_below(64);
  double real;
  float single;
  switch (type) {
  case RDX_TYPE_BOOL:
    return bits & 1;
  case RDX_TYPE_DATE:
    return choice < 10 ? (uint64_t)((int64_t)(bits % 3652059) - 719162) : out; /* the years 1 to 9999, or any */
  case RDX_TYPE_TIMESTAMP:
    if (choice < 5)
      return choice == 0 ? (uint64_t)INT64_MIN : choice == 1 ? INT64_MAX : bits;
    out = bits % 315537897600000000;
    return (uint64_t)((int64_t)(choice < 10 ? out / 1000000 * 1000000 : out) - 62135596800000000);
  case RDX_TYPE_F64:
    memcpy(&real, choice < 10 ? (const void *)&reals[choice] : &bits, sizeof real);
    real = isnan(real) ? reals[0] : real; /* NaNs become one */
    memcpy(&out, &real, sizeof real);
    return out;
  case RDX_TYPE_F32:
    memcpy(&single, choice < 10 ? (const void *)&narrow[choice] : &bits, sizeof single);
    single = isnan(single) ? narrow[0] : single;
    out = 0;
    memcpy(&out, &single, sizeof single);
    return out;
  default:
    return choice == 0   ? UINT64_MAX
           : choice == 1 ? (uint64_t)1 << (8 * rdx_type_size(type) - 1)
           : choice == 2 ? ((uint64_t)1 << (8 * rdx_type_size(type) - 1)) - 1
           : choice == 3 ? 0
           : choice < 12 ? 0 - out
                         : out;
  }
}

static void fill_column(random_column *c, uint32_t number, bool numbered, uint64_t rows) {
  const rdx_type type = (rdx_type)(1 + random_below(RDX_TYPE_STRING));
  const uint64_t nulls = random_below(3) ? random_below(100) : 0;
  uint64_t used = 0;
  size_t length = numbered ? 0 : put_text(c->name);
  snprintf(c->name + length, sizeof c->name - length, numbered ? "%u" : random_below(3) ? "%u" : "\"%u\"", number + 1);
  memset(c->validity, 0, sizeof c->validity);
  c->view = (rdx_column){.type = type,
                         .scale = (uint8_t)(type == RDX_TYPE_DECIMAL ? random_below(19) : 0),
                         .rows = rows,
                         .values = type == RDX_TYPE_STRING ? (void *)c->text : c->values,
                         .offsets = type == RDX_TYPE_STRING ? c->offsets : NULL,
                         .validity = c->validity};
  c->offsets[0] = 0;
  for (uint64_t i = 0; i < rows; i++) {
    const bool null = random_below(100) < nulls;
    const uint64_t value = null || type == RDX_TYPE_STRING ? 0 : random_value(type);
    c->validity[i / 8] |= (uint8_t)(!null << i % 8);
    if (type == RDX_TYPE_STRING && !null && used + 64 < TEXT)
      used += put_text(c->text + used);
    c->offsets[i + 1] = used;
    memcpy((char *)c->values + i * rdx_type_size(type), &value, rdx_type_size(type));
  }
}

static void write_table(const random_column *columns, uint32_t count, const rdx_csv_type *types) {
  rdx_field fields[COLUMNS];
  rdx_column views[COLUMNS];
  rdx_table_writer *w = NULL;
  for (uint32_t i = 0; i < count; i++) {
    fields[i] = (rdx_field){types[i].column, types[i].type, types[i].scale};
    views[i] = columns[i].view;
  }
  OK(rdx_table_writer_create(first, fields, count, &w, err));
  OK(rdx_table_writer_append(w, views, err));
  OK(rdx_table_writer_finish(w, err));
  rdx_table_writer_destroy(&w);
}

static void check_files(void) {
  FILE *a = fopen(first, "rb"), *b = fopen(again, "rb");
  assert_true(a && b);
  static char x[65536], y[65536];
  for (size_t n = 1; n > 0;) {
    n = fread(x, 1, sizeof x, a);
    assert_int_equal(fread(y, 1, sizeof y, b), n);
    assert_memory_equal(x, y, n);
  }
  fclose(a);
  fclose(b);
}

static void test_random_tables(void **state) {
  (void)state;
  static const char delimiters[] = {'\0', '\0', ';', '\t', '|', ':', ' ', '#', '\''};
  static random_column columns[COLUMNS];
  for (int i = 0; i < 150; i++) {
    const uint32_t count = 1 + (uint32_t)random_below(COLUMNS);
    const bool header = random_below(4) > 0;
    const uint64_t rows = i < 140 ? (header ? 0 : 1) + random_below(40) : random_below(ROWS);
    rdx_csv_type types[COLUMNS];
    for (uint32_t k = 0; k < count; k++) {
      fill_column(&columns[k], k, !header, rows);
      types[k] = (rdx_csv_type){columns[k].name, columns[k].view.type, columns[k].view.scale};
    }
    write_table(columns, count, types);
    rdx_table *table = NULL, *read = NULL;
    const rdx_import_params params = {.csv = {.delimiter = delimiters[random_below(sizeof delimiters)],
                                              .header = header ? RDX_SWITCH_DEFAULT : RDX_SWITCH_OFF,
                                              .types = types,
                                              .type_count = count}};
    OK(rdx_table_open(first, &table, err));
    OK(rdx_table_write_csv(table, csv, params.csv.delimiter, header, err));
    OK(rdx_table_import_csv(csv, again, &params, NULL, err));
    check_files();
    OK(rdx_table_read_csv(csv, &params.csv, &read, err));
    check_same(table, read);
    rdx_table_destroy(&table);
    rdx_table_destroy(&read);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_tables)};
  const char *seed = getenv("RAYDEX_TEST_SEED");
  if (seed)
    state_of_random = strtoull(seed, NULL, 10) | 1;
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
