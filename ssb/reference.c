/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Answers by looking at every row of lineorder, written without regard for speed or for how methods work. */

#include "common/common.h"
#include "ssb/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  MAX_DIMENSIONS = 8,
  MAX_GROUPS = 3,
  MAX_LEAVES = 8,
  MAX_THREADS = 16,
  SLOTS = 1 << 21,
  MAX_CODES = 1 << 16, /* of a group's attribute */
  MAX_KEYS = 1 << 28,  /* from a dimension's smallest to its largest; 1 GiB */
};

/* The row of a dimension for each of its keys, from the smallest key on. */
typedef struct row_map {
  int64_t min;
  uint64_t size;
  uint32_t *row; /* UINT32_MAX: none */
  bool *passes;  /* for each row */
} row_map;

typedef struct reference {
  const rdx_relation *relation;
  const rdx_query *query;
  row_map maps[MAX_DIMENSIONS];
  const rdx_predicate *leaves[MAX_LEAVES]; /* over lineorder's own columns */
  uint32_t leaf_count;
} reference;

/* A hash table of groups: their codes and sums. */
typedef struct group_table {
  uint64_t rows; /* that were added */
  struct {
    uint64_t group; /* plus one; 0: free */
    int64_t sum;
  } * slots;
  bool full;
} group_table;

static int64_t number_at(const rdx_column *c, uint64_t row) {
  switch (c->type) {
  case RDX_TYPE_I8:
    return ((const int8_t *)c->values)[row];
  case RDX_TYPE_I16:
    return ((const int16_t *)c->values)[row];
  case RDX_TYPE_U8:
    return ((const uint8_t *)c->values)[row];
  case RDX_TYPE_U16:
    return ((const uint16_t *)c->values)[row];
  case RDX_TYPE_I32:
    return ((const int32_t *)c->values)[row];
  case RDX_TYPE_I64:
    return ((const int64_t *)c->values)[row];
  default: /* u32; strings: their place in the dictionary */
    return ((const uint32_t *)c->values)[row];
  }
}

static int compare_strings(const rdx_column *a, uint64_t i, const rdx_column *b, uint64_t j) {
  const uint64_t n = a->offsets[i + 1] - a->offsets[i], m = b->offsets[j + 1] - b->offsets[j];
  const int order =
      memcmp((const char *)a->values + a->offsets[i], (const char *)b->values + b->offsets[j], n < m ? n : m);
  return order != 0 ? order : (n > m) - (n < m);
}

/* How a row compares with literal `i` of a predicate. */
static int compare(const rdx_column *c, uint64_t row, const rdx_column *literals, uint64_t i) {
  if (c->type == RDX_TYPE_STRING)
    return compare_strings(c->dictionary, ((const uint32_t *)c->values)[row], literals, i);
  const int64_t a = number_at(c, row), b = number_at(literals, i);
  return (a > b) - (a < b);
}

static bool holds(const rdx_predicate *p, const rdx_column *c, uint64_t row) {
  const int order = compare(c, row, &p->values, 0);
  switch (p->kind) {
  case RDX_PREDICATE_EQ:
    return order == 0;
  case RDX_PREDICATE_LT:
    return order < 0;
  case RDX_PREDICATE_LE:
    return order <= 0;
  case RDX_PREDICATE_GT:
    return order > 0;
  case RDX_PREDICATE_GE:
    return order >= 0;
  case RDX_PREDICATE_BETWEEN:
    return order >= 0 && compare(c, row, &p->values, 1) <= 0;
  default: /* IN */
    for (uint64_t i = 0; i < p->values.rows; i++)
      if (compare(c, row, &p->values, i) == 0)
        return true;
    return false;
  }
}

static rdx_status out_of_memory(rdx_error *err) {
  return console_error(err, RDX_ERROR_MEMORY, "there is no memory to check answers");
}

static rdx_status cannot_check(const char *name, const char *why, rdx_error *err) {
  return console_error(err, RDX_ERROR_UNSUPPORTED, "cannot check answers: %s %s", name, why);
}

/* number_at() must be right for all of a column's rows. */
static rdx_status check_column(const char *name, const rdx_column *c, bool strings, rdx_error *err) {
  char why[100];
  const bool number =
      (c->type >= RDX_TYPE_I8 && c->type <= RDX_TYPE_I64) || (c->type >= RDX_TYPE_U8 && c->type < RDX_TYPE_U64);
  if (c->validity)
    return cannot_check(name, "has NULLs", err);
  if (number || (strings && c->type == RDX_TYPE_STRING && c->dictionary))
    return RDX_OK;
  snprintf(why, sizeof why, "has type %s", rdx_type_name(c->type));
  return cannot_check(name, why, err);
}

