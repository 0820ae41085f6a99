/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_BASE_BASE_H
#define RDX_BASE_BASE_H

/* What every file uses: errors, memory, clocks, progress, threads. Knows no database word. */

#include <raydex/context.h>
#include <raydex/status.h>

#include <locale.h>
#include <pthread.h>

#define RDX_TRY(call)                                                                                                  \
  do {                                                                                                                 \
    rdx_status rdx_try_status = (call);                                                                                \
    if (rdx_try_status != RDX_OK)                                                                                      \
      return rdx_try_status;                                                                                           \
  } while (0)

/* Before the declaration of a local variable: `destroy` gets its address where its scope ends, however it ends. So what
 * a function makes for a while needs no chain of `if (status == RDX_OK)`, only RDX_TRY. */
#define RDX_SCOPED(destroy) __attribute__((cleanup(destroy)))

/* What a variable of RDX_SCOPED has is to stay: its value, which leaves the variable all zero. */
#define RDX_KEEP(variable)                                                                                             \
  __extension__({                                                                                                      \
    __typeof__(variable) rdx_kept = (variable);                                                                        \
    (variable) = (__typeof__(variable)){0};                                                                            \
    rdx_kept;                                                                                                          \
  })

/* Hold a lock until the end of the scope. */
#define RDX_LOCKED(lock) RDX_SCOPED(rdx_unlock) RDX_UNUSED pthread_mutex_t *rdx_locked = rdx_lock(lock)

static inline pthread_mutex_t *rdx_lock(pthread_mutex_t *lock) {
  pthread_mutex_lock(lock);
  return lock;
}

static inline void rdx_unlock(pthread_mutex_t **lock) {
  pthread_mutex_unlock(*lock);
}

__extension__ typedef __int128 rdx_i128; /* for sums and scaled numbers that pass 64 bits */

#define RDX_UNUSED __attribute__((unused))
/* Starts a function that is compiled anew at each call, for the constants that the call gives it. */
#define RDX_INLINE static inline __attribute__((always_inline))

#define RDX_COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define RDX_MESSAGE (1 << 14) /* bytes of a message with two paths of any length, before it becomes an error's text */

/* Write the text of `err` (NULL allowed) and return `status`. Of a text that is too long the middle is left out. */
rdx_status rdx_fail(rdx_error *err, rdx_status status, const char *format, ...) RDX_PRINTF(3, 4);

/* Host memory through the process's allocator. `what` names the thing in the error text. A size of 0 gives a
 * valid pointer. */
RDX_MUST_USE rdx_status rdx_alloc(size_t count, size_t size, const char *what, void **out, rdx_error *err);
RDX_MUST_USE rdx_status rdx_calloc(size_t count, size_t size, const char *what, void **out, rdx_error *err);
/* Grow `*memory`; on failure it stays as it was. */
RDX_MUST_USE rdx_status rdx_realloc(void **memory, size_t count, size_t size, const char *what, rdx_error *err);
/* Room for one element more than `count` in an array of `*capacity`, which grows to twice as many. */
RDX_MUST_USE rdx_status rdx_reserve_one(void **array, uint32_t count, uint32_t *capacity, size_t size, const char *what,
                                        rdx_error *err);
/* A copy of a text, or of `length` bytes, which is a text then. */
RDX_MUST_USE rdx_status rdx_copy_text(const char *text, const char *what, char **out, rdx_error *err);
RDX_MUST_USE rdx_status rdx_copy_bytes(const char *bytes, size_t length, const char *what, char **out, rdx_error *err);
void rdx_free(void *memory);
void rdx_free_each(void *const *list, size_t count);
#define RDX_FREE_ALL(...) rdx_free_each((void *const[]){__VA_ARGS__}, RDX_COUNT(((void *const[]){__VA_ARGS__})))
void rdx_free_local(void *pointer); /* for RDX_SCOPED: what the pointer there points to */

/* The bytes that this process's control group may have; UINT64_MAX: no limit. */
uint64_t rdx_host_memory_limit(void);
/* Bytes that the system can still give this process without taking them from others, as far as it says. */
uint64_t rdx_host_memory_left(void);

/* Host memory that is freed all at once. All zero is an empty arena. */
typedef struct rdx_arena {
  struct rdx_arena_block *blocks;
} rdx_arena;

RDX_MUST_USE rdx_status rdx_arena_alloc(rdx_arena *arena, size_t count, size_t size, const char *what, void **out,
                                        rdx_error *err);
RDX_MUST_USE rdx_status rdx_arena_text(rdx_arena *arena, const char *text, const char *what, const char **out,
                                       rdx_error *err);
void rdx_arena_free(rdx_arena *arena);

/* A text that grows. All zero but `err` is empty. */
typedef struct rdx_printed {
  char *data;
  size_t size, capacity;
  rdx_status status; /* of the first failure */
  rdx_error *err;
} rdx_printed;

void rdx_print(rdx_printed *text, const char *format, ...) RDX_PRINTF(2, 3);
/* In quotes, which are doubled inside. */
void rdx_print_quoted(rdx_printed *text, const char *words, char quote);
void rdx_printed_free(rdx_printed *text);

