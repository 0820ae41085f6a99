/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* A pool of threads. Those that run a job, the caller among them, take runs of pieces from a shared counter until
 * it is used up. A worker that has done its part looks for the next job for a moment before it goes to sleep, and the
 * caller looks for the end so: waking takes as long as many a job. Nobody waits for workers that come too late.
 *
 * Between jobs the counter is closed. Who is `active` may hold a number of a piece of the current job; who is not
 * cannot, so that a closed counter and nobody active mean that the job is over. */

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#include "base/base.h"

#define CLOSED (UINT64_MAX / 2) /* no piece has a number so high */
#define PATIENCE_MS 0.2         /* a few times what it takes to wake a thread */
#define CALL_FOR_ALL 10         /* sleepers that a call for all wakes in the time of a call for one */
#define RUNS_AHEAD 4            /* a thread takes its share of what is left in so many parts */

typedef struct worker_start {
  rdx_pool *pool;
  uint32_t number;
} worker_start;

struct rdx_pool {
  uint32_t threads; /* the caller included */
  pthread_t *workers;
  worker_start *starts; /* what each worker is told */
  uint32_t started;
  bool patient;          /* there is a core for each thread */
  pthread_mutex_t turn;  /* held by the caller whose job runs */
  pthread_mutex_t lock;  /* for going to sleep */
  pthread_cond_t wake;   /* a new job, or the end */
  pthread_cond_t done;   /* no worker is active */
  _Atomic uint64_t job;  /* number of the last job */
  _Atomic uint64_t next; /* first piece that nobody has taken, or above CLOSED */
  _Atomic uint32_t active;
  _Atomic uint32_t asleep; /* workers */
  _Atomic bool waiting;    /* the caller sleeps */
  _Atomic bool stop;
  rdx_task_fn task; /* the job: this and the following are written while nobody is active */
  void *context;
  rdx_owner owner; /* whom the work is for */
  uint64_t count, grain;
  _Atomic uint32_t limit; /* workers with a higher number rest */
  _Atomic bool cancelled; /* no more pieces of this job are begun */
};

/* How the caller of a job asks whether to go on. */
typedef struct watch {
  const char *stage; /* NULL: never */
  rdx_status status;
  rdx_error *err;
} watch;

/* Take a run of pieces, many at first and one at last: memory is read in long runs, and threads end at about the same
 * time ("guided self-scheduling": Polychronopoulos, Kuck, IEEE Trans. Computers 1987). */
static bool take_run(rdx_pool *pool, uint64_t *begin, uint64_t *end) {
  uint64_t first = atomic_load(&pool->next), run;
  do {
    if (first >= CLOSED || first > (pool->count - 1) / pool->grain)
      return false;
    const uint64_t left = (pool->count - 1) / pool->grain + 1 - first, share = left / (RUNS_AHEAD * pool->threads);
    run = share > 1 ? share : 1;
  } while (!atomic_compare_exchange_weak(&pool->next, &first, first + run));
  *begin = first * pool->grain;
  *end = pool->count - *begin < run * pool->grain ? pool->count : *begin + run * pool->grain;
  return true;
}

/* Whether to go on when `done` of `count` items are taken. */
static bool goes_on(watch *w, uint64_t done, uint64_t count) {
  if (w->stage && w->status == RDX_OK)
    w->status = rdx_progress_at_times(w->stage, done < count ? done : count, count, w->err);
  return w->status == RDX_OK;
}

static void ask(rdx_pool *pool, watch *w) {
  const uint64_t next = atomic_load(&pool->next);
  if (!goes_on(w, next < CLOSED ? next * pool->grain : pool->count, pool->count))
    atomic_store(&pool->cancelled, true);
}

/* Do pieces until there are none, or the job is cancelled; `w` is the caller's, NULL for a worker. */
static void work(rdx_pool *pool, uint32_t number, watch *w) {
  uint64_t begin, end;
  while (take_run(pool, &begin, &end)) {
    if (!w)
      (void)rdx_owner_use(pool->owner);
    for (; begin < end; begin += pool->grain) {
      pool->task(pool->context, begin, end - begin < pool->grain ? end : begin + pool->grain, number);
      if (w)
        ask(pool, w);
      if (atomic_load_explicit(&pool->cancelled, memory_order_relaxed))
        return;
    }
  }
}

static bool has_news(const rdx_pool *pool, uint64_t seen) {
  return atomic_load(&pool->job) != seen || atomic_load(&pool->stop);
}

static bool is_over(const rdx_pool *pool, RDX_UNUSED uint64_t unused) {
  return atomic_load(&pool->active) == 0;
}

static void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

/* Look for a while; says whether `check` came true. */
static bool look(const rdx_pool *pool, bool (*check)(const rdx_pool *pool, uint64_t seen), uint64_t seen) {
  const double start = pool->patient ? rdx_now_ms() : 0;
  do {
    for (uint32_t i = 0; i < 32; i++) {
      if (check(pool, seen))
        return true;
      relax();
    }
  } while (pool->patient && rdx_now_ms() - start < PATIENCE_MS);
  return false;
}

