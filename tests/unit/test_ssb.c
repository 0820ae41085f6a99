/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The Star Schema Benchmark's tables: pieces and threads, domains, references, and what its queries select.
 * RAYDEX_TEST_SSB_SF sets the scale factor (0.1); the last test prints what docs/ssb.md has at scale factor 1. */

#include "tests/unit/generated.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ssb/ssb.h"

static double scale_under_test(void) {
  const char *given = getenv("RAYDEX_TEST_SSB_SF");
  return given ? atof(given) : 0.1;
}

static ssb *open_scale(double scale, uint64_t seed) {
  rdx_error err;
  ssb *s = NULL;
  if (ssb_open(scale, seed, &s, &err) != RDX_OK)
    fail_msg("%s", err.text);
  return s;
}

static uint64_t rows_of(const ssb *s, uint32_t table) {
  return ssb_generator(s)->tables[table].rows;
}

/* ---- Sizes ---- */

static void test_sizes(void **state) {
  (void)state;
  static const struct {
    double scale;
    uint64_t rows[SSB_TABLES]; /* lineorder: lines of 4 on average */
  } cases[] = {{0.01, {2556, 20, 300, 2000, 60000}},
               {0.5, {2556, 1000, 15000, 100000, 3000000}},
               {1, {2556, 2000, 30000, 200000, 6000000}},
               {1.5, {2556, 3000, 45000, 200000, 9000000}},
               {2, {2556, 4000, 60000, 400000, 12000000}},
               {20, {2556, 40000, 600000, 1000000, 120000000}},
               {100, {2556, 200000, 3000000, 1400000, 600000000}},
               {SSB_MAX_SCALE, {2556, 1400000, 21000000, 2000000, 4200000000}}};
  for (size_t c = 0; c < COUNT(cases); c++) {
    ssb *s = open_scale(cases[c].scale, 1);
    for (int t = 0; t < SSB_LINEORDER; t++)
      assert_int_equal(rows_of(s, t), cases[c].rows[t]);
    const int64_t difference = (int64_t)(rows_of(s, SSB_LINEORDER) - cases[c].rows[SSB_LINEORDER]);
    assert_true(difference >= -28 && difference <= 28);
    ssb_close(&s);
    assert_null(s);
  }
}

static void test_refusals(void **state) {
  (void)state;
  static const double scales[] = {0, -1, SSB_MAX_SCALE + 0.5, INFINITY, NAN};
  rdx_error err;
  ssb *s = NULL;
  for (size_t i = 0; i < COUNT(scales); i++) {
    assert_int_equal(ssb_open(scales[i], 1, &s, &err), RDX_ERROR_ARGUMENT);
    assert_non_null(strstr(err.text, "at most 700"));
    assert_null(s);
  }
  ssb_close(&s);
  s = open_scale(0.001, 1);
  generator_batch batch = {0};
  assert_int_equal(generator_make(ssb_generator(s), SSB_PART, 199, 2, &batch, &err), RDX_ERROR_ARGUMENT);
  assert_int_equal(generator_make(ssb_generator(s), SSB_PART, 201, 0, &batch, &err), RDX_ERROR_ARGUMENT);
  assert_int_equal(generator_make(ssb_generator(s), SSB_PART, 1, UINT64_MAX, &batch, &err), RDX_ERROR_ARGUMENT);
  generate(ssb_generator(s), SSB_PART, 200, 0, &batch);
  generate(ssb_generator(s), SSB_LINEORDER, rows_of(s, SSB_LINEORDER), 0, &batch);
  generator_batch_free(&batch);
  ssb_close(&s);
}

/* The smallest scale still has a row of each, and rows that refer to it. The largest has keys of 32 bits. */
static void test_extremes(void **state) {
  (void)state;
  generator_batch batch = {0};
  ssb *s = open_scale(1e-9, 7);
  const uint64_t rows = rows_of(s, SSB_LINEORDER);
  assert_true(rows >= 1 && rows <= 7);
  generate(ssb_generator(s), SSB_LINEORDER, 0, rows, &batch);
  for (uint64_t i = 0; i < rows; i++) {
    for (uint32_t key = 2; key <= 4; key++)
      assert_int_equal(number(&batch, key, i), 1);
    assert_int_equal(number(&batch, 1, i), i + 1);
  }
  ssb_close(&s);
  s = open_scale(SSB_MAX_SCALE, 7);
  const uint64_t last = rows_of(s, SSB_LINEORDER) - 1;
  generate(ssb_generator(s), SSB_LINEORDER, last, 1, &batch);
  assert_true(number(&batch, 0, 0) == 1050000000u / 8 * 32);
  generator_batch_free(&batch);
  ssb_close(&s);
}

