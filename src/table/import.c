/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* CSV to tables in memory, and to table files in memory that does not grow with the file, by all cores.
 *
 * Rounds: the next pieces of the text are cut where records are believed to begin, which the number of quotes before
 * them tells (an odd number: inside of a field); threads read a piece each; then, in order, a piece is taken if it
 * began where the one before it ended, and read again from there if not, which only malformed quotes can bring about.
 * So the result is that of reading from the beginning to the end.
 *
 * Types are guessed from a sample. Where a value then does not fit, or the sample had none, a pass over the whole text
 * finds the types of all values, and the import starts over. */

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "table/csv.h"

#define PIECE ((uint64_t)1 << 20) /* bytes */

/* A record that was left out. */
typedef struct reject {
  const char *record, *problem_at;
  uint64_t length;
  uint64_t problem; /* where its text, without its place, begins among those of the list */
} reject;

/* Those of a piece. Their problems stand one behind the other, each with a NUL at its end. */
typedef struct reject_list {
  reject *items;
  uint64_t count, capacity;
  char *problems;
  uint64_t size, text_capacity;
} reject_list;

/* A part of the text, and what a thread made of it. */
typedef struct piece {
  const char *begin, *until; /* records that begin in between */
  uint64_t quotes;           /* in the stretch before the cut, while pieces are cut */
  rdx_csv_reader reader;     /* has a table, scratch and inferences of its own; at: the end */
  uint64_t rows;
  uint64_t place;  /* in memory: of its first row in the table, */
  uint64_t *bytes; /* and of its first byte among those of each column of strings */
  reject_list rejects;
  uint64_t version;      /* of what was known of types when it began; 0: nothing */
  bool changed;          /* it tells more */
  rdx_inference *before; /* room for what was known before a record that may be rejected */
  rdx_status status;
  rdx_error err;
} piece;

typedef struct importing {
  const rdx_import_params *params;
  const char *stage; /* of progress */
  const char *path;  /* of the table file; NULL: the reader's table takes the rows */
  rdx_csv_file file;
  rdx_csv_reader reader;
  rdx_pool *pool;
  piece *pieces;
  uint32_t capacity, count; /* pieces: there is memory for; this round has */
  bool inferring;
  uint64_t version; /* of what is known of types */
  rdx_table_writer *writer;
  uint64_t rejected;   /* in all pieces taken */
  uint64_t told;       /* of these, in the pass that came furthest */
  const char *counted; /* up to here there are `lines` line ends */
  uint64_t lines;
  uint64_t rows;
} importing;

/* ---- Rejects ---- */

static void drop_rejects(reject_list *list) {
  RDX_FREE_ALL(list->items, list->problems);
}

static rdx_status add_reject(reject_list *list, reject r, const char *problem, rdx_error *err) {
  const uint64_t length = strlen(problem) + 1;
  if (list->count == list->capacity) {
    const uint64_t capacity = 2 * list->capacity + 16;
    RDX_TRY(rdx_realloc((void **)&list->items, capacity, sizeof *list->items, "rejected records", err));
    list->capacity = capacity;
  }
  if (list->size + length > list->text_capacity) {
    const uint64_t capacity = 2 * (list->size + length);
    RDX_TRY(rdx_realloc((void **)&list->problems, capacity, 1, "rejected records", err));
    list->text_capacity = capacity;
  }
  r.problem = list->size;
  memcpy(list->problems + list->size, problem, length);
  list->size += length;
  list->items[list->count++] = r;
  return RDX_OK;
}

static uint64_t inference_bytes(const importing *m) {
  return m->reader.table->column_count * sizeof(rdx_inference);
}

/* Note the record that has just failed, and move behind it. What there is of its values tells no types. */
static rdx_status reject_record(const importing *m, piece *p, const char *record, rdx_error *problem) {
  rdx_csv_reader *r = &p->reader;
  reject x = {.record = record, .problem_at = r->problem};
  r->problem = NULL;
  RDX_TRY(rdx_csv_skip_record(r, &p->err));
  memcpy(r->inferred, p->before, inference_bytes(m));
  r->widened = r->learned = false;
  x.length = (uint64_t)(r->at - record);
  return m->inferring ? RDX_OK : add_reject(&p->rejects, x, problem->text, &p->err);
}

/* The line of a place; cheap where places ascend. */
static uint64_t line_of(importing *m, const char *at) {
  if (at < m->counted) {
    m->counted = m->reader.begin;
    m->lines = 0;
  }
  for (const char *p; at > m->counted && (p = memchr(m->counted, '\n', (size_t)(at - m->counted))); m->counted = p + 1)
    m->lines++;
  return m->lines + 1;
}

