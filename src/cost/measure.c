/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Calibration: the library's own operations at two or three sizes each, the best of a few runs, and lines through
 * these times. */

#include <raydex/database.h>
#include <raydex/star.h>
#include <raydex/index.h>
#include <raydex/join.h>
#include <raydex/scan.h>
#include <raydex/table.h>

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cost/cost.h"
#include "device/device.h"

#define WHAT "a calibration"
#define MIN_RUNS 3
#define MAX_RUNS 40
#define MAX_RUNS_GPU 6
#define AT_WORK_MS 4.0 /* before each run: the longer, the deeper the host's other threads sleep */
#define ENOUGH_MS 6    /* of runs of one operation, */
#define LONG_MS 60     /* and of one that is not repeated */
#define POINTS 3

/* Numbers that all measurements read. */
typedef struct measuring {
  rdx_device *device;
  rdx_calibration *out;
  uint32_t shift;                        /* of sizes: emulated devices get a fraction of the work */
  uint32_t *mixed;                       /* NUMBERS without order */
  uint32_t *ordered;                     /* 0, 1, 2 ... */
  double reject_few;                     /* what few rows take of which a condition says that they do not qualify */
  double regular[RDX_CALIBRATION_SIZES]; /* as rdx_calibration.range, where all searches go alike */
} measuring;

#define NUMBERS (1u << 22)
#define ROWS (1u << 19) /* of most operations */

/* An operation that is timed: `*ms` is preset to 0, and to be set where not all of the call counts. */
typedef rdx_status (*operation)(void *context, double *ms, rdx_error *err);

static bool is_gpu(const rdx_device *device) {
  return device->info.backend != RDX_BACKEND_CPU && !device->info.emulated;
}

/* A GPU that waits takes several times as long for all it does: rates are of one at work, while the host's other
 * threads sleep. */
static rdx_status keep_at_work(rdx_device *device, rdx_error *err) {
  if (!is_gpu(device))
    return RDX_OK;
  for (const double start = rdx_now_ms(); rdx_now_ms() - start < AT_WORK_MS;) {
    RDX_SCOPED(rdx_stream_destroy) rdx_stream *stream = NULL;
    rdx_buffer *keys = NULL, *values = NULL;
    RDX_TRY(rdx_stream_create(device, &stream, err));
    RDX_TRY(rdx_stream_scratch(stream, ROWS * sizeof(uint32_t), WHAT, &keys, err));
    RDX_TRY(rdx_stream_scratch(stream, ROWS * sizeof(uint32_t), WHAT, &values, err));
    RDX_TRY(rdx_stream_sort(stream, keys, 4, 32, values, ROWS, err));
    RDX_TRY(rdx_stream_finish(stream, err));
  }
  return RDX_OK;
}

/* The best of many short runs: what else a machine does meanwhile counts least then. */
static rdx_status time_best(rdx_device *device, operation run, void *context, double *out, rdx_error *err) {
  const uint32_t max = is_gpu(device) ? MAX_RUNS_GPU : MAX_RUNS;
  double sum = 0;
  for (uint32_t i = 0; i < max && (i <= MIN_RUNS || sum < ENOUGH_MS); i++) {
    double ms = 0;
    RDX_TRY(keep_at_work(device, err));
    const double start = rdx_now_ms();
    RDX_TRY(run(context, &ms, err));
    const double took = ms > 0 ? ms : rdx_now_ms() - start;
    *out = i <= 1 || took < *out ? took : *out; /* the first one makes pipelines: it does not count */
    sum += i == 0 ? 0 : took;
    if (i > 0 && took > LONG_MS)
      break;
  }
  return RDX_OK;
}

static rdx_column column_u32(const uint32_t *values, uint64_t rows) {
  return (rdx_column){.type = RDX_TYPE_U32, .rows = rows, .values = values};
}

/* `count` numbers below `values`, for rdx_free(). */
static rdx_status make_numbers(const measuring *m, uint64_t count, uint32_t values, uint32_t **out, rdx_error *err) {
  RDX_TRY(rdx_alloc(count, sizeof **out, WHAT, (void **)out, err));
  for (uint64_t i = 0; i < count; i++)
    (*out)[i] = (uint32_t)((uint64_t)m->mixed[i & (NUMBERS - 1)] * values >> 32);
  return RDX_OK;
}

/* What of a time is left for each of `count`; none is below nothing. */
static double divide(double ns, double count) {
  return ns > 0 ? ns / count : 0;
}

/* ---- Memory ---- */

static rdx_status upload_once(void *context, RDX_UNUSED double *ms, rdx_error *err) {
  rdx_buffer *buffer = ((void **)context)[0];
  return rdx_buffer_upload(buffer, 0, ((void **)context)[1], buffer->size, err);
}

static rdx_status measure_memory(measuring *m, rdx_error *err) {
  const uint64_t bytes = (64u << 20) >> m->shift, sent = (4u << 20) >> m->shift;
  rdx_device_rates rates;
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *buffer = NULL;
  double ms = 0;
  RDX_TRY(rdx_device_measure_memory(m->device, bytes, &rates, err));
  m->out->read_byte = rates.read > 0 ? 1 / rates.read : 0;
  RDX_TRY(rdx_buffer_create(m->device, sent, WHAT, &buffer, err));
  void *context[] = {buffer, m->mixed};
  RDX_TRY(time_best(m->device, upload_once, context, &ms, err));
  m->out->transfer_byte = 1e6 * ms / (double)sent;
  return RDX_OK;
}

