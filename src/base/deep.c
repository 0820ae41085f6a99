/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Work that calls itself too often for the stack that a caller may have. */

#include <pthread.h>

#include "base/base.h"

#define STACK ((size_t)64 << 20)

typedef struct job {
  rdx_deep_fn work;
  void *context;
  rdx_error *err;
  rdx_owner owner;
  rdx_status status;
} job;

static void *run(void *context) {
  job *j = context;
  (void)rdx_owner_use(j->owner);
  j->status = j->work(j->context, j->err);
  return NULL;
}

rdx_status rdx_run_deep(rdx_deep_fn work, void *context, rdx_error *err) {
  job j = {work, context, err, rdx_owner_current(), RDX_OK};
  pthread_t thread;
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0)
    return rdx_fail(err, RDX_ERROR_MEMORY, "host memory ran out: a deep statement");
  const bool started =
      pthread_attr_setstacksize(&attributes, STACK) == 0 && pthread_create(&thread, &attributes, run, &j) == 0;
  pthread_attr_destroy(&attributes);
  if (!started)
    return rdx_fail(err, RDX_ERROR_MEMORY, "host memory ran out: a deep statement needs a stack of 64 MiB");
  pthread_join(thread, NULL);
  return j.status;
}
