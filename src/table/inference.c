/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The types of columns from their values. The law: inference never changes what a value says. Two texts that differ do
 * not become the same value, and a text comes back from the value, but for what says nothing (docs/csv.md lists it).
 * Where a type would break it the column is one of strings. */

#include "table/value.h"

#define BIT(trait) (1u << (trait))

static bool has(const rdx_inference *f, rdx_trait trait) {
  return f->traits >> trait & 1u;
}

/* ---- Taking values in ---- */

static uint64_t hash_text(const char *text, size_t length) {
  uint64_t hash = 14695981039346656037u;
  for (size_t i = 0; i < length; i++)
    hash = (hash ^ (uint8_t)text[i]) * 1099511628211u;
  return hash;
}

static void add_odd(rdx_inference *f, uint64_t hash, uint64_t place) {
  if (f->odd_count > RDX_ODD_TEXTS)
    return;
  for (uint32_t i = 0; i < f->odd_count; i++)
    if (f->odd_hash[i] == hash)
      return;
  if (f->odd_count < RDX_ODD_TEXTS) {
    f->odd[f->odd_count] = place;
    f->odd_hash[f->odd_count] = hash;
  }
  f->odd_count++;
}

static void add_traits(rdx_inference *f, uint32_t traits, uint64_t place) {
  for (uint32_t fresh = traits & ~f->traits; fresh != 0; fresh &= fresh - 1)
    f->first[__builtin_ctz(fresh)] = place;
  f->traits |= traits;
}

static uint32_t larger(uint32_t a, uint32_t b) {
  return a > b ? a : b;
}

void rdx_inference_add(rdx_inference *f, const rdx_look *look, const char *text, size_t length, uint64_t place) {
  add_traits(f, look->traits, place);
  f->integer_digits = larger(f->integer_digits, look->integer_digits);
  f->fraction_digits = larger(f->fraction_digits, look->fraction_digits);
  f->lengths |= look->lengths;
  f->shorter |= look->shorter;
  if (look->traits >> RDX_TRAIT_TEXT & 1u && f->odd_count <= RDX_ODD_TEXTS) {
    rdx_value_trim(&text, &length);
    add_odd(f, hash_text(text, length), place);
  }
}

void rdx_inference_add_integer(rdx_inference *f, int64_t value, uint64_t place) {
  const uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  uint32_t digits = 0;
  for (uint64_t rest = size; rest > 0; rest /= 10)
    digits++;
  f->integer_digits = larger(f->integer_digits, digits);
  f->lengths |= 1;
  add_traits(f,
             BIT(RDX_TRAIT_NUMBER) | (value < 0 ? BIT(RDX_TRAIT_NEGATIVE) : 0) |
                 (value != (int32_t)value ? BIT(RDX_TRAIT_ABOVE_I32) : 0),
             place);
}

void rdx_inference_merge(rdx_inference *f, const rdx_inference *other, bool counts) {
  for (uint32_t rest = other->traits; rest != 0; rest &= rest - 1) {
    const uint32_t trait = (uint32_t)__builtin_ctz(rest);
    if (!has(f, (rdx_trait)trait) || other->first[trait] < f->first[trait])
      f->first[trait] = other->first[trait];
    f->traits |= BIT(trait);
  }
  f->integer_digits = larger(f->integer_digits, other->integer_digits);
  f->fraction_digits = larger(f->fraction_digits, other->fraction_digits);
  f->lengths |= other->lengths;
  f->shorter |= other->shorter;
  for (uint32_t i = 0; i < other->odd_count && i < RDX_ODD_TEXTS; i++)
    add_odd(f, other->odd_hash[i], other->odd[i]);
  f->odd_count = larger(f->odd_count, other->odd_count);
  if (counts) {
    f->typed += other->typed;
    f->texts += other->texts;
  }
}

bool rdx_inference_is_empty(const rdx_inference *f) {
  return f->traits == 0;
}

/* ---- Types ---- */

