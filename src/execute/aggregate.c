/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Aggregates: groups and what is aggregated become the attributes of a flat relation, of which the column engine
 * answers queries. More groups than a query takes become one, of the numbers of their distinct rows. */

#include <math.h>
#include <string.h>

#include "execute/extremes.h"
#include "execute/float_sums.h"
#include "execute/groups.h"
#include "execute/keys.h"
#include "execute/on_device.h"
#include "execute/ordered.h"
#include "execute/portioned.h"
#include "execute/query.h"
#include "expression/types.h"

#define WHAT "an aggregate"

typedef struct aggregation {
  rdx_execution *x;
  const rdx_plan_node *node;
  /* Those of the column engine, and those by numbers of groups: of values in order, and exact sums as doubles. Of all
   * rows extreme texts, too. */
  rdx_plan_aggregate *aggregates, *ordered, *sums, *extremes;
  uint32_t aggregate_count, ordered_count, sum_count, extreme_count;
  rdx_frame ordered_results, sum_results, extreme_results;
  rdx_operand in;
  rdx_group_columns groups; /* of all rows */
  bool on_device;           /* columns are taken to the device, where they can be */
  bool blockwise;           /* all but those of values in order are added up block by block */
  uint32_t attribute_count;
  rdx_attribute *attributes;
  rdx_vector *values;         /* of attributes that have memory of their own, */
  rdx_device_column **copies; /* or have it on the device */
  const rdx_column **strings; /* dictionary of an attribute that has places in it for strings; else NULL */
  const rdx_bound **source;   /* what each attribute is the value of */
  uint32_t *group_by;
  rdx_expression **expressions;
  uint32_t *codes, *firsts; /* of combined groups: the number of each row's, and the first row of each number */
  uint64_t distinct;
} aggregation;

/* ---- Attributes ---- */

static void add_vector(aggregation *a, const char *name, const rdx_bound *source, const rdx_vector *vector,
                       uint32_t *out) {
  *out = a->attribute_count++;
  a->attributes[*out] = (rdx_attribute){name, vector->column, 0};
  a->values[*out] = *vector;
  a->copies[*out] = NULL;
  a->strings[*out] = NULL;
  a->source[*out] = source;
}

/* Whether a column is taken to the device as it is there, or row by row. */
static bool is_taken(const aggregation *a, const rdx_frame *frame, const rdx_bound *e) {
  return a->on_device && e->kind == RDX_BOUND_COLUMN && rdx_is_device_column(&frame->columns[e->index]);
}

/* An attribute of the value of an expression over an operand. */
static rdx_status add_value(aggregation *a, const char *name, const rdx_bound *source, rdx_operand *of,
                            const rdx_bound *e, uint32_t *out, rdx_error *err) {
  rdx_vector vector = {0};
  if (!is_taken(a, &of->frame, e)) {
    RDX_TRY(rdx_operand_flat(a->x, of, e, &vector, err));
    add_vector(a, name, source, &vector, out);
    return RDX_OK;
  }
  rdx_device_column *copy = NULL;
  RDX_TRY(rdx_frame_on_device(a->x, &of->frame, e->index, &copy, &vector.column, err));
  add_vector(a, name, source, &vector, out);
  a->copies[*out] = copy;
  a->strings[*out] = of->frame.columns[e->index].input.column.dictionary;
  return RDX_OK;
}

/* The attribute that is the value of an expression: one that there is, or a new one. */
static rdx_status add_attribute(aggregation *a, const rdx_bound *e, uint32_t *out, rdx_error *err) {
  for (*out = 0; *out < a->attribute_count; ++*out)
    if (a->source[*out] && rdx_bound_equal(a->source[*out], e))
      return RDX_OK;
  return add_value(a, "value", e, &a->in, e, out, err);
}

static uint32_t count_columns(const rdx_bound *e) {
  uint32_t count = e->kind == RDX_BOUND_COLUMN;
  for (uint32_t i = 0; e->kind == RDX_BOUND_CALL && i < e->count; i++)
    count += count_columns(e->args[i]);
  return count;
}

