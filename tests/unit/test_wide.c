/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Wide sums and quotients that are rounded once. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/wide.h"
#include "tests/unit/random.h"

__extension__ typedef __float128 f128;

static double quotient(rdx_i128 x, uint32_t shift, int exponent, rdx_i128 divisor) {
  rdx_wide sum = {{0}};
  rdx_wide_add(&sum, x, shift);
  return rdx_wide_quotient(&sum, exponent, divisor);
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
  rdx_wide x = {{0}};
  rdx_wide_add(&x, one + 1, 200);
  rdx_wide_add(&x, 1, 0);
  assert_true(rdx_wide_quotient(&x, -200, 1) == 9007199254740994.0);
  rdx_wide_add(&x, -2, 0);
  assert_true(rdx_wide_quotient(&x, -200, 1) == 9007199254740992.0);
  assert_true(quotient(1, 0, 0, 3) == 1.0 / 3 && quotient(-2, 0, 0, 3) == -2.0 / 3);
}

static void test_ends(void **state) {
  (void)state;
  const double least = 4.9406564584124654e-324;
  assert_true(quotient(0, 0, 0, 7) == 0);
  assert_true(quotient(1, 0, -1074, 1) == least);
  assert_true(quotient(1, 0, -1074, 2) == 0);         /* the half of it: to even */
  assert_true(quotient(3, 0, -1075, 1) == 2 * least); /* 1.5 of them */
  assert_true(quotient(3, 0, -1076, 1) == least);     /* 0.75 */
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
    rdx_wide sum = {{0}}, zero = {{0}};
    for (uint32_t i = 0; i < 100; i++) {
      numbers[i] = (rdx_i128)(int64_t)next_random() * (int64_t)(next_random() >> 20);
      shifts[i] = (uint32_t)(next_random() % 250);
      rdx_wide_add(&sum, numbers[i], shifts[i]);
    }
    for (uint32_t i = 100; i-- > 0;)
      rdx_wide_add(&sum, -numbers[(i * 37) % 100], shifts[(i * 37) % 100]);
    assert_memory_equal(&sum, &zero, sizeof sum);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_quotients), cmocka_unit_test(test_halves),
                                     cmocka_unit_test(test_ends), cmocka_unit_test(test_sums)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
