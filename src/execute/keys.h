/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_EXECUTE_KEYS_H
#define RDX_EXECUTE_KEYS_H

/* Several columns as one: rows of one or two tables as few words, whose order, or only equality, is that of the rows.
 * A word is a number in a mixed radix, of a digit for each column: its place between the column's least and largest
 * value, strings by a dictionary that both tables share. */

#include "execute/operators.h"

/* A column of rows, flat, strings with a dictionary; `parts[1]`, of the second table, has the same kind of type. */
typedef struct rdx_key_column {
  const rdx_column *parts[2];
  bool descending, nulls_first;
} rdx_key_column;

typedef struct rdx_key_words {
  uint64_t rows[2];
  uint32_t count;    /* words of a row, at least one */
  uint64_t **words;  /* [word][row]: the first table's rows, then the second's */
  uint32_t *narrow;  /* of rdx_key_words_join(): the only word, in place of `words`, where 32 bits hold it; else NULL */
  uint64_t *max;     /* that a word of each may be */
  uint8_t *valid[2]; /* a bit for each row that may be equal to one of the other table; only where `matching` */
} rdx_key_words;

/* `matching`: rows with a NULL are equal to none, nor are those with a value beyond all of the other table; else NULL
 * is a value. */
RDX_MUST_USE rdx_status rdx_key_words_create(rdx_execution *x, const rdx_key_column *columns, uint32_t count,
                                             const uint64_t rows[2], bool matching, rdx_key_words *out, rdx_error *err);
/* The same of rows that match, for a join. */
RDX_MUST_USE rdx_status rdx_key_words_join(rdx_execution *x, const rdx_key_column *columns, uint32_t count,
                                           const uint64_t rows[2], rdx_key_words *out, rdx_error *err);
void rdx_key_words_destroy(rdx_key_words *words);

/* The first words of rows of one table, block by block: they are not kept. */
typedef struct rdx_first_words rdx_first_words;
typedef void (*rdx_first_words_fn)(void *context, uint64_t begin, uint64_t count, const uint64_t *words,
                                   uint32_t worker);
RDX_MUST_USE rdx_status rdx_first_words_create(rdx_execution *x, const rdx_key_column *columns, uint32_t count,
                                               uint64_t rows, rdx_first_words **out, rdx_error *err);
/* What none of them is above. */
uint64_t rdx_first_words_max(const rdx_first_words *words);
/* `begin` is a multiple of 64. */
RDX_MUST_USE rdx_status rdx_first_words_visit(rdx_first_words *words, rdx_first_words_fn visit, void *context,
                                              rdx_error *err);
void rdx_first_words_destroy(rdx_first_words **words);

/* Number the distinct rows of both tables, ascending: `codes` has room for all rows. `firsts` (may be NULL) gets the
 * first row of each number, for rdx_free(). */
RDX_MUST_USE rdx_status rdx_key_words_rank(rdx_execution *x, const rdx_key_words *words, uint32_t *codes,
                                           uint64_t *distinct, uint32_t **firsts, rdx_error *err);
/* The rows of the first table in ascending order, equal ones as they are; `order` has room for all. */
RDX_MUST_USE rdx_status rdx_key_words_order(rdx_execution *x, const rdx_key_words *words, uint32_t *order,
                                            rdx_error *err);

/* Numbers of distinct rows of two frames, in their order. All zero is none. */
typedef struct rdx_ranks {
  uint32_t *codes; /* of the first frame's rows, then of the second's */
  uint64_t distinct;
  uint32_t *firsts; /* the first row of each number, those of the second frame behind the first's */
} rdx_ranks;

/* The node's columns say which types columns of different ones get; NULL is a value. */
RDX_MUST_USE rdx_status rdx_rank_frames(rdx_execution *x, const rdx_plan_node *node, rdx_operand in[2], rdx_ranks *out,
                                        rdx_error *err);
void rdx_ranks_drop(rdx_ranks *ranks);

/* The strings of two dictionaries as one: the place in it of each of a's and b's, for rdx_free(), and how many it
 * has. */
RDX_MUST_USE rdx_status rdx_merge_dictionaries(const rdx_column *a, const rdx_column *b, uint32_t *places[2],
                                               uint32_t *count, rdx_error *err);

/* Numbers for the values of a column, strings with a dictionary, in their order; NULLs have any. */
void rdx_codes_of(const rdx_column *column, uint64_t *out);

/* Whether values of two columns can be told equal by their codes, or after widening integers. */
bool rdx_columns_alike(const rdx_column *a, const rdx_column *b);

#endif
