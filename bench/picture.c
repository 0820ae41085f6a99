/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* One picture of an experiment as a gnuplot script with its data in it: curves, or bars where the axis has names. What
 * would be too many curves to tell apart stands in panels beside each other, with one legend below. */

#include "bench/picture.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  MAX_CURVES = 12,
  MAX_PANELS = 12,
  MAX_TICS = 32,
  LABEL = 256,
  WIDTH = 1000,
  TITLE_HEIGHT = 48,
  LEGEND_LINE = 17
};

#define WIDE 1.05 /* the least (slowest run) / (fastest run) that is drawn */

typedef struct point {
  const bench_row *row;
  char label[LABEL], base[LABEL]; /* in the legend; without the word "published" */
  size_t panel;
} point;

typedef struct drawing {
  const bench_picture *picture;
  point *points;
  size_t count;
  bool keys_by_x;                  /* the type of the keys follows from x: it tells no curves apart */
  bool split_parts, split_methods; /* panels are of some parts of names, and of published forms */
  char common[LABEL];              /* the parts that all names have */
  char panels[MAX_PANELS][LABEL];  /* the axis, a line break, and the panel's own parts of names */
  size_t panel_count;
  double low, high, highest; /* of the axis of heights; of them */
} drawing;

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

/* ---- Parts of names: "a, b" has the parts a and b ---- */

/* The next part of a text; false: there is none. */
static bool next_part(const char **text, char part[LABEL]) {
  if (!**text)
    return false;
  const char *end = strstr(*text, ", ");
  const size_t length = end ? (size_t)(end - *text) : strlen(*text);
  snprintf(part, LABEL, "%.*s", (int)length, *text);
  *text += length + (end ? 2 : 0);
  return true;
}

static bool has_part(const char *text, const char *wanted) {
  char part[LABEL];
  while (next_part(&text, part))
    if (strcmp(part, wanted) == 0)
      return true;
  return false;
}

static void add_part(char text[LABEL], const char *part) {
  size_t length = strlen(text);
  const size_t more = strlen(part);
  if (!more || length + 2 + more >= LABEL)
    return;
  if (length) {
    memcpy(text + length, ", ", 2);
    length += 2;
  }
  memcpy(text + length, part, more + 1);
}

/* ---- Rows ---- */

bool bench_picture_has(const bench_picture *p, const bench_row *row) {
  return strcmp(row->experiment, p->experiment) == 0 && strcmp(row->metric, p->view->metric) == 0;
}

/* Lookups are drawn as a rate and bytes for each key, so that other sizes can stand beside them. */
static double height_of(const bench_picture *p, const bench_row *row, double value) {
  if (p->view->height == BENCH_AS_RATE)
    return (double)row->probes / value / 1e3;
  return p->view->height == BENCH_AS_IS ? value : value / (double)row->rows;
}

static double median_of(const drawing *d, const point *at) {
  return height_of(d->picture, at->row, at->row->median);
}

/* The least and the most; a rate has none where the fastest run took no time that could be measured. */
static void find_range(const drawing *d, const point *at, double *low, double *high) {
  const double a = height_of(d->picture, at->row, at->row->min), b = height_of(d->picture, at->row, at->row->max);
  *low = fmin(a, b);
  *high = isfinite(fmax(a, b)) ? fmax(a, b) : median_of(d, at);
}

/* Heights are drawn as logarithms: what took no time that could be measured has no place. */
static bool has_height(const bench_picture *p, const bench_row *row) {
  const double height = height_of(p, row, row->median);
  return isfinite(height) && height > 0;
}

static bool is_published_point(const bench_row *row) {
  return strncmp(row->device, "published", 9) == 0;
}

static bool is_published_form(const bench_row *row) {
  return has_part(row->variant, "published");
}

/* Scans of different numbers of predicates are different curves. */
static bool is_scan(const bench_row *row) {
  return strcmp(row->metric, "scan_ms") == 0 || strcmp(row->metric, "host_ms") == 0;
}

