/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Every index against looking at every row: types, shapes of data, options, results. */

#include "reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const rdx_type all_types[] = {RDX_TYPE_BOOL,      RDX_TYPE_I8,      RDX_TYPE_I16,   RDX_TYPE_I32,
                                     RDX_TYPE_I64,       RDX_TYPE_U8,      RDX_TYPE_U16,   RDX_TYPE_U32,
                                     RDX_TYPE_U64,       RDX_TYPE_F32,     RDX_TYPE_F64,   RDX_TYPE_DATE,
                                     RDX_TYPE_TIMESTAMP, RDX_TYPE_DECIMAL, RDX_TYPE_STRING};
static const rdx_type sum_types[] = {RDX_TYPE_BOOL, RDX_TYPE_I8,  RDX_TYPE_I16, RDX_TYPE_I32,
                                     RDX_TYPE_I64,  RDX_TYPE_U8,  RDX_TYPE_U16, RDX_TYPE_U32,
                                     RDX_TYPE_U64,  RDX_TYPE_F32, RDX_TYPE_F64, RDX_TYPE_DECIMAL};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const rdx_rx_params options[] = {
    {0},
    {.x_bits = 23, .y_bits = 23, .z_bits = 18, .partitions = 3},
    {.x_bits = 22, .y_bits = 21, .z_bits = 21, .primitive = RDX_RX_BOX},
    {.x_bits = 18, .y_bits = 23, .z_bits = 23, .primitive = RDX_RX_SPHERE, .partitions = 7},
    {.point_ray = RDX_RX_RAY_PARALLEL_FROM_OFFSET, .compaction = RDX_SWITCH_OFF},
    {.point_ray = RDX_RX_RAY_PARALLEL_FROM_ZERO, .range_ray = RDX_RX_RAY_PARALLEL_FROM_ZERO},
    {.primitive = RDX_RX_BOX, .point_ray = RDX_RX_RAY_PARALLEL_FROM_OFFSET},
    {.primitive = RDX_RX_SPHERE, .point_ray = RDX_RX_RAY_PARALLEL_FROM_ZERO},
    {.always_any_hit = true, .build = RDX_BUILD_LOW_MEMORY},
    {.updatable = true, .build = RDX_BUILD_FAST_BUILD},
    {.published = true},
    {.published = true, .primitive = RDX_RX_BOX, .range_ray = RDX_RX_RAY_PARALLEL_FROM_ZERO, .partitions = 3},
};

/* Options for small keys that are not negative. */
static const rdx_rx_params small_options[] = {
    {.key_mode = RDX_RX_KEY_NAIVE},
    {.key_mode = RDX_RX_KEY_NAIVE, .point_ray = RDX_RX_RAY_PARALLEL_FROM_ZERO, .primitive = RDX_RX_BOX},
    {.key_mode = RDX_RX_KEY_EXTENDED},
    {.key_mode = RDX_RX_KEY_EXTENDED, .primitive = RDX_RX_BOX},
    {.key_mode = RDX_RX_KEY_NAIVE, .published = true},
    {.key_mode = RDX_RX_KEY_EXTENDED, .published = true},
    {.key_mode = RDX_RX_KEY_EXTENDED, .point_ray = RDX_RX_RAY_PARALLEL_FROM_ZERO, .partitions = 2},
};

/* Decompositions of 32 bits: long and short rows. */
static const rdx_rx_params decompositions[] = {
    {.x_bits = 10, .y_bits = 10, .z_bits = 12}, {.x_bits = 1, .y_bits = 23, .z_bits = 8},
    {.x_bits = 0, .y_bits = 16, .z_bits = 16},  {.x_bits = 23, .y_bits = 0, .z_bits = 9},
    {.x_bits = 16, .y_bits = 16, .z_bits = 0},  {.x_bits = 9, .y_bits = 0, .z_bits = 23},
};

/* Every method but AUTO, by default: list_methods(). */
static rdx_index_params methods[RDX_INDEX_METHODS - 1];

static void list_methods(void) {
  for (size_t m = 0; m < COUNT(methods); m++)
    methods[m].method = (rdx_index_method)(m + 1);
}

