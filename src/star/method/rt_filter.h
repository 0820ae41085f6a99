/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_STAR_RT_FILTER_H
#define RDX_STAR_RT_FILTER_H

/* The scan of a query by itself, by RTScan: a bitmap of the rows of a cube that qualify (RTCUDB, section 6.5). */

#include "star/method/cube.h"

/* Prepare the cube's filter: a scan of `count` attributes, at least one, over the rows of a cube. */
RDX_MUST_USE rdx_status rdx_rt_filter_create(rdx_cube_core *core, const rdx_cube_rows *rows, const uint32_t *attributes,
                                             uint32_t count, rdx_error *err);

/* Find the bitmap of a run's rows, where the cube has a filter. The attributes are those that it was made of. */
RDX_MUST_USE rdx_status rdx_rt_filter_run(const rdx_cube_core *core, const uint32_t *attributes, uint32_t count,
                                          rdx_cube_run *run, rdx_error *err);

#endif
