/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* CSV files to tables.
 *
 * Types are guessed from the first records; then one pass parses every value into its column. A value that does not
 * fit a guessed type widens it, and the pass starts over: rare, and each column's types only ever widen. */

#include <stdio.h>
#include <string.h>

#include "base/column.h"
#include "table/csv.h"
#include "table/names.h"

#define SAMPLE 1000                /* records that types are guessed from */
#define RESERVED 1024              /* records that room is made for at a time, and */
#define RESERVED_VALUES (1u << 20) /* at most so many values, and */
#define RESERVED_LEAST 16
#define SKIP UINT32_MAX      /* a field that no column wants */
#define PROGRESS_EVERY 65536 /* records */

typedef rdx_csv_reader reader;

/* A field's text; quotes are off. */
typedef struct field {
  const char *text;
  uint64_t length;
  bool quoted;
} field;

/* ---- Errors ---- */

/* An error at a place of the text. */
static rdx_status fail_at(reader *r, const char *at, rdx_status status, uint32_t number, const char *problem,
                          rdx_error *err) {
  r->problem = at;
  return rdx_fail(err, status, ", column %u: %s", number + 1, problem);
}

static rdx_status bad_value(reader *r, uint32_t number, const rdx_growing *c, field f, bool fits_not, rdx_error *err) {
  const int shown = f.length > 40 ? 40 : (int)f.length;
  r->problem = r->at;
  return rdx_fail(err, fits_not ? RDX_ERROR_RANGE : RDX_ERROR_FORMAT, ", column %u ('%s'): '%.*s%s' %s type %s",
                  number + 1, c->name, shown, f.text, f.length > 40 ? "..." : "",
                  fits_not ? "does not fit" : "is not a value of", rdx_type_name(c->view.type));
}

rdx_status rdx_csv_place(const reader *r, rdx_status status, uint64_t line, rdx_error *err) {
  if (!r->problem || !err || (status != RDX_ERROR_FORMAT && status != RDX_ERROR_RANGE))
    return status;
  rdx_error text = *err;
  return rdx_fail(err, status, "%s, line %llu%.900s", r->name, (unsigned long long)line, text.text);
}

static uint64_t line_of(const reader *r, const char *at) {
  uint64_t line = 1;
  for (const char *p = r->begin; at && (p = memchr(p, '\n', (size_t)(at - p))); p++)
    line++;
  return line;
}

/* ---- Fields ---- */

/* Where a field that starts here and has no quotes ends. */
static const char *field_end(const reader *r, const char *p) {
  while (p < r->end && *p != r->delimiter && *p != '\n')
    p++;
  return p;
}

static rdx_status grow_scratch(reader *r, uint64_t size, rdx_error *err) {
  if (size <= r->scratch_size)
    return RDX_OK;
  RDX_TRY(rdx_realloc((void **)&r->scratch, 2 * size, 1, "a quoted field", err));
  r->scratch_size = 2 * size;
  return RDX_OK;
}

/* The field that starts with a quote at `p`; `*next` is what follows its closing quote. */
static rdx_status read_quoted(reader *r, const char *p, uint32_t number, field *out, const char **next,
                              rdx_error *err) {
  uint64_t length = 0;
  const char *start = ++p;
  bool doubled = false;
  for (;;) {
    const char *quote = memchr(p, '"', (size_t)(r->end - p));
    if (!quote)
      return fail_at(r, r->at, RDX_ERROR_FORMAT, number, "the quote that opens here is never closed", err);
    const bool more = quote + 1 < r->end && quote[1] == '"';
    if (more || doubled) {
      const uint64_t n = (uint64_t)(quote - p) + more;
      RDX_TRY(grow_scratch(r, length + n, err));
      memcpy(r->scratch + length, p, n);
      length += n;
      doubled = true;
    }
    p = quote + 1 + more;
    if (!more)
      break;
  }
  *out = (field){doubled ? r->scratch : start, doubled ? length : (uint64_t)(p - 1 - start), true};
  *next = p;
  return RDX_OK;
}