/* ---- Sorting ---- */

typedef struct sorting {
  const measuring *m;
  uint64_t count;
} sorting;

static rdx_status sort_once(void *context, double *ms, rdx_error *err) {
  const measuring *m = ((const sorting *)context)->m;
  const uint64_t count = ((const sorting *)context)->count;
  RDX_SCOPED(rdx_stream_destroy) rdx_stream *stream = NULL;
  rdx_buffer *keys = NULL, *values = NULL;
  RDX_TRY(rdx_stream_create(m->device, &stream, err));
  RDX_TRY(rdx_stream_scratch(stream, count * 4, WHAT, &keys, err));
  RDX_TRY(rdx_stream_scratch(stream, count * 4, WHAT, &values, err));
  RDX_TRY(rdx_buffer_upload(keys, 0, m->mixed, count * 4, err));
  RDX_TRY(rdx_buffer_upload(values, 0, m->ordered, count * 4, err));
  RDX_TRY(rdx_stream_mark(stream, err));
  RDX_TRY(rdx_stream_sort(stream, keys, 4, 32, values, count, err));
  RDX_TRY(rdx_stream_mark(stream, err));
  RDX_TRY(rdx_stream_finish(stream, err));
  *ms = rdx_stream_elapsed(stream, 0, 1);
  return RDX_OK;
}

static rdx_status measure_sort(measuring *m, rdx_error *err) {
  static const uint32_t sizes[] = RDX_CALIBRATION_KEYS;
  for (uint32_t i = 0; i < RDX_CALIBRATION_SIZES; i++) {
    sorting s = {m, sizes[i] >> m->shift};
    double ms = 0;
    RDX_TRY(time_best(m->device, sort_once, &s, &ms, err));
    m->out->sort_key[i] = 1e6 * ms / (double)s.count;
  }
  return RDX_OK;
}

/* ---- Scans ---- */

#define SCAN_VALUES 4096u
#define SCAN_ROWS (1u << 23) /* on GPUs, where waits for the device and its memory hide what fewer rows take */

#define SHARE 3      /* one row of so many is counted, or listed, */
#define SHARE_GPU 32 /* on GPUs fewer: a hundred thousand take longer each than millions do */

typedef struct scanning {
  rdx_scan *scan;
  rdx_scan_result_kind result;
  uint32_t bound;
} scanning;

static uint32_t share_of(const measuring *m) {
  return is_gpu(m->device) ? SHARE_GPU : SHARE;
}

static rdx_status scan_once(void *context, double *ms, rdx_error *err) {
  const scanning *s = context;
  const rdx_scan_run_params params = {.result = s->result};
  const rdx_predicate below = {.kind = RDX_PREDICATE_LT, .values = column_u32(&s->bound, 1)};
  RDX_SCOPED(rdx_scan_result_destroy) rdx_scan_result *result = NULL;
  rdx_scan_view view;
  rdx_scan_run_stats stats;
  RDX_TRY(rdx_scan_run(s->scan, &below, &params, &result, err));
  rdx_scan_result_get_stats(result, &stats);
  *ms = s->result == RDX_SCAN_COUNT ? stats.device_ms : 0;
  return rdx_scan_result_view(result, &view, err);
}

/* Times of a scan: to prepare it, to count rows, to list them. */
typedef struct scan_times {
  double pack[POINTS], count[POINTS], list[POINTS];
} scan_times;

/* Prepare a scan of a column, which the device has where it is none of the host's, and run it. */
static rdx_status time_scan(measuring *m, const uint32_t *values, uint64_t rows, scan_times *out, uint32_t place,
                            rdx_error *err) {
  RDX_SCOPED(rdx_device_column_destroy) rdx_device_column *there = NULL;
  RDX_SCOPED(rdx_scan_destroy) rdx_scan *scan = NULL;
  rdx_column column = column_u32(values, rows);
  if (m->device->info.backend != RDX_BACKEND_CPU) {
    RDX_TRY(rdx_device_column_create(m->device, &column, &there, err));
    column = rdx_device_column_view(there);
  }
  rdx_scan_stats stats;
  for (uint32_t i = 0; i < 3; i++) {
    rdx_scan_destroy(&scan);
    RDX_TRY(rdx_scan_create(m->device, &column, 1, NULL, &scan, err));
    rdx_scan_get_stats(scan, &stats);
    out->pack[place] = i == 0 || stats.total_ms < out->pack[place] ? stats.total_ms : out->pack[place];
  }
  const uint32_t bound = SCAN_VALUES / share_of(m);
  RDX_TRY(time_best(m->device, scan_once, &(scanning){scan, RDX_SCAN_COUNT, bound}, &out->count[place], err));
  return time_best(m->device, scan_once, &(scanning){scan, RDX_SCAN_ROWS, bound}, &out->list[place], err);
}

static rdx_status measure_scan(measuring *m, rdx_error *err) {
  const rdx_device_info *info = &m->device->info;
  const uint64_t max = info->backend == RDX_BACKEND_CPU || info->emulated ? ROWS >> m->shift : SCAN_ROWS;
  const uint64_t sizes[POINTS] = {1u << 14, max / 4, max};
  double rows[POINTS], fixed = 0, list = 0;
  RDX_SCOPED(rdx_free_local) uint32_t *values = NULL;
  scan_times t;
  RDX_TRY(make_numbers(m, max, SCAN_VALUES, &values, err));
  for (uint32_t i = 0; i < POINTS; i++) {
    rows[i] = (double)sizes[i];
    RDX_TRY(time_scan(m, values, sizes[i], &t, i, err));
  }
  rdx_fit_line(rows, t.count, POINTS, &fixed, &m->out->scan_code);
  rdx_fit_line(rows, t.pack, POINTS, &fixed, &m->out->pack_value);
  rdx_fit_line(rows, t.list, POINTS, &fixed, &list);
  m->out->list = 1e6 * fixed;
  m->out->found_row = list > m->out->scan_code ? 1e6 * share_of(m) * (list - m->out->scan_code) : 0;
  m->out->scan_code *= 1e6;
  m->out->pack_value *= 1e6;
  return RDX_OK;
}

