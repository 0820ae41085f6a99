/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Turns of statements that change tables: a mutex among the threads of a database, and a lock of the folder among
 * databases and processes. */

#include "database/turn.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <string.h>
#include <sys/file.h>
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

/* The folder of a table's file, or the database's; NULL: there is none. For rdx_free(). */
static rdx_status find_folder(rdx_database *d, const rdx_sql_statement *written, char **out, rdx_error *err) {
  rdx_catalog_table *table = NULL;
  char nearest[64];
  *out = NULL;
  if (written->name && rdx_catalog_find(d->catalog, written->name, &table, nearest, NULL) != RDX_OK)
    table = NULL; /* the statement will say so */
  const char *path = table && table->path ? table->path : NULL, *from = path ? path : d->folder;
  const rdx_status status = from ? rdx_copy_text(from, "a path", out, err) : RDX_OK;
  if (*out) {
    const char *folder = path ? dirname(*out) : *out;
    memmove(*out, folder, strlen(folder) + 1);
  }
  rdx_catalog_release(d->catalog, table);
  return status;
}

static rdx_status pause_and_ask(rdx_error *err) {
  const struct timespec pause = {.tv_nsec = PAUSE_NS};
  nanosleep(&pause, NULL);
  return rdx_progress_at_times("waiting for another change", 0, 0, err);
}

static rdx_status lock_folder(const char *path, int *out, rdx_error *err) {
  rdx_status status = RDX_OK;
  *out = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  while (*out >= 0 && status == RDX_OK && flock(*out, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK || errno == EINTR) {
      status = pause_and_ask(err);
      continue;
    }
    close(*out);
    *out = -1;
  }
  if (status != RDX_OK && *out >= 0)
    close(*out);
  return status;
}

rdx_status rdx_turn_take(rdx_database *d, const rdx_prepared *p, rdx_turn *out, rdx_error *err) {
  char *path = NULL;
  *out = (rdx_turn){.folder = -1};
  while (pthread_mutex_trylock(&d->changing) != 0)
    RDX_TRY(pause_and_ask(err));
  rdx_status status = d->read_only ? RDX_OK : find_folder(d, p->runs, &path, err);
  if (status == RDX_OK && path)
    status = lock_folder(path, &out->folder, err);
  rdx_free(path);
  if (status == RDX_OK)
    out->database = d;
  else
    pthread_mutex_unlock(&d->changing);
  return status;
}

void rdx_turn_give(rdx_turn *turn) {
  if (!turn->database)
    return;
  if (turn->folder >= 0)
    close(turn->folder); /* which unlocks it */
  pthread_mutex_unlock(&turn->database->changing);
  *turn = (rdx_turn){.folder = -1};
}

bool rdx_turn_try(const rdx_database *d, int *folder) {
  *folder = open(d->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool taken = *folder >= 0 && flock(*folder, LOCK_EX | LOCK_NB) == 0;
  if (!taken && *folder >= 0)
    close(*folder);
  return taken;
}
