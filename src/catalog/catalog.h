/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_CATALOG_CATALOG_H
#define RDX_CATALOG_CATALOG_H

/* The tables of a database by their names, and what was prepared over them: scans and stars, kept from statement to
 * statement. */

#include <raydex/star.h>
#include <raydex/scan.h>
#include <raydex/table.h>

#include "base/base.h"

#define RDX_CATALOG_BLOCK 65536u /* rows of a block of a table file */

typedef struct rdx_catalog rdx_catalog;

/* A column of a table as the catalog knows it before it is read. */
typedef struct rdx_catalog_column {
  const char *name, *declaration; /* declaration: as rdx_sql_declare() has it; NULL: none */
  rdx_type type;
  uint8_t scale;
  rdx_column column; /* once rdx_catalog_open_columns() had it */
  bool open;
  int8_t unique; /* 1: no two rows are equal, none is NULL; 0: not so; -1: not known yet: rdx_catalog_unique() */
  /* As far as is known; who plans reads them while another thread opens the column. */
  _Atomic bool has_dictionary;
  _Atomic uint64_t distinct; /* an estimate; 0: not known */
} rdx_catalog_column;

/* A version of a table: it stays until its last user has released it, whatever becomes of the name. */
typedef struct rdx_catalog_table {
  char *name, *path;       /* path: NULL where it has no file */
  const char *constraints; /* as rdx_sql_declare_constraints() has them; NULL: none */
  bool temporary;          /* it goes with the database, though that has a folder */
  uint64_t rows;
  uint32_t column_count;
  rdx_catalog_column *columns;
  /* Queries of it that summed doubles, or compared texts, without a star. */
  _Atomic uint32_t float_sums, text_comparisons;
} rdx_catalog_table;

/* `folder` may be NULL. Files are found when their names are asked for; `safe`: only those of the folder. */
RDX_MUST_USE rdx_status rdx_catalog_create(rdx_device *device, const char *folder, bool safe, rdx_catalog **out,
                                           rdx_error *err);
/* Every table must have been released. */
void rdx_catalog_destroy(rdx_catalog **catalog);

/* The device that scans and stars are prepared on. */
rdx_device *rdx_catalog_device(const rdx_catalog *catalog);

/* A table under a name, which becomes the catalog's, also on failure; one of that name is replaced. */
RDX_MUST_USE rdx_status rdx_catalog_add(rdx_catalog *catalog, const char *name, rdx_table *table, rdx_error *err);
/* A table or CSV file under a name. */
RDX_MUST_USE rdx_status rdx_catalog_add_file(rdx_catalog *catalog, const char *name, const char *path,
                                             const rdx_csv_params *csv, rdx_error *err);
/* Forget a name that was added; false: there is none. */
bool rdx_catalog_remove(rdx_catalog *catalog, const char *name);
/* Whether a name was added: such tables stand before what the folder has. */
bool rdx_catalog_has_added(rdx_catalog *catalog, const char *name);
/* The path of a table's file in the folder, which need not be there; for rdx_free(). RDX_ERROR_ARGUMENT for a name that
 * is none of a file, RDX_ERROR_UNSUPPORTED without a folder. */
RDX_MUST_USE rdx_status rdx_catalog_path(const rdx_catalog *catalog, const char *name, char **out, rdx_error *err);

/* The table of a name: one that was added, NAME.rdx or NAME.csv of the folder, or, where the name holds a point or a
 * slash, the file. `*out` is NULL where there is none; the nearest name that there is goes to `nearest` (may be empty).
 * Release it with rdx_catalog_release(). A file that was replaced since is opened anew. */
RDX_MUST_USE rdx_status rdx_catalog_find(rdx_catalog *catalog, const char *name, rdx_catalog_table **out,
                                         char nearest[64], rdx_error *err);
void rdx_catalog_release(rdx_catalog_table **table);

/* The names that there are, ascending, NULL at the end. */
RDX_MUST_USE rdx_status rdx_catalog_names(rdx_catalog *catalog, char ***out, rdx_error *err);
void rdx_catalog_names_free(char ***all);

/* Read and verify columns, once. */
RDX_MUST_USE rdx_status rdx_catalog_open_columns(rdx_catalog *catalog, rdx_catalog_table *table,
                                                 const uint32_t *columns, uint32_t count, rdx_error *err);
/* The smallest and largest values of a column's blocks of rows (RDX_CATALOG_BLOCK), a row for each, NULL where all of
 * the block is; `*found` false: its table is no table file, or has one block only. A dictionary is verified. */
RDX_MUST_USE rdx_status rdx_catalog_zones(rdx_catalog *catalog, rdx_catalog_table *table, uint32_t column,
                                          rdx_column *smallest, rdx_column *largest, bool *found, rdx_error *err);
/* Read and verify these blocks of columns, of a table that has zones: other rows must not be read. */
RDX_MUST_USE rdx_status rdx_catalog_open_blocks(rdx_catalog *catalog, rdx_catalog_table *table, const uint32_t *columns,
                                                uint32_t count, const uint32_t *blocks, uint64_t block_count,
                                                rdx_error *err);
