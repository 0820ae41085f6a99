/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Relations as packed codes: attributes as differences or places, dimensions as the row number of each row's foreign
 * row (a join index: Valduriez, TODS 1987). */

#include "star/relation.h"

#include <stdatomic.h>
#include <string.h>

#include "column/column.h"
#include "star/wide_values.h"
#include "index/result.h"
#include "kernels/packed/kernels.h"

#define MAX_DIMENSIONS 8

/* ---- Checks ---- */

static rdx_status check_dimensions(const rdx_relation *r, rdx_error *err) {
  if (r->dimension_count > 0 && !r->dimensions)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "a relation has %u dimensions, but names none", r->dimension_count);
  if (r->dimension_count > MAX_DIMENSIONS)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "a relation has at most %d dimensions, not %u", MAX_DIMENSIONS,
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

/* The largest of numbers of rows. */
static rdx_status find_largest(rdx_device *device, rdx_buffer *rows, uint64_t count, uint64_t *out, rdx_error *err) {
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *largest = NULL;
  RDX_SCOPED(rdx_stream_destroy) rdx_stream *stream = NULL;
  RDX_TRY(rdx_stream_create_for(device, "build", &stream, err));
  RDX_TRY(rdx_buffer_create(device, 8, "a number of rows", &largest, err));
  RDX_TRY(rdx_stream_reduce(stream, RDX_REDUCE_MAX, rows, 4, largest, count, err));
  RDX_TRY(rdx_stream_finish(stream, err));
  return rdx_buffer_download(largest, 0, out, 8, err);
}

static rdx_status pack_foreign_rows(rdx_device *device, rdx_buffer *rows, uint64_t count, rdx_foreign_rows *out,
                                    double *ms, rdx_error *err) {
  uint64_t max = 0;
  RDX_TRY(find_largest(device, rows, count, &max, err));
  out->missing = count > 0 && max == RDX_NO_ROW;
  if (count > 0 && !out->missing && max >= out->rows)
    return rdx_returned_wrong(device, max, 0, out->rows - 1, "the foreign row of a row", err);
  out->bytes = rdx_code_bytes(out->rows - !out->missing);
  RDX_TRY(rdx_codes_create(device, count, out->bytes, &out->codes, err));
  const struct packed_pack_args args = {.keys = RDX_ADDRESS(uint32_t, rows),
                                        .out_codes = RDX_ADDRESS(uint32_t, out->codes),
                                        .max = RDX_NO_ROW - 1u,
                                        .null_code = out->rows,
                                        .rows = (uint32_t)count};
  return rdx_codes_pack(device, &args, false, out->bytes, ms, err);
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
  RDX_SCOPED(rdx_free_local) uint32_t *codes = NULL;
  const uint32_t count = key->dictionary->count;
  RDX_TRY(rdx_alloc(key->rows, sizeof *codes, "the keys of a dimension", (void **)&codes, err));
  RDX_TRY(rdx_alloc(count, sizeof **out, "the keys of a dimension", (void **)out, err));
  memset(*out, 0xff, count * sizeof **out);
  *distinct = true;
  if (key->rows == 0 || key->nulls > 0)
    return RDX_OK;
  RDX_TRY(rdx_buffer_download(key->keys, 0, codes, key->rows * sizeof *codes, err));
  RDX_TRY(rdx_returned_u32s(key->keys->device, codes, key->rows, count - 1, "the code of a string", err));
  for (uint64_t i = 0; i < key->rows; i++) {
    *distinct &= (*out)[codes[i]] == RDX_NO_ROW;
    (*out)[codes[i]] = (uint32_t)i;
  }
  return RDX_OK;
}

/* From codes of the foreign key to rows, in place. */
static rdx_status map_strings(const rdx_device *device, const rdx_encoded_column *key, const uint32_t *key_rows,
                              const rdx_dictionary *foreign, const rdx_column *column, uint32_t *codes,
                              rdx_error *err) {
  RDX_SCOPED(rdx_free_local) uint32_t *map = NULL;
  RDX_TRY(rdx_dictionary_map(foreign, key->dictionary, &map, err));
  for (uint32_t i = 0; i < foreign->count; i++)
    map[i] = map[i] == UINT32_MAX ? RDX_NO_ROW : key_rows[map[i]];
  for (uint64_t i = 0; i < column->rows; i++) {
    const bool has = rdx_column_has(column, i);
    if (has && codes[i] >= foreign->count)
      return rdx_returned_wrong(device, codes[i], 0, foreign->count - 1ull, "the code of a string", err);
    codes[i] = has ? map[codes[i]] : RDX_NO_ROW;
  }
  return RDX_OK;
}

