/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Filters that scans answer leave the rows that evaluating them does; stars are joins with aggregates over them. */

#include <stdio.h>

#include "base/base.h"
#include "table/table.h"
#include "tests/unit/frames.h"
#include "tests/unit/random.h"

#define ROWS 25000u /* scans are prepared for as many */

static const wanted_column columns[] = {
    {RDX_TYPE_BOOL, 2, 20, false},     {RDX_TYPE_I8, 9, 20, false},        {RDX_TYPE_I32, 200, 5, false},
    {RDX_TYPE_I64, 0, 5, false},       {RDX_TYPE_U16, 9, 0, false},        {RDX_TYPE_U64, 9, 10, false},
    {RDX_TYPE_F32, 8, 20, false},      {RDX_TYPE_F64, 8, 20, false},       {RDX_TYPE_DATE, 9, 20, false},
    {RDX_TYPE_TIMESTAMP, 9, 5, false}, {RDX_TYPE_DECIMAL, 300, 10, false}, {RDX_TYPE_STRING, 40, 10, false},
    {RDX_TYPE_STRING, 20, 10, true},   {RDX_TYPE_STRING, 300, 0, false},
};
#define COLUMNS RDX_COUNT(columns)

/* A table of columns that the bench keeps. */
static rdx_catalog_table *add_table(bench *b, const char *name, const rdx_column *views, uint32_t count) {
  rdx_table *table = NULL;
  rdx_catalog_table *out = NULL;
  char nearest[64];
  OK(rdx_table_create(count, &table, err));
  for (uint32_t i = 0; i < count; i++) {
    OK(rdx_alloc(16, 1, "a test", (void **)&table->columns[i].name, err));
    snprintf(table->columns[i].name, 16, "c%u", i);
    table->columns[i].view = views[i];
  }
  table->rows = views[0].rows;
  OK(rdx_catalog_add(b->catalog, name, table, err));
  OK(rdx_catalog_find(b->catalog, name, &out, nearest, err));
  assert_non_null(out);
  return out;
}

static rdx_plan_node *table_node(bench *b, rdx_catalog_table *table, uint32_t id) {
  rdx_plan_node *n = node(b, RDX_PLAN_TABLE, NULL, NULL);
  n->id = id;
  n->table = table;
  n->column_count = table->column_count;
  n->table_columns = allocate(b, n->column_count, sizeof *n->table_columns);
  n->columns = allocate(b, n->column_count, sizeof *n->columns);
  for (uint32_t i = 0; i < n->column_count; i++) {
    n->table_columns[i] = i;
    OK(rdx_catalog_open_columns(b->catalog, table, &i, 1, err));
    n->columns[i].type = rdx_sql_type_of_column(&table->columns[i].column);
  }
  return n;
}

/* ---- Random conditions ---- */

typedef struct maker {
  bench *b;
  const rdx_plan_node *table;
  rdx_binding binding;
} maker;

static rdx_bound *bind(maker *m, const char *name, rdx_bound *const *args, uint32_t count) {
  rdx_error err = {""};
  rdx_bound *out = NULL;
  m->binding.err = &err;
  if (rdx_bind_call(&m->binding, name, args, count, 1, &out) != RDX_OK)
    fail_msg("%s: %s", name, err.text);
  return out;
}

static rdx_bound *constant(maker *m, rdx_sql_type type, rdx_datum value) {
  rdx_bound *out = NULL;
  assert_int_equal(rdx_bind_constant(&m->binding, type, value, 1, &out), RDX_OK);
  return out;
}

static rdx_bound *random_number(maker *m, bool floats) {
  static const double reals[] = {0, 1.5, -2.25, 3, 1e300, -1e300, 1e10, 0.1};
  const int64_t some = (int64_t)(next_random() % 24) - 6;
  switch (next_random() % (floats ? 7 : 6)) {
  case 0:
    return constant(m, (rdx_sql_type){.kind = RDX_SQL_INTEGER}, (rdx_datum){.i = some});
  case 1:
    return constant(m, (rdx_sql_type){.kind = RDX_SQL_BIGINT}, (rdx_datum){.i = (int64_t)next_random()});
  case 2:
    return constant(m, (rdx_sql_type){RDX_SQL_DECIMAL, 5, 1}, (rdx_datum){.i = some});
  case 3:
    return constant(m, (rdx_sql_type){RDX_SQL_DECIMAL, 9, 3}, (rdx_datum){.i = some * 250});
  case 4:
    return constant(m, (rdx_sql_type){RDX_SQL_DECIMAL, 38, 4}, (rdx_datum){.wide = (rdx_i128)some * 10000});
  case 5:
    return constant(m, (rdx_sql_type){RDX_SQL_DECIMAL, 38, 1},
                    (rdx_datum){.wide = (rdx_i128)(int64_t)next_random() * 1000000000});
  default:
    return constant(m, (rdx_sql_type){.kind = RDX_SQL_DOUBLE}, (rdx_datum){.f = reals[next_random() % 8]});
  }
}

