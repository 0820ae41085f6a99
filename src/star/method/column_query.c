/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Plans as arrays for the kernels: terms by selectivity, tables of dimensions, slots of measures, tests. */

#include "star/method/column_query.h"

#include <stdlib.h>
#include <string.h>

#define MAX_BITMAP 65536u        /* codes; wider sets are searched, but those of */
#define MAX_SPARSE_BITMAP 32768u /* codes for each interval, and of no more than */
#define MAX_WIDE_BITMAP (1u << 24)
/* Shares of rows below which a GPU looks at terms, and at dimensions, row by row: with codes side by side the former
 * cost little for all rows, the latter a gather for each. */
#define FEW_FOR_TERMS (1 / 400.)
#define FEW_FOR_LINKS (1 / 16.)

/* A term of the plan, and the selectivity of codes that it keeps. */
typedef struct ranked {
  double selectivity;
  uint32_t term;
} ranked;

/* A query at work. Arrays of terms and parts begin with those of the fact table; terms of tests follow, then those of
 * each table. */
typedef struct building {
  const rdx_plan *plan;
  rdx_column_query *out;
  engine_term *terms;
  engine_part *parts;
  engine_step *steps;
  engine_measure *measures;
  engine_test *tests;
  uint64_t *numbers;
  ranked *ranks; /* of the plan's terms, ascending */
  uint32_t terms_used, parts_used, steps_used, numbers_used;
} building;

static const rdx_encoded_column *attribute_of(const building *b, uint32_t number) {
  return &b->plan->relation->attributes[number];
}

/* ---- Sizes ---- */

static uint64_t span_of(const rdx_code_set *set) {
  return set->list[set->count - 1].high - set->list[0].low;
}

static bool is_bitmap(const rdx_code_set *set) {
  const uint64_t span = span_of(set);
  return set->count > 1 && (span < MAX_BITMAP || (span < MAX_WIDE_BITMAP && span / set->count < MAX_SPARSE_BITMAP));
}

/* Words that the set of some intervals takes beside its term. */
static uint64_t set_size(const rdx_code_set *set) {
  if (set->count == 1)
    return 0;
  return is_bitmap(set) ? span_of(set) / 64 + 1 : 2ul * set->count;
}

typedef struct sizes {
  uint64_t terms, tests, numbers, steps;
} sizes;

static void add_node_size(const rdx_term_node *node, sizes *s) {
  for (uint32_t i = 0; node->kind != RDX_NODE_TERM && i < node->count; i++)
    add_node_size(&node->children[i], s);
  if (node->kind == RDX_NODE_TERM) {
    s->tests++;
    s->terms++;
    s->numbers += set_size(&node->term.set);
  }
}

static sizes measure(const rdx_plan *plan) {
  sizes s = {.terms = plan->term_count};
  for (uint32_t i = 0; i < plan->term_count; i++)
    s.numbers += set_size(&plan->terms[i].set);
  if (plan->residual)
    add_node_size(plan->residual, &s);
  for (uint32_t i = 0; i < plan->measure_count; i++)
    s.steps += plan->measures[i].step_count;
  return s;
}

/* ---- Terms ---- */

static void add_bitmap(building *b, const rdx_code_set *set) {
  const uint64_t words = set_size(set), low = set->list[0].low;
  uint64_t *bits = b->numbers + b->numbers_used;
  memset(bits, 0, words * sizeof *bits);
  for (uint32_t i = 0; i < set->count; i++)
    for (uint64_t code = set->list[i].low - low; code <= set->list[i].high - low; code++)
      bits[code / 64] |= 1ul << code % 64;
  b->numbers_used += (uint32_t)words;
}

static void add_pairs(building *b, const rdx_code_set *set) {
  const uint64_t low = set->list[0].low;
  for (uint32_t i = 0; i < set->count; i++) {
    b->numbers[b->numbers_used++] = set->list[i].low - low;
    b->numbers[b->numbers_used++] = set->list[i].high - low;
  }
}

