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

rdx_status rdx_result_read(rdx_result *result, rdx_result_view *out, rdx_error *err) {
  rdx_status (*read)(rdx_result *, rdx_result_view *, rdx_error *);
  find("rdx_result_read", &read);
  const rdx_status status = read(result, out, err);
  if (status == RDX_OK && is_wrong("rdx_result_read"))
    change(out->first ? &out->first[5] : &out->count[5]);
  return status;
}

rdx_status rdx_scan_result_read(rdx_scan_result *result, rdx_scan_view *out, rdx_error *err) {
  rdx_status (*read)(rdx_scan_result *, rdx_scan_view *, rdx_error *);
  find("rdx_scan_result_read", &read);
  const rdx_status status = read(result, out, err);
  if (status == RDX_OK && is_wrong("rdx_scan_result_read"))
    *(uint32_t *)(uintptr_t)&out->bitmap[1] ^= 8;
  return status;
}

void rdx_join_get(const rdx_join *join, rdx_join_view *out) {
  void (*get)(const rdx_join *, rdx_join_view *);
  find("rdx_join_get", &get);
  get(join, out);
  out->count += is_wrong("rdx_join_get");
}

uint64_t rdx_query_result_rows(const rdx_query_result *result) {
  uint64_t (*rows)(const rdx_query_result *);
  find("rdx_query_result_rows", &rows);
  return rows(result) + is_wrong("rdx_query_result_rows");
}

const rdx_column *rdx_query_result_column(const rdx_query_result *result, uint32_t index) {
  const rdx_column *(*column)(const rdx_query_result *, uint32_t);
  find("rdx_query_result_column", &column);
  const rdx_column *c = column(result, index);
  if (c && c->rows > 0 && c->type == RDX_TYPE_I64 && is_wrong("rdx_query_result_column"))
    *(int64_t *)(uintptr_t)c->values = 17;
  return c;
}
