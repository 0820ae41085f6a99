/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Which parts of rows hold keys. */

#include "index/method/segments.h"

/* From how many segments between the smallest and the largest key on those that hold keys are listed. */
#define LIST_SEGMENTS 64

static rdx_status list(const rdx_buffer *keys, uint32_t key_bits, uint64_t count, uint32_t shift, uint64_t most,
                       rdx_buffer *number, rdx_buffer **out, uint64_t *out_count, rdx_error *err) {
  rdx_stream *stream = NULL;
  RDX_TRY(rdx_stream_create_for(keys->device, "build", &stream, err));
  rdx_status status = rdx_stream_unique(stream, keys, key_bits / 8, shift, NULL, number, count, err);
  if (status == RDX_OK)
    status = rdx_stream_finish(stream, err);
  if (status == RDX_OK)
    status = rdx_buffer_number(number, 0, 1, most, "the segments that hold keys", out_count, err);
  if (status == RDX_OK)
    status = rdx_buffer_create(keys->device, *out_count * 8, "the list of segments", out, err);
  if (status == RDX_OK)
    status = rdx_stream_unique(stream, keys, key_bits / 8, shift, *out, number, count, err);
  if (status == RDX_OK)
    status = rdx_stream_finish(stream, err);
  rdx_stream_destroy(&stream);
  if (status != RDX_OK)
    rdx_buffer_destroy(out);
  return status;
}

rdx_status rdx_segments_list(const rdx_buffer *keys, uint32_t key_bits, uint64_t count, uint32_t shift,
                             uint64_t smallest, uint64_t largest, rdx_buffer **out, uint64_t *out_count,
                             rdx_error *err) {
  *out = NULL;
  *out_count = 0;
  const uint64_t all = (largest >> shift) - (smallest >> shift);
  if (all < LIST_SEGMENTS)
    return RDX_OK;
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *number = NULL;
  RDX_TRY(rdx_buffer_create(keys->device, 8, "a count", &number, err));
  return list(keys, key_bits, count, shift, count <= all ? count : all + 1, number, out, out_count, err);
}
