/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Error texts, names, memory, progress and the thread pool. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <raydex/raydex.h>

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "base/replace.h"
#include "base/reuse.h"
#include "base/utf8.h"

static void test_names(void **state) {
  (void)state;
  assert_string_equal(rdx_version(), "0.1.0");
  for (int i = RDX_OK; i <= RDX_ERROR_INTERNAL; i++)
    assert_true(strlen(rdx_status_name((rdx_status)i)) > 1);
  assert_non_null(rdx_status_name((rdx_status)1000));
  for (int i = RDX_TYPE_BOOL; i <= RDX_TYPE_STRING; i++) {
    rdx_type type = RDX_TYPE_NONE;
    rdx_error err;
    assert_int_equal(rdx_type_from_name(rdx_type_name((rdx_type)i), &type, &err), RDX_OK);
    assert_int_equal(type, i);
  }
  rdx_type type = RDX_TYPE_NONE;
  rdx_error err = {""};
  assert_int_equal(rdx_type_from_name("int", &type, &err), RDX_ERROR_NOT_FOUND);
  assert_non_null(strstr(err.text, "i32"));
  rdx_index_method method = RDX_INDEX_AUTO;
  assert_int_equal(rdx_index_method_from_name("rx", &method, &err), RDX_OK);
  assert_int_equal(method, RDX_INDEX_RX);
  assert_int_equal(rdx_index_method_from_name("skip_list", &method, &err), RDX_ERROR_NOT_FOUND);
  assert_non_null(strstr(err.text, "sorted_array"));
}

static void test_errors(void **state) {
  (void)state;
  char long_text[4000];
  memset(long_text, 'x', sizeof long_text - 1);
  long_text[sizeof long_text - 1] = '\0';
  rdx_error err;
  assert_int_equal(rdx_fail(&err, RDX_ERROR_IO, "%s", long_text), RDX_ERROR_IO);
  assert_true(strlen(err.text) < sizeof err.text);
  for (size_t from = 0; from < 8; from++) { /* wherever characters are cut */
    memset(long_text, 'x', from + 1);
    for (size_t i = from; i + 2 < sizeof long_text; i += 2)
      memcpy(long_text + i, "\u00e9", 2);
    rdx_fail(&err, RDX_ERROR_IO, "cannot open %s: \x1b that is gone", long_text);
    assert_true(strlen(err.text) + 8 > sizeof err.text - 1 && strlen(err.text) < sizeof err.text);
    assert_non_null(strstr(err.text, "..."));
    assert_int_equal(strncmp(err.text, "cannot open xxxxxxx", 12 + from), 0);
    assert_string_equal(strrchr(err.text, ':'), ": \\x1b that is gone");
    assert_int_equal(rdx_utf8_check(err.text, strlen(err.text)), strlen(err.text));
  }
  assert_int_equal(rdx_fail(NULL, RDX_ERROR_IO, "%s", "no one listens"), RDX_ERROR_IO);
  void *memory = NULL;
  assert_int_equal(rdx_alloc(SIZE_MAX / 2, 4, "too much", &memory, &err), RDX_ERROR_MEMORY);
  char text[32];
  assert_string_equal(rdx_format_bytes(0, text), "0 B");
  assert_string_equal(rdx_format_bytes(1536, text), "1.5 KiB");
}

typedef struct sum {
  _Atomic uint64_t total;
  _Atomic uint32_t max_worker;
} sum;

static void add_up(void *context, uint64_t begin, uint64_t end, uint32_t worker) {
  sum *s = context;
  uint64_t part = 0;
  for (uint64_t i = begin; i < end; i++)
    part += i;
  atomic_fetch_add(&s->total, part);
  if (worker > atomic_load(&s->max_worker))
    atomic_store(&s->max_worker, worker);
}

static void test_pool(void **state) {
  (void)state;
  for (uint32_t threads = 1; threads <= 5; threads += 2) {
    rdx_pool *pool = NULL;
    rdx_error err;
    assert_int_equal(rdx_pool_create(threads, &pool, &err), RDX_OK);
    assert_int_equal(rdx_pool_threads(pool), threads);
    static const uint64_t counts[] = {0, 1, 7, 1000, 100001};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
      sum s = {0, 0};
      rdx_pool_run(pool, counts[i], 16, add_up, &s);
      assert_int_equal(s.total, counts[i] * (counts[i] - (counts[i] > 0)) / 2);
      assert_true(s.max_worker < threads);
    }
    rdx_pool_destroy(&pool);
  }
}

