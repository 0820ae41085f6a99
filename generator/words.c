/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The sets that strings are drawn from: TPC-H, section 4.2.2.13. */

#include "common/common.h"
#include "generator/values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const regions[] = {"AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST"};

static const struct {
  const char *name;
  uint8_t region, key;
} nations[] = {
    {"ALGERIA", 0, 0},        {"ARGENTINA", 1, 1},   {"BRAZIL", 1, 2},    {"CANADA", 1, 3},
    {"CHINA", 2, 18},         {"EGYPT", 4, 4},       {"ETHIOPIA", 0, 5},  {"FRANCE", 3, 6},
    {"GERMANY", 3, 7},        {"INDIA", 2, 8},       {"INDONESIA", 2, 9}, {"IRAN", 4, 10},
    {"IRAQ", 4, 11},          {"JAPAN", 2, 12},      {"JORDAN", 4, 13},   {"KENYA", 0, 14},
    {"MOROCCO", 0, 15},       {"MOZAMBIQUE", 0, 16}, {"PERU", 1, 17},     {"ROMANIA", 3, 19},
    {"SAUDI ARABIA", 4, 20},  {"VIETNAM", 2, 21},    {"RUSSIA", 3, 22},   {"UNITED KINGDOM", 3, 23},
    {"UNITED STATES", 1, 24},
};

static const char *const colors[] = {
    "almond",   "antique", "aquamarine", "azure",     "beige",      "bisque",    "black",     "blanched", "blue",
    "blush",    "brown",   "burlywood",  "burnished", "chartreuse", "chiffon",   "chocolate", "coral",    "cornflower",
    "cornsilk", "cream",   "cyan",       "dark",      "deep",       "dim",       "dodger",    "drab",     "firebrick",
    "floral",   "forest",  "frosted",    "gainsboro", "ghost",      "goldenrod", "green",     "grey",     "honeydew",
    "hot",      "indian",  "ivory",      "khaki",     "lace",       "lavender",  "lawn",      "lemon",    "light",
    "lime",     "linen",   "magenta",    "maroon",    "medium",     "metallic",  "midnight",  "mint",     "misty",
    "moccasin", "navajo",  "navy",       "olive",     "orange",     "orchid",    "pale",      "papaya",   "peach",
    "peru",     "pink",    "plum",       "powder",    "puff",       "purple",    "red",       "rose",     "rosy",
    "royal",    "saddle",  "salmon",     "sandy",     "seashell",   "sienna",    "sky",       "slate",    "smoke",
    "snow",     "spring",  "steel",      "tan",       "thistle",    "tomato",    "turquoise", "violet",   "wheat",
    "white",    "yellow"};

static const char *const segments[] = {"AUTOMOBILE", "BUILDING", "FURNITURE", "HOUSEHOLD", "MACHINERY"};
static const char *const type_sizes[] = {"ECONOMY", "LARGE", "MEDIUM", "PROMO", "SMALL", "STANDARD"};
static const char *const type_finishes[] = {"ANODIZED", "BRUSHED", "BURNISHED", "PLATED", "POLISHED"};
static const char *const type_metals[] = {"BRASS", "COPPER", "NICKEL", "STEEL", "TIN"};
static const char *const container_sizes[] = {"JUMBO", "LG", "MED", "SM", "WRAP"};
static const char *const container_kinds[] = {"BAG", "BOX", "CAN", "CASE", "DRUM", "JAR", "PACK", "PKG"};
static const char *const priorities[] = {"1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECIFIED", "5-LOW"};
static const char *const shipmodes[] = {"AIR", "FOB", "MAIL", "RAIL", "REG AIR", "SHIP", "TRUCK"};

_Static_assert(sizeof nations / sizeof *nations == NATIONS, "25 nations");
_Static_assert(sizeof colors / sizeof *colors == COLORS, "92 colors");

const char *generator_color(uint32_t i) {
  return colors[i];
}

uint32_t generator_region_of(uint32_t nation) {
  return nations[nation].region;
}

uint32_t generator_nation_key(uint32_t nation) {
  return nations[nation].key;
}

static const struct {
  uint32_t count;
  const char *const *list; /* NULL: composed */
} sets[SETS_SHARED] = {
    [SET_REGION] = {5, regions},      [SET_NATION] = {NATIONS, NULL},  [SET_SEGMENT] = {5, segments},
    [SET_COLOR] = {COLORS, colors},   [SET_TYPE] = {150, NULL},        [SET_CONTAINER] = {40, NULL},
    [SET_PRIORITY] = {5, priorities}, [SET_SHIPMODE] = {7, shipmodes},
};

uint32_t generator_set_size(uint32_t set) {
  return sets[set].count;
}

void generator_word(uint32_t set, uint32_t i, char out[GENERATOR_WORD]) {
  const size_t size = GENERATOR_WORD;
  if (sets[set].list)
    snprintf(out, size, "%s", sets[set].list[i]);
  else if (set == SET_NATION)
    snprintf(out, size, "%s", nations[i].name);
  else if (set == SET_TYPE)
    snprintf(out, size, "%s %s %s", type_sizes[i / 25], type_finishes[i / 5 % 5], type_metals[i % 5]);
  else
    snprintf(out, size, "%s %s", container_sizes[i / 8], container_kinds[i % 8]);
}

typedef struct word {
  char text[GENERATOR_WORD];
  uint32_t i;
} word;

static int compare(const void *a, const void *b) {
  return strcmp(((const word *)a)->text, ((const word *)b)->text);
}

rdx_status generator_words_make(uint32_t count, generator_compose *compose, uint32_t set, generator_words *out,
                                rdx_error *err) {
  word *sorted = calloc(count, sizeof *sorted);
  *out = (generator_words){.code = malloc(count * sizeof *out->code),
                           .offsets = malloc((count + 1) * sizeof *out->offsets),
                           .bytes = malloc((size_t)count * GENERATOR_WORD)};
  if (!sorted || !out->code || !out->offsets || !out->bytes) {
    free(sorted);
    generator_words_free(out);
    if (err)
      return console_error(err, RDX_ERROR_MEMORY, "host memory ran out");
  }
  for (uint32_t i = 0; i < count; i++) {
    compose(set, i, sorted[i].text);
    sorted[i].i = i;
  }
  qsort(sorted, count, sizeof *sorted, compare);
  out->offsets[0] = 0;
  for (uint32_t i = 0; i < count; i++) {
    const size_t length = strlen(sorted[i].text);
    memcpy(out->bytes + out->offsets[i], sorted[i].text, length);
    out->offsets[i + 1] = out->offsets[i] + length;
    out->code[sorted[i].i] = i;
  }
  free(sorted);
  out->column = (rdx_column){.type = RDX_TYPE_STRING, .rows = count, .values = out->bytes, .offsets = out->offsets};
  return RDX_OK;
}

void generator_words_free(generator_words *words) {
  free(words->code);
  free(words->offsets);
  free(words->bytes);
  *words = (generator_words){0};
}
