/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors
 *
 * Random columns: values that are likely to be treated wrongly, in many distributions and orders. */

#include "diff.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool is_integer(rdx_type type) {
  return type >= RDX_TYPE_I8 && type <= RDX_TYPE_U64;
}

bool is_float(rdx_type type) {
  return type == RDX_TYPE_F32 || type == RDX_TYPE_F64;
}

static bool is_signed(rdx_type type) {
  return (type >= RDX_TYPE_I8 && type <= RDX_TYPE_I64) || type >= RDX_TYPE_DATE;
}

rdx_type random_type(type_set set) {
  static const rdx_type keys[] = {RDX_TYPE_I32, RDX_TYPE_U32,    RDX_TYPE_I64,
                                  RDX_TYPE_U64, RDX_TYPE_STRING, RDX_TYPE_DATE};
  for (;;) {
    if (set == TYPES_KEYS && chance(60))
      return keys[below(sizeof keys / sizeof *keys)];
    const rdx_type type = (rdx_type)(1 + below(RDX_TYPE_STRING));
    const bool whole = is_integer(type) || type == RDX_TYPE_DECIMAL;
    if (set == TYPES_ALL || set == TYPES_KEYS || whole ||
        (set == TYPES_SUM && (is_float(type) || type == RDX_TYPE_BOOL)))
      return type;
  }
}

uint64_t random_rows(uint64_t max, uint64_t large) {
  if (large > max && below(400) == 0)
    return large / 2 + below(large / 2 + 1);
  return chance(4) ? below(2) : chance(10) ? max / 2 + below(max / 2 + 1) : 1 + magnitude(max);
}

unsigned random_nulls(void) {
  return chance(60) ? 0 : chance(80) ? (unsigned)below(40) : chance(60) ? (unsigned)below(101) : 100;
}

/* ---- Values ---- */

typedef enum style {
  STYLE_ANY,      /* all bit patterns */
  STYLE_NEAR,     /* one after the other, from anywhere */
  STYLE_STEPS,    /* at some distance */
  STYLE_SMALL,    /* around 0 */
  STYLE_EDGES,    /* around powers of two */
  STYLE_EXTREMES, /* the ends of the domain */
  STYLE_LOG,      /* any magnitude */
  STYLE_CLUSTERS, /* near to a few that are far apart */
  STYLE_COUNT,
} style;

static uint64_t fit(rdx_type type, uint64_t bits) {
  switch (rdx_type_size(type)) {
  case 1:
    return type == RDX_TYPE_BOOL ? bits & 1 : is_signed(type) ? (uint64_t)(int8_t)bits : (uint8_t)bits;
  case 2:
    return is_signed(type) ? (uint64_t)(int16_t)bits : (uint16_t)bits;
  case 4:
    return is_signed(type) ? (uint64_t)(int32_t)bits : (uint32_t)bits;
  default:
    return bits;
  }
}

static uint64_t edge(void) {
  static const uint8_t often[] = {7, 8, 15, 16, 20, 22, 23, 24, 29, 31, 32, 40, 45, 46, 52, 53, 62, 63};
  const unsigned shift = chance(70) ? often[below(sizeof often)] : (unsigned)below(64);
  const uint64_t x = (UINT64_C(1) << shift) - 2 + below(5);
  return chance(30) ? -x : x;
}

static uint64_t extreme(rdx_type type) {
  const unsigned bits = 8 * (unsigned)rdx_type_size(type);
  const uint64_t top = UINT64_C(1) << (bits - 1);
  const uint64_t from[] = {0, top, top - 1, UINT64_MAX, 1};
  const uint64_t x = from[below(5)];
  return chance(70) ? x : x - 2 + below(5);
}

