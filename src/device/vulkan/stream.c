/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Streams: commands recorded in order, run by finish. */

#include <string.h>

#include "device/vulkan/vulkan.h"

static rdx_status create_parts(rdx_vk_device *d, rdx_vk_stream *s, rdx_error *err) {
  const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                        .flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT,
                                        .queueFamilyIndex = d->physical.queue_family};
  RDX_TRY(rdx_vk_check(d->fn.CreateCommandPool(d->handle, &pool, NULL, &s->pool), "creating a command pool", err));
  const VkCommandBufferAllocateInfo commands = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                .commandPool = s->pool,
                                                .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                .commandBufferCount = 1};
  RDX_TRY(
      rdx_vk_check(d->fn.AllocateCommandBuffers(d->handle, &commands, &s->commands), "creating a command buffer", err));
  const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  RDX_TRY(rdx_vk_check(d->fn.CreateFence(d->handle, &fence, NULL, &s->fence), "creating a fence", err));
  const VkQueryPoolCreateInfo queries = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                         .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                         .queryCount = RDX_MAX_MARKS};
  return rdx_vk_check(d->fn.CreateQueryPool(d->handle, &queries, NULL, &s->queries), "creating queries", err);
}

static void destroy_parts(rdx_vk_device *d, rdx_vk_stream *s) {
  rdx_vk_host_buffer_destroy(d, &s->constants);
  rdx_vk_host_buffer_destroy(d, &s->reads);
  if (s->queries)
    d->fn.DestroyQueryPool(d->handle, s->queries, NULL);
  if (s->fence)
    d->fn.DestroyFence(d->handle, s->fence, NULL);
  if (s->pool)
    d->fn.DestroyCommandPool(d->handle, s->pool, NULL);
  rdx_free(s);
}

static rdx_vk_stream *take_spare(rdx_vk_device *d) {
  RDX_LOCKED(&d->streams_lock);
  rdx_vk_stream *s = d->spare_streams;
  if (s) {
    d->spare_streams = s->next_spare;
    d->spare_stream_count--;
  }
  return s;
}

rdx_status rdx_vk_stream_create(rdx_device *device, rdx_stream **out, rdx_error *err) {
  rdx_vk_device *d = (rdx_vk_device *)device;
  rdx_vk_stream *s = take_spare(d);
  if (!s) {
    RDX_TRY(rdx_calloc(1, sizeof *s, "a stream", (void **)&s, err));
    s->base.device = device;
    const rdx_status status = create_parts(d, s, err);
    if (status != RDX_OK) {
      destroy_parts(d, s);
      return status;
    }
  }
  *out = &s->base;
  return RDX_OK;
}

void rdx_vk_stream_destroy(rdx_stream *stream) {
  enum { MAX_SPARES = 8 };
  rdx_vk_stream *s = (rdx_vk_stream *)stream;
  rdx_vk_device *d = (rdx_vk_device *)stream->device;
  *stream = (rdx_stream){.device = stream->device};
  s->recording = false;
  s->constants_used = 0;
  pthread_mutex_lock(&d->streams_lock);
  const bool keep = !s->broken && d->spare_stream_count < MAX_SPARES;
  if (keep) {
    s->next_spare = d->spare_streams;
    d->spare_streams = s;
    d->spare_stream_count++;
  }
  pthread_mutex_unlock(&d->streams_lock);
  if (!keep)
    destroy_parts(d, s);
}

void rdx_vk_streams_destroy(rdx_vk_device *d) {
  for (rdx_vk_stream *s = take_spare(d); s; s = take_spare(d))
    destroy_parts(d, s);
}

#define PLAIN_STAGES (VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT)
#define PLAIN_WRITES (VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT)

void rdx_vk_barrier(const rdx_vk_device *d, VkCommandBuffer commands, bool for_host) {
  const VkPipelineStageFlags stages =
      PLAIN_STAGES | (d->physical.ray_tracing ? VK_PIPELINE_STAGE_RAY_TRACING_SHADER_BIT_KHR : 0u);
  const VkAccessFlags reads = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT;
  const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                   .srcAccessMask = PLAIN_WRITES,
                                   .dstAccessMask = reads | PLAIN_WRITES | (for_host ? VK_ACCESS_HOST_READ_BIT : 0u)};
  d->fn.CmdPipelineBarrier(commands, stages, stages | (for_host ? VK_PIPELINE_STAGE_HOST_BIT : 0u), 0, 1, &barrier, 0,
                           NULL, 0, NULL);
}

