/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

#include "queries.h"

#include "wide_sums.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- Stars ---- */

static bool is_numeric(rdx_type type) {
  return (type >= RDX_TYPE_I8 && type <= RDX_TYPE_U64) || type == RDX_TYPE_DECIMAL;
}

static bool is_float(rdx_type type) {
  return type == RDX_TYPE_F32 || type == RDX_TYPE_F64;
}

static test_column make_attribute(uint64_t rows, bool tame) {
  static const rdx_type types[] = {RDX_TYPE_BOOL, RDX_TYPE_I8,   RDX_TYPE_I16,       RDX_TYPE_I32,     RDX_TYPE_I64,
                                   RDX_TYPE_U8,   RDX_TYPE_U16,  RDX_TYPE_U32,       RDX_TYPE_U64,     RDX_TYPE_F32,
                                   RDX_TYPE_F64,  RDX_TYPE_DATE, RDX_TYPE_TIMESTAMP, RDX_TYPE_DECIMAL, RDX_TYPE_STRING};
  static const test_nulls nulls[] = {NO_NULLS, NO_NULLS, NO_NULLS, SOME_NULLS, SOME_NULLS, ALL_NULLS};
  static const test_shape shapes[] = {SHAPE_RANDOM, SHAPE_DENSE,    SHAPE_SORTED, SHAPE_EQUAL, SHAPE_FEW,
                                      SHAPE_FEW,    SHAPE_EXTREMES, SHAPE_EDGES,  SHAPE_SKEWED};
  static const test_shape tame_shapes[] = {SHAPE_FEW, SHAPE_FEW, SHAPE_EQUAL, SHAPE_DENSE, SHAPE_SORTED};
  const rdx_type type = types[test_random() % COUNT(types)];
  const test_nulls some = nulls[test_random() % (tame ? 4 : 6)];
  if (!tame)
    return column_make(type, shapes[test_random() % COUNT(shapes)], some, rows);
  return column_make(type, tame_shapes[test_random() % COUNT(tame_shapes)], some, rows);
}

/* Keys as numbers, or as text that their prefixes do not tell apart; key i is that of row i. */
static test_column make_keys(const uint64_t *numbers, uint64_t rows, rdx_type type, uint32_t null_every) {
  test_column c = {.view = {.type = type, .rows = rows}};
  char *values = malloc(rows * 32 + 1);
  uint64_t *offsets = calloc(rows + 1, sizeof *offsets);
  assert_true(values && offsets);
  for (uint64_t i = 0; i < rows; i++) {
    const int64_t number = (int64_t)numbers[i] - 5;
    if (type == RDX_TYPE_STRING)
      offsets[i + 1] = offsets[i] + (uint64_t)sprintf(values + offsets[i], "customer#%lld", (long long)number);
    else
      memcpy(values + i * rdx_type_size(type), &number, rdx_type_size(type));
  }
  c.view.values = values;
  if (type == RDX_TYPE_STRING)
    c.view.offsets = offsets;
  else
    free(offsets);
  if (null_every > 0) {
    uint8_t *validity = malloc(rows / 8 + 1);
    assert_non_null(validity);
    memset(validity, 0xff, rows / 8 + 1);
    for (uint64_t i = 0; i < rows; i += null_every)
      validity[i / 8] &= (uint8_t) ~(1u << i % 8);
    c.view.validity = validity;
  }
  return c;
}

