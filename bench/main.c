/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* raydex-bench: experiments by name, their results as tables, CSV and plots. */

#include "bench/bench.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void print_help(void) {
  printf(
      "Usage: raydex-bench EXPERIMENT... [OPTION...]\n"
      "       raydex-bench suite papers|rx|cgrx|thesis|join|rtscan|rtcudb|scale|tpch|standard [OPTION...]\n"
      "       raydex-bench demo [--device NAME] [--sf N]\n"
      "       raydex-bench plot RESULTS.csv --plots DIR [--published DIR]\n"
      "       raydex-bench verdicts RESULTS.csv...\n"
      "       raydex-bench list\n\n"
      "Every run of every method is checked against answers known from how the data was made.\n\n"
      "  --device NAME     cpu, auto, or number or part of the name of a device (auto)\n"
      "  --threads N       threads of the CPU device (one a core)\n"
      "  --methods A,B     only these of the experiments' methods, such as tree,sorted_array\n"
      "  --options METHOD:NAME=VALUE[,...]\n"
      "                    measure the method with these options, too, beside each of its forms in the experiments;\n"
      "                    may be repeated ('raydex lookup --help' and 'raydex scan --help' list the options)\n"
      "  --scale S         2^S keys, and lookups to match (26 on a GPU, 22 on the CPU, 13 on an emulated device);\n"
      "                    2^S rows of scans (10^8 on a GPU, 10^7 on the CPU, 10^4 on an emulated device)\n"
      "                    about 2^S rows of the Star Schema Benchmark's lineorder\n"
      "  --sf N            scale factor of the Star Schema Benchmark and of TPC-H (20 on a GPU, 1 on the CPU, 0.01 on\n"
      "                    an emulated device); the tables are made in a folder in $TMPDIR (/tmp), which is gone "
      "before queries\n"
      "                    run\n"
      "  --data DIR        instead take its table files from there, lineorder_flat.rdx included where there is one\n"
      "  --answers DIR     compare TPC-H's answers with those there, as tests/sql/duckdb.mjs writes them, and show\n"
      "                    its times beside ours\n"
      "  --runs N          counted runs of each method, after one that is not (5; suite papers: 3, with a --budget "
      "below 1800: 1)\n"
      "  --cases N         queries of the experiment planner (500)\n"
      "  --quick           sizes that take seconds, one run: whether all works, and no more\n"
      "  --seed N          of the data (1)\n"
      "  --budget SECONDS  start no measurement after so long; a suite's experiments share it (suite papers: 3600,\n"
      "                    below 1800 its sizes are smaller)\n"
      "  --out FILE.csv    write the results, one line for each metric, anew after each experiment\n"
      "  --resume          keep what FILE.csv holds, and run the experiments that it has not (suites)\n"
      "  --plots DIR       draw the results there with gnuplot\n"
      "  --published DIR   results that the authors of RTIndeX published, drawn beside ours\n"
      "  --validation      switch the Vulkan validation layer on\n");
}

static void print_list(void) {
  for (size_t i = 0; i < bench_experiment_count; i++)
    printf("%-24s %s%s\n", bench_experiments[i].name, bench_experiments[i].what,
           bench_experiments[i].standard ? " *" : "");
  printf(
      "\n* part of 'suite standard'; the suites rx, cgrx, thesis, join, rtscan, rtcudb, scale and tpch are all whose\n"
      "names begin so, and thesis has those of join, too; papers has all that show a figure, a table or a section\n");
}

/* ---- Options ---- */

enum {
  DEVICE = 1,
  THREADS,
  METHODS,
  EXTRA,
  SCALE,
  SF,
  DATA,
  ANSWERS,
  RUNS,
  CASES,
  QUICK,
  SEED,
  BUDGET,
  OUT,
  RESUME,
  PLOTS,
  PUBLISHED,
  VALIDATION,
  HELP
};

static const struct option options[] = {{"device", required_argument, NULL, DEVICE},
                                        {"threads", required_argument, NULL, THREADS},
                                        {"methods", required_argument, NULL, METHODS},
                                        {"options", required_argument, NULL, EXTRA},
                                        {"scale", required_argument, NULL, SCALE},
                                        {"sf", required_argument, NULL, SF},
                                        {"data", required_argument, NULL, DATA},
                                        {"answers", required_argument, NULL, ANSWERS},
                                        {"runs", required_argument, NULL, RUNS},
                                        {"cases", required_argument, NULL, CASES},
                                        {"quick", no_argument, NULL, QUICK},
                                        {"seed", required_argument, NULL, SEED},
                                        {"budget", required_argument, NULL, BUDGET},
                                        {"out", required_argument, NULL, OUT},
                                        {"resume", no_argument, NULL, RESUME},
                                        {"plots", required_argument, NULL, PLOTS},
                                        {"published", required_argument, NULL, PUBLISHED},
                                        {"validation", no_argument, NULL, VALIDATION},
                                        {"help", no_argument, NULL, HELP},
                                        {0}};

