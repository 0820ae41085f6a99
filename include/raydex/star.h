/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RAYDEX_STAR_H
#define RAYDEX_STAR_H

/**
 * Star queries, by methods: by rays through cubes, by sorted copies, or by looking at columns.
 *
 * - Shapes: a relation and queries over it (query.h); cubes answer those that were prepared.
 * - Units: milliseconds and device bytes in statistics.
 * - Ownership: an rdx_star copies its relation; destroy it before its device. Results do not need it.
 * - Errors: RDX_ERROR_UNSUPPORTED where no cube has what a query needs; RDX_ERROR_OVERFLOW names the group.
 * - Threads: queries of one rdx_star may run at the same time; rdx_star_add_cube(), rdx_star_prepare() and
 *   rdx_star_destroy() need it for themselves.
 * - Source: RTCUDB: docs/papers.md has the sections.
 *
 * Example:
 *
 *     const uint32_t shops[] = {1, 2, 1}, by_shop = 0;
 *     const int64_t sold[] = {10, 25, 7};
 *     const rdx_attribute attributes[] = {{"shop", {.type = RDX_TYPE_U32, .rows = 3, .values = shops}, 0},
 *                                         {"amount", {.type = RDX_TYPE_I64, .rows = 3, .values = sold}, 0}};
 *     const rdx_relation sales = {.rows = 3, .attributes = attributes, .attribute_count = 2};
 *     const rdx_expression amount = {.kind = RDX_EXPRESSION_ATTRIBUTE, .attribute = 1};
 *     const rdx_aggregate sum = {RDX_AGGREGATE_SUM, &amount};
 *     const rdx_query query = {.group_by = &by_shop, .group_count = 1, .aggregates = &sum, .aggregate_count = 1};
 *     rdx_star *star = NULL;
 *     rdx_query_result *result = NULL;
 *     rdx_query_view groups;
 *     status = rdx_star_create(device, &sales, NULL, &star, &err);
 *     if (status == RDX_OK)
 *       status = rdx_star_run(star, &query, NULL, &result, &err);
 *     if (status == RDX_OK)
 *       status = rdx_query_result_view(result, &groups, &err);
 *     if (status == RDX_OK)
 *       printf("%d shops\n", (int)groups.rows);
 *     rdx_query_result_destroy(&result);
 *     rdx_star_destroy(&star);
 */

#include <raydex/device.h>
#include <raydex/index.h> /* rdx_build_preference */
#include <raydex/query.h>
#include <raydex/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum rdx_star_method {
  RDX_STAR_AUTO = 0,      /**< sorted cubes for the queries that are prepared, the column engine for others, and where a
                             cube cannot be had or is expected to take longer */
  RDX_STAR_COLUMN_ENGINE, /**< fused scan, group and aggregate over packed columns; dimensions are
                             looked up, not joined */
  RDX_STAR_SORTED_CUBE,   /**< rows sorted by the scan's code: reads what qualifies, or what is kept of its runs */
  RDX_STAR_COARSE_CUBE,   /**< a triangle for each block of rows; what its runs of rows come to is kept */
  RDX_STAR_RT_CUBE,       /**< RTCUDB: a triangle for each row; see rdx_rt_cube_mapping */
} rdx_star_method;

#define RDX_STAR_METHODS 5 /**< values of rdx_star_method */

/** A name such as "rt_cube"; never NULL. */
RDX_API const char *rdx_star_method_name(rdx_star_method method);

/** The method of that name. RDX_ERROR_NOT_FOUND lists the names in the error text. */
RDX_API RDX_MUST_USE rdx_status rdx_star_method_from_name(const char *name, rdx_star_method *out, rdx_error *err);

/** What the coordinates of an RT cube's rows are. */
typedef enum rdx_rt_cube_mapping {
  RDX_RT_CUBE_RANK = 0,  /**< z is the row's rank in the order of scan attributes; groups and measures are in packed
                              columns; one ray owns a row, instead of a flag */
  RDX_RT_CUBE_PUBLISHED, /**< RTCUDB as published (sections 3.2 and 4): z is the code of the scan attributes, y that of
                              the group, x has the measures; the hit program decodes them, and flags rows */
} rdx_rt_cube_mapping;

/** How an RT cube treats several attributes of one operator (RTCUDB, section 6.6). */
typedef enum rdx_rt_cube_operators {
  RDX_RT_CUBE_ENCODE = 0,   /**< all in one coordinate (sections 4.2, 4.3) */
  RDX_RT_CUBE_SPLIT_SCAN,   /**< the first scan attribute in z, the others in device memory */
  RDX_RT_CUBE_SPLIT_GROUP,  /**< published: the first group attribute in y, the others in device memory */
  RDX_RT_CUBE_SEPARATE_SCAN /**< z is 0: a bitmap of RTScan says which rows qualify (section 6.5) */
} rdx_rt_cube_operators;

