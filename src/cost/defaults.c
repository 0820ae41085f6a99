/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Rates of machines that were measured, for devices that were not. */

#include "cost/cost.h"
#include "device/device.h"

/* Two cores of a server with AMD EPYC processors (AVX-512, 32 MiB of cache for all), measured by raydex calibrate with
 * nothing else running. */
static const rdx_calibration two_cores = {
    .launch = 2050,
    .read_byte = 0.013,
    .transfer_byte = 0.0095,
    .pack_value = 3.75,
    .scan_code = 0.022,
    .list = 5000,
    .lookup = 6000,
    .found_row = 1,
    .add_row = 0.29,
    .group_row = 0.96,
    .table = 545,
    .table_row = 0.012,
    .number_row = 0.9,
    .test = {0.017, 0.145, 0.18},
    .gather = {0.053, 0.14, 3.2},
    .sort = 2000,
    .sort_row = 15,
    .sort_group = 15,
    .sort_key = {4, 4, 4.5},
    .join = {25000, 60000, 25000, 15000, 20000},
    .join_build = {{10.4, 10.4, 10.4}, {20, 20, 20}, {25, 25, 25}, {22, 22, 22}, {24, 24, 24}},
    .join_probe = {{3, 3, 3}, {8, 8, 8}, {5, 5, 5}, {30, 30, 30}, {15, 15, 15}},
    .ray = {70, 70, 200},
    .hit = {22, 13, 18},
    .cube = 900,
    .coarse_cube = 1500,
    .rt_cube = 1500,
    .tuple = 0.7,
    .range = {1, 2, 12},
    .run = 10,
    .evaluate = 5000,
    .value = 0.41,
};

/* An H100, from docs/measurements.md: rays and keys as of lookups, rows as of star queries, sorted keys as of the
 * sorted array's build, launches as of queries; the bus at 25 GB a second, which pairs of joins cross, too. */
static const rdx_calibration h100 = {
    .launch = 25000,
    .read_byte = 0.0005,
    .transfer_byte = 0.04,
    .pack_value = 0.2,
    .scan_code = 0.001,
    .list = 100000,
    .lookup = 150000,
    .found_row = 0.16,
    .add_row = 0.001,
    .group_row = 0.002,
    .table = 3000,
    .table_row = 0.002,
    .number_row = 0.002,
    .test = {0.002, 0.002, 0.004},
    .gather = {0.002, 0.004, 0.01},
    .sort = 200000,
    .sort_row = 0.2,
    .sort_group = 20,
    .sort_key = {20, 1.4, 0.12},
    .join = {300000, 200000, 270000, 225000, 260000},
    .join_build = {{0.3, 0.3, 0.3}, {0.3, 0.3, 0.3}, {0.3, 0.3, 0.3}, {0.3, 0.3, 0.3}, {0.3, 0.3, 0.3}},
    .join_probe = {{0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}, {0.6, 0.6, 0.6}, {0.55, 0.55, 0.55}},
    .ray = {1, 1, 1},
    .hit = {0.05, 0.05, 0.1},
    .cube = 1000,
    .coarse_cube = 45000,
    .rt_cube = 60000,
    .tuple = 0.7,
    .range = {1, 2, 12},
    .run = 10,
    .evaluate = 20000,
    .value = 0.4,
};

static void scale(rdx_calibration *c, double factor) {
  double *const rates[] = {&c->read_byte, &c->pack_value, &c->scan_code, &c->found_row,  &c->add_row, &c->group_row,
                           &c->table_row, &c->number_row, &c->sort_row,  &c->sort_group, &c->value};
  double *const sized[] = {c->test, c->gather, c->sort_key, c->ray, c->hit};
  for (size_t i = 0; i < RDX_COUNT(rates); i++)
    *rates[i] *= factor;
  for (size_t i = 0; i < RDX_COUNT(sized); i++)
    for (uint32_t k = 0; k < RDX_CALIBRATION_SIZES; k++)
      sized[i][k] *= factor;
  for (uint32_t i = 0; i < RDX_CALIBRATION_JOINS; i++)
    for (uint32_t k = 0; k < RDX_CALIBRATION_SIZES; k++) {
      c->join_build[i][k] *= factor;
      c->join_probe[i][k] *= factor;
    }
}

void rdx_calibration_built_in(const rdx_device_info *info, rdx_calibration *out) {
  const bool cpu = info->backend == RDX_BACKEND_CPU;
  *out = cpu || info->emulated ? two_cores : h100;
  if (cpu) {
    scale(out, 2.0 / (info->threads > 0 ? info->threads : 1)); /* threads share the work */
  } else if (info->emulated) {                                 /* as llvmpipe was seen to be on the same cores */
    out->launch = 300000;
    out->rt_cube = 300000;
    scale(out, 5);
  }
}