/* Attributes for the COLUMNs of an expression, that are numbered by their index. */
static rdx_status add_columns(aggregation *a, const rdx_bound *e, uint32_t *numbers, rdx_error *err) {
  if (e->kind == RDX_BOUND_COLUMN)
    return add_attribute(a, e, &numbers[e->index], err);
  for (uint32_t i = 0; e->kind == RDX_BOUND_CALL && i < e->count; i++)
    RDX_TRY(add_columns(a, e->args[i], numbers, err));
  return RDX_OK;
}

/* Whether an expression reads columns only as they lie, or on the device: then it costs little to have them as
 * attributes. */
static bool reads_in_place(const aggregation *a, const rdx_bound *e) {
  if (e->kind == RDX_BOUND_COLUMN)
    return !a->in.frame.columns[e->index].rows || is_taken(a, &a->in.frame, e);
  for (uint32_t i = 0; e->kind == RDX_BOUND_CALL && i < e->count; i++)
    if (!reads_in_place(a, e->args[i]))
      return false;
  return true;
}

/* The expression of exact arithmetic that a value is, of attributes with these numbers (NULL: of any); NULL: it is
 * none. */
static rdx_status find_exact(const aggregation *a, const rdx_bound *value, uint32_t *numbers, rdx_expression **out,
                             rdx_error *err) {
  const uint32_t count = a->in.frame.count;
  rdx_column *columns = NULL;
  *out = NULL;
  if (!reads_in_place(a, value) || count_columns(value) == 0)
    return RDX_OK;
  RDX_TRY(rdx_arena_alloc(a->x->arena, count, sizeof *columns, WHAT, (void **)&columns, err));
  for (uint32_t i = 0; i < count; i++)
    columns[i] = a->in.inputs[i].column;
  if (!numbers) {
    RDX_TRY(rdx_arena_alloc(a->x->arena, count, sizeof *numbers, WHAT, (void **)&numbers, err));
    memset(numbers, 0, count * sizeof *numbers);
  }
  return rdx_exact_expression(a->x, value, columns, numbers, out, err);
}

/* The same, of attributes that are made. */
static rdx_status add_exact(aggregation *a, const rdx_bound *value, rdx_expression **out, rdx_error *err) {
  uint32_t *numbers = NULL;
  RDX_TRY(find_exact(a, value, NULL, out, err));
  if (!*out)
    return RDX_OK;
  RDX_TRY(rdx_arena_alloc(a->x->arena, a->in.frame.count, sizeof *numbers, WHAT, (void **)&numbers, err));
  RDX_TRY(add_columns(a, value, numbers, err));
  return find_exact(a, value, numbers, out, err);
}

/* Whether an aggregate counts distinct values, as which the codes of strings do. */
static bool counts_distinct(const rdx_plan_aggregate *a) {
  return a->distinct && a->kind == RDX_PLAN_COUNT && a->value;
}

/* The attribute of values of which only those that differ are counted: strings with a dictionary are their codes. */
static rdx_status add_counted(aggregation *a, const rdx_bound *e, uint32_t *out, rdx_error *err) {
  RDX_TRY(add_value(a, "value", NULL, &a->in, e, out, err));
  rdx_column *column = &a->attributes[*out].column;
  if (column->type == RDX_TYPE_STRING && column->dictionary) {
    column->type = RDX_TYPE_U32;
    column->dictionary = NULL;
  }
  return RDX_OK;
}

/* The aggregate before this one that counts the same distinct values; `i` itself: there is none. */
static uint32_t find_counted(const aggregation *a, uint32_t i) {
  for (uint32_t k = 0; k < i; k++)
    if (counts_distinct(&a->aggregates[k]) && rdx_bound_equal(a->aggregates[k].value, a->aggregates[i].value))
      return k;
  return i;
}

