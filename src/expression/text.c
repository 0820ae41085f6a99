/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Functions of text, in characters of UTF-8. Bytes that are not UTF-8 count as characters of their own. */

#include <stdio.h>
#include <string.h>

#include "expression/functions.h"
#include "expression/regex_tree.h"

#define LONGEST RDX_LONGEST_TEXT
#define COPIED ((uint64_t)16 << 20) /* bytes between two questions whether to go on */

uint64_t rdx_text_character(const char *text, uint64_t length) {
  const unsigned char first = (unsigned char)text[0];
  const uint64_t size = first < 0xc2 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 1;
  if (size > length)
    return 1;
  for (uint64_t i = 1; i < size; i++)
    if (((unsigned char)text[i] & 0xc0) != 0x80)
      return 1;
  return size;
}

#define ASCII_BYTES 0x0101010101010101u

/* Whether the next eight bytes are there, and all of them ASCII. */
static bool are_ascii(rdx_sql_text text, uint64_t at) {
  uint64_t bytes;
  if (at + 8 > text.length)
    return false;
  memcpy(&bytes, text.data + at, 8);
  return (bytes & ASCII_BYTES << 7) == 0;
}

uint64_t rdx_text_characters(rdx_sql_text text) {
  uint64_t count = 0;
  for (uint64_t at = 0; at < text.length;) {
    const bool ascii = are_ascii(text, at);
    at += ascii ? 8 : rdx_text_character(text.data + at, text.length - at);
    count += ascii ? 8 : 1;
  }
  return count;
}

/* Where character `number`, from 0, begins; the text's length where there are fewer. */
static uint64_t offset_of(rdx_sql_text text, uint64_t number) {
  uint64_t at = 0;
  while (number > 0 && at < text.length) {
    const bool ascii = number >= 8 && are_ascii(text, at);
    at += ascii ? 8 : rdx_text_character(text.data + at, text.length - at);
    number -= ascii ? 8 : 1;
  }
  return at;
}

static rdx_status take(rdx_worker *w, const rdx_node *n, uint64_t length, char **to) {
  if (length > LONGEST)
    return rdx_function_fail(w, n, "the text would be longer than 1 GiB");
  return rdx_take_text(w, length, to);
}

static void append(char *to, uint64_t *used, rdx_sql_text text) {
  if (text.length > 0)
    memcpy(to + *used, text.data, text.length);
  *used += text.length;
}

/* A text many times: what stands there is copied behind itself, in blocks of whole texts. */
static rdx_status append_times(rdx_worker *w, char *to, uint64_t *used, rdx_sql_text text, uint64_t times) {
  const uint64_t block = text.length < COPIED ? COPIED / (text.length + !text.length) * text.length : text.length;
  const uint64_t size = times * text.length;
  char *const first = to + *used;
  for (uint64_t done = 0, more; done < size; done += more) {
    more = done == 0 ? text.length : done < block ? done : block;
    more = more < size - done ? more : size - done;
    memcpy(first + done, done == 0 ? text.data : first, more);
    if (more == block)
      RDX_TRY(rdx_progress_at_times("evaluate", done, size, &w->err));
  }
  *used += size;
  return RDX_OK;
}

/* ---- Upper and lower case ---- */

/* How many bytes were written: eight of ASCII at a time. */
static uint64_t to_ascii_case(rdx_sql_text text, bool upper, char *to) {
  const uint64_t from_a = ASCII_BYTES * (0x80 - (upper ? 'a' : 'A')),
                 behind_z = ASCII_BYTES * (0x7f - (upper ? 'z' : 'Z'));
  uint64_t i = 0;
  for (uint64_t bytes; i + 8 <= text.length; i += 8) {
    memcpy(&bytes, text.data + i, 8);
    if (bytes & ASCII_BYTES << 7)
      break;
    bytes ^= ((bytes + from_a) & ~(bytes + behind_z) & ASCII_BYTES << 7) >> 2; /* 0x20 where there is a letter */
    memcpy(to + i, &bytes, 8);
  }
  return i;
}

