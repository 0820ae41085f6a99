/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* What tables there are and what is in them: by statements of SQL, as anybody could ask. */

#include "cli/shell/shell.h"

#include <stdlib.h>
#include <string.h>

/* A type of a column as SQL names it: there are more types of columns than SQL has names for. */
static const char *type_of(const rdx_column *c, char scratch[32]) {
  static const char *const names[] = {
      [RDX_TYPE_BOOL] = "boolean",         [RDX_TYPE_I16] = "smallint",
      [RDX_TYPE_I8] = "smallint",          [RDX_TYPE_U8] = "smallint",
      [RDX_TYPE_U16] = "integer",          [RDX_TYPE_U32] = "bigint",
      [RDX_TYPE_U64] = "numeric(20,0)",    [RDX_TYPE_I32] = "integer",
      [RDX_TYPE_I64] = "bigint",           [RDX_TYPE_F32] = "real",
      [RDX_TYPE_F64] = "double precision", [RDX_TYPE_DATE] = "date",
      [RDX_TYPE_TIMESTAMP] = "timestamp",  [RDX_TYPE_STRING] = "text",
  };
  const char *name = (size_t)c->type < sizeof names / sizeof *names ? names[c->type] : NULL;
  if (c->type == RDX_TYPE_DECIMAL)
    snprintf(scratch, 32, "numeric(18,%u)", c->scale);
  else
    snprintf(scratch, 32, "%s", name ? name : rdx_type_name(c->type));
  return scratch;
}

/* Those of a materialized view. */
static rdx_table *columns_of_cube(const shell *s, const char *name) {
  rdx_statement *statement = NULL;
  rdx_answer *answer = NULL;
  rdx_table *table = NULL;
  shell_text text = {0};
  shell_print(&text, "SELECT * FROM ");
  shell_append_name(&text, name);
  shell_print(&text, " LIMIT 0");
  if (rdx_statement_prepare(s->database, text.data, NULL, &statement, NULL) == RDX_OK &&
      rdx_statement_execute(statement, &answer, NULL) == RDX_OK)
    table = rdx_answer_take_table(answer);
  rdx_answer_destroy(&answer);
  rdx_statement_destroy(&statement);
  free(text.data);
  return table;
}

rdx_status shell_columns(const shell *s, const char *name, rdx_table **out, rdx_error *err) {
  const rdx_status status = rdx_database_columns(s->database, name, out, err);
  if (status != RDX_ERROR_NOT_FOUND)
    return status;
  *out = columns_of_cube(s, name);
  return *out ? RDX_OK : status;
}

/* The same; NULL: it failed, and that was said. */
static rdx_table *find_columns(shell *s, const char *name) {
  rdx_error err = {""};
  rdx_table *table = NULL;
  const rdx_status status = shell_columns(s, name, &table, &err);
  if (status == RDX_OK)
    return table;
  shell_fail(s, status, "%s", err.text);
  return NULL;
}

/* ---- Lists ---- */

void shell_list_tables(shell *s, const char *part) {
  rdx_error err = {""};
  const char *const *names = NULL;
  uint32_t count = 0;
  const rdx_status status = rdx_database_tables(s->database, &names, &count, &err);
  if (status != RDX_OK) {
    shell_fail(s, status, "%s", err.text);
    return;
  }
  for (uint32_t i = 0; i < count; i++) {
    if (part && !strcasestr(names[i], part))
      continue;
    shell_write_escaped(shell_stream(s), names[i], strlen(names[i]), SHELL_ESCAPE_CONTROLS | SHELL_ESCAPE_BREAKS);
    fputc('\n', shell_stream(s));
  }
}

void shell_list_indexes(shell *s) {
  rdx_error err = {""};
  rdx_table_destroy(&s->last);
  const rdx_status status = rdx_database_indexes(s->database, &s->last, &err);
  s->last_explains = false;
  if (status == RDX_OK)
    shell_show(s, s->last, false);
  else
    shell_fail(s, status, "%s", err.text);
}

/* false: it is no view. */
static bool show_view(shell *s, const char *name) {
  const char *definition = NULL;
  shell_text text = {0};
  if (rdx_database_view(s->database, name, &definition, NULL) != RDX_OK || !definition)
    return false;
  size_t length = strlen(definition);
  while (length > 0 && strchr(" \t\r\n;", definition[length - 1]))
    length--;
  shell_append(&text, definition, length);
  shell_print(&text, ";\n");
  shell_write_escaped(shell_stream(s), text.data, text.size, SHELL_ESCAPE_CONTROLS);
  free(text.data);
  return true;
}

