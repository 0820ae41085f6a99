/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RAYDEX_INDEX_H
#define RAYDEX_INDEX_H

/**
 * Indexes over a column, or over several: point lookups, range lookups, and what they return.
 *
 * - Shapes: everything is a batch, which is split inside where it passes a device's limits. Rows are numbered from 0 in
 *   the order of the key column. NULL keys are not indexed, NULL probes match nothing, duplicates are ordinary.
 * - Units: milliseconds and device bytes in statistics.
 * - Ownership: an index copies its keys; destroy results before their index, and that before its device.
 * - Errors: RDX_ERROR_UNSUPPORTED for more than 2^32 - 2 rows; RDX_ERROR_DEVICE_MEMORY before anything is built.
 * - Threads: lookups of one index may run at the same time; rdx_index_update(), rdx_index_apply(), rdx_index_rebuild(),
 *   rdx_index_include() and rdx_index_destroy() need it for themselves.
 * - Source: RTIndeX; cgRX; the thesis: docs/papers.md has their sections.
 *
 * Example:
 *
 *     const int32_t zip_codes[] = {94107, 10001, 94110, 94110}, wanted[] = {94110, 2108};
 *     const rdx_column keys = {.type = RDX_TYPE_I32, .rows = 4, .values = zip_codes};
 *     const rdx_column probes = {.type = RDX_TYPE_I32, .rows = 2, .values = wanted};
 *     rdx_index *index = NULL;
 *     rdx_lookup_result *result = NULL;
 *     rdx_lookup_view found;
 *     status = rdx_index_create(device, &keys, &(rdx_index_params){.method = RDX_INDEX_RX}, &index, &err);
 *     if (status == RDX_OK)
 *       status = rdx_index_lookup(index, &probes, NULL, &result, &err);
 *     if (status == RDX_OK)
 *       status = rdx_lookup_result_view(result, &found, &err);
 *     if (status == RDX_OK)
 *       printf("%u and %u rows\n", found.count[0], found.count[1]);
 *     rdx_lookup_result_destroy(&result);
 *     rdx_index_destroy(&index);
 */

#include <raydex/column.h>
#include <raydex/device.h>
#include <raydex/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum rdx_index_method {
  RDX_INDEX_AUTO = 0,     /**< the search tree: the fastest that answers ranges, too, where measured so far */
  RDX_INDEX_RX,           /**< RX: a primitive per key, a ray per lookup (RTIndeX, section 2) */
  RDX_INDEX_SORTED_ARRAY, /**< keys sorted with their rows, binary search (RTIndeX, section 4.1, "SA") */
  RDX_INDEX_TREE,         /**< a static search tree above blocks of sorted keys and rows */
  RDX_INDEX_BTREE,        /**< a B+-tree that batches change in place (RTIndeX, section 4.1, "B+") */
  RDX_INDEX_HASH,         /**< a hash table: point lookups only (RTIndeX, section 4.1, "HT") */
  /** The optimized RX: a primitive per distinct key, one hit per lookup, then a scan (thesis, chapter 4). */
  RDX_INDEX_RX_OPTIMIZED,
  RDX_INDEX_CGRX, /**< cgRX: a primitive per bucket of sorted keys, optimized representation (cgRX, section 3.3) */
  RDX_INDEX_CGRX_NAIVE, /**< cgRX's naive representation, with row and plane markers (cgRX, section 3.2) */
  /** cgRX whose buckets are chains of nodes, which batches change in place (cgRX, section 4). */
  RDX_INDEX_CGRX_UPDATABLE,
  /** A hash table in partitions, into which probes are brought, too: the radix-partitioned hash join (Balkesen et al.,
   * ICDE 2013). Point lookups only; for batches as large as a join's. */
  RDX_INDEX_RADIX_HASH,
} rdx_index_method;

#define RDX_INDEX_METHODS 11 /**< values of rdx_index_method */

/** A name such as "rx"; never NULL. */
RDX_API const char *rdx_index_method_name(rdx_index_method method);

/** The method of that name. RDX_ERROR_NOT_FOUND lists the names in the error text. */
RDX_API RDX_MUST_USE rdx_status rdx_index_method_from_name(const char *name, rdx_index_method *out, rdx_error *err);

