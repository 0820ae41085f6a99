/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Build an index over a column of zip codes, then look up single codes and a range of codes. */

#include <raydex/raydex.h>

#include <stdio.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const int32_t zip_codes[] = {94107, 10001, 94110, 60601, 94110, 73301, 94199, 98101, 94110, 2108};

static rdx_column column_of(const int32_t *values, uint64_t rows) {
  return (rdx_column){.type = RDX_TYPE_I32, .rows = rows, .values = values};
}

/* How many rows have each code, and which is the first. */
static rdx_status look_up_points(const rdx_index *index, rdx_error *err) {
  static const int32_t wanted[] = {94110, 2108, 12345};
  const rdx_column probes = column_of(wanted, COUNT(wanted));

  rdx_lookup_result *counts = NULL, *firsts = NULL;
  rdx_lookup_view count, first;
  rdx_status status = rdx_index_lookup(index, &probes, &(rdx_lookup_params){.result = RDX_LOOKUP_COUNT}, &counts, err);
  if (status == RDX_OK)
    status = rdx_lookup_result_view(counts, &count, err);
  if (status == RDX_OK)
    status = rdx_index_lookup(index, &probes, &(rdx_lookup_params){.result = RDX_LOOKUP_FIRST}, &firsts, err);
  if (status == RDX_OK)
    status = rdx_lookup_result_view(firsts, &first, err);

  for (size_t i = 0; status == RDX_OK && i < COUNT(wanted); i++) {
    printf("zip code %05d: %u found", (int)wanted[i], (unsigned)count.count[i]);
    if (first.first[i] != RDX_NO_ROW)
      printf(", the first in row %u", (unsigned)first.first[i]);
    printf("\n");
  }
  rdx_lookup_result_destroy(&firsts);
  rdx_lookup_result_destroy(&counts);
  return status;
}

/* All rows whose code is from 94100 to 94199. */
static rdx_status look_up_range(const rdx_index *index, rdx_error *err) {
  const int32_t low = 94100, high = 94199;
  const rdx_column lower = column_of(&low, 1), upper = column_of(&high, 1);

  rdx_lookup_result *result = NULL;
  rdx_lookup_view view;
  rdx_status status =
      rdx_index_range(index, &lower, &upper, &(rdx_lookup_params){.result = RDX_LOOKUP_ROWS}, &result, err);
  if (status == RDX_OK)
    status = rdx_lookup_result_view(result, &view, err);
  if (status == RDX_OK) {
    printf("zip codes %05d to %05d:", (int)low, (int)high);
    for (uint64_t i = view.offsets[0]; i < view.offsets[1]; i++)
      printf(" row %u (%05d)", (unsigned)view.rows[i], (int)zip_codes[view.rows[i]]);
    printf("\n");
  }
  rdx_lookup_result_destroy(&result);
  return status;
}

int main(void) {
  rdx_error err;
  rdx_device *device = NULL;
  rdx_index *index = NULL;
  const rdx_column keys = column_of(zip_codes, COUNT(zip_codes));

  rdx_status status = rdx_device_open("cpu", NULL, &device, &err);
  if (status == RDX_OK)
    status = rdx_index_create(device, &keys, &(rdx_index_params){.method = RDX_INDEX_RX}, &index, &err);
  if (status == RDX_OK)
    status = look_up_points(index, &err);
  if (status == RDX_OK)
    status = look_up_range(index, &err);
  if (status != RDX_OK)
    fprintf(stderr, "%s: %s\n", rdx_status_name(status), err.text);

  rdx_index_destroy(&index);
  rdx_device_close(&device);
  return status == RDX_OK ? 0 : 1;
}
