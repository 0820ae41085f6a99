/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Data sieving: building the vectors, choosing among them, and what is left to refine. */

#include "scan/method/sieve.h"

#include <math.h>
#include <string.h>

#include "device/search.h"

/* ---- Vectors ---- */

static uint64_t words_of(uint64_t rows) {
  return (rows + 31) / 32;
}

static uint64_t stride_of(uint64_t rows) {
  return (words_of(rows) + 63) / 64 * 64; /* vectors begin at multiples of 256 bytes */
}

static uint32_t max_borders(rdx_sieve_params p) {
  return ((p.vectors + 1) << p.planes) - 1;
}

uint64_t rdx_sieve_estimate(uint64_t rows, rdx_sieve_params params) {
  return stride_of(rows) * 4 * (params.vectors + params.planes);
}

uint32_t rdx_sieve_step(uint64_t rows, rdx_sieve_params params) {
  const uint64_t step = rows / (64ull * max_borders(params));
  return step < 1 ? 1 : step > 256 ? 256 : (uint32_t)step;
}

void rdx_sieve_destroy(rdx_sieve *s) {
  rdx_buffer_destroy(&s->vectors);
  rdx_free(s->borders);
  *s = (rdx_sieve){0};
}

uint64_t rdx_sieve_bytes(const rdx_sieve *s) {
  return s->vectors ? s->vectors->size : 0;
}

static uint32_t rank_of(const rdx_encoding *e, uint32_t entry) {
  return entry < e->entry_count ? e->first[entry] : e->count;
}

DEFINE_BOUND(entry_beyond, (const rdx_encoding *e, u32 begin, u32 end, u32 rank, u32 max),
             rank_of(e, middle) - rank <= max)

/* The entry after a part of at most `max` ranks, or of one entry, that begins with entry `begin`. */
static uint32_t end_part(const rdx_encoding *e, uint32_t begin, uint32_t max) {
  return entry_beyond(e, begin + 2, e->entry_count + 1, rank_of(e, begin), max) - 1;
}

/* Cut a column into parts of at most `max` ranks, or of one entry; returns the number of borders, which go to `out` as
 * entries unless it is NULL. */
static uint32_t cut(const rdx_encoding *e, uint32_t max, uint32_t limit, uint32_t *out) {
  uint32_t count = 0;
  for (uint32_t at = end_part(e, 0, max); at < e->entry_count && count <= limit; at = end_part(e, at, max)) {
    if (out)
      out[count] = at;
    count++;
  }
  return count;
}

DEFINE_BOUND(part_size, (const rdx_encoding *e, u32 begin, u32 end, u32 limit), cut(e, middle, limit, NULL) > limit)

/* RTScan, section 4.3.1 "adjusts the vectors to keep repetitive values in the same vector". */
/* The borders: parts as small as so many allow. */
static uint32_t place_borders(const rdx_encoding *e, uint32_t limit, uint32_t *entries) {
  if (e->entry_count == 0)
    return 0;
  return cut(e, part_size(e, 1, e->count, limit), limit, entries);
}

/* Fewer planes do where codes are few. */
static uint32_t planes_of(uint32_t borders, rdx_sieve_params params) {
  uint32_t planes = 0;
  while (borders >> planes > params.vectors)
    planes++;
  return planes;
}

/* RTScan, section 4.3.1 "Bit Vectors for Approximate Results". */
static rdx_status build_vectors(rdx_device *device, const rdx_encoded_column *column, const uint64_t *codes,
                                const rdx_sieve *s, rdx_error *err) {
  uint64_t borders = 0;
  RDX_SCOPED(rdx_stream_destroy) rdx_stream *stream = NULL;
  RDX_TRY(rdx_stream_create_for(device, "build", &stream, err));
  RDX_TRY(rdx_stream_constants(stream, codes, s->border_count * 8ull, &borders, err));
  const struct sieve_build_args args = {.codes = RDX_ADDRESS(uint32_t, column->keys),
                                        .valid = RDX_ADDRESS(uint32_t, column->valid),
                                        .borders = (uint64_t *)(uintptr_t)borders,
                                        .vectors = RDX_ADDRESS(uint32_t, s->vectors),
                                        .stride = s->stride,
                                        .border_count = s->border_count,
                                        .planes = s->planes,
                                        .rows = (uint32_t)column->rows};
  const uint32_t key64 = column->key_bits == 64;
  RDX_TRY(rdx_stream_launch(stream, &rdx_kernel_sieve_build, &args, &key64, words_of(column->rows), NULL, err));
  return rdx_stream_finish(stream, err);
}

