/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Indexes: by which method rows of a table are found. The definition is kept; the index itself is built when it is
 * created, and again when it is used first after a restart or after its table was replaced. */

#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "base/options.h"
#include "database/change.h"
#include "database/definitions.h"
#include "database/indexes.h"

static rdx_status fail(const rdx_statement *s, rdx_status status, const char *text, const char *name, rdx_error *err) {
  return rdx_sql_error(err, status, s->prepared->text, s->prepared->statement->place, NULL, "%s \"%.100s\"", text,
                       name);
}

/* ---- Methods ---- */

/* RADIX_HASH is made for each join anew. */
static bool is_index(rdx_index_method method) {
  return method != RDX_INDEX_AUTO && method != RDX_INDEX_RADIX_HASH;
}

static rdx_status no_method(const char *name, rdx_error *err) {
  const char *lookups[RDX_INDEX_METHODS], *scans[RDX_SCAN_METHODS];
  char list[256], scan_list[256];
  for (uint32_t i = 0; i < RDX_INDEX_METHODS; i++)
    lookups[i] = is_index((rdx_index_method)i) ? rdx_index_method_name((rdx_index_method)i) : NULL;
  for (uint32_t i = 0; i < RDX_SCAN_METHODS; i++)
    scans[i] = i != RDX_SCAN_AUTO ? rdx_scan_method_name((rdx_scan_method)i) : NULL;
  rdx_methods_list(lookups, RDX_INDEX_METHODS, list, sizeof list);
  rdx_methods_list(scans, RDX_SCAN_METHODS, scan_list, sizeof scan_list);
  return rdx_fail(err, RDX_ERROR_NOT_FOUND,
                  "there is no method \"%.60s\" of indexes; there are %s for lookups, and %s for scans", name, list,
                  scan_list);
}

/* What USING names: an index for lookups, or a scan's. */
static rdx_status find_method(const char *name, rdx_plan_index *out, rdx_error *err) {
  if (!name || !*name)
    name = "tree";
  if (rdx_index_method_from_name(name, &out->lookup.method, NULL) == RDX_OK && is_index(out->lookup.method))
    return RDX_OK;
  out->scans = true;
  if (rdx_scan_method_from_name(name, &out->scan.method, NULL) == RDX_OK && out->scan.method != RDX_SCAN_AUTO)
    return RDX_OK;
  return no_method(name, err);
}

/* ---- The list ---- */

void rdx_index_entry_drop(rdx_index_entry *e) {
  RDX_FREE_ALL(e->name, e->text);
  rdx_arena_free(&e->arena);
}

void rdx_indexes_free(rdx_database *d) {
  for (uint32_t i = 0; i < d->index_count; i++)
    rdx_index_entry_drop(&d->indexes[i]);
  rdx_free(d->indexes);
}

rdx_index_entry *rdx_index_entry_find(rdx_database *d, const char *name) {
  for (uint32_t i = 0; i < d->index_count; i++)
    if (strcmp(d->indexes[i].name, name) == 0)
      return &d->indexes[i];
  return NULL;
}

static rdx_status set_lookup_option(void *params, const char *name, const char *value, rdx_error *err) {
  return rdx_index_params_set(params, name, value, err);
}

static rdx_status set_scan_option(void *params, const char *name, const char *value, rdx_error *err) {
  return rdx_scan_params_set(params, name, value, err);
}

rdx_status rdx_options_of_with(const rdx_sql_statement *s, const char *text, rdx_option_fn set, void *params,
                               rdx_error *err) {
  for (uint32_t i = 0; i < s->option_count; i++) {
    const rdx_sql_option *o = &s->options[i];
    const char *value = o->count == 0 ? "on" : o->values[0];
    rdx_error why = {""};
    if (rdx_words_alike(value, "true") || rdx_words_alike(value, "false"))
      value = rdx_words_alike(value, "true") ? "on" : "off";
    const rdx_status status = set(params, o->name, value, &why);
    if (status != RDX_OK)
      return rdx_sql_error(err, status, text, o->place, NULL, "%s", why.text);
  }
  return RDX_OK;
}

