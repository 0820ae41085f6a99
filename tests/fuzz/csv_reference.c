/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Texts to records and columns. */

#include "tests/fuzz/csv_reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- Memory ---- */

#define BLOCK ((size_t)1 << 20)

static struct block {
  struct block *next;
  size_t used, size;
} * blocks;

void *ref_alloc(size_t size) {
  size = (size + 15) / 16 * 16;
  if (!blocks || blocks->size - blocks->used < size) {
    const size_t capacity = size > BLOCK ? size : BLOCK;
    struct block *b = malloc(sizeof *b + 16 + capacity);
    if (!b)
      abort();
    *b = (struct block){blocks, 0, capacity};
    blocks = b;
  }
  char *out = (char *)(blocks + 1) + blocks->used;
  blocks->used += size;
  return out;
}

void ref_free_all(void) {
  while (blocks && blocks->next) {
    struct block *b = blocks;
    blocks = b->next;
    free(b);
  }
  if (blocks)
    blocks->used = 0;
}

/* ---- Encodings ---- */

static size_t put(char *to, unsigned c) {
  if (c < 0x80) {
    to[0] = (char)c;
    return 1;
  }
  if (c < 0x800) {
    to[0] = (char)(0xc0 + c / 64);
    to[1] = (char)(0x80 + c % 64);
    return 2;
  }
  if (c < 0x10000) {
    to[0] = (char)(0xe0 + c / 4096);
    to[1] = (char)(0x80 + c / 64 % 64);
    to[2] = (char)(0x80 + c % 64);
    return 3;
  }
  to[0] = (char)(0xf0 + c / 262144);
  to[1] = (char)(0x80 + c / 4096 % 64);
  to[2] = (char)(0x80 + c / 64 % 64);
  to[3] = (char)(0x80 + c % 64);
  return 4;
}

/* Windows-1252 from 0x80 on, in the order of its bytes; a 0 is none. */
static const unsigned windows[] = {0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
                                   0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017d, 0,
                                   0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                   0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178};

/* The text in UTF-8; false, and its line, where it cannot be. */
static bool decode(const unsigned char *text, size_t size, rdx_encoding encoding, ref_text *out, uint64_t *line) {
  const bool little = size >= 2 && text[0] == 0xff && text[1] == 0xfe;
  const bool big = size >= 2 && text[0] == 0xfe && text[1] == 0xff;
  *out = (ref_text){ref_alloc(3 * size + 4), 0};
  *line = 0;
  if (little && size >= 4 && text[2] == 0 && text[3] == 0)
    return false;
  *line = 1;
  for (size_t i = little || big ? 2 : 0; i < size;) {
    unsigned c = text[i++];
    if (little || big) {
      if (i == size)
        return false;
      c = little ? c + 256u * text[i] : c * 256u + text[i];
      i++;
      if (c >= 0xdc00 && c < 0xe000)
        return false;
      if (c >= 0xd800 && c < 0xdc00) {
        if (i + 1 >= size)
          return false;
        const unsigned low = little ? text[i] + 256u * text[i + 1] : text[i] * 256u + text[i + 1];
        i += 2;
        if (low < 0xdc00 || low >= 0xe000)
          return false;
        c = 0x10000 + (c - 0xd800) * 1024 + (low - 0xdc00);
      }
    } else if (encoding == RDX_ENCODING_UTF8) {
      out->bytes[out->length++] = (char)c;
      continue;
    } else if (c >= 0x80 && c < 0xa0) {
      c = encoding == RDX_ENCODING_LATIN1 ? 0 : windows[c - 0x80];
      if (c == 0)
        return false;
    }
    *line += c == '\n';
    out->length += put(out->bytes + out->length, c);
  }
  return true;
}