static void make_dimension(star_data *s, uint32_t d, uint64_t rows) {
  static const rdx_type types[][2] = {{RDX_TYPE_I32, RDX_TYPE_I32},
                                      {RDX_TYPE_I64, RDX_TYPE_I32},
                                      {RDX_TYPE_I16, RDX_TYPE_I64},
                                      {RDX_TYPE_STRING, RDX_TYPE_STRING}};
  const rdx_type *type = types[test_random() % COUNT(types)];
  const uint32_t nulls = test_random() % 3 == 0 ? 3 : 0;
  const bool missing = test_random() % 2 == 0;
  uint64_t *keys = calloc(rows + 1, 8), *foreign = calloc(s->relation.rows + 1, 8);
  s->partners[d] = calloc(s->relation.rows + 1, 8);
  assert_true(keys && foreign && s->partners[d]);
  for (uint64_t i = 0; i < rows; i++)
    keys[i] = i * 3;
  for (uint64_t i = rows; i > 1; i--) {
    const uint64_t j = test_random() % i, key = keys[i - 1];
    keys[i - 1] = keys[j];
    keys[j] = key;
  }
  for (uint64_t i = 0; i < s->relation.rows; i++) {
    const uint64_t row = rows > 0 ? test_random() % rows : 0;
    const bool none = rows == 0 || (missing && test_random() % 8 == 0);
    foreign[i] = none ? 3 * (test_random() % 100) + 1 : keys[row];
    s->partners[d][i] = none || (nulls && i % nulls == 0) ? UINT64_MAX : row;
  }
  s->keys[d] = make_keys(keys, rows, type[0], 0);
  s->foreign[d] = make_keys(foreign, s->relation.rows, type[1], nulls);
  s->dimensions[d] = (rdx_dimension){s->foreign[d].view, s->keys[d].view};
  free(keys);
  free(foreign);
}

void star_make(star_data *s, uint64_t rows, uint32_t attributes, uint32_t tables, bool tame) {
  static const char *const names[MAX_ATTRIBUTES] = {"a", "b", "c", "d", "e", "f", "g", "h"};
  static const uint64_t sizes[] = {0, 1, 7, 40, 40, 300, 300, 300};
  memset(s, 0, sizeof *s);
  s->relation = (rdx_relation){.rows = rows,
                               .attributes = s->attributes,
                               .attribute_count = attributes,
                               .dimensions = s->dimensions,
                               .dimension_count = tables};
  for (uint32_t d = 0; d < tables; d++)
    make_dimension(s, d, sizes[test_random() % COUNT(sizes)]);
  for (uint32_t i = 0; i < attributes; i++) {
    const uint32_t table = (uint32_t)(test_random() % (tables + 1));
    s->columns[i] = make_attribute(table ? s->dimensions[table - 1].key.rows : rows, tame);
    s->views[i] = s->columns[i].view;
    s->attributes[i] = (rdx_attribute){names[i], s->views[i], table};
  }
}

void star_free(star_data *s) {
  for (uint32_t i = 0; i < s->relation.attribute_count; i++)
    column_free(&s->columns[i]);
  for (uint32_t d = 0; d < s->relation.dimension_count; d++) {
    column_free(&s->keys[d]);
    column_free(&s->foreign[d]);
    free(s->partners[d]);
  }
}

/* The rows of all attributes for a row of the fact table; false where a partner is missing. */
static bool rows_of(const star_data *s, uint64_t row, uint64_t rows[MAX_ATTRIBUTES]) {
  for (uint32_t d = 0; d < s->relation.dimension_count; d++)
    if (s->partners[d][row] == UINT64_MAX)
      return false;
  for (uint32_t i = 0; i < s->relation.attribute_count; i++)
    rows[i] = s->attributes[i].dimension ? s->partners[s->attributes[i].dimension - 1][row] : row;
  return true;
}

/* ---- Random queries ---- */

/* With `summed` a float or a bool will do. UINT32_MAX: there is none. */
static uint32_t numeric_attribute(const star_data *s, bool summed) {
  for (uint32_t k = 0; k < 40; k++) {
    const uint32_t i = (uint32_t)(test_random() % s->relation.attribute_count);
    const rdx_type type = s->views[i].type;
    if (is_numeric(type) || (summed && (is_float(type) || type == RDX_TYPE_BOOL)))
      return i;
  }
  return UINT32_MAX;
}

/* An expression of numbers at place `at` of seven; its operands are at 2 at + 1 and 2 at + 2. */
static void make_expression(const star_data *s, rdx_expression *nodes, uint32_t at) {
  const uint64_t choice = test_random() % 8;
  const uint32_t attribute = numeric_attribute(s, false);
  rdx_expression *e = &nodes[at];
  if (at < 3 && choice < 4) {
    e->kind = RDX_EXPRESSION_ADD + (rdx_expression_kind)(test_random() % 3);
    make_expression(s, nodes, 2 * at + 1);
    make_expression(s, nodes, 2 * at + 2);
    e->left = &nodes[2 * at + 1];
    e->right = &nodes[2 * at + 2];
  } else if (choice < 7 && attribute != UINT32_MAX) {
    *e = (rdx_expression){.kind = RDX_EXPRESSION_ATTRIBUTE, .attribute = attribute};
  } else {
    const int64_t large = (int64_t)test_random(), value = (int64_t)(test_random() % 2000) - 1000;
    *e = (rdx_expression){.kind = RDX_EXPRESSION_CONSTANT,
                          .value = test_random() % 8 == 0 ? large : value,
                          .scale = (uint8_t)(test_random() % 4)};
  }
}

