/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Scenes: a bottom-level acceleration structure per partition, and one top-level structure over them. */

#include <string.h>

#include "device/vulkan/vulkan.h"

/* An acceleration structure and the memory it lives in. */
typedef struct structure {
  VkAccelerationStructureKHR handle;
  rdx_buffer *storage;
  uint64_t address;
} structure;

typedef struct vk_scene {
  rdx_scene base;
  structure top;
  rdx_buffer *instances;
  structure bottom[]; /* base.partitions of them */
} vk_scene;

/* What a build or a refit of one partition is made from. */
typedef struct build {
  VkAccelerationStructureGeometryKHR geometry;
  VkAccelerationStructureBuildGeometryInfoKHR info; /* points into `geometry`: set by build_finish() */
  uint32_t count;
} build;

/* RX, section 3.6 "A special flag has to be set during construction". */
static VkBuildAccelerationStructureFlagsKHR build_flags(const rdx_scene_params *params) {
  VkBuildAccelerationStructureFlagsKHR flags = 0;
  switch (params->preference) {
  case RDX_BUILD_DEFAULT:
  case RDX_BUILD_FAST_TRACE:
    flags = VK_BUILD_ACCELERATION_STRUCTURE_PREFER_FAST_TRACE_BIT_KHR;
    break;
  case RDX_BUILD_FAST_BUILD:
    flags = VK_BUILD_ACCELERATION_STRUCTURE_PREFER_FAST_BUILD_BIT_KHR;
    break;
  case RDX_BUILD_LOW_MEMORY:
    flags = VK_BUILD_ACCELERATION_STRUCTURE_LOW_MEMORY_BIT_KHR;
    break;
  }
  if (params->updatable)
    flags |= VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_UPDATE_BIT_KHR;
  if (params->compact)
    flags |= VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_COMPACTION_BIT_KHR;
  return flags;
}

static void build_finish(build *b, VkAccelerationStructureTypeKHR type, VkBuildAccelerationStructureFlagsKHR flags) {
  b->geometry.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR;
  b->info = (VkAccelerationStructureBuildGeometryInfoKHR){
      .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_GEOMETRY_INFO_KHR,
      .type = type,
      .flags = flags,
      .mode = VK_BUILD_ACCELERATION_STRUCTURE_MODE_BUILD_KHR,
      .geometryCount = 1,
      .pGeometries = &b->geometry};
}

/* The build of primitives first .. first + count - 1. */
static void build_bottom(build *b, const rdx_scene_params *params, uint64_t address, uint64_t first, uint64_t count) {
  *b = (build){.count = (uint32_t)count};
  if (params->single_any_hit)
    b->geometry.flags = VK_GEOMETRY_NO_DUPLICATE_ANY_HIT_INVOCATION_BIT_KHR;
  if (params->kind == RDX_SCENE_TRIANGLES) {
    b->geometry.geometryType = VK_GEOMETRY_TYPE_TRIANGLES_KHR;
    b->geometry.geometry.triangles = (VkAccelerationStructureGeometryTrianglesDataKHR){
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_TRIANGLES_DATA_KHR,
        .vertexFormat = VK_FORMAT_R32G32B32_SFLOAT,
        .vertexData = {.deviceAddress = address + first * 36},
        .vertexStride = 12,
        .maxVertex = (uint32_t)(3 * count - 1),
        .indexType = VK_INDEX_TYPE_NONE_KHR};
  } else {
    b->geometry.geometryType = VK_GEOMETRY_TYPE_AABBS_KHR;
    b->geometry.geometry.aabbs = (VkAccelerationStructureGeometryAabbsDataKHR){
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_AABBS_DATA_KHR,
        .data = {.deviceAddress = address + first * 24},
        .stride = 24};
  }
  build_finish(b, VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR, build_flags(params));
}

