/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Distinct strings: a hash table finds them; then they are sorted, eight bytes at a time. */

#include "column/dictionary.h"

#include <string.h>

#include "column/column.h"

#define SPARE 8u /* bytes behind the last string, so that as many may be read of each */

/* ---- The table ---- */

static uint64_t with_word(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0xbf58476d1ce4e5b9u;
  return hash ^ hash >> 29;
}

/* The last eight bytes are read at once, some of them again; of four to seven the first and the last four. */
static uint64_t hash_of(const char *bytes, uint64_t length) {
  uint64_t hash = 0x9e3779b97f4a7c15u, word = 0;
  for (uint64_t done = 0; done + 8 < length; done += 8) {
    memcpy(&word, bytes + done, 8);
    hash = with_word(hash, word);
  }
  word = 0;
  if (length >= 8) {
    memcpy(&word, bytes + length - 8, 8);
  } else if (length >= 4) {
    memcpy(&word, bytes, 4);
    memcpy((char *)&word + 4, bytes + length - 4, 4);
  } else if (length > 0) {
    memcpy(&word, bytes, 1);
    memcpy((char *)&word + 1, bytes + length / 2, 1);
    memcpy((char *)&word + 2, bytes + length - 1, 1);
  }
  hash = (with_word(hash, word) ^ length) * 0x94d049bb133111ebu;
  return hash ^ hash >> 32;
}

/* Empty slots, piece by piece: much new memory takes a while. */
static rdx_status empty_slots(uint64_t count, uint32_t **out, rdx_error *err) {
  const uint64_t piece = 1u << 20;
  RDX_TRY(rdx_alloc(count, sizeof **out, "a dictionary", (void **)out, err));
  for (uint64_t i = 0; i < count; i += piece) {
    RDX_TRY(rdx_progress_at_times("dictionary", 0, 0, err));
    memset(*out + i, 0, (count - i < piece ? count - i : piece) * sizeof **out);
  }
  return RDX_OK;
}

/* Slots of all strings, in a table of 2 * `capacity`. */
static rdx_status place_all(const rdx_distinct *d, uint32_t *slots, uint32_t capacity, rdx_error *err) {
  const uint64_t mask = 2 * (uint64_t)capacity - 1;
  for (uint32_t i = 0; i < d->strings.rows; i++) {
    uint64_t slot = d->hashes[i] & mask;
    while (slots[slot] != 0)
      slot = (slot + 1) & mask;
    slots[slot] = i + 1;
    RDX_TRY(rdx_loop_goes_on(i, d->strings.rows, "dictionary", err));
  }
  return RDX_OK;
}

/* `capacity` grows when all has grown, so that a failure leaves what there was. */
static rdx_status grow(rdx_distinct *d, rdx_error *err) {
  if (d->capacity > UINT32_MAX / 4)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "a string column has more than %u distinct values", d->capacity);
  const uint32_t capacity = d->capacity ? 2 * d->capacity : 16; /* little, for tables of many columns */
  RDX_SCOPED(rdx_free_local) uint32_t *slots = NULL;
  RDX_TRY(rdx_progress_at_times("dictionary", 0, 0, err));
  RDX_TRY(rdx_realloc((void **)&d->offsets, (size_t)capacity + 1, sizeof *d->offsets, "a dictionary", err));
  d->strings.offsets = d->offsets; /* at once: what follows may fail, or the string that needs room be known already */
  d->offsets[0] = 0;
  RDX_TRY(rdx_progress_at_times("dictionary", 0, 0, err)); /* much that is moved takes a while each time */
  RDX_TRY(rdx_realloc((void **)&d->hashes, capacity, sizeof *d->hashes, "a dictionary", err));
  RDX_TRY(empty_slots(2 * (uint64_t)capacity, &slots, err));
  RDX_TRY(place_all(d, slots, capacity, err));
  rdx_free(d->slots);
  d->slots = RDX_KEEP(slots);
  d->capacity = capacity;
  return RDX_OK;
}

