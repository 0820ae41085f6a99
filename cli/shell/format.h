/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef CLI_FORMAT_H
#define CLI_FORMAT_H

/* Tables as text: what an answer looks like. */

#include "common/common.h"

typedef enum shell_mode {
  SHELL_AUTO, /* a box on a terminal, else CSV */
  SHELL_BOX,
  SHELL_CSV,
  SHELL_JSON,
  SHELL_JSONLINES,
  SHELL_LINE,
  SHELL_LIST,
  SHELL_MARKDOWN,
  SHELL_TABS,
  SHELL_MODES,
} shell_mode;

typedef struct shell_format {
  shell_mode mode;
  bool header;
  const char *separator; /* of fields in CSV and lists; NULL: a comma in CSV, else | */
  const char *null;      /* NULL: that of the mode */
  uint64_t max_rows;     /* of a box; 0: all */
  uint32_t width;        /* of a box; 0: any */
  bool terminal;         /* the output is one, so control characters are escaped */
} shell_format;

/* "box"; never NULL. */
const char *shell_mode_name(shell_mode mode);

/* The mode of a name; false: there is none. `guess` gets the nearest name. */
bool shell_mode_from_name(const char *name, shell_mode *out, console_guess *guess);

/* The mode that is meant, which is not SHELL_AUTO. */
shell_mode shell_mode_of(const shell_format *format);

/* Write a table. Rows are written one by one, until writing fails or the user asks to stop, which the caller finds out
 * by console_output_stopped(). */
void shell_write_table(console_output *out, const rdx_table *table, const shell_format *format);

/* The lines that a table takes as a box. */
uint64_t shell_box_lines(const rdx_table *table, const shell_format *format);

/* Write the values of the first column, a line each, as they are. */
void shell_write_lines(console_output *out, const rdx_table *table, const shell_format *format);

/* ---- One value (value.c) ---- */

/* The text of a value: of a string its bytes, which end with no NUL, else what rdx_column_format() writes to `scratch`.
 * NULL for NULL. */
const char *shell_value(const rdx_column *column, uint64_t row, char scratch[RDX_VALUE_TEXT], uint64_t *length);

/* Whether values are right-aligned, and numbers in JSON. */
bool shell_is_number(rdx_type type);

/* A string of JSON, in its quotes. Bytes that are no UTF-8 become U+FFFD. */
void shell_write_json_string(FILE *stream, const char *text, uint64_t length);

/* ---- Characters (characters.c) ---- */

/* How a character is shown. */
typedef struct shell_glyph {
  const char *bytes; /* as they are, or `escape` */
  uint32_t size;
  uint32_t width; /* columns of a terminal */
  char escape[12];
} shell_glyph;

/* What is escaped. */
typedef enum shell_escapes {
  SHELL_ESCAPE_CONTROLS = 1, /* what tells a terminal what to do, but line breaks and tabs; also bytes of no UTF-8 */
  SHELL_ESCAPE_BREAKS = 2,   /* these as well */
} shell_escapes;

/* Set `*out` to the character at `text`, of `length` bytes (at least 1) that are left; how many of them it takes. */
uint64_t shell_next_glyph(const char *text, uint64_t length, shell_escapes escapes, shell_glyph *out);

/* The columns that a text takes. */
uint64_t shell_width(const char *text, uint64_t length, shell_escapes escapes);

/* Write a text with escapes. */
void shell_write_escaped(FILE *stream, const char *text, uint64_t length, shell_escapes escapes);

/* Take UTF-8's characters for what they are, whatever the user's locale says. */
void shell_set_locale(void);

/* ---- Boxes (box.c) ---- */

/* Write a table as a box, or as a table of Markdown. */
void shell_write_box(console_output *out, const rdx_table *table, const shell_format *format);

#endif
