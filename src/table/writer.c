/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Writing table files.
 *
 * Rows are collected in blocks. A full block of each column goes to a spill file without a name, at a place that
 * follows from its number. At the end, when the number of rows and the dictionaries are known, blocks move to their
 * columns' sections in the new file, strings with their final places. What has been moved is cut out of the spill file
 * (where the file system has holes), so that the disk holds little more than the table at any time. */

#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "column/column.h"
#include "base/replace.h"
#include "column/keys.h"
#include "column/dictionary.h"
#include "table/format.h"
#include "table/table.h"

#define PARALLEL 65536 /* values in an append that are worth waking threads for */

/* What is known of a block that is full. */
typedef struct block {
  uint64_t smallest, largest; /* the bytes of these values, as in a column */
  uint32_t nulls;
} block;

typedef struct growing_column {
  char *name, *declaration;
  rdx_type type;
  uint8_t scale;
  uint64_t width;
  uint64_t place;    /* of its part in each group of blocks of the spill file: values, then validity */
  uint64_t capacity; /* rows of a block that there is memory for: what grows to a whole block is cheap in wide tables */
  void *values;      /* of the block that fills; strings: numbers of `strings` */
  uint8_t *validity;
  uint32_t block_nulls; /* in that block */
  uint64_t nulls;       /* in all full blocks */
  block *blocks;        /* all, while a file is finished also the last */
  uint64_t block_capacity;
  rdx_distinct strings;
  uint32_t *sorted, *places; /* of `strings`, once all are known */
} growing_column;

struct rdx_table_writer {
  rdx_replacement file;
  int spill; /* -1: nothing was spilled yet */
  rdx_pool *pool;
  growing_column *columns;
  uint32_t count;
  uint64_t rows;
  uint64_t group; /* bytes of a block of all columns in the spill file */
  char *constraints;
  bool over; /* finished or failed: it can only be destroyed */
};

/* ---- Create and destroy ---- */

static rdx_status check_fields(const rdx_field *fields, uint32_t count, rdx_error *err) {
  if (count == 0 || count > RDX_TABLE_COLUMNS_MAX)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "a table has 1 to %u columns, not %u", RDX_TABLE_COLUMNS_MAX, count);
  for (uint32_t i = 0; i < count; i++) {
    if (!fields[i].name)
      return rdx_fail(err, RDX_ERROR_ARGUMENT, "column %u of the table has no name", i + 1);
    RDX_TRY(rdx_column_check(&(rdx_column){.type = fields[i].type, .scale = fields[i].scale}, fields[i].name, err));
  }
  return RDX_OK;
}

static rdx_status check_names(const rdx_field *fields, uint32_t count, rdx_error *err) {
  RDX_SCOPED(rdx_distinct_drop) rdx_distinct names = {0};
  for (uint32_t i = 0; i < count; i++) {
    uint32_t first = i;
    RDX_TRY(rdx_distinct_add(&names, fields[i].name, strlen(fields[i].name), &first, err));
    if (first != i)
      return rdx_fail(err, RDX_ERROR_ARGUMENT, "columns %u and %u of the table are both named '%s'", first + 1, i + 1,
                      fields[i].name);
  }
  return RDX_OK;
}

static rdx_status start_column(rdx_table_writer *w, const rdx_field *field, growing_column *c, rdx_error *err) {
  c->type = field->type;
  c->scale = field->scale;
  c->width = rdx_file_width(field->type);
  c->place = w->group;
  w->group += RDX_BLOCK_ROWS * c->width + RDX_BLOCK_ROWS / 8;
  return rdx_copy_text(field->name, "a column name", &c->name, err);
}

/* Make room for the first `rows` rows of a block. */
static rdx_status reserve_block(growing_column *c, uint64_t rows, rdx_error *err) {
  if (rows <= c->capacity)
    return RDX_OK;
  const uint64_t grown = 2 * c->capacity > rows ? 2 * c->capacity : (rows + 7) / 8 * 8;
  const uint64_t capacity = grown < RDX_BLOCK_ROWS ? grown : RDX_BLOCK_ROWS;
  RDX_TRY(rdx_realloc(&c->values, capacity, c->width, "a block of a table", err));
  RDX_TRY(rdx_realloc((void **)&c->validity, capacity / 8, 1, "a block of a table", err));
  memset(c->validity + c->capacity / 8, 0xff, (capacity - c->capacity) / 8);
  c->capacity = capacity;
  return RDX_OK;
}

