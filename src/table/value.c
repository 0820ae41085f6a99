/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Text to values. */

#include "table/value.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/civil.h"

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static bool is_word(const char *text, size_t length, const char *word) {
  return length == strlen(word) && strncasecmp(text, word, length) == 0;
}

/* ---- Numbers ---- */

#define LONGEST_FLOAT 4095 /* characters */
#define FEW_DIGITS 18      /* that 64 bits hold */

/* The exponent that begins at text[i]; false where there is something else. */
static bool read_exponent(const char *text, size_t length, size_t i, rdx_number *out) {
  if (text[i] != 'e' && text[i] != 'E')
    return false;
  i++;
  out->exponent = true;
  out->signed_exponent = i < length && (text[i] == '-' || text[i] == '+');
  const bool negative = out->signed_exponent && text[i] == '-';
  i += out->signed_exponent;
  if (i == length)
    return false;
  int32_t power = 0;
  for (; i < length && is_digit(text[i]); i++)
    power = power > 1000000 ? power : power * 10 + (text[i] - '0');
  out->power = negative ? -power : power;
  return i == length;
}

/* Digits from text[i] on; returns where they end. `used` counts those from the first that is not 0. */
static size_t read_digits(const char *text, size_t length, size_t i, uint32_t *used, uint64_t *low, rdx_number *out) {
  for (; i < length && is_digit(text[i]); i++) {
    const uint32_t digit = (uint32_t)(text[i] - '0');
    *used += *used > 0 || digit > 0;
    if (digit > 0)
      out->significant = *used;
    if (*used <= FEW_DIGITS) {
      *low = *low * 10 + digit;
      continue;
    }
    if (*used == FEW_DIGITS + 1)
      out->digits = (rdx_i128)*low;
    out->too_large |= out->digits > ((rdx_i128)1 << 100);
    if (!out->too_large)
      out->digits = out->digits * 10 + digit;
  }
  return i;
}

bool rdx_number_read(const char *text, size_t length, rdx_number *out) {
  uint32_t used = 0;
  uint64_t low = 0;
  size_t i = 0;
  *out = (rdx_number){0};
  if (length > 0 && (text[0] == '-' || text[0] == '+')) {
    out->negative = text[0] == '-';
    out->plus = !out->negative;
    i = 1;
  }
  const size_t first = i;
  i = read_digits(text, length, i, &used, &low, out);
  out->whole_digits = (uint32_t)(i - first);
  out->leading_zero = out->whole_digits > 1 && text[first] == '0';
  out->integer_digits = used;
  if (i < length && text[i] == '.') {
    out->point = true;
    const size_t behind = ++i;
    i = read_digits(text, length, i, &used, &low, out);
    out->fraction_digits = (uint32_t)(i - behind);
    while (out->zeros < out->fraction_digits && text[i - 1 - out->zeros] == '0')
      out->zeros++;
  }
  if (used <= FEW_DIGITS)
    out->digits = (rdx_i128)low;
  return out->whole_digits + out->fraction_digits > 0 && (i == length || read_exponent(text, length, i, out));
}

static rdx_parse parse_integer(const char *text, size_t length, rdx_i128 min, rdx_i128 max, rdx_i128 *out) {
  rdx_number n;
  if (!rdx_number_read(text, length, &n) || n.point || n.exponent)
    return RDX_PARSE_FORMAT;
  *out = n.negative ? -n.digits : n.digits;
  return n.too_large || *out < min || *out > max ? RDX_PARSE_RANGE : RDX_PARSE_OK;
}

/* The number times 10^scale. */
static rdx_parse scale_number(const rdx_number *n, uint8_t scale, int64_t *out) {
  rdx_i128 digits = n->digits;
  if (n->too_large || n->fraction_digits > scale)
    return RDX_PARSE_RANGE;
  for (uint32_t i = n->fraction_digits; i < scale; i++) {
    digits *= 10;
    if (digits > (rdx_i128)UINT64_MAX)
      return RDX_PARSE_RANGE;
  }
  const rdx_i128 value = n->negative ? -digits : digits;
  if (value < INT64_MIN || value > INT64_MAX)
    return RDX_PARSE_RANGE;
  *out = (int64_t)value;
  return RDX_PARSE_OK;
}

