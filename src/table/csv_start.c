/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* How a CSV file begins: what is none, the names, which columns are read, and their types as the first records have
 * them. */

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "column/column.h"
#include "base/utf8.h"
#include "table/csv.h"
#include "table/names.h"

#define SAMPLE 1000                /* records that types are guessed from */
#define RESERVED 1024              /* records that room is made for at a time, and */
#define RESERVED_VALUES (1u << 20) /* at most so many values, and */
#define RESERVED_MIN 16
#define TRIED 100 /* records that are split by other delimiters */

typedef rdx_csv_reader reader;
typedef rdx_csv_field field;

/* ---- Columns ---- */

/* Else a file with other line ends or characters would be one of columns with odd names, and no rows. */
static rdx_status check_name(reader *r, field f, rdx_error *err) {
  if (memchr(f.text, '\0', f.length))
    return rdx_csv_fail(r, r->at, RDX_ERROR_FORMAT, r->field_count,
                        "its name holds a NUL byte, which text in UTF-8 does not", err);
  if (!f.quoted && memchr(f.text, '\r', f.length))
    return rdx_csv_fail(r, r->at, RDX_ERROR_FORMAT, r->field_count,
                        "its name holds a carriage return; lines end with a line feed (tr '\\r' '\\n' makes them so)",
                        err);
  return RDX_OK;
}

/* The names in the first record, or "1", "2", ... */
static rdx_status read_names(reader *r, bool header, char ***names, rdx_error *err) {
  uint32_t capacity = 0;
  r->at = r->body;
  for (bool last = false; !last;) {
    field f;
    const char *next;
    char number[16];
    RDX_TRY(rdx_csv_read_field(r, r->field_count, &f, &next, err));
    if (header) {
      RDX_TRY(check_name(r, f, err));
    } else {
      int length = snprintf(number, sizeof number, "%u", r->field_count + 1);
      f = (field){number, (uint64_t)length, false};
    }
    if (r->field_count == capacity) {
      capacity = 2 * capacity + 16;
      RDX_TRY(rdx_realloc((void **)names, capacity, sizeof **names, "column names", err));
    }
    RDX_TRY(rdx_copy_bytes(f.text, f.length, "a column name", &(*names)[r->field_count], err));
    r->field_count++;
    last = next == r->end || *next == '\n';
    if (header && last && r->field_count == 1 && f.length == 0 && !f.quoted)
      return rdx_fail(err, RDX_ERROR_FORMAT, "%s: its first line is empty: it needs at least a header line", r->name);
    r->at = next + (next < r->end);
  }
  r->first = header ? r->at : r->body;
  return RDX_OK;
}

/* Of an empty file of COPY without a header, which has the columns that are asked for. */
static rdx_status take_names(reader *r, const rdx_csv_params *params, char ***names, rdx_error *err) {
  RDX_TRY(rdx_calloc(params->column_count, sizeof **names, "column names", (void **)names, err));
  for (r->first = r->body; r->field_count < params->column_count; r->field_count++) {
    const char *name = params->columns[r->field_count];
    RDX_TRY(rdx_copy_text(name, "a column name", &(*names)[r->field_count], err));
  }
  return RDX_OK;
}

static rdx_status no_column(const reader *r, char *const *names, const char *wanted, rdx_error *err) {
  char list[512] = "", delimiter[8];
  const bool one = r->field_count == 1;
  size_t used = 0;
  for (uint32_t i = 0; i < r->field_count && used < sizeof list; i++)
    used += (size_t)snprintf(list + used, sizeof list - used, "%s'%s'", i ? ", " : "", names[i]);
  rdx_utf8_escape(&r->delimiter, 1, delimiter, sizeof delimiter);
  if (!one)
    return rdx_fail(err, RDX_ERROR_NOT_FOUND, "%s has no column '%s'; it has %s%s", r->name, wanted, list,
                    r->for_copy ? " (a file without names takes HEADER false)" : "");
  return rdx_fail(err, RDX_ERROR_NOT_FOUND, "%s has no column '%s'; it has %s (where '%s' separates fields: %s)",
                  r->name, wanted, list, delimiter, rdx_csv_hint_text(RDX_HINT_DELIMITER, r->for_copy));
}

