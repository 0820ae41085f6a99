/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Databases: a folder's tables on a device, and what is kept from statement to statement. */

#include <stdlib.h>

#include "base/words.h"
#include "database/definitions.h"
#include "device/device.h"

rdx_status rdx_database_open(rdx_device *device, const char *folder, const rdx_database_params *params,
                             rdx_database **out, rdx_error *err) {
  static const rdx_database_params defaults = {0};
  RDX_SCOPED(rdx_database_close) rdx_database *d = NULL;
  if (!device || !out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_database_open: device and out must not be NULL");
  if (folder && !folder[0])
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "the folder's name is empty: NULL opens a database without one");
  params = params ? params : &defaults;
  RDX_TRY(rdx_calloc(1, sizeof *d, "a database", (void **)&d, err));
  d->device = device;
  d->read_only = params->read_only;
  d->safe = params->safe;
  d->has_folder = folder != NULL;
  pthread_mutex_init(&d->changing, NULL);
  pthread_mutex_init(&d->defining, NULL);
  pthread_mutex_init(&d->lock, NULL);
  pthread_mutexattr_t recursive;
  pthread_mutexattr_init(&recursive);
  pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&d->views_lock, &recursive);
  pthread_mutexattr_destroy(&recursive);
  RDX_TRY(rdx_catalog_create(device, folder, params->safe, &d->catalog, err));
  RDX_TRY(rdx_device_host_pool(device, &d->pool, err));
  if (folder) {
    RDX_TRY(rdx_copy_text(folder, "a database", &d->folder, err));
    RDX_TRY(rdx_definitions_refresh(d, err));
  }
  d->memory_limit = d->device->memory_limit;
  rdx_seed_anew(d);
  *out = RDX_KEEP(d);
  return RDX_OK;
}

void rdx_database_close(rdx_database **database) {
  if (!database || !*database)
    return;
  rdx_database *d = *database;
  *database = NULL;
  for (uint32_t i = 0; i < d->named_count; i++) {
    rdx_prepared_release(&d->named[i].prepared);
    rdx_free(d->named[i].name);
  }
  for (uint32_t i = 0; i < d->kept_count; i++)
    rdx_prepared_release(&d->kept[i]);
  rdx_views_free(d);
  rdx_defined_free(d);
  rdx_indexes_free(d);
  rdx_definitions_free(d);
  RDX_FREE_ALL(d->named, d->kept, d->folder, d->shown);
  rdx_catalog_names_free(&d->names);
  rdx_catalog_destroy(&d->catalog);
  pthread_mutex_destroy(&d->views_lock);
  pthread_mutex_destroy(&d->lock);
  pthread_mutex_destroy(&d->defining);
  pthread_mutex_destroy(&d->changing);
  rdx_free(d);
}

rdx_status rdx_database_add(rdx_database *database, const char *name, rdx_table *table, rdx_error *err) {
  if (!database || !name || !table) {
    rdx_table_destroy(&table);
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_database_add: database, name and table must not be NULL");
  }
  RDX_TRY(rdx_catalog_add(database->catalog, name, table, err));
  rdx_definitions_changed(database); /* it stands before a view of its name */
  return RDX_OK;
}

rdx_status rdx_database_add_file(rdx_database *database, const char *name, const char *path, const rdx_csv_params *csv,
                                 rdx_error *err) {
  if (!database || !name || !path)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_database_add_file: database, name and path must not be NULL");
  RDX_TRY(rdx_catalog_add_file(database->catalog, name, path, csv, err));
  rdx_definitions_changed(database);
  return RDX_OK;
}

static uint32_t count_names(const rdx_database *d) {
  uint32_t count = 0;
  while (d->names[count])
    count++;
  return count;
}

rdx_status rdx_database_tables(rdx_database *database, const char *const **out, uint32_t *count, rdx_error *err) {
  if (!database || !out || !count)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_database_tables: database, out and count must not be NULL");
  rdx_catalog_names_free(&database->names);
  RDX_TRY(rdx_definitions_refresh(database, err));
  RDX_TRY(rdx_catalog_names(database->catalog, &database->names, err));
  RDX_TRY(rdx_defined_add_names(database, &database->names, count_names(database), err));
  *count = count_names(database);
  qsort(database->names, *count, sizeof *database->names, rdx_words_order);
  *out = (const char *const *)database->names;
  return RDX_OK;
}
