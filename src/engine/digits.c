/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Digits of floats (see rdx_digits): what each distinct value of an attribute has for digits, in tables that codes look
 * up. That floats are added up as whole numbers of one unit is Kulisch's idea (Computer Arithmetic and Validity, 2008,
 * chapter 8); the unit and the number of digits are those that the values at hand take. */

#include <math.h>
#include <string.h>

#include "engine/relation.h"
#include "index/keys.h"

#define MOST_DIGIT_BITS 62 /* so that sums of digits fit where those of any measure do */
#define MANTISSA_BITS 53

/* An attribute at work: its distinct values as codes, some of which may not occur. */
typedef struct digits_work {
  const rdx_coded_relation *relation;
  const rdx_coded *attribute;
  rdx_buffer *codes; /* of rows */
  uint32_t bytes;    /* of such a code */
  uint64_t count;    /* of values; as a code that of NULL */
  double *values;
  int64_t *table; /* room for one digit of each */
} digits_work;

/* ---- Values ---- */

/* The values of codes: `listed` are ascending codes of the attribute; NULL: all there may be. */
static rdx_status list_values(digits_work *w, const uint64_t *listed, rdx_error *err) {
  const rdx_coded *c = w->attribute;
  uint64_t *keys = NULL;
  RDX_TRY(rdx_alloc(w->count, sizeof *w->values, "the values of a sum", (void **)&w->values, err));
  RDX_TRY(rdx_alloc(w->count, sizeof *keys, "the values of a sum", (void **)&keys, err));
  for (uint64_t i = 0; i < w->count; i++)
    keys[i] = c->keys ? c->keys[i] : c->base + (listed ? listed[i] : i);
  if (c->source.type == RDX_TYPE_F32) { /* widened in place, from the end */
    rdx_keys_decode(RDX_TYPE_F32, keys, w->count, w->values);
    for (uint64_t i = w->count; i-- > 0;) {
      float value;
      memcpy(&value, (const char *)w->values + i * sizeof value, sizeof value);
      w->values[i] = (double)value;
    }
  } else {
    rdx_keys_decode(RDX_TYPE_F64, keys, w->count, w->values);
  }
  rdx_free(keys);
  return RDX_OK;
}

/* A finite value as mantissa * 2^exponent; 0 has no exponent. */
static int64_t split(double value, int *exponent) {
  const int64_t mantissa = (int64_t)ldexp(frexp(value, exponent), MANTISSA_BITS);
  const int zeros = mantissa ? __builtin_ctzll((unsigned long long)mantissa) : 0;
  *exponent += zeros - MANTISSA_BITS;
  return mantissa >> zeros;
}

/* The unit, and how many digits of how many bits the largest value takes. */
static void choose_digits(const digits_work *w, rdx_digits *d) {
  int low = 2000, end = -2000; /* exponents of the lowest bit, and past the highest */
  for (uint64_t i = 0; i < w->count; i++) {
    int exponent = 0, past = 0;
    if (!isfinite(w->values[i]))
      d->special = 1;
    if (!isfinite(w->values[i]) || w->values[i] == 0)
      continue;
    split(w->values[i], &exponent);
    frexp(w->values[i], &past);
    low = exponent < low ? exponent : low;
    end = past > end ? past : end;
  }
  const uint32_t bits = low < end ? (uint32_t)(end - low) : 1;
  d->count = (bits + MOST_DIGIT_BITS - 1) / MOST_DIGIT_BITS;
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
  const int64_t mask = ((int64_t)1 << d->bits) - 1;
  int exponent = 0;
  if (!isfinite(value) || value == 0)
    return 0;
  const int64_t mantissa = split(value, &exponent), size = mantissa < 0 ? -mantissa : mantissa;
  const int shift = exponent - d->exponent - (int)(number * d->bits);
  int64_t digit = 0;
  if (shift >= 0 && shift < (int)d->bits)
    digit = (int64_t)((rdx_i128)size << shift) & mask;
  else if (shift < 0 && shift > -MANTISSA_BITS)
    digit = size >> -shift & mask;
  return mantissa < 0 ? -digit : digit;
}

