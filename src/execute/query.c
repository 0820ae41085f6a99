/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Star queries and their results. A star takes eight aggregates at a time: more are several queries, whose groups
 * come in the same order. Of distinct values: the distinct groups of all attributes first, then a query over these. */

#include "execute/query.h"

#include <pthread.h>
#include <string.h>

#include "column/column.h"
#include "execute/predicate.h"
#include "expression/types.h"
#include "star/star.h"

#define WHAT "an aggregate"
#define MAX_AT_ONCE 8u
#define MAX_SCALE 18u /* of an expression */

/* Queries of one star run at the same time; who builds a cube needs it for itself. */
static pthread_rwlock_t stars = PTHREAD_RWLOCK_INITIALIZER;

/* ---- Expressions ---- */

static rdx_status make(rdx_execution *x, rdx_expression value, rdx_expression **out, rdx_error *err) {
  RDX_TRY(rdx_arena_alloc(x->arena, 1, sizeof **out, WHAT, (void **)out, err));
  **out = value;
  return RDX_OK;
}

rdx_status rdx_attribute_expression(rdx_execution *x, uint32_t attribute, rdx_expression **out, rdx_error *err) {
  return make(x, (rdx_expression){.kind = RDX_EXPRESSION_ATTRIBUTE, .attribute = attribute}, out, err);
}

typedef struct exact {
  rdx_execution *x;
  const rdx_column *columns;
  const uint32_t *numbers;
  uint32_t steps; /* that are left */
} exact;

static rdx_status make_constant(exact *e, const rdx_bound *b, rdx_expression **out, rdx_error *err) {
  rdx_known_value value;
  if (!rdx_known(e->x, b, &value) || value.datum.null || value.units > INT64_MAX || value.units < INT64_MIN)
    return RDX_OK;
  const uint8_t scale = b->type.kind == RDX_SQL_DECIMAL ? b->type.scale : 0;
  return make(e->x, (rdx_expression){.kind = RDX_EXPRESSION_CONSTANT, .value = (int64_t)value.units, .scale = scale},
              out, err);
}

static rdx_status convert(exact *e, const rdx_bound *b, rdx_expression **out, rdx_error *err);

static rdx_status convert_call(exact *e, const rdx_bound *b, rdx_expression **out, rdx_error *err) {
  static const rdx_expression zero = {.kind = RDX_EXPRESSION_CONSTANT};
  rdx_expression *left = NULL, *right = NULL;
  rdx_expression_kind kind = RDX_EXPRESSION_SUBTRACT;
  switch (b->op) {
  case RDX_OP_ADD:
    kind = RDX_EXPRESSION_ADD;
    break;
  case RDX_OP_MULTIPLY:
    kind = RDX_EXPRESSION_MULTIPLY;
    break;
  case RDX_OP_SUBTRACT:
    break;
  case RDX_OP_NEGATE:
    RDX_TRY(convert(e, b->args[0], &right, err));
    return right ? make(e->x, (rdx_expression){.kind = kind, .left = &zero, .right = right}, out, err) : RDX_OK;
  default:
    return make_constant(e, b, out, err);
  }
  RDX_TRY(convert(e, b->args[0], &left, err));
  if (left)
    RDX_TRY(convert(e, b->args[1], &right, err));
  return right ? make(e->x, (rdx_expression){.kind = kind, .left = left, .right = right}, out, err) : RDX_OK;
}

static rdx_status convert(exact *e, const rdx_bound *b, rdx_expression **out, rdx_error *err) {
  *out = NULL;
  if (!rdx_is_exact(b->type) || b->type.scale > MAX_SCALE || e->steps == 0)
    return RDX_OK;
  e->steps--;
  const rdx_bound *column = rdx_uncast(b);
  if (column && rdx_type_is_exact(e->columns[column->index].type))
    return rdx_attribute_expression(e->x, e->numbers[column->index], out, err);
  if (rdx_is_call(b, RDX_OP_CAST) && rdx_keeps_values(b->args[0]->type, b->type))
    return convert(e, b->args[0], out, err);
  return b->kind == RDX_BOUND_CALL ? convert_call(e, b, out, err) : make_constant(e, b, out, err);
}

