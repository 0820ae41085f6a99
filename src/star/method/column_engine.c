/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The column engine: one pass over the packed columns that a query names (kernels/column_engine/column_engine.h). Where
 * the groups that can occur are few enough, each has slots in memory; else the rows that qualify are sorted by their
 * groups, and runs of them are added up. */

#include <pthread.h>

#include "star/method/column_query.h"
#include "star/star.h"
#include "kernels/primitives/kernels.h"
#include "base/numbers.h"

#define MAX_DENSE (1ul << 22)        /* groups */
#define MAX_COPIES_BYTES (4ul << 20) /* of slots, when each tile has its own */
#define MAX_READ (1ul << 18)         /* bytes of groups that come along with a run */
#define KEPT 8                       /* workspaces */

/* What a run hands on to the next one, so that it allocates nothing. */
typedef struct workspace {
  rdx_stream *stream;
  rdx_buffer *slots;  /* all zero between runs: reading groups out clears them, so that no run clears all */
  rdx_buffer *memory; /* begins with counters: those of tiles and workers are zero between runs in the same way */
} workspace;

typedef struct column_engine {
  const rdx_packed_relation *relation;
  pthread_mutex_t lock;
  workspace spares[KEPT];
  uint32_t spare_count;
} column_engine;

/* ---- Workspaces ---- */

static void drop_workspace(workspace *w) {
  rdx_stream_destroy(&w->stream);
  RDX_DESTROY_BUFFERS(&w->slots, &w->memory);
}

static rdx_status enlarge(rdx_device *device, rdx_buffer **buffer, uint64_t size, bool *changed, rdx_error *err) {
  if (*buffer && (*buffer)->size >= size)
    return RDX_OK;
  *changed = true;
  rdx_buffer_destroy(buffer);
  return rdx_buffer_create(device, size, "the groups of a query", buffer, err);
}

static rdx_status prepare(rdx_device *device, uint64_t slots, uint64_t size, workspace *w, rdx_error *err) {
  if (!w->stream)
    RDX_TRY(rdx_stream_create(device, &w->stream, err));
  RDX_TRY(rdx_stream_begin(w->stream, "query", err));
  bool new_memory = false, new_slots = false;
  RDX_TRY(enlarge(device, &w->memory, size, &new_memory, err));
  RDX_TRY(enlarge(device, &w->slots, slots, &new_slots, err));
  if (new_memory)
    RDX_TRY(rdx_stream_fill(w->stream, w->memory, 0, ENGINE_FOUND, 0, err));
  if (new_slots)
    RDX_TRY(rdx_stream_fill(w->stream, w->slots, 0, slots, 0, err));
  return new_memory || new_slots ? rdx_stream_finish(w->stream, err) : RDX_OK;
}

static rdx_status take_workspace(column_engine *e, uint64_t slots, uint64_t size, workspace *out, rdx_error *err) {
  *out = (workspace){0};
  pthread_mutex_lock(&e->lock);
  if (e->spare_count > 0)
    *out = e->spares[--e->spare_count];
  pthread_mutex_unlock(&e->lock);
  const rdx_status status = prepare(e->relation->device, slots, size, out, err);
  if (status != RDX_OK)
    drop_workspace(out);
  return status;
}

/* A stream whose work failed is not used again: what it has recorded must not run. */
static void give_workspace(column_engine *e, workspace *w, bool failed) {
  pthread_mutex_lock(&e->lock);
  const bool kept = !failed && e->spare_count < KEPT;
  if (kept)
    e->spares[e->spare_count++] = *w;
  pthread_mutex_unlock(&e->lock);
  if (!kept)
    drop_workspace(w);
}

/* ---- Life ---- */

static void destroy(void *self) {
  column_engine *e = self;
  while (e->spare_count > 0)
    drop_workspace(&e->spares[--e->spare_count]);
  pthread_mutex_destroy(&e->lock);
}

