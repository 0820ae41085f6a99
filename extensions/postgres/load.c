/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors
 *
 * Write table files. A file is complete, and takes its place, when the transaction commits. */
#include "raydex_fdw.h"

#include <access/xact.h>
#include <catalog/pg_authid.h>
#include <catalog/pg_type.h>
#include <commands/progress.h>
#include <common/string.h>
#include <executor/spi.h>
#include <fmgr.h>
#include <mb/pg_wchar.h>
#include <miscadmin.h>
#include <utils/acl.h>
#include <utils/backend_progress.h>
#include <utils/builtins.h>
#include <utils/date.h>
#include <utils/portal.h>
#include <utils/memutils.h>
#include <utils/numeric.h>
#include <utils/timestamp.h>

#define BATCH 8192
#define EPOCH_DAYS (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE)

PG_FUNCTION_INFO_V1(raydex_load);

/* The files that this transaction has written; they live in TopTransactionContext, their writers are the library's. */
typedef struct Pending {
  struct Pending *next;
  rdx_table_writer *writer;
} Pending;

static Pending *pending;
static bool registered;

static void forget_pending(void) {
  for (; pending; pending = pending->next)
    rdx_table_writer_destroy(&pending->writer);
}

static void finish_pending(void) {
  rdx_error error;
  for (Pending *p = pending; p; p = p->next) {
    const rdx_status status = rdx_table_writer_finish(p->writer, &error);
    raydex_check(status, &error, NULL);
  }
  forget_pending();
}

static void at_transaction_end(XactEvent event, void *argument) {
  (void)argument;
  if (!pending)
    return;
  if (event == XACT_EVENT_PRE_COMMIT)
    finish_pending();
  else if (event == XACT_EVENT_PRE_PREPARE)
    ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                    errmsg("a transaction that called raydex_load cannot be prepared")));
  else if (event == XACT_EVENT_ABORT)
    forget_pending();
}

/* ---- Columns ---- */

/* A numeric needs a declared scale. */
static rdx_field decimal_field(const FormData_pg_attribute *a) {
  const int precision = ((a->atttypmod - VARHDRSZ) >> 16) & 0xffff, scale = (a->atttypmod - VARHDRSZ) & 0x7ff;
  if (a->atttypmod < 0 || precision > 18 || scale > precision)
    ereport(ERROR, (errcode(ERRCODE_FDW_INVALID_DATA_TYPE),
                    errmsg("column \"%s\" is numeric of more than 18 digits, or of any", NameStr(a->attname)),
                    errhint("Cast it, as in %s::numeric(18,2).", quote_identifier(NameStr(a->attname)))));
  return (rdx_field){.name = NameStr(a->attname), .type = RDX_TYPE_DECIMAL, .scale = (uint8)scale};
}

static rdx_field field_of(TupleDesc row, int i) {
  const FormData_pg_attribute *a = TupleDescAttr(row, i);
  rdx_field field = {.name = NameStr(a->attname)};
  switch (a->atttypid) {
  case BOOLOID:
    field.type = RDX_TYPE_BOOL;
    break;
  case INT2OID:
    field.type = RDX_TYPE_I16;
    break;
  case INT4OID:
    field.type = RDX_TYPE_I32;
    break;
  case INT8OID:
    field.type = RDX_TYPE_I64;
    break;
  case FLOAT4OID:
    field.type = RDX_TYPE_F32;
    break;
  case FLOAT8OID:
    field.type = RDX_TYPE_F64;
    break;
  case DATEOID:
    field.type = RDX_TYPE_DATE;
    break;
  case TIMESTAMPOID:
  case TIMESTAMPTZOID:
    field.type = RDX_TYPE_TIMESTAMP;
    break;
  case TEXTOID:
  case VARCHAROID:
    field.type = RDX_TYPE_STRING;
    break;
  case NUMERICOID:
    return decimal_field(a);
  default:
    ereport(ERROR, (errcode(ERRCODE_FDW_INVALID_DATA_TYPE),
                    errmsg("column \"%s\" has type %s, which a table file has not", NameStr(a->attname),
                           format_type_be(a->atttypid)),
                    errhint("Cast it, as in %s::text.", quote_identifier(NameStr(a->attname)))));
  }
  return field;
}

static int64 decimal_of(Datum value, int scale) {
  Datum ten = DirectFunctionCall1(int4_numeric, Int32GetDatum(10));
  Datum power = DirectFunctionCall2(numeric_power, ten, DirectFunctionCall1(int4_numeric, Int32GetDatum(scale)));
  return DatumGetInt64(DirectFunctionCall1(numeric_int8, DirectFunctionCall2(numeric_mul, value, power)));
}

