/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* How the rows of a table are found for its filter: by evaluating it for every row, by a scan, or by an index that was
 * created. The way that is expected to be the fastest is taken, unless a setting says which. */

#include "plan/internal.h"

#include <math.h>
#include <string.h>

#include "expression/evaluate.h"
#include "scan/scan.h"

/* ---- What it takes ---- */

/* What a row that is found takes beside its own values: by evaluation, where it is listed; by a GPU, whose list the
 * host has not in its caches. */
#define LISTED_VALUES 2
#define BROUGHT_VALUES 2
#define TEXT_VALUES 64   /* what a text takes whose dictionary is yet to be made */
#define ALL_AWAKE 8192.0 /* rows whose values all of the host's threads take; of fewer rows as many fewer do */

/* What is found is brought to the host, which takes the values of these rows. Beside a GPU its threads are to be
 * woken. */
static void add_found(rdx_work *w, double found, bool on_cpu) {
  w->found += found;
  w->evaluations += on_cpu ? 0 : fmin(found / ALL_AWAKE, 1);
  w->values += (on_cpu ? 1 : 1 + BROUGHT_VALUES) * found;
}

/* A scan that finds no row lists none, and takes no longer than a query with nothing to do. */
static void add_list(rdx_work *w, double found) {
  const double none = exp(-found);
  w->lists += 1 - none;
  w->launches += none;
}

static uint32_t count_plain_texts(const rdx_catalog_table *table, const uint32_t *columns, uint32_t count) {
  uint32_t texts = 0;
  for (uint32_t i = 0; i < count; i++) {
    const rdx_catalog_column *c = &table->columns[columns[i]];
    texts += c->type == RDX_TYPE_STRING && !c->has_dictionary;
  }
  return texts;
}

void rdx_filter_work_of(const rdx_plan_node *n, double read, const uint32_t *columns, uint32_t count, bool on_cpu,
                        rdx_filter_work *out) {
  const double rows = (double)n->table->rows, values = fmax(rdx_count_values(n->filter), 1);
  const uint32_t texts = count_plain_texts(n->table, columns, count);
  *out = (rdx_filter_work){
      /* few rows are one thread's, which need not be woken; what is found is listed on the host */
      .evaluation = {.evaluations = read > RDX_BLOCK ? fmin(read / ALL_AWAKE, 1) : 0,
                     .values = read * values + (LISTED_VALUES + 1) * n->expected_rows},
      /* codes of blocks that may have such rows; then each row's bit */
      .scan = {.codes = read * count + rows},
      .preparation = {.launches = 1, .packed = rows * count, .values = TEXT_VALUES * rows * texts},
  };
  add_list(&out->scan, n->expected_rows);
  add_found(&out->scan, n->expected_rows, on_cpu);
}

/* The index finds `found` rows, RX by as many hits; they are brought into order unless they have it, and looked at
 * where it does not answer all. */
static rdx_work lookup_work(const rdx_plan_node *n, rdx_index_method method, double found, bool ordered, bool residual,
                            bool on_cpu) {
  rdx_work w = {.lookups = 1,
                .hits = method == RDX_INDEX_RX ? found : 0,
                .primitives = (double)n->table->rows,
                .sorted = ordered ? 0 : found,
                .gathers = residual ? found : 0,
                .table_rows = (double)n->table->rows,
                .values = residual ? found * rdx_count_values(n->filter) : 0};
  add_found(&w, found, on_cpu);
  return w;
}

/* ---- What can ---- */

static bool is_column(const rdx_bound *e) {
  while (rdx_is_call(e, RDX_OP_CAST))
    e = e->args[0];
  return e->kind == RDX_BOUND_COLUMN;
}

