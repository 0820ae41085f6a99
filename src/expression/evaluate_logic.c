/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Nodes that see NULLs, or evaluate an argument for some rows only. */

#include <string.h>

#include "expression/block.h"

/* ---- Strict nodes ---- */

static void join_nulls(const rdx_worker *w, const rdx_values *args, uint32_t count, rdx_values *out, uint8_t *scratch) {
  out->nulls = NULL;
  for (uint32_t a = 0; a < count; a++) {
    const uint8_t *nulls = args[a].nulls;
    if (!nulls)
      continue;
    if (!out->nulls)
      memcpy(scratch, nulls, w->rows);
    else
      for (uint32_t i = 0; i < w->rows; i++)
        scratch[i] |= nulls[i];
    out->nulls = scratch;
  }
}

rdx_status rdx_evaluate_strict(rdx_worker *w, const rdx_node *n, const uint8_t *active, rdx_values *out) {
  rdx_values args[4];
  uint8_t *nulls = NULL;
  RDX_TRY(rdx_take_values(w, n->class, out));
  RDX_TRY(rdx_take_flags(w, &nulls));
  const rdx_scratch_mark mark = rdx_scratch_top(&w->stack);
  for (uint32_t i = 0; i < n->count; i++)
    RDX_TRY(n->args[i]->evaluate(w, n->args[i], active, &args[i]));
  join_nulls(w, args, n->count, out, nulls);
  RDX_TRY(n->kernel(w, n, args, active, out));
  rdx_scratch_return(&w->stack, mark);
  return RDX_OK;
}

rdx_status rdx_not_kernel(RDX_VALUES_ARGUMENTS) {
  for (uint32_t i = 0; i < w->rows; i++)
    ((int64_t *)out->data)[i] = ((const int64_t *)args[0].data)[i] ^ 1;
  return RDX_OK;
}

/* ---- AND, OR ---- */

/* Flags are 0 or 1. */
static bool any_set(const uint8_t *flags, uint32_t count) {
  return memchr(flags, 1, count) != NULL;
}

/* What AND and OR know of rows so far: a row whose value is `decided`, false or true, is; another one is NULL where an
 * argument was. */
typedef struct junction {
  int64_t decided;
  int64_t *to;
  uint8_t *nulls, *open; /* room */
  bool has_nulls;
} junction;

/* The rows that nothing decides yet; false: there is none. */
static bool find_open(const rdx_worker *w, const junction *j, const uint8_t *active) {
  const int64_t *restrict to = j->to;
  uint8_t *restrict open = j->open;
  for (uint32_t i = 0; i < w->rows; i++)
    open[i] = (uint8_t)(to[i] ^ j->decided);
  for (uint32_t i = 0; i < w->rows; i++)
    open[i] &= active ? active[i] : 1;
  return any_set(open, w->rows);
}

/* Values of rows that were not open may be any number, of which one bit counts. */
static void join_values(uint32_t rows, int64_t decided, const int64_t *restrict from, int64_t *restrict to) {
  for (uint32_t i = 0; decided && i < rows; i++)
    to[i] |= from[i] & 1;
  for (uint32_t i = 0; !decided && i < rows; i++)
    to[i] &= from[i];
}

/* The same of values some of which are NULL. */
static void join_known(uint32_t rows, int64_t decided, const int64_t *restrict from, const uint8_t *restrict nulls,
                       int64_t *restrict to) {
  for (uint32_t i = 0; decided && i < rows; i++)
    to[i] |= from[i] & (nulls[i] ^ 1);
  for (uint32_t i = 0; !decided && i < rows; i++)
    to[i] &= from[i] | nulls[i];
}

static void join_argument(const rdx_worker *w, junction *j, const rdx_values *values) {
  if (!values->nulls) {
    join_values(w->rows, j->decided, values->data, j->to);
    return;
  }
  if (!j->has_nulls)
    memset(j->nulls, 0, w->rows);
  j->has_nulls = true;
  join_known(w->rows, j->decided, values->data, values->nulls, j->to);
  for (uint32_t i = 0; i < w->rows; i++)
    j->nulls[i] |= values->nulls[i];
}

/* NULL is what nothing decides. */
static bool keep_undecided(uint32_t rows, int64_t decided, const int64_t *restrict values, uint8_t *restrict nulls) {
  for (uint32_t i = 0; i < rows; i++)
    nulls[i] &= (uint8_t)(values[i] ^ decided);
  return any_set(nulls, rows);
}

/* AND and OR alike. Arguments that may fail are evaluated for rows that are open. */
static rdx_status evaluate_junction(rdx_worker *w, const rdx_node *n, const uint8_t *active, int64_t decided,
                                    rdx_values *out) {
  junction j = {.decided = decided};
  RDX_TRY(rdx_take_values(w, n->class, out));
  RDX_TRY(rdx_take_flags(w, &j.open));
  RDX_TRY(rdx_take_flags(w, &j.nulls));
  j.to = out->data;
  for (uint32_t i = 0; i < w->rows; i++)
    j.to[i] = !decided;
  for (uint32_t a = 0; a < n->count; a++) {
    rdx_values values;
    const bool masked = a > 0 && !n->args[a]->is_safe;
    const rdx_scratch_mark mark = rdx_scratch_top(&w->stack);
    if (masked && !find_open(w, &j, active))
      break;
    RDX_TRY(n->args[a]->evaluate(w, n->args[a], masked ? j.open : active, &values));
    join_argument(w, &j, &values);
    rdx_scratch_return(&w->stack, mark);
  }
  out->nulls = j.has_nulls && keep_undecided(w->rows, decided, j.to, j.nulls) ? j.nulls : NULL;
  return RDX_OK;
}

