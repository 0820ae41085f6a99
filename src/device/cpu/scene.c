/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Scenes and rays on the CPU: Embree. */

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "device/cpu/cpu.h"
#include "device/cpu/trace.h"
#include "device/cpu/recording.h"

typedef struct cpu_scene {
  rdx_scene base;
  RTCDevice embree;        /* one a scene, so that its memory can be told from that of others */
  RTCScene scene;          /* of the only partition, or of instances of all */
  RTCScene *parts;         /* one a partition; NULL: there is one, which is `scene` */
  RTCGeometry *instances;  /* of these; owned by `scene` */
  RTCGeometry *geometries; /* one a partition; owned by its scene */
  _Atomic int64_t bytes;   /* held by Embree, and reserved in the books */
  rdx_owner owner;         /* of the thread that builds it */
} cpu_scene;

/* What the callbacks find behind the pointer that Embree hands them. */
typedef struct trace {
#if RDX_EMBREE_VERSION == 4
  struct RTCRayQueryContext context;
#else
  struct RTCIntersectContext context;
#endif
  uint64_t partition_size;
  bool parts;
  rdx_hit_fn hit;
  void *user;
} trace;

/* ---- Callbacks ---- */

/* Embree's accessors for rays and hits of packets are for C++ alone; these are the arrays they read. */
static uint32_t ray_id(const struct RTCRayN *ray, unsigned n, unsigned i) {
  return ((const unsigned *)(const void *)ray)[10 * n + i];
}

static void end_ray(struct RTCRayN *ray, unsigned n, unsigned i) {
  ((float *)(void *)ray)[8 * n + i] = -INFINITY;
}

static uint64_t hit_primitive(const trace *t, const struct RTCHitN *hit, unsigned n, unsigned i) {
  const unsigned *words = (const unsigned *)(const void *)hit; /* the 6th is the primitive, the 8th the instance */
  return (t->parts ? words[7 * n + i] * t->partition_size : 0) + words[5 * n + i];
}

/* Embree asks before it takes memory and tells when it gave some back. */
static bool on_memory(void *user, ssize_t bytes, RDX_UNUSED bool post) {
  cpu_scene *s = user;
  if (bytes > 0 && rdx_device_reserve(s->base.device, (uint64_t)bytes, "a scene", NULL) != RDX_OK)
    return false;
  if (bytes < 0)
    rdx_device_release(s->base.device, (uint64_t)-bytes);
  atomic_fetch_add(&s->bytes, bytes);
  return true;
}

/* On whatever thread Embree has: the work is for the owner of the thread that called. */
static bool on_progress(void *user, double n) {
  const cpu_scene *s = user;
  const rdx_owner before = rdx_owner_use(s->owner);
  const rdx_status status = rdx_progress("build", (uint64_t)(n * 1000), 1000, NULL);
  (void)rdx_owner_use(before);
  return status == RDX_OK;
}

/* Report each hit; rejecting it makes Embree go on to the next. */
static void on_triangle(const struct RTCFilterFunctionNArguments *a) {
  const trace *t = (const trace *)(const void *)a->context;
  for (unsigned i = 0; i < a->N; i++) {
    if (!a->valid[i])
      continue;
    if (!t->hit(t->user, ray_id(a->ray, a->N, i), (uint32_t)hit_primitive(t, a->hit, a->N, i)))
      a->valid[i] = 0;
  }
}

/* Runs on Embree's threads while it builds. ThreadSanitizer does not see what orders these after the threads that wrote
 * the boxes, and takes very long to say so for each box. */
__attribute__((no_sanitize("thread"))) static void box_bounds(const struct RTCBoundsFunctionArguments *a) {
  const float *box = (const float *)a->geometryUserPtr + (uint64_t)a->primID * 6;
  *a->bounds_o = (struct RTCBounds){box[0], box[1], box[2], 0, box[3], box[4], box[5], 0};
}

static void on_box(const struct RTCOccludedFunctionNArguments *a) {
  const trace *t = (const trace *)(const void *)a->context;
  const uint64_t first = t->parts ? a->context->instID[0] * t->partition_size : 0;
  for (unsigned i = 0; i < a->N; i++)
    if (a->valid[i] && t->hit(t->user, ray_id(a->ray, a->N, i), (uint32_t)(first + a->primID)))
      end_ray(a->ray, a->N, i);
}