/* ---- Pieces and threads ---- */

static void test_pieces(void **state) {
  (void)state;
  ssb *s = open_scale(0.003, 5);
  check_pieces(ssb_generator(s));
  ssb_close(&s);
}

static void test_seeds(void **state) {
  (void)state;
  ssb *a = open_scale(0.001, 1), *b = open_scale(0.001, 2);
  whole x = make_whole(ssb_generator(a), SSB_LINEORDER), y = make_whole(ssb_generator(b), SSB_LINEORDER);
  uint64_t same = 0;
  for (uint64_t i = 0; i < 5900; i++)
    same += number_of(&x, "lo_orderdate", i) == number_of(&y, "lo_orderdate", i);
  assert_true(same < 50);
  generator_batch_free(&x.batch);
  generator_batch_free(&y.batch);
  ssb_close(&a);
  ssb_close(&b);
}

static void test_threads(void **state) {
  ssb *s = open_scale(0.05, 3); /* six pieces of lineorder */
  check_threads(ssb_generator(s), *(const generator_format *)*state);
  ssb_close(&s);
}

static void test_table_files(void **state) {
  (void)state;
  ssb *s = open_scale(0.02, 6);
  check_table_files(ssb_generator(s));
  ssb_close(&s);
}

/* ---- Domains ---- */

static const domain domains[] = {
    {SSB_LINEORDER, "lo_linenumber", 1, 7, 7},
    {SSB_LINEORDER, "lo_orderdate", 19920101, 19980802, 2406},
    {SSB_LINEORDER, "lo_orderpriority", 0, 4, 5},
    {SSB_LINEORDER, "lo_shippriority", 0, 0, 1},
    {SSB_LINEORDER, "lo_quantity", 1, 50, 50},
    {SSB_LINEORDER, "lo_extendedprice", 90100, 10494950, 0},
    {SSB_LINEORDER, "lo_ordtotalprice", 81090, 7 * 11334546, 0},
    {SSB_LINEORDER, "lo_discount", 0, 10, 11},
    {SSB_LINEORDER, "lo_revenue", 81090, 10494950, 0},
    {SSB_LINEORDER, "lo_supplycost", 54060, 125939, 0},
    {SSB_LINEORDER, "lo_tax", 0, 8, 9},
    {SSB_LINEORDER, "lo_commitdate", 19920131, 19981031, 0},
    {SSB_LINEORDER, "lo_shipmode", 0, 6, 7},
    {SSB_CUSTOMER, "c_city", 0, 249, 250},
    {SSB_CUSTOMER, "c_nation", 0, 24, 25},
    {SSB_CUSTOMER, "c_region", 0, 4, 5},
    {SSB_CUSTOMER, "c_mktsegment", 0, 4, 5},
    {SSB_SUPPLIER, "s_nation", 0, 24, 25},
    {SSB_SUPPLIER, "s_region", 0, 4, 5},
    {SSB_PART, "p_mfgr", 0, 4, 5},
    {SSB_PART, "p_category", 0, 24, 25},
    {SSB_PART, "p_brand1", 0, 999, 1000},
    {SSB_PART, "p_color", 0, 91, 92},
    {SSB_PART, "p_type", 0, 149, 150},
    {SSB_PART, "p_size", 1, 50, 50},
    {SSB_PART, "p_container", 0, 39, 40},
    {SSB_DATE, "d_datekey", 19920101, 19981230, 2556},
    {SSB_DATE, "d_dayofweek", 0, 6, 7},
    {SSB_DATE, "d_month", 0, 11, 12},
    {SSB_DATE, "d_year", 1992, 1998, 7},
    {SSB_DATE, "d_yearmonthnum", 199201, 199812, 84},
    {SSB_DATE, "d_yearmonth", 0, 83, 84},
    {SSB_DATE, "d_daynuminweek", 1, 7, 7},
    {SSB_DATE, "d_daynuminmonth", 1, 31, 31},
    {SSB_DATE, "d_daynuminyear", 1, 366, 366},
    {SSB_DATE, "d_monthnuminyear", 1, 12, 12},
    {SSB_DATE, "d_weeknuminyear", 1, 53, 53},
    {SSB_DATE, "d_sellingseason", 0, 4, 5},
    {SSB_DATE, "d_lastdayinweekfl", 0, 1, 2},
    {SSB_DATE, "d_lastdayinmonthfl", 0, 1, 2},
    {SSB_DATE, "d_holidayfl", 0, 1, 2},
    {SSB_DATE, "d_weekdayfl", 0, 1, 2},
};

