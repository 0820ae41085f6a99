/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Probes in an order of the index's liking, and their answers back in the order given. */

#include "index/probe_order.h"

#include "kernels/hash/kernels.h"
#include "kernels/lookup/lookup.h"
#include "kernels/primitives/kernels.h"

/* Probes in a new order. */
typedef struct ordering {
  const rdx_index *index;
  const rdx_probes *probes;
  rdx_stream *stream;
  uint32_t key_bytes;
  rdx_buffer *lower, *upper, *valid, *places;
} ordering;

static rdx_status make(const ordering *a, uint64_t count, uint64_t size, rdx_buffer **out, rdx_error *err) {
  return rdx_buffer_create(a->index->device, count * size, "ordering probes", out, err);
}

static rdx_status mix(const ordering *a, rdx_error *err) {
  const uint32_t key64 = a->key_bytes == 8;
  const struct hash_mix_args args = {.keys = a->probes->lower, .mixed = RDX_ADDRESS(uint32_t, a->lower)};
  return rdx_stream_launch(a->stream, &rdx_kernel_hash_mix, &args, &key64, a->probes->count, NULL, err);
}

/* Bounds and bits follow the keys. */
static rdx_status follow(ordering *a, rdx_error *err) {
  const rdx_probes *p = a->probes;
  if (p->upper) {
    RDX_TRY(make(a, p->count, a->key_bytes, &a->upper, err));
    RDX_TRY(rdx_primitive_gather(a->stream, p->upper, a->places, 8 * a->key_bytes, a->upper, p->count, err));
  }
  if (!p->valid)
    return RDX_OK;
  RDX_TRY(make(a, (p->count + 31) / 32, 4, &a->valid, err));
  return rdx_primitive_bits(a->stream, p->valid, a->places, a->valid, p->count, err);
}

static rdx_status sort(ordering *a, bool mixed, uint32_t bits, bool unordered, rdx_error *err) {
  const rdx_probes *p = a->probes;
  if (!unordered || !mixed || p->upper || p->valid) {
    RDX_TRY(make(a, p->count, 4, &a->places, err));
    RDX_TRY(rdx_primitive_iota(a->stream, a->places, p->count, err));
  }
  RDX_TRY(mixed ? mix(a, err)
                : rdx_primitive_gather(a->stream, p->lower, a->places, 8 * a->key_bytes, a->lower, p->count, err));
  RDX_TRY(rdx_stream_sort(a->stream, a->lower, a->key_bytes, bits, a->places, p->count, err));
  return follow(a, err);
}

static rdx_status order(ordering *a, bool mixed, uint32_t bits, bool unordered, double *ms, rdx_error *err) {
  RDX_TRY(make(a, a->probes->count, a->key_bytes, &a->lower, err));
  RDX_TRY(rdx_stream_mark(a->stream, err));
  RDX_TRY(bits ? sort(a, mixed, bits, unordered, err) : mix(a, err));
  return rdx_stream_finish_timed(a->stream, ms, err);
}

static void replace(rdx_buffer **owned, rdx_buffer *by, uint32_t **address) {
  rdx_buffer_destroy(owned);
  *owned = by;
  *address = RDX_ADDRESS(uint32_t, by);
}

static rdx_status order_as(const rdx_index *index, rdx_stream *stream, rdx_probes *probes, bool mixed, bool unordered,
                           double *ms, rdx_error *err) {
  ordering a = {.index = index, .probes = probes, .stream = stream, .key_bytes = index->stats.key_bits / 8};
  const uint32_t bits = mixed ? index->ops->radix_bits(index->self) : 8 * a.key_bytes;
  const rdx_status status = order(&a, mixed, bits, unordered, ms, err);
  if (status != RDX_OK) {
    RDX_DESTROY_BUFFERS(&a.lower, &a.upper, &a.valid, &a.places);
    return status;
  }
  replace(&probes->owned[0], a.lower, &probes->lower);
  if (bits) { /* else the order is as given, and only the keys are others */
    replace(&probes->owned[1], a.upper, &probes->upper);
    replace(&probes->owned[2], a.valid, &probes->valid);
  }
  if (unordered)
    rdx_buffer_destroy(&a.places);
  probes->places = a.places;
  return RDX_OK;
}

/* RX, section 4.4 "sorting a batch of point lookups by their requested key". */
/* thesis, section 3.4 "Spatial-closed Query Mapping". */
rdx_status rdx_probes_order(const rdx_index *index, rdx_stream *stream, rdx_probes *probes, bool unordered, double *ms,
                            rdx_error *err) {
  return order_as(index, stream, probes, index->ops->radix_bits != NULL, unordered, ms, err);
}

/* ---- Disjoint probes ---- */

/* Probes on the host, in order. */
typedef struct disjoint {
  uint32_t key_bytes;
  uint64_t count;
  void *lower, *upper; /* upper NULL: points */
  uint32_t *valid;
} disjoint;

static rdx_status download(const rdx_buffer *buffer, uint64_t size, void **out, rdx_error *err) {
  RDX_TRY(rdx_alloc(size, 1, "probes in order", out, err));
  return rdx_buffer_download(buffer, 0, *out, size, err);
}

static rdx_status load(const rdx_probes *p, disjoint *d, rdx_error *err) {
  d->count = p->count;
  RDX_TRY(download(p->owned[0], p->count * d->key_bytes, &d->lower, err));
  if (p->upper)
    RDX_TRY(download(p->owned[1], p->count * d->key_bytes, &d->upper, err));
  return p->valid ? download(p->owned[2], (p->count + 31) / 32 * 4, (void **)&d->valid, err) : RDX_OK;
}

