/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Point and range lookups on any index: probes to the device, passes over them, results.
 *
 * A batch runs in one piece and its result stays on the device. If that takes more memory than there is, it runs in
 * ever smaller slices whose results are joined on the host; of rows, and where these are wanted in parts, slices are
 * cut by counts. */

#include "index/probe_order.h"
#include "index/index.h"
#include "index/partition.h"
#include "index/probes.h"
#include "index/repeats.h"
#include "index/result.h"
#include "index/range_gather.h"
#include "index/summing.h"
#include "column/column.h"
#include "column/text_codes.h"
#include "kernels/lookup/lookup.h"
#include "kernels/primitives/kernels.h"

#define PREFIX_PROBES (1u << 20) /* in a slice whose rows are compared on the host, at most */

#define LONG_MEAN 16 /* rows of a key, on average */

/* Probes are looked up once for each distinct key where they are REPEATS_MIN or more, and a sample, one of
 * REPEATS_SAMPLE, says that they find more rows than there are, and so many each: a key costs about as much to find
 * among those that were. */
#define REPEATS_MIN 64
#define REPEATS_SAMPLE 64
#define REPEATS_PAY 16

typedef struct run {
  const rdx_index *index;
  const rdx_column *lower, *upper; /* upper NULL: points */
  rdx_lookup_result_kind kind;
  bool stats;
  bool orders_probes; /* into an order that suits the index */
  bool unordered;     /* and answers may stay in it */
  const rdx_lookup_options *options;
  uint64_t max_rows; /* in a slice of more than one probe */
  bool by_prefix;    /* string keys that their prefixes do not tell apart */
  rdx_summing summing;
  const rdx_device_column *values;
  const rdx_included *included;        /* whose column `values` is; NULL: not the index's */
  const rdx_distinct_probes *distinct; /* what is looked up instead of these; NULL: the probes themselves */
  const rdx_probes *repeated;
  rdx_lookup_result *result;
} run;

/* ---- One pass ---- */

static rdx_index_query make_query(const run *r, const rdx_probes *probes, uint32_t gather) {
  rdx_index_query q = {
      .count = probes->count, .gather = gather, .lower = probes->lower, .upper = probes->upper, .valid = probes->valid};
  if (gather == GATHER_SUM || gather == GATHER_SUM_WIDE) {
    q.io.values = RDX_ADDRESS(uint32_t, r->values->keys);
    q.io.values_valid = RDX_ADDRESS(uint32_t, r->values->valid);
    q.value = rdx_value_kind(r->values->type);
    q.included = r->included;
  }
  return q;
}

/* Whether points find so many rows each, on average, that a GPU's threads had better share them as those of ranges. */
static bool has_long_runs(const rdx_index *index) {
  const rdx_index_stats *stats = &index->stats;
  return index->device->info.backend != RDX_BACKEND_CPU && stats->distinct_keys > 0 &&
         stats->keys / stats->distinct_keys >= LONG_MEAN;
}

/* Run one query between two marks and add its time to `*ms`. */
static rdx_status run_in_order(const run *r, rdx_stream *stream, const rdx_index_query *q, double *ms, rdx_error *err) {
  const bool count_only = q->gather == GATHER_COUNT && !q->io.out_first;
  const bool counts = q->gather == GATHER_COUNT || q->gather == GATHER_ANY;
  const bool gathers_runs = rdx_index_has_rows(r->index) && !counts && has_long_runs(r->index);
  if (!q->upper && (q->included || gathers_runs)) { /* points are ranges */
    rdx_index_query ranges = *q;
    ranges.upper = ranges.lower;
    return rdx_range_gather(r->index, stream, &ranges, ms, err);
  }
  if (q->upper && rdx_index_has_rows(r->index) && !count_only)
    return rdx_range_gather(r->index, stream, q, ms, err);
  bool done = false;
  if (q->upper && !count_only)
    RDX_TRY(rdx_range_rank(r->index, stream, q, &done, ms, err));
  if (q->upper && !count_only && !done)
    RDX_TRY(rdx_range_split(r->index, stream, q, &done, ms, err));
  if (done)
    return RDX_OK;
  RDX_TRY(rdx_stream_mark(stream, err));
  RDX_TRY(r->index->ops->query(r->index->self, stream, q, err));
  return rdx_stream_finish_timed(stream, ms, err);
}

/* The same, with answers in the order given. */
static rdx_status run_query(const run *r, rdx_stream *stream, const rdx_probes *probes, const rdx_index_query *q,
                            rdx_error *err) {
  double *ms = &r->result->stats.device_ms;
  const double start = rdx_now_ms();
  rdx_partition_map map;
  if (!probes->places && rdx_partition_helps(r->index, probes, q, &map)) {
    *ms += rdx_now_ms() - start;
    const rdx_status status = rdx_partition_query(r->index, stream, q, &map, ms, err);
    if (status != RDX_ERROR_DEVICE_MEMORY && status != RDX_ERROR_MEMORY)
      return status;
  }
  if (!probes->places)
    return run_in_order(r, stream, q, ms, err);
  RDX_SCOPED(rdx_probe_query_destroy) rdx_probe_query ordered = {0};
  RDX_TRY(rdx_probe_query_begin(probes, stream, q, &ordered, ms, err));
  RDX_TRY(run_in_order(r, stream, &ordered.query, ms, err));
  return rdx_probe_query_end(probes, stream, q, &ordered, ms, err);
}

