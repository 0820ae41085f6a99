/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Statements: parsed, planned, kept by their texts, run. */

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include <raydex/cost.h>

#include "database/definitions.h"
#include "database/turn.h"

#define KEPT_STATEMENTS 256
#define KEPT_LENGTH 65536 /* longer texts are not kept */

/* ---- Preparations ---- */

static void free_prepared(rdx_prepared *p) {
  rdx_plan_release(p->plan);
  for (uint32_t i = 0; i < p->view_count; i++)
    rdx_prepared_release(&p->view_owners[i]);
  rdx_arena_free(&p->arena);
  RDX_FREE_ALL(p->text, p);
}

void rdx_prepared_release(rdx_prepared **prepared) {
  rdx_prepared *p = RDX_KEEP(*prepared);
  if (!p)
    return;
  pthread_mutex_lock(&p->database->lock);
  const bool last = --p->users == 0;
  pthread_mutex_unlock(&p->database->lock);
  if (last)
    free_prepared(p);
}

static rdx_status begin_prepared(rdx_database *d, const char *text, rdx_prepared **out, rdx_error *err) {
  RDX_SCOPED(rdx_free_local) rdx_prepared *p = NULL;
  RDX_TRY(rdx_calloc(1, sizeof *p, "a statement", (void **)&p, err));
  p->database = d;
  p->users = 1;
  RDX_TRY(rdx_copy_text(text, "a statement", &p->text, err));
  *out = RDX_KEEP(p);
  return RDX_OK;
}

/* What there is to plan; NULL: nothing. */
static const rdx_sql_query *query_of(const rdx_prepared *p) {
  const bool changes = p->runs->kind == RDX_STATEMENT_INSERT || p->runs->kind == RDX_STATEMENT_UPDATE ||
                       p->runs->kind == RDX_STATEMENT_DELETE || p->runs->kind == RDX_STATEMENT_MERGE;
  const bool can = p->runs == p->statement || p->runs->kind == RDX_STATEMENT_SELECT ||
                   (changes && p->statement->kind == RDX_STATEMENT_PREPARE);
  return can ? p->runs->query : NULL;
}

/* The statement, where it is planned with what it changes. */
static const rdx_sql_statement *change_of(const rdx_sql_statement *s) {
  const bool inserts = s->kind == RDX_STATEMENT_INSERT &&
                       (s->returning_count > 0 || s->with || s->conflict || s->query->kind == RDX_QUERY_VALUES);
  const bool changes =
      s->kind == RDX_STATEMENT_UPDATE || s->kind == RDX_STATEMENT_DELETE || s->kind == RDX_STATEMENT_MERGE;
  return inserts || changes ? s : NULL;
}

/* What a plan is made by: settings, views and indexes. */
static rdx_status take_settings(rdx_prepared *p, rdx_error *err) {
  const uint32_t parameters = p->statement->parameters;
  rdx_settings *settings = &p->planned;
  rdx_plan_index *indexes = NULL;
  pthread_mutex_lock(&p->database->lock);
  *settings = p->database->settings;
  p->settings = p->database->settings_version;
  pthread_mutex_unlock(&p->database->lock);
  RDX_TRY(rdx_arena_alloc(&p->arena, parameters, sizeof *p->parameter_types, "a statement",
                          (void **)&p->parameter_types, err));
  RDX_TRY(rdx_arena_alloc(&p->arena, parameters, sizeof *p->parameter_rounds, "a statement",
                          (void **)&p->parameter_rounds, err));
  p->query = query_of(p);
  if (p->query && p->statement->kind != RDX_STATEMENT_CREATE_VIEW)
    RDX_TRY(rdx_views_list(p, err));
  if (p->query)
    RDX_TRY(rdx_indexes_list(p, &indexes, &settings->index_count, err));
  settings->indexes = indexes;
  settings->explains = p->statement->kind == RDX_STATEMENT_EXPLAIN;
  settings->views = p->views;
  settings->view_count = p->view_count;
  settings->find_view = rdx_defined_find;
  settings->views_user = p->database;
  settings->random = &p->database->random;
  settings->defines = p->statement->kind == RDX_STATEMENT_DEFINE_VIEW ? p->statement->name : NULL;
  settings->cube = p->statement->kind == RDX_STATEMENT_CREATE_VIEW ? p->statement->name : p->cube;
  return RDX_OK;
}