/* Where the first byte stands that is no UTF-8; `end` for none. */
static size_t bad_byte(const char *text, size_t at, size_t end) {
  while (at < end) {
    const unsigned char *p = (const unsigned char *)text + at;
    const size_t length = *p < 0x80 ? 1 : *p < 0xc0 ? 0 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : *p < 0xf8 ? 4 : 0;
    unsigned c = length == 0 ? 0 : length == 1 ? *p : *p & (0x7fu >> length);
    if (length == 0 || at + length > end)
      return at;
    for (size_t i = 1; i < length; i++) {
      if (p[i] < 0x80 || p[i] >= 0xc0)
        return at;
      c = c * 64 + p[i] % 64;
    }
    static const unsigned min[] = {0, 0, 0x80, 0x800, 0x10000};
    if (c < min[length] || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff)
      return at;
    at += length;
  }
  return end;
}

/* ---- Fields ---- */

typedef struct document {
  const char *text;
  size_t size, body;
  char delimiter, quote;
  bool any_bytes; /* what is no UTF-8 is fine */
  const rdx_csv_params *params;
} document;

typedef struct field {
  ref_text text;
  bool quoted, last;
  size_t next; /* where the next one begins */
  size_t error;
  bool failed;
} field;

static field read_quoted(const document *d, size_t at) {
  field f = {.text = {ref_alloc(d->size - at + 1), 0}, .quoted = true, .error = at, .failed = true};
  size_t i = at + 1;
  for (;; i++) {
    if (i >= d->size)
      return f;
    if (d->text[i] == d->quote && (i + 1 == d->size || d->text[i + 1] != d->quote))
      break;
    i += d->text[i] == d->quote;
    f.text.bytes[f.text.length++] = d->text[i];
  }
  size_t after = ++i;
  while (after < d->size && d->text[after] == '\r')
    after++;
  if (after == d->size || d->text[after] == '\n')
    i = after;
  f.last = i == d->size || d->text[i] == '\n';
  f.failed = !f.last && d->text[i] != d->delimiter;
  f.next = i;
  return f;
}

static field read_field(const document *d, size_t at) {
  field f = {.error = at};
  if (d->quote && at < d->size && d->text[at] == d->quote) {
    f = read_quoted(d, at);
  } else {
    size_t i = at;
    while (i < d->size && d->text[i] != d->delimiter && d->text[i] != '\n')
      i++;
    f.last = i == d->size || d->text[i] == '\n';
    f.next = i;
    while (f.last && i > at && d->text[i - 1] == '\r')
      i--;
    f.text = (ref_text){(char *)(uintptr_t)d->text + at, i - at};
    for (size_t k = at; k < i; k++)
      f.failed |= d->quote && d->text[k] == d->quote;
  }
  if (f.failed)
    return f;
  const size_t bad = bad_byte(d->text, at, f.next);
  f.failed = bad < f.next && !d->any_bytes;
  f.error = f.failed ? bad : at;
  f.next += f.next < d->size;
  return f;
}

static bool is_null(const document *d, const field *f) {
  const ref_text t = ref_trim(f->text);
  bool null = f->text.length == 0;
  for (size_t i = 0; i < d->params->null_count; i++) {
    char *marker = (char *)(uintptr_t)d->params->nulls[i];
    const ref_text m = ref_trim((ref_text){marker, strlen(marker)});
    null |= m.length == t.length && (t.length == 0 || memcmp(m.bytes, t.bytes, t.length) == 0);
  }
  return null;
}

/* ---- What separates fields ---- */

/* Fields of each of the first 100 records that are not blank, if they agree and can be read. */
static size_t count_fields(document d, char delimiter) {
  size_t agreed = 0, at = d.body;
  d.delimiter = delimiter;
  d.any_bytes = true;
  for (int record = 0; record < 100 && at < d.size; record++) {
    size_t count = 0;
    bool empty = true;
    field f;
    do {
      f = read_field(&d, at);
      if (f.failed && f.quoted)
        return 0;
      f.next += f.failed && f.next < d.size; /* a quote inside changes nothing */
      empty &= f.text.length == 0 && !f.quoted;
      count++;
      at = f.next;
    } while (!f.last);
    if (count == 1 && empty)
      continue;
    if (agreed != 0 && agreed != count)
      return 0;
    agreed = count;
  }
  return agreed;
}

