/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "raydex_fdw.h"

#include <unistd.h>

#include <foreign/foreign.h>
#include <utils/builtins.h>

/* A name that is too long for the server is cut there. */
static void append_column(StringInfo out, const char *name, const char *declaration) {
  appendStringInfo(out, "%s %s", quote_identifier(name), declaration);
  if (strlen(name) >= NAMEDATALEN)
    appendStringInfo(out, " OPTIONS (\"column\" %s)", quote_literal_cstr(name));
}

static void append_table(StringInfo out, const char *folder, const char *name, const char *server) {
  const RaydexTable *t = raydex_table_find(folder, name);
  appendStringInfo(out, "CREATE FOREIGN TABLE %s (", quote_identifier(name));
  for (int i = 0; i < t->count; i++) {
    appendStringInfoString(out, i > 0 ? ", " : "");
    append_column(out, t->names[i], raydex_declaration(t->types[i], t->scales[i]));
  }
  appendStringInfo(out, ") SERVER %s OPTIONS (\"table\" %s)", quote_identifier(server), quote_literal_cstr(name));
}

/* What cannot be read, or planned, is left out with a warning that says why; false: it is. */
static bool try_append(StringInfo out, const char *folder, const char *name, const char *server) {
  MemoryContext context = CurrentMemoryContext;
  volatile bool done = false;
  PG_TRY();
  {
    if (raydex_table_exists(folder, name)) {
      append_table(out, folder, name, server);
      done = true;
    }
  }
  PG_CATCH();
  {
    MemoryContextSwitchTo(context);
    ErrorData *error = CopyErrorData();
    const int state = error->sqlerrcode;
    if (state != ERRCODE_DATA_CORRUPTED && state != ERRCODE_IO_ERROR && state != ERRCODE_FDW_TABLE_NOT_FOUND &&
        state != ERRCODE_FDW_ERROR && state != ERRCODE_INSUFFICIENT_PRIVILEGE)
      PG_RE_THROW();
    FlushErrorState();
    ereport(WARNING, (errcode(state), errmsg("\"%s\" is left out: %s", name, error->message),
                      error->hint ? errhint("%s", error->hint) : 0));
    FreeErrorData(error);
  }
  PG_END_TRY();
  return done;
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
  if (access(folder, R_OK | X_OK) != 0)
    ereport(ERROR, (errcode_for_file_access(), errmsg("could not read folder \"%s\": %m", folder)));
  raydex_check(rdx_database_tables(database, &names, &count, &error), &error, NULL);
  for (uint32_t i = 0; i < count; i++)
    wanted = lappend(wanted, pstrdup(names[i]));
  ListCell *cell;
  foreach (cell, wanted) {
    StringInfoData command;
    const char *name = lfirst(cell);
    if (!IsImportableForeignTable(name, statement))
      continue;
    initStringInfo(&command);
    if (try_append(&command, folder, name, statement->server_name))
      commands = lappend(commands, command.data);
  }
  return commands;
}