static rdx_status add_aggregate(aggregation *a, uint32_t i, rdx_error *err) {
  const rdx_plan_aggregate *aggregate = &a->aggregates[i];
  uint32_t attribute = 0;
  a->expressions[i] = NULL;
  if (counts_distinct(aggregate) && aggregate->value->type.kind == RDX_SQL_TEXT) {
    const uint32_t same = find_counted(a, i);
    if (same < i) {
      a->expressions[i] = a->expressions[same];
      return RDX_OK;
    }
    RDX_TRY(add_counted(a, aggregate->value, &attribute, err));
    return rdx_attribute_expression(a->x, attribute, &a->expressions[i], err);
  }
  if (!aggregate->value)
    return RDX_OK;
  if (!aggregate->distinct && aggregate->kind != RDX_PLAN_COUNT && aggregate->value->kind == RDX_BOUND_CALL)
    RDX_TRY(add_exact(a, aggregate->value, &a->expressions[i], err));
  if (a->expressions[i])
    return RDX_OK;
  RDX_TRY(add_attribute(a, aggregate->value, &attribute, err));
  return rdx_attribute_expression(a->x, attribute, &a->expressions[i], err);
}

/* ---- Groups ---- */

/* Each group is an attribute. */
static rdx_status add_groups(aggregation *a, rdx_error *err) {
  rdx_operand groups = {.frame = a->groups.grouped};
  RDX_TRY(rdx_operand_refresh(a->x, &groups, err));
  for (uint32_t i = 0, place = 0; i < a->node->expr_count; i++) {
    const rdx_bound column = {.kind = RDX_BOUND_COLUMN, .index = place};
    const rdx_bound *source = a->groups.numbered[i] ? NULL : a->node->exprs[i];
    const char *name = a->node->columns[i].name;
    if (a->groups.places[i] != place)
      continue;
    RDX_TRY(add_value(a, name ? name : "group", source, &groups, &column, &a->group_by[place], err));
    place++;
  }
  return RDX_OK;
}

static rdx_status rank_groups(aggregation *a, rdx_operand *groups, rdx_vector *flat, rdx_key_column *columns,
                              rdx_error *err) {
  const uint64_t rows[2] = {a->groups.grouped.rows, 0};
  RDX_SCOPED(rdx_key_words_destroy) rdx_key_words words = {0};
  for (uint32_t i = 0; i < a->groups.grouped.count; i++) {
    RDX_TRY(rdx_operand_coded(a->x, groups, i, &flat[i], err));
    columns[i] = (rdx_key_column){.parts = {&flat[i].column}};
  }
  RDX_TRY(rdx_key_words_create(a->x, columns, a->groups.grouped.count, rows, false, &words, err));
  RDX_TRY(rdx_alloc(rows[0], sizeof *a->codes, WHAT, (void **)&a->codes, err));
  return rdx_key_words_rank(a->x, &words, a->codes, &a->distinct, &a->firsts, err);
}

/* All groups are one attribute, of the numbers of their distinct rows. */
static rdx_status combine_groups(aggregation *a, rdx_error *err) {
  rdx_operand groups = {.frame = a->groups.grouped};
  rdx_key_column *columns = NULL;
  RDX_SCOPED(rdx_vectors_destroy) rdx_vectors flat = {0};
  rdx_vector vector = {0};
  RDX_TRY(rdx_operand_refresh(a->x, &groups, err));
  RDX_TRY(rdx_arena_alloc(a->x->arena, a->groups.grouped.count, sizeof *columns, WHAT, (void **)&columns, err));
  RDX_TRY(rdx_vectors_create(a->groups.grouped.count, &flat, err));
  RDX_TRY(rank_groups(a, &groups, flat.list, columns, err));
  vector.column = (rdx_column){.type = RDX_TYPE_U32, .rows = a->groups.grouped.rows, .values = a->codes};
  add_vector(a, "group", NULL, &vector, &a->group_by[0]);
  return RDX_OK;
}

/* ---- Runs ---- */

static void drop_attributes(aggregation *a) {
  for (uint32_t i = 0; i < a->attribute_count; i++) {
    rdx_vector_destroy(&a->values[i]);
    rdx_device_column_destroy(&a->copies[i]);
  }
  a->attribute_count = 0;
  RDX_FREE_ALL(a->codes, a->firsts);
  a->codes = a->firsts = NULL;
}

