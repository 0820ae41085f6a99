/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_COLUMN_DERIVED_H
#define RDX_COLUMN_DERIVED_H

#include "column/device_column.h"

/* Device columns made of what is on the device already. Each is independent of what it was made of: it shares buffers
 * and never writes to them. */

/* Row numbers, or counts (u32). RDX_NO_ROW is NULL where `some_absent`. */
RDX_MUST_USE rdx_status rdx_device_column_of_rows(rdx_buffer *rows, uint64_t count, bool some_absent,
                                                  rdx_device_column **out, rdx_error *err);

/* Sums of 64 bits as their type has them; NULL where `counts` (u32) are 0. */
RDX_MUST_USE rdx_status rdx_device_column_of_sums(rdx_type type, uint8_t scale, rdx_buffer *sums,
                                                  const rdx_buffer *counts, uint64_t count, rdx_device_column **out,
                                                  rdx_error *err);

/* A host column, with the rows NULL whose word is `absent`. */
RDX_MUST_USE rdx_status rdx_device_column_upload(rdx_device *device, const rdx_column *column, const uint32_t *words,
                                                 uint32_t absent, rdx_device_column **out, rdx_error *err);

/* The probe of each of `count` rows: see rdx_primitive_owner(). */
RDX_MUST_USE rdx_status rdx_device_column_of_probes(const rdx_buffer *offsets, uint64_t probes, uint64_t count,
                                                    rdx_device_column **out, rdx_error *err);

/* The column with the rows NULL whose bit in `bits`, a bitmap of all its rows, is not set. */
RDX_MUST_USE rdx_status rdx_device_column_filter(const rdx_device_column *column, const rdx_buffer *bits,
                                                 rdx_device_column **out, rdx_error *err);

/* The numbers of the rows that have a value, or of those that have none, ascending. */
RDX_MUST_USE rdx_status rdx_device_column_rows(const rdx_device_column *column, bool with_value,
                                               rdx_device_column **out, rdx_error *err);

/* Two columns of 32-bit keys and as many rows as one of u64, equal where both are equal; NULL where one is. */
RDX_MUST_USE rdx_status rdx_device_column_pair(const rdx_device_column *high, const rdx_device_column *low,
                                               rdx_device_column **out, rdx_error *err);

/* A list of rows (u32, none NULL) and after it those of another; `more` NULL: so many NULLs. */
RDX_MUST_USE rdx_status rdx_device_column_append(const rdx_device_column *rows, const rdx_device_column *more,
                                                 uint64_t nulls, rdx_device_column **out, rdx_error *err);

#endif
