/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Strings as places in a dictionary, for columns and for probes. */

#include "column/text_codes.h"

#include "column/column.h"
#include "column/device_column.h"
#include "column/keys.h"

#define SAMPLE 4096
#define ALIKE 4 /* as many strings to a prefix, or rows to a string, are too many */

/* ---- Columns ---- */

static uint64_t count_distinct(uint64_t *keys, uint64_t count, uint64_t *scratch) {
  uint64_t distinct = count > 0;
  rdx_sort_order(keys, count, scratch, scratch + count);
  for (uint64_t i = 1; i < count; i++)
    distinct += keys[scratch[i]] != keys[scratch[i - 1]];
  return distinct;
}

/* How many strings, and how many prefixes, some rows of a column have, and how many rows these are. */
static rdx_status survey(const rdx_column *text, uint64_t *rows, uint64_t *strings, uint64_t *prefixes,
                         rdx_error *err) {
  RDX_SCOPED(rdx_distinct_drop) rdx_distinct distinct = {0};
  RDX_SCOPED(rdx_free_local) uint64_t *keys = NULL;
  uint64_t count = 0;
  uint32_t number = 0;
  const uint64_t step = 1 + text->rows / SAMPLE;
  RDX_TRY(rdx_alloc(6 * (SAMPLE + 1), sizeof *keys, "a sample of strings", (void **)&keys, err));
  for (uint64_t row = 0; row < text->rows; row += step) {
    uint64_t length = 0;
    const char *bytes = rdx_column_text(text, row, &length);
    if (!rdx_column_has(text, row))
      continue;
    rdx_keys_encode(text, row, 1, &keys[count++]);
    RDX_TRY(rdx_distinct_add(&distinct, bytes, length, &number, err));
  }
  *rows = count;
  *strings = distinct.strings.rows;
  *prefixes = count_distinct(keys, count, keys + SAMPLE + 1);
  return RDX_OK;
}

rdx_status rdx_text_wants_codes(const rdx_device_column *column, bool *out, rdx_error *err) {
  uint64_t rows = 0, strings = 0, prefixes = 0;
  *out = false;
  if (column->type != RDX_TYPE_STRING || column->exact)
    return RDX_OK;
  const rdx_column text = rdx_device_column_text(column);
  RDX_TRY(survey(&text, &rows, &strings, &prefixes, err));
  *out = strings >= ALIKE * prefixes || rows >= ALIKE * strings;
  return RDX_OK;
}

rdx_status rdx_text_codes_create(const rdx_device_column *column, rdx_dictionary **dictionary,
                                 rdx_device_column **codes, rdx_error *err) {
  RDX_SCOPED(rdx_dictionary_destroy) rdx_dictionary *made = NULL;
  const rdx_column text = rdx_device_column_text(column);
  RDX_SCOPED(rdx_free_local) uint32_t *values = NULL;
  RDX_TRY(rdx_alloc(text.rows, sizeof *values, "the codes of strings", (void **)&values, err));
  RDX_TRY(rdx_dictionary_create(&text, values, &made, err));
  const rdx_column view = {.type = RDX_TYPE_U32, .rows = text.rows, .values = values, .validity = text.validity};
  RDX_TRY(rdx_device_column_create(column->device, &view, codes, err));
  *dictionary = RDX_KEEP(made);
  return RDX_OK;
}

/* ---- Probes ---- */

static rdx_status check_strings(const rdx_column *probes, rdx_error *err) {
  if (probes->type == RDX_TYPE_STRING)
    return RDX_OK;
  return rdx_fail(err, RDX_ERROR_ARGUMENT, "probes of type %s cannot be looked up among keys of type string",
                  rdx_type_name(probes->type));
}

static rdx_status start(const rdx_column *probes, rdx_column *text, rdx_column *out, rdx_error *err) {
  uint32_t *codes = NULL;
  RDX_TRY(check_strings(probes, err));
  *text = rdx_column_on_host(probes);
  RDX_TRY(rdx_column_check(text, "the probes", err));
  RDX_TRY(rdx_alloc(text->rows, sizeof *codes, "the codes of probes", (void **)&codes, err));
  *out = (rdx_column){.type = RDX_TYPE_U32, .rows = text->rows, .values = codes, .validity = text->validity};
  return RDX_OK;
}

static rdx_status make_points(const rdx_dictionary *d, const rdx_column *points, rdx_column *out, rdx_error *err) {
  rdx_column text;
  RDX_TRY(start(points, &text, out, err));
  uint32_t *codes = (uint32_t *)(uintptr_t)out->values;
  for (uint64_t i = 0; i < text.rows; i++) {
    bool equal = false;
    const uint32_t place = rdx_column_has(&text, i) ? rdx_dictionary_search(d, &text, i, &equal) : 0;
    codes[i] = equal ? place : UINT32_MAX;
  }
  return RDX_OK;
}

static rdx_status make_bounds(const rdx_dictionary *d, const rdx_column *lower, const rdx_column *upper,
                              rdx_text_probes *out, rdx_error *err) {
  rdx_column low, high;
  RDX_TRY(start(lower, &low, &out->lower, err));
  RDX_TRY(start(upper, &high, &out->upper, err));
  uint32_t *from = (uint32_t *)(uintptr_t)out->lower.values, *to = (uint32_t *)(uintptr_t)out->upper.values;
  for (uint64_t i = 0; i < low.rows; i++) {
    bool equal = false;
    const bool both = rdx_column_has(&low, i) && rdx_column_has(&high, i);
    const uint32_t first = both ? rdx_dictionary_search(d, &low, i, &equal) : 0;
    const uint32_t end = both ? rdx_dictionary_search(d, &high, i, &equal) + equal : 0; /* above the last */
    from[i] = first < end ? first : 1;
    to[i] = first < end ? end - 1 : 0;
  }
  return RDX_OK;
}

rdx_status rdx_text_probes_make(const rdx_dictionary *dictionary, const rdx_column *lower, const rdx_column *upper,
                                rdx_text_probes *out, rdx_error *err) {
  *out = (rdx_text_probes){0};
  return upper ? make_bounds(dictionary, lower, upper, out, err) : make_points(dictionary, lower, &out->lower, err);
}

void rdx_text_probes_drop(rdx_text_probes *probes) {
  RDX_FREE_ALL((void *)(uintptr_t)probes->lower.values, (void *)(uintptr_t)probes->upper.values);
  *probes = (rdx_text_probes){0};
}
