/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* BinDex (Li et al., SIGMOD 2020; the baseline of RTScan): the rows of each column in the order of their values, and
 * filter bit vectors. A term is the vectors next to its bounds with the bits of the rows in between flipped. Instead of
 * a copy of a vector for each term and launches for each, one launch combines the vectors of all terms, and two decide
 * the rows in between: one that a vector should have is in unless other terms are against it, one that it should not
 * have is out. A CPU with few threads does without launches after one another, and without sharing the words of the
 * result: each thread does all that for the rows of a slice. */

#include "scan/method/sieve.h"

#define MAX_TERMS 8
#define FEW_THREADS 16
#define SLICE_ROWS 32768u /* fewer are not worth a slice */

typedef struct bindex {
  uint32_t slices; /* each of which a thread answers by itself; 0: see above */
  uint32_t count;
  uint64_t rows;
  rdx_encoded_column *columns;
  rdx_encoding *encodings;
  rdx_sieve *sieves;
} bindex;

/* A vector for each border, 128 as in the papers. */
static rdx_sieve_params sieve_params(const rdx_scan_params *params) {
  return (rdx_sieve_params){.vectors = params->bindex.vectors ? params->bindex.vectors : 128};
}

/* ---- Preparing ---- */

static uint64_t estimate(RDX_UNUSED const rdx_device *device, const rdx_scan_params *params,
                         const rdx_encoded_column *columns, uint32_t count) {
  uint64_t kept = 0, sorting = 0;
  for (uint32_t i = 0; i < count; i++) {
    const uint64_t need = rdx_encoding_estimate(&columns[i]);
    sorting = need > sorting ? need : sorting;
    kept += columns[i].rows * 4 + rdx_sieve_estimate(columns[i].rows, sieve_params(params));
  }
  return kept + sorting;
}

static void destroy(void *self) {
  bindex *b = self;
  for (uint32_t i = 0; i < b->count; i++) {
    rdx_encoding_destroy(&b->encodings[i]);
    rdx_sieve_destroy(&b->sieves[i]);
  }
  rdx_encoded_columns_release(b->columns, b->count);
  RDX_FREE_ALL(b->encodings, b->sieves);
}

static rdx_status build_parts(rdx_device *device, const rdx_encoded_column *columns, uint32_t count,
                              rdx_sieve_params sieve, bindex *b, rdx_scan_stats *stats, rdx_error *err) {
  const uint32_t step = rdx_sieve_step(b->rows, sieve);
  RDX_TRY(rdx_calloc(count, sizeof *b->encodings, "a BinDex", (void **)&b->encodings, err));
  RDX_TRY(rdx_calloc(count, sizeof *b->sieves, "a BinDex", (void **)&b->sieves, err));
  RDX_TRY(rdx_encoded_columns_retain(columns, count, &b->columns, err));
  b->count = count;
  for (uint32_t i = 0; i < count; i++) {
    const double start = rdx_now_ms();
    RDX_TRY(rdx_encoding_create(device, &columns[i], step, &b->encodings[i], err));
    const double ordered = rdx_now_ms();
    RDX_TRY(rdx_sieve_create(device, &columns[i], &b->encodings[i], sieve, &b->sieves[i], err));
    stats->table_ms += ordered - start;
    stats->vectors_ms += rdx_now_ms() - ordered;
    stats->bytes_table += rdx_encoding_bytes(&b->encodings[i]);
    stats->bytes_vectors += rdx_sieve_bytes(&b->sieves[i]);
  }
  return RDX_OK;
}

/* More than there are threads, if there are few, as one may be slower; but not for the sake of a few rows. */
static uint32_t slices_of(uint64_t rows, uint32_t threads) {
  const uint64_t max = threads == 2 || threads == 3 ? 2 * threads : threads, worth = 1 + rows / SLICE_ROWS;
  return (uint32_t)(max < worth ? max : worth);
}

