/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Pictures: for each experiment a gnuplot script with its data in it, and what gnuplot draws from it. */

#include "bench/published.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
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
                             {"rate_per_byte", "-per-byte", "million lookups a second by bytes a key", PLAIN},
                             {"scan_ms", "", "scan [ms]", PLAIN},
                             {"answer_ms", "", "call to result [ms]", PLAIN},
                             {"host_ms", "-transfer", "scan and transfer to the host [ms]", PLAIN},
                             {"reduced", "-reduced", "rows that need no refining [%]", PLAIN},
                             {"share", "-stages", "part of the time [%]", PLAIN},
                             {"gb_per_s", "-bandwidth", "GB a second", PLAIN},
                             {"selectivity", "-selectivity", "rows selected [%]", PLAIN},
                             {"trace_ms", "-rays", "rays of all lookups [ms]", PLAIN},
                             {"bucket_ms", "-search", "search in buckets of all lookups [ms]", PLAIN},
                             {"result_ms", "-values", "values of all lookups [ms]", PLAIN},
                             {"compress_ms", "-compression", "finding distinct keys [ms]", PLAIN},
                             {"build_ms", "-build", "build or update [ms]", PLAIN},
                             {"bytes_resident", "-memory", "bytes a key or row", PER_ROW}};

typedef struct picture {
  const bench_report *report;
  const char *experiment;
  const view *view;
} picture;

/* ---- Texts in scripts: they come from files, and gnuplot runs what stands between backquotes ---- */

/* Between quotes of a kind, which cannot stand inside. No character ends the line. */
static void put_text(FILE *file, const char *text, char quote, const char *instead) {
  fputc(quote, file);
  for (; *text; text++) {
    if (*text == quote)
      fputs(instead, file);
    else
      fputc((unsigned char)*text < ' ' || *text == 127 ? ' ' : *text, file);
  }
  fputc(quote, file);
}

/* A string in which nothing is expanded. In those a doubled quote stands for one, but gnuplot 5.4 reads two of these in
 * a row, or one at the beginning, as the end: it becomes an apostrophe. */
static void put_string(FILE *file, const char *text) {
  put_text(file, text, '\'', "\xe2\x80\x99");
}

/* A field of data. */
static void put_field(FILE *file, const char *text) {
  put_text(file, text, '"', "'");
}

/* ---- Rows ---- */

/* Lookups are drawn as a rate and bytes for each key, so that other sizes can stand beside them. */
static double height_of(const picture *p, const bench_row *row, double value) {
  if (p->view->height == RATE)
    return (double)row->probes / value / 1e3;
  return p->view->height == PLAIN ? value : value / (double)row->rows;
}

/* The height, its least and its most; a rate has none where the fastest run took no time that could be measured. */
static void put_heights(FILE *file, const picture *p, const bench_row *row) {
  const bool rate = p->view->height == RATE;
  const double height = height_of(p, row, row->median);
  const double min = height_of(p, row, rate ? row->max : row->min);
  const double max = height_of(p, row, rate ? row->min : row->max);
  fprintf(file, " %.9g %.9g %.9g ", height, min, isfinite(max) ? max : height);
}

/* Scans of different numbers of predicates are different curves. */
static bool is_scan(const bench_row *row) {
  return strcmp(row->metric, "scan_ms") == 0 || strcmp(row->metric, "host_ms") == 0;
}

typedef struct curve_name {
  char text[512];
} curve_name;

static curve_name name_of(const bench_row *row) {
  curve_name name;
  const bool published = strncmp(row->device, "published", 9) == 0;
  char predicates[40] = "";
  if (is_scan(row))
    snprintf(predicates, sizeof predicates, ", %" PRIu64 " predicates", row->probes);
  snprintf(name.text, sizeof name.text, "%s%s%s%s%s%s %s%s", row->method, row->variant[0] ? ", " : "", row->variant,
           published ? " (" : "", published ? row->device : "", published ? ")" : "", row->keys, predicates);
  return name;
}

