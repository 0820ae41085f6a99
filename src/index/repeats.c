/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Probes that are equal are looked up once. */

#include "index/repeats.h"

#include "kernels/primitives/kernels.h"

static rdx_status make(const rdx_index *index, uint64_t count, uint64_t size, rdx_buffer **out, rdx_error *err) {
  return rdx_buffer_create(index->device, count * size, "repeated probes", out, err);
}

/* ---- Distinct keys ---- */

/* What finding them takes for a while. */
typedef struct search {
  rdx_buffer *places, *sorted, *bits, *heads, *number;
} search;

static rdx_status make_search(const rdx_index *index, uint64_t count, search *s, rdx_error *err) {
  RDX_TRY(make(index, count, 4, &s->places, err));
  RDX_TRY(make(index, count, index->stats.key_bits / 8, &s->sorted, err));
  RDX_TRY(make(index, (count + 31) / 32, 4, &s->bits, err));
  RDX_TRY(make(index, count, 4, &s->heads, err));
  return make(index, 1, 8, &s->number, err);
}

static void drop_search(search *s) {
  RDX_DESTROY_BUFFERS(&s->places, &s->sorted, &s->bits, &s->heads, &s->number);
}

static rdx_status find(const rdx_index *index, rdx_stream *stream, const rdx_probes *p, search *s, uint64_t *count,
                       double *ms, rdx_error *err) {
  const uint32_t bits = index->stats.key_bits;
  RDX_TRY(make_search(index, p->count, s, err));
  RDX_TRY(rdx_stream_mark(stream, err));
  RDX_TRY(rdx_primitive_iota(stream, s->places, p->count, err));
  RDX_TRY(rdx_primitive_gather(stream, p->lower, s->places, bits, s->sorted, p->count, err));
  RDX_TRY(rdx_stream_sort(stream, s->sorted, bits / 8, bits, NULL, p->count, err));
  RDX_TRY(rdx_primitive_heads(stream, s->sorted, bits, s->bits, p->count, err));
  RDX_TRY(rdx_stream_select(stream, s->bits, s->heads, s->number, p->count, err));
  RDX_TRY(rdx_stream_finish_timed(stream, ms, err));
  return rdx_buffer_number(s->number, 0, p->count > 0, p->count, "the distinct probes", count, err);
}

static rdx_status collect(const rdx_index *index, rdx_stream *stream, const search *s, rdx_distinct_probes *out,
                          double *ms, rdx_error *err) {
  const uint32_t bits = index->stats.key_bits;
  const uint64_t count = out->probes.count;
  RDX_TRY(make(index, count, bits / 8, &out->keys, err));
  RDX_TRY(rdx_stream_mark(stream, err));
  RDX_TRY(rdx_primitive_gather(stream, RDX_ADDRESS(uint32_t, s->sorted), s->heads, bits, out->keys, count, err));
  RDX_TRY(rdx_stream_finish_timed(stream, ms, err));
  out->probes.owned[0] = rdx_buffer_retain(out->keys); /* which an index may replace by an order of its liking */
  out->probes.lower = RDX_ADDRESS(uint32_t, out->keys);
  return RDX_OK;
}

rdx_status rdx_distinct_probes_create(const rdx_index *index, rdx_stream *stream, const rdx_probes *probes,
                                      rdx_distinct_probes *out, double *ms, rdx_error *err) {
  RDX_SCOPED(drop_search) search s = {0};
  RDX_SCOPED(rdx_distinct_probes_destroy) rdx_distinct_probes made = {0};
  RDX_TRY(find(index, stream, probes, &s, &made.probes.count, ms, err));
  RDX_TRY(collect(index, stream, &s, &made, ms, err));
  *out = RDX_KEEP(made);
  return RDX_OK;
}

void rdx_distinct_probes_destroy(rdx_distinct_probes *distinct) {
  rdx_probes_destroy(&distinct->probes);
  rdx_buffer_destroy(&distinct->keys);
}

/* ---- Their answers ---- */

rdx_status rdx_distinct_probes_expand(const rdx_distinct_probes *distinct, const rdx_index *index, rdx_stream *stream,
                                      const rdx_probes *probes, const rdx_parts *found, rdx_parts *out, double *ms,
                                      rdx_error *err) {
  if (found->count)
    RDX_TRY(make(index, probes->count, 4, &out->count, err));
  if (found->first)
    RDX_TRY(make(index, probes->count, 4, &out->first, err));
  if (found->sum)
    RDX_TRY(make(index, probes->count, 8, &out->sum, err));
  const primitive_expand_args args = {.probes = probes->lower,
                                      .valid = probes->valid,
                                      .keys = RDX_ADDRESS(uint32_t, distinct->keys),
                                      .counts = RDX_ADDRESS(uint32_t, found->count),
                                      .firsts = RDX_ADDRESS(uint32_t, found->first),
                                      .sums = RDX_ADDRESS(uint64_t, found->sum),
                                      .out_counts = RDX_ADDRESS(uint32_t, out->count),
                                      .out_firsts = RDX_ADDRESS(uint32_t, out->first),
                                      .out_sums = RDX_ADDRESS(uint64_t, out->sum),
                                      .n = (uint32_t)distinct->probes.count};
  RDX_TRY(rdx_stream_mark(stream, err));
  RDX_TRY(rdx_primitive_expand(stream, &args, index->stats.key_bits, probes->count, err));
  return rdx_stream_finish_timed(stream, ms, err);
}

