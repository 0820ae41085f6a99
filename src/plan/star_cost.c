/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* What star queries take by each method: conditions restrict attributes, which says how many rows qualify, and in how
 * many ranges of a cube's order they lie. */

#include "plan/internal.h"

#include <math.h>

#include "star/star.h"

#define MAX_COLUMNS 16 /* of a table, that are looked at together */

/* ---- Conditions ---- */

static rdx_catalog_table *table_of(const rdx_catalog_star *s, uint32_t dimension) {
  return dimension ? s->dimensions[dimension - 1].table : s->fact;
}

static double distinct_of(const rdx_catalog_table *table, uint32_t column) {
  const uint64_t distinct = table->columns[column].distinct;
  return distinct > 0 ? (double)distinct : fmax(0.5 * (double)table->rows, 1);
}

/* Which attributes an expression reads: none, one, or RDX_SEVERAL. */
static void find_attribute(const rdx_bound *e, uint32_t *attribute, bool *any) {
  for (uint32_t i = 0; e->kind == RDX_BOUND_CALL && i < e->count; i++)
    find_attribute(e->args[i], attribute, any);
  if (e->kind != RDX_BOUND_COLUMN)
    return;
  *attribute = *any && *attribute != e->index ? RDX_SEVERAL : e->index;
  *any = true;
}

/* Of a condition on several attributes; those on one are one set of its codes. */
static uint32_t count_comparisons(const rdx_bound *e) {
  uint32_t count = 0;
  if (e->kind != RDX_BOUND_CALL || (e->op != RDX_OP_AND && e->op != RDX_OP_OR && e->op != RDX_OP_NOT))
    return 1;
  for (uint32_t i = 0; i < e->count; i++)
    count += count_comparisons(e->args[i]);
  return count;
}

/* Values that a condition on one attribute allows one by one; 0: it is no list of them. */
static uint32_t count_values(const rdx_bound *c) {
  if (c->kind != RDX_BOUND_CALL)
    return 0;
  return c->op == RDX_OP_EQ ? 1 : c->op == RDX_OP_IN ? c->count - 1 : 0;
}

/* Whether the catalog says what share of the rows has a value: it knows how many values there are. Small dimensions are
 * looked at instead. */
static bool is_counted(const rdx_catalog_star *s, uint32_t attribute) {
  if (attribute == RDX_SEVERAL)
    return false;
  const rdx_catalog_attribute *a = &s->attributes[attribute];
  const rdx_catalog_table *table = table_of(s, a->dimension);
  return table->columns[a->column].distinct > 0 && !(a->dimension > 0 && rdx_estimate_reads_all(table));
}

static rdx_status add_condition(rdx_planner *p, const rdx_plan_node *node, rdx_bound *c, rdx_star_estimate *e) {
  uint32_t attribute = RDX_SEVERAL, i = 0;
  bool any = false;
  find_attribute(c, &attribute, &any);
  while (i < e->count && (attribute == RDX_SEVERAL || e->list[i].attribute != attribute))
    i++;
  rdx_restriction *r = &e->list[i];
  if (i == e->count) {
    *r = (rdx_restriction){.attribute = attribute, .share = 1};
    if (attribute != RDX_SEVERAL)
      r->of = node->star->attributes[attribute];
    e->count++;
  }
  const uint32_t values = count_values(c);
  if (r->conditions.count == 0 && values > 0 && is_counted(node->star, attribute)) {
    r->share = fmin(values / distinct_of(table_of(node->star, r->of.dimension), r->of.column), 1);
    r->ranges = values;
    r->known = true;
  } else {
    r->ranges = r->ranges > values ? r->ranges : values > 1 ? values : 1;
    r->known = false;
  }
  r->comparisons = attribute == RDX_SEVERAL ? count_comparisons(c) : 1;
  return rdx_conjuncts_add(p, &r->conditions, c);
}

static rdx_status add_conditions(rdx_planner *p, const rdx_plan_node *node, rdx_star_estimate *out) {
  rdx_bound *filter = node->filter;
  if (!filter)
    return RDX_OK;
  const bool several = rdx_is_call(filter, RDX_OP_AND);
  RDX_TRY(rdx_planner_alloc(p, several ? filter->count : 1, sizeof *out->list, &out->list));
  if (!several)
    return add_condition(p, node, filter, out);
  for (uint32_t i = 0; i < filter->count; i++)
    RDX_TRY(add_condition(p, node, filter->args[i], out));
  return RDX_OK;
}

