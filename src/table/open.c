/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Table files as tables: mapped, and verified. */

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "column/column.h"
#include "base/mapped.h"
#include "column/keys.h"
#include "table/format.h"
#include "table/names.h"
#include "table/table.h"

#define FEW_CHUNKS 8 /* fewer are not worth starting threads for */

/* A column that was opened. */
typedef struct opened_column {
  uint32_t number; /* in the file */
  rdx_column dictionary;
  rdx_column_stats stats;
} opened_column;

struct rdx_opened {
  rdx_mapped map;
  const char *directory;
  rdx_file_header header;
  rdx_file_place *places; /* of all columns of the file */
  opened_column *columns; /* of the table */
  uint32_t count;
};

static const rdx_file_column *file_column(const struct rdx_opened *o, uint32_t number) {
  return (const rdx_file_column *)(const void *)o->directory + number;
}

void rdx_opened_drop(struct rdx_opened *o) {
  if (!o)
    return;
  rdx_mapped_close(&o->map);
  RDX_FREE_ALL(o->places, o->columns, o);
}

/* ---- The file ---- */

static rdx_status map_file(const char *path, struct rdx_opened *o, rdx_error *err) {
  if (!*path)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "cannot open a file without a name");
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe is refused, not waited for */
  if (file < 0)
    return rdx_fail(err, errno == ENOENT ? RDX_ERROR_NOT_FOUND : RDX_ERROR_IO, "cannot open %s: %s", path,
                    strerror(errno));
  rdx_status status = rdx_mapped_open(file, path, &o->map, err);
  if (!o->map.data) {
    struct stat info;
    if (status == RDX_OK && fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0)
      status = rdx_fail(err, RDX_ERROR_IO, "cannot map %s", path);
    close(file);
  }
  if (status == RDX_OK && o->map.size < RDX_PAGE)
    status = rdx_fail(err, RDX_ERROR_FORMAT, "%s is no table file", path);
  return status;
}

static rdx_status damaged(const char *path, const char *what, rdx_error *err) {
  return rdx_fail(err, RDX_ERROR_FORMAT, "%s is damaged: %s", path, what);
}

static rdx_status check_header(const char *path, struct rdx_opened *o, rdx_error *err) {
  rdx_file_header *h = &o->header;
  uint64_t checksum;
  memcpy(h, o->map.data, sizeof *h);
  memcpy(&checksum, o->map.data + RDX_PAGE - sizeof checksum, sizeof checksum);
  if (memcmp(h->magic, RDX_FILE_MAGIC, sizeof h->magic) != 0)
    return rdx_fail(err, RDX_ERROR_FORMAT, "%s is no table file: it does not begin as one", path);
  if (h->version < RDX_FORMAT_VERSION || h->version > RDX_CONSTRAINED_VERSION)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED,
                    "%s says in its header that it is a table file of version %u; this Raydex "
                    "reads versions %u to %u",
                    path, h->version, RDX_FORMAT_VERSION, RDX_CONSTRAINED_VERSION);
  if (checksum != rdx_file_header_checksum(o->map.data))
    return damaged(path, "the checksum of its header is wrong", err);
  if (h->size != o->map.size)
    return rdx_fail(err, RDX_ERROR_FORMAT, "%s is damaged: it has %llu bytes, but its header says %llu", path,
                    (unsigned long long)o->map.size, (unsigned long long)h->size);
  if (h->columns == 0 || h->columns > RDX_TABLE_COLUMNS_MAX || h->directory > h->size || h->directory % RDX_PAGE != 0 ||
      h->columns * sizeof(rdx_file_column) > h->size - h->directory ||
      (h->declarations > 0) != (h->version != RDX_FORMAT_VERSION))
    return damaged(path, "its header is not possible", err);
  return RDX_OK;
}

static const char *declarations_of(const struct rdx_opened *o) {
  return o->directory + o->header.columns * sizeof(rdx_file_column);
}

