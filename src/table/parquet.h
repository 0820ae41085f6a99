/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_TABLE_PARQUET_H
#define RDX_TABLE_PARQUET_H

#include <stdbool.h>

/* Whether a name ends as those of Parquet files do: in .parquet or .pq. */
bool rdx_parquet_is_name(const char *path);

#endif
