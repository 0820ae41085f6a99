/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Results: on the device until they are read, or joined from slices on the host. */

#include "index/result.h"

#include <stdio.h>
#include <string.h>

#include "kernels/lookup/lookup.h"
#include "kernels/primitives/primitives.h"

void rdx_parts_destroy(rdx_parts *parts) {
  RDX_DESTROY_BUFFERS(&parts->count, &parts->first, &parts->sum, &parts->offsets, &parts->rows);
  parts->row_count = 0;
}

rdx_status rdx_parts_download_rows(const rdx_parts *parts, uint64_t probes, uint64_t keyed, uint64_t **offsets,
                                   uint32_t **rows, rdx_error *err) {
  rdx_device *device = parts->rows->device;
  RDX_TRY(rdx_alloc(probes + 1, 8, "the rows of a result", (void **)offsets, err));
  RDX_TRY(rdx_alloc(parts->row_count, 4, "the rows of a result", (void **)rows, err));
  (*offsets)[0] = 0;
  RDX_TRY(rdx_buffer_download(parts->offsets, 8, *offsets + 1, probes * 8, err));
  RDX_TRY(rdx_buffer_download(parts->rows, 0, *rows, parts->row_count * 4, err));
  RDX_TRY(rdx_returned_ends(device, *offsets + 1, probes, parts->row_count, err));
  return rdx_returned_u32s(device, *rows, parts->row_count, keyed - 1, "the row of a key", err);
}

rdx_status rdx_lookup_result_create(rdx_device *device, rdx_lookup_result_kind kind, uint64_t probes, uint64_t keyed,
                                    rdx_lookup_result **out, rdx_error *err) {
  RDX_TRY(rdx_calloc(1, sizeof **out, "a result", (void **)out, err));
  (*out)->device = device;
  (*out)->kind = kind;
  (*out)->probes = probes;
  (*out)->keyed = keyed;
  (*out)->stats.probes = probes;
  return RDX_OK;
}

void rdx_lookup_result_destroy(rdx_lookup_result **result) {
  if (!result || !*result)
    return;
  rdx_lookup_result *r = *result;
  rdx_device_release_host(r->device, r->host_bytes);
  rdx_parts_destroy(&r->parts);
  RDX_FREE_ALL(r->count, r->first, r->rows, r->sum, r->offsets, r);
  *result = NULL;
}

static uint64_t size_of(const rdx_buffer *buffer) {
  return buffer ? buffer->size : 0;
}

static void count_bytes(rdx_lookup_result *r, const rdx_parts *p) {
  r->stats.bytes_result +=
      size_of(p->count) + size_of(p->first) + size_of(p->sum) + size_of(p->offsets) + size_of(p->rows);
}

void rdx_lookup_result_take(rdx_lookup_result *result, rdx_parts *parts) {
  result->parts = *parts;
  result->on_device = true;
  count_bytes(result, parts);
  *parts = (rdx_parts){0};
}

void rdx_lookup_result_restart(rdx_lookup_result *result) {
  const uint64_t probes = result->stats.probes;
  result->stats = (rdx_lookup_stats){.probes = probes};
}

/* ---- On the host ---- */

/* An array, on the books. */
static rdx_status make_array(rdx_lookup_result *r, uint64_t count, uint64_t size, void **out, rdx_error *err) {
  if (*out)
    return RDX_OK;
  return rdx_device_grow_host(r->device, out, 0, count, size, "the values of a result", &r->host_bytes, err);
}

/* The host arrays of this kind, with room for all probes. Rows grow as they come. */
static rdx_status make_arrays(rdx_lookup_result *r, rdx_error *err) {
  const rdx_lookup_result_kind kind = r->kind;
  if (kind == RDX_LOOKUP_COUNT || kind == RDX_LOOKUP_SUM)
    RDX_TRY(make_array(r, r->probes, 4, (void **)&r->count, err));
  if (kind == RDX_LOOKUP_FIRST)
    RDX_TRY(make_array(r, r->probes, 4, (void **)&r->first, err));
  if (kind == RDX_LOOKUP_SUM)
    RDX_TRY(make_array(r, r->probes, 8, (void **)&r->sum, err));
  if (kind == RDX_LOOKUP_ROWS && !r->offsets) {
    RDX_TRY(make_array(r, r->probes + 1, 8, (void **)&r->offsets, err));
    r->offsets[0] = 0;
  }
  return RDX_OK;
}

