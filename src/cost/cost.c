/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Rates of devices, and what work takes by them. */

#include "cost/cost.h"
#include "device/device.h"

#include <math.h>
#include <pthread.h>

static const uint32_t row_sizes[] = RDX_CALIBRATION_ROWS;
static const uint32_t key_sizes[] = RDX_CALIBRATION_KEYS;
static const uint32_t tuple_sizes[] = RDX_CALIBRATION_TUPLES;
static const uint32_t scene_sizes[] = RDX_CALIBRATION_SCENE;

/* ---- Work ---- */

/* A rate at a size, from the rates at three. */
static double rate_at(const double rates[RDX_CALIBRATION_SIZES], const uint32_t sizes[RDX_CALIBRATION_SIZES],
                      double size) {
  uint32_t i = 0;
  if (!(size > sizes[0]))
    return rates[0];
  while (i + 2 < RDX_CALIBRATION_SIZES && size > sizes[i + 1])
    i++;
  const double share = log(size / sizes[i]) / log((double)sizes[i + 1] / sizes[i]);
  return share >= 1 ? rates[i + 1] : rates[i] + share * (rates[i + 1] - rates[i]);
}

static double sized(double count, const double rates[RDX_CALIBRATION_SIZES],
                    const uint32_t sizes[RDX_CALIBRATION_SIZES], double size) {
  return count > 0 ? count * rate_at(rates, sizes, size) : 0;
}

double rdx_work_ms(const rdx_calibration *r, const rdx_work *w) {
  const double ns =
      w->launches * r->launch + w->bytes * r->read_byte + w->moved * r->transfer_byte + w->packed * r->pack_value +
      w->codes * r->scan_code + w->lists * r->list + w->lookups * r->lookup + w->found * r->found_row +
      w->added * r->add_row + w->grouped * r->group_row + w->tables * r->table + w->filled * r->table_row +
      w->numbered * r->number_row + sized(w->tests, r->test, row_sizes, w->table_rows) +
      sized(w->gathers, r->gather, row_sizes, w->table_rows) + w->sorts * r->sort +
      sized(w->sorted, r->sort_key, key_sizes, w->sorted) + w->sorted_rows * r->sort_row +
      w->sorted_groups * r->sort_group + w->joins * r->join[w->join_method] +
      sized(w->built, r->join_build[w->join_method], key_sizes, w->built) +
      sized(w->probed, r->join_probe[w->join_method], key_sizes, w->built) +
      sized(w->rays, r->ray, scene_sizes, w->primitives) + sized(w->hits, r->hit, scene_sizes, w->primitives) +
      w->cubes * r->cube + w->coarse_cubes * r->coarse_cube + w->traces * r->rt_cube + w->tuples * r->tuple +
      sized(w->steps, r->range, tuple_sizes, w->searched_tuples) + w->runs * r->run + w->evaluations * r->evaluate +
      w->values * r->value;
  return 1e-6 * ns;
}

void rdx_fit_line(const double *items, const double *ms, uint32_t count, double *fixed_ms, double *ms_each) {
  double weights = 0, sum_items = 0, sum_ms = 0, squares = 0, products = 0;
  for (uint32_t i = 0; i < count; i++) {
    const double weight = 1 / (ms[i] * ms[i] + 1e-12);
    weights += weight;
    sum_items += weight * items[i];
    sum_ms += weight * ms[i];
    squares += weight * items[i] * items[i];
    products += weight * items[i] * ms[i];
  }
  const double spread = weights * squares - sum_items * sum_items;
  const double slope = spread > 1e-9 * weights * squares ? (weights * products - sum_items * sum_ms) / spread : 0;
  *ms_each = slope > 0 ? slope : 0;
  *fixed_ms = weights > 0 ? (sum_ms - *ms_each * sum_items) / weights : 0;
  if (*fixed_ms < 0 || count == 1) {
    *fixed_ms = 0;
    *ms_each = squares > 0 ? products / squares : 0;
  }
}

double rdx_curve_ms(const rdx_curve *curve, double items) {
  return curve->fixed_ms + curve->ms_each * pow(items, curve->power);
}

/* How far off a curve is, relative to the times. */
static double error_of(const rdx_curve *curve, const double *items, const double *ms, uint32_t count) {
  double sum = 0;
  for (uint32_t i = 0; i < count; i++) {
    const double off = rdx_curve_ms(curve, items[i]) / (ms[i] + 1e-6) - 1;
    sum += off * off;
  }
  return sum;
}

#define CLEARLY 0.75 /* the part of an error that is left by a power that is taken instead of a smaller one */

void rdx_fit_curve(const double *items, const double *ms, uint32_t count, rdx_curve *out) {
  static const double powers[] = {1, 1.25, 1.5, 1.75, 2, 2.5, 3};
  double min = 0;
  for (size_t p = 0; p < RDX_COUNT(powers); p++) {
    rdx_curve curve = {.power = powers[p]};
    double raised[RDX_CURVE_POINTS] = {0};
    for (uint32_t i = 0; i < count; i++)
      raised[i] = pow(items[i], powers[p]);
    rdx_fit_line(raised, ms, count, &curve.fixed_ms, &curve.ms_each);
    const double error = error_of(&curve, items, ms, count);
    if (p > 0 && error >= CLEARLY * min)
      continue;
    min = error;
    *out = curve;
  }
}

/* ---- What is known of a device ---- */

static pthread_mutex_t known = PTHREAD_MUTEX_INITIALIZER;     /* for the calibration of every device */
static pthread_mutex_t measuring = PTHREAD_MUTEX_INITIALIZER; /* one measures at a time */

/* With `known` held. Without memory the built-in numbers serve again. */
static void learn(rdx_device *device, const rdx_calibration *calibration) {
  if (!device->calibration &&
      rdx_alloc(1, sizeof *device->calibration, "a calibration", (void **)&device->calibration, NULL) != RDX_OK)
    device->calibration = NULL;
  if (device->calibration)
    *device->calibration = *calibration;
}

void rdx_device_get_calibration(rdx_device *device, rdx_calibration *out) {
  *out = (rdx_calibration){0};
  if (!device)
    return;
  RDX_LOCKED(&known);
  if (device->calibration) {
    *out = *device->calibration;
  } else {
    if (!rdx_calibration_load(device, out))
      rdx_calibration_built_in(&device->info, out);
    learn(device, out);
  }
}

rdx_status rdx_device_calibrate(rdx_device *device, bool force, rdx_calibration *out, rdx_error *err) {
  rdx_device *host = NULL;
  if (!device || !out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_device_calibrate: device and out must not be NULL");
  RDX_TRY(rdx_device_host(device, &host, err));
  if (host != device)
    RDX_TRY(rdx_device_calibrate(host, force, out, err));
  RDX_LOCKED(&measuring);
  rdx_device_get_calibration(device, out); /* another one may have measured meanwhile */
  if (!force && out->source != RDX_CALIBRATION_BUILT_IN)
    return RDX_OK;
  rdx_calibration found = {0};
  RDX_TRY(rdx_calibration_measure(device, &found, err));
  found.source = RDX_CALIBRATION_MEASURED;
  *out = found;
  pthread_mutex_lock(&known);
  learn(device, out);
  pthread_mutex_unlock(&known);
  rdx_calibration_store(device, out);
  return RDX_OK;
}