/* The widest gap between intervals, and how codes are compared with it. No gap is one of no codes. */
static void find_gap(const rdx_interval *list, uint32_t count, uint64_t codes, engine_term *t) {
  const uint64_t top = (uint64_t)1 << (8 * t->bytes - 1);
  t->gap_low = 1;
  for (uint32_t i = 1; i < count; i++) {
    const uint64_t low = list[i - 1].high + 1, high = list[i].low - 1;
    if (t->gap_low > t->gap_high || high - low > t->gap_high - t->gap_low) {
      t->gap_low = low;
      t->gap_high = high;
    }
  }
  if (t->bytes < 4 && (t->low & top) != ((t->low + t->span) & top))
    t->compare = COMPARE_WIDE;
  else if (count > 1 || (t->bytes < 4 && codes > top))
    t->compare = COMPARE_GAP;
  t->exact = count == 1 || (count == 2 && t->compare == COMPARE_GAP && t->bytes < 8);
}

/* `own`: the rows are those of the attribute's table; else of the fact table. */
static void add_term(building *b, const rdx_term *term, bool own) {
  const rdx_encoded_column *c = attribute_of(b, term->column);
  const rdx_interval *list = term->set.list;
  const uint32_t count = term->set.count;
  const rdx_foreign_rows *p = c->dimension && !own ? &b->plan->relation->foreign_rows[c->dimension - 1] : NULL;
  const uint64_t span = span_of(&term->set), codes = rdx_encoded_column_codes(c);
  engine_term *t = &b->terms[b->terms_used++];
  *t = (engine_term){.codes = RDX_ADDRESS(uint32_t, c->codes),
                     .foreign_rows = p ? RDX_ADDRESS(uint32_t, p->codes) : NULL,
                     .low = list[0].low,
                     .span = span,
                     .bytes = c->bytes,
                     .foreign_bytes = p ? p->bytes : 0,
                     .set = b->numbers_used,
                     .count = is_bitmap(&term->set) ? 0 : count};
  find_gap(list, count, codes, t);
  b->out->bytes += c->rows * c->bytes;
  if (t->count == 0)
    add_bitmap(b, &term->set);
  else if (count > 1)
    add_pairs(b, &term->set);
}

static double selectivity_of(const building *b, const rdx_term *t) {
  return rdx_code_set_size(&t->set) / (double)rdx_encoded_column_codes(attribute_of(b, t->column));
}

static int compare_ranked(const void *x, const void *y) {
  const ranked *a = x, *b = y;
  return a->selectivity != b->selectivity ? (a->selectivity > b->selectivity) - (a->selectivity < b->selectivity)
                                          : (int)(a->term > b->term) * 2 - 1;
}

/* Terms of a table (0: the fact table), the most selective first. Returns the selectivity of rows that is left. */
static double add_terms(building *b, uint32_t dimension) {
  double selectivity = 1;
  for (uint32_t i = 0; i < b->plan->term_count; i++) {
    const rdx_term *t = &b->plan->terms[b->ranks[i].term];
    if (attribute_of(b, t->column)->dimension != dimension)
      continue;
    add_term(b, t, true);
    selectivity *= b->ranks[i].selectivity;
  }
  return selectivity;
}

static void rank_terms(building *b) {
  const uint32_t count = b->plan->term_count;
  for (uint32_t i = 0; i < count; i++)
    b->ranks[i] = (ranked){selectivity_of(b, &b->plan->terms[i]), i};
  if (count > 1)
    qsort(b->ranks, count, sizeof *b->ranks, compare_ranked);
}

/* ---- Tests: code that jumps (Neumann, VLDB 2011, calls it short-circuiting) ---- */

static uint32_t count_tests(const rdx_term_node *node) {
  uint32_t count = node->kind == RDX_NODE_TERM;
  for (uint32_t i = 0; node->kind != RDX_NODE_TERM && i < node->count; i++)
    count += count_tests(&node->children[i]);
  return count;
}

/* The tests of a node from number `at` on, which go to the given ones when it is decided. Returns the number after
 * them. */