/* The same for strings: an index knows their first eight bytes only, which keys may have in common. */
static rdx_status match_strings(rdx_device *device, const rdx_dimension *d, uint32_t number, rdx_buffer **out,
                                rdx_error *err) {
  const rdx_column text = rdx_column_on_host(&d->foreign_key);
  RDX_SCOPED(rdx_encoded_column_drop) rdx_encoded_column key = {0};
  RDX_SCOPED(rdx_encoded_column_drop) rdx_encoded_column foreign = {0};
  RDX_SCOPED(rdx_free_local) uint32_t *key_rows = NULL;
  RDX_SCOPED(rdx_free_local) uint32_t *rows = NULL;
  bool distinct = false;
  RDX_TRY(rdx_encoded_column_create(device, &d->key, &key, err));
  RDX_TRY(list_key_rows(&key, &key_rows, &distinct, err));
  RDX_TRY(check_key(key.rows, key.nulls, distinct, number, err));
  RDX_TRY(rdx_encoded_column_create(device, &d->foreign_key, &foreign, err));
  const uint64_t bytes = foreign.rows * sizeof *rows;
  RDX_TRY(rdx_alloc(foreign.rows, sizeof *rows, "the foreign rows", (void **)&rows, err));
  if (bytes > 0)
    RDX_TRY(rdx_buffer_download(foreign.keys, 0, rows, bytes, err));
  RDX_TRY(map_strings(device, &key, key_rows, foreign.dictionary, &text, rows, err));
  RDX_TRY(rdx_buffer_create(device, bytes, "the foreign rows", out, err));
  return bytes > 0 ? rdx_buffer_upload(*out, 0, rows, bytes, err) : RDX_OK;
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
  for (uint32_t i = 0; i < relation->attribute_count; i++)
    RDX_TRY(rdx_copy_text(relation->attributes[i].name, "the name of an attribute", &r->names[i], err));
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
    rdx_encoded_column_drop(&r->lazy->of[i].dense);
  }
  pthread_mutex_destroy(&r->lazy->lock);
  rdx_free(r->lazy);
}

/* The attributes and foreign rows, those that are shared without a copy. */
static rdx_status fill_parts(const rdx_relation *relation, const rdx_shared_parts *shared, rdx_packed_relation *r,
                             rdx_error *err) {
  for (uint32_t i = 0; i < relation->attribute_count; i++) {
    RDX_TRY(rdx_progress("pack", i, relation->attribute_count, err));
    if (shared && shared->attributes[i]) {
      rdx_encoded_column_share(shared->attributes[i], &r->attributes[i]);
      r->attributes[i].dimension = relation->attributes[i].dimension;
      continue;
    }
    RDX_TRY(rdx_attribute_encode(r->device, &relation->attributes[i], &r->attributes[i], &r->encode_ms, err));
  }
  for (uint32_t i = 0; i < relation->dimension_count; i++) {
    if (shared && shared->foreign_rows[i]) {
      r->foreign_rows[i] = *shared->foreign_rows[i];
      rdx_buffer_retain(r->foreign_rows[i].codes);
      continue;
    }
    RDX_TRY(create_foreign_rows(r->device, &relation->dimensions[i], i + 1, &r->foreign_rows[i], &r->encode_ms, err));
  }
  return RDX_OK;
}

