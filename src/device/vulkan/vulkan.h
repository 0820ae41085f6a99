/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_DEVICE_VULKAN_VULKAN_H
#define RDX_DEVICE_VULKAN_VULKAN_H

/* What the files of the Vulkan back end share. */

#include <pthread.h>

#include "device/device.h"
#include "device/vulkan/loader.h"

/* ---- What a physical device offers (physical.c) ---- */

typedef struct rdx_vk_physical {
  VkPhysicalDevice handle;
  uint32_t vendor; /* of PCI */
  uint32_t queue_family;
  uint32_t timestamp_bits;
  float timestamp_period; /* nanoseconds per tick */
  uint32_t subgroup_size;
  uint32_t max_groups;                       /* workgroups in one dispatch */
  uint32_t shared_memory;                    /* bytes of a workgroup */
  uint32_t max_threads;                      /* of a workgroup */
  uint32_t handle_size;                      /* of a shader group */
  uint32_t handle_alignment, base_alignment; /* of the shader binding table */
  uint32_t scratch_alignment;                /* of acceleration structure builds */
  bool ray_tracing;
  bool primitive_culling; /* a pipeline may skip triangles or boxes */
  bool f64, atomic_u64;
  uint8_t cache_uuid[VK_UUID_SIZE];
  VkPhysicalDeviceMemoryProperties memory;
  rdx_device_info info;
} rdx_vk_physical;

/* Describe the usable physical devices of an instance; `*out` is freed with rdx_free(). */
RDX_MUST_USE rdx_status rdx_vk_list(const rdx_vk_instance *instance, rdx_vk_physical **out, uint32_t *out_count,
                                    rdx_error *err);

/* ---- Memory (memory.c) ---- */

typedef struct rdx_vk_block rdx_vk_block;
typedef struct rdx_vk_spare rdx_vk_spare;

typedef struct rdx_vk_allocator {
  pthread_mutex_t lock;
  rdx_vk_block *blocks; /* sub-allocated, device-local */
  rdx_vk_spare *spares; /* not in use, kept for reuse */
  uint64_t spare_bytes;
} rdx_vk_allocator;

/* Device-local memory, and the one buffer over all of it. */
typedef struct rdx_vk_memory {
  VkDeviceMemory handle;
  VkBuffer buffer;
  uint64_t address, size;
} rdx_vk_memory;

typedef struct rdx_vk_buffer {
  rdx_buffer base;
  rdx_vk_memory memory;
  rdx_vk_block *block;       /* whose memory it is; NULL: its own */
  uint64_t offset, reserved; /* in the memory, bytes */
} rdx_vk_buffer;

/* ---- Pipelines (pipeline.c) ---- */

typedef struct rdx_vk_pipeline {
  struct rdx_vk_pipeline *next;
  const rdx_kernel *kernel;
  uint32_t variant[RDX_MAX_VARIANT];
  VkPipeline handle;
  rdx_buffer *table; /* shader binding table */
  VkStridedDeviceAddressRegionKHR raygen, miss, hit;
} rdx_vk_pipeline;

/* ---- The device (device.c) ---- */

/* Two host-visible buffers through which uploads and downloads go in turn. */
#define RDX_VK_STAGING_SIZE (32u << 20)

/* Memory that host and device see. */
typedef struct rdx_vk_host_buffer {
  VkBuffer handle;
  VkDeviceMemory memory;
  void *mapped;
  uint64_t address; /* of constants */
} rdx_vk_host_buffer;

typedef struct rdx_vk_staging {
  pthread_mutex_t lock;
  rdx_vk_host_buffer buffers[2];
  VkCommandPool pool;
  VkCommandBuffer commands[2];
  VkFence fences[2];
} rdx_vk_staging;

