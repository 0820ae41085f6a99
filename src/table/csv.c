/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Records of CSV: their fields, and what becomes of each value in its column. A value that does not fit a type that was
 * guessed widens it. */

#include <string.h>

#include "column/column.h"
#include "base/utf8.h"
#include "table/csv.h"

#define LONG_INTEGER INT64_C(1000000000000000) /* of more digits than any float holds */

typedef rdx_csv_reader reader;
typedef rdx_csv_field field;

/* ---- Errors ---- */

rdx_status rdx_csv_fail(reader *r, const char *at, rdx_status status, uint32_t number, const char *problem,
                        rdx_error *err) {
  r->problem = at;
  return rdx_fail(err, status, ", column %u: %s", number + 1, problem);
}

const char *rdx_csv_hint_text(rdx_csv_hint hint, bool for_copy) {
  static const char *const texts[][2] = {
      [RDX_HINT_DELIMITER] = {"--delimiter takes another", "DELIMITER of COPY takes another"},
      [RDX_HINT_QUOTE] = {"--quote none takes quotes as they are", "QUOTE of COPY takes another character for quotes"},
      [RDX_HINT_ENCODING] = {"--encoding latin1 or windows-1252", "ENCODING LATIN1 or WIN1252 of COPY"},
      [RDX_HINT_WINDOWS] = {"--encoding windows-1252", "ENCODING WIN1252 of COPY"}};
  return texts[hint][for_copy];
}

/* A quote where none may be. */
static rdx_status misquoted(reader *r, uint32_t number, const char *problem, rdx_error *err) {
  r->problem = r->at;
  return rdx_fail(err, RDX_ERROR_FORMAT, ", column %u: %s; %s", number + 1, problem,
                  rdx_csv_hint_text(RDX_HINT_QUOTE, r->for_copy));
}

/* What a value has too much of, if that is its fault. */
static const char *excess(const rdx_column *c, field f) {
  const char *point = memchr(f.text, '.', f.length);
  const uint64_t digits = point ? (uint64_t)(f.text + f.length - point) - 1 : 0;
  if (c->type == RDX_TYPE_TIMESTAMP && digits > 6)
    return ", which keeps 6 digits of a second";
  return c->type == RDX_TYPE_DECIMAL && digits > c->scale ? ", which keeps fewer digits behind the point" : "";
}

static rdx_status bad_value(reader *r, uint32_t number, const rdx_growing *c, field f, bool fits_not, rdx_error *err) {
  char text[160];
  r->problem = r->at;
  rdx_utf8_escape(f.text, f.length, text, f.length > 40 ? 44 : sizeof text);
  return rdx_fail(err, fits_not ? RDX_ERROR_RANGE : RDX_ERROR_FORMAT, ", column %u ('%s'): '%s' %s type %s%s",
                  number + 1, c->name, text, fits_not ? "does not fit" : "is not a value of",
                  rdx_type_name(c->view.type), fits_not ? excess(&c->view, f) : "");
}

rdx_status rdx_csv_place(const reader *r, rdx_status status, uint64_t line, rdx_error *err) {
  if (!r->problem || !err || (status != RDX_ERROR_FORMAT && status != RDX_ERROR_RANGE))
    return status;
  rdx_error text = *err;
  return rdx_fail(err, status, "%s, line %llu%.900s", r->name, (unsigned long long)line, text.text);
}

