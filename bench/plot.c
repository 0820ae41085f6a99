/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Pictures: for each experiment a gnuplot script with its data in it, and what gnuplot draws from it. */

#include "bench/published.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a picture shows of an experiment. */
typedef struct view {
  const char *metric, *suffix, *axis;
  enum { RATE, PLAIN, PER_ROW } height; /* lookups a millisecond, as it is, for each row */
} view;

static const view views[] = {{"lookup_ms", "", "million lookups a second", RATE},
                             {"scan_ms", "", "scan [ms]", PLAIN},
                             {"query_ms", "", "query [ms]", PLAIN},
                             {"gb_per_s", "-bandwidth", "GB a second", PLAIN},
                             {"selectivity", "-selectivity", "rows selected [%]", PLAIN},
                             {"build_ms", "-build", "build or update [ms]", PLAIN},
                             {"bytes_resident", "-memory", "bytes a key or row", PER_ROW}};

typedef struct picture {
  const bench_report *report;
  const char *experiment;
  const view *view;
} picture;

/* Lookups are drawn as a rate and bytes for each key, so that other sizes can stand beside them. */
static double height_of(const picture *p, const bench_row *row, double value) {
  if (p->view->height == RATE)
    return (double)row->probes / value / 1e3;
  return p->view->height == PLAIN ? value : value / (double)row->rows;
}

static void write_name(FILE *file, const bench_row *row) {
  fprintf(file, "%s%s%s", row->method, row->variant[0] ? ", " : "", row->variant);
  if (strncmp(row->device, "published", 9) == 0)
    fprintf(file, " (%s)", row->device);
  fprintf(file, " %s", row->keys);
  if (strcmp(row->metric, "scan_ms") == 0)
    fprintf(file, ", %" PRIu64 " predicates", row->probes);
}

/* Scans of different numbers of predicates are different curves. */
static bool is_scan(const bench_row *row) {
  return strcmp(row->metric, "scan_ms") == 0;
}

static bool same_curve(const bench_row *a, const bench_row *b) {
  return strcmp(a->method, b->method) == 0 && strcmp(a->variant, b->variant) == 0 &&
         strcmp(a->device, b->device) == 0 && strcmp(a->keys, b->keys) == 0 && (!is_scan(a) || a->probes == b->probes);
}

static bool belongs(const picture *p, const bench_row *row) {
  return strcmp(row->experiment, p->experiment) == 0 && strcmp(row->metric, p->view->metric) == 0;
}

static bool starts_curve(const picture *p, size_t i) {
  for (size_t k = 0; k < i; k++)
    if (belongs(p, bench_report_row(p->report, k)) &&
        same_curve(bench_report_row(p->report, k), bench_report_row(p->report, i)))
      return false;
  return true;
}

/* x, height, lowest, highest, and the name of x where it has one. */
static void write_curve(FILE *file, const picture *p, const bench_row *like) {
  for (size_t i = 0; i < bench_report_count(p->report); i++) {
    const bench_row *row = bench_report_row(p->report, i);
    if (!belongs(p, row) || !same_curve(row, like))
      continue;
    const bool rate = p->view->height == RATE;
    fprintf(file, "%.9g %.9g %.9g %.9g \"%s\"\n", row->value < 0 ? -row->value : row->value,
            height_of(p, row, row->median), height_of(p, row, rate ? row->most : row->least),
            height_of(p, row, rate ? row->least : row->most), row->value < 0 ? row->parameter : "");
  }
  fprintf(file, "e\n");
}

static void write_axes(FILE *file, const picture *p, const bench_row *first) {
  double least = first->value, most = first->value;
  for (size_t i = 0; i < bench_report_count(p->report); i++) {
    const bench_row *row = bench_report_row(p->report, i);
    if (!belongs(p, row))
      continue;
    least = row->value < least ? row->value : least;
    most = row->value > most ? row->value : most;
  }
  fprintf(file, "set ylabel '%s'\nset logscale y\nset grid\nset key outside below font ',9'\n", p->view->axis);
  if (least < 0)
    fprintf(file, "set xrange [0.5:%g]\n", -least + 0.5);
  else
    fprintf(file, "set xlabel '%s'\n", first->parameter);
  if (least > 0 && least == most)
    fprintf(file, "set xrange [%.9g:%.9g]\n", least / 2, least * 2);
  if (least > 0 && most / least > 16)
    fprintf(file, "set logscale x 2\nset format x '2^{%%L}'\n");
}

/* ---- Bars, where all rows have the same x ---- */

static bool has_one_x(const picture *p, const bench_row **first) {
  *first = NULL;
  for (size_t i = 0; i < bench_report_count(p->report); i++) {
    const bench_row *row = bench_report_row(p->report, i);
    if (!belongs(p, row))
      continue;
    if (*first && (*first)->value != row->value)
      return false;
    *first = *first ? *first : row;
  }
  return *first;
}

/* The place from the top, height, lowest, highest, name. Returns how many there are. */
static uint32_t write_bars(FILE *file, const picture *p) {
  const bool rate = p->view->height == RATE;
  uint32_t count = 0;
  fprintf(file, "$bars << end\n");
  for (size_t i = 0; i < bench_report_count(p->report); i++) {
    const bench_row *row = bench_report_row(p->report, i);
    if (!belongs(p, row))
      continue;
    fprintf(file, "%" PRIu32 " %.9g %.9g %.9g \"", count++, height_of(p, row, row->median),
            height_of(p, row, rate ? row->most : row->least), height_of(p, row, rate ? row->least : row->most));
    write_name(file, row);
    fprintf(file, "\"\n");
  }
  fprintf(file, "end\n");
  return count;
}

