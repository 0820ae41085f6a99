/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Names and the tables they stand for: versions of files, opened when they are asked for. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/replace.h"
#include "base/words.h"
#include "catalog/internal.h"
#include "table/format.h"
#include "table/parquet.h"
#include "table/table.h"

#define WHAT "a catalog"

/* ---- Versions ---- */

void rdx_kept_scan_drop(rdx_kept_scan *s) {
  rdx_scan_destroy(&s->scan);
  rdx_free(s->columns);
}

static void drop_prepared(rdx_table_version *v) {
  for (uint32_t i = 0; i < v->scan_count; i++)
    rdx_kept_scan_drop(&v->scans[i]);
  rdx_free(v->scans);
  for (uint32_t i = 0; i < v->index_count; i++)
    rdx_index_destroy(&v->indexes[i].index);
  rdx_free(v->indexes);
  for (uint32_t i = 0; i < v->copy_count; i++)
    rdx_device_column_destroy(&v->copies[i].copy);
  rdx_free(v->copies);
}

void rdx_table_version_drop_user(rdx_table_version *v) {
  if (!v || --v->users > 0)
    return;
  drop_prepared(v);
  for (uint32_t i = 0; v->blocks && i < v->table.column_count; i++)
    rdx_free(v->blocks[i]);
  rdx_free(v->blocks);
  rdx_table_destroy(&v->content);
  RDX_FREE_ALL(v->table.name, v->table.path, v->table.columns, v);
}

/* The one value of a column of integers, decimals, dates or timestamps. */
static int64_t integer_of(const rdx_column *c) {
  int64_t wide;
  switch (rdx_type_size(c->type)) {
  case 1:
    return c->type == RDX_TYPE_U8 ? *(const uint8_t *)c->values : *(const int8_t *)c->values;
  case 2:
    return c->type == RDX_TYPE_U16 ? *(const uint16_t *)c->values : *(const int16_t *)c->values;
  case 4:
    return c->type == RDX_TYPE_U32 ? (int64_t) * (const uint32_t *)c->values : *(const int32_t *)c->values;
  default:
    memcpy(&wide, c->values, sizeof wide);
    return wide;
  }
}

/* As far as the statistics say: the smallest and largest value tell how many integers there may be. */
static uint64_t estimate_distinct(const rdx_table *content, uint32_t index, uint64_t rows) {
  rdx_column_stats stats;
  const rdx_column *c = rdx_table_column(content, index);
  if (c->type == RDX_TYPE_BOOL)
    return 2;
  if (c->dictionary)
    return c->dictionary->rows;
  if (rdx_table_get_stats(content, index, &stats, NULL) != RDX_OK || stats.min.rows == 0 || c->type == RDX_TYPE_F32 ||
      c->type == RDX_TYPE_F64)
    return 0;
  const uint64_t range = (uint64_t)integer_of(&stats.max) - (uint64_t)integer_of(&stats.min);
  return range < rows ? range + 1 : rows;
}

/* The table's columns as the catalog tells them. */
static rdx_status describe(rdx_table_version *v, const char *name, const char *path, rdx_error *err) {
  rdx_catalog_table *t = &v->table;
  t->rows = rdx_table_rows(v->content);
  t->column_count = rdx_table_columns(v->content);
  t->constraints = rdx_table_constraints(v->content);
  t->temporary = v->content->temporary;
  RDX_TRY(rdx_copy_text(name, WHAT, &t->name, err));
  if (path)
    RDX_TRY(rdx_copy_text(path, WHAT, &t->path, err));
  RDX_TRY(rdx_calloc(t->column_count, sizeof *t->columns, WHAT, (void **)&t->columns, err));
  for (uint32_t i = 0; i < t->column_count; i++) {
    const rdx_column *c = rdx_table_column(v->content, i);
    t->columns[i] = (rdx_catalog_column){.name = rdx_table_column_name(v->content, i),
                                         .declaration = rdx_table_column_declaration(v->content, i),
                                         .type = c->type,
                                         .scale = c->scale,
                                         .column = *c,
                                         .open = !v->deferred,
                                         .unique = c->validity ? 0 : -1,
                                         .has_dictionary = c->dictionary != NULL,
                                         .distinct = estimate_distinct(v->content, i, t->rows)};
  }
  return RDX_OK;
}

