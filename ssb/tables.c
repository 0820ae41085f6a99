/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The tables' columns, and all tables but lineorder. */

#include "ssb/internal.h"

#include "generator/random.h"

#include <stdio.h>

/* ---- Columns ---- */

#define NUMBER(name, bits)                                                                                             \
  {                                                                                                                    \
    .field = { name, RDX_TYPE_U##bits, 0 }                                                                             \
  }
#define WORD(name, of)                                                                                                 \
  { .field = {name, RDX_TYPE_STRING, 0}, .set = of }
#define TEXT(name, longest)                                                                                            \
  { .field = {name, RDX_TYPE_STRING, 0}, .length = longest }

static const generator_source date_columns[] = {NUMBER("d_datekey", 32),
                                                TEXT("d_date", 18),
                                                WORD("d_dayofweek", SET_WEEKDAY),
                                                WORD("d_month", SET_MONTH),
                                                NUMBER("d_year", 16),
                                                NUMBER("d_yearmonthnum", 32),
                                                WORD("d_yearmonth", SET_YEARMONTH),
                                                NUMBER("d_daynuminweek", 8),
                                                NUMBER("d_daynuminmonth", 8),
                                                NUMBER("d_daynuminyear", 16),
                                                NUMBER("d_monthnuminyear", 8),
                                                NUMBER("d_weeknuminyear", 8),
                                                WORD("d_sellingseason", SET_SEASON),
                                                NUMBER("d_lastdayinweekfl", 8),
                                                NUMBER("d_lastdayinmonthfl", 8),
                                                NUMBER("d_holidayfl", 8),
                                                NUMBER("d_weekdayfl", 8)};

static const generator_source supplier_columns[] = {
    NUMBER("s_suppkey", 32),      TEXT("s_name", NAME_LENGTH),  TEXT("s_address", 25),        WORD("s_city", SET_CITY),
    WORD("s_nation", SET_NATION), WORD("s_region", SET_REGION), TEXT("s_phone", PHONE_LENGTH)};

static const generator_source customer_columns[] = {NUMBER("c_custkey", 32),       TEXT("c_name", NAME_LENGTH),
                                                    TEXT("c_address", 25),         WORD("c_city", SET_CITY),
                                                    WORD("c_nation", SET_NATION),  WORD("c_region", SET_REGION),
                                                    TEXT("c_phone", PHONE_LENGTH), WORD("c_mktsegment", SET_SEGMENT)};

static const generator_source part_columns[] = {
    NUMBER("p_partkey", 32),          TEXT("p_name", 21),          WORD("p_mfgr", SET_MFGR),
    WORD("p_category", SET_CATEGORY), WORD("p_brand1", SET_BRAND), WORD("p_color", SET_COLOR),
    WORD("p_type", SET_TYPE),         NUMBER("p_size", 8),         WORD("p_container", SET_CONTAINER)};

static const generator_source lineorder_columns[] = {NUMBER("lo_orderkey", 32),
                                                     NUMBER("lo_linenumber", 8),
                                                     NUMBER("lo_custkey", 32),
                                                     NUMBER("lo_partkey", 32),
                                                     NUMBER("lo_suppkey", 32),
                                                     NUMBER("lo_orderdate", 32),
                                                     WORD("lo_orderpriority", SET_PRIORITY),
                                                     NUMBER("lo_shippriority", 8),
                                                     NUMBER("lo_quantity", 8),
                                                     NUMBER("lo_extendedprice", 32),
                                                     NUMBER("lo_ordtotalprice", 32),
                                                     NUMBER("lo_discount", 8),
                                                     NUMBER("lo_revenue", 32),
                                                     NUMBER("lo_supplycost", 32),
                                                     NUMBER("lo_tax", 8),
                                                     NUMBER("lo_commitdate", 32),
                                                     WORD("lo_shipmode", SET_SHIPMODE)};

#define LIST(columns)                                                                                                  \
  { columns, sizeof columns / sizeof *columns }

static const struct {
  const generator_source *columns;
  uint32_t count;
} lists[SSB_TABLES] = {[SSB_DATE] = LIST(date_columns),
                       [SSB_SUPPLIER] = LIST(supplier_columns),
                       [SSB_CUSTOMER] = LIST(customer_columns),
                       [SSB_PART] = LIST(part_columns),
                       [SSB_LINEORDER] = LIST(lineorder_columns)};

const generator_source *ssb_sources(ssb_table table, uint32_t *count) {
  *count = lists[table].count;
  return lists[table].columns;
}

/* ---- Values ---- */

/* City, nation and region, in three columns, and the phone number in a fourth. */
static void put_place(const ssb *s, const generator_space *out, uint64_t i, uint32_t city, uint64_t random) {
  ((uint32_t *)out[0].values)[i] = s->words[SET_CITY].code[city];
  ((uint32_t *)out[1].values)[i] = s->words[SET_NATION].code[city / 10];
  ((uint32_t *)out[2].values)[i] = s->words[SET_REGION].code[generator_region_of(city / 10)];
  generator_put_phone(&out[3], i, generator_nation_key(city / 10), random);
}

/* ---- Tables ---- */

void ssb_fill_supplier(const void *owner, uint64_t begin, uint64_t count, const generator_space *out) {
  const ssb *s = owner;
  const uint64_t address = generator_stream(s->seed, DRAW_SUPPLIER_ADDRESS),
                 city = generator_stream(s->seed, DRAW_SUPPLIER_CITY);
  const uint64_t phone = generator_stream(s->seed, DRAW_SUPPLIER_PHONE);
  for (uint64_t i = 0; i < count; i++) {
    const uint64_t row = begin + i;
    ((uint32_t *)out[0].values)[i] = (uint32_t)row + 1;
    generator_put_name(&out[1], i, "Supplier", (uint32_t)row + 1);
    generator_put_address(&out[2], i, 25, address, row);
    put_place(s, &out[3], i, generator_pick(city, row, 250), generator_random(phone, row));
  }
}

void ssb_fill_customer(const void *owner, uint64_t begin, uint64_t count, const generator_space *out) {
  const ssb *s = owner;
  const uint64_t address = generator_stream(s->seed, DRAW_CUSTOMER_ADDRESS),
                 city = generator_stream(s->seed, DRAW_CUSTOMER_CITY);
  const uint64_t phone = generator_stream(s->seed, DRAW_CUSTOMER_PHONE),
                 segment = generator_stream(s->seed, DRAW_CUSTOMER_SEGMENT);
  for (uint64_t i = 0; i < count; i++) {
    const uint64_t row = begin + i;
    ((uint32_t *)out[0].values)[i] = (uint32_t)row + 1;
    generator_put_name(&out[1], i, "Customer", (uint32_t)row + 1);
    generator_put_address(&out[2], i, 25, address, row);
    put_place(s, &out[3], i, generator_pick(city, row, 250), generator_random(phone, row));
    ((uint32_t *)out[7].values)[i] = s->words[SET_SEGMENT].code[generator_pick(segment, row, 5)];
  }
}

/* Two different colors. */
static void put_part_name(const generator_space *out, uint64_t i, uint64_t stream, uint64_t row) {
  char text[32];
  const uint32_t first = generator_pick(stream, row * 2, 92), other = generator_pick(stream, row * 2 + 1, 91);
  const int length =
      snprintf(text, sizeof text, "%s %s", generator_color(first), generator_color(other + (other >= first)));
  generator_put(out, i, text, (size_t)length);
}

void ssb_fill_part(const void *owner, uint64_t begin, uint64_t count, const generator_space *out) {
  const ssb *s = owner;
  static const struct {
    ssb_draw draw;
    uint32_t set;
    uint32_t column;
  } words[] = {{DRAW_PART_COLOR, SET_COLOR, 5}, {DRAW_PART_TYPE, SET_TYPE, 6}, {DRAW_PART_CONTAINER, SET_CONTAINER, 8}};
  const uint64_t name = generator_stream(s->seed, DRAW_PART_NAME), brand = generator_stream(s->seed, DRAW_PART_BRAND);
  const uint64_t size = generator_stream(s->seed, DRAW_PART_SIZE);
  for (uint64_t i = 0; i < count; i++) {
    const uint64_t row = begin + i;
    const uint32_t b = generator_pick(brand, row, 1000);
    ((uint32_t *)out[0].values)[i] = (uint32_t)row + 1;
    put_part_name(&out[1], i, name, row);
    ((uint32_t *)out[2].values)[i] = s->words[SET_MFGR].code[b / 200];
    ((uint32_t *)out[3].values)[i] = s->words[SET_CATEGORY].code[b / 40];
    ((uint32_t *)out[4].values)[i] = s->words[SET_BRAND].code[b];
    ((uint8_t *)out[7].values)[i] = (uint8_t)(generator_pick(size, row, 50) + 1);
  }
  for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
    const uint64_t stream = generator_stream(s->seed, words[w].draw);
    const generator_words *of = &s->words[words[w].set];
    for (uint64_t i = 0; i < count; i++)
      ((uint32_t *)out[words[w].column].values)[i] =
          of->code[generator_pick(stream, begin + i, (uint32_t)of->column.rows)];
  }
}

