/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The tables' columns (section 1.4), and all tables but orders and lineitem (section 4.2.3). */

#include "tpch/internal.h"

#include "generator/random.h"

#include <string.h>

/* ---- Columns ---- */

#define INTEGER(name)                                                                                                  \
  {                                                                                                                    \
    .field = { name, RDX_TYPE_I32, 0 }                                                                                 \
  }
#define CENTS(name)                                                                                                    \
  {                                                                                                                    \
    .field = { name, RDX_TYPE_DECIMAL, 2 }                                                                             \
  }
#define DATE(name)                                                                                                     \
  {                                                                                                                    \
    .field = { name, RDX_TYPE_DATE, 0 }                                                                                \
  }
#define WORD(name, of)                                                                                                 \
  { .field = {name, RDX_TYPE_STRING, 0}, .set = of }
#define TEXT(name, longest)                                                                                            \
  { .field = {name, RDX_TYPE_STRING, 0}, .length = longest }

static const generator_source region_columns[] = {INTEGER("r_regionkey"), WORD("r_name", SET_REGION),
                                                  TEXT("r_comment", 115)};

static const generator_source nation_columns[] = {INTEGER("n_nationkey"), WORD("n_name", SET_NATION),
                                                  INTEGER("n_regionkey"), TEXT("n_comment", 114)};

static const generator_source supplier_columns[] = {
    INTEGER("s_suppkey"),          TEXT("s_name", NAME_LENGTH), TEXT("s_address", 40), INTEGER("s_nationkey"),
    TEXT("s_phone", PHONE_LENGTH), CENTS("s_acctbal"),          TEXT("s_comment", 100)};

static const generator_source customer_columns[] = {INTEGER("c_custkey"),
                                                    TEXT("c_name", NAME_LENGTH),
                                                    TEXT("c_address", 40),
                                                    INTEGER("c_nationkey"),
                                                    TEXT("c_phone", PHONE_LENGTH),
                                                    CENTS("c_acctbal"),
                                                    WORD("c_mktsegment", SET_SEGMENT),
                                                    TEXT("c_comment", 116)};

static const generator_source part_columns[] = {
    INTEGER("p_partkey"),     TEXT("p_name", 54), WORD("p_mfgr", SET_MFGR),           WORD("p_brand", SET_BRAND),
    WORD("p_type", SET_TYPE), INTEGER("p_size"),  WORD("p_container", SET_CONTAINER), CENTS("p_retailprice"),
    TEXT("p_comment", 22)};

static const generator_source partsupp_columns[] = {INTEGER("ps_partkey"), INTEGER("ps_suppkey"),
                                                    INTEGER("ps_availqty"), CENTS("ps_supplycost"),
                                                    TEXT("ps_comment", MAX_COMMENT)};

static const generator_source orders_columns[] = {
    INTEGER("o_orderkey"),        INTEGER("o_custkey"),      WORD("o_orderstatus", SET_STATUS),
    CENTS("o_totalprice"),        DATE("o_orderdate"),       WORD("o_orderpriority", SET_PRIORITY),
    TEXT("o_clerk", NAME_LENGTH), INTEGER("o_shippriority"), TEXT("o_comment", 78)};

static const generator_source lineitem_columns[] = {INTEGER("l_orderkey"),
                                                    INTEGER("l_partkey"),
                                                    INTEGER("l_suppkey"),
                                                    INTEGER("l_linenumber"),
                                                    CENTS("l_quantity"),
                                                    CENTS("l_extendedprice"),
                                                    CENTS("l_discount"),
                                                    CENTS("l_tax"),
                                                    WORD("l_returnflag", SET_RETURNFLAG),
                                                    WORD("l_linestatus", SET_LINESTATUS),
                                                    DATE("l_shipdate"),
                                                    DATE("l_commitdate"),
                                                    DATE("l_receiptdate"),
                                                    WORD("l_shipinstruct", SET_INSTRUCTION),
                                                    WORD("l_shipmode", SET_SHIPMODE),
                                                    TEXT("l_comment", 43)};