static rdx_status new_buffer(const run *r, uint64_t count, uint64_t size, rdx_buffer **out, rdx_error *err) {
  return rdx_buffer_create(r->index->device, count * size, "the results of a lookup", out, err);
}

/* The sum of u32 `values`, or 0 for none. */
static rdx_status sum_up(const run *r, rdx_stream *stream, const rdx_buffer *values, uint64_t count, uint64_t *total,
                         rdx_error *err) {
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *out = NULL;
  RDX_TRY(new_buffer(r, 1, 8, &out, err));
  RDX_TRY(rdx_stream_reduce(stream, RDX_REDUCE_SUM, values, 4, out, count, err));
  RDX_TRY(rdx_stream_finish(stream, err));
  return rdx_buffer_download(out, 0, total, 8, err);
}

/* The sum of what the index counts for each probe; 0 where it counts no such thing. */
static rdx_status add_work(const run *r, rdx_stream *stream, const rdx_probes *probes,
                           rdx_status (*count)(const void *, rdx_stream *, const rdx_index_query *, rdx_error *),
                           uint64_t *total, double *ms, rdx_error *err) {
  if (!count)
    return RDX_OK;
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *out = NULL;
  uint64_t sum = 0;
  RDX_TRY(new_buffer(r, probes->count, 4, &out, err));
  rdx_index_query q = make_query(r, probes, GATHER_COUNT);
  q.io.out_count = RDX_ADDRESS(uint32_t, out);
  RDX_TRY(rdx_stream_mark(stream, err));
  RDX_TRY(count(r->index->self, stream, &q, err));
  RDX_TRY(rdx_stream_mark(stream, err));
  RDX_TRY(rdx_stream_finish(stream, err));
  *ms += rdx_stream_elapsed(stream, 0, 1);
  RDX_TRY(sum_up(r, stream, out, probes->count, &sum, err));
  *total += sum;
  return RDX_OK;
}

static rdx_status add_hits(const run *r, rdx_stream *stream, const rdx_buffer *counts, uint64_t probes,
                           rdx_error *err) {
  uint64_t hits = 0;
  RDX_TRY(sum_up(r, stream, counts, probes, &hits, err));
  r->result->stats.hits += hits;
  return RDX_OK;
}

/* Count what the statistics ask for: rays and visits by the index's own account, hits as the sum of counts. */
static rdx_status add_stats(const run *r, rdx_stream *stream, const rdx_probes *probes, const rdx_buffer *counts,
                            rdx_error *err) {
  if (!r->stats)
    return RDX_OK;
  if (!r->distinct)
    RDX_TRY(add_hits(r, stream, counts, probes->count, err));
  if (r->index->ops->visits_each)
    r->result->stats.visits += probes->count * r->index->ops->visits_each(r->index->self, probes->upper != NULL);
  rdx_lookup_stats *s = &r->result->stats;
  double visits_ms = 0;
  RDX_TRY(add_work(r, stream, probes, r->index->ops->count_rays, &s->rays, &s->trace_ms, err));
  return add_work(r, stream, probes, r->index->ops->count_visits, &s->visits, &visits_ms, err);
}

/* ---- Kinds of results ---- */

static rdx_status run_count(const run *r, rdx_stream *stream, const rdx_probes *probes, rdx_parts *parts,
                            rdx_error *err) {
  RDX_TRY(new_buffer(r, probes->count, 4, &parts->count, err));
  rdx_index_query q = make_query(r, probes, r->options->any ? GATHER_ANY : GATHER_COUNT);
  q.io.out_count = RDX_ADDRESS(uint32_t, parts->count);
  RDX_TRY(run_query(r, stream, probes, &q, err));
  return add_stats(r, stream, probes, parts->count, err);
}

/* RX, section 3.1 "a reserved miss value is written into the result array". */
static rdx_status run_first(const run *r, rdx_stream *stream, const rdx_probes *probes, rdx_parts *parts,
                            rdx_error *err) {
  RDX_TRY(new_buffer(r, probes->count, 4, &parts->first, err));
  if (r->stats)
    RDX_TRY(new_buffer(r, probes->count, 4, &parts->count, err));
  rdx_index_query q = make_query(r, probes, GATHER_COUNT);
  q.io.out_first = RDX_ADDRESS(uint32_t, parts->first);
  q.io.out_count = RDX_ADDRESS(uint32_t, parts->count);
  RDX_TRY(run_query(r, stream, probes, &q, err));
  return add_stats(r, stream, probes, parts->count, err);
}

/* The sum of one probe does not fit. */
static rdx_status fail_sum(const run *r, rdx_stream *stream, const rdx_probes *probes, uint64_t place, rdx_error *err) {
  uint64_t number = probes->begin + place;
  if (r->distinct)
    RDX_TRY(rdx_distinct_probes_name(r->distinct, r->index, stream, r->repeated, place, &number, err));
  return rdx_fail(err, RDX_ERROR_OVERFLOW, "the sum of probe %llu does not fit 64 bits", (unsigned long long)number);
}

/* Turn sums of halves into sums. */
static rdx_status join_wide_sums(const run *r, rdx_stream *stream, const rdx_probes *probes, rdx_parts *parts,
                                 rdx_error *err) {
  uint32_t bad = 0;
  RDX_TRY(rdx_sums_join(stream, r->values->type, &parts->sum, probes->count, &bad, err));
  return bad ? fail_sum(r, stream, probes, bad - 1, err) : RDX_OK;
}