/* Read the field at r->at. `*next` is its delimiter, line feed, or the end of the text. */
static rdx_status read_field(reader *r, uint32_t number, field *out, const char **next, rdx_error *err) {
  const char *p = r->at;
  if (p < r->end && *p == '"') {
    RDX_TRY(read_quoted(r, p, number, out, &p, err));
    if (p < r->end && *p == '\r' && p + 1 < r->end && p[1] == '\n')
      p++;
    if (p < r->end && *p != r->delimiter && *p != '\n')
      return fail_at(r, r->at, RDX_ERROR_FORMAT, number, "there is text after a closing quote", err);
    *next = p;
    return RDX_OK;
  }
  const char *end = field_end(r, p);
  *next = end;
  if (end > p && end[-1] == '\r' && (end == r->end || *end == '\n'))
    end--;
  *out = (field){p, (uint64_t)(end - p), false};
  if (memchr(p, '"', (size_t)(end - p)))
    return fail_at(r, r->at, RDX_ERROR_FORMAT, number, "a quote stands inside a field that does not start with one",
                   err);
  return RDX_OK;
}

/* ---- Records ---- */

/* Find the blank lines that may stand at the end of files of several fields: once, since a walk to the end from every
 * blank line would take quadratic time. In a file of one field a blank line is a NULL. */
static rdx_status find_tail(reader *r, rdx_error *err) {
  const char *p = r->end;
  p -= r->field_count != 1 && p > r->begin && p[-1] == '\r';
  for (uint64_t lines = 1; r->field_count != 1 && p > r->begin && p[-1] == '\n'; lines++) {
    p--;
    p -= p > r->begin && p[-1] == '\r';
    if (lines % PROGRESS_EVERY == 0)
      RDX_TRY(rdx_progress("read", 0, (uint64_t)(r->end - r->begin), err));
  }
  r->tail = r->field_count == 1 ? r->end : p;
  return RDX_OK;
}

bool rdx_csv_at_end(const reader *r) {
  return r->at >= r->tail;
}

static rdx_status ragged(reader *r, const char *record, uint32_t found, rdx_error *err) {
  r->problem = record;
  return rdx_fail(err, RDX_ERROR_FORMAT, ": %s%u field%s where the first line has %u",
                  found > r->field_count ? "more than " : "", found > r->field_count ? r->field_count : found,
                  found == 1 ? "" : "s", r->field_count);
}

/* Eight digits at once: characters to values in pairs, then fours, then eight. */
static uint64_t eight_digits(uint64_t chunk) {
  chunk = (chunk & 0x0f0f0f0f0f0f0f0full) * 2561 >> 8;
  chunk = (chunk & 0x00ff00ff00ff00ffull) * 6553601 >> 16;
  return (chunk & 0x0000ffff0000ffffull) * 42949672960001ull >> 32;
}

/* How many of the eight characters, from the first, are digits. */
static uint32_t digit_run(uint64_t chunk) {
  const uint64_t high = (chunk & 0xf0f0f0f0f0f0f0f0ull) ^ 0x3030303030303030ull;
  const uint64_t above = (((chunk & 0x0f0f0f0f0f0f0f0full) + 0x0606060606060606ull) & 0xf0f0f0f0f0f0f0f0ull);
  const uint64_t others = high | above;
  return others ? (uint32_t)__builtin_ctzll(others) / 8 : 8;
}

/* Unquoted integers of at most 16 digits, the common case. False: take the long way. */
static bool fast_integer(const reader *r, const char *p, int64_t *value, const char **next) {
  if (r->end - p < 24)
    return false;
  const bool negative = *p == '-';
  p += negative;
  uint64_t chunk;
  memcpy(&chunk, p, 8);
  uint32_t digits = digit_run(chunk);
  if (digits == 0)
    return false;
  uint64_t number = eight_digits(chunk << (64 - 8 * digits));
  p += digits;
  if (digits == 8) {
    static const uint32_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    memcpy(&chunk, p, 8);
    digits = digit_run(chunk);
    if (digits > 0)
      number = number * powers[digits] + eight_digits(chunk << (64 - 8 * digits));
    p += digits;
  }
  p += *p == '\r' && p[1] == '\n';
  if (*p != r->delimiter && *p != '\n')
    return false;
  *value = negative ? -(int64_t)number : (int64_t)number;
  *next = p;
  return true;
}

/* Whether a value that fast_integer() read is one of this type; false for the types that take the long way. */
static bool is_fast_value(rdx_type type, int64_t value) {
  switch (type) {
  case RDX_TYPE_I32:
    return value == (int32_t)value;
  case RDX_TYPE_U32:
    return value == (int64_t)(uint32_t)value;
  case RDX_TYPE_I64:
    return true;
  case RDX_TYPE_U64:
    return value >= 0;
  default:
    return false;
  }
}