/** What a method can do, whatever its options are. */
typedef struct rdx_index_abilities {
  bool traces;   /**< it casts rays: builds fail with RDX_ERROR_UNSUPPORTED on devices that trace none */
  bool ranges;   /**< it answers lookups of ranges, too */
  bool includes; /**< rdx_index_include() is for it, unless it is built as `published` */
  bool changes;  /**< rdx_index_apply() is for it */
} rdx_index_abilities;

/** Those of a method, and for RDX_INDEX_AUTO of the one that it is; of an unknown method: none. */
RDX_API rdx_index_abilities rdx_index_method_abilities(rdx_index_method method);

/** How a key becomes a point (RTIndeX, section 3.2). */
typedef enum rdx_rx_key_mode {
  RDX_RX_KEY_3D = 0,   /**< the key's bits split over x, y and z: any key */
  RDX_RX_KEY_NAIVE,    /**< x = the key: keys from 0 to 2^23 - 1 */
  RDX_RX_KEY_EXTENDED, /**< x = the float of every second bit pattern: keys from 0 to 2^29 - 1 */
} rdx_rx_key_mode;

/** What stands at a key's point (RTIndeX, section 3.5). */
typedef enum rdx_rx_primitive {
  RDX_RX_PRIMITIVE_DEFAULT = 0, /**< triangles; of the optimized RX in parts on GPUs without RT cores: boxes */
  RDX_RX_TRIANGLE,
  RDX_RX_SPHERE, /**< radius 0.25, intersected by a box program; not in extended mode */
  RDX_RX_BOX,
} rdx_rx_primitive;

/** How a ray is cast (RTIndeX, section 3.3). */
typedef enum rdx_rx_ray {
  RDX_RX_RAY_DEFAULT = 0,   /**< points: perpendicular; ranges: parallel from offset (from zero in extended mode) */
  RDX_RX_RAY_PERPENDICULAR, /**< along z through the key's point; point lookups only */
  RDX_RX_RAY_PARALLEL_FROM_OFFSET, /**< along x, starting just before the lower bound; not in extended mode */
  RDX_RX_RAY_PARALLEL_FROM_ZERO,   /**< along x, starting at the row's beginning, hits before the bound cut off */
} rdx_rx_ray;

/** What a scene is built for. */
typedef enum rdx_build_preference {
  RDX_BUILD_DEFAULT = 0, /**< fast trace; fast build for RX and cgRX where a GPU traces in software and no slower */
  RDX_BUILD_FAST_TRACE,
  RDX_BUILD_FAST_BUILD,
  RDX_BUILD_LOW_MEMORY,
} rdx_build_preference;

/*
 * `compaction`, of all methods: off leaves a scene as large as it was built. Embree has no compaction, so CPUs refuse
 * anything but the default with RDX_ERROR_UNSUPPORTED.
 * `published`, of all methods that have it: what is not said otherwise is as the paper published it, and exact.
 */

/** The options of RX; all zero is what the paper selected, but for bits where the device was seen to do better. */
typedef struct rdx_rx_params {
  rdx_rx_key_mode key_mode;
  /** 3D only: bits of each axis, at most 23, x the lowest. All 0: 23, 23, 18, as published; where keys are sparse and
   * the device has no RT cores 20, 22, 22, which are faster there. */
  uint8_t x_bits, y_bits, z_bits;
  rdx_rx_primitive primitive;
  rdx_rx_ray point_ray;
  rdx_rx_ray range_ray;
  rdx_build_preference build;
  uint32_t partitions;   /**< contiguous key ranges, each a scene part of its own; 0: as few as the device allows */
  rdx_switch compaction; /**< of the scene (section 3.5); refused on CPUs */
  bool updatable;        /**< allow updates by refit (section 3.6) */
  /** Allow a primitive to be reported twice: faster traversal, larger scene (Embree then splits primitives). Lookups
   * whose answer could then depend on it (any but point lookups of distinct keys) are refused. */
  bool duplicate_any_hit;
  /** Collect hits by the any-hit program even where every key is known to be distinct, as published; else such a
   * lookup ends its ray at the first hit. */
  bool always_any_hit;
  /** As published (sections 3.2 to 3.5): hits by the any-hit program, 23, 23 and 18 bits, a scene for fast traces, and
   * for a range one ray along each row between its bounds, whole where others cut it into segments. Over such lengths
   * f32 does not tell neighbours apart: hits are compared with their keys, which the index then keeps. Ranges over keys
   * that span more than 2^12 rows are RDX_ERROR_UNSUPPORTED. */
  bool published;
} rdx_rx_params;

