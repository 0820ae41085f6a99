/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Tables for the planner: sizes, duplicates, orders and types at random. */

#include "bench/planner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

uint64_t planner_below(planner_random *r, uint64_t limit) {
  return (uint64_t)(planner_unit(r) * (double)limit);
}

double planner_unit(planner_random *r) {
  return (double)(bench_mix(r->next++, r->seed) >> 11) / 9007199254740992.0;
}

double planner_spread(planner_random *r, double low, double high) {
  return low * exp(planner_unit(r) * log(high / low));
}

/* ---- Columns ---- */

#define WORDS 40 /* distinct strings */
#define DAYS 3650
#define FIRST_DAY 16436 /* 2015-01-01 */

static const rdx_field fact_fields[] = {
    {"id", RDX_TYPE_I32, 0},    {"a", RDX_TYPE_I32, 0},  {"b", RDX_TYPE_I64, 0},
    {"c", RDX_TYPE_DATE, 0},    {"g", RDX_TYPE_I16, 0},  {"s", RDX_TYPE_STRING, 0},
    {"m", RDX_TYPE_DECIMAL, 2}, {"k1", RDX_TYPE_I32, 0}, {"k2", RDX_TYPE_I32, 0},
};
static const rdx_field dimension_fields[] = {{"key", RDX_TYPE_I32, 0}, {"x", RDX_TYPE_I16, 0}, {"y", RDX_TYPE_I32, 0}};

enum { ID, A, B, C, G, S, M, K1, K2, FACT_COLUMNS };
enum { KEY, X, Y, DIMENSION_COLUMNS };

#define MAX_COLUMNS FACT_COLUMNS

static void put(rdx_column *c, uint64_t row, int64_t value) {
  void *values = (void *)(uintptr_t)c->values;
  switch (c->type) {
  case RDX_TYPE_I16:
    ((int16_t *)values)[row] = (int16_t)value;
    break;
  case RDX_TYPE_I32:
  case RDX_TYPE_DATE:
    ((int32_t *)values)[row] = (int32_t)value;
    break;
  default:
    ((int64_t *)values)[row] = value;
    break;
  }
}

/* Texts of four bytes: "w" and three digits. */
static void put_text(rdx_column *c, uint64_t row, uint32_t value) {
  char text[16];
  snprintf(text, sizeof text, "w%03u", value);
  memcpy((char *)(uintptr_t)c->values + 4 * row, text, 4);
  ((uint64_t *)(uintptr_t)c->offsets)[row + 1] = 4 * (row + 1);
}

static void free_columns(rdx_column *columns, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    free((void *)(uintptr_t)columns[i].values);
    free((void *)(uintptr_t)columns[i].offsets);
  }
}

static rdx_status make_columns(const rdx_field *fields, uint32_t count, uint64_t rows, rdx_column *out,
                               rdx_error *err) {
  bool there = true;
  for (uint32_t i = 0; i < count; i++) {
    out[i] = (rdx_column){.type = fields[i].type, .scale = fields[i].scale, .rows = rows, .values = malloc(8 * rows)};
    there &= out[i].values != NULL;
    if (fields[i].type != RDX_TYPE_STRING)
      continue;
    out[i].offsets = calloc(rows + 1, 8);
    there &= out[i].offsets != NULL;
  }
  return there ? RDX_OK
               : console_error(err, RDX_ERROR_MEMORY, "no memory for a table of %llu rows", (unsigned long long)rows);
}

static rdx_status write_columns(const char *folder, const char *name, const rdx_field *fields, uint32_t count,
                                const rdx_column *columns, rdx_error *err) {
  char path[4096];
  rdx_table_writer *writer = NULL;
  snprintf(path, sizeof path, "%s/%s.rdx", folder, name);
  rdx_status status = rdx_table_writer_create(path, fields, count, &writer, err);
  if (status == RDX_OK)
    status = rdx_table_writer_append(writer, columns, err);
  if (status == RDX_OK)
    status = rdx_table_writer_finish(writer, err);
  rdx_table_writer_destroy(&writer);
  return status;
}

