/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Whether what a device returned can be. */

#include "device/device.h"

rdx_status rdx_returned_wrong(const rdx_device *device, uint64_t value, uint64_t min, uint64_t max, const char *what,
                              rdx_error *err) {
  return rdx_fail(err, RDX_ERROR_INTERNAL,
                  "%s returned %llu for %s, which can be %llu to %llu: a defect of its driver or of Raydex",
                  device->info.name, (unsigned long long)value, what, (unsigned long long)min, (unsigned long long)max);
}

rdx_status rdx_buffer_number(const rdx_buffer *buffer, uint64_t offset, uint64_t min, uint64_t max, const char *what,
                             uint64_t *out, rdx_error *err) {
  uint64_t value = 0;
  RDX_TRY(rdx_buffer_download(buffer, offset, &value, sizeof value, err));
  RDX_TRY(rdx_returned_number(buffer->device, value, min, max, what, err));
  *out = value;
  return RDX_OK;
}

#define PIECE (1u << 20) /* numbers that a thread looks through at a time: fewer take less than it takes to wake one */

/* Numbers that are looked through piece by piece: one of them is wrong, or none. */
typedef struct looking {
  const void *values;
  uint64_t count, max;
  _Atomic bool wrong;
} looking;

static void look_at_u32s(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  looking *l = context;
  const uint32_t *values = l->values;
  uint32_t largest = 0;
  for (uint64_t i = begin; i < end; i++)
    largest = values[i] > largest ? values[i] : largest;
  if (largest > l->max)
    l->wrong = true;
}

static bool one_is_wrong(rdx_device *device, rdx_task_fn look, looking *l) {
  rdx_device_run_on_host(device, l->count, PIECE, look, l);
  return l->wrong;
}

rdx_status rdx_returned_u32s(rdx_device *device, const uint32_t *values, uint64_t count, uint64_t max, const char *what,
                             rdx_error *err) {
  looking l = {.values = values, .count = count, .max = max};
  if (one_is_wrong(device, look_at_u32s, &l))
    for (uint64_t i = 0; i < count; i++)
      RDX_TRY(rdx_returned_number(device, values[i], 0, max, what, err));
  return RDX_OK;
}

static void look_at_rows(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  looking *l = context;
  const uint32_t *rows = l->values;
  bool ascend = true;
  for (uint64_t i = begin > 0 ? begin : 1; i < end; i++)
    ascend &= rows[i - 1] < rows[i];
  if (!ascend || rows[end - 1] >= l->max)
    l->wrong = true;
}

rdx_status rdx_returned_rows(rdx_device *device, const uint32_t *rows, uint64_t count, uint64_t all, const char *what,
                             rdx_error *err) {
  looking l = {.values = rows, .count = count, .max = all};
  uint64_t min = 0;
  if (!one_is_wrong(device, look_at_rows, &l))
    return RDX_OK;
  for (uint64_t i = 0; i < count; min = rows[i++] + 1ull)
    if (rows[i] < min || rows[i] >= all)
      return rdx_returned_wrong(device, rows[i], min, all - 1, what, err);
  return RDX_OK;
}

rdx_status rdx_returned_starts(rdx_device *device, const uint32_t *starts, uint64_t count, uint64_t all,
                               const char *what, rdx_error *err) {
  if (count > 0 && starts[0] != 0)
    return rdx_returned_wrong(device, starts[0], 0, 0, what, err);
  return rdx_returned_rows(device, starts, count, all, what, err);
}

rdx_status rdx_returned_keys(const rdx_device *device, const uint64_t *keys, uint64_t count, uint64_t max,
                             const char *what, rdx_error *err) {
  for (uint64_t i = 0; i < count; i++)
    if (keys[i] > max || (i > 0 && keys[i] <= keys[i - 1]))
      return rdx_returned_wrong(device, keys[i], i > 0 ? keys[i - 1] + 1 : 0, max, what, err);
  return RDX_OK;
}

static void look_at_ends(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  looking *l = context;
  const uint64_t *ends = l->values;
  bool ascend = true;
  for (uint64_t i = begin > 0 ? begin : 1; i < end; i++)
    ascend &= ends[i - 1] <= ends[i];
  if (!ascend || ends[end - 1] > l->max || (end == l->count && ends[end - 1] != l->max))
    l->wrong = true;
}

rdx_status rdx_returned_ends(rdx_device *device, const uint64_t *ends, uint64_t count, uint64_t total, rdx_error *err) {
  looking l = {.values = ends, .count = count, .max = total};
  if (!one_is_wrong(device, look_at_ends, &l))
    return RDX_OK;
  for (uint64_t i = 0; i < count; i++) {
    const uint64_t before = i > 0 ? ends[i - 1] : 0, min = i + 1 < count ? before : total;
    RDX_TRY(rdx_returned_number(device, ends[i], min, total, "the end of a probe's rows", err));
  }
  return RDX_OK;
}
