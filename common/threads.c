/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

#include "common/common.h"

#include <pthread.h>

uint32_t console_cores(void) {
  rdx_device_info cpu;
  if (rdx_device_describe(0, &cpu, NULL) != RDX_OK)
    return 1;
  return cpu.threads > CONSOLE_MAX_THREADS ? CONSOLE_MAX_THREADS : cpu.threads;
}

typedef struct part {
  void (*run)(void *context, uint32_t thread);
  void *context;
  uint32_t thread;
} part;

static void *run_part(void *argument) {
  const part *p = argument;
  p->run(p->context, p->thread);
  return NULL;
}

void console_threads(uint32_t threads, void (*run)(void *context, uint32_t thread), void *context) {
  pthread_t started[CONSOLE_MAX_THREADS];
  part parts[CONSOLE_MAX_THREADS];
  bool runs[CONSOLE_MAX_THREADS];
  const uint32_t max = threads < CONSOLE_MAX_THREADS ? threads : CONSOLE_MAX_THREADS;
  for (uint32_t t = 0; t < max; t++) {
    parts[t] = (part){run, context, t};
    runs[t] = t > 0 && pthread_create(&started[t], NULL, run_part, &parts[t]) == 0;
  }
  for (uint32_t t = 0; t < threads; t++) {
    if (t < max && runs[t])
      pthread_join(started[t], NULL);
    else
      run(context, t);
  }
}