typedef struct owner {
  rdx_pool *pool;
  bool right;
} owner;

static void *own_sums(void *argument) {
  owner *o = argument;
  o->right = true;
  for (int i = 0; i < 200; i++) {
    sum s = {0, 0};
    rdx_pool_run(o->pool, 1000, 64, add_up, &s);
    o->right &= s.total == 499500;
  }
  return NULL;
}

/* Several threads give work to one pool. */
static void test_shared_pool(void **state) {
  (void)state;
  rdx_pool *pool = NULL;
  rdx_error err;
  assert_int_equal(rdx_pool_create(3, &pool, &err), RDX_OK);
  pthread_t threads[4];
  owner owners[4];
  for (int i = 0; i < 4; i++) {
    owners[i] = (owner){pool, false};
    assert_int_equal(pthread_create(&threads[i], NULL, own_sums, &owners[i]), 0);
  }
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], NULL);
  for (int i = 0; i < 4; i++)
    assert_true(owners[i].right);
  rdx_pool_destroy(&pool);
  assert_null(pool);
  rdx_pool_destroy(&pool);
}

typedef struct slow_job {
  _Atomic bool begun, may_end;
  rdx_pool *pool;
} slow_job;

/* Ends when it may, or after ten seconds. */
static void wait_for_other(void *context, uint64_t begin, uint64_t end, uint32_t worker) {
  (void)begin, (void)end, (void)worker;
  slow_job *job = context;
  job->begun = true;
  for (int i = 0; i < 10000 && !job->may_end; i++)
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static void *run_slow_job(void *argument) {
  slow_job *job = argument;
  rdx_pool_run(job->pool, 4, 1, wait_for_other, job);
  return NULL;
}

/* A job that takes long does not keep others waiting. */
static void test_job_beside_a_long_one(void **state) {
  (void)state;
  rdx_error err;
  slow_job slow = {.pool = NULL};
  pthread_t thread;
  assert_int_equal(rdx_pool_create(2, &slow.pool, &err), RDX_OK);
  assert_int_equal(pthread_create(&thread, NULL, run_slow_job, &slow), 0);
  while (!slow.begun)
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  sum s = {0, 0};
  const double start = rdx_now_ms();
  rdx_pool_run(slow.pool, 1000, 64, add_up, &s);
  assert_true(rdx_now_ms() - start < 5000);
  assert_int_equal(s.total, 499500);
  slow.may_end = true;
  pthread_join(thread, NULL);
  rdx_pool_destroy(&slow.pool);
}

static void add_up_inside(void *context, uint64_t begin, uint64_t end, uint32_t worker) {
  (void)begin, (void)end, (void)worker;
  owner *o = context;
  sum s = {0, 0};
  rdx_pool_run(o->pool, 1000, 64, add_up, &s);
  if (s.total != 499500)
    o->right = false;
}

/* A task may give work to the pool that it is run by. */
static void test_job_inside_a_job(void **state) {
  (void)state;
  rdx_error err;
  owner o = {.right = true};
  assert_int_equal(rdx_pool_create(3, &o.pool, &err), RDX_OK);
  rdx_pool_run(o.pool, 50, 1, add_up_inside, &o);
  assert_true(o.right);
  rdx_pool_destroy(&o.pool);
}

/* Jobs shorter than it takes to wake a thread, one after the other or after a while: workers look for the next, sleep,
 * or come when it is over. */
static void test_short_jobs(void **state) {
  (void)state;
  for (uint32_t threads = 1; threads <= 9; threads += 2) {
    rdx_pool *pool = NULL;
    rdx_error err;
    assert_int_equal(rdx_pool_create(threads, &pool, &err), RDX_OK);
    for (uint64_t i = 0; i < 5000; i++) {
      const uint64_t count = 1 + i % 57, grain = 1 + i % 5;
      sum s = {0, 0};
      if (i % 100 == 0)
        nanosleep(&(struct timespec){.tv_nsec = 10000 * (long)(i / 100)}, NULL);
      rdx_pool_run(pool, count, grain, add_up, &s);
      assert_int_equal(s.total, count * (count - 1) / 2);
    }
    rdx_pool_destroy(&pool);
  }
}

/* What a control group's cpu.max may say: a quota and a period in microseconds, or "max" and a period. */
static void test_quotas(void **state) {
  (void)state;
  static const struct {
    const char *text;
    uint32_t cores;
  } cases[] = {{"max 100000\n", UINT32_MAX}, {"400000 100000\n", 4}, {"150000 100000\n", 2}, {"1000 100000\n", 1},
               {"25000 50000\n", 1},         {"", UINT32_MAX},       {"7\n", UINT32_MAX},    {"-1 100000", UINT32_MAX},
               {"100000 0", UINT32_MAX},     {"1e300 1", UINT32_MAX}};
  char path[] = "/tmp/raydex_quota_XXXXXX";
  const int file = mkstemp(path);
  assert_true(file >= 0);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const size_t length = strlen(cases[i].text);
    assert_int_equal(ftruncate(file, 0), 0);
    assert_int_equal(pwrite(file, cases[i].text, length, 0), length);
    assert_int_equal(rdx_cores_of_quota(path), cases[i].cores);
  }
  close(file);
  unlink(path);
  assert_int_equal(rdx_cores_of_quota(path), UINT32_MAX); /* no such file */
  assert_in_range(rdx_usable_cores(), 1, 1 << 20);
}

