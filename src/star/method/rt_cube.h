/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_STAR_METHOD_RT_CUBE_H
#define RDX_STAR_METHOD_RT_CUBE_H

/* What the two mappings of the RT cube share. */

#include "star/method/cube.h"

/* The rays of an interval or a piece of z. */
typedef struct rdx_rt_grid {
  uint32_t half_x, half_y; /* half a leg: the distances of rays */
  uint32_t columns, lines;
} rdx_rt_grid;

/* The options that mean the same for both. */
RDX_MUST_USE rdx_status rdx_rt_cube_check_params(const rdx_rt_cube_params *params, rdx_error *err);

/* Divide the axes of x and y, of so many codes, among about `rays` rays, or by the legs that were asked for. */
void rdx_rt_grid_divide(const rdx_rt_cube_params *params, double rays, uint64_t x_codes, uint64_t y_codes,
                        rdx_rt_grid *out);
/* Count the columns and lines of a grid that was divided. */
RDX_MUST_USE rdx_status rdx_rt_grid_count(uint64_t x_codes, uint64_t y_codes, rdx_rt_grid *grid, rdx_error *err);

/* Refuse a query of more rays than a launch has, or, where the caller chose the grid, of far more than rows. */
RDX_MUST_USE rdx_status rdx_rt_cube_check_rays(const rdx_rt_cube_params *params, uint64_t rays, uint64_t rows,
                                               const rdx_rt_grid *grid, rdx_error *err);

/* What the scene of a cube is built for. */
rdx_build_preference rdx_rt_cube_preference(const rdx_rt_cube_params *params, const rdx_device *device);

/* CPU: the parts that rays are dealt out to. */
uint32_t rdx_rt_cube_parts(const rdx_cube_core *core, uint64_t rays);
/* Copies of accumulators: on a GPU as many as `model` says, unless the caller does. */
uint32_t rdx_rt_cube_copies(const rdx_cube_core *core, const rdx_rt_cube_params *params, uint32_t parts,
                            uint32_t model);

/* The first places of each distinct tuple of the first `attributes` attributes; *out is the caller's. */
RDX_MUST_USE rdx_status rdx_rt_cube_cut(const rdx_tuples *tuples, uint32_t attributes, uint32_t **out,
                                        uint32_t *out_count, rdx_error *err);

#endif