/* All parts of a curve's name. */
static void name_of(const drawing *d, const bench_row *row, char out[LABEL]) {
  char predicates[40];
  snprintf(predicates, sizeof predicates, "%" PRIu64 " predicate%s", row->probes, row->probes == 1 ? "" : "s");
  out[0] = 0;
  add_part(out, row->method);
  add_part(out, row->variant);
  add_part(out, d->keys_by_x ? "" : row->keys);
  add_part(out, is_scan(row) ? predicates : "");
  add_part(out, is_published_point(row) ? row->device : "");
}

/* Two rows at one x have the same keys, but other types stand at other places. */
static bool find_keys_by_x(const drawing *d) {
  bool differ = false;
  for (size_t i = 0; i < d->count; i++)
    for (size_t k = 0; k < i; k++) {
      const bench_row *a = d->points[i].row, *b = d->points[k].row;
      const bool same = strcmp(a->keys, b->keys) == 0;
      if (!same && a->value == b->value && strcmp(a->parameter, b->parameter) == 0)
        return false;
      differ |= !same;
    }
  return differ;
}

/* ---- Panels ---- */

/* What panels of many curves are of: probes sorted or not, and forms of joins. */
static bool is_panel_part(const drawing *d, const bench_row *row, const char *part) {
  static const char *const parts[] = {"sorted probes", "direct", "inverse", "sums", "inverse sums"};
  for (size_t i = 0; d->split_parts && i < sizeof parts / sizeof *parts; i++)
    if (strcmp(part, parts[i]) == 0)
      return true;
  if (d->split_parts && (strcmp(part, row->keys) == 0 || strstr(part, " predicate")))
    return true;
  return d->split_methods && strcmp(part, "published") == 0;
}

/* What tells a row's panel from others: its axis and its parts of the name. */
static void panel_of(const drawing *d, const bench_row *row, char out[LABEL]) {
  char name[LABEL], part[LABEL], own[LABEL] = "";
  const char *rest = name;
  name_of(d, row, name);
  while (next_part(&rest, part))
    if (is_panel_part(d, row, part) && !has_part(d->common, part))
      add_part(own, part);
  snprintf(out, LABEL, "%.60s\n%.190s", row->value < 0 ? "" : row->parameter, own);
}

/* Of values: of names it is empty. */
static const char *parameter_of(const drawing *d, size_t panel) {
  for (size_t i = 0; i < d->count; i++)
    if (d->points[i].panel == panel && d->points[i].row->value >= 0)
      return d->points[i].row->parameter;
  return "";
}

static const char *panel_title(const drawing *d, size_t panel) {
  return strchr(d->panels[panel], '\n') + 1;
}

/* The label of a row: what neither the title nor its panel says of its name. */
static void label_point(drawing *d, point *at) {
  char name[LABEL], part[LABEL];
  const char *rest = name;
  name_of(d, at->row, name);
  at->label[0] = at->base[0] = 0;
  while (next_part(&rest, part)) {
    if (has_part(d->common, part) || is_panel_part(d, at->row, part))
      continue;
    add_part(at->label, part);
    if (strcmp(part, "published") != 0 && !(is_published_point(at->row) && strcmp(part, at->row->device) == 0))
      add_part(at->base, part);
  }
  if (!at->label[0])
    snprintf(at->label, LABEL, "%s", at->row->method);
}

/* Put the points into panels; false: there are too many of these. */
static bool place_points(drawing *d) {
  d->panel_count = 0;
  for (size_t i = 0; i < d->count; i++) {
    point *at = &d->points[i];
    char panel[LABEL];
    panel_of(d, at->row, panel);
    for (at->panel = 0; at->panel < d->panel_count && strcmp(d->panels[at->panel], panel) != 0;)
      at->panel++;
    if (at->panel == MAX_PANELS)
      return false;
    if (at->panel == d->panel_count)
      memcpy(d->panels[d->panel_count++], panel, LABEL);
    label_point(d, at);
  }
  return true;
}

