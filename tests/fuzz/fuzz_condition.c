/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Any text as a condition: parsing it fails with an error text, or gives a condition that can be bound to columns of
 * any types, or refuses them with a text. */

#include <raydex/raydex.h>

#include "tests/fuzz/replay.h"

#define MAX_COLUMNS 256

static volatile uint8_t sink;

static void check_values(const rdx_column *c) {
  uint8_t sum = 0;
  CHECK(c->type > RDX_TYPE_NONE && c->type <= RDX_TYPE_STRING && !c->device);
  for (uint64_t i = 0; i < c->rows; i++) {
    sum ^= c->validity[i / 8];
    if (c->type == RDX_TYPE_STRING)
      for (uint64_t k = c->offsets[i]; k < c->offsets[i + 1]; k++)
        sum ^= ((const uint8_t *)c->values)[k];
  }
  for (uint64_t i = 0; i < c->rows * rdx_type_size(c->type); i++)
    sum ^= ((const uint8_t *)c->values)[i];
  sink = sum;
}

static void check_predicate(const rdx_predicate *p, uint32_t columns) {
  CHECK(p->kind >= RDX_PREDICATE_TRUE && p->kind <= RDX_PREDICATE_IS_NOT_NULL);
  if (p->kind >= RDX_PREDICATE_EQ) {
    CHECK(p->column < columns);
    if (p->kind < RDX_PREDICATE_IS_NULL)
      check_values(&p->values);
    return;
  }
  CHECK(p->kind != RDX_PREDICATE_NOT || p->child_count == 1);
  for (uint32_t i = 0; i < p->child_count; i++)
    check_predicate(&p->children[i], columns);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  rdx_condition *condition = NULL;
  rdx_error err = {""};
  char *text = malloc(size + 1);
  CHECK(text);
  memcpy(text, data, size);
  text[size] = '\0';
  const rdx_status status = rdx_condition_parse(text, &condition, &err);
  free(text);
  if (status != RDX_OK) {
    CHECK(!condition && err.text[0]);
    return 0;
  }
  const uint32_t count = rdx_condition_columns(condition);
  CHECK(!rdx_condition_column_name(condition, count));
  for (uint32_t shift = 0; shift < RDX_TYPE_STRING && count <= MAX_COLUMNS; shift++) {
    rdx_column columns[MAX_COLUMNS] = {0};
    const rdx_predicate *predicate = NULL;
    for (uint32_t i = 0; i < count; i++)
      columns[i] = (rdx_column){.type = (rdx_type)(1 + (i + shift) % RDX_TYPE_STRING)};
    err.text[0] = '\0';
    if (rdx_condition_bind(condition, columns, NULL, &predicate, &err) == RDX_OK)
      check_predicate(predicate, count);
    else
      CHECK(err.text[0]);
  }
  rdx_condition_destroy(&condition);
  CHECK(!condition);
  return 0;
}
