/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Host memory, by the hook of the process. */

#include <ctype.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/base.h"
#include "base/reuse.h"

/* ---- Memory ---- */

/* Large blocks lie in large pages where the system has some: each new page costs a turn into the system, and arrays of
 * many millions of rows are made and given back all the time. */
#define LARGE_BLOCK (8ul << 20)

/* From the page on where the block begins, so that what the C library maps on its own stays one mapping. */
static void *standard_allocate(RDX_UNUSED void *user, size_t size) {
  void *memory = rdx_reuse_take(size);
  if (memory)
    return memory;
  memory = malloc(size);
  if (!memory && rdx_reuse_drop())
    memory = malloc(size);
  if (memory && size >= LARGE_BLOCK) {
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), before = (uintptr_t)memory % page;
    (void)madvise((char *)memory - before, before + size, MADV_HUGEPAGE); /* fails where there are none */
  }
  return memory;
}

static void standard_release(RDX_UNUSED void *user, void *memory) {
  if (!rdx_reuse_keep(memory))
    free(memory);
}

#define MAPPED_BLOCK (32ul << 20) /* the C library maps these on their own: they grow as their pages move */

static void *standard_reallocate(void *user, void *old, size_t size) {
  const size_t had = old ? malloc_usable_size(old) : 0;
  if (size < LARGE_BLOCK || size <= had || had >= MAPPED_BLOCK) {
    void *same = realloc(old, size);
    return same || !rdx_reuse_drop() ? same : realloc(old, size);
  }
  void *memory = standard_allocate(user, size);
  if (memory && old) {
    memcpy(memory, old, had);
    standard_release(user, old);
  }
  return memory;
}

static const rdx_allocator standard = {standard_allocate, standard_reallocate, standard_release, NULL};
static rdx_allocator current = {standard_allocate, standard_reallocate, standard_release, NULL};

void rdx_set_allocator(const rdx_allocator *allocator) {
  current = allocator ? *allocator : standard;
}

static rdx_status out_of_memory(size_t count, size_t size, const char *what, rdx_error *err) {
  char text[32];
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes))
    bytes = SIZE_MAX;
  return rdx_fail(err, RDX_ERROR_MEMORY, "host memory ran out: %s needs %s", what, rdx_format_bytes(bytes, text));
}

/* The bytes to ask for, never 0; false where they overflow. */
static bool total_size(size_t count, size_t size, size_t *total) {
  if (__builtin_mul_overflow(count, size, total))
    return false;
  *total += *total == 0;
  return true;
}

rdx_status rdx_alloc(size_t count, size_t size, const char *what, void **out, rdx_error *err) {
  size_t total;
  void *memory = total_size(count, size, &total) ? current.allocate(current.user, total) : NULL;
  if (!memory)
    return out_of_memory(count, size, what, err);
  *out = memory;
  return RDX_OK;
}

rdx_status rdx_calloc(size_t count, size_t size, const char *what, void **out, rdx_error *err) {
  RDX_TRY(rdx_alloc(count, size, what, out, err));
  memset(*out, 0, count * size);
  return RDX_OK;
}

rdx_status rdx_realloc(void **memory, size_t count, size_t size, const char *what, rdx_error *err) {
  size_t total;
  void *grown = total_size(count, size, &total) ? current.reallocate(current.user, *memory, total) : NULL;
  if (!grown)
    return out_of_memory(count, size, what, err);
  *memory = grown;
  return RDX_OK;
}

rdx_status rdx_reserve_one(void **array, uint32_t count, uint32_t *capacity, size_t size, const char *what,
                           rdx_error *err) {
  if (count < *capacity)
    return RDX_OK;
  const uint32_t grown = 2 * *capacity + 8;
  RDX_TRY(rdx_realloc(array, grown, size, what, err));
  *capacity = grown;
  return RDX_OK;
}

rdx_status rdx_copy_bytes(const char *bytes, size_t length, const char *what, char **out, rdx_error *err) {
  RDX_TRY(rdx_alloc(length + 1, 1, what, (void **)out, err));
  memcpy(*out, bytes, length);
  (*out)[length] = '\0';
  return RDX_OK;
}

