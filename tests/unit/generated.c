/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

#include "tests/unit/generated.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

void generate(const generator *g, uint32_t table, uint64_t begin, uint64_t count, generator_batch *batch) {
  OK(generator_make(g, table, begin, count, batch, err));
  assert_true(batch->rows == count);
}

whole make_whole(const generator *g, uint32_t table) {
  whole w = {.of = g, .table = table};
  generate(g, table, 0, g->tables[table].rows, &w.batch);
  return w;
}

uint32_t place_of(const generator *g, uint32_t table, const char *name) {
  for (uint32_t i = 0; i < g->tables[table].columns; i++)
    if (strcmp(g->tables[table].sources[i].field.name, name) == 0)
      return i;
  fail_msg("no column %s", name);
  return 0;
}

static int64_t value(const rdx_column *c, uint64_t row) {
  switch (c->type) {
  case RDX_TYPE_U8:
    return ((const uint8_t *)c->values)[row];
  case RDX_TYPE_U16:
    return ((const uint16_t *)c->values)[row];
  case RDX_TYPE_DECIMAL:
    return ((const int64_t *)c->values)[row];
  case RDX_TYPE_I32:
  case RDX_TYPE_DATE:
    return ((const int32_t *)c->values)[row];
  default: /* also places in a dictionary */
    assert_null(c->offsets);
    return ((const uint32_t *)c->values)[row];
  }
}

int64_t number(const generator_batch *batch, uint32_t column, uint64_t row) {
  return value(&batch->columns[column], row);
}

int64_t number_of(const whole *w, const char *name, uint64_t row) {
  return number(&w->batch, place_of(w->of, w->table, name), row);
}

static void copy_text(const rdx_column *column, uint64_t row, char out[LONGEST]) {
  uint64_t length = 0;
  const char *bytes = rdx_column_string(column, row, &length);
  assert_true(length < LONGEST);
  memcpy(out, bytes, length);
  out[length] = '\0';
}

void text(const generator_batch *batch, uint32_t column, uint64_t row, char out[LONGEST]) {
  copy_text(&batch->columns[column], row, out);
}

void text_of(const whole *w, const char *name, uint64_t row, char out[LONGEST]) {
  text(&w->batch, place_of(w->of, w->table, name), row, out);
}

bool is(const whole *w, const char *name, uint64_t row, const char *expected) {
  char found[LONGEST];
  text_of(w, name, row, found);
  return strcmp(found, expected) == 0;
}

/* ---- Pieces and threads ---- */

static void check_row(const rdx_column *a, uint64_t i, const rdx_column *b, uint64_t j) {
  char x[LONGEST], y[LONGEST];
  if (a->type != RDX_TYPE_STRING) {
    assert_int_equal(value(a, i), value(b, j));
    return;
  }
  copy_text(a, i, x);
  copy_text(b, j, y);
  assert_string_equal(x, y);
}

static void check_pieces_of(const whole *w, uint64_t size) {
  generator_batch piece = {0};
  uint64_t begin = 0;
  for (int n = 0; n < 100 && begin < w->batch.rows; n++) {
    const uint64_t rest = w->batch.rows - begin, count = rest < size ? rest : size;
    generate(w->of, w->table, begin, count, &piece);
    for (uint32_t c = 0; c < w->of->tables[w->table].columns; c++)
      for (uint64_t i = 0; i < count; i++)
        check_row(&w->batch.columns[c], begin + i, &piece.columns[c], i);
    begin += count + (n > 50 ? 7 : 0);
  }
  generator_batch_free(&piece);
}

void check_pieces(const generator *g) {
  static const uint32_t sizes[] = {1, 2, 27, 28, 29, 300, 4096};
  for (uint32_t t = 0; t < g->count; t++) {
    whole w = make_whole(g, t);
    for (size_t s = 0; s < COUNT(sizes); s++)
      check_pieces_of(&w, sizes[s]);
    generator_batch_free(&w.batch);
  }
}

/* Read a file, and delete it. */
static char *read_file(const char *folder, const char *table, generator_format format, size_t *size) {
  char path[GENERATOR_PATH];
  assert_true(generator_path(folder, table, format, path));
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  struct stat info;
  assert_int_equal(fstat(fileno(file), &info), 0);
  *size = (size_t)info.st_size;
  char *bytes = malloc(*size + 1);
  assert_non_null(bytes);
  assert_true(fread(bytes, 1, *size, file) == *size);
  fclose(file);
  unlink(path);
  return bytes;
}