rdx_status rdx_index_entry_read(rdx_index_entry *e, const char *name, const char *text, rdx_error *err) {
  rdx_sql_statement *s = NULL;
  const char *next = NULL;
  RDX_TRY(rdx_copy_text(name, "an index", &e->name, err));
  RDX_TRY(rdx_copy_text(text, "an index", &e->text, err));
  RDX_TRY(rdx_sql_parse(text, &e->arena, &s, &next, err));
  if (!s || s->kind != RDX_STATEMENT_CREATE_INDEX)
    return rdx_fail(err, RDX_ERROR_FORMAT, "the definition of index '%s' is none", name);
  e->written = s;
  e->index = (rdx_plan_index){.name = e->name, .table = s->table, .columns = s->names, .column_count = s->name_count};
  rdx_error why = {""};
  const rdx_status status = find_method(s->method, &e->index, &why);
  if (status != RDX_OK)
    return rdx_sql_error(err, status, text, s->place, NULL, "%s", why.text);
  return e->index.scans ? rdx_options_of_with(s, text, set_scan_option, &e->index.scan, err)
                        : rdx_options_of_with(s, text, set_lookup_option, &e->index.lookup, err);
}

rdx_status rdx_index_entry_add(rdx_database *d, const char *name, const char *text, rdx_error *err) {
  RDX_SCOPED(rdx_index_entry_drop) rdx_index_entry e = {0};
  RDX_TRY(rdx_index_entry_read(&e, name, text, err));
  RDX_LOCKED(&d->lock);
  RDX_TRY(rdx_realloc((void **)&d->indexes, d->index_count + 1, sizeof *d->indexes, "an index", err));
  d->indexes[d->index_count++] = RDX_KEEP(e);
  return RDX_OK;
}

void rdx_index_entry_remove(rdx_database *d, rdx_index_entry *e) {
  pthread_mutex_lock(&d->lock);
  rdx_index_entry_drop(e);
  *e = d->indexes[--d->index_count];
  pthread_mutex_unlock(&d->lock);
  rdx_definitions_changed(d);
}

/* ---- For plans ---- */

/* With the lock held: whoever drops an index must not take a plan's names with it. */
static rdx_status copy_index(const rdx_plan_index *from, rdx_arena *arena, rdx_plan_index *to, rdx_error *err) {
  const char **columns = NULL;
  *to = *from;
  RDX_TRY(rdx_arena_text(arena, from->name, "an index", &to->name, err));
  RDX_TRY(rdx_arena_text(arena, from->table, "an index", &to->table, err));
  RDX_TRY(rdx_arena_alloc(arena, from->column_count, sizeof *columns, "an index", (void **)&columns, err));
  for (uint32_t i = 0; i < from->column_count; i++)
    RDX_TRY(rdx_arena_text(arena, from->columns[i], "an index", &columns[i], err));
  to->columns = columns;
  return RDX_OK;
}

rdx_status rdx_indexes_list(rdx_prepared *p, rdx_plan_index **out, uint32_t *count, rdx_error *err) {
  rdx_database *d = p->database;
  *count = 0;
  RDX_LOCKED(&d->lock);
  if (d->index_count > 0)
    RDX_TRY(rdx_arena_alloc(&p->arena, d->index_count, sizeof **out, "indexes", (void **)out, err));
  for (uint32_t i = 0; i < d->index_count; i++)
    RDX_TRY(copy_index(&d->indexes[i].index, &p->arena, &(*out)[(*count)++], err));
  return RDX_OK;
}

/* ---- Statements ---- */

static rdx_status find_columns(const rdx_statement *s, const rdx_catalog_table *table, const rdx_plan_index *index,
                               uint32_t *out, rdx_error *err) {
  for (uint32_t k = 0; k < index->column_count; k++) {
    uint32_t i = 0;
    while (i < table->column_count && strcmp(table->columns[i].name, index->columns[k]) != 0)
      i++;
    if (i == table->column_count)
      return fail(s, RDX_ERROR_NOT_FOUND, "the table has no column", index->columns[k], err);
    out[k] = i;
  }
  return RDX_OK;
}

