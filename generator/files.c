/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Tables to files: threads make pieces, and write them in turn. */

#include "common/common.h"
#include "generator/text.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Rows of a piece, up to those of a unit. */
#define PIECE_ROWS 57344

typedef struct job {
  const generator *g;
  uint32_t number; /* of the table */
  const generator_table *table;
  const char *path;
  rdx_table_writer *writer; /* of a table file; NULL: text */
  console_output out;       /* of text */
  uint64_t piece_rows, pieces;
  pthread_mutex_t lock; /* of all below */
  pthread_cond_t changed;
  uint64_t next; /* piece that nobody makes yet */
  uint64_t turn; /* piece to be written next */
  rdx_status status;
  rdx_error err; /* of the first that failed */
} job;

static void fail(job *j, rdx_status status, const rdx_error *err) {
  pthread_mutex_lock(&j->lock);
  if (j->status == RDX_OK) {
    j->status = status;
    j->err = *err;
  }
  pthread_cond_broadcast(&j->changed);
  pthread_mutex_unlock(&j->lock);
}

/* The next piece to make; false where there is none, or no use in it. */
static bool take_piece(job *j, uint64_t *piece) {
  pthread_mutex_lock(&j->lock);
  *piece = j->next;
  const bool taken = j->status == RDX_OK && j->next < j->pieces;
  j->next += taken;
  pthread_mutex_unlock(&j->lock);
  return taken;
}

/* False where another piece has failed. */
static bool await_turn(job *j, uint64_t piece) {
  pthread_mutex_lock(&j->lock);
  while (j->status == RDX_OK && j->turn != piece)
    pthread_cond_wait(&j->changed, &j->lock);
  const bool ok = j->status == RDX_OK;
  pthread_mutex_unlock(&j->lock);
  return ok;
}

static void end_turn(job *j) {
  pthread_mutex_lock(&j->lock);
  j->turn++;
  pthread_cond_broadcast(&j->changed);
  pthread_mutex_unlock(&j->lock);
}

static rdx_status write_piece(job *j, const generator_batch *batch, const char *text, size_t length, rdx_error *err) {
  if (j->writer)
    return rdx_table_writer_append(j->writer, batch->columns, err);
  if (fwrite(text, 1, length, j->out.stream) == length)
    return RDX_OK;
  return console_error(err, RDX_ERROR_IO, "cannot write %s: %s", j->path, strerror(errno));
}

static rdx_status run_piece(job *j, uint64_t piece, generator_batch *batch, char *text, rdx_error *err) {
  const uint64_t begin = piece * j->piece_rows, rest = j->table->rows - begin;
  rdx_status status = generator_make(j->g, j->number, begin, rest < j->piece_rows ? rest : j->piece_rows, batch, err);
  if (status != RDX_OK)
    return status;
  const size_t length = text ? (size_t)(generator_text_write(batch, j->table->columns, text) - text) : 0;
  if (!await_turn(j, piece))
    return RDX_OK;
  status = write_piece(j, batch, text, length, err);
  if (status == RDX_OK && console_progress(j->table->name, piece + 1, j->pieces)) {
    status = console_error(err, RDX_ERROR_CANCELLED, "interrupted");
  }
  if (status == RDX_OK)
    end_turn(j);
  return status;
}

static void run_worker(void *context, uint32_t thread) {
  (void)thread;
  job *j = context;
  generator_batch batch = {0};
  rdx_error err = {"host memory ran out"};
  const uint64_t rows = j->table->rows < j->piece_rows ? j->table->rows : j->piece_rows;
  char *text = j->writer ? NULL : malloc(rows * generator_text_width(j->table));
  rdx_status status = text || j->writer ? RDX_OK : RDX_ERROR_MEMORY;
  for (uint64_t piece = 0; status == RDX_OK && take_piece(j, &piece);)
    status = run_piece(j, piece, &batch, text, &err);
  if (status != RDX_OK)
    fail(j, status, &err);
  free(text);
  generator_batch_free(&batch);
}

