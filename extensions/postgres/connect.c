/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "raydex_fdw.h"

#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <access/htup_details.h>
#include <access/table.h>
#include <catalog/pg_attribute.h>
#include <catalog/pg_foreign_server.h>
#include <commands/defrem.h>
#include <foreign/foreign.h>
#include <miscadmin.h>
#include <utils/acl.h>
#include <utils/builtins.h>
#include <utils/lsyscache.h>
#include <utils/memutils.h>
#include <utils/rel.h>


#define VIEW_ROWS 100000 /* nobody knows how many rows a view has */

/* The databases that this backend has opened, by their folders. */
typedef struct OpenFolder {
  struct OpenFolder *next;
  char *folder;
  rdx_database *database;
} OpenFolder;

static rdx_device *device;
static OpenFolder *folders;
static RaydexTable *tables;

/* ---- Calls ---- */

/* Asked by the library while it works, by any of its threads. Raising an error waits until it has returned. */
static bool is_cancelled(void *user, const char *stage, uint64_t done, uint64_t total) {
  (void)user, (void)stage, (void)done, (void)total;
  return InterruptPending && (QueryCancelPending || ProcDiePending);
}

static int state_of(rdx_status status) {
  switch (status) {
  case RDX_ERROR_OVERFLOW:
  case RDX_ERROR_RANGE:
    return ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE;
  case RDX_ERROR_MEMORY:
  case RDX_ERROR_DEVICE_MEMORY:
    return ERRCODE_OUT_OF_MEMORY;
  case RDX_ERROR_IO:
    return ERRCODE_IO_ERROR;
  case RDX_ERROR_NOT_FOUND:
    return ERRCODE_FDW_TABLE_NOT_FOUND;
  case RDX_ERROR_FORMAT:
    return ERRCODE_DATA_CORRUPTED;
  case RDX_ERROR_CANCELLED:
    return ERRCODE_QUERY_CANCELED;
  default:
    return ERRCODE_FDW_ERROR;
  }
}

void raydex_check(rdx_status status, const rdx_error *error, const char *sql) {
  if (status == RDX_OK)
    return;
  if (status == RDX_ERROR_CANCELLED)
    CHECK_FOR_INTERRUPTS();
  const bool overflow = status == RDX_ERROR_OVERFLOW && sql;
  ereport(ERROR,
          (errcode(state_of(status)), errmsg("raydex: %s", error->text), sql ? errcontext("Raydex SQL: %s", sql) : 0,
           overflow ? errhint("SET raydex.pushdown = off leaves the calculation to PostgreSQL.") : 0));
}

void raydex_block_signals(sigset_t *old) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, old);
}

void raydex_unblock_signals(const sigset_t *old) {
  pthread_sigmask(SIG_SETMASK, old, NULL);
}

/* Opened after the fork of the backend, never before: threads do not survive a fork. */
rdx_device *raydex_device(void) {
  rdx_error error;
  sigset_t old;
  if (device)
    return device;
  const rdx_device_params params = {.threads = (uint32_t)raydex_threads};
  raydex_block_signals(&old);
  const rdx_status status = rdx_device_open("cpu", &params, &device, &error);
  raydex_unblock_signals(&old);
  raydex_check(status, &error, NULL);
  rdx_set_progress(is_cancelled, NULL);
  return device;
}

rdx_database *raydex_database(const char *folder) {
  for (const OpenFolder *f = folders; f; f = f->next)
    if (strcmp(f->folder, folder) == 0)
      return f->database;
  rdx_error error;
  sigset_t old;
  raydex_device();
  OpenFolder *f = MemoryContextAllocZero(TopMemoryContext, sizeof *f);
  f->folder = MemoryContextStrdup(TopMemoryContext, folder);
  const rdx_database_params params = {.read_only = true, .safe = true};
  raydex_block_signals(&old);
  const rdx_status status = rdx_database_open(device, folder, &params, &f->database, &error);
  raydex_unblock_signals(&old);
  if (status != RDX_OK) {
    pfree(f->folder);
    pfree(f);
    raydex_check(status, &error, NULL);
  }
  f->next = folders;
  folders = f;
  return f->database;
}

/* ---- Tables ---- */

static const char *find_option(List *options, const char *name) {
  ListCell *cell;
  foreach (cell, options) {
    DefElem *option = lfirst(cell);
    if (strcmp(option->defname, name) == 0)
      return defGetString(option);
  }
  return NULL;
}

const char *raydex_folder_of_server(Oid server) {
  return find_option(GetForeignServer(server)->options, "folder");
}

bool raydex_may_use_server(Oid server) {
#if PG_VERSION_NUM >= 160000
  return object_aclcheck(ForeignServerRelationId, server, GetUserId(), ACL_USAGE) == ACLCHECK_OK;
#else
  return pg_foreign_server_aclcheck(server, GetUserId(), ACL_USAGE) == ACLCHECK_OK;
#endif
}