/** The options of the sorted array. */
typedef struct rdx_sorted_array_params {
  uint8_t lanes; /**< GPU: 1, 2, 4, 8, 16 or 32 invocations that search for a key together, at most as many as a
                    subgroup has; 0: 1 */
} rdx_sorted_array_params;

/** The options of the search tree. */
typedef struct rdx_tree_params {
  uint8_t lanes; /**< GPU: 1, 2 or 4 invocations that go down together; 0: 2. CPUs refuse more than 1, of any method */
} rdx_tree_params;

/** The options of the optimized RX. */
typedef struct rdx_rx_optimized_params {
  /** Triangles as in the thesis. On GPUs without RT cores boxes make a scene less than half as large, and lookups a
   * tenth to a sixth slower: there the default for several partitions, which are asked for to save memory. */
  rdx_rx_primitive primitive;
  rdx_build_preference build;
  uint32_t partitions; /**< contiguous parts of the scene (thesis, algorithm 5); 0: as few as the device allows */
  rdx_switch compaction;
  rdx_switch compression; /**< off: a triangle for each duplicate, too (thesis, section 4.2) */
  /** As published (thesis, section 5.15): triangles in 16 parts, built for fast traces; rays that end where their row
   * does; a range is read entry by entry from its first hit on (algorithm 4), and no column can be included. */
  bool published;
} rdx_rx_optimized_params;

/** How cgRX maps keys to points (cgRX, section 5.1). */
typedef enum rdx_cgrx_mapping {
  RDX_CGRX_MAPPING_DEFAULT = 0, /**< covering; of the naive representation: compact */
  RDX_CGRX_MAPPING_PLAIN,       /**< 23, 23 and 18 bits of the key to x, y and z */
  RDX_CGRX_MAPPING_SCALED,      /**< the same with y * 2^15 and z * 2^25 */
  /** As scaled, but of the range of keys only leading bits, 10 more than number the buckets: neighbours share a row. */
  RDX_CGRX_MAPPING_COMPACT,
  /** As compact, and a triangle is as long as its bucket is wide: a ray across finds it at once. Not naive. */
  RDX_CGRX_MAPPING_COVERING,
} rdx_cgrx_mapping;

/** How cgRX stores keys and rows (cgRX, section 3.4). */
typedef enum rdx_cgrx_layout {
  RDX_CGRX_LAYOUT_DEFAULT = 0, /**< columns */
  RDX_CGRX_LAYOUT_COLUMN,      /**< all keys, then all rows */
  RDX_CGRX_LAYOUT_ROW_ALIGNED, /**< key and row side by side, at multiples of 8 bytes */
  RDX_CGRX_LAYOUT_ROW_PACKED,  /**< the same without padding: 12 bytes for 64-bit keys */
} rdx_cgrx_layout;

/** How cgRX searches a bucket (cgRX, section 3.4). */
typedef enum rdx_cgrx_search {
  RDX_CGRX_SEARCH_BINARY = 0,
  RDX_CGRX_SEARCH_LINEAR,
} rdx_cgrx_search;

/** What stands in the scene of the updatable cgRX. */
typedef enum rdx_cgrx_representation {
  RDX_CGRX_REPRESENTATION_OPTIMIZED = 0, /**< as RDX_INDEX_CGRX has it (cgRX, section 3.3, or covering) */
  RDX_CGRX_REPRESENTATION_NAIVE,         /**< with row and plane markers (cgRX, section 3.2); not covering */
} rdx_cgrx_representation;

/** The options of cgRX. */
typedef struct rdx_cgrx_params {
  uint32_t bucket_size; /**< keys of a bucket, 2 to 65,536; 0: 16 */
  rdx_cgrx_mapping mapping;
  rdx_cgrx_layout layout;
  rdx_cgrx_search search;
  rdx_build_preference build;
  uint32_t partitions; /**< contiguous parts of the scene; 0: as few as the device allows */
  rdx_switch compaction;
  /** As published (sections 3 and 5): the scaled mapping, packed rows, a scene for fast traces, rays as long as their
   * way; a range is read entry by entry (section 3.2), and no column can be included. The naive representation then
   * follows its markers by further rays, up to five (algorithm 2), where ours carry a bucket's number. */
  bool published;
} rdx_cgrx_params;