/* Build it, so that whatever is in the way is known now. */
static rdx_status build(rdx_statement *s, rdx_catalog_table *table, const rdx_plan_index *index, rdx_error *err) {
  rdx_catalog *catalog = s->database->catalog;
  const rdx_scan *scan = NULL;
  const rdx_index *built = NULL;
  uint32_t columns[16], numbers[16];
  const uint32_t max = index->scans ? RDX_COUNT(columns) : RDX_INDEX_COLUMNS;
  if (index->column_count > max)
    return rdx_sql_error(err, RDX_ERROR_UNSUPPORTED, s->prepared->text, s->prepared->statement->place, NULL,
                         "such an index has at most %u columns", max);
  RDX_TRY(find_columns(s, table, index, columns, err));
  if (!index->scans)
    return rdx_catalog_index(catalog, table, columns, index->column_count, &index->lookup, &built, err);
  return rdx_catalog_scan(catalog, table, columns, index->column_count, &index->scan, &scan, numbers, err);
}

static rdx_status create(rdx_statement *s, const char *name, rdx_catalog_table *table, rdx_error *err) {
  rdx_database *d = s->database;
  RDX_SCOPED(rdx_free_local) char *text = NULL;
  RDX_TRY(rdx_copy_bytes(s->prepared->text, s->prepared->rest, "an index", &text, err));
  RDX_TRY(rdx_index_entry_add(d, name, text, err));
  rdx_status status = build(s, table, &d->indexes[d->index_count - 1].index, err);
  if (status == RDX_OK)
    status = rdx_definition_write(d, "index", name, text, err);
  if (status != RDX_OK)
    rdx_index_entry_remove(d, &d->indexes[d->index_count - 1]);
  rdx_definitions_changed(d);
  return status;
}

/* As PostgreSQL names an index without a name. */
static void make_name(const rdx_sql_statement *written, char *out, size_t size) {
  size_t used = (size_t)snprintf(out, size, "%s", written->table);
  for (uint32_t i = 0; i < written->name_count && used < size; i++)
    used += (size_t)snprintf(out + used, size - used, "_%s", written->names[i]);
  if (used < size)
    snprintf(out + used, size - used, "_idx");
}

rdx_status rdx_indexes_create(rdx_statement *s, rdx_answer *answer, rdx_error *err) {
  rdx_database *d = s->database;
  const rdx_sql_statement *written = s->prepared->statement;
  RDX_SCOPED(rdx_catalog_release) rdx_catalog_table *table = NULL;
  char nearest[64], name[256];
  if (written->name)
    snprintf(name, sizeof name, "%s", written->name);
  else
    make_name(written, name, sizeof name);
  snprintf(answer->tag, sizeof answer->tag, "CREATE INDEX");
  if (rdx_index_entry_find(d, name))
    return written->if_not_exists ? RDX_OK : fail(s, RDX_ERROR_ARGUMENT, "there is already an index", name, err);
  if (rdx_defined_has(d, written->table, true))
    return fail(s, RDX_ERROR_UNSUPPORTED, "cannot create an index on view", written->table, err);
  RDX_TRY(rdx_catalog_find(d->catalog, written->table, &table, nearest, err));
  if (!table)
    return fail(s, RDX_ERROR_NOT_FOUND, "there is no table", written->table, err);
  RDX_TRY(rdx_change_check_lasts(s, table, "an index", err));
  return create(s, name, table, err);
}

rdx_status rdx_indexes_drop(rdx_database *d, const char *name, bool *found, rdx_error *err) {
  rdx_index_entry *e = rdx_index_entry_find(d, name);
  *found = e != NULL;
  if (!e)
    return RDX_OK;
  RDX_TRY(rdx_definition_remove(d, "index", name, err));
  rdx_index_entry_remove(d, e);
  return RDX_OK;
}