static rdx_status append(rdx_distinct *d, const char *bytes, uint64_t length, rdx_error *err) {
  const uint64_t used = d->offsets[d->strings.rows];
  if (used + length + SPARE > d->byte_capacity) {
    const uint64_t capacity = 2 * (used + length) + 64;
    RDX_TRY(rdx_realloc((void **)&d->bytes, capacity, 1, "a dictionary", err));
    d->strings.values = d->bytes; /* at once: what follows may fail */
    d->byte_capacity = capacity;
    RDX_TRY(rdx_progress_at_times("dictionary", 0, 0, err));
  }
  if (length > 0)
    memcpy(d->bytes + used, bytes, length);
  d->offsets[++d->strings.rows] = used + length;
  return RDX_OK;
}

static rdx_status find_or_add(rdx_distinct *d, const char *bytes, uint64_t length, uint64_t hash, uint32_t *number,
                              rdx_error *err) {
  if (d->strings.rows == d->capacity)
    RDX_TRY(grow(d, err));
  const uint64_t mask = 2 * (uint64_t)d->capacity - 1;
  uint64_t slot = hash & mask;
  for (; d->slots[slot] != 0; slot = (slot + 1) & mask) {
    const uint32_t i = d->slots[slot] - 1;
    if (d->hashes[i] == hash && d->offsets[i + 1] - d->offsets[i] == length &&
        (length == 0 || memcmp(d->bytes + d->offsets[i], bytes, length) == 0)) {
      *number = i;
      return RDX_OK;
    }
  }
  *number = (uint32_t)d->strings.rows;
  RDX_TRY(append(d, bytes, length, err));
  d->strings.type = RDX_TYPE_STRING;
  d->hashes[*number] = hash;
  d->slots[slot] = *number + 1;
  return RDX_OK;
}

rdx_status rdx_distinct_add(rdx_distinct *d, const char *bytes, uint64_t length, uint32_t *number, rdx_error *err) {
  return find_or_add(d, bytes, length, hash_of(bytes, length), number, err);
}

/* Ask for what finding the strings will read, as far as the table is now. */
static void foresee(const rdx_distinct *d, const rdx_arrival *arrivals, uint32_t count) {
  const uint64_t mask = 2 * (uint64_t)d->capacity - 1;
  if (d->capacity == 0)
    return;
  for (uint32_t i = 0; i < count; i++)
    __builtin_prefetch(&d->slots[arrivals[i].hash & mask]);
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t first = d->slots[arrivals[i].hash & mask];
    __builtin_prefetch(&d->hashes[first ? first - 1 : 0]);
    __builtin_prefetch(&d->offsets[first ? first - 1 : 0]);
  }
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t first = d->slots[arrivals[i].hash & mask];
    if (first && d->hashes[first - 1] == arrivals[i].hash)
      __builtin_prefetch(d->bytes + d->offsets[first - 1]);
  }
}

rdx_status rdx_distinct_add_each(rdx_distinct *d, rdx_arrival *arrivals, uint32_t count, rdx_error *err) {
  for (uint32_t i = 0; i < count; i++)
    arrivals[i].hash = hash_of(arrivals[i].bytes, arrivals[i].length);
  foresee(d, arrivals, count);
  for (uint32_t i = 0; i < count; i++)
    RDX_TRY(find_or_add(d, arrivals[i].bytes, arrivals[i].length, arrivals[i].hash, arrivals[i].number, err));
  return RDX_OK;
}

rdx_status rdx_distinct_add_rows(rdx_distinct *d, const rdx_column *column, uint64_t begin, uint64_t count,
                                 uint32_t *numbers, rdx_error *err) {
  rdx_arrival arrivals[RDX_ARRIVALS];
  for (uint64_t done = 0; done < count;) {
    uint32_t n = 0;
    for (; done < count && n < RDX_ARRIVALS; done++) {
      if (!rdx_column_has(column, begin + done))
        continue;
      rdx_arrival *a = &arrivals[n++];
      a->bytes = rdx_column_text(column, begin + done, &a->length);
      a->number = &numbers[done];
    }
    RDX_TRY(rdx_distinct_add_each(d, arrivals, n, err));
  }
  return RDX_OK;
}

