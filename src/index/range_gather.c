/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Range lookups among sorted entries in two steps: the index finds spans of entries, and kernels/range_gather gathers
 * over them. */

#include "index/range_gather.h"

#include "index/probes.h"
#include "index/repeats.h"
#include "kernels/range_gather/kernels.h"

/* Spans of on average so many entries are walked by several threads side by side. */
#define LONG_SPAN 4

/* The kernel for so many entries in so many spans, and its threads for each. */
static const rdx_kernel *kernel_for(const rdx_device *device, uint64_t total, uint64_t ranges, uint32_t *lanes) {
  const bool few = total < LONG_SPAN * ranges || device->info.threads < 8; /* of a subgroup */
  *lanes = few ? 1 : total < 2 * LONG_SPAN * ranges ? 4 : 8;
  return *lanes == 1   ? &rdx_kernel_range_gather_1
         : *lanes == 4 ? &rdx_kernel_range_gather_4
                       : &rdx_kernel_range_gather_8;
}

/* Prefix sums, and minima for first rows, pay where spans have so many times the entries that there are: each entry of
 * a span costs a value fetched from anywhere, and so does each entry there is to make them. */
#define PREFIX_PAYS 2

typedef struct ranges {
  const rdx_index *index;
  const rdx_index_query *query;
  rdx_row_layout rows;
  rdx_buffer *begin, *size;
  uint64_t total;
} ranges;

static bool is_sum(const rdx_index_query *q) {
  return q->gather == GATHER_SUM || q->gather == GATHER_SUM_WIDE;
}

static rdx_status locate(const ranges *s, rdx_stream *stream, rdx_error *err) {
  const rdx_index_query *q = s->query;
  const rdx_index_query where = {.count = q->count,
                                 .gather = GATHER_COUNT,
                                 .lower = q->lower,
                                 .upper = q->upper,
                                 .valid = q->valid,
                                 .io.out_first = RDX_ADDRESS(uint32_t, s->begin),
                                 .io.out_count = RDX_ADDRESS(uint32_t, s->size)};
  return s->index->ops->query(s->index->self, stream, &where, err);
}

/* Find the spans, and how many entries they have in all. */
static rdx_status find(ranges *s, rdx_stream *stream, double *ms, rdx_error *err) {
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *total = NULL;
  RDX_TRY(rdx_buffer_create(s->index->device, 8, "the total of spans", &total, err));
  RDX_TRY(rdx_stream_mark(stream, err));
  RDX_TRY(locate(s, stream, err));
  RDX_TRY(rdx_stream_reduce(stream, RDX_REDUCE_SUM, s->size, 4, total, s->query->count, err));
  RDX_TRY(rdx_stream_finish_timed(stream, ms, err));
  return rdx_buffer_number(total, 0, 0, s->query->count * s->index->stats.keys, "the entries of ranges", &s->total,
                           err);
}

/* ---- Entry by entry ---- */

static rdx_status walk(const ranges *s, rdx_stream *stream, rdx_error *err) {
  const rdx_index_query *q = s->query;
  const struct range_gather_args args = {.begin = RDX_ADDRESS(uint32_t, s->begin),
                                         .size = RDX_ADDRESS(uint32_t, s->size),
                                         .words = RDX_ADDRESS(uint32_t, s->rows.words),
                                         .io = q->io,
                                         .block_words = s->rows.block_words,
                                         .first_word = s->rows.first_word,
                                         .step = s->rows.step};
  uint32_t variant[3] = {q->gather, q->value};
  const rdx_kernel *kernel = kernel_for(s->index->device, s->total, q->count, &variant[2]);
  return rdx_stream_launch(stream, kernel, &args, variant, q->count, NULL, err);
}

/* ---- In pieces ---- */

/* A span that a few threads walk along takes the longer the longer it is, whatever the device: long ones are shared.
 * Few spans are long where their mean is; of many, one may be, and only many entries in all are worth asking. */
#define FEW_SPANS (1u << 16)
#define LONG_MEAN 4096
#define MANY_ENTRIES (1u << 25)
#define VERY_LONG (1u << 20)
#define MIN_PIECE 64
#define PIECES_LOG 17 /* so many pieces beside one for each span */

