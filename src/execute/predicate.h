/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_EXECUTE_PREDICATE_H
#define RDX_EXECUTE_PREDICATE_H

/* Expressions as predicates of scans and star queries. */

#include <raydex/predicate.h>

#include "execute/execute.h"

typedef struct rdx_translation {
  rdx_execution *x;
  const rdx_column *columns; /* by `index` of COLUMN; of strings with a dictionary, where lists are to be made of it */
  bool insist;               /* make lists of any length */
} rdx_translation;

/* The predicate that is true for the rows for which a BOOL expression is true (for others it may be false or unknown);
 * the columns of its leaves are the indexes of COLUMNs. `*found` false: there is none, the expression is to be
 * evaluated. Memory is the execution's arena. */
RDX_MUST_USE rdx_status rdx_predicate_of(const rdx_translation *t, const rdx_bound *expression, rdx_predicate *out,
                                         bool *found, rdx_error *err);

/* Mark the columns that leaves name. */
void rdx_predicate_mark(const rdx_predicate *predicate, bool *used);
/* Give them the numbers that a scan or a star has for them. The predicate came from rdx_predicate_of(). */
void rdx_predicate_number(rdx_predicate *predicate, const uint32_t *numbers);

/* The value of an expression without columns; false: it has some, or its value is an error of its own. Units of
 * integers, decimals (10^-scale of its type), BOOL, DATE and TIMESTAMP go to `units`. */
typedef struct rdx_known_value {
  rdx_datum datum;
  rdx_i128 units;
} rdx_known_value;

RDX_MUST_USE bool rdx_known(rdx_execution *x, const rdx_bound *expression, rdx_known_value *out);

/* The COLUMN below casts that change no value; NULL: there is none. */
const rdx_bound *rdx_uncast(const rdx_bound *expression);

#endif
