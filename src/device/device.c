/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The front end: finds devices, checks arguments and limits, accounts for memory, and calls a back end. */

#include "device/device.h"
#include "base/reuse.h"

#include <ctype.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- The user's cache ---- */

void rdx_device_cache_folder(const char *dir, char *out, size_t size) {
  const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  int length = 0;
  if (dir)
    length = snprintf(out, size, "%s", dir);
  else if (cache && cache[0] == '/')
    length = snprintf(out, size, "%s/raydex", cache);
  else if (home && home[0] == '/')
    length = snprintf(out, size, "%s/.cache/raydex", home);
  if (length <= 0 || (size_t)length >= size)
    out[0] = '\0';
}

void rdx_make_parents(char *path) {
  for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    mkdir(path, 0700); /* if this fails, opening the file does too */
    *slash = '/';
  }
}

/* ---- Finding and opening ---- */

rdx_status rdx_device_count(uint32_t *out, rdx_error *err) {
  if (!out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_device_count: out must not be NULL");
  uint32_t vulkan = 0;
  RDX_TRY(rdx_vulkan_count(&vulkan, err));
  *out = 1 + vulkan;
  return RDX_OK;
}

uint32_t rdx_device_find_missing(char *text, size_t size) {
  if (!text || size == 0)
    return 0;
  text[0] = '\0';
  return rdx_vulkan_find_missing(text, size);
}

rdx_status rdx_device_describe(uint32_t index, rdx_device_info *out, rdx_error *err) {
  if (!out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_device_describe: out must not be NULL");
  *out = (rdx_device_info){0};
  if (index > 0)
    return rdx_vulkan_describe(index - 1, out, err);
  rdx_cpu_describe(out);
  return RDX_OK;
}

static bool contains_ignoring_case(const char *text, const char *part) {
  const size_t length = strlen(part);
  for (; *text; text++) {
    size_t i = 0;
    while (i < length && tolower((unsigned char)text[i]) == tolower((unsigned char)part[i]))
      i++;
    if (i == length)
      return true;
  }
  return length == 0;
}

/* How well a device serves as "auto": 0 is never. */
static int rank(const rdx_device_info *info) {
  if (info->emulated)
    return 0;
  if (info->backend == RDX_BACKEND_CPU)
    return 1;
  return info->tracing == RDX_TRACING_HARDWARE ? 3 : 2;
}

static rdx_status not_found(const char *name, uint32_t count, rdx_error *err) {
  char list[512] = "", missing[512] = "";
  size_t used = 0;
  for (uint32_t i = 0; i < count && used < sizeof list; i++) {
    rdx_device_info info;
    if (rdx_device_describe(i, &info, NULL) == RDX_OK)
      used += (size_t)snprintf(list + used, sizeof list - used, "\n  %u  %s", i, info.name);
  }
  const bool some = rdx_device_find_missing(missing, sizeof missing) > 0;
  const rdx_status status =
      rdx_fail(err, RDX_ERROR_NOT_FOUND, "no device is called '%.100s'. The devices are, by number and name:", name);
  if (err) { /* the lines of the list are no data, which rdx_fail() escapes */
    const size_t length = strlen(err->text);
    snprintf(err->text + length, sizeof err->text - length, "%s%s%s", list, some ? "\n  " : "", missing);
  }
  return status;
}

/* Whether the system has any GPU: without one its drivers need not be loaded to know that "auto" is the CPU. */
static bool has_gpu(void) {
  static const char *const nodes[] = {"/dev/dri", "/dev/nvidiactl", "/dev/nvidia0", "/dev/kfd", "/dev/dxg"};
  for (size_t i = 0; i < RDX_COUNT(nodes); i++)
    if (access(nodes[i], F_OK) == 0)
      return true;
  return false;
}

/* An index in decimal, "auto", or the first device whose name contains `name`. */
static rdx_status find(const char *name, uint32_t *out, rdx_error *err) {
  uint32_t count = 0;
  *out = 0;
  if (strcmp(name, "cpu") == 0 || (strcmp(name, "auto") == 0 && !has_gpu()))
    return RDX_OK;
  RDX_TRY(rdx_device_count(&count, err));
  char *end = NULL;
  const unsigned long number = strtoul(name, &end, 10);
  if (isdigit((unsigned char)name[0]) && *end == '\0') {
    *out = (uint32_t)number;
    return number < count ? RDX_OK : not_found(name, count, err);
  }
  const bool automatic = strcmp(name, "auto") == 0;
  int best = 0;
  for (uint32_t i = 0; i < count; i++) {
    rdx_device_info info;
    RDX_TRY(rdx_device_describe(i, &info, err));
    const int value = automatic ? rank(&info) : name[0] != '\0' && contains_ignoring_case(info.name, name);
    if (value > best) {
      best = value;
      *out = i;
    }
  }
  return best > 0 ? RDX_OK : not_found(name, count, err);
}

static rdx_status keep_cache_folder(rdx_device *device, const char *dir, rdx_error *err) {
  char folder[4096];
  rdx_device_cache_folder(dir, folder, sizeof folder);
  return rdx_copy_text(folder, "the cache's folder", &device->cache_folder, err);
}

rdx_status rdx_device_open(const char *name, const rdx_device_params *params, rdx_device **out, rdx_error *err) {
  if (!out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_device_open: out must not be NULL");
  rdx_device_params used = params ? *params : (rdx_device_params){0};
  const char *validation = getenv("RAYDEX_VALIDATION");
  used.validation |= validation && strcmp(validation, "1") == 0;
  uint32_t index = 0;
  RDX_TRY(find(name ? name : "auto", &index, err));
  RDX_SCOPED(rdx_device_close) rdx_device *device = NULL;
  if (index == 0)
    RDX_TRY(rdx_cpu_open(&used, &device, err));
  else
    RDX_TRY(rdx_vulkan_open(index - 1, &used, &device, err));
  device->memory_limit = used.memory_limit;
  RDX_TRY(keep_cache_folder(device, used.cache_dir, err));
  *out = RDX_KEEP(device);
  return RDX_OK;
}

void rdx_device_close(rdx_device **device) {
  if (!device || !*device)
    return;
  RDX_FREE_ALL((*device)->cache_folder, (*device)->calibration);
  rdx_device_end_host(*device);
  (*device)->ops->close(*device);
  *device = NULL;
}

const rdx_device_info *rdx_device_get_info(const rdx_device *device) {
  return device ? &device->info : NULL;
}

void rdx_device_get_usage(const rdx_device *device, rdx_device_usage *out) {
  *out = (rdx_device_usage){0};
  if (!device)
    return;
  out->memory_used = atomic_load(&device->memory_used);
  out->memory_peak = atomic_load(&device->memory_peak);
  out->validation_messages = atomic_load(&device->validation_messages);
}

/* ---- Memory ---- */

static void raise(_Atomic uint64_t *highest, uint64_t value) {
  uint64_t seen = atomic_load(highest);
  while (seen < value && !atomic_compare_exchange_weak(highest, &seen, value))
    continue;
}

/* What results on the host take of the device's own memory. */
static uint64_t used_by_results(const rdx_device *device) {
  return device->info.backend == RDX_BACKEND_CPU ? atomic_load(&device->host_used) : 0;
}

rdx_status rdx_device_reserve(rdx_device *device, uint64_t size, const char *what, rdx_error *err) {
  const uint64_t limit = device->memory_limit ? device->memory_limit : device->info.memory;
  const uint64_t before = atomic_fetch_add(&device->memory_used, size), total = before + used_by_results(device);
  if (total + size < total || total + size > limit) {
    atomic_fetch_sub(&device->memory_used, size);
    char a[32], b[32], c[32];
    return rdx_fail(err, RDX_ERROR_DEVICE_MEMORY,
                    "%s needs %s on %s, of whose %s %s are in use%s; use fewer rows or smaller batches", what,
                    rdx_format_bytes(size, a), device->info.name, rdx_format_bytes(limit, b),
                    rdx_format_bytes(total, c), device->memory_limit ? " (memory limit)" : "");
  }
  raise(&device->memory_peak, before + size);
  raise(&device->memory_mark, before + size);
  return RDX_OK;
}

uint64_t rdx_device_memory_left(const rdx_device *device) {
  const uint64_t limit = device->memory_limit ? device->memory_limit : device->info.memory;
  const uint64_t used = atomic_load(&device->memory_used) + used_by_results(device);
  return used < limit ? limit - used : 0;
}

rdx_status rdx_device_expect(const rdx_device *device, uint64_t need, const char *what, const char *advice,
                             rdx_error *err) {
  const uint64_t limit = device->memory_limit ? device->memory_limit : device->info.memory;
  const uint64_t used = atomic_load(&device->memory_used) + used_by_results(device);
  if (need <= rdx_device_memory_left(device))
    return RDX_OK;
  char a[32], b[32], c[32];
  return rdx_fail(err, RDX_ERROR_DEVICE_MEMORY, "%s takes about %s on %s, of whose %s %s are in use; %s", what,
                  rdx_format_bytes(need, a), device->info.name, rdx_format_bytes(limit, b), rdx_format_bytes(used, c),
                  advice);
}

void rdx_device_release(rdx_device *device, uint64_t size) {
  atomic_fetch_sub(&device->memory_used, size);
}

#define ASKED_FROM (64u << 20) /* bytes; for less the system is not asked what it has */

rdx_status rdx_device_expect_host(const rdx_device *device, uint64_t need, const char *what, const char *advice,
                                  rdx_error *err) {
  const bool shared = device->info.backend == RDX_BACKEND_CPU;
  const uint64_t used = atomic_load(&device->host_used) + (shared ? atomic_load(&device->memory_used) : 0);
  const uint64_t limit = device->memory_limit, of_limit = used < limit ? limit - used : 0;
  char a[32], b[32], c[32];
  if (limit && need > of_limit)
    return rdx_fail(err, RDX_ERROR_MEMORY, "%s %s of host memory, of whose %s %s are in use (memory limit); %s", what,
                    rdx_format_bytes(need, a), rdx_format_bytes(limit, b), rdx_format_bytes(used, c), advice);
  uint64_t left = need < ASKED_FROM ? UINT64_MAX : rdx_host_memory_left();
  if (need > left && rdx_reuse_drop())
    left = rdx_host_memory_left();
  if (need > left)
    return rdx_fail(err, RDX_ERROR_MEMORY, "%s %s of host memory, of which %s are left; %s", what,
                    rdx_format_bytes(need, a), rdx_format_bytes(left, b), advice);
  return RDX_OK;
}

rdx_status rdx_device_reserve_host(rdx_device *device, uint64_t size, const char *what, rdx_error *err) {
  RDX_TRY(rdx_device_expect_host(device, size, what, "ask for less at a time", err));
  atomic_fetch_add(&device->host_used, size);
  return RDX_OK;
}

void rdx_device_release_host(rdx_device *device, uint64_t size) {
  atomic_fetch_sub(&device->host_used, size);
}

rdx_status rdx_device_grow_host(rdx_device *device, void **memory, uint64_t old, uint64_t count, size_t size,
                                const char *what, uint64_t *reserved, rdx_error *err) {
  const uint64_t more = (count - old) * size;
  char take[128];
  snprintf(take, sizeof take, "%s take", what);
  RDX_TRY(rdx_device_reserve_host(device, more, take, err));
  const rdx_status status = rdx_realloc(memory, count, size, what, err);
  if (status == RDX_OK)
    *reserved += more;
  else
    rdx_device_release_host(device, more);
  return status;
}

rdx_status rdx_buffer_create(rdx_device *device, uint64_t size, const char *what, rdx_buffer **out, rdx_error *err) {
  *out = NULL;
  RDX_TRY(rdx_device_reserve(device, size, what, err));
  rdx_buffer *buffer = NULL;
  rdx_status status = device->ops->buffer_create(device, size, &buffer, err);
  if (status != RDX_OK) {
    rdx_device_release(device, size);
    return status;
  }
  buffer->device = device;
  buffer->size = size;
  atomic_store(&buffer->references, 1);
  *out = buffer;
  return RDX_OK;
}

void rdx_buffers_destroy(rdx_buffer **const *list, size_t count) {
  for (size_t i = 0; i < count; i++)
    rdx_buffer_destroy(list[i]);
}

rdx_buffer *rdx_buffer_retain(rdx_buffer *buffer) {
  atomic_fetch_add(&buffer->references, 1);
  return buffer;
}

void rdx_buffer_destroy(rdx_buffer **buffer) {
  rdx_buffer *b = *buffer;
  *buffer = NULL;
  if (!b || atomic_fetch_sub(&b->references, 1) > 1)
    return;
  rdx_device_release(b->device, b->size);
  b->device->ops->buffer_destroy(b);
}

static rdx_status check_span(const rdx_buffer *buffer, uint64_t offset, uint64_t size, const char *what,
                             rdx_error *err) {
  if (offset <= buffer->size && size <= buffer->size - offset)
    return RDX_OK;
  return rdx_fail(err, RDX_ERROR_ARGUMENT, "%s: bytes %llu to %llu of a buffer of %llu", what,
                  (unsigned long long)offset, (unsigned long long)(offset + size), (unsigned long long)buffer->size);
}

rdx_status rdx_buffer_upload(rdx_buffer *buffer, uint64_t offset, const void *source, uint64_t size, rdx_error *err) {
  RDX_TRY(check_span(buffer, offset, size, "upload", err));
  return size == 0 ? RDX_OK : buffer->device->ops->buffer_upload(buffer, offset, source, size, err);
}

rdx_status rdx_buffer_download(const rdx_buffer *buffer, uint64_t offset, void *target, uint64_t size, rdx_error *err) {
  RDX_TRY(check_span(buffer, offset, size, "download", err));
  return size == 0 ? RDX_OK : buffer->device->ops->buffer_download(buffer, offset, target, size, err);
}

/* ---- Scenes ---- */

static const char *kind_name(rdx_scene_kind kind) {
  return kind == RDX_SCENE_TRIANGLES ? "triangles" : "boxes";
}

static uint64_t divide_up(uint64_t a, uint64_t b) {
  return (a + b - 1) / b;
}

/* thesis, section 3.3 "BVH Partitioning". */
/* Equal parts, none over the device's limit. */
static rdx_status plan_parts(const rdx_device *device, const rdx_scene_params *params, uint64_t *size, uint32_t *parts,
                             rdx_error *err) {
  const uint64_t max = device->info.max_primitives, count = params->count;
  const uint64_t wanted = params->partitions ? params->partitions : divide_up(count, max);
  *size = count == 0 ? 0 : divide_up(count, wanted);
  *parts = count == 0 ? 0 : (uint32_t)divide_up(count, *size);
  if (*size > max)
    return rdx_fail(
        err, RDX_ERROR_UNSUPPORTED,
        "a scene of %llu %s in %u part%s is too large: %s builds at most %llu at once; ask for at least %llu "
        "partitions, or for none to let Raydex choose",
        (unsigned long long)count, kind_name(params->kind), *parts, *parts == 1 ? "" : "s", device->info.name,
        (unsigned long long)max, (unsigned long long)divide_up(count, max));
  return RDX_OK;
}

static uint64_t primitive_bytes(const rdx_scene_params *params, uint64_t count) {
  return count * (params->kind == RDX_SCENE_TRIANGLES ? 36 : 24);
}

/* Whether all primitives are made at once: Embree reads them as long as the scene lives. */
static bool makes_all(const rdx_device *device, uint32_t parts) {
  return parts <= 1 || device->info.backend == RDX_BACKEND_CPU;
}

uint64_t rdx_scene_source_bytes(const rdx_device *device, const rdx_scene_params *params) {
  uint64_t size = 0;
  uint32_t parts = 0;
  if (plan_parts(device, params, &size, &parts, NULL) != RDX_OK || makes_all(device, parts))
    size = params->count;
  return primitive_bytes(params, size);
}

static rdx_status create_whole(rdx_device *device, const rdx_scene_params *params, uint64_t size, uint32_t parts,
                               rdx_scene **out, rdx_error *err) {
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *primitives = NULL;
  RDX_TRY(
      rdx_buffer_create(device, primitive_bytes(params, params->count), "the primitives of a scene", &primitives, err));
  RDX_TRY(params->source.make(params->source.context, 0, params->count, primitives, err));
  rdx_scene_params made = *params;
  made.source = (rdx_scene_source){0};
  made.primitives = primitives;
  return device->ops->scene_create(device, &made, size, parts, out, err);
}

rdx_status rdx_device_check_tracing(const rdx_device *device, const char *what, rdx_error *err) {
  if (device->info.tracing != RDX_TRACING_NONE)
    return RDX_OK;
  return rdx_fail(err, RDX_ERROR_UNSUPPORTED,
                  "%s needs rays, which %s does not trace (its driver lacks VK_KHR_ray_tracing_pipeline); use a method "
                  "without rays, or another device",
                  what, device->info.name);
}

/* RX, section 2.1 "pass it to optixAccelBuild() to generate the BVH". */
rdx_status rdx_scene_create(rdx_device *device, const rdx_scene_params *params, rdx_scene **out, rdx_error *err) {
  RDX_TRY(rdx_device_check_tracing(device, "a scene", err));
  const uint64_t bytes = primitive_bytes(params, params->count);
  const bool given = params->count == 0 || params->source.make;
  if (params->count > UINT32_MAX || (!given && (!params->primitives || params->primitives->size < bytes)))
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "a scene of %llu %s needs a buffer of %llu bytes",
                    (unsigned long long)params->count, kind_name(params->kind), (unsigned long long)bytes);
  uint64_t size = 0;
  uint32_t parts = 0;
  RDX_TRY(plan_parts(device, params, &size, &parts, err));
  if (params->source.make && makes_all(device, parts))
    return create_whole(device, params, size, parts, out, err);
  return device->ops->scene_create(device, params, size, parts, out, err);
}

rdx_status rdx_scene_refit(rdx_scene *scene, rdx_buffer *primitives, rdx_error *err) {
  if (!scene->params.updatable)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "the scene was not built to be refitted");
  return scene->device->ops->scene_refit(scene, primitives, err);
}

void rdx_scene_destroy(rdx_scene **scene) {
  if (*scene)
    (*scene)->device->ops->scene_destroy(*scene);
  *scene = NULL;
}

uint64_t rdx_scene_estimate(const rdx_device *device, const rdx_scene_params *params) {
  return device->ops->scene_estimate(device, params);
}

/* ---- Streams ---- */

rdx_status rdx_stream_create(rdx_device *device, rdx_stream **out, rdx_error *err) {
  return device->ops->stream_create(device, out, err);
}

rdx_status rdx_stream_begin(rdx_stream *stream, const char *stage, rdx_error *err) {
  stream->stage = stage;
  return stage ? rdx_progress_at_times(stage, 0, 0, err) : RDX_OK;
}

rdx_status rdx_stream_create_for(rdx_device *device, const char *stage, rdx_stream **out, rdx_error *err) {
  RDX_SCOPED(rdx_stream_destroy) rdx_stream *stream = NULL;
  RDX_TRY(rdx_stream_create(device, &stream, err));
  RDX_TRY(rdx_stream_begin(stream, stage, err));
  *out = RDX_KEEP(stream);
  return RDX_OK;
}

static void free_scratch(rdx_stream *stream) {
  for (uint32_t i = 0; i < stream->scratch_count; i++)
    rdx_buffer_destroy(&stream->scratch[i]);
  stream->scratch_count = 0;
}

void rdx_stream_destroy(rdx_stream **stream) {
  if (*stream) {
    free_scratch(*stream);
    rdx_free((*stream)->scratch);
    (*stream)->device->ops->stream_destroy(*stream);
  }
  *stream = NULL;
}

rdx_status rdx_stream_scratch(rdx_stream *stream, uint64_t size, const char *what, rdx_buffer **out, rdx_error *err) {
  RDX_TRY(rdx_reserve_one((void **)&stream->scratch, stream->scratch_count, &stream->scratch_capacity,
                          sizeof *stream->scratch, "a stream", err));
  RDX_TRY(rdx_buffer_create(stream->device, size, what, out, err));
  stream->scratch[stream->scratch_count++] = *out;
  return RDX_OK;
}

rdx_status rdx_stream_launch(rdx_stream *stream, const rdx_kernel *kernel, const void *args, const uint32_t *variant,
                             uint64_t count, const rdx_scene *scene, rdx_error *err) {
  if (count > UINT32_MAX)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "%s: a launch has at most 2^32 - 1 items, not %llu", kernel->name,
                    (unsigned long long)count);
  return count == 0 ? RDX_OK : stream->device->ops->launch(stream, kernel, args, variant, count, scene, err);
}

