/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef CLI_DRAW_H
#define CLI_DRAW_H

/* A recording as a picture. */

#include "cli/cli.h"

typedef struct draw_picture {
  const char *title, *query; /* what was built, what was asked */
  uint64_t found;            /* rows that the query finds */
  /* What axes are: axis k of scene s is column s * columns_each + k, if there is one. */
  const char *columns[8];
  uint32_t column_count, columns_each;
  rdx_recording_view view;
} draw_picture;

/* Write SVG; false: host memory ran out. */
bool draw_svg(FILE *stream, const draw_picture *picture);

#endif