/* More fraction digits than the scale are an error unless they are zeros, which say nothing. */
static rdx_parse parse_decimal(const char *text, size_t length, uint8_t scale, int64_t *out) {
  rdx_number n;
  if (!rdx_number_read(text, length, &n) || n.exponent)
    return RDX_PARSE_FORMAT;
  if (n.fraction_digits > scale && n.zeros > 0) {
    const uint32_t beyond = n.fraction_digits - scale;
    const bool whole = !rdx_number_read(text, length - (beyond < n.zeros ? beyond : n.zeros), &n);
    if (whole) /* ".0" without its zero */
      n = (rdx_number){0};
  }
  return scale_number(&n, scale, out);
}

/* ---- Floats ---- */

static bool read_word(const char *text, size_t length, double *out) {
  const bool negative = length > 0 && text[0] == '-', sign = length > 0 && (negative || text[0] == '+');
  text += sign;
  length -= sign;
  const bool nan = is_word(text, length, "nan");
  if (!nan && !is_word(text, length, "inf") && !is_word(text, length, "infinity"))
    return false;
  *out = nan ? __builtin_nan("") : negative ? -__builtin_inf() : __builtin_inf();
  return true;
}

/* Few digits and a small power of ten: both are exact, and one operation rounds as it should. */
static bool fast_float(const rdx_number *n, double *out) {
  static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                  1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const int64_t power = (int64_t)n->power - n->fraction_digits;
  if (n->too_large || n->digits > ((rdx_i128)1 << 53) || power < -22 || power > 22)
    return false;
  const double digits = (double)(int64_t)n->digits;
  const double value = power < 0 ? digits / powers[-power] : digits * powers[power];
  *out = n->negative ? -value : value;
  return true;
}

/* Whether digits times 10^-places are closer to a float than half a unit of the last of them: 1, or 0 where they are
 * farther away; -1: numbers of 128 bits do not tell. */
static int is_near(uint64_t digits, int64_t places, double value) {
  static const uint64_t powers[] = {1,       10,       100,       1000,       10000,       100000,
                                    1000000, 10000000, 100000000, 1000000000, 10000000000, 100000000000};
  int exponent = 0;
  const uint64_t fraction = (uint64_t)(frexp(value, &exponent) * 0x1p53);
  const int shift = 53 - exponent; /* value = fraction / 2^shift */
  if (places < 0 || places > 22 || shift < 1 || shift > 63 || digits >> 62)
    return -1;
  const rdx_i128 power = (rdx_i128)powers[places / 2] * powers[places - places / 2];
  rdx_i128 distance = ((rdx_i128)digits << shift) - (rdx_i128)fraction * power;
  distance = distance < 0 ? -distance : distance;
  const rdx_i128 half = (rdx_i128)1 << (shift - 1);
  return distance == half ? -1 : distance < half;
}

/* Whether a number, printed with as many digits as the text has, is the text: then no other text of so many digits is
 * read as this number. */
static bool comes_back(const char *text, size_t length, const rdx_number *n, double value) {
  char digits[LONGEST_FLOAT + 16], wanted[LONGEST_FLOAT + 1];
  uint32_t count = 0;
  if (n->significant <= FEW_DIGITS && n->digits % 10 != 0 && n->digits <= INT64_MAX) {
    const int near = is_near((uint64_t)n->digits, (int64_t)n->fraction_digits - n->power, value < 0 ? -value : value);
    if (near >= 0)
      return near;
  }
  for (size_t i = 0; i < length && count < n->significant; i++)
    if (is_digit(text[i]) && (count > 0 || text[i] != '0'))
      wanted[count++] = text[i];
  rdx_text_print(digits, sizeof digits, "%.*e", (int)count - 1, value);
  const char *at = digits + (digits[0] == '-');
  for (uint32_t i = 0; i < count; i++, at++) {
    if (i == 1) /* the point */
      at++;
    if (*at != wanted[i])
      return false;
  }
  return true;
}

