/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef BENCH_H
#define BENCH_H

/* The benchmark program: workloads whose answers are known, methods that answer them in turn, and a report. */

#include "common/common.h"
#include "ssb/ssb.h"

/* ---- The program ---- */

#define BENCH_MAX_RUNS 100
#define BENCH_VARIANT 80 /* bytes of a variant's name */
#define BENCH_MAX_EXTRAS 16

/* A method with options of the command line: it takes part beside the experiment's own form of the method. */
typedef struct bench_extra {
  char method[24];
  const char *text; /* NAME=VALUE[,NAME=VALUE...] */
} bench_extra;

typedef struct bench_options {
  const char *device;
  rdx_device_params device_params;
  const char *methods; /* NULL: all */
  bench_extra extras[BENCH_MAX_EXTRAS];
  size_t extra_count;
  uint32_t scale;      /* log2 of the keys; 0: by device */
  double scale_factor; /* of the Star Schema Benchmark and TPC-H; 0: by `scale`, or by device */
  const char *data;    /* a folder with its table files, or TPC-H's; NULL: they are made */
  const char *answers; /* a folder with answers to TPC-H's queries; NULL: none */
  uint32_t runs;       /* at most BENCH_MAX_RUNS; 0: 5, of the papers 3 */
  bool papers;         /* suite papers: a scale that shows each effect within the budget */
  bool shared;         /* a suite with a budget: its experiments share the time */
  bool quick;          /* sizes that take seconds, for trying that all works */
  const char *out;
  bool resume; /* take in what `out` holds, and run the other experiments */
  const char *plots, *published;
  uint32_t cases; /* of the planner */
  uint64_t seed;
  double budget;  /* seconds; 0: no limit */
  unsigned given; /* a bit for each option of the command line */
} bench_options;

typedef struct bench_report bench_report;

/* The time of an experiment of a suite, and how its measurements are spread over it (budget.c). */
typedef struct bench_share {
  bool counting;                /* measurements are counted, none is made */
  uint64_t points, asked, made; /* measurements of the experiment, 0: not known; asked for and made so far */
  double begin, credit;         /* when it began; measurements saved up */
  double slow;                  /* seconds: what takes longer is run once; 0: no such limit */
  char slow_ones[16][160];      /* methods that did, which larger sizes leave out */
  size_t slow_count;
} bench_share;

typedef struct bench {
  bench_options options;
  rdx_device *device;
  const rdx_device_info *info;
  bench_report *report;
  uint32_t log_keys, log_probes; /* of the default workload */
  double deadline;               /* on the monotonic clock; 0: none */
  uint64_t skipped;              /* measurements for which no time was left */
  uint64_t scan_rows;            /* of scans */
  bench_share share;             /* of the experiment at hand, in a suite with a budget */
  double scale_factor;           /* of the Star Schema Benchmark */
  ssb_star *star;                /* once an experiment has needed it */
  uint64_t seen, seen_ever;      /* which of options.methods, by place, the experiment at hand has, and any so far */
} bench;

double bench_seconds(void);

/* Run `work` over 0 .. count - 1 on at most `max` threads; 0: one a core. */
void bench_parallel(uint32_t max, uint64_t count, void (*work)(void *context, uint64_t begin, uint64_t end),
                    void *context);

/* ---- Time (budget.c) ---- */

/* Whether there is time for the next measurement; if not, it counts as skipped. In a suite an experiment that has
 * not enough of it makes every second measurement, or fewer, and its last one. */
bool bench_has_time(bench *b);

/* Whether time is over, or measurements are only counted: then nothing need be prepared. */
bool bench_is_over(const bench *b);

/* Give the next experiment of a suite its time: twice its share of what is left until `end`, when `left` are to
 * come. `points`: measurements that it makes, 0 if not known. */
void bench_share_time(bench *b, double end, size_t left, uint64_t points);

/* Whether a run of so many milliseconds is too slow to be repeated; if so, it is remembered. */
bool bench_is_slow(bench *b, const char *method, const char *variant, double ms);
bool bench_was_slow(const bench *b, const char *method, const char *variant);

/* ---- Options of methods on the command line (extras.c) ---- */

/* Take in "METHOD:NAME=VALUE[,NAME=VALUE...]"; NULL or what is wrong with it. */
const char *bench_take_extra(const char *text, bench_options *o);

/* Put the options of extra `i` over an experiment's params of a method, and name the outcome after its variant. False:
 * they are of another method, or change nothing. */
