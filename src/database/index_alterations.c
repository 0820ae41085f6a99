/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Indexes on tables that get other names or columns, or go. The step that changes the table's file decides, wherever
 * the process ends: before it, each definition becomes two statements, what it is and what it is to be, of which the
 * first one holds as long as there is such a table with such columns. Behind it, it becomes the second one. */

#include <string.h>
#include <unistd.h>

#include "database/definitions.h"
#include "database/indexes.h"
#include "database/turn.h"

/* ---- Texts ---- */

/* A name of a table or column of a definition. */
static const char *renamed(const char *name, const char *from, const char *to) {
  return from && strcmp(name, from) == 0 ? to : name;
}

static void put_options(rdx_printed *w, const rdx_sql_statement *s) {
  for (uint32_t i = 0; i < s->option_count; i++) {
    rdx_print(w, "%s", i > 0 ? ", " : " WITH (");
    rdx_print_quoted(w, s->options[i].name, '"');
    if (s->options[i].count == 0)
      continue;
    rdx_print(w, " = ");
    rdx_print_quoted(w, s->options[i].values[0], '\'');
  }
  rdx_print(w, "%s", s->option_count > 0 ? ")" : "");
}

/* CREATE INDEX as it is written, but on a table, or of a column, of another name. */
static void put_definition(rdx_printed *w, const char *name, const rdx_sql_statement *s, const char *column,
                           const char *to) {
  rdx_print(w, "CREATE INDEX ");
  rdx_print_quoted(w, name, '"');
  rdx_print(w, " ON ");
  rdx_print_quoted(w, column ? s->table : to, '"');
  if (s->method) {
    rdx_print(w, " USING ");
    rdx_print_quoted(w, s->method, '"');
  }
  for (uint32_t i = 0; i < s->name_count; i++) {
    rdx_print(w, "%s", i > 0 ? ", " : " (");
    rdx_print_quoted(w, renamed(s->names[i], column, to), '"');
  }
  rdx_print(w, ")");
  put_options(w, s);
}

/* ---- What is to change ---- */

static bool is_on(const rdx_index_entry *e, const char *table, const char *column) {
  bool on = !column;
  for (uint32_t i = 0; i < e->index.column_count && column; i++)
    on |= strcmp(e->index.columns[i], column) == 0;
  return on && strcmp(e->index.table, table) == 0;
}

/* `to` NULL: it goes. */
static rdx_status change_entry(const rdx_index_entry *e, const char *column, const char *to, rdx_index_entry *out,
                               rdx_error *err) {
  RDX_SCOPED(rdx_printed_free) rdx_printed w = {.err = err};
  if (to) {
    put_definition(&w, e->name, e->written, column, to);
    RDX_TRY(w.status);
    return rdx_index_entry_read(out, e->name, w.data, err);
  }
  rdx_print(&w, "DROP INDEX ");
  rdx_print_quoted(&w, e->name, '"');
  RDX_TRY(w.status);
  out->text = RDX_KEEP(w.data);
  return rdx_copy_text(e->name, "an index", &out->name, err);
}

static bool has_change(const rdx_index_alterations *changes, const char *name) {
  for (uint32_t i = 0; i < changes->count; i++)
    if (strcmp(changes->entries[i].name, name) == 0)
      return true;
  return false;
}

static rdx_status add_changes(rdx_database *d, const char *table, const char *column, const char *to,
                              rdx_index_alterations *out, rdx_error *err) {
  if (!out->entries)
    RDX_TRY(rdx_calloc(d->index_count, sizeof *out->entries, "an index", (void **)&out->entries, err));
  for (uint32_t i = 0; i < d->index_count; i++)
    if (is_on(&d->indexes[i], table, column) && !has_change(out, d->indexes[i].name))
      RDX_TRY(change_entry(&d->indexes[i], column, to, &out->entries[out->count++], err));
  return RDX_OK;
}

rdx_status rdx_indexes_rename(rdx_database *d, const char *table, const char *column, const char *to,
                              rdx_index_alterations *out, rdx_error *err) {
  return add_changes(d, table, column, to, out, err);
}

rdx_status rdx_indexes_drop_on(rdx_database *d, const char *table, const char *column, rdx_index_alterations *out,
                               rdx_error *err) {
  return add_changes(d, table, column, NULL, out, err);
}

void rdx_index_alterations_drop(rdx_index_alterations *changes) {
  for (uint32_t i = 0; i < changes->count; i++)
    rdx_index_entry_drop(&changes->entries[i]);
  rdx_free(changes->entries);
}

/* ---- Before and behind the step ---- */