static uint32_t add_tests(building *b, const rdx_term_node *node, uint32_t at, uint32_t on_true, uint32_t on_false) {
  if (node->kind == RDX_NODE_TERM) {
    b->tests[at] = (engine_test){b->terms_used, on_true, on_false};
    add_term(b, &node->term, false);
    return at + 1;
  }
  for (uint32_t i = 0; i < node->count; i++) {
    const bool last = i + 1 == node->count, all = node->kind == RDX_NODE_AND;
    const uint32_t next = at + count_tests(&node->children[i]);
    at = add_tests(b, &node->children[i], at, all && !last ? next : on_true, all || last ? on_false : next);
  }
  return at;
}

/* ---- Dimensions ---- */

static void add_part(building *b, uint32_t number) {
  const rdx_plan *p = b->plan;
  const rdx_encoded_column *c = attribute_of(b, p->query->group_by[number]);
  const rdx_encoded_column *dense = p->group_dense[number];
  const uint32_t bytes = dense ? dense->bytes : c->bytes;
  b->parts[b->parts_used++] = (engine_part){.codes = RDX_ADDRESS(uint32_t, dense ? dense->codes : c->codes),
                                            .low = p->group_low[number],
                                            .stride = p->group_stride[number],
                                            .bytes = bytes};
  b->out->bytes += c->rows * bytes;
}

static void add_parts(building *b, uint32_t dimension) {
  for (uint32_t i = 0; i < b->plan->query->group_count; i++)
    if (attribute_of(b, b->plan->query->group_by[i])->dimension == dimension)
      add_part(b, i);
}

/* What a row that is looked up costs for each that this drops, as measured: on the CPU shuffles find the bits of few
 * rows in a quarter of the time, but a column that is read afterwards has most of its lines read all the same. */
static double cost_of(const building *b, const rdx_column_table *t) {
  const bool shuffled = b->plan->relation->device->info.backend == RDX_BACKEND_CPU && t->rows < ENGINE_SMALL;
  return (shuffled ? 0.5 : 1) / (1 - t->selectivity);
}

static int compare_tables(const void *x, const void *y) {
  const rdx_column_table *a = x, *b = y;
  return a->cost != b->cost ? (a->cost > b->cost) - (a->cost < b->cost) : (int)(a->dimension > b->dimension) * 2 - 1;
}

/* Tables of the dimensions that decide about rows or have group attributes, the cheapest first. */
static void add_tables(building *b) {
  const rdx_packed_relation *r = b->plan->relation;
  rdx_column_query *o = b->out;
  for (uint32_t d = 0; d < r->dimension_count; d++) {
    rdx_column_table t = {
        .rows = r->foreign_rows[d].rows, .dimension = d, .first_term = b->terms_used, .first_part = b->parts_used};
    t.selectivity = add_terms(b, d + 1);
    add_parts(b, d + 1);
    t.cost = cost_of(b, &t);
    t.term_count = b->terms_used - t.first_term;
    t.part_count = b->parts_used - t.first_part;
    if (t.term_count > 0 || t.part_count > 0 || r->foreign_rows[d].missing)
      o->tables[o->table_count++] = t;
  }
  if (o->table_count > 1)
    qsort(o->tables, o->table_count, sizeof *o->tables, compare_tables);
  for (uint32_t i = 0; i < o->table_count; i++) {
    const rdx_foreign_rows *p = &r->foreign_rows[o->tables[i].dimension];
    o->links[i] =
        (engine_link){.foreign_rows = RDX_ADDRESS(uint32_t, p->codes), .bytes = p->bytes, .rows = (uint32_t)p->rows};
    o->bytes += r->rows * p->bytes;
  }
}

/* ---- Measures ---- */