static bool same_curve(const bench_row *a, const bench_row *b) {
  return strcmp(a->method, b->method) == 0 && strcmp(a->variant, b->variant) == 0 &&
         strcmp(a->device, b->device) == 0 && strcmp(a->keys, b->keys) == 0 && (!is_scan(a) || a->probes == b->probes);
}

static bool is_of(const picture *p, const bench_row *row) {
  return strcmp(row->experiment, p->experiment) == 0 && strcmp(row->metric, p->view->metric) == 0;
}

/* Heights are drawn as logarithms: what took no time that could be measured has no place. */
static bool belongs(const picture *p, const bench_row *row) {
  const double height = height_of(p, row, row->median);
  return is_of(p, row) && isfinite(height) && height > 0;
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
    fprintf(file, "%.9g", fabs(row->value));
    put_heights(file, p, row);
    put_field(file, row->value < 0 ? row->parameter : "");
    fputc('\n', file);
  }
  fprintf(file, "e\n");
}

/* ---- Styles ---- */

/* Colours that colour-blind readers tell apart (Okabe and Ito's, without yellow), one a form of a method. Ours is
 * solid and filled, its published form dashed and open in the same colour; published points are dotted. */
static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00",
                                      "#56B4E9", "#000000", "#7F7F7F", "#882255", "#44AA99"};
enum { COLOURS = sizeof colours / sizeof *colours };

static bool is_published_point(const bench_row *row) {
  return strncmp(row->device, "published", 9) == 0;
}

static bool is_published_form(const bench_row *row) {
  return strstr(row->variant, "published") != NULL;
}

/* The variant without the word. */
static void base_variant(const bench_row *row, char out[BENCH_VARIANT]) {
  snprintf(out, BENCH_VARIANT, "%s", row->variant);
  char *at = strstr(out, ", published");
  if (at)
    memmove(at, at + 11, strlen(at + 11) + 1);
  else if (strncmp(out, "published", 9) == 0)
    memmove(out, out + 9 + 2 * (out[9] == ','), strlen(out + 9 + 2 * (out[9] == ',')) + 1);
}

static bool same_base(const bench_row *a, const bench_row *b) {
  char of_a[BENCH_VARIANT], of_b[BENCH_VARIANT];
  base_variant(a, of_a);
  base_variant(b, of_b);
  return strcmp(a->method, b->method) == 0 && strcmp(of_a, of_b) == 0 && strcmp(a->keys, b->keys) == 0;
}

static const char *colour_of(const picture *p, const bench_row *row) {
  size_t number = 0;
  for (size_t i = 0; i < bench_report_count(p->report); i++) {
    const bench_row *other = bench_report_row(p->report, i);
    if (!belongs(p, other) || !starts_curve(p, i))
      continue;
    if (same_base(other, row))
      return colours[number % COLOURS];
    bool first = true;
    for (size_t k = 0; k < i && first; k++)
      first = !belongs(p, bench_report_row(p->report, k)) || !same_base(bench_report_row(p->report, k), other);
    number += first;
  }
  return colours[number % COLOURS];
}

static const char *line_of(const bench_row *row) {
  return is_published_point(row)  ? "dashtype 3 pointtype 4"
         : is_published_form(row) ? "dashtype 2 pointtype 6"
                                  : "dashtype 1 pointtype 7";
}

/* The paper whose figure an experiment repeats, as a title begins with it. */
static const char *paper_of(const char *experiment) {
  static const char *const papers[][2] = {{"rx-", "RTIndeX, "},          {"cgrx-", "cgRX, "},
                                          {"thesis-", "optimized RX, "}, {"join-inverse", "optimized RX, "},
                                          {"rtscan-", "RTScan, "},       {"rtcudb-", "RTCUDB, "}};
  for (size_t i = 0; i < sizeof papers / sizeof *papers; i++)
    if (strncmp(experiment, papers[i][0], strlen(papers[i][0])) == 0)
      return papers[i][1];
  return "";
}