/* A group has 16 bits for each attribute. */
static rdx_status check_group(const rdx_attribute *a, rdx_error *err) {
  const rdx_column *c = &a->column;
  bool fits = c->type != RDX_TYPE_STRING || c->dictionary->rows <= MAX_CODES;
  for (uint64_t i = 0; i < c->rows && fits && c->type != RDX_TYPE_STRING; i++)
    fits = number_at(c, i) >= 0 && number_at(c, i) < MAX_CODES;
  return fits ? RDX_OK : cannot_check(a->name, "has values to group by that do not fit 16 bits", err);
}

static rdx_status check_tables(const reference *r, rdx_error *err) {
  rdx_status status = RDX_OK;
  for (uint32_t d = 0; d < r->relation->dimension_count && status == RDX_OK; d++) {
    status = check_column("the key of a dimension", &r->relation->dimensions[d].key, false, err);
    if (status == RDX_OK)
      status = check_column("a foreign key of lineorder", &r->relation->dimensions[d].foreign_key, false, err);
  }
  for (uint32_t i = 0; i < r->relation->attribute_count && status == RDX_OK; i++)
    status = check_column(r->relation->attributes[i].name, &r->relation->attributes[i].column, true, err);
  for (uint32_t g = 0; g < r->query->group_count && status == RDX_OK; g++)
    status = check_group(&r->relation->attributes[r->query->group_by[g]], err);
  return status;
}

static rdx_status map_rows(const rdx_column *key, row_map *map, rdx_error *err) {
  int64_t max = 0;
  for (uint64_t i = 0; i < key->rows; i++) {
    const int64_t k = number_at(key, i);
    map->min = i == 0 || k < map->min ? k : map->min;
    max = i == 0 || k > max ? k : max;
  }
  const uint64_t span = (uint64_t)max - (uint64_t)map->min; /* where an int64_t would overflow, too */
  if (span >= MAX_KEYS)
    return cannot_check("the key of a dimension", "has values too far apart", err);
  map->size = key->rows > 0 ? span + 1 : 0;
  map->row = malloc(map->size * sizeof *map->row + 1);
  map->passes = malloc(key->rows + 1);
  if (!map->row || !map->passes)
    return out_of_memory(err);
  memset(map->row, 0xff, map->size * sizeof *map->row);
  memset(map->passes, true, key->rows);
  for (uint64_t i = 0; i < key->rows; i++)
    map->row[number_at(key, i) - map->min] = (uint32_t)i;
  return RDX_OK;
}

/* The conditions of a conjunction: on a dimension, which of its rows pass; else kept for each row. */
static void take_leaves(reference *r, const rdx_predicate *p) {
  for (uint32_t i = 0; p->kind == RDX_PREDICATE_AND && i < p->child_count; i++)
    take_leaves(r, &p->children[i]);
  if (p->kind == RDX_PREDICATE_AND)
    return;
  const rdx_attribute *attribute = &r->relation->attributes[p->column];
  if (attribute->dimension == 0)
    r->leaves[r->leaf_count++] = p;
  else
    for (uint64_t row = 0; row < attribute->column.rows; row++)
      r->maps[attribute->dimension - 1].passes[row] &= holds(p, &attribute->column, row);
}

static rdx_status prepare(reference *r, rdx_error *err) {
  rdx_status status = check_tables(r, err);
  for (uint32_t d = 0; d < r->relation->dimension_count && status == RDX_OK; d++)
    status = map_rows(&r->relation->dimensions[d].key, &r->maps[d], err);
  if (status == RDX_OK)
    take_leaves(r, r->query->where);
  return status;
}

static void add(group_table *t, uint64_t group, int64_t value) {
  uint64_t at = group * 0x9e3779b97f4a7c15u >> 43;
  for (uint32_t tries = 0; tries < SLOTS; tries++, at = (at + 1) % SLOTS) {
    if (t->slots[at].group == 0)
      t->slots[at].group = group + 1;
    if (t->slots[at].group == group + 1) {
      t->slots[at].sum += value;
      return;
    }
  }
  t->full = true;
}

static int64_t value_of(const reference *r, const rdx_expression *e, uint64_t row) {
  switch (e->kind) {
  case RDX_EXPRESSION_MULTIPLY:
    return value_of(r, e->left, row) * value_of(r, e->right, row);
  case RDX_EXPRESSION_SUBTRACT:
    return value_of(r, e->left, row) - value_of(r, e->right, row);
  default:
    return number_at(&r->relation->attributes[e->attribute].column, row);
  }
}

