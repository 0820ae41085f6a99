/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

#include "index/partition.h"

#include <stdlib.h>

#include "kernels/lookup/lookup.h"

#define SAMPLE 4096u
#define MIN_PROBES (1u << 20)
#define BYTES_EACH 64u /* of the index for each probe, at most: else hardly two look at the same line */
#define CHUNKS 4u      /* for each thread */
#define MIN_CHUNK 65536u
#define MAX_CHUNK (1u << 22) /* so that threads are asked often enough whether to go on */
#define NEAR 4u              /* probes that far from each other */

/* ---- The map ---- */

/* A probe of the i-th part of them, anywhere in it, so that no pattern of theirs is met. */
static uint32_t place_in_sample(const rdx_probes *probes, uint32_t i) {
  const uint64_t part = probes->count / SAMPLE;
  return (uint32_t)(part * i + (i * 0x9e3779b1ull >> 7) % (part - NEAR));
}

/* Sort a sample of the probes; false where most ascend or descend as they come, or half of them are equal to others. */
static bool take_sample(const rdx_index *index, const rdx_probes *probes, uint64_t *sample) {
  uint32_t up = 0, distinct = 1;
  for (uint32_t i = 0; i < SAMPLE; i++) {
    sample[i] = load_key(probes->lower, place_in_sample(probes, i), index->stats.key_bits == 64);
    up += i > 0 && sample[i] >= sample[i - 1];
  }
  if (up >= SAMPLE / 4 * 3 || up <= SAMPLE / 4)
    return false;
  qsort(sample, SAMPLE, sizeof *sample, rdx_u64_order);
  for (uint32_t i = 1; i < SAMPLE; i++)
    distinct += sample[i] != sample[i - 1];
  return distinct > SAMPLE / 2;
}

/* Cells between the least and the largest of the sample; a cell's partition is what part of the sample is below it.
 * False where some cell has more than a few partitions' share. */
static bool map_keys(const uint64_t *sample, rdx_partition_map *out) {
  const uint64_t span = sample[SAMPLE - 1] - sample[0];
  out->lowest = sample[0];
  while (span >> out->shift >= RDX_PARTITION_CELLS)
    out->shift++;
  for (uint32_t cell = 0, below = 0; cell < RDX_PARTITION_CELLS; cell++) {
    const uint32_t begin = below;
    out->of_cell[cell] = (uint16_t)((uint64_t)below * RDX_PARTITIONS / SAMPLE);
    while (below < SAMPLE - 1 && (sample[below] - sample[0]) >> out->shift <= cell)
      below++;
    if (below - begin > SAMPLE / 32)
      return false;
  }
  return true;
}

/* Whether many probes have near ones in their partition: they come in clusters, which caches like as they are. */
static bool are_near(const rdx_index *index, const rdx_probes *probes, const rdx_partition_map *map) {
  const uint32_t key64 = index->stats.key_bits == 64;
  uint32_t near = 0;
  for (uint32_t i = 0; i < SAMPLE; i++) {
    const uint32_t place = place_in_sample(probes, i);
    near += rdx_partition_of(map, load_key(probes->lower, place, key64)) ==
            rdx_partition_of(map, load_key(probes->lower, place + NEAR, key64));
  }
  return near > SAMPLE / 8;
}

bool rdx_partition_helps(const rdx_index *index, const rdx_probes *probes, const rdx_index_query *q,
                         rdx_partition_map *out) {
  uint64_t sample[SAMPLE];
  const uint64_t min = index->ops->partition_bytes, bytes = index->stats.bytes_resident;
  const bool large = min > 0 && bytes >= min && probes->count >= MIN_PROBES && probes->count >= bytes / BYTES_EACH &&
                     probes->count >= (uint64_t)MIN_CHUNK * index->device->info.threads;
  const bool points = !probes->upper && !q->included && q->gather != GATHER_ROWS;
  if (index->device->info.backend != RDX_BACKEND_CPU || !large || !points || !take_sample(index, probes, sample))
    return false;
  *out = (rdx_partition_map){.key64 = index->stats.key_bits == 64};
  return map_keys(sample, out) && !are_near(index, probes, out);
}

