/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Device memory: small buffers cut from blocks, large ones with memory of their own, which is kept for reuse when it is
 * freed (drivers take tens of milliseconds for a gigabyte); and the two staging buffers that fill and read them. Memory
 * has one VkBuffer over all of it, so that a buffer takes no call of the driver as a rule. */

#include <string.h>

#include "device/vulkan/vulkan.h"

#define BLOCK_SIZE (128ull << 20)
#define DEDICATED_SIZE (16ull << 20) /* from here on a buffer gets memory of its own */
#define ALIGNMENT 256ull
/* Of the device's memory so much is kept for reuse at most: what building a large scene takes. An allocation that fails
 * frees it all. */
#define SPARE_MAX(memory) ((memory) / 4 * 3)

/* A free stretch of a block; stretches are kept in order of offset and never touch. */
typedef struct stretch {
  uint64_t offset, size;
} stretch;

struct rdx_vk_block {
  rdx_vk_block *next;
  rdx_vk_memory memory;
  uint32_t stretch_count, stretch_capacity;
  stretch *stretches;
};

/* Memory of a large buffer that was destroyed. */
struct rdx_vk_spare {
  rdx_vk_spare *next;
  rdx_vk_memory memory;
};

static bool find_memory_type(const rdx_vk_device *d, uint32_t allowed, VkMemoryPropertyFlags wanted, uint32_t *out) {
  for (uint32_t i = 0; i < d->physical.memory.memoryTypeCount; i++) {
    if ((allowed & (1u << i)) && (d->physical.memory.memoryTypes[i].propertyFlags & wanted) == wanted) {
      *out = i;
      return true;
    }
  }
  return false;
}

/* ---- Memory for reuse ---- */

static void free_memory(rdx_vk_device *d, rdx_vk_memory *memory) {
  if (memory->buffer)
    d->fn.DestroyBuffer(d->handle, memory->buffer, NULL);
  if (memory->handle)
    d->fn.FreeMemory(d->handle, memory->handle, NULL);
  *memory = (rdx_vk_memory){0};
}

/* Take the smallest spare memory that is large enough, if at most a quarter of it would be wasted. */
static bool take_spare(rdx_vk_device *d, uint64_t size, rdx_vk_memory *out) {
  pthread_mutex_lock(&d->memory.lock);
  rdx_vk_spare **best = NULL;
  for (rdx_vk_spare **s = &d->memory.spares; *s; s = &(*s)->next) {
    const uint64_t has = (*s)->memory.size;
    if (has >= size && has - has / 4 <= size && (!best || has < (*best)->memory.size))
      best = s;
  }
  if (best) {
    rdx_vk_spare *spare = *best;
    *out = spare->memory;
    *best = spare->next;
    d->memory.spare_bytes -= out->size;
    rdx_free(spare);
  }
  pthread_mutex_unlock(&d->memory.lock);
  return best != NULL;
}

/* Free the spare memory that has waited longest. Call it with the lock held. */
static void free_oldest(rdx_vk_device *d) {
  rdx_vk_spare **last = &d->memory.spares;
  while ((*last)->next)
    last = &(*last)->next;
  d->memory.spare_bytes -= (*last)->memory.size;
  free_memory(d, &(*last)->memory);
  rdx_free(*last);
  *last = NULL;
}

/* Keep memory for later, in place of older memory where there is enough already. */
static void keep_spare(rdx_vk_device *d, rdx_vk_memory *memory) {
  const uint64_t max = SPARE_MAX(d->base.info.memory), size = memory->size;
  rdx_vk_spare *spare = NULL;
  pthread_mutex_lock(&d->memory.lock);
  if (size <= max && rdx_alloc(1, sizeof *spare, "spare memory", (void **)&spare, NULL) == RDX_OK) {
    while (d->memory.spares && d->memory.spare_bytes + size > max)
      free_oldest(d);
    *spare = (rdx_vk_spare){d->memory.spares, *memory};
    d->memory.spares = spare;
    d->memory.spare_bytes += size;
  }
  pthread_mutex_unlock(&d->memory.lock);
  if (!spare)
    free_memory(d, memory);
}

