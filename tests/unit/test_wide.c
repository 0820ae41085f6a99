/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Wide sums and quotients that are rounded once. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/wide.h"
#include "expression/decimal.h"
#include "tests/unit/random.h"

__extension__ typedef __float128 f128;

#define WORDS 6

static double quotient(rdx_i128 x, uint32_t shift, int exponent, rdx_i128 divisor) {
  uint64_t sum[WORDS] = {0};
  rdx_wide_add(sum, WORDS, x, shift);
  return rdx_wide_quotient(sum, WORDS, exponent, divisor);
}

/* Numbers of up to 110 bits have quotients that f128 tells apart from halves: it rounds to 113 bits, and then to 53. */
static void test_quotients(void **state) {
  (void)state;
  for (uint32_t i = 0; i < 200000; i++) {
    const rdx_i128 size = ((rdx_i128)(next_random() >> 1) << 32 | (next_random() & 0xffffffff)) >> next_random() % 95;
    const rdx_i128 x = next_random() % 2 ? size : -size;
    const uint64_t divisor = 1 + (next_random() >> (32 + next_random() % 32));
    const double expected = (double)((f128)x / (f128)divisor);
    assert_true(quotient(x, 0, 0, divisor) == expected);
    assert_true(quotient(x, 37, -37, divisor) == expected);
    assert_true(quotient(x, 250, -250, divisor) == expected);
  }
}

/* Halves go to even numbers, and by the least that is left upwards. */
static void test_halves(void **state) {
  (void)state;
  const rdx_i128 one = (rdx_i128)1 << 53;
  assert_true(quotient(one + 1, 0, 0, 1) == 9007199254740992.0);
  assert_true(quotient(one + 3, 0, 0, 1) == 9007199254740996.0);
  assert_true(quotient(-(one + 1), 0, 0, 1) == -9007199254740992.0);
  uint64_t x[WORDS] = {0};
  rdx_wide_add(x, WORDS, one + 1, 200);
  rdx_wide_add(x, WORDS, 1, 0);
  assert_true(rdx_wide_quotient(x, WORDS, -200, 1) == 9007199254740994.0);
  rdx_wide_add(x, WORDS, -2, 0);
  assert_true(rdx_wide_quotient(x, WORDS, -200, 1) == 9007199254740992.0);
  assert_true(quotient(1, 0, 0, 3) == 1.0 / 3 && quotient(-2, 0, 0, 3) == -2.0 / 3);
}

static void test_ends(void **state) {
  (void)state;
  const double min = 4.9406564584124654e-324;
  assert_true(quotient(0, 0, 0, 7) == 0);
  assert_true(quotient(1, 0, -1074, 1) == min);
  assert_true(quotient(1, 0, -1074, 2) == 0);       /* the half of it: to even */
  assert_true(quotient(3, 0, -1075, 1) == 2 * min); /* 1.5 of them */
  assert_true(quotient(3, 0, -1076, 1) == min);     /* 0.75 */
  assert_true(quotient(-1, 0, -1200, 1) == 0);
  assert_true(quotient(1, 0, 1023, 1) == 8.9884656743115795e307);
  assert_true(isinf(quotient(1, 0, 1024, 1)) && isinf(quotient(-1, 0, 1024, 1)));
  assert_true(quotient(((rdx_i128)1 << 54) - 1, 0, 1024 - 54, 1) == INFINITY); /* rounded up to 2^1024 */
  assert_true(quotient(((rdx_i128)1 << 53) - 1, 0, 1024 - 53, 1) == 1.7976931348623157e308);
  /* Subnormal numbers have fewer bits: what is dropped is dropped once. */
  for (uint32_t i = 0; i < 100000; i++) {
    const uint64_t x = next_random() >> next_random() % 40;
    const int exponent = -1074 - (int)(next_random() % 64);
    const double expected = (double)ldexpl((long double)x, exponent); /* 64 bits and a smaller least exponent */
    assert_true(quotient((rdx_i128)x, 0, exponent, 1) == expected);
  }
}

/* Sums of numbers of either sign and any shift, taken away again in another order. */
static void test_sums(void **state) {
  (void)state;
  rdx_i128 numbers[100];
  uint32_t shifts[100];
  for (uint32_t round = 0; round < 1000; round++) {
    uint64_t sum[WORDS] = {0}, zero[WORDS] = {0};
    for (uint32_t i = 0; i < 100; i++) {
      numbers[i] = (rdx_i128)(int64_t)next_random() * (int64_t)(next_random() >> 20);
      shifts[i] = (uint32_t)(next_random() % 250);
      rdx_wide_add(sum, WORDS, numbers[i], shifts[i]);
    }
    for (uint32_t i = 100; i-- > 0;)
      rdx_wide_add(sum, WORDS, -numbers[(i * 37) % 100], shifts[(i * 37) % 100]);
    assert_memory_equal(sum, zero, sizeof sum);
  }
}

