/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* TPC-H's tables: pieces and threads, domains, references, and the rules of the specification, section 4.2.3.
 * RAYDEX_TEST_TPCH_SF sets the scale factor (0.1) of the tests of what the first query sums and of rates. */

#include "tests/unit/generated.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tpch/tpch.h"

static double scale_under_test(void) {
  const char *given = getenv("RAYDEX_TEST_TPCH_SF");
  return given ? atof(given) : 0.1;
}

static tpch *open_scale(double scale, uint64_t seed) {
  tpch *t = NULL;
  OK(tpch_open(scale, seed, &t, err));
  return t;
}

static uint64_t rows_of(const tpch *t, uint32_t table) {
  return tpch_generator(t)->tables[table].rows;
}

/* ---- Sizes ---- */

static void test_sizes(void **state) {
  (void)state;
  static const struct {
    double scale;
    uint64_t rows[TPCH_TABLES]; /* lineitem: lines of 4 on average */
  } cases[] = {{0.01, {5, 25, 100, 1500, 2000, 8000, 15000, 60000}},
               {1, {5, 25, 10000, 150000, 200000, 800000, 1500000, 6000000}},
               {1.5, {5, 25, 15000, 225000, 300000, 1200000, 2250000, 9000000}},
               {TPCH_MAX_SCALE, {5, 25, 3000000, 45000000, 60000000, 240000000, 450000000, 1800000000}}};
  for (size_t c = 0; c < COUNT(cases); c++) {
    tpch *t = open_scale(cases[c].scale, 1);
    assert_int_equal(tpch_generator(t)->count, TPCH_TABLES);
    for (uint32_t i = 0; i < TPCH_LINEITEM; i++)
      assert_int_equal(rows_of(t, i), cases[c].rows[i]);
    const int64_t difference = (int64_t)(rows_of(t, TPCH_LINEITEM) - cases[c].rows[TPCH_LINEITEM]);
    assert_true(difference >= -28 && difference <= 28);
    tpch_close(&t);
    assert_null(t);
  }
}

static void test_refusals(void **state) {
  (void)state;
  static const double scales[] = {0, -1, TPCH_MAX_SCALE + 0.5, INFINITY, NAN};
  tpch *t = NULL;
  for (size_t i = 0; i < COUNT(scales); i++) {
    FAILS(tpch_open(scales[i], 1, &t, err), RDX_ERROR_ARGUMENT, "at most 300");
    assert_null(t);
  }
  tpch_close(&t);
}

/* The smallest scale still has a row of each, and rows that refer to it. The largest has keys of 32 bits. */
static void test_extremes(void **state) {
  (void)state;
  generator_batch batch = {0};
  tpch *t = open_scale(1e-9, 7);
  for (uint32_t i = 0; i < TPCH_TABLES; i++)
    generate(tpch_generator(t), i, 0, rows_of(t, i), &batch);
  for (uint64_t i = 0; i < batch.rows; i++) {
    for (uint32_t key = 0; key <= 2; key++)
      assert_int_equal(number(&batch, key, i), 1);
    assert_int_equal(number(&batch, 3, i), i + 1);
  }
  tpch_close(&t);
  t = open_scale(TPCH_MAX_SCALE, 7);
  generate(tpch_generator(t), TPCH_LINEITEM, rows_of(t, TPCH_LINEITEM) - 1, 1, &batch);
  assert_int_equal(number(&batch, 0, 0), 1800000000);
  generator_batch_free(&batch);
  tpch_close(&t);
}

/* ---- Pieces, threads, seeds ---- */

static void test_pieces(void **state) {
  (void)state;
  tpch *t = open_scale(0.003, 5);
  check_pieces(tpch_generator(t));
  tpch_close(&t);
}

static void test_threads(void **state) {
  tpch *t = open_scale(0.05, 3); /* six pieces of lineitem */
  check_threads(tpch_generator(t), *(const generator_format *)*state);
  tpch_close(&t);
}

static void test_table_files(void **state) {
  (void)state;
  tpch *t = open_scale(0.02, 6);
  check_table_files(tpch_generator(t));
  tpch_close(&t);
}