/* Pieces begin at multiples of the grain, are no longer than it, and cover every item once. */
typedef struct coverage {
  uint8_t seen[1000];
  uint64_t grain;
  _Atomic uint32_t wrong;
} coverage;

static void cover(void *context, uint64_t begin, uint64_t end, uint32_t worker) {
  coverage *c = context;
  (void)worker;
  c->wrong += begin % c->grain != 0 || end <= begin || end - begin > c->grain || end > 1000;
  for (uint64_t i = begin; i < end; i++)
    c->seen[i]++;
}

static void test_pieces(void **state) {
  (void)state;
  rdx_pool *pool = NULL;
  rdx_error err;
  assert_int_equal(rdx_pool_create(4, &pool, &err), RDX_OK);
  for (uint64_t grain = 1; grain < 3000; grain = grain * 3 + 1) {
    coverage c = {.grain = grain};
    rdx_pool_run(pool, sizeof c.seen, grain, cover, &c);
    assert_int_equal(c.wrong, 0);
    for (size_t i = 0; i < sizeof c.seen; i++)
      assert_int_equal(c.seen[i], 1);
  }
  rdx_pool_destroy(&pool);
}

/* ---- Memory ---- */

typedef struct ledger {
  int allocations, reallocations, releases;
  bool refuse;
} ledger;

static void *book_allocate(void *user, size_t size) {
  ledger *l = user;
  l->allocations++;
  return l->refuse ? NULL : malloc(size);
}

static void *book_reallocate(void *user, void *old, size_t size) {
  ledger *l = user;
  l->reallocations++;
  return l->refuse ? NULL : realloc(old, size);
}

static void book_release(void *user, void *memory) {
  ledger *l = user;
  l->releases += memory != NULL;
  free(memory);
}

