/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Points among sorted intervals: see kernels/interval_stabbing/interval_stabbing.h. */

#include "join/interval_stabbing.h"

#include <stdatomic.h>

#include "index/probes.h"
#include "index/result.h"
#include "kernels/interval_stabbing/kernels.h"
#include "kernels/primitives/kernels.h"

typedef struct stabbing {
  rdx_device *device;
  const rdx_device_column *points;
  uint32_t key_bytes;
  rdx_probes ranges;                              /* as keys of the points' type */
  uint64_t count;                                 /* of ranges that can hold a point */
  rdx_buffer *lower, *upper, *rows, *tree, *ends; /* see struct interval_stabbing_args */
  rdx_stream *stream;
  rdx_lookup_result *result;
} stabbing;

static rdx_status make(const stabbing *s, uint64_t count, uint64_t size, rdx_buffer **out, rdx_error *err) {
  return rdx_buffer_create(s->device, count * size, "ranges in order", out, err);
}

/* ---- Sorting the ranges ---- */

/* List the ranges that can hold a point. */
static rdx_status list_usable(stabbing *s, rdx_buffer *bits, rdx_buffer *number, rdx_error *err) {
  const rdx_probes *p = &s->ranges;
  const uint32_t key64 = s->key_bytes == 8;
  const struct interval_stabbing_usable_args args = {.lower = p->lower,
                                                     .upper = p->upper,
                                                     .valid = p->valid,
                                                     .bits = RDX_ADDRESS(uint32_t, bits),
                                                     .n = (uint32_t)p->count};
  RDX_TRY(make(s, p->count, 4, &s->rows, err));
  RDX_TRY(rdx_stream_launch(s->stream, &rdx_kernel_interval_stabbing_usable, &args, &key64, (p->count + 31) / 32, NULL,
                            err));
  RDX_TRY(rdx_stream_select(s->stream, bits, s->rows, number, p->count, err));
  RDX_TRY(rdx_stream_finish(s->stream, err));
  return rdx_buffer_number(number, 0, 0, p->count, "the ranges that can hold a point", &s->count, err);
}

static rdx_status find_usable(stabbing *s, rdx_error *err) {
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *bits = NULL, *number = NULL;
  RDX_TRY(make(s, (s->ranges.count + 31) / 32, 4, &bits, err));
  RDX_TRY(make(s, 1, 8, &number, err));
  return list_usable(s, bits, number, err);
}

static uint64_t nodes_above(uint64_t count) {
  return (count + INTERVALS_FANOUT - 1) / INTERVALS_FANOUT;
}

static rdx_status build_tree(stabbing *s, rdx_error *err) {
  const uint32_t key64 = s->key_bytes == 8;
  uint64_t nodes = 0;
  for (uint64_t n = s->count; n > 1; n = nodes_above(n))
    nodes += nodes_above(n);
  RDX_TRY(make(s, nodes, s->key_bytes, &s->tree, err));
  uint64_t below = s->upper->address, level = s->tree->address;
  for (uint64_t n = s->count; n > 1; n = nodes_above(n)) {
    const struct interval_stabbing_level_args args = {
        .below = (uint32_t *)(uintptr_t)below, .level = (uint32_t *)(uintptr_t)level, .n = (uint32_t)n};
    RDX_TRY(
        rdx_stream_launch(s->stream, &rdx_kernel_interval_stabbing_level, &args, &key64, nodes_above(n), NULL, err));
    below = level;
    level += nodes_above(n) * s->key_bytes;
  }
  return RDX_OK;
}

