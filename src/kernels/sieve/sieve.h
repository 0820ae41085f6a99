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

#define SIEVE_MAX_VECTORS 1024u
#define SIEVE_MAX_PLANES 6u

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
  PTR(u32) valid; /* 0: no row is NULL */
  u32 intervals;  /* place of the low and high code of each interval, ascending */
  u32 interval_count;
  u32 vectors; /* place of the sieve_vectors */
  u32 vector_count;
  u32 all; /* start from the rows that are not NULL, instead of none */
  u32 key64;
  u32 misses; /* the vectors may leave out rows that qualify */
  u32 end;    /* number after the last term of its conjunction: a row qualifies by one conjunction or another */
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
  u32 truth; /* of the term */
};

#define SIEVE_NO 0u
#define SIEVE_YES 1u
#define SIEVE_DOUBT 2u /* the codes of these rows decide */

SHARED_STRUCT(sieve_term, 8)
SHARED_STRUCT(sieve_vector, 8)
SHARED_STRUCT(sieve_region, 8)

#ifdef RDX_GLSL
#define SIEVE_TERM(query, t) AT(sieve_term_ptr(query), t)
#define SIEVE_VECTORS(query, place) sieve_vector_ptr(u64(query) + u64(place) * 8)
#define SIEVE_REGIONS(query, place) sieve_region_ptr(u64(query) + u64(place) * 8)
#else
#define SIEVE_TERM(query, t) ((struct sieve_term *)(void *)(query))[t]
#define SIEVE_VECTORS(query, place) ((struct sieve_vector *)(void *)((query) + (place)))
#define SIEVE_REGIONS(query, place) ((struct sieve_region *)(void *)((query) + (place)))
#endif

/* Item: SIEVE_WORDS words of the result: the conjunction of all terms. */
struct sieve_combine_args {
  LAUNCH_HEADER;
  PTR(u64) query;
  PTR(u32) out_bits;
  PTR(u32) total; /* the number of rows is added; 0: nobody asks */
  u64 stride;     /* words from one plane to the next */
  u32 term_count;
  u32 rows;
  u32 narrow; /* keep only rows that are in the result already */
};
ARGS_SIZE(sieve_combine_args, 64);

#define SIEVE_WORDS 4u

/* Item: a row of the regions: decide it. First come the regions of SIEVE_YES, whose rows get in unless the vectors or
 * codes of other terms are against it, then, in a second launch, all others, which clear what the first let in because
 * of vectors that say yes and are wrong. Vectors without planes. */
struct sieve_refine_args {
  LAUNCH_HEADER;
  PTR(u64) query;
  PTR(u32) mask; /* rows that may qualify; 0: all */
  PTR(u32) out_bits;
  PTR(u32) total; /* what the number of rows changes by is added, modulo 2^32; 0: nobody asks */
  u32 regions;    /* their place */
  u32 region_count;
  u32 term_count;
};
ARGS_SIZE(sieve_refine_args, 64);

#ifndef RDX_GLSL
/* Item: a slice of the result: what sieve_combine and both launches of sieve_refine come to, by one thread, which goes
 * through all regions for the rows of its slice. For few threads: then that takes less than to share the words of the
 * result with others. CPU only. */
struct sieve_slices_args {
  LAUNCH_HEADER;
  PTR(u64) query;
  PTR(u32) mask;
  PTR(u32) out_bits;
  PTR(u32) total;
  u64 stride;
  u32 term_count;
  u32 rows;
  u32 narrow;
  u32 slices;
  u32 regions[2], region_count[2], refined[2]; /* of each launch of sieve_refine */
};
ARGS_SIZE(sieve_slices_args, 96);
#endif

/* RTScan, Algorithm 1 "satisfy". */
/* Whether a term is true for a row, by its code. */
FN bool sieve_true(PTR(u64) query, sieve_term term, u32 row) {
  if (!has_bit(term.valid, row))
    return false;
  u64 code = load_key(term.codes, row, term.key64);
  u32 begun = interval_above_u64(query, term.intervals, 0, term.interval_count, code);
  return begun > 0 && code <= AT(query, term.intervals + 2 * begun - 1);
}

/* RTScan, Algorithm 1 "set_bit_atomic". */
/* Give a row of a bitmap its bit, beside others who do so. Returns what its number of rows changes by, modulo 2^32. */
FN u32 sieve_put(PTR(u32) bits, u32 row, bool yes) {
  const u32 word = row / 32, bit = 1u << (row % 32);
  u32 was;
#ifdef RDX_GLSL
  if (((AT(bits, word) & bit) != 0) == yes)
    return 0;
  if (yes)
    was = atomicOr(AT(bits, word), bit);
  else
    was = atomicAnd(AT(bits, word), ~bit);
#else
  if (((__atomic_load_n(&bits[word], __ATOMIC_RELAXED) & bit) != 0) == yes)
    return 0;
  if (yes)
    was = __atomic_fetch_or(&bits[word], bit, __ATOMIC_RELAXED);
  else
    was = __atomic_fetch_and(&bits[word], ~bit, __ATOMIC_RELAXED);
#endif
  return TO_U32(yes) - TO_U32((was & bit) != 0);
}

/* Whether a row qualifies: it is of `mask`, and true for all terms of one of the conjunctions among `count` terms. */
FN bool sieve_decide(PTR(u64) query, u32 count, PTR(u32) mask, u32 row) {
  bool yes = false;
  if (!has_bit(mask, row))
    return false;
  for (u32 t = 0, end; t < count && !yes; t = end) {
    end = SIEVE_TERM(query, t).end;
    yes = true;
    for (u32 k = t; k < end && yes; k++)
      yes = sieve_true(query, SIEVE_TERM(query, k), row);
  }
  return yes;
}

/* What the vectors of a term say of a row; they are without planes. */
FN bool sieve_says(PTR(u64) query, sieve_term term, u32 row) {
  bool yes = term.all != 0 && has_bit(term.valid, row);
  for (u32 v = 0; v < term.vector_count; v++)
    yes = yes != has_bit(AT(SIEVE_VECTORS(query, term.vectors), v).low, row);
  return yes;
}

/* Whether a row, for which term `known` is true, is of `mask` and no other term rejects it, where a vector that says
 * yes is believed. */
FN bool sieve_admits(PTR(u64) query, u32 count, u32 known, PTR(u32) mask, u32 row) {
  bool yes = has_bit(mask, row);
  for (u32 t = 0; t < count && yes; t++) {
    sieve_term term = SIEVE_TERM(query, t);
    yes = t == known || sieve_says(query, term, row) || (term.misses != 0 && sieve_true(query, term, row));
  }
  return yes;
}

/* The region, of `count` with ascending `start`, that holds item `i` of all. */
#define DEFINE_REGION_OF(name, type)                                                                                   \
  DEFINE_BOUND(name##_above, (PTR(type) regions, u32 begin, u32 end, u32 i), AT(regions, middle).start <= i)           \
  FN u32 name(PTR(type) regions, u32 count, u32 i) {                                                                   \
    return name##_above(regions, 1, count, i) - 1;                                                                     \
  }

DEFINE_REGION_OF(sieve_region_of, sieve_region)

#endif
