/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_DEVICE_VULKAN_PRIMITIVES_H
#define RDX_DEVICE_VULKAN_PRIMITIVES_H

/* Arguments and sizes of the data-parallel primitives, for primitives.c and its shaders. */

#include "device/shared.h"

#define TILE_THREADS 256
#define TILE_ITEMS 8
#define TILE (TILE_THREADS * TILE_ITEMS) /* items of a workgroup in scan, compact and reduce */

#define RADIX_BITS 8
#define RADIX 256 /* TILE_THREADS of them */
#define RADIX_MAX_PASSES 8

#define REDUCE_SUM 0
#define REDUCE_MAX 1
#define REDUCE_NONZERO 2 /* how many are not 0; then a REDUCE_SUM over the tiles */

/* The sort counts the digits of all passes, makes bins of the counts, then moves keys to their places in each pass. */
struct radix_count_args {
  LAUNCH_HEADER;
  PTR(u32) keys; /* u64 in the variant for 64-bit keys */
  PTR(u32) bins; /* [passes][RADIX] */
  u32 n;
  u32 tiles;
  u32 groups;
  u32 passes;
};
ARGS_SIZE(radix_count_args, 48);

struct radix_bins_args {
  LAUNCH_HEADER;
  PTR(u32) bins;
};
ARGS_SIZE(radix_bins_args, 24);

struct radix_args {
  LAUNCH_HEADER;
  PTR(u32) keys;   /* u64 in the variant for 64-bit keys */
  PTR(u32) values; /* 0: none */
  PTR(u32) keys_out;
  PTR(u32) values_out;
  PTR(u32) bins; /* of this pass: where the keys of each digit begin */
  PTR(u64) sums; /* [tiles][RADIX]: what is told of a digit in a tile, see radix_scatter.comp */
  u32 n;
  u32 shift;
  u32 patience; /* how often a tile looks for what another has counted before it counts that, too */
};
ARGS_SIZE(radix_args, 80);

struct scan_args {
  LAUNCH_HEADER;
  PTR(u32) source;
  PTR(u64) sums;    /* one a tile: see tile_status.glsl.h */
  PTR(u64) results; /* n + 1 of them */
  u32 n;
  u32 patience;
};
ARGS_SIZE(scan_args, 48);

struct spine_args {
  LAUNCH_HEADER;
  PTR(u64) sums;
  PTR(u64) total;
  u32 n;
};
ARGS_SIZE(spine_args, 40);

struct compact_args {
  LAUNCH_HEADER;
  PTR(u32) source; /* bits, or ascending keys */
  PTR(u64) sums;
  PTR(u32) out_u32; /* positions of set bits */
  PTR(u64) out_u64; /* distinct keys; 0: only count */
  PTR(u64) out_count;
  u32 n;
  u32 shift;
  u32 patience;
};
ARGS_SIZE(compact_args, 72);

struct reduce_args {
  LAUNCH_HEADER;
  PTR(u32) source;
  PTR(u64) out_values; /* one a tile */
  u32 n;
};
ARGS_SIZE(reduce_args, 40);

#endif
