/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Range lookups among sorted entries in two steps: the index finds spans of entries, and kernels/range_gather gathers
 * over them. */

#include "index/range_gather.h"

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

/* Prefix sums pay where spans have so many times the entries that there are: each entry of a span costs a value
 * fetched from anywhere, and so does each entry there is to make the sums. */
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
                                 .out_first = RDX_ADDRESS(uint32_t, s->begin),
                                 .out_count = RDX_ADDRESS(uint32_t, s->size)};
  return s->index->ops->query(s->index->self, stream, &where, err);
}

/* Find the spans, and how many entries they have in all. */
static rdx_status find(ranges *s, rdx_stream *stream, double *ms, rdx_error *err) {
  rdx_buffer *total = NULL;
  RDX_TRY(rdx_buffer_create(s->index->device, 8, "the total of spans", &total, err));
  rdx_status status = rdx_stream_mark(stream, err);
  if (status == RDX_OK)
    status = locate(s, stream, err);
  if (status == RDX_OK)
    status = rdx_stream_reduce(stream, RDX_REDUCE_SUM, s->size, 4, total, s->query->count, err);
  if (status == RDX_OK)
    status = rdx_stream_mark(stream, err);
  if (status == RDX_OK)
    status = rdx_stream_finish(stream, err);
  if (status == RDX_OK) {
    *ms += rdx_stream_elapsed(stream, 0, 1);
    status =
        rdx_buffer_number(total, 0, 0, s->query->count * s->index->stats.keys, "the entries of ranges", &s->total, err);
  }
  rdx_buffer_destroy(&total);
  return status;
}

/* ---- Entry by entry ---- */

static rdx_status walk(const ranges *s, rdx_stream *stream, rdx_error *err) {
  const rdx_index_query *q = s->query;
  const struct range_gather_args args = {.begin = RDX_ADDRESS(uint32_t, s->begin),
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

typedef rdx_prefix_sums prefix;

static void drop(prefix *p) {
  for (uint32_t part = 0; part < PREFIX_PARTS; part++) {
    rdx_buffer_destroy(&p->blocks[part]);
    rdx_buffer_destroy(&p->tiles[part]);
  }
}

/* Room for the parts that the query's values have. */
static rdx_status make(const ranges *s, prefix *out, rdx_error *err) {
  rdx_device *device = s->index->device;
  const bool needed[PREFIX_PARTS] = {true, s->query->value >= VALUE_U64, s->query->values_valid != NULL};
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
                                          .values = s->query->values,
                                          .values_valid = s->query->values_valid,
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
                                       .out_count = q->out_count,
                                       .out_sum = q->out_sum};
  const uint32_t variant[2] = {q->gather, q->value};
  return rdx_stream_launch(stream, &rdx_kernel_prefix_sum, &args, variant, q->count, NULL, err);
}

/* ---- Either ---- */

/* `p` NULL: entry by entry. */
static rdx_status timed(const ranges *s, rdx_stream *stream, const prefix *p, double *ms, rdx_error *err) {
  RDX_TRY(rdx_stream_mark(stream, err));
  if (p)
    RDX_TRY(order_values(s, stream, p, err));
  RDX_TRY(p ? subtract(s, stream, p, err) : walk(s, stream, err));
  RDX_TRY(rdx_stream_mark(stream, err));
  RDX_TRY(rdx_stream_finish(stream, err));
  *ms += rdx_stream_elapsed(stream, 0, 1);
  return RDX_OK;
}

static rdx_status gather(const ranges *s, rdx_stream *stream, double *ms, rdx_error *err) {
  prefix p = {0};
  const bool pays = is_sum(s->query) && s->total / PREFIX_PAYS > s->index->stats.keys;
  const bool by_prefix = pays && make(s, &p, NULL) == RDX_OK; /* where memory is short, walk */
  if (!by_prefix)
    drop(&p);
  rdx_status status = timed(s, stream, by_prefix ? &p : NULL, ms, err);
  drop(&p);
  return status;
}

/* Spans, and their sums of the column that the index includes. */
static rdx_status add_included(ranges *s, rdx_stream *stream, double *ms, rdx_error *err) {
  RDX_TRY(rdx_stream_mark(stream, err));
  RDX_TRY(locate(s, stream, err));
  RDX_TRY(subtract(s, stream, &s->query->included->sums, err));
  RDX_TRY(rdx_stream_mark(stream, err));
  RDX_TRY(rdx_stream_finish(stream, err));
  *ms += rdx_stream_elapsed(stream, 0, 1);
  return RDX_OK;
}

static rdx_status find_and_gather(ranges *s, rdx_stream *stream, double *ms, rdx_error *err) {
  RDX_TRY(find(s, stream, ms, err));
  return gather(s, stream, ms, err);
}

rdx_status rdx_range_gather(const rdx_index *index, rdx_stream *stream, const rdx_index_query *query, double *ms,
                            rdx_error *err) {
  ranges s = {.index = index, .query = query, .rows = index->ops->rows(index->self)};
  rdx_status status = rdx_buffer_create(index->device, query->count * 4, "spans", &s.begin, err);
  if (status == RDX_OK)
    status = rdx_buffer_create(index->device, query->count * 4, "spans", &s.size, err);
  if (status == RDX_OK)
    status = (query->included ? add_included : find_and_gather)(&s, stream, ms, err);
  rdx_buffer_destroy(&s.begin);
  rdx_buffer_destroy(&s.size);
  return status;
}

/* ---- Included columns ---- */

static rdx_status make_included(const ranges *s, rdx_included *out, rdx_error *err) {
  rdx_stream *stream = NULL;
  RDX_TRY(make(s, &out->sums, err));
  RDX_TRY(rdx_stream_create_for(s->index->device, "build", &stream, err));
  rdx_status status = order_values(s, stream, &out->sums, err);
  if (status == RDX_OK)
    status = rdx_stream_finish(stream, err);
  rdx_stream_destroy(&stream);
  return status;
}

rdx_status rdx_included_create(const rdx_index *index, const rdx_device_column *values, uint32_t value,
                               rdx_included **out, rdx_error *err) {
  rdx_included *included = NULL;
  RDX_TRY(rdx_calloc(1, sizeof *included, "an included column", (void **)&included, err));
  included->column = (rdx_device_column){.device = index->device,
                                         .type = values->type,
                                         .scale = values->scale,
                                         .rows = values->rows,
                                         .nulls = values->nulls,
                                         .key_bits = values->key_bits,
                                         .magnitude = values->magnitude};
  const rdx_index_query q = {.values = RDX_ADDRESS(uint32_t, values->keys),
                             .values_valid = RDX_ADDRESS(uint32_t, values->valid),
                             .value = value};
  const ranges s = {.index = index, .query = &q, .rows = index->ops->rows(index->self)};
  const rdx_status status = make_included(&s, included, err);
  if (status != RDX_OK) {
    rdx_included_destroy(&included);
    return status;
  }
  for (uint32_t part = 0; part < PREFIX_PARTS; part++)
    if (included->sums.blocks[part])
      included->bytes += included->sums.blocks[part]->size + included->sums.tiles[part]->size;
  *out = included;
  return RDX_OK;
}

void rdx_included_destroy(rdx_included **included) {
  if (!*included)
    return;
  drop(&(*included)->sums);
  rdx_free(*included);
  *included = NULL;
}