/* Of numbers, `*blame` what makes them strings by the law; where that does not count, the type that they have then. */
static rdx_type number_type(const rdx_inference *f, bool lawful, uint8_t *scale, rdx_trait *blame) {
  const bool point = has(f, RDX_TRAIT_POINT), code = has(f, RDX_TRAIT_CODE);
  /* Whether how they are written may say something: exponents and words show that they are floats. */
  const bool forms = !has(f, RDX_TRAIT_EXPONENT) && !has(f, RDX_TRAIT_WORD) && !(code && point);
  const bool mixed_points = has(f, RDX_TRAIT_BARE_POINT) && has(f, RDX_TRAIT_ZERO_POINT);
  const bool wide = has(f, RDX_TRAIT_BEYOND) || (has(f, RDX_TRAIT_ABOVE_I64) && has(f, RDX_TRAIT_NEGATIVE));
  const bool is_float = !forms || code || has(f, RDX_TRAIT_LAST_POINT) || has(f, RDX_TRAIT_MINUS_ZERO) ||
                        (point && f->integer_digits + f->fraction_digits > 18);
  *blame = RDX_TRAITS;
  if (has(f, RDX_TRAIT_LEADING_ZERO))
    *blame = RDX_TRAIT_LEADING_ZERO;
  else if (code && forms)
    *blame = RDX_TRAIT_CODE;
  else if (forms && has(f, RDX_TRAIT_PLUS))
    *blame = RDX_TRAIT_PLUS;
  else if (forms && mixed_points)
    *blame = RDX_TRAIT_BARE_POINT;
  else if (forms && (f->lengths & f->shorter) != 0)
    *blame = RDX_TRAIT_PADDED;
  else if (!is_float && !point && wide)
    *blame = has(f, RDX_TRAIT_BEYOND) ? RDX_TRAIT_BEYOND : RDX_TRAIT_ABOVE_I64;
  else if ((is_float || (!point && wide)) && has(f, RDX_TRAIT_LONG))
    *blame = RDX_TRAIT_LONG;
  if (*blame != RDX_TRAITS && lawful)
    return RDX_TYPE_STRING;
  if (is_float || (!point && wide)) {
    if (!has(f, RDX_TRAIT_HUGE))
      return RDX_TYPE_F64;
    *blame = *blame == RDX_TRAITS ? RDX_TRAIT_HUGE : *blame;
    return RDX_TYPE_STRING;
  }
  if (point) {
    *scale = (uint8_t)f->fraction_digits;
    return RDX_TYPE_DECIMAL;
  }
  return has(f, RDX_TRAIT_ABOVE_I64) ? RDX_TYPE_U64 : has(f, RDX_TRAIT_ABOVE_I32) ? RDX_TYPE_I64 : RDX_TYPE_I32;
}

static rdx_type time_type(const rdx_inference *f, bool lawful, rdx_trait *blame) {
  *blame = RDX_TRAITS;
  if (!has(f, RDX_TRAIT_TIMESTAMP))
    return RDX_TYPE_DATE;
  if (has(f, RDX_TRAIT_ZONED) && has(f, RDX_TRAIT_LOCAL))
    *blame = RDX_TRAIT_LOCAL;
  else if (has(f, RDX_TRAIT_ZONED) && has(f, RDX_TRAIT_DATE))
    *blame = RDX_TRAIT_DATE;
  return *blame != RDX_TRAITS && lawful ? RDX_TYPE_STRING : RDX_TYPE_TIMESTAMP;
}

/* The type of values that are of one kind, or of none, besides what is text. */
static rdx_type kind_type(const rdx_inference *f, bool lawful, uint8_t *scale, rdx_trait *blame) {
  const bool number = has(f, RDX_TRAIT_NUMBER), truth = has(f, RDX_TRAIT_BOOL);
  const bool time = has(f, RDX_TRAIT_DATE) || has(f, RDX_TRAIT_TIMESTAMP);
  *scale = 0;
  *blame = RDX_TRAITS;
  if (number + truth + time == 1)
    return number ? number_type(f, lawful, scale, blame) : time ? time_type(f, lawful, blame) : RDX_TYPE_BOOL;
  for (uint32_t trait = RDX_TRAIT_BOOL; trait <= RDX_TRAIT_TIMESTAMP; trait++) /* the kind that comes last */
    if (has(f, (rdx_trait)trait) && (*blame == RDX_TRAITS || f->first[trait] > f->first[*blame]))
      *blame = (rdx_trait)trait;
  return RDX_TYPE_STRING;
}

rdx_type rdx_inference_type(const rdx_inference *f, uint8_t *scale) {
  rdx_trait blame;
  const rdx_type type = kind_type(f, true, scale, &blame);
  if (!has(f, RDX_TRAIT_TEXT))
    return type;
  *scale = 0;
  return RDX_TYPE_STRING;
}

rdx_reason rdx_inference_reason(const rdx_inference *f) {
  rdx_reason r = {.trait = RDX_TRAITS, .instead = RDX_TYPE_STRING};
  rdx_trait blame;
  const rdx_type lawful = kind_type(f, true, &r.scale, &blame);
  if (has(f, RDX_TRAIT_TEXT)) {
    r.trait = RDX_TRAIT_TEXT;
    r.instead = lawful;
    return r;
  }
  r.trait = blame;
  if (lawful == RDX_TYPE_STRING) {
    r.instead = kind_type(f, false, &r.scale, &blame);
    if (r.instead == RDX_TYPE_STRING && r.trait > RDX_TRAIT_TIMESTAMP && has(f, RDX_TRAIT_HUGE))
      r.trait = RDX_TRAIT_HUGE;
  } else if (lawful == RDX_TYPE_F64 && has(f, RDX_TRAIT_TINY))
    r = (rdx_reason){.trait = RDX_TRAIT_TINY, .instead = RDX_TYPE_F64};
  return r;
}
