/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_DEVICE_CPU_CPU_H
#define RDX_DEVICE_CPU_CPU_H

/* What the files of the CPU back end share. */

#include "device/device.h"

#if RDX_EMBREE_VERSION == 4
#include <embree4/rtcore.h>
#else
#include <embree3/rtcore.h>
#endif

typedef struct rdx_cpu_device {
  rdx_device base;
  rdx_pool *pool;
  bool shares_pool; /* with another device, whose it is */
} rdx_cpu_device;

rdx_status rdx_cpu_scene_create(rdx_device *device, const rdx_scene_params *params, uint64_t partition_size,
                                uint32_t partitions, rdx_scene **out, rdx_error *err);
rdx_status rdx_cpu_scene_refit(rdx_scene *scene, rdx_buffer *primitives, rdx_error *err);
void rdx_cpu_scene_destroy(rdx_scene *scene);
uint64_t rdx_cpu_scene_estimate(const rdx_device *device, const rdx_scene_params *params);

rdx_status rdx_cpu_sort(rdx_stream *stream, rdx_buffer *keys, uint32_t key_bytes, uint32_t key_bits, rdx_buffer *values,
                        uint64_t count, rdx_error *err);
uint64_t rdx_cpu_sort_bytes(const rdx_device *device, uint64_t count, uint32_t key_bytes);
rdx_status rdx_cpu_scan(rdx_stream *stream, const rdx_buffer *in, rdx_buffer *out, uint64_t count, rdx_error *err);
rdx_status rdx_cpu_scan_wide(rdx_stream *stream, rdx_buffer *sums, uint64_t count, rdx_error *err);
rdx_status rdx_cpu_reduce(rdx_stream *stream, rdx_reduce_op op, const rdx_buffer *in, uint32_t value_bytes,
                          rdx_buffer *out, uint64_t count, rdx_error *err);
rdx_status rdx_cpu_select(rdx_stream *stream, const rdx_buffer *bits, rdx_buffer *out, rdx_buffer *out_count,
                          uint64_t count, rdx_error *err);
rdx_status rdx_cpu_unique(rdx_stream *stream, const rdx_buffer *keys, uint32_t key_bytes, uint32_t shift,
                          rdx_buffer *out, rdx_buffer *out_count, uint64_t count, rdx_error *err);

#endif