/* Take one option; NULL or what its value should be. */
static const char *take(int option, const char *value, bench_options *o) {
  uint64_t number = 0;
  switch (option) {
  case DEVICE:
    o->device = value;
    return NULL;
  case THREADS:
    if (!console_parse_u64(value, 1, 1024, &number))
      return "it is a number from 1 to 1024";
    o->device_params.threads = (uint32_t)number;
    return NULL;
  case METHODS:
    o->methods = value;
    return bench_check_methods(value)
               ? NULL
               : "it names what is no method; methods are such as tree,rtscan,rt_cube, with commas between them";
  case EXTRA:
    return bench_take_extra(value, o);
  case SCALE:
    if (!console_parse_u64(value, 10, 30, &number))
      return "it is a number from 10 to 30";
    o->scale = (uint32_t)number;
    return NULL;
  case SF:
    return generator_parse_scale(value, SSB_MAX_SCALE, &o->scale_factor) ? NULL
                                                                         : "it is a number above 0 and at most 700";
  case DATA:
    o->data = value;
    return NULL;
  case ANSWERS:
    o->answers = value;
    return NULL;
  case RUNS:
    if (!console_parse_u64(value, 1, BENCH_MAX_RUNS, &number))
      return "it is a number from 1 to 100";
    o->runs = (uint32_t)number;
    return NULL;
  case CASES:
    if (!console_parse_u64(value, 1, 100000, &number))
      return "it is a number from 1 to 100000";
    o->cases = (uint32_t)number;
    return NULL;
  case QUICK:
    o->quick = true;
    return NULL;
  case SEED:
    return console_parse_u64(value, 0, UINT64_MAX, &o->seed) ? NULL : "it is a number from 0 to 2^64 - 1";
  case BUDGET:
    if (!console_parse_u64(value, 1, 1000000, &number))
      return "it is a number of seconds, from 1 to 1000000";
    o->budget = (double)number;
    return NULL;
  case OUT:
    o->out = value;
    return NULL;
  case RESUME:
    o->resume = true;
    return NULL;
  case PLOTS:
    o->plots = value;
    return NULL;
  case PUBLISHED:
    o->published = value;
    return NULL;
  default:
    o->device_params.validation = true;
    return NULL;
  }
}

/* 0 to go on, else the exit status plus one. */
static int parse(int argc, char **argv, bench_options *o) {
  opterr = 0;
  for (int c; (c = getopt_long(argc, argv, ":h", options, NULL)) != -1;) {
    if (c == HELP || c == 'h') {
      print_help();
      return EXIT_SUCCESS + 1;
    }
    if (c == ':')
      return console_usage(NULL, "%s needs a value", argv[optind - 1]) + 1;
    if (c == '?')
      return console_no_option(NULL, argv, options) + 1;
    const char *wrong = c == EXTRA ? NULL : console_twice(c, optarg);
    if (!wrong)
      wrong = take(c, optarg, o);
    if (wrong)
      return console_usage(NULL, "--%s %s: %s", options[c - 1].name, optarg, wrong) + 1;
    o->given |= 1u << c;
  }
  if (o->data && o->scale_factor > 0)
    return console_usage(NULL, "--sf says which tables are made, --data which are there: give one of them") + 1;
  if (optind == argc)
    return console_usage(NULL, "name an experiment; 'raydex-bench list' lists them") + 1;
  return 0;
}

/* ---- Running ---- */

/* Keys, rows of scans and the scale factor by default. */
typedef struct sizes {
  uint32_t log_keys;
  uint64_t scan_rows;
  double scale_factor;
} sizes;

#define LONG 1800 /* seconds: with less, the papers are shown at smaller sizes */