static rdx_status sort(stabbing *s, rdx_lookup_result_kind kind, rdx_error *err) {
  const uint32_t bits = 8 * s->key_bytes;
  RDX_TRY(make(s, s->count, s->key_bytes, &s->lower, err));
  RDX_TRY(rdx_primitive_gather(s->stream, s->ranges.lower, s->rows, bits, s->lower, s->count, err));
  if (kind == RDX_LOOKUP_COUNT) {
    RDX_TRY(make(s, s->count, s->key_bytes, &s->ends, err));
    RDX_TRY(rdx_primitive_gather(s->stream, s->ranges.upper, s->rows, bits, s->ends, s->count, err));
    RDX_TRY(rdx_stream_sort(s->stream, s->lower, s->key_bytes, bits, NULL, s->count, err));
    return rdx_stream_sort(s->stream, s->ends, s->key_bytes, bits, NULL, s->count, err);
  }
  RDX_TRY(make(s, s->count, s->key_bytes, &s->upper, err));
  RDX_TRY(make(s, s->count, s->key_bytes, &s->ends, err));
  RDX_TRY(rdx_stream_sort(s->stream, s->lower, s->key_bytes, bits, s->rows, s->count, err));
  RDX_TRY(rdx_primitive_gather(s->stream, s->ranges.upper, s->rows, bits, s->upper, s->count, err));
  RDX_TRY(rdx_stream_copy(s->stream, s->upper, 0, s->ends, 0, s->upper->size, err));
  RDX_TRY(rdx_stream_sort(s->stream, s->ends, s->key_bytes, bits, NULL, s->count, err));
  return build_tree(s, err);
}

static rdx_status build(stabbing *s, rdx_lookup_result_kind kind, rdx_index_stats *stats, rdx_error *err) {
  RDX_TRY(find_usable(s, err));
  RDX_TRY(rdx_stream_mark(s->stream, err));
  RDX_TRY(sort(s, kind, err));
  RDX_TRY(rdx_stream_mark(s->stream, err));
  RDX_TRY(rdx_stream_finish(s->stream, err));
  const rdx_buffer *const kept[] = {s->lower, s->upper, s->rows, s->tree, s->ends};
  for (size_t i = 0; i < RDX_COUNT(kept); i++)
    stats->bytes_resident += kept[i] ? kept[i]->size : 0;
  stats->sort_ms = rdx_stream_elapsed(s->stream, 0, 1);
  stats->keys = s->count;
  return RDX_OK;
}

/* ---- Looking up the points ---- */

/* Points `first` to `first + count - 1`; `first` is a multiple of 32 where some are NULL. */
typedef struct stretch {
  uint64_t first, count;
} stretch;

static rdx_status launch(stabbing *s, stretch points, uint32_t gather, const rdx_parts *parts, const rdx_buffer *counts,
                         rdx_error *err) {
  const rdx_device_column *c = s->points;
  const uint64_t keys = c->keys->address + points.first * s->key_bytes;
  const uint64_t valid = c->valid ? c->valid->address + points.first / 8 : 0;
  const struct interval_stabbing_args args = {.points = (uint32_t *)(uintptr_t)keys,
                                              .valid = (uint32_t *)(uintptr_t)valid,
                                              .lower = RDX_ADDRESS(uint32_t, s->lower),
                                              .upper = RDX_ADDRESS(uint32_t, s->upper),
                                              .rows = RDX_ADDRESS(uint32_t, s->rows),
                                              .tree = RDX_ADDRESS(uint32_t, s->tree),
                                              .ends = RDX_ADDRESS(uint32_t, s->ends),
                                              .out_count = RDX_ADDRESS(uint32_t, counts),
                                              .offsets = RDX_ADDRESS(uint64_t, parts->offsets),
                                              .out_rows = RDX_ADDRESS(uint32_t, parts->rows),
                                              .n = (uint32_t)s->count};
  const uint32_t variant[2] = {s->key_bytes == 8, gather};
  RDX_TRY(rdx_stream_mark(s->stream, err));
  RDX_TRY(rdx_stream_launch(s->stream, &rdx_kernel_interval_stabbing, &args, variant, points.count, NULL, err));
  return rdx_stream_finish_timed(s->stream, &s->result->stats.device_ms, err);
}

static rdx_status count(stabbing *s, stretch points, rdx_parts *parts, rdx_error *err) {
  RDX_TRY(make(s, points.count, 4, &parts->count, err));
  return launch(s, points, GATHER_COUNT, parts, parts->count, err);
}

static rdx_status place_rows(stabbing *s, stretch points, rdx_parts *parts, rdx_error *err) {
  RDX_TRY(count(s, points, parts, err));
  RDX_TRY(make(s, points.count + 1, 8, &parts->offsets, err));
  RDX_TRY(rdx_stream_scan(s->stream, parts->count, parts->offsets, points.count, err));
  RDX_TRY(rdx_stream_finish(s->stream, err));
  rdx_buffer_destroy(&parts->count);
  RDX_TRY(rdx_buffer_number(parts->offsets, points.count * 8, 0, points.count * s->count, "the ranges of points",
                            &parts->row_count, err));
  if (parts->row_count > UINT32_MAX) /* kernels count them in u32: fewer points at a time */
    return rdx_fail(err, RDX_ERROR_DEVICE_MEMORY, "%llu pairs", (unsigned long long)parts->row_count);
  return RDX_OK;
}

