/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_COST_COST_H
#define RDX_COST_COST_H

/* What work takes: methods tell it in counts, and here they become milliseconds. The only floor with nanoseconds. */

#include <raydex/cost.h>

#include "base/base.h"

/* Work in counts; all zero is none. */
typedef struct rdx_work {
  double launches;
  double bytes;          /* read in order */
  double moved;          /* bytes brought to the device */
  double packed;         /* values made packed codes */
  double codes;          /* packed codes compared */
  double lists;          /* scans whose rows are listed */
  double lookups;        /* of one key, whose rows are listed */
  double found;          /* numbers of rows brought to the host */
  double added;          /* numbers added up, without groups */
  double grouped;        /* numbers added to groups */
  double tables, filled; /* dimensions made ready, and rows of them */
  double numbered;       /* rows of dimensions numbered by their groups */
  double tests, gathers; /* of rows by bits, of numbers, in dimensions of `table_rows` */
  double table_rows;
  double sorts, sorted_rows;   /* queries whose groups are found by sorting, and rows of them */
  double sorted_groups;
  double sorted;               /* keys */
  uint32_t join_method;        /* of RDX_CALIBRATION_JOIN_METHODS */
  double joins, built, probed; /* keys put into the index, and looked up in it */
  double rays, hits;           /* in a scene of `primitives` */
  double primitives;
  double coarse_cubes;           /* queries of such a cube, that trace rays */
  double traces;                 /* other queries that trace rays and wait for them */
  double cubes, tuples, runs;    /* other queries of cubes; tuples tested and runs added to groups there */
  double steps, searched_tuples; /* of searches in an order of so many tuples */
  double evaluations;            /* of conditions, by the host's threads */
  double values;                 /* of expressions, on the host */
} rdx_work;

double rdx_work_ms(const rdx_calibration *rates, const rdx_work *work);

/* The built-in numbers for a device. */
void rdx_calibration_built_in(const rdx_device_info *info, rdx_calibration *out);

/* Run the operations (measure.c). */
RDX_MUST_USE rdx_status rdx_calibration_measure(rdx_device *device, rdx_calibration *out, rdx_error *err);

/* What a constant part and parts for each item of some kind take, from times of runs: `a` of `x[i]` items took `ms[i]`.
 * Neither is below 0. */
void rdx_fit_line(const double *items, const double *ms, uint32_t count, double *fixed_ms, double *ms_each);

/* What x items take: a constant part, and a multiple of a power of x. */
typedef struct rdx_curve {
  double fixed_ms, ms_each, power;
} rdx_curve;

double rdx_curve_ms(const rdx_curve *curve, double items);

/* The same as rdx_fit_line() where time may grow faster than the items do: a power of 1 to 3, no larger than the times
 * tell. At most RDX_CURVE_POINTS of them. */
#define RDX_CURVE_POINTS 16
void rdx_fit_curve(const double *items, const double *ms, uint32_t count, rdx_curve *out);

/* ---- The file (file.c) ---- */

/* A calibration of this device; false: there is none that can be used. */
bool rdx_calibration_load(const rdx_device *device, rdx_calibration *out);
/* Keep one; false: it could not be written. */
bool rdx_calibration_store(const rdx_device *device, const rdx_calibration *calibration);

#endif
