/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Where values come from: constants, columns, tables by code. */

#include <string.h>

#include <raydex/index.h>

#include "column/column.h"
#include "expression/block.h"

rdx_datum rdx_get_value(const rdx_values *values, rdx_class class, uint32_t row) {
  rdx_datum out = {.null = values->nulls && values->nulls[row]};
  switch (class) {
  case RDX_CLASS_I64:
    out.i = ((const int64_t *)values->data)[row];
    break;
  case RDX_CLASS_WIDE:
    out.wide = ((const rdx_i128 *)values->data)[row];
    break;
  case RDX_CLASS_F64:
    out.f = ((const double *)values->data)[row];
    break;
  case RDX_CLASS_TEXT:
    out.text = ((const rdx_sql_text *)values->data)[row];
    break;
  case RDX_CLASS_INTERVAL:
    out.interval = ((const rdx_sql_interval *)values->data)[row];
    break;
  }
  return out;
}

void rdx_put_value(rdx_values *values, rdx_class class, uint32_t row, const rdx_datum *value) {
  switch (class) {
  case RDX_CLASS_I64:
    ((int64_t *)values->data)[row] = value->i;
    break;
  case RDX_CLASS_WIDE:
    ((rdx_i128 *)values->data)[row] = value->wide;
    break;
  case RDX_CLASS_F64:
    ((double *)values->data)[row] = value->f;
    break;
  case RDX_CLASS_TEXT:
    ((rdx_sql_text *)values->data)[row] = value->text;
    break;
  case RDX_CLASS_INTERVAL:
    ((rdx_sql_interval *)values->data)[row] = value->interval;
    break;
  }
}

/* ---- Constants ---- */

rdx_status rdx_evaluate_constant(rdx_worker *w, const rdx_node *n, RDX_UNUSED const uint8_t *active, rdx_values *out) {
  if (n->table.data) {
    *out = n->table;
    return RDX_OK;
  }
  RDX_TRY(rdx_take_values(w, n->class, out));
  for (uint32_t i = 0; i < w->rows; i++)
    rdx_put_value(out, n->class, i, &n->value);
  if (n->value.null) {
    RDX_TRY(rdx_take_flags(w, &out->nulls));
    memset(out->nulls, 1, w->rows);
  }
  return RDX_OK;
}

/* NULLs, unless a row counts. */
rdx_status rdx_evaluate_failure(rdx_worker *w, const rdx_node *n, const uint8_t *active, rdx_values *out) {
  const rdx_failure *failure = w->program->e->parameters[n->bound->index].failure;
  for (uint32_t i = 0; i < w->rows; i++)
    if (rdx_counts(active, NULL, i))
      return rdx_failure_tell(failure, &w->err);
  return rdx_evaluate_constant(w, n, active, out);
}

/* ---- Columns ---- */

/* The rows that are NULL; out->nulls stays NULL where none is. */
static rdx_status load_nulls(rdx_worker *w, const rdx_input *input, rdx_values *out) {
  const rdx_column *c = &input->column;
  const uint32_t *rows = input->rows ? input->rows + w->begin : NULL;
  if (!rows && !c->validity)
    return RDX_OK;
  uint8_t *nulls = NULL, any = 0;
  RDX_TRY(rdx_take_flags(w, &nulls));
  for (uint32_t i = 0; i < w->rows; i++) {
    const uint64_t row = rows ? rows[i] : w->begin + i;
    nulls[i] = row == RDX_NO_ROW || !rdx_column_has(c, row);
    any |= nulls[i];
  }
  out->nulls = any ? nulls : NULL;
  return RDX_OK;
}

#define LOAD(from_type, to_type)                                                                                       \
  do {                                                                                                                 \
    const from_type *from = c->values;                                                                                 \
    to_type *to = out->data;                                                                                           \
    if (!rows)                                                                                                         \
      for (uint32_t i = 0; i < w->rows; i++)                                                                           \
        to[i] = (to_type)from[w->begin + i];                                                                           \
    else                                                                                                               \
      for (uint32_t i = 0; i < w->rows; i++)                                                                           \
        to[i] = rows[i] == RDX_NO_ROW ? (to_type)0 : (to_type)from[rows[i]];                                           \
  } while (0)

#define AHEAD 16u /* rows whose places in a dictionary are asked for before it is their turn */

/* Ask for where a dictionary says that the text of a row is. */
static void foresee_place(const rdx_column *c, uint64_t row) {
  if (row != RDX_NO_ROW && ((const uint32_t *)c->values)[row] < c->dictionary->rows)
    __builtin_prefetch(&c->dictionary->offsets[((const uint32_t *)c->values)[row]]);
}

/* What follows reads the texts: they are asked for here, as they lie anywhere. */
static void load_texts(const rdx_worker *w, const rdx_column *c, const uint32_t *rows, rdx_values *out) {
  rdx_sql_text *to = out->data;
  for (uint32_t i = 0; i < w->rows; i++) {
    const uint64_t row = rows ? rows[i] : w->begin + i;
    if (c->dictionary && i + AHEAD < w->rows)
      foresee_place(c, rows ? rows[i + AHEAD] : w->begin + i + AHEAD);
    to[i] = (rdx_sql_text){"", 0};
    if (row != RDX_NO_ROW)
      to[i].data = rdx_column_text(c, row, &to[i].length);
    __builtin_prefetch(to[i].data);
  }
}

