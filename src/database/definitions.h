/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_DATABASE_DEFINITIONS_H
#define RDX_DATABASE_DEFINITIONS_H

#include "database/internal.h"

/* What a database keeps besides tables: definitions of views and indexes, each the text of its statement in a file
 * NAME.KIND of the folder, with a checksum. Without a folder they live as long as the database is open. */

/* Make what is known of a definition agree with its text; NULL: it is gone. `*settled`, which was true, becomes false
 * where the same text may mean something else later. */
typedef rdx_status (*rdx_definition_fn)(rdx_database *database, const char *name, const char *text, bool *settled,
                                        rdx_error *err);

/* Read what other databases have changed of the folder's definitions. Every statement begins with it. */
RDX_MUST_USE rdx_status rdx_definitions_refresh(rdx_database *database, rdx_error *err);
/* The same for the statement whose turn it is: until it gives definitions back, no other one reads them, as they are
 * those that it has. Nothing is to be given back on failure. */
RDX_MUST_USE rdx_status rdx_definitions_take(rdx_database *database, rdx_error *err);
void rdx_definitions_give(rdx_database *database);
void rdx_definitions_free(rdx_database *database);
RDX_MUST_USE rdx_status rdx_definition_write(rdx_database *database, const char *kind, const char *name,
                                             const char *text, rdx_error *err);
/* Whether a file of the folder says this and nothing else. */
bool rdx_definition_is(const rdx_database *database, const char *kind, const char *name, const char *text);
RDX_MUST_USE rdx_status rdx_definition_remove(const rdx_database *database, const char *kind, const char *name,
                                              rdx_error *err);
/* Set the options of a statement's WITH (name = value), of which `text` is the text: as `raydex --options` has them. A
 * name by itself is switched on. */
typedef rdx_status (*rdx_option_fn)(void *params, const char *name, const char *value, rdx_error *err);
RDX_MUST_USE rdx_status rdx_options_of_with(const rdx_sql_statement *statement, const char *text, rdx_option_fn set,
                                            void *params, rdx_error *err);
/* From now on plans are made anew, with the definitions that there are. */
void rdx_definitions_changed(rdx_database *database);

#endif