/* A number as f64, or as f32 widened to it. */
static rdx_parse to_float(const char *text, size_t length, const rdx_number *n, bool narrow, double *out) {
  char copy[LONGEST_FLOAT + 1];
  if (!narrow && fast_float(n, out))
    return RDX_PARSE_OK;
  if (length > LONGEST_FLOAT)
    return RDX_PARSE_FORMAT;
  memcpy(copy, text, length);
  copy[length] = '\0';
  *out = narrow ? (double)strtof_l(copy, NULL, rdx_c_locale()) : strtod_l(copy, NULL, rdx_c_locale());
  const double size = *out < 0 ? -*out : *out;
  if (size > DBL_MAX)
    return RDX_PARSE_RANGE;
  const bool tiny = n->significant > 0 && size < (narrow ? (double)FLT_MIN : DBL_MIN);
  return tiny && (size == 0 || !comes_back(text, length, n, *out)) ? RDX_PARSE_ROUNDED : RDX_PARSE_OK;
}

static rdx_parse parse_float(rdx_type type, const char *text, size_t length, void *out) {
  rdx_number n;
  double value = 0;
  rdx_parse result = RDX_PARSE_OK;
  if (rdx_number_read(text, length, &n))
    result = to_float(text, length, &n, type == RDX_TYPE_F32, &value);
  else if (!read_word(text, length, &value))
    return RDX_PARSE_FORMAT;
  const float narrow = (float)value;
  if (type == RDX_TYPE_F32)
    memcpy(out, &narrow, sizeof narrow);
  else
    memcpy(out, &value, sizeof value);
  return result;
}

/* ---- Dates and times ---- */

#define MICROS_A_DAY INT64_C(86400000000)
#define FIRST_DAY (-719162) /* 0001-01-01 */
#define LAST_DAY 2932896    /* 9999-12-31 */

typedef struct instant {
  int64_t micros; /* since 1970 */
  bool zoned;
  bool carries; /* its time is said as 24:00, or its second as 60 */
} instant;

/* `count` digits as a number; -1 where there are others. */
static int32_t digits_at(const char *text, size_t count) {
  int32_t value = 0;
  for (size_t i = 0; i < count; i++) {
    if (!is_digit(text[i]))
      return -1;
    value = value * 10 + (text[i] - '0');
  }
  return value;
}

static rdx_parse parse_date(const char *text, size_t length, int32_t *out) {
  if (length != 10 || text[4] != '-' || text[7] != '-')
    return RDX_PARSE_FORMAT;
  const int32_t year = digits_at(text, 4), month = digits_at(text + 5, 2), day = digits_at(text + 8, 2);
  if (year < 0 || month < 0 || day < 0)
    return RDX_PARSE_FORMAT;
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > rdx_days_of_month(year, month))
    return RDX_PARSE_RANGE;
  *out = (int32_t)rdx_day_of_civil(year, month, day);
  return RDX_PARSE_OK;
}

/* Take Z, +hh, +hhmm or +hh:mm, perhaps with a blank before it, off the end of a time of day. */
static rdx_parse parse_offset(const char *text, size_t *length, bool *zoned, int32_t *minutes) {
  *minutes = 0;
  *zoned = *length > 0 && text[*length - 1] == 'Z';
  if (*zoned) {
    (*length)--;
    return RDX_PARSE_OK;
  }
  size_t sign = *length;
  while (sign > 0 && text[sign - 1] != '+' && text[sign - 1] != '-')
    sign--;
  if (sign == 0)
    return RDX_PARSE_OK;
  const char *offset = text + sign;
  const size_t size = *length - sign;
  if (size != 2 && size != 4 && (size != 5 || offset[2] != ':'))
    return RDX_PARSE_FORMAT;
  const int32_t hour = digits_at(offset, 2), minute = size > 2 ? digits_at(offset + size - 2, 2) : 0;
  if (hour < 0 || minute < 0)
    return RDX_PARSE_FORMAT;
  *zoned = true;
  *minutes = text[sign - 1] == '-' ? -(hour * 60 + minute) : hour * 60 + minute;
  *length = sign - 1;
  *length -= *length > 0 && text[*length - 1] == ' ';
  return hour > 15 || minute > 59 ? RDX_PARSE_RANGE : RDX_PARSE_OK;
}