/* ---- Curves: points of one label in one panel ---- */

static bool starts_label(const drawing *d, size_t i) {
  for (size_t k = 0; k < i; k++)
    if (strcmp(d->points[k].label, d->points[i].label) == 0)
      return false;
  return true;
}

static bool starts_curve(const drawing *d, size_t i) {
  for (size_t k = 0; k < i; k++)
    if (d->points[k].panel == d->points[i].panel && strcmp(d->points[k].label, d->points[i].label) == 0)
      return false;
  return true;
}

static size_t curves_of(const drawing *d, size_t panel) {
  size_t curves = 0;
  for (size_t i = 0; i < d->count; i++)
    curves += d->points[i].panel == panel && starts_curve(d, i);
  return curves;
}

static bool is_crowded(const drawing *d) {
  bool crowded = false;
  for (size_t panel = 0; panel < d->panel_count; panel++)
    crowded |= curves_of(d, panel) > MAX_CURVES;
  return crowded;
}

/* The parts of all names. */
static void find_common(drawing *d) {
  char first[LABEL], part[LABEL], name[LABEL];
  const char *rest = first;
  name_of(d, d->points[0].row, first);
  d->common[0] = 0;
  while (next_part(&rest, part)) {
    bool all = true;
    for (size_t i = 0; i < d->count && all; i++) {
      name_of(d, d->points[i].row, name);
      all = has_part(name, part);
    }
    if (all)
      add_part(d->common, part);
  }
}

/* Methods with other `lanes` are left out where there are too many curves. */
static void drop_lanes(drawing *d) {
  size_t count = 0;
  for (size_t i = 0; i < d->count; i++)
    if (!strstr(d->points[i].row->variant, "lanes="))
      d->points[count++] = d->points[i];
  d->count = count ? count : d->count;
}

/* Bars that lie have place. */
static bool has_one_x(const drawing *d) {
  for (size_t i = 1; i < d->count; i++)
    if (d->points[i].row->value != d->points[0].row->value)
      return false;
  return true;
}

static void arrange(drawing *d) {
  d->keys_by_x = find_keys_by_x(d);
  find_common(d);
  place_points(d);
  if (has_one_x(d))
    return;
  if (is_crowded(d)) {
    drop_lanes(d);
    find_common(d);
    place_points(d);
  }
  if (is_crowded(d)) {
    d->split_parts = true;
    d->split_parts = place_points(d) && d->panel_count > 1;
  }
  if (is_crowded(d) && d->panel_count == 1)
    d->split_methods = true;
  place_points(d);
}

/* ---- Styles ---- */

/* Colours that colour-blind readers tell apart (Okabe and Ito's, without yellow), one a form of a method. Ours is
 * solid and filled, its published form dashed and open in the same colour; published points are dotted. */
static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00",
                                      "#56B4E9", "#000000", "#7F7F7F", "#882255", "#44AA99"};
enum { COLOURS = sizeof colours / sizeof *colours };

/* The number of a form among all of the picture. */
static size_t form_of(const drawing *d, const point *at) {
  size_t number = 0;
  for (size_t i = 0; i < d->count; i++) {
    if (strcmp(d->points[i].base, at->base) == 0)
      return number;
    bool first = true;
    for (size_t k = 0; k < i && first; k++)
      first = strcmp(d->points[k].base, d->points[i].base) != 0;
    number += first;
  }
  return number;
}

