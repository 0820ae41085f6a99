/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_DEVICE_CPU_TRACE_H
#define RDX_DEVICE_CPU_TRACE_H

/* How C kernel bodies trace rays (Embree inside). */

#include "device/device.h"

/* Points origin + t * direction with tmin <= t <= tmax. */
typedef struct rdx_ray {
  float origin[3], tmin;
  float direction[3], tmax;
} rdx_ray;

/* Called for each primitive that ray `lane` hits (triangles) or whose box it may hit (boxes: the function itself
 * must test). `primitive` counts over all partitions. Return true to end the ray. */
typedef bool (*rdx_hit_fn)(void *context, uint32_t lane, uint32_t primitive);

/* Report every hit of `count` rays (any number; `lane` is the ray's position). `coherent`: neighbours run alike.
 * Each primitive is reported at most once per ray, in any order. */
void rdx_cpu_trace_all(const rdx_scene *scene, const rdx_ray *rays, uint32_t count, bool coherent, rdx_hit_fn hit,
                       void *context);

/* The same for one ray (lane 0) that hits much: the hits of a packet's ray cost up to twice as much. */
void rdx_cpu_trace_long(const rdx_scene *scene, const rdx_ray *ray, rdx_hit_fn hit, void *context);

/* Triangles only: primitive[lane] = the closest hit of each ray, or UINT32_MAX; back[lane] (NULL: not wanted) whether
 * that was a triangle's back side. */
void rdx_cpu_trace_closest(const rdx_scene *scene, const rdx_ray *rays, uint32_t count, bool coherent,
                           uint32_t *primitive, bool *back);

#endif
