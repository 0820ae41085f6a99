/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_STAR_METHOD_RTCUDB_H
#define RDX_STAR_METHOD_RTCUDB_H

/* A cube with the published mapping of RTCUDB: rtcudb.c builds it, rtcudb_query.c answers queries. */

#include "star/method/rt_cube.h"

/* A scan attribute: a digit of z, a column in memory, or both. */
typedef struct rtcudb_attribute {
  uint32_t number; /* of the relation */
  uint32_t radix;  /* digits that z has for it; 0: none */
  uint32_t stride; /* of the digit in z */
  uint32_t shift;  /* the digit is code >> shift; then the code is in memory, too */
  uint32_t bytes;  /* of a code in memory */
  rdx_buffer *codes;
} rtcudb_attribute;

/* Of a measure's code: the lowest bits are in x, others in star.measures[].codes. */
typedef struct rtcudb_part {
  uint32_t shift, bits;
} rtcudb_part;

typedef struct rdx_rtcudb {
  rdx_cube_core core; /* without scan tuples */
  rdx_rt_cube_params params;
  uint32_t scan_count;
  rtcudb_attribute *scan; /* in the order of digits, the highest first */
  uint32_t *numbers;      /* of scan attributes, by themselves */
  rtcudb_part *parts;     /* of each measure */
  uint32_t x_codes, y_codes, z_codes;
  rdx_rt_grid grid;
  float unit_z;
  uint32_t cut_count;
  uint32_t *cuts;    /* the first group of each y; NULL: y is the group */
  rdx_buffer *rests; /* with cuts: groups less the first group of their y */
  uint32_t rest_bytes;
  rdx_buffer *corners; /* the scene's triangles, or their corners alone */
  uint32_t corner_stride;
  rdx_scene *scene;
} rdx_rtcudb;

void rdx_rtcudb_work(const void *self, const rdx_plan *plan, rdx_work *out);
rdx_status rdx_rtcudb_run(const void *self, rdx_star_call *call, rdx_error *err);

#endif