void check_threads(const generator *g, generator_format format) {
  char base[] = "/tmp/test_generated.XXXXXX", one[64], many[64];
  assert_non_null(mkdtemp(base));
  snprintf(one, sizeof one, "%s/one", base);
  snprintf(many, sizeof many, "%s/many", base);
  OK(generator_write(g, one, format, 1, err));
  OK(generator_write(g, many, format, 5, err));
  for (uint32_t t = 0; t < g->count; t++) {
    size_t a = 0, b = 0;
    char *x = read_file(one, g->tables[t].name, format, &a), *y = read_file(many, g->tables[t].name, format, &b);
    assert_true(a == b && memcmp(x, y, a) == 0);
    free(x);
    free(y);
  }
  assert_int_equal(rmdir(one), 0);
  assert_int_equal(rmdir(many), 0);
  assert_int_equal(rmdir(base), 0);
}

static void check_table_file(const generator *g, uint32_t table, const char *path) {
  const generator_table *of = &g->tables[table];
  rdx_table *read = NULL;
  whole w = make_whole(g, table);
  OK(rdx_table_open(path, &read, err));
  assert_true(rdx_table_rows(read) == w.batch.rows && rdx_table_columns(read) == of->columns);
  for (uint32_t c = 0; c < of->columns; c++) {
    const rdx_column *found = rdx_table_column(read, c);
    const rdx_field *field = &of->sources[c].field;
    assert_string_equal(rdx_table_column_name(read, c), field->name);
    assert_int_equal(found->type, field->type);
    assert_int_equal(found->scale, field->scale);
    for (uint64_t i = 0; i < w.batch.rows; i++)
      check_row(&w.batch.columns[c], i, found, i);
  }
  rdx_table_destroy(&read);
  generator_batch_free(&w.batch);
}

void check_table_files(const generator *g) {
  char base[] = "/tmp/test_generated.XXXXXX", path[GENERATOR_PATH];
  assert_non_null(mkdtemp(base));
  OK(generator_write(g, base, GENERATOR_TABLE_FILES, 2, err));
  for (uint32_t t = 0; t < g->count; t++) {
    assert_true(generator_path(base, g->tables[t].name, GENERATOR_TABLE_FILES, path));
    check_table_file(g, t, path);
    unlink(path);
  }
  assert_int_equal(rmdir(base), 0);
}

/* ---- Domains ---- */

static int compare_values(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

static void check_domain(const whole *w, const domain *d) {
  int64_t *values = malloc(w->batch.rows * sizeof *values);
  assert_non_null(values);
  const uint32_t column = place_of(w->of, w->table, d->name);
  for (uint64_t i = 0; i < w->batch.rows; i++)
    values[i] = number(&w->batch, column, i);
  qsort(values, w->batch.rows, sizeof *values, compare_values);
  uint32_t distinct = 1;
  for (uint64_t i = 1; i < w->batch.rows; i++)
    distinct += values[i] != values[i - 1];
  const int64_t min = values[0], max = values[w->batch.rows - 1];
  free(values);
  if (min < d->min || max > d->max || (d->distinct > 0 && distinct != d->distinct))
    fail_msg("%s: %lld to %lld, %u distinct", d->name, (long long)min, (long long)max, distinct);
}

void check_domains(const generator *g, const domain *domains, size_t count) {
  for (uint32_t t = 0; t < g->count; t++) {
    whole w = make_whole(g, t);
    for (size_t i = 0; i < count; i++)
      if (domains[i].table == t)
        check_domain(&w, &domains[i]);
    generator_batch_free(&w.batch);
  }
}

void check_word(const generator *g, uint32_t table, const char *column, const char *word) {
  generator_batch batch = {0};
  char before[LONGEST] = "", found[LONGEST];
  bool known = false;
  generate(g, table, 0, 1, &batch);
  const rdx_column *d = batch.columns[place_of(g, table, column)].dictionary;
  assert_non_null(d);
  for (uint64_t i = 0; i < d->rows; i++) {
    copy_text(d, i, found);
    assert_true(i == 0 || strcmp(before, found) < 0);
    known |= strcmp(found, word) == 0;
    memcpy(before, found, sizeof before);
  }
  generator_batch_free(&batch);
  if (!known)
    fail_msg("%s has no '%s'", column, word);
}

void check_uniform(const generator *g, uint32_t table, const char *name) {
  whole w = make_whole(g, table);
  const uint32_t column = place_of(g, table, name);
  const uint64_t words = w.batch.columns[column].dictionary->rows;
  uint32_t *counts = calloc(words, sizeof *counts);
  assert_non_null(counts);
  for (uint64_t i = 0; i < w.batch.rows; i++)
    counts[number(&w.batch, column, i)]++;
  const double expected = (double)w.batch.rows / (double)words, freedom = (double)words - 1;
  double sum = 0;
  for (uint64_t i = 0; i < words; i++)
    sum += ((double)counts[i] - expected) * ((double)counts[i] - expected) / expected;
  free(counts);
  generator_batch_free(&w.batch);
  if (fabs(sum - freedom) > 6 * sqrt(2 * freedom) + 6)
    fail_msg("%s: chi-squared %.1f of %.0f", name, sum, freedom);
}