rdx_status rdx_stream_fill(rdx_stream *stream, rdx_buffer *buffer, uint64_t offset, uint64_t size, uint32_t value,
                           rdx_error *err) {
  RDX_TRY(check_span(buffer, offset, size, "fill", err));
  if (offset % 4 != 0 || size % 4 != 0)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "fill: offset and size must be multiples of 4");
  return size == 0 ? RDX_OK : stream->device->ops->fill(stream, buffer, offset, size, value, err);
}

rdx_status rdx_stream_copy(rdx_stream *stream, const rdx_buffer *source, uint64_t source_offset, rdx_buffer *target,
                           uint64_t target_offset, uint64_t size, rdx_error *err) {
  RDX_TRY(check_span(source, source_offset, size, "copy", err));
  RDX_TRY(check_span(target, target_offset, size, "copy", err));
  return size == 0 ? RDX_OK
                   : stream->device->ops->copy(stream, source, source_offset, target, target_offset, size, err);
}

rdx_status rdx_stream_constants(rdx_stream *stream, const void *data, uint64_t size, uint64_t *address,
                                rdx_error *err) {
  *address = 0;
  if (size % 4 != 0)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "constants: the size must be a multiple of 4");
  return size == 0 ? RDX_OK : stream->device->ops->constants(stream, data, size, address, err);
}