static void test_seeds(void **state) {
  (void)state;
  static const struct {
    uint32_t table;
    const char *column;
  } columns[] = {{TPCH_LINEITEM, "l_shipdate"}, {TPCH_ORDERS, "o_totalprice"}, {TPCH_PARTSUPP, "ps_availqty"}};
  tpch *a = open_scale(0.001, 1), *b = open_scale(0.001, 2);
  for (size_t c = 0; c < COUNT(columns); c++) {
    uint64_t same = 0;
    whole x = make_whole(tpch_generator(a), columns[c].table), y = make_whole(tpch_generator(b), columns[c].table);
    const uint64_t rows = x.batch.rows < y.batch.rows ? x.batch.rows : y.batch.rows;
    for (uint64_t i = 0; i < rows; i++)
      same += number_of(&x, columns[c].column, i) == number_of(&y, columns[c].column, i);
    assert_true(same < rows / 50);
    generator_batch_free(&x.batch);
    generator_batch_free(&y.batch);
  }
  tpch_close(&a);
  tpch_close(&b);
}

/* ---- Domains ---- */

/* Days since 1970, counted year by year. */
static int64_t day(int year, int month, int in_month) {
  static const int before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
  int64_t days = before[month - 1] + in_month - 1 + (year % 4 == 0 && month > 2);
  for (int y = 1970; y < year; y++)
    days += 365 + (y % 4 == 0);
  return days;
}

static void test_domains(void **state) {
  (void)state;
  const domain domains[] = {
      {TPCH_REGION, "r_regionkey", 0, 4, 5},
      {TPCH_NATION, "n_nationkey", 0, 24, 25},
      {TPCH_NATION, "n_regionkey", 0, 4, 5},
      {TPCH_SUPPLIER, "s_suppkey", 1, 1000, 1000},
      {TPCH_SUPPLIER, "s_nationkey", 0, 24, 25},
      {TPCH_SUPPLIER, "s_acctbal", -99999, 999999, 0},
      {TPCH_CUSTOMER, "c_custkey", 1, 15000, 15000},
      {TPCH_CUSTOMER, "c_nationkey", 0, 24, 25},
      {TPCH_CUSTOMER, "c_acctbal", -99999, 999999, 0},
      {TPCH_CUSTOMER, "c_mktsegment", 0, 4, 5},
      {TPCH_PART, "p_partkey", 1, 20000, 20000},
      {TPCH_PART, "p_mfgr", 0, 4, 5},
      {TPCH_PART, "p_brand", 0, 24, 25},
      {TPCH_PART, "p_type", 0, 149, 150},
      {TPCH_PART, "p_size", 1, 50, 50},
      {TPCH_PART, "p_container", 0, 39, 40},
      {TPCH_PART, "p_retailprice", 90100, 209890, 0},
      {TPCH_PARTSUPP, "ps_partkey", 1, 20000, 20000},
      {TPCH_PARTSUPP, "ps_suppkey", 1, 1000, 1000},
      {TPCH_PARTSUPP, "ps_availqty", 1, 9999, 0},
      {TPCH_PARTSUPP, "ps_supplycost", 100, 100000, 0},
      {TPCH_ORDERS, "o_orderkey", 1, 600000, 150000},
      {TPCH_ORDERS, "o_custkey", 1, 15000, 10000},
      {TPCH_ORDERS, "o_orderstatus", 0, 2, 3},
      {TPCH_ORDERS, "o_orderdate", day(1992, 1, 1), day(1998, 8, 2), 2406},
      {TPCH_ORDERS, "o_orderpriority", 0, 4, 5},
      {TPCH_ORDERS, "o_shippriority", 0, 0, 1},
      {TPCH_LINEITEM, "l_orderkey", 1, 600000, 150000},
      {TPCH_LINEITEM, "l_partkey", 1, 20000, 20000},
      {TPCH_LINEITEM, "l_suppkey", 1, 1000, 1000},
      {TPCH_LINEITEM, "l_linenumber", 1, 7, 7},
      {TPCH_LINEITEM, "l_quantity", 100, 5000, 50},
      {TPCH_LINEITEM, "l_discount", 0, 10, 11},
      {TPCH_LINEITEM, "l_tax", 0, 8, 9},
      {TPCH_LINEITEM, "l_returnflag", 0, 2, 3},
      {TPCH_LINEITEM, "l_linestatus", 0, 1, 2},
      {TPCH_LINEITEM, "l_shipdate", day(1992, 1, 2), day(1998, 12, 1), 0},
      {TPCH_LINEITEM, "l_commitdate", day(1992, 1, 31), day(1998, 10, 31), 0},
      {TPCH_LINEITEM, "l_receiptdate", day(1992, 1, 3), day(1998, 12, 31), 0},
      {TPCH_LINEITEM, "l_shipinstruct", 0, 3, 4},
      {TPCH_LINEITEM, "l_shipmode", 0, 6, 7},
  };
  tpch *t = open_scale(0.1, 11);
  check_domains(tpch_generator(t), domains, COUNT(domains));
  tpch_close(&t);
}

