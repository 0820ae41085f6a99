/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* NOT IN keeps a left row that differs from each right row in a key that is NULL in neither. Rows are split by where
 * they have NULLs: of each two sets the keys that both have are looked up, and a left row that finds a right one is not
 * kept. Where no key is left, none of the set is. Of many keys there are many sets: all pairs of small ones are
 * compared instead. */

#include "column/column.h"
#include "device/device.h"
#include "execute/pairs.h"

#define WHAT "the rows of NOT IN"
#define FEW_KEYS 4u           /* with NULLs: then the sets are few */
#define FEW_PAIRS (1u << 18) /* which take no longer than a lookup */

typedef struct row_set {
  const uint32_t *rows; /* NULL: all of the input, in order */
  uint64_t count;
  uint32_t *own; /* the same, where it is the set's */
  rdx_device *device;
  uint64_t reserved; /* bytes of it */
} row_set;

static void drop_set(row_set *s) {
  if (s->reserved > 0)
    rdx_device_release_host(s->device, s->reserved);
  rdx_free(s->own);
}

typedef struct not_in {
  rdx_joining *j;
  rdx_vectors values; /* of the left and the right key, and so on; those without NULLs have no validity */
  rdx_plan_node node; /* looks up the keys that are chosen */
  uint32_t *marks;    /* of left rows that are not kept */
  uint64_t marked;
  uint32_t *codes; /* of all keys of each left row, then of each right one; NULL: pairs are not compared */
  uint64_t reserved;
} not_in;

static uint64_t row_of(const row_set *s, uint64_t i) {
  return s->rows ? s->rows[i] : i;
}

/* Left rows that are marked need not be looked at again. */
static bool is_wanted(const not_in *n, uint32_t side, uint64_t row) {
  return side == 1 || !(n->marks[row / 32] >> row % 32 & 1u);
}

/* The rows of a set that have a value of a key, or have none. */
static rdx_status choose(const not_in *n, uint32_t side, uint32_t key, bool has, const row_set *from, row_set *out,
                         rdx_error *err) {
  const rdx_column *c = &n->values.list[2 * key + side].column;
  *out = (row_set){0};
  if (!c->validity)
    return RDX_OK;
  RDX_TRY(rdx_device_reserve_host(n->j->x->device, from->count * sizeof *out->own, WHAT " take", err));
  out->device = n->j->x->device;
  out->reserved = from->count * sizeof *out->own;
  RDX_TRY(rdx_alloc(from->count, sizeof *out->own, WHAT, (void **)&out->own, err));
  out->rows = out->own;
  for (uint64_t i = 0; i < from->count; i++) {
    const uint64_t row = row_of(from, i);
    RDX_TRY(rdx_loop_goes_on(i, from->count, "join", err));
    if (rdx_column_has(c, row) == has && is_wanted(n, side, row))
      out->own[out->count++] = (uint32_t)row;
  }
  return RDX_OK;
}

/* Rows without a value are equal to none: few are let in. */
static rdx_status choose_values(const not_in *n, uint32_t side, uint32_t key, const row_set *from, const row_set *nulls,
                                row_set *out, rdx_error *err) {
  *out = (row_set){.rows = from->rows, .count = from->count};
  return nulls->count <= from->count / 8 ? RDX_OK : choose(n, side, key, true, from, out, err);
}

static rdx_status take_rows(rdx_execution *x, const rdx_frame *from, const row_set *s, rdx_operand *out,
                            rdx_error *err) {
  RDX_TRY(rdx_frame_copy(from, &out->frame, err));
  if (s->rows)
    RDX_TRY(rdx_frame_choose(x->pool, &out->frame, s->rows, NULL, s->count, err));
  return rdx_operand_refresh(x, out, err);
}

static void mark(not_in *n, uint64_t row) {
  n->marked += is_wanted(n, 0, row);
  n->marks[row / 32] |= 1u << row % 32;
}

/* Mark the left rows that have the chosen keys of a right one. */
static rdx_status mark_equal(not_in *n, const row_set *left, const row_set *right, rdx_error *err) {
  rdx_execution *x = n->j->x;
  RDX_SCOPED(rdx_joining_drop) rdx_joining part = {.x = x, .node = &n->node, .device = n->j->device};
  RDX_SCOPED(rdx_pairs_drop) rdx_pairs found = {.count = left->count};
  if (n->node.key_count > 0) {
    RDX_TRY(take_rows(x, &n->j->left.frame, left, &part.left, err));
    RDX_TRY(take_rows(x, &n->j->right.frame, right, &part.right, err));
    RDX_TRY(rdx_join_keys(&part, err));
    RDX_TRY(rdx_pairs_left(&part, RDX_JOIN_SEMI, &found, err));
  }
  for (uint64_t i = 0; i < found.count; i++) {
    RDX_TRY(rdx_loop_goes_on(i, found.count, "join", err));
    mark(n, row_of(left, found.left ? found.left[i] : i));
  }
  return RDX_OK;
}

