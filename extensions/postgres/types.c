/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "raydex_fdw.h"

#include <math.h>

#include <catalog/namespace.h>
#include <catalog/pg_type.h>
#include <common/shortest_dec.h>
#include <datatype/timestamp.h>
#include <fmgr.h>
#include <mb/pg_wchar.h>
#include <utils/builtins.h>
#include <utils/date.h>
#include <utils/datetime.h>
#include <utils/memutils.h>
#include <utils/numeric.h>
#include <utils/timestamp.h>

/* From 1970-01-01 to 2000-01-01. */
#define EPOCH_DAYS (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE)
#define EPOCH_MICROSECONDS ((int64)EPOCH_DAYS * USECS_PER_DAY)

const char *raydex_declaration(rdx_type type, uint8 scale) {
  switch (type) {
  case RDX_TYPE_BOOL:
    return "boolean";
  case RDX_TYPE_I8:
  case RDX_TYPE_U8:
  case RDX_TYPE_I16:
    return "smallint";
  case RDX_TYPE_U16:
  case RDX_TYPE_I32:
    return "integer";
  case RDX_TYPE_U32:
  case RDX_TYPE_I64:
    return "bigint";
  case RDX_TYPE_U64:
    return "numeric(20,0)";
  case RDX_TYPE_F32:
    return "real";
  case RDX_TYPE_F64:
    return "double precision";
  case RDX_TYPE_DATE:
    return "date";
  case RDX_TYPE_TIMESTAMP:
    return "timestamp with time zone";
  case RDX_TYPE_DECIMAL:
    return psprintf("numeric(18,%d)", scale);
  default: /* ordered by its bytes */
    return "text COLLATE \"C\"";
  }
}

static bool numeric_fits(int32 typmod, int scale) {
  return typmod < 0 || ((typmod - VARHDRSZ) & 0x7ff) == scale;
}

bool raydex_type_fits(rdx_type type, uint8 scale, Oid declared, int32 typmod) {
  switch (type) {
  case RDX_TYPE_BOOL:
    return declared == BOOLOID;
  case RDX_TYPE_I8:
  case RDX_TYPE_U8:
  case RDX_TYPE_I16:
    return declared == INT2OID;
  case RDX_TYPE_U16:
  case RDX_TYPE_I32:
    return declared == INT4OID;
  case RDX_TYPE_U32:
  case RDX_TYPE_I64:
    return declared == INT8OID;
  case RDX_TYPE_U64:
  case RDX_TYPE_DECIMAL:
    return declared == NUMERICOID && numeric_fits(typmod, scale);
  case RDX_TYPE_F32:
    return declared == FLOAT4OID;
  case RDX_TYPE_F64:
    return declared == FLOAT8OID;
  case RDX_TYPE_DATE:
    return declared == DATEOID;
  case RDX_TYPE_TIMESTAMP:
    return (declared == TIMESTAMPTZOID || declared == TIMESTAMPOID) && typmod < 0;
  case RDX_TYPE_STRING:
    return declared == TEXTOID || (declared == VARCHAROID && typmod < 0);
  default:
    return false;
  }
}

bool raydex_type_known(Oid type) {
  switch (type) {
  case BOOLOID:
  case INT2OID:
  case INT4OID:
  case INT8OID:
  case FLOAT4OID:
  case FLOAT8OID:
  case NUMERICOID:
  case DATEOID:
  case TIMESTAMPOID:
  case TIMESTAMPTZOID:
  case TEXTOID:
  case VARCHAROID:
    return true;
  default:
    return false;
  }
}

/* ---- Values of results ---- */

static void misfit(const rdx_column *column, Oid type) {
  ereport(ERROR,
          (errcode(ERRCODE_FDW_INVALID_DATA_TYPE),
           errmsg("a value of type %s came where %s is expected", rdx_type_name(column->type), format_type_be(type)),
           errhint("The table file may have changed: IMPORT FOREIGN SCHEMA declares it anew.")));
}

/* An integer of any type but u64. */
static int64 get_integer(const rdx_column *column, uint64 row, Oid type) {
  switch (column->type) {
  case RDX_TYPE_I8:
    return ((const int8 *)column->values)[row];
  case RDX_TYPE_U8:
    return ((const uint8 *)column->values)[row];
  case RDX_TYPE_I16:
    return ((const int16 *)column->values)[row];
  case RDX_TYPE_U16:
    return ((const uint16 *)column->values)[row];
  case RDX_TYPE_I32:
    return ((const int32 *)column->values)[row];
  case RDX_TYPE_U32:
    return ((const uint32 *)column->values)[row];
  case RDX_TYPE_DECIMAL:
  case RDX_TYPE_I64:
    return ((const int64 *)column->values)[row];
  default:
    misfit(column, type);
    return 0;
  }
}