static void make_aggregate(const star_data *s, test_query *q, uint32_t i) {
  rdx_aggregate *a = &q->aggregates[i];
  rdx_expression *e = q->expressions[i];
  a->kind = (rdx_aggregate_kind)(test_random() % 5);
  a->expression = e;
  const bool sums = a->kind == RDX_AGGREGATE_SUM || a->kind == RDX_AGGREGATE_AVG;
  const uint32_t attribute =
      sums ? numeric_attribute(s, true) : (uint32_t)(test_random() % s->relation.attribute_count);
  if (a->kind == RDX_AGGREGATE_COUNT && test_random() % 2)
    a->expression = NULL;
  else if (test_random() % 3 == 0 || attribute == UINT32_MAX)
    make_expression(s, e, 0);
  else
    *e = (rdx_expression){.kind = RDX_EXPRESSION_ATTRIBUTE, .attribute = attribute};
}

void query_make(const star_data *s, test_query *q) {
  memset(q, 0, sizeof *q);
  rdx_query *r = &q->query;
  r->group_by = q->group_by;
  r->aggregates = q->aggregates;
  r->order_by = q->order_by;
  r->group_count = (uint32_t)(test_random() % 4);
  r->aggregate_count = (uint32_t)(test_random() % 5) + (r->group_count == 0);
  for (uint32_t i = 0; i < r->group_count; i++)
    q->group_by[i] = (uint32_t)(test_random() % s->relation.attribute_count);
  for (uint32_t i = 0; i < r->aggregate_count; i++)
    make_aggregate(s, q, i);
  if (test_random() % 4 != 0) {
    tree_make(s->views, s->relation.attribute_count, &q->where);
    r->where = q->where.nodes;
  }
  r->order_count = test_random() % 2 ? (uint32_t)(test_random() % 4) : 0;
  for (uint32_t i = 0; i < r->order_count; i++)
    q->order_by[i] = (rdx_order){(uint32_t)(test_random() % (r->group_count + r->aggregate_count)),
                                 test_random() % 2 == 0, test_random() % 2 == 0};
  r->limited = test_random() % 4 == 0;
  r->limit = test_random() % 8;
  r->offset = test_random() % 4;
}

void query_free(test_query *q) {
  tree_free(&q->where);
  tree_free(&q->having);
}

/* ---- Values of expressions ---- */

static i128 power_of_ten(uint32_t exponent) {
  i128 power = 1;
  while (exponent-- > 0)
    power *= 10;
  return power;
}

static uint32_t scale_of(const star_data *s, const rdx_expression *e) {
  if (e->kind == RDX_EXPRESSION_ATTRIBUTE)
    return s->views[e->attribute].scale;
  if (e->kind == RDX_EXPRESSION_CONSTANT)
    return e->scale;
  const uint32_t left = scale_of(s, e->left), right = scale_of(s, e->right);
  return e->kind == RDX_EXPRESSION_MULTIPLY ? left + right : left > right ? left : right;
}

/* A value at scale_of() the expression; false for NULL. */
static bool value_of(const star_data *s, const rdx_expression *e, const uint64_t *rows, big *out) {
  if (e->kind == RDX_EXPRESSION_ATTRIBUTE) {
    const rdx_column *c = &s->views[e->attribute];
    if (!column_has(c, rows[e->attribute]))
      return false;
    *out = big_from(integer_at(c, rows[e->attribute]));
    return true;
  }
  *out = big_from(e->value);
  if (e->kind == RDX_EXPRESSION_CONSTANT)
    return true;
  big x, y;
  if (!value_of(s, e->left, rows, &x) || !value_of(s, e->right, rows, &y))
    return false;
  const uint32_t left = scale_of(s, e->left), right = scale_of(s, e->right), scale = left > right ? left : right;
  if (e->kind == RDX_EXPRESSION_MULTIPLY) {
    *out = big_multiply(x, y);
    return true;
  }
  x = big_multiply(x, big_from(power_of_ten(scale - left)));
  y = big_multiply(y, big_from(power_of_ten(scale - right)));
  *out = e->kind == RDX_EXPRESSION_ADD ? big_add(x, y) : big_subtract(x, y);
  return true;
}