static uint64_t get(const disjoint *d, const void *keys, uint64_t i) {
  return d->key_bytes == 8 ? ((const uint64_t *)keys)[i] : ((const uint32_t *)keys)[i];
}

static void set(const disjoint *d, void *keys, uint64_t i, uint64_t key) {
  if (d->key_bytes == 8)
    ((uint64_t *)keys)[i] = key;
  else
    ((uint32_t *)keys)[i] = (uint32_t)key;
}

static void merge(disjoint *d) {
  uint64_t count = 0, end = 0; /* the last key of the last one */
  for (uint64_t i = 0; i < d->count; i++) {
    const uint64_t lower = get(d, d->lower, i), upper = d->upper ? get(d, d->upper, i) : lower;
    if (!has_bit(d->valid, (uint32_t)i) || upper < lower)
      continue;
    if (count == 0 || lower > end) {
      set(d, d->lower, count++, lower);
      end = upper;
    }
    end = upper > end ? upper : end;
    if (d->upper)
      set(d, d->upper, count - 1, end);
  }
  d->count = count;
}

static rdx_status store(const disjoint *d, rdx_probes *p, rdx_error *err) {
  RDX_TRY(rdx_buffer_upload(p->owned[0], 0, d->lower, d->count * d->key_bytes, err));
  if (d->upper)
    RDX_TRY(rdx_buffer_upload(p->owned[1], 0, d->upper, d->count * d->key_bytes, err));
  rdx_buffer_destroy(&p->owned[2]);
  p->valid = NULL;
  p->count = d->count;
  return RDX_OK;
}

rdx_status rdx_probes_make_disjoint(const rdx_index *index, rdx_stream *stream, rdx_probes *probes, double *ms,
                                    rdx_error *err) {
  disjoint d = {.key_bytes = index->stats.key_bits / 8};
  RDX_TRY(order_as(index, stream, probes, false, false, ms, err));
  rdx_buffer_destroy(&probes->places);
  const double start = rdx_now_ms();
  rdx_status status = load(probes, &d, err);
  if (status == RDX_OK) {
    merge(&d);
    status = store(&d, probes, err);
  }
  RDX_FREE_ALL(d.lower, d.upper, d.valid);
  *ms += rdx_now_ms() - start;
  return status;
}

/* ---- Answers ---- */

/* A place for answers of `words` words where the query wants some. */
static rdx_status stand_in(const rdx_probes *p, rdx_stream *stream, bool wanted, uint32_t words, rdx_buffer **out,
                           rdx_error *err) {
  return wanted ? rdx_buffer_create(stream->device, p->count * words * 4, "answers to ordered probes", out, err)
                : RDX_OK;
}

static uint32_t sum_words(const rdx_index_query *q) {
  return q->gather == GATHER_SUM_WIDE ? 4 : 2;
}

static rdx_status begin(const rdx_probes *p, rdx_stream *stream, const rdx_index_query *q, rdx_probe_query *a,
                        double *ms, rdx_error *err) {
  RDX_TRY(stand_in(p, stream, q->io.out_count, 1, &a->count, err));
  RDX_TRY(stand_in(p, stream, q->io.out_first, 1, &a->first, err));
  RDX_TRY(stand_in(p, stream, q->io.out_sum, sum_words(q), &a->sum, err));
  RDX_TRY(stand_in(p, stream, q->io.offsets, 2, &a->offsets, err));
  a->query = *q;
  a->query.io.out_count = RDX_ADDRESS(uint32_t, a->count);
  a->query.io.out_first = RDX_ADDRESS(uint32_t, a->first);
  a->query.io.out_sum = RDX_ADDRESS(uint64_t, a->sum);
  a->query.io.offsets = RDX_ADDRESS(uint64_t, a->offsets);
  if (!q->io.offsets)
    return RDX_OK;
  RDX_TRY(rdx_stream_mark(stream, err));
  RDX_TRY(rdx_primitive_gather(stream, (const uint32_t *)(const void *)q->io.offsets, p->places, 64, a->offsets,
                               p->count, err));
  return rdx_stream_finish_timed(stream, ms, err);
}

rdx_status rdx_probe_query_begin(const rdx_probes *probes, rdx_stream *stream, const rdx_index_query *query,
                                 rdx_probe_query *out, double *ms, rdx_error *err) {
  *out = (rdx_probe_query){0};
  const rdx_status status = begin(probes, stream, query, out, ms, err);
  if (status != RDX_OK)
    rdx_probe_query_destroy(out);
  return status;
}

static rdx_status put_back(const rdx_probes *p, rdx_stream *stream, const rdx_buffer *answers, uint32_t words,
                           void *out, rdx_error *err) {
  return answers ? rdx_primitive_scatter(stream, answers, p->places, words, out, p->count, err) : RDX_OK;
}

rdx_status rdx_probe_query_end(const rdx_probes *p, rdx_stream *stream, const rdx_index_query *q,
                               const rdx_probe_query *a, double *ms, rdx_error *err) {
  RDX_TRY(rdx_stream_mark(stream, err));
  RDX_TRY(put_back(p, stream, a->count, 1, q->io.out_count, err));
  RDX_TRY(put_back(p, stream, a->first, 1, q->io.out_first, err));
  RDX_TRY(put_back(p, stream, a->sum, sum_words(q), q->io.out_sum, err));
  return rdx_stream_finish_timed(stream, ms, err);
}

void rdx_probe_query_destroy(rdx_probe_query *a) {
  RDX_DESTROY_BUFFERS(&a->count, &a->first, &a->sum, &a->offsets);
}
