/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The updatable cgRX (cgRX, section 4): buckets are chains of nodes, which batches of changes grow and shrink. The
 * scene stays as it was built. */

#include "index/method/cgrx_scene.h"
#include "index/changes.h"
#include "kernels/cgrx/kernels.h"

#define DEFAULT_NODE 32
#define MIN_NODE 4
#define LARGEST_NODE 4096
#define DEFAULT_FILL 50
#define DEFAULT_CHAIN 8

/* Slabs double: so many hold more linked nodes than there can be. */
#define MAX_SLABS 32
#define MIN_SLAB_LOG 4

/* The first slab has a node for so many buckets. */
#define BUCKETS_PER_SLAB_NODE 16

/* Rebuild where buckets have on average less than one so many'th of the entries that they were built with. */
#define SPARSE 4

/* All that holds entries. */
typedef struct chains {
  uint64_t n; /* entries */
  rdx_cgrx_scene scene;
  cgrx_nodes shape;
  rdx_buffer *reps, *fences, *starts;
  rdx_buffer *slabs[MAX_SLABS];
  rdx_buffer *nodes; /* the shape on the device, and after it the addresses of the slabs */
  rdx_buffer *free;  /* linked nodes that are not in use */
  uint32_t slab_count, free_count;
  uint32_t used; /* nodes from this one on never were in use */
} chains;

typedef struct updatable {
  rdx_device *device;
  rdx_type type;
  uint32_t key_bits;
  rdx_cgrx_updatable_params params; /* without zeros that stand for defaults */
  uint32_t per_bucket;              /* entries of a bucket that is built */
  bool distinct;
  chains chains;
} updatable;

static void destroy_chains(chains *c) {
  rdx_cgrx_scene_destroy(&c->scene);
  RDX_DESTROY_BUFFERS(&c->reps, &c->fences, &c->starts);
  for (uint32_t i = 0; i < MAX_SLABS; i++)
    rdx_buffer_destroy(&c->slabs[i]);
  RDX_DESTROY_BUFFERS(&c->nodes, &c->free);
}

static void destroy(void *self) {
  updatable *u = self;
  destroy_chains(&u->chains);
}

/* ---- Options ---- */

static rdx_cgrx_updatable_params with_defaults(const rdx_cgrx_updatable_params *given) {
  rdx_cgrx_updatable_params p = *given;
  p.node_size = p.node_size ? p.node_size : DEFAULT_NODE;
  p.fill_percent = p.fill_percent ? p.fill_percent : DEFAULT_FILL;
  p.longest_chain = p.longest_chain ? p.longest_chain : DEFAULT_CHAIN;
  return p;
}

static uint32_t entries_of_bucket(const rdx_cgrx_updatable_params *p) {
  const uint32_t entries = p->node_size * p->fill_percent / 100;
  return entries > 2 ? entries : 2;
}

static rdx_cgrx_params scene_params(const rdx_cgrx_updatable_params *p) {
  const rdx_cgrx_params scene = {.bucket_size = entries_of_bucket(p),
                                 .mapping = p->mapping,
                                 .search = p->search,
                                 .build = p->build,
                                 .partitions = p->partitions,
                                 .compaction = p->compaction,
                                 .published = p->published};
  return rdx_cgrx_resolve(&scene);
}

static bool is_naive(const rdx_cgrx_updatable_params *p) {
  return p->representation == RDX_CGRX_REPRESENTATION_NAIVE;
}

static rdx_status check(const rdx_device *device, const rdx_cgrx_updatable_params *p, rdx_error *err) {
  if (p->node_size < MIN_NODE || p->node_size > LARGEST_NODE || p->fill_percent > 100)
    return rdx_fail(err, RDX_ERROR_ARGUMENT,
                    "cgrx_updatable: a node has room for %d to %d keys, and fill_percent is at most 100; got %u and %u",
                    MIN_NODE, LARGEST_NODE, p->node_size, p->fill_percent);
  if (p->representation > RDX_CGRX_REPRESENTATION_NAIVE)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "cgrx_updatable: unknown representation");
  if (is_naive(p) && p->mapping == RDX_CGRX_MAPPING_COVERING)
    return rdx_fail(err, RDX_ERROR_ARGUMENT,
                    "cgrx_updatable: the naive representation has no covering mapping; use "
                    "another, or the optimized representation");
  const rdx_cgrx_params scene = scene_params(p);
  return rdx_cgrx_check("cgrx_updatable", device, &scene, err);
}