/* As many texts as columns, and one more of constraints, each of which a zero ends. */
static rdx_status check_declarations(const char *path, const struct rdx_opened *o, rdx_error *err) {
  const char *texts = declarations_of(o);
  const uint64_t wanted = o->header.columns + (o->header.version == RDX_CONSTRAINED_VERSION);
  uint64_t zeros = 0;
  for (uint64_t i = 0; i < o->header.declarations; i++)
    zeros += texts[i] == '\0';
  return o->header.declarations == 0 || (zeros == wanted && texts[o->header.declarations - 1] == '\0')
             ? RDX_OK
             : damaged(path, "its directory is not possible: its declarations are not those of its columns", err);
}

/* That of a column, or, behind the last one, the constraints; NULL: none. */
static const char *declaration_of(const struct rdx_opened *o, uint32_t number) {
  const char *text = declarations_of(o);
  for (uint32_t i = 0; i < number && o->header.declarations > 0; i++)
    text += strlen(text) + 1;
  return o->header.declarations > 0 && *text ? text : NULL;
}

static rdx_status check_directory(const char *path, struct rdx_opened *o, rdx_error *err) {
  const rdx_file_header *h = &o->header;
  o->directory = o->map.data + h->directory;
  if (rdx_file_checksum(o->directory, h->size - h->directory) != h->directory_checksum)
    return damaged(path, "the checksum of its directory is wrong", err);
  uint64_t directory, size;
  RDX_TRY(rdx_alloc(h->columns, sizeof *o->places, "a table", (void **)&o->places, err));
  if (!rdx_file_lay_out(file_column(o, 0), h, h->size, o->places, &directory, &size) || directory != h->directory ||
      size != h->size)
    return damaged(path, "its directory is not possible", err);
  for (uint32_t i = 0; i < h->columns; i++)
    if (memchr(o->directory + o->places[i].name, 0, file_column(o, i)->name))
      return damaged(path, "its directory is not possible: a column name has a zero byte", err);
  return check_declarations(path, o, err);
}

/* ---- Columns ---- */

static const void *section_of(const struct rdx_opened *o, uint32_t number, rdx_section_kind kind) {
  const rdx_section *s = &o->places[number].sections[kind];
  return s->size > 0 ? o->map.data + s->offset : NULL;
}

static rdx_status view_column(struct rdx_opened *o, opened_column *c, rdx_growing *out, rdx_error *err) {
  const rdx_file_column *f = file_column(o, c->number);
  const char *name = o->directory + o->places[c->number].name, *declaration = declaration_of(o, c->number);
  RDX_TRY(rdx_copy_bytes(name, f->name, "a column name", &out->name, err));
  if (declaration)
    RDX_TRY(rdx_copy_text(declaration, "a declaration", &out->declaration, err));
  out->view = (rdx_column){.type = (rdx_type)f->type,
                           .scale = (uint8_t)f->scale,
                           .rows = o->header.rows,
                           .values = section_of(o, c->number, RDX_SECTION_VALUES),
                           .validity = section_of(o, c->number, RDX_SECTION_VALIDITY)};
  if (f->type != RDX_TYPE_STRING)
    return RDX_OK;
  c->dictionary = (rdx_column){.type = RDX_TYPE_STRING,
                               .rows = f->distinct,
                               .values = section_of(o, c->number, RDX_SECTION_DICTIONARY),
                               .offsets = section_of(o, c->number, RDX_SECTION_OFFSETS)};
  out->view.dictionary = &c->dictionary;
  return RDX_OK;
}

static rdx_status no_column(const char *path, const struct rdx_opened *o, const char *name, rdx_error *err) {
  char list[512] = "";
  size_t used = 0;
  for (uint32_t i = 0; i < o->header.columns && used < sizeof list; i++)
    used += (size_t)snprintf(list + used, sizeof list - used, "%s'%.*s'", i ? ", " : "", (int)file_column(o, i)->name,
                             o->directory + o->places[i].name);
  return rdx_fail(err, RDX_ERROR_NOT_FOUND, "%s has no column '%s'; it has %s", path, name, list);
}