/* The type of a column as it is declared, and what else is: a declaration may begin with a type that has a limit. */
static const char *split_declaration(const rdx_table *columns, uint32_t i, char type[32]) {
  const char *declaration = rdx_table_column_declaration(columns, i), *rest = declaration ? declaration : "";
  if (strncmp(rest, "varchar(", 8) != 0 && strncmp(rest, "char(", 5) != 0 && strncmp(rest, "numeric(", 8) != 0) {
    char scratch[32];
    snprintf(type, 32, "%s", type_of(rdx_table_column(columns, i), scratch));
    return rest;
  }
  const size_t length = strcspn(rest, ")") + 1;
  snprintf(type, 32, "%.*s", (int)length, rest);
  rest += length;
  return rest + strspn(rest, " ");
}

static void show_schema(shell *s, const char *name) {
  shell_text text = {0};
  rdx_table *columns = show_view(s, name) ? NULL : find_columns(s, name);
  if (!columns)
    return;
  shell_print(&text, "CREATE TABLE ");
  shell_append_name(&text, name);
  for (uint32_t i = 0; i < rdx_table_columns(columns); i++) {
    shell_print(&text, i == 0 ? " (\n  " : ",\n  ");
    shell_append_name(&text, rdx_table_column_name(columns, i));
    char type[32];
    const char *declaration = split_declaration(columns, i, type);
    shell_print(&text, *declaration ? " %s %s" : " %s", type, declaration);
  }
  if (rdx_table_constraints(columns))
    shell_print(&text, ",\n  %s", rdx_table_constraints(columns));
  shell_print(&text, "\n);\n");
  shell_write_escaped(shell_stream(s), text.data, text.size, SHELL_ESCAPE_CONTROLS);
  free(text.data);
  rdx_table_destroy(&columns);
}

void shell_show_schema(shell *s, const char *name) {
  rdx_error err = {""};
  const char *const *names = NULL;
  uint32_t count = 0;
  if (name) {
    show_schema(s, name);
    return;
  }
  const rdx_status status = rdx_database_tables(s->database, &names, &count, &err);
  if (status != RDX_OK) {
    shell_fail(s, status, "%s", err.text);
    return;
  }
  char **copies = shell_allocate((count + 1) * sizeof *copies); /* what follows may change the list */
  for (uint32_t i = 0; i < count; i++)
    copies[i] = shell_copy(names[i]);
  for (uint32_t i = 0; i < count && !s->done && !s->cancelled; i++)
    show_schema(s, copies[i]);
  for (uint32_t i = 0; i < count; i++)
    free(copies[i]);
  free(copies);
}

/* ---- DESCRIBE and SUMMARIZE ---- */

/* Show what was written as CSV as the answer. */
static void show_csv(shell *s, shell_text *csv, const rdx_csv_type *types, size_t count) {
  rdx_error err = {""};
  const rdx_csv_params params = {.delimiter = ',', .types = types, .type_count = count};
  rdx_table_destroy(&s->last);
  const rdx_status status = rdx_table_parse_csv("the description", csv->data, csv->size, &params, &s->last, &err);
  s->last_explains = false;
  if (status == RDX_OK)
    shell_show(s, s->last, false);
  else
    shell_fail(s, status, "%s", err.text);
}

static void append_field(shell_text *csv, const char *text, uint64_t length) {
  shell_append(csv, "\"", 1);
  for (uint64_t i = 0; i < length; i++)
    shell_append(csv, text[i] == '"' ? "\"\"" : &text[i], text[i] == '"' ? 2 : 1);
  shell_append(csv, "\"", 1);
}

void shell_describe_table(shell *s, const char *name) {
  static const rdx_csv_type types[] = {
      {"column", RDX_TYPE_STRING, 0}, {"type", RDX_TYPE_STRING, 0}, {"declared", RDX_TYPE_STRING, 0}};
  shell_text csv = {0};
  bool declared = false;
  char type[32];
  rdx_table *columns = find_columns(s, name);
  if (!columns)
    return;
  for (uint32_t i = 0; i < rdx_table_columns(columns); i++)
    declared |= *split_declaration(columns, i, type) != '\0';
  shell_print(&csv, declared ? "column,type,declared\n" : "column,type\n");
  for (uint32_t i = 0; i < rdx_table_columns(columns); i++) {
    const char *column = rdx_table_column_name(columns, i), *declaration = split_declaration(columns, i, type);
    append_field(&csv, column, strlen(column));
    shell_print(&csv, ",\"%s\"%s", type, declared ? "," : "");
    if (declared)
      append_field(&csv, declaration, strlen(declaration));
    shell_append(&csv, "\n", 1);
  }
  show_csv(s, &csv, types, declared ? 3 : 2);
  rdx_table_destroy(&columns);
  free(csv.data);
}

