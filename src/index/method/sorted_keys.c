/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Keys in order beside their rows: what all indexes over sorted keys start from. */

#include "index/method/sorted_keys.h"

#include <stdatomic.h>

#include "kernels/lookup/lookup.h"
#include "kernels/primitives/kernels.h"

void rdx_sorted_keys_destroy(rdx_sorted_keys *sorted) {
  RDX_DESTROY_BUFFERS(&sorted->keys, &sorted->rows);
}

uint64_t rdx_sorted_keys_estimate(const rdx_device *device, uint64_t count, uint32_t key_bits) {
  return count * (key_bits / 8 + 4) + 8 + rdx_device_sort_bytes(device, count, key_bits / 8);
}

static rdx_status find_long_runs(rdx_stream *stream, const rdx_buffer *keys, uint32_t key_bits, uint64_t count,
                                 rdx_buffer *found, bool *out, rdx_error *err) {
  uint32_t any = 0;
  RDX_TRY(rdx_stream_fill(stream, found, 0, 4, 0, err));
  RDX_TRY(rdx_primitive_long_runs(stream, keys, key_bits, LONG_RUN, found, count, err));
  RDX_TRY(rdx_stream_finish(stream, err));
  RDX_TRY(rdx_buffer_download(found, 0, &any, sizeof any, err));
  *out = any != 0;
  return RDX_OK;
}

rdx_status rdx_find_long_runs(rdx_stream *stream, const rdx_buffer *keys, uint32_t key_bits, uint64_t count,
                              uint64_t distinct, bool *out, rdx_error *err) {
  *out = false;
  if (count - distinct < LONG_RUN)
    return RDX_OK;
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *found = NULL;
  RDX_TRY(rdx_buffer_create(stream->device, 4, "whether keys are repeated", &found, err));
  return find_long_runs(stream, keys, key_bits, count, found, out, err);
}

static rdx_status sort(const rdx_key_set *set, const rdx_sorted_keys *s, rdx_index_stats *stats, rdx_error *err) {
  RDX_SCOPED(rdx_stream_destroy) rdx_stream *stream = NULL;
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *distinct = NULL;
  uint64_t count = 0;
  RDX_TRY(rdx_stream_create_for(set->device, "build", &stream, err));
  RDX_TRY(rdx_buffer_create(set->device, 8, "a count", &distinct, err));
  RDX_TRY(rdx_stream_mark(stream, err));
  if (s->keys != set->keys)
    RDX_TRY(rdx_stream_copy(stream, set->keys, 0, s->keys, 0, s->count * s->key_bits / 8, err));
  if (!set->rows)
    RDX_TRY(rdx_primitive_iota(stream, s->rows, s->count, err));
  else if (s->rows != set->rows)
    RDX_TRY(rdx_stream_copy(stream, set->rows, 0, s->rows, 0, s->count * 4, err));
  RDX_TRY(rdx_stream_sort(stream, s->keys, s->key_bits / 8, s->key_bits, s->rows, s->count, err));
  RDX_TRY(rdx_stream_unique(stream, s->keys, s->key_bits / 8, 0, NULL, distinct, s->count, err));
  RDX_TRY(rdx_stream_mark(stream, err));
  RDX_TRY(rdx_stream_finish(stream, err));
  RDX_TRY(rdx_buffer_number(distinct, 0, s->count > 0, s->count, "the distinct keys", &count, err));
  stats->sort_ms = rdx_stream_elapsed(stream, 0, 1);
  stats->distinct = count == s->count;
  stats->distinct_keys = count;
  return rdx_find_long_runs(stream, s->keys, s->key_bits, s->count, count, &stats->long_runs, err);
}

/* A buffer to sort in: `source` itself where it has no other user. */
static rdx_status make_buffer(const rdx_key_set *set, rdx_buffer *source, uint64_t size, const char *what,
                              rdx_buffer **out, rdx_error *err) {
  if (!source || atomic_load(&source->references) > 1)
    return rdx_buffer_create(set->device, size, what, out, err);
  *out = rdx_buffer_retain(source);
  return RDX_OK;
}

rdx_status rdx_sorted_keys_create(const rdx_key_set *set, rdx_sorted_keys *out, rdx_index_stats *stats,
                                  rdx_error *err) {
  RDX_SCOPED(rdx_sorted_keys_destroy) rdx_sorted_keys made = {.key_bits = set->key_bits, .count = set->count};
  RDX_TRY(make_buffer(set, set->keys, set->count * set->key_bits / 8, "the sorted keys", &made.keys, err));
  RDX_TRY(make_buffer(set, set->rows, set->count * 4, "the sorted rows", &made.rows, err));
  RDX_TRY(sort(set, &made, stats, err));
  *out = RDX_KEEP(made);
  return RDX_OK;
}

rdx_status rdx_sorted_keys_at(const rdx_sorted_keys *sorted, uint64_t entry, uint64_t *out, rdx_error *err) {
  uint32_t narrow = 0;
  if (sorted->key_bits == 64)
    return rdx_buffer_download(sorted->keys, entry * 8, out, 8, err);
  RDX_TRY(rdx_buffer_download(sorted->keys, entry * 4, &narrow, 4, err));
  *out = narrow;
  return RDX_OK;
}

/* Mark the first entries, list them, and keep as many as there are. */
static rdx_status list_runs(const rdx_sorted_keys *sorted, rdx_stream *stream, rdx_buffer *bits, rdx_buffer *list,
                            rdx_buffer *number, rdx_buffer **starts, uint64_t *count, rdx_error *err) {
  RDX_TRY(rdx_primitive_heads(stream, sorted->keys, sorted->key_bits, bits, sorted->count, err));
  RDX_TRY(rdx_stream_select(stream, bits, list, number, sorted->count, err));
  RDX_TRY(rdx_stream_finish(stream, err));
  RDX_TRY(rdx_buffer_number(number, 0, sorted->count > 0, sorted->count, "the runs of equal keys", count, err));
  RDX_TRY(rdx_buffer_create(sorted->keys->device, *count * 4, "the runs of equal keys", starts, err));
  RDX_TRY(rdx_stream_copy(stream, list, 0, *starts, 0, *count * 4, err));
  return rdx_stream_finish(stream, err);
}

/* thesis, section 4.2 "unique_by_key". */
rdx_status rdx_sorted_keys_runs(const rdx_sorted_keys *sorted, rdx_buffer **starts, uint64_t *count, rdx_error *err) {
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *made = NULL;
  rdx_device *device = sorted->keys->device;
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *bits = NULL, *list = NULL, *number = NULL;
  RDX_SCOPED(rdx_stream_destroy) rdx_stream *stream = NULL;
  RDX_TRY(rdx_buffer_create(device, (sorted->count + 31) / 32 * 4, "the heads of runs", &bits, err));
  RDX_TRY(rdx_buffer_create(device, sorted->count * 4, "the runs of equal keys", &list, err));
  RDX_TRY(rdx_buffer_create(device, 8, "a count", &number, err));
  RDX_TRY(rdx_stream_create_for(device, "build", &stream, err));
  RDX_TRY(list_runs(sorted, stream, bits, list, number, &made, count, err));
  *starts = RDX_KEEP(made);
  return RDX_OK;
}

float rdx_first_reach(uint64_t range, uint64_t count, uint64_t length) {
  const uint64_t mean = range / count;
  const uint64_t reach =
      mean < length ? 2 * (mean + 1) : length; /* the former might pass 64 bits where it is not less */
  return (float)(reach < length ? reach : length);
}