static int64 timestamp_of(Timestamp value) {
  int64 result;
  if (TIMESTAMP_NOT_FINITE(value) || __builtin_add_overflow(value, EPOCH_DAYS * USECS_PER_DAY, &result))
    ereport(ERROR, (errcode(ERRCODE_DATETIME_FIELD_OVERFLOW), errmsg("a table file has no infinite timestamps")));
  return result;
}

static int32 date_of(DateADT value) {
  if (DATE_NOT_FINITE(value))
    ereport(ERROR, (errcode(ERRCODE_DATETIME_FIELD_OVERFLOW), errmsg("a table file has no infinite dates")));
  return value + EPOCH_DAYS;
}

/* Rows that wait to be written, of one column. */
typedef struct ColumnBuffer {
  rdx_field field;
  StringInfoData values;
  uint64 offsets[BATCH + 1];
  uint8 validity[BATCH / 8];
} ColumnBuffer;

static void put_text(ColumnBuffer *b, uint64 row, Datum value, bool null) {
  if (!null) {
    const text *t = DatumGetTextPP(value);
    appendStringInfoString(&b->values, pg_server_to_any(text_to_cstring(t), (int)VARSIZE_ANY_EXHDR(t), PG_UTF8));
  }
  b->offsets[row + 1] = (uint64)b->values.len;
}

static void put_value(ColumnBuffer *b, Datum value, bool null) {
  char bytes[8] = {0};
  const int size = (int)rdx_type_size(b->field.type);
  const float8 f64 = !null && b->field.type == RDX_TYPE_F64 ? DatumGetFloat8(value) : 0;
  const float4 f32 = !null && b->field.type == RDX_TYPE_F32 ? DatumGetFloat4(value) : 0;
  int64 integer = 0;
  if (!null) {
    integer = b->field.type == RDX_TYPE_BOOL        ? DatumGetBool(value)
              : b->field.type == RDX_TYPE_I16       ? DatumGetInt16(value)
              : b->field.type == RDX_TYPE_I32       ? DatumGetInt32(value)
              : b->field.type == RDX_TYPE_DATE      ? date_of(DatumGetDateADT(value))
              : b->field.type == RDX_TYPE_TIMESTAMP ? timestamp_of(DatumGetTimestamp(value))
              : b->field.type == RDX_TYPE_DECIMAL   ? decimal_of(value, b->field.scale)
              : b->field.type == RDX_TYPE_I64       ? DatumGetInt64(value)
                                                    : 0;
  }
  const uint8 i8 = (uint8)integer;
  const int16 i16 = (int16)integer;
  const int32 i32 = (int32)integer;
  const bool floating = b->field.type == RDX_TYPE_F32 || b->field.type == RDX_TYPE_F64;
  const void *from = floating    ? (size == 8 ? (const void *)&f64 : &f32)
                     : size == 1 ? (const void *)&i8
                     : size == 2 ? (const void *)&i16
                     : size == 4 ? (const void *)&i32
                                 : &integer;
  memcpy(bytes, from, (size_t)size);
  appendBinaryStringInfo(&b->values, bytes, size);
}

static void put_row(ColumnBuffer *buffers, TupleDesc types, HeapTuple tuple, uint64 row) {
  for (int i = 0; i < types->natts; i++) {
    ColumnBuffer *b = &buffers[i];
    bool null;
    const Datum value = SPI_getbinval(tuple, types, i + 1, &null);
    if (null)
      b->validity[row / 8] &= (uint8) ~(1u << (row % 8));
    else
      b->validity[row / 8] |= (uint8)(1u << (row % 8));
    if (b->field.type == RDX_TYPE_STRING)
      put_text(b, row, value, null);
    else
      put_value(b, value, null);
  }
}

static void append_rows(rdx_table_writer *writer, ColumnBuffer *buffers, int count, uint64 rows) {
  rdx_error error;
  rdx_column *columns = palloc0(sizeof *columns * (size_t)count);
  for (int i = 0; i < count; i++) {
    ColumnBuffer *b = &buffers[i];
    columns[i] = (rdx_column){.type = b->field.type,
                              .scale = b->field.scale,
                              .rows = rows,
                              .values = b->values.data,
                              .offsets = b->field.type == RDX_TYPE_STRING ? b->offsets : NULL,
                              .validity = b->validity};
  }
  const rdx_status status = rdx_table_writer_append(writer, columns, &error);
  raydex_check(status, &error, NULL);
  for (int i = 0; i < count; i++)
    resetStringInfo(&buffers[i].values);
  pfree(columns);
}

