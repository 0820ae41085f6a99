/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

#include "table/arrow_values.h"

#include <stdlib.h>
#include <string.h>

#include "column/column.h"

#define DAY_SECONDS 86400

typedef rdx_incoming incoming;

/* ---- Errors ---- */

rdx_status rdx_incoming_unsupported(const incoming *in, rdx_error *err) {
  static const struct {
    const char *beginning, *remedy;
  } remedies[] = {
      {"+r", "decode its runs"},
      {"+d", "cast it to one type"},
      {"+u", "cast it to one type"},
      {"+", "flatten it to columns of its own, or cast it to strings"},
      {"tD", "cast the durations to int64"},
      {"ti", "cast the intervals to strings"},
      {"d:", "cast it to a decimal of at most 128 bits with 0 to 18 digits after the point"},
      {"", "cast it to a type that is"},
  };
  size_t i = 0;
  while (strncmp(in->schema->format, remedies[i].beginning, strlen(remedies[i].beginning)) != 0)
    i++;
  return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "column '%s' has the Arrow format '%.40s', which is not supported: %s",
                  in->name, in->schema->format, remedies[i].remedy);
}

rdx_status rdx_incoming_malformed(const char *name, const char *what, rdx_error *err) {
  return rdx_fail(err, RDX_ERROR_ARGUMENT, "column '%s' is no Arrow array: %s", name, what);
}

/* A value that a column cannot keep as it is. */
static rdx_status not_kept(const incoming *in, uint64_t row, const char *what, rdx_error *err) {
  return rdx_fail(err, RDX_ERROR_RANGE, "column '%s', row %llu: %s", in->name, (unsigned long long)row, what);
}

/* ---- NULLs ---- */

static bool has_bit(const uint8_t *bits, uint64_t i) {
  return (bits[i / 8] >> i % 8 & 1) != 0;
}

rdx_status rdx_incoming_take_validity(incoming *in, rdx_error *err) {
  const uint8_t *bits = in->array->buffers[0];
  if (!bits && in->array->null_count > 0) /* -1: it is not known how many there are, but there can be none */
    return rdx_incoming_malformed(in->name, "it has NULLs, and no bits that say which they are", err);
  if (!bits || in->array->null_count == 0)
    return RDX_OK;
  if (in->offset % 8 == 0) {
    in->out->view.validity = bits + in->offset / 8;
    return RDX_OK;
  }
  RDX_TRY(rdx_calloc(in->rows / 8 + 1, 1, "NULL bits", (void **)&in->out->validity, err));
  for (uint64_t i = 0; i < in->rows; i++)
    in->out->validity[i / 8] |= (uint8_t)(has_bit(bits, in->offset + i) << i % 8);
  in->out->view.validity = in->out->validity;
  return RDX_OK;
}

rdx_status rdx_incoming_make_null(incoming *in, uint64_t row, rdx_error *err) {
  rdx_growing *c = in->out;
  if (!c->validity) {
    RDX_TRY(rdx_alloc(in->rows / 8 + 1, 1, "NULL bits", (void **)&c->validity, err));
    memset(c->validity, 0xff, in->rows / 8 + 1);
    if (c->view.validity)
      memcpy(c->validity, c->view.validity, (in->rows + 7) / 8);
    c->view.validity = c->validity;
  }
  c->validity[row / 8] &= (uint8_t) ~(1u << row % 8);
  return RDX_OK;
}

/* The format n: no buffers, and strings that are all NULL. */
static rdx_status take_nulls(incoming *in, rdx_error *err) {
  rdx_growing *c = in->out;
  c->view.type = RDX_TYPE_STRING;
  RDX_TRY(rdx_calloc(in->rows / 8 + 1, 1, "NULL bits", (void **)&c->validity, err));
  RDX_TRY(rdx_calloc(in->rows + 1, 8, "the strings of a column", (void **)&c->offsets, err));
  c->view.validity = c->validity;
  c->view.offsets = c->offsets;
  c->view.values = "";
  return RDX_OK;
}

/* ---- Values of fixed width ---- */

