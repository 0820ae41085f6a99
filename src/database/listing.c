/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* What a database has, as tables. */

#include <stdlib.h>
#include <string.h>

#include "database/definitions.h"
#include "table/table.h"

typedef struct line {
  const char *name, *kind, *table, *method; /* table: NULL: several */
  const char *const *columns;
  uint32_t column_count;
} line;

static int compare_lines(const void *a, const void *b) {
  return strcmp(((const line *)a)->name, ((const line *)b)->name);
}

/* Views and indexes by their names; with the lock held, and as long as it is. */
static rdx_status list_lines(const rdx_database *d, line **out, rdx_error *err) {
  line *to = NULL;
  RDX_TRY(rdx_alloc(d->view_count + d->index_count + 1, sizeof *to, "a list", (void **)&to, err));
  *out = to;
  for (uint32_t i = 0; i < d->index_count; i++) {
    const rdx_plan_index *x = &d->indexes[i].index;
    *to++ = (line){.name = x->name,
                   .kind = "index",
                   .table = x->table,
                   .method = x->scans ? rdx_scan_method_name(x->scan.method) : rdx_index_method_name(x->lookup.method),
                   .columns = x->columns,
                   .column_count = x->column_count};
  }
  for (uint32_t i = 0; i < d->view_count; i++)
    *to++ = (line){
        .name = d->views[i].name, .kind = "materialized view", .method = rdx_star_method_name(d->views[i].star.method)};
  qsort(*out, d->view_count + d->index_count, sizeof **out, compare_lines);
  return RDX_OK;
}

static rdx_status add_text(rdx_growing *column, uint64_t row, const char *text, rdx_error *err) {
  return text ? rdx_growing_add_string(column, row, text, strlen(text), err) : rdx_growing_add_null(column, row, err);
}

/* Names with commas between them; NULL where there are none. */
static rdx_status add_names(rdx_growing *column, uint64_t row, const char *const *names, uint32_t count,
                            rdx_error *err) {
  RDX_SCOPED(rdx_printed_free) rdx_printed text = {.err = err};
  if (count == 0)
    return rdx_growing_add_null(column, row, err);
  for (uint32_t i = 0; i < count; i++)
    rdx_print(&text, "%s%s", i > 0 ? ", " : "", names[i]);
  RDX_TRY(text.status);
  return rdx_growing_add_string(column, row, text.data, text.size, err);
}

static rdx_status start_column(rdx_growing *column, const char *name, rdx_type type, uint8_t scale, rdx_error *err) {
  RDX_TRY(rdx_copy_text(name, "a list", &column->name, err));
  return rdx_growing_start(column, type, scale, 0, err);
}

static rdx_status fill(rdx_table *table, const line *lines, uint32_t count, rdx_error *err) {
  static const char *const names[] = {"name", "kind", "table", "method", "columns"};
  for (uint32_t i = 0; i < RDX_COUNT(names); i++) {
    RDX_TRY(start_column(&table->columns[i], names[i], RDX_TYPE_STRING, 0, err));
    RDX_TRY(rdx_growing_reserve(&table->columns[i], count, err));
  }
  for (uint32_t row = 0; row < count; row++) {
    const char *const texts[] = {lines[row].name, lines[row].kind, lines[row].table, lines[row].method};
    for (uint32_t i = 0; i < RDX_COUNT(texts); i++)
      RDX_TRY(add_text(&table->columns[i], row, texts[i], err));
    RDX_TRY(add_names(&table->columns[RDX_COUNT(texts)], row, lines[row].columns, lines[row].column_count, err));
  }
  rdx_table_finish(table, count);
  return RDX_OK;
}

