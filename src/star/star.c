/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Stars: their life, their cubes, and queries on the way through them. */

#include "star/star.h"

#include <stdatomic.h>
#include <stdio.h>

#include "base/options.h"
#include "star/result.h"
#include "star/spec.h"

/* The table of methods: what answers queries, by cubes and without any. */
extern const rdx_star_ops rdx_column_engine_ops, rdx_sorted_cube_ops, rdx_coarse_cube_ops, rdx_rt_cube_ops,
    rdx_rtcudb_ops; /* the last: rt_cube with the published mapping */

typedef struct method_ops {
  const char *name;
  const rdx_star_ops *plain; /* which answers all queries; NULL: only those that a cube serves are */
  const rdx_star_ops *cubed; /* NULL: there are no cubes */
} method_ops;

static const method_ops methods[] = {
    [RDX_STAR_AUTO] = {"auto", &rdx_column_engine_ops, &rdx_sorted_cube_ops},
    [RDX_STAR_COLUMN_ENGINE] = {"column", &rdx_column_engine_ops, NULL},
    [RDX_STAR_SORTED_CUBE] = {"sorted_cube", NULL, &rdx_sorted_cube_ops},
    [RDX_STAR_COARSE_CUBE] = {"coarse_cube", NULL, &rdx_coarse_cube_ops},
    [RDX_STAR_RT_CUBE] = {"rt_cube", NULL, &rdx_rt_cube_ops},
};
_Static_assert(RDX_COUNT(methods) == RDX_STAR_METHODS, "a method is not counted");

struct rdx_star {
  rdx_device *device;
  const method_ops *ops;
  rdx_star_params params;
  rdx_packed_relation *relation;
  rdx_star_stats stats;
  rdx_cube *cubes; /* the first of a method that answers all queries is none: its spec is empty */
  uint32_t cube_count, cube_capacity;
};

/* ---- Names ---- */

const char *rdx_star_method_name(rdx_star_method method) {
  return (size_t)method < RDX_COUNT(methods) ? methods[method].name : "unknown";
}

rdx_status rdx_star_method_from_name(const char *name, rdx_star_method *out, rdx_error *err) {
  const char *names[RDX_STAR_METHODS];
  uint32_t number = 0;
  if (!name || !out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_star_method_from_name: name and out must not be NULL");
  for (uint32_t i = 0; i < RDX_STAR_METHODS; i++)
    names[i] = rdx_star_method_name((rdx_star_method)i);
  RDX_TRY(rdx_method_find(names, RDX_STAR_METHODS, "star method", name, &number, err));
  *out = (rdx_star_method)number;
  return RDX_OK;
}

bool rdx_star_method_is_cube(rdx_star_method method) {
  return (size_t)method < RDX_COUNT(methods) && !methods[method].plain;
}

bool rdx_star_method_traces(rdx_star_method method) {
  return methods[method].cubed && methods[method].cubed->traces_rays;
}

/* ---- Cubes ---- */

static void destroy_cube(rdx_cube *cube) {
  if (cube->self)
    cube->ops->destroy(cube->self);
  rdx_free(cube->self);
  rdx_arena_free(&cube->arena);
  *cube = (rdx_cube){0};
}

/* What builds cubes of this star. */
static const rdx_star_ops *cube_ops(const rdx_star *star) {
  const bool published =
      star->params.method == RDX_STAR_RT_CUBE && star->params.rt_cube.mapping == RDX_RT_CUBE_PUBLISHED;
  return published ? &rdx_rtcudb_ops : star->ops->cubed;
}

/* The scan attributes that its cubes have at most. */
static uint32_t max_scan(const rdx_star *star) {
  const rdx_star_ops *ops = star->ops->cubed ? cube_ops(star) : NULL;
  return ops && ops->max_scan > 0 ? ops->max_scan : RDX_MAX_SPEC;
}

static rdx_status build_cube(rdx_star *star, const rdx_cube_spec *spec, rdx_cube *cube, rdx_error *err) {
  *cube = (rdx_cube){.ops = spec ? cube_ops(star) : star->ops->plain};
  if (spec)
    RDX_TRY(rdx_spec_copy(spec, max_scan(star), star->relation, &cube->arena, &cube->spec, err));
  RDX_TRY(rdx_calloc(1, cube->ops->size, "a cube", &cube->self, err));
  return cube->ops->build(cube->self, star->relation, &star->params, spec ? &cube->spec : NULL, &cube->bytes, err);
}

/* `spec` NULL: what answers all queries. */
static rdx_status add_cube(rdx_star *star, const rdx_cube_spec *spec, rdx_error *err) {
  const double start = rdx_now_ms();
  if (star->cube_count == star->cube_capacity) {
    const uint32_t capacity = star->cube_capacity ? 2 * star->cube_capacity : 4;
    RDX_TRY(rdx_realloc((void **)&star->cubes, capacity, sizeof *star->cubes, "the cubes of a star", err));
    star->cube_capacity = capacity;
  }
  const uint64_t used = atomic_load(&star->device->memory_used);
  atomic_store(&star->device->memory_mark, used);
  RDX_SCOPED(destroy_cube) rdx_cube cube = {0};
  RDX_TRY(build_cube(star, spec, &cube, err));
  const uint64_t peak = atomic_load(&star->device->memory_mark) - used;
  rdx_star_stats *s = &star->stats;
  const uint64_t held = s->bytes_columns + s->bytes_cubes + (peak > cube.bytes ? peak : cube.bytes);
  s->bytes_peak = held > s->bytes_peak ? held : s->bytes_peak;
  s->bytes_cubes += cube.bytes;
  s->cubes += spec != NULL;
  s->build_ms += rdx_now_ms() - start;
  star->cubes[star->cube_count++] = RDX_KEEP(cube);
  return RDX_OK;
}

rdx_status rdx_star_add_cube(rdx_star *star, const rdx_cube_spec *spec, rdx_error *err) {
  if (!star || !spec)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_star_add_cube: star and spec must not be NULL");
  if (!star->ops->cubed)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "the %s star needs no cubes", star->ops->name);
  return add_cube(star, spec, err);
}

