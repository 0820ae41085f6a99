/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The sets of words that only TPC-H has (sections 4.2.2.13 and 4.2.3). */

#include "tpch/internal.h"

#include <stdio.h>

static const char *const instructions[] = {"COLLECT COD", "DELIVER IN PERSON", "NONE", "TAKE BACK RETURN"};

uint32_t tpch_set_size(uint32_t set) {
  static const uint32_t sizes[SETS] = {[SET_MFGR] = 5,   [SET_BRAND] = 25,     [SET_INSTRUCTION] = 4,
                                       [SET_STATUS] = 3, [SET_LINESTATUS] = 2, [SET_RETURNFLAG] = 3};
  return set < SETS_SHARED ? generator_set_size(set) : sizes[set];
}

void tpch_word(uint32_t set, uint32_t i, char out[GENERATOR_WORD]) {
  const size_t size = GENERATOR_WORD;
  if (set < SETS_SHARED)
    generator_word(set, i, out);
  else if (set == SET_MFGR)
    snprintf(out, size, "Manufacturer#%u", i + 1);
  else if (set == SET_BRAND)
    snprintf(out, size, "Brand#%u%u", i / 5 + 1, i % 5 + 1);
  else if (set == SET_INSTRUCTION)
    snprintf(out, size, "%s", instructions[i]);
  else
    snprintf(out, size, "%c", set == SET_RETURNFLAG ? "ANR"[i] : "FOP"[i]);
}
