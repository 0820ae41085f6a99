/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* information_schema.tables, .columns and .table_constraints: views whose texts list what there is. */

#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "database/schema.h"

#define SCHEMA "information_schema."

/* ---- What is listed ---- */

/* What SQL calls a type of columns, and the digits that the standard has of it; below 0: none. */
typedef struct type_words {
  const char *name;
  int precision, scale, of_seconds;
} type_words;

static type_words words_of(const rdx_column *c) {
  static const type_words words[] = {
      [RDX_TYPE_BOOL] = {"boolean", -1, -1, -1},
      [RDX_TYPE_I8] = {"smallint", 16, 0, -1},
      [RDX_TYPE_U8] = {"smallint", 16, 0, -1},
      [RDX_TYPE_I16] = {"smallint", 16, 0, -1},
      [RDX_TYPE_U16] = {"integer", 32, 0, -1},
      [RDX_TYPE_I32] = {"integer", 32, 0, -1},
      [RDX_TYPE_U32] = {"bigint", 64, 0, -1},
      [RDX_TYPE_I64] = {"bigint", 64, 0, -1},
      [RDX_TYPE_U64] = {"numeric", 20, 0, -1},
      [RDX_TYPE_F32] = {"real", 24, -1, -1},
      [RDX_TYPE_F64] = {"double precision", 53, -1, -1},
      [RDX_TYPE_DATE] = {"date", -1, -1, 0},
      [RDX_TYPE_TIMESTAMP] = {"timestamp without time zone", -1, -1, 6},
      [RDX_TYPE_STRING] = {"text", -1, -1, -1},
  };
  if (c->type == RDX_TYPE_DECIMAL)
    return (type_words){"numeric", 18, c->scale, -1};
  return (size_t)c->type < RDX_COUNT(words) && words[c->type].name ? words[c->type]
                                                                   : (type_words){rdx_type_name(c->type), -1, -1, -1};
}

static void put_number(rdx_printed *to, int number) {
  if (number < 0)
    rdx_print(to, ", NULL");
  else
    rdx_print(to, ", %d", number);
}

static void put_value(rdx_printed *to, const char *text) {
  rdx_print(to, ", ");
  if (text)
    rdx_print_quoted(to, text, '\'');
  else
    rdx_print(to, "NULL");
}

/* `bits`: of the column's type. */
static void put_identity(rdx_printed *to, const rdx_sql_identity *identity, uint32_t bits) {
  const rdx_sql_numbers numbers = identity ? rdx_sql_numbers_of(identity, bits) : (rdx_sql_numbers){0};
  const int64_t list[] = {identity ? identity->start : 0, numbers.step, numbers.max, numbers.min};
  char text[44];
  put_value(to, identity ? "YES" : "NO");
  put_value(to, !identity ? NULL : identity->always ? "ALWAYS" : "BY DEFAULT");
  for (size_t i = 0; i < RDX_COUNT(list); i++)
    put_value(to, identity ? rdx_sql_number_text(list[i], text) : NULL);
  put_value(to, identity && identity->cycles ? "YES" : "NO");
}

static rdx_status put_column(rdx_printed *to, const char *table, const rdx_table *columns, uint32_t i, rdx_arena *arena,
                             rdx_error *err) {
  type_words words = words_of(rdx_table_column(columns, i));
  const char *limited = NULL;
  rdx_sql_column declared;
  RDX_TRY(rdx_sql_parse_declaration(rdx_table_column_declaration(columns, i), arena, &declared, err));
  const int32_t max = rdx_sql_column_limit(&declared, &limited);
  const bool digits = rdx_table_column(columns, i)->type == RDX_TYPE_DECIMAL;
  if (digits && limited)
    words.precision = max;
  rdx_print(to, "%s(", to->size > 0 ? ", " : "");
  rdx_print_quoted(to, table, '\'');
  put_value(to, rdx_table_column_name(columns, i));
  rdx_print(to, ", %u", i + 1);
  put_value(to, declared.value_text);
  rdx_print(to, ", '%s', '%s'", declared.not_null ? "NO" : "YES", limited ? limited : words.name);
  put_number(to, limited && !digits ? max : -1);
  put_number(to, words.precision);
  put_number(to, words.scale);
  put_number(to, words.of_seconds);
  put_identity(to, declared.identity, (uint32_t)words.precision);
  put_value(to, declared.generated ? "ALWAYS" : "NEVER");
  put_value(to, declared.generated ? declared.generated->check_text : NULL);
  rdx_print(to, ")");
  return to->status;
}

/* A file that cannot be read, or a view of what is gone, has no columns. */
static rdx_status put_columns(rdx_database *d, const char *name, rdx_printed *to, rdx_error *err) {
  RDX_SCOPED(rdx_table_destroy) rdx_table *columns = NULL;
  RDX_SCOPED(rdx_arena_free) rdx_arena arena = {0};
  const rdx_status status = rdx_columns_list(d, name, &columns, err);
  if (status == RDX_ERROR_MEMORY || status == RDX_ERROR_CANCELLED)
    return status;
  for (uint32_t i = 0; i < rdx_table_columns(columns); i++)
    RDX_TRY(put_column(to, name, columns, i, &arena, err));
  return RDX_OK;
}

