/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The table lineorder: orders and their lines. */

#include "ssb/internal.h"

#include "generator/random.h"

#include <string.h>

typedef struct streams {
  uint64_t customer, date, priority, part, supplier, quantity, discount, tax, commit, shipmode;
} streams;

static streams open_streams(uint64_t seed) {
  return (streams){.customer = generator_stream(seed, DRAW_ORDER_CUSTOMER),
                   .date = generator_stream(seed, DRAW_ORDER_DATE),
                   .priority = generator_stream(seed, DRAW_ORDER_PRIORITY),
                   .part = generator_stream(seed, DRAW_LINE_PART),
                   .supplier = generator_stream(seed, DRAW_LINE_SUPPLIER),
                   .quantity = generator_stream(seed, DRAW_LINE_QUANTITY),
                   .discount = generator_stream(seed, DRAW_LINE_DISCOUNT),
                   .tax = generator_stream(seed, DRAW_LINE_TAX),
                   .commit = generator_stream(seed, DRAW_LINE_COMMIT),
                   .shipmode = generator_stream(seed, DRAW_LINE_SHIPMODE)};
}

/* The columns, in the order of the fields. */
typedef struct lines {
  uint32_t *orderkey;
  uint8_t *linenumber;
  uint32_t *custkey, *partkey, *suppkey, *orderdate, *orderpriority;
  uint8_t *shippriority, *quantity;
  uint32_t *extendedprice, *ordtotalprice;
  uint8_t *discount;
  uint32_t *revenue, *supplycost;
  uint8_t *tax;
  uint32_t *commitdate, *shipmode;
} lines;

static lines lines_at(const generator_space *out) {
  return (lines){out[0].values,  out[1].values,  out[2].values,  out[3].values,  out[4].values,  out[5].values,
                 out[6].values,  out[7].values,  out[8].values,  out[9].values,  out[10].values, out[11].values,
                 out[12].values, out[13].values, out[14].values, out[15].values, out[16].values};
}

/* Line `row`, at place `at`; what it adds to the price of its order. The supply cost of 60% of the retail price keeps
 * the paper's range, 54,060 to 125,939. */
static uint32_t fill_line(const ssb *s, const streams *r, const lines *out, uint64_t row, uint64_t at, uint32_t day) {
  const uint32_t part = generator_pick(r->part, row, (uint32_t)s->rows[SSB_PART]) + 1;
  const uint32_t quantity = generator_pick(r->quantity, row, 50) + 1;
  const uint32_t discount = generator_pick(r->discount, row, 11);
  const uint32_t tax = generator_pick(r->tax, row, 9);
  const uint32_t price = generator_retail_price(part);
  const uint32_t revenue = quantity * price * (100 - discount) / 100; /* below 2^31 before the division */
  out->partkey[at] = part;
  out->suppkey[at] = generator_pick(r->supplier, row, (uint32_t)s->rows[SSB_SUPPLIER]) + 1;
  out->quantity[at] = (uint8_t)quantity;
  out->extendedprice[at] = quantity * price;
  out->discount[at] = (uint8_t)discount;
  out->revenue[at] = revenue;
  out->supplycost[at] = price * 6 / 10;
  out->tax[at] = (uint8_t)tax;
  out->commitdate[at] = s->days[day + 30 + generator_pick(r->commit, row, 61)].key;
  out->shipmode[at] = s->words[SET_SHIPMODE].code[generator_pick(r->shipmode, row, 7)];
  return revenue * (100 + tax) / 100;
}

static void fill_order(const ssb *s, const streams *r, const lines *out, uint64_t order, uint64_t row, uint64_t at,
                       uint32_t count) {
  const uint32_t key = generator_order_key(order);
  const uint32_t customer = generator_order_customer(r->customer, order, (uint32_t)s->rows[SSB_CUSTOMER]);
  const uint32_t day = generator_pick(r->date, order, ORDER_DAYS);
  const uint32_t priority = s->words[SET_PRIORITY].code[generator_pick(r->priority, order, 5)];
  uint32_t total = 0;
  for (uint32_t i = 0; i < count; i++)
    total += fill_line(s, r, out, row + i, at + i, day);
  for (uint32_t i = 0; i < count; i++) {
    out->orderkey[at + i] = key;
    out->linenumber[at + i] = (uint8_t)(i + 1);
    out->custkey[at + i] = customer;
    out->orderdate[at + i] = s->days[day].key;
    out->orderpriority[at + i] = priority;
    out->ordtotalprice[at + i] = total;
  }
}

void ssb_fill_lineorder(const void *owner, uint64_t begin, uint64_t count, const generator_space *space) {
  const ssb *s = owner;
  const streams r = open_streams(s->seed);
  const uint64_t stream = generator_stream(s->seed, DRAW_LINES);
  const lines out = lines_at(space);
  memset(out.shippriority, 0, count);
  uint64_t at = 0;
  for (uint64_t block = begin / BLOCK_ROWS; at < count; block++) {
    uint8_t counts[BLOCK_ORDERS];
    generator_block_lines(stream, block, s->orders, counts);
    for (uint32_t i = 0; i < BLOCK_ORDERS; i++) {
      fill_order(s, &r, &out, block * BLOCK_ORDERS + i, begin + at, at, counts[i]);
      at += counts[i];
    }
  }
}