/* RTScan, section 5.1 "BinDex-CUDA". */
static rdx_status build(void *self, rdx_device *device, const rdx_scan_params *params,
                        const rdx_encoded_column *columns, uint32_t count, rdx_scan_stats *stats, rdx_error *err) {
  const rdx_sieve_params sieve = sieve_params(params);
  if (sieve.vectors > SIEVE_MAX_VECTORS)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "bindex: vectors must be 1 to %u, not %u", SIEVE_MAX_VECTORS,
                    sieve.vectors);
  const double start = rdx_now_ms();
  bindex *b = self;
  b->rows = columns[0].rows;
  if (device->info.backend == RDX_BACKEND_CPU && device->info.threads <= FEW_THREADS)
    b->slices = slices_of(b->rows, device->info.threads);
  RDX_TRY(build_parts(device, columns, count, sieve, b, stats, err));
  stats->encode_ms += rdx_now_ms() - start;
  return RDX_OK;
}

/* ---- Evaluating ---- */

/* Regions of rows that the vectors leave out and that qualify; and all others that are refined. */
enum { MISSED, REST, KINDS };

typedef struct plan {
  rdx_sieved sieved[MAX_TERMS];
  uint32_t regions[KINDS];
  uint64_t refined[KINDS]; /* rows in them */
  uint64_t vectors;        /* bit vectors read */
} plan;

static uint32_t kind_of(const rdx_span *span) {
  return span->truth == RDX_YES ? MISSED : REST;
}

/* Rows that are missed are looked up in other columns, if there are any, which takes a few times as long as the rest
 * do. */
static void make_plan(const bindex *b, const rdx_term *terms, uint32_t count, plan *p) {
  const double missed = b->slices > 0 ? 4.5 : 3;
  const rdx_sieve_cost cost = {
      .layer = 1, .cost = RDX_SCAN_BIT_BYTES * 8.0 / (double)(b->rows + 1), .missed = count > 1 ? missed : 1};
  *p = (plan){0};
  for (uint32_t t = 0; t < count; t++) {
    const uint32_t c = terms[t].column;
    rdx_sieved *s = &p->sieved[t];
    rdx_sieve_term(&b->sieves[c], &b->encodings[c], &terms[t], &cost, s);
    for (uint32_t i = 0; i < s->span_count; i++) {
      const rdx_span *span = &s->spans[i];
      if (!rdx_span_refined(span))
        continue;
      p->regions[kind_of(span)]++;
      p->refined[kind_of(span)] += span->end - span->begin;
    }
    p->vectors += s->read;
  }
}

/* The regions of a kind, and which terms have rows that their vectors leave out. */
static void fill_regions(const bindex *b, const rdx_term *terms, uint32_t count, const plan *p, uint32_t kind,
                         uint64_t *query, struct sieve_region *regions) {
  static const uint32_t truths[] = {[RDX_NO] = SIEVE_NO, [RDX_YES] = SIEVE_YES, [RDX_DOUBT] = SIEVE_DOUBT};
  uint32_t start = 0;
  for (uint32_t t = 0; t < count; t++) {
    const rdx_sieved *s = &p->sieved[t];
    uint32_t *rows = RDX_ADDRESS(uint32_t, b->encodings[terms[t].column].order);
    for (uint32_t i = 0; i < s->span_count; i++) {
      const rdx_span *span = &s->spans[i];
      if (!rdx_span_refined(span) || kind_of(span) != kind)
        continue;
      *regions++ =
          (struct sieve_region){.rows = rows + span->begin, .start = start, .term = t, .truth = truths[span->truth]};
      start += span->end - span->begin;
      SIEVE_TERM(query, t).misses |= !span->sieved;
    }
  }
}

/* Combine the vectors, then decide the rows that are to be refined. */
static rdx_status launch_phases(const bindex *b, const plan *p, const struct sieve_slices_args *a, rdx_scan_call *call,
                                rdx_stream *stream, rdx_error *err) {
  RDX_TRY(
      rdx_sieve_combine(stream, (uintptr_t)a->query, a->term_count, b->rows, a->narrow, call->out, call->total, err));
  for (uint32_t kind = 0; kind < KINDS; kind++) {
    const struct sieve_refine_args args = {.query = a->query,
                                           .mask = a->mask,
                                           .out_bits = a->out_bits,
                                           .total = a->total,
                                           .regions = a->regions[kind],
                                           .region_count = a->region_count[kind],
                                           .term_count = a->term_count};
    RDX_TRY(rdx_stream_launch(stream, &rdx_kernel_sieve_refine, &args, NULL, p->refined[kind], NULL, err));
  }
  return RDX_OK;
}

