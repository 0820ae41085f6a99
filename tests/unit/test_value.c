/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Text to values, and what type a column of texts is. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <raydex/raydex.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "table/value.h"

/* A copy at the end of its own memory, where a sanitizer sees reads beyond it. */
static char *copy_of(const char *text) {
  const size_t length = strlen(text);
  char *copy = malloc(length > 0 ? length : 1);
  assert_non_null(copy);
  memcpy(copy, text, length);
  return copy;
}

static rdx_parse parse(rdx_type type, uint8_t scale, const char *text, void *out) {
  char *copy = copy_of(text);
  const rdx_parse result = rdx_value_parse(type, scale, copy, strlen(text), out);
  free(copy);
  return result;
}

#define REFUSED(type, scale, expected, ...)                                                                            \
  do {                                                                                                                 \
    static const char *const texts[] = {__VA_ARGS__};                                                                  \
    for (size_t refused = 0; refused < RDX_COUNT(texts); refused++) {                                                  \
      uint64_t parsed = 0;                                                                                             \
      if (parse(type, scale, texts[refused], &parsed) != (expected))                                                   \
        fail_msg("'%s' as %s", texts[refused], rdx_type_name(type));                                                   \
    }                                                                                                                  \
  } while (0)

/* ---- Integers ---- */

static void check_ends(rdx_type type, const char *min, const char *max, const char *below, const char *above) {
  const size_t size = rdx_type_size(type);
  const bool is_unsigned = type >= RDX_TYPE_U8 && type <= RDX_TYPE_U64;
  uint64_t value = 0;
  assert_int_equal(parse(type, 0, min, &value), RDX_PARSE_OK);
  assert_true(value == (is_unsigned ? 0 : (uint64_t)1 << (8 * size - 1)));
  value = 0;
  assert_int_equal(parse(type, 0, max, &value), RDX_PARSE_OK);
  assert_true(value == UINT64_MAX >> (64 - 8 * size + !is_unsigned));
  assert_int_equal(parse(type, 0, below, &value), RDX_PARSE_RANGE);
  assert_int_equal(parse(type, 0, above, &value), RDX_PARSE_RANGE);
}

static void test_integers(void **state) {
  (void)state;
  check_ends(RDX_TYPE_I8, "-128", "127", "-129", "128");
  check_ends(RDX_TYPE_I16, "-32768", "32767", "-32769", "32768");
  check_ends(RDX_TYPE_I32, "-2147483648", "2147483647", "-2147483649", "2147483648");
  check_ends(RDX_TYPE_I64, "-9223372036854775808", "9223372036854775807", "-9223372036854775809",
             "9223372036854775808");
  check_ends(RDX_TYPE_U8, "0", "255", "-1", "256");
  check_ends(RDX_TYPE_U16, "0", "65535", "-1", "65536");
  check_ends(RDX_TYPE_U32, "0", "4294967295", "-1", "4294967296");
  check_ends(RDX_TYPE_U64, "0", "18446744073709551615", "-1", "18446744073709551616");
  for (rdx_type type = RDX_TYPE_I8; type <= RDX_TYPE_U64; type++) {
    uint64_t value = 1;
    assert_int_equal(parse(type, 0, "00000000000000000000000000000000000000000000042", &value), RDX_PARSE_OK);
    assert_int_equal((uint8_t)value, 42);
    REFUSED(type, 0, RDX_PARSE_FORMAT, "", " ", "-", "+", "1 1", "1\n", "1.0", "1e3", "0x1", "--1", "1-", "a", "1a",
            "1,000");
    REFUSED(type, 0, RDX_PARSE_RANGE, "99999999999999999999999999999999999999999999999999999999999999",
            "-340282366920938463463374607431768211456");
  }
}

/* ---- Decimals ---- */