static void drop_version(rdx_table_version **version) {
  rdx_table_version_drop_user(*version);
}

/* A version of `content`, which becomes its own also on failure. */
static rdx_status make_version(rdx_catalog *c, const char *name, const char *path, rdx_table *content, bool deferred,
                               rdx_table_version **out, rdx_error *err) {
  RDX_SCOPED(rdx_table_destroy) rdx_table *own = content;
  RDX_SCOPED(drop_version) rdx_table_version *v = NULL;
  RDX_TRY(rdx_calloc(1, sizeof *v, WHAT, (void **)&v, err));
  *v = (rdx_table_version){.catalog = c, .content = RDX_KEEP(own), .deferred = deferred, .users = 1};
  RDX_TRY(describe(v, name, path, err));
  *out = RDX_KEEP(v);
  return RDX_OK;
}

/* Columns of a Parquet file are known only now. */
static rdx_status read_columns(rdx_table_version *v, const uint32_t *columns, uint32_t count, rdx_error *err) {
  RDX_TRY(rdx_parquet_read_columns(v->content, columns, count, err));
  for (uint32_t i = 0; i < count; i++) {
    rdx_catalog_column *c = &v->table.columns[columns[i]];
    c->column = *rdx_table_column(v->content, columns[i]);
    c->unique = c->column.validity ? 0 : -1;
    c->has_dictionary = c->column.dictionary != NULL;
    c->distinct = estimate_distinct(v->content, columns[i], v->table.rows);
  }
  return RDX_OK;
}

rdx_status rdx_table_version_open_columns(rdx_table_version *v, const uint32_t *columns, uint32_t count,
                                          rdx_error *err) {
  RDX_SCOPED(rdx_free_local) uint32_t *missing = NULL;
  uint32_t n = 0;
  RDX_TRY(rdx_alloc(count, sizeof *missing, WHAT, (void **)&missing, err));
  for (uint32_t i = 0; i < count; i++) {
    rdx_catalog_column *c = &v->table.columns[columns[i]];
    if (!c->open)
      missing[n++] = columns[i];
    c->open = true; /* so that it is listed once */
  }
  rdx_status status = RDX_OK;
  if (n > 0)
    status = v->content->parquet ? read_columns(v, missing, n, err)
                                 : rdx_table_verify(v->table.path, v->content, missing, n, err);
  for (uint32_t i = 0; i < n; i++)
    v->table.columns[missing[i]].open = status == RDX_OK;
  return status;
}

rdx_status rdx_catalog_open_columns(rdx_catalog *catalog, rdx_catalog_table *table, const uint32_t *columns,
                                    uint32_t count, rdx_error *err) {
  RDX_LOCKED(&catalog->lock);
  return rdx_table_version_open_columns(rdx_table_version_of(table), columns, count, err);
}

/* ---- Blocks ---- */

_Static_assert(RDX_CATALOG_BLOCK == RDX_BLOCK_ROWS, "table files have blocks of so many rows");

/* Those of a column that are not verified yet. */
static rdx_status open_blocks_of(rdx_table_version *v, uint32_t column, const uint32_t *blocks, uint64_t count,
                                 uint32_t *missing, rdx_error *err) {
  uint8_t *done = v->blocks[column];
  uint64_t n = 0;
  if (v->table.columns[column].open)
    return RDX_OK;
  for (uint64_t i = 0; i < count; i++)
    if (!done || !(done[blocks[i] / 8] >> blocks[i] % 8 & 1))
      missing[n++] = blocks[i];
  if (done && n == 0)
    return RDX_OK;
  RDX_TRY(rdx_table_verify_blocks(v->table.path, v->content, column, missing, n, err));
  if (!done) {
    RDX_TRY(rdx_calloc(rdx_file_blocks(v->table.rows) / 8 + 1, 1, WHAT, (void **)&v->blocks[column], err));
    done = v->blocks[column];
  }
  for (uint64_t i = 0; i < n; i++)
    done[missing[i] / 8] |= (uint8_t)(1u << missing[i] % 8);
  return RDX_OK;
}

