/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Pictures: for each experiment gnuplot scripts (picture.c), and what gnuplot draws from them. */

#include "bench/picture.h"
#include "bench/published.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const bench_view views[] = {
    {"lookup_ms", "", "million lookups a second", BENCH_AS_RATE},
    {"rate_per_byte", "-per-byte", "million lookups a second by bytes a key", BENCH_AS_IS},
    {"scan_ms", "", "scan [ms]", BENCH_AS_IS},
    {"answer_ms", "", "call to result [ms]", BENCH_AS_IS},
    {"host_ms", "-transfer", "scan and transfer to the host [ms]", BENCH_AS_IS},
    {"reduced", "-reduced", "rows that need no refining [%]", BENCH_AS_IS},
    {"share", "-stages", "part of the time [%]", BENCH_AS_IS},
    {"gb_per_s", "-bandwidth", "GB a second", BENCH_AS_IS},
    {"selectivity", "-selectivity", "rows selected [%]", BENCH_AS_IS},
    {"trace_ms", "-rays", "rays of all lookups [ms]", BENCH_AS_IS},
    {"bucket_ms", "-search", "search in buckets of all lookups [ms]", BENCH_AS_IS},
    {"result_ms", "-values", "values of all lookups [ms]", BENCH_AS_IS},
    {"compress_ms", "-compression", "finding distinct keys [ms]", BENCH_AS_IS},
    {"build_ms", "-build", "build or update [ms]", BENCH_AS_IS},
    {"bytes_resident", "-memory", "bytes a key or row", BENCH_BY_ROWS},
    {"bytes_peak", "-peak", "bytes a key or row, at the peak of the build", BENCH_BY_ROWS}};

/* Wait for a process; one that a signal asks to stop is stopped. */
static bool await(pid_t child, int *status) {
  while (waitpid(child, status, 0) != child) {
    if (errno != EINTR)
      return false;
    if (console_interrupted())
      kill(child, SIGTERM);
  }
  return true;
}

/* Draw into a file that is open. */
static rdx_status run_gnuplot(const char *script, int image, rdx_error *err) {
  const pid_t child = fork();
  if (child == 0) {
    if (dup2(image, STDOUT_FILENO) >= 0)
      execlp("gnuplot", "gnuplot", script, (char *)NULL);
    _exit(127);
  }
  int status = 0;
  if (child < 0 || !await(child, &status))
    return console_error(err, RDX_ERROR_IO, "cannot start gnuplot: %s", strerror(errno));
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
    return console_error(err, RDX_ERROR_NOT_FOUND,
                         "gnuplot is not installed (Debian: gnuplot-nox); %s is ready for it, as are the others",
                         script);
  if (status != 0)
    return console_error(err, RDX_ERROR_IO, "gnuplot failed on %s", script);
  return RDX_OK;
}

/* gnuplot does not say when a disk is full. */
static bool is_whole(int image) {
  static const char end[] = "</svg>";
  char last[16] = "";
  const off_t size = lseek(image, 0, SEEK_END), begin = size > 15 ? size - 15 : 0;
  return size > 0 && pread(image, last, sizeof last - 1, begin) > 0 && strstr(last, end);
}

static rdx_status draw_image(const char *script, const char *image, rdx_error *err) {
  console_output out;
  rdx_status status = console_output_open(image, &out, err);
  if (status != RDX_OK)
    return status;
  status = run_gnuplot(script, fileno(out.stream), err);
  if (console_interrupted())
    return console_output_finish(&out, err);
  if (status == RDX_OK && !is_whole(fileno(out.stream)))
    status = console_error(err, RDX_ERROR_IO, "cannot write %s: gnuplot left it incomplete; is the disk full?", image);
  if (status == RDX_OK)
    return console_output_commit(&out, err);
  console_output_discard(&out);
  return status;
}

typedef struct picture_paths {
  char script[4096], image[4096];
} picture_paths;

static bool find_paths(const bench_picture *p, const char *dir, picture_paths *out) {
  const char *suffix = p->view->suffix;
  const int length = snprintf(out->script, sizeof out->script, "%s/%s%s.gp", dir, p->experiment, suffix);
  snprintf(out->image, sizeof out->image, "%s/%s%s.svg", dir, p->experiment, suffix);
  return length > 0 && (size_t)length < sizeof out->script - 1; /* the other suffix is one longer */
}

