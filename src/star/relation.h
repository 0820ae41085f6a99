/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_STAR_RELATION_H
#define RDX_STAR_RELATION_H

/* A relation on the device, as packed codes. */

#include <pthread.h>

#include <raydex/query.h>

#include "scan/scan.h"

/* A column as dense codes that keep its order: 0 .. count - 1 are values, `count` is NULL where it has any. Either
 * differences to its smallest key (column/keys.h), or places in its sorted distinct keys: the latter for strings (their
 * dictionary), where at most 65,536 places take no more than half the bytes, and where differences pass 64 bits. */
typedef struct rdx_packed_column {
  rdx_encoded_column source; /* type, scale, key bits, smallest and largest key, dictionary; without codes */
  uint32_t dimension;        /* 0: a code for each row of the fact table; else for each of dimension - 1 */
  uint64_t rows;             /* of that table */
  uint32_t bytes;            /* of a code: 1, 2, 4 or 8; padded to whole words, and by 128 more bytes */
  uint64_t count;
  bool nulls;
  uint64_t base;  /* differences: the key of code 0 */
  uint64_t *keys; /* places, not strings: the key of each code, ascending; else NULL */
  rdx_buffer *codes;
  rdx_buffer *values; /* places of integers and decimals: the value of each code as i64, for calculating; else NULL */
} rdx_packed_column;

/* A dimension: for each row of the fact table the number of its row in the dimension, packed as codes are; `rows`
 * (one past the last) for rows without a foreign row. */
typedef struct rdx_foreign_rows {
  uint64_t rows;  /* of the dimension */
  uint32_t bytes; /* 1, 2 or 4 */
  bool missing;   /* some row has none */
  rdx_buffer *codes;
} rdx_foreign_rows;

/* The codes of an attribute that occur, and where that of each row stands among them: numbers of groups need no more,
 * however far apart codes are. */
typedef struct rdx_dense_codes {
  uint64_t count;
  uint64_t *codes;    /* ascending; the last is NULL's where that occurs */
  uint32_t bytes;     /* of a place */
  rdx_buffer *places; /* of the rows of the attribute's table, packed as codes are */
} rdx_dense_codes;

#define RDX_MAX_LIMBS 35 /* of 62 bits: f64 take at most 2098 */

/* Numbers that no attribute has room for, as of floats, in limbs, which are attributes like any other: what these add
 * up to is exact, and does not depend on the order of rows. The limbs of a number all have its sign. */
typedef struct rdx_limbs {
  rdx_packed_column *attributes; /* the lowest limb first; then the special one */
  uint32_t count;                /* of limbs; 0: not made yet */
  uint32_t special; /* 1: behind them comes an attribute that is not 0 for values that are not finite: 1 for infinity,
                     * RDX_SPECIAL_DOWN for its opposite, and both for NaN */
  uint32_t bits;    /* of a limb, at most 62 */
  int exponents[RDX_MAX_LIMBS]; /* of the limbs' units, as powers of 2: there may be gaps, where no number has a bit */
} rdx_limbs;

#define RDX_SPECIAL_DOWN ((int64_t)1 << 32) /* more than there are rows */

/* What is made of attributes when it is asked for first. */
typedef struct rdx_lazy {
  pthread_mutex_t lock;
  struct rdx_wide_values *wide_values; /* of expressions; see there */
  struct {
    rdx_dense_codes places;
    rdx_limbs limbs;
  } of[]; /* each attribute */
} rdx_lazy;

typedef struct rdx_packed_relation {
  rdx_device *device;
  uint64_t rows;
  uint32_t attribute_count, dimension_count;
  char **names;
  rdx_packed_column *attributes;
  rdx_foreign_rows *foreign_rows;
  rdx_lazy *lazy;
  uint64_t bytes;
  double encode_ms;
} rdx_packed_relation;

RDX_MUST_USE rdx_status rdx_packed_relation_create(rdx_device *device, const rdx_relation *relation,
                                                   rdx_packed_relation **out, rdx_error *err);