/* Of a GPU, the CPU and an emulated device. */
static const sizes usual[] = {{26, 100000000, 20}, {22, 10000000, 1}, {13, 10000, 0.01}};
static const sizes of_papers[][3] = {{{22, 1u << 25, 10}, {20, 1u << 20, 0.2}, {10, 1u << 10, 0.001}},
                                     {{20, 1u << 23, 2}, {16, 1u << 18, 0.05}, {10, 1u << 10, 0.001}}};

/* Bytes of memory for a row of the Star Schema Benchmark, by the largest experiment: each of its methods has a cube. */
#define STAR_BYTES 1200

static void set_sizes(bench *b, const sizes *s, bool demo) {
  const uint64_t told = b->options.scale ? (uint64_t)1 << b->options.scale : 0;
  const double fits = (double)b->info->memory / (6e6 * STAR_BYTES);
  const double usual_factor = demo && s->scale_factor > 0.1 ? 0.1 : s->scale_factor;
  b->log_keys = told ? b->options.scale : s->log_keys;
  b->scan_rows = told ? told : s->scan_rows;
  b->scale_factor = b->options.scale_factor > 0                ? b->options.scale_factor
                    : told                                     ? (double)told / 6e6
                    : b->options.papers && fits < usual_factor ? fits
                                                               : usual_factor;
}

static rdx_status open_bench(bench *b, bool demo, rdx_error *err) {
  rdx_status status = rdx_device_open(b->options.device, &b->options.device_params, &b->device, err);
  if (status != RDX_OK)
    return status;
  b->info = rdx_device_get_info(b->device);
  const bool gpu = b->info->backend == RDX_BACKEND_VULKAN && !b->info->emulated;
  if (gpu && b->options.papers && b->options.extra_count + 2 <= BENCH_MAX_EXTRAS) { /* HT and B+ of RTIndeX */
    (void)bench_take_extra("hash:lanes=8", &b->options);
    (void)bench_take_extra("btree:lanes=16", &b->options);
  }
  const size_t place = gpu ? 0 : b->info->emulated ? 2 : 1;
  set_sizes(b, b->options.papers ? &of_papers[b->options.budget < LONG][place] : &usual[place], demo);
  b->log_probes = gpu ? b->log_keys + 1 : b->log_keys;
  if (b->options.budget > 0)
    b->deadline = bench_seconds() + b->options.budget;
  return b->options.resume && access(b->options.out, F_OK) == 0 ? bench_report_read(b->options.out, &b->report, err)
                                                                : bench_report_create(&b->report, err);
}

static const bench_experiment *find(const char *name) {
  for (size_t i = 0; i < bench_experiment_count; i++)
    if (strcmp(bench_experiments[i].name, name) == 0)
      return &bench_experiments[i];
  return NULL;
}

static rdx_status run_experiment(bench *b, const bench_experiment *e, rdx_error *err) {
  const bench_point point = {.experiment = e->name, .parameter = ""};
  const uint64_t skipped = b->skipped;
  b->seen = 0;
  const rdx_status status = e->run(b, &point, err);
  if (b->options.methods && b->seen == 0 && b->skipped == skipped && status == RDX_OK)
    console_note("%s left out: it has none of the methods %s", e->name, b->options.methods);
  b->seen_ever |= b->skipped == skipped ? b->seen : UINT64_MAX; /* what was skipped may have had them */
  bench_report_print(b->report, e->name);                       /* also what was measured before a failure */
  if (status == RDX_OK && b->options.out && bench_report_count(b->report) > 0) /* whatever ends the program later */
    return bench_report_write(b->report, b->options.out, err);
  return status;
}

/* How many measurements an experiment makes, of those that tell before they prepare anything. */
static rdx_status count_points(bench *b, const bench_experiment *e, uint64_t *out, rdx_error *err) {
  const bench_point point = {.experiment = e->name, .parameter = ""};
  b->share = (bench_share){.counting = true};
  const rdx_status status = e->run(b, &point, err);
  *out = b->share.asked;
  b->share = (bench_share){0};
  return status;
}

/* ---- Suites ---- */

static const char *const suites[] = {"papers", "rx",     "cgrx",  "thesis", "join",
                                     "rtscan", "rtcudb", "scale", "tpch",   "standard"};

/* The suite that the command line names, with or without the word; NULL: it names experiments. */
static const char *suite_of(char **names, int count) {
  const bool told = strcmp(names[0], "suite") == 0;
  if (count != (told ? 2 : 1))
    return NULL;
  for (size_t i = 0; i < sizeof suites / sizeof *suites; i++)
    if (strcmp(names[count - 1], suites[i]) == 0)
      return suites[i];
  return NULL;
}

