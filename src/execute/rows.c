/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Lists of rows, and how they go from host to device and back. */

#include "execute/rows.h"

#include <raydex/index.h> /* RDX_NO_ROW */

#include <stdatomic.h>

#include "column/derived.h"

#define WHAT "the rows of a result"
#define PIECE 65536u /* rows that a thread looks at */

/* ---- Shared memory ---- */

struct rdx_shared {
  _Atomic uint32_t references;
  void (*drop)(void *owner);
  void *owner;
};

rdx_status rdx_shared_create(void (*drop)(void *owner), void *owner, rdx_shared **out, rdx_error *err) {
  const rdx_status status = rdx_alloc(1, sizeof **out, "a result on its way", (void **)out, err);
  if (status != RDX_OK) {
    drop(owner);
    return status;
  }
  atomic_init(&(*out)->references, 1);
  (*out)->drop = drop;
  (*out)->owner = owner;
  return RDX_OK;
}

rdx_shared *rdx_shared_retain(rdx_shared *shared) {
  if (shared)
    atomic_fetch_add(&shared->references, 1);
  return shared;
}

void rdx_shared_release(rdx_shared **shared) {
  rdx_shared *const s = *shared;
  *shared = NULL;
  if (!s || atomic_fetch_sub(&s->references, 1) > 1)
    return;
  s->drop(s->owner);
  rdx_free(s);
}

/* ---- Lists ---- */

/* One thread at a time uses a list and its copies: those of an execution. */
struct rdx_row_list {
  uint32_t references;
  uint64_t count;
  const uint32_t *host;      /* NULL: they are on the device only, */
  uint64_t limit;            /* where they are below this */
  rdx_shared *keeper;        /* of `host` */
  rdx_device_column *device; /* NULL: they are on the host only */
};

static const uint32_t no_rows = 0; /* where `host` must not be NULL */

static rdx_status create(uint64_t count, rdx_row_list **out, rdx_error *err) {
  RDX_TRY(rdx_calloc(1, sizeof **out, WHAT, (void **)out, err));
  (*out)->references = 1;
  (*out)->count = count;
  return RDX_OK;
}

rdx_status rdx_row_list_create(const uint32_t *rows, rdx_shared *keeper, uint64_t count, rdx_row_list **out,
                               rdx_error *err) {
  RDX_TRY(create(count, out, err));
  (*out)->host = rows ? rows : &no_rows;
  (*out)->keeper = rdx_shared_retain(keeper);
  return RDX_OK;
}

rdx_status rdx_row_list_create_on_device(rdx_device_column *rows, uint64_t limit, rdx_row_list **out, rdx_error *err) {
  const rdx_status status = create(rows->rows, out, err);
  if (status != RDX_OK) {
    rdx_device_column_destroy(&rows);
    return status;
  }
  (*out)->limit = limit;
  (*out)->device = rows;
  if (rows->rows == 0)
    (*out)->host = &no_rows;
  return RDX_OK;
}

rdx_row_list *rdx_row_list_retain(rdx_row_list *list) {
  if (list)
    list->references++;
  return list;
}

void rdx_row_list_release(rdx_row_list **list) {
  rdx_row_list *l = *list;
  *list = NULL;
  if (!l || --l->references > 0)
    return;
  rdx_shared_release(&l->keeper);
  rdx_device_column_destroy(&l->device);
  rdx_free(l);
}

uint64_t rdx_row_list_count(const rdx_row_list *list) {
  return list->count;
}

const uint32_t *rdx_row_list_there(const rdx_row_list *list) {
  return list->host;
}

rdx_device *rdx_row_list_device(const rdx_row_list *list) {
  return list->host ? NULL : list->device->device;
}

/* ---- To the host ---- */

/* What came back, and where it is no row. */
typedef struct arrival {
  uint32_t *rows;
  const uint8_t *valid; /* NULL: all are rows */
  uint64_t limit;
  _Atomic uint64_t wrong; /* one that cannot be; UINT64_MAX: none */
} arrival;

static void check_piece(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  arrival *a = context;
  for (uint64_t i = begin; i < end; i++) {
    if (a->valid && !(a->valid[i / 8] >> i % 8 & 1))
      a->rows[i] = RDX_NO_ROW;
    else if (a->rows[i] >= a->limit)
      atomic_store(&a->wrong, a->rows[i]);
  }
}

static rdx_status download(const rdx_row_list *list, arrival *a, rdx_error *err) {
  const rdx_device_column *d = list->device;
  RDX_SCOPED(rdx_free_local) uint8_t *valid = NULL;
  if (d->valid) {
    RDX_TRY(rdx_alloc(d->valid->size, 1, WHAT, (void **)&valid, err));
    RDX_TRY(rdx_buffer_download(d->valid, 0, valid, d->valid->size, err));
    a->valid = valid;
  }
  RDX_TRY(rdx_buffer_download(d->keys, 0, a->rows, list->count * sizeof *a->rows, err));
  const rdx_status status = rdx_device_run_stage_on_host(d->device, list->count, PIECE, check_piece, a, "execute", err);
  a->valid = NULL;
  RDX_TRY(status);
  const uint64_t wrong = atomic_load(&a->wrong);
  return wrong == UINT64_MAX ? RDX_OK : rdx_returned_wrong(d->device, wrong, 0, list->limit - 1, "a row", err);
}

rdx_status rdx_row_list_on_host(rdx_row_list *list, const uint32_t **out, rdx_error *err) {
  *out = list->host;
  if (list->host)
    return RDX_OK;
  arrival a = {.limit = list->limit};
  atomic_init(&a.wrong, UINT64_MAX);
  RDX_TRY(rdx_device_expect_host(list->device->device, list->count * sizeof *a.rows, "the rows of a result take",
                                 "filter what it is made of", err));
  RDX_TRY(rdx_alloc(list->count, sizeof *a.rows, WHAT, (void **)&a.rows, err));
  RDX_TRY(rdx_shared_create(rdx_free, a.rows, &list->keeper, err));
  const rdx_status status = download(list, &a, err);
  if (status != RDX_OK) {
    rdx_shared_release(&list->keeper);
    return status;
  }
  *out = list->host = a.rows;
  return RDX_OK;
}

/* ---- To the device ---- */

rdx_status rdx_row_list_on_device(rdx_row_list *list, rdx_device *device, const rdx_device_column **out,
                                  rdx_error *err) {
  if (!list->device) {
    RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *rows = NULL;
    RDX_TRY(rdx_buffer_create(device, list->count * sizeof *list->host, WHAT, &rows, err));
    if (list->count > 0)
      RDX_TRY(rdx_buffer_upload(rows, 0, list->host, list->count * sizeof *list->host, err));
    RDX_TRY(rdx_device_column_of_rows(rows, list->count, list->count > 0, &list->device, err));
  }
  *out = list->device;
  return RDX_OK;
}
