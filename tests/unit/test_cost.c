/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Rates: lines through times, rates between sizes, work as milliseconds, and calibrations that are kept. */

#include <raydex/cost.h>

#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cost/cost.h"

static void assert_near(double value, double expected, double share) {
  if (fabs(value - expected) > share * fabs(expected) + 1e-12)
    fail_msg("%g is not within %g%% of %g", value, 100 * share, expected);
}

/* ---- Lines ---- */

static void a_line_is_found_again(void **state) {
  const double items[] = {100, 5000, 200000};
  double ms[3], fixed = 0, each = 0;
  (void)state;
  for (int i = 0; i < 3; i++)
    ms[i] = 0.25 + 3e-5 * items[i];
  rdx_fit_line(items, ms, 3, &fixed, &each);
  assert_near(fixed, 0.25, 1e-6);
  assert_near(each, 3e-5, 1e-6);
}

static void a_line_bears_noise(void **state) {
  const double items[] = {1000, 50000, 2000000}, noise[] = {1.05, 0.95, 1.04};
  double ms[3], fixed = 0, each = 0;
  (void)state;
  for (int i = 0; i < 3; i++)
    ms[i] = noise[i] * (0.1 + 1e-5 * items[i]);
  rdx_fit_line(items, ms, 3, &fixed, &each);
  assert_near(fixed, 0.1, 0.15);
  assert_near(each, 1e-5, 0.1);
}

static void no_part_is_below_nothing(void **state) {
  const double items[] = {10, 1000}, falling[] = {5, 4}, through[] = {0.001, 0.2};
  double fixed = -1, each = -1;
  (void)state;
  rdx_fit_line(items, falling, 2, &fixed, &each);
  assert_true(fixed > 0 && each == 0);
  rdx_fit_line(items, through, 2, &fixed, &each);
  assert_true(fixed == 0 && each > 0);
  rdx_fit_line(items, through, 1, &fixed, &each);
  assert_true(fixed == 0);
  assert_near(each, 1e-4, 1e-9);
  rdx_fit_line(NULL, NULL, 0, &fixed, &each);
  assert_true(fixed == 0 && each == 0);
}

/* Of lines, squares, and cubes beside a constant, all with noise. */
static void a_curve_is_found_again(void **state) {
  const double items[] = {0.03, 0.08, 0.25, 0.6, 0.7, 1}, noise[] = {1.05, 0.97, 1.02, 0.96, 1.03, 0.99};
  (void)state;
  for (int power = 1; power <= 3; power++) {
    double ms[6];
    rdx_curve curve;
    for (int i = 0; i < 6; i++)
      ms[i] = noise[i] * (0.02 + 30 * pow(items[i], power));
    rdx_fit_curve(items, ms, 6, &curve);
    assert_true(fabs(curve.power - power) <= 0.5);
    for (int i = 0; i < 6; i++)
      assert_near(rdx_curve_ms(&curve, items[i]), ms[i], 0.2);
  }
}

static void a_curve_of_few_points_is_a_line(void **state) {
  const double items[] = {2, 4}, ms[] = {1, 2};
  rdx_curve curve = {0};
  (void)state;
  rdx_fit_curve(items, ms, 2, &curve);
  assert_near(rdx_curve_ms(&curve, 3), 1.5, 1e-6);
  rdx_fit_curve(items, ms, 1, &curve);
  assert_near(rdx_curve_ms(&curve, 2), 1, 1e-6);
  rdx_fit_curve(NULL, NULL, 0, &curve);
  assert_true(rdx_curve_ms(&curve, 5) == 0);
}

/* ---- Rates and work ---- */

static void rates_lie_between_those_of_sizes(void **state) {
  const rdx_calibration rates = {.ray = {1e6, 2e6, 8e6}};
  static const struct {
    double primitives, ms;
  } cases[] = {{0, 1}, {1 << 10, 1}, {5792.618751, 1.5}, {1 << 15, 2}, {185363.800, 5}, {1e12, 8}, {NAN, 1}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const rdx_work work = {.rays = 1, .primitives = cases[i].primitives};
    assert_near(rdx_work_ms(&rates, &work), cases[i].ms, 1e-9);
  }
}

