/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The options of indexes by their names. */

#include "base/options.h"
#include "index/index.h"

static const rdx_option_word key_modes[] = {
    {"3d", RDX_RX_KEY_3D}, {"naive", RDX_RX_KEY_NAIVE}, {"extended", RDX_RX_KEY_EXTENDED}, {0}};
static const rdx_option_word primitives[] = {
    {"triangle", RDX_RX_TRIANGLE}, {"sphere", RDX_RX_SPHERE}, {"box", RDX_RX_BOX}, {0}};
static const rdx_option_word point_rays[] = {{"perpendicular", RDX_RX_RAY_PERPENDICULAR},
                                             {"from_offset", RDX_RX_RAY_PARALLEL_FROM_OFFSET},
                                             {"from_zero", RDX_RX_RAY_PARALLEL_FROM_ZERO},
                                             {0}};
static const rdx_option_word range_rays[] = {
    {"from_offset", RDX_RX_RAY_PARALLEL_FROM_OFFSET}, {"from_zero", RDX_RX_RAY_PARALLEL_FROM_ZERO}, {0}};
static const rdx_option_word mappings[] = {{"covering", RDX_CGRX_MAPPING_COVERING},
                                           {"compact", RDX_CGRX_MAPPING_COMPACT},
                                           {"plain", RDX_CGRX_MAPPING_PLAIN},
                                           {"scaled", RDX_CGRX_MAPPING_SCALED},
                                           {0}};
static const rdx_option_word layouts[] = {{"column", RDX_CGRX_LAYOUT_COLUMN},
                                          {"row_aligned", RDX_CGRX_LAYOUT_ROW_ALIGNED},
                                          {"row_packed", RDX_CGRX_LAYOUT_ROW_PACKED},
                                          {0}};
static const rdx_option_word searches[] = {{"binary", RDX_CGRX_SEARCH_BINARY}, {"linear", RDX_CGRX_SEARCH_LINEAR}, {0}};
static const rdx_option_word representations[] = {
    {"optimized", RDX_CGRX_REPRESENTATION_OPTIMIZED}, {"naive", RDX_CGRX_REPRESENTATION_NAIVE}, {0}};
static const rdx_option_word lanes_to_4[] = {{"1", 1}, {"2", 2}, {"4", 4}, {0}};
static const rdx_option_word lanes_to_16[] = {{"1", 1}, {"2", 2}, {"4", 4}, {"8", 8}, {"16", 16}, {0}};
static const rdx_option_word lanes_of_leaf[] = {{"1", 1}, {"8", 8}, {"16", 16}, {0}};
static const rdx_option_word lanes_to_32[] = {{"1", 1}, {"2", 2}, {"4", 4}, {"8", 8}, {"16", 16}, {"32", 32}, {0}};
static const rdx_option_word hash_builds[] = {{"sort", RDX_HASH_BUILD_SORT}, {"insert", RDX_HASH_BUILD_INSERT}, {0}};
static const rdx_option_word radix_bits[] = {{"8", 8}, {"16", 16}, {0}};

#define WORD(kind, name, path, words) RDX_OPTION_WORD(rdx_index_params, kind, name, path, words)
#define NUMBER(kind, name, path, min, max) RDX_OPTION_NUMBER(rdx_index_params, kind, name, path, min, max)
#define PARTITIONS (1u << 24)

