/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Recordings of scenes, rays and hits. Threads trace at the same time: what they tell comes one after the other. */

#include "device/cpu/recording.h"

#include <pthread.h>
#include <string.h>

#define MAX_SCENES 64

struct rdx_recording {
  rdx_device *device;
  pthread_mutex_t lock;
  const rdx_scene *known[MAX_SCENES]; /* NULL: it is gone */
  float *coordinates[MAX_SCENES];
  rdx_recorded_scene scenes[MAX_SCENES];
  uint32_t scene_count;
  rdx_recorded_ray *rays;
  rdx_recorded_hit *hits;
  uint64_t ray_count, hit_count;
  bool incomplete;
};

rdx_status rdx_recording_start(rdx_device *device, rdx_recording **out, rdx_error *err) {
  if (!device || !out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_recording_start: device and out must not be NULL");
  if (device->info.backend != RDX_BACKEND_CPU)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "scenes and rays are recorded on the CPU only; %s is none: use cpu",
                    device->info.name);
  if (device->recording)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "the device records already: stop that recording first");
  RDX_SCOPED(rdx_recording_stop) rdx_recording *r = NULL;
  RDX_TRY(rdx_calloc(1, sizeof *r, "a recording", (void **)&r, err));
  pthread_mutex_init(&r->lock, NULL);
  r->device = device;
  RDX_TRY(rdx_alloc(RDX_RECORDING_MAX, sizeof *r->rays, "a recording", (void **)&r->rays, err));
  RDX_TRY(rdx_alloc(RDX_RECORDING_MAX, sizeof *r->hits, "a recording", (void **)&r->hits, err));
  device->recording = r;
  *out = RDX_KEEP(r);
  return RDX_OK;
}

void rdx_recording_stop(rdx_recording **recording) {
  if (!recording || !*recording)
    return;
  rdx_recording *r = *recording;
  if (r->device->recording == r)
    r->device->recording = NULL;
  for (uint32_t i = 0; i < r->scene_count; i++)
    rdx_free(r->coordinates[i]);
  pthread_mutex_destroy(&r->lock);
  RDX_FREE_ALL(r->rays, r->hits, r);
  *recording = NULL;
}

rdx_recording_view rdx_recording_get(const rdx_recording *r) {
  if (!r)
    return (rdx_recording_view){0};
  return (rdx_recording_view){.scene_count = r->scene_count,
                              .scenes = r->scenes,
                              .ray_count = r->ray_count,
                              .rays = r->rays,
                              .hit_count = r->hit_count,
                              .hits = r->hits,
                              .incomplete = r->incomplete};
}

void rdx_recording_forget_rays(rdx_recording *r) {
  if (r)
    r->ray_count = r->hit_count = 0;
}

/* ---- What back ends tell ---- */

static uint64_t words_of(const rdx_scene *scene) {
  return scene->params.count * (scene->params.kind == RDX_SCENE_BOXES ? 6 : 9);
}

static void add_scene(rdx_recording *r, const rdx_scene *scene, const float *coordinates) {
  const uint32_t i = r->scene_count;
  r->incomplete |= i == MAX_SCENES || scene->params.count > RDX_RECORDING_MAX;
  if (i == MAX_SCENES || scene->params.count > RDX_RECORDING_MAX)
    return;
  const rdx_status status =
      rdx_alloc(words_of(scene), sizeof *coordinates, "a recording", (void **)&r->coordinates[i], NULL);
  if (status != RDX_OK) {
    r->incomplete = true;
    return;
  }
  memcpy(r->coordinates[i], coordinates, words_of(scene) * sizeof *coordinates);
  r->known[i] = scene;
  r->scenes[i] = (rdx_recorded_scene){
      .boxes = scene->params.kind == RDX_SCENE_BOXES, .count = scene->params.count, .coordinates = r->coordinates[i]};
  r->scene_count++;
}

void rdx_record_scene(rdx_recording *r, const rdx_scene *scene, const float *coordinates) {
  RDX_LOCKED(&r->lock);
  add_scene(r, scene, coordinates);
}

/* The number of a scene; scene_count: it is not recorded. */
static uint32_t find(const rdx_recording *r, const rdx_scene *scene) {
  uint32_t i = 0;
  while (i < r->scene_count && r->known[i] != scene)
    i++;
  return i;
}

void rdx_record_scene_end(rdx_recording *r, const rdx_scene *scene) {
  RDX_LOCKED(&r->lock);
  const uint32_t i = find(r, scene);
  if (i < r->scene_count)
    r->known[i] = NULL;
}

uint64_t rdx_record_rays(rdx_recording *r, const rdx_scene *scene, const rdx_ray *rays, uint32_t count) {
  RDX_LOCKED(&r->lock);
  const uint64_t first = r->ray_count, capacity = RDX_RECORDING_MAX - first;
  const uint32_t number = find(r, scene);
  r->incomplete |= count > capacity;
  for (uint32_t i = 0; i < count && i < capacity; i++) {
    rdx_recorded_ray *out = &r->rays[first + i];
    *out = (rdx_recorded_ray){.scene = number, .tmin = rays[i].tmin, .tmax = rays[i].tmax};
    memcpy(out->origin, rays[i].origin, sizeof out->origin);
    memcpy(out->direction, rays[i].direction, sizeof out->direction);
  }
  r->ray_count += count < capacity ? count : capacity;
  return first;
}

/* Whether a ray and a box have a point in common. */
static bool meets(const rdx_recorded_ray *ray, const float *box) {
  float low = ray->tmin, high = ray->tmax;
  for (uint32_t k = 0; k < 3; k++) {
    const float origin = ray->origin[k], direction = ray->direction[k];
    if (direction == 0 && (origin < box[k] || origin > box[3 + k]))
      return false;
    if (direction == 0)
      continue;
    const float a = (box[k] - origin) / direction, b = (box[3 + k] - origin) / direction;
    low = (a < b ? a : b) > low ? (a < b ? a : b) : low;
    high = (a < b ? b : a) < high ? (a < b ? b : a) : high;
  }
  return low <= high;
}

static void add_hit(rdx_recording *r, uint64_t ray, uint32_t primitive) {
  if (ray >= r->ray_count || r->rays[ray].scene >= r->scene_count)
    return;
  const rdx_recorded_scene *scene = &r->scenes[r->rays[ray].scene];
  if (primitive >= scene->count || (scene->boxes && !meets(&r->rays[ray], scene->coordinates + 6ul * primitive)))
    return;
  r->incomplete |= r->hit_count == RDX_RECORDING_MAX;
  if (r->hit_count < RDX_RECORDING_MAX)
    r->hits[r->hit_count++] = (rdx_recorded_hit){ray, primitive};
}

void rdx_record_hit(rdx_recording *r, uint64_t ray, uint32_t primitive) {
  RDX_LOCKED(&r->lock);
  add_hit(r, ray, primitive);
}