static rdx_status reserve_rows(rdx_lookup_result *r, uint64_t more, rdx_error *err) {
  const uint64_t need = r->offsets[r->filled] + more;
  if (need <= r->row_capacity && r->rows)
    return RDX_OK;
  const uint64_t capacity = need < 2 * r->row_capacity ? 2 * r->row_capacity : need;
  RDX_TRY(rdx_device_grow_host(r->device, (void **)&r->rows, r->row_capacity, capacity, 4, "the rows of a result",
                               &r->host_bytes, err));
  r->row_capacity = capacity;
  return RDX_OK;
}

rdx_status rdx_lookup_result_reserve_rows(rdx_lookup_result *result, uint64_t rows, rdx_error *err) {
  RDX_TRY(make_arrays(result, err));
  return reserve_rows(result, rows, err);
}

/* First rows are such of the index, or RDX_NO_ROW. */
typedef struct checking {
  const uint32_t *first;
  uint64_t rows;
  _Atomic bool wrong;
} checking;

#define PIECE 65536 /* probes */

static void check_piece(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  checking *c = context;
  uint32_t above = 0;
  for (uint64_t i = begin; i < end; i++)
    above = c->first[i] + 1u > above ? c->first[i] + 1u : above;
  if (above > c->rows)
    c->wrong = true;
}

static rdx_status check_first(rdx_lookup_result *r, const uint32_t *first, uint64_t count, rdx_error *err) {
  checking c = {.first = first, .rows = r->keyed};
  rdx_device_run_on_host(r->device, count, PIECE, check_piece, &c);
  for (uint64_t i = 0; i < count && c.wrong; i++)
    if (first[i] != RDX_NO_ROW && first[i] >= r->keyed)
      return rdx_returned_wrong(r->device, first[i], 0, r->keyed - 1, "the first row of a probe", err);
  return RDX_OK;
}

static rdx_status append_rows(rdx_lookup_result *r, uint64_t count, const rdx_parts *p, rdx_error *err) {
  RDX_TRY(reserve_rows(r, p->row_count, err));
  const uint64_t base = r->offsets[r->filled];
  uint32_t *const rows = r->rows + base;
  uint64_t *const ends = r->offsets + r->filled + 1;
  RDX_TRY(rdx_buffer_download(p->rows, 0, rows, p->row_count * 4, err));
  RDX_TRY(rdx_buffer_download(p->offsets, 8, ends, count * 8, err));
  RDX_TRY(rdx_returned_u32s(r->device, rows, p->row_count, r->keyed - 1, "the row of a key", err));
  RDX_TRY(rdx_returned_ends(r->device, ends, count, p->row_count, err));
  for (uint64_t i = 0; i < count; i++)
    ends[i] += base;
  return RDX_OK;
}

static rdx_status append_parts(rdx_lookup_result *r, uint64_t count, const rdx_parts *p, rdx_error *err) {
  RDX_TRY(make_arrays(r, err));
  if (r->count)
    RDX_TRY(rdx_buffer_download(p->count, 0, r->count + r->filled, count * 4, err));
  if (r->first) {
    RDX_TRY(rdx_buffer_download(p->first, 0, r->first + r->filled, count * 4, err));
    RDX_TRY(check_first(r, r->first + r->filled, count, err));
  }
  if (r->sum)
    RDX_TRY(rdx_buffer_download(p->sum, 0, r->sum + r->filled, count * 8, err));
  if (r->offsets)
    RDX_TRY(append_rows(r, count, p, err));
  r->filled += count;
  return RDX_OK;
}

rdx_status rdx_lookup_result_append(rdx_lookup_result *result, uint64_t count, rdx_parts *parts, rdx_error *err) {
  count_bytes(result, parts);
  rdx_status status = append_parts(result, count, parts, err);
  rdx_parts_destroy(parts);
  return status;
}

/* A value column on the host, decoded one value at a time. */
typedef struct values {
  const rdx_device_column *column;
  uint32_t *keys, *valid;
} values;

