/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Several methods over the same columns: each conjunction goes to the one that is predicted to be fastest. A method
 * tells the work of a conjunction in a unit of its own; that its time is a constant and a multiple of it, and which, is
 * measured on the device and the columns at hand when the methods have been built. */

#include "scan/samples.h"

typedef struct candidate {
  rdx_scan_method method;
  const rdx_scan_ops *ops;
  void *self;
  rdx_curve rate;
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
      {true, RDX_SCAN_COLUMN},        {w->bindex, RDX_SCAN_BINDEX}, {w->btree, RDX_SCAN_BTREE},
      {w->rtindex, RDX_SCAN_RTINDEX}, {w->rtc1, RDX_SCAN_RTC1},     {w->rtc3, RDX_SCAN_RTC3},
      {w->rtscan, RDX_SCAN_RTSCAN},
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

static uint64_t estimate(const rdx_device *device, const rdx_scan_params *params, const rdx_encoded_column *columns,
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
  for (uint32_t i = 0; i < c->count; i++) {
    c->candidates[i].ops->destroy(c->candidates[i].self);
    rdx_free(c->candidates[i].self);
  }
}

/* ---- Preparing ---- */

static rdx_status build(void *self, rdx_device *device, const rdx_scan_params *params,
                        const rdx_encoded_column *columns, uint32_t count, rdx_scan_stats *stats, rdx_error *err) {
  chooser *c = self;
  rdx_scan_method wanted[RDX_SCAN_METHODS];
  const uint32_t n = list_wanted(params, wanted);
  for (uint32_t i = 0; i < n; i++) {
    candidate *one = &c->candidates[i];
    *one = (candidate){.method = wanted[i], .ops = rdx_scan_ops_of(wanted[i])};
    RDX_TRY(rdx_scan_check_tracing(one->ops, device, err));
    RDX_TRY(rdx_calloc(1, one->ops->size, "a scan", &one->self, err));
    c->count++;
    RDX_TRY(one->ops->build(one->self, device, params, columns, count, stats, err));
  }
  rdx_scan_way ways[RDX_SCAN_METHODS] = {{0}};
  for (uint32_t i = 0; i < n; i++)
    ways[i] = (rdx_scan_way){
        .self = c->candidates[i].self, .evaluate = c->candidates[i].ops->evaluate, .work = c->candidates[i].ops->work};
  RDX_TRY(rdx_scan_measure(device, ways, n, columns, count, err));
  for (uint32_t i = 0; i < n; i++)
    c->candidates[i].rate = ways[i].rate;
  return RDX_OK;
}

/* ---- Choosing ---- */

static bool takes(const rdx_scan_ops *ops, const rdx_term *terms, uint32_t count) {
  if (ops->max_terms != 0 && count > ops->max_terms)
    return false;
  for (uint32_t t = 0; t < count; t++)
    if (ops->max_intervals != 0 && terms[t].set.count > ops->max_intervals)
      return false;
  return true;
}

static const candidate *choose(const chooser *c, const rdx_term *terms, uint32_t count, double *predicted_ms) {
  const candidate *best = NULL;
  double min = 0;
  for (uint32_t i = 0; i < c->count; i++) { /* the column scan takes whatever there is */
    const candidate *one = &c->candidates[i];
    if (!takes(one->ops, terms, count))
      continue;
    const double ms = rdx_curve_ms(&one->rate, one->ops->work(one->self, terms, count));
    predicted_ms[one->method] = ms;
    if (!best || ms < min) {
      best = one;
      min = ms;
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

const rdx_scan_ops rdx_scan_auto_ops = {.name = "auto",
                                        .size = sizeof(chooser),
                                        .estimate = estimate,
                                        .build = build,
                                        .evaluate = evaluate,
                                        .destroy = destroy};