/* Methods with other options than RX's. */
static const rdx_index_params variants[] = {
    {.method = RDX_INDEX_SORTED_ARRAY, .sorted_array.lanes = 2},
    {.method = RDX_INDEX_SORTED_ARRAY, .sorted_array.lanes = 8},
    {.method = RDX_INDEX_SORTED_ARRAY, .sorted_array.lanes = 32},
    {.method = RDX_INDEX_TREE, .tree.lanes = 1},
    {.method = RDX_INDEX_TREE, .tree.lanes = 4},
    {.method = RDX_INDEX_BTREE, .btree.fill_percent = 1},
    {.method = RDX_INDEX_BTREE, .btree.fill_percent = 100},
    {.method = RDX_INDEX_BTREE, .btree.lanes = 8},
    {.method = RDX_INDEX_BTREE, .btree = {.fill_percent = 30, .lanes = 16}},
    {.method = RDX_INDEX_RX_OPTIMIZED,
     .rx_optimized = {.primitive = RDX_RX_TRIANGLE, .partitions = 3, .build = RDX_BUILD_LOW_MEMORY}},
    {.method = RDX_INDEX_RX_OPTIMIZED, .rx_optimized = {.compression = RDX_SWITCH_OFF, .compaction = RDX_SWITCH_OFF}},
    {.method = RDX_INDEX_RX_OPTIMIZED, .rx_optimized = {.primitive = RDX_RX_BOX, .partitions = 2}},
    {.method = RDX_INDEX_RX_OPTIMIZED, .rx_optimized = {.primitive = RDX_RX_SPHERE, .compression = RDX_SWITCH_OFF}},
    {.method = RDX_INDEX_RX_OPTIMIZED, .rx_optimized.published = true},
    {.method = RDX_INDEX_RX_OPTIMIZED,
     .rx_optimized = {.published = true, .partitions = 1, .compression = RDX_SWITCH_OFF}},
    {.method = RDX_INDEX_CGRX, .cgrx.published = true},
    {.method = RDX_INDEX_CGRX, .cgrx = {.published = true, .bucket_size = 2, .mapping = RDX_CGRX_MAPPING_PLAIN}},
    {.method = RDX_INDEX_CGRX, .cgrx = {.published = true, .bucket_size = 5, .layout = RDX_CGRX_LAYOUT_COLUMN}},
    {.method = RDX_INDEX_CGRX_NAIVE, .cgrx = {.published = true, .bucket_size = 2}},
    {.method = RDX_INDEX_CGRX_NAIVE, .cgrx = {.published = true, .bucket_size = 3, .mapping = RDX_CGRX_MAPPING_PLAIN}},
    {.method = RDX_INDEX_CGRX_UPDATABLE, .cgrx_updatable = {.published = true, .node_size = 6}},
    {.method = RDX_INDEX_CGRX, .cgrx = {.bucket_size = 2, .mapping = RDX_CGRX_MAPPING_PLAIN}},
    {.method = RDX_INDEX_CGRX, .cgrx = {.mapping = RDX_CGRX_MAPPING_SCALED, .layout = RDX_CGRX_LAYOUT_ROW_ALIGNED}},
    {.method = RDX_INDEX_CGRX, .cgrx = {.bucket_size = 3, .mapping = RDX_CGRX_MAPPING_COMPACT}},
    {.method = RDX_INDEX_CGRX, .cgrx = {.bucket_size = 65536, .layout = RDX_CGRX_LAYOUT_ROW_PACKED}},
    {.method = RDX_INDEX_CGRX, .cgrx = {.bucket_size = 5, .search = RDX_CGRX_SEARCH_LINEAR, .partitions = 3}},
    {.method = RDX_INDEX_CGRX_NAIVE, .cgrx = {.bucket_size = 2, .mapping = RDX_CGRX_MAPPING_PLAIN}},
    {.method = RDX_INDEX_CGRX_NAIVE,
     .cgrx = {.bucket_size = 3, .mapping = RDX_CGRX_MAPPING_SCALED, .compaction = RDX_SWITCH_OFF}},
    {.method = RDX_INDEX_CGRX_NAIVE, .cgrx = {.bucket_size = 32, .build = RDX_BUILD_FAST_BUILD}},
    {.method = RDX_INDEX_CGRX_UPDATABLE, .cgrx_updatable = {.node_size = 4, .fill_percent = 1}},
    {.method = RDX_INDEX_CGRX_UPDATABLE, .cgrx_updatable = {.node_size = 9, .search = RDX_CGRX_SEARCH_LINEAR}},
    {.method = RDX_INDEX_CGRX_UPDATABLE,
     .cgrx_updatable = {.node_size = 6, .representation = RDX_CGRX_REPRESENTATION_NAIVE}},
    {.method = RDX_INDEX_CGRX_UPDATABLE,
     .cgrx_updatable = {.published = true,
                        .node_size = 6,
                        .representation = RDX_CGRX_REPRESENTATION_NAIVE,
                        .search = RDX_CGRX_SEARCH_LINEAR}},
    {.method = RDX_INDEX_CGRX_UPDATABLE, .cgrx_updatable = {.node_size = 7, .mapping = RDX_CGRX_MAPPING_PLAIN}},
    {.method = RDX_INDEX_CGRX_UPDATABLE,
     .cgrx_updatable = {.node_size = 4096, .fill_percent = 100, .mapping = RDX_CGRX_MAPPING_SCALED, .partitions = 3}},
    {.method = RDX_INDEX_HASH, .hash = {.load_percent = 95, .lanes = 1}},
    {.method = RDX_INDEX_HASH, .hash = {.load_percent = 10, .lanes = 2}},
    {.method = RDX_INDEX_HASH, .hash = {.load_percent = 50, .lanes = 8}},
    {.method = RDX_INDEX_HASH, .hash = {.load_percent = 95, .lanes = 16}},
    {.method = RDX_INDEX_RADIX_HASH, .radix_hash.bits = 8},
    {.method = RDX_INDEX_RADIX_HASH, .radix_hash.bits = 16},
};

/* The same sums of a column that the index includes, where it can. Long strings and floats cannot be. */
static void check_including(rdx_index *index, const rdx_column *keys, const rdx_column *points, const rdx_column *lower,
                            const rdx_column *upper, const rdx_column *values) {
  rdx_index_stats before, after;
  rdx_index_get_stats(index, &before);
  const rdx_status status = rdx_index_include(index, values, NULL);
  rdx_index_get_stats(index, &after);
  const bool floats = values->type == RDX_TYPE_F32 || values->type == RDX_TYPE_F64;
  if (status != RDX_OK) {
    assert_int_equal(status, RDX_ERROR_UNSUPPORTED);
    assert_true(floats || keys->type == RDX_TYPE_STRING || !rdx_index_method_abilities(before.method).includes);
    assert_int_equal(after.bytes_resident, before.bytes_resident);
    return;
  }
  assert_true(rdx_index_method_abilities(before.method).includes && after.bytes_resident > before.bytes_resident);
  check_included_lookups(index, keys, points, NULL, values);
  check_included_lookups(index, keys, lower, upper, values);
  OK(rdx_index_include(index, NULL, err));
  rdx_index_get_stats(index, &after);
  assert_int_equal(after.bytes_resident, before.bytes_resident);
}

/* What a CPU refuses is refused, and the rest is tested all the same. */
static rdx_status create_index(const test_column *keys, const rdx_index_params *params, rdx_index **out,
                               rdx_error *err) {
  const rdx_index_params p = params_here(params);
  if (memcmp(&p, params, sizeof p) != 0) {
    assert_int_equal(rdx_index_create(test_device, &keys->view, params, out, err), RDX_ERROR_UNSUPPORTED);
    assert_true(strstr(err->text, "Embree has no compaction") || strstr(err->text, "lanes are a GPU's"));
  }
  return rdx_index_create(test_device, &keys->view, &p, out, err);
}