/* Shared, but for those that lie askew, which the interface allows. */
rdx_status rdx_incoming_take_values(incoming *in, size_t size, rdx_error *err) {
  const char *values = in->array->buffers[1];
  if (values)
    values += in->offset * size;
  in->out->view.values = values;
  if ((uintptr_t)values % size == 0)
    return RDX_OK;
  RDX_TRY(rdx_alloc(in->rows, size, "the values of a column", &in->out->values, err));
  memcpy(in->out->values, values, in->rows * size);
  in->out->view.values = in->out->values;
  return RDX_OK;
}

/* Turn one value into another; NULL, or why it cannot be kept. */
typedef const char *(*convert_fn)(const char *from, size_t size, int64_t unit, void *to);

/* Convert values of `size` bytes to those of the column's type, whose NULLs become 0. */
static rdx_status convert(incoming *in, size_t size, int64_t unit, convert_fn call, rdx_error *err) {
  const size_t wide = rdx_type_size(in->out->view.type);
  const char *from = in->array->buffers[1];
  RDX_TRY(rdx_calloc(in->rows, wide, "the values of a column", &in->out->values, err));
  in->out->view.values = in->out->values;
  for (uint64_t i = 0; i < in->rows; i++) {
    if (!rdx_column_has(&in->out->view, i))
      continue;
    const char *wrong = call(from + (in->offset + i) * size, size, unit, (char *)in->out->values + i * wide);
    if (wrong)
      return not_kept(in, i, wrong, err);
  }
  return RDX_OK;
}

static rdx_status take_bools(incoming *in, rdx_error *err) {
  RDX_TRY(rdx_alloc(in->rows, 1, "the values of a column", &in->out->values, err));
  for (uint64_t i = 0; i < in->rows; i++)
    ((uint8_t *)in->out->values)[i] = has_bit(in->array->buffers[1], in->offset + i);
  in->out->view.values = in->out->values;
  return RDX_OK;
}

/* Every half is a float. */
static const char *widen_half(const char *from, RDX_UNUSED size_t size, RDX_UNUSED int64_t unit, void *to) {
  uint16_t half;
  memcpy(&half, from, sizeof half);
  const uint32_t sign = (uint32_t)(half & 0x8000) << 16, exponent = half >> 10 & 0x1f, fraction = half & 0x3ff;
  uint32_t bits = sign | (exponent + 112) << 23 | fraction << 13;
  if (exponent == 0x1f)
    bits = sign | 0x7f800000 | fraction << 13;
  float value;
  memcpy(&value, &bits, sizeof value);
  if (exponent == 0) /* a multiple of 2^-24 */
    value = (float)fraction * 0x1p-24f * (sign ? -1.0f : 1.0f);
  memcpy(to, &value, sizeof value);
  return NULL;
}

/* Low bytes first: the rest must be the sign's. */
static const char *narrow_decimal(const char *from, size_t size, RDX_UNUSED int64_t unit, void *to) {
  const bool negative = from[size - 1] & 0x80;
  memset(to, negative ? 0xff : 0, 8);
  memcpy(to, from, size < 8 ? size : 8);
  for (size_t i = 8; i < size; i++)
    if (from[i] != (negative ? '\xff' : '\0'))
      return "the decimal does not fit 64 bits";
  return size > 8 && (((const char *)to)[7] & 0x80) != (negative ? 0x80 : 0) ? "the decimal does not fit 64 bits"
                                                                             : NULL;
}

/* "d:P,S" or "d:P,S,BITS". */
static rdx_status take_decimals(incoming *in, rdx_error *err) {
  char *end = NULL;
  long bits = 128;
  (void)strtol(in->schema->format + 2, &end, 10);
  const long scale = *end == ',' ? strtol(end + 1, &end, 10) : -1;
  if (*end == ',')
    bits = strtol(end + 1, &end, 10);
  if (*end != '\0' || scale < 0 || scale > 18 || (bits != 32 && bits != 64 && bits != 128 && bits != 256))
    return rdx_incoming_unsupported(in, err);
  in->out->view.type = RDX_TYPE_DECIMAL;
  in->out->view.scale = (uint8_t)scale;
  return bits == 64 ? rdx_incoming_take_values(in, 8, err) : convert(in, (size_t)bits / 8, 0, narrow_decimal, err);
}

/* ---- Times ---- */

