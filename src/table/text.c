/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Values as text that reads back as the same values: the other way round is value.c. */

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>

#include "base/civil.h"
#include "column/column.h"
#include "table/value.h"

#include <raydex/table.h>

/* At least `min` digits. */
static char *put_number(char *to, uint64_t value, uint32_t min) {
  char digits[20];
  uint32_t count = 0;
  for (; value > 0 || count < min; value /= 10)
    digits[count++] = (char)('0' + value % 10);
  while (count > 0)
    *to++ = digits[--count];
  return to;
}

static char *put_signed(char *to, int64_t value) {
  if (value < 0)
    *to++ = '-';
  return put_number(to, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 1);
}

/* The shortest of the usual forms that reads back exactly. Subnormal numbers have few bits. */
static char *put_float(char *to, double value, rdx_type type) {
  if (value != value)
    return to + sprintf(to, "nan");
  const bool subnormal = fabs(value) < (type == RDX_TYPE_F32 ? (double)FLT_MIN : DBL_MIN);
  for (int digits = subnormal ? 1 : type == RDX_TYPE_F32 ? FLT_DIG : DBL_DIG;; digits++) {
    double wide = 0;
    float narrow = 0;
    const int length = rdx_text_print(to, RDX_VALUE_TEXT, "%.*g", digits, value);
    if (type == RDX_TYPE_F32)
      (void)rdx_value_parse(type, 0, to, (size_t)length, &narrow);
    else
      (void)rdx_value_parse(type, 0, to, (size_t)length, &wide);
    if (digits == 17 || (type == RDX_TYPE_F32 ? narrow == (float)value : wide == value))
      return to + length;
  }
}

static char *put_decimal(char *to, int64_t value, uint8_t scale) {
  uint64_t power = 1;
  for (uint8_t i = 0; i < scale; i++)
    power *= 10;
  const uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  if (value < 0)
    *to++ = '-';
  to = put_number(to, size / power, 1);
  if (scale == 0)
    return to;
  *to++ = '.';
  return put_number(to, size % power, scale);
}

/* The year before 1 is 1 BC; what stands behind date and time. */
static char *put_era(char *to, int64_t day) {
  return rdx_civil_of_day(day).year > 0 ? to : stpcpy(to, " BC");
}

static char *put_date(char *to, int64_t day) {
  const rdx_civil c = rdx_civil_of_day(day);
  to = put_number(to, (uint64_t)(c.year > 0 ? c.year : 1 - c.year), 4);
  *to++ = '-';
  to = put_number(to, (uint64_t)c.month, 2);
  *to++ = '-';
  return put_number(to, (uint64_t)c.day, 2);
}

static char *put_timestamp(char *to, int64_t micros) {
  const int64_t in_day = 86400000000;
  int64_t day = micros / in_day, rest = micros % in_day;
  if (rest < 0) {
    rest += in_day;
    day--;
  }
  const uint64_t second = (uint64_t)rest / 1000000;
  const uint64_t parts[] = {second / 3600, second / 60 % 60, second % 60};
  to = put_date(to, day);
  for (int i = 0; i < 3; i++) {
    *to++ = i == 0 ? ' ' : ':';
    to = put_number(to, parts[i], 2);
  }
  if (rest % 1000000 != 0) {
    *to++ = '.';
    to = put_number(to, (uint64_t)rest % 1000000, 6);
  }
  return put_era(to, day);
}

static char *put_value(char *to, const rdx_column *c, uint64_t row) {
  switch (c->type) {
  case RDX_TYPE_BOOL:
    return to + sprintf(to, ((const uint8_t *)c->values)[row] ? "true" : "false");
  case RDX_TYPE_I8:
    return put_signed(to, ((const int8_t *)c->values)[row]);
  case RDX_TYPE_I16:
    return put_signed(to, ((const int16_t *)c->values)[row]);
  case RDX_TYPE_I32:
    return put_signed(to, ((const int32_t *)c->values)[row]);
  case RDX_TYPE_I64:
    return put_signed(to, ((const int64_t *)c->values)[row]);
  case RDX_TYPE_U8:
    return put_number(to, ((const uint8_t *)c->values)[row], 1);
  case RDX_TYPE_U16:
    return put_number(to, ((const uint16_t *)c->values)[row], 1);
  case RDX_TYPE_U32:
    return put_number(to, ((const uint32_t *)c->values)[row], 1);
  case RDX_TYPE_U64:
    return put_number(to, ((const uint64_t *)c->values)[row], 1);
  case RDX_TYPE_F32:
    return put_float(to, (double)((const float *)c->values)[row], c->type);
  case RDX_TYPE_F64:
    return put_float(to, ((const double *)c->values)[row], c->type);
  case RDX_TYPE_DATE:
    to = put_date(to, ((const int32_t *)c->values)[row]);
    return put_era(to, ((const int32_t *)c->values)[row]);
  case RDX_TYPE_TIMESTAMP:
    return put_timestamp(to, ((const int64_t *)c->values)[row]);
  case RDX_TYPE_DECIMAL:
    return put_decimal(to, ((const int64_t *)c->values)[row], c->scale);
  default:
    return to;
  }
}

size_t rdx_column_format(const rdx_column *column, uint64_t row, char text[RDX_VALUE_TEXT]) {
  if (!rdx_column_has(column, row))
    return 0;
  return (size_t)(put_value(text, column, row) - text);
}