/* The statement that sums a column up: values, NULLs, distinct values, the smallest, the largest and the mean. */
static void append_summary_query(shell_text *text, const char *table, const char *name, const rdx_column *c) {
  const bool is_bool = c->type == RDX_TYPE_BOOL;
  shell_text column = {0};
  shell_append_name(&column, name);
  shell_print(text, "SELECT count(%s), count(*) - count(%s), count(DISTINCT %s), %s(%s), %s(%s)", column.data,
              column.data, column.data, is_bool ? "bool_and" : "min", column.data, is_bool ? "bool_or" : "max",
              column.data);
  if (shell_is_number(c->type))
    shell_print(text, ", avg(%s)", column.data);
  shell_print(text, " FROM ");
  shell_append_name(text, table);
  free(column.data);
}

static void append_value(shell_text *csv, const rdx_table *row, uint32_t index) {
  char scratch[RDX_VALUE_TEXT];
  uint64_t length;
  const rdx_column *c = rdx_table_column(row, index);
  const char *text = c ? shell_value(c, 0, scratch, &length) : NULL;
  shell_append(csv, ",", 1);
  if (text)
    append_field(csv, text, length);
}

/* false: it failed. */
static bool summarize(shell *s, const char *table, const rdx_table *columns, uint32_t index, shell_text *csv) {
  const char *name = rdx_table_column_name(columns, index);
  const rdx_column *c = rdx_table_column(columns, index);
  shell_text text = {0};
  char type[32];
  append_summary_query(&text, table, name, c);
  rdx_table *row = shell_query(s, text.data);
  free(text.data);
  if (!row)
    return false;
  append_field(csv, name, strlen(name));
  shell_print(csv, ",\"%s\"", type_of(c, type));
  for (uint32_t i = 0; i < 6; i++)
    append_value(csv, row, i);
  shell_append(csv, "\n", 1);
  rdx_table_destroy(&row);
  return true;
}

static void summarize_table(shell *s, const char *name) {
  static const rdx_csv_type types[] = {{"column", RDX_TYPE_STRING, 0}, {"type", RDX_TYPE_STRING, 0},
                                       {"count", RDX_TYPE_I64, 0},     {"nulls", RDX_TYPE_I64, 0},
                                       {"distinct", RDX_TYPE_I64, 0},  {"min", RDX_TYPE_STRING, 0},
                                       {"max", RDX_TYPE_STRING, 0},    {"avg", RDX_TYPE_F64, 0}};
  shell_text csv = {0};
  rdx_table *columns = find_columns(s, name);
  if (!columns)
    return;
  shell_print(&csv, "column,type,count,nulls,distinct,min,max,avg\n");
  bool going = true;
  for (uint32_t i = 0; going && i < rdx_table_columns(columns); i++)
    going = summarize(s, name, columns, i, &csv);
  if (going)
    show_csv(s, &csv, types, sizeof types / sizeof *types);
  rdx_table_destroy(&columns);
  free(csv.data);
}

/* The name that follows a word, as SQL has it: as written in quotes of either kind, else in lower case. What follows it
 * is at most a semicolon. NULL: that is no name; free() it. */
static char *parse_name(const char *text) {
  text += strspn(text, " \t\r\n");
  const char quote = *text == '"' || *text == '\'' ? *text : '\0';
  shell_text name = {0};
  if (quote) {
    for (text++; *text && (*text != quote || text[1] == quote); text++) {
      text += *text == quote;
      shell_append(&name, text, 1);
    }
    text += *text == quote;
  } else {
    for (; *text && !strchr(" \t\r\n;\"'()", *text); text++)
      shell_append(&name, (const char[]){*text >= 'A' && *text <= 'Z' ? (char)(*text - 'A' + 'a') : *text}, 1);
  }
  text += strspn(text, " \t\r\n");
  text += *text == ';';
  if (name.size > 0 && !text[strspn(text, " \t\r\n")])
    return name.data;
  free(name.data);
  return NULL;
}

bool shell_describe(shell *s, const char *text) {
  const bool summarizes = shell_starts_with(text, "SUMMARIZE");
  if (!summarizes && !shell_starts_with(text, "DESCRIBE"))
    return false;
  size_t length;
  const char *word = shell_first_word(text, &length);
  char *name = parse_name(word + length);
  if (!name)
    shell_fail(s, RDX_ERROR_FORMAT, "%s takes the name of one table, such as %s orders",
               summarizes ? "SUMMARIZE" : "DESCRIBE", summarizes ? "SUMMARIZE" : "DESCRIBE");
  else if (summarizes)
    summarize_table(s, name);
  else
    shell_describe_table(s, name);
  free(name);
  return true;
}