/* ---- Queries ---- */

typedef struct partition_run {
  rdx_partitioned p;
  rdx_buffer *keys, *count, *first, *sum;
  rdx_index_query query; /* of the keys in their new order */
} partition_run;

static rdx_status make(rdx_stream *stream, uint64_t size, rdx_buffer **out, rdx_error *err) {
  return rdx_buffer_create(stream->device, size, "probes by partitions", out, err);
}

static rdx_status prepare(partition_run *r, rdx_stream *stream, const rdx_index_query *q, rdx_error *err) {
  const uint64_t n = q->count, chunks = (n + r->p.chunk - 1) / r->p.chunk;
  RDX_TRY(rdx_alloc(chunks, sizeof *r->p.starts, "probes by partitions", (void **)&r->p.starts, err));
  RDX_TRY(make(stream, n * (r->p.map->key64 ? 8 : 4), &r->keys, err));
  if (q->io.out_count)
    RDX_TRY(make(stream, n * 4, &r->count, err));
  if (q->io.out_first)
    RDX_TRY(make(stream, n * 4, &r->first, err));
  if (q->io.out_sum)
    RDX_TRY(make(stream, n * (q->gather == GATHER_SUM_WIDE ? 16 : 8), &r->sum, err));
  r->query = *q;
  r->query.lower = RDX_ADDRESS(uint32_t, r->keys);
  r->query.valid = NULL;
  r->query.io.out_count = RDX_ADDRESS(uint32_t, r->count);
  r->query.io.out_first = RDX_ADDRESS(uint32_t, r->first);
  r->query.io.out_sum = RDX_ADDRESS(uint64_t, r->sum);
  return RDX_OK;
}

static rdx_status put_back(const partition_run *r, rdx_stream *stream, const rdx_index_query *q, rdx_error *err) {
  const uint32_t words = q->gather == GATHER_SUM_WIDE ? 4 : 2;
  if (q->io.out_count)
    RDX_TRY(rdx_partition_restore(stream, &r->p, r->count, 1, q->valid, 0, q->io.out_count, err));
  if (q->io.out_first)
    RDX_TRY(rdx_partition_restore(stream, &r->p, r->first, 1, q->valid, NO_ROW, q->io.out_first, err));
  return q->io.out_sum ? rdx_partition_restore(stream, &r->p, r->sum, words, q->valid, 0, q->io.out_sum, err) : RDX_OK;
}

static rdx_status run(partition_run *r, const rdx_index *index, rdx_stream *stream, const rdx_index_query *q,
                      double *ms, rdx_error *err) {
  RDX_TRY(prepare(r, stream, q, err));
  RDX_TRY(rdx_stream_mark(stream, err));
  RDX_TRY(rdx_partition_move(stream, &r->p, r->keys, err));
  RDX_TRY(index->ops->query(index->self, stream, &r->query, err));
  RDX_TRY(put_back(r, stream, q, err));
  return rdx_stream_finish_timed(stream, ms, err);
}

rdx_status rdx_partition_query(const rdx_index *index, rdx_stream *stream, const rdx_index_query *q,
                               const rdx_partition_map *map, double *ms, rdx_error *err) {
  const uint64_t chunk = q->count / (CHUNKS * index->device->info.threads) + 1;
  partition_run r = {.p = {.map = map,
                           .keys = q->lower,
                           .count = q->count,
                           .chunk = chunk < MIN_CHUNK   ? MIN_CHUNK
                                    : chunk > MAX_CHUNK ? MAX_CHUNK
                                                        : chunk}};
  const rdx_status status = run(&r, index, stream, q, ms, err);
  RDX_DESTROY_BUFFERS(&r.keys, &r.count, &r.first, &r.sum);
  rdx_free(r.p.starts);
  return status;
}