static void look_at(const reference *r, uint64_t row, group_table *t) {
  uint32_t partner[MAX_DIMENSIONS];
  for (uint32_t i = 0; i < r->leaf_count; i++)
    if (!holds(r->leaves[i], &r->relation->attributes[r->leaves[i]->column].column, row))
      return;
  for (uint32_t d = 0; d < r->relation->dimension_count; d++) {
    const row_map *map = &r->maps[d];
    const uint64_t key = (uint64_t)number_at(&r->relation->dimensions[d].foreign_key, row) - (uint64_t)map->min;
    partner[d] = key < map->size ? map->row[key] : UINT32_MAX;
    if (partner[d] == UINT32_MAX || !map->passes[partner[d]])
      return;
  }
  uint64_t group = 0;
  for (uint32_t g = 0; g < r->query->group_count; g++) {
    const rdx_attribute *attribute = &r->relation->attributes[r->query->group_by[g]];
    group = group << 16 | (uint64_t)number_at(&attribute->column, partner[attribute->dimension - 1]);
  }
  t->rows++;
  add(t, group, value_of(r, r->query->aggregates[0].expression, row));
}

typedef struct shares {
  const reference *reference;
  uint32_t count;
  group_table tables[CONSOLE_MAX_THREADS];
} shares;

static void look_at_share(void *context, uint32_t thread) {
  shares *s = context;
  const uint64_t rows = s->reference->relation->rows;
  for (uint64_t row = rows * thread / s->count; row < rows * (thread + 1) / s->count; row++)
    look_at(s->reference, row, &s->tables[thread]);
}

/* All rows, by all cores; the sums end up in the first table. */
static rdx_status look_at_all(shares *s, rdx_error *err) {
  for (uint32_t i = 0; i < s->count; i++) {
    s->tables[i].slots = calloc(SLOTS, sizeof *s->tables[i].slots);
    if (!s->tables[i].slots)
      return out_of_memory(err);
  }
  console_threads(s->count, look_at_share, s);
  group_table *sums = &s->tables[0];
  for (uint32_t i = 1; i < s->count; i++) {
    for (uint32_t at = 0; at < SLOTS; at++)
      if (s->tables[i].slots[at].group > 0)
        add(sums, s->tables[i].slots[at].group - 1, s->tables[i].slots[at].sum);
    sums->full |= s->tables[i].full;
    sums->rows += s->tables[i].rows;
  }
  if (!sums->full)
    return RDX_OK;
  return console_error(err, RDX_ERROR_UNSUPPORTED, "the check holds at most %d groups", SLOTS);
}

/* By the groups; or by the last of them, the year, and the largest sums, then the groups. */
static int by_groups(const void *a, const void *b) {
  const ssb_row *x = a, *y = b;
  return (x->group > y->group) - (x->group < y->group);
}

static int by_year_and_sum(const void *a, const void *b) {
  const ssb_row *x = a, *y = b;
  const uint64_t x_year = x->group & 0xffff, y_year = y->group & 0xffff;
  if (x_year != y_year)
    return x_year < y_year ? -1 : 1;
  return x->sum != y->sum ? (x->sum > y->sum ? -1 : 1) : by_groups(a, b);
}

static bool same_row(const reference *r, const rdx_query_view *result, uint64_t row, const ssb_row *expected) {
  const uint32_t groups = r->query->group_count;
  for (uint32_t g = 0; g < groups; g++) {
    const rdx_column *got = &result->columns[g];
    const rdx_column *column = &r->relation->attributes[r->query->group_by[g]].column;
    const uint64_t code = expected->group >> 16 * (groups - 1 - g) & 0xffff;
    if (got->type == RDX_TYPE_STRING) {
      const bool placed = got->dictionary != NULL;
      const rdx_column *text = placed ? got->dictionary : got;
      if (compare_strings(text, placed ? ((const uint32_t *)got->values)[row] : row, column->dictionary, code) != 0)
        return false;
    } else if (number_at(got, row) != (int64_t)code) {
      return false;
    }
  }
  return number_at(&result->columns[groups], row) == expected->sum;
}

/* The rows of a result, in their order. */
static rdx_status list_rows(const group_table *t, bool by_year, ssb_answer *out, rdx_error *err) {
  uint64_t count = 0;
  for (uint32_t at = 0; at < SLOTS; at++)
    count += t->slots[at].group > 0;
  ssb_row *rows = malloc(count * sizeof *rows + 1);
  if (!rows)
    return out_of_memory(err);
  count = 0;
  for (uint32_t at = 0; at < SLOTS; at++)
    if (t->slots[at].group > 0)
      rows[count++] = (ssb_row){t->slots[at].group - 1, t->slots[at].sum};
  qsort(rows, count, sizeof *rows, by_year ? by_year_and_sum : by_groups);
  *out = (ssb_answer){.rows = rows, .count = count, .selected = t->rows};
  return RDX_OK;
}