static double float_at(const rdx_column *c, uint64_t row) {
  return c->type == RDX_TYPE_F32 ? (double)((const float *)c->values)[row] : ((const double *)c->values)[row];
}

/* ---- What must come out ---- */

typedef struct group {
  uint64_t rows[MAX_ATTRIBUTES]; /* of a member: they stand for the values of the group's attributes */
  uint64_t count;
  uint64_t values[8];
  i128 sum[8], min[8], max[8];
  wide_sum *wide[8];               /* of floats, and of what `sum` may have no room for; NULL: of none */
  uint64_t min_row[8], max_row[8]; /* of attributes that are no numbers */
} group;

typedef struct grouping {
  const star_data *s;
  const test_query *q;
  group *list;
  uint64_t count, capacity;
} grouping;

/* NULL last. */
static int compare_values(const rdx_column *c, uint64_t a, uint64_t b) {
  const bool has_a = column_has(c, a), has_b = column_has(c, b);
  if (!has_a || !has_b)
    return (int)has_b - (int)has_a;
  return column_compare(c, a, c, b);
}

static int compare_rows(const grouping *g, const uint64_t *a, const uint64_t *b) {
  for (uint32_t i = 0; i < g->q->query.group_count; i++) {
    const uint32_t k = g->q->group_by[i];
    const int order = compare_values(&g->s->views[k], a[k], b[k]);
    if (order)
      return order;
  }
  return 0;
}

/* A row that qualifies. */
typedef struct member {
  uint64_t rows[MAX_ATTRIBUTES];
} member;

static const grouping *sorted; /* what the comparison of members is for */

static int compare_members(const void *a, const void *b) {
  return compare_rows(sorted, ((const member *)a)->rows, ((const member *)b)->rows);
}

/* A new group, of which `rows` is a member. */
static group *add_group(grouping *g, const uint64_t *rows) {
  if (g->count == g->capacity) {
    g->capacity = 2 * g->capacity + 16;
    g->list = realloc(g->list, g->capacity * sizeof *g->list);
    assert_non_null(g->list);
  }
  group *added = &g->list[g->count++];
  memset(added, 0, sizeof *added);
  memcpy(added->rows, rows, sizeof added->rows);
  return added;
}

static bool is_sum(rdx_aggregate_kind kind) {
  return kind == RDX_AGGREGATE_SUM || kind == RDX_AGGREGATE_AVG;
}

static wide_sum *wide_sum_of(group *g, uint32_t i, int exponent) {
  if (!g->wide[i])
    g->wide[i] = calloc(1, sizeof *g->wide[i]);
  assert_non_null(g->wide[i]);
  g->wide[i]->exponent = exponent;
  return g->wide[i];
}

/* A value of an attribute that cannot be calculated with. */
static void add_other(const rdx_column *c, rdx_aggregate_kind kind, group *g, uint32_t i, uint64_t row) {
  if (!column_has(c, row))
    return;
  if (is_float(c->type) && is_sum(kind))
    wide_sum_add_float(wide_sum_of(g, i, -1074), float_at(c, row));
  if (g->values[i] == 0 || column_compare(c, row, c, g->min_row[i]) < 0)
    g->min_row[i] = row;
  if (g->values[i] == 0 || column_compare(c, row, c, g->max_row[i]) > 0)
    g->max_row[i] = row;
  g->values[i]++;
}

