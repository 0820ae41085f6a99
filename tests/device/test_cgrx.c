/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The rays of cgRX: that they find the bucket of a key by themselves, and as many as the paper's algorithms cast. */

#include "reference.h"

#include <stdlib.h>

#define ROWS 3000
#define X_BITS 23
#define Y_BITS 23

typedef struct data {
  uint64_t keys[ROWS]; /* ascending */
  uint64_t reps[ROWS];
  uint32_t rep_count, bucket;
} data;

static int compare(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

/* Keys that differ, `kind` 0: dense; 1: a few rows; 2: many rows of a few planes; 3: all of u64; 4: clusters. */
static void make(data *d, int kind, uint32_t bucket) {
  uint64_t x = 88172645463325252ull + test_random();
  for (uint64_t i = 0; i < ROWS; i++) {
    x = x * 6364136223846793005ull + 1442695040888963407ull;
    const uint64_t r = x ^ x >> 31;
    d->keys[i] = kind == 0   ? 5000 + i
                 : kind == 1 ? (r % 5 << X_BITS | (i << 10)) + r % 1000
                 : kind == 2 ? (r % 3 << (X_BITS + Y_BITS)) + (i << 26) + r % 100000
                 : kind == 3 ? r
                             : (i % 7 << 55) + (i % 50 << 30) + (i << 8);
  }
  qsort(d->keys, ROWS, sizeof *d->keys, compare);
  for (uint64_t i = 1; i < ROWS; i++)
    if (d->keys[i] <= d->keys[i - 1])
      d->keys[i] = d->keys[i - 1] + 1;
  d->bucket = bucket;
  d->rep_count = 0;
  for (uint32_t i = bucket - 1; i < ROWS; i += bucket)
    d->reps[d->rep_count++] = d->keys[i];
  if (ROWS % bucket != 0)
    d->reps[d->rep_count++] = d->keys[ROWS - 1];
}

static uint64_t row_of(uint64_t key) {
  return key >> X_BITS;
}

static uint64_t plane_of(uint64_t key) {
  return key >> (X_BITS + Y_BITS);
}

/* The first representative that is not below a key, which is not above them all. */
static uint32_t bucket_of(const data *d, uint64_t key) {
  uint32_t b = 0;
  while (d->reps[b] < key)
    b++;
  return b;
}

/* Algorithm 2, with markers that have the number of a bucket: no ray follows the one that finds a marker. */
static uint64_t rays_naive(const data *d, uint64_t key) {
  if (key <= d->reps[0])
    return 0;
  const uint64_t rep = d->reps[bucket_of(d, key)];
  const uint64_t last_row = (1ull << Y_BITS) - 1;
  if (row_of(rep) == row_of(key))
    return 1;
  if (plane_of(rep) == plane_of(key))
    return 2;
  return (row_of(key) & last_row) == last_row ? 2 : 3; /* from the last row of a plane there is none to look for */
}

/* Section 3.3: a row or plane with representatives ends with one, which a ray along the row, or along the ends of rows,
 * finds; the latter tells whether it is alone. */
static uint64_t rays_optimized(const data *d, uint64_t key) {
  if (key <= d->reps[0])
    return 0;
  const uint32_t b = bucket_of(d, key);
  const uint64_t rep = d->reps[b], last_row = (1ull << Y_BITS) - 1;
  bool row = false, plane = false;
  for (uint32_t k = 0; k < d->rep_count; k++) {
    row |= row_of(d->reps[k]) == row_of(key);
    plane |= plane_of(d->reps[k]) == plane_of(key);
  }
  if (row)
    return 1;
  if (plane && plane_of(rep) != plane_of(key))
    return 2;
  const bool alone = (b == 0 || row_of(d->reps[b - 1]) != row_of(rep)) &&
                     ((b + 1) * d->bucket >= ROWS || row_of(d->keys[(b + 1) * d->bucket]) != row_of(rep));
  const bool can_climb = (row_of(key) & last_row) != last_row;
  return 1 + can_climb + (plane ? 0 : 2) + !alone;
}

static void check(const data *d, rdx_index_kind kind, rdx_cgrx_mapping mapping) {
  const rdx_index_params params = {.kind = kind,
                                   .cgrx = {.bucket_size = d->bucket, .mapping = mapping},
                                   .cgrx_updatable = {.node_size = 2 * d->bucket, .mapping = mapping}};
  const rdx_column keys = {.type = RDX_TYPE_U64, .rows = ROWS, .values = d->keys};
  const bool nearest_first = rdx_device_get_info(test_device)->backend == RDX_BACKEND_CPU;
  rdx_index *index = NULL;
  rdx_result *result = NULL;
  rdx_lookup_stats stats;
  OK(rdx_index_create(test_device, &keys, &params, &index, err));
  OK(rdx_index_lookup(index, &keys, &(rdx_lookup_params){.stats = true}, &result, err));
  rdx_result_get_stats(result, &stats);
  assert_int_equal(stats.hits, ROWS);
  assert_int_equal(stats.visits, ROWS); /* no search had to leave the bucket that rays had found */
  uint64_t rays = 0;
  for (uint32_t i = 0; i < ROWS; i++)
    rays += kind == RDX_INDEX_CGRX_NAIVE ? rays_naive(d, d->keys[i]) : rays_optimized(d, d->keys[i]);
  if (nearest_first)
    assert_int_equal(stats.rays, rays);
  else
    assert_true(stats.rays >= rays); /* rays grow */
  rdx_result_destroy(&result);
  rdx_index_destroy(&index);
}

static void test_rays(void **state) {
  (void)state;
  static const uint32_t buckets[] = {2, 16, 100};
  static data d;
  if (!test_traces())
    return;
  for (int kind = 0; kind < 5; kind++) {
    for (size_t i = 0; i < sizeof buckets / sizeof *buckets; i++) {
      make(&d, kind, buckets[i]);
      for (rdx_cgrx_mapping mapping = RDX_CGRX_MAPPING_PLAIN; mapping <= RDX_CGRX_MAPPING_SCALED; mapping++) {
        check(&d, RDX_INDEX_CGRX_NAIVE, mapping);
        check(&d, RDX_INDEX_CGRX, mapping);
        check(&d, RDX_INDEX_CGRX_UPDATABLE, mapping);
      }
    }
  }
}

static void test_bad_options(void **state) {
  (void)state;
  static const rdx_cgrx_params bad[] = {{.bucket_size = 1},
                                        {.bucket_size = 65537},
                                        {.mapping = (rdx_cgrx_mapping)9},
                                        {.layout = (rdx_cgrx_layout)9},
                                        {.search = (rdx_cgrx_search)9},
                                        {.build = (rdx_build_preference)9}};
  static const rdx_cgrx_updatable_params bad_updatable[] = {{.node_size = 3},
                                                            {.node_size = 4097},
                                                            {.fill_percent = 101},
                                                            {.mapping = (rdx_cgrx_mapping)9},
                                                            {.build = (rdx_build_preference)9}};
  const uint32_t key = 1;
  const rdx_column keys = {.type = RDX_TYPE_U32, .rows = 1, .values = &key};
  rdx_index *index = NULL;
  if (!test_traces())
    return;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    FAILS(
        RDX_ERROR_ARGUMENT,
        rdx_index_create(test_device, &keys, &(rdx_index_params){.kind = RDX_INDEX_CGRX, .cgrx = bad[i]}, &index, err));
  for (size_t i = 0; i < sizeof bad_updatable / sizeof *bad_updatable; i++) {
    const rdx_index_params params = {.kind = RDX_INDEX_CGRX_UPDATABLE, .cgrx_updatable = bad_updatable[i]};
    FAILS(RDX_ERROR_ARGUMENT, rdx_index_create(test_device, &keys, &params, &index, err));
  }
  assert_null(index);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rays), cmocka_unit_test(test_bad_options)};
  return TEST_MAIN(tests);
}