void rdx_vk_barrier_scene(const rdx_vk_device *d, VkCommandBuffer commands) {
  const VkPipelineStageFlags stages =
      VK_PIPELINE_STAGE_RAY_TRACING_SHADER_BIT_KHR | VK_PIPELINE_STAGE_ACCELERATION_STRUCTURE_BUILD_BIT_KHR;
  const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                   .srcAccessMask = PLAIN_WRITES | VK_ACCESS_ACCELERATION_STRUCTURE_WRITE_BIT_KHR,
                                   .dstAccessMask = VK_ACCESS_SHADER_READ_BIT |
                                                    VK_ACCESS_ACCELERATION_STRUCTURE_READ_BIT_KHR |
                                                    VK_ACCESS_ACCELERATION_STRUCTURE_WRITE_BIT_KHR};
  d->fn.CmdPipelineBarrier(commands, PLAIN_STAGES | stages, stages, 0, 1, &barrier, 0, NULL, 0, NULL);
}

/* Start recording unless it has been started: what follows comes after all that was submitted before. */
static rdx_status begin_recording(rdx_vk_stream *s, rdx_error *err) {
  if (s->recording)
    return RDX_OK;
  rdx_vk_device *d = (rdx_vk_device *)s->base.device;
  RDX_TRY(rdx_vk_check(d->fn.ResetCommandPool(d->handle, s->pool, 0), "recording commands", err));
  const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                          .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
  RDX_TRY(rdx_vk_check(d->fn.BeginCommandBuffer(s->commands, &begin), "recording commands", err));
  d->fn.ResetQueryPool(d->handle, s->queries, 0, RDX_MAX_MARKS);
  rdx_vk_barrier(d, s->commands, false);
  s->recording = true;
  s->working = false;
  s->base.mark_count = 0;
  return RDX_OK;
}

rdx_status rdx_vk_stream_next(rdx_vk_stream *s, rdx_error *err) {
  RDX_TRY(begin_recording(s, err));
  if (s->working)
    rdx_vk_barrier((rdx_vk_device *)s->base.device, s->commands, false);
  s->working = true;
  return RDX_OK;
}

typedef struct launch_header {
  uint64_t scene;
  uint32_t first, count;
} launch_header;

/* Launches of no more than this leave most of a GPU idle anyway; these threads keep it busy. */
#define FEW_ITEMS 2048u
#define ENOUGH_THREADS (1u << 18)
#define ENOUGH_EMULATED 4u

static uint64_t launch_limit(const rdx_vk_device *d, const rdx_kernel *kernel) {
  const uint64_t asked = d->base.launch_limit ? d->base.launch_limit : UINT32_MAX;
  if (!kernel->compute)
    return asked < d->physical.info.max_rays ? asked : d->physical.info.max_rays;
  const uint64_t groups = asked / kernel->group > 0 ? asked / kernel->group : 1;
  return (groups < d->physical.max_groups ? groups : d->physical.max_groups) * kernel->group;
}

/* How wide a launch of rays is. */
static uint32_t threads_of(const rdx_vk_device *d, const rdx_kernel *kernel, uint64_t items) {
  const uint64_t enough = d->physical.info.emulated ? ENOUGH_EMULATED : ENOUGH_THREADS;
  if (kernel->subgroup_per_item && items <= FEW_ITEMS)
    return (uint32_t)items * d->physical.subgroup_size;
  return (uint32_t)(kernel->items_per_thread > 1 && items >= kernel->items_per_thread * enough
                        ? (items + kernel->items_per_thread - 1) / kernel->items_per_thread
                        : items);
}