/* Whether it is worth finding the rows of all probes first, and then their values: half the memory is looked at at a
 * time. */
static bool sums_rows(const run *r, const rdx_probes *probes) {
  return r->index->device->info.backend == RDX_BACKEND_CPU && r->index->stats.distinct && !probes->upper &&
         !r->included && r->values->keys;
}

/* Probes that match a row at most: its value is their sum. */
static rdx_status run_values(const run *r, rdx_stream *stream, const rdx_probes *probes, rdx_parts *parts,
                             rdx_error *err) {
  RDX_TRY(new_buffer(r, probes->count, 4, &parts->count, err));
  RDX_TRY(new_buffer(r, probes->count, 8, &parts->sum, err));
  rdx_index_query q = make_query(r, probes, GATHER_COUNT);
  q.io.out_first = RDX_ADDRESS(uint32_t, parts->count);
  RDX_TRY(run_query(r, stream, probes, &q, err));
  RDX_TRY(rdx_stream_mark(stream, err));
  RDX_TRY(rdx_primitive_values(stream, parts->count, RDX_ADDRESS(uint32_t, r->values->keys),
                               RDX_ADDRESS(uint32_t, r->values->valid), rdx_value_kind(r->values->type), parts->sum,
                               probes->count, err));
  RDX_TRY(rdx_stream_finish_timed(stream, &r->result->stats.device_ms, err));
  return add_stats(r, stream, probes, parts->count, err);
}

static rdx_status run_sum(const run *r, rdx_stream *stream, const rdx_probes *probes, rdx_parts *parts,
                          rdx_error *err) {
  const bool wide = r->summing == RDX_SUM_WIDE;
  if (sums_rows(r, probes))
    return run_values(r, stream, probes, parts, err);
  RDX_TRY(new_buffer(r, probes->count, 4, &parts->count, err));
  RDX_TRY(new_buffer(r, probes->count, wide ? 16 : 8, &parts->sum, err));
  rdx_index_query q = make_query(r, probes, wide ? GATHER_SUM_WIDE : GATHER_SUM);
  q.io.out_count = RDX_ADDRESS(uint32_t, parts->count);
  q.io.out_sum = RDX_ADDRESS(uint64_t, parts->sum);
  RDX_TRY(run_query(r, stream, probes, &q, err));
  if (wide)
    RDX_TRY(join_wide_sums(r, stream, probes, parts, err));
  return add_stats(r, stream, probes, parts->count, err);
}

static rdx_status repeats_pay(const run *r, rdx_stream *stream, const rdx_probes *probes, bool *out, rdx_error *err);
static rdx_status run_repeated(const run *r, rdx_stream *stream, const rdx_probes *probes, rdx_parts *parts,
                               rdx_error *err);

/* How many rows each probe has. */
static rdx_status count_each(const run *r, rdx_stream *stream, const rdx_probes *probes, rdx_buffer **counts,
                             rdx_error *err) {
  bool repeats = false;
  run count = *r;
  count.kind = RDX_LOOKUP_COUNT;
  count.stats = false;
  if (!r->distinct && !probes->places) /* in their own order */
    RDX_TRY(repeats_pay(&count, stream, probes, &repeats, err));
  if (repeats) {
    RDX_SCOPED(rdx_parts_destroy) rdx_parts parts = {0};
    RDX_TRY(run_repeated(&count, stream, probes, &parts, err));
    *counts = parts.count;
    parts.count = NULL;
    return RDX_OK;
  }
  RDX_TRY(new_buffer(r, probes->count, 4, counts, err));
  rdx_index_query q = make_query(r, probes, GATHER_COUNT);
  q.io.out_count = RDX_ADDRESS(uint32_t, *counts);
  return run_query(r, stream, probes, &q, err);
}

/* Where the rows of each probe go: count, then scan. */
static rdx_status place_rows(const run *r, rdx_stream *stream, const rdx_probes *probes, rdx_parts *parts,
                             uint64_t *max, rdx_error *err) {
  const uint64_t keys = r->index->stats.keys;
  RDX_TRY(new_buffer(r, probes->count + 1, 8, &parts->offsets, err));
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *counts = NULL, *largest = NULL;
  RDX_TRY(count_each(r, stream, probes, &counts, err));
  RDX_TRY(new_buffer(r, 1, 8, &largest, err));
  RDX_TRY(rdx_stream_scan(stream, counts, parts->offsets, probes->count, err));
  RDX_TRY(rdx_stream_reduce(stream, RDX_REDUCE_MAX, counts, 4, largest, probes->count, err));
  RDX_TRY(rdx_stream_finish(stream, err));
  RDX_TRY(rdx_buffer_number(largest, 0, 0, keys, "the matches of a probe", max, err));
  RDX_TRY(rdx_buffer_number(parts->offsets, probes->count * 8, 0, probes->count * *max, "the matches of probes",
                            &parts->row_count, err));
  return add_stats(r, stream, probes, counts, err);
}

static rdx_status order_rows(const run *r, rdx_stream *stream, const rdx_probes *probes, rdx_parts *parts,
                             rdx_error *err) {
  const double start = rdx_now_ms();
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *pairs = NULL;
  RDX_TRY(new_buffer(r, parts->row_count, 8, &pairs, err));
  RDX_TRY(rdx_primitive_order(stream, parts->offsets, parts->rows, probes->count, parts->row_count, pairs, err));
  RDX_TRY(rdx_stream_finish(stream, err));
  r->result->stats.refine_ms += rdx_now_ms() - start;
  return RDX_OK;
}