static rdx_status start(const char *path, const rdx_field *fields, rdx_table_writer *w, rdx_error *err) {
  RDX_TRY(rdx_calloc(w->count, sizeof *w->columns, "a table", (void **)&w->columns, err));
  for (uint32_t i = 0; i < w->count; i++)
    RDX_TRY(start_column(w, &fields[i], &w->columns[i], err));
  return rdx_replacement_open(path, &w->file, err);
}

rdx_status rdx_table_writer_create(const char *path, const rdx_field *fields, uint32_t count, rdx_table_writer **out,
                                   rdx_error *err) {
  if (!path || !fields || !out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_table_writer_create: path, fields and out must not be NULL");
  if (!*path)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_table_writer_create: the path is empty");
  RDX_TRY(check_fields(fields, count, err));
  RDX_TRY(check_names(fields, count, err));
  RDX_SCOPED(rdx_table_writer_destroy) rdx_table_writer *w = NULL;
  RDX_TRY(rdx_calloc(1, sizeof *w, "a table", (void **)&w, err));
  w->spill = -1;
  w->count = count;
  RDX_TRY(start(path, fields, w, err));
  *out = RDX_KEEP(w);
  return RDX_OK;
}

rdx_status rdx_table_writer_declare(rdx_table_writer *w, uint32_t index, const char *declaration, rdx_error *err) {
  return declaration ? rdx_copy_text(declaration, "a declaration", &w->columns[index].declaration, err) : RDX_OK;
}

rdx_status rdx_table_writer_constrain(rdx_table_writer *w, const char *constraints, rdx_error *err) {
  return constraints ? rdx_copy_text(constraints, "a declaration", &w->constraints, err) : RDX_OK;
}

/* Drop the memory of the block that fills. */
static void drop_block(growing_column *c) {
  RDX_FREE_ALL(c->values, c->validity);
  c->values = NULL;
  c->validity = NULL;
  c->capacity = 0;
}

void rdx_table_writer_destroy(rdx_table_writer **writer) {
  if (!writer || !*writer)
    return;
  rdx_table_writer *w = *writer;
  for (uint32_t i = 0; w->columns && i < w->count; i++) {
    growing_column *c = &w->columns[i];
    RDX_FREE_ALL(c->name, c->declaration);
    drop_block(c);
    RDX_FREE_ALL(c->blocks, c->sorted, c->places);
    rdx_distinct_drop(&c->strings);
  }
  RDX_FREE_ALL(w->columns, w->constraints);
  rdx_pool_destroy(&w->pool);
  if (w->spill >= 0)
    close(w->spill);
  rdx_replacement_drop(&w->file);
  rdx_free(w);
  *writer = NULL;
}

/* ---- Work on all columns at a time ---- */

/* A call for one column. */
typedef rdx_status (*column_fn)(void *context, uint32_t column, rdx_error *err);

typedef struct column_work {
  column_fn call;
  void *context;
  rdx_error *err;           /* of the first column that fails */
  _Atomic rdx_status first; /* its status */
} column_work;

static void work_on_columns(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  column_work *work = context;
  for (uint64_t i = begin; i < end && atomic_load(&work->first) == RDX_OK; i++) {
    rdx_error err;
    rdx_status none = RDX_OK;
    const rdx_status status = work->call(work->context, (uint32_t)i, &err);
    if (status != RDX_OK && atomic_compare_exchange_strong(&work->first, &none, status) && work->err)
      *work->err = err;
  }
}

static rdx_status for_columns(rdx_table_writer *w, bool large, column_fn call, void *context, rdx_error *err) {
  column_work work = {.call = call, .context = context, .err = err};
  if (large && !w->pool)
    RDX_TRY(rdx_pool_create(0, &w->pool, err));
  if (large)
    rdx_pool_run(w->pool, w->count, 1, work_on_columns, &work);
  else
    work_on_columns(&work, 0, w->count, 0);
  return atomic_load(&work.first);
}

/* ---- Blocks ---- */

/* A column of the rows of a block; of strings, of their places. */
static rdx_column block_view(const growing_column *c, uint64_t rows) {
  return (rdx_column){.type = c->type == RDX_TYPE_STRING ? RDX_TYPE_U32 : c->type,
                      .rows = rows,
                      .values = c->values,
                      .validity = c->validity};
}

/* Find the smallest and the largest value of a block by their codes. */
static void find_bounds(const growing_column *c, uint64_t rows, block *b) {
  const rdx_column view = block_view(c, rows);
  const bool wide = rdx_key_bits(view.type) == 64;
  union {
    uint64_t wide[512];
    uint32_t narrow[512];
  } codes;
  uint64_t low = UINT64_MAX, high = 0, low_row = 0, high_row = 0;
  for (uint64_t begin = 0; begin < rows; begin += RDX_COUNT(codes.wide)) {
    const uint64_t n = rows - begin < RDX_COUNT(codes.wide) ? rows - begin : RDX_COUNT(codes.wide);
    rdx_keys_encode(&view, begin, n, &codes);
    for (uint64_t i = 0; i < n; i++) {
      const uint64_t code = wide ? codes.wide[i] : codes.narrow[i];
      if (b->nulls > 0 && !rdx_column_has(&view, begin + i))
        continue;
      if (code <= low) {
        low = code;
        low_row = begin + i;
      }
      if (code >= high) {
        high = code;
        high_row = begin + i;
      }
    }
  }
  if (b->nulls < rows) {
    memcpy(&b->smallest, (const char *)c->values + low_row * c->width, c->width);
    memcpy(&b->largest, (const char *)c->values + high_row * c->width, c->width);
  }
}

static rdx_status add_block(growing_column *c, uint64_t number, rdx_error *err) {
  if (number >= c->block_capacity) {
    const uint64_t capacity = 2 * number + 4;
    RDX_TRY(rdx_realloc((void **)&c->blocks, capacity, sizeof *c->blocks, "the blocks of a table", err));
    c->block_capacity = capacity;
  }
  c->blocks[number] = (block){.nulls = c->block_nulls};
  return RDX_OK;
}

static rdx_status open_spill(rdx_table_writer *w, uint64_t rows, rdx_error *err) {
  if (w->spill >= 0 || w->rows % RDX_BLOCK_ROWS + rows < RDX_BLOCK_ROWS)
    return RDX_OK;
  return rdx_replacement_spill(&w->file, &w->spill, err);
}

/* Move a full block to the spill file. */
static rdx_status spill_block(rdx_table_writer *w, growing_column *c, uint64_t number, rdx_error *err) {
  const uint64_t offset = number * w->group + c->place, size = RDX_BLOCK_ROWS * c->width;
  RDX_TRY(add_block(c, number, err));
  RDX_TRY(rdx_write_at(w->spill, c->values, size, offset, w->file.growing, err));
  if (c->block_nulls > 0) {
    RDX_TRY(rdx_write_at(w->spill, c->validity, RDX_BLOCK_ROWS / 8, offset + size, w->file.growing, err));
    memset(c->validity, 0xff, RDX_BLOCK_ROWS / 8);
  }
  c->nulls += c->block_nulls;
  c->block_nulls = 0;
  return RDX_OK;
}

/* ---- Append ---- */

typedef struct append_work {
  rdx_table_writer *writer;
  const rdx_column *columns;
} append_work;

/* Clear the bits and the values of the NULLs among rows begin .. begin + n - 1 of `in`, which go to row `to`. */
static void copy_nulls(growing_column *c, const rdx_column *in, uint64_t begin, uint64_t n, uint64_t to) {
  for (uint64_t i = 0; i < n; i++) {
    if ((begin + i) % 8 == 0 && i + 8 <= n && in->validity[(begin + i) / 8] == 0xff) {
      i += 7;
      continue;
    }
    if (rdx_column_has(in, begin + i))
      continue;
    c->validity[(to + i) / 8] &= (uint8_t) ~(1u << (to + i) % 8);
    memset((char *)c->values + (to + i) * c->width, 0, c->width);
    c->block_nulls++;
  }
}

/* Numbers of strings with a dictionary; `known` has those of its strings that were seen. */
static rdx_status copy_known_strings(growing_column *c, const rdx_column *in, uint64_t begin, uint64_t n,
                                     uint32_t *numbers, uint32_t *known, rdx_error *err) {
  for (uint64_t i = 0; i < n; i++) {
    const uint64_t row = begin + i;
    if (!rdx_column_has(in, row))
      continue;
    uint32_t *number = &known[((const uint32_t *)in->values)[row]];
    if (*number == UINT32_MAX) {
      uint64_t length;
      const char *bytes = rdx_column_text(in, row, &length);
      RDX_TRY(rdx_distinct_add(&c->strings, bytes, length, number, err));
    }
    numbers[i] = *number;
  }
  return RDX_OK;
}

static void copy_values(growing_column *c, const rdx_column *in, uint64_t begin, uint64_t n, uint64_t to) {
  memcpy((char *)c->values + to * c->width, (const char *)in->values + begin * c->width, n * c->width);
  if (c->type == RDX_TYPE_BOOL)
    for (uint64_t i = to; i < to + n; i++)
      ((uint8_t *)c->values)[i] = ((uint8_t *)c->values)[i] != 0;
}

static rdx_status append_rows(rdx_table_writer *w, growing_column *c, const rdx_column *in, uint32_t *known,
                              rdx_error *err) {
  for (uint64_t begin = 0; begin < in->rows;) {
    const uint64_t row = w->rows + begin, to = row % RDX_BLOCK_ROWS, capacity = RDX_BLOCK_ROWS - to;
    const uint64_t n = in->rows - begin < capacity ? in->rows - begin : capacity;
    RDX_TRY(reserve_block(c, to + n, err));
    RDX_TRY(rdx_progress_at_times("write", 0, 0, err));
    if (c->type == RDX_TYPE_STRING)
      RDX_TRY(known ? copy_known_strings(c, in, begin, n, (uint32_t *)c->values + to, known, err)
                    : rdx_distinct_add_rows(&c->strings, in, begin, n, (uint32_t *)c->values + to, err));
    else
      copy_values(c, in, begin, n, to);
    if (in->validity)
      copy_nulls(c, in, begin, n, to);
    if (n == capacity)
      RDX_TRY(spill_block(w, c, row / RDX_BLOCK_ROWS, err));
    begin += n;
  }
  return RDX_OK;
}

static rdx_status append_column(void *context, uint32_t number, rdx_error *err) {
  const append_work *work = context;
  const rdx_column *in = &work->columns[number];
  RDX_SCOPED(rdx_free_local) uint32_t *known = NULL;
  if (in->dictionary && in->dictionary->rows <= in->rows / 2) { /* a larger one is not worth a table of its numbers */
    RDX_TRY(rdx_alloc(in->dictionary->rows, sizeof *known, "a dictionary", (void **)&known, err));
    memset(known, 0xff, in->dictionary->rows * sizeof *known);
  }
  return append_rows(work->writer, &work->writer->columns[number], in, known, err);
}

static rdx_status check_columns(const rdx_table_writer *w, const rdx_column *columns, rdx_error *err) {
  for (uint32_t i = 0; i < w->count; i++) {
    const growing_column *c = &w->columns[i];
    const rdx_column *in = &columns[i];
    if (in->device)
      return rdx_fail(err, RDX_ERROR_ARGUMENT, "column '%s': a table is written from host memory", c->name);
    RDX_TRY(rdx_column_check(in, c->name, err));
    if (in->type != c->type || in->scale != c->scale)
      return rdx_fail(err, RDX_ERROR_ARGUMENT, "column '%s': the table has type %s and scale %u, the rows %s and %u",
                      c->name, rdx_type_name(c->type), c->scale, rdx_type_name(in->type), in->scale);
    if (in->rows != columns[0].rows)
      return rdx_fail(err, RDX_ERROR_ARGUMENT, "column '%s' has %llu rows, the first column has %llu", c->name,
                      (unsigned long long)in->rows, (unsigned long long)columns[0].rows);
  }
  if (columns[0].rows > RDX_TABLE_ROWS_MAX - w->rows)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "%s: a table has at most 2^32 - 2 rows", w->file.path);
  return RDX_OK;
}