typedef struct rdx_vk_device {
  rdx_device base;
  rdx_vk_instance instance;
  rdx_vk_physical physical;
  VkDevice handle;
  VkQueue queue;
  pthread_mutex_t queue_lock;
  rdx_vk_functions fn;
  rdx_vk_allocator memory;
  rdx_vk_staging staging;
  VkPipelineLayout layout;
  VkShaderStageFlags push_stages;
  VkPipelineCache cache;
  char cache_path[1024]; /* "": not kept */
  size_t cache_size;     /* as read from disk */
  pthread_mutex_t pipelines_lock;
  rdx_vk_pipeline *pipelines;
  pthread_mutex_t streams_lock;
  struct rdx_vk_stream *spare_streams; /* making one takes longer than a small query */
  uint32_t spare_stream_count;
} rdx_vk_device;

/* Submit one command buffer and let `fence` be signalled by it. */
RDX_MUST_USE rdx_status rdx_vk_submit(rdx_vk_device *device, VkCommandBuffer commands, VkFence fence, rdx_error *err);
RDX_MUST_USE rdx_status rdx_vk_wait(rdx_vk_device *device, VkFence fence, rdx_error *err);

rdx_status rdx_vk_buffer_create(rdx_device *device, uint64_t size, rdx_buffer **out, rdx_error *err);
void rdx_vk_buffer_destroy(rdx_buffer *buffer);
rdx_status rdx_vk_buffer_upload(rdx_buffer *buffer, uint64_t offset, const void *source, uint64_t size, rdx_error *err);
rdx_status rdx_vk_buffer_download(const rdx_buffer *buffer, uint64_t offset, void *target, uint64_t size,
                                  rdx_error *err);
RDX_MUST_USE rdx_status rdx_vk_staging_create(rdx_vk_device *device, rdx_error *err);
void rdx_vk_staging_destroy(rdx_vk_device *device);
/* All zero is none; destroying that is fine. */
RDX_MUST_USE rdx_status rdx_vk_host_buffer_create(rdx_vk_device *device, uint64_t size, rdx_vk_host_buffer *out,
                                                  rdx_error *err);
/* The same in the device's own memory; not mapped where the host does not see any of that. */
RDX_MUST_USE rdx_status rdx_vk_constants_create(rdx_vk_device *device, uint64_t size, rdx_vk_host_buffer *out,
                                                rdx_error *err);
void rdx_vk_host_buffer_destroy(rdx_vk_device *device, rdx_vk_host_buffer *buffer);
void rdx_vk_memory_destroy(rdx_vk_device *device);

/* The pipeline of a kernel's variant, made on first use; owned by the device. */
RDX_MUST_USE rdx_status rdx_vk_pipeline_get(rdx_vk_device *device, const rdx_kernel *kernel, const uint32_t *variant,
                                            const rdx_vk_pipeline **out, rdx_error *err);
RDX_MUST_USE rdx_status rdx_vk_pipelines_create(rdx_vk_device *device, const char *cache_dir, rdx_error *err);
void rdx_vk_pipelines_destroy(rdx_vk_device *device);

rdx_status rdx_vk_scene_create(rdx_device *device, const rdx_scene_params *params, uint64_t partition_size,
                               uint32_t partitions, rdx_scene **out, rdx_error *err);
rdx_status rdx_vk_scene_refit(rdx_scene *scene, rdx_buffer *primitives, rdx_error *err);
void rdx_vk_scene_destroy(rdx_scene *scene);
uint64_t rdx_vk_scene_estimate(const rdx_device *device, const rdx_scene_params *params);

/* ---- Streams (stream.c, primitives.c) ---- */

typedef struct rdx_vk_stream {
  rdx_stream base;
  VkCommandPool pool;
  VkCommandBuffer commands;
  VkFence fence;
  VkQueryPool queries;
  bool recording;
  bool working; /* work was recorded after the last barrier */
  bool broken;  /* a submission failed: nothing about it is known any more */
  rdx_vk_host_buffer
      constants; /* RDX_VK_CONSTANTS_SIZE bytes, made on first use and kept; not in the books on memory */
  uint64_t constants_used;
  rdx_vk_host_buffer reads; /* RDX_STREAM_READ_MAX bytes, made on first use and kept */
  struct rdx_vk_stream *next_spare;
} rdx_vk_stream;

