/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RAYDEX_STATUS_H
#define RAYDEX_STATUS_H

/**
 * Status codes, error text, and the two process-wide hooks: memory and progress.
 *
 * - Shapes: whatever can fail returns rdx_status; every value but RDX_OK is a failure, and nothing was produced.
 * - Ownership: the caller's rdx_error is written on failure only; it may be NULL.
 * - Errors: a text says what, where and what to do, in one sentence or more.
 * - Threads: the hooks may be called from any; set them while no Raydex object exists.
 *
 * Example:
 *
 *     rdx_table *table = NULL;
 *     if (rdx_table_open("no/such/file.rdx", &table, &err) != RDX_OK)
 *       printf("refused: %s\n", err.text);
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define RDX_API __attribute__((visibility("default")))
#define RDX_MUST_USE __attribute__((warn_unused_result))
#define RDX_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
#else
#define RDX_API
#define RDX_MUST_USE
#define RDX_PRINTF(fmt, first)
#endif

/** What a call came to. Every value but RDX_OK is a failure, and then no output was produced. */
typedef enum rdx_status {
  RDX_OK = 0,
  RDX_ERROR_ARGUMENT,      /**< an argument is not valid by itself: NULL, an unknown enum value, a zero size */
  RDX_ERROR_NOT_FOUND,     /**< the named device, file or column does not exist */
  RDX_ERROR_UNSUPPORTED,   /**< this device, method or type cannot do what was asked */
  RDX_ERROR_RANGE,         /**< a value does not fit its type, or a key its key mode */
  RDX_ERROR_FORMAT,        /**< input data is malformed; the text names the line and column */
  RDX_ERROR_IO,            /**< the operating system refused a file operation */
  RDX_ERROR_OVERFLOW,      /**< a result does not fit its type */
  RDX_ERROR_MEMORY,        /**< host memory ran out, or a result would take more than there is */
  RDX_ERROR_DEVICE_MEMORY, /**< device memory ran out, or the estimate says it would */
  RDX_ERROR_DEVICE_LOST,   /**< the driver gave the device up; close it and open it again */
  RDX_ERROR_CANCELLED,     /**< a progress callback asked to stop, or the context was cancelled (context.h) */
  RDX_ERROR_INTERNAL,      /**< a defect in Raydex or a driver; the text says what was seen */
  RDX_ERROR_TIMEOUT,       /**< a statement took longer than SET timeout allows */
} rdx_status;

/** A part of a method that is on by default. */
typedef enum rdx_switch {
  RDX_SWITCH_DEFAULT = 0, /**< on, where nothing else is said */
  RDX_SWITCH_ON,
  RDX_SWITCH_OFF,
} rdx_switch;

/** Caller-owned error text. Every function takes one, NULL allowed; it is written on failure only. */
typedef struct rdx_error {
  char text[1024]; /**< UTF-8, NUL-terminated, one or more sentences: what, where, what to do */
} rdx_error;

/** A short constant English name of a status, such as "out of device memory". Never NULL. */
RDX_API const char *rdx_status_name(rdx_status status);

/**
 * Where host memory comes from. `allocate` and `reallocate` return NULL on failure; `release` takes NULL.
 * Memory is aligned as malloc aligns it. All three may be called from any thread.
 */
typedef struct rdx_allocator {
  void *(*allocate)(void *user, size_t size);
  void *(*reallocate)(void *user, void *old, size_t size);
  void (*release)(void *user, void *memory);
  void *user;
} rdx_allocator;

/**
 * Replace the allocator of the whole process; NULL restores malloc. Call it while no Raydex object exists.
 * Memory that drivers and Embree take for themselves does not pass through it.
 */
RDX_API void rdx_set_allocator(const rdx_allocator *allocator);

/**
 * Told how far a long operation has come: `stage` is a constant name such as "read", `done` of `total` units (`total`
 * 0: unknown). Called from the thread that called Raydex or, while scenes are built, table files written and
 * expressions evaluated, from its workers, several at a time. Return true to cancel: the operation then fails with
 * RDX_ERROR_CANCELLED and leaves everything as it was. The callback must not call Raydex, which may hold locks.
 */
typedef bool (*rdx_progress_fn)(void *user, const char *stage, uint64_t done, uint64_t total);

/** Set the progress callback of the process; NULL removes it. Calls of threads that use a context (context.h) ask that
 * instead. */
RDX_API void rdx_set_progress(rdx_progress_fn callback, void *user);

#ifdef __cplusplus
}
#endif
#endif