static void test_words(void **state) {
  (void)state;
  static const struct {
    tpch_table table;
    const char *column, *word;
  } words[] = {{TPCH_REGION, "r_name", "MIDDLE EAST"},       {TPCH_NATION, "n_name", "SAUDI ARABIA"},
               {TPCH_CUSTOMER, "c_mktsegment", "BUILDING"},  {TPCH_PART, "p_mfgr", "Manufacturer#3"},
               {TPCH_PART, "p_brand", "Brand#45"},           {TPCH_PART, "p_type", "ECONOMY ANODIZED STEEL"},
               {TPCH_PART, "p_container", "MED BOX"},        {TPCH_ORDERS, "o_orderstatus", "P"},
               {TPCH_ORDERS, "o_orderpriority", "1-URGENT"}, {TPCH_LINEITEM, "l_returnflag", "A"},
               {TPCH_LINEITEM, "l_linestatus", "O"},         {TPCH_LINEITEM, "l_shipinstruct", "DELIVER IN PERSON"},
               {TPCH_LINEITEM, "l_shipmode", "REG AIR"}};
  tpch *t = open_scale(0.001, 1);
  for (size_t w = 0; w < COUNT(words); w++)
    check_word(tpch_generator(t), words[w].table, words[w].column, words[w].word);
  tpch_close(&t);
}

static void test_uniform(void **state) {
  (void)state;
  static const struct {
    tpch_table table;
    const char *column;
  } columns[] = {{TPCH_CUSTOMER, "c_mktsegment"},  {TPCH_PART, "p_brand"},           {TPCH_PART, "p_type"},
                 {TPCH_PART, "p_container"},       {TPCH_ORDERS, "o_orderpriority"}, {TPCH_LINEITEM, "l_shipmode"},
                 {TPCH_LINEITEM, "l_shipinstruct"}};
  tpch *t = open_scale(0.2, 1);
  for (size_t i = 0; i < COUNT(columns); i++)
    check_uniform(tpch_generator(t), columns[i].table, columns[i].column);
  tpch_close(&t);
}

/* ---- Rules ---- */

/* Nations and their regions, as section 4.2.3 lists them. */
static void test_nations(void **state) {
  (void)state;
  static const struct {
    const char *name;
    int region;
  } nations[25] = {{"ALGERIA", 0},      {"ARGENTINA", 1},  {"BRAZIL", 1},  {"CANADA", 1},         {"EGYPT", 4},
                   {"ETHIOPIA", 0},     {"FRANCE", 3},     {"GERMANY", 3}, {"INDIA", 2},          {"INDONESIA", 2},
                   {"IRAN", 4},         {"IRAQ", 4},       {"JAPAN", 2},   {"JORDAN", 4},         {"KENYA", 0},
                   {"MOROCCO", 0},      {"MOZAMBIQUE", 0}, {"PERU", 1},    {"CHINA", 2},          {"ROMANIA", 3},
                   {"SAUDI ARABIA", 4}, {"VIETNAM", 2},    {"RUSSIA", 3},  {"UNITED KINGDOM", 3}, {"UNITED STATES", 1}};
  static const char *const regions[5] = {"AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST"};
  tpch *t = open_scale(0.001, 1);
  whole nation = make_whole(tpch_generator(t), TPCH_NATION), region = make_whole(tpch_generator(t), TPCH_REGION);
  for (uint64_t i = 0; i < COUNT(nations); i++) {
    assert_int_equal(number_of(&nation, "n_nationkey", i), i);
    assert_true(is(&nation, "n_name", i, nations[i].name));
    assert_int_equal(number_of(&nation, "n_regionkey", i), nations[i].region);
  }
  for (uint64_t i = 0; i < COUNT(regions); i++)
    assert_true(number_of(&region, "r_regionkey", i) == (int64_t)i && is(&region, "r_name", i, regions[i]));
  generator_batch_free(&nation.batch);
  generator_batch_free(&region.batch);
  tpch_close(&t);
}