/** The options of the updatable cgRX (cgRX, section 4). */
typedef struct rdx_cgrx_updatable_params {
  uint32_t node_size;   /**< capacity of a node in keys, 4 to 4,096; 0: 32 */
  uint8_t fill_percent; /**< of each node when it is built, 1 to 100; 0: 50. Free capacity makes inserts cheaper */
  /** A batch that would make a bucket's chain longer than so many nodes makes the index rebuild itself; 0: 8. */
  uint32_t longest_chain;
  rdx_cgrx_representation representation;
  rdx_cgrx_mapping mapping;
  rdx_cgrx_search search; /**< within a node */
  rdx_build_preference build;
  uint32_t partitions; /**< contiguous parts of the scene; 0: as few as the device allows */
  rdx_switch compaction;
  bool published; /**< as published: the scaled mapping, a scene for fast traces, rays as long as their way */
} rdx_cgrx_updatable_params;

/** How a hash table is built. */
typedef enum rdx_hash_build {
  RDX_HASH_BUILD_SORT = 0, /**< all keys at once, in the order of their hash */
  /** Each key by itself, as the papers' hash table is (RTIndeX, section 4.1): distinct keys only; on GPUs u64 and what
   * takes as many bits need 64-bit atomics. Lookups are the same. */
  RDX_HASH_BUILD_INSERT,
} rdx_hash_build;

/** The options of the hash table; all zero is the default. */
typedef struct rdx_hash_params {
  uint8_t
      load_percent; /**< how full the table is: 10 to 95; 0: 80. Fuller is smaller, and slower where nothing matches */
  uint8_t lanes;    /**< GPU: 1, 2, 4, 8 or 16 invocations that look into a bucket together, at most as many as a
                           subgroup has; 0: chosen by device */
  rdx_hash_build build;
} rdx_hash_params;

/** The options of the radix-partitioned hash table. */
typedef struct rdx_radix_hash_params {
  /** Bits of the hash that number the partitions: 8, or 16, which takes two passes; 0: by size and device, down to a
   * single partition. */
  uint8_t bits;
} rdx_radix_hash_params;

/** The options of the B+-tree. */
typedef struct rdx_btree_params {
  uint8_t fill_percent; /**< of each leaf when it is built, 1 to 100; 0: 70. Free capacity makes inserts cheaper */
  uint8_t lanes; /**< GPU: 1, 8 or 16 invocations that go down together, at most as many as a subgroup has; 0: 1. The
                      papers' B+-tree has 16 */
} rdx_btree_params;

/** Which index to build; all zero is the default. */
typedef struct rdx_index_params {
  rdx_index_method method;
  rdx_rx_params rx;                         /**< RDX_INDEX_RX only */
  rdx_sorted_array_params sorted_array;     /**< RDX_INDEX_SORTED_ARRAY only */
  rdx_tree_params tree;                     /**< RDX_INDEX_TREE only */
  rdx_btree_params btree;                   /**< RDX_INDEX_BTREE only */
  rdx_hash_params hash;                     /**< RDX_INDEX_HASH only */
  rdx_rx_optimized_params rx_optimized;     /**< RDX_INDEX_RX_OPTIMIZED only */
  rdx_cgrx_params cgrx;                     /**< RDX_INDEX_CGRX and RDX_INDEX_CGRX_NAIVE only */
  rdx_cgrx_updatable_params cgrx_updatable; /**< RDX_INDEX_CGRX_UPDATABLE only */
  rdx_radix_hash_params radix_hash;         /**< RDX_INDEX_RADIX_HASH only */
} rdx_index_params;

/**
 * Set an option of `params->method` by its name, as `raydex --options` and WITH in SQL do: "bucket_size" to "16". Of
 * `params` only the method must be set. RDX_ERROR_NOT_FOUND lists the options of the method, RDX_ERROR_ARGUMENT the
 * values of the option.
 */
