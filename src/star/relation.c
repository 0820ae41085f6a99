/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Relations as packed codes: attributes as differences or places, dimensions as the row number of each row's foreign
 * row (a join index: Valduriez, TODS 1987). */

#include "star/relation.h"

#include <stdatomic.h>
#include <string.h>

#include "column/column.h"
#include "device/search.h"
#include "star/wide_values.h"
#include "column/keys.h"
#include "index/probes.h"
#include "index/result.h"
#include "kernels/bitmap/kernels.h"
#include "kernels/packed/kernels.h"

#define MOST_DIMENSIONS 8
#define MOST_PLACES 65536u /* of attributes that differences could code as well */
#define BITMAP_BITS 22     /* of bitmaps of keys, as a power of two: they stay in a cache */

/* ---- Checks ---- */

static rdx_status check_dimensions(const rdx_relation *r, rdx_error *err) {
  if (r->dimension_count > 0 && !r->dimensions)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "a relation has %u dimensions, but names none", r->dimension_count);
  if (r->dimension_count > MOST_DIMENSIONS)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "a relation has at most %d dimensions, not %u", MOST_DIMENSIONS,
                    r->dimension_count);
  for (uint32_t i = 0; i < r->dimension_count; i++) {
    const rdx_dimension *d = &r->dimensions[i];
    RDX_TRY(rdx_column_check(&d->foreign_key, "a foreign key", err));
    RDX_TRY(rdx_column_check(&d->key, "the key of a dimension", err));
    if (d->foreign_key.rows != r->rows)
      return rdx_fail(err, RDX_ERROR_ARGUMENT, "the foreign key of dimension %u has %llu rows, the fact table %llu",
                      i + 1, (unsigned long long)d->foreign_key.rows, (unsigned long long)r->rows);
    if (d->key.rows >= UINT32_MAX - 1)
      return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "dimension %u has %llu rows, and may have 2^32 - 3", i + 1,
                      (unsigned long long)d->key.rows);
  }
  return RDX_OK;
}

static rdx_status check(const rdx_relation *r, rdx_error *err) {
  if (r->rows >= UINT32_MAX)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "a relation has at most 2^32 - 2 rows, not %llu",
                    (unsigned long long)r->rows);
  if (r->attribute_count > 0 && !r->attributes)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "a relation names %u attributes, but has none", r->attribute_count);
  RDX_TRY(check_dimensions(r, err));
  for (uint32_t i = 0; i < r->attribute_count; i++) {
    const rdx_attribute *a = &r->attributes[i];
    if (!a->name || a->dimension > r->dimension_count)
      return rdx_fail(err, RDX_ERROR_ARGUMENT, "attribute %u has %s", i,
                      a->name ? "a dimension that the relation has not" : "no name");
    RDX_TRY(rdx_column_check(&a->column, a->name, err));
    const uint64_t rows = a->dimension ? r->dimensions[a->dimension - 1].key.rows : r->rows;
    if (a->column.rows != rows)
      return rdx_fail(err, RDX_ERROR_ARGUMENT, "attribute %.40s has %llu rows, its table %llu", a->name,
                      (unsigned long long)a->column.rows, (unsigned long long)rows);
  }
  return RDX_OK;
}

/* ---- Packing ---- */

static uint32_t bytes_for(uint64_t most) {
  return most <= UINT8_MAX ? 1 : most <= UINT16_MAX ? 2 : most <= UINT32_MAX ? 4 : 8;
}

/* A new buffer for `rows` codes. */
static rdx_status create_codes(rdx_device *device, uint64_t rows, uint32_t bytes, rdx_buffer **out, rdx_error *err) {
  return rdx_buffer_create(device, (rows * bytes + 7) / 8 * 8 + PACKED_PADDING, "packed codes", out, err);
}

static rdx_status pack(rdx_device *device, const struct packed_pack_args *args, bool key64, uint32_t bytes, double *ms,
                       rdx_error *err) {
  const uint32_t variant[2] = {key64, bytes}, each = bytes < 4 ? 4 / bytes : 1;
  const uint64_t items = ((uint64_t)args->rows + each - 1) / each;
  return rdx_launch_timed(device, &rdx_kernel_packed_pack, args, variant, items, "pack", ms, err);
}

/* The distinct keys of a column less the smallest, ascending, on the host, and only where they are at most `most`: else
 * `count` is some number above it. NULLs count as the smallest. */
typedef struct distinct_keys {
  uint64_t count;
  uint64_t *keys;
} distinct_keys;

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
  RDX_TRY(rdx_bitmap_mark(stream, s->codes, s->key_bits, s->valid, s->smallest, is_narrow(s) ? 0 : BITMAP_BITS, *bits,
                          s->rows, err));
  RDX_TRY(rdx_buffer_create(stream->device, 8, "a count", &count, err));
  RDX_TRY(rdx_bitmap_count(stream, *bits, size, count, err));
  RDX_TRY(rdx_stream_finish(stream, err));
  return rdx_buffer_number(count, 0, 1, size < s->rows ? size : s->rows, "the distinct keys of a column", out, err);
}

