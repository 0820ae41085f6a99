/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Table files: what is written is what is read, and damage is reported. */

#include "tables.h"

#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define BLOCK 65536u

static char folder[] = "/tmp/raydex-table-XXXXXX";
static char path[64];
static uint64_t seed = 1;

static uint64_t next_random(void) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return seed * 0x2545f4914f6cdd1du;
}

static int make_folder(void **state) {
  (void)state;
  const char *given = getenv("RAYDEX_TEST_SEED");
  seed = given ? strtoull(given, NULL, 10) | 1 : (uint64_t)getpid() * 2654435761u | 1;
  print_message("RAYDEX_TEST_SEED=%llu\n", (unsigned long long)seed);
  if (!mkdtemp(folder))
    return -1;
  snprintf(path, sizeof path, "%s/t.rdx", folder);
  return 0;
}

/* The files in the folder of the tests. */
static int count_files(void) {
  DIR *open = opendir(folder);
  int count = -2; /* . and .. */
  while (open && readdir(open))
    count++;
  closedir(open);
  return count;
}

static int remove_folder(void **state) {
  (void)state;
  unlink(path);
  return rmdir(folder); /* fails when something was left behind */
}

/* ---- Random tables ---- */

static const rdx_type types[] = {RDX_TYPE_BOOL, RDX_TYPE_I8,   RDX_TYPE_I16,       RDX_TYPE_I32,     RDX_TYPE_I64,
                                 RDX_TYPE_U8,   RDX_TYPE_U16,  RDX_TYPE_U32,       RDX_TYPE_U64,     RDX_TYPE_F32,
                                 RDX_TYPE_F64,  RDX_TYPE_DATE, RDX_TYPE_TIMESTAMP, RDX_TYPE_DECIMAL, RDX_TYPE_STRING};
#define TYPES COUNT(types)

static rdx_field fields[TYPES];

static void name_fields(void) {
  for (size_t i = 0; i < TYPES; i++)
    fields[i] = (rdx_field){rdx_type_name(types[i]), types[i], types[i] == RDX_TYPE_DECIMAL ? 2 : 0};
}

static void make_strings(rdx_column *c, uint64_t rows, uint64_t distinct) {
  uint64_t *offsets = malloc((rows + 1) * sizeof *offsets);
  char *bytes = malloc(rows * 24 + 1);
  offsets[0] = 0;
  for (uint64_t i = 0; i < rows; i++) {
    char text[32];
    const int length = snprintf(text, sizeof text, "%.*s%llu", (int)(next_random() % 9), "\0prefixed",
                                (unsigned long long)(next_random() % distinct));
    const uint64_t used = next_random() % 17 ? (uint64_t)length : 0;
    memcpy(bytes + offsets[i], text, used);
    offsets[i + 1] = offsets[i] + used;
  }
  c->offsets = offsets;
  c->values = bytes;
}

/* Random columns of all types; `nulls` of 100 rows are NULL. */
static void make_columns(rdx_column *columns, uint64_t rows, uint64_t nulls, uint64_t distinct) {
  for (size_t t = 0; t < TYPES; t++) {
    columns[t] = (rdx_column){.type = types[t], .scale = fields[t].scale, .rows = rows};
    const size_t size = rdx_type_size(types[t]);
    if (size == 0) {
      make_strings(&columns[t], rows, distinct);
    } else {
      uint8_t *values = malloc(rows * size + 8);
      for (uint64_t i = 0; i < rows * size; i++)
        values[i] = (uint8_t)(next_random() >> 40);
      for (uint64_t i = 0; i < rows && types[t] == RDX_TYPE_BOOL; i++)
        values[i] &= 1;
      columns[t].values = values;
    }
    if (nulls > 0) {
      uint8_t *validity = malloc(rows / 8 + 1);
      memset(validity, 0, rows / 8 + 1);
      for (uint64_t i = 0; i < rows; i++)
        validity[i / 8] |= (uint8_t)((next_random() % 100 >= nulls) << i % 8);
      columns[t].validity = validity;
    }
  }
}

