/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* to_date() and to_timestamp(): times by the patterns that to_char() has. */

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "expression/calendar.h"
#include "expression/date_words.h"

#define MIN_YEAR (-4713)
#define MAX_YEAR 5874897

typedef struct reading {
  rdx_worker *w;
  const rdx_node *n;
  rdx_sql_text text;
  uint64_t at;
  bool fixed;                     /* FX: blanks count */
  int64_t skipped;                /* blanks of the text that the pattern does not have */
  int64_t values[RDX_WORD_COUNT]; /* 0: not given. Of words that mean the same, those of the first */
  bool iso, gregorian, half_day;  /* what the words are of */
  uint8_t year_digits;
} reading;

static rdx_status fail(const reading *r, const char *what) {
  const uint64_t left = r->text.length - r->at;
  return rdx_node_fail(r->w, r->n, RDX_ERROR_RANGE, "%s: \"%.*s\"", what, (int)(left < 40 ? left : 40),
                       r->text.data + r->at);
}

static bool is_blank(char c) {
  return isspace((unsigned char)c) != 0;
}

static bool is_separator(char c) {
  return c > ' ' && c < 0x7f && !isalnum((unsigned char)c);
}

static void skip_blanks(reading *r) {
  for (; !r->fixed && r->at < r->text.length && is_blank(r->text.data[r->at]); r->at++)
    r->skipped++;
}

static void skip_character(reading *r) {
  if (r->at < r->text.length)
    r->at += rdx_text_character(r->text.data + r->at, r->text.length - r->at);
}

/* ---- Words ---- */

/* Whether what follows in the pattern takes a digit of the text: a number then ends by its length. */
static bool takes_digit(const char *at, uint64_t length) {
  if (rdx_date_begins(at, length, "fm") || rdx_date_begins(at, length, "tm")) {
    at += 2;
    length -= 2;
  }
  const rdx_word_of_date *next = rdx_find_date_word(at, length);
  if (next)
    return next->digits > 0 || next->word == RDX_WORD_YEAR_COMMA;
  if (length > 1 && *at == '"')
    at++;
  return length > 0 && isdigit((unsigned char)*at);
}

/* An integer of `digits` characters, or of as many as there are where it is `open`; `*count` has how many. */
static rdx_status read_number(reading *r, uint32_t digits, bool open, uint32_t *count, int64_t *out) {
  uint64_t at = r->at;
  bool any = false;
  while (at < r->text.length && is_blank(r->text.data[at]))
    at++;
  if (!open && r->text.length - at < digits)
    return fail(r, "the text is too short for the pattern, unless FM stands before the field");
  const uint64_t end = open ? r->text.length : at + digits;
  const bool negative = at < end && r->text.data[at] == '-';
  at += at < end && (negative || r->text.data[at] == '+');
  for (*out = 0; at < end && isdigit((unsigned char)r->text.data[at]); at++, any = true) {
    *out = *out * 10 + (r->text.data[at] - '0');
    if (*out > INT32_MAX)
      return fail(r, "a number of the text is out of range");
  }
  if (!any || (!open && at < end))
    return fail(r, "the text has no number of so many digits where the pattern has one");
  *out = negative ? -*out : *out;
  *count = (uint32_t)(at - r->at);
  r->at = at;
  return RDX_OK;
}

/* What is behind the digits of FF1 to FF6 is rounded; MS may have more digits, and is a count of milliseconds. */
static int64_t fraction_of(const rdx_word_of_date *word, int64_t value) {
  int64_t unit = 1;
  for (int i = word->digits; i < 6; i++)
    unit *= 10;
  return word->text[0] == 'm' ? value * 1000 : (value + unit / 2) / unit * unit;
}

static rdx_status put(reading *r, rdx_date_word word, int64_t value) {
  if (r->values[word] != 0 && r->values[word] != value)
    return fail(r, "the text has two values for one field of the pattern, before");
  r->values[word] = value;
  return RDX_OK;
}

/* One of some names, of `length` letters or whole; in any case. */
static rdx_status read_name(reading *r, const char *const *names, uint32_t count, uint32_t length, int64_t *out) {
  for (uint32_t i = 0; i < count; i++) {
    char name[16] = "";
    strncpy(name, names[i], length > 0 ? length : sizeof name - 1);
    if (strlen(name) > r->text.length - r->at || strncasecmp(r->text.data + r->at, name, strlen(name)) != 0)
      continue;
    r->at += strlen(name);
    *out = i;
    return RDX_OK;
  }
  return fail(r, "the text has no such name or mark where the pattern has one");
}

