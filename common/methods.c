/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The options of methods, as tables: names to fields of rdx_index_params and rdx_scan_params. */

#include "common/common.h"

#include <stddef.h>
#include <string.h>

typedef struct word {
  const char *name;
  uint32_t value;
} word;

static const word key_modes[] = {
    {"3d", RDX_RX_KEY_3D}, {"naive", RDX_RX_KEY_NAIVE}, {"extended", RDX_RX_KEY_EXTENDED}, {0}};
static const word primitives[] = {{"triangle", RDX_RX_TRIANGLE}, {"sphere", RDX_RX_SPHERE}, {"box", RDX_RX_BOX}, {0}};
static const word point_rays[] = {{"perpendicular", RDX_RX_RAY_PERPENDICULAR},
                                  {"from_offset", RDX_RX_RAY_PARALLEL_FROM_OFFSET},
                                  {"from_zero", RDX_RX_RAY_PARALLEL_FROM_ZERO},
                                  {0}};
static const word range_rays[] = {
    {"from_offset", RDX_RX_RAY_PARALLEL_FROM_OFFSET}, {"from_zero", RDX_RX_RAY_PARALLEL_FROM_ZERO}, {0}};
static const word builds[] = {{"fast_trace", RDX_BUILD_FAST_TRACE},
                              {"fast_build", RDX_BUILD_FAST_BUILD},
                              {"low_memory", RDX_BUILD_LOW_MEMORY},
                              {0}};
static const word mappings[] = {{"covering", RDX_CGRX_MAPPING_COVERING},
                                {"compact", RDX_CGRX_MAPPING_COMPACT},
                                {"plain", RDX_CGRX_MAPPING_PLAIN},
                                {"scaled", RDX_CGRX_MAPPING_SCALED},
                                {0}};
static const word layouts[] = {{"column", RDX_CGRX_LAYOUT_COLUMN},
                               {"row_aligned", RDX_CGRX_LAYOUT_ROW_ALIGNED},
                               {"row_packed", RDX_CGRX_LAYOUT_ROW_PACKED},
                               {0}};
static const word searches[] = {{"binary", RDX_CGRX_SEARCH_BINARY}, {"linear", RDX_CGRX_SEARCH_LINEAR}, {0}};
static const word lanes_to_4[] = {{"1", 1}, {"2", 2}, {"4", 4}, {0}};
static const word lanes_to_16[] = {{"1", 1}, {"2", 2}, {"4", 4}, {"8", 8}, {"16", 16}, {0}};
static const word lanes_to_32[] = {{"1", 1}, {"2", 2}, {"4", 4}, {"8", 8}, {"16", 16}, {"32", 32}, {0}};
static const word radix_bits[] = {{"8", 8}, {"16", 16}, {0}};
static const word switches[] = {{"off", 0}, {"on", 1}, {0}};
static const word negations[] = {{"on", 0}, {"off", 1}, {0}};

/* A field of the params: one of the words, or without them a number from `least` to `most`. */
typedef struct method_option {
  uint32_t kind; /* rdx_index_kind or rdx_scan_method */
  const char *name;
  size_t offset, size;
  const word *words;
  uint32_t least, most;
} method_option;

#define FIELD(params, path) offsetof(params, path), sizeof((params *)0)->path
#define WORD(kind, name, path, words)                                                                                  \
  { kind, name, FIELD(rdx_index_params, path), words, 0, 0 }
#define NUMBER(kind, name, path, least, most)                                                                          \
  { kind, name, FIELD(rdx_index_params, path), NULL, least, most }
#define SCAN_WORD(kind, name, path, words)                                                                             \
  { kind, name, FIELD(rdx_scan_params, path), words, 0, 0 }
#define SCAN_NUMBER(kind, name, path, least, most)                                                                     \
  { kind, name, FIELD(rdx_scan_params, path), NULL, least, most }
#define PARTITIONS (1u << 24)