static void test_domains(void **state) {
  (void)state;
  ssb *s = open_scale(0.1, 11);
  check_domains(ssb_generator(s), domains, COUNT(domains));
  ssb_close(&s);
}

static void test_dictionaries(void **state) {
  (void)state;
  static const struct {
    ssb_table table;
    const char *column, *word;
  } words[] = {{SSB_CUSTOMER, "c_city", "UNITED KI1"},       {SSB_CUSTOMER, "c_city", "CHINA    0"},
               {SSB_SUPPLIER, "s_nation", "UNITED STATES"},  {SSB_SUPPLIER, "s_region", "MIDDLE EAST"},
               {SSB_CUSTOMER, "c_mktsegment", "BUILDING"},   {SSB_PART, "p_mfgr", "MFGR#5"},
               {SSB_PART, "p_category", "MFGR#12"},          {SSB_PART, "p_brand1", "MFGR#2221"},
               {SSB_PART, "p_brand1", "MFGR#551"},           {SSB_PART, "p_type", "STANDARD ANODIZED TIN"},
               {SSB_PART, "p_container", "MED BOX"},         {SSB_DATE, "d_yearmonth", "Dec1997"},
               {SSB_LINEORDER, "lo_orderpriority", "5-LOW"}, {SSB_LINEORDER, "lo_shipmode", "REG AIR"},
               {SSB_DATE, "d_sellingseason", "Christmas"},   {SSB_DATE, "d_dayofweek", "Wednesday"}};
  ssb *s = open_scale(0.001, 1);
  for (size_t w = 0; w < COUNT(words); w++)
    check_word(ssb_generator(s), words[w].table, words[w].column, words[w].word);
  ssb_close(&s);
}

/* ---- How columns of a row go together ---- */

static void check_place(const whole *w, const char *prefix, uint64_t row, uint32_t region_of[25]) {
  char name[32], city[LONGEST], nation[LONGEST], padded[LONGEST];
  const uint32_t of_city = place_of(w->of, w->table, (snprintf(name, sizeof name, "%s_city", prefix), name));
  text(&w->batch, of_city, row, city);
  text(&w->batch, of_city + 1, row, nation);
  assert_int_equal(strlen(city), 10);
  snprintf(padded, sizeof padded, "%-9.9s", nation);
  assert_memory_equal(padded, city, 9);
  uint32_t *region = &region_of[number(&w->batch, of_city + 1, row)];
  if (*region == UINT32_MAX)
    *region = number(&w->batch, of_city + 2, row);
  assert_int_equal(*region, number(&w->batch, of_city + 2, row));
}

static void test_dimensions(void **state) {
  (void)state;
  uint32_t region_of[25], nations[5] = {0};
  char a[LONGEST], b[LONGEST], c[LONGEST];
  memset(region_of, 0xff, sizeof region_of);
  ssb *s = open_scale(0.1, 2);
  whole customer = make_whole(ssb_generator(s), SSB_CUSTOMER), supplier = make_whole(ssb_generator(s), SSB_SUPPLIER),
        part = make_whole(ssb_generator(s), SSB_PART);
  for (uint64_t i = 0; i < customer.batch.rows; i++) {
    check_place(&customer, "c", i, region_of);
    assert_int_equal(number(&customer.batch, 0, i), i + 1);
    text(&customer.batch, 2, i, a);
    assert_true(strlen(a) >= 10 && strlen(a) <= 25 && !strpbrk(a, "|\"\n"));
  }
  for (uint64_t i = 0; i < supplier.batch.rows; i++)
    check_place(&supplier, "s", i, region_of);
  for (uint32_t i = 0; i < 25; i++)
    nations[region_of[i]]++;
  for (uint32_t i = 0; i < 5; i++)
    assert_int_equal(nations[i], 5);
  for (uint64_t i = 0; i < part.batch.rows; i++) {
    text(&part.batch, 2, i, a);
    text(&part.batch, 3, i, b);
    text(&part.batch, 4, i, c);
    assert_true(strlen(a) == 6 && strlen(b) == 7 && memcmp(a, b, 6) == 0 && memcmp(b, c, 7) == 0);
    assert_true(atoi(c + 7) >= 1 && atoi(c + 7) <= 40);
  }
  assert_true(is(&customer, "c_name", 41, "Customer#000000042"));
  generator_batch_free(&customer.batch);
  generator_batch_free(&supplier.batch);
  generator_batch_free(&part.batch);
  ssb_close(&s);
}

