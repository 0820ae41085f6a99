/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef TPCH_INTERNAL_H
#define TPCH_INTERNAL_H

#include "generator/values.h"
#include "tpch/tpch.h"

/* ---- Sets of words (words.c) ---- */

enum {
  SET_MFGR = SETS_SHARED,
  SET_BRAND, /* 5 * mfgr + 0 to 4 */
  SET_INSTRUCTION,
  SET_STATUS, /* of an order: F, O, P */
  SET_LINESTATUS,
  SET_RETURNFLAG,
  SETS
};

enum { FINISHED, OPEN, PARTLY }; /* places in the sets of statuses; PARTLY is none of a line */
enum { ACCEPTED, NEVER, RETURNED };

uint32_t tpch_set_size(uint32_t set);
generator_compose tpch_word;

/* ---- Pseudo-text (comments.c) ---- */

/* The text that all comments are pieces of. */
#define TEXT_BYTES (1u << 24)
#define MAX_COMMENT 198 /* characters of a comment */
RDX_MUST_USE rdx_status tpch_text_make(uint64_t stream, char text[TEXT_BYTES], rdx_error *err);

/* ---- Tables (tables.c, orders.c) ---- */

/* What is drawn. The numbers are part of what a seed means: do not renumber. */
typedef enum tpch_draw {
  DRAW_TEXT = 1,
  DRAW_REGION_COMMENT,
  DRAW_NATION_COMMENT,
  DRAW_SUPPLIER_ADDRESS,
  DRAW_SUPPLIER_NATION,
  DRAW_SUPPLIER_PHONE,
  DRAW_SUPPLIER_BALANCE,
  DRAW_SUPPLIER_COMMENT,
  DRAW_SUPPLIER_COMPLAINTS,
  DRAW_SUPPLIER_RECOMMENDS,
  DRAW_SUPPLIER_PLACES,
  DRAW_CUSTOMER_ADDRESS,
  DRAW_CUSTOMER_NATION,
  DRAW_CUSTOMER_PHONE,
  DRAW_CUSTOMER_BALANCE,
  DRAW_CUSTOMER_SEGMENT,
  DRAW_CUSTOMER_COMMENT,
  DRAW_PART_NAME,
  DRAW_PART_BRAND,
  DRAW_PART_TYPE,
  DRAW_PART_SIZE,
  DRAW_PART_CONTAINER,
  DRAW_PART_COMMENT,
  DRAW_PARTSUPP_QUANTITY,
  DRAW_PARTSUPP_COST,
  DRAW_PARTSUPP_COMMENT,
  DRAW_LINES,
  DRAW_ORDER_CUSTOMER,
  DRAW_ORDER_DATE,
  DRAW_ORDER_PRIORITY,
  DRAW_ORDER_CLERK,
  DRAW_ORDER_COMMENT,
  DRAW_LINE_PART,
  DRAW_LINE_SUPPLIER,
  DRAW_LINE_QUANTITY,
  DRAW_LINE_DISCOUNT,
  DRAW_LINE_TAX,
  DRAW_LINE_SHIP,
  DRAW_LINE_COMMIT,
  DRAW_LINE_RECEIPT,
  DRAW_LINE_RETURN,
  DRAW_LINE_INSTRUCTION,
  DRAW_LINE_SHIPMODE,
  DRAW_LINE_COMMENT,
} tpch_draw;

/* The columns of a table. */
const generator_source *tpch_sources(tpch_table table, uint32_t *count);

struct tpch {
  uint64_t seed;
  uint64_t orders;
  uint32_t suppliers, customers, parts;
  uint32_t clerks;
  uint32_t complaints; /* suppliers with some; as many are recommended */
  uint64_t rows[TPCH_TABLES];
  generator_words words[SETS];
  generator_table tables[TPCH_TABLES];
  generator generator;
  char text[TEXT_BYTES];
};

generator_fill tpch_fill_region, tpch_fill_nation, tpch_fill_supplier, tpch_fill_customer, tpch_fill_part,
    tpch_fill_partsupp, tpch_fill_orders, tpch_fill_lineitem;

/* Put a text string of `min` to `max` characters (section 4.2.2.10). */
void tpch_put_comment(const tpch *t, const generator_space *out, uint64_t i, uint64_t stream, uint64_t row,
                      uint32_t min, uint32_t max);

/* The key of supplier `i`, below 4, of a part. */
uint32_t tpch_supplier_of(const tpch *t, uint32_t part, uint32_t i);

#endif