/* A scan answers comparisons of a column with values, and what AND, OR and NOT make of them. */
static bool is_comparison(const rdx_bound *e) {
  bool is = e->kind == RDX_BOUND_CALL;
  if (!is)
    return is_column(e);
  if (e->op == RDX_OP_AND || e->op == RDX_OP_OR || e->op == RDX_OP_NOT) {
    for (uint32_t i = 0; i < e->count && is; i++)
      is = is_comparison(e->args[i]);
    return is;
  }
  uint32_t columns = 0, known = 0;
  for (uint32_t i = 0; i < e->count; i++) {
    columns += is_column(e->args[i]);
    known += rdx_is_given(e->args[i]);
  }
  return e->op != RDX_OP_CAST && columns == 1 && columns + known == e->count && e->type.kind == RDX_SQL_BOOL;
}

bool rdx_filter_scans(const rdx_bound *filter) {
  bool scans = is_comparison(filter);
  for (uint32_t i = 0; rdx_is_call(filter, RDX_OP_AND) && i < filter->count; i++)
    scans |= is_comparison(filter->args[i]);
  return scans;
}

/* How an index over a column can find rows for a condition. */
typedef enum bounding { NOT_BOUND, BOUND, LISTED, EQUAL } bounding;

static bounding stronger(bounding a, bounding b) {
  return a > b ? a : b;
}

static bool is_column_itself(const rdx_bound *e, uint32_t column) {
  return e->kind == RDX_BOUND_COLUMN && e->index == column;
}

/* Conditions that compare the column with values. */
static bounding bounds_column(const rdx_bound *c, uint32_t column) {
  bounding bounds = NOT_BOUND;
  if (c->kind != RDX_BOUND_CALL)
    return NOT_BOUND;
  if (c->op == RDX_OP_AND)
    for (uint32_t i = 0; i < c->count; i++)
      bounds = stronger(bounds, bounds_column(c->args[i], column));
  if (c->op == RDX_OP_IN && is_column_itself(c->args[0], column)) {
    bounds = LISTED;
    for (uint32_t i = 1; i < c->count; i++)
      bounds = rdx_is_given(c->args[i]) ? bounds : NOT_BOUND;
  }
  if (c->op < RDX_OP_EQ || c->op > RDX_OP_GE || c->op == RDX_OP_NE)
    return bounds;
  for (uint32_t i = 0; i < 2; i++)
    if (is_column_itself(c->args[i], column) && rdx_is_given(c->args[1 - i]))
      bounds = c->op == RDX_OP_EQ ? EQUAL : BOUND;
  return bounds;
}

/* What a column is compared with: at least, or at most. */
static const rdx_bound *closed_bound(const rdx_bound *filter, uint32_t column, rdx_op op, rdx_op flipped) {
  for (uint32_t i = 0; rdx_is_call(filter, RDX_OP_AND) && i < filter->count; i++) {
    const rdx_bound *c = filter->args[i];
    for (uint32_t k = 0; k < 2; k++)
      if (rdx_is_call(c, k == 0 ? op : flipped) && is_column_itself(c->args[k], column))
        return c->args[1 - k];
  }
  return NULL;
}

/* Such as a BETWEEN 1 AND 1: two bounds, for of more the executor may take others. */
static bool has_one_value(const rdx_bound *filter, uint32_t column) {
  uint32_t count = 0;
  for (uint32_t i = 0; rdx_is_call(filter, RDX_OP_AND) && i < filter->count; i++)
    count += bounds_column(filter->args[i], column) == BOUND;
  const rdx_bound *lower = closed_bound(filter, column, RDX_OP_GE, RDX_OP_LE),
                  *upper = closed_bound(filter, column, RDX_OP_LE, RDX_OP_GE);
  return count == 2 && lower && upper && rdx_bound_equal(lower, upper);
}

uint32_t rdx_plan_find_column(const rdx_plan_node *n, const char *name) {
  uint32_t c = 0;
  while (c < n->column_count && strcmp(n->table->columns[n->table_columns[c]].name, name) != 0)
    c++;
  return c;
}