/* Names, addresses and phone numbers of customers or suppliers. */
static void check_people(const tpch *t, tpch_table table, const char *prefix, const char *kind) {
  char name[32], found[LONGEST], expected[LONGEST];
  int groups[4] = {0};
  whole w = make_whole(tpch_generator(t), table);
  const uint32_t nation = place_of(w.of, table, (snprintf(name, sizeof name, "%s_nationkey", prefix), name));
  for (uint64_t i = 0; i < w.batch.rows; i++) {
    assert_int_equal(number(&w.batch, 0, i), i + 1);
    snprintf(expected, sizeof expected, "%s#%09d", kind, (int)i + 1);
    text(&w.batch, 1, i, found);
    assert_string_equal(found, expected);
    text(&w.batch, 2, i, found);
    assert_true(strlen(found) >= 10 && strlen(found) <= 40 && !strpbrk(found, "|\"\n"));
    text(&w.batch, nation + 1, i, found);
    assert_int_equal(strlen(found), 15);
    assert_int_equal(sscanf(found, "%2d-%3d-%3d-%4d", &groups[0], &groups[1], &groups[2], &groups[3]), 4);
    assert_int_equal(groups[0], 10 + number(&w.batch, nation, i));
    assert_true(groups[1] >= 100 && groups[2] >= 100 && groups[3] >= 1000);
  }
  generator_batch_free(&w.batch);
}

static void test_people(void **state) {
  (void)state;
  tpch *t = open_scale(0.02, 2);
  check_people(t, TPCH_CUSTOMER, "c", "Customer");
  check_people(t, TPCH_SUPPLIER, "s", "Supplier");
  tpch_close(&t);
}

