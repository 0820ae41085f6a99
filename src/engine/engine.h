/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_ENGINE_ENGINE_H
#define RDX_ENGINE_ENGINE_H

/* What a kind of engine is to engine.c, which plans queries, picks cubes and finishes results. */

#include <raydex/engine.h>

#include "engine/plan.h"

typedef struct rdx_query_counts {
  uint64_t rays, hits, rows, bytes;
} rdx_query_counts;

/* A cube's spec, copied, with the order of its scan attributes in the code chosen by the kind. */
typedef struct rdx_cube {
  rdx_cube_spec spec;
  rdx_arena arena; /* what the spec points to */
  uint64_t bytes;
  void *self;
} rdx_cube;

typedef struct rdx_engine_ops {
  const char *name;
  bool traces_rays;
  bool cubes;
  /* Build what answers queries within `spec` (NULL: a kind without cubes). */
  rdx_status (*build)(const rdx_coded_relation *relation, const rdx_engine_params *params, const rdx_cube_spec *spec,
                      uint64_t *bytes, void **out, rdx_error *err);
  /* What a plan would cost, in nanoseconds or any unit that this kind's cubes share: the cheapest cube that has all
   * attributes answers. RDX_ERROR_UNSUPPORTED, with the reason, where this cube cannot. */
  rdx_status (*cost)(const void *self, const rdx_plan *plan, double *out, rdx_error *err);
  /* Find the groups; arrays by rdx_alloc(), freed by the caller. One submission to the device where possible. */
  rdx_status (*run)(const void *self, const rdx_plan *plan, rdx_groups *out, rdx_query_counts *counts,
                    double *device_ms, rdx_error *err);
  void (*destroy)(void *self);
} rdx_engine_ops;

extern const rdx_engine_ops rdx_column_engine_ops;
extern const rdx_engine_ops rdx_sorted_cube_ops;
extern const rdx_engine_ops rdx_coarse_cube_ops;
extern const rdx_engine_ops rdx_rt_cube_ops;

#endif
