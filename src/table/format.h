/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_TABLE_FORMAT_H
#define RDX_TABLE_FORMAT_H

/* The table file. All numbers are little-endian; all sections start at a multiple of a page (4096 bytes) and
 * are padded with zeros to the next, so that a mapped file is an array for each column.
 *
 *   header      a page: rdx_file_header, zeros, and in its last 8 bytes the checksum of all before them
 *   sections    for each column, in order, those of rdx_section_kind that it has, without gaps
 *   directory   an rdx_file_column for each column, the declarations where there are some (version 2: for each column a
 *               text that ends with a zero; version 3: one more, the constraints of the table), then for each column
 *               its variable part (see rdx_file_place); each piece at a multiple of 8; padded to a page. The header has
 *               its checksum, padding included
 *
 * Checksums are XXH3 (64 bits, seed 0). A section has one for each chunk of it, the padding in its last chunk included:
 * so every byte of a file is under some checksum. Rows come in blocks of 65,536: chunks of values and of validity hold
 * a block each. The directory has the smallest and the largest value of each block (its zone map).
 *
 * No place is stored: all places follow from counts and sizes in the directory, so a file cannot have wrong ones. */

#include "base/base.h"

#include <raydex/column.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "table files are mapped as they are");

#define RDX_BLOCK_ROWS 65536u
#define RDX_PAGE 4096u
#define RDX_FORMAT_VERSION 1u   /* without declarations */
#define RDX_DECLARED_VERSION 2u /* with them */
#define RDX_CONSTRAINED_VERSION 3u
#define RDX_TABLE_COLUMNS_MAX 65536u
#define RDX_TABLE_ROWS_MAX (UINT32_MAX - 1)

/* The first and the last bytes are no text, so that programs which change line ends or cut a bit do not pass. */
#define RDX_FILE_MAGIC "\x89RDXT\r\n\x1a"

typedef struct rdx_file_header {
  char magic[8];
  uint32_t version;
  uint32_t columns;
  uint64_t rows;
  uint64_t size;      /* of the file */
  uint64_t directory; /* where it starts; it ends with the file */
  uint64_t directory_checksum;
  uint64_t declarations; /* bytes of them, with the constraints; version 1: 0 */
} rdx_file_header;

typedef struct rdx_file_column {
  uint32_t type; /* rdx_type */
  uint32_t scale;
  uint64_t nulls;    /* 0: there is no validity */
  uint64_t distinct; /* strings: of the dictionary, else 0 */
  uint64_t text;     /* strings: bytes of the dictionary, else 0 */
  uint64_t name;     /* its length in bytes */
} rdx_file_column;

typedef enum rdx_section_kind {
  RDX_SECTION_VALUES,     /* as rdx_column has them; strings: places in the dictionary (u32). 0 for NULLs */
  RDX_SECTION_VALIDITY,   /* a bit a row, where there are NULLs; 0 beyond the rows */
  RDX_SECTION_OFFSETS,    /* strings: where each string of the dictionary starts (u64), and the end of the last */
  RDX_SECTION_DICTIONARY, /* strings: their bytes, in ascending order */
  RDX_SECTION_KINDS,
} rdx_section_kind;

typedef struct rdx_section {
  uint64_t offset, size, padded; /* in the file; size 0: there is none */
  uint64_t chunk;                /* bytes under a checksum */
  uint64_t chunks;
  uint64_t checksums; /* where they are in the directory */
} rdx_section;

/* Where a column's parts are. */
typedef struct rdx_file_place {
  rdx_section sections[RDX_SECTION_KINDS];
  /* In the directory: the name; a value as wide as the column's (strings: u32) for the smallest and for the largest of
   * each block, 0 where all of it is NULL; and a bit for each block, 0 where all of it is NULL. */
  uint64_t name, smallest, largest, filled;
} rdx_file_place;

/* The bytes of a value in a file. */
static inline uint64_t rdx_file_width(uint32_t type) {
  return type == RDX_TYPE_STRING ? 4 : rdx_type_size((rdx_type)type);
}

static inline uint64_t rdx_file_blocks(uint64_t rows) {
  return (rows + RDX_BLOCK_ROWS - 1) / RDX_BLOCK_ROWS;
}

/* Find the places of all parts of a file with the columns, rows and declarations of a header; false where it would be
 * larger than `limit` bytes, or nothing can have such counts. `*directory` is where the directory starts, `*size` the
 * size of the file. Declarations begin behind the rdx_file_columns. */
bool rdx_file_lay_out(const rdx_file_column *columns, const rdx_file_header *header, uint64_t limit,
                      rdx_file_place *places, uint64_t *directory, uint64_t *size);

uint64_t rdx_file_checksum(const void *data, uint64_t size);

/* The checksum of a header's page, which stands in its last 8 bytes. */
uint64_t rdx_file_header_checksum(const void *page);

#endif
