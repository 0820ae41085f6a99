/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The Arrow C data interface to tables. */

#include <string.h>

#include "column/column.h"
#include "column/dictionary.h"
#include "table/arrow_values.h"

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
  RDX_FREE_ALL(h->owned, h->dictionaries);
  if (h->array.release)
    h->array.release(&h->array);
  rdx_free(h);
}

/* A column under construction, and what its dictionary becomes. */
typedef struct incoming {
  rdx_incoming base;
  rdx_column *dictionary;
  rdx_dictionary **owned;
} incoming;

/* ---- Dictionaries ---- */

/* The index of a row in its dictionary, as unsigned: one below 0 is beyond it. */
static uint64_t index_at(const rdx_incoming *in, uint64_t row) {
  const char format = in->schema->format[0];
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

/* The place of a row that is not NULL in a dictionary. A row whose place is that of a NULL becomes NULL. */
static rdx_status find_place(rdx_incoming *in, uint64_t row, const rdx_column *d, uint64_t *place, rdx_error *err) {
  *place = index_at(in, row);
  if (*place >= d->rows)
    return rdx_incoming_malformed(in->name, "an index is beyond its dictionary", err);
  return rdx_column_has(d, *place) ? RDX_OK : rdx_incoming_make_null(in, row, err);
}

/* Rows' places in the dictionary as it came, with NULL bits of their own where it has NULLs. */
static rdx_status copy_indices(rdx_incoming *in, const rdx_column *d, rdx_error *err) {
  RDX_TRY(rdx_calloc(in->rows, 4, "the places of strings", &in->out->values, err));
  uint32_t *places = in->out->values;
  for (uint64_t i = 0; i < in->rows; i++) {
    uint64_t place = 0;
    if (rdx_column_has(&in->out->view, i))
      RDX_TRY(find_place(in, i, d, &place, err));
    places[i] = (uint32_t)place;
  }
  return RDX_OK;
}

/* A dictionary of what is no string: every row gets its value. */
static rdx_status decode(rdx_incoming *in, const rdx_column *d, rdx_error *err) {
  const size_t size = rdx_type_size(d->type);
  RDX_TRY(rdx_calloc(in->rows, size, "the values of a column", &in->out->values, err));
  for (uint64_t i = 0; i < in->rows; i++) {
    uint64_t place = 0;
    if (!rdx_column_has(&in->out->view, i))
      continue;
    RDX_TRY(find_place(in, i, d, &place, err));
    if (rdx_column_has(&in->out->view, i))
      memcpy((char *)in->out->values + i * size, (const char *)d->values + place * size, size);
  }
  in->out->view.type = d->type;
  in->out->view.scale = d->scale;
  in->out->view.values = in->out->values;
  return RDX_OK;
}

/* Sort a dictionary, and turn places in the old one into places in the new one. */
static rdx_status sort_dictionary(incoming *in, const rdx_column *d, rdx_error *err) {
  const rdx_growing *out = in->base.out;
  RDX_SCOPED(rdx_free_local) uint32_t *codes = NULL;
  uint32_t *places = out->values;
  RDX_TRY(rdx_alloc(d->rows, 4, "the places of strings", (void **)&codes, err));
  RDX_TRY(rdx_dictionary_create(d, codes, in->owned, err));
  for (uint64_t i = 0; i < in->base.rows; i++)
    places[i] = rdx_column_has(&out->view, i) ? codes[places[i]] : 0;
  *in->dictionary = (rdx_column){.type = RDX_TYPE_STRING,
                                 .rows = (*in->owned)->count,
                                 .values = (*in->owned)->bytes,
                                 .offsets = (*in->owned)->offsets};
  return RDX_OK;
}

/* A dictionary whose memory is Arrow's is shared. */
static rdx_status use_dictionary(incoming *in, const rdx_growing *values, rdx_error *err) {
  const rdx_column *d = &values->view;
  rdx_growing *out = in->base.out;
  RDX_TRY(rdx_column_check(d, in->base.name, err));
  if (d->rows > UINT32_MAX)
    return rdx_incoming_unsupported(&in->base, err);
  if (d->type != RDX_TYPE_STRING)
    return decode(&in->base, d, err);
  out->view.type = RDX_TYPE_STRING;
  if (!values->offsets && strchr("iI", in->base.schema->format[0]) && ascends(d)) {
    *in->dictionary = *d;
    in->dictionary->validity = NULL;
    RDX_TRY(rdx_incoming_take_values(&in->base, 4, err));
  } else {
    RDX_TRY(copy_indices(&in->base, d, err));
    RDX_TRY(sort_dictionary(in, d, err));
    out->view.values = out->values;
  }
  out->view.dictionary = in->dictionary;
  return RDX_OK;
}

static rdx_status take_dictionary(incoming *in, rdx_error *err) {
  rdx_incoming *base = &in->base;
  const struct ArrowArray *array = base->array->dictionary;
  const struct ArrowSchema *schema = base->schema->dictionary;
  const char *format = base->schema->format;
  if (strlen(format) != 1 || !strchr("cCsSiIlL", *format) || schema->dictionary)
    return rdx_incoming_unsupported(base, err);
  if (!schema->format || !array || !array->release || array->length < 0 || array->offset < 0)
    return rdx_incoming_malformed(base->name, "there is no dictionary", err);
  if (base->array->n_buffers != 2 || !base->array->buffers || (base->rows > 0 && !base->array->buffers[1]))
    return rdx_incoming_malformed(base->name, "a buffer is missing", err);
  base->out->view.rows = base->rows;
  RDX_TRY(rdx_incoming_take_validity(base, err));
  RDX_SCOPED(rdx_growing_drop) rdx_growing values = {0};
  rdx_incoming d = {.name = base->name,
                    .schema = schema,
                    .array = array,
                    .offset = (uint64_t)array->offset,
                    .rows = (uint64_t)array->length,
                    .out = &values};
  RDX_TRY(rdx_incoming_take(&d, err));
  return use_dictionary(in, &values, err);
}

/* ---- Columns ---- */

static rdx_status take_child(const struct ArrowSchema *schema, const struct ArrowArray *array, uint32_t i,
                             struct rdx_held *held, rdx_growing *out, rdx_error *err) {
  const struct ArrowSchema *s = schema->children[i];
  const struct ArrowArray *a = array->children[i];
  const char *name = s && s->name ? s->name : "";
  if (!s || !s->format || !s->release || !a || !a->release || a->offset < 0 ||
      a->length < array->offset + array->length)
    return rdx_incoming_malformed(name, "it was released, or is shorter than its parent", err);
  RDX_TRY(rdx_copy_text(name, "a column name", &out->name, err));
  incoming in = {.base = {.name = name,
                          .schema = s,
                          .array = a,
                          .offset = (uint64_t)a->offset + (uint64_t)array->offset,
                          .rows = (uint64_t)array->length,
                          .out = out},
                 .dictionary = &held->dictionaries[i],
                 .owned = &held->owned[i]};
  RDX_TRY(s->dictionary ? take_dictionary(&in, err) : rdx_incoming_take(&in.base, err));
  return rdx_column_check(&out->view, name, err);
}

static rdx_status check_struct(const struct ArrowSchema *schema, const struct ArrowArray *array, rdx_error *err) {
  if (!schema->format || strcmp(schema->format, "+s") != 0)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "a table is made of a struct array (format +s), not of '%.40s'",
                    schema->format ? schema->format : "");
  if (schema->n_children != array->n_children || array->n_children < 0 || array->n_children > UINT32_MAX ||
      array->length < 0 || array->offset < 0 || array->length > INT64_MAX - array->offset ||
      (array->n_children > 0 && (!schema->children || !array->children)))
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "the Arrow schema and array do not go together");
  const uint8_t *bits = array->n_buffers > 0 && array->buffers && array->null_count != 0 ? array->buffers[0] : NULL;
  if (array->null_count > 0 && !bits)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "the Arrow array has NULLs, and no bits that say which they are");
  for (int64_t i = array->offset; bits && i < array->offset + array->length; i++)
    if (!(bits[i / 8] >> i % 8 & 1))
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
  RDX_SCOPED(rdx_table_destroy) rdx_table *table = NULL;
  RDX_TRY(rdx_table_create((uint32_t)array->n_children, &table, err));
  RDX_TRY(rdx_calloc(1, sizeof *table->held, "a table", (void **)&table->held, err));
  RDX_TRY(fill(schema, array, table->held, table, err));
  table->held->array = *array;
  array->release = NULL;
  schema->release(schema);
  *out = RDX_KEEP(table);
  return RDX_OK;
}