void rdx_packed_relation_destroy(rdx_packed_relation **relation);

/* The codes of an attribute for each row of the fact table, as u32 (places) or u64 (where codes need it), in new device
 * memory: denormalised. Rows without a foreign row in some dimension must have been dropped by the caller: `rows` lists
 * those that count (u32, ascending; NULL: all), of which there are `count`. */
RDX_MUST_USE rdx_status rdx_packed_gather(const rdx_packed_relation *relation, const rdx_packed_column *attribute,
                                          rdx_buffer *rows, uint64_t count, uint32_t bytes, rdx_buffer **out,
                                          rdx_error *err);

/* Where that call finds codes: `foreign_rows` is NULL for those of the fact table. */
static inline const rdx_foreign_rows *rdx_packed_foreign_rows(const rdx_packed_relation *relation,
                                                              const rdx_packed_column *attribute) {
  return attribute->dimension ? &relation->foreign_rows[attribute->dimension - 1] : NULL;
}

/* The rows of the fact table that have all their foreign rows: NULL and the number of all where that is so. */
RDX_MUST_USE rdx_status rdx_packed_joined(const rdx_packed_relation *relation, rdx_buffer **out_rows,
                                          uint64_t *out_count, rdx_error *err);

/* The places of an attribute's codes, which are differences: made when they are asked for first, and the relation's. */
RDX_MUST_USE rdx_status rdx_packed_dense_codes(const rdx_packed_relation *relation, uint32_t attribute,
                                               const rdx_dense_codes **out, rdx_error *err);
/* The first place whose code is not below this one; their number where none is. */
uint64_t rdx_dense_code(const rdx_dense_codes *places, uint64_t code);

/* The limbs of a float attribute: made when they are asked for first, and the relation's. */
RDX_MUST_USE rdx_status rdx_packed_limbs(const rdx_packed_relation *relation, uint32_t attribute, const rdx_limbs **out,
                                         rdx_error *err);
/* Code an attribute. Adds to `ms`. What is left in `out` on failure the caller drops. */
RDX_MUST_USE rdx_status rdx_packed_column_create(rdx_device *device, const rdx_attribute *attribute,
                                                 rdx_packed_column *out, double *ms, rdx_error *err);
/* Free what an attribute consists of. */
void rdx_packed_column_free(rdx_packed_column *attribute);

/* Codes to values: a host column of the values of `count` codes of an attribute, in an arena. `nulls`: some may be
 * NULL, which is any code that is no value's. */
RDX_MUST_USE rdx_status rdx_packed_column_values(const rdx_packed_column *attribute, const uint64_t *codes,
                                                 uint64_t count, bool nulls, rdx_arena *arena, rdx_column *out,
                                                 rdx_error *err);

/* The key of a code that is not NULL. */
static inline uint64_t rdx_packed_column_key(const rdx_packed_column *attribute, uint64_t code) {
  return attribute->keys ? attribute->keys[code] : attribute->base + code;
}

static inline bool rdx_packed_column_is_float(const rdx_packed_column *attribute) {
  return attribute->source.type == RDX_TYPE_F32 || attribute->source.type == RDX_TYPE_F64;
}

/* Whether values of a type can be calculated with: integers and decimals. */
static inline bool rdx_packed_column_is_numeric(const rdx_packed_column *attribute) {
  const rdx_type type = attribute->source.type;
  return (type >= RDX_TYPE_I8 && type <= RDX_TYPE_U64) || type == RDX_TYPE_DECIMAL;
}

/* Whether sums of an attribute take other numbers than what else is asked of it: as floats do, bools, and integers that
 * pass 63 bits. */
static inline bool rdx_packed_column_is_summed_apart(const rdx_packed_column *attribute) {
  const rdx_encoded_column *s = &attribute->source;
  return rdx_packed_column_is_float(attribute) || s->type == RDX_TYPE_BOOL ||
         (s->type == RDX_TYPE_U64 && attribute->count > 0 && s->largest > INT64_MAX);
}

#endif
