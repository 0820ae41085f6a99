/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Batches of inserts and removes, for indexes that change in place (cgRX, section 4, "Insertion and deletion"). */

#include "index/changes.h"
#include "index/index.h"
#include "kernels/changes/kernels.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* One half of a batch on its way to an index. */
typedef struct half {
  uint64_t count;
  rdx_buffer *keys;
  rdx_buffer *rows; /* NULL for removes */
} half;

static void destroy_half(half *h) {
  RDX_DESTROY_BUFFERS(&h->keys, &h->rows);
  h->count = 0;
}

static rdx_status create_half(const rdx_index *index, uint64_t count, bool with_rows, half *out, rdx_error *err) {
  *out = (half){.count = count};
  RDX_TRY(rdx_buffer_create(index->device, count * (index->stats.key_bits / 8), "a batch of changes", &out->keys, err));
  return with_rows ? rdx_buffer_create(index->device, count * 4, "the rows of a batch of changes", &out->rows, err)
                   : RDX_OK;
}

/* ---- Loading and sorting ---- */

static rdx_status check_column(const rdx_index *index, const rdx_device_column *c, rdx_error *err) {
  const rdx_type type = rdx_index_key_type(index);
  if (c->type != type || c->scale != index->key_scale)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "a batch of changes must have the type of the keys: %s, not %s%s",
                    rdx_type_name(type), rdx_type_name(c->type), c->type == type ? " of another scale" : "");
  if (c->type == RDX_TYPE_STRING && (index->dictionary || !c->exact || !index->text->exact))
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED,
                    "strings longer than eight bytes, or with a zero byte, cannot be changed in place; use "
                    "rdx_index_update()");
  return RDX_OK;
}

/* Copy what is not NULL of a column and sort it, recorded to `stream`. `selected` must live until its finish. */
static rdx_status record_load(const rdx_index *index, const rdx_device_column *c, rdx_stream *stream,
                              rdx_buffer *selected, rdx_buffer *selected_count, half *h, rdx_error *err) {
  const uint32_t key64 = index->stats.key_bits == 64;
  if (selected)
    RDX_TRY(rdx_stream_select(stream, c->valid, selected, selected_count, c->rows, err));
  const struct changes_gather_args args = {.keys = RDX_ADDRESS(uint32_t, c->keys),
                                           .selected = RDX_ADDRESS(uint32_t, selected),
                                           .keys_out = RDX_ADDRESS(uint32_t, h->keys),
                                           .rows_out = RDX_ADDRESS(uint32_t, h->rows),
                                           .base = (uint32_t)index->stats.rows};
  RDX_TRY(rdx_stream_launch(stream, &rdx_kernel_changes_gather, &args, &key64, h->count, NULL, err));
  return rdx_stream_sort(stream, h->keys, index->stats.key_bits / 8, index->stats.key_bits, h->rows, h->count, err);
}

static rdx_status load_column(const rdx_index *index, const rdx_device_column *c, rdx_stream *stream, bool with_rows,
                              half *out, rdx_error *err) {
  RDX_TRY(check_column(index, c, err));
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *selected = NULL, *selected_count = NULL;
  RDX_TRY(create_half(index, c->rows - c->nulls, with_rows, out, err));
  if (c->nulls > 0) {
    RDX_TRY(rdx_buffer_create(index->device, out->count * 4, "the rows that are not NULL", &selected, err));
    RDX_TRY(rdx_buffer_create(index->device, 8, "a count", &selected_count, err));
  }
  RDX_TRY(record_load(index, c, stream, selected, selected_count, out, err));
  return rdx_stream_finish(stream, err);
}

static rdx_status load(const rdx_index *index, const rdx_column *column, rdx_stream *stream, bool with_rows, half *out,
                       rdx_error *err) {
  if (!column)
    return RDX_OK;
  const rdx_device_column *c = NULL;
  RDX_SCOPED(rdx_device_column_destroy) rdx_device_column *owned = NULL;
  RDX_TRY(rdx_device_column_use(index->device, column, &c, &owned, err));
  return load_column(index, c, stream, with_rows, out, err);
}