static rdx_status to_case(rdx_worker *w, rdx_sql_text text, bool upper, rdx_sql_text *out) {
  char *to = NULL;
  RDX_TRY(rdx_take_text(w, text.length, &to));
  for (uint64_t i = to_ascii_case(text, upper, to), size; i < text.length; i += size) {
    const unsigned char *from = (const unsigned char *)text.data + i;
    size = rdx_text_character(text.data + i, text.length - i);
    memcpy(to + i, from, size);
    if (size == 1 && from[0] < 0x80)
      to[i] = (char)rdx_text_letter(from[0], upper);
    if (size != 2 && size != 3)
      continue;
    uint32_t letter = rdx_text_letter(rdx_regex_character(text, i, &size), upper);
    for (uint64_t at = size; at-- > 1; letter >>= 6)
      to[i + at] = (char)(0x80 | (letter & 0x3f));
    to[i] = (char)((size == 2 ? 0xc0 : 0xe0) | letter);
  }
  *out = (rdx_sql_text){to, text.length};
  return RDX_OK;
}

rdx_status rdx_to_lower(rdx_worker *w, rdx_sql_text text, rdx_sql_text *out) {
  return to_case(w, text, false, out);
}

rdx_status rdx_text_upper(RDX_ROW_ARGUMENTS) {
  return to_case(w, args[0].text, true, &out->text);
}

rdx_status rdx_text_lower(RDX_ROW_ARGUMENTS) {
  return to_case(w, args[0].text, false, &out->text);
}

/* ---- Parts ---- */

rdx_status rdx_text_length(RDX_ROW_ARGUMENTS) {
  out->i = (int64_t)rdx_text_characters(args[0].text);
  return RDX_OK;
}

rdx_status rdx_text_octets(RDX_ROW_ARGUMENTS) {
  out->i = (int64_t)args[0].text.length;
  return RDX_OK;
}

/* Characters `first`, from 1, to `last`, as far as there are such. */
static rdx_sql_text part(rdx_sql_text text, rdx_i128 first, rdx_i128 last) {
  first = first < 1 ? 1 : first;
  if (last < first || first > (rdx_i128)text.length)
    return (rdx_sql_text){"", 0};
  const uint64_t begin = offset_of(text, (uint64_t)(first - 1));
  const rdx_sql_text rest = {text.data + begin, text.length - begin};
  const rdx_i128 count = last - first + 1;
  return (rdx_sql_text){rest.data, count >= (rdx_i128)rest.length ? rest.length : offset_of(rest, (uint64_t)count)};
}

rdx_status rdx_text_from(RDX_ROW_ARGUMENTS) {
  out->text = part(args[0].text, args[1].i, INT64_MAX);
  return RDX_OK;
}

rdx_status rdx_text_from_for(RDX_ROW_ARGUMENTS) {
  if (args[2].i < 0)
    return rdx_function_fail(w, n, "negative substring length not allowed");
  out->text = part(args[0].text, args[1].i, (rdx_i128)args[1].i + args[2].i - 1);
  return RDX_OK;
}

rdx_status rdx_text_left(RDX_ROW_ARGUMENTS) {
  const int64_t count = args[1].i;
  const rdx_i128 last = count < 0 ? (rdx_i128)rdx_text_characters(args[0].text) + count : (rdx_i128)count;
  out->text = part(args[0].text, 1, last);
  return RDX_OK;
}

rdx_status rdx_text_right(RDX_ROW_ARGUMENTS) {
  const int64_t count = args[1].i;
  const rdx_i128 all = (rdx_i128)rdx_text_characters(args[0].text);
  out->text = part(args[0].text, count < 0 ? 1 - (rdx_i128)count : all - count + 1, all);
  return RDX_OK;
}

static bool is_among(const char *one, uint64_t size, rdx_sql_text set) {
  for (uint64_t at = 0, next; at < set.length; at += next) {
    next = rdx_text_character(set.data + at, set.length - at);
    if (next == size && memcmp(set.data + at, one, size) == 0)
      return true;
  }
  return false;
}