static rdx_status build(void *self, const rdx_packed_relation *relation, RDX_UNUSED const rdx_star_params *params,
                        RDX_UNUSED const rdx_cube_spec *spec, RDX_UNUSED uint64_t *bytes, RDX_UNUSED rdx_error *err) {
  column_engine *e = self;
  e->relation = relation;
  pthread_mutex_init(&e->lock, NULL);
  return RDX_OK;
}

/* ---- Runs ---- */

typedef struct run {
  column_engine *engine;
  const rdx_plan *plan;
  rdx_column_query query;
  workspace work;
  bool dense;
  uint32_t tile, tiles, copies; /* dense */
  uint64_t slots;               /* bytes of them */
  /* Where things are in the memory of the workspace: first a counter of groups, then the groups found, tables. */
  uint64_t tables, size;
  engine_query *address; /* of the query, in the constants of the stream */
  const uint32_t *count; /* dense: what the stream brings along, of groups at most so many bytes */
  const uint64_t *first;
  uint64_t first_bytes;
  double device_ms;
} run;

static uint64_t entry_bytes(const run *r) {
  return (r->query.q.slots + 1) * 8ul;
}

static bool on_cpu(const run *r) {
  return r->plan->relation->device->info.backend == RDX_BACKEND_CPU;
}

/* Bytes of a dimension's table. With few groups it only says which part rows have in them, if any. */
static uint64_t table_bytes(const run *r, const rdx_column_table *t) {
  if (r->dense && t->part_count == 0)
    return 0;
  return (t->rows + 1) * (r->dense ? 4 : 8) / 8 * 8 + 64;
}

/* Bytes of its bits, which then say which rows qualify: they fit into caches. */
static uint64_t bits_bytes(const run *r, const rdx_column_table *t) {
  const bool all = t->term_count == 0 && !r->plan->relation->foreign_rows[t->dimension].missing;
  return !r->dense || all ? 0 : t->rows / 64 * 8 + 64;
}

static void lay_out(run *r) {
  const rdx_column_query *c = &r->query;
  const rdx_device *device = r->plan->relation->device;
  const uint64_t rows = r->plan->relation->rows, cells = r->plan->groups * c->q.slots;
  const uint64_t wanted = on_cpu(r) ? 4ul * device->info.threads : 7 * ENGINE_WORKERS;
  r->tables = ENGINE_FOUND;
  if (r->dense) {
    r->tile = (uint32_t)(rows / wanted + ENGINE_STRETCH) / ENGINE_STRETCH * ENGINE_STRETCH;
    r->tiles = (uint32_t)((rows + r->tile - 1) / r->tile);
    r->copies = on_cpu(r) && cells * r->tiles * 8 <= MAX_COPIES_BYTES ? r->tiles : 0;
    r->slots = cells * (r->copies ? r->copies : 1) * 8;
    r->tables += r->plan->groups * entry_bytes(r);
  }
  r->size = r->tables;
  for (uint32_t i = 0; i < c->table_count; i++)
    r->size += table_bytes(r, &c->tables[i]) + bits_bytes(r, &c->tables[i]);
}

static uint64_t place(const run *r, uint64_t offset) {
  return r->work.memory->address + offset;
}

/* Where `size` bytes at `*offset` are, which is moved on; NULL: none are needed. */
static uint32_t *take_scratch(const run *r, uint64_t size, uint64_t *offset) {
  uint32_t *const capacity = size > 0 ? (uint32_t *)(uintptr_t)place(r, *offset) : NULL;
  *offset += size;
  return capacity;
}