static void build_top(build *b, uint64_t instances, uint32_t count, bool updatable) {
  *b = (build){.count = count};
  b->geometry.geometryType = VK_GEOMETRY_TYPE_INSTANCES_KHR;
  b->geometry.geometry.instances = (VkAccelerationStructureGeometryInstancesDataKHR){
      .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_INSTANCES_DATA_KHR,
      .data = {.deviceAddress = instances}};
  build_finish(b, VK_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL_KHR,
               VK_BUILD_ACCELERATION_STRUCTURE_PREFER_FAST_TRACE_BIT_KHR |
                   (updatable ? VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_UPDATE_BIT_KHR : 0u));
}

static VkAccelerationStructureBuildSizesInfoKHR build_sizes(const rdx_vk_device *d, build *b) {
  b->info.pGeometries = &b->geometry;
  VkAccelerationStructureBuildSizesInfoKHR sizes = {.sType =
                                                        VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_SIZES_INFO_KHR};
  d->fn.GetAccelerationStructureBuildSizesKHR(d->handle, VK_ACCELERATION_STRUCTURE_BUILD_TYPE_DEVICE_KHR, &b->info,
                                              &b->count, &sizes);
  return sizes;
}

static void structure_destroy(rdx_vk_device *d, structure *s) {
  if (s->handle)
    d->fn.DestroyAccelerationStructureKHR(d->handle, s->handle, NULL);
  rdx_buffer_destroy(&s->storage);
  *s = (structure){0};
}

static rdx_status structure_create(rdx_vk_device *d, uint64_t size, VkAccelerationStructureTypeKHR type, structure *s,
                                   rdx_error *err) {
  RDX_TRY(rdx_buffer_create(&d->base, size, "an acceleration structure", &s->storage, err));
  const rdx_vk_buffer *storage = (rdx_vk_buffer *)s->storage;
  const VkAccelerationStructureCreateInfoKHR info = {.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_CREATE_INFO_KHR,
                                                     .buffer = storage->memory.buffer,
                                                     .offset = storage->offset,
                                                     .size = size,
                                                     .type = type};
  RDX_TRY(rdx_vk_check(d->fn.CreateAccelerationStructureKHR(d->handle, &info, NULL, &s->handle),
                       "creating an acceleration structure", err));
  s->address = d->fn.GetAccelerationStructureDeviceAddressKHR(
      d->handle, &(VkAccelerationStructureDeviceAddressInfoKHR){
                     .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_DEVICE_ADDRESS_INFO_KHR,
                     .accelerationStructure = s->handle});
  return RDX_OK;
}

/* Record a build into `target`, or with `update` a refit of it. */
static rdx_status record_build(rdx_vk_stream *stream, build *b, structure *target, uint64_t scratch_size, bool update,
                               rdx_error *err) {
  rdx_vk_device *d = (rdx_vk_device *)stream->base.device;
  const uint64_t alignment = d->physical.scratch_alignment ? d->physical.scratch_alignment : 1;
  rdx_buffer *scratch = NULL;
  RDX_TRY(
      rdx_stream_scratch(&stream->base, scratch_size + alignment, "building an acceleration structure", &scratch, err));
  RDX_TRY(rdx_vk_stream_next(stream, err));
  rdx_vk_barrier_scene(d, stream->commands);
  b->info.pGeometries = &b->geometry;
  b->info.dstAccelerationStructure = target->handle;
  b->info.scratchData.deviceAddress = (scratch->address + alignment - 1) / alignment * alignment;
  if (update) {
    b->info.mode = VK_BUILD_ACCELERATION_STRUCTURE_MODE_UPDATE_KHR;
    b->info.srcAccelerationStructure = target->handle;
  }
  const VkAccelerationStructureBuildRangeInfoKHR range = {.primitiveCount = b->count};
  const VkAccelerationStructureBuildRangeInfoKHR *ranges = &range;
  d->fn.CmdBuildAccelerationStructuresKHR(stream->commands, 1, &b->info, &ranges);
  if (b->info.type == VK_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL_KHR) /* the last build of a scene */
    rdx_vk_barrier_scene(d, stream->commands);
  return RDX_OK;
}