rdx_status rdx_evaluate_and(rdx_worker *w, const rdx_node *n, const uint8_t *active, rdx_values *out) {
  return evaluate_junction(w, n, active, 0, out);
}

rdx_status rdx_evaluate_or(rdx_worker *w, const rdx_node *n, const uint8_t *active, rdx_values *out) {
  return evaluate_junction(w, n, active, 1, out);
}

/* ---- IS ---- */

rdx_status rdx_evaluate_is_null(rdx_worker *w, const rdx_node *n, const uint8_t *active, rdx_values *out) {
  rdx_values value;
  RDX_TRY(rdx_take_values(w, n->class, out));
  const rdx_scratch_mark mark = rdx_scratch_top(&w->stack);
  RDX_TRY(n->args[0]->evaluate(w, n->args[0], active, &value));
  for (uint32_t i = 0; i < w->rows; i++)
    ((int64_t *)out->data)[i] = value.nulls ? value.nulls[i] : 0;
  rdx_scratch_return(&w->stack, mark);
  return RDX_OK;
}

rdx_status rdx_evaluate_is_true(rdx_worker *w, const rdx_node *n, const uint8_t *active, rdx_values *out) {
  rdx_values value;
  RDX_TRY(rdx_take_values(w, n->class, out));
  const rdx_scratch_mark mark = rdx_scratch_top(&w->stack);
  RDX_TRY(n->args[0]->evaluate(w, n->args[0], active, &value));
  for (uint32_t i = 0; i < w->rows; i++)
    ((int64_t *)out->data)[i] = ((const int64_t *)value.data)[i] & !(value.nulls && value.nulls[i]);
  rdx_scratch_return(&w->stack, mark);
  return RDX_OK;
}

/* Two NULLs are not distinct; the kernel compares for inequality. */
rdx_status rdx_evaluate_distinct(rdx_worker *w, const rdx_node *n, const uint8_t *active, rdx_values *out) {
  rdx_values args[2];
  RDX_TRY(rdx_take_values(w, n->class, out));
  const rdx_scratch_mark mark = rdx_scratch_top(&w->stack);
  for (uint32_t i = 0; i < 2; i++)
    RDX_TRY(n->args[i]->evaluate(w, n->args[i], active, &args[i]));
  RDX_TRY(n->kernel(w, n, args, active, out));
  int64_t *to = out->data;
  for (uint32_t i = 0; (args[0].nulls || args[1].nulls) && i < w->rows; i++) {
    const int a = args[0].nulls && args[0].nulls[i], b = args[1].nulls && args[1].nulls[i];
    to[i] = a | b ? a != b : to[i];
  }
  rdx_scratch_return(&w->stack, mark);
  return RDX_OK;
}

/* ---- Choices ---- */

#define BLEND(type)                                                                                                    \
  do {                                                                                                                 \
    const type *restrict from = values->data;                                                                          \
    type *restrict to = out->data;                                                                                     \
    for (uint32_t i = 0; i < w->rows; i++)                                                                             \
      to[i] = where[i] ? from[i] : to[i];                                                                              \
  } while (0)

/* By masks instead of branches: rows that are set may be every other one. */
typedef uint64_t __attribute__((may_alias)) any_word;

static void blend_words(uint32_t rows, const uint8_t *restrict where, const any_word *restrict from,
                        any_word *restrict to) {
  for (uint32_t i = 0; i < rows; i++)
    to[i] ^= (to[i] ^ from[i]) & -(uint64_t)where[i];
}

/* `from` NULL: none is. */
static void blend_nulls(uint32_t rows, const uint8_t *restrict where, const uint8_t *restrict from,
                        uint8_t *restrict to) {
  for (uint32_t i = 0; i < rows; i++)
    to[i] &= (uint8_t)(where[i] ^ 1);
  for (uint32_t i = 0; from && i < rows; i++)
    to[i] |= where[i] & from[i];
}

/* Take over the rows that are set in `where`. out->nulls has room. */
static void blend(const rdx_worker *w, rdx_class class, const uint8_t *where, const rdx_values *values,
                  rdx_values *out) {
  blend_nulls(w->rows, where, values->nulls, out->nulls);
  switch (class) {
  case RDX_CLASS_I64:
  case RDX_CLASS_F64:
    blend_words(w->rows, where, values->data, out->data);
    break;
  case RDX_CLASS_WIDE:
    BLEND(rdx_i128);
    break;
  case RDX_CLASS_TEXT:
    BLEND(rdx_sql_text);
    break;
  case RDX_CLASS_INTERVAL:
    BLEND(rdx_sql_interval);
    break;
  }
}

