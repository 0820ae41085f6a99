/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Tables with lines around them, and tables of Markdown: all values of a column are as wide as the widest one. Where a
 * box would be wider than the terminal its widest columns are shortened, and where that is not enough those in the
 * middle are left out. */

#include "cli/shell/format.h"
#include "cli/shell/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NARROWEST = 5 };

#define LEFT_OUT UINT32_MAX
#define ELLIPSIS "\xe2\x80\xa6"
static const shell_escapes escapes = SHELL_ESCAPE_CONTROLS | SHELL_ESCAPE_BREAKS;

typedef struct box {
  console_output *out;
  FILE *stream;
  const rdx_table *table;
  const shell_format *format;
  const char *null;
  bool markdown;
  uint32_t *columns; /* those shown; LEFT_OUT stands for the others */
  uint64_t *widths;
  uint32_t count;
  uint64_t head, tail; /* rows shown from the start and to the end */
} box;

static void choose_rows(const rdx_table *table, const shell_format *format, uint64_t *head, uint64_t *tail) {
  const uint64_t rows = rdx_table_rows(table), max = format->mode == SHELL_MARKDOWN ? 0 : format->max_rows;
  const bool all = max == 0 || rows <= max;
  *head = all ? rows : (max + 1) / 2;
  *tail = all ? 0 : max / 2;
}

uint64_t shell_box_lines(const rdx_table *table, const shell_format *format) {
  uint64_t head, tail;
  choose_rows(table, format, &head, &tail);
  return head + tail + (format->header ? 4 : 2) + (head < rdx_table_rows(table) ? 2 : 0);
}

static bool skips_rows(const box *b) {
  return b->head < rdx_table_rows(b->table);
}

/* ---- Cells ---- */

/* A character of a cell: in Markdown a | would end it. */
static uint64_t next_glyph(const box *b, const char *text, uint64_t length, shell_glyph *glyph) {
  const uint64_t used = shell_next_glyph(text, length, escapes, glyph);
  if (b->markdown && *text == '|') {
    glyph->bytes = "\\|";
    glyph->size = glyph->width = 2;
  }
  return used;
}

static uint64_t width_of(const box *b, const char *text, uint64_t length) {
  uint64_t width = 0;
  shell_glyph glyph;
  for (uint64_t at = 0; at < length; width += glyph.width)
    at += next_glyph(b, text + at, length - at, &glyph);
  return width;
}

static void pad(const box *b, uint64_t width) {
  for (; width > 0; width--)
    fputc(' ', b->stream);
}

static void write_cell(const box *b, const char *text, uint64_t length, uint64_t width, bool right) {
  const uint64_t wanted = width_of(b, text, length);
  const bool cut = wanted > width;
  const uint64_t max = cut ? width - 1 : width;
  uint64_t used = 0;
  shell_glyph glyph;
  if (right && !cut)
    pad(b, width - wanted);
  for (uint64_t at = 0; at < length; used += glyph.width) {
    at += next_glyph(b, text + at, length - at, &glyph);
    if (used + glyph.width > max)
      break;
    fwrite(glyph.bytes, 1, glyph.size, b->stream);
  }
  if (cut) {
    fputs(ELLIPSIS, b->stream);
    pad(b, max - used);
  } else if (!right) {
    pad(b, width - wanted);
  }
}

static const rdx_column *column_of(const box *b, uint32_t i) {
  return b->columns[i] == LEFT_OUT ? NULL : rdx_table_column(b->table, b->columns[i]);
}

static const char *cell_of(const box *b, const rdx_column *c, uint64_t row, char scratch[RDX_VALUE_TEXT],
                           uint64_t *length) {
  const char *text = c ? shell_value(c, row, scratch, length) : ELLIPSIS;
  if (c && text)
    return text;
  text = text ? text : b->null;
  *length = strlen(text);
  return text;
}

/* ---- Widths ---- */

static void measure_rows(box *b, uint32_t i, uint64_t begin, uint64_t end) {
  const rdx_column *c = column_of(b, i);
  char scratch[RDX_VALUE_TEXT];
  for (uint64_t row = begin; row < end && !console_interrupted(); row++) {
    uint64_t length;
    const char *text = cell_of(b, c, row, scratch, &length);
    const uint64_t width = width_of(b, text, length);
    if (width > b->widths[i])
      b->widths[i] = width;
  }
}

static void measure(box *b) {
  const uint64_t rows = rdx_table_rows(b->table);
  for (uint32_t i = 0; i < b->count; i++) {
    const char *name = rdx_table_column_name(b->table, i);
    b->columns[i] = i;
    b->widths[i] = b->markdown ? 3 : 1;
    if (b->format->header && width_of(b, name, strlen(name)) > b->widths[i])
      b->widths[i] = width_of(b, name, strlen(name));
    measure_rows(b, i, 0, b->head);
    measure_rows(b, i, rows - b->tail, rows);
  }
}

static uint64_t total_width(const box *b, uint64_t max) {
  uint64_t width = 1;
  for (uint32_t i = 0; i < b->count; i++)
    width += 3 + (b->widths[i] < max ? b->widths[i] : max);
  return width;
}

/* Leave out columns in the middle, one after the other. */
static void drop_columns(box *b, uint64_t width) {
  uint32_t middle = b->count / 2;
  if (b->count < 3 || total_width(b, NARROWEST) <= width)
    return;
  b->columns[middle] = LEFT_OUT;
  b->widths[middle] = 1;
  while (b->count > 3 && total_width(b, NARROWEST) > width) {
    const uint32_t gone = middle >= b->count - middle ? middle - 1 : middle + 1; /* of the longer side */
    memmove(b->columns + gone, b->columns + gone + 1, (b->count - gone - 1) * sizeof *b->columns);
    memmove(b->widths + gone, b->widths + gone + 1, (b->count - gone - 1) * sizeof *b->widths);
    b->count--;
    middle -= gone < middle;
  }
}