/* Free all spare memory; whether there was any. Call it with the lock held. */
static bool free_spares(rdx_vk_device *d) {
  const bool any = d->memory.spares != NULL;
  for (rdx_vk_spare *s = d->memory.spares, *next; s; s = next) {
    next = s->next;
    free_memory(d, &s->memory);
    rdx_free(s);
  }
  d->memory.spares = NULL;
  d->memory.spare_bytes = 0;
  return any;
}

/* ---- Allocation ---- */

/* Memory for one buffer. A driver that knows so chooses large pages: without it an H100 reads 12 GB in random order 200
 * times slower, and 3 GB three times. Call it with the lock held. */
static rdx_status allocate_memory(rdx_vk_device *d, uint64_t size, uint32_t type, VkBuffer buffer, bool address,
                                  VkDeviceMemory *out, rdx_error *err) {
  const VkMemoryDedicatedAllocateInfo dedicated = {.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
                                                   .buffer = buffer};
  const VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                           .pNext = &dedicated,
                                           .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
  const VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                     .pNext = address ? (const void *)&flags : &dedicated,
                                     .allocationSize = size,
                                     .memoryTypeIndex = type};
  VkResult result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
  do
    result = d->fn.AllocateMemory(d->handle, &info, NULL, out);
  while ((result == VK_ERROR_OUT_OF_DEVICE_MEMORY || result == VK_ERROR_TOO_MANY_OBJECTS) && free_spares(d));
  if (result == VK_ERROR_OUT_OF_DEVICE_MEMORY || result == VK_ERROR_OUT_OF_HOST_MEMORY) {
    char a[32], b[32], c[32];
    return rdx_fail(
        err, RDX_ERROR_DEVICE_MEMORY,
        "%s has no room for %s more: Raydex holds %s of its %s, other programs may hold the rest; use fewer rows",
        d->base.info.name, rdx_format_bytes(size, a), rdx_format_bytes(d->base.memory_used, b),
        rdx_format_bytes(d->base.info.memory, c));
  }
  return rdx_vk_check(result, "allocating device memory", err);
}

static rdx_status back_buffer(rdx_vk_device *d, rdx_vk_memory *m, rdx_error *err) {
  VkMemoryRequirements needs;
  uint32_t type = 0;
  d->fn.GetBufferMemoryRequirements(d->handle, m->buffer, &needs);
  if (!find_memory_type(d, needs.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, &type))
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "%s has no device-local memory for buffers", d->base.info.name);
  RDX_TRY(allocate_memory(d, needs.size, type, m->buffer, true, &m->handle, err));
  return rdx_vk_check(d->fn.BindBufferMemory(d->handle, m->buffer, m->handle, 0), "binding device memory", err);
}

/* The same, under a buffer for all uses that kernels have. On failure nothing is left to free. */
static rdx_status create_memory(rdx_vk_device *d, uint64_t size, rdx_vk_memory *out, rdx_error *err) {
  VkBufferUsageFlags usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                             VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  if (d->physical.ray_tracing)
    usage |= VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_BIT_KHR |
             VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_STORAGE_BIT_KHR | VK_BUFFER_USAGE_SHADER_BINDING_TABLE_BIT_KHR;
  const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                   .size = size,
                                   .usage = usage,
                                   .sharingMode = VK_SHARING_MODE_EXCLUSIVE};
  rdx_vk_memory m = {.size = size};
  RDX_TRY(rdx_vk_check(d->fn.CreateBuffer(d->handle, &info, NULL, &m.buffer), "creating a buffer", err));
  const rdx_status status = back_buffer(d, &m, err);
  if (status != RDX_OK) {
    free_memory(d, &m);
    return status;
  }
  m.address = d->fn.GetBufferDeviceAddress(
      d->handle,
      &(VkBufferDeviceAddressInfo){.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = m.buffer});
  *out = m;
  return RDX_OK;
}

/* Take `size` bytes of the first stretch that has them. */
static bool block_take(rdx_vk_block *block, uint64_t size, uint64_t *offset) {
  for (uint32_t i = 0; i < block->stretch_count; i++) {
    stretch *s = &block->stretches[i];
    if (s->size < size)
      continue;
    *offset = s->offset;
    s->offset += size;
    s->size -= size;
    if (s->size == 0) {
      block->stretch_count--;
      memmove(s, s + 1, (block->stretch_count - i) * sizeof *s);
    }
    return true;
  }
  return false;
}

