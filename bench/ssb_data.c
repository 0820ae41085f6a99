/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The star of the Star Schema Benchmark that experiments share: from a folder, or made for them. A folder that is made
 * is gone as soon as its files are open, so that nothing is left however the program ends. */

#include "bench/bench.h"

#include <unistd.h>

#define FLAT_TABLE "lineorder_flat"

typedef struct table_path {
  char name[4000];
} table_path;

static table_path path_of(const char *folder_name, const char *table) {
  table_path path;
  snprintf(path.name, sizeof path.name, "%s/%s.rdx", folder_name, table);
  return path;
}

bool bench_star_holds(const char *dir, const char *path) {
  bool held = console_same_file(path_of(dir, FLAT_TABLE).name, path);
  for (ssb_table t = 0; t < SSB_TABLES; t++)
    held |= console_same_file(path_of(dir, ssb_table_name(t)).name, path);
  return held;
}

static rdx_status generate(bench *b, rdx_error *err) {
  bench_folder f;
  ssb *s = NULL;
  rdx_status status = bench_folder_make(&f, err);
  if (status != RDX_OK)
    return status;
  status = ssb_open(b->scale_factor, b->options.seed, &s, err);
  if (status == RDX_OK)
    status = generator_write(ssb_generator(s), f.name, GENERATOR_TABLE_FILES, 0, err);
  if (status == RDX_OK)
    status = ssb_star_open(f.name, &b->star, err);
  ssb_close(&s);
  bench_folder_remove(&f);
  return status;
}

rdx_status bench_star(bench *b, rdx_error *err) {
  if (b->star)
    return RDX_OK;
  const rdx_status status = b->options.data ? ssb_star_open(b->options.data, &b->star, err) : generate(b, err);
  if (status == RDX_OK)
    b->scale_factor = (double)ssb_star_relation(b->star)->rows / 6e6;
  return status;
}

rdx_status bench_flat(bench *b, rdx_error *err) {
  bench_folder f;
  if (ssb_star_flat(b->star))
    return RDX_OK;
  if (b->options.data) {
    const table_path given = path_of(b->options.data, FLAT_TABLE);
    if (access(given.name, F_OK) == 0)
      return ssb_star_open_flat(b->star, given.name, err);
  }
  rdx_status status = bench_folder_make(&f, err);
  if (status != RDX_OK)
    return status;
  const table_path made = path_of(f.name, FLAT_TABLE);
  status = rdx_relation_flatten(b->device, ssb_star_relation(b->star), made.name, err);
  if (status == RDX_OK)
    status = ssb_star_open_flat(b->star, made.name, err);
  bench_folder_remove(&f);
  return status;
}
