/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The hash table: open addressing over buckets of a cache line (RTIndeX, section 4.1, "HT", which is WarpCore). It is
 * built by sorting the mixed keys, which brings equal keys together and buckets into order, or by inserting them one by
 * one, which gives the same table. */

#include "index/method/sorted_keys.h"
#include "kernels/hash/kernels.h"

#define DEFAULT_LOAD 80
#define DEFAULT_LANES 2
#define MAX_HOMES (1u << 31) /* numbers of buckets, those after the last home included, stay below 2^32 - 1 */

typedef struct hash {
  uint32_t key_bits;
  bool runs;         /* some key has several rows */
  uint32_t homes;    /* buckets that keys are mapped to; a few may follow them */
  uint32_t lanes;    /* log2 */
  rdx_buffer *table; /* of buckets; see kernels/hash/hash.h */
  rdx_buffer *rows;  /* runs only */
} hash;

static void destroy(void *self) {
  hash *h = self;
  RDX_DESTROY_BUFFERS(&h->table, &h->rows);
}

/* ---- Options ---- */

static rdx_status check_params(const rdx_device *device, const rdx_hash_params *p, rdx_error *err) {
  if (p->load_percent != 0 && (p->load_percent < 10 || p->load_percent > 95))
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "hash: a load of %u%% is not one of 10 to 95%%", p->load_percent);
  if ((uint32_t)p->build > RDX_HASH_BUILD_INSERT)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "hash: %u is not a way to build", (uint32_t)p->build);
  if (p->lanes > 16 || (p->lanes & (p->lanes - 1)) != 0)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "hash: %u lanes are not 1, 2, 4, 8 or 16", p->lanes);
  return rdx_check_lanes("hash", device, p->lanes, err);
}

/* The logarithm of the lanes that look into a bucket together. */
static uint32_t choose_lanes(const rdx_device *device, const rdx_hash_params *p) {
  uint32_t lanes = p->lanes ? p->lanes : DEFAULT_LANES;
  while (lanes > device->info.threads && lanes > 1)
    lanes /= 2;
  return (uint32_t)__builtin_ctz(lanes);
}

/* RX, section 4.1 "target load factor of 0.8". */
/* The buckets that `entries` distinct keys are mapped to. */
static uint32_t count_homes(const rdx_hash_params *p, uint64_t entries, uint32_t key64, uint32_t runs) {
  const uint64_t full = bucket_slots(key64, runs) * (p->load_percent ? p->load_percent : DEFAULT_LOAD);
  const uint64_t homes = (entries * 100 + full - 1) / full;
  return homes < 1 ? 1 : homes < MAX_HOMES ? (uint32_t)homes : MAX_HOMES;
}

/* The buckets of a table that keys are inserted into: after the last home `times` as many as expected, or as many as
 * can be needed. */
static uint64_t inserted_buckets(const rdx_hash_params *p, uint64_t count, uint32_t key64, uint64_t times) {
  const uint64_t homes = count_homes(p, count, key64, false), all = count / bucket_slots(key64, false) + 1;
  const uint64_t more = times * (1 + homes / 64);
  return homes + (more < all ? more : all);
}

/* For distinct keys, as nearly all are; runs take less than that once keys have two rows each. */
static uint64_t estimate(RDX_UNUSED const rdx_device *device, const rdx_index_params *params, uint64_t count,
                         uint32_t key_bits) {
  const uint64_t sort = rdx_sorted_keys_estimate(device, count, key_bits);
  if (params->hash.build == RDX_HASH_BUILD_INSERT)
    return inserted_buckets(&params->hash, count, key_bits == 64, 1) * BUCKET_BYTES;
  const uint64_t table = (count_homes(&params->hash, count, key_bits == 64, false) + 1ull) * BUCKET_BYTES;
  const uint64_t build = sort / 2 + (count / HASH_TILE + 2) * 8 + table;
  return sort > build ? sort : build;
}

/* ---- Building ---- */

typedef struct building {
  const rdx_key_set *set;
  const rdx_index_params *params;
  rdx_stream *stream;
  rdx_sorted_keys sorted; /* mixed keys */
  rdx_buffer *starts;     /* of the runs of equal keys; NULL: all are distinct */
  rdx_buffer *reaches;
  uint64_t entries; /* distinct keys */
  hash *out;
} building;

/* Sort the mixed keys. */
static rdx_status sort(building *b, rdx_index_stats *stats, rdx_error *err) {
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *keys = NULL;
  rdx_key_set mixed = *b->set;
  RDX_TRY(rdx_buffer_create(mixed.device, mixed.count * mixed.key_bits / 8, "the mixed keys", &keys, err));
  mixed.keys = keys;
  const struct hash_mix_args args = {.keys = RDX_ADDRESS(uint32_t, b->set->keys),
                                     .mixed = RDX_ADDRESS(uint32_t, mixed.keys)};
  const uint32_t key64 = mixed.key_bits == 64;
  RDX_TRY(rdx_stream_mark(b->stream, err));
  RDX_TRY(rdx_stream_launch(b->stream, &rdx_kernel_hash_mix, &args, &key64, mixed.count, NULL, err));
  RDX_TRY(rdx_stream_finish_timed(b->stream, &stats->encode_ms, err));
  return rdx_sorted_keys_create(&mixed, &b->sorted, stats, err);
}