rdx_status rdx_table_writer_append(rdx_table_writer *w, const rdx_column *columns, rdx_error *err) {
  if (!w || !columns)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_table_writer_append: writer and columns must not be NULL");
  if (w->over)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "%s: the table was finished, or failed, before", w->file.path);
  RDX_TRY(check_columns(w, columns, err));
  const uint64_t rows = columns[0].rows;
  append_work work = {w, columns};
  rdx_status status = open_spill(w, rows, err);
  if (status == RDX_OK)
    status = for_columns(w, rows * w->count >= PARALLEL, append_column, &work, err);
  w->over = status != RDX_OK;
  w->rows += rows;
  return status;
}

/* ---- Finish ---- */

typedef struct finish_work {
  rdx_table_writer *writer;
  rdx_file_place *places;
  char *directory;
  _Atomic uint64_t blocks; /* that were begun, of all columns */
} finish_work;

/* Give the room of a part of the spill file back to the disk; a file system that cannot keeps it until the end. */
static void cut_out(const rdx_table_writer *w, uint64_t offset, uint64_t size) {
  (void)fallocate(w->spill, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)size);
}

/* Write a chunk of a section, of which `used` bytes are filled, and note its checksum. `data` has room for a chunk. */
static rdx_status write_chunk(const finish_work *f, const rdx_section *s, uint64_t chunk, void *data, uint64_t used,
                              rdx_error *err) {
  const uint64_t begin = chunk * s->chunk, rest = s->padded - begin, size = rest < s->chunk ? rest : s->chunk;
  memset((char *)data + used, 0, size - used);
  const uint64_t checksum = rdx_file_checksum(data, size);
  memcpy(f->directory + s->checksums + 8 * chunk, &checksum, sizeof checksum);
  return rdx_write_at(f->writer->file.file, data, size, s->offset + begin, f->writer->file.growing, err);
}

