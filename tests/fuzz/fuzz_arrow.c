/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Any Arrow array: making a table of it fails with an error text and leaves it as it was, or gives a table that has the
 * values which a reader of each value by itself finds, and that comes back from Arrow as it went.
 *
 * The bytes choose formats, lengths, offsets and what is in the buffers. Buffers have the sizes that the formats need,
 * which the interface promises; places in them (offsets of strings, views, indices) are any. */

#include <raydex/raydex.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/replay.h"

#define COLUMNS 4
#define ROWS 24    /* at most, in any array */
#define STRINGS 64 /* bytes of text */

typedef struct input {
  const uint8_t *at, *end;
} input;

static uint8_t next(input *in) {
  return in->at < in->end ? *in->at++ : 0;
}

static void fill(input *in, void *to, size_t size) {
  for (size_t i = 0; i < size; i++)
    ((uint8_t *)to)[i] = next(in);
}

/* A format: how wide a value is (0: strings and such), and how many buffers it has. */
typedef struct kind {
  const char *format;
  uint32_t width, buffers;
} kind;

static const kind kinds[] = {
    {"c", 1, 2},    {"C", 1, 2},        {"s", 2, 2},         {"S", 2, 2},        {"i", 4, 2},
    {"I", 4, 2},    {"l", 8, 2},        {"L", 8, 2},         {"f", 4, 2},        {"g", 8, 2},
    {"e", 2, 2},    {"tdD", 4, 2},      {"tdm", 8, 2},       {"tss:", 8, 2},     {"tsm:UTC", 8, 2},
    {"tsu:", 8, 2}, {"tsn:", 8, 2},     {"tts", 4, 2},       {"ttm", 4, 2},      {"ttu", 8, 2},
    {"ttn", 8, 2},  {"d:9,2,32", 4, 2}, {"d:18,0,64", 8, 2}, {"d:38,18", 16, 2}, {"d:76,3,256", 32, 2},
    {"w:3", 3, 2},  {"w:0", 0, 2},      {"b", 0, 2},         {"n", 0, 0},        {"u", 0, 3},
    {"z", 0, 3},    {"U", 0, 3},        {"Z", 0, 3},         {"vu", 0, 5},       {"vz", 0, 5},
    {"+s", 0, 1},   {"+l", 4, 2},       {"tDs", 8, 2},       {"d:38,19", 16, 2}, {"tiM", 4, 2},
    {"q", 8, 2},
};

/* An array with all memory of its own. */
typedef struct node {
  struct ArrowSchema schema;
  struct ArrowArray array;
  const kind *kind;
  void *memory[5];
  const void *buffers[5];
  bool wild; /* offsets of strings are any */
  struct node *dictionary;
} node;

static int released;

static void release_schema(struct ArrowSchema *s) {
  s->release = NULL;
}

static void release_array(struct ArrowArray *a) {
  released++;
  a->release = NULL;
}

static void *make_buffer(input *in, node *n, uint32_t place, size_t size) {
  n->memory[place] = malloc(size > 0 ? size : 1); /* of exactly this size, for sanitizers */
  CHECK(n->memory[place]);
  fill(in, n->memory[place], size);
  n->buffers[place] = n->memory[place];
  return n->memory[place];
}

/* Offsets into the text: ascending, or, where they are wild, any that are not beyond it. */
static void make_offsets(input *in, node *n, bool large, uint64_t rows) {
  char *to = make_buffer(in, n, 1, (rows + 1) * (large ? 8 : 4));
  int64_t at = 0;
  for (uint64_t i = 0; i <= rows; i++, to += large ? 8 : 4) {
    int64_t offset = 0;
    memcpy(&offset, to, large ? 8 : 4);
    at = at + (offset & 7) > STRINGS ? at : at + (offset & 7);
    const int64_t any = offset & 0x80 ? -(offset & 0xff) : offset % (STRINGS + 1);
    memcpy(to, n->wild ? &any : &at, large ? 8 : 4);
  }
}