static void test_decimals(void **state) {
  (void)state;
  static const struct {
    const char *text;
    uint8_t scale;
    int64_t value;
  } good[] = {
      {"1.5", 1, 15},
      {"1.5", 3, 1500},
      {"-1.05", 2, -105},
      {"-0.01", 2, -1},
      {"7", 2, 700},
      {"1.500", 1, 15},
      {".5", 1, 5},
      {"0", 18, 0},
      {"-0.0", 1, 0},
      {"1.", 1, 10},
      {"12", 0, 12},
      {"12.000", 0, 12},
      {"-9.223372036854775808", 18, INT64_MIN},
      {"9.223372036854775807", 18, INT64_MAX},
      {"92233720368547758.07", 2, INT64_MAX},
      {"000000000000000000000000000000000000000000.25", 2, 25},
      {"1.10000000000000000000000000000000000000000000000000", 2, 110},
      {".0000000000000000000000000000000000000000000000", 0, 0},
      {"-123456789012345.00000000000000000000000000", 3, -123456789012345000},
      {" 1.5 ", 1, 15},
  };
  for (size_t i = 0; i < RDX_COUNT(good); i++) {
    int64_t value = 12345;
    if (parse(RDX_TYPE_DECIMAL, good[i].scale, good[i].text, &value) != RDX_PARSE_OK || value != good[i].value)
      fail_msg("'%s' with scale %u: %lld", good[i].text, good[i].scale, (long long)value);
  }
  REFUSED(RDX_TYPE_DECIMAL, 2, RDX_PARSE_FORMAT, "", ".", "-", "-.", "1..2", "1.2.3", "1e2", "- 1", "1,5", "nan");
  REFUSED(RDX_TYPE_DECIMAL, 2, RDX_PARSE_RANGE, "1.234", "92233720368547758.08", "-92233720368547758.09",
          "99999999999999999999", "99999999999999999999999999999999999999999999999999");
  REFUSED(RDX_TYPE_DECIMAL, 18, RDX_PARSE_RANGE, "10", "-10", "9.223372036854775808", "18446744073709551616");
}

/* ---- Floats ---- */

static void check_float(const char *text, double expected) {
  double wide = 12345;
  float narrow = 12345;
  assert_int_equal(parse(RDX_TYPE_F64, 0, text, &wide), RDX_PARSE_OK);
  if (expected != expected)
    assert_true(wide != wide);
  else
    assert_memory_equal(&wide, &expected, sizeof wide);
  if (parse(RDX_TYPE_F32, 0, text, &narrow) == RDX_PARSE_OK && expected == expected)
    assert_true(narrow == (float)expected);
}

static void test_floats(void **state) {
  (void)state;
  check_float("0", 0.0);
  check_float("-0", -0.0);
  check_float("1", 1);
  check_float("+1.5", 1.5);
  check_float("0.1", 0.1);
  check_float(".5", 0.5);
  check_float("5.", 5);
  check_float("1e3", 1000);
  check_float("1E-3", 1e-3);
  check_float("-2.5e+2", -250);
  check_float("1.7976931348623157e308", DBL_MAX);
  check_float("5e-324", DBL_TRUE_MIN);
  check_float("9007199254740993", 9007199254740992.0); /* halfway: to even */
  check_float("inf", INFINITY);
  check_float("-Infinity", -INFINITY);
  check_float("NaN", NAN);
  REFUSED(RDX_TYPE_F64, 0, RDX_PARSE_FORMAT, "", ".", "-", "e5", ".e5", "1e", "1e+", "1e1.5", "0x10", "1,5", "infinite",
          "in", "nan(1)", "1f", "--1");
  REFUSED(RDX_TYPE_F64, 0, RDX_PARSE_RANGE, "1e309", "-1e309", "1e99999999999");
  REFUSED(RDX_TYPE_F64, 0, RDX_PARSE_ROUNDED, "1e-400", "-1e-400", "0.01e-323", "2e-324", "3e-324", "1.2345e-320");
  REFUSED(RDX_TYPE_F32, 0, RDX_PARSE_RANGE, "1e39", "-3.5e38");
  REFUSED(RDX_TYPE_F32, 0, RDX_PARSE_ROUNDED, "1e-46", "-0.0001e-42");
  check_float("\t1.5  ", 1.5);
  check_float("1e-320", 1e-320);
  check_float("0e-999", 0.0);
  check_float("-0.000e5", -0.0);
  float narrow = 0;
  assert_int_equal(parse(RDX_TYPE_F32, 0, "1e-45", &narrow), RDX_PARSE_OK);
  assert_true(narrow == FLT_TRUE_MIN);
}

