/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RAYDEX_SCAN_H
#define RAYDEX_SCAN_H

/**
 * Scans: which rows of a table satisfy a predicate over any number of its columns.
 *
 * - Shapes: columns of as many rows, below 2^32 - 1, of any types; the answer is a count, row numbers or a bitmap.
 * - Units: milliseconds and device bytes in statistics.
 * - Ownership: a scan copies its columns; destroy results before their scan, and that before its device.
 * - Errors: RDX_ERROR_DEVICE_MEMORY before anything is built; RDX_ERROR_UNSUPPORTED for a method that needs rays.
 * - Threads: scans with one rdx_scan may run at the same time; rdx_scan_destroy() needs it for itself.
 * - Source: RTScan; BinDex (Li et al., SIGMOD 2020): docs/papers.md has the sections.
 *
 * Example:
 *
 *     const int32_t prices[] = {5, 20, 11}, limit = 10;
 *     const rdx_column price = {.type = RDX_TYPE_I32, .rows = 3, .values = prices};
 *     const rdx_predicate above = {.kind = RDX_PREDICATE_GT,
 *                                  .values = {.type = RDX_TYPE_I32, .rows = 1, .values = &limit}};
 *     rdx_scan *scan = NULL;
 *     rdx_scan_result *result = NULL;
 *     rdx_scan_view found;
 *     status = rdx_scan_create(device, &price, 1, NULL, &scan, &err);
 *     if (status == RDX_OK)
 *       status = rdx_scan_run(scan, &above, &(rdx_scan_run_params){.result = RDX_SCAN_ROWS}, &result, &err);
 *     if (status == RDX_OK)
 *       status = rdx_scan_result_view(result, &found, &err);
 *     for (uint64_t i = 0; status == RDX_OK && i < found.count; i++)
 *       printf("row %u\n", found.row[i]);
 *     rdx_scan_result_destroy(&result);
 *     rdx_scan_destroy(&scan);
 */

#include <raydex/column.h>
#include <raydex/device.h>
#include <raydex/index.h> /* rdx_build_preference */
#include <raydex/predicate.h>
#include <raydex/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum rdx_scan_method {
  RDX_SCAN_AUTO = 0, /**< the column scan, or whichever of several is fastest: see rdx_scan_auto_params */
  RDX_SCAN_COLUMN,   /**< read packed columns, skip blocks by their smallest and largest values */
  RDX_SCAN_BINDEX,   /**< BinDex: sorted rows and filter bit vectors (Li et al., SIGMOD 2020; RTScan's baseline) */
  RDX_SCAN_BTREE,    /**< a range of a B+-tree of each column (RTScan, section 5.1) */
  RDX_SCAN_RTINDEX,  /**< a ray along each column (RTScan, section 2.2) */
  RDX_SCAN_RTC1,     /**< many rays across each column (RTScan, section 2.3) */
  RDX_SCAN_RTC3,     /**< a matrix of rays through three columns' space (RTScan, section 3.1) */
  RDX_SCAN_RTSCAN,   /**< uniform encoding, data sieving, matrix RT refine (RTScan, section 4) */
} rdx_scan_method;

#define RDX_SCAN_METHODS 8 /**< values of rdx_scan_method */

/** A name such as "rtscan"; never NULL. */
RDX_API const char *rdx_scan_method_name(rdx_scan_method method);

/** The method of that name. RDX_ERROR_NOT_FOUND lists the names in the error text. */
RDX_API RDX_MUST_USE rdx_status rdx_scan_method_from_name(const char *name, rdx_scan_method *out, rdx_error *err);

/** BinDex. */
typedef struct rdx_bindex_params {
  uint32_t vectors; /**< bit vectors of each column, 1 to 1024; 0: 128 */
} rdx_bindex_params;

/** B+-trees. */
typedef struct rdx_btree_scan_params {
  bool published; /**< as published: one group of threads walks along all leaves of a range, instead of many */
} rdx_btree_scan_params;

/** RTIndex and RTc1. */
typedef struct rdx_rtc1_params {
  uint32_t rays; /**< RTc1: across a whole column; more rays, smaller triangles; 0: one for 32 rows, at most 16384 */
  /** As published (section 2.3): 18,000 rays across a column, and columns that are scanned apart and merged by AND,
   * instead of one after the other, each among the rows that the others have left. */
  bool published;
  rdx_build_preference build;
} rdx_rtc1_params;