static void test_allocator(void **state) {
  (void)state;
  ledger l = {0};
  rdx_error err = {""};
  const rdx_allocator allocator = {book_allocate, book_reallocate, book_release, &l};
  rdx_set_allocator(&allocator);
  void *memory = NULL, *none = NULL;
  assert_int_equal(rdx_calloc(10, 4, "a test", &memory, &err), RDX_OK);
  for (int i = 0; i < 40; i++)
    assert_int_equal(((uint8_t *)memory)[i], 0);
  memset(memory, 7, 40);
  assert_int_equal(rdx_realloc(&memory, 1000, 4, "a test", &err), RDX_OK);
  for (int i = 0; i < 40; i++)
    assert_int_equal(((uint8_t *)memory)[i], 7);
  l.refuse = true;
  void *const before = memory;
  assert_int_equal(rdx_realloc(&memory, 2000, 4, "a test", &err), RDX_ERROR_MEMORY);
  assert_ptr_equal(memory, before);
  assert_non_null(strstr(err.text, "a test"));
  assert_int_equal(rdx_alloc(3, 3, "a thing", &none, &err), RDX_ERROR_MEMORY);
  assert_non_null(strstr(err.text, "a thing"));
  assert_int_equal(rdx_calloc(3, 3, "a thing", &none, NULL), RDX_ERROR_MEMORY);
  assert_null(none);
  l.refuse = false;
  rdx_free(memory);
  rdx_free(NULL);
  assert_int_equal(rdx_alloc(0, 4, "nothing", &memory, &err), RDX_OK);
  assert_non_null(memory);
  rdx_free(memory);
  assert_int_equal(l.releases, 2);
  assert_true(l.allocations >= 4 && l.reallocations == 2);
  rdx_set_allocator(NULL);
  const int so_far = l.allocations;
  assert_int_equal(rdx_alloc(1, 1, "a test", &memory, &err), RDX_OK);
  rdx_free(memory);
  assert_int_equal(l.allocations, so_far);
}

/* Sizes that do not fit are refused before anyone is asked for them. */
static void test_sizes_that_overflow(void **state) {
  (void)state;
  static const size_t sizes[][2] = {
      {SIZE_MAX, 2}, {2, SIZE_MAX}, {SIZE_MAX / 2 + 1, 2}, {(size_t)1 << 32, (size_t)1 << 32}};
  for (size_t i = 0; i < RDX_COUNT(sizes); i++) {
    rdx_error err = {""};
    void *memory = NULL;
    assert_int_equal(rdx_alloc(sizes[i][0], sizes[i][1], "a test", &memory, &err), RDX_ERROR_MEMORY);
    assert_int_equal(rdx_calloc(sizes[i][0], sizes[i][1], "a test", &memory, &err), RDX_ERROR_MEMORY);
    assert_int_equal(rdx_realloc(&memory, sizes[i][0], sizes[i][1], "a test", &err), RDX_ERROR_MEMORY);
    assert_null(memory);
  }
}

static void test_copies(void **state) {
  rdx_error err;
  rdx_arena arena = {0};
  char *text = NULL, *part = NULL, **list = NULL;
  const char *kept = NULL;
  uint32_t capacity = 0;
  (void)state;
  assert_int_equal(rdx_copy_text("abc", "a test", &text, &err), RDX_OK);
  assert_int_equal(rdx_copy_bytes("abc", 2, "a test", &part, &err), RDX_OK);
  assert_int_equal(rdx_arena_text(&arena, "", "a test", &kept, &err), RDX_OK);
  assert_string_equal(text, "abc");
  assert_string_equal(part, "ab");
  assert_string_equal(kept, "");
  for (uint32_t i = 0; i < 100; i++) {
    assert_int_equal(rdx_reserve_one((void **)&list, i, &capacity, sizeof *list, "a test", &err), RDX_OK);
    assert_true(capacity > i);
    list[i] = text;
  }
  rdx_free(text);
  rdx_free(part);
  rdx_free(list);
  rdx_arena_free(&arena);
}

static void test_format(void **state) {
  (void)state;
  static const struct {
    uint64_t bytes;
    const char *text;
  } cases[] = {{0, "0 B"},
               {1, "1 B"},
               {1023, "1023 B"},
               {1024, "1.0 KiB"},
               {12288, "12.0 KiB"},
               {(uint64_t)3 << 19, "1.5 MiB"},
               {(uint64_t)3 << 29, "1.5 GiB"}};
  for (size_t i = 0; i < RDX_COUNT(cases); i++) {
    char text[32];
    assert_string_equal(rdx_format_bytes(cases[i].bytes, text), cases[i].text);
  }
  char text[32];
  assert_true(strlen(rdx_format_bytes(UINT64_MAX, text)) < sizeof text);
}

/* ---- Progress ---- */

