/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Views: texts that stand for queries. A view's file holds its definition, which is planned anew with each statement
 * that reads the view. */

#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "column/dictionary.h"
#include "database/change.h"
#include "database/definitions.h"
#include "database/schema.h"

#define KIND "query"
#define OTHER_CASE "it is written in another letter case, which tells no two apart"

static rdx_status fail(const rdx_statement *s, rdx_status status, const char *hint, const char *what, const char *name,
                       rdx_error *err) {
  return rdx_sql_error(err, status, s->prepared->text, s->prepared->statement->place, hint, what, name);
}

static void drop_view(rdx_defined_view *v) {
  RDX_FREE_ALL(v->name, v->text);
}

/* With a lock held. */
static rdx_defined_view *find(const rdx_database *d, const char *name, bool exact) {
  for (uint32_t i = 0; i < d->defined_count; i++)
    if (exact ? strcmp(d->defined[i].name, name) == 0 : rdx_words_alike(d->defined[i].name, name))
      return &d->defined[i];
  return NULL;
}

static rdx_defined_view *find_any_case(const rdx_database *d, const char *name) {
  rdx_defined_view *v = find(d, name, true);
  return v ? v : find(d, name, false);
}

/* Room for one more, and the view of this name and text. */
static rdx_status make_view(rdx_database *d, const char *name, const char *text, size_t length, rdx_defined_view *out,
                            rdx_error *err) {
  RDX_SCOPED(drop_view) rdx_defined_view v = {0};
  RDX_TRY(rdx_copy_text(name, "a view", &v.name, err));
  RDX_TRY(rdx_copy_bytes(text, length, "a view", &v.text, err));
  RDX_LOCKED(&d->lock);
  RDX_TRY(rdx_realloc((void **)&d->defined, (size_t)d->defined_count + 1, sizeof *d->defined, "a view", err));
  *out = RDX_KEEP(v);
  return RDX_OK;
}

/* In place of the one that has its name. */
static void keep_view(rdx_database *d, rdx_defined_view v) {
  RDX_SCOPED(drop_view) rdx_defined_view gone = {0};
  RDX_LOCKED(&d->lock);
  rdx_defined_view *place = find(d, v.name, true);
  if (place)
    gone = *place;
  else
    place = &d->defined[d->defined_count++];
  *place = v;
}

static void remove_view(rdx_database *d, const char *name) {
  RDX_SCOPED(drop_view) rdx_defined_view gone = {0};
  RDX_LOCKED(&d->lock);
  rdx_defined_view *v = find(d, name, true);
  if (v) {
    gone = *v;
    *v = d->defined[--d->defined_count];
  }
}

rdx_status rdx_defined_learn(rdx_database *d, const char *name, const char *text, RDX_UNUSED bool *settled,
                             rdx_error *err) {
  RDX_LOCKED(&d->views_lock);
  const rdx_defined_view *known = find(d, name, true);
  rdx_defined_view v;
  if (known && text ? strcmp(known->text, text) == 0 : !known && !text)
    return RDX_OK;
  if (text) {
    RDX_TRY(make_view(d, name, text, strlen(text), &v, err));
    keep_view(d, v);
  } else {
    remove_view(d, name);
  }
  rdx_definitions_changed(d);
  return RDX_OK;
}

void rdx_defined_free(rdx_database *d) {
  for (uint32_t i = 0; i < d->defined_count; i++)
    drop_view(&d->defined[i]);
  rdx_free(d->defined);
}

/* ---- Finding ---- */

rdx_status rdx_defined_find(void *user, const char *name, bool exact, rdx_arena *arena, rdx_view_text *out,
                            rdx_error *err) {
  rdx_database *d = user;
  RDX_TRY(rdx_schema_find(d, name, arena, out, err));
  if (out->text || rdx_catalog_has_added(d->catalog, name))
    return RDX_OK;
  RDX_LOCKED(&d->lock);
  const rdx_defined_view *v = find(d, name, exact);
  rdx_nearest nearest = {0};
  if (v) {
    RDX_TRY(rdx_arena_text(arena, v->name, "a view", &out->name, err));
    return rdx_arena_text(arena, v->text, "a view", &out->text, err);
  }
  for (uint32_t i = 0; i < d->defined_count && !exact; i++)
    rdx_nearest_consider(&nearest, name, d->defined[i].name);
  snprintf(out->nearest, sizeof out->nearest, "%.63s", nearest.word ? nearest.word : "");
  return RDX_OK;
}

bool rdx_defined_has(rdx_database *d, const char *name, bool exact) {
  if (rdx_catalog_has_added(d->catalog, name))
    return false;
  RDX_LOCKED(&d->lock);
  return find(d, name, exact) != NULL;
}