static rdx_status open_blocks(rdx_table_version *v, const uint32_t *columns, uint32_t count, const uint32_t *blocks,
                              uint64_t block_count, rdx_error *err) {
  if (!v->blocks)
    RDX_TRY(rdx_calloc(v->table.column_count, sizeof *v->blocks, WHAT, (void **)&v->blocks, err));
  RDX_SCOPED(rdx_free_local) uint32_t *missing = NULL;
  RDX_TRY(rdx_alloc(block_count, sizeof *missing, WHAT, (void **)&missing, err));
  for (uint32_t i = 0; i < count; i++)
    RDX_TRY(open_blocks_of(v, columns[i], blocks, block_count, missing, err));
  return RDX_OK;
}

rdx_status rdx_catalog_open_blocks(rdx_catalog *catalog, rdx_catalog_table *table, const uint32_t *columns,
                                   uint32_t count, const uint32_t *blocks, uint64_t block_count, rdx_error *err) {
  RDX_LOCKED(&catalog->lock);
  return open_blocks(rdx_table_version_of(table), columns, count, blocks, block_count, err);
}

rdx_status rdx_catalog_zones(rdx_catalog *catalog, rdx_catalog_table *table, uint32_t column, rdx_column *smallest,
                             rdx_column *largest, bool *found, rdx_error *err) {
  rdx_column_stats stats;
  *found = table->rows > RDX_BLOCK_ROWS && rdx_table_version_of(table)->deferred &&
           rdx_table_get_stats(rdx_table_version_of(table)->content, column, &stats, NULL) == RDX_OK;
  if (!*found)
    return RDX_OK;
  *smallest = stats.smallest;
  *largest = stats.largest;
  return stats.smallest.dictionary ? rdx_catalog_open_blocks(catalog, table, &column, 1, NULL, 0, err) : RDX_OK;
}

/* ---- Names ---- */

rdx_status rdx_catalog_create(rdx_device *device, const char *folder, bool safe, rdx_catalog **out, rdx_error *err) {
  RDX_SCOPED(rdx_free_local) rdx_catalog *c = NULL;
  struct stat info;
  if (folder && (stat(folder, &info) != 0 || !S_ISDIR(info.st_mode)))
    return rdx_fail(err, RDX_ERROR_IO, "there is no folder %s", folder);
  RDX_TRY(rdx_calloc(1, sizeof *c, WHAT, (void **)&c, err));
  c->device = device;
  c->safe = safe;
  if (folder)
    RDX_TRY(rdx_copy_text(folder, WHAT, &c->folder, err));
  pthread_mutex_init(&c->lock, NULL);
  *out = RDX_KEEP(c);
  return RDX_OK;
}

static void drop_source(rdx_source *s) {
  rdx_table_version_drop_user(s->version);
  rdx_arena_free(&s->arena);
  RDX_FREE_ALL(s->name, s->path);
}

void rdx_catalog_destroy(rdx_catalog **catalog) {
  if (!catalog || !*catalog)
    return;
  rdx_catalog *c = *catalog;
  *catalog = NULL;
  rdx_stars_destroy(c);
  for (uint32_t i = 0; i < c->source_count; i++)
    drop_source(&c->sources[i]);
  RDX_FREE_ALL(c->sources, c->folder);
  pthread_mutex_destroy(&c->lock);
  rdx_free(c);
}

rdx_device *rdx_catalog_device(const rdx_catalog *catalog) {
  return catalog->device;
}

static rdx_source *find_source(rdx_catalog *c, const char *name) {
  for (uint32_t i = 0; i < c->source_count; i++)
    if (strcmp(c->sources[i].name, name) == 0)
      return &c->sources[i];
  return NULL;
}

/* The source of a name, made where there is none. `path` may be NULL. */
static rdx_status add_source(rdx_catalog *c, const char *name, const char *path, rdx_source **out, rdx_error *err) {
  RDX_SCOPED(drop_source) rdx_source made = {.csv = {.for_copy = true}};
  *out = find_source(c, name);
  if (*out)
    return RDX_OK;
  RDX_TRY(rdx_reserve_one((void **)&c->sources, c->source_count, &c->source_capacity, sizeof *c->sources, WHAT, err));
  RDX_TRY(rdx_copy_text(name, WHAT, &made.name, err));
  if (path)
    RDX_TRY(rdx_copy_text(path, WHAT, &made.path, err));
  c->sources[c->source_count] = RDX_KEEP(made);
  *out = &c->sources[c->source_count++];
  return RDX_OK;
}