/* Which columns of the file are those of the table: the ones of these names, or all. */
static rdx_status choose_columns(const char *path, struct rdx_opened *o, const char *const *names, rdx_names *index,
                                 rdx_error *err) {
  for (uint32_t i = 0; i < o->header.columns && names; i++)
    RDX_TRY(rdx_names_add(index, o->directory + o->places[i].name, file_column(o, i)->name, err));
  for (uint32_t i = 0; i < o->count; i++) {
    uint32_t *number = &o->columns[i].number, second;
    *number = i;
    if (!names)
      continue;
    if (!names[i])
      return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_table_open_columns: names must not be NULL");
    RDX_TRY(rdx_names_find(index, names[i], number, &second, err));
    if (*number == RDX_NO_COLUMN)
      return no_column(path, o, names[i], err);
  }
  return RDX_OK;
}

static rdx_status make_table(const char *path, const char *const *names, uint32_t count, struct rdx_opened *o,
                             rdx_table **out, rdx_error *err) {
  RDX_SCOPED(rdx_names_drop) rdx_names index = {0};
  RDX_TRY(rdx_table_create(count, out, err));
  (*out)->rows = o->header.rows;
  RDX_TRY(rdx_calloc(count, sizeof *o->columns, "a table", (void **)&o->columns, err));
  o->count = count;
  RDX_TRY(choose_columns(path, o, names, &index, err));
  for (uint32_t i = 0; i < count; i++)
    RDX_TRY(view_column(o, &o->columns[i], &(*out)->columns[i], err));
  return o->header.version == RDX_CONSTRAINED_VERSION
             ? rdx_table_constrain(*out, declaration_of(o, o->header.columns), err)
             : RDX_OK;
}

/* ---- Statistics ---- */

/* A column of the file's own values, in its directory. */
static rdx_column small_view(const rdx_column *like, const char *values, uint64_t rows, const char *filled) {
  rdx_column view = *like;
  view.rows = rows;
  view.values = values;
  view.validity = (const uint8_t *)filled;
  return view;
}

/* The row of the smallest (`sign` 1) or largest (-1) value of `c`; its rows for none. */
static uint64_t find_extreme(const rdx_column *c, int sign) {
  rdx_column codes = *c;
  codes.type = c->type == RDX_TYPE_STRING ? RDX_TYPE_U32 : c->type;
  uint64_t best = c->rows, best_code = 0;
  for (uint64_t i = 0; i < c->rows; i++) {
    union {
      uint64_t wide;
      uint32_t narrow;
    } key;
    if (!rdx_column_has(c, i))
      continue;
    rdx_keys_encode(&codes, i, 1, &key);
    const uint64_t code = rdx_key_bits(codes.type) == 64 ? key.wide : key.narrow;
    if (best == c->rows || (sign > 0 ? code < best_code : code > best_code)) {
      best = i;
      best_code = code;
    }
  }
  return best;
}

static rdx_status find_stats(const char *path, const struct rdx_opened *o, opened_column *c, const rdx_column *view,
                             rdx_error *err) {
  const rdx_file_column *f = file_column(o, c->number);
  const rdx_file_place *p = &o->places[c->number];
  const uint64_t blocks = rdx_file_blocks(o->header.rows), width = rdx_file_width(f->type);
  const char *filled = o->directory + p->filled;
  rdx_column_stats *s = &c->stats;
  *s = (rdx_column_stats){.nulls = f->nulls, .distinct = f->distinct, .block_rows = RDX_BLOCK_ROWS};
  s->smallest = small_view(view, o->directory + p->smallest, blocks, filled);
  s->largest = small_view(view, o->directory + p->largest, blocks, filled);
  for (int kind = 0; kind < RDX_SECTION_KINDS; kind++)
    s->bytes += p->sections[kind].padded;
  for (uint64_t i = 0; i < blocks && f->type == RDX_TYPE_STRING; i++)
    if (rdx_column_has(&s->smallest, i) && (((const uint32_t *)s->smallest.values)[i] >= f->distinct ||
                                            ((const uint32_t *)s->largest.values)[i] >= f->distinct))
      return damaged(path, "its directory is not possible: a bound is in no dictionary", err);
  const uint64_t min = find_extreme(&s->smallest, 1), max = find_extreme(&s->largest, -1);
  s->min = small_view(view, (const char *)s->smallest.values + min * width, min < blocks, NULL);
  s->max = small_view(view, (const char *)s->largest.values + max * width, max < blocks, NULL);
  return RDX_OK;
}

