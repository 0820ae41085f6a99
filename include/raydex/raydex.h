/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RAYDEX_RAYDEX_H
#define RAYDEX_RAYDEX_H

/** All of Raydex. */

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
