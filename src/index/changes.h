/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_INDEX_CHANGES_H
#define RDX_INDEX_CHANGES_H

#include "device/device.h"

/* A batch as an index applies it: on its device, sorted, without NULLs, and with no key in both halves. The
 * buffers of a half without keys may be NULL. Not both halves are empty. */
struct rdx_changes {
  uint64_t inserts, removes;
  rdx_buffer *insert_keys, *insert_rows; /* by key, then row; every row is above all rows of the index */
  rdx_buffer *remove_keys;               /* each removes the smallest row left of its key, if there is one */
};

#endif