/* ---- Pairs that cancel ---- */

/* Which keys of a half act, found for both halves before either is narrowed. */
typedef struct acting {
  rdx_buffer *keep, *selected, *count;
} acting;

static void destroy_acting(acting *a) {
  RDX_DESTROY_BUFFERS(&a->keep, &a->selected, &a->count);
}

static rdx_status record_acting(const rdx_index *index, const half *h, const half *other, rdx_stream *stream,
                                acting *out, rdx_error *err) {
  const uint64_t words = (h->count + 31) / 32;
  const uint32_t key64 = index->stats.key_bits == 64;
  RDX_TRY(rdx_buffer_create(index->device, words * 4, "the keys that act", &out->keep, err));
  RDX_TRY(rdx_buffer_create(index->device, h->count * 4, "the keys that act", &out->selected, err));
  RDX_TRY(rdx_buffer_create(index->device, 8, "a count", &out->count, err));
  const struct changes_pair_args args = {.keys = RDX_ADDRESS(uint32_t, h->keys),
                                         .others = RDX_ADDRESS(uint32_t, other->keys),
                                         .keep = RDX_ADDRESS(uint32_t, out->keep),
                                         .n = (uint32_t)h->count,
                                         .other_n = (uint32_t)other->count};
  RDX_TRY(rdx_stream_launch(stream, &rdx_kernel_changes_pair, &args, &key64, words, NULL, err));
  return rdx_stream_select(stream, out->keep, out->selected, out->count, h->count, err);
}

/* Narrow a half to its acting keys. */
static rdx_status narrow(const rdx_index *index, half *h, const acting *a, rdx_stream *stream, rdx_error *err) {
  uint64_t count = 0;
  RDX_TRY(rdx_buffer_number(a->count, 0, 0, h->count, "the changes that act", &count, err));
  if (count == h->count)
    return RDX_OK;
  RDX_SCOPED(destroy_half) half less = {0};
  RDX_TRY(create_half(index, count, h->rows != NULL, &less, err));
  const uint32_t key64 = index->stats.key_bits == 64;
  const struct changes_gather_args args = {.keys = RDX_ADDRESS(uint32_t, h->keys),
                                           .rows = RDX_ADDRESS(uint32_t, h->rows),
                                           .selected = RDX_ADDRESS(uint32_t, a->selected),
                                           .keys_out = RDX_ADDRESS(uint32_t, less.keys),
                                           .rows_out = RDX_ADDRESS(uint32_t, less.rows)};
  RDX_TRY(rdx_stream_launch(stream, &rdx_kernel_changes_gather, &args, &key64, count, NULL, err));
  RDX_TRY(rdx_stream_finish(stream, err));
  const half old = *h;
  *h = less;
  less = old;
  return RDX_OK;
}

/* cgRX, section 4 "Any key that is both to be inserted and deleted in a batch". */
/* A key to be inserted and removed in one batch does neither, as often as it stands in both. */
static rdx_status cancel_pairs(const rdx_index *index, half *inserts, half *removes, rdx_stream *stream,
                               rdx_error *err) {
  if (inserts->count == 0 || removes->count == 0)
    return RDX_OK;
  RDX_SCOPED(destroy_acting) acting a = {0}, b = {0};
  RDX_TRY(record_acting(index, inserts, removes, stream, &a, err));
  RDX_TRY(record_acting(index, removes, inserts, stream, &b, err));
  RDX_TRY(rdx_stream_finish(stream, err));
  RDX_TRY(narrow(index, inserts, &a, stream, err));
  return narrow(index, removes, &b, stream, err);
}

/* ---- Applying ---- */

