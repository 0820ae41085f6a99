/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef BENCH_PUBLISHED_H
#define BENCH_PUBLISHED_H

#include "bench/bench.h"

/* Add the results that the authors of RTIndeX published for our experiments to a report, with "published" and the GPU
 * as device. `dir` holds their files, named as they named them with the GPU in front: 4090-point_query_k32_v32.csv,
 * 4090-experiments-primitive.csv. Files that are not there are left out. */
RDX_MUST_USE rdx_status bench_published_add(bench_report *report, const char *dir, rdx_error *err);

#endif
