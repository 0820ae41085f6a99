/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Results of lookups as columns of the device. */

#include "column/derived.h"
#include "index/result.h"

static bool has(const rdx_lookup_result *r, rdx_lookup_result_kind what) {
  return r->kind == what || (r->kind == RDX_LOOKUP_SUM && what == RDX_LOOKUP_COUNT);
}

static rdx_status share(const rdx_lookup_result *r, rdx_lookup_result_kind what, rdx_device_column **out,
                        rdx_error *err) {
  const rdx_parts *p = &r->parts;
  switch (what) {
  case RDX_LOOKUP_COUNT:
    return rdx_device_column_of_rows(p->count, r->probes, false, out, err);
  case RDX_LOOKUP_FIRST:
    return rdx_device_column_of_rows(p->first, r->probes, true, out, err);
  case RDX_LOOKUP_SUM:
    return rdx_device_column_of_sums(r->sum_type, r->sum_scale, p->sum, p->count, r->probes, out, err);
  case RDX_LOOKUP_ROWS:
    return rdx_device_column_of_rows(p->rows, p->row_count, false, out, err);
  }
  return RDX_ERROR_INTERNAL; /* the caller has checked the kind */
}

static rdx_column describe(const rdx_lookup_view *v, rdx_lookup_result_kind what) {
  rdx_column c = {.type = RDX_TYPE_U32, .rows = v->probes, .values = what == RDX_LOOKUP_COUNT ? v->count : v->first};
  if (what == RDX_LOOKUP_ROWS) {
    c.rows = v->offsets[v->probes];
    c.values = v->rows;
  } else if (what == RDX_LOOKUP_SUM) {
    c.type = v->sum_type;
    c.scale = v->sum_scale;
    c.values = v->sum_f64 ? (const void *)v->sum_f64 : v->sum_u64 ? (const void *)v->sum_u64 : v->sum_i64;
  }
  return c;
}

static rdx_status upload(rdx_lookup_result *r, rdx_lookup_result_kind what, rdx_device_column **out, rdx_error *err) {
  rdx_lookup_view v;
  RDX_TRY(rdx_lookup_result_view(r, &v, err));
  const rdx_column column = describe(&v, what);
  if (what == RDX_LOOKUP_FIRST)
    return rdx_device_column_upload(r->device, &column, v.first, RDX_NO_ROW, out, err);
  if (what == RDX_LOOKUP_SUM)
    return rdx_device_column_upload(r->device, &column, v.count, 0, out, err);
  return rdx_device_column_create(r->device, &column, out, err);
}

rdx_status rdx_lookup_result_column(rdx_lookup_result *result, rdx_lookup_result_kind what, rdx_device_column **out,
                                    rdx_error *err) {
  if (!result || !out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_lookup_result_column: result and out must not be NULL");
  if (result->given_away)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_lookup_result_column: the rows of this result went to `each`");
  if (!has(result, what))
    return rdx_fail(err, RDX_ERROR_ARGUMENT,
                    "rdx_lookup_result_column: the lookup did not ask for that; set rdx_lookup_params.result");
  return result->on_device && result->probes > 0 ? share(result, what, out, err) : upload(result, what, out, err);
}
