/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Several methods over the same columns: each conjunction goes to the one that is predicted to be fastest. A method
 * tells the work of a conjunction in a unit of its own; that its time is a constant and a multiple of it, and which, is
 * measured on the device and the columns at hand when the methods have been built. */

#include "kernels/bitmap/kernels.h"
#include "scan/scan.h"

typedef struct candidate {
  rdx_scan_method method;
  const rdx_scan_ops *ops;
  void *self;
  double fixed_ms, ms_per_work;
} candidate;

typedef struct chooser {
  uint32_t count;
  candidate candidates[RDX_SCAN_METHODS];
} chooser;

/* The methods that a caller wants, the column scan always among them; returns how many. */
static uint32_t list_wanted(const rdx_scan_params *p, rdx_scan_method *out) {
  const rdx_scan_auto_params *w = &p->among;
  const struct {
    bool wanted;
    rdx_scan_method method;
  } all[] = {
      {true, RDX_SCAN_COLUMN},  {w->bindex, RDX_SCAN_BINDEX}, {w->rtindex, RDX_SCAN_RTINDEX},
      {w->rtc1, RDX_SCAN_RTC1}, {w->rtc3, RDX_SCAN_RTC3},     {w->rtscan, RDX_SCAN_RTSCAN},
  };
  uint32_t count = 0;
  for (size_t i = 0; i < RDX_COUNT(all); i++)
    if (all[i].wanted)
      out[count++] = all[i].method;
  return count;
}

bool rdx_scan_is_choice(const rdx_scan_params *params) {
  rdx_scan_method wanted[RDX_SCAN_METHODS];
  return list_wanted(params, wanted) > 1;
}

static uint64_t estimate(const rdx_device *device, const rdx_scan_params *params, const rdx_scan_column *columns,
                         uint32_t count) {
  rdx_scan_method wanted[RDX_SCAN_METHODS];
  const uint32_t n = list_wanted(params, wanted);
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < n; i++)
    bytes += rdx_scan_ops_of(wanted[i])->estimate(device, params, columns, count);
  return bytes;
}

static void destroy(void *self) {
  chooser *c = self;
  for (uint32_t i = 0; i < c->count; i++)
    c->candidates[i].ops->destroy(c->candidates[i].self);
  rdx_free(c);
}

/* ---- Measuring ---- */

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

static void make_sample(const rdx_scan_column *columns, uint32_t count, double share, uint32_t most, sample *out) {
  out->count = 0;
  for (uint32_t i = 0; i < count && out->count < most; i++) {
    const rdx_scan_column *c = &columns[i];
    const uint32_t t = out->count;
    if (c->smallest > c->largest)
      continue;
    out->intervals[t] =
        (rdx_interval){c->smallest, c->smallest + (uint64_t)(share * (double)(c->largest - c->smallest))};
    out->terms[t] = (rdx_term){i, 1, &out->intervals[t]};
    out->count++;
  }
}

/* The best of a few runs, from call to result. */
static rdx_status time_sample(const candidate *c, rdx_stream *stream, const sample *s, rdx_buffer *out, double *ms,
                              rdx_error *err) {
  *ms = 0;
  for (uint32_t run = 0; run <= SAMPLE_RUNS; run++) { /* the first does not count where others follow */
    rdx_scan_call call = {.terms = s->terms, .count = s->count, .out = out};
    const double start = rdx_now_ms();
    RDX_TRY(c->ops->evaluate(c->self, stream, &call, NULL, err));
    RDX_TRY(rdx_stream_finish(stream, err));
    const double took = rdx_now_ms() - start;
    if (run <= 1 || took < *ms)
      *ms = took;
    if (took > LONG_MS)
      break;
  }
  return RDX_OK;
}

/* Least squares of the relative error, neither part below 0. */
static void fit(candidate *c, const double *work, const double *ms, uint32_t count) {
  double weights = 0, sum_work = 0, sum_ms = 0, squares = 0, products = 0;
  for (uint32_t i = 0; i < count; i++) {
    const double weight = 1 / (ms[i] * ms[i] + 1e-12);
    weights += weight;
    sum_work += weight * work[i];
    sum_ms += weight * ms[i];
    squares += weight * work[i] * work[i];
    products += weight * work[i] * ms[i];
  }
  const double spread = weights * squares - sum_work * sum_work;
  const double slope = spread > 1e-9 * weights * squares ? (weights * products - sum_work * sum_ms) / spread : 0;
  c->ms_per_work = slope > 0 ? slope : 0;
  c->fixed_ms = (sum_ms - c->ms_per_work * sum_work) / weights;
  if (c->fixed_ms < 0 || count == 1) {
    c->fixed_ms = 0;
    c->ms_per_work = squares > 0 ? products / squares : 0;
  }
}

