/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RAYDEX_CONTEXT_H
#define RAYDEX_CONTEXT_H

/**
 * Whom calls belong to: a context hears how far its calls have come, and cancels them without touching others.
 *
 * - Shapes: a thread uses one context at a time; every call that it makes meanwhile belongs to it, and so does the work
 *   of the library's own threads for the call. Calls of a thread that uses none belong to the process.
 * - Ownership: the caller's; no thread may use a context that is destroyed.
 * - Errors: cancelled calls fail with RDX_ERROR_CANCELLED and leave everything as it was.
 * - Threads: rdx_context_cancel() from any, which is how a server cancels one query.
 *
 * Example:
 *
 *     rdx_context *query = NULL;
 *     rdx_device_rates rates;
 *     status = rdx_context_create(NULL, &query, &err);
 *     if (status == RDX_OK) {
 *       rdx_context_use(query);
 *       status = rdx_device_measure_memory(device, 1u << 20, &rates, &err); // after rdx_context_cancel(): cancelled
 *       rdx_context_use(NULL);
 *     }
 *     rdx_context_destroy(&query);
 */

#include <raydex/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rdx_context rdx_context;

/** Who hears how far the calls of a context have come; all zero: nobody. */
typedef struct rdx_context_params {
  rdx_progress_fn progress; /**< as that of rdx_set_progress(), which is not called then */
  void *user;               /**< its first argument; owned by the caller */
} rdx_context_params;

/** Make a context that is not cancelled. `params` may be NULL. Destroy it with rdx_context_destroy(). */
RDX_API RDX_MUST_USE rdx_status rdx_context_create(const rdx_context_params *params, rdx_context **out, rdx_error *err);

/** Let the calls of this thread belong to `context` from now on, NULL: to the process. Returns the context before, NULL
 * for none. Several threads may use one context at a time. */
RDX_API rdx_context *rdx_context_use(rdx_context *context);

/** Cancel all calls of a context, now and to come, from any thread: they fail with RDX_ERROR_CANCELLED within about 0.1
 * seconds (while a CPU begins a scene of millions of primitives: a second) and leave everything as it was. Calls that
 * are as good as done may still succeed, and so may those that only look at what is there. */
RDX_API void rdx_context_cancel(rdx_context *context);

/** Let calls run again. Call it while none of the context runs, or those go on, too. */
RDX_API void rdx_context_reset(rdx_context *context);

/** Free `*context` and clear it; NULL and a cleared handle are fine. No thread may use it any more. */
RDX_API void rdx_context_destroy(rdx_context **context);

#ifdef __cplusplus
}
#endif
#endif
