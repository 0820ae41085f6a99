/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Which physical devices there are and what each can do. */

#include <stdio.h>
#include <string.h>

#include "device/vulkan/vulkan.h"

static bool has_extension(const VkExtensionProperties *extensions, uint32_t count, const char *name) {
  for (uint32_t i = 0; i < count; i++)
    if (strcmp(extensions[i].extensionName, name) == 0)
      return true;
  return false;
}

static bool find_queue_family(const rdx_vk_instance *instance, rdx_vk_physical *physical) {
  VkQueueFamilyProperties families[32];
  uint32_t count = RDX_COUNT(families);
  instance->GetPhysicalDeviceQueueFamilyProperties(physical->handle, &count, families);
  for (uint32_t i = 0; i < count; i++) {
    if (families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) {
      physical->queue_family = i;
      physical->timestamp_bits = families[i].timestampValidBits;
      return true;
    }
  }
  return false;
}

/* Whether the features are there without which no kernel runs; notes which others are. */
static bool has_required_features(const rdx_vk_instance *instance, rdx_vk_physical *p) {
  VkPhysicalDeviceRayTracingPipelineFeaturesKHR pipeline = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_FEATURES_KHR};
  VkPhysicalDeviceAccelerationStructureFeaturesKHR structure = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_FEATURES_KHR, .pNext = &pipeline};
  VkPhysicalDeviceVulkan12Features vulkan12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                               .pNext = p->ray_tracing ? &structure : NULL};
  VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &vulkan12};
  instance->GetPhysicalDeviceFeatures2(p->handle, &features);
  p->ray_tracing = p->ray_tracing && pipeline.rayTracingPipeline && structure.accelerationStructure;
  p->primitive_culling = p->ray_tracing && pipeline.rayTraversalPrimitiveCulling;
  p->f64 = features.features.shaderFloat64;
  p->atomic_u64 = vulkan12.shaderBufferInt64Atomics;
  return features.features.shaderInt64 && vulkan12.bufferDeviceAddress && vulkan12.scalarBlockLayout &&
         vulkan12.hostQueryReset;
}

static uint64_t device_local_bytes(const VkPhysicalDeviceMemoryProperties *memory) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < memory->memoryHeapCount; i++)
    if ((memory->memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) && memory->memoryHeaps[i].size > bytes)
      bytes = memory->memoryHeaps[i].size;
  return bytes;
}

static uint64_t min_u64(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

/* False where its subgroups cannot do what the kernels need. */
static bool read_properties(const rdx_vk_instance *instance, rdx_vk_physical *p, bool has_ray_query) {
  VkPhysicalDeviceRayTracingPipelinePropertiesKHR pipeline = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_PROPERTIES_KHR};
  VkPhysicalDeviceAccelerationStructurePropertiesKHR structure = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_PROPERTIES_KHR, .pNext = &pipeline};
  VkPhysicalDeviceDriverProperties driver = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES,
                                             .pNext = p->ray_tracing ? &structure : NULL};
  VkPhysicalDeviceSubgroupProperties subgroup = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES,
                                                 .pNext = &driver};
  VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                            .pNext = &subgroup};
  VkPhysicalDeviceMemoryProperties2 memory = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2};
  instance->GetPhysicalDeviceProperties2(p->handle, &properties);
  instance->GetPhysicalDeviceMemoryProperties2(p->handle, &memory);
  const VkPhysicalDeviceProperties *core = &properties.properties;

  p->memory = memory.memoryProperties;
  p->timestamp_period = core->limits.timestampPeriod;
  p->subgroup_size = subgroup.subgroupSize;
  p->max_groups = core->limits.maxComputeWorkGroupCount[0];
  p->shared_memory = core->limits.maxComputeSharedMemorySize;
  p->max_threads = core->limits.maxComputeWorkGroupInvocations;
  p->handle_size = pipeline.shaderGroupHandleSize;
  p->handle_alignment = pipeline.shaderGroupHandleAlignment;
  p->base_alignment = pipeline.shaderGroupBaseAlignment;
  p->scratch_alignment = structure.minAccelerationStructureScratchOffsetAlignment;
  memcpy(p->cache_uuid, core->pipelineCacheUUID, VK_UUID_SIZE);

  rdx_device_info *info = &p->info;
  info->backend = RDX_BACKEND_VULKAN;
  info->emulated = core->deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
  /* Drivers that trace in software on a GPU offer pipelines but no ray queries. */
  info->tracing = !p->ray_tracing                    ? RDX_TRACING_NONE
                  : has_ray_query && !info->emulated ? RDX_TRACING_HARDWARE
                                                     : RDX_TRACING_SOFTWARE;
  info->threads = subgroup.subgroupSize;
  info->memory = device_local_bytes(&p->memory);
  info->max_buffer = info->memory;
  info->max_primitives = p->ray_tracing ? structure.maxPrimitiveCount : 0;
  info->max_rays = p->ray_tracing ? min_u64(pipeline.maxRayDispatchInvocationCount,
                                            (uint64_t)p->max_groups * core->limits.maxComputeWorkGroupSize[0])
                                  : 0;
  snprintf(info->name, sizeof info->name, "%s", core->deviceName);
  snprintf(info->driver, sizeof info->driver, "%.120s %.120s", driver.driverName, driver.driverInfo);
  snprintf(info->features, sizeof info->features, "Vulkan %u.%u%s%s", VK_API_VERSION_MAJOR(core->apiVersion),
           VK_API_VERSION_MINOR(core->apiVersion), p->ray_tracing ? ", ray tracing pipelines" : "",
           has_ray_query ? ", ray queries" : "");
  const VkSubgroupFeatureFlags needed = VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_VOTE_BIT |
                                        VK_SUBGROUP_FEATURE_ARITHMETIC_BIT | VK_SUBGROUP_FEATURE_BALLOT_BIT |
                                        VK_SUBGROUP_FEATURE_SHUFFLE_BIT;
  return (subgroup.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) && !(needed & ~subgroup.supportedOperations);
}