static rdx_bound *random_text(maker *m, const char *const *texts, uint32_t count) {
  const char *text = texts[next_random() % count];
  return constant(m, (rdx_sql_type){.kind = RDX_SQL_TEXT}, (rdx_datum){.text = {text, strlen(text)}});
}

/* A constant that goes with column `c`. */
static rdx_bound *random_constant(maker *m, uint32_t c) {
  static const char *const texts[] = {"", "a", "b7", "a2xyz", "c11", "zzz", "b12xyz", "c5"};
  const rdx_sql_type type = m->table->columns[c].type;
  if (next_random() % 12 == 0)
    return constant(m, type, (rdx_datum){.null = true});
  switch (type.kind) {
  case RDX_SQL_BOOL:
    return constant(m, type, (rdx_datum){.i = next_random() % 2 != 0});
  case RDX_SQL_TEXT:
    return random_text(m, texts, RDX_COUNT(texts));
  case RDX_SQL_DATE:
    if (next_random() % 2 != 0)
      return constant(m, type, (rdx_datum){.i = (int64_t)(next_random() % 12) - 2});
    return constant(m, (rdx_sql_type){.kind = RDX_SQL_TIMESTAMP},
                    (rdx_datum){.i = (int64_t)(next_random() % 24 - 4) * 43200000000});
  case RDX_SQL_TIMESTAMP:
    return constant(m, type, (rdx_datum){.i = (int64_t)(next_random() % 12) - 2});
  default:
    return random_number(m, type.kind == RDX_SQL_REAL || type.kind == RDX_SQL_DOUBLE || next_random() % 2 != 0);
  }
}

static rdx_bound *random_like(maker *m, rdx_bound *text) {
  static const char *const patterns[] = {"a%", "%xyz", "%1%", "_1%", "", "%", "b_"};
  rdx_bound *args[2] = {text, random_text(m, patterns, RDX_COUNT(patterns))};
  if (next_random() % 4 == 0) {
    rdx_bound *coalesced[2] = {text, random_text(m, patterns, RDX_COUNT(patterns))};
    args[0] = bind(m, "coalesce", coalesced, 2);
  }
  return bind(m, next_random() % 2 ? "like" : "not like", args, 2);
}

static rdx_bound *random_leaf(maker *m) {
  static const char *const names[] = {"=", "<>", "<", "<=", ">", ">=", "is distinct from", "is not distinct from"};
  const uint32_t c = (uint32_t)(next_random() % COLUMNS);
  rdx_bound *value = column(m->b, m->table, c), *args[6] = {value, NULL};
  const uint64_t kind = next_random() % 10;
  if (kind == 0)
    return bind(m, next_random() % 2 ? "is null" : "is not null", args, 1);
  if (kind == 1 && c == 0)
    return value;
  if (kind == 2 && c == 0)
    return bind(m, next_random() % 2 ? "is true" : "is not false", args, 1);
  if (kind < 5 && m->table->columns[c].type.kind == RDX_SQL_TEXT)
    return random_like(m, value);
  if (kind < 6) {
    const uint32_t count = 1 + (uint32_t)(next_random() % 4);
    for (uint32_t i = 1; i <= count; i++)
      args[i] = random_constant(m, c);
    return bind(m, next_random() % 2 ? "in" : "not in", args, count + 1);
  }
  if (kind < 7) {
    args[1] = random_constant(m, c);
    args[2] = random_constant(m, c);
    return bind(m, next_random() % 2 ? "between" : "not between", args, 3);
  }
  const bool turned = next_random() % 3 == 0;
  args[turned] = value;
  args[!turned] = random_constant(m, c);
  return bind(m, names[next_random() % RDX_COUNT(names)], args, 2);
}