static void free_columns(rdx_column *columns) {
  for (size_t t = 0; t < TYPES; t++) {
    free((void *)(uintptr_t)columns[t].values);
    free((void *)(uintptr_t)columns[t].offsets);
    free((void *)(uintptr_t)columns[t].validity);
  }
}

static bool same_row(const rdx_column *a, uint64_t i, const rdx_column *b, uint64_t j) {
  if (is_null(a, i) || is_null(b, j))
    return is_null(a, i) && is_null(b, j);
  const size_t size = rdx_type_size(a->type);
  if (size > 0)
    return memcmp((const char *)a->values + i * size, (const char *)b->values + j * size, size) == 0;
  uint64_t n, m;
  const char *x = rdx_column_string(a, i, &n), *y = rdx_column_string(b, j, &m);
  return n == m && memcmp(x, y, n) == 0;
}

/* -1, 0 or 1, in the order that rdx_type describes. */
static int compare(const rdx_column *a, uint64_t i, const rdx_column *b, uint64_t j) {
#define COMPARE(T)                                                                                                     \
  {                                                                                                                    \
    const T x = ((const T *)a->values)[i], y = ((const T *)b->values)[j];                                              \
    return x != x || y != y ? (x != x) - (y != y) : (x > y) - (x < y);                                                 \
  }
  switch (a->type) {
  case RDX_TYPE_BOOL:
  case RDX_TYPE_U8:
    COMPARE(uint8_t)
  case RDX_TYPE_I8:
    COMPARE(int8_t)
  case RDX_TYPE_I16:
    COMPARE(int16_t)
  case RDX_TYPE_U16:
    COMPARE(uint16_t)
  case RDX_TYPE_I32:
  case RDX_TYPE_DATE:
    COMPARE(int32_t)
  case RDX_TYPE_U32:
    COMPARE(uint32_t)
  case RDX_TYPE_U64:
    COMPARE(uint64_t)
  case RDX_TYPE_F32:
    COMPARE(float)
  case RDX_TYPE_F64:
    COMPARE(double)
  case RDX_TYPE_STRING: {
    uint64_t n, m;
    const char *x = rdx_column_string(a, i, &n), *y = rdx_column_string(b, j, &m);
    const int order = memcmp(x, y, n < m ? n : m);
    return order ? (order > 0) - (order < 0) : (n > m) - (n < m);
  }
  default:
    COMPARE(int64_t)
  }
}

/* The statistics of a column against looking at every row. */
static void check_stats(const rdx_table *table, uint32_t index, const rdx_column *in) {
  rdx_column_stats s;
  OK(rdx_table_get_stats(table, index, &s, err));
  uint64_t nulls = 0;
  for (uint64_t i = 0; i < in->rows; i++)
    nulls += is_null(in, i);
  assert_int_equal(s.nulls, nulls);
  assert_int_equal(s.block_rows, BLOCK);
  assert_int_equal(s.smallest.rows, (in->rows + BLOCK - 1) / BLOCK);
  assert_int_equal(s.min.rows, nulls < in->rows);
  assert_int_equal(s.max.rows, nulls < in->rows);
  for (uint64_t b = 0; b < s.smallest.rows; b++) {
    uint64_t low = UINT64_MAX, high = UINT64_MAX;
    for (uint64_t i = b * BLOCK; i < in->rows && i < (b + 1) * BLOCK; i++) {
      if (is_null(in, i))
        continue;
      low = low == UINT64_MAX || compare(in, i, in, low) < 0 ? i : low;
      high = high == UINT64_MAX || compare(in, i, in, high) > 0 ? i : high;
    }
    assert_int_equal(is_null(&s.smallest, b), low == UINT64_MAX);
    assert_int_equal(is_null(&s.largest, b), low == UINT64_MAX);
    if (low == UINT64_MAX)
      continue;
    assert_int_equal(compare(&s.smallest, b, in, low), 0);
    assert_int_equal(compare(&s.largest, b, in, high), 0);
    assert_true(compare(&s.min, 0, in, low) <= 0);
    assert_true(compare(&s.max, 0, in, high) >= 0);
  }
}

