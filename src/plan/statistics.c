/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Statistics of groups and of frames: variance, covariance, correlation and linear regression. All are made of the
 * count, the averages and the co-moments of their arguments: sums of products of differences to the average, which are
 * exact and rounded once. */

#include "plan/internal.h"

#include <string.h>

typedef enum kind {
  VARIANCE,
  DEVIATION,
  COVARIANCE,
  CORRELATION,
  COUNT,
  AVERAGE_X,
  AVERAGE_Y,
  MOMENT_XX,
  MOMENT_YY,
  MOMENT_XY,
  SLOPE,
  INTERCEPT,
  R2,
} kind;

struct rdx_statistic {
  const char *name;
  kind kind;
  bool population; /* divided by n, not by n - 1 */
};

static const rdx_statistic statistics[] = {
    {"variance", VARIANCE, false},     {"var_samp", VARIANCE, false},       {"var_pop", VARIANCE, true},
    {"stddev", DEVIATION, false},      {"stddev_samp", DEVIATION, false},   {"stddev_pop", DEVIATION, true},
    {"covar_samp", COVARIANCE, false}, {"covar_pop", COVARIANCE, true},     {"corr", CORRELATION, true},
    {"regr_count", COUNT, true},       {"regr_avgx", AVERAGE_X, true},      {"regr_avgy", AVERAGE_Y, true},
    {"regr_sxx", MOMENT_XX, true},     {"regr_syy", MOMENT_YY, true},       {"regr_sxy", MOMENT_XY, true},
    {"regr_slope", SLOPE, true},       {"regr_intercept", INTERCEPT, true}, {"regr_r2", R2, true},
};

static const rdx_sql_type real = {.kind = RDX_SQL_DOUBLE};

const rdx_statistic *rdx_find_statistic(const char *name) {
  for (size_t i = 0; i < RDX_COUNT(statistics); i++)
    if (strcmp(statistics[i].name, name) == 0)
      return &statistics[i];
  return NULL;
}

uint32_t rdx_statistic_arguments(const rdx_statistic *s) {
  return s->kind <= DEVIATION ? 1 : 2;
}

/* ---- Expressions ---- */

/* A statistic while it is bound. Of one argument x is y. */
typedef struct statistic {
  rdx_block *block;
  const rdx_ast *ast;
  rdx_bound *x, *y; /* both are NULL where one is */
} statistic;

static rdx_status call(const statistic *s, const char *name, rdx_bound *left, rdx_bound *right, rdx_bound **out) {
  return rdx_bind_pair(s->block, name, left, right, s->ast->place, out);
}

static rdx_status number(const statistic *s, int64_t value, rdx_bound **out) {
  return rdx_bind_constant(&s->block->planner->binding, (rdx_sql_type){.kind = RDX_SQL_BIGINT}, (rdx_datum){.i = value},
                           s->ast->place, out);
}

/* CASE WHEN a > least THEN value END. */
static rdx_status where_more(const statistic *s, rdx_bound *a, int64_t min, rdx_bound *value, rdx_bound **out) {
  rdx_bound *limit, *more;
  RDX_TRY(number(s, min, &limit));
  RDX_TRY(call(s, ">", a, limit, &more));
  return call(s, "case", more, value, out);
}

/* A value where it is the first one like it in its group, else NULL: CASE WHEN its number is 1 THEN value END. */
static rdx_status keep_first(const statistic *s, rdx_bound *value, rdx_bound **out) {
  rdx_block *b = s->block;
  rdx_bound *place, *one, *first;
  uint32_t i = 0;
  RDX_TRY(rdx_conjuncts_add(b->planner, &b->firsts, value));
  while (!rdx_bound_equal(b->firsts.list[i], value))
    i++;
  RDX_TRY(rdx_bind_column(b->planner, rdx_leaf_column(RDX_FIRSTS_LEAF, i), (rdx_sql_type){.kind = RDX_SQL_BIGINT},
                          value->place, &place));
  RDX_TRY(number(s, 1, &one));
  RDX_TRY(call(s, "=", place, one, &first));
  return call(s, "case", first, value, out);
}

/* ---- Counts, averages, co-moments ---- */

static rdx_status count(const statistic *s, rdx_bound **out) {
  return s->ast->over ? rdx_add_frame(s->block, s->ast, RDX_WINDOW_COUNT, (rdx_bound *[]){s->x, NULL}, out)
                      : rdx_add_aggregate(s->block, RDX_PLAN_COUNT, s->x, false, s->ast->place, out);
}

static rdx_status average(const statistic *s, rdx_bound *value, rdx_bound **out) {
  return s->ast->over ? rdx_add_frame(s->block, s->ast, RDX_WINDOW_AVG, (rdx_bound *[]){value, NULL}, out)
                      : rdx_add_aggregate(s->block, RDX_PLAN_AVG, value, false, s->ast->place, out);
}

static rdx_status moment(const statistic *s, rdx_bound *x, rdx_bound *y, rdx_bound **out) {
  return s->ast->over ? rdx_add_frame(s->block, s->ast, RDX_WINDOW_MOMENT, (rdx_bound *[]){x, y}, out)
                      : rdx_add_moment(s->block, x, y, s->ast->place, out);
}

/* ---- Statistics ---- */

/* CASE WHEN n > 0, or 1, THEN moment / (n, or n - 1) END. */
static rdx_status bind_spread(const statistic *s, bool population, rdx_bound **out) {
  rdx_bound *n, *m, *less, *divisor;
  RDX_TRY(moment(s, s->x, s->y, &m));
  RDX_TRY(count(s, &n));
  RDX_TRY(number(s, !population, &less));
  RDX_TRY(call(s, "-", n, less, &divisor));
  RDX_TRY(call(s, "/", m, divisor, &divisor));
  return where_more(s, n, !population, divisor, out);
}

