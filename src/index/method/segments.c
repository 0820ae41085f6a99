/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Which parts of rows hold keys. */

#include "index/method/segments.h"

/* From how many segments between the smallest and the largest key on those that hold keys are listed. */
#define LIST_SEGMENTS 64

static rdx_status list(const rdx_ascending_keys *of, uint32_t shift, rdx_buffer **out, uint64_t *out_count,
                       rdx_error *err) {
  const uint64_t all = (of->max >> shift) - (of->min >> shift) + 1, max = of->count < all ? of->count : all;
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *number = NULL;
  RDX_SCOPED(rdx_stream_destroy) rdx_stream *stream = NULL;
  RDX_TRY(rdx_buffer_create(of->keys->device, 8, "a count", &number, err));
  RDX_TRY(rdx_stream_create_for(of->keys->device, "build", &stream, err));
  RDX_TRY(rdx_stream_unique(stream, of->keys, of->key_bits / 8, shift, NULL, number, of->count, err));
  RDX_TRY(rdx_stream_finish(stream, err));
  RDX_TRY(rdx_buffer_number(number, 0, 1, max, "the segments that hold keys", out_count, err));
  RDX_TRY(rdx_buffer_create(of->keys->device, *out_count * 8, "the list of segments", out, err));
  RDX_TRY(rdx_stream_unique(stream, of->keys, of->key_bits / 8, shift, *out, number, of->count, err));
  return rdx_stream_finish(stream, err);
}

rdx_status rdx_segments_list(const rdx_ascending_keys *of, uint32_t shift, rdx_buffer **out, uint64_t *out_count,
                             rdx_error *err) {
  *out = NULL;
  *out_count = 0;
  if ((of->max >> shift) - (of->min >> shift) < LIST_SEGMENTS)
    return RDX_OK;
  const rdx_status status = list(of, shift, out, out_count, err);
  if (status != RDX_OK)
    rdx_buffer_destroy(out);
  return status;
}
