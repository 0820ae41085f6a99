/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* to_char() of times. */

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "expression/calendar.h"
#include "expression/functions.h"

#define MAX_OF_A_WORD 16 /* bytes that a word of a pattern writes */

typedef enum word {
  WORD_HOUR_24,
  WORD_HOUR_12,
  WORD_MINUTE,
  WORD_SECOND,
  WORD_MILLISECOND,
  WORD_MICROSECOND,
  WORD_SECONDS,
  WORD_NOON,
  WORD_NOON_DOTS,
  WORD_YEAR,
  WORD_YEAR_COMMA,
  WORD_ISO_YEAR,
  WORD_CENTURY,
  WORD_QUARTER,
  WORD_MONTH,
  WORD_MONTH_NAME,
  WORD_MONTH_SHORT,
  WORD_ISO_WEEK,
  WORD_WEEK,
  WORD_WEEK_OF_MONTH,
  WORD_DAY,
  WORD_DAY_OF_YEAR,
  WORD_DAY_OF_WEEK,
  WORD_ISO_DAY_OF_WEEK,
  WORD_DAY_NAME,
  WORD_DAY_SHORT,
  WORD_JULIAN,
} word;

/* Those that begin like others come first. */
static const struct {
  const char *text;
  word word;
  uint8_t digits;
} words[] = {
    {"hh24", WORD_HOUR_24, 2},     {"hh12", WORD_HOUR_12, 2},
    {"hh", WORD_HOUR_12, 2},       {"mi", WORD_MINUTE, 2},
    {"ssss", WORD_SECONDS, 1},     {"ss", WORD_SECOND, 2},
    {"ms", WORD_MILLISECOND, 3},   {"us", WORD_MICROSECOND, 6},
    {"a.m.", WORD_NOON_DOTS, 0},   {"p.m.", WORD_NOON_DOTS, 0},
    {"am", WORD_NOON, 0},          {"pm", WORD_NOON, 0},
    {"y,yyy", WORD_YEAR_COMMA, 0}, {"yyyy", WORD_YEAR, 4},
    {"yyy", WORD_YEAR, 3},         {"yy", WORD_YEAR, 2},
    {"y", WORD_YEAR, 1},           {"iyyy", WORD_ISO_YEAR, 4},
    {"iyy", WORD_ISO_YEAR, 3},     {"iy", WORD_ISO_YEAR, 2},
    {"iw", WORD_ISO_WEEK, 2},      {"id", WORD_ISO_DAY_OF_WEEK, 1},
    {"cc", WORD_CENTURY, 2},       {"q", WORD_QUARTER, 1},
    {"mm", WORD_MONTH, 2},         {"month", WORD_MONTH_NAME, 0},
    {"mon", WORD_MONTH_SHORT, 0},  {"ww", WORD_WEEK, 2},
    {"w", WORD_WEEK_OF_MONTH, 1},  {"ddd", WORD_DAY_OF_YEAR, 3},
    {"dd", WORD_DAY, 2},           {"day", WORD_DAY_NAME, 0},
    {"dy", WORD_DAY_SHORT, 0},     {"d", WORD_DAY_OF_WEEK, 1},
    {"j", WORD_JULIAN, 1},
};

static int64_t field(rdx_time_field f, int64_t time) {
  int64_t value = rdx_time_extract(f, time);
  for (uint8_t scale = rdx_time_field_scale(f); scale > 0; scale--)
    value /= 10;
  return value;
}

/* The number that a word means. */
static int64_t number_of(word which, int64_t time) {
  int64_t rest = 0;
  const int64_t day = rdx_day_of_time(time, &rest), of_day = rest / RDX_MICROS_A_SECOND;
  const rdx_civil civil = rdx_civil_of_day(day);
  switch (which) {
  case WORD_HOUR_24:
    return of_day / 3600;
  case WORD_HOUR_12:
    return (of_day / 3600 + 11) % 12 + 1;
  case WORD_MINUTE:
    return of_day / 60 % 60;
  case WORD_SECOND:
    return of_day % 60;
  case WORD_MILLISECOND:
    return rest % RDX_MICROS_A_SECOND / 1000;
  case WORD_MICROSECOND:
    return rest % RDX_MICROS_A_SECOND;
  case WORD_SECONDS:
    return of_day;
  case WORD_ISO_YEAR:
    return field(RDX_FIELD_ISO_YEAR, time);
  case WORD_CENTURY:
    return field(RDX_FIELD_CENTURY, time);
  case WORD_QUARTER:
    return (civil.month + 2) / 3;
  case WORD_MONTH:
    return civil.month;
  case WORD_ISO_WEEK:
    return field(RDX_FIELD_WEEK, time);
  case WORD_WEEK:
    return (field(RDX_FIELD_DAY_OF_YEAR, time) - 1) / 7 + 1;
  case WORD_WEEK_OF_MONTH:
    return (civil.day - 1) / 7 + 1;
  case WORD_DAY:
    return civil.day;
  case WORD_DAY_OF_YEAR:
    return field(RDX_FIELD_DAY_OF_YEAR, time);
  case WORD_DAY_OF_WEEK:
    return field(RDX_FIELD_DAY_OF_WEEK, time) + 1;
  case WORD_ISO_DAY_OF_WEEK:
    return field(RDX_FIELD_ISO_DAY_OF_WEEK, time);
  case WORD_JULIAN:
    return day + 2440588;
  default:
    return civil.year <= 0 ? 1 - civil.year : civil.year; /* BC */
  }
}