/* Whether ranges are refused, as they are of a published RX whose keys span very many rows. */
static bool refuses_ranges(const rdx_index *index, const rdx_index_params *params, const rdx_column *lower,
                           const rdx_column *upper) {
  rdx_lookup_result *result = NULL;
  rdx_error err = {""};
  if (params->method != RDX_INDEX_RX || !params->rx.published)
    return false;
  const rdx_status status = rdx_index_range(index, lower, upper, NULL, &result, &err);
  rdx_lookup_result_destroy(&result);
  if (status == RDX_ERROR_UNSUPPORTED)
    assert_non_null(strstr(err.text, "more than 2^12 rows"));
  return status == RDX_ERROR_UNSUPPORTED;
}

/* What is as published reads ranges entry by entry, and includes no column. */
static bool is_published(const rdx_index_params *p) {
  return p->rx_optimized.published || p->cgrx.published;
}

static void check_index(const test_column *keys, const rdx_index_params *params, const char *what) {
  rdx_index *index = NULL;
  rdx_error err = {""};
  const rdx_status status = create_index(keys, params, &index, &err);
  if (!test_can(params->method)) {
    assert_int_equal(status, RDX_ERROR_UNSUPPORTED);
    return;
  }
  if (status != RDX_OK)
    fail_msg("%s: %s", what, err.text);
  const uint64_t probes = test_is_slow() ? 40 : 70;
  const test_nulls null_choice = test_random() % 2 ? SOME_NULLS : NO_NULLS;
  test_column values = column_make(sum_types[test_random() % COUNT(sum_types)],
                                   test_random() % 2 ? SHAPE_SKEWED : SHAPE_RANDOM, null_choice, keys->view.rows + 1);
  values.view.rows = keys->view.rows;
  test_column points = column_probes(keys, probes, null_choice);
  test_column lower = column_probes(keys, probes, null_choice), upper = column_probes(keys, probes, NO_NULLS);
  check_lookups(index, &keys->view, &points.view, NULL, &values.view);
  if (!rdx_index_method_abilities(params->method).ranges) {
    rdx_lookup_result *result = NULL;
    assert_int_equal(rdx_index_range(index, &lower.view, &upper.view, NULL, &result, NULL), RDX_ERROR_UNSUPPORTED);
    assert_null(result);
  } else if (!refuses_ranges(index, params, &lower.view, &upper.view)) {
    check_lookups(index, &keys->view, &lower.view, &upper.view, &values.view);
  }
  if (is_published(params))
    assert_int_equal(rdx_index_include(index, &values.view, NULL), RDX_ERROR_UNSUPPORTED);
  else if (test_random() % (test_is_slow() ? 4 : 2) == 0)
    check_including(index, &keys->view, &points.view, &lower.view, &upper.view, &values.view);
  column_free(&values);
  column_free(&points);
  column_free(&lower);
  column_free(&upper);
  rdx_index_stats stats;
  rdx_index_get_stats(index, &stats);
  assert_int_equal(stats.rows, keys->view.rows);
  assert_true(stats.bytes_peak > 0 || stats.keys == 0 || stats.bytes_resident == 0);
  rdx_index_destroy(&index);
  assert_null(index);
}

static void test_types_and_shapes(void **state) {
  (void)state;
  for (size_t t = 0; t < COUNT(all_types); t++) {
    for (test_shape shape = 0; shape < SHAPE_COUNT; shape++) {
      const test_nulls nulls = shape == SHAPE_FEW ? SOME_NULLS : (t + shape) % 9 == 0 ? ALL_NULLS : (shape % 3 == 2);
      const uint64_t rows = test_is_slow() ? 90 : 300;
      test_column keys = column_make(all_types[t], shape, nulls, rows);
      char what[96];
      snprintf(what, sizeof what, "type %s, shape %d", rdx_type_name(all_types[t]), (int)shape);
      for (size_t m = 0; m < COUNT(methods); m++)
        if (!test_is_slow() || test_random() % 3 == 0)
          check_index(&keys, &methods[m], what);
      check_index(&keys, &variants[test_random() % COUNT(variants)], what);
      const rdx_rx_params *option = &options[test_random() % COUNT(options)];
      check_index(&keys, &(rdx_index_params){.method = RDX_INDEX_RX, .rx = *option}, what);
      column_free(&keys);
    }
  }
}

static void test_options(void **state) {
  (void)state;
  static const rdx_type types[] = {RDX_TYPE_U32, RDX_TYPE_I64, RDX_TYPE_F64};
  for (size_t t = 0; t < COUNT(types); t++) {
    for (size_t i = 0; i < COUNT(options); i++) {
      test_column keys = column_make(types[t], i % 2 ? SHAPE_DENSE : SHAPE_EDGES, i % 3 == 0, 150);
      char what[96];
      snprintf(what, sizeof what, "type %s, option set %zu", rdx_type_name(types[t]), i);
      check_index(&keys, &(rdx_index_params){.method = RDX_INDEX_RX, .rx = options[i]}, what);
      column_free(&keys);
    }
    for (size_t i = 0; i < COUNT(variants); i++) {
      test_column keys = column_make(types[t], i % 2 ? SHAPE_SKEWED : SHAPE_EDGES, i % 3 == 0, 250);
      char what[96];
      snprintf(what, sizeof what, "type %s, variant %zu", rdx_type_name(types[t]), i);
      check_index(&keys, &variants[i], what);
      column_free(&keys);
    }
  }
}

static void test_small_keys(void **state) {
  (void)state;
  static const rdx_type types[] = {RDX_TYPE_U16, RDX_TYPE_I32, RDX_TYPE_U64, RDX_TYPE_DECIMAL};
  static const test_shape shapes[] = {SHAPE_DENSE, SHAPE_FEW, SHAPE_EQUAL, SHAPE_EMPTY, SHAPE_ONE};
  for (size_t t = 0; t < COUNT(types); t++) {
    for (size_t i = 0; i < COUNT(small_options); i++) {
      const test_shape shape = shapes[(t + i) % 4 == 3 ? 3 : (t + i) % 3];
      test_column keys = column_make(types[t], shape, (i + t) % 2, 200);
      char what[96];
      snprintf(what, sizeof what, "type %s, small option set %zu", rdx_type_name(types[t]), i);
      check_index(&keys, &(rdx_index_params){.method = RDX_INDEX_RX, .rx = small_options[i]}, what);
      column_free(&keys);
    }
  }
}

