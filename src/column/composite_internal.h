/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_COLUMN_COMPOSITE_INTERNAL_H
#define RDX_COLUMN_COMPOSITE_INTERNAL_H

#include "column/composite.h"
#include "column/dictionary.h"
#include "column/keys.h"

/* A column of a composite key. Codes 0 .. last are values, last + 1 is NULL. */
typedef struct rdx_component {
  rdx_type type;
  uint8_t scale;
  bool nulls; /* whether NULL has a code: that of the first column has none */
  bool empty; /* no value at all: code 0 is of none */
  uint32_t bits, shift;
  uint64_t smallest, last;    /* code = key - smallest, without a dictionary */
  rdx_dictionary *dictionary; /* code = place; or NULL */
} rdx_component;

struct rdx_composite {
  uint32_t count, bits;
  rdx_component parts[RDX_COMPOSITE_COLUMNS];
};

/* `rows` keys of 0, with bits of validity that are set if there may be NULLs. */
RDX_MUST_USE rdx_status rdx_packed_keys_create(const rdx_composite *composite, uint64_t rows, bool nulls,
                                               rdx_packed_keys *out, rdx_error *err);

#endif
