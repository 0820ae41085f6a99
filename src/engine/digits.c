/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Digits of floats (see rdx_digits). That floats are added up as whole numbers of one unit is Kulisch's idea (Computer
 * Arithmetic and Validity, 2008, chapter 8); the unit and the number of digits are those that the values at hand
 * take. */

#include <math.h>
#include <string.h>

#include "engine/relation.h"
#include "index/keys.h"
#include "kernels/coded/coded.h"

#define MOST_DIGIT_BITS 62 /* so that sums of digits fit where those of any measure do */
#define FEW_DIGITS 3       /* as many are taken where their sums fit 64 bits then, which cubes keep of runs */
#define BATCH 1024         /* rows whose values are made at a time */

/* ---- Values ---- */

/* A finite value other than 0 is mantissa * 2^exponent, and has a sign. */
typedef struct float_parts {
  uint64_t mantissa;
  int exponent;
  bool negative;
} float_parts;

static float_parts split(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  const int exponent = (int)(bits >> 52 & 2047);
  const uint64_t fraction = bits & ((1ull << 52) - 1);
  return (float_parts){.mantissa = exponent ? fraction | 1ull << 52 : fraction,
                       .exponent = (exponent ? exponent : 1) - 1075,
                       .negative = bits >> 63};
}

/* An attribute at work, on the host. */
typedef struct digits_work {
  const rdx_coded *attribute;
  uint32_t *codes; /* of its rows, packed */
  int64_t *digits; /* room for one of each row */
  uint8_t *validity;
} digits_work;

/* The values of `count` rows from `first` on; of NULLs 0. */
static void list_values(const digits_work *w, uint64_t first, uint64_t count, double *values) {
  const rdx_coded *c = w->attribute;
  const bool wide = c->source.type == RDX_TYPE_F64;
  uint64_t keys[BATCH] = {0};
  float narrow[BATCH];
  for (uint64_t i = 0; i < count; i++) {
    const uint64_t code = load_code(w->codes, c->bytes, (uint32_t)(first + i));
    keys[i] = code >= c->count ? rdx_key_zero(c->source.type) : c->keys ? c->keys[code] : c->base + code;
  }
  rdx_keys_decode(c->source.type, keys, count, wide ? (void *)values : narrow);
  for (uint64_t i = 0; i < count && !wide; i++)
    values[i] = (double)narrow[i];
}

static uint64_t batch_at(const digits_work *w, uint64_t first) {
  return w->attribute->rows - first < BATCH ? w->attribute->rows - first : BATCH;
}

/* The unit, and how many digits of how many bits the largest value takes. */
static void choose_digits(const digits_work *w, uint64_t rows, rdx_digits *d) {
  int low = 2000, end = -2000; /* exponents of the lowest bit, and past the highest */
  double values[BATCH];
  for (uint64_t first = 0; first < w->attribute->rows; first += BATCH) {
    const uint64_t count = batch_at(w, first);
    list_values(w, first, count, values);
    for (uint64_t i = 0; i < count; i++) {
      const float_parts p = split(values[i]);
      if (!isfinite(values[i]))
        d->special = 1;
      if (!isfinite(values[i]) || p.mantissa == 0)
        continue;
      const int lowest = p.exponent + __builtin_ctzll(p.mantissa), past = p.exponent + 64 - __builtin_clzll(p.mantissa);
      low = lowest < low ? lowest : low;
      end = past > end ? past : end;
    }
  }
  const uint32_t bits = low < end ? (uint32_t)(end - low) : 1;
  const uint32_t narrow = (uint32_t)__builtin_clzll(rows | 1) - 1; /* so many sums of either sign fit 64 bits */
  const uint32_t most = bits <= FEW_DIGITS * narrow && narrow < MOST_DIGIT_BITS ? narrow : MOST_DIGIT_BITS;
  d->count = (bits + most - 1) / most;
  d->bits = (bits + d->count - 1) / d->count;
  d->exponent = low < end ? low : 0;
}

static rdx_status check_digits(const rdx_digits *d, const char *name, rdx_error *err) {
  if (d->count <= RDX_MOST_DIGITS)
    return RDX_OK;
  return rdx_fail(err, RDX_ERROR_UNSUPPORTED,
                  "the values of %.40s cannot be added up: their bits go from 2^%d to about 2^%d, and may span %d",
                  name, d->exponent, d->exponent + (int)(d->count * d->bits), RDX_MOST_DIGITS * MOST_DIGIT_BITS);
}

/* ---- Attributes ---- */

