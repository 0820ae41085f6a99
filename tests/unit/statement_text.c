/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

#include "statement_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct writer {
  char *out;
  size_t used, capacity;
} writer;

static void put(writer *w, const char *format, ...) RDX_PRINTF(2, 3);

static void put(writer *w, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int written = vsnprintf(w->out + w->used, w->capacity - w->used, format, arguments);
  va_end(arguments);
  w->used = w->used + (size_t)written < w->capacity ? w->used + (size_t)written : w->capacity - 1;
}

static void put_query(writer *w, const rdx_sql_query *q);
static void put_ast(writer *w, const rdx_ast *a);

static void put_list(writer *w, rdx_ast *const *list, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    put(w, i > 0 ? ", " : "");
    put_ast(w, list[i]);
  }
}

static void put_names(writer *w, const char *const *names, uint32_t count) {
  put(w, "(");
  for (uint32_t i = 0; i < count; i++)
    put(w, "%s%s", i > 0 ? "," : "", names[i]);
  put(w, ")");
}

static void put_modifiers(writer *w, const int32_t *modifiers, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    put(w, ":%d", (int)modifiers[i]);
}

static void put_orders(writer *w, const rdx_sql_order *orders, uint32_t count) {
  static const char *const nulls[] = {"", " nulls first", " nulls last"};
  for (uint32_t i = 0; i < count; i++) {
    put(w, i > 0 ? ", " : " order ");
    put_ast(w, orders[i].value);
    put(w, "%s%s", orders[i].descending ? " desc" : "", nulls[orders[i].nulls]);
  }
}

static void put_call(writer *w, const rdx_ast *a) {
  put(w, "[%s]%s%s(", a->name, a->star ? " *" : "", a->distinct ? " distinct" : "");
  put_list(w, a->args, a->count);
  put(w, a->within_group ? ") within (" : "");
  put_orders(w, a->orders, a->order_count);
  put(w, ")");
  if (a->filter) {
    put(w, " filter ");
    put_ast(w, a->filter);
  }
}

static void put_ast(writer *w, const rdx_ast *a) {
  switch (a->kind) {
  case RDX_AST_COLUMN:
    put(w, "%s%s%s", a->qualifier ? a->qualifier : "", a->qualifier ? "." : "", a->name);
    return;
  case RDX_AST_STAR:
    put(w, "%s%s*", a->qualifier ? a->qualifier : "", a->qualifier ? "." : "");
    return;
  case RDX_AST_STRING:
    put(w, "'%s'", a->name);
    return;
  case RDX_AST_PARAMETER:
    put(w, "$%u", a->number);
    return;
  case RDX_AST_CALL:
    put_call(w, a);
    return;
  case RDX_AST_CAST:
    put(w, "<%s", a->name);
    put_modifiers(w, a->modifiers, a->modifier_count);
    put(w, "%s%s>(", a->field ? " " : "", a->field ? a->field : "");
    put_list(w, a->args, a->count);
    put(w, ")");
    return;
  case RDX_AST_SCALAR:
  case RDX_AST_EXISTS:
  case RDX_AST_QUANTIFY:
    put(w, a->kind == RDX_AST_SCALAR ? "scalar" : a->kind == RDX_AST_EXISTS ? "exists" : "");
    if (a->kind == RDX_AST_QUANTIFY) {
      put_list(w, a->args, a->count);
      put(w, " %s %s", a->name, a->all ? "all" : "any");
    }
    put(w, "{");
    put_query(w, a->query);
    put(w, "}");
    return;
  default:
    put(w, "%s%s", a->kind == RDX_AST_NUMBER ? "#" : "", a->name);
  }
}

static void put_from(writer *w, const rdx_from *f) {
  static const char *const joins[] = {"inner", "left", "right", "full"};
  if (f->kind == RDX_FROM_TABLE) {
    put(w, "%s", f->name);
  } else if (f->kind == RDX_FROM_QUERY) {
    put(w, "%s{", f->lateral ? "lateral " : "");
    put_query(w, f->query);
    put(w, "}");
  } else if (f->kind == RDX_FROM_SERIES) {
    put_ast(w, f->call);
  } else {
    put(w, "(");
    put_from(w, f->left);
    put(w, " %s%s ", f->natural ? "natural " : "", joins[f->join]);
    put_from(w, f->right);
    if (f->on) {
      put(w, " on ");
      put_ast(w, f->on);
    }
    if (f->using_count > 0) {
      put(w, " using ");
      put_names(w, f->using_columns, f->using_count);
    }
    put(w, ")");
  }
  if (f->alias)
    put(w, " as %s", f->alias);
  if (f->column_count > 0)
    put_names(w, f->columns, f->column_count);
}

static void put_grouping(writer *w, const rdx_grouping *g) {
  static const char *const kinds[] = {"", "sets", "rollup", "cube"};
  put(w, "%s<", kinds[g->kind]);
  put_list(w, g->exprs, g->expr_count);
  for (uint32_t i = 0; i < g->child_count; i++)
    put_grouping(w, g->children[i]);
  put(w, ">");
}

static void put_targets(writer *w, const rdx_sql_target *targets, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    put(w, i > 0 ? ", " : "");
    put_ast(w, targets[i].value);
    if (targets[i].alias)
      put(w, " as %s", targets[i].alias);
  }
}