/* A number may be long. */
static void test_long_floats(void **state) {
  (void)state;
  char text[1200];
  memset(text, '0', sizeof text);
  memcpy(text + sizeof text - 3, "25", 3);
  text[1] = '.';
  double value = 1;
  assert_int_equal(parse(RDX_TYPE_F64, 0, text, &value), RDX_PARSE_ROUNDED);
  memset(text + 2, '0', sizeof text - 3);
  assert_int_equal(parse(RDX_TYPE_F64, 0, text, &value), RDX_PARSE_OK);
  assert_true(value == 0);
  memset(text, '0', 1198);
  memcpy(text, "1", 1);
  memcpy(text + 1190, "e-1189", 7);
  assert_int_equal(parse(RDX_TYPE_F64, 0, text, &value), RDX_PARSE_OK);
  assert_true(value == 1);
}

/* Printed with all their digits, random doubles and floats come back bit by bit. */
static void test_floats_round_trip(void **state) {
  (void)state;
  uint64_t x = 1;
  for (int i = 0; i < 20000; i++) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    const uint64_t bits = x ^ x >> 29;
    double value, back = 0;
    float narrow, narrow_back = 0;
    char text[64];
    memcpy(&value, &bits, sizeof value);
    memcpy(&narrow, &bits, sizeof narrow);
    if (isfinite(value)) {
      snprintf(text, sizeof text, "%.17g", value);
      assert_int_equal(parse(RDX_TYPE_F64, 0, text, &back), RDX_PARSE_OK);
      assert_memory_equal(&back, &value, sizeof value);
    }
    if (isfinite(narrow)) {
      snprintf(text, sizeof text, "%.9g", (double)narrow);
      assert_int_equal(parse(RDX_TYPE_F32, 0, text, &narrow_back), RDX_PARSE_OK);
      assert_memory_equal(&narrow_back, &narrow, sizeof narrow);
    }
  }
}

/* ---- Dates and times ---- */

