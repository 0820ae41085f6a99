/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Frames: columns that share memory, and choices of their rows. */

#include "execute/frame.h"

#include <raydex/index.h> /* RDX_NO_ROW */

#include "execute/operators.h"

#define WHAT "a result on its way"

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
  rdx_row_list_release(&c->rows);
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
  *to = *from;
  rdx_shared_retain(to->values);
  rdx_row_list_retain(to->rows);
}

rdx_status rdx_frame_copy(const rdx_frame *frame, rdx_frame *out, rdx_error *err) {
  RDX_TRY(rdx_frame_create(frame->count, frame->rows, out, err));
  for (uint32_t i = 0; i < frame->count; i++)
    rdx_frame_share(&frame->columns[i], &out->columns[i]);
  return RDX_OK;
}

rdx_status rdx_frame_join(const rdx_frame *left, const rdx_frame *right, rdx_frame *out, rdx_error *err) {
  RDX_TRY(rdx_frame_create(left->count + right->count, left->rows, out, err));
  for (uint32_t i = 0; i < out->count; i++)
    rdx_frame_share(i < left->count ? &left->columns[i] : &right->columns[i - left->count], &out->columns[i]);
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

rdx_status rdx_frame_bring_column(rdx_frame *frame, uint32_t index, rdx_error *err) {
  rdx_frame_column *c = &frame->columns[index];
  return c->rows ? rdx_row_list_on_host(c->rows, &c->input.rows, err) : RDX_OK;
}

rdx_status rdx_frame_bring(rdx_frame *frame, rdx_error *err) {
  for (uint32_t i = 0; i < frame->count; i++)
    RDX_TRY(rdx_frame_bring_column(frame, i, err));
  return RDX_OK;
}

/* ---- Choices of rows ---- */

/* Rows of rows: a list that columns had, and the one that they get. */
typedef struct composition {
  rdx_row_list *before, *after;
  uint64_t limit; /* both are of so many rows */
} composition;

typedef struct composing {
  const uint32_t *before, *rows;
  uint32_t *after;
} composing;

static void compose(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  const composing *c = context;
  for (uint64_t i = begin; i < end; i++)
    c->after[i] = c->rows[i] == RDX_NO_ROW ? RDX_NO_ROW : c->before[c->rows[i]];
}

static rdx_status compose_here(rdx_pool *pool, composition *to, rdx_row_list *rows, rdx_error *err) {
  const uint64_t count = rdx_row_list_count(rows);
  composing c = {0};
  RDX_TRY(rdx_row_list_on_host(to->before, &c.before, err));
  RDX_TRY(rdx_row_list_on_host(rows, &c.rows, err));
  RDX_TRY(rdx_alloc(count, sizeof *c.after, WHAT, (void **)&c.after, err));
  RDX_SCOPED(rdx_shared_release) rdx_shared *keeper = NULL;
  RDX_TRY(rdx_shared_create(rdx_free, c.after, &keeper, err));
  RDX_TRY(rdx_pool_run_stage(pool, count, RDX_EXECUTE_GRAIN, compose, &c, "execute", err));
  return rdx_row_list_create(c.after, keeper, count, &to->after, err);
}

static rdx_status compose_there(rdx_device *device, composition *to, rdx_row_list *rows, rdx_error *err) {
  const rdx_device_column *before = NULL, *chosen = NULL;
  rdx_device_column *after = NULL;
  RDX_TRY(rdx_row_list_on_device(to->before, device, &before, err));
  RDX_TRY(rdx_row_list_on_device(rows, device, &chosen, err));
  RDX_TRY(rdx_device_column_gather(before, chosen, &after, err));
  return rdx_row_list_create_on_device(after, to->limit, &to->after, err);
}

/* There is little memory on a device: then it is done here. */
static rdx_status compose_one(rdx_pool *pool, rdx_device *device, composition *to, rdx_row_list *rows, rdx_error *err) {
  const rdx_status status = device ? compose_there(device, to, rows, err) : RDX_ERROR_DEVICE_MEMORY;
  return status == RDX_ERROR_DEVICE_MEMORY ? compose_here(pool, to, rows, err) : status;
}

/* A composition for each list of rows that the frame has, which columns mostly share. */
static rdx_status compose_all(rdx_pool *pool, const rdx_frame *frame, rdx_row_list *rows, composition *list,
                              uint32_t *made, rdx_error *err) {
  rdx_device *device = rdx_row_list_device(rows); /* where something is on a device only */
  for (uint32_t i = 0; i < frame->count && !device; i++)
    device = frame->columns[i].rows ? rdx_row_list_device(frame->columns[i].rows) : NULL;
  for (uint32_t i = 0; i < frame->count; i++) {
    rdx_row_list *before = frame->columns[i].rows;
    uint32_t k = 0;
    while (before && k < *made && list[k].before != before)
      k++;
    if (!before || k < *made)
      continue;
    list[k] = (composition){.before = before, .limit = frame->columns[i].input.column.rows};
    ++*made;
    RDX_TRY(compose_one(pool, device, &list[k], rows, err));
  }
  return RDX_OK;
}

static void choose_column(rdx_frame_column *c, rdx_row_list *rows, const composition *list) {
  if (c->rows) {
    while (list->before != c->rows)
      list++;
    rows = list->after;
  }
  rdx_row_list_retain(rows);
  rdx_row_list_release(&c->rows);
  c->rows = rows;
  c->input.rows = rdx_row_list_there(rows);
}

rdx_status rdx_frame_choose_list(rdx_pool *pool, rdx_frame *frame, rdx_row_list *rows, rdx_error *err) {
  composition few[8], *list = few;
  uint32_t made = 0;
  if (frame->rows >= UINT32_MAX)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED,
                    "a result of %llu rows is too large to choose from: rows are numbered "
                    "in 32 bits",
                    (unsigned long long)frame->rows);
  if (frame->count > RDX_COUNT(few))
    RDX_TRY(rdx_alloc(frame->count, sizeof *list, WHAT, (void **)&list, err));
  const rdx_status status = compose_all(pool, frame, rows, list, &made, err);
  for (uint32_t i = 0; i < frame->count && status == RDX_OK; i++)
    choose_column(&frame->columns[i], rows, list);
  if (status == RDX_OK)
    frame->rows = rdx_row_list_count(rows);
  for (uint32_t i = 0; i < made; i++)
    rdx_row_list_release(&list[i].after);
  if (list != few)
    rdx_free(list);
  return status;
}

rdx_status rdx_frame_choose(rdx_pool *pool, rdx_frame *frame, const uint32_t *rows, rdx_shared *keeper, uint64_t count,
                            rdx_error *err) {
  RDX_SCOPED(rdx_row_list_release) rdx_row_list *list = NULL;
  RDX_TRY(rdx_row_list_create(rows, keeper, count, &list, err));
  return rdx_frame_choose_list(pool, frame, list, err);
}

rdx_status rdx_frame_select(rdx_pool *pool, rdx_frame *frame, uint32_t *rows, uint64_t count, rdx_error *err) {
  RDX_SCOPED(rdx_shared_release) rdx_shared *keeper = NULL;
  RDX_TRY(rdx_shared_create(rdx_free, rows, &keeper, err));
  return rdx_frame_choose(pool, frame, rows, keeper, count, err);
}