/* .ffffff, of which digits beyond the sixth must be 0. */
static rdx_parse parse_fraction(const char *text, size_t length, int32_t *micros) {
  bool fine = false;
  *micros = 0;
  if (length < 2 || text[0] != '.')
    return RDX_PARSE_FORMAT;
  for (size_t i = 1; i < length || i <= 6; i++) {
    if (i < length && !is_digit(text[i]))
      return RDX_PARSE_FORMAT;
    const int32_t digit = i < length ? text[i] - '0' : 0;
    fine |= i > 6 && digit != 0;
    *micros = i <= 6 ? *micros * 10 + digit : *micros;
  }
  return fine ? RDX_PARSE_RANGE : RDX_PARSE_OK;
}

/* HH:MM[:SS[.ffffff]][offset]; 24:00 is the end of the day, second 60 the first one of the next minute. Inference takes
 * both for text: they would not come back. */
static rdx_parse parse_time(const char *text, size_t length, instant *out) {
  int32_t second = 0, micros = 0, offset = 0;
  const rdx_parse zone = parse_offset(text, &length, &out->zoned, &offset);
  rdx_parse fraction = RDX_PARSE_OK;
  if (zone == RDX_PARSE_FORMAT || length < 5 || text[2] != ':')
    return RDX_PARSE_FORMAT;
  const int32_t hour = digits_at(text, 2), minute = digits_at(text + 3, 2);
  if (length > 5) {
    if (length < 8 || text[5] != ':')
      return RDX_PARSE_FORMAT;
    second = digits_at(text + 6, 2);
  }
  if (length > 8)
    fraction = parse_fraction(text + 8, length - 8, &micros);
  if (hour < 0 || minute < 0 || second < 0 || fraction == RDX_PARSE_FORMAT)
    return RDX_PARSE_FORMAT;
  const bool ends_day = hour == 24 && minute == 0 && second == 0 && micros == 0;
  if ((hour > 23 && !ends_day) || minute > 59 || second > 60 || fraction != RDX_PARSE_OK || zone != RDX_PARSE_OK)
    return RDX_PARSE_RANGE;
  out->carries = ends_day || second == 60;
  out->micros = (((hour * 60 + minute) - offset) * 60 + (int64_t)second) * 1000000 + micros;
  return RDX_PARSE_OK;
}

/* A date alone is its midnight. */
static rdx_parse read_instant(const char *text, size_t length, instant *out) {
  int32_t days = 0;
  *out = (instant){0};
  rdx_parse result = parse_date(text, length < 10 ? length : 10, &days);
  if (result != RDX_PARSE_FORMAT && length > 10) {
    const rdx_parse time =
        text[10] == 'T' || text[10] == ' ' ? parse_time(text + 11, length - 11, out) : RDX_PARSE_FORMAT;
    result = time == RDX_PARSE_OK ? result : time;
  }
  out->micros += days * MICROS_A_DAY;
  if (result == RDX_PARSE_OK &&
      (out->micros < FIRST_DAY * MICROS_A_DAY || out->micros >= (LAST_DAY + 1) * MICROS_A_DAY))
    return RDX_PARSE_RANGE;
  return result;
}

static rdx_parse parse_timestamp(const char *text, size_t length, int64_t *out) {
  instant t;
  const rdx_parse result = read_instant(text, length, &t);
  *out = t.micros;
  return result;
}

/* ---- Years before 1 and after 9999 ---- */

/* What stands behind a date and its time. */
typedef enum era { ERA_NONE, ERA_AD, ERA_BC } era;