static void test_decompositions(void **state) {
  (void)state;
  static const test_shape shapes[] = {SHAPE_RANDOM, SHAPE_DENSE, SHAPE_EDGES, SHAPE_EXTREMES};
  for (size_t i = 0; i < COUNT(decompositions); i++) {
    for (size_t s = 0; s < COUNT(shapes); s++) {
      test_column keys = column_make(RDX_TYPE_U32, shapes[s], NO_NULLS, 120);
      char what[96];
      snprintf(what, sizeof what, "decomposition %zu, shape %d", i, (int)shapes[s]);
      check_index(&keys, &(rdx_index_params){.method = RDX_INDEX_RX, .rx = decompositions[i]}, what);
      column_free(&keys);
    }
  }
}

/* At the far end of the axes neighbours are one unit apart, where floats are coarsest. */
static void test_far_neighbours(void **state) {
  (void)state;
  uint64_t keys[64];
  const uint64_t corners[] = {0, 0x7fffff, 0x800000, 0xffffff, 0x7fffffffffff, UINT64_MAX - 20, 0x3fffffffffffffff};
  for (size_t c = 0; c < COUNT(corners); c++) {
    for (size_t i = 0; i < COUNT(keys); i++)
      keys[i] = corners[c] + (i < 10 ? i : 2 * i) % 21;
    test_column column = {.view = {.type = RDX_TYPE_U64, .rows = COUNT(keys), .values = keys}};
    for (size_t i = 0; i < COUNT(options); i++)
      check_index(&column, &(rdx_index_params){.method = RDX_INDEX_RX, .rx = options[i]}, "far neighbours");
  }
}

/* Naive keys end at 2^23 - 1, extended ones at 2^29 - 1. */
static void test_limits_of_key_modes(void **state) {
  (void)state;
  if (!test_traces())
    return;
  static const struct {
    rdx_rx_key_mode mode;
    int64_t min, max;
  } limits[] = {{RDX_RX_KEY_NAIVE, 0, (1 << 23) - 1}, {RDX_RX_KEY_EXTENDED, 0, (1 << 29) - 1}};
  for (size_t i = 0; i < COUNT(limits); i++) {
    const rdx_index_params params = {.method = RDX_INDEX_RX, .rx.key_mode = limits[i].mode};
    int64_t keys[4] = {limits[i].min, limits[i].max, limits[i].max - 1, 7};
    test_column column = {.view = {.type = RDX_TYPE_I64, .rows = 4, .values = keys}};
    check_index(&column, &params, "at the limits");
    rdx_index *index = NULL;
    keys[1]++;
    FAILS(RDX_ERROR_RANGE, rdx_index_create(test_device, &column.view, &params, &index, err));
    keys[1] = -1;
    FAILS(RDX_ERROR_RANGE, rdx_index_create(test_device, &column.view, &params, &index, err));
    assert_null(index);
  }
  uint32_t last[64]; /* rays along x go the farthest there is */
  for (uint32_t i = 0; i < COUNT(last); i++)
    last[i] = (1u << 29) - 1 - i;
  for (uint32_t i = 0; i < 4; i++)
    check_index(&(test_column){.view = {.type = RDX_TYPE_U32, .rows = COUNT(last), .values = last}},
                &(rdx_index_params){.method = RDX_INDEX_RX,
                                    .rx = {.key_mode = RDX_RX_KEY_EXTENDED,
                                           .primitive = i % 2 ? RDX_RX_BOX : RDX_RX_TRIANGLE,
                                           .build = i / 2 ? RDX_BUILD_FAST_BUILD : RDX_BUILD_DEFAULT}},
                "the last extended keys");
  uint32_t wide[2] = {0, 1u << 20};
  test_column column = {.view = {.type = RDX_TYPE_U32, .rows = 2, .values = wide}};
  const rdx_index_params params = {.method = RDX_INDEX_RX, .rx = {.x_bits = 10, .y_bits = 10}};
  rdx_index *index = NULL;
  FAILS(RDX_ERROR_RANGE, rdx_index_create(test_device, &column.view, &params, &index, err));
}

/* Probes of other integer types than the keys, and decimals of another scale. */
static void test_other_probe_types(void **state) {
  (void)state;
  int8_t keys[] = {-128, -1, 0, 1, 127, 5, 5};
  const rdx_column column = {.type = RDX_TYPE_I8, .rows = 7, .values = keys};
  int64_t wide[] = {-129, -128, 127, 128, 5, 1ll << 40};
  const rdx_column probes = {.type = RDX_TYPE_I64, .rows = 6, .values = wide};
  static const uint32_t counts[] = {0, 1, 1, 0, 2, 0};
  uint64_t low[] = {0, 128}, high[] = {UINT64_MAX, 300};
  const rdx_column lower = {.type = RDX_TYPE_U64, .rows = 2, .values = low};
  const rdx_column upper = {.type = RDX_TYPE_U64, .rows = 2, .values = high};
  static const uint32_t range_counts[] = {5, 0};
  for (size_t m = 0; m < COUNT(methods); m++) {
    if (!test_can(methods[m].method))
      continue;
    rdx_index *index = NULL;
    rdx_lookup_result *result = NULL;
    rdx_lookup_view view;
    OK(rdx_index_create(test_device, &column, &methods[m], &index, err));
    OK(rdx_index_lookup(index, &probes, NULL, &result, err));
    OK(rdx_lookup_result_view(result, &view, err));
    assert_memory_equal(view.count, counts, sizeof counts);
    rdx_lookup_result_destroy(&result);
    if (rdx_index_method_abilities(methods[m].method).ranges) {
      OK(rdx_index_range(index, &lower, &upper, NULL, &result, err));
      OK(rdx_lookup_result_view(result, &view, err));
      assert_memory_equal(view.count, range_counts, sizeof range_counts);
      rdx_lookup_result_destroy(&result);
    }
    rdx_index_destroy(&index);
  }
}

