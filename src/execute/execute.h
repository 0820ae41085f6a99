/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_EXECUTE_EXECUTE_H
#define RDX_EXECUTE_EXECUTE_H

/* Plans executed, one operator at a time, on columns: what passes between operators are columns of base tables with
 * lists of row numbers, read when an expression needs them. */

#include "execute/frame.h"
#include "plan/plan.h"

/* What a node did, for EXPLAIN ANALYZE. */
typedef struct rdx_node_actuals {
  bool ran;
  uint64_t rows;
  double ms; /* with what is below it */
  double device_ms;
  bool on_device;                        /* it kept its rows there */
  bool on_host;                          /* beside a GPU the host's threads did its work */
  char method[160];                      /* "column", "radix_hash": what was called */
  uint64_t rays, hits, rows_read, bytes; /* where the method tells */
} rdx_node_actuals;

typedef struct rdx_execution {
  rdx_catalog *catalog;
  rdx_device *device;
  rdx_pool *pool;
  const rdx_settings *settings;
  const char *text; /* of the statement */
  const rdx_query_plan *plan;
  rdx_datum *parameters;               /* plan->parameter_count, those of $n set */
  rdx_node_actuals *actuals;           /* plan->node_count; NULL: not wanted */
  bool counts;                         /* rays and hits too, which may take a second run */
  bool feeds_device;                   /* the node's rows go to an operator that can take them on the device */
  const struct rdx_plan_node *counted; /* of its rows the number is all that is wanted; NULL: none */
  struct rdx_portions *portions;       /* how rows are taken by who wants them in portions; NULL: all at once */
  rdx_frame *shared;                   /* plan->node_count: results of shared nodes, empty until they ran */
  rdx_arena *arena;                    /* of the execution */
} rdx_execution;

/* Run the scalars, then the root. Destroy `*out` with rdx_frame_destroy(). */
RDX_MUST_USE rdx_status rdx_execute_query(rdx_execution *x, rdx_frame *out, rdx_error *err);
/* One node. */
RDX_MUST_USE rdx_status rdx_execute_node(rdx_execution *x, const rdx_plan_node *node, rdx_frame *out, rdx_error *err);

#endif