rdx_status rdx_database_indexes(rdx_database *database, rdx_table **out, rdx_error *err) {
  RDX_SCOPED(rdx_free_local) line *lines = NULL;
  RDX_SCOPED(rdx_table_destroy) rdx_table *table = NULL;
  if (!database || !out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_database_indexes: database and out must not be NULL");
  RDX_TRY(rdx_definitions_refresh(database, err));
  RDX_TRY(rdx_table_create(5, &table, err));
  RDX_LOCKED(&database->lock);
  RDX_TRY(list_lines(database, &lines, err));
  RDX_TRY(fill(table, lines, database->index_count + database->view_count, err));
  *out = RDX_KEEP(table);
  return RDX_OK;
}

/* ---- What is prepared ---- */

enum { KIND, VIEWS, TABLES, COLUMNS, METHOD, BYTES, USES, IDLE };

static const struct {
  const char *name;
  rdx_type type;
} prepared_columns[] = {[KIND] = {"kind", RDX_TYPE_STRING},     [VIEWS] = {"views", RDX_TYPE_STRING},
                        [TABLES] = {"tables", RDX_TYPE_STRING}, [COLUMNS] = {"columns", RDX_TYPE_STRING},
                        [METHOD] = {"method", RDX_TYPE_STRING}, [BYTES] = {"bytes", RDX_TYPE_U64},
                        [USES] = {"uses", RDX_TYPE_U64},        [IDLE] = {"idle_ms", RDX_TYPE_F64}};

typedef struct listing {
  rdx_table *table;
  uint64_t rows;
  double now_ms;
} listing;

static rdx_status add_kept_names(listing *l, const rdx_catalog_kept *kept, rdx_error *err) {
  rdx_growing *to = l->table->columns;
  const char *tables[RDX_COUNT(kept->tables)];
  RDX_SCOPED(rdx_free_local) const char **columns = NULL;
  for (uint32_t i = 0; i < kept->table_count; i++)
    tables[i] = kept->tables[i]->name;
  RDX_TRY(rdx_alloc(kept->column_count + 1, sizeof *columns, "a list", (void **)&columns, err));
  for (uint32_t i = 0; i < kept->column_count; i++)
    columns[i] = kept->tables[0]->columns[kept->columns[i]].name;
  RDX_TRY(add_names(&to[VIEWS], l->rows, (const char *const *)kept->cubes, kept->cube_count, err));
  RDX_TRY(add_names(&to[TABLES], l->rows, tables, kept->table_count, err));
  return add_names(&to[COLUMNS], l->rows, columns, kept->column_count, err);
}

static rdx_status add_kept(void *user, const rdx_catalog_kept *kept, rdx_error *err) {
  listing *l = user;
  rdx_growing *to = l->table->columns;
  const double idle_ms = l->now_ms - kept->used_ms;
  for (uint32_t i = 0; i < RDX_COUNT(prepared_columns); i++)
    RDX_TRY(rdx_growing_reserve(&to[i], l->rows + 1, err));
  RDX_TRY(add_text(&to[KIND], l->rows, kept->kind, err));
  RDX_TRY(add_kept_names(l, kept, err));
  RDX_TRY(add_text(&to[METHOD], l->rows, kept->method, err));
  ((uint64_t *)to[BYTES].values)[l->rows] = kept->bytes;
  ((uint64_t *)to[USES].values)[l->rows] = kept->uses;
  ((double *)to[IDLE].values)[l->rows] = idle_ms > 0 ? idle_ms : 0;
  l->rows++;
  return RDX_OK;
}

rdx_status rdx_database_prepared(rdx_database *database, rdx_table **out, rdx_error *err) {
  RDX_SCOPED(rdx_table_destroy) rdx_table *table = NULL;
  if (!database || !out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_database_prepared: database and out must not be NULL");
  RDX_TRY(rdx_table_create(RDX_COUNT(prepared_columns), &table, err));
  for (uint32_t i = 0; i < RDX_COUNT(prepared_columns); i++)
    RDX_TRY(start_column(&table->columns[i], prepared_columns[i].name, prepared_columns[i].type, 0, err));
  listing l = {.table = table, .now_ms = rdx_now_ms()};
  RDX_TRY(rdx_catalog_visit(database->catalog, add_kept, &l, err));
  rdx_table_finish(table, l.rows);
  *out = RDX_KEEP(table);
  return RDX_OK;
}

void rdx_database_trim(rdx_database *database, uint64_t bytes) {
  if (database)
    rdx_catalog_trim(database->catalog, bytes);
}

/* ---- Columns ---- */

static rdx_status start_declared(rdx_growing *column, const rdx_catalog_column *like, rdx_error *err) {
  RDX_TRY(rdx_growing_describe(column, like->name, like->declaration, err));
  return rdx_growing_start(column, like->type, like->scale, 1, err);
}

static rdx_status list_columns(const rdx_catalog_table *from, rdx_table **out, rdx_error *err) {
  RDX_SCOPED(rdx_table_destroy) rdx_table *table = NULL;
  RDX_TRY(rdx_table_create(from->column_count, &table, err));
  RDX_TRY(rdx_table_constrain(table, from->constraints, err));
  for (uint32_t i = 0; i < from->column_count; i++)
    RDX_TRY(start_declared(&table->columns[i], &from->columns[i], err));
  rdx_table_finish(table, 0);
  *out = RDX_KEEP(table);
  return RDX_OK;
}

static rdx_status list_plan(const rdx_plan_node *root, rdx_table **out, rdx_error *err) {
  RDX_SCOPED(rdx_table_destroy) rdx_table *table = NULL;
  RDX_TRY(rdx_table_create(root->column_count, &table, err));
  for (uint32_t i = 0; i < root->column_count; i++)
    RDX_TRY(start_column(&table->columns[i], root->columns[i].name, rdx_column_type(root->columns[i].type.kind),
                         root->columns[i].type.kind == RDX_SQL_DECIMAL ? root->columns[i].type.scale : 0, err));
  rdx_table_finish(table, 0);
  *out = RDX_KEEP(table);
  return RDX_OK;
}

static rdx_status list_view(rdx_database *d, const char *name, rdx_table **out, rdx_error *err) {
  RDX_SCOPED(rdx_free_local) char *text = NULL;
  RDX_SCOPED(rdx_prepared_release) rdx_prepared *p = NULL;
  RDX_TRY(rdx_select_text(name, "", &text, err));
  RDX_TRY(rdx_prepared_alone(d, text, NULL, &p, err));
  return list_plan(p->plan->root, out, err);
}

rdx_status rdx_columns_list(rdx_database *d, const char *name, rdx_table **out, rdx_error *err) {
  RDX_SCOPED(rdx_catalog_release) rdx_catalog_table *table = NULL;
  char nearest[64] = "";
  if (rdx_defined_has(d, name, true))
    return list_view(d, name, out, err);
  RDX_TRY(rdx_catalog_find(d->catalog, name, &table, nearest, err));
  if (!table && rdx_defined_has(d, name, false))
    return list_view(d, name, out, err);
  if (!table)
    return rdx_fail(err, RDX_ERROR_NOT_FOUND, "table \"%.200s\" does not exist%s%s%s", name,
                    *nearest ? "; did you mean \"" : "", nearest, *nearest ? "\"?" : "");
  return list_columns(table, out, err);
}

rdx_status rdx_database_columns(rdx_database *database, const char *name, rdx_table **out, rdx_error *err) {
  if (!database || !name || !out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_database_columns: database, name and out must not be NULL");
  RDX_TRY(rdx_definitions_refresh(database, err));
  return rdx_columns_list(database, name, out, err);
}
