/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Digits of numbers, and those of floats. That floats are added up as whole numbers of one unit is Kulisch's idea
 * (Computer Arithmetic and Validity, 2008, chapter 8); the units and the number of limbs are those that the values at
 * hand take. */

#include "star/superaccumulator.h"

#include <math.h>
#include <string.h>

#include "column/keys.h"
#include "kernels/packed/packed.h"

#define MAX_LIMB_BITS 62 /* so that sums of limbs fit where those of any measure do */
#define FEW_LIMBS 3      /* as many are taken where their sums fit 64 bits then, which cubes keep of runs */
#define BATCH RDX_DIGITS_BATCH

/* ---- Cutting ---- */

/* The first bit from `from` on that is set; all bits: none is. */
static uint32_t next_used(const uint64_t used[RDX_WIDE_WORDS], uint32_t from) {
  for (uint32_t w = from / 64; w < RDX_WIDE_WORDS; w++) {
    const uint64_t left = w == from / 64 ? used[w] >> from % 64 << from % 64 : used[w];
    if (left != 0)
      return 64 * w + (uint32_t)__builtin_ctzll(left);
  }
  return 64 * RDX_WIDE_WORDS;
}

/* Where limbs of so many bits begin that have all bits that are used, and no more limbs than that takes. */
static uint32_t place_limbs(const uint64_t used[RDX_WIDE_WORDS], uint32_t bits, uint32_t *shifts) {
  uint32_t count = 0;
  for (uint32_t at = next_used(used, 0); at < 64 * RDX_WIDE_WORDS; at = next_used(used, at + bits)) {
    if (shifts)
      shifts[count] = at;
    count++;
  }
  return count;
}

/* How many bits limbs have. */
static uint32_t choose_bits(const uint64_t used[RDX_WIDE_WORDS], uint64_t rows) {
  const uint32_t narrow = (uint32_t)__builtin_clzll(rows | 1) - 1; /* so many sums of either sign fit 64 bits */
  const bool fits = narrow < MAX_LIMB_BITS && place_limbs(used, narrow, NULL) <= FEW_LIMBS;
  uint32_t bits = fits ? narrow : MAX_LIMB_BITS;
  while (bits > 1 && place_limbs(used, bits - 1, NULL) == place_limbs(used, bits, NULL))
    bits--;
  return bits;
}

rdx_status rdx_limbs_attribute(const rdx_packed_relation *relation, const rdx_numbers *numbers, const int64_t *values,
                               rdx_encoded_column *out, rdx_error *err) {
  const rdx_attribute made = {
      .column = {.type = RDX_TYPE_I64, .rows = numbers->rows, .values = values, .validity = numbers->validity},
      .dimension = numbers->dimension};
  double ms = 0;
  const rdx_status status = rdx_attribute_encode(relation->device, &made, out, &ms, err);
  if (status != RDX_OK)
    rdx_encoded_column_drop(out);
  return status;
}

static uint64_t batch_at(const rdx_numbers *numbers, uint64_t first) {
  return numbers->rows - first < BATCH ? numbers->rows - first : BATCH;
}

/* `scratch` is for a limb of each row. */
static rdx_status cut_limbs(const rdx_packed_relation *relation, const rdx_numbers *numbers, rdx_limbs *d,
                            int64_t *scratch, rdx_error *err) {
  uint64_t used[RDX_WIDE_WORDS] = {0};
  uint32_t shifts[RDX_MAX_LIMBS] = {0};
  for (uint64_t first = 0; first < numbers->rows; first += BATCH) {
    RDX_TRY(rdx_progress_at_times("build", first, numbers->rows, err));
    numbers->mark(numbers->context, first, batch_at(numbers, first), used);
  }
  d->bits = choose_bits(used, relation->rows);
  const uint32_t count = place_limbs(used, d->bits, shifts), all = count > 0 ? count : 1; /* 0 has a limb, too */
  for (uint32_t k = 0; k < all; k++) {
    for (uint64_t first = 0; first < numbers->rows; first += BATCH) {
      RDX_TRY(rdx_progress_at_times("build", first, numbers->rows, err));
      numbers->cut(numbers->context, first, batch_at(numbers, first), shifts[k], d->bits, scratch + first);
    }
    RDX_TRY(rdx_limbs_attribute(relation, numbers, scratch, &d->attributes[k], err));
    d->exponents[k] = numbers->exponent + (int)shifts[k];
    d->count++;
  }
  return RDX_OK;
}

