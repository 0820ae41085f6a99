/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_EXECUTE_ON_DEVICE_H
#define RDX_EXECUTE_ON_DEVICE_H

/* Joins and aggregates whose rows stay on the device: columns are taken there row by row, and only what an evaluation
 * reads comes back. */

#include "execute/pairs.h"

/* Whether so many rows are joined or aggregated on the device. */
bool rdx_runs_on_device(const rdx_execution *x, uint64_t rows);

/* The device for a node's work on so many rows that the host has: a GPU leaves few to the host's threads. */
RDX_MUST_USE rdx_status rdx_device_for_rows(rdx_execution *x, const rdx_plan_node *node, uint64_t rows,
                                            rdx_device **out, rdx_error *err);

/* Whether a column of a frame is taken to the device for less than its values: it is there, or its rows are. Strings
 * are where a table has their dictionary. */
bool rdx_is_device_column(const rdx_frame_column *column);

/* A column of a frame on the device, strings as their places in the dictionary (u32). `*owned`: what the view needs
 * beside the frame, for rdx_device_column_destroy(); may be NULL. */
RDX_MUST_USE rdx_status rdx_frame_on_device(rdx_execution *x, const rdx_frame *frame, uint32_t index,
                                            rdx_device_column **owned, rdx_column *out, rdx_error *err);

/* Join on the device; `*done` false: the kind of join, its keys or the memory there do not allow that. */
RDX_MUST_USE rdx_status rdx_join_on_device(rdx_joining *j, rdx_frame *out, bool *done, rdx_error *err);

#endif
