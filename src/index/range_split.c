/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Long ranges of an index that walks along them by itself, shared by all threads: cut by keys into pieces, whose
 * answers come together again. A run of equal keys stays in one piece. */

#include "index/range_gather.h"

#include "kernels/primitives/kernels.h"
#include "kernels/range_gather/kernels.h"

#define FEW_RANGES 4096 /* more of them keep all threads busy */
#define MANY_ENTRIES (1u << 19)
#define MIN_PIECE (1u << 17)
#define MAX_PIECES 1024 /* beside one for each range */
#define MIN_GRAIN 16    /* searches that a thread does at a time */
#define SHARES 64       /* of the pieces, for threads */

/* ---- What pieces find ---- */

rdx_status rdx_range_pieces_create(const rdx_index *index, const rdx_index_query *query, uint64_t count,
                                   rdx_range_pieces *out, rdx_error *err) {
  const found_io *io = &query->io;
  const struct {
    rdx_buffer **buffer;
    uint64_t bytes;
  } all[] = {{&out->starts, 8 * (query->count + 1)},
             {&out->offsets, io->offsets ? 8 * count : 0},
             {&out->found, io->out_count ? 4 * count : 0},
             {&out->first, io->out_first ? 4 * count : 0},
             {&out->sum, io->out_sum ? (query->gather == GATHER_SUM_WIDE ? 16 : 8) * count : 0}};
  for (size_t k = 0; k < RDX_COUNT(all); k++)
    if (all[k].bytes > 0)
      RDX_TRY(rdx_buffer_create(index->device, all[k].bytes, "pieces of ranges", all[k].buffer, err));
  return RDX_OK;
}

void rdx_range_pieces_destroy(rdx_range_pieces *pieces) {
  RDX_DESTROY_BUFFERS(&pieces->starts, &pieces->offsets, &pieces->found, &pieces->first, &pieces->sum);
}

void rdx_range_pieces_use(const rdx_range_pieces *pieces, rdx_index_query *query) {
  query->io.offsets = RDX_ADDRESS(uint64_t, pieces->offsets);
  query->io.out_count = RDX_ADDRESS(uint32_t, pieces->found);
  query->io.out_first = RDX_ADDRESS(uint32_t, pieces->first);
  query->io.out_sum = RDX_ADDRESS(uint64_t, pieces->sum);
}

rdx_status rdx_range_pieces_join(const rdx_range_pieces *pieces, rdx_stream *stream, const rdx_index_query *query,
                                 rdx_error *err) {
  const struct range_join_args args = {.starts = RDX_ADDRESS(uint64_t, pieces->starts),
                                       .piece_count = RDX_ADDRESS(uint32_t, pieces->found),
                                       .piece_first = RDX_ADDRESS(uint32_t, pieces->first),
                                       .piece_sum = RDX_ADDRESS(uint64_t, pieces->sum),
                                       .io = query->io};
  return query->gather == GATHER_ROWS
             ? RDX_OK
             : rdx_stream_launch(stream, &rdx_kernel_range_join, &args, &query->gather, query->count, NULL, err);
}

/* ---- Where to cut ---- */

typedef struct range {
  uint64_t lower, upper; /* keys */
  uint64_t offset;       /* of its rows, where these are gathered */
  uint32_t count;
} range;

/* `low` and `high` close in on its last key: the smallest up to which its range has `target` entries. */
typedef struct piece {
  uint32_t range;
  bool begins; /* its range */
  uint64_t target, low, high;
  uint64_t end; /* entries of its range up to its last key */
} piece;

typedef struct splitting {
  const rdx_index *index;
  const rdx_index_query *query;
  rdx_stream *stream;
  double *ms;
  uint32_t key_bits;
  uint64_t total, length; /* entries: of all ranges, of a piece */
  uint64_t count;         /* pieces */
  rdx_arena arena;
  range *ranges;
  piece *pieces;
  void *staging;             /* of a word of 8 bytes for each piece, or range */
  rdx_buffer *lower, *upper; /* keys of the pieces */
  rdx_range_pieces found;
} splitting;

