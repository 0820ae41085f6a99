/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The kernels that build cubes and collect results, and their bodies on the CPU. */

#include "kernels/packed/blocks.h"
#include "kernels/star/kernels.h"
#include "kernels/star/cube_build.h"
#include "spirv/shaders.h"

/* Append a block of codes to keys. */
#define DEFINE_APPEND(type)                                                                                            \
  static void append_##type(const struct star_key_args *a, const uint64_t *codes, uint64_t first, uint32_t n) {        \
    type *keys = (type *)(void *)a->keys + first;                                                                      \
    if (a->first_attribute || a->bits >= 8 * sizeof(type))                                                             \
      for (uint32_t k = 0; k < n; k++)                                                                                 \
        keys[k] = (type)codes[k];                                                                                      \
    else                                                                                                               \
      for (uint32_t k = 0; k < n; k++)                                                                                 \
        keys[k] = (type)(keys[k] << a->bits | codes[k]);                                                               \
  }

DEFINE_APPEND(uint32_t)
DEFINE_APPEND(uint64_t)

RDX_KERNEL_BODY(key, star_key_args) {
  const uint64_t end = (uint64_t)a->first + a->count;
  uint32_t scratch[PACKED_BLOCK];
  uint64_t codes[PACKED_BLOCK];
  for (uint64_t i = a->first; i < end; i += PACKED_BLOCK) {
    const uint32_t n = end - i < PACKED_BLOCK ? (uint32_t)(end - i) : PACKED_BLOCK;
    const uint32_t *rows = packed_rows(a->rows, a->foreign_rows, a->foreign_bytes, i, n, scratch);
    packed_load(a->codes, a->bytes, rows, i, n, codes);
    for (uint32_t k = 0; k < n && a->shift > 0; k++)
      codes[k] >>= a->shift;
    for (uint32_t k = 0; k < n && a->dictionary; k++)
      codes[k] = lower_bound_u64(a->dictionary, 0, a->dictionary_count, codes[k]);
    if (a->narrow)
      append_uint32_t(a, codes, i, n);
    else
      append_uint64_t(a, codes, i, n);
  }
}

RDX_EACH_ITEM(starts, star_starts_args, star_start(a->keys, a->starts, a->shift, (uint32_t)i, variant[0]))

RDX_KERNEL_BODY(place, star_place_args) {
  uint32_t run = star_find(a->starts, a->starts_count, a->first);
  for (uint64_t i = a->first; i < (uint64_t)a->first + a->count; i++) {
    while (run + 1 < a->starts_count && a->starts[run + 1] <= i)
      run++;
    a->out_places[a->order ? a->order[i] : i] = run;
  }
}

/* Values of a block of rows as star_value() has them, but for NULLs: nulls[k] is set, and the value means nothing. */
static const uint64_t *block_values(const struct star_pack_args *a, uint64_t first, uint32_t n,
                                    uint64_t (*stack)[PACKED_BLOCK], uint8_t *nulls) {
  const uint32_t *rows = a->order ? a->order + first : NULL;
  uint32_t top = 0;
  memset(nulls, 0, n);
  for (uint32_t s = 0; s < a->step_count; s++) {
    const star_step *step = &a->steps[s];
    if (step->kind == STAR_ATTRIBUTE) {
      uint64_t *codes = stack[top++];
      packed_load(step->codes, step->bytes, rows, first, n, codes);
      for (uint32_t k = 0; k < n; k++)
        nulls[k] |= codes[k] == step->null_code;
      for (uint32_t k = 0; k < n && step->values; k++)
        codes[k] = nulls[k] ? 0 : step->values[codes[k]];
      for (uint32_t k = 0; k < n; k++)
        codes[k] = codes[k] * step->factor + step->value;
    } else if (step->kind == STAR_CONSTANT) {
      uint64_t *value = stack[top++];
      for (uint32_t k = 0; k < n; k++)
        value[k] = step->value;
    } else {
      const uint64_t *right = stack[--top];
      uint64_t *left = stack[top - 1];
      const uint64_t sign = step->kind == STAR_SUBTRACT ? UINT64_MAX : 1;
      for (uint32_t k = 0; k < n; k++)
        left[k] = step->kind == STAR_MULTIPLY ? left[k] * right[k] : left[k] + sign * right[k];
    }
  }
  return stack[0];
}

