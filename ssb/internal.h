/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef SSB_INTERNAL_H
#define SSB_INTERNAL_H

#include "ssb/ssb.h"

/* ---- Sets of words (words.c) ---- */

typedef enum ssb_set {
  SET_NONE,
  SET_REGION,
  SET_NATION,
  SET_CITY, /* ten of each nation: 10 * nation + digit */
  SET_SEGMENT,
  SET_MFGR,
  SET_CATEGORY, /* 5 * mfgr + 0 to 4 */
  SET_BRAND,    /* 40 * category + 0 to 39 */
  SET_COLOR,
  SET_TYPE,
  SET_CONTAINER,
  SET_PRIORITY,
  SET_SHIPMODE,
  SET_WEEKDAY,
  SET_MONTH,
  SET_YEARMONTH, /* 12 * (year - 1992) + month - 1 */
  SET_SEASON,
  SETS
} ssb_set;

/* The longest word and its zero. */
#define WORD_BYTES 32

/* Words in ascending order; code[i] is the place there of the i-th word of the set's own order. */
typedef struct ssb_words {
  rdx_column column;
  uint32_t *code;
  uint64_t *offsets;
  char *bytes;
} ssb_words;

RDX_MUST_USE rdx_status ssb_words_make(ssb_set set, ssb_words *out, rdx_error *err);
void ssb_words_free(ssb_words *words);
const char *ssb_color(uint32_t i);
uint32_t ssb_region_of(uint32_t nation);
uint32_t ssb_nation_key(uint32_t nation); /* its number in TPC-H */

/* ---- The calendar (calendar.c) ---- */

#define FIRST_YEAR 1992
#define DAYS 2556       /* to 1998-12-30 */
#define ORDER_DAYS 2406 /* to 1998-08-02 */

typedef struct ssb_day {
  uint32_t key; /* yyyymmdd */
  uint16_t year, in_year;
  uint8_t month, in_month, in_week; /* from 1; the week begins on Sunday */
  uint8_t last_in_month, holiday;
} ssb_day;

void ssb_calendar_make(ssb_day days[DAYS]);
const char *ssb_month_name(uint32_t month); /* from 0 */
const char *ssb_weekday_name(uint32_t day); /* from 0 */

/* ---- Tables (tables.c) ---- */

typedef struct ssb_source {
  rdx_field field;
  ssb_set set;     /* of strings that are places in a dictionary */
  uint32_t length; /* of the longest other string */
} ssb_source;

/* The columns of a table. */
const ssb_source *ssb_sources(ssb_table table, uint32_t *count);

struct ssb {
  uint64_t seed;
  double scale;
  uint64_t orders, rows[SSB_TABLES];
  ssb_words words[SETS];
  ssb_day days[DAYS];
};

/* Lines come in blocks of a fixed number, so that the order of a row is found by a division: seven orders in
 * succession have 1 to 7 lines each, in random order. */
#define BLOCK_ORDERS 7
#define BLOCK_ROWS 28

/* Where a fill function puts a column: values, and for strings that are no places in a dictionary their ends. */
typedef struct ssb_space {
  void *values;
  uint64_t *offsets;
} ssb_space;

/* Fill the columns of rows begin .. begin + count - 1; of lineorder whole blocks, unless the table ends. */
typedef void ssb_fill(const ssb *s, uint64_t begin, uint64_t count, const ssb_space *out);
ssb_fill ssb_fill_date, ssb_fill_supplier, ssb_fill_customer, ssb_fill_part, ssb_fill_lineorder;

/* Lines of the orders of a block that exist; the number of lines. */
uint32_t ssb_block_lines(const ssb *s, uint64_t block, uint8_t lines[BLOCK_ORDERS]);

/* ---- Text (text.c) ---- */

/* Bytes that a row of a table takes at most. */
size_t ssb_text_width(ssb_table table);

/* Write the rows of a batch; the end of the text. */
char *ssb_text_write(const ssb_batch *batch, uint32_t columns, char *to);

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
