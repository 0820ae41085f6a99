/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_BITMAP_GROUP_ROWS_GLSL_H
#define RDX_KERNELS_BITMAP_GROUP_ROWS_GLSL_H

/* GLSL: rows are counted by those who find them. */

#extension GL_KHR_shader_subgroup_arithmetic : require
#include "device/shared.h"

shared u32 group_rows;

/* Add the rows of a workgroup's threads, all of which call this, to `total`, modulo 2^32; 0: nobody asks. */
void add_group_rows(u32 rows, u32_ptr total) {
  if (gl_LocalInvocationIndex == 0)
    group_rows = 0;
  barrier();
  rows = subgroupAdd(rows);
  if (subgroupElect() && rows != 0)
    atomicAdd(group_rows, rows);
  barrier();
  if (gl_LocalInvocationIndex == 0 && !IS_NULL(total) && group_rows != 0)
    atomicAdd(AT(total, 0), group_rows);
}

#endif