/* ---- Lookups ---- */

#define LOOKUP_VALUES (ROWS / 4) /* of keys: each has a few rows */

static rdx_status look_up_once(void *context, RDX_UNUSED double *ms, rdx_error *err) {
  static const uint32_t key = LOOKUP_VALUES / 2;
  static const rdx_lookup_params params = {.result = RDX_LOOKUP_ROWS};
  const rdx_column keys = column_u32(&key, 1);
  RDX_SCOPED(rdx_lookup_result_destroy) rdx_lookup_result *result = NULL;
  rdx_lookup_view view;
  RDX_TRY(rdx_index_lookup(context, &keys, &params, &result, err));
  return rdx_lookup_result_view(result, &view, err);
}

static rdx_status measure_lookup(measuring *m, rdx_error *err) {
  static const rdx_index_params params = {.method = RDX_INDEX_TREE};
  RDX_SCOPED(rdx_free_local) uint32_t *numbers = NULL;
  RDX_SCOPED(rdx_index_destroy) rdx_index *index = NULL;
  double ms = 0;
  RDX_TRY(make_numbers(m, ROWS, LOOKUP_VALUES, &numbers, err));
  const rdx_column keys = column_u32(numbers, ROWS);
  RDX_TRY(rdx_index_create(m->device, &keys, &params, &index, err));
  RDX_TRY(time_best(m->device, look_up_once, index, &ms, err));
  m->out->lookup = 1e6 * ms;
  return RDX_OK;
}

/* ---- Queries of the column star ---- */

#define GROUPS 64u

typedef enum query_kind { QUERY_GROUPS, QUERY_TESTS, QUERY_SUMS, QUERY_KINDS, QUERY_SORT } query_kind;

typedef struct querying {
  rdx_star *star;
  query_kind kind;
} querying;

/* A sum by groups, of the few rows of one of them, or of all; or by both attributes, of which there are more pairs than
 * groups that have a place each. */
static rdx_status query_once(void *context, double *ms, rdx_error *err) {
  static const uint32_t group_by[] = {0, 1}, zero = 0;
  static const rdx_expression value = {.kind = RDX_EXPRESSION_ATTRIBUTE, .attribute = 1};
  static const rdx_aggregate sum = {RDX_AGGREGATE_SUM, &value};
  const querying *q = context;
  const rdx_predicate first = {.kind = RDX_PREDICATE_EQ, .values = column_u32(&zero, 1)};
  const rdx_query query = {.where = q->kind == QUERY_TESTS ? &first : NULL,
                           .group_by = group_by,
                           .group_count = q->kind == QUERY_GROUPS ? 1
                                          : q->kind == QUERY_SORT ? 2
                                                                  : 0,
                           .aggregates = &sum,
                           .aggregate_count = 1};
  rdx_query_result *result = NULL;
  rdx_query_stats stats;
  RDX_TRY(rdx_star_run(q->star, &query, NULL, &result, err));
  rdx_query_result_get_stats(result, &stats);
  *ms = stats.total_ms;
  rdx_query_result_destroy(&result);
  return RDX_OK;
}

/* Numbers of a fact table, and of its dimension if it has `dimension` rows. */
typedef struct star_numbers {
  uint64_t dimension;
  const uint32_t *attribute, *summed, *foreign;
} star_numbers;

/* Queries of the kinds from `first` to before `end` over `rows` rows. */
static rdx_status time_queries(measuring *m, const star_numbers *n, uint64_t rows, query_kind first, query_kind end,
                               double *ms, rdx_error *err) {
  const rdx_attribute attributes[] = {
      {"attribute", column_u32(n->attribute, n->dimension ? n->dimension : rows), n->dimension ? 1 : 0},
      {"summed", column_u32(n->summed, rows), 0},
  };
  const rdx_dimension dimensions[] = {{column_u32(n->foreign, rows), column_u32(m->ordered, n->dimension)}};
  const rdx_relation relation = {.rows = rows,
                                 .attributes = attributes,
                                 .attribute_count = 2,
                                 .dimensions = dimensions,
                                 .dimension_count = n->dimension ? 1 : 0};
  const rdx_star_params params = {.method = RDX_STAR_COLUMN_ENGINE};
  querying q = {0};
  RDX_TRY(rdx_star_create(m->device, &relation, &params, &q.star, err));
  rdx_status status = RDX_OK;
  for (q.kind = first; q.kind < end && status == RDX_OK; q.kind++)
    status = time_best(m->device, query_once, &q, &ms[q.kind - first], err);
  rdx_star_destroy(&q.star);
  return status;
}

static rdx_status time_all(measuring *m, const star_numbers *n, const uint64_t sizes[POINTS],
                           double ms[POINTS][QUERY_KINDS], rdx_error *err) {
  for (uint32_t i = 0; i < POINTS; i++)
    RDX_TRY(time_queries(m, n, sizes[i], QUERY_GROUPS, QUERY_KINDS, ms[i], err));
  return RDX_OK;
}