/* 64 bits without a sign: DECIMALs of 20 digits. */
static rdx_status load_unsigned(rdx_worker *w, const rdx_node *n, const rdx_column *c, const uint32_t *rows,
                                rdx_values *out) {
  if (n->class == RDX_CLASS_WIDE) {
    LOAD(uint64_t, rdx_i128);
    return RDX_OK;
  }
  LOAD(uint64_t, int64_t);
  uint64_t bits = 0;
  for (uint32_t i = 0; i < w->rows; i++)
    bits |= ((const uint64_t *)out->data)[i];
  w->too_wide |= (bits >> 63) != 0;
  return bits >> 63 ? RDX_ERROR_OVERFLOW : RDX_OK;
}

/* Values that stay as they are, where they are. */
static bool is_in_place(const rdx_input *input) {
  const rdx_type type = input->column.type;
  return !input->rows &&
         (type == RDX_TYPE_I64 || type == RDX_TYPE_TIMESTAMP || type == RDX_TYPE_DECIMAL || type == RDX_TYPE_F64);
}

rdx_status rdx_evaluate_column(rdx_worker *w, const rdx_node *n, RDX_UNUSED const uint8_t *active, rdx_values *out) {
  const rdx_column *c = &n->input->column;
  const uint32_t *rows = n->input->rows ? n->input->rows + w->begin : NULL;
  if (is_in_place(n->input)) {
    *out = (rdx_values){.data = (int64_t *)(uintptr_t)c->values + w->begin};
    return load_nulls(w, n->input, out);
  }
  RDX_TRY(rdx_take_values(w, n->class, out));
  RDX_TRY(load_nulls(w, n->input, out));
  switch (c->type) {
  case RDX_TYPE_BOOL:
  case RDX_TYPE_U8:
    LOAD(uint8_t, int64_t);
    break;
  case RDX_TYPE_I8:
    LOAD(int8_t, int64_t);
    break;
  case RDX_TYPE_I16:
    LOAD(int16_t, int64_t);
    break;
  case RDX_TYPE_U16:
    LOAD(uint16_t, int64_t);
    break;
  case RDX_TYPE_I32:
  case RDX_TYPE_DATE:
    LOAD(int32_t, int64_t);
    break;
  case RDX_TYPE_U32:
    LOAD(uint32_t, int64_t);
    break;
  case RDX_TYPE_U64:
    return load_unsigned(w, n, c, rows, out);
  case RDX_TYPE_F32:
    LOAD(float, double);
    break;
  case RDX_TYPE_F64:
    LOAD(double, double);
    break;
  case RDX_TYPE_STRING:
    load_texts(w, c, rows, out);
    break;
  default:
    LOAD(int64_t, int64_t);
    break;
  }
  return RDX_OK;
}

/* ---- Tables by code ---- */

#define LOOK_UP(type)                                                                                                  \
  do {                                                                                                                 \
    for (uint32_t i = 0; i < w->rows; i++)                                                                             \
      ((type *)out->data)[i] = ((const type *)n->table.data)[codes[i]];                                                \
  } while (0)

/* The codes of rows; that of NULL is behind the dictionary. */
static void load_codes(const rdx_worker *w, const rdx_node *n, uint32_t *codes) {
  const rdx_input *input = n->input;
  const uint32_t *values = input->column.values;
  for (uint32_t i = 0; i < w->rows; i++) {
    const uint64_t row = input->rows ? input->rows[w->begin + i] : w->begin + i;
    codes[i] = row == RDX_NO_ROW || !rdx_column_has(&input->column, row) ? n->entries : values[row];
  }
}

/* The same of days, of which the first has code 0. */
static void load_days(const rdx_worker *w, const rdx_node *n, uint32_t *codes) {
  const rdx_input *input = n->input;
  const int32_t *values = input->column.values;
  for (uint32_t i = 0; i < w->rows; i++) {
    const uint64_t row = input->rows ? input->rows[w->begin + i] : w->begin + i;
    codes[i] =
        row == RDX_NO_ROW || !rdx_column_has(&input->column, row) ? n->entries : (uint32_t)(values[row] - n->min);
  }
}

static rdx_status look_up(rdx_worker *w, const rdx_node *n,
                          void (*load)(const rdx_worker *w, const rdx_node *n, uint32_t *codes), rdx_values *out) {
  uint32_t *codes = NULL;
  RDX_TRY(rdx_take_values(w, n->class, out));
  if (n->table.nulls)
    RDX_TRY(rdx_take_flags(w, &out->nulls));
  RDX_TRY(rdx_scratch_take(&w->stack, w->rows * sizeof *codes, (void **)&codes, &w->err));
  load(w, n, codes);
  if (out->nulls)
    for (uint32_t i = 0; i < w->rows; i++)
      out->nulls[i] = n->table.nulls[codes[i]];
  switch (n->class) {
  case RDX_CLASS_I64:
    LOOK_UP(int64_t);
    break;
  case RDX_CLASS_WIDE:
    LOOK_UP(rdx_i128);
    break;
  case RDX_CLASS_F64:
    LOOK_UP(double);
    break;
  case RDX_CLASS_TEXT:
    LOOK_UP(rdx_sql_text);
    break;
  case RDX_CLASS_INTERVAL:
    LOOK_UP(rdx_sql_interval);
    break;
  }
  return RDX_OK;
}

rdx_status rdx_evaluate_lookup(rdx_worker *w, const rdx_node *n, RDX_UNUSED const uint8_t *active, rdx_values *out) {
  return look_up(w, n, load_codes, out);
}

rdx_status rdx_evaluate_by_day(rdx_worker *w, const rdx_node *n, RDX_UNUSED const uint8_t *active, rdx_values *out) {
  return look_up(w, n, load_days, out);
}