/* Whether all rows end up on the host, exact as they are. */
static bool keeps_rows(const run *r) {
  return r->kind == RDX_LOOKUP_ROWS && !r->by_prefix && !r->options->marks && !r->options->sink.take;
}

static rdx_status run_rows(const run *r, rdx_stream *stream, const rdx_probes *probes, rdx_parts *parts,
                           rdx_error *err) {
  uint64_t max = 0;
  RDX_TRY(place_rows(r, stream, probes, parts, &max, err));
  if (parts->row_count > UINT32_MAX || (parts->row_count > r->max_rows && probes->count > 1)) /* make it smaller */
    return rdx_fail(err, RDX_ERROR_DEVICE_MEMORY, "%llu rows match", (unsigned long long)parts->row_count);
  if (keeps_rows(r))
    RDX_TRY(rdx_expect_rows(r->index->device, parts->row_count, r->options, err));
  RDX_TRY(new_buffer(r, parts->row_count, 4, &parts->rows, err));
  rdx_index_query q = make_query(r, probes, GATHER_ROWS);
  q.matches = parts->row_count;
  q.io.offsets = RDX_ADDRESS(uint64_t, parts->offsets);
  q.io.out_rows = RDX_ADDRESS(uint32_t, parts->rows);
  RDX_TRY(run_query(r, stream, probes, &q, err));
  const rdx_index_ops *ops = r->index->ops;
  const bool on_cpu = r->index->device->info.backend == RDX_BACKEND_CPU;
  if (max <= 1 || ((ops->rows_in_order || (ops->rows_in_order_on_cpu && on_cpu)) && !probes->upper))
    return RDX_OK;
  return order_rows(r, stream, probes, parts, err);
}

static rdx_status run_floats(const run *r, rdx_stream *stream, const rdx_probes *probes, rdx_parts *parts,
                             rdx_error *err) {
  RDX_TRY(run_rows(r, stream, probes, parts, err));
  const double start = rdx_now_ms();
  RDX_TRY(new_buffer(r, probes->count, 4, &parts->count, err));
  RDX_TRY(new_buffer(r, probes->count, 8, &parts->sum, err));
  const primitive_floats_args args = {.offsets = RDX_ADDRESS(uint64_t, parts->offsets),
                                      .rows = RDX_ADDRESS(uint32_t, parts->rows),
                                      .values = RDX_ADDRESS(uint32_t, r->values->keys),
                                      .values_valid = RDX_ADDRESS(uint32_t, r->values->valid),
                                      .sums = RDX_ADDRESS(double, parts->sum),
                                      .counts = RDX_ADDRESS(uint32_t, parts->count)};
  RDX_TRY(rdx_primitive_floats(stream, &args, r->values->type == RDX_TYPE_F64, probes->count, err));
  RDX_TRY(rdx_stream_finish(stream, err));
  RDX_DESTROY_BUFFERS(&parts->offsets, &parts->rows);
  r->result->stats.refine_ms += rdx_now_ms() - start;
  return RDX_OK;
}

static rdx_status run_parts(const run *r, rdx_stream *stream, const rdx_probes *probes, rdx_parts *parts,
                            rdx_error *err) {
  if (r->by_prefix)
    return run_rows(r, stream, probes, parts, err);
  switch (r->kind) {
  case RDX_LOOKUP_COUNT:
    return run_count(r, stream, probes, parts, err);
  case RDX_LOOKUP_FIRST:
    return run_first(r, stream, probes, parts, err);
  case RDX_LOOKUP_SUM:
    return r->summing == RDX_SUM_FLOATS ? run_floats(r, stream, probes, parts, err)
                                        : run_sum(r, stream, probes, parts, err);
  case RDX_LOOKUP_ROWS:
    return run_rows(r, stream, probes, parts, err);
  }
  return RDX_ERROR_INTERNAL; /* the front end has checked the kind */
}

/* ---- Probes that repeat ---- */

/* Whether many probes for one key could cost more than the key's rows do once. */
static bool may_repeat(const run *r, const rdx_probes *probes) {
  const rdx_index *index = r->index;
  const bool sums = r->kind == RDX_LOOKUP_SUM && !r->included;
  if (probes->upper || (r->options->any && !index->ops->count_rays) || probes->count < REPEATS_MIN ||
      !index->stats.long_runs || r->by_prefix)
    return false;
  if (sums && r->summing != RDX_SUM_FLOATS && rdx_index_has_rows(index) && has_long_runs(index)) /* if it pays */
    return false;
  return sums || r->kind == RDX_LOOKUP_FIRST || (r->kind == RDX_LOOKUP_COUNT && !index->ops->counts_runs);
}

static rdx_status look_up_distinct(const run *r, rdx_stream *stream, rdx_distinct_probes *distinct, rdx_parts *found,
                                   rdx_error *err) {
  if (r->index->ops->radix_bits)
    RDX_TRY(rdx_probes_order(r->index, stream, &distinct->probes, false, &r->result->stats.device_ms, err));
  return run_parts(r, stream, &distinct->probes, found, err);
}

