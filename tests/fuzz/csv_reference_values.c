/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Texts to values and types. */

#include "tests/fuzz/csv_reference.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

__extension__ typedef __int128 wide;

ref_text ref_trim(ref_text t) {
  while (t.length > 0 && (t.bytes[0] == ' ' || t.bytes[0] == '\t')) {
    t.bytes++;
    t.length--;
  }
  while (t.length > 0 && (t.bytes[t.length - 1] == ' ' || t.bytes[t.length - 1] == '\t'))
    t.length--;
  return t;
}

/* A copy that ends with a NUL. */
static char *copy(ref_text t) {
  char *bytes = ref_alloc(t.length + 1);
  if (t.length > 0)
    memcpy(bytes, t.bytes, t.length);
  bytes[t.length] = '\0';
  return bytes;
}

static bool is_word(ref_text t, const char *word) {
  return t.length == strlen(word) && strncasecmp(t.bytes, word, t.length) == 0;
}

/* ---- Numbers ---- */

/* The parts of a number, each as a text of its own. */
typedef struct parts {
  bool is_number;
  char sign; /* 0: none */
  char *whole, *fraction, *exponent;
  bool point;
} parts;

static char *digits(const char **at) {
  const char *from = *at;
  while (isdigit((unsigned char)**at))
    (*at)++;
  return copy((ref_text){(char *)(uintptr_t)from, (size_t)(*at - from)});
}

static parts take_apart(ref_text t) {
  parts p = {0};
  const char *text = copy(t), *at = text;
  if (*at == '+' || *at == '-')
    p.sign = *at++;
  p.whole = digits(&at);
  p.point = *at == '.';
  at += p.point;
  p.fraction = digits(&at);
  if (*p.whole == '\0' && *p.fraction == '\0')
    return p;
  if (*at == 'e' || *at == 'E') {
    const char *from = ++at;
    at += *at == '+' || *at == '-';
    if (!isdigit((unsigned char)*at))
      return p;
    while (isdigit((unsigned char)*at))
      at++;
    p.exponent = copy((ref_text){(char *)(uintptr_t)from, (size_t)(at - from)});
  }
  p.is_number = *at == '\0' && at == text + t.length;
  return p;
}

static bool is_word_float(ref_text t) {
  if (t.length > 0 && (t.bytes[0] == '+' || t.bytes[0] == '-'))
    t = (ref_text){t.bytes + 1, t.length - 1};
  return is_word(t, "nan") || is_word(t, "inf") || is_word(t, "infinity");
}

/* Digits as an integer; false beyond 10^37. */
static bool to_wide(const char *sequence, wide *out) {
  for (*out = 0; *sequence; sequence++) {
    *out = *out * 10 + (*sequence - '0');
    if (*out > (wide)1000000000000000000 * 1000000000000000000 * 10)
      return false;
  }
  return true;
}

/* An integer of a type that has it within its limits. */
static bool to_integer(ref_text t, wide min, wide max, int64_t *out) {
  const parts p = take_apart(t);
  wide value;
  if (!p.is_number || p.point || p.exponent || !to_wide(p.whole, &value))
    return false;
  value = p.sign == '-' ? -value : value;
  *out = (int64_t)(uint64_t)value;
  return value >= min && value <= max;
}

static bool to_decimal(ref_text t, uint8_t scale, int64_t *out) {
  const parts p = take_apart(t);
  char all[200] = "";
  wide value;
  if (!p.is_number || p.exponent || strlen(p.whole) + scale > 190)
    return false;
  for (size_t i = scale; i < strlen(p.fraction); i++)
    if (p.fraction[i] != '0')
      return false;
  snprintf(all, sizeof all, "%s%.*s", p.whole, scale, p.fraction);
  for (size_t i = strlen(p.fraction); i < scale; i++)
    strcat(all, "0");
  if (!to_wide(all, &value))
    return false;
  value = p.sign == '-' ? -value : value;
  *out = (int64_t)value;
  return value >= INT64_MIN && value <= INT64_MAX;
}

/* The digits that count, from the first to the last that is not 0. */
static char *significant(const parts *p) {
  char *all = ref_alloc(strlen(p->whole) + strlen(p->fraction) + 1);
  sprintf(all, "%s%s", p->whole, p->fraction);
  all += strspn(all, "0");
  size_t length = strlen(all);
  while (length > 0 && all[length - 1] == '0')
    all[--length] = '\0';
  return all;
}

/* Whether printing a float with as many digits as the text has gives these. */
static bool prints_as(double value, const char *wanted) {
  char *text = ref_alloc(strlen(wanted) + 40), *to = text;
  sprintf(text, "%.*e", (int)strlen(wanted) - 1, fabs(value));
  for (const char *from = text; *from && *from != 'e'; from++)
    if (isdigit((unsigned char)*from))
      *to++ = *from;
  *to = '\0';
  return strcmp(text, wanted) == 0;
}

static bool to_float(ref_text t, rdx_type type, double *out) {
  const char *text = copy(t);
  if (!is_word_float(t) && !take_apart(t).is_number)
    return false;
  *out = type == RDX_TYPE_F32 ? (double)strtof(text, NULL) : strtod(text, NULL);
  return is_word_float(t) || !isinf(*out);
}

