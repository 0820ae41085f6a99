/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Matches by an index of the library, and pairs of them. */

#include "execute/pairs.h"

#include "device/device.h"
#include "index/index.h"

#define WHAT "the pairs of a join"
#define GRAIN 1024u /* probes at a time: they may have many matches */

/* ---- Matches ---- */

/* What a lookup's arrays belong to. */
typedef struct lookup {
  rdx_index *index;
  rdx_lookup_result *result;
} lookup;

static void drop_lookup(void *owner) {
  lookup *l = owner;
  rdx_lookup_result_destroy(&l->result);
  rdx_index_destroy(&l->index);
  rdx_free(l);
}

void rdx_join_note(const rdx_joining *j, const rdx_index *index, const rdx_lookup_result *found) {
  rdx_node_actuals *a = rdx_actuals_of(j->x, j->node);
  rdx_index_stats built;
  rdx_lookup_stats stats;
  rdx_index_get_stats(index, &built);
  rdx_lookup_result_get_stats(found, &stats);
  rdx_actuals_method(a, rdx_index_method_name(built.method));
  a->device_ms += stats.device_ms + built.sort_ms + built.encode_ms + built.scene_ms;
  a->rays += stats.rays;
  a->hits += stats.hits;
  a->bytes += stats.bytes_uploaded + stats.bytes_result;
}

/* A distinct key has one row at most, else rows of each probe are listed. */
static rdx_status look_up(rdx_joining *j, lookup *l, rdx_matches *m, rdx_error *err) {
  const rdx_column *left = &j->left_key.column, *right = &j->right_key.column;
  rdx_index_params params = j->x->settings->join;
  rdx_index_stats stats;
  rdx_lookup_view view;
  params.method = j->node->join_method;
  RDX_TRY(rdx_index_create(j->device, m->inverse ? left : right, &params, &l->index, err));
  rdx_index_get_stats(l->index, &stats);
  const rdx_lookup_params wanted = {.result = stats.distinct ? RDX_LOOKUP_FIRST : RDX_LOOKUP_ROWS,
                                    .stats = j->x->counts};
  const rdx_lookup_options options = {.advice = "join fewer rows, group one side first, or ask for count(*) alone",
                                      .max_rows = j->max_pairs};
  RDX_TRY(rdx_index_look_up_for(l->index, m->inverse ? right : left, NULL, &wanted, &options, &l->result, err));
  RDX_TRY(rdx_lookup_result_view(l->result, &view, err));
  m->probes = view.probes;
  m->first = view.first;
  m->offsets = view.offsets;
  m->rows = view.rows;
  rdx_join_note(j, l->index, l->result);
  return RDX_OK;
}

rdx_status rdx_matches_find(rdx_joining *j, bool ordered, rdx_matches *out, rdx_error *err) {
  lookup *l = NULL;
  RDX_SCOPED(rdx_matches_drop)
  rdx_matches made = {.inverse = !ordered && j->left_key.column.rows < j->right_key.column.rows};
  RDX_TRY(rdx_calloc(1, sizeof *l, WHAT, (void **)&l, err));
  RDX_TRY(rdx_shared_create(drop_lookup, l, &made.keeper, err));
  RDX_TRY(look_up(j, l, &made, err));
  *out = RDX_KEEP(made);
  return RDX_OK;
}

void rdx_matches_drop(rdx_matches *matches) {
  rdx_shared_release(&matches->keeper);
  *matches = (rdx_matches){0};
}

rdx_status rdx_pairs_count(rdx_joining *j, bool outer, uint64_t *out, rdx_error *err) {
  const rdx_column *left = &j->left_key.column, *right = &j->right_key.column;
  const bool inverse = !outer && left->rows < right->rows;
  const rdx_lookup_params wanted = {.result = RDX_LOOKUP_COUNT, .stats = j->x->counts};
  RDX_SCOPED(rdx_index_destroy) rdx_index *index = NULL;
  RDX_SCOPED(rdx_lookup_result_destroy) rdx_lookup_result *result = NULL;
  rdx_index_params params = j->x->settings->join;
  uint64_t pairs = 0, matched = 0;
  params.method = j->node->join_method;
  RDX_TRY(rdx_index_create(j->device, inverse ? left : right, &params, &index, err));
  RDX_TRY(rdx_index_lookup(index, inverse ? right : left, &wanted, &result, err));
  RDX_TRY(rdx_lookup_result_totals(result, &pairs, &matched, err));
  rdx_join_note(j, index, result);
  *out = pairs + (outer ? left->rows - matched : 0);
  return RDX_OK;
}

/* ---- Pairs ---- */

void rdx_pairs_drop(rdx_pairs *p) {
  rdx_shared_release(&p->left_keeper);
  rdx_shared_release(&p->right_keeper);
  *p = (rdx_pairs){0};
}

