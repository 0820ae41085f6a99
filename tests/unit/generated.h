/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RAYDEX_TESTS_GENERATED_H
#define RAYDEX_TESTS_GENERATED_H

/* What tests of the generators of tables share. */

#include "tests/unit/tables.h"

#include "generator/generator.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Room for the longest string. */
#define LONGEST 256

/* A whole table, and its columns by name. */
typedef struct whole {
  const generator *of;
  uint32_t table;
  generator_batch batch;
} whole;

void generate(const generator *g, uint32_t table, uint64_t begin, uint64_t count, generator_batch *batch);
whole make_whole(const generator *g, uint32_t table);

uint32_t place_of(const generator *g, uint32_t table, const char *name);

/* A number, or the place of a word in its dictionary. */
int64_t number(const generator_batch *batch, uint32_t column, uint64_t row);
int64_t number_of(const whole *w, const char *name, uint64_t row);

void text(const generator_batch *batch, uint32_t column, uint64_t row, char out[LONGEST]);
void text_of(const whole *w, const char *name, uint64_t row, char out[LONGEST]);
bool is(const whole *w, const char *name, uint64_t row, const char *expected);

/* ---- Checks of all tables ---- */

/* Pieces of any size are the same rows as the whole. */
void check_pieces(const generator *g);

/* One thread writes the same files as many. */
void check_threads(const generator *g, generator_format format);

/* Table files read back as what was generated. */
void check_table_files(const generator *g);

typedef struct domain {
  uint32_t table;
  const char *name;
  int64_t min, max;
  uint32_t distinct; /* 0: as it comes */
} domain;

void check_domains(const generator *g, const domain *domains, size_t count);

/* The words of a column ascend, are distinct, and one is `word`. */
void check_word(const generator *g, uint32_t table, const char *column, const char *word);

/* The words of a column come equally often: chi-squared, of which values beyond its mean by 6 standard deviations do
 * not happen. */
void check_uniform(const generator *g, uint32_t table, const char *column);

#endif
