/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Opening, and sizes. */

#include "common/common.h"
#include "ssb/internal.h"

#include "generator/random.h"

#include <stdlib.h>

static const struct {
  const char *name;
  generator_fill *fill;
} tables[SSB_TABLES] = {[SSB_DATE] = {"date", ssb_fill_date},
                        [SSB_SUPPLIER] = {"supplier", ssb_fill_supplier},
                        [SSB_CUSTOMER] = {"customer", ssb_fill_customer},
                        [SSB_PART] = {"part", ssb_fill_part},
                        [SSB_LINEORDER] = {"lineorder", ssb_fill_lineorder}};

/* The paper's 200,000 * (1 + floor(log2 scale)), and below scale 1, where it says nothing, in proportion. */
static uint64_t parts(double scale) {
  if (scale < 1)
    return generator_scaled(200000, scale);
  uint64_t n = 200000;
  for (double power = 2; power <= scale; power *= 2)
    n += 200000;
  return n;
}

static void count_rows(ssb *s, double scale) {
  s->orders = generator_scaled(1500000, scale);
  s->rows[SSB_DATE] = DAYS;
  s->rows[SSB_SUPPLIER] = generator_scaled(2000, scale);
  s->rows[SSB_CUSTOMER] = generator_scaled(30000, scale);
  s->rows[SSB_PART] = parts(scale);
  s->rows[SSB_LINEORDER] = generator_all_lines(generator_stream(s->seed, DRAW_LINES), s->orders);
}

static void describe(ssb *s) {
  for (int t = 0; t < SSB_TABLES; t++) {
    s->tables[t] = (generator_table){.name = tables[t].name,
                                     .unit = t == SSB_LINEORDER ? BLOCK_ROWS : 1,
                                     .rows = s->rows[t],
                                     .fill = tables[t].fill};
    s->tables[t].sources = ssb_sources((ssb_table)t, &s->tables[t].columns);
  }
  s->generator = (generator){.tables = s->tables, .count = SSB_TABLES, .words = s->words, .owner = s};
}

rdx_status ssb_open(double scale, uint64_t seed, ssb **out, rdx_error *err) {
  rdx_status status = generator_check_scale(scale, SSB_MAX_SCALE, err);
  if (status != RDX_OK)
    return status;
  ssb *s = calloc(1, sizeof *s);
  if (!s) {
    if (err)
      return console_error(err, RDX_ERROR_MEMORY, "host memory ran out");
  }
  s->seed = seed;
  ssb_calendar_make(s->days);
  count_rows(s, scale);
  describe(s);
  for (uint32_t set = SET_NONE + 1; set < SETS && status == RDX_OK; set++)
    status = generator_words_make(ssb_set_size(set), ssb_word, set, &s->words[set], err);
  if (status == RDX_OK)
    *out = s;
  else
    ssb_close(&s);
  return status;
}

void ssb_close(ssb **s) {
  if (!*s)
    return;
  for (int set = 0; set < SETS; set++)
    generator_words_free(&(*s)->words[set]);
  free(*s);
  *s = NULL;
}

const char *ssb_table_name(ssb_table table) {
  return tables[table].name;
}

const generator *ssb_generator(const ssb *s) {
  return &s->generator;
}

bool ssb_table_path(const char *folder, ssb_table table, generator_format format, char out[GENERATOR_PATH]) {
  return generator_path(folder, tables[table].name, format, out);
}
