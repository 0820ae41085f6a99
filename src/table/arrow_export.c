/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Tables to the Arrow C data interface. Every node owns what it needs, since a consumer may move children out of their
 * parent and release them later ("Moving an array" of the specification). */

#include <raydex/arrow.h>

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "column/column.h"
#include "table/table.h"

/* ---- Nodes ---- */

typedef struct schema_node {
  struct ArrowSchema dictionary;
  struct ArrowSchema **children, *memory; /* of them */
  char format[32];
  char *name;
} schema_node;

typedef struct array_node {
  struct ArrowArray dictionary;
  struct ArrowArray **children, *memory;
  rdx_table *table; /* a reference */
  const void *buffers[3];
  void *owned; /* a buffer that was converted */
} array_node;

static void release_schema(struct ArrowSchema *s) {
  schema_node *n = s->private_data;
  for (int64_t i = 0; i < s->n_children; i++)
    if (s->children[i]->release)
      s->children[i]->release(s->children[i]);
  if (s->dictionary && s->dictionary->release)
    s->dictionary->release(s->dictionary);
  RDX_FREE_ALL(n->children, n->memory, n->name, n);
  s->release = NULL;
}

static void release_array(struct ArrowArray *a) {
  array_node *n = a->private_data;
  for (int64_t i = 0; i < a->n_children; i++)
    if (a->children[i]->release)
      a->children[i]->release(a->children[i]);
  if (a->dictionary && a->dictionary->release)
    a->dictionary->release(a->dictionary);
  rdx_table_destroy(&n->table);
  RDX_FREE_ALL(n->children, n->memory, n->owned, n);
  a->release = NULL;
}

/* A schema that can be released from now on, with `children` that are not filled yet. */
static rdx_status start_schema(struct ArrowSchema *s, const char *name, uint32_t children, rdx_error *err) {
  schema_node *n = NULL;
  RDX_TRY(rdx_calloc(1, sizeof *n, "an Arrow schema", (void **)&n, err));
  *s = (struct ArrowSchema){.format = n->format, .release = release_schema, .private_data = n};
  RDX_TRY(rdx_copy_text(name, "an Arrow schema", &n->name, err));
  s->name = n->name;
  RDX_TRY(rdx_calloc(children, sizeof *n->memory, "an Arrow schema", (void **)&n->memory, err));
  RDX_TRY(rdx_calloc(children, sizeof(void *), "an Arrow schema", (void **)&n->children, err));
  for (uint32_t i = 0; i < children; i++)
    n->children[i] = &n->memory[i];
  s->children = children > 0 ? n->children : NULL;
  s->n_children = children;
  return RDX_OK;
}

static rdx_status start_array(rdx_table *table, struct ArrowArray *a, uint64_t rows, uint32_t children,
                              rdx_error *err) {
  array_node *n = NULL;
  RDX_TRY(rdx_calloc(1, sizeof *n, "an Arrow array", (void **)&n, err));
  n->table = rdx_table_retain(table);
  *a = (struct ArrowArray){
      .length = (int64_t)rows, .n_buffers = 1, .buffers = n->buffers, .release = release_array, .private_data = n};
  RDX_TRY(rdx_calloc(children, sizeof *n->memory, "an Arrow array", (void **)&n->memory, err));
  RDX_TRY(rdx_calloc(children, sizeof(void *), "an Arrow array", (void **)&n->children, err));
  for (uint32_t i = 0; i < children; i++)
    n->children[i] = &n->memory[i];
  a->children = children > 0 ? n->children : NULL;
  a->n_children = children;
  return RDX_OK;
}

/* ---- Text ---- */

/* Whether every string is UTF-8 by itself. */
static bool are_utf8(const rdx_column *c) {
  for (uint64_t row = 0; row < c->rows; row++) {
    uint64_t length;
    const char *text = rdx_column_text(c, row, &length);
    if (rdx_utf8_check(text, length) < length)
      return false;
  }
  return true;
}

/* ---- Columns ---- */

static void name_format(const rdx_column *c, char format[32]) {
  static const char *const names[] = {
      [RDX_TYPE_BOOL] = "b",   [RDX_TYPE_I8] = "c",    [RDX_TYPE_I16] = "s",
      [RDX_TYPE_I32] = "i",    [RDX_TYPE_I64] = "l",   [RDX_TYPE_U8] = "C",
      [RDX_TYPE_U16] = "S",    [RDX_TYPE_U32] = "I",   [RDX_TYPE_U64] = "L",
      [RDX_TYPE_F32] = "f",    [RDX_TYPE_F64] = "g",   [RDX_TYPE_DATE] = "tdD",
      [RDX_TYPE_DECIMAL] = "", [RDX_TYPE_STRING] = "", [RDX_TYPE_TIMESTAMP] = "tsu:UTC"};
  if (c->type == RDX_TYPE_DECIMAL)
    snprintf(format, 32, "d:19,%u", c->scale);
  else if (c->type == RDX_TYPE_STRING)
    strcpy(format, c->dictionary ? "I" : are_utf8(c) ? "U" : "Z");
  else
    strcpy(format, names[c->type]);
}