/* Whether there is no cube to build for a query: one serves it, or none can. */
static bool is_covered(const rdx_star *star, const rdx_needs *needs) {
  if (needs->too_many)
    return true;
  for (uint32_t i = 0; i < star->cube_count; i++)
    if (star->cubes[i].ops != star->ops->plain &&
        rdx_spec_lacks(&star->cubes[i].spec, needs, star->relation, NULL, 0) == 0)
      return true;
  return false;
}

/* Add a query's needs to those of a cube, where that still has the form that it should. */
static bool share_cube(const rdx_star *star, rdx_needs *all, const rdx_needs *more) {
  const rdx_star_ops *ops = cube_ops(star);
  rdx_needs both = *all;
  if (!rdx_needs_unite(&both, more))
    return false;
  const rdx_cube_spec spec = rdx_needs_spec(&both);
  if (ops->fits && !ops->fits(star->relation, &spec))
    return false;
  *all = both;
  return true;
}

static void order_scan(const rdx_star *star, rdx_needs *needs, const rdx_plan *plans, uint32_t count) {
  if (star->params.method != RDX_STAR_RT_CUBE || star->params.rt_cube.order != RDX_RT_CUBE_AS_GIVEN)
    rdx_needs_order(needs, plans, count);
}

/* A cube for query `first` and as many of those after it as can share it. */
static rdx_status prepare_from(rdx_star *star, const rdx_needs *needs, const rdx_plan *plans, uint32_t count,
                               rdx_error *err) {
  rdx_needs all = needs[0], own = needs[0];
  bool shared = false;
  for (uint32_t i = 1; i < count; i++)
    shared |= !is_covered(star, &needs[i]) && share_cube(star, &all, &needs[i]);
  order_scan(star, &all, plans, count);
  rdx_cube_spec spec = rdx_needs_spec(&all);
  const rdx_status status = add_cube(star, &spec, err);
  if (!shared || status != RDX_ERROR_UNSUPPORTED)
    return status;
  order_scan(star, &own, plans, 1); /* all was too much for one */
  spec = rdx_needs_spec(&own);
  return add_cube(star, &spec, err);
}

/* Say which one of several queries an error is about. */
static rdx_status name_query(rdx_status status, uint32_t query, uint32_t count, rdx_error *err) {
  if (status == RDX_OK || status == RDX_ERROR_CANCELLED || count == 1 || !err)
    return status;
  const rdx_error why = *err;
  return rdx_fail(err, status, "query %u of %u: %s", query + 1, count, why.text);
}