/* Put it into its column. */
static void store_integer(rdx_growing *c, uint64_t row, int64_t value) {
  if (rdx_type_size(c->view.type) == 4)
    ((uint32_t *)c->values)[row] = (uint32_t)value;
  else
    ((uint64_t *)c->values)[row] = (uint64_t)value;
}

/* Whether a value of a type that was guessed leads to no other one by the rules of inference, which are stricter than
 * parsing. Otherwise the type would depend on the order of rows. */
static bool keeps_guess(const rdx_column *c, field f, const void *value) {
  const uint8_t scale = c->scale;
  int64_t digits;
  switch (c->type) {
  case RDX_TYPE_BOOL:
    return f.length > 1; /* no 0, 1, f, t */
  case RDX_TYPE_F64:
    return f.text[f.length - 1] <= '9'; /* no words */
  case RDX_TYPE_DECIMAL:
    memcpy(&digits, value, sizeof digits);
    if (digits <= -INT64_C(1000000000000000000) || digits >= INT64_C(1000000000000000000))
      return false;
    if (f.length > scale && f.text[f.length - 1 - scale] == '.') /* nearly always */
      return true;
    const char *point = memchr(f.text, '.', f.length);
    return !point || (f.text + f.length - point > 1 && f.text + f.length - point <= scale + 1);
  default:
    return true;
  }
}

/* Add a field to its column, the long way. A value that a guessed type does not hold widens it instead. */
static rdx_status store_field(reader *r, uint32_t number, uint64_t row, field f, rdx_error *err) {
  const uint32_t target = r->targets[number];
  rdx_growing *c = &r->table->columns[target];
  const bool text = c->view.type == RDX_TYPE_STRING;
  if (f.length == 0 && !(text && f.quoted))
    return rdx_growing_add_null(c, row, err);
  if (text)
    return rdx_growing_add_string(c, row, f.text, f.length, err);
  void *value = (char *)c->values + row * rdx_type_size(c->view.type);
  const rdx_parse result = rdx_value_parse(c->view.type, c->view.scale, f.text, f.length, value);
  if (result == RDX_PARSE_OK && (r->fixed[target] || keeps_guess(&c->view, f, value)))
    return RDX_OK;
  if (r->fixed[target])
    return bad_value(r, number, c, f, result == RDX_PARSE_RANGE, err);
  rdx_inference_add(&r->inferred[target], f.text, f.length);
  r->widened = true;
  return RDX_OK;
}

/* What a field tells of its column's type. One of a type that is given tells whether its record is good. */
static rdx_status learn_field(reader *r, uint32_t number, field f, rdx_error *err) {
  const uint32_t target = r->targets[number];
  const rdx_growing *c = &r->table->columns[target];
  uint64_t value;
  if (f.length == 0)
    return RDX_OK;
  if (!r->fixed[target]) {
    rdx_inference_add(&r->inferred[target], f.text, f.length);
    return RDX_OK;
  }
  if (c->view.type == RDX_TYPE_STRING)
    return RDX_OK;
  const rdx_parse result = rdx_value_parse(c->view.type, c->view.scale, f.text, f.length, &value);
  return result == RDX_PARSE_OK ? RDX_OK : bad_value(r, number, c, f, result == RDX_PARSE_RANGE, err);
}

/* Take in the field at r->at. */
static rdx_status take_field(reader *r, uint32_t number, uint64_t row, const char **next, rdx_error *err) {
  const uint32_t target = r->targets[number];
  field f;
  int64_t value;
  if (target != SKIP && fast_integer(r, r->at, &value, next)) {
    rdx_growing *c = &r->table->columns[target];
    if (r->inferring && !r->fixed[target]) {
      rdx_inference_add_integer(&r->inferred[target], value);
      return RDX_OK;
    }
    if (is_fast_value(c->view.type, value)) {
      if (!r->inferring)
        store_integer(c, row, value);
      return RDX_OK;
    }
  }
  RDX_TRY(read_field(r, number, &f, next, err));
  if (target == SKIP)
    return RDX_OK;
  r->resume = *next;
  return r->inferring ? learn_field(r, number, f, err) : store_field(r, number, row, f, err);
}

static rdx_status read_fields(reader *r, uint64_t row, rdx_error *err) {
  const char *record = r->at;
  for (uint32_t number = 0; number < r->field_count; number++) {
    const char *next = NULL;
    r->resume = NULL;
    RDX_TRY(take_field(r, number, row, &next, err));
    const bool last = next == r->end || *next == '\n';
    r->resume = next;
    if (last && number + 1 < r->field_count)
      return ragged(r, record, number + 1, err);
    if (!last && number + 1 == r->field_count)
      return ragged(r, record, r->field_count + 1, err);
    r->at = next + (next < r->end);
  }
  return RDX_OK;
}