static rdx_status export_schema(const char *name, const rdx_column *c, struct ArrowSchema *s, rdx_error *err) {
  RDX_TRY(start_schema(s, name, 0, err));
  schema_node *n = s->private_data;
  name_format(c, n->format);
  s->flags = ARROW_FLAG_NULLABLE;
  if (!c->dictionary)
    return RDX_OK;
  s->flags |= ARROW_FLAG_DICTIONARY_ORDERED;
  s->dictionary = &n->dictionary;
  return export_schema("", c->dictionary, &n->dictionary, err);
}

static rdx_status pack_bools(const rdx_column *c, void **out, rdx_error *err) {
  uint8_t *bits = NULL;
  RDX_TRY(rdx_calloc(c->rows / 8 + 1, 1, "an Arrow array", (void **)&bits, err));
  for (uint64_t i = 0; i < c->rows; i++)
    bits[i / 8] |= (uint8_t)((((const uint8_t *)c->values)[i] != 0) << i % 8);
  *out = bits;
  return RDX_OK;
}

static rdx_status widen_decimals(const rdx_column *c, void **out, rdx_error *err) {
  int64_t *wide = NULL; /* low and high half of each */
  RDX_TRY(rdx_alloc(c->rows, 16, "an Arrow array", (void **)&wide, err));
  for (uint64_t i = 0; i < c->rows; i++) {
    const int64_t value = ((const int64_t *)c->values)[i];
    wide[2 * i] = value;
    wide[2 * i + 1] = value < 0 ? -1 : 0;
  }
  *out = wide;
  return RDX_OK;
}

static rdx_status export_array(rdx_table *table, const rdx_column *c, struct ArrowArray *a, rdx_error *err) {
  static const uint64_t no_offsets[1] = {0};
  RDX_TRY(start_array(table, a, c->rows, 0, err));
  array_node *n = a->private_data;
  n->buffers[0] = c->validity;
  n->buffers[1] = c->values;
  a->n_buffers = 2;
  a->null_count = c->validity ? -1 : 0;
  if (c->type == RDX_TYPE_BOOL || c->type == RDX_TYPE_DECIMAL) {
    RDX_TRY(c->type == RDX_TYPE_BOOL ? pack_bools(c, &n->owned, err) : widen_decimals(c, &n->owned, err));
    n->buffers[1] = n->owned;
  } else if (c->dictionary) {
    a->dictionary = &n->dictionary;
    return export_array(table, c->dictionary, &n->dictionary, err);
  } else if (c->type == RDX_TYPE_STRING) {
    n->buffers[1] = c->rows > 0 ? c->offsets : no_offsets;
    n->buffers[2] = c->values ? c->values : "";
    a->n_buffers = 3;
  }
  return RDX_OK;
}

static rdx_status export_table(rdx_table *table, struct ArrowSchema *schema, struct ArrowArray *array, rdx_error *err) {
  RDX_TRY(start_schema(schema, "", table->column_count, err));
  strcpy(((schema_node *)schema->private_data)->format, "+s");
  RDX_TRY(start_array(table, array, table->rows, table->column_count, err));
  for (uint32_t i = 0; i < table->column_count; i++) {
    const rdx_growing *c = &table->columns[i];
    if (rdx_utf8_check(c->name, strlen(c->name)) < strlen(c->name))
      return rdx_fail(err, RDX_ERROR_UNSUPPORTED,
                      "the name of column %u is no UTF-8, as Arrow needs it: make the table with another name", i + 1);
    RDX_TRY(export_schema(c->name, &c->view, schema->children[i], err));
    RDX_TRY(export_array(table, &c->view, array->children[i], err));
  }
  return RDX_OK;
}

rdx_status rdx_table_to_arrow(rdx_table *table, struct ArrowSchema *schema, struct ArrowArray *array, rdx_error *err) {
  if (!table || !schema || !array)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_table_to_arrow: table, schema and array must not be NULL");
  struct ArrowSchema s = {0};
  struct ArrowArray a = {0};
  const rdx_status status = export_table(table, &s, &a, err);
  if (status == RDX_OK) {
    *schema = s;
    *array = a;
    return RDX_OK;
  }
  if (s.release)
    s.release(&s);
  if (a.release)
    a.release(&a);
  return status;
}
