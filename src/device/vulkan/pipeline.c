/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Pipelines: made on first use, kept by the device, and cached on disk between processes. */

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/vulkan/vulkan.h"
#include "spirv/shaders.h"

/* ---- The cache on disk ---- */

/* The file's name holds what a cache is valid for; a driver ignores one that does not fit anyway. */
static void set_cache_path(rdx_vk_device *d, const char *dir) {
  char folder[sizeof d->cache_path];
  rdx_device_cache_folder(dir, folder, sizeof folder);
  if (folder[0] == '\0')
    return;
  char id[2 * VK_UUID_SIZE + 1];
  for (uint32_t i = 0; i < VK_UUID_SIZE; i++)
    snprintf(id + 2 * i, 3, "%02x", d->physical.cache_uuid[i]);
  int length = snprintf(d->cache_path, sizeof d->cache_path, "%s/pipelines-%s.bin", folder, id);
  if (length < 0 || (size_t)length >= sizeof d->cache_path - 32) /* room for a temporary name */
    d->cache_path[0] = '\0';
}

/* A cache that cannot be read is an empty one. */
static void *read_cache(const char *path, size_t *size) {
  *size = 0;
  FILE *file = path[0] ? fopen(path, "rb") : NULL;
  if (!file)
    return NULL;
  void *data = NULL;
  struct stat info;
  if (fstat(fileno(file), &info) == 0 && info.st_size > 0 && info.st_size < (64 << 20) &&
      rdx_alloc((size_t)info.st_size, 1, "the pipeline cache", &data, NULL) == RDX_OK)
    *size = fread(data, 1, (size_t)info.st_size, file);
  fclose(file);
  return data;
}

/* Keep what the driver compiled; failing to is no error. The file is replaced in one step. */
static void write_cache(rdx_vk_device *d) {
  size_t size = 0;
  void *data = NULL;
  if (!d->cache_path[0] || d->fn.GetPipelineCacheData(d->handle, d->cache, &size, NULL) != VK_SUCCESS ||
      size == d->cache_size || rdx_alloc(size, 1, "the pipeline cache", &data, NULL) != RDX_OK)
    return;
  char temporary[sizeof d->cache_path + 32];
  snprintf(temporary, sizeof temporary, "%s.%ld.tmp", d->cache_path, (long)getpid());
  rdx_make_parents(temporary);
  FILE *file =
      d->fn.GetPipelineCacheData(d->handle, d->cache, &size, data) == VK_SUCCESS ? fopen(temporary, "wb") : NULL;
  if (file) {
    const bool written = fwrite(data, 1, size, file) == size;
    if (fclose(file) != 0 || !written || rename(temporary, d->cache_path) != 0)
      unlink(temporary);
  }
  rdx_free(data);
}

rdx_status rdx_vk_pipelines_create(rdx_vk_device *d, const char *cache_dir, rdx_error *err) {
  set_cache_path(d, cache_dir);
  void *data = read_cache(d->cache_path, &d->cache_size);
  const VkPipelineCacheCreateInfo cache = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO, .initialDataSize = d->cache_size, .pInitialData = data};
  rdx_status status =
      rdx_vk_check(d->fn.CreatePipelineCache(d->handle, &cache, NULL, &d->cache), "creating a pipeline cache", err);
  rdx_free(data);
  RDX_TRY(status);

  d->push_stages = VK_SHADER_STAGE_COMPUTE_BIT;
  if (d->physical.ray_tracing)
    d->push_stages |= VK_SHADER_STAGE_RAYGEN_BIT_KHR | VK_SHADER_STAGE_ANY_HIT_BIT_KHR |
                      VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR | VK_SHADER_STAGE_INTERSECTION_BIT_KHR;
  const VkPushConstantRange range = {.stageFlags = d->push_stages, .size = RDX_MAX_ARGS};
  const VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                             .pushConstantRangeCount = 1,
                                             .pPushConstantRanges = &range};
  return rdx_vk_check(d->fn.CreatePipelineLayout(d->handle, &layout, NULL, &d->layout), "creating a pipeline layout",
                      err);
}

static void destroy_pipeline(rdx_vk_device *d, rdx_vk_pipeline *p) {
  if (p->handle)
    d->fn.DestroyPipeline(d->handle, p->handle, NULL);
  if (p->table)
    rdx_vk_buffer_destroy(p->table);
  rdx_free(p);
}

