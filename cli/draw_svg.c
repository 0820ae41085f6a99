/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Scenes, rays and hits as SVG: x runs to the right, y up, z into the depth. Each axis has a scale of its own, as
 * scenes are often a million times as long as they are high. Colours are those of Okabe and Ito: they differ in print
 * and for colour-blind readers, and hits differ by their outline, too. */

#include "cli/draw.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define LEFT 80.0
#define HEAD 64.0   /* above the first scene */
#define SPACE 56.0  /* between scenes */
#define LEGEND 96.0 /* below the last */
#define WIDTH 880.0
#define DEPTH_X 0.80 /* of a unit into the depth */
#define DEPTH_Y 0.45

/* Pixels along each axis: where a scene has many primitives, and at least for each of a few. */
static const double max_pixels[3] = {600, 260, 200}, each_pixels[3] = {60, 34, 26};

typedef struct point {
  double x, y;
} point;

/* A scene on the page. */
typedef struct panel {
  const rdx_recorded_scene *scene;
  double low[3], high[3], pixels[3]; /* low, high: of the primitives and some room around */
  double bottom;                     /* where the lowest corner is */
  bool *hit;                         /* primitives that some ray meets */
} panel;

static uint32_t words_of(const rdx_recorded_scene *s) {
  return s->boxes ? 6 : 9;
}

/* ---- Places ---- */

static void find_bounds(panel *p) {
  double sizes[3] = {0, 0, 0};
  const uint32_t words = words_of(p->scene);
  for (uint32_t k = 0; k < 3; k++) {
    p->low[k] = INFINITY;
    p->high[k] = -INFINITY;
  }
  for (uint64_t i = 0; i < p->scene->count; i++) {
    for (uint32_t k = 0; k < 3; k++) {
      double low = INFINITY, high = -INFINITY;
      for (uint32_t w = k; w < words; w += 3) {
        low = fmin(low, p->scene->coordinates[i * words + w]);
        high = fmax(high, p->scene->coordinates[i * words + w]);
      }
      p->low[k] = fmin(p->low[k], low);
      p->high[k] = fmax(p->high[k], high);
      sizes[k] += (high - low) / (double)p->scene->count;
    }
  }
  for (uint32_t k = 0; k < 3; k++) {
    const double size = sizes[k] > 0 ? sizes[k] : 1, capacity = fmax(size * 0.75, (p->high[k] - p->low[k]) * 0.04);
    p->low[k] -= capacity;
    p->high[k] += capacity;
    p->pixels[k] = fmin(max_pixels[k], each_pixels[k] * (p->high[k] - p->low[k]) / size);
  }
}

static point place(const panel *p, const double at[3]) {
  double part[3];
  for (uint32_t k = 0; k < 3; k++)
    part[k] = (at[k] - p->low[k]) / (p->high[k] - p->low[k]) * p->pixels[k];
  return (point){LEFT + part[0] + part[2] * DEPTH_X, p->bottom - part[1] - part[2] * DEPTH_Y};
}

static double height_of(const panel *p) {
  return p->pixels[1] + p->pixels[2] * DEPTH_Y;
}

/* ---- Texts ---- */

static void put_text(FILE *f, const char *text) {
  for (; *text; text++) {
    if (*text == '<' || *text == '>' || *text == '&')
      fprintf(f, "&#%d;", *text);
    else
      fputc((unsigned char)*text < ' ' ? ' ' : *text, f);
  }
}

static void put_label(FILE *f, point at, const char *anchor, const char *format, double value) {
  char text[32];
  snprintf(text, sizeof text, format, value);
  fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" font-size=\"11\">%s</text>\n", at.x, at.y, anchor, text);
}

/* ---- Axes ---- */

/* `column`: what it shows; NULL: nobody knows. */
static void put_axis(FILE *f, const panel *p, uint32_t axis, const char *column) {
  double begin[3], end[3];
  for (uint32_t k = 0; k < 3; k++) {
    begin[k] = p->low[k];
    end[k] = k == axis ? p->high[k] : p->low[k];
  }
  const point a = place(p, begin), b = place(p, end);
  const double x = axis == 1 ? -6 : 0, y = axis == 1 ? 4 : axis == 0 ? 15 : 12;
  fprintf(f, "<line class=\"axis\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", a.x, a.y, b.x, b.y);
  fprintf(f, "<text x=\"%.1f\" y=\"%.1f\"><tspan font-style=\"italic\">%c</tspan>", b.x + 6, b.y - (axis == 1 ? 6 : 2),
          "xyz"[axis]);
  if (column) {
    fprintf(f, ": ");
    put_text(f, column);
  }
  fprintf(f, "</text>\n");
  if (axis != 2)
    put_label(f, (point){a.x + x, a.y + y}, axis == 1 ? "end" : "middle", "%.2g", p->low[axis]);
  put_label(f, (point){b.x + (axis == 2 ? 18 : x), b.y + y}, axis == 1 ? "end" : "middle", "%.2g", p->high[axis]);
}

/* ---- Primitives ---- */

