/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Constants as columns, and expressions that are the same. */

#include <string.h>

#include "expression/block.h"
#include "expression/decimal.h"
#include "expression/vectors.h"

/* ---- Equality ---- */

static bool same_value(rdx_sql_type type, const rdx_datum *a, const rdx_datum *b) {
  if (a->null || b->null)
    return a->null == b->null;
  switch (rdx_class_of(type)) {
  case RDX_CLASS_I64:
    return a->i == b->i;
  case RDX_CLASS_WIDE:
    return a->wide == b->wide;
  case RDX_CLASS_F64:
    return memcmp(&a->f, &b->f, sizeof a->f) == 0; /* -0 is written otherwise */
  case RDX_CLASS_TEXT:
    return rdx_compare_texts(a->text, b->text) == 0;
  default:
    return a->interval.months == b->interval.months && a->interval.days == b->interval.days &&
           a->interval.micros == b->interval.micros;
  }
}

bool rdx_bound_equal(const rdx_bound *a, const rdx_bound *b) {
  if (a == b)
    return true;
  if (a->kind != b->kind || !rdx_same_type(a->type, b->type))
    return false;
  switch (a->kind) {
  case RDX_BOUND_CONSTANT:
    return same_value(a->type, &a->value, &b->value);
  case RDX_BOUND_OUTER:
    return a->index == b->index && a->value.i == b->value.i;
  case RDX_BOUND_CALL:
    break;
  default:
    return a->index == b->index;
  }
  if (a->op != b->op || a->function != b->function || a->count != b->count || a->index != b->index)
    return false;
  for (uint32_t i = 0; i < a->count; i++)
    if (!rdx_bound_equal(a->args[i], b->args[i]))
      return false;
  return true;
}

bool rdx_bound_has(const rdx_bound *e, rdx_bound_kind kind) {
  bool has = e->kind == kind;
  for (uint32_t i = 0; e->kind == RDX_BOUND_CALL && i < e->count && !has; i++)
    has = rdx_bound_has(e->args[i], kind);
  return has;
}

void rdx_bound_mark_columns(const rdx_bound *e, bool *read) {
  if (e->kind == RDX_BOUND_COLUMN)
    read[e->index] = true;
  for (uint32_t i = 0; e->kind == RDX_BOUND_CALL && i < e->count; i++)
    rdx_bound_mark_columns(e->args[i], read);
}

/* ---- Columns ---- */

static rdx_i128 digits_of(rdx_sql_type type, const rdx_datum *value) {
  return rdx_class_of(type) == RDX_CLASS_WIDE ? value->wide : (rdx_i128)value->i;
}

/* The digits behind the point that some value needs. */
static uint8_t scale_of_all(rdx_sql_type type, const rdx_datum *values, uint64_t count) {
  uint8_t dropped = type.scale;
  for (uint64_t i = 0; i < count; i++)
    while (!values[i].null && digits_of(type, &values[i]) % rdx_power_of_ten(dropped) != 0)
      dropped--;
  return (uint8_t)(type.scale - dropped);
}

static rdx_status put_decimals(rdx_sql_type type, const rdx_datum *values, rdx_column *out, rdx_error *err) {
  bool large = false, negative = false;
  out->scale = scale_of_all(type, values, out->rows);
  for (uint64_t i = 0; i < out->rows; i++) {
    const rdx_i128 digits =
        values[i].null ? 0 : digits_of(type, &values[i]) / rdx_power_of_ten((uint32_t)(type.scale - out->scale));
    large |= digits > INT64_MAX;
    negative |= digits < 0;
    if (digits < INT64_MIN || digits > UINT64_MAX || (large && (negative || out->scale > 0)) ||
        out->scale > RDX_NARROW_DIGITS)
      return rdx_fail(err, RDX_ERROR_OVERFLOW, "a number has more than 18 digits, which columns cannot have");
    ((int64_t *)(uintptr_t)out->values)[i] = (int64_t)digits;
  }
  out->type = large ? RDX_TYPE_U64 : out->type;
  return RDX_OK;
}

static rdx_status put_texts(const rdx_datum *values, rdx_arena *arena, rdx_column *out, rdx_error *err) {
  uint64_t *offsets = NULL, length = 0;
  char *text = NULL;
  for (uint64_t i = 0; i < out->rows; i++)
    length += values[i].null ? 0 : values[i].text.length;
  RDX_TRY(rdx_arena_alloc(arena, out->rows + 1, sizeof *offsets, "a constant", (void **)&offsets, err));
  RDX_TRY(rdx_arena_alloc(arena, length, 1, "a constant", (void **)&text, err));
  offsets[0] = 0;
  for (uint64_t i = 0; i < out->rows; i++) {
    const uint64_t size = values[i].null ? 0 : values[i].text.length;
    if (size > 0)
      memcpy(text + offsets[i], values[i].text.data, size);
    offsets[i + 1] = offsets[i] + size;
  }
  out->values = text;
  out->offsets = offsets;
  return RDX_OK;
}

static void put_values(rdx_column *out, const rdx_datum *values) {
  void *to = (void *)(uintptr_t)out->values;
  for (uint64_t i = 0; i < out->rows; i++)
    switch (out->type) {
    case RDX_TYPE_BOOL:
      ((uint8_t *)to)[i] = values[i].i != 0;
      break;
    case RDX_TYPE_DATE:
      ((int32_t *)to)[i] = (int32_t)values[i].i;
      break;
    case RDX_TYPE_F32:
      ((float *)to)[i] = (float)values[i].f;
      break;
    case RDX_TYPE_F64:
      ((double *)to)[i] = values[i].f;
      break;
    default:
      ((int64_t *)to)[i] = values[i].i;
      break;
    }
}

static rdx_status put_validity(const rdx_datum *values, rdx_arena *arena, rdx_column *out, rdx_error *err) {
  uint8_t *validity = NULL;
  RDX_TRY(rdx_arena_alloc(arena, (out->rows + 7) / 8, 1, "a constant", (void **)&validity, err));
  memset(validity, 0, (out->rows + 7) / 8);
  for (uint64_t i = 0; i < out->rows; i++) {
    validity[i / 8] |= (uint8_t)(!values[i].null << i % 8);
    if (values[i].null)
      out->validity = validity;
  }
  return RDX_OK;
}

rdx_status rdx_datum_column(rdx_sql_type type, const rdx_datum *values, uint64_t count, rdx_arena *arena,
                            rdx_column *out, rdx_error *err) {
  void *memory = NULL;
  char name[32];
  if (type.kind == RDX_SQL_INTERVAL)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "no column has values of type %s", rdx_sql_type_text(type, name));
  *out = (rdx_column){.type = rdx_is_integer(type) ? RDX_TYPE_I64 : rdx_column_type_of(type), .rows = count};
  RDX_TRY(put_validity(values, arena, out, err));
  if (out->type == RDX_TYPE_STRING)
    return put_texts(values, arena, out, err);
  RDX_TRY(rdx_arena_alloc(arena, count, rdx_type_size(out->type), "a constant", &memory, err));
  out->values = memory;
  if (out->type == RDX_TYPE_DECIMAL)
    return put_decimals(type, values, out, err);
  put_values(out, values);
  return RDX_OK;
}