/** The order of the attributes in z (RTCUDB, section 4.2). */
typedef enum rdx_rt_cube_order {
  RDX_RT_CUBE_FEWEST_INTERVALS = 0, /**< that in which the queries prepared take the fewest intervals of z */
  RDX_RT_CUBE_AS_GIVEN,             /**< that in which queries, or a rdx_cube_spec, name them */
} rdx_rt_cube_order;

/** The order in which rows, and their triangles, lie in memory. */
typedef enum rdx_rt_cube_rows {
  RDX_RT_CUBE_TABLE_ORDER = 0, /**< as in the table; by z where the device's trees keep the order of their input */
  RDX_RT_CUBE_Z_ORDER,
} rdx_rt_cube_rows;

typedef struct rdx_rt_cube_params {
  rdx_rt_cube_mapping mapping;
  rdx_rt_cube_operators operators;
  double leg_x, leg_y; /**< Sx and Sy, the legs of the triangles; rays lie half a leg apart (section 3.2); 0: by the
                            model; else 2 to 4194304, one of them at most 262144 */
  uint32_t unit_z;     /**< published: the distance of neighbouring codes of z, which shapes the tree: a power of two,
                            at most 2^30; 0: 1 */
  uint32_t grid;       /**< published, instead of legs: rays for an interval of z, about; 0: by the model */
  rdx_rt_cube_order order;   /**< published */
  rdx_rt_cube_rows rows;     /**< published */
  uint32_t sub_accumulators; /**< copies of a group's result that rays spread over, at most 256; CPUs have one a thread
                                  at most; 0: CPUs one a thread, GPUs by the number of groups (rank) or one
                                  (published) */
  rdx_build_preference build;
  bool insist; /**< answer queries that take far more rays than there are rows, because legs are short, however long
                    that takes; else they are RDX_ERROR_UNSUPPORTED */
} rdx_rt_cube_params;

typedef struct rdx_coarse_cube_params {
  uint32_t block_rows; /**< rows under one triangle; 0: by the model */
  rdx_build_preference build;
} rdx_coarse_cube_params;

/** All zero is the default. */
typedef struct rdx_star_params {
  rdx_star_method method;
  rdx_rt_cube_params rt_cube;
  rdx_coarse_cube_params coarse_cube;
} rdx_star_params;

/**
 * Set an option of `params->method` by its name, as `raydex ssb run --options` and WITH in SQL do: "mapping" to
 * "published". Of `params` only the method must be set. RDX_ERROR_NOT_FOUND lists the options of the method,
 * RDX_ERROR_ARGUMENT the values of the option; options that contradict each other are refused when a cube is built.
 */
RDX_API RDX_MUST_USE rdx_status rdx_star_params_set(rdx_star_params *params, const char *name, const char *value,
                                                    rdx_error *err);

/** Write option `number` (from 0) of a method to `text`: "name=1..9" or "name=word|word". false: it has fewer. */
RDX_API bool rdx_star_option(rdx_star_method method, uint32_t number, char *text, size_t size);

/** What a cube can answer: queries whose predicates, groups and expressions use no more than this. */
typedef struct rdx_cube_spec {
  const uint32_t *scan;                     /**< attributes that predicates may use */
  uint32_t scan_count;                      /**< at most 8; of RDX_RT_CUBE_PUBLISHED 64 */
  const uint32_t *group_by;                 /**< in the order that results are sorted by */
  uint32_t group_count;                     /**< at most 8 */
  const rdx_expression *const *expressions; /**< what aggregates are made of; a + b and a * b are b + a and b * a */
  uint32_t expression_count;                /**< at most 8: a float is kept as its code and, unless it is not summed,
                                               as what its sum takes (rdx_query) */
  const bool *summed;                       /**< whether SUM or AVG is asked of each expression; NULL: of all */
} rdx_cube_spec;

typedef struct rdx_star rdx_star;

/**
 * Make an rdx_star for a relation. Its attributes are brought to the device as packed codes, shared by all that the
 * rdx_star builds; the relation may be freed afterwards. Reports progress as stage "pack". Destroy the rdx_star before
 * its device is closed.
 */
RDX_API RDX_MUST_USE rdx_status rdx_star_create(rdx_device *device, const rdx_relation *relation,
                                                const rdx_star_params *params, rdx_star **out, rdx_error *err);

/** Free `*star` and clear it. NULL and a cleared handle are fine. */
RDX_API void rdx_star_destroy(rdx_star **star);