/* A plan for each query, which checks it, and what it needs. `*planned` counts the plans to destroy. */
static rdx_status plan_all(const rdx_star *star, const rdx_query *queries, uint32_t count, rdx_plan *plans,
                           rdx_needs *needs, uint32_t *planned, rdx_error *err) {
  for (uint32_t i = 0; i < count; i++) {
    RDX_TRY(name_query(rdx_plan_create(star->relation, &queries[i], &plans[i], err), i, count, err));
    ++*planned;
    const rdx_status status = rdx_needs_of(&queries[i], max_scan(star), &needs[i], star->ops->plain ? NULL : err);
    needs[i].too_many = status != RDX_OK;
    if (!star->ops->plain)
      RDX_TRY(name_query(status, i, count, err));
  }
  return RDX_OK;
}

/* The cubes that plans need and the star has not; those that were built stay after an error. */
static rdx_status add_needed(rdx_star *star, const rdx_needs *needs, const rdx_plan *plans, uint32_t count,
                             rdx_error *err) {
  for (uint32_t i = 0; i < count; i++) {
    if (is_covered(star, &needs[i]))
      continue;
    RDX_TRY(rdx_progress("build", i, count, err));
    rdx_error why = {""};
    const rdx_status status = prepare_from(star, &needs[i], &plans[i], count - i, &why);
    if (star->ops->plain && (status == RDX_ERROR_UNSUPPORTED || status == RDX_ERROR_MEMORY))
      continue; /* it will be answered without */
    if (status != RDX_OK && err)
      *err = why;
    RDX_TRY(name_query(status, i, count, err));
  }
  return RDX_OK;
}

/* RTCUDB, Figure 7 "The workflow of RTCUDB". */
rdx_status rdx_star_prepare(rdx_star *star, const rdx_query *queries, uint32_t count, rdx_error *err) {
  if (!star || (count > 0 && !queries))
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_star_prepare: star and queries must not be NULL");
  if (!star->ops->cubed)
    return RDX_OK;
  RDX_SCOPED(rdx_free_local) rdx_needs *needs = NULL;
  RDX_SCOPED(rdx_free_local) rdx_plan *plans = NULL;
  const rdx_star_stats stats = star->stats;
  const uint32_t before = star->cube_count;
  uint32_t planned = 0;
  RDX_TRY(rdx_alloc(count, sizeof *needs, "the needs of queries", (void **)&needs, err));
  RDX_TRY(rdx_alloc(count, sizeof *plans, "the plans of queries", (void **)&plans, err));
  rdx_status status = plan_all(star, queries, count, plans, needs, &planned, err);
  if (status == RDX_OK)
    status = add_needed(star, needs, plans, count, err);
  if (status != RDX_OK) {
    while (star->cube_count > before)
      destroy_cube(&star->cubes[--star->cube_count]);
    star->stats = stats;
  }
  for (uint32_t i = 0; i < planned; i++)
    rdx_plan_destroy(&plans[i]);
  return status;
}

/* ---- Life ---- */

static rdx_status create(rdx_star *star, const rdx_relation *relation, const rdx_shared_parts *shared, rdx_error *err) {
  rdx_device *device = star->device;
  const uint64_t used = atomic_load(&device->memory_used);
  atomic_store(&device->memory_mark, used);
  RDX_TRY(rdx_packed_relation_create(device, relation, shared, &star->relation, err));
  star->stats.rows = star->relation->rows;
  star->stats.encode_ms = star->relation->encode_ms;
  star->stats.bytes_columns = rdx_packed_relation_bytes(star->relation);
  star->stats.bytes_peak = atomic_load(&device->memory_mark) - used;
  return star->ops->plain ? add_cube(star, NULL, err) : RDX_OK;
}

rdx_status rdx_star_create_sharing(rdx_device *device, const rdx_relation *relation, const rdx_shared_parts *shared,
                                   const rdx_star_params *params, rdx_star **out, rdx_error *err) {
  static const rdx_star_params defaults = {0};
  if (!device || !relation || !out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_star_create: device, relation and out must not be NULL");
  const rdx_star_params used = params ? *params : defaults;
  if ((size_t)used.method >= RDX_COUNT(methods))
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "unknown star method %d", (int)used.method);
  RDX_TRY(rdx_star_check_options(&used, err));
  const method_ops *ops = &methods[used.method];
  if (rdx_star_method_traces(used.method))
    RDX_TRY(rdx_device_check_tracing(device, ops->name, err));
  RDX_SCOPED(rdx_star_destroy) rdx_star *star = NULL;
  RDX_TRY(rdx_calloc(1, sizeof *star, "a star", (void **)&star, err));
  star->device = device;
  star->ops = ops;
  star->params = used;
  star->stats.method = used.method;
  RDX_TRY(create(star, relation, shared, err));
  *out = RDX_KEEP(star);
  return RDX_OK;
}

