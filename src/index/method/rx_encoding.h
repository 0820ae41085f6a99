/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_INDEX_RX_ENCODING_H
#define RDX_INDEX_RX_ENCODING_H

/* Keys as primitives of a scene (RTIndeX, section 3.1), in their order. */

#include "kernels/rx/kernels.h"

typedef struct rdx_rx_encoding {
  const rdx_buffer *keys;
  uint32_t key_bits;
  bool boxes; /* else triangles */
  uint64_t zero;
  uint32_t scheme; /* RX_SCHEME() */
  double ms;       /* device time, which adds up */
} rdx_rx_encoding;

/* The rdx_scene_source's `make`; its context is an encoding. */
RDX_MUST_USE rdx_status rdx_rx_encode(void *encoding, uint64_t first, uint64_t count, rdx_buffer *out, rdx_error *err);

#endif
