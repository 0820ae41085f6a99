/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef TESTS_DEVICE_FLAT_STAR_H
#define TESTS_DEVICE_FLAT_STAR_H

/* A flat table of two columns, for queries whose answers are known. */

#include <raydex/raydex.h>

#define ROWS 6
static const int64_t large[ROWS] = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MIN, INT64_MIN, 5};
static const uint8_t letters[] = "aabbcc";
static const uint64_t offsets[] = {0, 1, 2, 3, 4, 5, 6};
static const rdx_attribute attributes[] = {
    {"number", {.type = RDX_TYPE_I64, .rows = ROWS, .values = large}, 0},
    {"letter", {.type = RDX_TYPE_STRING, .rows = ROWS, .values = letters, .offsets = offsets}, 0}};
static const rdx_relation flat = {.rows = ROWS, .attributes = attributes, .attribute_count = 2};
static const rdx_expression number = {.kind = RDX_EXPRESSION_ATTRIBUTE, .attribute = 0};
static const rdx_expression letter = {.kind = RDX_EXPRESSION_ATTRIBUTE, .attribute = 1};
static const uint32_t by_letter[] = {1};

#endif