static rdx_sql_text trim(const rdx_node *n, const rdx_datum *args, bool left, bool right) {
  rdx_sql_text text = args[0].text;
  const rdx_sql_text set = n->count > 1 ? args[1].text : (rdx_sql_text){" ", 1};
  for (uint64_t size; left && text.length > 0; text.data += size, text.length -= size) {
    size = rdx_text_character(text.data, text.length);
    if (!is_among(text.data, size, set))
      break;
  }
  while (right && text.length > 0) {
    uint64_t size = 1;
    while (size < 4 && size < text.length && ((unsigned char)text.data[text.length - size] & 0xc0) == 0x80)
      size++;
    size = rdx_text_character(text.data + text.length - size, size) == size ? size : 1;
    if (!is_among(text.data + text.length - size, size, set))
      break;
    text.length -= size;
  }
  return text;
}

rdx_status rdx_text_btrim(RDX_ROW_ARGUMENTS) {
  out->text = trim(n, args, true, true);
  return RDX_OK;
}

rdx_status rdx_text_ltrim(RDX_ROW_ARGUMENTS) {
  out->text = trim(n, args, true, false);
  return RDX_OK;
}

rdx_status rdx_text_rtrim(RDX_ROW_ARGUMENTS) {
  out->text = trim(n, args, false, true);
  return RDX_OK;
}

/* ---- Texts in texts ---- */

/* The byte where `wanted` begins at or behind `from`; UINT64_MAX: nowhere. */
static uint64_t find(rdx_sql_text text, rdx_sql_text wanted, uint64_t from) {
  if (wanted.length == 0)
    return from;
  while (from < text.length && text.length - from >= wanted.length) {
    const char *at = memchr(text.data + from, wanted.data[0], text.length - from - wanted.length + 1);
    if (!at)
      break;
    if (memcmp(at, wanted.data, wanted.length) == 0)
      return (uint64_t)(at - text.data);
    from = (uint64_t)(at - text.data) + 1;
  }
  return UINT64_MAX;
}

rdx_status rdx_text_find(RDX_ROW_ARGUMENTS) {
  const uint64_t at = find(args[0].text, args[1].text, 0);
  out->i = at == UINT64_MAX ? 0 : (int64_t)rdx_text_characters((rdx_sql_text){args[0].text.data, at}) + 1;
  return RDX_OK;
}

rdx_status rdx_text_starts(RDX_ROW_ARGUMENTS) {
  const rdx_sql_text text = args[0].text, wanted = args[1].text;
  out->i = wanted.length <= text.length && (wanted.length == 0 || memcmp(text.data, wanted.data, wanted.length) == 0);
  return RDX_OK;
}

rdx_status rdx_text_replace(RDX_ROW_ARGUMENTS) {
  const rdx_sql_text text = args[0].text, wanted = args[1].text, by = args[2].text;
  uint64_t count = 0, used = 0, from = 0;
  char *to = NULL;
  out->text = text;
  for (uint64_t at = 0; wanted.length > 0 && (at = find(text, wanted, at)) != UINT64_MAX; at += wanted.length)
    count++;
  if (count == 0)
    return RDX_OK;
  const rdx_i128 length = (rdx_i128)text.length + (rdx_i128)count * by.length - (rdx_i128)count * wanted.length;
  RDX_TRY(take(w, n, length > (rdx_i128)LONGEST ? UINT64_MAX : (uint64_t)length, &to));
  for (uint64_t at; (at = find(text, wanted, from)) != UINT64_MAX; from = at + wanted.length) {
    append(to, &used, (rdx_sql_text){text.data + from, at - from});
    append(to, &used, by);
  }
  append(to, &used, (rdx_sql_text){text.data + from, text.length - from});
  out->text = (rdx_sql_text){to, used};
  return RDX_OK;
}