/** RTc3. */
typedef struct rdx_rtc3_params {
  uint32_t group;        /**< columns in one space, 1 to 3; 0: 3 */
  uint32_t rays;         /**< across a whole axis, 2 to 2^20: more rays, smaller cubes; 0: by the number of rows */
  uint32_t rows_per_box; /**< cubes that share a box, 1 to 256; more take less memory; 0: 4 on a CPU, else 1,
                              or more where memory is too small */
  bool insist; /**< answer queries that take far more rays than there are rows, too, however long that takes */
  /** As published (section 3.2): 400 rays across an axis of 10^8 rows, of others as the cube root of rows; a box for
   * each row, and rays that are never cut. What is set beside it stays. */
  bool published;
  rdx_build_preference build;
} rdx_rtc3_params;

#define RDX_SCAN_GROUPS 8

/** RTScan. Lengths are in ranks: a column has as many as it has rows. */
typedef struct rdx_rtscan_params {
  uint32_t vectors;   /**< bit vectors of each column, 1 to 1024; 0: 61 */
  uint32_t planes;    /**< 1 to 6, each a vector more, that doubles the borders to sieve by; 0: 4 */
  rdx_switch derived; /**< off: borders are those of the vectors, as the paper has it (with 128), and `planes` 0 */
  uint32_t group;     /**< columns in one space, 1 to 3 (4 columns: 3+1, or with 2: 2+2); 0: 3, and where
                              memory allows a line of each column beside them: each conjunction goes to
                              those of both that are expected to be faster. All lengths below are of
                              groups, not of these lines */
  /** Groups as given, which may overlap: sets of 1 to 3 of the first 64 columns, as bits, up to the first that is 0.
   * Columns of none get groups as above. A query goes to those that have most of its columns. Not with `published`. */
  uint64_t groups[RDX_SCAN_GROUPS];
  uint32_t cube_width;       /**< 0: by the number of rows */
  uint32_t ray_length;       /**< 0: by the number of rows */
  uint32_t interval_percent; /**< of the cube width, between rays side by side, 1 to 100; 0: 100 */
  uint32_t spacing_percent;  /**< of the cube width, between rays one after the other, 1 to 100; 0: 100 */
  rdx_switch spaced;         /**< off: none between rays one after the other, and `spacing_percent` 0 */
  rdx_switch encoding;       /**< off: cubes lie at values instead of ranks (section 5.7); lengths are in values */
  rdx_switch negative;       /**< off: always sieve with the vector below a bound, not with the nearer one */
  uint32_t rows_per_box;     /**< cubes that share a box, 1 to 256; more take less memory; 0: 4 on a CPU, else 1,
                              or more where memory is too small */
  bool insist;               /**< answer queries that take far more rays than there are rows, too */
  /** As published: 128 vectors whose borders are the only ones, of which the nearer is taken; a box for each row; cubes
   * as wide as an 1205th of an axis of 10^8 rows, as the cube root of rows otherwise, and rays 13.25 times as long
   * (section 5.1); rays across the line or plane of a group of one or two columns, as long as cubes are wide (4.4.5);
   * vectors and groups that are merged by AND one after the other (4.1). What is set beside it stays. */
  bool published;
  rdx_build_preference build;
} rdx_rtscan_params;

/**
 * AUTO: methods to prepare beside the column scan, which needs no index. Each is timed on a few conjunctions over the
 * columns and the device at hand, at the cost of some scans; from then on each conjunction of a predicate goes to the
 * one that is predicted to be fastest. Whether the time and memory of an index pay, only the caller knows.
 */
typedef struct rdx_scan_auto_params {
  bool bindex, btree, rtindex, rtc1, rtc3, rtscan;
} rdx_scan_auto_params;

/** How to prepare a scan; all zero is the default. */
typedef struct rdx_scan_params {
  rdx_scan_method method;
  rdx_scan_auto_params among;
  rdx_bindex_params bindex;
  rdx_btree_scan_params btree;
  rdx_rtc1_params rtc1; /**< of RTIndex, too */
  rdx_rtc3_params rtc3;
  rdx_rtscan_params rtscan;
} rdx_scan_params;

