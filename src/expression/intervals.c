/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Intervals as text. */

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "expression/calendar.h"

#define HOUR (3600 * RDX_MICROS_A_SECOND)
#define MINUTE (60 * RDX_MICROS_A_SECOND)

/* A number with its word. What follows something negative shows its sign, as PostgreSQL has it. */
static size_t put_part(char *to, size_t length, int32_t value, const char *word, bool *negative) {
  if (value == 0)
    return length;
  length += (size_t)sprintf(to + length, "%s%s%d %s%s", length > 0 ? " " : "", *negative && value > 0 ? "+" : "", value,
                            word, value == 1 ? "" : "s");
  *negative = value < 0;
  return length;
}

size_t rdx_interval_format(rdx_sql_interval v, char out[RDX_INTERVAL_TEXT]) {
  bool negative = false;
  size_t length = put_part(out, 0, v.months / 12, "year", &negative);
  length = put_part(out, length, v.months % 12, "mon", &negative);
  length = put_part(out, length, v.days, "day", &negative);
  if (v.micros == 0 && length > 0)
    return length;
  const uint64_t size = v.micros < 0 ? 0 - (uint64_t)v.micros : (uint64_t)v.micros;
  const uint64_t seconds = size / RDX_MICROS_A_SECOND;
  uint64_t fraction = size % RDX_MICROS_A_SECOND;
  int digits = 6;
  for (; fraction > 0 && fraction % 10 == 0; digits--)
    fraction /= 10;
  length += (size_t)sprintf(out + length, "%s%s%02llu:%02d:%02d", length > 0 ? " " : "",
                            v.micros < 0 ? "-"
                            : negative   ? "+"
                                         : "",
                            (unsigned long long)(seconds / 3600), (int)(seconds / 60 % 60), (int)(seconds % 60));
  if (fraction > 0)
    length += (size_t)sprintf(out + length, ".%0*d", digits, (int)fraction);
  return length;
}

/* ---- Reading ---- */

typedef struct reader {
  const char *text;
  size_t length, at;
  rdx_i128 months, days, micros;
  bool any;
} reader;

static void skip_blanks(reader *r) {
  while (r->at < r->length && (r->text[r->at] == ' ' || r->text[r->at] == '\t' || r->text[r->at] == '\n'))
    r->at++;
}