static rdx_status load_values(const rdx_device_column *column, values *out, rdx_error *err) {
  *out = (values){.column = column};
  const uint64_t bytes = column->rows * (column->key_bits / 8), words = (column->rows + 31) / 32;
  RDX_TRY(rdx_alloc(bytes, 1, "a value column", (void **)&out->keys, err));
  RDX_TRY(rdx_buffer_download(column->keys, 0, out->keys, bytes, err));
  if (!column->valid)
    return RDX_OK;
  RDX_TRY(rdx_alloc(words, 4, "a value column", (void **)&out->valid, err));
  return rdx_buffer_download(column->valid, 0, out->valid, words * 4, err);
}

static double float_value(const values *v, uint32_t row) {
  if (v->column->key_bits == 32)
    return BITS_TO_F32(float_bits(v->keys[row]));
  const uint64_t bits = double_bits(AS_U64_PTR(v->keys)[row]);
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* Sum the rows of probe `i` into r->sum and r->count. */
static rdx_status sum_rows(rdx_lookup_result *r, const values *v, uint64_t i, const uint32_t *rows, uint64_t n,
                           rdx_error *err) {
  const rdx_type type = v->column->type;
  const uint32_t kind = type == RDX_TYPE_U64                                                  ? VALUE_U64
                        : type == RDX_TYPE_I64 || type == RDX_TYPE_DECIMAL                    ? VALUE_I64
                        : type == RDX_TYPE_I8 || type == RDX_TYPE_I16 || type == RDX_TYPE_I32 ? VALUE_I32
                                                                                              : VALUE_U32;
  double floats = 0;
  rdx_i128 sum = 0;
  uint32_t count = 0;
  for (uint64_t k = 0; k < n; k++) {
    if (!has_bit(v->valid, rows[k]))
      continue;
    count++;
    if (r->sum_type == RDX_TYPE_F64)
      floats += float_value(v, rows[k]);
    else if (kind == VALUE_U64)
      sum += load_value(v->keys, rows[k], kind);
    else
      sum += (int64_t)load_value(v->keys, rows[k], kind);
  }
  r->count[i] = count;
  if (r->sum_type == RDX_TYPE_F64)
    memcpy(&r->sum[i], &floats, sizeof floats);
  else
    r->sum[i] = (uint64_t)sum;
  const bool fits = r->sum_type == RDX_TYPE_U64 ? sum <= UINT64_MAX : sum >= INT64_MIN && sum <= INT64_MAX;
  if (!fits)
    return rdx_fail(err, RDX_ERROR_OVERFLOW, "the sum of probe %llu does not fit 64 bits", (unsigned long long)i);
  return RDX_OK;
}

static rdx_status sum_all(rdx_lookup_result *r, const rdx_device_column *column, uint64_t count,
                          const uint64_t *offsets, const uint32_t *rows, rdx_error *err) {
  values v;
  rdx_status status = load_values(column, &v, err);
  for (uint64_t k = 0; k < count && status == RDX_OK; k++)
    status = sum_rows(r, &v, r->filled + k, rows + offsets[k], offsets[k + 1] - offsets[k], err);
  RDX_FREE_ALL(v.keys, v.valid);
  return status;
}

rdx_status rdx_lookup_result_append_rows(rdx_lookup_result *r, const rdx_device_column *column, uint64_t count,
                                         const uint64_t *offsets, const uint32_t *rows, rdx_error *err) {
  RDX_TRY(make_arrays(r, err));
  if (r->sum)
    RDX_TRY(sum_all(r, column, count, offsets, rows, err));
  for (uint64_t k = 0; k < count; k++) {
    const uint64_t n = offsets[k + 1] - offsets[k];
    if (r->kind == RDX_LOOKUP_COUNT)
      r->count[r->filled + k] = (uint32_t)n;
    if (r->first)
      r->first[r->filled + k] = n > 0 ? rows[offsets[k]] : RDX_NO_ROW;
  }
  if (r->offsets) {
    RDX_TRY(reserve_rows(r, offsets[count], err));
    const uint64_t base = r->offsets[r->filled];
    memcpy(r->rows + base, rows, offsets[count] * 4);
    for (uint64_t k = 1; k <= count; k++)
      r->offsets[r->filled + k] = base + offsets[k];
  }
  r->filled += count;
  return RDX_OK;
}

/* ---- Limits ---- */

#define PART_ROWS (1u << 22)
#define MIN_PART 4096

uint64_t rdx_part_rows(const rdx_device *device, uint64_t bytes) {
  const uint64_t of_memory = rdx_device_memory_left(device) / (32 + bytes); /* rows are sorted in between */
  return of_memory > PART_ROWS ? PART_ROWS : of_memory < MIN_PART ? MIN_PART : of_memory;
}

rdx_status rdx_expect_rows(const rdx_device *device, uint64_t rows, const rdx_lookup_options *options, rdx_error *err) {
  char what[64];
  snprintf(what, sizeof what, "the %llu rows that match take", (unsigned long long)rows);
  if (options->max_rows > 0 && rows > options->max_rows)
    return rdx_fail(err, RDX_ERROR_MEMORY, "%llu rows match, more than %llu", (unsigned long long)rows,
                    (unsigned long long)options->max_rows);
  return rdx_device_expect_host(
      device, rows * (4 + options->bytes_more), what,
      options->advice ? options->advice : "ask for their number, for fewer probes at a time, or for the rows in parts",
      err);
}

/* ---- Reading ---- */

rdx_status rdx_lookup_result_view(rdx_lookup_result *result, rdx_lookup_view *out, rdx_error *err) {
  if (!result || !out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_lookup_result_view: result and out must not be NULL");
  if (result->given_away)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_lookup_result_view: the rows of this result went to `each`");
  if (result->on_device) {
    result->filled = 0;
    RDX_TRY(append_parts(result, result->probes, &result->parts, err));
    rdx_parts_destroy(&result->parts);
    result->on_device = false;
  }
  RDX_TRY(make_arrays(result, err)); /* a batch without probes has none yet */
  if (result->offsets)
    RDX_TRY(reserve_rows(result, 0, err));
  *out = (rdx_lookup_view){.kind = result->kind,
                           .probes = result->probes,
                           .count = result->count,
                           .first = result->first,
                           .sum_type = result->sum_type,
                           .sum_scale = result->sum_scale,
                           .offsets = result->offsets,
                           .rows = result->rows};
  if (result->sum_type == RDX_TYPE_F64)
    out->sum_f64 = (const double *)(const void *)result->sum;
  else if (result->sum_type == RDX_TYPE_U64)
    out->sum_u64 = result->sum;
  else
    out->sum_i64 = (const int64_t *)result->sum;
  return RDX_OK;
}

static rdx_status reduce(rdx_device *device, rdx_reduce_op op, const rdx_buffer *counts, uint64_t count, uint64_t max,
                         uint64_t *out, rdx_error *err) {
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *total = NULL;
  RDX_SCOPED(rdx_stream_destroy) rdx_stream *stream = NULL;
  RDX_TRY(rdx_buffer_create(device, 8, "a total", &total, err));
  RDX_TRY(rdx_stream_create_for(device, "lookup", &stream, err));
  RDX_TRY(rdx_stream_reduce(stream, op, counts, 4, total, count, err));
  RDX_TRY(rdx_stream_finish(stream, err));
  return rdx_buffer_number(total, 0, 0, max, "the matches of probes", out, err);
}

rdx_status rdx_lookup_result_totals(rdx_lookup_result *r, uint64_t *pairs, uint64_t *matched, rdx_error *err) {
  *pairs = *matched = 0;
  if (r->on_device) {
    RDX_TRY(reduce(r->device, RDX_REDUCE_SUM, r->parts.count, r->probes, r->probes * UINT32_MAX, pairs, err));
    return reduce(r->device, RDX_REDUCE_NONZERO, r->parts.count, r->probes, r->probes, matched, err);
  }
  for (uint64_t i = 0; i < r->filled; i++) {
    *pairs += r->count[i];
    *matched += r->count[i] > 0;
  }
  return RDX_OK;
}

void rdx_lookup_result_get_stats(const rdx_lookup_result *result, rdx_lookup_stats *out) {
  *out = result ? result->stats : (rdx_lookup_stats){0};
}
