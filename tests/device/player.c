/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

#include "player.h"

#include <stdlib.h>
#include <string.h>

#include "device/device.h"

/* ---- What came back ---- */

typedef struct note {
  void *bytes;
  uint64_t size;
} note;

/* Read by a stream, which has it when it finishes. */
typedef struct pending {
  const rdx_stream *stream;
  const void *from;
  uint64_t note;
} pending;

static struct {
  rdx_device *device;
  const rdx_device_ops *ops; /* its own */
  note *notes;
  uint64_t count, capacity;
  pending pending[64];
  uint32_t pending_count;
} recorder;

static note *add_note(uint64_t size) {
  if (recorder.count == recorder.capacity) {
    recorder.capacity = recorder.capacity ? 2 * recorder.capacity : 64;
    recorder.notes = realloc(recorder.notes, recorder.capacity * sizeof *recorder.notes);
  }
  note *n = &recorder.notes[recorder.count++];
  *n = (note){malloc(size + 1), size};
  return n;
}

static rdx_status record_download(const rdx_buffer *buffer, uint64_t offset, void *target, uint64_t size,
                                  rdx_error *err) {
  const rdx_status status = recorder.ops->buffer_download(buffer, offset, target, size, err);
  if (status == RDX_OK)
    memcpy(add_note(size)->bytes, target, size);
  return status;
}

static rdx_status record_read(rdx_stream *stream, const rdx_buffer *buffer, uint64_t offset, uint64_t size,
                              uint64_t place, const void **out, rdx_error *err) {
  const rdx_status status = recorder.ops->read(stream, buffer, offset, size, place, out, err);
  if (status == RDX_OK && recorder.pending_count < RDX_COUNT(recorder.pending)) {
    recorder.pending[recorder.pending_count++] = (pending){stream, *out, recorder.count};
    add_note(size);
  }
  return status;
}

static rdx_status record_finish(rdx_stream *stream, rdx_error *err) {
  const rdx_status status = recorder.ops->finish(stream, err);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < recorder.pending_count; i++) {
    const pending *p = &recorder.pending[i];
    if (p->stream == stream)
      memcpy(recorder.notes[p->note].bytes, p->from, recorder.notes[p->note].size);
    else
      recorder.pending[kept++] = *p;
  }
  recorder.pending_count = kept;
  return status;
}

void player_record(rdx_device *device) {
  static rdx_device_ops ops;
  player_forget();
  recorder.device = device;
  recorder.ops = device->ops;
  ops = *device->ops;
  ops.buffer_download = record_download;
  ops.read = record_read;
  ops.finish = record_finish;
  device->ops = &ops;
}

uint64_t player_stop(void) {
  recorder.device->ops = recorder.ops;
  return recorder.count;
}

void player_forget(void) {
  for (uint64_t i = 0; i < recorder.count; i++)
    free(recorder.notes[i].bytes);
  free(recorder.notes);
  recorder.notes = NULL;
  recorder.count = recorder.capacity = 0;
  recorder.pending_count = 0;
}

/* ---- Faults ---- */

static struct {
  player_faults faults;
  uint64_t returned, calls, largest, address;
  uint64_t random;
} player;

