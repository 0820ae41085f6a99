/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

#include "tests/unit/frames.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "column/column.h"
#include "tests/unit/random.h"

const wanted_column all_types[] = {
    {RDX_TYPE_BOOL, 2, 20, false},     {RDX_TYPE_I8, 5, 20, false},        {RDX_TYPE_I16, 5, 0, false},
    {RDX_TYPE_I32, 6, 10, false},      {RDX_TYPE_I64, 6, 20, false},       {RDX_TYPE_U8, 5, 20, false},
    {RDX_TYPE_U16, 6, 0, false},       {RDX_TYPE_U32, 6, 20, false},       {RDX_TYPE_U64, 6, 20, false},
    {RDX_TYPE_F32, 6, 20, false},      {RDX_TYPE_F64, 6, 20, false},       {RDX_TYPE_DATE, 6, 20, false},
    {RDX_TYPE_TIMESTAMP, 6, 0, false}, {RDX_TYPE_DECIMAL, 6, 20, false},   {RDX_TYPE_STRING, 6, 20, false},
    {RDX_TYPE_STRING, 6, 20, true},    {RDX_TYPE_I64, 0, 10, false},       {RDX_TYPE_F64, 0, 10, false},
    {RDX_TYPE_STRING, 0, 0, false},    {RDX_TYPE_TIMESTAMP, 0, 10, false},
};
const uint32_t all_types_count = RDX_COUNT(all_types);

/* ---- The bench ---- */

static void change_place(bench *b) {
  static uint32_t turns = 0;
  b->settings.operators = (rdx_operators_place)(turns++ % (RDX_OPERATORS_DEVICE + 1));
}

void bench_begin(bench *b) {
  *b = (bench){0};
  const rdx_device_params params = {.threads = 2};
  const char *device = getenv("RAYDEX_TEST_DEVICE");
  OK(rdx_device_open(device ? device : "cpu", &params, &b->device, err));
  change_place(b);
  OK(rdx_pool_create(2, &b->pool, err));
  OK(rdx_catalog_create(b->device, NULL, false, &b->catalog, err));
  b->plan.node_count = RDX_COUNT(b->shared);
  b->x = (rdx_execution){.catalog = b->catalog,
                         .device = b->device,
                         .pool = b->pool,
                         .settings = &b->settings,
                         .text = "SELECT 1",
                         .plan = &b->plan,
                         .parameters = b->parameters,
                         .actuals = b->actuals,
                         .shared = b->shared,
                         .arena = &b->arena};
}

void bench_clear(bench *b) {
  for (uint32_t i = 0; i < RDX_COUNT(b->shared); i++)
    rdx_frame_destroy(&b->shared[i]);
  memset(b->actuals, 0, sizeof b->actuals);
  rdx_arena_free(&b->arena);
  change_place(b);
}

void run_node(bench *b, const rdx_plan_node *n, rdx_frame *out) {
  OK(rdx_execute_node(&b->x, n, out, err));
  OK(rdx_frame_bring(out, err));
}

void bench_end(bench *b) {
  bench_clear(b);
  rdx_catalog_destroy(&b->catalog);
  rdx_pool_destroy(&b->pool);
  rdx_device_close(&b->device);
}

void *allocate(bench *b, uint64_t count, size_t size) {
  void *memory = NULL;
  OK(rdx_arena_alloc(&b->arena, count, size, "a test", &memory, err));
  memset(memory, 0, count * size);
  return memory;
}

/* ---- Random columns ---- */

static int compare_texts(const void *a, const void *b) {
  const char *const *x = a, *const *y = b;
  return strcmp(*x, *y);
}

/* Distinct texts, ascending. */
static rdx_column make_dictionary(bench *b, uint32_t count) {
  char **texts = allocate(b, count, sizeof *texts);
  uint64_t *offsets = allocate(b, count + 1u, sizeof *offsets), total = 0;
  char *bytes = allocate(b, 16 * (uint64_t)count + 1, 1);
  for (uint32_t i = 0; i < count; i++) {
    texts[i] = allocate(b, 16, 1);
    if (i > 0)
      snprintf(texts[i], 16, "%c%u%s", 'a' + (char)(next_random() % 3), i, i % 2 ? "" : "xyz");
  }
  qsort(texts, count, sizeof *texts, compare_texts);
  for (uint32_t i = 0; i < count; i++) {
    memcpy(bytes + total, texts[i], strlen(texts[i]));
    total += strlen(texts[i]);
    offsets[i + 1] = total;
  }
  return (rdx_column){.type = RDX_TYPE_STRING, .rows = count, .values = bytes, .offsets = offsets};
}

