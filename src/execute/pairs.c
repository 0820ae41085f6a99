/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Pairs: by equal keys through the library's join, all of them in batches, and those that a condition leaves. */

#include "execute/pairs.h"

#include <string.h>

#include "base/column.h"
#include "device/device.h"
#include "execute/keys.h"

#define WHAT "the pairs of a join"
#define BATCH (1u << 20) /* pairs that a condition is evaluated for at a time */

/* ---- Keys ---- */

/* Key `i` of both inputs, of one type. */
static rdx_status make_key(rdx_joining *j, uint32_t i, rdx_vector *left, rdx_vector *right, rdx_error *err) {
  rdx_bound *const a = j->node->left_keys[i], *const b = j->node->right_keys[i];
  RDX_TRY(rdx_operand_flat(j->x, &j->left, a, left, err));
  RDX_TRY(rdx_operand_flat(j->x, &j->right, b, right, err));
  if (rdx_columns_alike(&left->column, &right->column))
    return RDX_OK;
  rdx_binding binding = {.arena = j->x->arena, .text = j->x->text, .err = err};
  const rdx_sql_type types[2] = {a->type, b->type};
  rdx_sql_type type;
  rdx_bound *same_a = NULL, *same_b = NULL;
  if (!rdx_sql_common_type(types, 2, &type))
    return rdx_fail(err, RDX_ERROR_INTERNAL, "the keys of a join have types that cannot be compared");
  RDX_TRY(rdx_bind_cast(&binding, a, type, true, a->place, &same_a));
  RDX_TRY(rdx_bind_cast(&binding, b, type, true, b->place, &same_b));
  rdx_vector_destroy(left);
  rdx_vector_destroy(right);
  const rdx_evaluation of_left = rdx_operand_evaluation(j->x, &j->left);
  const rdx_evaluation of_right = rdx_operand_evaluation(j->x, &j->right);
  RDX_TRY(rdx_evaluate(&of_left, same_a, left, err));
  RDX_TRY(rdx_evaluate(&of_right, same_b, right, err));
  return rdx_columns_alike(&left->column, &right->column)
             ? RDX_OK
             : rdx_fail(err, RDX_ERROR_INTERNAL, "the keys of a join are of types %s and %s",
                        rdx_type_name(left->column.type), rdx_type_name(right->column.type));
}

/* Strings as places in a dictionary. */
static rdx_status code_strings(rdx_joining *j, rdx_vector *key, rdx_error *err) {
  if (key->column.type != RDX_TYPE_STRING || key->column.dictionary)
    return RDX_OK;
  rdx_input input = {.column = key->column};
  const rdx_operand operand = {.frame = {.rows = key->column.rows}, .inputs = &input};
  rdx_vector coded = {0};
  RDX_TRY(rdx_operand_cast(j->x, &operand, 0, rdx_sql_type_of_column(&key->column), &coded, err));
  rdx_vector_destroy(key);
  *key = coded;
  return RDX_OK;
}

/* Words of several keys as one column for each input: the word itself, or the rank of several. */
static rdx_status take_words(rdx_joining *j, rdx_key_words *w, rdx_error *err) {
  const uint64_t rows = w->rows[0] + w->rows[1];
  rdx_vector *const sides[2] = {&j->left_key, &j->right_key};
  uint64_t distinct = 0;
  void *values = w->words[0];
  if (w->count > 1) {
    uint32_t *codes = NULL;
    RDX_TRY(rdx_alloc(rows, sizeof *codes, WHAT, (void **)&codes, err));
    const rdx_status status = rdx_key_words_rank(j->x, w, codes, &distinct, NULL, err);
    if (status != RDX_OK) {
      rdx_free(codes);
      return status;
    }
    values = codes;
  } else {
    w->words[0] = NULL;
  }
  j->left_key.memory[0] = values;
  for (uint32_t i = 0; i < 2; i++) {
    const size_t size = w->count > 1 ? sizeof(uint32_t) : sizeof(uint64_t);
    sides[i]->memory[1] = w->valid[i];
    sides[i]->column = (rdx_column){.type = w->count > 1 ? RDX_TYPE_U32 : RDX_TYPE_U64,
                                    .rows = w->rows[i],
                                    .values = (const char *)values + (i ? w->rows[0] * size : 0),
                                    .validity = w->valid[i]};
    w->valid[i] = NULL;
  }
  return RDX_OK;
}

static rdx_status combine_keys(rdx_joining *j, rdx_vector *sides, rdx_key_column *columns, rdx_error *err) {
  const uint32_t count = j->node->key_count;
  const uint64_t rows[2] = {j->left.frame.rows, j->right.frame.rows};
  rdx_key_words words;
  for (uint32_t i = 0; i < count; i++) {
    rdx_vector *left = &sides[2 * i], *right = &sides[2 * i + 1];
    RDX_TRY(make_key(j, i, left, right, err));
    RDX_TRY(code_strings(j, left, err));
    RDX_TRY(code_strings(j, right, err));
    columns[i] = (rdx_key_column){.parts = {&left->column, &right->column}};
  }
  RDX_TRY(rdx_key_words_create(j->x, columns, count, rows, true, &words, err));
  const rdx_status status = take_words(j, &words, err);
  rdx_key_words_destroy(&words);
  return status;
}

