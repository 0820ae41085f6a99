/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_COLUMN_ENGINE_OPERATORS_H
#define RDX_KERNELS_COLUMN_ENGINE_OPERATORS_H

/* Sets of operators, one for each instruction set: for the file that includes it. */

#include "kernels/column_engine/operators_plain.h"

#if defined __x86_64__
#include "kernels/column_engine/operators_avx2.h"
#include "kernels/column_engine/operators_avx512.h"
#endif

static const operators operators_plain = {
    .few = 2, .compare = compare_plain, .list = list_plain, .look_up = look_up_plain, .follow = follow_plain};

#if defined __x86_64__
static const operators operators_avx2 = {.few = 3,
                                         .small_few = 8,
                                         .compare = compare_avx2,
                                         .list = list_avx2,
                                         .look_up = look_up_avx2,
                                         .look_up_small = look_up_small_avx2,
                                         .small_size = AVX2_SMALL,
                                         .follow = follow_avx2};

static const operators operators_avx512 = {
    .few = 2, .compare = compare_avx512, .list = list_avx512, .look_up = look_up_avx512, .follow = follow_avx512};

static const operators operators_vbmi2 = {.few = 16,
                                          .small_few = 16,
                                          .compare = compare_avx512,
                                          .list = list_vbmi2,
                                          .look_up = look_up_vbmi2,
                                          .look_up_small = look_up_small_vbmi2,
                                          .small_size = VBMI2_SMALL,
                                          .follow = follow_avx512};

static inline bool has_avx512(void) {
  return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

static inline bool has_vbmi2(void) {
  return has_avx512() && __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
         __builtin_cpu_supports("bmi2");
}
#endif

#endif
