/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_EXECUTE_ROWS_H
#define RDX_EXECUTE_ROWS_H

/* Lists of row numbers, RDX_NO_ROW for none: on the host, on a device, or on both. They are brought to where somebody
 * asks for them, once. */

#include <raydex/column.h>
#include <raydex/device.h>

#include "base/base.h"

/* Memory that several users share; freed with its last one. */
typedef struct rdx_shared rdx_shared;

/* With one user: `drop(owner)` is called after the last, or now on failure. */
RDX_MUST_USE rdx_status rdx_shared_create(void (*drop)(void *owner), void *owner, rdx_shared **out, rdx_error *err);
/* One more user; returns it. NULL is fine. */
rdx_shared *rdx_shared_retain(rdx_shared *shared);
/* One less, and clear `*shared`. NULL is fine. */
void rdx_shared_release(rdx_shared **shared);

typedef struct rdx_row_list rdx_row_list;

/* Rows of the host, which `keeper` (may be NULL) keeps. */
RDX_MUST_USE rdx_status rdx_row_list_create(const uint32_t *rows, rdx_shared *keeper, uint64_t count,
                                            rdx_row_list **out, rdx_error *err);
/* Rows of a device, all below `limit`, or NULL for none: the column becomes the list's, also on failure. */
RDX_MUST_USE rdx_status rdx_row_list_create_on_device(rdx_device_column *rows, uint64_t limit, rdx_row_list **out,
                                                      rdx_error *err);
/* One more user; returns it. NULL is fine. */
rdx_row_list *rdx_row_list_retain(rdx_row_list *list);
/* One less, and clear `*list`. NULL is fine. */
void rdx_row_list_release(rdx_row_list **list);

uint64_t rdx_row_list_count(const rdx_row_list *list);
/* The rows on the host; NULL: they are on the device only. */
const uint32_t *rdx_row_list_there(const rdx_row_list *list);
/* The device that they are on only; NULL: they are on the host. */
rdx_device *rdx_row_list_device(const rdx_row_list *list);
/* Bring them to the host. */
RDX_MUST_USE rdx_status rdx_row_list_on_host(rdx_row_list *list, const uint32_t **out, rdx_error *err);
/* Bring them to a device. */
RDX_MUST_USE rdx_status rdx_row_list_on_device(rdx_row_list *list, rdx_device *device, const rdx_device_column **out,
                                               rdx_error *err);

#endif