/* Tell the caller of a record that was left out. */
static rdx_status tell(importing *m, const reject_list *list, const reject *x, rdx_error *err) {
  const rdx_import_params *p = m->params;
  rdx_error problem;
  uint64_t length = x->length;
  while (length > 0 && (x->record[length - 1] == '\n' || x->record[length - 1] == '\r'))
    length--;
  const uint64_t line = line_of(m, x->problem_at);
  m->reader.problem = x->problem_at;
  snprintf(problem.text, sizeof problem.text, "%s", list->problems + x->problem);
  (void)rdx_csv_place(&m->reader, RDX_ERROR_FORMAT, line, &problem);
  return p->reject(p->user, line, problem.text, x->record, length, err);
}

/* Take the rejects of a piece, as far as there may be so many. Which records are rejected is the same in all passes, so
 * that those of an earlier one are not told again. */
static rdx_status take_rejects(importing *m, const piece *p, rdx_error *err) {
  const uint64_t left = m->params->max_rejects - m->rejected;
  for (uint64_t i = 0; i < p->rejects.count && i < left; i++) {
    m->rejected++;
    if (m->rejected <= m->told || !m->params->reject)
      continue;
    m->told = m->rejected;
    RDX_TRY(tell(m, &p->rejects, &p->rejects.items[i], err));
  }
  return RDX_OK;
}

/* ---- Reading pieces ---- */

/* Note that there is something new, and keep it for when a record is rejected. */
static void keep_inferences(const importing *m, piece *p) {
  p->changed = true;
  p->reader.learned = false;
  if (p->before)
    memcpy(p->before, p->reader.inferred, inference_bytes(m));
}

static rdx_status read_records(const importing *m, piece *p) {
  rdx_csv_reader *r = &p->reader;
  while (r->at < p->until && !r->widened && p->rejects.size < PIECE) { /* from there on it is read again */
    if (*r->at <= '\r' && rdx_csv_at_end(r)) {
      r->at = r->end;
      break;
    }
    const char *record = r->at;
    if (!m->inferring)
      RDX_TRY(rdx_csv_reserve(r, p->rows, &p->err));
    if (r->learned)
      keep_inferences(m, p);
    rdx_error problem;
    rdx_status status = rdx_csv_read_record(r, p->rows, &problem);
    if (status == RDX_OK) {
      p->rows++;
      continue;
    }
    const bool rejected = r->problem && p->rejects.count < m->params->max_rejects;
    if (rejected && (status == RDX_ERROR_FORMAT || status == RDX_ERROR_RANGE))
      status = reject_record(m, p, record, &problem);
    else
      p->err = problem;
    if (status != RDX_OK)
      return status;
  }
  return RDX_OK;
}

/* Start with what is known of the columns, of which nothing is counted yet. Most pieces tell nothing new. */
static void start_inferences(const importing *m, piece *p) {
  rdx_csv_reader *r = &p->reader;
  const bool changed = p->changed || r->learned; /* by a reading that was not taken, too */
  r->learned = false;
  if (p->version == m->version && !changed && !m->inferring)
    return;
  memcpy(r->inferred, m->reader.inferred, inference_bytes(m));
  for (uint32_t i = 0; i < m->reader.table->column_count; i++)
    r->inferred[i].typed = r->inferred[i].texts = 0;
  if (p->before)
    memcpy(p->before, r->inferred, inference_bytes(m));
  p->version = m->version;
  p->changed = false;
}

static rdx_status read_piece(const importing *m, piece *p) {
  rdx_csv_reader *r = &p->reader;
  const rdx_table *model = m->reader.table;
  r->at = p->begin;
  r->problem = NULL;
  r->widened = false;
  r->inferring = m->inferring;
  p->rows = 0;
  p->rejects.count = p->rejects.size = 0;
  start_inferences(m, p);
  const size_t size = (size_t)(p->until - p->begin);
  r->check = rdx_utf8_check(p->begin, size) < size;
  for (uint32_t i = 0; i < model->column_count && !m->inferring; i++)
    RDX_TRY(rdx_growing_start(&r->table->columns[i], model->columns[i].view.type, model->columns[i].view.scale,
                              r->reserved, &p->err));
  return read_records(m, p);
}

static void read_pieces(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  const importing *m = context;
  for (uint64_t i = begin; i < end; i++)
    m->pieces[i].status = read_piece(m, &m->pieces[i]);
}