/* Five different colors; the numbers of manufacturer and brand; the price. */
static void test_parts(void **state) {
  (void)state;
  tpch *t = open_scale(0.02, 3);
  whole w = make_whole(tpch_generator(t), TPCH_PART);
  char name[LONGEST], brand[LONGEST], mfgr[LONGEST], *rest = NULL;
  uint64_t green = 0;
  for (uint64_t i = 0; i < w.batch.rows; i++) {
    const char *colors[6] = {NULL};
    text_of(&w, "p_name", i, name);
    int count = 0;
    green += strstr(name, "green") != NULL;
    for (char *word = strtok_r(name, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
      for (int c = 0; c < count; c++)
        assert_string_not_equal(colors[c], word);
      assert_true(count < 5);
      colors[count++] = word;
    }
    assert_int_equal(count, 5);
    text_of(&w, "p_mfgr", i, mfgr);
    text_of(&w, "p_brand", i, brand);
    assert_true(strlen(brand) == 8 && brand[6] == mfgr[13] && brand[7] >= '1' && brand[7] <= '5');
    const int64_t key = number_of(&w, "p_partkey", i);
    assert_int_equal(number_of(&w, "p_retailprice", i), 90000 + key / 10 % 20001 + 100 * (key % 1000));
  }
  const double expected = (double)w.batch.rows * 5 / 92;
  assert_true(fabs((double)green - expected) < 6 * sqrt(expected));
  generator_batch_free(&w.batch);
  tpch_close(&t);
}

/* Each part has four suppliers, those of the formula. */
static void test_suppliers_of_parts(void **state) {
  (void)state;
  tpch *t = open_scale(0.1, 3);
  whole w = make_whole(tpch_generator(t), TPCH_PARTSUPP);
  const int64_t s = 1000;
  for (uint64_t i = 0; i < w.batch.rows; i++) {
    const int64_t part = number(&w.batch, 0, i), supplier = number(&w.batch, 1, i);
    assert_int_equal(part, i / 4 + 1);
    assert_int_equal(supplier, (part + (int64_t)(i % 4) * (s / 4 + (part - 1) / s)) % s + 1);
    for (uint64_t before = i / 4 * 4; before < i; before++)
      assert_true(number(&w.batch, 1, before) != supplier);
  }
  generator_batch_free(&w.batch);
  tpch_close(&t);
}

static bool supplies(const whole *partsupp, int64_t part, int64_t supplier) {
  for (uint64_t i = (uint64_t)(part - 1) * 4; i < (uint64_t)part * 4; i++)
    if (number(&partsupp->batch, 0, i) == part && number(&partsupp->batch, 1, i) == supplier)
      return true;
  return false;
}

/* A line by itself; what it adds to its order's price, in ten-thousandths of cents. */
static int64_t check_line(const whole *lines, const whole *parts, const whole *partsupp, uint64_t i, int64_t ordered) {
  const int64_t today = day(1995, 6, 17), ship = number_of(lines, "l_shipdate", i);
  const int64_t receipt = number_of(lines, "l_receiptdate", i), commit = number_of(lines, "l_commitdate", i);
  const int64_t part = number_of(lines, "l_partkey", i), price = number_of(lines, "l_extendedprice", i);
  assert_true(supplies(partsupp, part, number_of(lines, "l_suppkey", i)));
  assert_int_equal(100 * price,
                   number_of(lines, "l_quantity", i) * number_of(parts, "p_retailprice", (uint64_t)part - 1));
  assert_true(ship - ordered >= 1 && ship - ordered <= 121);
  assert_true(commit - ordered >= 30 && commit - ordered <= 90);
  assert_true(receipt - ship >= 1 && receipt - ship <= 30);
  assert_true(is(lines, "l_linestatus", i, ship > today ? "O" : "F"));
  assert_int_equal(is(lines, "l_returnflag", i, "N"), receipt > today);
  return price * (100 - number_of(lines, "l_discount", i)) * (100 + number_of(lines, "l_tax", i));
}

/* Orders and their lines, which stand in the same order. */
static void test_orders(void **state) {
  (void)state;
  tpch *t = open_scale(0.01, 9);
  const generator *g = tpch_generator(t);
  whole orders = make_whole(g, TPCH_ORDERS), lines = make_whole(g, TPCH_LINEITEM), parts = make_whole(g, TPCH_PART);
  whole partsupp = make_whole(g, TPCH_PARTSUPP);
  uint64_t counts[8] = {0}, row = 0;
  for (uint64_t o = 0; o < orders.batch.rows; o++) {
    const int64_t key = number(&orders.batch, 0, o), ordered = number_of(&orders, "o_orderdate", o);
    const uint64_t begin = row;
    int64_t total = 0, open = 0;
    assert_int_equal(key, (o + 1) / 8 * 32 + (o + 1) % 8);
    assert_true(number(&orders.batch, 1, o) % 3 != 0);
    for (; row < lines.batch.rows && number(&lines.batch, 0, row) == key; row++) {
      total += check_line(&lines, &parts, &partsupp, row, ordered);
      open += is(&lines, "l_linestatus", row, "O");
      assert_int_equal(number_of(&lines, "l_linenumber", row), row - begin + 1);
    }
    assert_true(row - begin >= 1 && row - begin <= 7);
    counts[row - begin]++;
    assert_int_equal(number_of(&orders, "o_totalprice", o), (int64_t)round((double)total / 10000));
    assert_true(is(&orders, "o_orderstatus", o, open == 0 ? "F" : open == (int64_t)(row - begin) ? "O" : "P"));
  }
  assert_int_equal(row, lines.batch.rows);
  for (int i = 1; i <= 7; i++)
    assert_true(counts[i] >= 15000 / 7 - 1 && counts[i] <= 15000 / 7 + 1);
  generator_batch_free(&orders.batch);
  generator_batch_free(&lines.batch);
  generator_batch_free(&parts.batch);
  generator_batch_free(&partsupp.batch);
  tpch_close(&t);
}

/* ---- Comments ---- */

static void test_comments(void **state) {
  (void)state;
  static const struct {
    tpch_table table;
    const char *column;
    size_t min, max;
  } comments[] = {{TPCH_REGION, "r_comment", 31, 115},   {TPCH_NATION, "n_comment", 31, 114},
                  {TPCH_SUPPLIER, "s_comment", 25, 100}, {TPCH_CUSTOMER, "c_comment", 29, 116},
                  {TPCH_PART, "p_comment", 5, 22},       {TPCH_PARTSUPP, "ps_comment", 49, 198},
                  {TPCH_ORDERS, "o_comment", 19, 78},    {TPCH_LINEITEM, "l_comment", 10, 43}};
  char found[LONGEST];
  tpch *t = open_scale(0.02, 4);
  for (size_t c = 0; c < COUNT(comments); c++) {
    whole w = make_whole(tpch_generator(t), comments[c].table);
    size_t min = LONGEST, max = 0;
    for (uint64_t i = 0; i < w.batch.rows; i++) {
      text_of(&w, comments[c].column, i, found);
      const size_t length = strlen(found);
      assert_true(!strpbrk(found, "|\"\n"));
      min = length < min ? length : min;
      max = length > max ? length : max;
    }
    assert_true(min >= comments[c].min && max <= comments[c].max);
    assert_true(w.batch.rows < 1000 || (min == comments[c].min && max == comments[c].max));
    generator_batch_free(&w.batch);
  }
  tpch_close(&t);
}

/* Whether a text has one word and, later, the other. */
static bool has_both(const char *found, const char *first, const char *second) {
  const char *at = strstr(found, first);
  return at && strstr(at + strlen(first), second);
}

/* What Q16 looks for: five suppliers of ten thousand have complaints, as many are recommended. */
static void test_complaints(void **state) {
  (void)state;
  static const struct {
    double scale;
    int expected;
  } cases[] = {{0.01, 1}, {1, 5}, {2.2, 11}};
  char found[LONGEST];
  for (size_t c = 0; c < COUNT(cases); c++) {
    tpch *t = open_scale(cases[c].scale, 8);
    whole w = make_whole(tpch_generator(t), TPCH_SUPPLIER);
    int complaints = 0, recommended = 0;
    for (uint64_t i = 0; i < w.batch.rows; i++) {
      text_of(&w, "s_comment", i, found);
      complaints += has_both(found, "Customer", "Complaints");
      recommended += has_both(found, "Customer", "Recommends");
    }
    assert_int_equal(complaints, cases[c].expected);
    assert_int_equal(recommended, cases[c].expected);
    generator_batch_free(&w.batch);
    tpch_close(&t);
  }
}

/* What Q13 looks for: in the reference data 16,082 of 1,500,000 orders have special requests. */
static void test_special_requests(void **state) {
  (void)state;
  char found[LONGEST];
  uint64_t special = 0;
  tpch *t = open_scale(scale_under_test(), 1);
  whole w = make_whole(tpch_generator(t), TPCH_ORDERS);
  for (uint64_t i = 0; i < w.batch.rows; i++) {
    text_of(&w, "o_comment", i, found);
    special += has_both(found, "special", "requests");
  }
  const double share = (double)special / (double)w.batch.rows;
  print_message("special requests: %.3f %%\n", 100 * share);
  assert_true(share > 0.0095 && share < 0.0120);
  generator_batch_free(&w.batch);
  tpch_close(&t);
}

/* ---- The first query ---- */

typedef struct group {
  uint64_t rows;
  double quantity, price, discounted, charged;
} group;

/* The query's group of a flag and a status. */
static group sum_group(const whole *w, const char *flag, const char *status) {
  group sums = {0};
  for (uint64_t i = 0; i < w->batch.rows; i++) {
    if (number_of(w, "l_shipdate", i) > day(1998, 9, 2) || !is(w, "l_returnflag", i, flag) ||
        !is(w, "l_linestatus", i, status))
      continue;
    const double price = (double)number_of(w, "l_extendedprice", i) / 100;
    const double discounted = price * (double)(100 - number_of(w, "l_discount", i)) / 100;
    sums.rows++;
    sums.quantity += (double)number_of(w, "l_quantity", i) / 100;
    sums.price += price;
    sums.discounted += discounted;
    sums.charged += discounted * (double)(100 + number_of(w, "l_tax", i)) / 100;
  }
  return sums;
}

/* Of retail prices, relative to scale factor 1: they grow with the part's number. */
static double mean_price(const tpch *t) {
  whole w = make_whole(tpch_generator(t), TPCH_PART);
  double sum = 0;
  for (uint64_t i = 0; i < w.batch.rows; i++)
    sum += (double)number_of(&w, "p_retailprice", i) / 100;
  const double mean = sum / (double)w.batch.rows;
  generator_batch_free(&w.batch);
  return mean / 1499.4955;
}

/* The specification's answer at scale factor 1, of other random data, to which ours come near: within 6 standard
 * deviations of sums, whose terms' mean square is at most 1.5 times the square of their mean, and which are five times
 * as uncertain as those of independent lines, since lines of an order share its date. */
static void test_first_query(void **state) {
  (void)state;
  static const struct {
    const char *flag, *status;
    group sums;
  } expected[] = {{"A", "F", {1478493, 37734107.00, 56586554400.73, 53758257134.87, 55909065222.83}},
                  {"N", "F", {38854, 991417.00, 1487504710.38, 1413082168.05, 1469649223.19}},
                  {"N", "O", {2920374, 74476040.00, 111701729697.74, 106118230307.61, 110367043872.50}},
                  {"R", "F", {1478870, 37719753.00, 56568041380.90, 53741292684.60, 55889619119.83}}};
  const double scale = scale_under_test();
  tpch *t = open_scale(scale, 1);
  const double prices = scale * mean_price(t);
  whole w = make_whole(tpch_generator(t), TPCH_LINEITEM);
  for (size_t e = 0; e < COUNT(expected); e++) {
    const group found = sum_group(&w, expected[e].flag, expected[e].status), *sums = &expected[e].sums;
    const double share = 6 * sqrt(1.5 * 5 / (scale * (double)sums->rows));
    const double pairs[][2] = {{(double)found.rows, scale * (double)sums->rows},
                               {found.quantity, scale * sums->quantity},
                               {found.price, prices * sums->price},
                               {found.discounted, prices * sums->discounted},
                               {found.charged, prices * sums->charged}};
    for (size_t i = 0; i < COUNT(pairs); i++) {
      print_message("%s %s %18.2f %18.2f published\n", expected[e].flag, expected[e].status, pairs[i][0], pairs[i][1]);
      assert_true(fabs(pairs[i][0] / pairs[i][1] - 1) < share);
    }
  }
  generator_batch_free(&w.batch);
  tpch_close(&t);
}

/* ---- Queries ---- */

static void test_queries(void **state) {
  (void)state;
  for (uint32_t i = 0; i < TPCH_QUERIES; i++) {
    const char *query = tpch_queries[i];
    assert_true(strncmp(query, i == 14 ? "with" : "select", i == 14 ? 4 : 6) == 0);
    assert_null(strchr(query, ';'));
    assert_true(query[strlen(query) - 1] != '\n');
  }
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
      cmocka_unit_test(test_words),
      cmocka_unit_test(test_uniform),
      cmocka_unit_test(test_nations),
      cmocka_unit_test(test_people),
      cmocka_unit_test(test_parts),
      cmocka_unit_test(test_suppliers_of_parts),
      cmocka_unit_test(test_orders),
      cmocka_unit_test(test_comments),
      cmocka_unit_test(test_complaints),
      cmocka_unit_test(test_special_requests),
      cmocka_unit_test(test_first_query),
      cmocka_unit_test(test_queries),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
