/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The modes of output. */

#include "cli/shell/format.h"
#include "cli/shell/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const mode_names[SHELL_MODES] = {[SHELL_AUTO] = "auto",
                                                    [SHELL_BOX] = "box",
                                                    [SHELL_CSV] = "csv",
                                                    [SHELL_JSON] = "json",
                                                    [SHELL_JSONLINES] = "jsonlines",
                                                    [SHELL_LINE] = "line",
                                                    [SHELL_LIST] = "list",
                                                    [SHELL_MARKDOWN] = "markdown",
                                                    [SHELL_TABS] = "tabs"};

const char *shell_mode_name(shell_mode mode) {
  return mode_names[mode];
}

bool shell_mode_from_name(const char *name, shell_mode *out, console_guess *guess) {
  for (int i = 0; i < SHELL_MODES; i++) {
    if (strcmp(name, mode_names[i]) == 0) {
      *out = (shell_mode)i;
      return true;
    }
    console_nearest(name, mode_names[i], guess);
  }
  return false;
}

shell_mode shell_mode_of(const shell_format *format) {
  return format->mode != SHELL_AUTO ? format->mode : format->terminal ? SHELL_BOX : SHELL_CSV;
}

typedef struct writer {
  console_output *out;
  FILE *stream;
  const rdx_table *table;
  uint32_t columns;
  const char *separator, *null;
  shell_mode mode;
  shell_escapes escapes; /* 0: none */
  char **names;          /* of JSON: no two alike */
  uint64_t name_width;   /* of lines */
} writer;

static void write_text(const writer *w, const char *text, uint64_t length) {
  if (w->escapes)
    shell_write_escaped(w->stream, text, length, w->escapes);
  else
    fwrite(text, 1, length, w->stream);
}

/* ---- CSV, lists, tabs: fields with something between them ---- */

/* As PostgreSQL's COPY writes it. */
static void write_tab_field(const writer *w, const char *text, uint64_t length) {
  static const char special[] = "\t\n\r\\", shown[] = "tnr\\";
  for (uint64_t i = 0; i < length;) {
    uint64_t plain = i;
    while (plain < length && (!text[plain] || !strchr(special, text[plain])))
      plain++;
    write_text(w, text + i, plain - i);
    if (plain < length)
      fprintf(w->stream, "\\%c", shown[strchr(special, text[plain]) - special]);
    i = plain + 1;
  }
}

/* In quotes, too, where it would stand for NULL. */
static void write_csv_field(const writer *w, const char *text, uint64_t length) {
  if (rdx_csv_needs_quotes(text, length, w->separator[0], w->columns == 1) ||
      (strlen(w->null) == length && memcmp(text, w->null, length) == 0))
    console_write_quoted(w->stream, text, length);
  else
    fwrite(text, 1, length, w->stream);
}

/* A field of CSV on a terminal may hold what the terminal would obey: escaped it is another text, but shown. */
static void write_csv_on_terminal(const writer *w, const char *text, uint64_t length) {
  char *shown = NULL;
  size_t size = 0;
  FILE *memory = open_memstream(&shown, &size);
  if (!memory)
    return;
  shell_write_escaped(memory, text, length, w->escapes);
  if (fclose(memory) == 0)
    write_csv_field(w, shown, size);
  free(shown);
}

static void write_field(const writer *w, const char *text, uint64_t length) {
  if (w->mode == SHELL_TABS)
    write_tab_field(w, text, length);
  else if (w->mode != SHELL_CSV)
    write_text(w, text, length);
  else if (w->escapes)
    write_csv_on_terminal(w, text, length);
  else
    write_csv_field(w, text, length);
}

static void write_field_names(const writer *w) {
  for (uint32_t i = 0; i < w->columns; i++) {
    const char *name = rdx_table_column_name(w->table, i);
    if (i > 0)
      fputs(w->separator, w->stream);
    write_field(w, name, strlen(name));
  }
  fputc('\n', w->stream);
}

static void write_fields(const writer *w, uint64_t row) {
  char scratch[RDX_VALUE_TEXT];
  for (uint32_t i = 0; i < w->columns; i++) {
    uint64_t length;
    const char *text = shell_value(rdx_table_column(w->table, i), row, scratch, &length);
    if (i > 0)
      fputs(w->separator, w->stream);
    if (text)
      write_field(w, text, length);
    else
      fputs(w->null, w->stream);
  }
  fputc('\n', w->stream);
}

/* ---- JSON ---- */

/* Names of columns that no two have: "sum", "sum_2". */
static void name_columns(writer *w) {
  w->names = shell_allocate((w->columns + 1) * sizeof *w->names);
  for (uint32_t i = 0; i < w->columns; i++) {
    const char *name = rdx_table_column_name(w->table, i);
    const size_t size = strlen(name) + 16;
    w->names[i] = shell_allocate(size);
    snprintf(w->names[i], size, "%s", name);
    for (uint32_t k = 0, number = 2; k < i; k++) {
      if (strcmp(w->names[k], w->names[i]) != 0)
        continue;
      snprintf(w->names[i], size, "%s_%u", name, number++);
      k = UINT32_MAX; /* from the start again */
    }
  }
}

static void forget_names(writer *w) {
  for (uint32_t i = 0; w->names && i < w->columns; i++)
    free(w->names[i]);
  free(w->names);
}