static void check_table(const rdx_table *table, const rdx_column *in, uint32_t count) {
  assert_int_equal(rdx_table_columns(table), count);
  assert_int_equal(rdx_table_rows(table), in->rows);
  for (uint32_t t = 0; t < count; t++) {
    const rdx_column *c = rdx_table_column(table, t);
    assert_string_equal(rdx_table_column_name(table, t), fields[t].name);
    assert_int_equal(c->type, in[t].type);
    assert_int_equal(c->scale, in[t].scale);
    assert_int_equal(c->rows, in[t].rows);
    assert_true(c->type == RDX_TYPE_STRING ? c->dictionary && !c->offsets : !c->dictionary);
    for (uint64_t i = 0; i < c->rows; i++)
      if (!same_row(c, i, &in[t], i))
        fail_msg("column %s, row %llu", fields[t].name, (unsigned long long)i);
    check_stats(table, t, &in[t]);
  }
}

/* A view of rows begin .. begin + n - 1, with its own validity. */
static rdx_column slice(const rdx_column *c, uint64_t begin, uint64_t n) {
  rdx_column out = *c;
  out.rows = n;
  if (c->offsets)
    out.offsets += begin;
  else
    out.values = (const char *)c->values + begin * (c->dictionary ? 4 : rdx_type_size(c->type));
  if (c->validity) {
    uint8_t *validity = calloc(n / 8 + 1, 1);
    for (uint64_t i = 0; i < n; i++)
      validity[i / 8] |= (uint8_t)(!is_null(c, begin + i) << i % 8);
    out.validity = validity;
  }
  return out;
}

/* Write in pieces of random sizes up to `piece`. */
static void write_table(const rdx_column *in, uint32_t count, uint64_t piece) {
  rdx_table_writer *w = NULL;
  OK(rdx_table_writer_create(path, fields, count, &w, err));
  for (uint64_t begin = 0; begin < in->rows;) {
    uint64_t n = 1 + next_random() % piece;
    n = in->rows - begin < n ? in->rows - begin : n;
    rdx_column pieces[TYPES];
    for (uint32_t t = 0; t < count; t++)
      pieces[t] = slice(&in[t], begin, n);
    OK(rdx_table_writer_append(w, pieces, err));
    for (uint32_t t = 0; t < count; t++)
      free((void *)(uintptr_t)pieces[t].validity);
    begin += n;
  }
  OK(rdx_table_writer_finish(w, err));
  rdx_table_writer_destroy(&w);
  assert_null(w);
  assert_int_equal(count_files(), 1);
}

static void test_round_trips(void **state) {
  (void)state;
  static const struct {
    uint64_t rows, nulls, distinct, piece;
  } cases[] = {{0, 0, 1, 1},
               {1, 0, 1, 1},
               {1, 100, 1, 1},
               {7, 40, 3, 2},
               {1000, 0, 50, 100},
               {1000, 100, 50, 100},
               {BLOCK, 0, 1000, BLOCK},
               {BLOCK, 10, 10, 7777},
               {BLOCK + 1, 1, 9, 1},
               {BLOCK - 1, 1, 9, 333},
               {2 * BLOCK, 5, 100, 9999},
               {200000, 3, 40000, 150000}};
  for (size_t k = 0; k < COUNT(cases); k++) {
    rdx_column in[TYPES];
    rdx_table *table = NULL;
    make_columns(in, cases[k].rows, cases[k].nulls, cases[k].distinct);
    write_table(in, TYPES, cases[k].piece);
    OK(rdx_table_open(path, &table, err));
    check_table(table, in, TYPES);
    /* Its columns, with dictionaries, make the same table again while it is open. */
    rdx_column again[TYPES];
    for (uint32_t t = 0; t < TYPES; t++)
      again[t] = *rdx_table_column(table, t);
    write_table(again, TYPES, cases[k].rows + 1);
    check_table(table, in, TYPES);
    rdx_table_destroy(&table);
    OK(rdx_table_open(path, &table, err));
    check_table(table, in, TYPES);
    rdx_table_destroy(&table);
    free_columns(in);
  }
}