static bool note_progress(void *user, const char *stage, uint64_t done, uint64_t total) {
  assert_string_equal(stage, "a stage");
  assert_int_equal(done, 3);
  assert_int_equal(total, 9);
  return *(bool *)user;
}

static void test_progress(void **state) {
  (void)state;
  bool stop = false;
  rdx_error err = {""};
  assert_int_equal(rdx_progress("unheard", 1, 2, &err), RDX_OK);
  rdx_set_progress(note_progress, &stop);
  assert_int_equal(rdx_progress("a stage", 3, 9, &err), RDX_OK);
  stop = true;
  assert_int_equal(rdx_progress("a stage", 3, 9, &err), RDX_ERROR_CANCELLED);
  assert_true(strlen(err.text) > 0);
  assert_int_equal(rdx_progress("a stage", 3, 9, NULL), RDX_ERROR_CANCELLED);
  rdx_set_progress(NULL, NULL);
  assert_int_equal(rdx_progress("unheard", 1, 2, &err), RDX_OK);
  const double then = rdx_now_ms();
  assert_true(rdx_now_ms() >= then);
}

static bool count_calls(void *user, const char *stage, uint64_t done, uint64_t total) {
  (void)stage, (void)done, (void)total;
  ++*(_Atomic uint32_t *)user;
  return false;
}

static void report(void *context, uint64_t begin, uint64_t end, uint32_t worker) {
  (void)begin, (void)end, (void)worker;
  nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL); /* every worker comes to do some */
  *(_Atomic uint32_t *)context += rdx_progress("a stage", 3, 9, NULL) == RDX_ERROR_CANCELLED;
}

/* What the pool's threads do belongs to the context of the thread that asked for it, and only while it does. */
static void test_contexts(void **state) {
  (void)state;
  _Atomic uint32_t of_process = 0, of_context = 0, stopped = 0;
  rdx_context *context = NULL;
  rdx_pool *pool = NULL;
  rdx_error err = {""};
  assert_int_equal(rdx_context_create(NULL, NULL, &err), RDX_ERROR_ARGUMENT);
  assert_int_equal(rdx_context_create(&(rdx_context_params){count_calls, &of_context}, &context, &err), RDX_OK);
  assert_int_equal(rdx_pool_create(3, &pool, &err), RDX_OK);
  rdx_set_progress(count_calls, &of_process);
  assert_null(rdx_context_use(context));
  rdx_pool_run(pool, 60, 1, report, &stopped);
  assert_int_equal(of_process, 0);
  assert_int_equal(of_context, 60);
  assert_int_equal(stopped, 0);
  rdx_context_cancel(context);
  rdx_pool_run(pool, 60, 1, report, &stopped);
  assert_int_equal(stopped, 60);
  assert_ptr_equal(rdx_context_use(NULL), context);
  rdx_pool_run(pool, 60, 1, report, &stopped);
  assert_int_equal(of_process, 60);
  assert_int_equal(of_context, 120);
  assert_int_equal(stopped, 60);
  rdx_context_reset(context);
  rdx_context_use(context);
  assert_int_equal(rdx_progress("a stage", 3, 9, &err), RDX_OK);
  rdx_context_use(NULL);
  rdx_set_progress(NULL, NULL);
  rdx_context_destroy(&context);
  rdx_context_destroy(&context);
  rdx_pool_destroy(&pool);
}

typedef struct long_job {
  pthread_t caller;
  bool stop;
  uint32_t asked;
  _Atomic uint64_t pieces;
} long_job;

static void take_a_while(void *context, uint64_t begin, uint64_t end, uint32_t worker) {
  (void)begin, (void)end, (void)worker;
  nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
  ((long_job *)context)->pieces++;
}

static bool ask_about_job(void *user, const char *stage, uint64_t done, uint64_t total) {
  long_job *job = user;
  assert_string_equal(stage, "a job");
  assert_true(pthread_equal(job->caller, pthread_self()));
  assert_true(done > 0 && done <= total);
  job->asked++;
  return job->stop;
}