static void make_strings(bench *b, wanted_column wanted, uint32_t values, rdx_column *c) {
  rdx_column *dictionary = allocate(b, 1, sizeof *dictionary);
  uint32_t *places = allocate(b, c->rows, sizeof *places);
  *dictionary = make_dictionary(b, values);
  for (uint64_t i = 0; i < c->rows; i++)
    places[i] = (uint32_t)(next_random() % values);
  c->values = places;
  c->dictionary = dictionary;
  if (!wanted.no_dictionary)
    return;
  uint64_t *offsets = allocate(b, c->rows + 1, sizeof *offsets);
  char *bytes = allocate(b, 16 * c->rows + 1, 1);
  for (uint64_t i = 0; i < c->rows; i++) {
    uint64_t length;
    const char *text = rdx_column_text(c, i, &length);
    memcpy(bytes + offsets[i], text, length);
    offsets[i + 1] = offsets[i] + length;
  }
  c->values = bytes;
  c->offsets = offsets;
  c->dictionary = NULL;
}

static double random_double(uint32_t values) {
  static const double special[] = {0.0, -0.0, 1.5, -2.25, 1e10, NAN, INFINITY, -INFINITY};
  if (values == 0)
    return (double)(int64_t)next_random() * 1e-9;
  return special[next_random() % (values < RDX_COUNT(special) ? values : RDX_COUNT(special))];
}

rdx_column random_column(bench *b, wanted_column wanted, uint64_t rows) {
  const size_t size = rdx_type_size(wanted.type);
  rdx_column c = {.type = wanted.type, .scale = wanted.type == RDX_TYPE_DECIMAL ? 2 : 0, .rows = rows};
  if (wanted.type == RDX_TYPE_STRING) {
    make_strings(b, wanted, wanted.values ? wanted.values : 500, &c);
  } else {
    char *values = allocate(b, rows, size);
    for (uint64_t i = 0; i < rows; i++) {
      const bool is_signed = wanted.type <= RDX_TYPE_I64 && wanted.type != RDX_TYPE_BOOL;
      uint64_t value = wanted.values ? next_random() % wanted.values - (is_signed ? 2 : 0) : next_random();
      const double real = random_double(wanted.values);
      const float narrow = (float)real;
      if (wanted.type == RDX_TYPE_F32)
        memcpy(&value, &narrow, sizeof narrow);
      if (wanted.type == RDX_TYPE_F64)
        memcpy(&value, &real, sizeof real);
      memcpy(values + i * size, &value, size);
    }
    c.values = values;
  }
  if (wanted.nulls > 0) {
    uint8_t *validity = allocate(b, rows / 8 + 1, 1);
    for (uint64_t i = 0; i < rows; i++)
      validity[i / 8] |= (uint8_t)((next_random() % 100 >= wanted.nulls) << i % 8);
    c.validity = validity;
  }
  return c;
}

void random_frame(bench *b, const wanted_column *wanted, uint32_t count, uint64_t rows, bool chosen, rdx_frame *out) {
  const uint64_t behind = chosen ? rows / 2 + 3 : rows;
  OK(rdx_frame_create(count, behind, out, err));
  for (uint32_t i = 0; i < count; i++)
    out->columns[i].input.column = random_column(b, wanted[i], behind);
  if (!chosen)
    return;
  uint32_t *list = NULL;
  OK(rdx_alloc(rows, sizeof *list, "a test", (void **)&list, err));
  for (uint64_t i = 0; i < rows; i++)
    list[i] = next_random() % 10 == 0 ? RDX_NO_ROW : (uint32_t)(next_random() % behind);
  OK(rdx_frame_select(b->pool, out, list, rows, err));
}

/* ---- Plans ---- */

rdx_plan_node *source(bench *b, uint32_t id, rdx_frame *frame) {
  rdx_plan_node *n = allocate(b, 1, sizeof *n);
  *n = (rdx_plan_node){.kind = RDX_PLAN_TABLE, .id = id, .shared = true, .column_count = frame->count};
  n->columns = allocate(b, frame->count, sizeof *n->columns);
  for (uint32_t i = 0; i < frame->count; i++)
    n->columns[i] = (rdx_plan_column){"c", rdx_sql_type_of_column(&frame->columns[i].input.column)};
  b->shared[id] = *frame;
  *frame = (rdx_frame){0};
  return n;
}

rdx_plan_column *columns_of(bench *b, const rdx_plan_node *left, const rdx_plan_node *right) {
  const uint32_t count = left->column_count + (right ? right->column_count : 0);
  rdx_plan_column *columns = allocate(b, count, sizeof *columns);
  for (uint32_t i = 0; i < count; i++)
    columns[i] = i < left->column_count ? left->columns[i] : right->columns[i - left->column_count];
  return columns;
}

