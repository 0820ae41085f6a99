/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Range lookups among sorted entries in two steps: the index finds spans, and kernels/spans gathers over them. */

#include "index/spans.h"

#include "kernels/spans/kernels.h"

/* Spans of on average so many entries are walked by several threads side by side. */
#define LONG_SPAN 4

/* The kernel for so many entries in so many spans, and its threads for each. */
static const rdx_kernel *kernel_for(const rdx_device *device, uint64_t total, uint64_t spans, uint32_t *lanes) {
  const bool few = total < LONG_SPAN * spans || device->info.threads < 8; /* of a subgroup */
  *lanes = few ? 1 : total < 2 * LONG_SPAN * spans ? 4 : 8;
  return *lanes == 1 ? &rdx_kernel_spans_1 : *lanes == 4 ? &rdx_kernel_spans_4 : &rdx_kernel_spans_8;
}

/* Prefix sums pay where spans have so many times the entries that there are: each entry of a span costs a value
 * fetched from anywhere, and so does each entry there is to make the sums. */
#define PREFIX_PAYS 2

typedef struct spans {
  const rdx_index *index;
  const rdx_index_query *query;
  rdx_row_layout rows;
  rdx_buffer *begin, *size;
  uint64_t total;
} spans;

static bool is_sum(const rdx_index_query *q) {
  return q->gather == GATHER_SUM || q->gather == GATHER_SUM_WIDE;
}

/* Find the spans, and how many entries they have in all. */
static rdx_status find(spans *s, rdx_stream *stream, double *ms, rdx_error *err) {
  const rdx_index_query *q = s->query;
  rdx_buffer *total = NULL;
  const rdx_index_query where = {.count = q->count,
                                 .gather = GATHER_COUNT,
                                 .lower = q->lower,
                                 .upper = q->upper,
                                 .valid = q->valid,
                                 .out_first = RDX_ADDRESS(uint32_t, s->begin),
                                 .out_count = RDX_ADDRESS(uint32_t, s->size)};
  RDX_TRY(rdx_buffer_create(s->index->device, 8, "the total of spans", &total, err));
  rdx_status status = rdx_stream_mark(stream, err);
  if (status == RDX_OK)
    status = s->index->ops->query(s->index->self, stream, &where, err);
  if (status == RDX_OK)
    status = rdx_stream_reduce(stream, RDX_REDUCE_SUM, s->size, 4, total, q->count, err);
  if (status == RDX_OK)
    status = rdx_stream_mark(stream, err);
  if (status == RDX_OK)
    status = rdx_stream_finish(stream, err);
  if (status == RDX_OK) {
    *ms += rdx_stream_elapsed(stream, 0, 1);
    status = rdx_buffer_download(total, 0, &s->total, 8, err);
  }
  rdx_buffer_destroy(&total);
  return status;
}

/* ---- Entry by entry ---- */

static rdx_status walk(const spans *s, rdx_stream *stream, rdx_error *err) {
  const rdx_index_query *q = s->query;
  const struct spans_args args = {.begin = RDX_ADDRESS(uint32_t, s->begin),
                                  .size = RDX_ADDRESS(uint32_t, s->size),
                                  .words = RDX_ADDRESS(uint32_t, s->rows.words),
                                  .values = q->values,
                                  .values_valid = q->values_valid,
                                  .out_count = q->out_count,
                                  .out_first = q->out_first,
                                  .out_sum = q->out_sum,
                                  .offsets = q->offsets,
                                  .out_rows = q->out_rows,
                                  .block_words = s->rows.block_words,
                                  .first_word = s->rows.first_word,
                                  .step = s->rows.step};
  uint32_t variant[3] = {q->gather, q->value};
  const rdx_kernel *kernel = kernel_for(s->index->device, s->total, q->count, &variant[2]);
  return rdx_stream_launch(stream, kernel, &args, variant, q->count, NULL, err);
}

/* ---- By prefix sums ---- */

typedef struct prefix {
  rdx_buffer *low, *high, *present; /* of each entry; NULL: not needed */
} prefix;

static void drop(prefix *p) {
  rdx_buffer_destroy(&p->low);
  rdx_buffer_destroy(&p->high);
  rdx_buffer_destroy(&p->present);
}

