/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors
 *
 * The table raydex.parts: which foreign tables stand for a distributed table or dimension. */
#include "distribution.h"

#include <access/genam.h>
#include <access/stratnum.h>
#include <access/table.h>
#include <access/xact.h>
#include <catalog/namespace.h>
#include <catalog/pg_authid.h>
#include <catalog/pg_class.h>
#include <catalog/pg_type.h>
#include <commands/defrem.h>
#include <commands/trigger.h>
#include <executor/spi.h>
#include <fmgr.h>
#include <foreign/foreign.h>
#include <miscadmin.h>
#include <utils/acl.h>
#include <utils/builtins.h>
#include <utils/fmgroids.h>
#include <utils/inval.h>
#include <utils/lsyscache.h>
#include <utils/rel.h>
#include <utils/syscache.h>

#include "raydex_fdw.h"

PG_FUNCTION_INFO_V1(raydex_mark_changed);
PG_FUNCTION_INFO_V1(raydex_forget_plans);
PG_FUNCTION_INFO_V1(raydex_remove_file);
PG_FUNCTION_INFO_V1(raydex_in_transaction_block);

/* Columns of raydex.parts. */
enum { PARTS_RELATION = 1, PARTS_SERVER, PARTS_PART, PARTS_SHARDS, PARTS_CHANGED };

static Oid owner_of(Oid relation) {
  HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
  if (!HeapTupleIsValid(tuple))
    return InvalidOid;
  const Oid owner = ((Form_pg_class)GETSTRUCT(tuple))->relowner;
  ReleaseSysCache(tuple);
  return owner;
}

/* A foreign table of another owner is not to be read with the rights to `relation`. */
static RaydexPart *read_part(Relation parts, HeapTuple tuple, Oid owner, bool *changed) {
  bool null;
  const TupleDesc row = RelationGetDescr(parts);
  const Oid table = DatumGetObjectId(heap_getattr(tuple, PARTS_PART, row, &null));
  if (null || get_rel_relkind(table) != RELKIND_FOREIGN_TABLE || owner_of(table) != owner)
    return NULL;
  *changed = *changed || DatumGetBool(heap_getattr(tuple, PARTS_CHANGED, row, &null));
  RaydexPart *part = palloc0(sizeof *part);
  part->server = GetForeignTable(table)->serverid;
  part->table = table;
  (void)heap_getattr(tuple, PARTS_SHARDS, row, &part->whole);
  return part;
}

/* The newest of what is committed is read, as it is for the definitions of tables: a plan fits them. */
List *raydex_parts(Oid relation) {
  const Oid schema = get_namespace_oid("raydex", true);
  const Oid table = OidIsValid(schema) ? get_relname_relid("parts", schema) : InvalidOid;
  const Oid index = OidIsValid(schema) ? get_relname_relid("parts_pkey", schema) : InvalidOid;
  const Oid owner = owner_of(relation);
  List *result = NIL;
  bool complete = true, changed = false;
  HeapTuple tuple;
  ScanKeyData key;
  if (!OidIsValid(table) || !OidIsValid(index))
    return NIL;
  Relation parts = table_open(table, AccessShareLock);
  ScanKeyInit(&key, PARTS_RELATION, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(relation));
  SysScanDesc scan = systable_beginscan(parts, index, true, NULL, 1, &key);
  while (HeapTupleIsValid(tuple = systable_getnext(scan))) {
    RaydexPart *part = read_part(parts, tuple, owner, &changed);
    complete = complete && part;
    result = lappend(result, part);
  }
  systable_endscan(scan);
  table_close(parts, AccessShareLock);
  return complete && !changed ? result : NIL;
}

/* ---- Changes of dimensions ---- */

/* AFTER a statement has changed a dimension: the copies are older than it, until raydex.refresh(). */
Datum raydex_mark_changed(PG_FUNCTION_ARGS) {
  if (!CALLED_AS_TRIGGER(fcinfo))
    ereport(ERROR,
            (errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED), errmsg("mark_changed is a trigger's function")));
  const TriggerData *trigger = (TriggerData *)fcinfo->context;
  const Oid relation = RelationGetRelid(trigger->tg_relation);
  Datum value = ObjectIdGetDatum(relation);
  Oid type = OIDOID;
  if (SPI_connect() != SPI_OK_CONNECT)
    elog(ERROR, "SPI_connect failed");
  if (SPI_execute_with_args("UPDATE raydex.parts SET changed = true WHERE relation = $1 AND NOT changed", 1, &type,
                            &value, NULL, false, 0) < 0)
    elog(ERROR, "raydex.parts could not be changed");
  SPI_finish();
  CacheInvalidateRelcacheByRelid(relation);
  return PointerGetDatum(NULL);
}

/* Plans that were made before the parts of a table have changed must not be used again. */
Datum raydex_forget_plans(PG_FUNCTION_ARGS) {
  CacheInvalidateRelcacheByRelid(PG_GETARG_OID(0));
  PG_RETURN_VOID();
}

Datum raydex_in_transaction_block(PG_FUNCTION_ARGS) {
  PG_RETURN_BOOL(IsTransactionBlock());
}

/* ---- Files ---- */

/* Remove a table file from the folder of a server; true: it was there. */
Datum raydex_remove_file(PG_FUNCTION_ARGS) {
  const char *server = NameStr(*PG_GETARG_NAME(0)), *name = text_to_cstring(PG_GETARG_TEXT_PP(1));
  if (!has_privs_of_role(GetUserId(), ROLE_PG_WRITE_SERVER_FILES))
    ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), errmsg("permission denied to remove table files"),
                    errhint("Only superusers and members of pg_write_server_files may.")));
  if (*name == '\0' || *name == '.' || strchr(name, '/'))
    ereport(ERROR, (errcode(ERRCODE_INVALID_NAME), errmsg("invalid name \"%s\"", name)));
  const char *folder = raydex_folder_of_server(GetForeignServerByName(server, false)->serverid);
  const char *path = psprintf("%s/%s.rdx", folder ? folder : "", name);
  if (unlink(path) == 0)
    PG_RETURN_BOOL(true);
  if (errno != ENOENT)
    ereport(ERROR, (errcode_for_file_access(), errmsg("could not remove file \"%s\": %m", path)));
  PG_RETURN_BOOL(false);
}