/* All days of 400 years, told from the day before, against a calendar that counts them one by one. */
static void test_dates(void **state) {
  (void)state;
  static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  int32_t expected = -25567; /* 1900-01-01 */
  for (int year = 1900; year < 2301; year++) {
    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    for (int month = 1; month <= 12; month++) {
      const int last = days[month - 1] + (month == 2 && leap);
      for (int day = 1; day <= last + 1; day++) {
        char text[40];
        int32_t value = INT32_MIN;
        snprintf(text, sizeof text, "%04d-%02d-%02d", year, month, day);
        const rdx_parse result = parse(RDX_TYPE_DATE, 0, text, &value);
        assert_int_equal(result, day <= last ? RDX_PARSE_OK : RDX_PARSE_RANGE);
        if (day <= last)
          assert_int_equal(value, expected++);
      }
    }
  }
  int32_t value = 0;
  assert_int_equal(parse(RDX_TYPE_DATE, 0, "0001-01-01", &value), RDX_PARSE_OK);
  assert_int_equal(value, -719162);
  assert_int_equal(parse(RDX_TYPE_DATE, 0, "9999-12-31", &value), RDX_PARSE_OK);
  assert_int_equal(value, 2932896);
  REFUSED(RDX_TYPE_DATE, 0, RDX_PARSE_FORMAT, "", "2024-1-01", "2024-01-1", "24-01-01", "2024/01/01", "-024-01-01",
          "2024-01-0x", "20240101", "2024-01-01T00:00", "2024-+1-01");
  REFUSED(RDX_TYPE_DATE, 0, RDX_PARSE_RANGE, "2024-00-01", "2024-13-01", "2024-01-00", "2024-04-31", "0000-00-00",
          "-0001-13-01", "+6000000-01-01", "99999999-01-01", "12345678901234567890-01-01", "0000-01-01 BC",
          "0000-01-01 AD", "0001-02-30 AD", "2023-02-29 BC", "9000000-01-01 BC");
  REFUSED(RDX_TYPE_DATE, 0, RDX_PARSE_FORMAT, "02345-01-01", "+2024-01-01", "-0000-01-01", "-44-01-01",
          "+12345-01-011", "-0044-01-01 BC", "44-01-01 BC", "0044-01-01BC", "0044-01-01 BCE", " BC",
          "0044-01-01 BC AD");
  assert_int_equal(parse(RDX_TYPE_DATE, 0, "0001-12-31 BC", &value), RDX_PARSE_OK);
  assert_int_equal((int32_t)value, -719163);
  assert_int_equal(parse(RDX_TYPE_DATE, 0, "0005-02-29  bc", &value), RDX_PARSE_OK);
  assert_int_equal(parse(RDX_TYPE_DATE, 0, "2024-02-29 AD", &value), RDX_PARSE_OK);
  assert_int_equal((int32_t)value, 19782);
  assert_int_equal(parse(RDX_TYPE_DATE, 0, "0000-12-31", &value), RDX_PARSE_OK);
  assert_int_equal((int32_t)value, -719163);
  assert_int_equal(parse(RDX_TYPE_DATE, 0, "+10000-01-01", &value), RDX_PARSE_OK);
  assert_int_equal((int32_t)value, 2932897);
  assert_int_equal(parse(RDX_TYPE_DATE, 0, "10000-01-01", &value), RDX_PARSE_OK);
  assert_int_equal((int32_t)value, 2932897);
}

static void test_timestamps(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int64_t value;
  } good[] = {
      {"1970-01-01T00:00:00Z", 0},
      {"1970-01-01 00:00", 0},
      {"1969-12-31 24:00", 0},
      {"1969-12-31T24:00:00.000+00:00", 0},
      {"10000-01-01 00:00:01", 253402300801000000},
      {"1970-01-01 00:01Z", 60000000},
      {"2024-01-01 00:00:60", 1704067260000000},
      {"1970-01-01T23:59:59.999999", 86399999999},
      {"1970-01-01 00:00:00.5Z", 500000},
      {"1970-01-01 00:00:00.000001", 1},
      {"1969-12-31 23:59:59.999999", -1},
      {"2024-02-29T12:30:01", 1709209801000000},
      {"0001-01-01 00:00", -62135596800000000},
      {"0001-12-31 23:59:59.5 BC", -62135596800500000},
      {"0001-12-31T23:00:00-02 BC", -62135593200000000},
      {"9999-12-31 23:59:59.999999Z", 253402300799999999},
      {"2000-01-01", 946684800000000},
      {"1970-01-01 01:00+01", 0},
      {"1970-01-01T01:30:00+0130", 0},
      {"1969-12-31 18:15:00.25-05:45", 250000},
      {"1970-01-01 01:00:00 +0100", 0},
      {"1970-01-01 00:00:00-00:00", 0},
      {"1970-01-01 00:00:00.000001000000000", 1},
      {" 1970-01-01 00:00:00.5000000000Z ", 500000},
  };
  for (size_t i = 0; i < RDX_COUNT(good); i++) {
    int64_t value = 12345;
    if (parse(RDX_TYPE_TIMESTAMP, 0, good[i].text, &value) != RDX_PARSE_OK || value != good[i].value)
      fail_msg("'%s': %lld", good[i].text, (long long)value);
  }
  REFUSED(RDX_TYPE_TIMESTAMP, 0, RDX_PARSE_FORMAT, "", "2024-01-01T", "2024-01-01Z", "2024-01-01 00", "2024-01-01 0:00",
          "2024-01-01 00:00:", "2024-01-01 00:00:0", "2024-01-01 00:00:00.", "2024-01-01 00:00z",
          "2024-01-01 00:00:00.1234567x", "2024-01-01  00:00", "2024-01-01 00:00:00+1", "2024-01-01 00-00",
          "2024-01-01 00:00:00+01:0", "2024-01-01 00:00:00+01:00:00", "2024-01-01+01:00", "2024-01-01 00:00+0a",
          "2024-01-01 00:00:00,5", "2024-01-01 00:00ZZ");
  REFUSED(RDX_TYPE_TIMESTAMP, 0, RDX_PARSE_RANGE, "2024-01-01 24:01", "2024-01-01 24:00:00.1", "2024-01-01 25:00",
          "2024-01-01 00:60", "2024-01-01 00:00:61", "2023-02-29 00:00", "2024-01-01 00:00:00.1234567",
          "2024-01-01 00:00:00.0000001Z", "2024-01-01 00:00+16", "2024-01-01 00:00+01:60", "0001-01-01 00:00+01:00",
          "9999-12-31 23:59-00:01");
}

