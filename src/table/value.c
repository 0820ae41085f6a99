/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Text to values, and the types of columns from their values. */

#include "table/value.h"

#include <locale.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/base.h"

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/* ---- Integers and decimals ---- */

/* A plain number: sign, digits, point, digits. Its digits as an integer, as far as 128 bits hold them. */
typedef struct number {
  bool negative, too_large;
  uint32_t integer_digits, fraction_digits; /* leading zeros not counted */
  rdx_i128 digits;
} number;

static rdx_parse read_number(const char *text, size_t length, bool point_allowed, number *out) {
  *out = (number){0};
  size_t i = 0;
  if (length > 0 && (text[0] == '-' || text[0] == '+'))
    out->negative = text[i++] == '-';
  const size_t first = i;
  bool point = false;
  for (; i < length; i++) {
    if (text[i] == '.' && point_allowed && !point) {
      point = true;
      continue;
    }
    if (!is_digit(text[i]))
      return RDX_PARSE_FORMAT;
    out->too_large |= out->digits > ((rdx_i128)1 << 100);
    if (!out->too_large)
      out->digits = out->digits * 10 + (text[i] - '0');
    out->fraction_digits += point;
    out->integer_digits += !point && (out->integer_digits > 0 || text[i] != '0');
  }
  const size_t digits = length - first - point;
  return digits > 0 ? RDX_PARSE_OK : RDX_PARSE_FORMAT;
}

static rdx_parse parse_integer(const char *text, size_t length, rdx_i128 least, rdx_i128 most, rdx_i128 *out) {
  number n;
  rdx_parse result = read_number(text, length, false, &n);
  if (result != RDX_PARSE_OK)
    return result;
  *out = n.negative ? -n.digits : n.digits;
  return n.too_large || *out < least || *out > most ? RDX_PARSE_RANGE : RDX_PARSE_OK;
}

/* More fraction digits than the scale are an error unless they are zeros. */
static rdx_parse parse_decimal(const char *text, size_t length, uint8_t scale, int64_t *out) {
  number n;
  rdx_parse result = read_number(text, length, true, &n);
  if (result != RDX_PARSE_OK)
    return result;
  if (n.too_large)
    return RDX_PARSE_RANGE;
  for (; n.fraction_digits > scale; n.fraction_digits--) {
    if (n.digits % 10 != 0)
      return RDX_PARSE_RANGE;
    n.digits /= 10;
  }
  for (; n.fraction_digits < scale; n.fraction_digits++) {
    n.digits *= 10;
    if (n.digits > (rdx_i128)UINT64_MAX)
      return RDX_PARSE_RANGE;
  }
  const rdx_i128 value = n.negative ? -n.digits : n.digits;
  if (value < INT64_MIN || value > INT64_MAX)
    return RDX_PARSE_RANGE;
  *out = (int64_t)value;
  return RDX_PARSE_OK;
}

/* ---- Floats ---- */

static locale_t c_locale;

static void make_c_locale(void) {
  c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

/* strtod without its liberties: no spaces, no hexadecimal. */
static bool is_float_text(const char *text, size_t length, bool *exponent) {
  size_t i = 0, digits = 0;
  *exponent = false;
  i += length > 0 && (text[0] == '-' || text[0] == '+');
  const size_t rest = length - i;
  if ((rest == 3 && (strncasecmp(text + i, "inf", 3) == 0 || strncasecmp(text + i, "nan", 3) == 0)) ||
      (rest == 8 && strncasecmp(text + i, "infinity", 8) == 0))
    return true;
  for (bool point = false; i < length && (is_digit(text[i]) || (text[i] == '.' && !point)); i++) {
    point |= text[i] == '.';
    digits += is_digit(text[i]);
  }
  if (digits == 0)
    return false;
  if (i == length)
    return true;
  if (text[i] != 'e' && text[i] != 'E')
    return false;
  *exponent = true;
  i++;
  i += i < length && (text[i] == '-' || text[i] == '+');
  const size_t first = i;
  while (i < length && is_digit(text[i]))
    i++;
  return i == length && i > first;
}

#define LONGEST_FLOAT 4095 /* characters */

/* Whether the number before any exponent is 0. */
static bool is_zero_text(const char *text, size_t length) {
  size_t i = 0;
  while (i < length && (text[i] < '1' || text[i] > '9') && text[i] != 'e' && text[i] != 'E')
    i++;
  return i == length || text[i] == 'e' || text[i] == 'E';
}

static rdx_parse parse_float(rdx_type type, const char *text, size_t length, void *out) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  char copy[LONGEST_FLOAT + 1];
  bool exponent;
  if (!is_float_text(text, length, &exponent) || length > LONGEST_FLOAT)
    return RDX_PARSE_FORMAT;
  pthread_once(&once, make_c_locale);
  memcpy(copy, text, length);
  copy[length] = '\0';
  const double wide = strtod_l(copy, NULL, c_locale);
  const float narrow = strtof_l(copy, NULL, c_locale);
  const bool infinite = copy[length - 1] == 'f' || copy[length - 1] == 'F' || copy[length - 1] == 'y' ||
                        copy[length - 1] == 'Y'; /* inf, infinity */
  if (type == RDX_TYPE_F32)
    memcpy(out, &narrow, sizeof narrow);
  else
    memcpy(out, &wide, sizeof wide);
  const double size = type == RDX_TYPE_F32 ? (double)narrow : wide;
  if (size == 0 && !is_zero_text(text, length)) /* beyond the type, as what overflows is */
    return RDX_PARSE_RANGE;
  return size - size != 0 && size == size && !infinite ? RDX_PARSE_RANGE : RDX_PARSE_OK;
}