static void put_style(FILE *file, const drawing *d, const point *at, bool bars) {
  static const unsigned filled[] = {7, 5, 9, 11, 13};
  const size_t form = form_of(d, at);
  const bool published = is_published_point(at->row) || is_published_form(at->row);
  if (bars)
    fprintf(file, " with boxes fillstyle %s linecolor rgb '%s'", published ? "pattern 4" : "solid 0.85 noborder",
            colours[form % COLOURS]);
  else
    fprintf(file, " with linespoints dashtype %d pointtype %u pointsize 0.8 linecolor rgb '%s'",
            is_published_point(at->row) ? 3
            : published                 ? 2
                                        : 1,
            filled[form % 5] - published, colours[form % COLOURS]);
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

/* A number that all measured rows share, 2^20 where it is one. */
static void add_number(const drawing *d, char text[LABEL], bool rows, const char *unit) {
  uint64_t number = 0;
  for (size_t i = 0; i < d->count; i++) {
    const bench_row *row = d->points[i].row;
    const uint64_t own = rows ? row->rows : row->probes;
    if (is_published_point(row))
      continue;
    if (own < 2 || (number && own != number))
      return;
    number = own;
  }
  char part[LABEL];
  int log = 0;
  if (number >= 1024 && frexp((double)number, &log) == 0.5)
    snprintf(part, LABEL, "2^%d %s", log - 1, unit);
  else
    snprintf(part, LABEL, "%" PRIu64 " %s", number, unit);
  add_part(text, number ? part : "");
}

/* What is shown and on which device; below it the experiment, and what all of it have. */
static void put_title(FILE *file, const drawing *d, const char *place, double height) {
  const bench_picture *p = d->picture;
  const char *what = "", *device = "";
  for (size_t e = 0; e < bench_experiment_count; e++)
    if (strcmp(bench_experiments[e].name, p->experiment) == 0)
      what = bench_experiments[e].what;
  for (size_t i = 0; i < d->count && !device[0]; i++)
    if (!is_published_point(d->points[i].row))
      device = d->points[i].row->device;
  char title[512], below[LABEL] = "";
  snprintf(title, sizeof title, "%s%s, on %s", paper_of(p->experiment), what, device);
  add_part(below, p->experiment);
  add_part(below, place);
  add_part(below, d->common);
  add_number(d, below, true, "rows");
  if (p->view->height == BENCH_AS_RATE)
    add_number(d, below, false, "lookups");
  fprintf(file, "set label 1 ");
  put_string(file, title);
  fprintf(file, " at screen 0.5,screen %.6g center noenhanced font ',14'\nset label 2 ", 1 - 18 / height);
  put_string(file, below);
  fprintf(file, " at screen 0.5,screen %.6g center noenhanced font ',11'\n", 1 - 38 / height);
}

/* ---- Axes ---- */

/* Whether point `i` is the first of its panel with its x. */
static bool starts_x(const drawing *d, size_t i) {
  for (size_t k = 0; k < i; k++)
    if (d->points[k].panel == d->points[i].panel && d->points[k].row->value == d->points[i].row->value)
      return false;
  return true;
}

static size_t count_x(const drawing *d, size_t panel) {
  size_t count = 0;
  for (size_t i = 0; i < d->count; i++)
    count += d->points[i].panel == panel && starts_x(d, i);
  return count;
}

/* The next of 1, 2, 5, 10, 20, ... from a number on, downwards or upwards. */
static double round_to_tic(double value, bool up) {
  const double decade = pow(10, floor(log10(value)));
  static const double steps[] = {1, 2, 5, 10};
  double below = decade;
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
    const double tic = steps[i] * decade;
    if (up && tic >= value * 0.999)
      return tic;
    below = tic <= value * 1.001 ? tic : below;
  }
  return below;
}

static void find_heights(drawing *d) {
  double low = INFINITY, high = 0;
  for (size_t i = 0; i < d->count; i++) {
    double from, to;
    find_range(d, &d->points[i], &from, &to);
    low = fmin(low, from > 0 ? from : median_of(d, &d->points[i]));
    high = fmax(high, to);
  }
  d->highest = high;
  d->low = round_to_tic(low / 1.1, false);
  d->high = round_to_tic(high * 1.1, true);
}

/* Where an axis has numbers, and lines go across the panel. */
typedef struct tics {
  double at[MAX_TICS];
  size_t count;
  double low, high; /* of the axis */
  bool log, powers; /* powers: written as those of two */
} tics;

