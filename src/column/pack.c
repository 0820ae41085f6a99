/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Keys of a column as packed codes: differences, or ranks. */

#include "column/encoded_column.h"

#include "column/keys.h"
#include "kernels/bitmap/kernels.h"
#include "kernels/packed/kernels.h"
#include "base/numbers.h"

#define MAX_RANKS 65536u /* of columns that differences could code as well */
#define BITMAP_BITS 22   /* of bitmaps of keys, as a power of two: they stay in a cache */

uint32_t rdx_code_bytes(uint64_t max) {
  return max <= UINT8_MAX ? 1 : max <= UINT16_MAX ? 2 : max <= UINT32_MAX ? 4 : 8;
}

/* A new buffer for `rows` codes. */
rdx_status rdx_codes_create(rdx_device *device, uint64_t rows, uint32_t bytes, rdx_buffer **out, rdx_error *err) {
  return rdx_buffer_create(device, (rows * bytes + 7) / 8 * 8 + PACKED_PADDING, "packed codes", out, err);
}

rdx_status rdx_codes_pack(rdx_device *device, const struct packed_pack_args *args, bool key64, uint32_t bytes,
                          double *ms, rdx_error *err) {
  const uint32_t variant[2] = {key64, bytes}, each = bytes < 4 ? 4 / bytes : 1;
  const uint64_t items = ((uint64_t)args->rows + each - 1) / each;
  return rdx_launch_timed(device, &rdx_kernel_packed_pack, args, variant, items, "pack", ms, err);
}

/* The distinct keys of a column less the smallest, ascending, on the host, and only where they are at most `max`: else
 * `count` is some number above it. NULLs count as the smallest. */
typedef struct distinct_keys {
  uint64_t count;
  uint64_t *keys;
} distinct_keys;

static void drop_distinct(distinct_keys *found) {
  rdx_free(found->keys);
}

/* Whether bitmaps and arrays have a place for each key that there might be: in a cache, and in little memory. */
static bool is_narrow(const rdx_encoded_column *s) {
  const uint64_t span = s->largest - s->smallest;
  return span < 1u << BITMAP_BITS && span <= 65536 + 2 * s->rows;
}

/* Mark keys in a new bitmap, hashed where they are not narrow, and count its bits: no more than there are keys. */
static rdx_status mark_keys(rdx_stream *stream, const rdx_encoded_column *s, rdx_buffer **bits, uint64_t *out,
                            rdx_error *err) {
  const uint64_t size = is_narrow(s) ? s->largest - s->smallest + 1 : 1u << BITMAP_BITS;
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *count = NULL;
  RDX_TRY(rdx_buffer_create(stream->device, rdx_bitmap_bytes(size), "the distinct keys of a column", bits, err));
  const rdx_marked_keys keys = {s->keys, s->valid, s->key_bits, is_narrow(s) ? 0 : BITMAP_BITS, s->smallest, s->rows};
  RDX_TRY(rdx_bitmap_mark(stream, &keys, *bits, err));
  RDX_TRY(rdx_buffer_create(stream->device, 8, "a count", &count, err));
  RDX_TRY(rdx_bitmap_count(stream, *bits, size, count, err));
  RDX_TRY(rdx_stream_finish(stream, err));
  return rdx_buffer_number(count, 0, 1, size < s->rows ? size : s->rows, "the distinct keys of a column", out, err);
}

/* The set bits of a bitmap, of which there are `out->count`. */
static rdx_status list_bits(const rdx_buffer *bits, distinct_keys *out, rdx_error *err) {
  RDX_SCOPED(rdx_free_local) uint32_t *words = NULL;
  uint64_t n = 0;
  RDX_TRY(rdx_alloc(out->count, 8, "the distinct keys of a column", (void **)&out->keys, err));
  RDX_TRY(rdx_alloc(bits->size, 1, "the distinct keys of a column", (void **)&words, err));
  RDX_TRY(rdx_buffer_download(bits, 0, words, bits->size, err));
  for (uint64_t w = 0; w < bits->size / 4; w++)
    for (uint32_t left = words[w]; left != 0; left &= left - 1, n++)
      if (n < out->count)
        out->keys[n] = 32 * w + (uint32_t)__builtin_ctz(left);
  return rdx_returned_number(bits->device, n, out->count, out->count, "the distinct keys of a column", err);
}