void rdx_distinct_clear(rdx_distinct *d) {
  if (d->capacity > 0)
    memset(d->slots, 0, 2 * (size_t)d->capacity * sizeof *d->slots);
  d->strings.rows = 0;
}

void rdx_distinct_seal(rdx_distinct *d) {
  RDX_FREE_ALL(d->slots, d->hashes);
  d->slots = NULL;
  d->hashes = NULL;
}

void rdx_distinct_drop(rdx_distinct *d) {
  rdx_distinct_seal(d);
  RDX_FREE_ALL(d->offsets, d->bytes);
  *d = (rdx_distinct){0};
}

/* ---- The order ---- */

/* A string's number, and eight bytes of it: as many as are being sorted by, behind the last byte zeros. */
typedef struct entry {
  uint64_t prefix;
  uint32_t number;
} entry;

#define FEW 24     /* sorted by insertion */
#define MANY 16384 /* worth asking whether to go on */

/* A sort at work. */
typedef struct sorter {
  const rdx_distinct *strings;
  const char *stage; /* of progress */
  uint64_t unasked;  /* entries that were looked at since it was asked whether to go on */
  rdx_error *err;
} sorter;

/* So many entries were looked at: ask whether to go on where they are many, also in many small steps. */
static rdx_status go_on(sorter *s, uint32_t count) {
  s->unasked += count;
  if (s->unasked < MANY)
    return RDX_OK;
  s->unasked = 0;
  return rdx_progress_at_times(s->stage, 0, 0, s->err);
}

static void insert_each(entry *entries, uint32_t count) {
  for (uint32_t i = 1; i < count; i++) {
    const entry e = entries[i];
    uint32_t k = i;
    for (; k > 0 && entries[k - 1].prefix > e.prefix; k--)
      entries[k] = entries[k - 1];
    entries[k] = e;
  }
}

/* The first byte, by its shift, from that at `shift` on in which prefixes differ. */
static uint32_t first_difference(const entry *entries, uint32_t count, uint32_t shift) {
  uint64_t differ = 0;
  for (uint32_t i = 1; i < count; i++)
    differ |= entries[i].prefix ^ entries[0].prefix;
  while (shift > 0 && !(differ >> shift & 255))
    shift -= 8;
  return shift;
}

/* Sort by the bytes of prefixes, from that at `shift` on (MSD radix sort: Knuth, The Art of Computer Programming 3,
 * section 5.2.5). */
static rdx_status sort_by_prefix(sorter *s, entry *entries, uint32_t count, uint32_t shift, entry *scratch) {
  if (count <= FEW) {
    insert_each(entries, count);
    return RDX_OK;
  }
  uint32_t ends[256] = {0}, before = 0;
  shift = first_difference(entries, count, shift);
  for (uint32_t i = 0; i < count; i++)
    ends[entries[i].prefix >> shift & 255]++;
  for (uint32_t byte = 0; byte < 256; byte++) {
    const uint32_t n = ends[byte];
    ends[byte] = before;
    before += n;
  }
  RDX_TRY(go_on(s, count));
  for (uint32_t i = 0; i < count; i++) {
    if (i % MANY == 0 && i > 0)
      RDX_TRY(go_on(s, MANY));
    scratch[ends[entries[i].prefix >> shift & 255]++] = entries[i];
  }
  memcpy(entries, scratch, count * sizeof *entries);
  RDX_TRY(go_on(s, count));
  for (uint32_t byte = 0, begin = 0; byte < 256 && shift > 0; begin = ends[byte++])
    RDX_TRY(sort_by_prefix(s, entries + begin, ends[byte] - begin, shift - 8, scratch));
  return RDX_OK;
}

static rdx_status read_prefixes(sorter *s, entry *entries, uint32_t count, uint64_t depth) {
  const rdx_distinct *d = s->strings;
  const uint32_t ahead = 16;
  for (uint32_t i = 0; i < count; i++) {
    if (i % FEW == 0)
      RDX_TRY(go_on(s, FEW));
    if (i + 2 * ahead < count)
      __builtin_prefetch(&d->offsets[entries[i + 2 * ahead].number]);
    if (i + ahead < count)
      __builtin_prefetch(d->bytes + d->offsets[entries[i + ahead].number] + depth);
    const uint64_t begin = d->offsets[entries[i].number] + depth, left = d->offsets[entries[i].number + 1] - begin;
    uint64_t word = 0;
    memcpy(&word, d->bytes + begin, sizeof word);
    word = __builtin_bswap64(word);
    entries[i].prefix = left < 8 ? word & ~(UINT64_MAX >> 8 * left) : word;
  }
  return RDX_OK;
}

