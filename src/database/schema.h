/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_DATABASE_SCHEMA_H
#define RDX_DATABASE_SCHEMA_H

#include "database/internal.h"

/* A view of what the database has now, by its name with "information_schema." before it; `out` stays as it is where
 * there is none. */
RDX_MUST_USE rdx_status rdx_schema_find(rdx_database *database, const char *name, rdx_arena *arena, rdx_view_text *out,
                                        rdx_error *err);

#endif
