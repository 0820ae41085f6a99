/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

#include "base/mapped.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define WATCHES 256 /* files that are open at a time; more are not mapped */
#define NO_WATCH UINT32_MAX

/* A mapping that the handler looks after. */
typedef struct watch {
  _Atomic uintptr_t begin, end; /* 0: free */
  atomic_bool cut;              /* a part of it is missing */
} watch;

static watch watches[WATCHES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* for who takes and frees watches */
static uint32_t watch_count;
static struct sigaction before;
static _Atomic uintptr_t page_size; /* set before the handler is */

/* Zeros for what is missing from `address` on; false: it is in no mapping of ours. */
static bool fill(uintptr_t address) {
  const uintptr_t page = address / page_size * page_size;
  for (uint32_t i = 0; i < WATCHES; i++) {
    watch *w = &watches[i];
    const uintptr_t begin = atomic_load(&w->begin), end = atomic_load(&w->end);
    if (address < begin || address >= end)
      continue;
    atomic_store(&w->cut, true);
    return mmap((void *)page, end - page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
  }
  return false;
}

static void on_bus_error(int number, siginfo_t *info, void *context) {
  const int saved = errno;
  if (!fill((uintptr_t)info->si_addr)) {
    if (before.sa_flags & SA_SIGINFO)
      before.sa_sigaction(number, info, context);
    else if (before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN)
      signal(number, SIG_DFL); /* what was to be read is read again, and the signal comes again */
    else
      before.sa_handler(number);
  }
  errno = saved;
}

static uint32_t add_watch(const void *data, uint64_t size) {
  uint32_t place = 0;
  pthread_mutex_lock(&lock);
  while (place < WATCHES && atomic_load(&watches[place].end) != 0)
    place++;
  if (place < WATCHES && watch_count++ == 0) {
    struct sigaction own = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO};
    atomic_store(&page_size, (uintptr_t)sysconf(_SC_PAGESIZE));
    sigaction(SIGBUS, &own, &before);
  }
  if (place < WATCHES) {
    atomic_store(&watches[place].cut, false);
    atomic_store(&watches[place].begin, (uintptr_t)data);
    atomic_store(&watches[place].end, (uintptr_t)data + size);
  }
  pthread_mutex_unlock(&lock);
  return place < WATCHES ? place : NO_WATCH;
}

/* A handler that was set after ours stays. */
static void drop_watch(uint32_t place) {
  struct sigaction now;
  RDX_LOCKED(&lock);
  atomic_store(&watches[place].end, 0);
  atomic_store(&watches[place].begin, 0);
  if (--watch_count == 0 && sigaction(SIGBUS, NULL, &now) == 0 && now.sa_flags & SA_SIGINFO &&
      now.sa_sigaction == on_bus_error)
    sigaction(SIGBUS, &before, NULL);
}

rdx_status rdx_mapped_open(int file, const char *path, rdx_mapped *out, rdx_error *err) {
  struct stat info;
  *out = (rdx_mapped){.file = -1, .watch = NO_WATCH};
  if (fstat(file, &info) != 0)
    return rdx_fail(err, RDX_ERROR_IO, "cannot read %s: %s", path, strerror(errno));
  if (!S_ISREG(info.st_mode) || info.st_size == 0)
    return RDX_OK;
  const uint64_t size = (uint64_t)info.st_size;
  void *data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
  const uint32_t place = data != MAP_FAILED ? add_watch(data, size) : NO_WATCH;
  if (data != MAP_FAILED && place == NO_WATCH)
    munmap(data, size);
  if (place != NO_WATCH)
    *out = (rdx_mapped){.data = data, .size = size, .file = file, .written = info.st_mtim, .watch = place};
  return RDX_OK;
}

rdx_status rdx_mapped_check(const rdx_mapped *m, const char *path, rdx_error *err) {
  struct stat info;
  if (m->watch == NO_WATCH)
    return RDX_OK;
  if (fstat(m->file, &info) != 0)
    return rdx_fail(err, RDX_ERROR_IO, "cannot read %s: %s", path, strerror(errno));
  const uint64_t size = (uint64_t)info.st_size;
  if (size != m->size)
    return rdx_fail(err, RDX_ERROR_IO,
                    "%s has become %s while it was read, %llu bytes instead of %llu: read it when nobody writes to it, "
                    "or a copy",
                    path, size < m->size ? "shorter" : "longer", (unsigned long long)size, (unsigned long long)m->size);
  if (atomic_load(&watches[m->watch].cut) || info.st_mtim.tv_sec != m->written.tv_sec ||
      info.st_mtim.tv_nsec != m->written.tv_nsec)
    return rdx_fail(err, RDX_ERROR_IO,
                    "%s was written to while it was read: read it when nobody writes to it, or a copy", path);
  return RDX_OK;
}

static void stop_watching(rdx_mapped *m) {
  if (m->watch == NO_WATCH)
    return;
  drop_watch(m->watch);
  m->watch = NO_WATCH;
  close(m->file);
  m->file = -1;
}

rdx_status rdx_mapped_settle(rdx_mapped *m, const char *path, rdx_error *err) {
  const rdx_status status = rdx_mapped_check(m, path, err);
  stop_watching(m);
  return status;
}

void rdx_mapped_close(rdx_mapped *m) {
  if (!m->data)
    return;
  stop_watching(m);
  munmap((void *)(uintptr_t)m->data, m->size);
  *m = (rdx_mapped){.file = -1, .watch = NO_WATCH};
}
