/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The column scan: all terms of a conjunction in one pass over packed columns (kernels/column_scan/column_scan.h). */

#include <stdlib.h>
#include <string.h>

#include "kernels/column_scan/kernels.h"
#include "scan/scan.h"
#include "base/numbers.h"

typedef struct packed_column {
  uint64_t smallest, largest;
  uint32_t planes, shift;
  bool clustered, stepped;
  uint64_t steps[STEPS]; /* stepped */
  rdx_buffer *bytes, *zones, *valid;
} packed_column;

typedef struct column_scan {
  rdx_device *device;
  uint64_t rows, stride;
  uint32_t count;
  packed_column *columns;
} column_scan;

/* ---- Preparing ---- */

static uint64_t blocks_of(uint64_t rows) {
  return (rows + BLOCK_ROWS - 1) / BLOCK_ROWS;
}

static uint64_t tiles_of(uint64_t rows) {
  return (blocks_of(rows) + TILE_BLOCKS - 1) / TILE_BLOCKS;
}

/* Planes begin at whole vectors, and vectors may be read past the last row. */
static uint64_t stride_of(uint64_t rows) {
  return (rows + 63) / 64 * 64;
}

static uint32_t range_bits(const rdx_encoded_column *c) {
  return c->smallest < c->largest ? rdx_bit_length(c->largest - c->smallest) : 1;
}

static uint32_t planes_of(const rdx_encoded_column *c) {
  return (range_bits(c) + 7) / 8;
}

static uint64_t estimate(RDX_UNUSED const rdx_device *device, RDX_UNUSED const rdx_scan_params *params,
                         const rdx_encoded_column *columns, uint32_t count) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < count; i++)
    bytes += (planes_of(&columns[i]) + 1) * stride_of(columns[i].rows) + blocks_of(columns[i].rows) * 16;
  return bytes;
}

static void destroy(void *self) {
  column_scan *s = self;
  for (uint32_t i = 0; i < s->count; i++)
    RDX_DESTROY_BUFFERS(&s->columns[i].bytes, &s->columns[i].zones, &s->columns[i].valid);
  rdx_free(s->columns);
}

/* ---- Steps ---- */

#define SAMPLE_RUNS 64
#define SAMPLE_RUN 1024

/* Some numbers of a column, from all over it, ascending. Codes of NULLs that are no numbers do not matter. */
static rdx_status take_sample(const rdx_encoded_column *c, const packed_column *p, uint64_t *sample, uint64_t *count,
                              rdx_error *err) {
  uint64_t codes[SAMPLE_RUN];
  const uint32_t bytes = c->key_bits / 8;
  const uint64_t runs = c->rows / SAMPLE_RUN < SAMPLE_RUNS ? 1 : SAMPLE_RUNS;
  const uint64_t each = c->rows < SAMPLE_RUN ? c->rows : SAMPLE_RUN;
  *count = 0;
  for (uint64_t r = 0; r < runs; r++) {
    RDX_TRY(rdx_buffer_download(c->keys, c->rows / runs * r * bytes, codes, each * bytes, err));
    for (uint64_t k = 0; k < each; k++) {
      uint64_t code = 0; /* little endian: the low bytes */
      memcpy(&code, (const char *)codes + k * bytes, bytes);
      if (code >= c->smallest && code <= c->largest)
        sample[(*count)++] = packed_number(code, p->smallest, p->shift, NULL, p->planes);
    }
  }
  qsort(sample, *count, sizeof *sample, rdx_u64_order);
  return RDX_OK;
}

/* Whether the first bytes of numbers leave more than a row in 64 undecided, on average over bounds that are spread as
 * the numbers are. */
static bool is_skewed(const packed_column *p, const uint64_t *sample, uint64_t count) {
  double squares = 0;
  for (uint64_t i = 0, end; i < count; i = end) {
    const uint32_t shift = 8 * (p->planes - 1);
    for (end = i + 1; end < count && sample[end] >> shift == sample[i] >> shift; end++)
      continue;
    squares += (double)(end - i) * (double)(end - i);
  }
  return squares * 64 > (double)count * (double)count;
}