static rdx_status launch(const bindex *b, const plan *p, rdx_sieve_query *query, rdx_scan_call *call,
                         rdx_stream *stream, rdx_error *err) {
  struct sieve_slices_args args = {.out_bits = RDX_ADDRESS(uint32_t, call->out),
                                   .total = RDX_ADDRESS(uint32_t, call->total),
                                   .stride = b->sieves[0].stride,
                                   .term_count = call->count,
                                   .rows = (uint32_t)b->rows,
                                   .narrow = call->narrow,
                                   .slices = b->slices};
  rdx_buffer *mask = NULL;
  uint64_t address = 0;
  for (uint32_t kind = 0; kind < KINDS; kind++) {
    if (p->refined[kind] > UINT32_MAX)
      return rdx_fail(err, RDX_ERROR_UNSUPPORTED,
                      "bindex: a query refines %llu rows, more than 2^32 - 1: use more vectors",
                      (unsigned long long)p->refined[kind]);
    const uint32_t size = p->regions[kind] * (uint32_t)sizeof(struct sieve_region);
    args.region_count[kind] = p->regions[kind];
    args.refined[kind] = (uint32_t)p->refined[kind];
    fill_regions(b, call->terms, call->count, p, kind, query->words,
                 rdx_sieve_query_take(query, size, &args.regions[kind]));
  }
  if (call->narrow && p->refined[MISSED] + p->refined[REST] > 0)
    RDX_TRY(rdx_sieve_mask(stream, call->out, &mask, err));
  RDX_TRY(rdx_sieve_query_send(query, stream, &address, err));
  args.query = (uint64_t *)(uintptr_t)address;
  args.mask = RDX_ADDRESS(uint32_t, mask);
  if (call->total)
    RDX_TRY(rdx_stream_fill(stream, call->total, 0, sizeof(uint64_t), 0, err));
  call->counted = call->total != NULL;
  return b->slices > 0 ? rdx_stream_launch(stream, &rdx_kernel_sieve_slices, &args, NULL, b->slices, NULL, err)
                       : launch_phases(b, p, &args, call, stream, err);
}

static rdx_status evaluate(const void *self, rdx_stream *stream, rdx_scan_call *call, rdx_scan_counts *counts,
                           rdx_error *err) {
  const bindex *b = self;
  plan p;
  rdx_sieve_query query;
  make_plan(b, call->terms, call->count, &p);
  RDX_TRY(rdx_sieve_query_create(b->columns, call->terms, call->count, b->sieves, p.sieved,
                                 (p.regions[MISSED] + p.regions[REST]) * (uint32_t)sizeof(struct sieve_region), &query,
                                 err));
  const rdx_status status = launch(b, &p, &query, call, stream, err);
  rdx_sieve_query_destroy(&query);
  if (counts) {
    const uint64_t refined = p.refined[MISSED] + p.refined[REST];
    counts->refined += refined;
    counts->bytes += (p.vectors + 1 + call->narrow) * ((b->rows + 7) / 8) + refined * 8;
  }
  return status;
}

static double work(const void *self, const rdx_term *terms, uint32_t count) {
  const bindex *b = self;
  plan p;
  make_plan(b, terms, count, &p);
  return (double)(p.vectors + 1) * (double)(b->rows / 8) +
         (double)(p.refined[MISSED] + p.refined[REST]) * RDX_SCAN_BIT_BYTES;
}

static uint32_t borders(const void *self, uint32_t column, const uint32_t **out) {
  const bindex *b = self;
  *out = b->sieves[column].borders + 1;
  return b->sieves[column].border_count;
}

const rdx_scan_ops rdx_bindex_ops = {
    .name = "bindex",
    .size = sizeof(bindex),
    .max_intervals = RDX_SIEVE_INTERVALS,
    .max_terms = MAX_TERMS,
    .estimate = estimate,
    .build = build,
    .evaluate = evaluate,
    .work = work,
    .borders = borders,
    .destroy = destroy,
};