static char next(const reader *r) {
  return r->at < r->length ? r->text[r->at] : '\0';
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/* Digits, at most 15 of them. */
static bool read_digits(reader *r, int64_t *out) {
  const size_t first = r->at;
  *out = 0;
  for (; is_digit(next(r)) && r->at - first < 16; r->at++)
    *out = *out * 10 + (next(r) - '0');
  return r->at > first && r->at - first < 16;
}

/* A fraction behind a point, in millionths, rounded. */
static int64_t read_fraction(reader *r) {
  int64_t value = 0, unit = 100000;
  bool up = false;
  if (next(r) != '.')
    return 0;
  for (r->at++; is_digit(next(r)); r->at++, unit /= 10) {
    value += unit * (next(r) - '0');
    up |= unit == 0 && !up && next(r) >= '5';
    if (unit == 0)
      break;
  }
  while (is_digit(next(r)))
    r->at++;
  return value + up;
}

/* The rest of hh:mm[:ss[.ffffff]], from the first colon on. */
static bool read_time(reader *r, int64_t hours, int64_t sign) {
  int64_t minutes = 0, seconds = 0, micros = 0;
  r->at++;
  if (!read_digits(r, &minutes) || minutes > 59)
    return false;
  if (next(r) == ':') {
    r->at++;
    if (!read_digits(r, &seconds) || seconds > 59)
      return false;
    micros = read_fraction(r);
  }
  r->micros += (rdx_i128)sign * ((rdx_i128)hours * HOUR + minutes * MINUTE + seconds * RDX_MICROS_A_SECOND + micros);
  return true;
}

/* A number of fields, and millionths of one more: fractions of months become days, those of days become time. */
static bool add_field(reader *r, rdx_time_field field, int64_t sign, int64_t whole, int64_t millionths) {
  static const int64_t months[] = {
      [RDX_FIELD_MONTH] = 1,    [RDX_FIELD_QUARTER] = 3,    [RDX_FIELD_YEAR] = 12,
      [RDX_FIELD_DECADE] = 120, [RDX_FIELD_CENTURY] = 1200, [RDX_FIELD_MILLENNIUM] = 12000};
  static const int64_t micros[] = {1, 1000, RDX_MICROS_A_SECOND, MINUTE, HOUR};
  const int64_t million = 1000000;
  if (field > RDX_FIELD_MILLENNIUM)
    return false;
  const rdx_i128 value = (rdx_i128)sign * ((rdx_i128)whole * million + millionths);
  if (field <= RDX_FIELD_HOUR) {
    r->micros += value * micros[field] / million;
  } else if (field <= RDX_FIELD_WEEK) {
    const rdx_i128 days = value * (field == RDX_FIELD_WEEK ? 7 : 1);
    r->days += days / million;
    r->micros += days % million * (RDX_MICROS_A_DAY / million);
  } else {
    const rdx_i128 all = value * months[field];
    const rdx_i128 days = field == RDX_FIELD_MONTH || field == RDX_FIELD_QUARTER ? all % million * 30 : 0;
    r->months += all / million;
    r->days += days / million;
    r->micros += days % million * (RDX_MICROS_A_DAY / million);
  }
  return true;
}

/* Whether a time comes next, before which a number without a word is days. */
static bool is_before_time(const reader *r) {
  size_t at = r->at;
  at += at < r->length && (r->text[at] == '-' || r->text[at] == '+');
  const size_t first = at;
  while (at < r->length && is_digit(r->text[at]))
    at++;
  return at > first && at < r->length && r->text[at] == ':';
}

/* The rest of years-months. */
static bool read_months(reader *r, int64_t years, int64_t sign) {
  int64_t months = 0;
  r->at++;
  if (!read_digits(r, &months) || months > 11)
    return false;
  r->months += (rdx_i128)sign * (12 * (rdx_i128)years + months);
  return true;
}

/* One number with its word, or a time. */
static bool read_part(reader *r, rdx_time_field field) {
  int64_t whole = 0;
  const char mark = next(r);
  const int64_t sign = mark == '-' ? -1 : 1;
  r->at += mark == '-' || mark == '+';
  skip_blanks(r);
  if (next(r) != '.' && !read_digits(r, &whole))
    return false;
  if (next(r) == ':')
    return read_time(r, whole, sign);
  if (next(r) == '-' && r->at + 1 < r->length && is_digit(r->text[r->at + 1]))
    return read_months(r, whole, sign);
  const int64_t millionths = read_fraction(r);
  skip_blanks(r);
  const size_t first = r->at;
  while ((next(r) >= 'a' && next(r) <= 'z') || (next(r) >= 'A' && next(r) <= 'Z'))
    r->at++;
  const size_t length = r->at - first;
  if (length == 3 && strncasecmp(r->text + first, "ago", 3) == 0)
    r->at = first;
  else if (length > 0 && !rdx_time_field_from_name(r->text + first, length, &field))
    return false;
  else if (length == 0 && is_before_time(r))
    field = RDX_FIELD_DAY;
  return add_field(r, field, sign, whole, millionths);
}

/* A number and its letter of ISO 8601's P1Y2M3DT4H5M6S. */
static bool read_designated(reader *r, bool *time) {
  static const char letters[] = "YMWDHMS";
  static const rdx_time_field fields[] = {RDX_FIELD_YEAR, RDX_FIELD_MONTH,  RDX_FIELD_WEEK,  RDX_FIELD_DAY,
                                          RDX_FIELD_HOUR, RDX_FIELD_MINUTE, RDX_FIELD_SECOND};
  int64_t whole = 0;
  if (next(r) == 'T' && !*time) {
    *time = true;
    r->at++;
  }
  const int64_t sign = next(r) == '-' ? -1 : 1;
  r->at += next(r) == '-' || next(r) == '+';
  if (next(r) != '.' && !read_digits(r, &whole))
    return false;
  const int64_t millionths = read_fraction(r);
  const char *from = *time ? letters + 4 : letters, *at = next(r) ? strchr(from, next(r)) : NULL;
  if (!at || (!*time && at >= letters + 4))
    return false;
  r->at++;
  r->any = true;
  return add_field(r, fields[at - letters], sign, whole, millionths);
}

static bool read_iso(reader *r) {
  bool time = false;
  for (r->at++; r->at < r->length;)
    if (!read_designated(r, &time))
      return false;
  return r->any;
}

bool rdx_interval_parse(const char *text, size_t length, rdx_time_field field, rdx_sql_interval *out) {
  reader r = {.text = text, .length = length};
  skip_blanks(&r);
  if (next(&r) == 'P' && !read_iso(&r))
    return false;
  for (skip_blanks(&r); r.at < r.length; skip_blanks(&r)) {
    if (r.any && r.length - r.at == 3 && strncasecmp(r.text + r.at, "ago", 3) == 0) {
      r.months = -r.months;
      r.days = -r.days;
      r.micros = -r.micros;
      break;
    }
    if (r.text[r.at] == '@' && !r.any) {
      r.at++;
      skip_blanks(&r);
    }
    if (!read_part(&r, field))
      return false;
    r.any = true;
  }
  *out = (rdx_sql_interval){(int32_t)r.months, (int32_t)r.days, (int64_t)r.micros};
  return r.any && out->months == r.months && out->days == r.days && out->micros == r.micros;
}