static bool begins(const char *text, const char *word) {
  return strncmp(text, word, strlen(word)) == 0;
}

/* Whether an experiment repeats one of a paper: it says of which figure, table or section. */
static bool is_of_paper(const bench_experiment *e) {
  return begins(e->what, "figure") || begins(e->what, "table") || begins(e->what, "section");
}

/* Whether an experiment belongs to a suite: its name begins with the suite's. Joins are the thesis' subject. */
static bool belongs(const bench_experiment *e, const char *suite) {
  const size_t length = strlen(suite);
  if (strcmp(suite, "standard") == 0)
    return e->standard;
  if (strcmp(suite, "papers") == 0)
    return is_of_paper(e);
  const bool join = strcmp(suite, "thesis") == 0 && begins(e->name, "join-");
  return join || (begins(e->name, suite) && e->name[length] == '-');
}

static bool is_papers(char **names, int count) {
  const char *suite = suite_of(names, count);
  return suite && strcmp(suite, "papers") == 0;
}

/* The published form of each index method beside ours, in an hour unless told otherwise. (Scans and cubes have theirs
 * in the experiments.) */
static void set_papers(bench_options *o) {
  static const char *const forms[] = {"rx:published=on", "rx_optimized:published=on", "cgrx:published=on",
                                      "cgrx_naive:published=on", "cgrx_updatable:published=on"};
  for (size_t i = 0; i < sizeof forms / sizeof *forms && o->extra_count < BENCH_MAX_EXTRAS; i++)
    (void)bench_take_extra(forms[i], o);
  o->budget = o->budget > 0 ? o->budget : 3600;
  o->runs = o->runs ? o->runs : o->budget < LONG ? 1 : 3;
  o->papers = true;
}

static void set_quick(bench_options *o) {
  o->runs = o->runs ? o->runs : 1;
  o->scale = o->scale ? o->scale : 10;
  if (!o->data && o->scale_factor <= 0)
    o->scale_factor = 0.002;
}

/* Whether the command line's names, with or without "suite", name an experiment. */
static bool is_named(char **names, int count, const bench_experiment *e) {
  const char *suite = suite_of(names, count);
  if (suite)
    return belongs(e, suite);
  for (int i = 0; i < count; i++)
    if (strcmp(names[i], e->name) == 0)
      return true;
  return false;
}

static bool is_done(const bench *b, const bench_experiment *e) {
  for (size_t i = 0; i < bench_report_count(b->report); i++)
    if (strcmp(bench_report_row(b->report, i)->experiment, e->name) == 0)
      return true;
  return false;
}

/* The papers begin with the last experiment: those of cubes and scans take the longest, and time that one has too much
 * goes to those that follow. */
static rdx_status run_suite(bench *b, char **names, int count, rdx_error *err) {
  const bench_experiment *todo[128];
  const double end = b->deadline;
  size_t left = 0;
  rdx_status status = RDX_OK;
  for (size_t i = 0; i < bench_experiment_count && left < sizeof todo / sizeof *todo; i++)
    if (is_named(names, count, &bench_experiments[i]) && !is_done(b, &bench_experiments[i]))
      todo[left++] = &bench_experiments[i];
  for (size_t i = 0, many = left; i < many && status == RDX_OK; i++, left--) {
    const bench_experiment *e = todo[b->options.papers ? left - 1 : i];
    uint64_t points = 0;
    if (b->options.shared) {
      status = count_points(b, e, &points, err);
      bench_share_time(b, end, left, points);
    }
    if (status == RDX_OK)
      status = run_experiment(b, e, err);
  }
  return status;
}

/* Results are kept even when something fails later, or the user stops it: they were checked. Pictures are drawn of all
 * or none. */
static rdx_status save(const bench *b, rdx_status status, rdx_error *err) {
  const bench_options *o = &b->options;
  rdx_error save_err = {""};
  rdx_status saved = RDX_OK;
  if (o->out && ((status == RDX_OK && (!o->methods || b->seen_ever != 0)) || bench_report_count(b->report) > 0))
    saved = bench_report_write(b->report, o->out, &save_err);
  if (saved == RDX_OK && status != RDX_ERROR_CANCELLED && o->plots && bench_report_count(b->report) > 0)
    saved = bench_plot(b->report, o->plots, o->published, &save_err);
  if (saved != RDX_OK && status != RDX_OK)
    console_note("%s", save_err.text);
  if (saved == RDX_OK || status != RDX_OK)
    return status;
  *err = save_err;
  return saved;
}

