/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Calculating with any number of bits, row by row. */

#include "star/wide_values.h"

#include <string.h>

#include "kernels/packed/packed.h"

#define KEPT 4 /* values that nobody uses */

/* ---- Calculating ---- */

/* An attribute that steps take, on the host. */
typedef struct operand {
  const rdx_encoded_column *attribute;
  uint32_t *codes;
  const rdx_foreign_rows *foreign_row; /* NULL: a row of the table that is worked on has a code itself */
  uint32_t *foreign_rows;
} operand;

typedef struct work {
  const rdx_wide_values *values;
  uint64_t rows;
  uint32_t dimension;
  uint32_t operand_of[RDX_MAX_STEPS]; /* for each step */
  uint32_t operand_count;
  operand operands[RDX_MAX_STEPS];
  uint8_t *validity;
} work;

/* The code of a row; that of NULL where it has no foreign row, so that it never counts. */
static uint64_t code_at(const operand *o, uint64_t row) {
  if (o->foreign_row)
    row = load_code(o->foreign_rows, o->foreign_row->bytes, (uint32_t)row);
  return o->foreign_row && row >= o->foreign_row->rows ? UINT64_MAX
                                                       : load_code(o->codes, o->attribute->bytes, (uint32_t)row);
}

static bool has_value(const work *w, uint64_t row) {
  for (uint32_t i = 0; i < w->operand_count; i++)
    if (code_at(&w->operands[i], row) >= w->operands[i].attribute->count)
      return false;
  return true;
}

static void set(uint64_t *to, uint32_t words, rdx_i128 x) {
  memset(to, 0, words * sizeof *to);
  rdx_wide_add(to, words, x, 0);
}

static void combine(rdx_expression_kind kind, uint64_t *left, const uint64_t *right, uint32_t words) {
  uint64_t product[RDX_WIDE_WORDS];
  if (kind != RDX_EXPRESSION_MULTIPLY) {
    rdx_wide_combine(left, right, words, kind == RDX_EXPRESSION_SUBTRACT);
    return;
  }
  rdx_wide_multiply(left, right, words, product);
  memcpy(left, product, words * sizeof *left);
}

/* The value of a row: what passes its words on the way comes back, as no value does. That of NULL is 0. */
static void calculate(const work *w, uint64_t row, uint64_t *out) {
  const uint32_t words = w->values->words;
  uint64_t stack[RDX_MAX_STACK][RDX_WIDE_WORDS];
  uint32_t height = 0;
  set(out, words, 0);
  if (w->validity && !(w->validity[row / 8] >> row % 8 & 1))
    return;
  for (uint32_t i = 0; i < w->values->step_count; i++) {
    const rdx_step *s = &w->values->steps[i];
    if (s->kind == RDX_EXPRESSION_ATTRIBUTE) {
      const uint64_t key = rdx_encoded_column_key(s->attribute, code_at(&w->operands[w->operand_of[i]], row));
      set(stack[height++], words, rdx_encoded_column_value_of_key(s->attribute, key) * s->factor);
    } else if (s->kind == RDX_EXPRESSION_CONSTANT) {
      set(stack[height++], words, (rdx_i128)s->value * s->factor);
    } else {
      height--;
      combine(s->kind, stack[height - 1], stack[height], words);
    }
  }
  memcpy(out, stack[0], words * sizeof *out);
}

static void mark(const void *context, uint64_t first, uint64_t count, uint64_t used[RDX_WIDE_WORDS]) {
  const work *w = context;
  const uint32_t words = w->values->words;
  uint64_t value[RDX_WIDE_WORDS];
  for (uint64_t i = first; i < first + count; i++) {
    calculate(w, i, value);
    if (rdx_wide_is_negative(value, words))
      rdx_wide_negate(value, words);
    for (uint32_t k = 0; k < words; k++)
      used[k] |= value[k];
  }
}

static void cut(const void *context, uint64_t first, uint64_t count, uint32_t shift, uint32_t bits, int64_t *out) {
  const work *w = context;
  const uint32_t words = w->values->words;
  uint64_t value[RDX_WIDE_WORDS];
  for (uint64_t i = 0; i < count; i++) {
    calculate(w, first + i, value);
    const bool negative = rdx_wide_is_negative(value, words);
    if (negative)
      rdx_wide_negate(value, words);
    const int64_t limb = (int64_t)rdx_wide_bits(value, words, shift, bits);
    out[i] = negative ? -limb : limb;
  }
}