rdx_status rdx_vk_stream_launch(rdx_stream *stream, const rdx_kernel *kernel, const void *args, const uint32_t *variant,
                                uint64_t count, const rdx_scene *scene, rdx_error *err) {
  rdx_vk_stream *s = (rdx_vk_stream *)stream;
  rdx_vk_device *d = (rdx_vk_device *)stream->device;
  const rdx_vk_pipeline *pipeline = NULL;
  RDX_TRY(rdx_vk_pipeline_get(d, kernel, variant, &pipeline, err));
  RDX_TRY(rdx_vk_stream_next(s, err));
  const bool compute = kernel->compute != NULL;
  d->fn.CmdBindPipeline(s->commands, compute ? VK_PIPELINE_BIND_POINT_COMPUTE : VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR,
                        pipeline->handle);
  uint8_t pushed[RDX_MAX_ARGS] = {0};
  memcpy(pushed, args, kernel->args_size);
  const uint64_t limit = launch_limit(d, kernel);
  for (uint64_t first = 0; first < count; first += limit) {
    const uint64_t n = count - first < limit ? count - first : limit;
    const launch_header header = {scene ? scene->address : 0, (uint32_t)first, (uint32_t)n};
    memcpy(pushed, &header, sizeof header);
    d->fn.CmdPushConstants(s->commands, d->layout, d->push_stages, 0, (kernel->args_size + 3) / 4 * 4, pushed);
    if (compute) {
      d->fn.CmdDispatch(s->commands, (uint32_t)((n + kernel->group - 1) / kernel->group), 1, 1);
    } else {
      const VkStridedDeviceAddressRegionKHR none = {0};
      d->fn.CmdTraceRaysKHR(s->commands, &pipeline->raygen, &pipeline->miss, &pipeline->hit, &none,
                            threads_of(d, kernel, n), 1, 1);
    }
  }
  return RDX_OK;
}

rdx_status rdx_vk_stream_fill(rdx_stream *stream, rdx_buffer *buffer, uint64_t offset, uint64_t size, uint32_t value,
                              rdx_error *err) {
  rdx_vk_stream *s = (rdx_vk_stream *)stream;
  RDX_TRY(rdx_vk_stream_next(s, err));
  const rdx_vk_buffer *b = (rdx_vk_buffer *)buffer;
  ((rdx_vk_device *)stream->device)->fn.CmdFillBuffer(s->commands, b->memory.buffer, b->offset + offset, size, value);
  return RDX_OK;
}

rdx_status rdx_vk_stream_copy(rdx_stream *stream, const rdx_buffer *source, uint64_t source_offset, rdx_buffer *target,
                              uint64_t target_offset, uint64_t size, rdx_error *err) {
  rdx_vk_stream *s = (rdx_vk_stream *)stream;
  RDX_TRY(rdx_vk_stream_next(s, err));
  const rdx_vk_buffer *from = (const rdx_vk_buffer *)source, *to = (rdx_vk_buffer *)target;
  const VkBufferCopy region = {
      .srcOffset = from->offset + source_offset, .dstOffset = to->offset + target_offset, .size = size};
  ((rdx_vk_device *)stream->device)->fn.CmdCopyBuffer(s->commands, from->memory.buffer, to->memory.buffer, 1, &region);
  return RDX_OK;
}

static rdx_status update(rdx_vk_stream *s, VkBuffer buffer, uint64_t offset, const void *data, uint64_t size,
                         rdx_error *err) {
  const uint64_t max = 65536; /* of one command */
  RDX_TRY(rdx_vk_stream_next(s, err));
  for (uint64_t done = 0; done < size; done += max)
    ((rdx_vk_device *)s->base.device)
        ->fn.CmdUpdateBuffer(s->commands, buffer, offset + done, size - done < max ? size - done : max,
                             (const char *)data + done);
  return RDX_OK;
}

/* Constants that the stream's own buffer has no room for go to scratch memory. */
static rdx_status send_large(rdx_vk_stream *s, const void *data, uint64_t size, uint64_t *address, rdx_error *err) {
  rdx_buffer *buffer = NULL;
  RDX_TRY(rdx_stream_scratch(&s->base, size, "the constants of a query", &buffer, err));
  const rdx_vk_buffer *b = (rdx_vk_buffer *)buffer;
  *address = buffer->address;
  return update(s, b->memory.buffer, b->offset, data, size, err);
}

/* No work that reads earlier constants is under way: finish has waited for it. What the host writes is seen by work
 * that is submitted later. */
