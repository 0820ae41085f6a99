/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Vulkan devices: enumerate, open, submit. */

#include "device/vulkan/missing.h"
#include "device/vulkan/vulkan.h"

#define MAX_KNOWN 32 /* devices */

/* One instance serves every description; making one costs up to 100 ms with some drivers. It is kept until the process
 * ends, since drivers do not take kindly to being started over and over. */
static struct {
  pthread_mutex_t lock;
  bool listed;
  rdx_vk_instance instance;
  rdx_vk_physical list[MAX_KNOWN]; /* not by rdx_alloc(), whose allocator may be replaced before the process ends */
  uint32_t count;
} known = {.lock = PTHREAD_MUTEX_INITIALIZER};

static rdx_status list_locked(rdx_error *err) {
  if (known.listed)
    return RDX_OK;
  rdx_status status = rdx_vk_instance_create(NULL, &known.instance, NULL);
  if (status == RDX_ERROR_NOT_FOUND) {
    known.listed = true;
    return RDX_OK;
  }
  if (status != RDX_OK)
    return rdx_fail(err, status, "the Vulkan loader could not create an instance: %s", rdx_status_name(status));
  rdx_vk_physical *list = NULL;
  status = rdx_vk_list(&known.instance, &list, &known.count, err);
  if (status != RDX_OK)
    rdx_vk_instance_destroy(&known.instance);
  known.count = known.count < MAX_KNOWN ? known.count : MAX_KNOWN;
  for (uint32_t i = 0; i < known.count; i++)
    known.list[i] = list[i];
  rdx_free(list);
  known.listed = status == RDX_OK;
  return status;
}

rdx_status rdx_vulkan_count(uint32_t *out, rdx_error *err) {
  RDX_LOCKED(&known.lock);
  rdx_status status = list_locked(err);
  *out = known.count;
  return status;
}

uint32_t rdx_vulkan_find_missing(char *text, size_t size) {
  const rdx_vk_places places = rdx_vk_places_of_system();
  uint32_t shown[32] = {0}, count = 0;
  pthread_mutex_lock(&known.lock);
  if (list_locked(NULL) == RDX_OK)
    for (; count < known.count && count < RDX_COUNT(shown); count++)
      shown[count] = known.list[count].vendor;
  pthread_mutex_unlock(&known.lock);
  return rdx_vk_find_missing(&places, shown, count, text, size);
}

static rdx_status get_physical(uint32_t index, rdx_vk_physical *out, rdx_error *err) {
  RDX_LOCKED(&known.lock);
  RDX_TRY(list_locked(err));
  if (index >= known.count)
    return rdx_fail(err, RDX_ERROR_NOT_FOUND, "there is no device %u", index + 1);
  *out = known.list[index];
  return RDX_OK;
}

rdx_status rdx_vulkan_describe(uint32_t index, rdx_device_info *out, rdx_error *err) {
  rdx_vk_physical physical;
  RDX_TRY(get_physical(index, &physical, err));
  *out = physical.info;
  return RDX_OK;
}

static rdx_status create_device(rdx_vk_device *d, rdx_error *err) {
  static const char *const extensions[] = {
      VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME,
      VK_KHR_RAY_TRACING_PIPELINE_EXTENSION_NAME,
      VK_KHR_DEFERRED_HOST_OPERATIONS_EXTENSION_NAME,
  };
  VkPhysicalDeviceRayTracingPipelineFeaturesKHR pipeline = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_FEATURES_KHR,
      .rayTracingPipeline = VK_TRUE,
      .rayTraversalPrimitiveCulling = d->physical.primitive_culling};
  VkPhysicalDeviceAccelerationStructureFeaturesKHR structure = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_FEATURES_KHR,
      .pNext = &pipeline,
      .accelerationStructure = VK_TRUE};
  const bool rays = d->physical.ray_tracing;
  VkPhysicalDeviceVulkan12Features vulkan12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                               .pNext = rays ? &structure : NULL,
                                               .shaderBufferInt64Atomics = d->physical.atomic_u64,
                                               .scalarBlockLayout = VK_TRUE,
                                               .hostQueryReset = VK_TRUE,
                                               .bufferDeviceAddress = VK_TRUE};
  const VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                              .pNext = &vulkan12,
                                              .features = {.shaderInt64 = VK_TRUE, .shaderFloat64 = d->physical.f64}};
  const float priority = 1;
  const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                         .queueFamilyIndex = d->physical.queue_family,
                                         .queueCount = 1,
                                         .pQueuePriorities = &priority};
  const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                   .pNext = &features,
                                   .queueCreateInfoCount = 1,
                                   .pQueueCreateInfos = &queue,
                                   .enabledExtensionCount = rays ? RDX_COUNT(extensions) : 0,
                                   .ppEnabledExtensionNames = extensions};
  VkDevice handle = VK_NULL_HANDLE;
  RDX_TRY(
      rdx_vk_check(d->instance.CreateDevice(d->physical.handle, &info, NULL, &handle), "opening a Vulkan device", err));
  d->handle = handle;
  RDX_TRY(rdx_vk_load_device(&d->instance, d->handle, rays, &d->fn, err));
  d->fn.GetDeviceQueue(d->handle, d->physical.queue_family, 0, &d->queue);
  return RDX_OK;
}

