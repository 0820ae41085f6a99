/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Creating, updating and destroying indexes of any kind. */

#include "index/index.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/options.h"
#include "column/column.h"
#include "column/composite.h"
#include "index/range_gather.h"
#include "column/text_codes.h"
#include "kernels/primitives/kernels.h"

#define DEFAULT_METHOD RDX_INDEX_TREE /* which RDX_INDEX_AUTO is */

/* The table of methods. */
extern const rdx_index_ops rdx_rx_ops, rdx_sorted_array_ops, rdx_tree_ops, rdx_hash_ops, rdx_rx_optimized_ops,
    rdx_cgrx_ops, rdx_cgrx_naive_ops, rdx_cgrx_updatable_ops, rdx_radix_hash_ops;

static const rdx_index_ops *const methods[] = {
    [RDX_INDEX_RX] = &rdx_rx_ops,
    [RDX_INDEX_SORTED_ARRAY] = &rdx_sorted_array_ops,
    [RDX_INDEX_TREE] = &rdx_tree_ops,
    [RDX_INDEX_BTREE] = &rdx_btree_ops,
    [RDX_INDEX_HASH] = &rdx_hash_ops,
    [RDX_INDEX_RX_OPTIMIZED] = &rdx_rx_optimized_ops,
    [RDX_INDEX_CGRX] = &rdx_cgrx_ops,
    [RDX_INDEX_CGRX_NAIVE] = &rdx_cgrx_naive_ops,
    [RDX_INDEX_CGRX_UPDATABLE] = &rdx_cgrx_updatable_ops,
    [RDX_INDEX_RADIX_HASH] = &rdx_radix_hash_ops,
};
_Static_assert(RDX_COUNT(methods) == RDX_INDEX_METHODS, "a method is not counted");

rdx_status rdx_check_compaction(const char *method, const rdx_device *device, rdx_switch compaction, rdx_error *err) {
  if (compaction > RDX_SWITCH_OFF)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "%s: compaction is unknown: %d", method, (int)compaction);
  if (compaction == RDX_SWITCH_DEFAULT || device->info.backend != RDX_BACKEND_CPU)
    return RDX_OK;
  return rdx_fail(err, RDX_ERROR_UNSUPPORTED,
                  "%s: Embree has no compaction to switch; leave the option out (a build for low memory "
                  "makes a smaller scene)",
                  method);
}

rdx_status rdx_check_lanes(const char *method, const rdx_device *device, uint32_t lanes, rdx_error *err) {
  if (lanes <= 1 || device->info.backend != RDX_BACKEND_CPU)
    return RDX_OK;
  return rdx_fail(err, RDX_ERROR_UNSUPPORTED,
                  "%s: lanes are a GPU's, which work together; a thread of a CPU works by itself; leave the option out",
                  method);
}

/* NULL: there is no such method, or it is AUTO. */
static const rdx_index_ops *find_ops(rdx_index_method method) {
  return (size_t)method < RDX_COUNT(methods) ? methods[method] : NULL;
}

const char *rdx_index_method_name(rdx_index_method method) {
  const rdx_index_ops *ops = find_ops(method);
  return ops ? ops->name : method == RDX_INDEX_AUTO ? "auto" : "unknown";
}

