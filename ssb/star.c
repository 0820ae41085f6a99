/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The star of the five tables, and the queries over it. */

#include "common/common.h"
#include "ssb/internal.h"

#include <stdlib.h>
#include <string.h>

/* The columns that queries use. */
static const char *const attributes[] = {
    "lo_quantity",    "lo_discount", "lo_extendedprice", "lo_revenue", "lo_supplycost", "d_year",
    "d_yearmonthnum", "d_yearmonth", "d_weeknuminyear",  "c_region",   "c_nation",      "c_city",
    "s_region",       "s_nation",    "s_city",           "p_mfgr",     "p_category",    "p_brand1",
};
enum { ATTRIBUTES = sizeof attributes / sizeof *attributes, DISCOUNT = 1, PRICE, REVENUE, COST, YEAR };

/* In the order of ssb_table: its key, and lineorder's to it. */
static const struct {
  const char *key, *foreign_key;
} keys[] = {{"d_datekey", "lo_orderdate"},
            {"s_suppkey", "lo_suppkey"},
            {"c_custkey", "lo_custkey"},
            {"p_partkey", "lo_partkey"}};
enum { DIMENSIONS = sizeof keys / sizeof *keys };

typedef struct bound_query {
  rdx_condition *condition;
  uint32_t groups[3];
  rdx_aggregate aggregate;
  rdx_order order[2];
  rdx_query query;
} bound_query;

struct ssb_star {
  rdx_table *tables[SSB_TABLES];
  rdx_relation *relation;
  rdx_table *flat_table; /* NULL: none */
  rdx_attribute flat_attributes[ATTRIBUTES];
  rdx_relation flat;
  rdx_expression plain[ATTRIBUTES];
  rdx_expression sums[SSB_PROFIT + 1];
  bound_query queries[SSB_QUERIES];
  ssb_answer answers[SSB_QUERIES];
};

static rdx_status open_tables(ssb_star *s, const char *folder, rdx_error *err) {
  for (ssb_table t = 0; t < SSB_TABLES; t++) {
    char path[GENERATOR_PATH];
    if (!ssb_table_path(folder, t, GENERATOR_TABLE_FILES, path))
      return console_error(err, RDX_ERROR_ARGUMENT, "the name of folder %.60s... is too long", folder);
    const rdx_status status = rdx_table_open(path, &s->tables[t], err);
    if (status != RDX_OK)
      return status;
  }
  return RDX_OK;
}

static rdx_status make_relation(ssb_star *s, rdx_error *err) {
  rdx_table_dimension dimensions[DIMENSIONS];
  for (uint32_t i = 0; i < ATTRIBUTES; i++)
    s->plain[i].attribute = i;
  for (uint32_t t = 0; t < DIMENSIONS; t++)
    dimensions[t] = (rdx_table_dimension){s->tables[t], keys[t].foreign_key, keys[t].key};
  s->sums[SSB_DISCOUNTED] =
      (rdx_expression){.kind = RDX_EXPRESSION_MULTIPLY, .left = &s->plain[PRICE], .right = &s->plain[DISCOUNT]};
  s->sums[SSB_REVENUE] = s->plain[REVENUE];
  s->sums[SSB_PROFIT] =
      (rdx_expression){.kind = RDX_EXPRESSION_SUBTRACT, .left = &s->plain[REVENUE], .right = &s->plain[COST]};
  return rdx_relation_from_tables(s->tables[SSB_LINEORDER], dimensions, DIMENSIONS, attributes, ATTRIBUTES,
                                  &s->relation, err);
}

static uint32_t attribute_of(const char *name) {
  uint32_t i = 0;
  while (i < ATTRIBUTES && strcmp(attributes[i], name) != 0)
    i++;
  return i;
}

static rdx_status bind_condition(const ssb_star *s, const char *text, bound_query *out, rdx_error *err) {
  const rdx_status status = rdx_condition_parse(text, &out->condition, err);
  return status == RDX_OK ? rdx_condition_bind_relation(out->condition, s->relation, &out->query.where, err) : status;
}

static rdx_status bind_query(const ssb_star *s, const ssb_query *q, bound_query *out, rdx_error *err) {
  uint32_t groups = 0;
  for (; groups < 3 && q->groups[groups]; groups++)
    out->groups[groups] = attribute_of(q->groups[groups]);
  out->aggregate = (rdx_aggregate){.kind = RDX_AGGREGATE_SUM, .expression = &s->sums[q->aggregate]};
  out->query =
      (rdx_query){.group_by = out->groups, .group_count = groups, .aggregates = &out->aggregate, .aggregate_count = 1};
  if (q->by_year_and_sum) {
    out->order[0] = (rdx_order){.column = groups - 1};
    out->order[1] = (rdx_order){.column = groups, .descending = true};
    out->query.order_by = out->order;
    out->query.order_count = 2;
  }
  return bind_condition(s, q->where, out, err);
}

