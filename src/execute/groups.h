/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_EXECUTE_GROUPS_H
#define RDX_EXECUTE_GROUPS_H

/* Groups that a row of a table determines: columns of one row, a key of the table among them, are grouped by the number
 * of the row. */

#include "execute/operators.h"

typedef struct rdx_group_columns {
  rdx_frame all;     /* the columns that groups are made of, as they are asked for */
  rdx_frame grouped; /* those that are grouped by: of a table's row its number (u32) in place of its columns */
  uint32_t *places;  /* in `grouped`, of each of `all` */
  bool *numbered;    /* of each of `all`: its row is numbered there */
} rdx_group_columns;

/* Of the values of expressions over an operand; memory beside the frames is the execution's arena. */
RDX_MUST_USE rdx_status rdx_group_columns_make(rdx_execution *x, rdx_operand *in, rdx_bound *const *exprs,
                                               uint32_t count, rdx_group_columns *out, rdx_error *err);
void rdx_group_columns_drop(rdx_group_columns *columns);

/* What was asked for of groups: `groups` has columns as `grouped`, and maybe more behind them. The first columns of
 * `out` are empty, and become them. */
RDX_MUST_USE rdx_status rdx_group_columns_take(const rdx_group_columns *columns, const rdx_frame *groups,
                                               rdx_frame *out, rdx_error *err);

#endif