static engine_step make_step(building *b, const rdx_step *step) {
  static const uint32_t kinds[] = {[RDX_EXPRESSION_ATTRIBUTE] = STEP_ATTRIBUTE,
                                   [RDX_EXPRESSION_CONSTANT] = STEP_CONSTANT,
                                   [RDX_EXPRESSION_ADD] = STEP_ADD,
                                   [RDX_EXPRESSION_SUBTRACT] = STEP_SUBTRACT,
                                   [RDX_EXPRESSION_MULTIPLY] = STEP_MULTIPLY};
  engine_step s = {.kind = kinds[step->kind], .value = rdx_step_value(step), .null_code = UINT64_MAX};
  if (step->kind != RDX_EXPRESSION_ATTRIBUTE)
    return s;
  const rdx_encoded_column *c = step->attribute;
  const rdx_foreign_rows *p = c->dimension ? &b->plan->relation->foreign_rows[c->dimension - 1] : NULL;
  s.codes = RDX_ADDRESS(uint32_t, c->codes);
  s.foreign_rows = p ? RDX_ADDRESS(uint32_t, p->codes) : NULL;
  s.factor = (uint64_t)step->factor;
  s.bytes = c->bytes;
  s.foreign_bytes = p ? p->bytes : 0;
  if (c->nulls)
    s.null_code = c->count;
  b->out->bytes += c->rows * c->bytes;
  return s;
}

static void add_measure(building *b, uint32_t number) {
  const rdx_measure *m = &b->plan->measures[number];
  const uint64_t range = (uint64_t)m->max - (uint64_t)m->min;
  engine_query *q = &b->out->q;
  engine_measure *e = &b->measures[number];
  *e = (engine_measure){.min = (uint64_t)m->min,
                        .max = (uint64_t)m->max,
                        .first_step = b->steps_used,
                        .step_count = m->step_count,
                        .count_slot = NO_SLOT,
                        .sum_slot = NO_SLOT,
                        .min_slot = NO_SLOT,
                        .max_slot = NO_SLOT,
                        .wide = range > UINT64_MAX / b->plan->relation->rows};
  for (uint32_t i = 0; i < m->step_count; i++) {
    engine_step s = make_step(b, &m->steps[i]);
    if (m->numeric && m->steps[i].kind == RDX_EXPRESSION_ATTRIBUTE)
      s.values = RDX_ADDRESS(uint64_t, m->steps[i].attribute->values);
    b->steps[b->steps_used++] = s;
  }
  if (m->wanted & RDX_WANT_COUNT)
    e->count_slot = q->slots++;
  if (m->wanted & RDX_WANT_SUM) {
    e->sum_slot = q->slots;
    q->slots += 1 + e->wide;
  }
  if (m->wanted & RDX_WANT_MIN)
    e->min_slot = q->slots++;
  if (m->wanted & RDX_WANT_MAX)
    e->max_slot = q->slots++;
  if (m->wanted & RDX_WANT_MIN)
    q->max_slots |= 1ul << e->min_slot;
  if (m->wanted & RDX_WANT_MAX)
    q->max_slots |= 1ul << e->max_slot;
  b->out->wide_extremes |= (m->wanted & (RDX_WANT_MIN | RDX_WANT_MAX)) && range > UINT32_MAX;
}

/* ---- All of it ---- */

static void *take(void **next, uint64_t count, size_t size) {
  void *taken = *next;
  *next = (char *)*next + (count * size + 7) / 8 * 8;
  return taken;
}

/* One block for all arrays, which goes to the device as it is. */
static rdx_status lay_out(building *b, rdx_error *err) {
  const rdx_plan *p = b->plan;
  const sizes s = measure(p);
  rdx_column_query *o = b->out;
  const uint32_t dimensions = p->relation->dimension_count;
  const uint64_t words = s.terms * (sizeof *b->terms / 8) + p->query->group_count * (sizeof *b->parts / 8) +
                         s.steps * (sizeof *b->steps / 8) + p->measure_count * (sizeof *b->measures / 8) +
                         (s.tests * sizeof *b->tests + 7) / 8 + s.numbers + dimensions * (sizeof *o->links / 8);
  if (s.tests >= TEST_ACCEPT || s.numbers >= UINT32_MAX)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "the predicate is too large");
  RDX_TRY(rdx_arena_alloc(&o->arena, words + 1, 8, "a query", &o->block, err));
  RDX_TRY(rdx_arena_alloc(&o->arena, dimensions, sizeof *o->tables, "a query", (void **)&o->tables, err));
  RDX_TRY(rdx_arena_alloc(&o->arena, p->term_count, sizeof *b->ranks, "a query", (void **)&b->ranks, err));
  void *next = o->block;
  b->terms = take(&next, s.terms, sizeof *b->terms);
  b->parts = take(&next, p->query->group_count, sizeof *b->parts);
  b->steps = take(&next, s.steps, sizeof *b->steps);
  b->measures = take(&next, p->measure_count, sizeof *b->measures);
  b->tests = take(&next, s.tests, sizeof *b->tests);
  b->numbers = take(&next, s.numbers, 8);
  o->links = take(&next, dimensions, sizeof *o->links);
  o->block_size = words * 8;
  o->measures = b->measures;
  return RDX_OK;
}