static rdx_status draw(const bench_picture *p, const char *dir, rdx_error *err) {
  picture_paths paths;
  bool any;
  if (!find_paths(p, dir, &paths))
    return console_error(err, RDX_ERROR_ARGUMENT, "the name of the folder for plots is too long");
  const rdx_status status = bench_picture_write(p, paths.script, &any, err);
  if (status == RDX_OK && !any)
    console_note("%s%s.svg left out: no %s above 0", p->experiment, p->view->suffix, p->view->metric);
  return status == RDX_OK && any ? draw_image(paths.script, paths.image, err) : status;
}

static rdx_status make_folder(const char *dir, rdx_error *err) {
  if (mkdir(dir, 0777) != 0 && errno != EEXIST)
    return console_error(err, RDX_ERROR_IO, "cannot make the folder %s: %s", dir, strerror(errno));
  return RDX_OK;
}

static rdx_status check_published(const char *published, rdx_error *err) {
  bench_report *report = NULL;
  rdx_status status = bench_report_create(&report, err);
  if (status == RDX_OK)
    status = bench_published_add(report, published, err);
  bench_report_destroy(&report);
  return status;
}

rdx_status bench_plot_check(const char *dir, const char *published, rdx_error *err) {
  rdx_status status = make_folder(dir, err);
  if (status == RDX_OK && access(dir, W_OK | X_OK) != 0)
    status = console_error(err, RDX_ERROR_IO, "cannot write into the folder %s: %s", dir, strerror(errno));
  return status == RDX_OK && published ? check_published(published, err) : status;
}

rdx_status bench_plot_check_experiment(const char *experiment, const char *dir, rdx_error *err) {
  rdx_status status = RDX_OK;
  for (size_t v = 0; v < sizeof views / sizeof *views && status == RDX_OK; v++) {
    const bench_picture p = {NULL, experiment, &views[v]};
    picture_paths paths;
    if (!find_paths(&p, dir, &paths))
      return console_error(err, RDX_ERROR_ARGUMENT, "the name of the folder for plots is too long");
    status = console_output_check(paths.script, false, err);
    if (status == RDX_OK)
      status = console_output_check(paths.image, false, err);
  }
  return status;
}

/* A picture of its own rows, which are few of all. */
static rdx_status draw_own(const bench_picture *of_all, const char *dir, rdx_error *err) {
  bench_picture p = *of_all;
  bench_report *own = NULL;
  rdx_status status = bench_report_create(&own, err);
  for (size_t i = 0; i < bench_report_count(of_all->report) && status == RDX_OK; i++)
    if (bench_picture_has(of_all, bench_report_row(of_all->report, i)))
      status = bench_report_append(own, bench_report_row(of_all->report, i), err);
  p.report = own;
  if (status == RDX_OK)
    status = draw(&p, dir, err);
  bench_report_destroy(&own);
  return status;
}

rdx_status bench_plot(const bench_report *report, const char *dir, const char *published, rdx_error *err) {
  bench_report *all = NULL;
  size_t pictures = 0;
  rdx_status status = make_folder(dir, err), drawn = RDX_OK;
  if (status == RDX_OK)
    status = bench_report_create(&all, err);
  for (size_t i = 0; i < bench_report_count(report) && status == RDX_OK; i++)
    status = bench_report_append(all, bench_report_row(report, i), err);
  if (status == RDX_OK && published)
    status = bench_published_add(all, published, err);
  for (size_t e = 0; e < bench_experiment_count && status == RDX_OK; e++) {
    for (size_t v = 0; v < sizeof views / sizeof *views && status == RDX_OK; v++) {
      const bench_picture p = {all, bench_experiments[e].name, &views[v]};
      bool ours = false; /* published results alone make no picture */
      for (size_t i = 0; i < bench_report_count(report) && !ours; i++)
        ours = bench_picture_has(&p, bench_report_row(report, i));
      if (ours)
        status = draw_own(&p, dir, err);
      if (status == RDX_ERROR_NOT_FOUND) { /* without gnuplot the scripts are written all the same */
        drawn = status;
        status = RDX_OK;
      }
      pictures += ours;
    }
  }
  if (status == RDX_OK)
    status = drawn;
  if (status == RDX_OK && pictures == 0)
    status = console_error(err, RDX_ERROR_NOT_FOUND, "there are no results of any experiment to draw");
  bench_report_destroy(&all);
  return status;
}
