/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_SQL_TEXT_H
#define RDX_SQL_TEXT_H

/* The text of statements before it is parsed: where one ends, how deep its tree can be at most, and a copy of it that
 * PostgreSQL's parser takes in spite of names that it would cut or refuse. */

#include "base/base.h"
#include "sql/statement.h"

typedef enum rdx_token_kind {
  RDX_TOKEN_END,    /* or a comment that does not end */
  RDX_TOKEN_WORD,   /* a keyword or a name without quotes */
  RDX_TOKEN_NAME,   /* in double quotes */
  RDX_TOKEN_STRING, /* in single quotes of any kind, or between dollars */
  RDX_TOKEN_OTHER,  /* a number, a parameter, or one sign */
} rdx_token_kind;

typedef struct rdx_token {
  rdx_token_kind kind;
  const char *begin, *end;
} rdx_token;

/* The first token at or behind `text`, past blanks and comments. What quotes do not end, the text ends. */
rdx_token rdx_token_at(const char *text);
/* Whether it is this word, in any case. */
bool rdx_token_is(const rdx_token *token, const char *word);

#define RDX_SQL_INSERTIONS 256

typedef struct rdx_sql_insertion {
  size_t at, size; /* bytes of the copy */
} rdx_sql_insertion;

typedef struct rdx_sql_source {
  const char *text;               /* all of it */
  const char *begin, *end, *next; /* the first statement; what follows its semicolon, blanks and comments */
  char *copy;                     /* of the statement, byte for byte, but for names and what is inserted; in an arena */
  uint32_t unnamed;               /* subqueries in FROM that the copy gives a name */
  uint32_t insertion_count;       /* what is in the copy and not in the text */
  rdx_sql_insertion insertions[RDX_SQL_INSERTIONS];
  uint32_t levels; /* no tree of the statement is deeper, in tokens */
  bool has_empty_name;
} rdx_sql_source;

/* Look through the first statement; without one `begin` is `end`. */
RDX_MUST_USE rdx_status rdx_sql_text_scan(const char *text, rdx_arena *arena, rdx_sql_source *out, rdx_error *err);

#define RDX_SQL_UNNAMED "unnamed_subquery" /* and "_1" and so on: names of subqueries that have none */

/* What DuckDB has and PostgreSQL's parser does not is in the copy as
 * - `* EXCLUDE (a, b)`: *, RDX_SQL_EXCLUDE(a, b); `* EXCLUDE a`: *, RDX_SQL_EXCLUDE.a
 * - `* REPLACE (x AS a)`: *, RDX_SQL_REPLACE(x, a)
 * - `FROM t`: SELECT * FROM t; `FROM t SELECT a`: SELECT RDX_SQL_FROM FROM t INTERSECT SELECT a
 * - `QUALIFY c`: WINDOW RDX_SQL_QUALIFY AS (PARTITION BY c)
 * Such names begin with a control character, as no other name does. */
#define RDX_SQL_EXCLUDE "\xc2\x80" "x"
#define RDX_SQL_REPLACE "\xc2\x80" "r"
#define RDX_SQL_FROM "\xc2\x80" "f"
#define RDX_SQL_QUALIFY "\xc2\x80" "q"

/* Give a name to the subquery in FROM whose bracket is byte `at` of the copy: PostgreSQL's parser insists on one before
 * version 16. False: there are too many. */
RDX_MUST_USE bool rdx_sql_text_name_subquery(rdx_sql_source *text, size_t at, rdx_arena *arena);

/* Whether COPY names a file, which the tree does not tell where the name is empty: standard streams are no string. */
bool rdx_sql_text_names_file(const rdx_sql_source *copy);

/* The byte of the statement that a byte of the copy stands for. */
size_t rdx_sql_text_offset(const rdx_sql_source *text, size_t at);

/* What the text has where the parser, given the copy, found this name. */
RDX_MUST_USE rdx_status rdx_sql_text_name(const rdx_sql_source *text, const char *parsed, rdx_arena *arena,
                                          const char **out, rdx_error *err);

#endif
