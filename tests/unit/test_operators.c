/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Operators of tiles, of each instruction set that this machine has, beside going from row to row. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "kernels/column_engine/operators.h"
#include "tests/unit/random.h"

#define WORDS (ENGINE_BATCH / 64)

/* A batch: codes in exactly the room that they have, and which rows are left. */
typedef struct batch {
  uint32_t n, count, bytes; /* rows, words of them, bytes of a code */
  uint64_t low, codes_in_use;
  char *codes;
  uint64_t words[WORDS];
} batch;

static uint64_t code_in(const batch *b, uint32_t row) {
  uint64_t code = 0;
  memcpy(&code, b->codes + (size_t)row * b->bytes, b->bytes); /* on machines that start with the low byte */
  return code;
}

/* `ahead` is only fetched: any number will do. */
static piece piece_of(const batch *b) {
  return (piece){b->codes, b->bytes, b->count, next_random() % 2 ? b->n * b->bytes : 0};
}

static bool is_left(const uint64_t *words, uint32_t row) {
  return (words[row / 64] >> row % 64 & 1) != 0;
}

/* From none of the rows to all of them. */
static void draw_rows(batch *b) {
  static const uint32_t kept[] = {0, 1, 5, 30, 150, 500, 900, 1000};
  const uint32_t of_1000 = kept[next_random() % 8];
  memset(b->words, 0, sizeof b->words);
  for (uint32_t row = 0; row < b->n; row++)
    b->words[row / 64] |= (uint64_t)(next_random() % 1000 < of_1000) << row % 64;
}

/* Codes from `low` to low + most, their extremes among them. */
static batch draw_batch(uint32_t bytes, uint64_t low, uint64_t max) {
  batch b = {.n = next_random() % 4 ? ENGINE_BATCH : 1 + (uint32_t)(next_random() % ENGINE_BATCH), .bytes = bytes};
  b.count = (b.n + 63) / 64;
  b.low = low;
  b.codes_in_use = max + 1;
  b.codes = malloc((size_t)b.n * bytes + PACKED_PADDING);
  assert_non_null(b.codes);
  memset(b.codes + (size_t)b.n * bytes, 0xff, PACKED_PADDING);
  for (uint32_t row = 0; row < b.n; row++) {
    const uint64_t code = low + (next_random() % 16 == 0 ? next_random() % 2 * max : next_random() % (max + 1));
    memcpy(b.codes + (size_t)row * bytes, &code, bytes);
  }
  draw_rows(&b);
  return b;
}

static uint32_t *draw_bits(uint64_t count) {
  uint32_t *bits = calloc(count / 32 + 1, sizeof *bits);
  assert_non_null(bits);
  for (uint64_t k = 0; k < count; k++)
    bits[k / 32] |= (uint32_t)(next_random() % 3 == 0) << k % 32;
  return bits;
}

static void check_words(const batch *b, const uint64_t *expected, const uint64_t *words) {
  assert_memory_equal(words, expected, b->count * sizeof *words);
}

static const uint32_t widths[] = {1, 2, 4, 8};

static void check_compare(const operators *o) {
  static const uint64_t mosts[] = {255, 65535, 4294967295, UINT64_MAX - 1};
  for (uint32_t round = 0; round < 800; round++) {
    const uint64_t max = mosts[round % 4] >> (next_random() % 2 ? 0 : next_random() % 8);
    batch b = draw_batch(widths[round % 4], 0, max);
    const uint64_t low = next_random() % 8 ? next_random() % (max + 1) : 0;
    const uint64_t span = next_random() % 8 ? next_random() % (max - low + 1) : max - low;
    uint64_t expected[WORDS] = {0}, words[WORDS];
    b.count = b.n / 64; /* whole words only */
    for (uint32_t row = 0; row < b.count * 64; row++)
      if (is_left(b.words, row) && code_in(&b, row) - low <= span)
        expected[row / 64] |= 1ul << row % 64;
    memcpy(words, b.words, sizeof words);
    const piece p = piece_of(&b);
    o->compare(&p, low, span, words);
    check_words(&b, expected, words);
    free(b.codes);
  }
}

static void check_list(const operators *o) {
  for (uint32_t round = 0; round < 400; round++) {
    batch b = draw_batch(1, 0, 255);
    const uint32_t first = (uint32_t)(next_random() % 100000);
    uint32_t left = 0, at = 0;
    for (uint32_t row = 0; row < b.n; row++)
      left += is_left(b.words, row);
    uint32_t *rows = malloc((left + ENGINE_SLACK) * sizeof *rows);
    assert_non_null(rows);
    assert_int_equal(o->list(b.words, b.count, first, rows), left);
    for (uint32_t row = 0; row < b.n; row++)
      if (is_left(b.words, row))
        assert_int_equal(rows[at++], first + row);
    free(rows);
    free(b.codes);
  }
}

/* Codes of rows that are not left may be any. */
static void draw_others(batch *b) {
  for (uint32_t row = 0; row < b->n; row++)
    if (!is_left(b->words, row))
      memset(b->codes + (size_t)row * b->bytes, (int)(next_random() % 256), b->bytes);
}

