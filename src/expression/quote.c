/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Names and texts as SQL has them, and format(). */

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "expression/functions.h"

/* Words that are no names without quotes, in order. */
/* clang-format off */
static const char *const words[] = {
    "all", "analyse", "analyze", "and", "any", "array", "as", "asc", "asymmetric", "authorization", "between",
    "bigint", "binary", "bit", "boolean", "both", "case", "cast", "char", "character", "check", "coalesce", "collate",
    "collation", "column", "concurrently", "constraint", "create", "cross", "current_catalog", "current_date",
    "current_role", "current_schema", "current_time", "current_timestamp", "current_user", "dec", "decimal",
    "default", "deferrable", "desc", "distinct", "do", "else", "end", "except", "exists", "extract", "false", "fetch",
    "float", "for", "foreign", "freeze", "from", "full", "grant", "greatest", "group", "grouping", "having", "ilike",
    "in", "initially", "inner", "inout", "int", "integer", "intersect", "interval", "into", "is", "isnull", "join",
    "lateral", "leading", "least", "left", "like", "limit", "localtime", "localtimestamp", "national", "natural",
    "nchar", "none", "normalize", "not", "notnull", "null", "nullif", "numeric", "offset", "on", "only", "or",
    "order", "out", "outer", "overlaps", "overlay", "placing", "position", "precision", "primary", "real",
    "references", "returning", "right", "row", "select", "session_user", "setof", "similar", "smallint", "some",
    "substring", "symmetric", "table", "tablesample", "then", "time", "timestamp", "to", "trailing", "treat", "trim",
    "true", "union", "unique", "user", "using", "values", "varchar", "variadic", "verbose", "when", "where", "window",
    "with", "xmlattributes", "xmlconcat", "xmlelement", "xmlexists", "xmlforest", "xmlnamespaces", "xmlparse",
    "xmlpi", "xmlroot", "xmlserialize", "xmltable",
};
/* clang-format on */

static rdx_status take_output(rdx_worker *w, const rdx_node *n, rdx_text_output *o) {
  if (o->used > RDX_LONGEST_TEXT)
    return rdx_function_fail(w, n, "the text would be longer than 1 GiB");
  RDX_TRY(rdx_take_text(w, o->used, &o->to));
  o->used = 0;
  return RDX_OK;
}

/* ---- Quotes ---- */

static int compare_words(const void *name, const void *word) {
  const rdx_sql_text *text = name;
  const char *other = *(const char *const *)word;
  const int order = strncmp(text->data, other, text->length);
  return order != 0 ? order : other[text->length] ? -1 : 0;
}

static bool needs_quotes(rdx_sql_text name) {
  bool plain = name.length > 0 && (name.data[0] < '0' || name.data[0] > '9');
  for (uint64_t i = 0; i < name.length && plain; i++) {
    const char c = name.data[i];
    plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  }
  return !plain || bsearch(&name, words, RDX_COUNT(words), sizeof *words, compare_words);
}

static void put_quoted(rdx_text_output *o, rdx_sql_text text, char quote) {
  rdx_text_put(o, &quote, 1);
  for (uint64_t i = 0; i < text.length; i++) {
    const char *c = &text.data[i];
    rdx_text_put(o, c, 1);
    if (*c == quote || (*c == '\\' && quote == '\''))
      rdx_text_put(o, c, 1);
  }
  rdx_text_put(o, &quote, 1);
}

static void put_name(rdx_text_output *o, rdx_sql_text text) {
  if (needs_quotes(text))
    put_quoted(o, text, '"');
  else
    rdx_text_put(o, text.data, text.length);
}

/* With a backslash in it, it is one with escapes. */
static void put_literal(rdx_text_output *o, rdx_sql_text text) {
  if (text.length > 0 && memchr(text.data, '\\', text.length))
    rdx_text_put(o, "E", 1);
  put_quoted(o, text, '\'');
}

static rdx_status write_one(rdx_worker *w, const rdx_node *n, void (*write)(rdx_text_output *, rdx_sql_text),
                            rdx_sql_text text, rdx_datum *out) {
  rdx_text_output o = {0};
  write(&o, text);
  RDX_TRY(take_output(w, n, &o));
  write(&o, text);
  out->text = (rdx_sql_text){o.to, o.used};
  return RDX_OK;
}

