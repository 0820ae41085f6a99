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
  WORD_FRACTION,
  WORD_SECONDS,
  WORD_NOON,
  WORD_NOON_DOTS,
  WORD_ERA,
  WORD_ERA_DOTS,
  WORD_YEAR,
  WORD_YEAR_COMMA,
  WORD_ISO_YEAR,
  WORD_CENTURY,
  WORD_QUARTER,
  WORD_MONTH,
  WORD_MONTH_NAME,
  WORD_MONTH_SHORT,
  WORD_MONTH_ROMAN,
  WORD_ISO_WEEK,
  WORD_WEEK,
  WORD_WEEK_OF_MONTH,
  WORD_DAY,
  WORD_DAY_OF_YEAR,
  WORD_ISO_DAY_OF_YEAR,
  WORD_DAY_OF_WEEK,
  WORD_ISO_DAY_OF_WEEK,
  WORD_DAY_NAME,
  WORD_DAY_SHORT,
  WORD_JULIAN,
  WORD_REFUSED,
} word;

/* Those that begin like others come first. */
static const struct {
  const char *text;
  word word;
  uint8_t digits;
} words[] = {
    {"hh24", WORD_HOUR_24, 2},
    {"hh12", WORD_HOUR_12, 2},
    {"hh", WORD_HOUR_12, 2},
    {"mi", WORD_MINUTE, 2},
    {"sssss", WORD_SECONDS, 1},
    {"ssss", WORD_SECONDS, 1},
    {"ss", WORD_SECOND, 2},
    {"ms", WORD_FRACTION, 3},
    {"us", WORD_FRACTION, 6},
    {"ff1", WORD_FRACTION, 1},
    {"ff2", WORD_FRACTION, 2},
    {"ff3", WORD_FRACTION, 3},
    {"ff4", WORD_FRACTION, 4},
    {"ff5", WORD_FRACTION, 5},
    {"ff6", WORD_FRACTION, 6},
    {"a.m.", WORD_NOON_DOTS, 0},
    {"p.m.", WORD_NOON_DOTS, 0},
    {"am", WORD_NOON, 0},
    {"pm", WORD_NOON, 0},
    {"a.d.", WORD_ERA_DOTS, 0},
    {"b.c.", WORD_ERA_DOTS, 0},
    {"ad", WORD_ERA, 0},
    {"bc", WORD_ERA, 0},
    {"y,yyy", WORD_YEAR_COMMA, 0},
    {"yyyy", WORD_YEAR, 4},
    {"yyy", WORD_YEAR, 3},
    {"yy", WORD_YEAR, 2},
    {"y", WORD_YEAR, 1},
    {"iyyy", WORD_ISO_YEAR, 4},
    {"iyy", WORD_ISO_YEAR, 3},
    {"iy", WORD_ISO_YEAR, 2},
    {"iw", WORD_ISO_WEEK, 2},
    {"iddd", WORD_ISO_DAY_OF_YEAR, 3},
    {"id", WORD_ISO_DAY_OF_WEEK, 1},
    {"i", WORD_ISO_YEAR, 1},
    {"cc", WORD_CENTURY, 2},
    {"q", WORD_QUARTER, 1},
    {"mm", WORD_MONTH, 2},
    {"month", WORD_MONTH_NAME, 0},
    {"mon", WORD_MONTH_SHORT, 0},
    {"rm", WORD_MONTH_ROMAN, 0},
    {"ww", WORD_WEEK, 2},
    {"w", WORD_WEEK_OF_MONTH, 1},
    {"ddd", WORD_DAY_OF_YEAR, 3},
    {"dd", WORD_DAY, 2},
    {"day", WORD_DAY_NAME, 0},
    {"dy", WORD_DAY_SHORT, 0},
    {"d", WORD_DAY_OF_WEEK, 1},
    {"j", WORD_JULIAN, 1},
    {"tzh", WORD_REFUSED, 0},
    {"tzm", WORD_REFUSED, 0},
    {"tz", WORD_REFUSED, 0},
    {"of", WORD_REFUSED, 0},
    {"tm", WORD_REFUSED, 0},
    {"fx", WORD_REFUSED, 0},
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
  case WORD_FRACTION:
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
  case WORD_ISO_DAY_OF_YEAR:
    return 7 * (field(RDX_FIELD_WEEK, time) - 1) + field(RDX_FIELD_ISO_DAY_OF_WEEK, time);
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

/* `length` letters of a name as the pattern has its own: DAY, Day or day; with blanks behind them up to `width`. */
static int write_name(const char *name, const char *like, int length, int width, char *out) {
  const bool first = isupper((unsigned char)like[0]), others = first && !islower((unsigned char)like[1]);
  const int used = snprintf(out, MAX_OF_A_WORD, "%-*.*s", width, length, name);
  for (int i = 0; i < used; i++)
    out[i] = (char)(others || (first && i == 0) ? toupper((unsigned char)out[i]) : tolower((unsigned char)out[i]));
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
  static const char *const romans[] = {"I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"};
  const bool afternoon = number_of(WORD_HOUR_24, time) >= 12, before = field(RDX_FIELD_YEAR, time) <= 0;
  int64_t number = number_of(words[w].word, time);
  switch (words[w].word) {
  case WORD_NOON:
    return write_name(afternoon ? "PM" : "AM", like, 2, 0, out);
  case WORD_NOON_DOTS:
    return write_name(afternoon ? "P.M." : "A.M.", like, 4, 0, out);
  case WORD_ERA:
    return write_name(before ? "BC" : "AD", like, 2, 0, out);
  case WORD_ERA_DOTS:
    return write_name(before ? "B.C." : "A.D.", like, 4, 0, out);
  case WORD_MONTH_ROMAN:
    return write_name(romans[month - 1], like, 4, filled ? 4 : 0, out);
  case WORD_MONTH_NAME:
    return write_name(months[month - 1], like, 9, filled ? 9 : 0, out);
  case WORD_MONTH_SHORT:
    return write_name(months[month - 1], like, 3, 0, out);
  case WORD_DAY_NAME:
    return write_name(days[weekday - 1], like, 9, filled ? 9 : 0, out);
  case WORD_DAY_SHORT:
    return write_name(days[weekday - 1], like, 3, 0, out);
  case WORD_FRACTION:
    for (int digits = words[w].digits; digits < 6; digits++)
      number /= 10;
    break;
  case WORD_YEAR_COMMA:
    return snprintf(out, MAX_OF_A_WORD, "%lld,%03lld", (long long)(number / 1000), (long long)(number % 1000));
  case WORD_YEAR:
  case WORD_ISO_YEAR:
    number = words[w].digits == 4 ? number : number % (words[w].digits == 3 ? 1000 : words[w].digits == 2 ? 100 : 10);
    break;
  default:
    break;
  }
  return snprintf(out, MAX_OF_A_WORD, "%0*lld%.2s", filled ? words[w].digits + (number < 0) : 1, (long long)number,
                  suffix ? ordinal(number) : "");
}

/* Words are written in capitals or not, and names also as Month: what is mixed otherwise is no word. */
static bool is_word(size_t w, const char *at) {
  const uint64_t length = strlen(words[w].text);
  uint64_t letters = 0, capitals = 0;
  for (uint64_t i = 0; i < length; i++) {
    letters += isalpha((unsigned char)at[i]) != 0;
    capitals += isupper((unsigned char)at[i]) != 0;
  }
  const bool name = words[w].word == WORD_MONTH_NAME || words[w].word == WORD_MONTH_SHORT ||
                    words[w].word == WORD_DAY_NAME || words[w].word == WORD_DAY_SHORT;
  return strncasecmp(at, words[w].text, length) == 0 &&
         (capitals == 0 || capitals == letters || (name && capitals == 1 && isupper((unsigned char)at[0])));
}

/* The word that a pattern begins with; the count of words: none. */
static size_t find_word(const char *at, uint64_t length) {
  size_t w = 0;
  while (w < RDX_COUNT(words) && (strlen(words[w].text) > length || !is_word(w, at)))
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
      i += *at == '\\' && left > 1 && (quoted || at[1] == '"');
      to[used++] = pattern.data[i++];
      continue;
    }
    const uint64_t length = strlen(words[which].text);
    if (words[which].word == WORD_REFUSED)
      return rdx_node_fail(w, n, RDX_ERROR_UNSUPPORTED,
                           "\"%.*s\" is not supported in patterns of to_char of times (text stands in double quotes)",
                           (int)length, at);
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