static rdx_status fill(const rdx_relation *relation, const rdx_shared_parts *shared, rdx_packed_relation *r,
                       rdx_error *err) {
  RDX_TRY(create_lazy(relation, r, err));
  RDX_TRY(rdx_calloc(relation->attribute_count, sizeof *r->names, "a relation", (void **)&r->names, err));
  RDX_TRY(rdx_calloc(relation->attribute_count, sizeof *r->attributes, "a relation", (void **)&r->attributes, err));
  RDX_TRY(rdx_calloc(relation->dimension_count, sizeof *r->foreign_rows, "a relation", (void **)&r->foreign_rows, err));
  r->attribute_count = relation->attribute_count;
  r->dimension_count = relation->dimension_count;
  RDX_TRY(copy_names(relation, r, err));
  return fill_parts(relation, shared, r, err);
}

rdx_status rdx_packed_relation_create(rdx_device *device, const rdx_relation *relation, const rdx_shared_parts *shared,
                                      rdx_packed_relation **out, rdx_error *err) {
  RDX_TRY(check(relation, err));
  const double start = rdx_now_ms();
  RDX_SCOPED(rdx_packed_relation_destroy) rdx_packed_relation *r = NULL;
  RDX_TRY(rdx_calloc(1, sizeof *r, "a relation", (void **)&r, err));
  r->device = device;
  r->rows = relation->rows;
  RDX_TRY(fill(relation, shared, r, err));
  r->encode_ms = rdx_now_ms() - start;
  *out = RDX_KEEP(r);
  return RDX_OK;
}

void rdx_packed_relation_destroy(rdx_packed_relation **relation) {
  rdx_packed_relation *r = *relation;
  if (!r)
    return;
  for (uint32_t i = 0; r->attributes && i < r->attribute_count; i++)
    rdx_encoded_column_drop(&r->attributes[i]);
  for (uint32_t i = 0; i < r->attribute_count; i++)
    rdx_free(r->names[i]);
  for (uint32_t i = 0; i < r->dimension_count; i++)
    rdx_buffer_destroy(&r->foreign_rows[i].codes);
  destroy_lazy(r);
  RDX_FREE_ALL(r->names, r->attributes, r->foreign_rows, r);
  *relation = NULL;
}

static uint64_t share_of(const rdx_buffer *buffer) {
  return buffer ? buffer->size / atomic_load(&buffer->references) : 0;
}

uint64_t rdx_packed_relation_bytes(const rdx_packed_relation *relation) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < relation->attribute_count; i++)
    bytes += share_of(relation->attributes[i].codes) + share_of(relation->attributes[i].values);
  for (uint32_t i = 0; i < relation->dimension_count; i++)
    bytes += share_of(relation->foreign_rows[i].codes);
  return bytes;
}

rdx_status rdx_attribute_encode(rdx_device *device, const rdx_attribute *attribute, rdx_encoded_column *out, double *ms,
                                rdx_error *err) {
  RDX_TRY(rdx_encoded_column_create(device, &attribute->column, out, err));
  out->dimension = attribute->dimension;
  return rdx_encoded_column_pack(device, out, ms, err);
}

/* ---- For cubes ---- */

rdx_status rdx_packed_gather(const rdx_packed_relation *relation, const rdx_encoded_column *attribute, rdx_buffer *rows,
                             uint64_t count, uint32_t bytes, rdx_buffer **out, rdx_error *err) {
  const rdx_encoded_column *c = attribute;
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
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *count = NULL, *rows = NULL;
  RDX_SCOPED(rdx_stream_destroy) rdx_stream *stream = NULL;
  RDX_TRY(rdx_stream_create_for(relation->device, "build", &stream, err));
  RDX_TRY(rdx_buffer_create(relation->device, 8, "a number of rows", &count, err));
  RDX_TRY(list_joined(relation, stream, &rows, count, err));
  RDX_TRY(rdx_buffer_number(count, 0, 0, relation->rows, "the rows that have foreign rows", out_count, err));
  *out_rows = rows;
  rows = NULL;
  return RDX_OK;
}

/* ---- Dense codes ---- */

rdx_status rdx_packed_dense_codes(const rdx_packed_relation *relation, uint32_t attribute,
                                  const rdx_encoded_column **out, rdx_error *err) {
  rdx_encoded_column *dense = &relation->lazy->of[attribute].dense;
  RDX_LOCKED(&relation->lazy->lock);
  *out = dense;
  return dense->codes ? RDX_OK
                      : rdx_encoded_column_make_dense(relation->device, &relation->attributes[attribute], dense, err);
}