static struct hash_place_args place_args(const building *b) {
  return (struct hash_place_args){.keys = RDX_ADDRESS(uint32_t, b->sorted.keys),
                                  .rows = RDX_ADDRESS(uint32_t, b->sorted.rows),
                                  .starts = RDX_ADDRESS(uint32_t, b->starts),
                                  .reaches = RDX_ADDRESS(uint64_t, b->reaches),
                                  .table = RDX_ADDRESS(uint32_t, b->out->table),
                                  .entries = (uint32_t)b->entries,
                                  .n = (uint32_t)b->set->count,
                                  .homes = b->out->homes};
}

/* Find out how far the entries reach, and thereby how many buckets there are. */
static rdx_status measure(building *b, uint64_t *buckets, rdx_index_stats *stats, rdx_error *err) {
  const uint64_t tiles = (b->entries + HASH_TILE - 1) / HASH_TILE;
  const uint32_t variant[2] = {b->out->key_bits == 64, b->out->runs};
  uint64_t reach = 0;
  RDX_TRY(rdx_buffer_create(b->set->device, (tiles + 1) * 8, "the reach of buckets", &b->reaches, err));
  const struct hash_place_args args = place_args(b);
  const struct hash_spine_args spine = {.reaches = RDX_ADDRESS(uint64_t, b->reaches), .tiles = (uint32_t)tiles};
  RDX_TRY(rdx_stream_mark(b->stream, err));
  RDX_TRY(rdx_stream_launch(b->stream, &rdx_kernel_hash_reach, &args, variant, tiles, NULL, err));
  RDX_TRY(rdx_stream_launch(b->stream, &rdx_kernel_hash_spine, &spine, NULL, 1, NULL, err));
  RDX_TRY(rdx_stream_finish_timed(b->stream, &stats->encode_ms, err));
  const uint64_t slots = bucket_slots(variant[0], variant[1]);
  RDX_TRY(rdx_buffer_number(b->reaches, tiles * 8, b->entries, b->out->homes * slots + b->entries,
                            "the reach of a hash table", &reach, err));
  /* The reach less 1 is the last entry's slot, and the next one is empty: its bucket is there, and not full. */
  const uint64_t used = reach / slots + 1;
  *buckets = used > b->out->homes ? used : b->out->homes;
  return RDX_OK;
}

static rdx_status place(building *b, uint64_t buckets, rdx_index_stats *stats, rdx_error *err) {
  const uint64_t tiles = (b->entries + HASH_TILE - 1) / HASH_TILE, size = buckets * BUCKET_BYTES;
  const uint32_t variant[2] = {b->out->key_bits == 64, b->out->runs};
  RDX_TRY(rdx_buffer_create(b->set->device, size, "a hash table", &b->out->table, err));
  const struct hash_place_args args = place_args(b);
  RDX_TRY(rdx_stream_mark(b->stream, err));
  RDX_TRY(rdx_stream_fill(b->stream, b->out->table, 0, size, NO_ROW, err));
  RDX_TRY(rdx_stream_launch(b->stream, &rdx_kernel_hash_place, &args, variant, tiles, NULL, err));
  return rdx_stream_finish_timed(b->stream, &stats->encode_ms, err);
}

/* Whether all keys found a slot; else there have to be more buckets. */
static rdx_status try_insert(building *b, rdx_buffer *trouble, bool *all, rdx_index_stats *stats, rdx_error *err) {
  hash *h = b->out;
  const uint32_t key64 = h->key_bits == 64;
  uint32_t found[2] = {0};
  const struct hash_insert_args args = {.keys = RDX_ADDRESS(uint32_t, b->set->keys),
                                        .rows = RDX_ADDRESS(uint32_t, b->set->rows),
                                        .table = RDX_ADDRESS(uint32_t, h->table),
                                        .trouble = RDX_ADDRESS(uint32_t, trouble),
                                        .homes = h->homes,
                                        .buckets = (uint32_t)(h->table->size / BUCKET_BYTES)};
  RDX_TRY(rdx_stream_mark(b->stream, err));
  RDX_TRY(rdx_stream_fill(b->stream, h->table, 0, h->table->size, NO_ROW, err));
  RDX_TRY(rdx_stream_fill(b->stream, trouble, 0, sizeof found, 0, err));
  RDX_TRY(rdx_stream_launch(b->stream, &rdx_kernel_hash_insert[key64], &args, &key64, b->set->count, NULL, err));
  RDX_TRY(rdx_stream_launch(b->stream, &rdx_kernel_hash_rows, &args, &key64, b->set->count, NULL, err));
  RDX_TRY(rdx_stream_finish_timed(b->stream, &stats->encode_ms, err));
  RDX_TRY(rdx_buffer_download(trouble, 0, found, sizeof found, err));
  if (found[INSERT_REPEATED])
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED,
                    "hash: build=insert takes distinct keys, and some of these are equal; leave it out");
  *all = !found[INSERT_FULL];
  return RDX_OK;
}