static rdx_status find_answer(const reference *r, bool by_year, ssb_answer *out, rdx_error *err) {
  shares *s = calloc(1, sizeof *s);
  if (!s)
    return out_of_memory(err);
  s->reference = r;
  s->count = console_cores() < MAX_THREADS ? console_cores() : MAX_THREADS;
  rdx_status status = look_at_all(s, err);
  if (status == RDX_OK)
    status = list_rows(&s->tables[0], by_year, out, err);
  for (uint32_t i = 0; i < s->count; i++)
    free(s->tables[i].slots);
  free(s);
  return status;
}

/* A row as text, groups first: of the result, or what was expected. */
typedef struct row_text {
  char text[160];
} row_text;

static void add_text(row_text *out, const char *text, uint64_t length) {
  const size_t used = strlen(out->text);
  snprintf(out->text + used, sizeof out->text - used, "%s%.*s", used ? "," : "", (int)length, text);
}

static void add_number(row_text *out, int64_t number) {
  char digits[24];
  add_text(out, digits, (uint64_t)snprintf(digits, sizeof digits, "%lld", (long long)number));
}

static void add_value(row_text *out, const rdx_column *c, uint64_t row) {
  uint64_t length = 0;
  if (c->type != RDX_TYPE_STRING) {
    add_number(out, number_at(c, row));
    return;
  }
  const char *text = rdx_column_string(c, row, &length);
  add_text(out, text, length);
}

static row_text came(const rdx_query_view *result, uint64_t row) {
  row_text out = {""};
  for (uint32_t c = 0; c < result->column_count; c++)
    add_value(&out, &result->columns[c], row);
  return out;
}

static row_text wanted(const reference *r, const ssb_row *expected) {
  const uint32_t groups = r->query->group_count;
  row_text out = {""};
  for (uint32_t g = 0; g < groups; g++) {
    const rdx_column *column = &r->relation->attributes[r->query->group_by[g]].column;
    const uint64_t code = expected->group >> 16 * (groups - 1 - g) & 0xffff;
    if (column->type == RDX_TYPE_STRING)
      add_value(&out, column->dictionary, code);
    else
      add_number(&out, (int64_t)code);
  }
  add_number(&out, expected->sum);
  return out;
}

static void compare_rows(const reference *r, const rdx_query_view *result, const ssb_answer *answer,
                         ssb_difference *out) {
  const uint64_t rows = result->rows;
  const bool no_sum = r->query->group_count == 0 && answer->count == 0; /* then it is NULL, in one row */
  out->text[0] = '\0';
  if (rows != (no_sum ? 1 : answer->count)) {
    snprintf(out->text, sizeof out->text, "%llu rows instead of %llu", (unsigned long long)rows,
             (unsigned long long)(no_sum ? 1 : answer->count));
    return;
  }
  if (no_sum) {
    const uint8_t *validity = result->columns[0].validity;
    if (!validity || (validity[0] & 1))
      snprintf(out->text, sizeof out->text, "%s instead of NULL", came(result, 0).text);
    return;
  }
  for (uint64_t i = 0; i < answer->count; i++) {
    if (same_row(r, result, i, &answer->rows[i]))
      continue;
    snprintf(out->text, sizeof out->text, "row %llu is %s instead of %s", (unsigned long long)i, came(result, i).text,
             wanted(r, &answer->rows[i]).text);
    return;
  }
}

static rdx_status answer(ssb_star *star, uint32_t query, reference *r, rdx_error *err) {
  ssb_answer *a = ssb_star_answer(star, query);
  if (a->rows)
    return RDX_OK;
  rdx_status status = prepare(r, err);
  if (status == RDX_OK)
    status = find_answer(r, ssb_queries[query].by_year_and_sum, a, err);
  for (uint32_t d = 0; d < MAX_DIMENSIONS; d++) {
    free(r->maps[d].row);
    free(r->maps[d].passes);
  }
  return status;
}

rdx_status ssb_star_check(ssb_star *star, uint32_t query, const rdx_query_result *result, ssb_difference *difference,
                          rdx_error *err) {
  reference r = {.relation = ssb_star_relation(star), .query = ssb_star_query(star, query)};
  rdx_query_view view;
  rdx_status status = answer(star, query, &r, err);
  if (status == RDX_OK)
    status = rdx_query_result_view(result, &view, err);
  if (status == RDX_OK)
    compare_rows(&r, &view, ssb_star_answer(star, query), difference);
  return status;
}

rdx_status ssb_star_count(ssb_star *star, uint32_t query, uint64_t *selected, uint64_t *rows, rdx_error *err) {
  reference r = {.relation = ssb_star_relation(star), .query = ssb_star_query(star, query)};
  const rdx_status status = answer(star, query, &r, err);
  *selected = ssb_star_answer(star, query)->selected;
  *rows = r.query->group_count == 0 ? 1 : ssb_star_answer(star, query)->count;
  return status;
}
