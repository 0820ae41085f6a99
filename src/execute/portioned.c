/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Aggregates of rows that come in portions: groups keep the numbers that they get when they are first seen. Sums and
 * counts go on from portion to portion; the least and greatest values of a portion are compared with those before. */

#include "execute/portioned.h"

#include <string.h>

#include "column/column.h"
#include "execute/float_sums.h"
#include "execute/keys.h"

#define WHAT "an aggregate"

typedef struct portioned {
  rdx_execution *x;
  const rdx_plan_node *node;
  rdx_plan_aggregate *sums, *extremes;
  uint32_t sum_count, extreme_count;
  rdx_float_sums *totals;
  rdx_frame groups;      /* the distinct ones so far */
  rdx_plan_node listing; /* has their columns */
  /* The least and greatest values so far, behind the numbers of their groups; what makes them, and of what: */
  rdx_frame values;
  rdx_plan_node compare, input;
} portioned;

static bool is_extreme(const rdx_plan_aggregate *a) {
  return a->kind == RDX_PLAN_MIN || a->kind == RDX_PLAN_MAX;
}

static bool is_sum(const rdx_plan_aggregate *a) {
  if (a->kind == RDX_PLAN_COUNT)
    return !a->value || !a->distinct;
  return (a->kind == RDX_PLAN_SUM || a->kind == RDX_PLAN_AVG || a->kind == RDX_PLAN_MOMENT) && !a->distinct &&
         rdx_fits_sums(a->value->type) && (!a->argument || rdx_fits_sums(a->argument->type));
}

bool rdx_takes_portions(const rdx_plan_node *node) {
  for (uint32_t i = 0; i < node->aggregate_count; i++)
    if (!is_extreme(&node->aggregates[i]) && !is_sum(&node->aggregates[i]))
      return false;
  return true;
}

/* ---- What is aggregated ---- */

/* Least and greatest values of columns, behind that of the groups' numbers. */
static rdx_status plan_extremes(portioned *p, rdx_error *err) {
  const uint32_t grouped = p->node->expr_count > 0, count = grouped + p->extreme_count;
  rdx_arena *arena = p->x->arena;
  rdx_plan_node *n = &p->compare;
  rdx_bound *columns = NULL;
  p->input = (rdx_plan_node){.kind = RDX_PLAN_WORKING, .id = p->node->left->id, .shared = true, .column_count = count};
  *n = (rdx_plan_node){.kind = RDX_PLAN_AGGREGATE,
                       .id = p->node->id,
                       .left = &p->input,
                       .column_count = count,
                       .expr_count = grouped,
                       .aggregates = p->extremes,
                       .aggregate_count = p->extreme_count};
  RDX_TRY(rdx_arena_alloc(arena, count, sizeof *columns, WHAT, (void **)&columns, err));
  RDX_TRY(rdx_arena_alloc(arena, count, sizeof *n->columns, WHAT, (void **)&n->columns, err));
  RDX_TRY(rdx_arena_alloc(arena, 1, sizeof *n->exprs, WHAT, (void **)&n->exprs, err));
  for (uint32_t i = 0; i < count; i++) {
    rdx_plan_aggregate *a = i < grouped ? NULL : &p->extremes[i - grouped];
    const rdx_sql_type type = a ? a->value->type : (rdx_sql_type){.kind = RDX_SQL_BIGINT};
    columns[i] = (rdx_bound){.kind = RDX_BOUND_COLUMN, .index = i, .type = type};
    n->columns[i] = (rdx_plan_column){.type = a ? a->type : type};
    *(a ? &a->value : &n->exprs[0]) = &columns[i];
  }
  p->input.columns = n->columns;
  return RDX_OK;
}

