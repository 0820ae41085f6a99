/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Keys of joins: one column for each input, whatever they are made of. */

#include "column/column.h"
#include "execute/keys.h"
#include "execute/pairs.h"

#define WHAT "the keys of a join"

/* Both expressions as a type. */
static rdx_status make_as(rdx_joining *j, rdx_bound *a, rdx_bound *b, rdx_sql_type type, rdx_vector *left,
                          rdx_vector *right, rdx_error *err) {
  rdx_binding binding = {.arena = j->x->arena, .text = j->x->text, .err = err};
  rdx_bound *same_a = NULL, *same_b = NULL;
  RDX_TRY(rdx_bind_cast(&binding, a, type, true, a->place, &same_a));
  RDX_TRY(rdx_bind_cast(&binding, b, type, true, b->place, &same_b));
  rdx_vector_destroy(left);
  rdx_vector_destroy(right);
  RDX_TRY(rdx_operand_bring(&j->left, same_a, err));
  RDX_TRY(rdx_operand_bring(&j->right, same_b, err));
  const rdx_evaluation of_left = rdx_operand_evaluation(j->x, &j->left);
  const rdx_evaluation of_right = rdx_operand_evaluation(j->x, &j->right);
  RDX_TRY(rdx_evaluate(&of_left, same_a, left, err));
  return rdx_evaluate(&of_right, same_b, right, err);
}

/* The common type of both, cast to which they are. */
static rdx_status make_alike(rdx_joining *j, rdx_bound *a, rdx_bound *b, rdx_vector *left, rdx_vector *right,
                             rdx_error *err) {
  RDX_TRY(rdx_operand_flat(j->x, &j->left, a, left, err));
  RDX_TRY(rdx_operand_flat(j->x, &j->right, b, right, err));
  if (rdx_columns_alike(&left->column, &right->column))
    return RDX_OK;
  const rdx_sql_type types[2] = {a->type, b->type};
  rdx_sql_type type;
  if (!rdx_sql_common_type(types, 2, &type))
    return rdx_fail(err, RDX_ERROR_INTERNAL, "the keys of a join have types that cannot be compared");
  return make_as(j, a, b, type, left, right, err);
}

/* Decimals of more digits than a column has are compared as texts, which are the same where the decimals are: both have
 * the digits of their common type. */
rdx_status rdx_join_key(rdx_joining *j, uint32_t i, rdx_vector *left, rdx_vector *right, rdx_error *err) {
  rdx_bound *const a = j->node->left_keys[i], *const b = j->node->right_keys[i];
  rdx_bound *wide_a = NULL, *wide_b = NULL;
  const rdx_sql_type types[2] = {a->type, b->type}, text = {.kind = RDX_SQL_TEXT};
  rdx_binding binding = {.arena = j->x->arena, .text = j->x->text, .err = err};
  rdx_sql_type type;
  rdx_status status = make_alike(j, a, b, left, right, err);
  if (status == RDX_OK)
    status = rdx_make_unsigned(&left->column, &right->column, err);
  if (status == RDX_OK && !rdx_columns_alike(&left->column, &right->column))
    status = RDX_ERROR_OVERFLOW;
  if (status == RDX_ERROR_OVERFLOW && rdx_sql_common_type(types, 2, &type) && type.kind == RDX_SQL_DECIMAL) {
    RDX_TRY(rdx_bind_cast(&binding, a, type, true, a->place, &wide_a));
    RDX_TRY(rdx_bind_cast(&binding, b, type, true, b->place, &wide_b));
    status = make_as(j, wide_a, wide_b, text, left, right, err);
  }
  RDX_TRY(status);
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
  rdx_operand operand = {.frame = {.rows = key->column.rows}, .inputs = &input};
  rdx_vector coded = {0};
  RDX_TRY(rdx_operand_cast(j->x, &operand, 0, rdx_sql_type_of_column(&key->column), &coded, err));
  rdx_vector_destroy(key);
  *key = coded;
  return RDX_OK;
}

static void drop_sides(rdx_vector (*sides)[2]) {
  for (uint32_t i = 0; i < 2; i++)
    rdx_vector_destroy(&(*sides)[i]);
}

