/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Orders of rows, whole or their first few, and limits. */

#include <string.h>

#include "execute/portions.h"
#include "execute/select.h"

#define WHAT "an order of rows"
#define TOP_SHARE 16u  /* of the rows, or fewer, are chosen before they are sorted, */
#define MAX_TOP 65536u /* if they are no more than this */

/* ---- Limits ---- */

typedef struct window {
  uint64_t offset, count; /* of the rows that there are */
} window;

static rdx_status find_bound(rdx_execution *x, const rdx_bound *e, const char *what, uint64_t otherwise, uint64_t *out,
                             rdx_error *err) {
  rdx_datum value;
  *out = otherwise;
  if (!e)
    return RDX_OK;
  RDX_TRY(rdx_value_of(x, e, &value, err));
  if (value.null)
    return RDX_OK;
  if (value.i < 0)
    return rdx_sql_error(err, RDX_ERROR_ARGUMENT, x->text, e->place, NULL, "%s must not be negative", what);
  *out = (uint64_t)value.i;
  return RDX_OK;
}

rdx_status rdx_find_limits(rdx_execution *x, const rdx_plan_node *node, uint64_t *limit, uint64_t *offset,
                           rdx_error *err) {
  RDX_TRY(find_bound(x, node->limit, "LIMIT", UINT64_MAX, limit, err));
  return find_bound(x, node->offset, "OFFSET", 0, offset, err);
}

/* What a limit and an offset leave of so many rows. */
static window cut_window(uint64_t limit, uint64_t offset, uint64_t rows) {
  const uint64_t begin = offset < rows ? offset : rows;
  return (window){begin, limit < rows - begin ? limit : rows - begin};
}

rdx_status rdx_execute_limit(rdx_execution *x, const rdx_plan_node *node, rdx_frame *out, rdx_error *err) {
  uint64_t limit = 0, offset = 0;
  uint32_t *rows = NULL;
  RDX_TRY(rdx_find_limits(x, node, &limit, &offset, err));
  RDX_TRY(rdx_execute_first(x, node->left, limit > UINT64_MAX - offset ? UINT64_MAX : limit + offset, out, err));
  const window w = cut_window(limit, offset, out->rows);
  if (w.count == out->rows)
    return RDX_OK;
  RDX_TRY(rdx_number_rows(x, w.offset, w.count, &rows, err));
  return rdx_frame_select(x->pool, out, rows, w.count, err);
}

/* ---- The first few ---- */

/* The smallest first words of all rows, by each thread, no more than twice as many as are wanted; then the rows whose
 * words are not above the largest of the first `wanted`. */
typedef struct top {
  uint64_t wanted;
  uint64_t *kept; /* 2 * wanted of each thread, and as much room to sort them */
  uint64_t *counts, *bounds;
  uint64_t threshold;
} top;

static void cut(const top *t, uint32_t worker) {
  uint64_t *kept = t->kept + 4 * t->wanted * worker;
  const uint64_t *sorted = rdx_sort(kept, t->counts[worker], 1, 1, kept + 2 * t->wanted);
  if (sorted != kept)
    memcpy(kept, sorted, t->wanted * sizeof *kept);
  t->counts[worker] = t->wanted;
  t->bounds[worker] = kept[t->wanted - 1];
}

static void keep_smallest(void *context, uint64_t begin, uint64_t count, const uint64_t *words, uint32_t worker) {
  const top *t = context;
  uint64_t *kept = t->kept + 4 * t->wanted * worker;
  (void)begin;
  for (uint64_t i = 0; i < count; i++) {
    if (words[i] >= t->bounds[worker])
      continue;
    kept[t->counts[worker]++] = words[i];
    if (t->counts[worker] == 2 * t->wanted)
      cut(t, worker);
  }
}

static rdx_status find_threshold(rdx_execution *x, rdx_first_words *words, top *t, rdx_error *err) {
  const uint32_t threads = rdx_pool_threads(x->pool);
  uint64_t total = 0;
  RDX_SCOPED(rdx_free_local) uint64_t *memory = NULL, *all = NULL;
  RDX_TRY(rdx_alloc(4 * t->wanted * threads + 2 * (size_t)threads, sizeof *memory, WHAT, (void **)&memory, err));
  t->kept = memory;
  t->counts = memory + 4 * t->wanted * threads;
  t->bounds = t->counts + threads;
  for (uint32_t i = 0; i < threads; i++) {
    t->counts[i] = 0;
    t->bounds[i] = UINT64_MAX;
  }
  RDX_TRY(rdx_first_words_visit(words, keep_smallest, t, err));
  RDX_TRY(rdx_alloc(4 * t->wanted * threads, sizeof *all, WHAT, (void **)&all, err));
  for (uint32_t i = 0; i < threads; i++) {
    memcpy(all + total, t->kept + 4 * t->wanted * i, t->counts[i] * sizeof *all);
    total += t->counts[i];
  }
  t->threshold =
      total < t->wanted ? UINT64_MAX : rdx_sort(all, total, 1, 1, all + 2 * t->wanted * threads)[t->wanted - 1];
  return RDX_OK;
}