/* ---- Cutting ---- */

/* In stretches whose count fits a byte, which compilers turn into comparisons of many bytes at once. */
static uint64_t quotes_in(const char *text, uint64_t size, char quote) {
  uint64_t sum = 0;
  for (uint64_t done = 0; done < size;) {
    const uint64_t end = size - done < UINT8_MAX ? size : done + UINT8_MAX / 16 * 16;
    uint8_t count = 0;
    for (; done < end; done++)
      count += text[done] == quote;
    sum += count;
  }
  return sum;
}

static void count_quotes(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  const importing *m = context;
  for (uint64_t i = begin; i < end; i++) {
    piece *p = &m->pieces[i];
    p->quotes = m->reader.quote ? quotes_in(p->begin, (uint64_t)(p->until - p->begin), m->reader.quote) : 0;
  }
}

/* Where the first record begins behind `at`, which is inside of a quoted field or not. */
static const char *find_record(const importing *m, const char *at, bool inside) {
  for (; at < m->reader.end; at++) {
    if (*at == '\n' && !inside)
      return at + 1;
    if (*at == m->reader.quote && m->reader.quote)
      inside = !inside;
  }
  return at;
}

/* Cut the text from `at`, where a record begins. */
static void cut(importing *m, const char *at) {
  const char *const end = m->reader.end;
  m->count = 0;
  for (const char *p = at; p < end && m->count < m->capacity; m->count++) {
    m->pieces[m->count].begin = p;
    p = (uint64_t)(end - p) > PIECE ? p + PIECE : end;
    m->pieces[m->count].until = p;
  }
  if (m->count > 1)
    rdx_pool_run(m->pool, m->count, 1, count_quotes, m);
  bool inside = false;
  const char *begin = at;
  for (uint32_t i = 0; i < m->count; i++) {
    piece *p = &m->pieces[i];
    inside ^= p->quotes % 2 != 0 && m->count > 1;
    const char *next = p->until == end ? end : p->until < begin ? begin : find_record(m, p->until, inside);
    p->begin = begin;
    p->until = begin = next;
  }
}

/* ---- Rounds ---- */

/* The error of a piece, with its line. */
static rdx_status fail_piece(importing *m, piece *p, rdx_error *err) {
  rdx_csv_reader *r = &p->reader;
  const rdx_status status = rdx_csv_place(r, p->status, r->problem ? line_of(m, r->problem) : 0, &p->err);
  const uint64_t max = m->params->max_rejects;
  if (max > 0 && r->problem)
    return rdx_fail(err, status, "more than %llu record%s would be rejected; the next is %.900s",
                    (unsigned long long)max, max == 1 ? "" : "s", p->err.text);
  if (err)
    *err = p->err;
  return status;
}

/* A piece's place in the table: its rows are copied once those of all pieces of a round have one. */
static rdx_status give_place(importing *m, piece *p, rdx_error *err) {
  rdx_table *table = m->reader.table;
  if (m->rows >= UINT32_MAX)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "%s has more than 2^32 - 2 rows", m->reader.name);
  p->place = m->rows - p->rows;
  for (uint32_t i = 0; i < table->column_count; i++) {
    p->bytes[i] = table->columns[i].byte_count;
    table->columns[i].byte_count += p->reader.table->columns[i].byte_count;
  }
  return RDX_OK;
}

static rdx_status append(importing *m, piece *p, rdx_error *err) {
  rdx_table *table = p->reader.table;
  if (p->rows == 0)
    return RDX_OK;
  if (!m->path)
    return give_place(m, p, err);
  rdx_table_finish(table, p->rows);
  RDX_SCOPED(rdx_free_local) rdx_column *columns = NULL;
  RDX_TRY(rdx_alloc(table->column_count, sizeof *columns, "a table", (void **)&columns, err));
  for (uint32_t i = 0; i < table->column_count; i++)
    columns[i] = table->columns[i].view;
  return rdx_table_writer_append(m->writer, columns, err);
}

/* Take in what a piece tells of types. */
static void merge_inferences(importing *m, const piece *p) {
  rdx_csv_reader *r = &m->reader;
  if (!p->changed && !p->reader.learned)
    return;
  m->version++;
  for (uint32_t i = 0; i < r->table->column_count; i++) {
    rdx_inference_merge(&r->inferred[i], &p->reader.inferred[i], m->inferring);
    r->widened |= !m->inferring && !r->fixed[i] && rdx_csv_is_outgrown(r, i);
  }
}