typedef struct pieces {
  rdx_buffer *counts, *begin, *size;
  rdx_range_pieces found;
} pieces;

static uint64_t smaller(uint64_t x, uint64_t y) {
  return x < y ? x : y;
}

static rdx_status longest_span(const ranges *s, rdx_stream *stream, uint64_t *out, rdx_error *err) {
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *longest = NULL;
  RDX_TRY(rdx_buffer_create(s->index->device, 8, "the longest of spans", &longest, err));
  RDX_TRY(rdx_stream_reduce(stream, RDX_REDUCE_MAX, s->size, 4, longest, s->query->count, err));
  RDX_TRY(rdx_stream_finish(stream, err));
  return rdx_buffer_number(longest, 0, 0, s->index->stats.keys, "the longest of spans", out, err);
}

/* Where launches are limited for tests, small data is cut, too. */
static rdx_status has_long_spans(const ranges *s, rdx_stream *stream, bool *out, rdx_error *err) {
  const uint64_t limit = s->index->device->launch_limit ? s->index->device->launch_limit : UINT64_MAX;
  const uint64_t count = s->query->count;
  uint64_t longest = 0;
  *out = count > 0 && count < FEW_SPANS && s->total / count >= smaller(LONG_MEAN, limit / 32);
  if (*out || s->total < smaller(MANY_ENTRIES, limit))
    return RDX_OK;
  RDX_TRY(longest_span(s, stream, &longest, err));
  *out = longest >= smaller(VERY_LONG, limit / 8);
  return RDX_OK;
}

static void drop_pieces(pieces *p) {
  RDX_DESTROY_BUFFERS(&p->counts, &p->begin, &p->size);
  rdx_range_pieces_destroy(&p->found);
}

static rdx_status make_pieces(const ranges *s, uint64_t count, pieces *p, rdx_error *err) {
  rdx_device *device = s->index->device;
  RDX_TRY(rdx_buffer_create(device, 4 * s->query->count, "pieces of spans", &p->counts, err));
  RDX_TRY(rdx_buffer_create(device, 4 * count, "pieces of spans", &p->begin, err));
  RDX_TRY(rdx_buffer_create(device, 4 * count, "pieces of spans", &p->size, err));
  return rdx_range_pieces_create(s->index, s->query, count, &p->found, err);
}

static rdx_status cut(const ranges *s, rdx_stream *stream, const pieces *p, uint64_t count, uint32_t length,
                      rdx_error *err) {
  const rdx_index_query *q = s->query;
  const struct range_pieces_args args = {.begin = RDX_ADDRESS(uint32_t, s->begin),
                                         .size = RDX_ADDRESS(uint32_t, s->size),
                                         .offsets = q->io.offsets,
                                         .counts = RDX_ADDRESS(uint32_t, p->counts),
                                         .starts = RDX_ADDRESS(uint64_t, p->found.starts),
                                         .piece_begin = RDX_ADDRESS(uint32_t, p->begin),
                                         .piece_size = RDX_ADDRESS(uint32_t, p->size),
                                         .piece_offsets = RDX_ADDRESS(uint64_t, p->found.offsets),
                                         .probes = (uint32_t)q->count,
                                         .piece_length = length};
  const uint32_t steps[] = {PIECES_COUNT, PIECES_CUT};
  RDX_TRY(rdx_stream_launch(stream, &rdx_kernel_range_pieces, &args, &steps[0], q->count, NULL, err));
  RDX_TRY(rdx_stream_scan(stream, p->counts, p->found.starts, q->count, err));
  return rdx_stream_launch(stream, &rdx_kernel_range_pieces, &args, &steps[1], count, NULL, err);
}

static rdx_status walk_pieces(const ranges *s, rdx_stream *stream, pieces *p, rdx_error *err) {
  const uint64_t wanted = s->total >> PIECES_LOG;
  const uint32_t length = wanted < MIN_PIECE ? MIN_PIECE : wanted < UINT32_MAX ? (uint32_t)wanted : UINT32_MAX;
  const uint64_t count = s->query->count + s->total / length;
  RDX_TRY(make_pieces(s, count, p, err));
  rdx_index_query q = *s->query;
  q.count = count;
  rdx_range_pieces_use(&p->found, &q);
  ranges each = *s;
  each.query = &q;
  each.begin = p->begin;
  each.size = p->size;
  RDX_TRY(cut(s, stream, p, count, length, err));
  RDX_TRY(walk(&each, stream, err));
  return rdx_range_pieces_join(&p->found, stream, s->query, err);
}

