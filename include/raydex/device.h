/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RAYDEX_DEVICE_H
#define RAYDEX_DEVICE_H

/**
 * Devices: the CPU (Embree traces the rays) and every Vulkan device.
 *
 * - Units: sizes are bytes.
 * - Ownership: close a device after everything that was made from it is destroyed.
 * - Errors: RDX_ERROR_NOT_FOUND lists the devices that there are.
 * - Threads: one device may be used from many. Open and close it from one.
 *
 * Example:
 *
 *     rdx_device *two_threads = NULL;
 *     status = rdx_device_open("cpu", &(rdx_device_params){.threads = 2}, &two_threads, &err);
 *     if (status == RDX_OK)
 *       printf("%s\n", rdx_device_get_info(two_threads)->driver);
 *     rdx_device_close(&two_threads);
 */

#include <raydex/status.h>

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum rdx_backend {
  RDX_BACKEND_CPU = 0,
  RDX_BACKEND_VULKAN,
} rdx_backend;

/** How a device traces rays. */
typedef enum rdx_tracing {
  RDX_TRACING_NONE = 0, /**< not at all: methods that trace are refused, all others work */
  RDX_TRACING_SOFTWARE, /**< by ordinary instructions */
  RDX_TRACING_HARDWARE, /**< with ray tracing cores, as far as the driver lets one infer it */
} rdx_tracing;

/** What a device is and can do. Sizes are bytes. */
typedef struct rdx_device_info {
  char name[256];     /**< as the driver gives it; "cpu" for the CPU device */
  char driver[256];   /**< driver or ray library, with its version */
  char features[256]; /**< instruction sets, or the Vulkan version and optional extensions in use */
  rdx_backend backend;
  rdx_tracing tracing;
  bool emulated;           /**< a Vulkan driver that runs on the CPU: opened by name only, never by "auto" */
  uint32_t threads;        /**< CPU: worker threads; Vulkan: lanes in a subgroup */
  uint64_t memory;         /**< total memory */
  uint64_t max_buffer;     /**< largest single buffer */
  uint64_t max_primitives; /**< the maximum of primitives in one part of a scene; larger scenes are split */
  uint64_t max_rays;       /**< the maximum of rays in one launch; larger launches are split */
} rdx_device_info;

/** The number of devices, at least 1: device 0 is the CPU. A missing Vulkan loader shortens the list. */
RDX_API RDX_MUST_USE rdx_status rdx_device_count(uint32_t *out, rdx_error *err);

/** Describe device `index`, from 0, without opening it. */
RDX_API RDX_MUST_USE rdx_status rdx_device_describe(uint32_t index, rdx_device_info *out, rdx_error *err);

/**
 * GPUs that the system knows of and that are no devices, since Vulkan does not show them: a line for each kind, of what
 * was found, what is missing, and which package of Debian helps. The text is cut to `size` bytes, with its end. Returns
 * the number of lines.
 */
RDX_API uint32_t rdx_device_find_missing(char *text, size_t size);

/** Options for opening a device; all zero is the default. */
typedef struct rdx_device_params {
  uint32_t threads;      /**< CPU: workers, the caller included; 0: one per core, or as many as the system starts */
  bool validation;       /**< Vulkan: switch the Khronos validation layer on; fails where it is missing */
  const char *cache_dir; /**< where compiled pipelines and calibrations (cost.h) are kept; NULL: the user's cache; "":
                            nowhere */
  uint64_t memory_limit; /**< refuse to use more device memory than this, and more of the host's for results (the two
                              together where the device is the CPU); 0: what there is */
} rdx_device_params;

typedef struct rdx_device rdx_device;

/**
 * Open a device by name. `name` is "auto" (or NULL), "cpu", an index in decimal, or any part of a device's
 * name, in either case. "auto" is the first Vulkan GPU that traces in hardware, else the first GPU, else
 * the CPU. The error of a name that matches nothing lists what there is.
 *
 * The CPU device keeps up to 512 MiB of what buffers have freed for buffers to come, until it is closed; the system may
 * take these pages back when memory is short.
 */
RDX_API RDX_MUST_USE rdx_status rdx_device_open(const char *name, const rdx_device_params *params, rdx_device **out,
                                                rdx_error *err);

/** The description of an open device; valid until it is closed. */
RDX_API const rdx_device_info *rdx_device_get_info(const rdx_device *device);

/** What a device's memory holds at the moment, and what its validation layer said. */
typedef struct rdx_device_usage {
  uint64_t memory_used;         /**< bytes in live buffers and scenes */
  uint64_t memory_peak;         /**< the highest memory_used since the device was opened or the peak reset */
  uint64_t validation_messages; /**< warnings and errors of the validation layer so far; 0 when it is off */
} rdx_device_usage;

/** What an open device holds. */
RDX_API void rdx_device_get_usage(const rdx_device *device, rdx_device_usage *out);

/** Rates of a device's memory, in GB (10^9 bytes) a second. */
typedef struct rdx_device_rates {
  double read; /**< adding up what memory holds */
  double copy; /**< bytes read and bytes written while copying */
} rdx_device_rates;

/** Measure both over `bytes` bytes, 4 to 2^34 - 4 (twice that is taken): the best of five runs. What fits a cache tells
 * of that. */
RDX_API RDX_MUST_USE rdx_status rdx_device_measure_memory(rdx_device *device, uint64_t bytes, rdx_device_rates *out,
                                                          rdx_error *err);

/** Close `*device` and clear it. Everything made from it must be destroyed before. NULL is fine. */
RDX_API void rdx_device_close(rdx_device **device);

#ifdef __cplusplus
}
#endif
#endif
