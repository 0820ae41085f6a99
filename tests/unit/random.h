/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RAYDEX_TESTS_RANDOM_H
#define RAYDEX_TESTS_RANDOM_H

/* Numbers that look random, the same in each run of a test (xorshift64: Marsaglia, 2003). */

#include <stdint.h>

static uint64_t state_of_random = 88172645463325252u;

static inline uint64_t next_random(void) {
  state_of_random ^= state_of_random << 13;
  state_of_random ^= state_of_random >> 7;
  state_of_random ^= state_of_random << 17;
  return state_of_random;
}

#endif
