/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The radix-partitioned hash join: both sides are brought into the order of some bits of their mixed keys, by a pass or
 * two of the radix sort; each partition has a hash table of its own, which a cache holds while its probes come by. See
 * kernels/radix_hash/radix_hash.h; rdx_probes_order() partitions the probes. */

#include "index/index.h"
#include "kernels/hash/kernels.h"
#include "kernels/radix_hash/kernels.h"
#include "kernels/primitives/kernels.h"

/* What a partition should take at most, table and entries: on a CPU, the cache of a core; on a GPU, that of all its
 * cores, which work on few partitions at a time. What takes no more as a whole is left as one partition; 8 bits take a
 * pass over both sides, 16 bits two. */
#define CPU_PARTITION (1u << 20)
#define GPU_PARTITION (16u << 20)

typedef struct radix_hash {
  uint32_t key_bits, bits;
  rdx_buffer *keys, *starts, *table, *links; /* see kernels/radix_hash/radix_hash.h */
} radix_hash;

static void destroy(void *self) {
  radix_hash *h = self;
  RDX_DESTROY_BUFFERS(&h->keys, &h->starts, &h->table, &h->links);
}

static uint64_t entry_bytes(uint32_t key_bits) {
  return key_bits / 8 + 2 * SLOT_BYTES + 4 * LINK_WORDS;
}

static uint32_t choose_bits(const rdx_device *device, const rdx_radix_hash_params *p, uint64_t count,
                            uint32_t key_bits) {
  const uint64_t max = device->info.backend == RDX_BACKEND_CPU ? CPU_PARTITION : GPU_PARTITION;
  const uint64_t bytes = count * entry_bytes(key_bits);
  return p->bits ? p->bits : bytes <= max ? 0 : bytes / 256 <= max ? 8 : 16;
}

static uint64_t estimate(const rdx_device *device, const rdx_index_params *params, uint64_t count, uint32_t key_bits) {
  const uint64_t sort = count * (key_bits / 8 + 4) + rdx_device_sort_bytes(device, count, key_bits / 8);
  const uint64_t build = count * (entry_bytes(key_bits) + 4);
  return (sort > build ? sort : build) + 4 * ((1ull << choose_bits(device, &params->radix_hash, count, key_bits)) + 1);
}

/* ---- Building ---- */

typedef struct building {
  const rdx_key_set *set;
  rdx_stream *stream;
  rdx_buffer *rows, *repeated;
  radix_hash *out;
} building;

/* Mix the keys and bring them into the order of partitions, beside their rows. */
static rdx_status partition(building *b, rdx_error *err) {
  const rdx_key_set *set = b->set;
  radix_hash *h = b->out;
  const uint32_t key64 = h->key_bits == 64;
  RDX_TRY(rdx_buffer_create(set->device, set->count * (h->key_bits / 8), "the partitioned keys", &h->keys, err));
  RDX_TRY(rdx_buffer_create(set->device, set->count * 4, "the partitioned rows", &b->rows, err));
  const struct hash_mix_args args = {.keys = RDX_ADDRESS(uint32_t, set->keys), .mixed = RDX_ADDRESS(uint32_t, h->keys)};
  RDX_TRY(rdx_stream_launch(b->stream, &rdx_kernel_hash_mix, &args, &key64, set->count, NULL, err));
  RDX_TRY(set->rows ? rdx_stream_copy(b->stream, set->rows, 0, b->rows, 0, set->count * 4, err)
                    : rdx_primitive_iota(b->stream, b->rows, set->count, err));
  return h->bits ? rdx_stream_sort(b->stream, h->keys, h->key_bits / 8, h->bits, b->rows, set->count, err) : RDX_OK;
}