/* How many of a unit are a second; 0: it is none. */
static int64_t in_second(char unit) {
  return unit == 's' ? 1 : unit == 'm' ? 1000 : unit == 'u' ? 1000000 : unit == 'n' ? 1000000000 : 0;
}

static const char *to_microseconds(const char *from, size_t size, int64_t unit, void *to) {
  int64_t value;
  memcpy(&value, from, size);
  if (unit > 1000000 && value % (unit / 1000000) != 0)
    return "the timestamp has a part of a microsecond, which is not kept: cast the column to microseconds";
  if (unit > 1000000)
    value /= unit / 1000000;
  else if (__builtin_mul_overflow(value, 1000000 / unit, &value))
    return "the timestamp is beyond those of 64 bits in microseconds";
  memcpy(to, &value, sizeof value);
  return NULL;
}

/* "tsU:ZONE": an instant, whatever its zone. */
static rdx_status take_timestamps(incoming *in, rdx_error *err) {
  const int64_t unit = in_second(in->schema->format[2]);
  in->out->view.type = RDX_TYPE_TIMESTAMP;
  return unit == 1000000 ? rdx_incoming_take_values(in, 8, err) : convert(in, 8, unit, to_microseconds, err);
}

static const char *to_days(const char *from, size_t size, RDX_UNUSED int64_t unit, void *to) {
  int64_t value;
  memcpy(&value, from, size);
  if (value % (1000 * DAY_SECONDS) != 0)
    return "the date has a part of a day, which is not kept: cast the column to timestamps, or to days";
  value /= 1000 * DAY_SECONDS;
  if (value != (int32_t)value)
    return "the date is beyond those of 32 bits in days";
  memcpy(to, &(int32_t){(int32_t)value}, sizeof(int32_t));
  return NULL;
}

/* `count` digits; the end. */
static char *put_digits(char *to, int64_t value, int count) {
  for (int i = count; i-- > 0; value /= 10)
    to[i] = (char)('0' + value % 10);
  return to + count;
}

bool rdx_time_format(int64_t value, int64_t unit, int digits, char *to) {
  if (value < 0 || value >= DAY_SECONDS * unit)
    return false;
  const int64_t second = value / unit;
  to = put_digits(to, second / 3600, 2);
  *to++ = ':';
  to = put_digits(to, second / 60 % 60, 2);
  *to++ = ':';
  to = put_digits(to, second % 60, 2);
  if (digits > 0)
    *to++ = '.';
  put_digits(to, value % unit, digits);
  return true;
}

/* "ttU": strings, which order as the times do. */
static rdx_status take_times(incoming *in, rdx_error *err) {
  const int64_t unit = in_second(in->schema->format[2]);
  const size_t size = unit <= 1000 ? 4 : 8;
  int digits = 0;
  for (int64_t i = unit; i > 1; i /= 10)
    digits++;
  const size_t length = digits > 0 ? 9 + (size_t)digits : 8;
  rdx_growing *c = in->out;
  c->view.type = RDX_TYPE_STRING;
  RDX_TRY(rdx_calloc(in->rows + 1, 8, "the strings of a column", (void **)&c->offsets, err));
  RDX_TRY(rdx_alloc(in->rows, length, "the strings of a column", (void **)&c->bytes, err));
  c->view.offsets = c->offsets;
  c->view.values = c->bytes;
  for (uint64_t i = 0; i < in->rows; i++) {
    int64_t wide = 0;
    int32_t narrow = 0;
    const char *from = (const char *)in->array->buffers[1] + (in->offset + i) * size;
    memcpy(size == 8 ? (void *)&wide : &narrow, from, size);
    c->offsets[i + 1] = c->offsets[i];
    if (!rdx_column_has(&c->view, i))
      continue;
    if (!rdx_time_format(size == 8 ? wide : narrow, unit, digits, c->bytes + c->offsets[i]))
      return not_kept(in, i, "the time of day is not between 00:00:00 and 24:00:00", err);
    c->offsets[i + 1] += length;
  }
  return RDX_OK;
}

/* ---- Strings and bytes ---- */