static void drop(splitting *s) {
  RDX_DESTROY_BUFFERS(&s->lower, &s->upper);
  rdx_range_pieces_destroy(&s->found);
  rdx_arena_free(&s->arena);
}

static uint64_t smaller(uint64_t x, uint64_t y) {
  return x < y ? x : y;
}

/* Where launches are limited for tests, small data is cut, too. */
static uint64_t limited(const splitting *s, uint64_t number, uint64_t share) {
  const uint64_t limit = s->index->device->launch_limit;
  return limit == 0 ? number : smaller(number, limit / share > 0 ? limit / share : 1);
}

/* Run a query by itself; `grain`: items that a thread of the CPU gets at a time. */
static rdx_status run(const splitting *s, const rdx_index_query *q, uint32_t grain, rdx_error *err) {
  RDX_TRY(rdx_stream_mark(s->stream, err));
  s->stream->grain = grain;
  const rdx_status status = s->index->ops->query(s->index->self, s->stream, q, err);
  s->stream->grain = 0;
  RDX_TRY(status);
  return rdx_stream_finish_timed(s->stream, s->ms, err);
}

/* Count the entries of `q`'s ranges into the staging memory. */
static rdx_status count(const splitting *s, rdx_index_query q, uint32_t grain, rdx_error *err) {
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *counts = NULL;
  RDX_TRY(rdx_buffer_create(s->index->device, 4 * q.count, "counts of ranges", &counts, err));
  q.gather = GATHER_COUNT;
  q.io = (found_io){.out_count = RDX_ADDRESS(uint32_t, counts)};
  RDX_TRY(run(s, &q, grain, err));
  RDX_TRY(rdx_buffer_download(counts, 0, s->staging, 4 * q.count, err));
  return rdx_returned_u32s(s->index->device, s->staging, q.count, s->index->stats.keys, "the entries of a range", err);
}

static rdx_status count_ranges(splitting *s, rdx_error *err) {
  RDX_TRY(rdx_arena_alloc(&s->arena, s->query->count, sizeof *s->ranges, "ranges", (void **)&s->ranges, err));
  RDX_TRY(rdx_arena_alloc(&s->arena, s->query->count, 8, "ranges", &s->staging, err));
  RDX_TRY(count(s, *s->query, 0, err));
  for (uint64_t i = 0; i < s->query->count; i++) {
    s->ranges[i] = (range){.count = ((const uint32_t *)s->staging)[i]};
    s->total += s->ranges[i].count;
  }
  return RDX_OK;
}

static uint64_t staged(const splitting *s, uint32_t bits, uint64_t i) {
  return bits == 64 ? ((const uint64_t *)s->staging)[i] : ((const uint32_t *)s->staging)[i];
}

static void stage(const splitting *s, uint64_t i, uint64_t key) {
  if (s->key_bits == 64)
    ((uint64_t *)s->staging)[i] = key;
  else
    ((uint32_t *)s->staging)[i] = (uint32_t)key;
}

/* Bring a number of each range, of `bits`, to the staging memory. */
static rdx_status fetch(const splitting *s, const uint32_t *from, uint32_t bits, rdx_error *err) {
  const uint64_t n = s->query->count;
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *numbers = NULL, *copy = NULL;
  RDX_TRY(rdx_buffer_create(s->index->device, 4 * n, "numbers of ranges", &numbers, err));
  RDX_TRY(rdx_buffer_create(s->index->device, n * bits / 8, "numbers of ranges", &copy, err));
  RDX_TRY(rdx_primitive_iota(s->stream, numbers, n, err));
  RDX_TRY(rdx_primitive_gather(s->stream, from, numbers, bits, copy, n, err));
  RDX_TRY(rdx_stream_finish(s->stream, err));
  return rdx_buffer_download(copy, 0, s->staging, n * bits / 8, err);
}