/* As many distinct strings as a power of two, at which dictionaries grow, and then the first of them again. */
static void test_full_dictionaries(void **state) {
  (void)state;
  for (uint64_t distinct = 512; distinct <= 16384; distinct *= 2) {
    for (uint64_t rows = distinct - 1; rows <= distinct + 2; rows++) {
      uint64_t offsets[16384 + 3];
      char bytes[5 * (16384 + 2) + 1];
      offsets[0] = 0;
      for (uint64_t i = 0; i < rows; i++)
        offsets[i + 1] = offsets[i] + (uint64_t)sprintf(bytes + offsets[i], "%05llu",
                                                        (unsigned long long)((i % distinct) * 7919 % distinct));
      const rdx_column in = {.type = RDX_TYPE_STRING, .rows = rows, .values = bytes, .offsets = offsets};
      const rdx_field saved = fields[0];
      fields[0] = (rdx_field){"text", RDX_TYPE_STRING, 0};
      rdx_table *table = NULL;
      write_table(&in, 1, 1000);
      OK(rdx_table_open(path, &table, err));
      check_table(table, &in, 1);
      rdx_table_destroy(&table);
      fields[0] = saved;
    }
  }
}

/* NULLs in one block of several only, and blocks of NULLs only. */
static void test_null_blocks(void **state) {
  (void)state;
  const uint64_t rows = 4 * BLOCK + 5;
  rdx_column in[TYPES];
  make_columns(in, rows, 1, 10);
  for (size_t t = 0; t < TYPES; t++) {
    uint8_t *validity = (uint8_t *)(uintptr_t)in[t].validity;
    memset(validity, 0xff, rows / 8 + 1);
    memset(validity + (t % 4) * (BLOCK / 8), 0, BLOCK / 8);
    if (t % 2)
      validity[rows / 8] = 0;
  }
  rdx_table *table = NULL;
  write_table(in, TYPES, 50000);
  OK(rdx_table_open(path, &table, err));
  check_table(table, in, TYPES);
  rdx_table_destroy(&table);
  free_columns(in);
}

static void test_extremes(void **state) {
  (void)state;
  static const int64_t numbers[] = {INT64_MAX, INT64_MIN, 0, -1};
  static const uint64_t naturals[] = {UINT64_MAX, 0, 1, UINT64_MAX - 1};
  const double reals[] = {(double)NAN, -(double)INFINITY, -0.0, (double)INFINITY};
  const rdx_field wanted[] = {
      {"i", RDX_TYPE_I64, 0}, {"u", RDX_TYPE_U64, 0}, {"f", RDX_TYPE_F64, 0}, {"", RDX_TYPE_DECIMAL, 18}};
  const rdx_column in[] = {{.type = RDX_TYPE_I64, .rows = 4, .values = numbers},
                           {.type = RDX_TYPE_U64, .rows = 4, .values = naturals},
                           {.type = RDX_TYPE_F64, .rows = 4, .values = reals},
                           {.type = RDX_TYPE_DECIMAL, .scale = 18, .rows = 4, .values = numbers}};
  memcpy(fields, wanted, sizeof wanted);
  rdx_table *table = NULL;
  write_table(in, 4, 4);
  OK(rdx_table_open(path, &table, err));
  check_table(table, in, 4);
  rdx_table_destroy(&table);
  name_fields();
}