rdx_status rdx_exact_expression(rdx_execution *x, const rdx_bound *expression, const rdx_column *columns,
                                const uint32_t *numbers, rdx_expression **out, rdx_error *err) {
  exact e = {x, columns, numbers, 40};
  return convert(&e, expression, out, err);
}

/* ---- Results ---- */

static void drop_result(void *owner) {
  rdx_query_result *result = owner;
  rdx_query_result_destroy(&result);
}

static void note(const rdx_grouping_query *q, const rdx_query_result *result) {
  rdx_node_actuals *a = rdx_actuals_of(q->x, q->node);
  rdx_query_stats stats;
  rdx_query_result_get_stats(result, &stats);
  rdx_actuals_method(a, rdx_star_method_name(stats.method));
  a->device_ms += stats.device_ms;
  a->rays += stats.rays;
  a->hits += stats.hits;
  a->rows_read += stats.rows;
  a->bytes += stats.bytes;
}

static rdx_status prepare_and_run(const rdx_grouping_query *q, const rdx_query *query, rdx_query_result **out,
                                  rdx_error *err) {
  const rdx_query_params params = {.stats = q->x->counts};
  pthread_rwlock_wrlock(&stars);
  rdx_status status = rdx_star_prepare(q->star, query, 1, err);
  if (status == RDX_OK)
    status = rdx_star_run(q->star, query, &params, out, err);
  pthread_rwlock_unlock(&stars);
  return status;
}

rdx_status rdx_grouping_cube(const rdx_grouping_query *q, const char *name, const rdx_cube_spec *spec, rdx_error *err) {
  rdx_status status = RDX_OK;
  if (rdx_catalog_has_cube(q->x->catalog, q->star, name))
    return RDX_OK;
  pthread_rwlock_wrlock(&stars);
  if (!rdx_catalog_has_cube(q->x->catalog, q->star, name)) {
    status = rdx_star_add_cube(q->star, spec, err);
    if (status == RDX_OK)
      status = rdx_catalog_note_cube(q->x->catalog, q->star, name, rdx_star_newest_tuples(q->star), err);
  }
  pthread_rwlock_unlock(&stars);
  return status;
}

static rdx_status run_query(const rdx_grouping_query *q, const rdx_query *query, rdx_query_result **out,
                            rdx_shared **keeper, rdx_error *err) {
  const rdx_query_params params = {.stats = q->x->counts};
  pthread_rwlock_rdlock(&stars);
  rdx_status status = rdx_star_run(q->star, query, &params, out, err);
  pthread_rwlock_unlock(&stars);
  if (status == RDX_ERROR_UNSUPPORTED && q->prepares)
    status = prepare_and_run(q, query, out, err);
  if (status != RDX_OK)
    return status;
  note(q, *out);
  return rdx_shared_create(drop_result, *out, keeper, err);
}

static void take_column(rdx_frame *frame, uint32_t index, const rdx_column *column, rdx_shared *keeper, bool counts) {
  rdx_frame_column *c = &frame->columns[index];
  c->input.column = *column;
  if (counts)
    c->input.column.type = RDX_TYPE_I64;
  c->values = rdx_shared_retain(keeper);
}

static rdx_aggregate_kind kind_of(const rdx_plan_aggregate *a) {
  return (rdx_aggregate_kind)(RDX_AGGREGATE_COUNT + (a->kind - RDX_PLAN_COUNT));
}

/* Whether distinct values make a difference. */
static bool is_distinct(const rdx_plan_aggregate *a) {
  return a->distinct && a->value && a->kind != RDX_PLAN_MIN && a->kind != RDX_PLAN_MAX;
}

