/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_INDEX_PROBES_H
#define RDX_INDEX_PROBES_H

#include "index/index.h"

/* Probes begin .. begin + count - 1 of a batch, on the device as keys of the index. */
typedef struct rdx_probes {
  uint64_t begin, count;
  uint32_t *lower, *upper, *valid; /* device addresses; upper 0 for points, valid 0 where all are */
  uint64_t bytes;                  /* copied to the device */
  rdx_buffer *owned[3];
  rdx_buffer *places; /* u32: the place of each ordered probe in the order given; NULL: where it is */
} rdx_probes;

/* Checks that the types go together. */
RDX_MUST_USE rdx_status rdx_probes_create(const rdx_index *index, const rdx_column *lower, const rdx_column *upper,
                                          uint64_t begin, uint64_t count, rdx_probes *out, rdx_error *err);
void rdx_probes_destroy(rdx_probes *probes);

#endif
