/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The kernels that build, change and scan a B+-tree, and their bodies on the CPU. */

#include "kernels/btree/kernels.h"
#include "spirv/shaders.h"

RDX_EACH_ITEM(visits, btree_visits_args,
              a->out_visits[i] = btree_visits(a->lower, a->upper, a->valid, a->depth, (uint32_t)i, variant[0]))

/* A grain is a whole number of leaves. */
RDX_KERNEL_BODY(load, btree_load_args) {
  const size_t bytes = variant[0] ? 8 : 4;
  for (uint64_t to = a->first; to < (uint64_t)a->first + a->count; to += BTREE_WIDTH) {
    const uint64_t from = to / BTREE_WIDTH * a->per_leaf;
    const uint64_t left = from < a->n ? a->n - from : 0, used = left < a->per_leaf ? left : a->per_leaf;
    memcpy((char *)a->keys_out + to * bytes, (const char *)a->keys + from * bytes, used * bytes);
    memcpy(a->rows_out + to, a->rows + from, used * sizeof *a->rows);
    btree_fill(a->keys_out, a->rows_out, (uint32_t)(to + used), (uint32_t)to + BTREE_WIDTH, variant[0]);
  }
}

RDX_KERNEL_BODY(level, btree_level_args) {
  for (uint32_t k = 0; k < a->count; k++) {
    const uint32_t i = a->first + k;
    const uint64_t key =
        i + 1 < a->size ? load_key(a->below, i * BTREE_WIDTH + a->last, variant[0]) : btree_largest_key(variant[0]);
    store_key(a->level, i, key, variant[0]);
  }
}

RDX_EACH_ITEM(plan, btree_plan_args, btree_plan(*a, (uint32_t)i, variant[0]))

RDX_EACH_ITEM(rewrite, btree_rewrite_args, btree_rewrite(*a, (uint32_t)i, variant[0]))

RDX_EACH_ITEM(place, btree_change_args, btree_place(*a->change, (uint32_t)i, variant[0]))

RDX_EACH_ITEM(split, btree_change_args, btree_split(*a->change, (uint32_t)i, variant[0]))

RDX_EACH_ITEM(scan, btree_scan_args, btree_scan(*a, (uint32_t)i, variant[0]))

const rdx_kernel rdx_kernel_btree_visits =
    RDX_COMPUTE_KERNEL("btree visits", btree_visits_args, 1, 4096, 256, visits, spirv_btree_visits_comp);
const rdx_kernel rdx_kernel_btree_load =
    RDX_COMPUTE_KERNEL("btree load", btree_load_args, 1, 4096 * BTREE_WIDTH, 256, load, spirv_btree_load_comp);
const rdx_kernel rdx_kernel_btree_level =
    RDX_COMPUTE_KERNEL("btree level", btree_level_args, 1, 4096, 256, level, spirv_btree_level_comp);
const rdx_kernel rdx_kernel_btree_plan =
    RDX_COMPUTE_KERNEL("btree plan", btree_plan_args, 1, 1024, 128, plan, spirv_btree_plan_comp);
const rdx_kernel rdx_kernel_btree_rewrite =
    RDX_COMPUTE_KERNEL("btree rewrite", btree_rewrite_args, 1, 1024, 128, rewrite, spirv_btree_rewrite_comp);
const rdx_kernel rdx_kernel_btree_place =
    RDX_COMPUTE_KERNEL("btree place", btree_change_args, 1, 4096, 128, place, spirv_btree_place_comp);
const rdx_kernel rdx_kernel_btree_split =
    RDX_COMPUTE_KERNEL("btree split", btree_change_args, 1, 256, 128, split, spirv_btree_split_comp);
const rdx_kernel rdx_kernel_btree_scan =
    RDX_COMPUTE_KERNEL("btree scan", btree_scan_args, 1, 1, 128, scan, spirv_btree_scan_comp);
