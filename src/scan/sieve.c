/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Data sieving: building the vectors, choosing among them, and what is left to refine. */

#include "scan/sieve.h"

#include <string.h>

/* ---- Vectors ---- */

static uint64_t words_of(uint64_t rows) {
  return (rows + 31) / 32;
}

static uint64_t stride_of(uint64_t rows) {
  return (words_of(rows) + 63) / 64 * 64; /* vectors begin at multiples of 256 bytes */
}

uint64_t rdx_sieve_estimate(uint64_t rows, uint32_t vectors) {
  return stride_of(rows) * 4 * vectors;
}

uint32_t rdx_sieve_step(uint64_t rows, uint32_t vectors) {
  const uint64_t step = rows / (64ull * vectors);
  return step < 1 ? 1 : step > 256 ? 256 : (uint32_t)step;
}

void rdx_sieve_destroy(rdx_sieve *s) {
  rdx_buffer_destroy(&s->vectors);
  rdx_free(s->borders);
  *s = (rdx_sieve){0};
}

/* Set the borders; their codes go to `codes`. A border is the first rank of an entry of the mapping table. */
static void place_borders(const rdx_encoding *e, uint32_t vectors, rdx_sieve *s, uint64_t *codes) {
  uint32_t entry = 0;
  s->borders[0] = 0;
  for (uint32_t j = 1; j <= vectors; j++) {
    const uint32_t wanted = (uint32_t)((uint64_t)e->count * j / (vectors + 1));
    while (entry + 1 < e->entry_count && e->first[entry + 1] <= wanted)
      entry++;
    uint32_t best = entry;
    if (entry + 1 < e->entry_count && e->first[entry + 1] - wanted < wanted - e->first[entry])
      best = entry + 1;
    if (best < e->entry_count && e->first[best] > s->borders[s->vector_count]) {
      codes[s->vector_count] = e->codes[best];
      s->borders[++s->vector_count] = e->first[best];
    }
  }
  s->borders[s->vector_count + 1] = e->count;
}

static rdx_status build_vectors(rdx_device *device, const rdx_scan_column *column, const uint64_t *codes,
                                const rdx_sieve *s, rdx_error *err) {
  rdx_stream *stream = NULL;
  uint64_t borders = 0;
  RDX_TRY(rdx_stream_create(device, &stream, err));
  rdx_status status = rdx_stream_constants(stream, codes, s->vector_count * 8ull, &borders, err);
  if (status == RDX_OK) {
    const struct sieve_build_args args = {.codes = RDX_ADDRESS(uint32_t, column->codes),
                                          .valid = RDX_ADDRESS(uint32_t, column->valid),
                                          .borders = (uint64_t *)(uintptr_t)borders,
                                          .vectors = RDX_ADDRESS(uint32_t, s->vectors),
                                          .stride = s->stride,
                                          .border_count = s->vector_count,
                                          .rows = (uint32_t)column->rows};
    const uint32_t key64 = column->key_bits == 64;
    status = rdx_stream_launch(stream, &rdx_kernel_sieve_build, &args, &key64, words_of(column->rows), NULL, err);
  }
  if (status == RDX_OK)
    status = rdx_stream_finish(stream, err);
  rdx_stream_destroy(&stream);
  return status;
}

rdx_status rdx_sieve_create(rdx_device *device, const rdx_scan_column *column, const rdx_encoding *encoding,
                            uint32_t vectors, rdx_sieve *out, rdx_error *err) {
  *out = (rdx_sieve){.stride = stride_of(column->rows)};
  uint64_t *codes = NULL;
  rdx_status status = rdx_alloc(vectors + 2, sizeof *out->borders, "borders", (void **)&out->borders, err);
  if (status == RDX_OK)
    status = rdx_alloc(vectors, sizeof *codes, "borders", (void **)&codes, err);
  if (status == RDX_OK) {
    place_borders(encoding, vectors, out, codes);
    status = rdx_buffer_create(device, out->stride * 4 * out->vector_count, "sieving bit vectors", &out->vectors, err);
  }
  if (status == RDX_OK && out->vector_count > 0)
    status = build_vectors(device, column, codes, out, err);
  rdx_free(codes);
  if (status != RDX_OK)
    rdx_sieve_destroy(out);
  return status;
}

/* ---- Choosing ---- */

