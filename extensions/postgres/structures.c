/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors
 *
 * What is prepared for a server: definitions in its folder, and what is in memory. */
#include "raydex_fdw.h"

#include <sys/stat.h>

#include <catalog/pg_foreign_server.h>
#include <fmgr.h>
#include <foreign/foreign.h>
#include <funcapi.h>
#include <miscadmin.h>
#include <utils/acl.h>
#include <utils/builtins.h>
#include <utils/timestamp.h>

PG_FUNCTION_INFO_V1(raydex_structures);

/* The columns of the function. */
enum { NAME, KIND, TABLES, COLUMNS, METHOD, LOCATION, BYTES, USES, LAST_USE, COLUMN_COUNT };

typedef struct Line {
  Datum values[COLUMN_COUNT];
  bool nulls[COLUMN_COUNT];
} Line;

static void set_text(Line *line, int place, const rdx_column *column, uint64 row) {
  uint64_t length = 0;
  line->nulls[place] = raydex_is_null(column, row);
  if (line->nulls[place])
    return;
  const char *text = rdx_column_string(column, row, &length);
  line->values[place] = PointerGetDatum(cstring_to_text_with_len(text, (int)length));
}

static Line start_line(const char *location) {
  Line line;
  memset(&line, 0, sizeof line);
  memset(line.nulls, true, sizeof line.nulls);
  line.values[LOCATION] = CStringGetTextDatum(location);
  line.nulls[LOCATION] = false;
  return line;
}

static void put_line(const ReturnSetInfo *result, Line *line) {
  tuplestore_putvalues(result->setResult, result->setDesc, line->values, line->nulls);
}

/* Definitions: what rdx_database_indexes() tells. */
static void put_definitions(const ReturnSetInfo *result, const rdx_table *table) {
  static const int places[] = {NAME, KIND, TABLES, METHOD, COLUMNS};
  for (uint64 row = 0; row < rdx_table_rows(table); row++) {
    Line line = start_line("folder");
    for (uint32 i = 0; i < lengthof(places); i++)
      set_text(&line, places[i], rdx_table_column(table, i), row);
    put_line(result, &line);
  }
}

/* What rdx_database_prepared() tells. */
static void put_prepared(const ReturnSetInfo *result, const rdx_column *columns, const char *location) {
  static const int places[] = {KIND, NAME, TABLES, COLUMNS, METHOD};
  for (uint64 row = 0; row < columns[0].rows; row++) {
    Line line = start_line(location);
    for (uint32 i = 0; i < lengthof(places); i++)
      set_text(&line, places[i], &columns[i], row);
    const double idle_ms = ((const double *)columns[7].values)[row];
    line.values[BYTES] = Int64GetDatum((int64)((const uint64 *)columns[5].values)[row]);
    line.values[USES] = Int64GetDatum((int64)((const uint64 *)columns[6].values)[row]);
    line.values[LAST_USE] = TimestampTzGetDatum(GetCurrentTimestamp() - (TimestampTz)(idle_ms * 1000));
    line.nulls[BYTES] = line.nulls[USES] = line.nulls[LAST_USE] = false;
    put_line(result, &line);
  }
}

/* A table of the library's, destroyed whatever becomes of its rows. */
static void put_table(const ReturnSetInfo *result, rdx_table *table, const char *location) {
  PG_TRY();
  {
    if (location) {
      rdx_column *columns = palloc(sizeof *columns * rdx_table_columns(table));
      for (uint32 i = 0; i < rdx_table_columns(table); i++)
        columns[i] = *rdx_table_column(table, i);
      put_prepared(result, columns, location);
    } else {
      put_definitions(result, table);
    }
  }
  PG_CATCH();
  {
    rdx_table_destroy(&table);
    PG_RE_THROW();
  }
  PG_END_TRY();
  rdx_table_destroy(&table);
}

/* The map goes whatever becomes of the rows. */
static void put_worker(const ReturnSetInfo *result, const char *folder) {
  RaydexResult prepared;
  if (!raydex_ask_prepared(folder, &prepared))
    return;
  PG_TRY();
  { put_prepared(result, prepared.columns, "worker"); }
  PG_CATCH();
  {
    raydex_result_free(&prepared);
    PG_RE_THROW();
  }
  PG_END_TRY();
  raydex_result_free(&prepared);
}

Datum raydex_structures(PG_FUNCTION_ARGS) {
  const char *name = NameStr(*PG_GETARG_NAME(0));
  ForeignServer *server = GetForeignServerByName(name, false);
  rdx_table *table = NULL;
  rdx_error error;
  struct stat s;
  InitMaterializedSRF(fcinfo, 0);
  const ReturnSetInfo *result = (ReturnSetInfo *)fcinfo->resultinfo;
  const char *folder = raydex_folder_of_server(server->serverid);
  if (!raydex_may_use_server(server->serverid))
    aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_FOREIGN_SERVER, name);
  if (!folder || stat(folder, &s) != 0)
    return (Datum)0;
  rdx_database *database = raydex_database(folder);
  raydex_check(rdx_database_indexes(database, &table, &error), &error, NULL);
  put_table(result, table, NULL);
  raydex_check(rdx_database_prepared(database, &table, &error), &error, NULL);
  put_table(result, table, "session");
  put_worker(result, folder);
  return (Datum)0;
}
