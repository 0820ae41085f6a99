/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_BASE_CIVIL_H
#define RDX_BASE_CIVIL_H

/* Dates of the Gregorian calendar and days counted from 1970-01-01, by eras of 400 years that begin in March. */

#include <stdbool.h>
#include <stdint.h>

#define RDX_DAYS_OF_ERA 146097

typedef struct rdx_civil {
  int64_t year;
  int32_t month, day; /* from 1 */
} rdx_civil;

static inline rdx_civil rdx_civil_of_day(int64_t day) {
  const int64_t shifted = day + 719468;
  const int64_t era = (shifted >= 0 ? shifted : shifted - (RDX_DAYS_OF_ERA - 1)) / RDX_DAYS_OF_ERA;
  const int64_t in_era = shifted - era * RDX_DAYS_OF_ERA;
  const int64_t in_400 = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
  const int64_t in_year = in_era - (365 * in_400 + in_400 / 4 - in_400 / 100);
  const int64_t month = (5 * in_year + 2) / 153;
  return (rdx_civil){.year = in_400 + era * 400 + (month >= 10),
                     .month = (int32_t)(month < 10 ? month + 3 : month - 9),
                     .day = (int32_t)(in_year - (153 * month + 2) / 5 + 1)};
}

/* The day of a date, whose month is 1 to 12 and whose day may be any number. */
static inline int64_t rdx_day_of_civil(int64_t year, int32_t month, int32_t day) {
  const int64_t y = year - (month <= 2);
  const int64_t era = (y >= 0 ? y : y - 399) / 400, in_era = y - era * 400;
  const int64_t in_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * RDX_DAYS_OF_ERA + in_era * 365 + in_era / 4 - in_era / 100 + in_year - 719468;
}

static inline int32_t rdx_days_of_month(int64_t year, int32_t month) {
  static const int8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return days[month - 1] + (month == 2 && leap);
}

#endif
