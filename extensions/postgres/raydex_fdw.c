/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "raydex_fdw.h"
#include "distribution.h"

#include <catalog/pg_attribute.h>
#include <catalog/pg_authid.h>
#include <catalog/pg_foreign_data_wrapper.h>
#include <catalog/pg_foreign_server.h>
#include <catalog/pg_foreign_table.h>
#include <access/reloptions.h>
#include <commands/defrem.h>
#include <fmgr.h>
#include <miscadmin.h>
#include <utils/acl.h>
#include <utils/guc.h>

PG_MODULE_MAGIC;

void _PG_init(void);
PG_FUNCTION_INFO_V1(raydex_fdw_handler);
PG_FUNCTION_INFO_V1(raydex_fdw_validator);

bool raydex_pushdown = true;
int raydex_threads = 0;
bool raydex_count_rays = false;

void _PG_init(void) {
  DefineCustomBoolVariable("raydex.pushdown", "Lets Raydex answer conditions, joins and groups.",
                           "Off: foreign tables are read, and PostgreSQL does the rest.", &raydex_pushdown, true,
                           PGC_USERSET, GUC_EXPLAIN, NULL, NULL, NULL);
  DefineCustomIntVariable("raydex.threads", "Threads of Raydex in each backend; 0: one for each core.",
                          "It counts from the first query of a session on.", &raydex_threads, 0, 0, 1024, PGC_USERSET,
                          0, NULL, NULL, NULL);
  DefineCustomBoolVariable("raydex.count_rays", "Counts the rays of queries, for EXPLAIN and raydex_stats.",
                           "Methods that cast rays run a second time for it.", &raydex_count_rays, false, PGC_USERSET,
                           0, NULL, NULL, NULL);
  DefineCustomBoolVariable("raydex.two_level", "Lets nodes group what is distributed over them.",
                           "Off: their rows come here.", &raydex_two_level, true, PGC_USERSET, GUC_EXPLAIN, NULL, NULL,
                           NULL);
  raydex_worker_init();
  MarkGUCPrefixReserved("raydex");
  raydex_rewrite_init();
  raydex_nodes_init();
}

Datum raydex_fdw_handler(PG_FUNCTION_ARGS) {
  FdwRoutine *routine = makeNode(FdwRoutine);
  routine->GetForeignRelSize = raydex_rel_size;
  routine->GetForeignPaths = raydex_base_paths;
  routine->GetForeignPlan = raydex_make_plan;
  routine->GetForeignJoinPaths = raydex_join_paths;
  routine->GetForeignUpperPaths = raydex_upper_paths;
  routine->BeginForeignScan = raydex_begin;
  routine->IterateForeignScan = raydex_iterate;
  routine->ReScanForeignScan = raydex_rescan;
  routine->EndForeignScan = raydex_end;
  routine->ExplainForeignScan = raydex_explain;
  routine->ImportForeignSchema = raydex_import;
  routine->AnalyzeForeignTable = raydex_analyze;
  PG_RETURN_POINTER(routine);
}

typedef struct Option {
  const char *name;
  Oid catalog;
  const char *level;
} Option;

static const Option options[] = {
    {"folder", ForeignServerRelationId, "server"},
    {"table", ForeignTableRelationId, "foreign table"},
    {"column", AttributeRelationId, "column"},
};

static void refuse_option(const char *name, Oid catalog) {
  const char *there = NULL;
  for (size_t i = 0; i < lengthof(options); i++) {
    if (strcmp(options[i].name, name) == 0)
      ereport(ERROR, (errcode(ERRCODE_FDW_INVALID_OPTION_NAME), errmsg("invalid option \"%s\" here", name),
                      errhint("\"%s\" is an option of a %s.", name, options[i].level)));
    if (options[i].catalog == catalog)
      there = options[i].name;
  }
  ereport(ERROR, (errcode(ERRCODE_FDW_INVALID_OPTION_NAME), errmsg("invalid option \"%s\"", name),
                  there ? errhint("The option here is \"%s\".", there) : errhint("There are no options here.")));
}

/* A server reads files as the server does, so who makes one must be allowed to. */
static void check_folder(const char *folder) {
  if (!has_privs_of_role(GetUserId(), ROLE_PG_READ_SERVER_FILES))
    ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), errmsg("permission denied to set option \"folder\""),
                    errhint("Only superusers and members of pg_read_server_files may.")));
  if (!is_absolute_path(folder))
    ereport(ERROR, (errcode(ERRCODE_FDW_INVALID_ATTRIBUTE_VALUE), errmsg("folder \"%s\" is no absolute path", folder),
                    errhint("Write all of it, from / on.")));
}

static void check_table(const char *table) {
  if (*table == '\0' || *table == '.' || strchr(table, '/'))
    ereport(ERROR, (errcode(ERRCODE_FDW_INVALID_ATTRIBUTE_VALUE), errmsg("invalid table \"%s\"", table),
                    errhint("A table is the name of a file in the server's folder, without its end .rdx.")));
}

Datum raydex_fdw_validator(PG_FUNCTION_ARGS) {
  List *given = untransformRelOptions(PG_GETARG_DATUM(0));
  const Oid catalog = PG_GETARG_OID(1);
  bool folder = false;
  ListCell *cell;
  foreach (cell, given) {
    DefElem *option = lfirst(cell);
    bool found = false;
    for (size_t i = 0; i < lengthof(options); i++)
      found = found || (options[i].catalog == catalog && strcmp(options[i].name, option->defname) == 0);
    if (!found)
      refuse_option(option->defname, catalog);
    if (catalog == ForeignServerRelationId) {
      check_folder(defGetString(option));
      folder = true;
    } else if (catalog == ForeignTableRelationId) {
      check_table(defGetString(option));
    }
  }
  if (catalog == ForeignServerRelationId && !folder)
    ereport(ERROR, (errcode(ERRCODE_FDW_DYNAMIC_PARAMETER_VALUE_NEEDED), errmsg("option \"folder\" is missing"),
                    errhint("Write OPTIONS (folder '/path/to/table/files').")));
  PG_RETURN_VOID();
}
