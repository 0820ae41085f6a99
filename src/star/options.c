/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The options of star methods by their names. */

#include "base/options.h"
#include "star/star.h"

static const rdx_option_word mappings[] = {{"rank", RDX_RT_CUBE_RANK}, {"published", RDX_RT_CUBE_PUBLISHED}, {0}};
static const rdx_option_word operators[] = {{"encode", RDX_RT_CUBE_ENCODE},
                                            {"split_scan", RDX_RT_CUBE_SPLIT_SCAN},
                                            {"split_group", RDX_RT_CUBE_SPLIT_GROUP},
                                            {"separate_scan", RDX_RT_CUBE_SEPARATE_SCAN},
                                            {0}};
static const rdx_option_word orders[] = {
    {"fewest_intervals", RDX_RT_CUBE_FEWEST_INTERVALS}, {"as_given", RDX_RT_CUBE_AS_GIVEN}, {0}};
static const rdx_option_word row_orders[] = {{"table", RDX_RT_CUBE_TABLE_ORDER}, {"z", RDX_RT_CUBE_Z_ORDER}, {0}};

#define WORD(kind, name, path, words) RDX_OPTION_WORD(rdx_star_params, kind, name, path, words)
#define NUMBER(kind, name, path, min, max) RDX_OPTION_NUMBER(rdx_star_params, kind, name, path, min, max)

static const rdx_option list[] = {
    NUMBER(RDX_STAR_COARSE_CUBE, "block_rows", coarse_cube.block_rows, 1, UINT32_MAX),
    WORD(RDX_STAR_COARSE_CUBE, "build", coarse_cube.build, rdx_option_builds),
    WORD(RDX_STAR_RT_CUBE, "mapping", rt_cube.mapping, mappings),
    WORD(RDX_STAR_RT_CUBE, "operators", rt_cube.operators, operators),
    NUMBER(RDX_STAR_RT_CUBE, "leg_x", rt_cube.leg_x, 2, 1u << 22),
    NUMBER(RDX_STAR_RT_CUBE, "leg_y", rt_cube.leg_y, 2, 1u << 22),
    NUMBER(RDX_STAR_RT_CUBE, "grid", rt_cube.grid, 1, UINT32_MAX),
    NUMBER(RDX_STAR_RT_CUBE, "unit_z", rt_cube.unit_z, 1, 1u << 30),
    WORD(RDX_STAR_RT_CUBE, "order", rt_cube.order, orders),
    WORD(RDX_STAR_RT_CUBE, "rows", rt_cube.rows, row_orders),
    NUMBER(RDX_STAR_RT_CUBE, "sub_accumulators", rt_cube.sub_accumulators, 1, 256),
    WORD(RDX_STAR_RT_CUBE, "build", rt_cube.build, rdx_option_builds),
    WORD(RDX_STAR_RT_CUBE, "insist", rt_cube.insist, rdx_option_switches),
};

static const rdx_options options = {list, RDX_COUNT(list)};

rdx_status rdx_star_params_set(rdx_star_params *params, const char *name, const char *value, rdx_error *err) {
  if (!params || !name || !value)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_star_params_set: params, name and value must not be NULL");
  return rdx_option_set(options, params->method, rdx_star_method_name(params->method), name, value, params, err);
}

rdx_status rdx_star_check_options(const rdx_star_params *params, rdx_error *err) {
  return rdx_option_check(options, 1ull << params->method, params->method, rdx_star_method_name(params->method), params,
                          err);
}

bool rdx_star_option(rdx_star_method method, uint32_t number, char *text, size_t size) {
  return text && size > 0 && rdx_option_describe(options, method, number, text, size);
}
