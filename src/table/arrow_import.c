/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The Arrow C data interface to tables. */

#include <raydex/arrow.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/column.h"
#include "index/dictionary.h"
#include "table/table.h"

/* What a table from Arrow lives on. */
struct rdx_held {
  struct ArrowArray array;
  rdx_column *dictionaries; /* of each column; those without have none */
  rdx_dictionary **owned;   /* those that were sorted */
  uint32_t count;
};

void rdx_held_drop(struct rdx_held *h) {
  if (!h)
    return;
  for (uint32_t i = 0; h->owned && i < h->count; i++)
    rdx_dictionary_destroy(&h->owned[i]);
  rdx_free(h->owned);
  rdx_free(h->dictionaries);
  if (h->array.release)
    h->array.release(&h->array);
  rdx_free(h);
}

/* A column under construction. */
typedef struct incoming {
  const char *name;
  const struct ArrowSchema *schema;
  const struct ArrowArray *array;
  uint64_t offset, rows; /* of the rows of the table in the array */
  rdx_growing *out;      /* its memory is what was copied */
  rdx_column *dictionary;
  rdx_dictionary **owned;
} incoming;

static rdx_status unsupported(const incoming *in, rdx_error *err) {
  return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "column '%s' has the Arrow format '%.40s', which is not supported",
                  in->name, in->schema->format);
}

static rdx_status malformed(const char *name, const char *what, rdx_error *err) {
  return rdx_fail(err, RDX_ERROR_ARGUMENT, "column '%s' is no Arrow array: %s", name, what);
}

static bool has_bit(const uint8_t *bits, uint64_t i) {
  return (bits[i / 8] >> i % 8 & 1) != 0;
}

/* ---- Pieces of columns ---- */

static rdx_status take_validity(incoming *in, rdx_error *err) {
  const uint8_t *bits = in->array->buffers[0];
  if (!bits || in->array->null_count == 0)
    return RDX_OK;
  if (in->offset % 8 == 0) {
    in->out->view.validity = bits + in->offset / 8;
    return RDX_OK;
  }
  RDX_TRY(rdx_calloc(in->rows / 8 + 1, 1, "NULL bits", (void **)&in->out->validity, err));
  for (uint64_t i = 0; i < in->rows; i++)
    in->out->validity[i / 8] |= (uint8_t)(has_bit(bits, in->offset + i) << i % 8);
  in->out->view.validity = in->out->validity;
  return RDX_OK;
}

/* Values of fixed width: shared, but for those that lie askew, which the interface allows. */
static rdx_status take_values(incoming *in, size_t size, rdx_error *err) {
  const char *values = in->array->buffers[1];
  if (values)
    values += in->offset * size;
  in->out->view.values = values;
  if ((uintptr_t)values % size == 0)
    return RDX_OK;
  RDX_TRY(rdx_alloc(in->rows, size, "the values of a column", &in->out->values, err));
  memcpy(in->out->values, values, in->rows * size);
  in->out->view.values = in->out->values;
  return RDX_OK;
}

static rdx_status take_bools(incoming *in, rdx_error *err) {
  RDX_TRY(rdx_alloc(in->rows, 1, "the values of a column", &in->out->values, err));
  for (uint64_t i = 0; i < in->rows; i++)
    ((uint8_t *)in->out->values)[i] = has_bit(in->array->buffers[1], in->offset + i);
  in->out->view.values = in->out->values;
  return RDX_OK;
}

static rdx_status narrow_decimals(incoming *in, rdx_error *err) {
  const char *from = in->array->buffers[1];
  RDX_TRY(rdx_alloc(in->rows, 8, "the values of a column", &in->out->values, err));
  for (uint64_t i = 0; i < in->rows; i++) {
    int64_t halves[2];
    memcpy(halves, from + (in->offset + i) * 16, sizeof halves);
    const bool null = !rdx_column_has(&in->out->view, i);
    if (!null && halves[1] != (halves[0] < 0 ? -1 : 0))
      return rdx_fail(err, RDX_ERROR_RANGE, "column '%s', row %llu: the decimal does not fit 64 bits", in->name,
                      (unsigned long long)i);
    ((int64_t *)in->out->values)[i] = null ? 0 : halves[0];
  }
  in->out->view.values = in->out->values;
  return RDX_OK;
}