/* Bounds of the truth and borders of the vectors, in order. */
typedef struct choice {
  uint32_t bound_count, border_count;
  rdx_rank bounds[2 * RDX_SIEVE_INTERVALS];
  uint32_t borders[2 * RDX_SIEVE_INTERVALS]; /* numbers into rdx_sieve.borders */
} choice;

static uint32_t distance(rdx_rank bound, uint32_t border) {
  return border < bound.low ? bound.low - border : border > bound.high ? border - bound.high : 0;
}

/* The border next to a bound. */
static uint32_t nearest(const rdx_sieve *s, rdx_rank bound, bool positive) {
  uint32_t begin = 0, n = s->vector_count + 2; /* the first border that is not below the bound; the last never is */
  while (n > 0) {
    const uint32_t half = n / 2;
    if (s->borders[begin + half] < bound.low) {
      begin += half + 1;
      n -= half + 1;
    } else {
      n = half;
    }
  }
  if (begin == 0 || distance(bound, s->borders[begin]) == 0)
    return begin;
  const bool below = positive || distance(bound, s->borders[begin - 1]) < distance(bound, s->borders[begin]);
  return below ? begin - 1 : begin;
}

/* Vectors on both sides of an interval, or none where they would leave more to refine than there is. */
static void choose(const rdx_sieve *s, rdx_rank low, rdx_rank high, bool positive, choice *c) {
  const uint32_t a = nearest(s, low, positive), b = nearest(s, high, positive);
  c->bounds[c->bound_count++] = low;
  c->bounds[c->bound_count++] = high;
  const uint64_t left = (uint64_t)distance(low, s->borders[a]) + distance(high, s->borders[b]);
  if (a != b && left <= high.high - low.low) {
    c->borders[c->border_count++] = a;
    c->borders[c->border_count++] = b;
  }
}

/* Neighbouring intervals that share a border do not need it. */
static void cancel(choice *c) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < c->border_count; i++) {
    if (kept > 0 && c->borders[kept - 1] == c->borders[i])
      kept--;
    else
      c->borders[kept++] = c->borders[i];
  }
  c->border_count = kept;
}

static void take_vectors(const rdx_sieve *s, const choice *c, rdx_sieved *out) {
  for (uint32_t i = 0; i < c->border_count; i++) {
    if (c->borders[i] == s->vector_count + 1)
      out->all = !out->all;
    else if (c->borders[i] > 0)
      out->vectors[out->vector_count++] = c->borders[i];
  }
}

/* Insert into ascending distinct points. */
static void add_point(uint32_t *points, uint32_t *count, uint32_t point) {
  uint32_t i = *count;
  while (i > 0 && points[i - 1] > point)
    i--;
  if (i > 0 && points[i - 1] == point)
    return;
  memmove(&points[i + 1], &points[i], (*count - i) * sizeof *points);
  points[i] = point;
  ++*count;
}

/* What holds from rank `at` to the next point. */
static rdx_span span_at(const rdx_sieve *s, const choice *c, uint32_t at) {
  rdx_span span = {.begin = at};
  bool yes = false, doubt = false;
  for (uint32_t i = 0; i < c->bound_count; i++) {
    yes ^= c->bounds[i].high <= at;
    doubt |= c->bounds[i].low <= at && at < c->bounds[i].high;
  }
  for (uint32_t i = 0; i < c->border_count; i++)
    span.sieved ^= s->borders[c->borders[i]] <= at;
  span.truth = doubt ? RDX_DOUBT : yes ? RDX_YES : RDX_NO;
  return span;
}

static void list_spans(const rdx_sieve *s, const choice *c, rdx_sieved *out) {
  uint32_t points[RDX_COUNT(out->spans) + 1], count = 0;
  for (uint32_t i = 0; i < c->bound_count; i++) {
    add_point(points, &count, c->bounds[i].low);
    add_point(points, &count, c->bounds[i].high);
  }
  for (uint32_t i = 0; i < c->border_count; i++)
    add_point(points, &count, s->borders[c->borders[i]]);
  for (uint32_t i = 0; i + 1 < count; i++) {
    rdx_span span = span_at(s, c, points[i]);
    span.end = points[i + 1];
    rdx_span *last = out->span_count > 0 ? &out->spans[out->span_count - 1] : NULL;
    if (last && last->end == span.begin && last->sieved == span.sieved && last->truth == span.truth)
      last->end = span.end;
    else if (span.sieved || span.truth != RDX_NO)
      out->spans[out->span_count++] = span;
  }
}

