/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The sets that strings are drawn from: TPC-H, section 4.2.2.13, and for cities, brands and days the SSB, section 2. */

#include "ssb/internal.h"

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
static const char *const seasons[] = {"Christmas", "Fall", "Spring", "Summer", "Winter"};

_Static_assert(sizeof nations / sizeof *nations == 25, "25 nations");
_Static_assert(sizeof colors / sizeof *colors == 92, "92 colors");

const char *ssb_color(uint32_t i) {
  return colors[i];
}

uint32_t ssb_region_of(uint32_t nation) {
  return nations[nation].region;
}

uint32_t ssb_nation_key(uint32_t nation) {
  return nations[nation].key;
}

static const struct {
  uint32_t count;
  const char *const *list; /* NULL: composed */
} sets[SETS] = {
    [SET_REGION] = {5, regions},   [SET_NATION] = {25, NULL},        [SET_CITY] = {250, NULL},
    [SET_SEGMENT] = {5, segments}, [SET_MFGR] = {5, NULL},           [SET_CATEGORY] = {25, NULL},
    [SET_BRAND] = {1000, NULL},    [SET_COLOR] = {92, colors},       [SET_TYPE] = {150, NULL},
    [SET_CONTAINER] = {40, NULL},  [SET_PRIORITY] = {5, priorities}, [SET_SHIPMODE] = {7, shipmodes},
    [SET_WEEKDAY] = {7, NULL},     [SET_MONTH] = {12, NULL},         [SET_YEARMONTH] = {84, NULL},
    [SET_SEASON] = {5, seasons},
};

/* Word `i` of a set's own order. */
static void compose(ssb_set set, uint32_t i, char out[WORD_BYTES]) {
  const size_t size = WORD_BYTES;
  if (sets[set].list)
    snprintf(out, size, "%s", sets[set].list[i]);
  else if (set == SET_NATION)
    snprintf(out, size, "%s", nations[i].name);
  else if (set == SET_CITY)
    snprintf(out, size, "%-9.9s%u", nations[i / 10].name, i % 10);
  else if (set == SET_MFGR)
    snprintf(out, size, "MFGR#%u", i + 1);
  else if (set == SET_CATEGORY)
    snprintf(out, size, "MFGR#%u%u", i / 5 + 1, i % 5 + 1);
  else if (set == SET_BRAND)
    snprintf(out, size, "MFGR#%u%u%u", i / 200 + 1, i / 40 % 5 + 1, i % 40 + 1);
  else if (set == SET_TYPE)
    snprintf(out, size, "%s %s %s", type_sizes[i / 25], type_finishes[i / 5 % 5], type_metals[i % 5]);
  else if (set == SET_CONTAINER)
    snprintf(out, size, "%s %s", container_sizes[i / 8], container_kinds[i % 8]);
  else if (set == SET_WEEKDAY)
    snprintf(out, size, "%s", ssb_weekday_name(i));
  else if (set == SET_MONTH)
    snprintf(out, size, "%s", ssb_month_name(i));
  else
    snprintf(out, size, "%.3s%u", ssb_month_name(i % 12), FIRST_YEAR + i / 12);
}

typedef struct word {
  char text[WORD_BYTES];
  uint32_t i;
} word;

static int compare(const void *a, const void *b) {
  return strcmp(((const word *)a)->text, ((const word *)b)->text);
}

rdx_status ssb_words_make(ssb_set set, ssb_words *out, rdx_error *err) {
  const uint32_t count = sets[set].count;
  word *sorted = calloc(count, sizeof *sorted);
  *out = (ssb_words){.code = malloc(count * sizeof *out->code),
                     .offsets = malloc((count + 1) * sizeof *out->offsets),
                     .bytes = malloc((size_t)count * WORD_BYTES)};
  if (!sorted || !out->code || !out->offsets || !out->bytes) {
    free(sorted);
    ssb_words_free(out);
    if (err)
      snprintf(err->text, sizeof err->text, "host memory ran out");
    return RDX_ERROR_MEMORY;
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

void ssb_words_free(ssb_words *words) {
  free(words->code);
  free(words->offsets);
  free(words->bytes);
  *words = (ssb_words){0};
}