bool bench_extend_index(const bench *b, size_t i, const char *variant, const rdx_index_params *from,
                        rdx_index_params *out, char name[BENCH_VARIANT]);
bool bench_extend_scan(const bench *b, size_t i, const char *variant, const rdx_scan_params *from, rdx_scan_params *out,
                       char name[BENCH_VARIANT]);
bool bench_extend_star(const bench *b, size_t i, const char *variant, const rdx_star_params *from, rdx_star_params *out,
                       char name[BENCH_VARIANT]);

/* ---- Workloads (workload.c) ---- */

typedef enum bench_keys {
  BENCH_D32, /* dense u32: 0 .. rows - 1, times the stride */
  BENCH_U32, /* distinct, uniform over u32 */
  BENCH_U64, /* distinct, uniform over u64 */
} bench_keys;

/* What to generate. Zero is: unsorted, distinct, all probes hit, uniform. */
typedef struct bench_spec {
  bench_keys keys;
  uint32_t log_rows, log_probes;
  uint32_t log_stride;       /* D32: distance of neighbouring keys */
  uint32_t log_multiplicity; /* D32: rows of each key */
  bool sorted_keys, sorted_probes;
  double miss_rate; /* of the probes; D32: keys above the largest, else keys between others */
  double dense;     /* U32, U64: share of the keys that are 0, 1, 2, ..., the others being spread (cgRX, section 5) */
  double key_skew;  /* U32: how dense keys are falls with this power of the key, 0 to below 1; 0: uniform; no misses */
  double zipf;      /* coefficient of the probes' distribution; 0: uniform */
  bool count;       /* count rows instead of summing values */
  bool first;       /* look for the first row instead of summing values; points of distinct keys */
  bool include;     /* the indexes include the values */
  uint64_t range;   /* D32: rows of each range; 0: point lookups */
  uint32_t log_batches; /* the probes come in so many batches */
} bench_spec;

typedef struct bench_workload {
  bench_spec spec;
  rdx_type type;
  uint64_t rows, probes;
  void *keys;
  uint32_t *values;
  void *lower, *upper; /* `upper` NULL: points */
  uint64_t *sums;      /* what each probe must find: the sum of `values`, and the number of rows */
  uint32_t *counts;
} bench_workload;

RDX_MUST_USE rdx_status bench_workload_create(const bench_spec *spec, uint64_t seed, bench_workload *out,
                                              rdx_error *err);
void bench_workload_destroy(bench_workload *w);
const char *bench_keys_name(bench_keys keys);

/* A pseudo-random number that depends on nothing but `i` and `seed`. */
uint64_t bench_mix(uint64_t i, uint64_t seed);

/* A Zipf distribution over 1 .. n; draw i of a seed. */
typedef struct bench_zipf {
  double a, low, high, at_once;
  uint64_t n;
} bench_zipf;
bench_zipf bench_zipf_make(double a, uint64_t n);
uint64_t bench_zipf_draw(const bench_zipf *z, uint64_t i, uint64_t seed);

/* Sort keys of 4 or 8 bytes with their places; `places` may be NULL. */
RDX_MUST_USE rdx_status bench_sort(void *keys, uint32_t key_bytes, uint32_t *places, uint64_t count, rdx_error *err);

/* ---- Measuring (runner.c) ---- */

typedef struct bench_row {
  char experiment[32], device[256], method[24], variant[BENCH_VARIANT], keys[16], parameter[24], metric[24];
  uint64_t rows, probes; /* probes 0: a build, which has no answers to check */
  double value, median, min, max;
  uint32_t runs;
} bench_row;

typedef struct bench_method {
  const char *variant; /* "" for the only one of its method */
  rdx_index_params params;
} bench_method;

/* What a measurement belongs to. */
typedef struct bench_point {
  const char *experiment;
  const char *parameter; /* what varies; "" for nothing */
  double value;          /* below 0: the parameter is a name that stands for itself, values give the order */
} bench_point;

/* Whether all of a list of methods with commas, at most 64, are known: of indexes, scans or stars. */
bool bench_check_methods(const char *methods);

/* Whether a method by that name, which the experiment has, is to take part. */
bool bench_is_wanted(bench *b, const char *method);

/* Note the methods of the list that no experiment had; false where none had any. */
bool bench_note_unseen(const bench *b);