/* ---- Combinations ---- */

typedef struct column_list {
  uint32_t columns[MAX_COLUMNS];
  uint32_t count;
} column_list;

static void add_column(column_list *l, uint32_t column) {
  for (uint32_t i = 0; i < l->count; i++)
    if (l->columns[i] == column)
      return;
  if (l->count < MAX_COLUMNS)
    l->columns[l->count++] = column;
}

static rdx_status combine(rdx_planner *p, rdx_catalog_table *table, const column_list *l, bool sampled, double *out) {
  if (sampled)
    return rdx_estimate_combinations(p, table, l->columns, l->count, out);
  *out = 1;
  for (uint32_t i = 0; i < l->count; i++)
    *out *= distinct_of(table, l->columns[i]);
  *out = fmin(*out, fmax((double)table->rows, 1));
  return RDX_OK;
}

static void add_attributes(const rdx_plan_node *node, uint32_t dimension, column_list *l) {
  for (uint32_t i = 0; i < node->expr_count; i++) {
    const rdx_catalog_attribute *a = &node->star->attributes[node->exprs[i]->index];
    if (a->dimension == dimension)
      add_column(l, a->column);
  }
}

rdx_status rdx_star_combinations(rdx_planner *p, const rdx_plan_node *view, bool sampled, double *out) {
  *out = 1;
  for (uint32_t d = 0; d <= view->star->dimension_count; d++) {
    column_list l = {.count = 0};
    double own = 1;
    add_attributes(view, d, &l);
    RDX_TRY(combine(p, table_of(view->star, d), &l, sampled, &own));
    *out *= own;
  }
  *out = fmin(*out, fmax((double)view->star->fact->rows, 1));
  return RDX_OK;
}

static rdx_status combine_groups(rdx_planner *p, const rdx_plan_node *node, bool sampled, rdx_star_estimate *e) {
  for (uint32_t d = 0; d <= node->star->dimension_count; d++) {
    column_list l = {.count = 0};
    add_attributes(node, d, &l);
    e->groups[d] = 0;
    if (l.count == 0)
      continue;
    RDX_TRY(combine(p, table_of(node->star, d), &l, sampled, &e->groups[d]));
    for (uint32_t i = 0; i < e->count; i++)
      if (e->list[i].attribute != RDX_SEVERAL && e->list[i].of.dimension == d)
        add_column(&l, e->list[i].of.column);
    RDX_TRY(combine(p, table_of(node->star, d), &l, sampled, &e->restricted[d]));
  }
  return RDX_OK;
}

rdx_status rdx_star_estimate_begin(rdx_planner *p, const rdx_plan_node *node, rdx_star_estimate *out) {
  *out = (rdx_star_estimate){0};
  RDX_TRY(add_conditions(p, node, out));
  return combine_groups(p, node, false, out);
}

/* ---- Samples ---- */

typedef struct localizing {
  rdx_planner *planner;
} localizing;

static rdx_status first_column(void *user, rdx_bound *node, rdx_bound **out) {
  const localizing *l = user;
  return node->kind == RDX_BOUND_COLUMN ? rdx_bind_column(l->planner, 0, node->type, node->place, out) : RDX_OK;
}

rdx_status rdx_star_estimate_sample(rdx_planner *p, const rdx_plan_node *node, rdx_star_estimate *e) {
  localizing l = {p};
  for (uint32_t i = 0; i < e->count; i++) {
    rdx_restriction *r = &e->list[i];
    rdx_bound *all = NULL;
    double rows = 0;
    if (r->known)
      continue;
    r->known = true;
    RDX_TRY(rdx_conjuncts_join(p, &r->conditions, &all));
    if (r->attribute == RDX_SEVERAL) {
      r->share = rdx_estimate_share(all);
      continue;
    }
    rdx_catalog_table *table = table_of(node->star, r->of.dimension);
    RDX_TRY(rdx_bound_rewrite(p, all, first_column, &l, &all));
    RDX_TRY(rdx_estimate_filter(p, table, &r->of.column, 1, all, &rows));
    r->share = table->rows > 0 ? rows / (double)table->rows : 1;
  }
  return combine_groups(p, node, true, e);
}

