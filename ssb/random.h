/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef SSB_RANDOM_H
#define SSB_RANDOM_H

/* Random numbers by counter, as Salmon et al. have them ("Parallel random numbers: as easy as 1, 2, 3", SC 2011), with
 * the mixing of SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014). */

#include <stdint.h>

/* What is drawn. The numbers are part of what a seed means: do not renumber. */
typedef enum ssb_draw {
  DRAW_LINES = 1,
  DRAW_ORDER_CUSTOMER,
  DRAW_ORDER_DATE,
  DRAW_ORDER_PRIORITY,
  DRAW_LINE_PART,
  DRAW_LINE_SUPPLIER,
  DRAW_LINE_QUANTITY,
  DRAW_LINE_DISCOUNT,
  DRAW_LINE_TAX,
  DRAW_LINE_COMMIT,
  DRAW_LINE_SHIPMODE,
  DRAW_CUSTOMER_ADDRESS,
  DRAW_CUSTOMER_CITY,
  DRAW_CUSTOMER_PHONE,
  DRAW_CUSTOMER_SEGMENT,
  DRAW_SUPPLIER_ADDRESS,
  DRAW_SUPPLIER_CITY,
  DRAW_SUPPLIER_PHONE,
  DRAW_PART_NAME,
  DRAW_PART_BRAND,
  DRAW_PART_COLOR,
  DRAW_PART_TYPE,
  DRAW_PART_SIZE,
  DRAW_PART_CONTAINER,
} ssb_draw;

static inline uint64_t ssb_mix(uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9u;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

/* Where the numbers of a draw begin. */
static inline uint64_t ssb_stream(uint64_t seed, ssb_draw draw) {
  return ssb_mix(ssb_mix(seed + 0x9e3779b97f4a7c15u) + (uint64_t)draw * 0x9e3779b97f4a7c15u);
}

/* Number `i` of a stream. */
static inline uint64_t ssb_random(uint64_t stream, uint64_t i) {
  return ssb_mix(stream + i * 0x9e3779b97f4a7c15u);
}

/* The same as one of 0 .. n - 1: the upper bits of a product. */
static inline uint32_t ssb_pick(uint64_t stream, uint64_t i, uint32_t n) {
  const uint64_t r = ssb_random(stream, i);
  return (uint32_t)(((r >> 32) * n + ((r & UINT32_MAX) * n >> 32)) >> 32);
}

#endif