/* What is shown, and on which device. */
static void write_title(FILE *file, const picture *p, const char *place) {
  const char *what = "", *device = "";
  for (size_t e = 0; e < bench_experiment_count; e++)
    if (strcmp(bench_experiments[e].name, p->experiment) == 0)
      what = bench_experiments[e].what;
  for (size_t i = 0; i < bench_report_count(p->report) && !device[0]; i++)
    if (is_of(p, bench_report_row(p->report, i)) && !is_published_point(bench_report_row(p->report, i)))
      device = bench_report_row(p->report, i)->device;
  char title[512];
  snprintf(title, sizeof title, "%s%s (%s%s%s) on %s", paper_of(p->experiment), what, p->experiment,
           place[0] ? ", " : "", place, device);
  fprintf(file, "set title ");
  put_string(file, title);
  fprintf(file, " noenhanced font ',11'\n");
}

static void write_axes(FILE *file, const picture *p, const bench_row *first) {
  double min = first->value, max = first->value;
  for (size_t i = 0; i < bench_report_count(p->report); i++) {
    const bench_row *row = bench_report_row(p->report, i);
    if (!belongs(p, row))
      continue;
    min = row->value < min ? row->value : min;
    max = row->value > max ? row->value : max;
  }
  fprintf(file, "set ylabel '%s'\nset logscale y\nset grid\nset key outside below font ',9'\n", p->view->axis);
  if (min < 0) {
    fprintf(file, "set xrange [0.5:%g]\nset xtics noenhanced\n", -min + 0.5);
  } else {
    fprintf(file, "set xlabel ");
    put_string(file, first->parameter);
    fprintf(file, " noenhanced\n");
  }
  if (min > 0 && min == max)
    fprintf(file, "set xrange [%.9g:%.9g]\n", min / 2, min * 2);
  if (min > 0 && max / min > 16)
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

/* The place from the top, height, lowest, highest, name, colour. Returns how many there are. */
static uint32_t write_bars(FILE *file, const picture *p) {
  uint32_t count = 0;
  fprintf(file, "$bars << end\n");
  for (size_t i = 0; i < bench_report_count(p->report); i++) {
    const bench_row *row = bench_report_row(p->report, i);
    if (!belongs(p, row))
      continue;
    fprintf(file, "%" PRIu32, count++);
    put_heights(file, p, row);
    put_field(file, name_of(row).text);
    fprintf(file, " %d\n", is_published_form(row) || is_published_point(row) ? 0x56B4E9 : 0x0072B2);
  }
  fprintf(file, "end\n");
  return count;
}

static void write_bar_chart(FILE *file, const picture *p, const bench_row *first) {
  const uint32_t count = write_bars(file, p);
  char place[BENCH_PLACE];
  write_title(file, p, bench_place(first->parameter, first->value, place));
  fprintf(file, "set xlabel '%s'\nset xrange [0:*]\nset yrange [%g:-0.5]\n", p->view->axis, count - 0.5);
  fprintf(file, "unset key\nset grid x\nset ytics noenhanced\nset style fill solid 0.6 noborder\n");
  fprintf(file, "plot $bars using ($2 / 2):1:($2 / 2):(0.35):6:ytic(5) with boxxyerror linecolor rgb variable, "
                "$bars using 2:1:3:4 with xerrorbars pointtype 0 linecolor 'black'\n");
}

/* ---- Curves ---- */

static void write_curves(FILE *file, const picture *p) {
  bool any = false;
  for (size_t i = 0; i < bench_report_count(p->report); i++) {
    const bench_row *row = bench_report_row(p->report, i);
    if (!belongs(p, row) || !starts_curve(p, i))
      continue;
    if (!any)
      write_axes(file, p, row);
    fprintf(file, "%s '-' using 1:2:3:4%s with yerrorlines %s linecolor rgb '%s' title ", any ? "," : "plot",
            row->value < 0 ? ":xtic(5)" : "", line_of(row), colour_of(p, row));
    put_string(file, name_of(row).text);
    fprintf(file, " noenhanced");
    any = true;
  }
  fprintf(file, "\n");
  for (size_t i = 0; i < bench_report_count(p->report); i++)
    if (belongs(p, bench_report_row(p->report, i)) && starts_curve(p, i))
      write_curve(file, p, bench_report_row(p->report, i));
}

/* ---- Clusters of bars, where the axis has names ---- */

/* Whether all rows have names for x: those of few curves are bars. */
static bool has_names(const picture *p) {
  for (size_t i = 0; i < bench_report_count(p->report); i++)
    if (belongs(p, bench_report_row(p->report, i)) && bench_report_row(p->report, i)->value >= 0)
      return false;
  return true;
}

static bool starts_name(const picture *p, size_t i) {
  for (size_t k = 0; k < i; k++)
    if (belongs(p, bench_report_row(p->report, k)) &&
        bench_report_row(p->report, k)->value == bench_report_row(p->report, i)->value)
      return false;
  return true;
}

/* Height, lowest and highest of a curve at a name. */
static void write_bar(FILE *file, const picture *p, const bench_row *curve, const bench_row *name) {
  for (size_t i = 0; i < bench_report_count(p->report); i++) {
    const bench_row *row = bench_report_row(p->report, i);
    if (belongs(p, row) && same_curve(row, curve) && row->value == name->value) {
      put_heights(file, p, row);
      return;
    }
  }
  fprintf(file, " NaN NaN NaN ");
}

static void write_clusters(FILE *file, const picture *p) {
  const size_t count = bench_report_count(p->report);
  fprintf(file, "$bars << end\n");
  for (size_t n = 0; n < count; n++) {
    const bench_row *name = bench_report_row(p->report, n);
    if (!belongs(p, name) || !starts_name(p, n))
      continue;
    put_field(file, name->parameter);
    for (size_t i = 0; i < count; i++)
      if (belongs(p, bench_report_row(p->report, i)) && starts_curve(p, i))
        write_bar(file, p, bench_report_row(p->report, i), name);
    fputc('\n', file);
  }
  fprintf(file, "end\nset ylabel '%s'\nset logscale y\nset grid y\nset key outside below font ',9'\n", p->view->axis);
  fprintf(file, "set xtics noenhanced\nset style histogram errorbars gap 2 linewidth 1\n"
                "set style data histograms\nset errorbars linecolor 'black'\n");
  bool any = false;
  for (size_t i = 0, column = 2; i < count; i++) {
    const bench_row *row = bench_report_row(p->report, i);
    if (!belongs(p, row) || !starts_curve(p, i))
      continue;
    const char *fill = is_published_form(row) || is_published_point(row) ? "pattern 4" : "solid 0.85";
    fprintf(file, "%s $bars using %zu:%zu:%zu%s fillstyle %s linecolor rgb '%s' title ", any ? "," : "plot", column,
            column + 1, column + 2, any ? "" : ":xtic(1)", fill, colour_of(p, row));
    put_string(file, name_of(row).text);
    fprintf(file, " noenhanced");
    column += 3;
    any = true;
  }
  fputc('\n', file);
}

/* The picture goes to the standard output of gnuplot. */
static rdx_status write_script(const picture *p, const char *path, rdx_error *err) {
  console_output out;
  const bench_row *first = NULL;
  const rdx_status status = console_output_open(path, &out, err);
  if (status != RDX_OK)
    return status;
  fprintf(out.stream, "set terminal svg size 1000,750 dynamic background 'white'\n");
  const bool one = has_one_x(p, &first);
  if (!one)
    write_title(out.stream, p, "");
  if (one)
    write_bar_chart(out.stream, p, first);
  else if (has_names(p))
    write_clusters(out.stream, p);
  else
    write_curves(out.stream, p);
  return console_output_commit(&out, err);
}

/* ---- Files ---- */

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
    return bench_fail(err, RDX_ERROR_IO, "cannot start gnuplot: %s", strerror(errno));
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
    return bench_fail(err, RDX_ERROR_NOT_FOUND,
                      "gnuplot is not installed (Debian: gnuplot-nox); %s is ready for it, as are the others", script);
  if (status != 0)
    return bench_fail(err, RDX_ERROR_IO, "gnuplot failed on %s", script);
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
    status = bench_fail(err, RDX_ERROR_IO, "cannot write %s: gnuplot left it incomplete; is the disk full?", image);
  if (status == RDX_OK)
    return console_output_commit(&out, err);
  console_output_discard(&out);
  return status;
}