/* Keys are sorted, their distinct ones counted, and listed where they are few enough. */
static rdx_status sort_keys(rdx_stream *stream, const rdx_encoded_column *s, uint64_t max, distinct_keys *out,
                            rdx_error *err) {
  const uint32_t bytes = s->key_bits / 8, bits = rdx_bit_length((s->largest - s->smallest) | 1);
  double ms = 0;
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *keys = NULL;
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *count = NULL;
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *found = NULL;
  RDX_TRY(rdx_buffer_create(stream->device, s->rows * bytes, "the keys of a column", &keys, err));
  RDX_TRY(rdx_buffer_create(stream->device, 8, "a count", &count, err));
  const struct packed_pack_args args = {.keys = RDX_ADDRESS(uint32_t, s->keys),
                                        .valid = RDX_ADDRESS(uint32_t, s->valid),
                                        .out_codes = RDX_ADDRESS(uint32_t, keys),
                                        .base = s->smallest,
                                        .max = UINT64_MAX,
                                        .rows = (uint32_t)s->rows};
  RDX_TRY(rdx_codes_pack(stream->device, &args, s->key_bits == 64, bytes, &ms, err));
  RDX_TRY(rdx_stream_sort(stream, keys, bytes, bits, NULL, s->rows, err));
  RDX_TRY(rdx_stream_unique(stream, keys, bytes, 0, NULL, count, s->rows, err));
  RDX_TRY(rdx_stream_finish(stream, err));
  RDX_TRY(rdx_buffer_number(count, 0, 1, s->rows, "the distinct keys of a column", &out->count, err));
  if (out->count > max)
    return RDX_OK;
  RDX_TRY(rdx_buffer_create(stream->device, out->count * 8, "the distinct keys of a column", &found, err));
  RDX_TRY(rdx_stream_unique(stream, keys, bytes, 0, found, count, s->rows, err));
  RDX_TRY(rdx_stream_finish(stream, err));
  RDX_TRY(rdx_alloc(out->count, 8, "the distinct keys of a column", (void **)&out->keys, err));
  return rdx_buffer_download(found, 0, out->keys, out->count * 8, err);
}

static rdx_status find_distinct(rdx_device *device, const rdx_encoded_column *s, uint64_t max, distinct_keys *out,
                                rdx_error *err) {
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *bits = NULL;
  RDX_SCOPED(rdx_stream_destroy) rdx_stream *stream = NULL;
  RDX_TRY(rdx_stream_create_for(device, "build", &stream, err));
  if (is_narrow(s) || s->rows > max) /* else a bitmap tells nothing */
    RDX_TRY(mark_keys(stream, s, &bits, &out->count, err));
  if (out->count <= max)
    RDX_TRY(is_narrow(s) ? list_bits(bits, out, err) : sort_keys(stream, s, max, out, err));
  return out->keys
             ? rdx_returned_keys(device, out->keys, out->count, s->largest - s->smallest, "a key of a column", err)
             : RDX_OK;
}

/* Take the distinct keys that were found for the dictionary of a column. */
static rdx_status take_keys(rdx_encoded_column *c, distinct_keys *found, rdx_error *err) {
  for (uint64_t i = 0; i < found->count; i++)
    found->keys[i] += c->smallest;
  return rdx_dictionary_of_keys(&found->keys, found->count, &c->dictionary, err);
}

/* Choose ranks where they save, or where differences would not do; see encoded_column.h. */
static rdx_status choose_ranks(rdx_device *device, rdx_encoded_column *c, rdx_error *err) {
  const bool forced = c->largest - c->smallest >= UINT64_MAX - 1; /* of which one is no code */
  RDX_SCOPED(drop_distinct) distinct_keys found = {0};
  if (c->bytes == 1 && !forced)
    return RDX_OK;
  RDX_TRY(find_distinct(device, c, forced ? UINT64_MAX : MAX_RANKS, &found, err));
  const uint32_t bytes = rdx_code_bytes(found.count - !c->nulls);
  if (!found.keys || (!forced && 2 * bytes > c->bytes))
    return RDX_OK;
  c->count = found.count;
  c->bytes = bytes;
  return take_keys(c, &found, err);
}

/* The values of ranks, for calculating. */
static rdx_status upload_values(rdx_device *device, rdx_encoded_column *c, rdx_error *err) {
  RDX_SCOPED(rdx_free_local) int64_t *values = NULL;
  if (!rdx_encoded_column_has_ranks(c) || !rdx_type_is_exact(c->type))
    return RDX_OK;
  RDX_TRY(rdx_alloc(c->count, 8, "the values of a column", (void **)&values, err));
  const uint64_t zero = rdx_key_zero(c->type);
  for (uint64_t i = 0; i < c->count; i++)
    values[i] = (int64_t)(c->dictionary->keys[i] - zero);
  RDX_TRY(rdx_buffer_create(device, c->count * 8, "the values of a column", &c->values, err));
  return rdx_buffer_upload(c->values, 0, values, c->count * 8, err);
}