/* CASE WHEN xx > 0 THEN CASE WHEN yy > 0 THEN xy / sqrt(xx * yy) END END. Of its square: ELSE 1. */
static rdx_status bind_correlation(const statistic *s, bool square, rdx_bound **out) {
  rdx_bound *xx, *yy, *xy, *under, *over, *zero, *cases[3];
  RDX_TRY(moment(s, s->x, s->x, &xx));
  RDX_TRY(moment(s, s->y, s->y, &yy));
  RDX_TRY(moment(s, s->x, s->y, &xy));
  RDX_TRY(call(s, "*", xx, yy, &under));
  RDX_TRY(square ? call(s, "*", xy, xy, &over) : call(s, "sqrt", under, NULL, &under));
  RDX_TRY(call(s, "/", square ? over : xy, under, &cases[1]));
  RDX_TRY(number(s, 0, &zero));
  RDX_TRY(call(s, ">", yy, zero, &cases[0]));
  RDX_TRY(number(s, 1, &cases[2]));
  RDX_TRY(rdx_bind_call_of(s->block->planner, "case", cases, square ? 3 : 2, s->ast->place, out));
  return where_more(s, xx, 0, *out, out);
}

/* CASE WHEN xx > 0 THEN xy / xx END; of the intercept average y - average x * (xy / xx). */
static rdx_status bind_line(const statistic *s, bool intercept, rdx_bound **out) {
  rdx_bound *xx, *xy, *slope, *x, *y;
  RDX_TRY(moment(s, s->x, s->x, &xx));
  RDX_TRY(moment(s, s->x, s->y, &xy));
  RDX_TRY(call(s, "/", xy, xx, &slope));
  *out = slope;
  if (intercept) {
    RDX_TRY(average(s, s->x, &x));
    RDX_TRY(average(s, s->y, &y));
    RDX_TRY(call(s, "*", x, slope, out));
    RDX_TRY(call(s, "-", y, *out, out));
  }
  return where_more(s, xx, 0, *out, out);
}

static rdx_status bind_kind(const statistic *s, const rdx_statistic *which, rdx_bound **out) {
  switch (which->kind) {
  case VARIANCE:
  case COVARIANCE:
    return bind_spread(s, which->population, out);
  case DEVIATION:
    RDX_TRY(bind_spread(s, which->population, out));
    return call(s, "sqrt", *out, NULL, out);
  case CORRELATION:
  case R2:
    return bind_correlation(s, which->kind == R2, out);
  case COUNT:
    return count(s, out);
  case AVERAGE_X:
    return average(s, s->x, out);
  case AVERAGE_Y:
    return average(s, s->y, out);
  case MOMENT_XX:
    return moment(s, s->x, s->x, out);
  case MOMENT_YY:
    return moment(s, s->y, s->y, out);
  case MOMENT_XY:
    return moment(s, s->x, s->y, out);
  default:
    return bind_line(s, which->kind == INTERCEPT, out);
  }
}

/* ---- Arguments ---- */

static rdx_status fail_types(const statistic *s, const rdx_statistic *which, rdx_bound *const *args) {
  char types[2][32];
  const bool pairs = rdx_statistic_arguments(which) > 1;
  return rdx_planner_fail(s->block->planner, RDX_ERROR_ARGUMENT, s->ast->place, NULL, "there is no %s(%s%s%s)",
                          which->name, rdx_sql_type_text(args[0]->type, types[0]), pairs ? ", " : "",
                          pairs ? rdx_sql_type_text(args[1]->type, types[1]) : "");
}

/* Whole numbers of 64 bits are added up as they are. */
static bool stay_whole(rdx_bound *const *args, uint32_t count) {
  bool whole = true;
  for (uint32_t i = 0; i < count; i++)
    whole &= rdx_is_exact(args[i]->type) && (args[i]->type.kind != RDX_SQL_DECIMAL || args[i]->type.precision <= 18);
  return whole;
}

/* CASE WHEN other IS NOT NULL THEN value END. */
static rdx_status pair(const statistic *s, rdx_bound *value, rdx_bound *other, rdx_bound **out) {
  rdx_bound *there;
  RDX_TRY(call(s, "is not null", other, NULL, &there));
  return call(s, "case", there, value, out);
}

rdx_status rdx_bind_statistic(rdx_block *b, const rdx_ast *ast, const rdx_statistic *which, rdx_bound *const *args,
                              rdx_bound **out) {
  statistic s = {.block = b, .ast = ast};
  rdx_bound *values[2];
  const uint32_t arguments = rdx_statistic_arguments(which);
  for (uint32_t i = 0; i < arguments; i++) {
    const rdx_sql_type type = args[i]->type;
    if (!rdx_is_number(type) && !(arguments == 2 && type.kind == RDX_SQL_UNKNOWN))
      return fail_types(&s, which, args);
    if (ast->distinct && arguments == 2)
      return rdx_planner_fail(b->planner, RDX_ERROR_UNSUPPORTED, ast->place, "take DISTINCT rows of a query in FROM",
                              "DISTINCT is not supported in %s", which->name);
    values[i] = args[i];
    if (ast->distinct)
      RDX_TRY(keep_first(&s, args[i], &values[i]));
    if (!stay_whole(args, arguments))
      RDX_TRY(rdx_bind_cast(&b->planner->binding, values[i], real, true, ast->place, &values[i]));
  }
  s.x = s.y = values[0];
  if (arguments == 2) { /* f(y, x) */
    RDX_TRY(pair(&s, values[0], values[1], &s.y));
    RDX_TRY(pair(&s, values[1], values[0], &s.x));
  }
  return bind_kind(&s, which, out);
}