static era take_era(const char *text, size_t *length) {
  if (*length < 3 || text[*length - 3] != ' ')
    return ERA_NONE;
  const char *word = text + *length - 2;
  const era found = is_word(word, 2, "ad") ? ERA_AD : is_word(word, 2, "bc") ? ERA_BC : ERA_NONE;
  for (*length -= found == ERA_NONE ? 0 : 3; found != ERA_NONE && *length > 0 && text[*length - 1] == ' ';)
    (*length)--;
  return found;
}

/* The year of the calendar, whose year 0 is 1 BC, of one as it is written: with an era, as ISO 8601 has those that need
 * a sign, or of more than four digits. False: it is in no such form. */
static bool read_far_year(const char *text, size_t digits, era of, int32_t *out) {
  const bool sign = *text == '-' || *text == '+';
  const int32_t size = digits > 7 ? INT32_MAX : digits_at(text + sign, digits);
  *out = *text == '-' ? -size : of == ERA_BC ? 1 - size : size;
  if (digits < 4 || (of != ERA_NONE && sign))
    return false;
  return of != ERA_NONE || (*text == '-'   ? size > 0
                            : *text == '+' ? size > 9999
                                           : size > 9999 || (size == 0 && digits == 4));
}

/* Such a date at the beginning of a text; `*used` is its length. Inference takes it for text. */
static rdx_parse parse_far_date(const char *text, size_t length, era of, size_t *used, int64_t *out) {
  const size_t sign = length > 0 && (*text == '-' || *text == '+');
  size_t digits = 0;
  int32_t year = 0, day = 0;
  while (sign + digits < length && is_digit(text[sign + digits]))
    digits++;
  *used = sign + digits + 6;
  if (*used > length || !read_far_year(text, digits, of, &year))
    return RDX_PARSE_FORMAT;
  /* The same day of a year that is near, since the calendar repeats. */
  const int32_t like = 400 + (year % 400 + 400) % 400;
  char near[10];
  for (int i = 3, rest = like; i >= 0; i--, rest /= 10)
    near[i] = (char)('0' + rest % 10);
  memcpy(near + 4, text + *used - 6, 6);
  const rdx_parse result = parse_date(near, sizeof near, &day);
  *out = day + ((int64_t)year - like) / 400 * RDX_DAYS_OF_ERA;
  const bool none = of != ERA_NONE && year == (of == ERA_BC); /* there is no year 0 */
  return result == RDX_PARSE_OK && none ? RDX_PARSE_RANGE : result;
}

static rdx_parse parse_any_date(const char *text, size_t length, int32_t *out) {
  int64_t day = 0;
  size_t used = 0;
  const era of = take_era(text, &length);
  const rdx_parse result = of == ERA_NONE ? parse_date(text, length, out) : RDX_PARSE_FORMAT;
  const rdx_parse far = result == RDX_PARSE_OK ? result : parse_far_date(text, length, of, &used, &day);
  if (result == RDX_PARSE_OK || far == RDX_PARSE_FORMAT || used != length)
    return result;
  *out = (int32_t)day;
  return far == RDX_PARSE_OK && day == *out ? RDX_PARSE_OK : RDX_PARSE_RANGE;
}

static rdx_parse parse_any_timestamp(const char *text, size_t length, int64_t *out) {
  int64_t day = 0;
  size_t used = 0;
  instant time = {0};
  const era of = take_era(text, &length);
  const rdx_parse result = of == ERA_NONE ? parse_timestamp(text, length, out) : RDX_PARSE_FORMAT;
  const rdx_parse far = result == RDX_PARSE_OK ? result : parse_far_date(text, length, of, &used, &day);
  if (result == RDX_PARSE_OK || far == RDX_PARSE_FORMAT || (used < length && text[used] != ' ' && text[used] != 'T'))
    return result;
  const rdx_parse rest = used < length ? parse_time(text + used + 1, length - used - 1, &time) : RDX_PARSE_OK;
  const rdx_i128 micros = (rdx_i128)day * MICROS_A_DAY + time.micros;
  *out = (int64_t)micros;
  return rest == RDX_PARSE_FORMAT ? rest : far == RDX_PARSE_OK && rest == far && micros == *out ? far : RDX_PARSE_RANGE;
}

