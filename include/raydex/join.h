/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RAYDEX_JOIN_H
#define RAYDEX_JOIN_H

/**
 * Joins of two columns by an index over one of them: the other's values are looked up.
 *
 * - Shapes: rows are numbered from 0 on each side. A NULL equals nothing and lies between nothing. The index is over
 *   the smaller side, unless told. With RDX_INDEX_RADIX_HASH this is the radix-partitioned hash join.
 * - Ownership: destroy a result before its device; the columns are not needed afterwards.
 * - Errors: those of rdx_index_create() and rdx_index_lookup(); RDX_ERROR_OVERFLOW for sums beyond 64 bits.
 * - Source: thesis, chapter 5; inverse mapping: section 4.3.
 *
 * Example:
 *
 *     const uint32_t customers[] = {1, 2, 3}, orders[] = {2, 2, 3, 9};
 *     const rdx_column left = {.type = RDX_TYPE_U32, .rows = 3, .values = customers};
 *     const rdx_column right = {.type = RDX_TYPE_U32, .rows = 4, .values = orders};
 *     rdx_join_result *join = NULL;
 *     rdx_join_view pairs;
 *     status = rdx_join_equal(device, &left, &right, NULL, &join, &err);
 *     if (status == RDX_OK)
 *       status = rdx_join_result_view(join, &pairs, &err);
 *     for (uint64_t i = 0; status == RDX_OK && i < pairs.count; i++)
 *       printf("customer %u, order %u\n", pairs.left_rows[i], pairs.right_rows[i]);
 *     rdx_join_result_destroy(&join);
 */

#include <raydex/index.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum rdx_join_kind {
  RDX_JOIN_INNER = 0, /**< all pairs of rows that match */
  RDX_JOIN_LEFT,      /**< the same, and each left row without a match, paired with RDX_NO_ROW */
  RDX_JOIN_SEMI,      /**< left rows with a match, once each */
  RDX_JOIN_ANTI,      /**< left rows without a match, those that are NULL included */
} rdx_join_kind;

typedef enum rdx_join_result_kind {
  RDX_JOIN_PAIRS = 0, /**< the rows, in the order of left rows, then of right rows */
  RDX_JOIN_COUNT,     /**< how many there are */
  RDX_JOIN_SUM,       /**< the sum of a value column over all pairs of an inner or left join */
} rdx_join_result_kind;

/** Which side the index is built over. */
typedef enum rdx_join_mapping {
  RDX_JOIN_MAPPING_AUTO = 0, /**< the smaller side; of rdx_join_between() the faster, as far as measured */
  RDX_JOIN_MAPPING_DIRECT,   /**< the right side: left rows look up their matches */
  RDX_JOIN_MAPPING_INVERSE,  /**< the left side: right rows do */
} rdx_join_mapping;

/** Gets the next `count` rows of a join's answer (semi and anti joins: `right_rows` is NULL), which are valid during
 * the call. Return true to stop: RDX_ERROR_CANCELLED. */
typedef bool (*rdx_pairs_fn)(void *user, const rdx_row *left_rows, const rdx_row *right_rows, uint64_t count);

/** How to join; all zero is an inner join that returns pairs. */
typedef struct rdx_join_params {
  rdx_join_kind kind;
  rdx_join_result_kind result;
  /** rdx_join_between(): over the right side the ranges are sorted, and points look up those that hold them (inverse
   * mapping of range lookups); not for sums, nor for strings that eight bytes do not tell apart */
  rdx_join_mapping mapping;
  /** RDX_INDEX_AUTO: for equal values RDX_INDEX_RADIX_HASH, or RDX_INDEX_HASH where pairs are wanted; else the tree */
  rdx_index_params index;
  /** RDX_JOIN_SUM: a value for each right row (rdx_join_between(): for each left row), NULLs skipped. That side then
   * gets the index, unless `mapping` says otherwise: of equal values and whole numbers. */
  const rdx_column *values;
  /** Sort the values that are looked up first, as rdx_lookup_params.sort_probes does (thesis, section 3.4). */
  bool sort_probes;
  /** RDX_JOIN_PAIRS: gets them in parts of bounded size, in their order, some millions or those of one left row at a
   * time; the view then has their number only. By an index over the right side, unless they are few or `mapping` and
   * `index` say otherwise: then by indexes over stretches of left rows, which must be on the host. */
  rdx_pairs_fn each;
  void *each_user;
  bool stats; /**< also count rays and hits, which costs a little time */
} rdx_join_params;

typedef struct rdx_join_result rdx_join_result;

/**
 * Match left[i] with right[j] where they are equal. The columns, host or device ones, go together as keys and probes
 * of an index do. Errors: those of rdx_index_create() and rdx_index_lookup(); RDX_ERROR_OVERFLOW where the sum over all
 * pairs does not fit 64 bits; RDX_ERROR_MEMORY, before they are listed, for pairs that the host has no memory for, or
 * that pass rdx_device_params.memory_limit, with their number: see rdx_join_params.each. Destroy the join with
 * rdx_join_result_destroy() before its device is closed.
 */
