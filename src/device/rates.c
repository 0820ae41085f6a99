/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* How fast a device's memory is. */

#include "device/device.h"

#define RUNS 5

static void keep_best(double *rate, uint64_t bytes, double ms) {
  const double found = ms > 0 ? 1e-6 * (double)bytes / ms : 0;
  *rate = found > *rate ? found : *rate;
}

/* The first run touches the memory, and is not counted. */
static rdx_status measure(rdx_stream *stream, uint64_t bytes, rdx_device_rates *out, rdx_error *err) {
  rdx_buffer *from = NULL, *to = NULL, *sum = NULL;
  RDX_TRY(rdx_stream_scratch(stream, bytes, "memory to copy", &from, err));
  RDX_TRY(rdx_stream_scratch(stream, bytes, "memory to copy to", &to, err));
  RDX_TRY(rdx_stream_scratch(stream, 8, "a sum", &sum, err));
  for (uint32_t run = 0; run <= RUNS; run++) {
    RDX_TRY(rdx_stream_mark(stream, err));
    if (run == 0)
      RDX_TRY(rdx_stream_fill(stream, from, 0, bytes, 1, err));
    RDX_TRY(rdx_stream_reduce(stream, RDX_REDUCE_SUM, from, 4, sum, bytes / 4, err));
    RDX_TRY(rdx_stream_mark(stream, err));
    RDX_TRY(rdx_stream_copy(stream, from, 0, to, 0, bytes, err));
  }
  RDX_TRY(rdx_stream_mark(stream, err));
  RDX_TRY(rdx_stream_finish(stream, err));
  for (uint32_t run = 1; run <= RUNS; run++) {
    keep_best(&out->read, bytes, rdx_stream_elapsed(stream, 2 * run, 2 * run + 1));
    keep_best(&out->copy, 2 * bytes, rdx_stream_elapsed(stream, 2 * run + 1, 2 * run + 2));
  }
  return RDX_OK;
}

rdx_status rdx_device_measure_memory(rdx_device *device, uint64_t bytes, rdx_device_rates *out, rdx_error *err) {
  if (!device || !out || bytes < 4 || bytes / 4 > UINT32_MAX)
    return rdx_fail(err, RDX_ERROR_ARGUMENT,
                    "rdx_device_measure_memory: device and out must not be NULL, bytes be 4 to 2^34 - 4");
  RDX_SCOPED(rdx_stream_destroy) rdx_stream *stream = NULL;
  *out = (rdx_device_rates){0};
  RDX_TRY(rdx_stream_create_for(device, "measure", &stream, err));
  return measure(stream, bytes / 4 * 4, out, err);
}