typedef struct picture_paths {
  char script[4096], image[4096];
} picture_paths;

static bool find_paths(const picture *p, const char *dir, picture_paths *out) {
  const char *suffix = p->view->suffix;
  const int length = snprintf(out->script, sizeof out->script, "%s/%s%s.gp", dir, p->experiment, suffix);
  snprintf(out->image, sizeof out->image, "%s/%s%s.svg", dir, p->experiment, suffix);
  return length > 0 && (size_t)length < sizeof out->script - 1; /* the other suffix is one longer */
}

static rdx_status draw(const picture *p, const char *dir, rdx_error *err) {
  picture_paths paths;
  bool any = false;
  for (size_t i = 0; i < bench_report_count(p->report) && !any; i++)
    any = belongs(p, bench_report_row(p->report, i));
  if (!any) {
    console_note("%s%s.svg left out: no %s above 0", p->experiment, p->view->suffix, p->view->metric);
    return RDX_OK;
  }
  if (!find_paths(p, dir, &paths))
    return bench_fail(err, RDX_ERROR_ARGUMENT, "the name of the folder for plots is too long");
  const rdx_status status = write_script(p, paths.script, err);
  return status == RDX_OK ? draw_image(paths.script, paths.image, err) : status;
}

static rdx_status make_folder(const char *dir, rdx_error *err) {
  if (mkdir(dir, 0777) != 0 && errno != EEXIST)
    return bench_fail(err, RDX_ERROR_IO, "cannot make the folder %s: %s", dir, strerror(errno));
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
    status = bench_fail(err, RDX_ERROR_IO, "cannot write into the folder %s: %s", dir, strerror(errno));
  return status == RDX_OK && published ? check_published(published, err) : status;
}

