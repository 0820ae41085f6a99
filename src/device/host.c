/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The host's part of a device's work: threads for arrays that go to the device or come from it, and for statements.
 * Those of the CPU device are its own. */

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "device/device.h"

#define COPY_PIECE (1u << 20) /* bytes */

static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER; /* one starts the threads of a device */

rdx_status rdx_device_host_pool(rdx_device *device, rdx_pool **out, rdx_error *err) {
  *out = atomic_load(&device->host_pool);
  if (*out)
    return RDX_OK;
  RDX_LOCKED(&starting);
  *out = atomic_load(&device->host_pool);
  if (!*out)
    RDX_TRY(rdx_pool_create(0, out, err));
  atomic_store(&device->host_pool, *out);
  return RDX_OK;
}

/* Calibrations of CPUs hold for it, too: it has as many threads. */
static rdx_status open_host(rdx_device *device, rdx_pool *pool, rdx_error *err) {
  RDX_SCOPED(rdx_device_close) rdx_device *host = NULL;
  RDX_TRY(rdx_cpu_open_over(pool, &host, err));
  RDX_TRY(rdx_copy_text(device->cache_folder, "the cache's folder", &host->cache_folder, err));
  atomic_store(&device->host, host);
  host = NULL;
  return RDX_OK;
}

rdx_status rdx_device_host(rdx_device *device, rdx_device **out, rdx_error *err) {
  rdx_pool *pool = NULL;
  *out = device;
  if (device->info.backend == RDX_BACKEND_CPU)
    return RDX_OK;
  RDX_TRY(rdx_device_host_pool(device, &pool, err));
  RDX_LOCKED(&starting);
  if (!atomic_load(&device->host))
    RDX_TRY(open_host(device, pool, err));
  *out = atomic_load(&device->host);
  atomic_store(&(*out)->memory_limit, atomic_load(&device->memory_limit));
  return RDX_OK;
}

void rdx_device_end_host(rdx_device *device) {
  rdx_device *host = atomic_load(&device->host);
  rdx_pool *pool = atomic_load(&device->host_pool);
  rdx_device_close(&host);
  if (device->info.backend != RDX_BACKEND_CPU)
    rdx_pool_destroy(&pool);
}

rdx_status rdx_device_run_stage_on_host(rdx_device *device, uint64_t count, uint64_t grain, rdx_task_fn task,
                                        void *context, const char *stage, rdx_error *err) {
  rdx_pool *pool = NULL;
  if (count > grain && rdx_device_host_pool(device, &pool, NULL) == RDX_OK)
    return rdx_pool_run_stage(pool, count, grain, task, context, stage, err);
  for (uint64_t begin = 0; begin < count; begin += grain) {
    if (stage && begin > 0)
      RDX_TRY(rdx_progress_at_times(stage, begin, count, err));
    task(context, begin, count - begin < grain ? count : begin + grain, 0);
  }
  return RDX_OK;
}

void rdx_device_run_on_host(rdx_device *device, uint64_t count, uint64_t grain, rdx_task_fn task, void *context) {
  const rdx_status status = rdx_device_run_stage_on_host(device, count, grain, task, context, NULL, NULL);
  (void)status; /* nobody is asked whether to go on: it does */
}

typedef struct copying {
  char *target;
  const char *source;
} copying;

static void copy_piece(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  const copying *c = context;
  memcpy(c->target + begin, c->source + begin, end - begin);
}

rdx_status rdx_device_copy_stage_on_host(rdx_device *device, void *target, const void *source, uint64_t size,
                                         const char *stage, rdx_error *err) {
  copying c = {target, source};
  return rdx_device_run_stage_on_host(device, size, COPY_PIECE, copy_piece, &c, stage, err);
}

void rdx_device_copy_on_host(rdx_device *device, void *target, const void *source, uint64_t size) {
  const rdx_status status = rdx_device_copy_stage_on_host(device, target, source, size, NULL, NULL);
  (void)status; /* as above */
}
