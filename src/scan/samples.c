/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

#include "scan/samples.h"

#include "kernels/bitmap/kernels.h"

#define SAMPLE_COLUMNS 4
#define SAMPLE_RUNS 7
#define LONG_MS 20     /* of the runs of a sample: no other is begun */
#define ENDLESS_MS 500 /* after which no others are sampled */

static const double selectivities[] = {0.02, 0.1, 0.3, 0.7};
static const uint32_t terms[] = {1, 3, SAMPLE_COLUMNS}; /* a group of RTScan has three columns at most */

#define SAMPLES (RDX_COUNT(selectivities) * RDX_COUNT(terms))

/* A conjunction of the lower parts of columns' ranges. */
typedef struct sample {
  uint32_t count;
  rdx_interval intervals[SAMPLE_COLUMNS];
  rdx_term terms[SAMPLE_COLUMNS];
} sample;

static void make_sample(const rdx_encoded_column *columns, uint32_t count, double selectivity, uint32_t max,
                        sample *out) {
  out->count = 0;
  for (uint32_t i = 0; i < count && out->count < max; i++) {
    const rdx_encoded_column *c = &columns[i];
    const uint32_t t = out->count;
    if (c->smallest > c->largest)
      continue;
    out->intervals[t] =
        (rdx_interval){c->smallest, c->smallest + (uint64_t)(selectivity * (double)(c->largest - c->smallest))};
    out->terms[t] = (rdx_term){i, {1, &out->intervals[t]}};
    out->count++;
  }
}

/* What samples took by a way. */
typedef struct timing {
  uint32_t count;
  double work[SAMPLES], ms[SAMPLES];
  bool endless;
} timing;

static rdx_status time_once(const rdx_scan_way *way, rdx_stream *stream, const sample *s, rdx_buffer *out, double *ms,
                            rdx_error *err) {
  rdx_scan_call call = {.terms = s->terms, .count = s->count, .out = out};
  const double start = rdx_now_ms();
  RDX_TRY(way->evaluate(way->self, stream, &call, NULL, err));
  RDX_TRY(rdx_stream_finish(stream, err));
  *ms = rdx_now_ms() - start;
  return RDX_OK;
}

/* The best of a few runs by each way, from call to result. Ways take turns: what else a machine does then slows down
 * all of them. */
static rdx_status time_sample(const rdx_scan_way *ways, uint32_t count, rdx_stream *stream, const sample *s,
                              rdx_buffer *out, timing *timings, rdx_error *err) {
  double spent[RDX_SCAN_METHODS] = {0}, best[RDX_SCAN_METHODS] = {0};
  for (uint32_t run = 0; run <= SAMPLE_RUNS; run++) { /* the first does not count where others follow */
    for (uint32_t w = 0; w < count; w++) {
      double ms = 0;
      if (timings[w].endless || spent[w] > LONG_MS)
        continue;
      RDX_TRY(time_once(&ways[w], stream, s, out, &ms, err));
      spent[w] += ms;
      best[w] = run <= 1 || ms < best[w] ? ms : best[w];
    }
  }
  for (uint32_t w = 0; w < count; w++) {
    timing *t = &timings[w];
    if (t->endless)
      continue;
    t->ms[t->count] = best[w];
    t->work[t->count++] = ways[w].work(ways[w].self, s->terms, s->count);
    t->endless = best[w] >= ENDLESS_MS;
  }
  return RDX_OK;
}

static rdx_status measure(rdx_scan_way *ways, uint32_t count, rdx_stream *stream, const rdx_encoded_column *columns,
                          uint32_t column_count, rdx_buffer *out, rdx_error *err) {
  timing timings[RDX_SCAN_METHODS] = {0};
  for (size_t i = 0; i < SAMPLES; i++) {
    const size_t t = i % RDX_COUNT(terms);
    sample s;
    make_sample(columns, column_count, selectivities[i / RDX_COUNT(terms)], terms[t], &s);
    if (s.count == 0)
      return RDX_OK;
    if (t > 0 && s.count <= terms[t - 1]) /* the same as before: there are no more columns */
      continue;
    RDX_TRY(time_sample(ways, count, stream, &s, out, timings, err));
  }
  for (uint32_t w = 0; w < count; w++)
    rdx_fit_curve(timings[w].work, timings[w].ms, timings[w].count, &ways[w].rate);
  return RDX_OK;
}

rdx_status rdx_scan_measure(rdx_device *device, rdx_scan_way *ways, uint32_t count, const rdx_encoded_column *columns,
                            uint32_t column_count, rdx_error *err) {
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *bitmap = NULL;
  RDX_SCOPED(rdx_stream_destroy) rdx_stream *stream = NULL;
  if (columns[0].rows == 0)
    return RDX_OK;
  RDX_TRY(rdx_stream_create_for(device, "build", &stream, err));
  RDX_TRY(rdx_buffer_create(device, rdx_bitmap_bytes(columns[0].rows), "a bitmap", &bitmap, err));
  return measure(ways, count, stream, columns, column_count, bitmap, err);
}