void rdx_vk_pipelines_destroy(rdx_vk_device *d) {
  for (rdx_vk_pipeline *p = d->pipelines, *next; p; p = next) {
    next = p->next;
    destroy_pipeline(d, p);
  }
  d->pipelines = NULL;
  if (d->layout)
    d->fn.DestroyPipelineLayout(d->handle, d->layout, NULL);
  if (d->cache) {
    write_cache(d);
    d->fn.DestroyPipelineCache(d->handle, d->cache, NULL);
  }
}

/* ---- Making one ---- */

/* The shader stages of a pipeline, with the specialization that all of them share. */
typedef struct stages {
  rdx_vk_device *device;
  VkSpecializationMapEntry entries[RDX_MAX_VARIANT];
  VkSpecializationInfo specialization;
  VkPipelineShaderStageCreateInfo infos[5];
  uint32_t count;
} stages;

static void stages_start(stages *s, rdx_vk_device *d, const rdx_kernel *kernel, const uint32_t *variant) {
  *s = (stages){.device = d};
  for (uint32_t i = 0; i < kernel->variants; i++)
    s->entries[i] = (VkSpecializationMapEntry){.constantID = i, .offset = i * 4, .size = 4};
  s->specialization = (VkSpecializationInfo){
      .mapEntryCount = kernel->variants, .pMapEntries = s->entries, .dataSize = kernel->variants * 4, .pData = variant};
}

/* Add a stage; `*index` is its place, VK_SHADER_UNUSED_KHR for an absent shader. */
static rdx_status stages_add(stages *s, const rdx_spirv *shader, VkShaderStageFlagBits stage, uint32_t *index,
                             rdx_error *err) {
  rdx_vk_device *d = s->device;
  *index = VK_SHADER_UNUSED_KHR;
  if (!shader)
    return RDX_OK;
  const VkShaderModuleCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = shader->size, .pCode = shader->words};
  VkShaderModule module = VK_NULL_HANDLE;
  RDX_TRY(rdx_vk_check(d->fn.CreateShaderModule(d->handle, &info, NULL, &module), "creating a shader module", err));
  s->infos[s->count] = (VkPipelineShaderStageCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                         .stage = stage,
                                                         .module = module,
                                                         .pName = "main",
                                                         .pSpecializationInfo = &s->specialization};
  *index = s->count++;
  return RDX_OK;
}

static void stages_end(stages *s) {
  for (uint32_t i = 0; i < s->count; i++)
    s->device->fn.DestroyShaderModule(s->device->handle, s->infos[i].module, NULL);
}

static rdx_status create_compute(rdx_vk_device *d, rdx_vk_pipeline *p, rdx_error *err) {
  RDX_SCOPED(stages_end) stages s;
  stages_start(&s, d, p->kernel, p->variant);
  uint32_t index = 0;
  RDX_TRY(stages_add(&s, p->kernel->compute, VK_SHADER_STAGE_COMPUTE_BIT, &index, err));
  const VkComputePipelineCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, .stage = s.infos[0], .layout = d->layout};
  return rdx_vk_check(d->fn.CreateComputePipelines(d->handle, d->cache, 1, &info, NULL, &p->handle), p->kernel->name,
                      err);
}

static uint64_t align(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

/* The shader binding table: one record each for ray generation, miss and the hit group. It belongs to the device, not
 * to its books on memory. */
static rdx_status create_table(rdx_vk_device *d, rdx_vk_pipeline *p, rdx_error *err) {
  uint8_t handles[3 * 128];
  const uint32_t size = d->physical.handle_size;
  if (size > 128)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "%s has shader group handles of %u bytes", d->base.info.name, size);
  RDX_TRY(rdx_vk_check(d->fn.GetRayTracingShaderGroupHandlesKHR(d->handle, p->handle, 0, 3, 3 * size, handles),
                       "reading shader group handles", err));
  const uint64_t stride = align(align(size, d->physical.handle_alignment), d->physical.base_alignment);
  RDX_TRY(rdx_vk_buffer_create(&d->base, 4 * stride, &p->table, err));
  const uint64_t start = align(p->table->address, d->physical.base_alignment);
  VkStridedDeviceAddressRegionKHR *const regions[3] = {&p->raygen, &p->miss, &p->hit};
  for (uint32_t i = 0; i < 3; i++) {
    const uint64_t address = start + i * stride;
    *regions[i] = (VkStridedDeviceAddressRegionKHR){.deviceAddress = address, .stride = stride, .size = stride};
    RDX_TRY(rdx_vk_buffer_upload(p->table, address - p->table->address, handles + i * size, size, err));
  }
  return RDX_OK;
}