/* ---- By prefix sums ---- */

typedef rdx_prefix_sums prefix;

static void drop(prefix *p) {
  for (uint32_t part = 0; part < PREFIX_PARTS; part++)
    RDX_DESTROY_BUFFERS(&p->blocks[part], &p->tiles[part]);
}

/* Room for the parts that the query's values have. */
static rdx_status make(const ranges *s, prefix *out, rdx_error *err) {
  rdx_device *device = s->index->device;
  const bool needed[PREFIX_PARTS] = {true, s->query->value >= VALUE_U64, s->query->io.values_valid != NULL};
  out->block_count = s->index->stats.keys / PREFIX_BLOCK + 1;
  out->tile_count = (out->block_count + PREFIX_TILE - 1) / PREFIX_TILE;
  for (uint32_t part = 0; part < PREFIX_PARTS; part++) {
    if (!needed[part])
      continue;
    RDX_TRY(rdx_buffer_create(device, out->block_count * sizeof(prefix_block), "blocks of values", &out->blocks[part],
                              err));
    RDX_TRY(rdx_buffer_create(device, (out->tile_count + 1) * 8, "sums of values", &out->tiles[part], err));
  }
  return RDX_OK;
}

static prefix_sums sums_of(const prefix *p, uint32_t part) {
  return (prefix_sums){RDX_ADDRESS(prefix_block, p->blocks[part]), RDX_ADDRESS(uint64_t, p->tiles[part])};
}

/* Bring the values into the order of the entries, with prefix sums. */
static rdx_status order_values(const ranges *s, rdx_stream *stream, const prefix *p, rdx_error *err) {
  const struct prefix_blocks_args args = {.words = RDX_ADDRESS(uint32_t, s->rows.words),
                                          .values = s->query->io.values,
                                          .values_valid = s->query->io.values_valid,
                                          .low = sums_of(p, PREFIX_LOW),
                                          .high = sums_of(p, PREFIX_HIGH),
                                          .present = sums_of(p, PREFIX_PRESENT),
                                          .block_words = s->rows.block_words,
                                          .first_word = s->rows.first_word,
                                          .step = s->rows.step,
                                          .n = (uint32_t)s->index->stats.keys};
  RDX_TRY(rdx_stream_launch(stream, &rdx_kernel_prefix_blocks, &args, NULL, p->block_count, NULL, err));
  for (uint32_t part = 0; part < PREFIX_PARTS; part++)
    if (p->tiles[part])
      RDX_TRY(rdx_stream_scan_wide(stream, p->tiles[part], p->tile_count, err));
  return RDX_OK;
}

static rdx_status subtract(const ranges *s, rdx_stream *stream, const prefix *p, rdx_error *err) {
  const rdx_index_query *q = s->query;
  const struct prefix_sum_args args = {.begin = RDX_ADDRESS(uint32_t, s->begin),
                                       .size = RDX_ADDRESS(uint32_t, s->size),
                                       .low = sums_of(p, PREFIX_LOW),
                                       .high = sums_of(p, PREFIX_HIGH),
                                       .present = sums_of(p, PREFIX_PRESENT),
                                       .out_count = q->io.out_count,
                                       .out_sum = q->io.out_sum};
  const uint32_t variant[2] = {q->gather, q->value};
  return rdx_stream_launch(stream, &rdx_kernel_prefix_sum, &args, variant, q->count, NULL, err);
}

/* ---- By minima ---- */

static bool is_first(const rdx_index_query *q) {
  return (q->gather == GATHER_COUNT || q->gather == GATHER_ANY) && q->io.out_first;
}

static uint32_t blocks_of(uint32_t n) {
  return n / MINIMA_BLOCK + (n % MINIMA_BLOCK > 0);
}