static double share_of(const rdx_restriction *r, double unknown) {
  return r->known ? r->share : unknown;
}

/* The restriction of an attribute; NULL: none. */
static const rdx_restriction *find_restriction(const rdx_star_estimate *e, const rdx_catalog_attribute *a) {
  for (uint32_t i = 0; i < e->count; i++)
    if (e->list[i].attribute != RDX_SEVERAL && e->list[i].of.dimension == a->dimension &&
        e->list[i].of.column == a->column)
      return &e->list[i];
  return NULL;
}

static double share_of_all(const rdx_star_estimate *e, double unknown) {
  double share = 1;
  for (uint32_t i = 0; i < e->count; i++)
    share *= share_of(&e->list[i], unknown);
  return share;
}

/* Of the conditions on one table. */
static double share_of_table(const rdx_star_estimate *e, uint32_t dimension, double unknown) {
  double share = 1;
  for (uint32_t i = 0; i < e->count; i++)
    if (e->list[i].attribute != RDX_SEVERAL && e->list[i].of.dimension == dimension)
      share *= share_of(&e->list[i], unknown);
  return share;
}

/* A condition on an attribute leaves fewer values of those that depend on it. */
double rdx_star_groups(const rdx_star_estimate *e, const rdx_plan_node *node, double unknown) {
  double groups = 1;
  for (uint32_t d = 0; d <= node->star->dimension_count; d++)
    if (e->groups[d] > 0)
      groups *= fmax(fmin(e->restricted[d] * share_of_table(e, d, unknown), e->groups[d]), 1);
  return fmin(groups, fmax((double)node->star->fact->rows * share_of_all(e, unknown), 1));
}

double rdx_star_restricted(const rdx_star_estimate *e, const rdx_plan_node *node, double combinations) {
  for (uint32_t i = 0; i < e->count; i++) {
    bool grouped = false;
    for (uint32_t k = 0; k < node->expr_count; k++)
      grouped |= node->exprs[k]->index == e->list[i].attribute;
    if (e->list[i].attribute != RDX_SEVERAL && !grouped)
      combinations *= distinct_of(table_of(node->star, e->list[i].of.dimension), e->list[i].of.column);
  }
  return fmin(combinations, fmax((double)node->star->fact->rows, 1));
}

/* ---- Methods ---- */

#define BLOCK 32        /* rows that are skipped together where none of them qualifies any more */
#define GROUP_VALUES 10 /* what the host does for a group, in values of expressions */

static uint32_t count_measures(const rdx_plan_node *node) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < node->aggregate_count; i++)
    count += node->aggregates[i].value != NULL;
  return count;
}

/* Rows are read of which some may qualify. */
static double part_read(double share) {
  return fmin(1, BLOCK * share);
}

/* What the column engine does with a dimension. */
typedef struct dimension_use {
  double rows, share; /* share: of rows that its conditions keep */
  bool filtered, grouped;
} dimension_use;

static dimension_use find_use(const rdx_star_estimate *e, const rdx_plan_node *node, uint32_t d, double unknown,
                              rdx_work *w) {
  dimension_use u = {.rows = (double)table_of(node->star, d)->rows, .share = share_of_table(e, d, unknown)};
  for (uint32_t i = 0; i < e->count; i++) {
    const rdx_restriction *r = &e->list[i];
    if (r->attribute == RDX_SEVERAL || r->of.dimension != d)
      continue;
    u.filtered = true;
    w->codes += u.rows * r->comparisons;
  }
  u.grouped = e->groups[d] > 0;
  w->tables += u.filtered || u.grouped;
  w->filled += u.filtered ? u.rows : 0;
  w->numbered += u.grouped ? u.rows : 0;
  return u;
}

static double price_of(const rdx_planner *p, const dimension_use *u) {
  const rdx_work one = {.tests = 1, .table_rows = u->rows};
  return rdx_work_ms(&p->rates, &one) / fmax(1 - u->share, 1e-3);
}