rdx_status rdx_table_get_stats(const rdx_table *table, uint32_t index, rdx_column_stats *out, rdx_error *err) {
  if (!table || !out || index >= table->column_count)
    return rdx_fail(err, RDX_ERROR_ARGUMENT,
                    "rdx_table_get_stats: table and out must not be NULL, and the column there");
  if (!table->opened)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "only tables from table files have statistics");
  *out = table->opened->columns[index].stats;
  return RDX_OK;
}

/* ---- Verification ---- */

/* A chunk to verify. */
typedef struct verify_item {
  uint32_t column; /* of the table */
  uint32_t kind;
  uint64_t chunk;
} verify_item;

typedef struct verify_work {
  const char *path;
  const struct rdx_opened *opened;
  const rdx_table *table;
  const uint32_t *columns; /* NULL: all */
  uint32_t column_count;
  const uint32_t *blocks; /* of rows; NULL: all, */
  uint64_t block_count;   /* else so many */
  const verify_item *items;
  _Atomic uint64_t *set; /* of each column: rows that are not NULL */
  pthread_mutex_t lock;
  _Atomic uint64_t failed; /* the first item that failed; UINT64_MAX: none */
  rdx_error err;
} verify_work;

static const char *const section_names[] = {"values", "NULL bits", "offsets of the dictionary", "dictionary"};

/* A thread that failed; of several, the first chunk is told. */
static void note_failure(verify_work *w, uint64_t item, const char *what) {
  const verify_item *v = &w->items[item];
  const bool rows = v->kind <= RDX_SECTION_VALIDITY;
  const uint64_t first = v->chunk * RDX_BLOCK_ROWS, end = first + RDX_BLOCK_ROWS;
  char where[80] = "";
  if (rows)
    snprintf(where, sizeof where, " (rows %llu to %llu)", (unsigned long long)first,
             (unsigned long long)(end < w->table->rows ? end : w->table->rows) - 1);
  RDX_LOCKED(&w->lock);
  if (item < w->failed) {
    w->failed = item;
    (void)rdx_fail(&w->err, RDX_ERROR_FORMAT, "%s is damaged: column '%s', block %llu%s of its %s: %s", w->path,
                   w->table->columns[v->column].name, (unsigned long long)v->chunk, where, section_names[v->kind],
                   what);
  }
}

static uint32_t largest_of(const uint32_t *values, uint64_t count) {
  uint32_t largest = 0;
  for (uint64_t i = 0; i < count; i++)
    largest = values[i] > largest ? values[i] : largest;
  return largest;
}

static uint64_t count_bits(const uint8_t *bits, uint64_t bytes) {
  uint64_t set = 0, i = 0;
  for (; i + 8 <= bytes; i += 8) {
    uint64_t word;
    memcpy(&word, bits + i, sizeof word);
    set += (uint64_t)__builtin_popcountll(word);
  }
  for (; i < bytes; i++)
    set += (uint64_t)__builtin_popcount(bits[i]);
  return set;
}

/* What later code relies on in a chunk that is as it was written; NULL, or what is wrong. */
static const char *check_content(verify_work *w, const verify_item *v, const char *data, uint64_t size) {
  const rdx_column *c = &w->table->columns[v->column].view;
  const uint64_t distinct = c->dictionary ? c->dictionary->rows : 0;
  if (v->kind == RDX_SECTION_VALIDITY)
    atomic_fetch_add(&w->set[v->column], count_bits((const uint8_t *)data, size));
  if (v->kind != RDX_SECTION_VALUES)
    return NULL;
  if (c->type == RDX_TYPE_STRING && distinct > 0 &&
      largest_of((const uint32_t *)(const void *)data, size / 4) >= distinct)
    return "a place is beyond its dictionary";
  if (c->type == RDX_TYPE_BOOL)
    for (uint64_t i = 0; i < size; i++)
      if ((uint8_t)data[i] > 1)
        return "a bool is neither 0 nor 1";
  return NULL;
}

