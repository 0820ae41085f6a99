/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_TABLE_TABLE_H
#define RDX_TABLE_TABLE_H

#include <raydex/table.h>

#include "base/base.h"

/* A column that grows row by row. The view's pointers are set when the table is complete. */
typedef struct rdx_growing {
  char *name;
  char *declaration; /* what SQL says of the column beside its type; NULL: nothing */
  rdx_column view;
  uint64_t capacity; /* rows that there is room for */
  void *values;      /* fixed-width values */
  uint64_t *offsets; /* strings */
  char *bytes;
  uint64_t byte_count, byte_capacity;
  uint8_t *validity;                 /* NULL until the first NULL */
  struct rdx_dictionary *dictionary; /* of strings whose places `values` has (u32); NULL: they are as they come */
  rdx_choice choice;                 /* of a column of CSV, which owns its text */
} rdx_growing;

struct rdx_table {
  uint64_t rows;
  bool temporary;    /* the database's alone, whatever folder that has */
  char *constraints; /* as rdx_sql_declare_constraints() has them; NULL: none */
  uint32_t column_count;
  rdx_growing *columns;
  char delimiter; /* of CSV; 0: the table is of something else */
  _Atomic uint32_t references;
  struct rdx_opened *opened;   /* a table file that the columns view, or NULL */
  struct rdx_held *held;       /* an Arrow array that they view, or NULL */
  struct rdx_parquet *parquet; /* a file whose columns rdx_parquet_read_columns() reads, or NULL */
};

/* A table of `count` columns without names, types or rows. */
RDX_MUST_USE rdx_status rdx_table_create(uint32_t count, rdx_table **out, rdx_error *err);

/* Drop all rows of a column and give it a type and room for `capacity` rows. The memory of the same type is kept. */
RDX_MUST_USE rdx_status rdx_growing_start(rdx_growing *column, rdx_type type, uint8_t scale, uint64_t capacity,
                                          rdx_error *err);

/* Make room for one more row. */
RDX_MUST_USE rdx_status rdx_growing_reserve(rdx_growing *column, uint64_t rows, rdx_error *err);
/* Make room for so many bytes of strings in all. */
RDX_MUST_USE rdx_status rdx_growing_reserve_bytes(rdx_growing *column, uint64_t bytes, rdx_error *err);

/* Append to row `row`, for which there is room; every row is appended once, in order. */
RDX_MUST_USE rdx_status rdx_growing_add_string(rdx_growing *column, uint64_t row, const char *text, uint64_t length,
                                               rdx_error *err);
RDX_MUST_USE rdx_status rdx_growing_add_null(rdx_growing *column, uint64_t row, rdx_error *err);
/* Of a row whose value, zero or empty, is there already. */
RDX_MUST_USE rdx_status rdx_growing_note_null(rdx_growing *column, uint64_t row, rdx_error *err);

/* Take back what was appended to row `row`, all or nothing of it. */
void rdx_growing_undo(rdx_growing *column, uint64_t row);

/* Name a column, and declare it. */
RDX_MUST_USE rdx_status rdx_growing_describe(rdx_growing *column, const char *name, const char *declaration,
                                             rdx_error *err);

/* Give a table constraints (NULL: none). */
RDX_MUST_USE rdx_status rdx_table_constrain(rdx_table *table, const char *constraints, rdx_error *err);

/* Free what a column owns. */
void rdx_growing_drop(rdx_growing *column);

/* One more owner, who destroys the table in turn; returns it. */
rdx_table *rdx_table_retain(rdx_table *table);

/* Unmap a table file (open.c), release an Arrow array (arrow_import.c), forget a Parquet file (parquet_read.c). NULL is
 * fine. */
void rdx_opened_drop(struct rdx_opened *opened);
void rdx_held_drop(struct rdx_held *held);
void rdx_parquet_drop(struct rdx_parquet *parquet);

/* A table file of which nothing but its directory was verified, and, column by column, the rest: what was not is not to
 * be read. */
RDX_MUST_USE rdx_status rdx_table_open_unverified(const char *path, rdx_table **out, rdx_error *err);
RDX_MUST_USE rdx_status rdx_table_verify(const char *path, const rdx_table *table, const uint32_t *columns,
                                         uint32_t count, rdx_error *err);
/* The same of one column: some blocks of its rows, by their numbers, and the whole dictionary. */
RDX_MUST_USE rdx_status rdx_table_verify_blocks(const char *path, const rdx_table *table, uint32_t column,
                                                const uint32_t *blocks, uint64_t count, rdx_error *err);
/* Whether a file begins as table files do. */
bool rdx_table_is_file(const char *path);

/* Declare column `index` of a file that is written; NULL: nothing. */
RDX_MUST_USE rdx_status rdx_table_writer_declare(rdx_table_writer *writer, uint32_t index, const char *declaration,
                                                 rdx_error *err);
/* Give it constraints (NULL: none). */
RDX_MUST_USE rdx_status rdx_table_writer_constrain(rdx_table_writer *writer, const char *constraints, rdx_error *err);

/* The two halves of rdx_table_writer_finish(): write all of the new file, then move it to its path. */
RDX_MUST_USE rdx_status rdx_table_writer_complete(rdx_table_writer *writer, rdx_error *err);
RDX_MUST_USE rdx_status rdx_table_writer_commit(rdx_table_writer *writer, rdx_error *err);

/* Set the views: the table is complete. */
void rdx_table_finish(rdx_table *table, uint64_t rows);

#endif