/* Write a block, which lies in the column's memory. */
static rdx_status write_block(const finish_work *f, uint32_t number, uint64_t k, uint64_t rows, rdx_error *err) {
  growing_column *c = &f->writer->columns[number];
  const rdx_file_place *p = &f->places[number];
  block *b = &c->blocks[k];
  if (c->type == RDX_TYPE_STRING) {
    uint32_t *values = c->values;
    const rdx_column view = block_view(c, rows);
    for (uint64_t i = 0; i < rows; i++)
      values[i] = rdx_column_has(&view, i) ? c->places[values[i]] : 0;
  }
  find_bounds(c, rows, b);
  memcpy(f->directory + p->smallest + k * c->width, &b->smallest, c->width);
  memcpy(f->directory + p->largest + k * c->width, &b->largest, c->width);
  if (b->nulls < rows)
    f->directory[p->filled + k / 8] |= (char)(1u << k % 8);
  RDX_TRY(write_chunk(f, &p->sections[RDX_SECTION_VALUES], k, c->values, rows * c->width, err));
  if (c->nulls == 0)
    return RDX_OK;
  for (uint64_t i = rows; i % 8 != 0; i++)
    c->validity[i / 8] &= (uint8_t) ~(1u << i % 8);
  return write_chunk(f, &p->sections[RDX_SECTION_VALIDITY], k, c->validity, (rows + 7) / 8, err);
}

