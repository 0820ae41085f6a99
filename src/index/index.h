/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_INDEX_INDEX_H
#define RDX_INDEX_INDEX_H

/* What an index is to the rest of this folder: index.c (life, and the table of methods) and lookup.c (queries) work on
 * any rdx_index_ops; each index is one file that provides them. */

#include <raydex/index.h>

#include "device/device.h"
#include "column/device_column.h"
#include "kernels/lookup/lookup.h"

/* The keys of an index on its device, NULLs removed: key i belongs to row rows[i] (rows NULL: to row i). */
typedef struct rdx_key_set {
  rdx_device *device;
  rdx_type type;
  uint32_t key_bits; /* 32 or 64 */
  uint64_t count;    /* below 2^32 - 1 */
  rdx_buffer *keys;  /* build() may keep a reference, and may write to both if it is their only user */
  rdx_buffer *rows;
} rdx_key_set;

/* Of a column; on failure nothing is left to destroy. */
RDX_MUST_USE rdx_status rdx_key_set_create(rdx_device *device, const rdx_device_column *column, rdx_key_set *out,
                                           rdx_error *err);
void rdx_key_set_destroy(rdx_key_set *set);

typedef struct rdx_included rdx_included;   /* index/range_gather.h */
typedef struct rdx_composite rdx_composite; /* column/composite.h */

/* One pass over probes: addresses for the LOOKUP_FIELDS of kernels/lookup/lookup.h. */
typedef struct rdx_index_query {
  uint64_t count;
  uint32_t gather, value; /* GATHER_..., VALUE_... */
  uint32_t *lower, *upper, *valid;
  uint64_t matches; /* of all; 0: not known */
  found_io io;
  const rdx_included *included; /* instead of its values, of ranges among sorted entries */
} rdx_index_query;

/* The LOOKUP_FIELDS of a kernel's args, as designated initializers. */
#define RDX_LOOKUP_FIELDS(q) .lower = (q)->lower, .upper = (q)->upper, .valid = (q)->valid, .io = (q)->io

/* Where the rows of sorted entries stand: see ROW_LAYOUT in kernels/range_gather/range_gather.h. */
typedef struct rdx_row_layout {
  const rdx_buffer *words;
  uint32_t block_words, first_word, step;
} rdx_row_layout;

typedef struct rdx_changes rdx_changes; /* index/changes.h */

/* A range of keys, both ends included, and a bitmap of rows. */
typedef struct rdx_index_range_scan {
  uint64_t low, high;
  uint32_t walkers; /* that share the range; 0: as many as suit the device */
  rdx_buffer *bits;
} rdx_index_range_scan;

typedef struct rdx_index_ops {
  const char *name;
  /* Device bytes held at the peak of a build, the key set not counted. */
  uint64_t (*estimate)(const rdx_device *device, const rdx_index_params *params, uint64_t count, uint32_t key_bits);
  size_t size; /* of an index, which is all zero before it is built */
  /* Build, and fill in the stats that only the index knows. */
  rdx_status (*build)(void *self, const rdx_key_set *keys, const rdx_index_params *params, rdx_index_stats *stats,
                      rdx_error *err);
  rdx_status (*query)(const void *self, rdx_stream *stream, const rdx_index_query *query, rdx_error *err);
  /* For an index in partitions: its probes come as mixed keys (kernels/hash/hash.h) in the order of so many of their
   * low bits; 0: in any order. NULL: probes come as keys in any order. */
  uint32_t (*radix_bits)(const void *self);
  /* For an index over sorted entries. Its query() answers ranges by spans alone, whatever is to be gathered: the first
   * entry to out_first, their number to out_count, where these are not NULL. NULL: query() gathers ranges, too. */
  rdx_row_layout (*rows)(const void *self);
  /* Whether query() gathers ranges all the same, as what is built as published does. NULL: not where rows() is. */
  bool (*gathers_ranges)(const void *self);
  /* Record to set the bits of the rows whose keys lie in a range. NULL: cannot. */
  rdx_status (*scan)(const void *self, rdx_stream *stream, const rdx_index_range_scan *scan, rdx_error *err);
  /* The rays of each probe to out_count. NULL: the index casts none, and its device need not trace any. */
  rdx_status (*count_rays)(const void *self, rdx_stream *stream, const rdx_index_query *query, rdx_error *err);
  /* The nodes or buckets that each probe looks into, to out_count. NULL: the index has none. */
  rdx_status (*count_visits)(const void *self, rdx_stream *stream, const rdx_index_query *query, rdx_error *err);
  /* The same where all probes look into as many. NULL: use count_visits. */
  uint32_t (*visits_each)(const void *self, bool range);
  /* Move to the keys of a column with the same NULLs as the one built from. NULL: cannot. */
  rdx_status (*refit)(void *self, const rdx_device_column *keys, rdx_index_stats *stats, rdx_error *err);
  /* Insert and remove keys. On failure the index holds what it held. Sets keys, distinct (false when unknown),
   * bytes_resident and encode_ms of the stats; `rows` is set already. NULL: cannot. */
  rdx_status (*apply)(void *self, const rdx_changes *changes, rdx_index_stats *stats, rdx_error *err);
  /* Build anew from the keys that it holds; they keep their rows. On failure the index holds what it held. Sets what
   * build() sets of the stats. NULL: changes in place leave nothing that this would better. */
  rdx_status (*rebuild)(void *self, rdx_index_stats *stats, rdx_error *err);
  /* NULL where the index can answer; else why a query of this shape is refused. */
  const char *(*refuse)(const void *self, bool range, bool idempotent);
  void (*destroy)(void *self); /* also what is built in part; its memory is the caller's */
  /* GATHER_ROWS gives the rows of an equal key in ascending order: anywhere, or on CPUs */
  bool rows_in_order, rows_in_order_on_cpu;
  bool points_only;   /* keeps no order of keys: ranges are refused */
  bool counts_runs;   /* GATHER_COUNT takes no longer where a key has many rows */
  bool counts_ranges; /* nor where a range has many: long ones are cut by it (range_split.c). For what has no rows() */
  /* For an index in the order of keys: from how many bytes on CPUs look up large batches of points by partitions of
   * their keys (index/partition.h); 0: never. */
  uint64_t partition_bytes;
} rdx_index_ops;