/* ---- Times ---- */

static bool is_leap(int year) {
  return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

/* Days since 1970, year by year. */
static bool to_date(const char *text, size_t length, int64_t *out) {
  static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  for (size_t i = 0; i < 10; i++)
    if (length < 10 || (i == 4 || i == 7 ? text[i] != '-' : !isdigit((unsigned char)text[i])))
      return false;
  const char *own = copy((ref_text){(char *)(uintptr_t)text, 10});
  const int year = atoi(own), month = atoi(own + 5), day = atoi(own + 8);
  if (year < 1 || month < 1 || month > 12)
    return false;
  const int last = lengths[month - 1] + (month == 2 && is_leap(year));
  *out = -719162;
  *out += (int64_t)(year - 1) * 365 + (year - 1) / 4 - (year - 1) / 100 + (year - 1) / 400;
  for (int m = 1; m < month; m++)
    *out += lengths[m - 1] + (m == 2 && is_leap(year));
  *out += day - 1;
  return day >= 1 && day <= last;
}

/* Two digits at `*at`, at most `max`. */
static bool two(const char **at, int max, int *out) {
  if (!isdigit((unsigned char)(*at)[0]) || !isdigit((unsigned char)(*at)[1]))
    return false;
  *out = ((*at)[0] - '0') * 10 + ((*at)[1] - '0');
  *at += 2;
  return *out <= max;
}

/* Z, or perhaps a blank, a sign and hh, hhmm or hh:mm; nothing is fine. Minutes from UTC. */
static bool take_offset(const char *at, bool *zoned, int *minutes) {
  int hour = 0, minute = 0;
  *minutes = 0;
  *zoned = *at != '\0';
  if (*at == '\0' || strcmp(at, "Z") == 0)
    return true;
  at += *at == ' ';
  const char sign = *at++;
  if ((sign != '+' && sign != '-') || !two(&at, 15, &hour))
    return false;
  at += *at == ':' && at[1] != '\0';
  if (*at != '\0' && !two(&at, 59, &minute))
    return false;
  *minutes = (sign == '-' ? -1 : 1) * (hour * 60 + minute);
  return *at == '\0';
}

static bool to_timestamp(ref_text t, int64_t *out, bool *zoned) {
  const char *at = copy(t);
  int64_t day, micros = 0;
  int hour = 0, minute = 0, second = 0, offset = 0;
  *zoned = false;
  if (strlen(at) != t.length || !to_date(at, t.length, &day))
    return false;
  at += 10;
  if (*at) {
    if (*at != 'T' && *at != ' ')
      return false;
    at++;
    if (!two(&at, 24, &hour) || *at++ != ':' || !two(&at, 59, &minute))
      return false;
    if (*at == ':' && (at++, !two(&at, 59, &second)))
      return false;
    const bool seconds = at[-3] == ':' && at[-6] == ':';
    if (*at == '.' && seconds) {
      if (!isdigit((unsigned char)*++at))
        return false;
      for (int64_t unit = 100000; isdigit((unsigned char)*at); at++, unit /= 10) {
        if (unit == 0 && *at != '0')
          return false;
        micros += unit * (*at - '0');
      }
    }
    if (hour == 24 && (minute || second || micros))
      return false;
    if (!take_offset(at, zoned, &offset))
      return false;
  }
  *out = ((day * 1440 + hour * 60 + minute - offset) * 60 + second) * 1000000 + micros;
  return *out >= -62135596800000000 && *out <= 253402300799999999;
}

/* ---- Given types ---- */

bool ref_parse(rdx_type type, uint8_t scale, ref_text text, ref_value *out) {
  bool zoned;
  const ref_text t = ref_trim(text);
  *out = (ref_value){.text = text};
  switch (type) {
  case RDX_TYPE_BOOL:
    out->integer = is_word(t, "true") || is_word(t, "t") || is_word(t, "1");
    return out->integer || is_word(t, "false") || is_word(t, "f") || is_word(t, "0");
  case RDX_TYPE_I8:
    return to_integer(t, INT8_MIN, INT8_MAX, &out->integer);
  case RDX_TYPE_I16:
    return to_integer(t, INT16_MIN, INT16_MAX, &out->integer);
  case RDX_TYPE_I32:
    return to_integer(t, INT32_MIN, INT32_MAX, &out->integer);
  case RDX_TYPE_I64:
    return to_integer(t, INT64_MIN, INT64_MAX, &out->integer);
  case RDX_TYPE_U8:
    return to_integer(t, 0, UINT8_MAX, &out->integer);
  case RDX_TYPE_U16:
    return to_integer(t, 0, UINT16_MAX, &out->integer);
  case RDX_TYPE_U32:
    return to_integer(t, 0, UINT32_MAX, &out->integer);
  case RDX_TYPE_U64:
    return to_integer(t, 0, UINT64_MAX, &out->integer);
  case RDX_TYPE_F32:
  case RDX_TYPE_F64:
    return to_float(t, type, &out->real);
  case RDX_TYPE_DATE:
    return t.length == 10 && to_date(t.bytes, t.length, &out->integer);
  case RDX_TYPE_TIMESTAMP:
    return to_timestamp(t, &out->integer, &zoned);
  case RDX_TYPE_DECIMAL:
    return to_decimal(t, scale, &out->integer);
  default:
    return true;
  }
}

/* ---- Inference ---- */

/* What is written at the end of a number: nothing, a point, or a point and digits. */
static size_t tail_of(const parts *p) {
  return p->point + strlen(p->fraction);
}

/* Whether a number with fewer characters at its end, as `b` has, could say the same as `a`. */
static bool could_be(const parts *a, const parts *b) {
  if (tail_of(b) >= tail_of(a))
    return false;
  const char *cut = a->fraction + (tail_of(b) > 0 ? tail_of(b) - 1 : 0);
  return cut[strspn(cut, "0")] == '\0';
}

static bool all_fit(const ref_text *values, size_t count, rdx_type type) {
  ref_value ignored;
  for (size_t i = 0; i < count; i++)
    if (!ref_parse(type, 0, values[i], &ignored))
      return false;
  return true;
}

/* Whether f64 has all of the numbers, without other texts of as many digits becoming the same. */
static bool floats_keep(const ref_text *values, const parts *p, size_t count) {
  for (size_t i = 0; i < count; i++) {
    double value;
    if (!p[i].is_number)
      continue;
    const char *wanted = significant(&p[i]);
    if (!to_float(values[i], RDX_TYPE_F64, &value))
      return false;
    if (strlen(wanted) > 15 && fabs(value) >= DBL_MIN && !prints_as(value, wanted))
      return false;
  }
  return true;
}

static rdx_type infer_numbers(const ref_text *values, size_t count, uint8_t *scale) {
  parts *p = ref_alloc((count + 1) * sizeof *p);
  bool code = false, exponent = false, word = false, point = false, plus = false, zeros = false, bare = false;
  bool zero_point = false, last_point = false, minus_zero = false, same = false;
  size_t before = 0, behind = 0;
  for (size_t i = 0; i < count; i++) {
    const parts *n = &p[i];
    p[i] = take_apart(values[i]);
    if (!n->is_number) {
      word = true;
      continue;
    }
    const bool is_code = n->exponent && isdigit((unsigned char)*n->exponent) && !n->point && !n->sign;
    const size_t counted = strlen(n->whole + strspn(n->whole, "0"));
    code |= is_code;
    exponent |= n->exponent && !is_code;
    point |= n->point;
    plus |= n->sign == '+';
    zeros |= strlen(n->whole) > 1 && n->whole[0] == '0';
    last_point |= n->point && *n->fraction == '\0';
    bare |= *n->fraction && *n->whole == '\0';
    zero_point |= *n->fraction && *n->whole && counted == 0;
    minus_zero |= n->sign == '-' && *significant(n) == '\0';
    before = counted > before ? counted : before;
    behind = strlen(n->fraction) > behind ? strlen(n->fraction) : behind;
  }
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < count; k++)
      same |= p[i].is_number && p[k].is_number && could_be(&p[i], &p[k]);
  const bool forms = !exponent && !word && !(code && point);
  if (zeros || (forms && (code || plus || (bare && zero_point) || same)))
    return RDX_TYPE_STRING;
  if (!forms || last_point || minus_zero || (point && before + behind > 18))
    return floats_keep(values, p, count) ? RDX_TYPE_F64 : RDX_TYPE_STRING;
  *scale = (uint8_t)behind;
  if (point)
    return RDX_TYPE_DECIMAL;
  *scale = 0;
  static const rdx_type types[] = {RDX_TYPE_I32, RDX_TYPE_I64, RDX_TYPE_U64};
  for (size_t i = 0; i < 3; i++)
    if (all_fit(values, count, types[i]))
      return types[i];
  return RDX_TYPE_STRING;
}

rdx_type ref_infer(const ref_text *values, size_t count, uint8_t *scale) {
  size_t numbers = 0, truths = 0, dates = 0, times = 0, zones = 0;
  *scale = 0;
  for (size_t i = 0; i < count; i++) {
    const ref_text t = values[i];
    int64_t ignored;
    bool zoned = false;
    const bool date = t.length == 10 && to_date(t.bytes, t.length, &ignored);
    numbers += take_apart(t).is_number || is_word_float(t);
    truths += is_word(t, "true") || is_word(t, "false");
    dates += date;
    const bool ends_day = t.length > 12 && strncmp(t.bytes + 11, "24", 2) == 0; /* would come back as 00:00 */
    times += !date && !ends_day && to_timestamp(t, &ignored, &zoned);
    zones += zoned;
  }
  if (count == 0)
    return RDX_TYPE_STRING;
  if (numbers == count)
    return infer_numbers(values, count, scale);
  if (truths == count)
    return RDX_TYPE_BOOL;
  if (dates == count)
    return RDX_TYPE_DATE;
  return dates + times == count && (zones == 0 || zones == count) ? RDX_TYPE_TIMESTAMP : RDX_TYPE_STRING;
}