/* ---- Dates and times ---- */

/* Days from 1970-01-01 in the Gregorian calendar, counted in eras of 400 years that begin in March. */
static int32_t days_from_date(int32_t year, int32_t month, int32_t day) {
  const int32_t y = year - (month <= 2);
  const int32_t era = y / 400, in_era = y - era * 400;
  const int32_t in_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + in_era * 365 + in_era / 4 - in_era / 100 + in_year - 719468;
}

/* `count` digits as a number; -1 where there are others. */
static int32_t digits_at(const char *text, size_t count) {
  int32_t value = 0;
  for (size_t i = 0; i < count; i++) {
    if (!is_digit(text[i]))
      return -1;
    value = value * 10 + (text[i] - '0');
  }
  return value;
}

static rdx_parse parse_date(const char *text, size_t length, int32_t *out) {
  static const int8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (length != 10 || text[4] != '-' || text[7] != '-')
    return RDX_PARSE_FORMAT;
  const int32_t year = digits_at(text, 4), month = digits_at(text + 5, 2), day = digits_at(text + 8, 2);
  if (year < 0 || month < 0 || day < 0)
    return RDX_PARSE_FORMAT;
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > days[month - 1] + (month == 2 && leap))
    return RDX_PARSE_RANGE;
  *out = days_from_date(year, month, day);
  return RDX_PARSE_OK;
}

/* HH:MM[:SS[.ffffff]][Z] in microseconds. */
static rdx_parse parse_time(const char *text, size_t length, int64_t *out) {
  if (length > 0 && text[length - 1] == 'Z')
    length--;
  if (length < 5 || text[2] != ':')
    return RDX_PARSE_FORMAT;
  const int32_t hour = digits_at(text, 2), minute = digits_at(text + 3, 2);
  int32_t second = 0, micros = 0;
  if (length > 5) {
    if (length < 8 || text[5] != ':')
      return RDX_PARSE_FORMAT;
    second = digits_at(text + 6, 2);
  }
  if (length > 8) {
    const size_t digits = length - 9;
    if (text[8] != '.' || digits < 1 || digits > 6)
      return RDX_PARSE_FORMAT;
    micros = digits_at(text + 9, digits);
    for (size_t i = digits; i < 6 && micros >= 0; i++)
      micros *= 10;
  }
  if (hour < 0 || minute < 0 || second < 0 || micros < 0)
    return RDX_PARSE_FORMAT;
  if (hour > 23 || minute > 59 || second > 59)
    return RDX_PARSE_RANGE;
  *out = ((hour * 60 + minute) * 60 + (int64_t)second) * 1000000 + micros;
  return RDX_PARSE_OK;
}

/* A date alone is its midnight. */
static rdx_parse parse_timestamp(const char *text, size_t length, int64_t *out) {
  int32_t days = 0;
  int64_t time = 0;
  rdx_parse result = parse_date(text, length < 10 ? length : 10, &days);
  if (result == RDX_PARSE_OK && length > 10)
    result = text[10] == 'T' || text[10] == ' ' ? parse_time(text + 11, length - 11, &time) : RDX_PARSE_FORMAT;
  *out = days * INT64_C(86400000000) + time;
  return result;
}

/* ---- Any value ---- */

static bool is_word(const char *text, size_t length, const char *word) {
  return length == strlen(word) && strncasecmp(text, word, length) == 0;
}

static rdx_parse parse_bool(const char *text, size_t length, uint8_t *out) {
  *out = is_word(text, length, "true") || is_word(text, length, "t") || is_word(text, length, "1");
  return *out || is_word(text, length, "false") || is_word(text, length, "f") || is_word(text, length, "0")
             ? RDX_PARSE_OK
             : RDX_PARSE_FORMAT;
}

