/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Predicates as calls of a method, for conjunctions of terms, and bitmap algebra for the rest. Everything is recorded
 * on one stream: a bitmap can be used anew as soon as what reads it is recorded. */

#include "scan/evaluate.h"

#include "kernels/bitmap/kernels.h"

typedef rdx_scan_evaluation evaluation;

static rdx_status take_bitmap(evaluation *e, rdx_buffer **out, rdx_error *err) {
  if (e->idle_count > 0) {
    *out = e->idle[--e->idle_count];
    return RDX_OK;
  }
  if (e->bitmap_count == e->bitmap_capacity) {
    const uint32_t capacity = e->bitmap_capacity ? 2 * e->bitmap_capacity : 4;
    RDX_TRY(rdx_realloc((void **)&e->bitmaps, capacity, sizeof *e->bitmaps, "a predicate", err));
    RDX_TRY(rdx_realloc((void **)&e->idle, capacity, sizeof *e->idle, "a predicate", err));
    e->bitmap_capacity = capacity;
  }
  RDX_TRY(rdx_workspace_take_bitmap(e->scan->workspace, out, err));
  e->bitmaps[e->bitmap_count++] = *out;
  return RDX_OK;
}

static void drop_bitmap(evaluation *e, rdx_buffer *bitmap) {
  e->idle[e->idle_count++] = bitmap;
}

void rdx_scan_evaluation_end(evaluation *e) {
  for (uint32_t i = 0; i < e->bitmap_count; i++)
    rdx_workspace_give_bitmap(e->scan->workspace, &e->bitmaps[i]);
  RDX_FREE_ALL(e->bitmaps, e->idle);
}

static rdx_status fold(evaluation *e, uint32_t op, rdx_buffer *out, const rdx_buffer *other, rdx_error *err) {
  return rdx_bitmap_combine(e->stream, op, out, other, e->scan->stats.rows, err);
}

/* ---- Terms ---- */

#define CALLS_AT_A_TIME 32

/* What calls need meanwhile is held until the stream finishes: do so before it is too much. */
static rdx_status let_go(evaluation *e, rdx_error *err) {
  if (e->counts)
    return rdx_stream_finish(e->stream, err);
  RDX_TRY(rdx_stream_finish_timed(e->stream, &e->device_ms, err));
  return rdx_stream_mark(e->stream, err);
}

static rdx_status call(evaluation *e, const rdx_term *terms, uint32_t count, bool narrow, rdx_buffer *out,
                       rdx_error *err) {
  rdx_scan_call call = {
      .terms = terms, .count = count, .narrow = narrow, .out = out, .total = e->whole ? e->total : NULL};
  RDX_TRY(e->scan->ops->evaluate(e->scan->self, e->stream, &call, e->counts, err));
  e->counted = call.counted;
  return ++e->calls % CALLS_AT_A_TIME == 0 ? let_go(e, err) : RDX_OK;
}

/* A term of more intervals than the method takes: the union of its parts. */
static rdx_status wide_term(evaluation *e, const rdx_term *term, rdx_buffer *out, rdx_error *err) {
  const uint32_t max = e->scan->ops->max_intervals;
  rdx_buffer *part = NULL;
  RDX_TRY(take_bitmap(e, &part, err));
  for (uint32_t done = 0; done < term->set.count; done += max) {
    const uint32_t left = term->set.count - done;
    const rdx_term piece = {term->column, {left < max ? left : max, term->set.list + done}};
    RDX_TRY(call(e, &piece, 1, false, done == 0 ? out : part, err));
    if (done > 0)
      RDX_TRY(fold(e, BITMAP_OR, out, part, err));
  }
  drop_bitmap(e, part);
  return RDX_OK;
}

static bool is_wide(const evaluation *e, const rdx_term *term) {
  return e->scan->ops->max_intervals != 0 && term->set.count > e->scan->ops->max_intervals;
}

/* A term in one call. */
static bool is_plain_term(const evaluation *e, const rdx_term_node *node) {
  return node->kind == RDX_NODE_TERM && !is_wide(e, &node->term);
}

/* All terms among the children of an AND that the method takes as they are, in as few calls as it allows. */
static rdx_status plain_terms(evaluation *e, const rdx_term_node *node, bool *narrow, rdx_buffer *out, rdx_error *err) {
  const uint32_t limit = e->scan->ops->max_terms ? e->scan->ops->max_terms : UINT32_MAX;
  rdx_term *terms = NULL;
  uint32_t count = 0;
  RDX_TRY(rdx_arena_alloc(e->arena, node->count, sizeof *terms, "a predicate", (void **)&terms, err));
  for (uint32_t i = 0; i < node->count; i++)
    if (is_plain_term(e, &node->children[i]))
      terms[count++] = node->children[i].term;
  for (uint32_t done = 0; done < count;) {
    const uint32_t n = count - done < limit ? count - done : limit;
    RDX_TRY(call(e, terms + done, n, *narrow, out, err));
    *narrow = true;
    done += n;
  }
  return RDX_OK;
}

/* ---- Trees, of a depth that terms.c bounds ---- */

static rdx_status evaluate(evaluation *e, const rdx_term_node *node, bool narrow, rdx_buffer *out, rdx_error *err);

static rdx_status all_of(evaluation *e, const rdx_term_node *node, bool narrow, rdx_buffer *out, rdx_error *err) {
  RDX_TRY(plain_terms(e, node, &narrow, out, err));
  for (uint32_t i = 0; i < node->count; i++) {
    const rdx_term_node *child = &node->children[i];
    if (is_plain_term(e, child))
      continue;
    RDX_TRY(evaluate(e, child, narrow, out, err));
    narrow = true;
  }
  return RDX_OK;
}