/* ---- Operands ---- */

static rdx_status download(const rdx_buffer *codes, uint32_t **out, rdx_error *err) {
  RDX_TRY(rdx_alloc(codes->size, 1, "the values of an expression", (void **)out, err));
  return rdx_buffer_download(codes, 0, *out, codes->size, err);
}

/* The table of all attributes, if it is one, else the fact table. */
static void choose_table(work *w, const rdx_packed_relation *relation) {
  const rdx_wide_values *v = w->values;
  uint32_t dimension = UINT32_MAX;
  for (uint32_t i = 0; i < v->step_count; i++)
    if (v->steps[i].attribute)
      dimension = dimension == UINT32_MAX || dimension == v->steps[i].attribute->dimension
                      ? v->steps[i].attribute->dimension
                      : 0;
  w->dimension = dimension == UINT32_MAX ? 0 : dimension;
  w->rows = w->dimension ? relation->foreign_rows[w->dimension - 1].rows : relation->rows;
}

static rdx_status add_operand(work *w, const rdx_packed_relation *relation, const rdx_encoded_column *attribute,
                              uint32_t *out, rdx_error *err) {
  *out = 0;
  while (*out < w->operand_count && w->operands[*out].attribute != attribute)
    ++*out;
  if (*out < w->operand_count)
    return RDX_OK;
  operand *o = &w->operands[w->operand_count++];
  *o = (operand){.attribute = attribute};
  RDX_TRY(download(attribute->codes, &o->codes, err));
  if (attribute->dimension == w->dimension)
    return RDX_OK;
  o->foreign_row = &relation->foreign_rows[attribute->dimension - 1];
  return download(o->foreign_row->codes, &o->foreign_rows, err);
}

static rdx_status begin(work *w, const rdx_packed_relation *relation, rdx_error *err) {
  const rdx_wide_values *v = w->values;
  bool nulls = false;
  choose_table(w, relation);
  for (uint32_t i = 0; i < v->step_count; i++) {
    if (!v->steps[i].attribute)
      continue;
    RDX_TRY(add_operand(w, relation, v->steps[i].attribute, &w->operand_of[i], err));
    const rdx_foreign_rows *p = w->operands[w->operand_of[i]].foreign_row;
    nulls |= v->steps[i].attribute->nulls || (p && p->missing);
  }
  if (!nulls)
    return RDX_OK;
  RDX_TRY(rdx_calloc(w->rows / 8 + 1, 1, "the values of an expression", (void **)&w->validity, err));
  for (uint64_t i = 0; i < w->rows; i++)
    w->validity[i / 8] |= (uint8_t)(has_value(w, i) << i % 8);
  return RDX_OK;
}

static void end(work *w) {
  for (uint32_t i = 0; i < w->operand_count; i++)
    RDX_FREE_ALL(w->operands[i].codes, w->operands[i].foreign_rows);
  rdx_free(w->validity);
}

static rdx_numbers numbers_of(const work *w) {
  return (rdx_numbers){
      .rows = w->rows, .dimension = w->dimension, .validity = w->validity, .context = w, .mark = mark, .cut = cut};
}

/* ---- Attributes ---- */

static rdx_status make_sums(const rdx_packed_relation *relation, rdx_wide_values *values, rdx_error *err) {
  RDX_SCOPED(end) work w = {.values = values};
  RDX_TRY(begin(&w, relation, err));
  const rdx_numbers numbers = numbers_of(&w);
  return rdx_limbs_create(relation, &numbers, &values->limbs, err);
}

/* Of each row the nearest value, and whether it is another one than its own. Returns whether any is. */
static bool list_nearest(const work *w, int64_t *nearest, int64_t *beyond) {
  bool any = false;
  for (uint64_t i = 0; i < w->rows; i++) {
    uint64_t value[RDX_WIDE_WORDS];
    calculate(w, i, value);
    const bool fits = rdx_wide_fits(value, w->values->words);
    const bool negative = rdx_wide_is_negative(value, w->values->words);
    nearest[i] = fits ? (int64_t)value[0] : negative ? INT64_MIN : INT64_MAX;
    beyond[i] = fits ? 0 : negative ? RDX_SPECIAL_DOWN : 1;
    any |= !fits;
  }
  return any;
}