/* Terms and dimensions are in order of what they keep and cost. Whether rows are in the span of a term is seen from
 * many codes at once; the set within it takes a gather each, and is left for later where few rows are in the span. */
static void choose_early(building *b) {
  rdx_column_query *o = b->out;
  bool late_sets = false;
  double left = 1;
  for (uint32_t i = 0; o->early_terms < o->q.term_count && left > FEW_FOR_TERMS; i++) {
    const rdx_encoded_column *c = attribute_of(b, b->plan->terms[b->ranks[i].term].column);
    const engine_term *t = &b->terms[o->early_terms];
    if (c->dimension != 0)
      continue;
    const double gap = t->compare == COMPARE_GAP ? (double)(t->gap_high + 1 - t->gap_low) : 0;
    const double spanned = left * ((double)t->span + 1 - gap) / ((double)rdx_encoded_column_codes(c));
    const bool late_set = !t->exact && (t->count > 1 || spanned < FEW_FOR_LINKS || late_sets);
    if (o->early_terms == ENGINE_MAX_EARLY || (late_set && t->bytes == 8))
      break;
    o->early_terms++;
    left = late_set ? spanned : left * b->ranks[i].selectivity;
    late_sets |= late_set;
    o->first_late_term += !late_sets;
  }
  while (o->early_links < o->table_count && o->early_links < ENGINE_MAX_EARLY && left > FEW_FOR_LINKS)
    left *= o->tables[o->early_links++].selectivity;
}

rdx_status rdx_column_query_create(const rdx_plan *plan, rdx_column_query *out, rdx_error *err) {
  building b = {.plan = plan, .out = out};
  *out = (rdx_column_query){.q = {.slots = 1, .rows = (uint32_t)plan->relation->rows}};
  RDX_TRY(lay_out(&b, err));
  rank_terms(&b);
  engine_query *q = &out->q;
  add_terms(&b, 0);
  q->term_count = b.terms_used;
  add_parts(&b, 0);
  q->part_count = b.parts_used;
  if (plan->residual)
    q->test_count = add_tests(&b, plan->residual, 0, TEST_ACCEPT, TEST_REJECT);
  add_tables(&b);
  q->link_count = out->table_count;
  choose_early(&b);
  q->measure_count = plan->measure_count;
  for (uint32_t i = 0; i < plan->measure_count; i++)
    add_measure(&b, i);
  q->terms = b.terms;
  q->links = out->links;
  q->parts = b.parts;
  q->steps = b.steps;
  q->measures = b.measures;
  q->tests = b.tests;
  q->numbers = b.numbers;
  out->base = (uintptr_t)out->block;
  return RDX_OK;
}

void rdx_column_query_destroy(rdx_column_query *query) {
  rdx_arena_free(&query->arena);
}

/* The arrays begin where they did, relative to the block. */
#define REBASE(pointer) (pointer) = (void *)((uintptr_t)(pointer)-old + address)

void rdx_column_query_rebase(rdx_column_query *query, uint64_t address) {
  const uintptr_t old = query->base;
  engine_query *q = &query->q;
  REBASE(q->terms);
  REBASE(q->links);
  REBASE(q->parts);
  REBASE(q->steps);
  REBASE(q->measures);
  REBASE(q->tests);
  REBASE(q->numbers);
  query->base = address;
}