RDX_API RDX_MUST_USE rdx_status rdx_index_params_set(rdx_index_params *params, const char *name, const char *value,
                                                     rdx_error *err);

/** Write option `number` (from 0) of a method to `text`: "name=1..9" or "name=word|word". false: it has fewer. */
RDX_API bool rdx_index_option(rdx_index_method method, uint32_t number, char *text, size_t size);

typedef struct rdx_index rdx_index;

/**
 * Build an index over `keys` (any type, host or device column) on `device`. The column is copied as far as
 * it is needed: it may be freed afterwards. Fails with RDX_ERROR_DEVICE_MEMORY and the estimate before anything
 * is built where the device has too little memory, with RDX_ERROR_RANGE where a key mode cannot represent
 * a key, with RDX_ERROR_UNSUPPORTED where the device does not trace rays. Destroy the index before its device is
 * closed.
 *
 * Strings are keys by their first eight bytes (RTIndeX, section 3.2), and the host compares the rest; where a sample
 * shows that many begin alike, by their places in a dictionary, which takes about half a microsecond a string to make.
 */
RDX_API RDX_MUST_USE rdx_status rdx_index_create(rdx_device *device, const rdx_column *keys,
                                                 const rdx_index_params *params, rdx_index **out, rdx_error *err);

#define RDX_INDEX_COLUMNS 8 /**< of an index, at most */

/**
 * Build an index over 1 to RDX_INDEX_COLUMNS host columns of as many rows each. Their values are packed into one key
 * (RTIndeX, section 3.2), the first column in its highest bits: a column takes as many bits as its range of values
 * needs, and where that is more than 64 bits in all, as its distinct values need; strings always do. What is more than
 * 64 bits even so is RDX_ERROR_UNSUPPORTED.
 *
 * It answers rdx_index_lookup_columns() and rdx_index_range_columns(), and may include a column; other calls that take
 * keys are RDX_ERROR_UNSUPPORTED: to change it, build a new one. Of its statistics `key_type` is what the keys are
 * packed into, u32 or u64, and `keys` counts rows whose first column is not NULL. Else as rdx_index_create().
 */
RDX_API RDX_MUST_USE rdx_status rdx_index_create_columns(rdx_device *device, const rdx_column *keys, uint32_t count,
                                                         const rdx_index_params *params, rdx_index **out,
                                                         rdx_error *err);

/** Free `*index` and clear it. NULL and a cleared handle are fine. */
RDX_API void rdx_index_destroy(rdx_index **index);

/** How rdx_index_update() works (RTIndeX, section 3.6). */
typedef enum rdx_update_mode {
  RDX_UPDATE_REBUILD = 0, /**< rebuild; the old index serves until the new one stands */
  RDX_UPDATE_REFIT,       /**< RX built with `updatable`: move the primitives, keep the tree; same NULLs as before */
} rdx_update_mode;

/**
 * Replace the keys. `keys` has the type of the first build, and for a refit its number of rows too. On failure
 * the index still holds the old keys, except that a device lost during a refit leaves it unusable.
 */
RDX_API RDX_MUST_USE rdx_status rdx_index_update(rdx_index *index, const rdx_column *keys, rdx_update_mode mode,
                                                 rdx_error *err);

/** A batch of keys, of the type of the index: host or device columns. Either may be NULL. */
typedef struct rdx_index_changes {
  const rdx_column *insert;
  const rdx_column *remove;
} rdx_index_changes;

/**
 * Insert and remove keys, in an index that changes in place (RDX_INDEX_BTREE, RDX_INDEX_CGRX_UPDATABLE).
 *
 * The key at place i of `insert` gets row number rdx_index_stats.rows + i, as if the column had grown by the batch;
 * NULLs take a number, too. Each key of `remove` removes one row of that key, the one with the smallest number; a key
 * that is absent, or NULL, removes nothing. Row numbers are never used again. A key that a batch both inserts and
 * removes cancels pairwise (cgRX, section 4): of a inserts and b removes, the first min(a, b) inserts (in the order of
 * rows) and as many removes vanish, though the inserts keep their numbers. Of what is left, removes act before inserts.
 *
 * The stats then describe the index as changed, and the times of the change. Afterwards value columns of lookups have
 * as many rows as rdx_index_stats.rows. RDX_ERROR_UNSUPPORTED where the index cannot change in place, where rows pass
 * 2^32 - 2, and for strings unless those in the index and in the batch (of columns with a dictionary, all of this) are
 * at most eight bytes long without zero bytes: use rdx_index_update(). On failure, memory running out in the middle
 * included, the index is as it was before the batch, except that a device lost leaves it unusable.
 *
 * RDX_INDEX_CGRX_UPDATABLE keeps its scene as it was built: buckets grow and shrink. Where a chain of nodes would pass
 * `longest_chain`, or removes leave less than a quarter of the keys that its buckets were built for, the batch makes
 * the index rebuild itself, which rdx_index_stats.rebuilds counts. Batches whose keys fall into few buckets, such as
 * ascending ones, do so often: the B+-tree suits them better.
 */
