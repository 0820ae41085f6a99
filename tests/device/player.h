/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef TESTS_DEVICE_PLAYER_H
#define TESTS_DEVICE_PLAYER_H

/* A back end for tests. It runs nothing: it returns what another device returned to the same calls, with errors, or
 * fails. What the host does with that is tested, and only that: its memory is at no address, so that nobody reads
 * it. */

#include <raydex/device.h>

typedef enum fault {
  FAULT_NONE,
  FAULT_RANDOM,
  FAULT_ONES,     /* all bits */
  FAULT_ZEROS,    /* none */
  FAULT_REPEATED, /* all words as the first */
  FAULT_NEXT,     /* each word as the one after it */
  FAULT_REVERSED,
  FAULT_MORE, /* each word one more, */
  FAULT_LESS, /* or less */
  FAULT_ONE_RANDOM,
  FAULT_ONE_MORE,
  FAULT_ONE_LESS,
  FAULT_ONE_BIT,
  FAULT_KINDS,
} fault;

/* What goes wrong. Words have 4 or 8 bytes. */
typedef struct player_faults {
  fault kind;
  uint32_t word_bytes;
  uint64_t first, last; /* of what comes back, counted from 0 */
  uint64_t seed;
  uint64_t failing; /* the call that fails, counted from 0, and all after it; UINT64_MAX: none */
} player_faults;

/* From now on to player_stop() note what the device returns. */
void player_record(rdx_device *device);
/* Returns the number of times that something came back. */
uint64_t player_stop(void);

/* A device like the one that was recorded, which begins to return what that did. There is one at a time. */
rdx_device *player_open(const player_faults *faults);
/* Returns how many calls there were. */
uint64_t player_close(rdx_device **device);
/* Bytes of the largest buffer that was asked for. */
uint64_t player_largest(void);

/* Forget what was noted. */
void player_forget(void);

#endif
