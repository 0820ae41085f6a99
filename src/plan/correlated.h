/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_PLAN_CORRELATED_H
#define RDX_PLAN_CORRELATED_H

/* Queries that read columns of the block around them, as its dependents: subqueries in expressions, and LATERAL. */

#include "plan/internal.h"

/* Outer columns become the block's own, inner ones those of a leaf. */
typedef struct rdx_lifting {
  rdx_block *block;
  uint32_t leaf;       /* inner columns become columns of it, from `first` on; without a list they are an error */
  rdx_conjuncts *list; /* inner columns, in the order of the leaf's */
  uint32_t first;
} rdx_lifting;

RDX_MUST_USE rdx_status rdx_lift_value(void *lifting, rdx_bound *value, rdx_bound **out);

/* What a correlated query is to become. */
typedef struct rdx_form {
  rdx_plan_join join;
  uint32_t outputs; /* of its own that are kept: 0 for EXISTS */
  bool distinct;
} rdx_form;

/* Lists of the parts of a correlated query: its keys, what else it compares, and, of both, the conditions over the
 * outer side alone. */
typedef struct rdx_correlated_parts {
  rdx_conjuncts outer, inner, rest, columns, gates;
} rdx_correlated_parts;

RDX_MUST_USE rdx_status rdx_collect_columns(rdx_planner *p, const rdx_bound *node, rdx_conjuncts *list);
/* `constants`: outer values that equal constants are keys, too. */
RDX_MUST_USE rdx_status rdx_find_parts(rdx_block *inner, bool constants, rdx_correlated_parts *out);
/* The correlated query as a plan whose outputs are its own, its inner keys, and the columns that else are compared. */
RDX_MUST_USE rdx_status rdx_build_correlated(rdx_block *b, rdx_bound_query *q, const rdx_form *f,
                                             const rdx_correlated_parts *x, rdx_plan_node **out);
/* A dependent over a plan whose outputs are `outputs`, then inner keys and columns; room for `more` keys. */
RDX_MUST_USE rdx_status rdx_link_dependent(rdx_block *b, const rdx_bound_query *q, rdx_plan_node *plan,
                                           uint32_t outputs, rdx_correlated_parts *x, uint32_t more,
                                           rdx_dependent *out);
/* A dependent over the query, with keys and filter of its correlations; room for `more` keys. */
RDX_MUST_USE rdx_status rdx_make_dependent(rdx_block *b, rdx_bound_query *q, const rdx_form *f, uint32_t more,
                                           rdx_dependent *out);
RDX_MUST_USE rdx_status rdx_add_dependent(rdx_block *b, rdx_dependent d);
/* A dependent that is asked something; `*out` is the mark. */
RDX_MUST_USE rdx_status rdx_add_mark(rdx_block *b, rdx_dependent d, rdx_sql_place place, rdx_bound **out);

/* A query with groups that reads outer columns behind them becomes one without, over the groups (parted.c). */
RDX_MUST_USE rdx_status rdx_part_groups(rdx_block *b, rdx_bound_query *q);

/* Conditions over the outer side alone that have left the WHERE of a query: where they are not true it has no rows. */
typedef struct rdx_gate {
  rdx_bound *condition; /* NULL: there are none, or the query looks at pairs anyway */
  rdx_block *inner;
  bool one_row; /* the query has one row where there are none, as it aggregates without groups */
} rdx_gate;

/* A query that reads outer columns in nothing else is correlated no more. */
RDX_MUST_USE rdx_status rdx_raise_gate(rdx_block *b, rdx_bound_query *q, rdx_gate *out);
/* The value of the query, which `written` was in it, also where the gate is not true. */
RDX_MUST_USE rdx_status rdx_gate_value(rdx_block *b, const rdx_gate *gate, rdx_bound *written, rdx_bound **value);

/* Of a query with aggregates and no groups: its value, which `written` was in it, where no row of it is there, too. */
RDX_MUST_USE rdx_status rdx_with_empty(rdx_block *b, rdx_block *inner, rdx_bound *written, const rdx_dependent *d,
                                       rdx_bound **value);

/* Whether a query that aggregates all its rows compares some with outer columns by other than =, or reads outer columns
 * in its list. An aggregate of outer columns alone would be the outer query's. */
bool rdx_compares_pairs(const rdx_block *inner);
/* Whether an aggregate reads outer columns. */
bool rdx_reads_outer(const rdx_plan_aggregate *aggregate);
/* A value of a list over aggregates, which stand for `values`, and outer columns. */
RDX_MUST_USE rdx_status rdx_lift_aggregates(rdx_block *b, rdx_bound *const *values, rdx_bound *written,
                                            rdx_bound **out);
/* A dependent over such a query: its rows are joined to the outer ones, and aggregated for each of these. */
RDX_MUST_USE rdx_status rdx_make_pairs(rdx_block *b, rdx_bound_query *q, rdx_dependent *out);
/* A value of its list over the answers. */
RDX_MUST_USE rdx_status rdx_answer(rdx_block *b, const rdx_dependent *d, rdx_bound *written, rdx_bound **out);

RDX_MUST_USE rdx_status rdx_check_correlated(const rdx_block *b, const rdx_bound_query *q);

#endif