static uint64_t next_random(void) {
  uint64_t x = player.random += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

static uint64_t get_word(const char *bytes, uint64_t i, uint32_t size) {
  uint64_t word = 0; /* little endian */
  memcpy(&word, bytes + i * size, size);
  return word;
}

static void set_word(char *bytes, uint64_t i, uint32_t size, uint64_t word) {
  memcpy(bytes + i * size, &word, size);
}

/* A number of any size. */
static uint64_t any_number(void) {
  return next_random() >> next_random() % 64;
}

static void change_word(char *bytes, uint64_t i, uint64_t count, uint32_t size, fault kind) {
  const uint64_t old = get_word(bytes, i, size);
  const uint64_t word = kind == FAULT_ONES       ? UINT64_MAX
                        : kind == FAULT_ZEROS    ? 0
                        : kind == FAULT_REPEATED ? get_word(bytes, 0, size)
                        : kind == FAULT_NEXT     ? get_word(bytes, i + 1 < count ? i + 1 : i, size)
                        : kind == FAULT_MORE || kind == FAULT_ONE_MORE ? old + 1
                        : kind == FAULT_LESS || kind == FAULT_ONE_LESS ? old - 1
                        : kind == FAULT_ONE_BIT                        ? old ^ 1ull << next_random() % (8 * size)
                                                                       : any_number();
  set_word(bytes, i, size, word);
}

static void reverse(char *bytes, uint64_t count, uint32_t size) {
  for (uint64_t i = 0; i < count / 2; i++) {
    const uint64_t word = get_word(bytes, i, size);
    set_word(bytes, i, size, get_word(bytes, count - 1 - i, size));
    set_word(bytes, count - 1 - i, size, word);
  }
}

static void spoil(char *bytes, uint64_t all) {
  const uint32_t size = all < player.faults.word_bytes ? 1 : player.faults.word_bytes;
  const uint64_t count = all / size;
  const fault kind = player.faults.kind;
  if (count == 0)
    return;
  if (kind == FAULT_REVERSED)
    reverse(bytes, count, size);
  else if (kind >= FAULT_ONE_RANDOM)
    change_word(bytes, next_random() % count, count, size, kind);
  else
    for (uint64_t i = 0; i < count; i++)
      change_word(bytes, i, count, size, kind);
}

/* What was noted, if as much as that came back then. */
static void give_back(void *target, uint64_t size) {
  const uint64_t i = player.returned++;
  const note *n = i < recorder.count ? &recorder.notes[i] : NULL;
  const player_faults *f = &player.faults;
  if (n && n->size == size)
    memcpy(target, n->bytes, size);
  else
    for (uint64_t k = 0; k < size; k++)
      ((char *)target)[k] = (char)next_random();
  if (f->kind != FAULT_NONE && f->first <= i && i <= f->last)
    spoil(target, size);
}

/* ---- The device ---- */

static rdx_status call(rdx_error *err) {
  if (player.calls++ >= player.faults.failing)
    return rdx_fail(err, RDX_ERROR_DEVICE_LOST, "the device is lost, as the test wants");
  return RDX_OK;
}

/* The sanitizer is to see that all of it is there. */
static void look_at(const void *data, uint64_t size) {
  static volatile char sum;
  for (uint64_t i = 0; i < size; i++)
    sum = (char)(sum + ((const char *)data)[i]);
}

static uint64_t new_address(uint64_t size) {
  const uint64_t address = player.address;
  player.address += (size + 511) / 256 * 256;
  return address;
}

static void close_device(rdx_device *device) {
  free(device);
}

static rdx_status buffer_create(rdx_device *device, uint64_t size, rdx_buffer **out, rdx_error *err) {
  (void)device;
  player.largest = size > player.largest ? size : player.largest;
  RDX_TRY(call(err));
  *out = calloc(1, sizeof **out);
  (*out)->address = new_address(size);
  return RDX_OK;
}

static void buffer_destroy(rdx_buffer *buffer) {
  free(buffer);
}

static rdx_status buffer_upload(rdx_buffer *buffer, uint64_t offset, const void *source, uint64_t size,
                                rdx_error *err) {
  (void)buffer, (void)offset;
  look_at(source, size);
  return call(err);
}

static rdx_status buffer_download(const rdx_buffer *buffer, uint64_t offset, void *target, uint64_t size,
                                  rdx_error *err) {
  (void)buffer, (void)offset;
  RDX_TRY(call(err));
  give_back(target, size);
  return RDX_OK;
}

static rdx_status make_primitives(const rdx_device *device, const rdx_scene_params *params, rdx_error *err) {
  rdx_buffer *primitives = NULL;
  if (!params->source.make)
    return RDX_OK;
  RDX_TRY(rdx_buffer_create((rdx_device *)(uintptr_t)device, params->count * 36, "primitives", &primitives, err));
  const rdx_status status = params->source.make(params->source.context, 0, params->count, primitives, err);
  rdx_buffer_destroy(&primitives);
  return status;
}

static rdx_status scene_create(rdx_device *device, const rdx_scene_params *params, uint64_t partition_size,
                               uint32_t partitions, rdx_scene **out, rdx_error *err) {
  RDX_TRY(call(err));
  RDX_TRY(make_primitives(device, params, err));
  *out = calloc(1, sizeof **out);
  **out = (rdx_scene){.device = device,
                      .params = *params,
                      .partition_size = partition_size,
                      .partitions = partitions,
                      .address = new_address(8),
                      .bytes = 40 * params->count,
                      .bytes_built = 40 * params->count};
  return RDX_OK;
}

static rdx_status scene_refit(rdx_scene *scene, rdx_buffer *primitives, rdx_error *err) {
  (void)scene, (void)primitives;
  return call(err);
}

static void scene_destroy(rdx_scene *scene) {
  free(scene);
}

static uint64_t scene_estimate(const rdx_device *device, const rdx_scene_params *params) {
  (void)device;
  return 100 * params->count;
}

/* ---- Its streams ---- */

typedef struct player_stream {
  rdx_stream base;
  bool finished;
  void *reads[64]; /* since the last finish, each in memory of its own */
  uint32_t read_count;
} player_stream;

static void begin_anew(player_stream *s) {
  for (uint32_t i = 0; s->finished && i < s->read_count; i++)
    free(s->reads[i]);
  if (s->finished)
    s->base.mark_count = s->read_count = 0;
  s->finished = false;
}

static rdx_status stream_create(rdx_device *device, rdx_stream **out, rdx_error *err) {
  RDX_TRY(call(err));
  player_stream *s = calloc(1, sizeof *s);
  s->base.device = device;
  *out = &s->base;
  return RDX_OK;
}

static void stream_destroy(rdx_stream *stream) {
  player_stream *s = (player_stream *)stream;
  s->finished = true;
  begin_anew(s);
  free(s);
}

static rdx_status record_to(rdx_stream *stream, rdx_error *err) {
  begin_anew((player_stream *)stream);
  return call(err);
}

static rdx_status launch(rdx_stream *stream, const rdx_kernel *kernel, const void *args, const uint32_t *variant,
                         uint64_t count, const rdx_scene *scene, rdx_error *err) {
  (void)count, (void)scene;
  look_at(args, kernel->args_size);
  look_at(variant, kernel->variants * sizeof *variant);
  return record_to(stream, err);
}

static rdx_status fill(rdx_stream *stream, rdx_buffer *buffer, uint64_t offset, uint64_t size, uint32_t value,
                       rdx_error *err) {
  (void)buffer, (void)offset, (void)size, (void)value;
  return record_to(stream, err);
}

static rdx_status copy(rdx_stream *stream, const rdx_buffer *source, uint64_t source_offset, rdx_buffer *target,
                       uint64_t target_offset, uint64_t size, rdx_error *err) {
  (void)source, (void)source_offset, (void)target, (void)target_offset, (void)size;
  return record_to(stream, err);
}

static rdx_status constants(rdx_stream *stream, const void *data, uint64_t size, uint64_t *address, rdx_error *err) {
  look_at(data, size);
  *address = new_address(size);
  return record_to(stream, err);
}

static rdx_status read_back(rdx_stream *stream, const rdx_buffer *buffer, uint64_t offset, uint64_t size,
                            uint64_t place, const void **out, rdx_error *err) {
  (void)buffer, (void)offset, (void)place;
  player_stream *s = (player_stream *)stream;
  RDX_TRY(record_to(stream, err));
  if (s->read_count == RDX_COUNT(s->reads))
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "too many reads for a test");
  void *bytes = s->reads[s->read_count++] = malloc(size);
  give_back(bytes, size);
  *out = bytes;
  return RDX_OK;
}