/* The set bits of a bitmap, of which there are `out->count`. */
static rdx_status list_bits(const rdx_buffer *bits, distinct_keys *out, rdx_error *err) {
  uint32_t *words = NULL;
  uint64_t n = 0;
  RDX_TRY(rdx_alloc(out->count, 8, "the distinct keys of a column", (void **)&out->keys, err));
  RDX_TRY(rdx_alloc(bits->size, 1, "the distinct keys of a column", (void **)&words, err));
  rdx_status status = rdx_buffer_download(bits, 0, words, bits->size, err);
  for (uint64_t w = 0; w < bits->size / 4 && status == RDX_OK; w++)
    for (uint32_t left = words[w]; left != 0; left &= left - 1, n++)
      if (n < out->count)
        out->keys[n] = 32 * w + (uint32_t)__builtin_ctz(left);
  if (status == RDX_OK)
    status = rdx_returned_number(bits->device, n, out->count, out->count, "the distinct keys of a column", err);
  rdx_free(words);
  return status;
}

/* Keys are sorted, their distinct ones counted, and listed where they are few enough. */
static rdx_status sort_keys(rdx_stream *stream, const rdx_encoded_column *s, uint64_t most, rdx_buffer *buffers[3],
                            distinct_keys *out, rdx_error *err) {
  const uint32_t bytes = s->key_bits / 8, bits = 64 - (uint32_t)__builtin_clzll((s->largest - s->smallest) | 1);
  double ms = 0;
  RDX_TRY(rdx_buffer_create(stream->device, s->rows * bytes, "the keys of a column", &buffers[0], err));
  RDX_TRY(rdx_buffer_create(stream->device, 8, "a count", &buffers[1], err));
  const struct packed_pack_args args = {.keys = RDX_ADDRESS(uint32_t, s->codes),
                                        .valid = RDX_ADDRESS(uint32_t, s->valid),
                                        .out_codes = RDX_ADDRESS(uint32_t, buffers[0]),
                                        .base = s->smallest,
                                        .most = UINT64_MAX,
                                        .rows = (uint32_t)s->rows};
  RDX_TRY(pack(stream->device, &args, s->key_bits == 64, bytes, &ms, err));
  RDX_TRY(rdx_stream_sort(stream, buffers[0], bytes, bits, NULL, s->rows, err));
  RDX_TRY(rdx_stream_unique(stream, buffers[0], bytes, 0, NULL, buffers[1], s->rows, err));
  RDX_TRY(rdx_stream_finish(stream, err));
  RDX_TRY(rdx_buffer_number(buffers[1], 0, 1, s->rows, "the distinct keys of a column", &out->count, err));
  if (out->count > most)
    return RDX_OK;
  RDX_TRY(rdx_buffer_create(stream->device, out->count * 8, "the distinct keys of a column", &buffers[2], err));
  RDX_TRY(rdx_stream_unique(stream, buffers[0], bytes, 0, buffers[2], buffers[1], s->rows, err));
  RDX_TRY(rdx_stream_finish(stream, err));
  RDX_TRY(rdx_alloc(out->count, 8, "the distinct keys of a column", (void **)&out->keys, err));
  return rdx_buffer_download(buffers[2], 0, out->keys, out->count * 8, err);
}

static rdx_status find_distinct(rdx_device *device, const rdx_encoded_column *s, uint64_t most, distinct_keys *out,
                                rdx_error *err) {
  rdx_buffer *bits = NULL, *buffers[3] = {0};
  rdx_stream *stream = NULL;
  RDX_TRY(rdx_stream_create_for(device, "build", &stream, err));
  rdx_status status = RDX_OK;
  if (is_narrow(s) || s->rows > most) /* else a bitmap tells nothing */
    status = mark_keys(stream, s, &bits, &out->count, err);
  if (status == RDX_OK && out->count <= most)
    status = is_narrow(s) ? list_bits(bits, out, err) : sort_keys(stream, s, most, buffers, out, err);
  if (status == RDX_OK && out->keys)
    status = rdx_returned_keys(device, out->keys, out->count, s->largest - s->smallest, "a key of a column", err);
  rdx_stream_destroy(&stream);
  rdx_buffer_destroy(&bits);
  for (uint32_t i = 0; i < RDX_COUNT(buffers); i++)
    rdx_buffer_destroy(&buffers[i]);
  return status;
}

