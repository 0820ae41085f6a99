/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RAYDEX_TESTS_UNIT_FAILING_MEMORY_H
#define RAYDEX_TESTS_UNIT_FAILING_MEMORY_H

/* An allocator of which one request fails, and which counts what was not given back. */

#include <stdint.h>
#include <stdlib.h>

#include <raydex/raydex.h>

static _Atomic int64_t requests_left = INT64_MAX; /* until one fails */
static _Atomic int64_t live;

static void *take(void *user, size_t size) {
  (void)user;
  void *memory = requests_left-- == 0 ? NULL : malloc(size);
  live += memory != NULL;
  return memory;
}

static void *take_more(void *user, void *old, size_t size) {
  (void)user;
  void *memory = requests_left-- == 0 ? NULL : realloc(old, size);
  live += memory != NULL && !old;
  return memory;
}

static void give(void *user, void *memory) {
  (void)user;
  live -= memory != NULL;
  free(memory);
}

static const rdx_allocator failing_memory = {take, take_more, give, NULL};

#endif
