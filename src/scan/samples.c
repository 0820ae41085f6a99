/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

#include "scan/samples.h"

#include "cost/cost.h"
#include "kernels/bitmap/kernels.h"

#define SAMPLE_COLUMNS 3
#define SAMPLE_RUNS 3
#define LONG_MS 20     /* of a run that is not repeated */
#define ENDLESS_MS 500 /* after which no others are sampled */

/* A conjunction of the lower parts of columns' ranges. */
typedef struct sample {
  uint32_t count;
  rdx_interval intervals[SAMPLE_COLUMNS];
  rdx_term terms[SAMPLE_COLUMNS];
} sample;

static void make_sample(const rdx_encoded_column *columns, uint32_t count, double selectivity, uint32_t most,
                        sample *out) {
  out->count = 0;
  for (uint32_t i = 0; i < count && out->count < most; i++) {
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

/* The best of a few runs, from call to result. */
static rdx_status time_sample(const rdx_scan_way *way, rdx_stream *stream, const sample *s, rdx_buffer *out, double *ms,
                              rdx_error *err) {
  *ms = 0;
  for (uint32_t run = 0; run <= SAMPLE_RUNS; run++) { /* the first does not count where others follow */
    rdx_scan_call call = {.terms = s->terms, .count = s->count, .out = out};
    const double start = rdx_now_ms();
    RDX_TRY(way->evaluate(way->self, stream, &call, NULL, err));
    RDX_TRY(rdx_stream_finish(stream, err));
    const double took = rdx_now_ms() - start;
    if (run <= 1 || took < *ms)
      *ms = took;
    if (took > LONG_MS)
      break;
  }
  return RDX_OK;
}

static rdx_status measure(const rdx_scan_way *way, rdx_stream *stream, const rdx_encoded_column *columns,
                          uint32_t count, rdx_buffer *out, rdx_scan_rate *rate, rdx_error *err) {
  static const double selectivities[] = {0.02, 0.1, 0.3, 0.7};
  static const uint32_t terms[] = {1, SAMPLE_COLUMNS};
  double work[RDX_COUNT(selectivities) * RDX_COUNT(terms)], ms[RDX_COUNT(work)];
  uint32_t n = 0;
  for (size_t i = 0; i < RDX_COUNT(selectivities); i++) {
    for (size_t k = 0; k < RDX_COUNT(terms) && (n == 0 || ms[n - 1] < ENDLESS_MS); k++) {
      sample s;
      make_sample(columns, count, selectivities[i], terms[k], &s);
      if (s.count == 0)
        return RDX_OK;
      RDX_TRY(time_sample(way, stream, &s, out, &ms[n], err));
      work[n++] = way->work(way->self, s.terms, s.count);
    }
  }
  rdx_fit_line(work, ms, n, &rate->fixed_ms, &rate->ms_per_work);
  return RDX_OK;
}

rdx_status rdx_scan_measure(rdx_device *device, const rdx_scan_way *way, const rdx_encoded_column *columns,
                            uint32_t count, rdx_scan_rate *out, rdx_error *err) {
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *bitmap = NULL;
  RDX_SCOPED(rdx_stream_destroy) rdx_stream *stream = NULL;
  if (columns[0].rows == 0)
    return RDX_OK;
  RDX_TRY(rdx_stream_create(device, &stream, err));
  RDX_TRY(rdx_buffer_create(device, rdx_bitmap_bytes(columns[0].rows), "a bitmap", &bitmap, err));
  return measure(way, stream, columns, count, bitmap, out, err);
}