rdx_status rdx_stream_read(rdx_stream *stream, const rdx_buffer *buffer, uint64_t offset, uint64_t size,
                           const void **out, rdx_error *err) {
  RDX_TRY(check_span(buffer, offset, size, "read", err));
  const uint64_t place = stream->read_bytes;
  if (size > RDX_STREAM_READ_MAX - place)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "read: at most %u bytes between two finishes", RDX_STREAM_READ_MAX);
  RDX_TRY(stream->device->ops->read(stream, buffer, offset, size, place, out, err));
  stream->read_bytes = (place + size + 15) / 16 * 16;
  return RDX_OK;
}

static rdx_status check_count(uint64_t count, const char *what, rdx_error *err) {
  if (count <= UINT32_MAX)
    return RDX_OK;
  return rdx_fail(err, RDX_ERROR_ARGUMENT, "%s: at most 2^32 - 1 elements, not %llu", what, (unsigned long long)count);
}

rdx_status rdx_stream_sort(rdx_stream *stream, rdx_buffer *keys, uint32_t key_bytes, uint32_t key_bits,
                           rdx_buffer *values, uint64_t count, rdx_error *err) {
  RDX_TRY(check_count(count, "sort", err));
  if ((key_bytes != 4 && key_bytes != 8) || key_bits > 8 * key_bytes)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "sort: keys of %u bytes and %u bits", key_bytes, key_bits);
  RDX_TRY(check_span(keys, 0, count * key_bytes, "sort", err));
  if (values)
    RDX_TRY(check_span(values, 0, count * 4, "sort", err));
  return count <= 1 ? RDX_OK : stream->device->ops->sort(stream, keys, key_bytes, key_bits, values, count, err);
}

