/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_STAR_METHOD_RT_CUBE_H
#define RDX_STAR_METHOD_RT_CUBE_H

/* What the two mappings of the RT cube share. */

#include "star/method/cube.h"

/* The options that mean the same for both. */
RDX_MUST_USE rdx_status rdx_rt_cube_check_params(const rdx_rt_cube_params *params, rdx_error *err);

/* Divide the axes of x and y, of so many codes, among about `grid` rays: the distances of rays. */
void rdx_rt_cube_divide(double grid, uint64_t x_codes, uint64_t y_codes, uint32_t *half_x, uint32_t *half_y);

/* Refuse a query of more rays than a launch has, or, where the caller chose the grid, of far more than rows. */
RDX_MUST_USE rdx_status rdx_rt_cube_check_rays(const rdx_rt_cube_params *params, uint64_t rays, uint64_t rows,
                                               uint32_t columns, uint32_t lines, rdx_error *err);

/* The first places of each distinct tuple of the first `attributes` attributes; *out is the caller's. */
RDX_MUST_USE rdx_status rdx_rt_cube_cut(const rdx_tuples *tuples, uint32_t attributes, uint32_t **out,
                                        uint32_t *out_count, rdx_error *err);

#endif
