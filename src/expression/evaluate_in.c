/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* IN: constants as a set, the rest of the list one by one. */

#include <string.h>

#include "expression/block.h"
#include "expression/calendar.h"

#define FEW 8                        /* constants that are compared with all at once */
#define MAX_SPAN ((uint64_t)1 << 20) /* from the least to the largest of many that have bits, */
#define MAX_SPARSE 32768u            /* and of this times as many */

struct rdx_value_set {
  const rdx_datum *values;
  uint32_t count;
  uint32_t *slots; /* a value's number + 1; 0: free; a power of two of them */
  uint32_t mask;
  /* Many whole numbers that are not far apart: */
  uint64_t min, span;
  uint64_t *bits; /* of each from min to min + span whether it is among them; NULL: none of these */
};

static uint64_t mix(uint64_t x) {
  x ^= x >> 32;
  x *= 0x9e3779b97f4a7c15u;
  x ^= x >> 29;
  x *= 0xbf58476d1ce4e5b9u;
  return x ^ x >> 32;
}

static uint64_t hash_text(rdx_sql_text text) {
  uint64_t hash = text.length, word = 0;
  for (; text.length >= 8; text.data += 8, text.length -= 8) {
    memcpy(&word, text.data, 8);
    hash = mix(hash ^ word) + 1;
  }
  word = 0;
  if (text.length > 0)
    memcpy(&word, text.data, text.length);
  return mix(hash ^ word);
}

static uint64_t hash_wide(rdx_i128 value) {
  return mix((uint64_t)value ^ mix((uint64_t)(value >> 64)));
}

static uint64_t hash_value(rdx_class class, const rdx_datum *v) {
  uint64_t bits = 0;
  switch (class) {
  case RDX_CLASS_I64:
    return mix((uint64_t)v->i);
  case RDX_CLASS_WIDE:
    return hash_wide(v->wide);
  case RDX_CLASS_F64:
    if (v->f == v->f && v->f != 0) /* zeros are equal, and so are NaNs */
      memcpy(&bits, &v->f, sizeof bits);
    return mix(v->f == v->f ? bits : 1);
  case RDX_CLASS_TEXT:
    return hash_text(v->text);
  default:
    return hash_wide(rdx_interval_span(v->interval));
  }
}

static bool same_value(rdx_class class, const rdx_datum *a, const rdx_datum *b) {
  switch (class) {
  case RDX_CLASS_I64:
    return a->i == b->i;
  case RDX_CLASS_WIDE:
    return a->wide == b->wide;
  case RDX_CLASS_F64:
    return rdx_compare_doubles(a->f, b->f) == 0;
  case RDX_CLASS_TEXT:
    return rdx_compare_texts(a->text, b->text) == 0;
  default:
    return rdx_interval_span(a->interval) == rdx_interval_span(b->interval);
  }
}

/* The slot that has a value, or where it would be. */
static uint32_t find_slot(const rdx_value_set *set, rdx_class class, const rdx_datum *value) {
  uint32_t slot = (uint32_t)hash_value(class, value) & set->mask;
  while (set->slots[slot] && !same_value(class, &set->values[set->slots[slot] - 1], value))
    slot = (slot + 1) & set->mask;
  return slot;
}

static rdx_status add_bits(rdx_value_set *set, rdx_arena *arena, rdx_error *err) {
  int64_t min = INT64_MAX, max = INT64_MIN;
  for (uint32_t i = 0; i < set->count; i++) {
    min = set->values[i].i < min ? set->values[i].i : min;
    max = set->values[i].i > max ? set->values[i].i : max;
  }
  set->min = (uint64_t)min;
  set->span = (uint64_t)max - (uint64_t)min;
  if (set->count <= FEW || set->span >= MAX_SPAN || set->span / set->count >= MAX_SPARSE)
    return RDX_OK;
  const uint64_t words = set->span / 64 + 1;
  RDX_TRY(rdx_arena_alloc(arena, words, sizeof *set->bits, "a list of values", (void **)&set->bits, err));
  memset(set->bits, 0, words * sizeof *set->bits);
  for (uint32_t i = 0; i < set->count; i++) {
    const uint64_t bit = (uint64_t)set->values[i].i - set->min;
    set->bits[bit / 64] |= (uint64_t)1 << bit % 64;
  }
  return RDX_OK;
}

