/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RAYDEX_RECORDING_H
#define RAYDEX_RECORDING_H

/**
 * Recordings: the primitives of the scenes that methods build on a CPU, the rays of queries, and their hits.
 *
 * - Shapes: for pictures of small scenes (`raydex draw`) and for looking at what a method does.
 * - Ownership: the arrays of a view are the recording's, until its next use; stop it before its device is closed.
 * - Errors: RDX_ERROR_UNSUPPORTED where the device is no CPU, RDX_ERROR_ARGUMENT where it records already.
 * - Threads: a recording may be read while nothing runs on its device.
 *
 * Example:
 *
 *     const uint32_t numbers[] = {4, 8, 15};
 *     const rdx_column column = {.type = RDX_TYPE_U32, .rows = 3, .values = numbers};
 *     rdx_recording *recording = NULL;
 *     rdx_index *index = NULL;
 *     status = rdx_recording_start(device, &recording, &err);
 *     if (status == RDX_OK)
 *       status = rdx_index_create(device, &column, &(rdx_index_params){.method = RDX_INDEX_RX}, &index, &err);
 *     if (status == RDX_OK)
 *       printf("%d triangles\n", (int)rdx_recording_get(recording).scenes[0].count);
 *     rdx_index_destroy(&index);
 *     rdx_recording_stop(&recording);
 */

#include <raydex/device.h>
#include <raydex/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A scene as it was built. */
typedef struct rdx_recorded_scene {
  bool boxes;               /**< else triangles */
  uint64_t count;           /**< of primitives */
  const float *coordinates; /**< of a triangle its corners (9), of a box its lowest and its highest corner (6) */
} rdx_recorded_scene;

/** A ray: the points origin + t * direction, with t from `tmin` to `tmax`. */
typedef struct rdx_recorded_ray {
  uint32_t scene;
  float origin[3], tmin;
  float direction[3], tmax;
} rdx_recorded_ray;

/** A primitive that a ray meets and that was reported to the method, of a box only if the ray does meet it. */
typedef struct rdx_recorded_hit {
  uint64_t ray;
  uint32_t primitive;
} rdx_recorded_hit;

typedef struct rdx_recording rdx_recording;

/** All that was recorded so far, in the order in which it came; the arrays are the recording's, until its next use. */
typedef struct rdx_recording_view {
  uint32_t scene_count;
  const rdx_recorded_scene *scenes;
  uint64_t ray_count;
  const rdx_recorded_ray *rays;
  uint64_t hit_count;
  const rdx_recorded_hit *hits;
  bool incomplete; /**< more than RDX_RECORDING_MAX of something, or too little memory: the rest is left out */
} rdx_recording_view;

/** Primitives of a scene, rays and hits that are recorded at most. */
#define RDX_RECORDING_MAX 65536

/**
 * Record what happens on a device from now on. RDX_ERROR_UNSUPPORTED where that is no CPU, RDX_ERROR_ARGUMENT where it
 * records already. Stop the recording before the device is closed.
 */
RDX_API RDX_MUST_USE rdx_status rdx_recording_start(rdx_device *device, rdx_recording **out, rdx_error *err);

/** Look at what was recorded. */
RDX_API rdx_recording_view rdx_recording_get(const rdx_recording *recording);

/** Forget the rays and hits so far; scenes stay. For methods that cast rays while they are built. */
RDX_API void rdx_recording_forget_rays(rdx_recording *recording);

/** End `*recording`, free it and clear it. NULL and a cleared handle are fine. */
RDX_API void rdx_recording_stop(rdx_recording **recording);

#ifdef __cplusplus
}
#endif
#endif