static rdx_status fetch_ranges(splitting *s, rdx_error *err) {
  const rdx_index_query *q = s->query;
  RDX_TRY(fetch(s, q->lower, s->key_bits, err));
  for (uint64_t i = 0; i < q->count; i++)
    s->ranges[i].lower = staged(s, s->key_bits, i);
  RDX_TRY(fetch(s, q->upper, s->key_bits, err));
  for (uint64_t i = 0; i < q->count; i++)
    s->ranges[i].upper = staged(s, s->key_bits, i);
  if (q->gather != GATHER_ROWS)
    return RDX_OK;
  RDX_TRY(fetch(s, (const uint32_t *)q->io.offsets, 64, err));
  for (uint64_t i = 0; i < q->count; i++) {
    s->ranges[i].offset = staged(s, 64, i);
    RDX_TRY(rdx_returned_number(s->index->device, s->ranges[i].offset, 0, s->total - s->ranges[i].count,
                                "where rows of a range go", err));
  }
  return RDX_OK;
}

/* As long a piece as the next, but for the last of each range. */
static rdx_status lay_out(splitting *s, rdx_error *err) {
  const uint64_t n = s->query->count, max = n + s->total / s->length;
  RDX_TRY(rdx_arena_alloc(&s->arena, max, sizeof *s->pieces, "pieces of ranges", (void **)&s->pieces, err));
  RDX_TRY(rdx_arena_alloc(&s->arena, max + 1, 8, "pieces of ranges", &s->staging, err));
  for (uint64_t i = 0; i < n; i++) {
    const range *r = &s->ranges[i];
    for (uint64_t done = 0; done == 0 || done < r->count; done += s->length)
      s->pieces[s->count++] = (piece){.range = (uint32_t)i,
                                      .begins = done == 0,
                                      .target = smaller(done + s->length, r->count),
                                      .low = done + s->length < r->count ? r->lower : r->upper,
                                      .high = r->upper};
  }
  const uint64_t bytes = s->count * s->key_bits / 8;
  RDX_TRY(rdx_buffer_create(s->index->device, bytes, "pieces of ranges", &s->lower, err));
  return rdx_buffer_create(s->index->device, bytes, "pieces of ranges", &s->upper, err);
}

static rdx_index_query query_of_pieces(const splitting *s) {
  rdx_index_query q = *s->query;
  q.count = s->count;
  q.lower = RDX_ADDRESS(uint32_t, s->lower);
  q.upper = RDX_ADDRESS(uint32_t, s->upper);
  q.valid = NULL; /* ranges that are not have no entries */
  return q;
}

static uint64_t middle(const piece *p) {
  return p->low + (p->high - p->low) / 2;
}

/* One step of all searches; `*again`: there are more. */
static rdx_status step(splitting *s, bool *again, rdx_error *err) {
  for (uint64_t i = 0; i < s->count; i++)
    stage(s, i, middle(&s->pieces[i]));
  RDX_TRY(rdx_buffer_upload(s->upper, 0, s->staging, s->upper->size, err));
  RDX_TRY(count(s, query_of_pieces(s), MIN_GRAIN, err));
  *again = false;
  for (uint64_t i = 0; i < s->count; i++) {
    piece *p = &s->pieces[i];
    p->end = s->ranges[p->range].count > 0 ? staged(s, 32, i) : 0;
    *again |= p->low < p->high;
    if (p->low < p->high && p->end < p->target)
      p->low = middle(p) + 1;
    else
      p->high = middle(p);
  }
  return RDX_OK;
}

/* Find the last keys of all pieces, by bisection. Ends that a device gives out of order would have rows written where
 * there is no memory for them. */
static rdx_status find_ends(splitting *s, rdx_error *err) {
  bool again = true;
  for (uint64_t i = 0; i < s->count; i++)
    stage(s, i, s->ranges[s->pieces[i].range].lower);
  RDX_TRY(rdx_buffer_upload(s->lower, 0, s->staging, s->lower->size, err));
  while (again)
    RDX_TRY(step(s, &again, err));
  for (uint64_t i = 0; i < s->count; i++) {
    const uint64_t before = s->pieces[i].begins ? 0 : s->pieces[i - 1].end;
    RDX_TRY(rdx_returned_number(s->index->device, s->pieces[i].end, before, s->ranges[s->pieces[i].range].count,
                                "the entries of a part of a range", err));
  }
  return RDX_OK;
}