static Datum get_numeric(const rdx_column *column, uint64 row) {
  if (column->type == RDX_TYPE_U64) {
    char text[24];
    snprintf(text, sizeof text, UINT64_FORMAT, ((const uint64 *)column->values)[row]);
    return DirectFunctionCall3(numeric_in, CStringGetDatum(text), ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
  }
  const int64 value = get_integer(column, row, NUMERICOID);
  if (column->type == RDX_TYPE_DECIMAL && column->scale > 0)
    return NumericGetDatum(int64_div_fast_to_numeric(value, column->scale));
  return NumericGetDatum(int64_to_numeric(value));
}

static Datum get_small(const rdx_column *column, uint64 row, Oid type) {
  const int64 value = column->type == RDX_TYPE_DECIMAL && column->scale > 0 ? (misfit(column, type), 0)
                                                                            : get_integer(column, row, type);
  if (type == INT8OID)
    return Int64GetDatum(value);
  if ((type == INT4OID && (value < PG_INT32_MIN || value > PG_INT32_MAX)) ||
      (type == INT2OID && (value < PG_INT16_MIN || value > PG_INT16_MAX)))
    ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE), errmsg("%s out of range", format_type_be(type))));
  return type == INT4OID ? Int32GetDatum((int32)value) : Int16GetDatum((int16)value);
}

static Datum get_float(const rdx_column *column, uint64 row, Oid type) {
  if (column->type != RDX_TYPE_F32 && column->type != RDX_TYPE_F64)
    misfit(column, type);
  const double value =
      column->type == RDX_TYPE_F32 ? ((const float *)column->values)[row] : ((const double *)column->values)[row];
  if (type == FLOAT8OID)
    return Float8GetDatum(value);
  if (isinf((float4)value) && !isinf(value))
    ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE), errmsg("value out of range: overflow")));
  return Float4GetDatum((float4)value);
}

static Datum get_date(const rdx_column *column, uint64 row) {
  if (column->type != RDX_TYPE_DATE)
    misfit(column, DATEOID);
  const int64 days = (int64)((const int32 *)column->values)[row] - EPOCH_DAYS;
  if (days < PG_INT32_MIN || !IS_VALID_DATE(days))
    ereport(ERROR, (errcode(ERRCODE_DATETIME_FIELD_OVERFLOW), errmsg("date out of range in a table file")));
  return DateADTGetDatum((DateADT)days);
}

static Datum get_timestamp(const rdx_column *column, uint64 row, Oid type) {
  int64 value;
  if (column->type != RDX_TYPE_TIMESTAMP)
    misfit(column, type);
  if (__builtin_sub_overflow(((const int64 *)column->values)[row], EPOCH_MICROSECONDS, &value) ||
      !IS_VALID_TIMESTAMP(value))
    ereport(ERROR, (errcode(ERRCODE_DATETIME_FIELD_OVERFLOW), errmsg("timestamp out of range in a table file")));
  return TimestampTzGetDatum(value);
}

static Datum get_text(const rdx_column *column, uint64 row, Oid type) {
  uint64 length = 0;
  if (column->type != RDX_TYPE_STRING)
    misfit(column, type);
  const char *bytes = rdx_column_string(column, row, &length);
  if (length > MaxAllocSize / 4)
    ereport(ERROR,
            (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("a text of " UINT64_FORMAT " bytes is too long", length)));
  /* pg_any_to_server() wants an end, and verifies that the bytes are UTF-8 without NUL. */
  char *copy = pnstrdup(bytes, length);
  if (strlen(copy) != length)
    ereport(ERROR, (errcode(ERRCODE_CHARACTER_NOT_IN_REPERTOIRE), errmsg("a text of a table file holds a NUL")));
  const char *converted = pg_any_to_server(copy, (int)length, PG_UTF8);
  return PointerGetDatum(cstring_to_text(converted));
}

Datum raydex_datum(const rdx_column *column, uint64 row, Oid type) {
  switch (type) {
  case BOOLOID:
    if (column->type != RDX_TYPE_BOOL)
      misfit(column, type);
    return BoolGetDatum(((const uint8 *)column->values)[row] != 0);
  case INT2OID:
  case INT4OID:
  case INT8OID:
    return get_small(column, row, type);
  case FLOAT4OID:
  case FLOAT8OID:
    return get_float(column, row, type);
  case NUMERICOID:
    return get_numeric(column, row);
  case DATEOID:
    return get_date(column, row);
  case TIMESTAMPOID:
  case TIMESTAMPTZOID:
    return get_timestamp(column, row, type);
  case TEXTOID:
  case VARCHAROID:
    return get_text(column, row, type);
  default:
    misfit(column, type);
    return (Datum)0;
  }
}

/* ---- Literals ---- */

/* NULL: what another encoding has for it is nothing in UTF-8. */
static const char *to_utf8(const char *text) {
  const int encoding = GetDatabaseEncoding(), length = (int)strlen(text);
  if (encoding == PG_UTF8)
    return text;
  if (encoding == PG_SQL_ASCII)
    return pg_verify_mbstr(PG_UTF8, text, length, true) ? text : NULL;
  const Oid conversion = FindDefaultConversionProc(encoding, PG_UTF8);
  const int size = length * MAX_CONVERSION_GROWTH + 1;
  unsigned char *out = palloc((Size)size);
  if (!OidIsValid(conversion) || pg_do_encoding_conversion_buf(conversion, encoding, PG_UTF8, (unsigned char *)text,
                                                               length, out, size, true) != length)
    return NULL;
  return (const char *)out;
}