/* "d:P,S" or "d:P,S,BITS". */
static rdx_status take_decimals(incoming *in, rdx_error *err) {
  char *end = NULL;
  long bits = 128;
  (void)strtol(in->schema->format + 2, &end, 10);
  const long scale = *end == ',' ? strtol(end + 1, &end, 10) : -1;
  if (*end == ',')
    bits = strtol(end + 1, &end, 10);
  if (*end != '\0' || scale < 0 || scale > 18 || (bits != 64 && bits != 128))
    return unsupported(in, err);
  in->out->view.type = RDX_TYPE_DECIMAL;
  in->out->view.scale = (uint8_t)scale;
  return bits == 64 ? take_values(in, 8, err) : narrow_decimals(in, err);
}

/* ---- Strings ---- */

static rdx_status copy_offsets(incoming *in, bool wide, rdx_error *err) {
  const void *offsets = in->array->buffers[1];
  RDX_TRY(rdx_alloc(in->rows + 1, 8, "the strings of a column", (void **)&in->out->offsets, err));
  for (uint64_t i = 0; i <= in->rows; i++) {
    int64_t large = 0;
    int32_t small = 0;
    if (wide)
      memcpy(&large, (const char *)offsets + 8 * (in->offset + i), 8);
    else
      memcpy(&small, (const char *)offsets + 4 * (in->offset + i), 4);
    in->out->offsets[i] = (uint64_t)(wide ? large : small);
  }
  in->out->view.offsets = in->out->offsets;
  return RDX_OK;
}

/* That the offsets ascend is checked with the column. */
static rdx_status take_strings(incoming *in, bool wide, rdx_error *err) {
  const void *offsets = in->array->buffers[1];
  in->out->view.values = in->array->buffers[2] ? in->array->buffers[2] : "";
  if (in->rows == 0)
    return RDX_OK;
  if (wide && (uintptr_t)offsets % 8 == 0)
    in->out->view.offsets = (const uint64_t *)offsets + in->offset;
  else
    RDX_TRY(copy_offsets(in, wide, err));
  if (in->out->view.offsets[in->rows] > INT64_MAX)
    return malformed(in->name, "an offset is below 0", err);
  if (!in->array->buffers[2] && in->out->view.offsets[in->rows] > in->out->view.offsets[0])
    return malformed(in->name, "a buffer is missing", err);
  return RDX_OK;
}

/* The index of a row in its dictionary, as unsigned: one below 0 is beyond it. */
static uint64_t index_at(const incoming *in, char format, uint64_t row) {
  const char *from = in->array->buffers[1];
  const size_t size = strchr("cC", format) ? 1 : strchr("sS", format) ? 2 : strchr("iI", format) ? 4 : 8;
  uint64_t value = 0;
  memcpy(&value, from + (in->offset + row) * size, size);
  const uint64_t sign = (uint64_t)1 << (8 * size - 1);
  return strchr("csil", format) && value & sign ? UINT64_MAX : value;
}

static bool ascends(const rdx_column *d) {
  for (uint64_t i = 0; i < d->rows; i++)
    if (!rdx_column_has(d, i) || (i > 0 && rdx_column_compare_strings(d, i - 1, d, i) >= 0))
      return false;
  return true;
}

/* A row whose index is that of a NULL is NULL. */
static rdx_status make_null(incoming *in, uint64_t row, rdx_error *err) {
  rdx_growing *c = in->out;
  if (!c->validity) {
    RDX_TRY(rdx_alloc(in->rows / 8 + 1, 1, "NULL bits", (void **)&c->validity, err));
    memset(c->validity, 0xff, in->rows / 8 + 1);
    if (c->view.validity)
      memcpy(c->validity, c->view.validity, (in->rows + 7) / 8);
    c->view.validity = c->validity;
  }
  c->validity[row / 8] &= (uint8_t) ~(1u << row % 8);
  return RDX_OK;
}

/* Rows' places in the dictionary as it came, with NULL bits of their own where it has NULLs. */
static rdx_status copy_indices(incoming *in, const rdx_column *d, rdx_error *err) {
  uint32_t *places = NULL;
  RDX_TRY(rdx_alloc(in->rows, 4, "the places of strings", &in->out->values, err));
  places = in->out->values;
  for (uint64_t i = 0; i < in->rows; i++) {
    places[i] = 0;
    if (!rdx_column_has(&in->out->view, i))
      continue;
    const uint64_t index = index_at(in, in->schema->format[0], i);
    if (index >= d->rows)
      return malformed(in->name, "an index is beyond its dictionary", err);
    places[i] = (uint32_t)index;
    if (!rdx_column_has(d, index))
      RDX_TRY(make_null(in, i, err));
  }
  return RDX_OK;
}

