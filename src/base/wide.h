/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_BASE_WIDE_H
#define RDX_BASE_WIDE_H

/* Whole numbers that pass 128 bits, and quotients that are rounded once. A number has as many words as its owner takes,
 * the lowest first, in two's complement; what passes them is dropped. */

#include "base/base.h"

/* Of sums of 2^32 floats, and of products of 32 numbers of 64 bits. */
#define RDX_WIDE_WORDS 34
/* The most that any takes: products of two such sums. */
#define RDX_WIDE_MAX_WORDS 68

/* Add x * 2^shift. */
void rdx_wide_add(uint64_t *to, uint32_t words, rdx_i128 x, uint32_t shift);

/* Add another number, or take it away. */
void rdx_wide_combine(uint64_t *to, const uint64_t *x, uint32_t words, bool subtract);

/* `out` is neither of the factors. */
void rdx_wide_multiply(const uint64_t *x, const uint64_t *y, uint32_t words, uint64_t *out);

bool rdx_wide_is_negative(const uint64_t *x, uint32_t words);
void rdx_wide_negate(uint64_t *x, uint32_t words);

/* Whether it is a number of 64 bits, the lowest word. */
bool rdx_wide_fits(const uint64_t *x, uint32_t words);

/* Bits first .. first + count - 1, at most 64, of one that is not negative. */
uint64_t rdx_wide_bits(const uint64_t *x, uint32_t words, uint32_t first, uint32_t count);

/* x * 2^exponent / divisor (1 to 2^96) as the nearest f64, the even one of two; infinite where that is too large. */
double rdx_wide_quotient(const uint64_t *x, uint32_t words, int exponent, rdx_i128 divisor);

/* Of n pairs of numbers, whose sums are `x` and `y`: the sum of the products of their differences to the averages,
 * rounded once, in units of 2^exponent as `products`, the sum of their products. What is given is lost. */
double rdx_wide_moment(uint64_t *x, uint64_t *y, const uint64_t *products, uint32_t words, int exponent, uint64_t n);

#endif