static rdx_status read_compacted_size(rdx_vk_stream *stream, const structure *s, VkQueryPool pool, uint64_t *size,
                                      rdx_error *err) {
  rdx_vk_device *d = (rdx_vk_device *)stream->base.device;
  RDX_TRY(rdx_vk_stream_next(stream, err));
  d->fn.ResetQueryPool(d->handle, pool, 0, 1);
  rdx_vk_barrier_scene(d, stream->commands);
  d->fn.CmdWriteAccelerationStructuresPropertiesKHR(stream->commands, 1, &s->handle,
                                                    VK_QUERY_TYPE_ACCELERATION_STRUCTURE_COMPACTED_SIZE_KHR, pool, 0);
  RDX_TRY(rdx_stream_finish(&stream->base, err));
  return rdx_vk_check(d->fn.GetQueryPoolResults(d->handle, pool, 0, 1, sizeof *size, size, sizeof *size,
                                                VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
                      "reading the compacted size", err);
}

static rdx_status copy_compacted(rdx_vk_stream *stream, const structure *from, const structure *to, rdx_error *err) {
  rdx_vk_device *d = (rdx_vk_device *)stream->base.device;
  const VkCopyAccelerationStructureInfoKHR copy = {.sType = VK_STRUCTURE_TYPE_COPY_ACCELERATION_STRUCTURE_INFO_KHR,
                                                   .src = from->handle,
                                                   .dst = to->handle,
                                                   .mode = VK_COPY_ACCELERATION_STRUCTURE_MODE_COMPACT_KHR};
  RDX_TRY(rdx_stream_mark(&stream->base, err));
  RDX_TRY(rdx_vk_stream_next(stream, err));
  rdx_vk_barrier_scene(d, stream->commands);
  d->fn.CmdCopyAccelerationStructureKHR(stream->commands, &copy);
  RDX_TRY(rdx_stream_mark(&stream->base, err));
  return rdx_stream_finish(&stream->base, err);
}

/* RX, section 3.5 "optixAccelCompact()". */
/* Replace a structure by a compact copy. */
static rdx_status compact(rdx_vk_stream *stream, structure *s, double *ms, rdx_error *err) {
  rdx_vk_device *d = (rdx_vk_device *)stream->base.device;
  const VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                      .queryType = VK_QUERY_TYPE_ACCELERATION_STRUCTURE_COMPACTED_SIZE_KHR,
                                      .queryCount = 1};
  VkQueryPool pool = VK_NULL_HANDLE;
  RDX_TRY(rdx_vk_check(d->fn.CreateQueryPool(d->handle, &info, NULL, &pool), "creating a query", err));
  uint64_t size = 0;
  rdx_status status = read_compacted_size(stream, s, pool, &size, err);
  d->fn.DestroyQueryPool(d->handle, pool, NULL);
  RDX_TRY(status);
  if (size == 0 || size >= s->storage->size)
    return RDX_OK;

  structure small = {0};
  status = structure_create(d, size, VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR, &small, err);
  if (status == RDX_OK)
    status = copy_compacted(stream, s, &small, err);
  if (status != RDX_OK) {
    structure_destroy(d, &small);
    return status;
  }
  *ms += rdx_stream_elapsed(&stream->base, 0, 1);
  structure_destroy(d, s);
  *s = small;
  return RDX_OK;
}

static uint64_t partition_count(const rdx_scene *scene, uint32_t i) {
  const uint64_t first = i * scene->partition_size, rest = scene->params.count - first;
  return rest < scene->partition_size ? rest : scene->partition_size;
}

