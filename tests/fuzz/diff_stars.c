/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors
 *
 * Star queries, by every method. */

#include "diff_stars.h"

#include <inttypes.h>

static const char *const names[MAX_ATTRIBUTES] = {"#0", "#1", "#2", "#3", "#4", "#5", "#6", "#7", "#8"};

/* ---- Stars ---- */

/* The values that may be keys of a dimension. */
static pool key_pool(uint64_t count) {
  static const rdx_type types[] = {RDX_TYPE_I32, RDX_TYPE_U16,    RDX_TYPE_I64,
                                   RDX_TYPE_U64, RDX_TYPE_STRING, RDX_TYPE_DATE};
  const rdx_type type = types[below(6)];
  return pool_make(type, count, chance(50));
}

/* Keys that are distinct: those of the pool, without what repeats. */
static rdx_column distinct_keys(const pool *p) {
  const rdx_column all = column_make(p->type, p->scale, p->cells, p->count);
  cell *cells = take(p->count * sizeof *cells);
  uint64_t count = 0;
  for (uint64_t i = 0; i < p->count; i++) {
    bool repeats = false;
    for (uint64_t j = 0; j < i && !repeats; j++)
      repeats = compare_rows(&all, i, &all, j) == 0;
    if (!repeats)
      cells[count++] = p->cells[i];
  }
  return column_make(p->type, p->scale, cells, count);
}

/* The row of the dimension that each row of the fact table has, UINT64_MAX for none. */
static uint64_t *make_dimension(star_data *s, uint32_t d) {
  const uint64_t rows = s->relation.rows;
  pool p = key_pool(magnitude(80));
  const rdx_column key = distinct_keys(&p);
  const rdx_column foreign =
      chance(70) ? pool_column(&p, rows, chance(80) ? 0 : 20) : pool_probes(&p, rows, chance(80) ? 0 : 20);
  uint64_t *partners = take(rows * sizeof *partners);
  for (uint64_t i = 0; i < rows; i++) {
    partners[i] = UINT64_MAX;
    for (uint64_t j = 0; j < key.rows && !is_null(&foreign, i) && partners[i] == UINT64_MAX; j++)
      if (compare_rows(&foreign, i, &key, j) == 0)
        partners[i] = j;
  }
  s->dimensions[d].key = maybe_upload(&key);
  s->dimensions[d].foreign_key = maybe_upload(&foreign);
  watch("key", &key);
  watch("foreign key", &foreign);
  return partners;
}

static void join_rows(star_data *s, uint64_t **partners) {
  s->rows = take(s->relation.rows * sizeof *s->rows);
  for (uint64_t i = 0; i < s->relation.rows; i++) {
    bool all = true;
    for (uint32_t d = 0; d < s->relation.dimension_count; d++)
      all &= partners[d][i] != UINT64_MAX;
    if (!all)
      continue;
    for (uint32_t a = 0; a < s->relation.attribute_count; a++) {
      const uint32_t table = s->attributes[a].dimension;
      s->rows[s->count][a] = table ? partners[table - 1][i] : i;
    }
    s->count++;
  }
}

static void star_make(star_data *s) {
  uint64_t *partners[MAX_DIMENSIONS];
  *s = (star_data){0};
  s->relation.rows = random_rows(diff_slow ? 300 : 1500, diff_slow ? 0 : 60000);
  s->relation.attribute_count = 1 + (uint32_t)below(MAX_ATTRIBUTES);
  s->relation.attributes = s->attributes;
  s->relation.dimensions = s->dimensions;
  const bool large = s->relation.rows > 10000;
  s->relation.dimension_count = chance(40) || large ? 0 : 1 + (uint32_t)below(MAX_DIMENSIONS);
  for (uint32_t d = 0; d < s->relation.dimension_count; d++)
    partners[d] = make_dimension(s, d);
  for (uint32_t a = 0; a < s->relation.attribute_count; a++) {
    const uint32_t table = chance(40) ? 0 : (uint32_t)below(s->relation.dimension_count + 1);
    const rdx_type type = random_type(chance(50) ? TYPES_ALL : TYPES_WHOLE);
    const uint64_t distinct = 1 + magnitude(chance(90) ? 40 : s->relation.rows + 1);
    s->pools[a] = pool_make(type, distinct, chance(70));
    const uint64_t rows = table ? s->dimensions[table - 1].key.rows : s->relation.rows;
    s->columns[a] = pool_column(&s->pools[a], rows, random_nulls());
    s->attributes[a] = (rdx_attribute){names[a], maybe_upload(&s->columns[a]), table};
    watch(names[a], &s->columns[a]);
    note("%s of table %u, ", names[a], table);
  }
  note("%" PRIu64 " rows\n", s->relation.rows);
  join_rows(s, partners);
}

/* ---- Engines ---- */

