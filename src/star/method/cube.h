/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_STAR_CUBE_H
#define RDX_STAR_CUBE_H

/* What all cubes share: rows as places of scan tuples and of group tuples with measures, and queries as ranges of scan
 * places whose rows are added up by group (RTCUDB, section 4). A kind of cube decides in which order rows lie and how
 * those of a range are found. */

#include <pthread.h>

#include "scan/scan.h"
#include "star/star.h"
#include "star/tuples.h"
#include "kernels/star/kernels.h"

typedef struct rdx_cube_measure {
  uint64_t span;      /* codes are values less the measure's least: 0 .. span */
  uint64_t null_code; /* where it has NULLs: span + 1, or a code that does not occur */
  uint64_t largest;   /* code, that of NULL included */
  uint32_t bytes;     /* of a code: 1, 2, 4 or 8 */
  rdx_buffer *codes;
} rdx_cube_measure;

/* What a query needs and hands on to the next: accumulators that are all 0, and arrays on the host. */
typedef struct rdx_cube_run {
  rdx_star_call *call;
  rdx_stream *stream;
  rdx_buffer *counters; /* of hits and rows (u64 each); NULL: they are not wanted */
  rdx_buffer *bits;     /* the rows that the filter of the cube lets through; NULL: all */
  rdx_buffer *sums, *touched, *marks, *found;
  uint64_t expected;    /* bytes of the last result */
  rdx_ranges ranges;    /* of scan places */
  uint32_t *rows;       /* what a kind makes of them: room for row_capacity words */
  rdx_buffer *hit_list; /* a kind's own */
  uint64_t row_capacity;
  uint64_t *records;
  uint64_t record_capacity; /* words */
  uint64_t *host_sums;      /* accumulators of runs that the host adds up, 0 at rest */
  uint64_t host_words;
  star_query query;
  uint64_t query_address;
} rdx_cube_run;

#define RDX_CUBE_SPARES 8

typedef struct rdx_cube_core {
  const rdx_packed_relation *relation;
  rdx_device *device;
  uint64_t rows;
  rdx_tuples scan, groups;
  rdx_plan plan; /* of the spec's expressions: its measures are the cube's */
  rdx_cube_measure *measures;
  uint32_t group_bytes; /* 0: there is one group */
  rdx_buffer *group_codes;
  rdx_scan *filter;     /* rt_filter.h; NULL: none */
  pthread_mutex_t lock; /* guards the rest */
  rdx_cube_run *spares[RDX_CUBE_SPARES];
  uint32_t spare_count;
} rdx_cube_core;

/* While a cube is built: rows that have all foreign rows, in the relation's order; and the order in which the cube has
 * them, at first that of scan tuples, and for the same tuple of groups, which the kind may rearrange. */
typedef struct rdx_cube_rows {
  rdx_buffer *joined; /* NULL: all */
  rdx_buffer *order;  /* numbers of joined rows */
  rdx_buffer *group;  /* place of each joined row's group, u32 */
} rdx_cube_rows;

RDX_MUST_USE rdx_status rdx_cube_begin(const rdx_packed_relation *relation, const rdx_cube_spec *spec,
                                       rdx_cube_core *out, rdx_cube_rows *rows, rdx_error *err);
/* The same without scan tuples: star->scan is empty, and rows are in the relation's order, rows->order being NULL. */
RDX_MUST_USE rdx_status rdx_star_begin_unordered(const rdx_packed_relation *relation, const rdx_cube_spec *spec,
                                                 rdx_cube_core *out, rdx_cube_rows *rows, rdx_error *err);
/* Store measures in the final order. */
RDX_MUST_USE rdx_status rdx_star_store_measures(rdx_cube_core *core, const rdx_cube_rows *rows, rdx_error *err);
/* Store groups and measures in the final order. */
RDX_MUST_USE rdx_status rdx_cube_store(rdx_cube_core *core, const rdx_cube_rows *rows, rdx_error *err);
void rdx_cube_rows_drop(rdx_cube_rows *rows);
void rdx_cube_destroy(rdx_cube_core *core);

/* The scan place of each row in the order of scan tuples, u32. */
RDX_MUST_USE rdx_status rdx_cube_places(const rdx_cube_core *core, rdx_buffer **out, rdx_error *err);

/* A column to be packed: what steps give for rows. */
typedef struct rdx_cube_column {
  const star_step *steps;
  uint32_t step_count;
  uint32_t bytes;
  const rdx_buffer *order; /* NULL: rows as they are */
  uint64_t rows;
  uint64_t base, null_code; /* values are packed less `base` */
} rdx_cube_column;

