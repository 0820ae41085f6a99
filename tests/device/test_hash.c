/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The hash table over keys that would upset a weaker one, and over keys chosen to upset this one. */

#include "reference.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/hash/hash.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- Undoing the mix ---- */

/* The inverse of an odd factor modulo 2^64, by Newton's iteration. */
static uint64_t inverse(uint64_t factor) {
  uint64_t x = factor;
  for (int i = 0; i < 6; i++)
    x *= 2 - factor * x;
  return x;
}

static uint32_t unmix_u32(uint32_t y) {
  y ^= y >> 16;
  y *= (uint32_t)inverse(0xc2b2ae35u);
  y ^= y >> 13 ^ y >> 26;
  y *= (uint32_t)inverse(0x85ebca6bu);
  return y ^ y >> 16;
}

static uint64_t unmix_u64(uint64_t y) {
  y ^= y >> 33;
  y *= inverse(0xc4ceb9fe1a85ec53u);
  y ^= y >> 33;
  y *= inverse(0xff51afd7ed558ccdu);
  return y ^ y >> 33;
}

/* ---- Keys ---- */

static uint64_t reverse_bits(uint64_t x, uint32_t bits) {
  uint64_t reversed = 0;
  for (uint32_t i = 0; i < bits; i++)
    reversed |= (x >> i & 1) << (bits - 1 - i);
  return reversed;
}

typedef enum pattern {
  STRIDE_2_4, /* multiples of powers of two */
  STRIDE_2_12,
  STRIDE_2_20,
  BIT_REVERSED,
  FROM_TOP,
  LAST_NATURAL = FROM_TOP,
  SAME_HOME,     /* all share the first bucket as their home */
  LAST_HOME,     /* all share the last one */
  THREE_HOMES,   /* three far apart */
  PATTERN_COUNT, /* the patterns before it */
} pattern;

static uint64_t key_of(pattern p, uint64_t i, uint32_t bits) {
  const uint64_t top = bits == 32 ? UINT32_MAX : UINT64_MAX;
  uint64_t mixed = i;
  switch (p) {
  case STRIDE_2_4:
    return i << 4;
  case STRIDE_2_12:
    return i << 12;
  case STRIDE_2_20:
    return i << 20;
  case BIT_REVERSED:
    return reverse_bits(i, bits);
  case FROM_TOP:
    return top - i;
  case SAME_HOME:
    break;
  case LAST_HOME:
    mixed = top - i;
    break;
  default:
    mixed = i + (i % 3) * (top / 3);
  }
  return bits == 32 ? unmix_u32((uint32_t)mixed) : unmix_u64(mixed);
}

static test_column make_keys(pattern p, uint32_t bits, uint64_t rows, uint64_t rows_of_key) {
  test_column column = column_make(bits == 32 ? RDX_TYPE_U32 : RDX_TYPE_U64, SHAPE_EMPTY, NO_NULLS, 0);
  free((void *)(uintptr_t)column.view.values);
  void *values = malloc(rows * bits / 8);
  assert_non_null(values);
  for (uint64_t i = 0; i < rows; i++) {
    const uint64_t key = key_of(p, i / rows_of_key, bits);
    if (bits == 32)
      ((uint32_t *)values)[i] = (uint32_t)key;
    else
      ((uint64_t *)values)[i] = key;
  }
  column.view.values = values;
  column.view.rows = rows;
  return column;
}

/* ---- Tests ---- */

static void test_mix(void **state) {
  (void)state;
  static const uint64_t some[] = {0, 1, 2, 0x7fffffff, 0x80000000, UINT32_MAX, 1ull << 32, INT64_MAX, UINT64_MAX};
  for (size_t i = 0; i < COUNT(some); i++) {
    assert_int_equal(unmix_u32(mix_u32((uint32_t)some[i])), (uint32_t)some[i]);
    assert_int_equal(unmix_u64(mix_u64(some[i])), some[i]);
  }
}