/* Give the query to the stream. What the arrays point at among themselves are addresses there. */
static rdx_status send_query(run *r, rdx_error *err) {
  rdx_column_query *c = &r->query;
  uint64_t offset = r->tables, address = 0;
  for (uint32_t i = 0; i < c->table_count; i++) {
    c->links[i].table = take_scratch(r, table_bytes(r, &c->tables[i]), &offset);
    c->links[i].bits = take_scratch(r, bits_bytes(r, &c->tables[i]), &offset);
  }
  RDX_TRY(rdx_stream_constants(r->work.stream, c->block, c->block_size, &address, err));
  rdx_column_query_rebase(c, address);
  RDX_TRY(rdx_stream_constants(r->work.stream, &c->q, sizeof c->q, &address, err));
  r->address = (engine_query *)(uintptr_t)address;
  return RDX_OK;
}

static rdx_status fill_tables(run *r, rdx_error *err) {
  const rdx_column_query *c = &r->query;
  const uint32_t group64 = !r->dense;
  for (uint32_t i = 0; i < c->table_count; i++) {
    const rdx_column_table *t = &c->tables[i];
    const struct engine_table_args args = {.terms = c->q.terms + t->first_term,
                                           .parts = c->q.parts + t->first_part,
                                           .numbers = c->q.numbers,
                                           .table = c->links[i].table,
                                           .bits = c->links[i].bits,
                                           .term_count = t->term_count,
                                           .part_count = t->part_count,
                                           .rows = (uint32_t)t->rows};
    RDX_TRY(rdx_stream_launch(r->work.stream, &rdx_kernel_engine_table, &args, &group64, t->rows + 1, NULL, err));
  }
  return RDX_OK;
}

/* What was recorded between two marks counts as the query's. */
static rdx_status finish(run *r, rdx_error *err) {
  RDX_TRY(rdx_stream_finish(r->work.stream, err));
  r->device_ms += rdx_stream_elapsed(r->work.stream, 0, 1);
  return RDX_OK;
}

/* ---- Groups from slots ---- */

_Static_assert(NO_SLOT == RDX_NO_WORD, "slots are words of records");

/* Slots of groups, whose numbers are distinct, as records. */
static rdx_status take_groups(const run *r, const uint64_t *numbers, const uint64_t *slots, uint32_t stride,
                              uint64_t count, rdx_groups *out, rdx_error *err) {
  rdx_records records = {
      .count = count, .numbers = numbers, .distinct = true, .words = slots, .stride = stride, .size = r->query.q.slots};
  for (uint32_t i = 0; i < r->plan->measure_count; i++) {
    const engine_measure *m = &r->query.measures[i];
    records.measures[i] = (rdx_record_words){.count = m->count_slot,
                                             .sum = m->sum_slot,
                                             .high = m->sum_slot != NO_SLOT && m->wide ? m->sum_slot + 1 : NO_SLOT,
                                             .min = m->min_slot,
                                             .max = m->max_slot,
                                             .zero = m->min,
                                             .top = m->max};
  }
  return rdx_groups_create(r->plan, records, out, err);
}

/* ---- Few groups: slots for each ---- */

/* On GPUs: how to add up, and in how many copies. */
static uint32_t choose_adding(const run *r, uint32_t *copies) {
  const uint64_t cells = r->plan->groups * r->query.q.slots;
  *copies = cells <= ENGINE_SHARED_CELLS / ENGINE_COPIES ? ENGINE_COPIES : (uint32_t)(ENGINE_SHARED_CELLS / cells);
  if (r->query.wide_extremes)
    return ADD_MEMORY;
  return *copies > 0 ? ADD_SHARED : ADD_CACHED;
}

/* So few that a launch is not split: the kernel counts on it. */
static uint32_t worker_count(const run *r) {
  const uint32_t max = r->plan->relation->device->info.emulated ? ENGINE_EMULATED_WORKERS : ENGINE_WORKERS;
  return on_cpu(r) || r->tiles < max ? r->tiles : max;
}

