/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Lookups the other way round: an index over the probes, in which the keys look themselves up. */

#include <raydex/join.h>

#include "base/base.h"
#include "column/column.h"
#include "column/device_column.h"
#include "index/probes.h"
#include "index/summing.h"
#include "join/strings.h"
#include "kernels/inverse/kernels.h"
#include "kernels/primitives/kernels.h"

/* A lookup at work. */
typedef struct inverse {
  rdx_device *device;
  const rdx_lookup_params *params;
  const rdx_device_column *values;
  rdx_summing summing;
  rdx_device_column probes; /* ascending */
  rdx_buffer *places;       /* of these among those given */
  rdx_index *index;         /* over them */
  rdx_device_column keys;   /* ascending, NULLs among them */
  rdx_buffer *rows;         /* of these */
  const uint32_t *keys_valid;
  rdx_buffer *found; /* of each key: the first probe that equals it */
  rdx_parts parts;
  rdx_lookup_result *result;
} inverse;

static rdx_status make(const inverse *v, uint64_t count, uint64_t size, rdx_buffer **out, rdx_error *err) {
  return rdx_buffer_create(v->device, count * size, "an inverse lookup", out, err);
}

/* ---- Both sides in ascending order ---- */

/* Keys at `from` sorted into `out`, and where each was. */
static rdx_status sort(const inverse *v, rdx_stream *stream, const uint32_t *from, rdx_device_column *out,
                       rdx_buffer **places, rdx_error *err) {
  const uint32_t bits = out->key_bits;
  RDX_TRY(make(v, out->rows, bits / 8, &out->keys, err));
  RDX_TRY(make(v, out->rows, 4, places, err));
  RDX_TRY(rdx_primitive_iota(stream, *places, out->rows, err));
  RDX_TRY(rdx_primitive_gather(stream, from, *places, bits, out->keys, out->rows, err));
  return rdx_stream_sort(stream, out->keys, bits / 8, bits, *places, out->rows, err);
}

/* thesis, section 4.3 "assumes that the query set is sorted". */
static rdx_status sort_probes(inverse *v, rdx_stream *stream, const rdx_device_column *given, rdx_error *err) {
  v->probes = *given;
  v->probes.keys = v->probes.valid = NULL;
  RDX_TRY(rdx_stream_mark(stream, err));
  RDX_TRY(sort(v, stream, RDX_ADDRESS(uint32_t, given->keys), &v->probes, &v->places, err));
  if (given->valid) {
    RDX_TRY(make(v, (given->rows + 31) / 32, 4, &v->probes.valid, err));
    RDX_TRY(
        rdx_primitive_bits(stream, RDX_ADDRESS(uint32_t, given->valid), v->places, v->probes.valid, given->rows, err));
  }
  return rdx_stream_finish_timed(stream, &v->result->stats.device_ms, err);
}

static rdx_status sort_keys(inverse *v, rdx_stream *stream, const rdx_probes *given, rdx_error *err) {
  v->keys = (rdx_device_column){.device = v->device,
                                .type = v->probes.type,
                                .scale = v->probes.scale,
                                .rows = given->count,
                                .key_bits = v->probes.key_bits};
  v->keys_valid = given->valid;
  RDX_TRY(rdx_stream_mark(stream, err));
  RDX_TRY(sort(v, stream, given->lower, &v->keys, &v->rows, err));
  return rdx_stream_finish_timed(stream, &v->result->stats.device_ms, err);
}

/* ---- The keys look themselves up ---- */

static rdx_status look_up(inverse *v, rdx_error *err) {
  static const rdx_lookup_options ordinary = {0};
  const rdx_column keys = rdx_device_column_view(&v->keys);
  const rdx_lookup_params first = {.result = RDX_LOOKUP_FIRST, .stats = v->params->stats};
  RDX_SCOPED(rdx_lookup_result_destroy) rdx_lookup_result *found = NULL;
  rdx_lookup_view view;
  RDX_TRY(rdx_index_look_up_for(v->index, &keys, NULL, &first, &ordinary, &found, err));
  v->result->stats.device_ms += found->stats.device_ms;
  v->result->stats.rays = found->stats.rays;
  v->result->stats.visits = found->stats.visits;
  if (found->on_device) {
    v->found = rdx_buffer_retain(found->parts.first);
  } else { /* it ran in slices */
    RDX_TRY(rdx_lookup_result_view(found, &view, err));
    RDX_TRY(make(v, v->keys.rows, 4, &v->found, err));
    RDX_TRY(rdx_buffer_upload(v->found, 0, view.first, v->keys.rows * 4, err));
  }
  return RDX_OK;
}