static rdx_status sort(rdx_stream *stream, rdx_buffer *keys, uint32_t key_bytes, uint32_t key_bits, rdx_buffer *values,
                       uint64_t count, rdx_error *err) {
  (void)keys, (void)key_bytes, (void)key_bits, (void)values, (void)count;
  return record_to(stream, err);
}

static uint64_t sort_bytes(const rdx_device *device, uint64_t count, uint32_t key_bytes) {
  (void)device;
  return count * (key_bytes + 4);
}

static rdx_status scan(rdx_stream *stream, const rdx_buffer *in, rdx_buffer *out, uint64_t count, rdx_error *err) {
  (void)in, (void)out, (void)count;
  return record_to(stream, err);
}

static rdx_status scan_wide(rdx_stream *stream, rdx_buffer *sums, uint64_t count, rdx_error *err) {
  (void)sums, (void)count;
  return record_to(stream, err);
}

static rdx_status reduce(rdx_stream *stream, rdx_reduce_op op, const rdx_buffer *in, uint32_t value_bytes,
                         rdx_buffer *out, uint64_t count, rdx_error *err) {
  (void)op, (void)in, (void)value_bytes, (void)out, (void)count;
  return record_to(stream, err);
}

static rdx_status select_bits(rdx_stream *stream, const rdx_buffer *bits, rdx_buffer *out, rdx_buffer *out_count,
                              uint64_t count, rdx_error *err) {
  (void)bits, (void)out, (void)out_count, (void)count;
  return record_to(stream, err);
}

