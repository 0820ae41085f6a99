/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* A pool of threads. Workers take pieces of a job's range from a shared counter until it is used up. */

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "base/base.h"

typedef struct worker_start {
  rdx_pool *pool;
  uint32_t number;
} worker_start;

struct rdx_pool {
  uint32_t threads; /* the caller included */
  pthread_t *workers;
  worker_start *starts; /* what each worker is told */
  uint32_t started;
  pthread_mutex_t turn; /* held by the caller whose job runs */
  pthread_mutex_t lock; /* guards what follows */
  pthread_cond_t wake;  /* a new job, or the end */
  pthread_cond_t done;  /* no worker is busy */
  uint64_t job;         /* number of the current job */
  uint32_t busy;
  bool stop;
  rdx_task_fn task;
  void *context;
  uint64_t count, grain;
  _Atomic uint64_t next; /* first index that nobody has taken */
};

static void work(rdx_pool *pool, uint32_t number) {
  for (;;) {
    const uint64_t begin = atomic_fetch_add_explicit(&pool->next, pool->grain, memory_order_relaxed);
    if (begin >= pool->count)
      return;
    const uint64_t rest = pool->count - begin;
    pool->task(pool->context, begin, begin + (rest < pool->grain ? rest : pool->grain), number);
  }
}

static void *run_worker(void *argument) {
  const worker_start *start = argument;
  rdx_pool *pool = start->pool;
  const uint32_t number = start->number;
  uint64_t seen = 0;
  pthread_mutex_lock(&pool->lock);
  for (;;) {
    while (!pool->stop && pool->job == seen)
      pthread_cond_wait(&pool->wake, &pool->lock);
    if (pool->stop)
      break;
    seen = pool->job;
    pthread_mutex_unlock(&pool->lock);
    work(pool, number);
    pthread_mutex_lock(&pool->lock);
    if (--pool->busy == 0)
      pthread_cond_signal(&pool->done);
  }
  pthread_mutex_unlock(&pool->lock);
  return NULL;
}

static uint32_t usable_cores(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0)
    return 1;
  return (uint32_t)CPU_COUNT(&set);
}

static rdx_status start_workers(rdx_pool *pool, rdx_error *err) {
  RDX_TRY(rdx_alloc(pool->threads, sizeof *pool->workers, "a thread pool", (void **)&pool->workers, err));
  RDX_TRY(rdx_alloc(pool->threads, sizeof *pool->starts, "a thread pool", (void **)&pool->starts, err));
  for (uint32_t i = 1; i < pool->threads; i++) {
    pool->starts[i] = (worker_start){pool, i};
    if (pthread_create(&pool->workers[pool->started], NULL, run_worker, &pool->starts[i]) != 0)
      return rdx_fail(err, RDX_ERROR_MEMORY, "the system refused to start thread %u of %u", i + 1, pool->threads);
    pool->started++;
  }
  return RDX_OK;
}

rdx_status rdx_pool_create(uint32_t threads, rdx_pool **out, rdx_error *err) {
  rdx_pool *pool = NULL;
  RDX_TRY(rdx_calloc(1, sizeof *pool, "a thread pool", (void **)&pool, err));
  pool->threads = threads ? threads : usable_cores();
  pthread_mutex_init(&pool->turn, NULL);
  pthread_mutex_init(&pool->lock, NULL);
  pthread_cond_init(&pool->wake, NULL);
  pthread_cond_init(&pool->done, NULL);
  rdx_status status = start_workers(pool, err);
  if (status != RDX_OK) {
    rdx_pool_destroy(&pool);
    return status;
  }
  *out = pool;
  return RDX_OK;
}

void rdx_pool_destroy(rdx_pool **out) {
  rdx_pool *pool = *out;
  if (!pool)
    return;
  pthread_mutex_lock(&pool->lock);
  pool->stop = true;
  pthread_cond_broadcast(&pool->wake);
  pthread_mutex_unlock(&pool->lock);
  for (uint32_t i = 0; i < pool->started; i++)
    pthread_join(pool->workers[i], NULL);
  pthread_cond_destroy(&pool->wake);
  pthread_cond_destroy(&pool->done);
  pthread_mutex_destroy(&pool->lock);
  pthread_mutex_destroy(&pool->turn);
  rdx_free(pool->workers);
  rdx_free(pool->starts);
  rdx_free(pool);
  *out = NULL;
}

uint32_t rdx_pool_threads(const rdx_pool *pool) {
  return pool->threads;
}

void rdx_pool_run(rdx_pool *pool, uint64_t count, uint64_t grain, rdx_task_fn task, void *context) {
  if (count == 0)
    return;
  pthread_mutex_lock(&pool->turn);
  if (count <= grain || pool->started == 0) {
    for (uint64_t begin = 0; begin < count; begin += grain)
      task(context, begin, count - begin < grain ? count : begin + grain, 0);
    pthread_mutex_unlock(&pool->turn);
    return;
  }
  pthread_mutex_lock(&pool->lock);
  pool->task = task;
  pool->context = context;
  pool->count = count;
  pool->grain = grain;
  atomic_store(&pool->next, 0);
  pool->busy = pool->started;
  pool->job++;
  pthread_cond_broadcast(&pool->wake);
  pthread_mutex_unlock(&pool->lock);
  work(pool, 0);
  pthread_mutex_lock(&pool->lock);
  while (pool->busy > 0)
    pthread_cond_wait(&pool->done, &pool->lock);
  pthread_mutex_unlock(&pool->lock);
  pthread_mutex_unlock(&pool->turn);
}