static rdx_status query_star(aggregation *a, uint32_t group_count, rdx_device *device, rdx_star *star, rdx_frame *out,
                             rdx_error *err) {
  const rdx_grouping_query q = {.x = a->x,
                                .node = a->node,
                                .device = device,
                                .star = star,
                                .group_by = a->group_by,
                                .group_count = group_count,
                                .aggregates = a->aggregates,
                                .expressions = a->expressions,
                                .aggregate_count = a->aggregate_count};
  return rdx_grouping_run(&q, out, err);
}

static void name_string(const aggregation *a, uint32_t attribute, rdx_frame_column *c) {
  if (!a->strings[attribute])
    return;
  c->input.column.type = RDX_TYPE_STRING;
  c->input.column.dictionary = a->strings[attribute];
}

/* Places become strings again. Their dictionaries are of tables, which outlive the frame. */
static void name_strings(const aggregation *a, uint32_t group_count, rdx_frame *out) {
  for (uint32_t i = 0; i < group_count; i++)
    name_string(a, a->group_by[i], &out->columns[i]);
  for (uint32_t i = 0; i < a->aggregate_count; i++) {
    const rdx_plan_aggregate *aggregate = &a->aggregates[i];
    if (aggregate->kind == RDX_PLAN_MIN || aggregate->kind == RDX_PLAN_MAX)
      if (a->expressions[i]->kind == RDX_EXPRESSION_ATTRIBUTE)
        name_string(a, a->expressions[i]->attribute, &out->columns[group_count + i]);
  }
}

/* By groups that are attributes, or one that is made of them all. */
static rdx_status run(aggregation *a, bool combined, rdx_frame *out, rdx_error *err) {
  const rdx_star_params params = {.method = RDX_STAR_COLUMN_ENGINE};
  RDX_SCOPED(rdx_star_destroy) rdx_star *star = NULL;
  rdx_device *device = a->x->device;
  for (uint32_t i = 0; i < a->aggregate_count; i++)
    RDX_TRY(add_aggregate(a, i, err));
  const rdx_relation relation = {
      .rows = a->in.frame.rows, .attributes = a->attributes, .attribute_count = a->attribute_count};
  if (!a->on_device)
    RDX_TRY(rdx_device_for_rows(a->x, a->node, relation.rows, &device, err));
  RDX_TRY(rdx_star_create(device, &relation, &params, &star, err));
  RDX_TRY(query_star(a, combined ? 1 : a->groups.grouped.count, device, star, out, err));
  name_strings(a, combined ? 1 : a->groups.grouped.count, out);
  return RDX_OK;
}

/* In place of the number of a group come its columns, of its first row. */
static rdx_status decode_groups(aggregation *a, rdx_frame *numbered, rdx_frame *out, rdx_error *err) {
  const uint32_t *codes = numbered->columns[0].input.column.values;
  uint32_t *rows = NULL;
  RDX_TRY(rdx_frame_create(a->groups.grouped.count + a->aggregate_count, numbered->rows, out, err));
  RDX_TRY(rdx_alloc(numbered->rows, sizeof *rows, WHAT, (void **)&rows, err));
  for (uint64_t i = 0; i < numbered->rows; i++)
    rows[i] = a->firsts[codes[i]];
  RDX_TRY(rdx_frame_select(a->x->pool, &a->groups.grouped, rows, numbered->rows, err));
  for (uint32_t i = 0; i < a->groups.grouped.count; i++)
    rdx_frame_share(&a->groups.grouped.columns[i], &out->columns[i]);
  for (uint32_t i = 0; i < a->aggregate_count; i++)
    rdx_frame_share(&numbered->columns[1 + i], &out->columns[a->groups.grouped.count + i]);
  return RDX_OK;
}

/* The results for groups of these numbers. */
static rdx_status select_groups(const aggregation *a, const rdx_frame *numbered, rdx_frame *results, rdx_error *err) {
  uint32_t *rows = NULL;
  RDX_TRY(rdx_alloc(numbered->rows, sizeof *rows, WHAT, (void **)&rows, err));
  memcpy(rows, numbered->columns[0].input.column.values, numbered->rows * sizeof *rows);
  return rdx_frame_select(a->x->pool, results, rows, numbered->rows, err);
}