static rdx_status unique(rdx_stream *stream, const rdx_buffer *keys, uint32_t key_bytes, uint32_t shift,
                         rdx_buffer *out, rdx_buffer *out_count, uint64_t count, rdx_error *err) {
  (void)keys, (void)key_bytes, (void)shift, (void)out, (void)out_count, (void)count;
  return record_to(stream, err);
}

static rdx_status mark(rdx_stream *stream, rdx_error *err) {
  RDX_TRY(record_to(stream, err));
  if (stream->mark_count == RDX_MAX_MARKS)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "too many marks");
  stream->marks_ms[stream->mark_count] = stream->mark_count + 1;
  stream->mark_count++;
  return RDX_OK;
}

static rdx_status finish(rdx_stream *stream, rdx_error *err) {
  RDX_TRY(record_to(stream, err));
  ((player_stream *)stream)->finished = true;
  return RDX_OK;
}

static const rdx_device_ops player_ops = {
    .close = close_device,
    .buffer_create = buffer_create,
    .buffer_destroy = buffer_destroy,
    .buffer_upload = buffer_upload,
    .buffer_download = buffer_download,
    .scene_create = scene_create,
    .scene_refit = scene_refit,
    .scene_destroy = scene_destroy,
    .scene_estimate = scene_estimate,
    .stream_create = stream_create,
    .stream_destroy = stream_destroy,
    .launch = launch,
    .fill = fill,
    .copy = copy,
    .constants = constants,
    .read = read_back,
    .sort = sort,
    .sort_bytes = sort_bytes,
    .scan = scan,
    .scan_wide = scan_wide,
    .reduce = reduce,
    .select = select_bits,
    .unique = unique,
    .mark = mark,
    .finish = finish,
};

rdx_device *player_open(const player_faults *faults) {
  const rdx_device *like = recorder.device;
  rdx_device *device = calloc(1, sizeof *device);
  player.faults = *faults;
  player.random = faults->seed;
  player.returned = player.calls = player.largest = 0;
  player.address = 0xfeed000000000000; /* no pointer */
  device->ops = &player_ops;
  device->info = like->info;
  device->has_f64 = like->has_f64;
  device->has_atomic_u64 = like->has_atomic_u64;
  device->keeps_build_order = like->keeps_build_order;
  device->coordinate_exponent = like->coordinate_exponent;
  return device;
}

uint64_t player_close(rdx_device **device) {
  rdx_device_close(device);
  return player.calls;
}

uint64_t player_largest(void) {
  return player.largest;
}
