/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The authors' files are of two kinds: tables with a header ("point_query", "range_query"), and lines of key=value
 * pairs ("experiments-..."). */

#include "bench/published.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FIELDS 64

/* One of our experiments in their files. */
typedef struct source {
  const char *experiment;
  const char *file;    /* without the GPU and ".csv" */
  const char *keys;    /* ours */
  const char *filters; /* "field=value ...": lines that count */
  const char *x;       /* the field of our parameter */
  char scale;          /* 'l': x is a logarithm to base 2; 'p': percent of misses; 'n': a number; 'o': orders */
  const char *variant; /* the field of our variant; NULL: none */
  const char *parameter;
  const char *before, *after; /* the words around the variant in ours; NULL: none */
} source;

/* Lookups of the tables: their defaults, less what varies. */
#define UNIFORM "i_build_key_uniformity=1.000 "
#define HITS "i_hit_rate=1.000 "
#define FLAT "i_probe_zipf_coefficient=0.000 "
#define UNSORTED "i_sort_insert=0 i_sort_probe=0 "
#define ONE_BATCH "i_log_num_batches=0 "
#define KEYS "i_log_build_size=26 "
#define LOOKUPS "i_log_probe_size=27 "

static const source sources[] = {
    {"rx-key-modes", "experiments-int-to-ray", "D32", "i_perpendicular_rays=1", "i_num_build_keys_log", 'l',
     "i_key_mode", "keys", NULL, NULL},
    {"rx-stride", "experiments-stride", "D32", "i_num_build_keys_log=21", "i_key_stride_log", 'l', "i_key_mode",
     "stride", NULL, NULL},
    {"rx-point-rays", "experiments-int-to-ray", "D32", "i_key_mode=3d", "i_num_build_keys_log", 'l',
     "i_perpendicular_rays", "keys", "3d ", NULL},
    {"rx-point-rays", "experiments-int-to-ray", "D32", "i_key_mode=ext", "i_num_build_keys_log", 'l',
     "i_perpendicular_rays", "keys", "extended ", NULL},
    {"rx-range-rays", "experiments-range-query-start-ray-at-zero", "D32", "", "i_range_query_hit_count_log", 'l',
     "i_start_ray_at_zero", "hits", NULL, NULL},
    {"rx-primitives", "experiments-primitive", "D32",
     "i_num_build_keys_log=25 i_perpendicular_rays=1 i_compaction=1 i_probe_mode=p_sfl", "i_num_build_keys_log", 'l',
     "i_primitive", "keys", NULL, NULL},
    {"rx-primitives", "experiments-primitive", "D32",
     "i_num_build_keys_log=25 i_perpendicular_rays=1 i_compaction=0 i_probe_mode=p_sfl", "i_num_build_keys_log", 'l',
     "i_primitive", "keys", NULL, " uncompacted"},
    {"rx-updates", "experiments-updates", "D32", "i_num_build_keys_log=25", "i_num_updates_log", 'l',
     "i_perform_updates", "swaps", NULL, NULL},
    {"rx-hit-rate-outside", "experiments-miss-out-of-range", "D32", "i_num_build_keys_log=26 i_probe_mode=p_sfl",
     "i_out_of_range_percentage", 'p', NULL, "hit rate", NULL, NULL},
    {"rx-lookups", "point_query_k32_v32", "U32", UNIFORM HITS FLAT UNSORTED ONE_BATCH KEYS, "i_log_probe_size", 'l',
     NULL, "lookups", NULL, NULL},
    {"rx-build-size", "point_query_k32_v32", "U32", UNIFORM HITS FLAT UNSORTED ONE_BATCH LOOKUPS, "i_log_build_size",
     'l', NULL, "keys", NULL, NULL},
    {"rx-build-time", "point_query_k32_v32", "U32", UNIFORM HITS FLAT UNSORTED ONE_BATCH LOOKUPS, "i_log_build_size",
     'l', NULL, "keys", NULL, NULL},
    {"rx-build-time", "point_query_k32_v32", "U32",
     UNIFORM HITS FLAT "i_sort_insert=1 i_sort_probe=0 " ONE_BATCH LOOKUPS, "i_log_build_size", 'l', NULL, "keys", NULL,
     "sorted"},
    {"rx-hit-rate", "point_query_k32_v32", "U32", UNIFORM FLAT UNSORTED ONE_BATCH KEYS LOOKUPS, "i_hit_rate", 'n', NULL,
     "hit rate", NULL, NULL},
    {"rx-memory", "point_query_k32_v32", "U32", UNIFORM HITS FLAT UNSORTED ONE_BATCH KEYS LOOKUPS, "i_log_build_size",
     'l', NULL, "keys", NULL, NULL},
    {"rx-memory", "point_query_k64_v32", "U64", UNIFORM HITS FLAT UNSORTED ONE_BATCH KEYS LOOKUPS, "i_log_build_size",
     'l', NULL, "keys", NULL, NULL},
    {"rx-order", "point_query_k32_v32", "U32", UNIFORM HITS FLAT ONE_BATCH KEYS LOOKUPS, "i_sort_insert", 'o', NULL, "",
     NULL, NULL},
    {"rx-batches", "point_query_k32_v32", "U32", UNIFORM HITS FLAT UNSORTED KEYS LOOKUPS, "i_log_num_batches", 'l',
     NULL, "batches", NULL, NULL},
    {"rx-key-size", "point_query_k32_v32", "U32", UNIFORM HITS FLAT UNSORTED ONE_BATCH KEYS LOOKUPS, "i_key_size", 'n',
     NULL, "key bits", NULL, NULL},
    {"rx-key-size", "point_query_k64_v32", "U64", UNIFORM HITS FLAT UNSORTED ONE_BATCH KEYS LOOKUPS, "i_key_size", 'n',
     NULL, "key bits", NULL, NULL},
    {"rx-range", "range_query_k32_v32", "D32", "i_log_key_range_factor=0 i_sort_probe=0 " LOOKUPS,
     "i_log_range_query_size", 'l', NULL, "hits", NULL, NULL},
};