/* Sort a dictionary, and turn places in the old one into places in the new one. */
static rdx_status sort_dictionary(incoming *in, const rdx_column *d, rdx_error *err) {
  uint32_t *codes = NULL, *places = in->out->values;
  RDX_TRY(rdx_alloc(d->rows, 4, "the places of strings", (void **)&codes, err));
  rdx_status status = rdx_dictionary_create(d, codes, in->owned, err);
  for (uint64_t i = 0; i < in->rows && status == RDX_OK; i++)
    places[i] = rdx_column_has(&in->out->view, i) ? codes[places[i]] : 0;
  rdx_free(codes);
  if (status != RDX_OK)
    return status;
  *in->dictionary = (rdx_column){.type = RDX_TYPE_STRING,
                                 .rows = (*in->owned)->count,
                                 .values = (*in->owned)->bytes,
                                 .offsets = (*in->owned)->offsets};
  return RDX_OK;
}

static rdx_status use_dictionary(incoming *in, const rdx_growing *strings, rdx_error *err) {
  const rdx_column *d = &strings->view;
  const char format = in->schema->format[0];
  RDX_TRY(rdx_column_check(d, in->name, err));
  in->out->view.type = RDX_TYPE_STRING;
  if (d->rows > UINT32_MAX)
    return unsupported(in, err);
  if (ascends(d) && !strings->offsets && strchr("iI", format)) {
    *in->dictionary = *d;
    in->dictionary->validity = NULL;
    RDX_TRY(take_values(in, 4, err));
  } else {
    RDX_TRY(copy_indices(in, d, err));
    RDX_TRY(sort_dictionary(in, d, err));
    in->out->view.values = in->out->values;
  }
  in->out->view.dictionary = in->dictionary;
  return RDX_OK;
}

static rdx_status take_column(incoming *in, rdx_error *err);

static rdx_status take_dictionary(incoming *in, rdx_error *err) {
  const struct ArrowArray *array = in->array->dictionary;
  const char *format = in->schema->format;
  if (strlen(format) != 1 || !strchr("cCsSiIlL", *format) || in->schema->dictionary->dictionary)
    return unsupported(in, err);
  if (!array || !array->release || array->length < 0 || array->offset < 0)
    return malformed(in->name, "there is no dictionary", err);
  rdx_growing strings = {0};
  incoming d = {.name = in->name,
                .schema = in->schema->dictionary,
                .array = array,
                .offset = (uint64_t)array->offset,
                .rows = (uint64_t)array->length,
                .out = &strings};
  rdx_status status = take_column(&d, err);
  if (status == RDX_OK && strings.view.type != RDX_TYPE_STRING)
    status = rdx_fail(err, RDX_ERROR_UNSUPPORTED, "column '%s' has a dictionary of %s, not of strings", in->name,
                      rdx_type_name(strings.view.type));
  if (status == RDX_OK)
    status = use_dictionary(in, &strings, err);
  rdx_growing_drop(&strings);
  return status;
}

/* ---- Columns ---- */

static rdx_type fixed_type(const char *format) {
  static const struct {
    const char *format;
    rdx_type type;
  } types[] = {{"c", RDX_TYPE_I8},  {"s", RDX_TYPE_I16}, {"i", RDX_TYPE_I32},   {"l", RDX_TYPE_I64},
               {"C", RDX_TYPE_U8},  {"S", RDX_TYPE_U16}, {"I", RDX_TYPE_U32},   {"L", RDX_TYPE_U64},
               {"f", RDX_TYPE_F32}, {"g", RDX_TYPE_F64}, {"tdD", RDX_TYPE_DATE}};
  for (size_t i = 0; i < RDX_COUNT(types); i++)
    if (strcmp(format, types[i].format) == 0)
      return types[i].type;
  return strncmp(format, "tsu:", 4) == 0 ? RDX_TYPE_TIMESTAMP : RDX_TYPE_NONE;
}

/* Strings without bytes may have no buffer for them. */
static rdx_status check_buffers(const incoming *in, int64_t count, rdx_error *err) {
  if (in->array->n_buffers != count || !in->array->buffers)
    return malformed(in->name, "it has not as many buffers as its format needs", err);
  if (in->rows > 0 && !in->array->buffers[1])
    return malformed(in->name, "a buffer is missing", err);
  return RDX_OK;
}