/* What the column engine does not calculate, of all rows or of each group: `numbered` has the numbers of these. */
static rdx_status run_others(aggregation *a, const rdx_frame *numbered, rdx_error *err) {
  const uint32_t *codes = numbered ? a->codes : NULL;
  const uint64_t groups = numbered ? a->distinct : 1;
  const rdx_ordered_query ordered = {a->x, &a->in, codes, groups, a->ordered, a->ordered_count};
  const rdx_float_sums_query sums = {a->x, &a->in, codes, groups, a->sums, a->sum_count};
  rdx_frame_destroy(&a->ordered_results);
  rdx_frame_destroy(&a->sum_results);
  rdx_frame_destroy(&a->extreme_results);
  if (a->extreme_count > 0)
    RDX_TRY(rdx_extreme_texts_run(a->x, &a->in.frame, a->extremes, a->extreme_count, &a->extreme_results, err));
  if (a->ordered_count > 0)
    RDX_TRY(rdx_ordered_run(&ordered, &a->ordered_results, err));
  if (a->sum_count > 0)
    RDX_TRY(rdx_float_sums_run(&sums, &a->sum_results, err));
  if (numbered && a->ordered_count > 0)
    RDX_TRY(select_groups(a, numbered, &a->ordered_results, err));
  return numbered && a->sum_count > 0 ? select_groups(a, numbered, &a->sum_results, err) : RDX_OK;
}

/* All groups, where nothing else is asked of them. */
static rdx_status list_groups(const aggregation *a, rdx_frame *out, rdx_error *err) {
  rdx_vector numbers = {.column = {.type = RDX_TYPE_U32, .rows = a->distinct}};
  RDX_TRY(rdx_frame_create(1, a->distinct, out, err));
  RDX_TRY(rdx_number_rows(a->x, 0, a->distinct, (uint32_t **)&numbers.memory[0], err));
  numbers.column.values = numbers.memory[0];
  return rdx_frame_take(out, 0, &numbers, err);
}

static rdx_status run_combined(aggregation *a, rdx_frame *out, rdx_error *err) {
  drop_attributes(a);
  RDX_SCOPED(rdx_frame_destroy) rdx_frame numbered = {0};
  RDX_TRY(combine_groups(a, err));
  RDX_TRY(a->aggregate_count > 0 ? run(a, true, &numbered, err) : list_groups(a, &numbered, err));
  RDX_TRY(run_others(a, &numbered, err));
  return decode_groups(a, &numbered, out, err);
}

/* One row that says how many there are: nothing has to be read. */
static rdx_status count_rows(aggregation *a, rdx_frame *out, rdx_error *err) {
  RDX_TRY(rdx_frame_create(a->node->aggregate_count, 1, out, err));
  for (uint32_t i = 0; i < a->node->aggregate_count; i++) {
    rdx_vector vector = {0};
    RDX_TRY(rdx_alloc(1, sizeof(int64_t), WHAT, &vector.memory[0], err));
    *(int64_t *)vector.memory[0] = (int64_t)a->in.frame.rows;
    vector.column = (rdx_column){.type = RDX_TYPE_I64, .rows = 1, .values = vector.memory[0]};
    RDX_TRY(rdx_frame_take(out, i, &vector, err));
  }
  return RDX_OK;
}

#define MAX_BITS 63 /* of numbers of groups */
#define MANY_STRINGS 65536u

/* Whether groups of strings are more than a query takes, or have so many strings beside few rows that bringing the
 * strings to the device would cost more than the query. */
static bool should_combine(const aggregation *a) {
  double bits = 0;
  for (uint32_t i = 0; i < a->groups.grouped.count; i++) {
    const rdx_column *strings = a->groups.grouped.columns[i].input.column.dictionary;
    const rdx_bound column = {.kind = RDX_BOUND_COLUMN, .index = i};
    if (!strings)
      continue;
    if (!is_taken(a, &a->groups.grouped, &column) && strings->rows > MANY_STRINGS &&
        strings->rows > a->groups.grouped.rows / 2)
      return true;
    bits += log2((double)strings->rows + 1);
  }
  return bits > MAX_BITS;
}