static rdx_status run_repeated(const run *r, rdx_stream *stream, const rdx_probes *probes, rdx_parts *parts,
                               rdx_error *err) {
  double *ms = &r->result->stats.device_ms;
  RDX_SCOPED(rdx_distinct_probes_destroy) rdx_distinct_probes distinct = {0};
  RDX_SCOPED(rdx_parts_destroy) rdx_parts found = {0};
  RDX_TRY(rdx_distinct_probes_create(r->index, stream, probes, &distinct, ms, err));
  run once = *r;
  once.distinct = &distinct;
  once.repeated = probes;
  RDX_TRY(look_up_distinct(&once, stream, &distinct, &found, err));
  RDX_TRY(rdx_distinct_probes_expand(&distinct, r->index, stream, probes, &found, parts, ms, err));
  return r->stats ? add_hits(r, stream, parts->count, probes->count, err) : RDX_OK;
}

/* The rows that a sample of the probes finds. */
static rdx_status count_sample(const run *r, rdx_stream *stream, const rdx_probes *sample, uint64_t *rows,
                               rdx_error *err) {
  RDX_SCOPED(rdx_parts_destroy) rdx_parts parts = {0};
  run count = *r;
  count.kind = RDX_LOOKUP_COUNT;
  count.stats = false;
  RDX_TRY(run_repeated(&count, stream, sample, &parts, err));
  return sum_up(r, stream, parts.count, sample->count, rows, err);
}

/* Whether many probes of a sample repeat others: where a first match will do, rows do not count, but rays do. */
static rdx_status many_repeat(const run *r, rdx_stream *stream, const rdx_probes *sample, bool *out, rdx_error *err) {
  RDX_SCOPED(rdx_distinct_probes_destroy) rdx_distinct_probes distinct = {0};
  RDX_TRY(rdx_distinct_probes_create(r->index, stream, sample, &distinct, &r->result->stats.device_ms, err));
  *out = distinct.probes.count <= sample->count / 4 * 3;
  return RDX_OK;
}

/* Whether it is expected to be cheaper to look up each distinct probe once. */
static rdx_status repeats_pay(const run *r, rdx_stream *stream, const rdx_probes *probes, bool *out, rdx_error *err) {
  *out = false;
  if (!may_repeat(r, probes))
    return RDX_OK;
  const uint64_t some = probes->count / REPEATS_SAMPLE;
  const uint64_t size = some < REPEATS_MIN ? REPEATS_MIN : some;
  uint64_t rows = 0;
  RDX_SCOPED(rdx_probes_destroy) rdx_probes sample = {0};
  RDX_TRY(rdx_probes_sample(r->index, stream, probes, size, &sample, err));
  if (r->options->any)
    return many_repeat(r, stream, &sample, out, err);
  RDX_TRY(count_sample(r, stream, &sample, &rows, err));
  *out =
      rows / size > REPEATS_PAY && (double)rows / (double)size * (double)probes->count > (double)r->index->stats.keys;
  return RDX_OK;
}

static rdx_status run_probes(const run *r, rdx_stream *stream, rdx_probes *probes, rdx_parts *parts, rdx_error *err) {
  bool repeats = false;
  if (r->options->marks && !r->by_prefix) {
    RDX_TRY(rdx_probes_make_disjoint(r->index, stream, probes, &r->result->stats.device_ms, err));
    if (probes->count == 0)
      return RDX_OK;
  }
  RDX_TRY(repeats_pay(r, stream, probes, &repeats, err));
  if (repeats)
    return run_repeated(r, stream, probes, parts, err);
  if (r->orders_probes)
    RDX_TRY(rdx_probes_order(r->index, stream, probes, r->unordered, &r->result->stats.device_ms, err));
  return run_parts(r, stream, probes, parts, err);
}

/* ---- Slices ---- */

static rdx_status run_all(run *r, rdx_error *err);

static rdx_status run_slice(const run *r, uint64_t begin, uint64_t count, rdx_parts *parts, rdx_error *err) {
  const double start = rdx_now_ms();
  RDX_SCOPED(rdx_parts_destroy) rdx_parts made = {0};
  RDX_SCOPED(rdx_probes_destroy) rdx_probes probes = {0};
  RDX_SCOPED(rdx_stream_destroy) rdx_stream *stream = NULL;
  RDX_TRY(rdx_probes_create(r->index, r->lower, r->upper, begin, count, &probes, err));
  if (probes.bytes > 0)
    r->result->stats.upload_ms += rdx_now_ms() - start;
  r->result->stats.bytes_uploaded += probes.bytes;
  RDX_TRY(rdx_stream_create_for(r->index->device, "lookup", &stream, err));
  RDX_TRY(run_probes(r, stream, &probes, &made, err));
  if (r->kind == RDX_LOOKUP_FIRST) /* counted for the stats only */
    rdx_buffer_destroy(&made.count);
  *parts = RDX_KEEP(made);
  return RDX_OK;
}

/* Turn a slice's rows found by prefix into its exact answers, and add them to the host's arrays of `out`. */
static rdx_status refine_text(const run *r, uint64_t begin, uint64_t count, rdx_parts *parts, rdx_lookup_result *out,
                              rdx_error *err) {
  const double start = rdx_now_ms();
  rdx_column keys[2] = {rdx_column_on_host(r->lower), r->upper ? rdx_column_on_host(r->upper) : (rdx_column){0}};
  RDX_SCOPED(rdx_free_local) uint64_t *offsets = NULL;
  RDX_SCOPED(rdx_free_local) uint32_t *rows = NULL;
  RDX_TRY(rdx_parts_download_rows(parts, count, r->index->stats.rows, &offsets, &rows, err));
  rdx_parts_destroy(parts);
  rdx_strings_refine(r->index->text, &keys[0], r->upper ? &keys[1] : NULL, begin, count, offsets, rows);
  RDX_TRY(rdx_lookup_result_append_rows(out, r->values, count, offsets, rows, err));
  r->result->stats.refine_ms += rdx_now_ms() - start;
  return RDX_OK;
}