static rdx_status create_parts(rdx_device *device, const rdx_encoded_column *column, const rdx_encoding *e,
                               rdx_sieve_params params, uint32_t *entries, uint64_t *codes, rdx_sieve *s,
                               rdx_error *err) {
  s->border_count = place_borders(e, max_borders(params), entries);
  s->planes = planes_of(s->border_count, params);
  s->borders[0] = 0;
  s->borders[s->border_count + 1] = e->count;
  for (uint32_t i = 0; i < s->border_count; i++) {
    s->borders[i + 1] = e->first[entries[i]];
    codes[i] = e->codes[entries[i]];
  }
  const uint64_t vectors = (s->border_count >> s->planes) + s->planes;
  RDX_TRY(rdx_buffer_create(device, s->stride * 4 * vectors, "sieving bit vectors", &s->vectors, err));
  return s->border_count > 0 ? build_vectors(device, column, codes, s, err) : RDX_OK;
}

rdx_status rdx_sieve_create(rdx_device *device, const rdx_encoded_column *column, const rdx_encoding *encoding,
                            rdx_sieve_params params, rdx_sieve *out, rdx_error *err) {
  const uint32_t max = max_borders(params);
  RDX_SCOPED(rdx_sieve_destroy) rdx_sieve made = {.stride = stride_of(column->rows)};
  RDX_SCOPED(rdx_free_local) uint32_t *entries = NULL;
  RDX_SCOPED(rdx_free_local) uint64_t *codes = NULL;
  RDX_TRY(rdx_alloc(max + 2, sizeof *made.borders, "borders", (void **)&made.borders, err));
  RDX_TRY(rdx_alloc(max + 1, sizeof *entries, "borders", (void **)&entries, err));
  RDX_TRY(rdx_alloc(max, sizeof *codes, "borders", (void **)&codes, err));
  RDX_TRY(create_parts(device, column, encoding, params, entries, codes, &made, err));
  *out = RDX_KEEP(made);
  return RDX_OK;
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

/* The first border that is not below a bound; the last never is. */
static uint32_t border_above(const rdx_sieve *s, rdx_rank bound) {
  return lower_bound(s->borders, 0, s->border_count + 2, bound.low);
}

static uint32_t vectors_of(const rdx_sieve *s) {
  return s->border_count >> s->planes;
}

/* The bits of a border's number that its planes decide. */
static uint32_t place_of(const rdx_sieve *s, uint32_t border) {
  return border & ((1u << s->planes) - 1);
}

/* Vectors and planes to read for the rows below a border. */
static uint32_t reads(const rdx_sieve *s, uint32_t border) {
  const uint32_t place = place_of(s, border), vector = border >> s->planes;
  uint32_t planes = 0;
  if (border == 0 || border == s->border_count + 1)
    return 0;
  for (uint32_t k = 0; k < s->planes && planes == 0; k++)
    planes = place >> k & 1u ? s->planes - k : 0;
  return planes + (vector > 0) + (place > 0 && vector < vectors_of(s));
}

/* Part of a layer costs as much as all of it; fewer ranks win a tie. */
static double refining(const rdx_sieve_cost *cost, uint32_t ranks, bool missed) {
  const double layers = ranks / cost->layer;
  return cost->cost * (ceil(layers) + 0.01 * layers) * (missed ? cost->missed : 1);
}

/* RTScan, section 4.3.3 "Positive and negative selection". */
/* The border to take for the bound at which an interval ends, or begins. Those that need fewer planes are farther from
 * it. */
static uint32_t choose_border(const rdx_sieve *s, rdx_rank bound, bool begins, const rdx_sieve_cost *cost) {
  const uint32_t above = border_above(s, bound), last = s->border_count + 1;
  uint32_t best = 0;
  double min = 0;
  if (above == 0 || distance(bound, s->borders[above]) == 0)
    return above;
  if (cost->positive)
    return above - 1;
  for (uint32_t k = 0; k <= s->planes; k++) {
    const uint32_t up = (above + (1u << k) - 1) >> k << k;
    const uint32_t sides[2] = {(above - 1) >> k << k, up < last ? up : last};
    for (uint32_t i = 0; i < 2; i++) {
      const double all = reads(s, sides[i]) + refining(cost, distance(bound, s->borders[sides[i]]), (i == 1) == begins);
      if ((k == 0 && i == 0) || all < min) {
        best = sides[i];
        min = all;
      }
    }
  }
  return best;
}

/* Vectors on both sides of an interval, or none where they would leave more to refine than there is. */
static void choose(const rdx_sieve *s, rdx_rank low, rdx_rank high, const rdx_sieve_cost *cost, choice *c) {
  const uint32_t a = choose_border(s, low, true, cost), b = choose_border(s, high, false, cost);
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
    out->read += reads(s, c->borders[i]);
    if (c->borders[i] == s->border_count + 1)
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

/* RTScan, section 4.3 "Data Sieving". */
void rdx_sieve_term(const rdx_sieve *sieve, const rdx_encoding *encoding, const rdx_term *term,
                    const rdx_sieve_cost *cost, rdx_sieved *out) {
  choice c = {0};
  out->all = false;
  out->vector_count = out->span_count = out->read = 0;
  for (uint32_t i = 0; i < term->set.count; i++)
    choose(sieve, rdx_encoding_rank(encoding, term->set.list[i].low, false),
           rdx_encoding_rank(encoding, term->set.list[i].high, true), cost, &c);
  cancel(&c);
  take_vectors(sieve, &c, out);
  list_spans(sieve, &c, out);
}

/* ---- Queries ---- */

/* How the rows below a border are made. */
static struct sieve_vector vector_of(const rdx_sieve *s, uint32_t border) {
  const uint32_t vector = border >> s->planes, count = vectors_of(s); /* vector 1 is the first */
  const uint64_t size = s->stride * 4, first = s->vectors->address;
  struct sieve_vector out = {.place = place_of(s, border)};
  uint32_t skipped = 0;
  if (vector > 0)
    out.low = (uint32_t *)(uintptr_t)(first + size * (vector - 1));
  if (out.place == 0)
    return out;
  while ((out.place & 1u) == 0) {
    out.place >>= 1;
    skipped++;
  }
  if (vector < count)
    out.high = (uint32_t *)(uintptr_t)(first + size * vector);
  out.planes = (uint32_t *)(uintptr_t)(first + size * (count + skipped));
  out.plane_count = s->planes - skipped;
  return out;
}

static void add_term(rdx_sieve_query *query, uint32_t t, const rdx_encoded_column *column, const rdx_term *term,
                     const rdx_sieve *sieve, const rdx_sieved *sieved) {
  struct sieve_term out = {.codes = RDX_ADDRESS(uint32_t, column->keys),
                           .valid = RDX_ADDRESS(uint32_t, column->valid),
                           .interval_count = term->set.count,
                           .key64 = column->key_bits == 64};
  const uint32_t size = term->set.count * (uint32_t)sizeof *term->set.list;
  memcpy(rdx_sieve_query_take(query, size, &out.intervals), term->set.list, size);
  if (sieved) {
    const uint32_t bytes = sieved->vector_count * (uint32_t)sizeof(struct sieve_vector);
    struct sieve_vector *vectors = rdx_sieve_query_take(query, bytes, &out.vectors);
    for (uint32_t v = 0; v < sieved->vector_count; v++)
      vectors[v] = vector_of(sieve, sieved->vectors[v]);
    out.vector_count = sieved->vector_count;
    out.all = sieved->all;
  }
  SIEVE_TERM(query->words, t) = out;
}

rdx_status rdx_sieve_query_create(const rdx_encoded_column *columns, const rdx_term *terms, uint32_t count,
                                  const rdx_sieve *sieves, const rdx_sieved *sieved, uint32_t more,
                                  rdx_sieve_query *out, rdx_error *err) {
  uint32_t ignored = 0;
  uint64_t size = count * (uint64_t)sizeof(struct sieve_term) + more + 8;
  for (uint32_t t = 0; t < count; t++)
    size += terms[t].set.count * 16ull + (sieved ? sieved[t].vector_count * sizeof(struct sieve_vector) : 0);
  if (size > UINT32_MAX)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "a list of values is too long: its query takes %llu bytes",
                    (unsigned long long)size);
  *out = (rdx_sieve_query){.capacity = (uint32_t)(size / 8)};
  RDX_TRY(rdx_alloc(out->capacity, 8, "a query", (void **)&out->words, err));
  rdx_sieve_query_take(out, count * (uint32_t)sizeof(struct sieve_term), &ignored);
  for (uint32_t t = 0; t < count; t++)
    add_term(out, t, &columns[terms[t].column], &terms[t], sieves ? &sieves[terms[t].column] : NULL,
             sieved ? &sieved[t] : NULL);
  for (uint32_t t = 0; t < count; t++)
    SIEVE_TERM(out->words, t).end = count;
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
                             rdx_buffer *out, rdx_buffer *total, rdx_error *err) {
  const struct sieve_combine_args args = {.query = (uint64_t *)(uintptr_t)address,
                                          .out_bits = RDX_ADDRESS(uint32_t, out),
                                          .total = RDX_ADDRESS(uint32_t, total),
                                          .stride = stride_of(rows),
                                          .term_count = count,
                                          .rows = (uint32_t)rows,
                                          .narrow = narrow};
  const uint64_t items = (words_of(rows) + SIEVE_WORDS - 1) / SIEVE_WORDS;
  return rdx_stream_launch(stream, &rdx_kernel_sieve_combine, &args, NULL, items, NULL, err);
}

rdx_status rdx_sieve_mask(rdx_stream *stream, const rdx_buffer *out, rdx_buffer **mask, rdx_error *err) {
  RDX_TRY(rdx_stream_scratch(stream, out->size, "a mask of rows", mask, err));
  return rdx_stream_copy(stream, out, 0, *mask, 0, out->size, err);
}
