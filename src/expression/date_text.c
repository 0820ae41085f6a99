/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Patterns of times, and to_char() of them. */

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "expression/calendar.h"
#include "expression/date_words.h"

#define MAX_OF_A_WORD 16 /* bytes that a word of a pattern writes */

const char *const rdx_month_names[12] = {"January", "February", "March",     "April",   "May",      "June",
                                         "July",    "August",   "September", "October", "November", "December"};
const char *const rdx_day_names[7] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
const char *const rdx_roman_months[12] = {"I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"};

/* Those that begin like others come first. */
static const rdx_word_of_date words[] = {
    {"hh24", RDX_WORD_HOUR_24, 2},
    {"hh12", RDX_WORD_HOUR_12, 2},
    {"hh", RDX_WORD_HOUR_12, 2},
    {"mi", RDX_WORD_MINUTE, 2},
    {"sssss", RDX_WORD_SECONDS, 1},
    {"ssss", RDX_WORD_SECONDS, 1},
    {"ss", RDX_WORD_SECOND, 2},
    {"ms", RDX_WORD_FRACTION, 3},
    {"us", RDX_WORD_FRACTION, 6},
    {"ff1", RDX_WORD_FRACTION, 1},
    {"ff2", RDX_WORD_FRACTION, 2},
    {"ff3", RDX_WORD_FRACTION, 3},
    {"ff4", RDX_WORD_FRACTION, 4},
    {"ff5", RDX_WORD_FRACTION, 5},
    {"ff6", RDX_WORD_FRACTION, 6},
    {"a.m.", RDX_WORD_NOON_DOTS, 0},
    {"p.m.", RDX_WORD_NOON_DOTS, 0},
    {"am", RDX_WORD_NOON, 0},
    {"pm", RDX_WORD_NOON, 0},
    {"a.d.", RDX_WORD_ERA_DOTS, 0},
    {"b.c.", RDX_WORD_ERA_DOTS, 0},
    {"ad", RDX_WORD_ERA, 0},
    {"bc", RDX_WORD_ERA, 0},
    {"y,yyy", RDX_WORD_YEAR_COMMA, 0},
    {"yyyy", RDX_WORD_YEAR, 4},
    {"yyy", RDX_WORD_YEAR, 3},
    {"yy", RDX_WORD_YEAR, 2},
    {"y", RDX_WORD_YEAR, 1},
    {"iyyy", RDX_WORD_ISO_YEAR, 4},
    {"iyy", RDX_WORD_ISO_YEAR, 3},
    {"iy", RDX_WORD_ISO_YEAR, 2},
    {"iw", RDX_WORD_ISO_WEEK, 2},
    {"iddd", RDX_WORD_ISO_DAY_OF_YEAR, 3},
    {"id", RDX_WORD_ISO_DAY_OF_WEEK, 1},
    {"i", RDX_WORD_ISO_YEAR, 1},
    {"cc", RDX_WORD_CENTURY, 2},
    {"q", RDX_WORD_QUARTER, 1},
    {"mm", RDX_WORD_MONTH, 2},
    {"month", RDX_WORD_MONTH_NAME, 0},
    {"mon", RDX_WORD_MONTH_SHORT, 0},
    {"rm", RDX_WORD_MONTH_ROMAN, 0},
    {"ww", RDX_WORD_WEEK, 2},
    {"w", RDX_WORD_WEEK_OF_MONTH, 1},
    {"ddd", RDX_WORD_DAY_OF_YEAR, 3},
    {"dd", RDX_WORD_DAY, 2},
    {"day", RDX_WORD_DAY_NAME, 0},
    {"dy", RDX_WORD_DAY_SHORT, 0},
    {"d", RDX_WORD_DAY_OF_WEEK, 1},
    {"j", RDX_WORD_JULIAN, 1},
    {"tzh", RDX_WORD_REFUSED, 0},
    {"tzm", RDX_WORD_REFUSED, 0},
    {"tz", RDX_WORD_REFUSED, 0},
    {"of", RDX_WORD_REFUSED, 0},
    {"tm", RDX_WORD_REFUSED, 0},
    {"fx", RDX_WORD_REFUSED, 0},
};

static int64_t field(rdx_time_field f, int64_t time) {
  int64_t value = rdx_time_extract(f, time);
  for (uint8_t scale = rdx_time_field_scale(f); scale > 0; scale--)
    value /= 10;
  return value;
}