uint64_t rdx_csv_line(const reader *r, const char *at) {
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
    const char *quote = memchr(p, r->quote, (size_t)(r->end - p));
    if (!quote)
      return misquoted(r, number, "the quote that opens here is never closed", err);
    const bool more = quote + 1 < r->end && quote[1] == r->quote;
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

/* Carriage returns before a line end, or the end of the text, belong to it. */
static const char *skip_returns(const reader *r, const char *p) {
  const char *end = p;
  while (end < r->end && *end == '\r')
    end++;
  return end == r->end || *end == '\n' ? end : p;
}

/* Refuse bytes that are no UTF-8. */
static rdx_status check_text(reader *r, uint32_t number, const char *next, rdx_error *err) {
  const size_t size = (size_t)(next - r->at), good = rdx_utf8_check(r->at, size);
  if (good == size)
    return RDX_OK;
  r->problem = r->at + good;
  r->resume = next;
  return rdx_fail(err, RDX_ERROR_FORMAT,
                  ", column %u: byte %llu of the file, 0x%02x, is no UTF-8; %s may be what it is in", number + 1,
                  (unsigned long long)(r->at + good - r->begin) + 1, (unsigned char)r->at[good],
                  rdx_csv_hint_text(RDX_HINT_ENCODING, r->for_copy));
}

rdx_status rdx_csv_read_field(reader *r, uint32_t number, field *out, const char **next, rdx_error *err) {
  const char *p = r->at;
  if (p < r->end && *p == r->quote && r->quote) {
    RDX_TRY(read_quoted(r, p, number, out, &p, err));
    if (p < r->end && *p == '\r')
      p = skip_returns(r, p);
    if (p < r->end && *p != r->delimiter && *p != '\n')
      return misquoted(r, number, "there is text after a closing quote", err);
    *next = p;
    return r->check ? check_text(r, number, p, err) : RDX_OK;
  }
  const char *end = field_end(r, p);
  *next = end;
  if (end == r->end || *end == '\n')
    while (end > p && end[-1] == '\r')
      end--;
  *out = (field){p, (uint64_t)(end - p), false};
  if (r->quote && memchr(p, r->quote, (size_t)(end - p)))
    return misquoted(r, number, "a quote stands inside a field that does not start with one", err);
  return r->check ? check_text(r, number, *next, err) : RDX_OK;
}

/* Whether a field is NULL in a column that is, or is not, one of strings. */
static bool is_null(const reader *r, const field *f, bool string) {
  if (string && f->quoted)
    return false;
  if (f->length == 0)
    return true;
  if (r->null_count == 0)
    return false;
  const char *text = f->text;
  size_t length = f->length;
  rdx_value_trim(&text, &length);
  for (size_t i = 0; i < r->null_count; i++)
    if (r->nulls[i].length == length && memcmp(r->nulls[i].text, text, length) == 0)
      return true;
  return false;
}

/* ---- Records ---- */

bool rdx_csv_at_end(const reader *r) {
  return r->at >= r->tail;
}

static rdx_status ragged(reader *r, const char *record, uint32_t found, rdx_error *err) {
  char delimiter[8];
  r->problem = record;
  return rdx_fail(err, RDX_ERROR_FORMAT, ": %s%u field%s where the first line has %u ('%s' separates them; %s)",
                  found > r->field_count ? "more than " : "", found > r->field_count ? r->field_count : found,
                  found == 1 ? "" : "s", r->field_count, rdx_utf8_escape(&r->delimiter, 1, delimiter, sizeof delimiter),
                  rdx_csv_hint_text(RDX_HINT_DELIMITER, r->for_copy));
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

/* Unquoted integers of at most 16 digits without zeros that lead, the common case. False: take the long way. */
static bool fast_integer(const reader *r, const char *p, int64_t *value, const char **next) {
  if (r->end - p < 24)
    return false;
  const bool negative = *p == '-';
  p += negative;
  const char *first = p;
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
  const char *behind = p;
  p += *p == '\r' && p[1] == '\n';
  if ((*p != r->delimiter && *p != '\n') || (*first == '0' && (negative || behind > first + 1)))
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

/* The place of the field at r->at. */
static uint64_t place(const reader *r) {
  return (uint64_t)(r->at - r->begin);
}

static void learn(reader *r, uint32_t target, const rdx_look *look, field f) {
  rdx_inference_add(&r->inferred[target], look, f.text, f.length, place(r));
  r->learned = true;
}

static void learn_integer(reader *r, uint32_t target, int64_t value) {
  if (r->trying)
    return;
  rdx_inference_add_integer(&r->inferred[target], value, place(r));
  r->inferred[target].typed++;
  r->learned = true;
}

/* Note a value that became 0, or nearly, of a column whose type is given. */
static void note_rounded(reader *r, uint32_t target, field f) {
  rdx_look look;
  rdx_look_at(f.text, f.length, true, &look);
  look.traits = 1u << RDX_TRAIT_TINY;
  if (!r->trying && !rdx_inference_covers(&r->inferred[target], &look))
    learn(r, target, &look, f);
}

/* A value of a type that is given. */
static rdx_status parse_given(reader *r, uint32_t number, field f, void *value, rdx_error *err) {
  const uint32_t target = r->targets[number];
  const rdx_growing *c = &r->table->columns[target];
  const rdx_parse result = rdx_value_parse(c->view.type, c->view.scale, f.text, f.length, value);
  if (result == RDX_PARSE_ROUNDED)
    note_rounded(r, target, f);
  return result == RDX_PARSE_FORMAT || result == RDX_PARSE_RANGE
             ? bad_value(r, number, c, f, result == RDX_PARSE_RANGE, err)
             : RDX_OK;
}

/* Learn from a string of a column that nearly has another type, or may have it yet. */
static void watch(reader *r, uint32_t target, field f) {
  rdx_look look;
  if (is_null(r, &f, false))
    return;
  rdx_look_at(f.text, f.length, false, &look);
  if (rdx_inference_covers(&r->inferred[target], &look))
    return;
  learn(r, target, &look, f);
  r->widened |= rdx_csv_is_outgrown(r, target);
}

/* Add a field to its column, the long way. A value that a guessed type does not hold widens it instead. */
static rdx_status store_field(reader *r, uint32_t number, uint64_t row, field f, rdx_error *err) {
  const uint32_t target = r->targets[number];
  rdx_growing *c = &r->table->columns[target];
  rdx_inference *inferred = &r->inferred[target];
  const bool text = c->view.type == RDX_TYPE_STRING;
  rdx_look look;
  if (is_null(r, &f, text))
    return rdx_growing_add_null(c, row, err);
  if (text) {
    if (r->watched[target])
      watch(r, target, f);
    return rdx_growing_add_string(c, row, f.text, f.length, err);
  }
  void *value = (char *)c->values + row * rdx_type_size(c->view.type);
  if (r->fixed[target])
    return parse_given(r, number, f, value, err);
  rdx_look_at(f.text, f.length, c->view.type == RDX_TYPE_F64, &look);
  if (!rdx_inference_covers(inferred, &look)) {
    learn(r, target, &look, f);
    r->widened |= rdx_csv_is_outgrown(r, target);
  }
  if (!r->widened && !rdx_look_value(&look, c->view.type, c->view.scale, f.text, f.length, value))
    return rdx_fail(err, RDX_ERROR_INTERNAL, "%s: column '%s' has a value that its type does not hold", r->name,
                    c->name);
  return RDX_OK;
}

/* What a field tells of its column's type. One of a type that is given tells whether its record is good. */
static rdx_status learn_field(reader *r, uint32_t number, field f, rdx_error *err) {
  const uint32_t target = r->targets[number];
  const rdx_growing *c = &r->table->columns[target];
  uint64_t value;
  rdx_look look;
  if (is_null(r, &f, false) || (r->trying && !r->fixed[target]))
    return RDX_OK;
  if (!r->fixed[target]) {
    rdx_look_at(f.text, f.length, true, &look);
    learn(r, target, &look, f);
    if (look.traits >> RDX_TRAIT_TEXT & 1u)
      r->inferred[target].texts++;
    else
      r->inferred[target].typed++;
    return RDX_OK;
  }
  return c->view.type == RDX_TYPE_STRING ? RDX_OK : parse_given(r, number, f, &value, err);
}

/* Take in the field at r->at. */
static rdx_status take_field(reader *r, uint32_t number, uint64_t row, const char **next, rdx_error *err) {
  const uint32_t target = r->targets[number];
  field f;
  int64_t value;
  if (target != RDX_CSV_SKIP && r->plain_integers && fast_integer(r, r->at, &value, next)) {
    rdx_growing *c = &r->table->columns[target];
    if (r->inferring && !r->fixed[target] && value > -LONG_INTEGER && value < LONG_INTEGER) {
      learn_integer(r, target, value);
      return RDX_OK;
    }
    if ((r->fixed[target] || !r->inferring) && is_fast_value(c->view.type, value)) {
      if (!r->inferring)
        store_integer(c, row, value);
      return RDX_OK;
    }
  }
  RDX_TRY(rdx_csv_read_field(r, number, &f, next, err));
  if (target == RDX_CSV_SKIP)
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
  const bool check = r->check;
  r->check = false;
  while (r->resume && r->resume < r->end && *r->resume != '\n') {
    field f;
    r->at = r->resume + 1;
    r->resume = NULL;
    const rdx_status status = rdx_csv_read_field(r, 0, &f, &r->resume, err);
    if (status == RDX_ERROR_MEMORY)
      return status;
    if (status != RDX_OK)
      r->resume = NULL;
  }
  r->check = check;
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

void rdx_csv_drop(reader *r) {
  RDX_FREE_ALL(r->targets, r->inferred, r->fixed, r->watched, r->nulls, r->scratch, r->decoded);
  rdx_table_destroy(&r->table);
}