/* A name in the letters of the pattern: DAY, Day or day; long ones are filled up to nine. */
static int write_name(const char *name, const char *like, int length, bool filled, char *out) {
  const bool first = isupper((unsigned char)like[0]), second = isupper((unsigned char)like[1]);
  const int count = length > 0 ? length : (int)strlen(name);
  int used = snprintf(out, MAX_OF_A_WORD, "%-*.*s", filled && length == 0 ? 9 : 0, count, name);
  for (int i = 0; i < used; i++)
    out[i] = (char)(first && (second || i == 0) ? toupper((unsigned char)out[i]) : tolower((unsigned char)out[i]));
  return used;
}

static const char *ordinal(int64_t number) {
  static const char *const ends[] = {"th", "st", "nd", "rd"};
  return number % 100 / 10 == 1 || number % 10 > 3 ? ends[0] : ends[number % 10];
}

/* What one word writes, with the ordinal behind a number where `suffix` has its letters. */
static int write_word(size_t w, const char *like, bool filled, const char *suffix, int64_t time, char *out) {
  static const char *const months[] = {"January", "February", "March",     "April",   "May",      "June",
                                       "July",    "August",   "September", "October", "November", "December"};
  static const char *const days[] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
  const int64_t month = number_of(WORD_MONTH, time), weekday = number_of(WORD_DAY_OF_WEEK, time);
  const bool afternoon = number_of(WORD_HOUR_24, time) >= 12;
  int64_t number = number_of(words[w].word, time);
  switch (words[w].word) {
  case WORD_NOON:
    return snprintf(out, MAX_OF_A_WORD, "%s",
                    isupper((unsigned char)like[0]) ? (afternoon ? "PM" : "AM") : (afternoon ? "pm" : "am"));
  case WORD_NOON_DOTS:
    return snprintf(out, MAX_OF_A_WORD, "%s",
                    isupper((unsigned char)like[0]) ? (afternoon ? "P.M." : "A.M.") : (afternoon ? "p.m." : "a.m."));
  case WORD_MONTH_NAME:
  case WORD_MONTH_SHORT:
    return write_name(months[month - 1], like, words[w].word == WORD_MONTH_SHORT ? 3 : 0, filled, out);
  case WORD_DAY_NAME:
  case WORD_DAY_SHORT:
    return write_name(days[weekday - 1], like, words[w].word == WORD_DAY_SHORT ? 3 : 0, filled, out);
  case WORD_YEAR_COMMA:
    return snprintf(out, MAX_OF_A_WORD, "%lld,%03lld", (long long)(number / 1000), (long long)(number % 1000));
  case WORD_YEAR:
  case WORD_ISO_YEAR:
    number = words[w].digits == 4 ? number : number % (words[w].digits == 3 ? 1000 : words[w].digits == 2 ? 100 : 10);
    break;
  default:
    break;
  }
  return snprintf(out, MAX_OF_A_WORD, "%0*lld%.2s", filled ? words[w].digits : 1, (long long)number,
                  suffix ? ordinal(number) : "");
}

/* The word that a pattern begins with; the count of words: none. */
static size_t find_word(const char *at, uint64_t length) {
  size_t w = 0;
  while (w < RDX_COUNT(words) &&
         (strlen(words[w].text) > length || strncasecmp(at, words[w].text, strlen(words[w].text)) != 0))
    w++;
  return w;
}

static bool begins(const char *at, uint64_t length, const char *text) {
  return strlen(text) <= length && strncasecmp(at, text, strlen(text)) == 0;
}

rdx_status rdx_dates_to_char(rdx_worker *w, const rdx_node *n, const rdx_datum *args, rdx_datum *out) {
  const rdx_sql_text pattern = args[1].text;
  char *to = NULL;
  uint64_t used = 0;
  bool filled = true, quoted = false;
  if (pattern.length > RDX_LONGEST_TEXT / MAX_OF_A_WORD)
    return rdx_function_fail(w, n, "the text would be longer than 1 GiB");
  RDX_TRY(rdx_take_text(w, pattern.length * MAX_OF_A_WORD + 1, &to));
  for (uint64_t i = 0; i < pattern.length;) {
    const char *at = pattern.data + i;
    const uint64_t left = pattern.length - i;
    const size_t which = quoted ? RDX_COUNT(words) : find_word(at, left);
    if (*at == '"' || (!quoted && begins(at, left, "fm"))) {
      quoted ^= *at == '"';
      filled &= *at == '"';
      i += *at == '"' ? 1 : 2;
      continue;
    }
    if (which == RDX_COUNT(words)) {
      i += *at == '\\' && left > 1 && quoted;
      to[used++] = pattern.data[i++];
      continue;
    }
    const uint64_t length = strlen(words[which].text);
    const char *suffix = words[which].digits > 0 && begins(at + length, left - length, "th") ? at + length : NULL;
    const uint64_t from = used;
    used += (uint64_t)write_word(which, at, filled, suffix, args[0].i, to + used);
    for (uint64_t k = used; suffix && isupper((unsigned char)suffix[0]) && k > from && k > used - 2; k--)
      to[k - 1] = (char)toupper((unsigned char)to[k - 1]);
    i += length + (suffix ? 2 : 0);
    filled = true;
  }
  out->text = (rdx_sql_text){to, used};
  return RDX_OK;
}
