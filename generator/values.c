/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

#include "generator/values.h"

#include "generator/random.h"

#include <stdio.h>
#include <string.h>

void generator_put(const generator_space *out, uint64_t i, const char *text, size_t length) {
  memcpy((char *)out->values + out->offsets[i], text, length);
  out->offsets[i + 1] = out->offsets[i] + length;
}

void generator_put_name(const generator_space *out, uint64_t i, const char *kind, uint32_t key) {
  char text[32];
  const int length = snprintf(text, sizeof text, "%s#%09u", kind, key);
  generator_put(out, i, text, (size_t)length);
}

/* Numbers of the stream: the length, then one for each ten characters. */
void generator_put_address(const generator_space *out, uint64_t i, uint32_t longest, uint64_t stream, uint64_t row) {
  static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ,";
  char text[40];
  const uint64_t first = row * (1 + (longest + 9) / 10);
  const uint32_t length = 10 + generator_pick(stream, first, longest - 9);
  uint64_t bits = 0;
  for (uint32_t at = 0; at < length; at++, bits >>= 6) {
    if (at % 10 == 0)
      bits = generator_random(stream, first + 1 + at / 10);
    text[at] = letters[bits & 63];
  }
  generator_put(out, i, text, length);
}

void generator_put_phone(const generator_space *out, uint64_t i, uint32_t nation, uint64_t random) {
  char text[16];
  const int length = snprintf(text, sizeof text, "%u-%u-%u-%u", 10 + nation, 100 + (uint32_t)(random & 0xfffff) % 900,
                              100 + (uint32_t)(random >> 20 & 0xfffff) % 900, 1000 + (uint32_t)(random >> 40) % 9000);
  generator_put(out, i, text, (size_t)length);
}

/* Every order of the seven numbers is as likely: the digits of one random number in a mixed base pick it (Fisher and
 * Yates). */
uint32_t generator_block_lines(uint64_t stream, uint64_t block, uint64_t orders, uint8_t lines[BLOCK_ORDERS]) {
  uint64_t r = generator_random(stream, block);
  for (uint32_t i = 0; i < BLOCK_ORDERS; i++)
    lines[i] = (uint8_t)(i + 1);
  for (uint32_t i = BLOCK_ORDERS - 1; i > 0; i--) {
    const uint32_t j = (uint32_t)(r % (i + 1));
    const uint8_t kept = lines[i];
    r /= i + 1;
    lines[i] = lines[j];
    lines[j] = kept;
  }
  uint32_t sum = 0;
  for (uint32_t i = 0; i < BLOCK_ORDERS; i++) {
    if (block * BLOCK_ORDERS + i >= orders)
      lines[i] = 0;
    sum += lines[i];
  }
  return sum;
}

uint64_t generator_all_lines(uint64_t stream, uint64_t orders) {
  uint8_t lines[BLOCK_ORDERS];
  const uint64_t full = orders / BLOCK_ORDERS;
  return full * BLOCK_ROWS + generator_block_lines(stream, full, orders, lines);
}

uint32_t generator_order_customer(uint64_t stream, uint64_t order, uint32_t customers) {
  const uint32_t i = generator_pick(stream, order, customers - customers / 3);
  return i / 2 * 3 + i % 2 + 1;
}