static void find_expected(const batch *b, const uint32_t *bits, uint64_t *expected) {
  memset(expected, 0, WORDS * sizeof *expected);
  for (uint32_t row = 0; row < b->n; row++) {
    const uint64_t k = is_left(b->words, row) ? code_in(b, row) - b->low : 0;
    if (is_left(b->words, row) && (bits[k / 32] >> k % 32 & 1) != 0)
      expected[row / 64] |= 1ul << row % 64;
  }
}

/* From one code to more than two bytes are for. */
static batch draw_codes(uint32_t round, uint32_t max_bytes) {
  static const uint64_t mosts[] = {0, 255, 1, 256, 4095, 65535, 65536, 300000};
  const uint64_t max = mosts[round % 8];
  const uint32_t fitting = max < 256 ? 1 : max < 65536 ? 2 : 4;
  const uint32_t wider = fitting << next_random() % 3, bytes = wider > max_bytes ? max_bytes : wider;
  const uint64_t capacity = bytes == 1 ? 255 - max : bytes == 2 ? 65535 - max : 1000000;
  return draw_batch(bytes, next_random() % 2 ? 0 : next_random() % (capacity + 1), max);
}

static void check_look_up(const operators *o) {
  for (uint32_t round = 0; round < 800; round++) {
    batch b = draw_codes(round, 8);
    uint32_t *bits = draw_bits(b.codes_in_use);
    const code_set set = {bits, b.low};
    draw_others(&b);
    uint64_t expected[WORDS], words[WORDS];
    find_expected(&b, bits, expected);
    memcpy(words, b.words, sizeof words);
    const piece p = piece_of(&b);
    o->look_up(&p, &set, words);
    check_words(&b, expected, words);
    free(bits);
    free(b.codes);
  }
}

static void check_look_up_small(const operators *o) {
  static const uint64_t mosts[] = {255, ENGINE_SMALL - 1, 255, 2047, 201, 1000, 255, 300};
  static small_bits small;
  for (uint32_t round = 0; round < 800; round++) {
    const uint32_t bytes = 1 + round % 2;
    const uint64_t low = next_random() % 2 ? 0 : next_random() % 200, most = mosts[round % 8] - low;
    batch b = draw_batch(bytes, low, next_random() % 2 ? most : next_random() % (most + 1));
    uint32_t *bits = draw_bits(ENGINE_SMALL);
    uint64_t expected[WORDS], words[WORDS];
    make_small(bits, low, b.codes_in_use, o->small_size, &small);
    draw_others(&b);
    find_expected(&b, bits, expected);
    memcpy(words, b.words, sizeof words);
    const piece p = piece_of(&b);
    o->look_up_small(&p, &small, words);
    check_words(&b, expected, words);
    free(bits);
    free(b.codes);
  }
}

static void check_follow(const operators *o) {
  enum { PARTNERS = 1400000 }; /* more than draw_codes() draws */
  uint32_t *bits = draw_bits(PARTNERS);
  for (uint32_t round = 0; round < 400; round++) {
    batch b = draw_codes(round, 4); /* as dimensions have fewer than 2^32 rows */
    b.low = 0;
    uint32_t n = 0, at = 0;
    const uint32_t first = (uint32_t)(next_random() % b.n);
    uint32_t *rows = malloc((b.n + ENGINE_SLACK) * sizeof *rows);
    assert_non_null(rows);
    for (uint32_t row = first; row < b.n; row++)
      if (is_left(b.words, row))
        rows[n++] = row - first;
    uint64_t expected[WORDS];
    find_expected(&b, bits, expected);
    const engine_link link = {
        .foreign_rows = (uint32_t *)(void *)b.codes, .bits = bits, .bytes = b.bytes, .rows = PARTNERS};
    const uint32_t kept = o->follow(&link, first, rows, n);
    for (uint32_t row = first; row < b.n; row++)
      if (is_left(expected, row))
        assert_int_equal(rows[at++], row - first);
    assert_int_equal(kept, at);
    free(rows);
    free(b.codes);
  }
  free(bits);
}

static void check_set(const operators *o) {
  check_compare(o);
  check_list(o);
  check_look_up(o);
  if (o->look_up_small)
    check_look_up_small(o);
  check_follow(o);
}

static void test_plain(void **state) {
  (void)state;
  check_set(&operators_plain);
}

#if defined __x86_64__
static void test_avx2(void **state) {
  (void)state;
  if (!__builtin_cpu_supports("avx2"))
    skip();
  check_set(&operators_avx2);
}

static void test_avx512(void **state) {
  (void)state;
  if (!has_avx512())
    skip();
  check_set(&operators_avx512);
}

static void test_vbmi2(void **state) {
  (void)state;
  if (!has_vbmi2())
    skip();
  check_set(&operators_vbmi2);
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_plain),
#if defined __x86_64__
    cmocka_unit_test(test_avx2),
    cmocka_unit_test(test_avx512),
    cmocka_unit_test(test_vbmi2),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
