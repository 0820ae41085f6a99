/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_COLUMN_DEVICE_COLUMN_H
#define RDX_COLUMN_DEVICE_COLUMN_H

#include <raydex/column.h>

#include "device/device.h"

/* A column on a device: its values as order-preserving keys (column/keys.h). Strings also keep a host copy, since the
 * device holds only their prefixes; a dictionary stays one there. An rdx_encoded_column is made of it where a scan or a
 * star needs bounds, zones or packed codes, too. */
struct rdx_device_column {
  rdx_device *device;
  rdx_type type;
  uint8_t scale;
  uint64_t rows;
  uint64_t nulls;
  uint32_t key_bits;
  rdx_buffer *keys;   /* u32 or u64 */
  rdx_buffer *valid;  /* a bit per row; NULL where no row is NULL */
  uint64_t magnitude; /* integers and decimals: no value is farther from 0 */
  bool exact;         /* strings: the prefix tells them apart */
  uint64_t *offsets;  /* strings: of the rows, or of the dictionary */
  char *bytes;
  uint32_t *places; /* strings with a dictionary: of the rows */
  rdx_column dictionary;
  uint8_t *validity;
};

/* The host copy of a string column. */
rdx_column rdx_device_column_text(const rdx_device_column *column);

/* A string column in host memory: the column itself, or the host copy of a device column. */
rdx_column rdx_column_on_host(const rdx_column *column);

/* A copy of the host copy of a string column, without anything on the device. */
RDX_MUST_USE rdx_status rdx_device_column_copy_text(const rdx_device_column *column, rdx_device_column **out,
                                                    rdx_error *err);

/* Bytes that it takes on the device. */
uint64_t rdx_device_column_bytes(const rdx_device_column *column);

/* Of strings with a dictionary their places in it, as u32; another column as it is. */
rdx_column rdx_column_codes(const rdx_column *column);

/* Use a column on `device`: the device column it views, or a new copy of the host column, which goes to `*owned`
 * (else set to NULL) and is destroyed by the caller. */
RDX_MUST_USE rdx_status rdx_device_column_use(rdx_device *device, const rdx_column *column,
                                              const rdx_device_column **out, rdx_device_column **owned, rdx_error *err);

#endif