/** Build a cube; with RDX_STAR_AUTO a sorted one. A column engine needs none: RDX_ERROR_UNSUPPORTED. On failure the
 * rdx_star is as before. */
RDX_API RDX_MUST_USE rdx_status rdx_star_add_cube(rdx_star *star, const rdx_cube_spec *spec, rdx_error *err);

/**
 * Build the cubes that `queries` need and the rdx_star has not: as few as serve each of them well. Queries with the
 * same group attributes and expressions share one whose scan attributes are all of theirs, as long as it can be coded.
 * With RDX_STAR_AUTO a query for which none can be built, or held in memory, is left to the column engine. On failure
 * the rdx_star is as before, and the text says which query it is about. Reports progress as stage "build".
 */
RDX_API RDX_MUST_USE rdx_status rdx_star_prepare(rdx_star *star, const rdx_query *queries, uint32_t count,
                                                 rdx_error *err);

/** Bytes are device bytes, those of cubes with what they keep on the host; times are milliseconds. */
typedef struct rdx_star_stats {
  rdx_star_method method;
  uint64_t rows;
  uint32_t cubes;
  uint64_t bytes_columns; /**< packed attributes, without what queries add to them (rdx_query) */
  uint64_t bytes_cubes;
  uint64_t bytes_peak;
  double encode_ms; /**< packing attributes */
  double build_ms;  /**< all cubes, from call to return */
} rdx_star_stats;

/** What an rdx_star is and took. */
RDX_API void rdx_star_get_stats(const rdx_star *star, rdx_star_stats *out);

typedef struct rdx_query_params {
  bool stats; /**< also count rays, hits and rows, by running a second time, which no time includes */
} rdx_query_params;

typedef struct rdx_query_result rdx_query_result;

/**
 * Answer a query. RDX_ERROR_UNSUPPORTED where no cube has what it needs; the text names what is missing.
 * RDX_ERROR_OVERFLOW where the sum of a group, or its smallest or largest value, passes 64 bits or the largest f64; the
 * text names the group. RDX_ERROR_MEMORY for more groups than the host has memory for, or
 * rdx_device_params.memory_limit allows. Destroy the result with rdx_query_result_destroy(); it does not need its
 * rdx_star.
 */
RDX_API RDX_MUST_USE rdx_status rdx_star_run(const rdx_star *star, const rdx_query *query,
                                             const rdx_query_params *params, rdx_query_result **out, rdx_error *err);

/** A query's answer in host memory, owned by the rdx_query_result. */
typedef struct rdx_query_view {
  uint64_t rows;
  uint32_t column_count;     /**< first the group's attributes, then the aggregates */
  const rdx_column *columns; /**< `column_count` of them, of `rows` rows each */
} rdx_query_view;

/** Look at an answer. */
RDX_API RDX_MUST_USE rdx_status rdx_query_result_view(const rdx_query_result *result, rdx_query_view *out,
                                                      rdx_error *err);

/**
 * Column `index`, from 0, on the device of the rdx_star, which must be open. HAVING, ORDER BY and LIMIT are done on the
 * host, so that it is copied from there. RDX_ERROR_ARGUMENT where there is no such column. It is independent of the
 * result: free it with rdx_device_column_destroy().
 */
RDX_API RDX_MUST_USE rdx_status rdx_query_result_column(const rdx_query_result *result, uint32_t index,
                                                        rdx_device_column **out, rdx_error *err);

/** What a query did. Times are milliseconds. */
typedef struct rdx_query_stats {
  rdx_star_method method; /**< what answered it, also with RDX_STAR_AUTO */
  uint64_t groups;        /**< that qualified, before HAVING and LIMIT */
  uint64_t rays;          /**< this and the next two only with rdx_query_params.stats, else 0 */
  uint64_t hits;          /**< calls of hit programs */
  uint64_t rows;          /**< looked at one by one */
  uint64_t bytes;         /**< that what it looks at takes: of `rows` in cubes; the column engine counts all rows of the
                      attributes named, of which it may skip many */
  /** What the rays read of a cube's scene, an estimate, since devices do not count it: for each ray a node of 256 bytes
   * on each level of a tree of eight children, for each hit the bytes that the scene takes for a primitive */
  uint64_t scene_bytes;
  double device_ms;
  double total_ms; /**< from call to return */
} rdx_query_stats;

/** What a query did. */
RDX_API void rdx_query_result_get_stats(const rdx_query_result *result, rdx_query_stats *out);

/** Free `*result` and clear it. NULL and a cleared handle are fine. */
RDX_API void rdx_query_result_destroy(rdx_query_result **result);

#ifdef __cplusplus
}
#endif
#endif
