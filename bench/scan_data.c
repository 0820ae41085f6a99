/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Tables for scans, made from a seed, and what conjunctions over them must find. */

#include "bench/scan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLE (1u << 20)

static const struct {
  const char *name;
  double zipf;
} kinds[] = {
    [SCAN_UNIFORM] = {"uniform", 0},    [SCAN_ZIPF_1_1] = {"zipf1.1", 1.1}, [SCAN_ZIPF_1_3] = {"zipf1.3", 1.3},
    [SCAN_ZIPF_1_5] = {"zipf1.5", 1.5}, [SCAN_NORMAL] = {"normal", 0},      [SCAN_SMALL] = {"2^6", 0},
    [SCAN_BYTE] = {"2^8", 0},           [SCAN_SHORT] = {"2^16", 0},         [SCAN_TPCH_3] = {"tpch-q3", 0},
    [SCAN_TPCH_6] = {"tpch-q6", 0},     [SCAN_TPCH_17] = {"tpch-q17", 0},
};

const char *scan_data_name(scan_data_kind kind) {
  return kinds[kind].name;
}

/* ---- Values ---- */

typedef struct maker {
  const scan_data *data;
  uint64_t seed;
  uint32_t column;
} maker;

static double unit(uint64_t bits) {
  return ((double)(bits >> 11) + 0.5) * 0x1p-53; /* never 0, never 1 */
}

/* RTScan, section 5.1 "one with normal distribution". */
/* Box and Muller, 1958. */
static uint32_t normal(uint64_t row, uint64_t seed) {
  const double radius = sqrt(-2 * log(unit(bench_mix(row, seed))));
  return (uint32_t)(int64_t)floor(0x1p31 + radius * cos(6.283185307179586 * unit(bench_mix(row, seed + 1))));
}

/* TPC-H 3.0.1, section 4.2.3, with four lines to every order. Days count from 1992-01-01; orders end on 1998-08-02. */
#define TPCH_DAYS 2406
#define TPCH_LINES 4

enum { TPCH_ORDER = 11, TPCH_SHIP, TPCH_SEGMENT, TPCH_DISCOUNT, TPCH_QUANTITY, TPCH_BRAND, TPCH_CONTAINER };

static uint32_t below(uint64_t item, uint64_t seed, uint32_t attribute, uint32_t max) {
  return (uint32_t)(bench_mix(item, seed + 1000 * attribute) >> 32) % max;
}

static uint32_t tpch_date(uint64_t row, uint64_t seed, bool shipped) {
  const uint32_t day = below(row / TPCH_LINES, seed, TPCH_ORDER, TPCH_DAYS);
  return shipped ? day + 1 + below(row, seed, TPCH_SHIP, 121) : day;
}

static uint32_t tpch(scan_data_kind kind, uint32_t column, uint64_t row, uint64_t seed) {
  if (kind == SCAN_TPCH_3)
    return column < 2 ? tpch_date(row, seed, column == 0) : below(row / TPCH_LINES, seed, TPCH_SEGMENT, 5);
  if (column == 2)
    return 1 + below(row, seed, TPCH_QUANTITY, 50);
  if (kind == SCAN_TPCH_6)
    return column == 0 ? tpch_date(row, seed, true) : below(row, seed, TPCH_DISCOUNT, 11);
  return column == 0 ? below(row, seed, TPCH_BRAND, 25) : below(row, seed, TPCH_CONTAINER, 40);
}

/* RTScan, section 5.1 "Zipf distributions". */
static void make_rows(void *context, uint64_t begin, uint64_t end) {
  const maker *m = context;
  const uint64_t seed = m->seed + 100 * (m->column + 1);
  uint32_t *values = m->data->values[m->column];
  const bool skewed = kinds[m->data->kind].zipf > 0;
  const bench_zipf zipf = skewed ? bench_zipf_make(kinds[m->data->kind].zipf, UINT32_MAX) : (bench_zipf){0};
  for (uint64_t row = begin; row < end; row++) {
    switch (m->data->kind) {
    case SCAN_UNIFORM:
      values[row] = (uint32_t)(bench_mix(row, seed) >> 32);
      break;
    case SCAN_NORMAL:
      values[row] = normal(row, seed);
      break;
    case SCAN_SMALL:
      values[row] = (uint32_t)(bench_mix(row, seed) >> 58);
      break;
    case SCAN_BYTE:
      values[row] = (uint32_t)(bench_mix(row, seed) >> 56);
      break;
    case SCAN_TPCH_3:
    case SCAN_TPCH_6:
    case SCAN_TPCH_17:
      values[row] = tpch(m->data->kind, m->column, row, m->seed);
      break;
    case SCAN_SHORT:
      values[row] = (uint32_t)(bench_mix(row, seed) >> 48);
      break;
    default:
      values[row] = (uint32_t)bench_zipf_draw(&zipf, row, seed);
      break;
    }
  }
}

