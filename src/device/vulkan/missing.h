/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_DEVICE_VULKAN_MISSING_H
#define RDX_DEVICE_VULKAN_MISSING_H

/* GPUs that the system knows and Vulkan does not show, and what they lack. */

#include "base/base.h"

#define RDX_VK_MAX_FOLDERS 8

/* Where to look. */
typedef struct rdx_vk_places {
  const char *dev, *sys; /* "/dev", "/sys" */
  const char *loader;    /* "libvulkan.so.1" */
  const char *manifests; /* of drivers, with colons between them, which the loader takes instead of folders; or NULL */
  char folders[RDX_VK_MAX_FOLDERS][256]; /* of manifests, "": none; those of the system first */
} rdx_vk_places;

/* Where the Vulkan loader looks. */
rdx_vk_places rdx_vk_places_of_system(void);

/* Add a line to `text`, which is a string, for each vendor of which there are more GPUs than are shown: those of
 * these vendors (of PCI) are. Returns how many lines. */
uint32_t rdx_vk_find_missing(const rdx_vk_places *places, const uint32_t *shown, uint32_t count, char *text,
                             size_t size);

#endif
