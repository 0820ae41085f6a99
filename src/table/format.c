/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

#include "table/format.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#define LARGEST_FILE ((uint64_t)1 << 62) /* sums of a few of these do not overflow */

static uint64_t round_up(uint64_t value, uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

/* Give a section the next place in the file and in the directory. Nothing is larger than LARGEST_FILE. */
static void add_section(rdx_section *s, uint64_t size, uint64_t chunk, uint64_t *offset, uint64_t *directory) {
  *s = (rdx_section){.offset = *offset, .size = size, .padded = round_up(size, RDX_PAGE), .chunk = chunk};
  s->chunks = (size + chunk - 1) / chunk;
  s->checksums = *directory;
  *offset += s->padded;
  *directory += s->chunks * 8;
}

static uint64_t add_piece(uint64_t size, uint64_t *directory) {
  const uint64_t place = *directory;
  *directory += round_up(size, 8);
  return place;
}

static bool is_possible(const rdx_file_column *c, uint64_t rows, uint64_t limit) {
  const bool strings = c->type == RDX_TYPE_STRING;
  return c->type > RDX_TYPE_NONE && c->type <= RDX_TYPE_STRING &&
         c->scale <= (c->type == RDX_TYPE_DECIMAL ? 18u : 0u) && c->nulls <= rows &&
         c->distinct <= (strings ? rows - c->nulls : 0) && c->text <= (strings ? limit : 0) &&
         (!strings || c->distinct > 0 || c->nulls == rows) && c->name <= (1u << 20);
}

bool rdx_file_lay_out(const rdx_file_column *columns, const rdx_file_header *header, uint64_t limit,
                      rdx_file_place *places, uint64_t *directory, uint64_t *size) {
  const uint64_t rows = header->rows;
  const uint32_t count = header->columns;
  limit = limit < LARGEST_FILE ? limit : LARGEST_FILE;
  if (rows > RDX_TABLE_ROWS_MAX || count > RDX_TABLE_COLUMNS_MAX || header->declarations > limit)
    return false;
  const uint64_t blocks = rdx_file_blocks(rows);
  uint64_t offset = RDX_PAGE, inside = count * sizeof *columns;
  add_piece(header->declarations, &inside);
  for (uint32_t i = 0; i < count; i++) {
    const rdx_file_column *c = &columns[i];
    rdx_file_place *p = &places[i];
    if (!is_possible(c, rows, limit))
      return false;
    const uint64_t width = rdx_file_width(c->type), strings = c->type == RDX_TYPE_STRING;
    p->name = add_piece(c->name, &inside);
    add_section(&p->sections[RDX_SECTION_VALUES], rows * width, RDX_BLOCK_ROWS * width, &offset, &inside);
    add_section(&p->sections[RDX_SECTION_VALIDITY], c->nulls > 0 ? (rows + 7) / 8 : 0, RDX_BLOCK_ROWS / 8, &offset,
                &inside);
    add_section(&p->sections[RDX_SECTION_OFFSETS], strings * (c->distinct + 1) * 8, RDX_BLOCK_ROWS * 8, &offset,
                &inside);
    add_section(&p->sections[RDX_SECTION_DICTIONARY], c->text, RDX_BLOCK_ROWS * 8, &offset, &inside);
    p->smallest = add_piece(blocks * width, &inside);
    p->largest = add_piece(blocks * width, &inside);
    p->filled = add_piece((blocks + 7) / 8, &inside);
    if (offset > limit || inside > limit)
      return false;
  }
  *directory = offset;
  *size = offset + round_up(inside, RDX_PAGE);
  return *size <= limit;
}

uint64_t rdx_file_checksum(const void *data, uint64_t size) {
  return XXH3_64bits(data, size);
}

uint64_t rdx_file_header_checksum(const void *page) {
  return XXH3_64bits(page, RDX_PAGE - sizeof(uint64_t));
}
