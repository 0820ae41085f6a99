/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Joins of strings compare their codes. */

#include "join/strings.h"

#include "column/column.h"
#include "column/device_column.h"
#include "column/dictionary.h"

#define PREFIX_BYTES 8 /* of a string that an index holds */

static bool has_long(const rdx_column *column) {
  const rdx_column text = rdx_column_on_host(column), *strings = text.dictionary ? text.dictionary : &text;
  if (!strings->offsets)
    return false;
  for (uint64_t i = 0; i < strings->rows; i++)
    if (strings->offsets[i + 1] - strings->offsets[i] > PREFIX_BYTES)
      return true;
  return false;
}

bool rdx_join_wants_codes(const rdx_column *left, const rdx_column *right) {
  return left->type == RDX_TYPE_STRING && right->type == RDX_TYPE_STRING && (has_long(left) || has_long(right));
}

static rdx_status encode(const rdx_column *column, const char *what, rdx_column *out, rdx_dictionary **dictionary,
                         rdx_error *err) {
  const rdx_column text = rdx_column_on_host(column);
  uint32_t *codes = NULL;
  RDX_TRY(rdx_column_check(&text, what, err));
  RDX_TRY(rdx_alloc(text.rows, sizeof *codes, "the codes of strings", (void **)&codes, err));
  *out = (rdx_column){.type = RDX_TYPE_U32, .rows = text.rows, .values = codes, .validity = text.validity};
  return rdx_dictionary_create(&text, codes, dictionary, err);
}

rdx_status rdx_join_codes_make(const rdx_column *left, const rdx_column *right, rdx_join_codes *out, rdx_error *err) {
  RDX_SCOPED(rdx_dictionary_destroy) rdx_dictionary *own = NULL, *other = NULL;
  RDX_SCOPED(rdx_free_local) uint32_t *map = NULL;
  *out = (rdx_join_codes){0};
  RDX_TRY(encode(left, "the left column", &out->left, &own, err));
  RDX_TRY(encode(right, "the right column", &out->right, &other, err));
  RDX_TRY(rdx_dictionary_map(own, other, &map, err));
  uint32_t *codes = (uint32_t *)(uintptr_t)out->left.values;
  for (uint64_t i = 0; i < out->left.rows; i++)
    codes[i] = rdx_column_has(&out->left, i) ? map[codes[i]] : 0;
  return RDX_OK;
}

void rdx_join_codes_drop(rdx_join_codes *codes) {
  RDX_FREE_ALL((void *)(uintptr_t)codes->left.values, (void *)(uintptr_t)codes->right.values);
  *codes = (rdx_join_codes){0};
}
