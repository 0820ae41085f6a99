/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_TABLE_CSV_H
#define RDX_TABLE_CSV_H

/* Records of CSV into the columns of tables, in memory and in table files (import.c).
 *
 * Errors of the input leave their text without the place, which rdx_csv_place() puts before it: who reads a part of a
 * file does not know its lines. */

#include "base/mapped.h"
#include "table/table.h"
#include "table/value.h"

#define RDX_CSV_SKIP UINT32_MAX /* a field that no column wants */
#define RDX_CSV_PROGRESS 65536u /* records from one call of rdx_progress() to the next */

/* A field's text; quotes are off. */
typedef struct rdx_csv_field {
  const char *text;
  uint64_t length;
  bool quoted;
} rdx_csv_field;

/* What stands for NULL. */
typedef struct rdx_csv_null {
  const char *text;
  size_t length;
} rdx_csv_null;

typedef struct rdx_csv_reader {
  const char *name;
  const char *begin, *end; /* the text, without a byte order mark */
  const char *body;        /* the first record */
  const char *first;       /* the first record of data */
  const char *tail;        /* from here on there are blank lines only */
  const char *at;          /* the next field */
  const char *problem;     /* what an error is about; NULL: no place in the text */
  const char *resume;      /* where the record of that error goes on: at a delimiter or line end; NULL: unknown */
  char *decoded;           /* the text, where it was not UTF-8 */
  char delimiter;
  char quote;    /* 0: none */
  bool for_copy; /* hints are for SQL */
  rdx_csv_null *nulls;
  size_t null_count;
  bool plain_integers;     /* no marker of NULL looks like an integer */
  bool check;              /* the text may hold what is no UTF-8 */
  uint32_t field_count;    /* of every record */
  uint32_t reserved;       /* rows that room is made for at a time: few where there are many columns */
  uint32_t *targets;       /* the column of each field, or RDX_CSV_SKIP */
  bool *fixed;             /* of each column: its type was given */
  bool *watched;           /* of each column: it is one of strings, and one wants to know which */
  rdx_inference *inferred; /* of each column */
  bool inferring;          /* values go to `inferred`, not to the table, */
  bool trying;             /* or nowhere */
  bool learned;            /* something has gone to `inferred` */
  bool widened;            /* a value does not fit a type that was inferred, and has gone to `inferred` */
  rdx_table *table;
  char *scratch; /* a quoted field without its quotes */
  uint64_t scratch_size;
} rdx_csv_reader;

/* RDX_ERROR_ARGUMENT unless values can be told from this delimiter; 0 is fine. */
RDX_MUST_USE rdx_status rdx_csv_check_delimiter(char delimiter, rdx_error *err);

/* Start to read a text: params checked, names read, columns chosen with the types that are given, and those that are
 * not guessed from the first records. Drop the reader in any case. */
RDX_MUST_USE rdx_status rdx_csv_start(rdx_csv_reader *r, const char *name, const char *text, size_t size,
                                      const rdx_csv_params *params, rdx_error *err);

/* Whether a column's type is not the one that its values have by now. */
bool rdx_csv_is_outgrown(const rdx_csv_reader *r, uint32_t column);

/* Note for each column of the table, whose values have all been seen, why it has its type. */
RDX_MUST_USE rdx_status rdx_csv_explain(rdx_csv_reader *r, rdx_error *err);

/* Give every column of the table the type that is known now, and no rows. */
RDX_MUST_USE rdx_status rdx_csv_start_columns(rdx_csv_reader *r, uint64_t capacity, rdx_error *err);

/* Whether the sample had no value at all of a column whose type it was to tell. */
bool rdx_csv_is_unsure(const rdx_csv_reader *r);

/* Read field `number` at r->at. `*next` is its delimiter, line feed, or the end of the text. */
RDX_MUST_USE rdx_status rdx_csv_read_field(rdx_csv_reader *r, uint32_t number, rdx_csv_field *out, const char **next,
                                           rdx_error *err);

/* Make room for row `row` in all columns; to be called for every row, in order. */
RDX_MUST_USE rdx_status rdx_csv_reserve(rdx_csv_reader *r, uint64_t row, rdx_error *err);

/* Read the record at r->at as row `row`; r->at moves behind it. Where that fails the row has been undone. */
RDX_MUST_USE rdx_status rdx_csv_read_record(rdx_csv_reader *r, uint64_t row, rdx_error *err);

/* Move behind the rest of a record that failed, as far as its end can be told. RDX_ERROR_MEMORY, or RDX_OK. */
RDX_MUST_USE rdx_status rdx_csv_skip_record(rdx_csv_reader *r, rdx_error *err);

/* Whether only blank lines are left. */
bool rdx_csv_at_end(const rdx_csv_reader *r);

typedef enum rdx_csv_hint { RDX_HINT_DELIMITER, RDX_HINT_QUOTE, RDX_HINT_ENCODING, RDX_HINT_WINDOWS } rdx_csv_hint;

/* Which option may be of help, as one writes it in SQL's COPY or for a program. */
const char *rdx_csv_hint_text(rdx_csv_hint hint, bool for_copy);

/* An error about field `number`, at a place of the text. */
rdx_status rdx_csv_fail(rdx_csv_reader *r, const char *at, rdx_status status, uint32_t number, const char *problem,
                        rdx_error *err);

/* The line of a place. */
uint64_t rdx_csv_line(const rdx_csv_reader *r, const char *at);

/* Put "NAME, line N" before the text of an error that has a place. */
rdx_status rdx_csv_place(const rdx_csv_reader *r, rdx_status status, uint64_t line, rdx_error *err);

void rdx_csv_drop(rdx_csv_reader *r);

/* ---- Encodings ---- */

/* Decode a text that is not UTF-8, its byte order mark left out, into memory of its own; `*out` is NULL where it is. */
RDX_MUST_USE rdx_status rdx_csv_decode(const char *name, const char *text, size_t size, const rdx_csv_params *params,
                                       char **out, size_t *out_size, rdx_error *err);

/* ---- Files ---- */

/* How many of the first bytes are not those of a table file. */
uint32_t rdx_csv_from_magic(const char *text, size_t size);

/* A file's text: mapped, or, of a pipe, read into memory. */
typedef struct rdx_csv_file {
  const char *name; /* for errors */
  const char *text;
  size_t size;
  rdx_mapped map; /* without data: the text is memory of its own */
} rdx_csv_file;

/* NULL is the standard input, from where it stands on. */
RDX_MUST_USE rdx_status rdx_csv_file_open(const char *path, rdx_csv_file *out, rdx_error *err);
/* RDX_ERROR_IO where the file is not as it was when it was opened: then what was read may be anything. */
RDX_MUST_USE rdx_status rdx_csv_file_check(const rdx_csv_file *file, rdx_error *err);
/* The status of who has read it: the same where the file has not changed. */
RDX_MUST_USE rdx_status rdx_csv_file_judge(const rdx_csv_file *file, rdx_status status, rdx_error *err);
/* What lies before `at` is not needed for now: its memory goes back, to be read again where it is needed after all. */
void rdx_csv_file_forget(const rdx_csv_file *file, const char *at);
void rdx_csv_file_close(rdx_csv_file *file);

#endif
