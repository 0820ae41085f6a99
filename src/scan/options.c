/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The options of scans by their names. */

#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "scan/scan.h"

#define WORD(method, name, path, words) RDX_OPTION_WORD(rdx_scan_params, method, name, path, words)
#define NUMBER(method, name, path, min, max) RDX_OPTION_NUMBER(rdx_scan_params, method, name, path, min, max)

/* Columns with + between them, sets with / between them. */
static bool read_groups(const char *text, void *field) {
  uint64_t groups[RDX_SCAN_GROUPS] = {0};
  uint32_t count = 0;
  for (;;) {
    char *end = NULL;
    const unsigned long column = *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : 64;
    if (column >= 64 || count == RDX_SCAN_GROUPS || groups[count] >> column & 1)
      return false;
    groups[count] |= 1ull << column;
    const bool ends = *end != '+';
    if (ends && __builtin_popcountll(groups[count++]) > 3)
      return false;
    if (*end == '\0')
      break;
    if (ends && *end != '/')
      return false;
    text = end + 1;
  }
  memcpy(field, groups, sizeof groups);
  return true;
}

static const rdx_option list[] = {
    WORD(RDX_SCAN_AUTO, "bindex", among.bindex, rdx_option_switches),
    WORD(RDX_SCAN_AUTO, "btree_scan", among.btree, rdx_option_switches),
    WORD(RDX_SCAN_AUTO, "rtindex", among.rtindex, rdx_option_switches),
    WORD(RDX_SCAN_AUTO, "rtc1", among.rtc1, rdx_option_switches),
    WORD(RDX_SCAN_AUTO, "rtc3", among.rtc3, rdx_option_switches),
    WORD(RDX_SCAN_AUTO, "rtscan", among.rtscan, rdx_option_switches),
    NUMBER(RDX_SCAN_BINDEX, "vectors", bindex.vectors, 1, 1024),
    WORD(RDX_SCAN_BTREE, "published", btree.published, rdx_option_switches),
    WORD(RDX_SCAN_RTINDEX, "published", rtc1.published, rdx_option_switches),
    WORD(RDX_SCAN_RTINDEX, "build", rtc1.build, rdx_option_builds),
    NUMBER(RDX_SCAN_RTC1, "rays", rtc1.rays, 1, (1u << 21) - 1),
    WORD(RDX_SCAN_RTC1, "published", rtc1.published, rdx_option_switches),
    WORD(RDX_SCAN_RTC1, "build", rtc1.build, rdx_option_builds),
    NUMBER(RDX_SCAN_RTC3, "group", rtc3.group, 1, 3),
    NUMBER(RDX_SCAN_RTC3, "rays", rtc3.rays, 2, 1u << 20),
    NUMBER(RDX_SCAN_RTC3, "rows_per_box", rtc3.rows_per_box, 1, 256),
    WORD(RDX_SCAN_RTC3, "insist", rtc3.insist, rdx_option_switches),
    WORD(RDX_SCAN_RTC3, "published", rtc3.published, rdx_option_switches),
    WORD(RDX_SCAN_RTC3, "build", rtc3.build, rdx_option_builds),
    NUMBER(RDX_SCAN_RTSCAN, "vectors", rtscan.vectors, 1, 1024),
    NUMBER(RDX_SCAN_RTSCAN, "planes", rtscan.planes, 1, 6),
    WORD(RDX_SCAN_RTSCAN, "derived", rtscan.derived, rdx_option_defaults),
    NUMBER(RDX_SCAN_RTSCAN, "group", rtscan.group, 1, 3),
    RDX_OPTION_TEXT(rdx_scan_params, RDX_SCAN_RTSCAN, "groups", rtscan.groups, read_groups, "0+1+2/1+3"),
    NUMBER(RDX_SCAN_RTSCAN, "cube_width", rtscan.cube_width, 1, UINT32_MAX),
    NUMBER(RDX_SCAN_RTSCAN, "ray_length", rtscan.ray_length, 1, UINT32_MAX),
    NUMBER(RDX_SCAN_RTSCAN, "interval", rtscan.interval_percent, 1, 100),
    NUMBER(RDX_SCAN_RTSCAN, "spacing", rtscan.spacing_percent, 1, 100),
    WORD(RDX_SCAN_RTSCAN, "spaced", rtscan.spaced, rdx_option_defaults),
    WORD(RDX_SCAN_RTSCAN, "encoding", rtscan.encoding, rdx_option_defaults),
    WORD(RDX_SCAN_RTSCAN, "negative", rtscan.negative, rdx_option_defaults),
    NUMBER(RDX_SCAN_RTSCAN, "rows_per_box", rtscan.rows_per_box, 1, 256),
    WORD(RDX_SCAN_RTSCAN, "insist", rtscan.insist, rdx_option_switches),
    WORD(RDX_SCAN_RTSCAN, "published", rtscan.published, rdx_option_switches),
    WORD(RDX_SCAN_RTSCAN, "build", rtscan.build, rdx_option_builds),
};

static const rdx_options options = {list, RDX_COUNT(list)};

rdx_status rdx_scan_params_set(rdx_scan_params *params, const char *name, const char *value, rdx_error *err) {
  if (!params || !name || !value)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_scan_params_set: params, name and value must not be NULL");
  return rdx_option_set(options, params->method, rdx_scan_method_name(params->method), name, value, params, err);
}

/* AUTO passes options on to the methods that it chooses among. */
rdx_status rdx_scan_check_options(const rdx_scan_params *params, rdx_error *err) {
  const rdx_scan_auto_params *a = &params->among;
  uint64_t methods = 1ull << params->method;
  if (params->method == RDX_SCAN_AUTO)
    methods |= (uint64_t)a->bindex << RDX_SCAN_BINDEX | (uint64_t)a->btree << RDX_SCAN_BTREE |
               (uint64_t)a->rtindex << RDX_SCAN_RTINDEX | (uint64_t)a->rtc1 << RDX_SCAN_RTC1 |
               (uint64_t)a->rtc3 << RDX_SCAN_RTC3 | (uint64_t)a->rtscan << RDX_SCAN_RTSCAN;
  return rdx_option_check(options, methods, params->method, rdx_scan_method_name(params->method), params, err);
}

bool rdx_scan_option(rdx_scan_method method, uint32_t number, char *text, size_t size) {
  return text && size > 0 && rdx_option_describe(options, method, number, text, size);
}