#define DEFINE_PACK_BLOCK(name, type)                                                                                  \
  static void name(const struct star_pack_args *a, uint64_t first, uint32_t n, const uint64_t *values,                 \
                   const uint8_t *nulls) {                                                                             \
    type *to = (type *)(void *)a->packed_out + first;                                                                  \
    for (uint32_t k = 0; k < n; k++)                                                                                   \
      to[k] = (type)(nulls[k] ? a->null_code : values[k] - a->min);                                                    \
  }

DEFINE_PACK_BLOCK(pack_u8, uint8_t)
DEFINE_PACK_BLOCK(pack_u16, uint16_t)
DEFINE_PACK_BLOCK(pack_u32, uint32_t)
DEFINE_PACK_BLOCK(pack_u64, uint64_t)

RDX_KERNEL_BODY(pack, star_pack_args) {
  static void (*const packs[4])(const struct star_pack_args *a, uint64_t first, uint32_t n, const uint64_t *values,
                                const uint8_t *nulls) = {pack_u8, pack_u16, pack_u32, pack_u64};
  const uint64_t each = a->bytes < 4 ? 4 / a->bytes : 1, stop = ((uint64_t)a->first + a->count) * each;
  const uint64_t end = stop < a->rows ? stop : a->rows;
  uint64_t stack[STAR_DEPTH][PACKED_BLOCK];
  uint8_t nulls[PACKED_BLOCK];
  for (uint64_t i = a->first * each; i < end; i += PACKED_BLOCK) {
    const uint32_t n = end - i < PACKED_BLOCK ? (uint32_t)(end - i) : PACKED_BLOCK;
    const uint64_t *values = block_values(a, i, n, stack, nulls);
    packs[__builtin_ctz(a->bytes)](a, i, n, values, nulls);
  }
  if (stop > end) /* the last word is filled up */
    memset((char *)a->packed_out + end * a->bytes, 0, (stop - end) * a->bytes);
}

RDX_EACH_ITEM(heads, star_heads_args,
              a->bits[i] = star_heads(a->starts, a->starts_count, a->groups, a->group_bytes, a->rows, (uint32_t)i))

static void add_run(const struct star_runs_args *a, uint32_t run, uint64_t sum, uint64_t number) {
  __atomic_fetch_add(&a->sums[run], sum, __ATOMIC_RELAXED);
  if (a->counts)
    __atomic_fetch_add(&a->counts[run], number, __ATOMIC_RELAXED);
}

RDX_KERNEL_BODY(runs, star_runs_args) {
  const uint64_t begin = (uint64_t)a->first * STAR_RUN, max = begin + (uint64_t)a->count * STAR_RUN;
  const uint64_t end = max < a->rows ? max : a->rows;
  uint32_t run = star_find(a->starts, a->runs, (uint32_t)begin);
  uint64_t sum = 0, number = 0;
  for (uint64_t i = begin; i < end; i++) {
    while (run + 1 < a->runs && a->starts[run + 1] <= i) {
      add_run(a, run++, sum, number);
      sum = number = 0;
    }
    const uint64_t code = star_load(a->codes, a->bytes, (uint32_t)i);
    const bool null = a->counts && code == a->null_code;
    sum += null ? 0 : code;
    number += !null;
  }
  add_run(a, run, sum, number);
}

/* ---- Ranges ---- */

RDX_KERNEL_BODY(ranges, star_ranges_args) {
  for (uint32_t part = a->first; part < a->first + a->count; part++) {
    uint64_t at = star_part(a->rows, part, a->parts);
    const uint64_t end = star_part(a->rows, part + 1, a->parts);
    for (uint32_t r = star_find(a->ranges, a->range_count, (uint32_t)at); at < end; r++) {
      const uint64_t stop = r + 1 < a->range_count && a->ranges[r + 1] < end ? a->ranges[r + 1] : end;
      const uint32_t begin = a->ranges[a->range_count + r] + (uint32_t)(at - a->ranges[r]);
      rdx_star_add(a->query, part, NULL, begin, begin + (uint32_t)(stop - at));
      at = stop;
    }
  }
}

/* ---- Collecting ---- */