/* How many parts a text has between its delimiters. */
static int64_t count_parts(rdx_sql_text text, rdx_sql_text by) {
  int64_t count = 1;
  for (uint64_t at = 0; by.length > 0 && (at = find(text, by, at)) != UINT64_MAX; at += by.length)
    count++;
  return count;
}

/* Of an empty text none. */
/* Of string_to_table(): characters where what is between the parts is NULL. */
rdx_status rdx_text_parts(RDX_ROW_ARGUMENTS) {
  const rdx_sql_text text = args[0].text;
  out->null = args[0].null;
  if (!out->null)
    out->i = args[1].null ? (int64_t)rdx_text_characters(text) : text.length > 0 ? count_parts(text, args[1].text) : 0;
  return RDX_OK;
}

static bool same_place(rdx_sql_text a, rdx_sql_text b) {
  return a.data == b.data && a.length == b.length;
}

/* Whether texts of a node are the same in all blocks where they stand in the same place. */
static bool is_kept(const rdx_node *n) {
  return n->input || n->evaluate == rdx_evaluate_constant;
}

/* That of a node, or the one that has been there longest. */
static rdx_part_place *place_of(rdx_worker *w, const rdx_node *n) {
  for (uint32_t i = 0; i < RDX_PART_PLACES; i++)
    if (w->parts[i].node == n)
      return &w->parts[i];
  return &w->parts[w->next_part++ % RDX_PART_PLACES];
}

rdx_part_place *rdx_part_before(rdx_worker *w, const rdx_node *n, const rdx_datum *args) {
  rdx_part_place *p = place_of(w, n);
  const bool same_block = p->first_row == w->begin && p->place == w->place;
  if (p->node != n || !(same_block || (is_kept(n->args[0]) && is_kept(n->args[1]))) ||
      !same_place(p->text, args[0].text) || !same_place(p->by, args[1].text) || p->number > args[2].i)
    *p = (rdx_part_place){
        .node = n, .text = args[0].text, .by = args[1].text, .first_row = w->begin, .place = w->place, .number = 1};
  return p;
}

rdx_status rdx_text_part(RDX_ROW_ARGUMENTS) {
  out->null = args[0].null || args[2].null;
  if (out->null)
    return RDX_OK;
  rdx_part_place *p = rdx_part_before(w, n, args);
  const rdx_sql_text text = args[0].text, by = args[1].null ? (rdx_sql_text){"", 0} : args[1].text;
  for (; p->number < args[2].i; p->number++)
    p->begin = args[1].null ? p->begin + rdx_text_character(text.data + p->begin, text.length - p->begin)
                            : find(text, by, p->begin) + by.length;
  uint64_t end = by.length > 0 ? find(text, by, p->begin) : UINT64_MAX;
  if (args[1].null)
    end = p->begin + rdx_text_character(text.data + p->begin, text.length - p->begin);
  out->text = (rdx_sql_text){text.data + p->begin, (end < text.length ? end : text.length) - p->begin};
  return RDX_OK;
}

rdx_status rdx_text_split(RDX_ROW_ARGUMENTS) {
  const rdx_sql_text text = args[0].text, by = args[1].text;
  const int64_t count = count_parts(text, by);
  int64_t field = args[2].i;
  uint64_t from = 0;
  if (field == 0)
    return rdx_function_fail(w, n, "field position must not be zero");
  field = field < 0 ? count + field + 1 : field;
  out->text = (rdx_sql_text){"", 0};
  if (field < 1 || field > count)
    return RDX_OK;
  for (int64_t i = 1; i < field; i++)
    from = find(text, by, from) + by.length;
  const uint64_t end = field < count ? find(text, by, from) : text.length;
  out->text = (rdx_sql_text){text.data + from, end - from};
  return RDX_OK;
}

/* ---- New texts ---- */