/* Whether the table is there with the columns of the index; one that cannot be read is taken for it. */
static bool fits(rdx_database *d, const rdx_sql_statement *s) {
  RDX_SCOPED(rdx_catalog_release) rdx_catalog_table *table = NULL;
  char nearest[64];
  if (s->kind != RDX_STATEMENT_CREATE_INDEX || rdx_catalog_find(d->catalog, s->table, &table, nearest, NULL) != RDX_OK)
    return s->kind == RDX_STATEMENT_CREATE_INDEX;
  bool all = table && strcmp(table->name, s->table) == 0;
  for (uint32_t k = 0; k < s->name_count && all; k++) {
    uint32_t i = 0;
    while (i < table->column_count && strcmp(table->columns[i].name, s->names[k]) != 0)
      i++;
    all = i < table->column_count;
  }
  return all;
}

rdx_status rdx_indexes_announce(rdx_database *d, const rdx_index_alterations *changes, rdx_error *err) {
  for (uint32_t i = 0; i < changes->count && d->folder; i++) {
    RDX_SCOPED(rdx_printed_free) rdx_printed w = {.err = err};
    const rdx_index_entry *to = &changes->entries[i], *e = rdx_index_entry_find(d, to->name);
    put_definition(&w, e->name, e->written, NULL, e->index.table);
    rdx_print(&w, ";\n");
    rdx_print(&w, "%s", to->text);
    RDX_TRY(w.status);
    RDX_TRY(rdx_definition_write(d, "index", e->name, w.data, err));
  }
  return RDX_OK;
}

void rdx_indexes_withdraw(rdx_database *d, const rdx_index_alterations *changes) {
  for (uint32_t i = 0; i < changes->count; i++) {
    const rdx_index_entry *e = rdx_index_entry_find(d, changes->entries[i].name);
    if (e && fits(d, e->written) && rdx_definition_write(d, "index", e->name, e->text, NULL) != RDX_OK)
      return; /* both statements stay, of which the first one holds */
  }
}

rdx_status rdx_indexes_take(rdx_database *d, rdx_index_alterations *changes, rdx_error *err) {
  for (uint32_t i = 0; i < changes->count; i++) {
    rdx_index_entry *e = &changes->entries[i];
    bool found;
    if (!e->written) {
      RDX_TRY(rdx_indexes_drop(d, e->name, &found, err));
      continue;
    }
    RDX_TRY(rdx_definition_write(d, "index", e->name, e->text, err));
    pthread_mutex_lock(&d->lock);
    rdx_index_entry *place = rdx_index_entry_find(d, e->name);
    const rdx_index_entry old = place ? *place : *e;
    if (place)
      *place = *e;
    *e = old;
    pthread_mutex_unlock(&d->lock);
  }
  if (changes->count > 0)
    rdx_definitions_changed(d);
  return RDX_OK;
}

/* ---- What a process has left ---- */

/* The second statement of a definition where it holds; NULL: the first one does. `*alone` becomes false where there are
 * two. */
static rdx_status find_second(rdx_database *d, const char *text, const char **out, bool *drops, bool *alone,
                              rdx_error *err) {
  rdx_sql_statement *first = NULL, *second = NULL;
  const char *next = NULL, *end = NULL;
  *out = NULL;
  RDX_SCOPED(rdx_arena_free) rdx_arena arena = {0};
  RDX_TRY(rdx_sql_parse(text, &arena, &first, &next, err));
  if (*next)
    RDX_TRY(rdx_sql_parse(next, &arena, &second, &end, err));
  *alone &= !second;
  if (first && second && !fits(d, first)) {
    *drops = second->kind == RDX_STATEMENT_DROP;
    *out = *drops || fits(d, second) ? next : NULL;
  }
  return RDX_OK;
}

/* End what a process did not, unless another one is at it, or was since both statements were read. Until somebody can,
 * the file says what it means. */
static void settle(rdx_database *d, const char *name, const char *both, const char *second, bool drops) {
  int folder;
  if (d->read_only || !rdx_turn_try(d, &folder))
    return;
  rdx_status status = RDX_OK;
  if (rdx_definition_is(d, "index", name, both))
    status =
        drops ? rdx_definition_remove(d, "index", name, NULL) : rdx_definition_write(d, "index", name, second, NULL);
  (void)status;
  close(folder);
}

/* What two statements mean depends on the table: whoever reads them looks again, until one is left. */
rdx_status rdx_indexes_learn(rdx_database *d, const char *name, const char *text, bool *settled, rdx_error *err) {
  const char *second = NULL;
  bool drops = false;
  if (text)
    RDX_TRY(find_second(d, text, &second, &drops, settled, err));
  if (second)
    settle(d, name, text, second, drops);
  rdx_index_entry *e = rdx_index_entry_find(d, name);
  text = drops ? NULL : second ? second : text;
  if (e && text && strcmp(e->text, text) == 0)
    return RDX_OK;
  if (e)
    rdx_index_entry_remove(d, e);
  if (!text)
    return RDX_OK;
  RDX_TRY(rdx_index_entry_add(d, name, text, err));
  rdx_definitions_changed(d);
  return RDX_OK;
}
