/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_SIEVE_SIEVE_H
#define RDX_KERNELS_SIEVE_SIEVE_H

/* C and GLSL: uniform encoding and sieving bit vectors (RTScan, sections 4.2 and 4.3; BinDex, Li et al., SIGMOD 2020).
 *
 * Ranks number the rows of a column by their codes. Borders, at ranks that begin a code, cut them into parts. The rows
 * below a border are a bit vector; a term's rows are about the exclusive or of the vectors next to its bounds; the rows
 * between a bound and its border are refined.
 *
 * Of 2^p borders in a row only the first has a vector of its own, so that p more vectors, the planes, serve all others:
 * they hold the low bits of the number of each row's part, inverted, and the rows below border q * 2^p + place are
 * those in vector q, and of those in vector q + 1 the ones whose low bits are less than `place`. (BitWeaving, Li and
 * Patel, SIGMOD 2013, compares whole codes by such planes.) */

#include "kernels/lookup/lookup.h"

#define SIEVE_MOST_VECTORS 1024u
#define SIEVE_MOST_PLANES 6u

/* Item: an entry of the mapping table, at every `step`-th rank: its code, the first rank of that code, and the rank
 * after its last. Constants: KEY64. */
struct sieve_map_args {
  LAUNCH_HEADER;
  PTR(u32) sorted; /* codes in rank order */
  PTR(u64) out_codes;
  PTR(u32) out_first;
  PTR(u32) out_end;
  u32 n; /* ranks */
  u32 step;
};
ARGS_SIZE(sieve_map_args, 56);

/* Item: a word of every vector and plane. Constants: KEY64. */
struct sieve_build_args {
  LAUNCH_HEADER;
  PTR(u32) codes;
  PTR(u32) valid;
  PTR(u64) borders; /* codes, ascending; those of numbers 2^planes, 2 * 2^planes .. from 1 have vectors */
  PTR(u32) vectors; /* and then the planes, the lowest bit first */
  u64 stride;       /* words from one vector to the next */
  u32 border_count;
  u32 planes;
  u32 rows;
};
ARGS_SIZE(sieve_build_args, 72);

/* A query is one piece of memory: its terms, and what they refer to by its place among the query's u64 words. */
struct sieve_term {
  PTR(u32) codes;
  PTR(u32) valid;       /* 0: no row is NULL */
  PTR(u32) differences; /* bits to flip after the vectors, cleared by the combining; 0: none */
  u32 intervals;        /* place of the low and high code of each interval, ascending */
  u32 interval_count;
  u32 vectors; /* place of the sieve_vectors */
  u32 vector_count;
  u32 all; /* start from the rows that are not NULL, instead of none */
  u32 key64;
};
ARGS_SIZE(sieve_term, 48);

/* The rows below a border: `low`, and the rows of `high` whose planes are below `place`. */
struct sieve_vector {
  PTR(u32) low;    /* 0: none */
  PTR(u32) high;   /* 0: the rows that are not NULL */
  PTR(u32) planes; /* from that of the lowest bit set in `place` on */
  u32 place;       /* without the bits below that; 0: only `low` */
  u32 plane_count;
};
ARGS_SIZE(sieve_vector, 32);

/* Ranks to refine: their rows, and how. */
struct sieve_region {
  PTR(u32) rows;
  u32 start; /* number of rows in the regions before */
  u32 term;
  u32 doubt; /* SIEVE_FLIP, or what the vectors say of rows that their codes decide */
};

#define SIEVE_FLIP 0u  /* the vectors are wrong */
#define SIEVE_CLEAR 1u /* the vectors say no */
#define SIEVE_SET 2u   /* the vectors say yes */

#ifdef RDX_GLSL
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer sieve_term_ptr {
  sieve_term v[];
};
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer sieve_vector_ptr {
  sieve_vector v[];
};
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer sieve_region_ptr {
  sieve_region v[];
};
#define SIEVE_TERM_TYPE sieve_term
#define SIEVE_TERM(query, t) AT(sieve_term_ptr(query), t)
#define SIEVE_VECTORS(query, place) sieve_vector_ptr(u64(query) + u64(place) * 8)
#define SIEVE_REGIONS(query, place) sieve_region_ptr(u64(query) + u64(place) * 8)
#else
typedef struct sieve_region sieve_region;
#define SIEVE_TERM_TYPE struct sieve_term
#define SIEVE_TERM(query, t) ((struct sieve_term *)(void *)(query))[t]
#define SIEVE_VECTORS(query, place) ((struct sieve_vector *)(void *)((query) + (place)))
#define SIEVE_REGIONS(query, place) ((struct sieve_region *)(void *)((query) + (place)))
#endif

/* Item: SIEVE_WORDS words of the result: the conjunction of all terms. */
struct sieve_combine_args {
  LAUNCH_HEADER;
  PTR(u64) query;
  PTR(u32) out_bits;
  u64 stride; /* words from one plane to the next */
  u32 term_count;
  u32 rows;
  u32 narrow; /* keep only rows that are in the result already */
};
ARGS_SIZE(sieve_combine_args, 56);

#define SIEVE_WORDS 4u

/* Item: a row of the regions: flip its bit among its term's differences where the vectors are wrong. */
struct sieve_flip_args {
  LAUNCH_HEADER;
  PTR(u64) query;
  u32 regions; /* their place */
  u32 region_count;
};
ARGS_SIZE(sieve_flip_args, 32);

/* The first of `n` ascending keys that is not below `key` (or, with `after`, that is above it); n where there is
 * none. */
FN u32 sieve_search(PTR(u32) keys, u32 n, u64 key, bool after, u32 key64) {
  u32 begin = 0;
  while (n > 0) {
    u32 middle = n / 2;
    u64 at = load_key(keys, begin + middle, key64);
    if (at < key || (after && at == key)) {
      begin += middle + 1;
      n -= middle + 1;
    } else {
      n = middle;
    }
  }
  return begin;
}

/* Whether a term is true for a row, by its code. */
FN bool sieve_true(PTR(u64) query, SIEVE_TERM_TYPE term, u32 row) {
  if (!has_bit(term.valid, row))
    return false;
  u64 code = load_key(term.codes, row, term.key64);
  u32 begin = 0, n = term.interval_count; /* the first interval that does not end below the code */
  while (n > 0) {
    u32 middle = n / 2;
    if (AT(query, term.intervals + 2 * (begin + middle) + 1) < code) {
      begin += middle + 1;
      n -= middle + 1;
    } else {
      n = middle;
    }
  }
  return begin < term.interval_count && AT(query, term.intervals + 2 * begin) <= code;
}

/* The region, of `count` with ascending `start`, that holds item `i` of all. */
#define DEFINE_REGION_OF(name, type)                                                                                   \
  FN u32 name(PTR(type) regions, u32 count, u32 i) {                                                                   \
    u32 begin = 0;                                                                                                     \
    while (count > 1) {                                                                                                \
      u32 half_count = count / 2;                                                                                      \
      if (AT(regions, begin + half_count).start <= i) {                                                                \
        begin += half_count;                                                                                           \
        count -= half_count;                                                                                           \
      } else {                                                                                                         \
        count = half_count;                                                                                            \
      }                                                                                                                \
    }                                                                                                                  \
    return begin;                                                                                                      \
  }

DEFINE_REGION_OF(sieve_region_of, sieve_region)

#endif