/* Take what a thread made of a piece; the text is read up to `*at`. */
static rdx_status take_piece(importing *m, piece *p, const char **at, rdx_error *err) {
  if (p->begin != *at) {
    p->begin = *at;
    p->status = read_piece(m, p);
  }
  const uint64_t left = m->params->max_rejects - m->rejected;
  if (p->status == RDX_OK && p->rejects.count > left) {
    const reject *x = &p->rejects.items[left];
    p->status = RDX_ERROR_FORMAT;
    p->reader.problem = x->problem_at;
    snprintf(p->err.text, sizeof p->err.text, "%s", p->rejects.problems + x->problem);
  }
  RDX_TRY(take_rejects(m, p, err));
  if (p->status != RDX_OK)
    return fail_piece(m, p, err);
  *at = p->reader.at;
  m->rows += p->rows;
  merge_inferences(m, p);
  return m->inferring || m->reader.widened ? RDX_OK : append(m, p, err);
}

/* The values or strings of a piece's column. */
static void copy_column(const piece *p, uint32_t i, const rdx_growing *to) {
  const rdx_growing *from = &p->reader.table->columns[i];
  const size_t size = rdx_type_size(from->view.type);
  if (size > 0) {
    memcpy((char *)to->values + p->place * size, from->values, p->rows * size);
    return;
  }
  if (from->byte_count > 0)
    memcpy(to->bytes + p->bytes[i], from->bytes, from->byte_count);
  for (uint64_t row = 1; row <= p->rows; row++)
    to->offsets[p->place + row] = p->bytes[i] + from->offsets[row];
}

static void copy_pieces(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  const importing *m = context;
  for (uint64_t i = begin; i < end; i++)
    for (uint32_t k = 0; m->pieces[i].rows > 0 && k < m->reader.table->column_count; k++)
      copy_column(&m->pieces[i], k, &m->reader.table->columns[k]);
}

/* NULLs share bytes with those of the pieces beside. */
static rdx_status copy_nulls(const piece *p, uint32_t i, rdx_growing *to, rdx_error *err) {
  const uint8_t *validity = p->reader.table->columns[i].validity;
  for (uint64_t row = 0; validity && row < p->rows; row++) {
    if (row % 8 == 0 && validity[row / 8] == 0xff)
      row += 7;
    else if (!(validity[row / 8] >> row % 8 & 1))
      RDX_TRY(rdx_growing_note_null(to, p->place + row, err));
  }
  return RDX_OK;
}

/* The rows of the pieces that were taken in this round. */
static rdx_status copy_rows(importing *m, rdx_error *err) {
  rdx_table *table = m->reader.table;
  for (uint32_t i = 0; i < table->column_count; i++) {
    RDX_TRY(rdx_growing_reserve(&table->columns[i], m->rows, err));
    RDX_TRY(rdx_growing_reserve_bytes(&table->columns[i], table->columns[i].byte_count, err));
  }
  rdx_pool_run(m->pool, m->count, 1, copy_pieces, m);
  for (uint32_t i = 0; i < m->count; i++)
    for (uint32_t k = 0; k < table->column_count; k++)
      RDX_TRY(copy_nulls(&m->pieces[i], k, &table->columns[k], err));
  return RDX_OK;
}

/* Read all of the text, or up to a value that does not fit. */
static rdx_status read_all(importing *m, const char *stage, rdx_error *err) {
  rdx_csv_reader *r = &m->reader;
  const char *at = r->first;
  m->rejected = 0;
  m->rows = 0;
  r->widened = false;
  while (at < r->end && !r->widened) {
    RDX_TRY(rdx_progress(stage, (uint64_t)(at - r->begin), (uint64_t)(r->end - r->begin), err));
    cut(m, at);
    rdx_pool_run(m->pool, m->count, 1, read_pieces, m);
    RDX_TRY(rdx_csv_file_check(&m->file, err)); /* before anybody is told of what was never there */
    for (uint32_t i = 0; i < m->count && !r->widened; i++)
      if (at < m->pieces[i].until)
        RDX_TRY(take_piece(m, &m->pieces[i], &at, err));
      else
        m->pieces[i].rows = 0;
    if (!m->path && !m->inferring && !r->widened)
      RDX_TRY(copy_rows(m, err));
    if (!r->decoded)
      rdx_csv_file_forget(&m->file, at);
  }
  return RDX_OK;
}