/* Steps at quantiles. Where several fall on one number, many rows have it: it gets a step to itself. */
static void make_steps(packed_column *p, const uint64_t *sample, uint64_t count) {
  for (uint64_t i = 0; i < STEPS; i++)
    p->steps[i] = sample[(i + 1) * count / (STEPS + 1)];
  for (uint64_t i = 1; i < STEPS; i++)
    if (p->steps[i] == p->steps[i - 1] && (i + 1 == STEPS || p->steps[i + 1] > p->steps[i]))
      p->steps[i]++;
}

static rdx_status choose_steps(const rdx_encoded_column *c, packed_column *p, rdx_error *err) {
  RDX_SCOPED(rdx_free_local) uint64_t *sample = NULL;
  uint64_t count = 0;
  if (p->planes < 2 || p->planes > 7) /* one byte decides all; or there is no room for another */
    return RDX_OK;
  RDX_TRY(rdx_alloc(SAMPLE_RUNS * SAMPLE_RUN, sizeof *sample, "a sample", (void **)&sample, err));
  RDX_TRY(take_sample(c, p, sample, &count, err));
  if (is_skewed(p, sample, count)) {
    p->stepped = true;
    p->planes++;
    make_steps(p, sample, count);
  }
  return RDX_OK;
}

static rdx_status pack(const column_scan *s, const rdx_encoded_column *c, packed_column *out, double *ms,
                       rdx_error *err) {
  const uint32_t key64 = c->key_bits == 64;
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *steps = NULL;
  *out = (packed_column){.smallest = c->smallest,
                         .largest = c->largest,
                         .planes = planes_of(c),
                         .clustered = c->clustered,
                         .valid = c->valid ? rdx_buffer_retain(c->valid) : NULL};
  out->shift = 8 * out->planes - range_bits(c);
  RDX_TRY(choose_steps(c, out, err));
  RDX_TRY(rdx_buffer_create(s->device, out->planes * s->stride, "a packed column", &out->bytes, err));
  RDX_TRY(rdx_buffer_create(s->device, blocks_of(s->rows) * 16, "the zones of a column", &out->zones, err));
  if (out->stepped) {
    RDX_TRY(rdx_buffer_create(s->device, sizeof out->steps, "the steps of a column", &steps, err));
    RDX_TRY(rdx_buffer_upload(steps, 0, out->steps, sizeof out->steps, err));
  }
  const struct column_pack_args args = {.keys = RDX_ADDRESS(uint32_t, c->keys),
                                        .zones = RDX_ADDRESS(uint64_t, c->zones),
                                        .planes = RDX_ADDRESS(uint32_t, out->bytes),
                                        .packed_zones = RDX_ADDRESS(uint64_t, out->zones),
                                        .steps = RDX_ADDRESS(uint64_t, steps),
                                        .stride = s->stride,
                                        .smallest = c->smallest,
                                        .rows = (uint32_t)s->rows,
                                        .plane_count = out->planes,
                                        .shift = out->shift};
  return rdx_launch_timed(s->device, &rdx_kernel_column_pack, &args, &key64, (s->rows + 31) / 32, "build", ms, err);
}

static rdx_status build(void *self, rdx_device *device, RDX_UNUSED const rdx_scan_params *params,
                        const rdx_encoded_column *columns, uint32_t count, rdx_scan_stats *stats, rdx_error *err) {
  column_scan *s = self;
  RDX_TRY(rdx_calloc(count, sizeof *s->columns, "a column scan", (void **)&s->columns, err));
  s->device = device;
  s->rows = stats->rows;
  s->stride = stride_of(stats->rows);
  for (uint32_t i = 0; i < count; i++) {
    s->count++; /* what is packed in part is destroyed, too */
    RDX_TRY(pack(s, &columns[i], &s->columns[i], &stats->encode_ms, err));
  }
  return RDX_OK;
}

/* ---- Scanning ---- */

/* What a run brings along: descriptions of terms, and their intervals and byte tables. */
typedef struct plan {
  scan_term *terms;
  uint64_t *numbers;
  uint64_t used; /* of numbers */
} plan;