/* ---- Any value ---- */

static rdx_parse parse_bool(const char *text, size_t length, uint8_t *out) {
  *out = is_word(text, length, "true") || is_word(text, length, "t") || is_word(text, length, "1");
  return *out || is_word(text, length, "false") || is_word(text, length, "f") || is_word(text, length, "0")
             ? RDX_PARSE_OK
             : RDX_PARSE_FORMAT;
}

rdx_parse rdx_value_parse(rdx_type type, uint8_t scale, const char *text, size_t length, void *out) {
  rdx_value_trim(&text, &length);
  switch (type) {
  case RDX_TYPE_BOOL:
    return parse_bool(text, length, out);
  case RDX_TYPE_F32:
  case RDX_TYPE_F64:
    return parse_float(type, text, length, out);
  case RDX_TYPE_DATE:
    return parse_any_date(text, length, out);
  case RDX_TYPE_TIMESTAMP:
    return parse_any_timestamp(text, length, out);
  case RDX_TYPE_DECIMAL:
    return parse_decimal(text, length, scale, out);
  default:
    break;
  }
  const size_t size = rdx_type_size(type);
  const bool is_unsigned = type >= RDX_TYPE_U8 && type <= RDX_TYPE_U64;
  const rdx_i128 half = (rdx_i128)1 << (8 * size - 1);
  rdx_i128 value = 0;
  rdx_parse result =
      parse_integer(text, length, is_unsigned ? 0 : -half, is_unsigned ? 2 * half - 1 : half - 1, &value);
  const uint64_t bits =
      (uint64_t)value; /* the low bytes are the narrower value on the little-endian CPUs that Embree runs on */
  memcpy(out, &bits, size);
  return result;
}

/* ---- Looking at values ---- */

#define BIT(trait) (1u << (trait))

/* How a number is written: whether it could be shorter, and what only some types keep. */
static void look_at_form(const rdx_number *n, rdx_look *out) {
  const uint32_t form = n->fraction_digits < 62 ? n->fraction_digits + n->point : 63;
  const uint32_t kept = n->fraction_digits - n->zeros;
  uint32_t min = !n->point || kept > 0 ? kept + n->point : 0;
  out->lengths = UINT64_C(1) << form;
  for (; min < form; min++)
    out->shorter |= UINT64_C(1) << min;
  if (out->shorter)
    out->traits |= BIT(RDX_TRAIT_PADDED);
  if (n->plus)
    out->traits |= BIT(RDX_TRAIT_PLUS);
  if (n->leading_zero)
    out->traits |= BIT(RDX_TRAIT_LEADING_ZERO);
  if (n->negative && n->significant == 0)
    out->traits |= BIT(RDX_TRAIT_MINUS_ZERO);
  if (n->point)
    out->traits |= n->fraction_digits == 0  ? BIT(RDX_TRAIT_POINT) | BIT(RDX_TRAIT_LAST_POINT)
                   : n->whole_digits == 0   ? BIT(RDX_TRAIT_POINT) | BIT(RDX_TRAIT_BARE_POINT)
                   : n->integer_digits == 0 ? BIT(RDX_TRAIT_POINT) | BIT(RDX_TRAIT_ZERO_POINT)
                                            : BIT(RDX_TRAIT_POINT);
  if (n->exponent)
    out->traits |=
        n->point || n->signed_exponent || n->negative || n->plus ? BIT(RDX_TRAIT_EXPONENT) : BIT(RDX_TRAIT_CODE);
}