static char guess_delimiter(const document *d) {
  static const char others[] = ";\t|";
  size_t counts[3] = {0}, max = 0, winners = 0;
  char winner = ',';
  if (d->quote != ',' && count_fields(*d, ',') >= 2)
    return ',';
  for (int i = 0; i < 3; i++) {
    counts[i] = others[i] == d->quote ? 0 : count_fields(*d, others[i]);
    max = counts[i] > max ? counts[i] : max;
  }
  for (int i = 0; i < 3 && max >= 2; i++) {
    winners += counts[i] == max;
    winner = counts[i] == max ? others[i] : winner;
  }
  return winners == 1 ? winner : ',';
}

/* Skip a line such as sep=; and take what it says; false where another was asked for. */
static bool take_separator(document *d) {
  const char *t = d->text + d->body;
  const size_t left = d->size - d->body;
  if (left < 5 || strncasecmp(t, "sep=", 4) != 0)
    return true;
  const unsigned char c = (unsigned char)t[4];
  if (c == 0 || c >= 0x80 || strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.\r\n", c) ||
      t[4] == d->quote)
    return true;
  size_t end = 5;
  while (end < left && t[end] == '\r')
    end++;
  if (end < left && t[end] != '\n')
    return true;
  if (d->delimiter && d->delimiter != t[4])
    return false;
  d->delimiter = t[4];
  d->body += end + (end < left);
  return true;
}

/* ---- Tables ---- */

static void fail(ref_table *out, const document *d, size_t at) {
  out->failed = true;
  out->line = 1;
  for (size_t i = 0; i < at; i++)
    out->line += d->text[i] == '\n';
}

/* Names of all fields, and where data begins; false: an error. */
static bool read_header(const document *d, ref_text *names, size_t *count, size_t *data, ref_table *out) {
  size_t at = d->body;
  for (field f = {.last = false}; !f.last; (*count)++) {
    const size_t from = at;
    f = read_field(d, at);
    if (f.failed) {
      fail(out, d, f.error);
      return false;
    }
    bool wrong = false;
    for (size_t i = 0; i < f.text.length && d->params->header != RDX_SWITCH_OFF; i++)
      wrong |= f.text.bytes[i] == '\0' || (f.text.bytes[i] == '\r' && !f.quoted);
    if (wrong) {
      fail(out, d, from);
      return false;
    }
    names[*count] = f.text;
    if (d->params->header == RDX_SWITCH_OFF) {
      names[*count].bytes = ref_alloc(24);
      names[*count].length = (size_t)sprintf(names[*count].bytes, "%zu", *count + 1);
    }
    if (d->params->header != RDX_SWITCH_OFF && f.last && *count == 0 && f.text.length == 0 && !f.quoted) {
      out->failed = true;
      return false;
    }
    at = f.next;
  }
  *data = d->params->header == RDX_SWITCH_OFF ? d->body : at;
  return true;
}

static int find(const ref_text *names, size_t count, const char *name) {
  int found = -1;
  for (size_t i = 0; i < count; i++) {
    if (names[i].length != strlen(name) || (names[i].length > 0 && memcmp(names[i].bytes, name, names[i].length) != 0))
      continue;
    if (found >= 0)
      return -2;
    found = (int)i;
  }
  return found;
}

/* Which column each field becomes, and the types that are given; false: an error without a place. */
static bool choose(const document *d, const ref_text *names, size_t count, int *targets, bool *given, ref_table *out) {
  const rdx_csv_params *p = d->params;
  out->failed = true;
  out->column_count = (uint32_t)(p->columns ? p->column_count : count);
  out->columns = ref_alloc((out->column_count + 1) * sizeof *out->columns);
  memset(out->columns, 0, (out->column_count + 1) * sizeof *out->columns);
  for (size_t i = 0; i < count; i++)
    targets[i] = -1;
  for (uint32_t i = 0; i < out->column_count; i++) {
    const int number = p->columns ? find(names, count, p->columns[i]) : (int)i;
    if (number < 0 || targets[number] >= 0)
      return false;
    targets[number] = (int)i;
    out->columns[i].name = names[number];
    given[i] = false;
  }
  for (size_t i = 0; i < p->type_count; i++) {
    const int number = find(names, count, p->types[i].column);
    if (number < 0)
      return false;
    if (targets[number] < 0)
      continue;
    out->columns[targets[number]].type = p->types[i].type;
    out->columns[targets[number]].scale = p->types[i].scale;
    given[targets[number]] = true;
  }
  out->failed = false;
  return true;
}

