/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Intervals as text. */

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

#define ONE 1000000000000

/* A number, and a fraction of ONE more. */
typedef struct number {
  int64_t sign, whole, fraction;
} number;

typedef struct reader {
  const char *text;
  size_t length, at;
  rdx_i128 months, days, micros;
  rdx_time_field last; /* of the last number, where it has no word */
  bool minutes;        /* 1:02 is minutes and seconds */
  uint32_t found;      /* bits of the fields that were there */
  bool any;
  number waiting[2]; /* without words: what they are the next part says, or the end */
  uint32_t waiting_count;
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

/* A fraction behind a point, of ONE, rounded. */
static int64_t read_fraction(reader *r) {
  int64_t value = 0, unit = ONE / 10;
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

/* The nearest whole number; of halves the even one, or the one closer to zero. */
static rdx_i128 round_parts(rdx_i128 value, bool closer) {
  const rdx_i128 whole = value / ONE, rest = value % ONE, both = 2 * (rest < 0 ? -rest : rest);
  const bool up = both > ONE || (both == ONE && !closer && whole % 2 != 0);
  return whole + (up ? value < 0 ? -1 : 1 : 0);
}

static int64_t read_micros(reader *r) {
  return (int64_t)round_parts((rdx_i128)read_fraction(r) * RDX_MICROS_A_SECOND, false);
}

/* The rest of hh:mm[:ss[.ffffff]], from the first colon on, or of mm:ss, with a fraction in any case. */
static bool read_time(reader *r, int64_t hours, int64_t sign) {
  int64_t minutes = 0, seconds = 0, micros = 0;
  r->at++;
  if (!read_digits(r, &minutes))
    return false;
  if (next(r) == ':') {
    r->at++;
    if (!read_digits(r, &seconds))
      return false;
    micros = read_micros(r);
  } else if (next(r) == '.' || r->minutes) {
    seconds = minutes;
    minutes = hours;
    hours = 0;
    micros = read_micros(r);
  }
  if (minutes > 59 || seconds > 60)
    return false;
  r->micros += (rdx_i128)sign * ((rdx_i128)hours * HOUR + minutes * MINUTE + seconds * RDX_MICROS_A_SECOND + micros);
  return true;
}

/* A number of fields: fractions of years become months, those of months days, and those of days time. */
static bool add_field(reader *r, rdx_time_field field, number n) {
  static const int64_t months[] = {
      [RDX_FIELD_MONTH] = 1,    [RDX_FIELD_QUARTER] = 3,    [RDX_FIELD_YEAR] = 12,
      [RDX_FIELD_DECADE] = 120, [RDX_FIELD_CENTURY] = 1200, [RDX_FIELD_MILLENNIUM] = 12000};
  static const int64_t micros[] = {1, 1000, RDX_MICROS_A_SECOND, MINUTE, HOUR};
  if (field > RDX_FIELD_MILLENNIUM)
    return false;
  const rdx_i128 value = (rdx_i128)n.sign * ((rdx_i128)n.whole * ONE + n.fraction);
  if (field <= RDX_FIELD_HOUR) {
    r->micros += round_parts(value * micros[field], true);
  } else if (field <= RDX_FIELD_WEEK) {
    const rdx_i128 days = value * (field == RDX_FIELD_WEEK ? 7 : 1);
    r->days += days / ONE;
    r->micros += round_parts(days % ONE * RDX_MICROS_A_DAY, true);
  } else if (field <= RDX_FIELD_QUARTER) {
    const rdx_i128 all = value * months[field], days = all % ONE * 30;
    r->months += all / ONE;
    r->days += days / ONE;
    r->micros += round_parts(days % ONE * RDX_MICROS_A_DAY, true);
  } else {
    r->months += round_parts(value * months[field], false);
  }
  return true;
}

/* The rest of years-months, which no third number follows: that is a date. */
static bool read_months(reader *r, int64_t years, int64_t sign) {
  int64_t months = 0;
  r->at++;
  if (!read_digits(r, &months) || months > 11)
    return false;
  r->months += (rdx_i128)sign * (12 * (rdx_i128)years + months);
  return next(r) != '-';
}

#define TIME_OF_DAY                                                                                                    \
  (1u << RDX_FIELD_HOUR | 1u << RDX_FIELD_MINUTE | 1u << RDX_FIELD_SECOND | 1u << RDX_FIELD_MILLISECOND |              \
   1u << RDX_FIELD_MICROSECOND)

/* False: one of these fields was there. */
static bool find(reader *r, uint32_t fields) {
  const bool again = r->found & fields;
  r->found |= fields;
  return !again;
}

static bool put_number(reader *r, rdx_time_field field, number n) {
  const uint32_t parts = 1u << RDX_FIELD_MILLISECOND | 1u << RDX_FIELD_MICROSECOND;
  return find(r, 1u << field | (field == RDX_FIELD_SECOND && n.fraction ? parts : 0)) && add_field(r, field, n);
}

/* A number without a word before a time, or before hours, is days. */
static bool put_waiting(reader *r, bool before_hours) {
  const bool right = r->waiting_count == 0 || (r->waiting_count == 1 && before_hours);
  if (right && r->waiting_count == 1 && !put_number(r, RDX_FIELD_DAY, r->waiting[0]))
    return false;
  r->waiting_count = 0;
  return right;
}

static bool put_last(reader *r) {
  if (r->waiting_count == 0)
    return true;
  const number last = r->waiting[--r->waiting_count];
  return put_waiting(r, r->last == RDX_FIELD_HOUR) && put_number(r, r->last, last);
}

/* One number with its word, or a time. */
static bool read_part(reader *r) {
  number n = {0};
  rdx_time_field field = RDX_FIELD_SECOND;
  const char mark = next(r);
  n.sign = mark == '-' ? -1 : 1;
  r->at += mark == '-' || mark == '+';
  skip_blanks(r);
  if (next(r) != '.' && !read_digits(r, &n.whole))
    return false;
  if (next(r) == ':')
    return put_waiting(r, true) && find(r, TIME_OF_DAY) && read_time(r, n.whole, n.sign);
  if (next(r) == '-' && r->at + 1 < r->length && is_digit(r->text[r->at + 1]))
    return put_waiting(r, false) && find(r, 1u << RDX_FIELD_MONTH) && read_months(r, n.whole, n.sign);
  n.fraction = read_fraction(r);
  skip_blanks(r);
  const size_t first = r->at;
  while ((next(r) >= 'a' && next(r) <= 'z') || (next(r) >= 'A' && next(r) <= 'Z'))
    r->at++;
  const size_t length = r->at - first;
  if (length == 0 && r->waiting_count < RDX_COUNT(r->waiting)) {
    r->waiting[r->waiting_count++] = n;
    return true;
  }
  return rdx_time_field_from_name(r->text + first, length, &field) && put_waiting(r, field == RDX_FIELD_HOUR) &&
         put_number(r, field, n);
}

/* The rest of P0001-02-03. */
static bool read_dashed(reader *r, number years) {
  static const rdx_time_field fields[] = {RDX_FIELD_YEAR, RDX_FIELD_MONTH, RDX_FIELD_DAY};
  number n = years;
  r->any = true;
  for (uint32_t i = 0; i < RDX_COUNT(fields); i++) {
    if (!add_field(r, fields[i], n))
      return false;
    if (next(r) != '-' || i + 1 == RDX_COUNT(fields))
      break;
    r->at++;
    n = (number){.sign = 1};
    if (!read_digits(r, &n.whole))
      return false;
  }
  return r->at == r->length || next(r) == 'T';
}

/* A number without a letter: P00010203 and PT040506 are of three, others are years or hours. */
static bool read_bare(reader *r, number n, size_t digits, bool time) {
  static const rdx_time_field fields[2][3] = {{RDX_FIELD_YEAR, RDX_FIELD_MONTH, RDX_FIELD_DAY},
                                              {RDX_FIELD_HOUR, RDX_FIELD_MINUTE, RDX_FIELD_SECOND}};
  const bool three = digits == (time ? 6 : 8) && n.sign > 0;
  const number last = {.sign = 1, .whole = n.whole % 100, .fraction = n.fraction};
  r->any = true;
  return three ? add_field(r, fields[time][0], (number){.sign = 1, .whole = n.whole / 10000}) &&
                     add_field(r, fields[time][1], (number){.sign = 1, .whole = n.whole / 100 % 100}) &&
                     add_field(r, fields[time][2], last)
               : add_field(r, fields[time][0], n);
}

/* A number and its letter of ISO 8601's P1Y2M3DT4H5M6S. */
static bool read_designated(reader *r, bool time) {
  static const char letters[] = "YMWDHMS";
  static const rdx_time_field fields[] = {RDX_FIELD_YEAR, RDX_FIELD_MONTH,  RDX_FIELD_WEEK,  RDX_FIELD_DAY,
                                          RDX_FIELD_HOUR, RDX_FIELD_MINUTE, RDX_FIELD_SECOND};
  number n = {0};
  n.sign = next(r) == '-' ? -1 : 1;
  r->at += next(r) == '-' || next(r) == '+';
  const size_t first = r->at;
  if (next(r) != '.' && !read_digits(r, &n.whole))
    return false;
  const size_t digits = r->at - first;
  if (!time && next(r) == '-' && !r->any && n.sign > 0)
    return read_dashed(r, n);
  if (time && next(r) == ':' && !r->any && n.sign > 0)
    return read_time(r, n.whole, n.sign) && r->at == r->length;
  n.fraction = read_fraction(r);
  if (r->at == r->length || (!time && next(r) == 'T'))
    return !r->any && read_bare(r, n, digits, time);
  const char *from = time ? letters + 4 : letters, *at = next(r) ? strchr(from, next(r)) : NULL;
  if (!at || (!time && at >= letters + 4))
    return false;
  r->at++;
  r->any = true;
  return add_field(r, fields[at - letters], n);
}

static bool read_iso(reader *r) {
  bool time = false;
  for (r->at++; r->at < r->length;) {
    if (next(r) == 'T' && !time) {
      time = true;
      r->any = false;
      r->at++;
    } else if (!read_designated(r, time)) {
      return false;
    }
  }
  r->any |= time;
  return r->any;
}

bool rdx_interval_parse(const char *text, size_t length, rdx_time_field last, bool minutes, rdx_sql_interval *out) {
  reader r = {.text = text, .length = length, .last = last, .minutes = minutes};
  skip_blanks(&r);
  if (next(&r) == 'P' && !read_iso(&r))
    return false;
  for (skip_blanks(&r); r.at < r.length; skip_blanks(&r)) {
    if (r.any && r.waiting_count == 0 && r.length - r.at == 3 && strncasecmp(r.text + r.at, "ago", 3) == 0) {
      r.months = -r.months;
      r.days = -r.days;
      r.micros = -r.micros;
      break;
    }
    if (r.text[r.at] == '@' && !r.any) {
      r.at++;
      skip_blanks(&r);
    }
    if (!read_part(&r))
      return false;
    r.any = true;
  }
  if (!put_last(&r))
    return false;
  *out = (rdx_sql_interval){(int32_t)r.months, (int32_t)r.days, (int64_t)r.micros};
  return r.any && out->months == r.months && out->days == r.days && out->micros == r.micros;
}
