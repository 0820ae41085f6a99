/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_DEVICE_VULKAN_LOADER_H
#define RDX_DEVICE_VULKAN_LOADER_H

/* The Vulkan functions in use, opened at run time: the library starts where no loader is installed. */

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

#include "base/base.h"

#define RDX_VK_GLOBAL(X)                                                                                               \
  X(CreateInstance)                                                                                                    \
  X(EnumerateInstanceExtensionProperties)                                                                              \
  X(EnumerateInstanceLayerProperties)

#define RDX_VK_INSTANCE(X)                                                                                             \
  X(DestroyInstance)                                                                                                   \
  X(EnumeratePhysicalDevices)                                                                                          \
  X(GetPhysicalDeviceProperties2)                                                                                      \
  X(GetPhysicalDeviceFeatures2)                                                                                        \
  X(GetPhysicalDeviceMemoryProperties2)                                                                                \
  X(GetPhysicalDeviceQueueFamilyProperties)                                                                            \
  X(EnumerateDeviceExtensionProperties)                                                                                \
  X(CreateDevice)                                                                                                      \
  X(GetDeviceProcAddr)

#define RDX_VK_DEVICE(X)                                                                                               \
  X(DestroyDevice)                                                                                                     \
  X(GetDeviceQueue)                                                                                                    \
  X(QueueSubmit)                                                                                                       \
  X(AllocateMemory)                                                                                                    \
  X(FreeMemory)                                                                                                        \
  X(MapMemory)                                                                                                         \
  X(BindBufferMemory)                                                                                                  \
  X(GetBufferMemoryRequirements)                                                                                       \
  X(CreateBuffer)                                                                                                      \
  X(DestroyBuffer)                                                                                                     \
  X(GetBufferDeviceAddress)                                                                                            \
  X(CreateFence)                                                                                                       \
  X(DestroyFence)                                                                                                      \
  X(GetFenceStatus)                                                                                                    \
  X(ResetFences)                                                                                                       \
  X(WaitForFences)                                                                                                     \
  X(CreateQueryPool)                                                                                                   \
  X(DestroyQueryPool)                                                                                                  \
  X(GetQueryPoolResults)                                                                                               \
  X(CreateShaderModule)                                                                                                \
  X(DestroyShaderModule)                                                                                               \
  X(CreatePipelineCache)                                                                                               \
  X(DestroyPipelineCache)                                                                                              \
  X(GetPipelineCacheData)                                                                                              \
  X(CreateComputePipelines)                                                                                            \
  X(DestroyPipeline)                                                                                                   \
  X(CreatePipelineLayout)                                                                                              \
  X(DestroyPipelineLayout)                                                                                             \
  X(CreateCommandPool)                                                                                                 \
  X(DestroyCommandPool)                                                                                                \
  X(ResetCommandPool)                                                                                                  \
  X(ResetQueryPool)                                                                                                    \
  X(AllocateCommandBuffers)                                                                                            \
  X(BeginCommandBuffer)                                                                                                \
  X(EndCommandBuffer)                                                                                                  \
  X(CmdBindPipeline)                                                                                                   \
  X(CmdDispatch)                                                                                                       \
  X(CmdCopyBuffer)                                                                                                     \
  X(CmdFillBuffer)                                                                                                     \
  X(CmdPipelineBarrier)                                                                                                \
  X(CmdPushConstants)                                                                                                  \
  X(CmdUpdateBuffer)                                                                                                   \
  X(CmdWriteTimestamp)

/* Present only on devices that trace rays. */
#define RDX_VK_RAY(X)                                                                                                  \
  X(CreateRayTracingPipelinesKHR)                                                                                      \
  X(GetRayTracingShaderGroupHandlesKHR)                                                                                \
  X(CmdTraceRaysKHR)                                                                                                   \
  X(CreateAccelerationStructureKHR)                                                                                    \
  X(DestroyAccelerationStructureKHR)                                                                                   \
  X(GetAccelerationStructureBuildSizesKHR)                                                                             \
  X(GetAccelerationStructureDeviceAddressKHR)                                                                          \
  X(CmdBuildAccelerationStructuresKHR)                                                                                 \
  X(CmdCopyAccelerationStructureKHR)                                                                                   \
  X(CmdWriteAccelerationStructuresPropertiesKHR)

#define RDX_VK_MEMBER(name) PFN_vk##name name;

/* An instance with the functions that belong to it. */
typedef struct rdx_vk_instance {
  VkInstance handle;
  VkDebugUtilsMessengerEXT messenger;
  RDX_VK_INSTANCE(RDX_VK_MEMBER)
} rdx_vk_instance;

typedef struct rdx_vk_functions {
  RDX_VK_DEVICE(RDX_VK_MEMBER)
  RDX_VK_RAY(RDX_VK_MEMBER)
} rdx_vk_functions;

/* Create an instance. Without a loader or a driver: RDX_ERROR_NOT_FOUND. With `validation_messages`, the Khronos
 * validation layer is on and each of its warnings and errors goes to stderr and adds one there. */
RDX_MUST_USE rdx_status rdx_vk_instance_create(_Atomic uint64_t *validation_messages, rdx_vk_instance *out,
                                               rdx_error *err);
void rdx_vk_instance_destroy(rdx_vk_instance *instance);

/* Load the device functions; those for rays too when `ray_tracing`. */
RDX_MUST_USE rdx_status rdx_vk_load_device(const rdx_vk_instance *instance, VkDevice device, bool ray_tracing,
                                           rdx_vk_functions *out, rdx_error *err);

/* Turn a VkResult into a status; RDX_OK for VK_SUCCESS. `what` is what was being done. */
RDX_MUST_USE rdx_status rdx_vk_check(VkResult result, const char *what, rdx_error *err);

#endif