/* The groups become the frame's first columns, unless it has them. */
static rdx_status take_groups(const rdx_grouping_query *q, rdx_frame *out, const rdx_query_view *found,
                              rdx_shared *keeper, rdx_error *err) {
  const uint64_t rows = found->rows;
  if (!out->columns) {
    RDX_TRY(rdx_frame_create(q->group_count + q->aggregate_count, rows, out, err));
    for (uint32_t i = 0; i < q->group_count; i++)
      take_column(out, i, &found->columns[i], keeper, false);
  }
  return out->rows == rows ? RDX_OK
                           : rdx_fail(err, RDX_ERROR_INTERNAL, "the same groups are %llu and %llu",
                                      (unsigned long long)out->rows, (unsigned long long)rows);
}

/* At most eight aggregates, at these places. */
static rdx_status run_some(const rdx_grouping_query *q, const uint32_t *places, uint32_t count, rdx_frame *out,
                           rdx_error *err) {
  rdx_aggregate aggregates[MAX_AT_ONCE];
  for (uint32_t i = 0; i < count; i++)
    aggregates[i] = (rdx_aggregate){kind_of(&q->aggregates[places[i]]), q->expressions[places[i]]};
  const rdx_query query = {.where = q->where,
                           .group_by = q->group_by,
                           .group_count = q->group_count,
                           .aggregates = aggregates,
                           .aggregate_count = count,
                           .order_by = q->orders,
                           .order_count = q->order_count,
                           .limited = q->limited,
                           .limit = q->limit,
                           .offset = q->offset};
  rdx_query_result *result = NULL;
  RDX_SCOPED(rdx_shared_release) rdx_shared *keeper = NULL;
  RDX_TRY(run_query(q, &query, &result, &keeper, err));
  rdx_query_view found;
  RDX_TRY(rdx_query_result_view(result, &found, err));
  RDX_TRY(take_groups(q, out, &found, keeper, err));
  for (uint32_t i = 0; i < count; i++)
    take_column(out, q->group_count + places[i], &found.columns[q->group_count + i], keeper,
                q->aggregates[places[i]].kind == RDX_PLAN_COUNT);
  return RDX_OK;
}

static rdx_status run_plain(const rdx_grouping_query *q, rdx_frame *out, rdx_error *err) {
  uint32_t places[MAX_AT_ONCE], count = 0;
  for (uint32_t i = 0; i < q->aggregate_count; i++) {
    if (is_distinct(&q->aggregates[i]))
      continue;
    places[count++] = i;
    if (count < MAX_AT_ONCE)
      continue;
    RDX_TRY(run_some(q, places, count, out, err));
    count = 0;
  }
  return count > 0 ? run_some(q, places, count, out, err) : RDX_OK;
}

/* ---- Distinct values ---- */

/* Aggregates over one attribute's distinct values: `frame` has the distinct groups with it as the last column. */
static rdx_status run_over(const rdx_grouping_query *q, const rdx_frame *frame, const uint32_t *places, uint32_t count,
                           rdx_frame *out, rdx_error *err) {
  static const uint32_t numbers[RDX_QUERY_GROUPS] = {0, 1, 2, 3, 4, 5, 6, 7};
  rdx_attribute attributes[RDX_QUERY_GROUPS + 1];
  rdx_expression value = {.kind = RDX_EXPRESSION_ATTRIBUTE, .attribute = q->group_count};
  for (uint32_t i = 0; i <= q->group_count; i++)
    attributes[i] = (rdx_attribute){"value", frame->columns[i].input.column, 0};
  const rdx_relation relation = {.rows = frame->rows, .attributes = attributes, .attribute_count = q->group_count + 1};
  const rdx_star_params params = {.method = RDX_STAR_COLUMN_ENGINE};
  RDX_SCOPED(rdx_star_destroy) rdx_star *star = NULL;
  rdx_grouping_query over = *q;
  rdx_expression **expressions = NULL;
  over.where = NULL;
  over.group_by = numbers;
  over.prepares = false;
  RDX_TRY(rdx_arena_alloc(q->x->arena, q->aggregate_count, sizeof(rdx_expression *), WHAT, (void **)&expressions, err));
  for (uint32_t i = 0; i < q->aggregate_count; i++)
    expressions[i] = &value;
  over.expressions = expressions;
  RDX_TRY(rdx_star_create(q->device, &relation, &params, &star, err));
  over.star = star;
  for (uint32_t i = 0; i < count; i += MAX_AT_ONCE)
    RDX_TRY(run_some(&over, places + i, count - i < MAX_AT_ONCE ? count - i : MAX_AT_ONCE, out, err));
  return RDX_OK;
}