static void add_value(const star_data *s, const rdx_aggregate *a, group *g, uint32_t i, const uint64_t *rows) {
  const rdx_expression *e = a->expression;
  const rdx_column *c = e->kind == RDX_EXPRESSION_ATTRIBUTE ? &s->views[e->attribute] : NULL;
  if (c && !is_numeric(c->type) && !(c->type == RDX_TYPE_BOOL && is_sum(a->kind))) {
    add_other(c, a->kind, g, i, rows[e->attribute]);
    return;
  }
  big exact;
  if (!value_of(s, e, rows, &exact))
    return;
  const i128 x = big_near(exact), max = (i128)1 << 90;
  if (x > -max && x < max)
    g->sum[i] += x;
  else
    wide_sum_add(wide_sum_of(g, i, 0), exact);
  g->min[i] = g->values[i] == 0 || x < g->min[i] ? x : g->min[i];
  g->max[i] = g->values[i] == 0 || x > g->max[i] ? x : g->max[i];
  g->values[i]++;
}

static void collect(grouping *g) {
  const rdx_query *q = &g->q->query;
  member *members = calloc(g->s->relation.rows + 1, sizeof *members);
  uint64_t count = 0;
  assert_non_null(members);
  for (uint64_t row = 0; row < g->s->relation.rows; row++)
    count += rows_of(g->s, row, members[count].rows) &&
             (!q->where || predicate_holds(g->s->views, members[count].rows, q->where));
  sorted = g;
  qsort(members, count, sizeof *members, compare_members);
  for (uint64_t k = 0; k < count; k++) {
    if (k == 0 || compare_members(&members[k - 1], &members[k]) != 0)
      add_group(g, members[k].rows);
    group *to = &g->list[g->count - 1];
    to->count++;
    for (uint32_t i = 0; i < q->aggregate_count; i++)
      if (q->aggregates[i].expression)
        add_value(g->s, &q->aggregates[i], to, i, members[k].rows);
  }
  free(members);
}

/* ---- Columns ---- */

static test_column new_column(rdx_type type, uint8_t scale, uint64_t rows) {
  test_column c = {.view = {.type = type, .scale = scale, .rows = rows}};
  uint8_t *validity = malloc(rows / 8 + 1);
  c.view.validity = validity;
  assert_non_null(validity);
  memset(validity, 0xff, rows / 8 + 1);
  if (type == RDX_TYPE_STRING) {
    c.view.offsets = calloc(rows + 1, 8);
    c.view.values = malloc(rows * 96 + 1);
  } else {
    c.view.values = calloc(rows + 1, 8);
  }
  assert_non_null(c.view.values);
  return c;
}

static void set_null(test_column *c, uint64_t i) {
  ((uint8_t *)(uintptr_t)c->view.validity)[i / 8] &= (uint8_t) ~(1u << i % 8);
  if (c->view.type == RDX_TYPE_STRING)
    ((uint64_t *)(uintptr_t)c->view.offsets)[i + 1] = c->view.offsets[i];
}

static void copy_value(test_column *to, uint64_t i, const rdx_column *from, uint64_t row) {
  if (!column_has(from, row)) {
    set_null(to, i);
    return;
  }
  char *values = (char *)(uintptr_t)to->view.values;
  const size_t size = rdx_type_size(from->type);
  if (from->type != RDX_TYPE_STRING) {
    memcpy(values + i * size, (const char *)from->values + row * size, size);
    return;
  }
  uint64_t length;
  const char *text = rdx_column_string(from, row, &length);
  memcpy(values + to->view.offsets[i], text, length);
  ((uint64_t *)(uintptr_t)to->view.offsets)[i + 1] = to->view.offsets[i] + length;
}

static void set_number(test_column *c, uint64_t i, i128 x) {
  const uint64_t low = (uint64_t)x;
  memcpy((char *)(uintptr_t)c->view.values + i * rdx_type_size(c->view.type), &low, rdx_type_size(c->view.type));
}

static rdx_status make_sums(const grouping *g, uint32_t i, uint32_t scale, test_column *out) {
  const bool average = g->q->aggregates[i].kind == RDX_AGGREGATE_AVG;
  *out = new_column(average ? RDX_TYPE_F64
                    : scale ? RDX_TYPE_DECIMAL
                            : RDX_TYPE_I64,
                    average ? 0 : (uint8_t)scale, g->count);
  for (uint64_t k = 0; k < g->count; k++) {
    const group *from = &g->list[k];
    wide_sum all = from->wide[i] ? *from->wide[i] : (wide_sum){0};
    int64_t sum = 0;
    wide_sum_add(&all, big_from(from->sum[i]));
    if (from->values[i] == 0)
      set_null(out, k);
    else if (average)
      ((double *)(uintptr_t)out->view.values)[k] = wide_sum_quotient(&all, from->values[i] * power_of_ten(scale));
    else if (!wide_sum_fits(&all, &sum))
      return RDX_ERROR_OVERFLOW;
    else
      set_number(out, k, sum);
  }
  return RDX_OK;
}

