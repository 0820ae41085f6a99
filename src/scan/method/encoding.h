/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_SCAN_ENCODING_H
#define RDX_SCAN_ENCODING_H

/* Uniform encoding (RTScan, section 4.2): rows are numbered in the order of their codes, so that rows of equal codes
 * have neighbouring ranks and the ranks of any column are uniform. NULLs come after all codes.
 *
 * The mapping table translates codes to ranks. To stay compact it holds the codes of every `step`-th rank only, each
 * with its first rank and the rank after its last. So the ranks of codes that it holds, and of codes between two that
 * are neighbours, are exact; others are known to fewer than `step` ranks, and rows in doubt are decided by their
 * codes. */

#include "scan/scan.h"

typedef struct rdx_encoding {
  uint32_t rows;
  uint32_t count;    /* ranks 0 .. count - 1 are of rows that are not NULL */
  rdx_buffer *order; /* u32: the row of each rank, those of NULLs included */
  uint32_t entry_count;
  uint64_t *codes; /* the mapping table; host */
  uint32_t *first, *end;
} rdx_encoding;

/* How many rows have a smaller code: from `low` to `high`. */
typedef struct rdx_rank {
  uint32_t low, high;
} rdx_rank;

/* On failure nothing is left to destroy. */
RDX_MUST_USE rdx_status rdx_encoding_create(rdx_device *device, const rdx_encoded_column *column, uint32_t step,
                                            rdx_encoding *out, rdx_error *err);
void rdx_encoding_destroy(rdx_encoding *encoding);

/* Bytes of the mapping table, on the host, and of the order. */
uint64_t rdx_encoding_bytes(const rdx_encoding *encoding);

/* Rows whose code is below `code`, or with `included` at most that. */
rdx_rank rdx_encoding_rank(const rdx_encoding *encoding, uint64_t code, bool included);

/* Codes that those of ranks begin .. end - 1 lie between, as narrow as the mapping table says. */
rdx_interval rdx_encoding_codes(const rdx_encoding *encoding, uint32_t begin, uint32_t end);

/* The part of all rows that a term qualifies, about. */
double rdx_encoding_selectivity(const rdx_encoding *encoding, const rdx_term *term);

/* Device bytes held at the peak of the sort. */
uint64_t rdx_encoding_estimate(const rdx_encoded_column *column);

#endif