/* What to record. */
enum {
  BENCH_LOOKUPS = 1,
  BENCH_BUILDS = 2,
  BENCH_PLAIN = 4,        /* also a plain binary search, on the CPU device */
  BENCH_SORT = 8,         /* sort the probes first, as a part of the lookup */
  BENCH_SORT_OR_NOT = 16, /* each method both ways */
  BENCH_PER_BYTE = 64,    /* also lookups by the bytes that the index takes */
  BENCH_STEPS = 128, /* also how long the rays, the search of what they find and the result take, of lookups that sum */
  BENCH_ALONE = 32   /* one method after the other, each without the others' indexes in memory */
};

/* Build each method's index and look the probes up with all of them in turn, checking every answer. What a device
 * cannot do is noted and left out. */
RDX_MUST_USE rdx_status bench_measure(bench *b, const bench_point *point, const bench_spec *spec,
                                      const bench_method *methods, size_t count, unsigned what, rdx_error *err);

/* Put before the text of a defect, such as a wrong answer, what it belongs to: the row that would have been added.
 * `status`. */
rdx_status bench_blame(rdx_status status, const bench_row *row, rdx_error *err);

/* Probes of a workload from `begin` on. */
typedef struct bench_probes {
  const rdx_column *lower, *upper; /* upper NULL: points */
  const rdx_column *values;
  uint64_t begin;
  bool sort;
} bench_probes;

/* A lookup, checked; `*ms` is device time. */
RDX_MUST_USE rdx_status bench_lookup(const bench_workload *w, const rdx_index *index, const bench_probes *probes,
                                     double *ms, double *total_ms, rdx_error *err);

/* Compare the answers to all probes, or to those from `begin` on, with what they must be. */
RDX_MUST_USE rdx_status bench_check_answers(const bench_workload *w, const rdx_lookup_view *v, uint64_t begin,
                                            rdx_error *err);

/* A GPU slows down while the host checks answers: repeat some work until its clocks are up again. */
RDX_MUST_USE rdx_status bench_wake_up(const bench *b, rdx_status (*work)(void *context, rdx_error *err), void *context,
                                      rdx_error *err);

/* GB a second that the device's memory copies and reads, in each run. */
typedef struct bench_rates {
  double copies[BENCH_MAX_RUNS], reads[BENCH_MAX_RUNS];
} bench_rates;

/* Measure them for a run; add rows of them, like this one, of metric gb_per_s. */
RDX_MUST_USE rdx_status bench_measure_memory(const bench *b, bench_rates *rates, uint32_t run, rdx_error *err);
RDX_MUST_USE rdx_status bench_add_rates(bench *b, bench_row row, bench_rates *rates, rdx_error *err);

/* Whether a failure means that a device or method cannot do this, or has no memory for it, which is no failure of the
 * benchmark. */
bool bench_may_skip(rdx_status status);

/* ---- Folders for tables (folder.c) ---- */

typedef struct bench_folder {
  char name[3900];
} bench_folder;

/* Make one in $TMPDIR, or /tmp; remove it and its files, which may be open. */
RDX_MUST_USE rdx_status bench_folder_make(bench_folder *out, rdx_error *err);
void bench_folder_remove(const bench_folder *f);

/* ---- The Star Schema Benchmark (ssb_data.c) ---- */

/* Whether `path` is one of the star's tables in `dir`. */
bool bench_star_holds(const char *dir, const char *path);

/* Open the star (b->star), unless it is open; and its flat table. */
RDX_MUST_USE rdx_status bench_star(bench *b, rdx_error *err);
RDX_MUST_USE rdx_status bench_flat(bench *b, rdx_error *err);

/* ---- Experiments (experiments.c, cgrx.c, thesis.c, joins.c, waves.c, updates.c, scan.c, rtcudb.c, scale.c,
 * tpch.c, planner.c) ---- */

typedef struct bench_experiment {
  const char *name, *what;
  rdx_status (*run)(bench *b, const bench_point *point, rdx_error *err);
  bool standard; /* part of `suite standard` */
} bench_experiment;

extern const bench_experiment bench_experiments[];
extern const size_t bench_experiment_count;

/* `value` - `less`, but at least `min`; 2^log; a point of the same experiment. */
uint32_t bench_at_least(uint32_t value, uint32_t less, uint32_t min);
double bench_power(uint32_t log);
bench_point bench_at(const bench_point *point, const char *parameter, double value);