static rdx_status find_name(const reader *r, char *const *names, rdx_names *index, const char *wanted, uint32_t *out,
                            rdx_error *err) {
  uint32_t second;
  RDX_TRY(rdx_names_find(index, wanted, out, &second, err));
  if (*out == RDX_NO_COLUMN)
    return no_column(r, names, wanted, err);
  if (second != RDX_NO_COLUMN)
    return rdx_fail(err, RDX_ERROR_ARGUMENT,
                    "%s: columns %u and %u are both named '%s': rename one of them in the file", r->name, *out + 1,
                    second + 1, wanted);
  return RDX_OK;
}

/* Choose the fields that become columns, and move their names to them. */
static rdx_status choose_columns(reader *r, const rdx_csv_params *params, char **names, rdx_names *index,
                                 rdx_error *err) {
  const uint32_t count = params->columns ? (uint32_t)params->column_count : r->field_count;
  if (params->for_copy && params->header == RDX_SWITCH_OFF && r->field_count > count)
    return rdx_fail(err, RDX_ERROR_FORMAT, "%s, line 1: %u fields where COPY has %u column%s", r->name, r->field_count,
                    count, count > 1 ? "s" : "");
  RDX_TRY(rdx_table_create(count, &r->table, err));
  RDX_TRY(rdx_alloc(r->field_count, sizeof *r->targets, "a CSV file", (void **)&r->targets, err));
  RDX_TRY(rdx_calloc(count, sizeof *r->inferred, "a CSV file", (void **)&r->inferred, err));
  RDX_TRY(rdx_calloc(count, sizeof *r->fixed, "a CSV file", (void **)&r->fixed, err));
  RDX_TRY(rdx_calloc(count, sizeof *r->watched, "a CSV file", (void **)&r->watched, err));
  memset(r->targets, 0xff, r->field_count * sizeof *r->targets);
  const uint32_t reserved = RESERVED_VALUES / (count > 0 ? count : 1);
  r->reserved = reserved > RESERVED ? RESERVED : reserved < RESERVED_MIN ? RESERVED_MIN : reserved;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t number = i;
    if (params->columns)
      RDX_TRY(find_name(r, names, index, params->columns[i], &number, err));
    if (r->targets[number] != RDX_CSV_SKIP)
      return rdx_fail(err, RDX_ERROR_ARGUMENT, "%s: column '%s' is asked for twice", r->name, params->columns[i]);
    r->targets[number] = i;
    RDX_TRY(rdx_copy_text(names[number], "a column name", &r->table->columns[i].name, err));
  }
  for (size_t i = 0; i < params->type_count; i++) {
    const rdx_csv_type *given = &params->types[i];
    uint32_t number = 0;
    RDX_TRY(rdx_column_check(&(rdx_column){.type = given->type, .scale = given->scale}, given->column, err));
    RDX_TRY(find_name(r, names, index, given->column, &number, err));
    if (r->targets[number] == RDX_CSV_SKIP)
      continue;
    rdx_column *view = &r->table->columns[r->targets[number]].view;
    view->type = given->type;
    view->scale = given->scale;
    r->fixed[r->targets[number]] = true;
  }
  return RDX_OK;
}

bool rdx_csv_is_unsure(const reader *r) {
  for (uint32_t i = 0; i < r->table->column_count; i++)
    if (!r->fixed[i] && rdx_inference_is_empty(&r->inferred[i]))
      return true;
  return false;
}

/* Learn types from a record. One that is wrong tells none, and is left for the pass that reads everything. */
static rdx_status learn_record(reader *r, rdx_error *err) {
  const char *record = r->at;
  rdx_error problem;
  r->trying = true;
  rdx_status status = rdx_csv_read_record(r, 0, &problem);
  r->trying = false;
  if (status != RDX_OK && status != RDX_ERROR_MEMORY) {
    status = rdx_csv_skip_record(r, &problem);
  } else if (status == RDX_OK) {
    r->at = record;
    status = rdx_csv_read_record(r, 0, &problem);
  }
  if (status != RDX_OK && err)
    *err = problem;
  return status;
}