static void close_device(rdx_device *device) {
  rdx_vk_device *d = (rdx_vk_device *)device;
  if (d->handle && d->fn.DestroyDevice) {
    rdx_vk_streams_destroy(d);
    rdx_vk_pipelines_destroy(d);
    rdx_vk_staging_destroy(d);
    rdx_vk_memory_destroy(d);
    d->fn.DestroyDevice(d->handle, NULL);
  }
  if (d->instance.messenger) /* else it is the shared one */
    rdx_vk_instance_destroy(&d->instance);
  pthread_mutex_destroy(&d->queue_lock);
  pthread_mutex_destroy(&d->streams_lock);
  pthread_mutex_destroy(&d->pipelines_lock);
  pthread_mutex_destroy(&d->memory.lock);
  pthread_mutex_destroy(&d->staging.lock);
  rdx_free(d);
}

static const rdx_device_ops vulkan_ops = {
    .close = close_device,
    .buffer_create = rdx_vk_buffer_create,
    .buffer_destroy = rdx_vk_buffer_destroy,
    .buffer_upload = rdx_vk_buffer_upload,
    .buffer_download = rdx_vk_buffer_download,
    .scene_create = rdx_vk_scene_create,
    .scene_refit = rdx_vk_scene_refit,
    .scene_destroy = rdx_vk_scene_destroy,
    .scene_estimate = rdx_vk_scene_estimate,
    .stream_create = rdx_vk_stream_create,
    .stream_destroy = rdx_vk_stream_destroy,
    .launch = rdx_vk_stream_launch,
    .fill = rdx_vk_stream_fill,
    .copy = rdx_vk_stream_copy,
    .constants = rdx_vk_stream_constants,
    .read = rdx_vk_stream_read,
    .sort = rdx_vk_stream_sort,
    .sort_bytes = rdx_vk_sort_bytes,
    .scan = rdx_vk_stream_scan,
    .scan_wide = rdx_vk_stream_scan_wide,
    .reduce = rdx_vk_stream_reduce,
    .select = rdx_vk_stream_select,
    .unique = rdx_vk_stream_unique,
    .mark = rdx_vk_stream_mark,
    .finish = rdx_vk_stream_finish,
};

/* With validation, the device gets an instance of its own, in which it is found again by its place in the list. */
static rdx_status use_validation(rdx_vk_device *d, uint32_t index, rdx_error *err) {
  RDX_TRY(rdx_vk_instance_create(&d->base.validation_messages, &d->instance, err));
  RDX_SCOPED(rdx_free_local) rdx_vk_physical *list = NULL;
  uint32_t count = 0;
  RDX_TRY(rdx_vk_list(&d->instance, &list, &count, err));
  if (index >= count)
    return rdx_fail(err, RDX_ERROR_NOT_FOUND, "Vulkan device %u disappeared", index);
  d->physical = list[index];
  return RDX_OK;
}

static rdx_status open_parts(rdx_vk_device *d, uint32_t index, const rdx_device_params *params, rdx_error *err) {
  if (params->validation)
    RDX_TRY(use_validation(d, index, err));
  RDX_TRY(create_device(d, err));
  RDX_TRY(rdx_vk_staging_create(d, err));
  return rdx_vk_pipelines_create(d, params->cache_dir, err);
}

rdx_status rdx_vulkan_open(uint32_t index, const rdx_device_params *params, rdx_device **out, rdx_error *err) {
  rdx_vk_physical physical;
  RDX_TRY(get_physical(index, &physical, err));
  rdx_vk_device *d = NULL;
  RDX_TRY(rdx_calloc(1, sizeof *d, "a Vulkan device", (void **)&d, err));
  d->base.ops = &vulkan_ops;
  d->physical = physical;
  d->instance = params->validation ? (rdx_vk_instance){0} : known.instance;
  d->base.info = physical.info;
  d->base.has_f64 = physical.f64;
  d->base.has_atomic_u64 = physical.atomic_u64;
  d->base.keeps_build_order = physical.info.emulated;
  /* An H100 sees no triangles near 2^-68, where 60 would put the first keys of the extended mode; 92 to 124 work. */
  d->base.coordinate_exponent = 92;
  pthread_mutex_init(&d->queue_lock, NULL);
  pthread_mutex_init(&d->streams_lock, NULL);
  pthread_mutex_init(&d->pipelines_lock, NULL);
  pthread_mutex_init(&d->memory.lock, NULL);
  pthread_mutex_init(&d->staging.lock, NULL);
  rdx_status status = open_parts(d, index, params, err);
  if (status != RDX_OK) {
    close_device(&d->base);
    return status;
  }
  *out = &d->base;
  return RDX_OK;
}

rdx_status rdx_vk_submit(rdx_vk_device *d, VkCommandBuffer commands, VkFence fence, rdx_error *err) {
  const VkSubmitInfo info = {
      .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
  pthread_mutex_lock(&d->queue_lock);
  VkResult result = d->fn.QueueSubmit(d->queue, 1, &info, fence);
  pthread_mutex_unlock(&d->queue_lock);
  return rdx_vk_check(result, "submitting work", err);
}

rdx_status rdx_vk_wait(rdx_vk_device *d, VkFence fence, rdx_error *err) {
  /* Going to sleep and waking up takes longer than a small query: look for a while first. Not where the host's cores
   * are the device. */
  VkResult result = VK_NOT_READY;
  const double until = d->physical.info.emulated ? 0 : rdx_now_ms() + 2;
  while (result == VK_NOT_READY && rdx_now_ms() < until)
    result = d->fn.GetFenceStatus(d->handle, fence);
  if (result == VK_NOT_READY)
    result = d->fn.WaitForFences(d->handle, 1, &fence, VK_TRUE, UINT64_MAX);
  RDX_TRY(rdx_vk_check(result, "waiting for the device", err));
  return rdx_vk_check(d->fn.ResetFences(d->handle, 1, &fence), "waiting for the device", err);
}