rdx_status rdx_vk_stream_constants(rdx_stream *stream, const void *data, uint64_t size, uint64_t *address,
                                   rdx_error *err) {
  rdx_vk_stream *s = (rdx_vk_stream *)stream;
  rdx_vk_device *d = (rdx_vk_device *)stream->device;
  const uint64_t offset = s->constants_used;
  if (size > RDX_VK_CONSTANTS_SIZE - offset)
    return send_large(s, data, size, address, err);
  if (!s->constants.handle) {
    const rdx_status status = rdx_vk_constants_create(d, RDX_VK_CONSTANTS_SIZE, &s->constants, err);
    if (status != RDX_OK) {
      rdx_vk_host_buffer_destroy(d, &s->constants);
      return status;
    }
  }
  s->constants_used += (size + 15) / 16 * 16;
  *address = s->constants.address + offset;
  if (!s->constants.mapped)
    return update(s, s->constants.handle, offset, data, size, err);
  memcpy((char *)s->constants.mapped + offset, data, size);
  return RDX_OK;
}

rdx_status rdx_vk_stream_read(rdx_stream *stream, const rdx_buffer *buffer, uint64_t offset, uint64_t size,
                              uint64_t place, const void **out, rdx_error *err) {
  rdx_vk_stream *s = (rdx_vk_stream *)stream;
  rdx_vk_device *d = (rdx_vk_device *)stream->device;
  if (!s->reads.mapped) {
    const rdx_status status = rdx_vk_host_buffer_create(d, RDX_STREAM_READ_MAX, &s->reads, err);
    if (status != RDX_OK) {
      rdx_vk_host_buffer_destroy(d, &s->reads);
      return status;
    }
  }
  *out = (const char *)s->reads.mapped + place;
  if (size == 0)
    return RDX_OK;
  RDX_TRY(rdx_vk_stream_next(s, err));
  const rdx_vk_buffer *b = (const rdx_vk_buffer *)buffer;
  const VkBufferCopy region = {.srcOffset = b->offset + offset, .dstOffset = place, .size = size};
  d->fn.CmdCopyBuffer(s->commands, b->memory.buffer, s->reads.handle, 1, &region);
  rdx_vk_barrier(d, s->commands, true);
  s->working = false;
  return RDX_OK;
}

rdx_status rdx_vk_stream_mark(rdx_stream *stream, rdx_error *err) {
  rdx_vk_stream *s = (rdx_vk_stream *)stream;
  RDX_TRY(begin_recording(s, err));
  if (stream->mark_count == RDX_MAX_MARKS)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "a stream has at most %d marks", RDX_MAX_MARKS);
  ((rdx_vk_device *)stream->device)
      ->fn.CmdWriteTimestamp(s->commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, s->queries, stream->mark_count++);
  return RDX_OK;
}

static rdx_status read_marks(rdx_vk_device *d, rdx_vk_stream *s, rdx_error *err) {
  uint64_t ticks[RDX_MAX_MARKS] = {0};
  const uint32_t count = s->base.mark_count;
  if (count == 0 || d->physical.timestamp_bits == 0)
    return RDX_OK;
  RDX_TRY(rdx_vk_check(d->fn.GetQueryPoolResults(d->handle, s->queries, 0, count, sizeof ticks, ticks, sizeof *ticks,
                                                 VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
                       "reading timestamps", err));
  const uint32_t unused = 64 - d->physical.timestamp_bits;
  for (uint32_t i = 0; i < count; i++) /* differences survive a wrap of the counter */
    s->base.marks_ms[i] = (double)(((ticks[i] - ticks[0]) << unused) >> unused) * d->physical.timestamp_period * 1e-6;
  return RDX_OK;
}

static rdx_status run_recorded(rdx_vk_device *d, rdx_vk_stream *s, rdx_error *err) {
  RDX_TRY(rdx_vk_check(d->fn.EndCommandBuffer(s->commands), "recording commands", err));
  RDX_TRY(rdx_vk_submit(d, s->commands, s->fence, err));
  RDX_TRY(rdx_vk_wait(d, s->fence, err));
  return read_marks(d, s, err);
}

rdx_status rdx_vk_stream_finish(rdx_stream *stream, rdx_error *err) {
  rdx_vk_stream *s = (rdx_vk_stream *)stream;
  s->constants_used = 0;
  if (!s->recording)
    return RDX_OK;
  s->recording = false;
  const rdx_status status = run_recorded((rdx_vk_device *)stream->device, s, err);
  s->broken |= status != RDX_OK;
  return status;
}