uint64_t rdx_device_sort_bytes(const rdx_device *device, uint64_t count, uint32_t key_bytes) {
  return count <= 1 ? 0 : device->ops->sort_bytes(device, count, key_bytes);
}

rdx_status rdx_stream_scan(rdx_stream *stream, const rdx_buffer *in, rdx_buffer *out, uint64_t count, rdx_error *err) {
  RDX_TRY(check_count(count, "scan", err));
  RDX_TRY(check_span(in, 0, count * 4, "scan", err));
  RDX_TRY(check_span(out, 0, (count + 1) * 8, "scan", err));
  return count == 0 ? rdx_stream_fill(stream, out, 0, 8, 0, err)
                    : stream->device->ops->scan(stream, in, out, count, err);
}

rdx_status rdx_stream_scan_wide(rdx_stream *stream, rdx_buffer *sums, uint64_t count, rdx_error *err) {
  RDX_TRY(check_count(count, "scan", err));
  RDX_TRY(check_span(sums, 0, (count + 1) * 8, "scan", err));
  return stream->device->ops->scan_wide(stream, sums, count, err);
}

rdx_status rdx_stream_reduce(rdx_stream *stream, rdx_reduce_op op, const rdx_buffer *in, uint32_t value_bytes,
                             rdx_buffer *out, uint64_t count, rdx_error *err) {
  RDX_TRY(check_count(count, "reduce", err));
  if (value_bytes != 4 && (value_bytes != 8 || op != RDX_REDUCE_MAX))
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "reduce: values of %u bytes", value_bytes);
  RDX_TRY(check_span(in, 0, count * value_bytes, "reduce", err));
  RDX_TRY(check_span(out, 0, 8, "reduce", err));
  return count == 0 ? rdx_stream_fill(stream, out, 0, 8, 0, err)
                    : stream->device->ops->reduce(stream, op, in, value_bytes, out, count, err);
}

