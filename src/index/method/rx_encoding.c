/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Keys as primitives. */

#include "index/method/rx_encoding.h"

/* RX, section 2.1 "stored in a so-called vertex buffer". */
rdx_status rdx_rx_encode(void *encoding, uint64_t first, uint64_t count, rdx_buffer *out, rdx_error *err) {
  rdx_rx_encoding *e = encoding;
  double ms = 0;
  const struct rx_encode_args args = {.keys = (uint32_t *)(uintptr_t)(e->keys->address + first * (e->key_bits / 8)),
                                      .primitives = RDX_ADDRESS(float, out),
                                      .zero = e->zero,
                                      .scheme = e->scheme};
  const uint32_t variant[2] = {e->key_bits == 64, e->boxes};
  RDX_TRY(rdx_launch_timed(out->device, &rdx_kernel_rx_encode, &args, variant, count, "build", &ms, err));
  e->ms += ms;
  return RDX_OK;
}