static void work_adds_up(void **state) {
  const rdx_calibration rates = {.launch = 1000,
                                 .scan_code = 0.5,
                                 .gather = {1, 3, 5},
                                 .join = {1000, 2000},
                                 .join_build = {{1, 1, 3}, {2, 2, 2}},
                                 .join_probe = {{10, 10, 10}, {20, 20, 20}},
                                 .range = {1, 2, 3},
                                 .ray = {100, 200, 300}};
  const rdx_work work = {.launches = 2, .codes = 1e6, .gathers = 1e6, .table_rows = 1 << 16};
  const rdx_work join = {.join_method = 1, .joins = 1, .built = 1 << 16, .probed = 1e6};
  const rdx_work searches = {.steps = 1e6, .searched_tuples = 1 << 16};
  const rdx_work rays = {.rays = 1e6, .primitives = 1e9};
  (void)state;
  assert_near(rdx_work_ms(&rates, &work), 0.002 + 0.5 + 3, 1e-9);
  assert_near(rdx_work_ms(&rates, &join), 0.002 + 20 + 0.131072, 1e-9);
  assert_near(rdx_work_ms(&rates, &searches), 2, 1e-9);
  assert_near(rdx_work_ms(&rates, &rays), 300, 1e-9);
}

/* ---- What is kept ---- */

typedef struct kept {
  char folder[64], file[600];
  rdx_device *device;
} kept;

static void open_device(kept *k, uint32_t threads) {
  const rdx_device_params params = {.threads = threads, .cache_dir = k->folder};
  rdx_error err;
  rdx_device_close(&k->device);
  assert_int_equal(rdx_device_open("cpu", &params, &k->device, &err), RDX_OK);
}

static int make_kept(void **state) {
  kept *k = calloc(1, sizeof *k);
  snprintf(k->folder, sizeof k->folder, "/tmp/raydex-cost-XXXXXX");
  assert_non_null(mkdtemp(k->folder));
  open_device(k, 1);
  *state = k;
  return 0;
}

static void remove_files(kept *k) {
  DIR *folder = opendir(k->folder);
  for (struct dirent *e = readdir(folder); e; e = readdir(folder)) {
    snprintf(k->file, sizeof k->file, "%s/%s", k->folder, e->d_name);
    unlink(k->file);
  }
  closedir(folder);
}

static int drop_kept(void **state) {
  kept *k = *state;
  rdx_device_close(&k->device);
  remove_files(k);
  rmdir(k->folder);
  free(k);
  return 0;
}

/* The one file of a folder: k->file. */
static void find_file(kept *k, const char *path) {
  DIR *folder = opendir(path);
  uint32_t count = 0;
  for (struct dirent *e = readdir(folder); e; e = readdir(folder)) {
    if (e->d_name[0] == '.')
      continue;
    snprintf(k->file, sizeof k->file, "%s/%s", path, e->d_name);
    count++;
  }
  closedir(folder);
  assert_int_equal(count, 1);
}

static rdx_calibration example(void) {
  return (rdx_calibration){.launch = 1234.5,
                           .read_byte = 0.0004321,
                           .transfer_byte = 0.05,
                           .pack_value = 3,
                           .scan_code = 0.25,
                           .group_row = 1.5,
                           .gather = {0, 1.25, 7},
                           .sort_key = {7, 8, 9},
                           .join = {1, 2, 3, 4, 5},
                           .join_build = {{10, 10, 10}, {11, 11, 11}, {12, 12, 12}, {13, 13, 13}, {14, 14, 14}},
                           .join_probe = {{20, 20, 20}, {21, 21, 21}, {22, 22, 22}, {23, 23, 23}, {24, 24, 24}},
                           .ray = {30, 31, 1e9},
                           .hit = {40, 41, 42},
                           .value = 0.75};
}

static size_t read_file(const char *path, char *text, size_t size) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  const size_t length = fread(text, 1, size - 1, file);
  fclose(file);
  text[length] = '\0';
  return length;
}

static void write_file(const char *path, const char *text, size_t length) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(text, 1, length, file), length);
  fclose(file);
}

