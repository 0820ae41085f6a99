/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The tables' columns, and all tables but lineorder. */

#include "ssb/internal.h"
#include "ssb/random.h"

#include <stdio.h>
#include <string.h>

/* ---- Columns ---- */

#define NUMBER(name, bits)                                                                                             \
  {                                                                                                                    \
    .field = { name, RDX_TYPE_U##bits, 0 }                                                                             \
  }
#define WORD(name, of)                                                                                                 \
  { .field = {name, RDX_TYPE_STRING, 0}, .set = of }
#define TEXT(name, longest)                                                                                            \
  { .field = {name, RDX_TYPE_STRING, 0}, .length = longest }

static const ssb_source date_columns[] = {NUMBER("d_datekey", 32),
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

static const ssb_source supplier_columns[] = {
    NUMBER("s_suppkey", 32),      TEXT("s_name", 18),           TEXT("s_address", 25), WORD("s_city", SET_CITY),
    WORD("s_nation", SET_NATION), WORD("s_region", SET_REGION), TEXT("s_phone", 15)};

static const ssb_source customer_columns[] = {NUMBER("c_custkey", 32),      TEXT("c_name", 18),
                                              TEXT("c_address", 25),        WORD("c_city", SET_CITY),
                                              WORD("c_nation", SET_NATION), WORD("c_region", SET_REGION),
                                              TEXT("c_phone", 15),          WORD("c_mktsegment", SET_SEGMENT)};

static const ssb_source part_columns[] = {
    NUMBER("p_partkey", 32),          TEXT("p_name", 21),          WORD("p_mfgr", SET_MFGR),
    WORD("p_category", SET_CATEGORY), WORD("p_brand1", SET_BRAND), WORD("p_color", SET_COLOR),
    WORD("p_type", SET_TYPE),         NUMBER("p_size", 8),         WORD("p_container", SET_CONTAINER)};

static const ssb_source lineorder_columns[] = {NUMBER("lo_orderkey", 32),
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
  const ssb_source *columns;
  uint32_t count;
} lists[SSB_TABLES] = {[SSB_DATE] = LIST(date_columns),
                       [SSB_SUPPLIER] = LIST(supplier_columns),
                       [SSB_CUSTOMER] = LIST(customer_columns),
                       [SSB_PART] = LIST(part_columns),
                       [SSB_LINEORDER] = LIST(lineorder_columns)};

const ssb_source *ssb_sources(ssb_table table, uint32_t *count) {
  *count = lists[table].count;
  return lists[table].columns;
}

/* ---- Values ---- */

/* Add a text as row `i`. */
static void put(const ssb_space *out, uint64_t i, const char *text, size_t length) {
  memcpy((char *)out->values + out->offsets[i], text, length);
  out->offsets[i + 1] = out->offsets[i] + length;
}

/* "Customer#000000001" */
static void put_name(const ssb_space *out, uint64_t i, const char *kind, uint32_t key) {
  char text[32];
  const int length = snprintf(text, sizeof text, "%s#%09u", kind, key);
  put(out, i, text, (size_t)length);
}

/* TPC-H's v-string (section 4.2.2.7), of 10 to 25 characters; none of them is a bar or a quote. */
static void put_address(const ssb_space *out, uint64_t i, uint64_t stream, uint64_t row) {
  static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ,";
  char text[25];
  const uint32_t length = 10 + ssb_pick(stream, row * 4, 16);
  uint64_t bits = 0;
  for (uint32_t at = 0; at < length; at++, bits >>= 6) {
    if (at % 10 == 0)
      bits = ssb_random(stream, row * 4 + 1 + at / 10);
    text[at] = letters[bits & 63];
  }
  put(out, i, text, length);
}

/* TPC-H, section 4.2.2.9: 10 and the nation, then three random groups of digits. */
static void put_phone(const ssb_space *out, uint64_t i, uint32_t nation, uint64_t random) {
  char text[16];
  const int length =
      snprintf(text, sizeof text, "%u-%u-%u-%u", 10 + ssb_nation_key(nation), 100 + (uint32_t)(random & 0xfffff) % 900,
               100 + (uint32_t)(random >> 20 & 0xfffff) % 900, 1000 + (uint32_t)(random >> 40) % 9000);
  put(out, i, text, (size_t)length);
}

/* City, nation and region, in three columns, and the phone number in a fourth. */
static void put_place(const ssb *s, const ssb_space *out, uint64_t i, uint32_t city, uint64_t random) {
  ((uint32_t *)out[0].values)[i] = s->words[SET_CITY].code[city];
  ((uint32_t *)out[1].values)[i] = s->words[SET_NATION].code[city / 10];
  ((uint32_t *)out[2].values)[i] = s->words[SET_REGION].code[ssb_region_of(city / 10)];
  put_phone(&out[3], i, city / 10, random);
}

/* ---- Tables ---- */

void ssb_fill_supplier(const ssb *s, uint64_t begin, uint64_t count, const ssb_space *out) {
  const uint64_t address = ssb_stream(s->seed, DRAW_SUPPLIER_ADDRESS), city = ssb_stream(s->seed, DRAW_SUPPLIER_CITY);
  const uint64_t phone = ssb_stream(s->seed, DRAW_SUPPLIER_PHONE);
  for (uint64_t i = 0; i < count; i++) {
    const uint64_t row = begin + i;
    ((uint32_t *)out[0].values)[i] = (uint32_t)row + 1;
    put_name(&out[1], i, "Supplier", (uint32_t)row + 1);
    put_address(&out[2], i, address, row);
    put_place(s, &out[3], i, ssb_pick(city, row, 250), ssb_random(phone, row));
  }
}

void ssb_fill_customer(const ssb *s, uint64_t begin, uint64_t count, const ssb_space *out) {
  const uint64_t address = ssb_stream(s->seed, DRAW_CUSTOMER_ADDRESS), city = ssb_stream(s->seed, DRAW_CUSTOMER_CITY);
  const uint64_t phone = ssb_stream(s->seed, DRAW_CUSTOMER_PHONE), segment = ssb_stream(s->seed, DRAW_CUSTOMER_SEGMENT);
  for (uint64_t i = 0; i < count; i++) {
    const uint64_t row = begin + i;
    ((uint32_t *)out[0].values)[i] = (uint32_t)row + 1;
    put_name(&out[1], i, "Customer", (uint32_t)row + 1);
    put_address(&out[2], i, address, row);
    put_place(s, &out[3], i, ssb_pick(city, row, 250), ssb_random(phone, row));
    ((uint32_t *)out[7].values)[i] = s->words[SET_SEGMENT].code[ssb_pick(segment, row, 5)];
  }
}

/* Two different colors. */
static void put_part_name(const ssb_space *out, uint64_t i, uint64_t stream, uint64_t row) {
  char text[32];
  const uint32_t first = ssb_pick(stream, row * 2, 92), other = ssb_pick(stream, row * 2 + 1, 91);
  const int length = snprintf(text, sizeof text, "%s %s", ssb_color(first), ssb_color(other + (other >= first)));
  put(out, i, text, (size_t)length);
}

void ssb_fill_part(const ssb *s, uint64_t begin, uint64_t count, const ssb_space *out) {
  static const struct {
    ssb_draw draw;
    ssb_set set;
    uint32_t column;
  } words[] = {{DRAW_PART_COLOR, SET_COLOR, 5}, {DRAW_PART_TYPE, SET_TYPE, 6}, {DRAW_PART_CONTAINER, SET_CONTAINER, 8}};
  const uint64_t name = ssb_stream(s->seed, DRAW_PART_NAME), brand = ssb_stream(s->seed, DRAW_PART_BRAND);
  const uint64_t size = ssb_stream(s->seed, DRAW_PART_SIZE);
  for (uint64_t i = 0; i < count; i++) {
    const uint64_t row = begin + i;
    const uint32_t b = ssb_pick(brand, row, 1000);
    ((uint32_t *)out[0].values)[i] = (uint32_t)row + 1;
    put_part_name(&out[1], i, name, row);
    ((uint32_t *)out[2].values)[i] = s->words[SET_MFGR].code[b / 200];
    ((uint32_t *)out[3].values)[i] = s->words[SET_CATEGORY].code[b / 40];
    ((uint32_t *)out[4].values)[i] = s->words[SET_BRAND].code[b];
    ((uint8_t *)out[7].values)[i] = (uint8_t)(ssb_pick(size, row, 50) + 1);
  }
  for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
    const uint64_t stream = ssb_stream(s->seed, words[w].draw);
    const ssb_words *of = &s->words[words[w].set];
    for (uint64_t i = 0; i < count; i++)
      ((uint32_t *)out[words[w].column].values)[i] = of->code[ssb_pick(stream, begin + i, (uint32_t)of->column.rows)];
  }
}

/* The paper names the seasons, and that Christmas is one; the others are the usual ones by whole months. Places are
 * those of SET_SEASON: Christmas, Fall, Spring, Summer, Winter. */
static uint32_t season_of(uint32_t month) {
  static const uint8_t seasons[] = {4, 4, 4, 2, 2, 3, 3, 3, 1, 1, 0, 0};
  return seasons[month - 1];
}

void ssb_fill_date(const ssb *s, uint64_t begin, uint64_t count, const ssb_space *out) {
  for (uint64_t i = 0; i < count; i++) {
    const ssb_day *d = &s->days[begin + i];
    char text[32];
    const int length = snprintf(text, sizeof text, "%s %u, %u", ssb_month_name(d->month - 1u), d->in_month, d->year);
    const uint32_t yearmonth = (d->year - FIRST_YEAR) * 12u + d->month - 1u;
    ((uint32_t *)out[0].values)[i] = d->key;
    put(&out[1], i, text, (size_t)length);
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
