/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Indexes over several columns, whose keys are packed into one number (RTIndeX, section 3.2). */

#include "column/composite.h"
#include "index/index.h"
#include "index/result.h"

_Static_assert(RDX_INDEX_COLUMNS == RDX_COMPOSITE_COLUMNS, "the columns of an index");

rdx_status rdx_index_check_single(const rdx_index *index, const char *what, rdx_error *err) {
  if (!index->composite)
    return RDX_OK;
  return rdx_fail(err, RDX_ERROR_UNSUPPORTED,
                  "%s is for an index over one column; this one has %u, for which there are rdx_index_lookup_columns() "
                  "and rdx_index_range_columns()",
                  what, rdx_composite_count(index->composite));
}

rdx_status rdx_index_create_columns(rdx_device *device, const rdx_column *keys, uint32_t count,
                                    const rdx_index_params *params, rdx_index **out, rdx_error *err) {
  if (!device || !keys || !out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_index_create_columns: device, keys and out must not be NULL");
  const double start = rdx_now_ms();
  RDX_SCOPED(rdx_composite_destroy) rdx_composite *composite = NULL;
  RDX_SCOPED(rdx_packed_keys_drop) rdx_packed_keys packed = {0};
  RDX_TRY(rdx_composite_create(keys, count, &composite, err));
  RDX_TRY(rdx_composite_keys(composite, keys, &packed, err));
  RDX_TRY(rdx_index_create(device, &packed.column, params, out, err));
  (*out)->composite = composite;
  (*out)->stats.total_ms = rdx_now_ms() - start;
  composite = NULL;
  return RDX_OK;
}

/* `upper` NULL: points. */
static rdx_status look_up(const rdx_index *index, const rdx_column *lower, const rdx_column *upper, uint32_t count,
                          const rdx_lookup_params *params, rdx_lookup_result **out, rdx_error *err) {
  static const rdx_lookup_options ordinary = {0};
  const double start = rdx_now_ms();
  if (!index->composite)
    return rdx_fail(err, RDX_ERROR_ARGUMENT,
                    "the index is over one column: rdx_index_lookup() and rdx_index_range() look up in it");
  RDX_SCOPED(rdx_packed_keys_drop) rdx_packed_keys low = {0};
  RDX_SCOPED(rdx_packed_keys_drop) rdx_packed_keys high = {0};
  RDX_TRY(rdx_composite_probes(index->composite, lower, upper, count, &low, &high, err));
  const double packing = rdx_now_ms() - start;
  const rdx_column *const last = high.values ? &high.column : NULL;
  RDX_TRY(rdx_index_look_up_for(index, &low.column, last, params, &ordinary, out, err));
  (*out)->stats.upload_ms += packing;
  (*out)->stats.total_ms += packing;
  return RDX_OK;
}

rdx_status rdx_index_lookup_columns(const rdx_index *index, const rdx_column *probes, uint32_t count,
                                    const rdx_lookup_params *params, rdx_lookup_result **out, rdx_error *err) {
  if (!index || !probes || !out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_index_lookup_columns: index, probes and out must not be NULL");
  return look_up(index, probes, NULL, count, params, out, err);
}

rdx_status rdx_index_range_columns(const rdx_index *index, const rdx_column *lower, const rdx_column *upper,
                                   uint32_t count, const rdx_lookup_params *params, rdx_lookup_result **out,
                                   rdx_error *err) {
  if (!index || !lower || !upper || !out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_index_range_columns: index, lower, upper and out must not be NULL");
  return look_up(index, lower, upper, count, params, out, err);
}
