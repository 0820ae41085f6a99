/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Device columns made of results and of other device columns. */

#include "column/derived.h"

#include "column/keys.h"
#include "kernels/bitmap/kernels.h"
#include "kernels/derived_column/kernels.h"
#include "kernels/primitives/kernels.h"

static rdx_status create(rdx_device *device, rdx_type type, uint64_t rows, rdx_device_column **out, rdx_error *err) {
  RDX_TRY(rdx_calloc(1, sizeof **out, "a column", (void **)out, err));
  (*out)->device = device;
  (*out)->type = type;
  (*out)->rows = rows;
  (*out)->key_bits = rdx_key_bits(type);
  (*out)->magnitude = rdx_type_size(type) == 8 ? UINT64_MAX : UINT32_MAX;
  return RDX_OK;
}

/* Give `*out` to the caller, or drop it. */

static rdx_status create_bits(rdx_device_column *d, rdx_error *err) {
  return rdx_buffer_create(d->device, rdx_bitmap_bytes(d->rows), "NULL bits", &d->valid, err);
}

static rdx_status count_valid(rdx_stream *stream, rdx_device_column *d, rdx_buffer *count, rdx_error *err) {
  uint64_t valid = 0;
  RDX_TRY(rdx_bitmap_count(stream, d->valid, d->rows, count, err));
  RDX_TRY(rdx_stream_finish(stream, err));
  RDX_TRY(rdx_buffer_number(count, 0, 0, d->rows, "the rows of a column", &valid, err));
  d->nulls = d->rows - valid;
  if (d->nulls == 0)
    rdx_buffer_destroy(&d->valid);
  return RDX_OK;
}

/* What is recorded on `stream` makes the NULL bits: run it, and count them. */
static rdx_status finish_bits(rdx_stream *stream, rdx_device_column *d, rdx_error *err) {
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *count = NULL;
  RDX_TRY(rdx_buffer_create(d->device, 8, "a count", &count, err));
  return count_valid(stream, d, count, err);
}

/* ---- Of results ---- */

static rdx_status find_present(rdx_device_column *d, const rdx_buffer *words, uint32_t absent, rdx_stream *stream,
                               rdx_error *err) {
  RDX_TRY(create_bits(d, err));
  RDX_TRY(rdx_derived_present(stream, words, absent, d->valid, d->rows, err));
  return finish_bits(stream, d, err);
}

rdx_status rdx_device_column_of_rows(rdx_buffer *rows, uint64_t count, bool some_absent, rdx_device_column **out,
                                     rdx_error *err) {
  RDX_SCOPED(rdx_device_column_destroy) rdx_device_column *d = NULL;
  RDX_SCOPED(rdx_stream_destroy) rdx_stream *stream = NULL;
  RDX_TRY(create(rows->device, RDX_TYPE_U32, count, &d, err));
  d->keys = rdx_buffer_retain(rows);
  if (some_absent) {
    RDX_TRY(rdx_stream_create_for(d->device, "gather", &stream, err));
    RDX_TRY(find_present(d, rows, RDX_NO_ROW, stream, err));
  }
  *out = RDX_KEEP(d);
  return RDX_OK;
}

static rdx_status take_sums(rdx_device_column *d, rdx_buffer *sums, const rdx_buffer *counts, rdx_stream *stream,
                            rdx_error *err) {
  if (d->type == RDX_TYPE_U64) {
    d->keys = rdx_buffer_retain(sums);
    return find_present(d, counts, 0, stream, err);
  }
  RDX_TRY(rdx_buffer_create(d->device, d->rows * 8, "a column", &d->keys, err));
  RDX_TRY(rdx_derived_codes(stream, sums, d->type == RDX_TYPE_F64, d->keys, d->rows, err));
  return find_present(d, counts, 0, stream, err);
}

