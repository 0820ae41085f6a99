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
