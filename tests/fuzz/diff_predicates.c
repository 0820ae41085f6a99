/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors
 *
 * Random predicates, and their truth in three-valued logic. */

#include "diff.h"

#include <string.h>

static bool goes_with_numbers(rdx_type type) {
  return is_integer(type) || type == RDX_TYPE_DECIMAL;
}

/* A number of another type: its own, or near to a value of the pool at another scale. */
static cell other_number(const pool *p, rdx_type type, uint8_t scale) {
  cell c = pool_probe(p);
  if (chance(40) && p->scale < scale)
    c.bits = (uint64_t)(c.bits * (u128)ten_to(scale - p->scale));
  else if (chance(60) && p->scale > scale)
    c.bits = (uint64_t)((int64_t)c.bits / (int64_t)ten_to(p->scale - scale));
  c.bits += chance(70) ? 0 : chance(50) ? 1 : UINT64_MAX;
  const pool other = {.type = type, .scale = scale};
  if (chance(10))
    return pool_cell(&other);
  return c; /* stored in the bytes that the type has */
}

static cell other_real(const pool *p, rdx_type type) {
  cell c = pool_probe(p);
  if (type == RDX_TYPE_F64) {
    float f;
    memcpy(&f, &c.bits, sizeof f);
    double d = f;
    if (chance(30))
      d *= 1 + 0x1p-40;
    memcpy(&c.bits, &d, sizeof d);
  } else {
    double d;
    memcpy(&d, &c.bits, sizeof d);
    const float f = (float)d;
    c.bits = 0;
    memcpy(&c.bits, &f, sizeof f);
  }
  return c;
}

/* A type whose values no column of this type may be compared with. */
static rdx_type foreign_type(rdx_type type) {
  if (type == RDX_TYPE_STRING)
    return RDX_TYPE_I32;
  if (is_float(type) || goes_with_numbers(type))
    return RDX_TYPE_STRING;
  return type == RDX_TYPE_TIMESTAMP ? RDX_TYPE_DATE : RDX_TYPE_TIMESTAMP;
}

static rdx_column literals(const pool *p, uint64_t count, refusal *r) {
  rdx_type type = p->type;
  uint8_t scale = p->scale;
  if (count > 0 && below(300) == 0) {
    const pool foreign = pool_make(foreign_type(type), 3, false);
    must_refuse(r, RDX_ERROR_ARGUMENT, "a literal of another kind of type");
    return pool_column(&foreign, count, 0);
  }
  if (goes_with_numbers(type) && chance(30)) {
    type = random_type(TYPES_WHOLE);
    scale = type == RDX_TYPE_DECIMAL ? (uint8_t)below(19) : 0;
  } else if (is_float(type) && chance(30)) {
    type = type == RDX_TYPE_F32 ? RDX_TYPE_F64 : RDX_TYPE_F32;
  }
  const bool other = type != p->type || scale != p->scale;
  cell *cells = take(count * sizeof *cells);
  for (uint64_t i = 0; i < count; i++) {
    cells[i] = !other ? pool_probe(p) : is_float(type) ? other_real(p, type) : other_number(p, type, scale);
    cells[i].null = below(50) == 0;
  }
  return column_make(type, scale, cells, count);
}

static void leaf(rdx_predicate *p, const pool *pools, uint32_t count, refusal *r) {
  p->column = (uint32_t)below(count);
  p->kind = (rdx_predicate_kind)(RDX_PREDICATE_EQ + below(RDX_PREDICATE_IS_NOT_NULL - RDX_PREDICATE_EQ + 1));
  if (p->kind >= RDX_PREDICATE_IS_NULL && chance(50))
    p->kind = RDX_PREDICATE_BETWEEN;
  uint64_t values = 0;
  if (p->kind == RDX_PREDICATE_BETWEEN)
    values = 2;
  else if (p->kind == RDX_PREDICATE_IN)
    values = chance(90) ? below(8) : below(200);
  else if (p->kind < RDX_PREDICATE_BETWEEN)
    values = 1;
  if (p->kind >= RDX_PREDICATE_IS_NULL)
    return;
  p->values = literals(&pools[p->column], values, r);
  if (p->kind == RDX_PREDICATE_BETWEEN && chance(85) && compare_rows(&p->values, 0, &p->values, 1) > 0) {
    p->kind = RDX_PREDICATE_GE; /* mostly the ends of BETWEEN are in order */
    p->values.rows = 1;
  }
}

static void grow(rdx_predicate *p, const pool *pools, uint32_t count, unsigned depth, refusal *r) {
  *p = (rdx_predicate){.kind = RDX_PREDICATE_TRUE};
  if (below(60) == 0)
    return;
  if (depth == 0 || (depth < 4 && chance(20))) {
    leaf(p, pools, count, r);
    return;
  }
  const uint64_t kind = below(10);
  p->kind = kind < 5 ? RDX_PREDICATE_AND : kind < 8 ? RDX_PREDICATE_OR : RDX_PREDICATE_NOT;
  p->child_count = p->kind == RDX_PREDICATE_NOT ? 1 : chance(95) ? 1 + (uint32_t)below(4) : 0;
  rdx_predicate *children = take(p->child_count * sizeof *children);
  for (uint32_t i = 0; i < p->child_count; i++)
    grow(&children[i], pools, count, depth - 1, r);
  p->children = children;
}