rdx_status rdx_csv_read_record(reader *r, uint64_t row, rdx_error *err) {
  const rdx_status status = read_fields(r, row, err);
  for (uint32_t i = 0; status != RDX_OK && !r->inferring && i < r->table->column_count; i++)
    rdx_growing_undo(&r->table->columns[i], row);
  return status;
}

/* Where the rest cannot be told to be fields, the line ends the record. */
rdx_status rdx_csv_skip_record(reader *r, rdx_error *err) {
  while (r->resume && r->resume < r->end && *r->resume != '\n') {
    field f;
    r->at = r->resume + 1;
    r->resume = NULL;
    const rdx_status status = read_field(r, 0, &f, &r->resume, err);
    if (status == RDX_ERROR_MEMORY)
      return status;
    if (status != RDX_OK)
      r->resume = NULL;
  }
  if (!r->resume)
    r->resume = memchr(r->at, '\n', (size_t)(r->end - r->at));
  r->at = !r->resume || r->resume == r->end ? r->end : r->resume + 1;
  return RDX_OK;
}

rdx_status rdx_csv_reserve(reader *r, uint64_t row, rdx_error *err) {
  if (row % r->reserved != 0)
    return RDX_OK;
  for (uint32_t i = 0; i < r->table->column_count; i++)
    RDX_TRY(rdx_growing_reserve(&r->table->columns[i], row + r->reserved, err));
  return RDX_OK;
}

/* Read all records, or find that a type has to be wider. */
static rdx_status read_records(reader *r, uint64_t *rows, rdx_error *err) {
  r->at = r->first;
  r->widened = false;
  uint64_t row = 0;
  while (r->at < r->end) {
    if (*r->at <= '\r' && rdx_csv_at_end(r))
      break;
    if (row == UINT32_MAX - 1)
      return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "%s has more than 2^32 - 2 rows", r->name);
    RDX_TRY(rdx_csv_reserve(r, row, err));
    RDX_TRY(rdx_csv_read_record(r, row, err));
    row++;
    if (row % PROGRESS_EVERY == 0) {
      RDX_TRY(rdx_progress("read", (uint64_t)(r->at - r->begin), (uint64_t)(r->end - r->begin), err));
      if (r->widened)
        break;
    }
  }
  *rows = row;
  return RDX_OK;
}

/* ---- Columns ---- */

static rdx_status copy_name(field f, char **out, rdx_error *err) {
  RDX_TRY(rdx_alloc(f.length + 1, 1, "a column name", (void **)out, err));
  memcpy(*out, f.text, f.length);
  (*out)[f.length] = '\0';
  return RDX_OK;
}

/* Else a file with other line ends or characters would be one of columns with odd names, and no rows. */
static rdx_status check_name(reader *r, field f, rdx_error *err) {
  if (memchr(f.text, '\0', f.length))
    return fail_at(r, r->at, RDX_ERROR_FORMAT, r->field_count,
                   "its name holds a NUL byte, which text in UTF-8 does not", err);
  if (!f.quoted && memchr(f.text, '\r', f.length))
    return fail_at(r, r->at, RDX_ERROR_FORMAT, r->field_count,
                   "its name holds a carriage return; lines end with a line feed (tr '\\r' '\\n' makes them so)", err);
  return RDX_OK;
}

/* The names in the first record, or "1", "2", ... */
static rdx_status read_names(reader *r, bool header, char ***names, rdx_error *err) {
  uint32_t capacity = 0;
  r->at = r->begin;
  for (bool last = false; !last;) {
    field f;
    const char *next;
    char number[16];
    RDX_TRY(read_field(r, r->field_count, &f, &next, err));
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
    RDX_TRY(copy_name(f, &(*names)[r->field_count], err));
    r->field_count++;
    last = next == r->end || *next == '\n';
    if (header && last && r->field_count == 1 && f.length == 0 && !f.quoted)
      return rdx_fail(err, RDX_ERROR_FORMAT, "%s: its first line is empty: it needs at least a header line", r->name);
    r->at = next + (next < r->end);
  }
  r->first = header ? r->at : r->begin;
  return RDX_OK;
}

