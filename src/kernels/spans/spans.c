/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The kernels that gather over spans, and their bodies on the CPU. */

#include "kernels/spans/kernels.h"
#include "spirv/spans_comp.h"
#include "spirv/spans_prefix_comp.h"
#include "spirv/spans_values_comp.h"

#define a (*args)
#include "kernels/lookup/found.h"

static void gather(const void *arguments, const uint32_t *variant, const rdx_scene *scene) {
  (void)scene;
  const struct spans_args *args = arguments;
  const uint32_t kind = variant[0], value = variant[1];
  for (uint32_t k = 0; k < a.count; k++) {
    const uint32_t i = a.first + k, begin = a.begin[i];
    const uint32_t to = kind == GATHER_ROWS ? (uint32_t)a.offsets[i] : 0;
    struct found f = FOUND_NONE;
    for (uint32_t n = 0; n < a.size[i]; n++) {
      const uint32_t row = ROW_OF_ENTRY(a, begin + n);
      FOUND_ADD(f, row, to, kind, value);
    }
    FOUND_STORE(f, (uint64_t)i, kind);
  }
}

static void values(const void *arguments, const uint32_t *variant, const rdx_scene *scene) {
  (void)variant, (void)scene;
  const struct spans_values_args *args = arguments;
  for (uint32_t k = 0; k < a.count; k++)
    SPANS_VALUE(a.first + k);
}

static void prefix(const void *arguments, const uint32_t *variant, const rdx_scene *scene) {
  (void)scene;
  const struct spans_prefix_args *args = arguments;
  for (uint32_t k = 0; k < a.count; k++)
    SPANS_DIFFERENCE((uint64_t)a.first + k, variant[0], variant[1]);
}

#define SPIRV(words_)                                                                                                  \
  { .words = words_, .size = sizeof words_ }

#define SPANS(group_)                                                                                                  \
  {                                                                                                                    \
    .name = "spans", .args_size = sizeof(struct spans_args), .variants = 3, .grain = 256, .group = group_,             \
    .body = gather, .compute = SPIRV(spirv_spans_comp)                                                                 \
  }

const rdx_kernel rdx_kernel_spans_1 = SPANS(256);
const rdx_kernel rdx_kernel_spans_4 = SPANS(64);
const rdx_kernel rdx_kernel_spans_8 = SPANS(32);

const rdx_kernel rdx_kernel_spans_values = {.name = "spans, values in order",
                                            .args_size = sizeof(struct spans_values_args),
                                            .grain = 16384,
                                            .group = 256,
                                            .body = values,
                                            .compute = SPIRV(spirv_spans_values_comp)};

const rdx_kernel rdx_kernel_spans_prefix = {.name = "spans, prefix sums",
                                            .args_size = sizeof(struct spans_prefix_args),
                                            .variants = 2,
                                            .grain = 16384,
                                            .group = 256,
                                            .body = prefix,
                                            .compute = SPIRV(spirv_spans_prefix_comp)};