static rdx_status make_minima(const ranges *s, rdx_buffer **out, rdx_error *err) {
  uint64_t size = 0;
  for (uint32_t n = (uint32_t)s->index->stats.keys; n > 1; size += n)
    n = blocks_of(n);
  return rdx_buffer_create(s->index->device, 4 * (size + 1), "the first rows of entries", out, err);
}

static rdx_status first_rows(const ranges *s, rdx_stream *stream, rdx_buffer *minima, rdx_error *err) {
  const rdx_index_query *q = s->query;
  uint32_t *level = RDX_ADDRESS(uint32_t, minima), *below = NULL;
  for (uint32_t n = (uint32_t)s->index->stats.keys; n > 1; n = blocks_of(n)) {
    const struct range_minima_args args = {.words = below ? NULL : RDX_ADDRESS(uint32_t, s->rows.words),
                                           .below = below,
                                           .out_minima = level,
                                           .block_words = s->rows.block_words,
                                           .first_word = s->rows.first_word,
                                           .step = s->rows.step,
                                           .n = n};
    RDX_TRY(rdx_stream_launch(stream, &rdx_kernel_range_minima, &args, NULL, blocks_of(n), NULL, err));
    below = level;
    level += blocks_of(n);
  }
  const struct range_first_args args = {.begin = RDX_ADDRESS(uint32_t, s->begin),
                                        .size = RDX_ADDRESS(uint32_t, s->size),
                                        .words = RDX_ADDRESS(uint32_t, s->rows.words),
                                        .minima = RDX_ADDRESS(uint32_t, minima),
                                        .out_count = q->io.out_count,
                                        .out_first = q->io.out_first,
                                        .block_words = s->rows.block_words,
                                        .first_word = s->rows.first_word,
                                        .step = s->rows.step,
                                        .n = (uint32_t)s->index->stats.keys};
  return rdx_stream_launch(stream, &rdx_kernel_range_first, &args, NULL, q->count, NULL, err);
}

/* ---- Any ---- */

/* `p` NULL: entry by entry, long spans in pieces where there are `cut` ones. */
static rdx_status timed(const ranges *s, rdx_stream *stream, const prefix *p, pieces *cut, double *ms, rdx_error *err) {
  RDX_TRY(rdx_stream_mark(stream, err));
  if (p)
    RDX_TRY(order_values(s, stream, p, err));
  RDX_TRY(p ? subtract(s, stream, p, err) : cut ? walk_pieces(s, stream, cut, err) : walk(s, stream, err));
  return rdx_stream_finish_timed(stream, ms, err);
}

static rdx_status gather(const ranges *s, rdx_stream *stream, double *ms, rdx_error *err) {
  const bool pays = s->total / PREFIX_PAYS > s->index->stats.keys;
  RDX_SCOPED(drop) prefix p = {0};
  RDX_SCOPED(drop_pieces) pieces parts = {0};
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *minima = NULL;
  if (pays && is_first(s->query) && make_minima(s, &minima, NULL) == RDX_OK) {
    RDX_TRY(rdx_stream_mark(stream, err));
    RDX_TRY(first_rows(s, stream, minima, err));
    return rdx_stream_finish_timed(stream, ms, err);
  }
  const bool by_prefix = pays && is_sum(s->query) && make(s, &p, NULL) == RDX_OK; /* where memory is short, walk */
  if (!by_prefix)
    drop(&p);
  bool in_pieces = false;
  RDX_TRY(by_prefix ? RDX_OK : has_long_spans(s, stream, &in_pieces, err));
  return timed(s, stream, by_prefix ? &p : NULL, in_pieces ? &parts : NULL, ms, err);
}

/* Spans, and their sums of the column that the index includes. */
static rdx_status add_included(ranges *s, rdx_stream *stream, double *ms, rdx_error *err) {
  RDX_TRY(rdx_stream_mark(stream, err));
  RDX_TRY(locate(s, stream, err));
  RDX_TRY(subtract(s, stream, &s->query->included->sums, err));
  return rdx_stream_finish_timed(stream, ms, err);
}

static rdx_status find_and_gather(ranges *s, rdx_stream *stream, double *ms, rdx_error *err) {
  RDX_TRY(find(s, stream, ms, err));
  return gather(s, stream, ms, err);
}

