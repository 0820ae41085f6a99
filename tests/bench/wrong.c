/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Loaded before the library, this makes one answer wrong: that of WRONG, a function of the library. */

#include <raydex/raydex.h>

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static bool is_wrong(const char *function) {
  const char *wrong = getenv("WRONG");
  return wrong && strcmp(wrong, function) == 0;
}

/* The library's own function; ISO C has no conversion from an object. */
static void find(const char *function, void *out) {
  void *found = dlsym(RTLD_NEXT, function);
  if (!found)
    abort();
  memcpy(out, &found, sizeof found);
}

static void change(const uint32_t *number) {
  ++*(uint32_t *)(uintptr_t)number;
}

rdx_status rdx_lookup_result_view(rdx_lookup_result *result, rdx_lookup_view *out, rdx_error *err) {
  rdx_status (*read)(rdx_lookup_result *, rdx_lookup_view *, rdx_error *);
  find("rdx_lookup_result_view", &read);
  const rdx_status status = read(result, out, err);
  if (status == RDX_OK && is_wrong("rdx_lookup_result_view"))
    change(out->first ? &out->first[5] : &out->count[5]);
  return status;
}

rdx_status rdx_scan_result_view(rdx_scan_result *result, rdx_scan_view *out, rdx_error *err) {
  rdx_status (*read)(rdx_scan_result *, rdx_scan_view *, rdx_error *);
  find("rdx_scan_result_view", &read);
  const rdx_status status = read(result, out, err);
  if (status == RDX_OK && is_wrong("rdx_scan_result_view"))
    *(uint32_t *)(uintptr_t)&out->bitmap[1] ^= 8;
  return status;
}

rdx_status rdx_join_result_view(rdx_join_result *result, rdx_join_view *out, rdx_error *err) {
  rdx_status (*read)(rdx_join_result *, rdx_join_view *, rdx_error *);
  find("rdx_join_result_view", &read);
  const rdx_status status = read(result, out, err);
  out->count += is_wrong("rdx_join_result_view");
  return status;
}

/* Of a query the number of rows ("rows"), or the first number of a column ("values"). */
rdx_status rdx_query_result_view(const rdx_query_result *result, rdx_query_view *out, rdx_error *err) {
  rdx_status (*read)(const rdx_query_result *, rdx_query_view *, rdx_error *);
  find("rdx_query_result_view", &read);
  const rdx_status status = read(result, out, err);
  out->rows += is_wrong("rdx_query_result_view rows");
  for (uint32_t i = 0; i < out->column_count && is_wrong("rdx_query_result_view values"); i++)
    if (out->columns[i].rows > 0 && out->columns[i].type == RDX_TYPE_I64)
      *(int64_t *)(uintptr_t)out->columns[i].values = 17;
  return status;
}