static uint64_t scene_bytes(const rdx_column *keys, rdx_rx_primitive primitive, uint32_t partitions) {
  rdx_index *index = NULL;
  rdx_index_stats stats;
  const rdx_index_params params = {.method = RDX_INDEX_RX_OPTIMIZED,
                                   .rx_optimized = {.primitive = primitive, .partitions = partitions}};
  OK(rdx_index_create(test_device, keys, &params, &index, err));
  rdx_index_get_stats(index, &stats);
  rdx_index_destroy(&index);
  return stats.bytes_scene;
}

static uint64_t distance(uint64_t x, uint64_t y) {
  return x > y ? x - y : y - x;
}

/* Parts are of boxes where a GPU has no RT cores, and all else is of triangles. */
static void test_default_primitive(void **state) {
  (void)state;
  if (!test_traces())
    skip();
  const rdx_device_info *info = rdx_device_get_info(test_device);
  const bool boxes = info->backend == RDX_BACKEND_VULKAN && info->tracing == RDX_TRACING_SOFTWARE;
  test_column keys = column_make(RDX_TYPE_U32, SHAPE_RANDOM, NO_NULLS, 3000);
  for (uint32_t partitions = 0; partitions <= 3; partitions++) {
    const bool chosen = boxes && partitions > 1;
    const uint64_t expected = scene_bytes(&keys.view, chosen ? RDX_RX_BOX : RDX_RX_TRIANGLE, partitions);
    const uint64_t other = scene_bytes(&keys.view, chosen ? RDX_RX_TRIANGLE : RDX_RX_BOX, partitions);
    const uint64_t found = scene_bytes(&keys.view, RDX_RX_PRIMITIVE_DEFAULT, partitions);
    assert_true(distance(found, expected) < distance(found, other)); /* Embree's sizes differ from build to build */
  }
  column_free(&keys);
}

/* More rows than fit one group of anything, once. */
static void test_larger(void **state) {
  (void)state;
  const uint64_t rows = test_is_slow() ? 6000 : 200000, probes = 50;
  test_column keys = column_make(RDX_TYPE_U32, SHAPE_SKEWED, SOME_NULLS, rows);
  test_column values = column_make(RDX_TYPE_I32, SHAPE_RANDOM, NO_NULLS, rows);
  test_column points = column_probes(&keys, probes, NO_NULLS);
  test_column upper = column_probes(&keys, probes, NO_NULLS);
  for (size_t m = 0; m < COUNT(methods); m++) {
    if (!test_can(methods[m].method))
      continue;
    rdx_index *index = NULL;
    OK(rdx_index_create(test_device, &keys.view, &methods[m], &index, err));
    check_lookups(index, &keys.view, &points.view, NULL, &values.view);
    if (rdx_index_method_abilities(methods[m].method).ranges)
      check_lookups(index, &keys.view, &points.view, &upper.view, &values.view);
    rdx_index_destroy(&index);
  }
  column_free(&keys);
  column_free(&values);
  column_free(&points);
  column_free(&upper);
}

/* Ranges so long that their sums come from prefix sums, which go from block to block and from tile to tile, and their
 * first rows from levels of minima. */
static void test_long_ranges(void **state) {
  (void)state;
  static const uint64_t sizes[] = {1791, 1792, 1793, 5383};
  static const rdx_type types[] = {RDX_TYPE_U32, RDX_TYPE_I32, RDX_TYPE_U64, RDX_TYPE_I64, RDX_TYPE_BOOL};
  for (size_t k = 0; k < COUNT(sizes) * COUNT(types) * 2; k++) {
    const uint64_t rows = sizes[k / 2 % COUNT(sizes)];
    const rdx_type of = k / 2 % 3 ? RDX_TYPE_U32 : RDX_TYPE_I64, type = types[k / 2 / COUNT(sizes)];
    test_column keys = column_make(of, SHAPE_SKEWED, NO_NULLS, rows);
    test_column values = column_make(type, k % 3 ? SHAPE_SKEWED : SHAPE_RANDOM, k % 2 ? SOME_NULLS : NO_NULLS, rows);
    const uint64_t probes = k % 2 ? 40 : 80; /* from 64 on, what walks along ranges lists its rows in order */
    test_column lower = column_probes(&keys, probes, k % 3 ? NO_NULLS : SOME_NULLS);
    test_column upper = column_probes(&keys, probes, NO_NULLS);
    for (size_t m = 0; m < COUNT(methods); m++) {
      if (!test_can(methods[m].method) || rdx_index_method_abilities(methods[m].method).traces ||
          !rdx_index_method_abilities(methods[m].method).ranges)
        continue;
      rdx_index *index = NULL;
      OK(rdx_index_create(test_device, &keys.view, &methods[m], &index, err));
      check_lookups(index, &keys.view, &lower.view, &upper.view, &values.view);
      rdx_index_destroy(&index);
    }
    column_free(&keys);
    column_free(&values);
    column_free(&lower);
    column_free(&upper);
  }
}

static void check_pieces(const test_column *keys, const test_column *values, const test_column *lower,
                         const test_column *upper) {
  for (size_t m = 0; m < COUNT(methods); m++) {
    rdx_index *index = NULL;
    if (!test_can(methods[m].method) || methods[m].method == RDX_INDEX_RX ||
        !rdx_index_method_abilities(methods[m].method).ranges)
      continue;
    OK(rdx_index_create(test_device, &keys->view, &methods[m], &index, err));
    check_lookups(index, &keys->view, &lower->view, upper ? &upper->view : NULL, &values->view);
    rdx_index_destroy(&index);
  }
}

/* Ranges so few and long, or one of many so long, that they are gathered in pieces; small ones, too, where launches are
 * limited. */