static uint64_t whole_bits(rdx_type type, style s, uint64_t i, uint64_t base, uint64_t step) {
  switch (s) {
  case STYLE_ANY:
    return draw();
  case STYLE_NEAR:
    return base + i;
  case STYLE_STEPS:
    return base + i * step;
  case STYLE_SMALL:
    return below(200) - (is_signed(type) ? 100 : 0);
  case STYLE_EDGES:
    return edge();
  case STYLE_EXTREMES:
    return extreme(type);
  case STYLE_LOG:
    base = draw();
    base >>= below(64);
    return is_signed(type) && chance(50) ? -base : base;
  case STYLE_CLUSTERS:
    return base * (1 + i % 4) + magnitude(64);
  case STYLE_COUNT:
    break;
  }
  abort();
}

static double special_real(void) {
  static const double values[] = {0.0,
                                  -0.0,
                                  1.0,
                                  -1.0,
                                  0.1,
                                  0.3,
                                  INFINITY,
                                  -INFINITY,
                                  0x1p-1074,
                                  -0x1p-1074,
                                  0x1p-1022,
                                  0x1.fffffffffffffp1023,
                                  -0x1.fffffffffffffp1023,
                                  0x1p-149,
                                  0x1p-126,
                                  0x1.fffffep127,
                                  8388608.0,
                                  8388607.5,
                                  16777216.0,
                                  16777217.0,
                                  9007199254740992.0,
                                  9007199254740993.0,
                                  1e300,
                                  -1e300,
                                  1e-300,
                                  0.5,
                                  1.5,
                                  2.5};
  const size_t count = sizeof values / sizeof *values;
  const uint64_t i = below(count + 2);
  return i < count ? values[i] : i == count ? NAN : -NAN;
}

static double real_value(rdx_type type, style s, uint64_t i, uint64_t base, uint64_t step) {
  const unsigned mantissa = type == RDX_TYPE_F32 ? 23 : 52;
  switch (s) {
  case STYLE_NEAR: /* one unit in the last place apart */
    return ldexp((double)((UINT64_C(1) << mantissa) + i), (int)(base % 60) - 30 - (int)mantissa);
  case STYLE_STEPS:
    return (double)(int64_t)(i * (1 + step % 1000)) / (base % 3 == 0 ? 100.0 : base % 3 == 1 ? 10.0 : 8.0);
  case STYLE_SMALL:
    return (double)below(200) - 100;
  case STYLE_EDGES:
    base = edge();
    return (double)(int64_t)base + (chance(30) ? 0.5 : 0);
  case STYLE_EXTREMES:
    return special_real();
  case STYLE_LOG:
    base = draw();
    step = below(140);
    return ldexp(chance(50) ? (double)base : -(double)base, (int)step - 134);
  default: /* STYLE_CLUSTERS */
    return (double)(base % 1000 * (1 + i % 4)) + (double)below(64) / 64;
  }
}

static uint64_t real_bits(rdx_type type, double x) {
  uint64_t bits = 0;
  if (type == RDX_TYPE_F32) {
    const float f = (float)x;
    memcpy(&bits, &f, sizeof f);
  } else {
    memcpy(&bits, &x, sizeof x);
  }
  return bits;
}

/* Strings of a pool have an alphabet, a common beginning and lengths. */
typedef struct spelling {
  unsigned alphabet, prefix, min, spread;
} spelling;

static spelling random_spelling(bool tame) {
  static const unsigned prefixes[] = {0, 0, 0, 3, 7, 8, 9, 16, 20};
  spelling s;
  s.alphabet = (unsigned)below(4);
  s.prefix = prefixes[below(tame ? 3 : 9)];
  s.min = chance(60) ? 0 : (unsigned)below(10);
  s.spread = chance(70) ? 1 + (unsigned)below(6) : chance(80) ? 12 : 70;
  if (tame)
    s.min = 0, s.spread = 4;
  return s;
}