/* Rows that are left are looked at by one dimension after the other, the cheapest first. */
static double add_dimensions(const rdx_planner *p, const rdx_star_estimate *e, const rdx_plan_node *node,
                             double unknown, double share, rdx_work *w) {
  const double rows = (double)node->star->fact->rows;
  dimension_use uses[9];
  uint32_t count = node->star->dimension_count;
  double ms = 0;
  for (uint32_t d = 1; d <= count; d++) {
    dimension_use u = find_use(e, node, d, unknown, w);
    uint32_t i = d - 1;
    for (; i > 0 && price_of(p, &uses[i - 1]) > price_of(p, &u); i--)
      uses[i] = uses[i - 1];
    uses[i] = u;
  }
  for (uint32_t i = 0; i < count; i++) {
    if (!uses[i].filtered)
      continue;
    const rdx_work tests = {.tests = rows * share, .table_rows = uses[i].rows};
    ms += rdx_work_ms(&p->rates, &tests);
    share *= uses[i].share;
  }
  for (uint32_t i = 0; i < count; i++) {
    const rdx_work gathers = {.gathers = uses[i].grouped ? rows * share : 0, .table_rows = uses[i].rows};
    ms += rdx_work_ms(&p->rates, &gathers);
  }
  return ms;
}

#define MAX_CELLS 4194304.0  /* groups that have a place each; of more, rows are sorted by them */
#define MAX_COPIED 4194304.0 /* bytes of places, when each part of the rows has its own */

/* Rows that are left are added to their groups: each that could be has places, and the used ones are read. Returns what
 * it takes to go to places that are many. */
static double add_groups(const rdx_planner *p, const rdx_star_estimate *e, const rdx_plan_node *node, double unknown,
                         double kept, rdx_work *w) {
  const double measures = count_measures(node), rows = (double)node->star->fact->rows;
  double cells = 1;
  for (uint32_t i = 0; i < node->expr_count; i++) {
    const rdx_catalog_attribute *a = &node->star->attributes[node->exprs[i]->index];
    const rdx_restriction *r = find_restriction(e, a);
    cells *= fmax(distinct_of(table_of(node->star, a->dimension), a->column) * (r ? share_of(r, unknown) : 1), 1);
  }
  if (node->expr_count == 0) {
    w->added += kept * measures;
    return 0;
  }
  if (cells > MAX_CELLS || cells > 65536 + 4 * rows) {
    w->sorts += 1;
    w->sorted_rows += kept;
    w->sorted_groups += fmin(rdx_star_groups(e, node, unknown), kept);
    return 0;
  }
  const double bytes = 8 * cells * (1 + measures), copies = 4.0 * p->threads;
  const rdx_work places = {.gathers = kept, .table_rows = bytes / sizeof(uint32_t)};
  w->grouped += kept * fmax(measures, 1);
  w->bytes += bytes * (bytes * copies <= MAX_COPIED ? copies : 1);
  return rdx_work_ms(&p->rates, &places);
}

static bool is_of_fact(const rdx_restriction *r) {
  return r->attribute == RDX_SEVERAL || r->of.dimension == 0;
}

/* The condition of the fact table that leaves the fewest rows; the count: none. */
static uint32_t find_first(const rdx_star_estimate *e, double unknown) {
  uint32_t first = e->count;
  for (uint32_t i = 0; i < e->count; i++)
    if (is_of_fact(&e->list[i]) &&
        (first == e->count || share_of(&e->list[i], unknown) < share_of(&e->list[first], unknown)))
      first = i;
  return first;
}

/* The column engine: conditions of the fact table, the most selective one for all rows, then those of dimensions, then
 * groups and measures. */
static double column_ms(const rdx_planner *p, const rdx_star_estimate *e, const rdx_plan_node *node, double unknown,
                        rdx_work *w) {
  const double rows = (double)node->star->fact->rows;
  const uint32_t first = find_first(e, unknown);
  double share = first < e->count ? share_of(&e->list[first], unknown) : 1;
  w->codes += first < e->count ? rows * e->list[first].comparisons : 0;
  for (uint32_t i = 0; i < e->count; i++) {
    const rdx_restriction *r = &e->list[i];
    if (i == first || !is_of_fact(r))
      continue;
    w->codes += rows * part_read(share) * r->comparisons;
    share *= share_of(r, unknown);
  }
  const double ms = add_dimensions(p, e, node, unknown, share, w);
  const double kept = rows * share_of_all(e, unknown);
  w->launches += 1;
  return ms + add_groups(p, e, node, unknown, kept, w);
}