static rdx_status record_dense(run *r, rdx_error *err) {
  rdx_stream *stream = r->work.stream;
  engine_query *q = &r->query.q;
  RDX_TRY(rdx_stream_mark(stream, err));
  q->groups = RDX_ADDRESS(uint64_t, r->work.slots);
  q->group_count = (uint32_t)r->plan->groups;
  RDX_TRY(send_query(r, err));
  RDX_TRY(fill_tables(r, err));
  uint32_t *const counters = (uint32_t *)(uintptr_t)place(r, 0);
  uint32_t shared = 0;
  const uint32_t variant[] = {choose_adding(r, &shared), stream->device->info.emulated};
  const struct engine_tile_args tile = {.query = r->address,
                                        .counters = counters,
                                        .terms = q->terms,
                                        .links = q->links,
                                        .parts = q->parts,
                                        .steps = q->steps,
                                        .measures = q->measures,
                                        .groups = q->groups,
                                        .tile = r->tile,
                                        .copies = on_cpu(r) ? r->copies : shared,
                                        .rows = q->rows,
                                        .slots = q->slots,
                                        .term_count = q->term_count,
                                        .link_count = q->link_count,
                                        .early_terms = r->query.early_terms,
                                        .early_links = r->query.early_links,
                                        .first_late_term = r->query.first_late_term,
                                        .part_count = q->part_count,
                                        .measure_count = q->measure_count,
                                        .test_count = q->test_count};
  const rdx_kernel *kernel = &rdx_kernel_engine_tile[stream->device->has_atomic_u64];
  RDX_TRY(rdx_stream_launch(stream, kernel, &tile, variant, worker_count(r), NULL, err));
  const struct engine_compact_args compact = {.query = r->address,
                                              .counters = counters,
                                              .out_groups = (uint64_t *)(uintptr_t)place(r, ENGINE_FOUND),
                                              .copies = r->copies ? r->copies : 1};
  if (on_cpu(r) || r->plan->groups > ENGINE_FEW_GROUPS)
    RDX_TRY(rdx_stream_launch(stream, &rdx_kernel_engine_compact, &compact, NULL, r->plan->groups, NULL, err));
  const uint64_t all = r->plan->groups * entry_bytes(r);
  r->first_bytes = all < MAX_READ ? all : MAX_READ / entry_bytes(r) * entry_bytes(r);
  RDX_TRY(rdx_stream_mark(stream, err));
  const void *read = NULL;
  RDX_TRY(rdx_stream_read(stream, r->work.memory, 0, ENGINE_FOUND + r->first_bytes, &read, err));
  r->count = read;
  r->first = (const uint64_t *)read + ENGINE_FOUND / 8;
  return RDX_OK;
}

/* The groups that did not come along. */
static rdx_status read_found(const run *r, uint64_t count, uint64_t **out, rdx_error *err) {
  RDX_TRY(rdx_alloc(count, entry_bytes(r), "the groups of a result", (void **)out, err));
  return rdx_buffer_download(r->work.memory, ENGINE_FOUND, *out, count * entry_bytes(r), err);
}

static rdx_status take_found(const run *r, const uint64_t *entries, uint64_t count, rdx_groups *out, rdx_error *err) {
  const uint32_t words = r->query.q.slots + 1;
  RDX_SCOPED(rdx_free_local) uint64_t *numbers = NULL;
  RDX_TRY(rdx_alloc(count, sizeof *numbers, "the groups of a result", (void **)&numbers, err));
  for (uint64_t i = 0; i < count; i++)
    numbers[i] = entries[i * words];
  return take_groups(r, numbers, entries + 1, words, count, out, err);
}

static rdx_status run_dense(run *r, rdx_groups *out, rdx_error *err) {
  RDX_SCOPED(rdx_free_local) uint64_t *entries = NULL;
  RDX_TRY(record_dense(r, err));
  RDX_TRY(finish(r, err));
  const uint64_t count = *r->count;
  RDX_TRY(rdx_returned_number(r->plan->relation->device, count, 0, r->plan->groups, "the groups of a query", err));
  if (count * entry_bytes(r) > r->first_bytes)
    RDX_TRY(read_found(r, count, &entries, err));
  return take_found(r, entries ? entries : r->first, count, out, err);
}