static int64_t digit_of(double value, const rdx_digits *d, uint32_t number) {
  const uint64_t mask = (1ull << d->bits) - 1;
  const float_parts p = split(value);
  const int shift = p.exponent - d->exponent - (int)(number * d->bits);
  uint64_t digit = 0;
  if (!isfinite(value))
    return 0;
  if (shift >= 0 && shift < (int)d->bits)
    digit = p.mantissa << shift & mask; /* what passes 64 bits passes the mask, too */
  else if (shift < 0 && shift > -64)
    digit = p.mantissa >> -shift & mask;
  return p.negative ? -(int64_t)digit : (int64_t)digit;
}

/* What a sum counts of values that are not finite. */
static int64_t special_of(double value) {
  const int64_t up = 1, down = RDX_SPECIAL_DOWN;
  return isfinite(value) ? 0 : isnan(value) ? up + down : value > 0 ? up : down;
}

static rdx_status add_digit(rdx_device *device, const digits_work *w, const rdx_digits *d, uint32_t number,
                            rdx_coded *out, rdx_error *err) {
  const rdx_coded *c = w->attribute;
  const rdx_attribute made = {
      .column = {.type = RDX_TYPE_I64, .rows = c->rows, .values = w->digits, .validity = w->validity},
      .dimension = c->dimension};
  double values[BATCH], ms = 0;
  for (uint64_t first = 0; first < c->rows; first += BATCH) {
    const uint64_t count = batch_at(w, first);
    list_values(w, first, count, values);
    for (uint64_t i = 0; i < count; i++)
      w->digits[first + i] = number < d->count ? digit_of(values[i], d, number) : special_of(values[i]);
  }
  const rdx_status status = rdx_coded_create(device, &made, out, &ms, err);
  if (status != RDX_OK)
    rdx_coded_drop(out);
  return status;
}

static rdx_status add_digits(const rdx_coded_relation *relation, const digits_work *w, const rdx_digits *d,
                             rdx_error *err) {
  rdx_coded *attributes = relation->attributes + d->first;
  for (uint32_t k = 0; d->count <= RDX_MOST_DIGITS && k < d->count + d->special; k++) {
    const rdx_status status = add_digit(relation->device, w, d, k, &attributes[k], err);
    while (status != RDX_OK && k > 0)
      rdx_coded_drop(&attributes[--k]);
    RDX_TRY(status);
  }
  return RDX_OK;
}

/* Codes on the host, room for digits, and which rows are not NULL. */
static rdx_status begin(digits_work *w, rdx_error *err) {
  const rdx_coded *c = w->attribute;
  RDX_TRY(rdx_alloc(c->codes->size, 1, "the values of a sum", (void **)&w->codes, err));
  RDX_TRY(rdx_buffer_download(c->codes, 0, w->codes, c->codes->size, err));
  RDX_TRY(rdx_alloc(c->rows, sizeof *w->digits, "the digits of a column", (void **)&w->digits, err));
  if (!c->nulls)
    return RDX_OK;
  RDX_TRY(rdx_calloc(c->rows / 8 + 1, 1, "the digits of a column", (void **)&w->validity, err));
  for (uint64_t i = 0; i < c->rows; i++)
    w->validity[i / 8] |= (uint8_t)((load_code(w->codes, c->bytes, (uint32_t)i) < c->count) << i % 8);
  return RDX_OK;
}

static rdx_status create_digits(const rdx_coded_relation *relation, uint32_t attribute, rdx_digits *out,
                                rdx_error *err) {
  digits_work w = {.attribute = &relation->attributes[attribute]};
  rdx_digits d = {.first = out->first};
  rdx_status status = begin(&w, err);
  if (status == RDX_OK) {
    choose_digits(&w, relation->rows, &d);
    status = add_digits(relation, &w, &d, err);
  }
  if (status == RDX_OK)
    *out = d;
  rdx_free(w.codes);
  rdx_free(w.digits);
  rdx_free(w.validity);
  return status;
}

rdx_status rdx_coded_digits(const rdx_coded_relation *relation, uint32_t attribute, const rdx_digits **out,
                            rdx_error *err) {
  rdx_late *late = relation->late;
  rdx_digits *digits = &late->of[attribute].digits;
  pthread_mutex_lock(&late->lock);
  const rdx_status status = digits->count > 0 ? RDX_OK : create_digits(relation, attribute, digits, err);
  pthread_mutex_unlock(&late->lock);
  *out = digits;
  return status == RDX_OK ? check_digits(digits, relation->names[attribute], err) : status;
}
