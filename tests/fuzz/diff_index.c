/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors
 *
 * Random parameters of indexes. */

#include "diff.h"

#include <stdlib.h>

rdx_index_method random_index_method(bool ranges) {
  for (;;) {
    const rdx_index_method method = (rdx_index_method)below(RDX_INDEX_METHODS);
    if (ranges && !rdx_index_method_abilities(method).ranges)
      continue;
    return method;
  }
}

static const rdx_column *distinct_keys;

static int compare_keys(const void *a, const void *b) {
  return compare_rows(distinct_keys, *(const uint32_t *)a, distinct_keys, *(const uint32_t *)b);
}

bool all_distinct(const rdx_column *keys) {
  uint32_t *rows = take(keys->rows * sizeof *rows);
  uint64_t count = 0;
  for (uint64_t i = 0; i < keys->rows; i++)
    if (!is_null(keys, i))
      rows[count++] = (uint32_t)i;
  distinct_keys = keys;
  qsort(rows, count, sizeof *rows, compare_keys);
  for (uint64_t i = 1; i < count; i++)
    if (compare_keys(&rows[i - 1], &rows[i]) == 0)
      return false;
  return true;
}

/* Whether all keys are integers from 0 to `max`, which every key mode can represent by its definition. */
static bool fits_mode(const rdx_column *keys, i128 max) {
  if (keys->type == RDX_TYPE_STRING || is_float(keys->type))
    return false;
  for (uint64_t i = 0; i < keys->rows; i++) {
    const value v = value_at(keys, i);
    if (v.kind != VALUE_NULL && (v.whole < 0 || v.whole > max))
      return false;
  }
  return true;
}

/* CPUs refuse to switch compaction. */
static rdx_switch random_compaction(void) {
  const bool can = rdx_device_get_info(diff_device)->backend != RDX_BACKEND_CPU;
  return can && chance(40) ? (rdx_switch)below(RDX_SWITCH_OFF + 1) : RDX_SWITCH_DEFAULT;
}

static uint32_t random_partitions(void) {
  return chance(70) ? 0 : (uint32_t)(1 + magnitude(20));
}

static rdx_build_preference random_build(void) {
  return chance(50) ? RDX_BUILD_DEFAULT : (rdx_build_preference)below(RDX_BUILD_LOW_MEMORY + 1);
}

static void random_bits(rdx_rx_params *rx, const rdx_column *keys, refusal *r) {
  if (chance(60))
    return;
  rx->x_bits = (uint8_t)below(24);
  rx->y_bits = (uint8_t)below(24);
  rx->z_bits = (uint8_t)below(24);
  const unsigned bits = rx->x_bits + rx->y_bits + rx->z_bits;
  const bool wide = keys->type == RDX_TYPE_STRING || rdx_type_size(keys->type) == 8;
  if (bits < (wide ? 64 : 32))
    may_refuse(r, RDX_ERROR_RANGE, "keys beyond the bits of the axes");
  if (rx->x_bits == 0)
    may_refuse(r, RDX_ERROR_ARGUMENT, "no bits for x");
}

static void random_rx(rdx_rx_params *rx, const rdx_column *keys, refusal *r) {
  rx->key_mode = chance(60) ? RDX_RX_KEY_3D : (rdx_rx_key_mode)below(3);
  if (rx->key_mode == RDX_RX_KEY_3D)
    random_bits(rx, keys, r);
  else if (!fits_mode(keys, rx->key_mode == RDX_RX_KEY_NAIVE ? (1 << 23) - 1 : (1 << 29) - 1))
    may_refuse(r, RDX_ERROR_RANGE, "keys beyond the key mode");
  rx->primitive = (rdx_rx_primitive)below(RDX_RX_BOX + 1);
  rx->point_ray = (rdx_rx_ray)below(RDX_RX_RAY_PARALLEL_FROM_ZERO + 1);
  static const rdx_rx_ray ranges[] = {RDX_RX_RAY_DEFAULT, RDX_RX_RAY_PARALLEL_FROM_OFFSET,
                                      RDX_RX_RAY_PARALLEL_FROM_ZERO, RDX_RX_RAY_PERPENDICULAR};
  rx->range_ray = ranges[chance(95) ? below(3) : 3];
  rx->build = random_build();
  rx->partitions = random_partitions();
  rx->compaction = random_compaction();
  rx->updatable = chance(30);
  rx->duplicate_any_hit = chance(20);
  rx->always_any_hit = chance(30);
  rx->published = chance(20);
  static const char *const refused = "options that exclude each other";
  const bool offset =
      rx->point_ray == RDX_RX_RAY_PARALLEL_FROM_OFFSET || rx->range_ray == RDX_RX_RAY_PARALLEL_FROM_OFFSET;
  if (rx->range_ray == RDX_RX_RAY_PERPENDICULAR ||
      (rx->key_mode == RDX_RX_KEY_EXTENDED && (rx->primitive == RDX_RX_SPHERE || offset))) {
    must_refuse(r, RDX_ERROR_ARGUMENT, refused);
    must_refuse(r, RDX_ERROR_UNSUPPORTED, refused);
  }
}