static void test_open_columns(void **state) {
  (void)state;
  rdx_column in[TYPES];
  rdx_table *table = NULL;
  make_columns(in, 100, 10, 5);
  write_table(in, TYPES, 100);
  static const char *const names[] = {"string", "i32"};
  OK(rdx_table_open_columns(path, names, 2, &table, err));
  assert_int_equal(rdx_table_columns(table), 2);
  assert_string_equal(rdx_table_column_name(table, 0), "string");
  for (uint64_t i = 0; i < 100; i++) {
    assert_true(same_row(rdx_table_column(table, 0), i, &in[14], i));
    assert_true(same_row(rdx_table_column(table, 1), i, &in[3], i));
  }
  check_stats(table, 1, &in[3]);
  rdx_table_destroy(&table);
  static const char *const wrong[] = {"i32", "I32"};
  FAILS(rdx_table_open_columns(path, wrong, 2, &table, err), RDX_ERROR_NOT_FOUND, "has no column 'I32'; it has 'bool'");
  static const char *const none[] = {NULL};
  FAILS(rdx_table_open_columns(path, none, 1, &table, err), RDX_ERROR_ARGUMENT, "NULL");
  assert_null(table);
  free_columns(in);
}

static void test_writer_errors(void **state) {
  (void)state;
  rdx_table_writer *w = NULL, *second = NULL;
  const rdx_field same[] = {{"a", RDX_TYPE_I32, 0}, {"a", RDX_TYPE_I32, 0}};
  const rdx_field bad[] = {{"a", RDX_TYPE_NONE, 0}}, scaled[] = {{"a", RDX_TYPE_I32, 3}}, unnamed[] = {{NULL, 1, 0}};
  FAILS(rdx_table_writer_create(path, same, 2, &w, err), RDX_ERROR_ARGUMENT, "columns 1 and 2 of the table are both");
  FAILS(rdx_table_writer_create(path, bad, 1, &w, err), RDX_ERROR_ARGUMENT, "unknown column type");
  FAILS(rdx_table_writer_create(path, scaled, 1, &w, err), RDX_ERROR_ARGUMENT, "scale 3");
  FAILS(rdx_table_writer_create(path, unnamed, 1, &w, err), RDX_ERROR_ARGUMENT, "column 1 of the table has no name");
  FAILS(rdx_table_writer_create(path, same, 0, &w, err), RDX_ERROR_ARGUMENT, "not 0");
  FAILS(rdx_table_writer_create("", same, 1, &w, err), RDX_ERROR_ARGUMENT, "the path is empty");
  FAILS(rdx_table_writer_create("/nowhere/t.rdx", same, 1, &w, err), RDX_ERROR_IO, "/nowhere/t.rdx: No such file");
  FAILS(rdx_table_writer_create(folder, same, 1, &w, err), RDX_ERROR_ARGUMENT, "no ordinary file");
  assert_null(w);
  OK(rdx_table_writer_create(path, same, 1, &w, err));
  FAILS(rdx_table_writer_create(path, same, 1, &second, err), RDX_ERROR_IO, "it is being written already");
  static const int32_t values[] = {1, 2};
  const rdx_column wrong_type = {.type = RDX_TYPE_DATE, .rows = 2, .values = values};
  FAILS(rdx_table_writer_append(w, &wrong_type, err), RDX_ERROR_ARGUMENT, "the rows date");
  const rdx_column too_many = {.type = RDX_TYPE_I32, .rows = UINT32_MAX, .values = values};
  FAILS(rdx_table_writer_append(w, &too_many, err), RDX_ERROR_UNSUPPORTED, "at most 2^32 - 2 rows");
  rdx_table_writer_destroy(&w);
  assert_int_equal(count_files(), 0);
  OK(rdx_table_writer_create(path, fields, 2, &w, err));
  static const uint8_t bytes[] = {1, 0};
  const rdx_column unequal[] = {{.type = RDX_TYPE_BOOL, .rows = 2, .values = bytes},
                                {.type = RDX_TYPE_I8, .rows = 1, .values = bytes}};
  FAILS(rdx_table_writer_append(w, unequal, err), RDX_ERROR_ARGUMENT, "column 'i8' has 1 rows, the first column has 2");
  rdx_column bools[] = {{.type = RDX_TYPE_BOOL, .rows = 2, .values = (const uint8_t[]){1, 2}},
                        {.type = RDX_TYPE_I8, .rows = 2, .values = bytes}};
  FAILS(rdx_table_writer_append(w, bools, err), RDX_ERROR_ARGUMENT, "row 1 of a bool column is 2, neither 0 nor 1");
  bools[0].validity = (const uint8_t[]){1}; /* the byte of a NULL may be anything */
  OK(rdx_table_writer_append(w, bools, err));
  OK(rdx_table_writer_finish(w, err));
  FAILS(rdx_table_writer_finish(w, err), RDX_ERROR_ARGUMENT, "was finished");
  FAILS(rdx_table_writer_append(w, unequal, err), RDX_ERROR_ARGUMENT, "was finished");
  rdx_table_writer_destroy(&w);
  rdx_table_writer_destroy(&w);
  unlink(path);
}

