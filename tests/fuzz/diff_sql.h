/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef TESTS_FUZZ_DIFF_SQL_H
#define TESTS_FUZZ_DIFF_SQL_H

/* Random tables and pieces of statements (diff_sql_text.c), what is asked with them (diff_sql.c), and what keys and
 * CHECKs make of changes (diff_sql_keys.c). */

#include "diff.h"

/* A text that grows, until the end of the case. */
typedef struct words {
  char *data;
  size_t length, capacity;
} words;

void say(words *w, const char *format, ...) RDX_PRINTF(2, 3);

/* A fact table and two dimensions of a random size, as CSV with a header. */
typedef struct tables {
  words csv[3];
  uint64_t rows[3];
  int64_t ids[3]; /* the first one */
} tables;

#define SQL_TABLES 3
extern const char *const sql_names[SQL_TABLES];
/* The types of the columns of a table, which ends with NULL. */
const rdx_csv_type *sql_types(uint32_t table, size_t *count);

void tables_make(tables *t);

/* What statements read: a text for FROM, and the tables that it has. */
typedef struct source {
  const char *from;
  unsigned has;      /* bit i: table i */
  unsigned nullable; /* of these: tables that may be rows of NULLs */
} source;

source source_make(void);
/* A star: the fact table with one dimension or both. `plain` false: written so that no planner sees a star. */
source source_star(bool both, bool plain);

/* An expression that is true, false or unknown. */
void say_predicate(words *w, const source *s, unsigned depth);
/* One of columns and constants, which a star can be asked. */
void say_simple_predicate(words *w, const source *s);
/* A whole number. */
void say_number(words *w, const source *s, unsigned depth);
/* A column of the source, of any type. */
void say_column(words *w, const source *s);
/* One of few values. */
void say_group(words *w, const source *s);

/* ---- Answers ---- */

typedef struct answer {
  uint64_t rows;
  char **lines; /* ascending */
} answer;

extern rdx_database *memory, *files;
/* One of the two. */
rdx_database *either(void);
/* Whether a statement was answered; it may be refused as `r` says. */
bool ask_or(rdx_database *database, const char *text, answer *out, refusal *r);
/* The same; what is not supported may be refused. */
bool ask(rdx_database *database, const char *text, answer *out);
answer join_answers(const answer *parts, uint32_t count);
void expect_same(const char *what, const answer *expected, const answer *got);

/* ---- Keys and CHECKs ---- */

void ask_conflicts(void);
void ask_constraints(void);

#endif
