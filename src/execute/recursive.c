/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Recursive queries, in rounds: each reads the rows of the one before it, the working table. */

#include <math.h>
#include <string.h>

#include "column/column.h"
#include "device/device.h"
#include "execute/operators.h"

#define WHAT "the rows of a recursive query"

/* ---- Rows that were there ---- */

/* Rows as bytes, found by their hashes; UNION without ALL has each once. */
typedef struct seen {
  char *bytes; /* of all rows, one after the other */
  uint64_t used, size;
  uint64_t *ends;  /* of each row's bytes */
  uint32_t *slots; /* 1 + the row; 0: none */
  uint64_t count, capacity, slot_count;
} seen;

static void seen_destroy(seen *s) {
  RDX_FREE_ALL(s->bytes, s->ends, s->slots);
}

static uint64_t hash_bytes(const char *bytes, uint64_t size) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (uint64_t i = 0; i < size; i++)
    hash = (hash ^ (uint8_t)bytes[i]) * 0x100000001b3u;
  return hash ^ hash >> 29;
}

static uint64_t begin_of(const seen *s, uint64_t row) {
  return row > 0 ? s->ends[row - 1] : 0;
}

/* The slot of these bytes, or the empty one where they belong. */
static uint64_t find_slot(const seen *s, const char *bytes, uint64_t size) {
  uint64_t slot = hash_bytes(bytes, size) & (s->slot_count - 1);
  for (; s->slots[slot]; slot = (slot + 1) & (s->slot_count - 1)) {
    const uint64_t row = s->slots[slot] - 1, begin = begin_of(s, row);
    if (s->ends[row] - begin == size && memcmp(s->bytes + begin, bytes, size) == 0)
      break;
  }
  return slot;
}

/* Room for one more row: half of the slots stay empty. */
static rdx_status reserve(seen *s, rdx_error *err) {
  if (s->count < s->capacity)
    return RDX_OK;
  s->capacity = 2 * s->capacity + 64;
  s->slot_count = 256;
  while (s->slot_count < 2 * s->capacity)
    s->slot_count *= 2;
  rdx_free(s->slots);
  s->slots = NULL;
  RDX_TRY(rdx_realloc((void **)&s->ends, s->capacity, sizeof *s->ends, WHAT, err));
  RDX_TRY(rdx_calloc(s->slot_count, sizeof *s->slots, WHAT, (void **)&s->slots, err));
  for (uint64_t row = 0; row < s->count; row++) {
    RDX_TRY(rdx_loop_goes_on(row, s->count, "execute", err));
    const uint64_t begin = begin_of(s, row);
    s->slots[find_slot(s, s->bytes + begin, s->ends[row] - begin)] = (uint32_t)row + 1;
  }
  return RDX_OK;
}

static rdx_status put(seen *s, const void *data, uint64_t size, rdx_error *err) {
  if (s->used + size > s->size) {
    const uint64_t wanted = 2 * (s->used + size) + 256;
    RDX_TRY(rdx_realloc((void **)&s->bytes, wanted, 1, WHAT, err));
    s->size = wanted;
  }
  if (size > 0)
    memcpy(s->bytes + s->used, data, size);
  s->used += size;
  return RDX_OK;
}

/* Values are equal where their bytes are: -0 is 0, and one NaN is like another. */
static rdx_status put_value(seen *s, const rdx_column *c, uint64_t row, rdx_error *err) {
  rdx_datum value;
  rdx_column_datum(c, row, &value);
  RDX_TRY(put(s, &value.null, sizeof value.null, err));
  if (value.null)
    return RDX_OK;
  if (c->type == RDX_TYPE_STRING) {
    RDX_TRY(put(s, &value.text.length, sizeof value.text.length, err));
    return put(s, value.text.data, value.text.length, err);
  }
  if (rdx_type_is_float(c->type)) {
    const double number = value.f != value.f ? (double)NAN : value.f + 0.0;
    return put(s, &number, sizeof number, err);
  }
  const rdx_i128 number = c->type == RDX_TYPE_U64 ? value.wide : (rdx_i128)value.i;
  return put(s, &number, sizeof number, err);
}