/* Long jobs ask on the caller's thread whether to go on, and end early where they shall not; others never ask. */
static void test_jobs_that_ask(void **state) {
  (void)state;
  for (uint32_t threads = 1; threads <= 3; threads++) {
    rdx_pool *pool = NULL;
    rdx_error err = {""};
    assert_int_equal(rdx_pool_create(threads, &pool, &err), RDX_OK);
    long_job stopped = {.caller = pthread_self(), .stop = true}, asked = {.caller = pthread_self()}, silent = stopped;
    rdx_set_progress(ask_about_job, &stopped);
    assert_int_equal(rdx_pool_run_stage(pool, 100000, 5, take_a_while, &stopped, "a job", &err), RDX_ERROR_CANCELLED);
    assert_int_equal(stopped.asked, 1);
    assert_true(stopped.pieces < 20000 && strlen(err.text) > 0);
    rdx_set_progress(ask_about_job, &asked);
    assert_int_equal(rdx_pool_run_stage(pool, 1000, 5, take_a_while, &asked, "a job", &err), RDX_OK);
    assert_true(asked.asked > 0);
    assert_int_equal(asked.pieces, 200);
    rdx_set_progress(ask_about_job, &silent);
    rdx_pool_run(pool, 500, 5, take_a_while, &silent);
    assert_int_equal(silent.pieces, 100);
    assert_int_equal(silent.asked, 0);
    rdx_set_progress(NULL, NULL);
    rdx_pool_destroy(&pool);
  }
}

static void on_alarm(int number) {
  (void)number;
}

static bool count_and_stop(void *user, const char *stage, uint64_t done, uint64_t total) {
  (void)stage, (void)done, (void)total;
  return ++*(uint32_t *)user >= 3;
}

/* Signals end the wait for a pipe that nobody reads or writes; the callback then says whether to go on. */
static void test_stalled_pipes(void **state) {
  (void)state;
  char folder[] = "/tmp/raydex_base_XXXXXX", path[64];
  int ends[2];
  static char data[1 << 20]; /* more than a pipe takes */
  rdx_error err;
  uint32_t asked = 0;
  rdx_table *table = NULL;
  struct sigaction before;
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/pipe", folder);
  assert_int_equal(mkfifo(path, 0600), 0);
  assert_int_equal(pipe(ends), 0);
  sigaction(SIGALRM, &(struct sigaction){.sa_handler = on_alarm}, &before);
  setitimer(ITIMER_REAL, &(struct itimerval){{0, 5000}, {0, 5000}}, NULL);
  rdx_set_progress(count_and_stop, &asked);
  assert_int_equal(rdx_write(ends[1], data, sizeof data, "the pipe", &err), RDX_ERROR_CANCELLED);
  assert_int_equal(asked, 3);
  asked = 0;
  assert_int_equal(rdx_table_read_csv(path, NULL, &table, &err), RDX_ERROR_CANCELLED);
  assert_int_equal(asked, 3);
  asked = 0;
  assert_int_equal(unlink(path), 0);
  snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
  assert_int_equal(rdx_table_read_csv(path, NULL, &table, &err), RDX_ERROR_CANCELLED);
  rdx_set_progress(NULL, NULL);
  setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
  sigaction(SIGALRM, &before, NULL);
  close(ends[0]);
  close(ends[1]);
  assert_int_equal(rmdir(folder), 0);
}

/* Records of 2 to 4 words, the last of which tells where each was, against their definition: ascending by what is
 * compared, and then by where they were. */
static void test_sort(void **state) {
  (void)state;
  static uint64_t records[3000 * 4], scratch[3000 * 4];
  static const uint64_t counts[] = {0, 1, 2, 7, 8, 9, 16, 17, 63, 127, 128, 1000, 3000};
  uint64_t seed = 1;
  for (size_t n = 0; n < sizeof counts / sizeof *counts; n++)
    for (uint32_t words = 2; words <= 4; words++)
      for (uint64_t values = 1; values <= 1000000; values *= 100) {
        for (uint64_t i = 0; i < counts[n] * words; i++) {
          seed = seed * 6364136223846793005u + 1442695040888963407u;
          records[i] = i % words == words - 1 ? i / words : (seed >> 33) % values << (values > 1 ? 40 : 0);
        }
        const uint64_t *sorted = rdx_sort(records, counts[n], words, words - 1, scratch);
        uint64_t places = 0;
        for (uint64_t i = 0; i < counts[n]; i++) {
          const uint64_t *at = sorted + i * words;
          uint32_t k = 0;
          places += at[words - 1];
          while (i > 0 && k < words - 1 && at[k] == at[(int64_t)k - words])
            k++;
          assert_true(i == 0 || at[k] > at[(int64_t)k - words]);
        }
        assert_int_equal(places, counts[n] > 0 ? counts[n] * (counts[n] - 1) / 2 : 0);
      }
}