static void test_ranges_in_pieces(void **state) {
  (void)state;
  static const test_shape shapes[] = {SHAPE_SKEWED, SHAPE_FEW, SHAPE_EQUAL};
  static const rdx_type types[] = {RDX_TYPE_U32, RDX_TYPE_I32, RDX_TYPE_U64, RDX_TYPE_I64};
  const uint64_t limit = test_limit_launches(0), rows = test_is_slow() ? 9001 : 30001;
  for (size_t k = 0; k < 2 * COUNT(shapes); k++) {
    const uint64_t probes = k % 2 ? 50 : k == 2 ? 80 : 2;
    test_limit_launches(k % 2 ? 1500 : limit);
    test_column keys = column_make(k % 4 ? RDX_TYPE_U32 : RDX_TYPE_I64, shapes[k / 2], NO_NULLS, rows);
    test_column values =
        column_make(types[k % 4], k % 3 ? SHAPE_SKEWED : SHAPE_RANDOM, k % 2 ? SOME_NULLS : NO_NULLS, rows);
    test_column lower = column_probes(&keys, probes, k % 2 ? SOME_NULLS : NO_NULLS);
    test_column upper = column_probes(&keys, probes, NO_NULLS);
    check_pieces(&keys, &values, &lower, &upper);
    check_pieces(&keys, &values, &lower, NULL);
    column_free(&keys);
    column_free(&values);
    column_free(&lower);
    column_free(&upper);
  }
  test_limit_launches(limit);
}

/* Enough keys for every level that an index without rays may have, with short runs of equal ones. Probes lie far apart,
 * or ascend, side by side and then apart. */
static void test_deep(void **state) {
  (void)state;
  enum { ROWS = 300000, PROBES = 24 };
  static uint64_t keys[ROWS], lower[PROBES], upper[PROBES];
  static uint64_t near[PROBES];
  static uint32_t narrow[4][ROWS];
  for (uint32_t i = 0; i < ROWS; i++)
    keys[i] = narrow[0][i] = (uint32_t)(i * 7919ull % ROWS / 3 * 21000);
  for (uint32_t i = 0; i < PROBES; i++) {
    lower[i] = narrow[1][i] = i < 4 ? i % 2 * UINT32_MAX : narrow[0][i * 12345 % ROWS] + i % 2;
    upper[i] = narrow[2][i] = i < 4 ? i / 2 * UINT32_MAX : narrow[1][i] + i * 3000;
    near[i] = narrow[3][i] = (ROWS / 2 + (i < 16 ? i : i * 3001)) / 3 * 21000 + i % 7 / 6;
  }
  lower[2] = upper[2] = UINT64_MAX; /* above all */
  upper[0] = narrow[2][0] = 0;      /* no huge range: all its rows would be compared one by one */
  const rdx_column wide_column = {.type = RDX_TYPE_U64, .rows = ROWS, .values = keys};
  const rdx_column narrow_column = {.type = RDX_TYPE_U32, .rows = ROWS, .values = narrow[0]};
  for (size_t m = 0; m < 2 * (COUNT(methods) + COUNT(variants)); m++) {
    const bool wide = m % 2;
    const rdx_index_params *params = m / 2 < COUNT(methods) ? &methods[m / 2] : &variants[m / 2 - COUNT(methods)];
    const rdx_column *column = wide ? &wide_column : &narrow_column;
    if (rdx_index_method_abilities(params->method).traces || (test_is_slow() && (m / 2 + m) % 2))
      continue;
    rdx_column low = {.type = column->type, .rows = PROBES, .values = wide ? (void *)lower : narrow[1]}, high = low;
    rdx_column ascending = low;
    high.values = wide ? (void *)upper : narrow[2];
    ascending.values = wide ? (void *)near : narrow[3];
    rdx_index *index = NULL;
    const rdx_index_params here = params_here(params);
    OK(rdx_index_create(test_device, column, &here, &index, err));
    check_lookups(index, column, &low, NULL, column);
    check_lookups(index, column, &ascending, NULL, column);
    if (rdx_index_method_abilities(params->method).ranges) {
      check_lookups(index, column, &low, &high, column);
      check_lookups(index, column, &ascending, &ascending, column);
    }
    rdx_index_destroy(&index);
  }
}

/* Keys close together between wide gaps: what leaves out low bits of keys tells few of them apart. */
static void test_clusters(void **state) {
  (void)state;
  enum { ROWS = 5000, PROBES = 300 };
  static const uint32_t sizes[] = {7, 100, 1000, 4999};
  static const uint32_t lanes[] = {0, 1, 4};
  static uint64_t wide_keys[ROWS], wide[PROBES];
  static uint32_t keys[ROWS], probes[PROBES];
  for (size_t k = 0; k < COUNT(sizes) * COUNT(lanes) * 2; k++) {
    const bool ascending = k % 2;
    const uint32_t size = sizes[k / 2 % COUNT(sizes)];
    for (uint32_t i = 0; i < ROWS; i++) {
      keys[i] = i / size * (UINT32_MAX / (ROWS / size + 1)) + i % size;
      wide_keys[i] = (uint64_t)(i / size) * (UINT64_MAX / (ROWS / size + 1)) + i % size;
    }
    for (uint32_t i = 0; i < PROBES; i++) {
      const uint32_t row = ascending ? ROWS / 3 + i + (i > 200) * 1000 : (uint32_t)(test_random() % ROWS);
      probes[i] = keys[row] + (uint32_t)(test_random() % 8 == 0);
      wide[i] = wide_keys[row] + (test_random() % 8 == 0 ? 1u << test_random() % 20 : 0);
    }
    const rdx_index_params params =
        params_here(&(rdx_index_params){.method = RDX_INDEX_TREE, .tree.lanes = lanes[k / 2 / COUNT(sizes)]});
    const rdx_column of[] = {{.type = RDX_TYPE_U32, .rows = ROWS, .values = keys},
                             {.type = RDX_TYPE_U64, .rows = ROWS, .values = wide_keys}};
    const rdx_column by[] = {{.type = RDX_TYPE_U32, .rows = PROBES, .values = probes},
                             {.type = RDX_TYPE_U64, .rows = PROBES, .values = wide}};
    for (uint32_t t = 0; t < 2; t++) {
      rdx_index *index = NULL;
      OK(rdx_index_create(test_device, &of[t], &params, &index, err));
      check_lookups(index, &of[t], &by[t], NULL, &of[t]);
      check_lookups(index, &of[t], &by[t], &by[t], &of[t]);
      rdx_index_destroy(&index);
    }
  }
}