/* ---- Dictionaries that do not hold ---- */

static void test_dictionary_checks(void **state) {
  (void)state;
  static const uint64_t offsets[] = {0, 1, 2}, falling[] = {0, 2, 1};
  static const uint32_t places[] = {0, 1, 2};
  static const uint8_t last_null[] = {3};
  rdx_column d = {.type = RDX_TYPE_STRING, .rows = 2, .values = "ab", .offsets = offsets};
  rdx_column c = {.type = RDX_TYPE_STRING, .rows = 3, .values = places, .dictionary = &d};
  const rdx_field field = {"s", RDX_TYPE_STRING, 0};
  rdx_table_writer *w = NULL;
  OK(rdx_table_writer_create(path, &field, 1, &w, err));
  FAILS(rdx_table_writer_append(w, &c, err), RDX_ERROR_ARGUMENT, "row 2 has place 2 in a dictionary of 2 strings");
  d.values = "ba";
  c.rows = 2;
  FAILS(rdx_table_writer_append(w, &c, err), RDX_ERROR_ARGUMENT, "string 1 of the dictionary is not above");
  d.values = "ab";
  d.offsets = falling;
  FAILS(rdx_table_writer_append(w, &c, err), RDX_ERROR_ARGUMENT, "must ascend");
  d.offsets = offsets;
  d.validity = last_null;
  FAILS(rdx_table_writer_append(w, &c, err), RDX_ERROR_ARGUMENT, "without NULLs");
  d.validity = NULL;
  c.values = (const char *)places + 1;
  FAILS(rdx_table_writer_append(w, &c, err), RDX_ERROR_ARGUMENT, "aligned");
  c.values = places;
  c.rows = 3;
  c.validity = last_null; /* the place of a NULL may be anything */
  OK(rdx_table_writer_append(w, &c, err));
  OK(rdx_table_writer_finish(w, err));
  rdx_table_writer_destroy(&w);
  const rdx_column number = {.type = RDX_TYPE_I32, .rows = 2, .values = places, .dictionary = &d};
  const rdx_field plain = {"s", RDX_TYPE_I32, 0};
  OK(rdx_table_writer_create(path, &plain, 1, &w, err));
  FAILS(rdx_table_writer_append(w, &number, err), RDX_ERROR_ARGUMENT, "cannot have a dictionary");
  const rdx_column text = {.type = RDX_TYPE_I32, .rows = 1, .values = places, .offsets = (const uint64_t[]){0, 1}};
  FAILS(rdx_table_writer_append(w, &text, err), RDX_ERROR_ARGUMENT, "cannot have offsets");
  rdx_table_writer_destroy(&w);
}

/* ---- Damage ---- */

static uint8_t *read_file(const char *name, size_t *size) {
  FILE *f = fopen(name, "rb");
  assert_non_null(f);
  fseek(f, 0, SEEK_END);
  *size = (size_t)ftell(f);
  rewind(f);
  uint8_t *data = malloc(*size);
  assert_int_equal(fread(data, 1, *size, f), *size);
  fclose(f);
  return data;
}

static void write_file(const uint8_t *data, size_t size) {
  FILE *f = fopen(path, "wb");
  assert_non_null(f);
  assert_int_equal(fwrite(data, 1, size, f), size);
  fclose(f);
}

