/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_DATABASE_INDEXES_H
#define RDX_DATABASE_INDEXES_H

#include "database/internal.h"

/* The list of indexes (indexes.c). The index of a name; NULL: there is none. */
rdx_index_entry *rdx_index_entry_find(rdx_database *database, const char *name);
/* What a definition says; of several statements the first. Drop it, also on failure. */
RDX_MUST_USE rdx_status rdx_index_entry_read(rdx_index_entry *entry, const char *name, const char *text,
                                             rdx_error *err);
void rdx_index_entry_drop(rdx_index_entry *entry);
/* The same, into the list. */
RDX_MUST_USE rdx_status rdx_index_entry_add(rdx_database *database, const char *name, const char *text, rdx_error *err);
/* Out of it. */
void rdx_index_entry_remove(rdx_database *database, rdx_index_entry *entry);

#endif