static rdx_star_params random_params(void) {
  rdx_star_params p = {.method = (rdx_star_method)below(RDX_STAR_METHODS)};
  if (p.method == RDX_STAR_RT_CUBE && chance(70)) {
    const bool published = chance(60);
    p.rt_cube.mapping = published ? RDX_RT_CUBE_PUBLISHED : RDX_RT_CUBE_RANK;
    p.rt_cube.operators = (rdx_rt_cube_operators)below(RDX_RT_CUBE_SEPARATE_SCAN + 1);
    if (!published && p.rt_cube.operators == RDX_RT_CUBE_SPLIT_GROUP)
      p.rt_cube.operators = RDX_RT_CUBE_ENCODE;
    p.rt_cube.order = (rdx_rt_cube_order)(published && chance(30));
    p.rt_cube.rows = (rdx_rt_cube_rows)(published && chance(30));
    p.rt_cube.unit_z = published && chance(50) ? 1u << below(31) : 0;
    p.rt_cube.leg_x = chance(50) ? 0 : 2 + (double)magnitude(4194302);
    p.rt_cube.leg_y = chance(50) ? 0 : 2 + (double)magnitude(262142);
    p.rt_cube.sub_accumulators = (uint32_t)(chance(50) ? 0 : 1 + magnitude(256));
    p.rt_cube.build = (rdx_build_preference)below(RDX_BUILD_LOW_MEMORY + 1);
    if (published && p.rt_cube.leg_x == 0 && p.rt_cube.leg_y == 0 && chance(50))
      p.rt_cube.grid = (uint32_t)(1 + magnitude(1000));
  }
  if (p.method == RDX_STAR_COARSE_CUBE && chance(70)) {
    p.coarse_cube.block_rows = (uint32_t)(chance(30) ? 0 : 1 + magnitude(300));
    p.coarse_cube.build = (rdx_build_preference)below(RDX_BUILD_LOW_MEMORY + 1);
  }
  return p;
}

static void destroy_star(void *object) {
  rdx_star *star = object;
  rdx_star_destroy(&star);
}

static void destroy_result(void *object) {
  rdx_query_result *result = object;
  rdx_query_result_destroy(&result);
}

static void used_by(const rdx_predicate *p, bool *used) {
  if (p->kind >= RDX_PREDICATE_EQ)
    used[p->column] = true;
  for (uint32_t i = 0; p->kind < RDX_PREDICATE_EQ && i < p->child_count; i++)
    used_by(&p->children[i], used);
}

/* A cube that has what a query needs, and more now and then; *all is cleared where that does not fit one. */
static rdx_status add_cube(rdx_star *star, const star_data *s, const query *q, bool *all, rdx_error *err) {
  bool used[MAX_ATTRIBUTES] = {false};
  uint32_t scan[MAX_ATTRIBUTES], groups[MAX_GROUPS + 1];
  const rdx_expression *expressions[MAX_AGGREGATES];
  bool summed[MAX_AGGREGATES];
  rdx_cube_spec spec = {.scan = scan, .group_by = groups, .expressions = expressions, .summed = summed};
  if (q->query.where)
    used_by(q->query.where, used);
  const uint32_t extra = (uint32_t)below(s->relation.attribute_count);
  if (chance(30))
    used[extra] = true;
  for (uint32_t a = 0; a < s->relation.attribute_count; a++)
    if (used[a] && spec.scan_count < 8)
      scan[spec.scan_count++] = a;
    else if (used[a])
      *all = false;
  for (uint32_t i = 0; i < q->query.group_count; i++)
    groups[spec.group_count++] = q->group_by[i];
  for (uint32_t i = 0; i < q->query.aggregate_count; i++) {
    if (!q->aggregates[i].expression)
      continue;
    summed[spec.expression_count] =
        q->aggregates[i].kind == RDX_AGGREGATE_SUM || q->aggregates[i].kind == RDX_AGGREGATE_AVG;
    expressions[spec.expression_count++] = q->aggregates[i].expression;
  }
  return rdx_star_add_cube(star, &spec, err);
}

/* ---- Comparing ---- */

static void check(const rdx_query_result *result, const query *q) {
  const uint32_t columns = q->query.group_count + q->query.aggregate_count;
  rdx_query_view view;
  rdx_error err = {""};
  passed("query", rdx_query_result_view(result, &view, &err), &err, NULL);
  if (view.column_count != columns)
    wrong("%u columns, expected %u", view.column_count, columns);
  const uint64_t rows = view.rows;
  for (uint32_t c = 0; c < columns; c++) {
    const rdx_column *got = &view.columns[c], *expected = &q->columns[c];
    if (got->type != expected->type || got->scale != expected->scale)
      wrong("column %u is of type %s(%d), expected %s(%d)", c, rdx_type_name(got->type), got->scale,
            rdx_type_name(expected->type), expected->scale);
    for (uint64_t i = 0; i < rows && i < q->rows; i++)
      if (compare_rows(got, i, expected, i) != 0) {
        char a[200], b[200];
        const value x = value_at(got, i), y = value_at(expected, i);
        value_print(&x, a, sizeof a);
        value_print(&y, b, sizeof b);
        wrong("column %u, row %" PRIu64 ": %s, expected %s", c, i, a, b);
      }
  }
  if (rows != q->rows)
    wrong("%" PRIu64 " rows, expected %" PRIu64, rows, q->rows);
  rdx_query_stats stats;
  rdx_query_result_get_stats(result, &stats);
  if (q->query.group_count && stats.groups != q->groups)
    wrong("%" PRIu64 " groups, expected %" PRIu64, stats.groups, q->groups);
}