static void write_bar_chart(FILE *file, const picture *p, const bench_row *first) {
  const uint32_t count = write_bars(file, p);
  if (first->value < 0)
    fprintf(file, "set title '%s: %s' noenhanced\n", p->experiment, first->parameter);
  else
    fprintf(file, "set title '%s: %s %.9g' noenhanced\n", p->experiment, first->parameter, first->value);
  fprintf(file, "set xlabel '%s'\nset xrange [0:*]\nset yrange [%g:-0.5]\n", p->view->axis, count - 0.5);
  fprintf(file, "unset key\nset grid x\nset ytics noenhanced\nset style fill solid 0.6 noborder\n");
  fprintf(file, "plot $bars using ($2 / 2):1:($2 / 2):(0.35):ytic(5) with boxxyerror linetype 6, "
                "$bars using 2:1:3:4 with xerrorbars pointtype 0 linecolor 'black'\n");
}

/* ---- Curves ---- */

static rdx_status write_script(const picture *p, const char *path, const char *image, rdx_error *err) {
  console_output out;
  rdx_status status = console_output_open(path, &out, err);
  if (status != RDX_OK)
    return status;
  FILE *file = out.stream;
  fprintf(file, "set terminal svg size 1000,750 dynamic background 'white'\nset output '%s'\n", image);
  fprintf(file, "set title '%s' noenhanced\n", p->experiment);
  bool any = false;
  const bench_row *first = NULL;
  if (has_one_x(p, &first)) {
    write_bar_chart(file, p, first);
    return console_output_commit(&out, err);
  }
  for (size_t i = 0; i < bench_report_count(p->report); i++) {
    const bench_row *row = bench_report_row(p->report, i);
    if (!belongs(p, row) || !starts_curve(p, i))
      continue;
    if (!any)
      write_axes(file, p, row);
    const bool published = strncmp(row->device, "published", 9) == 0;
    fprintf(file, "%s '-' using 1:2:3:4%s with yerrorlines %s title '", any ? "," : "plot",
            row->value < 0 ? ":xtic(5)" : "", published ? "dashtype 2 pointtype 6" : "pointtype 7");
    write_name(file, row);
    fprintf(file, "' noenhanced");
    any = true;
  }
  fprintf(file, "\n");
  for (size_t i = 0; i < bench_report_count(p->report); i++)
    if (belongs(p, bench_report_row(p->report, i)) && starts_curve(p, i))
      write_curve(file, p, bench_report_row(p->report, i));
  if (!any) {
    console_output_discard(&out);
    return RDX_OK;
  }
  return console_output_commit(&out, err);
}

static rdx_status run_gnuplot(const char *script, rdx_error *err) {
  const pid_t child = fork();
  if (child == 0) {
    execlp("gnuplot", "gnuplot", script, (char *)NULL);
    _exit(127);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child)
    return bench_fail(err, RDX_ERROR_IO, "cannot start gnuplot: %s", strerror(errno));
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
    return bench_fail(err, RDX_ERROR_NOT_FOUND,
                      "gnuplot is not installed (Debian: gnuplot-nox); %s is ready for it, as are the others", script);
  if (status != 0)
    return bench_fail(err, RDX_ERROR_IO, "gnuplot failed on %s", script);
  return RDX_OK;
}

static rdx_status draw(const picture *p, const char *dir, rdx_error *err) {
  bool any = false;
  for (size_t i = 0; i < bench_report_count(p->report) && !any; i++)
    any = belongs(p, bench_report_row(p->report, i));
  if (!any)
    return RDX_OK;
  char script[4096], image[4096];
  const char *suffix = p->view->suffix;
  const int length = snprintf(script, sizeof script, "%s/%s%s.gp", dir, p->experiment, suffix);
  if (length < 0 || (size_t)length >= sizeof script || strchr(dir, '\''))
    return bench_fail(err, RDX_ERROR_ARGUMENT, "the name of the folder for plots is too long, or has a quote in it");
  snprintf(image, sizeof image, "%s/%s%s.svg", dir, p->experiment, suffix);
  const rdx_status status = write_script(p, script, image, err);
  return status == RDX_OK ? run_gnuplot(script, err) : status;
}

rdx_status bench_plot(const bench_report *report, const char *dir, const char *published, rdx_error *err) {
  if (mkdir(dir, 0777) != 0 && errno != EEXIST)
    return bench_fail(err, RDX_ERROR_IO, "cannot make the folder %s: %s", dir, strerror(errno));
  bench_report *all = NULL;
  rdx_status status = bench_report_create(&all, err);
  for (size_t i = 0; i < bench_report_count(report) && status == RDX_OK; i++)
    status = bench_report_append(all, bench_report_row(report, i), err);
  if (status == RDX_OK && published)
    status = bench_published_add(all, published, err);
  for (size_t e = 0; e < bench_experiment_count && status == RDX_OK; e++) {
    for (size_t v = 0; v < sizeof views / sizeof *views && status == RDX_OK; v++) {
      const picture p = {all, bench_experiments[e].name, &views[v]};
      bool ours = false; /* published results alone make no picture */
      for (size_t i = 0; i < bench_report_count(report) && !ours; i++)
        ours = belongs(&p, bench_report_row(report, i));
      if (ours)
        status = draw(&p, dir, err);
    }
  }
  bench_report_destroy(&all);
  return status;
}