rdx_status rdx_text_concat(RDX_ROW_ARGUMENTS) {
  uint64_t length = 0, used = 0;
  char *to = NULL;
  for (uint32_t i = 0; i < n->count; i++)
    length += args[i].null ? 0 : args[i].text.length;
  RDX_TRY(take(w, n, length, &to));
  for (uint32_t i = 0; i < n->count; i++)
    if (!args[i].null)
      append(to, &used, args[i].text);
  out->text = (rdx_sql_text){to, used};
  return RDX_OK;
}

rdx_status rdx_text_repeat(RDX_ROW_ARGUMENTS) {
  const rdx_sql_text text = args[0].text;
  const uint64_t times = args[1].i > 0 && text.length > 0 ? (uint64_t)args[1].i : 0;
  uint64_t used = 0;
  char *to = NULL;
  RDX_TRY(take(w, n, times > LONGEST ? UINT64_MAX : times * text.length, &to));
  RDX_TRY(append_times(w, to, &used, text, times));
  out->text = (rdx_sql_text){to, used};
  return RDX_OK;
}

static rdx_status pad(rdx_worker *w, const rdx_node *n, const rdx_datum *args, bool left, rdx_datum *out) {
  const rdx_sql_text text = args[0].text, fill = n->count > 2 ? args[2].text : (rdx_sql_text){" ", 1};
  const int64_t count = (int64_t)rdx_text_characters(text);
  const uint64_t of_fill = rdx_text_characters(fill);
  if (args[1].i <= count || of_fill == 0) {
    out->text = part(text, 1, args[1].i);
    return RDX_OK;
  }
  const uint64_t more = (uint64_t)(args[1].i - count), rest = offset_of(fill, more % of_fill);
  uint64_t used = 0;
  char *to = NULL;
  RDX_TRY(take(w, n, more > LONGEST ? more : text.length + more / of_fill * fill.length + rest, &to));
  if (!left)
    append(to, &used, text);
  RDX_TRY(append_times(w, to, &used, fill, more / of_fill));
  append(to, &used, (rdx_sql_text){fill.data, rest});
  if (left)
    append(to, &used, text);
  out->text = (rdx_sql_text){to, used};
  return RDX_OK;
}

rdx_status rdx_text_lpad(RDX_ROW_ARGUMENTS) {
  return pad(w, n, args, true, out);
}

rdx_status rdx_text_rpad(RDX_ROW_ARGUMENTS) {
  return pad(w, n, args, false, out);
}

rdx_status rdx_text_reverse(RDX_ROW_ARGUMENTS) {
  const rdx_sql_text text = args[0].text;
  char *to = NULL;
  RDX_TRY(rdx_take_text(w, text.length, &to));
  for (uint64_t at = 0, size; at < text.length; at += size) {
    size = rdx_text_character(text.data + at, text.length - at);
    memcpy(to + text.length - at - size, text.data + at, size);
  }
  out->text = (rdx_sql_text){to, text.length};
  return RDX_OK;
}

rdx_status rdx_text_initcap(RDX_ROW_ARGUMENTS) {
  const rdx_sql_text text = args[0].text;
  char *to = NULL;
  bool in_word = false;
  RDX_TRY(rdx_take_text(w, text.length, &to));
  for (uint64_t at = 0, size; at < text.length; at += size) {
    const uint32_t c = rdx_regex_character(text, at, &size);
    const rdx_sql_text one = {text.data + at, size};
    rdx_sql_text changed = {NULL, 0};
    RDX_TRY(to_case(w, one, !in_word, &changed));
    memcpy(to + at, changed.data, size);
    in_word = c != '_' && rdx_regex_is_word(c);
  }
  out->text = (rdx_sql_text){to, text.length};
  return RDX_OK;
}

/* Of the second argument on, with the first between them. */
rdx_status rdx_text_concat_ws(RDX_ROW_ARGUMENTS) {
  uint64_t length = 0, used = 0, count = 0;
  char *to = NULL;
  out->null = args[0].null;
  out->text = (rdx_sql_text){"", 0};
  if (out->null)
    return RDX_OK;
  for (uint32_t i = 1; i < n->count; i++)
    length += args[i].null ? 0 : args[i].text.length + args[0].text.length;
  RDX_TRY(take(w, n, length, &to));
  for (uint32_t i = 1; i < n->count; i++) {
    if (args[i].null)
      continue;
    if (count++ > 0)
      append(to, &used, args[0].text);
    append(to, &used, args[i].text);
  }
  out->text = (rdx_sql_text){to, used};
  return RDX_OK;
}