static void test_bools(void **state) {
  (void)state;
  static const char *const yes[] = {"true", "t", "1"}, *const no[] = {"false", "f", "0"};
  for (size_t i = 0; i < RDX_COUNT(yes); i++) {
    uint8_t value = 7;
    assert_int_equal(parse(RDX_TYPE_BOOL, 0, yes[i], &value), RDX_PARSE_OK);
    assert_int_equal(value, 1);
    assert_int_equal(parse(RDX_TYPE_BOOL, 0, no[i], &value), RDX_PARSE_OK);
    assert_int_equal(value, 0);
  }
  REFUSED(RDX_TYPE_BOOL, 0, RDX_PARSE_FORMAT, "", "2", "-1", "tru", "truee", "t rue", "yes", "10");
}

/* ---- Inference ---- */

static void check_type(const char *values, rdx_type expected, uint8_t expected_scale) {
  rdx_inference inference = {0};
  for (const char *at = values; *at;) {
    const size_t length = strcspn(at, "|");
    char *copy = malloc(length + 1);
    assert_non_null(copy);
    memcpy(copy, at, length);
    rdx_look look;
    rdx_look_at(copy, length, true, &look);
    rdx_inference_add(&inference, &look, copy, length, 0);
    free(copy);
    at += length + (at[length] != '\0');
  }
  uint8_t scale = 99;
  const rdx_type type = rdx_inference_type(&inference, &scale);
  if (type != expected || scale != expected_scale)
    fail_msg("%s: %s with scale %u", values, rdx_type_name(type), scale);
}

