/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Probes of one type for keys of another. */

#include <math.h>
#include <string.h>

#include "column/keys.h"
#include "base/numbers.h"

/* What became of a probe: a key, or the knowledge that it matches nothing. */
typedef struct probe_key {
  uint64_t key;
  bool usable;
} probe_key;

static const probe_key nothing = {0, false};

/* ---- Integers and decimals ---- */

static rdx_i128 integer_at(const rdx_column *c, uint64_t row) {
  const int64_t value = rdx_column_integer(c, row);
  return c->type == RDX_TYPE_U64 ? (rdx_i128)(uint64_t)value : value;
}

/* `value` / `divisor` as the key type has it: exact for points, rounded inwards for bounds. */
static probe_key from_integer(rdx_i128 value, rdx_i128 divisor, const rdx_probe_target *t) {
  rdx_i128 quotient = value / divisor;
  const rdx_i128 rest = value % divisor;
  if (rest != 0 && t->role == RDX_PROBE_POINT)
    return nothing;
  if (rest > 0 && t->role == RDX_PROBE_LOWER)
    quotient++;
  if (rest < 0 && t->role == RDX_PROBE_UPPER)
    quotient--;
  rdx_i128 min, max;
  rdx_type_limits(t->type, &min, &max);
  if (quotient < min) {
    if (t->role != RDX_PROBE_LOWER)
      return nothing;
    quotient = min;
  }
  if (quotient > max) {
    if (t->role != RDX_PROBE_UPPER)
      return nothing;
    quotient = max;
  }
  return (probe_key){(uint64_t)(quotient + (rdx_i128)rdx_key_zero(t->type)), true};
}

/* ---- Floats ---- */

static probe_key from_float(double value, const rdx_probe_target *t) {
  const bool single = t->type == RDX_TYPE_F32;
  float narrow = (float)value;
  if (single && value == value && (double)narrow != value) {
    if (t->role == RDX_PROBE_POINT)
      return nothing;
    if (t->role == RDX_PROBE_LOWER && (double)narrow < value)
      narrow = nextafterf(narrow, INFINITY);
    if (t->role == RDX_PROBE_UPPER && (double)narrow > value)
      narrow = nextafterf(narrow, -INFINITY);
  }
  const rdx_column one = {.type = t->type, .rows = 1, .values = single ? (const void *)&narrow : (const void *)&value};
  uint32_t key32 = 0;
  uint64_t key64 = 0;
  rdx_keys_encode(&one, 0, 1, single ? (void *)&key32 : (void *)&key64);
  return (probe_key){single ? key32 : key64, true};
}

/* ---- Strings ---- */

/* Keys of exact prefixes have at most eight bytes and no zero byte: their keys are in the order of their strings,
 * and a string that is not such a key lies between two keys. */
static probe_key from_string(const rdx_column *c, uint64_t row, const rdx_probe_target *t) {
  uint64_t key;
  rdx_keys_encode(c, row, 1, &key);
  uint64_t length;
  const char *bytes = rdx_column_text(c, row, &length);
  const char *zero = length ? memchr(bytes, 0, length) : NULL;
  if (!t->exact || (length <= 8 && !zero))
    return (probe_key){key, true};
  if (t->role == RDX_PROBE_POINT)
    return nothing;
  /* Up to its first zero byte, or its eighth byte, the bound is the last key that is not above it. */
  uint64_t common = zero ? (uint64_t)(zero - bytes) : 8;
  common = common < 8 ? common : 8;
  key = common == 8 ? key : key & ~(UINT64_MAX >> (8 * common));
  if (t->role == RDX_PROBE_UPPER)
    return (probe_key){key, true};
  return key == UINT64_MAX ? nothing : (probe_key){key + 1, true};
}

/* ---- All of them ---- */

static rdx_status check_types(const rdx_column *c, const rdx_probe_target *t, rdx_error *err) {
  if ((rdx_type_is_exact(c->type) && rdx_type_is_exact(t->type)) ||
      (rdx_type_is_float(c->type) && rdx_type_is_float(t->type)) || c->type == t->type)
    return RDX_OK;
  return rdx_fail(err, RDX_ERROR_ARGUMENT, "probes of type %s cannot be looked up among keys of type %s",
                  rdx_type_name(c->type), rdx_type_name(t->type));
}

static probe_key convert(const rdx_column *c, uint64_t row, const rdx_probe_target *t) {
  if (t->type == RDX_TYPE_STRING)
    return from_string(c, row, t);
  if (rdx_type_is_float(t->type))
    return from_float(c->type == RDX_TYPE_F32 ? ((const float *)c->values)[row] : ((const double *)c->values)[row], t);
  const uint8_t scale = c->type == RDX_TYPE_DECIMAL ? c->scale : 0;
  const rdx_i128 value = integer_at(c, row);
  if (scale > t->scale)
    return from_integer(value, rdx_power_of_ten((uint32_t)(scale - t->scale)), t);
  return from_integer(value * rdx_power_of_ten((uint32_t)(t->scale - scale)), 1, t);
}

static void store(void *out, uint64_t i, uint32_t bits, uint64_t key) {
  if (bits == 64)
    ((uint64_t *)out)[i] = key;
  else
    ((uint32_t *)out)[i] = (uint32_t)key;
}

rdx_status rdx_keys_encode_probes(const rdx_column *probes, uint64_t begin, uint64_t count,
                                  const rdx_probe_target *target, void *out, uint32_t *usable, rdx_error *err) {
  rdx_probe_target t = *target;
  t.scale = t.type == RDX_TYPE_DECIMAL ? t.scale : 0;
  RDX_TRY(check_types(probes, &t, err));
  const bool same = probes->type == t.type && probes->scale == t.scale && t.type != RDX_TYPE_STRING;
  if (same)
    rdx_keys_encode(probes, begin, count, out);
  for (uint64_t i = 0; i < count; i++) {
    bool good = rdx_column_has(probes, begin + i);
    if (good && !same) {
      const probe_key c = convert(probes, begin + i, &t);
      store(out, i, rdx_key_bits(t.type), c.key);
      good = c.usable;
    }
    if (!good)
      usable[i / 32] &= ~(1u << i % 32);
  }
  return RDX_OK;
}
