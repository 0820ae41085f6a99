/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RAYDEX_RAYDEX_H
#define RAYDEX_RAYDEX_H

/**
 * All of Raydex.
 *
 * - Shapes: docs/c.md has the rules for results, options, row numbers and the ABI.
 * - Ownership: who creates a handle destroys it; a view borrows from its handle.
 * - Errors: whatever can fail returns rdx_status and fills rdx_error; nothing was produced then.
 * - ABI: unstable before 1.0. Each minor version may change it, and its soname says so (libraydex.so.0.1): a program
 *   never runs with another minor version than it was built for. From 1.0 on the soname has the major number alone.
 *
 * Example:
 *
 *     printf("raydex %s\n", rdx_version());
 */

#include <raydex/arrow.h>
#include <raydex/column.h>
#include <raydex/context.h>
#include <raydex/cost.h>
#include <raydex/database.h>
#include <raydex/device.h>
#include <raydex/star.h>
#include <raydex/index.h>
#include <raydex/join.h>
#include <raydex/predicate.h>
#include <raydex/query.h>
#include <raydex/recording.h>
#include <raydex/scan.h>
#include <raydex/sql.h>
#include <raydex/status.h>
#include <raydex/table.h>
#include <raydex/version.h>

#endif