static bool reads_only(const rdx_bound *e, const rdx_plan_node *node, const rdx_plan_index *index) {
  bool only = true;
  for (uint32_t i = 0; e->kind == RDX_BOUND_CALL && i < e->count && only; i++)
    only = reads_only(e->args[i], node, index);
  if (e->kind != RDX_BOUND_COLUMN)
    return only;
  for (uint32_t i = 0; i < index->column_count; i++)
    if (rdx_plan_find_column(node, index->columns[i]) == e->index)
      return true;
  return false;
}

void rdx_filter_scan_params(const rdx_settings *settings, rdx_scan_params *out) {
  memcpy(out, &settings->scan, sizeof *out);
  if (out->method == RDX_SCAN_AUTO)
    out->method = RDX_SCAN_COLUMN;
}

/* ---- Ways ---- */

/* One of them; `reason`: why it cannot be taken, or NULL. */
typedef struct way {
  const char *name, *reason;
  double ms;
  const rdx_plan_index *index;
  uint32_t columns; /* of lookups: how many of the index's columns, from the first, conditions are on */
} way;

typedef struct ways {
  way *list;
  uint32_t count;
} ways;

rdx_status rdx_filter_columns(rdx_arena *arena, const rdx_plan_node *n, uint32_t **columns, uint32_t *count,
                              rdx_error *err) {
  bool *used = NULL;
  RDX_TRY(rdx_arena_alloc(arena, n->column_count, sizeof *used, "a filter", (void **)&used, err));
  RDX_TRY(rdx_arena_alloc(arena, n->column_count, sizeof **columns, "a filter", (void **)columns, err));
  memset(used, 0, n->column_count * sizeof *used);
  rdx_bound_mark_columns(n->filter, used);
  *count = 0;
  for (uint32_t i = 0; i < n->column_count; i++)
    if (used[i])
      (*columns)[(*count)++] = n->table_columns[i];
  return RDX_OK;
}

static const char *scan_name(rdx_scan_method method) {
  return rdx_scan_method_name(method == RDX_SCAN_AUTO ? RDX_SCAN_COLUMN : method);
}

/* As the executor chooses where there is no index: see scan_pays() in execute/table.c. */
static void add_common(rdx_planner *p, const rdx_plan_node *n, const uint32_t *columns, uint32_t count, ways *w) {
  rdx_scan_params params;
  rdx_filter_scan_params(p->settings, &params);
  rdx_filter_work work;
  rdx_filter_work_of(n, rdx_estimate_read(p, n), columns, count, p->on_cpu, &work);
  const bool there =
      p->settings->filter == RDX_FILTER_SCAN || rdx_catalog_has_scan(p->catalog, n->table, columns, count, &params);
  const char *reason = !rdx_filter_scans(n->filter) ? "not for this filter" : !there ? "none prepared" : NULL;
  w->list[w->count++] = (way){.name = "evaluation", .ms = rdx_work_ms(&p->rates, &work.evaluation)};
  w->list[w->count++] =
      (way){.name = scan_name(params.method), .reason = reason, .ms = rdx_work_ms(&p->rates, &work.scan)};
}

/* What a lookup uses of an index: its first columns of which values are given, each one or of the first several, and
 * one that has bounds. */
typedef struct use {
  uint32_t columns;
  bool ordered; /* the rows of one key come in their order */
} use;

static use find_use(const rdx_plan_node *n, const rdx_plan_index *index, bool equal_only) {
  use u = {0, true};
  for (bool more = true; u.columns < index->column_count && more; u.columns += more) {
    const uint32_t c = rdx_plan_find_column(n, index->columns[u.columns]);
    bounding how = c < n->column_count ? bounds_column(n->filter, c) : NOT_BOUND;
    how = how == BOUND && has_one_value(n->filter, c) ? EQUAL : how;
    more = how == EQUAL;
    if (more || how == NOT_BOUND || (how == LISTED && u.columns > 0) || (how == BOUND && equal_only))
      continue;
    u = (use){u.columns + 1, false};
  }
  u.ordered = u.ordered && u.columns == index->column_count;
  u.columns = equal_only && u.columns < index->column_count ? 0 : u.columns;
  return u;
}