rdx_parse rdx_value_parse(rdx_type type, uint8_t scale, const char *text, size_t length, void *out) {
  switch (type) {
  case RDX_TYPE_BOOL:
    return parse_bool(text, length, out);
  case RDX_TYPE_F32:
  case RDX_TYPE_F64:
    return parse_float(type, text, length, out);
  case RDX_TYPE_DATE:
    return parse_date(text, length, out);
  case RDX_TYPE_TIMESTAMP:
    return parse_timestamp(text, length, out);
  case RDX_TYPE_DECIMAL:
    return parse_decimal(text, length, scale, out);
  default:
    break;
  }
  const size_t size = rdx_type_size(type);
  const bool is_unsigned = type >= RDX_TYPE_U8 && type <= RDX_TYPE_U64;
  const rdx_i128 half = (rdx_i128)1 << (8 * size - 1);
  rdx_i128 value = 0;
  rdx_parse result =
      parse_integer(text, length, is_unsigned ? 0 : -half, is_unsigned ? 2 * half - 1 : half - 1, &value);
  const uint64_t bits =
      (uint64_t)value; /* the low bytes are the narrower value on the little-endian CPUs that Embree runs on */
  memcpy(out, &bits, size);
  return result;
}

/* ---- Inference ---- */

static bool is_float(const char *text, size_t length) {
  double value;
  return parse_float(RDX_TYPE_F64, text, length, &value) == RDX_PARSE_OK;
}

/* What looks like a number but is none that a type holds, such as 1e999 or 1e-999, is text. */
void rdx_inference_add(rdx_inference *f, const char *text, size_t length) {
  number n;
  int32_t day;
  int64_t instant;
  if (read_number(text, length, true, &n) == RDX_PARSE_OK) {
    const rdx_i128 value = n.negative ? -n.digits : n.digits;
    f->number = true;
    f->text |= length > LONGEST_FLOAT || ((n.too_large || n.fraction_digits > 300) && !is_float(text, length));
    f->negative |= value < 0;
    f->above_i32 |= n.too_large || value < INT32_MIN || value > INT32_MAX;
    f->above_i64 |= n.too_large || value > INT64_MAX;
    f->above_u64 |= n.too_large || value < INT64_MIN || value > (rdx_i128)UINT64_MAX;
    f->integer_digits = n.integer_digits > f->integer_digits ? n.integer_digits : f->integer_digits;
    f->fraction_digits = n.fraction_digits > f->fraction_digits ? n.fraction_digits : f->fraction_digits;
    f->exponent |= memchr(text, '.', length) && n.fraction_digits == 0; /* "1." is a float */
  } else if (length > 0 && (is_digit(text[length - 1]) || text[length - 1] == '.') && is_float(text, length)) {
    f->number = f->exponent = true;
  } else if (parse_date(text, length, &day) == RDX_PARSE_OK) {
    f->date = true;
  } else if (parse_timestamp(text, length, &instant) == RDX_PARSE_OK) {
    f->timestamp = true;
  } else if (is_word(text, length, "true") || is_word(text, length, "false")) {
    f->boolean = true;
  } else {
    f->text = true;
  }
}

void rdx_inference_add_integer(rdx_inference *f, int64_t value) {
  const uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  uint32_t digits = 0;
  for (uint64_t rest = size; rest > 0; rest /= 10)
    digits++;
  f->number = true;
  f->negative |= value < 0;
  f->above_i32 |= value != (int32_t)value;
  f->integer_digits = digits > f->integer_digits ? digits : f->integer_digits;
}

void rdx_inference_merge(rdx_inference *f, const rdx_inference *other) {
  f->boolean |= other->boolean;
  f->number |= other->number;
  f->date |= other->date;
  f->timestamp |= other->timestamp;
  f->text |= other->text;
  f->negative |= other->negative;
  f->above_i32 |= other->above_i32;
  f->above_i64 |= other->above_i64;
  f->above_u64 |= other->above_u64;
  f->exponent |= other->exponent;
  f->integer_digits = other->integer_digits > f->integer_digits ? other->integer_digits : f->integer_digits;
  f->fraction_digits = other->fraction_digits > f->fraction_digits ? other->fraction_digits : f->fraction_digits;
}

bool rdx_inference_is_empty(const rdx_inference *f) {
  return !f->boolean && !f->number && !f->date && !f->timestamp && !f->text;
}

rdx_type rdx_inference_type(const rdx_inference *f, uint8_t *scale) {
  *scale = 0;
  const int kinds = f->boolean + f->number + (f->date || f->timestamp);
  if (f->text || kinds != 1)
    return RDX_TYPE_STRING;
  if (f->boolean)
    return RDX_TYPE_BOOL;
  if (f->date || f->timestamp)
    return f->timestamp ? RDX_TYPE_TIMESTAMP : RDX_TYPE_DATE;
  if (f->exponent)
    return RDX_TYPE_F64;
  if (f->fraction_digits > 0) {
    if (f->integer_digits + f->fraction_digits > 18)
      return RDX_TYPE_F64;
    *scale = (uint8_t)f->fraction_digits;
    return RDX_TYPE_DECIMAL;
  }
  if (f->above_u64 || (f->above_i64 && f->negative))
    return RDX_TYPE_F64;
  return f->above_i64 ? RDX_TYPE_U64 : f->above_i32 ? RDX_TYPE_I64 : RDX_TYPE_I32;
}