RDX_API RDX_MUST_USE rdx_status rdx_index_apply(rdx_index *index, const rdx_index_changes *changes, rdx_error *err);

/**
 * Rebuild the index from the keys that it holds; they keep their row numbers (cgRX, section 4, "Rebuilding"). Worth
 * it where batches have made lookups slow, or the index large. RDX_ERROR_UNSUPPORTED but for RDX_INDEX_CGRX_UPDATABLE:
 * batches make no other index worse. The stats then have the times of the rebuild. On failure the index is as before,
 * except that a device lost leaves it unusable.
 */
RDX_API RDX_MUST_USE rdx_status rdx_index_rebuild(rdx_index *index, rdx_error *err);

/**
 * Include a column in the index, as covering indexes do: its values are kept in the order of the keys, with running
 * sums. Lookups for RDX_LOOKUP_SUM whose `values` are NULL then add it up, and take two accesses to memory for a range
 * of any length. `values` is a host or device column with as many rows as the key column, of an integer, decimal or
 * bool type; it is not needed afterwards. NULL includes nothing any more. Device memory: 5.4 bytes a key, as many again
 * for values of 64 bits, and for values with NULLs.
 *
 * For what keeps keys sorted and does not change in place: RDX_INDEX_SORTED_ARRAY, RDX_INDEX_TREE, RDX_INDEX_CGRX,
 * RDX_INDEX_CGRX_NAIVE and RDX_INDEX_RX_OPTIMIZED; else, for float values and for string keys that are longer than
 * eight bytes or have zero bytes RDX_ERROR_UNSUPPORTED. On failure the index includes what it did. rdx_index_update()
 * ends it. No lookup may run meanwhile.
 */
RDX_API RDX_MUST_USE rdx_status rdx_index_include(rdx_index *index, const rdx_column *values, rdx_error *err);

/** What an index is and what it took. Bytes are device bytes; times are milliseconds. */
typedef struct rdx_index_stats {
  rdx_index_method method;
  rdx_type key_type;
  uint32_t key_bits;      /**< 32 or 64: the width keys are compared in */
  uint64_t rows;          /**< rows of the key column */
  uint64_t keys;          /**< keys indexed: rows less NULLs */
  bool distinct;          /**< no key stands twice; false, too, after keys were inserted, which are not compared,
                               * and of some strings longer than eight bytes or with zero bytes */
  uint64_t distinct_keys; /**< how many keys differ; 0: not counted, as for such strings */
  bool long_runs;      /**< some key may stand more than 32 times: counts and sums then look repeated probes up once */
  uint32_t partitions; /**< parts of the scene; 0 for an index without one */
  uint64_t rebuilds;   /**< times that a batch of changes made the index rebuild itself */
  uint64_t bytes_resident;    /**< all that lookups need, bytes_scene and an included column among it */
  uint64_t bytes_peak;        /**< the maximum held at once during the build, the input column not counted */
  uint64_t bytes_scene;       /**< the acceleration structure (on the CPU with the vertices it refers to) */
  uint64_t bytes_scene_built; /**< the same before compaction */
  double sort_ms;             /**< sorting, detecting duplicates, listing scene rows */
  double encode_ms;           /**< keys to primitives */
  double scene_ms;            /**< building the acceleration structure */
  double compact_ms;
  double compress_ms; /**< RDX_INDEX_RX_OPTIMIZED: finding the distinct keys that get a triangle each; not part of
                       * the others */
  double total_ms;    /**< from call to return, the upload of a host column included */
} rdx_index_stats;

