/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Whether all values of a column are different, by all threads: rows that ascend are, a dense range of codes is told by
 * a bitmap, and other codes are dealt to buckets by a hash and sorted there. */

#include <stdatomic.h>
#include <string.h>

#include "catalog/unique.h"
#include "column/keys.h"
#include "device/device.h"

#define WHAT "a catalog"
#define STAGE "query"

#define PIECE 65536     /* rows that a thread looks at at a time */
#define DENSE_FACTOR 64 /* a bitmap of up to so many bits a row tells duplicates; wider ranges are sorted */
#define LOG_BUCKETS 8   /* of codes that are sorted */
#define BUCKETS (1u << LOG_BUCKETS)

/* Of the codes of a piece. */
typedef struct span {
  uint64_t min, max;
  bool ascending;
} span;

typedef struct search {
  rdx_device *device;
  const rdx_column *column;
  uint64_t rows;
  uint64_t *codes;
  span *spans;
  uint64_t min;
  _Atomic uint64_t *seen;      /* a bit for each code from `min` on */
  uint64_t *ends;              /* of each bucket, of each piece: where its next code goes */
  uint64_t *dealt;             /* codes in the order of their buckets */
  uint64_t begin[BUCKETS + 1]; /* of each bucket */
  atomic_bool repeats;
} search;

static rdx_status on_all(search *s, uint64_t count, uint64_t grain, rdx_task_fn task, rdx_error *err) {
  return rdx_device_run_stage_on_host(s->device, count, grain, task, s, STAGE, err);
}

/* ---- Codes ---- */

/* Of rows begin .. end - 1, as 8 bytes each. */
static void encode(const search *s, uint64_t begin, uint64_t end) {
  uint64_t *codes = s->codes + begin;
  rdx_keys_encode(s->column, begin, end - begin, codes);
  if (rdx_key_bits(s->column->type) == 64)
    return;
  const uint32_t *narrow = (const uint32_t *)codes;
  for (uint64_t i = end - begin; i-- > 0;) { /* from the last: each is read before it is written over */
    uint32_t code;
    memcpy(&code, narrow + i, sizeof code);
    codes[i] = code;
  }
}

static void encode_piece(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  search *s = context;
  encode(s, begin, end);
  span found = {UINT64_MAX, 0, true};
  for (uint64_t i = begin; i < end; i++) {
    const uint64_t code = s->codes[i];
    found.ascending &= i == begin || s->codes[i - 1] < code;
    found.min = code < found.min ? code : found.min;
    found.max = code > found.max ? code : found.max;
  }
  s->spans[begin / PIECE] = found;
}

static span join_spans(const search *s) {
  span all = s->spans[0];
  for (uint64_t begin = PIECE; begin < s->rows; begin += PIECE) {
    const span *next = &s->spans[begin / PIECE];
    all.ascending &= next->ascending && s->codes[begin - 1] < s->codes[begin];
    all.min = next->min < all.min ? next->min : all.min;
    all.max = next->max > all.max ? next->max : all.max;
  }
  return all;
}

/* ---- By a bitmap ---- */

static void mark_piece(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  search *s = context;
  bool repeats = atomic_load(&s->repeats);
  for (uint64_t i = begin; i < end && !repeats; i++) {
    const uint64_t bit = s->codes[i] - s->min, mask = 1ull << bit % 64;
    repeats = atomic_fetch_or_explicit(&s->seen[bit / 64], mask, memory_order_relaxed) & mask;
  }
  if (repeats)
    atomic_store(&s->repeats, true);
}

static rdx_status mark(search *s, uint64_t range, rdx_error *err) {
  RDX_SCOPED(rdx_free_local) void *seen = NULL;
  RDX_TRY(rdx_calloc(range / 64 + 1, sizeof *s->seen, WHAT, &seen, err));
  s->seen = seen;
  return on_all(s, s->rows, PIECE, mark_piece, err);
}

/* ---- By sorting ---- */

static uint32_t bucket_of(uint64_t code) {
  return (uint32_t)(code * 0x9e3779b97f4a7c15u >> (64 - LOG_BUCKETS));
}