/* Arrays for the attributes that there may be. */
static rdx_status reserve(aggregation *a, rdx_error *err) {
  const rdx_plan_node *node = a->node;
  const size_t max = (size_t)node->expr_count + node->aggregate_count;
  rdx_arena *arena = a->x->arena;
  size_t attributes = max + 1;
  for (uint32_t i = 0; i < node->aggregate_count; i++)
    attributes += node->aggregates[i].value ? count_columns(node->aggregates[i].value) : 0;
  RDX_TRY(rdx_arena_alloc(arena, attributes, sizeof *a->attributes, WHAT, (void **)&a->attributes, err));
  RDX_TRY(rdx_arena_alloc(arena, attributes, sizeof *a->values, WHAT, (void **)&a->values, err));
  RDX_TRY(rdx_arena_alloc(arena, attributes, sizeof(rdx_device_column *), WHAT, (void **)&a->copies, err));
  RDX_TRY(rdx_arena_alloc(arena, attributes, sizeof(rdx_column *), WHAT, (void **)&a->strings, err));
  RDX_TRY(rdx_arena_alloc(arena, attributes, sizeof(rdx_bound *), WHAT, (void **)&a->source, err));
  RDX_TRY(rdx_arena_alloc(arena, max, sizeof *a->group_by, WHAT, (void **)&a->group_by, err));
  return rdx_arena_alloc(arena, max, sizeof(rdx_expression *), WHAT, (void **)&a->expressions, err);
}

/* By groups as they are, or by the numbers of their distinct rows. */
static rdx_status run_either(aggregation *a, rdx_frame *out, rdx_error *err) {
  bool distinct = false;
  for (uint32_t i = 0; i < a->aggregate_count; i++)
    distinct |= a->aggregates[i].distinct;
  const bool numbers = a->ordered_count + a->sum_count > 0 && a->groups.grouped.count > 0;
  if (numbers || a->groups.grouped.count + distinct > RDX_QUERY_GROUPS || should_combine(a))
    return run_combined(a, out, err);
  rdx_error why = {""};
  RDX_TRY(add_groups(a, err));
  const rdx_status status = run(a, false, out, &why);
  if (status == RDX_ERROR_UNSUPPORTED && a->groups.grouped.count > 1)
    return run_combined(a, out, err);
  if (status != RDX_OK && err)
    *err = why;
  return status;
}

/* What a device has no memory for, or does not calculate, the host may. */
static bool is_worth_another_try(rdx_status status) {
  return status == RDX_ERROR_DEVICE_MEMORY || status == RDX_ERROR_UNSUPPORTED || status == RDX_ERROR_OVERFLOW;
}

static rdx_status run_anywhere(aggregation *a, rdx_frame *out, rdx_error *err) {
  a->on_device = rdx_runs_on_device(a->x, a->in.frame.rows);
  const rdx_status status = run_either(a, out, err);
  if (a->on_device && status == RDX_OK)
    rdx_actuals_of(a->x, a->node)->on_device = true;
  if (!a->on_device || !is_worth_another_try(status))
    return status;
  drop_attributes(a);
  rdx_frame_destroy(out);
  a->on_device = false;
  return run_either(a, out, err);
}

/* Whether an aggregate is added up as a double: of floats, or of what a co-moment is of, too. */
static bool is_sum(const aggregation *a, const rdx_plan_aggregate *aggregate) {
  const rdx_plan_node *node = a->node;
  const bool can = aggregate->kind == RDX_PLAN_COUNT || aggregate->kind == RDX_PLAN_AVG;
  if (a->blockwise)
    return !rdx_is_ordered(aggregate);
  if (aggregate->distinct || !aggregate->value)
    return false;
  if (aggregate->kind == RDX_PLAN_MOMENT)
    return true;
  if (rdx_is_float(aggregate->value->type))
    return can || aggregate->kind == RDX_PLAN_SUM;
  for (uint32_t i = 0; i < node->aggregate_count && can; i++)
    if (node->aggregates[i].kind == RDX_PLAN_MOMENT && rdx_bound_equal(node->aggregates[i].value, aggregate->value))
      return true;
  return false;
}

static bool is_extreme(const aggregation *a, const rdx_plan_aggregate *aggregate) {
  return a->node->expr_count == 0 && rdx_is_extreme_text(&a->in.frame, aggregate);
}