/**
 * Choose groups for a workload: `asked` has a set of columns, as bits, for each of `count` queries. `groups` gets sets
 * of up to 3 for rdx_rtscan_params.groups, the largest first, of equal ones what most queries have, and 0 behind them;
 * larger sets are cut. Example: queries over columns 0 and 2, 0 and 2, and 1 give {5, 2}.
 */
RDX_API void rdx_scan_choose_groups(const uint64_t *asked, uint64_t count, uint64_t groups[RDX_SCAN_GROUPS]);

/**
 * Set an option of `params->method` by its name, as `raydex scan --options` and WITH in SQL do: "vectors" to "128". Of
 * `params` only the method must be set. RDX_ERROR_NOT_FOUND lists the options of the method, RDX_ERROR_ARGUMENT the
 * values of the option.
 */
RDX_API RDX_MUST_USE rdx_status rdx_scan_params_set(rdx_scan_params *params, const char *name, const char *value,
                                                    rdx_error *err);

/** Write option `number` (from 0) of a method to `text`: "name=1..9" or "name=word|word". false: it has fewer. */
RDX_API bool rdx_scan_option(rdx_scan_method method, uint32_t number, char *text, size_t size);

typedef struct rdx_scan rdx_scan;

/**
 * Prepare `columns` (`count` of them, all of as many rows, below 2^32 - 1; any types; host or device columns) for scans
 * on `device`. The columns are copied as far as needed: they may be freed afterwards. Fails with
 * RDX_ERROR_DEVICE_MEMORY and the estimate before anything is built where the device has too little memory.
 * Destroy the scan before its device is closed.
 */
RDX_API RDX_MUST_USE rdx_status rdx_scan_create(rdx_device *device, const rdx_column *columns, uint32_t count,
                                                const rdx_scan_params *params, rdx_scan **out, rdx_error *err);

/** Free `*scan` and clear it. NULL and a cleared handle are fine. */
RDX_API void rdx_scan_destroy(rdx_scan **scan);

/** What a scan is and what it took to prepare. Bytes are device bytes; times are milliseconds. */
typedef struct rdx_scan_stats {
  rdx_scan_method method; /**< AUTO only where there are several to choose from */
  uint64_t rows;
  uint32_t columns;
  uint64_t bytes_resident;
  uint64_t bytes_peak;
  double encode_ms;  /**< codes, ranks, bit vectors */
  double table_ms;   /**< of that, mapping tables: sorting, and what it takes from codes to ranks; BINDEX and RTSCAN */
  double vectors_ms; /**< of that, bit vectors */
  double scene_ms;
  uint64_t bytes_table; /**< mapping tables, which are on the host, and rows in the order of their values */
  uint64_t bytes_vectors;
  uint64_t bytes_scene; /**< with the cells and rows of its primitives */
  double total_ms;      /**< from call to return, uploads included */
} rdx_scan_stats;

/** What a scan is and took. */
RDX_API void rdx_scan_get_stats(const rdx_scan *scan, rdx_scan_stats *out);

/**
 * Where the bit vectors of a column end, of BINDEX and RTSCAN: `*out` are the numbers of rows below each border,
 * ascending, which the scan owns. Returns how many there are; 0 for other methods and columns.
 */
RDX_API uint32_t rdx_scan_borders(const rdx_scan *scan, uint32_t column, const rdx_row **out);

/** What a run of a scan returns. */
typedef enum rdx_scan_result_kind {
  RDX_SCAN_COUNT = 0, /**< the number of qualifying rows */
  RDX_SCAN_ROWS,      /**< their numbers, ascending, from 0 */
  RDX_SCAN_BITMAP,    /**< a bit for each row */
} rdx_scan_result_kind;

typedef struct rdx_scan_run_params {
  rdx_scan_result_kind result;
  bool stats; /**< also count rays, intersections and rows refined, by running a second time, which no time includes */
} rdx_scan_run_params;

typedef struct rdx_scan_result rdx_scan_result;

/**
 * Find the rows for which `predicate` is true. The result stays on the device until it is read. Destroy it with
 * rdx_scan_result_destroy() before its scan. RDX_ERROR_ARGUMENT for an unknown column or a type that does not go with
 * the column's, RDX_ERROR_UNSUPPORTED for a query that takes far more rays than there are rows, because of what was
 * asked for (rdx_rtc3_params.insist), RDX_ERROR_MEMORY for more rows than the host has memory for, or than
 * rdx_device_params.memory_limit allows: a bitmap takes a bit for each row of the table, whatever qualifies.
 */
