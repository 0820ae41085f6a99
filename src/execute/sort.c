/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Orders of rows, whole or their first few, and limits. */

#include <string.h>

#include "execute/keys.h"
#include "execute/portions.h"

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

/* The smallest words of all rows, by each thread, no more than twice as many as are wanted. */
typedef struct top {
  const uint64_t *words;
  uint64_t wanted;
  uint64_t *kept; /* 2 * wanted of each thread, and as much room to sort them */
  uint64_t *counts, *bounds;
} top;

static void cut(const top *t, uint32_t worker) {
  uint64_t *kept = t->kept + 4 * t->wanted * worker;
  const uint64_t *sorted = rdx_sort(kept, t->counts[worker], 1, 1, kept + 2 * t->wanted);
  if (sorted != kept)
    memcpy(kept, sorted, t->wanted * sizeof *kept);
  t->counts[worker] = t->wanted;
  t->bounds[worker] = kept[t->wanted - 1];
}

static void keep_smallest(void *context, uint64_t begin, uint64_t end, uint32_t worker) {
  const top *t = context;
  uint64_t *kept = t->kept + 4 * t->wanted * worker;
  for (uint64_t i = begin; i < end; i++) {
    if (t->words[i] > t->bounds[worker])
      continue;
    kept[t->counts[worker]++] = t->words[i];
    if (t->counts[worker] == 2 * t->wanted)
      cut(t, worker);
  }
}

/* The largest word that any of the first `wanted` rows has. */
static rdx_status find_threshold(rdx_execution *x, const rdx_key_words *w, uint64_t wanted, uint64_t *out,
                                 rdx_error *err) {
  const uint32_t threads = rdx_pool_threads(x->pool);
  top t = {.words = w->words[0], .wanted = wanted};
  uint64_t total = 0;
  RDX_SCOPED(rdx_free_local) uint64_t *memory = NULL, *all = NULL;
  RDX_TRY(rdx_alloc(4 * wanted * threads + 2 * (size_t)threads, sizeof *memory, WHAT, (void **)&memory, err));
  t.kept = memory;
  t.counts = memory + 4 * wanted * threads;
  t.bounds = t.counts + threads;
  for (uint32_t i = 0; i < threads; i++) {
    t.counts[i] = 0;
    t.bounds[i] = UINT64_MAX;
  }
  RDX_TRY(rdx_pool_run_stage(x->pool, w->rows[0], RDX_EXECUTE_GRAIN, keep_smallest, &t, "execute", err));
  RDX_TRY(rdx_alloc(4 * wanted * threads, sizeof *all, WHAT, (void **)&all, err));
  for (uint32_t i = 0; i < threads; i++) {
    memcpy(all + total, t.kept + 4 * wanted * i, t.counts[i] * sizeof *all);
    total += t.counts[i];
  }
  *out = rdx_sort(all, total, 1, 1, all + 2 * wanted * threads)[wanted - 1];
  return RDX_OK;
}

/* The words of rows that may be among the first `wanted`, in place of all; `*rows` says which rows they are. */
static rdx_status choose_top(rdx_execution *x, rdx_key_words *w, uint64_t wanted, uint32_t **rows, rdx_error *err) {
  uint64_t threshold = 0, count = 0;
  RDX_TRY(find_threshold(x, w, wanted, &threshold, err));
  for (uint64_t i = 0; i < w->rows[0]; i++) {
    RDX_TRY(rdx_loop_goes_on(i, w->rows[0], "sort", err));
    count += w->words[0][i] <= threshold;
  }
  RDX_TRY(rdx_alloc(count, sizeof **rows, WHAT, (void **)rows, err));
  count = 0;
  for (uint64_t i = 0; i < w->rows[0]; i++) {
    RDX_TRY(rdx_loop_goes_on(i, w->rows[0], "sort", err));
    if (w->words[0][i] > threshold)
      continue;
    for (uint32_t k = w->count; k-- > 0;)
      w->words[k][count] = w->words[k][i];
    (*rows)[count++] = (uint32_t)i;
  }
  w->rows[0] = count;
  return RDX_OK;
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
  RDX_SCOPED(rdx_free_local) uint32_t *chosen = NULL, *order = NULL;
  if (*wanted > 0 && *wanted <= MAX_TOP && *wanted <= w->rows[0] / TOP_SHARE)
    RDX_TRY(choose_top(x, w, *wanted, &chosen, err));
  RDX_TRY(rdx_alloc(w->rows[0], sizeof *order, WHAT, (void **)&order, err));
  RDX_TRY(rdx_key_words_order(x, w, order, err));
  while (ties && *wanted < w->rows[0] && are_equal(w, order[*wanted], order[*wanted - 1]))
    ++*wanted;
  for (uint64_t i = 0; chosen && i < *wanted; i++)
    order[i] = chosen[order[i]];
  *out = RDX_KEEP(order);
  return RDX_OK;
}

static rdx_status find_order(rdx_execution *x, const rdx_plan_node *node, rdx_operand *in, bool ties, uint64_t *wanted,
                             uint32_t **out, rdx_error *err) {
  const uint64_t rows[2] = {in->frame.rows, 0};
  rdx_key_column *columns = NULL;
  RDX_SCOPED(rdx_vectors_destroy) rdx_vectors flat = {0};
  RDX_SCOPED(rdx_key_words_destroy) rdx_key_words words = {0};
  RDX_TRY(rdx_vectors_create(node->order_count, &flat, err));
  RDX_TRY(rdx_arena_alloc(x->arena, node->order_count, sizeof *columns, WHAT, (void **)&columns, err));
  for (uint32_t i = 0; i < node->order_count; i++) {
    const rdx_plan_order *o = &node->orders[i];
    RDX_TRY(rdx_operand_coded(x, in, o->column, &flat.list[i], err));
    columns[i] =
        (rdx_key_column){.parts = {&flat.list[i].column}, .descending = o->descending, .nulls_first = o->nulls_first};
  }
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
