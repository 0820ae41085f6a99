/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_EXPRESSION_CALENDAR_H
#define RDX_EXPRESSION_CALENDAR_H

/* Days, times and intervals. Days are counted from 1970-01-01, times are microseconds from its midnight, UTC. */

#include "base/civil.h"
#include "expression/expression.h"

#define RDX_MICROS_A_SECOND INT64_C(1000000)
#define RDX_MICROS_A_DAY INT64_C(86400000000)

/* The day of a time, and the microseconds since its midnight. */
static inline int64_t rdx_day_of_time(int64_t time, int64_t *rest) {
  const int64_t part = time % RDX_MICROS_A_DAY, negative = part < 0;
  *rest = part + (negative ? RDX_MICROS_A_DAY : 0);
  return time / RDX_MICROS_A_DAY - negative;
}

/* False: it passes the type. */
bool rdx_time_of_day(int64_t day, int64_t *out);
bool rdx_time_add(int64_t time, rdx_sql_interval interval, bool subtract, int64_t *out);
bool rdx_interval_add(rdx_sql_interval a, rdx_sql_interval b, bool subtract, rdx_sql_interval *out);
/* Times a factor, or divided by it, which is not 0. */
bool rdx_interval_scale(rdx_sql_interval a, double factor, bool divide, rdx_sql_interval *out);
/* a - b: days, and what is left of one. */
bool rdx_time_difference(int64_t a, int64_t b, rdx_sql_interval *out);
/* Microseconds, a month being 30 days: the order of intervals. */
rdx_i128 rdx_interval_span(rdx_sql_interval interval);

/* ---- Fields ---- */

typedef enum rdx_time_field {
  RDX_FIELD_MICROSECOND,
  RDX_FIELD_MILLISECOND,
  RDX_FIELD_SECOND,
  RDX_FIELD_MINUTE,
  RDX_FIELD_HOUR,
  RDX_FIELD_DAY,
  RDX_FIELD_WEEK,
  RDX_FIELD_MONTH,
  RDX_FIELD_QUARTER,
  RDX_FIELD_YEAR,
  RDX_FIELD_DECADE,
  RDX_FIELD_CENTURY,
  RDX_FIELD_MILLENNIUM,
  RDX_FIELD_DAY_OF_WEEK,     /* Sunday is 0 */
  RDX_FIELD_ISO_DAY_OF_WEEK, /* Monday is 1 */
  RDX_FIELD_DAY_OF_YEAR,
  RDX_FIELD_ISO_YEAR,
  RDX_FIELD_JULIAN, /* days since noon of November 24, 4714 BC, as PostgreSQL counts them: from midnight on */
  RDX_FIELD_EPOCH,
} rdx_time_field;

/* By a name such as "year" or "mons", in letters of either case. */
bool rdx_time_field_from_name(const char *name, size_t length, rdx_time_field *out);
/* The digits behind the point that a field has. */
uint8_t rdx_time_field_scale(rdx_time_field field);
/* A field times ten to its scale. */
int64_t rdx_time_extract(rdx_time_field field, int64_t time);
/* The same of several, which may be any numbers. */
void rdx_times_extract(rdx_time_field field, const int64_t *times, uint32_t count, int64_t *out);
/* Of a date, a field of days or more. */
int64_t rdx_day_extract(rdx_time_field field, int64_t day);
int64_t rdx_interval_extract(rdx_time_field field, rdx_sql_interval interval);
/* False: times are not cut to this field. */
bool rdx_time_truncates(rdx_time_field field);
int64_t rdx_time_truncate(rdx_time_field field, int64_t time);
rdx_sql_interval rdx_interval_truncate(rdx_time_field field, rdx_sql_interval interval);

/* ---- Texts ---- */

#define RDX_INTERVAL_TEXT 96

/* As PostgreSQL writes one: "1 year 2 mons -3 days +04:05:06.7". */
size_t rdx_interval_format(rdx_sql_interval interval, char out[RDX_INTERVAL_TEXT]);

/* "1 year 2 mons 3 days 04:05:06.7", "90 day", "1.5 hours ago"; a last number without a word is one of `last`s, and
 * where these are hours one before it is days; `minutes`: 1:02 is minutes and seconds, not hours and minutes. False: it
 * is no interval. */
bool rdx_interval_parse(const char *text, size_t length, rdx_time_field last, bool minutes, rdx_sql_interval *out);
/* Rounded to so many digits of a second, halves away from zero. */
rdx_i128 rdx_micros_round(rdx_i128 micros, int64_t digits);

#endif