extern const rdx_index_ops rdx_btree_ops; /* scans by trees use it, too */

struct rdx_index {
  rdx_device *device;
  const rdx_index_ops *ops;
  void *self;
  rdx_index_params params;
  rdx_index_stats stats;
  uint8_t key_scale;
  uint32_t *validity;      /* host copy of the keys' NULL bits, for refits; NULL: no NULLs, or not updatable */
  rdx_device_column *text; /* string keys that are prefixes: the host copy for exact comparison */
  struct rdx_dictionary *dictionary; /* of string keys that are its codes (u32 to the index proper); NULL: prefixes */
  rdx_included *included;            /* NULL: nothing */
  rdx_composite *composite;          /* of keys of several columns; else NULL */
};

/* Refuse what is for indexes over one column, which `what` names. */
RDX_MUST_USE rdx_status rdx_index_check_single(const rdx_index *index, const char *what, rdx_error *err);

/* Whether it answers ranges by rdx_index_ops.rows. */
bool rdx_index_has_rows(const rdx_index *index);

/* The type of the keys as they were given. */
static inline rdx_type rdx_index_key_type(const rdx_index *index) {
  return index->dictionary ? RDX_TYPE_STRING : index->stats.key_type;
}

/* Rows of a lookup in parts, as rdx_rows_fn gets them, for who may fail. */
typedef struct rdx_rows_sink {
  rdx_status (*take)(void *context, uint64_t first, const rdx_lookup_view *part, rdx_error *err);
  void *context;
} rdx_rows_sink;

/* What a lookup is for; all zero: its results, probe by probe. */
typedef struct rdx_lookup_options {
  bool unordered;      /* counts, and sums of integers, in whatever order of probes is cheapest: for who adds them up */
  bool any;            /* COUNT of points: any number of the matches will do, but 0 where there are none */
  uint32_t *marks;     /* ROWS: only set the bit of each row that some probe matches, of as many as the index has */
  rdx_rows_sink sink;  /* ROWS: `take` not NULL: gets them instead of the result */
  const char *advice;  /* ROWS: what to do where there is no memory for them; NULL: what callers of lookups may */
  uint64_t bytes_more; /* ROWS: host memory that the caller takes for each, beside the four bytes of the result */
  uint64_t max_rows;   /* ROWS: more are refused as if there were no memory for them; 0: as many as there are */
} rdx_lookup_options;

/* As rdx_index_lookup() and rdx_index_range() (`upper` NULL: points). */
RDX_MUST_USE rdx_status rdx_index_look_up_for(const rdx_index *index, const rdx_column *lower, const rdx_column *upper,
                                              const rdx_lookup_params *params, const rdx_lookup_options *options,
                                              rdx_lookup_result **out, rdx_error *err);

/* Refuse options of other methods; the method is known. */
RDX_MUST_USE rdx_status rdx_index_check_options(const rdx_index_params *params, rdx_error *err);

/* Refuse what a scene on this device has not: compaction on CPUs. */
RDX_MUST_USE rdx_status rdx_check_compaction(const char *method, const rdx_device *device, rdx_switch compaction,
                                             rdx_error *err);

/* Refuse what a processor of this device does not do: CPUs have no invocations that work together. */
RDX_MUST_USE rdx_status rdx_check_lanes(const char *method, const rdx_device *device, uint32_t lanes, rdx_error *err);

/* How many rows a part of a lookup's or a join's answer has at most, unless one probe alone has more, where `bytes` of
 * memory are needed for each. */
uint64_t rdx_part_rows(const rdx_device *device, uint64_t bytes);

/* Of counts: their sum, and how many are not 0. */
RDX_MUST_USE rdx_status rdx_lookup_result_totals(rdx_lookup_result *result, uint64_t *pairs, uint64_t *matched,
                                                 rdx_error *err);

/* Exact answers for string keys that their prefix does not decide (strings.c): narrow `rows` (per `offsets`, from
 * lookups by prefix) to those whose string equals probe begin + i, or lies between the bounds. Rewrites both arrays
 * in place. */
void rdx_strings_refine(const rdx_device_column *keys, const rdx_column *lower, const rdx_column *upper, uint64_t begin,
                        uint64_t count, uint64_t *offsets, uint32_t *rows);

#endif