static rdx_status no_column(const reader *r, char *const *names, const char *wanted, rdx_error *err) {
  char list[512] = "";
  size_t used = 0;
  for (uint32_t i = 0; i < r->field_count && used < sizeof list; i++)
    used += (size_t)snprintf(list + used, sizeof list - used, "%s'%s'", i ? ", " : "", names[i]);
  return rdx_fail(err, RDX_ERROR_NOT_FOUND, "%s has no column '%s'; it has %s", r->name, wanted, list);
}

static rdx_status find_name(const reader *r, char *const *names, rdx_names *index, const char *wanted, uint32_t *out,
                            rdx_error *err) {
  uint32_t second;
  RDX_TRY(rdx_names_find(index, wanted, out, &second, err));
  if (*out == RDX_NO_COLUMN)
    return no_column(r, names, wanted, err);
  if (second != RDX_NO_COLUMN)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "%s: columns %u and %u are both named '%s'", r->name, *out + 1, second + 1,
                    wanted);
  return RDX_OK;
}

/* Choose the fields that become columns, and move their names to them. */
static rdx_status choose_columns(reader *r, const rdx_csv_params *params, char **names, rdx_names *index,
                                 rdx_error *err) {
  const uint32_t count = params->columns ? (uint32_t)params->column_count : r->field_count;
  RDX_TRY(rdx_table_create(count, &r->table, err));
  RDX_TRY(rdx_alloc(r->field_count, sizeof *r->targets, "a CSV file", (void **)&r->targets, err));
  RDX_TRY(rdx_calloc(count, sizeof *r->inferred, "a CSV file", (void **)&r->inferred, err));
  RDX_TRY(rdx_calloc(count, sizeof *r->fixed, "a CSV file", (void **)&r->fixed, err));
  memset(r->targets, 0xff, r->field_count * sizeof *r->targets);
  const uint32_t reserved = RESERVED_VALUES / (count > 0 ? count : 1);
  r->reserved = reserved > RESERVED ? RESERVED : reserved < RESERVED_LEAST ? RESERVED_LEAST : reserved;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t number = i;
    if (params->columns)
      RDX_TRY(find_name(r, names, index, params->columns[i], &number, err));
    if (r->targets[number] != SKIP)
      return rdx_fail(err, RDX_ERROR_ARGUMENT, "%s: column '%s' is asked for twice", r->name, params->columns[i]);
    r->targets[number] = i;
    RDX_TRY(copy_name((field){names[number], strlen(names[number]), false}, &r->table->columns[i].name, err));
  }
  for (size_t i = 0; i < params->type_count; i++) {
    const rdx_csv_type *given = &params->types[i];
    uint32_t number = 0;
    RDX_TRY(rdx_column_check(&(rdx_column){.type = given->type, .scale = given->scale}, given->column, err));
    RDX_TRY(find_name(r, names, index, given->column, &number, err));
    if (r->targets[number] == SKIP)
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

/* Learn types from a record. One that is wrong tells none, and is left for the pass that reads everything. `before` is
 * room for what was known before it. */
static rdx_status learn_record(reader *r, rdx_inference *before, bool *wrong, rdx_error *err) {
  const size_t size = r->table->column_count * sizeof *before;
  rdx_error problem;
  memcpy(before, r->inferred, size);
  rdx_status status = rdx_csv_read_record(r, 0, &problem);
  *wrong = status != RDX_OK && status != RDX_ERROR_MEMORY;
  if (*wrong) {
    memcpy(r->inferred, before, size);
    status = rdx_csv_skip_record(r, &problem);
  }
  if (status != RDX_OK && err)
    *err = problem;
  return status;
}

/* Learn types from some records that follow, or, where `count` is 0, until all columns have had a value or one is
 * wrong. */
static rdx_status learn(reader *r, uint32_t count, rdx_error *err) {
  rdx_inference *before = NULL;
  RDX_TRY(rdx_alloc(r->table->column_count, sizeof *before, "a CSV file", (void **)&before, err));
  rdx_status status = RDX_OK;
  bool wrong = false;
  r->inferring = true;
  for (uint32_t row = 0; status == RDX_OK && r->at < r->end; row++) {
    if (count ? row == count : wrong || !rdx_csv_is_unsure(r))
      break;
    if (*r->at <= '\r' && rdx_csv_at_end(r))
      break;
    if (row % PROGRESS_EVERY == 0)
      status = rdx_progress("infer types", (uint64_t)(r->at - r->begin), (uint64_t)(r->end - r->begin), err);
    if (status == RDX_OK)
      status = learn_record(r, before, &wrong, err);
  }
  r->inferring = false;
  r->problem = NULL;
  rdx_free(before);
  return status;
}

rdx_status rdx_csv_start_columns(reader *r, uint64_t capacity, rdx_error *err) {
  for (uint32_t i = 0; i < r->table->column_count; i++) {
    rdx_growing *c = &r->table->columns[i];
    uint8_t scale = c->view.scale;
    const rdx_type type = r->fixed[i] ? c->view.type : rdx_inference_type(&r->inferred[i], &scale);
    RDX_TRY(rdx_growing_start(c, type, scale, capacity, err));
  }
  return RDX_OK;
}

/* Not what numbers, dates and words are made of: a field of them would be two. */
rdx_status rdx_csv_check_delimiter(char delimiter, rdx_error *err) {
  const bool letter = (delimiter >= 'a' && delimiter <= 'z') || (delimiter >= 'A' && delimiter <= 'Z');
  const bool digit = delimiter >= '0' && delimiter <= '9';
  if (!letter && !digit && (delimiter == '\0' || !strchr("\"\n\r+-.", delimiter)))
    return RDX_OK;
  return rdx_fail(err, RDX_ERROR_ARGUMENT,
                  "a letter, a digit, '+', '-', '.', a quote or a line break cannot be the delimiter");
}

static rdx_status check_params(const rdx_csv_params *params, rdx_error *err) {
  RDX_TRY(rdx_csv_check_delimiter(params->delimiter, err));
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

rdx_status rdx_csv_start(reader *r, const char *name, const char *text, size_t size, const rdx_csv_params *params,
                         rdx_error *err) {
  static const rdx_csv_params defaults = {0};
  params = params ? params : &defaults;
  const size_t mark = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
  *r = (reader){
      .name = name, .begin = text + mark, .end = text + size, .delimiter = params->delimiter ? params->delimiter : ','};
  if (size == mark)
    return rdx_fail(err, RDX_ERROR_FORMAT, "%s is empty: it needs at least a header line", name);
  RDX_TRY(refuse_table(name, text, size, err));
  RDX_TRY(refuse_compressed(name, text, size, err));
  RDX_TRY(check_params(params, err));
  char **names = NULL;
  rdx_status status = read_names(r, !params->no_header, &names, err);
  if (status == RDX_OK)
    status = find_tail(r, err);
  rdx_names index = {0};
  for (uint32_t i = 0; i < r->field_count && status == RDX_OK && (params->columns || params->type_count > 0); i++)
    status = rdx_names_add(&index, names[i], strlen(names[i]), err);
  if (status == RDX_OK)
    status = choose_columns(r, params, names, &index, err);
  rdx_names_drop(&index);
  for (uint32_t i = 0; i < r->field_count; i++)
    rdx_free(names[i]);
  rdx_free(names);
  if (status != RDX_OK)
    return rdx_csv_place(r, status, line_of(r, r->problem), err);
  r->at = r->first;
  return learn(r, SAMPLE, err);
}

void rdx_csv_drop(reader *r) {
  rdx_free(r->targets);
  rdx_free(r->inferred);
  rdx_free(r->fixed);
  rdx_free(r->scratch);
  rdx_table_destroy(&r->table);
}

static rdx_status parse(reader *r, rdx_error *err) {
  uint64_t rows = 0;
  RDX_TRY(learn(r, 0, err)); /* the sample may have had no value of a column */
  do {
    /* A first guess at the number of rows, from the length of the header: growing is cheap. */
    RDX_TRY(rdx_csv_start_columns(r, (uint64_t)(r->end - r->first) / (8 * (uint64_t)r->field_count) + 1, err));
    const rdx_status status = read_records(r, &rows, err);
    if (status != RDX_OK)
      return rdx_csv_place(r, status, line_of(r, r->problem), err);
  } while (r->widened);
  rdx_table_finish(r->table, rows);
  return RDX_OK;
}

rdx_status rdx_table_parse_csv(const char *name, const char *text, size_t size, const rdx_csv_params *params,
                               rdx_table **out, rdx_error *err) {
  if (!name || !text || !out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_table_parse_csv: name, text and out must not be NULL");
  reader r;
  rdx_status status = rdx_csv_start(&r, name, text, size, params, err);
  if (status == RDX_OK)
    status = parse(&r, err);
  if (status == RDX_OK) {
    *out = r.table;
    r.table = NULL;
  }
  rdx_csv_drop(&r);
  return status;
}