static rdx_status make_float_sums(const grouping *g, uint32_t i, test_column *out) {
  const bool average = g->q->aggregates[i].kind == RDX_AGGREGATE_AVG;
  rdx_status status = RDX_OK;
  *out = new_column(RDX_TYPE_F64, 0, g->count);
  for (uint64_t k = 0; k < g->count; k++) {
    const wide_sum *from = g->list[k].wide[i];
    if (!from) {
      set_null(out, k);
      continue;
    }
    const double x = wide_sum_quotient(from, average ? g->list[k].values[i] : 1);
    ((double *)(uintptr_t)out->view.values)[k] = x;
    if (isinf(x) && !from->up && !from->down)
      status = RDX_ERROR_OVERFLOW;
  }
  return status;
}

/* The least of numbers that are calculated, or the largest, which need not fit. */
static rdx_status set_extreme(test_column *out, uint64_t k, i128 x) {
  if (x > INT64_MAX && out->view.type != RDX_TYPE_U64)
    return RDX_ERROR_OVERFLOW;
  set_number(out, k, x);
  return x < INT64_MIN ? RDX_ERROR_OVERFLOW : RDX_OK;
}

static rdx_status make_aggregate_column(const grouping *g, uint32_t i, test_column *out) {
  const rdx_aggregate *a = &g->q->aggregates[i];
  if (a->kind == RDX_AGGREGATE_COUNT) {
    *out = new_column(RDX_TYPE_U64, 0, g->count);
    for (uint64_t k = 0; k < g->count; k++)
      set_number(out, k, a->expression ? g->list[k].values[i] : g->list[k].count);
    return RDX_OK;
  }
  const bool plain = a->expression->kind == RDX_EXPRESSION_ATTRIBUTE, max = a->kind == RDX_AGGREGATE_MAX;
  const rdx_column *c = plain ? &g->s->views[a->expression->attribute] : NULL;
  const uint32_t scale = !plain || is_numeric(c->type) ? scale_of(g->s, a->expression) : 0;
  rdx_status status = RDX_OK;
  if (is_sum(a->kind))
    return plain && is_float(c->type) ? make_float_sums(g, i, out) : make_sums(g, i, scale, out);
  *out = new_column(plain ? c->type : scale ? RDX_TYPE_DECIMAL : RDX_TYPE_I64, (uint8_t)scale, g->count);
  for (uint64_t k = 0; k < g->count; k++) {
    const group *from = &g->list[k];
    if (from->values[i] == 0)
      set_null(out, k);
    else if (plain && !is_numeric(c->type))
      copy_value(out, k, c, max ? from->max_row[i] : from->min_row[i]);
    else if (set_extreme(out, k, max ? from->max[i] : from->min[i]) != RDX_OK)
      status = RDX_ERROR_OVERFLOW;
  }
  return status;
}

static rdx_status make_columns(const grouping *g, expected *out) {
  const rdx_query *q = &g->q->query;
  rdx_status status = RDX_OK;
  out->count = q->group_count + q->aggregate_count;
  out->rows = g->count;
  for (uint32_t i = 0; i < q->group_count; i++) {
    const rdx_column *c = &g->s->views[q->group_by[i]];
    out->columns[i] = new_column(c->type, c->scale, g->count);
    for (uint64_t k = 0; k < g->count; k++)
      copy_value(&out->columns[i], k, c, g->list[k].rows[q->group_by[i]]);
  }
  for (uint32_t i = 0; i < q->aggregate_count; i++) {
    const rdx_status made = make_aggregate_column(g, i, &out->columns[q->group_count + i]);
    status = made != RDX_OK ? made : status;
  }
  return status;
}

/* ---- HAVING, ORDER BY, LIMIT ---- */

