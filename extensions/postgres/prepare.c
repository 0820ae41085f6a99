/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors
 *
 * Cubes of a folder, which answer queries over its tables. */
#include "raydex_fdw.h"

#include <catalog/pg_authid.h>
#include <fmgr.h>
#include <foreign/foreign.h>
#include <miscadmin.h>
#include <utils/acl.h>
#include <utils/builtins.h>

PG_FUNCTION_INFO_V1(raydex_prepare);

/* A statement alone: nothing but blanks may follow it. */
static rdx_status run_statement(rdx_database *database, const char *sql, rdx_statement **statement, rdx_answer **answer,
                                rdx_error *error) {
  const char *rest = NULL;
  const rdx_status status = rdx_statement_prepare(database, sql, &rest, statement, error);
  if (status != RDX_OK)
    return status;
  if (*rest) {
    snprintf(error->text, sizeof error->text, "there is more than one query");
    return RDX_ERROR_ARGUMENT;
  }
  return rdx_statement_execute(*statement, answer, error);
}

static void create_view(const char *folder, const char *sql) {
  rdx_database *database = NULL;
  rdx_statement *statement = NULL;
  rdx_answer *answer = NULL;
  rdx_error error;
  sigset_t old;
  const rdx_database_params params = {.safe = true};
  rdx_device *device = raydex_device();
  raydex_block_signals(&old);
  rdx_status status = rdx_database_open(device, folder, &params, &database, &error);
  raydex_unblock_signals(&old);
  if (status == RDX_OK)
    status = run_statement(database, sql, &statement, &answer, &error);
  rdx_answer_destroy(&answer);
  rdx_statement_destroy(&statement);
  rdx_database_close(&database);
  raydex_check(status, &error, sql);
}

Datum raydex_prepare(PG_FUNCTION_ARGS) {
  const char *server = NameStr(*PG_GETARG_NAME(0)), *name = text_to_cstring(PG_GETARG_TEXT_PP(1));
  const char *query = text_to_cstring(PG_GETARG_TEXT_PP(2)), *method = text_to_cstring(PG_GETARG_TEXT_PP(3));
  StringInfoData sql;
  if (!has_privs_of_role(GetUserId(), ROLE_PG_WRITE_SERVER_FILES))
    ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), errmsg("permission denied to write into folders"),
                    errhint("Only superusers and members of pg_write_server_files may.")));
  if (*name == '\0' || *name == '.' || strchr(name, '/'))
    ereport(ERROR, (errcode(ERRCODE_INVALID_NAME), errmsg("invalid name \"%s\"", name)));
  const Oid id = GetForeignServerByName(server, false)->serverid;
  if (!raydex_may_use_server(id))
    aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_FOREIGN_SERVER, server);
  const char *folder = raydex_folder_of_server(id);
  initStringInfo(&sql);
  appendStringInfoString(&sql, "CREATE MATERIALIZED VIEW ");
  raydex_quote(&sql, name);
  appendStringInfoString(&sql, " USING ");
  raydex_quote(&sql, method);
  appendStringInfo(&sql, " AS %s", query);
  create_view(folder, sql.data);
  PG_RETURN_VOID();
}
