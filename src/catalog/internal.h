/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_CATALOG_INTERNAL_H
#define RDX_CATALOG_INTERNAL_H

#include "catalog/catalog.h"

#include <pthread.h>
#include <sys/stat.h>

/* How often something prepared was used, and when it was last (rdx_now_ms()). */
typedef struct rdx_usage {
  uint64_t uses;
  double used_ms;
} rdx_usage;

static inline void rdx_usage_note(rdx_usage *usage) {
  usage->uses++;
  usage->used_ms = rdx_now_ms();
}

/* A scan that stays with a version of a table. */
typedef struct rdx_kept_scan {
  rdx_scan *scan;
  rdx_usage usage;
  rdx_scan_params params;
  uint32_t *columns; /* of the table: the scan's columns */
  uint32_t count;
} rdx_kept_scan;

/* The same of an index. */
typedef struct rdx_kept_index {
  rdx_index *index;
  rdx_usage usage;
  rdx_index_params params;
  uint32_t columns[RDX_INDEX_COLUMNS];
  uint32_t count;
} rdx_kept_index;

/* The same of a column's copy on the device. */
typedef struct rdx_kept_column {
  rdx_device_column *copy;
  rdx_usage usage;
  uint32_t column;
} rdx_kept_column;

/* A version of a table: what plans see of it (rdx_catalog_table), its content, and what is prepared over it. */
typedef struct rdx_table_version {
  rdx_catalog_table table; /* first: what users have points here */
  rdx_catalog *catalog;
  rdx_table *content;
  bool deferred;    /* columns are verified (table files) or read (Parquet) when they are opened */
  uint8_t **blocks; /* of each column: a bit for each block of rows that is; NULL: none, nor the dictionary */
  struct stat file;
  uint32_t users; /* one more while its name has it */
  rdx_kept_scan *scans;
  uint32_t scan_count;
  rdx_kept_index *indexes;
  uint32_t index_count;
  rdx_kept_column *copies;
  uint32_t copy_count;
  double missed_ms; /* that scans would have saved: rdx_catalog_scan_pays() */
} rdx_table_version;

/* A name and where its table comes from. */
typedef struct rdx_source {
  char *name, *path; /* path: NULL for tables that were added */
  rdx_arena arena;   /* of `csv` */
  rdx_csv_params csv;
  bool added; /* not found in the folder or by its path */
  rdx_table_version *version;
} rdx_source;

/* The same of a star; it keeps its tables. */
typedef struct rdx_kept_star {
  rdx_star *star;
  rdx_usage usage;
  rdx_star_params params;
  rdx_catalog_star definition;
  uint32_t users;
  bool retired; /* goes when its last user does */
  char **cubes;     /* names of the cubes that it has */
  uint64_t *tuples; /* combinations of the scan attributes of each; 0: unknown */
  uint32_t cube_count;
} rdx_kept_star;

struct rdx_catalog {
  pthread_mutex_t lock; /* for all of it; scans and stars are prepared under it */
  rdx_device *device;
  char *folder;
  bool safe;
  rdx_source *sources;
  uint32_t source_count, source_capacity;
  rdx_kept_star *stars;
  uint32_t star_count, star_capacity;
};

static inline rdx_table_version *rdx_table_version_of(rdx_catalog_table *table) {
  return (rdx_table_version *)table;
}

/* With the lock held. */
void rdx_kept_scan_drop(rdx_kept_scan *scan);
void rdx_kept_star_drop(rdx_kept_star *star);
void rdx_table_version_drop_user(rdx_table_version *version);
/* Stars over this version go as soon as nobody uses them. */
void rdx_stars_retire(rdx_catalog *catalog, const rdx_table_version *version);
void rdx_stars_destroy(rdx_catalog *catalog);
RDX_MUST_USE rdx_status rdx_table_version_open_columns(rdx_table_version *version, const uint32_t *columns,
                                                       uint32_t count, rdx_error *err);

#endif