static rdx_bound *random_condition(maker *m, uint32_t level) {
  rdx_bound *args[4];
  const uint64_t kind = level == 0 ? 3 : next_random() % 5;
  if (kind >= 3)
    return random_leaf(m);
  const uint32_t count = kind == 2 ? 1 : 2 + (uint32_t)(next_random() % 3);
  for (uint32_t i = 0; i < count; i++)
    args[i] = random_condition(m, level - 1);
  return bind(m, kind == 0 ? "and" : kind == 1 ? "or" : "not", args, count);
}

/* ---- Filters ---- */

static void check_filter(bench *b, rdx_plan_node *n, rdx_bound *filter) {
  rdx_frame all, out;
  uint32_t *rows = NULL;
  uint64_t count = 0;
  rdx_input *inputs = NULL;
  n->filter = NULL;
  run_node(b, n, &all);
  OK(rdx_frame_inputs(&all, &b->arena, &inputs, err));
  const rdx_evaluation e = {
      .pool = b->pool, .inputs = inputs, .parameters = b->parameters, .rows = all.rows, .text = b->x.text};
  OK(rdx_evaluate_filter(&e, filter, &rows, &count, err));
  n->filter = filter;
  run_node(b, n, &out);
  assert_int_equal(out.rows, count);
  const uint32_t *found = out.columns[0].input.rows;
  for (uint64_t i = 0; i < count; i++)
    assert_int_equal(found ? found[i] : i, rows[i]);
  rdx_free(rows);
  rdx_frame_destroy(&all);
  rdx_frame_destroy(&out);
}

static void test_filters(void **state) {
  (void)state;
  bench b;
  bench_begin(&b);
  rdx_column views[COLUMNS];
  for (uint32_t i = 0; i < COLUMNS; i++)
    views[i] = random_column(&b, columns[i], ROWS);
  rdx_catalog_table *table = add_table(&b, "t", views, COLUMNS);
  uint32_t scanned = 0, evaluated = 0;
  b.settings.filter = RDX_FILTER_SCAN; /* what a device prefers for few rows is another question */
  b.settings.scan.method = RDX_SCAN_COLUMN;
  for (uint32_t round = 0; round < 1500; round++) {
    maker m = {.b = &b, .table = table_node(&b, table, 0), .binding = {.arena = &b.arena, .text = b.x.text}};
    rdx_bound *filter = random_condition(&m, round % 3);
    memset(b.actuals, 0, sizeof b.actuals);
    check_filter(&b, table_node(&b, table, 0), filter);
    scanned += strstr(b.actuals[0].method, rdx_scan_method_name(RDX_SCAN_COLUMN)) != NULL;
    evaluated += strstr(b.actuals[0].method, "evaluation") != NULL;
  }
  assert_true(scanned > 1000);
  assert_true(evaluated > 0);
  rdx_catalog_release(&table);
  bench_end(&b);
}

/* ---- Stars ---- */

typedef struct schema {
  rdx_catalog_table *fact, *dimensions[2];
  rdx_catalog_star star;
} schema;

static rdx_column make_keys(bench *b, uint64_t rows, uint32_t keys, bool distinct) {
  int32_t *values = allocate(b, rows, sizeof *values);
  for (uint64_t i = 0; i < rows; i++)
    values[i] = (int32_t)(distinct ? i : next_random() % keys);
  return (rdx_column){.type = RDX_TYPE_I32, .rows = rows, .values = values};
}

/* A fact table of two keys and four values, and two dimensions of a key and two attributes; keys 8 and 9 are none. */
static void make_schema(bench *b, uint32_t round, schema *s) {
  static const wanted_column values[] = {{RDX_TYPE_I32, 9, 10, false},
                                         {RDX_TYPE_DECIMAL, 9, 0, false},
                                         {RDX_TYPE_STRING, 6, 10, false},
                                         {RDX_TYPE_I16, 9, 0, false}};
  const uint64_t rows = 200 + 100 * round;
  rdx_column fact[6] = {make_keys(b, rows, 10, false), make_keys(b, rows, 10, false)};
  char name[8];
  for (uint32_t i = 0; i < 4; i++)
    fact[2 + i] = random_column(b, values[i], rows);
  snprintf(name, sizeof name, "f%u", round);
  s->fact = add_table(b, name, fact, 6);
  s->star = (rdx_catalog_star){.fact = s->fact, .dimension_count = 2};
  for (uint32_t d = 0; d < 2; d++) {
    rdx_column dimension[3] = {make_keys(b, 8, 0, true), random_column(b, values[2], 8),
                               random_column(b, values[0], 8)};
    snprintf(name, sizeof name, "d%u%u", d, round);
    s->dimensions[d] = add_table(b, name, dimension, 3);
    s->star.dimensions[d] = (rdx_catalog_dimension){s->dimensions[d], d, 0};
  }
}