/* The name gets another version, or none. */
static void replace_version(rdx_catalog *c, rdx_source *s, rdx_table_version *version) {
  rdx_table_version *old = s->version;
  s->version = version;
  if (old)
    rdx_stars_retire(c, old);
  rdx_table_version_drop_user(old);
}

rdx_status rdx_catalog_add(rdx_catalog *c, const char *name, rdx_table *table, rdx_error *err) {
  RDX_SCOPED(drop_version) rdx_table_version *version = NULL;
  rdx_source *source = NULL;
  RDX_TRY(make_version(c, name, NULL, table, false, &version, err));
  RDX_LOCKED(&c->lock);
  RDX_TRY(add_source(c, name, NULL, &source, err));
  source->added = true;
  rdx_free(source->path);
  source->path = NULL;
  replace_version(c, source, RDX_KEEP(version));
  return RDX_OK;
}

static rdx_status keep_texts(rdx_arena *arena, const char *const *texts, size_t count, const char *const **out,
                             rdx_error *err) {
  const char **copies = NULL;
  RDX_TRY(rdx_arena_alloc(arena, count, sizeof *copies, WHAT, (void **)&copies, err));
  for (size_t i = 0; i < count; i++)
    RDX_TRY(rdx_arena_text(arena, texts[i], WHAT, &copies[i], err));
  *out = copies;
  return RDX_OK;
}

static rdx_status keep_csv(rdx_source *s, const rdx_csv_params *csv, rdx_error *err) {
  rdx_csv_params kept = *csv;
  rdx_csv_type *types = NULL;
  RDX_TRY(rdx_arena_alloc(&s->arena, csv->type_count, sizeof *types, WHAT, (void **)&types, err));
  for (size_t i = 0; i < csv->type_count; i++) {
    types[i] = csv->types[i];
    RDX_TRY(rdx_arena_text(&s->arena, csv->types[i].column, WHAT, &types[i].column, err));
  }
  kept.types = types;
  if (csv->columns)
    RDX_TRY(keep_texts(&s->arena, csv->columns, csv->column_count, &kept.columns, err));
  if (csv->nulls)
    RDX_TRY(keep_texts(&s->arena, csv->nulls, csv->null_count, &kept.nulls, err));
  s->csv = kept;
  return RDX_OK;
}

rdx_status rdx_catalog_add_file(rdx_catalog *c, const char *name, const char *path, const rdx_csv_params *csv,
                                rdx_error *err) {
  RDX_LOCKED(&c->lock);
  rdx_source *source = NULL;
  RDX_TRY(add_source(c, name, path, &source, err));
  rdx_free(source->path);
  source->path = NULL;
  source->added = true;
  replace_version(c, source, NULL);
  RDX_TRY(rdx_copy_text(path, WHAT, &source->path, err));
  return csv ? keep_csv(source, csv, err) : RDX_OK;
}

bool rdx_catalog_has_added(rdx_catalog *c, const char *name) {
  RDX_LOCKED(&c->lock);
  const rdx_source *source = find_source(c, name);
  return source && source->added;
}

bool rdx_catalog_remove(rdx_catalog *c, const char *name) {
  pthread_mutex_lock(&c->lock);
  rdx_source *source = find_source(c, name);
  if (source) {
    replace_version(c, source, NULL);
    drop_source(source);
    *source = c->sources[--c->source_count];
  }
  pthread_mutex_unlock(&c->lock);
  return source != NULL;
}

/* ---- Files of the folder ---- */

static const char *const suffixes[] = {".rdx", ".csv", ".parquet"};

static bool is_file_of(int folder, const char *path) {
  struct stat info;
  return fstatat(folder, path, &info, 0) == 0 && !S_ISDIR(info.st_mode);
}

static bool is_file(const char *path) {
  return is_file_of(AT_FDCWD, path);
}

static rdx_status folder_path(const rdx_catalog *c, const char *name, const char *suffix, char **out, rdx_error *err) {
  const size_t size = strlen(c->folder) + strlen(name) + strlen(suffix) + 2;
  RDX_TRY(rdx_alloc(size, 1, WHAT, (void **)out, err));
  snprintf(*out, size, "%s/%s%s", c->folder, name, suffix);
  return RDX_OK;
}