rdx_status rdx_range_gather(const rdx_index *index, rdx_stream *stream, const rdx_index_query *query, double *ms,
                            rdx_error *err) {
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *begin = NULL, *size = NULL;
  RDX_TRY(rdx_buffer_create(index->device, query->count * 4, "spans", &begin, err));
  RDX_TRY(rdx_buffer_create(index->device, query->count * 4, "spans", &size, err));
  ranges s = {.index = index, .query = query, .rows = index->ops->rows(index->self), .begin = begin, .size = size};
  return (query->included ? add_included : find_and_gather)(&s, stream, ms, err);
}

/* ---- Indexes that walk along ranges by themselves ---- */

#define SAMPLE 64 /* one of so many ranges, and at least so many */
#define LONG_RANGE 32

/* The entries of a range on average. A count that takes no longer where there are many tells. */
static rdx_status mean_length(const rdx_index *index, rdx_stream *stream, const rdx_index_query *q, double *mean,
                              double *ms, rdx_error *err) {
  const rdx_probes all = {.count = q->count, .lower = q->lower, .upper = q->upper, .valid = q->valid};
  RDX_SCOPED(rdx_probes_destroy) rdx_probes some = {0};
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *size = NULL;
  const uint64_t count = q->count / SAMPLE > SAMPLE ? q->count / SAMPLE : SAMPLE;
  RDX_TRY(rdx_probes_sample(index, stream, &all, count, &some, err));
  const rdx_index_query sample = {
      .count = count, .gather = GATHER_COUNT, .lower = some.lower, .upper = some.upper, .valid = some.valid};
  ranges s = {.index = index, .query = &sample};
  RDX_TRY(rdx_buffer_create(index->device, count * 4, "spans", &size, err));
  s.size = size;
  RDX_TRY(find(&s, stream, ms, err));
  *mean = (double)s.total / (double)count;
  return RDX_OK;
}

static uint64_t largest_key(const rdx_index *index) {
  return index->stats.key_bits == 64 ? UINT64_MAX : UINT32_MAX;
}

/* Rows in the order of keys: those of the range that has all keys. */
static rdx_status list_rows(const rdx_index *index, rdx_stream *stream, const rdx_buffer *rows, double *ms,
                            rdx_error *err) {
  const uint64_t bounds[] = {0, largest_key(index), 0}, n = index->stats.keys; /* the last: where rows go */
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *keys = NULL;
  bool done = false;
  RDX_TRY(rdx_buffer_create(index->device, sizeof bounds, "the ends of all keys", &keys, err));
  RDX_TRY(rdx_buffer_upload(keys, 0, bounds, sizeof bounds, err));
  const rdx_index_query q = {
      .count = 1,
      .gather = GATHER_ROWS,
      .lower = RDX_ADDRESS(uint32_t, keys),
      .upper = RDX_ADDRESS(uint32_t, keys) + 2,
      .matches = n,
      .io = {.offsets = RDX_ADDRESS(uint64_t, keys) + 2, .out_rows = RDX_ADDRESS(uint32_t, rows)}};
  RDX_TRY(rdx_range_split(index, stream, &q, &done, ms, err));
  if (done)
    return RDX_OK;
  RDX_TRY(rdx_stream_mark(stream, err));
  RDX_TRY(index->ops->query(index->self, stream, &q, err));
  return rdx_stream_finish_timed(stream, ms, err);
}

/* Spans by two counts: of the range itself, and of all keys up to its end. */
static rdx_status count_spans(ranges *s, rdx_stream *stream, double *ms, rdx_error *err) {
  const rdx_index_query *q = s->query;
  const uint64_t bytes = q->count * s->index->stats.key_bits / 8;
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *zeros = NULL;
  RDX_TRY(rdx_buffer_create(s->index->device, bytes, "the first key", &zeros, err));
  RDX_TRY(rdx_stream_fill(stream, zeros, 0, zeros->size, 0, err));
  rdx_buffer *const begin = s->begin;
  s->begin = NULL; /* no index that walks by itself says where a span begins */
  const rdx_status status = find(s, stream, ms, err);
  s->begin = begin;
  RDX_TRY(status);
  const rdx_index_query up_to = {.count = q->count,
                                 .gather = GATHER_COUNT,
                                 .lower = RDX_ADDRESS(uint32_t, zeros),
                                 .upper = q->upper,
                                 .io.out_count = RDX_ADDRESS(uint32_t, s->begin)};
  const struct range_pieces_args args = {.begin = RDX_ADDRESS(uint32_t, s->begin),
                                         .size = RDX_ADDRESS(uint32_t, s->size)};
  const uint32_t step = PIECES_BEGIN;
  RDX_TRY(rdx_stream_mark(stream, err));
  RDX_TRY(s->index->ops->query(s->index->self, stream, &up_to, err));
  RDX_TRY(rdx_stream_launch(stream, &rdx_kernel_range_pieces, &args, &step, q->count, NULL, err));
  return rdx_stream_finish_timed(stream, ms, err);
}