static rdx_status take_column(incoming *in, rdx_error *err) {
  const char *format = in->schema->format;
  const rdx_type fixed = fixed_type(format);
  const bool strings = strlen(format) == 1 && strchr("uUzZ", *format);
  RDX_TRY(check_buffers(in, strings ? 3 : 2, err));
  in->out->view.rows = in->rows;
  RDX_TRY(take_validity(in, err));
  if (in->schema->dictionary)
    return take_dictionary(in, err);
  if (fixed != RDX_TYPE_NONE) {
    in->out->view.type = fixed;
    return take_values(in, rdx_type_size(fixed), err);
  }
  if (strings) {
    in->out->view.type = RDX_TYPE_STRING;
    return take_strings(in, strchr("UZ", *format), err);
  }
  if (strcmp(format, "b") == 0) {
    in->out->view.type = RDX_TYPE_BOOL;
    return take_bools(in, err);
  }
  return strncmp(format, "d:", 2) == 0 ? take_decimals(in, err) : unsupported(in, err);
}

static rdx_status take_child(const struct ArrowSchema *schema, const struct ArrowArray *array, uint32_t i,
                             struct rdx_held *held, rdx_growing *out, rdx_error *err) {
  const struct ArrowSchema *s = schema->children[i];
  const struct ArrowArray *a = array->children[i];
  const char *name = s && s->name ? s->name : "";
  if (!s || !s->format || !s->release || !a || !a->release || a->offset < 0 ||
      a->length < array->offset + array->length)
    return malformed(name, "it was released, or is shorter than its parent", err);
  RDX_TRY(rdx_alloc(strlen(name) + 1, 1, "a column name", (void **)&out->name, err));
  strcpy(out->name, name);
  incoming in = {.name = name,
                 .schema = s,
                 .array = a,
                 .offset = (uint64_t)a->offset + (uint64_t)array->offset,
                 .rows = (uint64_t)array->length,
                 .out = out,
                 .dictionary = &held->dictionaries[i],
                 .owned = &held->owned[i]};
  RDX_TRY(take_column(&in, err));
  return rdx_column_check(&out->view, name, err);
}

static rdx_status check_struct(const struct ArrowSchema *schema, const struct ArrowArray *array, rdx_error *err) {
  if (!schema->format || strcmp(schema->format, "+s") != 0)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "a table is made of a struct array (format +s), not of '%.40s'",
                    schema->format ? schema->format : "");
  if (schema->n_children != array->n_children || array->n_children < 0 || array->n_children > UINT32_MAX ||
      array->length < 0 || array->offset < 0 || array->length > INT64_MAX - array->offset)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "the Arrow schema and array do not go together");
  const uint8_t *bits = array->n_buffers > 0 && array->null_count != 0 ? array->buffers[0] : NULL;
  for (int64_t i = array->offset; bits && i < array->offset + array->length; i++)
    if (!has_bit(bits, (uint64_t)i))
      return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "row %lld of the Arrow array is NULL as a whole",
                      (long long)(i - array->offset));
  return RDX_OK;
}

static rdx_status fill(const struct ArrowSchema *schema, const struct ArrowArray *array, struct rdx_held *held,
                       rdx_table *table, rdx_error *err) {
  held->count = table->column_count;
  table->rows = (uint64_t)array->length;
  RDX_TRY(rdx_calloc(held->count, sizeof *held->dictionaries, "a table", (void **)&held->dictionaries, err));
  RDX_TRY(rdx_calloc(held->count, sizeof *held->owned, "a table", (void **)&held->owned, err));
  for (uint32_t i = 0; i < held->count; i++)
    RDX_TRY(take_child(schema, array, i, held, &table->columns[i], err));
  return RDX_OK;
}

rdx_status rdx_table_from_arrow(struct ArrowSchema *schema, struct ArrowArray *array, rdx_table **out, rdx_error *err) {
  if (!schema || !array || !out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_table_from_arrow: schema, array and out must not be NULL");
  if (!schema->release || !array->release)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_table_from_arrow: the schema or the array was released already");
  RDX_TRY(check_struct(schema, array, err));
  rdx_table *table = NULL;
  RDX_TRY(rdx_table_create((uint32_t)array->n_children, &table, err));
  rdx_status status = rdx_calloc(1, sizeof *table->held, "a table", (void **)&table->held, err);
  if (status == RDX_OK)
    status = fill(schema, array, table->held, table, err);
  if (status != RDX_OK) {
    rdx_table_destroy(&table);
    return status;
  }
  table->held->array = *array;
  array->release = NULL;
  schema->release(schema);
  *out = table;
  return RDX_OK;
}