rdx_predicate *predicate_make(const pool *pools, uint32_t count, refusal *r) {
  rdx_predicate *p = take(sizeof *p);
  const unsigned depth = (unsigned)(chance(95) ? below(4) : below(6));
  grow(p, pools, count, depth, r);
  return p;
}

/* ---- Truth ---- */

static int compares(const value *v, const rdx_predicate *p, uint64_t i) {
  const value literal = value_at(&p->values, i);
  if (literal.kind == VALUE_NULL)
    return 9; /* unknown */
  return value_compare(v, &literal);
}

static int opposite(int truth) {
  return truth == 2 ? 2 : !truth;
}

static int both(int a, int b) {
  return a == 0 || b == 0 ? 0 : a == 2 || b == 2 ? 2 : 1;
}

static int compare_truth(const value *v, const rdx_predicate *p) {
  const int order = compares(v, p, 0);
  if (order == 9)
    return 2;
  switch (p->kind) {
  case RDX_PREDICATE_EQ:
    return order == 0;
  case RDX_PREDICATE_NE:
    return order != 0;
  case RDX_PREDICATE_LT:
    return order < 0;
  case RDX_PREDICATE_LE:
    return order <= 0;
  case RDX_PREDICATE_GT:
    return order > 0;
  default:
    return order >= 0;
  }
}

static int leaf_truth(const rdx_predicate *p, const value *v) {
  if (p->kind == RDX_PREDICATE_IS_NULL)
    return v->kind == VALUE_NULL;
  if (p->kind == RDX_PREDICATE_IS_NOT_NULL)
    return v->kind != VALUE_NULL;
  if (p->kind == RDX_PREDICATE_IN && p->values.rows == 0)
    return 0;
  if (v->kind == VALUE_NULL)
    return 2;
  if (p->kind == RDX_PREDICATE_BETWEEN) {
    const int low = compares(v, p, 0), high = compares(v, p, 1);
    return both(low == 9 ? 2 : low >= 0, high == 9 ? 2 : high <= 0);
  }
  if (p->kind != RDX_PREDICATE_IN)
    return compare_truth(v, p);
  int truth = 0;
  for (uint64_t i = 0; i < p->values.rows && truth != 1; i++) {
    const int order = compares(v, p, i);
    if (order == 0)
      truth = 1;
    else if (order == 9)
      truth = 2;
  }
  return truth;
}

int predicate_truth(const rdx_predicate *p, const rdx_column *columns, const uint64_t *rows, uint64_t row) {
  int truth;
  switch (p->kind) {
  case RDX_PREDICATE_TRUE:
    return 1;
  case RDX_PREDICATE_AND:
    truth = 1;
    for (uint32_t i = 0; i < p->child_count && truth; i++)
      truth = both(truth, predicate_truth(&p->children[i], columns, rows, row));
    return truth;
  case RDX_PREDICATE_OR:
    truth = 0;
    for (uint32_t i = 0; i < p->child_count && truth != 1; i++)
      truth = opposite(both(opposite(truth), opposite(predicate_truth(&p->children[i], columns, rows, row))));
    return truth;
  case RDX_PREDICATE_NOT:
    return opposite(predicate_truth(p->children, columns, rows, row));
  default: {
    const value v = value_at(&columns[p->column], rows ? rows[p->column] : row);
    return leaf_truth(p, &v);
  }
  }
}

/* ---- Text ---- */

void predicate_note(const rdx_predicate *p) {
  static const char *const names[] = {"TRUE", "AND", "OR", "NOT",     "=",  "<>",      "<",
                                      "<=",   ">",   ">=", "BETWEEN", "IN", "IS NULL", "IS NOT NULL"};
  if (p->kind == RDX_PREDICATE_TRUE) {
    note("TRUE");
    return;
  }
  if (p->kind < RDX_PREDICATE_EQ) {
    note("%s(", names[p->kind]);
    for (uint32_t i = 0; i < p->child_count; i++) {
      if (i)
        note(", ");
      predicate_note(&p->children[i]);
    }
    note(")");
    return;
  }
  note("#%u %s", p->column, names[p->kind]);
  if (p->kind >= RDX_PREDICATE_IS_NULL)
    return;
  note(" %s", rdx_type_name(p->values.type));
  for (uint64_t i = 0; i < p->values.rows; i++) {
    char text[200];
    const value v = value_at(&p->values, i);
    value_print(&v, text, sizeof text);
    note(" %s", text);
  }
}
