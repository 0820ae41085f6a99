/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Relations made of tables by the names of their columns. */

#include <raydex/table.h>

#include <string.h>

#include "base/base.h"

/* A relation and its arrays, in one piece of memory. */
typedef struct owned_relation {
  rdx_relation relation; /* the first member: what the caller has */
  rdx_dimension dimensions[8];
  rdx_attribute attributes[];
} owned_relation;

/* A fact table and its dimensions: table 0 and those from 1 on. */
typedef struct tables {
  const rdx_table *fact;
  const rdx_table_dimension *dimensions;
  uint32_t count; /* of dimensions */
} tables;

static const rdx_table *table_of(const tables *t, uint32_t number) {
  return number == 0 ? t->fact : t->dimensions[number - 1].table;
}

static uint32_t columns_named(const rdx_table *table, const char *name) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < rdx_table_columns(table); i++)
    count += strcmp(rdx_table_column_name(table, i), name) == 0;
  return count;
}

/* The table of a column, which only one table may have. */
static rdx_status find_table(const tables *t, const char *name, uint32_t *out, rdx_error *err) {
  uint32_t found = 0;
  for (uint32_t i = 0; i <= t->count; i++) {
    if (columns_named(table_of(t, i), name) == 0)
      continue;
    if (found++ > 0)
      return rdx_fail(
          err, RDX_ERROR_ARGUMENT,
          "rdx_relation_from_tables: tables %u and %u both have a column '%s'; rename one of them, or leave "
          "it out when a table is opened (rdx_table_open_columns())",
          *out, i, name);
    *out = i;
  }
  return found > 0 ? RDX_OK
                   : rdx_fail(err, RDX_ERROR_NOT_FOUND, "rdx_relation_from_tables: no table has a column '%s'", name);
}

static rdx_status add_attribute(const tables *t, const char *name, owned_relation *r, rdx_error *err) {
  rdx_attribute *a = &r->attributes[r->relation.attribute_count];
  const rdx_column *column = NULL;
  if (!name)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_relation_from_tables: attribute %u has no name",
                    r->relation.attribute_count);
  RDX_TRY(find_table(t, name, &a->dimension, err));
  RDX_TRY(rdx_table_find(table_of(t, a->dimension), name, &column, err));
  for (uint32_t i = 0; i < rdx_table_columns(table_of(t, a->dimension)); i++)
    if (rdx_table_column(table_of(t, a->dimension), i) == column)
      a->name = rdx_table_column_name(table_of(t, a->dimension), i); /* which lives as long as the table */
  a->column = *column;
  r->relation.attribute_count++;
  return RDX_OK;
}

static rdx_status add_all(const tables *t, owned_relation *r, rdx_error *err) {
  for (uint32_t i = 0; i <= t->count; i++)
    for (uint32_t k = 0; k < rdx_table_columns(table_of(t, i)); k++)
      RDX_TRY(add_attribute(t, rdx_table_column_name(table_of(t, i), k), r, err));
  return RDX_OK;
}

static rdx_status add_dimension(const tables *t, uint32_t number, owned_relation *r, rdx_error *err) {
  const rdx_table_dimension *d = &t->dimensions[number];
  const rdx_column *foreign_key = NULL, *key = NULL;
  RDX_TRY(rdx_table_find(t->fact, d->foreign_key, &foreign_key, err));
  RDX_TRY(rdx_table_find(d->table, d->key, &key, err));
  r->dimensions[number] = (rdx_dimension){.foreign_key = *foreign_key, .key = *key};
  r->relation.dimension_count++;
  return RDX_OK;
}

static rdx_status check(const tables *t, const char *const *attributes, uint32_t count, rdx_relation **out,
                        rdx_error *err) {
  if (!t->fact || (t->count > 0 && !t->dimensions) || (count > 0 && !attributes) || !out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_relation_from_tables: tables, attributes and out must not be NULL");
  if (t->count > RDX_COUNT(((owned_relation *)0)->dimensions))
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "rdx_relation_from_tables: a relation has at most 8 dimensions, not %u",
                    t->count);
  for (uint32_t i = 0; i < t->count; i++)
    if (!t->dimensions[i].table || !t->dimensions[i].foreign_key || !t->dimensions[i].key)
      return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_relation_from_tables: dimension %u lacks its table or a key", i);
  return RDX_OK;
}

rdx_status rdx_relation_from_tables(const rdx_table *fact, const rdx_table_dimension *dimensions,
                                    uint32_t dimension_count, const char *const *attributes, uint32_t attribute_count,
                                    rdx_relation **out, rdx_error *err) {
  const tables t = {fact, dimensions, dimension_count};
  RDX_SCOPED(rdx_free_local) owned_relation *r = NULL;
  RDX_TRY(check(&t, attributes, attribute_count, out, err));
  uint64_t max = attribute_count;
  for (uint32_t i = 0; i <= dimension_count && !attributes; i++)
    max += rdx_table_columns(table_of(&t, i));
  RDX_TRY(rdx_calloc(1, sizeof *r + max * sizeof *r->attributes, "a relation", (void **)&r, err));
  r->relation = (rdx_relation){.rows = rdx_table_rows(fact), .attributes = r->attributes, .dimensions = r->dimensions};
  if (!attributes)
    RDX_TRY(add_all(&t, r, err));
  for (uint32_t i = 0; i < attribute_count; i++)
    RDX_TRY(add_attribute(&t, attributes[i], r, err));
  for (uint32_t i = 0; i < dimension_count; i++)
    RDX_TRY(add_dimension(&t, i, r, err));
  *out = &RDX_KEEP(r)->relation;
  return RDX_OK;
}

rdx_status rdx_relation_find(const rdx_relation *relation, const char *name, uint32_t *out, rdx_error *err) {
  if (!relation || !name || !out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_relation_find: relation, name and out must not be NULL");
  for (uint32_t i = 0; i < relation->attribute_count; i++) {
    if (strcmp(relation->attributes[i].name, name) != 0)
      continue;
    *out = i;
    return RDX_OK;
  }
  return rdx_fail(err, RDX_ERROR_NOT_FOUND, "the relation has no attribute '%s'", name);
}

void rdx_relation_destroy(rdx_relation **relation) {
  if (!relation)
    return;
  rdx_free(*relation);
  *relation = NULL;
}