/* ---- What is written, looked at before the work ---- */

static rdx_status check_outputs(const bench_options *o, char **names, int count, rdx_error *err) {
  rdx_status status = console_output_check(o->out, false, err);
  if (status == RDX_OK && o->plots)
    status = bench_plot_check(o->plots, o->published, err);
  for (size_t i = 0; i < bench_experiment_count && o->plots && status == RDX_OK; i++)
    if (is_named(names, count, &bench_experiments[i]))
      status = bench_plot_check_experiment(bench_experiments[i].name, o->plots, err);
  return status;
}

static rdx_status run(bench *b, char **names, int count, rdx_error *err) {
  const bool demo = strcmp(names[0], "demo") == 0;
  if (is_papers(names, count))
    set_papers(&b->options);
  if (b->options.quick)
    set_quick(&b->options);
  b->options.runs = b->options.runs ? b->options.runs : 5;
  b->options.shared = suite_of(names, count) && b->options.budget > 0;
  rdx_status status = check_outputs(&b->options, names, count, err);
  if (status == RDX_OK)
    status = open_bench(b, demo, err);
  if (status != RDX_OK)
    return status;
  if (demo) {
    status = bench_demo(b, err);
    b->seen_ever = b->seen;
  } else if (suite_of(names, count)) {
    status = run_suite(b, names, count, err);
    if (b->options.papers)
      bench_verdicts_print(&b->report, 1);
  } else {
    for (int i = 0; i < count && status == RDX_OK; i++)
      status = run_experiment(b, find(names[i]), err);
  }
  if (b->skipped > 0)
    console_note("%" PRIu64 " measurements were left out: the time was over", b->skipped);
  return save(b, status, err);
}

static int no_experiment(const char *name) {
  char text[64];
  console_guess guess = {0};
  for (size_t i = 0; i < bench_experiment_count; i++)
    console_nearest(name, bench_experiments[i].name, &guess);
  return console_usage(NULL, "there is no experiment '%s'; 'raydex-bench list' lists them%s", name,
                       console_guess_text(&guess, "", text));
}

#define BIT(option) (1u << (option))

/* Options that few experiments read, and how the names of these begin. */
static const struct {
  unsigned options;
  const char *names[4], *text;
} readers[] = {
    {BIT(SF) | BIT(DATA), {"rtcudb-", "scale-stars", "tpch-queries"}, "rtcudb-..., scale-stars, tpch-queries and demo"},
    {BIT(ANSWERS), {"tpch-queries"}, "tpch-queries"},
    {BIT(CASES), {"planner"}, "planner"}};

/* Whether the command line names one of the experiments whose names begin so. */
static bool has_reader(char **names, int count, const char *const *begin) {
  for (size_t e = 0; e < bench_experiment_count; e++)
    for (const char *const *known = begin; *known; known++)
      if (begins(bench_experiments[e].name, *known) && is_named(names, count, &bench_experiments[e]))
        return true;
  return false;
}

/* An option that nothing on the command line reads; 0 or an exit status. */
static int check_readers(char **names, int count, const bench_options *o) {
  const unsigned of_demo = strcmp(names[0], "demo") == 0 ? readers[0].options : 0;
  for (size_t r = 0; r < sizeof readers / sizeof *readers; r++)
    for (int option = DEVICE; option < HELP; option++)
      if (o->given & ~of_demo & readers[r].options & BIT(option) && !has_reader(names, count, readers[r].names))
        return console_usage(NULL, "--%s is for %s", options[option - 1].name, readers[r].text);
  return 0;
}

/* The same for words that are no experiments, and read some options or none. */
static int check_alone(const char *word, unsigned reads, const bench_options *o) {
  for (int option = DEVICE; option < HELP; option++)
    if (o->given & ~reads & BIT(option))
      return console_usage(NULL, "%s has no use for --%s", word, options[option - 1].name);
  return 0;
}