static bool write_text(StringInfo out, const char *text) {
  text = to_utf8(text);
  if (!text)
    return false;
  appendStringInfoChar(out, '\'');
  for (; *text; text++) {
    if (*text == '\'')
      appendStringInfoChar(out, '\'');
    appendStringInfoChar(out, *text);
  }
  appendStringInfoChar(out, '\'');
  return true;
}

static void write_float(StringInfo out, double value, bool single) {
  char text[DOUBLE_SHORTEST_DECIMAL_LEN];
  if (isnan(value))
    strcpy(text, "NaN");
  else if (isinf(value))
    strcpy(text, value > 0 ? "Infinity" : "-Infinity");
  else if (single)
    float_to_shortest_decimal_buf((float)value, text);
  else
    double_to_shortest_decimal_buf(value, text);
  appendStringInfo(out, "CAST('%s' AS %s)", text, single ? "real" : "double precision");
}

/* What is beyond all decimals may be a double: its order to them is the same. */
bool raydex_literal_beyond(StringInfo out, Datum value) {
  const double number = DatumGetFloat8(DirectFunctionCall1(numeric_float8, value));
  if (fabs(number) < 1e20)
    return false;
  write_float(out, number, false);
  return true;
}

static bool write_numeric(StringInfo out, Datum value) {
  const char *text = DatumGetCString(DirectFunctionCall1(numeric_out, value));
  int digits = 0;
  for (const char *p = text; *p; p++) {
    if (*p >= '0' && *p <= '9')
      digits++;
    else if (*p != '-' && *p != '.')
      return false;
  }
  if (digits > 36)
    return false;
  appendStringInfo(out, *text == '-' ? "(%s)" : "%s", text);
  return true;
}

static bool write_date(StringInfo out, DateADT date) {
  int year, month, day;
  if (DATE_NOT_FINITE(date))
    return false;
  j2date(date + POSTGRES_EPOCH_JDATE, &year, &month, &day);
  if (year < 1 || year > 9999)
    return false;
  appendStringInfo(out, "DATE '%04d-%02d-%02d'", year, month, day);
  return true;
}

static bool write_timestamp(StringInfo out, Timestamp value) {
  struct pg_tm tm;
  fsec_t fraction;
  if (TIMESTAMP_NOT_FINITE(value) || timestamp2tm(value, NULL, &tm, &fraction, NULL, NULL) != 0 || tm.tm_year < 1 ||
      tm.tm_year > 9999)
    return false;
  appendStringInfo(out, "TIMESTAMP '%04d-%02d-%02d %02d:%02d:%02d.%06d'", tm.tm_year, tm.tm_mon, tm.tm_mday, tm.tm_hour,
                   tm.tm_min, tm.tm_sec, (int)fraction);
  return true;
}

static const char *cast_name(Oid type) {
  switch (type) {
  case TIMESTAMPTZOID:
    return "timestamp";
  case NUMERICOID:
    return "numeric(18,0)";
  case VARCHAROID:
    return "text";
  default:
    return format_type_be(type);
  }
}

bool raydex_literal(StringInfo out, Oid type, Datum value, bool null) {
  if (null) {
    appendStringInfo(out, "CAST(NULL AS %s)", cast_name(type));
    return true;
  }
  switch (type) {
  case BOOLOID:
    appendStringInfoString(out, DatumGetBool(value) ? "true" : "false");
    return true;
  case INT2OID:
    appendStringInfo(out, "CAST(%d AS smallint)", DatumGetInt16(value));
    return true;
  case INT4OID:
    appendStringInfo(out, DatumGetInt32(value) < 0 ? "CAST('%d' AS integer)" : "%d", DatumGetInt32(value));
    return true;
  case INT8OID:
    appendStringInfo(out, "CAST('" INT64_FORMAT "' AS bigint)", DatumGetInt64(value));
    return true;
  case FLOAT4OID:
    write_float(out, DatumGetFloat4(value), true);
    return true;
  case FLOAT8OID:
    write_float(out, DatumGetFloat8(value), false);
    return true;
  case NUMERICOID:
    return write_numeric(out, value);
  case DATEOID:
    return write_date(out, DatumGetDateADT(value));
  case TIMESTAMPOID:
  case TIMESTAMPTZOID:
    return write_timestamp(out, DatumGetTimestamp(value));
  case TEXTOID:
  case VARCHAROID:
    return write_text(out, TextDatumGetCString(value));
  case UNKNOWNOID: /* a literal */
    return write_text(out, DatumGetCString(value));
  default:
    return false;
  }
}

void raydex_quote(StringInfo out, const char *name) {
  appendStringInfoChar(out, '"');
  for (; *name; name++) {
    if (*name == '"')
      appendStringInfoChar(out, '"');
    appendStringInfoChar(out, *name);
  }
  appendStringInfoChar(out, '"');
}