static rdx_status infer(importing *m, rdx_error *err) {
  m->inferring = true;
  const rdx_status status = read_all(m, "infer types", err);
  m->inferring = false;
  return status;
}

/* ---- All of it ---- */

static rdx_status start_writer(importing *m, rdx_error *err) {
  rdx_table *table = m->reader.table;
  rdx_field *fields = NULL;
  RDX_TRY(rdx_alloc(table->column_count, sizeof *fields, "a table", (void **)&fields, err));
  for (uint32_t i = 0; i < table->column_count; i++) {
    const rdx_growing *c = &table->columns[i];
    fields[i] = (rdx_field){c->name, c->view.type, c->view.scale};
  }
  const rdx_status status = rdx_table_writer_create(m->path, fields, table->column_count, &m->writer, err);
  rdx_free(fields);
  if (status == RDX_ERROR_ARGUMENT && *m->path && err) { /* of the columns, such as a name that the file gives twice */
    const rdx_error of_table = *err;
    (void)rdx_fail(
        err, status, "%s: %.400s%s", m->reader.name, of_table.text,
        strstr(of_table.text, "both named") ? ": rename one of them in the file, or choose others (--columns)" : "");
  }
  return status;
}

/* Where the rows go. In memory there is room for as many as the length of the header lets guess: growing is cheap. */
static rdx_status start_rows(importing *m, rdx_error *err) {
  const rdx_csv_reader *r = &m->reader;
  const uint64_t guess = (uint64_t)(r->end - r->first) / (8 * (uint64_t)r->field_count) + 1;
  rdx_table_writer_destroy(&m->writer);
  RDX_TRY(rdx_csv_start_columns(&m->reader, m->path ? 1 : guess, err));
  return m->path ? start_writer(m, err) : RDX_OK;
}

/* Readers that share the names and choices of the first. */
static rdx_status start_pieces(importing *m, rdx_error *err) {
  const uint32_t columns = m->reader.table->column_count;
  const bool small = (uint64_t)(m->reader.end - m->reader.begin) <= PIECE;
  RDX_TRY(rdx_pool_create(small ? 1 : m->params->threads, &m->pool, err));
  const uint32_t capacity = 2 * rdx_pool_threads(m->pool);
  RDX_TRY(rdx_calloc(capacity, sizeof *m->pieces, "the pieces of an import", (void **)&m->pieces, err));
  while (m->capacity < capacity) {
    piece *p = &m->pieces[m->capacity++];
    rdx_csv_reader *r = &p->reader;
    *r = m->reader;
    r->table = NULL;
    r->decoded = NULL;
    r->scratch = NULL;
    r->scratch_size = 0;
    r->inferred = NULL;
    RDX_TRY(rdx_calloc(columns, sizeof *r->inferred, "a CSV file", (void **)&r->inferred, err));
    RDX_TRY(rdx_table_create(columns, &r->table, err));
    RDX_TRY(rdx_alloc(columns, sizeof *p->bytes, "a CSV file", (void **)&p->bytes, err));
    if (m->params->max_rejects > 0)
      RDX_TRY(rdx_alloc(columns, sizeof *r->inferred, "a CSV file", (void **)&p->before, err));
    for (uint32_t i = 0; i < columns; i++) {
      const rdx_growing *c = &m->reader.table->columns[i];
      r->table->columns[i].name = c->name; /* for error texts; the first reader owns it */
      r->table->columns[i].view = (rdx_column){.type = c->view.type, .scale = c->view.scale}; /* where it is given */
    }
  }
  return RDX_OK;
}

static void drop_pieces(importing *m) {
  for (uint32_t i = 0; i < m->capacity; i++) {
    piece *p = &m->pieces[i];
    for (uint32_t k = 0; p->reader.table && k < p->reader.table->column_count; k++)
      p->reader.table->columns[k].name = NULL;
    rdx_table_destroy(&p->reader.table);
    RDX_FREE_ALL(p->reader.inferred, p->before, p->bytes, p->reader.scratch);
    drop_rejects(&p->rejects);
  }
  rdx_free(m->pieces);
  rdx_pool_destroy(&m->pool);
}

static rdx_status tell_columns(importing *m, rdx_error *err) {
  if (!m->params->column)
    return RDX_OK;
  RDX_TRY(rdx_csv_explain(&m->reader, err));
  for (uint32_t i = 0; i < m->reader.table->column_count; i++) {
    const rdx_growing *c = &m->reader.table->columns[i];
    m->params->column(m->params->user, &(rdx_field){c->name, c->view.type, c->view.scale}, &c->choice);
  }
  return RDX_OK;
}