static rdx_status load_block(const finish_work *f, growing_column *c, uint64_t k, rdx_error *err) {
  const rdx_table_writer *w = f->writer;
  const uint64_t offset = k * w->group + c->place, size = RDX_BLOCK_ROWS * c->width;
  RDX_TRY(rdx_read_at(w->spill, c->values, size, offset, w->file.growing, err));
  if (c->blocks[k].nulls > 0)
    RDX_TRY(rdx_read_at(w->spill, c->validity, RDX_BLOCK_ROWS / 8, offset + size, w->file.growing, err));
  else
    memset(c->validity, 0xff, RDX_BLOCK_ROWS / 8);
  cut_out(w, offset, size + RDX_BLOCK_ROWS / 8);
  return RDX_OK;
}

/* A section that is written from its beginning on. */
typedef struct section_stream {
  const finish_work *work;
  const rdx_section *section;
  char *scratch; /* for a chunk */
  uint64_t used, chunk;
} section_stream;

static rdx_status put(section_stream *s, const void *data, uint64_t size, rdx_error *err) {
  for (uint64_t done = 0; done < size;) {
    const uint64_t left = s->section->chunk - s->used, n = size - done < left ? size - done : left;
    memcpy(s->scratch + s->used, (const char *)data + done, n);
    done += n;
    s->used += n;
    if (s->used == s->section->chunk) {
      RDX_TRY(write_chunk(s->work, s->section, s->chunk++, s->scratch, s->used, err));
      s->used = 0;
    }
  }
  return RDX_OK;
}

static rdx_status put_end(section_stream *s, rdx_error *err) {
  return s->used > 0 ? write_chunk(s->work, s->section, s->chunk, s->scratch, s->used, err) : RDX_OK;
}