static void random_cgrx(rdx_index_method method, rdx_cgrx_params *cgrx, refusal *r) {
  cgrx->bucket_size = chance(40) ? 0 : 2 + (uint32_t)magnitude(chance(90) ? 100 : 65535);
  cgrx->mapping = (rdx_cgrx_mapping)below(RDX_CGRX_MAPPING_COVERING + 1);
  cgrx->layout = (rdx_cgrx_layout)below(RDX_CGRX_LAYOUT_ROW_PACKED + 1);
  cgrx->published = chance(20);
  cgrx->search = (rdx_cgrx_search)below(RDX_CGRX_SEARCH_LINEAR + 1);
  cgrx->build = random_build();
  cgrx->partitions = random_partitions();
  cgrx->compaction = random_compaction();
  if (method == RDX_INDEX_CGRX_NAIVE && cgrx->mapping == RDX_CGRX_MAPPING_COVERING) {
    must_refuse(r, RDX_ERROR_ARGUMENT, "covering triangles of the naive representation");
    must_refuse(r, RDX_ERROR_UNSUPPORTED, "covering triangles of the naive representation");
  }
}

static void random_updatable(rdx_cgrx_updatable_params *p, refusal *r) {
  p->published = chance(20);
  p->node_size = chance(40) ? 0 : 4 + (uint32_t)magnitude(chance(90) ? 60 : 4093);
  p->fill_percent = (uint8_t)(chance(40) ? 0 : 1 + below(100));
  p->longest_chain = chance(50) ? 0 : 1 + (uint32_t)magnitude(20);
  p->mapping = (rdx_cgrx_mapping)below(RDX_CGRX_MAPPING_COVERING + 1);
  p->representation = (rdx_cgrx_representation)chance(30);
  p->search = (rdx_cgrx_search)chance(30);
  p->build = random_build();
  p->partitions = random_partitions();
  p->compaction = random_compaction();
  if (p->representation == RDX_CGRX_REPRESENTATION_NAIVE && p->mapping == RDX_CGRX_MAPPING_COVERING) {
    must_refuse(r, RDX_ERROR_ARGUMENT, "covering triangles of the naive representation");
    must_refuse(r, RDX_ERROR_UNSUPPORTED, "covering triangles of the naive representation");
  }
}

/* The largest number of invocations that a subgroup has room for; of a CPU, whose threads work by themselves, 1. */
static unsigned max_lanes(void) {
  const rdx_device_info *info = rdx_device_get_info(diff_device);
  return info->backend == RDX_BACKEND_VULKAN ? info->threads : 1;
}

static uint8_t random_lanes(unsigned max) {
  if (chance(40))
    return 0;
  uint8_t lanes = 1;
  while (lanes * 2u <= max && lanes * 2u <= max_lanes() && chance(60))
    lanes *= 2;
  return lanes;
}

