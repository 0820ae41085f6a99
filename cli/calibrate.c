/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* raydex calibrate */

#include "cli/cli.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>

static void print_help(void) {
  printf("Usage: raydex calibrate [--device NAME] [--threads N] [--force] [--csv]\n\n"
         "Measure what operations take on a device, in a few seconds, and keep it in the user's cache: the\n"
         "planner of statements chooses methods by it, and EXPLAIN shows the times that it expects. What is kept\n"
         "already is printed, unless --force is given. Nothing else should run meanwhile.\n\n"
         "  --device NAME  cpu, auto, or number or part of the name of a device (auto)\n"
         "  --threads N    threads of the CPU device (one a core), for which the numbers hold\n"
         "  --force        measure again\n"
         "  --csv          name, size and nanoseconds of each operation as CSV\n");
}

static const uint32_t row_sizes[] = RDX_CALIBRATION_ROWS;
static const uint32_t tuple_sizes[] = RDX_CALIBRATION_TUPLES;
static const uint32_t scene_sizes[] = RDX_CALIBRATION_SCENE;
static const uint32_t key_sizes[] = RDX_CALIBRATION_KEYS;
static const rdx_index_method join_methods[] = RDX_CALIBRATION_JOIN_METHODS;

/* The rates as a table: for each method of joins, and each of `sizes` (NULL: there is one). */
typedef struct line {
  const char *name, *what;
  bool methods;
  const uint32_t *sizes;
  size_t offset;
} line;

static const line lines[] = {
    {"launch", "queries with nothing to do", false, NULL, offsetof(rdx_calibration, launch)},
    {"read_byte", "bytes read in order", false, NULL, offsetof(rdx_calibration, read_byte)},
    {"transfer_byte", "bytes brought to the device", false, NULL, offsetof(rdx_calibration, transfer_byte)},
    {"pack_value", "values packed", false, NULL, offsetof(rdx_calibration, pack_value)},
    {"scan_code", "packed codes compared", false, NULL, offsetof(rdx_calibration, scan_code)},
    {"list", "scans that list no rows", false, NULL, offsetof(rdx_calibration, list)},
    {"lookup", "lookups of a key", false, NULL, offsetof(rdx_calibration, lookup)},
    {"found_row", "rows found by scans", false, NULL, offsetof(rdx_calibration, found_row)},
    {"add_row", "numbers added up", false, NULL, offsetof(rdx_calibration, add_row)},
    {"group_row", "numbers added to groups", false, NULL, offsetof(rdx_calibration, group_row)},
    {"table", "dimensions made ready", false, NULL, offsetof(rdx_calibration, table)},
    {"table_row", "rows of dimensions", false, NULL, offsetof(rdx_calibration, table_row)},
    {"number_row", "rows of dimensions numbered", false, NULL, offsetof(rdx_calibration, number_row)},
    {"test", "rows kept or not, rows of dimension", false, row_sizes, offsetof(rdx_calibration, test)},
    {"gather", "numbers looked up, rows of dimension", false, row_sizes, offsetof(rdx_calibration, gather)},
    {"sort", "groups of no rows found by sorting", false, NULL, offsetof(rdx_calibration, sort)},
    {"sort_row", "rows of groups found by sorting", false, NULL, offsetof(rdx_calibration, sort_row)},
    {"sort_group", "groups found by sorting", false, NULL, offsetof(rdx_calibration, sort_group)},
    {"sort_key", "keys sorted, keys in all", false, key_sizes, offsetof(rdx_calibration, sort_key)},
    {"join", "joins of no rows", true, NULL, offsetof(rdx_calibration, join)},
    {"join_build", "keys put into the index of a join", true, key_sizes, offsetof(rdx_calibration, join_build)},
    {"join_probe", "keys looked up in it", true, key_sizes, offsetof(rdx_calibration, join_probe)},
    {"ray", "rays, rows of the cube", false, scene_sizes, offsetof(rdx_calibration, ray)},
    {"hit", "hits, rows of the cube", false, scene_sizes, offsetof(rdx_calibration, hit)},
    {"cube", "queries of a cube with nothing to do", false, NULL, offsetof(rdx_calibration, cube)},
    {"coarse_cube", "queries of a coarse cube with nothing to do", false, NULL, offsetof(rdx_calibration, coarse_cube)},
    {"rt_cube", "queries of an RT cube with nothing to do", false, NULL, offsetof(rdx_calibration, rt_cube)},
    {"range", "steps of a search, tuples of the cube", false, tuple_sizes, offsetof(rdx_calibration, range)},
    {"tuple", "combinations of a cube's attributes tested", false, NULL, offsetof(rdx_calibration, tuple)},
    {"run", "runs of rows of a cube added up", false, NULL, offsetof(rdx_calibration, run)},
    {"evaluate", "conditions evaluated for no rows", false, NULL, offsetof(rdx_calibration, evaluate)},
    {"value", "values of expressions calculated", false, NULL, offsetof(rdx_calibration, value)},
};