rdx_status rdx_range_rank(const rdx_index *index, rdx_stream *stream, const rdx_index_query *query, bool *done,
                          double *ms, rdx_error *err) {
  double mean = 0;
  *done = false;
  if (!index->ops->counts_ranges || !(is_sum(query) || is_first(query)) || query->count < SAMPLE)
    return RDX_OK;
  RDX_TRY(mean_length(index, stream, query, &mean, ms, err));
  if (mean < LONG_RANGE || mean * (double)query->count / 2 / PREFIX_PAYS < (double)index->stats.keys)
    return RDX_OK;
  const uint64_t bytes = query->count * 4;
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *rows = NULL, *begin = NULL, *size = NULL;
  if (rdx_buffer_create(index->device, index->stats.keys * 4, "rows in the order of keys", &rows, NULL) != RDX_OK ||
      rdx_buffer_create(index->device, bytes, "spans", &begin, NULL) != RDX_OK ||
      rdx_buffer_create(index->device, bytes, "spans", &size, NULL) != RDX_OK)
    return RDX_OK; /* where memory is short, walk */
  ranges s = {.index = index,
              .query = query,
              .rows = {.words = rows, .block_words = 8, .step = 1},
              .begin = begin,
              .size = size};
  RDX_TRY(list_rows(index, stream, rows, ms, err));
  RDX_TRY(count_spans(&s, stream, ms, err));
  RDX_TRY(gather(&s, stream, ms, err));
  *done = true;
  return RDX_OK;
}

/* ---- Included columns ---- */

static rdx_status make_included(const ranges *s, rdx_included *out, rdx_error *err) {
  RDX_SCOPED(rdx_stream_destroy) rdx_stream *stream = NULL;
  RDX_TRY(make(s, &out->sums, err));
  RDX_TRY(rdx_stream_create_for(s->index->device, "build", &stream, err));
  RDX_TRY(order_values(s, stream, &out->sums, err));
  return rdx_stream_finish(stream, err);
}

rdx_status rdx_included_create(const rdx_index *index, const rdx_device_column *values, uint32_t value,
                               rdx_included **out, rdx_error *err) {
  RDX_SCOPED(rdx_included_destroy) rdx_included *included = NULL;
  RDX_TRY(rdx_calloc(1, sizeof *included, "an included column", (void **)&included, err));
  included->column = (rdx_device_column){.device = index->device,
                                         .type = values->type,
                                         .scale = values->scale,
                                         .rows = values->rows,
                                         .nulls = values->nulls,
                                         .key_bits = values->key_bits,
                                         .magnitude = values->magnitude};
  const rdx_index_query q = {.io.values = RDX_ADDRESS(uint32_t, values->keys),
                             .io.values_valid = RDX_ADDRESS(uint32_t, values->valid),
                             .value = value};
  const ranges s = {.index = index, .query = &q, .rows = index->ops->rows(index->self)};
  RDX_TRY(make_included(&s, included, err));
  for (uint32_t part = 0; part < PREFIX_PARTS; part++)
    if (included->sums.blocks[part])
      included->bytes += included->sums.blocks[part]->size + included->sums.tiles[part]->size;
  *out = RDX_KEEP(included);
  return RDX_OK;
}

void rdx_included_destroy(rdx_included **included) {
  if (!*included)
    return;
  drop(&(*included)->sums);
  rdx_free(*included);
  *included = NULL;
}
