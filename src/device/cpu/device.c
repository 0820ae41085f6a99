/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The CPU as a device: kernels are C functions on a pool of threads, buffers are host memory. */

#include "device/cpu/cpu.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FILL_PIECE (1u << 18) /* words that a thread fills at a time */

/* ---- Description ---- */

static void describe_features(rdx_device_info *info) {
  __builtin_cpu_init();
  snprintf(info->features, sizeof info->features, "%s",
           __builtin_cpu_supports("avx512bw") ? "AVX-512, AVX2, SSE4.2"
           : __builtin_cpu_supports("avx2")   ? "AVX2, SSE4.2"
           : __builtin_cpu_supports("sse4.2") ? "SSE4.2"
                                              : "SSE2");
}

static void describe(rdx_device_info *info, uint32_t threads) {
  const uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
  const uint64_t limit = rdx_host_memory_limit();
  *info = (rdx_device_info){.name = "cpu",
                            .backend = RDX_BACKEND_CPU,
                            .tracing = RDX_TRACING_SOFTWARE,
                            .threads = threads,
                            .memory = memory < limit ? memory : limit,
                            .max_primitives = UINT32_MAX / 3, /* vertex numbers are u32 */
                            .max_rays = UINT32_MAX};
  info->max_buffer = info->memory;
  snprintf(info->driver, sizeof info->driver, "Embree %s", RTC_VERSION_STRING);
  describe_features(info);
}

void rdx_cpu_describe(rdx_device_info *out) {
  describe(out, rdx_usable_cores());
}

/* ---- Buffers ---- */

#define ALIGNMENT 256u
#define HUGE_PAGE (2u << 20)
#define LARGE (4 * HUGE_PAGE) /* bytes of memory on huge pages: random gathers run into the TLB */
#define PADDING 16u           /* Embree reads 16 bytes at each vertex, the last one included */

typedef struct cpu_buffer {
  rdx_buffer base;
  void *memory;
} cpu_buffer;

static rdx_status buffer_create(rdx_device *device, uint64_t size, rdx_buffer **out, rdx_error *err) {
  const uint64_t alignment = size >= LARGE ? HUGE_PAGE : ALIGNMENT;
  cpu_buffer *b = NULL;
  (void)device;
  RDX_TRY(rdx_calloc(1, sizeof *b, "a buffer", (void **)&b, err));
  const rdx_status status = rdx_alloc(size + alignment + PADDING, 1, "a buffer of the CPU device", &b->memory, err);
  if (status != RDX_OK) {
    rdx_free(b);
    return status;
  }
  b->base.address = ((uintptr_t)b->memory + alignment - 1) / alignment * alignment;
  *out = &b->base;
  return RDX_OK;
}

static void buffer_destroy(rdx_buffer *buffer) {
  cpu_buffer *b = (cpu_buffer *)buffer;
  rdx_free(b->memory);
  rdx_free(b);
}

static char *bytes_of(const rdx_buffer *buffer, uint64_t offset) {
  return (char *)(uintptr_t)buffer->address + offset;
}

static rdx_status buffer_upload(rdx_buffer *buffer, uint64_t offset, const void *source, uint64_t size,
                                rdx_error *err) {
  return rdx_device_copy_stage_on_host(buffer->device, bytes_of(buffer, offset), source, size, "upload", err);
}

static rdx_status buffer_download(const rdx_buffer *buffer, uint64_t offset, void *target, uint64_t size,
                                  rdx_error *err) {
  return rdx_device_copy_stage_on_host(buffer->device, target, bytes_of(buffer, offset), size, "download", err);
}

/* ---- Streams: everything happens at once ---- */

typedef struct cpu_stream {
  rdx_stream base;
  bool finished; /* the next mark is the first of a new run */
} cpu_stream;

static rdx_status stream_create(rdx_device *device, rdx_stream **out, rdx_error *err) {
  cpu_stream *s = NULL;
  RDX_TRY(rdx_calloc(1, sizeof *s, "a stream", (void **)&s, err));
  s->base.device = device;
  *out = &s->base;
  return RDX_OK;
}

static void stream_destroy(rdx_stream *stream) {
  rdx_free(stream);
}

typedef struct launch_header {
  uint64_t scene;
  uint32_t first, count;
} launch_header;

typedef struct launch_job {
  const rdx_kernel *kernel;
  const void *args;
  const uint32_t *variant;
  const rdx_scene *scene;
} launch_job;

static void run_launch(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  const launch_job *job = context;
  _Alignas(16) uint8_t args[RDX_MAX_ARGS];
  memcpy(args, job->args, job->kernel->args_size);
  const launch_header header = {job->scene ? job->scene->address : 0, (uint32_t)begin, (uint32_t)(end - begin)};
  memcpy(args, &header, sizeof header);
  job->kernel->body(args, job->variant, job->scene);
}

static rdx_status launch(rdx_stream *stream, const rdx_kernel *kernel, const void *args, const uint32_t *variant,
                         uint64_t count, const rdx_scene *scene, rdx_error *err) {
  launch_job job = {kernel, args, variant, scene};
  const uint32_t grain = stream->grain ? stream->grain : kernel->grain;
  return rdx_pool_run_stage(((rdx_cpu_device *)stream->device)->pool, count, grain, run_launch, &job, stream->stage,
                            err);
}

