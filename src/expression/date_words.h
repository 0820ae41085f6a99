/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_EXPRESSION_DATE_WORDS_H
#define RDX_EXPRESSION_DATE_WORDS_H

/* The words of patterns of to_char(), to_date() and to_timestamp(). */

#include "expression/functions.h"

typedef enum rdx_date_word {
  RDX_WORD_HOUR_24,
  RDX_WORD_HOUR_12,
  RDX_WORD_MINUTE,
  RDX_WORD_SECOND,
  RDX_WORD_FRACTION,
  RDX_WORD_SECONDS,
  RDX_WORD_NOON,
  RDX_WORD_NOON_DOTS,
  RDX_WORD_ERA,
  RDX_WORD_ERA_DOTS,
  RDX_WORD_YEAR,
  RDX_WORD_YEAR_COMMA,
  RDX_WORD_ISO_YEAR,
  RDX_WORD_CENTURY,
  RDX_WORD_QUARTER,
  RDX_WORD_MONTH,
  RDX_WORD_MONTH_NAME,
  RDX_WORD_MONTH_SHORT,
  RDX_WORD_MONTH_ROMAN,
  RDX_WORD_ISO_WEEK,
  RDX_WORD_WEEK,
  RDX_WORD_WEEK_OF_MONTH,
  RDX_WORD_DAY,
  RDX_WORD_DAY_OF_YEAR,
  RDX_WORD_ISO_DAY_OF_YEAR,
  RDX_WORD_DAY_OF_WEEK,
  RDX_WORD_ISO_DAY_OF_WEEK,
  RDX_WORD_DAY_NAME,
  RDX_WORD_DAY_SHORT,
  RDX_WORD_JULIAN,
  RDX_WORD_REFUSED,
  RDX_WORD_COUNT,
} rdx_date_word;

typedef struct rdx_word_of_date {
  const char *text;
  rdx_date_word word;
  uint8_t digits; /* 0: it is no number */
} rdx_word_of_date;

/* The word that a pattern begins with; NULL: none. */
const rdx_word_of_date *rdx_find_date_word(const char *at, uint64_t length);
/* That a pattern has a word that is not supported. */
rdx_status rdx_refuse_date_word(rdx_worker *w, const rdx_node *n, const rdx_word_of_date *word);
/* Whether it begins with this text, in small letters or in capitals. */
bool rdx_date_begins(const char *at, uint64_t length, const char *text);

extern const char *const rdx_month_names[12], *const rdx_roman_months[12], *const rdx_day_names[7];

#endif