rdx_status rdx_device_column_of_sums(rdx_type type, uint8_t scale, rdx_buffer *sums, const rdx_buffer *counts,
                                     uint64_t count, rdx_device_column **out, rdx_error *err) {
  RDX_SCOPED(rdx_device_column_destroy) rdx_device_column *d = NULL;
  RDX_SCOPED(rdx_stream_destroy) rdx_stream *stream = NULL;
  RDX_TRY(create(sums->device, type, count, &d, err));
  d->scale = scale;
  RDX_TRY(rdx_stream_create_for(d->device, "gather", &stream, err));
  RDX_TRY(take_sums(d, sums, counts, stream, err));
  *out = RDX_KEEP(d);
  return RDX_OK;
}

rdx_status rdx_device_column_of_probes(const rdx_buffer *offsets, uint64_t probes, uint64_t count,
                                       rdx_device_column **out, rdx_error *err) {
  RDX_SCOPED(rdx_device_column_destroy) rdx_device_column *d = NULL;
  RDX_SCOPED(rdx_stream_destroy) rdx_stream *stream = NULL;
  RDX_TRY(create(offsets->device, RDX_TYPE_U32, count, &d, err));
  RDX_TRY(rdx_stream_create_for(d->device, "gather", &stream, err));
  RDX_TRY(rdx_buffer_create(d->device, count * 4, "a column", &d->keys, err));
  RDX_TRY(rdx_primitive_owner(stream, offsets, probes, d->keys, count, err));
  RDX_TRY(rdx_stream_finish(stream, err));
  *out = RDX_KEEP(d);
  return RDX_OK;
}

rdx_status rdx_device_column_upload(rdx_device *device, const rdx_column *column, const uint32_t *words,
                                    uint32_t absent, rdx_device_column **out, rdx_error *err) {
  RDX_SCOPED(rdx_free_local) uint8_t *bits = NULL;
  RDX_TRY(rdx_calloc(column->rows / 8 + 1, 1, "NULL bits", (void **)&bits, err));
  for (uint64_t i = 0; i < column->rows; i++)
    bits[i / 8] |= (uint8_t)((words[i] != absent) << i % 8);
  rdx_column marked = *column;
  marked.validity = bits;
  return rdx_device_column_create(device, &marked, out, err);
}

/* ---- Of columns ---- */

static rdx_status check_type(const char *function, const rdx_device_column *column, rdx_error *err) {
  if (column->type != RDX_TYPE_STRING)
    return RDX_OK;
  return rdx_fail(err, RDX_ERROR_UNSUPPORTED,
                  "%s: a device column of strings keeps its text on the host; use the numbers of the rows there, or a "
                  "column of codes",
                  function);
}

static rdx_status combine(const rdx_device_column *column, const rdx_buffer *bits, rdx_device_column *d,
                          rdx_stream *stream, rdx_error *err) {
  RDX_TRY(create_bits(d, err));
  RDX_TRY(rdx_stream_copy(stream, bits, 0, d->valid, 0, d->valid->size, err));
  if (column->valid)
    RDX_TRY(rdx_bitmap_combine(stream, BITMAP_AND, d->valid, column->valid, d->rows, err));
  return finish_bits(stream, d, err);
}

rdx_status rdx_device_column_filter(const rdx_device_column *column, const rdx_buffer *bits, rdx_device_column **out,
                                    rdx_error *err) {
  RDX_SCOPED(rdx_device_column_destroy) rdx_device_column *d = NULL;
  RDX_SCOPED(rdx_stream_destroy) rdx_stream *stream = NULL;
  RDX_TRY(check_type("rdx_scan_result_filter", column, err));
  RDX_TRY(create(column->device, column->type, column->rows, &d, err));
  d->scale = column->scale;
  d->magnitude = column->magnitude;
  d->keys = rdx_buffer_retain(column->keys);
  if (d->rows > 0) {
    RDX_TRY(rdx_stream_create_for(d->device, "gather", &stream, err));
    RDX_TRY(combine(column, bits, d, stream, err));
  }
  *out = RDX_KEEP(d);
  return RDX_OK;
}