/* What a sum counts of values that are not finite. */
static int64_t special_of(double value) {
  const int64_t up = 1, down = RDX_SPECIAL_DOWN;
  return isfinite(value) ? 0 : isnan(value) ? up + down : value > 0 ? up : down;
}

static rdx_status add_digit(digits_work *w, const rdx_digits *d, uint32_t number, rdx_coded *out, rdx_error *err) {
  const uint64_t zero = rdx_key_zero(RDX_TYPE_I64);
  int64_t least = INT64_MAX, most = INT64_MIN;
  for (uint64_t i = 0; i < w->count; i++) {
    w->table[i] = number < d->count ? digit_of(w->values[i], d, number) : special_of(w->values[i]);
    least = w->table[i] < least ? w->table[i] : least;
    most = w->table[i] > most ? w->table[i] : most;
  }
  *out = (rdx_coded){.source = {.type = RDX_TYPE_I64,
                                .rows = w->attribute->rows,
                                .smallest = (uint64_t)least + zero,
                                .largest = (uint64_t)most + zero},
                     .dimension = w->attribute->dimension,
                     .rows = w->attribute->rows,
                     .bytes = w->bytes,
                     .count = w->count,
                     .nulls = w->attribute->nulls};
  RDX_TRY(rdx_buffer_create(w->relation->device, (w->count + 1) * 8, "the digits of a column", &out->values, err));
  RDX_TRY(rdx_buffer_upload(out->values, 0, w->table, w->count * 8, err));
  out->codes = rdx_buffer_retain(w->codes);
  return RDX_OK;
}

static rdx_status make_digits(digits_work *w, const uint64_t *listed, rdx_digits *out, rdx_error *err) {
  rdx_digits d = {.first = out->first};
  rdx_coded *attributes = w->relation->attributes + d.first;
  RDX_TRY(list_values(w, listed, err));
  choose_digits(w, &d);
  RDX_TRY(rdx_alloc(w->count, sizeof *w->table, "the digits of a column", (void **)&w->table, err));
  for (uint32_t k = 0; d.count <= RDX_MOST_DIGITS && k < d.count + d.special; k++) {
    const rdx_status status = add_digit(w, &d, k, &attributes[k], err);
    if (status != RDX_OK) {
      for (uint32_t i = 0; i <= k; i++)
        rdx_coded_drop(&attributes[i]);
      return status;
    }
  }
  *out = d;
  return RDX_OK;
}

/* Codes are looked up in tables: as they are where they are places, or few; else their places are. */
static rdx_status create_digits(const rdx_coded_relation *relation, uint32_t attribute, const rdx_code_places *places,
                                rdx_digits *out, rdx_error *err) {
  const rdx_coded *c = &relation->attributes[attribute];
  digits_work w = {.relation = relation, .attribute = c, .codes = c->codes, .bytes = c->bytes, .count = c->count};
  if (places) {
    w.codes = places->places;
    w.bytes = places->bytes;
    w.count = places->count - c->nulls;
  }
  const rdx_status status = make_digits(&w, places ? places->codes : NULL, out, err);
  rdx_free(w.values);
  rdx_free(w.table);
  return status;
}

rdx_status rdx_coded_digits(const rdx_coded_relation *relation, uint32_t attribute, const rdx_digits **out,
                            rdx_error *err) {
  const rdx_coded *c = &relation->attributes[attribute];
  rdx_late *late = relation->late;
  const rdx_code_places *places = NULL;
  if (!c->keys && c->bytes >= 4)
    RDX_TRY(rdx_coded_places(relation, attribute, &places, err));
  pthread_mutex_lock(&late->lock);
  rdx_digits *digits = &late->of[attribute].digits;
  const rdx_status status = digits->count > 0 ? RDX_OK : create_digits(relation, attribute, places, digits, err);
  pthread_mutex_unlock(&late->lock);
  *out = digits;
  return status == RDX_OK ? check_digits(digits, relation->names[attribute], err) : status;
}