static const method_option index_options[] = {
    WORD(RDX_INDEX_RX, "key_mode", rx.key_mode, key_modes),
    NUMBER(RDX_INDEX_RX, "x_bits", rx.x_bits, 0, 23),
    NUMBER(RDX_INDEX_RX, "y_bits", rx.y_bits, 0, 23),
    NUMBER(RDX_INDEX_RX, "z_bits", rx.z_bits, 0, 23),
    WORD(RDX_INDEX_RX, "primitive", rx.primitive, primitives),
    WORD(RDX_INDEX_RX, "point_ray", rx.point_ray, point_rays),
    WORD(RDX_INDEX_RX, "range_ray", rx.range_ray, range_rays),
    WORD(RDX_INDEX_RX, "build", rx.build, builds),
    NUMBER(RDX_INDEX_RX, "partitions", rx.partitions, 0, PARTITIONS),
    WORD(RDX_INDEX_RX, "compaction", rx.no_compaction, negations),
    WORD(RDX_INDEX_RX, "updatable", rx.updatable, switches),
    WORD(RDX_INDEX_RX, "duplicate_any_hit", rx.duplicate_any_hit, switches),
    WORD(RDX_INDEX_RX, "always_any_hit", rx.always_any_hit, switches),
    WORD(RDX_INDEX_SORTED_ARRAY, "lanes", sorted_array.lanes, lanes_to_32),
    WORD(RDX_INDEX_TREE, "lanes", tree.lanes, lanes_to_4),
    NUMBER(RDX_INDEX_BTREE, "fill", btree.fill_percent, 1, 100),
    NUMBER(RDX_INDEX_HASH, "load", hash.load_percent, 10, 95),
    WORD(RDX_INDEX_HASH, "lanes", hash.lanes, lanes_to_16),
    WORD(RDX_INDEX_RX_OPTIMIZED, "primitive", rx_optimized.primitive, primitives),
    WORD(RDX_INDEX_RX_OPTIMIZED, "build", rx_optimized.build, builds),
    NUMBER(RDX_INDEX_RX_OPTIMIZED, "partitions", rx_optimized.partitions, 0, PARTITIONS),
    WORD(RDX_INDEX_RX_OPTIMIZED, "compaction", rx_optimized.no_compaction, negations),
    WORD(RDX_INDEX_RX_OPTIMIZED, "compression", rx_optimized.no_compression, negations),
    NUMBER(RDX_INDEX_CGRX, "bucket_size", cgrx.bucket_size, 2, 65536),
    WORD(RDX_INDEX_CGRX, "mapping", cgrx.mapping, mappings),
    WORD(RDX_INDEX_CGRX, "layout", cgrx.layout, layouts),
    WORD(RDX_INDEX_CGRX, "search", cgrx.search, searches),
    WORD(RDX_INDEX_CGRX, "build", cgrx.build, builds),
    NUMBER(RDX_INDEX_CGRX, "partitions", cgrx.partitions, 0, PARTITIONS),
    WORD(RDX_INDEX_CGRX, "compaction", cgrx.no_compaction, negations),
    NUMBER(RDX_INDEX_CGRX_UPDATABLE, "node_size", cgrx_updatable.node_size, 4, 4096),
    NUMBER(RDX_INDEX_CGRX_UPDATABLE, "fill", cgrx_updatable.fill_percent, 1, 100),
    NUMBER(RDX_INDEX_CGRX_UPDATABLE, "longest_chain", cgrx_updatable.longest_chain, 1, UINT32_MAX),
    WORD(RDX_INDEX_CGRX_UPDATABLE, "mapping", cgrx_updatable.mapping, mappings),
    WORD(RDX_INDEX_CGRX_UPDATABLE, "build", cgrx_updatable.build, builds),
    NUMBER(RDX_INDEX_CGRX_UPDATABLE, "partitions", cgrx_updatable.partitions, 0, PARTITIONS),
    WORD(RDX_INDEX_CGRX_UPDATABLE, "compaction", cgrx_updatable.no_compaction, negations),
    WORD(RDX_INDEX_RADIX_HASH, "bits", radix_hash.bits, radix_bits),
};