rdx_status rdx_stream_select(rdx_stream *stream, const rdx_buffer *bits, rdx_buffer *out, rdx_buffer *out_count,
                             uint64_t count, rdx_error *err) {
  RDX_TRY(check_count(count, "select", err));
  RDX_TRY(check_span(bits, 0, divide_up(count, 32) * 4, "select", err));
  RDX_TRY(check_span(out_count, 0, 8, "select", err));
  return count == 0 ? rdx_stream_fill(stream, out_count, 0, 8, 0, err)
                    : stream->device->ops->select(stream, bits, out, out_count, count, err);
}

rdx_status rdx_stream_unique(rdx_stream *stream, const rdx_buffer *keys, uint32_t key_bytes, uint32_t shift,
                             rdx_buffer *out, rdx_buffer *out_count, uint64_t count, rdx_error *err) {
  RDX_TRY(check_count(count, "unique", err));
  if ((key_bytes != 4 && key_bytes != 8) || shift >= 8 * key_bytes)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "unique: keys of %u bytes shifted by %u", key_bytes, shift);
  RDX_TRY(check_span(keys, 0, count * key_bytes, "unique", err));
  RDX_TRY(check_span(out_count, 0, 8, "unique", err));
  return count == 0 ? rdx_stream_fill(stream, out_count, 0, 8, 0, err)
                    : stream->device->ops->unique(stream, keys, key_bytes, shift, out, out_count, count, err);
}