static void look_at_number(const char *text, size_t length, bool floats, rdx_look *out) {
  const rdx_number *n = &out->number;
  const rdx_i128 value = n->negative ? -n->digits : n->digits;
  out->traits = BIT(RDX_TRAIT_NUMBER);
  out->integer_digits = n->integer_digits;
  out->fraction_digits = n->fraction_digits;
  look_at_form(n, out);
  if (n->negative && n->significant > 0)
    out->traits |= BIT(RDX_TRAIT_NEGATIVE);
  if (n->too_large || value < INT32_MIN || value > INT32_MAX)
    out->traits |= BIT(RDX_TRAIT_ABOVE_I32);
  if (n->too_large || value > INT64_MAX)
    out->traits |= BIT(RDX_TRAIT_ABOVE_I64);
  if (n->too_large || value < INT64_MIN || value > (rdx_i128)UINT64_MAX)
    out->traits |= BIT(RDX_TRAIT_BEYOND);
  if (!floats)
    return;
  const rdx_parse result = to_float(text, length, n, false, &out->real);
  out->is_real = true;
  if (result == RDX_PARSE_ROUNDED)
    out->traits |= BIT(RDX_TRAIT_TINY);
  else if (result != RDX_PARSE_OK)
    out->traits |= BIT(RDX_TRAIT_HUGE);
  else if (n->significant > DBL_DIG && !comes_back(text, length, n, out->real))
    out->traits |= BIT(RDX_TRAIT_LONG);
}

/* What is neither a number nor a word. */
static void look_at_others(const char *text, size_t length, rdx_look *out) {
  instant t;
  int32_t day = 0;
  if (length >= 10 && text[4] == '-' && parse_date(text, length, &day) == RDX_PARSE_OK) {
    out->traits = BIT(RDX_TRAIT_DATE);
    out->time = day;
  } else if (length >= 10 && text[4] == '-' && read_instant(text, length, &t) == RDX_PARSE_OK && !t.carries) {
    out->traits = BIT(RDX_TRAIT_TIMESTAMP) | (t.zoned ? BIT(RDX_TRAIT_ZONED) : BIT(RDX_TRAIT_LOCAL));
    out->time = t.micros;
  } else if (is_word(text, length, "true") || is_word(text, length, "false")) {
    out->traits = BIT(RDX_TRAIT_BOOL);
  } else if (read_word(text, length, &out->real)) {
    out->traits = BIT(RDX_TRAIT_NUMBER) | BIT(RDX_TRAIT_WORD);
    out->is_real = true;
  } else {
    out->traits = BIT(RDX_TRAIT_TEXT);
  }
}

void rdx_look_at(const char *text, size_t length, bool floats, rdx_look *out) {
  rdx_value_trim(&text, &length);
  out->traits = out->integer_digits = out->fraction_digits = 0;
  out->lengths = out->shorter = 0;
  out->is_real = false;
  if (rdx_number_read(text, length, &out->number))
    look_at_number(text, length, floats || out->number.exponent, out);
  else
    look_at_others(text, length, out);
}

bool rdx_look_value(const rdx_look *look, rdx_type type, uint8_t scale, const char *text, size_t length, void *out) {
  const rdx_number *n = &look->number;
  if (type == RDX_TYPE_DECIMAL && look->traits >> RDX_TRAIT_NUMBER & 1u && !n->exponent && n->fraction_digits <= scale)
    return scale_number(n, scale, out) == RDX_PARSE_OK;
  if (type == RDX_TYPE_F64 && look->is_real) {
    memcpy(out, &look->real, sizeof look->real);
    return true;
  }
  if (type == RDX_TYPE_DATE && look->traits >> RDX_TRAIT_DATE & 1u) {
    memcpy(out, &(int32_t){(int32_t)look->time}, sizeof(int32_t));
    return true;
  }
  if (type == RDX_TYPE_TIMESTAMP && look->traits >> RDX_TRAIT_TIMESTAMP & 1u) {
    memcpy(out, &look->time, sizeof look->time);
    return true;
  }
  const rdx_parse result = rdx_value_parse(type, scale, text, length, out);
  return result == RDX_PARSE_OK || result == RDX_PARSE_ROUNDED;
}
