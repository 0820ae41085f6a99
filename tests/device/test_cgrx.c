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

static void check(const data *d, rdx_index_method method, bool naive, rdx_cgrx_mapping mapping) {
  rdx_index_params params = {.method = method};
  if (method == RDX_INDEX_CGRX_UPDATABLE)
    params.cgrx_updatable = (rdx_cgrx_updatable_params){.node_size = 2 * d->bucket,
                                                        .mapping = mapping,
                                                        .representation = naive ? RDX_CGRX_REPRESENTATION_NAIVE
                                                                                : RDX_CGRX_REPRESENTATION_OPTIMIZED};
  else
    params.cgrx = (rdx_cgrx_params){.bucket_size = d->bucket, .mapping = mapping};
  const rdx_column keys = {.type = RDX_TYPE_U64, .rows = ROWS, .values = d->keys};
  const bool nearest_first = rdx_device_get_info(test_device)->backend == RDX_BACKEND_CPU;
  rdx_index *index = NULL;
  rdx_lookup_result *result = NULL;
  rdx_lookup_stats stats;
  OK(rdx_index_create(test_device, &keys, &params, &index, err));
  OK(rdx_index_lookup(index, &keys, &(rdx_lookup_params){.stats = true}, &result, err));
  rdx_lookup_result_get_stats(result, &stats);
  assert_int_equal(stats.hits, ROWS);
  assert_int_equal(stats.visits, ROWS); /* no search had to leave the bucket that rays had found */
  uint64_t rays = 0;
  for (uint32_t i = 0; i < ROWS; i++)
    rays += naive ? rays_naive(d, d->keys[i]) : rays_optimized(d, d->keys[i]);
  if (nearest_first)
    assert_int_equal(stats.rays, rays);
  else
    assert_true(stats.rays >= rays); /* rays grow */
  rdx_lookup_result_destroy(&result);
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
        check(&d, RDX_INDEX_CGRX_NAIVE, true, mapping);
        check(&d, RDX_INDEX_CGRX, false, mapping);
        check(&d, RDX_INDEX_CGRX_UPDATABLE, false, mapping);
        check(&d, RDX_INDEX_CGRX_UPDATABLE, true, mapping);
      }
    }
  }
}

/* ---- The covering representation ---- */

enum { COVERED = 150000, COVERED_BUCKET = 2, COVERED_BUCKETS = COVERED / COVERED_BUCKET, COVER_PROBES = 3000 };

/* Ascending keys, `kind` 0: all over u64; 1: in clusters, with rows without keys between; 2: with equal images. */
static void make_covered(uint64_t *keys, int kind) {
  for (uint64_t i = 0; i < COVERED; i++) {
    const uint64_t r = test_random();
    keys[i] = kind == 0 ? r : kind == 1 ? (r % 5 << 60) + (r >> 30) : i < COVERED / 2 ? i : r;
  }
  qsort(keys, COVERED, sizeof *keys, compare);
}

