/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Any bytes as a table file: opening it fails with an error text, or gives a table whose columns hold together.
 *
 * Checksums would keep a fuzzer at the gate, so they are made right first, in as far as the bytes say where they are
 * (bit 0 of the first byte; the rest is the file): the file is then one that a hostile writer has made. */

#include <raydex/raydex.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "table/format.h"
#include "tests/fuzz/replay.h"

static volatile uint8_t sink;

static void read_all(const void *memory, uint64_t size) {
  uint8_t sum = 0;
  for (uint64_t i = 0; i < size; i++)
    sum ^= ((const uint8_t *)memory)[i];
  sink = sum;
}

static void put_checksum(char *to, const void *data, uint64_t size) {
  const uint64_t checksum = rdx_file_checksum(data, size);
  memcpy(to, &checksum, sizeof checksum);
}

static void mend_sections(char *data, const rdx_file_header *h, const rdx_file_place *places) {
  for (uint32_t i = 0; i < h->columns; i++) {
    for (int kind = 0; kind < RDX_SECTION_KINDS; kind++) {
      const rdx_section *s = &places[i].sections[kind];
      for (uint64_t k = 0; k < s->chunks; k++) {
        const uint64_t from = k * s->chunk, rest = s->padded - from;
        put_checksum(data + h->directory + s->checksums + 8 * k, data + s->offset + from,
                     rest < s->chunk ? rest : s->chunk);
      }
    }
  }
}

/* Make the checksums right that can be found. */
static void mend(char *data, uint64_t size) {
  rdx_file_header h;
  if (size < RDX_PAGE)
    return;
  memcpy(&h, data, sizeof h);
  h.size = size;
  if (h.directory <= size && h.directory % 8 == 0 && h.columns * sizeof(rdx_file_column) <= size - h.directory &&
      h.columns <= RDX_TABLE_COLUMNS_MAX) {
    rdx_file_place *places = malloc((h.columns + 1) * sizeof *places);
    uint64_t directory, end;
    CHECK(places);
    if (rdx_file_lay_out((const rdx_file_column *)(const void *)(data + h.directory), &h, size, places, &directory,
                         &end) &&
        directory == h.directory && end == size)
      mend_sections(data, &h, places);
    free(places);
    h.directory_checksum = rdx_file_checksum(data + h.directory, size - h.directory);
  }
  memcpy(data, &h, sizeof h);
  const uint64_t checksum = rdx_file_header_checksum(data);
  memcpy(data + RDX_PAGE - sizeof checksum, &checksum, sizeof checksum);
}

static void check_strings(const rdx_column *c) {
  CHECK(c->dictionary && !c->offsets);
  for (uint64_t i = 0; i < c->rows; i++) {
    uint64_t length;
    const char *text = rdx_column_string(c, i, &length);
    CHECK(length <= 1 << 20);
    read_all(text, length);
  }
}

static void check_column(const rdx_table *table, uint32_t index, uint64_t size) {
  const rdx_column *c = rdx_table_column(table, index);
  CHECK(c->type > RDX_TYPE_NONE && c->type <= RDX_TYPE_STRING);
  CHECK(c->rows == rdx_table_rows(table));
  CHECK(c->type == RDX_TYPE_DECIMAL ? c->scale <= 18 : c->scale == 0);
  CHECK(strlen(rdx_table_column_name(table, index)) <= size);
  rdx_column_stats stats;
  CHECK(rdx_table_get_stats(table, index, &stats, NULL) == RDX_OK);
  CHECK(stats.nulls <= c->rows && stats.min.rows <= 1 && stats.max.rows <= 1);
  const rdx_column *const all[] = {c, &stats.min, &stats.max, &stats.smallest, &stats.largest};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    if (all[i]->validity)
      read_all(all[i]->validity, (all[i]->rows + 7) / 8);
    if (c->type == RDX_TYPE_STRING)
      check_strings(all[i]);
    else
      read_all(all[i]->values, all[i]->rows * rdx_type_size(c->type));
  }
}

static void make_path(char path[64]) {
  snprintf(path, 64, "/tmp/raydex-fuzz-%ld", (long)getpid());
}

static void remove_file(void) {
  char path[64];
  make_path(path);
  unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static bool started;
  char path[64];
  make_path(path);
  if (!started)
    atexit(remove_file);
  started = true;
  char *copy = malloc(size + 1);
  CHECK(copy);
  const size_t length = size > 0 ? size - 1 : 0;
  if (length > 0)
    memcpy(copy, data + 1, length);
  if (length > 0 && data[0] & 1)
    mend(copy, length);
  FILE *file = fopen(path, "wb");
  CHECK(file && fwrite(copy, 1, length, file) == length && fclose(file) == 0);
  free(copy);
  rdx_table *table = NULL;
  rdx_error err = {""};
  const rdx_status status = rdx_table_open(path, &table, &err);
  if (status != RDX_OK) {
    CHECK(!table);
    CHECK(err.text[0] != '\0' && memchr(err.text, '\0', sizeof err.text));
    return 0;
  }
  CHECK(table);
  for (uint32_t i = 0; i < rdx_table_columns(table); i++)
    check_column(table, i, size);
  rdx_table_destroy(&table);
  return 0;
}
