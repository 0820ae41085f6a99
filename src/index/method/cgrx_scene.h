/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_INDEX_CGRX_SCENE_H
#define RDX_INDEX_CGRX_SCENE_H

#include "index/method/sorted_keys.h"
#include "kernels/cgrx/cgrx.h"

/* What rays need to find the bucket of a key, whatever a bucket is. */
typedef struct rdx_cgrx_scene {
  rdx_device *device;
  uint32_t key_bits;
  cgrx_state shape;
  rdx_buffer *slots; /* of each triangle: see kernels/cgrx/cgrx_encode.h */
  rdx_buffer *state; /* the shape on the device */
  rdx_scene *scene;
} rdx_cgrx_scene;

/* Whether the device traces, and the options are known; the method that asks is named where not. */
RDX_MUST_USE rdx_status rdx_cgrx_check(const char *method, const rdx_device *device, const rdx_cgrx_params *params,
                                       rdx_error *err);

/* The same options with what `published` and the default layout stand for. */
rdx_cgrx_params rdx_cgrx_resolve(const rdx_cgrx_params *params);

/* Device bytes held at the peak of a build over `count` keys, the sorted keys not counted. */
uint64_t rdx_cgrx_scene_estimate(const rdx_device *device, const rdx_cgrx_params *params, uint64_t count);

/* Represent the buckets of sorted keys, naively (cgRX, section 3.2) or optimized (section 3.3). Sets what `stats` says
 * of scenes, and adds to encode_ms. On failure nothing is left to destroy. Whoever changes `shape` then uploads it. */
RDX_MUST_USE rdx_status rdx_cgrx_scene_create(const rdx_sorted_keys *sorted, const rdx_cgrx_params *params,
                                              bool optimized, rdx_index_stats *stats, rdx_cgrx_scene *out,
                                              rdx_error *err);
RDX_MUST_USE rdx_status rdx_cgrx_scene_upload(rdx_cgrx_scene *scene, rdx_error *err);
void rdx_cgrx_scene_destroy(rdx_cgrx_scene *scene);
uint64_t rdx_cgrx_scene_bytes(const rdx_cgrx_scene *scene);

#endif
