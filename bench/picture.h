/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef BENCH_PICTURE_H
#define BENCH_PICTURE_H

#include "bench/bench.h"

/* What a picture shows of an experiment. */
typedef struct bench_view {
  const char *metric, *suffix, *axis;
  enum { BENCH_AS_RATE, BENCH_AS_IS, BENCH_BY_ROWS } height; /* lookups a millisecond, as it is, for each row */
} bench_view;

typedef struct bench_picture {
  const bench_report *report;
  const char *experiment;
  const bench_view *view;
} bench_picture;

/* Whether a row is of the picture's experiment and metric. */
bool bench_picture_has(const bench_picture *p, const bench_row *row);

/* Write the gnuplot script of a picture, data included, which puts SVG on the standard output; false in `any`: no row
 * has a height above 0, and nothing was written. */
RDX_MUST_USE rdx_status bench_picture_write(const bench_picture *p, const char *path, bool *any, rdx_error *err);

#endif