/* Whether a row is new; then it is kept. */
static rdx_status add_row(seen *s, const rdx_frame *frame, uint64_t i, bool *is_new, rdx_error *err) {
  const uint64_t begin = s->used;
  RDX_TRY(reserve(s, err));
  for (uint32_t k = 0; k < frame->count; k++) {
    const rdx_input *in = &frame->columns[k].input;
    const uint64_t row = in->rows ? in->rows[i] : i;
    const bool missing = in->rows && row == RDX_NO_ROW, null = true;
    RDX_TRY(missing ? put(s, &null, sizeof null, err) : put_value(s, &in->column, row, err));
  }
  const uint64_t slot = find_slot(s, s->bytes + begin, s->used - begin);
  *is_new = s->slots[slot] == 0;
  if (!*is_new) {
    s->used = begin;
    return RDX_OK;
  }
  s->ends[s->count++] = s->used;
  s->slots[slot] = (uint32_t)s->count;
  return RDX_OK;
}

/* The rows of a frame that were not there before. */
static rdx_status keep_new(rdx_execution *x, seen *s, rdx_frame *frame, rdx_error *err) {
  RDX_SCOPED(rdx_free_local) uint32_t *rows = NULL;
  uint64_t count = 0;
  RDX_TRY(rdx_frame_bring(frame, err));
  RDX_TRY(rdx_alloc(frame->rows, sizeof *rows, WHAT, (void **)&rows, err));
  for (uint64_t i = 0; i < frame->rows; i++) {
    bool is_new = false;
    RDX_TRY(rdx_loop_goes_on(i, frame->rows, "execute", err));
    RDX_TRY(add_row(s, frame, i, &is_new, err));
    rows[count] = (uint32_t)i;
    count += is_new;
  }
  return rdx_frame_select(x->pool, frame, RDX_KEEP(rows), count, err);
}

/* ---- All rows ---- */

#define MAX_PARTS 64

/* The rows of rounds; a part has more than twice the rows of the next one, so that each row is moved a few times. */
typedef struct result {
  rdx_frame parts[MAX_PARTS];
  uint32_t count;
  uint64_t rows, bytes;
} result;

static void result_destroy(result *r) {
  for (uint32_t i = 0; i < r->count; i++)
    rdx_frame_destroy(&r->parts[i]);
}

static uint64_t bytes_of(const rdx_frame *f) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < f->count; i++) {
    const rdx_column *c = &f->columns[i].input.column, *texts = c->dictionary ? c->dictionary : c;
    bytes += f->rows * (c->type == RDX_TYPE_STRING ? sizeof(uint32_t) : rdx_type_size(c->type));
    if (c->type == RDX_TYPE_STRING && f->columns[i].values && texts->offsets)
      bytes += texts->offsets[texts->rows];
  }
  return bytes;
}

/* Before much of the result is moved: it is there twice then. */
static rdx_status expect(rdx_execution *x, const result *r, uint64_t moved, const seen *s, rdx_error *err) {
  return moved < r->rows / 8 ? RDX_OK
                             : rdx_device_expect_host(x->device, 2 * r->bytes + s->size, WHAT " take",
                                                      "let a condition end it, or raise memory_limit", err);
}

static rdx_status join_last(rdx_execution *x, const rdx_plan_node *node, result *r, rdx_error *err) {
  RDX_SCOPED(rdx_operands_drop)
  rdx_operand in[2] = {{.frame = r->parts[r->count - 2]}, {.frame = r->parts[r->count - 1]}};
  rdx_frame *both = &r->parts[--r->count - 1];
  *both = (rdx_frame){0};
  RDX_TRY(rdx_operand_refresh(x, &in[0], err));
  RDX_TRY(rdx_operand_refresh(x, &in[1], err));
  return rdx_append_frames(x, node, in, both, err);
}

static rdx_status add_part(rdx_execution *x, const rdx_plan_node *node, const seen *s, result *r, rdx_error *err) {
  const rdx_frame *rows = &x->shared[node->working->id];
  RDX_TRY(rdx_frame_copy(rows, &r->parts[r->count], err));
  r->rows += rows->rows;
  r->bytes += bytes_of(rows);
  r->count++;
  RDX_TRY(expect(x, r, rows->rows, s, err));
  while (r->count > 1 && 2 * r->parts[r->count - 1].rows >= r->parts[r->count - 2].rows) {
    RDX_TRY(expect(x, r, 2 * r->parts[r->count - 1].rows, s, err));
    RDX_TRY(join_last(x, node, r, err));
  }
  return RDX_OK;
}