rdx_status rdx_join_keys(rdx_joining *j, rdx_error *err) {
  const uint32_t count = j->node->key_count;
  rdx_vector *sides = NULL;
  rdx_key_column *columns = NULL;
  if (count == 1)
    return make_key(j, 0, &j->left_key, &j->right_key, err);
  RDX_TRY(rdx_arena_alloc(j->x->arena, count, sizeof *columns, WHAT, (void **)&columns, err));
  RDX_TRY(rdx_calloc(2 * (size_t)count, sizeof *sides, WHAT, (void **)&sides, err));
  const rdx_status status = combine_keys(j, sides, columns, err);
  for (uint32_t i = 0; i < 2 * count; i++)
    rdx_vector_destroy(&sides[i]);
  rdx_free(sides);
  return status;
}

void rdx_join_keys_drop(rdx_joining *j) {
  rdx_vector_destroy(&j->left_key);
  rdx_vector_destroy(&j->right_key);
}

/* ---- Pairs ---- */

void rdx_pairs_drop(rdx_pairs *p) {
  rdx_shared_release(&p->left_keeper);
  rdx_shared_release(&p->right_keeper);
  *p = (rdx_pairs){0};
}

rdx_status rdx_pairs_take(uint32_t *left, uint32_t *right, uint64_t count, rdx_pairs *out, rdx_error *err) {
  *out = (rdx_pairs){.count = count, .left = left, .right = right};
  rdx_status status = rdx_shared_create(rdx_free, left, &out->left_keeper, err);
  if (status == RDX_OK && right)
    status = rdx_shared_create(rdx_free, right, &out->right_keeper, err);
  else if (right)
    rdx_free(right);
  if (status != RDX_OK)
    rdx_pairs_drop(out);
  return status;
}

rdx_status rdx_pairs_frame(const rdx_joining *j, const rdx_pairs *p, rdx_frame *out, rdx_error *err) {
  const rdx_frame *l = &j->left.frame, *r = &j->right.frame;
  rdx_frame left = {0}, right = {0};
  *out = (rdx_frame){0};
  rdx_status status = rdx_frame_copy(l, &left, err);
  if (status == RDX_OK)
    status = rdx_frame_choose(j->x->pool, &left, p->left, p->left_keeper, p->count, err);
  if (status == RDX_OK && p->right)
    status = rdx_frame_copy(r, &right, err);
  if (status == RDX_OK && p->right)
    status = rdx_frame_choose(j->x->pool, &right, p->right, p->right_keeper, p->count, err);
  if (status == RDX_OK)
    status = rdx_frame_create(left.count + right.count, p->count, out, err);
  for (uint32_t i = 0; status == RDX_OK && i < out->count; i++)
    rdx_frame_share(i < left.count ? &left.columns[i] : &right.columns[i - left.count], &out->columns[i]);
  rdx_frame_destroy(&left);
  rdx_frame_destroy(&right);
  return status;
}

static void drop_join(void *owner) {
  rdx_join *join = owner;
  rdx_join_destroy(&join);
}

static void note(rdx_joining *j, const rdx_join *join) {
  rdx_node_actuals *a = rdx_actuals_of(j->x, j->node);
  rdx_join_stats stats;
  rdx_join_get_stats(join, &stats);
  rdx_actuals_method(a, rdx_index_kind_name(stats.index.kind));
  a->device_ms += stats.lookup.lookup_ms + stats.index.sort_ms + stats.index.encode_ms + stats.index.scene_ms;
  a->rays += stats.lookup.rays;
  a->hits += stats.lookup.hits;
  a->bytes += stats.lookup.bytes_uploaded + stats.lookup.bytes_result;
}

rdx_status rdx_pairs_equal(rdx_joining *j, rdx_join_kind kind, rdx_pairs *out, rdx_error *err) {
  const rdx_join_params params = {.kind = kind, .index = j->x->settings->join};
  rdx_join *join = NULL;
  rdx_join_view view;
  RDX_TRY(rdx_join_equal(j->x->device, &j->left_key.column, &j->right_key.column, &params, &join, err));
  note(j, join);
  rdx_join_get(join, &view);
  *out = (rdx_pairs){.count = view.count, .left = view.left_rows};
  RDX_TRY(rdx_shared_create(drop_join, join, &out->left_keeper, err));
  if (kind <= RDX_JOIN_LEFT) {
    static const uint32_t none = 0; /* so that there are right rows where there is no pair */
    out->right = view.right_rows ? view.right_rows : &none;
    out->right_keeper = rdx_shared_retain(out->left_keeper);
  }
  return RDX_OK;
}

/* ---- Conditions ---- */

