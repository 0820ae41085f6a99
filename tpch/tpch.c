/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Opening, and sizes. */

#include "common/common.h"
#include "tpch/internal.h"

#include "generator/random.h"

#include <stdlib.h>

static const struct {
  const char *name;
  generator_fill *fill;
} tables[TPCH_TABLES] = {[TPCH_REGION] = {"region", tpch_fill_region},
                         [TPCH_NATION] = {"nation", tpch_fill_nation},
                         [TPCH_SUPPLIER] = {"supplier", tpch_fill_supplier},
                         [TPCH_CUSTOMER] = {"customer", tpch_fill_customer},
                         [TPCH_PART] = {"part", tpch_fill_part},
                         [TPCH_PARTSUPP] = {"partsupp", tpch_fill_partsupp},
                         [TPCH_ORDERS] = {"orders", tpch_fill_orders},
                         [TPCH_LINEITEM] = {"lineitem", tpch_fill_lineitem}};

static void count_rows(tpch *t, double scale) {
  t->orders = generator_scaled(1500000, scale);
  t->suppliers = (uint32_t)generator_scaled(10000, scale);
  t->customers = (uint32_t)generator_scaled(150000, scale);
  t->parts = (uint32_t)generator_scaled(200000, scale);
  t->clerks = (uint32_t)generator_scaled(1000, scale);
  t->complaints = (uint32_t)generator_scaled(5, scale);
  t->rows[TPCH_REGION] = REGIONS;
  t->rows[TPCH_NATION] = NATIONS;
  t->rows[TPCH_SUPPLIER] = t->suppliers;
  t->rows[TPCH_CUSTOMER] = t->customers;
  t->rows[TPCH_PART] = t->parts;
  t->rows[TPCH_PARTSUPP] = 4 * (uint64_t)t->parts;
  t->rows[TPCH_ORDERS] = t->orders;
  t->rows[TPCH_LINEITEM] = generator_all_lines(generator_stream(t->seed, DRAW_LINES), t->orders);
}

static void describe(tpch *t) {
  static const uint32_t units[TPCH_TABLES] = {
      [TPCH_PARTSUPP] = 4, [TPCH_ORDERS] = BLOCK_ORDERS, [TPCH_LINEITEM] = BLOCK_ROWS};
  for (int i = 0; i < TPCH_TABLES; i++) {
    t->tables[i] = (generator_table){
        .name = tables[i].name, .unit = units[i] > 0 ? units[i] : 1, .rows = t->rows[i], .fill = tables[i].fill};
    t->tables[i].sources = tpch_sources((tpch_table)i, &t->tables[i].columns);
  }
  t->generator = (generator){.tables = t->tables, .count = TPCH_TABLES, .words = t->words, .owner = t};
}

rdx_status tpch_open(double scale, uint64_t seed, tpch **out, rdx_error *err) {
  rdx_status status = generator_check_scale(scale, TPCH_MAX_SCALE, err);
  if (status != RDX_OK)
    return status;
  tpch *t = calloc(1, sizeof *t);
  if (!t) {
    if (err)
      return console_error(err, RDX_ERROR_MEMORY, "host memory ran out");
  }
  t->seed = seed;
  count_rows(t, scale);
  describe(t);
  for (uint32_t set = SET_NONE + 1; set < SETS && status == RDX_OK; set++)
    status = generator_words_make(tpch_set_size(set), tpch_word, set, &t->words[set], err);
  if (status == RDX_OK)
    status = tpch_text_make(generator_stream(seed, DRAW_TEXT), t->text, err);
  if (status == RDX_OK)
    *out = t;
  else
    tpch_close(&t);
  return status;
}

void tpch_close(tpch **t) {
  if (!*t)
    return;
  for (int set = 0; set < SETS; set++)
    generator_words_free(&(*t)->words[set]);
  free(*t);
  *t = NULL;
}

const generator *tpch_generator(const tpch *t) {
  return &t->generator;
}