rdx_status rdx_text_quote_ident(RDX_ROW_ARGUMENTS) {
  return write_one(w, n, put_name, args[0].text, out);
}

rdx_status rdx_text_quote_literal(RDX_ROW_ARGUMENTS) {
  return write_one(w, n, put_literal, args[0].text, out);
}

rdx_status rdx_text_quote_nullable(RDX_ROW_ARGUMENTS) {
  if (!args[0].null)
    return write_one(w, n, put_literal, args[0].text, out);
  out->text = (rdx_sql_text){"NULL", 4};
  return RDX_OK;
}

/* ---- format(text, ...) ---- */

typedef struct format {
  rdx_worker *w;
  const rdx_node *n;
  const rdx_datum *args;
  rdx_text_output o;
  uint64_t at;
  uint32_t next; /* the argument that follows the last one */
} format;

/* What one % asks for. */
typedef struct directive {
  int64_t width;
  bool left;
  uint32_t argument; /* 0: the next one */
  char letter;
} directive;

static bool read_number(format *f, int64_t *out) {
  const rdx_sql_text text = f->args[0].text;
  const uint64_t begin = f->at;
  for (*out = 0; f->at < text.length && text.data[f->at] >= '0' && text.data[f->at] <= '9'; f->at++)
    *out = *out > INT32_MAX ? *out : *out * 10 + (text.data[f->at] - '0');
  return f->at > begin;
}

static char peek(const format *f) {
  return f->at < f->args[0].text.length ? f->args[0].text.data[f->at] : '\0';
}

static rdx_status find_argument(format *f, uint32_t wanted, uint32_t *out) {
  *out = wanted > 0 ? wanted : f->next;
  f->next = *out + 1;
  return *out < f->n->count ? RDX_OK : rdx_function_fail(f->w, f->n, "too few arguments for format()");
}

/* The number before $. */
static rdx_status take_place(format *f, int64_t number, uint32_t *out) {
  f->at++;
  if (number < 1)
    return rdx_function_fail(f->w, f->n, "format specifies argument 0, but arguments are numbered from 1");
  *out = number > UINT16_MAX ? UINT16_MAX : (uint32_t)number;
  return RDX_OK;
}

/* The width that an argument has: a number below 0 is one to the left. */
static rdx_status take_width(format *f, directive *d) {
  uint32_t which = 0;
  int64_t number = 0;
  char digits[24] = "", *end = digits;
  f->at++;
  if (read_number(f, &number)) {
    if (peek(f) != '$')
      return rdx_function_fail(f->w, f->n, "width argument position must be ended by \"$\"");
    RDX_TRY(take_place(f, number, &which));
  }
  RDX_TRY(find_argument(f, which, &which));
  const rdx_datum *value = &f->args[which];
  if (value->null)
    return RDX_OK;
  if (value->text.length < sizeof digits)
    memcpy(digits, value->text.data, value->text.length);
  d->width = strtoll(digits, &end, 10);
  if (end == digits || *end || d->width < -INT32_MAX || d->width > INT32_MAX)
    return rdx_function_fail(f->w, f->n, "a width of format() is an integer");
  d->left |= d->width < 0;
  d->width = d->width < 0 ? -d->width : d->width;
  return RDX_OK;
}

/* %[place$][-][width]letter, behind the % */
static rdx_status read_directive(format *f, directive *d) {
  int64_t number = 0;
  bool has_width = read_number(f, &number);
  *d = (directive){0};
  if (has_width && peek(f) == '$') {
    RDX_TRY(take_place(f, number, &d->argument));
    has_width = false;
  }
  for (; !has_width && peek(f) == '-'; f->at++)
    d->left = true;
  if (!has_width && peek(f) == '*')
    RDX_TRY(take_width(f, d));
  else if (has_width || read_number(f, &number))
    d->width = number;
  if (d->width > INT32_MAX)
    return rdx_function_fail(f->w, f->n, "a width of format() is an integer");
  if (f->at >= f->args[0].text.length)
    return rdx_function_fail(f->w, f->n, "unterminated format() type specifier: for a single % write %%");
  d->letter = f->args[0].text.data[f->at++];
  return RDX_OK;
}