/* Values that are all NULL, to be blended into. */
static rdx_status take_choice(rdx_worker *w, const rdx_node *n, const uint8_t *active, uint8_t **left,
                              rdx_values *out) {
  RDX_TRY(rdx_take_values(w, n->class, out));
  RDX_TRY(rdx_take_flags(w, &out->nulls));
  RDX_TRY(rdx_take_flags(w, left));
  const rdx_datum zero = {.text = {"", 0}};
  if (n->class == RDX_CLASS_TEXT)
    for (uint32_t i = 0; i < w->rows; i++)
      rdx_put_value(out, n->class, i, &zero);
  else
    memset(out->data, 0, rdx_class_size(n->class) * w->rows);
  memset(out->nulls, 1, w->rows);
  if (active)
    memcpy(*left, active, w->rows);
  else
    memset(*left, 1, w->rows);
  return RDX_OK;
}

/* Without NULLs where there are none. */
static rdx_status end_choice(const rdx_worker *w, rdx_values *out) {
  if (!any_set(out->nulls, w->rows))
    out->nulls = NULL;
  return RDX_OK;
}

/* Of the rows that are left those where a condition is true are taken. */
static void take_true(uint32_t rows, const rdx_values *condition, uint8_t *restrict left, uint8_t *restrict taken) {
  const int64_t *restrict from = condition->data;
  const uint8_t *restrict nulls = condition->nulls;
  for (uint32_t i = 0; i < rows; i++)
    taken[i] = left[i] & (uint8_t)from[i];
  for (uint32_t i = 0; nulls && i < rows; i++)
    taken[i] &= nulls[i] ^ 1;
  for (uint32_t i = 0; i < rows; i++)
    left[i] ^= taken[i];
}

rdx_status rdx_evaluate_case(rdx_worker *w, const rdx_node *n, const uint8_t *active, rdx_values *out) {
  uint8_t *left = NULL, *taken = NULL;
  RDX_TRY(take_choice(w, n, active, &left, out));
  RDX_TRY(rdx_take_flags(w, &taken));
  for (uint32_t a = 0; a < n->count && any_set(left, w->rows); a += 2) {
    rdx_values values;
    const rdx_scratch_mark mark = rdx_scratch_top(&w->stack);
    if (a + 1 == n->count) { /* ELSE */
      RDX_TRY(n->args[a]->evaluate(w, n->args[a], left, &values));
      blend(w, n->class, left, &values, out);
      break;
    }
    RDX_TRY(n->args[a]->evaluate(w, n->args[a], left, &values));
    take_true(w->rows, &values, left, taken);
    rdx_scratch_return(&w->stack, mark);
    if (!any_set(taken, w->rows))
      continue;
    RDX_TRY(n->args[a + 1]->evaluate(w, n->args[a + 1], taken, &values));
    blend(w, n->class, taken, &values, out);
    rdx_scratch_return(&w->stack, mark);
  }
  return end_choice(w, out);
}

rdx_status rdx_evaluate_coalesce(rdx_worker *w, const rdx_node *n, const uint8_t *active, rdx_values *out) {
  uint8_t *left = NULL;
  RDX_TRY(take_choice(w, n, active, &left, out));
  for (uint32_t a = 0; a < n->count && any_set(left, w->rows); a++) {
    rdx_values values;
    const rdx_scratch_mark mark = rdx_scratch_top(&w->stack);
    RDX_TRY(n->args[a]->evaluate(w, n->args[a], left, &values));
    blend(w, n->class, left, &values, out);
    for (uint32_t i = 0; i < w->rows; i++)
      left[i] &= out->nulls[i];
    rdx_scratch_return(&w->stack, mark);
  }
  return end_choice(w, out);
}

/* GREATEST and LEAST, which leave NULLs out. */
rdx_status rdx_evaluate_extreme(rdx_worker *w, const rdx_node *n, const uint8_t *active, rdx_values *out) {
  uint8_t *where = NULL;
  int64_t *better = NULL;
  const rdx_values_fn compare =
      rdx_comparison_kernel(n->bound->op == RDX_OP_GREATEST ? RDX_OP_GT : RDX_OP_LT, n->class);
  RDX_TRY(take_choice(w, n, active, &where, out));
  RDX_TRY(rdx_scratch_take(&w->stack, w->rows * sizeof *better, (void **)&better, &w->err));
  for (uint32_t a = 0; a < n->count; a++) {
    rdx_values pair[2], result = {.data = better};
    const rdx_scratch_mark mark = rdx_scratch_top(&w->stack);
    RDX_TRY(n->args[a]->evaluate(w, n->args[a], active, &pair[0]));
    pair[1] = *out;
    RDX_TRY(compare(w, n, pair, active, &result));
    for (uint32_t i = 0; i < w->rows; i++) {
      const bool null = pair[0].nulls && pair[0].nulls[i];
      where[i] = !null && (out->nulls[i] || better[i]);
    }
    blend(w, n->class, where, &pair[0], out);
    rdx_scratch_return(&w->stack, mark);
  }
  return end_choice(w, out);
}