static uint32_t first_rep(const uint64_t *reps, uint64_t key) {
  uint32_t begin = 0, end = COVERED_BUCKETS;
  while (begin < end) {
    const uint32_t middle = (begin + end) / 2;
    if (reps[middle] < key)
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

/* What a probe costs: no ray where its bucket is known, else one, and another where its row is empty; and whether the
 * bucket found by images is that of the first entry not below the key. */
static void cover_model(const uint64_t *keys, uint64_t key, uint64_t *rays, uint64_t *visits) {
  static uint64_t reps[COVERED_BUCKETS], images[COVERED_BUCKETS];
  const uint64_t range = keys[COVERED - 1] - keys[0];
  const int bits = range ? 64 - __builtin_clzll(range) : 0, wanted = 64 - __builtin_clzll(COVERED_BUCKETS - 1) + 10;
  const int shift = bits > wanted ? bits - wanted : 0;
  for (uint32_t b = 0; b < COVERED_BUCKETS && rays == NULL; b++) { /* once for all probes */
    reps[b] = keys[b * COVERED_BUCKET + COVERED_BUCKET - 1];
    images[b] = (reps[b] - keys[0]) >> shift;
  }
  if (!rays || key > keys[COVERED - 1])
    return;
  if (key <= reps[0]) {
    ++*visits;
    return;
  }
  const uint64_t image = (key - keys[0]) >> shift;
  const uint32_t found = first_rep(images, image), right = first_rep(reps, key);
  uint64_t first = (uint64_t)right * COVERED_BUCKET; /* the first entry that is not below */
  while (keys[first] < key)
    first++;
  const bool alone = found > 0 && row_of(images[found - 1]) != row_of(image) && row_of(images[found]) != row_of(image);
  *rays += alone ? 2 : 1;
  *visits += first / COVERED_BUCKET == found ? 1 : 2;
}

/* Probes in a row share rays, if a thread has several: on emulated devices, where few fill all threads. */
static void check_ascending(const rdx_index *index, const rdx_column *column, uint64_t *probes, uint64_t rays) {
  const rdx_device_info *info = rdx_device_get_info(test_device);
  rdx_lookup_result *result = NULL;
  rdx_lookup_stats stats;
  qsort(probes, COVER_PROBES, sizeof *probes, compare);
  const rdx_column ascending = {.type = RDX_TYPE_U64, .rows = COVER_PROBES, .values = probes};
  check_lookups(index, column, &(rdx_column){.type = RDX_TYPE_U64, .rows = 200, .values = probes}, NULL, column);
  OK(rdx_index_lookup(index, &ascending, &(rdx_lookup_params){.stats = true}, &result, err));
  rdx_lookup_result_get_stats(result, &stats);
  assert_true(info->emulated ? stats.rays < rays : stats.rays >= rays);
  rdx_lookup_result_destroy(&result);
}

static void check_covering(const uint64_t *keys) {
  static uint64_t probes[COVER_PROBES];
  const rdx_column column = {.type = RDX_TYPE_U64, .rows = COVERED, .values = keys};
  const rdx_column wanted = {.type = RDX_TYPE_U64, .rows = COVER_PROBES, .values = probes};
  const bool nearest_first = rdx_device_get_info(test_device)->backend == RDX_BACKEND_CPU;
  const rdx_index_params params = {
      .method = RDX_INDEX_CGRX, .cgrx.bucket_size = COVERED_BUCKET, .cgrx.mapping = RDX_CGRX_MAPPING_COVERING};
  uint64_t rays = 0, visits = 0;
  cover_model(keys, 0, NULL, NULL);
  for (uint32_t i = 0; i < COVER_PROBES; i++) {
    const uint64_t key = keys[test_random() % COVERED];
    probes[i] = i % 3 == 0 ? key : i % 3 == 1 ? key + 1 : test_random();
    cover_model(keys, probes[i], &rays, &visits);
  }
  rdx_index *index = NULL;
  rdx_lookup_result *result = NULL;
  rdx_lookup_stats stats;
  OK(rdx_index_create(test_device, &column, &params, &index, err));
  check_lookups(index, &column, &(rdx_column){.type = RDX_TYPE_U64, .rows = 60, .values = probes}, NULL, &column);
  OK(rdx_index_lookup(index, &wanted, &(rdx_lookup_params){.stats = true}, &result, err));
  rdx_lookup_result_get_stats(result, &stats);
  assert_int_equal(stats.visits, visits);
  assert_true(nearest_first ? stats.rays == rays : stats.rays >= rays);
  rdx_lookup_result_destroy(&result);
  check_ascending(index, &column, probes, rays);
  rdx_index_destroy(&index);
}

static void test_covering(void **state) {
  (void)state;
  static uint64_t keys[COVERED];
  if (!test_traces())
    return;
  for (int kind = 0; kind < 3; kind++) {
    make_covered(keys, kind);
    check_covering(keys);
  }
  rdx_index *index = NULL;
  const uint32_t key = 1;
  FAILS(RDX_ERROR_ARGUMENT,
        rdx_index_create(test_device, &(rdx_column){.type = RDX_TYPE_U32, .rows = 1, .values = &key},
                         &(rdx_index_params){.method = RDX_INDEX_CGRX_NAIVE, .cgrx.mapping = RDX_CGRX_MAPPING_COVERING},
                         &index, err));
}

/* Two buckets, or triangles, at either end of all keys: the way from one to the other is 2^64 - 1. */
static void test_far_apart(void **state) {
  (void)state;
  static const rdx_index_method kinds[] = {RDX_INDEX_CGRX, RDX_INDEX_CGRX_NAIVE, RDX_INDEX_CGRX_UPDATABLE,
                                           RDX_INDEX_RX_OPTIMIZED};
  const uint64_t keys[] = {0, 0, UINT64_MAX, UINT64_MAX};
  const uint64_t probes[] = {0, 1, 1ull << 40, 1ull << 63, UINT64_MAX - 1, UINT64_MAX};
  static const uint32_t counts[] = {2, 0, 0, 0, 0, 2};
  const rdx_column column = {.type = RDX_TYPE_U64, .rows = 4, .values = keys};
  const rdx_column probed = {.type = RDX_TYPE_U64, .rows = 6, .values = probes};
  if (!test_traces())
    return;
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    for (rdx_cgrx_mapping mapping = RDX_CGRX_MAPPING_DEFAULT; mapping <= RDX_CGRX_MAPPING_COVERING; mapping++) {
      if (kinds[k] == RDX_INDEX_CGRX_NAIVE && mapping == RDX_CGRX_MAPPING_COVERING)
        continue;
      rdx_index_params params = {.method = kinds[k]};
      if (kinds[k] == RDX_INDEX_CGRX_UPDATABLE)
        params.cgrx_updatable = (rdx_cgrx_updatable_params){.node_size = 5, .fill_percent = 25, .mapping = mapping};
      else if (kinds[k] != RDX_INDEX_RX_OPTIMIZED)
        params.cgrx = (rdx_cgrx_params){.bucket_size = 2, .mapping = mapping};
      rdx_index *index = NULL;
      rdx_lookup_result *result = NULL;
      rdx_lookup_view view;
      OK(rdx_index_create(test_device, &column, &params, &index, err));
      OK(rdx_index_lookup(index, &probed, &(rdx_lookup_params){0}, &result, err));
      OK(rdx_lookup_result_view(result, &view, err));
      assert_memory_equal(view.count, counts, sizeof counts);
      rdx_lookup_result_destroy(&result);
      rdx_index_destroy(&index);
    }
  }
}

static uint64_t rays_of(const rdx_column *keys, const rdx_cgrx_params *params, rdx_index_method method, uint64_t probe,
                        uint32_t *row) {
  const rdx_column probes = {.type = RDX_TYPE_U64, .rows = 1, .values = &probe};
  rdx_index *index = NULL;
  rdx_lookup_result *result = NULL;
  rdx_lookup_view view;
  rdx_lookup_stats stats;
  OK(rdx_index_create(test_device, keys, &(rdx_index_params){.method = method, .cgrx = *params}, &index, err));
  OK(rdx_index_lookup(index, &probes, &(rdx_lookup_params){.result = RDX_LOOKUP_FIRST, .stats = true}, &result, err));
  OK(rdx_lookup_result_view(result, &view, err));
  rdx_lookup_result_get_stats(result, &stats);
  *row = view.first[0];
  rdx_lookup_result_destroy(&result);
  rdx_index_destroy(&index);
  return stats.rays;
}

/* Algorithm 2: from a row through its plane to the next, along that to its first row, along this to the bucket, whose
 * last key alone stands in the scene. Figure 5 is such a lookup. */
static void test_published_naive(void **state) {
  (void)state;
  const uint64_t far = 5ull << 46 | 3ull << 23, keys[] = {1, 2, 30, far + 7, far + 8, far + 9};
  const rdx_column column = {.type = RDX_TYPE_U64, .rows = 6, .values = keys};
  const rdx_cgrx_params published = {.bucket_size = 2, .published = true},
                        marked = {.bucket_size = 2, .mapping = RDX_CGRX_MAPPING_SCALED};
  uint32_t row = 0;
  if (!test_traces())
    return;
  assert_int_equal(rays_of(&column, &published, RDX_INDEX_CGRX_NAIVE, 30, &row), 5);
  assert_int_equal(row, 2);
  assert_int_equal(rays_of(&column, &published, RDX_INDEX_CGRX_NAIVE, far + 8, &row), 1);
  assert_int_equal(row, 4);
  assert_true(rays_of(&column, &marked, RDX_INDEX_CGRX_NAIVE, 30, &row) >= 3);
  assert_int_equal(row, 2);
}

static void test_bad_options(void **state) {
  (void)state;
  static const rdx_cgrx_params bad[] = {{.bucket_size = 1},
                                        {.bucket_size = 65537},
                                        {.mapping = (rdx_cgrx_mapping)9},
                                        {.layout = (rdx_cgrx_layout)9},
                                        {.search = (rdx_cgrx_search)9},
                                        {.build = (rdx_build_preference)9}};
  static const rdx_cgrx_updatable_params bad_updatable[] = {
      {.node_size = 3},
      {.node_size = 4097},
      {.fill_percent = 101},
      {.mapping = (rdx_cgrx_mapping)9},
      {.search = (rdx_cgrx_search)9},
      {.representation = (rdx_cgrx_representation)9},
      {.representation = RDX_CGRX_REPRESENTATION_NAIVE, .mapping = RDX_CGRX_MAPPING_COVERING},
      {.build = (rdx_build_preference)9}};
  const uint32_t key = 1;
  const rdx_column keys = {.type = RDX_TYPE_U32, .rows = 1, .values = &key};
  rdx_index *index = NULL;
  if (!test_traces())
    return;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    FAILS(RDX_ERROR_ARGUMENT,
          rdx_index_create(test_device, &keys, &(rdx_index_params){.method = RDX_INDEX_CGRX, .cgrx = bad[i]}, &index,
                           err));
  for (size_t i = 0; i < sizeof bad_updatable / sizeof *bad_updatable; i++) {
    const rdx_index_params params = {.method = RDX_INDEX_CGRX_UPDATABLE, .cgrx_updatable = bad_updatable[i]};
    FAILS(RDX_ERROR_ARGUMENT, rdx_index_create(test_device, &keys, &params, &index, err));
  }
  assert_null(index);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rays), cmocka_unit_test(test_covering),
                                     cmocka_unit_test(test_far_apart), cmocka_unit_test(test_published_naive),
                                     cmocka_unit_test(test_bad_options)};
  return TEST_MAIN(tests);
}