/* ---- The pieces at work ---- */

/* Whether it has entries: a key that ends two pieces is of the first. */
static bool has_entries(const splitting *s, uint64_t i) {
  const piece *p = &s->pieces[i];
  return p->begins ? p->end > 0 : p->end > p[-1].end;
}

static rdx_status upload_keys(const splitting *s, rdx_error *err) {
  for (uint64_t i = 0; i < s->count; i++) {
    const piece *p = &s->pieces[i];
    stage(s, i, !has_entries(s, i) ? 1 : p->begins ? s->ranges[p->range].lower : p[-1].high + 1);
  }
  RDX_TRY(rdx_buffer_upload(s->lower, 0, s->staging, s->lower->size, err));
  for (uint64_t i = 0; i < s->count; i++)
    stage(s, i, has_entries(s, i) ? s->pieces[i].high : 0);
  return rdx_buffer_upload(s->upper, 0, s->staging, s->upper->size, err);
}

static rdx_status upload_places(const splitting *s, rdx_error *err) {
  uint64_t *words = s->staging;
  uint32_t ranges = 0;
  for (uint64_t i = 0; i < s->count; i++)
    if (s->pieces[i].begins)
      words[ranges++] = i;
  words[ranges] = s->count;
  RDX_TRY(rdx_buffer_upload(s->found.starts, 0, words, s->found.starts->size, err));
  if (!s->found.offsets)
    return RDX_OK;
  for (uint64_t i = 0; i < s->count; i++)
    words[i] = s->ranges[s->pieces[i].range].offset + (s->pieces[i].begins ? 0 : s->pieces[i - 1].end);
  return rdx_buffer_upload(s->found.offsets, 0, words, s->found.offsets->size, err);
}

static rdx_status gather(splitting *s, rdx_error *err) {
  RDX_TRY(rdx_range_pieces_create(s->index, s->query, s->count, &s->found, err));
  RDX_TRY(upload_keys(s, err));
  RDX_TRY(upload_places(s, err));
  rdx_index_query q = query_of_pieces(s);
  rdx_range_pieces_use(&s->found, &q);
  const uint64_t grain = s->count / SHARES;
  RDX_TRY(run(s, &q, grain > 1 ? (uint32_t)grain : 1, err));
  RDX_TRY(rdx_range_pieces_join(&s->found, s->stream, s->query, err));
  return rdx_stream_finish(s->stream, err);
}

/* From what is known before ranges are counted. */
static bool may_have_many(const rdx_index *index, const rdx_index_query *q, uint64_t many) {
  return index->ops->counts_ranges && q->count <= FEW_RANGES && q->count * index->stats.keys >= many && q->count > 0 &&
         (q->matches == 0 || q->matches >= many);
}

rdx_status rdx_range_split(const rdx_index *index, rdx_stream *stream, const rdx_index_query *query, bool *done,
                           double *ms, rdx_error *err) {
  RDX_SCOPED(drop)
  splitting s = {.index = index, .query = query, .stream = stream, .ms = ms};
  const uint64_t many = limited(&s, MANY_ENTRIES, 1);
  *done = false;
  if (!may_have_many(index, query, many))
    return RDX_OK;
  s.key_bits = index->stats.key_bits;
  RDX_TRY(count_ranges(&s, err));
  if (s.total < many)
    return RDX_OK;
  s.length = s.total / MAX_PIECES;
  s.length = s.length > limited(&s, MIN_PIECE, 8) ? s.length : limited(&s, MIN_PIECE, 8);
  RDX_TRY(fetch_ranges(&s, err));
  RDX_TRY(lay_out(&s, err));
  RDX_TRY(find_ends(&s, err));
  RDX_TRY(gather(&s, err));
  *done = true;
  return RDX_OK;
}