/* thesis, Figure 4.3 "BVH Partitioning Illustration". */
/* Its primitives are those of `made`, from its start, or without that the params'. */
static rdx_status create_partition(rdx_vk_stream *stream, vk_scene *scene, uint32_t i, rdx_buffer *made,
                                   rdx_error *err) {
  rdx_vk_device *d = (rdx_vk_device *)stream->base.device;
  const rdx_scene_params *params = &scene->base.params;
  const uint64_t first = i * scene->base.partition_size, count = partition_count(&scene->base, i);
  build b;
  if (made)
    RDX_TRY(params->source.make(params->source.context, first, count, made, err));
  build_bottom(&b, params, made ? made->address : params->primitives->address, made ? 0 : first, count);
  const VkAccelerationStructureBuildSizesInfoKHR sizes = build_sizes(d, &b);
  structure *s = &scene->bottom[i];
  RDX_TRY(
      structure_create(d, sizes.accelerationStructureSize, VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR, s, err));
  RDX_TRY(rdx_stream_mark(&stream->base, err));
  RDX_TRY(record_build(stream, &b, s, sizes.buildScratchSize, false, err));
  RDX_TRY(rdx_stream_finish_timed(&stream->base, &scene->base.build_ms, err));
  scene->base.bytes_built += s->storage->size;
  if (params->compact)
    RDX_TRY(compact(stream, s, &scene->base.compact_ms, err));
  scene->base.bytes += s->storage->size;
  return rdx_progress("build", i + 1, scene->base.partitions, err);
}

