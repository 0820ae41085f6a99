/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Sorting records by words of their own: merge sort of few, from short runs; of more pairs, radix sort. */

#include <string.h>

#include "base/base.h"

#define SHORT_RUN 8u
#define INLINE static inline __attribute__((always_inline)) /* so that sizes are known where they are */

INLINE bool is_after(const uint64_t *a, const uint64_t *b, uint32_t compared) {
  for (uint32_t i = 0; i < compared; i++)
    if (a[i] != b[i])
      return a[i] > b[i];
  return false;
}

INLINE void insert_each(uint64_t *records, uint64_t count, uint32_t words, uint32_t compared, uint64_t *room) {
  const size_t size = words * sizeof *room;
  for (uint64_t i = 1; i < count; i++) {
    uint64_t k = i;
    memcpy(room, records + i * words, size);
    for (; k > 0 && is_after(records + (k - 1) * words, room, compared); k--)
      memcpy(records + k * words, records + (k - 1) * words, size);
    memcpy(records + k * words, room, size);
  }
}

/* Merge left .. middle - 1 and middle .. end - 1 into `to`. */
INLINE void merge(const uint64_t *left, const uint64_t *middle, const uint64_t *end, uint32_t words, uint32_t compared,
                  uint64_t *to) {
  const uint64_t *right = middle;
  for (; left < middle && right < end; to += words) {
    const bool from_right = is_after(left, right, compared);
    memcpy(to, from_right ? right : left, words * sizeof *to);
    right += from_right ? words : 0;
    left += from_right ? 0 : words;
  }
  memcpy(to, left, (size_t)(middle - left) * sizeof *to);
  memcpy(to + (middle - left), right, (size_t)(end - right) * sizeof *to);
}

INLINE uint64_t *sort(uint64_t *records, uint64_t count, uint32_t words, uint32_t compared, uint64_t *room) {
  for (uint64_t begin = 0; begin < count; begin += SHORT_RUN)
    insert_each(records + begin * words, count - begin < SHORT_RUN ? count - begin : SHORT_RUN, words, compared, room);
  for (uint64_t width = SHORT_RUN; width < count; width *= 2) {
    for (uint64_t begin = 0; begin < count; begin += 2 * width) {
      const uint64_t middle = count - begin < width ? count : begin + width;
      const uint64_t end = count - begin < 2 * width ? count : begin + 2 * width;
      merge(records + begin * words, records + middle * words, records + end * words, words, compared,
            room + begin * words);
    }
    uint64_t *const sorted = room;
    room = records;
    records = sorted;
  }
  return records;
}

/* ---- Pairs, of which the first words are compared ---- */

#define RADIX_LEAST 128 /* fewer are merged faster */

/* By eight bits at a time, the lowest first (LSD radix sort: Knuth, The Art of Computer Programming 3, section 5.2.5),
 * and only those that differ anywhere. */
static uint64_t *sort_pairs(uint64_t *pairs, uint64_t count, uint64_t *room) {
  uint64_t differ = 0;
  for (uint64_t i = 1; i < count; i++)
    differ |= pairs[0] ^ pairs[2 * i];
  for (uint32_t shift = 0; shift < 64; shift += 8) {
    uint64_t ends[257] = {0};
    if ((differ >> shift & 0xff) == 0)
      continue;
    for (uint64_t i = 0; i < count; i++)
      ends[(pairs[2 * i] >> shift & 0xff) + 1]++;
    for (uint32_t digit = 0; digit < 256; digit++)
      ends[digit + 1] += ends[digit];
    for (uint64_t i = 0; i < count; i++) {
      const uint64_t to = ends[pairs[2 * i] >> shift & 0xff]++;
      room[2 * to] = pairs[2 * i];
      room[2 * to + 1] = pairs[2 * i + 1];
    }
    uint64_t *const sorted = room;
    room = pairs;
    pairs = sorted;
  }
  return pairs;
}

uint64_t *rdx_sort(uint64_t *records, uint64_t count, uint32_t words, uint32_t compared, uint64_t *room) {
  if (words != 2 || compared != 1)
    return sort(records, count, words, compared, room);
  return count < RADIX_LEAST ? sort(records, count, 2, 1, room) : sort_pairs(records, count, room);
}