/* Rows that conditions on the first columns of the index leave, and whether there are other conditions. */
static rdx_status estimate_found(rdx_planner *p, const rdx_plan_node *n, const rdx_plan_index *index, uint32_t columns,
                                 double *found, bool *residual) {
  const rdx_bound *f = n->filter;
  rdx_conjuncts on_columns = {0};
  rdx_bound *all = NULL;
  *found = n->expected_rows;
  *residual = false;
  for (uint32_t i = 0; f->op == RDX_OP_AND && i < f->count; i++) {
    bool bounds = false;
    for (uint32_t k = 0; k < columns && !bounds; k++)
      bounds = bounds_column(f->args[i], rdx_plan_find_column(n, index->columns[k])) != NOT_BOUND;
    if (bounds)
      RDX_TRY(rdx_conjuncts_add(p, &on_columns, f->args[i]));
    else
      *residual = true;
  }
  if (!*residual)
    return RDX_OK;
  RDX_TRY(rdx_conjuncts_join(p, &on_columns, &all));
  return rdx_estimate_filter(p, n->table, n->table_columns, n->column_count, all, found);
}

static rdx_status add_lookup(rdx_planner *p, const rdx_plan_node *n, const rdx_plan_index *index, ways *w) {
  const rdx_index_method method = index->lookup.method ? index->lookup.method : RDX_INDEX_TREE;
  const bool equal_only = !rdx_index_method_abilities(method).ranges;
  const use u = find_use(n, index, equal_only);
  double found = 0;
  bool residual = false;
  if (u.columns == 0)
    return RDX_OK;
  RDX_TRY(estimate_found(p, n, index, u.columns, &found, &residual));
  const bool ordered = u.ordered && method != RDX_INDEX_RX;
  const rdx_work work = lookup_work(n, method, found, ordered, residual, p->on_cpu);
  w->list[w->count++] = (way){
      .name = rdx_index_method_name(method), .ms = rdx_work_ms(&p->rates, &work), .index = index, .columns = u.columns};
  return RDX_OK;
}

#define VECTORS 64   /* of a column's range: rows between two of them are looked at one by one */
#define ROW_BYTES 64 /* read for one of these */

/* Scans over codes that were sorted before: bit vectors are read, or rays find rows; what neither decides is
 * compared. */
static rdx_work scan_index_work(const rdx_plan_node *n, rdx_scan_method method, double terms, bool on_cpu) {
  const double rows = (double)n->table->rows;
  rdx_work w = {.primitives = rows};
  const double vectors = (terms + 1) * rows / 8, between = terms * rows / VECTORS;
  const double of_columns = terms * rows * pow(fmax(n->expected_rows, 1) / fmax(rows, 1), 1 / terms); /* one by one */
  const bool traces = rdx_scan_ops_of(method)->traces_rays;
  if (method == RDX_SCAN_BINDEX)
    w.bytes = vectors + ROW_BYTES * between;
  else if (method == RDX_SCAN_RTSCAN)
    w.bytes = vectors;
  else if (method == RDX_SCAN_BTREE)
    w.bytes = vectors + ROW_BYTES * of_columns;
  w.traces = traces;
  w.rays = !traces ? 0 : sqrt(rows);
  w.hits = !traces ? 0 : method == RDX_SCAN_RTSCAN ? between : method == RDX_SCAN_RTC1 ? of_columns : n->expected_rows;
  add_list(&w, n->expected_rows);
  add_found(&w, n->expected_rows, on_cpu);
  return w;
}

