/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_DATABASE_DEFINITIONS_H
#define RDX_DATABASE_DEFINITIONS_H

#include "database/internal.h"

/* What a database keeps besides tables: definitions of views and indexes, each the text of its statement in a file
 * NAME.KIND of the folder, with a checksum. Without a folder they live as long as the database is open. */

typedef rdx_status (*rdx_definition_fn)(void *database, const char *name, const char *text, rdx_error *err);

/* Give each definition of a kind that the folder has to `load`. */
RDX_MUST_USE rdx_status rdx_definitions_load(rdx_database *database, const char *kind, rdx_definition_fn load,
                                             rdx_error *err);
RDX_MUST_USE rdx_status rdx_definition_write(const rdx_database *database, const char *kind, const char *name,
                                             const char *text, rdx_error *err);
RDX_MUST_USE rdx_status rdx_definition_remove(const rdx_database *database, const char *kind, const char *name,
                                              rdx_error *err);
/* An error where the folder has a file of this definition, which is not known here: another database made it. */
RDX_MUST_USE rdx_status rdx_definition_check_new(const rdx_statement *statement, const char *kind, const char *name,
                                                 rdx_error *err);
/* Set the options of a statement's WITH (name = value), of which `text` is the text: as `raydex --options` has them. A
 * name by itself is switched on. */
typedef rdx_status (*rdx_option_fn)(void *params, const char *name, const char *value, rdx_error *err);
RDX_MUST_USE rdx_status rdx_options_of_with(const rdx_sql_statement *statement, const char *text, rdx_option_fn set,
                                            void *params, rdx_error *err);
/* From now on plans are made anew, with the definitions that there are. */
void rdx_definitions_changed(rdx_database *database);

#endif