#define FEW_ROWS 256 /* that take next to nothing by themselves */

/* What few rows take, and a row more, of each kind of query over up to `max` rows. */
static rdx_status fit_queries(measuring *m, uint64_t max, uint64_t dimension, double few_ms[QUERY_KINDS],
                              double ns_each[QUERY_KINDS], rdx_error *err) {
  const uint64_t sizes[POINTS] = {FEW_ROWS, max / 2, max};
  double ms[POINTS][QUERY_KINDS];
  RDX_SCOPED(rdx_free_local) uint32_t *attribute = NULL, *summed = NULL, *foreign = NULL;
  RDX_TRY(make_numbers(m, dimension > 0 ? dimension : max, GROUPS, &attribute, err));
  RDX_TRY(make_numbers(m, max, 1u << 12, &summed, err));
  RDX_TRY(make_numbers(m, max, dimension > 0 ? (uint32_t)dimension : 1, &foreign, err));
  const star_numbers n = {dimension, attribute, summed, foreign};
  RDX_TRY(time_all(m, &n, sizes, ms, err));
  for (uint32_t k = 0; k < QUERY_KINDS; k++) {
    double rows[POINTS], own[POINTS];
    for (uint32_t i = 0; i < POINTS; i++) {
      rows[i] = (double)sizes[i];
      own[i] = ms[i][k];
    }
    double ignored = 0;
    rdx_fit_line(rows + 1, own + 1, POINTS - 1, &ignored, &ns_each[k]);
    few_ms[k] = own[0];
    ns_each[k] *= 1e6;
  }
  return RDX_OK;
}

static rdx_status measure_groups(measuring *m, rdx_error *err) {
  double few[QUERY_KINDS], each[QUERY_KINDS];
  RDX_TRY(fit_queries(m, ROWS >> m->shift, 0, few, each, err));
  m->out->launch = 1e6 * few[QUERY_GROUPS];
  m->out->group_row = each[QUERY_GROUPS];
  m->out->add_row = each[QUERY_SUMS];
  m->reject_few = 1e6 * few[QUERY_TESTS];
  return RDX_OK;
}

/* `groups` pairs of equal numbers, of all that could be, in `rows` rows. */
static rdx_status time_group_sort(measuring *m, uint64_t rows, uint32_t groups, double *ms, rdx_error *err) {
  RDX_SCOPED(rdx_free_local) uint32_t *numbers = NULL;
  RDX_TRY(make_numbers(m, rows, groups, &numbers, err));
  const star_numbers n = {.attribute = numbers, .summed = numbers};
  return time_queries(m, &n, rows, QUERY_SORT, QUERY_SORT + 1, ms, err);
}

#define FEW_PAIRS 512   /* that take next to nothing by themselves; all that could be are too many */
#define SOME_PAIRS 4096 /* so are those for most rows of a device */

/* Groups that are too many for a place each are found by sorting. */
static rdx_status measure_group_sort(measuring *m, rdx_error *err) {
  const uint64_t rows = ROWS >> m->shift, groups = rows / 8;
  double few = 0, many_rows = 0, many_groups = 0;
  RDX_TRY(time_group_sort(m, FEW_PAIRS, FEW_PAIRS, &few, err));
  RDX_TRY(time_group_sort(m, rows, SOME_PAIRS, &many_rows, err));
  RDX_TRY(time_group_sort(m, groups, (uint32_t)groups, &many_groups, err));
  m->out->sort = divide(1e6 * few - m->out->launch, 1);
  m->out->sort_row = divide(1e6 * (many_rows - few), (double)rows);
  m->out->sort_group = divide(1e6 * (many_groups - few) - m->out->sort_row * (double)groups, (double)groups);
  return RDX_OK;
}

/* What the same rows take without a dimension is known. */
static rdx_status measure_dimensions(measuring *m, rdx_error *err) {
  static const uint32_t sizes[] = RDX_CALIBRATION_ROWS;
  double rows[RDX_CALIBRATION_SIZES], ready[RDX_CALIBRATION_SIZES], numbered[RDX_CALIBRATION_SIZES], ignored = 0;
  for (uint32_t i = 0; i < RDX_CALIBRATION_SIZES; i++) {
    const uint64_t dimension = sizes[i] >> (i > 0 ? m->shift : 0);
    double few[QUERY_KINDS], each[QUERY_KINDS];
    RDX_TRY(fit_queries(m, (i == 0 ? ROWS : 4 * ROWS) >> m->shift, dimension, few, each, err));
    const double gather = each[QUERY_GROUPS] - m->out->group_row;
    m->out->gather[i] = gather > 0 ? gather : 0;
    m->out->test[i] = each[QUERY_TESTS];
    rows[i] = (double)dimension;
    ready[i] = 1e6 * few[QUERY_TESTS] - m->reject_few;
    ready[i] = ready[i] > 100 ? ready[i] : 100; /* fewer nanoseconds are not told from none */
    numbered[i] = 1e6 * few[QUERY_GROUPS] - m->out->launch;
    numbered[i] = numbered[i] > 100 ? numbered[i] : 100;
  }
  rdx_fit_line(rows, ready, RDX_CALIBRATION_SIZES, &m->out->table, &m->out->table_row);
  rdx_fit_line(rows, numbered, RDX_CALIBRATION_SIZES, &ignored, &m->out->number_row);
  return RDX_OK;
}

/* ---- Cubes ---- */