/* A column of a step, without NULLs. */
static inline rdx_cube_column rdx_cube_column_of(const star_step *step, const rdx_buffer *order, uint64_t rows,
                                                 uint32_t bytes) {
  return (rdx_cube_column){
      .steps = step, .step_count = 1, .bytes = bytes, .order = order, .rows = rows, .null_code = UINT64_MAX};
}

RDX_MUST_USE rdx_status rdx_cube_pack(rdx_device *device, const rdx_cube_column *column, rdx_buffer **out,
                                      rdx_error *err);
/* The step that loads an attribute's code of each joined row, that of NULL as it is. What is gathered for it goes to
 * `*codes`, which the caller drops. */
RDX_MUST_USE rdx_status rdx_star_attribute(const rdx_cube_core *core, const rdx_encoded_column *attribute,
                                           rdx_buffer *joined, star_step *out, rdx_buffer **codes, rdx_error *err);
/* The step that loads packed numbers, for results that are UINT64_MAX where numbers are (which stands for NULL). */
star_step rdx_cube_load(const rdx_buffer *numbers, uint32_t bytes);

/* What a cube holds so far: of host memory, its tuples; in all. */
uint64_t rdx_cube_host_bytes(const rdx_cube_core *core);
uint64_t rdx_cube_bytes(const rdx_cube_core *core);

/* Estimates of how many ranges and rows a plan's query reads. */
void rdx_cube_estimate(const rdx_cube_core *core, const rdx_plan *plan, double *ranges, double *rows);
/* The searches for so many ranges. */
rdx_work rdx_cube_searches(const rdx_cube_core *core, double ranges);

/* Answer a query of a cube, which begins with its core, by what its kind does with a run. */
RDX_MUST_USE rdx_status rdx_cube_answer(const void *cube,
                                        rdx_status (*answer)(const void *cube, rdx_cube_run *run, rdx_error *err),
                                        rdx_star_call *call, rdx_error *err);

/* Find the plan's ranges of scan places: run->ranges. */
RDX_MUST_USE rdx_status rdx_cube_select(const rdx_cube_core *core, rdx_cube_run *run, rdx_error *err);
/* An rdx_star_ops.tuples of what begins with an rdx_cube_core. */
uint64_t rdx_cube_tuples(const void *self);
/* How many rows ranges of places have. */
uint64_t rdx_cube_rows_of(const rdx_cube_core *core, const rdx_ranges *ranges);
/* Room for `words` in run->rows. */
RDX_MUST_USE rdx_status rdx_cube_reserve(rdx_cube_run *run, uint64_t words, rdx_error *err);

/* How many copies of accumulators `work` (rows) is worth: on the CPU the parts it is done in. */
uint32_t rdx_cube_copies(const rdx_cube_core *core, const rdx_plan *plan, uint64_t work);

/* Prepare accumulators and begin to record: what follows may use run->query_address. */
RDX_MUST_USE rdx_status rdx_cube_start(const rdx_cube_core *core, uint32_t copies, rdx_cube_run *run, rdx_error *err);
/* Run what is recorded and bring the groups found. */
RDX_MUST_USE rdx_status rdx_cube_finish(const rdx_cube_core *core, rdx_cube_run *run, rdx_error *err);

/* The same for accumulators that the host has: run->query for a plan, and room for `words` in run->records. */
void rdx_cube_prepare(const rdx_cube_core *core, uint32_t copies, rdx_cube_run *run);
RDX_MUST_USE rdx_status rdx_cube_record_capacity(rdx_cube_run *run, uint64_t words, rdx_error *err);
/* Records, as star_collect_args says, to groups as the plan numbers them. `parts`: a group of the cube has a record for
 * each range of rows of one scan tuple, at most; else one. */
RDX_MUST_USE rdx_status rdx_cube_read(const rdx_cube_core *core, const rdx_cube_run *run, const uint64_t *records,
                                      bool parts, rdx_error *err);

/* Bytes of the groups and measures of a row that a query reads. */
uint64_t rdx_cube_row_bytes(const rdx_cube_run *run);
/* Where counts are wanted: add the rays through a scene, what they counted, and the bytes that scene and rows take. */
RDX_MUST_USE rdx_status rdx_cube_count(const rdx_cube_run *run, const rdx_scene *scene, uint64_t rays, rdx_error *err);

/* The cube's measure that is a plan's. */
uint32_t rdx_cube_measure_of(const rdx_cube_core *core, const rdx_measure *measure);

#endif