static void test_dates(void **state) {
  (void)state;
  ssb *s = open_scale(0.001, 1);
  whole w = make_whole(ssb_generator(s), SSB_DATE);
  const uint64_t leap = 31 + 28, dec = 5 * 365 + 2 + 334; /* 1992-02-29, 1997-01-01 + 334 days: 1997-12-01 */
  assert_true(is(&w, "d_date", leap, "February 29, 1992") && is(&w, "d_dayofweek", leap, "Saturday"));
  assert_int_equal(number_of(&w, "d_lastdayinmonthfl", leap), 1);
  assert_int_equal(number_of(&w, "d_lastdayinweekfl", leap), 1);
  assert_int_equal(number_of(&w, "d_weekdayfl", leap), 0);
  assert_int_equal(number_of(&w, "d_weeknuminyear", leap), 9);
  assert_int_equal(number_of(&w, "d_datekey", dec), 19971201);
  assert_true(is(&w, "d_yearmonth", dec, "Dec1997") && is(&w, "d_dayofweek", dec, "Monday"));
  assert_true(is(&w, "d_month", dec, "December") && is(&w, "d_sellingseason", dec, "Christmas"));
  assert_int_equal(number_of(&w, "d_daynuminyear", dec), 335);
  assert_true(is(&w, "d_dayofweek", 2555, "Wednesday") && number_of(&w, "d_datekey", 2555) == 19981230);
  generator_batch_free(&w.batch);
  ssb_close(&s);
}

/* Lines of one order share what is the order's, have numbers from 1, and add up. References exist. */
static void test_orders(void **state) {
  (void)state;
  ssb *s = open_scale(0.02, 9);
  whole w = make_whole(ssb_generator(s), SSB_LINEORDER);
  const uint64_t rows = w.batch.rows, orders = 30000;
  uint64_t counts[8] = {0}, begin = 0, order = 0;
  for (uint64_t end = 1; end <= rows; end++) {
    if (end < rows && number(&w.batch, 0, end) == number(&w.batch, 0, begin))
      continue;
    uint64_t total = 0;
    for (uint64_t i = begin; i < end; i++) {
      const uint64_t price = number(&w.batch, 9, i), revenue = number(&w.batch, 12, i);
      assert_int_equal(number(&w.batch, 1, i), i - begin + 1);
      assert_int_equal(number(&w.batch, 2, i), number(&w.batch, 2, begin));
      assert_int_equal(number(&w.batch, 5, i), number(&w.batch, 5, begin));
      assert_int_equal(number(&w.batch, 6, i), number(&w.batch, 6, begin));
      assert_int_equal(number(&w.batch, 10, i), number(&w.batch, 10, begin));
      assert_int_equal(revenue, price * (100 - number(&w.batch, 11, i)) / 100);
      assert_int_equal(price % number(&w.batch, 8, i), 0);
      assert_int_equal(number(&w.batch, 13, i), price / number(&w.batch, 8, i) * 6 / 10);
      assert_true(number(&w.batch, 2, i) % 3 != 0 && number(&w.batch, 2, i) <= 600);
      assert_true(number(&w.batch, 3, i) - 1 < 4000 && number(&w.batch, 4, i) - 1 < 40);
      assert_true(number(&w.batch, 15, i) > number(&w.batch, 5, i));
      total += revenue * (100 + number(&w.batch, 14, i)) / 100;
    }
    assert_int_equal(number(&w.batch, 10, begin), total);
    order++;
    assert_int_equal(number(&w.batch, 0, begin), order / 8 * 32 + order % 8);
    counts[end - begin]++;
    begin = end;
  }
  assert_int_equal(order, orders);
  for (int i = 1; i <= 7; i++)
    assert_true(counts[i] >= orders / 7 - 1 && counts[i] <= orders / 7 + 1);
  generator_batch_free(&w.batch);
  ssb_close(&s);
}