rdx_index_params index_params(rdx_index_method method, const rdx_column *keys, refusal *r) {
  rdx_index_params p = {.method = method};
  if (chance(15))
    return p;
  switch (method) {
  case RDX_INDEX_RX:
    random_rx(&p.rx, keys, r);
    break;
  case RDX_INDEX_SORTED_ARRAY:
    p.sorted_array.lanes = random_lanes(32);
    break;
  case RDX_INDEX_TREE:
    p.tree.lanes = random_lanes(4);
    break;
  case RDX_INDEX_BTREE:
    p.btree.fill_percent = (uint8_t)below(101);
    p.btree.lanes = max_lanes() == 1 || chance(50) ? 0 : chance(50) ? 8 : 16;
    break;
  case RDX_INDEX_HASH:
    p.hash.load_percent = (uint8_t)(chance(30) ? 0 : 10 + below(86));
    p.hash.lanes = random_lanes(16);
    p.hash.build =
        chance(30) && keys->type != RDX_TYPE_STRING && all_distinct(keys) ? RDX_HASH_BUILD_INSERT : RDX_HASH_BUILD_SORT;
    break;
  case RDX_INDEX_RX_OPTIMIZED:
    p.rx_optimized.primitive = (rdx_rx_primitive)below(RDX_RX_BOX + 1);
    p.rx_optimized.build = random_build();
    p.rx_optimized.partitions = random_partitions();
    p.rx_optimized.compaction = random_compaction();
    p.rx_optimized.compression = chance(30) ? RDX_SWITCH_OFF : RDX_SWITCH_DEFAULT;
    p.rx_optimized.published = chance(20);
    break;
  case RDX_INDEX_CGRX:
  case RDX_INDEX_CGRX_NAIVE:
    random_cgrx(method, &p.cgrx, r);
    break;
  case RDX_INDEX_CGRX_UPDATABLE:
    random_updatable(&p.cgrx_updatable, r);
    break;
  case RDX_INDEX_RADIX_HASH:
    p.radix_hash.bits = (uint8_t)(8 * below(3));
    break;
  default: /* has no options */
    break;
  }
  return p;
}

void index_note(const rdx_index_params *p) {
  note("index %s", rdx_index_method_name(p->method));
  if (p->method == RDX_INDEX_RX)
    note(" key_mode %d bits %d,%d,%d primitive %d point_ray %d range_ray %d build %d partitions %u compaction %d "
         "updatable %d duplicate_any_hit %d always_any_hit %d published %d",
         p->rx.key_mode, p->rx.x_bits, p->rx.y_bits, p->rx.z_bits, p->rx.primitive, p->rx.point_ray, p->rx.range_ray,
         p->rx.build, p->rx.partitions, p->rx.compaction, p->rx.updatable, p->rx.duplicate_any_hit,
         p->rx.always_any_hit, p->rx.published);
  else if (p->method == RDX_INDEX_RX_OPTIMIZED)
    note(" primitive %d build %d partitions %u compaction %d compression %d published %d", p->rx_optimized.primitive,
         p->rx_optimized.build, p->rx_optimized.partitions, p->rx_optimized.compaction, p->rx_optimized.compression,
         p->rx_optimized.published);
  else if (p->method == RDX_INDEX_CGRX || p->method == RDX_INDEX_CGRX_NAIVE)
    note(" bucket %u mapping %d layout %d search %d build %d partitions %u compaction %d published %d",
         p->cgrx.bucket_size, p->cgrx.mapping, p->cgrx.layout, p->cgrx.search, p->cgrx.build, p->cgrx.partitions,
         p->cgrx.compaction, p->cgrx.published);
  else if (p->method == RDX_INDEX_CGRX_UPDATABLE)
    note(" node %u fill %d chain %u representation %d mapping %d search %d build %d partitions %u compaction %d "
         "published %d",
         p->cgrx_updatable.node_size, p->cgrx_updatable.fill_percent, p->cgrx_updatable.longest_chain,
         p->cgrx_updatable.representation, p->cgrx_updatable.mapping, p->cgrx_updatable.search, p->cgrx_updatable.build,
         p->cgrx_updatable.partitions, p->cgrx_updatable.compaction, p->cgrx_updatable.published);
  else
    note(" lanes %d,%d,%d,%d load %d build %d fill %d bits %d", p->sorted_array.lanes, p->tree.lanes, p->btree.lanes,
         p->hash.lanes, p->hash.load_percent, p->hash.build, p->btree.fill_percent, p->radix_hash.bits);
  note("\n");
}