/* What finds the ranks of keys: for narrow ones an array of the rank of each, else the keys. */
static rdx_status upload_ranks(rdx_device *device, const rdx_encoded_column *c, bool direct, rdx_buffer **out,
                               rdx_error *err) {
  RDX_SCOPED(rdx_free_local) uint32_t *ranks = NULL;
  const uint64_t *keys = c->dictionary->keys;
  const uint64_t size = direct ? (c->largest - c->base + 1) * sizeof *ranks : c->count * 8;
  RDX_TRY(rdx_buffer_create(device, size, "the keys of a column", out, err));
  if (!direct)
    return rdx_buffer_upload(*out, 0, keys, size, err);
  RDX_TRY(rdx_calloc(size, 1, "the keys of a column", (void **)&ranks, err));
  for (uint64_t i = 0; i < c->count; i++)
    ranks[keys[i] - c->base] = (uint32_t)i;
  return rdx_buffer_upload(*out, 0, ranks, size, err);
}

static rdx_status make_codes(rdx_device *device, rdx_encoded_column *c, double *ms, rdx_error *err) {
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *table = NULL;
  const bool ranked = rdx_encoded_column_has_ranks(c), direct = ranked && is_narrow(c);
  if (ranked)
    RDX_TRY(upload_ranks(device, c, direct, &table, err));
  RDX_TRY(rdx_codes_create(device, c->rows, c->bytes, &c->codes, err));
  const struct packed_pack_args args = {.keys = RDX_ADDRESS(uint32_t, c->keys),
                                        .valid = RDX_ADDRESS(uint32_t, c->valid),
                                        .places = RDX_ADDRESS(uint32_t, direct ? table : NULL),
                                        .table = RDX_ADDRESS(uint64_t, direct ? NULL : table),
                                        .out_codes = RDX_ADDRESS(uint32_t, c->codes),
                                        .base = c->base,
                                        .max = UINT64_MAX,
                                        .null_code = c->count,
                                        .rows = (uint32_t)c->rows,
                                        .table_count = (uint32_t)c->count};
  return rdx_codes_pack(device, &args, c->key_bits == 64, c->bytes, ms, err);
}

rdx_status rdx_encoded_column_pack(rdx_device *device, rdx_encoded_column *c, double *ms, rdx_error *err) {
  const bool some = c->smallest <= c->largest;
  if (c->type == RDX_TYPE_STRING) {
    c->count = c->dictionary->count;
  } else if (some) {
    c->base = c->smallest;
    c->count = c->largest - c->smallest + 1; /* 0 where it passes 64 bits: then ranks are chosen */
  }
  c->bytes = rdx_code_bytes(c->count - (some && !c->nulls));
  if (some && c->type != RDX_TYPE_STRING)
    RDX_TRY(choose_ranks(device, c, err));
  RDX_TRY(upload_values(device, c, err));
  RDX_TRY(make_codes(device, c, ms, err));
  RDX_DESTROY_BUFFERS(&c->keys, &c->valid, &c->zones);
  return RDX_OK;
}

/* Codes of 4 or 8 bytes are keys of a column. */
rdx_status rdx_encoded_column_make_dense(rdx_device *device, const rdx_encoded_column *column, rdx_encoded_column *out,
                                         rdx_error *err) {
  RDX_SCOPED(rdx_encoded_column_drop)
  rdx_encoded_column dense = {.type = column->bytes == 8 ? RDX_TYPE_U64 : RDX_TYPE_U32,
                              .key_bits = 8 * column->bytes,
                              .rows = column->rows,
                              .largest = rdx_encoded_column_codes(column) - 1,
                              .keys = rdx_buffer_retain(column->codes)};
  RDX_SCOPED(drop_distinct) distinct_keys found = {0};
  double ms = 0;
  RDX_TRY(find_distinct(device, &dense, UINT64_MAX, &found, err));
  dense.count = found.count;
  dense.bytes = rdx_code_bytes(found.count);
  RDX_TRY(take_keys(&dense, &found, err));
  RDX_TRY(make_codes(device, &dense, &ms, err));
  rdx_buffer_destroy(&dense.keys);
  *out = RDX_KEEP(dense);
  return RDX_OK;
}