/* A cube as a view has it, ordered and grouped by codes and then by parts: each pair of them has as many rows, or,
 * where they are `mixed`, few of the pairs have some. */
typedef struct cubing {
  bool mixed;
  rdx_star *star;
  rdx_query query;
  uint64_t rows, codes, parts;
  uint32_t *code, *part;
} cubing;

/* Times of queries: by parts for one code, by parts for all rows, and for one part, of which each code has a range. */
typedef struct cube_times {
  double one, all, part;
} cube_times;

static rdx_status cube_once(void *context, double *ms, rdx_error *err) {
  const cubing *c = context;
  rdx_query_result *result = NULL;
  rdx_query_stats stats;
  RDX_TRY(rdx_star_run(c->star, &c->query, NULL, &result, err));
  rdx_query_result_get_stats(result, &stats);
  *ms = stats.total_ms;
  rdx_query_result_destroy(&result);
  return RDX_OK;
}

static rdx_status time_cube(rdx_device *device, cubing *c, cube_times *out, rdx_error *err) {
  static const uint32_t group_by = 1, scan[] = {0, 1}, wanted = 1;
  const uint32_t middle = (uint32_t)c->parts / 2;
  static const rdx_expression value = {.kind = RDX_EXPRESSION_ATTRIBUTE, .attribute = 0};
  static const rdx_expression *const values[] = {&value};
  static const rdx_aggregate sum = {RDX_AGGREGATE_SUM, &value};
  const rdx_cube_spec spec = {scan, 2, scan, 2, values, 1, NULL};
  const rdx_predicate one = {.kind = RDX_PREDICATE_EQ, .values = column_u32(&wanted, 1)};
  const rdx_predicate part = {.kind = RDX_PREDICATE_EQ, .column = 1, .values = column_u32(&middle, 1)};
  RDX_TRY(rdx_star_add_cube(c->star, &spec, err));
  c->query =
      (rdx_query){.where = &one, .group_by = &group_by, .group_count = 1, .aggregates = &sum, .aggregate_count = 1};
  RDX_TRY(time_best(device, cube_once, c, &out->one, err));
  c->query.where = NULL;
  RDX_TRY(time_best(device, cube_once, c, &out->all, err));
  c->query.where = &part;
  c->query.group_count = 0;
  return time_best(device, cube_once, c, &out->part, err);
}

static rdx_status make_cube(measuring *m, rdx_star_method method, cubing *c, cube_times *out, rdx_error *err) {
  const rdx_star_params params = {.method = method};
  RDX_TRY(rdx_alloc(c->rows, sizeof *c->code, WHAT, (void **)&c->code, err));
  RDX_TRY(rdx_alloc(c->rows, sizeof *c->part, WHAT, (void **)&c->part, err));
  for (uint64_t i = 0; i < c->rows; i++) {
    const uint64_t code = m->mixed[i & (NUMBERS - 1)], part = m->mixed[(i + NUMBERS / 2 + 1) & (NUMBERS - 1)];
    c->code[i] = (uint32_t)(c->mixed ? code * c->codes >> 32 : i * c->codes / c->rows);
    c->part[i] = (uint32_t)(c->mixed ? part * c->parts >> 32 : i % c->parts);
  }
  const rdx_attribute attributes[] = {{"code", column_u32(c->code, c->rows), 0},
                                      {"part", column_u32(c->part, c->rows), 0}};
  const rdx_relation relation = {.rows = c->rows, .attributes = attributes, .attribute_count = 2};
  RDX_TRY(rdx_star_create(m->device, &relation, &params, &c->star, err));
  return time_cube(m->device, c, out, err);
}

static rdx_status measure_cube(measuring *m, rdx_star_method method, cubing c, cube_times *out, rdx_error *err) {
  const rdx_status status = make_cube(m, method, &c, out, err);
  rdx_star_destroy(&c.star);
  RDX_FREE_ALL(c.code, c.part);
  return status;
}

#define SPAN 64 /* combinations of each code, where ranges are measured */
#define GAPS 16 /* parts for each that a code has, where they are mixed */

/* A query for a part goes from code to code, and looks for both ends of a range and for the next code in each. `span`:
 * combinations of each code. */
static double count_steps(uint64_t codes, uint64_t span) {
  return 3 * (double)codes * (1 + log2((double)span));
}

static rdx_status measure_steps(measuring *m, uint64_t tuples, bool mixed, double *out, rdx_error *err) {
  const cubing c = {.mixed = mixed, .rows = tuples, .codes = tuples / SPAN, .parts = mixed ? SPAN * GAPS : SPAN};
  cube_times t = {0};
  RDX_TRY(measure_cube(m, RDX_STAR_SORTED_CUBE, c, &t, err));
  *out = divide(1e6 * (t.part - t.one), count_steps(c.codes, SPAN));
  return RDX_OK;
}

static rdx_status measure_ranges(measuring *m, rdx_error *err) {
  static const uint32_t sizes[] = RDX_CALIBRATION_TUPLES;
  for (uint32_t i = 0; i < RDX_CALIBRATION_SIZES; i++) {
    const uint64_t tuples = sizes[i] >> (i > 0 ? m->shift : 0);
    RDX_TRY(measure_steps(m, tuples, false, &m->regular[i], err));
    RDX_TRY(measure_steps(m, tuples, true, &m->out->range[i], err));
  }
  return RDX_OK;
}

