/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Order-preserving keys of values. */

#include "column/keys.h"

#include <string.h>

uint32_t rdx_key_bits(rdx_type type) {
  return rdx_type_size(type) == 8 || type == RDX_TYPE_STRING ? 64 : 32;
}

/* ---- Keys of single values ---- */

#define SIGN32 0x80000000u
#define SIGN64 0x8000000000000000u

static uint32_t encode_float(float value) {
  uint32_t bits;
  if (value != value)
    return 0xffc00000u; /* above the key of infinity, 0xff800000 */
  value += 0.0f;        /* -0 becomes 0 */
  memcpy(&bits, &value, sizeof bits);
  return bits & SIGN32 ? ~bits : bits ^ SIGN32;
}

static uint64_t encode_double(double value) {
  uint64_t bits;
  if (value != value)
    return 0xfff8000000000000u;
  value += 0.0;
  memcpy(&bits, &value, sizeof bits);
  return bits & SIGN64 ? ~bits : bits ^ SIGN64;
}

/* RX, section 3.2 "the first eight characters in a string". */
static uint64_t encode_string(const char *bytes, uint64_t length) {
  uint64_t key = 0;
  for (uint32_t i = 0; i < 8; i++)
    key = key << 8 | (i < length ? (uint8_t)bytes[i] : 0);
  return key;
}

uint64_t rdx_key_zero(rdx_type type) {
  switch (type) {
  case RDX_TYPE_I8:
  case RDX_TYPE_I16:
  case RDX_TYPE_I32:
  case RDX_TYPE_DATE:
  case RDX_TYPE_F32:
    return SIGN32;
  case RDX_TYPE_I64:
  case RDX_TYPE_TIMESTAMP:
  case RDX_TYPE_DECIMAL:
  case RDX_TYPE_F64:
    return SIGN64;
  default:
    return 0;
  }
}

/* ---- Columns ---- */

#define ENCODE(from, to, expression)                                                                                   \
  do {                                                                                                                 \
    const from *values = (const from *)c->values + begin;                                                              \
    to *keys = out;                                                                                                    \
    for (uint64_t i = 0; i < count; i++) {                                                                             \
      const from value = values[i];                                                                                    \
      keys[i] = (expression);                                                                                          \
    }                                                                                                                  \
  } while (0)

/* RX, section 3.2 "Handling other data types". */
void rdx_keys_encode(const rdx_column *c, uint64_t begin, uint64_t count, void *out) {
  switch (c->type) {
  case RDX_TYPE_BOOL:
    ENCODE(uint8_t, uint32_t, value != 0);
    break;
  case RDX_TYPE_U8:
    ENCODE(uint8_t, uint32_t, value);
    break;
  case RDX_TYPE_U16:
    ENCODE(uint16_t, uint32_t, value);
    break;
  case RDX_TYPE_U32:
    ENCODE(uint32_t, uint32_t, value);
    break;
  case RDX_TYPE_U64:
    ENCODE(uint64_t, uint64_t, value);
    break;
  case RDX_TYPE_I8:
    ENCODE(int8_t, uint32_t, (uint32_t)(int32_t)value ^ SIGN32);
    break;
  case RDX_TYPE_I16:
    ENCODE(int16_t, uint32_t, (uint32_t)(int32_t)value ^ SIGN32);
    break;
  case RDX_TYPE_I32:
  case RDX_TYPE_DATE:
    ENCODE(int32_t, uint32_t, (uint32_t)value ^ SIGN32);
    break;
  case RDX_TYPE_I64:
  case RDX_TYPE_TIMESTAMP:
  case RDX_TYPE_DECIMAL:
    ENCODE(int64_t, uint64_t, (uint64_t)value ^ SIGN64);
    break;
  case RDX_TYPE_F32:
    ENCODE(float, uint32_t, encode_float(value));
    break;
  case RDX_TYPE_F64:
    ENCODE(double, uint64_t, encode_double(value));
    break;
  case RDX_TYPE_STRING:
    for (uint64_t i = 0; i < count; i++) {
      uint64_t length;
      const char *bytes = rdx_column_text(c, begin + i, &length);
      ((uint64_t *)out)[i] = encode_string(bytes, length);
    }
    break;
  case RDX_TYPE_NONE:
    break;
  }
}

#define DECODE(to, expression)                                                                                         \
  for (uint64_t i = 0; i < count; i++) {                                                                               \
    const uint64_t key = keys[i];                                                                                      \
    ((to *)out)[i] = (to)(expression);                                                                                 \
  }                                                                                                                    \
  break

/* Codes with the highest bit set are of positive floats. */
static void decode_floats(const uint64_t *keys, uint64_t count, uint32_t *out) {
  for (uint64_t i = 0; i < count; i++)
    out[i] = keys[i] & SIGN32 ? (uint32_t)keys[i] ^ SIGN32 : ~(uint32_t)keys[i];
}

static void decode_doubles(const uint64_t *keys, uint64_t count, uint64_t *out) {
  for (uint64_t i = 0; i < count; i++)
    out[i] = keys[i] & SIGN64 ? keys[i] ^ SIGN64 : ~keys[i];
}

void rdx_keys_decode(rdx_type type, const uint64_t *keys, uint64_t count, void *out) {
  switch (type) {
  case RDX_TYPE_BOOL:
  case RDX_TYPE_U8:
    DECODE(uint8_t, key);
  case RDX_TYPE_U16:
    DECODE(uint16_t, key);
  case RDX_TYPE_U32:
    DECODE(uint32_t, key);
  case RDX_TYPE_U64:
    DECODE(uint64_t, key);
  case RDX_TYPE_I8:
    DECODE(int8_t, (uint32_t)key ^ SIGN32);
  case RDX_TYPE_I16:
    DECODE(int16_t, (uint32_t)key ^ SIGN32);
  case RDX_TYPE_I32:
  case RDX_TYPE_DATE:
    DECODE(int32_t, (uint32_t)key ^ SIGN32);
  case RDX_TYPE_I64:
  case RDX_TYPE_TIMESTAMP:
  case RDX_TYPE_DECIMAL:
    DECODE(int64_t, key ^ SIGN64);
  case RDX_TYPE_F32:
    decode_floats(keys, count, out);
    break;
  case RDX_TYPE_F64:
    decode_doubles(keys, count, out);
    break;
  default:
    break;
  }
}

bool rdx_keys_exact_prefix(const rdx_column *c) {
  if (c->dictionary && c->rows > 0)
    return rdx_keys_exact_prefix(c->dictionary);
  for (uint64_t i = 0; i < c->rows; i++) {
    uint64_t length;
    const char *bytes = rdx_column_text(c, i, &length);
    if (rdx_column_has(c, i) && (length > 8 || (length > 0 && memchr(bytes, 0, length))))
      return false;
  }
  return true;
}