static rdx_status insert(building *b, rdx_error *err) {
  radix_hash *h = b->out;
  rdx_device *device = b->set->device;
  const uint64_t count = b->set->count, partitions = 1ull << h->bits;
  const uint32_t variant[2] = {h->key_bits == 64, h->bits};
  RDX_TRY(rdx_buffer_create(device, (partitions + 1) * 4, "the starts of partitions", &h->starts, err));
  RDX_TRY(rdx_buffer_create(device, 2 * count * SLOT_BYTES, "the hash tables of partitions", &h->table, err));
  RDX_TRY(rdx_buffer_create(device, count * LINK_WORDS * 4, "the entries of partitions", &h->links, err));
  RDX_TRY(rdx_buffer_create(device, 8, "whether keys are repeated", &b->repeated, err));
  const struct radix_hash_starts_args starts = {
      .keys = RDX_ADDRESS(uint32_t, h->keys), .starts = RDX_ADDRESS(uint32_t, h->starts), .n = (uint32_t)count};
  const struct radix_hash_insert_args args = {.keys = RDX_ADDRESS(uint32_t, h->keys),
                                              .rows = RDX_ADDRESS(uint32_t, b->rows),
                                              .starts = RDX_ADDRESS(uint32_t, h->starts),
                                              .table = RDX_ADDRESS(uint32_t, h->table),
                                              .links = RDX_ADDRESS(uint32_t, h->links),
                                              .repeated = RDX_ADDRESS(uint32_t, b->repeated)};
  RDX_TRY(rdx_stream_fill(b->stream, b->repeated, 0, 8, 0, err));
  RDX_TRY(rdx_stream_launch(b->stream, &rdx_kernel_radix_hash_starts, &starts, variant, partitions + 1, NULL, err));
  if (device->info.backend != RDX_BACKEND_CPU)
    RDX_TRY(rdx_stream_fill(b->stream, h->table, 0, h->table->size, NO_ROW, err));
  return rdx_stream_launch(b->stream, &rdx_kernel_radix_hash_insert, &args, variant, count, NULL, err);
}

static rdx_status build_parts(building *b, rdx_index_stats *stats, rdx_error *err) {
  const radix_hash *h = b->out;
  RDX_TRY(rdx_stream_create_for(b->set->device, "build", &b->stream, err));
  RDX_TRY(rdx_stream_mark(b->stream, err));
  RDX_TRY(partition(b, err));
  RDX_TRY(rdx_stream_mark(b->stream, err));
  RDX_TRY(rdx_stream_finish(b->stream, err));
  stats->sort_ms = rdx_stream_elapsed(b->stream, 0, 1);
  RDX_TRY(rdx_stream_mark(b->stream, err));
  RDX_TRY(insert(b, err));
  RDX_TRY(rdx_stream_mark(b->stream, err));
  RDX_TRY(rdx_stream_finish(b->stream, err));
  stats->encode_ms = rdx_stream_elapsed(b->stream, 0, 1);
  uint32_t repeated[2] = {0};
  RDX_TRY(rdx_buffer_download(b->repeated, 0, repeated, sizeof repeated, err));
  stats->distinct = !repeated[0];
  stats->long_runs = repeated[1];
  stats->bytes_resident = h->keys->size + h->starts->size + h->table->size + h->links->size;
  return RDX_OK;
}

static rdx_status build(void *self, const rdx_key_set *keys, const rdx_index_params *params, rdx_index_stats *stats,
                        rdx_error *err) {
  const uint32_t bits = params->radix_hash.bits;
  if (bits != 0 && bits != 8 && bits != 16)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "radix_hash: %u bits are not 8 or 16", bits);
  building b = {.out = self, .set = keys};
  b.out->key_bits = keys->key_bits;
  b.out->bits = choose_bits(keys->device, &params->radix_hash, keys->count, keys->key_bits);
  rdx_status status = build_parts(&b, stats, err);
  rdx_stream_destroy(&b.stream);
  RDX_DESTROY_BUFFERS(&b.rows, &b.repeated);
  return status;
}

/* ---- Lookups ---- */

static uint32_t radix_bits(const void *self) {
  return ((const radix_hash *)self)->bits;
}

static rdx_status query(const void *self, rdx_stream *stream, const rdx_index_query *q, rdx_error *err) {
  const radix_hash *h = self;
  const struct radix_hash_args args = {
      RDX_LOOKUP_FIELDS(q), .keys = RDX_ADDRESS(uint32_t, h->keys), .starts = RDX_ADDRESS(uint32_t, h->starts),
      .table = RDX_ADDRESS(uint32_t, h->table), .links = RDX_ADDRESS(uint32_t, h->links)};
  const uint32_t gather = q->gather == GATHER_ANY ? GATHER_COUNT : q->gather; /* a slot tells the number */
  const uint32_t variant[RADIX_HASH_CONSTANTS] = {h->key_bits == 64, h->bits, gather, q->value};
  return rdx_stream_launch(stream, &rdx_kernel_radix_hash_lookup, &args, variant, q->count, NULL, err);
}

const rdx_index_ops rdx_radix_hash_ops = {
    .name = "radix_hash",
    .estimate = estimate,
    .size = sizeof(radix_hash),
    .build = build,
    .query = query,
    .radix_bits = radix_bits,
    .destroy = destroy,
    .rows_in_order_on_cpu = true,
    .points_only = true,
    .counts_runs = true,
};
