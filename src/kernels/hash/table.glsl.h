/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_HASH_TABLE_GLSL_H
#define RDX_KERNELS_HASH_TABLE_GLSL_H

/* GLSL: buckets of a hash table by their numbers. A table may have more than 2^32 words. */

#include "kernels/hash/hash.h"

layout(buffer_reference, scalar, buffer_reference_align = 64) buffer bucket_ptr {
  u32 v[BUCKET_WORDS];
};

layout(buffer_reference, scalar, buffer_reference_align = 64) buffer wide_bucket_ptr {
  uvec4 v[BUCKET_WORDS / 4];
};

layout(buffer_reference, scalar, buffer_reference_align = 64) buffer half_bucket_ptr {
  uvec2 v[BUCKET_WORDS / 2];
};

layout(buffer_reference, scalar, buffer_reference_align = 64) buffer long_bucket_ptr {
  u64 v[BUCKET_WORDS / 2];
};

u64 bucket_address(u32_ptr table, u32 bucket) {
  return u64(table) + u64(bucket) * BUCKET_BYTES;
}

#endif