rdx_status rdx_pairs_take(uint32_t *left, uint32_t *right, uint64_t count, rdx_pairs *out, rdx_error *err) {
  *out = (rdx_pairs){.count = count, .left = left, .right = right};
  rdx_status status = rdx_shared_create(rdx_free, left, &out->left_keeper, err);
  if (status == RDX_OK)
    status = rdx_shared_create(rdx_free, right, &out->right_keeper, err);
  else
    rdx_free(right);
  if (status != RDX_OK)
    rdx_pairs_drop(out);
  return status;
}

rdx_status rdx_pairs_take_left(uint32_t *left, uint64_t count, rdx_pairs *out, rdx_error *err) {
  *out = (rdx_pairs){.count = count, .left = left, .left_only = true};
  return rdx_shared_create(rdx_free, left, &out->left_keeper, err);
}

static rdx_status choose(const rdx_joining *j, const rdx_frame *from, const uint32_t *rows, rdx_shared *keeper,
                         uint64_t count, rdx_frame *out, rdx_error *err) {
  RDX_TRY(rdx_frame_copy(from, out, err));
  return rows ? rdx_frame_choose(j->x->pool, out, rows, keeper, count, err) : RDX_OK;
}

rdx_status rdx_pairs_frame(const rdx_joining *j, const rdx_pairs *p, rdx_frame *out, rdx_error *err) {
  *out = (rdx_frame){0};
  RDX_SCOPED(rdx_frame_destroy) rdx_frame left = {0}, right = {0};
  RDX_TRY(choose(j, &j->left.frame, p->left, p->left_keeper, p->count, &left, err));
  if (!p->left_only)
    RDX_TRY(choose(j, &j->right.frame, p->right, p->right_keeper, p->count, &right, err));
  return rdx_frame_join(&left, &right, out, err);
}

/* ---- Matches as pairs ---- */

/* Pairs that are listed, by blocks of probes. */
typedef struct listing {
  const rdx_matches *matches;
  bool outer;
  uint64_t *counts;        /* of each block; then where its pairs begin */
  uint32_t *probe, *other; /* NULL: not listed */
} listing;

static uint64_t count_pairs(const listing *l, uint64_t i) {
  const rdx_matches *m = l->matches;
  const uint64_t count = m->first ? m->first[i] != RDX_NO_ROW : m->offsets[i + 1] - m->offsets[i];
  return count || !l->outer ? count : 1;
}

static void count_block(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  const listing *l = context;
  uint64_t count = 0;
  for (uint64_t i = begin; i < end; i++)
    count += count_pairs(l, i);
  l->counts[begin / GRAIN] = count;
}

static void list_block(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  const listing *l = context;
  const rdx_matches *m = l->matches;
  uint64_t to = l->counts[begin / GRAIN];
  for (uint64_t i = begin; i < end; i++) {
    const uint64_t count = count_pairs(l, i);
    const uint64_t found = m->first ? 0 : m->offsets[i + 1] - m->offsets[i];
    for (uint64_t k = 0; k < count; k++, to++) {
      l->probe[to] = (uint32_t)i;
      if (l->other)
        l->other[to] = m->first ? m->first[i] : found > 0 ? m->rows[m->offsets[i] + k] : RDX_NO_ROW;
    }
  }
}

static rdx_status count_all(rdx_joining *j, listing *l, uint64_t *total, rdx_error *err) {
  const uint64_t probes = l->matches->probes, blocks = (probes + GRAIN - 1) / GRAIN;
  *total = 0;
  RDX_TRY(rdx_alloc(blocks, sizeof *l->counts, WHAT, (void **)&l->counts, err));
  RDX_TRY(rdx_pool_run_stage(j->x->pool, probes, GRAIN, count_block, l, "join", err));
  for (uint64_t b = 0; b < blocks; b++) {
    const uint64_t count = l->counts[b];
    l->counts[b] = *total;
    *total += count;
  }
  return RDX_OK;
}

/* The side that looked up, and the other, as pairs. */
static rdx_pairs make_pairs(const rdx_matches *m, uint64_t count, const uint32_t *probe, rdx_shared *probe_keeper,
                            const uint32_t *other, rdx_shared *other_keeper) {
  if (m->inverse)
    return (rdx_pairs){.count = count,
                       .left = other,
                       .right = probe,
                       .left_keeper = rdx_shared_retain(other_keeper),
                       .right_keeper = rdx_shared_retain(probe_keeper)};
  return (rdx_pairs){.count = count,
                     .left = probe,
                     .right = other,
                     .left_keeper = rdx_shared_retain(probe_keeper),
                     .right_keeper = rdx_shared_retain(other_keeper)};
}