/* What is wrong with the names on the command line, or with options for them; 0 or an exit status. */
static int check_names(char **names, int count, const bench_options *o) {
  if (o->published && !o->plots)
    return console_usage(NULL, "--published is for --plots");
  if (o->resume && (!o->out || !suite_of(names, count)))
    return console_usage(NULL, "--resume is for suites with --out");
  if (o->out && o->data && bench_star_holds(o->data, o->out))
    return console_usage(NULL, "--out %s: it would replace a table of --data", o->out);
  if (suite_of(names, count))
    return check_readers(names, count, o);
  if (strcmp(names[0], "suite") == 0)
    return console_usage(
        NULL, "there are the suites papers, rx, cgrx, thesis, join, rtscan, rtcudb, scale, tpch and standard");
  if (strcmp(names[0], "demo") == 0)
    return count > 1  ? console_usage(NULL, "demo stands alone")
           : o->plots ? console_usage(NULL, "demo draws no pictures")
                      : check_readers(names, count, o);
  for (int i = 0; i < count; i++)
    if (!find(names[i]))
      return no_experiment(names[i]);
  return check_readers(names, count, o);
}

/* Rows of one experiment follow each other. */
static void note_unknown(const bench_report *report) {
  for (size_t i = 0; i < bench_report_count(report); i++) {
    const char *name = bench_report_row(report, i)->experiment;
    if (!find(name) && (i == 0 || strcmp(name, bench_report_row(report, i - 1)->experiment) != 0))
      console_note("results of '%s' left out: there is no such experiment", name);
  }
}

#define MAX_RESULTS 8 /* files of results whose verdicts stand beside each other */

static int show_verdicts(char **files, int count) {
  bench_report *reports[MAX_RESULTS] = {NULL};
  if (count < 1 || count > MAX_RESULTS)
    return console_usage(NULL, "verdicts needs one to %d files of results", MAX_RESULTS);
  rdx_error err = {""};
  rdx_status status = RDX_OK;
  for (int i = 0; i < count && status == RDX_OK; i++)
    status = bench_report_read(files[i], &reports[i], &err);
  if (status == RDX_OK)
    bench_verdicts_print(reports, (size_t)count);
  for (int i = 0; i < count; i++)
    bench_report_destroy(&reports[i]);
  return status == RDX_OK ? EXIT_SUCCESS : console_fail(status, "%s", err.text);
}

static int plot(const char *results, const bench_options *o) {
  if (!o->plots)
    return console_usage(NULL, "plot needs --plots DIR");
  rdx_error err = {""};
  bench_report *report = NULL;
  rdx_status status = bench_report_read(results, &report, &err);
  if (status == RDX_OK)
    note_unknown(report);
  if (status == RDX_OK)
    status = bench_plot(report, o->plots, o->published, &err);
  bench_report_destroy(&report);
  return status == RDX_OK ? EXIT_SUCCESS : console_fail(status, "%s", err.text);
}

/* The exit status. */
static int execute(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "--version") == 0) {
    printf("raydex-bench %s\n", rdx_version());
    return EXIT_SUCCESS;
  }
  bench b = {.options = {.device = "auto", .cases = 500, .seed = 1}};
  const int parsed = parse(argc, argv, &b.options);
  if (parsed != 0)
    return parsed - 1;
  char **names = argv + optind;
  const int count = argc - optind;
  if (strcmp(names[0], "list") == 0) {
    if (count > 1)
      return console_usage(NULL, "list stands alone");
    const int wrong = check_alone(names[0], 0, &b.options);
    if (wrong == 0)
      print_list();
    return wrong;
  }
  if (strcmp(names[0], "plot") == 0) {
    const int wrong = check_alone(names[0], BIT(PLOTS) | BIT(PUBLISHED), &b.options);
    return wrong != 0   ? wrong
           : count == 2 ? plot(names[1], &b.options)
                        : console_usage(NULL, "plot needs one file of results");
  }
  if (strcmp(names[0], "verdicts") == 0) {
    const int wrong = check_alone(names[0], 0, &b.options);
    return wrong != 0 ? wrong : show_verdicts(names + 1, count - 1);
  }
  const int wrong = check_names(names, count, &b.options);
  if (wrong != 0)
    return wrong;
  rdx_error err = {""};
  const rdx_status status = run(&b, names, count, &err);
  const bool seen = status != RDX_OK || bench_note_unseen(&b);
  bench_report_destroy(&b.report);
  ssb_star_close(&b.star);
  rdx_device_close(&b.device);
  if (!seen)
    return console_usage(NULL, "--methods %s: nothing was measured", b.options.methods);
  return status == RDX_OK ? EXIT_SUCCESS : console_fail(status, "%s", err.text);
}

int main(int argc, char **argv) {
  console_start("raydex-bench");
  return console_finish(execute(argc, argv));
}