void rdx_sieve_term(const rdx_sieve *sieve, const rdx_encoding *encoding, const rdx_term *term, bool positive,
                    rdx_sieved *out) {
  choice c = {0};
  out->all = false;
  out->vector_count = out->span_count = 0;
  for (uint32_t i = 0; i < term->interval_count; i++)
    choose(sieve, rdx_encoding_rank(encoding, term->intervals[i].low, false),
           rdx_encoding_rank(encoding, term->intervals[i].high, true), positive, &c);
  cancel(&c);
  take_vectors(sieve, &c, out);
  list_spans(sieve, &c, out);
}

/* ---- Queries ---- */

static void add_term(rdx_sieve_query *query, uint32_t t, const rdx_scan_column *column, const rdx_term *term,
                     const rdx_sieve *sieve, const rdx_sieved *sieved) {
  struct sieve_term out = {.codes = RDX_ADDRESS(uint32_t, column->codes),
                           .valid = RDX_ADDRESS(uint32_t, column->valid),
                           .interval_count = term->interval_count,
                           .key64 = column->key_bits == 64};
  const uint32_t size = term->interval_count * (uint32_t)sizeof *term->intervals;
  memcpy(rdx_sieve_query_take(query, size, &out.intervals), term->intervals, size);
  if (sieved) {
    uint64_t *addresses = rdx_sieve_query_take(query, sieved->vector_count * 8, &out.vectors);
    for (uint32_t v = 0; v < sieved->vector_count; v++) /* vector 1 belongs to border 1 */
      addresses[v] = sieve->vectors->address + sieve->stride * 4 * (sieved->vectors[v] - 1);
    out.vector_count = sieved->vector_count;
    out.all = sieved->all;
  }
  SIEVE_TERM(query->words, t) = out;
}

rdx_status rdx_sieve_query_create(const rdx_scan_column *columns, const rdx_term *terms, uint32_t count,
                                  const rdx_sieve *sieves, const rdx_sieved *sieved, uint32_t more,
                                  rdx_sieve_query *out, rdx_error *err) {
  uint32_t ignored = 0;
  uint64_t size = count * (uint64_t)sizeof(struct sieve_term) + more + 8;
  for (uint32_t t = 0; t < count; t++)
    size += terms[t].interval_count * 16ull + (sieved ? sieved[t].vector_count * 8ull : 0);
  if (size > UINT32_MAX)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "a list of values is too long: its query takes %llu bytes",
                    (unsigned long long)size);
  *out = (rdx_sieve_query){.capacity = (uint32_t)(size / 8)};
  RDX_TRY(rdx_alloc(out->capacity, 8, "a query", (void **)&out->words, err));
  rdx_sieve_query_take(out, count * (uint32_t)sizeof(struct sieve_term), &ignored);
  for (uint32_t t = 0; t < count; t++)
    add_term(out, t, &columns[terms[t].column], &terms[t], sieves ? &sieves[terms[t].column] : NULL,
             sieved ? &sieved[t] : NULL);
  return RDX_OK;
}

void *rdx_sieve_query_take(rdx_sieve_query *query, uint32_t size, uint32_t *place) {
  *place = query->size;
  query->size += (size + 7) / 8;
  return query->words + *place;
}

rdx_status rdx_sieve_query_send(const rdx_sieve_query *query, rdx_stream *stream, uint64_t *address, rdx_error *err) {
  return rdx_stream_constants(stream, query->words, query->size * 8ull, address, err);
}

void rdx_sieve_query_destroy(rdx_sieve_query *query) {
  rdx_free(query->words);
  query->words = NULL;
}

rdx_status rdx_sieve_combine(rdx_stream *stream, uint64_t address, uint32_t count, uint64_t rows, bool narrow,
                             rdx_buffer *out, rdx_error *err) {
  const struct sieve_combine_args args = {.query = (uint64_t *)(uintptr_t)address,
                                          .out_bits = RDX_ADDRESS(uint32_t, out),
                                          .term_count = count,
                                          .rows = (uint32_t)rows,
                                          .narrow = narrow};
  const uint64_t items = (words_of(rows) + SIEVE_WORDS - 1) / SIEVE_WORDS;
  return rdx_stream_launch(stream, &rdx_kernel_sieve_combine, &args, NULL, items, NULL, err);
}
