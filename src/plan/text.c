/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

#include "plan/text.h"

#include <string.h>

#include "expression/evaluate.h"
#include "expression/functions.h"

#define MAX_LENGTH 400 /* of an expression's text: the rest is left out */

static const char *column_name(rdx_names_of names, uint32_t index) {
  const rdx_plan_node *n = names.node;
  if (n && names.inside && n->kind == RDX_PLAN_STAR && index < n->star->attribute_count) {
    const rdx_catalog_attribute *a = &n->star->attributes[index];
    const rdx_catalog_table *table = a->dimension ? n->star->dimensions[a->dimension - 1].table : n->star->fact;
    return table->columns[a->column].name;
  }
  if (n && names.inside && n->kind == RDX_PLAN_JOIN) {
    const uint32_t left = n->left->column_count;
    const rdx_plan_node *side = index < left ? n->left : n->right;
    return side->columns[index < left ? index : index - left].name;
  }
  return n && index < n->column_count ? n->columns[index].name : "";
}

static void print_column(rdx_names_of names, uint32_t index, rdx_printed *out) {
  const char *name = column_name(names, index);
  if (*name)
    rdx_print(out, "%s", name);
  else
    rdx_print(out, "#%u", index + 1); /* of an expression: its number */
}

static void print_wide(rdx_i128 value, uint8_t scale, rdx_printed *out) {
  char digits[48];
  size_t at = sizeof digits - 1;
  rdx_i128 rest = value < 0 ? -value : value;
  digits[at] = '\0';
  for (uint32_t n = 0; rest > 0 || n <= scale; n++, rest /= 10) {
    if (n == scale && scale > 0)
      digits[--at] = '.';
    digits[--at] = (char)('0' + (int)(rest % 10));
  }
  rdx_print(out, "%s%s", value < 0 ? "-" : "", digits + at);
}

static void print_constant(const rdx_bound *c, rdx_printed *out) {
  rdx_arena arena = {0};
  rdx_column column;
  char text[RDX_VALUE_TEXT];
  const rdx_sql_kind kind = c->type.kind;
  if (c->value.null) {
    rdx_print(out, "NULL");
  } else if (kind == RDX_SQL_TEXT || kind == RDX_SQL_UNKNOWN) {
    rdx_print(out, "'%.*s'", (int)(c->value.text.length < 100 ? c->value.text.length : 100), c->value.text.data);
  } else if (kind == RDX_SQL_DECIMAL) {
    print_wide(c->type.precision > 18 ? c->value.wide : c->value.i, c->type.scale, out);
  } else if (kind == RDX_SQL_INTERVAL) {
    rdx_print(out, "interval '%d months %d days %lld us'", c->value.interval.months, c->value.interval.days,
              (long long)c->value.interval.micros);
  } else if (rdx_datum_column(c->type, &c->value, 1, &arena, &column, out->err) == RDX_OK) {
    const bool quoted = kind == RDX_SQL_DATE || kind == RDX_SQL_TIMESTAMP;
    const size_t length = rdx_column_format(&column, 0, text);
    rdx_print(out, "%s%.*s%s", quoted ? "'" : "", (int)length, text, quoted ? "'" : "");
  }
  rdx_arena_free(&arena);
}

static void print_list(const rdx_bound *c, uint32_t first, const char *between, rdx_names_of names, rdx_printed *out) {
  for (uint32_t i = first; i < c->count; i++) {
    rdx_print(out, "%s", i > first ? between : "");
    if (out->size > MAX_LENGTH) {
      rdx_print(out, "...");
      return;
    }
    rdx_bound_text(c->args[i], names, out);
  }
}

static const char *const infix[] = {
    [RDX_OP_AND] = " AND ",     [RDX_OP_OR] = " OR ",
    [RDX_OP_EQ] = " = ",        [RDX_OP_NE] = " <> ",
    [RDX_OP_LT] = " < ",        [RDX_OP_LE] = " <= ",
    [RDX_OP_GT] = " > ",        [RDX_OP_GE] = " >= ",
    [RDX_OP_ADD] = " + ",       [RDX_OP_SUBTRACT] = " - ",
    [RDX_OP_MULTIPLY] = " * ",  [RDX_OP_DIVIDE] = " / ",
    [RDX_OP_MODULO] = " % ",    [RDX_OP_LIKE] = " LIKE ",
    [RDX_OP_ILIKE] = " ILIKE ", [RDX_OP_DISTINCT] = " IS DISTINCT FROM ",
};

static void print_case(const rdx_bound *c, rdx_names_of names, rdx_printed *out) {
  rdx_print(out, "CASE");
  for (uint32_t i = 0; i + 1 < c->count; i += 2) {
    rdx_print(out, " WHEN ");
    rdx_bound_text(c->args[i], names, out);
    rdx_print(out, " THEN ");
    rdx_bound_text(c->args[i + 1], names, out);
  }
  rdx_print(out, " ELSE ");
  rdx_bound_text(c->args[c->count - 1], names, out);
  rdx_print(out, " END");
}

static void print_call(const rdx_bound *c, rdx_names_of names, rdx_printed *out) {
  static const char *const named[] = {
      [RDX_OP_COALESCE] = "coalesce", [RDX_OP_GREATEST] = "greatest", [RDX_OP_LEAST] = "least"};
  char type[32];
  switch (c->op) {
  case RDX_OP_NOT:
  case RDX_OP_NEGATE:
    rdx_print(out, "%s", c->op == RDX_OP_NOT ? "NOT " : "-");
    rdx_bound_text(c->args[0], names, out);
    return;
  case RDX_OP_IS_NULL:
  case RDX_OP_IS_TRUE:
    rdx_bound_text(c->args[0], names, out);
    rdx_print(out, " IS %s", c->op == RDX_OP_IS_NULL ? "NULL" : "TRUE");
    return;
  case RDX_OP_IN:
    rdx_bound_text(c->args[0], names, out);
    rdx_print(out, " IN (");
    print_list(c, 1, ", ", names, out);
    rdx_print(out, ")");
    return;
  case RDX_OP_CAST:
    rdx_bound_text(c->args[0], names, out);
    rdx_print(out, "::%s", rdx_sql_type_text(c->type, type));
    return;
  case RDX_OP_CASE:
    print_case(c, names, out);
    return;
  case RDX_OP_COALESCE:
  case RDX_OP_GREATEST:
  case RDX_OP_LEAST:
  case RDX_OP_FUNCTION:
    if (c->op == RDX_OP_FUNCTION && strcmp(c->function->name, "random of") == 0) {
      rdx_print(out, "random()"); /* of numbers of rows */
      return;
    }
    rdx_print(out, "%s(", c->op == RDX_OP_FUNCTION ? c->function->name : named[c->op]);
    print_list(c, 0, ", ", names, out);
    rdx_print(out, ")");
    return;
  default:
    rdx_print(out, "(");
    print_list(c, 0, infix[c->op], names, out);
    rdx_print(out, ")");
  }
}

void rdx_bound_text(const rdx_bound *value, rdx_names_of names, rdx_printed *out) {
  switch (value->kind) {
  case RDX_BOUND_COLUMN:
  case RDX_BOUND_OUTER:
    print_column(names, value->index, out);
    return;
  case RDX_BOUND_CONSTANT:
    print_constant(value, out);
    return;
  case RDX_BOUND_PARAMETER:
    rdx_print(out, "$%u", value->index + 1);
    return;
  case RDX_BOUND_CALL:
    print_call(value, names, out);
  }
}