static void verify_chunks(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  verify_work *w = context;
  for (uint64_t i = begin; i < end && i < atomic_load(&w->failed); i++) {
    const verify_item *v = &w->items[i];
    const struct rdx_opened *o = w->opened;
    const rdx_section *s = &o->places[o->columns[v->column].number].sections[v->kind];
    const uint64_t from = v->chunk * s->chunk, rest = s->padded - from, values = s->size - from;
    const char *data = o->map.data + s->offset + from;
    uint64_t checksum;
    memcpy(&checksum, o->directory + s->checksums + 8 * v->chunk, sizeof checksum);
    const char *wrong = "their checksum is wrong";
    if (rdx_file_checksum(data, rest < s->chunk ? rest : s->chunk) == checksum)
      wrong = check_content(w, v, data, values < s->chunk ? values : s->chunk);
    if (wrong)
      note_failure(w, i, wrong);
  }
}

/* The strings of a chunk of offsets, whose checksums are right, and so are those of all bytes. */
static const char *check_strings(const rdx_column *d, uint64_t bytes, uint64_t begin, uint64_t end) {
  for (uint64_t i = begin; i < end; i++)
    if (d->offsets[i] > d->offsets[i + 1] || d->offsets[i + 1] > bytes)
      return "the offsets do not ascend";
  if (begin > 0 && d->offsets[begin - 1] > d->offsets[begin]) /* of another chunk, which is told */
    return NULL;
  for (uint64_t i = begin > 0 ? begin : 1; i < end; i++)
    if (rdx_column_compare_strings(d, i - 1, d, i) >= 0)
      return "the strings do not ascend";
  return NULL;
}

static void verify_strings(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  verify_work *w = context;
  for (uint64_t i = begin; i < end; i++) {
    const verify_item *v = &w->items[i];
    if (v->kind != RDX_SECTION_OFFSETS)
      continue;
    const opened_column *c = &w->opened->columns[v->column];
    const uint64_t first = v->chunk * RDX_BLOCK_ROWS, rest = c->dictionary.rows - first;
    const uint64_t bytes = file_column(w->opened, c->number)->text;
    const char *wrong =
        check_strings(&c->dictionary, bytes, first, first + (rest < RDX_BLOCK_ROWS ? rest : RDX_BLOCK_ROWS));
    if (wrong)
      note_failure(w, i, wrong);
  }
}

static rdx_status run_all(rdx_pool *pool, verify_work *w, uint64_t count, rdx_task_fn task, rdx_error *err) {
  RDX_TRY(rdx_pool_run_stage(pool, count, 1, task, w, "verify", err));
  if (w->failed == UINT64_MAX)
    return RDX_OK;
  if (err)
    *err = w->err;
  return RDX_ERROR_FORMAT;
}

/* The chunks of a section that are asked for: all, or those of some blocks of rows. What belongs to no rows, a
 * dictionary, is whole. */
static uint64_t count_chunks(const verify_work *w, const rdx_section *s, uint32_t kind) {
  return w->blocks && kind <= RDX_SECTION_VALIDITY && s->chunks > 0 ? w->block_count : s->chunks;
}

static uint32_t nth_column(const verify_work *w, uint32_t i) {
  return w->columns ? w->columns[i] : i;
}

/* The chunks of the columns, in order. */
static rdx_status list_items(const verify_work *w, verify_item **items, uint64_t *count, rdx_error *err) {
  const struct rdx_opened *o = w->opened;
  uint64_t n = 0;
  *count = 0;
  for (uint32_t i = 0; i < w->column_count; i++)
    for (uint32_t kind = 0; kind < RDX_SECTION_KINDS; kind++)
      *count += count_chunks(w, &o->places[o->columns[nth_column(w, i)].number].sections[kind], kind);
  RDX_TRY(rdx_alloc(*count, sizeof **items, "a table", (void **)items, err));
  for (uint32_t i = 0; i < w->column_count; i++) {
    const uint32_t column = nth_column(w, i);
    for (uint32_t kind = 0; kind < RDX_SECTION_KINDS; kind++) {
      const uint64_t chunks = count_chunks(w, &o->places[o->columns[column].number].sections[kind], kind);
      const bool some = w->blocks && kind <= RDX_SECTION_VALIDITY;
      for (uint64_t k = 0; k < chunks; k++)
        (*items)[n++] = (verify_item){column, kind, some ? w->blocks[k] : k};
    }
  }
  return RDX_OK;
}

