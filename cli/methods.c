/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The options of methods, as a table: names to fields of rdx_index_params. */

#include "cli/cli.h"

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

/* A field of rdx_index_params: one of the words, or without them a number from `least` to `most`. */
typedef struct method_option {
  rdx_index_kind kind;
  const char *name;
  size_t offset, size;
  const word *words;
  uint32_t least, most;
} method_option;

#define FIELD(path) offsetof(rdx_index_params, path), sizeof((rdx_index_params *)0)->path
#define WORD(kind, name, path, words)                                                                                  \
  { kind, name, FIELD(path), words, 0, 0 }
#define NUMBER(kind, name, path, least, most)                                                                          \
  { kind, name, FIELD(path), NULL, least, most }
#define PARTITIONS (1u << 24)

static const method_option options[] = {
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

#define COUNT (sizeof options / sizeof *options)

/* Methods that share their options. */
static rdx_index_kind family(rdx_index_kind kind) {
  return kind == RDX_INDEX_CGRX_NAIVE ? RDX_INDEX_CGRX : kind;
}

static char problem[512];

/* Add to `problem`, whose length is `at`; the new length. */
static size_t say(size_t at, const char *text, const char *more) {
  if (at >= sizeof problem)
    return at;
  return at + (size_t)snprintf(problem + at, sizeof problem - at, "%s%s", text, more);
}

static const char *no_such_option(rdx_index_kind kind, const char *name) {
  size_t at = say(0, "", rdx_index_kind_name(kind)), found = 0;
  at = say(at, " has no option '", name);
  at = say(at, "'; it has", "");
  for (size_t i = 0; i < COUNT; i++)
    if (options[i].kind == family(kind))
      at = say(at, found++ ? ", " : " ", options[i].name);
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

static void store(const method_option *o, uint32_t value, rdx_index_params *params) {
  char *field = (char *)params + o->offset;
  const uint8_t narrow = (uint8_t)value;
  if (o->size == sizeof narrow)
    memcpy(field, &narrow, sizeof narrow);
  else
    memcpy(field, &value, sizeof value);
}

static const char *set(const char *name, const char *value, rdx_index_params *params) {
  for (size_t i = 0; i < COUNT; i++) {
    const method_option *o = &options[i];
    uint64_t number = 0;
    if (o->kind != family(params->kind) || strcmp(o->name, name) != 0)
      continue;
    if (!o->words && !console_parse_u64(value, o->least, o->most, &number))
      return wrong_value(o, value);
    const word *w = o->words;
    while (w && w->name && strcmp(w->name, value) != 0)
      w++;
    if (w && !w->name)
      return wrong_value(o, value);
    store(o, w ? w->value : (uint32_t)number, params);
    return NULL;
  }
  return no_such_option(params->kind, name);
}

const char *cli_parse_method_options(const char *text, rdx_index_params *params) {
  if (params->kind == RDX_INDEX_AUTO)
    return "options belong to a method; name it with --method";
  while (*text) {
    char item[64];
    const size_t length = strcspn(text, ",");
    snprintf(item, sizeof item, "%.*s", (int)length, text);
    char *value = strchr(item, '=');
    if (!value || length >= sizeof item)
      return "options have the form NAME=VALUE[,NAME=VALUE...]";
    *value++ = '\0';
    const char *wrong = set(item, value, params);
    if (wrong)
      return wrong;
    text += length + (text[length] == ',');
  }
  return NULL;
}

void cli_print_method_options(void) {
  for (size_t i = 0; i < COUNT; i++) {
    const method_option *o = &options[i];
    if (i == 0 || options[i - 1].kind != o->kind)
      printf("  %s\n", rdx_index_kind_name(o->kind));
    printf("    %s=", o->name);
    for (const word *w = o->words; w && w->name; w++)
      printf("%s%s", w == o->words ? "" : "|", w->name);
    if (!o->words)
      printf("%u..%u", o->least, o->most);
    printf("\n");
  }
}