/* Lines for Zipf coefficients above 0 are left out: in all of them a lookup takes the same time, whatever the
 * coefficient and the size of the index, which contradicts table 7. */

static const struct {
  const char *file, *name;
} gpus[] = {{"4090", "RTX 4090"}, {"a6000", "RTX A6000"}, {"3090", "RTX 3090"}, {"2080ti", "RTX 2080 Ti"}};

/* Their words for ours. */
static const struct {
  const char *field, *theirs, *ours;
} words[] = {
    {"i_key_mode", "safe", "naive"},
    {"i_key_mode", "ext", "extended"},
    {"i_key_mode", "unsafe", NULL}, /* not described in the paper */
    {"i_perpendicular_rays", "1", "perpendicular"},
    {"i_perpendicular_rays", "0", "from zero"},
    {"i_start_ray_at_zero", "1", "from zero"},
    {"i_start_ray_at_zero", "0", "from offset"},
    {"i_primitive", "aabb", "box"},
    {"i_perform_updates", "1", "refit positions"},
    {"i_type", "rtx_index", "rx"},
};

static const char *translate(const char *field, const char *value) {
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(words[i].field, field) == 0 && strcmp(words[i].theirs, value) == 0)
      return words[i].ours;
  return value;
}

/* ---- Lines ---- */

/* A line as fields with names and values; both point into text that was cut. */
typedef struct line {
  char *names[MAX_FIELDS], *values[MAX_FIELDS];
  size_t count;
} line;

static char *trim(char *text) {
  while (*text == ' ')
    text++;
  size_t length = strlen(text);
  while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\r' || text[length - 1] == '\n'))
    text[--length] = '\0';
  return text;
}

static size_t cut(char *text, char **fields) {
  size_t count = 0;
  for (char *next = text; next && count < MAX_FIELDS; count++) {
    fields[count] = next;
    next = strchr(next, ',');
    if (next)
      *next++ = '\0';
    fields[count] = trim(fields[count]);
  }
  return count;
}

static void cut_pairs(char *text, line *out) {
  out->count = 0;
  char *fields[MAX_FIELDS];
  const size_t count = cut(text, fields);
  for (size_t i = 0; i < count; i++) {
    char *equals = strchr(fields[i], '=');
    if (!equals)
      continue;
    *equals = '\0';
    out->names[out->count] = fields[i];
    out->values[out->count++] = equals + 1;
  }
}

static const char *get(const line *l, const char *name) {
  for (size_t i = 0; i < l->count; i++) /* one file leaves the "i_" out */
    if (strcmp(l->names[i], name) == 0 || (strncmp(name, "i_", 2) == 0 && strcmp(l->names[i], name + 2) == 0))
      return l->values[i];
  return NULL;
}

static bool passes(const line *l, const char *filters) {
  char copy[512];
  snprintf(copy, sizeof copy, "%s", filters);
  char *rest = copy;
  for (char *filter; (filter = strtok_r(rest, " ", &rest));) {
    char *value = strchr(filter, '=');
    *value++ = '\0';
    const char *theirs = get(l, filter);
    if (!theirs || strcmp(theirs, value) != 0)
      return false;
  }
  return true;
}

/* ---- Rows ---- */

static double number(const line *l, const char *name, double otherwise) {
  const char *text = get(l, name);
  return text ? strtod(text, NULL) : otherwise;
}