/* `beyond` becomes 1 where there is no such row. */
static rdx_status take_rows(const rdx_device_column *column, const rdx_device_column *rows, rdx_device_column *d,
                            rdx_stream *stream, rdx_buffer *beyond, rdx_error *err) {
  const rdx_derived_source source = {.keys = column->keys,
                                     .valid = column->valid,
                                     .key_bits = column->key_bits,
                                     .n = column->rows,
                                     .rows = rows->keys,
                                     .rows_valid = rows->valid};
  uint64_t found = 0;
  RDX_TRY(rdx_buffer_create(d->device, d->rows * (d->key_bits / 8), "a column", &d->keys, err));
  RDX_TRY(create_bits(d, err));
  RDX_TRY(rdx_stream_fill(stream, beyond, 0, 8, 0, err));
  RDX_TRY(rdx_derived_take(stream, &source, d->keys, d->valid, beyond, d->rows, err));
  RDX_TRY(finish_bits(stream, d, err));
  RDX_TRY(rdx_buffer_number(beyond, 0, 0, 1, "whether a row is missing", &found, err));
  if (found == 0)
    return RDX_OK;
  return rdx_fail(err, RDX_ERROR_RANGE, "rdx_device_column_gather: a row is not below the %llu rows of the column",
                  (unsigned long long)column->rows);
}

static rdx_status gather(const rdx_device_column *column, const rdx_device_column *rows, rdx_device_column *d,
                         rdx_stream *stream, rdx_error *err) {
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *beyond = NULL;
  RDX_TRY(rdx_buffer_create(d->device, 8, "a flag", &beyond, err));
  return take_rows(column, rows, d, stream, beyond, err);
}

static rdx_status check_gather(const rdx_device_column *column, const rdx_device_column *rows, rdx_device_column **out,
                               rdx_error *err) {
  if (!column || !rows || !out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_device_column_gather: column, rows and out must not be NULL");
  if (column->device != rows->device)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_device_column_gather: the rows lie on another device");
  if (rows->type != RDX_TYPE_U32)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_device_column_gather: row numbers are u32, not %s",
                    rdx_type_name(rows->type));
  if (column->rows > UINT32_MAX || rows->rows > UINT32_MAX)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "rdx_device_column_gather: there are more than 2^32 - 1 rows");
  return check_type("rdx_device_column_gather", column, err);
}

rdx_status rdx_device_column_gather(const rdx_device_column *column, const rdx_device_column *rows,
                                    rdx_device_column **out, rdx_error *err) {
  RDX_SCOPED(rdx_device_column_destroy) rdx_device_column *d = NULL;
  RDX_SCOPED(rdx_stream_destroy) rdx_stream *stream = NULL;
  RDX_TRY(check_gather(column, rows, out, err));
  RDX_TRY(create(column->device, column->type, rows->rows, &d, err));
  d->scale = column->scale;
  d->magnitude = column->magnitude;
  RDX_TRY(rdx_stream_create_for(d->device, "gather", &stream, err));
  if (d->rows == 0)
    RDX_TRY(rdx_buffer_create(d->device, 0, "a column", &d->keys, err));
  else
    RDX_TRY(gather(column, rows, d, stream, err));
  *out = RDX_KEEP(d);
  return RDX_OK;
}

/* ---- Rows by whether they have a value ---- */

static rdx_status list_rows(rdx_stream *stream, const rdx_buffer *bits, uint64_t among, rdx_device_column *d,
                            rdx_error *err) {
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *count = NULL;
  uint64_t found = 0;
  RDX_TRY(rdx_buffer_create(d->device, 8, "a count", &count, err));
  RDX_TRY(rdx_buffer_create(d->device, d->rows * 4, "a column", &d->keys, err));
  RDX_TRY(rdx_stream_select(stream, bits, d->keys, count, among, err));
  RDX_TRY(rdx_stream_finish(stream, err));
  return rdx_buffer_number(count, 0, d->rows, d->rows, "the rows of a column", &found, err);
}

static rdx_status select_rows(const rdx_device_column *column, bool with_value, rdx_device_column *d,
                              rdx_stream *stream, rdx_error *err) {
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *bits = NULL;
  if (with_value && column->valid)
    return list_rows(stream, column->valid, column->rows, d, err);
  RDX_TRY(rdx_buffer_create(d->device, rdx_bitmap_bytes(column->rows), "the bits of rows", &bits, err));
  if (column->valid)
    RDX_TRY(rdx_bitmap_combine(stream, BITMAP_NOT, bits, column->valid, column->rows, err));
  else
    RDX_TRY(rdx_bitmap_fill(stream, bits, column->rows, err));
  return list_rows(stream, bits, column->rows, d, err);
}