static void make_views(input *in, node *n, uint64_t rows) {
  char *view = make_buffer(in, n, 1, rows * 16);
  const int64_t sizes[2] = {STRINGS, STRINGS / 2};
  for (int i = 0; i < 2; i++)
    make_buffer(in, n, 2 + (uint32_t)i, (size_t)sizes[i]);
  memcpy(make_buffer(in, n, 4, sizeof sizes), sizes, sizeof sizes);
  for (uint64_t i = 0; i < rows && !n->wild; i++, view += 16) { /* mostly sound */
    int32_t parts[4];
    memcpy(parts, view, sizeof parts);
    parts[0] &= 31;
    parts[2] &= 1;
    parts[3] &= 15;
    memcpy(view, parts, parts[0] > 12 ? 16 : 4);
  }
}

static void make_node(input *in, node *n, uint64_t rows, bool inside) {
  *n = (node){.kind = &kinds[next(in) % (sizeof kinds / sizeof *kinds)]};
  const uint8_t flags = next(in);
  const uint64_t offset = next(in) % 9, more = next(in) % 3, all = offset + rows + more;
  const char *format = n->kind->format;
  n->wild = (flags & 7) == 0;
  if (flags & 8 && n->kind->buffers > 0)
    make_buffer(in, n, 0, all / 8 + 1);
  if (strchr("uUzZ", *format)) {
    make_buffer(in, n, 2, STRINGS);
    make_offsets(in, n, strchr("UZ", *format), all);
  } else if (*format == 'v') {
    make_views(in, n, all);
  } else if (n->kind->buffers == 2) {
    make_buffer(in, n, 1, strcmp(format, "b") == 0 ? all / 8 + 1 : all * n->kind->width);
  }
  n->schema = (struct ArrowSchema){.format = format, .name = "column", .release = release_schema};
  n->array = (struct ArrowArray){.length = (int64_t)(rows + more),
                                 .offset = (int64_t)offset,
                                 .null_count = flags & 8 ? -1 : 0,
                                 .n_buffers = n->kind->buffers,
                                 .buffers = n->buffers,
                                 .release = release_array};
  if (!inside && flags & 16 && strlen(format) == 1 && strchr("cCsSiIlL", *format)) {
    n->dictionary = calloc(1, sizeof *n->dictionary);
    CHECK(n->dictionary);
    make_node(in, n->dictionary, next(in) % ROWS, true);
    n->schema.dictionary = &n->dictionary->schema;
    n->array.dictionary = &n->dictionary->array;
    for (uint64_t i = 0; i < all * n->kind->width && !n->wild; i++) /* mostly sound */
      ((uint8_t *)n->memory[1])[i] &= i % n->kind->width == 0 ? 7 : 0;
  }
}

static void drop_node(node *n) {
  if (n->dictionary)
    drop_node(n->dictionary);
  free(n->dictionary);
  for (int i = 0; i < 5; i++)
    free(n->memory[i]);
}

/* ---- A reader of one value ---- */

/* What a row says, as text; false: NULL. */
static bool say_row(const node *n, uint64_t row, char text[128]);

static int64_t whole(const node *n, uint64_t at) {
  const char *from = (const char *)n->buffers[1] + at * n->kind->width;
  int8_t i8;
  int16_t i16;
  int32_t i32;
  int64_t i64;
  switch (n->kind->width) {
  case 1:
    memcpy(&i8, from, 1);
    return *n->kind->format == 'C' ? (uint8_t)i8 : i8;
  case 2:
    memcpy(&i16, from, 2);
    return *n->kind->format == 'S' ? (uint16_t)i16 : i16;
  case 4:
    memcpy(&i32, from, 4);
    return *n->kind->format == 'I' ? (int64_t)(uint32_t)i32 : i32;
  default:
    memcpy(&i64, from, 8);
    return i64;
  }
}

static void say_bytes(const char *bytes, int64_t length, char text[128]) {
  size_t used = (size_t)snprintf(text, 128, "%lld:", (long long)length);
  memcpy(text + used, bytes, (size_t)length);
  text[used + (size_t)length] = '\0';
}