static const rdx_option list[] = {
    WORD(RDX_INDEX_RX, "key_mode", rx.key_mode, key_modes),
    NUMBER(RDX_INDEX_RX, "x_bits", rx.x_bits, 0, 23),
    NUMBER(RDX_INDEX_RX, "y_bits", rx.y_bits, 0, 23),
    NUMBER(RDX_INDEX_RX, "z_bits", rx.z_bits, 0, 23),
    WORD(RDX_INDEX_RX, "primitive", rx.primitive, primitives),
    WORD(RDX_INDEX_RX, "point_ray", rx.point_ray, point_rays),
    WORD(RDX_INDEX_RX, "range_ray", rx.range_ray, range_rays),
    WORD(RDX_INDEX_RX, "build", rx.build, rdx_option_builds),
    NUMBER(RDX_INDEX_RX, "partitions", rx.partitions, 0, PARTITIONS),
    WORD(RDX_INDEX_RX, "compaction", rx.compaction, rdx_option_defaults),
    WORD(RDX_INDEX_RX, "updatable", rx.updatable, rdx_option_switches),
    WORD(RDX_INDEX_RX, "duplicate_any_hit", rx.duplicate_any_hit, rdx_option_switches),
    WORD(RDX_INDEX_RX, "always_any_hit", rx.always_any_hit, rdx_option_switches),
    WORD(RDX_INDEX_RX, "published", rx.published, rdx_option_switches),
    WORD(RDX_INDEX_SORTED_ARRAY, "lanes", sorted_array.lanes, lanes_to_32),
    WORD(RDX_INDEX_TREE, "lanes", tree.lanes, lanes_to_4),
    NUMBER(RDX_INDEX_BTREE, "fill", btree.fill_percent, 1, 100),
    WORD(RDX_INDEX_BTREE, "lanes", btree.lanes, lanes_of_leaf),
    NUMBER(RDX_INDEX_HASH, "load", hash.load_percent, 10, 95),
    WORD(RDX_INDEX_HASH, "lanes", hash.lanes, lanes_to_16),
    WORD(RDX_INDEX_HASH, "build", hash.build, hash_builds),
    WORD(RDX_INDEX_RX_OPTIMIZED, "primitive", rx_optimized.primitive, primitives),
    WORD(RDX_INDEX_RX_OPTIMIZED, "build", rx_optimized.build, rdx_option_builds),
    NUMBER(RDX_INDEX_RX_OPTIMIZED, "partitions", rx_optimized.partitions, 0, PARTITIONS),
    WORD(RDX_INDEX_RX_OPTIMIZED, "compaction", rx_optimized.compaction, rdx_option_defaults),
    WORD(RDX_INDEX_RX_OPTIMIZED, "compression", rx_optimized.compression, rdx_option_defaults),
    WORD(RDX_INDEX_RX_OPTIMIZED, "published", rx_optimized.published, rdx_option_switches),
    NUMBER(RDX_INDEX_CGRX, "bucket_size", cgrx.bucket_size, 2, 65536),
    WORD(RDX_INDEX_CGRX, "mapping", cgrx.mapping, mappings),
    WORD(RDX_INDEX_CGRX, "layout", cgrx.layout, layouts),
    WORD(RDX_INDEX_CGRX, "search", cgrx.search, searches),
    WORD(RDX_INDEX_CGRX, "build", cgrx.build, rdx_option_builds),
    NUMBER(RDX_INDEX_CGRX, "partitions", cgrx.partitions, 0, PARTITIONS),
    WORD(RDX_INDEX_CGRX, "compaction", cgrx.compaction, rdx_option_defaults),
    WORD(RDX_INDEX_CGRX, "published", cgrx.published, rdx_option_switches),
    NUMBER(RDX_INDEX_CGRX_UPDATABLE, "node_size", cgrx_updatable.node_size, 4, 4096),
    NUMBER(RDX_INDEX_CGRX_UPDATABLE, "fill", cgrx_updatable.fill_percent, 1, 100),
    NUMBER(RDX_INDEX_CGRX_UPDATABLE, "longest_chain", cgrx_updatable.longest_chain, 1, UINT32_MAX),
    WORD(RDX_INDEX_CGRX_UPDATABLE, "representation", cgrx_updatable.representation, representations),
    WORD(RDX_INDEX_CGRX_UPDATABLE, "mapping", cgrx_updatable.mapping, mappings),
    WORD(RDX_INDEX_CGRX_UPDATABLE, "search", cgrx_updatable.search, searches),
    WORD(RDX_INDEX_CGRX_UPDATABLE, "build", cgrx_updatable.build, rdx_option_builds),
    NUMBER(RDX_INDEX_CGRX_UPDATABLE, "partitions", cgrx_updatable.partitions, 0, PARTITIONS),
    WORD(RDX_INDEX_CGRX_UPDATABLE, "compaction", cgrx_updatable.compaction, rdx_option_defaults),
    WORD(RDX_INDEX_CGRX_UPDATABLE, "published", cgrx_updatable.published, rdx_option_switches),
    WORD(RDX_INDEX_RADIX_HASH, "bits", radix_hash.bits, radix_bits),
};

static const rdx_options options = {list, RDX_COUNT(list)};

/* The two representations of cgRX share their options. */
static uint32_t options_of(rdx_index_method method) {
  return method == RDX_INDEX_CGRX_NAIVE ? RDX_INDEX_CGRX : method;
}

rdx_status rdx_index_params_set(rdx_index_params *params, const char *name, const char *value, rdx_error *err) {
  if (!params || !name || !value)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_index_params_set: params, name and value must not be NULL");
  return rdx_option_set(options, options_of(params->method), rdx_index_method_name(params->method), name, value, params,
                        err);
}

rdx_status rdx_index_check_options(const rdx_index_params *params, rdx_error *err) {
  return rdx_option_check(options, 1ull << options_of(params->method), options_of(params->method),
                          rdx_index_method_name(params->method), params, err);
}

bool rdx_index_option(rdx_index_method method, uint32_t number, char *text, size_t size) {
  return text && size > 0 && rdx_option_describe(options, options_of(method), number, text, size);
}