/* Choose places where they save, or where differences would not do; see relation.h. */
static rdx_status choose_places(rdx_device *device, rdx_packed_column *c, rdx_error *err) {
  const bool forced = c->source.largest - c->source.smallest >= UINT64_MAX - 1; /* of which one is no code */
  distinct_keys found = {0};
  if (c->bytes == 1 && !forced)
    return RDX_OK;
  const rdx_status status = find_distinct(device, &c->source, forced ? UINT64_MAX : MOST_PLACES, &found, err);
  const uint32_t bytes = status == RDX_OK ? bytes_for(found.count - !c->nulls) : 8;
  if (status != RDX_OK || !found.keys || (!forced && 2 * bytes > c->bytes)) {
    rdx_free(found.keys);
    return status;
  }
  for (uint64_t i = 0; i < found.count; i++)
    found.keys[i] += c->source.smallest;
  c->keys = found.keys;
  c->count = found.count;
  c->bytes = bytes;
  return RDX_OK;
}

/* The values of places, for calculating. */
static rdx_status upload_values(rdx_device *device, rdx_packed_column *c, rdx_error *err) {
  RDX_SCOPED(rdx_free_local) int64_t *values = NULL;
  if (!rdx_packed_column_is_numeric(c))
    return RDX_OK;
  RDX_TRY(rdx_alloc(c->count, 8, "the values of a column", (void **)&values, err));
  const uint64_t zero = rdx_key_zero(c->source.type);
  for (uint64_t i = 0; i < c->count; i++)
    values[i] = (int64_t)(c->keys[i] - zero);
  RDX_TRY(rdx_buffer_create(device, c->count * 8, "the values of a column", &c->values, err));
  return rdx_buffer_upload(c->values, 0, values, c->count * 8, err);
}

/* What finds the places of keys: for narrow ones an array of the place of each, else the keys. */
static rdx_status upload_places(rdx_device *device, const rdx_packed_column *c, bool direct, rdx_buffer **out,
                                rdx_error *err) {
  RDX_SCOPED(rdx_free_local) uint32_t *places = NULL;
  const uint64_t size = direct ? (c->source.largest - c->base + 1) * sizeof *places : c->count * 8;
  RDX_TRY(rdx_buffer_create(device, size, "the keys of a column", out, err));
  if (!direct)
    return rdx_buffer_upload(*out, 0, c->keys, size, err);
  RDX_TRY(rdx_calloc(size, 1, "the keys of a column", (void **)&places, err));
  for (uint64_t i = 0; i < c->count; i++)
    places[c->keys[i] - c->base] = (uint32_t)i;
  return rdx_buffer_upload(*out, 0, places, size, err);
}

static rdx_status encode(rdx_device *device, rdx_packed_column *c, double *ms, rdx_error *err) {
  rdx_buffer *table = NULL;
  rdx_status status = RDX_OK;
  const bool direct = c->keys && is_narrow(&c->source);
  if (c->keys) {
    RDX_TRY(upload_values(device, c, err));
    status = upload_places(device, c, direct, &table, err);
  }
  if (status == RDX_OK)
    status = create_codes(device, c->rows, c->bytes, &c->codes, err);
  const struct packed_pack_args args = {.keys = RDX_ADDRESS(uint32_t, c->source.codes),
                                        .valid = RDX_ADDRESS(uint32_t, c->source.valid),
                                        .places = RDX_ADDRESS(uint32_t, direct ? table : NULL),
                                        .table = RDX_ADDRESS(uint64_t, direct ? NULL : table),
                                        .out_codes = RDX_ADDRESS(uint32_t, c->codes),
                                        .base = c->base,
                                        .most = UINT64_MAX,
                                        .null_code = c->count,
                                        .rows = (uint32_t)c->rows,
                                        .table_count = (uint32_t)c->count};
  if (status == RDX_OK)
    status = pack(device, &args, c->source.key_bits == 64, c->bytes, ms, err);
  rdx_buffer_destroy(&table);
  return status;
}

rdx_status rdx_packed_column_create(rdx_device *device, const rdx_attribute *attribute, rdx_packed_column *out,
                                    double *ms, rdx_error *err) {
  rdx_encoded_column *s = &out->source;
  *out = (rdx_packed_column){.dimension = attribute->dimension, .rows = attribute->column.rows};
  RDX_TRY(rdx_encoded_column_create(device, &attribute->column, s, err));
  out->nulls = s->nulls > 0;
  const bool some = s->smallest <= s->largest;
  if (s->type == RDX_TYPE_STRING) {
    out->count = s->dictionary->count;
  } else if (some) {
    out->base = s->smallest;
    out->count = s->largest - s->smallest + 1; /* 0 where it passes 64 bits: then places are chosen */
  }
  out->bytes = bytes_for(out->count - (some && !out->nulls));
  if (some && s->type != RDX_TYPE_STRING)
    RDX_TRY(choose_places(device, out, err));
  RDX_TRY(encode(device, out, ms, err));
  rdx_buffer_destroy(&s->codes);
  rdx_buffer_destroy(&s->zones);
  rdx_buffer_destroy(&s->valid);
  return RDX_OK;
}

/* ---- Partners ---- */

