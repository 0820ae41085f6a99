/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_SCAN_SIEVE_H
#define RDX_SCAN_SIEVE_H

/* Data sieving (RTScan, section 4.3; the filter bit vectors of BinDex): vectors of the rows below borders, ranks that
 * begin a code, so that equal values stay in one vector. K borders cut a column into K + 1 parts of equal size, as far
 * as codes allow: a code of more rows is a part by itself, which no bound divides, and leaves more borders to the
 * others. NULL rows are in no vector.
 *
 * The papers keep a vector for each border. Planes (kernels/sieve/sieve.h) make borders cheap: with V vectors and p
 * planes there are (V + 1) * 2^p - 1 of them, and the vectors of a query are made from up to p + 2 each. */

#include "kernels/sieve/kernels.h"
#include "scan/method/encoding.h"

#define RDX_SIEVE_INTERVALS 16 /* of a term, at most */

typedef struct rdx_sieve_params {
  uint32_t vectors, planes;
} rdx_sieve_params;

typedef struct rdx_sieve {
  uint32_t border_count, planes;
  uint32_t *borders;   /* host: rank 0, that of each border, the number of ranks */
  rdx_buffer *vectors; /* of borders 2^planes, 2 * 2^planes ..; then the planes */
  uint64_t stride;     /* words */
} rdx_sieve;

/* The step of the mapping table that goes with it: borders are moved by at most a 64th of their distance, beyond what
 * equal values demand. */
uint32_t rdx_sieve_step(uint64_t rows, rdx_sieve_params params);

/* On failure nothing is left to destroy. */
RDX_MUST_USE rdx_status rdx_sieve_create(rdx_device *device, const rdx_encoded_column *column,
                                         const rdx_encoding *encoding, rdx_sieve_params params, rdx_sieve *out,
                                         rdx_error *err);
void rdx_sieve_destroy(rdx_sieve *sieve);
/* Device bytes of its vectors. */
uint64_t rdx_sieve_bytes(const rdx_sieve *sieve);
uint64_t rdx_sieve_estimate(uint64_t rows, rdx_sieve_params params);

typedef enum rdx_truth {
  RDX_NO = 0,
  RDX_YES,
  RDX_DOUBT, /* the codes of these rows decide */
} rdx_truth;

/* Ranks begin .. end - 1 of a column. */
typedef struct rdx_span {
  uint32_t begin, end;
  bool sieved; /* what the vectors say */
  rdx_truth truth;
} rdx_span;

/* Whether rows of a span are refined: the vectors are not known to be right. */
static inline bool rdx_span_refined(const rdx_span *span) {
  return span->truth != (span->sieved ? RDX_YES : RDX_NO);
}

/* A term after sieving: the exclusive or of the rows below some borders and perhaps of all rows, and the ranks at which
 * either that or the truth may be yes; ascending, disjoint. */
typedef struct rdx_sieved {
  bool all;
  uint32_t vector_count, span_count, read;   /* vectors and planes that are read */
  uint32_t vectors[2 * RDX_SIEVE_INTERVALS]; /* borders */
  rdx_span spans[6 * RDX_SIEVE_INTERVALS];
} rdx_sieved;

/* What it costs to refine ranks of a term, when to read a bit vector costs 1. */
typedef struct rdx_sieve_cost {
  bool positive; /* always take the border below a bound */
  double layer;  /* ranks that are refined at a time */
  double cost;   /* of a layer */
  double missed; /* times that, where the layer qualifies and the vectors leave it out */
} rdx_sieve_cost;

/* Choose the borders of a term of at most RDX_SIEVE_INTERVALS intervals: for each bound the one that costs least to
 * read, and then to refine what lies between (section 4.3.3, positive and negative selection). */
void rdx_sieve_term(const rdx_sieve *sieve, const rdx_encoding *encoding, const rdx_term *term,
                    const rdx_sieve_cost *cost, rdx_sieved *out);

/* ---- Queries: what the kernels read of a conjunction (kernels/sieve/sieve.h) ---- */

/* Host memory that is filled piece by piece and goes to the device as a whole. */
typedef struct rdx_sieve_query {
  uint64_t *words;
  uint32_t size, capacity; /* words */
} rdx_sieve_query;

/* A query that begins with its terms; with `sieved`, also with their vectors. `more` bytes of room are left. */
RDX_MUST_USE rdx_status rdx_sieve_query_create(const rdx_encoded_column *columns, const rdx_term *terms, uint32_t count,
                                               const rdx_sieve *sieves, const rdx_sieved *sieved, uint32_t more,
                                               rdx_sieve_query *out, rdx_error *err);
/* `size` bytes of the room; `*place` is where they are. */
void *rdx_sieve_query_take(rdx_sieve_query *query, uint32_t size, uint32_t *place);
/* Give the query to the stream; the launches that use it come before it is destroyed. */
RDX_MUST_USE rdx_status rdx_sieve_query_send(const rdx_sieve_query *query, rdx_stream *stream, uint64_t *address,
                                             rdx_error *err);
void rdx_sieve_query_destroy(rdx_sieve_query *query);

/* Record the conjunction of the vectors of the terms of the query at `address`; the number of its rows is added to
 * `total` (one u64), if there is one. */
RDX_MUST_USE rdx_status rdx_sieve_combine(rdx_stream *stream, uint64_t address, uint32_t count, uint64_t rows,
                                          bool narrow, rdx_buffer *out, rdx_buffer *total, rdx_error *err);

/* What `out` holds so far, in memory of the stream: the rows that refining may let qualify. */
RDX_MUST_USE rdx_status rdx_sieve_mask(rdx_stream *stream, const rdx_buffer *out, rdx_buffer **mask, rdx_error *err);

#endif
