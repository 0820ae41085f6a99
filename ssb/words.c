/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The sets of words that TPC-H does not have: cities, brands and days (the SSB, section 2). */

#include "ssb/internal.h"

#include <stdio.h>

static const char *const seasons[] = {"Christmas", "Fall", "Spring", "Summer", "Winter"};

uint32_t ssb_set_size(uint32_t set) {
  static const uint32_t sizes[SETS] = {[SET_CITY] = 250,  [SET_MFGR] = 5,   [SET_CATEGORY] = 25,  [SET_BRAND] = 1000,
                                       [SET_WEEKDAY] = 7, [SET_MONTH] = 12, [SET_YEARMONTH] = 84, [SET_SEASON] = 5};
  return set < SETS_SHARED ? generator_set_size(set) : sizes[set];
}

void ssb_word(uint32_t set, uint32_t i, char out[GENERATOR_WORD]) {
  const size_t size = GENERATOR_WORD;
  char nation[GENERATOR_WORD];
  if (set < SETS_SHARED) {
    generator_word(set, i, out);
  } else if (set == SET_CITY) {
    generator_word(SET_NATION, i / 10, nation);
    snprintf(out, size, "%-9.9s%u", nation, i % 10);
  } else if (set == SET_MFGR) {
    snprintf(out, size, "MFGR#%u", i + 1);
  } else if (set == SET_CATEGORY) {
    snprintf(out, size, "MFGR#%u%u", i / 5 + 1, i % 5 + 1);
  } else if (set == SET_BRAND) {
    snprintf(out, size, "MFGR#%u%u%u", i / 200 + 1, i / 40 % 5 + 1, i % 40 + 1);
  } else if (set == SET_WEEKDAY) {
    snprintf(out, size, "%s", ssb_weekday_name(i));
  } else if (set == SET_MONTH) {
    snprintf(out, size, "%s", ssb_month_name(i));
  } else if (set == SET_YEARMONTH) {
    snprintf(out, size, "%.3s%u", ssb_month_name(i % 12), FIRST_YEAR + i / 12);
  } else {
    snprintf(out, size, "%s", seasons[i]);
  }
}
