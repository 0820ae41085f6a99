/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Sorting records by words of their own: merge sort from short runs; the order of many keys by radix sort. */

#include <string.h>

#include "base/base.h"
#include "base/numbers.h"

#define SHORT_RUN 8u

RDX_INLINE bool is_after(const uint64_t *a, const uint64_t *b, uint32_t compared) {
  for (uint32_t i = 0; i < compared; i++)
    if (a[i] != b[i])
      return a[i] > b[i];
  return false;
}

RDX_INLINE void insert_each(uint64_t *records, uint64_t count, uint32_t words, uint32_t compared, uint64_t *scratch) {
  const size_t size = words * sizeof *scratch;
  for (uint64_t i = 1; i < count; i++) {
    uint64_t k = i;
    memcpy(scratch, records + i * words, size);
    for (; k > 0 && is_after(records + (k - 1) * words, scratch, compared); k--)
      memcpy(records + k * words, records + (k - 1) * words, size);
    memcpy(records + k * words, scratch, size);
  }
}

/* Merge left .. middle - 1 and middle .. end - 1 into `to`. */
RDX_INLINE void merge(const uint64_t *left, const uint64_t *middle, const uint64_t *end, uint32_t words,
                      uint32_t compared, uint64_t *to) {
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

RDX_INLINE uint64_t *sort(uint64_t *records, uint64_t count, uint32_t words, uint32_t compared, uint64_t *scratch) {
  for (uint64_t begin = 0; begin < count; begin += SHORT_RUN)
    insert_each(records + begin * words, count - begin < SHORT_RUN ? count - begin : SHORT_RUN, words, compared,
                scratch);
  for (uint64_t width = SHORT_RUN; width < count; width *= 2) {
    for (uint64_t begin = 0; begin < count; begin += 2 * width) {
      const uint64_t middle = count - begin < width ? count : begin + width;
      const uint64_t end = count - begin < 2 * width ? count : begin + 2 * width;
      merge(records + begin * words, records + middle * words, records + end * words, words, compared,
            scratch + begin * words);
    }
    uint64_t *const sorted = scratch;
    scratch = records;
    records = sorted;
  }
  return records;
}

uint64_t *rdx_sort(uint64_t *records, uint64_t count, uint32_t words, uint32_t compared, uint64_t *scratch) {
  return sort(records, count, words, compared, scratch);
}

/* ---- The order of keys ---- */

#define RADIX_MIN 128 /* fewer are merged faster */
#define SPARE_BITS 6  /* more than number the keys: evenly spread ones seldom have all of them in common */

/* Sort by bits first .. end - 1, at most eight at a time, the lowest first (LSD radix sort: Knuth, The Art of Computer
 * Programming 3, section 5.2.5). */
static uint64_t *sort_by_bits(uint64_t *words, uint64_t count, uint32_t first, uint32_t end, uint64_t *scratch) {
  const uint32_t passes = (end - first + 7) / 8;
  for (uint32_t pass = 0; pass < passes; pass++) {
    const uint32_t shift = first + (end - first) * pass / passes;
    const uint32_t values = 1u << (first + (end - first) * (pass + 1) / passes - shift);
    uint64_t places[256] = {0}, before = 0;
    for (uint64_t i = 0; i < count; i++)
      places[words[i] >> shift & (values - 1)]++;
    for (uint32_t digit = 0; digit < values; digit++) {
      const uint64_t digits = places[digit];
      places[digit] = before;
      before += digits;
    }
    for (uint64_t i = 0; i < count; i++)
      scratch[places[words[i] >> shift & (values - 1)]++] = words[i];
    uint64_t *const sorted = scratch;
    scratch = words;
    words = sorted;
  }
  return words;
}

/* Insertion sort, until words have moved by more than `max` places in all. Returns whether it came to the end. */
static bool sort_nearly_sorted(uint64_t *words, uint64_t count, uint64_t max) {
  for (uint64_t i = 1; i < count; i++) {
    const uint64_t word = words[i];
    uint64_t k = i;
    for (; k > 0 && words[k - 1] > word; k--)
      words[k] = words[k - 1];
    words[k] = word;
    if (i - k > max)
      return false;
    max -= i - k;
  }
  return true;
}

/* Sort words by bits first .. end - 1, those equal in these being in order. The highest of them mostly put all but a
 * few into their places. */
static uint64_t *sort_by_max_bits(uint64_t *words, uint64_t count, uint32_t first, uint32_t end, uint64_t *scratch) {
  const uint32_t telling = (rdx_bit_length(count) + SPARE_BITS + 7) / 8 * 8;
  if (end - first > telling) {
    uint64_t *const sorted = sort_by_bits(words, count, end - telling, end, scratch);
    if (sort_nearly_sorted(sorted, count, count))
      return sorted;
    return sort_by_bits(sorted, count, first, end, sorted == words ? scratch : words);
  }
  return sort_by_bits(words, count, first, end, scratch);
}

/* A key and its place in one word, if they fit: without the `low` bits that are 0 in all keys. */
static void sort_words(const uint64_t *keys, uint64_t count, uint32_t low, uint32_t place_bits, uint64_t *order,
                       uint64_t *scratch) {
  uint64_t differ = 0;
  for (uint64_t i = 0; i < count; i++) {
    scratch[i] = keys[i] >> low << place_bits | i;
    differ |= (keys[0] ^ keys[i]) >> low;
  }
  if (differ != 0)
    scratch = count < RADIX_MIN ? sort(scratch, count, 1, 1, scratch + count)
                                : sort_by_max_bits(scratch, count, place_bits + (uint32_t)__builtin_ctzll(differ),
                                                   place_bits + rdx_bit_length(differ), scratch + count);
  for (uint64_t i = 0; i < count; i++)
    order[i] = scratch[i] & ((1ull << place_bits) - 1);
}

void rdx_sort_order(const uint64_t *keys, uint64_t count, uint64_t *order, uint64_t *scratch) {
  uint64_t all = 0;
  for (uint64_t i = 0; i < count; i++)
    all |= keys[i];
  const uint32_t low = all ? (uint32_t)__builtin_ctzll(all) : 0, place_bits = rdx_bits_below(count);
  if (rdx_bit_length(all) - low + place_bits <= 64) {
    sort_words(keys, count, low, place_bits, order, scratch);
    return;
  }
  for (uint64_t i = 0; i < count; i++) {
    scratch[2 * i] = keys[i];
    scratch[2 * i + 1] = i;
  }
  const uint64_t *sorted = sort(scratch, count, 2, 1, scratch + 2 * count);
  for (uint64_t i = 0; i < count; i++)
    order[i] = sorted[2 * i + 1];
}

int rdx_u64_order(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}