/* Of strings that are alike in the eight bytes from `depth` on, bring those that end there to the front, the shorter
 * before the longer: of strings that differ there are nine at most. Gives how many. */
static rdx_status bring_ended(sorter *s, entry *entries, uint32_t count, uint64_t depth, uint32_t *out) {
  const rdx_distinct *d = s->strings;
  uint32_t ended = 0;
  for (uint32_t i = 0; i < count; i++) {
    const entry e = entries[i];
    if (i % FEW == 0)
      RDX_TRY(go_on(s, FEW));
    const uint64_t length = d->offsets[e.number + 1] - d->offsets[e.number];
    if (length > depth + 8)
      continue;
    entries[i] = entries[ended];
    uint32_t k = ended++;
    for (; k > 0 && d->offsets[entries[k - 1].number + 1] - d->offsets[entries[k - 1].number] > length; k--)
      entries[k] = entries[k - 1];
    entries[k] = e;
  }
  *out = ended;
  return RDX_OK;
}

/* Sort strings that are alike in their first `depth` bytes, which all have: by the next eight, then each run of those
 * that are alike in these. The longest run is gone on with here, so that calls are nested log2(count) deep. */
static rdx_status sort_strings(sorter *s, entry *entries, uint32_t count, uint64_t depth, entry *scratch) {
  while (count > 1) {
    entry *longest = entries;
    uint32_t max = 0, ended;
    RDX_TRY(read_prefixes(s, entries, count, depth));
    RDX_TRY(sort_by_prefix(s, entries, count, 56, scratch));
    for (uint32_t begin = 0, end = 1; begin < count; begin = end++) {
      while (end < count && entries[end].prefix == entries[begin].prefix)
        end++;
      if (end - begin == 1)
        continue;
      RDX_TRY(bring_ended(s, entries + begin, end - begin, depth, &ended));
      entry *rest = entries + begin + ended;
      const uint32_t alike = end - begin - ended;
      if (alike > max) {
        RDX_TRY(sort_strings(s, longest, max, depth + 8, scratch));
        longest = rest;
        max = alike;
      } else {
        RDX_TRY(sort_strings(s, rest, alike, depth + 8, scratch));
      }
    }
    entries = longest;
    count = max;
    depth += 8;
  }
  return RDX_OK;
}

rdx_status rdx_distinct_sort(const rdx_distinct *d, const char *stage, uint32_t **sorted, uint32_t **places,
                             rdx_error *err) {
  sorter s = {.strings = d, .stage = stage, .err = err};
  const uint32_t count = (uint32_t)d->strings.rows;
  RDX_SCOPED(rdx_free_local) entry *entries = NULL; /* and room for as many */
  RDX_SCOPED(rdx_free_local) uint32_t *order = NULL, *numbers = NULL;
  RDX_TRY(rdx_alloc(count, 2 * sizeof *entries, "a dictionary", (void **)&entries, err));
  RDX_TRY(rdx_alloc(count, sizeof *order, "a dictionary", (void **)&order, err));
  RDX_TRY(rdx_alloc(count, sizeof *numbers, "a dictionary", (void **)&numbers, err));
  for (uint32_t i = 0; i < count; i++) {
    entries[i].number = i;
    RDX_TRY(rdx_loop_goes_on(i, count, stage, err));
  }
  RDX_TRY(sort_strings(&s, entries, count, 0, entries + count));
  for (uint32_t i = 0; i < count; i++) {
    order[i] = entries[i].number;
    numbers[entries[i].number] = i;
    RDX_TRY(rdx_loop_goes_on(i, count, stage, err));
  }
  *sorted = RDX_KEEP(order);
  *places = RDX_KEEP(numbers);
  return RDX_OK;
}