const char *raydex_column_name(Oid relation, AttrNumber attribute) {
  const char *name = find_option(GetForeignColumnOptions(relation, attribute), "column");
  return name ? name : get_attname(relation, attribute, false);
}

int raydex_column_place(const RaydexTable *table, Oid relation, AttrNumber attribute) {
  const char *name = raydex_column_name(relation, attribute);
  for (int i = 0; i < table->count; i++) {
    if (strcmp(table->names[i], name) == 0)
      return i;
  }
  return -1;
}

/* The file must lie in the folder itself, also where there are links. NULL: there is none of that end. */
static char *find_file(const char *folder, const char *name, const char *end, struct stat *s) {
  char root[PATH_MAX], path[PATH_MAX];
  char *wanted = psprintf("%s/%s.%s", folder, name, end);
  if (stat(wanted, s) != 0 || !realpath(wanted, path)) {
    if (errno == EACCES)
      ereport(ERROR, (errcode_for_file_access(), errmsg("could not read \"%s\": %m", wanted)));
    return NULL;
  }
  if (!realpath(folder, root))
    ereport(ERROR, (errcode_for_file_access(), errmsg("could not read folder \"%s\": %m", folder)));
  const size_t length = strlen(root);
  if (strncmp(path, root, length) != 0 || path[length] != '/')
    ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                    errmsg("\"%s\" is a link out of the folder of its server", wanted),
                    errhint("Copy the file into the folder.")));
  return wanted;
}

static bool is_same(const RaydexTable *t, const struct stat *s) {
  return t->device == (uint64)s->st_dev && t->inode == (uint64)s->st_ino && t->size == (uint64)s->st_size &&
         t->seconds == (uint64)s->st_mtim.tv_sec && t->nanoseconds == (uint64)s->st_mtim.tv_nsec;
}

static void remember_file(RaydexTable *t, const struct stat *s) {
  t->device = (uint64)s->st_dev;
  t->inode = (uint64)s->st_ino;
  t->size = (uint64)s->st_size;
  t->seconds = (uint64)s->st_mtim.tv_sec;
  t->nanoseconds = (uint64)s->st_mtim.tv_nsec;
}

static void *make(size_t size) {
  return MemoryContextAllocZero(TopMemoryContext, size > 0 ? size : 1);
}

static void copy_columns(RaydexTable *t, const rdx_table *columns) {
  t->count = (int)rdx_table_columns(columns);
  t->names = make(sizeof *t->names * (size_t)t->count);
  t->types = make(sizeof *t->types * (size_t)t->count);
  t->scales = make(sizeof *t->scales * (size_t)t->count);
  t->ranges = make(sizeof *t->ranges * (size_t)t->count);
  for (int i = 0; i < t->count; i++) {
    const rdx_column *column = rdx_table_column(columns, (uint32_t)i);
    t->names[i] = MemoryContextStrdup(TopMemoryContext, rdx_table_column_name(columns, (uint32_t)i));
    t->types[i] = column->type;
    t->scales[i] = column->scale;
  }
}

static void free_columns(RaydexTable *t) {
  for (int i = 0; i < t->count; i++)
    pfree(t->names[i]);
  if (t->names) {
    pfree(t->names);
    pfree(t->types);
    pfree(t->scales);
    pfree(t->ranges);
  }
  t->names = NULL;
  t->count = 0;
}

static double numeric_value(const rdx_column *c) {
  switch (c->type) {
  case RDX_TYPE_I8:
    return *(const int8 *)c->values;
  case RDX_TYPE_U8:
    return *(const uint8 *)c->values;
  case RDX_TYPE_I16:
    return *(const int16 *)c->values;
  case RDX_TYPE_U16:
    return *(const uint16 *)c->values;
  case RDX_TYPE_DATE:
  case RDX_TYPE_I32:
    return *(const int32 *)c->values;
  case RDX_TYPE_U32:
    return *(const uint32 *)c->values;
  case RDX_TYPE_U64:
    return (double)*(const uint64 *)c->values;
  case RDX_TYPE_DECIMAL:
    return (double)*(const int64 *)c->values / pow(10, c->scale);
  case RDX_TYPE_TIMESTAMP:
  case RDX_TYPE_I64:
    return (double)*(const int64 *)c->values;
  default:
    return NAN;
  }
}

static void read_range(const rdx_table *opened, RaydexRange *range) {
  rdx_column_stats stats;
  rdx_error error;
  if (rdx_table_get_stats(opened, 0, &stats, &error) != RDX_OK)
    return;
  range->distinct = (double)stats.distinct;
  if (stats.min.rows == 0 || stats.max.rows == 0)
    return;
  range->min = numeric_value(&stats.min);
  range->max = numeric_value(&stats.max);
  range->known = !isnan(range->min) && !isnan(range->max);
  if (range->known && range->distinct == 0)
    range->distinct = range->max - range->min + 1;
}