rdx_status bench_plot_check_experiment(const char *experiment, const char *dir, rdx_error *err) {
  rdx_status status = RDX_OK;
  for (size_t v = 0; v < sizeof views / sizeof *views && status == RDX_OK; v++) {
    const picture p = {NULL, experiment, &views[v]};
    picture_paths paths;
    if (!find_paths(&p, dir, &paths))
      return bench_fail(err, RDX_ERROR_ARGUMENT, "the name of the folder for plots is too long");
    status = console_output_check(paths.script, false, err);
    if (status == RDX_OK)
      status = console_output_check(paths.image, false, err);
  }
  return status;
}

/* A picture of its own rows, which are few of all. */
static rdx_status draw_own(const picture *of_all, const char *dir, rdx_error *err) {
  picture p = *of_all;
  bench_report *own = NULL;
  rdx_status status = bench_report_create(&own, err);
  for (size_t i = 0; i < bench_report_count(of_all->report) && status == RDX_OK; i++)
    if (is_of(of_all, bench_report_row(of_all->report, i)))
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
      const picture p = {all, bench_experiments[e].name, &views[v]};
      bool ours = false; /* published results alone make no picture */
      for (size_t i = 0; i < bench_report_count(report) && !ours; i++)
        ours = is_of(&p, bench_report_row(report, i));
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
    status = bench_fail(err, RDX_ERROR_NOT_FOUND, "there are no results of any experiment to draw");
  bench_report_destroy(&all);
  return status;
}
