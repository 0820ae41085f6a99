/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_ENGINE_RESULT_H
#define RDX_ENGINE_RESULT_H

#include <raydex/engine.h>

/* The arrays of the columns belong to the result. */
struct rdx_query_result {
  uint64_t rows;
  uint32_t count; /* of columns */
  rdx_column *columns;
  rdx_query_stats stats;
};

#endif