RDX_API RDX_MUST_USE rdx_status rdx_join_equal(rdx_device *device, const rdx_column *left, const rdx_column *right,
                                               const rdx_join_params *params, rdx_join_result **out, rdx_error *err);

/** Match left[i] with j where lower[j] <= left[i] <= upper[j] (a band join). Else as rdx_join_equal(). */
RDX_API RDX_MUST_USE rdx_status rdx_join_between(rdx_device *device, const rdx_column *left, const rdx_column *lower,
                                                 const rdx_column *upper, const rdx_join_params *params,
                                                 rdx_join_result **out, rdx_error *err);

/**
 * Look probes up the other way round ("inverse mapping", thesis, section 4.3 and Algorithm 6): the index is over the
 * probes, in ascending order, and the keys look themselves up in it, in ascending order too; one key of each run of
 * equal ones then gives its rows to every probe that is equal. The answers are those of rdx_index_lookup() of `probes`
 * in an index over `keys`: it pays where a batch of probes is smaller than the column, and looked up once.
 *
 * `index`: NULL or RDX_INDEX_AUTO: RDX_INDEX_HASH. Of `params` `each` is RDX_ERROR_UNSUPPORTED; `sort_probes` changes
 * nothing. `index_stats` (NULL: not wanted) gets those of the index over the probes. Of integers and decimals `keys` in
 * host memory may be of another type than the probes; value columns have a value for each key. Fails with
 * RDX_ERROR_DEVICE_MEMORY where both sides, sorted, do not fit.
 * Destroy the result with rdx_lookup_result_destroy() before the device is closed.
 */
RDX_API RDX_MUST_USE rdx_status rdx_lookup_inverse(rdx_device *device, const rdx_column *keys, const rdx_column *probes,
                                                   const rdx_index_params *index, const rdx_lookup_params *params,
                                                   rdx_index_stats *index_stats, rdx_lookup_result **out,
                                                   rdx_error *err);

/** A join's answer, owned by the join. */
typedef struct rdx_join_view {
  rdx_join_kind kind;
  rdx_join_result_kind result;
  uint64_t count;            /**< pairs; of semi and anti joins: left rows; SUM: values that were added */
  const rdx_row *left_rows;  /**< PAIRS: `count` of them */
  const rdx_row *right_rows; /**< PAIRS of inner and left joins, RDX_NO_ROW for none */
  rdx_type sum_type;         /**< SUM: RDX_TYPE_I64, RDX_TYPE_U64, RDX_TYPE_F64 or RDX_TYPE_DECIMAL */
  uint8_t sum_scale;
  bool sum_is_null; /**< SUM: no value was there to add */
  int64_t sum_i64;  /**< signed integers, decimals, bool; exact */
  uint64_t sum_u64; /**< unsigned integers; exact */
  double sum_f64;   /**< floats */
} rdx_join_view;

/** Look at an answer. What is on the device still is copied to the host, once. Not from two threads at a time. */
RDX_API RDX_MUST_USE rdx_status rdx_join_result_view(rdx_join_result *result, rdx_join_view *out, rdx_error *err);

/** A side of a join's pairs. */
typedef enum rdx_join_side {
  RDX_JOIN_SIDE_LEFT = 0,
  RDX_JOIN_SIDE_RIGHT,
} rdx_join_side;

/**
 * The rows of one side as a u32 column of the device, RDX_NO_ROW as NULL: rows for rdx_device_column_gather(). Those of
 * inner joins whose index is over the right side are there until somebody looks at the answer; others are copied there.
 * RDX_ERROR_ARGUMENT where the answer has no such rows. The column is independent of the result: free it with
 * rdx_device_column_destroy().
 */
RDX_API RDX_MUST_USE rdx_status rdx_join_result_column(rdx_join_result *result, rdx_join_side side,
                                                       rdx_device_column **out, rdx_error *err);

/** What a join did. Times are milliseconds. */
typedef struct rdx_join_stats {
  bool inverse; /**< the index was over the left side */
  rdx_index_stats index;
  rdx_lookup_stats lookup; /**< the last one */
  uint64_t rays;           /**< cast by all lookups; this and the next only with rdx_join_params.stats, else 0 */
  uint64_t hits;           /**< rows that all lookups found */
  double device_ms;        /**< building the index and all lookups, on the device */
  double total_ms;         /**< from call to return */
} rdx_join_stats;

/** What a join did. */
RDX_API void rdx_join_result_get_stats(const rdx_join_result *join, rdx_join_stats *out);

/** Free `*join` and clear it. NULL and a cleared handle are fine. */
RDX_API void rdx_join_result_destroy(rdx_join_result **join);

#ifdef __cplusplus
}
#endif
#endif
