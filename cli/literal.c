/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Values of the command line as values that keys can be compared with. */

#include "cli/probes.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_signed(rdx_type type) {
  return type >= RDX_TYPE_I8 && type <= RDX_TYPE_I64;
}

static bool is_unsigned(rdx_type type) {
  return type >= RDX_TYPE_U8 && type <= RDX_TYPE_U64;
}

rdx_csv_type cli_literal_type(const rdx_column *keys) {
  rdx_csv_type type = {.column = "1", .type = keys->type, .scale = keys->scale};
  if (is_signed(type.type))
    type.type = RDX_TYPE_I64;
  if (is_unsigned(type.type))
    type.type = RDX_TYPE_U64;
  return type;
}

/* ---- Open ends ---- */

/* The last of the keys; empty where there are none. */
static cli_literal largest_string(const rdx_column *keys) {
  cli_literal largest = {.text = "", .open = true};
  for (uint64_t i = 0; i < keys->rows; i++) {
    uint64_t length;
    const char *text = rdx_column_string(keys, i, &length);
    const size_t common = length < largest.length ? length : largest.length;
    const int order = common > 0 ? memcmp(text, largest.text, common) : 0;
    if (order > 0 || (order == 0 && length > largest.length)) {
      largest.text = text;
      largest.length = length;
    }
  }
  return largest;
}

/* Beyond all that a CSV file can hold of the type. */
static const char *extreme(rdx_type type, bool upper) {
  switch (type) {
  case RDX_TYPE_BOOL:
    return upper ? "true" : "false";
  case RDX_TYPE_F32:
  case RDX_TYPE_F64: /* NaN is the last */
    return upper ? "nan" : "-inf";
  case RDX_TYPE_DATE:
    return upper ? "9999-12-31" : "0001-01-01";
  case RDX_TYPE_TIMESTAMP:
    return upper ? "9999-12-31 23:59:59.999999" : "0001-01-01 00:00:00";
  case RDX_TYPE_STRING:
    return "";
  default: /* a limit beyond each type of numbers becomes that type's own */
    return upper ? "99999999999999999999" : "-99999999999999999999";
  }
}

cli_literal cli_literal_open(const rdx_column *keys, cli_role role) {
  if (keys->type == RDX_TYPE_STRING && role == CLI_UPPER)
    return largest_string(keys);
  const char *text = extreme(keys->type, role == CLI_UPPER);
  return (cli_literal){.text = text, .length = strlen(text), .open = true};
}

/* ---- Numbers ---- */

/* A plain number times a power of ten: what stands before its new point. */
typedef struct number {
  bool negative;
  bool inexact;   /* digits other than 0 were left out */
  bool too_large; /* `size` is not all of it */
  uint64_t size;
} number;

static void add_digit(number *n, unsigned digit) {
  n->too_large |= n->size > (UINT64_MAX - digit) / 10;
  n->size = n->size * 10 + digit;
}

/* The digits of a number, of which `left` stand before its point. */
typedef struct written {
  const char *text; /* digits and perhaps a point */
  size_t length;
  int64_t left;
  bool negative;
} written;

/* Sign, digits, point, digits, exponent, with blanks around; false where the text is something else. */
static bool read_digits(const char *text, written *d) {
  text += strspn(text, " \t");
  *d = (written){.negative = *text == '-'};
  text += *text == '-' || *text == '+';
  d->text = text;
  const size_t whole = strspn(text, "0123456789"), point = text[whole] == '.';
  const size_t fraction = point ? strspn(text + whole + 1, "0123456789") : 0;
  d->length = whole + point + fraction;
  d->left = (int64_t)whole;
  if (whole + fraction == 0)
    return false;
  text += d->length;
  if (*text == 'e' || *text == 'E') {
    const bool negative = text[1] == '-';
    text += 1 + (negative || text[1] == '+');
    int64_t power = 0;
    const size_t length = strspn(text, "0123456789");
    for (size_t i = 0; i < length && power < 1000000000; i++)
      power = 10 * power + (text[i] - '0');
    d->left += negative ? -power : power;
    text += length;
    if (length == 0)
      return false;
  }
  return text[strspn(text, " \t")] == '\0';
}