typedef struct fill_job {
  uint32_t *words;
  uint32_t value;
} fill_job;

static void fill_piece(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  const fill_job *job = context;
  for (uint64_t i = begin; i < end; i++)
    job->words[i] = job->value;
}

static rdx_status fill(rdx_stream *stream, rdx_buffer *buffer, uint64_t offset, uint64_t size, uint32_t value,
                       rdx_error *err) {
  const uint64_t words = size / 4;
  fill_job job = {(uint32_t *)(void *)bytes_of(buffer, offset), value};
  if (words > FILL_PIECE) /* by all threads, which share what new pages cost; a little waits for nobody */
    return rdx_pool_run_stage(((rdx_cpu_device *)stream->device)->pool, words, FILL_PIECE, fill_piece, &job,
                              stream->stage, err);
  if (words > 0)
    fill_piece(&job, 0, words, 0);
  return RDX_OK;
}

static rdx_status copy(rdx_stream *stream, const rdx_buffer *source, uint64_t source_offset, rdx_buffer *target,
                       uint64_t target_offset, uint64_t size, rdx_error *err) {
  if (source != target)
    return rdx_device_copy_stage_on_host(stream->device, bytes_of(target, target_offset),
                                         bytes_of(source, source_offset), size, stream->stage, err);
  memmove(bytes_of(target, target_offset), bytes_of(source, source_offset), size); /* the ranges may overlap */
  return RDX_OK;
}

static rdx_status constants(RDX_UNUSED rdx_stream *stream, const void *data, RDX_UNUSED uint64_t size,
                            uint64_t *address, RDX_UNUSED rdx_error *err) {
  *address = (uintptr_t)data;
  return RDX_OK;
}

static rdx_status read_back(RDX_UNUSED rdx_stream *stream, const rdx_buffer *buffer, uint64_t offset,
                            RDX_UNUSED uint64_t size, RDX_UNUSED uint64_t place, const void **out,
                            RDX_UNUSED rdx_error *err) {
  *out = bytes_of(buffer, offset);
  return RDX_OK;
}

static rdx_status mark(rdx_stream *stream, rdx_error *err) {
  cpu_stream *s = (cpu_stream *)stream;
  if (s->finished)
    stream->mark_count = 0;
  s->finished = false;
  if (stream->mark_count == RDX_MAX_MARKS)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "a stream has at most %d marks", RDX_MAX_MARKS);
  stream->marks_ms[stream->mark_count++] = rdx_now_ms();
  return RDX_OK;
}

static rdx_status finish(rdx_stream *stream, RDX_UNUSED rdx_error *err) {
  ((cpu_stream *)stream)->finished = true;
  return RDX_OK;
}

/* ---- The device ---- */

static void close_device(rdx_device *device) {
  rdx_cpu_device *d = (rdx_cpu_device *)device;
  if (!d->shares_pool)
    rdx_pool_destroy(&d->pool);
  rdx_free(d);
}

static const rdx_device_ops cpu_ops = {
    .close = close_device,
    .buffer_create = buffer_create,
    .buffer_destroy = buffer_destroy,
    .buffer_upload = buffer_upload,
    .buffer_download = buffer_download,
    .scene_create = rdx_cpu_scene_create,
    .scene_refit = rdx_cpu_scene_refit,
    .scene_destroy = rdx_cpu_scene_destroy,
    .scene_estimate = rdx_cpu_scene_estimate,
    .stream_create = stream_create,
    .stream_destroy = stream_destroy,
    .launch = launch,
    .fill = fill,
    .copy = copy,
    .constants = constants,
    .read = read_back,
    .sort = rdx_cpu_sort,
    .sort_bytes = rdx_cpu_sort_bytes,
    .scan = rdx_cpu_scan,
    .scan_wide = rdx_cpu_scan_wide,
    .reduce = rdx_cpu_reduce,
    .select = rdx_cpu_select,
    .unique = rdx_cpu_unique,
    .mark = mark,
    .finish = finish,
};

rdx_status rdx_cpu_open(const rdx_device_params *params, rdx_device **out, rdx_error *err) {
  RDX_SCOPED(rdx_pool_destroy) rdx_pool *pool = NULL;
  RDX_TRY(rdx_pool_create(params->threads, &pool, err));
  RDX_TRY(rdx_cpu_open_over(pool, out, err));
  ((rdx_cpu_device *)*out)->shares_pool = false;
  pool = NULL;
  return RDX_OK;
}

rdx_status rdx_cpu_open_over(rdx_pool *pool, rdx_device **out, rdx_error *err) {
  rdx_cpu_device *d = NULL;
  RDX_TRY(rdx_calloc(1, sizeof *d, "the CPU device", (void **)&d, err));
  d->pool = pool;
  d->shares_pool = true;
  d->base.ops = &cpu_ops;
  d->base.host_pool = d->pool;
  d->base.has_f64 = true;
  d->base.has_atomic_u64 = true;
  d->base.coordinate_exponent = 58; /* Embree takes 1e18 for 1 / 0: longer rays miss boxes a unit high */
  describe(&d->base.info, rdx_pool_threads(d->pool));
  *out = &d->base;
  return RDX_OK;
}
