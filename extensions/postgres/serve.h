/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RAYDEX_SERVE_H
#define RAYDEX_SERVE_H

/* The process that owns a device and answers sessions. Plain C: it has nothing of PostgreSQL, and may end at any time
 * without harm to the server. */

#include <stdint.h>

typedef struct ServeParams {
  const char *device;
  uint32_t threads;
  uint64_t memory_limit; /* bytes; 0: what there is */
} ServeParams;

/* Answer who connects to a listening socket, one query after the other, until SIGTERM; never returns. */
void serve(int listener, const ServeParams *params) __attribute__((noreturn));

#endif