static rdx_status append(const run *r, uint64_t begin, uint64_t count, rdx_parts *parts, rdx_lookup_result *out,
                         rdx_error *err) {
  return r->by_prefix ? refine_text(r, begin, count, parts, out, err)
                      : rdx_lookup_result_append(out, count, parts, err);
}

static void mark(const uint32_t *rows, uint64_t count, uint32_t *marks) {
  for (uint64_t k = 0; k < count; k++)
    marks[rows[k] / 32] |= 1u << rows[k] % 32;
}

/* Give a slice's rows away. */
static rdx_status pass_on(const run *r, uint64_t begin, uint64_t count, rdx_parts *parts, rdx_error *err) {
  const rdx_rows_sink *sink = &r->options->sink;
  RDX_SCOPED(rdx_lookup_result_destroy) rdx_lookup_result *part = NULL;
  rdx_lookup_view view = {0};
  RDX_TRY(rdx_lookup_result_create(r->index->device, RDX_LOOKUP_ROWS, count, r->index->stats.rows, &part, err));
  RDX_TRY(append(r, begin, count, parts, part, err));
  RDX_TRY(rdx_lookup_result_view(part, &view, err));
  if (!r->options->marks)
    return sink->take(sink->context, begin, &view, err);
  mark(view.rows, view.offsets[count], r->options->marks);
  return RDX_OK;
}

/* The rows of disjoint probes, which are not those given. */
static rdx_status mark_disjoint(const run *r, rdx_parts *parts, rdx_error *err) {
  RDX_SCOPED(rdx_free_local) uint32_t *rows = NULL;
  RDX_TRY(rdx_alloc(parts->row_count, 4, "the rows that match", (void **)&rows, err));
  if (parts->rows) { /* else no probe was left */
    RDX_TRY(rdx_buffer_download(parts->rows, 0, rows, parts->row_count * 4, err));
    RDX_TRY(
        rdx_returned_u32s(r->index->device, rows, parts->row_count, r->index->stats.rows - 1, "the row of a key", err));
  }
  mark(rows, parts->row_count, r->options->marks);
  return RDX_OK;
}

static rdx_status take_slice(const run *r, uint64_t begin, uint64_t count, rdx_parts *parts, rdx_error *err) {
  if (r->options->marks && !r->by_prefix)
    return mark_disjoint(r, parts, err);
  if (r->options->marks || r->options->sink.take)
    return pass_on(r, begin, count, parts, err);
  return append(r, begin, count, parts, r->result, err);
}

/* Run in slices, joining on the host; a slice that does not fit is cut in half. */
static rdx_status run_slices(const run *r, uint64_t total, uint64_t slice, rdx_error *err) {
  uint64_t begin = 0;
  while (begin < total) {
    const uint64_t count = total - begin < slice ? total - begin : slice;
    RDX_SCOPED(rdx_parts_destroy) rdx_parts parts = {0};
    const rdx_status status = run_slice(r, begin, count, &parts, err);
    if (status == RDX_ERROR_DEVICE_MEMORY && count > 1) {
      slice = count / 2;
      continue;
    }
    RDX_TRY(status);
    RDX_TRY(take_slice(r, begin, count, &parts, err));
    begin += count;
    RDX_TRY(rdx_progress("lookup", begin, total, err));
  }
  return RDX_OK;
}

/* How many rows each probe has, on the host; by prefix: how many at most. */
static rdx_status count_rows(const run *r, rdx_lookup_result **out, rdx_lookup_view *view, rdx_error *err) {
  static const rdx_lookup_options none = {0};
  RDX_SCOPED(rdx_lookup_result_destroy) rdx_lookup_result *counted = NULL;
  const rdx_index_stats *stats = &r->index->stats;
  RDX_TRY(rdx_lookup_result_create(r->index->device, RDX_LOOKUP_COUNT, r->lower->rows, stats->rows, &counted, err));
  run count = *r;
  count.kind = RDX_LOOKUP_COUNT;
  count.summing = RDX_SUM_NONE;
  count.stats = count.by_prefix = count.unordered = false;
  count.values = NULL;
  count.included = NULL;
  count.options = &none;
  count.result = counted;
  RDX_TRY(run_all(&count, err));
  RDX_TRY(rdx_lookup_result_view(counted, view, err));
  RDX_TRY(rdx_returned_u32s(r->index->device, view->count, view->probes, stats->keys, "the matches of a probe", err));
  r->result->stats.device_ms += counted->stats.device_ms;
  *out = RDX_KEEP(counted);
  return RDX_OK;
}

/* The probes from `begin` on that have so many rows together, at least one. */
static uint64_t cut_slice(const rdx_lookup_view *counts, uint64_t begin, uint64_t max_probes, uint64_t max_rows) {
  uint64_t count = 0, rows = 0;
  while (begin + count < counts->probes && count < max_probes) {
    rows += counts->count[begin + count];
    if (rows > max_rows && count > 0)
      break;
    count++;
  }
  return count;
}