/* Where codes are many beside all pairs, a query for a part looks at each pair. */
static rdx_status measure_cubes(measuring *m, rdx_error *err) {
  static const cubing few = {.rows = 1u << 16, .codes = 512, .parts = 32};
  static const cubing many = {.rows = 4096 * 15, .codes = 4096, .parts = 15};
  const double few_codes = (double)few.codes;
  rdx_calibration *r = m->out;
  cube_times t = {0};
  RDX_TRY(measure_cube(m, RDX_STAR_SORTED_CUBE, few, &t, err));
  r->cube = 1e6 * t.one;
  r->run = divide(1e6 * (t.all - t.one), (few_codes - 1) * (double)few.parts);
  RDX_TRY(measure_cube(m, RDX_STAR_COARSE_CUBE, few, &t, err));
  r->coarse_cube = 1e6 * t.one;
  RDX_TRY(measure_cube(m, RDX_STAR_SORTED_CUBE, many, &t, err));
  r->tuple = divide(1e6 * (t.part - t.one), (double)many.rows);
  return measure_ranges(m, err);
}

/* An RT cube's hits are rows; it casts a ray for each range. */
static rdx_status measure_rays(measuring *m, rdx_error *err) {
  static const uint32_t sizes[] = RDX_CALIBRATION_SCENE;
  for (uint32_t i = 0; i < RDX_CALIBRATION_SIZES && m->device->info.tracing != RDX_TRACING_NONE; i++) {
    const uint64_t rows = sizes[i] >> (i > 0 ? m->shift : 0), codes = rows / 32 < 1024 ? rows / 32 : 1024;
    const cubing c = {.rows = rows, .codes = codes, .parts = 32};
    const double rows_of_code = (double)(rows / codes), rows_of_part = (double)rows / (double)c.parts;
    cube_times t = {0};
    RDX_TRY(measure_cube(m, RDX_STAR_RT_CUBE, c, &t, err));
    m->out->hit[i] = divide(1e6 * (t.all - t.one), (double)rows - rows_of_code);
    const double hits = m->out->hit[i] * (rows_of_part - rows_of_code);
    m->out->ray[i] = divide(1e6 * (t.part - t.one) - hits - m->regular[i] * count_steps(codes, c.parts), (double)codes);
    if (i == 1)
      m->out->rt_cube = divide(1e6 * t.one - m->out->hit[i] * rows_of_code, 1);
  }
  return RDX_OK;
}

/* ---- Joins ---- */

/* The fewest keys of a join that is measured. A GPU takes as long for fewer, and shorter ways for very few. */
#define FEW_KEYS 64
#define FEW_KEYS_GPU 8192
#define MAX_REPEATED 1024

/* Rows that look up rows, as joins do: those of a GPU's tables are in its memory, and so is what they find. */
typedef struct joining {
  rdx_device *device;
  rdx_index_method method;
  bool on_device;
  const uint32_t *mixed;
  uint64_t probes, runs; /* values that probe; how often some did */
  uint32_t *values[2];   /* of the side that probes, and of the one that an index is made of */
  rdx_column sides[2];
  rdx_device_column *copies[2];
  rdx_index *index;
} joining;

enum { PROBES, KEYS };

static void drop_joining(joining *j) {
  rdx_index_destroy(&j->index);
  for (uint32_t i = 0; i < 2; i++)
    rdx_device_column_destroy(&j->copies[i]);
}

static rdx_status take_rows(joining *j, uint32_t side, uint64_t rows, rdx_error *err) {
  j->sides[side] = column_u32(j->values[side], rows);
  if (!j->on_device)
    return RDX_OK;
  rdx_device_column_destroy(&j->copies[side]);
  RDX_TRY(rdx_device_column_create(j->device, &j->sides[side], &j->copies[side], err));
  j->sides[side] = rdx_device_column_view(j->copies[side]);
  return RDX_OK;
}

static rdx_status build_once(void *context, RDX_UNUSED double *ms, rdx_error *err) {
  joining *j = context;
  const rdx_index_params params = {.method = j->method};
  rdx_index_destroy(&j->index);
  return rdx_index_create(j->device, &j->sides[KEYS], &params, &j->index, err);
}

/* Where the index does not know that its keys are distinct, pairs are listed. */
static rdx_status pair_once(const joining *j, rdx_error *err) {
  const rdx_join_params params = {.index = {.method = j->method}, .mapping = RDX_JOIN_MAPPING_DIRECT};
  RDX_SCOPED(rdx_join_result_destroy) rdx_join_result *pairs = NULL;
  RDX_SCOPED(rdx_device_column_destroy) rdx_device_column *left = NULL, *right = NULL;
  RDX_TRY(rdx_join_equal(j->device, &j->sides[PROBES], &j->sides[KEYS], &params, &pairs, err));
  RDX_TRY(rdx_join_result_column(pairs, RDX_JOIN_SIDE_LEFT, &left, err));
  return rdx_join_result_column(pairs, RDX_JOIN_SIDE_RIGHT, &right, err);
}

