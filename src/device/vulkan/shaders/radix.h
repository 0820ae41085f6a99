/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_DEVICE_VULKAN_RADIX_H
#define RDX_DEVICE_VULKAN_RADIX_H

/* GLSL: what the shaders of the sort share. */

#include "device/vulkan/shaders/primitives.h"

#ifdef KEYS_U64
#define KEY u64
#define KEYS u64_ptr
#else
#define KEY u32
#define KEYS u32_ptr
#endif

layout(constant_id = 0) const u32 THREADS = 256;
layout(constant_id = 1) const u32 SUBGROUPS = 8;
layout(constant_id = 2) const u32 ITEMS = 8; /* keys of a thread */
layout(local_size_x_id = 0) in;

u32 digit(KEY key, u32 shift) {
  return u32(key >> shift) & (RADIX - 1);
}

#endif