/* ---- What each probe gets ---- */

static rdx_status gather(inverse *v, rdx_stream *stream, uint32_t how, const rdx_parts *to, rdx_error *err) {
  const bool sums = how == GATHER_SUM || how == GATHER_SUM_WIDE;
  const struct inverse_args args = {.keys = RDX_ADDRESS(uint32_t, v->keys.keys),
                                    .rows = RDX_ADDRESS(uint32_t, v->rows),
                                    .keys_valid = (uint32_t *)(uintptr_t)v->keys_valid,
                                    .found = RDX_ADDRESS(uint32_t, v->found),
                                    .probes = RDX_ADDRESS(uint32_t, v->probes.keys),
                                    .places = RDX_ADDRESS(uint32_t, v->places),
                                    .probes_valid = RDX_ADDRESS(uint32_t, v->probes.valid),
                                    .values = sums ? RDX_ADDRESS(uint32_t, v->values->keys) : NULL,
                                    .values_valid = sums ? RDX_ADDRESS(uint32_t, v->values->valid) : NULL,
                                    .out_count = RDX_ADDRESS(uint32_t, to->count),
                                    .out_first = RDX_ADDRESS(uint32_t, to->first),
                                    .out_sum = RDX_ADDRESS(uint64_t, sums ? to->sum : to->offsets),
                                    .out_rows = RDX_ADDRESS(uint32_t, to->rows),
                                    .n = (uint32_t)v->keys.rows,
                                    .probe_count = (uint32_t)v->probes.rows};
  const uint32_t variant[INVERSE_CONSTANTS] = {v->keys.key_bits == 64, how, sums ? rdx_value_kind(v->values->type) : 0};
  return rdx_stream_launch(stream, &rdx_kernel_inverse, &args, variant, v->keys.rows, NULL, err);
}

/* A buffer of what probes without a match get: words of `nothing`. */
static rdx_status make_filled(const inverse *v, rdx_stream *stream, uint64_t size, uint32_t nothing, rdx_buffer **out,
                              rdx_error *err) {
  RDX_TRY(make(v, v->probes.rows, size, out, err));
  return rdx_stream_fill(stream, *out, 0, v->probes.rows * size, nothing, err);
}

static rdx_status count(inverse *v, rdx_stream *stream, rdx_buffer **counts, rdx_error *err) {
  RDX_TRY(rdx_stream_mark(stream, err));
  RDX_TRY(make_filled(v, stream, 4, 0, counts, err));
  RDX_TRY(gather(v, stream, GATHER_COUNT, &(rdx_parts){.count = *counts}, err));
  return rdx_stream_finish_timed(stream, &v->result->stats.device_ms, err);
}

static rdx_status find_first(inverse *v, rdx_stream *stream, rdx_error *err) {
  RDX_TRY(rdx_stream_mark(stream, err));
  RDX_TRY(make_filled(v, stream, 4, NO_ROW, &v->parts.first, err));
  RDX_TRY(gather(v, stream, GATHER_COUNT, &(rdx_parts){.first = v->parts.first}, err));
  return rdx_stream_finish_timed(stream, &v->result->stats.device_ms, err);
}

/* thesis, section 4.3 "the result of the key is added to the corresponding query". */
static rdx_status add_up(inverse *v, rdx_stream *stream, rdx_error *err) {
  const bool wide = v->summing == RDX_SUM_WIDE;
  uint32_t bad = 0;
  RDX_TRY(rdx_stream_mark(stream, err));
  RDX_TRY(make_filled(v, stream, 4, 0, &v->parts.count, err));
  RDX_TRY(make_filled(v, stream, wide ? 16 : 8, 0, &v->parts.sum, err));
  RDX_TRY(gather(v, stream, wide ? GATHER_SUM_WIDE : GATHER_SUM, &v->parts, err));
  RDX_TRY(rdx_stream_finish_timed(stream, &v->result->stats.device_ms, err));
  if (wide)
    RDX_TRY(rdx_sums_join(stream, v->values->type, &v->parts.sum, v->probes.rows, &bad, err));
  return bad ? rdx_fail(err, RDX_ERROR_OVERFLOW, "the sum of probe %lu does not fit 64 bits", (unsigned long)bad - 1)
             : RDX_OK;
}