/* Dates are written in one of the two ways. */
static rdx_status check_convention(reading *r, rdx_date_word word) {
  const bool iso = word == RDX_WORD_ISO_YEAR || word == RDX_WORD_ISO_WEEK || word == RDX_WORD_ISO_DAY_OF_WEEK ||
                   word == RDX_WORD_ISO_DAY_OF_YEAR;
  const bool day =
      word >= RDX_WORD_YEAR && word < RDX_WORD_DAY_NAME && word != RDX_WORD_QUARTER && word != RDX_WORD_CENTURY;
  r->iso |= iso;
  r->gregorian |= day && !iso;
  return r->iso && r->gregorian
             ? rdx_function_fail(r->w, r->n, "weeks of ISO 8601 and other dates cannot be in one pattern")
             : RDX_OK;
}

/* Years of one to three digits are those next to 2020. */
static int64_t whole_year(int64_t year) {
  return year < 70     ? year + 2000
         : year < 100  ? year + 1900
         : year < 520  ? year + 2000
         : year < 1000 ? year + 1000
                       : year;
}

static rdx_status read_named(reading *r, rdx_date_word word) {
  static const char *const halves[] = {"am", "pm"}, *const dotted_halves[] = {"a.m.", "p.m."};
  static const char *const eras[] = {"ad", "bc"}, *const dotted_eras[] = {"a.d.", "b.c."};
  const char *romans[12]; /* from the last one, as short ones begin long ones */
  for (uint32_t i = 0; i < 12; i++)
    romans[i] = rdx_roman_months[11 - i];
  const bool is_month = word == RDX_WORD_MONTH_NAME || word == RDX_WORD_MONTH_SHORT;
  const uint32_t letters = word == RDX_WORD_MONTH_SHORT || word == RDX_WORD_DAY_SHORT ? 3 : 0;
  int64_t value = 0;
  if (word == RDX_WORD_MONTH_ROMAN) {
    RDX_TRY(read_name(r, romans, 12, 0, &value));
    return put(r, RDX_WORD_MONTH, 12 - value);
  }
  if (word == RDX_WORD_NOON || word == RDX_WORD_NOON_DOTS) {
    RDX_TRY(read_name(r, word == RDX_WORD_NOON ? halves : dotted_halves, 2, 0, &value));
    r->half_day = true;
    return put(r, RDX_WORD_NOON, value);
  }
  if (word == RDX_WORD_ERA || word == RDX_WORD_ERA_DOTS) {
    RDX_TRY(read_name(r, word == RDX_WORD_ERA ? eras : dotted_eras, 2, 0, &value));
    return put(r, RDX_WORD_ERA, value);
  }
  RDX_TRY(is_month ? read_name(r, rdx_month_names, 12, letters, &value)
                   : read_name(r, rdx_day_names, 7, letters, &value));
  return put(r, is_month ? RDX_WORD_MONTH : RDX_WORD_DAY_OF_WEEK, value + 1);
}

static rdx_status read_year(reading *r, const rdx_word_of_date *word, bool open) {
  const bool comma = word->word == RDX_WORD_YEAR_COMMA;
  uint32_t count = 0;
  int64_t year = 0, rest = 0;
  RDX_TRY(read_number(r, word->digits, comma || open, &count, &year));
  if (comma) {
    if (r->at == r->text.length || r->text.data[r->at++] != ',')
      return fail(r, "the text has no comma in the year");
    RDX_TRY(read_number(r, 3, r->text.length - r->at < 3, &count, &rest));
    year = year * 1000 + rest;
  }
  r->year_digits = comma ? 4 : word->digits;
  return put(r, RDX_WORD_YEAR, r->year_digits < 4 && count < 4 ? whole_year(year) : year);
}

/* The value of a word with digits. */
static rdx_status read_digits(reading *r, const rdx_word_of_date *word, bool open) {
  uint32_t count = 0;
  int64_t value = 0;
  if (word->word == RDX_WORD_YEAR || word->word == RDX_WORD_ISO_YEAR || word->word == RDX_WORD_YEAR_COMMA)
    return read_year(r, word, open);
  const bool seconds = word->word == RDX_WORD_SECONDS;
  RDX_TRY(read_number(r, seconds ? (uint32_t)strlen(word->text) : word->digits, open, &count, &value));
  switch (word->word) {
  case RDX_WORD_QUARTER: /* which says no more */
    return RDX_OK;
  case RDX_WORD_HOUR_12:
    r->half_day = true;
    return put(r, RDX_WORD_HOUR_24, value);
  case RDX_WORD_FRACTION:
    for (; count < (word->text[0] == 'm' ? 3u : 6u); count++)
      value *= 10;
    return put(r, RDX_WORD_FRACTION, fraction_of(word, value));
  case RDX_WORD_ISO_WEEK:
    return put(r, RDX_WORD_WEEK, value);
  case RDX_WORD_ISO_DAY_OF_WEEK:
    return put(r, RDX_WORD_DAY_OF_WEEK, value < 7 ? value + 1 : 1);
  case RDX_WORD_ISO_DAY_OF_YEAR:
    return put(r, RDX_WORD_DAY_OF_YEAR, value);
  default:
    return put(r, word->word, value);
  }
}