/* What was asked for, of what was grouped by. */
static rdx_status take_results(const aggregation *a, const rdx_frame *found, rdx_frame *out, rdx_error *err) {
  RDX_TRY(rdx_frame_create(a->node->column_count, found->rows, out, err));
  RDX_TRY(rdx_group_columns_take(&a->groups, found, out, err));
  const rdx_frame_column *ordered = a->ordered_results.columns, *sums = a->sum_results.columns,
                         *extremes = a->extreme_results.columns;
  const rdx_frame_column *others = found->columns + a->groups.grouped.count;
  for (uint32_t i = 0; i < a->node->aggregate_count; i++) {
    const rdx_plan_aggregate *aggregate = &a->node->aggregates[i];
    const rdx_frame_column **from = rdx_is_ordered(aggregate)  ? &ordered
                                    : is_extreme(a, aggregate) ? &extremes
                                    : is_sum(a, aggregate)     ? &sums
                                                               : &others;
    rdx_frame_share((*from)++, &out->columns[a->node->expr_count + i]);
  }
  return RDX_OK;
}

/* Whether no aggregate needs the column engine, and the values of some would have to be made into a column for it. */
static rdx_status goes_blockwise(const aggregation *a, bool *out, rdx_error *err) {
  bool makes_columns = false;
  *out = false;
  for (uint32_t i = 0; i < a->node->aggregate_count; i++) {
    const rdx_plan_aggregate *g = &a->node->aggregates[i];
    if (rdx_is_ordered(g) || g->kind == RDX_PLAN_MOMENT || (g->kind == RDX_PLAN_COUNT && !g->value))
      continue;
    if (g->distinct || g->kind > RDX_PLAN_AVG || (g->kind != RDX_PLAN_COUNT && !rdx_fits_sums(g->value->type)))
      return RDX_OK;
    rdx_expression *exact = NULL;
    if (g->value->kind == RDX_BOUND_CALL && !makes_columns)
      RDX_TRY(find_exact(a, g->value, NULL, &exact, err));
    makes_columns |= g->value->kind == RDX_BOUND_CALL && !exact;
  }
  *out = makes_columns && !rdx_runs_on_device(a->x, a->in.frame.rows);
  return RDX_OK;
}

/* Rows are counted as those of a constant. */
static rdx_plan_aggregate with_value(const rdx_plan_aggregate *aggregate) {
  static rdx_bound one = {.kind = RDX_BOUND_CONSTANT, .type = {.kind = RDX_SQL_BOOL}, .value = {.i = 1}};
  rdx_plan_aggregate out = *aggregate;
  out.value = out.value ? out.value : &one;
  return out;
}

static rdx_status part_aggregates(aggregation *a, rdx_error *err) {
  const rdx_plan_node *node = a->node;
  rdx_arena *arena = a->x->arena;
  a->ordered_count = a->sum_count = a->aggregate_count = a->extreme_count = 0;
  RDX_TRY(rdx_arena_alloc(arena, node->aggregate_count, sizeof *a->ordered, WHAT, (void **)&a->ordered, err));
  RDX_TRY(rdx_arena_alloc(arena, node->aggregate_count, sizeof *a->sums, WHAT, (void **)&a->sums, err));
  RDX_TRY(rdx_arena_alloc(arena, node->aggregate_count, sizeof *a->extremes, WHAT, (void **)&a->extremes, err));
  RDX_TRY(rdx_arena_alloc(arena, node->aggregate_count, sizeof *a->aggregates, WHAT, (void **)&a->aggregates, err));
  for (uint32_t i = 0; i < node->aggregate_count; i++) {
    if (rdx_is_ordered(&node->aggregates[i]))
      a->ordered[a->ordered_count++] = node->aggregates[i];
    else if (is_extreme(a, &node->aggregates[i]))
      a->extremes[a->extreme_count++] = node->aggregates[i];
    else if (is_sum(a, &node->aggregates[i]))
      a->sums[a->sum_count++] = with_value(&node->aggregates[i]);
    else
      a->aggregates[a->aggregate_count++] = node->aggregates[i];
  }
  return RDX_OK;
}