/* The columns of the joined tables: 0 to 5 of the fact, 6 to 8 and 9 to 11 of the dimensions. */
static rdx_plan_node *join_schema(bench *b, schema *s) {
  rdx_plan_node *n = table_node(b, s->fact, 0);
  for (uint32_t d = 0; d < 2; d++) {
    rdx_plan_node *right = table_node(b, s->dimensions[d], 1 + d);
    rdx_plan_node *j = node(b, RDX_PLAN_JOIN, n, right);
    j->id = 3 + d;
    j->key_count = 1;
    j->left_keys = allocate(b, 1, sizeof(rdx_bound *));
    j->right_keys = allocate(b, 1, sizeof(rdx_bound *));
    j->left_keys[0] = column(b, n, d);
    j->right_keys[0] = column(b, right, 0);
    n = j;
  }
  return n;
}

static const rdx_plan_column group_columns[2] = {{"g", {.kind = RDX_SQL_TEXT}}, {"h", {.kind = RDX_SQL_INTEGER}}};

/* Two groups and `count` aggregates over the joined columns. */
static void add_aggregates(maker *m, rdx_plan_node *n, const rdx_plan_node *joined, uint32_t count) {
  bench *b = m->b;
  n->expr_count = 2;
  n->exprs = allocate(b, 2, sizeof(rdx_bound *));
  n->exprs[0] = column(b, joined, 7);
  n->exprs[1] = column(b, joined, 2);
  n->aggregate_count = count;
  n->aggregates = allocate(b, count, sizeof *n->aggregates);
  n->column_count = 2 + count;
  n->columns = allocate(b, n->column_count, sizeof *n->columns);
  n->columns[0] = group_columns[0];
  n->columns[1] = group_columns[1];
  for (uint32_t i = 0; i < count; i++) {
    rdx_plan_aggregate *a = &n->aggregates[i];
    rdx_bound *factors[2] = {column(b, joined, 3), column(b, joined, 5)};
    a->kind = (rdx_plan_aggregate_kind)(i % 5);
    a->type = a->kind == RDX_PLAN_AVG ? (rdx_sql_type){.kind = RDX_SQL_DOUBLE} : (rdx_sql_type){RDX_SQL_DECIMAL, 38, 2};
    a->value = i % 3 == 1 ? column(b, joined, 3) : bind(m, "*", factors, 2);
    if (a->kind == RDX_PLAN_COUNT) {
      a->value = i % 2 ? column(b, joined, 2) : NULL;
      a->type = (rdx_sql_type){.kind = RDX_SQL_BIGINT};
    }
    n->columns[2 + i].type = a->type;
  }
}

static void compare_results(const rdx_frame *a, const rdx_frame *b) {
  assert_int_equal(a->rows, b->rows);
  for (uint64_t i = 0; i < a->rows; i++) {
    uint64_t k = 0;
    while (k < b->rows && (compare_cells(a, 0, i, b, 0, k) != 0 || compare_cells(a, 1, i, b, 1, k) != 0))
      k++;
    assert_true(k < b->rows);
    for (uint32_t c = 2; c < a->count; c++)
      assert_int_equal(compare_cells(a, c, i, b, c, k), 0);
  }
}

static rdx_bound *star_filter(maker *m, const rdx_plan_node *joined, uint32_t round) {
  static const char *const patterns[] = {"a%", "%1%"};
  rdx_bound *like[2] = {column(m->b, joined, 10), random_text(m, patterns, 2)};
  rdx_bound *less[2] = {column(m->b, joined, 8), random_number(m, true)};
  rdx_bound *both[2] = {bind(m, round % 2 ? "not like" : "like", like, 2), bind(m, round % 3 ? "<=" : ">", less, 2)};
  return bind(m, round % 5 ? "or" : "and", both, 2);
}