/* ---- Patterns ---- */

/* What is no word takes a character of the text, of which blanks before may have taken the place. */
static void read_character(reading *r, const char *at, bool quoted) {
  const bool separator = !quoted && (is_separator(*at) || is_blank(*at));
  if (r->fixed)
    skip_character(r);
  else if (separator && (is_blank(r->text.data[r->at]) || is_separator(r->text.data[r->at])))
    r->at++;
  else if (separator || r->skipped > 0)
    r->skipped--;
  else
    skip_character(r);
}

/* Read the word of a pattern, `left` bytes before the pattern's end; returns its bytes in `*length`. */
static rdx_status read_word(reading *r, const rdx_word_of_date *word, const char *at, uint64_t left, bool open,
                            uint64_t *length) {
  if (word->word == RDX_WORD_REFUSED)
    return rdx_refuse_date_word(r->w, r->n, word);
  *length = strlen(word->text);
  const bool suffix = rdx_date_begins(at + *length, left - *length, "th");
  *length += suffix ? 2 : 0;
  open |= suffix || !takes_digit(at + *length, left - *length);
  skip_blanks(r);
  RDX_TRY(check_convention(r, word->word));
  if (word->digits == 0 && word->word != RDX_WORD_YEAR_COMMA)
    RDX_TRY(read_named(r, word->word));
  else
    RDX_TRY(read_digits(r, word, open));
  for (uint32_t i = 0; suffix && word->digits > 0 && i < 2; i++)
    skip_character(r);
  r->skipped = 0;
  skip_blanks(r);
  return RDX_OK;
}

static rdx_status read_pattern(reading *r, rdx_sql_text pattern) {
  bool quoted = false;
  for (uint64_t i = 0; i < pattern.length && r->at < r->text.length;) {
    if (i == 0 && !rdx_date_begins(pattern.data, pattern.length, "fx"))
      skip_blanks(r);
    const bool fills = !quoted && rdx_date_begins(pattern.data + i, pattern.length - i, "fm");
    i += fills ? 2 : 0;
    if (i == pattern.length)
      break;
    const char *at = pattern.data + i;
    const uint64_t left = pattern.length - i;
    const rdx_word_of_date *word = quoted ? NULL : rdx_find_date_word(at, left);
    uint64_t length = 1;
    if (*at == '"') {
      quoted = !quoted;
    } else if (!quoted && rdx_date_begins(at, left, "fx")) {
      r->fixed = true;
      length = rdx_date_begins(at + 2, left - 2, "th") ? 4 : 2;
    } else if (word) {
      RDX_TRY(read_word(r, word, at, left, fills, &length));
    } else {
      const bool escapes = *at == '\\' && left > 1 && (quoted || at[1] == '"');
      read_character(r, at + escapes, quoted);
      length = escapes + rdx_text_character(at + escapes, left - escapes);
    }
    i += length;
  }
  return RDX_OK;
}

/* ---- What was read ---- */

/* The year, and whether one is given. */
static bool year_of(const reading *r, int64_t *year) {
  const int64_t written = r->values[RDX_WORD_YEAR], cc = r->values[RDX_WORD_CENTURY];
  const int64_t century = r->values[RDX_WORD_ERA] ? -cc : cc;
  const bool bc = r->values[RDX_WORD_ERA] != 0;
  *year = 0;
  if (written != 0 && cc != 0 && r->year_digits <= 2)
    *year = written % 100 == 0 ? century * 100 + (century < 0)
            : century >= 0     ? (century - 1) * 100 + written % 100
                               : (century + 1) * 100 - written % 100 + 1;
  else if (written != 0)
    *year = (bc ? -written : written) + ((bc ? -written : written) < 0);
  else if (cc != 0)
    *year = (century >= 0 ? century - 1 : century) * 100 + 1;
  return written != 0 || cc != 0;
}

static rdx_status out_of_range(const reading *r) {
  return rdx_node_fail(r->w, r->n, RDX_ERROR_RANGE, "date/time field value out of range: \"%.*s\"",
                       (int)(r->text.length < 40 ? r->text.length : 40), r->text.data);
}

/* Monday of the first week of a year by ISO 8601, the week of January 4. */
static int64_t first_monday(int64_t year) {
  const int64_t fourth = rdx_day_of_civil(year, 1, 4);
  return fourth - (rdx_day_extract(RDX_FIELD_ISO_DAY_OF_WEEK, fourth) - 1);
}