/* Key i of `rows` ascending ones below 2^bits, spread in ways that an interpolation guesses well, or badly. */
static uint64_t spread_key(uint32_t spread, uint64_t i, uint64_t rows, uint32_t bits) {
  const uint64_t max = UINT64_MAX >> (64 - bits);
  switch (spread) {
  case 0: /* evenly */
    return i * (max / rows) + i * 7919 % 61;
  case 1: /* dense, up to the largest key */
    return max - (rows - 1 - i);
  case 2: /* one far above the others */
    return i + 1 == rows ? max : i;
  case 3: /* one far below the others */
    return i == 0 ? 0 : max - (rows - i) / 3;
  case 4: /* more and more apart */
    return (max >> (bits - 1 - i * (bits - 1) / rows)) + i;
  case 5: /* two clusters with runs of equal keys, which are longer than a block at times */
    return i < rows / 2 ? i / 3 : max - (rows - i) / 21;
  case 6: /* all equal, and the largest there is */
    return max;
  case 7: /* a few next to each other, each in many rows */
    return max / 5 + i / (rows / 12 + 1);
  case 8: /* most of them in an eightieth of the range, the others above it */
    return i < rows / 50 * 49 ? i * (max / 80 / rows) : max / 80 + (i - rows / 50 * 49) * (max / rows * 40);
  default: /* all equal but for the ends */
    return i == 0 ? 0 : i + 1 == rows ? max : max / 3;
  }
}

static void put_key(void *keys, uint64_t i, uint64_t key, bool wide) {
  const uint32_t narrow = (uint32_t)key;
  memcpy((char *)keys + i * (wide ? 8 : 4), wide ? (const void *)&key : &narrow, wide ? 8 : 4);
}

static void check_spread(rdx_index_method method, uint32_t spread, uint64_t rows, bool wide) {
  enum { PROBES = 48 };
  const uint32_t bits = wide ? 64 : 32;
  uint64_t *keys = malloc(rows * 8), lower[PROBES], upper[PROBES];
  assert_non_null(keys);
  for (uint64_t i = 0; i < rows; i++)
    put_key(keys, i, spread_key(spread, rows - 1 - i, rows, bits), wide);
  for (uint32_t i = 0; i < PROBES; i++) {
    const uint64_t at = i < 6 ? i % 2 * (rows - 1) : test_random() % rows, to = at + i % 4 < rows ? at + i % 4 : at;
    put_key(lower, i, spread_key(spread, at, rows, bits) + i / 2 % 3 - 1, wide);
    put_key(upper, i, spread_key(spread, to, rows, bits), wide);
  }
  const rdx_type type = wide ? RDX_TYPE_U64 : RDX_TYPE_U32;
  const rdx_column column = {.type = type, .rows = rows, .values = keys};
  const rdx_column low = {.type = type, .rows = PROBES, .values = lower};
  const rdx_column high = {.type = type, .rows = PROBES, .values = upper};
  rdx_index *index = NULL;
  OK(rdx_index_create(test_device, &column, &(rdx_index_params){.method = method}, &index, err));
  check_lookups(index, &column, &low, NULL, &column);
  check_lookups(index, &column, &low, &high, &column);
  rdx_index_destroy(&index);
  free(keys);
}

/* The sorted array guesses where a key is: sizes around those of its blocks, of what it guesses in, and of its top. */
static void test_guesses(void **state) {
  (void)state;
  static const uint64_t sizes[] = {1,   2,   7,   8,   9,   15,  16,  17,  31,  33,   63,   64,   65,
                                   127, 255, 256, 257, 271, 272, 273, 511, 513, 1025, 8191, 8192, 8193};
  for (size_t s = 0; s < COUNT(sizes); s += test_is_slow() ? 2 : 1)
    for (uint32_t spread = 0; spread < 10; spread++)
      for (uint32_t wide = 0; wide < 2; wide++)
        check_spread(RDX_INDEX_SORTED_ARRAY, spread, sizes[s], wide);
  for (uint32_t spread = 0; spread < (test_is_slow() ? 2 : 6);
       spread++) /* no longer runs: all their rows are compared one by one */
    check_spread(RDX_INDEX_SORTED_ARRAY, spread, 2048 * 261 + 5, spread % 2);
}

/* Trees high enough for a directory, over keys that suit it and others. */
static void test_directory(void **state) {
  (void)state;
  static const uint32_t spreads[] = {0, 1, 2, 3, 4, 5, 7, 8};
  for (size_t s = 0; s < COUNT(spreads); s++)
    for (uint32_t wide = 0; wide < 2; wide++)
      check_spread(RDX_INDEX_TREE, spreads[s], 60001, wide);
}

/* ---- Batches that CPUs look up by partitions of their keys ---- */

enum { BATCH_ROWS = (1 << 20) + 11, BATCH_PROBES = (1 << 20) + 3 };

static uint64_t batch_key(uint32_t spread, uint64_t i) {
  switch (spread) {
  case 0:
    return i;
  case 1:
    return i * 0x9e3779b97f4a7c15u; /* all over the place, and no two alike */
  default:
    return i * i * i;
  }
}

/* Row i has key number i % distinct; probe i asks for key number asked[i]. */
typedef struct batch {
  uint64_t distinct;
  rdx_column keys, probes;
  const rdx_column *values;
  uint64_t *asked;
} batch;