#define RUNS_ANYWAY 16384 /* runs are read instead of their rows, which are more by as much at least */
#define RUN_ROWS 16
#define RUN_BYTES 4 /* of a run that is kept, beside its measures; all of them take 4 bytes a row at most */
#define GROUPED_RUN_BYTES 16
#define KEPT_ANYWAY (2.0 * 1048576) /* bytes of runs */
#define RANGE_RUNS 3      /* runs that are added to groups in the time of going to the rows of another range */
#define WORTH_PREFIXES 16 /* tuples of a cube that are looked at one by one rather than each prefix of so many */

/* What a cube reads: tuples looked at one by one, steps of searches in its order, ranges that are found, rows in them,
 * and runs of rows that are alike; `any`: the chance that a range is found. */
typedef struct cube_reads {
  double tuples, steps, ranges, rows, runs, any;
} cube_reads;

/* An attribute of a cube's order: of how many prefixes it makes how many, of how many values, and what restricts it
 * (NULL: nothing). */
typedef struct cube_level {
  double before, after, values;
  const rdx_restriction *restriction;
} cube_level;

#define MAX_LEVELS 8

/* An attribute of the order: how many prefixes there are with it. */
static void add_level(const rdx_star_estimate *e, const rdx_catalog_star *star, const rdx_catalog_attribute *a,
                      double combinations, cube_level *l) {
  l->restriction = find_restriction(e, a);
  l->values = distinct_of(table_of(star, a->dimension), a->column);
  l->after = fmin(l->before * l->values, combinations);
}

/* The levels down to the last one that is restricted. A view has its groups; what is made for a query has the
 * attributes that it restricts. */
static uint32_t list_levels(const rdx_star_estimate *e, const rdx_plan_node *node, double combinations,
                            cube_level levels[MAX_LEVELS]) {
  const rdx_plan_node *view = node->view ? node->view->star : NULL;
  const uint32_t count = view ? view->expr_count : e->count;
  uint32_t depth = 0, used = 0;
  double prefixes = 1;
  for (uint32_t i = 0; i < count && used < MAX_LEVELS; i++) {
    if (!view && e->list[i].attribute == RDX_SEVERAL)
      continue;
    const rdx_catalog_star *star = view ? view->star : node->star;
    cube_level *l = &levels[used++];
    l->before = prefixes;
    add_level(e, star, view ? &star->attributes[view->exprs[i]->index] : &e->list[i].of, combinations, l);
    prefixes = l->after;
    depth = l->restriction ? used : depth;
  }
  return depth;
}

/* What is read of a level below `nodes` prefixes; returns how many prefixes there are with it. Values without a
 * restriction are gone through; the ends of ranges are searched. */
static double read_level(const cube_level *l, double nodes, double combinations, double unknown, bool last,
                         cube_reads *r) {
  const double children = l->after / l->before, next = 1 + log2(fmax(combinations / l->after, 1));
  if (!l->restriction) {
    r->steps += nodes * children * next;
    return nodes * children;
  }
  const double share = share_of(l->restriction, unknown), kept = children * share,
               there = fmin(children / l->values, 1); /* the part of values that a prefix has */
  r->steps +=
      nodes * 2 * fmin(l->restriction->ranges, fmax(children, 1)) * (1 + log2(fmax(combinations / l->before, 1))) +
      (last ? 0 : nodes * kept * next);
  if (share < 1) /* ranges that meet are one: all values make no more of them */
    r->ranges = fmax(nodes * fmin(l->restriction->ranges, kept) * (1 - pow(share, fmax(children, 1))), 1);
  r->any *= 1 - pow(1 - there, fmax(nodes, 1) * fmax(l->values * share, 1));
  return nodes * kept;
}

/* Down the order as rdx_tuples_select() goes: prefix by prefix, unless many come before the first restriction. */
static cube_reads read_cube(const rdx_star_estimate *e, const rdx_plan_node *node, double combinations,
                            double unknown) {
  const rdx_plan_node *view = node->view ? node->view->star : node;
  cube_level levels[MAX_LEVELS];
  const uint32_t depth = list_levels(e, node, combinations, levels);
  cube_reads r = {.ranges = 1, .rows = (double)view->star->fact->rows * share_of_all(e, unknown), .any = 1};
  uint32_t first = 0, restricted = 0;
  double nodes = 1;
  while (first < depth && !levels[first].restriction)
    first++;
  for (uint32_t i = 0; i < depth; i++) {
    restricted += levels[i].restriction != NULL;
    nodes = read_level(&levels[i], nodes, combinations, unknown, i + 1 == depth, &r);
  }
  if (depth > 0 && levels[first].before > combinations / WORTH_PREFIXES + 1) {
    r.tuples = combinations * restricted;
    r.steps = 0;
  }
  r.runs = node->expr_count > 0 ? combinations * share_of_all(e, unknown) : r.ranges;
  return r;
}