static rdx_status part_aggregates(portioned *p, rdx_error *err) {
  static rdx_bound one = {.kind = RDX_BOUND_CONSTANT, .type = {.kind = RDX_SQL_BOOL}, .value = {.i = 1}};
  const uint32_t count = p->node->aggregate_count;
  rdx_arena *arena = p->x->arena;
  RDX_TRY(rdx_arena_alloc(arena, count, sizeof *p->sums, WHAT, (void **)&p->sums, err));
  RDX_TRY(rdx_arena_alloc(arena, count, sizeof *p->extremes, WHAT, (void **)&p->extremes, err));
  for (uint32_t i = 0; i < count; i++) {
    const rdx_plan_aggregate *a = &p->node->aggregates[i];
    rdx_plan_aggregate *to = is_extreme(a) ? &p->extremes[p->extreme_count++] : &p->sums[p->sum_count++];
    *to = *a;
    to->value = to->value ? to->value : &one;
  }
  p->listing = (rdx_plan_node){.columns = p->node->columns, .column_count = p->node->expr_count};
  if (p->sum_count > 0)
    RDX_TRY(rdx_float_sums_create(p->x, p->sums, p->sum_count, &p->totals, err));
  return p->extreme_count > 0 ? plan_extremes(p, err) : RDX_OK;
}

/* ---- Groups ---- */

/* The rows of both become the frame `*to`; those of `more` are its own. */
static rdx_status append(portioned *p, const rdx_plan_node *node, rdx_frame *to, rdx_frame *more, rdx_error *err) {
  RDX_SCOPED(rdx_operands_drop) rdx_operand in[2] = {0};
  RDX_SCOPED(rdx_frame_destroy) rdx_frame both = {0};
  RDX_TRY(rdx_frame_copy(to, &in[0].frame, err));
  in[1].frame = RDX_KEEP(*more);
  for (uint32_t i = 0; i < 2; i++)
    RDX_TRY(rdx_operand_refresh(p->x, &in[i], err));
  RDX_TRY(rdx_append_frames(p->x, node, in, &both, err));
  rdx_frame_destroy(to);
  *to = RDX_KEEP(both);
  return RDX_OK;
}

/* Numbers of ranks: a group that was there has its row, a new one the next number. `rows`: the new ones' rows. */
static void number_ranks(const rdx_ranks *ranks, uint64_t before, uint32_t *numbers, uint32_t *rows, uint64_t *count) {
  for (uint64_t i = 0; i < ranks->distinct; i++) {
    const uint32_t first = ranks->firsts[i];
    numbers[i] = first < before ? first : (uint32_t)(before + *count);
    if (first >= before)
      rows[(*count)++] = (uint32_t)(first - before);
  }
}

typedef struct translation {
  uint32_t *codes;
  const uint32_t *ranks, *numbers;
} translation;

static void translate(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  const translation *t = context;
  for (uint64_t i = begin; i < end; i++)
    t->codes[i] = t->numbers[t->ranks[i]];
}

/* The groups' columns of a portion's rows. */
static rdx_status find_groups(portioned *p, rdx_operand *in, rdx_frame *out, rdx_error *err) {
  RDX_SCOPED(rdx_free_local) uint32_t *none = NULL;
  RDX_TRY(rdx_frame_create(p->node->expr_count, in->frame.rows, out, err));
  for (uint32_t i = 0; i < p->node->expr_count; i++)
    RDX_TRY(rdx_operand_column(p->x, in, p->node->exprs[i], out, i, err));
  RDX_TRY(rdx_frame_bring(out, err));
  if (p->groups.columns)
    return RDX_OK;
  RDX_TRY(rdx_alloc(1, sizeof *none, WHAT, (void **)&none, err));
  RDX_TRY(rdx_frame_copy(out, &p->groups, err));
  return rdx_frame_select(p->x->pool, &p->groups, RDX_KEEP(none), 0, err);
}

