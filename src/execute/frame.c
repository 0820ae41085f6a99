/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Frames: columns that share memory, and choices of their rows. */

#include "execute/frame.h"

#include <raydex/index.h> /* RDX_NO_ROW */

#include <stdatomic.h>
#include <string.h>

#define WHAT "a result on its way"
#define GRAIN 65536u

/* ---- Shared memory ---- */

struct rdx_shared {
  _Atomic uint32_t references;
  void (*drop)(void *owner);
  void *owner;
};

rdx_status rdx_shared_create(void (*drop)(void *owner), void *owner, rdx_shared **out, rdx_error *err) {
  const rdx_status status = rdx_alloc(1, sizeof **out, WHAT, (void **)out, err);
  if (status != RDX_OK) {
    drop(owner);
    return status;
  }
  atomic_init(&(*out)->references, 1);
  (*out)->drop = drop;
  (*out)->owner = owner;
  return RDX_OK;
}

rdx_shared *rdx_shared_retain(rdx_shared *shared) {
  if (shared)
    atomic_fetch_add(&shared->references, 1);
  return shared;
}

void rdx_shared_release(rdx_shared **shared) {
  rdx_shared *const s = *shared;
  *shared = NULL;
  if (!s || atomic_fetch_sub(&s->references, 1) > 1)
    return;
  s->drop(s->owner);
  rdx_free(s);
}

/* A vector, and the values that it borrows a dictionary of. */
typedef struct kept_vector {
  rdx_vector vector;
  rdx_shared *source;
} kept_vector;

static void drop_vector(void *owner) {
  kept_vector *kept = owner;
  rdx_vector_destroy(&kept->vector);
  rdx_shared_release(&kept->source);
  rdx_free(kept);
}

/* ---- Frames ---- */

static void drop_column(rdx_frame_column *c) {
  rdx_shared_release(&c->values);
  rdx_shared_release(&c->rows);
  *c = (rdx_frame_column){0};
}

rdx_status rdx_frame_create(uint32_t columns, uint64_t rows, rdx_frame *out, rdx_error *err) {
  *out = (rdx_frame){.rows = rows};
  RDX_TRY(rdx_calloc(columns, sizeof *out->columns, WHAT, (void **)&out->columns, err));
  out->count = columns;
  return RDX_OK;
}

void rdx_frame_destroy(rdx_frame *frame) {
  for (uint32_t i = 0; i < frame->count; i++)
    drop_column(&frame->columns[i]);
  rdx_free(frame->columns);
  *frame = (rdx_frame){0};
}

void rdx_frame_share(const rdx_frame_column *from, rdx_frame_column *to) {
  *to = (rdx_frame_column){from->input, rdx_shared_retain(from->values), rdx_shared_retain(from->rows)};
}

rdx_status rdx_frame_copy(const rdx_frame *frame, rdx_frame *out, rdx_error *err) {
  RDX_TRY(rdx_frame_create(frame->count, frame->rows, out, err));
  for (uint32_t i = 0; i < frame->count; i++)
    rdx_frame_share(&frame->columns[i], &out->columns[i]);
  return RDX_OK;
}

/* The values of a frame that a dictionary belongs to; NULL: they are no column's of the frame, or a base table's. */
static rdx_shared *find_source(const rdx_frame *source, const rdx_column *dictionary) {
  for (uint32_t i = 0; source && dictionary && i < source->count; i++)
    if (source->columns[i].input.column.dictionary == dictionary)
      return source->columns[i].values;
  return NULL;
}

rdx_status rdx_frame_take_from(rdx_frame *frame, uint32_t index, rdx_vector *vector, const rdx_frame *source,
                               rdx_error *err) {
  rdx_frame_column *c = &frame->columns[index];
  kept_vector *kept = NULL;
  const rdx_status status = rdx_alloc(1, sizeof *kept, WHAT, (void **)&kept, err);
  if (status != RDX_OK) {
    rdx_vector_destroy(vector);
    return status;
  }
  *kept = (kept_vector){*vector, rdx_shared_retain(find_source(source, vector->column.dictionary))};
  *vector = (rdx_vector){0};
  drop_column(c);
  c->input.column = kept->vector.column;
  return rdx_shared_create(drop_vector, kept, &c->values, err);
}