static uint64_t node_bytes(const rdx_cgrx_updatable_params *p, uint32_t key_bits) {
  return 4ull * node_words(p->node_size, key_bits == 64);
}

static uint64_t estimate(const rdx_device *device, const rdx_index_params *params, uint64_t count, uint32_t key_bits) {
  const rdx_cgrx_updatable_params p = with_defaults(&params->cgrx_updatable);
  if (check(device, &p, NULL) != RDX_OK) /* build() will say so */
    return 0;
  const rdx_cgrx_params scene = scene_params(&p);
  const uint64_t buckets = (count + scene.bucket_size - 1) / scene.bucket_size;
  const uint64_t nodes = buckets * (node_bytes(&p, key_bits) + key_bits / 8 + 8);
  const uint64_t building = count * (key_bits / 8 + 4) + rdx_cgrx_scene_estimate(device, &scene, count) + nodes;
  const uint64_t sorting = rdx_sorted_keys_estimate(device, count, key_bits);
  return building > sorting ? building : sorting;
}

/* ---- Building ---- */

/* Put the shape and the addresses of slabs where kernels find them, in a buffer of their own. */
static rdx_status upload_nodes(const updatable *u, chains *c, rdx_error *err) {
  struct {
    cgrx_nodes shape;
    uint64_t slabs[MAX_SLABS];
  } image = {0};
  RDX_TRY(rdx_buffer_create(u->device, sizeof image, "the nodes of an index", &c->nodes, err));
  c->shape.starts = RDX_ADDRESS(uint64_t, c->starts);
  c->shape.slabs = (uint64_t *)(uintptr_t)(c->nodes->address + offsetof(__typeof__(image), slabs));
  image.shape = c->shape;
  for (uint32_t i = 0; i < c->slab_count; i++)
    image.slabs[i] = c->slabs[i]->address;
  return rdx_buffer_upload(c->nodes, 0, &image, sizeof image, err);
}

/* cgRX, section 4 "Initial construction". */
/* One representative node for each bucket (section 4, "Initial construction"). */
static rdx_status load(const updatable *u, const rdx_sorted_keys *sorted, chains *c, rdx_index_stats *stats,
                       rdx_error *err) {
  const uint32_t buckets = c->scene.shape.buckets, key64 = u->key_bits == 64;
  RDX_TRY(rdx_buffer_create(u->device, buckets * node_bytes(&u->params, u->key_bits), "the nodes of buckets", &c->reps,
                            err));
  RDX_TRY(rdx_buffer_create(u->device, buckets * (u->key_bits / 8ull), "the fences of buckets", &c->fences, err));
  RDX_TRY(rdx_buffer_create(u->device, (buckets + 1ull) * 8, "the entries before buckets", &c->starts, err));
  RDX_TRY(rdx_buffer_create(u->device, 0, "nodes not in use", &c->free, err));
  c->used = buckets;
  c->shape = (cgrx_nodes){.reps = RDX_ADDRESS(uint32_t, c->reps),
                          .fences = RDX_ADDRESS(uint32_t, c->fences),
                          .buckets = buckets,
                          .node_size = u->params.node_size,
                          .slab_log = MIN_SLAB_LOG,
                          .linear_search = u->params.search == RDX_CGRX_SEARCH_LINEAR};
  while (1u << c->shape.slab_log < buckets / BUCKETS_PER_SLAB_NODE)
    c->shape.slab_log++;
  RDX_TRY(upload_nodes(u, c, err));
  const struct cgrx_load_args args = {.nodes = RDX_ADDRESS(cgrx_nodes, c->nodes),
                                      .keys = RDX_ADDRESS(uint32_t, sorted->keys),
                                      .rows = RDX_ADDRESS(uint32_t, sorted->rows),
                                      .n = (uint32_t)sorted->count,
                                      .per_bucket = u->per_bucket};
  RDX_TRY(rdx_launch_timed(u->device, &rdx_kernel_cgrx_load, &args, &key64, buckets, "build", &stats->encode_ms, err));
  c->scene.shape.n = buckets; /* from now on rays see the fences: buckets of one key each */
  c->scene.shape.bucket_size = 1;
  return rdx_cgrx_scene_upload(&c->scene, err);
}

