/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_DEVICE_CPU_RECORDING_H
#define RDX_DEVICE_CPU_RECORDING_H

/* What back ends tell a recording. Whatever it has no room for it leaves out. */

#include <raydex/recording.h>

#include "device/cpu/trace.h"

/* A scene was built of these coordinates. */
void rdx_record_scene(rdx_recording *recording, const rdx_scene *scene, const float *coordinates);

/* The scene is gone: another one may have its address. */
void rdx_record_scene_end(rdx_recording *recording, const rdx_scene *scene);

/* Rays are cast. Returns the number of the first. */
uint64_t rdx_record_rays(rdx_recording *recording, const rdx_scene *scene, const rdx_ray *rays, uint32_t count);

/* A ray was reported to meet a primitive. */
void rdx_record_hit(rdx_recording *recording, uint64_t ray, uint32_t primitive);

#endif