/* Mark the left rows that differ from one of the right rows in no key. */
static rdx_status mark_pairs(not_in *n, const row_set *left, const row_set *right, rdx_error *err) {
  const uint32_t keys = n->j->node->key_count;
  const uint32_t *const rights = n->codes + n->j->left.frame.rows * keys;
  for (uint64_t i = 0; i < left->count; i++) {
    const uint64_t row = row_of(left, i);
    const uint32_t *a = n->codes + row * keys;
    RDX_TRY(rdx_loop_goes_on(i, left->count, "join", err));
    for (uint64_t k = 0; k < right->count && is_wanted(n, 0, row); k++) {
      const uint32_t *b = rights + row_of(right, k) * keys;
      uint32_t key = 0;
      while (key < keys && (a[key] == b[key] || !a[key] || !b[key]))
        key++;
      if (key == keys)
        mark(n, row);
    }
  }
  return RDX_OK;
}

/* Mark the left rows that differ from one of the right rows in no chosen key, nor in one from `key` on. Sets with fewer
 * keys mark more rows: they come first. */
static rdx_status mark_from(not_in *n, uint32_t key, const row_set *left, const row_set *right, rdx_error *err) {
  rdx_plan_node *node = &n->node;
  if (left->count == 0 || right->count == 0 || n->marked == n->j->left.frame.rows)
    return RDX_OK;
  if (n->codes && left->count <= FEW_PAIRS && left->count * right->count <= FEW_PAIRS)
    return mark_pairs(n, left, right, err);
  if (key == n->j->node->key_count)
    return mark_equal(n, left, right, err);
  RDX_SCOPED(drop_set) row_set lefts = {0}, rights = {0}, left_nulls = {0}, right_nulls = {0};
  RDX_TRY(choose(n, 0, key, false, left, &left_nulls, err));
  RDX_TRY(mark_from(n, key + 1, &left_nulls, right, err));
  RDX_TRY(choose_values(n, 0, key, left, &left_nulls, &lefts, err));
  RDX_TRY(choose(n, 1, key, false, right, &right_nulls, err));
  RDX_TRY(mark_from(n, key + 1, &lefts, &right_nulls, err));
  RDX_TRY(choose_values(n, 1, key, right, &right_nulls, &rights, err));
  node->left_keys[node->key_count] = n->j->node->left_keys[key];
  node->right_keys[node->key_count++] = n->j->node->right_keys[key];
  RDX_TRY(mark_from(n, key + 1, &lefts, &rights, err));
  node->key_count--;
  return RDX_OK;
}

/* Of values that are no NULLs nothing else is asked. */
static rdx_status find_nulls(not_in *n, uint32_t key, bool *has, rdx_error *err) {
  rdx_vector *sides = &n->values.list[2 * key];
  RDX_TRY(rdx_join_key(n->j, key, &sides[0], &sides[1], err));
  *has = sides[0].column.validity || sides[1].column.validity;
  for (uint32_t i = 0; i < 2; i++)
    if (!sides[i].column.validity)
      rdx_vector_destroy(&sides[i]);
  return RDX_OK;
}

static rdx_status find_codes(not_in *n, rdx_error *err) {
  rdx_device *device = n->j->x->device;
  const uint32_t keys = n->j->node->key_count;
  const uint64_t rows = n->j->left.frame.rows + n->j->right.frame.rows;
  RDX_SCOPED(rdx_free_local) uint32_t *key = NULL;
  RDX_TRY(rdx_device_reserve_host(device, rows * keys * sizeof *n->codes, WHAT " take", err));
  n->reserved = rows * keys * sizeof *n->codes;
  RDX_TRY(rdx_alloc(rows * keys, sizeof *n->codes, WHAT, (void **)&n->codes, err));
  RDX_TRY(rdx_alloc(rows, sizeof *key, WHAT, (void **)&key, err));
  for (uint32_t i = 0; i < keys; i++) {
    RDX_TRY(rdx_join_key_codes(n->j, i, key, err));
    for (uint64_t row = 0; row < rows; row++)
      n->codes[row * keys + i] = key[row];
  }
  return RDX_OK;
}

static void end(not_in *n) {
  if (n->reserved > 0)
    rdx_device_release_host(n->j->x->device, n->reserved);
  rdx_free(n->codes);
  rdx_vectors_destroy(&n->values);
  rdx_free(n->marks);
}

rdx_status rdx_pairs_not_in(rdx_joining *j, rdx_pairs *out, rdx_error *err) {
  const uint32_t count = j->node->key_count;
  const row_set left = {.count = j->left.frame.rows}, right = {.count = j->right.frame.rows};
  RDX_SCOPED(end) not_in n = {.j = j, .node = *j->node};
  uint32_t with_nulls = 0;
  n.node.key_count = 0;
  RDX_TRY(rdx_arena_alloc(j->x->arena, count, sizeof(rdx_bound *), WHAT, (void **)&n.node.left_keys, err));
  RDX_TRY(rdx_arena_alloc(j->x->arena, count, sizeof(rdx_bound *), WHAT, (void **)&n.node.right_keys, err));
  RDX_TRY(rdx_calloc(left.count / 32 + 1, sizeof *n.marks, WHAT, (void **)&n.marks, err));
  RDX_TRY(rdx_vectors_create(2 * count, &n.values, err));
  for (uint32_t i = 0; i < count && right.count > 0; i++) {
    bool has = false;
    RDX_TRY(find_nulls(&n, i, &has, err));
    with_nulls += has;
  }
  if (with_nulls > FEW_KEYS)
    RDX_TRY(find_codes(&n, err));
  RDX_TRY(mark_from(&n, 0, &left, &right, err));
  return rdx_pairs_of_marks(j, n.marks, false, out, err);
}