static void say_string(const node *n, uint64_t at, char text[128]) {
  int64_t large[2];
  int32_t small[2], view[4];
  if (*n->kind->format == 'v') {
    memcpy(view, (const char *)n->buffers[1] + 16 * at, 16);
    say_bytes(view[0] <= 12 ? (const char *)n->buffers[1] + 16 * at + 4
                            : (const char *)n->buffers[2 + view[2]] + view[3],
              view[0], text);
  } else if (*n->kind->format == 'w') {
    say_bytes(n->kind->width > 0 ? (const char *)n->buffers[1] + 3 * at : "", n->kind->width, text);
  } else if (strchr("UZ", *n->kind->format)) {
    memcpy(large, (const char *)n->buffers[1] + 8 * at, sizeof large);
    say_bytes((const char *)n->buffers[2] + large[0], large[1] - large[0], text);
  } else {
    memcpy(small, (const char *)n->buffers[1] + 4 * at, sizeof small);
    say_bytes((const char *)n->buffers[2] + small[0], small[1] - small[0], text);
  }
}

static void say_time(int64_t value, int digits, char text[128]) {
  int64_t unit = 1;
  for (int i = 0; i < digits; i++)
    unit *= 10;
  const int64_t second = value / unit;
  char time[64];
  int length = snprintf(time, sizeof time, "%02lld:%02lld:%02lld", (long long)(second / 3600),
                        (long long)(second / 60 % 60), (long long)(second % 60));
  if (digits > 0)
    length += snprintf(time + length, sizeof time - (size_t)length, ".%0*lld", digits, (long long)(value % unit));
  say_bytes(time, length, text);
}

static double half_of(uint64_t bits) {
  const double fraction = (double)(bits & 1023), sign = bits & 0x8000 ? -1 : 1;
  const int exponent = (int)(bits >> 10 & 31);
  if (exponent == 31)
    return fraction > 0 ? NAN : sign * INFINITY;
  return sign * (exponent == 0 ? ldexp(fraction, -24) : ldexp(1024 + fraction, exponent - 25));
}

static void say_float(double value, char text[128]) {
  if (isnan(value))
    strcpy(text, "nan");
  else
    snprintf(text, 128, "%a", value);
}

static void say_value(const node *n, uint64_t at, char text[128]) {
  const char *format = n->kind->format;
  float narrow;
  double real;
  if (strchr("uUzZvw", *format)) {
    say_string(n, at, text);
  } else if (strcmp(format, "b") == 0) {
    snprintf(text, 128, "%d", ((const uint8_t *)n->buffers[1])[at / 8] >> at % 8 & 1);
  } else if (strcmp(format, "f") == 0) {
    memcpy(&narrow, (const char *)n->buffers[1] + 4 * at, 4);
    say_float((double)narrow, text);
  } else if (strcmp(format, "g") == 0) {
    memcpy(&real, (const char *)n->buffers[1] + 8 * at, 8);
    say_float(real, text);
  } else if (strcmp(format, "e") == 0) {
    say_float(half_of((uint64_t)whole(n, at) & 0xffff), text);
  } else if (strncmp(format, "tt", 2) == 0) {
    say_time(whole(n, at), format[2] == 's' ? 0 : format[2] == 'm' ? 3 : format[2] == 'u' ? 6 : 9, text);
  } else if (*format == 'L') {
    snprintf(text, 128, "%llu", (unsigned long long)whole(n, at));
  } else {
    const int64_t value = whole(n, at); /* decimals: the low half, which is all of it */
    snprintf(text, 128, "%lld",
             (long long)(strncmp(format, "tss", 3) == 0   ? value * 1000000
                         : strncmp(format, "tsm", 3) == 0 ? value * 1000
                         : strncmp(format, "tsn", 3) == 0 ? value / 1000
                         : strcmp(format, "tdm") == 0     ? value / 86400000
                                                          : value));
  }
}

static bool say_row(const node *n, uint64_t row, char text[128]) {
  const uint64_t at = (uint64_t)n->array.offset + row;
  const uint8_t *bits = n->buffers[0];
  if (strcmp(n->kind->format, "n") == 0 || (bits && !(bits[at / 8] >> at % 8 & 1)))
    return false;
  if (n->dictionary)
    return say_row(n->dictionary, (uint64_t)whole(n, at), text);
  say_value(n, at, text);
  return true;
}

/* ---- The same of a table ---- */