static rdx_status check_nulls(const verify_work *w, rdx_error *err) {
  const struct rdx_opened *o = w->opened;
  for (uint32_t k = 0; k < w->column_count; k++) {
    const uint32_t i = nth_column(w, k);
    const uint64_t nulls = o->columns[i].stats.nulls;
    if (nulls > 0 && !w->blocks && w->set[i] != o->header.rows - nulls)
      return rdx_fail(err, RDX_ERROR_FORMAT, "%s is damaged: column '%s' has %llu NULLs, but its directory says %llu",
                      w->path, w->table->columns[i].name, (unsigned long long)(o->header.rows - w->set[i]),
                      (unsigned long long)nulls);
  }
  return RDX_OK;
}

static rdx_status verify_with(rdx_pool *pool, verify_work *w, uint64_t count, rdx_error *err) {
  RDX_TRY(run_all(pool, w, count, verify_chunks, err));
  RDX_TRY(run_all(pool, w, count, verify_strings, err));
  return check_nulls(w, err);
}

static rdx_status verify(verify_work *w, rdx_error *err) {
  RDX_SCOPED(rdx_free_local) verify_item *items = NULL;
  RDX_SCOPED(rdx_free_local) _Atomic uint64_t *set = NULL;
  RDX_SCOPED(rdx_pool_destroy) rdx_pool *pool = NULL;
  uint64_t count = 0;
  RDX_TRY(list_items(w, &items, &count, err));
  RDX_TRY(rdx_calloc(w->opened->count, sizeof *set, "a table", (void **)&set, err));
  RDX_TRY(rdx_pool_create(count < FEW_CHUNKS ? 1 : 0, &pool, err));
  w->failed = UINT64_MAX;
  w->items = items;
  w->set = set;
  pthread_mutex_init(&w->lock, NULL);
  const rdx_status status = verify_with(pool, w, count, err);
  pthread_mutex_destroy(&w->lock);
  return status;
}

/* ---- Open ---- */

static rdx_status open_mapped(const char *path, const char *const *names, uint32_t count, bool verified,
                              struct rdx_opened *o, rdx_table **table, rdx_error *err) {
  RDX_TRY(check_header(path, o, err));
  RDX_TRY(check_directory(path, o, err));
  RDX_TRY(make_table(path, names, names ? count : o->header.columns, o, table, err));
  for (uint32_t i = 0; i < o->count; i++)
    RDX_TRY(find_stats(path, o, &o->columns[i], &(*table)->columns[i].view, err));
  verify_work all = {.path = path, .opened = o, .table = *table, .column_count = o->count};
  return verified ? verify(&all, err) : RDX_OK;
}

/* What looks like damage may be a file that has changed meanwhile. */
static rdx_status open_table(const char *path, const char *const *names, uint32_t count, bool verified,
                             struct rdx_opened *o, rdx_table **table, rdx_error *err) {
  RDX_TRY(map_file(path, o, err));
  const rdx_status status = open_mapped(path, names, count, verified, o, table, err);
  if (status == RDX_OK || status == RDX_ERROR_FORMAT)
    RDX_TRY(rdx_mapped_settle(&o->map, path, err));
  return status;
}

static rdx_status open_named(const char *path, const char *const *names, uint32_t count, bool verified, rdx_table **out,
                             rdx_error *err) {
  struct rdx_opened *o = NULL;
  rdx_table *table = NULL;
  RDX_TRY(rdx_calloc(1, sizeof *o, "a table", (void **)&o, err));
  const rdx_status status = open_table(path, names, count, verified, o, &table, err);
  if (status != RDX_OK) {
    rdx_table_destroy(&table);
    rdx_opened_drop(o);
    return status;
  }
  table->opened = o;
  *out = table;
  return RDX_OK;
}