/* Every flipped bit is an error that names the place. */
static void test_flips(void **state) {
  (void)state;
  rdx_column in[TYPES];
  rdx_table *table = NULL;
  size_t size, named = 0;
  make_columns(in, BLOCK + 9000, 5, 700);
  write_table(in, TYPES, BLOCK);
  uint8_t *data = read_file(path, &size);
  FILE *f = fopen(path, "r+b");
  assert_non_null(f);
  for (int i = 0; i < 600; i++) {
    /* A third in the header and the directory, which are small. */
    const size_t at = i % 3 == 1   ? next_random() % 4096
                      : i % 3 == 2 ? size - 1 - next_random() % 8192
                                   : next_random() % size;
    const uint8_t flipped = data[at] ^ (uint8_t)(1u << next_random() % 8);
    rdx_error err = {""};
    fseek(f, (long)at, SEEK_SET);
    fputc(flipped, f);
    fflush(f);
    const rdx_status status = rdx_table_open(path, &table, &err);
    if (status != RDX_ERROR_FORMAT && status != RDX_ERROR_UNSUPPORTED)
      fail_msg("byte %zu of %zu: status %d", at, size, (int)status);
    assert_null(table);
    const bool block = strstr(err.text, "column '") && strstr(err.text, ", block ");
    if (!block && !strstr(err.text, "header") && !strstr(err.text, "directory") && !strstr(err.text, "does not begin"))
      fail_msg("byte %zu: %s", at, err.text);
    named += block;
    fseek(f, (long)at, SEEK_SET);
    fputc(data[at], f);
    fflush(f);
  }
  fclose(f);
  assert_true(named >= 150);
  OK(rdx_table_open(path, &table, err));
  check_table(table, in, TYPES);
  rdx_table_destroy(&table);
  free(data);
  free_columns(in);
}

static void test_truncated(void **state) {
  (void)state;
  rdx_column in[TYPES];
  rdx_table *table = NULL;
  size_t size;
  make_columns(in, 3000, 5, 700);
  write_table(in, TYPES, BLOCK);
  uint8_t *data = read_file(path, &size);
  for (int i = 0; i < 60; i++) {
    const size_t kept = i < 10 ? (size_t)i * 4096 : i == 10 ? size - 1 : next_random() % size;
    write_file(data, kept);
    FAILS(rdx_table_open(path, &table, err), RDX_ERROR_FORMAT,
          kept < 4096 ? "is no table file" : "bytes, but its header");
    assert_null(table);
  }
  data[8] += 3; /* the version */
  write_file(data, size);
  FAILS(rdx_table_open(path, &table, err), RDX_ERROR_UNSUPPORTED, "of version 4; this Raydex reads versions 1 to 3");
  FAILS(rdx_table_open("/nowhere", &table, err), RDX_ERROR_NOT_FOUND, "cannot open /nowhere");
  FAILS(rdx_table_open("/tmp", &table, err), RDX_ERROR_FORMAT, "is no table file");
  free(data);
  free_columns(in);
}

/* ---- Failure from outside ---- */

/* Values that give every row of every table away. */
static void fill(int32_t *values, uint64_t rows, int32_t generation) {
  for (uint64_t i = 0; i < rows; i++)
    values[i] = (int32_t)i * 3 + generation;
}

static rdx_status write_generation(const int32_t *values, uint64_t rows, rdx_error *err) {
  static const rdx_field two[] = {{"a", RDX_TYPE_I32, 0}, {"b", RDX_TYPE_DATE, 0}};
  rdx_table_writer *w = NULL;
  rdx_status status = rdx_table_writer_create(path, two, 2, &w, err);
  for (int i = 0; i < 3 && status == RDX_OK; i++) {
    const rdx_column in[] = {{.type = RDX_TYPE_I32, .rows = rows, .values = values},
                             {.type = RDX_TYPE_DATE, .rows = rows, .values = values}};
    status = rdx_table_writer_append(w, in, err);
  }
  if (status == RDX_OK)
    status = rdx_table_writer_finish(w, err);
  rdx_table_writer_destroy(&w);
  return status;
}