/* Fill in `*out`; false where the device cannot run any kernel. */
static rdx_status describe(const rdx_vk_instance *instance, VkPhysicalDevice device, rdx_vk_physical *out, bool *usable,
                           rdx_error *err) {
  *out = (rdx_vk_physical){.handle = device};
  *usable = false;
  VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
  instance->GetPhysicalDeviceProperties2(device, &properties);
  out->vendor = properties.properties.vendorID;
  if (properties.properties.apiVersion < VK_API_VERSION_1_2 || !find_queue_family(instance, out))
    return RDX_OK;
  uint32_t count = 0;
  RDX_SCOPED(rdx_free_local) VkExtensionProperties *extensions = NULL;
  RDX_TRY(rdx_vk_check(instance->EnumerateDeviceExtensionProperties(device, NULL, &count, NULL),
                       "listing a device's extensions", err));
  RDX_TRY(rdx_alloc(count, sizeof *extensions, "a device's extensions", (void **)&extensions, err));
  RDX_TRY(rdx_vk_check(instance->EnumerateDeviceExtensionProperties(device, NULL, &count, extensions),
                       "listing a device's extensions", err));
  out->ray_tracing = has_extension(extensions, count, VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME) &&
                     has_extension(extensions, count, VK_KHR_RAY_TRACING_PIPELINE_EXTENSION_NAME) &&
                     has_extension(extensions, count, VK_KHR_DEFERRED_HOST_OPERATIONS_EXTENSION_NAME);
  *usable = has_required_features(instance, out) &&
            read_properties(instance, out, has_extension(extensions, count, VK_KHR_RAY_QUERY_EXTENSION_NAME));
  return RDX_OK;
}

rdx_status rdx_vk_list(const rdx_vk_instance *instance, rdx_vk_physical **out, uint32_t *out_count, rdx_error *err) {
  VkPhysicalDevice handles[32];
  uint32_t count = RDX_COUNT(handles);
  VkResult result = instance->EnumeratePhysicalDevices(instance->handle, &count, handles);
  if (result == VK_ERROR_INITIALIZATION_FAILED)
    count = 0; /* how the loader says that no driver could start */
  else if (result != VK_INCOMPLETE)
    RDX_TRY(rdx_vk_check(result, "listing Vulkan devices", err));

  RDX_SCOPED(rdx_free_local) rdx_vk_physical *list = NULL;
  RDX_TRY(rdx_alloc(count, sizeof *list, "the list of Vulkan devices", (void **)&list, err));
  uint32_t used = 0;
  for (uint32_t i = 0; i < count; i++) {
    bool usable = false;
    RDX_TRY(describe(instance, handles[i], &list[used], &usable, err));
    used += usable;
  }
  *out = RDX_KEEP(list);
  *out_count = used;
  return RDX_OK;
}