static rdx_status copy_offsets(incoming *in, bool wide, rdx_error *err) {
  const void *offsets = in->array->buffers[1];
  RDX_TRY(rdx_alloc(in->rows + 1, 8, "the strings of a column", (void **)&in->out->offsets, err));
  for (uint64_t i = 0; i <= in->rows; i++) {
    int64_t large = 0;
    int32_t small = 0;
    if (wide)
      memcpy(&large, (const char *)offsets + 8 * (in->offset + i), 8);
    else
      memcpy(&small, (const char *)offsets + 4 * (in->offset + i), 4);
    in->out->offsets[i] = (uint64_t)(wide ? large : small);
  }
  in->out->view.offsets = in->out->offsets;
  return RDX_OK;
}

static rdx_status take_strings(incoming *in, bool wide, rdx_error *err) {
  const void *offsets = in->array->buffers[1];
  in->out->view.type = RDX_TYPE_STRING;
  in->out->view.values = in->array->buffers[2] ? in->array->buffers[2] : "";
  if (in->rows == 0)
    return RDX_OK;
  if (wide && (uintptr_t)offsets % 8 == 0)
    in->out->view.offsets = (const uint64_t *)offsets + in->offset;
  else
    RDX_TRY(copy_offsets(in, wide, err));
  if (in->out->view.offsets[in->rows] > INT64_MAX)
    return rdx_incoming_malformed(in->name, "an offset is below 0", err);
  if (!in->array->buffers[2] && in->out->view.offsets[in->rows] > in->out->view.offsets[0])
    return rdx_incoming_malformed(in->name, "a buffer is missing", err);
  return RDX_OK;
}

/* "w:N": N bytes each. */
static rdx_status take_equal_strings(incoming *in, rdx_error *err) {
  char *end = NULL;
  const unsigned long long length = strtoull(in->schema->format + 2, &end, 10);
  if (end == in->schema->format + 2 || *end != '\0' || in->schema->format[2] == '-' || length > INT32_MAX)
    return rdx_incoming_unsupported(in, err);
  RDX_TRY(rdx_alloc(in->rows + 1, 8, "the strings of a column", (void **)&in->out->offsets, err));
  for (uint64_t i = 0; i <= in->rows; i++)
    in->out->offsets[i] = (in->offset + i) * length;
  in->out->view.type = RDX_TYPE_STRING;
  in->out->view.offsets = in->out->offsets;
  in->out->view.values = in->array->buffers[1] ? in->array->buffers[1] : "";
  return RDX_OK;
}

/* A string of the formats vu and vz: in the view itself, or in one of the buffers behind it. */
typedef struct string_view {
  int32_t length;
  union {
    char inside[12];
    struct {
      char beginning[4];
      int32_t buffer, offset;
    } outside;
  } place;
} string_view;
_Static_assert(sizeof(string_view) == 16, "as Arrow has it");

/* The bytes of row `row`; NULL: there are none where the view says. */
static const char *view_at(const incoming *in, uint64_t row, string_view *v) {
  const struct ArrowArray *a = in->array;
  const int64_t buffers = a->n_buffers - 3;
  memcpy(v, (const char *)a->buffers[1] + (in->offset + row) * sizeof *v, sizeof *v);
  if (v->length >= 0 && v->length <= (int32_t)sizeof v->place.inside)
    return v->place.inside;
  const int32_t buffer = v->place.outside.buffer, offset = v->place.outside.offset;
  int64_t size;
  if (v->length < 0 || buffer < 0 || buffer >= buffers || offset < 0 || !a->buffers[2 + buffer])
    return NULL;
  memcpy(&size, (const char *)a->buffers[2 + buffers] + 8 * buffer, sizeof size);
  return offset <= size - v->length ? (const char *)a->buffers[2 + buffer] + offset : NULL;
}

static rdx_status take_views(incoming *in, rdx_error *err) {
  rdx_growing *c = in->out;
  uint64_t total = 0;
  string_view v;
  c->view.type = RDX_TYPE_STRING;
  RDX_TRY(rdx_calloc(in->rows + 1, 8, "the strings of a column", (void **)&c->offsets, err));
  for (uint64_t i = 0; i < in->rows; i++) {
    if (rdx_column_has(&c->view, i)) {
      if (!view_at(in, i, &v))
        return rdx_incoming_malformed(in->name, "a view is beyond its buffer", err);
      total += (uint64_t)v.length;
    }
    c->offsets[i + 1] = total;
  }
  RDX_TRY(rdx_alloc(total, 1, "the strings of a column", (void **)&c->bytes, err));
  for (uint64_t i = 0; i < in->rows; i++)
    if (rdx_column_has(&c->view, i)) {
      const char *text = view_at(in, i, &v);
      memcpy(c->bytes + c->offsets[i], text, (size_t)v.length);
    }
  c->view.offsets = c->offsets;
  c->view.values = c->bytes;
  return RDX_OK;
}

