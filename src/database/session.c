/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Statements of a session: settings, and statements with names. */

#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "database/internal.h"

/* ---- Settings ---- */

typedef enum setting { SET_METHOD, SET_SCAN_METHOD, SET_JOIN_METHOD } setting;

static const struct {
  const char *name;
  setting setting;
} settings[] = {{"method", SET_METHOD}, {"scan_method", SET_SCAN_METHOD}, {"join_method", SET_JOIN_METHOD}};

static rdx_status find_setting(const rdx_statement *s, setting *out, rdx_error *err) {
  const rdx_sql_statement *written = s->prepared->statement;
  rdx_nearest nearest = {0};
  char hint[100] = "there are method, scan_method and join_method";
  for (size_t i = 0; i < RDX_COUNT(settings); i++) {
    if (rdx_words_alike(settings[i].name, written->name)) {
      *out = settings[i].setting;
      return RDX_OK;
    }
    rdx_nearest_consider(&nearest, written->name, settings[i].name);
  }
  if (nearest.word)
    snprintf(hint, sizeof hint, "did you mean %s?", nearest.word);
  return rdx_sql_error(err, RDX_ERROR_NOT_FOUND, s->prepared->text, written->place, hint,
                       "there is no setting \"%.60s\"", written->name);
}

static const char *const filter_names[] = {[RDX_FILTER_EVALUATION] = "evaluation", [RDX_FILTER_INDEX] = "index"};

static rdx_status change_filter(rdx_settings *out, const char *value, rdx_error *err) {
  out->scan = (rdx_scan_params){0};
  out->filter = RDX_FILTER_AUTO;
  if (!value)
    return RDX_OK;
  for (rdx_filter_method m = RDX_FILTER_EVALUATION; m <= RDX_FILTER_INDEX; m++)
    if (strcmp(value, filter_names[m]) == 0)
      out->filter = m;
  if (out->filter != RDX_FILTER_AUTO)
    return RDX_OK;
  out->filter = RDX_FILTER_SCAN;
  if (rdx_scan_method_from_name(value, &out->scan.method, err) == RDX_OK)
    return RDX_OK;
  const rdx_error why = *err;
  return rdx_fail(err, RDX_ERROR_NOT_FOUND, "%s; and evaluation and index", why.text);
}

/* The value of a setting, NULL for the default, as it is in `out`. */
static rdx_status change_setting(rdx_settings *out, setting which, const char *value, rdx_error *err) {
  switch (which) {
  case SET_METHOD:
    out->engine = (rdx_engine_params){0};
    out->insist = value != NULL;
    return value ? rdx_engine_kind_from_name(value, &out->engine.kind, err) : RDX_OK;
  case SET_SCAN_METHOD:
    return change_filter(out, value, err);
  default:
    out->join = (rdx_index_params){0};
    return value ? rdx_index_kind_from_name(value, &out->join.kind, err) : RDX_OK;
  }
}

/* RESET ALL */
static void reset_all(rdx_database *d) {
  pthread_mutex_lock(&d->lock);
  d->settings = (rdx_settings){0};
  d->settings_version++;
  pthread_mutex_unlock(&d->lock);
}

static rdx_status run_set(rdx_statement *s, rdx_answer *answer, rdx_error *err) {
  rdx_database *d = s->database;
  const rdx_sql_statement *written = s->prepared->statement;
  setting which;
  rdx_error why = {""};
  snprintf(answer->tag, sizeof answer->tag, "%s", written->value ? "SET" : "RESET");
  if (!written->value && rdx_words_alike(written->name, "all")) {
    reset_all(d);
    return RDX_OK;
  }
  RDX_TRY(find_setting(s, &which, err));
  const char *value = written->value && rdx_words_alike(written->value, "auto") ? NULL : written->value;
  pthread_mutex_lock(&d->lock);
  rdx_settings changed = d->settings;
  const rdx_status status = change_setting(&changed, which, value, &why);
  if (status == RDX_OK) {
    d->settings = changed;
    d->settings_version++;
  }
  pthread_mutex_unlock(&d->lock);
  if (status != RDX_OK)
    return rdx_sql_error(err, RDX_ERROR_ARGUMENT, s->prepared->text, written->place, NULL, "%s", why.text);
  return RDX_OK;
}

static rdx_status run_show(rdx_statement *s, rdx_answer *answer, rdx_error *err) {
  rdx_database *d = s->database;
  setting which;
  RDX_TRY(find_setting(s, &which, err));
  pthread_mutex_lock(&d->lock);
  const rdx_settings now = d->settings;
  pthread_mutex_unlock(&d->lock);
  const char *names[] = {[SET_METHOD] = rdx_engine_kind_name(now.engine.kind),
                         [SET_SCAN_METHOD] = now.filter == RDX_FILTER_AUTO || now.filter == RDX_FILTER_SCAN
                                                 ? rdx_scan_method_name(now.scan.method)
                                                 : filter_names[now.filter],
                         [SET_JOIN_METHOD] = rdx_index_kind_name(now.join.kind)};
  char value[64], *line = value;
  snprintf(value, sizeof value, "%s", names[which]);
  answer->stats.rows = 1;
  snprintf(answer->tag, sizeof answer->tag, "SHOW");
  return rdx_lines_table(settings[which].name, &line, 1, &answer->table, err);
}

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
  RDX_TRY(rdx_alloc(strlen(name) + 1, 1, "a prepared statement", (void **)&copy, err));
  memcpy(copy, name, strlen(name) + 1);
  d->named[d->named_count++] = (rdx_named){copy, p};
  return RDX_OK;
}

