/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Statements with names. */

#include <stdio.h>
#include <string.h>

#include "database/turn.h"

/* ---- PREPARE, EXECUTE, DEALLOCATE ---- */

/* With the lock held. */
static rdx_named *find_named(rdx_database *d, const char *name) {
  for (uint32_t i = 0; i < d->named_count; i++)
    if (strcmp(d->named[i].name, name) == 0)
      return &d->named[i];
  return NULL;
}

static rdx_status no_name(const rdx_statement *s, rdx_error *err) {
  const rdx_sql_statement *written = s->prepared->statement;
  return rdx_sql_error(err, RDX_ERROR_NOT_FOUND, s->prepared->text, written->place, NULL,
                       "there is no prepared statement \"%.60s\"", written->name);
}

static rdx_status add_named(rdx_database *d, const char *name, rdx_prepared *p, rdx_error *err) {
  char *copy = NULL;
  RDX_TRY(rdx_realloc((void **)&d->named, d->named_count + 1, sizeof *d->named, "a prepared statement", err));
  RDX_TRY(rdx_copy_text(name, "a prepared statement", &copy, err));
  d->named[d->named_count++] = (rdx_named){copy, p};
  return RDX_OK;
}

static rdx_status run_prepare(rdx_statement *s, rdx_answer *answer, rdx_error *err) {
  rdx_database *d = s->database;
  const rdx_sql_statement *written = s->prepared->statement;
  if (!s->prepared->plan)
    return rdx_sql_error(err, RDX_ERROR_UNSUPPORTED, s->prepared->text, written->place, NULL,
                         "only SELECT, INSERT, UPDATE and DELETE can be prepared");
  snprintf(answer->tag, sizeof answer->tag, "PREPARE");
  RDX_LOCKED(&d->lock);
  if (find_named(d, written->name))
    return rdx_sql_error(err, RDX_ERROR_ARGUMENT, s->prepared->text, written->place, NULL,
                         "there is a prepared statement \"%.60s\" already", written->name);
  RDX_TRY(add_named(d, written->name, s->prepared, err));
  s->prepared->users++;
  return RDX_OK;
}

/* EXECUTE of a statement. */
typedef struct execution {
  rdx_statement *statement;
  rdx_prepared *prepared;
  rdx_datum *values;
  rdx_arena *arena;
} execution;

static rdx_status bind_arguments(void *context, rdx_error *err) {
  const execution *x = context;
  const rdx_statement *s = x->statement;
  const rdx_prepared *p = x->prepared;
  const rdx_sql_statement *written = s->prepared->statement;
  rdx_binding binding = {.arena = x->arena, .text = s->prepared->text, .err = err};
  for (uint32_t i = 0; i < written->arg_count; i++) {
    rdx_bound *value = NULL;
    bool fits = true;
    char type[32];
    RDX_TRY(rdx_bind_alone(&binding, written->args[i], &value));
    RDX_TRY(rdx_bind_value(&binding, value, p->parameter_types[i], p->parameter_rounds[i], &value, &fits));
    if (!fits)
      return rdx_sql_error(err, RDX_ERROR_ARGUMENT, s->prepared->text, written->args[i]->place,
                           "a cast in the statement may give it another type, as $1::numeric(18,4) does",
                           "this value does not fit $%u, which is %s", i + 1,
                           rdx_sql_type_text(p->parameter_types[i], type));
    x->values[i] = value->value;
  }
  return RDX_OK;
}

static rdx_status execute_with(rdx_statement *s, rdx_prepared *p, rdx_answer *answer, rdx_error *err) {
  const rdx_sql_statement *written = s->prepared->statement;
  rdx_datum *values = NULL;
  const uint32_t count = p->runs->parameters;
  if (written->arg_count != count)
    return rdx_sql_error(err, RDX_ERROR_ARGUMENT, s->prepared->text, written->place, NULL,
                         "\"%.60s\" takes %u values, and gets %u", written->name, count, written->arg_count);
  RDX_SCOPED(rdx_arena_free) rdx_arena arena = {0};
  RDX_TRY(rdx_arena_alloc(&arena, count, sizeof *values, "EXECUTE", (void **)&values, err));
  execution x = {s, p, values, &arena};
  RDX_TRY(written->levels > RDX_SQL_SHALLOW_LEVELS ? rdx_run_deep(bind_arguments, &x, err) : bind_arguments(&x, err));
  p->ran = true;
  return rdx_run_planned(&(rdx_statement){.database = s->database, .prepared = p, .parameters = values}, answer, err);
}

static rdx_status run_execute(rdx_statement *s, rdx_answer *answer, rdx_error *err) {
  rdx_database *d = s->database;
  RDX_SCOPED(rdx_turn_give) rdx_turn turn = {0};
  RDX_SCOPED(rdx_prepared_release) rdx_prepared *p = NULL;
  bool renewed;
  pthread_mutex_lock(&d->lock);
  rdx_named *named = find_named(d, s->prepared->statement->name);
  if (named) {
    p = named->prepared;
    p->users++;
  }
  pthread_mutex_unlock(&d->lock);
  if (!p)
    return no_name(s, err);
  if (p->runs->kind != RDX_STATEMENT_SELECT)
    RDX_TRY(rdx_turn_take(d, p, &turn, err));
  RDX_TRY(rdx_prepared_renew(&p, &renewed, err));
  return execute_with(s, p, answer, err);
}

static rdx_status run_deallocate(rdx_statement *s, rdx_answer *answer, rdx_error *err) {
  rdx_database *d = s->database;
  const char *name = s->prepared->statement->name;
  bool found = !name;
  for (;;) {
    pthread_mutex_lock(&d->lock);
    rdx_named *named = name ? find_named(d, name) : d->named_count > 0 ? &d->named[0] : NULL;
    rdx_named gone = named ? *named : (rdx_named){0};
    if (named)
      *named = d->named[--d->named_count];
    pthread_mutex_unlock(&d->lock);
    if (!gone.name)
      break;
    found = true;
    rdx_free(gone.name);
    rdx_prepared_release(&gone.prepared);
    if (name)
      break;
  }
  snprintf(answer->tag, sizeof answer->tag, "DEALLOCATE%s", name ? "" : " ALL");
  return found ? RDX_OK : no_name(s, err);
}

rdx_status rdx_run_session(rdx_statement *s, rdx_answer *answer, rdx_error *err) {
  switch (s->prepared->statement->kind) {
  case RDX_STATEMENT_SET:
    return rdx_run_set(s, answer, err);
  case RDX_STATEMENT_SHOW:
    return rdx_run_show(s, answer, err);
  case RDX_STATEMENT_PREPARE:
    return run_prepare(s, answer, err);
  case RDX_STATEMENT_EXECUTE:
    return run_execute(s, answer, err);
  default:
    return run_deallocate(s, answer, err);
  }
}