static rdx_status check_key(uint64_t rows, uint64_t nulls, bool distinct, uint32_t number, rdx_error *err) {
  if (nulls > 0)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "the key of dimension %u is NULL in %llu rows", number,
                    (unsigned long long)nulls);
  return distinct ? RDX_OK
                  : rdx_fail(err, RDX_ERROR_ARGUMENT, "the key of dimension %u stands in several of its %llu rows",
                             number, (unsigned long long)rows);
}

/* The first rows that a lookup found, on the device. */
static rdx_status take_rows(rdx_device *device, rdx_lookup_result *result, rdx_buffer **out, rdx_error *err) {
  rdx_lookup_view view;
  if (result->on_device) {
    *out = rdx_buffer_retain(result->parts.first);
    return RDX_OK;
  }
  RDX_TRY(rdx_lookup_result_view(result, &view, err));
  RDX_TRY(rdx_buffer_create(device, view.probes * 4, "the foreign rows", out, err));
  return rdx_buffer_upload(*out, 0, view.first, view.probes * 4, err);
}

static rdx_status pack_foreign_rows(rdx_device *device, rdx_buffer *rows, uint64_t count, rdx_foreign_rows *out,
                                    double *ms, rdx_error *err) {
  rdx_stream *stream = NULL;
  rdx_buffer *largest = NULL;
  uint64_t most = 0;
  RDX_TRY(rdx_stream_create_for(device, "build", &stream, err));
  rdx_status status = rdx_buffer_create(device, 8, "a number of rows", &largest, err);
  if (status == RDX_OK)
    status = rdx_stream_reduce(stream, RDX_REDUCE_MAX, rows, 4, largest, count, err);
  if (status == RDX_OK)
    status = rdx_stream_finish(stream, err);
  if (status == RDX_OK)
    status = rdx_buffer_download(largest, 0, &most, 8, err);
  rdx_buffer_destroy(&largest);
  rdx_stream_destroy(&stream);
  RDX_TRY(status);
  out->missing = count > 0 && most == RDX_NO_ROW;
  if (count > 0 && !out->missing && most >= out->rows)
    return rdx_returned_wrong(device, most, 0, out->rows - 1, "the foreign row of a row", err);
  out->bytes = bytes_for(out->rows - !out->missing);
  RDX_TRY(create_codes(device, count, out->bytes, &out->codes, err));
  const struct packed_pack_args args = {.keys = RDX_ADDRESS(uint32_t, rows),
                                        .out_codes = RDX_ADDRESS(uint32_t, out->codes),
                                        .most = RDX_NO_ROW - 1u,
                                        .null_code = out->rows,
                                        .rows = (uint32_t)count};
  return pack(device, &args, false, out->bytes, ms, err);
}

/* For each row its foreign row: by an index. */
static rdx_status look_up_foreign_rows(rdx_device *device, const rdx_dimension *d, uint32_t number, rdx_buffer **out,
                                       rdx_error *err) {
  static const rdx_index_params params = {.method = RDX_INDEX_HASH};
  static const rdx_lookup_params first = {.result = RDX_LOOKUP_FIRST};
  RDX_SCOPED(rdx_index_destroy) rdx_index *index = NULL;
  RDX_SCOPED(rdx_lookup_result_destroy) rdx_lookup_result *result = NULL;
  rdx_index_stats stats;
  RDX_TRY(rdx_index_create(device, &d->key, &params, &index, err));
  rdx_index_get_stats(index, &stats);
  RDX_TRY(check_key(stats.rows, stats.rows - stats.keys, stats.distinct, number, err));
  RDX_TRY(rdx_index_lookup(index, &d->foreign_key, &first, &result, err));
  return take_rows(device, result, out, err);
}

/* The row of each key string, RDX_NO_ROW for a string that no row has; whether all rows differ. */
static rdx_status list_key_rows(const rdx_encoded_column *key, uint32_t **out, bool *distinct, rdx_error *err) {
  uint32_t *codes = NULL, *rows = NULL;
  RDX_TRY(rdx_alloc(key->rows, sizeof *codes, "the keys of a dimension", (void **)&codes, err));
  rdx_status status = rdx_alloc(key->dictionary->count, sizeof *rows, "the keys of a dimension", (void **)&rows, err);
  if (status == RDX_OK && key->rows > 0 && key->nulls == 0) {
    status = rdx_buffer_download(key->codes, 0, codes, key->rows * sizeof *codes, err);
    if (status == RDX_OK)
      status = rdx_returned_u32s(key->codes->device, codes, key->rows, key->dictionary->count - 1,
                                 "the code of a string", err);
  }
  if (status == RDX_OK) {
    memset(rows, 0xff, key->dictionary->count * sizeof *rows);
    *distinct = true;
    for (uint64_t i = 0; i < key->rows && key->nulls == 0; i++) {
      *distinct &= rows[codes[i]] == RDX_NO_ROW;
      rows[codes[i]] = (uint32_t)i;
    }
  }
  rdx_free(codes);
  *out = rows;
  return status;
}