static void put_polygon(FILE *f, const panel *p, const double (*corners)[3], uint32_t count, const char *class) {
  fprintf(f, "<polygon class=\"%s\" points=\"", class);
  for (uint32_t i = 0; i < count; i++) {
    const point at = place(p, corners[i]);
    fprintf(f, "%s%.1f,%.1f", i ? " " : "", at.x, at.y);
  }
  fprintf(f, "\"/>");
}

/* The faces that one sees: before, above, to the right. */
static void put_box(FILE *f, const panel *p, const float *box, const char *class) {
  static const uint8_t faces[3][4] = {{0, 1, 3, 2}, {2, 3, 7, 6}, {1, 5, 7, 3}}; /* bit k: the high end of axis k */
  for (uint32_t i = 0; i < 3; i++) {
    double corners[4][3];
    for (uint32_t c = 0; c < 4; c++)
      for (uint32_t k = 0; k < 3; k++)
        corners[c][k] = box[(faces[i][c] >> k & 1 ? 3 : 0) + k];
    put_polygon(f, p, (const double(*)[3])corners, 4, class);
  }
}

static void put_primitive(FILE *f, const panel *p, uint64_t i) {
  const float *c = p->scene->coordinates + i * words_of(p->scene);
  const char *class = p->hit[i] ? "hit" : "other";
  double corners[3][3], middle[3] = {0, 0, 0};
  const uint32_t n = p->scene->boxes ? 2 : 3;
  for (uint32_t k = 0; k < 3; k++)
    for (uint32_t w = 0; w < n; w++)
      middle[k] += c[3 * w + k] / (double)n;
  fprintf(f, "<g><title>%" PRIu64 ": x %.7g, y %.7g, z %.7g%s</title>", i, middle[0], middle[1], middle[2],
          p->hit[i] ? ", hit" : "");
  for (uint32_t w = 0; w < 3 && !p->scene->boxes; w++)
    for (uint32_t k = 0; k < 3; k++)
      corners[w][k] = c[3 * w + k];
  if (p->scene->boxes)
    put_box(f, p, c, class);
  else
    put_polygon(f, p, (const double(*)[3])corners, 3, class);
  fprintf(f, "</g>\n");
}

typedef struct depth {
  double z, y;
  uint64_t primitive;
} depth;

/* The farthest first, of equally far ones the lowest. */
static int compare_depths(const void *a, const void *b) {
  const depth *x = a, *y = b;
  if (x->z != y->z)
    return x->z < y->z ? 1 : -1;
  return (x->y > y->y) - (x->y < y->y);
}

static void put_primitives(FILE *f, const panel *p) {
  depth *order = malloc((p->scene->count + 1) * sizeof *order);
  const uint32_t words = words_of(p->scene);
  for (uint64_t i = 0; i < p->scene->count && order; i++)
    order[i] = (depth){p->scene->coordinates[i * words + 2], p->scene->coordinates[i * words + 1], i};
  if (order)
    qsort(order, p->scene->count, sizeof *order, compare_depths);
  for (uint64_t i = 0; i < p->scene->count; i++)
    put_primitive(f, p, order ? order[i].primitive : i);
  free(order);
}

/* ---- Rays ---- */

/* Cut a ray to what is shown; false: it is elsewhere. */
static bool clip(const panel *p, const rdx_recorded_ray *ray, double begin[3], double end[3]) {
  double low = ray->tmin, high = ray->tmax;
  for (uint32_t k = 0; k < 3; k++) {
    const double d = ray->direction[k], o = ray->origin[k];
    if (d == 0 && (o < p->low[k] || o > p->high[k]))
      return false;
    if (d == 0)
      continue;
    const double a = (p->low[k] - o) / d, b = (p->high[k] - o) / d;
    low = fmax(low, fmin(a, b));
    high = fmin(high, fmax(a, b));
  }
  for (uint32_t k = 0; k < 3; k++) {
    begin[k] = ray->origin[k] + low * (double)ray->direction[k];
    end[k] = ray->origin[k] + high * (double)ray->direction[k];
  }
  return low <= high;
}

static bool hits_any(const rdx_recording_view *v, uint64_t ray) {
  for (uint64_t i = 0; i < v->hit_count; i++)
    if (v->hits[i].ray == ray)
      return true;
  return false;
}

static void put_rays(FILE *f, const panel *p, const rdx_recording_view *v, uint32_t scene) {
  for (uint64_t i = 0; i < v->ray_count; i++) {
    double begin[3], end[3];
    if (v->rays[i].scene != scene || !clip(p, &v->rays[i], begin, end))
      continue;
    const point a = place(p, begin), b = place(p, end);
    const bool hits = hits_any(v, i);
    fprintf(f, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" marker-end=\"url(#%s)\"/>\n",
            hits ? "ray" : "ray miss", a.x, a.y, b.x, b.y, "end");
    fprintf(f, "<circle class=\"origin\" cx=\"%.1f\" cy=\"%.1f\" r=\"2\"/>\n", a.x, a.y);
  }
}

/* ---- Legend ---- */