/* On failure nothing is left to destroy. */
static rdx_status create_chains(const updatable *u, const rdx_key_set *keys, chains *out, rdx_index_stats *stats,
                                rdx_error *err) {
  const rdx_cgrx_params params = scene_params(&u->params);
  RDX_SCOPED(rdx_sorted_keys_destroy) rdx_sorted_keys sorted = {0};
  RDX_SCOPED(destroy_chains) chains made = {.n = keys->count};
  RDX_TRY(rdx_sorted_keys_create(keys, &sorted, stats, err));
  RDX_TRY(rdx_cgrx_scene_create(&sorted, &params, !is_naive(&u->params), stats, &made.scene, err));
  RDX_TRY(load(u, &sorted, &made, stats, err));
  *out = RDX_KEEP(made);
  return RDX_OK;
}

static void fill_stats(const updatable *u, rdx_index_stats *stats) {
  const chains *c = &u->chains;
  stats->keys = c->n;
  stats->distinct = u->distinct;
  stats->bytes_resident = rdx_cgrx_scene_bytes(&c->scene) + c->reps->size + c->fences->size + c->starts->size +
                          c->nodes->size + c->free->size;
  for (uint32_t i = 0; i < c->slab_count; i++)
    stats->bytes_resident += c->slabs[i]->size;
}

static rdx_status build(void *self, const rdx_key_set *keys, const rdx_index_params *params, rdx_index_stats *stats,
                        rdx_error *err) {
  const rdx_cgrx_updatable_params p = with_defaults(&params->cgrx_updatable);
  updatable *u = self;
  RDX_TRY(check(keys->device, &p, err));
  u->device = keys->device;
  u->type = keys->type;
  u->key_bits = keys->key_bits;
  u->params = p;
  u->per_bucket = entries_of_bucket(&p);
  RDX_TRY(create_chains(u, keys, &u->chains, stats, err));
  u->distinct = stats->distinct;
  fill_stats(u, stats);
  return RDX_OK;
}

/* ---- Lookups ---- */

static rdx_status launch(const updatable *u, rdx_stream *stream, const rdx_index_query *q, uint32_t output,
                         rdx_error *err) {
  const chains *c = &u->chains;
  const struct cgrx_args args = {RDX_LOOKUP_FIELDS(q), .state = RDX_ADDRESS(cgrx_state, c->scene.state),
                                 .keys = RDX_ADDRESS(uint32_t, c->fences), .nodes = RDX_ADDRESS(cgrx_nodes, c->nodes)};
  const uint32_t variant[CGRX_CONSTANTS] = {
      u->key_bits == 64, q->gather, q->value, output, true, c->scene.shape.representation};
  return rdx_stream_launch(stream, &rdx_kernel_cgrx, &args, variant, q->count, c->scene.scene, err);
}

static rdx_status query(const void *self, rdx_stream *stream, const rdx_index_query *q, rdx_error *err) {
  return launch(self, stream, q, CGRX_OUTPUT_RESULT, err);
}

static rdx_status count_rays(const void *self, rdx_stream *stream, const rdx_index_query *q, rdx_error *err) {
  return launch(self, stream, q, CGRX_OUTPUT_RAYS, err);
}

static rdx_status count_visits(const void *self, rdx_stream *stream, const rdx_index_query *q, rdx_error *err) {
  return launch(self, stream, q, CGRX_OUTPUT_VISITS, err);
}

/* ---- Planning a batch ---- */

/* What a batch makes of each bucket, and of all. */
typedef struct plan {
  bool whole; /* else only `parts` are known before buckets change: see removes_in_place() */
  rdx_buffer *parts, *totals, *takes, *chains;
  rdx_buffer *starts, *takes_before;
  rdx_buffer *longest;
  uint64_t n, take_count, longest_chain;
} plan;