/** What an index is and took. */
RDX_API void rdx_index_get_stats(const rdx_index *index, rdx_index_stats *out);

/** What a lookup returns for each probe. */
typedef enum rdx_lookup_result_kind {
  RDX_LOOKUP_COUNT = 0, /**< the number of matching rows */
  RDX_LOOKUP_FIRST,     /**< the smallest matching row, or RDX_NO_ROW */
  RDX_LOOKUP_SUM,       /**< the sum of a value column over the matching rows, and their number */
  RDX_LOOKUP_ROWS,      /**< all matching rows, ascending */
} rdx_lookup_result_kind;

typedef struct rdx_lookup_view rdx_lookup_view;

/** Gets the rows of probes first .. first + part->probes - 1. Return true to stop: RDX_ERROR_CANCELLED. */
typedef bool (*rdx_rows_fn)(void *user, uint64_t first, const rdx_lookup_view *part);

/** What to return; all zero counts. */
typedef struct rdx_lookup_params {
  rdx_lookup_result_kind result;
  /** RDX_LOOKUP_SUM: as many rows as the key column, of an integer, decimal, float or bool type; NULLs are skipped.
   * A host column is uploaded on each call. NULL: the column that rdx_index_include() has included. */
  const rdx_column *values;
  bool stats; /**< also count rays and hits, which costs a little time */
  /** Sort the probes (ranges: by their lower bounds) before they are looked up; answers come in the order given.
   * The sort is part of device_ms, and pays for large unsorted batches where sorted ones are much faster (RTIndeX,
   * section 4.4). RDX_INDEX_RADIX_HASH partitions its probes in any case, and so do, on CPUs and for a million
   * points or more, large RDX_INDEX_SORTED_ARRAY, RDX_INDEX_TREE and RDX_INDEX_BTREE. */
  bool sort_probes;
  /** RDX_LOOKUP_ROWS: gets the rows in parts of bounded size, some millions of rows or those of one probe, in the order
   * of probes; the result then has none of them, and is not to be read. The part is valid during the call. */
  rdx_rows_fn each;
  void *each_user;
} rdx_lookup_params;

typedef struct rdx_lookup_result rdx_lookup_result;

/**
 * Find, for each of `probes`, the rows whose key equals it. Of integers and decimals a host column of probes may be of
 * another type or scale than the keys (a value that these cannot have matches nothing); any other difference of type is
 * RDX_ERROR_ARGUMENT.
 * The result stays on the device until it is looked at. Destroy it with rdx_lookup_result_destroy() before its index.
 * Rows that the host has no memory for, or that pass rdx_device_params.memory_limit, are RDX_ERROR_MEMORY before they
 * are listed, with their number: look fewer probes up at a time, or see rdx_lookup_params.each.
 */
RDX_API RDX_MUST_USE rdx_status rdx_index_lookup(const rdx_index *index, const rdx_column *probes,
                                                 const rdx_lookup_params *params, rdx_lookup_result **out,
                                                 rdx_error *err);

/**
 * Find, for each i, the rows with lower[i] <= key <= upper[i]: both bounds inclusive, an empty range where
 * lower > upper, no match where either is NULL. Else as rdx_index_lookup().
 */
RDX_API RDX_MUST_USE rdx_status rdx_index_range(const rdx_index *index, const rdx_column *lower,
                                                const rdx_column *upper, const rdx_lookup_params *params,
                                                rdx_lookup_result **out, rdx_error *err);

/**
 * Find, for each i, the rows whose first `count` columns equal probes[0] to probes[count - 1] at i. `probes` are host
 * columns of as many rows each; a NULL matches nothing. Fewer columns than the index has are a range of its keys, which
 * RDX_INDEX_HASH and RDX_INDEX_RADIX_HASH refuse. Else as rdx_index_lookup().
 */
RDX_API RDX_MUST_USE rdx_status rdx_index_lookup_columns(const rdx_index *index, const rdx_column *probes,
                                                         uint32_t count, const rdx_lookup_params *params,
                                                         rdx_lookup_result **out, rdx_error *err);