typedef struct planning {
  rdx_prepared *prepared;
  bool deep;      /* the stack is */
  bool is_deeper; /* what it reads is deeper than the stack */
} planning;

static rdx_status plan_query(void *context, rdx_error *err) {
  planning *g = context;
  rdx_prepared *p = g->prepared;
  const uint32_t parameters = p->statement->parameters;
  const rdx_query_text text = {.text = p->text,
                               .query = p->query,
                               .change = change_of(p->runs),
                               .parameter_types = p->parameter_types,
                               .parameter_rounds = p->parameter_rounds,
                               .parameters = parameters,
                               .levels = p->statement->levels,
                               .is_deeper = g->deep ? NULL : &g->is_deeper};
  for (uint32_t i = 0; i < parameters; i++)
    p->parameter_rounds[i] = false;
  if (parameters > 0)
    memset(p->parameter_types, 0, parameters * sizeof *p->parameter_types);
  return rdx_plan_query(p->database->catalog, &p->planned, &text, &p->arena, &p->plan, err);
}

/* On a stack that is deep enough: what is read may be deeper than the statement. */
static rdx_status plan(rdx_prepared *p, rdx_error *err) {
  planning g = {.prepared = p};
  RDX_TRY(take_settings(p, err));
  if (!p->query)
    return RDX_OK;
  if (p->statement->levels <= RDX_SQL_SHALLOW_LEVELS) {
    const rdx_status status = plan_query(&g, err);
    if (!g.is_deeper)
      return status;
  }
  g.deep = true;
  return rdx_run_deep(plan_query, &g, err);
}

/* Expected times are those of this device, which is measured where it was not yet; where that fails, of a device that
 * is like it. */
static rdx_status calibrate(rdx_database *d, rdx_error *err) {
  rdx_calibration ignored;
  const rdx_status status = rdx_device_calibrate(d->device, false, &ignored, err);
  return status == RDX_ERROR_CANCELLED ? status : RDX_OK;
}

static rdx_status parse_and_plan(rdx_prepared *p, rdx_error *err) {
  const char *next = NULL;
  const double before = rdx_now_ms();
  RDX_TRY(rdx_sql_parse(p->text, &p->arena, &p->statement, &next, err));
  p->rest = (size_t)(next - p->text);
  p->runs = p->statement && p->statement->inner ? p->statement->inner : p->statement;
  const double parsed = rdx_now_ms();
  if (p->statement && p->statement->kind == RDX_STATEMENT_EXPLAIN)
    RDX_TRY(calibrate(p->database, err));
  const double calibrated = rdx_now_ms();
  if (p->statement)
    RDX_TRY(plan(p, err));
  p->plan_ms = rdx_now_ms() - calibrated + parsed - before;
  return RDX_OK;
}

bool rdx_prepared_is_current(rdx_prepared *p) {
  bool current = p->settings == p->database->settings_version && !(p->plan && p->plan->now != 0 && p->ran) &&
                 !(p->plan && (p->plan->lists || ((p->plan->once || p->plan->random) && p->ran)));
  for (uint32_t i = 0; p->plan && i < p->plan->table_count && current; i++) {
    RDX_SCOPED(rdx_catalog_release) rdx_catalog_table *table = NULL;
    char nearest[64];
    const rdx_status status = rdx_catalog_find(p->database->catalog, p->plan->tables[i]->name, &table, nearest, NULL);
    current = status == RDX_OK && table == p->plan->tables[i];
  }
  return current;
}

/* ---- Statements by their texts ---- */

static rdx_prepared *take_kept(rdx_database *d, const char *text) {
  rdx_prepared *found = NULL;
  RDX_LOCKED(&d->lock);
  for (uint32_t i = 0; i < d->kept_count && !found; i++) {
    if (strcmp(d->kept[i]->text, text) != 0)
      continue;
    found = d->kept[i];
    found->users++;
    memmove(d->kept + 1, d->kept, i * sizeof(rdx_prepared *));
    d->kept[0] = found;
  }
  return found;
}

/* Take one out, so that its tables can go. */
static void forget(rdx_database *d, rdx_prepared *p) {
  RDX_SCOPED(rdx_prepared_release) rdx_prepared *found = NULL;
  RDX_LOCKED(&d->lock);
  for (uint32_t i = 0; i < d->kept_count; i++) {
    if (found)
      d->kept[i - 1] = d->kept[i];
    else if (d->kept[i] == p)
      found = p;
  }
  d->kept_count -= found != NULL;
}