/* All methods, of more aggregates than a query takes, too; the second run has the cubes of the first. */
static void test_stars(void **state) {
  (void)state;
  bench b;
  bench_begin(&b);
  for (uint32_t round = 0; round < 15; round++) {
    schema s;
    make_schema(&b, round, &s);
    rdx_plan_node *joined = join_schema(&b, &s);
    maker m = {.b = &b, .table = joined, .binding = {.arena = &b.arena, .text = b.x.text}};
    rdx_bound *filter = star_filter(&m, joined, round);
    rdx_plan_node *filtered = node(&b, RDX_PLAN_FILTER, joined, NULL);
    filtered->id = 5;
    filtered->filter = filter;
    rdx_plan_node *by_join = node(&b, RDX_PLAN_AGGREGATE, filtered, NULL), *star = node(&b, RDX_PLAN_STAR, NULL, NULL);
    add_aggregates(&m, by_join, joined, 3 + round % 9);
    add_aggregates(&m, star, joined, 3 + round % 9);
    star->star = &s.star;
    star->filter = filter;
    star->star_params.method = (rdx_star_method)(round % 5);
    s.star.attribute_count = 12;
    s.star.attributes = allocate(&b, 12, sizeof *s.star.attributes);
    for (uint32_t i = 0; i < 12; i++)
      s.star.attributes[i] = (rdx_catalog_attribute){i < 6 ? 0 : i / 3 - 1, i < 6 ? i : i % 3};
    rdx_frame wanted, found;
    run_node(&b, by_join, &wanted);
    for (uint32_t again = 0; again < 2; again++) {
      run_node(&b, star, &found);
      compare_results(&wanted, &found);
      rdx_frame_destroy(&found);
    }
    rdx_frame_destroy(&wanted);
    rdx_catalog_release(&s.fact);
    rdx_catalog_release(&s.dimensions[0]);
    rdx_catalog_release(&s.dimensions[1]);
  }
  bench_end(&b);
}

static uint64_t memory_used(const bench *b) {
  rdx_device_usage usage;
  rdx_device_get_usage(b->device, &usage);
  return usage.memory_used;
}

static rdx_star *hold_star(bench *b, const schema *s, uint32_t dimensions, uint32_t attributes, uint64_t *bytes) {
  rdx_catalog_attribute list[] = {{0, 2}, {0, 3}, {1, 1}, {0, 5}};
  rdx_catalog_star definition = s->star;
  const rdx_star_params params = {.method = RDX_STAR_COLUMN_ENGINE};
  uint32_t numbers[RDX_COUNT(list)];
  rdx_star_stats stats;
  rdx_star *star = NULL;
  definition.attributes = list;
  definition.attribute_count = attributes;
  definition.dimension_count = dimensions;
  OK(rdx_catalog_hold_star(b->catalog, &definition, &params, &star, numbers, err));
  rdx_star_get_stats(star, &stats);
  *bytes = stats.bytes_columns;
  return star;
}

/* What several stars have in common is on the device once, and is counted once. */
static void test_a_column_of_several_stars_is_on_the_device_once(void **state) {
  (void)state;
  bench b;
  bench_begin(&b);
  schema s;
  make_schema(&b, 1000, &s);
  const uint64_t before = memory_used(&b), rows = s.fact->rows;
  uint64_t bytes[4];
  rdx_star *stars[4];
  stars[0] = hold_star(&b, &s, 2, 3, &bytes[0]);
  const uint64_t all = memory_used(&b) - before;
  assert_int_equal(bytes[0], all);
  assert_true(all > 4 * rows); /* two columns and two foreign keys */
  stars[1] = hold_star(&b, &s, 1, 3, &bytes[1]);
  assert_int_equal(memory_used(&b) - before, all);
  assert_true(bytes[1] < all / 2);
  stars[2] = hold_star(&b, &s, 2, 4, &bytes[2]); /* the same star with one more column: the first is retired */
  assert_in_range(memory_used(&b) - before - all, 1, 2 * rows + 300);
  for (uint32_t i = 0; i < 3; i++)
    rdx_catalog_release_star(b.catalog, stars[i]);
  const uint64_t kept = memory_used(&b) - before;
  stars[3] = hold_star(&b, &s, 1, 3, &bytes[3]);
  assert_ptr_equal(stars[3], stars[1]);
  rdx_star_stats stats;
  rdx_star_get_stats(stars[2], &stats);
  assert_in_range(kept - stats.bytes_columns - bytes[3], 0, 20); /* halves of odd numbers */
  rdx_catalog_release_star(b.catalog, stars[3]);
  rdx_catalog_release(&s.fact);
  rdx_catalog_release(&s.dimensions[0]);
  rdx_catalog_release(&s.dimensions[1]);
  bench_end(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_filters),
      cmocka_unit_test(test_stars),
      cmocka_unit_test(test_a_column_of_several_stars_is_on_the_device_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