static rdx_status place_rows(inverse *v, rdx_stream *stream, rdx_error *err) {
  static const rdx_lookup_options none = {0};
  const uint64_t probes = v->probes.rows, max = probes * v->keys.rows;
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *counts = NULL;
  RDX_TRY(count(v, stream, &counts, err));
  RDX_TRY(make(v, probes + 1, 8, &v->parts.offsets, err));
  RDX_TRY(rdx_stream_scan(stream, counts, v->parts.offsets, probes, err));
  RDX_TRY(rdx_stream_finish(stream, err));
  RDX_TRY(rdx_buffer_number(v->parts.offsets, probes * 8, 0, max, "the matches of probes", &v->parts.row_count, err));
  if (v->parts.row_count > UINT32_MAX)
    return rdx_fail(err, RDX_ERROR_MEMORY, "%llu rows match: ask for their number, or for fewer probes at a time",
                    (unsigned long long)v->parts.row_count);
  return rdx_expect_rows(v->device, v->parts.row_count, &none, err);
}

static rdx_status list_rows(inverse *v, rdx_stream *stream, rdx_error *err) {
  RDX_TRY(place_rows(v, stream, err));
  RDX_TRY(make(v, v->parts.row_count, 4, &v->parts.rows, err));
  RDX_TRY(rdx_stream_mark(stream, err));
  RDX_TRY(gather(v, stream, GATHER_ROWS, &v->parts, err));
  return rdx_stream_finish_timed(stream, &v->result->stats.device_ms, err);
}

/* In the order of rows, as any lookup adds them. */
static rdx_status add_floats(inverse *v, rdx_stream *stream, rdx_error *err) {
  rdx_parts *p = &v->parts;
  RDX_TRY(list_rows(v, stream, err));
  RDX_TRY(make(v, v->probes.rows, 4, &p->count, err));
  RDX_TRY(make(v, v->probes.rows, 8, &p->sum, err));
  const primitive_floats_args args = {.offsets = RDX_ADDRESS(uint64_t, p->offsets),
                                      .rows = RDX_ADDRESS(uint32_t, p->rows),
                                      .values = RDX_ADDRESS(uint32_t, v->values->keys),
                                      .values_valid = RDX_ADDRESS(uint32_t, v->values->valid),
                                      .sums = RDX_ADDRESS(double, p->sum),
                                      .counts = RDX_ADDRESS(uint32_t, p->count)};
  RDX_TRY(rdx_primitive_floats(stream, &args, v->values->type == RDX_TYPE_F64, v->probes.rows, err));
  RDX_TRY(rdx_stream_finish(stream, err));
  RDX_DESTROY_BUFFERS(&p->offsets, &p->rows);
  return RDX_OK;
}

static rdx_status collect(inverse *v, rdx_stream *stream, rdx_error *err) {
  switch (v->params->result) {
  case RDX_LOOKUP_COUNT:
    return count(v, stream, &v->parts.count, err);
  case RDX_LOOKUP_FIRST:
    return find_first(v, stream, err);
  case RDX_LOOKUP_SUM:
    return v->summing == RDX_SUM_FLOATS ? add_floats(v, stream, err) : add_up(v, stream, err);
  default:
    return list_rows(v, stream, err);
  }
}

/* ---- The whole ---- */

/* `keys` as probes of the index, sorted, looked up, and what the probes get. */
static rdx_status run_keys(inverse *v, rdx_stream *stream, const rdx_column *keys, rdx_error *err) {
  RDX_SCOPED(rdx_probes_destroy) rdx_probes given = {0};
  RDX_TRY(rdx_probes_create(v->index, keys, NULL, 0, keys->device ? keys->device->rows : keys->rows, &given, err));
  v->result->stats.bytes_uploaded += given.bytes;
  RDX_TRY(sort_keys(v, stream, &given, err));
  RDX_TRY(look_up(v, err));
  return collect(v, stream, err);
}