/* Those rows that may be among the first `wanted` by their first words, in place of all. */
static rdx_status keep_top(rdx_execution *x, const rdx_key_column *columns, uint32_t count, uint64_t wanted,
                           rdx_operand *in, rdx_error *err) {
  const uint64_t rows = in->frame.rows;
  RDX_SCOPED(rdx_first_words_destroy) rdx_first_words *words = NULL;
  uint32_t *kept = NULL;
  uint64_t kept_count = 0;
  top t = {.wanted = wanted};
  RDX_TRY(rdx_first_words_create(x, columns, count, rows, &words, err));
  RDX_TRY(find_threshold(x, words, &t, err));
  RDX_TRY(rdx_select_between(words, rows, 0, t.threshold, &kept, &kept_count, err));
  if (kept_count > rows / 2) {
    rdx_free(kept);
    return RDX_OK;
  }
  RDX_TRY(rdx_frame_select(x->pool, &in->frame, kept, kept_count, err));
  return rdx_operand_refresh(x, in, err);
}

/* ---- Sorting ---- */

static bool are_equal(const rdx_key_words *w, uint32_t a, uint32_t b) {
  for (uint32_t k = 0; k < w->count; k++)
    if (w->words[k][a] != w->words[k][b])
      return false;
  return true;
}

/* The first `*wanted` rows in order, at least; for rdx_free(). With `ties` also those that are equal to the last one of
 * them, which then count. */
static rdx_status order_words(rdx_execution *x, rdx_key_words *w, bool ties, uint64_t *wanted, uint32_t **out,
                              rdx_error *err) {
  RDX_SCOPED(rdx_free_local) uint32_t *order = NULL;
  RDX_TRY(rdx_alloc(w->rows[0], sizeof *order, WHAT, (void **)&order, err));
  RDX_TRY(rdx_key_words_order(x, w, order, err));
  while (ties && *wanted < w->rows[0] && are_equal(w, order[*wanted], order[*wanted - 1]))
    ++*wanted;
  *out = RDX_KEEP(order);
  return RDX_OK;
}

/* The node's orders as columns of `flat`. */
static rdx_status take_columns(rdx_execution *x, const rdx_plan_node *node, rdx_operand *in, rdx_vector *flat,
                               rdx_key_column *columns, rdx_error *err) {
  for (uint32_t i = 0; i < node->order_count; i++) {
    const rdx_plan_order *o = &node->orders[i];
    RDX_TRY(rdx_operand_coded(x, in, o->column, &flat[i], err));
    columns[i] =
        (rdx_key_column){.parts = {&flat[i].column}, .descending = o->descending, .nulls_first = o->nulls_first};
  }
  return RDX_OK;
}

/* Leave rows out that are not among the first `wanted`, where these are few. */
static rdx_status keep_few(rdx_execution *x, const rdx_plan_node *node, rdx_operand *in, uint64_t wanted,
                           rdx_error *err) {
  rdx_key_column *columns = NULL;
  RDX_SCOPED(rdx_vectors_destroy) rdx_vectors flat = {0};
  if (wanted == 0 || wanted > MAX_TOP || wanted > in->frame.rows / TOP_SHARE)
    return RDX_OK;
  RDX_TRY(rdx_vectors_create(node->order_count, &flat, err));
  RDX_TRY(rdx_arena_alloc(x->arena, node->order_count, sizeof *columns, WHAT, (void **)&columns, err));
  RDX_TRY(take_columns(x, node, in, flat.list, columns, err));
  return keep_top(x, columns, node->order_count, wanted, in, err);
}

static rdx_status find_order(rdx_execution *x, const rdx_plan_node *node, rdx_operand *in, bool ties, uint64_t *wanted,
                             uint32_t **out, rdx_error *err) {
  rdx_key_column *columns = NULL;
  RDX_SCOPED(rdx_vectors_destroy) rdx_vectors flat = {0};
  RDX_SCOPED(rdx_key_words_destroy) rdx_key_words words = {0};
  RDX_TRY(keep_few(x, node, in, *wanted, err));
  const uint64_t rows[2] = {in->frame.rows, 0};
  RDX_TRY(rdx_vectors_create(node->order_count, &flat, err));
  RDX_TRY(rdx_arena_alloc(x->arena, node->order_count, sizeof *columns, WHAT, (void **)&columns, err));
  RDX_TRY(take_columns(x, node, in, flat.list, columns, err));
  RDX_TRY(rdx_key_words_create(x, columns, node->order_count, rows, false, &words, err));
  return order_words(x, &words, ties, wanted, out, err);
}

/* The rows of a window of the order. */
static rdx_status sort_window(rdx_execution *x, const rdx_plan_node *node, rdx_operand *in, window w, rdx_error *err) {
  uint32_t *order = NULL;
  uint64_t end = w.offset + w.count;
  RDX_TRY(find_order(x, node, in, node->ties && w.count > 0, &end, &order, err));
  w.count = end - w.offset;
  if (w.offset > 0)
    memmove(order, order + w.offset, w.count * sizeof *order);
  return rdx_frame_select(x->pool, &in->frame, order, w.count, err);
}

rdx_status rdx_execute_sort(rdx_execution *x, const rdx_plan_node *node, rdx_frame *out, rdx_error *err) {
  RDX_SCOPED(rdx_operand_drop) rdx_operand in = {0};
  uint64_t limit = 0, offset = 0;
  RDX_TRY(rdx_operand_run_in_place(x, node->left, &in, err));
  if (in.frame.rows >= UINT32_MAX)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "%llu rows are too many to sort", (unsigned long long)in.frame.rows);
  RDX_TRY(rdx_find_limits(x, node, &limit, &offset, err));
  RDX_TRY(sort_window(x, node, &in, cut_window(limit, offset, in.frame.rows), err));
  *out = RDX_KEEP(in.frame);
  return RDX_OK;
}