/* Opening a column verifies it; the rows of a table cost its first column. */
static void open_column(RaydexTable *t, int place) {
  rdx_error error;
  rdx_table *opened = NULL;
  const char *name = t->names[place];
  t->ranges[place].asked = true;
  raydex_check(rdx_table_open_columns(t->path, &name, 1, &opened, &error), &error, NULL);
  t->rows = (double)rdx_table_rows(opened);
  read_range(opened, &t->ranges[place]);
  rdx_table_destroy(&opened);
}

const RaydexRange *raydex_range(RaydexTable *table, int place) {
  if (table->path && !table->ranges[place].asked)
    open_column(table, place);
  return &table->ranges[place];
}

static RaydexTable *find_known(const char *folder, const char *name) {
  for (RaydexTable *t = tables; t; t = t->next) {
    if (strcmp(t->folder, folder) == 0 && strcmp(t->name, name) == 0)
      return t;
  }
  RaydexTable *t = make(sizeof *t);
  t->folder = MemoryContextStrdup(TopMemoryContext, folder);
  t->name = MemoryContextStrdup(TopMemoryContext, name);
  t->next = tables;
  tables = t;
  return t;
}

static void read_table(RaydexTable *t, const char *path, const struct stat *s) {
  rdx_error error;
  rdx_table *columns = NULL;
  sigset_t old;
  rdx_database *database = raydex_database(t->folder);
  raydex_block_signals(&old);
  const rdx_status status = rdx_database_columns(database, t->name, &columns, &error);
  raydex_unblock_signals(&old);
  raydex_check(status, &error, NULL);
  free_columns(t);
  copy_columns(t, columns);
  rdx_table_destroy(&columns);
  if (t->path)
    pfree(t->path);
  t->path = path ? MemoryContextStrdup(TopMemoryContext, path) : NULL;
  t->rows = (double)s->st_size / 100; /* of CSV: what a line may take */
  if (t->path && t->count > 0)
    open_column(t, 0);
  remember_file(t, s);
}

bool raydex_table_exists(const char *folder, const char *name) {
  struct stat s;
  return find_file(folder, name, "rdx", &s) || find_file(folder, name, "csv", &s) ||
         find_file(folder, name, "query", &s);
}

RaydexTable *raydex_table_find(const char *folder, const char *name) {
  struct stat s;
  char *path = find_file(folder, name, "rdx", &s);
  const bool is_view = !path && !find_file(folder, name, "csv", &s);
  if (is_view && !find_file(folder, name, "query", &s))
    ereport(ERROR, (errcode(ERRCODE_FDW_TABLE_NOT_FOUND),
                    errmsg("there is no table file \"%s.rdx\" in folder \"%s\"", name, folder),
                    errhint("The option \"table\" of a foreign table names its file; without it that is its name.")));
  RaydexTable *t = find_known(folder, name);
  if (is_view || !t->names || !is_same(t, &s)) {
    free_columns(t);
    read_table(t, path, &s);
  }
  if (is_view)
    t->rows = VIEW_ROWS;
  return t;
}

static void check_declarations(const RaydexTable *t, Oid relation) {
  Relation opened = table_open(relation, NoLock);
  TupleDesc attributes = RelationGetDescr(opened);
  for (int i = 0; i < attributes->natts; i++) {
    Form_pg_attribute a = TupleDescAttr(attributes, i);
    if (a->attisdropped)
      continue;
    const int place = raydex_column_place(t, relation, a->attnum);
    if (place < 0)
      ereport(ERROR,
              (errcode(ERRCODE_FDW_COLUMN_NAME_NOT_FOUND),
               errmsg("table file \"%s\" has no column \"%s\"", t->name, raydex_column_name(relation, a->attnum)),
               errhint("The option \"column\" of a column names that of the file.")));
    if (!raydex_type_fits(t->types[place], t->scales[place], a->atttypid, a->atttypmod))
      ereport(
          ERROR,
          (errcode(ERRCODE_FDW_INVALID_DATA_TYPE),
           errmsg("column \"%s\" of foreign table \"%s\" is declared %s, and is %s in its file", NameStr(a->attname),
                  RelationGetRelationName(opened), format_type_be(a->atttypid), rdx_type_name(t->types[place])),
           errhint("ALTER FOREIGN TABLE %s ALTER COLUMN %s TYPE %s", quote_identifier(RelationGetRelationName(opened)),
                   quote_identifier(NameStr(a->attname)), raydex_declaration(t->types[place], t->scales[place]))));
  }
  table_close(opened, NoLock);
}

RaydexTable *raydex_table_of(Oid relation) {
  ForeignTable *foreign = GetForeignTable(relation);
  const char *name = find_option(foreign->options, "table");
  RaydexTable *t = raydex_table_find(raydex_folder_of_server(foreign->serverid), name ? name : get_rel_name(relation));
  check_declarations(t, relation);
  return t;
}