#define LIST(columns)                                                                                                  \
  { columns, sizeof columns / sizeof *columns }

static const struct {
  const generator_source *columns;
  uint32_t count;
} lists[TPCH_TABLES] = {[TPCH_REGION] = LIST(region_columns),     [TPCH_NATION] = LIST(nation_columns),
                        [TPCH_SUPPLIER] = LIST(supplier_columns), [TPCH_CUSTOMER] = LIST(customer_columns),
                        [TPCH_PART] = LIST(part_columns),         [TPCH_PARTSUPP] = LIST(partsupp_columns),
                        [TPCH_ORDERS] = LIST(orders_columns),     [TPCH_LINEITEM] = LIST(lineitem_columns)};

const generator_source *tpch_sources(tpch_table table, uint32_t *count) {
  *count = lists[table].count;
  return lists[table].columns;
}

/* ---- Values ---- */

/* Where the comment of a row begins in the text. */
static const char *text_of(const tpch *t, uint64_t stream, uint64_t row) {
  return t->text + generator_pick(stream, 2 * row + 1, TEXT_BYTES - MAX_COMMENT + 1);
}

void tpch_put_comment(const tpch *t, const generator_space *out, uint64_t i, uint64_t stream, uint64_t row,
                      uint32_t min, uint32_t max) {
  const uint32_t length = min + generator_pick(stream, 2 * row, max - min + 1);
  __builtin_prefetch(text_of(t, stream, row + 16)); /* places are random: ask for that of a later row */
  generator_put(out, i, text_of(t, stream, row), length);
}

static int32_t *integers(const generator_space *column) {
  return column->values;
}

static int64_t *decimals(const generator_space *column) {
  return column->values;
}

static uint32_t *codes(const generator_space *column) {
  return column->values;
}

/* -999.99 to 9999.99 */
static int64_t balance(uint64_t stream, uint64_t row) {
  return (int64_t)generator_pick(stream, row, 1099999) - 99999;
}

/* The number of so many suppliers that have complaints, or are recommended, one in each of as many equal groups; others
 * have none. */
static bool chosen(const tpch *t, tpch_draw draw, uint32_t supplier) {
  const uint32_t group = t->suppliers / t->complaints, g = supplier / group;
  if (g >= t->complaints)
    return false;
  const uint32_t in_group = supplier - g * group;
  const uint32_t complains = generator_pick(generator_stream(t->seed, DRAW_SUPPLIER_COMPLAINTS), g, group);
  if (draw == DRAW_SUPPLIER_COMPLAINTS || group == 1)
    return draw == DRAW_SUPPLIER_COMPLAINTS && in_group == complains;
  const uint32_t other = generator_pick(generator_stream(t->seed, DRAW_SUPPLIER_RECOMMENDS), g, group - 1);
  return in_group == other + (other >= complains);
}

/* Write "Customer" and, later, the other word into the comment of row `i`, which has at least 25 characters. */
static void write_opinion(const tpch *t, const generator_space *out, uint64_t i, uint64_t row, const char word[10]) {
  const uint64_t stream = generator_stream(t->seed, DRAW_SUPPLIER_PLACES);
  const uint32_t spare = (uint32_t)(out->offsets[i + 1] - out->offsets[i]) - 18;
  const uint32_t before = generator_pick(stream, 2 * row, spare + 1);
  const uint32_t between = generator_pick(stream, 2 * row + 1, spare - before + 1);
  char *at = (char *)out->values + out->offsets[i] + before;
  memcpy(at, "Customer", 8);
  memcpy(at + 8 + between, word, 10);
}

/* ---- Tables ---- */