rdx_status rdx_frame_take(rdx_frame *frame, uint32_t index, rdx_vector *vector, rdx_error *err) {
  return rdx_frame_take_from(frame, index, vector, NULL, err);
}

rdx_status rdx_frame_inputs(const rdx_frame *frame, rdx_arena *arena, rdx_input **out, rdx_error *err) {
  RDX_TRY(rdx_arena_alloc(arena, frame->count, sizeof **out, WHAT, (void **)out, err));
  for (uint32_t i = 0; i < frame->count; i++)
    (*out)[i] = frame->columns[i].input;
  return RDX_OK;
}

/* ---- Choices of rows ---- */

/* Rows of rows. */
typedef struct composition {
  const uint32_t *before, *rows;
  uint32_t *after;
  rdx_shared *keeper; /* of `after` */
} composition;

static void compose(void *context, uint64_t begin, uint64_t end, uint32_t worker) {
  const composition *c = context;
  (void)worker;
  for (uint64_t i = begin; i < end; i++)
    c->after[i] = c->rows[i] == RDX_NO_ROW ? RDX_NO_ROW : c->before[c->rows[i]];
}

static rdx_status make_composition(rdx_pool *pool, composition *c, uint64_t count, rdx_error *err) {
  RDX_TRY(rdx_alloc(count, sizeof *c->after, WHAT, (void **)&c->after, err));
  RDX_TRY(rdx_shared_create(rdx_free, c->after, &c->keeper, err));
  return rdx_pool_run_stage(pool, count, GRAIN, compose, c, "execute", err);
}

/* A composition for each list of rows that the frame has, which columns mostly share. */
static rdx_status compose_all(rdx_pool *pool, const rdx_frame *frame, const uint32_t *rows, uint64_t count,
                              composition *list, uint32_t *made, rdx_error *err) {
  for (uint32_t i = 0; i < frame->count; i++) {
    const uint32_t *before = frame->columns[i].input.rows;
    uint32_t k = 0;
    while (before && k < *made && list[k].before != before)
      k++;
    if (!before || k < *made)
      continue;
    list[k] = (composition){.before = before, .rows = rows};
    ++*made;
    RDX_TRY(make_composition(pool, &list[k], count, err));
  }
  return RDX_OK;
}

static void choose_column(rdx_frame_column *c, const uint32_t *rows, rdx_shared *keeper, const composition *list) {
  if (c->input.rows) {
    while (list->before != c->input.rows)
      list++;
    rows = list->after;
    keeper = list->keeper;
  }
  rdx_shared_release(&c->rows);
  c->input.rows = rows;
  c->rows = rdx_shared_retain(keeper);
}

rdx_status rdx_frame_choose(rdx_pool *pool, rdx_frame *frame, const uint32_t *rows, rdx_shared *keeper, uint64_t count,
                            rdx_error *err) {
  static const uint32_t no_rows = 0; /* no list of rows would mean all */
  composition few[8], *list = few;
  uint32_t made = 0;
  rows = rows ? rows : &no_rows;
  if (frame->rows >= UINT32_MAX)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED,
                    "a result of %llu rows is too large to choose from: rows are numbered "
                    "in 32 bits",
                    (unsigned long long)frame->rows);
  if (frame->count > RDX_COUNT(few))
    RDX_TRY(rdx_alloc(frame->count, sizeof *list, WHAT, (void **)&list, err));
  const rdx_status status = compose_all(pool, frame, rows, count, list, &made, err);
  if (status == RDX_OK) {
    for (uint32_t i = 0; i < frame->count; i++)
      choose_column(&frame->columns[i], rows, keeper, list);
    frame->rows = count;
  }
  for (uint32_t i = 0; i < made; i++)
    rdx_shared_release(&list[i].keeper);
  if (list != few)
    rdx_free(list);
  return status;
}

rdx_status rdx_frame_select(rdx_pool *pool, rdx_frame *frame, uint32_t *rows, uint64_t count, rdx_error *err) {
  rdx_shared *keeper = NULL;
  RDX_TRY(rdx_shared_create(rdx_free, rows, &keeper, err));
  const rdx_status status = rdx_frame_choose(pool, frame, rows, keeper, count, err);
  rdx_shared_release(&keeper);
  return status;
}