static void spell(const spelling *s, uint64_t i, bool numbered, cell *out) {
  static const char letters[3][8] = {{'a', 'b'}, {0, 1, '\xff', 'a', ' ', '\x7f', '\x80', 'Z'}, "abcdXYZ9"};
  char text[128];
  uint64_t length = 0;
  while (length < s->prefix)
    text[length++] = 'p';
  if (chance(3)) /* now and then, only a beginning of the beginning */
    length = below(s->prefix + 1);
  if (numbered) {
    length += (uint64_t)snprintf(text + length, sizeof text - length, "%05" PRIu64, i);
  } else {
    for (uint64_t rest = s->min + below(s->spread); rest > 0; rest--)
      text[length++] = s->alphabet == 3 ? (char)draw() : letters[s->alphabet][below(s->alphabet ? 8 : 2)];
  }
  char *copy = take(length);
  memcpy(copy, text, length);
  *out = (cell){.text = copy, .length = length};
}

pool pool_make(rdx_type type, uint64_t count, bool tame) {
  pool p = {.type = type, .count = count, .cells = take(count * sizeof(cell))};
  if (type == RDX_TYPE_DECIMAL)
    p.scale = (uint8_t)(chance(30) ? 2 : below(tame ? 4 : 19));
  const style s = tame ? (chance(50) ? STYLE_SMALL : STYLE_NEAR) : (style)below(STYLE_COUNT);
  const bool mixed = !tame && chance(15), numbered = chance(30);
  uint64_t base = below(count + 1);
  if (tame)
    base = below(100);
  else if (chance(40))
    base = edge() - base;
  else
    base = chance(50) ? extreme(type == RDX_TYPE_STRING ? RDX_TYPE_I8 : type) : draw();
  uint64_t step = below(40);
  step = chance(50) ? 1 + magnitude(1000) : draw() >> step;
  const spelling sp = random_spelling(tame);
  for (uint64_t i = 0; i < count; i++) {
    const style one = mixed && chance(20) ? (style)below(STYLE_COUNT) : s;
    cell *c = &p.cells[i];
    *c = (cell){0};
    if (type == RDX_TYPE_STRING)
      spell(&sp, i, numbered, c);
    else if (is_float(type) && tame)
      c->bits = real_bits(type, (double)(int64_t)whole_bits(RDX_TYPE_I64, one, i, base, step) / (base % 2 ? 4 : 10));
    else if (is_float(type) && one != STYLE_ANY)
      c->bits = real_bits(type, real_value(type, one, i, base, step));
    else
      c->bits = fit(is_float(type) ? RDX_TYPE_U64 : type, whole_bits(type, one, i, base, step));
  }
  return p;
}

cell pool_cell(const pool *p) {
  if (p->count > 0)
    return p->cells[below(p->count)];
  return pool_make(p->type, 1, false).cells[0];
}

static cell string_neighbour(const cell *c) {
  char *text = take(c->length + 1);
  if (c->length)
    memcpy(text, c->text, c->length);
  cell near = {.text = text, .length = c->length};
  if (chance(40)) /* longer */
    text[near.length++] = chance(50) ? 0 : (char)draw();
  else if (near.length > 0 && chance(50)) /* shorter */
    near.length -= 1 + below(near.length);
  else if (near.length > 0)
    text[below(near.length)] += chance(50) ? 1 : -1;
  return near;
}

cell pool_probe(const pool *p) {
  cell c = pool_cell(p);
  if (chance(60))
    return c;
  if (chance(25))
    return pool_make(p->type, 1, false).cells[0];
  if (p->type == RDX_TYPE_STRING)
    return string_neighbour(&c);
  c.bits += chance(80) ? (chance(50) ? 1 : UINT64_MAX) : magnitude(1000);
  if (!is_float(p->type))
    c.bits = fit(p->type, c.bits);
  return c;
}

/* ---- Columns ---- */

static void store(void *values, rdx_type type, uint64_t row, uint64_t bits) {
  const size_t size = rdx_type_size(type);
  memcpy((char *)values + row * size, &bits, size); /* little-endian, as everything here */
}