/* The number that a word means. */
static int64_t number_of(rdx_date_word which, int64_t time) {
  int64_t rest = 0;
  const int64_t day = rdx_day_of_time(time, &rest), of_day = rest / RDX_MICROS_A_SECOND;
  switch (which) {
  case RDX_WORD_HOUR_24:
    return of_day / 3600;
  case RDX_WORD_HOUR_12:
    return (of_day / 3600 + 11) % 12 + 1;
  case RDX_WORD_MINUTE:
    return of_day / 60 % 60;
  case RDX_WORD_SECOND:
    return of_day % 60;
  case RDX_WORD_FRACTION:
    return rest % RDX_MICROS_A_SECOND;
  case RDX_WORD_SECONDS:
    return of_day;
  case RDX_WORD_ISO_YEAR: {
    const int64_t year = field(RDX_FIELD_ISO_YEAR, time);
    return year < 0 ? -year : year; /* BC */
  }
  case RDX_WORD_CENTURY:
    return field(RDX_FIELD_CENTURY, time);
  case RDX_WORD_QUARTER:
    return (rdx_civil_of_day(day).month + 2) / 3;
  case RDX_WORD_MONTH:
    return rdx_civil_of_day(day).month;
  case RDX_WORD_ISO_WEEK:
    return field(RDX_FIELD_WEEK, time);
  case RDX_WORD_WEEK:
    return (field(RDX_FIELD_DAY_OF_YEAR, time) - 1) / 7 + 1;
  case RDX_WORD_WEEK_OF_MONTH:
    return (rdx_civil_of_day(day).day - 1) / 7 + 1;
  case RDX_WORD_DAY:
    return rdx_civil_of_day(day).day;
  case RDX_WORD_DAY_OF_YEAR:
    return field(RDX_FIELD_DAY_OF_YEAR, time);
  case RDX_WORD_ISO_DAY_OF_YEAR:
    return 7 * (field(RDX_FIELD_WEEK, time) - 1) + field(RDX_FIELD_ISO_DAY_OF_WEEK, time);
  case RDX_WORD_DAY_OF_WEEK:
    return field(RDX_FIELD_DAY_OF_WEEK, time) + 1;
  case RDX_WORD_ISO_DAY_OF_WEEK:
    return field(RDX_FIELD_ISO_DAY_OF_WEEK, time);
  case RDX_WORD_JULIAN:
    return day + 2440588;
  default: {
    const int64_t year = rdx_civil_of_day(day).year;
    return year <= 0 ? 1 - year : year; /* BC */
  }
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
  const uint64_t size = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
  return size % 100 / 10 == 1 || size % 10 > 3 ? ends[0] : ends[size % 10];
}

/* As many digits, or more where there are more, and what `suffix` says behind them. */
static int write_number(int64_t number, int digits, const char *suffix, char *out) {
  char text[24];
  int used = 0, count = 0;
  for (uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number; rest > 0 || count == 0; rest /= 10)
    text[count++] = (char)('0' + rest % 10);
  if (number < 0)
    out[used++] = '-';
  for (int i = count; i < digits; i++)
    out[used++] = '0';
  while (count > 0)
    out[used++] = text[--count];
  for (const char *c = suffix; c && *c; c++)
    out[used++] = *c;
  return used;
}

/* What a word that is a name writes; 0: it is a number. */
static int write_named(const rdx_word_of_date *w, const char *like, bool filled, int64_t time, char *out) {
  const bool dots = w->word == RDX_WORD_NOON_DOTS || w->word == RDX_WORD_ERA_DOTS;
  switch (w->word) {
  case RDX_WORD_NOON:
  case RDX_WORD_NOON_DOTS: {
    const bool after = number_of(RDX_WORD_HOUR_24, time) >= 12;
    return write_name(dots ? (after ? "P.M." : "A.M.") : (after ? "PM" : "AM"), like, 4, 0, out);
  }
  case RDX_WORD_ERA:
  case RDX_WORD_ERA_DOTS: {
    const bool before = field(RDX_FIELD_YEAR, time) <= 0;
    return write_name(dots ? (before ? "B.C." : "A.D.") : (before ? "BC" : "AD"), like, 4, 0, out);
  }
  case RDX_WORD_MONTH_ROMAN:
    return write_name(rdx_roman_months[number_of(RDX_WORD_MONTH, time) - 1], like, 4, filled ? 4 : 0, out);
  case RDX_WORD_MONTH_NAME:
    return write_name(rdx_month_names[number_of(RDX_WORD_MONTH, time) - 1], like, 9, filled ? 9 : 0, out);
  case RDX_WORD_MONTH_SHORT:
    return write_name(rdx_month_names[number_of(RDX_WORD_MONTH, time) - 1], like, 3, 0, out);
  case RDX_WORD_DAY_NAME:
    return write_name(rdx_day_names[number_of(RDX_WORD_DAY_OF_WEEK, time) - 1], like, 9, filled ? 9 : 0, out);
  case RDX_WORD_DAY_SHORT:
    return write_name(rdx_day_names[number_of(RDX_WORD_DAY_OF_WEEK, time) - 1], like, 3, 0, out);
  default:
    return 0;
  }
}

/* What one word writes, with the ordinal behind a number where `suffix` has its letters. */
static int write_word(const rdx_word_of_date *w, const char *like, bool filled, const char *suffix, int64_t time,
                      char *out) {
  int used = write_named(w, like, filled, time, out);
  if (used > 0)
    return used;
  int64_t number = number_of(w->word, time);
  switch (w->word) {
  case RDX_WORD_FRACTION:
    for (int digits = w->digits; digits < 6; digits++)
      number /= 10;
    filled = true;
    break;
  case RDX_WORD_YEAR_COMMA:
    used = write_number(number / 1000, 1, NULL, out);
    out[used++] = ',';
    return used + write_number(number % 1000, 3, suffix ? ordinal(number) : NULL, out + used);
  case RDX_WORD_YEAR:
  case RDX_WORD_ISO_YEAR:
    number = w->digits == 4 ? number : number % (w->digits == 3 ? 1000 : w->digits == 2 ? 100 : 10);
    break;
  default:
    break;
  }
  return write_number(number, filled ? w->digits : 1, suffix ? ordinal(number) : NULL, out);
}

/* Words are written in capitals or not, and names also as Month: what is mixed otherwise is no word. */
static bool is_word(const rdx_word_of_date *w, const char *at) {
  const uint64_t length = strlen(w->text);
  uint64_t letters = 0, capitals = 0;
  for (uint64_t i = 0; i < length; i++) {
    letters += isalpha((unsigned char)at[i]) != 0;
    capitals += isupper((unsigned char)at[i]) != 0;
  }
  const bool name = w->word == RDX_WORD_MONTH_NAME || w->word == RDX_WORD_MONTH_SHORT || w->word == RDX_WORD_DAY_NAME ||
                    w->word == RDX_WORD_DAY_SHORT;
  return strncasecmp(at, w->text, length) == 0 &&
         (capitals == 0 || capitals == letters || (name && capitals == 1 && isupper((unsigned char)at[0])));
}

const rdx_word_of_date *rdx_find_date_word(const char *at, uint64_t length) {
  const bool letter = length > 0 && isalpha((unsigned char)at[0]); /* all begin with one */
  const char first = letter ? (char)tolower((unsigned char)at[0]) : 0;
  for (size_t w = 0; first && w < RDX_COUNT(words); w++)
    if (words[w].text[0] == first && strlen(words[w].text) <= length && is_word(&words[w], at))
      return &words[w];
  return NULL;
}

bool rdx_date_begins(const char *at, uint64_t length, const char *text) {
  const size_t size = strlen(text);
  return size <= length && strncasecmp(at, text, size) == 0 &&
         !isupper((unsigned char)at[0]) == !isupper((unsigned char)at[size - 1]);
}

rdx_status rdx_refuse_date_word(rdx_worker *w, const rdx_node *n, const rdx_word_of_date *word) {
  return rdx_node_fail(w, n, RDX_ERROR_UNSUPPORTED,
                       "\"%s\" is not supported in patterns of %s of times (text stands in double quotes)", word->text,
                       n->bound->function->name);
}

rdx_status rdx_dates_to_char(RDX_ROW_ARGUMENTS) {
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
    const rdx_word_of_date *word = quoted ? NULL : rdx_find_date_word(at, left);
    if (*at == '"' || (!quoted && rdx_date_begins(at, left, "fm"))) {
      quoted ^= *at == '"';
      filled &= *at == '"';
      i += *at == '"' ? 1 : 2;
      continue;
    }
    if (!word) {
      i += *at == '\\' && left > 1 && (quoted || at[1] == '"');
      to[used++] = pattern.data[i++];
      continue;
    }
    const uint64_t length = strlen(word->text);
    if (word->word == RDX_WORD_REFUSED)
      return rdx_refuse_date_word(w, n, word);
    const bool has_suffix = rdx_date_begins(at + length, left - length, "th");
    const char *suffix = (word->digits > 0 || word->word == RDX_WORD_YEAR_COMMA) && has_suffix ? at + length : NULL;
    const uint64_t from = used;
    used += (uint64_t)write_word(word, at, filled, suffix, args[0].i, to + used);
    for (uint64_t k = used; suffix && isupper((unsigned char)suffix[0]) && k > from && k > used - 2; k--)
      to[k - 1] = (char)toupper((unsigned char)to[k - 1]);
    i += length + (has_suffix ? 2 : 0);
    filled = true;
  }
  out->text = (rdx_sql_text){to, used};
  return RDX_OK;
}