/* Give a stretch back, joining it with its neighbours. The array always has room: see block_reserve(). */
static void block_give(rdx_vk_block *block, uint64_t offset, uint64_t size) {
  uint32_t i = 0;
  while (i < block->stretch_count && block->stretches[i].offset < offset)
    i++;
  memmove(&block->stretches[i + 1], &block->stretches[i], (block->stretch_count - i) * sizeof(stretch));
  block->stretches[i] = (stretch){offset, size};
  block->stretch_count++;
  for (uint32_t k = i + 1; k >= i && k > 0; k--) {
    stretch *left = &block->stretches[k - 1], *right = &block->stretches[k];
    if (k < block->stretch_count && left->offset + left->size == right->offset) {
      left->size += right->size;
      block->stretch_count--;
      memmove(right, right + 1, (block->stretch_count - k) * sizeof(stretch));
    }
  }
}

static rdx_status block_create(rdx_vk_device *d, rdx_vk_block **out, rdx_error *err) {
  rdx_vk_block *block = NULL;
  RDX_TRY(rdx_calloc(1, sizeof *block, "a memory block", (void **)&block, err));
  /* Free stretches never touch, so there are at most half as many as ALIGNMENT-sized pieces; most blocks need few. */
  block->stretch_capacity = BLOCK_SIZE / ALIGNMENT / 2 + 2;
  rdx_status status =
      rdx_alloc(block->stretch_capacity, sizeof(stretch), "a memory block", (void **)&block->stretches, err);
  if (status == RDX_OK)
    status = create_memory(d, BLOCK_SIZE, &block->memory, err);
  if (status != RDX_OK) {
    RDX_FREE_ALL(block->stretches, block);
    return status;
  }
  block->stretches[0] = (stretch){0, BLOCK_SIZE};
  block->stretch_count = 1;
  *out = block;
  return RDX_OK;
}

static rdx_status sub_allocate(rdx_vk_device *d, rdx_vk_buffer *b, rdx_error *err) {
  RDX_LOCKED(&d->memory.lock);
  rdx_vk_block *block = d->memory.blocks;
  while (block && !block_take(block, b->reserved, &b->offset))
    block = block->next;
  if (!block) {
    RDX_TRY(block_create(d, &block, err));
    block->next = d->memory.blocks;
    d->memory.blocks = block;
    block_take(block, b->reserved, &b->offset);
  }
  b->block = block;
  b->memory = block->memory;
  return RDX_OK;
}

static rdx_status allocate_dedicated(rdx_vk_device *d, rdx_vk_buffer *b, rdx_error *err) {
  if (take_spare(d, b->reserved, &b->memory))
    return RDX_OK;
  RDX_LOCKED(&d->memory.lock);
  return create_memory(d, b->reserved, &b->memory, err);
}