/* The number of each row's group, for rdx_free(). */
static rdx_status number_groups(portioned *p, rdx_operand *in, uint32_t **out, rdx_error *err) {
  RDX_SCOPED(rdx_frame_destroy) rdx_frame added = {0};
  RDX_SCOPED(rdx_operands_drop) rdx_operand both[2] = {0};
  RDX_SCOPED(rdx_ranks_drop) rdx_ranks ranks = {0};
  RDX_SCOPED(rdx_free_local) uint32_t *numbers = NULL, *rows = NULL, *codes = NULL;
  uint64_t count = 0;
  RDX_TRY(find_groups(p, in, &both[1].frame, err));
  RDX_TRY(rdx_frame_copy(&p->groups, &both[0].frame, err));
  for (uint32_t i = 0; i < 2; i++)
    RDX_TRY(rdx_operand_refresh(p->x, &both[i], err));
  RDX_TRY(rdx_rank_frames(p->x, &p->listing, both, &ranks, err));
  RDX_TRY(rdx_alloc(ranks.distinct, sizeof *numbers, WHAT, (void **)&numbers, err));
  RDX_TRY(rdx_alloc(ranks.distinct, sizeof *rows, WHAT, (void **)&rows, err));
  RDX_TRY(rdx_alloc(in->frame.rows, sizeof *codes, WHAT, (void **)&codes, err));
  number_ranks(&ranks, p->groups.rows, numbers, rows, &count);
  translation t = {codes, ranks.codes + p->groups.rows, numbers};
  RDX_TRY(rdx_pool_run_stage(p->x->pool, in->frame.rows, RDX_EXECUTE_GRAIN, translate, &t, "execute", err));
  *out = RDX_KEEP(codes);
  if (count == 0)
    return RDX_OK;
  RDX_TRY(rdx_frame_copy(&both[1].frame, &added, err));
  RDX_TRY(rdx_frame_select(p->x->pool, &added, RDX_KEEP(rows), count, err));
  return append(p, &p->listing, &p->groups, &added, err);
}

/* ---- Least and greatest values ---- */

/* Those of the rows of a frame, which is gone then. */
static rdx_status find_extremes(portioned *p, rdx_frame *rows, rdx_frame *out, rdx_error *err) {
  rdx_frame *input = &p->x->shared[p->input.id];
  *input = RDX_KEEP(*rows);
  const rdx_status status = rdx_execute_aggregate(p->x, &p->compare, out, err);
  rdx_frame_destroy(input);
  return status;
}

static rdx_status add_extremes(portioned *p, rdx_operand *in, const uint32_t *codes, rdx_error *err) {
  const uint64_t count = in->frame.rows;
  const uint32_t grouped = p->compare.expr_count;
  RDX_SCOPED(rdx_frame_destroy) rdx_frame rows = {0}, found = {0};
  RDX_TRY(rdx_frame_create(grouped + p->extreme_count, count, &rows, err));
  if (grouped) {
    RDX_SCOPED(rdx_vector_destroy) rdx_vector numbers = {0};
    RDX_TRY(rdx_alloc(count, sizeof *codes, WHAT, &numbers.memory[0], err));
    memcpy(numbers.memory[0], codes, count * sizeof *codes);
    numbers.column = (rdx_column){.type = RDX_TYPE_U32, .rows = count, .values = numbers.memory[0]};
    RDX_TRY(rdx_frame_take(&rows, 0, &numbers, err));
  }
  for (uint32_t i = 0, k = 0; i < p->node->aggregate_count; i++)
    if (is_extreme(&p->node->aggregates[i]))
      RDX_TRY(rdx_operand_column(p->x, in, p->node->aggregates[i].value, &rows, grouped + k++, err));
  RDX_TRY(find_extremes(p, &rows, &found, err));
  if (!p->values.columns) {
    p->values = RDX_KEEP(found);
    return RDX_OK;
  }
  RDX_TRY(append(p, &p->compare, &p->values, &found, err));
  rdx_frame both = RDX_KEEP(p->values);
  return find_extremes(p, &both, &p->values, err);
}