static void wait_for_news(rdx_pool *pool, uint64_t seen) {
  if (look(pool, has_news, seen))
    return;
  RDX_LOCKED(&pool->lock);
  atomic_fetch_add(&pool->asleep, 1);
  while (!has_news(pool, seen))
    pthread_cond_wait(&pool->wake, &pool->lock);
  atomic_fetch_sub(&pool->asleep, 1);
}

/* Sleep until the job is over, or it is time to ask; whether it is over. */
static bool sleep_for_end(rdx_pool *pool, bool asking) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += RDX_ASK_EVERY_MS * 1000000l;
  until.tv_sec += until.tv_nsec / 1000000000l;
  until.tv_nsec %= 1000000000l;
  int result = 0;
  pthread_mutex_lock(&pool->lock);
  atomic_store(&pool->waiting, true);
  while (!is_over(pool, 0) && result != ETIMEDOUT)
    result =
        asking ? pthread_cond_timedwait(&pool->done, &pool->lock, &until) : pthread_cond_wait(&pool->done, &pool->lock);
  atomic_store(&pool->waiting, false);
  pthread_mutex_unlock(&pool->lock);
  return is_over(pool, 0);
}

static void wait_for_end(rdx_pool *pool, watch *w) {
  if (look(pool, is_over, 0))
    return;
  while (!sleep_for_end(pool, w->stage && w->status == RDX_OK))
    ask(pool, w);
}

/* Wake those who wait for a condition. */
static void call_out(rdx_pool *pool, pthread_cond_t *condition) {
  RDX_LOCKED(&pool->lock);
  pthread_cond_broadcast(condition);
}

static void *run_worker(void *argument) {
  const worker_start *start = argument;
  rdx_pool *pool = start->pool;
  const uint32_t number = start->number;
  uint64_t seen = 0;
  for (;;) {
    wait_for_news(pool, seen);
    if (atomic_load(&pool->stop))
      return NULL;
    seen = atomic_load(&pool->job);
    atomic_fetch_add(&pool->active, 1);
    if (number < atomic_load(&pool->limit))
      work(pool, number, NULL);
    if (atomic_fetch_sub(&pool->active, 1) == 1 && atomic_load(&pool->waiting))
      call_out(pool, &pool->done);
  }
}

uint32_t rdx_cores_of_quota(const char *path) {
  double quota = 0, period = 0;
  FILE *file = fopen(path, "r");
  const bool limited = file && fscanf(file, "%lf %lf", &quota, &period) == 2 && quota > 0 && period > 0;
  if (file)
    fclose(file);
  return limited ? (uint32_t)fmin(ceil(quota / period), UINT32_MAX) : UINT32_MAX;
}

uint32_t rdx_usable_cores(void) {
  const uint32_t quota = rdx_cores_of_quota("/sys/fs/cgroup/cpu.max");
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0)
    return 1;
  const uint32_t cores = (uint32_t)CPU_COUNT(&set);
  return cores < quota ? cores : quota;
}

static void *wait_for_lock(void *lock) {
  pthread_mutex_lock(lock);
  pthread_mutex_unlock(lock);
  return NULL;
}

rdx_status rdx_threads_check(uint32_t count, const char *what, rdx_error *err) {
  RDX_SCOPED(rdx_free_local) void *memory = NULL;
  RDX_TRY(rdx_alloc(count, sizeof(pthread_t), "threads", &memory, err));
  pthread_t *threads = memory;
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  uint32_t started = 0;
  pthread_mutex_lock(&lock);
  while (started < count && pthread_create(&threads[started], NULL, wait_for_lock, &lock) == 0)
    started++;
  pthread_mutex_unlock(&lock);
  for (uint32_t i = 0; i < started; i++)
    pthread_join(threads[i], NULL);
  return started == count
             ? RDX_OK
             : rdx_fail(err, RDX_ERROR_MEMORY,
                        "the system starts %u threads more, and %s needs %u: raise its limits of processes and memory "
                        "(ulimit -u, ulimit -v), or take a method that traces no rays",
                        started, what, count);
}

/* `all`: those that there are to be; else as many as the system starts. */
static rdx_status start_workers(rdx_pool *pool, bool all, rdx_error *err) {
  RDX_TRY(rdx_alloc(pool->threads, sizeof *pool->workers, "a thread pool", (void **)&pool->workers, err));
  RDX_TRY(rdx_alloc(pool->threads, sizeof *pool->starts, "a thread pool", (void **)&pool->starts, err));
  for (uint32_t i = 1; i < pool->threads; i++) {
    pool->starts[i] = (worker_start){pool, i};
    const bool starts = pthread_create(&pool->workers[pool->started], NULL, run_worker, &pool->starts[i]) == 0;
    if (!starts && all)
      return rdx_fail(err, RDX_ERROR_MEMORY, "the system refused to start thread %u of %u", i + 1, pool->threads);
    if (!starts)
      break;
    pool->started++;
  }
  pool->threads = pool->started + 1;
  pool->limit = pool->threads;
  return RDX_OK;
}

