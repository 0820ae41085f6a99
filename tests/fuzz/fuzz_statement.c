/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Any text as statements: each fails with an error text, or gives a tree of which every part can be read, no deeper
 * than its limit, with places inside the text. */

#include "sql/statement.h"
#include "tests/fuzz/replay.h"

typedef struct reader {
  size_t size; /* of the text */
  uint32_t levels;
  uint64_t left; /* visits: CASE x WHEN shares its x */
} reader;

static volatile size_t sink;

static void read_query(reader *r, const rdx_sql_query *q);

static void enter(reader *r, rdx_sql_place place) {
  CHECK(place <= r->size);
  CHECK(++r->levels <= RDX_SQL_MAX_LEVELS + 1);
}

static void read_text(const char *text) {
  if (text)
    sink += strlen(text);
}

static void read_texts(const char *const *texts, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    CHECK(texts[i]);
    read_text(texts[i]);
  }
}

/* The numbers that have their sign with them. */
static bool is_smallest(const char *digits) {
  return strcmp(digits, "-2147483648") == 0 || strcmp(digits, "-9223372036854775808") == 0;
}

static void read_ast(reader *r, const rdx_ast *a);

static void read_window(reader *r, const rdx_sql_window *w) {
  CHECK(w->place <= r->size && w->unit <= RDX_FRAME_GROUPS && w->exclusion <= RDX_EXCLUDE_TIES);
  for (uint32_t i = 0; i < w->partition_count; i++)
    read_ast(r, w->partition[i]);
  for (uint32_t i = 0; i < w->order_count; i++)
    read_ast(r, w->orders[i].value);
  if (w->begin_offset)
    read_ast(r, w->begin_offset);
  if (w->end_offset)
    read_ast(r, w->end_offset);
}

static void read_ast(reader *r, const rdx_ast *a) {
  CHECK(a && a->kind <= RDX_AST_QUANTIFY);
  if (r->left == 0)
    return;
  r->left--;
  enter(r, a->place);
  CHECK(a->name || a->kind == RDX_AST_STAR || a->kind == RDX_AST_PARAMETER || a->kind == RDX_AST_SCALAR ||
        a->kind == RDX_AST_EXISTS);
  CHECK(a->kind != RDX_AST_NUMBER || (a->name[0] != '\0' && (a->name[0] != '-' || is_smallest(a->name))));
  CHECK(a->modifier_count <= 2);
  read_texts((const char *const[]){a->name ? a->name : "", a->qualifier ? a->qualifier : "", a->field ? a->field : ""},
             3);
  for (uint32_t i = 0; i < a->count; i++)
    read_ast(r, a->args[i]);
  if (a->filter)
    read_ast(r, a->filter);
  for (uint32_t i = 0; i < a->order_count; i++)
    read_ast(r, a->orders[i].value);
  if (a->over)
    read_window(r, a->over);
  CHECK(!a->query == (a->kind < RDX_AST_SCALAR));
  if (a->query)
    read_query(r, a->query);
  r->levels--;
}

static void read_asts(reader *r, rdx_ast *const *asts, uint64_t count) {
  for (uint64_t i = 0; i < count; i++)
    read_ast(r, asts[i]);
}

static void read_from(reader *r, const rdx_from *f) {
  enter(r, f->place);
  read_text(f->alias);
  read_texts(f->columns, f->column_count);
  if (f->kind == RDX_FROM_TABLE)
    read_texts(&f->name, 1);
  if (f->kind == RDX_FROM_QUERY)
    read_query(r, f->query);
  if (f->kind == RDX_FROM_SERIES)
    read_ast(r, f->call);
  if (f->kind == RDX_FROM_JOIN) {
    read_from(r, f->left);
    read_from(r, f->right);
    read_texts(f->using_columns, f->using_count);
    if (f->on)
      read_ast(r, f->on);
  }
  r->levels--;
}

static void read_grouping(reader *r, const rdx_grouping *g) {
  enter(r, 0);
  CHECK(g->kind == RDX_GROUPING_SIMPLE ? g->child_count == 0 : g->expr_count == 0);
  read_asts(r, g->exprs, g->expr_count);
  for (uint32_t i = 0; i < g->child_count; i++)
    read_grouping(r, g->children[i]);
  r->levels--;
}

static void read_body(reader *r, const rdx_sql_query *q) {
  if (q->kind == RDX_QUERY_VALUES) {
    CHECK(q->width > 0 && q->row_count > 0);
    read_asts(r, q->values, (uint64_t)q->row_count * q->width);
  } else if (q->kind != RDX_QUERY_SELECT) {
    read_query(r, q->left);
    read_query(r, q->right);
  }
  for (uint32_t i = 0; i < q->target_count; i++) {
    read_text(q->targets[i].alias);
    read_ast(r, q->targets[i].value);
  }
  for (uint32_t i = 0; i < q->from_count; i++)
    read_from(r, q->from[i]);
  for (uint32_t i = 0; i < q->group_count; i++)
    read_grouping(r, q->group_by[i]);
}

