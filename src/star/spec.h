/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_STAR_SPEC_H
#define RDX_STAR_SPEC_H

/* What cubes can answer and what queries need, as sets of attributes and expressions. */

#include "star/plan.h"

#define RDX_MAX_SPEC 8  /* of each: scan attributes, group attributes, expressions */
#define RDX_MAX_SCAN 64 /* scan attributes, of cubes that take more */

/* A spec that grows. */
typedef struct rdx_needs {
  uint32_t scan[RDX_MAX_SCAN], group_by[RDX_MAX_SPEC];
  const rdx_expression *expressions[RDX_MAX_SPEC];
  uint32_t scan_count, group_count, expression_count;
  uint32_t max_scan;         /* attributes that a cube has */
  bool summed[RDX_MAX_SPEC]; /* see rdx_cube_spec */
  bool too_many;             /* for any cube */
} rdx_needs;

/* What a query needs. RDX_ERROR_UNSUPPORTED where that is more than a spec may have, of scan attributes `max_scan`. */
RDX_MUST_USE rdx_status rdx_needs_of(const rdx_query *query, uint32_t max_scan, rdx_needs *out, rdx_error *err);

/* Add the scan attributes of `more` to `needs`, where the group attributes and expressions are the same and there is
 * room; else false. */
bool rdx_needs_unite(rdx_needs *needs, const rdx_needs *more);

/* Order the scan attributes so that those of `count` plans that need no others read as few ranges as possible. */
void rdx_needs_order(rdx_needs *needs, const rdx_plan *plans, uint32_t count);

rdx_cube_spec rdx_needs_spec(const rdx_needs *needs);

/* How many of the attributes and expressions that are needed a spec lacks, and, unless `text` is NULL, which. */
uint32_t rdx_spec_lacks(const rdx_cube_spec *spec, const rdx_needs *needs, const rdx_packed_relation *relation,
                        char *text, size_t size);

/* A copy, in the arena, of a spec that is checked on the way. */
RDX_MUST_USE rdx_status rdx_spec_copy(const rdx_cube_spec *spec, uint32_t max_scan, const rdx_packed_relation *relation,
                                      rdx_arena *arena, rdx_cube_spec *out, rdx_error *err);

#endif
