/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "raydex_fdw.h"

#include <foreign/foreign.h>
#include <utils/builtins.h>

static void append_table(StringInfo out, const char *folder, const char *name, const char *server) {
  const RaydexTable *t = raydex_table_find(folder, name);
  appendStringInfo(out, "CREATE FOREIGN TABLE %s (", quote_identifier(name));
  for (int i = 0; i < t->count; i++)
    appendStringInfo(out, "%s%s %s", i > 0 ? ", " : "", quote_identifier(t->names[i]),
                     raydex_declaration(t->types[i], t->scales[i]));
  appendStringInfo(out, ") SERVER %s OPTIONS (\"table\" %s)", quote_identifier(server), quote_literal_cstr(name));
}

/* The name of the remote schema says nothing: a folder is one. */
List *raydex_import(ImportForeignSchemaStmt *statement, Oid server) {
  const char *folder = raydex_folder_of_server(server);
  rdx_database *database = raydex_database(folder);
  const char *const *names;
  uint32_t count;
  rdx_error error;
  List *commands = NIL, *wanted = NIL;
  if (statement->options)
    ereport(ERROR, (errcode(ERRCODE_FDW_INVALID_OPTION_NAME), errmsg("IMPORT FOREIGN SCHEMA has no options here")));
  raydex_check(rdx_database_tables(database, &names, &count, &error), &error, NULL);
  for (uint32_t i = 0; i < count; i++)
    wanted = lappend(wanted, pstrdup(names[i]));
  ListCell *cell;
  foreach (cell, wanted) {
    StringInfoData command;
    const char *name = lfirst(cell);
    if (!IsImportableForeignTable(name, statement) || !raydex_table_exists(folder, name))
      continue;
    initStringInfo(&command);
    append_table(&command, folder, name, statement->server_name);
    commands = lappend(commands, command.data);
  }
  return commands;
}