rdx_status rdx_device_column_rows(const rdx_device_column *column, bool with_value, rdx_device_column **out,
                                  rdx_error *err) {
  RDX_SCOPED(rdx_device_column_destroy) rdx_device_column *d = NULL;
  RDX_SCOPED(rdx_stream_destroy) rdx_stream *stream = NULL;
  const uint64_t count = with_value ? column->rows - column->nulls : column->nulls;
  RDX_TRY(create(column->device, RDX_TYPE_U32, count, &d, err));
  if (count == 0) {
    RDX_TRY(rdx_buffer_create(d->device, 0, "a column", &d->keys, err));
  } else {
    RDX_TRY(rdx_stream_create_for(d->device, "gather", &stream, err));
    RDX_TRY(select_rows(column, with_value, d, stream, err));
  }
  *out = RDX_KEEP(d);
  return RDX_OK;
}

/* ---- Of two columns ---- */

static rdx_status pair(const rdx_device_column *high, const rdx_device_column *low, rdx_device_column *d,
                       rdx_stream *stream, rdx_error *err) {
  RDX_TRY(rdx_buffer_create(d->device, d->rows * 8, "a column", &d->keys, err));
  RDX_TRY(rdx_derived_pair(stream, high->keys, low->keys, d->keys, d->rows, err));
  if (!high->valid && !low->valid)
    return rdx_stream_finish(stream, err);
  RDX_TRY(create_bits(d, err));
  RDX_TRY(rdx_bitmap_fill(stream, d->valid, d->rows, err));
  if (high->valid)
    RDX_TRY(rdx_bitmap_combine(stream, BITMAP_AND, d->valid, high->valid, d->rows, err));
  if (low->valid)
    RDX_TRY(rdx_bitmap_combine(stream, BITMAP_AND, d->valid, low->valid, d->rows, err));
  return finish_bits(stream, d, err);
}

rdx_status rdx_device_column_pair(const rdx_device_column *high, const rdx_device_column *low, rdx_device_column **out,
                                  rdx_error *err) {
  RDX_SCOPED(rdx_device_column_destroy) rdx_device_column *d = NULL;
  RDX_SCOPED(rdx_stream_destroy) rdx_stream *stream = NULL;
  RDX_TRY(create(high->device, RDX_TYPE_U64, high->rows, &d, err));
  if (d->rows == 0) {
    RDX_TRY(rdx_buffer_create(d->device, 0, "a column", &d->keys, err));
  } else {
    RDX_TRY(rdx_stream_create_for(d->device, "gather", &stream, err));
    RDX_TRY(pair(high, low, d, stream, err));
  }
  *out = RDX_KEEP(d);
  return RDX_OK;
}

static rdx_status append(const rdx_device_column *rows, const rdx_device_column *more, rdx_buffer *to,
                         rdx_stream *stream, rdx_error *err) {
  const uint64_t before = rows->rows * 4, after = to->size - before;
  RDX_TRY(rdx_stream_copy(stream, rows->keys, 0, to, 0, before, err));
  RDX_TRY(more ? rdx_stream_copy(stream, more->keys, 0, to, before, after, err)
               : rdx_stream_fill(stream, to, before, after, RDX_NO_ROW, err));
  return rdx_stream_finish(stream, err);
}

rdx_status rdx_device_column_append(const rdx_device_column *rows, const rdx_device_column *more, uint64_t nulls,
                                    rdx_device_column **out, rdx_error *err) {
  const uint64_t count = rows->rows + (more ? more->rows : nulls);
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *both = NULL;
  RDX_SCOPED(rdx_stream_destroy) rdx_stream *stream = NULL;
  RDX_TRY(rdx_buffer_create(rows->device, count * 4, "a column", &both, err));
  RDX_TRY(rdx_stream_create_for(rows->device, "gather", &stream, err));
  RDX_TRY(append(rows, more, both, stream, err));
  return rdx_device_column_of_rows(both, count, !more, out, err);
}
