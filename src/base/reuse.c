/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Pages that are touched for the first time are cleared by the kernel, which takes as long as much of what fills them:
 * large blocks that are freed are kept for the next ones of about that size. The system may take their pages back
 * meanwhile. */

#include "base/reuse.h"

#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/base.h"

#define MIN_KEPT (1ul << 20)   /* bytes of a block */
#define MAX_BLOCK (96ul << 20) /* of larger ones it may take too long to offer the pages */
#define MAX_KEPT (1ul << 30)   /* bytes of all */
#define MEMORY_SHARE 8u        /* of what the machine or the control group has, all are no more than this part */
#define MAX_BLOCKS 32u
#define HUGE_PAGE ((uintptr_t)2 << 20)

/* AddressSanitizer is to see who uses what was freed: then no block is kept. */
#ifdef __SANITIZE_ADDRESS__
#define KEEPS false
#elif defined(__has_feature)
#define KEEPS !__has_feature(address_sanitizer)
#else
#define KEEPS true
#endif

/* The oldest first. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *blocks[MAX_BLOCKS];
static uint32_t count;
static size_t bytes, max_bytes;

static void *take(uint32_t i) {
  void *memory = blocks[i];
  bytes -= malloc_usable_size(memory);
  count--;
  memmove(&blocks[i], &blocks[i + 1], (count - i) * sizeof *blocks);
  return memory;
}

/* The smallest block for that size which does not waste a quarter of it. */
void *rdx_reuse_take(size_t size) {
  uint32_t best = MAX_BLOCKS;
  size_t best_size = size + size / 4 + 1;
  if (!KEEPS || size < MIN_KEPT)
    return NULL;
  RDX_LOCKED(&lock);
  for (uint32_t i = 0; i < count; i++) {
    const size_t has = malloc_usable_size(blocks[i]);
    if (has < size || has >= best_size)
      continue;
    best = i;
    best_size = has;
  }
  return best < MAX_BLOCKS ? take(best) : NULL;
}

/* Leave pages to the system until they are written to again: whole huge ones, of which a part would be split off, which
 * takes as long as clearing it. */
static void offer_pages(void *memory, size_t size) {
  const uintptr_t begin = ((uintptr_t)memory + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
  const uintptr_t end = ((uintptr_t)memory + size) & ~(HUGE_PAGE - 1);
  if (begin < end)
    (void)madvise((char *)memory + (begin - (uintptr_t)memory), end - begin, MADV_FREE); /* only advice: may fail */
}

static size_t find_max(void) {
  const uint64_t pages = (uint64_t)sysconf(_SC_PHYS_PAGES), machine = pages * (uint64_t)sysconf(_SC_PAGESIZE);
  const uint64_t group = rdx_host_memory_limit(), share = (machine < group ? machine : group) / MEMORY_SHARE;
  return share < MAX_KEPT ? share : MAX_KEPT;
}

/* Pages that the system takes back count against limits of the process all the same, and other libraries that run into
 * these do not know whom to ask. */
static bool is_limited(void) {
  struct rlimit space, data;
  return (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) ||
         (getrlimit(RLIMIT_DATA, &data) == 0 && data.rlim_cur != RLIM_INFINITY);
}

bool rdx_reuse_keep(void *memory) {
  const size_t size = malloc_usable_size(memory);
  if (!KEEPS || size < MIN_KEPT || size > MAX_BLOCK || is_limited())
    return false;
  RDX_LOCKED(&lock);
  if (max_bytes == 0)
    max_bytes = find_max();
  if (size > max_bytes)
    return false;
  while (count == MAX_BLOCKS || bytes + size > max_bytes)
    free(take(0));
  offer_pages(memory, size);
  blocks[count++] = memory;
  bytes += size;
  return true;
}

bool rdx_reuse_drop(void) {
  RDX_LOCKED(&lock);
  const bool any = count > 0;
  while (count > 0)
    free(take(0));
  return any;
}