static rdx_status run(inverse *v, const rdx_column *keys, const rdx_device_column *probes,
                      const rdx_index_params *index, rdx_error *err) {
  RDX_SCOPED(rdx_stream_destroy) rdx_stream *stream = NULL;
  RDX_TRY(rdx_stream_create_for(v->device, "lookup", &stream, err));
  RDX_TRY(sort_probes(v, stream, probes, err));
  const rdx_column sorted = rdx_device_column_view(&v->probes);
  RDX_TRY(rdx_index_create(v->device, &sorted, index, &v->index, err));
  return run_keys(v, stream, keys, err);
}

static void drop(inverse *v) {
  rdx_index_destroy(&v->index);
  RDX_DESTROY_BUFFERS(&v->probes.keys, &v->probes.valid, &v->places, &v->keys.keys, &v->rows, &v->found);
  rdx_parts_destroy(&v->parts);
  rdx_lookup_result_destroy(&v->result);
}

/* With columns that are not strings. */
static rdx_status look_up_inverse(inverse *v, const rdx_column *keys, const rdx_column *probes,
                                  const rdx_index_params *index, rdx_index_stats *stats, rdx_lookup_result **out,
                                  rdx_error *err) {
  const double start = rdx_now_ms();
  const rdx_device_column *column = NULL;
  RDX_SCOPED(rdx_device_column_destroy) rdx_device_column *owned = NULL, *owned_values = NULL;
  RDX_TRY(rdx_device_column_use(v->device, probes, &column, &owned, err));
  RDX_TRY(rdx_lookup_result_create(v->device, v->params->result, column->rows, keys->rows, &v->result, err));
  if (v->params->values) {
    RDX_TRY(rdx_device_column_use(v->device, v->params->values, &v->values, &owned_values, err));
    RDX_TRY(rdx_summing_choose(v->device, v->values, false, &v->summing, v->result, err));
  }
  if (column->rows > 0) {
    RDX_TRY(run(v, keys, column, index, err));
    if (stats)
      rdx_index_get_stats(v->index, stats);
    rdx_lookup_result_take(v->result, &v->parts);
  }
  v->result->stats.total_ms = rdx_now_ms() - start;
  *out = RDX_KEEP(v->result);
  return RDX_OK;
}

static rdx_status check(const rdx_device *device, const rdx_column *keys, const rdx_column *probes,
                        const rdx_lookup_params *params, rdx_lookup_result **out, rdx_error *err) {
  if (!device || !keys || !probes || !out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_lookup_inverse: device, keys, probes and out must not be NULL");
  if (params->result > RDX_LOOKUP_ROWS)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "unknown result kind %d", (int)params->result);
  if ((params->result == RDX_LOOKUP_SUM) != (params->values != NULL))
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "a value column goes with RDX_LOOKUP_SUM and with nothing else");
  if (params->each)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED,
                    "rdx_lookup_inverse: rows do not come in parts; look fewer probes up at a time");
  RDX_TRY(rdx_column_check_view(keys, "the keys", err));
  RDX_TRY(rdx_column_check_view(probes, "the probes", err));
  RDX_TRY(rdx_rows_check("an index", keys->rows, err));
  RDX_TRY(rdx_rows_check("an index", probes->rows, err));
  return rdx_summing_check_rows(params->values, keys->rows, err);
}

/* thesis, section 4.3 "Inverse Mapping Algorithm for Point Query". */
rdx_status rdx_lookup_inverse(rdx_device *device, const rdx_column *keys, const rdx_column *probes,
                              const rdx_index_params *index, const rdx_lookup_params *params, rdx_index_stats *stats,
                              rdx_lookup_result **out, rdx_error *err) {
  static const rdx_lookup_params defaults = {0};
  static const rdx_index_params hash = {.method = RDX_INDEX_HASH};
  params = params ? params : &defaults;
  RDX_TRY(check(device, keys, probes, params, out, err));
  RDX_SCOPED(drop) inverse v = {.device = device, .params = params};
  const rdx_index_params *used = index && index->method != RDX_INDEX_AUTO ? index : &hash;
  if (stats)
    *stats = (rdx_index_stats){0};
  if (keys->type != RDX_TYPE_STRING || probes->type != RDX_TYPE_STRING)
    return look_up_inverse(&v, keys, probes, used, stats, out, err);
  RDX_SCOPED(rdx_join_codes_drop) rdx_join_codes codes = {0};
  RDX_TRY(rdx_join_codes_make(probes, keys, &codes, err));
  return look_up_inverse(&v, &codes.right, &codes.left, used, stats, out, err);
}