/* The paper names the seasons, and that Christmas is one; the others are the usual ones by whole months. Places are
 * those of SET_SEASON: Christmas, Fall, Spring, Summer, Winter. */
static uint32_t season_of(uint32_t month) {
  static const uint8_t seasons[] = {4, 4, 4, 2, 2, 3, 3, 3, 1, 1, 0, 0};
  return seasons[month - 1];
}

void ssb_fill_date(const void *owner, uint64_t begin, uint64_t count, const generator_space *out) {
  const ssb *s = owner;
  for (uint64_t i = 0; i < count; i++) {
    const ssb_day *d = &s->days[begin + i];
    char text[32];
    const int length = snprintf(text, sizeof text, "%s %u, %u", ssb_month_name(d->month - 1u), d->in_month, d->year);
    const uint32_t yearmonth = (d->year - FIRST_YEAR) * 12u + d->month - 1u;
    ((uint32_t *)out[0].values)[i] = d->key;
    generator_put(&out[1], i, text, (size_t)length);
    ((uint32_t *)out[2].values)[i] = s->words[SET_WEEKDAY].code[d->in_week - 1];
    ((uint32_t *)out[3].values)[i] = s->words[SET_MONTH].code[d->month - 1];
    ((uint16_t *)out[4].values)[i] = d->year;
    ((uint32_t *)out[5].values)[i] = d->key / 100;
    ((uint32_t *)out[6].values)[i] = s->words[SET_YEARMONTH].code[yearmonth];
    ((uint8_t *)out[7].values)[i] = d->in_week;
    ((uint8_t *)out[8].values)[i] = d->in_month;
    ((uint16_t *)out[9].values)[i] = d->in_year;
    ((uint8_t *)out[10].values)[i] = d->month;
    ((uint8_t *)out[11].values)[i] = (uint8_t)((d->in_year - 1) / 7 + 1);
    ((uint32_t *)out[12].values)[i] = s->words[SET_SEASON].code[season_of(d->month)];
    ((uint8_t *)out[13].values)[i] = d->in_week == 7;
    ((uint8_t *)out[14].values)[i] = d->last_in_month;
    ((uint8_t *)out[15].values)[i] = d->holiday;
    ((uint8_t *)out[16].values)[i] = d->in_week > 1 && d->in_week < 7;
  }
}