/**
 * Find, for each i, the rows whose first `count` columns lie from lower[0] to lower[count - 1] at i to the same of
 * `upper`, both inclusive, in the order of tuples: as ORDER BY has them, a NULL of a row above all values. Where bounds
 * differ in the last column alone, these are the rows that equal them in the others, and lie between them in that. A
 * NULL in a bound matches nothing. Else as rdx_index_range().
 */
RDX_API RDX_MUST_USE rdx_status rdx_index_range_columns(const rdx_index *index, const rdx_column *lower,
                                                        const rdx_column *upper, uint32_t count,
                                                        const rdx_lookup_params *params, rdx_lookup_result **out,
                                                        rdx_error *err);

/** A result in host memory, owned by the rdx_lookup_result. Arrays that its kind does not have are NULL. */
struct rdx_lookup_view {
  rdx_lookup_result_kind kind;
  uint64_t probes;
  const rdx_row *count; /**< COUNT and SUM: `probes` numbers of matching rows (SUM: with a value that is not NULL) */
  const rdx_row *first; /**< FIRST: `probes` rows */
  rdx_type sum_type;    /**< SUM: RDX_TYPE_I64, RDX_TYPE_U64, RDX_TYPE_F64 or RDX_TYPE_DECIMAL, else RDX_TYPE_NONE */
  uint8_t sum_scale;
  const int64_t *sum_i64;  /**< signed integers, decimals, bool; exact */
  const uint64_t *sum_u64; /**< unsigned integers; exact */
  const double *sum_f64;   /**< floats, added in ascending order of rows */
  const uint64_t *offsets; /**< ROWS: `probes` + 1; the rows of probe i are rows[offsets[i]] to rows[offsets[i+1]-1] */
  const rdx_row *rows;
};

/** Copy a result to the host, once; later calls return the same arrays. Not to be called from two threads at a time. */
RDX_API RDX_MUST_USE rdx_status rdx_lookup_result_view(rdx_lookup_result *result, rdx_lookup_view *out, rdx_error *err);

/**
 * An array of a result as a column of the device, for the next call; it is copied there only if the result was looked
 * at before, or came in slices for lack of memory. `what` of a result:
 *
 *   RDX_LOOKUP_COUNT    of COUNT and SUM: u32
 *   RDX_LOOKUP_FIRST    of FIRST: u32, NULL where no row matches
 *   RDX_LOOKUP_SUM      of SUM: rdx_lookup_view.sum_type, NULL where no value was added
 *   RDX_LOOKUP_ROWS     of ROWS: u32, the rows of all probes one after the other
 *
 * Anything else is RDX_ERROR_ARGUMENT. The column is independent of the result: free it with
 * rdx_device_column_destroy(). examples/device.c uses it.
 */
RDX_API RDX_MUST_USE rdx_status rdx_lookup_result_column(rdx_lookup_result *result, rdx_lookup_result_kind what,
                                                         rdx_device_column **out, rdx_error *err);

/** What a lookup did. Times are milliseconds. */
typedef struct rdx_lookup_stats {
  uint64_t probes;
  uint64_t rays;   /**< rays cast; only with rdx_lookup_params.stats, else 0 */
  uint64_t visits; /**< nodes or buckets looked into; only with rdx_lookup_params.stats, else 0 */
  uint64_t hits;   /**< rows found; only with rdx_lookup_params.stats, else 0. Sums leave rows out whose values are
                    *   NULL; strings of more than eight bytes find rows by these, of which some may not match */
  uint64_t bytes_uploaded;
  uint64_t bytes_result; /**< device bytes of the result */
  double trace_ms;       /**< counting the rays, for which cgRX and the optimized RX cast them once more, alone; only
                          *   with rdx_lookup_params.stats, else 0 */
  double upload_ms;      /**< encoding and copying probes and values; 0 for device columns */
  double device_ms;      /**< on the device: searching or tracing, results included */
  double refine_ms;      /**< ordering rows, adding floats, exact comparison of strings */
  double total_ms;       /**< from call to return */
} rdx_lookup_stats;

/** What a lookup did. */
RDX_API void rdx_lookup_result_get_stats(const rdx_lookup_result *result, rdx_lookup_stats *out);

/** Free `*result` and clear it. NULL and a cleared handle are fine. */
RDX_API void rdx_lookup_result_destroy(rdx_lookup_result **result);

#ifdef __cplusplus
}
#endif
#endif