static void add_scan_index(rdx_planner *p, const rdx_plan_node *n, const rdx_plan_index *index, const uint32_t *columns,
                           uint32_t count, ways *w) {
  const rdx_scan_method method = index->scan.method;
  rdx_filter_work plain;
  rdx_filter_work_of(n, rdx_estimate_read(p, n), columns, count, p->on_cpu, &plain);
  const rdx_work work = method == RDX_SCAN_COLUMN ? plain.scan : scan_index_work(n, method, count, p->on_cpu);
  w->list[w->count++] = (way){.name = scan_name(method), .ms = rdx_work_ms(&p->rates, &work), .index = index};
}

static bool is_forced(const rdx_planner *p, const way *w) {
  const rdx_settings *s = p->settings;
  const bool looks_up = w->index && !w->index->scans;
  switch (s->filter) {
  case RDX_FILTER_EVALUATION:
    return strcmp(w->name, "evaluation") == 0;
  case RDX_FILTER_INDEX:
    return w->index != NULL;
  case RDX_FILTER_SCAN:
    return !looks_up && strcmp(w->name, scan_name(s->scan.method)) == 0;
  default:
    return false;
  }
}

/* The fastest way, among those that a setting asks for where there are any. */
static uint32_t find_best(const rdx_planner *p, const ways *w) {
  uint32_t best = 0;
  for (uint32_t i = 1; i < w->count; i++) {
    const bool forced = is_forced(p, &w->list[i]), better = w->list[i].ms < w->list[best].ms;
    const bool was_forced = is_forced(p, &w->list[best]);
    if (!w->list[i].reason && (forced != was_forced ? forced : better))
      best = i;
  }
  return best;
}

static rdx_status list_rejected(rdx_planner *p, const ways *w, uint32_t best, rdx_plan_node *n) {
  RDX_TRY(rdx_planner_alloc(p, w->count, sizeof *n->rejected, &n->rejected));
  for (uint32_t i = 0; i < w->count; i++)
    if (i != best)
      n->rejected[n->rejected_count++] =
          (rdx_plan_method){.name = w->list[i].name, .ms = w->list[i].ms, .reason = w->list[i].reason};
  return RDX_OK;
}

/* An index of the table as it is: another database may have given columns other names, and a temporary table hides the
 * one of its name that has indexes. */
static bool is_of(const rdx_plan_index *index, const rdx_catalog_table *table) {
  bool is = strcmp(index->table, table->name) == 0 && !table->temporary;
  for (uint32_t k = 0; k < index->column_count && is; k++) {
    uint32_t i = 0;
    while (i < table->column_count && strcmp(table->columns[i].name, index->columns[k]) != 0)
      i++;
    is = i < table->column_count;
  }
  return is;
}

rdx_status rdx_choose_filter(rdx_planner *p, rdx_plan_node *n) {
  const rdx_settings *s = p->settings;
  uint32_t *columns = NULL, count = 0;
  ways w = {.count = 0};
  RDX_TRY(rdx_planner_alloc(p, 2 + s->index_count, sizeof *w.list, &w.list));
  RDX_TRY(rdx_filter_columns(p->arena, n, &columns, &count, p->err));
  add_common(p, n, columns, count, &w);
  for (uint32_t i = 0; i < s->index_count; i++) {
    const rdx_plan_index *index = &s->indexes[i];
    if (!is_of(index, n->table))
      continue;
    if (!index->scans)
      RDX_TRY(add_lookup(p, n, index, &w));
    else if (reads_only(n->filter, n, index) && rdx_filter_scans(n->filter))
      add_scan_index(p, n, index, columns, count, &w);
  }
  const uint32_t best = find_best(p, &w);
  n->index = w.list[best].index;
  n->index_columns = w.list[best].columns;
  n->method = w.list[best].name;
  n->own_ms = w.list[best].ms;
  return s->explains ? list_rejected(p, &w, best, n) : RDX_OK;
}