rdx_status rdx_table_open(const char *path, rdx_table **out, rdx_error *err) {
  if (!path || !out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_table_open: path and out must not be NULL");
  return open_named(path, NULL, 0, true, out, err);
}

rdx_status rdx_table_open_unverified(const char *path, rdx_table **out, rdx_error *err) {
  return open_named(path, NULL, 0, false, out, err);
}

rdx_status rdx_table_verify(const char *path, const rdx_table *table, const uint32_t *columns, uint32_t count,
                            rdx_error *err) {
  verify_work w = {.path = path, .opened = table->opened, .table = table, .columns = columns, .column_count = count};
  return verify(&w, err);
}

rdx_status rdx_table_verify_blocks(const char *path, const rdx_table *table, uint32_t column, const uint32_t *blocks,
                                   uint64_t count, rdx_error *err) {
  static const uint32_t none = 0;
  verify_work w = {.path = path,
                   .opened = table->opened,
                   .table = table,
                   .columns = &column,
                   .column_count = 1,
                   .blocks = blocks ? blocks : &none,
                   .block_count = count};
  return verify(&w, err);
}

rdx_status rdx_table_open_columns(const char *path, const char *const *names, uint32_t count, rdx_table **out,
                                  rdx_error *err) {
  if (!path || !names || !out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_table_open_columns: path, names and out must not be NULL");
  return open_named(path, names, count, true, out, err);
}

/* ---- Either kind of file ---- */

bool rdx_table_is_file(const char *path) {
  char magic[sizeof(RDX_FILE_MAGIC) - 1];
  struct stat info;
  if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) /* a pipe would lose what is read */
    return false;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  const bool same = file >= 0 && pread(file, magic, sizeof magic, 0) == (ssize_t)sizeof magic &&
                    memcmp(magic, RDX_FILE_MAGIC, sizeof magic) == 0;
  if (file >= 0)
    close(file);
  return same;
}

static rdx_status compare_types(const char *path, const rdx_table *table, const rdx_csv_params *params,
                                rdx_names *index, rdx_error *err) {
  for (uint32_t i = 0; i < table->column_count; i++)
    RDX_TRY(rdx_names_add(index, table->columns[i].name, strlen(table->columns[i].name), err));
  for (size_t i = 0; i < params->type_count; i++) {
    const rdx_csv_type *given = &params->types[i];
    uint32_t number, second;
    RDX_TRY(rdx_names_find(index, given->column, &number, &second, err));
    const rdx_column *c = number != RDX_NO_COLUMN ? &table->columns[number].view : NULL;
    if (c && (given->type != c->type || given->scale != c->scale))
      return rdx_fail(err, RDX_ERROR_ARGUMENT, "%s: column '%s' has type %s, and %s types are fixed", path,
                      given->column, rdx_type_name(c->type), table->opened ? "a table file's" : "Parquet's");
  }
  return RDX_OK;
}

/* Types that were asked for: of the columns that are there they must be the file's. */
static rdx_status check_types(const char *path, const rdx_table *table, const rdx_csv_params *params, rdx_error *err) {
  RDX_SCOPED(rdx_names_drop) rdx_names index = {0};
  return params->type_count > 0 ? compare_types(path, table, params, &index, err) : RDX_OK;
}

rdx_status rdx_table_read(const char *path, const rdx_csv_params *params, rdx_table **out, rdx_error *err) {
  static const char input[] = "/dev/stdin"; /* where it is a file */
  if (!out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_table_read: out must not be NULL");
  const char *file = path ? path : input;
  const bool table_file = rdx_table_is_file(file);
  if (!table_file && !rdx_table_is_parquet(file))
    return rdx_table_read_csv(path, params, out, err);
  RDX_SCOPED(rdx_table_destroy) rdx_table *table = NULL;
  const char *const *names = params ? params->columns : NULL;
  const uint32_t count = names ? (uint32_t)params->column_count : 0;
  RDX_TRY(table_file ? open_named(file, names, count, true, &table, err)
                     : rdx_table_read_parquet(file, names, count, &table, err));
  if (params)
    RDX_TRY(check_types(file, table, params, err));
  *out = RDX_KEEP(table);
  return RDX_OK;
}