static void what_is_kept_is_read_again(void **state) {
  kept *k = *state;
  const rdx_calibration stored = example();
  rdx_calibration loaded = {0};
  assert_false(rdx_calibration_load(k->device, &loaded));
  assert_true(rdx_calibration_store(k->device, &stored));
  assert_true(rdx_calibration_load(k->device, &loaded));
  assert_int_equal(loaded.source, RDX_CALIBRATION_KEPT);
  assert_near(loaded.launch, stored.launch, 1e-9);
  assert_near(loaded.read_byte, stored.read_byte, 1e-3);
  assert_near(loaded.gather[0], 0, 0);
  assert_near(loaded.gather[2], 7, 1e-9);
  assert_near(loaded.ray[2], 1e9, 1e-9);
  assert_near(loaded.value, 0.75, 1e-9);
  rdx_device_get_calibration(k->device, &loaded);
  assert_int_equal(loaded.source, RDX_CALIBRATION_KEPT);
  assert_near(loaded.sort_key[2], 9, 1e-9);
}

static void other_devices_have_their_own(void **state) {
  kept *k = *state;
  const rdx_calibration stored = example();
  rdx_calibration loaded = {0};
  assert_true(rdx_calibration_store(k->device, &stored));
  open_device(k, 2);
  assert_false(rdx_calibration_load(k->device, &loaded));
  rdx_device_get_calibration(k->device, &loaded);
  assert_int_equal(loaded.source, RDX_CALIBRATION_BUILT_IN);
  assert_true(loaded.launch > 0 && loaded.value > 0 && loaded.ray[0] > 0);
}

/* Whatever byte of the file is another, or missing: it is not used. */
static void damaged_files_are_not_used(void **state) {
  kept *k = *state;
  const rdx_calibration stored = example();
  rdx_calibration loaded;
  char text[4096], damaged[4096];
  assert_true(rdx_calibration_store(k->device, &stored));
  find_file(k, k->folder);
  const size_t length = read_file(k->file, text, sizeof text);
  for (size_t i = 0; i < length; i++) {
    memcpy(damaged, text, length);
    damaged[i] ^= 1;
    write_file(k->file, damaged, length);
    assert_false(rdx_calibration_load(k->device, &loaded));
    write_file(k->file, text, i);
    assert_false(rdx_calibration_load(k->device, &loaded));
  }
  write_file(k->file, text, length);
  assert_true(rdx_calibration_load(k->device, &loaded));
  text[length] = '\n';
  write_file(k->file, text, length + 1);
  assert_false(rdx_calibration_load(k->device, &loaded));
}

static uint64_t fnv(const char *text) {
  uint64_t sum = 0xcbf29ce484222325u;
  for (; *text; text++)
    sum = (sum ^ (unsigned char)*text) * 0x100000001b3u;
  return sum;
}

/* A file of another version of the library is whole, and holds for something else. */
static void files_of_other_versions_are_not_used(void **state) {
  kept *k = *state;
  const rdx_calibration stored = example();
  rdx_calibration loaded;
  char text[4096], other[4200];
  assert_true(rdx_calibration_store(k->device, &stored));
  find_file(k, k->folder);
  read_file(k->file, text, sizeof text);
  char *body = strchr(text, '\n') + 1, *version = strstr(body, "library ") + strlen("library ");
  snprintf(other, sizeof other, "raydex calibration 10 %016llx\n%s", (unsigned long long)fnv(body), body);
  write_file(k->file, other, strlen(other));
  assert_true(rdx_calibration_load(k->device, &loaded)); /* the same, made here */
  *version = '9';
  snprintf(other, sizeof other, "raydex calibration 10 %016llx\n%s", (unsigned long long)fnv(body), body);
  write_file(k->file, other, strlen(other));
  assert_false(rdx_calibration_load(k->device, &loaded));
}

static void a_cache_that_cannot_be_written_is_no_error(void **state) {
  kept *k = *state;
  const rdx_calibration stored = example();
  char path[256];
  rdx_error err;
  rdx_calibration found;
  snprintf(path, sizeof path, "%s/file", k->folder);
  write_file(path, "x", 1);
  rdx_device_close(&k->device);
  snprintf(path, sizeof path, "%s/file/folder", k->folder); /* root writes into folders that are read-only, too */
  const rdx_device_params params = {.threads = 1, .cache_dir = path};
  assert_int_equal(rdx_device_open("cpu", &params, &k->device, &err), RDX_OK);
  assert_false(rdx_calibration_store(k->device, &stored));
  assert_int_equal(rdx_device_calibrate(k->device, false, &found, &err), RDX_OK);
  assert_int_equal(found.source, RDX_CALIBRATION_MEASURED);
  rdx_device_get_calibration(k->device, &found);
  assert_int_equal(found.source, RDX_CALIBRATION_MEASURED);
}

