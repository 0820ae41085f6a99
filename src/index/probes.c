/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Bringing probes to the device. */

#include "index/probes.h"

#include <string.h>

#include "column/keys.h"

#define CHUNK (1u << 22) /* probes encoded at a time */

/* Device columns are used as they are, except strings, whose codes depend on those of the index. */
static bool use_in_place(const rdx_column *column) {
  return column->device && column->device->type != RDX_TYPE_STRING;
}

static rdx_status check_device_column(const rdx_index *index, const rdx_device_column *c, rdx_error *err) {
  if (c->device != index->device)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "the probes lie on another device than the index");
  if (c->type != index->stats.key_type || c->scale != index->key_scale)
    return rdx_fail(err, RDX_ERROR_ARGUMENT,
                    "probes on a device must have the type of the keys: %s of scale %u, not %s of scale %u",
                    rdx_type_name(index->stats.key_type), index->key_scale, rdx_type_name(c->type), c->scale);
  return RDX_OK;
}

typedef struct encoding {
  const rdx_index *index;
  const rdx_column *column;
  rdx_probe_role role;
  bool exact;
  uint64_t begin; /* row of the column */
  char *codes;
  uint32_t *usable;
} encoding;

static rdx_status encode(const encoding *e, uint64_t begin, uint64_t count, rdx_error *err) {
  const rdx_index *index = e->index;
  const rdx_probe_target target = {index->stats.key_type, index->key_scale, e->exact, e->role};
  return rdx_keys_encode_probes(e->column, e->begin + begin, count, &target,
                                e->codes + begin * (index->stats.key_bits / 8), e->usable + begin / 32, err);
}

#define PIECE 65536 /* probes that a thread encodes at a time: words of bits are whole */

static void encode_piece(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  const rdx_status status = encode(context, begin, end - begin, NULL);
  (void)status; /* of types, which an encoding of no probes has asked for */
}

/* Encode host probes in chunks into a new buffer. Bits of `usable` are cleared where a probe can match nothing. */
static rdx_status upload(const rdx_index *index, const rdx_column *column, rdx_probe_role role, rdx_probes *p,
                         uint32_t *usable, rdx_buffer **out, rdx_error *err) {
  const rdx_type type = index->stats.key_type;
  const uint32_t bytes = index->stats.key_bits / 8;
  const bool as_is = column->type == type && (type == RDX_TYPE_U32 || type == RDX_TYPE_U64) && !column->validity;
  RDX_TRY(rdx_buffer_create(index->device, p->count * bytes, "the probes", out, err));
  p->bytes += p->count * bytes;
  if (as_is)
    return rdx_buffer_upload(*out, 0, (const char *)column->values + p->begin * bytes, p->count * bytes, err);
  RDX_SCOPED(rdx_free_local) void *codes = NULL;
  /* Of NULLs no codes are written, but lookups that take several probes at a time read them. */
  RDX_TRY(rdx_calloc(p->count < CHUNK ? p->count : CHUNK, bytes, "probes", &codes, err));
  encoding e = {.index = index,
                .column = column,
                .role = role,
                .exact = type != RDX_TYPE_STRING || index->text->exact,
                .codes = codes,
                .usable = usable};
  RDX_TRY(encode(&e, 0, 0, err));
  for (uint64_t done = 0; done < p->count; done += CHUNK) {
    const uint64_t n = p->count - done < CHUNK ? p->count - done : CHUNK;
    e.begin = p->begin + done;
    e.usable = usable + done / 32;
    rdx_device_run_on_host(index->device, n, PIECE, encode_piece, &e);
    RDX_TRY(rdx_buffer_upload(*out, done * bytes, codes, n * bytes, err));
  }
  return RDX_OK;
}

