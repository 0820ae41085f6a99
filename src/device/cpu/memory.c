/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Memory of the CPU device's buffers. Pages that are touched for the first time are cleared by the kernel, which takes
 * as long as some kernels that fill them: large blocks that are not needed any more are kept for the next buffer of
 * about that size. The system may take their pages back meanwhile. */

#include "device/cpu/cpu.h"

#include <string.h>
#include <sys/mman.h>

#define ALIGNMENT 256u
#define HUGE_PAGE (2u << 20)
#define PADDING 16u           /* Embree reads 16 bytes at each vertex, the last one included */
#define LARGE (4 * HUGE_PAGE) /* bytes of a block on huge pages */
#define MIN_KEPT (1u << 20)   /* bytes */
#define MAX_KEPT (1u << 29)
#define PAGE 4096u

/* AddressSanitizer is to see who uses what was freed: then no block is kept. */
#ifdef __SANITIZE_ADDRESS__
#define KEEPS false
#elif defined(__has_feature)
#define KEEPS !__has_feature(address_sanitizer)
#else
#define KEEPS true
#endif

static bool is_kept(uint64_t size) {
  return KEEPS && size >= MIN_KEPT && size <= MAX_KEPT;
}

static uint64_t alignment_of(uint64_t size) {
  return size >= LARGE ? HUGE_PAGE : size >= MIN_KEPT ? PAGE : ALIGNMENT;
}

uint64_t rdx_cpu_block_address(const rdx_cpu_block *block) {
  const uint64_t alignment = alignment_of(block->size);
  return ((uintptr_t)block->memory + alignment - 1) / alignment * alignment;
}

/* On whole pages of `page` bytes. */
static void advise(const rdx_cpu_block *block, int advice, uint64_t page) {
  const uint64_t size = block->size / page * page;
  madvise((void *)(uintptr_t)rdx_cpu_block_address(block), size, advice); /* only advice: failing is fine */
}

/* Take block `i` out of those that are kept. */
static rdx_cpu_block take(rdx_cpu_spares *s, uint32_t i) {
  const rdx_cpu_block block = s->blocks[i];
  s->bytes -= block.size;
  s->count--;
  memmove(&s->blocks[i], &s->blocks[i + 1], (s->count - i) * sizeof block);
  return block;
}

/* The smallest block for that size which does not waste a quarter of it. */
static bool find(rdx_cpu_spares *s, uint64_t size, rdx_cpu_block *out) {
  uint32_t best = RDX_CPU_SPARES;
  pthread_mutex_lock(&s->lock);
  for (uint32_t i = 0; i < s->count; i++)
    if (s->blocks[i].size >= size && s->blocks[i].size - size <= size / 4 &&
        (best == RDX_CPU_SPARES || s->blocks[i].size < s->blocks[best].size))
      best = i;
  if (best < RDX_CPU_SPARES)
    *out = take(s, best);
  pthread_mutex_unlock(&s->lock);
  return best < RDX_CPU_SPARES;
}

bool rdx_cpu_spares_drop(rdx_cpu_spares *s) {
  RDX_LOCKED(&s->lock);
  const bool any = s->count > 0;
  while (s->count > 0)
    rdx_free(take(s, 0).memory);
  return any;
}

rdx_status rdx_cpu_block_create(rdx_cpu_spares *s, uint64_t size, rdx_cpu_block *out, rdx_error *err) {
  if (is_kept(size) && find(s, size, out))
    return RDX_OK;
  out->size = size;
  const uint64_t capacity = size + alignment_of(size) + PADDING;
  rdx_status status = rdx_alloc(capacity, 1, "a buffer of the CPU device", &out->memory, err);
  if (status != RDX_OK && rdx_cpu_spares_drop(s)) /* memory is short: the rest of it is wanted back */
    status = rdx_alloc(capacity, 1, "a buffer of the CPU device", &out->memory, err);
  if (status == RDX_OK && size >= LARGE) /* random gathers run into the TLB */
    advise(out, MADV_HUGEPAGE, HUGE_PAGE);
  return status;
}

/* The oldest ones make room. */
void rdx_cpu_block_destroy(rdx_cpu_spares *s, rdx_cpu_block *block) {
  if (!is_kept(block->size)) {
    rdx_free(block->memory);
    return;
  }
  advise(block, MADV_FREE, PAGE);
  RDX_LOCKED(&s->lock);
  while (s->count == RDX_CPU_SPARES || s->bytes + block->size > MAX_KEPT)
    rdx_free(take(s, 0).memory);
  s->blocks[s->count++] = *block;
  s->bytes += block->size;
}