/* ---- Tables ---- */

/* How often values of fact.a come: all alike, or the small ones more often. */
static void fill_fact(const planner_tables *t, planner_random *r, bool skewed, bool shuffled, rdx_column *c) {
  const uint64_t n = t->rows, step = 2 * planner_below(r, n) + 1; /* odd: it and a power of two have no common part */
  uint64_t power = 1;
  while (power < n)
    power *= 2;
  for (uint64_t i = 0, place = 0; i < n; i++) {
    const double unit = t->ordered ? (double)i / (double)n : planner_unit(r);
    const double part = skewed ? unit * unit * unit : unit;
    do
      place = (place + step) & (power - 1);
    while (place >= n);
    put(&c[ID], i, (int64_t)(shuffled ? place : i));
    put(&c[A], i, (int64_t)(part * (double)t->distinct));
    put(&c[B], i, (int64_t)planner_below(r, PLANNER_WIDE));
    put(&c[C], i, FIRST_DAY + (int64_t)(i * (DAYS - 30) / n + planner_below(r, 30)));
    put(&c[G], i, (int64_t)planner_below(r, t->groups));
    put_text(&c[S], i, (uint32_t)planner_below(r, WORDS));
    put(&c[M], i, (int64_t)planner_below(r, 100000));
    put(&c[K1], i, (int64_t)planner_below(r, t->dimension_rows[0]));
    put(&c[K2], i, (int64_t)planner_below(r, t->dimension_rows[1]));
  }
}

static rdx_status write_fact(const char *folder, const planner_tables *t, planner_random *r, rdx_error *err) {
  const bool skewed = planner_below(r, 3) == 0, shuffled = planner_below(r, 2) == 0;
  rdx_column columns[FACT_COLUMNS] = {{0}};
  rdx_status status = make_columns(fact_fields, FACT_COLUMNS, t->rows, columns, err);
  if (status == RDX_OK) {
    fill_fact(t, r, skewed, shuffled, columns);
    status = write_columns(folder, "fact", fact_fields, FACT_COLUMNS, columns, err);
  }
  free_columns(columns, FACT_COLUMNS);
  return status;
}

static rdx_status write_dimension(const char *folder, const char *name, uint64_t rows, planner_random *r,
                                  rdx_error *err) {
  rdx_column columns[DIMENSION_COLUMNS] = {{0}};
  rdx_status status = make_columns(dimension_fields, DIMENSION_COLUMNS, rows, columns, err);
  for (uint64_t i = 0; i < rows && status == RDX_OK; i++) {
    put(&columns[KEY], i, (int64_t)i);
    put(&columns[X], i, (int64_t)planner_below(r, 25));
    put(&columns[Y], i, (int64_t)planner_below(r, 1000));
  }
  if (status == RDX_OK)
    status = write_columns(folder, name, dimension_fields, DIMENSION_COLUMNS, columns, err);
  free_columns(columns, DIMENSION_COLUMNS);
  return status;
}

rdx_status planner_write(const char *folder, planner_tables *t, planner_random *r, uint64_t max_rows, rdx_error *err) {
  t->rows = (uint64_t)planner_spread(r, 1000, (double)max_rows);
  t->distinct = (uint64_t)planner_spread(r, 2, (double)t->rows);
  t->groups = (uint64_t)planner_spread(r, 2, 1000);
  t->ordered = planner_below(r, 4) == 0;
  for (uint32_t i = 0; i < 2; i++)
    t->dimension_rows[i] = (uint64_t)planner_spread(r, 50, fmax((double)t->rows / 2, 100));
  rdx_status status = write_fact(folder, t, r, err);
  if (status == RDX_OK)
    status = write_dimension(folder, "d1", t->dimension_rows[0], r, err);
  return status == RDX_OK ? write_dimension(folder, "d2", t->dimension_rows[1], r, err) : status;
}