static void check_pattern(pattern p, uint32_t bits, uint64_t rows, uint64_t rows_of_key,
                          const rdx_hash_params *params) {
  test_column keys = make_keys(p, bits, rows, rows_of_key);
  test_column values = column_make(RDX_TYPE_I32, SHAPE_RANDOM, SOME_NULLS, rows);
  test_column points = column_probes(&keys, 80, SOME_NULLS);
  rdx_index *index = NULL;
  const rdx_index_params of = params_here(&(rdx_index_params){.method = RDX_INDEX_HASH, .hash = *params});
  OK(rdx_index_create(test_device, &keys.view, &of, &index, err));
  check_lookups(index, &keys.view, &points.view, NULL, &values.view);
  rdx_index_destroy(&index);
  column_free(&keys);
  column_free(&values);
  column_free(&points);
}

static void test_patterns(void **state) {
  (void)state;
  static const rdx_hash_params params[] = {{.load_percent = 10}, {0}, {.load_percent = 95, .lanes = 2}};
  for (pattern p = 0; p < PATTERN_COUNT; p++)
    for (uint32_t bits = 32; bits <= 64; bits += 32)
      for (uint64_t rows_of_key = 1; rows_of_key <= 4; rows_of_key += 3)
        check_pattern(p, bits, 150 + test_random() % 40, rows_of_key, &params[test_random() % COUNT(params)]);
}

/* Entries that several workgroups place: chains go on from one to the next. */
static void test_tiles(void **state) {
  (void)state;
  for (uint32_t bits = 32; bits <= 64; bits += 32) {
    for (uint64_t rows_of_key = 1; rows_of_key <= 3; rows_of_key += 2) {
      const uint64_t rows = rows_of_key * (4 * HASH_TILE + test_random() % HASH_TILE);
      check_pattern(BIT_REVERSED, bits, rows, rows_of_key, &(rdx_hash_params){.load_percent = 95});
      check_pattern(THREE_HOMES, bits, rows, rows_of_key, &(rdx_hash_params){0});
      check_pattern(LAST_HOME, bits, rows, rows_of_key, &(rdx_hash_params){.load_percent = 50});
    }
  }
}

/* Keys inserted one by one: the same answers, of chains that pass the last home, too. */
static void test_inserted(void **state) {
  (void)state;
  static const uint8_t loads[] = {10, 0, 95};
  for (pattern p = 0; p < PATTERN_COUNT; p++)
    for (uint32_t bits = 32; bits <= 64; bits += 32)
      for (size_t i = 0; i < COUNT(loads); i++) {
        const rdx_hash_params params = {.load_percent = loads[i], .build = RDX_HASH_BUILD_INSERT};
        check_pattern(p, bits, 1 + test_random() % 200, 1, &params);
      }
  for (uint32_t bits = 32; bits <= 64; bits += 32) {
    const rdx_hash_params params = {.load_percent = 95, .build = RDX_HASH_BUILD_INSERT};
    check_pattern(BIT_REVERSED, bits, 4 * HASH_TILE + test_random() % HASH_TILE, 1, &params);
  }
}

/* They are refused where two are equal: the largest mixed key, whose slot looks empty, among them. */
static void test_inserted_repeated(void **state) {
  (void)state;
  for (uint32_t bits = 32; bits <= 64; bits += 32) {
    for (uint64_t rows = 1; rows <= 2; rows++) {
      test_column keys = make_keys(LAST_HOME, bits, rows, 2);
      const rdx_index_params params = {.method = RDX_INDEX_HASH, .hash.build = RDX_HASH_BUILD_INSERT};
      rdx_index *index = NULL;
      rdx_error refusal = {""};
      const rdx_status status = rdx_index_create(test_device, &keys.view, &params, &index, &refusal);
      assert_int_equal(status, rows == 1 ? RDX_OK : RDX_ERROR_UNSUPPORTED);
      assert_true(rows == 1 || strstr(refusal.text, "takes distinct keys"));
      rdx_index_destroy(&index);
      column_free(&keys);
    }
  }
}