static rdx_status make_extremes(const rdx_packed_relation *relation, const work *w, rdx_wide_values *values,
                                int64_t *scratch, rdx_error *err) {
  const rdx_numbers numbers = numbers_of(w);
  const bool any = list_nearest(w, scratch, scratch + w->rows);
  if (any)
    RDX_TRY(rdx_limbs_attribute(relation, &numbers, scratch + w->rows, &values->beyond, err));
  values->some_beyond = any;
  const rdx_status status = rdx_limbs_attribute(relation, &numbers, scratch, &values->nearest, err);
  if (status != RDX_OK)
    rdx_encoded_column_drop(&values->beyond);
  return status;
}

rdx_status rdx_wide_values_sums(const rdx_packed_relation *relation, rdx_wide_values *values, rdx_error *err) {
  RDX_LOCKED(&relation->lazy->lock);
  return values->limbs.count > 0 ? RDX_OK : make_sums(relation, values, err);
}

static rdx_status find_extremes(const rdx_packed_relation *relation, rdx_wide_values *values, rdx_error *err) {
  RDX_SCOPED(end) work w = {.values = values};
  RDX_SCOPED(rdx_free_local) int64_t *scratch = NULL;
  RDX_TRY(begin(&w, relation, err));
  RDX_TRY(rdx_alloc(2 * w.rows, sizeof *scratch, "the values of an expression", (void **)&scratch, err));
  return make_extremes(relation, &w, values, scratch, err);
}

rdx_status rdx_wide_values_extremes(const rdx_packed_relation *relation, rdx_wide_values *values, rdx_error *err) {
  RDX_LOCKED(&relation->lazy->lock);
  return values->nearest.codes ? RDX_OK : find_extremes(relation, values, err);
}

/* ---- Life ---- */

static void destroy(rdx_wide_values *values) {
  rdx_limbs_free(&values->limbs);
  rdx_encoded_column_drop(&values->nearest);
  rdx_encoded_column_drop(&values->beyond);
  RDX_FREE_ALL(values->steps, values);
}

static rdx_status create(const rdx_step *steps, uint32_t step_count, uint32_t bits, rdx_wide_values **out,
                         rdx_error *err) {
  rdx_wide_values *values = NULL;
  RDX_TRY(rdx_calloc(1, sizeof *values, "the values of an expression", (void **)&values, err));
  const rdx_status status =
      rdx_alloc(step_count, sizeof *steps, "the values of an expression", (void **)&values->steps, err);
  if (status != RDX_OK) {
    rdx_free(values);
    return status;
  }
  memcpy(values->steps, steps, step_count * sizeof *steps);
  values->step_count = step_count;
  values->words = bits / 64 + 1;
  *out = values;
  return RDX_OK;
}

/* Take values out of the list, which is in the order of when they were used last. */
static rdx_wide_values *take_out(rdx_lazy *lazy, const rdx_step *steps, uint32_t step_count) {
  rdx_wide_values **at = &lazy->wide_values;
  while (*at && !rdx_steps_equal((*at)->steps, (*at)->step_count, steps, step_count))
    at = &(*at)->next;
  rdx_wide_values *found = *at;
  if (found)
    *at = found->next;
  return found;
}

rdx_status rdx_wide_values_take(const rdx_packed_relation *relation, const rdx_step *steps, uint32_t step_count,
                                uint32_t bits, rdx_wide_values **out, rdx_error *err) {
  rdx_lazy *lazy = relation->lazy;
  RDX_LOCKED(&lazy->lock);
  *out = take_out(lazy, steps, step_count);
  if (!*out)
    RDX_TRY(create(steps, step_count, bits, out, err));
  (*out)->users++;
  (*out)->next = lazy->wide_values;
  lazy->wide_values = *out;
  return RDX_OK;
}

/* Of those that nobody uses some of the last are kept. */
void rdx_wide_values_give(const rdx_packed_relation *relation, rdx_wide_values *values) {
  rdx_lazy *lazy = relation->lazy;
  uint32_t kept = 0;
  RDX_LOCKED(&lazy->lock);
  values->users--;
  for (rdx_wide_values **at = &lazy->wide_values; *at;) {
    rdx_wide_values *v = *at;
    if (v->users > 0 || kept++ < KEPT) {
      at = &v->next;
    } else {
      *at = v->next;
      destroy(v);
    }
  }
}

void rdx_wide_values_drop_all(rdx_packed_relation *relation) {
  while (relation->lazy->wide_values) {
    rdx_wide_values *v = relation->lazy->wide_values;
    relation->lazy->wide_values = v->next;
    destroy(v);
  }
}