rdx_status rdx_star_create(rdx_device *device, const rdx_relation *relation, const rdx_star_params *params,
                           rdx_star **out, rdx_error *err) {
  return rdx_star_create_sharing(device, relation, NULL, params, out, err);
}

const rdx_packed_relation *rdx_star_relation(const rdx_star *star) {
  return star->relation;
}

uint64_t rdx_star_newest_tuples(const rdx_star *star) {
  const rdx_cube *newest = star->cube_count > 0 ? &star->cubes[star->cube_count - 1] : NULL;
  return newest && newest->ops->tuples ? newest->ops->tuples(newest->self) : 0;
}

void rdx_star_destroy(rdx_star **star) {
  if (!star || !*star)
    return;
  rdx_star *e = *star;
  for (uint32_t i = 0; i < e->cube_count; i++)
    destroy_cube(&e->cubes[i]);
  rdx_free(e->cubes);
  rdx_packed_relation_destroy(&e->relation);
  rdx_free(e);
  *star = NULL;
}

void rdx_star_get_stats(const rdx_star *star, rdx_star_stats *out) {
  *out = (rdx_star_stats){0};
  if (!star)
    return;
  *out = star->stats;
  out->bytes_columns = rdx_packed_relation_bytes(star->relation);
}

/* ---- Queries ---- */

/* Why no cube serves a query: what the one that lacks least lacks. */
static rdx_status fail_uncovered(const rdx_star *star, const rdx_needs *needs, rdx_error *err) {
  const rdx_cube *nearest = NULL;
  uint32_t min = UINT32_MAX;
  char text[sizeof err->text - 100];
  for (uint32_t i = 0; i < star->cube_count; i++) {
    const uint32_t lacks = rdx_spec_lacks(&star->cubes[i].spec, needs, star->relation, NULL, 0);
    if (lacks < min)
      nearest = &star->cubes[i];
    min = lacks < min ? lacks : min;
  }
  if (!nearest)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "the %s star has no cube yet; add one, or prepare the query",
                    star->ops->name);
  rdx_spec_lacks(&nearest->spec, needs, star->relation, text, sizeof text);
  return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "no cube has all that the query needs: %s lacks %s",
                  star->cube_count > 1 ? "the nearest" : "the only one", text);
}

/* RTCUDB, section 3.1 "selects the BVH for it". */
/* Of what has all that the plan needs, the one that is expected to be the fastest. */
static rdx_status choose_cube(const rdx_star *star, const rdx_plan *plan, const rdx_cube **out, rdx_error *err) {
  *out = star->cubes;
  if (!star->ops->cubed)
    return RDX_OK;
  rdx_needs needs;
  rdx_calibration rates;
  double best = 0;
  rdx_error why;
  const rdx_status needed = rdx_needs_of(plan->query, max_scan(star), &needs, &why);
  *out = NULL;
  if (star->cube_count > 1)
    rdx_device_get_calibration(star->device, &rates);
  for (uint32_t i = 0; i < star->cube_count; i++) {
    const rdx_cube *cube = &star->cubes[i];
    rdx_work work = {0};
    if (cube->ops != star->ops->plain &&
        (needed != RDX_OK || rdx_spec_lacks(&cube->spec, &needs, star->relation, NULL, 0) > 0))
      continue;
    if (star->cube_count > 1)
      cube->ops->work(cube->self, plan, &work);
    const double ms = star->cube_count > 1 ? rdx_work_ms(&rates, &work) : 0;
    if (!*out || ms < best) {
      *out = cube;
      best = ms;
    }
  }
  if (*out)
    return RDX_OK;
  return needed == RDX_OK ? fail_uncovered(star, &needs, err) : rdx_fail(err, needed, "%s", why.text);
}