/* From codes of the foreign key to rows, in place. */
static rdx_status map_strings(const rdx_device *device, const rdx_encoded_column *key, const uint32_t *key_rows,
                              const rdx_dictionary *foreign, const rdx_column *column, uint32_t *codes,
                              rdx_error *err) {
  uint32_t *map = NULL;
  RDX_TRY(rdx_dictionary_map(foreign, key->dictionary, &map, err));
  for (uint32_t i = 0; i < foreign->count; i++)
    map[i] = map[i] == UINT32_MAX ? RDX_NO_ROW : key_rows[map[i]];
  rdx_status status = RDX_OK;
  for (uint64_t i = 0; i < column->rows && status == RDX_OK; i++) {
    const bool has = rdx_column_has(column, i);
    if (has && codes[i] >= foreign->count)
      status = rdx_returned_wrong(device, codes[i], 0, foreign->count - 1ull, "the code of a string", err);
    codes[i] = has && status == RDX_OK ? map[codes[i]] : RDX_NO_ROW;
  }
  rdx_free(map);
  return status;
}

/* The same for strings: an index knows their first eight bytes only, which keys may have in common. */
static rdx_status match_strings(rdx_device *device, const rdx_dimension *d, uint32_t number, rdx_buffer **out,
                                rdx_error *err) {
  const rdx_column text = rdx_column_on_host(&d->foreign_key);
  rdx_encoded_column key = {0}, foreign = {0};
  uint32_t *key_rows = NULL, *rows = NULL;
  bool distinct = false;
  rdx_status status = rdx_encoded_column_create(device, &d->key, &key, err);
  if (status == RDX_OK)
    status = list_key_rows(&key, &key_rows, &distinct, err);
  if (status == RDX_OK)
    status = check_key(key.rows, key.nulls, distinct, number, err);
  if (status == RDX_OK)
    status = rdx_encoded_column_create(device, &d->foreign_key, &foreign, err);
  if (status == RDX_OK)
    status = rdx_alloc(foreign.rows, sizeof *rows, "the foreign rows", (void **)&rows, err);
  if (status == RDX_OK && foreign.rows > 0)
    status = rdx_buffer_download(foreign.codes, 0, rows, foreign.rows * sizeof *rows, err);
  if (status == RDX_OK)
    status = map_strings(device, &key, key_rows, foreign.dictionary, &text, rows, err);
  if (status == RDX_OK)
    status = rdx_buffer_create(device, foreign.rows * sizeof *rows, "the foreign rows", out, err);
  if (status == RDX_OK && foreign.rows > 0)
    status = rdx_buffer_upload(*out, 0, rows, foreign.rows * sizeof *rows, err);
  rdx_free(rows);
  rdx_free(key_rows);
  rdx_encoded_column_drop(&foreign);
  rdx_encoded_column_drop(&key);
  return status;
}

static rdx_status create_foreign_rows(rdx_device *device, const rdx_dimension *d, uint32_t number,
                                      rdx_foreign_rows *out, double *ms, rdx_error *err) {
  const bool strings = d->key.type == RDX_TYPE_STRING && d->foreign_key.type == RDX_TYPE_STRING;
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *rows = NULL;
  out->rows = d->key.rows;
  RDX_TRY((strings ? match_strings : look_up_foreign_rows)(device, d, number, &rows, err));
  return pack_foreign_rows(device, rows, d->foreign_key.rows, out, ms, err);
}

/* ---- Life ---- */

static rdx_status copy_names(const rdx_relation *relation, rdx_packed_relation *r, rdx_error *err) {
  for (uint32_t i = 0; i < relation->attribute_count; i++) {
    const size_t size = strlen(relation->attributes[i].name) + 1;
    RDX_TRY(rdx_alloc(size, 1, "the name of an attribute", (void **)&r->names[i], err));
    memcpy(r->names[i], relation->attributes[i].name, size);
  }
  return RDX_OK;
}

/* What is made later. */
static rdx_status create_lazy(const rdx_relation *relation, rdx_packed_relation *r, rdx_error *err) {
  const uint32_t count = relation->attribute_count;
  RDX_TRY(rdx_calloc(1, sizeof *r->lazy + count * sizeof *r->lazy->of, "a relation", (void **)&r->lazy, err));
  pthread_mutex_init(&r->lazy->lock, NULL);
  return RDX_OK;
}

static void destroy_lazy(rdx_packed_relation *r) {
  if (!r->lazy)
    return;
  rdx_wide_values_drop_all(r);
  for (uint32_t i = 0; i < r->attribute_count; i++) {
    rdx_limbs_free(&r->lazy->of[i].limbs);
    rdx_free(r->lazy->of[i].places.codes);
    rdx_buffer_destroy(&r->lazy->of[i].places.places);
  }
  pthread_mutex_destroy(&r->lazy->lock);
  rdx_free(r->lazy);
}

