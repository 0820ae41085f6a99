/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* md5(): the digest of RFC 1321. */

#include <stdio.h>
#include <string.h>

#include "expression/functions.h"

#define BLOCK 64 /* bytes */

static uint32_t rotate_left(uint32_t x, uint32_t bits) {
  return x << bits | x >> (32 - bits);
}

static void add_block(uint32_t state[4], const uint8_t *block) {
  /* The whole parts of 2^32 |sin i|, i from 1 */
  static const uint32_t sines[] = {
      0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
      0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
      0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
      0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
      0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
      0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
      0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
      0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
  };
  static const uint8_t shifts[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
  static const uint8_t steps[4] = {1, 5, 3, 7}, starts[4] = {0, 1, 5, 0}; /* which words the rounds take */
  uint32_t words[BLOCK / 4], a = state[0], b = state[1], c = state[2], d = state[3];
  for (uint32_t i = 0; i < BLOCK / 4; i++, block += 4)
    words[i] = block[0] | (uint32_t)block[1] << 8 | (uint32_t)block[2] << 16 | (uint32_t)block[3] << 24;
  for (uint32_t i = 0; i < 64; i++) {
    const uint32_t round = i / 16;
    const uint32_t mixed = round == 0   ? (b & c) | (~b & d)
                           : round == 1 ? (d & b) | (~d & c)
                           : round == 2 ? b ^ c ^ d
                                        : c ^ (b | ~d);
    const uint32_t sum = a + mixed + sines[i] + words[(starts[round] + steps[round] * i) % 16];
    a = d;
    d = c;
    c = b;
    b += rotate_left(sum, shifts[round][i % 4]);
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
}

rdx_status rdx_text_md5(RDX_ROW_ARGUMENTS) {
  const rdx_sql_text text = args[0].text;
  uint32_t state[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  uint8_t last[2 * BLOCK] = {0}; /* the rest, a bit that is set, and the number of bits */
  const uint64_t whole = text.length / BLOCK * BLOCK, rest = text.length - whole;
  const uint64_t end = rest + 9 <= BLOCK ? BLOCK : 2 * BLOCK;
  char *to = NULL;
  RDX_TRY(rdx_take_text(w, 33, &to));
  for (uint64_t at = 0; at < whole; at += BLOCK)
    add_block(state, (const uint8_t *)text.data + at);
  if (rest > 0)
    memcpy(last, text.data + whole, rest);
  last[rest] = 0x80;
  for (uint32_t i = 0; i < 8; i++)
    last[end - 8 + i] = (uint8_t)(text.length * 8 >> 8 * i);
  for (uint64_t at = 0; at < end; at += BLOCK)
    add_block(state, last + at);
  for (uint32_t i = 0; i < 16; i++)
    snprintf(to + (size_t)2 * i, 3, "%02x", state[i / 4] >> 8 * (i % 4) & 0xff);
  out->text = (rdx_sql_text){to, 32};
  return RDX_OK;
}