/* ---- Many groups: rows sorted by theirs ---- */

typedef struct sorting {
  rdx_buffer *count, *bits, *rows, *groups, *starts, *distinct, *slots;
  uint64_t row_count, run_count;
} sorting;

static void drop_sorting(sorting *s) {
  RDX_DESTROY_BUFFERS(&s->count, &s->bits, &s->rows, &s->groups, &s->starts, &s->distinct, &s->slots);
}

static rdx_status create(const run *r, uint64_t size, rdx_buffer **out, rdx_error *err) {
  return rdx_buffer_create(r->plan->relation->device, size, "the rows of a query", out, err);
}

/* List the rows that qualify. */
static rdx_status list_rows(run *r, sorting *s, rdx_error *err) {
  const uint64_t rows = r->plan->relation->rows, words = (rows + 31) / 32;
  RDX_TRY(create(r, 8, &s->count, err));
  RDX_TRY(create(r, words * 4, &s->bits, err));
  RDX_TRY(create(r, rows * 4, &s->rows, err));
  RDX_TRY(rdx_stream_mark(r->work.stream, err));
  RDX_TRY(send_query(r, err));
  RDX_TRY(fill_tables(r, err));
  const struct engine_select_args args = {.query = r->address, .bits = RDX_ADDRESS(uint32_t, s->bits)};
  RDX_TRY(rdx_stream_launch(r->work.stream, &rdx_kernel_engine_select, &args, NULL, words, NULL, err));
  RDX_TRY(rdx_stream_select(r->work.stream, s->bits, s->rows, s->count, rows, err));
  RDX_TRY(rdx_stream_mark(r->work.stream, err));
  RDX_TRY(finish(r, err));
  return rdx_buffer_number(s->count, 0, 0, rows, "the rows that qualify", &s->row_count, err);
}

/* Sort them by group, and find where each group's begin. */
static rdx_status find_runs(run *r, sorting *s, rdx_error *err) {
  rdx_stream *stream = r->work.stream;
  const uint64_t n = s->row_count;
  const uint32_t bits = r->plan->groups > 1 ? rdx_bits_below(r->plan->groups) : 1;
  RDX_TRY(create(r, n * 8, &s->groups, err));
  RDX_TRY(create(r, n * 4, &s->starts, err));
  RDX_TRY(create(r, n * 8, &s->distinct, err));
  RDX_TRY(rdx_stream_mark(stream, err));
  RDX_TRY(send_query(r, err));
  const struct engine_number_args args = {
      .query = r->address, .rows = RDX_ADDRESS(uint32_t, s->rows), .out_groups = RDX_ADDRESS(uint64_t, s->groups)};
  RDX_TRY(rdx_stream_launch(stream, &rdx_kernel_engine_number, &args, NULL, n, NULL, err));
  RDX_TRY(rdx_stream_sort(stream, s->groups, 8, bits, s->rows, n, err));
  RDX_TRY(rdx_primitive_heads(stream, s->groups, 64, s->bits, n, err));
  RDX_TRY(rdx_stream_select(stream, s->bits, s->starts, s->count, n, err));
  RDX_TRY(rdx_stream_unique(stream, s->groups, 8, 0, s->distinct, s->count, n, err));
  RDX_TRY(rdx_stream_mark(stream, err));
  RDX_TRY(finish(r, err));
  return rdx_buffer_number(s->count, 0, 1, n, "the groups of a query", &s->run_count, err);
}

