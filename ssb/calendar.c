/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The days of the table date. */

#include "ssb/internal.h"

static const char *const months[] = {"January", "February", "March",     "April",   "May",      "June",
                                     "July",    "August",   "September", "October", "November", "December"};
static const char *const weekdays[] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};

const char *ssb_month_name(uint32_t month) {
  return months[month];
}

const char *ssb_weekday_name(uint32_t day) {
  return weekdays[day];
}

/* Between 1992 and 1998 each fourth year is a leap year. */
static uint32_t days_of(uint32_t year, uint32_t month) {
  static const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return days[month - 1] + (month == 2 && year % 4 == 0);
}

/* The paper names no holidays: these are the federal ones of the United States that have a fixed day. */
static bool is_holiday(uint32_t month, uint32_t day) {
  return (month == 1 && day == 1) || (month == 7 && day == 4) || (month == 11 && day == 11) ||
         (month == 12 && day == 25);
}

void ssb_calendar_make(ssb_day days[DAYS]) {
  uint32_t year = FIRST_YEAR, month = 1, in_month = 1, in_year = 1;
  uint32_t in_week = 3; /* 1992-01-01 was a Wednesday */
  for (uint32_t i = 0; i < DAYS; i++) {
    const bool last = in_month == days_of(year, month);
    days[i] = (ssb_day){.key = year * 10000 + month * 100 + in_month,
                        .year = (uint16_t)year,
                        .in_year = (uint16_t)in_year,
                        .month = (uint8_t)month,
                        .in_month = (uint8_t)in_month,
                        .in_week = (uint8_t)(in_week + 1),
                        .last_in_month = last,
                        .holiday = is_holiday(month, in_month)};
    in_week = (in_week + 1) % 7;
    in_month = last ? 1 : in_month + 1;
    month += last;
    in_year++;
    if (month > 12) {
      month = 1;
      in_year = 1;
      year++;
    }
  }
}