static uint64_t visits_of(const rdx_index *index, const rdx_column *probes) {
  rdx_lookup_result *result = NULL;
  rdx_lookup_stats stats;
  OK(rdx_index_lookup(index, probes, &(rdx_lookup_params){.stats = true}, &result, err));
  rdx_lookup_result_get_stats(result, &stats);
  rdx_lookup_result_destroy(&result);
  assert_int_equal(stats.rays, 0);
  return stats.visits;
}

/* No natural pattern of keys makes searches long, those of keys that are not there included. */
static void test_visits(void **state) {
  (void)state;
  const uint64_t rows = 4000;
  for (pattern p = 0; p <= LAST_NATURAL; p++) {
    for (uint32_t bits = 32; bits <= 64; bits += 32) {
      rdx_index_params params = {.method = RDX_INDEX_HASH};
      test_column keys = make_keys(p, bits, rows, 1), more = make_keys(p, bits, 2 * rows, 1);
      rdx_index *index = NULL;
      rdx_index_stats stats;
      OK(rdx_index_create(test_device, &keys.view, &params, &index, err));
      const uint64_t visits = visits_of(index, &more.view);
      assert_in_range(visits_of(index, &keys.view), rows, rows * 3 / 2);
      assert_in_range(visits, 2 * rows, 2 * rows * 3 / 2);
      rdx_index_get_stats(index, &stats);
      assert_true(stats.distinct);
      const uint64_t bytes = rows * 64 / (bits == 32 ? 8 : 5) * 10 / 8;
      assert_in_range(stats.bytes_resident, bytes * 95 / 100, bytes * 105 / 100);
      rdx_index_destroy(&index);
      params.hash.build = RDX_HASH_BUILD_INSERT; /* the same table */
      OK(rdx_index_create(test_device, &keys.view, &params, &index, err));
      assert_int_equal(visits_of(index, &more.view), visits);
      rdx_index_destroy(&index);
      column_free(&keys);
      column_free(&more);
    }
  }
}

/* A fuller table is a smaller one in which searches are longer. */
static void test_load(void **state) {
  (void)state;
  test_column keys = make_keys(BIT_REVERSED, 32, 5000, 1);
  uint64_t visits = 0, bytes = UINT64_MAX;
  static const uint8_t loads[] = {10, 50, 80, 95};
  for (size_t i = 0; i < COUNT(loads); i++) {
    const rdx_index_params params = {.method = RDX_INDEX_HASH, .hash.load_percent = loads[i]};
    rdx_index *index = NULL;
    rdx_index_stats stats;
    OK(rdx_index_create(test_device, &keys.view, &params, &index, err));
    rdx_index_get_stats(index, &stats);
    assert_true(stats.bytes_resident < bytes);
    bytes = stats.bytes_resident;
    const uint64_t looked = visits_of(index, &keys.view);
    assert_true(looked >= visits);
    visits = looked;
    rdx_index_destroy(&index);
  }
  column_free(&keys);
}

static void test_no_ranges(void **state) {
  (void)state;
  test_column keys = make_keys(STRIDE_2_4, 32, 10, 1);
  rdx_index *index = NULL;
  rdx_lookup_result *result = NULL;
  rdx_error refusal = {""};
  OK(rdx_index_create(test_device, &keys.view, &(rdx_index_params){.method = RDX_INDEX_HASH}, &index, err));
  assert_int_equal(rdx_index_range(index, &keys.view, &keys.view, NULL, &result, &refusal), RDX_ERROR_UNSUPPORTED);
  assert_non_null(strstr(refusal.text, "point lookups only"));
  assert_null(result);
  rdx_index_destroy(&index);
  column_free(&keys);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_mix),      cmocka_unit_test(test_patterns),
      cmocka_unit_test(test_tiles),    cmocka_unit_test(test_visits),
      cmocka_unit_test(test_load),     cmocka_unit_test(test_no_ranges),
      cmocka_unit_test(test_inserted), cmocka_unit_test(test_inserted_repeated),
  };
  return TEST_MAIN(tests);
}