rdx_status scan_data_create(scan_data_kind kind, uint64_t rows, uint32_t columns, uint64_t seed, scan_data *out,
                            rdx_error *err) {
  *out = (scan_data){.kind = kind, .rows = rows, .columns = columns};
  for (uint32_t c = 0; c < columns; c++) {
    out->values[c] = malloc(rows * sizeof *out->values[c] + 1);
    if (!out->values[c]) {
      scan_data_destroy(out);
      return console_error(err, RDX_ERROR_MEMORY, "host memory ran out: a table for scans needs more");
    }
    maker m = {out, seed, c};
    bench_parallel(0, rows, make_rows, &m);
  }
  return RDX_OK;
}

void scan_data_destroy(scan_data *data) {
  for (uint32_t c = 0; c < SCAN_COLUMNS; c++)
    free(data->values[c]);
  *data = (scan_data){0};
}

/* ---- Selectivities ---- */

rdx_status scan_data_quantile(const scan_data *data, uint32_t column, double selectivity, uint64_t *out,
                              rdx_error *err) {
  const uint64_t count = data->rows < SAMPLE ? data->rows : SAMPLE, rank = (uint64_t)(selectivity * (double)count);
  if (data->kind == SCAN_UNIFORM) { /* known better than from any sample */
    *out = (uint64_t)(selectivity * 0x1p32);
    return RDX_OK;
  }
  uint32_t *sample = malloc(count * sizeof *sample + 1);
  if (!sample)
    return console_error(err, RDX_ERROR_MEMORY, "host memory ran out");
  memcpy(sample, data->values[column], count * sizeof *sample); /* rows are independent: any will do */
  const rdx_status status = bench_sort(sample, sizeof *sample, NULL, count, err);
  if (status == RDX_OK) { /* below the value, or up to it: whichever is nearer */
    const uint32_t value = sample[rank < count ? rank : count - 1];
    uint64_t below = rank, above = rank;
    while (below > 0 && sample[below - 1] >= value)
      below--;
    while (above < count && sample[above] <= value)
      above++;
    *out = (uint64_t)value + (rank - below > above - rank);
  }
  free(sample);
  return status;
}

/* ---- The reference ---- */

typedef struct checker {
  const scan_data *data;
  const scan_range *ranges;
  uint32_t predicates;
  uint32_t *bitmap;
  uint64_t count;
} checker;

static void look_at_words(void *context, uint64_t begin, uint64_t end) {
  checker *c = context;
  uint64_t count = 0;
  for (uint64_t word = begin; word < end; word++) {
    const uint64_t first = word * 32, n = c->data->rows - first < 32 ? c->data->rows - first : 32;
    uint32_t bits = 0;
    for (uint64_t k = 0; k < n; k++) {
      bool all = true;
      for (uint32_t p = 0; p < c->predicates; p++)
        all &= c->data->values[p][first + k] >= c->ranges[p].low && c->data->values[p][first + k] < c->ranges[p].limit;
      bits |= (uint32_t)all << k;
    }
    c->bitmap[word] = bits;
    count += (uint64_t)__builtin_popcount(bits);
  }
  __atomic_fetch_add(&c->count, count, __ATOMIC_RELAXED);
}

uint64_t scan_data_expect(const scan_data *data, const scan_range *ranges, uint32_t predicates, uint32_t *bitmap) {
  checker c = {.data = data, .ranges = ranges, .predicates = predicates, .bitmap = bitmap};
  bench_parallel(0, (data->rows + 31) / 32, look_at_words, &c);
  return c.count;
}