/* Waits for the end are timed by the clock that does not jump. */
static void start_end(rdx_pool *pool) {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&pool->done, &attributes);
  pthread_condattr_destroy(&attributes);
}

rdx_status rdx_pool_create(uint32_t threads, rdx_pool **out, rdx_error *err) {
  RDX_SCOPED(rdx_pool_destroy) rdx_pool *pool = NULL;
  RDX_TRY(rdx_calloc(1, sizeof *pool, "a thread pool", (void **)&pool, err));
  pool->threads = threads ? threads : rdx_usable_cores();
  pool->patient = pool->threads <= rdx_usable_cores();
  pool->next = CLOSED;
  pthread_mutex_init(&pool->turn, NULL);
  pthread_mutex_init(&pool->lock, NULL);
  pthread_cond_init(&pool->wake, NULL);
  start_end(pool);
  RDX_TRY(start_workers(pool, threads > 0, err));
  *out = RDX_KEEP(pool);
  return RDX_OK;
}

void rdx_pool_destroy(rdx_pool **out) {
  rdx_pool *pool = *out;
  if (!pool)
    return;
  atomic_store(&pool->stop, true);
  call_out(pool, &pool->wake);
  for (uint32_t i = 0; i < pool->started; i++)
    pthread_join(pool->workers[i], NULL);
  pthread_cond_destroy(&pool->wake);
  pthread_cond_destroy(&pool->done);
  pthread_mutex_destroy(&pool->lock);
  pthread_mutex_destroy(&pool->turn);
  RDX_FREE_ALL(pool->workers, pool->starts, pool);
  *out = NULL;
}

uint32_t rdx_pool_threads(const rdx_pool *pool) {
  return pool->threads;
}

void rdx_pool_limit(rdx_pool *pool, uint32_t threads) {
  atomic_store(&pool->limit, threads < pool->threads ? threads : pool->threads);
}

uint32_t rdx_pool_limited(const rdx_pool *pool) {
  return atomic_load(&pool->limit);
}

/* A thread is woken for each piece where these are few. A call for one takes as long as a call for all does for ten
 * sleepers (8 and 12 us of 15 sleepers), as those who wake take the lock in turn. */
static void wake_workers(rdx_pool *pool, uint64_t pieces) {
  RDX_LOCKED(&pool->lock);
  if (pieces - 1 > atomic_load(&pool->asleep) / CALL_FOR_ALL || atomic_load(&pool->limit) < pool->threads)
    pthread_cond_broadcast(&pool->wake);
  else
    for (uint64_t i = 1; i < pieces; i++)
      pthread_cond_signal(&pool->wake);
}

/* From piece `first` on, with the turn. */
static void run_together(rdx_pool *pool, uint64_t first, uint64_t count, uint64_t grain, rdx_task_fn task,
                         void *context, watch *w) {
  pool->task = task;
  pool->context = context;
  pool->owner = rdx_owner_current();
  pool->count = count;
  pool->grain = grain;
  atomic_store_explicit(&pool->cancelled, false, memory_order_relaxed);
  atomic_store(&pool->next, first);
  atomic_fetch_add(&pool->job, 1);
  if (atomic_load(&pool->asleep) > 0)
    wake_workers(pool, (count - 1) / grain + 1 - first);
  work(pool, 0, w);
  atomic_store(&pool->next, CLOSED);
  wait_for_end(pool, w);
}

/* A piece after the other on this thread, as long as the workers work for another caller; then all together. */
static void run(rdx_pool *pool, uint64_t count, uint64_t grain, rdx_task_fn task, void *context, watch *w) {
  const bool alone = count <= grain || pool->started == 0;
  uint64_t done = 0;
  while (done < count && (alone || pthread_mutex_trylock(&pool->turn) != 0)) {
    const uint64_t end = count - done < grain ? count : done + grain;
    if (done > 0 && !goes_on(w, done, count))
      return;
    task(context, done, end, 0);
    done = end;
  }
  if (done == count)
    return;
  run_together(pool, done / grain, count, grain, task, context, w);
  pthread_mutex_unlock(&pool->turn);
}

rdx_status rdx_pool_run_stage(rdx_pool *pool, uint64_t count, uint64_t grain, rdx_task_fn task, void *context,
                              const char *stage, rdx_error *err) {
  watch w = {.stage = count > grain ? stage : NULL, .err = err};
  run(pool, count, grain, task, context, &w);
  return w.status;
}

void rdx_pool_run(rdx_pool *pool, uint64_t count, uint64_t grain, rdx_task_fn task, void *context) {
  watch nobody = {0};
  run(pool, count, grain, task, context, &nobody);
}