static bool say_cell(const rdx_column *c, uint64_t row, char text[128]) {
  const char *values = c->values;
  uint64_t length;
  if (c->validity && !(c->validity[row / 8] >> row % 8 & 1))
    return false;
  switch (c->type) {
  case RDX_TYPE_STRING:
    values = rdx_column_string(c, row, &length);
    say_bytes(values, (int64_t)length, text);
    break;
  case RDX_TYPE_F32:
    say_float((double)((const float *)c->values)[row], text);
    break;
  case RDX_TYPE_F64:
    say_float(((const double *)c->values)[row], text);
    break;
  case RDX_TYPE_U64:
    snprintf(text, 128, "%llu", (unsigned long long)((const uint64_t *)c->values)[row]);
    break;
  default: {
    const bool is_unsigned = (c->type >= RDX_TYPE_U8 && c->type <= RDX_TYPE_U64) || c->type == RDX_TYPE_BOOL;
    const uint32_t size = (uint32_t)rdx_type_size(c->type);
    const kind as = {is_unsigned ? size == 1 ? "C" : size == 2 ? "S" : "I" : "x", size, 2};
    const node like = {.kind = &as, .buffers = {NULL, c->values}};
    snprintf(text, 128, "%lld", (long long)whole(&like, row));
  }
  }
  return true;
}

static void check_table(const rdx_table *t, const node *nodes, uint64_t skipped) {
  for (uint32_t i = 0; i < rdx_table_columns(t); i++) {
    const rdx_column *c = rdx_table_column(t, i);
    CHECK(c->rows == rdx_table_rows(t));
    for (uint64_t row = 0; row < c->rows; row++) {
      char want[128] = "", got[128] = "";
      const bool is_there = say_cell(c, row, got);
      CHECK(is_there == say_row(&nodes[i], skipped + row, want));
      if (is_there && strcmp(want, got) != 0)
        fprintf(stderr, "column %u, row %llu: '%s' became '%s'\n", i, (unsigned long long)row, want, got);
      CHECK(!is_there || strcmp(want, got) == 0);
    }
  }
}

/* Out to Arrow and in again. */
static void check_again(rdx_table *t, const node *nodes, uint64_t skipped) {
  struct ArrowSchema schema;
  struct ArrowArray array;
  rdx_table *again = NULL;
  rdx_error err = {""};
  CHECK(rdx_table_to_arrow(t, &schema, &array, &err) == RDX_OK);
  rdx_table_destroy(&t);
  CHECK(rdx_table_from_arrow(&schema, &array, &again, &err) == RDX_OK);
  check_table(again, nodes, skipped);
  rdx_table_destroy(&again);
}

static void run(input *in) {
  node nodes[COLUMNS];
  struct ArrowSchema *schemas[COLUMNS];
  struct ArrowArray *arrays[COLUMNS];
  const void *buffers[1] = {NULL};
  const uint64_t count = next(in) % (COLUMNS + 1), rows = next(in) % ROWS, skipped = next(in) % 5;
  for (uint64_t i = 0; i < count; i++) {
    make_node(in, &nodes[i], skipped + rows, false);
    schemas[i] = &nodes[i].schema;
    arrays[i] = &nodes[i].array;
  }
  struct ArrowSchema schema = {
      .format = "+s", .n_children = (int64_t)count, .children = schemas, .release = release_schema};
  struct ArrowArray array = {.length = (int64_t)rows,
                             .offset = (int64_t)skipped,
                             .n_buffers = 1,
                             .buffers = buffers,
                             .n_children = (int64_t)count,
                             .children = arrays,
                             .release = release_array};
  rdx_table *table = NULL;
  rdx_error err = {""};
  released = 0;
  if (rdx_table_from_arrow(&schema, &array, &table, &err) == RDX_OK) {
    CHECK(!schema.release && !array.release && released == 0);
    CHECK(rdx_table_rows(table) == rows && rdx_table_columns(table) == count);
    check_table(table, nodes, skipped);
    check_again(table, nodes, skipped);
    CHECK(released == 1);
  } else {
    CHECK(!table && schema.release && array.release && released == 0);
    CHECK(err.text[0] != '\0' && memchr(err.text, '\0', sizeof err.text));
  }
  for (uint64_t i = 0; i < count; i++)
    drop_node(&nodes[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  input in = {data, data + size};
  run(&in);
  return 0;
}