RDX_API RDX_MUST_USE rdx_status rdx_scan_run(const rdx_scan *scan, const rdx_predicate *predicate,
                                             const rdx_scan_run_params *params, rdx_scan_result **out, rdx_error *err);

/** A result in host memory, owned by the rdx_scan_result. Arrays that its kind does not have are NULL. */
typedef struct rdx_scan_view {
  rdx_scan_result_kind kind;
  uint64_t rows;          /**< of the table */
  uint64_t count;         /**< of rows that qualify; for every kind */
  const rdx_row *row;     /**< ROWS: `count` row numbers */
  const uint32_t *bitmap; /**< BITMAP: bit i%32 of word i/32 is row i; bits past the last row are 0 */
} rdx_scan_view;

/** Copy a result to the host, once; later calls return the same arrays. Not to be called from two threads at a time. */
RDX_API RDX_MUST_USE rdx_status rdx_scan_result_view(rdx_scan_result *result, rdx_scan_view *out, rdx_error *err);

/**
 * The numbers of the rows that a RDX_SCAN_ROWS run found, ascending, as a u32 column that stays on the device: rows for
 * rdx_device_column_gather(). RDX_ERROR_ARGUMENT for other results. The column is independent of the result: free it
 * with rdx_device_column_destroy().
 */
RDX_API RDX_MUST_USE rdx_status rdx_scan_result_column(const rdx_scan_result *result, rdx_device_column **out,
                                                       rdx_error *err);

/**
 * A column with the rows NULL that a RDX_SCAN_BITMAP run left out, on the device. NULL probes match nothing, NULL keys
 * are not indexed, NULL values are not added up, NULLs satisfy no comparison: so every call that takes a column takes
 * a scan's rows. `column` has as many rows as the scanned table; a device column shares its values with the new one, a
 * host column is copied. RDX_ERROR_ARGUMENT for other results, RDX_ERROR_UNSUPPORTED for strings. The new column is
 * independent of both: free it with rdx_device_column_destroy(). examples/device.c uses it.
 */
RDX_API RDX_MUST_USE rdx_status rdx_scan_result_filter(const rdx_scan_result *result, const rdx_column *column,
                                                       rdx_device_column **out, rdx_error *err);

/** What a run did. Times are milliseconds. */
typedef struct rdx_scan_run_stats {
  uint64_t rays;     /**< cast; this and the next three only with rdx_scan_run_params.stats, else 0 */
  uint64_t rays_hit; /**< rays that met a primitive at all */
  uint64_t hits;     /**< calls of hit programs that met a primitive (RTScan: intersections) */
  uint64_t refined;  /**< rows that the bit vectors of a column did not decide, of all columns together */
  uint64_t bytes;    /**< read and written on the device, as far as the method knows */
  uint32_t methods;  /**< those that ran, 1 << rdx_scan_method each; of AUTO only with stats */
  double predicted_ms[RDX_SCAN_METHODS]; /**< of AUTO with stats: what each was predicted to take; 0: not prepared, or
                                              not able */
  uint32_t group; /**< RTSCAN with stats: columns in one space, by which the last conjunction was evaluated; else 0 */
  /** RTSCAN with stats: of the rows that the bit vectors or the predicates let through, were columns independent, the
   * part that the vectors decide (RTScan, section 5.9); of the last conjunction; else 0. */
  double reduced;
  /** RTSCAN with stats: the stages of section 5.2, in the run that counts; else 0. Where one launch does both, merging
   * is part of sieving. */
  double transform_ms, sieve_ms, refine_ms, merge_ms;
  double device_ms; /**< of the device */
  double total_ms;  /**< from call to return */
} rdx_scan_run_stats;

/** What a run did. */
RDX_API void rdx_scan_result_get_stats(const rdx_scan_result *result, rdx_scan_run_stats *out);

/** Free `*result` and clear it. NULL and a cleared handle are fine. */
RDX_API void rdx_scan_result_destroy(rdx_scan_result **result);

#ifdef __cplusplus
}
#endif
#endif
