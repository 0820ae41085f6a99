/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* ORDER BY; OVER: windows, written in place or by their names in WINDOW. */

#include <string.h>

#include "sql/tree.h"

static rdx_status take_order(rdx_tree *t, const PgQuery__SortBy *s, rdx_sql_order *out) {
  RDX_TRY(rdx_tree_expression(t, s->node, &out->value));
  RDX_TRY(rdx_tree_refuse_if(t, s->sortby_dir == PG_QUERY__SORT_BY_DIR__SORTBY_USING, out->value->place,
                             "ORDER BY ... USING is not supported; ASC and DESC are"));
  out->descending = s->sortby_dir == PG_QUERY__SORT_BY_DIR__SORTBY_DESC;
  out->nulls = s->sortby_nulls == PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_FIRST  ? RDX_NULLS_FIRST
               : s->sortby_nulls == PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_LAST ? RDX_NULLS_LAST
                                                                               : RDX_NULLS_DEFAULT;
  return RDX_OK;
}

rdx_status rdx_tree_orders(rdx_tree *t, size_t count, rdx_tree_node *const *nodes, rdx_sql_order **out,
                           uint32_t *out_count) {
  *out_count = (uint32_t)count;
  RDX_TRY(rdx_tree_alloc(t, count, sizeof **out, (void **)out));
  for (size_t i = 0; i < count; i++)
    RDX_TRY(take_order(t, nodes[i]->sort_by, &(*out)[i]));
  return RDX_OK;
}

/* Bits of frame options, as PostgreSQL's parser sets them (parsenodes.h). */
#define FRAME_WRITTEN 0x1
#define FRAME_ROWS 0x4
#define FRAME_GROUPS 0x8
#define BEGIN_UNBOUNDED_PRECEDING 0x20
#define END_UNBOUNDED_FOLLOWING 0x100
#define BEGIN_CURRENT 0x200
#define END_CURRENT 0x400
#define BEGIN_PRECEDING 0x800
#define END_PRECEDING 0x1000
#define BEGIN_FOLLOWING 0x2000
#define END_FOLLOWING 0x4000
#define EXCLUDE_CURRENT 0x8000
#define EXCLUDE_GROUP 0x10000
#define EXCLUDE_TIES 0x20000

static rdx_status take_frame(rdx_tree *t, const PgQuery__WindowDef *w, rdx_sql_window *out) {
  const int bits = w->frame_options;
  const bool offsets = bits & (BEGIN_PRECEDING | BEGIN_FOLLOWING | END_PRECEDING | END_FOLLOWING);
  out->unit = bits & FRAME_ROWS ? RDX_FRAME_ROWS : bits & FRAME_GROUPS ? RDX_FRAME_GROUPS : RDX_FRAME_RANGE;
  out->begin = bits & BEGIN_UNBOUNDED_PRECEDING ? RDX_EDGE_FIRST
               : bits & BEGIN_CURRENT           ? RDX_EDGE_CURRENT
               : bits & BEGIN_PRECEDING         ? RDX_EDGE_PRECEDING
                                                : RDX_EDGE_FOLLOWING;
  out->end = bits & END_UNBOUNDED_FOLLOWING ? RDX_EDGE_LAST
             : bits & END_CURRENT           ? RDX_EDGE_CURRENT
             : bits & END_PRECEDING         ? RDX_EDGE_PRECEDING
                                            : RDX_EDGE_FOLLOWING;
  out->exclusion = bits & EXCLUDE_CURRENT ? RDX_EXCLUDE_CURRENT
                   : bits & EXCLUDE_GROUP ? RDX_EXCLUDE_GROUP
                   : bits & EXCLUDE_TIES  ? RDX_EXCLUDE_TIES
                                          : RDX_EXCLUDE_NOTHING;
  if (out->unit == RDX_FRAME_GROUPS && out->order_count == 0)
    return rdx_sql_error(t->err, RDX_ERROR_ARGUMENT, t->text->text, out->place, NULL, "GROUPS needs ORDER BY");
  if (out->unit == RDX_FRAME_RANGE && offsets && out->order_count != 1)
    return rdx_sql_error(t->err, RDX_ERROR_ARGUMENT, t->text->text, out->place, NULL,
                         "RANGE with a distance needs ORDER BY one expression");
  if (w->start_offset)
    RDX_TRY(rdx_tree_expression(t, w->start_offset, &out->begin_offset));
  return w->end_offset ? rdx_tree_expression(t, w->end_offset, &out->end_offset) : RDX_OK;
}