static rdx_status keep(rdx_database *d, rdx_prepared *p, rdx_error *err) {
  RDX_SCOPED(rdx_prepared_release) rdx_prepared *dropped = NULL;
  if (!p->plan || p->rest > KEPT_LENGTH ||
      p->statement->kind == RDX_STATEMENT_EXPLAIN) /* it tells how things are now */
    return RDX_OK;
  RDX_LOCKED(&d->lock);
  if (!d->kept)
    RDX_TRY(rdx_alloc(KEPT_STATEMENTS, sizeof *d->kept, "kept statements", (void **)&d->kept, err));
  if (d->kept_count == KEPT_STATEMENTS)
    dropped = d->kept[--d->kept_count];
  memmove(d->kept + 1, d->kept, d->kept_count++ * sizeof(rdx_prepared *));
  d->kept[0] = p;
  p->users++;
  return RDX_OK;
}

rdx_status rdx_prepared_alone(rdx_database *d, const char *text, const char *cube, rdx_prepared **out,
                              rdx_error *err) {
  RDX_SCOPED(rdx_prepared_release) rdx_prepared *p = NULL;
  RDX_TRY(begin_prepared(d, text, &p, err));
  p->cube = cube;
  RDX_TRY(parse_and_plan(p, err));
  *out = RDX_KEEP(p);
  return RDX_OK;
}

rdx_status rdx_prepared_find(rdx_database *d, const char *text, rdx_prepared **out, rdx_error *err) {
  RDX_SCOPED(rdx_prepared_release) rdx_prepared *p = take_kept(d, text);
  if (p && !rdx_prepared_is_current(p)) {
    forget(d, p);
    rdx_prepared_release(&p);
  }
  if (!p) {
    RDX_TRY(rdx_prepared_alone(d, text, NULL, &p, err));
    RDX_TRY(keep(d, p, err));
  }
  *out = RDX_KEEP(p);
  return RDX_OK;
}

rdx_status rdx_prepared_renew(rdx_prepared **prepared, bool *renewed, rdx_error *err) {
  rdx_prepared *p = NULL;
  *renewed = false;
  if (!(*prepared)->plan || rdx_prepared_is_current(*prepared))
    return RDX_OK;
  RDX_TRY(rdx_prepared_find((*prepared)->database, (*prepared)->text, &p, err));
  rdx_prepared_release(prepared);
  *prepared = p;
  *renewed = true;
  return RDX_OK;
}

/* ---- The public interface ---- */

/* The time of a statement, as far as SET timeout gives it one. */
static void start_time(const rdx_database *d) {
  const uint64_t timeout = atomic_load(&d->timeout_ms);
  rdx_set_deadline(timeout > 0 ? rdx_now_ms() + (double)timeout : 0);
}

static rdx_status end_time(const rdx_database *d, rdx_status status, rdx_error *err) {
  const double deadline = rdx_owner_current().deadline_ms;
  rdx_set_deadline(0);
  if (status != RDX_ERROR_CANCELLED || deadline == 0 || rdx_now_ms() <= deadline)
    return status;
  return rdx_fail(err, RDX_ERROR_TIMEOUT,
                  "the statement was stopped after %llu ms; SET timeout says how long one may take",
                  (unsigned long long)atomic_load(&d->timeout_ms));
}