/* ---- What queries select: by looking at every row ---- */

enum { Q11, Q12, Q13, Q21, Q22, Q23, Q31, Q32, Q33, Q34, Q41, Q42, Q43 };

#define BIT(q) (1u << (q))
#define ALL (BIT(SSB_QUERIES) - 1)
#define FLIGHT_1 (BIT(Q11) | BIT(Q12) | BIT(Q13))
#define FLIGHT_2 (BIT(Q21) | BIT(Q22) | BIT(Q23))
#define FLIGHT_3 (BIT(Q31) | BIT(Q32) | BIT(Q33) | BIT(Q34))

/* A row of a dimension: the queries that it satisfies, and what it adds to each one's group. */
typedef struct entry {
  uint32_t queries;
  uint16_t group[SSB_QUERIES];
} entry;

static uint32_t when(bool holds, uint32_t queries) {
  return holds ? queries : 0;
}

static entry date_entry(const whole *w, uint64_t i) {
  const uint32_t year = number_of(w, "d_year", i);
  entry e = {.queries = FLIGHT_2 | BIT(Q41)};
  e.queries |= when(year == 1993, BIT(Q11)) | when(number_of(w, "d_yearmonthnum", i) == 199401, BIT(Q12));
  e.queries |= when(year == 1994 && number_of(w, "d_weeknuminyear", i) == 6, BIT(Q13));
  e.queries |= when(year <= 1997, BIT(Q31) | BIT(Q32) | BIT(Q33)) | when(is(w, "d_yearmonth", i, "Dec1997"), BIT(Q34));
  e.queries |= when(year >= 1997, BIT(Q42) | BIT(Q43));
  for (int q = Q21; q < SSB_QUERIES; q++)
    e.group[q] = (uint16_t)(year - 1992);
  return e;
}

static entry customer_entry(const whole *w, uint64_t i) {
  const bool cities = is(w, "c_city", i, "UNITED KI1") || is(w, "c_city", i, "UNITED KI5");
  entry e = {.queries = FLIGHT_1 | FLIGHT_2};
  e.queries |= when(is(w, "c_region", i, "ASIA"), BIT(Q31)) | when(is(w, "c_nation", i, "UNITED STATES"), BIT(Q32));
  e.queries |=
      when(cities, BIT(Q33) | BIT(Q34)) | when(is(w, "c_region", i, "AMERICA"), BIT(Q41) | BIT(Q42) | BIT(Q43));
  e.group[Q31] = e.group[Q41] = (uint16_t)number_of(w, "c_nation", i);
  e.group[Q32] = e.group[Q33] = e.group[Q34] = (uint16_t)number_of(w, "c_city", i);
  return e;
}

static entry supplier_entry(const whole *w, uint64_t i) {
  const bool cities = is(w, "s_city", i, "UNITED KI1") || is(w, "s_city", i, "UNITED KI5");
  entry e = {.queries = FLIGHT_1};
  e.queries |= when(is(w, "s_region", i, "AMERICA"), BIT(Q21) | BIT(Q41) | BIT(Q42));
  e.queries |= when(is(w, "s_region", i, "ASIA"), BIT(Q22) | BIT(Q31)) | when(is(w, "s_region", i, "EUROPE"), BIT(Q23));
  e.queries |= when(is(w, "s_nation", i, "UNITED STATES"), BIT(Q32) | BIT(Q43)) | when(cities, BIT(Q33) | BIT(Q34));
  e.group[Q31] = e.group[Q42] = (uint16_t)number_of(w, "s_nation", i);
  e.group[Q32] = e.group[Q33] = e.group[Q34] = e.group[Q43] = (uint16_t)number_of(w, "s_city", i);
  return e;
}

