/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* How far calls have come, and whether they are to stop: asked of the context of the thread, else of the process. */

#include <pthread.h>
#include <stdatomic.h>

#include <raydex/context.h>

#include "base/base.h"

struct rdx_context {
  rdx_context_params params;
  _Atomic bool cancelled;
};

/* Callers set the callback before they start work that reports; the flag keeps the common case, no callback, cheap. */
static struct {
  pthread_mutex_t lock;
  _Atomic bool set;
  rdx_progress_fn callback;
  void *user;
} process = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Whom the calls of this thread belong to, and when it asked last. */
static _Thread_local rdx_owner current;
static _Thread_local double asked_ms;

void rdx_set_progress(rdx_progress_fn callback, void *user) {
  RDX_LOCKED(&process.lock);
  process.callback = callback;
  process.user = user;
  atomic_store(&process.set, callback != NULL);
}

/* ---- Contexts ---- */

rdx_status rdx_context_create(const rdx_context_params *params, rdx_context **out, rdx_error *err) {
  if (!out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_context_create: out must not be NULL");
  rdx_context *context = NULL;
  RDX_TRY(rdx_calloc(1, sizeof *context, "a context", (void **)&context, err));
  if (params)
    context->params = *params;
  *out = context;
  return RDX_OK;
}

rdx_context *rdx_context_use(rdx_context *context) {
  rdx_context *before = current.context;
  current.context = context;
  return before;
}

rdx_owner rdx_owner_current(void) {
  return current;
}

rdx_owner rdx_owner_use(rdx_owner owner) {
  const rdx_owner before = current;
  current = owner;
  return before;
}

void rdx_set_deadline(double ms) {
  current.deadline_ms = ms;
}

void rdx_context_cancel(rdx_context *context) {
  if (context)
    atomic_store(&context->cancelled, true);
}

void rdx_context_reset(rdx_context *context) {
  if (context)
    atomic_store(&context->cancelled, false);
}

void rdx_context_destroy(rdx_context **context) {
  if (!context)
    return;
  rdx_free(*context);
  *context = NULL;
}

/* ---- Asking ---- */

static bool is_asked(void) {
  return current.deadline_ms > 0 || current.context || atomic_load_explicit(&process.set, memory_order_relaxed);
}

static bool ask_process(const char *stage, uint64_t done, uint64_t total) {
  pthread_mutex_lock(&process.lock);
  rdx_progress_fn callback = process.callback;
  void *user = process.user;
  pthread_mutex_unlock(&process.lock);
  return callback && callback(user, stage, done, total);
}

static bool ask_context(rdx_context *c, const char *stage, uint64_t done, uint64_t total) {
  const bool stops = c->params.progress && c->params.progress(c->params.user, stage, done, total);
  return stops || atomic_load_explicit(&c->cancelled, memory_order_relaxed);
}

rdx_status rdx_progress(const char *stage, uint64_t done, uint64_t total, rdx_error *err) {
  if (!is_asked())
    return RDX_OK;
  asked_ms = rdx_now_ms();
  if (current.deadline_ms > 0 && asked_ms > current.deadline_ms)
    return rdx_fail(err, RDX_ERROR_CANCELLED, "the time was over during %s", stage);
  if (current.context ? ask_context(current.context, stage, done, total) : ask_process(stage, done, total))
    return rdx_fail(err, RDX_ERROR_CANCELLED, "cancelled during %s", stage);
  return RDX_OK;
}

/* Known without asking anybody. */
static bool is_cancelled(void) {
  return current.context && atomic_load_explicit(&current.context->cancelled, memory_order_relaxed);
}

rdx_status rdx_progress_at_times(const char *stage, uint64_t done, uint64_t total, rdx_error *err) {
  if (!is_asked() || (!is_cancelled() && rdx_now_ms() - asked_ms < RDX_ASK_EVERY_MS))
    return RDX_OK;
  return rdx_progress(stage, done, total, err);
}