rdx_plan_node *node(bench *b, rdx_plan_kind kind, rdx_plan_node *left, rdx_plan_node *right) {
  rdx_plan_node *n = allocate(b, 1, sizeof *n);
  *n = (rdx_plan_node){.kind = kind, .id = 7, .left = left, .right = right};
  if (left) {
    n->columns = columns_of(b, left, kind == RDX_PLAN_JOIN ? right : NULL);
    n->column_count = left->column_count + (kind == RDX_PLAN_JOIN ? right->column_count : 0);
  }
  return n;
}

rdx_bound *column(bench *b, const rdx_plan_node *of, uint32_t index) {
  rdx_bound *e = allocate(b, 1, sizeof *e);
  *e = (rdx_bound){.kind = RDX_BOUND_COLUMN, .type = of->columns[index].type, .index = index};
  return e;
}

rdx_bound *whole(bench *b, int64_t value) {
  rdx_bound *e = allocate(b, 1, sizeof *e);
  *e = (rdx_bound){.kind = RDX_BOUND_CONSTANT, .type = {.kind = RDX_SQL_BIGINT}, .value = {.i = value}};
  return e;
}

rdx_bound *call(bench *b, rdx_op op, rdx_sql_kind kind, uint32_t count, ...) {
  rdx_bound *e = allocate(b, 1, sizeof *e);
  va_list list;
  *e = (rdx_bound){.kind = RDX_BOUND_CALL, .op = op, .type = {.kind = kind}, .count = count};
  e->args = allocate(b, count, sizeof(rdx_bound *));
  va_start(list, count);
  for (uint32_t i = 0; i < count; i++)
    e->args[i] = va_arg(list, rdx_bound *);
  va_end(list);
  return e;
}

/* ---- Cells ---- */

static bool find_row(const rdx_frame *frame, uint32_t column, uint64_t *row) {
  const rdx_input *input = &frame->columns[column].input;
  *row = input->rows ? input->rows[*row] : *row;
  return *row != RDX_NO_ROW && rdx_column_has(&input->column, *row);
}

bool cell_is_null(const rdx_frame *frame, uint32_t column, uint64_t row) {
  return !find_row(frame, column, &row);
}

#define UNITS(type) return ((const type *)c->values)[row]

rdx_i128 cell_units(const rdx_frame *frame, uint32_t column, uint64_t row) {
  const rdx_column *c = &frame->columns[column].input.column;
  find_row(frame, column, &row);
  switch (c->type) {
  case RDX_TYPE_BOOL:
  case RDX_TYPE_U8:
    UNITS(uint8_t);
  case RDX_TYPE_I8:
    UNITS(int8_t);
  case RDX_TYPE_I16:
    UNITS(int16_t);
  case RDX_TYPE_U16:
    UNITS(uint16_t);
  case RDX_TYPE_I32:
  case RDX_TYPE_DATE:
    UNITS(int32_t);
  case RDX_TYPE_U32:
    UNITS(uint32_t);
  case RDX_TYPE_U64:
    UNITS(uint64_t);
  default:
    UNITS(int64_t);
  }
}

double cell_double(const rdx_frame *frame, uint32_t column, uint64_t row) {
  const rdx_column *c = &frame->columns[column].input.column;
  if (c->type != RDX_TYPE_F32 && c->type != RDX_TYPE_F64)
    return (double)cell_units(frame, column, row) / pow(10, c->scale);
  find_row(frame, column, &row);
  return c->type == RDX_TYPE_F32 ? (double)((const float *)c->values)[row] : ((const double *)c->values)[row];
}

static int compare_doubles(double a, double b) {
  if (isnan(a) || isnan(b))
    return isnan(a) - isnan(b);
  return (a > b) - (a < b);
}

int compare_cells(const rdx_frame *a, uint32_t column_a, uint64_t row_a, const rdx_frame *b, uint32_t column_b,
                  uint64_t row_b) {
  const rdx_column *x = &a->columns[column_a].input.column, *y = &b->columns[column_b].input.column;
  const bool null_a = cell_is_null(a, column_a, row_a), null_b = cell_is_null(b, column_b, row_b);
  if (null_a || null_b)
    return null_a - null_b;
  if (x->type == RDX_TYPE_STRING) {
    find_row(a, column_a, &row_a);
    find_row(b, column_b, &row_b);
    return rdx_column_compare_strings(x, row_a, y, row_b);
  }
  if (x->type == RDX_TYPE_F32 || x->type == RDX_TYPE_F64)
    return compare_doubles(cell_double(a, column_a, row_a), cell_double(b, column_b, row_b));
  rdx_i128 of_a = cell_units(a, column_a, row_a), of_b = cell_units(b, column_b, row_b);
  for (uint8_t scale = x->scale; scale < y->scale; scale++)
    of_a *= 10;
  for (uint8_t scale = y->scale; scale < x->scale; scale++)
    of_b *= 10;
  return (of_a > of_b) - (of_a < of_b);
}
