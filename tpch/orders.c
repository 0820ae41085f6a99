/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The tables orders and lineitem (section 4.2.3). What an order says of its lines is worked out from them, so either
 * table can be made without the other. */

#include "tpch/internal.h"

#include "generator/random.h"

#define FIRST_DAY 8035   /* 1992-01-01 */
#define CURRENT_DAY 9298 /* 1995-06-17 */

typedef struct streams {
  uint64_t lines, customer, date, priority, clerk, comment;
  uint64_t part, supplier, quantity, discount, tax, ship, commit, receipt, returned, instruction, shipmode,
      line_comment;
} streams;

static streams open_streams(uint64_t seed) {
  return (streams){.lines = generator_stream(seed, DRAW_LINES),
                   .customer = generator_stream(seed, DRAW_ORDER_CUSTOMER),
                   .date = generator_stream(seed, DRAW_ORDER_DATE),
                   .priority = generator_stream(seed, DRAW_ORDER_PRIORITY),
                   .clerk = generator_stream(seed, DRAW_ORDER_CLERK),
                   .comment = generator_stream(seed, DRAW_ORDER_COMMENT),
                   .part = generator_stream(seed, DRAW_LINE_PART),
                   .supplier = generator_stream(seed, DRAW_LINE_SUPPLIER),
                   .quantity = generator_stream(seed, DRAW_LINE_QUANTITY),
                   .discount = generator_stream(seed, DRAW_LINE_DISCOUNT),
                   .tax = generator_stream(seed, DRAW_LINE_TAX),
                   .ship = generator_stream(seed, DRAW_LINE_SHIP),
                   .commit = generator_stream(seed, DRAW_LINE_COMMIT),
                   .receipt = generator_stream(seed, DRAW_LINE_RECEIPT),
                   .returned = generator_stream(seed, DRAW_LINE_RETURN),
                   .instruction = generator_stream(seed, DRAW_LINE_INSTRUCTION),
                   .shipmode = generator_stream(seed, DRAW_LINE_SHIPMODE),
                   .line_comment = generator_stream(seed, DRAW_LINE_COMMENT)};
}

static int32_t order_day(const streams *r, uint64_t order) {
  return FIRST_DAY + (int32_t)generator_pick(r->date, order, ORDER_DAYS);
}

/* What both tables need of a line. */
typedef struct line {
  uint32_t part, quantity, discount, tax; /* the latter two in percent */
  int64_t price;                          /* extended, in cents */
  int32_t ship;
} line;

static line make_line(const tpch *t, const streams *r, uint64_t row, int32_t day) {
  line l = {.part = generator_pick(r->part, row, t->parts) + 1,
            .quantity = generator_pick(r->quantity, row, 50) + 1,
            .discount = generator_pick(r->discount, row, 11),
            .tax = generator_pick(r->tax, row, 9),
            .ship = day + 1 + (int32_t)generator_pick(r->ship, row, 121)};
  l.price = (int64_t)l.quantity * generator_retail_price(l.part);
  return l;
}

/* ---- Orders ---- */

/* Status and total price, rounded to cents, of an order whose first line is `row`. */
static void put_lines(const tpch *t, const streams *r, const generator_space *out, uint64_t at, uint64_t row,
                      uint32_t count, int32_t day) {
  int64_t total = 0; /* in ten-thousandths of cents */
  uint32_t open = 0;
  for (uint32_t i = 0; i < count; i++) {
    const line l = make_line(t, r, row + i, day);
    total += l.price * (100 - l.discount) * (100 + l.tax);
    open += l.ship > CURRENT_DAY;
  }
  const uint32_t status = open == 0 ? FINISHED : open == count ? OPEN : PARTLY;
  ((uint32_t *)out[2].values)[at] = t->words[SET_STATUS].code[status];
  ((int64_t *)out[3].values)[at] = (total + 5000) / 10000;
}

static void put_order(const tpch *t, const streams *r, const generator_space *out, uint64_t at, uint64_t order) {
  ((int32_t *)out[0].values)[at] = (int32_t)generator_order_key(order);
  ((int32_t *)out[1].values)[at] = (int32_t)generator_order_customer(r->customer, order, t->customers);
  ((int32_t *)out[4].values)[at] = order_day(r, order);
  ((uint32_t *)out[5].values)[at] = t->words[SET_PRIORITY].code[generator_pick(r->priority, order, 5)];
  generator_put_name(&out[6], at, "Clerk", generator_pick(r->clerk, order, t->clerks) + 1);
  ((int32_t *)out[7].values)[at] = 0;
  tpch_put_comment(t, &out[8], at, r->comment, order, 19, 78);
}