/* A CPU learns the way of few probes, so each run has others. */
static rdx_status probe_once(void *context, RDX_UNUSED double *ms, rdx_error *err) {
  joining *j = context;
  const uint64_t rows = j->sides[PROBES].rows;
  rdx_index_stats stats;
  if (!j->on_device)
    j->sides[PROBES] = column_u32(j->values[PROBES] + j->runs++ * rows % (j->probes - rows + 1), rows);
  rdx_index_get_stats(j->index, &stats);
  if (j->on_device && !stats.distinct)
    return pair_once(j, err);
  const rdx_lookup_params params = {.result = stats.distinct ? RDX_LOOKUP_FIRST : RDX_LOOKUP_ROWS};
  RDX_SCOPED(rdx_lookup_result_destroy) rdx_lookup_result *result = NULL;
  RDX_SCOPED(rdx_device_column_destroy) rdx_device_column *found = NULL;
  rdx_lookup_view view;
  RDX_TRY(rdx_index_lookup(j->index, &j->sides[PROBES], &params, &result, err));
  return j->on_device ? rdx_lookup_result_column(result, RDX_LOOKUP_FIRST, &found, err)
                      : rdx_lookup_result_view(result, &view, err);
}

/* An index of `keys` keys, a power of two, in no order is built, then probed by so many rows and by three times as
 * many. Few keys repeat: they are mostly what a filter leaves of a large table, not a small table's own. */
static rdx_status time_join(joining *j, uint64_t keys, double *build_ms, double ms[2], rdx_error *err) {
  const bool repeat = keys <= MAX_REPEATED && !j->on_device;
  for (uint64_t i = 0; i < keys; i++)
    j->values[KEYS][i] = (repeat ? j->mixed[NUMBERS - 1 - i] : (uint32_t)i * 0x9e3779b1u) & (uint32_t)(keys - 1);
  for (uint64_t i = 0; i < j->probes; i++)
    j->values[PROBES][i] = j->mixed[i] & (uint32_t)(keys - 1);
  RDX_TRY(take_rows(j, KEYS, keys, err));
  RDX_TRY(take_rows(j, PROBES, keys, err));
  RDX_TRY(time_best(j->device, build_once, j, build_ms, err));
  RDX_TRY(time_best(j->device, probe_once, j, &ms[0], err));
  RDX_TRY(take_rows(j, PROBES, 3 * keys, err));
  return time_best(j->device, probe_once, j, &ms[1], err);
}

#define MORE 4 /* times the fewest keys tell what a key takes */

/* Of indexes that are hardly larger than the fewest keys the rates are those of the next larger ones. */
static rdx_status measure_method(measuring *m, uint32_t place, joining *j, rdx_error *err) {
  static const uint32_t sizes[] = RDX_CALIBRATION_KEYS;
  const uint64_t few_keys = j->on_device ? FEW_KEYS_GPU >> m->shift : FEW_KEYS;
  double *const builds = m->out->join_build[place], *const probes = m->out->join_probe[place];
  double few_build = 0, few[2];
  RDX_TRY(time_join(j, few_keys, &few_build, few, err));
  m->out->join[place] = 1e6 * (few_build + few[0]);
  for (uint32_t i = RDX_CALIBRATION_SIZES; i-- > 0;) {
    const uint64_t keys = sizes[i] >> m->shift;
    double build = 0, ms[2];
    if (keys < MORE * few_keys) {
      builds[i] = builds[i + 1];
      probes[i] = probes[i + 1];
      continue;
    }
    RDX_TRY(time_join(j, keys, &build, ms, err));
    probes[i] = divide(1e6 * (ms[1] - ms[0]), 2.0 * (double)keys);
    /* with what is done for them at the first probe */
    builds[i] =
        divide(1e6 * (build + ms[0]) - probes[i] * (double)keys - m->out->join[place], (double)(keys - few_keys));
  }
  return RDX_OK;
}

static rdx_status measure_joins(measuring *m, rdx_error *err) {
  static const rdx_index_method methods[] = RDX_CALIBRATION_JOIN_METHODS;
  static const uint32_t sizes[] = RDX_CALIBRATION_KEYS;
  const uint64_t most = sizes[RDX_CALIBRATION_SIZES - 1] >> m->shift;
  RDX_SCOPED(rdx_free_local) uint32_t *probes = NULL, *keys = NULL;
  RDX_TRY(rdx_alloc(4 * most, sizeof *probes, WHAT, (void **)&probes, err));
  RDX_TRY(rdx_alloc(most, sizeof *keys, WHAT, (void **)&keys, err));
  for (uint32_t i = 0; i < RDX_COUNT(methods); i++) {
    RDX_SCOPED(drop_joining)
    joining j = {.device = m->device,
                 .method = methods[i],
                 .on_device = m->device->info.backend != RDX_BACKEND_CPU,
                 .mixed = m->mixed,
                 .probes = 4 * most,
                 .values = {probes, keys}};
    RDX_TRY(measure_method(m, i, &j, err));
  }
  return RDX_OK;
}

/* ---- Expressions ---- */

/* A filter that the host's threads evaluate. */
static rdx_status filter_once(void *context, double *ms, rdx_error *err) {
  rdx_answer *answer = NULL;
  rdx_answer_stats stats;
  RDX_TRY(rdx_statement_execute(context, &answer, err));
  rdx_answer_get_stats(answer, &stats);
  *ms = stats.execute_ms;
  rdx_answer_destroy(&answer);
  return RDX_OK;
}

static rdx_status make_table(const measuring *m, uint32_t rows, rdx_table **out, rdx_error *err) {
  const size_t size = 8 * (size_t)rows + 8;
  RDX_SCOPED(rdx_free_local) char *text = NULL;
  RDX_TRY(rdx_alloc(size, 1, WHAT, (void **)&text, err));
  size_t used = (size_t)snprintf(text, size, "a\n");
  for (uint32_t i = 0; i < rows; i++)
    used += (size_t)snprintf(text + used, size - used, "%u\n", (unsigned)(m->mixed[i] >> 13));
  return rdx_table_parse_csv(WHAT, text, used, NULL, out, err);
}

