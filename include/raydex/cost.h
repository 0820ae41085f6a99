/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RAYDEX_COST_H
#define RAYDEX_COST_H

/**
 * What operations take on a device: the planner of statements chooses methods by it.
 *
 * - Units: nanoseconds for one of each, with all of a device's threads at work.
 * - Ownership: none; a device keeps its calibration, and the user's cache folder (rdx_device_params.cache_dir) does.
 * - Errors: RDX_ERROR_DEVICE_MEMORY where a device has too little for measuring.
 * - Shapes: a calibration holds for a device, its driver, its number of threads and the version of the library. Without
 *   one built-in numbers serve: of two cores of a server for CPUs, of an H100 for GPUs.
 *
 * Example:
 *
 *     rdx_calibration rates;
 *     rdx_device_get_calibration(device, &rates);
 *     printf("a key takes %.1f ns to look up in a hash table\n", rates.join_probe[0][0]);
 */

#include <raydex/device.h>
#include <raydex/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum rdx_calibration_source {
  RDX_CALIBRATION_BUILT_IN = 0, /**< of another machine */
  RDX_CALIBRATION_KEPT,         /**< of this device, from the user's cache */
  RDX_CALIBRATION_MEASURED,     /**< of this device, by this process */
} rdx_calibration_source;

/** Sizes that some rates are measured at; between them rates are interpolated by the logarithm of the size. */
#define RDX_CALIBRATION_SIZES 3
/** Methods of joins: RDX_CALIBRATION_JOIN_METHODS. */
#define RDX_CALIBRATION_JOINS 5

/** What one of each takes, in nanoseconds, with all of a device's threads at work. */
typedef struct rdx_calibration {
  rdx_calibration_source source;
  double launch;                        /**< a query that has nothing to do, from call to answer */
  double read_byte;                     /**< a byte of device memory, read in order */
  double transfer_byte;                 /**< a byte brought to the device */
  double pack_value;                    /**< a value of a column made a packed code on the device */
  double scan_code;                     /**< a packed code compared with bounds */
  double list;                          /**< a scan that lists next to no rows, from call to row numbers */
  double lookup;                        /**< a key that few rows have looked up, from call to row numbers */
  double found_row;                     /**< the number of a row that a scan finds brought to the host */
  double add_row;                       /**< a row's number added up */
  double group_row;                     /**< a row's number added to its group */
  double table;                         /**< a dimension made ready for a query */
  double table_row;                     /**< a row of it */
  double number_row;                    /**< a row of it numbered by its group */
  double test[RDX_CALIBRATION_SIZES];   /**< a row kept or not by a bit of its dimension of RDX_CALIBRATION_ROWS rows */
  double gather[RDX_CALIBRATION_SIZES]; /**< a number looked up in such a dimension */
  double sort;                          /**< groups of a query found by sorting next to no rows */
  double sort_row;                      /**< a row of such a query, its number added to its group */
  double sort_group;                    /**< a group of such a query, brought to the host */
  /** A key of 32 bits sorted, with a row number, of RDX_CALIBRATION_KEYS keys. */
  double sort_key[RDX_CALIBRATION_SIZES];
  double join[RDX_CALIBRATION_JOINS]; /**< a join of next to no rows, by each of RDX_CALIBRATION_JOIN_METHODS */
  /** A key put into its index, of RDX_CALIBRATION_KEYS keys. */
  double join_build[RDX_CALIBRATION_JOINS][RDX_CALIBRATION_SIZES];
  double join_probe[RDX_CALIBRATION_JOINS][RDX_CALIBRATION_SIZES]; /**< a key of a row looked up in it */
  double ray[RDX_CALIBRATION_SIZES]; /**< a ray through a cube of RDX_CALIBRATION_SCENE rows; 0: none are traced */
  double hit[RDX_CALIBRATION_SIZES]; /**< a row that it meets there */
  double cube;                       /**< a query of a sorted cube that has next to nothing to do */
  double coarse_cube;                /**< the same of a coarse cube */
  double rt_cube;                    /**< the same of an RT cube, and what a scan adds that traces rays; 0: none do */
  double tuple;                      /**< a combination of a cube's attributes tested by one of them, on one core */
  /** A step of a search in a cube's order of RDX_CALIBRATION_TUPLES combinations, on one core: a range, or a prefix on
   * the way to it, among n combinations takes 1 + log2(n). Few of the searches find something. */
  double range[RDX_CALIBRATION_SIZES];
  double run;      /**< a run of its rows added to its group, on one core */
  double evaluate; /**< a condition evaluated on the host for next to no rows, by all its threads */
  double value;    /**< a value calculated there, of an expression */
} rdx_calibration;

#define RDX_CALIBRATION_ROWS                                                                                           \
  { 1u << 10, 1u << 16, 1u << 22 }
#define RDX_CALIBRATION_JOIN_METHODS                                                                                   \
  { RDX_INDEX_HASH, RDX_INDEX_RADIX_HASH, RDX_INDEX_TREE, RDX_INDEX_SORTED_ARRAY, RDX_INDEX_BTREE }
#define RDX_CALIBRATION_KEYS                                                                                           \
  { 1u << 10, 1u << 14, 1u << 18 }
#define RDX_CALIBRATION_TUPLES                                                                                         \
  { 1u << 12, 1u << 16, 1u << 20 }
#define RDX_CALIBRATION_SCENE                                                                                          \
  { 1u << 10, 1u << 15, 1u << 20 }

/** What is known of a device by now: kept, measured or built in. Measures nothing. */
RDX_API void rdx_device_get_calibration(rdx_device *device, rdx_calibration *out);

/**
 * Measure a device, unless a calibration of it is kept (`force`: even then), and keep the result, which plans from then
 * on go by. Of a GPU the host's threads are measured, too, which do what is too little for it. Where the cache cannot
 * be written it holds for `device` alone. Takes 1 to 20 seconds and some 200 MB of the device's memory; nothing else
 * should run meanwhile. Reports progress as stage "calibrate".
 */
RDX_API RDX_MUST_USE rdx_status rdx_device_calibrate(rdx_device *device, bool force, rdx_calibration *out,
                                                     rdx_error *err);

#ifdef __cplusplus
}
#endif
#endif