static void read_query(reader *r, const rdx_sql_query *q) {
  CHECK(q);
  enter(r, q->place);
  for (uint32_t i = 0; i < q->cte_count; i++) {
    read_texts(&q->ctes[i].name, 1);
    read_texts(q->ctes[i].columns, q->ctes[i].column_count);
    read_query(r, q->ctes[i].query);
  }
  read_body(r, q);
  for (uint32_t i = 0; i < q->order_count; i++)
    read_ast(r, q->order_by[i].value);
  const rdx_ast *const rest[] = {q->where, q->having, q->limit, q->offset};
  for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
    if (rest[i])
      read_ast(r, rest[i]);
  r->levels--;
}

static void read_constraint(reader *r, const rdx_sql_constraint *k) {
  CHECK(k->kind <= RDX_CONSTRAINT_CHECK && k->place <= r->size);
  CHECK(!k->check == (k->kind != RDX_CONSTRAINT_CHECK) && !k->check == !k->check_text);
  read_text(k->name);
  read_texts(k->columns, k->column_count);
  if (k->check) {
    read_text(k->check_text);
    read_ast(r, k->check);
  }
}

static void read_column(reader *r, const rdx_sql_column *c) {
  CHECK(c->modifier_count <= 2 && c->place <= r->size && !c->value == !c->value_text);
  if (c->value) {
    read_text(c->value_text);
    read_ast(r, c->value);
  }
  for (uint32_t i = 0; i < c->constraint_count; i++)
    read_constraint(r, &c->constraints[i]);
}

static void read_statement(reader *r, const rdx_sql_statement *s);

/* What is done with rows whose keys are there, or that match. */
static void read_actions(reader *r, const rdx_sql_statement *s) {
  if (s->conflict) {
    CHECK(s->conflict->place <= r->size);
    read_text(s->conflict->constraint);
    read_texts(s->conflict->columns, s->conflict->column_count);
    if (s->conflict->update)
      read_statement(r, s->conflict->update);
    if (s->conflict->where)
      read_ast(r, s->conflict->where);
  }
  for (uint32_t i = 0; i < s->merge_count; i++) {
    const rdx_sql_merge *m = &s->merges[i];
    const bool sets = m->action == RDX_MERGE_UPDATE || m->action == RDX_MERGE_INSERT;
    CHECK(m->action <= RDX_MERGE_INSERT && (m->set || !sets));
    if (m->condition)
      read_ast(r, m->condition);
    if (m->set)
      read_statement(r, m->set);
  }
  for (uint32_t i = 0; i < s->returning_count; i++)
    read_ast(r, s->returning[i].value);
}

static void read_alterations(reader *r, const rdx_sql_statement *s) {
  for (uint32_t i = 0; i < s->alteration_count; i++) {
    const rdx_sql_alteration *a = &s->alterations[i];
    CHECK(a->kind <= RDX_ALTER_RENAME_CONSTRAINT);
    read_text(a->name);
    read_text(a->to);
    if (a->kind == RDX_ALTER_ADD)
      read_texts((const char *const[]){a->column.name, a->column.type}, 2);
    read_column(r, &a->column);
    if (a->kind == RDX_ALTER_ADD_CONSTRAINT)
      read_constraint(r, &a->constraint);
  }
}

static void read_statement(reader *r, const rdx_sql_statement *s) {
  const char *const texts[] = {s->name, s->table, s->method, s->object, s->path, s->value};
  CHECK(s->kind <= RDX_STATEMENT_ANALYZE);
  CHECK(s->place <= r->size);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    read_text(texts[i]);
  read_texts(s->names, s->name_count);
  for (uint32_t i = 0; i < s->column_count; i++) {
    read_texts((const char *const[]){s->columns[i].name, s->columns[i].type}, 2);
    read_column(r, &s->columns[i]);
  }
  for (uint32_t i = 0; i < s->constraint_count; i++)
    read_constraint(r, &s->constraints[i]);
  read_actions(r, s);
  read_alterations(r, s);
  for (uint32_t i = 0; i < s->option_count; i++) {
    read_texts(&s->options[i].name, 1);
    read_texts(s->options[i].values, s->options[i].count);
  }
  read_asts(r, s->args, s->arg_count);
  if (s->query)
    read_query(r, s->query);
  if (s->inner)
    read_statement(r, s->inner);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1);
  CHECK(text);
  memcpy(text, data, size);
  text[size] = '\0';
  for (const char *at = text; *at;) {
    rdx_arena arena = {0};
    rdx_error err = {""};
    rdx_sql_statement *statement = NULL;
    const char *next = NULL;
    const rdx_status status = rdx_sql_parse(at, &arena, &statement, &next, &err);
    CHECK(next > at && next <= at + strlen(at));
    CHECK((status == RDX_OK) == (err.text[0] == '\0'));
    CHECK(status == RDX_OK || !statement);
    if (statement)
      read_statement(&(reader){.size = strlen(at), .left = 1000000}, statement);
    rdx_arena_free(&arena);
    at = next;
  }
  free(text);
  return 0;
}