/* Sort records of `words` u64 each by the first `compared` of these, ascending; equal ones stay in their order. Returns
 * `records`, or the `scratch` for as many (one at least), which then has them. For what is small enough for one core.
 */
uint64_t *rdx_sort(uint64_t *records, uint64_t count, uint32_t words, uint32_t compared, uint64_t *scratch);
/* The places of keys in their ascending order, those of equal ones as they are. `order` may be `keys`; `scratch` is for
 * 4 * (count + 1) words. */
void rdx_sort_order(const uint64_t *keys, uint64_t count, uint64_t *order, uint64_t *scratch);

/* For qsort(): u64, ascending. */
int rdx_u64_order(const void *a, const void *b);

/* Milliseconds of a monotonic clock. */
double rdx_now_ms(void);

/* Whom a thread works for, and until when. */
typedef struct rdx_owner {
  rdx_context *context; /* NULL: the process */
  double deadline_ms;   /* as rdx_now_ms() has it; 0: none. From then on all is cancelled */
} rdx_owner;

/* That of this thread, for threads that work for it: they have the same. rdx_owner_use() returns the one before. */
rdx_owner rdx_owner_current(void);
rdx_owner rdx_owner_use(rdx_owner owner);
void rdx_set_deadline(double ms);

/* Do `work` on a thread of the same owner that has a stack of 64 MiB, of which the system gives what is used. */
typedef rdx_status (*rdx_deep_fn)(void *context, rdx_error *err);
RDX_MUST_USE rdx_status rdx_run_deep(rdx_deep_fn work, void *context, rdx_error *err);

/* Tell the context of the thread, else the process's callback; RDX_ERROR_CANCELLED (with a text) when it is to stop. */
RDX_MUST_USE rdx_status rdx_progress(const char *stage, uint64_t done, uint64_t total, rdx_error *err);

/* The same, but a thread that asked less than this ago does not ask again, unless its context is cancelled: for loops,
 * every few thousand rounds. */
#define RDX_ASK_EVERY_MS 20
RDX_MUST_USE rdx_status rdx_progress_at_times(const char *stage, uint64_t done, uint64_t total, rdx_error *err);

/* In a loop of `count` rounds, of which this is round `i`: asks every few thousand rounds, at times. */
static inline rdx_status rdx_loop_goes_on(uint64_t i, uint64_t count, const char *stage, rdx_error *err) {
  return i % 16384 ? RDX_OK : rdx_progress_at_times(stage, i, count, err);
}

/* The locale of C, in which numbers have a point: a program that uses the library may have set another. */
locale_t rdx_c_locale(void);
/* snprintf() in that. */
int rdx_text_print(char *text, size_t size, const char *format, ...) RDX_PRINTF(3, 4);
/* "1.5 GiB", "12.0 KiB", "37 B" into `text`; returns `text`. */
const char *rdx_format_bytes(uint64_t bytes, char text[32]);

/* A pool of threads that split index ranges. */
typedef struct rdx_pool rdx_pool;
typedef void (*rdx_task_fn)(void *context, uint64_t begin, uint64_t end, uint32_t worker);

/* The cores that this process is bound to, but no more than the quota of its control group pays for. */
uint32_t rdx_usable_cores(void);
/* Cores that a quota pays for, rounded up: a file of microseconds of a period, as cpu.max is. UINT32_MAX: no limit. */
uint32_t rdx_cores_of_quota(const char *path);
/* `threads` workers, the calling thread included; 0: rdx_usable_cores(), or fewer where the system starts no more. */
RDX_MUST_USE rdx_status rdx_pool_create(uint32_t threads, rdx_pool **out, rdx_error *err);
void rdx_pool_destroy(rdx_pool **pool);
/* Whether the system starts so many threads more at a time, for a library that ends the program where it does not:
 * RDX_ERROR_MEMORY. The text names `what` needs them. */
RDX_MUST_USE rdx_status rdx_threads_check(uint32_t count, const char *what, rdx_error *err);
uint32_t rdx_pool_threads(const rdx_pool *pool);
/* From now on no more threads than this take part in jobs, the caller included; and how many do at most. */
void rdx_pool_limit(rdx_pool *pool, uint32_t threads);
uint32_t rdx_pool_limited(const rdx_pool *pool);

/* Call task(context, begin, end, worker) over disjoint pieces of [0, count), each at most `grain` long and starting
 * at a multiple of `grain`, on all workers; `worker` is below rdx_pool_threads(), and no two at work for this call have
 * the same. Returns when all is done. May be called from several threads at a time, and from inside a task: the workers
 * help one caller at a time, and the others do pieces themselves until it is their turn. Allocates nothing. */
void rdx_pool_run(rdx_pool *pool, uint64_t count, uint64_t grain, rdx_task_fn task, void *context);

/* The same, except that rdx_progress_at_times() is asked as `stage` (NULL: nobody), on the calling thread, between
 * pieces and while it waits, whether to go on. RDX_ERROR_CANCELLED: not all are done. */
RDX_MUST_USE rdx_status rdx_pool_run_stage(rdx_pool *pool, uint64_t count, uint64_t grain, rdx_task_fn task,
                                           void *context, const char *stage, rdx_error *err);

#endif
