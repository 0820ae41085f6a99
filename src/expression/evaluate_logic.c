/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Nodes that see NULLs, or evaluate an argument for some rows only. */

#include <string.h>

#include "expression/block.h"

/* ---- Strict nodes ---- */

static void join_nulls(const rdx_worker *w, const rdx_values *args, uint32_t count, rdx_values *out, uint8_t *room) {
  out->nulls = NULL;
  for (uint32_t a = 0; a < count; a++) {
    const uint8_t *nulls = args[a].nulls;
    if (!nulls)
      continue;
    if (!out->nulls)
      memcpy(room, nulls, w->rows);
    else
      for (uint32_t i = 0; i < w->rows; i++)
        room[i] |= nulls[i];
    out->nulls = room;
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

rdx_status rdx_not_kernel(rdx_worker *w, const rdx_node *n, const rdx_values *args, const uint8_t *active,
                          rdx_values *out) {
  (void)n;
  (void)active;
  for (uint32_t i = 0; i < w->rows; i++)
    ((int64_t *)out->data)[i] = ((const int64_t *)args[0].data)[i] ^ 1;
  return RDX_OK;
}

/* ---- AND, OR ---- */

/* AND and OR alike: `decided` is the value that decides a row, false or true. A row goes on to the next argument until
 * one decides it; it is NULL where none does and one is NULL. */
static rdx_status evaluate_junction(rdx_worker *w, const rdx_node *n, const uint8_t *active, int64_t decided,
                                    rdx_values *out) {
  uint8_t *open = NULL, *nulls = NULL, any_null = 0;
  RDX_TRY(rdx_take_values(w, n->class, out));
  RDX_TRY(rdx_take_flags(w, &open));
  RDX_TRY(rdx_take_flags(w, &nulls));
  int64_t *to = out->data;
  memset(nulls, 0, w->rows);
  for (uint32_t i = 0; i < w->rows; i++) {
    to[i] = !decided;
    open[i] = !active || active[i];
  }
  for (uint32_t a = 0; a < n->count; a++) {
    rdx_values values;
    uint8_t any = 0;
    const rdx_scratch_mark mark = rdx_scratch_top(&w->stack);
    RDX_TRY(n->args[a]->evaluate(w, n->args[a], open, &values));
    const int64_t *from = values.data;
    for (uint32_t i = 0; i < w->rows; i++) {
      const uint8_t null = values.nulls ? values.nulls[i] : 0;
      const uint8_t here = (uint8_t)(!null & (from[i] == decided));
      nulls[i] |= null;
      to[i] ^= here & (to[i] != decided);
      open[i] &= !here;
      any |= open[i];
    }
    rdx_scratch_return(&w->stack, mark);
    if (!any)
      break;
  }
  for (uint32_t i = 0; i < w->rows; i++) {
    nulls[i] &= to[i] != decided;
    any_null |= nulls[i];
  }
  out->nulls = any_null ? nulls : NULL;
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
    for (uint32_t i = 0; i < w->rows; i++)                                                                             \
      if (where[i])                                                                                                    \
        ((type *)out->data)[i] = ((const type *)values->data)[i];                                                      \
  } while (0)

/* Take over the rows that are set in `where`. out->nulls has room. */
static void blend(const rdx_worker *w, rdx_class class, const uint8_t *where, const rdx_values *values,
                  rdx_values *out) {
  for (uint32_t i = 0; i < w->rows; i++)
    if (where[i])
      out->nulls[i] = values->nulls ? values->nulls[i] : 0;
  switch (class) {
  case RDX_CLASS_I64:
    BLEND(int64_t);
    break;
  case RDX_CLASS_WIDE:
    BLEND(rdx_i128);
    break;
  case RDX_CLASS_F64:
    BLEND(double);
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

static bool any_set(const uint8_t *flags, uint32_t count) {
  return memchr(flags, 1, count) != NULL;
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
    for (uint32_t i = 0; i < w->rows; i++) {
      const int64_t is_true = ((const int64_t *)values.data)[i] & !(values.nulls && values.nulls[i]);
      taken[i] = left[i] & (uint8_t)is_true;
      left[i] &= !is_true;
    }
    rdx_scratch_return(&w->stack, mark);
    if (!any_set(taken, w->rows))
      continue;
    RDX_TRY(n->args[a + 1]->evaluate(w, n->args[a + 1], taken, &values));
    blend(w, n->class, taken, &values, out);
    rdx_scratch_return(&w->stack, mark);
  }
  return RDX_OK;
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
  return RDX_OK;
}

/* GREATEST and LEAST, which leave NULLs out. */
rdx_status rdx_evaluate_extreme(rdx_worker *w, const rdx_node *n, const uint8_t *active, rdx_values *out) {
  uint8_t *where = NULL;
  int64_t *better = NULL;
  const rdx_kernel_fn compare =
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
  return RDX_OK;
}