/* Shorten the widest columns to one width, or that and one more. */
static void fit(box *b) {
  const uint64_t width = b->format->width;
  if (width == 0 || b->markdown || total_width(b, UINT64_MAX) <= width)
    return;
  drop_columns(b, width);
  uint64_t max = NARROWEST;
  while (total_width(b, max + 1) <= width && max < width)
    max++;
  const uint64_t narrow = total_width(b, max);
  uint64_t spare = width > narrow ? width - narrow : 0;
  for (uint32_t i = 0; i < b->count; i++) {
    if (b->widths[i] <= max)
      continue;
    b->widths[i] = max + (spare > 0);
    spare -= spare > 0;
  }
}

/* ---- Lines ---- */

static void write_rule(const box *b, const char *left, const char *between, const char *right) {
  for (uint32_t i = 0; i < b->count; i++) {
    fputs(i == 0 ? left : between, b->stream);
    for (uint64_t k = 0; k < b->widths[i] + 2; k++)
      fputs("\xe2\x94\x80", b->stream);
  }
  fprintf(b->stream, "%s\n", right);
}

static void write_markdown_rule(const box *b) {
  for (uint32_t i = 0; i < b->count; i++) {
    const rdx_column *c = column_of(b, i);
    const bool right = c && shell_is_number(c->type);
    fputc('|', b->stream);
    for (uint64_t k = 0; k < b->widths[i] + 2; k++)
      fputc(right && k == b->widths[i] + 1 ? ':' : '-', b->stream);
  }
  fputs("|\n", b->stream);
}

static const char *bar(const box *b) {
  return b->markdown ? "|" : "\xe2\x94\x82";
}

static void write_names(const box *b) {
  for (uint32_t i = 0; i < b->count; i++) {
    const rdx_column *c = column_of(b, i);
    const char *name = c ? rdx_table_column_name(b->table, b->columns[i]) : ELLIPSIS;
    fprintf(b->stream, "%s ", bar(b));
    write_cell(b, name, strlen(name), b->widths[i], c && shell_is_number(c->type));
    fputc(' ', b->stream);
  }
  fprintf(b->stream, "%s\n", bar(b));
}

static void write_rows(const box *b, uint64_t begin, uint64_t end) {
  char scratch[RDX_VALUE_TEXT];
  for (uint64_t row = begin; row < end && !console_output_stopped(b->out); row++) {
    for (uint32_t i = 0; i < b->count; i++) {
      const rdx_column *c = column_of(b, i);
      uint64_t length;
      const char *text = cell_of(b, c, row, scratch, &length);
      fprintf(b->stream, "%s ", bar(b));
      write_cell(b, text, length, b->widths[i], c && shell_is_number(c->type));
      fputc(' ', b->stream);
    }
    fprintf(b->stream, "%s\n", bar(b));
  }
}

/* What stands for rows that are left out. */
static void write_gap(const box *b) {
  for (uint32_t i = 0; i < b->count; i++) {
    const rdx_column *c = column_of(b, i);
    fprintf(b->stream, "%s ", bar(b));
    write_cell(b, ELLIPSIS, strlen(ELLIPSIS), b->widths[i], c && shell_is_number(c->type));
    fputc(' ', b->stream);
  }
  fprintf(b->stream, "%s\n", bar(b));
}

/* How much there is besides what is shown. */
static void write_counts(const box *b) {
  const uint64_t rows = rdx_table_rows(b->table);
  const uint32_t columns = rdx_table_columns(b->table);
  const bool hides = b->count < columns;
  if (!skips_rows(b) && !hides)
    return;
  fprintf(b->stream, "%" PRIu64 " row%s", rows, console_s(rows));
  if (skips_rows(b))
    fprintf(b->stream, " (%" PRIu64 " shown)", b->head + b->tail);
  if (hides)
    fprintf(b->stream, ", %" PRIu32 " columns (%" PRIu32 " shown)", columns, b->count - 1);
  fputc('\n', b->stream);
}

static void write_box(const box *b) {
  const uint64_t rows = rdx_table_rows(b->table);
  if (!b->markdown)
    write_rule(b, "\xe2\x94\x8c", "\xe2\x94\xac", "\xe2\x94\x90");
  if (b->format->header || b->markdown)
    write_names(b);
  if (b->markdown)
    write_markdown_rule(b);
  else if (b->format->header)
    write_rule(b, "\xe2\x94\x9c", "\xe2\x94\xbc", "\xe2\x94\xa4");
  write_rows(b, 0, b->head);
  if (skips_rows(b))
    write_gap(b);
  write_rows(b, rows - b->tail, rows);
  if (!b->markdown)
    write_rule(b, "\xe2\x94\x94", "\xe2\x94\xb4", "\xe2\x94\x98");
  write_counts(b);
}

void shell_write_box(console_output *out, const rdx_table *table, const shell_format *format) {
  box b = {.out = out,
           .stream = out->stream,
           .table = table,
           .format = format,
           .null = format->null ? format->null : "NULL",
           .markdown = format->mode == SHELL_MARKDOWN,
           .count = rdx_table_columns(table)};
  b.columns = shell_allocate((b.count + 1) * sizeof *b.columns);
  b.widths = shell_allocate((b.count + 1) * sizeof *b.widths);
  choose_rows(table, format, &b.head, &b.tail);
  measure(&b);
  fit(&b);
  if (!console_interrupted())
    write_box(&b);
  free(b.columns);
  free(b.widths);
}