/* Whether a column is a key; found out at the first question. */
RDX_MUST_USE rdx_status rdx_catalog_unique(rdx_catalog *catalog, rdx_catalog_table *table, uint32_t column, bool *out,
                                           rdx_error *err);

/* A scan that is prepared over these columns of a table at least; `numbers` has the scan's column of each. Usable until
 * the table is released. */
RDX_MUST_USE rdx_status rdx_catalog_scan(rdx_catalog *catalog, rdx_catalog_table *table, const uint32_t *columns,
                                         uint32_t count, const rdx_scan_params *params, const rdx_scan **out,
                                         uint32_t *numbers, rdx_error *err);

/* Whether such a scan is there. */
bool rdx_catalog_has_scan(rdx_catalog *catalog, rdx_catalog_table *table, const uint32_t *columns, uint32_t count,
                          const rdx_scan_params *params);
/* Whether it is there, or would have saved as much by now as its preparation takes: each call is a filter that it would
 * save so many milliseconds. */
bool rdx_catalog_scan_pays(rdx_catalog *catalog, rdx_catalog_table *table, const uint32_t *columns, uint32_t count,
                           const rdx_scan_params *params, double saved_ms, double prepare_ms);

/* An index over 1 to RDX_INDEX_COLUMNS columns, likewise. */
RDX_MUST_USE rdx_status rdx_catalog_index(rdx_catalog *catalog, rdx_catalog_table *table, const uint32_t *columns,
                                          uint32_t count, const rdx_index_params *params, const rdx_index **out,
                                          rdx_error *err);

/* A column on the device, kept for later statements: of strings with a dictionary their places in it, as u32.
 * RDX_ERROR_UNSUPPORTED for other strings. Usable until the table is released. */
RDX_MUST_USE rdx_status rdx_catalog_device_column(rdx_catalog *catalog, rdx_catalog_table *table, uint32_t column,
                                                  const rdx_device_column **out, rdx_error *err);

/* A star of catalog tables. */
typedef struct rdx_catalog_dimension {
  rdx_catalog_table *table;
  uint32_t foreign_key, key; /* columns of the fact table and of `table` */
} rdx_catalog_dimension;

typedef struct rdx_catalog_attribute {
  uint32_t dimension; /* 0: the fact table; else 1 + the number of a dimension */
  uint32_t column;
} rdx_catalog_attribute;

typedef struct rdx_catalog_star {
  rdx_catalog_table *fact;
  rdx_catalog_dimension dimensions[8];
  uint32_t dimension_count;
  rdx_catalog_attribute *attributes;
  uint32_t attribute_count;
} rdx_catalog_star;

/* A star of these tables with at least these attributes, kept for later statements; `numbers` has the number of each
 * attribute in it. Usable until rdx_catalog_release_star(). */
RDX_MUST_USE rdx_status rdx_catalog_hold_star(rdx_catalog *catalog, const rdx_catalog_star *star,
                                              const rdx_star_params *params, rdx_star **out, uint32_t *numbers,
                                              rdx_error *err);
/* Whether the attributes of a star are packed, for whichever stars are kept. */
bool rdx_catalog_has_packed(rdx_catalog *catalog, const rdx_catalog_star *star);
/* Whether a star in use has the cube of this name; note that it has it from now on. */
bool rdx_catalog_has_cube(rdx_catalog *catalog, const rdx_star *star, const char *name);
/* tuples: combinations of its scan attributes; 0: unknown. */
RDX_MUST_USE rdx_status rdx_catalog_note_cube(rdx_catalog *catalog, const rdx_star *star, const char *name,
                                              uint64_t tuples, rdx_error *err);
/* Whether a kept star of these tables has the cube. `*tuples` is as it was noted; 0 where there is none. */
bool rdx_catalog_has_star_cube(rdx_catalog *catalog, const rdx_catalog_star *star, const rdx_star_params *params,
                               const char *name, uint64_t *tuples);
/* A cube of this name is to be another one: stars that have it serve those that use them, and nobody else. */
void rdx_catalog_retire_cube(rdx_catalog *catalog, const char *name);
void rdx_catalog_release_star(rdx_catalog *catalog, rdx_star *star);

/* Something prepared, as rdx_catalog_visit() tells it. */
typedef struct rdx_catalog_kept {
  const char *kind, *method;          /* kind: "star", "scan", "index" or "column" */
  const rdx_catalog_table *tables[9]; /* a star's fact table first */
  uint32_t table_count;
  const uint32_t *columns; /* of tables[0]; none of a star */
  uint32_t column_count;
  char *const *cubes; /* names of views whose cubes a star has */
  uint32_t cube_count;
  uint64_t bytes; /* of the device */
  uint64_t uses;
  double used_ms; /* rdx_now_ms() of the last use */
} rdx_catalog_kept;

typedef rdx_status (*rdx_kept_fn)(void *user, const rdx_catalog_kept *kept, rdx_error *err);

/* All that is prepared over tables as they are now. `visit` must not call the catalog. */
RDX_MUST_USE rdx_status rdx_catalog_visit(rdx_catalog *catalog, rdx_kept_fn visit, void *user, rdx_error *err);
/* Destroy what is prepared, the least recently used first, until it takes at most `bytes`. No statement may run. */
void rdx_catalog_trim(rdx_catalog *catalog, uint64_t bytes);

#endif