static const method_option scan_options[] = {
    SCAN_WORD(RDX_SCAN_AUTO, "bindex", among.bindex, switches),
    SCAN_WORD(RDX_SCAN_AUTO, "rtindex", among.rtindex, switches),
    SCAN_WORD(RDX_SCAN_AUTO, "rtc1", among.rtc1, switches),
    SCAN_WORD(RDX_SCAN_AUTO, "rtc3", among.rtc3, switches),
    SCAN_WORD(RDX_SCAN_AUTO, "rtscan", among.rtscan, switches),
    SCAN_NUMBER(RDX_SCAN_BINDEX, "vectors", bindex.vectors, 1, 1024),
    SCAN_WORD(RDX_SCAN_RTINDEX, "build", rtc1.build, builds),
    SCAN_NUMBER(RDX_SCAN_RTC1, "rays", rtc1.rays, 1, (1u << 21) - 1),
    SCAN_WORD(RDX_SCAN_RTC1, "build", rtc1.build, builds),
    SCAN_NUMBER(RDX_SCAN_RTC3, "group", rtc3.group, 1, 3),
    SCAN_NUMBER(RDX_SCAN_RTC3, "rays", rtc3.rays, 2, 1u << 20),
    SCAN_NUMBER(RDX_SCAN_RTC3, "rows_per_box", rtc3.rows_per_box, 1, 256),
    SCAN_WORD(RDX_SCAN_RTC3, "insist", rtc3.insist, switches),
    SCAN_WORD(RDX_SCAN_RTC3, "build", rtc3.build, builds),
    SCAN_NUMBER(RDX_SCAN_RTSCAN, "vectors", rtscan.vectors, 1, 1024),
    SCAN_NUMBER(RDX_SCAN_RTSCAN, "planes", rtscan.planes, 1, 6),
    SCAN_WORD(RDX_SCAN_RTSCAN, "derived", rtscan.no_planes, negations),
    SCAN_NUMBER(RDX_SCAN_RTSCAN, "group", rtscan.group, 1, 3),
    SCAN_NUMBER(RDX_SCAN_RTSCAN, "cube_width", rtscan.cube_width, 1, UINT32_MAX),
    SCAN_NUMBER(RDX_SCAN_RTSCAN, "ray_length", rtscan.ray_length, 1, UINT32_MAX),
    SCAN_NUMBER(RDX_SCAN_RTSCAN, "interval", rtscan.interval_percent, 1, 100),
    SCAN_NUMBER(RDX_SCAN_RTSCAN, "spacing", rtscan.spacing_percent, 1, 100),
    SCAN_WORD(RDX_SCAN_RTSCAN, "spaced", rtscan.no_spacing, negations),
    SCAN_WORD(RDX_SCAN_RTSCAN, "encoding", rtscan.no_encoding, negations),
    SCAN_WORD(RDX_SCAN_RTSCAN, "negative", rtscan.positive_only, negations),
    SCAN_NUMBER(RDX_SCAN_RTSCAN, "rows_per_box", rtscan.rows_per_box, 1, 256),
    SCAN_WORD(RDX_SCAN_RTSCAN, "insist", rtscan.insist, switches),
    SCAN_WORD(RDX_SCAN_RTSCAN, "build", rtscan.build, builds),
};

/* The options of one kind of methods. */
typedef struct method_family {
  const method_option *options;
  size_t count;
  const char *(*name)(uint32_t kind);
} method_family;

/* A method whose options are parsed, and where they go. */
typedef struct method {
  const method_family *family;
  uint32_t kind;    /* that its options are listed under */
  const char *name; /* its own */
  char *params;
} method;

static const char *index_name(uint32_t kind) {
  return rdx_index_kind_name((rdx_index_kind)kind);
}

static const char *scan_name(uint32_t kind) {
  return rdx_scan_method_name((rdx_scan_method)kind);
}

static const method_family indexes = {index_options, sizeof index_options / sizeof *index_options, index_name};
static const method_family scans = {scan_options, sizeof scan_options / sizeof *scan_options, scan_name};

