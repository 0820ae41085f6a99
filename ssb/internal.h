/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef SSB_INTERNAL_H
#define SSB_INTERNAL_H

#include "generator/values.h"
#include "ssb/ssb.h"

/* ---- Sets of words (words.c) ---- */

enum {
  SET_CITY = SETS_SHARED, /* ten of each nation: 10 * nation + digit */
  SET_MFGR,
  SET_CATEGORY, /* 5 * mfgr + 0 to 4 */
  SET_BRAND,    /* 40 * category + 0 to 39 */
  SET_WEEKDAY,
  SET_MONTH,
  SET_YEARMONTH, /* 12 * (year - 1992) + month - 1 */
  SET_SEASON,
  SETS
};

uint32_t ssb_set_size(uint32_t set);
generator_compose ssb_word;

/* ---- The calendar (calendar.c) ---- */

#define FIRST_YEAR 1992
#define DAYS 2556 /* to 1998-12-30 */

typedef struct ssb_day {
  uint32_t key; /* yyyymmdd */
  uint16_t year, in_year;
  uint8_t month, in_month, in_week; /* from 1; the week begins on Sunday */
  uint8_t last_in_month, holiday;
} ssb_day;

void ssb_calendar_make(ssb_day days[DAYS]);
const char *ssb_month_name(uint32_t month); /* from 0 */
const char *ssb_weekday_name(uint32_t day); /* from 0 */

/* ---- Tables (tables.c, lineorder.c) ---- */

/* What is drawn. The numbers are part of what a seed means: do not renumber. */
typedef enum ssb_draw {
  DRAW_LINES = 1,
  DRAW_ORDER_CUSTOMER,
  DRAW_ORDER_DATE,
  DRAW_ORDER_PRIORITY,
  DRAW_LINE_PART,
  DRAW_LINE_SUPPLIER,
  DRAW_LINE_QUANTITY,
  DRAW_LINE_DISCOUNT,
  DRAW_LINE_TAX,
  DRAW_LINE_COMMIT,
  DRAW_LINE_SHIPMODE,
  DRAW_CUSTOMER_ADDRESS,
  DRAW_CUSTOMER_CITY,
  DRAW_CUSTOMER_PHONE,
  DRAW_CUSTOMER_SEGMENT,
  DRAW_SUPPLIER_ADDRESS,
  DRAW_SUPPLIER_CITY,
  DRAW_SUPPLIER_PHONE,
  DRAW_PART_NAME,
  DRAW_PART_BRAND,
  DRAW_PART_COLOR,
  DRAW_PART_TYPE,
  DRAW_PART_SIZE,
  DRAW_PART_CONTAINER,
} ssb_draw;

/* The columns of a table. */
const generator_source *ssb_sources(ssb_table table, uint32_t *count);

struct ssb {
  uint64_t seed;
  uint64_t orders, rows[SSB_TABLES];
  generator_words words[SETS];
  ssb_day days[DAYS];
  generator_table tables[SSB_TABLES];
  generator generator;
};

generator_fill ssb_fill_date, ssb_fill_supplier, ssb_fill_customer, ssb_fill_part, ssb_fill_lineorder;

/* ---- Answers (reference.c) ---- */

/* What looking at every row found, in the order of the query's result. */
typedef struct ssb_row {
  uint64_t group; /* 16 bits for each attribute: a number, or a place in the dictionary */
  int64_t sum;
} ssb_row;

typedef struct ssb_answer {
  ssb_row *rows; /* NULL: not known yet */
  uint64_t count, selected;
} ssb_answer;

/* Where the answer of a query is kept with its star. */
ssb_answer *ssb_star_answer(ssb_star *star, uint32_t query);

#endif