/* Write the strings in ascending order, and where each starts. */
static rdx_status put_strings(const growing_column *c, section_stream *offsets, section_stream *text, rdx_error *err) {
  const rdx_column *strings = &c->strings.strings;
  const uint64_t ahead = 16;
  uint64_t end = 0;
  RDX_TRY(put(offsets, &end, sizeof end, err));
  for (uint64_t i = 0; i < strings->rows; i++) {
    if (i + 2 * ahead < strings->rows)
      __builtin_prefetch(&strings->offsets[c->sorted[i + 2 * ahead]]);
    if (i + ahead < strings->rows)
      __builtin_prefetch((const char *)strings->values + strings->offsets[c->sorted[i + ahead]]);
    uint64_t length;
    const char *bytes = rdx_column_text(strings, c->sorted[i], &length);
    RDX_TRY(rdx_loop_goes_on(i, strings->rows, "write", err));
    RDX_TRY(put(text, bytes, length, err));
    end += length;
    RDX_TRY(put(offsets, &end, sizeof end, err));
  }
  RDX_TRY(put_end(offsets, err));
  return put_end(text, err);
}

static uint64_t largest_chunk(const rdx_section *s) {
  return s->padded < s->chunk ? s->padded : s->chunk;
}

static rdx_status write_dictionary(const finish_work *f, uint32_t number, rdx_error *err) {
  const rdx_section *sections = f->places[number].sections;
  const rdx_section *offsets = &sections[RDX_SECTION_OFFSETS], *text = &sections[RDX_SECTION_DICTIONARY];
  RDX_SCOPED(rdx_free_local) char *offsets_scratch = NULL, *text_scratch = NULL;
  RDX_TRY(rdx_alloc(largest_chunk(offsets), 1, "a dictionary", (void **)&offsets_scratch, err));
  RDX_TRY(rdx_alloc(largest_chunk(text), 1, "a dictionary", (void **)&text_scratch, err));
  return put_strings(&f->writer->columns[number],
                     &(section_stream){.work = f, .section = offsets, .scratch = offsets_scratch},
                     &(section_stream){.work = f, .section = text, .scratch = text_scratch}, err);
}

/* The block that is not full is in memory and goes first; then its memory serves the others. */
static rdx_status finish_column(void *context, uint32_t number, rdx_error *err) {
  finish_work *f = context;
  const rdx_table_writer *w = f->writer;
  growing_column *c = &w->columns[number];
  const uint64_t full = w->rows / RDX_BLOCK_ROWS, rest = w->rows % RDX_BLOCK_ROWS;
  if (c->type == RDX_TYPE_STRING) {
    rdx_distinct_seal(&c->strings);
    RDX_TRY(rdx_distinct_sort(&c->strings, "write", &c->sorted, &c->places, err));
    RDX_TRY(write_dictionary(f, number, err));
  }
  if (rest > 0 || full > 0) /* also for the padding of chunks */
    RDX_TRY(reserve_block(c, full > 0 ? RDX_BLOCK_ROWS : rest + 8 * RDX_PAGE, err));
  if (rest > 0)
    RDX_TRY(write_block(f, number, full, rest, err));
  for (uint64_t k = 0; k < full; k++) {
    RDX_TRY(rdx_progress_at_times("write", atomic_fetch_add(&f->blocks, 1), w->count * full, err));
    RDX_TRY(load_block(f, c, k, err));
    RDX_TRY(write_block(f, number, k, RDX_BLOCK_ROWS, err));
  }
  drop_block(c);
  rdx_distinct_drop(&c->strings);
  RDX_FREE_ALL(c->sorted, c->places);
  c->sorted = c->places = NULL;
  return RDX_OK;
}

/* The bytes of all declarations, and of the constraints, each with its zero; 0: there is none. They go to `out` where
 * it is not NULL. */
static uint64_t put_declarations(const rdx_table_writer *w, char *out) {
  uint64_t size = 0;
  bool any = false;
  for (uint32_t i = 0; i < w->count + (w->constraints != NULL); i++) {
    const char *declared = i == w->count ? w->constraints : w->columns[i].declaration, *text = declared ? declared : "";
    if (out)
      strcpy(out + size, text);
    size += strlen(text) + 1;
    any |= *text != '\0';
  }
  return any ? size : 0;
}

