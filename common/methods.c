/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The options of methods: --options NAME=VALUE[,NAME=VALUE...]. */

#include "common/common.h"

#include <string.h>

static rdx_error problem;

/* Set an option of index or scan params. */
typedef rdx_status (*set_fn)(void *params, const char *name, const char *value, rdx_error *err);

static rdx_status set_index_option(void *params, const char *name, const char *value, rdx_error *err) {
  return rdx_index_params_set(params, name, value, err);
}

static rdx_status set_scan_option(void *params, const char *name, const char *value, rdx_error *err) {
  return rdx_scan_params_set(params, name, value, err);
}

static rdx_status set_star_option(void *params, const char *name, const char *value, rdx_error *err) {
  return rdx_star_params_set(params, name, value, err);
}

static const char *parse(const char *text, set_fn set, void *params) {
  while (*text) {
    char item[64];
    const size_t length = strcspn(text, ",");
    snprintf(item, sizeof item, "%.*s", (int)length, text);
    char *value = strchr(item, '=');
    if (!value || length >= sizeof item)
      return "options have the form NAME=VALUE[,NAME=VALUE...]";
    *value++ = '\0';
    if (set(params, item, value, &problem) != RDX_OK)
      return problem.text;
    text += length + (text[length] == ',');
  }
  return NULL;
}

const char *console_parse_index_options(const char *text, rdx_index_params *params) {
  return params->method == RDX_INDEX_AUTO ? "options belong to a method; name it with --method"
                                          : parse(text, set_index_option, params);
}

const char *console_parse_scan_options(const char *text, rdx_scan_params *params) {
  return parse(text, set_scan_option, params);
}

const char *console_parse_star_options(const char *text, rdx_star_params *params) {
  return parse(text, set_star_option, params);
}

void console_print_index_options(void) {
  char text[128];
  for (int m = RDX_INDEX_AUTO; m < RDX_INDEX_METHODS; m++) {
    const bool as_cgrx = m == RDX_INDEX_CGRX_NAIVE;
    printf("  %s%s\n", rdx_index_method_name((rdx_index_method)m), as_cgrx ? ", with the options of cgrx" : "");
    for (uint32_t i = 0; !as_cgrx && rdx_index_option((rdx_index_method)m, i, text, sizeof text); i++)
      printf("    %s\n", text);
  }
}

void console_print_scan_options(void) {
  char text[128];
  for (int m = RDX_SCAN_AUTO; m < RDX_SCAN_METHODS; m++) {
    printf("  %s\n", rdx_scan_method_name((rdx_scan_method)m));
    for (uint32_t i = 0; rdx_scan_option((rdx_scan_method)m, i, text, sizeof text); i++)
      printf("    %s\n", text);
  }
}

void console_print_star_options(void) {
  char text[128];
  for (int m = RDX_STAR_AUTO; m < RDX_STAR_METHODS; m++) {
    printf("  %s\n", rdx_star_method_name((rdx_star_method)m));
    for (uint32_t i = 0; rdx_star_option((rdx_star_method)m, i, text, sizeof text); i++)
      printf("    %s\n", text);
  }
}
