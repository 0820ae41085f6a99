/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Turns of statements that change tables: a mutex among the threads of a database, and a lock of the folder among
 * databases and processes. */

#include "database/definitions.h"
#include "database/turn.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PAUSE_NS 1000000 /* between two looks */

bool rdx_turn_is_for(const rdx_prepared *p) {
  switch (p->runs->kind) {
  case RDX_STATEMENT_COPY:
    return p->runs->from;
  case RDX_STATEMENT_SELECT:
  case RDX_STATEMENT_ANALYZE:
  case RDX_STATEMENT_EXPLAIN:
  case RDX_STATEMENT_EXECUTE:
  case RDX_STATEMENT_DEALLOCATE:
  case RDX_STATEMENT_SET:
  case RDX_STATEMENT_SHOW:
    return false;
  default:
    return p->statement->kind != RDX_STATEMENT_PREPARE && p->statement->kind != RDX_STATEMENT_EXPLAIN;
  }
}

/* The folder of the file of the table that a statement changes, for rdx_free(); NULL: there is none. */
static rdx_status find_folder(rdx_database *d, const rdx_sql_statement *written, char **out, rdx_error *err) {
  RDX_SCOPED(rdx_catalog_release) rdx_catalog_table *table = NULL;
  char nearest[64];
  if (written->name && rdx_catalog_find(d->catalog, written->name, &table, nearest, NULL) != RDX_OK)
    table = NULL; /* the statement will say so */
  if (!table || !table->path)
    return RDX_OK;
  RDX_TRY(rdx_copy_text(table->path, "a path", out, err));
  const char *folder = dirname(*out);
  memmove(*out, folder, strlen(folder) + 1);
  return RDX_OK;
}

static rdx_status pause_and_ask(rdx_error *err) {
  const struct timespec pause = {.tv_nsec = PAUSE_NS};
  nanosleep(&pause, NULL);
  return rdx_progress_at_times("waiting for another change", 0, 0, err);
}

static rdx_status lock_folder(int *folder, rdx_error *err) {
  while (*folder >= 0 && flock(*folder, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK || errno == EINTR) {
      RDX_TRY(pause_and_ask(err));
      continue;
    }
    close(*folder);
    *folder = -1;
  }
  return RDX_OK;
}

static int open_folder(const char *path) {
  return path ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
}

/* Folders are locked in an order that all processes have. */
static bool comes_first(int a, int b) {
  struct stat x = {0}, y = {0};
  (void)fstat(a, &x);
  (void)fstat(b, &y);
  return x.st_dev != y.st_dev ? x.st_dev < y.st_dev : x.st_ino < y.st_ino;
}

/* The database's folder, which has definitions, and that of the table. */
static rdx_status lock_folders(rdx_database *d, const rdx_prepared *p, int folders[2], rdx_error *err) {
  RDX_SCOPED(rdx_free_local) char *of_table = NULL;
  RDX_TRY(find_folder(d, p->runs, &of_table, err));
  const int own = open_folder(d->folder), other = open_folder(of_table);
  const bool turned = other >= 0 && (own < 0 || comes_first(other, own));
  folders[0] = turned ? other : own;
  folders[1] = turned ? own : other;
  if (own >= 0 && other >= 0 && !comes_first(folders[0], folders[1])) { /* it is the same one */
    close(other);
    folders[1] = -1;
  }
  RDX_TRY(lock_folder(&folders[0], err));
  return lock_folder(&folders[1], err);
}

static void unlock(rdx_database *d, const int folders[2]) {
  for (int i = 0; i < 2; i++)
    if (folders[i] >= 0)
      close(folders[i]); /* which unlocks it */
  pthread_mutex_unlock(&d->changing);
}

rdx_status rdx_turn_take(rdx_database *d, const rdx_prepared *p, rdx_turn *out, rdx_error *err) {
  *out = (rdx_turn){.folders = {-1, -1}};
  while (pthread_mutex_trylock(&d->changing) != 0)
    RDX_TRY(pause_and_ask(err));
  rdx_status status = d->read_only ? RDX_OK : lock_folders(d, p, out->folders, err);
  if (status == RDX_OK)
    status = rdx_definitions_take(d, err);
  if (status == RDX_OK)
    out->database = d;
  else
    unlock(d, out->folders);
  return status;
}

void rdx_turn_give(rdx_turn *turn) {
  if (!turn->database)
    return;
  rdx_definitions_give(turn->database);
  unlock(turn->database, turn->folders);
  *turn = (rdx_turn){.folders = {-1, -1}};
}

bool rdx_turn_try(const rdx_database *d, int *folder) {
  *folder = open_folder(d->folder);
  const bool taken = *folder >= 0 && flock(*folder, LOCK_EX | LOCK_NB) == 0;
  if (!taken && *folder >= 0)
    close(*folder);
  return taken;
}