static void check_batch_probe(const batch *b, const rdx_lookup_view *views, uint64_t i) {
  const bool found = b->asked[i] < b->distinct && column_has(&b->probes, i);
  uint64_t count = 0, with_value = 0, first = RDX_NO_ROW;
  i128 sum = 0;
  for (uint64_t row = b->asked[i]; found && row < b->keys.rows; row += b->distinct) {
    first = count++ == 0 ? row : first;
    if (column_has(b->values, row)) {
      with_value++;
      sum += integer_at(b->values, row);
    }
  }
  const i128 got = views[2].sum_u64 ? (i128)views[2].sum_u64[i] : (i128)views[2].sum_i64[i];
  if (views[0].count[i] != count || views[1].first[i] != first || views[2].count[i] != with_value || got != sum)
    fail_msg("probe %llu: count %u first %u", (unsigned long long)i, views[0].count[i], views[1].first[i]);
}

static void check_batch(rdx_index_method method, const batch *b) {
  const rdx_index_params params = {.method = method};
  rdx_index *index = NULL;
  rdx_lookup_result *results[3];
  rdx_lookup_view views[3];
  OK(rdx_index_create(test_device, &b->keys, &params, &index, err));
  for (int k = 0; k < 3; k++) {
    const rdx_lookup_params lookup = {
        .result = (rdx_lookup_result_kind)k, .values = k == 2 ? b->values : NULL, .stats = k == 1};
    OK(rdx_index_lookup(index, &b->probes, &lookup, &results[k], err));
    OK(rdx_lookup_result_view(results[k], &views[k], err));
  }
  for (uint64_t i = 0; i < b->probes.rows; i++)
    check_batch_probe(b, views, i);
  for (int k = 0; k < 3; k++)
    rdx_lookup_result_destroy(&results[k]);
  rdx_index_destroy(&index);
}

static void make_batch(batch *b, uint64_t rows, uint32_t spread, bool wide, bool nulls, uint64_t distinct) {
  const uint64_t bytes = wide ? 8 : 4, asked = rows / 4 > BATCH_PROBES ? rows / 4 : BATCH_PROBES;
  char *keys = malloc(rows * bytes), *probes = malloc(asked * bytes);
  uint8_t *validity = malloc(asked / 8 + 1);
  b->asked = malloc(asked * sizeof *b->asked);
  b->distinct = distinct;
  for (uint64_t i = 0; i < rows; i++) {
    const uint64_t key = batch_key(spread, i % distinct);
    memcpy(keys + i * bytes, &key, bytes);
  }
  for (uint64_t i = 0; i < asked; i++) {
    b->asked[i] = test_random() % (distinct + distinct / 4);
    const uint64_t key = batch_key(spread, b->asked[i]);
    memcpy(probes + i * bytes, &key, bytes);
  }
  for (uint64_t i = 0; i < asked / 8 + 1; i++)
    validity[i] = (uint8_t)(test_random() | test_random());
  const rdx_type type = wide ? RDX_TYPE_U64 : RDX_TYPE_U32;
  b->keys = (rdx_column){.type = type, .rows = rows, .values = keys};
  b->probes = (rdx_column){.type = type, .rows = asked, .values = probes, .validity = nulls ? validity : NULL};
  if (!nulls)
    free(validity);
}

static void free_batch(batch *b) {
  free((void *)(uintptr_t)b->keys.values);
  free((void *)(uintptr_t)b->probes.values);
  free((void *)(uintptr_t)b->probes.validity);
  free(b->asked);
}

static void test_batches(void **state) {
  (void)state;
  static const rdx_index_method kinds[] = {RDX_INDEX_SORTED_ARRAY, RDX_INDEX_BTREE, RDX_INDEX_TREE, RDX_INDEX_HASH};
  static const rdx_type types[] = {RDX_TYPE_I32, RDX_TYPE_U64, RDX_TYPE_U32, RDX_TYPE_I64};
  if (rdx_device_get_info(test_device)->backend != RDX_BACKEND_CPU)
    skip();
  for (uint32_t k = 0; k < (test_is_slow() ? 2 : 8); k++) {
    const bool wide = k % 2, twice = k / 2 % 2;
    test_column values =
        column_make(types[k / 2], twice ? SHAPE_FEW : SHAPE_RANDOM, k % 3 ? SOME_NULLS : NO_NULLS, BATCH_ROWS);
    batch b = {.values = &values.view};
    make_batch(&b, BATCH_ROWS, wide ? k % 3 : k / 2 % 2, wide, k % 3 == 1, twice ? BATCH_ROWS / 2 : BATCH_ROWS);
    for (size_t m = 0; m < COUNT(kinds); m++)
      check_batch(kinds[m], &b);
    free_batch(&b);
    column_free(&values);
  }
}

/* So many keys that trees are looked up so, too. */
static void test_large_batches(void **state) {
  (void)state;
  enum { ROWS = (6 << 20) + 7 };
  if (rdx_device_get_info(test_device)->backend != RDX_BACKEND_CPU || test_is_slow())
    skip();
  test_column values = column_make(RDX_TYPE_I32, SHAPE_RANDOM, SOME_NULLS, ROWS);
  batch b = {.values = &values.view};
  make_batch(&b, ROWS, test_random() % 2, true, test_random() % 2, ROWS - test_random() % 2 * 5);
  check_batch(RDX_INDEX_TREE, &b);
  check_batch(RDX_INDEX_BTREE, &b);
  free_batch(&b);
  column_free(&values);
}

int main(void) {
  list_methods();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_types_and_shapes),
      cmocka_unit_test(test_options),
      cmocka_unit_test(test_small_keys),
      cmocka_unit_test(test_decompositions),
      cmocka_unit_test(test_far_neighbours),
      cmocka_unit_test(test_limits_of_key_modes),
      cmocka_unit_test(test_other_probe_types),
      cmocka_unit_test(test_default_primitive),
      cmocka_unit_test(test_larger),
      cmocka_unit_test(test_long_ranges),
      cmocka_unit_test(test_ranges_in_pieces),
      cmocka_unit_test(test_deep),
      cmocka_unit_test(test_clusters),
      cmocka_unit_test(test_guesses),
      cmocka_unit_test(test_directory),
      cmocka_unit_test(test_batches),
      cmocka_unit_test(test_large_batches),
  };
  return TEST_MAIN(tests);
}