static rdx_status fill(const rdx_relation *relation, rdx_packed_relation *r, rdx_error *err) {
  RDX_TRY(create_lazy(relation, r, err));
  RDX_TRY(rdx_calloc(relation->attribute_count, sizeof *r->names, "a relation", (void **)&r->names, err));
  RDX_TRY(rdx_calloc(relation->attribute_count, sizeof *r->attributes, "a relation", (void **)&r->attributes, err));
  RDX_TRY(rdx_calloc(relation->dimension_count, sizeof *r->foreign_rows, "a relation", (void **)&r->foreign_rows, err));
  r->attribute_count = relation->attribute_count;
  r->dimension_count = relation->dimension_count;
  RDX_TRY(copy_names(relation, r, err));
  for (uint32_t i = 0; i < relation->attribute_count; i++) {
    RDX_TRY(rdx_progress("pack", i, relation->attribute_count, err));
    RDX_TRY(rdx_packed_column_create(r->device, &relation->attributes[i], &r->attributes[i], &r->encode_ms, err));
  }
  for (uint32_t i = 0; i < relation->dimension_count; i++)
    RDX_TRY(create_foreign_rows(r->device, &relation->dimensions[i], i + 1, &r->foreign_rows[i], &r->encode_ms, err));
  return RDX_OK;
}

rdx_status rdx_packed_relation_create(rdx_device *device, const rdx_relation *relation, rdx_packed_relation **out,
                                      rdx_error *err) {
  RDX_TRY(check(relation, err));
  const double start = rdx_now_ms();
  const uint64_t used = atomic_load(&device->memory_used);
  rdx_packed_relation *r = NULL;
  RDX_TRY(rdx_calloc(1, sizeof *r, "a relation", (void **)&r, err));
  r->device = device;
  r->rows = relation->rows;
  const rdx_status status = fill(relation, r, err);
  if (status != RDX_OK) {
    rdx_packed_relation_destroy(&r);
    return status;
  }
  r->bytes = atomic_load(&device->memory_used) - used;
  r->encode_ms = rdx_now_ms() - start;
  *out = r;
  return RDX_OK;
}

void rdx_packed_column_free(rdx_packed_column *attribute) {
  rdx_encoded_column_drop(&attribute->source);
  rdx_free(attribute->keys);
  rdx_buffer_destroy(&attribute->codes);
  rdx_buffer_destroy(&attribute->values);
  *attribute = (rdx_packed_column){0};
}

void rdx_packed_relation_destroy(rdx_packed_relation **relation) {
  rdx_packed_relation *r = *relation;
  if (!r)
    return;
  for (uint32_t i = 0; r->attributes && i < r->attribute_count; i++)
    rdx_packed_column_free(&r->attributes[i]);
  for (uint32_t i = 0; i < r->attribute_count; i++)
    rdx_free(r->names[i]);
  for (uint32_t i = 0; i < r->dimension_count; i++)
    rdx_buffer_destroy(&r->foreign_rows[i].codes);
  destroy_lazy(r);
  rdx_free(r->names);
  rdx_free(r->attributes);
  rdx_free(r->foreign_rows);
  rdx_free(r);
  *relation = NULL;
}

/* ---- For cubes ---- */

rdx_status rdx_packed_gather(const rdx_packed_relation *relation, const rdx_packed_column *attribute, rdx_buffer *rows,
                             uint64_t count, uint32_t bytes, rdx_buffer **out, rdx_error *err) {
  const rdx_packed_column *c = attribute;
  const rdx_foreign_rows *p = rdx_packed_foreign_rows(relation, attribute);
  const uint32_t out64 = bytes == 8;
  double ms = 0;
  RDX_TRY(rdx_buffer_create(relation->device, count * bytes, "the codes of an attribute", out, err));
  const struct packed_gather_args args = {.codes = RDX_ADDRESS(uint32_t, c->codes),
                                          .foreign_rows = p ? RDX_ADDRESS(uint32_t, p->codes) : NULL,
                                          .rows = RDX_ADDRESS(uint32_t, rows),
                                          .out_codes = RDX_ADDRESS(uint32_t, *out),
                                          .bytes = c->bytes,
                                          .foreign_bytes = p ? p->bytes : 0};
  const rdx_status status =
      rdx_launch_timed(relation->device, &rdx_kernel_packed_gather, &args, &out64, count, "pack", &ms, err);
  if (status != RDX_OK)
    rdx_buffer_destroy(out);
  return status;
}

/* Record the bits of rows that have all their foreign rows. */
static rdx_status mark_joined(const rdx_packed_relation *r, rdx_stream *stream, rdx_buffer *bits, rdx_error *err) {
  uint32_t start = 1;
  for (uint32_t i = 0; i < r->dimension_count; i++) {
    const rdx_foreign_rows *p = &r->foreign_rows[i];
    if (!p->missing)
      continue;
    const struct packed_joined_args args = {.foreign_rows = RDX_ADDRESS(uint32_t, p->codes),
                                            .bits = RDX_ADDRESS(uint32_t, bits),
                                            .foreign_bytes = p->bytes,
                                            .none = (uint32_t)p->rows,
                                            .rows = (uint32_t)r->rows,
                                            .start = start};
    RDX_TRY(rdx_stream_launch(stream, &rdx_kernel_packed_joined, &args, NULL, (r->rows + 31) / 32, NULL, err));
    start = 0;
  }
  return RDX_OK;
}