#define RDX_VK_CONSTANTS_SIZE 65536

rdx_status rdx_vk_stream_create(rdx_device *device, rdx_stream **out, rdx_error *err);
void rdx_vk_stream_destroy(rdx_stream *stream);
rdx_status rdx_vk_stream_launch(rdx_stream *stream, const rdx_kernel *kernel, const void *args, const uint32_t *variant,
                                uint64_t count, const rdx_scene *scene, rdx_error *err);
rdx_status rdx_vk_stream_fill(rdx_stream *stream, rdx_buffer *buffer, uint64_t offset, uint64_t size, uint32_t value,
                              rdx_error *err);
rdx_status rdx_vk_stream_copy(rdx_stream *stream, const rdx_buffer *source, uint64_t source_offset, rdx_buffer *target,
                              uint64_t target_offset, uint64_t size, rdx_error *err);
rdx_status rdx_vk_stream_constants(rdx_stream *stream, const void *data, uint64_t size, uint64_t *address,
                                   rdx_error *err);
rdx_status rdx_vk_stream_read(rdx_stream *stream, const rdx_buffer *buffer, uint64_t offset, uint64_t size,
                              uint64_t place, const void **out, rdx_error *err);
rdx_status rdx_vk_stream_mark(rdx_stream *stream, rdx_error *err);
rdx_status rdx_vk_stream_finish(rdx_stream *stream, rdx_error *err);

void rdx_vk_streams_destroy(rdx_vk_device *device);

/* Before work is recorded: it comes after all that was submitted and recorded before. */
RDX_MUST_USE rdx_status rdx_vk_stream_next(rdx_vk_stream *stream, rdx_error *err);
/* Order work after all work before; where `for_host` is set also what the host reads once the commands are done. It
 * names the kinds of work that there are: a barrier for all that a device can do takes 3 us longer on an H100. */
void rdx_vk_barrier(const rdx_vk_device *device, VkCommandBuffer commands, bool for_host);
/* Order builds of acceleration structures, and what traces rays later on, after all work before. One after the last
 * build of a scene is enough for every stream that traces it. (Without ray queries no compute shader
 * may be said to read one, so rdx_vk_barrier() does not order that.) */
void rdx_vk_barrier_scene(const rdx_vk_device *device, VkCommandBuffer commands);

rdx_status rdx_vk_stream_sort(rdx_stream *stream, rdx_buffer *keys, uint32_t key_bytes, uint32_t key_bits,
                              rdx_buffer *values, uint64_t count, rdx_error *err);
uint64_t rdx_vk_sort_bytes(const rdx_device *device, uint64_t count, uint32_t key_bytes);
rdx_status rdx_vk_stream_scan(rdx_stream *stream, const rdx_buffer *in, rdx_buffer *out, uint64_t count,
                              rdx_error *err);
rdx_status rdx_vk_stream_scan_wide(rdx_stream *stream, rdx_buffer *sums, uint64_t count, rdx_error *err);
rdx_status rdx_vk_stream_reduce(rdx_stream *stream, rdx_reduce_op op, const rdx_buffer *in, uint32_t value_bytes,
                                rdx_buffer *out, uint64_t count, rdx_error *err);
rdx_status rdx_vk_stream_select(rdx_stream *stream, const rdx_buffer *bits, rdx_buffer *out, rdx_buffer *out_count,
                                uint64_t count, rdx_error *err);
rdx_status rdx_vk_stream_unique(rdx_stream *stream, const rdx_buffer *keys, uint32_t key_bytes, uint32_t shift,
                                rdx_buffer *out, rdx_buffer *out_count, uint64_t count, rdx_error *err);

#endif