static rdx_status open_file(job *j, generator_format format, rdx_error *err) {
  rdx_field fields[GENERATOR_MAX_COLUMNS];
  for (uint32_t i = 0; i < j->table->columns; i++)
    fields[i] = j->table->sources[i].field;
  if (format == GENERATOR_TEXT)
    return console_output_open(j->path, &j->out, err);
  return rdx_table_writer_create(j->path, fields, j->table->columns, &j->writer, err);
}

static rdx_status complete_file(job *j, rdx_error *err) {
  return j->writer ? rdx_table_writer_finish(j->writer, err) : console_output_finish(&j->out, err);
}

static rdx_status write_table(const generator *g, uint32_t number, const char *path, generator_format format,
                              uint32_t threads, rdx_error *err) {
  const generator_table *table = &g->tables[number];
  const uint64_t piece_rows = (PIECE_ROWS + table->unit - 1) / table->unit * table->unit;
  job j = {.g = g,
           .number = number,
           .table = table,
           .path = path,
           .piece_rows = piece_rows,
           .pieces = (table->rows + piece_rows - 1) / piece_rows,
           .lock = PTHREAD_MUTEX_INITIALIZER,
           .changed = PTHREAD_COND_INITIALIZER};
  rdx_status status = open_file(&j, format, err);
  if (status != RDX_OK)
    return status;
  console_threads(j.pieces < threads ? (uint32_t)j.pieces : threads, run_worker, &j);
  status = j.status;
  if (status == RDX_OK)
    status = complete_file(&j, err);
  else
    *err = j.err;
  console_output_discard(&j.out);
  rdx_table_writer_destroy(&j.writer);
  return status;
}

/* Make the folder where there is none. */
static rdx_status open_folder(const char *folder, bool *made, rdx_error *err) {
  struct stat info;
  *made = mkdir(folder, 0777) == 0;
  if (*made)
    return RDX_OK;
  const bool exists = errno == EEXIST && stat(folder, &info) == 0;
  if (exists && S_ISDIR(info.st_mode) && access(folder, W_OK | X_OK) == 0)
    return RDX_OK;
  const char *reason = exists && !S_ISDIR(info.st_mode) ? "it is no folder" : strerror(errno);
  return console_error(err, RDX_ERROR_IO, "cannot write into the folder %s: %s", folder, reason);
}

bool generator_path(const char *folder, const char *table, generator_format format, char out[GENERATOR_PATH]) {
  const int length = snprintf(out, GENERATOR_PATH, "%s/%s.%s", folder, table, format == GENERATOR_TEXT ? "tbl" : "rdx");
  return length > 0 && length < GENERATOR_PATH;
}

/* Where the tables go, before one of them is made. */
static rdx_status check_paths(const generator *g, const char *folder, generator_format format,
                              char (*paths)[GENERATOR_PATH], rdx_error *err) {
  rdx_status status = RDX_OK;
  for (uint32_t t = 0; t < g->count && status == RDX_OK; t++) {
    if (generator_path(folder, g->tables[t].name, format, paths[t])) {
      status = console_output_check(paths[t], false, err);
    } else {
      status = console_error(err, RDX_ERROR_ARGUMENT, "the folder's name has %zu bytes, at most 4000 are possible",
                             strlen(folder));
    }
  }
  return status;
}

static rdx_status write_tables(const generator *g, const char *folder, generator_format format, uint32_t threads,
                               char (*paths)[GENERATOR_PATH], rdx_error *err) {
  bool made = false;
  rdx_status status = open_folder(folder, &made, err);
  if (status == RDX_OK)
    status = check_paths(g, folder, format, paths, err);
  for (uint32_t t = 0; t < g->count && status == RDX_OK; t++)
    status = write_table(g, t, paths[t], format, threads > 0 ? threads : console_cores(), err);
  if (status != RDX_OK && made)
    rmdir(folder); /* which fails where it holds a table */
  return status;
}

rdx_status generator_write(const generator *g, const char *folder, generator_format format, uint32_t threads,
                           rdx_error *err) {
  char(*paths)[GENERATOR_PATH] = calloc(g->count, sizeof *paths);
  if (!paths)
    return console_error(err, RDX_ERROR_MEMORY, "host memory ran out");
  const rdx_status status = write_tables(g, folder, format, threads, paths, err);
  free(paths);
  return status;
}