rdx_status rdx_index_method_from_name(const char *name, rdx_index_method *out, rdx_error *err) {
  const char *names[RDX_INDEX_METHODS];
  uint32_t number = 0;
  if (!name || !out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_index_method_from_name: name and out must not be NULL");
  for (uint32_t i = 0; i < RDX_INDEX_METHODS; i++)
    names[i] = rdx_index_method_name((rdx_index_method)i);
  RDX_TRY(rdx_method_find(names, RDX_INDEX_METHODS, "method", name, &number, err));
  *out = (rdx_index_method)number;
  return RDX_OK;
}

rdx_index_abilities rdx_index_method_abilities(rdx_index_method method) {
  const rdx_index_ops *ops = find_ops(method == RDX_INDEX_AUTO ? DEFAULT_METHOD : method);
  return ops ? (rdx_index_abilities){.traces = ops->count_rays != NULL,
                                     .ranges = !ops->points_only,
                                     .includes = ops->rows != NULL,
                                     .changes = ops->apply != NULL}
             : (rdx_index_abilities){0};
}

bool rdx_index_has_rows(const rdx_index *index) {
  const rdx_index_ops *ops = index->ops;
  return ops->rows && !(ops->gathers_ranges && ops->gathers_ranges(index->self));
}

/* ---- Building ---- */

/* List the rows that are not NULL, and bring their keys together. */
static rdx_status drop_nulls(const rdx_device_column *column, rdx_key_set *set, rdx_error *err) {
  RDX_SCOPED(rdx_stream_destroy) rdx_stream *stream = NULL;
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *count = NULL;
  RDX_TRY(rdx_stream_create_for(set->device, "build", &stream, err));
  RDX_TRY(rdx_buffer_create(set->device, 8, "a count", &count, err));
  RDX_TRY(rdx_buffer_create(set->device, set->count * 4, "the rows that are not NULL", &set->rows, err));
  RDX_TRY(
      rdx_buffer_create(set->device, set->count * (set->key_bits / 8), "the keys that are not NULL", &set->keys, err));
  RDX_TRY(rdx_stream_select(stream, column->valid, set->rows, count, column->rows, err));
  RDX_TRY(rdx_primitive_gather(stream, RDX_ADDRESS(uint32_t, column->keys), set->rows, set->key_bits, set->keys,
                               set->count, err));
  return rdx_stream_finish(stream, err);
}

rdx_status rdx_key_set_create(rdx_device *device, const rdx_device_column *column, rdx_key_set *out, rdx_error *err) {
  *out = (rdx_key_set){
      .device = device, .type = column->type, .key_bits = column->key_bits, .count = column->rows - column->nulls};
  if (column->nulls == 0) {
    out->keys = rdx_buffer_retain(column->keys);
    return RDX_OK;
  }
  const rdx_status status = drop_nulls(column, out, err);
  if (status != RDX_OK)
    rdx_key_set_destroy(out);
  return status;
}

void rdx_key_set_destroy(rdx_key_set *set) {
  RDX_DESTROY_BUFFERS(&set->keys, &set->rows);
}

/* Refuse a build that cannot fit, with numbers, before anything is built. */
static rdx_status check_memory(const rdx_index *index, uint64_t keys, uint32_t key_bits, rdx_error *err) {
  const uint64_t need = index->ops->estimate(index->device, &index->params, keys, key_bits);
  char what[96];
  snprintf(what, sizeof what, "building %s over %llu keys", index->ops->name, (unsigned long long)keys);
  return rdx_device_expect(index->device, need, what, "use fewer keys, another method, or a build for low memory", err);
}

static void destroy_self(const rdx_index_ops *ops, void *self) {
  if (self)
    ops->destroy(self);
  rdx_free(self);
}

/* Build over the column; only on success are `self` and `stats` of the index replaced. */
static rdx_status build(rdx_index *index, const rdx_device_column *column, rdx_error *err) {
  RDX_SCOPED(rdx_key_set_destroy) rdx_key_set set = {0};
  rdx_index_stats stats = {.method = index->params.method,
                           .key_type = column->type,
                           .key_bits = column->key_bits,
                           .rows = column->rows,
                           .keys = column->rows - column->nulls};
  if (index->ops->count_rays)
    RDX_TRY(rdx_device_check_tracing(index->device, index->ops->name, err));
  RDX_TRY(check_memory(index, stats.keys, stats.key_bits, err));
  const uint64_t used = atomic_load(&index->device->memory_used);
  atomic_store(&index->device->memory_mark, used);
  void *self = NULL;
  RDX_TRY(rdx_key_set_create(index->device, column, &set, err));
  rdx_status status = rdx_calloc(1, index->ops->size, "an index", &self, err);
  if (status == RDX_OK)
    status = index->ops->build(self, &set, &index->params, &stats, err);
  stats.bytes_peak = atomic_load(&index->device->memory_mark) - used;
  if (status == RDX_OK) {
    void *old = index->self;
    index->self = self;
    self = old;
    index->stats = stats;
  }
  destroy_self(index->ops, self);
  return status;
}

/* What later calls need of the column beside the index proper. */
typedef struct kept_column {
  uint32_t *validity;
  rdx_device_column *text;
  rdx_dictionary *dictionary;
  rdx_device_column *codes; /* by this; only for the build */
} kept_column;

static void drop_kept(kept_column *kept) {
  rdx_free(kept->validity);
  rdx_device_column_destroy(&kept->text);
  rdx_dictionary_destroy(&kept->dictionary);
  rdx_device_column_destroy(&kept->codes);
  *kept = (kept_column){0};
}

/* A refit keeps the kind of keys that there are. */
static rdx_status make_codes(const rdx_index *index, const rdx_device_column *column, bool refit, kept_column *out,
                             rdx_error *err) {
  bool wanted = index->dictionary != NULL;
  if (!refit)
    RDX_TRY(rdx_text_wants_codes(column, &wanted, err));
  return wanted ? rdx_text_codes_create(column, &out->dictionary, &out->codes, err) : RDX_OK;
}

static rdx_status make_kept(const rdx_index *index, const rdx_device_column *column, bool refit, kept_column *out,
                            rdx_error *err) {
  RDX_SCOPED(drop_kept) kept_column made = {0};
  if (column->nulls > 0 && index->params.rx.updatable) {
    const uint64_t words = (column->rows + 31) / 32;
    RDX_TRY(rdx_alloc(words, 4, "the NULL bits of an index", (void **)&made.validity, err));
    RDX_TRY(rdx_buffer_download(column->valid, 0, made.validity, words * 4, err));
  }
  RDX_TRY(make_codes(index, column, refit, &made, err));
  if (column->type == RDX_TYPE_STRING && !made.dictionary)
    RDX_TRY(rdx_device_column_copy_text(column, &made.text, err));
  *out = RDX_KEEP(made);
  return RDX_OK;
}

/* Exchange what the index keeps for `kept`, which then holds the old. */
static void swap_kept(rdx_index *index, kept_column *kept) {
  const kept_column old = {index->validity, index->text, index->dictionary, kept->codes};
  index->validity = kept->validity;
  index->text = kept->text;
  index->dictionary = kept->dictionary;
  *kept = old;
}

rdx_status rdx_index_create(rdx_device *device, const rdx_column *keys, const rdx_index_params *params, rdx_index **out,
                            rdx_error *err) {
  static const rdx_index_params defaults = {0};
  if (!device || !keys || !out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_index_create: device, keys and out must not be NULL");
  const double start = rdx_now_ms();
  RDX_SCOPED(rdx_index_destroy) rdx_index *index = NULL;
  RDX_TRY(rdx_calloc(1, sizeof *index, "an index", (void **)&index, err));
  index->device = device;
  index->params = params ? *params : defaults;
  if (index->params.method == RDX_INDEX_AUTO)
    index->params.method = DEFAULT_METHOD;
  index->ops = find_ops(index->params.method);

  const rdx_device_column *column = NULL;
  RDX_SCOPED(rdx_device_column_destroy) rdx_device_column *owned = NULL;
  if (!index->ops)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "unknown index method %d", (int)index->params.method);
  RDX_TRY(rdx_index_check_options(params ? params : &defaults, err));
  RDX_TRY(rdx_progress("build", 0, 1, err));
  RDX_TRY(rdx_rows_check("an index", keys->rows, err));
  RDX_TRY(rdx_device_column_use(device, keys, &column, &owned, err));
  RDX_SCOPED(drop_kept) kept_column kept = {0};
  RDX_TRY(make_kept(index, column, false, &kept, err));
  swap_kept(index, &kept);
  index->key_scale = column->scale;
  RDX_TRY(build(index, kept.codes ? kept.codes : column, err));
  index->stats.total_ms = rdx_now_ms() - start;
  *out = RDX_KEEP(index);
  return RDX_OK;
}

void rdx_index_destroy(rdx_index **index) {
  if (!index || !*index)
    return;
  destroy_self((*index)->ops, (*index)->self);
  rdx_device_column_destroy(&(*index)->text);
  rdx_dictionary_destroy(&(*index)->dictionary);
  rdx_included_destroy(&(*index)->included);
  rdx_composite_destroy(&(*index)->composite);
  RDX_FREE_ALL((*index)->validity, *index);
  *index = NULL;
}

void rdx_index_get_stats(const rdx_index *index, rdx_index_stats *out) {
  *out = (rdx_index_stats){0};
  if (!index)
    return;
  *out = index->stats;
  out->key_type = rdx_index_key_type(index);
  if (index->text && !index->text->exact) { /* what differs is more than the keys on the device tell */
    out->distinct = false;
    out->distinct_keys = 0;
  }
}

/* ---- Updating ---- */

static rdx_status check_same_nulls(const rdx_index *index, const rdx_device_column *column, rdx_error *err) {
  bool same = column->rows == index->stats.rows && column->rows - column->nulls == index->stats.keys;
  if (same && column->nulls > 0) {
    const uint64_t words = (column->rows + 31) / 32;
    uint32_t *validity = NULL;
    RDX_TRY(rdx_alloc(words, 4, "NULL bits", (void **)&validity, err));
    rdx_status status = rdx_buffer_download(column->valid, 0, validity, words * 4, err);
    same = status == RDX_OK && index->validity && memcmp(validity, index->validity, words * 4) == 0;
    rdx_free(validity);
    RDX_TRY(status);
  }
  if (!same)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED,
                    "a refit moves the keys that there are: the column must have as many rows as before and NULLs in "
                    "the same ones; use RDX_UPDATE_REBUILD");
  return RDX_OK;
}

