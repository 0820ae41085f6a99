/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_STAR_RT_FILTER_H
#define RDX_STAR_RT_FILTER_H

/* The scan of a query by itself, by RTScan: a bitmap of the rows of a cube that qualify (RTCUDB, section 6.5). */

#include "star/method/cube.h"

/* Prepare a scan of `count` attributes, at least one, over the rows of a cube. */
RDX_MUST_USE rdx_status rdx_rt_filter_create(const rdx_cube_core *core, const rdx_cube_rows *rows,
                                             const uint32_t *attributes, uint32_t count, rdx_scan **out,
                                             rdx_error *err);

/* The bitmap of a plan's rows, a spare of the scan that the caller gives back. The attributes are those that the scan
 * was made of. */
RDX_MUST_USE rdx_status rdx_rt_filter_run(const rdx_scan *scan, const uint32_t *attributes, uint32_t attribute_count,
                                          const rdx_plan *plan, rdx_buffer **out, rdx_scan_counts *counts,
                                          double *device_ms, rdx_error *err);

#endif