rdx_status rdx_join_key_codes(rdx_joining *j, uint32_t i, uint32_t *codes, rdx_error *err) {
  const uint64_t rows[2] = {j->left.frame.rows, j->right.frame.rows};
  RDX_SCOPED(drop_sides) rdx_vector sides[2] = {0};
  RDX_SCOPED(rdx_key_words_destroy) rdx_key_words words = {0};
  uint64_t distinct = 0, place = 0;
  RDX_TRY(rdx_join_key(j, i, &sides[0], &sides[1], err));
  for (uint32_t s = 0; s < 2; s++)
    RDX_TRY(code_strings(j, &sides[s], err));
  const rdx_key_column column = {.parts = {&sides[0].column, &sides[1].column}};
  RDX_TRY(rdx_key_words_create(j->x, &column, 1, rows, false, &words, err));
  RDX_TRY(rdx_key_words_rank(j->x, &words, codes, &distinct, NULL, err));
  for (uint32_t s = 0; s < 2; s++)
    for (uint64_t row = 0; row < rows[s]; row++, place++)
      codes[place] = rdx_column_has(&sides[s].column, row) ? codes[place] + 1 : 0;
  return RDX_OK;
}

/* Words of rows as one column for each input: the word itself, or the rank of several. */
static rdx_status take_words(rdx_joining *j, rdx_key_words *w, rdx_error *err) {
  const uint64_t rows = w->rows[0] + w->rows[1];
  rdx_vector *const sides[2] = {&j->left_key, &j->right_key};
  const bool is_wide = w->count == 1 && !w->narrow;
  uint64_t distinct = 0;
  RDX_SCOPED(rdx_free_local) uint32_t *codes = NULL;
  if (w->count > 1) {
    RDX_TRY(rdx_alloc(rows, sizeof *codes, WHAT, (void **)&codes, err));
    RDX_TRY(rdx_key_words_rank(j->x, w, codes, &distinct, NULL, err));
  }
  void *values = is_wide        ? (void *)RDX_KEEP(w->words[0])
                 : w->count > 1 ? (void *)RDX_KEEP(codes)
                                : (void *)RDX_KEEP(w->narrow);
  j->left_key.memory[0] = values;
  for (uint32_t i = 0; i < 2; i++) {
    sides[i]->memory[1] = w->valid[i];
    sides[i]->column = (rdx_column){.type = is_wide ? RDX_TYPE_U64 : RDX_TYPE_U32,
                                    .rows = w->rows[i],
                                    .values = (const char *)values + (i ? w->rows[0] * (is_wide ? 8 : 4) : 0),
                                    .validity = w->valid[i]};
    w->valid[i] = NULL;
  }
  return RDX_OK;
}

static rdx_status combine_keys(rdx_joining *j, rdx_vector *sides, rdx_key_column *columns, rdx_error *err) {
  const uint32_t count = j->node->key_count;
  const uint64_t rows[2] = {j->left.frame.rows, j->right.frame.rows};
  RDX_SCOPED(rdx_key_words_destroy) rdx_key_words words = {0};
  for (uint32_t i = 0; i < count; i++) {
    rdx_vector *left = &sides[2 * i], *right = &sides[2 * i + 1];
    if (!left->column.type) /* not made yet */
      RDX_TRY(rdx_join_key(j, i, left, right, err));
    RDX_TRY(code_strings(j, left, err));
    RDX_TRY(code_strings(j, right, err));
    columns[i] = (rdx_key_column){.parts = {&left->column, &right->column}};
  }
  RDX_TRY(rdx_key_words_join(j->x, columns, count, rows, &words, err));
  return take_words(j, &words, err);
}

/* Numbers are looked up as they are; strings, and several keys, as words. */
rdx_status rdx_join_keys(rdx_joining *j, rdx_error *err) {
  const uint32_t count = j->node->key_count;
  RDX_SCOPED(rdx_vectors_destroy) rdx_vectors sides = {0};
  rdx_key_column *columns = NULL;
  if (count == 1) {
    RDX_TRY(rdx_join_key(j, 0, &j->left_key, &j->right_key, err));
    if (j->left_key.column.type != RDX_TYPE_STRING)
      return RDX_OK;
  }
  RDX_TRY(rdx_arena_alloc(j->x->arena, count, sizeof *columns, WHAT, (void **)&columns, err));
  RDX_TRY(rdx_vectors_create(2 * count, &sides, err));
  if (count == 1) {
    sides.list[0] = RDX_KEEP(j->left_key);
    sides.list[1] = RDX_KEEP(j->right_key);
  }
  return combine_keys(j, sides.list, columns, err);
}

void rdx_joining_drop(rdx_joining *j) {
  rdx_vector_destroy(&j->left_key);
  rdx_vector_destroy(&j->right_key);
  rdx_operand_drop(&j->left);
  rdx_operand_drop(&j->right);
}
