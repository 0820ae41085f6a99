/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_STAR_RELATION_H
#define RDX_STAR_RELATION_H

/* A relation on the device, as packed codes. */

#include <pthread.h>

#include <raydex/query.h>

#include "column/encoded_column.h"

/* A dimension: for each row of the fact table the number of its row in the dimension, packed as codes are; `rows`
 * (one past the last) for rows without a foreign row. */
typedef struct rdx_foreign_rows {
  uint64_t rows;  /* of the dimension */
  uint32_t bytes; /* 1, 2 or 4 */
  bool missing;   /* some row has none */
  rdx_buffer *codes;
} rdx_foreign_rows;

#define RDX_MAX_LIMBS 35 /* of 62 bits: f64 take at most 2098 */

/* Numbers that no attribute has room for, as of floats, in limbs, which are attributes like any other: what these add
 * up to is exact, and does not depend on the order of rows. The limbs of a number all have its sign. */
typedef struct rdx_limbs {
  rdx_encoded_column *attributes; /* the lowest limb first; then the special one */
  uint32_t count;                 /* of limbs; 0: not made yet */
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
    rdx_encoded_column dense;
    rdx_limbs limbs;
  } of[]; /* each attribute */
} rdx_lazy;

typedef struct rdx_packed_relation {
  rdx_device *device;
  uint64_t rows;
  uint32_t attribute_count, dimension_count;
  char **names;
  rdx_encoded_column *attributes;
  rdx_foreign_rows *foreign_rows;
  rdx_lazy *lazy;
  double encode_ms;
} rdx_packed_relation;

/* What a relation has in common with others: for each attribute and dimension what another one made of it, or NULL. */
typedef struct rdx_shared_parts {
  const rdx_encoded_column **attributes;
  const rdx_foreign_rows **foreign_rows;
} rdx_shared_parts;

/* `shared` NULL: all is made. */
RDX_MUST_USE rdx_status rdx_packed_relation_create(rdx_device *device, const rdx_relation *relation,
                                                   const rdx_shared_parts *shared, rdx_packed_relation **out,
                                                   rdx_error *err);
/* Of device memory, without what is made when it is asked for. What several relations share is divided among them. */
uint64_t rdx_packed_relation_bytes(const rdx_packed_relation *relation);
void rdx_packed_relation_destroy(rdx_packed_relation **relation);

/* The codes of an attribute for each row of the fact table, as u32 (places) or u64 (where codes need it), in new device
 * memory: denormalised. Rows without a foreign row in some dimension must have been dropped by the caller: `rows` lists
 * those that count (u32, ascending; NULL: all), of which there are `count`. */
RDX_MUST_USE rdx_status rdx_packed_gather(const rdx_packed_relation *relation, const rdx_encoded_column *attribute,
                                          rdx_buffer *rows, uint64_t count, uint32_t bytes, rdx_buffer **out,
                                          rdx_error *err);

/* Where that call finds codes: `foreign_rows` is NULL for those of the fact table. */
static inline const rdx_foreign_rows *rdx_packed_foreign_rows(const rdx_packed_relation *relation,
                                                              const rdx_encoded_column *attribute) {
  return attribute->dimension ? &relation->foreign_rows[attribute->dimension - 1] : NULL;
}

/* The rows of the fact table that have all their foreign rows: NULL and the number of all where that is so. */
RDX_MUST_USE rdx_status rdx_packed_joined(const rdx_packed_relation *relation, rdx_buffer **out_rows,
                                          uint64_t *out_count, rdx_error *err);

/* An attribute, whose codes are differences, by dense codes: made when they are asked for first, and the relation's. */
RDX_MUST_USE rdx_status rdx_packed_dense_codes(const rdx_packed_relation *relation, uint32_t attribute,
                                               const rdx_encoded_column **out, rdx_error *err);

/* The limbs of a float attribute: made when they are asked for first, and the relation's. */
RDX_MUST_USE rdx_status rdx_packed_limbs(const rdx_packed_relation *relation, uint32_t attribute, const rdx_limbs **out,
                                         rdx_error *err);
/* An attribute as a packed column. Adds to `ms`. What is left in `out` on failure the caller drops. */
RDX_MUST_USE rdx_status rdx_attribute_encode(rdx_device *device, const rdx_attribute *attribute,
                                             rdx_encoded_column *out, double *ms, rdx_error *err);

/* Whether sums of an attribute take other numbers than what else is asked of it: as floats do, bools, and integers that
 * pass 63 bits. */
static inline bool rdx_attribute_is_summed_apart(const rdx_encoded_column *attribute) {
  return rdx_encoded_column_is_float(attribute) || attribute->type == RDX_TYPE_BOOL ||
         (attribute->type == RDX_TYPE_U64 && attribute->count > 0 && attribute->largest > INT64_MAX);
}

#endif