rdx_status ssb_star_open(const char *folder, ssb_star **out, rdx_error *err) {
  ssb_star *s = calloc(1, sizeof *s);
  if (!s)
    return console_error(err, RDX_ERROR_MEMORY, "there is no memory for the tables");
  rdx_status status = open_tables(s, folder, err);
  if (status == RDX_OK)
    status = make_relation(s, err);
  for (uint32_t i = 0; i < SSB_QUERIES && status == RDX_OK; i++)
    status = bind_query(s, &ssb_queries[i], &s->queries[i], err);
  if (status != RDX_OK)
    ssb_star_close(&s);
  *out = s;
  return status;
}

rdx_status ssb_star_open_flat(ssb_star *s, const char *path, rdx_error *err) {
  rdx_table *table = NULL;
  rdx_status status = rdx_table_open_columns(path, attributes, ATTRIBUTES, &table, err);
  if (status != RDX_OK)
    return status;
  for (uint32_t i = 0; i < ATTRIBUTES && status == RDX_OK; i++) {
    s->flat_attributes[i] = (rdx_attribute){.name = attributes[i], .column = *rdx_table_column(table, i)};
    const rdx_type type = s->flat_attributes[i].column.type, expected = s->relation->attributes[i].column.type;
    if (rdx_table_rows(table) != s->relation->rows || type != expected)
      status = console_error(
          err, RDX_ERROR_FORMAT,
          "%s is no flat table of these tables: it has %llu rows (lineorder %llu), and %s of type %s (%s)", path,
          (unsigned long long)rdx_table_rows(table), (unsigned long long)s->relation->rows, attributes[i],
          rdx_type_name(type), rdx_type_name(expected));
  }
  if (status != RDX_OK) {
    rdx_table_destroy(&table);
    return status;
  }
  rdx_table_destroy(&s->flat_table);
  s->flat_table = table;
  s->flat =
      (rdx_relation){.rows = rdx_table_rows(table), .attributes = s->flat_attributes, .attribute_count = ATTRIBUTES};
  return RDX_OK;
}

void ssb_star_close(ssb_star **star) {
  ssb_star *s = *star;
  if (!s)
    return;
  for (uint32_t i = 0; i < SSB_QUERIES; i++) {
    rdx_condition_destroy(&s->queries[i].condition);
    free(s->answers[i].rows);
  }
  for (ssb_table t = 0; t < SSB_TABLES; t++)
    rdx_table_destroy(&s->tables[t]);
  rdx_table_destroy(&s->flat_table);
  rdx_relation_destroy(&s->relation);
  free(s);
  *star = NULL;
}

ssb_answer *ssb_star_answer(ssb_star *s, uint32_t query) {
  return &s->answers[query];
}

const rdx_relation *ssb_star_relation(const ssb_star *s) {
  return s->relation;
}

const rdx_relation *ssb_star_flat(const ssb_star *s) {
  return s->flat_table ? &s->flat : NULL;
}

const rdx_query *ssb_star_query(const ssb_star *s, uint32_t query) {
  return &s->queries[query].query;
}

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* At least one run. */
static rdx_status warm_up(const ssb_star *s, uint32_t query, const rdx_star *star, double ms, rdx_error *err) {
  double spent = 0;
  rdx_status status = RDX_OK;
  for (uint32_t i = 0; i < 10000 && (i == 0 || spent < ms) && status == RDX_OK; i++) {
    rdx_query_result *result = NULL;
    rdx_query_stats stats = {0};
    status = rdx_star_run(star, ssb_star_query(s, query), NULL, &result, err);
    if (status == RDX_OK)
      rdx_query_result_get_stats(result, &stats);
    rdx_query_result_destroy(&result);
    spent += stats.total_ms;
  }
  return status;
}

rdx_status ssb_star_run(const ssb_star *s, uint32_t query, const rdx_star *star, double warm_ms, uint32_t runs,
                        ssb_timing *timing, rdx_query_result **result, rdx_error *err) {
  enum { MAX_RUNS = 1000 };
  double total[MAX_RUNS], device[MAX_RUNS];
  *result = NULL;
  runs = runs < 1 ? 1 : runs > MAX_RUNS ? MAX_RUNS : runs;
  rdx_status status = warm_up(s, query, star, warm_ms, err);
  for (uint32_t i = 0; i < runs + 1 && status == RDX_OK; i++) { /* the last counts */
    const rdx_query_params params = {.stats = i == runs};
    rdx_query_result_destroy(result);
    status = rdx_star_run(star, ssb_star_query(s, query), &params, result, err);
    if (status == RDX_OK)
      rdx_query_result_get_stats(*result, &timing->stats);
    if (i < runs) {
      total[i] = timing->stats.total_ms;
      device[i] = timing->stats.device_ms;
    }
  }
  qsort(total, runs, sizeof *total, by_size);
  qsort(device, runs, sizeof *device, by_size);
  timing->total_ms = total[runs / 2];
  timing->device_ms = device[runs / 2];
  timing->min_ms = total[0];
  timing->max_ms = total[runs - 1];
  return status;
}