static void put_select(writer *w, const rdx_sql_query *q) {
  put(w, "select%s ", q->distinct ? " distinct" : "");
  put_targets(w, q->targets, q->target_count);
  for (uint32_t i = 0; i < q->from_count; i++) {
    put(w, i > 0 ? ", " : " from ");
    put_from(w, q->from[i]);
  }
  if (q->where) {
    put(w, " where ");
    put_ast(w, q->where);
  }
  for (uint32_t i = 0; i < q->group_count; i++) {
    put(w, i > 0 ? ", " : " group ");
    put_grouping(w, q->group_by[i]);
  }
  if (q->having) {
    put(w, " having ");
    put_ast(w, q->having);
  }
}

static void put_body(writer *w, const rdx_sql_query *q) {
  static const char *const kinds[] = {"select", "values", "union", "intersect", "except"};
  if (q->kind == RDX_QUERY_SELECT) {
    put_select(w, q);
  } else if (q->kind == RDX_QUERY_VALUES) {
    put(w, "values");
    for (uint32_t r = 0; r < q->row_count; r++) {
      put(w, " (");
      put_list(w, q->values + (size_t)r * q->width, q->width);
      put(w, ")");
    }
  } else {
    put(w, "{");
    put_query(w, q->left);
    put(w, "} %s%s {", kinds[q->kind], q->all ? " all" : "");
    put_query(w, q->right);
    put(w, "}");
  }
}

static void put_query(writer *w, const rdx_sql_query *q) {
  for (uint32_t i = 0; i < q->cte_count; i++) {
    put(w, "with %s", q->ctes[i].name);
    if (q->ctes[i].column_count > 0)
      put_names(w, q->ctes[i].columns, q->ctes[i].column_count);
    put(w, "{");
    put_query(w, q->ctes[i].query);
    put(w, "} ");
  }
  put_body(w, q);
  put_orders(w, q->order_by, q->order_count);
  if (q->limit) {
    put(w, " limit ");
    put_ast(w, q->limit);
  }
  if (q->offset) {
    put(w, " offset ");
    put_ast(w, q->offset);
  }
}

static void put_declaration(writer *w, const rdx_sql_column *c) {
  put(w, "%s%s", c->not_null ? " not null" : "", c->nullable ? " null" : "");
  if (c->value) {
    put(w, " = ");
    put_ast(w, c->value);
    put(w, " '%s'", c->value_text);
  }
}

static void put_alteration(writer *w, const rdx_sql_alteration *a) {
  static const char *const kinds[] = {"rename", "rename", "add", "drop", "default", "set not null", "drop not null"};
  put(w, " %s%s %s", kinds[a->kind], a->conditional ? " if" : "", a->kind == RDX_ALTER_ADD ? a->column.name : "");
  put(w, "%s%s%s", a->name ? a->name : "", a->to ? " to " : "", a->to ? a->to : "");
  if (a->kind == RDX_ALTER_ADD) {
    put(w, " %s", a->column.type);
    put_modifiers(w, a->column.modifiers, a->column.modifier_count);
  }
  put_declaration(w, &a->column);
}

static void put_statement(writer *w, const rdx_sql_statement *s) {
  static const char *const kinds[] = {"select",      "explain",     "create table", "create table as",
                                      "define view", "create view", "create index", "alter table",
                                      "drop",        "insert",      "update",       "delete",
                                      "merge",       "copy",        "prepare",      "execute",
                                      "deallocate",  "set",         "show",         "analyze"};
  const char *const texts[][2] = {{"name", s->name},     {"table", s->table}, {"method", s->method},
                                  {"object", s->object}, {"path", s->path},   {"value", s->value}};
  if (s->kind != RDX_STATEMENT_SELECT)
    put(w, "%s:", kinds[s->kind]);
  for (size_t i = 0; i < RDX_COUNT(texts); i++)
    if (texts[i][1])
      put(w, " %s=%s", texts[i][0], texts[i][1]);
  put(w, "%s%s%s%s%s%s%s", s->analyze ? " analyze" : "", s->json ? " json" : "", s->if_exists ? " if exists" : "",
      s->if_not_exists ? " if not exists" : "", s->from ? " from" : "", s->with_data ? " data" : "",
      s->replaces ? " replaces" : "");
  if (s->name_count > 0) {
    put(w, " ");
    put_names(w, s->names, s->name_count);
  }
  for (uint32_t i = 0; i < s->column_count; i++) {
    put(w, " %s %s", s->columns[i].name, s->columns[i].type);
    put_modifiers(w, s->columns[i].modifiers, s->columns[i].modifier_count);
    put_declaration(w, &s->columns[i]);
  }
  for (uint32_t i = 0; i < s->alteration_count; i++)
    put_alteration(w, &s->alterations[i]);
  for (uint32_t i = 0; i < s->option_count; i++) {
    put(w, " %s=", s->options[i].name);
    put_names(w, s->options[i].values, s->options[i].count);
  }
  if (s->arg_count > 0) {
    put(w, " ");
    put_list(w, s->args, s->arg_count);
  }
  if (s->query) {
    put(w, s->kind == RDX_STATEMENT_SELECT ? "" : " ");
    put_query(w, s->query);
  }
  if (s->returning_count > 0) {
    put(w, " returning ");
    put_targets(w, s->returning, s->returning_count);
  }
  if (s->inner) {
    put(w, " ");
    put_statement(w, s->inner);
  }
  if (s->parameters > 0)
    put(w, " /%u", s->parameters);
}

const char *statement_text(const rdx_sql_statement *s, char *out, size_t capacity) {
  writer w = {out, 0, capacity};
  out[0] = '\0';
  put_statement(&w, s);
  return out;
}