/* The chance that a row qualifies: of each table with conditions at least one row must. */
static double chance_of_rows(const rdx_star_estimate *e, const rdx_plan_node *node, double unknown) {
  double chance = fmin((double)node->star->fact->rows * share_of_all(e, unknown), 1);
  for (uint32_t d = 1; d <= node->star->dimension_count; d++)
    chance = fmin(chance, (double)table_of(node->star, d)->rows * share_of_table(e, d, unknown));
  return chance;
}

/* Whether the sums of a cube's runs are kept, as rdx_runs_fit() says. */
static bool keeps_runs(const rdx_plan_node *node, double combinations) {
  const rdx_plan_node *cube = node->view ? node->view->star : node;
  const double each = (cube->expr_count > 0 ? GROUPED_RUN_BYTES : RUN_BYTES) + 8.0 * count_measures(cube);
  return combinations * each <= KEPT_ANYWAY + 4 * (double)node->star->fact->rows;
}

/* Rows of ranges are added up: a CPU goes from range to range and notes the groups that have rows, a GPU reads all
 * groups. */
static void add_rows(const rdx_planner *p, const rdx_plan_node *node, double combinations, const cube_reads *r,
                     rdx_work *w) {
  const bool grouped = node->expr_count > 0;
  w->launches += r->any;
  *(grouped ? &w->grouped : &w->added) += r->rows * (count_measures(node) + grouped);
  if (rdx_device_get_info(rdx_catalog_device(p->catalog))->backend == RDX_BACKEND_CPU)
    w->runs += RANGE_RUNS * r->ranges;
  else if (grouped)
    w->bytes += combinations * 8 * (count_measures(node) + 1);
}

static void add_cube_work(const rdx_planner *p, const rdx_star_estimate *e, const rdx_plan_node *node,
                          double combinations, double unknown, rdx_work *w) {
  cube_reads r = read_cube(e, node, combinations, unknown);
  r.any = fmin(r.any, chance_of_rows(e, node, unknown));
  const double rows = (double)node->star->fact->rows;
  w->primitives = rows;
  if (node->star_params.method == RDX_STAR_COARSE_CUBE)
    w->primitives = sqrt(rows / 3); /* as coarse cubes choose their blocks */
  w->tuples += r.tuples;
  w->steps += r.steps;
  w->searched_tuples = combinations;
  if (rdx_star_method_traces(node->star_params.method))
    w->rays += r.ranges;
  if (node->star_params.method == RDX_STAR_RT_CUBE) {
    w->traces += r.any; /* no range, no launch */
    w->cubes += 1 - r.any;
    w->hits += r.rows;
    return;
  }
  const double coarse = node->star_params.method == RDX_STAR_COARSE_CUBE ? r.any : 0;
  w->coarse_cubes += coarse;
  w->cubes += 1 - coarse;
  const bool grouped = node->expr_count > 0;
  w->runs += grouped ? fmin(r.runs, r.rows) : 0; /* else they are added up as they are found */
  if (!keeps_runs(node, combinations) || r.runs >= RUNS_ANYWAY + r.rows / RUN_ROWS)
    add_rows(p, node, combinations, &r, w);
}

double rdx_star_ms(const rdx_planner *p, const rdx_star_estimate *e, const rdx_plan_node *node, double combinations,
                   double unknown) {
  rdx_work work = {0};
  double ms = 0;
  if (rdx_star_method_is_cube(node->star_params.method))
    add_cube_work(p, e, node, combinations, unknown, &work);
  else
    ms = column_ms(p, e, node, unknown, &work);
  work.values += GROUP_VALUES * rdx_star_groups(e, node, unknown);
  return ms + rdx_work_ms(&p->rates, &work);
}