/* The rows that were found lie in the order of pairs where none is left out or added. */
static rdx_status list_pairs(rdx_joining *j, listing *l, uint64_t total, rdx_pairs *out, rdx_error *err) {
  const rdx_matches *m = l->matches;
  const bool as_found = m->offsets && total == m->offsets[m->probes];
  RDX_SCOPED(rdx_shared_release) rdx_shared *probe_keeper = NULL, *other_keeper = NULL;
  RDX_TRY(rdx_device_expect_host(j->x->device, total * (as_found ? 4 : 8), "the pairs of a join take",
                                 "join fewer rows", err));
  RDX_TRY(rdx_alloc(total, sizeof *l->probe, WHAT, (void **)&l->probe, err));
  RDX_TRY(rdx_shared_create(rdx_free, l->probe, &probe_keeper, err));
  if (!as_found) {
    RDX_TRY(rdx_alloc(total, sizeof *l->other, WHAT, (void **)&l->other, err));
    RDX_TRY(rdx_shared_create(rdx_free, l->other, &other_keeper, err));
  }
  RDX_TRY(rdx_pool_run_stage(j->x->pool, m->probes, GRAIN, list_block, l, "join", err));
  *out =
      make_pairs(m, total, l->probe, probe_keeper, as_found ? m->rows : l->other, as_found ? m->keeper : other_keeper);
  return RDX_OK;
}

rdx_status rdx_pairs_list(rdx_joining *j, const rdx_matches *m, bool outer, rdx_pairs *out, rdx_error *err) {
  listing l = {.matches = m, .outer = outer};
  uint64_t total = 0;
  *out = (rdx_pairs){0};
  rdx_status status = count_all(j, &l, &total, err);
  if (status == RDX_OK && m->first && total == m->probes) /* each once */
    *out = make_pairs(m, total, NULL, NULL, m->first, m->keeper);
  else if (status == RDX_OK)
    status = list_pairs(j, &l, total, out, err);
  rdx_free(l.counts);
  return status;
}

/* ---- Other pairs ---- */

typedef struct crossing {
  uint32_t *left, *right;
  uint64_t rights;
} crossing;

static void cross(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  const crossing *c = context;
  for (uint64_t i = begin; i < end; i++) {
    c->left[i] = (uint32_t)(i / c->rights);
    c->right[i] = (uint32_t)(i % c->rights);
  }
}

rdx_status rdx_pairs_cross(rdx_joining *j, rdx_pairs *out, rdx_error *err) {
  const uint64_t lefts = j->left.frame.rows, rights = j->right.frame.rows;
  RDX_SCOPED(rdx_free_local) uint32_t *left = NULL, *right = NULL;
  const uint64_t max = j->max_pairs > 0 ? j->max_pairs : UINT32_MAX - 1;
  if ((rdx_i128)lefts * (rdx_i128)rights > max)
    return rdx_fail(err, RDX_ERROR_MEMORY,
                    "all pairs of %llu with %llu rows are too many for a result; join by equal columns",
                    (unsigned long long)lefts, (unsigned long long)rights);
  const uint64_t count = lefts * rights;
  RDX_TRY(rdx_device_expect_host(j->x->device, count * 8, "all pairs of the rows of a join take",
                                 "join by equal columns, or filter its inputs", err));
  RDX_TRY(rdx_alloc(count, sizeof *left, WHAT, (void **)&left, err));
  RDX_TRY(rdx_alloc(count, sizeof *right, WHAT, (void **)&right, err));
  crossing c = {.left = left, .right = right, .rights = rights};
  RDX_TRY(rdx_pool_run_stage(j->x->pool, count, RDX_EXECUTE_GRAIN, cross, &c, "join", err));
  return rdx_pairs_take(RDX_KEEP(left), RDX_KEEP(right), count, out, err);
}

static void drop_join(void *owner) {
  rdx_join_result *join = owner;
  rdx_join_result_destroy(&join);
}

rdx_status rdx_pairs_left(rdx_joining *j, rdx_join_kind kind, rdx_pairs *out, rdx_error *err) {
  static const uint32_t none = 0; /* so that there are left rows where there is none */
  rdx_join_params params = {.kind = kind, .index = j->x->settings->join};
  rdx_node_actuals *a = rdx_actuals_of(j->x, j->node);
  rdx_join_result *join = NULL;
  rdx_join_view view;
  rdx_join_stats stats;
  params.index.method = j->node->join_method;
  RDX_TRY(rdx_join_equal(j->device, &j->left_key.column, &j->right_key.column, &params, &join, err));
  RDX_TRY(rdx_join_result_view(join, &view, err));
  rdx_join_result_get_stats(join, &stats);
  rdx_actuals_method(a, rdx_index_method_name(stats.index.method));
  a->device_ms += stats.device_ms;
  a->bytes += stats.lookup.bytes_uploaded + stats.lookup.bytes_result;
  *out = (rdx_pairs){.count = view.count, .left = view.left_rows ? view.left_rows : &none, .left_only = true};
  return rdx_shared_create(drop_join, join, &out->left_keeper, err);
}