/* Boxes are only ever traced for all hits; Embree wants the other callback to be there. */
static void on_box_intersect(RDX_UNUSED const struct RTCIntersectFunctionNArguments *a) {}

/* ---- Building ---- */

static rdx_status embree_failed(const cpu_scene *s, const char *what, rdx_error *err) {
  const enum RTCError code = s->embree ? rtcGetDeviceError(s->embree) : rtcGetDeviceError(NULL);
  switch (code) {
  case RTC_ERROR_NONE:
    return RDX_OK;
  case RTC_ERROR_OUT_OF_MEMORY: {
    char a[32], b[32];
    return rdx_fail(
        err, RDX_ERROR_DEVICE_MEMORY,
        "%s: Embree needs more than the memory there is; %s of %s are in use. Use fewer keys, or a build for "
        "low memory",
        what, rdx_format_bytes(atomic_load(&s->base.device->memory_used), a),
        rdx_format_bytes(s->base.device->memory_limit ? s->base.device->memory_limit : s->base.device->info.memory, b));
  }
  case RTC_ERROR_CANCELLED:
    return rdx_fail(err, RDX_ERROR_CANCELLED, "cancelled during build");
  case RTC_ERROR_UNSUPPORTED_CPU:
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "%s: Embree does not support this CPU", what);
  default:
    if (!s->embree) /* a thread key each, of which a process has 1024 */
      return rdx_fail(err, RDX_ERROR_UNSUPPORTED,
                      "%s: Embree reports error %d; a process has room for about 1000 scenes, and some may be in use",
                      what, (int)code);
    return rdx_fail(err, RDX_ERROR_INTERNAL, "%s: Embree reports error %d", what, (int)code);
  }
}

static rdx_status set_triangles(cpu_scene *s, RTCGeometry g, rdx_buffer *primitives, uint64_t first, uint64_t count,
                                rdx_error *err) {
  rtcSetSharedGeometryBuffer(g, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, RDX_ADDRESS(float, primitives),
                             first * 36, 12, 3 * count);
  uint32_t *index = rtcSetNewGeometryBuffer(g, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 12, count);
  RDX_TRY(embree_failed(s, "setting the triangles of a scene", err));
  for (uint64_t i = 0; i < 3 * count; i++) {
    index[i] = (uint32_t)i;
    RDX_TRY(rdx_loop_goes_on(i, 3 * count, "build", err));
  }
  rtcSetGeometryOccludedFilterFunction(g, on_triangle);
  return RDX_OK;
}

/* HIGH splits triangles that are in each other's way. */
static enum RTCBuildQuality quality_of(const rdx_scene_params *params) {
  if (params->splits && params->kind == RDX_SCENE_TRIANGLES && params->preference <= RDX_BUILD_FAST_TRACE)
    return RTC_BUILD_QUALITY_HIGH;
  return params->preference == RDX_BUILD_FAST_BUILD ? RTC_BUILD_QUALITY_LOW : RTC_BUILD_QUALITY_MEDIUM;
}

static rdx_status add_partition(cpu_scene *s, uint32_t i, rdx_error *err) {
  const rdx_scene_params *p = &s->base.params;
  const uint64_t first = i * s->base.partition_size;
  const uint64_t count = p->count - first < s->base.partition_size ? p->count - first : s->base.partition_size;
  const bool triangles = p->kind == RDX_SCENE_TRIANGLES;
  RTCGeometry g = rtcNewGeometry(s->embree, triangles ? RTC_GEOMETRY_TYPE_TRIANGLE : RTC_GEOMETRY_TYPE_USER);
  if (!g)
    return embree_failed(s, "making a scene", err);
  rdx_status status = RDX_OK;
  if (triangles) {
    status = set_triangles(s, g, p->primitives, first, count, err);
  } else {
    rtcSetGeometryUserPrimitiveCount(g, (unsigned)count);
    rtcSetGeometryUserData(g, RDX_ADDRESS(float, p->primitives) + first * 6);
    rtcSetGeometryBoundsFunction(g, box_bounds, NULL);
    rtcSetGeometryOccludedFunction(g, on_box);
    rtcSetGeometryIntersectFunction(g, on_box_intersect);
  }
  rtcSetGeometryBuildQuality(g, p->updatable ? RTC_BUILD_QUALITY_REFIT : quality_of(p));
  rtcCommitGeometry(g);
  rtcAttachGeometryByID(s->parts ? s->parts[i] : s->scene, g, s->parts ? 0 : i);
  rtcReleaseGeometry(g); /* the scene holds it now */
  s->geometries[i] = g;
  return status == RDX_OK ? embree_failed(s, "making a scene", err) : status;
}