/* ---- All of them ---- */

static rdx_type fixed_type(const char *format) {
  static const struct {
    const char *format;
    rdx_type type;
  } types[] = {{"c", RDX_TYPE_I8},  {"s", RDX_TYPE_I16}, {"i", RDX_TYPE_I32},   {"l", RDX_TYPE_I64},
               {"C", RDX_TYPE_U8},  {"S", RDX_TYPE_U16}, {"I", RDX_TYPE_U32},   {"L", RDX_TYPE_U64},
               {"f", RDX_TYPE_F32}, {"g", RDX_TYPE_F64}, {"tdD", RDX_TYPE_DATE}};
  for (size_t i = 0; i < RDX_COUNT(types); i++)
    if (strcmp(format, types[i].format) == 0)
      return types[i].type;
  return RDX_TYPE_NONE;
}

static bool is_one_of(const char *format, const char *letters) {
  return strlen(format) == 1 && strchr(letters, *format);
}

/* Strings without bytes may have no buffer for them. */
static rdx_status check_buffers(const incoming *in, int64_t min, int64_t max, rdx_error *err) {
  const struct ArrowArray *a = in->array;
  if (a->n_buffers < min || a->n_buffers > max || !a->buffers)
    return rdx_incoming_malformed(in->name, "it has not as many buffers as its format needs", err);
  if (in->rows > 0 && !a->buffers[1] && strcmp(in->schema->format, "w:0") != 0)
    return rdx_incoming_malformed(in->name, "a buffer is missing", err);
  if (min == 3 && max > 3 && a->n_buffers > 3 && !a->buffers[a->n_buffers - 1])
    return rdx_incoming_malformed(in->name, "a buffer is missing", err);
  return RDX_OK;
}

/* The values of what has two buffers. */
static rdx_status take_plain(incoming *in, rdx_error *err) {
  const char *format = in->schema->format;
  const rdx_type fixed = fixed_type(format);
  in->out->view.type = fixed;
  if (fixed != RDX_TYPE_NONE)
    return rdx_incoming_take_values(in, rdx_type_size(fixed), err);
  if (strncmp(format, "ts", 2) == 0 && in_second(format[2]) && format[3] == ':')
    return take_timestamps(in, err);
  if (strncmp(format, "tt", 2) == 0 && in_second(format[2]) && format[3] == '\0')
    return take_times(in, err);
  if (strncmp(format, "d:", 2) == 0)
    return take_decimals(in, err);
  if (strncmp(format, "w:", 2) == 0)
    return take_equal_strings(in, err);
  if (strcmp(format, "b") == 0) {
    in->out->view.type = RDX_TYPE_BOOL;
    return take_bools(in, err);
  }
  if (strcmp(format, "e") == 0) {
    in->out->view.type = RDX_TYPE_F32;
    return convert(in, 2, 0, widen_half, err);
  }
  if (strcmp(format, "tdm") == 0) {
    in->out->view.type = RDX_TYPE_DATE;
    return convert(in, 8, 0, to_days, err);
  }
  return rdx_incoming_unsupported(in, err);
}

rdx_status rdx_incoming_take(incoming *in, rdx_error *err) {
  const char *format = in->schema->format;
  const bool views = strcmp(format, "vu") == 0 || strcmp(format, "vz") == 0, strings = is_one_of(format, "uUzZ");
  in->out->view.rows = in->rows;
  if (strcmp(format, "n") == 0)
    return take_nulls(in, err);
  if (*format == '+')
    return rdx_incoming_unsupported(in, err);
  RDX_TRY(check_buffers(in, views || strings ? 3 : 2, views ? INT32_MAX : strings ? 3 : 2, err));
  RDX_TRY(rdx_incoming_take_validity(in, err));
  if (views)
    return take_views(in, err);
  return strings ? take_strings(in, strchr("UZ", *format), err) : take_plain(in, err);
}