rdx_status rdx_stream_mark(rdx_stream *stream, rdx_error *err) {
  return stream->device->ops->mark(stream, err);
}

rdx_status rdx_stream_finish(rdx_stream *stream, rdx_error *err) {
  const rdx_status status = stream->device->ops->finish(stream, err);
  free_scratch(stream);
  stream->read_bytes = 0;
  return status;
}

double rdx_stream_elapsed(const rdx_stream *stream, uint32_t from, uint32_t to) {
  return stream->marks_ms[to] - stream->marks_ms[from];
}

rdx_status rdx_stream_finish_timed(rdx_stream *stream, double *ms, rdx_error *err) {
  RDX_TRY(rdx_stream_mark(stream, err));
  RDX_TRY(rdx_stream_finish(stream, err));
  *ms += rdx_stream_elapsed(stream, 0, 1);
  return RDX_OK;
}

rdx_status rdx_launch_timed(rdx_device *device, const rdx_kernel *kernel, const void *args, const uint32_t *variant,
                            uint64_t count, const char *stage, double *ms, rdx_error *err) {
  RDX_SCOPED(rdx_stream_destroy) rdx_stream *stream = NULL;
  RDX_TRY(rdx_stream_create_for(device, stage, &stream, err));
  RDX_TRY(rdx_stream_mark(stream, err));
  RDX_TRY(rdx_stream_launch(stream, kernel, args, variant, count, NULL, err));
  return rdx_stream_finish_timed(stream, ms, err);
}

bool rdx_device_traces_nearest_first(const rdx_device *device) {
  return device->info.backend == RDX_BACKEND_CPU || device->info.tracing == RDX_TRACING_HARDWARE;
}

rdx_build_preference rdx_device_build_preference(const rdx_device *device, rdx_build_preference asked, bool dense) {
  if (asked != RDX_BUILD_DEFAULT)
    return asked;
  return rdx_device_traces_nearest_first(device) || dense ? RDX_BUILD_FAST_TRACE : RDX_BUILD_FAST_BUILD;
}
