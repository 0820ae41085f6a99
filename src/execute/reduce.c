/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Rows that cannot have a match, left out before a join: a bit for each key of the smaller side tells which rows of the
 * larger one are worth a lookup. */

#include <math.h>
#include <stdatomic.h>

#include "column/column.h"
#include "execute/pairs.h"

#define WHAT "the keys of a join"
#define MAX_RANGE ((uint64_t)1 << 27) /* from the smallest to the largest key: bits of the map */
#define MAX_BITS_PER_ROW 256u         /* of the larger side: clearing more takes longer than lookups */

/* A side's key: a column of integers, but of 64 bits without a sign, or of days as it lies. */
typedef struct key {
  const rdx_input *input;
  uint64_t rows;
} key;

static bool find_key(const rdx_operand *side, const rdx_bound *e, key *out) {
  if (e->kind != RDX_BOUND_COLUMN)
    return false;
  const rdx_input *in = &side->inputs[e->index];
  const rdx_type type = in->column.type;
  *out = (key){in, side->frame.rows};
  return (type >= RDX_TYPE_I8 && type <= RDX_TYPE_U32) || type == RDX_TYPE_DATE || type == RDX_TYPE_I64;
}

static inline bool has_value(const rdx_input *in, uint64_t i, uint64_t *row) {
  *row = in->rows ? in->rows[i] : i;
  return !(in->rows && in->rows[i] == RDX_NO_ROW) && rdx_column_has(&in->column, *row);
}

typedef struct map {
  const key *key;
  _Atomic int64_t min, max;
  uint32_t range;         /* bits less one */
  _Atomic uint64_t *bits; /* NULL: keys are too far apart, or not looked at yet */
} map;

static void find_ends(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  map *m = context;
  int64_t min = INT64_MAX, max = INT64_MIN;
  uint64_t row;
  for (uint64_t i = begin; i < end; i++) {
    if (!has_value(m->key->input, i, &row))
      continue;
    const int64_t value = rdx_column_integer(&m->key->input->column, row);
    min = value < min ? value : min;
    max = value > max ? value : max;
  }
  for (int64_t seen = m->min; min < seen && !atomic_compare_exchange_weak(&m->min, &seen, min);) {
  }
  for (int64_t seen = m->max; max > seen && !atomic_compare_exchange_weak(&m->max, &seen, max);) {
  }
}

static void set_bits(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  map *m = context;
  uint64_t row;
  for (uint64_t i = begin; i < end; i++) {
    if (!has_value(m->key->input, i, &row))
      continue;
    const uint64_t bit = (uint64_t)rdx_column_integer(&m->key->input->column, row) - (uint64_t)m->min;
    if (bit <= m->range)
      atomic_fetch_or_explicit(&m->bits[bit / 64], (uint64_t)1 << bit % 64, memory_order_relaxed);
  }
}

/* The smaller side's keys that the larger one may have; `bits` stays NULL where they are too far apart for so many rows
 * as that has. */
static rdx_status make_map(rdx_execution *x, const key *k, const key *large, map *out, rdx_error *err) {
  rdx_i128 min, max;
  *out = (map){.key = k, .min = INT64_MAX, .max = INT64_MIN};
  RDX_TRY(rdx_pool_run_stage(x->pool, k->rows, RDX_EXECUTE_GRAIN, find_ends, out, "join", err));
  /* Within what the larger side may have, a value of 32 bits outside of the range is further from its beginning than
   * its size, in 32 bits, too. */
  rdx_type_limits(large->input->column.type, &min, &max);
  out->min = out->min > min ? out->min : (int64_t)min;
  out->max = out->max < max ? out->max : (int64_t)max;
  if (out->min > out->max) { /* no key at all: a map of one bit that is not set */
    out->min = 0;
    out->max = 0;
  }
  const uint64_t range = (uint64_t)out->max - (uint64_t)out->min;
  if (range >= MAX_RANGE || range / MAX_BITS_PER_ROW > large->rows)
    return RDX_OK;
  out->range = (uint32_t)range;
  RDX_TRY(rdx_calloc(range / 64 + 1, sizeof *out->bits, WHAT, (void **)&out->bits, err));
  return rdx_pool_run_stage(x->pool, k->rows, RDX_EXECUTE_GRAIN, set_bits, out, "join", err);
}

#define STRIP 64u /* rows that are looked at at a time: a divisor of RDX_EXECUTE_GRAIN */

typedef struct reduction {
  key key;
  map map;
  uint64_t *kept;   /* a bit for each row */
  uint64_t *counts; /* of each piece of RDX_EXECUTE_GRAIN rows; then where it begins */
  uint32_t *rows;   /* those that are kept */
} reduction;

/* The keys of rows, less the smallest of the map; UINT32_MAX is beyond it. Of a NULL it may be any. */
static void load_strip(const reduction *r, uint64_t begin, uint32_t count, uint32_t *out) {
  const rdx_column *c = &r->key.input->column;
  const uint32_t *rows = r->key.input->rows, *words = c->values, min = (uint32_t)r->map.min;
  const bool plain = rdx_type_size(c->type) == sizeof *words;
  if (plain && !rows)
    for (uint32_t i = 0; i < count; i++)
      out[i] = words[begin + i] - min;
  else if (plain)
    for (uint32_t i = 0; i < count; i++)
      out[i] = rows[begin + i] == RDX_NO_ROW ? UINT32_MAX : words[rows[begin + i]] - min;
  else
    for (uint32_t i = 0; i < count; i++) {
      const uint64_t row = rows ? rows[begin + i] : begin + i;
      const uint64_t far = row == RDX_NO_ROW ? UINT64_MAX : (uint64_t)rdx_column_integer(c, row) - (uint64_t)r->map.min;
      out[i] = far < UINT32_MAX ? (uint32_t)far : UINT32_MAX;
    }
}