/* "12.3 G": how many there are in a second. */
static const char *rate_text(double ns, char out[32]) {
  static const char units[] = {' ', 'k', 'M', 'G', 'T'};
  double rate = ns > 0 ? 1e9 / ns : 0;
  size_t unit = 0;
  for (; rate >= 1000 && unit + 1 < sizeof units; unit++)
    rate /= 1000;
  snprintf(out, 32, rate < 100 ? "%.1f %c" : "%.0f %c", rate, units[unit]);
  return out;
}

static uint32_t count_of(const line *l) {
  return (l->methods ? RDX_CALIBRATION_JOINS : 1) * (l->sizes ? RDX_CALIBRATION_SIZES : 1);
}

/* "hash 1024" of number i. */
static void label(const line *l, uint32_t i, char *out, size_t size) {
  const uint32_t sizes = l->sizes ? RDX_CALIBRATION_SIZES : 1;
  const char *method = l->methods ? rdx_index_method_name(join_methods[i / sizes]) : "";
  const int used = snprintf(out, size, "%s%s", method, l->methods && l->sizes ? " " : "");
  if (l->sizes)
    snprintf(out + used, size - (size_t)used, "%" PRIu32, l->sizes[i % sizes]);
}

static void print_line(const line *l, const rdx_calibration *c, uint32_t i, bool csv) {
  const double *numbers = (const double *)((const char *)c + l->offset);
  char size[64], rate[32];
  label(l, i, size, sizeof size);
  if (csv)
    printf("%s,%s,%.6g\n", l->name, size, numbers[i]);
  else if (numbers[i] > 0)
    printf("%-36s %19s  %8s/s  %12.3f ns\n", l->what, size, rate_text(numbers[i], rate), numbers[i]);
}

static void print_calibration(const rdx_device *device, const rdx_calibration *c, bool csv) {
  const rdx_device_info *info = rdx_device_get_info(device);
  if (csv)
    printf("name,size,ns\n");
  else
    printf("%s, %s, %" PRIu32 " thread%s: %s\n", info->name, info->driver, info->threads, console_s(info->threads),
           c->source == RDX_CALIBRATION_MEASURED ? "measured" : "as it was measured before");
  for (size_t k = 0; k < sizeof lines / sizeof *lines; k++)
    for (uint32_t i = 0; i < count_of(&lines[k]); i++)
      print_line(&lines[k], c, i, csv);
}

typedef struct calibrate_options {
  const char *device;
  rdx_device_params params;
  bool force, csv;
} calibrate_options;

/* 0 to go on, else the exit status plus one. */
static int parse(int argc, char **argv, calibrate_options *out) {
  enum { DEVICE = 1, THREADS, FORCE, CSV, HELP };
  static const struct option options[] = {
      {"device", required_argument, NULL, DEVICE}, {"threads", required_argument, NULL, THREADS},
      {"force", no_argument, NULL, FORCE},         {"csv", no_argument, NULL, CSV},
      {"help", no_argument, NULL, HELP},           {0}};
  uint64_t threads = 0;
  opterr = 0;
  for (int c; (c = getopt_long(argc, argv, ":h", options, NULL)) != -1;) {
    const char *wrong = c == DEVICE || c == THREADS ? console_twice(c, optarg) : NULL;
    if (wrong)
      return console_usage("calibrate", "--%s %s: %s", options[c - 1].name, optarg, wrong) + 1;
    switch (c) {
    case DEVICE:
      out->device = optarg;
      break;
    case THREADS:
      if (!console_parse_u64(optarg, 1, 1024, &threads))
        return console_usage("calibrate", "--threads %s: it is a number from 1 to 1024", optarg) + 1;
      out->params.threads = (uint32_t)threads;
      break;
    case FORCE:
      out->force = true;
      break;
    case CSV:
      out->csv = true;
      break;
    case HELP:
    case 'h':
      print_help();
      return EXIT_SUCCESS + 1;
    case ':':
      return console_usage("calibrate", "%s needs a value", argv[optind - 1]) + 1;
    default:
      return console_no_option("calibrate", argv, options) + 1;
    }
  }
  return optind < argc ? console_usage("calibrate", "'%s' is not expected here", argv[optind]) + 1 : 0;
}

int cli_calibrate(int argc, char **argv) {
  calibrate_options o = {0};
  rdx_error err;
  rdx_device *device = NULL;
  rdx_calibration calibration;
  const int done = parse(argc, argv, &o);
  if (done)
    return done - 1;
  rdx_status status = rdx_device_open(o.device, &o.params, &device, &err);
  if (status == RDX_OK)
    status = rdx_device_calibrate(device, o.force, &calibration, &err);
  if (status == RDX_OK)
    print_calibration(device, &calibration, o.csv);
  rdx_device_close(&device);
  return status == RDX_OK ? EXIT_SUCCESS : console_fail(status, "%s", err.text);
}