static rdx_status run_counted(run *r, const rdx_lookup_view *counts, uint64_t max_probes, rdx_error *err) {
  uint64_t begin = 0, rows = 0;
  for (uint64_t i = 0; i < counts->probes; i++)
    rows += counts->count[i];
  if (keeps_rows(r)) {
    RDX_TRY(rdx_expect_rows(r->index->device, rows, r->options, err));
    RDX_TRY(rdx_lookup_result_reserve_rows(r->result, rows, err));
  }
  while (begin < counts->probes) {
    const uint64_t count = cut_slice(counts, begin, max_probes, r->max_rows);
    RDX_SCOPED(rdx_parts_destroy) rdx_parts parts = {0};
    const rdx_status status = run_slice(r, begin, count, &parts, err);
    if (status == RDX_ERROR_DEVICE_MEMORY && count > 1) {
      max_probes = count / 2;
      continue;
    }
    RDX_TRY(status);
    RDX_TRY(take_slice(r, begin, count, &parts, err));
    begin += count;
    RDX_TRY(rdx_progress("lookup", begin, counts->probes, err));
  }
  return RDX_OK;
}

/* Count first, so that slices have few enough rows. */
static rdx_status run_by_counts(run *r, uint64_t max_probes, rdx_error *err) {
  RDX_SCOPED(rdx_lookup_result_destroy) rdx_lookup_result *counted = NULL;
  rdx_lookup_view counts;
  r->max_rows = rdx_part_rows(r->index->device, r->options->bytes_more);
  RDX_TRY(count_rows(r, &counted, &counts, err));
  return run_counted(r, &counts, max_probes, err);
}

static rdx_status run_all(run *r, rdx_error *err) {
  /* Kernels number probes, and words of them, in u32: of sums that are put back into order there are four. */
  const uint64_t total = r->lower->rows, max = r->orders_probes ? 1ull << 29 : 1ull << 31;
  r->max_rows = UINT32_MAX;
  if (total > 0 && (r->by_prefix || r->options->sink.take))
    return run_by_counts(r, r->by_prefix ? PREFIX_PROBES : max, err);
  if (total == 0 || total > max || r->options->marks)
    return run_slices(r, total, max, err);
  rdx_parts parts = {0};
  rdx_status status = run_slice(r, 0, total, &parts, err);
  if (status == RDX_ERROR_DEVICE_MEMORY && total > 1) {
    rdx_lookup_result_restart(r->result);
    return r->kind == RDX_LOOKUP_ROWS ? run_by_counts(r, max, err) : run_slices(r, total, total / 2, err);
  }
  RDX_TRY(status);
  rdx_lookup_result_take(r->result, &parts);
  return RDX_OK;
}

/* ---- Checks ---- */

/* Choose how to add a column's values. */
static rdx_status plan_sum(run *r, rdx_error *err) {
  return rdx_summing_choose(r->index->device, r->values, r->by_prefix, &r->summing, r->result, err);
}

static rdx_status check(const rdx_index *index, const rdx_column *lower, const rdx_column *upper,
                        const rdx_lookup_params *params, rdx_error *err) {
  if (params->result > RDX_LOOKUP_ROWS)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "unknown result kind %d", (int)params->result);
  if (params->result == RDX_LOOKUP_SUM ? !params->values && !index->included : params->values != NULL)
    return rdx_fail(err, RDX_ERROR_ARGUMENT,
                    "a value column goes with RDX_LOOKUP_SUM and with nothing else; it may be one that the index "
                    "includes");
  if (params->each && params->result != RDX_LOOKUP_ROWS)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "only RDX_LOOKUP_ROWS comes in parts");
  RDX_TRY(rdx_summing_check_rows(params->values, index->stats.rows, err));
  RDX_TRY(rdx_column_check_view(lower, "the probes", err));
  if (upper)
    RDX_TRY(rdx_column_check_view(upper, "the probes", err));
  if (upper && upper->rows != lower->rows)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "there are %llu lower and %llu upper bounds",
                    (unsigned long long)lower->rows, (unsigned long long)upper->rows);
  if (upper && index->ops->points_only)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED,
                    "%s: a hash table keeps no order, so it answers point lookups only; build another index for ranges",
                    index->ops->name);
  const char *refused = index->ops->refuse ? index->ops->refuse(index->self, upper != NULL,
                                                                params->result == RDX_LOOKUP_FIRST && !params->stats)
                                           : NULL;
  return refused ? rdx_fail(err, RDX_ERROR_UNSUPPORTED, "%s", refused) : RDX_OK;
}

static rdx_status look_up_keys(const rdx_index *index, const rdx_column *lower, const rdx_column *upper,
                               const rdx_lookup_params *params, const rdx_lookup_options *options,
                               rdx_lookup_result **out, rdx_error *err) {
  const double start = rdx_now_ms();
  RDX_SCOPED(rdx_lookup_result_destroy) rdx_lookup_result *result = NULL;
  RDX_SCOPED(rdx_device_column_destroy) rdx_device_column *owned = NULL;
  RDX_TRY(rdx_lookup_result_create(index->device, params->result, lower->rows, index->stats.rows, &result, err));
  run r = {.index = index,
           .lower = lower,
           .upper = upper,
           .kind = params->result,
           .stats = params->stats,
           .options = options,
           .result = result};
  r.by_prefix = index->stats.key_type == RDX_TYPE_STRING && !index->text->exact;
  r.orders_probes = params->sort_probes || index->ops->radix_bits;
  if (params->values)
    RDX_TRY(rdx_device_column_use(index->device, params->values, &r.values, &owned, err));
  if (owned) {
    result->stats.upload_ms += rdx_now_ms() - start;
    result->stats.bytes_uploaded += owned->rows * owned->key_bits / 8;
  }
  if (params->result == RDX_LOOKUP_SUM && !params->values) {
    r.included = index->included;
    r.values = &index->included->column;
  }
  if (r.values)
    RDX_TRY(plan_sum(&r, err));
  /* Rows and first rows belong to their probes; so do sums that may name a probe, or depend on their order. */
  r.unordered = options->unordered && !r.by_prefix && (r.kind == RDX_LOOKUP_COUNT || r.summing == RDX_SUM_PLAIN);
  RDX_TRY(run_all(&r, err));
  result->stats.total_ms = rdx_now_ms() - start;
  result->given_away = options->marks || options->sink.take;
  *out = RDX_KEEP(result);
  return RDX_OK;
}

