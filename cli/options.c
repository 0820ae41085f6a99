/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

#include "cli/cli.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static char problem[256];

const char *cli_unknown_option(char **argv) {
  static char letter[3] = "-";
  if (optopt < ' ')
    return argv[optind - 1];
  letter[1] = (char)optopt; /* of a group such as -ab, which optind may not have passed */
  return letter;
}

/* ---- Options of RX ---- */

typedef struct word {
  const char *name;
  int value;
} word;

static const word key_modes[] = {
    {"3d", RDX_RX_KEY_3D}, {"naive", RDX_RX_KEY_NAIVE}, {"extended", RDX_RX_KEY_EXTENDED}, {0}};
static const word primitives[] = {{"triangle", RDX_RX_TRIANGLE}, {"sphere", RDX_RX_SPHERE}, {"box", RDX_RX_BOX}, {0}};
static const word rays[] = {{"default", RDX_RX_RAY_DEFAULT},
                            {"perpendicular", RDX_RX_RAY_PERPENDICULAR},
                            {"from_offset", RDX_RX_RAY_PARALLEL_FROM_OFFSET},
                            {"from_zero", RDX_RX_RAY_PARALLEL_FROM_ZERO},
                            {0}};
static const word builds[] = {{"fast_trace", RDX_BUILD_FAST_TRACE},
                              {"fast_build", RDX_BUILD_FAST_BUILD},
                              {"low_memory", RDX_BUILD_LOW_MEMORY},
                              {0}};
static const word switches[] = {{"off", 0}, {"on", 1}, {0}};

static const char *find_word(const char *name, const char *value, const word *words, int *out) {
  for (const word *w = words; w->name; w++) {
    if (strcmp(value, w->name) == 0) {
      *out = w->value;
      return NULL;
    }
  }
  int length = snprintf(problem, sizeof problem, "%s cannot be '%.40s'; it is", name, value);
  for (const word *w = words; w->name && (size_t)length < sizeof problem; w++)
    length += snprintf(problem + length, sizeof problem - (size_t)length, "%s%s", w == words ? " " : ", ", w->name);
  return problem;
}

static const char *find_number(const char *name, const char *value, uint64_t most, uint64_t *out) {
  if (console_parse_u64(value, 0, most, out))
    return NULL;
  snprintf(problem, sizeof problem, "%s cannot be '%.40s'; it is a number from 0 to %llu", name, value,
           (unsigned long long)most);
  return problem;
}

static const char *set_rx(const char *name, const char *value, rdx_rx_params *p) {
  int choice = 0;
  uint64_t number = 0;
  const char *wrong = NULL;
  if (strcmp(name, "key_mode") == 0) {
    wrong = find_word(name, value, key_modes, &choice);
    p->key_mode = (rdx_rx_key_mode)choice;
  } else if (strcmp(name, "primitive") == 0) {
    wrong = find_word(name, value, primitives, &choice);
    p->primitive = (rdx_rx_primitive)choice;
  } else if (strcmp(name, "point_ray") == 0) {
    wrong = find_word(name, value, rays, &choice);
    p->point_ray = (rdx_rx_ray)choice;
  } else if (strcmp(name, "range_ray") == 0) {
    wrong = find_word(name, value, rays, &choice);
    p->range_ray = (rdx_rx_ray)choice;
  } else if (strcmp(name, "build") == 0) {
    wrong = find_word(name, value, builds, &choice);
    p->build = (rdx_build_preference)choice;
  } else if (strcmp(name, "x_bits") == 0 || strcmp(name, "y_bits") == 0 || strcmp(name, "z_bits") == 0) {
    wrong = find_number(name, value, 23, &number);
    *(name[0] == 'x' ? &p->x_bits : name[0] == 'y' ? &p->y_bits : &p->z_bits) = (uint8_t)number;
  } else if (strcmp(name, "partitions") == 0) {
    wrong = find_number(name, value, 1u << 24, &number);
    p->partitions = (uint32_t)number;
  } else if (strcmp(name, "compaction") == 0) {
    wrong = find_word(name, value, switches, &choice);
    p->no_compaction = choice == 0;
  } else if (strcmp(name, "updatable") == 0) {
    wrong = find_word(name, value, switches, &choice);
    p->updatable = choice != 0;
  } else if (strcmp(name, "duplicate_any_hit") == 0) {
    wrong = find_word(name, value, switches, &choice);
    p->duplicate_any_hit = choice != 0;
  } else if (strcmp(name, "always_any_hit") == 0) {
    wrong = find_word(name, value, switches, &choice);
    p->always_any_hit = choice != 0;
  } else {
    snprintf(problem, sizeof problem,
             "there is no option '%.40s' of rx; there are key_mode, x_bits, y_bits, z_bits, primitive, point_ray, "
             "range_ray, build, partitions, compaction, updatable, duplicate_any_hit and always_any_hit",
             name);
    wrong = problem;
  }
  return wrong;
}

/* ---- Options of the B+-tree ---- */

static const char *set_btree(const char *name, const char *value, rdx_index_params *params) {
  uint64_t number = 0;
  if (strcmp(name, "fill") != 0) {
    snprintf(problem, sizeof problem, "there is no option '%.40s' of btree; there is fill", name);
    return problem;
  }
  const char *wrong = find_number(name, value, 100, &number);
  params->btree.fill_percent = (uint8_t)number;
  return wrong;
}

/* ---- Lists of options ---- */

const char *cli_parse_method(const char *method, const char *text, rdx_index_params *params) {
  while (*text) {
    char item[128];
    const size_t length = strcspn(text, ",");
    if (length >= sizeof item) {
      snprintf(problem, sizeof problem, "an option of %s is too long", method);
      return problem;
    }
    memcpy(item, text, length);
    item[length] = '\0';
    char *value = strchr(item, '=');
    if (!value) {
      snprintf(problem, sizeof problem, "options of %s have the form name=value[,name=value...]", method);
      return problem;
    }
    *value++ = '\0';
    const char *wrong = strcmp(method, "rx") == 0 ? set_rx(item, value, &params->rx) : set_btree(item, value, params);
    if (wrong)
      return wrong;
    text += length + (text[length] == ',');
  }
  return NULL;
}

/* ---- Types ---- */

const char *cli_parse_type(char *text, rdx_csv_type *out) {
  char *type = strrchr(text, '=');
  if (!type || type == text)
    return "a type has the form COLUMN=TYPE, such as zip=string or price=decimal(2)";
  *type++ = '\0';
  *out = (rdx_csv_type){.column = text};
  char *scale = strchr(type, '(');
  if (scale) {
    const size_t length = strlen(scale);
    uint64_t digits = 0;
    *scale++ = '\0';
    if (strcmp(type, "decimal") != 0 || length < 3 || scale[length - 2] != ')')
      return "only decimal has digits after its point, as in decimal(2)";
    scale[length - 2] = '\0';
    if (!console_parse_u64(scale, 0, 18, &digits))
      return "a decimal has 0 to 18 digits after its point";
    out->scale = (uint8_t)digits;
  }
  rdx_error err;
  if (rdx_type_from_name(type, &out->type, &err) != RDX_OK) {
    snprintf(problem, sizeof problem, "%.250s", err.text);
    return problem;
  }
  return NULL;
}