/* Learn types from the first records. */
static rdx_status learn(reader *r, rdx_error *err) {
  rdx_status status = RDX_OK;
  r->inferring = true;
  for (uint32_t row = 0; status == RDX_OK && row < SAMPLE && r->at < r->end; row++) {
    if (*r->at <= '\r' && rdx_csv_at_end(r))
      break;
    status = learn_record(r, err);
  }
  r->inferring = false;
  r->problem = NULL;
  return status;
}

bool rdx_csv_is_outgrown(const reader *r, uint32_t column) {
  const rdx_column *view = &r->table->columns[column].view;
  uint8_t scale;
  const rdx_type type = rdx_inference_type(&r->inferred[column], &scale);
  return type != view->type || (type == RDX_TYPE_DECIMAL && scale != view->scale);
}

/* Whether it is worth while to look at the strings of a column: they may have another type yet, or nearly have. */
static bool is_worth_watching(const rdx_inference *f) {
  const rdx_reason reason = rdx_inference_reason(f);
  return reason.trait == RDX_TRAIT_TEXT ? reason.instead != RDX_TYPE_STRING && f->typed > f->texts
                                        : reason.trait < RDX_TRAITS;
}

rdx_status rdx_csv_start_columns(reader *r, uint64_t capacity, rdx_error *err) {
  r->table->delimiter = r->delimiter;
  for (uint32_t i = 0; i < r->table->column_count; i++) {
    rdx_growing *c = &r->table->columns[i];
    uint8_t scale = c->view.scale;
    const rdx_type type = r->fixed[i] ? c->view.type : rdx_inference_type(&r->inferred[i], &scale);
    r->watched[i] = !r->fixed[i] && type == RDX_TYPE_STRING && is_worth_watching(&r->inferred[i]);
    RDX_TRY(rdx_growing_start(c, type, scale, capacity, err));
  }
  return RDX_OK;
}

/* Not what numbers, dates and words are made of: a field of them would be two. */
static bool may_separate(char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  const bool digit = c >= '0' && c <= '9';
  return !letter && !digit && (unsigned char)c < 0x80 && (c == '\0' || !strchr("\n\r+-.", c));
}

rdx_status rdx_csv_check_delimiter(char delimiter, rdx_error *err) {
  if (may_separate(delimiter) && delimiter != '"')
    return RDX_OK;
  return rdx_fail(err, RDX_ERROR_ARGUMENT,
                  "a letter, a digit, '+', '-', '.', a quote or a line break cannot be the delimiter");
}

static rdx_status check_params(const rdx_csv_params *params, rdx_error *err) {
  const char quote = params->quotes == RDX_SWITCH_OFF ? '\0' : params->quote ? params->quote : '"';
  if (!may_separate(params->delimiter) || (params->delimiter && params->delimiter == quote))
    return rdx_csv_check_delimiter('"', err);
  if (!may_separate(params->quote))
    return rdx_fail(err, RDX_ERROR_ARGUMENT,
                    "a letter, a digit, '+', '-', '.' or a line break cannot be the character that quotes");
  if (params->quotes == RDX_SWITCH_OFF && params->quote)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "quotes are off, and '%c' is to quote: one of them only", params->quote);
  if (params->encoding > RDX_ENCODING_WINDOWS_1252)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "there is no such encoding");
  if (params->header > RDX_SWITCH_OFF || params->quotes > RDX_SWITCH_OFF)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "the header and quotes of CSV are on, off, or by default");
  for (size_t i = 0; i < params->null_count; i++)
    if (!params->nulls || !params->nulls[i])
      return rdx_fail(err, RDX_ERROR_ARGUMENT, "texts that stand for NULL must not be NULL");
  bool named = params->types || params->type_count == 0;
  for (size_t i = 0; named && i < params->type_count; i++)
    named = params->types[i].column;
  for (size_t i = 0; named && params->columns && i < params->column_count; i++)
    named = params->columns[i];
  if (!named)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "columns and types of CSV need names that are not NULL");
  return RDX_OK;
}