rdx_status rdx_tree_windows(rdx_tree *t, size_t count, rdx_tree_node *const *windows) {
  t->windows = windows;
  t->window_count = count;
  RDX_TRY(rdx_tree_alloc(t, count, sizeof *t->window_used, (void **)&t->window_used));
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < i; k++)
      if (strcmp(t->windows[i]->window_def->name, t->windows[k]->window_def->name) == 0)
        return rdx_sql_error(t->err, RDX_ERROR_ARGUMENT, t->text->text,
                             rdx_tree_place(t, t->windows[i]->window_def->location), NULL,
                             "window \"%.60s\" is defined twice", t->windows[i]->window_def->name);
  return RDX_OK;
}

/* One of the first `count` windows that WINDOW names, by its number. */
static rdx_status find_named(const rdx_tree *t, const char *name, size_t count, rdx_sql_place place, size_t *out) {
  for (*out = 0; *out < count; ++*out) {
    if (strcmp(t->windows[*out]->window_def->name, name) != 0)
      continue;
    t->window_used[*out] = true;
    return RDX_OK;
  }
  return rdx_sql_error(t->err, RDX_ERROR_NOT_FOUND, t->text->text, place, NULL, "there is no window \"%.60s\"", name);
}

static rdx_status take_definition(rdx_tree *t, const PgQuery__WindowDef *w, size_t before, rdx_sql_window *out);

/* A window that begins with another one: its parts, and its order, which may not be written anew. */
static rdx_status extend(rdx_tree *t, const PgQuery__WindowDef *w, size_t before, rdx_sql_window *out) {
  size_t number = 0;
  rdx_sql_window base = {.place = out->place};
  RDX_TRY(find_named(t, w->refname, before, out->place, &number));
  const PgQuery__WindowDef *named = t->windows[number]->window_def;
  RDX_TRY(take_definition(t, named, number, &base));
  const char *wrong = out->partition_count > 0 ? "PARTITION BY of window \"%.60s\" is written twice"
                      : out->order_count > 0 && base.order_count > 0 ? "ORDER BY of window \"%.60s\" is written twice"
                      : named->frame_options & FRAME_WRITTEN ? "window \"%.60s\" has a frame: it cannot be extended"
                                                             : NULL;
  if (wrong)
    return rdx_sql_error(t->err, RDX_ERROR_ARGUMENT, t->text->text, out->place, NULL, wrong, w->refname);
  out->partition = base.partition;
  out->partition_count = base.partition_count;
  if (base.order_count > 0) {
    out->orders = base.orders;
    out->order_count = base.order_count;
  }
  return RDX_OK;
}

/* `before`: how many windows of WINDOW it may extend. */
static rdx_status take_definition(rdx_tree *t, const PgQuery__WindowDef *w, size_t before, rdx_sql_window *out) {
  RDX_TRY(rdx_tree_enter(t, out->place));
  RDX_TRY(rdx_tree_expressions(t, w->n_partition_clause, w->partition_clause, &out->partition, &out->partition_count));
  RDX_TRY(rdx_tree_orders(t, w->n_order_clause, w->order_clause, &out->orders, &out->order_count));
  if (w->refname && *w->refname)
    RDX_TRY(extend(t, w, before, out));
  RDX_TRY(take_frame(t, w, out));
  t->levels--;
  return RDX_OK;
}

rdx_status rdx_tree_window(rdx_tree *t, const PgQuery__WindowDef *w, rdx_sql_window **out) {
  size_t before = t->window_count;
  RDX_TRY(rdx_tree_enter(t, 0));
  RDX_TRY(rdx_tree_alloc(t, 1, sizeof **out, (void **)out));
  (*out)->place = rdx_tree_place(t, w->location);
  if (w->name && *w->name) { /* OVER name */
    RDX_TRY(find_named(t, w->name, t->window_count, (*out)->place, &before));
    w = t->windows[before]->window_def;
  }
  RDX_TRY(take_definition(t, w, before, *out));
  t->levels--;
  return RDX_OK;
}

rdx_status rdx_tree_unused_windows(rdx_tree *t, rdx_sql_query *out) {
  RDX_TRY(rdx_tree_alloc(t, t->window_count, sizeof(rdx_ast *), (void **)&out->unused_windows));
  for (size_t i = 0; i < t->window_count; i++) {
    rdx_ast *call = NULL;
    if (t->window_used[i])
      continue;
    RDX_TRY(rdx_tree_call(t, rdx_tree_place(t, t->windows[i]->window_def->location), "count", 0, &call));
    call->star = true;
    RDX_TRY(rdx_tree_window(t, t->windows[i]->window_def, &call->over)); /* by its name */
    out->unused_windows[out->unused_count++] = call;
  }
  return RDX_OK;
}