rdx_status rdx_copy_text(const char *text, const char *what, char **out, rdx_error *err) {
  return rdx_copy_bytes(text, strlen(text), what, out, err);
}

void rdx_free(void *memory) {
  if (memory)
    current.release(current.user, memory);
}

void rdx_free_each(void *const *list, size_t count) {
  for (size_t i = 0; i < count; i++)
    rdx_free(list[i]);
}

void rdx_free_local(void *pointer) {
  void *memory;
  memcpy(&memory, pointer, sizeof memory);
  rdx_free(memory);
}

/* The number behind `name` in a file of lines "name number"; `none` where there is none. */
static uint64_t read_number(const char *path, const char *name, uint64_t none) {
  char line[256];
  uint64_t number = none;
  FILE *file = fopen(path, "r");
  while (file && number == none && fgets(line, sizeof line, file))
    if (strncmp(line, name, strlen(name)) == 0 &&
        isdigit((unsigned char)line[strlen(name) + strspn(line + strlen(name), " ")]))
      number = strtoull(line + strlen(name), NULL, 10);
  if (file)
    fclose(file);
  return number;
}

uint64_t rdx_host_memory_limit(void) {
  return read_number("/sys/fs/cgroup/memory.max", "", UINT64_MAX);
}

uint64_t rdx_host_memory_left(void) {
  const uint64_t available = read_number("/proc/meminfo", "MemAvailable:", UINT64_MAX / 1024) * 1024;
  const uint64_t limit = rdx_host_memory_limit();
  const uint64_t used = read_number("/sys/fs/cgroup/memory.stat", "anon", 0);
  const uint64_t of_group = limit > used ? limit - used : 0;
  return available < of_group ? available : of_group;
}

/* ---- Arenas: blocks from which memory is cut ---- */

#define ARENA_BLOCK 4096    /* bytes of the first block; others are four times as large as the one before them, up to */
#define ARENA_LARGEST 32768 /* unless one array needs more: allocators hold on to blocks of this size */
#define ARENA_ALIGNMENT 16

struct rdx_arena_block {
  struct rdx_arena_block *next;
  size_t used, size; /* of what follows */
  _Alignas(ARENA_ALIGNMENT) char memory[];
};

rdx_status rdx_arena_alloc(rdx_arena *arena, size_t count, size_t size, const char *what, void **out, rdx_error *err) {
  size_t need;
  if (__builtin_mul_overflow(count, size, &need) || need > SIZE_MAX / 2)
    return out_of_memory(count, size, what, err);
  need = (need + ARENA_ALIGNMENT - 1) / ARENA_ALIGNMENT * ARENA_ALIGNMENT;
  struct rdx_arena_block *block = arena->blocks;
  if (!block || need > block->size - block->used) {
    size_t capacity = block ? 4 * block->size : ARENA_BLOCK;
    capacity = capacity < ARENA_LARGEST ? capacity : ARENA_LARGEST;
    capacity = capacity < need ? need : capacity;
    RDX_TRY(rdx_alloc(1, sizeof *block + capacity, what, (void **)&block, err));
    *block = (struct rdx_arena_block){.next = arena->blocks, .size = capacity};
    arena->blocks = block;
  }
  *out = block->memory + block->used;
  block->used += need;
  return RDX_OK;
}

rdx_status rdx_arena_text(rdx_arena *arena, const char *text, const char *what, const char **out, rdx_error *err) {
  char *copy = NULL;
  RDX_TRY(rdx_arena_alloc(arena, strlen(text) + 1, 1, what, (void **)&copy, err));
  *out = strcpy(copy, text);
  return RDX_OK;
}

void rdx_arena_free(rdx_arena *arena) {
  for (struct rdx_arena_block *block = arena->blocks, *next; block; block = next) {
    next = block->next;
    rdx_free(block);
  }
  arena->blocks = NULL;
}
