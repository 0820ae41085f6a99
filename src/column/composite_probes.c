/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Probes of several columns as bounds of packed keys. */

#include "column/composite_internal.h"

#include "column/column.h"
#include "device/search.h"

#define BLOCK 256
#define WHAT "probes of several columns"

/* Where a value stands among those of a column: the code that it has, or for a bound the nearest one inside of it. */
typedef struct found {
  uint64_t code;
  bool exact, none; /* none: there is no such code */
} found;

/* A bound while columns are added to it. */
typedef struct bound {
  uint64_t key;
  bool done, none; /* done: columns after this one do not matter; none: nothing can match */
} bound;

/* ---- One value ---- */

/* Of the codes in order, `below` are of smaller values, and the next one is `equal` or greater. */
static found found_at(uint64_t below, bool equal, uint64_t codes, rdx_probe_role role) {
  if (equal)
    return (found){.code = below, .exact = true};
  if (role == RDX_PROBE_LOWER)
    return (found){.code = below, .none = below == codes};
  return (found){.code = below - 1, .none = role == RDX_PROBE_POINT || below == 0};
}

static found find_string(const rdx_component *p, const rdx_column *values, uint64_t row, rdx_probe_role role) {
  bool equal = false;
  const uint32_t below = rdx_dictionary_search(p->dictionary, values, row, &equal);
  return found_at(below, equal, p->dictionary->count, role);
}

static found find_key(const rdx_component *p, uint64_t key, rdx_probe_role role) {
  if (p->dictionary) {
    const uint32_t below = lower_bound_u64(p->dictionary->keys, 0, p->dictionary->count, key);
    return found_at(below, below < p->dictionary->count && p->dictionary->keys[below] == key, p->dictionary->count,
                    role);
  }
  const bool low = p->empty || key < p->smallest, high = !p->empty && !low && key - p->smallest > p->last;
  if (!low && !high)
    return (found){.code = key - p->smallest, .exact = true};
  if (p->empty || role == RDX_PROBE_POINT)
    return (found){.none = true};
  return role == RDX_PROBE_LOWER ? (found){.code = 0, .none = high} : (found){.code = p->last, .none = low};
}

/* ---- Blocks of values ---- */

static rdx_status encode(const rdx_component *p, const rdx_column *values, uint64_t begin, uint64_t count,
                         rdx_probe_role role, uint64_t *keys, uint32_t *usable, rdx_error *err) {
  const rdx_probe_target target = {.type = p->type, .scale = p->scale, .exact = true, .role = role};
  uint32_t narrow[BLOCK];
  const bool wide = rdx_key_bits(p->type) == 64;
  for (uint32_t i = 0; i < BLOCK / 32; i++)
    usable[i] = UINT32_MAX;
  RDX_TRY(rdx_keys_encode_probes(values, begin, count, &target, wide ? (void *)keys : narrow, usable, err));
  for (uint64_t i = 0; i < count && !wide; i++)
    keys[i] = narrow[i];
  return RDX_OK;
}

static bool is_set(const uint32_t *bits, uint64_t i) {
  return (bits[i / 32] >> i % 32 & 1) != 0;
}

/* A bound that the column's type cannot have has moved inwards, so that no value equals it. */
static rdx_status find_keys(const rdx_component *p, const rdx_column *values, uint64_t begin, uint64_t count,
                            rdx_probe_role role, found *out, rdx_error *err) {
  uint64_t keys[BLOCK], points[BLOCK];
  uint32_t usable[BLOCK / 32], exact[BLOCK / 32];
  RDX_TRY(encode(p, values, begin, count, role, keys, usable, err));
  RDX_TRY(encode(p, values, begin, count, RDX_PROBE_POINT, points, exact, err));
  for (uint64_t i = 0; i < count; i++) {
    out[i] = is_set(usable, i) ? find_key(p, keys[i], role) : (found){.none = true};
    out[i].exact &= is_set(exact, i);
    out[i].none |= role == RDX_PROBE_POINT && !out[i].exact;
  }
  return RDX_OK;
}

static rdx_status find_block(const rdx_component *p, const rdx_column *values, uint64_t begin, uint64_t count,
                             rdx_probe_role role, found *out, rdx_error *err) {
  if (p->type != RDX_TYPE_STRING)
    return find_keys(p, values, begin, count, role, out, err);
  for (uint64_t i = 0; i < count; i++)
    out[i] = rdx_column_has(values, begin + i) ? find_string(p, values, begin + i, role) : (found){.none = true};
  return RDX_OK;
}

/* ---- Bounds ---- */

/* All bits below the place of a column's. */
static uint64_t ones(uint32_t bits) {
  return bits >= 64 ? UINT64_MAX : (1ull << bits) - 1;
}

/* No value of this column is above, or below, those of the bound: NULL may be, else the bound is the next tuple of the
 * columns before, or the one before it. */
static void step_out(const rdx_component *p, rdx_probe_role role, uint32_t bits, bound *b) {
  b->done = true;
  if (role == RDX_PROBE_POINT) {
    b->none = true;
  } else if (role == RDX_PROBE_UPPER) {
    b->none = b->key == 0;
    b->key--;
  } else if (p->nulls) {
    b->key |= (p->empty ? 1 : p->last + 1) << p->shift;
  } else {
    b->key |= ones(p->shift + p->bits);
    b->none = b->key >= ones(bits);
    b->key++;
  }
}

