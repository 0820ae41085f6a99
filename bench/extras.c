/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* --options of the benchmark: other forms of methods, beside those of the experiments. */

#include "bench/bench.h"

#include <string.h>

static const char published[] = "published=on";

/* Whether the options are some of this method; NULL or what is wrong with them. */
static const char *check(const bench_extra *e) {
  rdx_index_params index = {0};
  rdx_scan_params scan = {0};
  if (rdx_index_method_from_name(e->method, &index.method, NULL) == RDX_OK)
    return console_parse_index_options(e->text, &index);
  if (rdx_scan_method_from_name(e->method, &scan.method, NULL) == RDX_OK)
    return console_parse_scan_options(e->text, &scan);
  rdx_star_params star = {0};
  if (rdx_star_method_from_name(e->method, &star.method, NULL) == RDX_OK)
    return console_parse_star_options(e->text, &star);
  return "it begins with what is no method with options; those are such as rx, cgrx, rtscan or rt_cube";
}

const char *bench_take_extra(const char *text, bench_options *o) {
  const char *colon = strchr(text, ':');
  if (!colon || colon == text || !colon[1])
    return "it has the form METHOD:NAME=VALUE[,NAME=VALUE...], such as rx:published=on";
  if (o->extra_count == BENCH_MAX_EXTRAS)
    return "there are too many of them";
  bench_extra *e = &o->extras[o->extra_count];
  snprintf(e->method, sizeof e->method, "%.*s", (int)(colon - text), text);
  e->text = colon + 1;
  const char *wrong = check(e);
  o->extra_count += wrong == NULL;
  return wrong;
}

/* The published form of a method is named so. */
static void name_extra(const char *variant, const char *text, char name[BENCH_VARIANT]) {
  snprintf(name, BENCH_VARIANT, "%s%s%s", variant, variant[0] ? ", " : "",
           strcmp(text, published) == 0 ? "published" : text);
}

bool bench_extend_index(const bench *b, size_t i, const char *variant, const rdx_index_params *from,
                        rdx_index_params *out, char name[BENCH_VARIANT]) {
  const bench_extra *e = &b->options.extras[i];
  if (strcmp(e->method, rdx_index_method_name(from->method)) != 0)
    return false;
  memcpy(out, from, sizeof *out); /* the padding, too: they are compared */
  name_extra(variant, e->text, name);
  return !console_parse_index_options(e->text, out) && memcmp(out, from, sizeof *out) != 0;
}

bool bench_extend_scan(const bench *b, size_t i, const char *variant, const rdx_scan_params *from, rdx_scan_params *out,
                       char name[BENCH_VARIANT]) {
  const bench_extra *e = &b->options.extras[i];
  if (strcmp(e->method, rdx_scan_method_name(from->method)) != 0)
    return false;
  memcpy(out, from, sizeof *out);
  name_extra(variant, e->text, name);
  return !console_parse_scan_options(e->text, out) && memcmp(out, from, sizeof *out) != 0;
}

bool bench_extend_star(const bench *b, size_t i, const char *variant, const rdx_star_params *from, rdx_star_params *out,
                       char name[BENCH_VARIANT]) {
  const bench_extra *e = &b->options.extras[i];
  if (strcmp(e->method, rdx_star_method_name(from->method)) != 0)
    return false;
  memcpy(out, from, sizeof *out);
  name_extra(variant, e->text, name);
  return !console_parse_star_options(e->text, out) && memcmp(out, from, sizeof *out) != 0;
}
