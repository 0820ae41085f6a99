/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The kernels that build, change and scan a B+-tree, and their bodies on the CPU. */

#include "kernels/btree/kernels.h"
#include "spirv/btree_level_comp.h"
#include "spirv/btree_load_comp.h"
#include "spirv/btree_place_comp.h"
#include "spirv/btree_plan_comp.h"
#include "spirv/btree_rewrite_comp.h"
#include "spirv/btree_scan_comp.h"
#include "spirv/btree_split_comp.h"
#include "spirv/btree_visits_comp.h"

static void visits(const void *arguments, const uint32_t *variant, const rdx_scene *scene) {
  (void)scene;
  const struct btree_visits_args *a = arguments;
  for (uint32_t k = 0; k < a->count; k++)
    a->out_visits[a->first + k] = btree_visits(a->lower, a->upper, a->valid, a->depth, a->first + k, variant[0]);
}

/* A grain is a whole number of leaves. */
static void load(const void *arguments, const uint32_t *variant, const rdx_scene *scene) {
  (void)scene;
  const struct btree_load_args *a = arguments;
  const size_t bytes = variant[0] ? 8 : 4;
  for (uint64_t to = a->first; to < (uint64_t)a->first + a->count; to += BTREE_WIDTH) {
    const uint64_t from = to / BTREE_WIDTH * a->per_leaf;
    const uint64_t left = from < a->n ? a->n - from : 0, used = left < a->per_leaf ? left : a->per_leaf;
    memcpy((char *)a->keys_out + to * bytes, (const char *)a->keys + from * bytes, used * bytes);
    memcpy(a->rows_out + to, a->rows + from, used * sizeof *a->rows);
    btree_fill(a->keys_out, a->rows_out, (uint32_t)(to + used), (uint32_t)to + BTREE_WIDTH, variant[0]);
  }
}

static void level(const void *arguments, const uint32_t *variant, const rdx_scene *scene) {
  (void)scene;
  const struct btree_level_args *a = arguments;
  for (uint32_t k = 0; k < a->count; k++) {
    const uint32_t i = a->first + k;
    const uint64_t key =
        i + 1 < a->size ? load_key(a->below, i * BTREE_WIDTH + a->last, variant[0]) : btree_largest_key(variant[0]);
    store_key(a->level, i, key, variant[0]);
  }
}

static void plan(const void *arguments, const uint32_t *variant, const rdx_scene *scene) {
  (void)scene;
  const btree_plan_args *a = arguments;
  for (uint32_t k = 0; k < a->count; k++)
    btree_plan(*a, a->first + k, variant[0]);
}

static void rewrite(const void *arguments, const uint32_t *variant, const rdx_scene *scene) {
  (void)scene;
  const btree_rewrite_args *a = arguments;
  for (uint32_t k = 0; k < a->count; k++)
    btree_rewrite(*a, a->first + k, variant[0]);
}

static void place(const void *arguments, const uint32_t *variant, const rdx_scene *scene) {
  (void)scene;
  const struct btree_change_args *a = arguments;
  for (uint32_t k = 0; k < a->count; k++)
    btree_place(*a->change, a->first + k, variant[0]);
}

static void split(const void *arguments, const uint32_t *variant, const rdx_scene *scene) {
  (void)scene;
  const struct btree_change_args *a = arguments;
  for (uint32_t k = 0; k < a->count; k++)
    btree_split(*a->change, a->first + k, variant[0]);
}

static void scan(const void *arguments, const uint32_t *variant, const rdx_scene *scene) {
  (void)scene;
  const btree_scan_args *a = arguments;
  for (uint32_t k = 0; k < a->count; k++)
    btree_scan(*a, a->first + k, variant[0]);
}

#define KERNEL(name_, args, grain_, group_, body_, words_)                                                             \
  {                                                                                                                    \
    .name = name_, .args_size = sizeof(struct args), .variants = 1, .grain = grain_, .group = group_, .body = body_,   \
    .compute = RDX_SPIRV(words_)                                                                                       \
  }

const rdx_kernel rdx_kernel_btree_visits =
    KERNEL("btree visits", btree_visits_args, 4096, 256, visits, spirv_btree_visits_comp);
const rdx_kernel rdx_kernel_btree_load =
    KERNEL("btree load", btree_load_args, 4096 * BTREE_WIDTH, 256, load, spirv_btree_load_comp);
const rdx_kernel rdx_kernel_btree_level =
    KERNEL("btree level", btree_level_args, 4096, 256, level, spirv_btree_level_comp);
const rdx_kernel rdx_kernel_btree_plan = KERNEL("btree plan", btree_plan_args, 1024, 128, plan, spirv_btree_plan_comp);
const rdx_kernel rdx_kernel_btree_rewrite =
    KERNEL("btree rewrite", btree_rewrite_args, 1024, 128, rewrite, spirv_btree_rewrite_comp);
const rdx_kernel rdx_kernel_btree_place =
    KERNEL("btree place", btree_change_args, 4096, 128, place, spirv_btree_place_comp);
const rdx_kernel rdx_kernel_btree_split =
    KERNEL("btree split", btree_change_args, 256, 128, split, spirv_btree_split_comp);
const rdx_kernel rdx_kernel_btree_scan = KERNEL("btree scan", btree_scan_args, 1, 128, scan, spirv_btree_scan_comp);