/* All records, as fields; false: an error. */
static bool read_records(const document *d, size_t at, size_t count, const int *targets, const bool *given,
                         field *fields, ref_table *out) {
  for (; at < d->size; out->rows++) {
    size_t rest = at;
    while (count != 1 && rest < d->size && (d->text[rest] == '\r' || d->text[rest] == '\n'))
      rest++;
    if (count != 1 && rest == d->size)
      break;
    const size_t record = at;
    for (size_t i = 0; i < count; i++) {
      field *f = &fields[out->rows * count + i];
      const size_t from = at;
      ref_value ignored;
      *f = read_field(d, at);
      if (f->failed) {
        fail(out, d, f->error);
        return false;
      }
      const ref_column *c = targets[i] >= 0 ? &out->columns[targets[i]] : NULL;
      if (c && given[targets[i]] && c->type != RDX_TYPE_STRING && !is_null(d, f) &&
          !ref_parse(c->type, c->scale, f->text, &ignored)) {
        fail(out, d, from);
        return false;
      }
      if (f->last != (i + 1 == count)) {
        fail(out, d, record);
        return false;
      }
      at = f->next;
    }
  }
  return true;
}

/* The values of a column, which stand in every `count`-th field. */
static void fill(const document *d, const field *fields, size_t count, bool given, uint64_t rows, ref_column *c) {
  ref_text *texts = ref_alloc((rows + 1) * sizeof *texts);
  size_t present = 0;
  for (uint64_t row = 0; row < rows && !given; row++)
    if (!is_null(d, &fields[row * count]))
      texts[present++] = ref_trim(fields[row * count].text);
  if (!given)
    c->type = ref_infer(texts, present, &c->scale);
  c->values = ref_alloc((rows + 1) * sizeof *c->values);
  for (uint64_t row = 0; row < rows; row++) {
    const field *f = &fields[row * count];
    const bool text = c->type == RDX_TYPE_STRING && f->quoted;
    if (!ref_parse(c->type, c->scale, f->text, &c->values[row]) && !is_null(d, f))
      abort();
    c->values[row].is_null = is_null(d, f) && !text;
  }
}

void ref_read(const char *text, size_t size, const rdx_csv_params *params, ref_table *out) {
  document d = {.params = params, .delimiter = params->delimiter};
  ref_text utf8;
  *out = (ref_table){0};
  d.quote = params->quotes == RDX_SWITCH_OFF ? '\0' : params->quote ? params->quote : '"';
  if (!decode((const unsigned char *)text, size, params->encoding, &utf8, &out->line)) {
    out->failed = true;
    return;
  }
  out->line = 0;
  if (utf8.length >= 3 && memcmp(utf8.bytes, "\xef\xbb\xbf", 3) == 0)
    utf8 = (ref_text){utf8.bytes + 3, utf8.length - 3};
  d.text = utf8.bytes;
  d.size = utf8.length;
  if (!take_separator(&d) || d.body == d.size) {
    out->failed = true;
    return;
  }
  if (!d.delimiter)
    d.delimiter = guess_delimiter(&d);
  ref_text *names = ref_alloc((d.size + 2) * sizeof *names);
  size_t count = 0, data = 0;
  if (!read_header(&d, names, &count, &data, out))
    return;
  int *targets = ref_alloc(count * sizeof *targets);
  bool *given = ref_alloc((count + params->column_count) * sizeof *given);
  size_t lines = 2;
  for (size_t i = 0; i < d.size; i++)
    lines += d.text[i] == '\n';
  field *fields = ref_alloc(lines * count * sizeof *fields);
  if (!choose(&d, names, count, targets, given, out) || !read_records(&d, data, count, targets, given, fields, out))
    return;
  for (size_t i = 0; i < count; i++)
    if (targets[i] >= 0)
      fill(&d, fields + i, count, given[targets[i]], out->rows, &out->columns[targets[i]]);
}