/* The day of the year counts where month or day are not given, or 1. */
static rdx_status apply_day_of_year(const reading *r, int64_t of_year, int64_t year, rdx_civil *c) {
  const int64_t begin = r->iso ? first_monday(year) : rdx_day_of_civil(year, 1, 1);
  if (year == 0 && !r->values[RDX_WORD_ERA])
    return rdx_function_fail(r->w, r->n, "cannot calculate day of year without year information");
  if (!r->iso && (of_year < 1 || of_year > 365 + (rdx_days_of_month(year, 2) == 29)))
    return out_of_range(r);
  const rdx_civil found = rdx_civil_of_day(begin + of_year - 1);
  if (r->iso) {
    *c = found;
    return RDX_OK;
  }
  c->month = c->month <= 1 ? found.month : c->month;
  c->day = c->day <= 1 ? found.day : c->day;
  return RDX_OK;
}

static rdx_status day_of(const reading *r, int64_t *out) {
  const int64_t *v = r->values;
  int64_t of_year = v[RDX_WORD_DAY_OF_YEAR], year = 0;
  const bool given = year_of(r, &year);
  rdx_civil c = {year, 1, 1};
  if (v[RDX_WORD_JULIAN] != 0)
    c = rdx_civil_of_day(v[RDX_WORD_JULIAN] - 2440588);
  if (v[RDX_WORD_WEEK] != 0 && r->iso)
    c = rdx_civil_of_day(first_monday(c.year) + (v[RDX_WORD_WEEK] - 1) * 7 +
                         (v[RDX_WORD_DAY_OF_WEEK] > 1    ? v[RDX_WORD_DAY_OF_WEEK] - 2
                          : v[RDX_WORD_DAY_OF_WEEK] != 0 ? 6
                                                         : 0));
  else if (v[RDX_WORD_WEEK] != 0)
    of_year = (v[RDX_WORD_WEEK] - 1) * 7 + 1;
  if (v[RDX_WORD_WEEK_OF_MONTH] != 0)
    c.day = (int32_t)((v[RDX_WORD_WEEK_OF_MONTH] - 1) * 7 + 1);
  else if (v[RDX_WORD_DAY] != 0)
    c.day = (int32_t)v[RDX_WORD_DAY];
  if (v[RDX_WORD_MONTH] != 0)
    c.month = (int32_t)v[RDX_WORD_MONTH];
  if (of_year != 0 && (c.month <= 1 || c.day <= 1))
    RDX_TRY(apply_day_of_year(r, of_year, c.year, &c));
  if (c.year > MAX_YEAR || c.year < MIN_YEAR || c.month < 1 || c.month > 12 || c.day < 1 ||
      c.day > (given ? rdx_days_of_month(c.year, c.month) : 31))
    return out_of_range(r);
  *out = rdx_day_of_civil(c.year, c.month, c.day);
  return RDX_OK;
}

static rdx_status time_of(const reading *r, int64_t *out) {
  const int64_t *v = r->values, seconds = v[RDX_WORD_SECONDS];
  int64_t hour = v[RDX_WORD_HOUR_24] ? v[RDX_WORD_HOUR_24] : seconds / 3600;
  const int64_t minute = v[RDX_WORD_MINUTE] ? v[RDX_WORD_MINUTE] : seconds / 60 % 60;
  const int64_t second = v[RDX_WORD_SECOND] ? v[RDX_WORD_SECOND] : seconds % 60;
  const int64_t fraction = v[RDX_WORD_FRACTION];
  if (r->half_day && (hour < 1 || hour > 12))
    return rdx_function_fail(r->w, r->n, "hours of the 12-hour clock are 1 to 12");
  if (r->half_day)
    hour = hour % 12 + (v[RDX_WORD_NOON] ? 12 : 0);
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59 || fraction < 0 ||
      fraction >= RDX_MICROS_A_SECOND)
    return out_of_range(r);
  *out = ((hour * 60 + minute) * 60 + second) * RDX_MICROS_A_SECOND + fraction;
  return RDX_OK;
}

static rdx_status read_time(RDX_ROW_ARGUMENTS, int64_t *day) {
  reading r = {.w = w, .n = n, .text = args[0].text};
  RDX_TRY(read_pattern(&r, args[1].text));
  RDX_TRY(time_of(&r, &out->i));
  return day_of(&r, day);
}

rdx_status rdx_dates_read_day(RDX_ROW_ARGUMENTS) {
  return read_time(w, n, args, out, &out->i);
}

rdx_status rdx_dates_read_time(RDX_ROW_ARGUMENTS) {
  int64_t day = 0, midnight = 0;
  RDX_TRY(read_time(w, n, args, out, &day));
  if (!rdx_time_of_day(day, &midnight))
    return rdx_out_of_range(w, n);
  out->i += midnight;
  return RDX_OK;
}
