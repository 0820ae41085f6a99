/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Materialized views: cubes over stars. A view's file holds its definition; the cube is built when it is created, and
 * again when it is used first after a restart or after its tables were replaced. */

#include <stdio.h>
#include <string.h>

#include "base/options.h"
#include "database/change.h"
#include "database/definitions.h"
#include "star/star.h"

/* ---- Definitions and their plans ---- */

/* Its STAR node, where the definition is no more than a cube can be; else what is in the way. */
static const char *find_star(const rdx_prepared *p, const rdx_plan_node **out) {
  const rdx_plan_node *root = p->plan->root, *star = root->left;
  *out = star;
  if (root->kind != RDX_PLAN_PROJECT || !star || star->kind != RDX_PLAN_STAR || p->plan->scalar_count > 0)
    return "its query must group a table, or a star of tables by their keys, by plain columns, and aggregate columns "
           "or sums and products of them";
  if (star->filter)
    return "it cannot have WHERE: group by the columns that queries have conditions on";
  if (star->order_count > 0 || star->limit || star->offset)
    return "it cannot have ORDER BY or LIMIT";
  if (star->expr_count == 0)
    return "it has no groups";
  for (uint32_t i = 0; i < root->expr_count; i++)
    if (root->exprs[i]->kind != RDX_BOUND_COLUMN)
      return "its list must be groups and aggregates as they are";
  return NULL;
}

/* WITH (name = value): as `raydex ssb run --options` has them. */
static rdx_status set_option(void *params, const char *name, const char *value, rdx_error *err) {
  return rdx_star_params_set(params, name, value, err);
}

static rdx_status no_cube(const char *name, rdx_error *err) {
  const char *names[RDX_STAR_METHODS];
  char list[256];
  for (uint32_t i = 0; i < RDX_STAR_METHODS; i++)
    names[i] = rdx_star_method_is_cube((rdx_star_method)i) ? rdx_star_method_name((rdx_star_method)i) : NULL;
  rdx_methods_list(names, RDX_STAR_METHODS, list, sizeof list);
  return rdx_fail(err, RDX_ERROR_ARGUMENT, "'%s' keeps no cube; there are %s", name, list);
}

static rdx_status method_of(const rdx_sql_statement *s, const char *text, rdx_star_params *out, rdx_error *err) {
  memset(out, 0, sizeof *out); /* the padding, too: stars are told apart by it */
  out->method = RDX_STAR_SORTED_CUBE;
  if (!s->method || !*s->method)
    return rdx_options_of_with(s, text, set_option, out, err);
  RDX_TRY(rdx_star_method_from_name(s->method, &out->method, err));
  if (!rdx_star_method_is_cube(out->method))
    return no_cube(s->method, err);
  return rdx_options_of_with(s, text, set_option, out, err);
}

/* The plan that is current; a definition that cannot be planned any more has none. */
static void renew(rdx_database *d, rdx_view *v) {
  rdx_error ignored;
  rdx_sql_statement *placeless = NULL;
  if (v->prepared && rdx_prepared_is_current(v->prepared))
    return;
  rdx_prepared_release(&v->prepared);
  if (rdx_prepared_alone(d, v->text, NULL, &v->prepared, &ignored) != RDX_OK)
    return;
  if (rdx_sql_parse_placeless(v->text, &v->prepared->arena, &placeless, &ignored) == RDX_OK)
    v->query = placeless->query;
  else
    rdx_prepared_release(&v->prepared);
}

static void drop_view(rdx_view *v) {
  rdx_prepared_release(&v->prepared);
  RDX_FREE_ALL(v->name, v->text);
}

rdx_status rdx_views_list(rdx_prepared *p, rdx_error *err) {
  RDX_LOCKED(&p->database->views_lock);
  rdx_database *d = p->database;
  if (d->view_count == 0)
    return RDX_OK;
  RDX_TRY(rdx_arena_alloc(&p->arena, d->view_count, sizeof *p->views, "views", (void **)&p->views, err));
  RDX_TRY(rdx_arena_alloc(&p->arena, d->view_count, sizeof *p->view_owners, "views", (void **)&p->view_owners, err));
  for (uint32_t i = 0; i < d->view_count; i++) {
    rdx_view *v = &d->views[i];
    const rdx_plan_node *star = NULL;
    renew(d, v);
    if (!v->prepared || find_star(v->prepared, &star))
      continue;
    pthread_mutex_lock(&d->lock);
    v->prepared->users++;
    pthread_mutex_unlock(&d->lock);
    p->view_owners[p->view_count] = v->prepared;
    /* The name is that of the statement, which stays as long as its owner: the view itself may be dropped before. */
    const rdx_sql_statement *written = v->prepared->statement;
    p->views[p->view_count++] = (rdx_plan_view){written->name, v->query, star, v->star, written->levels};
  }
  return RDX_OK;
}

void rdx_views_free(rdx_database *d) {
  for (uint32_t i = 0; i < d->view_count; i++)
    drop_view(&d->views[i]);
  rdx_free(d->views);
}