static void store_strings(rdx_column *column, const cell *cells) {
  uint64_t bytes = 0;
  for (uint64_t i = 0; i < column->rows; i++)
    bytes += cells[i].length;
  uint64_t *offsets = take((column->rows + 1) * sizeof *offsets);
  char *values = take(bytes);
  offsets[0] = 0;
  for (uint64_t i = 0; i < column->rows; i++) {
    if (cells[i].length)
      memcpy(values + offsets[i], cells[i].text, cells[i].length);
    offsets[i + 1] = offsets[i] + cells[i].length;
  }
  column->offsets = offsets;
  column->values = values;
}

static int compare_cells(const void *a, const void *b) {
  const cell *x = a, *y = b;
  const uint64_t length = x->length < y->length ? x->length : y->length;
  const int order = length ? memcmp(x->text, y->text, length) : 0;
  return order ? order : (x->length > y->length) - (x->length < y->length);
}

/* As store_strings(), but with a dictionary, which may have strings that no row has. */
static void store_places(rdx_column *column, const cell *cells) {
  cell *sorted = take((column->rows + 1) * sizeof *sorted);
  uint64_t count = 0, distinct = 0;
  for (uint64_t i = 0; i < column->rows; i++)
    if (!cells[i].null)
      sorted[count++] = cells[i];
  if (chance(30))
    sorted[count++] = (cell){.text = "unused", .length = 6};
  qsort(sorted, count, sizeof *sorted, compare_cells);
  for (uint64_t i = 0; i < count; i++)
    if (i == 0 || compare_cells(&sorted[distinct - 1], &sorted[i]) != 0)
      sorted[distinct++] = sorted[i];
  rdx_column *dictionary = take(sizeof *dictionary);
  *dictionary = (rdx_column){.type = RDX_TYPE_STRING, .rows = distinct};
  store_strings(dictionary, sorted);
  uint32_t *places = take(column->rows * sizeof *places);
  for (uint64_t i = 0; i < column->rows; i++) {
    const cell *place = cells[i].null ? NULL : bsearch(&cells[i], sorted, distinct, sizeof *sorted, compare_cells);
    places[i] = place ? (uint32_t)(place - sorted) : (uint32_t)draw();
  }
  column->values = places;
  column->dictionary = dictionary;
}

rdx_column column_make(rdx_type type, uint8_t scale, const cell *cells, uint64_t rows) {
  rdx_column column = {.type = type, .scale = scale, .rows = rows};
  bool nulls = chance(5);
  for (uint64_t i = 0; i < rows; i++)
    nulls |= cells[i].null;
  if (nulls) {
    uint8_t *validity = take((rows + 7) / 8);
    memset(validity, chance(50) ? 0xff : 0, (rows + 7) / 8); /* what is behind the last row means nothing */
    for (uint64_t i = 0; i < rows; i++) {
      validity[i / 8] |= (uint8_t)(1u << i % 8);
      if (cells[i].null)
        validity[i / 8] ^= (uint8_t)(1u << i % 8);
    }
    column.validity = validity;
  }
  if (type == RDX_TYPE_STRING && chance(30)) {
    store_places(&column, cells);
  } else if (type == RDX_TYPE_STRING) {
    store_strings(&column, cells);
  } else {
    void *values = take(rows * rdx_type_size(type));
    for (uint64_t i = 0; i < rows; i++)
      store(values, type, i, cells[i].bits);
    column.values = values;
  }
  return column;
}

static const pool *sorted_pool;

static int compare_of_pool(const void *a, const void *b) {
  const cell *x = a, *y = b;
  if (sorted_pool->type == RDX_TYPE_STRING)
    return compare_cells(a, b);
  const rdx_column left = {.type = sorted_pool->type, .rows = 1, .values = &x->bits};
  const rdx_column right = {.type = sorted_pool->type, .rows = 1, .values = &y->bits};
  return compare_rows(&left, 0, &right, 0);
}