static rdx_status order_rows(stabbing *s, stretch points, rdx_parts *parts, rdx_error *err) {
  const double start = rdx_now_ms();
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *pairs = NULL;
  RDX_TRY(make(s, parts->row_count, 8, &pairs, err));
  RDX_TRY(rdx_primitive_order(s->stream, parts->offsets, parts->rows, points.count, parts->row_count, pairs, err));
  RDX_TRY(rdx_stream_finish(s->stream, err));
  s->result->stats.refine_ms += rdx_now_ms() - start;
  return RDX_OK;
}

static rdx_status list_rows(stabbing *s, stretch points, rdx_parts *parts, rdx_error *err) {
  RDX_TRY(place_rows(s, points, parts, err));
  RDX_TRY(make(s, parts->row_count, 4, &parts->rows, err));
  RDX_TRY(launch(s, points, GATHER_ROWS, parts, NULL, err));
  return order_rows(s, points, parts, err);
}

/* ---- Rows, a few points at a time ---- */

static rdx_status take_rows(stabbing *s, stretch points, const rdx_lookup_options *options, rdx_parts *parts,
                            rdx_error *err) {
  RDX_SCOPED(rdx_lookup_result_destroy) rdx_lookup_result *part = NULL;
  rdx_lookup_view view;
  if (!options->sink.take)
    return rdx_lookup_result_append(s->result, points.count, parts, err);
  RDX_TRY(rdx_lookup_result_create(s->device, RDX_LOOKUP_ROWS, points.count, s->result->keyed, &part, err));
  RDX_TRY(rdx_lookup_result_append(part, points.count, parts, err));
  RDX_TRY(rdx_lookup_result_view(part, &view, err));
  return options->sink.take(options->sink.context, points.first, &view, err);
}

/* The points from `first` on that lie in so few ranges together, one at least, or 32 where some are NULL. */
static stretch cut(const stabbing *s, const uint32_t *counts, uint64_t first, uint64_t max) {
  const uint64_t step = s->points->valid ? 32 : 1, left = s->points->rows - first;
  uint64_t rows = 0, points = 0;
  while (points < left) {
    const uint64_t more = left - points < step ? left - points : step;
    for (uint64_t k = 0; k < more; k++)
      rows += counts[first + points + k];
    if (rows > max && points > 0)
      break;
    points += more;
  }
  return (stretch){first, points};
}

static rdx_status list_parts(stabbing *s, const uint32_t *counts, const rdx_lookup_options *options, rdx_error *err) {
  const uint64_t max = rdx_part_rows(s->device, options->bytes_more);
  for (uint64_t done = 0; done < s->points->rows;) {
    const stretch points = cut(s, counts, done, max);
    RDX_SCOPED(rdx_parts_destroy) rdx_parts parts = {0};
    RDX_TRY(list_rows(s, points, &parts, err));
    RDX_TRY(take_rows(s, points, options, &parts, err));
    done += points.count;
    RDX_TRY(rdx_progress("lookup", done, s->points->rows, err));
  }
  return RDX_OK;
}

/* Refuse what the host has no room for before it is listed. */
static rdx_status expect(stabbing *s, const uint32_t *counts, const rdx_lookup_options *options, rdx_error *err) {
  uint64_t rows = 0;
  for (uint64_t i = 0; i < s->points->rows; i++)
    rows += counts[i];
  if (options->sink.take)
    return RDX_OK;
  RDX_TRY(rdx_expect_rows(s->device, rows, options, err));
  return rdx_lookup_result_reserve_rows(s->result, rows, err);
}

