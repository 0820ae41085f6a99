/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

#include "index/summing.h"

#include "kernels/lookup/lookup.h"
#include "kernels/primitives/kernels.h"

uint32_t rdx_value_kind(rdx_type type) {
  switch (type) {
  case RDX_TYPE_I8:
  case RDX_TYPE_I16:
  case RDX_TYPE_I32:
    return VALUE_I32;
  case RDX_TYPE_I64:
  case RDX_TYPE_DECIMAL:
    return VALUE_I64;
  case RDX_TYPE_U64:
    return VALUE_U64;
  default:
    return VALUE_U32;
  }
}

rdx_status rdx_summing_check_rows(const rdx_column *values, uint64_t rows, rdx_error *err) {
  if (values && values->rows != rows)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "the value column has %llu rows, the index %llu",
                    (unsigned long long)values->rows, (unsigned long long)rows);
  return RDX_OK;
}

rdx_status rdx_summing_choose(const rdx_device *device, const rdx_device_column *v, bool on_host, rdx_summing *out,
                              rdx_lookup_result *result, rdx_error *err) {
  switch (v->type) {
  case RDX_TYPE_F32:
  case RDX_TYPE_F64:
    if (!device->has_f64 && !on_host)
      return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "%s has no 64-bit floats, in which float columns are summed",
                      device->info.name);
    *out = RDX_SUM_FLOATS;
    result->sum_type = RDX_TYPE_F64;
    return RDX_OK;
  case RDX_TYPE_BOOL:
  case RDX_TYPE_I8:
  case RDX_TYPE_I16:
  case RDX_TYPE_I32:
  case RDX_TYPE_I64:
    result->sum_type = RDX_TYPE_I64;
    break;
  case RDX_TYPE_DECIMAL:
    result->sum_type = RDX_TYPE_DECIMAL;
    result->sum_scale = v->scale;
    break;
  case RDX_TYPE_U8:
  case RDX_TYPE_U16:
  case RDX_TYPE_U32:
  case RDX_TYPE_U64:
    result->sum_type = RDX_TYPE_U64;
    break;
  default:
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "values of type %s have no sum", rdx_type_name(v->type));
  }
  const uint64_t limit = v->type == RDX_TYPE_U64 ? UINT64_MAX : INT64_MAX;
  *out = v->rows > 0 && v->magnitude > limit / v->rows ? RDX_SUM_WIDE : RDX_SUM_PLAIN;
  return RDX_OK;
}

rdx_status rdx_sums_join(rdx_stream *stream, rdx_type type, rdx_buffer **sums, uint64_t count, uint32_t *bad,
                         rdx_error *err) {
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *joined = NULL, *overflow = NULL;
  RDX_TRY(rdx_buffer_create((*sums)->device, count * 8, "the results of a lookup", &joined, err));
  RDX_TRY(rdx_buffer_create((*sums)->device, 4, "the results of a lookup", &overflow, err));
  RDX_TRY(rdx_stream_fill(stream, overflow, 0, 4, 0, err));
  RDX_TRY(rdx_primitive_wide(stream, *sums, type != RDX_TYPE_U64, joined, overflow, count, err));
  RDX_TRY(rdx_stream_finish(stream, err));
  RDX_TRY(rdx_buffer_download(overflow, 0, bad, 4, err));
  RDX_TRY(rdx_returned_number(joined->device, *bad, 0, count, "the probe of a sum that overflows", err));
  rdx_buffer_destroy(sums);
  *sums = RDX_KEEP(joined);
  return RDX_OK;
}