static void add_value(const rdx_component *p, const found *f, rdx_probe_role role, uint32_t bits, bound *b) {
  if (b->done)
    return;
  if (f->none) {
    step_out(p, role, bits, b);
    return;
  }
  b->key |= p->bits > 0 ? f->code << p->shift : 0;
  b->done = !f->exact;
  if (!f->exact && role == RDX_PROBE_UPPER)
    b->key |= ones(p->shift);
}

/* A block of bounds: of points, all tuples with these values. */
static rdx_status make_block(const rdx_composite *c, const rdx_column *values, uint32_t columns, uint64_t begin,
                             uint64_t count, rdx_probe_role role, bound *bounds, rdx_error *err) {
  found block[BLOCK];
  for (uint64_t i = 0; i < count; i++)
    bounds[i] = (bound){0};
  for (uint32_t k = 0; k < columns; k++) {
    RDX_TRY(find_block(&c->parts[k], &values[k], begin, count, role, block, err));
    for (uint64_t i = 0; i < count; i++) {
      if (!rdx_column_has(&values[k], begin + i))
        bounds[i] = (bound){.done = true, .none = true};
      add_value(&c->parts[k], &block[i], role, c->bits, &bounds[i]);
    }
  }
  return RDX_OK;
}

static void store(const bound *bounds, uint64_t begin, uint64_t count, uint64_t more, rdx_packed_keys *out) {
  for (uint64_t i = 0; i < count; i++) {
    const uint64_t row = begin + i, key = bounds[i].done ? bounds[i].key : bounds[i].key | more;
    if (out->column.type == RDX_TYPE_U64)
      ((uint64_t *)out->values)[row] = key;
    else
      ((uint32_t *)out->values)[row] = (uint32_t)key;
    if (bounds[i].none)
      out->validity[row / 8] &= (uint8_t) ~(1u << row % 8);
  }
}

static rdx_status check(const rdx_composite *c, const rdx_column *values, uint32_t count, uint64_t rows,
                        rdx_error *err) {
  if (count == 0 || count > c->count)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "the index has %u columns; probes have values of 1 to %u, not %u",
                    c->count, c->count, count);
  for (uint32_t k = 0; k < count; k++) {
    if (values[k].device)
      return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "probes of several columns are packed of host columns");
    RDX_TRY(rdx_column_check(&values[k], "a probe column", err));
    if (values[k].rows != rows)
      return rdx_fail(err, RDX_ERROR_ARGUMENT, "probe column %u has %llu rows and the first %llu", k,
                      (unsigned long long)values[k].rows, (unsigned long long)rows);
    if ((values[k].type == RDX_TYPE_STRING) != (c->parts[k].type == RDX_TYPE_STRING))
      return rdx_fail(err, RDX_ERROR_ARGUMENT, "probe column %u is %s, and its keys are %s", k,
                      rdx_type_name(values[k].type), rdx_type_name(c->parts[k].type));
  }
  return RDX_OK;
}

static rdx_status make(const rdx_composite *c, const rdx_column *values, uint32_t columns, rdx_probe_role role,
                       uint64_t more, rdx_packed_keys *out, rdx_error *err) {
  RDX_SCOPED(rdx_packed_keys_drop) rdx_packed_keys made = {0};
  bound bounds[BLOCK];
  const uint64_t rows = values[0].rows;
  RDX_TRY(rdx_packed_keys_create(c, rows, true, &made, err));
  for (uint64_t begin = 0; begin < rows; begin += BLOCK) {
    const uint64_t count = rows - begin < BLOCK ? rows - begin : BLOCK;
    RDX_TRY(make_block(c, values, columns, begin, count, role, bounds, err));
    store(bounds, begin, count, more, &made);
  }
  *out = RDX_KEEP(made);
  return RDX_OK;
}

rdx_status rdx_composite_probes(const rdx_composite *c, const rdx_column *values, const rdx_column *upper_values,
                                uint32_t count, rdx_packed_keys *lower, rdx_packed_keys *upper, rdx_error *err) {
  RDX_SCOPED(rdx_packed_keys_drop) rdx_packed_keys made = {0};
  *upper = (rdx_packed_keys){0};
  RDX_TRY(check(c, values, count, values[0].rows, err));
  if (upper_values)
    RDX_TRY(check(c, upper_values, count, values[0].rows, err));
  const uint64_t rest = ones(c->parts[count - 1].shift);
  RDX_TRY(make(c, values, count, upper_values ? RDX_PROBE_LOWER : RDX_PROBE_POINT, 0, &made, err));
  if (upper_values)
    RDX_TRY(make(c, upper_values, count, RDX_PROBE_UPPER, rest, upper, err));
  else if (count < c->count)
    RDX_TRY(make(c, values, count, RDX_PROBE_POINT, rest, upper, err));
  *lower = RDX_KEEP(made);
  return RDX_OK;
}