static rdx_status put_constraints(rdx_database *d, const char *name, rdx_printed *to, rdx_error *err) {
  static const char *const kinds[] = {"PRIMARY KEY", "UNIQUE", "CHECK"};
  RDX_SCOPED(rdx_table_destroy) rdx_table *columns = NULL;
  RDX_SCOPED(rdx_arena_free) rdx_arena arena = {0};
  rdx_sql_constraint *list = NULL;
  uint32_t count = 0;
  const rdx_status status = rdx_columns_list(d, name, &columns, err);
  if (status == RDX_ERROR_MEMORY || status == RDX_ERROR_CANCELLED)
    return status;
  RDX_TRY(rdx_sql_parse_constraints(rdx_table_constraints(columns), &arena, &list, &count, err));
  for (uint32_t i = 0; i < count; i++) {
    rdx_print(to, "%s(", to->size > 0 ? ", " : "");
    rdx_print_quoted(to, name, '\'');
    rdx_print(to, ", ");
    rdx_print_quoted(to, list[i].name, '\'');
    rdx_print(to, ", '%s')", kinds[list[i].kind]);
  }
  return to->status;
}

/* A file that cannot be read is one, too. */
static rdx_status put_table(rdx_database *d, const char *name, rdx_printed *to, rdx_error *err) {
  RDX_SCOPED(rdx_catalog_release) rdx_catalog_table *table = NULL;
  char nearest[64];
  const bool view = rdx_defined_has(d, name, true);
  const rdx_status status = view ? RDX_OK : rdx_catalog_find(d->catalog, name, &table, nearest, err);
  if (status == RDX_ERROR_MEMORY || status == RDX_ERROR_CANCELLED)
    return status;
  rdx_print(to, "%s(", to->size > 0 ? ", " : "");
  rdx_print_quoted(to, name, '\'');
  rdx_print(to, ", '%s')", view ? "VIEW" : table && table->temporary ? "LOCAL TEMPORARY" : "BASE TABLE");
  return to->status;
}

/* ---- The views ---- */

static const struct view {
  const char *name;
  rdx_status (*put)(rdx_database *d, const char *name, rdx_printed *to, rdx_error *err);
  const char *list;         /* of SELECT */
  const char *names, *none; /* of its rows' values, and a row where there are none */
} views[] = {
    {SCHEMA "tables", put_table,
     "'raydex' AS table_catalog, 'public' AS table_schema, t::text AS table_name, k::text AS table_type", "t, k",
     "(NULL, NULL)"},
    {SCHEMA "columns", put_columns,
     "'raydex' AS table_catalog, 'public' AS table_schema, t::text AS table_name, c::text AS column_name, "
     "n::integer AS ordinal_position, d::text AS column_default, y::text AS is_nullable, k::text AS data_type, "
     "m::integer AS character_maximum_length, p::integer AS numeric_precision, s::integer AS numeric_scale, "
     "f::integer AS datetime_precision, i::text AS is_identity, j::text AS identity_generation, "
     "b::text AS identity_start, l::text AS identity_increment, h::text AS identity_maximum, "
     "o::text AS identity_minimum, r::text AS identity_cycle, g::text AS is_generated, e::text AS "
     "generation_expression",
     "t, c, n, d, y, k, m, p, s, f, i, j, b, l, h, o, r, g, e",
     "(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, "
     "NULL)"},
    {SCHEMA "table_constraints", put_constraints,
     "'raydex' AS constraint_catalog, 'public' AS constraint_schema, c::text AS constraint_name, "
     "'raydex' AS table_catalog, 'public' AS table_schema, t::text AS table_name, k::text AS constraint_type",
     "t, c, k", "(NULL, NULL, NULL)"},
};

/* The rows of a view: tables and views by their names. */
static rdx_status put_rows(rdx_database *d, const struct view *v, rdx_printed *to, rdx_error *err) {
  RDX_SCOPED(rdx_catalog_names_free) char **names = NULL;
  uint32_t count = 0;
  RDX_TRY(rdx_catalog_names(d->catalog, &names, err));
  while (names[count])
    count++;
  RDX_TRY(rdx_defined_add_names(d, &names, count, err));
  while (names[count])
    count++;
  qsort(names, count, sizeof *names, rdx_words_order);
  for (uint32_t i = 0; i < count; i++)
    RDX_TRY(v->put(d, names[i], to, err));
  return RDX_OK;
}

static rdx_status write_view(rdx_database *d, const struct view *v, rdx_arena *arena, const char **out,
                             rdx_error *err) {
  RDX_SCOPED(rdx_printed_free) rdx_printed rows = {.err = err}, text = {.err = err};
  RDX_TRY(put_rows(d, v, &rows, err));
  rdx_print(&text, "CREATE VIEW \"%s\" AS SELECT %s FROM (VALUES ", v->name, v->list);
  rdx_print(&text, "%s) AS v (%s)%s", rows.size > 0 ? rows.data : v->none, v->names,
            rows.size > 0 ? "" : " WHERE false");
  RDX_TRY(text.status);
  return rdx_arena_text(arena, text.data, "a view", out, err);
}

rdx_status rdx_schema_find(rdx_database *d, const char *name, rdx_arena *arena, rdx_view_text *out, rdx_error *err) {
  for (size_t i = 0; i < RDX_COUNT(views); i++) {
    if (strcmp(views[i].name, name) != 0)
      continue;
    out->name = views[i].name;
    out->lists = true;
    return write_view(d, &views[i], arena, &out->text, err);
  }
  return RDX_OK;
}
