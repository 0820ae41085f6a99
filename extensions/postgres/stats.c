/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors
 *
 * What was pushed down, counted for all sessions of a server. The counters are a file that backends map: an extension
 * that no setting loads at the server's start has no shared memory in PostgreSQL 15. */
#include "raydex_fdw.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include <fmgr.h>
#include <funcapi.h>
#include <miscadmin.h>
#include <pgstat.h>
#include <utils/builtins.h>

PG_FUNCTION_INFO_V1(raydex_stats);
PG_FUNCTION_INFO_V1(raydex_stats_reset);

/* Relative to the folder of the server's data, in which every backend is. Base backups leave it out. */
#define STATS_FILE PG_STAT_TMP_DIR "/raydex_fdw.counters"
#define STATS_MAGIC UINT64CONST(0x3153544154535852)
#define SLOT_COUNT 1024

enum { SLOT_FREE, SLOT_BEING_MADE, SLOT_USED };

/* The counters of a method on a device in a database; times are microseconds. Two backends may make two slots of the
 * same: who reads adds them up. */
typedef struct Slot {
  uint32 state;
  Oid database;
  char method[40], device[40];
  uint64 statements, rows, rays, planning, execution;
} Slot;

typedef struct Counters {
  uint64 magic;
  Slot slots[SLOT_COUNT];
} Counters;

static Counters *counters;

/* One backend at a time makes the file, or makes it anew where it is none. */
static bool prepare_file(int file) {
  uint64 magic = 0;
  if (flock(file, LOCK_EX) != 0)
    return false;
  if (lseek(file, 0, SEEK_END) == (off_t)sizeof(Counters) && pread(file, &magic, sizeof magic, 0) == sizeof magic &&
      magic == STATS_MAGIC)
    return true;
  magic = STATS_MAGIC;
  return ftruncate(file, 0) == 0 && posix_fallocate(file, 0, sizeof(Counters)) == 0 &&
         pwrite(file, &magic, sizeof magic, 0) == sizeof magic;
}

/* NULL where there is no place for it: queries are answered, and not counted. */
static Counters *map_counters(void) {
  if (counters)
    return counters;
  const int file = open(STATS_FILE, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  void *map = MAP_FAILED;
  if (file >= 0 && prepare_file(file))
    map = mmap(NULL, sizeof(Counters), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (file >= 0) {
    flock(file, LOCK_UN); /* a map keeps a file's locks beyond its descriptor */
    close(file);
  }
  counters = map == MAP_FAILED ? NULL : map;
  return counters;
}

static bool is_of(Slot *slot, const char *method, const char *device) {
  return __atomic_load_n(&slot->state, __ATOMIC_ACQUIRE) == SLOT_USED && slot->database == MyDatabaseId &&
         strcmp(slot->method, method) == 0 && strcmp(slot->device, device) == 0;
}

static bool make_slot(Slot *slot, const char *method, const char *device) {
  uint32 expected = SLOT_FREE;
  if (!__atomic_compare_exchange_n(&slot->state, &expected, SLOT_BEING_MADE, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
    return false;
  slot->database = MyDatabaseId;
  strlcpy(slot->method, method, sizeof slot->method);
  strlcpy(slot->device, device, sizeof slot->device);
  __atomic_store_n(&slot->state, SLOT_USED, __ATOMIC_RELEASE);
  return true;
}

static Slot *find_slot(Counters *c, const char *method, const char *device) {
  for (int i = 0; i < SLOT_COUNT; i++) {
    if (is_of(&c->slots[i], method, device) || make_slot(&c->slots[i], method, device))
      return &c->slots[i];
  }
  return NULL;
}

static void add(uint64 *counter, uint64 value) {
  __atomic_fetch_add(counter, value, __ATOMIC_RELAXED);
}

void raydex_count(const char *device, const rdx_answer_stats *stats) {
  char method[sizeof((Slot *)0)->method], name[sizeof((Slot *)0)->device];
  Counters *c = map_counters();
  strlcpy(method, stats->method && *stats->method ? stats->method : "none", sizeof method);
  strlcpy(name, device, sizeof name);
  Slot *slot = c ? find_slot(c, method, name) : NULL;
  if (!slot)
    return;
  add(&slot->statements, 1);
  add(&slot->rows, stats->rows);
  add(&slot->rays, stats->rays);
  add(&slot->planning, (uint64)(stats->plan_ms * 1000));
  add(&slot->execution, (uint64)(stats->execute_ms * 1000));
}

/* ---- Functions ---- */

Datum raydex_stats(PG_FUNCTION_ARGS) {
  Counters *c = map_counters();
  InitMaterializedSRF(fcinfo, 0);
  const ReturnSetInfo *result = (ReturnSetInfo *)fcinfo->resultinfo;
  for (int i = 0; c && i < SLOT_COUNT; i++) {
    Slot *s = &c->slots[i];
    if (__atomic_load_n(&s->state, __ATOMIC_ACQUIRE) != SLOT_USED || s->database != MyDatabaseId || s->statements == 0)
      continue;
    Datum values[] = {CStringGetTextDatum(s->method),
                      CStringGetTextDatum(s->device),
                      Int64GetDatum((int64)s->statements),
                      Int64GetDatum((int64)s->rows),
                      Int64GetDatum((int64)s->rays),
                      Float8GetDatum((double)s->planning / 1000),
                      Float8GetDatum((double)s->execution / 1000)};
    bool nulls[lengthof(values)] = {false};
    tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
  }
  return (Datum)0;
}

Datum raydex_stats_reset(PG_FUNCTION_ARGS) {
  Counters *c = map_counters();
  for (int i = 0; c && i < SLOT_COUNT; i++) {
    Slot *s = &c->slots[i];
    if (__atomic_load_n(&s->state, __ATOMIC_ACQUIRE) != SLOT_USED || s->database != MyDatabaseId)
      continue;
    uint64 *counted[] = {&s->statements, &s->rows, &s->rays, &s->planning, &s->execution};
    for (size_t k = 0; k < lengthof(counted); k++)
      __atomic_store_n(counted[k], 0, __ATOMIC_RELAXED);
  }
  PG_RETURN_VOID();
}