static void order_cells(const pool *p, cell *cells, uint64_t rows) {
  const uint64_t order = below(10);
  if (order > 3)
    return;
  sorted_pool = p;
  qsort(cells, rows, sizeof *cells, compare_of_pool);
  for (uint64_t i = 0; order == 0 && i < rows / 2; i++) { /* reversed */
    const cell c = cells[i];
    cells[i] = cells[rows - 1 - i];
    cells[rows - 1 - i] = c;
  }
  for (uint64_t i = 0; order == 1 && i < 3 && rows > 0; i++) { /* nearly sorted */
    const uint64_t from = below(rows), to = below(rows);
    cells[to] = cells[from];
  }
}

rdx_column pool_column(const pool *p, uint64_t rows, unsigned nulls) {
  cell *cells = take(rows * sizeof *cells);
  const uint64_t way = below(5);
  const uint64_t first = below(p->count);
  for (uint64_t i = 0; i < rows; i++) {
    if (p->count == 0)
      cells[i] = pool_cell(p);
    else if (way == 0) /* each of them in turn */
      cells[i] = p->cells[(first + i) % p->count];
    else if (way == 1) /* few of them often */
      cells[i] = p->cells[(first + magnitude(p->count)) % p->count];
    else if (way == 2 && i > 0 && chance(80)) /* in runs */
      cells[i] = cells[i - 1];
    else
      cells[i] = pool_cell(p);
  }
  if (way == 0) /* in any order */
    for (uint64_t i = rows; i > 1; i--) {
      const uint64_t j = below(i);
      const cell c = cells[j];
      cells[j] = cells[i - 1];
      cells[i - 1] = c;
    }
  order_cells(p, cells, rows);
  const bool runs = chance(20);
  for (uint64_t i = 0; i < rows; i++)
    cells[i].null = nulls == 100 || (runs && i > 0 && chance(90) ? cells[i - 1].null : chance(nulls));
  return column_make(p->type, p->scale, cells, rows);
}

rdx_column pool_probes(const pool *p, uint64_t rows, unsigned nulls) {
  cell *cells = take(rows * sizeof *cells);
  for (uint64_t i = 0; i < rows; i++) {
    cells[i] = pool_probe(p);
    cells[i].null = chance(nulls);
  }
  if (chance(20))
    order_cells(p, cells, rows);
  return column_make(p->type, p->scale, cells, rows);
}

static void destroy_device_column(void *object) {
  rdx_device_column *column = object;
  rdx_device_column_destroy(&column);
}

rdx_column maybe_upload(const rdx_column *column) {
  if (!chance(25))
    return *column;
  rdx_error err = {""};
  rdx_device_column *uploaded = NULL;
  passed("upload", rdx_device_column_create(diff_device, column, &uploaded, &err), &err, NULL);
  at_end(destroy_device_column, uploaded);
  return rdx_device_column_view(uploaded);
}

bool has_long_strings(const rdx_column *column) {
  if (column->type != RDX_TYPE_STRING)
    return false;
  if (column->dictionary && has_long_strings(column->dictionary))
    return true;
  for (uint64_t i = 0; !column->dictionary && i < column->rows; i++) {
    uint64_t length;
    const char *text = rdx_column_string(column, i, &length);
    if (length > 8 || (length && memchr(text, 0, length)))
      return true;
  }
  return false;
}

void column_print(const char *name, const rdx_column *column) {
  fprintf(stderr, "%s: %s", name, rdx_type_name(column->type));
  if (column->scale)
    fprintf(stderr, "(%d)", column->scale);
  fprintf(stderr, "%s, %" PRIu64 " rows:", column->dictionary ? " with a dictionary" : "", column->rows);
  for (uint64_t i = 0; i < column->rows && i < 60; i++) {
    char text[200];
    const value v = value_at(column, i);
    value_print(&v, text, sizeof text);
    fprintf(stderr, " %s", text);
  }
  fprintf(stderr, "%s\n", column->rows > 60 ? " ..." : "");
}