rdx_status rdx_vk_buffer_create(rdx_device *device, uint64_t size, rdx_buffer **out, rdx_error *err) {
  rdx_vk_device *d = (rdx_vk_device *)device;
  rdx_vk_buffer *b = NULL;
  RDX_TRY(rdx_calloc(1, sizeof *b, "a buffer", (void **)&b, err));
  b->base.device = device;
  b->reserved = size == 0 ? ALIGNMENT : (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  const rdx_status status = b->reserved >= DEDICATED_SIZE ? allocate_dedicated(d, b, err) : sub_allocate(d, b, err);
  if (status != RDX_OK) {
    rdx_free(b);
    return status;
  }
  b->base.address = b->memory.address + b->offset;
  *out = &b->base;
  return RDX_OK;
}

void rdx_vk_buffer_destroy(rdx_buffer *buffer) {
  rdx_vk_buffer *b = (rdx_vk_buffer *)buffer;
  rdx_vk_device *d = (rdx_vk_device *)buffer->device;
  if (b->block) {
    pthread_mutex_lock(&d->memory.lock);
    block_give(b->block, b->offset, b->reserved);
    pthread_mutex_unlock(&d->memory.lock);
  } else {
    keep_spare(d, &b->memory);
  }
  rdx_free(b);
}

void rdx_vk_memory_destroy(rdx_vk_device *d) {
  free_spares(d);
  for (rdx_vk_block *block = d->memory.blocks, *next; block; block = next) {
    next = block->next;
    free_memory(d, &block->memory);
    RDX_FREE_ALL(block->stretches, block);
  }
  d->memory.blocks = NULL;
}

/* ---- Staging ---- */

/* A buffer with memory of its own, of the first of some kinds that there is; mapped where the host can see it. */
static rdx_status create_own(rdx_vk_device *d, uint64_t size, VkBufferUsageFlags usage,
                             const VkMemoryPropertyFlags *kinds, uint32_t kind_count, rdx_vk_host_buffer *b,
                             rdx_error *err) {
  const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                   .size = size,
                                   .usage = usage,
                                   .sharingMode = VK_SHARING_MODE_EXCLUSIVE};
  const bool addressed = (usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) != 0;
  RDX_TRY(rdx_vk_check(d->fn.CreateBuffer(d->handle, &info, NULL, &b->handle), "creating a staging buffer", err));
  VkMemoryRequirements needs;
  d->fn.GetBufferMemoryRequirements(d->handle, b->handle, &needs);
  rdx_status status = RDX_ERROR_UNSUPPORTED;
  uint32_t kind = 0;
  for (; kind < kind_count && status != RDX_OK; kind++) { /* small heaps may be full */
    uint32_t type = 0;
    if (!find_memory_type(d, needs.memoryTypeBits, kinds[kind], &type))
      continue;
    pthread_mutex_lock(&d->memory.lock);
    status = allocate_memory(d, needs.size, type, b->handle, addressed, &b->memory, err);
    pthread_mutex_unlock(&d->memory.lock);
  }
  if (status == RDX_ERROR_UNSUPPORTED)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "%s has no memory that the host can see", d->base.info.name);
  RDX_TRY(status);
  kind--;
  RDX_TRY(rdx_vk_check(d->fn.BindBufferMemory(d->handle, b->handle, b->memory, 0), "binding a staging buffer", err));
  if (addressed)
    b->address = d->fn.GetBufferDeviceAddress(
        d->handle,
        &(VkBufferDeviceAddressInfo){.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = b->handle});
  if ((kinds[kind] & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) == 0)
    return RDX_OK;
  return rdx_vk_check(d->fn.MapMemory(d->handle, b->memory, 0, VK_WHOLE_SIZE, 0, &b->mapped),
                      "mapping a staging buffer", err);
}

#define COHERENT (VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)

rdx_status rdx_vk_host_buffer_create(rdx_vk_device *d, uint64_t size, rdx_vk_host_buffer *b, rdx_error *err) {
  /* Cached memory makes downloads fast; every driver has plain coherent memory. */
  static const VkMemoryPropertyFlags kinds[] = {COHERENT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, COHERENT};
  return create_own(d, size, VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, kinds, 2, b, err);
}

rdx_status rdx_vk_constants_create(rdx_vk_device *d, uint64_t size, rdx_vk_host_buffer *b, rdx_error *err) {
  static const VkMemoryPropertyFlags kinds[] = {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | COHERENT,
                                                VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT};
  const VkBufferUsageFlags usage =
      VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  return create_own(d, size, usage, kinds, 2, b, err);
}

void rdx_vk_host_buffer_destroy(rdx_vk_device *d, rdx_vk_host_buffer *b) {
  if (b->handle)
    d->fn.DestroyBuffer(d->handle, b->handle, NULL);
  if (b->memory)
    d->fn.FreeMemory(d->handle, b->memory, NULL);
  *b = (rdx_vk_host_buffer){0};
}

rdx_status rdx_vk_staging_create(rdx_vk_device *d, rdx_error *err) {
  rdx_vk_staging *s = &d->staging;
  const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                        .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                        .queueFamilyIndex = d->physical.queue_family};
  RDX_TRY(rdx_vk_check(d->fn.CreateCommandPool(d->handle, &pool, NULL, &s->pool), "creating a command pool", err));
  const VkCommandBufferAllocateInfo commands = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                .commandPool = s->pool,
                                                .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                .commandBufferCount = 2};
  RDX_TRY(
      rdx_vk_check(d->fn.AllocateCommandBuffers(d->handle, &commands, s->commands), "creating command buffers", err));
  for (uint32_t i = 0; i < 2; i++) {
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    RDX_TRY(rdx_vk_check(d->fn.CreateFence(d->handle, &fence, NULL, &s->fences[i]), "creating a fence", err));
    RDX_TRY(rdx_vk_host_buffer_create(d, RDX_VK_STAGING_SIZE, &s->buffers[i], err));
  }
  return RDX_OK;
}