/* The flag of each slot. */
static void list_flags(const star_query *q, uint32_t *flags) {
  uint32_t slot = 0;
  flags[slot++] = STAR_COUNT;
  for (uint32_t m = 0; m < q->measure_count; m++)
    for (uint32_t flag = STAR_COUNT; flag <= STAR_MAX; flag <<= 1)
      if (q->measures[m].slots & flag)
        flags[slot++] = flag;
}

static void merge(uint64_t *into, uint64_t *from, const uint32_t *flags, uint32_t slots) {
  for (uint32_t s = 0; s < slots; s++) {
    if (flags[s] < STAR_MIN)
      into[s] += from[s];
    else if (from[s] > into[s])
      into[s] = from[s];
  }
  memset(from, 0, slots * sizeof *from);
}

/* Bring all copies to the first, and mark their groups. */
static uint32_t *gather_copies(const star_query *q) {
  uint32_t flags[1 + 5 * STAR_MEASURES];
  uint32_t *bits = q->marks + STAR_COPIES, *words = bits + (q->group_count + 31) / 32;
  list_flags(q, flags);
  for (uint32_t copy = 0; copy < q->copies; copy++) {
    const uint32_t *list = q->touched + copy * star_list_stride(q);
    uint64_t *sums = q->sums + copy * star_record_stride(q);
    for (uint32_t i = 0; i < q->marks[copy]; i++) {
      bits[list[i] / 32] |= 1u << list[i] % 32;
      words[list[i] / 1024] |= 1u << list[i] / 32 % 32;
      if (copy > 0)
        merge(q->sums + (uint64_t)list[i] * q->slot_count, sums + (uint64_t)list[i] * q->slot_count, flags,
              q->slot_count);
    }
    q->marks[copy] = 0;
  }
  return bits;
}

RDX_KERNEL_BODY(collect, star_collect_args) {
  const star_query *q = a->query;
  const size_t bytes = q->slot_count * sizeof(uint64_t);
  uint32_t *bits = gather_copies(q), *words = bits + (q->group_count + 31) / 32;
  uint64_t *out = a->found + 1;
  for (uint32_t v = 0; v < (q->group_count + 1023) / 1024; v++) {
    for (uint32_t full = words[v]; full != 0; full &= full - 1) {
      const uint32_t w = 32 * v + (uint32_t)__builtin_ctz(full);
      for (uint32_t left = bits[w]; left != 0; left &= left - 1) {
        const uint32_t group = 32 * w + (uint32_t)__builtin_ctz(left);
        uint64_t *record = q->sums + (uint64_t)group * q->slot_count;
        *out = group;
        memcpy(out + 1, record, bytes);
        memset(record, 0, bytes);
        out += 1 + q->slot_count;
        a->found[0]++;
      }
      bits[w] = 0;
    }
    words[v] = 0;
  }
}

const rdx_kernel rdx_kernel_star_key =
    RDX_COMPUTE_KERNEL("star keys", star_key_args, 0, 16384, 256, key, spirv_star_key_comp);
const rdx_kernel rdx_kernel_star_starts =
    RDX_COMPUTE_KERNEL("star starts", star_starts_args, 1, 65536, 256, starts, spirv_star_starts_comp);
const rdx_kernel rdx_kernel_star_place =
    RDX_COMPUTE_KERNEL("star places", star_place_args, 0, 65536, 256, place, spirv_star_place_comp);
const rdx_kernel rdx_kernel_star_pack =
    RDX_COMPUTE_KERNEL("star packing", star_pack_args, 0, 4096, 256, pack, spirv_star_pack_comp);
const rdx_kernel rdx_kernel_star_heads =
    RDX_COMPUTE_KERNEL("star heads", star_heads_args, 0, 4096, 64, heads, spirv_star_heads_comp);
const rdx_kernel rdx_kernel_star_runs =
    RDX_COMPUTE_KERNEL("star runs", star_runs_args, 0, 32, 64, runs, spirv_star_runs_comp);
const rdx_kernel rdx_kernel_star_ranges =
    RDX_COMPUTE_KERNEL("star ranges", star_ranges_args, 0, 1, STAR_GROUP, ranges, spirv_star_ranges_comp);
const rdx_kernel rdx_kernel_star_collect =
    RDX_COMPUTE_KERNEL("star results", star_collect_args, 0, 1, 64, collect, spirv_star_collect_comp);
