/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_SCAN_RAY_MATRIX_H
#define RDX_SCAN_RAY_MATRIX_H

/* Rows as cubes in the space of up to three columns, and rays through regions of it: what RTc3 and RTScan share. See
 * kernels/ray_matrix/ray_matrix.h for the geometry. */

#include "kernels/ray_matrix/kernels.h"
#include "scan/method/encoding.h"
#include "scan/method/sieve.h"

typedef struct rdx_matrix_scene {
  uint32_t columns[3], dimensions;
  uint64_t rows;
  uint32_t shift[3]; /* 2 to this many positions (ranks, or values less the smallest) are a cell */
  uint32_t spread[3];
  uint32_t used[3]; /* cells on each axis, those of NULLs by value not counted */
  uint32_t width;   /* of a cube in cells: even */
  uint32_t rows_per_box;
  bool insist;
  rdx_buffer *cells, *order; /* of each cube, in the order of the scene: its cells, its row */
  rdx_scene *scene;
} rdx_matrix_scene;

typedef struct rdx_matrix_scene_params {
  uint32_t rows_per_box;
  uint32_t width;    /* of a cube, in positions of the first column */
  uint32_t per_axis; /* or so many cubes side by side on an axis; both 0: by how far rows are apart */
  uint32_t thick;    /* then: positions that regions are thick at most, on their shortest side; 0: not known */
  bool insist;       /* on any number of rays */
  rdx_build_preference build;
} rdx_matrix_scene_params;

/* By default. Embree calls back once for each box that is met, so a few may share one; on a GPU that is slower than
 * a box for each (8 to a box: more than twice as slow), but takes the tree's memory less often: where that is too much,
 * methods try twice as many, up to the most. */
uint32_t rdx_matrix_scene_rows_per_box(const rdx_device *device);
#define RDX_MATRIX_SCENE_MAX_SHARED 32
/* Whether to build again after `status`, with twice as many rows to a box: memory ran out all the same, nobody `asked`
 * for a number, and there may be more. */
bool rdx_matrix_scene_share_more(rdx_status status, uint32_t asked, uint32_t *rows_per_box);
/* In cells, by default: twenty times the mean distance of rows, where cubes are a quarter of it wide. Section 5.1
 * has five times; fewer and longer rays are up to 15% faster by Embree and on an H100 where selectivities are high. */
uint32_t rdx_matrix_scene_ray_length(const rdx_matrix_scene *cubes);

/* The axis of a column, or `dimensions` where it has none. */
static inline uint32_t rdx_matrix_scene_axis(const rdx_matrix_scene *cubes, uint32_t column) {
  uint32_t axis = 0;
  while (axis < cubes->dimensions && cubes->columns[axis] != column)
    axis++;
  return axis;
}

/* Columns that are the axes of a scene. */
typedef struct rdx_matrix_axes {
  const rdx_encoded_column *columns; /* all of them */
  rdx_encoding *encodings;           /* the same; NULL: rows are placed by value */
  const uint32_t *which;
  uint32_t dimensions;
} rdx_matrix_axes;

/* Place rows by the ranks of the encodings, whose orders are freed before the scene is built. Adds to stats->scene_ms.
 * On failure nothing is left to destroy. */
RDX_MUST_USE rdx_status rdx_matrix_scene_create(rdx_device *device, const rdx_matrix_axes *axes,
                                                const rdx_matrix_scene_params *params, rdx_matrix_scene *out,
                                                rdx_scan_stats *stats, rdx_error *err);
void rdx_matrix_scene_destroy(rdx_matrix_scene *cubes);
/* Device bytes of the scene, and of the cells and rows of its cubes. */
uint64_t rdx_matrix_scene_bytes(const rdx_matrix_scene *cubes);
/* Device bytes at the peak, and those that stay. `placing`: bytes a row that encodings hold until rows are placed. */
uint64_t rdx_matrix_scene_estimate(const rdx_device *device, uint64_t rows, uint32_t placing,
                                   const rdx_matrix_scene_params *params, uint64_t *kept);

/* Cells begin .. end - 1 of an axis. */
typedef struct rdx_cells {
  uint32_t begin, end;
} rdx_cells;

/* The cells of positions begin .. end - 1, at least one. */
rdx_cells rdx_matrix_scene_cells(const rdx_matrix_scene *cubes, uint32_t axis, uint64_t begin, uint64_t end);

typedef struct rdx_cells_list {
  uint32_t count;
  const rdx_cells *cells;
} rdx_cells_list;

/* How rays stand: in cells. */
typedef struct rdx_ray_matrix {
  uint32_t interval, length, spacing;
  bool along_z; /* always, else along a region's longest side */
  bool flat;    /* across the line or plane of fewer than three columns, as long as cubes are wide */
} rdx_ray_matrix;

/* Regions and their rays, collected for one launch. */
typedef struct rdx_regions {
  struct ray_matrix_region *regions; /* NULL: only count */
  uint32_t count;
  uint64_t rays;
  double hits; /* cubes that the rays meet, about, were rows spread evenly */
} rdx_regions;

/* Add the product of three lists. */
void rdx_regions_add(rdx_regions *regions, const rdx_matrix_scene *cubes, const rdx_ray_matrix *matrix,
                     const rdx_cells_list lists[3]);

/* Counters of rays on the device. */
RDX_MUST_USE rdx_status rdx_counters_create(rdx_stream *stream, rdx_buffer **out, rdx_error *err);
/* Finish the stream and add the counters up. */
RDX_MUST_USE rdx_status rdx_counters_read(rdx_stream *stream, const rdx_buffer *counters, rdx_scan_counts *counts,
                                          rdx_error *err);

/* A launch of rays through regions: the bits of rows whose cubes are met become what the query's terms say. */
typedef struct rdx_ray_matrix_launch {
  uint64_t query; /* address */
  uint32_t regions_place, region_count, term_count;
  uint64_t rays;
  rdx_buffer *mask, *out, *counters; /* NULL: no mask; not counted */
} rdx_ray_matrix_launch;

RDX_MUST_USE rdx_status rdx_ray_matrix_trace(const rdx_matrix_scene *cubes, const rdx_ray_matrix *matrix,
                                             const rdx_ray_matrix_launch *launch, rdx_stream *stream, rdx_error *err);

#endif
