/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_EXPRESSION_BLOCK_H
#define RDX_EXPRESSION_BLOCK_H

/* How expressions are evaluated: a tree of nodes, each of which makes the values of a block of rows from those of its
 * arguments. Branches that a row does not take raise no errors for it: nodes get the rows that are `active`. */

#include <string.h>

#include "expression/evaluate.h"
#include "expression/types.h"

/* Memory that is given back in the order opposite to that of taking it. */
typedef struct rdx_scratch {
  char **chunks;
  size_t *sizes;
  uint32_t count, current;
  size_t used; /* of the current chunk */
} rdx_scratch;

typedef struct rdx_scratch_mark {
  uint32_t current;
  size_t used;
} rdx_scratch_mark;

typedef struct rdx_program rdx_program;

#define RDX_PART_PLACES 4

/* Where a part of a text begins, for the part after it, which the next row most likely asks for. */
typedef struct rdx_part_place {
  const struct rdx_node *node;
  rdx_sql_text text, by;
  uint64_t first_row, place;  /* of the block, where texts last no longer */
  int64_t number;             /* of the part, from 1 */
  uint64_t begin, before, at; /* the end of the match before it; where the search for the next one begins */
} rdx_part_place;

/* What one thread has while it evaluates. */
typedef struct rdx_worker {
  const rdx_program *program;
  rdx_scratch stack; /* values */
  rdx_scratch texts; /* what they point to: of one block */
  uint64_t begin;    /* the block's first row, */
  uint64_t place;    /* and its number among those that are looked at */
  uint32_t rows;
  bool too_wide;           /* 64 bits do not hold a DECIMAL of more digits: the block is evaluated anew */
  struct rdx_regex *regex; /* the one that was used last; NULL: none was */
  rdx_arena regex_memory;
  rdx_part_place parts[RDX_PART_PLACES]; /* of as many nodes */
  uint32_t next_part;
  rdx_error err;
} rdx_worker;

typedef struct rdx_node rdx_node;

typedef rdx_status (*rdx_node_fn)(rdx_worker *w, const rdx_node *n, const uint8_t *active, rdx_values *out);
/* Of values none of which may be NULL: out->nulls are set, out->data has room. */
typedef rdx_status rdx_values_function(rdx_worker *w, const rdx_node *n, const rdx_values *args, const uint8_t *active,
                                       rdx_values *out);
typedef rdx_values_function *rdx_values_fn;
/* The parameters of a definition; some may be of no use to it. */
#define RDX_VALUES_ARGUMENTS                                                                                           \
  RDX_UNUSED rdx_worker *w, RDX_UNUSED const rdx_node *n, RDX_UNUSED const rdx_values *args,                           \
      RDX_UNUSED const uint8_t *active, RDX_UNUSED rdx_values *out

/* Values to look for. */
typedef struct rdx_value_set rdx_value_set;

struct rdx_node {
  rdx_node_fn evaluate;
  rdx_values_fn kernel; /* of strict nodes */
  rdx_class class;
  rdx_sql_type type;
  rdx_sql_place place;
  const rdx_bound *bound;
  rdx_node **args;
  uint32_t count;
  const rdx_input *input;   /* COLUMN, and what is looked up */
  rdx_datum value;          /* constants */
  rdx_values table;         /* constants: a block of it; what is looked up: by code, the last of NULL */
  uint32_t entries;         /* what is looked up: without NULL's */
  const rdx_value_set *set; /* IN */
  bool has_null;            /* IN: a NULL is in the list */
  bool is_safe;             /* no row is an error */
  int64_t min;              /* what is looked up by day: that of the first entry */
};

struct rdx_program {
  const rdx_evaluation *e;
  rdx_arena arena;
  rdx_node *narrow; /* DECIMALs of any digits in 64 bits; NULL: there is only `wide` */
  rdx_node *wide;
  uint32_t capacity; /* rows of a block, at most */
};

/* ---- Memory ---- */

RDX_MUST_USE rdx_status rdx_scratch_take(rdx_scratch *scratch, size_t size, void **out, rdx_error *err);
static inline rdx_scratch_mark rdx_scratch_top(const rdx_scratch *scratch) {
  return (rdx_scratch_mark){scratch->current, scratch->used};
}
static inline void rdx_scratch_return(rdx_scratch *scratch, rdx_scratch_mark mark) {
  scratch->current = mark.current;
  scratch->used = mark.used;
}

/* Room for a block's values, and for its NULLs. */
RDX_MUST_USE rdx_status rdx_take_values(rdx_worker *w, rdx_class class, rdx_values *out);
RDX_MUST_USE rdx_status rdx_take_flags(rdx_worker *w, uint8_t **out);
/* A text that is written twice: it is counted, then copied. */
typedef struct rdx_text_output {
  char *to; /* NULL: count */
  uint64_t used;
} rdx_text_output;
static inline void rdx_text_put(rdx_text_output *o, const char *data, uint64_t length) {
  if (o->to && length > 0)
    memcpy(o->to + o->used, data, length);
  o->used += length;
}
/* Bytes of a text. */
RDX_MUST_USE rdx_status rdx_take_text(rdx_worker *w, size_t size, char **out);

/* ---- Errors ---- */

/* Whether what is wrong with a row matters. */
static inline bool rdx_counts(const uint8_t *active, const uint8_t *nulls, uint32_t i) {
  return (!active || active[i]) && (!nulls || !nulls[i]);
}