rdx_status rdx_value_set_create(rdx_class class, const rdx_datum *values, uint32_t count, rdx_arena *arena,
                                rdx_value_set **out, rdx_error *err) {
  rdx_value_set *set = NULL;
  uint32_t size = 8;
  while (size < 2 * (uint64_t)count)
    size *= 2;
  RDX_TRY(rdx_arena_alloc(arena, 1, sizeof *set, "a list of values", (void **)&set, err));
  *set = (rdx_value_set){.values = values, .count = count, .mask = size - 1};
  RDX_TRY(rdx_arena_alloc(arena, size, sizeof *set->slots, "a list of values", (void **)&set->slots, err));
  memset(set->slots, 0, size * sizeof *set->slots);
  for (uint32_t i = 0; i < count; i++)
    set->slots[find_slot(set, class, &values[i])] = i + 1;
  *out = set;
  return class == RDX_CLASS_I64 ? add_bits(set, arena, err) : RDX_OK;
}

/* Set to[i] where row i's value is among the constants. */
static void look_for(const rdx_worker *w, const rdx_value_set *set, rdx_class class, const rdx_values *values,
                     int64_t *restrict to) {
  memset(to, 0, w->rows * sizeof *to);
  if (class == RDX_CLASS_I64 && set->count <= FEW) {
    const int64_t *restrict a = values->data;
    for (uint32_t c = 0; c < set->count; c++) {
      const int64_t wanted = set->values[c].i;
      for (uint32_t i = 0; i < w->rows; i++)
        to[i] |= a[i] == wanted;
    }
    return;
  }
  if (class == RDX_CLASS_I64 && set->bits) {
    const int64_t *restrict a = values->data;
    for (uint32_t i = 0; i < w->rows; i++) {
      const uint64_t far = (uint64_t)a[i] - set->min, bit = far <= set->span ? far : 0;
      to[i] = (int64_t)(set->bits[bit / 64] >> bit % 64 & (far <= set->span));
    }
    return;
  }
  if (class == RDX_CLASS_I64) {
    const int64_t *restrict a = values->data;
    for (uint32_t i = 0; i < w->rows; i++) {
      uint32_t slot = (uint32_t)mix((uint64_t)a[i]) & set->mask;
      while (set->slots[slot] && set->values[set->slots[slot] - 1].i != a[i])
        slot = (slot + 1) & set->mask;
      to[i] = set->slots[slot] != 0;
    }
    return;
  }
  for (uint32_t i = 0; i < w->rows; i++) {
    const rdx_datum value = rdx_get_value(values, class, i);
    to[i] = !value.null && set->slots[find_slot(set, class, &value)] != 0;
  }
}

/* Compare with the values of the list that are no constants. */
static rdx_status compare_rest(rdx_worker *w, const rdx_node *n, const uint8_t *active, const rdx_values *value,
                               uint8_t *unknown, int64_t *to) {
  const rdx_values_fn equals = rdx_comparison_kernel(RDX_OP_EQ, n->args[0]->class);
  for (uint32_t a = 1; a < n->count; a++) {
    rdx_values pair[2] = {*value}, result;
    const rdx_scratch_mark mark = rdx_scratch_top(&w->stack);
    RDX_TRY(rdx_take_values(w, RDX_CLASS_I64, &result));
    RDX_TRY(n->args[a]->evaluate(w, n->args[a], active, &pair[1]));
    RDX_TRY(equals(w, n, pair, active, &result));
    for (uint32_t i = 0; i < w->rows; i++) {
      const bool null = pair[1].nulls && pair[1].nulls[i];
      to[i] |= ((const int64_t *)result.data)[i] & !null;
      unknown[i] |= null;
    }
    rdx_scratch_return(&w->stack, mark);
  }
  return RDX_OK;
}

rdx_status rdx_evaluate_in(rdx_worker *w, const rdx_node *n, const uint8_t *active, rdx_values *out) {
  rdx_values value;
  uint8_t *unknown = NULL, any = 0;
  RDX_TRY(rdx_take_values(w, n->class, out));
  RDX_TRY(rdx_take_flags(w, &unknown));
  memset(unknown, n->has_null, w->rows);
  const rdx_scratch_mark mark = rdx_scratch_top(&w->stack);
  RDX_TRY(n->args[0]->evaluate(w, n->args[0], active, &value));
  look_for(w, n->set, n->args[0]->class, &value, out->data);
  RDX_TRY(compare_rest(w, n, active, &value, unknown, out->data));
  for (uint32_t i = 0; i < w->rows; i++) {
    unknown[i] = (value.nulls && value.nulls[i]) || (unknown[i] && !((const int64_t *)out->data)[i]);
    any |= unknown[i];
  }
  out->nulls = any ? unknown : NULL;
  rdx_scratch_return(&w->stack, mark);
  return RDX_OK;
}