static void destroy_plan(plan *p) {
  RDX_DESTROY_BUFFERS(&p->parts, &p->totals, &p->takes, &p->chains, &p->starts, &p->takes_before, &p->longest);
}

static rdx_status create_plan(const updatable *u, plan *p, rdx_error *err) {
  static const char what[] = "the plan of a batch of changes";
  const uint64_t buckets = u->chains.shape.buckets;
  RDX_TRY(rdx_buffer_create(u->device, buckets * sizeof(cgrx_part), what, &p->parts, err));
  RDX_TRY(rdx_buffer_create(u->device, buckets * 4, what, &p->totals, err));
  RDX_TRY(rdx_buffer_create(u->device, (buckets + 1) * 8, what, &p->starts, err));
  if (!p->whole)
    return RDX_OK;
  RDX_TRY(rdx_buffer_create(u->device, buckets * 4, what, &p->takes, err));
  RDX_TRY(rdx_buffer_create(u->device, buckets * 4, what, &p->chains, err));
  RDX_TRY(rdx_buffer_create(u->device, (buckets + 1) * 8, what, &p->takes_before, err));
  return rdx_buffer_create(u->device, 8, what, &p->longest, err);
}

static rdx_status record_plan(const updatable *u, const rdx_changes *c, rdx_stream *stream, plan *p, rdx_error *err) {
  const uint32_t variant[] = {u->key_bits == 64, !p->whole};
  RDX_TRY(create_plan(u, p, err));
  const struct cgrx_plan_args args = {.nodes = RDX_ADDRESS(cgrx_nodes, u->chains.nodes),
                                      .inserts = RDX_ADDRESS(uint32_t, c->insert_keys),
                                      .removes = RDX_ADDRESS(uint32_t, c->remove_keys),
                                      .parts = RDX_ADDRESS(cgrx_part, p->parts),
                                      .totals = RDX_ADDRESS(uint32_t, p->totals),
                                      .takes = RDX_ADDRESS(uint32_t, p->takes),
                                      .chains = RDX_ADDRESS(uint32_t, p->chains),
                                      .insert_count = (uint32_t)c->inserts,
                                      .remove_count = (uint32_t)c->removes};
  return rdx_stream_launch(stream, &rdx_kernel_cgrx_plan, &args, variant, u->chains.shape.buckets, NULL, err);
}

static rdx_status check_entries(const updatable *u, const rdx_changes *c, uint64_t n, rdx_error *err) {
  const uint64_t before = u->chains.n, min = before < c->removes ? 0 : before - c->removes;
  return rdx_returned_number(u->device, n, min + c->inserts, before + c->inserts, "the entries after a batch", err);
}

static rdx_status make_plan(const updatable *u, const rdx_changes *c, rdx_stream *stream, plan *p, rdx_error *err) {
  const uint64_t buckets = u->chains.shape.buckets;
  const void *n = NULL, *takes = NULL, *longest = NULL;
  p->whole = true;
  RDX_TRY(record_plan(u, c, stream, p, err));
  RDX_TRY(rdx_stream_scan(stream, p->totals, p->starts, buckets, err));
  RDX_TRY(rdx_stream_scan(stream, p->takes, p->takes_before, buckets, err));
  RDX_TRY(rdx_stream_reduce(stream, RDX_REDUCE_MAX, p->chains, 4, p->longest, buckets, err));
  RDX_TRY(rdx_stream_read(stream, p->starts, buckets * 8, 8, &n, err));
  RDX_TRY(rdx_stream_read(stream, p->takes_before, buckets * 8, 8, &takes, err));
  RDX_TRY(rdx_stream_read(stream, p->longest, 0, 8, &longest, err));
  RDX_TRY(rdx_stream_finish(stream, err));
  p->n = *(const uint64_t *)n;
  p->take_count = *(const uint64_t *)takes;
  p->longest_chain = *(const uint64_t *)longest;
  if (buckets == 0)
    return RDX_OK;
  RDX_TRY(check_entries(u, c, p->n, err));
  return rdx_returned_number(u->device, p->take_count, 0, c->inserts, "the nodes that buckets take", err);
}

