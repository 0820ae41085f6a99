/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_EXPRESSION_EVALUATE_H
#define RDX_EXPRESSION_EVALUATE_H

/* Expressions over columns, in blocks of rows, by all threads of a pool. */

#include "expression/expression.h"

#define RDX_BLOCK 1024     /* rows of a block */
#define RDX_STRETCH 65536u /* rows of a stretch */

/* A column of an expression's input, in host memory: row i is `column`'s row rows[i] (NULL: i); RDX_NO_ROW is NULL. */
typedef struct rdx_input {
  rdx_column column;
  const uint32_t *rows;
} rdx_input;

typedef struct rdx_evaluation {
  rdx_pool *pool;              /* NULL: the calling thread */
  const rdx_input *inputs;     /* by `index` of COLUMN */
  const rdx_datum *parameters; /* by `index` of PARAMETER */
  uint64_t rows;
  const char *text;          /* of the statement, for errors */
  const uint32_t *stretches; /* of rdx_evaluate_filter(): numbers of those that are looked at; NULL: all rows */
} rdx_evaluation;

/* The row of the inputs that is number i of those that are looked at. */
static inline uint64_t rdx_evaluated_row(const rdx_evaluation *e, uint64_t i) {
  return e->stretches ? (uint64_t)e->stretches[i / RDX_STRETCH] * RDX_STRETCH + i % RDX_STRETCH : i;
}

/* A column that owns its memory. Destroy it with rdx_vector_destroy(). All zero is empty. */
typedef struct rdx_vector {
  rdx_column column;
  void *memory[4];
} rdx_vector;

void rdx_vector_destroy(rdx_vector *vector);

/* Several of them; each is empty at first. */
typedef struct rdx_vectors {
  rdx_vector *list;
  uint32_t count;
} rdx_vectors;

RDX_MUST_USE rdx_status rdx_vectors_create(uint32_t count, rdx_vectors *out, rdx_error *err);
void rdx_vectors_destroy(rdx_vectors *vectors);

/* The value of an expression for each row. Column types: BOOL, I16, I32, I64, DECIMAL, F32, F64, DATE, TIMESTAMP,
 * STRING (with a sorted dictionary); INTERVAL as STRING, its text. RDX_ERROR_OVERFLOW where a DECIMAL of more than 18
 * digits does not fit 64 bits. Division by zero, overflow and failed casts are errors that show the place. */
RDX_MUST_USE rdx_status rdx_evaluate(const rdx_evaluation *e, const rdx_bound *expression, rdx_vector *out,
                                     rdx_error *err);

/* The rows, ascending, for which a BOOL expression is true; `*out` is for rdx_free(). Of some stretches, which ascend,
 * the inputs have no `rows`, and `rows` of the evaluation are those in all of them. */
RDX_MUST_USE rdx_status rdx_evaluate_filter(const rdx_evaluation *e, const rdx_bound *expression, uint32_t **out,
                                            uint64_t *count, rdx_error *err);

/* The values of a block's rows. Those of NULLs may be any, texts among them can be read. */
typedef struct rdx_values {
  void *data;
  uint8_t *nulls; /* 1: the row is NULL; NULL: none is */
} rdx_values;

/* What is done with the values of several expressions for `rows` rows from `begin` on, RDX_BLOCK at most. */
typedef void (*rdx_block_fn)(void *context, uint64_t begin, uint32_t rows, const rdx_values *values, uint32_t worker);

/* Several expressions block by block: REAL and DOUBLE as doubles, integers and DECIMALs of up to 18 digits in 64 bits;
 * `worker` is below the pool's threads. */
RDX_MUST_USE rdx_status rdx_evaluate_blocks(const rdx_evaluation *e, rdx_bound *const *expressions, uint32_t count,
                                            rdx_block_fn fn, void *context, rdx_error *err);

/* Row `row` of a column as a value of the type that rdx_sql_type_of_column() says. Text is borrowed. */
void rdx_column_datum(const rdx_column *column, uint64_t row, rdx_datum *out);

/* The rows of an input as a column of its own: type kept, strings with their dictionary (borrowed from the input's
 * column), or, where they are to be `plain`, without one. Its memory is the values, or the strings' bytes; the
 * validity; the offsets. */
RDX_MUST_USE rdx_status rdx_gather(rdx_pool *pool, const rdx_input *input, uint64_t rows, bool plain, rdx_vector *out,
                                   rdx_error *err);

#endif