/* A table file, its beginning damaged or not, would read as CSV of few rows that mean nothing. */
static rdx_status refuse_table(const char *name, const char *text, size_t size, rdx_error *err) {
  const uint32_t different = rdx_csv_from_magic(text, size);
  if (different == 0)
    return rdx_fail(err, RDX_ERROR_FORMAT, "%s is a table file already, not CSV", name);
  if (different <= 2)
    return rdx_fail(err, RDX_ERROR_FORMAT, "%s is no CSV: it begins almost as a table file does, a damaged one", name);
  return RDX_OK;
}

/* Whether a text begins so; ? stands for any byte. */
static bool begins(const char *text, size_t size, const char *pattern) {
  size_t i = 0;
  while (pattern[i] && i < size && (pattern[i] == '?' || pattern[i] == text[i]))
    i++;
  return pattern[i] == '\0';
}

static rdx_status refuse_compressed(const char *name, const char *text, size_t size, rdx_error *err) {
  static const struct {
    const char *beginning, *program;
  } formats[] = {{"\x1f\x8b", "gzip -dc"},
                 {"\x28\xb5\x2f\xfd", "zstd -dc"},
                 {"BZh?1AY&SY", "bzip2 -dc"},
                 {"\xfd\x37zXZ", "xz -dc"},
                 {"PK\x03\x04", "unzip -p"}};
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    if (begins(text, size, formats[i].beginning))
      return rdx_fail(err, RDX_ERROR_FORMAT, "%s is compressed: decompress it first, to a file or a pipe (%s)", name,
                      formats[i].program);
  return RDX_OK;
}

/* Find the blank lines that may stand at the end of files of several fields: once, since a walk to the end from every
 * blank line would take quadratic time. In a file of one field a blank line is a NULL. */
static rdx_status find_tail(reader *r, rdx_error *err) {
  const char *p = r->end;
  r->tail = p;
  if (r->field_count == 1)
    return RDX_OK;
  while (p > r->first && p[-1] == '\r')
    p--;
  for (uint64_t lines = 1; p > r->first && p[-1] == '\n'; lines++) {
    p--;
    while (p > r->first && p[-1] == '\r')
      p--;
    if (lines % RDX_CSV_PROGRESS == 0)
      RDX_TRY(rdx_progress("read", 0, (uint64_t)(r->end - r->begin), err));
  }
  r->tail = p;
  return RDX_OK;
}

/* ---- What separates fields ---- */

/* Take a first line such as sep=; which tells. */
static rdx_status take_separator(reader *r, const rdx_csv_params *params, rdx_error *err) {
  const char *p = r->begin;
  if (r->end - p < 5 || strncasecmp(p, "sep=", 4) != 0 || !may_separate(p[4]) || p[4] == '\0' || p[4] == r->quote)
    return RDX_OK;
  const char delimiter = p[4];
  for (p += 5; p < r->end && *p == '\r';)
    p++;
  if (p < r->end && *p != '\n')
    return RDX_OK;
  if (params->delimiter && params->delimiter != delimiter)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "%s: its first line says that '%c' separates fields, %s says '%c'",
                    r->name, delimiter, params->for_copy ? "DELIMITER" : "--delimiter", params->delimiter);
  r->delimiter = delimiter;
  r->body = p + (p < r->end);
  return RDX_OK;
}

/* How many fields each of the first records has if `delimiter` separates them; 0 where they differ. */
static uint32_t fields_between(reader *r, char delimiter) {
  uint32_t found = 0;
  r->at = r->body;
  r->delimiter = delimiter;
  for (int records = 0; records < TRIED && r->at < r->end; records++) {
    uint32_t fields = 0;
    bool blank = true;
    for (bool last = false; !last; fields++) {
      field f;
      const char *next = NULL;
      rdx_error ignored;
      if (rdx_csv_read_field(r, 0, &f, &next, &ignored) != RDX_OK && !next) /* a quote inside changes nothing */
        return 0;
      blank &= f.length == 0 && !f.quoted;
      last = next == r->end || *next == '\n';
      r->at = next + (next < r->end);
    }
    if (fields == 1 && blank)
      continue;
    if (found > 0 && fields != found)
      return 0;
    found = fields;
  }
  return found;
}