/* A sum and a comparison for each row of a table. */
static rdx_status time_filter(measuring *m, uint32_t rows, double *ms, rdx_error *err) {
  rdx_table *table = NULL;
  RDX_SCOPED(rdx_database_close) rdx_database *database = NULL;
  RDX_SCOPED(rdx_statement_destroy) rdx_statement *statement = NULL;
  RDX_TRY(rdx_database_open(m->device, NULL, NULL, &database, err));
  RDX_TRY(make_table(m, rows, &table, err));
  RDX_TRY(rdx_database_add(database, "t", table, err));
  RDX_TRY(rdx_statement_prepare(database, "SELECT a FROM t WHERE a + a < 0", NULL, &statement, err));
  return time_best(m->device, filter_once, statement, ms, err);
}

static rdx_status measure_values(measuring *m, rdx_error *err) {
  static const uint32_t sizes[POINTS] = {1u << 13, 1u << 16, 1u << 19};
  double values[POINTS], ms[POINTS], fixed = 0;
  for (uint32_t i = 0; i < POINTS; i++) {
    values[i] = 2.0 * sizes[i];
    RDX_TRY(time_filter(m, sizes[i], &ms[i], err));
  }
  rdx_fit_line(values, ms, POINTS, &fixed, &m->out->value);
  m->out->evaluate = 1e6 * fixed;
  m->out->value *= 1e6;
  return RDX_OK;
}

/* ---- All ---- */

static rdx_status make_input(measuring *m, rdx_error *err) {
  RDX_TRY(rdx_alloc(NUMBERS, sizeof *m->mixed, WHAT, (void **)&m->mixed, err));
  RDX_TRY(rdx_alloc(NUMBERS, sizeof *m->ordered, WHAT, (void **)&m->ordered, err));
  for (uint32_t i = 0; i < NUMBERS; i++) {
    uint64_t mixed = (i + 1) * 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
    m->mixed[i] = (uint32_t)(mixed >> 32);
    m->ordered[i] = i;
  }
  return RDX_OK;
}

/* What a difference of times gives is not below nothing, and what is larger takes no less. */
static void mend(double rates[RDX_CALIBRATION_SIZES]) {
  for (uint32_t i = 0; i < RDX_CALIBRATION_SIZES; i++) {
    const double min = i > 0 ? rates[i - 1] : 0;
    rates[i] = rates[i] > min ? rates[i] : min;
  }
}

/* Long operations are measured in the first round alone: little disturbs them, and other rounds keep their numbers. */
static rdx_status measure_all(rdx_device *device, uint32_t round, rdx_calibration *out, rdx_error *err) {
  static const struct {
    rdx_status (*run)(measuring *m, rdx_error *err);
    bool once;
  } steps[] = {
      {measure_groups, false}, {measure_group_sort, false}, {measure_memory, true},     {measure_scan, false},
      {measure_sort, false},   {measure_lookup, false},     {measure_dimensions, true}, {measure_joins, false},
      {measure_cubes, false},  {measure_rays, false},       {measure_values, false},
  };
  measuring m = {.device = device, .out = out, .shift = device->info.emulated ? 5 : 0};
  rdx_status status = make_input(&m, err);
  for (size_t i = 0; i < RDX_COUNT(steps) && status == RDX_OK; i++) {
    status = rdx_progress("calibrate", i, RDX_COUNT(steps), err);
    if (status == RDX_OK && (round == 0 || !steps[i].once))
      status = steps[i].run(&m, err);
  }
  RDX_FREE_ALL(m.mixed, m.ordered);
  mend(out->test);
  mend(out->gather);
  mend(out->range);
  mend(out->ray);
  mend(out->hit);
  return status;
}

/* ---- Rounds ---- */

#define ROUNDS 3
#define MAX_ROUNDS_MS 10000 /* no round begins later: on slow machines, and in builds for a sanitizer */

#define FIRST_NUMBER offsetof(rdx_calibration, launch)
#define NUMBERS_IN_ALL ((sizeof(rdx_calibration) - FIRST_NUMBER) / sizeof(double))

static double median(double a, double b, double c) {
  return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

/* Whatever else the machine does spoils a number in one round, seldom in two: the median counts. A GPU has a round
 * before them that does not count: it makes pipelines, and was seen to take two to three times as long for all. */
rdx_status rdx_calibration_measure(rdx_device *device, rdx_calibration *out, rdx_error *err) {
  rdx_calibration rounds[ROUNDS] = {{0}};
  double numbers[ROUNDS][NUMBERS_IN_ALL];
  if (device->info.emulated)
    return measure_all(device, 0, out, err);
  if (is_gpu(device))
    RDX_TRY(measure_all(device, 0, &rounds[0], err));
  const double start = rdx_now_ms();
  for (uint32_t i = 0; i < ROUNDS; i++) {
    rounds[i] = rounds[0];
    if (i == 0 || rdx_now_ms() - start < MAX_ROUNDS_MS)
      RDX_TRY(measure_all(device, i, &rounds[i], err));
    memcpy(numbers[i], (const char *)&rounds[i] + FIRST_NUMBER, sizeof numbers[i]);
  }
  for (size_t k = 0; k < NUMBERS_IN_ALL; k++)
    numbers[0][k] = median(numbers[0][k], numbers[1][k], numbers[2][k]);
  memcpy((char *)out + FIRST_NUMBER, numbers[0], sizeof numbers[0]);
  return RDX_OK;
}
