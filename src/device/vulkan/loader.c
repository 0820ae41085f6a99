/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "device/vulkan/loader.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static const char validation_layer[] = "VK_LAYER_KHRONOS_validation";

static struct {
  PFN_vkGetInstanceProcAddr GetInstanceProcAddr;
  RDX_VK_GLOBAL(RDX_VK_MEMBER)
} global;

/* The loader stays open for the life of the process: drivers do not survive being unloaded. */
static void open_loader(void) {
  void *library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return;
  PFN_vkGetInstanceProcAddr get = NULL;
  *(void **)&get = dlsym(library, "vkGetInstanceProcAddr");
  if (!get)
    return;
#define LOAD(name) global.name = (PFN_vk##name)(void (*)(void))get(NULL, "vk" #name);
  RDX_VK_GLOBAL(LOAD)
#undef LOAD
  global.GetInstanceProcAddr = get;
}

static VKAPI_ATTR VkBool32 VKAPI_CALL on_message(RDX_UNUSED VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                 RDX_UNUSED VkDebugUtilsMessageTypeFlagsEXT types,
                                                 const VkDebugUtilsMessengerCallbackDataEXT *data, void *user) {
  atomic_fetch_add((_Atomic uint64_t *)user, 1);
  fprintf(stderr, "raydex: validation layer: %s\n", data->pMessage);
  return VK_FALSE;
}

static bool has_layer(const char *name) {
  VkLayerProperties layers[64];
  uint32_t count = RDX_COUNT(layers);
  if (global.EnumerateInstanceLayerProperties(&count, layers) < 0)
    return false;
  for (uint32_t i = 0; i < count; i++)
    if (strcmp(layers[i].layerName, name) == 0)
      return true;
  return false;
}

static rdx_status attach_messenger(_Atomic uint64_t *messages, rdx_vk_instance *instance, rdx_error *err) {
  PFN_vkCreateDebugUtilsMessengerEXT create =
      (PFN_vkCreateDebugUtilsMessengerEXT)(void (*)(void))global.GetInstanceProcAddr(instance->handle,
                                                                                     "vkCreateDebugUtilsMessengerEXT");
  if (!create)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "the Vulkan loader has no VK_EXT_debug_utils, which validation needs");
  const VkDebugUtilsMessengerCreateInfoEXT info = {
      .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
      .messageSeverity =
          VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
      .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
      .pfnUserCallback = on_message,
      .pUserData = messages,
  };
  return rdx_vk_check(create(instance->handle, &info, NULL, &instance->messenger), "creating the debug messenger", err);
}

rdx_status rdx_vk_instance_create(_Atomic uint64_t *validation_messages, rdx_vk_instance *out, rdx_error *err) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_loader);
  *out = (rdx_vk_instance){0};
  if (!global.CreateInstance)
    return rdx_fail(err, RDX_ERROR_NOT_FOUND, "no Vulkan loader (libvulkan.so.1) is installed");
  if (validation_messages && !has_layer(validation_layer))
    return rdx_fail(err, RDX_ERROR_NOT_FOUND, "%s is not installed (Debian: vulkan-validationlayers)",
                    validation_layer);

  const char *layers[] = {validation_layer};
  const char *extensions[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
  const uint32_t extras = validation_messages ? 1 : 0;
  const VkApplicationInfo application = {
      .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
      .pApplicationName = "raydex",
      .apiVersion = VK_API_VERSION_1_2,
  };
  const VkInstanceCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
      .pApplicationInfo = &application,
      .enabledLayerCount = extras,
      .ppEnabledLayerNames = layers,
      .enabledExtensionCount = extras,
      .ppEnabledExtensionNames = extensions,
  };
  VkResult result = global.CreateInstance(&info, NULL, &out->handle);
  if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
    return rdx_fail(err, RDX_ERROR_NOT_FOUND, "the Vulkan loader finds no driver");
  RDX_TRY(rdx_vk_check(result, "creating a Vulkan instance", err));

#define LOAD(name) out->name = (PFN_vk##name)(void (*)(void))global.GetInstanceProcAddr(out->handle, "vk" #name);
  RDX_VK_INSTANCE(LOAD)
#undef LOAD
  rdx_status status = validation_messages ? attach_messenger(validation_messages, out, err) : RDX_OK;
  if (status != RDX_OK)
    rdx_vk_instance_destroy(out);
  return status;
}

void rdx_vk_instance_destroy(rdx_vk_instance *instance) {
  if (!instance->handle)
    return;
  if (instance->messenger) {
    PFN_vkDestroyDebugUtilsMessengerEXT destroy = (PFN_vkDestroyDebugUtilsMessengerEXT)(void (*)(
        void))global.GetInstanceProcAddr(instance->handle, "vkDestroyDebugUtilsMessengerEXT");
    destroy(instance->handle, instance->messenger, NULL);
  }
  instance->DestroyInstance(instance->handle, NULL);
  *instance = (rdx_vk_instance){0};
}

rdx_status rdx_vk_load_device(const rdx_vk_instance *instance, VkDevice device, bool ray_tracing, rdx_vk_functions *out,
                              rdx_error *err) {
  const char *missing = NULL;
#define LOAD(name)                                                                                                     \
  out->name = (PFN_vk##name)(void (*)(void))instance->GetDeviceProcAddr(device, "vk" #name);                           \
  if (!out->name)                                                                                                      \
    missing = "vk" #name;
  RDX_VK_DEVICE(LOAD)
  if (ray_tracing) {
    RDX_VK_RAY(LOAD)
  }
#undef LOAD
  if (missing)
    return rdx_fail(err, RDX_ERROR_INTERNAL, "the Vulkan driver lacks %s, which its version promises", missing);
  return RDX_OK;
}

rdx_status rdx_vk_check(VkResult result, const char *what, rdx_error *err) {
  switch (result) {
  case VK_SUCCESS:
    return RDX_OK;
  case VK_ERROR_OUT_OF_HOST_MEMORY:
    return rdx_fail(err, RDX_ERROR_MEMORY, "%s: the Vulkan driver ran out of host memory", what);
  case VK_ERROR_OUT_OF_DEVICE_MEMORY:
    return rdx_fail(err, RDX_ERROR_DEVICE_MEMORY, "%s: the Vulkan driver ran out of device memory", what);
  case VK_ERROR_DEVICE_LOST:
    return rdx_fail(
        err, RDX_ERROR_DEVICE_LOST,
        "%s: the device is lost, perhaps to work that ran for longer than the driver allows; close it and open it "
        "again",
        what);
  default:
    return rdx_fail(err, RDX_ERROR_INTERNAL, "%s: the Vulkan driver answered VkResult %d", what, (int)result);
  }
}