static rdx_status list_joined(const rdx_packed_relation *r, rdx_stream *stream, rdx_buffer **rows, rdx_buffer *count,
                              rdx_error *err) {
  rdx_buffer *bits = NULL;
  RDX_TRY(rdx_stream_scratch(stream, (r->rows + 31) / 32 * 4, "a bitmap of rows", &bits, err));
  RDX_TRY(mark_joined(r, stream, bits, err));
  RDX_TRY(rdx_buffer_create(r->device, r->rows * 4, "the rows that have foreign rows", rows, err));
  RDX_TRY(rdx_stream_select(stream, bits, *rows, count, r->rows, err));
  return rdx_stream_finish(stream, err);
}

rdx_status rdx_packed_joined(const rdx_packed_relation *relation, rdx_buffer **out_rows, uint64_t *out_count,
                             rdx_error *err) {
  bool missing = false;
  for (uint32_t i = 0; i < relation->dimension_count; i++)
    missing |= relation->foreign_rows[i].missing;
  *out_rows = NULL;
  *out_count = relation->rows;
  if (!missing)
    return RDX_OK;
  rdx_stream *stream = NULL;
  rdx_buffer *count = NULL;
  RDX_TRY(rdx_stream_create_for(relation->device, "build", &stream, err));
  rdx_status status = rdx_buffer_create(relation->device, 8, "a number of rows", &count, err);
  if (status == RDX_OK)
    status = list_joined(relation, stream, out_rows, count, err);
  if (status == RDX_OK)
    status = rdx_buffer_number(count, 0, 0, relation->rows, "the rows that have foreign rows", out_count, err);
  rdx_buffer_destroy(&count);
  rdx_stream_destroy(&stream);
  if (status != RDX_OK)
    rdx_buffer_destroy(out_rows);
  return status;
}

/* ---- Places of codes ---- */

static rdx_status pack_places(rdx_device *device, const rdx_packed_column *c, rdx_dense_codes *p, rdx_error *err) {
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *table = NULL;
  double ms = 0;
  RDX_TRY(rdx_buffer_create(device, p->count * 8, "the codes of a column", &table, err));
  RDX_TRY(rdx_buffer_upload(table, 0, p->codes, p->count * 8, err));
  RDX_TRY(create_codes(device, c->rows, p->bytes, &p->places, err));
  const struct packed_pack_args args = {.keys = RDX_ADDRESS(uint32_t, c->codes),
                                        .table = RDX_ADDRESS(uint64_t, table),
                                        .out_codes = RDX_ADDRESS(uint32_t, p->places),
                                        .most = UINT64_MAX,
                                        .rows = (uint32_t)c->rows,
                                        .table_count = (uint32_t)p->count};
  return pack(device, &args, c->bytes == 8, p->bytes, &ms, err);
}

/* Codes of 4 or 8 bytes are keys of a column. */
static rdx_status create_places(rdx_device *device, const rdx_packed_column *c, rdx_dense_codes *out, rdx_error *err) {
  const rdx_encoded_column column = {.type = c->bytes == 8 ? RDX_TYPE_U64 : RDX_TYPE_U32,
                                     .key_bits = 8 * c->bytes,
                                     .rows = c->rows,
                                     .largest = c->count - !c->nulls,
                                     .codes = c->codes};
  distinct_keys found = {0};
  rdx_status status = find_distinct(device, &column, UINT64_MAX, &found, err);
  *out = (rdx_dense_codes){.count = found.count, .codes = found.keys, .bytes = bytes_for(found.count)};
  if (status == RDX_OK)
    status = pack_places(device, c, out, err);
  if (status == RDX_OK)
    return RDX_OK;
  rdx_free(out->codes);
  rdx_buffer_destroy(&out->places);
  *out = (rdx_dense_codes){0};
  return status;
}

rdx_status rdx_packed_dense_codes(const rdx_packed_relation *relation, uint32_t attribute, const rdx_dense_codes **out,
                                  rdx_error *err) {
  rdx_dense_codes *places = &relation->lazy->of[attribute].places;
  pthread_mutex_lock(&relation->lazy->lock);
  const rdx_status status =
      places->places ? RDX_OK : create_places(relation->device, &relation->attributes[attribute], places, err);
  pthread_mutex_unlock(&relation->lazy->lock);
  *out = places;
  return status;
}

uint64_t rdx_dense_code(const rdx_dense_codes *places, uint64_t code) {
  return lower_bound_u64(places->codes, 0, (uint32_t)places->count, code);
}

/* ---- Values ---- */