/* Refuse a result that the host has no room for, beside its groups. */
static rdx_status expect_result(const rdx_star *star, const rdx_plan *plan, uint64_t groups, rdx_error *err) {
  char what[64];
  const uint64_t columns = plan->query->group_count + plan->query->aggregate_count;
  snprintf(what, sizeof what, "the %llu groups of a query take", (unsigned long long)groups);
  return rdx_device_expect_host(star->device, groups * columns * sizeof(uint64_t), what,
                                "group by fewer attributes, or by some with fewer values", err);
}

/* Find the groups of each part of a plan, which are all empty before. */
static rdx_status run_parts(const rdx_cube *cube, const rdx_plan *plan, rdx_groups *parts, double *device_ms,
                            rdx_error *err) {
  const uint32_t count = rdx_plan_parts(plan);
  for (uint32_t i = 0; i < count && !plan->empty; i++) {
    const rdx_plan part = rdx_plan_part(plan, i);
    rdx_star_call call = {.plan = &part, .out = &parts[i]};
    RDX_TRY(cube->ops->run(cube->self, &call, err));
    *device_ms += call.device_ms;
  }
  return rdx_groups_align(parts, count, err);
}

/* Run them again, to count what they do. */
static rdx_status count_parts(const rdx_cube *cube, const rdx_plan *plan, rdx_query_counts *out, rdx_error *err) {
  for (uint32_t i = 0; i < rdx_plan_parts(plan) && !plan->empty; i++) {
    const rdx_plan part = rdx_plan_part(plan, i);
    RDX_SCOPED(rdx_groups_drop) rdx_groups again = {0};
    rdx_star_call call = {.plan = &part, .out = &again, .counts = out};
    RDX_TRY(cube->ops->run(cube->self, &call, err));
  }
  return RDX_OK;
}

static rdx_status finish_parts(const rdx_star *star, const rdx_cube *cube, const rdx_plan *plan, double *device_ms,
                               rdx_query_result **out, rdx_error *err) {
  const uint32_t count = rdx_plan_parts(plan);
  rdx_groups one = {0}, *parts = &one;
  if (count > 1)
    RDX_TRY(rdx_calloc(count, sizeof *parts, "the groups of a query", (void **)&parts, err));
  rdx_status status = run_parts(cube, plan, parts, device_ms, err);
  if (status == RDX_OK)
    status = expect_result(star, plan, parts->count, err);
  if (status == RDX_OK)
    status = rdx_groups_finish(plan, parts, out, err);
  for (uint32_t i = 0; i < count; i++)
    rdx_groups_drop(&parts[i]);
  if (count > 1)
    rdx_free(parts);
  return status;
}

static rdx_status run_plan(const rdx_star *star, const rdx_plan *plan, bool stats, rdx_query_result **out,
                           rdx_error *err) {
  const double start = rdx_now_ms();
  const rdx_cube *cube = NULL;
  RDX_SCOPED(rdx_query_result_destroy) rdx_query_result *result = NULL;
  rdx_query_counts counts = {0};
  double device_ms = 0;
  RDX_TRY(choose_cube(star, plan, &cube, err));
  RDX_TRY(finish_parts(star, cube, plan, &device_ms, &result, err));
  const double end = rdx_now_ms();
  if (stats)
    RDX_TRY(count_parts(cube, plan, &counts, err));
  rdx_query_stats *s = &result->stats;
  s->method = cube->ops->method;
  s->rays = counts.rays;
  s->hits = counts.hits;
  s->rows = counts.rows;
  s->bytes = counts.bytes;
  s->scene_bytes = counts.scene_bytes;
  s->device_ms = device_ms;
  s->total_ms = end - start;
  *out = RDX_KEEP(result);
  return RDX_OK;
}

rdx_status rdx_star_run(const rdx_star *star, const rdx_query *query, const rdx_query_params *params,
                        rdx_query_result **out, rdx_error *err) {
  if (!star || !query || !out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_star_run: star, query and out must not be NULL");
  const double start = rdx_now_ms();
  RDX_SCOPED(rdx_plan_destroy) rdx_plan plan = {0};
  rdx_query_result *result = NULL;
  RDX_TRY(rdx_plan_create(star->relation, query, &plan, err));
  const double planned = rdx_now_ms() - start;
  RDX_TRY(run_plan(star, &plan, params && params->stats, &result, err));
  result->stats.total_ms += planned;
  *out = result;
  return RDX_OK;
}
