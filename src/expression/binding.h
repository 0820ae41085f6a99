/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_EXPRESSION_BINDING_H
#define RDX_EXPRESSION_BINDING_H

/* What binding calls and casts share. */

#include "expression/functions.h"

/* A call with a type; `args` are copied. It is a constant where its arguments are, unless it fails. */
RDX_MUST_USE rdx_status rdx_bind_op(rdx_binding *b, rdx_op op, rdx_sql_type type, rdx_bound *const *args,
                                    uint32_t count, rdx_sql_place place, rdx_bound **out);
RDX_MUST_USE rdx_status rdx_bind_function(rdx_binding *b, const rdx_function *function, rdx_sql_type type,
                                          rdx_bound *const *args, uint32_t count, rdx_sql_place place, rdx_bound **out);
/* AND or OR, whose arguments may change: a constant decides all, or changes nothing. */
RDX_MUST_USE rdx_status rdx_bind_junction(rdx_binding *b, const rdx_bound *junction, rdx_bound **out);
/* A cast that needs no word, at the value's own place. */
RDX_MUST_USE rdx_status rdx_bind_as(rdx_binding *b, rdx_bound *value, rdx_sql_type type, rdx_bound **out);

/* A constant as one of a column's type, where it has the same value there; else `*out` is NULL. */
RDX_MUST_USE rdx_status rdx_bind_fitted(rdx_binding *b, const rdx_bound *column, const rdx_bound *constant,
                                        rdx_bound **out);

/* Comparisons, which need operands of one type. */
RDX_MUST_USE rdx_status rdx_bind_comparison(rdx_binding *b, rdx_op op, rdx_bound *const *args, rdx_sql_place place,
                                            rdx_bound **out);
RDX_MUST_USE rdx_status rdx_bind_in(rdx_binding *b, rdx_bound *const *args, uint32_t count, rdx_sql_place place,
                                    rdx_bound **out);
RDX_MUST_USE rdx_status rdx_bind_arithmetic(rdx_binding *b, rdx_op op, rdx_bound *const *args, rdx_sql_place place,
                                            rdx_bound **out);
RDX_MUST_USE rdx_status rdx_bind_negate(rdx_binding *b, rdx_bound *arg, rdx_sql_place place, rdx_bound **out);

/* "there is no operator text + integer" */
rdx_status rdx_no_operator(rdx_binding *b, const char *name, rdx_bound *const *args, uint32_t count,
                           rdx_sql_place place);

static inline bool rdx_is_constant(const rdx_bound *value) {
  return value->kind == RDX_BOUND_CONSTANT;
}

#endif