/* Strings that are all short are copied as if they had the most bytes, one over the end of another. */
static void copy_short(const rdx_dictionary *d, const uint64_t *codes, uint64_t count, uint64_t *offsets, char *text) {
  uint64_t at = 0;
  for (uint64_t i = 0; i < count; i++) {
    offsets[i] = at;
    if (codes[i] < d->count) {
      const uint64_t *from = d->offsets + codes[i];
      memcpy(text + at, d->bytes + from[0], RDX_DICTIONARY_SPARE);
      at += from[1] - from[0];
    }
  }
  offsets[count] = at;
}

#define ASK_EVERY (64 * 1024) /* codes */

static rdx_status make_strings(const rdx_dictionary *d, const uint64_t *codes, uint64_t count, rdx_arena *arena,
                               rdx_column *out, rdx_error *err) {
  const bool are_short = d->longest <= RDX_DICTIONARY_SPARE;
  uint64_t *offsets = NULL, bytes = 0;
  char *text = NULL;
  RDX_TRY(rdx_arena_alloc(arena, count + 1, 8, "the strings of a result", (void **)&offsets, err));
  for (uint64_t i = 0; i < count && !are_short; i++) {
    offsets[i] = bytes;
    bytes += codes[i] < d->count ? d->offsets[codes[i] + 1] - d->offsets[codes[i]] : 0;
  }
  offsets[count] = bytes;
  RDX_TRY(rdx_arena_alloc(arena, are_short ? (count + 1) * RDX_DICTIONARY_SPARE : bytes, 1, "the strings of a result",
                          (void **)&text, err));
  if (are_short)
    copy_short(d, codes, count, offsets, text);
  for (uint64_t i = 0; i < count && !are_short; i++) {
    if (i % ASK_EVERY == 0)
      RDX_TRY(rdx_progress_at_times("result", i, count, err));
    if (offsets[i + 1] > offsets[i])
      memcpy(text + offsets[i], d->bytes + d->offsets[codes[i]], offsets[i + 1] - offsets[i]);
  }
  out->offsets = offsets;
  out->values = text;
  return RDX_OK;
}

#define DECODED 256 /* codes at a time */
#define PIECE 16384 /* of them for a thread */

typedef struct decoding {
  const rdx_packed_column *column;
  const uint64_t *codes;
  char *values;
  uint8_t *validity; /* NULL: there are no NULLs */
} decoding;

/* NULLs get the value 0. */
static void decode_values(void *context, uint64_t begin, uint64_t end, uint32_t worker) {
  (void)worker;
  const decoding *d = context;
  const rdx_type type = d->column->source.type;
  const uint64_t zero = rdx_key_zero(type), size = rdx_type_size(type);
  uint64_t keys[DECODED];
  for (uint64_t first = begin, n; first < end; first += n) {
    n = end - first < DECODED ? end - first : DECODED;
    for (uint64_t i = 0; i < n; i++)
      keys[i] = d->codes[first + i] < d->column->count ? rdx_packed_column_key(d->column, d->codes[first + i]) : zero;
    rdx_keys_decode(type, keys, n, d->values + first * size);
  }
}

static void decode_validity(void *context, uint64_t begin, uint64_t end, uint32_t worker) {
  (void)worker;
  const decoding *d = context;
  memset(d->validity + begin / 8, 0, (end - begin + 7) / 8);
  for (uint64_t i = begin; i < end; i++)
    d->validity[i / 8] |= (uint8_t)((d->codes[i] < d->column->count) << i % 8);
}

static rdx_status make_values(decoding *d, uint64_t count, rdx_arena *arena, rdx_column *out, rdx_error *err) {
  RDX_TRY(rdx_arena_alloc(arena, count, rdx_type_size(d->column->source.type), "the values of a result",
                          (void **)&d->values, err));
  out->values = d->values;
  return rdx_device_run_stage_on_host(d->column->codes->device, count, PIECE, decode_values, d, "query", err);
}

static rdx_status make_validity(decoding *d, uint64_t count, rdx_arena *arena, rdx_column *out, rdx_error *err) {
  RDX_TRY(rdx_arena_alloc(arena, (count + 7) / 8, 1, "the NULL bits of a result", (void **)&d->validity, err));
  out->validity = d->validity;
  return rdx_device_run_stage_on_host(d->column->codes->device, count, PIECE, decode_validity, d, "query", err);
}

rdx_status rdx_packed_column_values(const rdx_packed_column *attribute, const uint64_t *codes, uint64_t count,
                                    bool nulls, rdx_arena *arena, rdx_column *out, rdx_error *err) {
  *out = (rdx_column){.type = attribute->source.type, .scale = attribute->source.scale, .rows = count};
  decoding d = {.column = attribute, .codes = codes};
  if (nulls)
    RDX_TRY(make_validity(&d, count, arena, out, err));
  return attribute->source.type == RDX_TYPE_STRING
             ? make_strings(attribute->source.dictionary, codes, count, arena, out, err)
             : make_values(&d, count, arena, out, err);
}
