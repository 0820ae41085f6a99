/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_EXECUTE_OPERATORS_H
#define RDX_EXECUTE_OPERATORS_H

/* The operators, and what they share. */

#include <raydex/index.h> /* RDX_NO_ROW */

#include "execute/execute.h"

#define RDX_EXECUTE_GRAIN 16384u /* rows that a thread takes at a time */

/* ---- Operators: each makes the frame of its node ---- */

typedef rdx_status rdx_operator(rdx_execution *x, const rdx_plan_node *node, rdx_frame *out, rdx_error *err);

RDX_MUST_USE rdx_operator rdx_execute_table, rdx_execute_join, rdx_execute_aggregate, rdx_execute_star,
    rdx_execute_sort, rdx_execute_limit, rdx_execute_union, rdx_execute_intersect, rdx_execute_window,
    rdx_execute_series, rdx_execute_recursive;

/* ---- A node's input ---- */

/* The frame of a node, with what evaluates read of it. All zero is none. */
typedef struct rdx_operand {
  rdx_frame frame;
  rdx_input *inputs;
} rdx_operand;

RDX_MUST_USE rdx_status rdx_operand_run(rdx_execution *x, const rdx_plan_node *node, rdx_operand *out, rdx_error *err);
/* The same, with rows where they are: rdx_operand_bring() brings those that an evaluation reads. */
RDX_MUST_USE rdx_status rdx_operand_run_in_place(rdx_execution *x, const rdx_plan_node *node, rdx_operand *out,
                                                 rdx_error *err);
/* Bring the rows of the columns that an expression reads to the host. */
RDX_MUST_USE rdx_status rdx_operand_bring(rdx_operand *operand, const rdx_bound *expression, rdx_error *err);
/* The inputs anew, after the frame's columns changed. */
RDX_MUST_USE rdx_status rdx_operand_refresh(rdx_execution *x, rdx_operand *operand, rdx_error *err);
void rdx_operand_drop(rdx_operand *operand);
void rdx_operands_drop(rdx_operand (*both)[2]);

rdx_evaluation rdx_operand_evaluation(const rdx_execution *x, const rdx_operand *operand);

/* The value of an expression for each row. A column whose rows are all that count is viewed, not copied: then the
 * vector has no memory, and must not outlive the operand. */
RDX_MUST_USE rdx_status rdx_operand_flat(rdx_execution *x, rdx_operand *operand, const rdx_bound *expression,
                                         rdx_vector *out, rdx_error *err);
/* The same as a column of a frame. */
RDX_MUST_USE rdx_status rdx_operand_column(rdx_execution *x, rdx_operand *operand, const rdx_bound *expression,
                                           rdx_frame *out, uint32_t index, rdx_error *err);
/* Column `index` with a type, in the layout that evaluating gives. */
RDX_MUST_USE rdx_status rdx_operand_cast(rdx_execution *x, rdx_operand *operand, uint32_t index, rdx_sql_type type,
                                         rdx_vector *out, rdx_error *err);
/* Of a column of u64 and one of whole decimals, none below 0, the latter becomes u64, too; others stay as they are. */
RDX_MUST_USE rdx_status rdx_make_unsigned(rdx_column *a, rdx_column *b, rdx_error *err);
/* The same, flat, as it lies; strings with a dictionary. */
RDX_MUST_USE rdx_status rdx_operand_coded(rdx_execution *x, rdx_operand *operand, uint32_t index, rdx_vector *out,
                                          rdx_error *err);

/* Bring columns whose layout does not say the type that the node promises to it. */
RDX_MUST_USE rdx_status rdx_frame_conform(rdx_execution *x, const rdx_plan_column *columns, rdx_frame *frame,
                                          rdx_error *err);

/* The rows of two inputs, one after the other, as the node's columns. */
RDX_MUST_USE rdx_status rdx_append_frames(rdx_execution *x, const rdx_plan_node *node, rdx_operand in[2],
                                          rdx_frame *out, rdx_error *err);

/* Keep the rows for which a BOOL expression over the frame's columns is true. */
RDX_MUST_USE rdx_status rdx_operand_filter(rdx_execution *x, rdx_operand *operand, const rdx_bound *filter,
                                           rdx_error *err);
/* The same of some stretches of a table's rows, `rows` in all (NULL: of all rows); others are not kept. */
RDX_MUST_USE rdx_status rdx_operand_filter_stretches(rdx_execution *x, rdx_operand *operand, const rdx_bound *filter,
                                                     const uint32_t *stretches, uint64_t rows, rdx_error *err);

/* Keep those for which all of some are true. */
RDX_MUST_USE rdx_status rdx_operand_filter_all(rdx_execution *x, rdx_operand *operand, rdx_bound **parts,
                                               uint32_t count, rdx_error *err);
/* What AND joins in a filter; the filter itself where it is no AND. The list is the execution's arena's. */
RDX_MUST_USE rdx_status rdx_filter_parts(rdx_execution *x, const rdx_bound *filter, rdx_bound ***parts,
                                         uint32_t *count, rdx_error *err);

/* Row numbers first .. first + count - 1, for rdx_free(). */
RDX_MUST_USE rdx_status rdx_number_rows(rdx_execution *x, uint64_t first, uint64_t count, uint32_t **out,
                                        rdx_error *err);

/* The rows whose bit is set, or is not, of so many, for rdx_free(). */
RDX_MUST_USE rdx_status rdx_list_marked(const uint32_t *marks, uint64_t rows, bool wanted, uint32_t **out,
                                        uint64_t *count, rdx_error *err);

/* LIMIT, UINT64_MAX where there is none, and OFFSET of a node. */
RDX_MUST_USE rdx_status rdx_find_limits(rdx_execution *x, const rdx_plan_node *node, uint64_t *limit, uint64_t *offset,
                                        rdx_error *err);

/* The value of a parameter of a type as evaluating wants it, from row 0 of a column. */
RDX_MUST_USE rdx_status rdx_frame_value(rdx_execution *x, const rdx_frame *frame, rdx_sql_type type, rdx_datum *out,
                                        rdx_error *err);

/* The value of an expression that reads no columns; memory is the execution's arena. */
RDX_MUST_USE rdx_status rdx_value_of(rdx_execution *x, const rdx_bound *e, rdx_datum *out, rdx_error *err);

/* Fail where an expression reads a parameter whose subquery failed. */
RDX_MUST_USE rdx_status rdx_check_parameters(const rdx_execution *x, const rdx_bound *e, rdx_error *err);

/* Keep the rows of a table that its filter keeps: the node's index finds them, and what it cannot say is evaluated for
 * these. `*found` false: it says nothing. */
RDX_MUST_USE rdx_status rdx_index_rows(rdx_execution *x, const rdx_plan_node *node, rdx_operand *in, bool *found,
                                       rdx_error *err);

/* ---- Actuals ---- */

/* Those of a node; never NULL: where nobody wants them, they go nowhere. */
rdx_node_actuals *rdx_actuals_of(const rdx_execution *x, const rdx_plan_node *node);
/* Name a method; several are a list. */
void rdx_actuals_method(rdx_node_actuals *actuals, const char *name);

#endif