/* Clear the bits of NULLs of a device column. */
static rdx_status merge_valid(const rdx_device_column *c, const rdx_probes *p, uint32_t *usable, rdx_error *err) {
  if (!c->valid)
    return RDX_OK;
  const uint64_t first = p->begin / 32, end = (p->begin + p->count + 31) / 32, shift = p->begin % 32;
  RDX_SCOPED(rdx_free_local) uint32_t *bits = NULL;
  RDX_TRY(rdx_calloc(end - first + 1, 4, "the NULL bits of probes", (void **)&bits, err));
  RDX_TRY(rdx_buffer_download(c->valid, first * 4, bits, (end - first) * 4, err));
  for (uint64_t i = 0; i < (p->count + 31) / 32; i++)
    usable[i] &= (uint32_t)(((uint64_t)bits[i + 1] << 32 | bits[i]) >> shift);
  return RDX_OK;
}

static uint32_t *address_in(const rdx_device_column *c, uint64_t begin) {
  return (uint32_t *)(uintptr_t)(c->keys->address + begin * (c->key_bits / 8));
}

static rdx_status add_side(const rdx_index *index, const rdx_column *column, rdx_probe_role role, rdx_probes *p,
                           uint32_t *usable, rdx_buffer **owned, uint32_t **address, rdx_error *err) {
  if (use_in_place(column)) {
    RDX_TRY(check_device_column(index, column->device, err));
    *address = address_in(column->device, p->begin);
    return merge_valid(column->device, p, usable, err);
  }
  const rdx_column host = rdx_column_on_host(column);
  RDX_TRY(rdx_column_check(&host, "the probe column", err));
  RDX_TRY(upload(index, &host, role, p, usable, owned, err));
  *address = RDX_ADDRESS(uint32_t, *owned);
  return RDX_OK;
}

static rdx_status upload_usable(const rdx_index *index, rdx_probes *p, const uint32_t *usable, rdx_error *err) {
  const uint64_t words = (p->count + 31) / 32;
  uint32_t all = UINT32_MAX;
  for (uint64_t i = 0; i < words; i++)
    all &= i + 1 < words || p->count % 32 == 0 ? usable[i] : usable[i] | UINT32_MAX << p->count % 32;
  if (all == UINT32_MAX)
    return RDX_OK;
  RDX_TRY(rdx_buffer_create(index->device, words * 4, "the usable probes", &p->owned[2], err));
  p->bytes += words * 4;
  p->valid = RDX_ADDRESS(uint32_t, p->owned[2]);
  return rdx_buffer_upload(p->owned[2], 0, usable, words * 4, err);
}

rdx_status rdx_probes_create(const rdx_index *index, const rdx_column *lower, const rdx_column *upper, uint64_t begin,
                             uint64_t count, rdx_probes *out, rdx_error *err) {
  *out = (rdx_probes){.begin = begin, .count = count};
  const bool on_word = begin % 32 == 0 || !lower->device || !lower->device->valid;
  if (!upper && use_in_place(lower) && on_word) { /* nothing to copy: not even NULL bits */
    const rdx_device_column *c = lower->device;
    RDX_TRY(check_device_column(index, c, err));
    out->lower = address_in(c, begin);
    out->valid = c->valid ? (uint32_t *)(uintptr_t)(c->valid->address + begin / 8) : NULL;
    return RDX_OK;
  }
  RDX_SCOPED(rdx_probes_destroy) rdx_probes made = *out;
  RDX_SCOPED(rdx_free_local) uint32_t *usable = NULL;
  RDX_TRY(rdx_alloc((count + 31) / 32, 4, "the usable probes", (void **)&usable, err));
  memset(usable, 0xff, (count + 31) / 32 * 4);
  RDX_TRY(add_side(index, lower, upper ? RDX_PROBE_LOWER : RDX_PROBE_POINT, &made, usable, &made.owned[0], &made.lower,
                   err));
  if (upper)
    RDX_TRY(add_side(index, upper, RDX_PROBE_UPPER, &made, usable, &made.owned[1], &made.upper, err));
  RDX_TRY(upload_usable(index, &made, usable, err));
  *out = RDX_KEEP(made);
  return RDX_OK;
}

void rdx_probes_destroy(rdx_probes *probes) {
  for (uint32_t i = 0; i < RDX_COUNT(probes->owned); i++)
    rdx_buffer_destroy(&probes->owned[i]);
  rdx_buffer_destroy(&probes->places);
}
