/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef TESTS_DEVICE_WIDE_SUMS_H
#define TESTS_DEVICE_WIDE_SUMS_H

/* Numbers and sums of so many bits that nothing is ever lost, which results are compared with. */

#include <stdbool.h>
#include <stdint.h>

#include "reference.h"

#define BIG_LIMBS 24

/* A whole number in two's complement, the lowest limb first. */
typedef struct big {
  uint32_t limbs[BIG_LIMBS];
} big;

big big_from(i128 x);
big big_add(big x, big y);
big big_subtract(big x, big y);
big big_multiply(big x, big y);

/* The nearest number between -2^120 and 2^120. */
i128 big_near(big x);

#define WIDE_LIMBS 68

/* A sum in units of 2^exponent, 32 bits to a limb, the lowest first, which may carry later. The numbers that are not
 * finite are counted beside. */
typedef struct wide_sum {
  int64_t limbs[WIDE_LIMBS];
  int exponent; /* of floats -1074 */
  bool up, down;
} wide_sum;

/* `exponent` is -1074. */
void wide_sum_add_float(wide_sum *sum, double x);
/* `exponent` is 0. */
void wide_sum_add(wide_sum *sum, big x);

/* The sum over `divisor`, rounded once. */
double wide_sum_quotient(const wide_sum *sum, i128 divisor);

/* The sum, if it is a number of 64 bits. */
bool wide_sum_fits(const wide_sum *sum, int64_t *out);

#endif
