/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Random CSV, read by the library and by the reader of csv_reference.h: see usage(). */

#include "tests/fuzz/csv_reference.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct {
  uint64_t seed, number;
  double seconds;
  uint64_t files, read, imported;
} run = {.seconds = 10, .files = UINT64_MAX};

/* ---- Random numbers (SplitMix64) ---- */

static uint64_t state;

static uint64_t draw(void) {
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

static uint64_t below(uint64_t n) {
  return draw() % n;
}

static bool one_in(uint64_t n) {
  return below(n) == 0;
}

/* ---- Random texts ---- */

typedef struct buffer {
  char *bytes;
  size_t length, capacity;
} buffer;

static void put(buffer *b, const char *bytes, size_t length) {
  if (length == 0)
    return;
  if (b->length + length > b->capacity) {
    b->capacity = 2 * (b->length + length) + 256;
    b->bytes = realloc(b->bytes, b->capacity);
    if (!b->bytes)
      abort();
  }
  memcpy(b->bytes + b->length, bytes, length);
  b->length += length;
}

static void say(buffer *b, const char *text) {
  put(b, text, strlen(text));
}

static void say_digits(buffer *b, uint64_t count) {
  for (; count > 0; count--)
    put(b, &"0123456789"[below(10)], 1);
}

#define PICK(b, ...)                                                                                                   \
  do {                                                                                                                 \
    static const char *const choices[] = {__VA_ARGS__};                                                                \
    say(b, choices[below(COUNT(choices))]);                                                                            \
  } while (0)

static void say_integer(buffer *b) {
  PICK(b, "", "", "", "", "-", "-", "+");
  if (one_in(12))
    PICK(b, "0", "00", "2147483647", "2147483648", "-2147483648", "9223372036854775807", "9223372036854775808",
         "18446744073709551615", "18446744073709551616", "9007199254740992", "9007199254740993", "999999999999999",
         "1000000000000000");
  else
    say_digits(b, 1 + below(one_in(4) ? 24 : 6));
}

static void say_decimal(buffer *b) {
  PICK(b, "", "", "", "", "-", "-", "+");
  if (!one_in(10))
    say_digits(b, one_in(3) ? 1 : 1 + below(one_in(5) ? 20 : 4));
  say(b, ".");
  say_digits(b, below(one_in(5) ? 20 : 4));
  for (uint64_t zeros = one_in(8) ? below(30) : 0; zeros > 0; zeros--)
    say(b, "0");
}

static void say_float(buffer *b) {
  char text[40];
  const uint64_t bits = draw();
  double value;
  memcpy(&value, &bits, sizeof value);
  switch (below(6)) {
  case 0:
    PICK(b, "nan", "NaN", "inf", "-inf", "Infinity", "-INFINITY", "+nan", "1e5", "1E+5", "12E3", "1.5e-3", "1e-400",
         "2.5e-400", "1e-320", "1.2345e-320", "1e309", "-1e400", "1e", "e5", "4.9e-324", "2.2250738585072011e-308");
    return;
  case 1:
    snprintf(text, sizeof text, "%.17g", value);
    break;
  case 2:
    snprintf(text, sizeof text, "%.*g", 1 + (int)below(20), (double)(int64_t)draw() / 1e17);
    break;
  case 3:
    snprintf(text, sizeof text, "%.*e", (int)below(18), value);
    break;
  default:
    say_decimal(b);
    PICK(b, "", "", "e", "E-", "e+");
    if (b->bytes[b->length - 1] > '9' || b->bytes[b->length - 1] < '.')
      say_digits(b, 1 + below(3));
    return;
  }
  say(b, text);
}

static void say_time(buffer *b, bool date_only) {
  char text[40];
  snprintf(text, sizeof text, "%04u-%02u-%02u", one_in(20) ? (unsigned)below(10000) : 1990 + (unsigned)below(40),
           1 + (unsigned)below(one_in(20) ? 14 : 12), 1 + (unsigned)below(one_in(10) ? 33 : 28));
  say(b, text);
  if (date_only || one_in(6))
    return;
  PICK(b, " ", "T", "T", "t", "  ");
  snprintf(text, sizeof text, "%02u:%02u", (unsigned)below(one_in(30) ? 25 : 24), (unsigned)below(60));
  say(b, text);
  if (!one_in(4)) {
    snprintf(text, sizeof text, ":%02u", (unsigned)below(one_in(30) ? 61 : 60));
    say(b, text);
    if (one_in(3)) {
      say(b, ".");
      say_digits(b, below(8));
      say(b, one_in(4) ? "000000" : "");
    }
  }
  PICK(b, "", "", "", "Z", "Z", "+01:00", "-0530", "+02", " +0100", "+1", "+01:60", "+16:00", "-00:00", "z");
}

static void say_word(buffer *b) {
  PICK(b, "true", "FALSE", "t", "0", "1", "NA", "n/a", "", " ", "-", "caf\xc3\xa9", "\xe2\x82\xac", "x", "Bob", "a b",
       "\xf0\x9f\x98\x80", "sep=;", "0x10", "1,5", "$5", "01/02/2024", "None", "\xef\xbb\xbf", "\xe9", "\xc3", "\x93",
       "\x01");
}

enum { INTEGERS, DECIMALS, FLOATS, DATES, TIMES, TRUTHS, CODES, WORDS, THEMES };

static void say_value(buffer *b, uint64_t theme) {
  switch (theme) {
  case INTEGERS:
    if (one_in(3))
      say_integer(b);
    else
      say_digits(b, 1 + below(4));
    return;
  case DECIMALS:
    say_decimal(b);
    return;
  case FLOATS:
    say_float(b);
    return;
  case DATES:
  case TIMES:
    say_time(b, theme == DATES);
    return;
  case TRUTHS:
    PICK(b, "true", "false", "TRUE", "False", "t");
    return;
  case CODES:
    say_digits(b, 1 + below(2));
    say(b, one_in(3) ? "" : "E");
    say_digits(b, 1 + below(2));
    return;
  default:
    say_word(b);
    return;
  }
}

/* ---- Random files ---- */

typedef struct dialect {
  rdx_csv_params params;
  char delimiter, quote;
  const char *nulls[4];
  rdx_csv_type types[2];
  const char *columns[3];
} dialect;

static const char *const names[] = {"a", "b", "c", "", "d e", "\xc3\xa4", "f\"g", "1", "2"};

static void draw_dialect(dialect *d) {
  static const char delimiters[] = ",,,,;;\t|: '";
  static const char *const nulls[] = {"NA", "", "-", "0", "n/a", " x ", "-999", "1.50", "\xe2\x82\xac"};
  *d = (dialect){.delimiter = delimiters[below(sizeof delimiters - 1)]};
  d->quote = one_in(4) ? "'|$"[below(3)] : '"';
  if (d->quote == d->delimiter)
    d->quote = '"';
  if (d->delimiter != ',' && !one_in(3))
    d->params.delimiter = d->delimiter;
  if (d->quote != '"' && !one_in(8))
    d->params.quote = d->quote;
  if (d->params.delimiter && d->params.delimiter == d->params.quote)
    d->params.quote = '\0';
  if (!d->params.quote && one_in(6))
    d->params.quotes = RDX_SWITCH_OFF;
  d->params.header = one_in(4) ? RDX_SWITCH_OFF : RDX_SWITCH_DEFAULT;
  d->params.encoding = one_in(8) ? (rdx_encoding)(1 + below(2)) : RDX_ENCODING_UTF8;
  d->params.nulls = d->nulls;
  for (d->params.null_count = one_in(2) ? 0 : below(4); d->params.null_count > 3;)
    d->params.null_count--;
  for (size_t i = 0; i < d->params.null_count; i++)
    d->nulls[i] = nulls[below(COUNT(nulls))];
  d->params.types = d->types;
  d->params.type_count = one_in(3) ? 1 + below(2) : 0;
  for (size_t i = 0; i < d->params.type_count; i++) {
    d->types[i] =
        (rdx_csv_type){names[below(one_in(10) ? COUNT(names) : 3)], (rdx_type)(1 + below(RDX_TYPE_STRING)), 0};
    d->types[i].scale = d->types[i].type == RDX_TYPE_DECIMAL ? (uint8_t)below(one_in(3) ? 19 : 4) : 0;
  }
  if (one_in(6)) {
    d->params.columns = d->columns;
    d->params.column_count = 1 + below(3);
    for (size_t i = 0; i < d->params.column_count; i++)
      d->columns[i] = names[below(one_in(10) ? COUNT(names) : 4)];
  }
}

/* A field, in quotes where it needs them or for no reason. */
static void say_field(buffer *b, const dialect *d, const buffer *value) {
  bool quotes = one_in(8);
  for (size_t i = 0; i < value->length; i++)
    quotes |= (value->bytes[i] == d->delimiter || value->bytes[i] == d->quote) && !one_in(16);
  if (!quotes) {
    say(b, one_in(24) ? " " : "");
    put(b, value->bytes, value->length);
    say(b, one_in(24) ? "\t" : "");
    return;
  }
  put(b, &d->quote, 1);
  for (size_t i = 0; i < value->length; i++) {
    put(b, value->bytes + i, 1);
    if (value->bytes[i] == d->quote && !one_in(16))
      put(b, value->bytes + i, 1);
  }
  say(b, one_in(16) ? "\r\n" : "");
  put(b, &d->quote, 1);
}

static void say_line_end(buffer *b, uint64_t style) {
  say(b, one_in(64) ? "\r\r\n" : one_in(64) ? "\n\n" : style ? "\r\n" : "\n");
}

static void say_file(buffer *b, const dialect *d) {
  static buffer value;
  uint64_t columns = 1 + below(4), rows = below(9), themes[4], style = one_in(4);
  const uint64_t purity = one_in(2) ? 2000 : 6, missing = 2 + below(20);
  if (one_in(2000))
    rows = 990 + below(1500);
  say(b, one_in(12) ? "\xef\xbb\xbf" : "");
  if (one_in(20)) {
    say(b, "sep=");
    put(b, one_in(4) ? ";" : &d->delimiter, 1);
    say_line_end(b, style);
  }
  for (uint64_t i = 0; i < columns; i++) {
    themes[i] = below(THEMES);
    value.length = 0;
    say(&value, one_in(6) ? names[below(COUNT(names))] : names[i % 3]);
    put(b, &d->delimiter, i > 0);
    if (d->params.header != RDX_SWITCH_OFF)
      say_field(b, d, &value);
  }
  if (d->params.header == RDX_SWITCH_OFF)
    b->length -= columns - 1;
  else
    say_line_end(b, style);
  for (uint64_t row = 0; row < rows; row++) {
    for (uint64_t i = 0; i < columns; i++) {
      value.length = 0;
      if (!one_in(missing))
        say_value(&value, one_in(purity) ? below(THEMES) : themes[i]);
      put(b, &d->delimiter, i > 0);
      say_field(b, d, &value);
    }
    if (one_in(200))
      put(b, &d->delimiter, 1);
    if (row + 1 < rows || !one_in(3))
      say_line_end(b, style);
    else
      say(b, one_in(3) ? "\r" : "");
  }
  say(b, one_in(16) ? "\n\r\n" : "");
}

/* Another encoding, and bytes that are wrong. */
static void spoil(buffer *b) {
  if (one_in(12)) {
    static buffer wide;
    const bool big = one_in(2);
    wide.length = 0;
    say(&wide, big ? "\xfe\xff" : "\xff\xfe");
    for (size_t i = 0; i < b->length; i++) {
      const char unit[] = {b->bytes[i], one_in(40) ? (char)draw() : '\0', b->bytes[i]};
      put(&wide, unit + big, 2);
    }
    const buffer swap = *b;
    *b = wide;
    wide = swap;
  }
  for (uint64_t i = one_in(3) ? 1 + below(3) : 0; i > 0 && b->length > 0; i--) {
    const size_t at = below(b->length);
    if (one_in(3))
      b->length = at;
    else
      b->bytes[at] = one_in(2) ? (char)draw() : "\"\",;\n\r\t 'e.-+09|"[below(16)];
  }
}

/* ---- Comparing ---- */

static void show(const buffer *b, const dialect *d, const char *what, uint64_t column, uint64_t row) {
  fprintf(stderr, "--seed %" PRIu64 " --only %" PRIu64 ": %s, column %" PRIu64 ", row %" PRIu64 "\n", run.seed,
          run.number, what, column, row);
  fprintf(stderr, "delimiter '%c' quote '%c'%s%s encoding %d types %zu columns %zu nulls", d->params.delimiter,
          d->params.quote, d->params.quotes == RDX_SWITCH_OFF ? " none" : "",
          d->params.header == RDX_SWITCH_OFF ? " no header" : "", (int)d->params.encoding, d->params.type_count,
          d->params.column_count);
  for (size_t i = 0; i < d->params.null_count; i++)
    fprintf(stderr, " '%s'", d->nulls[i]);
  for (size_t i = 0; i < d->params.type_count; i++)
    fprintf(stderr, ", '%s' is %s(%u)", d->types[i].column, rdx_type_name(d->types[i].type), d->types[i].scale);
  fprintf(stderr, "\n%.*s\n", (int)b->length, b->bytes);
}

static int64_t integer_of(const rdx_column *c, uint64_t row) {
  switch (c->type) {
  case RDX_TYPE_BOOL:
  case RDX_TYPE_U8:
    return ((const uint8_t *)c->values)[row];
  case RDX_TYPE_I8:
    return ((const int8_t *)c->values)[row];
  case RDX_TYPE_I16:
    return ((const int16_t *)c->values)[row];
  case RDX_TYPE_U16:
    return ((const uint16_t *)c->values)[row];
  case RDX_TYPE_U32:
    return ((const uint32_t *)c->values)[row];
  case RDX_TYPE_I32:
  case RDX_TYPE_DATE:
    return ((const int32_t *)c->values)[row];
  default:
    return ((const int64_t *)c->values)[row];
  }
}

static bool same_value(const rdx_column *c, uint64_t row, const ref_value *v) {
  const bool missing = c->validity && !(c->validity[row / 8] >> row % 8 & 1);
  if (missing || v->is_null)
    return missing == v->is_null;
  if (c->type == RDX_TYPE_STRING) {
    uint64_t length;
    const char *text = rdx_column_string(c, row, &length);
    return length == v->text.length && (length == 0 || memcmp(text, v->text.bytes, length) == 0);
  }
  if (c->type != RDX_TYPE_F32 && c->type != RDX_TYPE_F64)
    return integer_of(c, row) == v->integer;
  const double value =
      c->type == RDX_TYPE_F32 ? (double)((const float *)c->values)[row] : ((const double *)c->values)[row];
  return (isnan(value) && isnan(v->real)) || (value == v->real && signbit(value) == signbit(v->real));
}

/* NULL, or what differs. */
static const char *compare(const rdx_table *t, const ref_table *r, uint64_t *column, uint64_t *row) {
  if (rdx_table_columns(t) != r->column_count)
    return "the number of columns";
  if (rdx_table_rows(t) != r->rows)
    return "the number of rows";
  for (*column = 0; *column < r->column_count; (*column)++) {
    const ref_column *want = &r->columns[*column];
    const rdx_column *c = rdx_table_column(t, (uint32_t)*column);
    const char *name = rdx_table_column_name(t, (uint32_t)*column);
    if (strlen(name) != want->name.length ||
        (want->name.length > 0 && memcmp(name, want->name.bytes, want->name.length) != 0))
      return "a name";
    if (c->type != want->type || c->scale != want->scale)
      return "a type";
    for (*row = 0; *row < r->rows; (*row)++)
      if (!same_value(c, *row, &want->values[*row]))
        return "a value";
  }
  return NULL;
}

/* ---- Imports ---- */

static char folder[] = "/tmp/raydex-diff-XXXXXX";

/* Import the file with several threads; what is opened then must be the same. */
static const char *check_import(const buffer *b, const dialect *d, const ref_table *want, uint64_t *column,
                                uint64_t *row) {
  char csv[64], rdx[64];
  rdx_table *t = NULL;
  rdx_error err;
  snprintf(csv, sizeof csv, "%s/t.csv", folder);
  snprintf(rdx, sizeof rdx, "%s/t.rdx", folder);
  FILE *f = fopen(csv, "wb");
  if (!f || fwrite(b->bytes, 1, b->length, f) != b->length || fclose(f) != 0)
    return "the file cannot be written";
  const rdx_import_params params = {.csv = d->params, .threads = 2};
  const rdx_status status = rdx_table_import_csv(csv, rdx, &params, NULL, &err);
  bool twice = false;
  for (uint32_t i = 0; i < want->column_count; i++)
    for (uint32_t k = 0; k < i; k++)
      twice |= want->columns[i].name.length == want->columns[k].name.length &&
               (want->columns[i].name.length == 0 ||
                memcmp(want->columns[i].name.bytes, want->columns[k].name.bytes, want->columns[i].name.length) == 0);
  const char *wrong = (status == RDX_OK) == (!want->failed && !twice) ? NULL : "whether it can be imported";
  if (!wrong && status == RDX_OK)
    wrong = rdx_table_open(rdx, &t, &err) == RDX_OK ? compare(t, want, column, row) : "whether it can be opened";
  rdx_table_destroy(&t);
  unlink(csv);
  unlink(rdx);
  run.imported++;
  return wrong;
}

/* ---- Cases ---- */

static bool check_case(void) {
  static buffer b;
  dialect d;
  ref_table want;
  rdx_table *t = NULL;
  rdx_error err = {""};
  uint64_t column = 0, row = 0;
  state = run.seed * 0x2545f4914f6cdd1d + run.number;
  b.length = 0;
  draw_dialect(&d);
  say_file(&b, &d);
  spoil(&b);
  put(&b, "", 1); /* memory for an empty one */
  b.length--;
  ref_read(b.bytes, b.length, &d.params, &want);
  const rdx_status status = rdx_table_parse_csv("random", b.bytes, b.length, &d.params, &t, &err);
  const char *wrong = NULL;
  char line[40];
  snprintf(line, sizeof line, "random, line %" PRIu64, want.line);
  if ((status == RDX_OK) == want.failed)
    wrong = "whether it can be read";
  else if (status != RDX_OK && want.line > 0 &&
           (strncmp(err.text, line, strlen(line)) != 0 ||
            (err.text[strlen(line)] >= '0' && err.text[strlen(line)] <= '9')))
    wrong = "the line of the error";
  else if (status == RDX_OK)
    wrong = compare(t, &want, &column, &row);
  run.read += status == RDX_OK;
  if (!wrong && one_in(500))
    wrong = check_import(&b, &d, &want, &column, &row);
  if (wrong) {
    show(&b, &d, wrong, column, row);
    fprintf(stderr, "the library: %s\n", status == RDX_OK ? "read" : err.text);
    if (status == RDX_OK && column < rdx_table_columns(t))
      fprintf(stderr, "its type: %s\n", rdx_type_name(rdx_table_column(t, (uint32_t)column)->type));
    fprintf(stderr, "the reference: %s, line %" PRIu64 "\n", want.failed ? "failed" : "read", want.line);
    if (!want.failed && column < want.column_count)
      fprintf(stderr, "its type: %s\n", rdx_type_name(want.columns[column].type));
  }
  rdx_table_destroy(&t);
  ref_free_all();
  return !wrong;
}

/* ---- The program ---- */

static int usage(void) {
  fputs("usage: raydex-diff-csv [--seed N] [--seconds S] [--files N] [--only K]\n"
        "Read random CSV by the library and by a reader of its own, and end with 1 at the first difference.\n"
        "  --seed N      another seed, other files (the time)\n"
        "  --seconds S   end after so many seconds (10, unless --files is there)\n"
        "  --files N     end after so many files\n"
        "  --only K      only file K of the seed\n",
        stderr);
  return 2;
}

static bool take(const char *option, const char *value) {
  char *end = NULL;
  const uint64_t number = value ? strtoull(value, &end, 10) : 0;
  if (!value || *end || !*value)
    return false;
  if (strcmp(option, "--seed") == 0) {
    run.seed = number;
  } else if (strcmp(option, "--seconds") == 0) {
    run.seconds = (double)number;
  } else if (strcmp(option, "--files") == 0) {
    run.files = number;
    run.seconds = 1e18;
  } else if (strcmp(option, "--only") == 0) {
    run.number = number;
    run.files = number + 1;
  } else {
    return false;
  }
  return true;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int argc, char **argv) {
  run.seed = (uint64_t)time(NULL);
  for (int i = 1; i < argc; i += 2)
    if (!take(argv[i], argv[i + 1]))
      return usage();
  if (!mkdtemp(folder)) {
    perror(folder);
    return 2;
  }
  const double end = now() + run.seconds;
  const uint64_t first = run.number;
  bool same = true;
  for (; same && run.number < run.files && now() < end; run.number++)
    same = check_case();
  rmdir(folder);
  printf("seed %" PRIu64 ": %" PRIu64 " files, of which %" PRIu64 " could be read and %" PRIu64
         " were imported, too; %s\n",
         run.seed, run.number - first, run.read, run.imported, same ? "no difference" : "one differs");
  return same ? 0 : 1;
}
