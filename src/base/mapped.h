/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_BASE_MAPPED_H
#define RDX_BASE_MAPPED_H

/* Ordinary files that are mapped for reading, although other programs may change them meanwhile.
 *
 * Where a file has become shorter, the system sends SIGBUS to who reads the missing part. While a file is open here,
 * its missing part is replaced by zeros instead, and rdx_mapped_check() says so: a handler of SIGBUS is there as long
 * as any file is. It passes all other signals on to the handler that was there before. */

#include "base/base.h"

#include <time.h>

typedef struct rdx_mapped {
  const char *data; /* NULL: nothing is mapped */
  uint64_t size;
  int file;
  struct timespec written; /* when the file was last written to */
  uint32_t watch;
} rdx_mapped;

/* Map `file` and take it over; `path` is for errors. `*out` stays without data, and `file` the caller's, where it is no
 * ordinary file, is empty, or cannot be mapped. */
RDX_MUST_USE rdx_status rdx_mapped_open(int file, const char *path, rdx_mapped *out, rdx_error *err);

/* RDX_ERROR_IO where the file is not as it was when it was opened. */
RDX_MUST_USE rdx_status rdx_mapped_check(const rdx_mapped *mapped, const char *path, rdx_error *err);

/* The same, and stop watching: the mapping stays. */
RDX_MUST_USE rdx_status rdx_mapped_settle(rdx_mapped *mapped, const char *path, rdx_error *err);

/* Unmap and close. One without data is fine. */
void rdx_mapped_close(rdx_mapped *mapped);

#endif