/* The aggregates at these places, which are all of the distinct values of one attribute. */
static rdx_status run_distinct(const rdx_grouping_query *q, const uint32_t *places, uint32_t count, rdx_frame *out,
                               rdx_error *err) {
  uint32_t group_by[RDX_QUERY_GROUPS];
  rdx_grouping_query groups = *q;
  memcpy(group_by, q->group_by, q->group_count * sizeof *group_by);
  group_by[q->group_count] = q->expressions[places[0]]->attribute;
  groups.group_by = group_by;
  groups.group_count = q->group_count + 1;
  groups.aggregate_count = 0;
  RDX_SCOPED(rdx_frame_destroy) rdx_frame frame = {0};
  RDX_TRY(run_some(&groups, NULL, 0, &frame, err));
  return run_over(q, &frame, places, count, out, err);
}

static rdx_status run_all_distinct(const rdx_grouping_query *q, rdx_frame *out, rdx_error *err) {
  uint32_t *places = NULL;
  RDX_TRY(rdx_arena_alloc(q->x->arena, q->aggregate_count, sizeof *places, WHAT, (void **)&places, err));
  for (uint32_t i = 0; i < q->aggregate_count; i++) {
    uint32_t count = 0;
    bool first = true;
    if (!is_distinct(&q->aggregates[i]))
      continue;
    for (uint32_t k = 0; k < q->aggregate_count; k++) {
      if (!is_distinct(&q->aggregates[k]) || q->expressions[k]->attribute != q->expressions[i]->attribute)
        continue;
      first &= k >= i;
      places[count++] = k;
    }
    if (first)
      RDX_TRY(run_distinct(q, places, count, out, err));
  }
  return RDX_OK;
}

/* What the star layer says of a sum that is too large, with what to write instead. */
static rdx_status tell_overflow(const rdx_grouping_query *q, const rdx_error *why, rdx_error *err) {
  bool sums = false;
  for (uint32_t i = 0; i < q->aggregate_count; i++)
    sums |= q->aggregates[i].kind == RDX_PLAN_SUM && !rdx_is_float(q->aggregates[i].type);
  return rdx_sql_error(err, RDX_ERROR_OVERFLOW, NULL, 0,
                       sums ? "sum(x::float8) is a double, and avg(x) is exact" : NULL, "%s", why->text);
}

rdx_status rdx_grouping_run(const rdx_grouping_query *q, rdx_frame *out, rdx_error *err) {
  rdx_error why = {""};
  for (uint32_t i = 0; i < q->aggregate_count; i++)
    if (is_distinct(&q->aggregates[i]) && q->expressions[i]->kind != RDX_EXPRESSION_ATTRIBUTE)
      return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "aggregate %u is of distinct values of an expression", i + 1);
  rdx_status status = q->aggregate_count == 0 ? run_some(q, NULL, 0, out, &why) : run_plain(q, out, &why);
  if (status == RDX_OK)
    status = run_all_distinct(q, out, &why);
  if (status == RDX_OK)
    return RDX_OK;
  rdx_frame_destroy(out);
  if (status == RDX_ERROR_OVERFLOW)
    return tell_overflow(q, &why, err);
  if (err)
    *err = why;
  return status;
}