/* The terms of a conjunction that the method takes in one call; 0: it is none. */
static uint32_t conjunction_terms(const evaluation *e, const rdx_term_node *node) {
  if (node->kind != RDX_NODE_AND)
    return is_plain_term(e, node);
  for (uint32_t i = 0; i < node->count; i++)
    if (!is_plain_term(e, &node->children[i]))
      return 0;
  return node->count;
}

/* How many children of an OR, from `first` on, one call of the method takes together. */
static uint32_t count_together(const evaluation *e, const rdx_term_node *node, uint32_t first) {
  const rdx_scan_ops *ops = e->scan->ops;
  const uint32_t max = ops->max_conjunctions ? ops->max_conjunctions(e->scan->self) : 1;
  uint32_t count = 0, terms = 0;
  while (count < max && first + count < node->count) {
    const uint32_t here = conjunction_terms(e, &node->children[first + count]);
    if (here == 0 || terms + here > ops->max_terms)
      break;
    terms += here;
    count++;
  }
  return count;
}

/* RTScan, section 7 "identify the involved query areas in the three-dimensional space". */
/* So many children in one call. */
static rdx_status together(evaluation *e, const rdx_term_node *children, uint32_t count, rdx_buffer *out,
                           rdx_error *err) {
  rdx_scan_call call = {.conjunctions = count, .out = out};
  rdx_term *terms = NULL;
  uint32_t *ends = NULL;
  RDX_TRY(rdx_arena_alloc(e->arena, e->scan->ops->max_terms, sizeof *terms, "a predicate", (void **)&terms, err));
  RDX_TRY(rdx_arena_alloc(e->arena, count, sizeof *ends, "a predicate", (void **)&ends, err));
  for (uint32_t i = 0; i < count; i++) {
    const rdx_term_node *child = &children[i];
    if (child->kind == RDX_NODE_TERM)
      terms[call.count++] = child->term;
    for (uint32_t k = 0; k < child->count && child->kind == RDX_NODE_AND; k++)
      terms[call.count++] = child->children[k].term;
    ends[i] = call.count;
  }
  call.terms = terms;
  call.ends = ends;
  RDX_TRY(e->scan->ops->evaluate(e->scan->self, e->stream, &call, e->counts, err));
  return ++e->calls % CALLS_AT_A_TIME == 0 ? let_go(e, err) : RDX_OK;
}

static rdx_status any_of(evaluation *e, const rdx_term_node *node, rdx_buffer *out, rdx_error *err) {
  rdx_buffer *part = NULL;
  for (uint32_t i = 0, count; i < node->count; i += count) {
    count = count_together(e, node, i);
    if (i > 0 && !part)
      RDX_TRY(take_bitmap(e, &part, err));
    rdx_buffer *target = i > 0 ? part : out;
    RDX_TRY(count > 1 ? together(e, &node->children[i], count, target, err)
                      : evaluate(e, &node->children[i], false, target, err));
    count = count > 1 ? count : 1;
    if (i > 0)
      RDX_TRY(fold(e, BITMAP_OR, out, part, err));
  }
  if (part)
    drop_bitmap(e, part);
  return RDX_OK;
}

/* What cannot narrow a bitmap goes to one of its own first. */
static rdx_status united(evaluation *e, const rdx_term_node *node, bool narrow, rdx_buffer *out, rdx_error *err) {
  rdx_buffer *whole = out;
  if (narrow)
    RDX_TRY(take_bitmap(e, &whole, err));
  RDX_TRY(node->kind == RDX_NODE_OR ? any_of(e, node, whole, err) : wide_term(e, &node->term, whole, err));
  if (narrow) {
    RDX_TRY(fold(e, BITMAP_AND, out, whole, err));
    drop_bitmap(e, whole);
  }
  return RDX_OK;
}

/* With `narrow`, `out` keeps only rows that it holds. */
static rdx_status evaluate(evaluation *e, const rdx_term_node *node, bool narrow, rdx_buffer *out, rdx_error *err) {
  const uint64_t rows = e->scan->stats.rows;
  switch (node->kind) {
  case RDX_NODE_FALSE:
    return rdx_stream_fill(e->stream, out, 0, rdx_bitmap_bytes(rows), 0, err);
  case RDX_NODE_TRUE:
    return narrow ? RDX_OK : rdx_bitmap_fill(e->stream, out, rows, err);
  case RDX_NODE_TERM:
    return is_wide(e, &node->term) ? united(e, node, narrow, out, err) : call(e, &node->term, 1, narrow, out, err);
  case RDX_NODE_NULL:
    return fold(e, narrow ? BITMAP_AND_NOT : BITMAP_NOT, out, e->scan->columns[node->term.column].valid, err);
  case RDX_NODE_AND:
    return all_of(e, node, narrow, out, err);
  case RDX_NODE_OR:
    return united(e, node, narrow, out, err);
  }
  return rdx_fail(err, RDX_ERROR_INTERNAL, "unknown node kind %d", (int)node->kind);
}

/* Whether one call of the method does all. */
static bool is_one_call(const evaluation *e, const rdx_term_node *node) {
  const uint32_t limit = e->scan->ops->max_terms;
  if (node->kind != RDX_NODE_AND)
    return is_plain_term(e, node);
  for (uint32_t i = 0; i < node->count; i++)
    if (!is_plain_term(e, &node->children[i]))
      return false;
  return limit == 0 || node->count <= limit;
}

rdx_status rdx_scan_evaluate(evaluation *e, const rdx_term_node *node, rdx_buffer *out, rdx_error *err) {
  e->whole = is_one_call(e, node);
  e->counted = false;
  return evaluate(e, node, false, out, err);
}