/* A bit for each row of a strip that is kept. */
static uint64_t test_strip(const reduction *r, uint64_t begin, uint32_t count) {
  uint32_t keys[STRIP], any = 0;
  uint64_t kept = 0, row;
  load_strip(r, begin, count, keys);
  for (uint32_t i = 0; i < count; i++)
    any |= keys[i] <= r->map.range;
  if (!any)
    return 0;
  for (uint32_t i = 0; i < count; i++) {
    const bool within = keys[i] <= r->map.range;
    const uint32_t bit = within ? keys[i] : 0;
    const uint64_t word = atomic_load_explicit(&r->map.bits[bit / 64], memory_order_relaxed);
    kept |= (word >> bit % 64 & within) << i;
  }
  if (r->key.input->column.validity)
    for (uint64_t left = kept; left != 0; left &= left - 1) {
      const uint32_t i = (uint32_t)__builtin_ctzll(left);
      kept &= ~((uint64_t)!has_value(r->key.input, begin + i, &row) << i);
    }
  return kept;
}

static void test_piece(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  const reduction *r = context;
  uint64_t count = 0;
  for (uint64_t i = begin; i < end; i += STRIP) {
    const uint64_t kept = test_strip(r, i, end - i < STRIP ? (uint32_t)(end - i) : STRIP);
    r->kept[i / STRIP] = kept;
    count += (uint64_t)__builtin_popcountll(kept);
  }
  r->counts[begin / RDX_EXECUTE_GRAIN] = count;
}

static void list_piece(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  const reduction *r = context;
  uint32_t *out = r->rows + r->counts[begin / RDX_EXECUTE_GRAIN];
  for (uint64_t i = begin; i < end; i += STRIP)
    for (uint64_t left = r->kept[i / STRIP]; left != 0; left &= left - 1)
      *out++ = (uint32_t)(i + (uint64_t)__builtin_ctzll(left));
}

static rdx_status list_rows(rdx_execution *x, reduction *r, uint64_t *total, rdx_error *err) {
  const uint64_t rows = r->key.rows, pieces = rows / RDX_EXECUTE_GRAIN + 1;
  RDX_TRY(rdx_alloc(rows / STRIP + 1, sizeof *r->kept, WHAT, (void **)&r->kept, err));
  RDX_TRY(rdx_calloc(pieces, sizeof *r->counts, WHAT, (void **)&r->counts, err));
  RDX_TRY(rdx_pool_run_stage(x->pool, rows, RDX_EXECUTE_GRAIN, test_piece, r, "join", err));
  *total = 0;
  for (uint64_t i = 0; i < pieces; i++) {
    const uint64_t count = r->counts[i];
    r->counts[i] = *total;
    *total += count;
  }
  RDX_TRY(rdx_alloc(*total, sizeof *r->rows, WHAT, (void **)&r->rows, err));
  return rdx_pool_run_stage(x->pool, rows, RDX_EXECUTE_GRAIN, list_piece, r, "join", err);
}

static void drop(reduction *r) {
  RDX_FREE_ALL(r->map.bits, r->counts, r->kept, r->rows);
}

/* The rows of `large` whose key the other side has. */
static rdx_status reduce(rdx_execution *x, rdx_operand *large, const key *large_key, const key *small_key,
                         rdx_error *err) {
  RDX_SCOPED(drop) reduction r = {.key = *large_key};
  uint64_t total = 0;
  RDX_TRY(make_map(x, small_key, large_key, &r.map, err));
  if (!r.map.bits)
    return RDX_OK;
  RDX_TRY(list_rows(x, &r, &total, err));
  RDX_TRY(rdx_frame_select(x->pool, &large->frame, RDX_KEEP(r.rows), total, err));
  return rdx_operand_refresh(x, large, err);
}

rdx_status rdx_join_reduce(rdx_joining *j, rdx_error *err) {
  const rdx_plan_node *n = j->node;
  const double found = n->join == RDX_PLAN_ANTI ? INFINITY : n->expected_rows; /* of ANTI those without a match */
  key left, right;
  if (n->key_count == 0 || !find_key(&j->left, n->left_keys[0], &left) ||
      !find_key(&j->right, n->right_keys[0], &right))
    return RDX_OK;
  const bool both = n->join == RDX_PLAN_INNER || n->join == RDX_PLAN_SEMI;
  if (both && rdx_join_reduces((double)left.rows, (double)right.rows, found))
    return reduce(j->x, &j->left, &left, &right, err);
  if ((both || n->join == RDX_PLAN_LEFT || n->join == RDX_PLAN_SINGLE || n->join == RDX_PLAN_ANTI) &&
      rdx_join_reduces((double)right.rows, (double)left.rows, found))
    return reduce(j->x, &j->right, &right, &left, err);
  return RDX_OK;
}