/* Places of keys in their order, against its definition: keys of few and of many bits, low ones 0 in all or not. */
static void test_sort_order(void **state) {
  (void)state;
  static uint64_t keys[3000], order[3000], scratch[4 * 3001];
  static const uint64_t counts[] = {0, 1, 2, 9, 127, 128, 129, 1000, 3000};
  static const uint64_t masks[] = {
      0, 1, 0xff, 0xffff, 0xfffff00, 0x700003ffffff, 0xffull << 56, 0x8000000000000001u, UINT64_MAX};
  uint64_t seed = 7;
  for (size_t n = 0; n < sizeof counts / sizeof *counts; n++)
    for (size_t m = 0; m < sizeof masks / sizeof *masks; m++)
      for (uint64_t base = 0; base <= 2; base++) { /* 2: a bit of the first, so that the highest tell little */
        const uint64_t bit = base == 2 ? 1ull << 45 : base << 62;
        for (uint64_t i = 0; i < counts[n]; i++) {
          seed = seed * 6364136223846793005u + 1442695040888963407u;
          keys[i] = ((seed ^ seed >> 31) & masks[m]) | (base == 1 || i == 0 ? bit : 0);
        }
        rdx_sort_order(keys, counts[n], order, scratch);
        uint64_t places = 0;
        for (uint64_t i = 0; i < counts[n]; i++) {
          places += order[i];
          assert_true(i == 0 || keys[order[i]] > keys[order[i - 1]] ||
                      (keys[order[i]] == keys[order[i - 1]] && order[i] > order[i - 1]));
        }
        assert_int_equal(places, counts[n] > 0 ? counts[n] * (counts[n] - 1) / 2 : 0);
      }
}

static void test_kept_blocks(void **state) {
  struct rlimit before, limited;
  void *memory = malloc(4 << 20);
  (void)state;
  assert_non_null(memory);
  assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
  limited = (struct rlimit){before.rlim_max == RLIM_INFINITY ? RLIM_INFINITY - 1 : before.rlim_max, before.rlim_max};
  assert_int_equal(setrlimit(RLIMIT_AS, &limited), 0);
  assert_false(rdx_reuse_keep(memory)); /* whoever else needs addresses is to have them */
  assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
  rdx_reuse_drop();
  if (rdx_reuse_keep(memory)) { /* not under AddressSanitizer */
    assert_null(rdx_reuse_take(8 << 20));
    assert_null(rdx_reuse_take(3 << 20)); /* a quarter would be wasted */
    assert_ptr_equal(rdx_reuse_take(4 << 20), memory);
    assert_false(rdx_reuse_drop());
  }
  free(memory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_names),
      cmocka_unit_test(test_errors),
      cmocka_unit_test(test_pool),
      cmocka_unit_test(test_shared_pool),
      cmocka_unit_test(test_job_beside_a_long_one),
      cmocka_unit_test(test_job_inside_a_job),
      cmocka_unit_test(test_short_jobs),
      cmocka_unit_test(test_quotas),
      cmocka_unit_test(test_pieces),
      cmocka_unit_test(test_allocator),
      cmocka_unit_test(test_copies),
      cmocka_unit_test(test_format),
      cmocka_unit_test(test_sizes_that_overflow),
      cmocka_unit_test(test_progress),
      cmocka_unit_test(test_contexts),
      cmocka_unit_test(test_sort),
      cmocka_unit_test(test_sort_order),
      cmocka_unit_test(test_stalled_pipes),
      cmocka_unit_test(test_jobs_that_ask),
      cmocka_unit_test(test_kept_blocks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