/* Whether buckets have on average much less than they were built with. */
static bool is_sparse(const updatable *u, uint64_t n) {
  return n < (uint64_t)u->chains.shape.buckets * u->per_bucket / SPARSE;
}

/* ---- Changing in place ---- */

/* What is replaced beside nodes when those change in place, and slabs to put new ones in. */
typedef struct change {
  chains after; /* owns starts, nodes, free, and slabs that are new; shares the rest */
  rdx_buffer *freed;
  uint32_t reused;
} change;

static void destroy_change(const chains *before, change *c) {
  RDX_DESTROY_BUFFERS(&c->after.starts, &c->after.nodes, &c->after.free, &c->freed);
  for (uint32_t i = before->slab_count; i < MAX_SLABS; i++)
    rdx_buffer_destroy(&c->after.slabs[i]);
}

/* cgRX, section 4 "linked node region". */
static rdx_status add_slabs(const updatable *u, chains *c, rdx_error *err) {
  const uint64_t bytes = node_bytes(&u->params, u->key_bits), first = 1ull << c->shape.slab_log;
  while (c->used - c->shape.buckets > first * ((1ull << c->slab_count) - 1)) {
    RDX_TRY(rdx_buffer_create(u->device, (first << c->slab_count) * bytes, "linked nodes of buckets",
                              &c->slabs[c->slab_count], err));
    c->slab_count++;
  }
  return RDX_OK;
}

static rdx_status prepare(const updatable *u, plan *p, change *out, rdx_error *err) {
  const chains *c = &u->chains;
  chains *after = &out->after;
  *after = *c;
  after->nodes = after->free = NULL;
  after->starts = p->starts;
  p->starts = NULL;
  out->reused = p->take_count < c->free_count ? (uint32_t)p->take_count : c->free_count;
  after->used = c->used + (uint32_t)(p->take_count - out->reused);
  RDX_TRY(add_slabs(u, after, err));
  const uint64_t linked = c->used - c->shape.buckets; /* all of them may be free afterwards, but none that is taken */
  RDX_TRY(rdx_buffer_create(u->device, (linked - out->reused) * 4, "nodes not in use", &after->free, err));
  RDX_TRY(rdx_buffer_create(u->device, 4, "a count of nodes", &out->freed, err));
  return upload_nodes(u, after, err);
}

static rdx_status record(const updatable *u, const rdx_changes *c, const plan *p, const change *to, rdx_stream *stream,
                         rdx_error *err) {
  const chains *before = &u->chains, *after = &to->after;
  const uint32_t key64 = u->key_bits == 64, left = before->free_count - to->reused;
  /* Without a whole plan the entries before buckets are known later; those of before tell how many a bucket has. */
  const struct cgrx_apply_args args = {.nodes = RDX_ADDRESS(cgrx_nodes, p->whole ? after->nodes : before->nodes),
                                       .inserts = RDX_ADDRESS(uint32_t, c->insert_keys),
                                       .insert_rows = RDX_ADDRESS(uint32_t, c->insert_rows),
                                       .removes = RDX_ADDRESS(uint32_t, c->remove_keys),
                                       .parts = RDX_ADDRESS(cgrx_part, p->parts),
                                       .takes = RDX_ADDRESS(uint64_t, p->takes_before),
                                       .totals = RDX_ADDRESS(uint32_t, p->whole ? NULL : p->totals),
                                       .free = RDX_ADDRESS(uint32_t, before->free),
                                       .free_out = RDX_ADDRESS(uint32_t, after->free) + left,
                                       .freed = RDX_ADDRESS(uint32_t, to->freed),
                                       .free_count = before->free_count,
                                       .used = before->used};
  RDX_TRY(rdx_stream_fill(stream, to->freed, 0, 4, 0, err));
  if (left > 0)
    RDX_TRY(rdx_stream_copy(stream, before->free, to->reused * 4ull, after->free, 0, left * 4ull, err));
  return rdx_stream_launch(stream, &rdx_kernel_cgrx_apply, &args, &key64, after->shape.buckets, NULL, err);
}