/* The places of pairs for which the condition is true, for rdx_free(). */
static rdx_status find_true(rdx_joining *j, const rdx_pairs *p, uint32_t **places, uint64_t *count, rdx_error *err) {
  rdx_operand pairs = {0};
  if (p->count >= UINT32_MAX)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "a join of %llu pairs before its condition is too large",
                    (unsigned long long)p->count);
  RDX_TRY(rdx_pairs_frame(j, p, &pairs.frame, err));
  rdx_status status = rdx_operand_refresh(j->x, &pairs, err);
  const rdx_evaluation e = rdx_operand_evaluation(j->x, &pairs);
  if (status == RDX_OK)
    status = rdx_evaluate_filter(&e, j->node->filter, places, count, err);
  rdx_operand_drop(&pairs);
  return status;
}

static void pick(const uint32_t *from, const uint32_t *places, uint64_t count, uint32_t *to) {
  for (uint64_t i = 0; i < count; i++)
    to[i] = from[places[i]];
}

rdx_status rdx_pairs_filter(rdx_joining *j, rdx_pairs *p, rdx_error *err) {
  uint32_t *places = NULL, *right = NULL;
  uint64_t count = 0;
  RDX_TRY(find_true(j, p, &places, &count, err));
  if (count == p->count) {
    rdx_free(places);
    return RDX_OK;
  }
  const rdx_status status = rdx_alloc(count, sizeof *right, WHAT, (void **)&right, err);
  if (status != RDX_OK) {
    rdx_free(places);
    return status;
  }
  pick(p->right, places, count, right);
  pick(p->left, places, count, places);
  rdx_pairs_drop(p);
  return rdx_pairs_take(places, right, count, p, err);
}

/* ---- All pairs ---- */

typedef struct crossing {
  uint32_t *left, *right;
  uint64_t count, capacity;
} crossing;

static rdx_status reserve(crossing *c, uint64_t more, const rdx_device *device, rdx_error *err) {
  if (c->count + more <= c->capacity)
    return RDX_OK;
  uint64_t capacity = c->capacity + c->capacity / 2;
  capacity = capacity > c->count + more ? capacity : c->count + more;
  RDX_TRY(rdx_device_expect_host(device, (capacity - c->capacity) * 8, "the pairs of a join without equal keys take",
                                 "join by equal columns, or filter its inputs", err));
  RDX_TRY(rdx_realloc((void **)&c->left, capacity, sizeof *c->left, WHAT, err));
  RDX_TRY(rdx_realloc((void **)&c->right, capacity, sizeof *c->right, WHAT, err));
  c->capacity = capacity;
  return RDX_OK;
}

/* All pairs of left rows first .. end - 1, behind those that there are. */
static rdx_status add_pairs(rdx_joining *j, crossing *c, uint64_t first, uint64_t end, rdx_error *err) {
  const uint64_t rights = j->right.frame.rows;
  RDX_TRY(reserve(c, (end - first) * rights, j->x->device, err));
  for (uint64_t i = first; i < end; i++)
    for (uint64_t k = 0; k < rights; k++, c->count++) {
      c->left[c->count] = (uint32_t)i;
      c->right[c->count] = (uint32_t)k;
    }
  return RDX_OK;
}

/* Of the pairs from `before` on, those for which the condition is true stay. */
static rdx_status filter_last(rdx_joining *j, crossing *c, uint64_t before, rdx_error *err) {
  const rdx_pairs last = {.count = c->count - before, .left = c->left + before, .right = c->right + before};
  uint32_t *places = NULL;
  uint64_t count = 0;
  RDX_TRY(find_true(j, &last, &places, &count, err));
  pick(last.left, places, count, c->left + before);
  pick(last.right, places, count, c->right + before);
  c->count = before + count;
  rdx_free(places);
  return RDX_OK;
}

static rdx_status cross(rdx_joining *j, crossing *c, rdx_error *err) {
  const uint64_t lefts = j->left.frame.rows, rights = j->right.frame.rows;
  uint64_t step = rights < BATCH && rights > 0 ? BATCH / rights : 1;
  if (!j->node->filter) {
    if ((rdx_i128)lefts * (rdx_i128)rights >= UINT32_MAX)
      return rdx_fail(err, RDX_ERROR_MEMORY,
                      "all pairs of %llu with %llu rows are too many for a result; join by equal columns",
                      (unsigned long long)lefts, (unsigned long long)rights);
    step = lefts;
  }
  for (uint64_t i = 0; i < lefts && rights > 0; i += step) {
    const uint64_t before = c->count, end = lefts - i < step ? lefts : i + step;
    RDX_TRY(rdx_progress("join", i, lefts, err));
    RDX_TRY(add_pairs(j, c, i, end, err));
    if (j->node->filter)
      RDX_TRY(filter_last(j, c, before, err));
  }
  return RDX_OK;
}

rdx_status rdx_pairs_cross(rdx_joining *j, rdx_pairs *out, rdx_error *err) {
  crossing c = {0};
  rdx_status status = rdx_alloc(0, 1, WHAT, (void **)&c.left, err);
  if (status == RDX_OK)
    status = rdx_alloc(0, 1, WHAT, (void **)&c.right, err);
  if (status == RDX_OK)
    status = cross(j, &c, err);
  if (status == RDX_OK)
    return rdx_pairs_take(c.left, c.right, c.count, out, err);
  rdx_free(c.left);
  rdx_free(c.right);
  return status;
}