static rdx_status commit(cpu_scene *s, rdx_error *err) {
  const double start = rdx_now_ms();
  s->owner = rdx_owner_current();
  for (uint32_t i = 0; i < s->base.partitions && s->parts; i++) {
    rtcCommitScene(s->parts[i]);
    rtcCommitGeometry(s->instances[i]);
    RDX_TRY(embree_failed(s, "building a part of a scene", err));
  }
  rtcCommitScene(s->scene);
  s->base.build_ms = rdx_now_ms() - start;
  RDX_TRY(embree_failed(s, "building a scene", err));
  s->base.bytes = (uint64_t)atomic_load(&s->bytes) + s->base.params.primitives->size;
  s->base.bytes_built = s->base.bytes;
  return RDX_OK;
}

/* RX, section 3.6 "the existing bounding volumes are merely adjusted". */
static rdx_status new_scene(cpu_scene *s, RTCScene *out, rdx_error *err) {
  const rdx_scene_params *p = &s->base.params;
  enum RTCSceneFlags flags = RTC_SCENE_FLAG_NONE;
  *out = rtcNewScene(s->embree);
  if (!*out)
    return embree_failed(s, "making a scene", err);
  if (p->preference == RDX_BUILD_LOW_MEMORY)
    flags |= RTC_SCENE_FLAG_COMPACT;
  if (p->updatable)
    flags |= RTC_SCENE_FLAG_DYNAMIC;
  rtcSetSceneFlags(*out, flags);
  /* What is to be refitted takes a tree of the trees of geometries, which LOW makes: others are built anew. */
  rtcSetSceneBuildQuality(*out, p->updatable ? RTC_BUILD_QUALITY_LOW : quality_of(p));
  rtcSetSceneProgressMonitorFunction(*out, on_progress, s);
  return RDX_OK;
}

