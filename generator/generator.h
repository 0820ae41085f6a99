/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef GENERATOR_H
#define GENERATOR_H

/* What the generators of benchmarks' tables share: tables made piece by piece, by any thread, in any order, and written
 * to files by all cores. A generator describes its tables by the sources of their columns and functions that fill
 * these. */

#include <raydex/raydex.h>

#define GENERATOR_MAX_COLUMNS 17

/* ---- Words (words.c) ---- */

/* The longest word and its zero. */
#define GENERATOR_WORD 32

/* Words in ascending order; code[i] is the place there of the i-th word of their own order. */
typedef struct generator_words {
  rdx_column column;
  uint32_t *code;
  uint64_t *offsets;
  char *bytes;
} generator_words;

/* ---- Tables ---- */

typedef struct generator_source {
  rdx_field field;
  uint32_t set;    /* of strings that are places in a dictionary, which is words[set]; 0: none */
  uint32_t length; /* of the longest other string */
} generator_source;

/* Where a column is filled: values, and for strings that are no places in a dictionary their ends. */
typedef struct generator_space {
  void *values;
  uint64_t *offsets;
} generator_space;

/* Fill the columns of rows begin .. begin + count - 1: whole units, unless the table ends. `owner`: the generator's. */
typedef void generator_fill(const void *owner, uint64_t begin, uint64_t count, const generator_space *out);

typedef struct generator_table {
  const char *name;
  const generator_source *sources; /* of its columns */
  uint32_t columns;
  uint32_t unit; /* rows that only come together */
  uint64_t rows;
  generator_fill *fill;
} generator_table;

typedef struct generator {
  const generator_table *tables; /* of any number */
  uint32_t count;
  const generator_words *words;
  const void *owner;
} generator;

/* Text to a scale factor; false unless all of it is one, at most `max`. */
bool generator_parse_scale(const char *text, uint32_t max, double *out);

/* RDX_ERROR_ARGUMENT unless the scale factor is one. */
RDX_MUST_USE rdx_status generator_check_scale(double scale, uint32_t max, rdx_error *err);

/* So many rows times the scale factor; at least one. */
uint64_t generator_scaled(double rows, double scale);

/* ---- Pieces (batch.c) ---- */

/* Rows of a table in host memory, strings of few values with a dictionary, which is always the same. All zero at first;
 * used again and again, then freed. */
typedef struct generator_batch {
  uint64_t rows;
  rdx_column columns[GENERATOR_MAX_COLUMNS]; /* in the order of the table's fields */
  void *memory;
  size_t size;
} generator_batch;

/* Make rows begin .. begin + count - 1, which must exist. `batch` points into the words and its own memory, until it is
 * used again or freed. May be called from many threads, each with its own batch. */
RDX_MUST_USE rdx_status generator_make(const generator *g, uint32_t table, uint64_t begin, uint64_t count,
                                       generator_batch *batch, rdx_error *err);
void generator_batch_free(generator_batch *batch);

/* ---- Files (files.c) ---- */

typedef enum generator_format {
  GENERATOR_TABLE_FILES, /* NAME.rdx */
  GENERATOR_TEXT,        /* NAME.tbl: fields between bars as dbgen has them, but none after the last */
} generator_format;

/* The file of a table in `folder`; false where its path is too long. */
#define GENERATOR_PATH 4096
bool generator_path(const char *folder, const char *table, generator_format format, char out[GENERATOR_PATH]);

/* Write all tables into `folder`, made if it is missing. Each file appears when it is complete. `threads` 0: one a
 * core. Memory grows with the scale only for the distinct strings of table files. RDX_ERROR_CANCELLED after Ctrl-C. */
RDX_MUST_USE rdx_status generator_write(const generator *g, const char *folder, generator_format format,
                                        uint32_t threads, rdx_error *err);

#endif