static rdx_status run_prepare(rdx_statement *s, rdx_answer *answer, rdx_error *err) {
  rdx_database *d = s->database;
  const rdx_sql_statement *written = s->prepared->statement;
  if (!s->prepared->plan)
    return rdx_sql_error(err, RDX_ERROR_UNSUPPORTED, s->prepared->text, written->place, NULL,
                         "only queries can be prepared");
  pthread_mutex_lock(&d->lock);
  const rdx_status status = find_named(d, written->name)
                                ? rdx_sql_error(err, RDX_ERROR_ARGUMENT, s->prepared->text, written->place, NULL,
                                                "there is a prepared statement \"%.60s\" already", written->name)
                                : add_named(d, written->name, s->prepared, err);
  s->prepared->users += status == RDX_OK;
  pthread_mutex_unlock(&d->lock);
  snprintf(answer->tag, sizeof answer->tag, "PREPARE");
  return status;
}

static rdx_status bind_arguments(rdx_statement *s, rdx_prepared *p, rdx_datum *values, rdx_arena *arena,
                                 rdx_error *err) {
  const rdx_sql_statement *written = s->prepared->statement;
  rdx_binding binding = {.arena = arena, .text = s->prepared->text, .err = err};
  for (uint32_t i = 0; i < written->arg_count; i++) {
    rdx_bound *value = NULL;
    RDX_TRY(rdx_bind_alone(&binding, written->args[i], &value));
    RDX_TRY(rdx_bind_cast(&binding, value, p->parameter_types[i], true, written->args[i]->place, &value));
    if (value->kind != RDX_BOUND_CONSTANT)
      return rdx_sql_error(err, RDX_ERROR_ARGUMENT, s->prepared->text, written->args[i]->place, NULL,
                           "this value does not fit $%u", i + 1);
    values[i] = value->value;
  }
  return RDX_OK;
}

static rdx_status execute_with(rdx_statement *s, rdx_prepared *p, rdx_answer *answer, rdx_error *err) {
  const rdx_sql_statement *written = s->prepared->statement;
  rdx_arena arena = {0};
  rdx_datum *values = NULL;
  const uint32_t count = p->statement->inner->parameters;
  if (written->arg_count != count)
    return rdx_sql_error(err, RDX_ERROR_ARGUMENT, s->prepared->text, written->place, NULL,
                         "\"%.60s\" takes %u values, and gets %u", written->name, count, written->arg_count);
  rdx_status status = rdx_arena_alloc(&arena, count, sizeof *values, "EXECUTE", (void **)&values, err);
  if (status == RDX_OK)
    status = bind_arguments(s, p, values, &arena, err);
  if (status == RDX_OK)
    status = rdx_prepared_run(p, values, NULL, answer, err);
  rdx_arena_free(&arena);
  snprintf(answer->tag, sizeof answer->tag, "SELECT %llu", (unsigned long long)answer->stats.rows);
  return status;
}

static rdx_status run_execute(rdx_statement *s, rdx_answer *answer, rdx_error *err) {
  rdx_database *d = s->database;
  rdx_prepared *p = NULL;
  pthread_mutex_lock(&d->lock);
  rdx_named *named = find_named(d, s->prepared->statement->name);
  if (named) {
    p = named->prepared;
    p->users++;
  }
  pthread_mutex_unlock(&d->lock);
  if (!p)
    return no_name(s, err);
  if (!rdx_prepared_is_current(p)) {
    rdx_prepared *fresh = NULL;
    const rdx_status status = rdx_prepared_find(d, p->text, &fresh, err);
    rdx_prepared_release(p);
    RDX_TRY(status);
    p = fresh;
  }
  const rdx_status status = execute_with(s, p, answer, err);
  rdx_prepared_release(p);
  return status;
}

static rdx_status run_deallocate(rdx_statement *s, rdx_answer *answer, rdx_error *err) {
  rdx_database *d = s->database;
  const char *name = s->prepared->statement->name;
  bool found = !name;
  for (;;) {
    pthread_mutex_lock(&d->lock);
    rdx_named *named = name ? find_named(d, name) : d->named_count > 0 ? &d->named[0] : NULL;
    const rdx_named gone = named ? *named : (rdx_named){0};
    if (named)
      *named = d->named[--d->named_count];
    pthread_mutex_unlock(&d->lock);
    if (!gone.name)
      break;
    found = true;
    rdx_free(gone.name);
    rdx_prepared_release(gone.prepared);
    if (name)
      break;
  }
  snprintf(answer->tag, sizeof answer->tag, "DEALLOCATE%s", name ? "" : " ALL");
  return found ? RDX_OK : no_name(s, err);
}

rdx_status rdx_run_session(rdx_statement *s, rdx_answer *answer, rdx_error *err) {
  switch (s->prepared->statement->kind) {
  case RDX_STATEMENT_SET:
    return run_set(s, answer, err);
  case RDX_STATEMENT_SHOW:
    return run_show(s, answer, err);
  case RDX_STATEMENT_PREPARE:
    return run_prepare(s, answer, err);
  case RDX_STATEMENT_EXECUTE:
    return run_execute(s, answer, err);
  default:
    return run_deallocate(s, answer, err);
  }
}
