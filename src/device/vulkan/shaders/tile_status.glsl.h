/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_DEVICE_VULKAN_TILE_STATUS_GLSL_H
#define RDX_DEVICE_VULKAN_TILE_STATUS_GLSL_H

/* GLSL: what tiles publish each other in a chained scan with decoupled look-back (Merrill and Garland 2016). Each tells
 * its count as soon as it has it, adds up what those before it told, back to one that knows the sum of all before it,
 * and tells its own sum. A tile that waits for another too long counts for itself what that one has, so that none
 * depends on when another runs (Smith, Levien and Owens 2025).
 *
 * A word has a count or a sum in its low bits, and above them which; 0 as long as nothing is told. */

layout(buffer_reference, scalar, buffer_reference_align = 8) coherent volatile buffer tile_status_ptr {
  u64 v[];
};

#define TILE_VALUE_BITS 62 /* where the state stands */
#define TILE_VALUE_MAX (0xfffffffffffffffful >> (64 - TILE_VALUE_BITS))
#define TILE_AGGREGATE 1u
#define TILE_PREFIX 2u

#endif