/* Record all, run it, and learn how many entries and free nodes there are then. */
static rdx_status run_change(const updatable *u, const rdx_changes *c, const plan *p, change *to, rdx_stream *stream,
                             rdx_error *err) {
  const uint64_t buckets = u->chains.shape.buckets;
  const void *freed = NULL, *n = NULL;
  stream->stage = NULL; /* nodes are changed whole */
  RDX_TRY(record(u, c, p, to, stream, err));
  if (!p->whole)
    RDX_TRY(rdx_stream_scan(stream, p->totals, to->after.starts, buckets, err));
  RDX_TRY(rdx_stream_read(stream, to->after.starts, buckets * 8, 8, &n, err));
  RDX_TRY(rdx_stream_read(stream, to->freed, 0, 4, &freed, err));
  RDX_TRY(rdx_stream_finish(stream, err));
  const uint32_t left = u->chains.free_count - to->reused, more = *(const uint32_t *)freed;
  to->after.n = *(const uint64_t *)n;
  to->after.free_count = left + more;
  rdx_buffer_destroy(&to->freed);
  RDX_TRY(check_entries(u, c, to->after.n, err));
  return rdx_returned_number(u->device, more, 0, to->after.free->size / 4 - left, "the nodes that buckets give", err);
}

/* Whatever can fail comes before nodes change: the CPU's streams run a launch at once, but neither it nor what comes
 * after it can fail there; others run it in finish, which fails only where the device is lost. */
static rdx_status change_in_place(updatable *u, const rdx_changes *c, plan *p, rdx_stream *stream, rdx_error *err) {
  change to = {0};
  rdx_status status = prepare(u, p, &to, err);
  if (status == RDX_OK)
    status = run_change(u, c, p, &to, stream, err);
  if (status != RDX_OK) {
    destroy_change(&u->chains, &to);
    return status;
  }
  RDX_DESTROY_BUFFERS(&u->chains.starts, &u->chains.nodes, &u->chains.free);
  u->chains = to.after;
  u->distinct = u->distinct && c->inserts == 0;
  return RDX_OK;
}

/* Whether a batch only removes, and leaves too much to be a reason for a rebuild. Buckets can change then without a
 * whole plan: none takes memory. Not on the CPU, where scanning what they have left could fail after it. */
static bool removes_in_place(const updatable *u, const rdx_changes *c) {
  const uint64_t n = u->chains.n;
  return u->device->info.backend != RDX_BACKEND_CPU && c->inserts == 0 && c->removes < n &&
         !is_sparse(u, n - c->removes);
}

static rdx_status remove_in_place(updatable *u, const rdx_changes *c, plan *p, rdx_stream *stream, rdx_error *err) {
  RDX_TRY(record_plan(u, c, stream, p, err));
  return change_in_place(u, c, p, stream, err);
}

/* ---- Rebuilding ---- */

/* cgRX, section 4 "Rebuilding". */
/* Whether chains are too long, or buckets mostly empty (section 4, "Rebuilding"). */
static bool wants_rebuild(const updatable *u, const plan *p) {
  const chains *c = &u->chains;
  return p->longest_chain > u->params.longest_chain || (p->n < c->n && is_sparse(u, p->n)) ||
         c->used + p->take_count >= UINT32_MAX;
}

/* The entries that stay in chains, then those of the batch: sorting them is stable, so that the rows of equal keys
 * ascend. */
