/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Dates and times in the other forms that PostgreSQL reads, which say themselves what is the day and what the month:
 * 2024-1-5, 2024/01/05, 20240105, Jan 5, 2024, 5-Jan-2024; behind them 7:08, 10:00 PM, 10:00 UTC. */

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "expression/casts.h"
#include "expression/date_words.h"

typedef struct reader {
  const char *at, *end;
  int32_t year, month, day;
  char time[RDX_DATE_FORM];
} reader;

static bool is_digit(const reader *r) {
  return r->at < r->end && *r->at >= '0' && *r->at <= '9';
}

static bool is_letter(const reader *r) {
  return r->at < r->end && ((*r->at | 0x20) >= 'a' && (*r->at | 0x20) <= 'z');
}

static bool skip(reader *r, const char *marks) {
  const char *from = r->at;
  while (r->at < r->end && *r->at && strchr(marks, *r->at))
    r->at++;
  return r->at > from;
}

/* A number; how many digits it has. 0: there are none, or too many. */
static size_t number(reader *r, int32_t *out) {
  const char *from = r->at;
  for (*out = 0; is_digit(r) && r->at - from < 9; r->at++)
    *out = *out * 10 + (*r->at - '0');
  return (size_t)(r->at - from) < 9 ? (size_t)(r->at - from) : 0;
}

/* A month's name, or its first three letters. */
static bool month_name(reader *r) {
  const char *from = r->at;
  while (is_letter(r))
    r->at++;
  const size_t length = (size_t)(r->at - from);
  for (int32_t i = 0; i < 12 && r->month == 0; i++)
    if ((length == 3 || length == strlen(rdx_month_names[i])) && strncasecmp(from, rdx_month_names[i], length) == 0) {
      r->month = i + 1;
      return true;
    }
  return false;
}

/* Year, month and day: the year has four digits and is first, or it is last and the month a name. */
static bool read_date(reader *r) {
  int32_t value = 0;
  for (uint32_t part = 0; part < 3; part++) {
    if (part > 0 && !skip(r, "-/., "))
      return false;
    if (is_letter(r)) {
      if (!month_name(r))
        return false;
      continue;
    }
    const size_t digits = number(r, &value);
    if (digits == 8 && part == 0) {
      r->year = value / 10000;
      r->month = value / 100 % 100;
      r->day = value % 100;
      return true;
    }
    int32_t *to = digits == 4 && r->year == 0                 ? &r->year
                  : r->month == 0 && r->year > 0 && part == 1 ? &r->month
                  : r->day == 0                               ? &r->day
                                                              : NULL;
    if (!to || digits == 0 || (digits > 2 && to != &r->year) || value == 0)
      return false;
    *to = value;
  }
  return r->year > 0 && r->month > 0 && r->day > 0;
}

/* UTC, GMT, or what ISO 8601 has, which is read later. */
static bool read_zone(reader *r, char *out, size_t capacity) {
  const size_t left = (size_t)(r->end - r->at);
  if (left == 3 && (strncasecmp(r->at, "utc", 3) == 0 || strncasecmp(r->at, "gmt", 3) == 0)) {
    snprintf(out, capacity, "Z");
    return true;
  }
  snprintf(out, capacity, "%.*s", (int)left, r->at);
  return left < capacity && !is_letter(r);
}

/* Hours and minutes, perhaps seconds, AM or PM, a zone. */
static bool read_time(reader *r) {
  int32_t hour = 0;
  char rest[RDX_DATE_FORM] = "", zone[8] = "";
  const size_t digits = number(r, &hour);
  const char *from = r->at;
  if (digits < 1 || digits > 2 || r->at == r->end || *r->at != ':')
    return false;
  while (is_digit(r) || (r->at < r->end && strchr(":.", *r->at) && *r->at))
    r->at++;
  snprintf(rest, sizeof rest, "%.*s", (int)(r->at - from), from);
  skip(r, " ");
  const bool half =
      r->end - r->at >= 2 && (r->at[1] | 0x20) == 'm' && ((r->at[0] | 0x20) == 'a' || (r->at[0] | 0x20) == 'p');
  if (half && (hour < 1 || hour > 12))
    return false;
  if (half) {
    hour = hour % 12 + ((r->at[0] | 0x20) == 'p' ? 12 : 0);
    r->at += 2;
    skip(r, " ");
  }
  if (!read_zone(r, zone, sizeof zone) && strcmp(zone, "Z") != 0)
    return false;
  return snprintf(r->time, sizeof r->time, " %02d%s%s", hour, rest, zone) < (int)sizeof r->time;
}

size_t rdx_date_form(const char *text, size_t length, char out[RDX_DATE_FORM]) {
  reader r = {.at = text, .end = text + length};
  skip(&r, " ");
  while (r.end > r.at && r.end[-1] == ' ')
    r.end--;
  if (!read_date(&r))
    return 0;
  const bool more = r.at < r.end, apart = skip(&r, " ") || skip(&r, "T");
  if (more && (!apart || !read_time(&r)))
    return 0;
  const int written = snprintf(out, RDX_DATE_FORM, "%04d-%02d-%02d%s", r.year, r.month, r.day, r.time);
  return written > 0 && written < RDX_DATE_FORM ? (size_t)written : 0;
}