/* Aggregates of all rows: there may be none for the column engine. */
static rdx_status run_whole(aggregation *a, rdx_frame *found, rdx_error *err) {
  RDX_TRY(a->aggregate_count > 0 ? run_anywhere(a, found, err) : rdx_frame_create(0, 1, found, err));
  return run_others(a, NULL, err);
}

/* Sums that pass 64 bits are left to the column engine, which says of what they are. */
static rdx_status run_parts(aggregation *a, rdx_frame *out, rdx_error *err) {
  rdx_error why = {""};
  RDX_TRY(goes_blockwise(a, &a->blockwise, err));
  RDX_TRY(part_aggregates(a, err));
  const bool groups = a->node->expr_count > 0;
  rdx_status status = groups ? run_anywhere(a, out, &why) : run_whole(a, out, &why);
  if (status == RDX_ERROR_OVERFLOW && a->blockwise) {
    rdx_frame_destroy(out);
    a->blockwise = false;
    RDX_TRY(part_aggregates(a, err));
    return groups ? run_anywhere(a, out, err) : run_whole(a, out, err);
  }
  if (status != RDX_OK && err)
    *err = why;
  return status;
}

/* Whether no value of the rows is asked for. */
static bool only_counts(const rdx_plan_node *node) {
  for (uint32_t i = 0; i < node->aggregate_count; i++)
    if (node->aggregates[i].value)
      return false;
  return node->expr_count == 0;
}

static rdx_status aggregate(aggregation *a, rdx_frame *out, rdx_error *err) {
  const rdx_plan_node *node = a->node;
  if (only_counts(node))
    return count_rows(a, out, err);
  RDX_TRY(reserve(a, err));
  RDX_TRY(rdx_group_columns_make(a->x, &a->in, node->exprs, node->expr_count, &a->groups, err));
  RDX_SCOPED(rdx_frame_destroy) rdx_frame found = {0};
  RDX_TRY(run_parts(a, &found, err));
  return take_results(a, &found, out, err);
}

static void end(aggregation *a) {
  drop_attributes(a);
  rdx_frame_destroy(&a->ordered_results);
  rdx_frame_destroy(&a->sum_results);
  rdx_frame_destroy(&a->extreme_results);
  rdx_group_columns_drop(&a->groups);
  rdx_operand_drop(&a->in);
}

/* Of all rows at once, or in the portions that they come in. */
static rdx_status aggregate_rows(aggregation *a, rdx_portions *portions, rdx_frame *out, rdx_error *err) {
  rdx_execution *x = a->x;
  x->counted = only_counts(a->node) && !a->node->left->shared ? a->node->left : NULL;
  if (rdx_takes_portions(a->node))
    RDX_TRY(rdx_portions_next(x, portions, &a->in.frame, err));
  else
    RDX_TRY(rdx_execute_node(x, a->node->left, &a->in.frame, err));
  RDX_TRY(rdx_operand_refresh(x, &a->in, err));
  return portions->source ? rdx_aggregate_portions(x, a->node, portions, &a->in, out, err) : aggregate(a, out, err);
}

static bool has_no_memory(rdx_status status) {
  return status == RDX_ERROR_MEMORY || status == RDX_ERROR_DEVICE_MEMORY;
}

/* Where there is no memory for all rows at once they are asked for again, in portions. */
rdx_status rdx_execute_aggregate(rdx_execution *x, const rdx_plan_node *node, rdx_frame *out, rdx_error *err) {
  RDX_SCOPED(end) aggregation a = {.x = x, .node = node};
  RDX_SCOPED(rdx_portions_drop) rdx_portions portions = {.top = node->left};
  rdx_status status = aggregate_rows(&a, &portions, out, err);
  if (has_no_memory(status) && rdx_takes_portions(node) && rdx_portions_may_come(&portions)) {
    end(&a);
    rdx_frame_destroy(out);
    a = (aggregation){.x = x, .node = node};
    portions.forced = true;
    status = aggregate_rows(&a, &portions, out, err);
  }
  return status == RDX_OK ? rdx_frame_conform(x, node->columns, out, err) : status;
}