/* JSON has no NaN and no infinities: they are strings, as PostgreSQL has them. */
static const char *not_finite(const rdx_column *c, uint64_t row) {
  const double value = c->type == RDX_TYPE_F64   ? ((const double *)c->values)[row]
                       : c->type == RDX_TYPE_F32 ? (double)((const float *)c->values)[row]
                                                 : 0;
  return isnan(value) ? "NaN" : !isinf(value) ? NULL : value < 0 ? "-Infinity" : "Infinity";
}

static void write_json_value(const writer *w, const rdx_column *c, uint64_t row) {
  char scratch[RDX_VALUE_TEXT];
  uint64_t length;
  const char *text = shell_value(c, row, scratch, &length), *word = text ? not_finite(c, row) : "null";
  if (!text)
    fputs(word, w->stream);
  else if (word)
    fprintf(w->stream, "\"%s\"", word);
  else if (c->type == RDX_TYPE_BOOL || shell_is_number(c->type))
    fwrite(text, 1, length, w->stream);
  else
    shell_write_json_string(w->stream, text, length);
}

static void write_object(const writer *w, uint64_t row) {
  fputc('{', w->stream);
  for (uint32_t i = 0; i < w->columns; i++) {
    if (i > 0)
      fputc(',', w->stream);
    shell_write_json_string(w->stream, w->names[i], strlen(w->names[i]));
    fputc(':', w->stream);
    write_json_value(w, rdx_table_column(w->table, i), row);
  }
  fputc('}', w->stream);
  if (w->mode == SHELL_JSONLINES)
    fputc('\n', w->stream);
  else if (row + 1 < rdx_table_rows(w->table))
    fputs(",\n", w->stream);
}

/* ---- Lines: a value each ---- */

static void measure_names(writer *w) {
  for (uint32_t i = 0; i < w->columns; i++) {
    const char *name = rdx_table_column_name(w->table, i);
    const uint64_t width = shell_width(name, strlen(name), w->escapes);
    w->name_width = width > w->name_width ? width : w->name_width;
  }
}

static void write_named_values(const writer *w, uint64_t row) {
  char scratch[RDX_VALUE_TEXT];
  if (row > 0)
    fputc('\n', w->stream);
  for (uint32_t i = 0; i < w->columns; i++) {
    const char *name = rdx_table_column_name(w->table, i);
    uint64_t length;
    const char *text = shell_value(rdx_table_column(w->table, i), row, scratch, &length);
    for (uint64_t k = shell_width(name, strlen(name), w->escapes); k < w->name_width; k++)
      fputc(' ', w->stream);
    write_text(w, name, strlen(name));
    fputs(" = ", w->stream);
    if (text)
      write_text(w, text, length);
    else
      fputs(w->null, w->stream);
    fputc('\n', w->stream);
  }
}

/* ---- All of them ---- */

static void write_all(writer *w, bool header) {
  const bool json = w->mode == SHELL_JSON || w->mode == SHELL_JSONLINES;
  const uint64_t rows = rdx_table_rows(w->table);
  if (json)
    name_columns(w);
  else if (w->mode == SHELL_LINE)
    measure_names(w);
  else if (header)
    write_field_names(w);
  if (w->mode == SHELL_JSON)
    fputc('[', w->stream);
  for (uint64_t row = 0; row < rows && !console_output_stopped(w->out); row++) {
    if (json)
      write_object(w, row);
    else if (w->mode == SHELL_LINE)
      write_named_values(w, row);
    else
      write_fields(w, row);
  }
  if (w->mode == SHELL_JSON)
    fputs("]\n", w->stream);
  forget_names(w);
}

static const char *separator_of(shell_mode mode, const shell_format *format) {
  return mode == SHELL_TABS ? "\t" : format->separator ? format->separator : mode == SHELL_CSV ? "," : "|";
}

void shell_write_table(console_output *out, const rdx_table *table, const shell_format *format) {
  const shell_mode mode = shell_mode_of(format);
  if (mode == SHELL_BOX || mode == SHELL_MARKDOWN) {
    shell_write_box(out, table, format);
    return;
  }
  writer w = {.out = out,
              .stream = out->stream,
              .table = table,
              .columns = rdx_table_columns(table),
              .separator = separator_of(mode, format),
              .null = format->null         ? format->null
                      : mode == SHELL_TABS ? "\\N"
                      : mode == SHELL_LINE ? "NULL"
                                           : "",
              .mode = mode,
              .escapes = format->terminal ? SHELL_ESCAPE_CONTROLS : 0};
  write_all(&w, format->header);
}

void shell_write_lines(console_output *out, const rdx_table *table, const shell_format *format) {
  const rdx_column *c = rdx_table_column(table, 0);
  char scratch[RDX_VALUE_TEXT];
  for (uint64_t row = 0; c && row < c->rows && !console_output_stopped(out); row++) {
    uint64_t length;
    const char *text = shell_value(c, row, scratch, &length);
    if (text && format->terminal)
      shell_write_escaped(out->stream, text, length, SHELL_ESCAPE_CONTROLS);
    else if (text)
      fwrite(text, 1, length, out->stream);
    fputc('\n', out->stream);
  }
}