/* Characters of the second argument become those at their places of the third, or go where it has none there. */
rdx_status rdx_text_translate(RDX_ROW_ARGUMENTS) {
  const rdx_sql_text text = args[0].text, from = args[1].text, by = args[2].text;
  uint64_t used = 0;
  char *to = NULL;
  RDX_TRY(take(w, n, text.length * 4, &to));
  for (uint64_t at = 0, size; at < text.length; at += size) {
    size = rdx_text_character(text.data + at, text.length - at);
    rdx_sql_text one = {text.data + at, size};
    for (uint64_t i = 0, k = 0, next; i < from.length; i += next, k++) {
      next = rdx_text_character(from.data + i, from.length - i);
      if (next != size || memcmp(from.data + i, text.data + at, size) != 0)
        continue;
      one = part(by, (rdx_i128)k + 1, (rdx_i128)k + 1);
      break;
    }
    append(to, &used, one);
  }
  out->text = (rdx_sql_text){to, used};
  return RDX_OK;
}

rdx_status rdx_text_ascii(RDX_ROW_ARGUMENTS) {
  uint64_t size = 0;
  out->i = args[0].text.length > 0 ? (int64_t)rdx_regex_character(args[0].text, 0, &size) : 0;
  return RDX_OK;
}

rdx_status rdx_text_chr(RDX_ROW_ARGUMENTS) {
  const int64_t c = args[0].i;
  char *to = NULL;
  if (c < 1 || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
    return rdx_node_fail(w, n, RDX_ERROR_RANGE, "there is no character %lld", (long long)c);
  RDX_TRY(rdx_take_text(w, 4, &to));
  const uint64_t size = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  static const unsigned char first[] = {0, 0xc0, 0xe0, 0xf0};
  for (uint64_t i = 0; i < size; i++) {
    const int64_t bits = c >> 6 * (size - 1 - i);
    to[i] = (char)(i == 0 ? first[size - 1] | bits : 0x80 | (bits & 0x3f));
  }
  out->text = (rdx_sql_text){to, size};
  return RDX_OK;
}

rdx_status rdx_text_hex(RDX_ROW_ARGUMENTS) {
  const uint64_t mask = n->args[0]->type.kind == RDX_SQL_BIGINT ? UINT64_MAX : UINT32_MAX;
  char *to = NULL;
  RDX_TRY(rdx_take_text(w, 17, &to));
  out->text = (rdx_sql_text){to, (uint64_t)snprintf(to, 17, "%llx", (unsigned long long)((uint64_t)args[0].i & mask))};
  return RDX_OK;
}

rdx_status rdx_text_bits(RDX_ROW_ARGUMENTS) {
  out->i = (int64_t)args[0].text.length * 8;
  return RDX_OK;
}

/* overlay(text PLACING new FROM start [FOR count]) */
rdx_status rdx_text_overlay(RDX_ROW_ARGUMENTS) {
  const rdx_sql_text text = args[0].text, by = args[1].text;
  const int64_t start = args[2].i, count = n->count > 3 ? args[3].i : (int64_t)rdx_text_characters(by);
  uint64_t used = 0;
  char *to = NULL;
  if (start < 1)
    return rdx_function_fail(w, n, "negative substring length not allowed");
  const rdx_sql_text head = part(text, 1, (rdx_i128)start - 1), tail = part(text, (rdx_i128)start + count, INT64_MAX);
  RDX_TRY(take(w, n, head.length + by.length + tail.length, &to));
  append(to, &used, head);
  append(to, &used, by);
  append(to, &used, tail);
  out->text = (rdx_sql_text){to, used};
  return RDX_OK;
}