/* The number times 10^scale. */
static bool read_number(const char *text, uint8_t scale, number *n) {
  written d;
  if (!read_digits(text, &d))
    return false;
  *n = (number){.negative = d.negative};
  int64_t left = d.left + scale;
  for (size_t i = 0; i < d.length; i++) {
    if (d.text[i] == '.')
      continue;
    if (left-- > 0)
      add_digit(n, (unsigned)(d.text[i] - '0'));
    else
      n->inexact |= d.text[i] != '0';
  }
  for (; left > 0 && n->size > 0 && !n->too_large; left--)
    add_digit(n, 0);
  return true;
}

/* The number as `type` has it, a bound rounded inwards, into `out`; NULL where nothing can match it. */
static const char *fit_number(number n, const rdx_csv_type *type, cli_role role, char out[32]) {
  if (n.inexact && role == CLI_POINT)
    return NULL;
  if (n.inexact && n.negative == (role == CLI_UPPER)) { /* away from zero */
    n.too_large |= n.size == UINT64_MAX;
    n.size++;
  }
  const bool natural = is_unsigned(type->type);
  const uint64_t below = natural ? 0 : (uint64_t)1 << 63, above = natural ? UINT64_MAX : INT64_MAX;
  const uint64_t limit = n.negative ? below : above;
  if (n.too_large || n.size > limit) {
    if (role != (n.negative ? CLI_LOWER : CLI_UPPER))
      return NULL;
    n.size = limit;
  }
  char digits[24];
  const int length = snprintf(digits, sizeof digits, "%0*" PRIu64, type->scale + 1, n.size);
  const int before = length - type->scale;
  snprintf(out, 32, "%s%.*s%s%s", n.negative ? "-" : "", before, digits, type->scale ? "." : "", digits + before);
  return out;
}

/* A limit of the numbers of a type, given below 0, with the sign wanted. */
static const char *limit_text(rdx_type type, bool negative, const char *narrow, const char *wide) {
  const char *text = type == RDX_TYPE_F32 ? narrow : wide;
  return negative ? text : text + 1;
}

/* A float as it stands, unless it is finite text beyond the type, or closer to 0 than its numbers: then the number next
 * to it on the inner side, or NULL. */
static const char *fit_float(const char *text, rdx_type type, cli_role role) {
  char *end = NULL;
  const double value = type == RDX_TYPE_F32 ? (double)strtof(text, &end) : strtod(text, &end);
  const bool underflows = value == 0 && text[strspn(text, "+-.0")] >= '1' && text[strspn(text, "+-.0")] <= '9';
  if ((!isinf(value) && !underflows) || *end != '\0' || text[strspn(text, "+-.0123456789eE")] != '\0')
    return text;
  if (role == CLI_POINT)
    return NULL;
  const bool negative = signbit(value);
  const bool outwards = role == (negative ? CLI_LOWER : CLI_UPPER);
  if (underflows)
    return outwards ? "0" : limit_text(type, negative, "-1e-45", "-5e-324");
  if (!outwards)
    return negative ? "-inf" : "inf"; /* only infinity, and NaN, lie beyond the bound */
  return limit_text(type, negative, "-3.40282347e38", "-1.7976931348623157e308");
}

char *cli_literal_write(const cli_literal *literal, const rdx_csv_type *type, cli_role role, char *to) {
  char fitted[32];
  const char *text = literal->text;
  size_t length = literal->length;
  number n;
  if (type->type == RDX_TYPE_F32 || type->type == RDX_TYPE_F64)
    text = fit_float(text, type->type, role);
  else if ((is_signed(type->type) || is_unsigned(type->type) || type->type == RDX_TYPE_DECIMAL) &&
           read_number(text, type->scale, &n))
    text = fit_number(n, type, role, fitted);
  if (text != literal->text)
    length = text ? strlen(text) : 0;
  *to++ = '"';
  for (size_t i = 0; i < length; i++) {
    if (text[i] == '"')
      *to++ = '"';
    *to++ = text[i];
  }
  *to++ = '"';
  *to++ = '\n';
  return to;
}