static void test_inference(void **state) {
  (void)state;
  check_type("", RDX_TYPE_STRING, 0);
  check_type("true|false", RDX_TYPE_BOOL, 0);
  check_type("t|f", RDX_TYPE_STRING, 0);
  check_type("0|1", RDX_TYPE_I32, 0);
  check_type("-2147483648|2147483647", RDX_TYPE_I32, 0);
  check_type("-2147483649", RDX_TYPE_I64, 0);
  check_type("2147483648|-9223372036854775808", RDX_TYPE_I64, 0);
  check_type("9223372036854775808", RDX_TYPE_U64, 0);
  check_type("18446744073709551615|0", RDX_TYPE_U64, 0);
  check_type("18446744073709551615|0|-0", RDX_TYPE_STRING, 0);
  check_type("18446744073709551616", RDX_TYPE_STRING, 0);
  check_type("9223372036854775808|-1", RDX_TYPE_STRING, 0);
  check_type("-9223372036854775809", RDX_TYPE_STRING, 0);
  check_type("0.5|1.25|3", RDX_TYPE_DECIMAL, 2);
  check_type(".5|-.25|3", RDX_TYPE_DECIMAL, 2);
  check_type("0.5|.25", RDX_TYPE_STRING, 0);
  check_type("1|2.5", RDX_TYPE_DECIMAL, 1);
  check_type("1|2.0", RDX_TYPE_STRING, 0);
  check_type("5|4.50", RDX_TYPE_DECIMAL, 2);
  check_type("1.0|2.0", RDX_TYPE_DECIMAL, 1);
  check_type("123456789012345678.0", RDX_TYPE_STRING, 0); /* 19 digits */
  check_type("12345678901234500.00", RDX_TYPE_F64, 0);
  check_type("12345678901234567.8", RDX_TYPE_DECIMAL, 1);
  check_type("123456789.1|1.1234567890", RDX_TYPE_F64, 0); /* 9 before and 10 after the point */
  check_type("000000000000000000001.5", RDX_TYPE_STRING, 0);
  check_type("1.5|1e5", RDX_TYPE_F64, 0);
  check_type("1|nan", RDX_TYPE_F64, 0);
  check_type("inf|-Infinity|NaN", RDX_TYPE_F64, 0);
  check_type("1e5|2e5", RDX_TYPE_STRING, 0);
  check_type("1e-5|2e5", RDX_TYPE_F64, 0);
  check_type("0.1000000000000000055511151231257827021181583404541015625", RDX_TYPE_F64, 0);
  check_type("0.1000000000000000055511151231257827021181583404541015624", RDX_TYPE_STRING, 0);
  check_type("1e-400|1.5", RDX_TYPE_F64, 0);
  check_type("2024-01-01|1999-12-31", RDX_TYPE_DATE, 0);
  check_type("2024-01-01|1999-12-31 10:00", RDX_TYPE_TIMESTAMP, 0);
  check_type("2024-01-01|1", RDX_TYPE_STRING, 0);
  check_type("2024-13-01", RDX_TYPE_STRING, 0);
  check_type("1|true", RDX_TYPE_STRING, 0);
  check_type("1|x", RDX_TYPE_STRING, 0);
  check_type("-", RDX_TYPE_STRING, 0);
}

/* A type that is inferred takes all the values that it was inferred from. */
static void test_inferred_types_fit(void **state) {
  (void)state;
  static const char *const words[] = {"1e308", "1e309", "-1e400", "5.", "1.", ".5", "+1", "-0", "1e-999", "True"};
  char long_number[700];
  memset(long_number, '7', sizeof long_number - 1);
  long_number[sizeof long_number - 1] = '\0';
  char long_fraction[700];
  memset(long_fraction, '0', sizeof long_fraction - 1);
  memcpy(long_fraction + sizeof long_fraction - 2, "1", 2);
  long_fraction[1] = '.';
  for (size_t i = 0; i <= RDX_COUNT(words) + 1; i++) {
    const char *text = i < RDX_COUNT(words) ? words[i] : i == RDX_COUNT(words) ? long_number : long_fraction;
    rdx_inference inference = {0};
    rdx_look look;
    rdx_look_at(text, strlen(text), true, &look);
    rdx_inference_add(&inference, &look, text, strlen(text), 0);
    uint8_t scale = 0;
    uint64_t value = 0;
    const rdx_type type = rdx_inference_type(&inference, &scale);
    if (type != RDX_TYPE_STRING && parse(type, scale, text, &value) > RDX_PARSE_ROUNDED)
      fail_msg("'%.20s' is said to be %s", text, rdx_type_name(type));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_integers),
      cmocka_unit_test(test_decimals),
      cmocka_unit_test(test_floats),
      cmocka_unit_test(test_long_floats),
      cmocka_unit_test(test_floats_round_trip),
      cmocka_unit_test(test_dates),
      cmocka_unit_test(test_timestamps),
      cmocka_unit_test(test_bools),
      cmocka_unit_test(test_inference),
      cmocka_unit_test(test_inferred_types_fit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