static rdx_status look_up_text(const rdx_index *index, const rdx_column *lower, const rdx_column *upper,
                               const rdx_lookup_params *params, const rdx_lookup_options *options,
                               rdx_lookup_result **out, rdx_error *err) {
  const double start = rdx_now_ms();
  RDX_SCOPED(rdx_text_probes_drop) rdx_text_probes probes = {0};
  RDX_TRY(rdx_text_probes_make(index->dictionary, lower, upper, &probes, err));
  const double coding = rdx_now_ms() - start;
  RDX_TRY(look_up_keys(index, &probes.lower, upper ? &probes.upper : NULL, params, options, out, err));
  (*out)->stats.refine_ms += coding;
  (*out)->stats.total_ms += coding;
  return RDX_OK;
}

/* Hands parts to a function that cannot fail. */
static rdx_status call_each(void *context, uint64_t first, const rdx_lookup_view *part, rdx_error *err) {
  const rdx_lookup_params *params = context;
  return params->each(params->each_user, first, part)
             ? rdx_fail(err, RDX_ERROR_CANCELLED, "cancelled by the function that gets the rows")
             : RDX_OK;
}

rdx_status rdx_index_look_up_for(const rdx_index *index, const rdx_column *lower, const rdx_column *upper,
                                 const rdx_lookup_params *params, const rdx_lookup_options *options,
                                 rdx_lookup_result **out, rdx_error *err) {
  static const rdx_lookup_params defaults = {0};
  params = params ? params : &defaults;
  RDX_TRY(check(index, lower, upper, params, err));
  rdx_lookup_options used = *options;
  if (params->each)
    used.sink = (rdx_rows_sink){call_each, (void *)(uintptr_t)params};
  return (index->dictionary ? look_up_text : look_up_keys)(index, lower, upper, params, &used, out, err);
}

static const rdx_lookup_options ordinary = {0};

/* RX, section 3.1 "batch lookups". */
rdx_status rdx_index_lookup(const rdx_index *index, const rdx_column *probes, const rdx_lookup_params *params,
                            rdx_lookup_result **out, rdx_error *err) {
  if (!index || !probes || !out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_index_lookup: index, probes and out must not be NULL");
  RDX_TRY(rdx_index_check_single(index, "rdx_index_lookup()", err));
  return rdx_index_look_up_for(index, probes, NULL, params, &ordinary, out, err);
}

rdx_status rdx_index_range(const rdx_index *index, const rdx_column *lower, const rdx_column *upper,
                           const rdx_lookup_params *params, rdx_lookup_result **out, rdx_error *err) {
  if (!index || !lower || !upper || !out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_index_range: index, lower, upper and out must not be NULL");
  RDX_TRY(rdx_index_check_single(index, "rdx_index_range()", err));
  return rdx_index_look_up_for(index, lower, upper, params, &ordinary, out, err);
}

/* ---- Included columns ---- */

static rdx_status include(rdx_index *index, const rdx_device_column *values, rdx_error *err) {
  run r = {.index = index, .values = values, .result = &(rdx_lookup_result){0}};
  RDX_TRY(plan_sum(&r, err));
  if (r.summing == RDX_SUM_FLOATS)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "floats are summed in the order of rows: an index cannot include them");
  rdx_included *included = NULL;
  RDX_TRY(rdx_included_create(index, values, rdx_value_kind(values->type), &included, err));
  index->stats.bytes_resident += included->bytes - (index->included ? index->included->bytes : 0);
  rdx_included_destroy(&index->included);
  index->included = included;
  return RDX_OK;
}

rdx_status rdx_index_include(rdx_index *index, const rdx_column *values, rdx_error *err) {
  if (!index)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_index_include: index must not be NULL");
  if (!values) {
    index->stats.bytes_resident -= index->included ? index->included->bytes : 0;
    rdx_included_destroy(&index->included);
    return RDX_OK;
  }
  if (!rdx_index_has_rows(index))
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED,
                    "%s cannot include a column, as it was built: use sorted_array, tree, or cgrx, cgrx_naive or "
                    "rx_optimized without published",
                    index->ops->name);
  if (index->dictionary || (index->text && !index->text->exact))
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED,
                    "an index over strings of more than eight bytes, or with a zero byte, cannot include a column");
  const rdx_device_column *column = NULL;
  RDX_SCOPED(rdx_device_column_destroy) rdx_device_column *owned = NULL;
  RDX_TRY(rdx_summing_check_rows(values, index->stats.rows, err));
  RDX_TRY(rdx_device_column_use(index->device, values, &column, &owned, err));
  return include(index, column, err);
}
