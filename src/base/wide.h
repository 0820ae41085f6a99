/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_BASE_WIDE_H
#define RDX_BASE_WIDE_H

/* Whole numbers that pass 128 bits, and quotients that are rounded once. */

#include "base/base.h"

#define RDX_WIDE_WORDS 6

/* Two's complement, the lowest word first. All zero is 0. */
typedef struct rdx_wide {
  uint64_t words[RDX_WIDE_WORDS];
} rdx_wide;

/* Add x * 2^shift. */
void rdx_wide_add(rdx_wide *to, rdx_i128 x, uint32_t shift);

/* x * 2^exponent / divisor (1 to 2^96) as the nearest f64, the even one of two; infinite where that is too large. */
double rdx_wide_quotient(const rdx_wide *x, int exponent, rdx_i128 divisor);

#endif