rdx_status rdx_defined_add_names(rdx_database *d, char ***names, uint32_t count, rdx_error *err) {
  RDX_LOCKED(&d->lock);
  RDX_TRY(rdx_realloc((void **)names, (size_t)count + d->defined_count + 1, sizeof **names, "a list", err));
  const uint32_t before = count;
  for (uint32_t i = 0; i < d->defined_count; i++) {
    const char *name = d->defined[i].name;
    uint32_t same = 0; /* a table that stands before it */
    while (same < before && strcmp((*names)[same], name) != 0)
      same++;
    if (same < before)
      continue;
    RDX_TRY(rdx_copy_text(name, "a view", &(*names)[count], err));
    (*names)[++count] = NULL;
  }
  return RDX_OK;
}

static rdx_status show_view(rdx_database *d, const char *name, rdx_error *err) {
  const rdx_defined_view *v = find_any_case(d, name);
  rdx_free(d->shown);
  d->shown = NULL;
  return v ? rdx_copy_text(v->text, "a view", &d->shown, err) : RDX_OK;
}

rdx_status rdx_database_view(rdx_database *d, const char *name, const char **out, rdx_error *err) {
  if (!d || !name || !out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_database_view: database, name and out must not be NULL");
  RDX_TRY(rdx_definitions_refresh(d, err));
  RDX_LOCKED(&d->lock);
  const rdx_status status = show_view(d, name, err);
  *out = d->shown;
  return status;
}

/* ---- Who reads what ---- */

/* What may be read: a view, a table, or a column of one. */
typedef struct reading {
  const char *name, *column; /* column: NULL: any */
  bool view;
  bool replaced; /* the views above read what takes its place */
} reading;

static bool reads_column(const rdx_query_plan *plan, uint32_t table, const char *column) {
  const rdx_catalog_table *t = plan->tables[table];
  for (uint32_t i = 0; i < t->column_count; i++)
    if (plan->columns[table][i] && strcmp(t->columns[i].name, column) == 0)
      return true;
  return false;
}

static bool reads(const rdx_query_plan *plan, const reading *r) {
  bool found = false;
  for (uint32_t i = 0; i < plan->table_count && !r->view; i++)
    found |= strcmp(plan->tables[i]->name, r->name) == 0 && !plan->tables[i]->temporary &&
             (!r->column || reads_column(plan, i, r->column));
  for (uint32_t i = 0; i < plan->view_count && r->view; i++)
    found |= strcmp(plan->views[i], r->name) == 0;
  return found;
}

/* One that cannot be planned reads nothing any more. */
static rdx_status view_reads(rdx_database *d, const char *text, const reading *r, bool *out, rdx_error *err) {
  RDX_SCOPED(rdx_prepared_release) rdx_prepared *p = NULL;
  const rdx_status status = rdx_prepared_alone(d, text, NULL, &p, err);
  *out = status == RDX_OK && reads(p->plan, r);
  return status == RDX_ERROR_MEMORY || status == RDX_ERROR_CANCELLED ? status : RDX_OK;
}

/* Whether DROP VIEW names it, too. */
static bool goes_too(const rdx_sql_statement *written, const char *name) {
  const bool view = written->kind == RDX_STATEMENT_DROP && strcmp(written->object, "view") == 0;
  for (uint32_t i = 0; i < written->name_count && view; i++)
    if (strcmp(written->names[i], name) == 0)
      return true;
  return false;
}

/* Fail, as `doing` cannot be done, where a view or a materialized view reads it. */
static rdx_status check_unread(const rdx_statement *s, const reading *r, const char *doing, rdx_error *err) {
  rdx_database *d = s->database;
  for (uint32_t i = r->replaced ? d->defined_count : 0; i < d->defined_count + d->view_count; i++) {
    const bool cube = i >= d->defined_count;
    const char *reader = cube ? d->views[i - d->defined_count].name : d->defined[i].name;
    const char *text = cube ? d->views[i - d->defined_count].text : d->defined[i].text;
    bool found = false;
    if (!cube && ((r->view && strcmp(reader, r->name) == 0) || goes_too(s->prepared->runs, reader)))
      continue;
    RDX_TRY(view_reads(d, text, r, &found, err));
    if (found)
      return rdx_sql_error(err, RDX_ERROR_ARGUMENT, s->prepared->text, s->prepared->runs->place,
                           cube ? "drop the materialized view first" : "drop the view first",
                           "cannot %s: %sview \"%.100s\" reads it", doing, cube ? "materialized " : "", reader);
  }
  return RDX_OK;
}

static rdx_status check_droppable(const rdx_statement *s, const char *name, rdx_error *err) {
  const char *object = s->prepared->runs->object;
  const reading r = {.name = name, .view = strcmp(object, "view") == 0};
  char doing[160];
  snprintf(doing, sizeof doing, "drop %s \"%.100s\"", object, name);
  return check_unread(s, &r, doing, err);
}

rdx_status rdx_defined_check_droppable(const rdx_statement *s, const char *name, rdx_error *err) {
  RDX_LOCKED(&s->database->views_lock);
  return check_droppable(s, name, err);
}

rdx_status rdx_defined_check_unread(const rdx_statement *s, const char *table, const char *column, const char *doing,
                                    rdx_error *err) {
  RDX_LOCKED(&s->database->views_lock);
  return check_unread(s, &(reading){.name = table, .column = column}, doing, err);
}

/* ---- Statements ---- */

rdx_status rdx_defined_check_new(const rdx_statement *s, const char *name, const char *renamed, rdx_error *err) {
  RDX_SCOPED(rdx_catalog_release) rdx_catalog_table *table = NULL;
  char nearest[64];
  if (rdx_defined_has(s->database, name, false))
    return fail(s, RDX_ERROR_ARGUMENT, rdx_defined_has(s->database, name, true) ? NULL : OTHER_CASE,
                "there is a view \"%.100s\" already", name, err);
  if (rdx_views_has(s->database, name))
    return fail(s, RDX_ERROR_ARGUMENT, NULL, "there is a materialized view \"%.100s\" already", name, err);
  RDX_TRY(rdx_catalog_find(s->database->catalog, name, &table, nearest, err));
  const bool same = table && strcmp(table->name, name) == 0;
  const bool taken = table && (same || !renamed || strcmp(table->name, renamed) != 0);
  return taken ? fail(s, RDX_ERROR_ARGUMENT, same ? NULL : OTHER_CASE, "there is a table \"%.100s\" already", name, err)
               : RDX_OK;
}

static const char *column_name(const rdx_prepared *p, uint32_t i) {
  return i < p->statement->name_count ? p->statement->names[i] : p->plan->root->columns[i].name;
}

static rdx_status check_columns(const rdx_statement *s, rdx_error *err) {
  const rdx_prepared *p = s->prepared;
  const rdx_sql_statement *written = p->statement;
  if (written->parameters > 0)
    return fail(s, RDX_ERROR_UNSUPPORTED, NULL, "view \"%.100s\" cannot have parameters", written->name, err);
  if (written->name_count > p->plan->root->column_count)
    return rdx_sql_error(err, RDX_ERROR_ARGUMENT, p->text, written->place, NULL,
                         "view \"%.100s\" has %u columns, and %u names", written->name, p->plan->root->column_count,
                         written->name_count);
  RDX_SCOPED(rdx_distinct_drop) rdx_distinct names = {0};
  for (uint32_t i = 0; i < p->plan->root->column_count; i++) {
    uint32_t first = 0;
    RDX_TRY(rdx_distinct_add(&names, column_name(p, i), strlen(column_name(p, i)), &first, err));
    if (first < i)
      return fail(s, RDX_ERROR_ARGUMENT, "give columns names with AS, or behind the view's name",
                  "column \"%.100s\" is there twice", column_name(p, i), err);
  }
  return RDX_OK;
}

static rdx_status check_replaceable(const rdx_statement *s, const char *name, rdx_error *err) {
  char doing[160];
  snprintf(doing, sizeof doing, "replace view \"%.100s\"", name);
  return check_unread(s, &(reading){.name = name, .view = true, .replaced = true}, doing, err);
}

rdx_status rdx_defined_create(rdx_statement *s, rdx_answer *answer, rdx_error *err) {
  snprintf(answer->tag, sizeof answer->tag, "CREATE VIEW");
  RDX_LOCKED(&s->database->views_lock);
  rdx_database *d = s->database;
  const rdx_sql_statement *written = s->prepared->statement;
  RDX_SCOPED(drop_view) rdx_defined_view v = {0};
  const bool replaced = written->replaces && rdx_defined_has(d, written->name, true);
  RDX_TRY(replaced ? check_replaceable(s, written->name, err) : rdx_defined_check_new(s, written->name, NULL, err));
  RDX_TRY(check_columns(s, err));
  RDX_TRY(rdx_change_check_lasting(s, "a view", err));
  RDX_TRY(make_view(d, written->name, s->prepared->text, s->prepared->rest, &v, err));
  RDX_TRY(rdx_definition_write(d, KIND, v.name, v.text, err));
  keep_view(d, RDX_KEEP(v));
  rdx_definitions_changed(d);
  return RDX_OK;
}

rdx_status rdx_defined_drop(rdx_statement *s, const char *name, bool *found, rdx_error *err) {
  RDX_LOCKED(&s->database->views_lock);
  rdx_database *d = s->database;
  const rdx_defined_view *v = find_any_case(d, name);
  *found = v != NULL;
  if (!v)
    return RDX_OK;
  RDX_TRY(check_droppable(s, v->name, err));
  RDX_TRY(rdx_definition_remove(d, KIND, v->name, err));
  remove_view(d, v->name);
  rdx_definitions_changed(d);
  return RDX_OK;
}