static entry part_entry(const whole *w, uint64_t i) {
  char brand[LONGEST];
  text(&w->batch, place_of(w->of, SSB_PART, "p_brand1"), i, brand);
  const bool brands = strcmp(brand, "MFGR#2221") >= 0 && strcmp(brand, "MFGR#2228") <= 0;
  const bool mfgrs = is(w, "p_mfgr", i, "MFGR#1") || is(w, "p_mfgr", i, "MFGR#2");
  entry e = {.queries = FLIGHT_1 | FLIGHT_3};
  e.queries |= when(is(w, "p_category", i, "MFGR#12"), BIT(Q21)) | when(brands, BIT(Q22));
  e.queries |= when(strcmp(brand, "MFGR#2221") == 0, BIT(Q23)) | when(mfgrs, BIT(Q41) | BIT(Q42));
  e.queries |= when(is(w, "p_category", i, "MFGR#14"), BIT(Q43));
  e.group[Q21] = e.group[Q22] = e.group[Q23] = e.group[Q43] = (uint16_t)number_of(w, "p_brand1", i);
  e.group[Q42] = (uint16_t)number_of(w, "p_category", i);
  return e;
}

/* Of quantity and discount. */
static uint32_t line_queries(uint32_t quantity, uint32_t discount) {
  const bool middle = quantity >= 26 && quantity <= 35;
  return (ALL & ~FLIGHT_1) | when(discount >= 1 && discount <= 3 && quantity < 25, BIT(Q11)) |
         when(discount >= 4 && discount <= 6 && middle, BIT(Q12)) |
         when(discount >= 5 && discount <= 7 && middle, BIT(Q13));
}

/* The rows of a dimension, and of what share of the lines each query is satisfied if they refer to all alike: rows
 * from `first` below `end`, of customers those that have orders. */
static entry *dimension(const ssb *s, ssb_table table, entry (*make)(const whole *w, uint64_t i),
                        double share[SSB_QUERIES]) {
  whole w = make_whole(ssb_generator(s), table);
  entry *entries = calloc(w.batch.rows, sizeof *entries);
  assert_non_null(entries);
  uint64_t counts[SSB_QUERIES] = {0}, all = 0;
  for (uint64_t i = 0; i < w.batch.rows; i++) {
    entries[i] = make(&w, i);
    if ((table == SSB_CUSTOMER && i % 3 == 2) || (table == SSB_DATE && i >= 2406))
      continue;
    all++;
    for (int q = 0; q < SSB_QUERIES; q++)
      counts[q] += entries[i].queries >> q & 1;
  }
  for (int q = 0; q < SSB_QUERIES; q++)
    share[q] *= (double)counts[q] / (double)all;
  generator_batch_free(&w.batch);
  return entries;
}

/* Groups of the rows that a query selects. */
typedef struct groups {
  uint64_t *of;
  uint64_t count, space;
} groups;

static void add_group(groups *g, uint64_t group) {
  if (g->count == g->space) {
    g->space = g->space * 2 + 64;
    g->of = realloc(g->of, g->space * sizeof *g->of);
    assert_non_null(g->of);
  }
  g->of[g->count++] = group;
}

