/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The Gregorian calendar, and arithmetic of times and intervals. */

#include "expression/calendar.h"

#include <math.h>
#include <string.h>
#include <strings.h>

static int64_t floor_divide(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

bool rdx_time_of_day(int64_t day, int64_t *out) {
  return !__builtin_mul_overflow(day, RDX_MICROS_A_DAY, out);
}

/* ---- Arithmetic ---- */

/* Months first: the day stays, or becomes the month's last. */
static int64_t add_months(int64_t day, int64_t months) {
  const rdx_civil c = rdx_civil_of_day(day);
  const int64_t month = c.year * 12 + c.month - 1 + months, year = floor_divide(month, 12);
  const int32_t in_year = (int32_t)(month - year * 12) + 1, last = rdx_days_of_month(year, in_year);
  return rdx_day_of_civil(year, in_year, c.day < last ? c.day : last);
}

bool rdx_time_add(int64_t time, rdx_sql_interval interval, bool subtract, int64_t *out) {
  const int64_t sign = subtract ? -1 : 1;
  int64_t rest = 0, day = rdx_day_of_time(time, &rest);
  if (interval.months != 0)
    day = add_months(day, sign * interval.months);
  day += sign * interval.days;
  const rdx_i128 sum = (rdx_i128)day * RDX_MICROS_A_DAY + rest + (rdx_i128)sign * interval.micros;
  *out = (int64_t)sum;
  return *out == sum;
}

bool rdx_interval_add(rdx_sql_interval a, rdx_sql_interval b, bool subtract, rdx_sql_interval *out) {
  if (subtract)
    return !__builtin_sub_overflow(a.months, b.months, &out->months) &&
           !__builtin_sub_overflow(a.days, b.days, &out->days) &&
           !__builtin_sub_overflow(a.micros, b.micros, &out->micros);
  return !__builtin_add_overflow(a.months, b.months, &out->months) &&
         !__builtin_add_overflow(a.days, b.days, &out->days) &&
         !__builtin_add_overflow(a.micros, b.micros, &out->micros);
}

/* Fractions go down: of months to days of 30 a month, of days to microseconds. */
bool rdx_interval_scale(rdx_sql_interval a, double factor, bool divide, rdx_sql_interval *out) {
  const double months = divide ? a.months / factor : a.months * factor;
  const double days = divide ? a.days / factor : a.days * factor;
  if (!(fabs(months) < 0x1p31 && fabs(days) < 0x1p31))
    return false;
  const double whole_months = trunc(months), whole_days = trunc(days);
  double more = rint((months - whole_months) * 30 * 1e6) / 1e6;
  double seconds = (days - whole_days + more - trunc(more)) * 86400;
  seconds = rint(seconds * 1e6) / 1e6;
  more = trunc(more);
  if (fabs(seconds) >= 86400) {
    more += trunc(seconds / 86400);
    seconds -= trunc(seconds / 86400) * 86400;
  }
  const double time = divide ? (double)a.micros / factor : (double)a.micros * factor;
  const double micros = rint(time + seconds * 1e6);
  if (!(fabs(micros) < 0x1p63 && fabs(whole_days + more) < 0x1p31))
    return false;
  *out = (rdx_sql_interval){(int32_t)whole_months, (int32_t)(whole_days + more), (int64_t)micros};
  return true;
}

bool rdx_time_difference(int64_t a, int64_t b, rdx_sql_interval *out) {
  int64_t micros = 0;
  if (__builtin_sub_overflow(a, b, &micros))
    return false;
  *out = (rdx_sql_interval){.days = (int32_t)(micros / RDX_MICROS_A_DAY), .micros = micros % RDX_MICROS_A_DAY};
  return true;
}

rdx_i128 rdx_interval_span(rdx_sql_interval interval) {
  return ((rdx_i128)interval.months * 30 + interval.days) * RDX_MICROS_A_DAY + interval.micros;
}

/* ---- Fields ---- */

static const struct {
  const char *name;
  rdx_time_field field;
} names[] = {
    {"microsecond", RDX_FIELD_MICROSECOND},
    {"us", RDX_FIELD_MICROSECOND},
    {"usec", RDX_FIELD_MICROSECOND},
    {"millisecond", RDX_FIELD_MILLISECOND},
    {"ms", RDX_FIELD_MILLISECOND},
    {"msec", RDX_FIELD_MILLISECOND},
    {"second", RDX_FIELD_SECOND},
    {"sec", RDX_FIELD_SECOND},
    {"s", RDX_FIELD_SECOND},
    {"minute", RDX_FIELD_MINUTE},
    {"min", RDX_FIELD_MINUTE},
    {"m", RDX_FIELD_MINUTE},
    {"hour", RDX_FIELD_HOUR},
    {"hr", RDX_FIELD_HOUR},
    {"h", RDX_FIELD_HOUR},
    {"day", RDX_FIELD_DAY},
    {"d", RDX_FIELD_DAY},
    {"week", RDX_FIELD_WEEK},
    {"w", RDX_FIELD_WEEK},
    {"month", RDX_FIELD_MONTH},
    {"mon", RDX_FIELD_MONTH},
    {"quarter", RDX_FIELD_QUARTER},
    {"year", RDX_FIELD_YEAR},
    {"yr", RDX_FIELD_YEAR},
    {"y", RDX_FIELD_YEAR},
    {"decade", RDX_FIELD_DECADE},
    {"century", RDX_FIELD_CENTURY},
    {"centuries", RDX_FIELD_CENTURY},
    {"millennium", RDX_FIELD_MILLENNIUM},
    {"millennia", RDX_FIELD_MILLENNIUM},
    {"dow", RDX_FIELD_DAY_OF_WEEK},
    {"isodow", RDX_FIELD_ISO_DAY_OF_WEEK},
    {"doy", RDX_FIELD_DAY_OF_YEAR},
    {"isoyear", RDX_FIELD_ISO_YEAR},
    {"julian", RDX_FIELD_JULIAN},
    {"epoch", RDX_FIELD_EPOCH},
};

bool rdx_time_field_from_name(const char *name, size_t length, rdx_time_field *out) {
  for (size_t i = 0; i < RDX_COUNT(names); i++) {
    const size_t size = strlen(names[i].name);
    const bool plural = size > 1 && length == size + 1 && (name[size] == 's' || name[size] == 'S');
    if ((length != size && !plural) || strncasecmp(name, names[i].name, size) != 0)
      continue;
    *out = names[i].field;
    return true;
  }
  return false;
}

#define JULIAN_DIGITS 10   /* behind the point: 64 bits have room for all timestamps */
#define JULIAN_DAY 2440588 /* 1970-01-01 */

uint8_t rdx_time_field_scale(rdx_time_field field) {
  return field == RDX_FIELD_SECOND || field == RDX_FIELD_EPOCH ? 6
         : field == RDX_FIELD_MILLISECOND                      ? 3
         : field == RDX_FIELD_JULIAN                           ? JULIAN_DIGITS
                                                               : 0;
}

/* Monday is 0. */
static int64_t weekday(int64_t day) {
  return day + 3 - floor_divide(day + 3, 7) * 7;
}

/* The ISO week belongs to the year of its Thursday. */
static int64_t iso_week(int64_t day, int64_t *year) {
  const int64_t thursday = day - weekday(day) + 3;
  *year = rdx_civil_of_day(thursday).year;
  return (thursday - rdx_day_of_civil(*year, 1, 1)) / 7 + 1;
}

/* Centuries and millennia begin with the year 1, there is no year 0: before 1 they count down. */
static int64_t count_years(int64_t year, int64_t length) {
  return year > 0 ? (year + length - 1) / length : -((length - year) / length);
}

RDX_INLINE int64_t extract_of_day(rdx_time_field field, int64_t day) {
  const rdx_civil c = rdx_civil_of_day(day);
  int64_t year = 0;
  switch (field) {
  case RDX_FIELD_DAY:
    return c.day;
  case RDX_FIELD_WEEK:
    return iso_week(day, &year);
  case RDX_FIELD_MONTH:
    return c.month;
  case RDX_FIELD_QUARTER:
    return (c.month + 2) / 3;
  case RDX_FIELD_YEAR:
    return c.year > 0 ? c.year : c.year - 1;
  case RDX_FIELD_DECADE:
    return floor_divide(c.year, 10);
  case RDX_FIELD_CENTURY:
    return count_years(c.year, 100);
  case RDX_FIELD_MILLENNIUM:
    return count_years(c.year, 1000);
  case RDX_FIELD_DAY_OF_WEEK:
    return (weekday(day) + 1) % 7;
  case RDX_FIELD_ISO_DAY_OF_WEEK:
    return weekday(day) + 1;
  case RDX_FIELD_DAY_OF_YEAR:
    return day - rdx_day_of_civil(c.year, 1, 1) + 1;
  case RDX_FIELD_JULIAN:
    return day + JULIAN_DAY;
  default: /* the ISO year */
    iso_week(day, &year);
    return year > 0 ? year : year - 1;
  }
}

int64_t rdx_day_extract(rdx_time_field field, int64_t day) {
  return extract_of_day(field, day);
}

RDX_INLINE int64_t extract_of_time(rdx_time_field field, int64_t time) {
  int64_t rest = 0;
  const int64_t day = rdx_day_of_time(time, &rest);
  switch (field) {
  case RDX_FIELD_MICROSECOND:
  case RDX_FIELD_MILLISECOND:
  case RDX_FIELD_SECOND:
    return rest % (60 * RDX_MICROS_A_SECOND);
  case RDX_FIELD_MINUTE:
    return rest / (60 * RDX_MICROS_A_SECOND) % 60;
  case RDX_FIELD_HOUR:
    return rest / (3600 * RDX_MICROS_A_SECOND);
  case RDX_FIELD_JULIAN: /* 1e-10 days are 8.64 microseconds */
    return (day + JULIAN_DAY) * 10000000000 + (rest * 100 + 432) / 864;
  case RDX_FIELD_EPOCH:
    return time;
  default:
    return extract_of_day(field, day);
  }
}

int64_t rdx_time_extract(rdx_time_field field, int64_t time) {
  return extract_of_time(field, time);
}

/* Compiled anew for a field. */
#define EXTRACT_EACH(field)                                                                                            \
  case field:                                                                                                          \
    for (uint32_t i = 0; i < count; i++)                                                                               \
      out[i] = extract_of_time(field, times[i]);                                                                       \
    break

void rdx_times_extract(rdx_time_field field, const int64_t *times, uint32_t count, int64_t *out) {
  switch (field) {
    EXTRACT_EACH(RDX_FIELD_MINUTE);
    EXTRACT_EACH(RDX_FIELD_HOUR);
    EXTRACT_EACH(RDX_FIELD_DAY);
    EXTRACT_EACH(RDX_FIELD_MONTH);
    EXTRACT_EACH(RDX_FIELD_QUARTER);
    EXTRACT_EACH(RDX_FIELD_YEAR);
    EXTRACT_EACH(RDX_FIELD_DAY_OF_WEEK);
    EXTRACT_EACH(RDX_FIELD_ISO_DAY_OF_WEEK);
  default:
    for (uint32_t i = 0; i < count; i++)
      out[i] = extract_of_time(field, times[i]);
  }
}

int64_t rdx_interval_extract(rdx_time_field field, rdx_sql_interval v) {
  switch (field) {
  case RDX_FIELD_MICROSECOND:
  case RDX_FIELD_MILLISECOND:
  case RDX_FIELD_SECOND:
    return v.micros % (60 * RDX_MICROS_A_SECOND);
  case RDX_FIELD_MINUTE:
    return v.micros / (60 * RDX_MICROS_A_SECOND) % 60;
  case RDX_FIELD_HOUR:
    return v.micros / (3600 * RDX_MICROS_A_SECOND);
  case RDX_FIELD_DAY:
    return v.days;
  case RDX_FIELD_MONTH:
    return v.months % 12;
  case RDX_FIELD_QUARTER:
    return v.months % 12 / 3 + 1;
  case RDX_FIELD_YEAR:
    return v.months / 12;
  case RDX_FIELD_DECADE:
    return v.months / 120;
  case RDX_FIELD_CENTURY:
    return v.months / 1200;
  case RDX_FIELD_MILLENNIUM:
    return v.months / 12000;
  default: /* the epoch: a year has 365.25 days, a month that is left over 30 */
    return (int64_t)((rdx_i128)(v.months / 12) * 1461 * (RDX_MICROS_A_DAY / 4) +
                     ((rdx_i128)(v.months % 12) * 30 + v.days) * RDX_MICROS_A_DAY + v.micros);
  }
}

bool rdx_time_truncates(rdx_time_field field) {
  return field <= RDX_FIELD_MILLENNIUM;
}

static int64_t truncate_day(rdx_time_field field, int64_t day) {
  const rdx_civil c = rdx_civil_of_day(day);
  switch (field) {
  case RDX_FIELD_WEEK:
    return day - weekday(day);
  case RDX_FIELD_MONTH:
    return rdx_day_of_civil(c.year, c.month, 1);
  case RDX_FIELD_QUARTER:
    return rdx_day_of_civil(c.year, (c.month - 1) / 3 * 3 + 1, 1);
  case RDX_FIELD_YEAR:
    return rdx_day_of_civil(c.year, 1, 1);
  case RDX_FIELD_DECADE:
    return rdx_day_of_civil(floor_divide(c.year, 10) * 10, 1, 1);
  case RDX_FIELD_CENTURY:
    return rdx_day_of_civil(floor_divide(c.year - 1, 100) * 100 + 1, 1, 1);
  case RDX_FIELD_MILLENNIUM:
    return rdx_day_of_civil(floor_divide(c.year - 1, 1000) * 1000 + 1, 1, 1);
  default:
    return day;
  }
}

/* Microseconds of the fields below a day. */
static int64_t unit_of(rdx_time_field field) {
  static const int64_t units[] = {1, 1000, 1000000, 60000000, 3600000000};
  return units[field];
}

int64_t rdx_time_truncate(rdx_time_field field, int64_t time) {
  int64_t rest = 0;
  const int64_t day = rdx_day_of_time(time, &rest);
  if (field < RDX_FIELD_DAY)
    return time - rest % unit_of(field);
  return (int64_t)((rdx_i128)truncate_day(field, day) * RDX_MICROS_A_DAY);
}

rdx_sql_interval rdx_interval_truncate(rdx_time_field field, rdx_sql_interval v) {
  static const int32_t months[] = {1, 3, 12, 120, 1200, 12000}; /* from months on */
  if (field < RDX_FIELD_DAY) {
    v.micros -= v.micros % unit_of(field);
    return v;
  }
  v.micros = 0;
  if (field == RDX_FIELD_DAY)
    return v;
  v.days = field == RDX_FIELD_WEEK ? v.days - v.days % 7 : 0;
  if (field > RDX_FIELD_WEEK)
    v.months -= v.months % months[field - RDX_FIELD_MONTH];
  return v;
}

rdx_i128 rdx_micros_round(rdx_i128 micros, int64_t digits) {
  rdx_i128 unit = 1;
  for (int64_t i = digits; i < 6; i++)
    unit *= 10;
  const rdx_i128 rest = micros % unit;
  return micros - rest + (rest >= unit - rest ? unit : -rest >= unit + rest ? -unit : 0);
}