static rdx_status count_and_list(stabbing *s, const rdx_lookup_options *options, rdx_error *err) {
  RDX_SCOPED(rdx_free_local) uint32_t *counts = NULL;
  RDX_SCOPED(rdx_parts_destroy) rdx_parts parts = {0};
  RDX_TRY(count(s, (stretch){0, s->points->rows}, &parts, err));
  RDX_TRY(rdx_alloc(s->points->rows, 4, "the counts of points", (void **)&counts, err));
  RDX_TRY(rdx_buffer_download(parts.count, 0, counts, s->points->rows * 4, err));
  RDX_TRY(rdx_returned_u32s(s->device, counts, s->points->rows, s->count, "the ranges of a point", err));
  rdx_parts_destroy(&parts);
  RDX_TRY(expect(s, counts, options, err));
  RDX_TRY(list_parts(s, counts, options, err));
  s->result->given_away = options->sink.take != NULL;
  return RDX_OK;
}

static rdx_status look_up(stabbing *s, const rdx_lookup_options *options, rdx_error *err) {
  const double start = rdx_now_ms();
  RDX_SCOPED(rdx_parts_destroy) rdx_parts parts = {0};
  if (s->result->kind == RDX_LOOKUP_ROWS) {
    RDX_TRY(count_and_list(s, options, err));
  } else {
    RDX_TRY(count(s, (stretch){0, s->points->rows}, &parts, err));
    rdx_lookup_result_take(s->result, &parts);
  }
  s->result->stats.total_ms = rdx_now_ms() - start;
  return RDX_OK;
}

/* ---- Both ---- */

/* The ranges are encoded as probes of an index over the points would be. */
static rdx_status load_ranges(stabbing *s, const rdx_column *lower, const rdx_column *upper, rdx_error *err) {
  const rdx_device_column *p = s->points;
  rdx_index like = {.device = s->device, .key_scale = p->scale};
  like.stats.key_type = p->type;
  like.stats.key_bits = p->key_bits;
  if (p->type == RDX_TYPE_STRING) {
    if (!p->exact)
      return rdx_fail(err, RDX_ERROR_UNSUPPORTED,
                      "inverse mapping compares the first eight bytes of strings, which do not tell these apart; index "
                      "the other side");
    RDX_TRY(rdx_device_column_copy_text(p, &like.text, err));
  }
  const rdx_status status = rdx_probes_create(&like, lower, upper, 0, lower->rows, &s->ranges, err);
  rdx_device_column_destroy(&like.text);
  return status;
}

static rdx_status run(stabbing *s, const rdx_column *lower, const rdx_column *upper, rdx_lookup_result_kind kind,
                      const rdx_lookup_options *options, rdx_index_stats *stats, rdx_error *err) {
  const double start = rdx_now_ms();
  const uint64_t used = atomic_load(&s->device->memory_used);
  *stats = (rdx_index_stats){.method = RDX_INDEX_SORTED_ARRAY,
                             .key_type = s->points->type,
                             .key_bits = s->points->key_bits,
                             .rows = lower->rows,
                             .keys = lower->rows};
  atomic_store(&s->device->memory_mark, used);
  RDX_TRY(load_ranges(s, lower, upper, err));
  RDX_TRY(rdx_stream_create_for(s->device, "lookup", &s->stream, err));
  RDX_TRY(build(s, kind, stats, err));
  rdx_probes_destroy(&s->ranges);
  stats->bytes_peak = atomic_load(&s->device->memory_mark) - used;
  stats->total_ms = rdx_now_ms() - start;
  RDX_TRY(rdx_lookup_result_create(s->device, kind, s->points->rows, lower->rows, &s->result, err));
  return look_up(s, options, err);
}

rdx_status rdx_interval_stabbing_look_up(rdx_device *device, const rdx_stabbing *of, rdx_lookup_result_kind kind,
                                         const rdx_lookup_options *options, rdx_index_stats *stats,
                                         rdx_lookup_result **out, rdx_error *err) {
  stabbing s = {.device = device};
  rdx_device_column *owned = NULL;
  RDX_TRY(rdx_device_column_use(device, of->points, &s.points, &owned, err));
  s.key_bytes = s.points->key_bits / 8;
  rdx_status status = run(&s, of->lower, of->upper, kind, options, stats, err);
  rdx_stream_destroy(&s.stream);
  rdx_probes_destroy(&s.ranges);
  rdx_buffer *buffers[] = {s.lower, s.upper, s.rows, s.tree, s.ends};
  for (size_t i = 0; i < RDX_COUNT(buffers); i++)
    rdx_buffer_destroy(&buffers[i]);
  rdx_device_column_destroy(&owned);
  if (status != RDX_OK)
    rdx_lookup_result_destroy(&s.result);
  *out = s.result;
  return status;
}