void rdx_limbs_free(rdx_limbs *limbs) {
  for (uint32_t k = 0; limbs->attributes && k < limbs->count + limbs->special; k++)
    rdx_encoded_column_drop(&limbs->attributes[k]);
  rdx_free(limbs->attributes);
  *limbs = (rdx_limbs){0};
}

rdx_status rdx_limbs_create(const rdx_packed_relation *relation, const rdx_numbers *numbers, rdx_limbs *out,
                            rdx_error *err) {
  RDX_SCOPED(rdx_limbs_free) rdx_limbs d = {0};
  RDX_SCOPED(rdx_free_local) int64_t *scratch = NULL;
  RDX_TRY(rdx_alloc(numbers->rows, sizeof *scratch, "the limbs of a column", (void **)&scratch, err));
  RDX_TRY(rdx_calloc(RDX_MAX_LIMBS + 1, sizeof *d.attributes, "the limbs of a column", (void **)&d.attributes, err));
  RDX_TRY(cut_limbs(relation, numbers, &d, scratch, err));
  *out = RDX_KEEP(d);
  return RDX_OK;
}

/* ---- Floats ---- */

#define FLOAT_UNIT (-1074) /* the exponent of the least bit of any f64 */

/* A finite value other than 0 is mantissa * 2^(exponent + FLOAT_UNIT), and has a sign. */
typedef struct float_parts {
  uint64_t mantissa;
  uint32_t exponent;
  bool negative;
} float_parts;

static float_parts split(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  const uint32_t exponent = (uint32_t)(bits >> 52 & 2047);
  const uint64_t fraction = bits & ((1ull << 52) - 1);
  return (float_parts){.mantissa = exponent ? fraction | 1ull << 52 : fraction,
                       .exponent = exponent ? exponent - 1 : 0,
                       .negative = bits >> 63};
}

/* An attribute at work, on the host. */
typedef struct float_work {
  const rdx_encoded_column *attribute;
  uint32_t *codes; /* of its rows, packed */
  uint8_t *validity;
} float_work;

/* The values of `count` rows from `first` on; of NULLs 0. */
static void list_values(const float_work *w, uint64_t first, uint64_t count, double *values) {
  const rdx_encoded_column *c = w->attribute;
  const bool wide = c->type == RDX_TYPE_F64;
  uint64_t keys[BATCH] = {0};
  float narrow[BATCH];
  for (uint64_t i = 0; i < count; i++) {
    const uint64_t code = load_code(w->codes, c->bytes, (uint32_t)(first + i));
    keys[i] = code >= c->count ? rdx_key_zero(c->type) : rdx_encoded_column_key(c, code);
  }
  rdx_keys_decode(c->type, keys, count, wide ? (void *)values : narrow);
  for (uint64_t i = 0; i < count && !wide; i++)
    values[i] = (double)narrow[i];
}

static void mark_floats(const void *context, uint64_t first, uint64_t count, uint64_t used[RDX_WIDE_WORDS]) {
  double values[BATCH];
  list_values(context, first, count, values);
  for (uint64_t i = 0; i < count; i++) {
    const float_parts p = split(values[i]);
    const uint32_t word = p.exponent / 64, bits = p.exponent % 64;
    if (!isfinite(values[i]))
      continue;
    used[word] |= p.mantissa << bits;
    if (bits > 0)
      used[word + 1] |= p.mantissa >> (64 - bits);
  }
}