/* A writer that is killed at any moment leaves the old table or the new one. */
static void test_kills(void **state) {
  (void)state;
  enum { ROWS = 200000 };
  static int32_t values[ROWS];
  int replaced = 0, kept = 0;
  unlink(path);
  for (int32_t generation = 0; generation < 200; generation++) {
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
      for (int32_t g = generation;; g = g ? 0 : generation) {
        fill(values, ROWS, g);
        if (write_generation(values, ROWS, NULL) != RDX_OK)
          _exit(1);
      }
    }
    usleep((useconds_t)(next_random() % 30000));
    kill(child, SIGKILL);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    rdx_table *table = NULL;
    rdx_error err = {""};
    const rdx_status opened = rdx_table_open(path, &table, &err);
    if (opened == RDX_ERROR_NOT_FOUND && replaced == 0)
      continue;
    if (opened != RDX_OK)
      fail_msg("%s", err.text);
    const int32_t *read = rdx_table_column(table, 0)->values;
    assert_int_equal(rdx_table_rows(table), 3 * ROWS);
    fill(values, ROWS, read[0]);
    for (int i = 0; i < 3; i++) {
      assert_memory_equal(read + i * ROWS, values, sizeof values);
      assert_memory_equal((const int32_t *)rdx_table_column(table, 1)->values + i * ROWS, values, sizeof values);
    }
    replaced += read[0] == generation;
    kept += read[0] != generation;
    rdx_table_destroy(&table);
    assert_in_range(count_files(), 1, 3); /* one new file and one spill file, however many were killed */
  }
  print_message("%d tables replaced, %d kept\n", replaced, kept);
  fill(values, ROWS, 7);
  OK(write_generation(values, ROWS, err));
  assert_int_equal(count_files(), 1);
}

/* A disk that is full, as far as a limit on the sizes of files can say it. */
static void test_full(void **state) {
  (void)state;
  enum { ROWS = 200000 };
  static int32_t values[ROWS];
  struct rlimit before, limit;
  getrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, SIG_IGN);
  fill(values, ROWS, 1);
  OK(write_generation(values, ROWS, err));
  fill(values, ROWS, 2);
  for (rlim_t capacity = 0; capacity < 4900000; capacity += 333333) {
    limit = (struct rlimit){capacity, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
    rdx_error err = {""};
    const rdx_status status = write_generation(values, ROWS, &err);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(status, RDX_ERROR_IO);
    if (!strstr(err.text, path) || !strstr(err.text, "File too large"))
      fail_msg("%s", err.text);
    assert_int_equal(count_files(), 1);
  }
  signal(SIGXFSZ, SIG_DFL);
  rdx_table *table = NULL;
  OK(rdx_table_open(path, &table, err));
  assert_int_equal(((const int32_t *)rdx_table_column(table, 0)->values)[0], 1);
  rdx_table_destroy(&table);
}

static void test_read_only_folder(void **state) {
  (void)state;
  rdx_table_writer *w = NULL;
  rdx_error err = {""};
  const bool root = geteuid() == 0; /* writes everywhere */
  chmod(folder, 0555);
  if (root && seteuid(65534) != 0)
    skip();
  const rdx_status status = rdx_table_writer_create(path, fields, 1, &w, &err);
  assert_true(!root || seteuid(0) == 0);
  chmod(folder, 0700);
  assert_int_equal(status, RDX_ERROR_IO);
  assert_non_null(strstr(err.text, "Permission denied"));
}

int main(void) {
  name_fields();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_writer_errors),
      cmocka_unit_test(test_round_trips),
      cmocka_unit_test(test_full_dictionaries),
      cmocka_unit_test(test_null_blocks),
      cmocka_unit_test(test_extremes),
      cmocka_unit_test(test_open_columns),
      cmocka_unit_test(test_dictionary_checks),
      cmocka_unit_test(test_flips),
      cmocka_unit_test(test_truncated),
      cmocka_unit_test(test_kills),
      cmocka_unit_test(test_full),
      cmocka_unit_test(test_read_only_folder),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
