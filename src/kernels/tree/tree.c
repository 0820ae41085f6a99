/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The kernels of the search tree, and their bodies on the CPU. */

#include "kernels/tree/kernels.h"
#include "kernels/tree/descent.h"
#include "spirv/shaders.h"

#include "kernels/lookup/batch_search.h"
#include "kernels/lookup/found.h"
#include "kernels/tree/tree_build.h"

/* ---- Lookups ---- */

DEFINE_RUN_END(run_end, (uint32_t * leaves, uint32_t key64, uint32_t begin, uint32_t n, uint64_t key),
               tree_entry_key(leaves, (uint32_t)at, key64) == key)

/* Add the entries of `key` from `begin` on. */
static void collect(const struct tree_args *args, const uint32_t *variant, uint32_t i, uint32_t begin, uint64_t key,
                    findings *f) {
  const uint32_t key64 = variant[0], gather = variant[1], value = variant[2];
  const uint32_t to = gather == GATHER_ROWS ? (uint32_t)args->io.offsets[i] : 0;
  const uint32_t end = run_end(args->leaves, key64, begin, args->n, key);
  if (gather == GATHER_COUNT && !args->io.out_first) {
    f->count = end - begin;
    return;
  }
  for (uint32_t entry = begin; entry < end; entry++) {
    const uint32_t row = tree_entry_row(args->leaves, entry, key64);
    *f = found_add(*f, args->io, row, to, gather, value);
  }
}

static void collect_equal(const struct tree_args *args, const uint32_t *variant, uint32_t i, uint32_t entry,
                          uint32_t row, uint64_t key, findings *f) {
  const uint32_t gather = variant[1], value = variant[2], distinct = variant[3];
  if (row == NO_ROW)
    return;
  if (distinct || gather == GATHER_ANY) {
    const uint32_t to = gather == GATHER_ROWS ? (uint32_t)args->io.offsets[i] : 0;
    *f = found_add(*f, args->io, row, to, gather, value);
  } else {
    collect(args, variant, i, entry, key, f);
  }
}

static void prefetch_value(const struct tree_args *args, uint32_t value, uint32_t row) {
  __builtin_prefetch(value >= VALUE_U64 ? (const void *)&AS_U64_PTR(args->io.values)[row]
                                        : (const void *)&args->io.values[row]);
}

/* The rows of distinct keys are the answer where no more is asked for. */
static void store_rows(const struct tree_args *args, const struct tree_batch *batch, uint32_t first) {
  if (args->io.out_first)
    memcpy(args->io.out_first + first, batch->row, batch->count * sizeof *batch->row);
  for (uint32_t k = 0; args->io.out_count && k < batch->count; k++)
    args->io.out_count[first + k] = batch->row[k] != NO_ROW;
}

static void point_batch(const struct tree_args *args, const uint32_t *variant, uint32_t first, uint32_t count) {
  struct tree_batch batch = {.count = count};
  for (uint32_t k = 0; k < count; k++)
    batch.key[k] = load_key(args->lower, first + k, variant[0]);
  tree_search(args, variant[0], &batch);
  if (!args->valid && (variant[1] == GATHER_ANY || (variant[1] == GATHER_COUNT && variant[3]))) {
    store_rows(args, &batch, first);
    return;
  }
  if (args->io.values)
    for (uint32_t k = 0; k < count; k++)
      if (batch.row[k] != NO_ROW)
        prefetch_value(args, variant[2], batch.row[k]);
  for (uint32_t k = 0; k < count; k++) {
    findings f = FOUND_NONE;
    if (has_bit(args->valid, first + k))
      collect_equal(args, variant, first + k, batch.entry[k], batch.row[k], batch.key[k], &f);
    found_store(f, args->io, (uint64_t)first + k, variant[1]);
  }
}

/* The spans of ranges. */
static void range_batch(const struct tree_args *args, const uint32_t *variant, uint32_t first, uint32_t count) {
  const uint32_t key64 = variant[0];
  const uint64_t largest = key64 ? UINT64_MAX : UINT32_MAX;
  struct tree_batch lower = {.count = count}, above = {.count = count};
  uint64_t upper[TREE_BATCH];
  for (uint32_t k = 0; k < count; k++) {
    lower.key[k] = load_key(args->lower, first + k, key64);
    upper[k] = load_key(args->upper, first + k, key64);
    above.key[k] = upper[k] + (upper[k] != largest);
  }
  tree_search(args, key64, &lower);
  tree_search(args, key64, &above);
  for (uint32_t k = 0; k < count; k++) {
    findings f = FOUND_NONE;
    if (has_bit(args->valid, first + k) && lower.key[k] <= upper[k]) {
      f.first = lower.entry[k];
      f.count = (upper[k] == largest ? args->n : above.entry[k]) - lower.entry[k];
    }
    found_store(f, args->io, (uint64_t)first + k, GATHER_COUNT);
  }
}

RDX_KERNEL_BODY(lookup, tree_args) {
  for (uint32_t done = 0; done < a->count; done += TREE_BATCH) {
    const uint32_t count = a->count - done < TREE_BATCH ? a->count - done : TREE_BATCH;
    if (a->upper)
      range_batch(a, variant, a->first + done, count);
    else
      point_batch(a, variant, a->first + done, count);
  }
}

/* ---- Building ---- */

RDX_EACH_ITEM(make_leaves, tree_leaves_args, tree_make_leaf(*a, (uint32_t)i, variant[0]))

RDX_EACH_ITEM(make_level, tree_level_args, tree_make_key(*a, (uint32_t)i, variant[0]))

RDX_EACH_ITEM(make_coarse, tree_coarse_args, tree_make_coarse(*a, (uint32_t)i, variant[0]))

#define LOOKUP(title, code) RDX_COMPUTE_KERNEL(title, tree_args, TREE_CONSTANTS, 4096, 2048, lookup, code)

const rdx_kernel rdx_kernel_tree_u32 = LOOKUP("tree, 32-bit keys", spirv_tree_comp_keys_u32);
const rdx_kernel rdx_kernel_tree_u64 = LOOKUP("tree, 64-bit keys", spirv_tree_comp_keys_u64);

const rdx_kernel rdx_kernel_tree_leaves =
    RDX_COMPUTE_KERNEL("tree leaves", tree_leaves_args, 1, 16384, 256, make_leaves, spirv_tree_leaves_comp);
const rdx_kernel rdx_kernel_tree_level =
    RDX_COMPUTE_KERNEL("tree level", tree_level_args, 1, 16384, 256, make_level, spirv_tree_level_comp);
const rdx_kernel rdx_kernel_tree_coarse =
    RDX_COMPUTE_KERNEL("tree coarse level", tree_coarse_args, 1, 16384, 256, make_coarse, spirv_tree_coarse_comp);