/* Round numbers on an axis of logarithms: of less than a decade all, of few 1, 2, 5, 10, 20, of many 1, 10, 100. */
static tics log_tics(double low, double high) {
  tics t = {.low = low, .high = high, .log = true};
  const double decades = log10(high / low);
  for (double decade = pow(10, floor(log10(low))); decade <= high * 1.001; decade *= 10)
    for (unsigned step = 1; step < 10; step++) {
      const bool wanted = step == 1 || (decades < 3.5 && (step == 2 || step == 5)) || decades < 0.9;
      if (wanted && step * decade > low * 0.999 && step * decade < high * 1.001 && t.count < MAX_TICS)
        t.at[t.count++] = step * decade;
    }
  return t;
}

static void put_tics(FILE *file, const tics *t, char axis) {
  fprintf(file, "%s logscale %c\nset %crange [%.6g:%.6g]\nset %ctics (", t->log ? "set" : "unset", axis, axis, t->low,
          t->high, axis);
  for (size_t i = 0; i < t->count; i++) {
    fputs(i ? ", " : "", file);
    if (t->powers)
      fprintf(file, "'2^{%d}' %.9g", ilogb(t->at[i]), t->at[i]);
    else
      fprintf(file, "'%.7g' %.9g", t->at[i], t->at[i]);
  }
  fprintf(file, ")\n");
}