static rdx_status create_ray(rdx_vk_device *d, rdx_vk_pipeline *p, rdx_error *err) {
  const rdx_kernel *k = p->kernel;
  RDX_SCOPED(stages_end) stages s;
  stages_start(&s, d, k, p->variant);
  uint32_t raygen = 0, miss = 0, closest = 0, any = 0, intersection = 0;
  RDX_TRY(stages_add(&s, k->raygen, VK_SHADER_STAGE_RAYGEN_BIT_KHR, &raygen, err));
  RDX_TRY(stages_add(&s, &spirv_empty_rmiss, VK_SHADER_STAGE_MISS_BIT_KHR, &miss, err));
  RDX_TRY(stages_add(&s, k->closest_hit, VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR, &closest, err));
  RDX_TRY(stages_add(&s, k->any_hit, VK_SHADER_STAGE_ANY_HIT_BIT_KHR, &any, err));
  RDX_TRY(stages_add(&s, k->intersection, VK_SHADER_STAGE_INTERSECTION_BIT_KHR, &intersection, err));
#define GROUP(kind, general, closest_hit, any_hit, box)                                                                \
  {                                                                                                                    \
    .sType = VK_STRUCTURE_TYPE_RAY_TRACING_SHADER_GROUP_CREATE_INFO_KHR,                                               \
    .type = VK_RAY_TRACING_SHADER_GROUP_TYPE_##kind##_KHR, .generalShader = general, .closestHitShader = closest_hit,  \
    .anyHitShader = any_hit, .intersectionShader = box                                                                 \
  }
  const uint32_t none = VK_SHADER_UNUSED_KHR;
  VkRayTracingShaderGroupCreateInfoKHR groups[3] = {
      GROUP(GENERAL, raygen, none, none, none),
      GROUP(GENERAL, miss, none, none, none),
      GROUP(TRIANGLES_HIT_GROUP, none, closest, any, none),
  };
#undef GROUP
  VkPipelineCreateFlags flags = VK_PIPELINE_CREATE_RAY_TRACING_SKIP_AABBS_BIT_KHR; /* 1% faster on an H100 */
  if (intersection != none) {
    groups[2].type = VK_RAY_TRACING_SHADER_GROUP_TYPE_PROCEDURAL_HIT_GROUP_KHR;
    groups[2].intersectionShader = intersection;
    flags = VK_PIPELINE_CREATE_RAY_TRACING_SKIP_TRIANGLES_BIT_KHR;
  }
  const VkRayTracingPipelineCreateInfoKHR info = {.sType = VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR,
                                                  .flags = d->physical.primitive_culling ? flags : 0,
                                                  .stageCount = s.count,
                                                  .pStages = s.infos,
                                                  .groupCount = 3,
                                                  .pGroups = groups,
                                                  .maxPipelineRayRecursionDepth = 1,
                                                  .layout = d->layout};
  RDX_TRY(
      rdx_vk_check(d->fn.CreateRayTracingPipelinesKHR(d->handle, VK_NULL_HANDLE, d->cache, 1, &info, NULL, &p->handle),
                   k->name, err));
  return create_table(d, p, err);
}

static rdx_status create_pipeline(rdx_vk_device *d, const rdx_kernel *kernel, const uint32_t *variant,
                                  rdx_vk_pipeline **out, rdx_error *err) {
  rdx_vk_pipeline *p = NULL;
  RDX_TRY(rdx_calloc(1, sizeof *p, "a pipeline", (void **)&p, err));
  p->kernel = kernel;
  if (kernel->variants)
    memcpy(p->variant, variant, kernel->variants * sizeof *variant);
  rdx_status status = kernel->compute ? create_compute(d, p, err) : create_ray(d, p, err);
  if (status != RDX_OK) {
    destroy_pipeline(d, p);
    return status;
  }
  *out = p;
  return RDX_OK;
}

rdx_status rdx_vk_pipeline_get(rdx_vk_device *d, const rdx_kernel *kernel, const uint32_t *variant,
                               const rdx_vk_pipeline **out, rdx_error *err) {
  RDX_LOCKED(&d->pipelines_lock);
  rdx_vk_pipeline *p = d->pipelines;
  while (p && (p->kernel != kernel || (kernel->variants && memcmp(p->variant, variant, kernel->variants * 4) != 0)))
    p = p->next;
  if (!p) {
    RDX_TRY(create_pipeline(d, kernel, variant, &p, err));
    p->next = d->pipelines;
    d->pipelines = p;
  }
  *out = p;
  return RDX_OK;
}