rdx_status bench_updates(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_cgrx_mapping(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_cgrx_bucket_search(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_cgrx_bucket_size(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_cgrx_memory(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_cgrx_range(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_cgrx_hit_rate(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_cgrx_skew(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_cgrx_nodes(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_cgrx_updates(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_thesis_partitions(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_thesis_compression(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_thesis_range(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_cgrx_uniformity(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_thesis_sorted_probes(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_thesis_sizes(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_thesis_lookups(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_thesis_multiplicity(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_thesis_uniformity(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_thesis_misses(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_thesis_skew(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_thesis_hits(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_join_size(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_join_skew(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_join_inverse(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_join_ranges(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_join_first(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_rtscan_selectivity(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_rtscan_column(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_rtscan_small(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_rtscan_adaptive(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_rtscan_groups(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_rtscan_stages(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_rtscan_skew(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_rtscan_tpch(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_rtscan_encoding(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_rtscan_predicates(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_rtscan_selection(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_rtscan_vectors(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_rtscan_rays(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_rtscan_build(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_rtscan_bandwidth(bench *b, const bench_point *point, rdx_error *err);
/* The star methods as they are without options. */
rdx_status bench_rtcudb_defaults(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_rtcudb_queries(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_rtcudb_bandwidth(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_rtcudb_one_job(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_rtcudb_scan_encoding(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_rtcudb_group_encoding(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_rtcudb_grid(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_rtcudb_contention(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_rtcudb_blocks(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_rtcudb_build(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_rtcudb_selectivity(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_tpch_queries(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_planner(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_scale_lookups(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_scale_scans(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_scale_stars(bench *b, const bench_point *point, rdx_error *err);

/* Scans of 2^log rows, and star queries over the star at hand: each method alone in memory. */
rdx_status bench_scans_of(bench *b, const bench_point *point, uint32_t log, rdx_error *err);
rdx_status bench_stars_alone(bench *b, const bench_point *point, rdx_error *err);
rdx_status bench_demo(bench *b, rdx_error *err);

/* ---- Reporting (report.c) ---- */

RDX_MUST_USE rdx_status bench_report_create(bench_report **out, rdx_error *err);
void bench_report_destroy(bench_report **report);

/* Take in the samples of a measurement (they get sorted). */
RDX_MUST_USE rdx_status bench_report_add(bench_report *report, bench_row row, double *samples, uint32_t count,
                                         rdx_error *err);

/* Take in a row as it is. */
RDX_MUST_USE rdx_status bench_report_append(bench_report *report, const bench_row *row, rdx_error *err);

/* Print the rows of an experiment as a table: those that are not printed yet. A long experiment calls it between
 * measurements, when it has all that a line shows. */
void bench_report_print(bench_report *report, const char *experiment);

/* Write all rows as CSV to a file that appears when it is complete. */
RDX_MUST_USE rdx_status bench_report_write(const bench_report *report, const char *path, rdx_error *err);

/* Read what bench_report_write() wrote. */
RDX_MUST_USE rdx_status bench_report_read(const char *path, bench_report **out, rdx_error *err);

/* Print what results say of the papers' claims: a table with a column for each device (verdicts.c). Of the reports that
 * have both results of a claim for a device the last one counts. */
void bench_verdicts_print(bench_report *const *reports, size_t count);

size_t bench_report_count(const bench_report *report);
/* The row of the same experiment, method, variant, data, place and metric; NULL: there is none. */
const bench_row *bench_report_find(const bench_report *report, const bench_row *like);
const bench_row *bench_report_row(const bench_report *report, size_t i);

/* The value of a parameter as text, "hits 4"; a name that stands for itself alone. `out`. */
#define BENCH_PLACE 64
const char *bench_place(const char *parameter, double value, char out[BENCH_PLACE]);

/* Before the work: whether pictures can be written to `dir`, which is made if it is missing, and published results be
 * read; and whether those of an experiment would replace ordinary files at most. */
RDX_MUST_USE rdx_status bench_plot_check(const char *dir, const char *published, rdx_error *err);
RDX_MUST_USE rdx_status bench_plot_check_experiment(const char *experiment, const char *dir, rdx_error *err);

/* Draw every experiment of a report into `dir` with gnuplot, published results beside it where their folder is given
 * (plot.c). RDX_ERROR_NOT_FOUND where there is none. */
RDX_MUST_USE rdx_status bench_plot(const bench_report *report, const char *dir, const char *published, rdx_error *err);

#endif