/* Read everything, a second time where the types turn out to be others. */
static rdx_status read_table(importing *m, rdx_error *err) {
  RDX_TRY(start_pieces(m, err));
  if (rdx_csv_is_unsure(&m->reader))
    RDX_TRY(infer(m, err));
  RDX_TRY(start_rows(m, err));
  RDX_TRY(read_all(m, m->stage, err));
  if (!m->reader.widened)
    return RDX_OK;
  RDX_TRY(infer(m, err));
  RDX_TRY(start_rows(m, err));
  RDX_TRY(read_all(m, m->stage, err));
  return m->reader.widened ? rdx_fail(err, RDX_ERROR_INTERNAL, "%s: a value does not fit the type that all values gave",
                                      m->reader.name)
                           : RDX_OK;
}

/* ---- To table files ---- */

static rdx_status import(importing *m, rdx_error *err) {
  RDX_TRY(read_table(m, err));
  RDX_TRY(tell_columns(m, err));
  RDX_TRY(rdx_csv_file_check(&m->file, err));
  RDX_TRY(rdx_table_writer_complete(m->writer, err));
  if (m->params->ready)
    RDX_TRY(m->params->ready(m->params->user, err));
  return rdx_table_writer_commit(m->writer, err);
}

/* Start with the file's text, and end with its judgement of what `work` made of it. */
static rdx_status with_file(importing *m, rdx_status (*work)(importing *m, rdx_error *err), rdx_error *err) {
  rdx_status status =
      rdx_csv_start(&m->reader, m->file.name, m->file.text ? m->file.text : "", m->file.size, &m->params->csv, err);
  m->counted = m->reader.begin;
  if (status == RDX_OK)
    status = work(m, err);
  return status == RDX_OK ? status : rdx_csv_file_judge(&m->file, status, err); /* perhaps of what was never there */
}

static void drop(importing *m) {
  rdx_table_writer_destroy(&m->writer);
  drop_pieces(m);
  rdx_csv_drop(&m->reader);
}

rdx_status rdx_table_import_csv(const char *csv, const char *path, const rdx_import_params *params,
                                rdx_import_stats *stats, rdx_error *err) {
  static const rdx_import_params defaults = {0};
  if (!path)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_table_import_csv: path must not be NULL");
  importing m = {.params = params ? params : &defaults, .stage = "import", .path = path, .version = 1};
  const double begun = rdx_now_ms();
  rdx_status status = rdx_csv_file_open(csv, &m.file, err);
  if (status == RDX_OK)
    status = with_file(&m, import, err);
  if (stats)
    *stats = (rdx_import_stats){.rows = m.rows,
                                .rejected = m.rejected,
                                .bytes = m.file.size,
                                .delimiter = m.reader.delimiter,
                                .total_ms = rdx_now_ms() - begun};
  drop(&m);
  rdx_csv_file_close(&m.file);
  return status;
}

/* ---- To memory ---- */

static rdx_status keep(importing *m, rdx_error *err) {
  RDX_TRY(read_table(m, err));
  rdx_table_finish(m->reader.table, m->rows);
  RDX_TRY(rdx_csv_file_check(&m->file, err));
  return rdx_csv_explain(&m->reader, err);
}

static rdx_status read_file(const rdx_csv_file *file, const rdx_csv_params *params, rdx_table **out, rdx_error *err) {
  static const rdx_csv_params defaults = {0};
  const rdx_import_params all = {.csv = params ? *params : defaults};
  RDX_SCOPED(drop) importing m = {.params = &all, .stage = "read", .file = *file, .version = 1};
  RDX_TRY(with_file(&m, keep, err));
  *out = RDX_KEEP(m.reader.table);
  return RDX_OK;
}

rdx_status rdx_table_parse_csv(const char *name, const char *text, size_t size, const rdx_csv_params *params,
                               rdx_table **out, rdx_error *err) {
  if (!name || !text || !out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_table_parse_csv: name, text and out must not be NULL");
  return read_file(&(rdx_csv_file){.name = name, .text = text, .size = size}, params, out, err);
}

rdx_status rdx_table_read_csv(const char *path, const rdx_csv_params *params, rdx_table **out, rdx_error *err) {
  if (!out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_table_read_csv: out must not be NULL");
  RDX_SCOPED(rdx_csv_file_close) rdx_csv_file file = {0};
  RDX_TRY(rdx_csv_file_open(path, &file, err));
  return read_file(&file, params, out, err);
}
