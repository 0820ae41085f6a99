/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Views: the query of a view's definition stands where its name does, as a query in FROM. */

#include <string.h>

#include "plan/internal.h"

rdx_status rdx_find_view(const rdx_planner *p, const char *name, bool exact, rdx_view_text *out) {
  *out = (rdx_view_text){0};
  return p->settings->find_view ? p->settings->find_view(p->settings->views_user, name, exact, p->arena, out, p->err)
                                : RDX_OK;
}

rdx_status rdx_view_fail(rdx_planner *p, const rdx_from *from, const char *name, rdx_status status) {
  rdx_error why = {""};
  if (!p->err || status == RDX_ERROR_MEMORY || status == RDX_ERROR_CANCELLED)
    return status;
  why = *p->err;
  char *hint = strstr(why.text, "\nHINT: ");
  if (hint) {
    *hint = '\0';
    hint += strlen("\nHINT: ");
  }
  if (p->named_view)
    return rdx_planner_fail(p, status, from->place, hint, "%s", why.text);
  p->named_view = true;
  return rdx_planner_fail(p, status, from->place, hint, "view \"%.100s\": %s", name, why.text);
}

static rdx_status check_open(rdx_planner *p, const rdx_open_view *view) {
  bool again = p->settings->defines && strcmp(p->settings->defines, view->name) == 0;
  for (const rdx_open_view *v = view->outside; v && !again; v = v->outside)
    again = strcmp(v->name, view->name) == 0;
  if (again)
    return rdx_fail(p->err, RDX_ERROR_ARGUMENT, "it reads itself");
  if (view->levels > RDX_SQL_MAX_LEVELS)
    return rdx_fail(p->err, RDX_ERROR_UNSUPPORTED, "views are nested too deeply");
  return rdx_planner_deepen(p, view->levels);
}

static rdx_status check_lists(rdx_planner *p, const rdx_view_text *view) {
  if (view->lists && (p->view || p->settings->defines))
    return rdx_fail(p->err, RDX_ERROR_UNSUPPORTED, "it lists what there is now, and views do not read it");
  p->plan->lists |= view->lists;
  return RDX_OK;
}

static rdx_status note(rdx_planner *p, const char *name) {
  rdx_query_plan *plan = p->plan;
  for (uint32_t i = 0; i < plan->view_count; i++)
    if (strcmp(plan->views[i], name) == 0)
      return RDX_OK;
  RDX_TRY(rdx_planner_grow(p, (void *)&plan->views, plan->view_count, &p->view_capacity, sizeof *plan->views));
  plan->views[plan->view_count++] = name;
  return RDX_OK;
}

static rdx_status bind_definition(rdx_planner *p, const rdx_sql_statement *view, const rdx_from *from, const char *name,
                                  rdx_leaf *out) {
  rdx_bound_query *query = NULL;
  RDX_TRY(rdx_bind_query(p, NULL, NULL, view->query, &query));
  RDX_TRY(rdx_leaf_of_query(p, query, from, from->alias ? from->alias : name, out));
  out->view = name;
  if (view->name_count > out->named)
    return rdx_fail(p->err, RDX_ERROR_ARGUMENT, "it has %u columns, and %u names", out->named, view->name_count);
  for (uint32_t i = 0; i < view->name_count; i++)
    out->names[i] = view->names[i];
  return RDX_OK;
}

static rdx_status begin(rdx_planner *p, const rdx_view_text *view, rdx_open_view *open, rdx_sql_statement **written) {
  RDX_TRY(rdx_sql_parse_view(view->text, p->arena, written, p->err));
  open->levels = (*written)->levels + (p->view ? p->view->levels : 0);
  RDX_TRY(check_open(p, open));
  RDX_TRY(check_lists(p, view));
  return note(p, view->name);
}

rdx_status rdx_bind_view(rdx_planner *p, const rdx_from *from, const rdx_view_text *view, rdx_leaf *out) {
  rdx_sql_statement *written = NULL;
  rdx_open_view open = {.name = view->name, .outside = p->view};
  rdx_status status = begin(p, view, &open, &written);
  if (status != RDX_OK)
    return rdx_view_fail(p, from, view->name, status);
  p->view = &open;
  status = bind_definition(p, written, from, view->name, out);
  p->view = open.outside;
  return status == RDX_OK ? RDX_OK : rdx_view_fail(p, from, view->name, status);
}