static bool is_power_of_two(double value) {
  int exponent;
  return frexp(value, &exponent) == 0.5;
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The measured places of a panel, but for those that follow another too closely: logarithms where all are powers of
 * two, or reach far. */
static tics x_tics(const drawing *d, size_t panel, double gap) {
  tics t = {.powers = true};
  for (size_t i = 0; i < d->count; i++) {
    if (d->points[i].panel != panel || !starts_x(d, i) || t.count == MAX_TICS)
      continue;
    t.at[t.count++] = d->points[i].row->value;
    t.powers &= d->points[i].row->value > 0 && is_power_of_two(d->points[i].row->value);
  }
  qsort(t.at, t.count, sizeof *t.at, compare);
  t.low = t.at[0];
  t.high = t.at[t.count - 1];
  t.log = t.low > 0 && (t.powers ? t.high / t.low >= 4 : t.low >= 1 && t.high / t.low > 16);
  t.powers &= t.log && t.high > 9999;
  const double reach = t.log ? log(t.high / t.low) : t.high - t.low;
  size_t count = 1;
  for (size_t i = 1; i < t.count; i++) {
    const double from = t.at[count - 1], to = t.at[i];
    if ((t.log ? log(to / from) : to - from) >= gap * reach)
      t.at[count++] = to;
  }
  t.count = count;
  t.low = t.log ? t.low / exp(0.03 * reach) : t.low - 0.03 * reach;
  t.high = t.log ? t.high * exp(0.03 * reach) : t.high + 0.03 * reach;
  return t;
}

/* Lines at the numbers of both axes, as one curve, which takes less of a file than gnuplot's grid. */
static void put_grid(FILE *file, const tics *x, const tics *y) {
  fprintf(file, "$grid << end\n");
  for (size_t i = 0; i < y->count; i++)
    fprintf(file, "%.6g %.6g\n%.6g %.6g\n\n", x->low, y->at[i], x->high, y->at[i]);
  for (size_t i = 0; i < x->count && x->count; i++)
    fprintf(file, "%.9g %.6g\n%.9g %.6g\n\n", x->at[i], y->low, x->at[i], y->high);
  fprintf(file, "end\n");
}

#define GRID "plot $grid using 1:2 with lines linecolor rgb '#DDDDDD'"

/* ---- Panels of curves and of bars ---- */

/* Names, and two places, are categories. */
static bool has_bars(const drawing *d, size_t panel) {
  return d->panels[panel][0] == '\n' || count_x(d, panel) <= 2;
}

/* Which x of its panel a point has, by the order of names or of values. */
static size_t rank_of_x(const drawing *d, const point *at) {
  size_t rank = 0;
  for (size_t i = 0; i < d->count; i++)
    rank += d->points[i].panel == at->panel && starts_x(d, i) && fabs(d->points[i].row->value) < fabs(at->row->value);
  return rank;
}

/* The width of a bar among so many at a place. */
static double bar_width(size_t bars) {
  return 0.84 / (double)bars;
}

/* A point's x; of bars the middle of the one for a curve, by its number. */
static double x_of(const drawing *d, const point *at, size_t curve, bool bars) {
  const size_t curves = curves_of(d, at->panel);
  return bars ? (double)rank_of_x(d, at) + bar_width(curves) * ((double)curve + 0.5 - (double)curves / 2)
              : at->row->value;
}

/* The data of a curve that begins with point `first`, and the lines from its fastest to its slowest runs; how many. */
static size_t put_data(FILE *file, const drawing *d, size_t first, size_t curve, bool bars) {
  const point *like = &d->points[first];
  size_t wide = 0;
  for (unsigned errors = 0; errors < 2; errors++) {
    fprintf(file, "$%s%zu << end\n", errors ? "e" : "c", first);
    for (size_t i = first; i < d->count; i++) {
      const point *at = &d->points[i];
      double low, high;
      find_range(d, at, &low, &high);
      if (at->panel != like->panel || strcmp(at->label, like->label) != 0 || (errors && high / low < WIDE))
        continue;
      fprintf(file, "%.9g %.6g", x_of(d, at, curve, bars), errors ? low : median_of(d, at));
      if (errors)
        fprintf(file, " %.6g", high - low);
      fputc('\n', file);
      wide += errors;
    }
    fprintf(file, "end\n");
  }
  return wide;
}

/* The axis of bars: it has no lines. */
static tics put_names(FILE *file, const drawing *d, size_t panel) {
  const tics t = {.low = -0.6, .high = (double)count_x(d, panel) - 0.4};
  const char *between = "";
  fprintf(file, "unset logscale x\nset xrange [%.6g:%.6g]\nset xtics (", t.low, t.high);
  for (size_t i = 0; i < d->count; i++) {
    if (d->points[i].panel != panel || !starts_x(d, i))
      continue;
    char place[BENCH_PLACE];
    fputs(between, file);
    put_string(file, bench_place(d->points[i].row->parameter, d->points[i].row->value, place));
    fprintf(file, " %zu", rank_of_x(d, &d->points[i]));
    between = ", ";
  }
  fprintf(file, ") noenhanced\n");
  return t;
}

/* The data of all curves, and into `plot` what draws them. */
static void put_curves(FILE *file, FILE *plot, const drawing *d, size_t panel) {
  const bool bars = has_bars(d, panel);
  const double width = bar_width(curves_of(d, panel));
  size_t curve = 0;
  for (size_t i = 0; i < d->count; i++) {
    if (d->points[i].panel != panel || !starts_curve(d, i))
      continue;
    const size_t wide = put_data(file, d, i, curve++, bars);
    fprintf(plot, ", $c%zu using 1:2", i);
    if (bars)
      fprintf(plot, ":(%.6g)", width);
    put_style(plot, d, &d->points[i], bars);
    if (wide)
      fprintf(plot, ", $e%zu using 1:2:(0):3 with vectors nohead linecolor rgb '%s'", i,
              bars ? "black" : colours[form_of(d, &d->points[i]) % COLOURS]);
  }
}

static rdx_status put_panel(FILE *file, const drawing *d, size_t panel, double gap, rdx_error *err) {
  const tics y = log_tics(d->low, d->high);
  char *text = NULL;
  size_t length = 0;
  FILE *plot = open_memstream(&text, &length);
  if (!plot)
    return console_error(err, RDX_ERROR_MEMORY, "host memory ran out");
  fprintf(file, "set title ");
  put_string(file, panel_title(d, panel));
  fprintf(file, " noenhanced font ',11' offset 0,-0.6\nset xlabel ");
  put_string(file, has_bars(d, panel) ? "" : parameter_of(d, panel));
  fprintf(file, " noenhanced\n");
  tics x;
  if (has_bars(d, panel)) {
    x = put_names(file, d, panel);
  } else {
    x = x_tics(d, panel, gap);
    put_tics(file, &x, 'x');
  }
  put_grid(file, &x, &y);
  put_curves(file, plot, d, panel);
  fclose(plot);
  fprintf(file, GRID "%s\n", text);
  free(text);
  return RDX_OK;
}

/* ---- The legend, and where all stands ---- */

typedef struct layout {
  size_t columns, lines, legend_columns, legend_lines;
  double panel_height, legend_height, height;
} layout;

static layout lay_out(const drawing *d) {
  layout l = {.columns = d->panel_count < 4 ? d->panel_count : d->panel_count == 4 ? 2 : 3};
  size_t labels = 0, longest = 1;
  for (size_t i = 0; i < d->count; i++) {
    if (!starts_label(d, i))
      continue;
    labels++;
    longest = strlen(d->points[i].label) > longest ? strlen(d->points[i].label) : longest;
  }
  const size_t fit = WIDTH / (76 + 7 * longest);
  l.lines = (d->panel_count + l.columns - 1) / l.columns;
  l.legend_columns = fit < 1 ? 1 : fit > 5 ? 5 : fit;
  l.legend_lines = (labels + l.legend_columns - 1) / l.legend_columns;
  l.panel_height = l.lines > 1 ? 330 : 450;
  l.legend_height = LEGEND_LINE * (double)l.legend_lines + 12;
  l.height = TITLE_HEIGHT + l.panel_height * (double)l.lines + l.legend_height;
  return l;
}

static void put_legend(FILE *file, const drawing *d, const layout *l) {
  fprintf(file, "set origin 0,0\nset size 1,%.6g\nunset border\nunset tics\nunset xlabel\nunset ylabel\nunset title\n",
          l->legend_height / l->height);
  fprintf(file,
          "unset logscale\nset format '%%g'\nset xrange [0:1]\nset yrange [0:1]\nset margins 0,0,0,0\n"
          "unset grid\nset key center center vertical maxrows %zu Left reverse samplen 3 width 2 font ',11'\n",
          l->legend_lines);
  const char *before = "plot";
  for (size_t i = 0; i < d->count; i++) {
    if (!starts_label(d, i))
      continue;
    fprintf(file, "%s NaN", before);
    put_style(file, d, &d->points[i], has_bars(d, d->points[i].panel));
    fprintf(file, " title ");
    put_string(file, d->points[i].label);
    fprintf(file, " noenhanced");
    before = ",";
  }
  fputc('\n', file);
}

static void put_y_axis(FILE *file, const drawing *d, const tics *y) {
  put_tics(file, y, 'y');
  fprintf(file, "set ylabel '%s'\nset lmargin 12\n", d->picture->view->axis);
}

static rdx_status put_panels(FILE *file, const drawing *d, rdx_error *err) {
  const layout l = lay_out(d);
  const double width = 1.0 / (double)l.columns, height = l.panel_height / l.height;
  fprintf(file, "set terminal svg size %d,%.0f dynamic background 'white' font 'sans,12'\nset multiplot\nunset key\n",
          WIDTH, l.height);
  put_title(file, d, "", l.height);
  const tics y = log_tics(d->low, d->high);
  fprintf(file, "set tics scale 0\nset rmargin 2\nset bmargin 4\nset tmargin %d\n", d->panel_count > 1 ? 2 : 1);
  rdx_status status = RDX_OK;
  for (size_t panel = 0; panel < d->panel_count && status == RDX_OK; panel++) {
    const double from_top = (TITLE_HEIGHT + (double)(panel / l.columns + 1) * l.panel_height) / l.height;
    fprintf(file, "set origin %.6g,%.6g\nset size %.6g,%.6g\n", (double)(panel % l.columns) * width, 1 - from_top,
            width, height);
    if (panel % l.columns)
      fprintf(file, "unset ylabel\nunset ytics\nset lmargin 3\n");
    else
      put_y_axis(file, d, &y);
    status = put_panel(file, d, panel, 0.04 * (double)l.columns, err);
    if (panel == 0)
      fprintf(file, "unset label 1\nunset label 2\n");
  }
  put_legend(file, d, &l);
  fprintf(file, "unset multiplot\n");
  return status;
}

/* ---- Bars that lie, where all rows have the same x ---- */

static void put_lying_bars(FILE *file, const drawing *d) {
  const double height = TITLE_HEIGHT + 70 + 22 * (double)d->count;
  fprintf(file, "set terminal svg size %d,%.0f dynamic background 'white' font 'sans,12'\n", WIDTH, height);
  fprintf(file, "$bars << end\n");
  for (size_t i = 0; i < d->count; i++) {
    const point *at = &d->points[i];
    const bool published = is_published_form(at->row) || is_published_point(at->row);
    double low, high;
    find_range(d, at, &low, &high);
    const bool wide = high / low >= WIDE;
    fprintf(file, "%zu %.6g %.6g %.6g %d ", i, median_of(d, at), wide ? low : NAN, high - low,
            published ? 0x56B4E9 : 0x0072B2);
    put_text(file, at->label, '"', "'");
    fprintf(file, median_of(d, at) < 1000 ? " \"%.3g\"\n" : " \"%.0f\"\n", median_of(d, at));
  }
  fprintf(file, "end\n");
  char place[BENCH_PLACE];
  put_title(file, d, bench_place(d->points[0].row->parameter, d->points[0].row->value, place), height);
  const bool far = d->high / d->low > 50;
  const tics x = log_tics(d->low, 2 * d->highest); /* with place for the numbers */
  if (far)
    put_tics(file, &x, 'x');
  else
    fprintf(file, "set xrange [0:%.6g]\n", 1.1 * d->highest);
  fprintf(file, "set xlabel '%s'\nset yrange [%g:-0.5]\nset tmargin 4\n", d->picture->view->axis,
          (double)d->count - 0.5);
  fprintf(file, "unset key\nset grid x\nset tics scale 0\nset ytics noenhanced\nset style fill solid 0.85 noborder\n");
  fprintf(file,
          "plot $bars using 2:1:(%.9g):2:($1 - 0.35):($1 + 0.35):5:ytic(6) with boxxyerror linecolor rgb variable, "
          "$bars using 3:1:4:(0) with vectors nohead linecolor 'black', "
          "$bars using 2:1:7 with labels left offset 0.6,0 font ',10'\n",
          far ? d->low : 0.0);
}

/* ---- Scripts ---- */

static rdx_status take_rows(drawing *d, rdx_error *err) {
  const bench_report *report = d->picture->report;
  d->points = calloc(bench_report_count(report) + 1, sizeof *d->points);
  if (!d->points)
    return console_error(err, RDX_ERROR_MEMORY, "host memory ran out");
  for (size_t i = 0; i < bench_report_count(report); i++) {
    const bench_row *row = bench_report_row(report, i);
    if (bench_picture_has(d->picture, row) && has_height(d->picture, row))
      d->points[d->count++].row = row;
  }
  return RDX_OK;
}

rdx_status bench_picture_write(const bench_picture *p, const char *path, bool *any, rdx_error *err) {
  console_output out;
  drawing *d = calloc(1, sizeof *d);
  if (!d)
    return console_error(err, RDX_ERROR_MEMORY, "host memory ran out");
  d->picture = p;
  rdx_status status = take_rows(d, err);
  *any = status == RDX_OK && d->count > 0;
  if (*any)
    status = console_output_open(path, &out, err);
  if (*any && status == RDX_OK) {
    arrange(d);
    find_heights(d);
    if (has_one_x(d))
      put_lying_bars(out.stream, d);
    else
      status = put_panels(out.stream, d, err);
    if (status == RDX_OK)
      status = console_output_commit(&out, err);
    else
      console_output_discard(&out);
  }
  free(d->points);
  free(d);
  return status;
}
