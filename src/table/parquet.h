/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_TABLE_PARQUET_H
#define RDX_TABLE_PARQUET_H

#include <raydex/table.h>

#include "base/base.h"

/* Whether a name ends as those of Parquet files do: in .parquet or .pq. */
bool rdx_parquet_is_name(const char *path);

/* A table of a file's columns, none of which is read: names, types and rows are right, but for columns of types that
 * cannot be read, which their reading tells. The file is opened anew for that. */
RDX_MUST_USE rdx_status rdx_parquet_open(const char *path, rdx_table **out, rdx_error *err);
/* Read columns of such a table, each of which may be named once. RDX_ERROR_IO: the file was written to,
 * or replaced, since. */
RDX_MUST_USE rdx_status rdx_parquet_read_columns(rdx_table *table, const uint32_t *columns, uint32_t count,
                                                 rdx_error *err);

#endif
