/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_DEVICE_WORKSPACE_H
#define RDX_DEVICE_WORKSPACE_H

#include "device/device.h"

/* Streams and buffers that runs of a scan hand on to the next run, so that a run allocates nothing. Thread safe. */
typedef struct rdx_workspace rdx_workspace;

RDX_MUST_USE rdx_status rdx_workspace_create(rdx_device *device, uint64_t bitmap_bytes, rdx_workspace **out,
                                             rdx_error *err);
void rdx_workspace_destroy(rdx_workspace **workspace);

/* A bitmap of the scan's rows, or a buffer for one u64. Given back, or destroyed, by the caller. */
RDX_MUST_USE rdx_status rdx_workspace_take_bitmap(rdx_workspace *workspace, rdx_buffer **out, rdx_error *err);
RDX_MUST_USE rdx_status rdx_workspace_take_count(rdx_workspace *workspace, rdx_buffer **out, rdx_error *err);
RDX_MUST_USE rdx_status rdx_workspace_take_stream(rdx_workspace *workspace, rdx_stream **out, rdx_error *err);

/* Hand back and clear; NULL is fine. No device work that uses them may be pending. A stream whose work failed is not
 * handed back but destroyed. */
void rdx_workspace_give_bitmap(rdx_workspace *workspace, rdx_buffer **bitmap);
void rdx_workspace_give_count(rdx_workspace *workspace, rdx_buffer **count);
void rdx_workspace_give_stream(rdx_workspace *workspace, rdx_stream **stream);

#endif