/* ---- Rounds ---- */

/* Forget what shared nodes made of the working table before; returns whether a node reads it. */
static bool forget(rdx_execution *x, const rdx_plan_node *n, const rdx_plan_node *working) {
  if (n == working)
    return true;
  const bool left = n->left && forget(x, n->left, working), right = n->right && forget(x, n->right, working);
  if ((left || right) && n->shared)
    rdx_frame_destroy(&x->shared[n->id]);
  return left || right;
}

/* Run what does not read the working table: its memory is the statement's. */
static rdx_status run_others(rdx_execution *x, const rdx_plan_node *n, const rdx_plan_node *working, rdx_error *err) {
  rdx_frame frame;
  if (n == working)
    return RDX_OK;
  if (n->shared && !forget(x, n, working)) {
    RDX_TRY(rdx_execute_node(x, n, &frame, err));
    rdx_frame_destroy(&frame);
    return RDX_OK;
  }
  if (n->left)
    RDX_TRY(run_others(x, n->left, working, err));
  return n->right ? run_others(x, n->right, working, err) : RDX_OK;
}

/* One round: its rows are the next working table. */
static rdx_status run_round(rdx_execution *x, const rdx_plan_node *node, seen *s, result *r, rdx_error *err) {
  rdx_frame *working = &x->shared[node->working->id];
  RDX_SCOPED(rdx_frame_destroy) rdx_frame made = {0};
  RDX_TRY(rdx_execute_node(x, node->right, &made, err));
  RDX_TRY(rdx_frame_conform(x, node->columns, &made, err));
  if (!node->all)
    RDX_TRY(keep_new(x, s, &made, err));
  rdx_frame_destroy(working);
  *working = RDX_KEEP(made);
  return add_part(x, node, s, r, err);
}

static rdx_status run_rounds(rdx_execution *x, const rdx_plan_node *node, seen *s, result *r, rdx_error *err) {
  rdx_frame *working = &x->shared[node->working->id];
  uint64_t limit = UINT64_MAX, offset = 0;
  rdx_arena *const outer = x->arena;
  RDX_TRY(rdx_find_limits(x, node, &limit, &offset, err));
  const uint64_t enough = limit > UINT64_MAX - offset ? UINT64_MAX : limit + offset;
  if (working->rows > 0)
    RDX_TRY(run_others(x, node->right, node->working, err));
  while (working->rows > 0 && r->rows < enough) {
    rdx_arena round = {0};
    x->arena = &round;
    const rdx_status status = run_round(x, node, s, r, err);
    forget(x, node->right, node->working);
    x->arena = outer;
    rdx_arena_free(&round);
    RDX_TRY(status);
  }
  return RDX_OK;
}

static rdx_status run(rdx_execution *x, const rdx_plan_node *node, rdx_frame *out, rdx_error *err) {
  rdx_frame *working = &x->shared[node->working->id];
  RDX_SCOPED(result_destroy) result r = {.count = 0};
  RDX_SCOPED(seen_destroy) seen s = {0};
  RDX_TRY(rdx_execute_node(x, node->left, working, err));
  RDX_TRY(rdx_frame_conform(x, node->columns, working, err));
  if (!node->all)
    RDX_TRY(keep_new(x, &s, working, err));
  RDX_TRY(add_part(x, node, &s, &r, err));
  RDX_TRY(run_rounds(x, node, &s, &r, err));
  while (r.count > 1)
    RDX_TRY(join_last(x, node, &r, err));
  *out = RDX_KEEP(r.parts[0]);
  return RDX_OK;
}

rdx_status rdx_execute_recursive(rdx_execution *x, const rdx_plan_node *node, rdx_frame *out, rdx_error *err) {
  const rdx_status status = run(x, node, out, err);
  rdx_frame_destroy(&x->shared[node->working->id]);
  return status;
}