/* What the directory says of the columns, and the size of the file; the counts are final. */
static rdx_status describe(finish_work *f, rdx_file_column *columns, rdx_file_header *header, rdx_error *err) {
  const rdx_table_writer *w = f->writer;
  for (uint32_t i = 0; i < w->count; i++) {
    const growing_column *c = &w->columns[i];
    const uint64_t distinct = c->strings.strings.rows;
    columns[i] = (rdx_file_column){.type = c->type,
                                   .scale = c->scale,
                                   .nulls = c->nulls,
                                   .distinct = distinct,
                                   .text = distinct > 0 ? c->strings.offsets[distinct] : 0,
                                   .name = strlen(c->name)};
  }
  *header = (rdx_file_header){.magic = RDX_FILE_MAGIC,
                              .version = RDX_FORMAT_VERSION,
                              .columns = w->count,
                              .rows = w->rows,
                              .declarations = put_declarations(w, NULL)};
  if (header->declarations > 0)
    header->version = w->constraints ? RDX_CONSTRAINED_VERSION : RDX_DECLARED_VERSION;
  if (!rdx_file_lay_out(columns, header, UINT64_MAX, f->places, &header->directory, &header->size))
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "%s would be too large", w->file.path);
  RDX_TRY(rdx_calloc(header->size - header->directory, 1, "the directory of a table", (void **)&f->directory, err));
  memcpy(f->directory, columns, w->count * sizeof *columns);
  if (header->declarations > 0)
    put_declarations(w, f->directory + w->count * sizeof *columns);
  for (uint32_t i = 0; i < w->count; i++)
    memcpy(f->directory + f->places[i].name, w->columns[i].name, columns[i].name);
  return RDX_OK;
}

/* The header comes last. */
static rdx_status write_frame(const finish_work *f, rdx_file_header *header, rdx_error *err) {
  const rdx_table_writer *w = f->writer;
  const uint64_t size = header->size - header->directory;
  char page[RDX_PAGE] = {0};
  header->directory_checksum = rdx_file_checksum(f->directory, size);
  memcpy(page, header, sizeof *header);
  const uint64_t checksum = rdx_file_header_checksum(page);
  memcpy(page + RDX_PAGE - sizeof checksum, &checksum, sizeof checksum);
  RDX_TRY(rdx_write_at(w->file.file, f->directory, size, header->directory, w->file.growing, err));
  return rdx_write_at(w->file.file, page, RDX_PAGE, 0, w->file.growing, err);
}

static rdx_status write_file(finish_work *f, rdx_file_column *columns, rdx_error *err) {
  rdx_table_writer *w = f->writer;
  rdx_file_header header;
  for (uint32_t i = 0; i < w->count && w->rows % RDX_BLOCK_ROWS > 0; i++) {
    growing_column *c = &w->columns[i];
    RDX_TRY(add_block(c, w->rows / RDX_BLOCK_ROWS, err));
    c->nulls += c->block_nulls;
  }
  RDX_TRY(describe(f, columns, &header, err));
  RDX_TRY(for_columns(w, w->rows * w->count >= PARALLEL, finish_column, f, err));
  return write_frame(f, &header, err);
}

static void drop(finish_work *f) {
  RDX_FREE_ALL(f->places, f->directory);
}

rdx_status rdx_table_writer_complete(rdx_table_writer *w, rdx_error *err) {
  if (w->over)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "%s: the table was finished, or failed, before", w->file.path);
  w->over = true;
  RDX_SCOPED(drop) finish_work f = {.writer = w};
  RDX_SCOPED(rdx_free_local) rdx_file_column *columns = NULL;
  RDX_TRY(rdx_alloc(w->count, sizeof *f.places, "a table", (void **)&f.places, err));
  RDX_TRY(rdx_alloc(w->count, sizeof *columns, "a table", (void **)&columns, err));
  return write_file(&f, columns, err);
}

rdx_status rdx_table_writer_commit(rdx_table_writer *w, rdx_error *err) {
  return rdx_replacement_commit(&w->file, err);
}

rdx_status rdx_table_writer_finish(rdx_table_writer *w, rdx_error *err) {
  if (!w)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_table_writer_finish: writer must not be NULL");
  RDX_TRY(rdx_table_writer_complete(w, err));
  return rdx_table_writer_commit(w, err);
}