void tpch_fill_region(const void *owner, uint64_t begin, uint64_t count, const generator_space *out) {
  const tpch *t = owner;
  const uint64_t comment = generator_stream(t->seed, DRAW_REGION_COMMENT);
  for (uint64_t i = 0; i < count; i++) {
    integers(&out[0])[i] = (int32_t)(begin + i);
    codes(&out[1])[i] = t->words[SET_REGION].code[begin + i];
    tpch_put_comment(t, &out[2], i, comment, begin + i, 31, 115);
  }
}

void tpch_fill_nation(const void *owner, uint64_t begin, uint64_t count, const generator_space *out) {
  const tpch *t = owner;
  const uint64_t comment = generator_stream(t->seed, DRAW_NATION_COMMENT);
  uint32_t places[NATIONS]; /* of the nations in their set, by their keys */
  for (uint32_t n = 0; n < NATIONS; n++)
    places[generator_nation_key(n)] = n;
  for (uint64_t i = 0; i < count; i++) {
    const uint32_t nation = places[begin + i];
    integers(&out[0])[i] = (int32_t)(begin + i);
    codes(&out[1])[i] = t->words[SET_NATION].code[nation];
    integers(&out[2])[i] = (int32_t)generator_region_of(nation);
    tpch_put_comment(t, &out[3], i, comment, begin + i, 31, 114);
  }
}

void tpch_fill_supplier(const void *owner, uint64_t begin, uint64_t count, const generator_space *out) {
  const tpch *t = owner;
  const uint64_t address = generator_stream(t->seed, DRAW_SUPPLIER_ADDRESS);
  const uint64_t nation = generator_stream(t->seed, DRAW_SUPPLIER_NATION);
  const uint64_t phone = generator_stream(t->seed, DRAW_SUPPLIER_PHONE);
  const uint64_t acctbal = generator_stream(t->seed, DRAW_SUPPLIER_BALANCE);
  const uint64_t comment = generator_stream(t->seed, DRAW_SUPPLIER_COMMENT);
  for (uint64_t i = 0; i < count; i++) {
    const uint64_t row = begin + i;
    const uint32_t key = (uint32_t)row + 1, n = generator_pick(nation, row, NATIONS);
    integers(&out[0])[i] = (int32_t)key;
    generator_put_name(&out[1], i, "Supplier", key);
    generator_put_address(&out[2], i, 40, address, row);
    integers(&out[3])[i] = (int32_t)n;
    generator_put_phone(&out[4], i, n, generator_random(phone, row));
    decimals(&out[5])[i] = balance(acctbal, row);
    tpch_put_comment(t, &out[6], i, comment, row, 25, 100);
    if (chosen(t, DRAW_SUPPLIER_COMPLAINTS, key - 1))
      write_opinion(t, &out[6], i, row, "Complaints");
    else if (chosen(t, DRAW_SUPPLIER_RECOMMENDS, key - 1))
      write_opinion(t, &out[6], i, row, "Recommends");
  }
}

void tpch_fill_customer(const void *owner, uint64_t begin, uint64_t count, const generator_space *out) {
  const tpch *t = owner;
  const uint64_t address = generator_stream(t->seed, DRAW_CUSTOMER_ADDRESS);
  const uint64_t nation = generator_stream(t->seed, DRAW_CUSTOMER_NATION);
  const uint64_t phone = generator_stream(t->seed, DRAW_CUSTOMER_PHONE);
  const uint64_t acctbal = generator_stream(t->seed, DRAW_CUSTOMER_BALANCE);
  const uint64_t segment = generator_stream(t->seed, DRAW_CUSTOMER_SEGMENT);
  const uint64_t comment = generator_stream(t->seed, DRAW_CUSTOMER_COMMENT);
  for (uint64_t i = 0; i < count; i++) {
    const uint64_t row = begin + i;
    const uint32_t key = (uint32_t)row + 1, n = generator_pick(nation, row, NATIONS);
    integers(&out[0])[i] = (int32_t)key;
    generator_put_name(&out[1], i, "Customer", key);
    generator_put_address(&out[2], i, 40, address, row);
    integers(&out[3])[i] = (int32_t)n;
    generator_put_phone(&out[4], i, n, generator_random(phone, row));
    decimals(&out[5])[i] = balance(acctbal, row);
    codes(&out[6])[i] = t->words[SET_SEGMENT].code[generator_pick(segment, row, 5)];
    tpch_put_comment(t, &out[7], i, comment, row, 29, 116);
  }
}