/* A buffer of `size` bytes for each entry, and one more, of the parts that the query's values have. */
static rdx_status make(const spans *s, uint64_t size, prefix *out, rdx_error *err) {
  const uint64_t bytes = (s->index->stats.keys + 1) * size;
  const bool wide = s->query->value >= VALUE_U64, nulls = s->query->values_valid != NULL;
  RDX_TRY(rdx_buffer_create(s->index->device, bytes, "the values of entries", &out->low, err));
  if (wide)
    RDX_TRY(rdx_buffer_create(s->index->device, bytes, "the values of entries", &out->high, err));
  if (nulls)
    RDX_TRY(rdx_buffer_create(s->index->device, bytes, "the values of entries", &out->present, err));
  return RDX_OK;
}

/* Bring the values into the order of the entries, in parts. */
static rdx_status order_values(const spans *s, rdx_stream *stream, const prefix *out, rdx_error *err) {
  const struct spans_values_args args = {.words = RDX_ADDRESS(uint32_t, s->rows.words),
                                         .values = s->query->values,
                                         .values_valid = s->query->values_valid,
                                         .low = RDX_ADDRESS(uint32_t, out->low),
                                         .high = RDX_ADDRESS(uint32_t, out->high),
                                         .present = RDX_ADDRESS(uint32_t, out->present),
                                         .block_words = s->rows.block_words,
                                         .first_word = s->rows.first_word,
                                         .step = s->rows.step};
  return rdx_stream_launch(stream, &rdx_kernel_spans_values, &args, NULL, s->index->stats.keys, NULL, err);
}

static rdx_status scan(const spans *s, rdx_stream *stream, const rdx_buffer *in, rdx_buffer *out, rdx_error *err) {
  return in ? rdx_stream_scan(stream, in, out, s->index->stats.keys, err) : RDX_OK;
}

static rdx_status subtract(const spans *s, rdx_stream *stream, const prefix *parts, const prefix *sums,
                           rdx_error *err) {
  const rdx_index_query *q = s->query;
  const struct spans_prefix_args args = {.begin = RDX_ADDRESS(uint32_t, s->begin),
                                         .size = RDX_ADDRESS(uint32_t, s->size),
                                         .low = RDX_ADDRESS(uint64_t, sums->low),
                                         .high = RDX_ADDRESS(uint64_t, sums->high),
                                         .present = RDX_ADDRESS(uint64_t, sums->present),
                                         .out_count = q->out_count,
                                         .out_sum = q->out_sum};
  const uint32_t variant[2] = {q->gather, q->value};
  RDX_TRY(order_values(s, stream, parts, err));
  RDX_TRY(scan(s, stream, parts->low, sums->low, err));
  RDX_TRY(scan(s, stream, parts->high, sums->high, err));
  RDX_TRY(scan(s, stream, parts->present, sums->present, err));
  return rdx_stream_launch(stream, &rdx_kernel_spans_prefix, &args, variant, q->count, NULL, err);
}

/* ---- Either ---- */

static rdx_status timed(const spans *s, rdx_stream *stream, const prefix *parts, const prefix *sums, double *ms,
                        rdx_error *err) {
  RDX_TRY(rdx_stream_mark(stream, err));
  RDX_TRY(parts ? subtract(s, stream, parts, sums, err) : walk(s, stream, err));
  RDX_TRY(rdx_stream_mark(stream, err));
  RDX_TRY(rdx_stream_finish(stream, err));
  *ms += rdx_stream_elapsed(stream, 0, 1);
  return RDX_OK;
}

static rdx_status gather(const spans *s, rdx_stream *stream, double *ms, rdx_error *err) {
  prefix parts = {0}, sums = {0};
  bool by_prefix = is_sum(s->query) && s->total / PREFIX_PAYS > s->index->stats.keys;
  if (by_prefix) { /* where memory is short, walk */
    by_prefix = make(s, 4, &parts, NULL) == RDX_OK && make(s, 8, &sums, NULL) == RDX_OK;
    if (!by_prefix) {
      drop(&parts);
      drop(&sums);
    }
  }
  rdx_status status = timed(s, stream, by_prefix ? &parts : NULL, &sums, ms, err);
  drop(&parts);
  drop(&sums);
  return status;
}

rdx_status rdx_spans_query(const rdx_index *index, rdx_stream *stream, const rdx_index_query *query, double *ms,
                           rdx_error *err) {
  spans s = {.index = index, .query = query, .rows = index->ops->rows(index->self)};
  rdx_status status = rdx_buffer_create(index->device, query->count * 4, "spans", &s.begin, err);
  if (status == RDX_OK)
    status = rdx_buffer_create(index->device, query->count * 4, "spans", &s.size, err);
  if (status == RDX_OK)
    status = find(&s, stream, ms, err);
  if (status == RDX_OK)
    status = gather(&s, stream, ms, err);
  rdx_buffer_destroy(&s.begin);
  rdx_buffer_destroy(&s.size);
  return status;
}