/* In the order of the groups' numbers. */
static rdx_status order_extremes(portioned *p, rdx_error *err) {
  RDX_SCOPED(rdx_free_local) uint32_t *rows = NULL;
  RDX_SCOPED(rdx_operand_drop) rdx_operand values = {0};
  if (p->compare.expr_count == 0)
    return RDX_OK;
  RDX_TRY(rdx_alloc(p->values.rows, sizeof *rows, WHAT, (void **)&rows, err));
  for (uint64_t i = 0; i < p->values.rows; i++) {
    const rdx_input *numbers = &p->values.columns[0].input;
    const uint64_t row = numbers->rows ? numbers->rows[i] : i;
    rows[rdx_column_integer(&numbers->column, row)] = (uint32_t)i;
  }
  return rdx_frame_select(p->x->pool, &p->values, RDX_KEEP(rows), p->values.rows, err);
}

/* ---- Portions ---- */

static rdx_status add_portion(portioned *p, rdx_operand *in, rdx_error *err) {
  RDX_SCOPED(rdx_free_local) uint32_t *codes = NULL;
  const bool grouped = p->node->expr_count > 0;
  if (grouped)
    RDX_TRY(number_groups(p, in, &codes, err));
  if (p->totals)
    RDX_TRY(rdx_float_sums_add(p->totals, in, codes, grouped ? p->groups.rows : 1, err));
  return p->extreme_count > 0 ? add_extremes(p, in, codes, err) : RDX_OK;
}

/* What it needs for a while is its own. */
static rdx_status add_next(portioned *p, rdx_portions *portions, rdx_error *err) {
  RDX_SCOPED(rdx_operand_drop) rdx_operand in = {0};
  RDX_TRY(rdx_portions_next(p->x, portions, &in.frame, err));
  RDX_TRY(rdx_operand_refresh(p->x, &in, err));
  return add_portion(p, &in, err);
}

static rdx_status add_others(portioned *p, rdx_portions *portions, rdx_error *err) {
  rdx_arena *const outer = p->x->arena;
  rdx_status status = RDX_OK;
  while (status == RDX_OK && rdx_portions_go_on(portions)) {
    rdx_arena own = {0};
    p->x->arena = &own;
    status = add_next(p, portions, err);
    p->x->arena = outer;
    rdx_arena_free(&own);
  }
  return status;
}

static rdx_status take_results(portioned *p, rdx_frame *out, rdx_error *err) {
  const rdx_plan_node *n = p->node;
  const uint64_t rows = n->expr_count > 0 ? p->groups.rows : 1;
  RDX_SCOPED(rdx_frame_destroy) rdx_frame sums = {0};
  uint32_t sum = 0, extreme = p->compare.expr_count;
  if (p->totals)
    RDX_TRY(rdx_float_sums_finish(p->totals, &sums, err));
  if (p->extreme_count > 0)
    RDX_TRY(order_extremes(p, err));
  RDX_TRY(rdx_frame_create(n->column_count, rows, out, err));
  for (uint32_t i = 0; i < n->expr_count; i++)
    rdx_frame_share(&p->groups.columns[i], &out->columns[i]);
  for (uint32_t i = 0; i < n->aggregate_count; i++)
    rdx_frame_share(is_extreme(&n->aggregates[i]) ? &p->values.columns[extreme++] : &sums.columns[sum++],
                    &out->columns[n->expr_count + i]);
  return RDX_OK;
}

static void drop_portioned(portioned *p) {
  rdx_float_sums_destroy(&p->totals);
  rdx_frame_destroy(&p->groups);
  rdx_frame_destroy(&p->values);
}

rdx_status rdx_aggregate_portions(rdx_execution *x, const rdx_plan_node *node, rdx_portions *portions,
                                  rdx_operand *first, rdx_frame *out, rdx_error *err) {
  RDX_SCOPED(drop_portioned) portioned p = {.x = x, .node = node};
  rdx_actuals_method(rdx_actuals_of(x, node), "portions");
  RDX_TRY(part_aggregates(&p, err));
  RDX_TRY(add_portion(&p, first, err));
  rdx_operand_drop(first);
  RDX_TRY(add_others(&p, portions, err));
  return take_results(&p, out, err);
}