/* thesis, Algorithm 5 "Sub-BVH Construction and IAS Management". */
/* A scene for a partition, and its instance, which stays where it is. */
static rdx_status new_part(cpu_scene *s, uint32_t i, rdx_error *err) {
  static const float identity[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
  RDX_TRY(new_scene(s, &s->parts[i], err));
  RTCGeometry g = rtcNewGeometry(s->embree, RTC_GEOMETRY_TYPE_INSTANCE);
  if (!g)
    return embree_failed(s, "making a scene", err);
  rtcSetGeometryInstancedScene(g, s->parts[i]);
  rtcSetGeometryTransform(g, 0, RTC_FORMAT_FLOAT3X4_COLUMN_MAJOR, identity);
  rtcAttachGeometryByID(s->scene, g, i);
  rtcReleaseGeometry(g); /* the scene holds it now */
  s->instances[i] = g;
  return embree_failed(s, "making a scene", err);
}

/* Embree's scheduler ends the program where a thread does not start: while a scene is built or, of one thread, when its
 * device is released and more are allowed again. Once it has its threads they stay. */
static rdx_status start_embree(cpu_scene *s, rdx_error *err) {
  static _Atomic bool threads_start;
  const uint32_t threads = rdx_pool_limited(((rdx_cpu_device *)s->base.device)->pool), cores = rdx_usable_cores();
  const uint32_t most = threads > cores ? threads : cores;
  char config[64];
  if (!atomic_load(&threads_start))
    RDX_TRY(rdx_threads_check(most > 1 ? most - 1 : 1, "Embree", err));
  atomic_store(&threads_start, true);
  snprintf(config, sizeof config, "threads=%u", threads);
  s->embree = rtcNewDevice(config);
  return RDX_OK;
}

static rdx_status create_parts(cpu_scene *s, rdx_error *err) {
  const uint32_t partitions = s->base.partitions;
  RDX_TRY(start_embree(s, err));
  if (!s->embree)
    return embree_failed(s, "starting Embree", err);
  rtcSetDeviceMemoryMonitorFunction(s->embree, on_memory, s);
  RDX_TRY(new_scene(s, &s->scene, err));
  RDX_TRY(rdx_calloc(partitions, sizeof *s->geometries, "a scene", (void **)&s->geometries, err));
  if (partitions > 1) {
    RDX_TRY(rdx_calloc(partitions, sizeof *s->instances, "a scene", (void **)&s->instances, err));
    RDX_TRY(rdx_calloc(partitions, sizeof *s->parts, "a scene", (void **)&s->parts, err));
  }
  for (uint32_t i = 0; i < partitions; i++) {
    if (s->parts)
      RDX_TRY(new_part(s, i, err));
    RDX_TRY(add_partition(s, i, err));
  }
  RDX_TRY(commit(s, err));
  s->base.address = (uint64_t)(uintptr_t)s->scene;
  return RDX_OK;
}

rdx_status rdx_cpu_scene_create(rdx_device *device, const rdx_scene_params *params, uint64_t partition_size,
                                uint32_t partitions, rdx_scene **out, rdx_error *err) {
  cpu_scene *s = NULL;
  RDX_TRY(rdx_calloc(1, sizeof *s, "a scene", (void **)&s, err));
  s->base =
      (rdx_scene){.device = device, .params = *params, .partition_size = partition_size, .partitions = partitions};
  s->base.params.primitives = NULL;
  if (partitions > 0) { /* an empty scene needs no Embree */
    s->base.params.primitives = rdx_buffer_retain(params->primitives);
    rdx_status status = create_parts(s, err);
    if (status != RDX_OK) {
      rdx_cpu_scene_destroy(&s->base);
      return status;
    }
  }
  if (device->recording && partitions > 0)
    rdx_record_scene(device->recording, &s->base, RDX_ADDRESS(float, params->primitives));
  *out = &s->base;
  return RDX_OK;
}

/* Let the geometries have these primitives, as many as before. */
static void move_to(cpu_scene *s, rdx_buffer *primitives) {
  const rdx_scene *scene = &s->base;
  for (uint32_t i = 0; i < scene->partitions; i++) {
    RTCGeometry g = s->geometries[i];
    const uint64_t first = i * scene->partition_size, rest = scene->params.count - first;
    const uint64_t count = rest < scene->partition_size ? rest : scene->partition_size;
    if (scene->params.kind == RDX_SCENE_TRIANGLES) {
      rtcSetSharedGeometryBuffer(g, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, RDX_ADDRESS(float, primitives),
                                 first * 36, 12, 3 * count);
      rtcUpdateGeometryBuffer(g, RTC_BUFFER_TYPE_VERTEX, 0);
    } else {
      rtcSetGeometryUserData(g, RDX_ADDRESS(float, primitives) + first * 6);
    }
    rtcCommitGeometry(g);
  }
}

static void set_progress(cpu_scene *s, bool (*progress)(void *user, double n)) {
  for (uint32_t i = 0; i < s->base.partitions && s->parts; i++)
    rtcSetSceneProgressMonitorFunction(s->parts[i], progress, s);
  rtcSetSceneProgressMonitorFunction(s->scene, progress, s);
}

/* RX, section 3.6 "in-place updates to bounding volume hierarchies". */
/* A commit that fails or is cancelled leaves nothing to trace: then the old primitives come back, whatever it takes. */
rdx_status rdx_cpu_scene_refit(rdx_scene *scene, rdx_buffer *primitives, rdx_error *err) {
  cpu_scene *s = (cpu_scene *)scene;
  if (scene->partitions == 0)
    return RDX_OK;
  move_to(s, primitives);
  set_progress(s, on_progress);
  const rdx_status status = commit(s, err);
  if (status != RDX_OK) {
    rdx_error ignored;
    move_to(s, scene->params.primitives);
    set_progress(s, NULL);
    if (commit(s, &ignored) != RDX_OK)
      return rdx_fail(err, RDX_ERROR_INTERNAL, "a refit failed, and so did going back: the index is lost");
    return status;
  }
  rdx_buffer_destroy(&scene->params.primitives);
  scene->params.primitives = rdx_buffer_retain(primitives);
  return RDX_OK;
}

void rdx_cpu_scene_destroy(rdx_scene *scene) {
  cpu_scene *s = (cpu_scene *)scene;
  if (scene->device->recording)
    rdx_record_scene_end(scene->device->recording, scene);
  if (s->scene)
    rtcReleaseScene(s->scene);
  for (uint32_t i = 0; i < scene->partitions && s->parts; i++)
    if (s->parts[i])
      rtcReleaseScene(s->parts[i]);
  if (s->embree) {
    rtcSetDeviceMemoryMonitorFunction(s->embree, NULL, NULL);
    rtcReleaseDevice(s->embree);
  }
  rdx_device_release(scene->device, (uint64_t)atomic_load(&s->bytes));
  rdx_buffer_destroy(&scene->params.primitives);
  RDX_FREE_ALL(s->geometries, s->instances, s->parts, s);
}

/* Measured: Embree's trees take 44 (compact) to 83 bytes a triangle, and half as much again while they are built. */
uint64_t rdx_cpu_scene_estimate(RDX_UNUSED const rdx_device *device, const rdx_scene_params *params) {
  const uint64_t each = params->preference == RDX_BUILD_LOW_MEMORY ? 60 : 85;
  return params->count * (each + each / 2 + 12);
}

/* ---- Tracing ---- */

/* Hits on their way to a method, which a recording hears of. */
typedef struct tap {
  rdx_recording *recording;
  uint64_t first; /* number of the first ray */
  rdx_hit_fn hit;
  void *context;
} tap;

static bool on_tapped(void *context, uint32_t lane, uint32_t primitive) {
  const tap *t = context;
  rdx_record_hit(t->recording, t->first + lane, primitive);
  return t->hit(t->context, lane, primitive);
}

static trace start_trace(const cpu_scene *s, rdx_hit_fn hit, void *user) {
  trace t = {.partition_size = s->base.partition_size, .parts = s->parts != NULL, .hit = hit, .user = user};
#if RDX_EMBREE_VERSION == 4
  rtcInitRayQueryContext(&t.context);
#else
  rtcInitIntersectContext(&t.context);
#endif
  return t;
}

/* Embree 3 never comes back from coherent packets in instances. */
static void occluded_16(const cpu_scene *s, trace *t, const int *valid, struct RTCRay16 *rays, bool coherent) {
  coherent &= !t->parts;
#if RDX_EMBREE_VERSION == 4
  struct RTCOccludedArguments arguments;
  rtcInitOccludedArguments(&arguments);
  arguments.context = &t->context;
  arguments.flags = coherent ? RTC_RAY_QUERY_FLAG_COHERENT : RTC_RAY_QUERY_FLAG_INCOHERENT;
  rtcOccluded16(valid, s->scene, rays, &arguments);
#else
  t->context.flags = coherent ? RTC_INTERSECT_CONTEXT_FLAG_COHERENT : RTC_INTERSECT_CONTEXT_FLAG_INCOHERENT;
  rtcOccluded16(valid, s->scene, &t->context, rays);
#endif
}

static void occluded_1(const cpu_scene *s, trace *t, struct RTCRay *ray) {
#if RDX_EMBREE_VERSION == 4
  struct RTCOccludedArguments arguments;
  rtcInitOccludedArguments(&arguments);
  arguments.context = &t->context;
  rtcOccluded1(s->scene, ray, &arguments);
#else
  rtcOccluded1(s->scene, &t->context, ray);
#endif
}

static void intersect_16(const cpu_scene *s, trace *t, const int *valid, struct RTCRayHit16 *rays, bool coherent) {
  coherent &= !t->parts;
#if RDX_EMBREE_VERSION == 4
  struct RTCIntersectArguments arguments;
  rtcInitIntersectArguments(&arguments);
  arguments.context = &t->context;
  arguments.flags = coherent ? RTC_RAY_QUERY_FLAG_COHERENT : RTC_RAY_QUERY_FLAG_INCOHERENT;
  rtcIntersect16(valid, s->scene, rays, &arguments);
#else
  t->context.flags = coherent ? RTC_INTERSECT_CONTEXT_FLAG_COHERENT : RTC_INTERSECT_CONTEXT_FLAG_INCOHERENT;
  rtcIntersect16(valid, s->scene, &t->context, rays);
#endif
}

/* Transpose up to 16 rays, number them from `first`, and mark which of the 16 places are in use: by `valid`, and by an
 * end before the beginning, because Embree takes packets of 16 apart on CPUs without AVX-512 and then looks at that
 * alone. */
static void load_rays(struct RTCRay16 *out, int *valid, const rdx_ray *rays, uint32_t first, uint32_t count) {
  for (uint32_t i = 0; i < 16; i++) {
    const rdx_ray *r = &rays[first + (i < count ? i : 0)];
    valid[i] = i < count ? -1 : 0;
    out->org_x[i] = r->origin[0];
    out->org_y[i] = r->origin[1];
    out->org_z[i] = r->origin[2];
    out->tnear[i] = r->tmin;
    out->dir_x[i] = r->direction[0];
    out->dir_y[i] = r->direction[1];
    out->dir_z[i] = r->direction[2];
    out->tfar[i] = i < count ? r->tmax : -INFINITY;
    out->time[i] = 0;
    out->mask[i] = UINT32_MAX;
    out->id[i] = first + i;
    out->flags[i] = 0;
  }
}

void rdx_cpu_trace_all(const rdx_scene *scene, const rdx_ray *rays, uint32_t count, bool coherent, rdx_hit_fn hit,
                       void *context) {
  const cpu_scene *s = (const cpu_scene *)scene;
  if (!s->scene)
    return;
  tap tapped = {.recording = scene->device->recording, .hit = hit, .context = context};
  if (tapped.recording)
    tapped.first = rdx_record_rays(tapped.recording, scene, rays, count);
  trace t = tapped.recording ? start_trace(s, on_tapped, &tapped) : start_trace(s, hit, context);
  for (uint32_t first = 0; first < count; first += 16) {
    _Alignas(64) struct RTCRay16 packet;
    _Alignas(64) int valid[16];
    load_rays(&packet, valid, rays, first, count - first < 16 ? count - first : 16);
    occluded_16(s, &t, valid, &packet, coherent);
  }
}

void rdx_cpu_trace_long(const rdx_scene *scene, const rdx_ray *ray, rdx_hit_fn hit, void *context) {
  const cpu_scene *s = (const cpu_scene *)scene;
  if (!s->scene)
    return;
  tap tapped = {.recording = scene->device->recording, .hit = hit, .context = context};
  if (tapped.recording)
    tapped.first = rdx_record_rays(tapped.recording, scene, ray, 1);
  trace t = tapped.recording ? start_trace(s, on_tapped, &tapped) : start_trace(s, hit, context);
  _Alignas(16) struct RTCRay r = {.org_x = ray->origin[0],
                                  .org_y = ray->origin[1],
                                  .org_z = ray->origin[2],
                                  .tnear = ray->tmin,
                                  .dir_x = ray->direction[0],
                                  .dir_y = ray->direction[1],
                                  .dir_z = ray->direction[2],
                                  .tfar = ray->tmax,
                                  .mask = UINT32_MAX};
  occluded_1(s, &t, &r);
}

void rdx_cpu_trace_closest(const rdx_scene *scene, const rdx_ray *rays, uint32_t count, bool coherent,
                           uint32_t *primitive, bool *back) {
  const cpu_scene *s = (const cpu_scene *)scene;
  memset(primitive, 0xff, count * sizeof *primitive);
  if (!s->scene)
    return;
  rdx_recording *recording = scene->device->recording;
  const uint64_t number = recording ? rdx_record_rays(recording, scene, rays, count) : 0;
  trace t = start_trace(s, NULL, NULL);
  for (uint32_t first = 0; first < count; first += 16) {
    _Alignas(64) struct RTCRayHit16 packet;
    _Alignas(64) int valid[16];
    const uint32_t n = count - first < 16 ? count - first : 16;
    load_rays(&packet.ray, valid, rays, first, n);
    for (uint32_t i = 0; i < 16; i++) {
      packet.hit.geomID[i] = RTC_INVALID_GEOMETRY_ID;
      packet.hit.primID[i] = RTC_INVALID_GEOMETRY_ID;
      packet.hit.instID[0][i] = RTC_INVALID_GEOMETRY_ID;
    }
    intersect_16(s, &t, valid, &packet, coherent);
    for (uint32_t i = 0; i < n; i++) {
      if (packet.hit.geomID[i] == RTC_INVALID_GEOMETRY_ID)
        continue;
      const float *d = rays[first + i].direction;
      const uint64_t part = s->parts ? packet.hit.instID[0][i] : 0;
      primitive[first + i] = (uint32_t)(part * s->base.partition_size + packet.hit.primID[i]);
      if (recording)
        rdx_record_hit(recording, number + first + i, primitive[first + i]);
      if (back)
        back[first + i] = packet.hit.Ng_x[i] * d[0] + packet.hit.Ng_y[i] * d[1] + packet.hit.Ng_z[i] * d[2] > 0;
    }
  }
}