static void put_swatch(FILE *f, double x, double y, const char *class, const char *format, uint64_t count, bool boxes) {
  char text[96];
  const char *what = boxes ? count == 1 ? "box" : "boxes" : count == 1 ? "triangle" : "triangles";
  snprintf(text, sizeof text, format, count, what);
  fprintf(f, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"12\" height=\"12\"/><text x=\"%.1f\" y=\"%.1f\">", class,
          x, y - 10, x + 20, y);
  put_text(f, text);
  fprintf(f, "</text>\n");
}

static void put_line_sample(FILE *f, double x, double y, const char *class, const char *format, uint64_t count) {
  fprintf(f, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" marker-end=\"url(#end)\"/>", class, x,
          y - 4, x + 26, y - 4);
  char text[96];
  snprintf(text, sizeof text, format, count, console_s(count));
  fprintf(f, "<text x=\"%.1f\" y=\"%.1f\">%s</text>\n", x + 38, y, text);
}

static void put_legend(FILE *f, const draw_picture *d, const panel *panels, double y) {
  uint64_t hit = 0, all = 0, rays = 0;
  for (uint32_t s = 0; s < d->view.scene_count; s++)
    for (uint64_t i = 0; i < panels[s].scene->count; i++, all++)
      hit += panels[s].hit[i];
  for (uint64_t i = 0; i < d->view.ray_count; i++)
    rays += hits_any(&d->view, i);
  const bool boxes = d->view.scenes[0].boxes;
  put_swatch(f, LEFT, y, "hit", "%" PRIu64 " %s that rays hit", hit, boxes);
  put_swatch(f, LEFT, y + 22, "other", "%" PRIu64 " other %s", all - hit, boxes);
  put_line_sample(f, LEFT + 300, y, "ray", "%" PRIu64 " ray%s with hits", rays);
  put_line_sample(f, LEFT + 300, y + 22, "ray miss", "%" PRIu64 " ray%s without", d->view.ray_count - rays);
  fprintf(f, "<text x=\"%.1f\" y=\"%.1f\">%" PRIu64 " row%s found</text>\n", LEFT + 560, y, d->found,
          console_s(d->found));
}

/* ---- All ---- */

static const char style[] =
    "<style>text{font-family:sans-serif;font-size:13px;fill:#000;paint-order:stroke;stroke:#fff;stroke-width:3}.axis{"
    "stroke:#666;stroke-width:1}"
    ".other{fill:#e6e6e6;fill-opacity:.75;stroke:#777;stroke-width:.7}"
    ".hit{fill:#d55e00;fill-opacity:.75;stroke:#000;stroke-width:1.2}"
    ".ray{stroke:#0072b2;stroke-width:1.6;fill:none}.miss{stroke-dasharray:4 3;stroke-width:1.1}"
    ".origin{fill:#0072b2}</style>\n"
    "<defs><marker id=\"end\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"6\" markerHeight=\"6\" "
    "orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#0072b2\"/></marker></defs>\n";

static void put_panels(FILE *f, const draw_picture *d, panel *panels, double height) {
  fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\">\n%s",
          WIDTH, height, WIDTH, height, style);
  fprintf(f,
          "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n<text x=\"%.0f\" y=\"26\" "
          "style=\"font-size:17px;font-weight:bold\">",
          LEFT);
  put_text(f, d->title);
  fprintf(f, "</text>\n<text x=\"%.0f\" y=\"46\">", LEFT);
  put_text(f, d->query);
  fprintf(f, "</text>\n");
  for (uint32_t s = 0; s < d->view.scene_count; s++) {
    put_primitives(f, &panels[s]);
    put_rays(f, &panels[s], &d->view, s);
    for (uint32_t axis = 0; axis < 3; axis++) {
      const uint32_t column = s * d->columns_each + axis;
      put_axis(f, &panels[s], axis, axis < d->columns_each && column < d->column_count ? d->columns[column] : NULL);
    }
  }
  put_legend(f, d, panels, height - LEGEND + 40);
  fprintf(f, "</svg>\n");
}

/* Which primitives are hit, and where scenes stand. The height of the page. */
static double lay_out(const draw_picture *d, panel *panels, bool *hit) {
  double height = HEAD;
  for (uint32_t s = 0; s < d->view.scene_count; s++) {
    panel *p = &panels[s];
    *p = (panel){.scene = &d->view.scenes[s], .hit = hit};
    hit += p->scene->count;
    find_bounds(p);
    p->bottom = height + height_of(p) + 12;
    height = p->bottom + SPACE;
  }
  for (uint64_t i = 0; i < d->view.hit_count; i++)
    panels[d->view.rays[d->view.hits[i].ray].scene].hit[d->view.hits[i].primitive] = true;
  return height + LEGEND - SPACE + 20;
}

bool draw_svg(FILE *stream, const draw_picture *d) {
  uint64_t primitives = 0;
  for (uint32_t s = 0; s < d->view.scene_count; s++)
    primitives += d->view.scenes[s].count;
  panel *panels = calloc(d->view.scene_count + 1, sizeof *panels);
  bool *hit = calloc(primitives + 1, sizeof *hit);
  const bool capacity = panels && hit;
  if (capacity)
    put_panels(stream, d, panels, lay_out(d, panels, hit));
  free(panels);
  free(hit);
  return capacity;
}