static void put_blanks(rdx_text_output *o, uint64_t count) {
  if (o->to)
    memset(o->to + o->used, ' ', count);
  o->used += count;
}

static rdx_status put_value(format *f, const directive *d, const rdx_datum *value) {
  void (*const write)(rdx_text_output *, rdx_sql_text) = d->letter == 'I' ? put_name : put_literal;
  const rdx_sql_text null = {"NULL", d->letter == 'L' ? 4 : 0};
  rdx_text_output whole = {0};
  rdx_sql_text text = value->null ? null : value->text;
  if (value->null && d->letter == 'I')
    return rdx_function_fail(f->w, f->n, "null values cannot be formatted as an SQL identifier");
  if (!value->null && d->letter != 's') {
    write(&whole, text);
    RDX_TRY(take_output(f->w, f->n, &whole));
    write(&whole, text);
    text = (rdx_sql_text){whole.to, whole.used};
  }
  const uint64_t count = d->width > 0 ? rdx_text_characters(text) : 0, width = (uint64_t)d->width;
  const uint64_t blanks = width > count ? width - count : 0;
  if (!d->left)
    put_blanks(&f->o, blanks);
  rdx_text_put(&f->o, text.data, text.length);
  if (d->left)
    put_blanks(&f->o, blanks);
  return RDX_OK;
}

static rdx_status put_directive(format *f) {
  directive d;
  uint32_t which = 0;
  if (peek(f) == '%') {
    f->at++;
    rdx_text_put(&f->o, "%", 1);
    return RDX_OK;
  }
  RDX_TRY(read_directive(f, &d));
  if (!strchr("sIL", d.letter)) {
    char shown[16];
    const uint64_t size = rdx_text_character(f->args[0].text.data + f->at - 1, f->args[0].text.length - f->at + 1);
    rdx_utf8_escape(f->args[0].text.data + f->at - 1, size, shown, sizeof shown);
    return rdx_node_fail(f->w, f->n, RDX_ERROR_RANGE,
                         "unrecognized format() type specifier \"%s\": for a single %% write %%%%", shown);
  }
  RDX_TRY(find_argument(f, d.argument, &which));
  return put_value(f, &d, &f->args[which]);
}

static rdx_status write_format(format *f) {
  const rdx_sql_text text = f->args[0].text;
  f->next = 1;
  for (f->at = 0; f->at < text.length;) {
    const char *found = memchr(text.data + f->at, '%', text.length - f->at);
    const uint64_t end = found ? (uint64_t)(found - text.data) : text.length;
    rdx_text_put(&f->o, text.data + f->at, end - f->at);
    f->at = end + 1;
    if (found)
      RDX_TRY(put_directive(f));
    if (f->o.used > RDX_LONGEST_TEXT)
      return rdx_function_fail(f->w, f->n, "the text would be longer than 1 GiB");
  }
  return RDX_OK;
}

rdx_status rdx_text_format(RDX_ROW_ARGUMENTS) {
  format f = {.w = w, .n = n, .args = args};
  out->null = args[0].null;
  out->text = (rdx_sql_text){"", 0};
  if (out->null)
    return RDX_OK;
  RDX_TRY(write_format(&f));
  RDX_TRY(take_output(w, n, &f.o));
  RDX_TRY(write_format(&f));
  out->text = (rdx_sql_text){f.o.to, f.o.used};
  return RDX_OK;
}

/* ---- How many are NULL ---- */

static int64_t count_nulls(const rdx_node *n, const rdx_datum *args) {
  int64_t count = 0;
  for (uint32_t i = 0; i < n->count; i++)
    count += args[i].null;
  return count;
}

rdx_status rdx_nulls_count(RDX_ROW_ARGUMENTS) {
  out->i = count_nulls(n, args);
  return RDX_OK;
}

rdx_status rdx_values_count(RDX_ROW_ARGUMENTS) {
  out->i = n->count - count_nulls(n, args);
  return RDX_OK;
}
