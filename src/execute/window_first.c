/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Rows that may have one of the first numbers of their partitions, before any are sorted: those whose word of ORDER BY
 * is none above the so many least ones of the partition. */

#include <string.h>

#include "execute/window.h"

#define WHAT "the first rows of partitions"
#define MIN_ROWS 4096u           /* fewer are sorted as fast */
#define MAX_FIRSTS 64u           /* of a partition: each is put in its place among those before it */
#define FEW_SHARE 2u             /* of the rows, or fewer, are the first ones that there may be */
#define TABLES_BYTES (64u << 20) /* that those of all threads take at most */
#define PIECE 1024u              /* partitions that a thread takes at a time */

typedef struct firsts {
  const uint64_t *partitions; /* of rows; NULL: there is one */
  const uint64_t *words;      /* of ORDER BY; NULL: the rows' own numbers */
  uint64_t slots, count;      /* partitions that there may be, and words of each */
  uint64_t *tables;           /* [thread][slot][word], ascending */
  uint32_t threads;
  uint32_t *marks; /* a bit for each row that is kept */
} firsts;

static void put(uint64_t *least, uint64_t count, uint64_t word) {
  uint64_t i = count - 1;
  if (word >= least[i])
    return;
  for (; i > 0 && least[i - 1] > word; i--)
    least[i] = least[i - 1];
  least[i] = word;
}

static uint64_t slot_of(const firsts *f, uint64_t row) {
  return f->partitions ? f->partitions[row] * f->count : 0;
}

static void find_least(void *context, uint64_t begin, uint64_t end, uint32_t worker) {
  const firsts *f = context;
  uint64_t *table = f->tables + worker * f->slots * f->count;
  for (uint64_t i = begin; i < end; i++)
    put(table + slot_of(f, i), f->count, f->words ? f->words[i] : i);
}

static void merge_tables(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  const firsts *f = context;
  for (uint32_t t = 1; t < f->threads; t++)
    for (uint64_t i = begin * f->count; i < end * f->count; i++)
      put(f->tables + i / f->count * f->count, f->count, f->tables[t * f->slots * f->count + i]);
}

static void mark_rows(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  const firsts *f = context;
  for (uint64_t first = begin; first < end; first += 32) {
    uint32_t bits = 0;
    for (uint64_t i = first; i < end && i < first + 32; i++) {
      const bool kept = (f->words ? f->words[i] : i) <= f->tables[slot_of(f, i) + f->count - 1];
      bits |= (uint32_t)kept << (i - first);
    }
    f->marks[first / 32] = bits;
  }
}

static rdx_status keep_marked(rdx_windowing *w, firsts *f, rdx_error *err) {
  const uint64_t rows = w->in.frame.rows, words = f->slots * f->count * f->threads;
  RDX_SCOPED(rdx_free_local) uint64_t *tables = NULL;
  RDX_SCOPED(rdx_free_local) uint32_t *marks = NULL;
  uint32_t *kept = NULL;
  uint64_t count = 0;
  RDX_TRY(rdx_alloc(words, sizeof *tables, WHAT, (void **)&tables, err));
  RDX_TRY(rdx_alloc(rows / 32 + 1, sizeof *marks, WHAT, (void **)&marks, err));
  memset(tables, 0xff, words * sizeof *tables);
  f->tables = tables;
  f->marks = marks;
  RDX_TRY(rdx_pool_run_stage(w->x->pool, rows, RDX_EXECUTE_GRAIN, find_least, f, "window", err));
  RDX_TRY(rdx_pool_run_stage(w->x->pool, f->slots, PIECE, merge_tables, f, "window", err));
  RDX_TRY(rdx_pool_run_stage(w->x->pool, rows, RDX_EXECUTE_GRAIN, mark_rows, f, "window", err));
  RDX_TRY(rdx_list_marked(marks, rows, true, &kept, &count, err));
  RDX_TRY(rdx_frame_select(w->x->pool, &w->in.frame, kept, count, err));
  return rdx_operand_refresh(w->x, &w->in, err);
}

/* Partitions are told by one word, of which there are not too many. */
static rdx_status keep_firsts(rdx_windowing *w, const rdx_plan_window *p, const rdx_key_column *columns, uint64_t count,
                              rdx_error *err) {
  const uint64_t rows[2] = {w->in.frame.rows, 0};
  firsts f = {.count = count, .slots = 1, .threads = w->x->pool ? rdx_pool_threads(w->x->pool) : 1};
  RDX_SCOPED(rdx_key_words_destroy) rdx_key_words partitions = {0}, order = {0};
  if (p->partition_count > 0) {
    RDX_TRY(rdx_key_words_create(w->x, columns, p->partition_count, rows, false, &partitions, err));
    if (partitions.count > 1 || partitions.max[0] >= rows[0])
      return RDX_OK;
    f.slots = partitions.max[0] + 1;
    f.partitions = partitions.words[0];
  }
  if (f.slots * count > rows[0] / FEW_SHARE || f.slots * count * f.threads > TABLES_BYTES / sizeof *f.tables)
    return RDX_OK;
  if (p->order_count > 0) {
    RDX_TRY(rdx_key_words_create(w->x, columns + p->partition_count, p->order_count, rows, false, &order, err));
    f.words = order.words[0];
  }
  return keep_marked(w, &f, err);
}

rdx_status rdx_window_keep_firsts(rdx_windowing *w, const rdx_plan_node *node, rdx_error *err) {
  const rdx_plan_window *p = &node->windows[0];
  RDX_SCOPED(rdx_window_keys_destroy) rdx_window_keys keys = {0};
  if (node->first_numbers == 0 || node->first_numbers > MAX_FIRSTS || w->in.frame.rows < MIN_ROWS)
    return RDX_OK;
  RDX_TRY(rdx_window_keys_create(w, p, &keys, err));
  return keep_firsts(w, p, keys.columns, node->first_numbers, err);
}