/* Sums, differences and products, of as many bits as the words have: by the remainders of a few primes. */
static uint64_t remainder_of(const uint64_t *x, uint32_t words, uint64_t prime) {
  uint64_t rest = 0, copy[RDX_WIDE_WORDS];
  const bool negative = rdx_wide_is_negative(x, words);
  memcpy(copy, x, words * sizeof *copy);
  if (negative)
    rdx_wide_negate(copy, words);
  for (uint32_t i = 64 * words; i-- > 0;)
    rest = (2 * rest + rdx_wide_bits(copy, words, i, 1)) % prime;
  return negative && rest > 0 ? prime - rest : rest;
}

static void test_arithmetic(void **state) {
  (void)state;
  static const uint64_t primes[] = {3, 65537, 4294967291, 1000000007};
  for (uint32_t round = 0; round < 2000; round++) {
    const uint32_t words = 2 + (uint32_t)(next_random() % (RDX_WIDE_WORDS - 1));
    uint64_t x[RDX_WIDE_WORDS] = {0}, y[RDX_WIDE_WORDS] = {0}, product[RDX_WIDE_WORDS], sum[RDX_WIDE_WORDS];
    for (uint32_t i = 0; i < 2; i++) { /* either has less than half of the bits */
      const uint32_t max = 64 * words / 2 - 3, shift = max > 100 ? (uint32_t)(next_random() % (max - 100)) : 0;
      const rdx_i128 factor = (rdx_i128)(int64_t)next_random() * (int64_t)(next_random() >> 30);
      rdx_wide_add(i ? x : y, words, max > 100 ? factor : factor >> (127 - max), shift);
      rdx_wide_add(i ? x : y, words, (int32_t)next_random(), 0);
    }
    rdx_wide_multiply(x, y, words, product);
    for (uint32_t p = 0; p < sizeof primes / sizeof *primes; p++) {
      const uint64_t a = remainder_of(x, words, primes[p]), b = remainder_of(y, words, primes[p]);
      memcpy(sum, x, sizeof sum);
      assert_int_equal(remainder_of(product, words, primes[p]), a * b % primes[p]);
      rdx_wide_combine(sum, y, words, false);
      assert_int_equal(remainder_of(sum, words, primes[p]), (a + b) % primes[p]);
      rdx_wide_combine(sum, y, words, true);
      assert_memory_equal(sum, x, words * sizeof *x);
      rdx_wide_combine(sum, y, words, true);
      assert_int_equal(remainder_of(sum, words, primes[p]), (a + primes[p] - b) % primes[p]);
    }
  }
}

static void test_fits(void **state) {
  (void)state;
  static const struct {
    rdx_i128 x;
    bool fits;
  } cases[] = {{0, true},
               {-1, true},
               {INT64_MAX, true},
               {INT64_MIN, true},
               {(rdx_i128)INT64_MAX + 1, false},
               {(rdx_i128)INT64_MIN - 1, false},
               {UINT64_MAX, false},
               {-(rdx_i128)UINT64_MAX, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    uint64_t x[WORDS] = {0};
    rdx_wide_add(x, WORDS, cases[i].x, 0);
    assert_int_equal(rdx_wide_fits(x, WORDS), cases[i].fits);
    rdx_wide_add(x, WORDS, 1, 300);
    assert_false(rdx_wide_fits(x, WORDS));
  }
}

/* A double has the 15 digits that printf() rounds it to, whatever its size, also where they are about to be the next
 * ones: 1.5 units of the last digit, powers of ten. */
static void test_digits(void **state) {
  (void)state;
  for (uint32_t i = 0; i < 300000; i++) {
    const uint64_t r = next_random();
    const double kinds[] = {ldexp((double)(r >> 11) / 0x1p53 + 0.5, (int)(r % 140) - 60), (double)(r % 2000000) / 1000,
                            (double)(r % 100000) / 3, pow(10, (int)(r % 36) - 14) * (1 - (double)(r >> 40 & 3) * 1e-15),
                            ((double)(r >> 15) + 0.5) * 0x1p-2 * pow(10, -(double)(r % 9))};
    const double x = r >> 50 & 1 ? kinds[i % 5] : -kinds[i % 5];
    char text[40];
    rdx_i128 read = 0, got = 0;
    snprintf(text, sizeof text, "%.14e", x);
    assert_true(rdx_decimal_shortest(x, false) == strtod(text, NULL));
    const bool fits = rdx_decimal_parse(text, strlen(text), 18, &read, NULL) == RDX_DECIMAL_OK;
    assert_int_equal(rdx_decimal_from_double(x, false, 18, &got), fits);
    assert_true(!fits || read == got);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_quotients),  cmocka_unit_test(test_halves),
                                     cmocka_unit_test(test_ends),       cmocka_unit_test(test_sums),
                                     cmocka_unit_test(test_arithmetic), cmocka_unit_test(test_fits),
                                     cmocka_unit_test(test_digits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