rdx_status rdx_statement_prepare(rdx_database *database, const char *text, const char **rest, rdx_statement **out,
                                 rdx_error *err) {
  RDX_SCOPED(rdx_statement_destroy) rdx_statement *s = NULL;
  RDX_SCOPED(rdx_prepared_release) rdx_prepared *p = NULL;
  if (!database || !text || !out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_statement_prepare: database, text and out must not be NULL");
  *out = NULL;
  start_time(database);
  const rdx_status fresh = rdx_definitions_refresh(database, err);
  RDX_TRY(end_time(database, fresh == RDX_OK ? rdx_prepared_find(database, text, &p, err) : fresh, err));
  if (rest)
    *rest = text + p->rest;
  if (!p->statement)
    return RDX_OK;
  RDX_TRY(rdx_calloc(1, sizeof *s, "a statement", (void **)&s, err));
  *s = (rdx_statement){.database = database, .prepared = RDX_KEEP(p), .planned = true};
  RDX_TRY(rdx_parameters_create(s, err));
  *out = RDX_KEEP(s);
  return RDX_OK;
}

rdx_status rdx_statement_renew(rdx_statement *s, rdx_error *err) {
  bool renewed;
  RDX_TRY(rdx_prepared_renew(&s->prepared, &renewed, err));
  s->planned |= renewed;
  return RDX_OK;
}

static rdx_status run_explain(rdx_statement *s, rdx_answer *answer, rdx_error *err) {
  rdx_prepared *p = s->prepared;
  const rdx_sql_statement *written = p->statement;
  RDX_SCOPED(rdx_free_local) rdx_node_actuals *actuals = NULL;
  rdx_explanation e = {.prepared = p, .json = written->json};
  if (!p->plan)
    return rdx_sql_error(err, RDX_ERROR_UNSUPPORTED, p->text, written->inner->place, NULL,
                         "only queries can be explained");
  if (written->analyze) {
    RDX_TRY(rdx_calloc(p->plan->node_count, sizeof *actuals, "EXPLAIN", (void **)&actuals, err));
    const rdx_status status = rdx_prepared_run(p, s->parameters, actuals, answer, err);
    rdx_table_destroy(&answer->table);
    RDX_TRY(status);
    e.actuals = actuals;
    e.execute_ms = answer->stats.execute_ms;
  }
  answer->stats.explains = true;
  snprintf(answer->tag, sizeof answer->tag, "EXPLAIN");
  return rdx_explain(&e, &answer->table, err);
}

rdx_status rdx_run_planned(rdx_statement *s, rdx_answer *answer, rdx_error *err) {
  if (s->prepared->runs->kind != RDX_STATEMENT_SELECT)
    return rdx_run_change(s, answer, err);
  RDX_TRY(rdx_prepared_run(s->prepared, s->parameters, NULL, answer, err));
  snprintf(answer->tag, sizeof answer->tag, "SELECT %llu", (unsigned long long)answer->stats.rows);
  return RDX_OK;
}

static rdx_status run_now(rdx_statement *s, rdx_answer *answer, rdx_error *err) {
  RDX_TRY(rdx_statement_renew(s, err));
  const rdx_statement_kind kind = s->prepared->statement->kind;
  if (kind != RDX_STATEMENT_PREPARE && kind != RDX_STATEMENT_DEFINE_VIEW)
    RDX_TRY(rdx_parameters_fit(s, err));
  answer->stats.plan_ms = s->planned ? s->prepared->plan_ms : 0;
  s->prepared->ran = true;
  s->planned = false;
  switch (kind) {
  case RDX_STATEMENT_EXPLAIN:
    return run_explain(s, answer, err);
  case RDX_STATEMENT_PREPARE:
  case RDX_STATEMENT_EXECUTE:
  case RDX_STATEMENT_DEALLOCATE:
  case RDX_STATEMENT_SET:
  case RDX_STATEMENT_SHOW:
    return rdx_run_session(s, answer, err);
  default:
    return rdx_run_planned(s, answer, err);
  }
}

static rdx_status run(rdx_statement *s, rdx_answer *answer, rdx_error *err) {
  RDX_SCOPED(rdx_turn_give) rdx_turn turn = {0};
  RDX_TRY(rdx_turn_is_for(s->prepared) ? rdx_turn_take(s->database, s->prepared, &turn, err)
                                       : rdx_definitions_refresh(s->database, err));
  return run_now(s, answer, err);
}

void rdx_statement_count_rays(rdx_statement *statement, bool count) {
  if (statement)
    statement->counts_rays = count;
}

rdx_status rdx_statement_execute(rdx_statement *statement, rdx_answer **out, rdx_error *err) {
  RDX_SCOPED(rdx_answer_destroy) rdx_answer *answer = NULL;
  if (!statement || !out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_statement_execute: statement and out must not be NULL");
  RDX_TRY(rdx_calloc(1, sizeof *answer, "an answer", (void **)&answer, err));
  answer->stats.method = answer->method;
  answer->counts_rays = statement->counts_rays;
  start_time(statement->database);
  RDX_TRY(end_time(statement->database, run(statement, answer, err), err));
  *out = RDX_KEEP(answer);
  return RDX_OK;
}

void rdx_statement_destroy(rdx_statement **statement) {
  if (!statement || !*statement)
    return;
  rdx_parameters_free(*statement);
  rdx_prepared_release(&(*statement)->prepared);
  rdx_free(*statement);
  *statement = NULL;
}