/* thesis, section 4.2 "Instance Acceleration Structure". */
static rdx_status create_top(rdx_vk_stream *stream, vk_scene *scene, rdx_error *err) {
  rdx_vk_device *d = (rdx_vk_device *)stream->base.device;
  const uint32_t count = scene->base.partitions;
  RDX_SCOPED(rdx_free_local) VkAccelerationStructureInstanceKHR *list = NULL;
  RDX_TRY(rdx_calloc(count, sizeof *list, "scene instances", (void **)&list, err));
  for (uint32_t i = 0; i < count; i++) {
    list[i].transform = (VkTransformMatrixKHR){{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
    list[i].instanceCustomIndex = i & 0xffffff;
    list[i].mask = 0xff;
    list[i].flags = VK_GEOMETRY_INSTANCE_TRIANGLE_FACING_CULL_DISABLE_BIT_KHR;
    list[i].accelerationStructureReference = scene->bottom[i].address;
  }
  RDX_TRY(rdx_buffer_create(&d->base, count * sizeof *list, "scene instances", &scene->instances, err));
  RDX_TRY(rdx_buffer_upload(scene->instances, 0, list, count * sizeof *list, err));

  build b;
  build_top(&b, scene->instances->address, count, scene->base.params.updatable);
  const VkAccelerationStructureBuildSizesInfoKHR sizes = build_sizes(d, &b);
  RDX_TRY(structure_create(d, sizes.accelerationStructureSize, VK_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL_KHR,
                           &scene->top, err));
  RDX_TRY(record_build(stream, &b, &scene->top, sizes.buildScratchSize, false, err));
  RDX_TRY(rdx_stream_finish(&stream->base, err));
  const uint64_t bytes = scene->top.storage->size + scene->instances->size;
  scene->base.bytes += bytes;
  scene->base.bytes_built += bytes;
  scene->base.address = scene->top.address;
  return RDX_OK;
}

/* thesis, Algorithm 5 "Sub-BVH Construction and IAS Management". */
static rdx_status create_parts(rdx_device *device, vk_scene *scene, rdx_error *err) {
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *made = NULL;
  RDX_SCOPED(rdx_stream_destroy) rdx_stream *stream = NULL;
  RDX_TRY(rdx_stream_create(device, &stream, err));
  if (scene->base.params.source.make)
    RDX_TRY(rdx_buffer_create(device, rdx_scene_source_bytes(device, &scene->base.params),
                              "the primitives of a part of a scene", &made, err));
  for (uint32_t i = 0; i < scene->base.partitions; i++)
    RDX_TRY(create_partition((rdx_vk_stream *)stream, scene, i, made, err));
  rdx_buffer_destroy(&made);
  return scene->base.partitions > 0 ? create_top((rdx_vk_stream *)stream, scene, err) : RDX_OK;
}

rdx_status rdx_vk_scene_create(rdx_device *device, const rdx_scene_params *params, uint64_t partition_size,
                               uint32_t partitions, rdx_scene **out, rdx_error *err) {
  vk_scene *scene = NULL;
  RDX_TRY(rdx_calloc(1, sizeof *scene + partitions * sizeof(structure), "a scene", (void **)&scene, err));
  scene->base =
      (rdx_scene){.device = device, .params = *params, .partition_size = partition_size, .partitions = partitions};
  rdx_status status = create_parts(device, scene, err);
  scene->base.params.primitives = NULL; /* not needed any more */
  scene->base.params.source = (rdx_scene_source){0};
  if (status != RDX_OK) {
    rdx_vk_scene_destroy(&scene->base);
    return status;
  }
  *out = &scene->base;
  return RDX_OK;
}

/* RX, section 3.6 "in-place updates to bounding volume hierarchies". */
rdx_status rdx_vk_scene_refit(rdx_scene *base, rdx_buffer *primitives, rdx_error *err) {
  vk_scene *scene = (vk_scene *)base;
  rdx_vk_device *d = (rdx_vk_device *)base->device;
  if (base->partitions == 0)
    return RDX_OK;
  RDX_SCOPED(rdx_stream_destroy) rdx_stream *stream = NULL;
  RDX_TRY(rdx_stream_create(base->device, &stream, err));
  rdx_vk_stream *s = (rdx_vk_stream *)stream;
  RDX_TRY(rdx_stream_mark(stream, err));
  build b;
  for (uint32_t i = 0; i < base->partitions; i++) {
    build_bottom(&b, &base->params, primitives->address, i * base->partition_size, partition_count(base, i));
    RDX_TRY(record_build(s, &b, &scene->bottom[i], build_sizes(d, &b).updateScratchSize, true, err));
  }
  build_top(&b, scene->instances->address, base->partitions, true);
  RDX_TRY(record_build(s, &b, &scene->top, build_sizes(d, &b).updateScratchSize, true, err));
  RDX_TRY(rdx_stream_mark(stream, err));
  RDX_TRY(rdx_stream_finish(stream, err));
  base->build_ms = rdx_stream_elapsed(stream, 0, 1);
  return RDX_OK;
}

void rdx_vk_scene_destroy(rdx_scene *base) {
  vk_scene *scene = (vk_scene *)base;
  rdx_vk_device *d = (rdx_vk_device *)base->device;
  structure_destroy(d, &scene->top);
  rdx_buffer_destroy(&scene->instances);
  for (uint32_t i = 0; i < base->partitions; i++)
    structure_destroy(d, &scene->bottom[i]);
  rdx_free(scene);
}

/* At the peak, one partition's full-size structure and its scratch stand beside the compacted others, which are taken
 * to have shrunk to two thirds. */
uint64_t rdx_vk_scene_estimate(const rdx_device *device, const rdx_scene_params *params) {
  const rdx_vk_device *d = (const rdx_vk_device *)device;
  if (params->count == 0)
    return 0;
  const uint32_t partitions = params->partitions ? params->partitions : 1;
  const uint64_t size = (params->count + partitions - 1) / partitions;
  build b;
  build_bottom(&b, params, 0, 0, size);
  const VkAccelerationStructureBuildSizesInfoKHR sizes = build_sizes(d, &b);
  const uint64_t others = (partitions - 1) * sizes.accelerationStructureSize;
  return sizes.accelerationStructureSize + sizes.buildScratchSize + (params->compact ? others / 3 * 2 : others);
}