rdx_status rdx_node_fail(rdx_worker *w, const rdx_node *n, rdx_status status, const char *format, ...) RDX_PRINTF(4, 5);
/* A hint at where dates and timestamps begin and end; NULL of other types. */
const char *rdx_type_span(rdx_sql_type type);
/* A result that its type has not: "integer out of range". */
rdx_status rdx_out_of_range(rdx_worker *w, const rdx_node *n);
/* A DECIMAL as a value of a node's class; it is an error, or calls for more bits, where it does not fit. */
RDX_MUST_USE rdx_status rdx_put_decimal(rdx_worker *w, const rdx_node *n, rdx_i128 value, uint32_t row,
                                        rdx_values *out);

/* ---- Nodes ---- */

/* Arguments first, then the kernel for rows where none is NULL. */
rdx_status rdx_evaluate_strict(rdx_worker *w, const rdx_node *n, const uint8_t *active, rdx_values *out);
rdx_status rdx_evaluate_constant(rdx_worker *w, const rdx_node *n, const uint8_t *active, rdx_values *out);
rdx_status rdx_evaluate_failure(rdx_worker *w, const rdx_node *n, const uint8_t *active, rdx_values *out);
rdx_status rdx_evaluate_column(rdx_worker *w, const rdx_node *n, const uint8_t *active, rdx_values *out);
rdx_status rdx_evaluate_lookup(rdx_worker *w, const rdx_node *n, const uint8_t *active, rdx_values *out);
rdx_status rdx_evaluate_by_day(rdx_worker *w, const rdx_node *n, const uint8_t *active, rdx_values *out);
rdx_status rdx_evaluate_and(rdx_worker *w, const rdx_node *n, const uint8_t *active, rdx_values *out);
rdx_status rdx_evaluate_or(rdx_worker *w, const rdx_node *n, const uint8_t *active, rdx_values *out);
rdx_status rdx_evaluate_is_null(rdx_worker *w, const rdx_node *n, const uint8_t *active, rdx_values *out);
rdx_status rdx_evaluate_is_true(rdx_worker *w, const rdx_node *n, const uint8_t *active, rdx_values *out);
rdx_status rdx_evaluate_distinct(rdx_worker *w, const rdx_node *n, const uint8_t *active, rdx_values *out);
rdx_status rdx_evaluate_case(rdx_worker *w, const rdx_node *n, const uint8_t *active, rdx_values *out);
rdx_status rdx_evaluate_coalesce(rdx_worker *w, const rdx_node *n, const uint8_t *active, rdx_values *out);
rdx_status rdx_evaluate_extreme(rdx_worker *w, const rdx_node *n, const uint8_t *active, rdx_values *out);
rdx_status rdx_evaluate_in(rdx_worker *w, const rdx_node *n, const uint8_t *active, rdx_values *out);
rdx_status rdx_evaluate_rows(rdx_worker *w, const rdx_node *n, const uint8_t *active, rdx_values *out);

/* The kernels of a node by its op, its type and those of its arguments. */
rdx_values_fn rdx_arithmetic_kernel(const rdx_node *n);
rdx_values_fn rdx_comparison_kernel(rdx_op op, rdx_class class);
rdx_values_fn rdx_cast_kernel(const rdx_node *from, const rdx_node *n);
rdx_values_function rdx_not_kernel, rdx_like_kernel;

/* ---- Values ---- */

int rdx_compare_texts(rdx_sql_text a, rdx_sql_text b);
int rdx_compare_doubles(double a, double b);
/* Row `row` of values as a datum, and the other way round. DECIMAL is kept as the class has it. */
rdx_datum rdx_get_value(const rdx_values *values, rdx_class class, uint32_t row);
void rdx_put_value(rdx_values *values, rdx_class class, uint32_t row, const rdx_datum *value);

/* A set of constants of one class; memory is the arena's. */
RDX_MUST_USE rdx_status rdx_value_set_create(rdx_class class, const rdx_datum *values, uint32_t count, rdx_arena *arena,
                                             rdx_value_set **out, rdx_error *err);

/* ---- Programs ---- */

/* Make a program of an expression. Subtrees that read nothing but one column with a dictionary are evaluated for it. */
RDX_MUST_USE rdx_status rdx_compile(const rdx_evaluation *e, const rdx_bound *expression, rdx_program *out,
                                    rdx_error *err);
/* The same of several expressions: of more than one the sink gets an array of their values as the data. */
RDX_MUST_USE rdx_status rdx_compile_all(const rdx_evaluation *e, rdx_bound *const *expressions, uint32_t count,
                                        rdx_program *out, rdx_error *err);
void rdx_program_free(rdx_program *program);

/* What is done with a block's values, whose first row is the w->place-th. */
typedef rdx_status (*rdx_sink_fn)(rdx_worker *w, void *context, uint32_t worker, rdx_class class,
                                  const rdx_values *values);

/* Evaluate all blocks; of several failures the one of the lowest row is told. */
RDX_MUST_USE rdx_status rdx_program_run(const rdx_program *program, rdx_sink_fn sink, void *context, rdx_error *err);

/* One row without columns. Text is the arena's. */
RDX_MUST_USE rdx_status rdx_evaluate_constant_call(const rdx_bound *expression, const char *text, rdx_arena *arena,
                                                   rdx_datum *out, rdx_error *err);

#endif
