/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_EXPRESSION_VECTORS_H
#define RDX_EXPRESSION_VECTORS_H

#include "expression/block.h"

/* The column type that values of a type are kept in. */
rdx_type rdx_column_type_of(rdx_sql_type type);

/* TEXT and INTERVAL as a column with a dictionary; a failure leaves memory in `out`. */
RDX_MUST_USE rdx_status rdx_evaluate_texts(const rdx_program *program, rdx_vector *out, rdx_error *err);

#endif