static void run(const rdx_star *star, const rdx_star_params *made, const query *q, bool prepared) {
  refusal r = q->run;
  if (made->rt_cube.leg_x > 0 || made->rt_cube.leg_y > 0 || made->rt_cube.grid > 0)
    may_refuse(&r, RDX_ERROR_UNSUPPORTED, "legs that take too many rays");
  if (!prepared)
    may_refuse(&r, RDX_ERROR_UNSUPPORTED, "no cube for it");
  note("running ");
  query_note(q);
  const rdx_query_params params = {.stats = chance(10)};
  rdx_query_result *result = NULL;
  rdx_error err = {""};
  if (!passed("query", rdx_star_run(star, &q->query, &params, &result, &err), &err, &r))
    return;
  at_end(destroy_result, result);
  if (!q->is_unknown)
    check(result, q);
}

#define MAX_QUERIES 5

/* Prepare for the queries one way or the other; which of them must run then. */
static void prepare(rdx_star *star, rdx_star_method method, const star_data *s, const query *queries, uint64_t count,
                    bool by_spec, bool *prepared) {
  refusal r = {0};
  rdx_error err = {""};
  if (method != RDX_STAR_AUTO && method != RDX_STAR_COLUMN_ENGINE)
    may_refuse(&r, RDX_ERROR_UNSUPPORTED, "a cube that cannot be coded");
  for (uint64_t i = 0; i < count; i++) {
    prepared[i] = method == RDX_STAR_AUTO || method == RDX_STAR_COLUMN_ENGINE;
    for (unsigned status = 1; status <= RDX_ERROR_INTERNAL; status++)
      if (queries[i].prepare.may & 1u << status)
        may_refuse(&r, (rdx_status)status, queries[i].prepare.why[status]);
  }
  if (by_spec) {
    if (method == RDX_STAR_COLUMN_ENGINE)
      must_refuse(&r, RDX_ERROR_UNSUPPORTED, "a cube of the column engine");
    else if (method == RDX_STAR_AUTO)
      may_refuse(&r, RDX_ERROR_UNSUPPORTED, "a cube that cannot be coded");
    note("one cube\n");
    bool all = true;
    if (passed("adding a cube", add_cube(star, s, &queries[0], &all, &err), &err, &r))
      prepared[0] |= all;
  } else if (chance(method == RDX_STAR_AUTO || method == RDX_STAR_COLUMN_ENGINE ? 60 : 97)) {
    rdx_query all[MAX_QUERIES];
    for (uint64_t i = 0; i < count; i++)
      all[i] = queries[i].query;
    if (passed("preparing queries", rdx_star_prepare(star, all, (uint32_t)count, &err), &err, &r))
      for (uint64_t i = 0; i < count; i++)
        prepared[i] = true;
  }
}

void stars_case(void) {
  star_data s;
  star_make(&s);
  const rdx_star_params params = random_params();
  note("star %s, mapping %d order %d rows %d unit %u grid %u operators %d legs %g %g sub %u build %d, block %u build "
       "%d\n",
       rdx_star_method_name(params.method), params.rt_cube.mapping, params.rt_cube.order, params.rt_cube.rows,
       params.rt_cube.unit_z, params.rt_cube.grid, params.rt_cube.operators, params.rt_cube.leg_x, params.rt_cube.leg_y,
       params.rt_cube.sub_accumulators, params.rt_cube.build, params.coarse_cube.block_rows, params.coarse_cube.build);
  rdx_star *star = NULL;
  rdx_error err = {""};
  if (!passed("star", rdx_star_create(diff_device, &s.relation, &params, &star, &err), &err, NULL))
    return;
  at_end(destroy_star, star);
  query *queries = take(MAX_QUERIES * sizeof *queries);
  const bool by_spec = chance(30); /* one cube, for the first query */
  const uint64_t max = s.relation.rows > 10000 ? 1 : by_spec && chance(80) ? 1 : MAX_QUERIES;
  const uint64_t count = 1 + below(max);
  bool prepared[MAX_QUERIES];
  for (uint64_t i = 0; i < count; i++) {
    query_make(&s, &queries[i]);
    query_answer(&s, &queries[i]);
    query_note(&queries[i]);
  }
  prepare(star, params.method, &s, queries, count, by_spec, prepared);
  for (uint64_t i = 0; i < count; i++)
    run(star, &params, &queries[i], prepared[i]);
}