/* Our value of the parameter, and its name where it has one. */
static double value_of(const source *s, const line *l, bench_row *row) {
  static const char *const orders[] = {"unsorted unsorted", "unsorted sorted", "sorted unsorted", "sorted sorted"};
  const double x = number(l, s->x, 0);
  if (s->scale == 'o') {
    const int order = (x > 0 ? 2 : 0) + (number(l, "i_sort_probe", 0) > 0 ? 1 : 0);
    snprintf(row->parameter, sizeof row->parameter, "%s", orders[order]);
    return -1 - order;
  }
  return s->scale == 'l' ? exp2(x) : s->scale == 'p' ? 1 - x / 100 : x;
}

static rdx_status add_metric(bench_report *report, bench_row *row, const char *metric, double value, rdx_error *err) {
  if (value <= 0)
    return RDX_OK;
  snprintf(row->metric, sizeof row->metric, "%s", metric);
  row->median = row->min = row->max = value;
  return bench_report_append(report, row, err);
}

static rdx_status add_line(bench_report *report, const source *s, const char *gpu, const line *l, rdx_error *err) {
  const char *method = get(l, "i_type"), *variant = s->variant ? get(l, s->variant) : "";
  const bool table = method != NULL;
  if (!get(l, s->x) || !variant || !passes(l, s->filters))
    return RDX_OK;
  variant = s->variant ? translate(s->variant, variant) : "";
  method = table ? translate("i_type", method) : "rx";
  if (!variant || (strcmp(gpu, gpus[0].name) != 0 && (s->variant || strcmp(method, "rx") != 0)))
    return RDX_OK; /* of the other GPUs only RX, or there would be too many curves */
  bench_row row = {.rows = (uint64_t)exp2(number(l, table ? "i_log_build_size" : "i_num_build_keys_log", 0)),
                   .probes = (uint64_t)exp2(number(l, table ? "i_log_probe_size" : "i_num_probe_keys_log", 0)),
                   .runs = 1};
  snprintf(row.experiment, sizeof row.experiment, "%s", s->experiment);
  snprintf(row.device, sizeof row.device, "published %s", gpu);
  snprintf(row.method, sizeof row.method, "%s", method);
  snprintf(row.variant, sizeof row.variant, "%s%s%s", s->before ? s->before : "", variant, s->after ? s->after : "");
  snprintf(row.keys, sizeof row.keys, "%s", s->keys);
  snprintf(row.parameter, sizeof row.parameter, "%s", s->parameter);
  row.value = value_of(s, l, &row);
  const double update = number(l, "update_time_ms", 0) + number(l, "update_convert_time_ms", 0);
  const double build =
      number(l, "build_time_ms", 0) + number(l, "convert_time_ms", 0) + number(l, "compact_time_ms", 0);
  rdx_status status =
      add_metric(report, &row, "lookup_ms", number(l, table ? "probe_time_ms" : "total_probe_time_ms", 0), err);
  if (status == RDX_OK)
    status = add_metric(report, &row, "build_ms", update > 0 ? update : build, err);
  if (status == RDX_OK)
    status = add_metric(report, &row, "bytes_resident", number(l, table ? "gpu_resident_bytes" : "final_size", 0), err);
  return status;
}

static rdx_status add_file(bench_report *report, const source *s, const char *gpu, FILE *file, rdx_error *err) {
  char *text = NULL, *head = NULL;
  size_t size = 0;
  line l = {.count = 0};
  size_t columns = 0;
  char *names[MAX_FIELDS];
  rdx_status status = RDX_OK;
  while (status == RDX_OK && getline(&text, &size, file) > 0) {
    if (strncmp(s->file, "experiments-", 12) == 0) {
      cut_pairs(text, &l);
    } else if (!head) {
      head = strdup(text);
      if (!head)
        status = console_error(err, RDX_ERROR_MEMORY, "host memory ran out");
      else
        columns = cut(head, names);
      continue;
    } else {
      l.count = cut(text, l.values);
      l.count = l.count < columns ? l.count : columns;
      memcpy(l.names, names, l.count * sizeof *names);
    }
    status = add_line(report, s, gpu, &l, err);
  }
  free(text);
  free(head);
  return status;
}

/* RX, Figure 18 "sorted and unsorted point lookups on all four test systems". */
rdx_status bench_published_add(bench_report *report, const char *dir, rdx_error *err) {
  size_t found = 0;
  rdx_status status = RDX_OK;
  for (size_t i = 0; i < sizeof sources / sizeof *sources && status == RDX_OK; i++) {
    for (size_t g = 0; g < sizeof gpus / sizeof *gpus && status == RDX_OK; g++) {
      char path[4096];
      snprintf(path, sizeof path, "%s/%s-%s.csv", dir, gpus[g].file, sources[i].file);
      FILE *file = fopen(path, "r");
      if (!file)
        continue;
      found++;
      status = add_file(report, &sources[i], gpus[g].name, file, err);
      fclose(file);
    }
  }
  if (status == RDX_OK && found == 0)
    return console_error(err, RDX_ERROR_NOT_FOUND, "%s holds none of the published files, such as %s-%s.csv", dir,
                         gpus[0].file, sources[0].file);
  return status;
}