rdx_status rdx_catalog_path(const rdx_catalog *c, const char *name, char **out, rdx_error *err) {
  if (!c->folder)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "no folder was opened that a table '%s' could be kept in", name);
  if (!*name || strchr(name, '/') || *name == '.')
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "'%s' cannot be the name of a table's file", name);
  return folder_path(c, name, suffixes[0], out, err);
}

/* NAME.rdx, else NAME.csv, else NAME.parquet, of the folder, where it is there. */
static rdx_status find_file(rdx_catalog *c, const char *name, rdx_source **out, rdx_error *err) {
  *out = NULL;
  for (size_t i = 0; i < RDX_COUNT(suffixes) && c->folder && *name && !strchr(name, '/') && !*out; i++) {
    char *path = NULL;
    RDX_TRY(folder_path(c, name, suffixes[i], &path, err));
    const rdx_status status = is_file(path) ? add_source(c, name, path, out, err) : RDX_OK;
    rdx_free(path);
    RDX_TRY(status);
  }
  return RDX_OK;
}

/* Names of the folder's tables go to `visit`, in no order: of no folder, and of no link to what is not there. */
static void visit_folder(const rdx_catalog *c, void (*visit)(void *user, const char *name), void *user) {
  DIR *folder = c->folder ? opendir(c->folder) : NULL;
  for (struct dirent *e = folder ? readdir(folder) : NULL; e; e = readdir(folder)) {
    char name[256];
    const size_t length = strlen(e->d_name);
    for (size_t i = 0; i < RDX_COUNT(suffixes); i++) {
      const size_t end = strlen(suffixes[i]);
      if (length <= end || length >= sizeof name || e->d_name[0] == '.' ||
          strcmp(e->d_name + length - end, suffixes[i]) || !is_file_of(dirfd(folder), e->d_name))
        continue;
      memcpy(name, e->d_name, length - end);
      name[length - end] = '\0';
      visit(user, name);
    }
  }
  if (folder)
    closedir(folder);
}

typedef struct guess {
  const char *wanted;
  char best[256];
  rdx_nearest nearest;
} guess;

static void consider(void *user, const char *name) {
  guess *g = user;
  const char *before = g->nearest.word;
  rdx_nearest_consider(&g->nearest, g->wanted, name);
  if (g->nearest.word != before) {
    snprintf(g->best, sizeof g->best, "%s", name);
    g->nearest.word = g->best;
  }
}

/* The name that is nearest; "" for none. */
static void find_nearest(rdx_catalog *c, const char *name, guess *g) {
  *g = (guess){.wanted = name};
  for (uint32_t i = 0; i < c->source_count; i++)
    consider(g, c->sources[i].name);
  visit_folder(c, consider, g);
}

static rdx_status find_by_name(rdx_catalog *c, const char *name, rdx_source **out, char nearest[64], rdx_error *err) {
  guess g;
  *out = find_source(c, name);
  if (*out)
    return RDX_OK;
  RDX_TRY(find_file(c, name, out, err));
  if (*out)
    return RDX_OK;
  if (strpbrk(name, "./") && is_file(name)) {
    if (c->safe)
      return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "'%s' is no table of the database, and files by name are not allowed",
                      name);
    return add_source(c, name, name, out, err);
  }
  if (rdx_parquet_is_name(name) && strpbrk(name, "*?["))
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "there is no file '%s': Parquet files are read one by one", name);
  find_nearest(c, name, &g);
  snprintf(nearest, 64, "%.63s", g.best);
  if (!*g.best || !rdx_words_alike(g.best, name))
    return RDX_OK;
  *out = find_source(c, g.best);
  return *out ? RDX_OK : find_file(c, g.best, out, err);
}

/* A pipe, which is where one was. */
static bool is_read_once(const struct stat *now, const struct stat *before) {
  return !S_ISREG(now->st_mode) && !S_ISDIR(now->st_mode) && !S_ISREG(before->st_mode);
}

