/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef GENERATOR_VALUES_H
#define GENERATOR_VALUES_H

/* What the columns of TPC-H are made of, and those of benchmarks that are derived from it. Numbers of sections are
 * those of its specification. */

#include "generator/generator.h"

/* ---- Sets of words (words.c), section 4.2.2.13 ---- */

typedef enum generator_set {
  SET_NONE,
  SET_REGION,
  SET_NATION,
  SET_SEGMENT,
  SET_COLOR,
  SET_TYPE,
  SET_CONTAINER,
  SET_PRIORITY,
  SET_SHIPMODE,
  SETS_SHARED /* a generator's own follow */
} generator_set;

/* Word `i` of a set's own order. */
typedef void generator_compose(uint32_t set, uint32_t i, char out[GENERATOR_WORD]);
generator_compose generator_word;

/* How many words a shared set has. */
uint32_t generator_set_size(uint32_t set);

RDX_MUST_USE rdx_status generator_words_make(uint32_t count, generator_compose *compose, uint32_t set,
                                             generator_words *out, rdx_error *err);
void generator_words_free(generator_words *words);

const char *generator_color(uint32_t i);
uint32_t generator_region_of(uint32_t nation);
uint32_t generator_nation_key(uint32_t nation); /* its number in TPC-H */

#define REGIONS 5
#define NATIONS 25
#define COLORS 92

/* ---- Strings (values.c) ---- */

/* Add a text as row `i`. */
void generator_put(const generator_space *out, uint64_t i, const char *text, size_t length);

/* "Customer#000000001" */
#define NAME_LENGTH 18
void generator_put_name(const generator_space *out, uint64_t i, const char *kind, uint32_t key);

/* A v-string (section 4.2.2.7) of 10 to `longest` characters, at most 40; none of them is a bar or a quote. */
void generator_put_address(const generator_space *out, uint64_t i, uint32_t longest, uint64_t stream, uint64_t row);

/* Section 4.2.2.9; `nation` is its number in TPC-H. */
#define PHONE_LENGTH 15
void generator_put_phone(const generator_space *out, uint64_t i, uint32_t nation, uint64_t random);

/* ---- Orders and their lines (section 4.2.3) ---- */

#define ORDER_DAYS 2406 /* from 1992-01-01 to 1998-08-02 */

/* Lines come in blocks of a fixed number, so that the order of a row is found by a division: seven orders in
 * succession have 1 to 7 lines each, in random order. */
#define BLOCK_ORDERS 7
#define BLOCK_ROWS 28

/* Lines of the orders of a block, none of those from `orders` on, which do not exist; the number of lines. */
uint32_t generator_block_lines(uint64_t stream, uint64_t block, uint64_t orders, uint8_t lines[BLOCK_ORDERS]);

/* Lines of all orders. */
uint64_t generator_all_lines(uint64_t stream, uint64_t orders);

/* Of each 32 keys the first eight are used. */
static inline uint32_t generator_order_key(uint64_t order) {
  const uint64_t i = order + 1;
  return (uint32_t)(i / 8 * 32 + i % 8);
}

/* A key of a customer who has orders, of so many customers in all: those that three divides have none. */
uint32_t generator_order_customer(uint64_t stream, uint64_t order, uint32_t customers);

/* In cents. */
static inline uint32_t generator_retail_price(uint32_t part) {
  return 90000 + part / 10 % 20001 + 100 * (part % 1000);
}

#endif