/* Five different colors. */
static void put_part_name(const generator_space *out, uint64_t i, uint64_t stream, uint64_t row) {
  char text[64];
  size_t length = 0;
  uint32_t taken[5]; /* ascending */
  for (uint32_t n = 0; n < 5; n++) {
    uint32_t color = generator_pick(stream, 5 * row + n, COLORS - n), at = 0; /* of those that are not taken */
    for (; at < n && taken[at] <= color; at++)
      color++;
    memmove(taken + at + 1, taken + at, (n - at) * sizeof *taken);
    taken[at] = color;
    const char *word = generator_color(color);
    if (n > 0)
      text[length++] = ' ';
    memcpy(text + length, word, strlen(word));
    length += strlen(word);
  }
  generator_put(out, i, text, length);
}

void tpch_fill_part(const void *owner, uint64_t begin, uint64_t count, const generator_space *out) {
  const tpch *t = owner;
  const uint64_t name = generator_stream(t->seed, DRAW_PART_NAME), brand = generator_stream(t->seed, DRAW_PART_BRAND);
  const uint64_t type = generator_stream(t->seed, DRAW_PART_TYPE), size = generator_stream(t->seed, DRAW_PART_SIZE);
  const uint64_t container = generator_stream(t->seed, DRAW_PART_CONTAINER);
  const uint64_t comment = generator_stream(t->seed, DRAW_PART_COMMENT);
  for (uint64_t i = 0; i < count; i++) {
    const uint64_t row = begin + i;
    const uint32_t key = (uint32_t)row + 1, b = generator_pick(brand, row, 25);
    integers(&out[0])[i] = (int32_t)key;
    put_part_name(&out[1], i, name, row);
    codes(&out[2])[i] = t->words[SET_MFGR].code[b / 5];
    codes(&out[3])[i] = t->words[SET_BRAND].code[b];
    codes(&out[4])[i] = t->words[SET_TYPE].code[generator_pick(type, row, 150)];
    integers(&out[5])[i] = (int32_t)generator_pick(size, row, 50) + 1;
    codes(&out[6])[i] = t->words[SET_CONTAINER].code[generator_pick(container, row, 40)];
    decimals(&out[7])[i] = generator_retail_price(key);
    tpch_put_comment(t, &out[8], i, comment, row, 5, 22);
  }
}

uint32_t tpch_supplier_of(const tpch *t, uint32_t part, uint32_t i) {
  const uint64_t step = t->suppliers / 4 + (part - 1) / t->suppliers;
  return (uint32_t)((part + i * step) % t->suppliers) + 1;
}

void tpch_fill_partsupp(const void *owner, uint64_t begin, uint64_t count, const generator_space *out) {
  const tpch *t = owner;
  const uint64_t quantity = generator_stream(t->seed, DRAW_PARTSUPP_QUANTITY);
  const uint64_t cost = generator_stream(t->seed, DRAW_PARTSUPP_COST);
  const uint64_t comment = generator_stream(t->seed, DRAW_PARTSUPP_COMMENT);
  for (uint64_t i = 0; i < count; i++) {
    const uint64_t row = begin + i;
    const uint32_t part = (uint32_t)(row / 4) + 1;
    integers(&out[0])[i] = (int32_t)part;
    integers(&out[1])[i] = (int32_t)tpch_supplier_of(t, part, (uint32_t)(row % 4));
    integers(&out[2])[i] = (int32_t)generator_pick(quantity, row, 9999) + 1;
    decimals(&out[3])[i] = generator_pick(cost, row, 99901) + 100;
    tpch_put_comment(t, &out[4], i, comment, row, 49, MAX_COMMENT);
  }
}
