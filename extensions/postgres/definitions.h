/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RAYDEX_DEFINITIONS_H
#define RAYDEX_DEFINITIONS_H

/* What a folder defines beside tables: views, cubes and indexes. A database reads them when it is opened, so that
 * sessions and the worker open it anew when they have changed. Plain C: the worker has nothing of PostgreSQL. */

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* All zero: not looked at yet. */
typedef struct Definitions {
  struct timespec folder; /* when the folder changed */
  uint64_t number;        /* of all names, times and sizes */
} Definitions;

/* Look at the folder, and read it where it has changed, or did so within the last second; true: definitions have. */
bool definitions_changed(const char *folder, Definitions *known);

#endif