static void folders_are_made(void **state) {
  kept *k = *state;
  char path[256], name[256];
  rdx_error err;
  const rdx_calibration stored = example();
  rdx_calibration loaded;
  snprintf(path, sizeof path, "%s/a/b", k->folder);
  const rdx_device_params params = {.threads = 1, .cache_dir = path};
  rdx_device_close(&k->device);
  assert_int_equal(rdx_device_open("cpu", &params, &k->device, &err), RDX_OK);
  assert_true(rdx_calibration_store(k->device, &stored));
  assert_true(rdx_calibration_load(k->device, &loaded));
  find_file(k, path);
  unlink(k->file);
  rmdir(path);
  snprintf(name, sizeof name, "%s/a", k->folder);
  rmdir(name);
}

/* ---- Measuring ---- */

static void a_device_is_measured_once(void **state) {
  kept *k = *state;
  rdx_calibration first, second;
  rdx_error err;
  assert_int_equal(rdx_device_calibrate(k->device, false, &first, &err), RDX_OK);
  assert_int_equal(first.source, RDX_CALIBRATION_MEASURED);
  const double *const rates[] = {&first.launch,           &first.read_byte, &first.transfer_byte,
                                 &first.pack_value,       &first.scan_code, &first.group_row,
                                 &first.sort_key[0],      &first.value,     &first.join_build[1][0],
                                 &first.join_probe[4][2], &first.hit[1],    &first.ray[2]};
  assert_true(first.launch > 0 && first.read_byte > 0);
  for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) /* beside other programs a difference may be no time */
    assert_true(*rates[i] >= 0 && *rates[i] < 1e9);
  for (uint32_t i = 1; i < RDX_CALIBRATION_SIZES; i++)
    assert_true(first.gather[i] >= first.gather[i - 1] && first.ray[i] >= first.ray[i - 1]);
  open_device(k, 1);
  assert_int_equal(rdx_device_calibrate(k->device, false, &second, &err), RDX_OK);
  assert_int_equal(second.source, RDX_CALIBRATION_KEPT);
  assert_near(second.launch, first.launch, 1e-6);
}

static bool stop(void *user, const char *stage, uint64_t done, uint64_t total) {
  (void)user, (void)done, (void)total;
  return strcmp(stage, "calibrate") == 0;
}

static void measuring_can_be_stopped(void **state) {
  kept *k = *state;
  rdx_calibration found;
  rdx_error err;
  rdx_set_progress(stop, NULL);
  assert_int_equal(rdx_device_calibrate(k->device, true, &found, &err), RDX_ERROR_CANCELLED);
  rdx_set_progress(NULL, NULL);
  rdx_device_get_calibration(k->device, &found);
  assert_int_equal(found.source, RDX_CALIBRATION_BUILT_IN);
  assert_int_equal(rdx_device_calibrate(NULL, false, &found, &err), RDX_ERROR_ARGUMENT);
  assert_int_equal(rdx_device_calibrate(k->device, false, NULL, &err), RDX_ERROR_ARGUMENT);
}

#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_kept, drop_kept)

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_line_is_found_again),
      cmocka_unit_test(a_line_bears_noise),
      cmocka_unit_test(no_part_is_below_nothing),
      cmocka_unit_test(a_curve_is_found_again),
      cmocka_unit_test(a_curve_of_few_points_is_a_line),
      cmocka_unit_test(rates_lie_between_those_of_sizes),
      cmocka_unit_test(work_adds_up),
      WITH_FOLDER(what_is_kept_is_read_again),
      WITH_FOLDER(other_devices_have_their_own),
      WITH_FOLDER(damaged_files_are_not_used),
      WITH_FOLDER(files_of_other_versions_are_not_used),
      WITH_FOLDER(a_cache_that_cannot_be_written_is_no_error),
      WITH_FOLDER(folders_are_made),
      WITH_FOLDER(a_device_is_measured_once),
      WITH_FOLDER(measuring_can_be_stopped),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
