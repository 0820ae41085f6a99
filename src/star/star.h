/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_STAR_STAR_H
#define RDX_STAR_STAR_H

/* What a star method is to star.c, which plans queries, picks cubes and finishes results. */

#include <raydex/star.h>

#include "cost/cost.h"
#include "star/groups.h"

typedef struct rdx_query_counts {
  uint64_t rays, hits, rows, bytes, scene_bytes;
} rdx_query_counts;

/* A cube, or what answers queries without any: then the spec is empty. Its spec is a copy, with the order of its scan
 * attributes in the code chosen by the kind. */
typedef struct rdx_cube {
  const struct rdx_star_ops *ops;
  rdx_cube_spec spec;
  rdx_arena arena; /* what the spec points to */
  uint64_t bytes;
  void *self;
} rdx_cube;

typedef struct rdx_star_call {
  const rdx_plan *plan;
  rdx_groups *out;          /* the caller's */
  rdx_query_counts *counts; /* added to; NULL: not wanted */
  double device_ms;         /* out */
} rdx_star_call;

typedef struct rdx_star_ops {
  rdx_star_method method;
  bool traces_rays;
  size_t size;       /* of what answers queries, which is all zero before it is built */
  uint32_t max_scan; /* attributes of a cube; 0: RDX_MAX_SPEC */
  /* Whether queries of several sets of scan attributes should share a cube of all; NULL: always. */
  bool (*fits)(const rdx_packed_relation *relation, const rdx_cube_spec *spec);
  /* Build what answers queries within `spec` (NULL: a kind without cubes). */
  rdx_status (*build)(void *self, const rdx_packed_relation *relation, const rdx_star_params *params,
                      const rdx_cube_spec *spec, uint64_t *bytes, rdx_error *err);
  /* What a plan takes, in counts as far as they can be told before: of all that can answer a plan, what is expected to
   * take the least time does. */
  void (*work)(const void *self, const rdx_plan *plan, rdx_work *out);
  /* Combinations of the scan attributes of its cube; NULL: unknown. */
  uint64_t (*tuples)(const void *self);
  /* Find the groups. One submission to the device where possible. */
  rdx_status (*run)(const void *self, rdx_star_call *call, rdx_error *err);
  void (*destroy)(void *self); /* also what is built in part; its memory is the caller's */
} rdx_star_ops;

/* Whether it answers by cubes alone, which are built for some queries. */
bool rdx_star_method_is_cube(rdx_star_method method);
/* Whether its cubes are searched by rays. */
bool rdx_star_method_traces(rdx_star_method method);

/* rdx_star_create() with what the relation shares (NULL: nothing), and the relation that was made. */
RDX_MUST_USE rdx_status rdx_star_create_sharing(rdx_device *device, const rdx_relation *relation,
                                                const rdx_shared_parts *shared, const rdx_star_params *params,
                                                rdx_star **out, rdx_error *err);
const rdx_packed_relation *rdx_star_relation(const rdx_star *star);
/* Combinations of the scan attributes in the cube that was added last; 0: unknown. */
uint64_t rdx_star_newest_tuples(const rdx_star *star);

/* Refuse options of other methods; the method is known. */
RDX_MUST_USE rdx_status rdx_star_check_options(const rdx_star_params *params, rdx_error *err);

#endif