static char problem[512];

/* Add to `problem`, whose length is `at`; the new length. */
static size_t say(size_t at, const char *text, const char *more) {
  if (at >= sizeof problem)
    return at;
  return at + (size_t)snprintf(problem + at, sizeof problem - at, "%s%s", text, more);
}

static const char *no_such_option(const method *m, const char *name) {
  size_t at = say(0, "", m->name), found = 0;
  at = say(at, " has no option '", name);
  at = say(at, "'; it has", "");
  for (size_t i = 0; i < m->family->count; i++)
    if (m->family->options[i].kind == m->kind)
      at = say(at, found++ ? ", " : " ", m->family->options[i].name);
  say(at, found ? "" : " none", "");
  return problem;
}

static const char *wrong_value(const method_option *o, const char *value) {
  size_t at = say(0, o->name, " cannot be '");
  at = say(at, value, "'; it is");
  for (const word *w = o->words; w && w->name; w++)
    at = say(at, w == o->words ? " " : ", ", w->name);
  if (!o->words)
    snprintf(problem + at, sizeof problem - at, " a number from %u to %u", o->least, o->most);
  return problem;
}

static void store(const method_option *o, uint32_t value, char *params) {
  const uint8_t narrow = (uint8_t)value;
  if (o->size == sizeof narrow)
    memcpy(params + o->offset, &narrow, sizeof narrow);
  else
    memcpy(params + o->offset, &value, sizeof value);
}

static const char *set(const method *m, const char *name, const char *value) {
  for (size_t i = 0; i < m->family->count; i++) {
    const method_option *o = &m->family->options[i];
    uint64_t number = 0;
    if (o->kind != m->kind || strcmp(o->name, name) != 0)
      continue;
    if (!o->words && !console_parse_u64(value, o->least, o->most, &number))
      return wrong_value(o, value);
    const word *w = o->words;
    while (w && w->name && strcmp(w->name, value) != 0)
      w++;
    if (w && !w->name)
      return wrong_value(o, value);
    store(o, w ? w->value : (uint32_t)number, m->params);
    return NULL;
  }
  return no_such_option(m, name);
}

static const char *parse(const char *text, const method *m) {
  if (m->kind == 0 && m->family == &indexes) /* auto */
    return "options belong to a method; name it with --method";
  while (*text) {
    char item[64];
    const size_t length = strcspn(text, ",");
    snprintf(item, sizeof item, "%.*s", (int)length, text);
    char *value = strchr(item, '=');
    if (!value || length >= sizeof item)
      return "options have the form NAME=VALUE[,NAME=VALUE...]";
    *value++ = '\0';
    const char *wrong = set(m, item, value);
    if (wrong)
      return wrong;
    text += length + (text[length] == ',');
  }
  return NULL;
}

const char *console_parse_index_options(const char *text, rdx_index_params *params) {
  /* The two share their options. */
  const rdx_index_kind kind = params->kind == RDX_INDEX_CGRX_NAIVE ? RDX_INDEX_CGRX : params->kind;
  return parse(text, &(method){&indexes, kind, index_name(params->kind), (char *)params});
}

const char *console_parse_scan_options(const char *text, rdx_scan_params *params) {
  return parse(text, &(method){&scans, params->method, scan_name(params->method), (char *)params});
}

static void print_options(const method_family *family) {
  for (size_t i = 0; i < family->count; i++) {
    const method_option *o = &family->options[i];
    if (i == 0 || o[-1].kind != o->kind)
      printf("  %s\n", family->name(o->kind));
    printf("    %s=", o->name);
    for (const word *w = o->words; w && w->name; w++)
      printf("%s%s", w == o->words ? "" : "|", w->name);
    if (!o->words)
      printf("%u..%u", o->least, o->most);
    printf("\n");
  }
}

void console_print_index_options(void) {
  print_options(&indexes);
}

void console_print_scan_options(void) {
  print_options(&scans);
}