static rdx_status calibrate_one(candidate *c, rdx_stream *stream, const rdx_scan_column *columns, uint32_t count,
                                rdx_buffer *out, rdx_error *err) {
  static const double shares[] = {0.02, 0.3, 0.7};
  static const uint32_t terms[] = {1, SAMPLE_COLUMNS};
  double work[RDX_COUNT(shares) * RDX_COUNT(terms)], ms[RDX_COUNT(work)];
  uint32_t n = 0;
  for (size_t i = 0; i < RDX_COUNT(shares); i++) {
    for (size_t k = 0; k < RDX_COUNT(terms) && (n == 0 || ms[n - 1] < ENDLESS_MS); k++) {
      sample s;
      make_sample(columns, count, shares[i], terms[k], &s);
      if (s.count == 0)
        return RDX_OK;
      RDX_TRY(time_sample(c, stream, &s, out, &ms[n], err));
      work[n++] = c->ops->work(c->self, s.terms, s.count);
    }
  }
  fit(c, work, ms, n);
  return RDX_OK;
}

static rdx_status calibrate(rdx_device *device, const rdx_scan_column *columns, uint32_t count, chooser *c,
                            rdx_error *err) {
  rdx_stream *stream = NULL;
  rdx_buffer *out = NULL;
  if (columns[0].rows == 0)
    return RDX_OK;
  RDX_TRY(rdx_stream_create(device, &stream, err));
  rdx_status status = rdx_buffer_create(device, rdx_bitmap_bytes(columns[0].rows), "a bitmap", &out, err);
  for (uint32_t i = 0; i < c->count && status == RDX_OK; i++)
    status = calibrate_one(&c->candidates[i], stream, columns, count, out, err);
  rdx_stream_destroy(&stream);
  rdx_buffer_destroy(&out);
  return status;
}

/* ---- Preparing ---- */

static rdx_status build_all(rdx_device *device, const rdx_scan_params *params, const rdx_scan_column *columns,
                            uint32_t count, rdx_scan_stats *stats, chooser *c, rdx_error *err) {
  rdx_scan_method wanted[RDX_SCAN_METHODS];
  const uint32_t n = list_wanted(params, wanted);
  for (uint32_t i = 0; i < n; i++) {
    candidate *one = &c->candidates[i];
    *one = (candidate){.method = wanted[i], .ops = rdx_scan_ops_of(wanted[i])};
    RDX_TRY(rdx_scan_check_tracing(one->ops, device, err));
    RDX_TRY(one->ops->build(device, params, columns, count, stats, &one->self, err));
    c->count++;
  }
  return calibrate(device, columns, count, c, err);
}

static rdx_status build(rdx_device *device, const rdx_scan_params *params, const rdx_scan_column *columns,
                        uint32_t count, rdx_scan_stats *stats, void **out, rdx_error *err) {
  chooser *c = NULL;
  RDX_TRY(rdx_calloc(1, sizeof *c, "a choice of scans", (void **)&c, err));
  const rdx_status status = build_all(device, params, columns, count, stats, c, err);
  if (status != RDX_OK) {
    destroy(c);
    return status;
  }
  *out = c;
  return RDX_OK;
}

/* ---- Choosing ---- */

static bool takes(const rdx_scan_ops *ops, const rdx_term *terms, uint32_t count) {
  if (ops->max_terms != 0 && count > ops->max_terms)
    return false;
  for (uint32_t t = 0; t < count; t++)
    if (ops->max_intervals != 0 && terms[t].interval_count > ops->max_intervals)
      return false;
  return true;
}

static const candidate *choose(const chooser *c, const rdx_term *terms, uint32_t count, double *predicted_ms) {
  const candidate *best = NULL;
  double least = 0;
  for (uint32_t i = 0; i < c->count; i++) { /* the column scan takes whatever there is */
    const candidate *one = &c->candidates[i];
    if (!takes(one->ops, terms, count))
      continue;
    const double ms = one->fixed_ms + one->ms_per_work * one->ops->work(one->self, terms, count);
    predicted_ms[one->method] = ms;
    if (!best || ms < least) {
      best = one;
      least = ms;
    }
  }
  return best;
}

static rdx_status evaluate(const void *self, rdx_stream *stream, rdx_scan_call *call, rdx_scan_counts *counts,
                           rdx_error *err) {
  double predicted_ms[RDX_SCAN_METHODS] = {0};
  const candidate *best = choose(self, call->terms, call->count, predicted_ms);
  if (counts) {
    counts->methods |= 1u << best->method;
    for (uint32_t i = 0; i < RDX_SCAN_METHODS; i++)
      counts->predicted_ms[i] += predicted_ms[i];
  }
  return best->ops->evaluate(best->self, stream, call, counts, err);
}

const rdx_scan_ops rdx_scan_auto_ops = {
    .name = "auto", .estimate = estimate, .build = build, .evaluate = evaluate, .destroy = destroy};
