/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors
 *
 * ANALYZE: rows of a table file, each with the same chance. */
#include "raydex_fdw.h"

#include <access/htup_details.h>
#include <common/pg_prng.h>
#include <foreign/fdwapi.h>
#include <miscadmin.h>
#include <utils/memutils.h>
#include <utils/rel.h>

/* A table file whose columns are opened, in the order of the attributes; NULL: one that was dropped. */
typedef struct Source {
  rdx_table *opened;
  const rdx_column **columns;
} Source;

static void open_source(Relation relation, const RaydexTable *t, Source *source) {
  const TupleDesc row = RelationGetDescr(relation);
  const char **names = palloc0(sizeof *names * (size_t)(row->natts + 1));
  uint32 count = 0;
  rdx_error error;
  sigset_t old;
  for (int i = 0; i < row->natts; i++) {
    if (!TupleDescAttr(row, i)->attisdropped)
      names[count++] = t->names[raydex_column_place(t, RelationGetRelid(relation), (AttrNumber)(i + 1))];
  }
  raydex_device();
  raydex_block_signals(&old);
  const rdx_status status = rdx_table_open_columns(t->path, names, count, &source->opened, &error);
  raydex_unblock_signals(&old);
  raydex_check(status, &error, NULL);
  source->columns = palloc0(sizeof *source->columns * (size_t)(row->natts + 1));
  count = 0;
  for (int i = 0; i < row->natts; i++) {
    if (!TupleDescAttr(row, i)->attisdropped)
      source->columns[i] = rdx_table_column(source->opened, count++);
  }
}

static HeapTuple make_row(TupleDesc row, const Source *source, uint64 number) {
  Datum *values = palloc0(sizeof *values * (size_t)(row->natts + 1));
  bool *nulls = palloc(sizeof *nulls * (size_t)(row->natts + 1));
  for (int i = 0; i < row->natts; i++) {
    const rdx_column *column = source->columns[i];
    nulls[i] = !column || raydex_is_null(column, number);
    if (!nulls[i])
      values[i] = raydex_datum(column, number, TupleDescAttr(row, i)->atttypid);
  }
  return heap_form_tuple(row, values, nulls);
}

/* Knuth, The Art of Computer Programming, volume 2, algorithm 3.4.2 S: a row is taken by the chance that is left. */
static int sample(TupleDesc row, const Source *source, HeapTuple *rows, int wanted) {
  const uint64 total = rdx_table_rows(source->opened);
  MemoryContext result = CurrentMemoryContext;
  MemoryContext values = AllocSetContextCreate(result, "raydex sample", ALLOCSET_DEFAULT_SIZES);
  int taken = 0;
  for (uint64 i = 0; i < total && taken < wanted; i++) {
    if (pg_prng_double(&pg_global_prng_state) * (double)(total - i) >= wanted - taken)
      continue;
    CHECK_FOR_INTERRUPTS();
    MemoryContextSwitchTo(values);
    HeapTuple tuple = make_row(row, source, i);
    MemoryContextSwitchTo(result);
    rows[taken++] = heap_copytuple(tuple);
    MemoryContextReset(values);
  }
  MemoryContextDelete(values);
  return taken;
}

static int acquire_rows(Relation relation, int level, HeapTuple *rows, int wanted, double *live, double *dead) {
  const RaydexTable *t = raydex_table_of(RelationGetRelid(relation));
  Source source = {0};
  volatile int taken = 0;
  (void)level;
  open_source(relation, t, &source);
  PG_TRY();
  {
    taken = sample(RelationGetDescr(relation), &source, rows, wanted);
    *live = (double)rdx_table_rows(source.opened);
    *dead = 0;
  }
  PG_FINALLY();
  { rdx_table_destroy(&source.opened); }
  PG_END_TRY();
  return taken;
}

bool raydex_analyze(Relation relation, AcquireSampleRowsFunc *acquire, BlockNumber *pages) {
  const RaydexTable *t = raydex_table_of(RelationGetRelid(relation));
  if (!t->path)
    return false;
  *acquire = acquire_rows;
  *pages = (BlockNumber)Max(1, t->size / BLCKSZ);
  return true;
}