/* What can be is opened now, and read when somebody asks for it. */
static rdx_status open_content(const rdx_source *s, rdx_table **out, rdx_error *err) {
  if (rdx_table_is_file(s->path))
    return rdx_table_open_unverified(s->path, out, err);
  if (s->csv.type_count == 0 && !s->csv.columns && rdx_table_is_parquet(s->path))
    return rdx_parquet_open(s->path, out, err);
  return rdx_table_read(s->path, &s->csv, out, err);
}

/* The version that the file has now. A pipe is read once. */
static rdx_status refresh(rdx_catalog *c, rdx_source *s, rdx_error *err) {
  struct stat info;
  rdx_table *content = NULL;
  rdx_table_version *version = NULL;
  if (!s->path)
    return RDX_OK;
  if (stat(s->path, &info) != 0)
    return rdx_fail(err, errno == ENOENT ? RDX_ERROR_NOT_FOUND : RDX_ERROR_IO, "cannot open %s: %s", s->path,
                    strerror(errno));
  if (s->version && (rdx_file_is_same(&info, &s->version->file) || is_read_once(&info, &s->version->file)))
    return RDX_OK;
  RDX_TRY(open_content(s, &content, err));
  RDX_TRY(make_version(c, s->name, s->path, content, content->opened || content->parquet, &version, err));
  version->file = info;
  replace_version(c, s, version);
  return RDX_OK;
}

/* A file of the folder that is gone is no table any more. */
static void forget_if_gone(rdx_catalog *c, const char *name) {
  rdx_source *s = find_source(c, name);
  if (!s || s->added || !s->path || is_file(s->path))
    return;
  replace_version(c, s, NULL);
  drop_source(s);
  *s = c->sources[--c->source_count];
}

rdx_status rdx_catalog_find(rdx_catalog *c, const char *name, rdx_catalog_table **out, char nearest[64],
                            rdx_error *err) {
  rdx_source *source = NULL;
  *out = NULL;
  nearest[0] = '\0';
  RDX_LOCKED(&c->lock);
  forget_if_gone(c, name);
  RDX_TRY(find_by_name(c, name, &source, nearest, err));
  if (!source)
    return RDX_OK;
  RDX_TRY(refresh(c, source, err));
  source->version->users++;
  *out = &source->version->table;
  return RDX_OK;
}

void rdx_catalog_release(rdx_catalog_table **table) {
  rdx_table_version *version = rdx_table_version_of(RDX_KEEP(*table));
  if (!version)
    return;
  RDX_LOCKED(&version->catalog->lock);
  rdx_table_version_drop_user(version);
}

/* ---- The list of names ---- */

typedef struct names {
  char **list; /* NULL at the end */
  uint32_t count, capacity;
  rdx_status status;
  rdx_error *err;
} names;

static void add_name(void *user, const char *name) {
  names *n = user;
  for (uint32_t i = 0; i < n->count; i++)
    if (strcmp(n->list[i], name) == 0)
      return;
  if (n->status == RDX_OK)
    n->status = rdx_reserve_one((void **)&n->list, n->count + 1, &n->capacity, sizeof *n->list, WHAT, n->err);
  if (n->status == RDX_OK)
    n->status = rdx_copy_text(name, WHAT, &n->list[n->count], n->err);
  if (n->status == RDX_OK)
    n->list[++n->count] = NULL;
}

void rdx_catalog_names_free(char ***all) {
  char **list = RDX_KEEP(*all);
  for (uint32_t i = 0; list && list[i]; i++)
    rdx_free(list[i]);
  rdx_free(list);
}

static void drop_names(names *n) {
  rdx_catalog_names_free(&n->list);
}

rdx_status rdx_catalog_names(rdx_catalog *c, char ***out, rdx_error *err) {
  RDX_SCOPED(drop_names) names n = {.capacity = 1, .err = err};
  RDX_TRY(rdx_calloc(1, sizeof *n.list, WHAT, (void **)&n.list, err));
  RDX_LOCKED(&c->lock);
  for (uint32_t i = 0; i < c->source_count; i++)
    if (c->sources[i].added || !strpbrk(c->sources[i].name, "./"))
      add_name(&n, c->sources[i].name);
  visit_folder(c, add_name, &n);
  RDX_TRY(n.status);
  qsort(n.list, n.count, sizeof *n.list, rdx_words_order);
  *out = RDX_KEEP(n.list);
  return RDX_OK;
}