void rdx_vk_staging_destroy(rdx_vk_device *d) {
  rdx_vk_staging *s = &d->staging;
  for (uint32_t i = 0; i < 2; i++) {
    if (s->fences[i])
      d->fn.DestroyFence(d->handle, s->fences[i], NULL);
    rdx_vk_host_buffer_destroy(d, &s->buffers[i]);
  }
  if (s->pool)
    d->fn.DestroyCommandPool(d->handle, s->pool, NULL);
}

static rdx_status submit_copy(rdx_vk_device *d, uint32_t i, VkBuffer from, uint64_t from_offset, VkBuffer to,
                              uint64_t to_offset, uint64_t size, rdx_error *err) {
  VkCommandBuffer commands = d->staging.commands[i];
  const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                          .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
  RDX_TRY(rdx_vk_check(d->fn.BeginCommandBuffer(commands, &begin), "recording a copy", err));
  rdx_vk_barrier(d, commands, false);
  const VkBufferCopy region = {.srcOffset = from_offset, .dstOffset = to_offset, .size = size};
  d->fn.CmdCopyBuffer(commands, from, to, 1, &region);
  rdx_vk_barrier(d, commands, true);
  RDX_TRY(rdx_vk_check(d->fn.EndCommandBuffer(commands), "recording a copy", err));
  return rdx_vk_submit(d, commands, d->staging.fences[i], err);
}

/* Move `size` bytes in chunks, the host working on one staging buffer while the device works on the other. */
static rdx_status transfer(rdx_vk_device *d, const rdx_vk_buffer *b, uint64_t offset, char *host, uint64_t size,
                           bool upload, rdx_error *err) {
  const uint64_t chunk = RDX_VK_STAGING_SIZE;
  const uint64_t chunks = (size + chunk - 1) / chunk;
  rdx_status status = RDX_OK;
  uint64_t submitted = 0, done = 0;
  RDX_LOCKED(&d->staging.lock);
  while (status == RDX_OK && done < chunks) {
    if (submitted < chunks && submitted < done + 2) {
      const uint32_t i = submitted % 2;
      const uint64_t at = submitted * chunk, n = size - at < chunk ? size - at : chunk;
      status = at > 0 ? rdx_progress_at_times(upload ? "upload" : "download", at, size, err) : RDX_OK;
      if (status != RDX_OK)
        break;
      if (upload)
        rdx_device_copy_on_host(&d->base, d->staging.buffers[i].mapped, host + at, n);
      const VkBuffer stage = d->staging.buffers[i].handle, buffer = b->memory.buffer;
      status = upload ? submit_copy(d, i, stage, 0, buffer, b->offset + offset + at, n, err)
                      : submit_copy(d, i, buffer, b->offset + offset + at, stage, 0, n, err);
      submitted += status == RDX_OK;
    } else {
      const uint32_t i = done % 2;
      const uint64_t at = done * chunk, n = size - at < chunk ? size - at : chunk;
      status = rdx_vk_wait(d, d->staging.fences[i], err);
      if (status == RDX_OK && !upload)
        rdx_device_copy_on_host(&d->base, host + at, d->staging.buffers[i].mapped, n);
      done++;
    }
  }
  for (; done < submitted; done++) /* after a failure: leave no copy in flight */
    if (rdx_vk_wait(d, d->staging.fences[done % 2], NULL) != RDX_OK)
      break;
  return status;
}

rdx_status rdx_vk_buffer_upload(rdx_buffer *buffer, uint64_t offset, const void *source, uint64_t size,
                                rdx_error *err) {
  return transfer((rdx_vk_device *)buffer->device, (rdx_vk_buffer *)buffer, offset, (char *)(uintptr_t)source, size,
                  true, err);
}

rdx_status rdx_vk_buffer_download(const rdx_buffer *buffer, uint64_t offset, void *target, uint64_t size,
                                  rdx_error *err) {
  return transfer((rdx_vk_device *)buffer->device, (const rdx_vk_buffer *)buffer, offset, target, size, false, err);
}