static rdx_status collect(const updatable *u, const rdx_changes *c, const plan *p, rdx_stream *stream,
                          const rdx_key_set *set, rdx_error *err) {
  const uint64_t kept = set->count - c->inserts, bytes = u->key_bits / 8;
  const uint32_t key64 = u->key_bits == 64;
  const struct cgrx_collect_args args = {.nodes = RDX_ADDRESS(cgrx_nodes, u->chains.nodes),
                                         .removes = RDX_ADDRESS(uint32_t, c->remove_keys),
                                         .parts = RDX_ADDRESS(cgrx_part, p->parts),
                                         .starts = RDX_ADDRESS(uint64_t, p->starts),
                                         .keys_out = RDX_ADDRESS(uint32_t, set->keys),
                                         .rows_out = RDX_ADDRESS(uint32_t, set->rows)};
  RDX_TRY(rdx_stream_launch(stream, &rdx_kernel_cgrx_collect, &args, &key64, u->chains.shape.buckets, NULL, err));
  if (c->inserts > 0) {
    RDX_TRY(rdx_stream_copy(stream, c->insert_keys, 0, set->keys, kept * bytes, c->inserts * bytes, err));
    RDX_TRY(rdx_stream_copy(stream, c->insert_rows, 0, set->rows, kept * 4, c->inserts * 4, err));
  }
  return rdx_stream_finish(stream, err);
}

static rdx_status build_anew(updatable *u, const rdx_changes *c, const plan *p, rdx_stream *stream,
                             rdx_index_stats *stats, rdx_error *err) {
  const double sort_ms = stats->sort_ms; /* of the batch */
  chains anew = {0};
  RDX_SCOPED(rdx_key_set_destroy)
  rdx_key_set set = {.device = u->device, .type = u->type, .key_bits = u->key_bits, .count = p->n};
  RDX_TRY(rdx_buffer_create(u->device, set.count * (u->key_bits / 8), "the keys that stay", &set.keys, err));
  RDX_TRY(rdx_buffer_create(u->device, set.count * 4, "the rows that stay", &set.rows, err));
  RDX_TRY(collect(u, c, p, stream, &set, err));
  RDX_TRY(create_chains(u, &set, &anew, stats, err));
  destroy_chains(&u->chains);
  u->chains = anew;
  u->distinct = stats->distinct;
  stats->sort_ms += sort_ms;
  return RDX_OK;
}

/* cgRX, section 4 "periodically rebuild the data structure using the initial construction procedure". */
static rdx_status rebuild(void *self, rdx_index_stats *stats, rdx_error *err) {
  static const rdx_changes none = {0};
  updatable *u = self;
  RDX_SCOPED(rdx_stream_destroy) rdx_stream *stream = NULL;
  RDX_SCOPED(destroy_plan) plan p = {0};
  RDX_TRY(rdx_stream_create_for(u->device, "build", &stream, err));
  RDX_TRY(make_plan(u, &none, stream, &p, err));
  RDX_TRY(build_anew(u, &none, &p, stream, stats, err));
  fill_stats(u, stats);
  return RDX_OK;
}

static rdx_status apply(void *self, const rdx_changes *c, rdx_index_stats *stats, rdx_error *err) {
  const double begin = rdx_now_ms();
  updatable *u = self;
  RDX_SCOPED(destroy_plan) plan p = {0};
  RDX_SCOPED(rdx_stream_destroy) rdx_stream *stream = NULL;
  RDX_TRY(rdx_stream_create_for(u->device, "change", &stream, err));
  bool anew = false;
  if (removes_in_place(u, c)) {
    RDX_TRY(remove_in_place(u, c, &p, stream, err));
  } else {
    RDX_TRY(make_plan(u, c, stream, &p, err));
    if (u->chains.shape.buckets == 0) /* there is nothing to remove */
      p.n = c->inserts;
    anew = u->chains.shape.buckets == 0 || wants_rebuild(u, &p);
    if (anew)
      RDX_TRY(build_anew(u, c, &p, stream, stats, err));
    else
      RDX_TRY(change_in_place(u, c, &p, stream, err));
  }
  fill_stats(u, stats);
  if (anew)
    stats->rebuilds++;
  else
    stats->encode_ms = rdx_now_ms() - begin;
  return RDX_OK;
}

const rdx_index_ops rdx_cgrx_updatable_ops = {
    .name = "cgrx_updatable",
    .estimate = estimate,
    .size = sizeof(updatable),
    .build = build,
    .query = query,
    .count_rays = count_rays,
    .count_visits = count_visits,
    .apply = apply,
    .rebuild = rebuild,
    .destroy = destroy,
    .rows_in_order = true,
    .counts_ranges = true,
};
