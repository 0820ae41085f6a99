/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Conditions of joins, which are evaluated for pairs: in batches, so that memory does not grow with what they leave
 * out. */

#include <string.h>

#include "device/device.h"
#include "execute/pairs.h"

#define WHAT "the pairs of a join"
#define BATCH (1u << 18) /* pairs */

typedef struct pair_filter {
  rdx_joining *j;
  uint32_t *left, *right; /* the batch */
  uint64_t count, capacity;
  uint32_t *marks; /* of left rows; NULL: pairs are kept */
  uint32_t *kept_left, *kept_right;
  uint64_t kept, kept_capacity;
} pair_filter;

/* Room for pairs, at least so many. */
static rdx_status reserve(const pair_filter *f, uint32_t **left, uint32_t **right, uint64_t *capacity, uint64_t wanted,
                          rdx_error *err) {
  if (wanted <= *capacity)
    return RDX_OK;
  uint64_t more = *capacity + *capacity / 2;
  more = more > wanted ? more : wanted;
  RDX_TRY(rdx_device_expect_host(f->j->x->device, (more - *capacity) * 8, "the pairs of a join take",
                                 "join by equal columns, or filter its inputs", err));
  RDX_TRY(rdx_realloc((void **)left, more, sizeof **left, WHAT, err));
  RDX_TRY(rdx_realloc((void **)right, more, sizeof **right, WHAT, err));
  *capacity = more;
  return RDX_OK;
}

/* The places of the batch's pairs for which the condition is true, for rdx_free(). */
static rdx_status find_true(const pair_filter *f, uint32_t **places, uint64_t *count, rdx_error *err) {
  const rdx_pairs batch = {.count = f->count, .left = f->left, .right = f->right};
  const rdx_joining *j = f->j;
  RDX_SCOPED(rdx_arena_free) rdx_arena arena = {0};
  RDX_SCOPED(rdx_operand_drop) rdx_operand pairs = {0};
  RDX_TRY(rdx_pairs_frame(j, &batch, &pairs.frame, err));
  RDX_TRY(rdx_frame_inputs(&pairs.frame, &arena, &pairs.inputs, err));
  const rdx_evaluation e = rdx_operand_evaluation(j->x, &pairs);
  return rdx_evaluate_filter(&e, j->node->filter, places, count, err);
}

/* Evaluate the condition for the batch, which is empty then. */
static rdx_status filter_batch(pair_filter *f, rdx_error *err) {
  uint32_t *places = NULL;
  uint64_t count = 0;
  if (f->count == 0)
    return RDX_OK;
  RDX_TRY(rdx_progress_at_times("join", 0, 0, err));
  RDX_TRY(find_true(f, &places, &count, err));
  rdx_status status = RDX_OK;
  if (!f->marks)
    status = reserve(f, &f->kept_left, &f->kept_right, &f->kept_capacity, f->kept + count, err);
  for (uint64_t i = 0; i < count && status == RDX_OK; i++) {
    const uint32_t left = f->left[places[i]];
    if (f->marks) {
      f->marks[left / 32] |= 1u << left % 32;
      continue;
    }
    f->kept_left[f->kept] = left;
    f->kept_right[f->kept++] = f->right[places[i]];
  }
  rdx_free(places);
  f->count = 0;
  return status;
}

/* A row with all that it is paired with: rows[0 .. count - 1], or 0 .. count - 1. */
static rdx_status add_row(pair_filter *f, uint32_t row, bool is_left, const uint32_t *rows, uint64_t count,
                          rdx_error *err) {
  for (uint64_t done = 0; done < count;) {
    if (f->count == BATCH)
      RDX_TRY(filter_batch(f, err));
    const uint64_t capacity = BATCH - f->count, n = count - done < capacity ? count - done : capacity;
    uint32_t *own = (is_left ? f->left : f->right) + f->count, *other = (is_left ? f->right : f->left) + f->count;
    for (uint64_t k = 0; k < n; k++) {
      own[k] = row;
      other[k] = rows ? rows[done + k] : (uint32_t)(done + k);
    }
    f->count += n;
    done += n;
  }
  return RDX_OK;
}

/* What an index or a hash table has found. */
static rdx_status filter_matches(pair_filter *f, const rdx_matches *m, rdx_error *err) {
  for (uint64_t i = 0; i < m->probes; i++) {
    RDX_TRY(rdx_loop_goes_on(i, m->probes, "join", err));
    if (m->first && m->first[i] != RDX_NO_ROW)
      RDX_TRY(add_row(f, (uint32_t)i, !m->inverse, &m->first[i], 1, err));
    else if (!m->first && m->offsets[i + 1] > m->offsets[i])
      RDX_TRY(add_row(f, (uint32_t)i, !m->inverse, m->rows + m->offsets[i], m->offsets[i + 1] - m->offsets[i], err));
  }
  return filter_batch(f, err);
}

/* All pairs. */
static rdx_status filter_product(pair_filter *f, rdx_error *err) {
  const uint64_t lefts = f->j->left.frame.rows, rights = f->j->right.frame.rows;
  for (uint64_t i = 0; i < lefts && rights > 0; i++) {
    RDX_TRY(rdx_loop_goes_on(i, lefts, "join", err));
    RDX_TRY(add_row(f, (uint32_t)i, true, NULL, rights, err));
  }
  return filter_batch(f, err);
}

rdx_status rdx_pairs_filter(rdx_joining *j, const rdx_matches *matches, uint32_t *marks, rdx_pairs *out,
                            rdx_error *err) {
  pair_filter f = {.j = j, .marks = marks};
  *out = (rdx_pairs){0};
  rdx_status status = reserve(&f, &f.left, &f.right, &f.capacity, BATCH, err);
  if (status == RDX_OK && !marks)
    status = reserve(&f, &f.kept_left, &f.kept_right, &f.kept_capacity, 64, err);
  if (status == RDX_OK)
    status = matches ? filter_matches(&f, matches, err) : filter_product(&f, err);
  rdx_free(f.left);
  rdx_free(f.right);
  if (status == RDX_OK && !marks)
    return rdx_pairs_take(f.kept_left, f.kept_right, f.kept, out, err);
  rdx_free(f.kept_left);
  rdx_free(f.kept_right);
  return status;
}