/* RX, section 4.1 "we insert each key separately during the build phase". */
static rdx_status insert_table(building *b, rdx_index_stats *stats, rdx_error *err) {
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *trouble = NULL;
  hash *h = b->out;
  const uint64_t count = b->set->count;
  const uint32_t key64 = h->key_bits == 64;
  bool all = false;
  if (key64 && !b->set->device->has_atomic_u64)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED,
                    "hash: build=insert of 64-bit keys needs 64-bit atomics, which %s lacks",
                    b->set->device->info.name);
  h->homes = count_homes(&b->params->hash, count, key64, false);
  RDX_TRY(rdx_buffer_create(b->set->device, 8, "whether keys are repeated", &trouble, err));
  for (uint64_t times = 1; !all; times *= 4) {
    const uint64_t size = inserted_buckets(&b->params->hash, count, key64, times) * BUCKET_BYTES;
    rdx_buffer_destroy(&h->table);
    RDX_TRY(rdx_buffer_create(b->set->device, size, "a hash table", &h->table, err));
    RDX_TRY(try_insert(b, trouble, &all, stats, err));
  }
  stats->distinct = true;
  stats->distinct_keys = count;
  stats->bytes_resident = h->table->size;
  return RDX_OK;
}

static rdx_status sort_table(building *b, rdx_index_stats *stats, rdx_error *err) {
  uint64_t buckets = 0;
  RDX_TRY(sort(b, stats, err));
  b->out->runs = !stats->distinct;
  b->entries = b->set->count;
  if (b->out->runs)
    RDX_TRY(rdx_sorted_keys_runs(&b->sorted, &b->starts, &b->entries, err));
  b->out->homes = count_homes(&b->params->hash, b->entries, b->out->key_bits == 64, b->out->runs);
  RDX_TRY(measure(b, &buckets, stats, err));
  RDX_TRY(place(b, buckets, stats, err));
  if (b->out->runs)
    b->out->rows = rdx_buffer_retain(b->sorted.rows);
  stats->bytes_resident = b->out->table->size + (b->out->runs ? b->out->rows->size : 0);
  return RDX_OK;
}

static void end(building *b) {
  rdx_stream_destroy(&b->stream);
  rdx_sorted_keys_destroy(&b->sorted);
  RDX_DESTROY_BUFFERS(&b->starts, &b->reaches);
}

static rdx_status build(void *self, const rdx_key_set *keys, const rdx_index_params *params, rdx_index_stats *stats,
                        rdx_error *err) {
  RDX_TRY(check_params(keys->device, &params->hash, err));
  RDX_SCOPED(end) building b = {.out = self, .set = keys, .params = params};
  b.out->key_bits = keys->key_bits;
  b.out->lanes = choose_lanes(keys->device, &params->hash);
  RDX_TRY(rdx_stream_create_for(keys->device, "build", &b.stream, err));
  return params->hash.build == RDX_HASH_BUILD_INSERT ? insert_table(&b, stats, err) : sort_table(&b, stats, err);
}

/* ---- Lookups ---- */

static rdx_status query(const void *self, rdx_stream *stream, const rdx_index_query *q, rdx_error *err) {
  const hash *h = self;
  const struct hash_args args = {RDX_LOOKUP_FIELDS(q), .table = RDX_ADDRESS(uint32_t, h->table),
                                 .rows = RDX_ADDRESS(uint32_t, h->rows), .homes = h->homes};
  const uint32_t gather = q->gather == GATHER_ANY ? GATHER_COUNT : q->gather; /* a bucket tells the number */
  const uint32_t variant[HASH_CONSTANTS] = {h->key_bits == 64, h->runs, gather, q->value};
  return rdx_stream_launch(stream, &rdx_kernel_hash_lookup[h->lanes], &args, variant, q->count, NULL, err);
}

static rdx_status count_visits(const void *self, rdx_stream *stream, const rdx_index_query *q, rdx_error *err) {
  const hash *h = self;
  const struct hash_visits_args args = {.lower = q->lower,
                                        .valid = q->valid,
                                        .table = RDX_ADDRESS(uint32_t, h->table),
                                        .out_visits = q->io.out_count,
                                        .homes = h->homes};
  const uint32_t variant[2] = {h->key_bits == 64, h->runs};
  return rdx_stream_launch(stream, &rdx_kernel_hash_visits, &args, variant, q->count, NULL, err);
}

const rdx_index_ops rdx_hash_ops = {
    .name = "hash",
    .estimate = estimate,
    .size = sizeof(hash),
    .build = build,
    .query = query,
    .count_visits = count_visits,
    .destroy = destroy,
    .rows_in_order = true,
    .points_only = true,
    .counts_runs = true,
};