/* ---- The function ---- */

static void check_call(const char *path) {
  if (!has_privs_of_role(GetUserId(), ROLE_PG_WRITE_SERVER_FILES))
    ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), errmsg("permission denied to write table files"),
                    errhint("Only superusers and members of pg_write_server_files may.")));
  if (!is_absolute_path(path))
    ereport(ERROR, (errcode(ERRCODE_INVALID_NAME), errmsg("file \"%s\" is no absolute path", path)));
  if (!pg_str_endswith(path, ".rdx"))
    ereport(ERROR, (errcode(ERRCODE_INVALID_NAME), errmsg("file \"%s\" has no name of a table file", path),
                    errhint("Let it end in .rdx.")));
  if (GetCurrentTransactionNestLevel() > 1)
    ereport(ERROR, (errcode(ERRCODE_ACTIVE_SQL_TRANSACTION), errmsg("raydex_load cannot run in a subtransaction"),
                    errhint("Call it outside of savepoints and of blocks with EXCEPTION.")));
}

static Pending *create_writer(const char *path, const rdx_field *fields, int count) {
  rdx_error error;
  if (!registered)
    RegisterXactCallback(at_transaction_end, NULL);
  registered = true;
  Pending *p = MemoryContextAllocZero(TopTransactionContext, sizeof *p);
  const rdx_status status = rdx_table_writer_create(path, fields, (uint32_t)count, &p->writer, &error);
  raydex_check(status, &error, NULL);
  p->next = pending;
  pending = p;
  return p;
}

/* What pg_stat_progress_copy shows, as of COPY TO a file; the end of a transaction ends that, too. */
static void start_progress(void) {
  const int places[] = {PROGRESS_COPY_COMMAND, PROGRESS_COPY_TYPE};
  const int64 values[] = {PROGRESS_COPY_COMMAND_TO, PROGRESS_COPY_TYPE_FILE};
  pgstat_progress_start_command(PROGRESS_COMMAND_COPY, InvalidOid);
  pgstat_progress_update_multi_param(lengthof(places), places, values);
}

static uint64 copy_rows(Portal portal, const char *path) {
  const TupleDesc types = portal->tupDesc;
  const int count = types->natts;
  ColumnBuffer *buffers = palloc0(sizeof *buffers * (size_t)count);
  rdx_field *fields = palloc(sizeof *fields * (size_t)count);
  for (int i = 0; i < count; i++) {
    buffers[i].field = fields[i] = field_of(types, i);
    initStringInfo(&buffers[i].values);
  }
  Pending *p = create_writer(path, fields, count);
  MemoryContext rows_context = AllocSetContextCreate(CurrentMemoryContext, "raydex rows", ALLOCSET_DEFAULT_SIZES);
  uint64 total = 0;
  start_progress();
  for (;;) {
    SPI_cursor_fetch(portal, true, BATCH);
    const uint64 rows = SPI_processed;
    MemoryContext outer = MemoryContextSwitchTo(rows_context);
    for (uint64 row = 0; row < rows; row++)
      put_row(buffers, SPI_tuptable->tupdesc, SPI_tuptable->vals[row], row);
    MemoryContextSwitchTo(outer);
    MemoryContextReset(rows_context);
    SPI_freetuptable(SPI_tuptable);
    if (rows == 0)
      break;
    append_rows(p->writer, buffers, count, rows);
    total += rows;
    pgstat_progress_update_param(PROGRESS_COPY_TUPLES_PROCESSED, (int64)total);
    CHECK_FOR_INTERRUPTS();
  }
  pgstat_progress_end_command();
  return total;
}

Datum raydex_load(PG_FUNCTION_ARGS) {
  const char *query = text_to_cstring(PG_GETARG_TEXT_PP(0)), *path = text_to_cstring(PG_GETARG_TEXT_PP(1));
  check_call(path);
  if (SPI_connect() != SPI_OK_CONNECT)
    elog(ERROR, "SPI_connect failed");
  SPIPlanPtr plan = SPI_prepare(query, 0, NULL);
  if (!plan || !SPI_is_cursor_plan(plan))
    ereport(ERROR, (errcode(ERRCODE_SYNTAX_ERROR), errmsg("raydex_load takes one query that returns rows")));
  Portal portal = SPI_cursor_open(NULL, plan, NULL, NULL, true);
  const uint64 rows = copy_rows(portal, path);
  SPI_cursor_close(portal);
  SPI_finish();
  PG_RETURN_INT64((int64)rows);
}
