/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Codes of keys keep the order of values, and probes of other types find what comparing the values finds. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <raydex/raydex.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "column/keys.h"

#define MAX 64 /* values in a set */

static uint64_t next_random(void) {
  static uint64_t state = 1;
  uint64_t x = state += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

/* The code of row `row`, whatever its width. */
static uint64_t code_of(const rdx_column *c, uint64_t row) {
  uint64_t wide = 0;
  uint32_t narrow = 0;
  if (rdx_key_bits(c->type) == 64) {
    rdx_keys_encode(c, row, 1, &wide);
    return wide;
  }
  rdx_keys_encode(c, row, 1, &narrow);
  return narrow;
}

/* ---- Order ---- */

/* Codes of ascending values ascend, but for one pair of equal ones. */
static void check_order(rdx_type type, const void *values, uint64_t rows, uint64_t equal_to_next) {
  const rdx_column c = {.type = type, .rows = rows, .values = values};
  for (uint64_t i = 0; i + 1 < rows; i++) {
    if (i == equal_to_next)
      assert_true(code_of(&c, i) == code_of(&c, i + 1));
    else
      assert_true(code_of(&c, i) < code_of(&c, i + 1));
  }
}

#define NONE_EQUAL UINT64_MAX
#define ORDER(type, array) check_order(type, array, RDX_COUNT(array), NONE_EQUAL)

static void test_order_of_extremes(void **state) {
  (void)state;
  const uint8_t flags[] = {0, 1};
  const int32_t i32[] = {INT32_MIN, INT32_MIN + 1, -65536, -1, 0, 1, 65535, INT32_MAX - 1, INT32_MAX};
  const int64_t i64[] = {INT64_MIN, INT64_MIN + 1, -4294967297, -1, 0, 1, 4294967296, INT64_MAX - 1, INT64_MAX};
  const uint32_t u32[] = {0, 1, INT32_MAX, 0x80000000u, UINT32_MAX - 1, UINT32_MAX};
  const uint64_t u64[] = {0, 1, UINT32_MAX, INT64_MAX, 1 + (uint64_t)INT64_MAX, UINT64_MAX - 1, UINT64_MAX};
  const float f32[] = {-INFINITY,    -FLT_MAX, -1, -FLT_MIN,         -FLT_TRUE_MIN, -0.0f,    0.0f,
                       FLT_TRUE_MIN, FLT_MIN,  1,  nextafterf(1, 2), FLT_MAX,       INFINITY, NAN};
  const double f64[] = {-INFINITY,    -DBL_MAX, -1, -DBL_MIN,        -DBL_TRUE_MIN, -0.0,     0.0,
                        DBL_TRUE_MIN, DBL_MIN,  1,  nextafter(1, 2), DBL_MAX,       INFINITY, NAN};
  ORDER(RDX_TYPE_BOOL, flags);
  ORDER(RDX_TYPE_I32, i32);
  ORDER(RDX_TYPE_DATE, i32);
  ORDER(RDX_TYPE_I64, i64);
  ORDER(RDX_TYPE_TIMESTAMP, i64);
  ORDER(RDX_TYPE_DECIMAL, i64);
  ORDER(RDX_TYPE_U32, u32);
  ORDER(RDX_TYPE_U64, u64);
  check_order(RDX_TYPE_F32, f32, RDX_COUNT(f32), 5);
  check_order(RDX_TYPE_F64, f64, RDX_COUNT(f64), 5);
}

/* All values of the narrow types, encoded at once and from the middle. */
static void test_order_of_narrow_types(void **state) {
  (void)state;
  int16_t i16[65536];
  uint16_t u16[65536];
  int8_t i8[256];
  uint8_t u8[256];
  for (int32_t i = 0; i < 65536; i++) {
    i16[i] = (int16_t)(i - 32768);
    u16[i] = (uint16_t)i;
  }
  for (int32_t i = 0; i < 256; i++) {
    i8[i] = (int8_t)(i - 128);
    u8[i] = (uint8_t)i;
  }
  ORDER(RDX_TYPE_I16, i16);
  ORDER(RDX_TYPE_U16, u16);
  ORDER(RDX_TYPE_I8, i8);
  ORDER(RDX_TYPE_U8, u8);
  const rdx_column c = {.type = RDX_TYPE_I16, .rows = 65536, .values = i16};
  uint32_t codes[1000];
  rdx_keys_encode(&c, 32000, 1000, codes);
  for (uint64_t i = 0; i < 1000; i++)
    assert_int_equal(codes[i], code_of(&c, 32000 + i));
}

static int compare_doubles(double a, double b) {
  if (a != a || b != b)
    return (a != a) - (b != b);
  return (a > b) - (a < b);
}

static int compare_codes(uint64_t a, uint64_t b) {
  return (a > b) - (a < b);
}

/* Random bits as floats: subnormal ones and NaNs with all kinds of payload, of either sign, among them. */
static void test_order_of_random_floats(void **state) {
  (void)state;
  for (int i = 0; i < 200000; i++) {
    const uint64_t bits[2] = {next_random(), i % 2 ? next_random() : next_random() | 0x7ff0000000000000u};
    const uint32_t half[2] = {(uint32_t)bits[0], (uint32_t)(bits[1] >> 32) | (i % 4 ? 0 : 0x7f800000u)};
    double wide[2];
    float narrow[2];
    memcpy(wide, bits, sizeof wide);
    memcpy(narrow, half, sizeof narrow);
    const rdx_column w = {.type = RDX_TYPE_F64, .rows = 2, .values = wide};
    const rdx_column n = {.type = RDX_TYPE_F32, .rows = 2, .values = narrow};
    assert_int_equal(compare_codes(code_of(&w, 0), code_of(&w, 1)), compare_doubles(wide[0], wide[1]));
    assert_int_equal(compare_codes(code_of(&n, 0), code_of(&n, 1)),
                     compare_doubles((double)narrow[0], (double)narrow[1]));
  }
}

static void test_zero_and_width(void **state) {
  (void)state;
  static const uint64_t zeros[2] = {0, 0};
  for (rdx_type type = RDX_TYPE_BOOL; type <= RDX_TYPE_STRING; type++) {
    const rdx_column c = {.type = type, .rows = 1, .values = zeros, .offsets = type == RDX_TYPE_STRING ? zeros : NULL};
    assert_true(code_of(&c, 0) == rdx_key_zero(type));
    assert_int_equal(rdx_key_bits(type), type == RDX_TYPE_STRING || rdx_type_size(type) == 8 ? 64 : 32);
  }
}

/* ---- Strings ---- */

/* Strings of at most 15 bytes in one column. */
typedef struct texts {
  char bytes[MAX * 16];
  uint64_t offsets[MAX + 1];
  rdx_column view;
} texts;

static void add_text(texts *t, const char *text, uint64_t length) {
  const uint64_t row = t->view.rows++;
  assert_true(row < MAX && length < 16);
  memcpy(t->bytes + t->offsets[row], text, length);
  t->offsets[row + 1] = t->offsets[row] + length;
}

static void start_texts(texts *t) {
  memset(t, 0, sizeof *t);
  t->view = (rdx_column){.type = RDX_TYPE_STRING, .values = t->bytes, .offsets = t->offsets};
}

/* Texts over an alphabet of the lowest and the highest bytes, so that many are near each other. */
static void random_texts(texts *t, uint64_t rows, uint64_t longest, bool zeros) {
  static const char alphabet[] = {'\0', '\1', 'a', '\xff'};
  start_texts(t);
  add_text(t, "", 0);
  for (uint64_t row = 1; row < rows; row++) {
    char text[16];
    const uint64_t length = next_random() % (longest + 1), same = next_random() % 9;
    for (uint64_t i = 0; i < length; i++)
      text[i] = i < same ? '\xff' : alphabet[zeros ? next_random() % 4 : 1 + next_random() % 3];
    add_text(t, text, length);
  }
}

static int compare_texts(const rdx_column *a, uint64_t i, const rdx_column *b, uint64_t j) {
  const uint64_t m = a->offsets[i + 1] - a->offsets[i], n = b->offsets[j + 1] - b->offsets[j];
  for (uint64_t k = 0; k < m && k < n; k++) {
    const uint8_t x = ((const uint8_t *)a->values)[a->offsets[i] + k];
    const uint8_t y = ((const uint8_t *)b->values)[b->offsets[j] + k];
    if (x != y)
      return x < y ? -1 : 1;
  }
  return (m > n) - (m < n);
}

static void test_order_of_strings(void **state) {
  (void)state;
  texts t;
  for (int round = 0; round < 50; round++) {
    random_texts(&t, MAX, 15, round % 2);
    for (uint64_t i = 0; i < MAX; i++) {
      for (uint64_t j = 0; j < MAX; j++) {
        const int order = compare_texts(&t.view, i, &t.view, j);
        const int said = rdx_column_compare_strings(&t.view, i, &t.view, j);
        assert_int_equal((said > 0) - (said < 0), order);
        if (order < 0)
          assert_true(code_of(&t.view, i) <= code_of(&t.view, j));
        else if (order == 0)
          assert_true(code_of(&t.view, i) == code_of(&t.view, j));
      }
    }
  }
}

static void test_exact_prefixes(void **state) {
  (void)state;
  static const struct {
    const char *text;
    uint64_t length;
    bool exact;
  } cases[] = {{"", 0, true},
               {"a", 1, true},
               {"12345678", 8, true},
               {"123456789", 9, false},
               {"\xff\xff\xff\xff\xff\xff\xff\xff", 8, true},
               {"\0", 1, false},
               {"ab\0", 3, false},
               {"a\0b", 3, false},
               {"1234567\0", 8, false}};
  for (size_t i = 0; i < RDX_COUNT(cases); i++) {
    texts t;
    start_texts(&t);
    add_text(&t, "x", 1);
    add_text(&t, cases[i].text, cases[i].length);
    assert_int_equal(rdx_keys_exact_prefix(&t.view), cases[i].exact);
    t.view.validity = &(uint8_t){1}; /* the second row is NULL */
    assert_true(rdx_keys_exact_prefix(&t.view));
  }
}

/* ---- Probes ---- */

/* What a role says about the order of a key and a probe. */
static bool is_within(rdx_probe_role role, int key_to_probe) {
  return role == RDX_PROBE_POINT ? key_to_probe == 0 : role == RDX_PROBE_LOWER ? key_to_probe >= 0 : key_to_probe <= 0;
}

typedef int (*compare_fn)(const rdx_column *keys, uint64_t row, const rdx_column *probes, uint64_t probe);

/* Every key and every probe: the code of the probe says of each key what comparing the two says. `narrows`: it need
 * only keep the keys that compare so. */
static void check_probes(const rdx_column *keys, const rdx_column *probes, bool exact, compare_fn compare,
                         bool narrows) {
  for (rdx_probe_role role = RDX_PROBE_POINT; role <= RDX_PROBE_UPPER; role++) {
    uint64_t wide[MAX] = {0};
    uint32_t narrow[MAX] = {0}, usable[MAX / 32 + 1];
    memset(usable, 0xff, sizeof usable);
    const bool is_wide = rdx_key_bits(keys->type) == 64;
    rdx_error err = {""};
    const rdx_probe_target target = {keys->type, keys->scale, exact, role};
    if (rdx_keys_encode_probes(probes, 0, probes->rows, &target, is_wide ? (void *)wide : (void *)narrow, usable,
                               &err) != RDX_OK)
      fail_msg("%s", err.text);
    for (uint64_t p = 0; p < probes->rows; p++) {
      const bool can_match = usable[p / 32] >> p % 32 & 1;
      const uint64_t code = is_wide ? wide[p] : narrow[p];
      for (uint64_t k = 0; k < keys->rows; k++) {
        const bool found = can_match && is_within(role, compare_codes(code_of(keys, k), code));
        const bool expected = is_within(role, compare(keys, k, probes, p));
        if (narrows ? expected && !found : expected != found)
          fail_msg("%s key %d, %s probe %d, role %d: %d instead of %d", rdx_type_name(keys->type), (int)k,
                   rdx_type_name(probes->type), (int)p, (int)role, found, expected);
      }
    }
    assert_int_equal(usable[MAX / 32], UINT32_MAX); /* bits of no probe stay */
  }
}

/* A set of integers of any type: near 0, and near the ends of all the types. */
typedef struct integers {
  uint64_t values[MAX];
  rdx_column view;
} integers;

static void make_integers(integers *set, rdx_type type, uint8_t scale) {
  static const int64_t near[] = {0,   1,   -1,   2,    -2,    9,     10,         99,          100,
                                 101, -99, -100, -101, 12345, -6789, 1000000000, -4200000000, 4200000000};
  static const uint32_t powers[] = {7, 8, 15, 16, 31, 32, 63};
  uint64_t all[MAX];
  uint32_t count = 0;
  for (; count < RDX_COUNT(near); count++)
    all[count] = (uint64_t)near[count];
  for (uint32_t i = 0; i < RDX_COUNT(powers); i++) {
    const uint64_t power = (uint64_t)1 << powers[i];
    const uint64_t edges[] = {power - 1, power, power + 1, 0 - power - 1, 0 - power, 1 - power};
    memcpy(all + count, edges, sizeof edges);
    count += RDX_COUNT(edges);
  }
  assert_true(count <= MAX);
  *set = (integers){.view = {.type = type, .scale = scale, .rows = count}};
  set->view.values = set->values;
  const size_t size = rdx_type_size(type);
  for (uint32_t i = 0; i < count; i++)
    memcpy((char *)set->values + i * size, &all[i], size); /* little endian: the low bytes */
}

static rdx_i128 integer_at(const rdx_column *c, uint64_t i) {
  const bool is_unsigned = c->type >= RDX_TYPE_U8 && c->type <= RDX_TYPE_U64;
  const size_t size = rdx_type_size(c->type);
  const int unused = 64 - 8 * (int)size;
  uint64_t bits = 0;
  memcpy(&bits, (const char *)c->values + i * size, size);
  return is_unsigned ? (rdx_i128)bits : (rdx_i128)((int64_t)(bits << unused) >> unused);
}

static rdx_i128 scaled_up(rdx_i128 value, uint8_t scale) {
  for (; scale > 0; scale--)
    value *= 10;
  return value;
}

static int compare_integers(const rdx_column *keys, uint64_t row, const rdx_column *probes, uint64_t probe) {
  const rdx_i128 a = scaled_up(integer_at(keys, row), probes->scale);
  const rdx_i128 b = scaled_up(integer_at(probes, probe), keys->scale);
  return (a > b) - (a < b);
}

static void test_integer_probes(void **state) {
  (void)state;
  static const struct {
    rdx_type type;
    uint8_t scale;
  } kinds[] = {{RDX_TYPE_I8, 0},      {RDX_TYPE_I16, 0},     {RDX_TYPE_I32, 0},     {RDX_TYPE_I64, 0},
               {RDX_TYPE_U8, 0},      {RDX_TYPE_U16, 0},     {RDX_TYPE_U32, 0},     {RDX_TYPE_U64, 0},
               {RDX_TYPE_DECIMAL, 0}, {RDX_TYPE_DECIMAL, 1}, {RDX_TYPE_DECIMAL, 2}, {RDX_TYPE_DECIMAL, 18}};
  for (size_t i = 0; i < RDX_COUNT(kinds); i++) {
    for (size_t j = 0; j < RDX_COUNT(kinds); j++) {
      integers keys, probes;
      make_integers(&keys, kinds[i].type, kinds[i].scale);
      make_integers(&probes, kinds[j].type, kinds[j].scale);
      check_probes(&keys.view, &probes.view, false, compare_integers, false);
    }
  }
}

static double float_at(const rdx_column *c, uint64_t i) {
  return c->type == RDX_TYPE_F32 ? (double)((const float *)c->values)[i] : ((const double *)c->values)[i];
}

static int compare_floats(const rdx_column *keys, uint64_t row, const rdx_column *probes, uint64_t probe) {
  return compare_doubles(float_at(keys, row), float_at(probes, probe));
}

static void test_float_probes(void **state) {
  (void)state;
  static const double wide[] = {-INFINITY,
                                -DBL_MAX,
                                -3.5e38,
                                -FLT_MAX,
                                -1,
                                -0.1,
                                -FLT_MIN,
                                -FLT_TRUE_MIN,
                                -1e-46,
                                -1e-310,
                                -0.0,
                                0.0,
                                1e-310,
                                1e-46,
                                2e-45,
                                FLT_TRUE_MIN,
                                FLT_MIN,
                                0.1,
                                1,
                                1 + DBL_EPSILON,
                                1 + FLT_EPSILON,
                                16777217,
                                FLT_MAX,
                                3.5e38,
                                DBL_MAX,
                                INFINITY,
                                NAN};
  float narrow[RDX_COUNT(wide)];
  for (size_t i = 0; i < RDX_COUNT(wide); i++)
    narrow[i] = (float)wide[i];
  const rdx_column columns[] = {{.type = RDX_TYPE_F32, .rows = RDX_COUNT(wide), .values = narrow},
                                {.type = RDX_TYPE_F64, .rows = RDX_COUNT(wide), .values = wide}};
  for (int i = 0; i < 4; i++)
    check_probes(&columns[i / 2], &columns[i % 2], false, compare_floats, false);
}

static void test_string_probes(void **state) {
  (void)state;
  texts keys, probes;
  for (int round = 0; round < 200; round++) {
    random_texts(&keys, MAX, 8, false);
    random_texts(&probes, MAX, 15, round % 2);
    assert_true(rdx_keys_exact_prefix(&keys.view));
    check_probes(&keys.view, &probes.view, true, compare_texts, false);
    random_texts(&keys, MAX, 15, true);
    check_probes(&keys.view, &probes.view, false, compare_texts, true);
  }
}

static void test_other_kinds_are_refused(void **state) {
  (void)state;
  static const uint64_t zeros[2] = {0, 0};
  static const char *const families[] = {"b", "iiiiiiii", "ff", "d", "t", "i", "s"}; /* in the order of rdx_type */
  char family[RDX_TYPE_STRING + 1] = {0};
  uint32_t type_count = RDX_TYPE_BOOL;
  for (size_t f = 0; f < RDX_COUNT(families); f++)
    for (const char *c = families[f]; *c; c++)
      family[type_count++] = *c;
  assert_int_equal(type_count, RDX_TYPE_STRING + 1);
  for (rdx_type key = RDX_TYPE_BOOL; key <= RDX_TYPE_STRING; key++) {
    for (rdx_type probe = RDX_TYPE_BOOL; probe <= RDX_TYPE_STRING; probe++) {
      const rdx_column c = {
          .type = probe, .rows = 1, .values = zeros, .offsets = probe == RDX_TYPE_STRING ? zeros : NULL};
      uint64_t out = 0;
      uint32_t usable = UINT32_MAX;
      rdx_error err = {""};
      const rdx_probe_target target = {key, 0, true, RDX_PROBE_POINT};
      const rdx_status status = rdx_keys_encode_probes(&c, 0, 1, &target, &out, &usable, &err);
      assert_int_equal(status, family[key] == family[probe] ? RDX_OK : RDX_ERROR_ARGUMENT);
      if (status != RDX_OK) {
        assert_non_null(strstr(err.text, rdx_type_name(key)));
        assert_non_null(strstr(err.text, rdx_type_name(probe)));
      }
    }
  }
}

/* Bits of NULLs are cleared, bits that were cleared stay, and rows before `begin` do not matter. */
static void test_usable_bits(void **state) {
  (void)state;
  const int32_t values[40] = {0};
  const uint8_t validity[] = {0xff, 0xfd, 0x0f, 0xff, 0x7f};
  const rdx_column c = {.type = RDX_TYPE_I32, .rows = 40, .values = values, .validity = validity};
  uint32_t out[40], usable[2] = {0xfffffffe, UINT32_MAX};
  rdx_error err = {""};
  const rdx_probe_target target = {RDX_TYPE_I32, 0, false, RDX_PROBE_POINT};
  assert_int_equal(rdx_keys_encode_probes(&c, 5, 35, &target, out, usable, &err), RDX_OK);
  for (uint32_t i = 0; i < 64; i++) {
    const uint32_t row = i + 5;
    const bool is_usable = i != 0 && (row >= 40 || (validity[row / 8] >> row % 8 & 1));
    assert_int_equal(usable[i / 32] >> i % 32 & 1, is_usable);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_order_of_extremes),
      cmocka_unit_test(test_order_of_narrow_types),
      cmocka_unit_test(test_order_of_random_floats),
      cmocka_unit_test(test_zero_and_width),
      cmocka_unit_test(test_order_of_strings),
      cmocka_unit_test(test_exact_prefixes),
      cmocka_unit_test(test_integer_probes),
      cmocka_unit_test(test_float_probes),
      cmocka_unit_test(test_string_probes),
      cmocka_unit_test(test_other_kinds_are_refused),
      cmocka_unit_test(test_usable_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