static int compare_u64(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

static uint64_t count_groups(groups *g) {
  if (g->count == 0)
    return 0;
  qsort(g->of, g->count, sizeof *g->of, compare_u64);
  uint64_t distinct = 1;
  for (uint64_t i = 1; i < g->count; i++)
    distinct += g->of[i] != g->of[i - 1];
  return distinct;
}

static int compare_u32(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

/* The row of a day in the table date. */
static uint64_t day_row(const uint32_t *keys, uint32_t key) {
  const uint32_t *found = bsearch(&key, keys, 2556, sizeof *keys, compare_u32);
  assert_non_null(found);
  return (uint64_t)(found - keys);
}

typedef struct star {
  entry *date, *customer, *supplier, *part;
  double share[SSB_QUERIES]; /* of the lines that each query should select */
  groups found[SSB_QUERIES];
} star;

static void scan_lines(const ssb *s, star *of) {
  generator_batch days = {0}, b = {0};
  generate(ssb_generator(s), SSB_DATE, 0, 2556, &days);
  const uint32_t *keys = days.columns[0].values;
  const uint64_t rows = rows_of(s, SSB_LINEORDER), piece = 100000;
  for (uint64_t begin = 0; begin < rows; begin += piece) {
    generate(ssb_generator(s), SSB_LINEORDER, begin, rows - begin < piece ? rows - begin : piece, &b);
    for (uint64_t i = 0; i < b.rows; i++) {
      const entry *c = &of->customer[number(&b, 2, i) - 1], *p = &of->part[number(&b, 3, i) - 1];
      const entry *u = &of->supplier[number(&b, 4, i) - 1];
      uint32_t queries = c->queries & p->queries & u->queries & line_queries(number(&b, 8, i), number(&b, 11, i));
      if (queries == 0)
        continue;
      const entry *d = &of->date[day_row(keys, number(&b, 5, i))];
      queries &= d->queries;
      for (int q = 0; q < SSB_QUERIES; q++)
        if (queries >> q & 1)
          add_group(&of->found[q], d->group[q] | (uint64_t)c->group[q] << 16 | (uint64_t)u->group[q] << 32 |
                                       (uint64_t)p->group[q] << 48);
    }
  }
  generator_batch_free(&days);
  generator_batch_free(&b);
}

/* Lines of an order share its customer and date, so that the variance is at most 5 times (the mean square over the mean
 * of the lines of an order) that of independent lines. */
static void check_query(int q, star *of, uint64_t rows) {
  const uint64_t selected = of->found[q].count, groups_found = count_groups(&of->found[q]);
  const double expected = of->share[q] * (double)rows;
  const ssb_query *query = &ssb_queries[q];
  print_message("%s  %10.3g %%  %10.3g %% published  %4" PRIu64 " rows of %4" PRIu32 "\n", query->name,
                100 * (double)selected / (double)rows, query->selectivity, groups_found, query->rows);
  if (fabs((double)selected - expected) > 6 * sqrt(5 * expected) + 6)
    fail_msg("Q%s: %" PRIu64 " rows instead of about %.0f", query->name, selected, expected);
  assert_true(q > Q13 || groups_found == 1);
}

static void test_queries(void **state) {
  (void)state;
  ssb *s = open_scale(scale_under_test(), 1);
  star of = {0};
  for (int q = 0; q < SSB_QUERIES; q++)
    of.share[q] = q == Q11 ? 3.0 / 11 * 24 / 50 : q <= Q13 ? 3.0 / 11 * 10 / 50 : 1;
  of.date = dimension(s, SSB_DATE, date_entry, of.share);
  of.customer = dimension(s, SSB_CUSTOMER, customer_entry, of.share);
  of.supplier = dimension(s, SSB_SUPPLIER, supplier_entry, of.share);
  of.part = dimension(s, SSB_PART, part_entry, of.share);
  scan_lines(s, &of);
  for (int q = 0; q < SSB_QUERIES; q++) {
    check_query(q, &of, rows_of(s, SSB_LINEORDER));
    free(of.found[q].of);
  }
  free(of.date);
  free(of.customer);
  free(of.supplier);
  free(of.part);
  ssb_close(&s);
}

static void test_uniform(void **state) {
  (void)state;
  static const struct {
    ssb_table table;
    const char *column;
  } columns[] = {{SSB_CUSTOMER, "c_city"}, {SSB_CUSTOMER, "c_mktsegment"}, {SSB_SUPPLIER, "s_city"},
                 {SSB_PART, "p_brand1"},   {SSB_PART, "p_color"},          {SSB_PART, "p_type"},
                 {SSB_PART, "p_container"}};
  ssb *s = open_scale(1, 1);
  for (size_t i = 0; i < COUNT(columns); i++)
    check_uniform(ssb_generator(s), columns[i].table, columns[i].column);
  ssb_close(&s);
}

int main(void) {
  static generator_format table_files = GENERATOR_TABLE_FILES, texts = GENERATOR_TEXT;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sizes),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_extremes),
      cmocka_unit_test(test_pieces),
      cmocka_unit_test(test_seeds),
      cmocka_unit_test_prestate(test_threads, &table_files),
      cmocka_unit_test_prestate(test_threads, &texts),
      cmocka_unit_test(test_table_files),
      cmocka_unit_test(test_domains),
      cmocka_unit_test(test_dictionaries),
      cmocka_unit_test(test_dimensions),
      cmocka_unit_test(test_dates),
      cmocka_unit_test(test_orders),
      cmocka_unit_test(test_uniform),
      cmocka_unit_test(test_queries),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