static void count_piece(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  search *s = context;
  uint64_t *counts = s->ends + begin / PIECE * BUCKETS;
  for (uint64_t i = begin; i < end; i++)
    counts[bucket_of(s->codes[i])]++;
}

/* Turn counts into places: bucket by bucket, of each bucket piece by piece. */
static void place_buckets(search *s) {
  const uint64_t pieces = (s->rows - 1) / PIECE + 1;
  uint64_t next = 0;
  for (uint32_t b = 0; b < BUCKETS; b++) {
    s->begin[b] = next;
    for (uint64_t p = 0; p < pieces; p++) {
      const uint64_t count = s->ends[p * BUCKETS + b];
      s->ends[p * BUCKETS + b] = next;
      next += count;
    }
  }
  s->begin[BUCKETS] = next;
}

static void deal_piece(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  search *s = context;
  uint64_t *ends = s->ends + begin / PIECE * BUCKETS;
  for (uint64_t i = begin; i < end; i++)
    s->dealt[ends[bucket_of(s->codes[i])]++] = s->codes[i];
}

/* The codes as they were are of no more use: sorting takes their place. */
static void sort_bucket(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  search *s = context;
  for (uint64_t b = begin; b < end && !atomic_load(&s->repeats); b++) {
    const uint64_t first = s->begin[b], count = s->begin[b + 1] - first;
    if (count < 2)
      continue;
    const uint64_t *sorted = rdx_sort(s->dealt + first, count, 1, 1, s->codes + first);
    for (uint64_t i = 1; i < count; i++)
      if (sorted[i - 1] == sorted[i])
        atomic_store(&s->repeats, true);
  }
}

static rdx_status sort(search *s, rdx_error *err) {
  RDX_SCOPED(rdx_free_local) void *dealt = NULL, *ends = NULL;
  RDX_TRY(rdx_alloc(s->rows, sizeof *s->dealt, WHAT, &dealt, err));
  RDX_TRY(rdx_calloc(((s->rows - 1) / PIECE + 1) * BUCKETS, sizeof *s->ends, WHAT, &ends, err));
  s->dealt = dealt;
  s->ends = ends;
  RDX_TRY(on_all(s, s->rows, PIECE, count_piece, err));
  place_buckets(s);
  RDX_TRY(on_all(s, s->rows, PIECE, deal_piece, err));
  return on_all(s, BUCKETS, 1, sort_bucket, err);
}

/* ---- Either ---- */

/* Of at least two rows, which are no strings. */
static rdx_status search_codes(rdx_device *device, const rdx_column *column, bool *out, rdx_error *err) {
  RDX_SCOPED(rdx_free_local) void *codes = NULL, *spans = NULL;
  RDX_TRY(rdx_alloc(column->rows, sizeof(uint64_t), WHAT, &codes, err));
  RDX_TRY(rdx_alloc((column->rows - 1) / PIECE + 1, sizeof(span), WHAT, &spans, err));
  search s = {.device = device, .column = column, .rows = column->rows, .codes = codes, .spans = spans};
  RDX_TRY(on_all(&s, s.rows, PIECE, encode_piece, err));
  const span all = join_spans(&s);
  *out = all.ascending;
  if (all.ascending)
    return RDX_OK;
  s.min = all.min;
  if (all.max - all.min < s.rows - 1) /* more rows than values */
    s.repeats = true;
  else
    RDX_TRY((all.max - all.min) / DENSE_FACTOR <= s.rows ? mark(&s, all.max - all.min, err) : sort(&s, err));
  *out = !s.repeats;
  return RDX_OK;
}

rdx_status rdx_column_is_unique(rdx_device *device, const rdx_column *column, bool *out, rdx_error *err) {
  rdx_column codes = *column;
  *out = column->rows < 2;
  if (*out)
    return RDX_OK;
  if (column->type == RDX_TYPE_STRING) {
    if (!column->dictionary || column->dictionary->rows < column->rows)
      return RDX_OK;
    codes.type = RDX_TYPE_U32;
  }
  return search_codes(device, &codes, out, err);
}