static struct {
  const test_query *q;
  const expected *e;
} ordered; /* what the comparison of rows is for */

static int compare_order(const void *x, const void *y) {
  const uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
  for (uint32_t i = 0; i < ordered.q->query.order_count; i++) {
    const rdx_order *o = &ordered.q->order_by[i];
    const rdx_column *c = &ordered.e->columns[o->column].view;
    const bool has_a = column_has(c, a), has_b = column_has(c, b);
    if (has_a != has_b)
      return has_a == o->nulls_first ? 1 : -1;
    const int order = has_a ? column_compare(c, a, c, b) : 0;
    if (order)
      return o->descending ? -order : order;
  }
  return (a > b) - (a < b);
}

static void choose_rows(const test_query *q, expected *e) {
  uint64_t *rows = calloc(e->rows + 1, 8), count = 0, each[16];
  rdx_column views[16];
  assert_non_null(rows);
  for (uint32_t i = 0; i < e->count; i++)
    views[i] = e->columns[i].view;
  for (uint64_t row = 0; row < e->rows; row++) {
    for (uint32_t i = 0; i < e->count; i++)
      each[i] = row;
    rows[count] = row;
    count += !q->query.having || predicate_holds(views, each, q->query.having);
  }
  ordered.q = q;
  ordered.e = e;
  qsort(rows, count, sizeof *rows, compare_order);
  const uint64_t begin = !q->query.limited ? 0 : q->query.offset < count ? q->query.offset : count;
  const uint64_t rest = count - begin, n = q->query.limited && q->query.limit < rest ? q->query.limit : rest;
  for (uint32_t i = 0; i < e->count; i++) {
    test_column taken = new_column(views[i].type, views[i].scale, n);
    for (uint64_t k = 0; k < n; k++)
      copy_value(&taken, k, &views[i], rows[begin + k]);
    column_free(&e->columns[i]);
    e->columns[i] = taken;
  }
  e->rows = n;
  free(rows);
}

void query_expect(const star_data *s, test_query *q, bool having, expected *out) {
  grouping g = {.s = s, .q = q};
  memset(out, 0, sizeof *out);
  collect(&g);
  out->groups = g.count;
  if (g.count == 0 && q->query.group_count == 0) {
    static const uint64_t nothing[MAX_ATTRIBUTES];
    add_group(&g, nothing);
  }
  out->status = make_columns(&g, out);
  for (uint64_t k = 0; k < g.count; k++)
    for (uint32_t i = 0; i < COUNT(g.list[k].wide); i++)
      free(g.list[k].wide[i]);
  free(g.list);
  if (out->status != RDX_OK)
    return;
  if (having && test_random() % 3 == 0) {
    rdx_column views[16];
    for (uint32_t i = 0; i < out->count; i++)
      views[i] = out->columns[i].view;
    tree_make(views, out->count, &q->having);
    q->query.having = q->having.nodes;
  }
  choose_rows(q, out);
}

void expected_free(expected *e) {
  for (uint32_t i = 0; i < e->count; i++)
    column_free(&e->columns[i]);
}

/* ---- Running ---- */

rdx_status query_run(rdx_star *star, const rdx_query *q, rdx_query_result **out, rdx_error *err) {
  const rdx_status status = rdx_star_prepare(star, q, 1, err);
  return status == RDX_OK ? rdx_star_run(star, q, NULL, out, err) : status;
}

uint64_t query_count_rows(rdx_star *star, const rdx_predicate *where) {
  const rdx_aggregate count = {0};
  const rdx_query q = {.where = where, .aggregates = &count, .aggregate_count = 1};
  rdx_query_result *result = NULL;
  OK(query_run(star, &q, &result, err));
  const uint64_t rows = ((const uint64_t *)test_view(result).columns[0].values)[0];
  rdx_query_result_destroy(&result);
  return rows;
}

/* ---- Checking ---- */

/* Whether groups may be too many to be numbered: as many as values of all attributes, which each row may add to. */
static bool may_have_many_groups(const star_data *s, const test_query *q) {
  double bits = 0;
  for (uint32_t i = 0; i < q->query.group_count; i++)
    bits += log2((double)s->views[q->group_by[i]].rows + 2);
  return bits >= 63;
}