static rdx_status add_runs(run *r, sorting *s, rdx_error *err) {
  rdx_stream *stream = r->work.stream;
  const uint64_t size = s->run_count * r->query.q.slots * 8;
  RDX_TRY(create(r, size, &s->slots, err));
  RDX_TRY(rdx_stream_mark(stream, err));
  RDX_TRY(rdx_stream_fill(stream, s->slots, 0, size, 0, err));
  r->query.q.groups = RDX_ADDRESS(uint64_t, s->slots);
  RDX_TRY(send_query(r, err));
  const struct engine_runs_args args = {.query = r->address,
                                        .rows = RDX_ADDRESS(uint32_t, s->rows),
                                        .starts = RDX_ADDRESS(uint32_t, s->starts),
                                        .run_count = (uint32_t)s->run_count};
  const rdx_kernel *kernel = &rdx_kernel_engine_runs[stream->device->has_atomic_u64];
  RDX_TRY(rdx_stream_launch(stream, kernel, &args, NULL, s->row_count, NULL, err));
  RDX_TRY(rdx_stream_mark(stream, err));
  return finish(r, err);
}

static rdx_status take_runs(run *r, const sorting *s, rdx_groups *out, rdx_error *err) {
  const uint32_t slots = r->query.q.slots;
  RDX_SCOPED(rdx_free_local) uint64_t *numbers = NULL, *cells = NULL;
  RDX_TRY(rdx_alloc(s->run_count, 8, "the groups of a result", (void **)&numbers, err));
  RDX_TRY(rdx_alloc(s->run_count, slots * 8ul, "the groups of a result", (void **)&cells, err));
  RDX_TRY(rdx_buffer_download(s->distinct, 0, numbers, s->run_count * 8, err));
  RDX_TRY(rdx_buffer_download(s->slots, 0, cells, s->run_count * slots * 8, err));
  return take_groups(r, numbers, cells, slots, s->run_count, out, err);
}

static rdx_status run_sparse(run *r, sorting *s, rdx_groups *out, rdx_error *err) {
  RDX_TRY(list_rows(r, s, err));
  if (s->row_count == 0)
    return RDX_OK;
  RDX_TRY(find_runs(r, s, err));
  RDX_TRY(add_runs(r, s, err));
  return take_runs(r, s, out, err);
}

/* All rows by each term; how many are left for dimensions and groups is not known. */
static void work(const void *self, const rdx_plan *plan, rdx_work *out) {
  const column_engine *e = self;
  const double rows = (double)e->relation->rows;
  *out = (rdx_work){.launches = 1, .codes = rows * plan->term_count, .added = rows};
}

static rdx_status run_query(run *r, rdx_groups *out, rdx_error *err) {
  RDX_TRY(rdx_column_query_create(r->plan, &r->query, err));
  if (r->query.wide_extremes && !r->plan->relation->device->has_atomic_u64)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED,
                    "MIN and MAX of values that spread over more than 32 bits take 64-bit atomics, which %s has not",
                    r->plan->relation->device->info.name);
  const uint64_t rows = r->plan->relation->rows, groups = r->plan->groups;
  r->dense = groups <= MAX_DENSE && groups <= 65536 + 4 * rows;
  lay_out(r);
  RDX_TRY(take_workspace(r->engine, r->slots, r->size, &r->work, err));
  if (r->dense)
    return run_dense(r, out, err);
  RDX_SCOPED(drop_sorting) sorting s = {0};
  return run_sparse(r, &s, out, err);
}

static rdx_status run_plan(const void *self, rdx_star_call *call, rdx_error *err) {
  run r = {.engine = (column_engine *)(uintptr_t)self, .plan = call->plan};
  const rdx_status status = run_query(&r, call->out, err);
  if (r.work.stream)
    give_workspace(r.engine, &r.work, status != RDX_OK);
  call->device_ms = r.device_ms;
  if (call->counts) {
    call->counts->rows += call->plan->relation->rows;
    call->counts->bytes += r.query.bytes;
  }
  rdx_column_query_destroy(&r.query);
  return status;
}

const rdx_star_ops rdx_column_engine_ops = {
    .method = RDX_STAR_COLUMN_ENGINE,
    .size = sizeof(column_engine),
    .build = build,
    .work = work,
    .run = run_plan,
    .destroy = destroy,
};
