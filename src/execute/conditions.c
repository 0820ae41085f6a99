/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Conditions of joins, which are evaluated for pairs: in batches, so that memory does not grow with what they leave
 * out. */

#include <string.h>

#include "device/device.h"
#include "execute/pairs.h"

#define WHAT "the pairs of a join"
#define BATCH (1u << 18) /* pairs */

typedef struct sieve {
  rdx_joining *j;
  uint32_t *left, *right; /* the batch */
  uint64_t count, capacity;
  uint32_t *marks; /* of left rows; NULL: pairs are kept */
  uint32_t *kept_left, *kept_right;
  uint64_t kept, kept_capacity;
} sieve;

/* Room for pairs, at least so many. */
static rdx_status reserve(const sieve *s, uint32_t **left, uint32_t **right, uint64_t *capacity, uint64_t wanted,
                          rdx_error *err) {
  if (wanted <= *capacity)
    return RDX_OK;
  uint64_t more = *capacity + *capacity / 2;
  more = more > wanted ? more : wanted;
  RDX_TRY(rdx_device_expect_host(s->j->x->device, (more - *capacity) * 8, "the pairs of a join take",
                                 "join by equal columns, or filter its inputs", err));
  RDX_TRY(rdx_realloc((void **)left, more, sizeof **left, WHAT, err));
  RDX_TRY(rdx_realloc((void **)right, more, sizeof **right, WHAT, err));
  *capacity = more;
  return RDX_OK;
}

/* The places of the batch's pairs for which the condition is true, for rdx_free(). */
static rdx_status find_true(const sieve *s, uint32_t **places, uint64_t *count, rdx_error *err) {
  const rdx_pairs batch = {.count = s->count, .left = s->left, .right = s->right};
  const rdx_joining *j = s->j;
  rdx_operand pairs = {0};
  rdx_arena arena = {0};
  RDX_TRY(rdx_pairs_frame(j, &batch, &pairs.frame, err));
  rdx_status status = rdx_frame_inputs(&pairs.frame, &arena, &pairs.inputs, err);
  const rdx_evaluation e = rdx_operand_evaluation(j->x, &pairs);
  if (status == RDX_OK)
    status = rdx_evaluate_filter(&e, j->node->filter, places, count, err);
  rdx_operand_drop(&pairs);
  rdx_arena_free(&arena);
  return status;
}

/* Evaluate the condition for the batch, which is empty then. */
static rdx_status sift(sieve *s, rdx_error *err) {
  uint32_t *places = NULL;
  uint64_t count = 0;
  if (s->count == 0)
    return RDX_OK;
  RDX_TRY(rdx_progress_at_times("join", 0, 0, err));
  RDX_TRY(find_true(s, &places, &count, err));
  rdx_status status = RDX_OK;
  if (!s->marks)
    status = reserve(s, &s->kept_left, &s->kept_right, &s->kept_capacity, s->kept + count, err);
  for (uint64_t i = 0; i < count && status == RDX_OK; i++) {
    const uint32_t left = s->left[places[i]];
    if (s->marks) {
      s->marks[left / 32] |= 1u << left % 32;
      continue;
    }
    s->kept_left[s->kept] = left;
    s->kept_right[s->kept++] = s->right[places[i]];
  }
  rdx_free(places);
  s->count = 0;
  return status;
}

/* A row with all that it is paired with: rows[0 .. count - 1], or 0 .. count - 1. */
static rdx_status add_row(sieve *s, uint32_t row, bool is_left, const uint32_t *rows, uint64_t count, rdx_error *err) {
  for (uint64_t done = 0; done < count;) {
    if (s->count == BATCH)
      RDX_TRY(sift(s, err));
    const uint64_t room = BATCH - s->count, n = count - done < room ? count - done : room;
    uint32_t *own = (is_left ? s->left : s->right) + s->count, *other = (is_left ? s->right : s->left) + s->count;
    for (uint64_t k = 0; k < n; k++) {
      own[k] = row;
      other[k] = rows ? rows[done + k] : (uint32_t)(done + k);
    }
    s->count += n;
    done += n;
  }
  return RDX_OK;
}

static rdx_status sift_matches(sieve *s, const rdx_matches *m, rdx_error *err) {
  for (uint64_t i = 0; i < m->probes; i++) {
    RDX_TRY(rdx_loop_goes_on(i, m->probes, "join", err));
    if (m->first && m->first[i] != RDX_NO_ROW)
      RDX_TRY(add_row(s, (uint32_t)i, !m->inverse, &m->first[i], 1, err));
    else if (!m->first && m->offsets[i + 1] > m->offsets[i])
      RDX_TRY(add_row(s, (uint32_t)i, !m->inverse, m->rows + m->offsets[i], m->offsets[i + 1] - m->offsets[i], err));
  }
  return sift(s, err);
}

static rdx_status sift_all(sieve *s, rdx_error *err) {
  const uint64_t lefts = s->j->left.frame.rows, rights = s->j->right.frame.rows;
  for (uint64_t i = 0; i < lefts && rights > 0; i++) {
    RDX_TRY(rdx_loop_goes_on(i, lefts, "join", err));
    RDX_TRY(add_row(s, (uint32_t)i, true, NULL, rights, err));
  }
  return sift(s, err);
}

rdx_status rdx_pairs_filter(rdx_joining *j, const rdx_matches *matches, uint32_t *marks, rdx_pairs *out,
                            rdx_error *err) {
  sieve s = {.j = j, .marks = marks};
  *out = (rdx_pairs){0};
  rdx_status status = reserve(&s, &s.left, &s.right, &s.capacity, BATCH, err);
  if (status == RDX_OK && !marks)
    status = reserve(&s, &s.kept_left, &s.kept_right, &s.kept_capacity, 64, err);
  if (status == RDX_OK)
    status = matches ? sift_matches(&s, matches, err) : sift_all(&s, err);
  rdx_free(s.left);
  rdx_free(s.right);
  if (status == RDX_OK && !marks)
    return rdx_pairs_take(s.kept_left, s.kept_right, s.kept, out, err);
  rdx_free(s.kept_left);
  rdx_free(s.kept_right);
  return status;
}