/* A view of this name and text; its plan comes when it is asked for. */
static rdx_status add_view(rdx_database *d, const char *name, size_t length, const char *text, rdx_error *err) {
  RDX_SCOPED(drop_view) rdx_view v = {0};
  RDX_SCOPED(rdx_arena_free) rdx_arena arena = {0};
  rdx_sql_statement *statement = NULL;
  const char *next = NULL;
  RDX_TRY(rdx_sql_parse(text, &arena, &statement, &next, err));
  if (!statement || statement->kind != RDX_STATEMENT_CREATE_VIEW)
    return rdx_fail(err, RDX_ERROR_FORMAT, "the definition of view '%.*s' is none", (int)length, name);
  RDX_TRY(method_of(statement, text, &v.star, err));
  RDX_TRY(rdx_copy_bytes(name, length, "a view", &v.name, err));
  RDX_TRY(rdx_copy_text(text, "a view", &v.text, err));
  RDX_LOCKED(&d->lock); /* for lists of them */
  RDX_TRY(rdx_realloc((void **)&d->views, d->view_count + 1, sizeof *d->views, "a view", err));
  d->views[d->view_count++] = RDX_KEEP(v);
  return RDX_OK;
}

static rdx_view *find_view(rdx_database *d, const char *name) {
  for (uint32_t i = 0; i < d->view_count; i++)
    if (strcmp(d->views[i].name, name) == 0)
      return &d->views[i];
  return NULL;
}

static void remove_view(rdx_database *d, rdx_view *v) {
  rdx_view gone = *v;
  pthread_mutex_lock(&d->lock);
  *v = d->views[--d->view_count];
  pthread_mutex_unlock(&d->lock);
  rdx_definitions_changed(d);
  rdx_catalog_retire_cube(d->catalog, gone.name);
  drop_view(&gone);
}

rdx_status rdx_views_learn(rdx_database *d, const char *name, const char *text, RDX_UNUSED bool *settled,
                           rdx_error *err) {
  RDX_LOCKED(&d->views_lock);
  rdx_view *v = find_view(d, name);
  if (v && text && strcmp(v->text, text) == 0)
    return RDX_OK;
  if (v)
    remove_view(d, v);
  if (!text)
    return RDX_OK;
  RDX_TRY(add_view(d, name, strlen(name), text, err));
  rdx_definitions_changed(d);
  return RDX_OK;
}

/* ---- Statements ---- */

rdx_status rdx_select_text(const char *name, const char *rest, char **out, rdx_error *err) {
  RDX_SCOPED(rdx_printed_free) rdx_printed text = {.err = err};
  rdx_print(&text, "SELECT * FROM ");
  rdx_print_quoted(&text, name, '"');
  rdx_print(&text, "%s", rest);
  RDX_TRY(text.status);
  *out = RDX_KEEP(text.data);
  return RDX_OK;
}

/* Run the view's query once, by its cube even where another way is faster or was set: that builds the cube, or says why
 * it cannot be built. */
static rdx_status build_cube(rdx_database *d, const rdx_view *v, rdx_error *err) {
  RDX_SCOPED(rdx_free_local) char *text = NULL;
  RDX_SCOPED(rdx_prepared_release) rdx_prepared *built = NULL;
  rdx_answer answer = {0};
  RDX_TRY(rdx_select_text(v->name, " LIMIT 1", &text, err));
  RDX_TRY(rdx_prepared_alone(d, text, v->name, &built, err));
  const rdx_status status = rdx_prepared_run(built, NULL, NULL, &answer, err);
  rdx_table_destroy(&answer.table);
  return status;
}

bool rdx_views_has(rdx_database *d, const char *name) {
  if (rdx_catalog_has_added(d->catalog, name))
    return false;
  RDX_LOCKED(&d->views_lock);
  return find_view(d, name) != NULL;
}

rdx_status rdx_views_create(rdx_statement *s, rdx_answer *answer, rdx_error *err) {
  RDX_LOCKED(&s->database->views_lock);
  rdx_database *d = s->database;
  const rdx_sql_statement *written = s->prepared->statement;
  const rdx_plan_node *star = NULL;
  RDX_SCOPED(rdx_free_local) char *text = NULL;
  snprintf(answer->tag, sizeof answer->tag, "CREATE MATERIALIZED VIEW");
  if (find_view(d, written->name))
    return written->if_not_exists ? RDX_OK
                                  : rdx_sql_error(err, RDX_ERROR_ARGUMENT, s->prepared->text, written->place, NULL,
                                                  "there is a materialized view \"%.100s\" already", written->name);
  RDX_TRY(rdx_defined_check_new(s, written->name, NULL, err));
  const char *wrong = find_star(s->prepared, &star);
  if (wrong)
    return rdx_sql_error(err, RDX_ERROR_UNSUPPORTED, s->prepared->text, written->place, NULL,
                         "a materialized view is a cube: %s", wrong);
  RDX_TRY(rdx_change_check_lasting(s, "a materialized view", err));
  if (!written->with_data)
    return rdx_sql_error(err, RDX_ERROR_UNSUPPORTED, s->prepared->text, written->place, NULL,
                         "WITH NO DATA is not supported");
  RDX_TRY(rdx_copy_bytes(s->prepared->text, s->prepared->rest, "a view", &text, err));
  RDX_TRY(add_view(d, written->name, strlen(written->name), text, err));
  rdx_definitions_changed(d);
  rdx_view *v = &d->views[d->view_count - 1];
  rdx_status status = build_cube(d, v, err);
  if (status == RDX_OK)
    status = rdx_definition_write(d, "view", v->name, v->text, err);
  if (status != RDX_OK)
    remove_view(d, &d->views[d->view_count - 1]);
  return status;
}

rdx_status rdx_views_drop(rdx_database *d, const char *name, bool *found, rdx_error *err) {
  RDX_LOCKED(&d->views_lock);
  rdx_view *v = find_view(d, name);
  *found = v != NULL;
  if (!v)
    return RDX_OK;
  RDX_TRY(rdx_definition_remove(d, "view", name, err));
  remove_view(d, v);
  return RDX_OK;
}