static uint64_t number_of(const packed_column *c, uint64_t code) {
  return packed_number(code, c->smallest, c->shift, c->stepped ? (uint64_t *)(uintptr_t)c->steps : NULL, c->planes);
}

/* The last number that can stand for a code below the largest: those between it and the next code's belong to neither,
 * and the end of a byte or step makes for the cheapest comparison. */
static uint64_t last_number(const packed_column *c, uint64_t code) {
  const uint64_t number = number_of(c, code), next = number_of(c, code + 1);
  const uint64_t below = ((uint64_t)1 << (8 * (c->planes - 1))) - 1; /* bits after the first byte */
  return (number & ~below) != (next & ~below) ? number | below : next - 1;
}

static void add_intervals(plan *p, const packed_column *c, const rdx_term *term, scan_term *out) {
  out->first = (uint32_t)(p->used / 2);
  out->interval_count = term->set.count;
  for (uint32_t i = 0; i < term->set.count; i++) {
    const rdx_interval *in = &term->set.list[i];
    p->numbers[p->used++] = in->low == c->smallest ? 0 : last_number(c, in->low - 1) + 1;
    p->numbers[p->used++] = in->high == c->largest ? UINT64_MAX : last_number(c, in->high);
  }
}

static void add_table(plan *p, const packed_column *c, scan_term *out) {
  uint64_t *table = p->numbers + p->used;
  const uint32_t below = 8 * (c->planes - 1); /* bits after the first byte */
  memset(table, 0, BYTE_TABLE_SIZE * sizeof *table);
  for (uint64_t byte = 0; byte < 256; byte++) {
    const uint64_t low = byte << below, high = low + (((uint64_t)1 << below) - 1);
    const uint32_t meets = zone_meets(p->numbers, out->first, out->interval_count, low, high);
    if (meets == ZONE_ALL)
      table[byte / 64] |= (uint64_t)1 << byte % 64;
    else if (meets == ZONE_SOME)
      table[BYTE_TABLE_SOME + byte / 64] |= (uint64_t)1 << byte % 64;
  }
  out->table = (uint32_t)p->used;
  p->used += BYTE_TABLE_SIZE;
}

static void add_term(plan *p, const packed_column *c, const rdx_term *term, scan_term *out) {
  *out = (scan_term){.planes = RDX_ADDRESS(uint32_t, c->bytes),
                     .valid = RDX_ADDRESS(uint32_t, c->valid),
                     .zones = c->clustered ? RDX_ADDRESS(uint64_t, c->zones) : NULL,
                     .plane_count = c->planes};
  add_intervals(p, c, term, out);
  if (out->interval_count > LINEAR_INTERVALS)
    add_table(p, c, out);
}

static double selectivity_of(const column_scan *s, const rdx_term *term) {
  const packed_column *c = &s->columns[term->column];
  return rdx_term_selectivity(term, c->smallest, c->largest);
}

/* The order of terms: what lets few rows through goes first, so that the others have little to read. */
static void order_terms(const column_scan *s, const rdx_term *terms, uint32_t count, uint32_t *order,
                        double *selectivities) {
  for (uint32_t i = 0; i < count; i++) {
    uint32_t at = i;
    const double selectivity = selectivity_of(s, &terms[i]);
    for (; at > 0 && selectivities[at - 1] > selectivity; at--) {
      order[at] = order[at - 1];
      selectivities[at] = selectivities[at - 1];
    }
    order[at] = i;
    selectivities[at] = selectivity;
  }
}

static rdx_status make_plan(const column_scan *s, const rdx_term *terms, uint32_t count, rdx_arena *arena, plan *out,
                            rdx_error *err) {
  uint64_t numbers = 0;
  uint32_t *order = NULL;
  double *selectivities = NULL;
  for (uint32_t i = 0; i < count; i++)
    numbers += 2 * (uint64_t)terms[i].set.count + BYTE_TABLE_SIZE;
  if (numbers > UINT32_MAX)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "the predicate has too many intervals: %llu",
                    (unsigned long long)numbers);
  RDX_TRY(rdx_arena_alloc(arena, numbers, sizeof *out->numbers, "a column scan", (void **)&out->numbers, err));
  RDX_TRY(rdx_arena_alloc(arena, count, sizeof *out->terms, "a column scan", (void **)&out->terms, err));
  RDX_TRY(rdx_arena_alloc(arena, count, sizeof *order, "a column scan", (void **)&order, err));
  RDX_TRY(rdx_arena_alloc(arena, count, sizeof *selectivities, "a column scan", (void **)&selectivities, err));
  order_terms(s, terms, count, order, selectivities);
  out->used = 0;
  for (uint32_t i = 0; i < count; i++)
    add_term(out, &s->columns[terms[order[i]].column], &terms[order[i]], &out->terms[i]);
  return RDX_OK;
}

