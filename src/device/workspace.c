/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Streams and buffers kept between runs of a scan. */

#include "device/workspace.h"

#include <pthread.h>

#define KEPT 8 /* of each kind */

typedef struct shelf {
  uint32_t count;
  void *items[KEPT];
} shelf;

struct rdx_workspace {
  rdx_device *device;
  uint64_t bitmap_bytes;
  pthread_mutex_t lock;
  shelf bitmaps, counts, streams;
};

rdx_status rdx_workspace_create(rdx_device *device, uint64_t bitmap_bytes, rdx_workspace **out, rdx_error *err) {
  rdx_workspace *s = NULL;
  RDX_TRY(rdx_calloc(1, sizeof *s, "a scan", (void **)&s, err));
  s->device = device;
  s->bitmap_bytes = bitmap_bytes;
  pthread_mutex_init(&s->lock, NULL);
  *out = s;
  return RDX_OK;
}

static void *take(rdx_workspace *s, shelf *from) {
  RDX_LOCKED(&s->lock);
  return from->count > 0 ? from->items[--from->count] : NULL;
}

/* Whether there was room. */
static bool give(rdx_workspace *s, shelf *to, void *item) {
  RDX_LOCKED(&s->lock);
  const bool capacity = to->count < KEPT;
  if (capacity)
    to->items[to->count++] = item;
  return capacity;
}

rdx_status rdx_workspace_take_bitmap(rdx_workspace *s, rdx_buffer **out, rdx_error *err) {
  *out = take(s, &s->bitmaps);
  return *out ? RDX_OK : rdx_buffer_create(s->device, s->bitmap_bytes, "a bitmap of rows", out, err);
}

rdx_status rdx_workspace_take_count(rdx_workspace *s, rdx_buffer **out, rdx_error *err) {
  *out = take(s, &s->counts);
  return *out ? RDX_OK : rdx_buffer_create(s->device, 8, "a count of rows", out, err);
}

rdx_status rdx_workspace_take_stream(rdx_workspace *s, rdx_stream **out, rdx_error *err) {
  *out = take(s, &s->streams);
  return *out ? RDX_OK : rdx_stream_create(s->device, out, err);
}

void rdx_workspace_give_bitmap(rdx_workspace *s, rdx_buffer **bitmap) {
  if (*bitmap && !give(s, &s->bitmaps, *bitmap))
    rdx_buffer_destroy(bitmap);
  *bitmap = NULL;
}

void rdx_workspace_give_count(rdx_workspace *s, rdx_buffer **count) {
  if (*count && !give(s, &s->counts, *count))
    rdx_buffer_destroy(count);
  *count = NULL;
}

void rdx_workspace_give_stream(rdx_workspace *s, rdx_stream **stream) {
  if (*stream && !give(s, &s->streams, *stream))
    rdx_stream_destroy(stream);
  *stream = NULL;
}

void rdx_workspace_destroy(rdx_workspace **workspace) {
  rdx_workspace *s = *workspace;
  if (!s)
    return;
  for (rdx_buffer *b; (b = take(s, &s->bitmaps)) != NULL;)
    rdx_buffer_destroy(&b);
  for (rdx_buffer *b; (b = take(s, &s->counts)) != NULL;)
    rdx_buffer_destroy(&b);
  for (rdx_stream *stream; (stream = take(s, &s->streams)) != NULL;)
    rdx_stream_destroy(&stream);
  pthread_mutex_destroy(&s->lock);
  rdx_free(s);
  *workspace = NULL;
}
