/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_STAR_SUPERACCUMULATOR_H
#define RDX_STAR_SUPERACCUMULATOR_H

/* Numbers of rows that no attribute has room for, cut into limbs (rdx_limbs). */

#include "base/wide.h"
#include "star/relation.h"

#define RDX_DIGITS_BATCH 1024 /* rows that are done at a time, at most */

/* The numbers of the rows of a table: each is a magnitude of units of 2^exponent, and has a sign. */
typedef struct rdx_numbers {
  uint64_t rows;
  uint32_t dimension;
  const uint8_t *validity; /* NULL: none is NULL */
  int exponent;
  const void *context;
  /* Set the bits that are set in the magnitudes of some rows. */
  void (*mark)(const void *context, uint64_t first, uint64_t count, uint64_t used[RDX_WIDE_WORDS]);
  /* Bits shift .. shift + bits - 1, at most 62, of the magnitudes of some rows, with their signs. */
  void (*cut)(const void *context, uint64_t first, uint64_t count, uint32_t shift, uint32_t bits, int64_t *out);
} rdx_numbers;

/* Cut the numbers, so that sums of as many rows as the relation has of each limb fit 64 bits where that takes few
 * limbs. `out` is as it was on failure. */
RDX_MUST_USE rdx_status rdx_limbs_create(const rdx_packed_relation *relation, const rdx_numbers *numbers,
                                         rdx_limbs *out, rdx_error *err);
void rdx_limbs_free(rdx_limbs *limbs);

/* An attribute of i64 `values` of such rows. */
RDX_MUST_USE rdx_status rdx_limbs_attribute(const rdx_packed_relation *relation, const rdx_numbers *numbers,
                                            const int64_t *values, rdx_encoded_column *out, rdx_error *err);

#endif