void tpch_fill_orders(const void *owner, uint64_t begin, uint64_t count, const generator_space *out) {
  const tpch *t = owner;
  const streams r = open_streams(t->seed);
  for (uint64_t at = 0; at < count; at += BLOCK_ORDERS) {
    uint8_t lines[BLOCK_ORDERS];
    const uint64_t block = (begin + at) / BLOCK_ORDERS;
    uint64_t row = block * BLOCK_ROWS;
    generator_block_lines(r.lines, block, t->orders, lines);
    for (uint32_t i = 0; i < BLOCK_ORDERS && at + i < count; i++) {
      const uint64_t order = begin + at + i;
      put_order(t, &r, out, at + i, order);
      put_lines(t, &r, out, at + i, row, lines[i], order_day(&r, order));
      row += lines[i];
    }
  }
}

/* ---- Lines ---- */

/* The columns, in the order of the fields; of words their codes. */
typedef struct columns {
  int32_t *orderkey, *partkey, *suppkey, *linenumber;
  int64_t *quantity, *extendedprice, *discount, *tax;
  uint32_t *returnflag, *linestatus;
  int32_t *shipdate, *commitdate, *receiptdate;
  uint32_t *instruction, *shipmode;
  const generator_space *comment;
} columns;

static columns columns_at(const generator_space *out) {
  return (columns){out[0].values,  out[1].values,  out[2].values,  out[3].values, out[4].values,  out[5].values,
                   out[6].values,  out[7].values,  out[8].values,  out[9].values, out[10].values, out[11].values,
                   out[12].values, out[13].values, out[14].values, &out[15]};
}

static void put_line(const tpch *t, const streams *r, const columns *out, uint64_t at, uint64_t row, int32_t day) {
  const line l = make_line(t, r, row, day);
  const int32_t receipt = l.ship + 1 + (int32_t)generator_pick(r->receipt, row, 30);
  const uint32_t flag = receipt > CURRENT_DAY ? NEVER : generator_pick(r->returned, row, 2) ? RETURNED : ACCEPTED;
  out->partkey[at] = (int32_t)l.part;
  out->suppkey[at] = (int32_t)tpch_supplier_of(t, l.part, generator_pick(r->supplier, row, 4));
  out->quantity[at] = 100 * (int64_t)l.quantity;
  out->extendedprice[at] = l.price;
  out->discount[at] = l.discount;
  out->tax[at] = l.tax;
  out->returnflag[at] = t->words[SET_RETURNFLAG].code[flag];
  out->linestatus[at] = t->words[SET_LINESTATUS].code[l.ship > CURRENT_DAY ? OPEN : FINISHED];
  out->shipdate[at] = l.ship;
  out->commitdate[at] = day + 30 + (int32_t)generator_pick(r->commit, row, 61);
  out->receiptdate[at] = receipt;
  out->instruction[at] = t->words[SET_INSTRUCTION].code[generator_pick(r->instruction, row, 4)];
  out->shipmode[at] = t->words[SET_SHIPMODE].code[generator_pick(r->shipmode, row, 7)];
  tpch_put_comment(t, out->comment, at, r->line_comment, row, 10, 43);
}

void tpch_fill_lineitem(const void *owner, uint64_t begin, uint64_t count, const generator_space *space) {
  const tpch *t = owner;
  const streams r = open_streams(t->seed);
  const columns out = columns_at(space);
  uint64_t at = 0;
  for (uint64_t block = begin / BLOCK_ROWS; at < count; block++) {
    uint8_t lines[BLOCK_ORDERS];
    generator_block_lines(r.lines, block, t->orders, lines);
    for (uint32_t i = 0; i < BLOCK_ORDERS; i++) {
      const uint64_t order = block * BLOCK_ORDERS + i;
      for (uint32_t n = 0; n < lines[i]; n++, at++) {
        out.orderkey[at] = (int32_t)generator_order_key(order);
        out.linenumber[at] = (int32_t)n + 1;
        put_line(t, &r, &out, at, begin + at, order_day(&r, order));
      }
    }
  }
}