/* Count 1 for the key and 0 for all others: the first probe that then has a count. */
rdx_status rdx_distinct_probes_name(const rdx_distinct_probes *distinct, const rdx_index *index, rdx_stream *stream,
                                    const rdx_probes *probes, uint64_t key, uint64_t *out, rdx_error *err) {
  RDX_SCOPED(rdx_parts_destroy) rdx_parts marks = {0}, marked = {0};
  RDX_SCOPED(rdx_free_local) uint32_t *host = NULL;
  double ms = 0;
  RDX_TRY(rdx_alloc(probes->count, 4, "repeated probes", (void **)&host, err));
  RDX_TRY(make(index, distinct->probes.count, 4, &marks.count, err));
  RDX_TRY(rdx_stream_fill(stream, marks.count, 0, marks.count->size, 0, err));
  RDX_TRY(rdx_stream_fill(stream, marks.count, key * 4, 4, 1, err));
  RDX_TRY(rdx_stream_finish(stream, err));
  RDX_TRY(rdx_distinct_probes_expand(distinct, index, stream, probes, &marks, &marked, &ms, err));
  RDX_TRY(rdx_buffer_download(marked.count, 0, host, probes->count * 4, err));
  uint64_t i = 0;
  while (i + 1 < probes->count && host[i] == 0)
    i++;
  *out = probes->begin + i;
  return RDX_OK;
}

/* ---- Samples ---- */

/* One place of each of `count` equal stretches; not always the same, lest the probes have the same period. */
static void choose_places(uint64_t probes, uint32_t *places, uint64_t count) {
  const uint64_t step = probes / count;
  uint64_t random = 0x9e3779b97f4a7c15ull;
  for (uint64_t i = 0; i < count; i++) {
    random = random * 6364136223846793005ull + 1442695040888963407ull;
    places[i] = (uint32_t)(i * step + (random >> 32) % step);
  }
}

static rdx_status take_sample(const rdx_index *index, rdx_stream *stream, const rdx_probes *probes,
                              const uint32_t *places, rdx_buffer *list, rdx_probes *out, rdx_error *err) {
  const uint64_t count = out->count;
  RDX_TRY(rdx_buffer_upload(list, 0, places, count * 4, err));
  RDX_TRY(make(index, count, index->stats.key_bits / 8, &out->owned[0], err));
  RDX_TRY(rdx_primitive_gather(stream, probes->lower, list, index->stats.key_bits, out->owned[0], count, err));
  out->lower = RDX_ADDRESS(uint32_t, out->owned[0]);
  if (probes->upper) {
    RDX_TRY(make(index, count, index->stats.key_bits / 8, &out->owned[1], err));
    RDX_TRY(rdx_primitive_gather(stream, probes->upper, list, index->stats.key_bits, out->owned[1], count, err));
    out->upper = RDX_ADDRESS(uint32_t, out->owned[1]);
  }
  if (probes->valid) {
    RDX_TRY(make(index, (count + 31) / 32, 4, &out->owned[2], err));
    RDX_TRY(rdx_primitive_bits(stream, probes->valid, list, out->owned[2], count, err));
    out->valid = RDX_ADDRESS(uint32_t, out->owned[2]);
  }
  return rdx_stream_finish(stream, err);
}

rdx_status rdx_probes_sample(const rdx_index *index, rdx_stream *stream, const rdx_probes *probes, uint64_t count,
                             rdx_probes *out, rdx_error *err) {
  RDX_SCOPED(rdx_probes_destroy) rdx_probes made = {.begin = probes->begin, .count = count};
  RDX_SCOPED(rdx_free_local) uint32_t *places = NULL;
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *list = NULL;
  RDX_TRY(rdx_alloc(count, 4, "a sample of probes", (void **)&places, err));
  choose_places(probes->count, places, count);
  RDX_TRY(make(index, count, 4, &list, err));
  RDX_TRY(take_sample(index, stream, probes, places, list, &made, err));
  *out = RDX_KEEP(made);
  return RDX_OK;
}
