/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef GENERATOR_RANDOM_H
#define GENERATOR_RANDOM_H

/* Random numbers by counter, as Salmon et al. have them ("Parallel random numbers: as easy as 1, 2, 3", SC 2011), with
 * the mixing of SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014). */

#include <stdint.h>

static inline uint64_t generator_mix(uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9u;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

/* Where the numbers of a draw begin: a generator numbers what it draws. */
static inline uint64_t generator_stream(uint64_t seed, uint32_t draw) {
  return generator_mix(generator_mix(seed + 0x9e3779b97f4a7c15u) + (uint64_t)draw * 0x9e3779b97f4a7c15u);
}

/* Number `i` of a stream. */
static inline uint64_t generator_random(uint64_t stream, uint64_t i) {
  return generator_mix(stream + i * 0x9e3779b97f4a7c15u);
}

/* The same as one of 0 .. n - 1: the upper bits of a product. */
static inline uint32_t generator_pick(uint64_t stream, uint64_t i, uint32_t n) {
  const uint64_t r = generator_random(stream, i);
  return (uint32_t)(((r >> 32) * n + ((r & UINT32_MAX) * n >> 32)) >> 32);
}

#endif