/* Where a comma makes no fields, take what makes most of them of the other usual ones. */
static void recognise_delimiter(reader *r) {
  static const char usual[] = {';', '\t', '|'};
  const char common = r->quote == ',' ? usual[0] : ',';
  uint32_t max = 1;
  char best = common;
  if (r->quote != ',' && fields_between(r, ',') > 1)
    return;
  for (size_t i = 0; i < sizeof usual; i++) {
    const uint32_t fields = usual[i] == r->quote ? 0 : fields_between(r, usual[i]);
    best = fields > max ? usual[i] : fields == max && max > 1 ? common : best;
    max = fields > max ? fields : max;
  }
  r->delimiter = best;
  r->problem = r->resume = NULL;
}

/* ---- Starting ---- */

static rdx_status take_nulls(reader *r, const rdx_csv_params *params, rdx_error *err) {
  RDX_TRY(rdx_alloc(params->null_count, sizeof *r->nulls, "a CSV file", (void **)&r->nulls, err));
  r->plain_integers = true;
  for (size_t i = 0; i < params->null_count; i++) {
    const char *text = params->nulls[i];
    size_t length = strlen(text);
    rdx_value_trim(&text, &length);
    r->nulls[r->null_count++] = (rdx_csv_null){text, length};
    r->plain_integers &= length == 0 || text[strspn(text, "-0123456789")] != '\0';
  }
  return RDX_OK;
}

static rdx_status take_columns(reader *r, const rdx_csv_params *params, char **names, rdx_error *err) {
  RDX_SCOPED(rdx_names_drop) rdx_names index = {0};
  RDX_TRY(find_tail(r, err));
  for (uint32_t i = 0; i < r->field_count && (params->columns || params->type_count > 0); i++)
    RDX_TRY(rdx_names_add(&index, names[i], strlen(names[i]), err));
  return choose_columns(r, params, names, &index, err);
}

static rdx_status start(reader *r, const rdx_csv_params *params, rdx_error *err) {
  char **names = NULL;
  const bool header = params->header != RDX_SWITCH_OFF;
  RDX_TRY(take_nulls(r, params, err));
  RDX_TRY(take_separator(r, params, err));
  const bool empty = r->body == r->end;
  if (empty && (header || !params->for_copy || !params->columns))
    return rdx_fail(err, RDX_ERROR_FORMAT, "%s is empty: it needs at least a header line", r->name);
  if (!r->delimiter)
    recognise_delimiter(r);
  r->check = true; /* until the rest of the text has been looked at */
  rdx_status status = empty ? take_names(r, params, &names, err) : read_names(r, header, &names, err);
  if (status == RDX_OK)
    status = take_columns(r, params, names, err);
  for (uint32_t i = 0; i < r->field_count; i++)
    rdx_free(names[i]);
  rdx_free(names);
  return status;
}

rdx_status rdx_csv_start(reader *r, const char *name, const char *text, size_t size, const rdx_csv_params *params,
                         rdx_error *err) {
  static const rdx_csv_params defaults = {0};
  params = params ? params : &defaults;
  *r = (reader){.name = name, .delimiter = params->delimiter, .for_copy = params->for_copy};
  r->quote = params->quotes == RDX_SWITCH_OFF ? '\0' : params->quote ? params->quote : '"';
  RDX_TRY(refuse_table(name, text, size, err));
  RDX_TRY(refuse_compressed(name, text, size, err));
  RDX_TRY(check_params(params, err));
  RDX_TRY(rdx_csv_decode(name, text, size, params, &r->decoded, &size, err));
  text = r->decoded ? r->decoded : text;
  const size_t mark = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
  r->begin = r->body = text + mark;
  r->end = text + size;
  const rdx_status status = start(r, params, err);
  if (status != RDX_OK)
    return rdx_csv_place(r, status, rdx_csv_line(r, r->problem), err);
  r->at = r->first;
  return learn(r, err);
}