static rdx_status check(const rdx_index *index, const rdx_index_changes *changes, rdx_error *err) {
  if (!index || !changes)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_index_apply: index and changes must not be NULL");
  if (!index->ops->apply)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "%s cannot be changed in place; use rdx_index_update()",
                    index->ops->name);
  const uint64_t inserts = changes->insert ? changes->insert->rows : 0;
  const uint64_t removes = changes->remove ? changes->remove->rows : 0;
  if (inserts >= RDX_NO_ROW - index->stats.rows || removes >= RDX_NO_ROW)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED,
                    "an index holds at most 2^32 - 2 rows; it has %llu, and the batch inserts %llu and removes %llu",
                    (unsigned long long)index->stats.rows, (unsigned long long)inserts, (unsigned long long)removes);
  return RDX_OK;
}

static rdx_status apply(rdx_index *index, const rdx_index_changes *changes, rdx_stream *stream, rdx_index_stats *stats,
                        rdx_error *err) {
  const double start = rdx_now_ms();
  RDX_SCOPED(destroy_half) half inserts = {0}, removes = {0};
  RDX_TRY(load(index, changes->insert, stream, true, &inserts, err));
  RDX_TRY(load(index, changes->remove, stream, false, &removes, err));
  RDX_TRY(cancel_pairs(index, &inserts, &removes, stream, err));
  stats->sort_ms = rdx_now_ms() - start;
  if (inserts.count + removes.count == 0)
    return RDX_OK;
  const rdx_changes c = {.inserts = inserts.count,
                         .removes = removes.count,
                         .insert_keys = inserts.keys,
                         .insert_rows = inserts.rows,
                         .remove_keys = removes.keys};
  stats->long_runs |= c.inserts > 0;
  return index->ops->apply(index->self, &c, stats, err);
}

/* Say what a change that failed has left, unless nobody knows. */
static rdx_status left_alone(rdx_status status, rdx_error *err) {
  if (status != RDX_OK && status != RDX_ERROR_DEVICE_LOST && status != RDX_ERROR_INTERNAL && err) {
    const size_t length = strlen(err->text);
    snprintf(err->text + length, sizeof err->text - length, "; the index is as it was before");
  }
  return status;
}

/* Run a change with the books on memory and time. The index is changed or, on failure, as before. */
static rdx_status run(rdx_index *index, const rdx_index_changes *changes, rdx_error *err) {
  const double start = rdx_now_ms();
  rdx_index_stats stats = index->stats;
  stats.sort_ms = stats.encode_ms = stats.scene_ms = stats.compact_ms = 0;
  const uint64_t used = atomic_load(&index->device->memory_used);
  atomic_store(&index->device->memory_mark, used);
  if (changes) {
    rdx_stream *stream = NULL;
    stats.rows += changes->insert ? changes->insert->rows : 0;
    RDX_TRY(rdx_stream_create_for(index->device, "change", &stream, err));
    rdx_status status = apply(index, changes, stream, &stats, err);
    rdx_stream_destroy(&stream);
    RDX_TRY(status);
  } else {
    RDX_TRY(index->ops->rebuild(index->self, &stats, err));
  }
  stats.bytes_peak = atomic_load(&index->device->memory_mark) - used;
  stats.total_ms = rdx_now_ms() - start;
  index->stats = stats;
  return RDX_OK;
}

rdx_status rdx_index_apply(rdx_index *index, const rdx_index_changes *changes, rdx_error *err) {
  RDX_TRY(check(index, changes, err));
  RDX_TRY(rdx_index_check_single(index, "rdx_index_apply()", err));
  return left_alone(run(index, changes, err), err);
}

rdx_status rdx_index_rebuild(rdx_index *index, rdx_error *err) {
  if (!index)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_index_rebuild: index must not be NULL");
  if (!index->ops->rebuild)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "%s has nothing that a rebuild would better", index->ops->name);
  return left_alone(run(index, NULL, err), err);
}