/* Whether a cube may refuse tuples, which take 64 bits at most: by as many attributes as there are. */
static bool may_be_wide(const rdx_star *star, const star_data *s) {
  rdx_star_stats stats;
  double bits = 0;
  rdx_star_get_stats(star, &stats);
  for (uint32_t i = 0; i < s->relation.attribute_count; i++)
    bits += 1 + log2((double)s->views[i].rows + 2);
  return stats.method != RDX_STAR_COLUMN_ENGINE && bits >= 64;
}

static bool same_value(const rdx_column *a, const rdx_column *b, uint64_t i) {
  if (column_has(a, i) != column_has(b, i))
    return false;
  return !column_has(a, i) || column_compare(a, i, b, i) == 0;
}

static void show_query(const star_data *s, const test_query *q) {
  for (uint32_t i = 0; i < s->relation.attribute_count; i++)
    printf("attribute %u: %s of table %u, %llu rows\n", i, rdx_type_name(s->views[i].type), s->attributes[i].dimension,
           (unsigned long long)s->views[i].rows);
  for (uint32_t i = 0; i < q->query.group_count; i++)
    printf("group by %u\n", q->group_by[i]);
  for (uint32_t i = 0; i < q->query.aggregate_count; i++) {
    const rdx_expression *e = q->aggregates[i].expression;
    printf("aggregate %d of expression kind %d attribute %u\n", (int)q->aggregates[i].kind, e ? (int)e->kind : -1,
           e ? e->attribute : 0);
  }
  if (q->query.where)
    predicate_print(q->query.where, 1);
  if (q->query.having) {
    printf("having\n");
    predicate_print(q->query.having, 1);
  }
}

static void check_columns(const rdx_query_result *result, const star_data *s, const test_query *q, const expected *e) {
  for (uint32_t i = 0; i < e->count; i++) {
    const rdx_column *got = &test_view(result).columns[i], *want = &e->columns[i].view;
    assert_non_null(got);
    if (got->type != want->type || got->scale != want->scale || got->rows != want->rows) {
      show_query(s, q);
      fail_msg("column %u: %s scale %u with %llu rows instead of %s scale %u with %llu", i, rdx_type_name(got->type),
               got->scale, (unsigned long long)got->rows, rdx_type_name(want->type), want->scale,
               (unsigned long long)want->rows);
    }
    for (uint64_t k = 0; k < want->rows; k++) {
      if (same_value(got, want, k))
        continue;
      show_query(s, q);
      fail_msg("column %u (%s), row %llu of %llu: another value", i, rdx_type_name(want->type), (unsigned long long)k,
               (unsigned long long)want->rows);
    }
  }
}

void query_check(const rdx_star *star, const star_data *s, const test_query *q, const expected *e) {
  const rdx_query_params params = {.stats = test_random() % 4 == 0};
  rdx_query_result *result = NULL;
  rdx_query_stats stats;
  rdx_error err = {""};
  const rdx_status status = rdx_star_run(star, &q->query, &params, &result, &err);
  if (status == RDX_ERROR_UNSUPPORTED &&
      (may_have_many_groups(s, q) || may_be_wide(star, s) || strstr(err.text, "64-bit atomics"))) {
    assert_true(strlen(err.text) > 0);
    assert_null(result);
    return;
  }
  if (status != e->status) {
    show_query(s, q);
    fail_msg("'%s' (%s) instead of '%s'", rdx_status_name(status), err.text, rdx_status_name(e->status));
  }
  if (status != RDX_OK)
    return;
  assert_int_equal(test_view(result).column_count, e->count);
  if (test_view(result).rows != e->rows) {
    show_query(s, q);
    fail_msg("%llu rows instead of %llu", (unsigned long long)test_view(result).rows, (unsigned long long)e->rows);
  }
  rdx_query_result_get_stats(result, &stats);
  assert_int_equal(stats.groups, e->groups);
  assert_true(stats.scene_bytes == 0 || stats.rays > 0);
  assert_true(stats.scene_bytes > 0 || stats.method != RDX_STAR_COARSE_CUBE || stats.hits == 0);
  check_columns(result, s, q, e);
  rdx_query_result_destroy(&result);
  assert_null(result);
}