static rdx_status launch(const column_scan *s, rdx_stream *stream, const plan *p, rdx_scan_call *call,
                         rdx_buffer *bytes, rdx_error *err) {
  uint64_t terms = 0, numbers = 0;
  RDX_TRY(rdx_stream_constants(stream, p->numbers, p->used * sizeof *p->numbers, &numbers, err));
  RDX_TRY(rdx_stream_constants(stream, p->terms, call->count * sizeof *p->terms, &terms, err));
  if (call->total)
    RDX_TRY(rdx_stream_fill(stream, call->total, 0, sizeof(uint64_t), 0, err));
  call->counted = call->total != NULL;
  const struct column_scan_args args = {.terms = (scan_term *)(uintptr_t)terms,
                                        .intervals = (uint64_t *)(uintptr_t)numbers,
                                        .words = RDX_ADDRESS(uint32_t, call->out),
                                        .total = RDX_ADDRESS(uint32_t, call->total),
                                        .bytes = RDX_ADDRESS(uint32_t, bytes),
                                        .stride = s->stride,
                                        .rows = (uint32_t)s->rows,
                                        .term_count = call->count,
                                        .narrow = call->narrow};
  const uint32_t count_bytes = bytes != NULL;
  return rdx_stream_launch(stream, &rdx_kernel_column_scan, &args, &count_bytes, tiles_of(s->rows), NULL, err);
}

/* The same, and the bytes that it moved. */
static rdx_status launch_counted(const column_scan *s, rdx_stream *stream, const plan *p, rdx_scan_call *call,
                                 rdx_scan_counts *counts, rdx_error *err) {
  const uint64_t tiles = tiles_of(s->rows);
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *bytes = NULL;
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *sum = NULL;
  uint64_t total = 0;
  RDX_TRY(rdx_buffer_create(s->device, tiles * 4, "counters", &bytes, err));
  RDX_TRY(rdx_buffer_create(s->device, 8, "counters", &sum, err));
  RDX_TRY(launch(s, stream, p, call, bytes, err));
  RDX_TRY(rdx_stream_reduce(stream, RDX_REDUCE_SUM, bytes, 4, sum, tiles, err));
  RDX_TRY(rdx_stream_finish(stream, err));
  RDX_TRY(rdx_buffer_download(sum, 0, &total, sizeof total, err));
  counts->bytes += total;
  return RDX_OK;
}

static rdx_status evaluate(const void *self, rdx_stream *stream, rdx_scan_call *call, rdx_scan_counts *counts,
                           rdx_error *err) {
  const column_scan *s = self;
  RDX_SCOPED(rdx_arena_free) rdx_arena arena = {0};
  plan p;
  RDX_TRY(make_plan(s, call->terms, call->count, &arena, &p, err));
  return counts ? launch_counted(s, stream, &p, call, counts, err) : launch(s, stream, &p, call, NULL, err);
}

/* Bytes: the first of each row, or the blocks of clustered columns that are not skipped. */
static double work(const void *self, const rdx_term *terms, uint32_t count) {
  const column_scan *s = self;
  double bytes = 0;
  for (uint32_t t = 0; t < count; t++)
    bytes += s->columns[terms[t].column].clustered ? selectivity_of(s, &terms[t]) : 1;
  return bytes * (double)s->rows;
}

const rdx_scan_ops rdx_column_scan_ops = {.name = "column",
                                          .size = sizeof(column_scan),
                                          .estimate = estimate,
                                          .build = build,
                                          .evaluate = evaluate,
                                          .work = work,
                                          .destroy = destroy};