static void cut_floats(const void *context, uint64_t first, uint64_t count, uint32_t shift, uint32_t bits,
                       int64_t *out) {
  const uint64_t mask = (1ull << bits) - 1;
  double values[BATCH];
  list_values(context, first, count, values);
  for (uint64_t i = 0; i < count; i++) {
    const float_parts p = split(values[i]);
    const int up = (int)p.exponent - (int)shift;
    uint64_t limb = 0;
    if (up >= 0 && up < (int)bits)
      limb = p.mantissa << up & mask; /* what passes 64 bits passes the mask, too */
    else if (up < 0 && up > -64)
      limb = p.mantissa >> -up & mask;
    out[i] = !isfinite(values[i]) ? 0 : p.negative ? -(int64_t)limb : (int64_t)limb;
  }
}

/* What a sum counts of values that are not finite. */
static int64_t special_of(double value) {
  const int64_t up = 1, down = RDX_SPECIAL_DOWN;
  return isfinite(value) ? 0 : isnan(value) ? up + down : value > 0 ? up : down;
}

/* The attribute of what is not finite, where something is. */
static rdx_status add_special(const rdx_packed_relation *relation, const rdx_numbers *numbers, rdx_limbs *d,
                              rdx_error *err) {
  RDX_SCOPED(rdx_free_local) int64_t *scratch = NULL;
  bool any = false;
  RDX_TRY(rdx_alloc(numbers->rows, sizeof *scratch, "the limbs of a column", (void **)&scratch, err));
  for (uint64_t first = 0; first < numbers->rows; first += BATCH) {
    double values[BATCH];
    RDX_TRY(rdx_progress_at_times("build", first, numbers->rows, err));
    list_values(numbers->context, first, batch_at(numbers, first), values);
    for (uint64_t i = 0; i < batch_at(numbers, first); i++) {
      scratch[first + i] = special_of(values[i]);
      any |= scratch[first + i] != 0;
    }
  }
  if (any)
    RDX_TRY(rdx_limbs_attribute(relation, numbers, scratch, &d->attributes[d->count], err));
  d->special = any;
  return RDX_OK;
}

static void end(float_work *w) {
  RDX_FREE_ALL(w->codes, w->validity);
}

/* Codes on the host, and which rows are not NULL. */
static rdx_status begin(float_work *w, rdx_error *err) {
  const rdx_encoded_column *c = w->attribute;
  RDX_TRY(rdx_alloc(c->codes->size, 1, "the values of a sum", (void **)&w->codes, err));
  RDX_TRY(rdx_buffer_download(c->codes, 0, w->codes, c->codes->size, err));
  if (!c->nulls)
    return RDX_OK;
  RDX_TRY(rdx_calloc(c->rows / 8 + 1, 1, "the limbs of a column", (void **)&w->validity, err));
  for (uint64_t i = 0; i < c->rows; i++)
    w->validity[i / 8] |= (uint8_t)((load_code(w->codes, c->bytes, (uint32_t)i) < c->count) << i % 8);
  return RDX_OK;
}

static rdx_status create_float_limbs(const rdx_packed_relation *relation, uint32_t attribute, rdx_limbs *out,
                                     rdx_error *err) {
  RDX_SCOPED(end) float_work w = {.attribute = &relation->attributes[attribute]};
  RDX_SCOPED(rdx_limbs_free) rdx_limbs d = {0};
  RDX_TRY(begin(&w, err));
  const rdx_numbers numbers = {.rows = w.attribute->rows,
                               .dimension = w.attribute->dimension,
                               .validity = w.validity,
                               .exponent = FLOAT_UNIT,
                               .context = &w,
                               .mark = mark_floats,
                               .cut = cut_floats};
  RDX_TRY(rdx_limbs_create(relation, &numbers, &d, err));
  RDX_TRY(add_special(relation, &numbers, &d, err));
  *out = RDX_KEEP(d);
  return RDX_OK;
}

rdx_status rdx_packed_limbs(const rdx_packed_relation *relation, uint32_t attribute, const rdx_limbs **out,
                            rdx_error *err) {
  rdx_lazy *lazy = relation->lazy;
  rdx_limbs *limbs = &lazy->of[attribute].limbs;
  RDX_LOCKED(&lazy->lock);
  *out = limbs;
  return limbs->count > 0 ? RDX_OK : create_float_limbs(relation, attribute, limbs, err);
}