static rdx_status refit(rdx_index *index, const rdx_device_column *column, rdx_error *err) {
  if (!index->ops->refit)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "%s cannot be refitted; use RDX_UPDATE_REBUILD", index->ops->name);
  RDX_TRY(check_same_nulls(index, column, err));
  rdx_index_stats stats = index->stats;
  RDX_TRY(index->ops->refit(index->self, column, &stats, err));
  index->stats = stats;
  return RDX_OK;
}

/* RX, section 3.6 "updates in RX should be realized via a full rebuild". */
rdx_status rdx_index_update(rdx_index *index, const rdx_column *keys, rdx_update_mode mode, rdx_error *err) {
  if (!index || !keys || (mode != RDX_UPDATE_REBUILD && mode != RDX_UPDATE_REFIT))
    return rdx_fail(err, RDX_ERROR_ARGUMENT,
                    "rdx_index_update: index and keys must not be NULL, and the mode a known one");
  RDX_TRY(rdx_index_check_single(index, "rdx_index_update()", err));
  const double start = rdx_now_ms();
  const rdx_device_column *column = NULL;
  RDX_SCOPED(rdx_device_column_destroy) rdx_device_column *owned = NULL;
  RDX_SCOPED(drop_kept) kept_column kept = {0};
  RDX_TRY(rdx_rows_check("an index", keys->rows, err));
  RDX_TRY(rdx_device_column_use(index->device, keys, &column, &owned, err));
  const rdx_type type = rdx_index_key_type(index);
  if (column->type != type || column->scale != index->key_scale)
    return rdx_fail(err, RDX_ERROR_ARGUMENT,
                    "the index holds %s keys of scale %u; an update cannot turn them into %s of scale %u",
                    rdx_type_name(type), index->key_scale, rdx_type_name(column->type), column->scale);
  RDX_TRY(make_kept(index, column, mode == RDX_UPDATE_REFIT, &kept, err));
  const rdx_device_column *keyed = kept.codes ? kept.codes : column;
  RDX_TRY(mode == RDX_UPDATE_REFIT ? refit(index, keyed, err) : build(index, keyed, err));
  swap_kept(index, &kept);
  rdx_included_destroy(&index->included); /* it is in the order of the keys that were */
  index->stats.total_ms = rdx_now_ms() - start;
  return RDX_OK;
}
