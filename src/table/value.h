/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_TABLE_VALUE_H
#define RDX_TABLE_VALUE_H

/* Text to values, strictly: the whole text must be a value of the type, but for blanks around it. */

#include <raydex/column.h>

#include "base/base.h"

typedef enum rdx_parse {
  RDX_PARSE_OK,
  RDX_PARSE_ROUNDED, /* a float closer to 0 than the type's numbers keep it: the nearest of them */
  RDX_PARSE_FORMAT,  /* not a value of this type */
  RDX_PARSE_RANGE,   /* one that does not fit it */
} rdx_parse;

/* Parse `length` bytes into `*out`, as wide as the type. Not for strings. */
rdx_parse rdx_value_parse(rdx_type type, uint8_t scale, const char *text, size_t length, void *out);

/* Leave blanks (spaces and tabs) around a text out. */
static inline void rdx_value_trim(const char **text, size_t *length) {
  for (; *length > 0 && (**text == ' ' || **text == '\t'); (*length)--)
    (*text)++;
  while (*length > 0 && ((*text)[*length - 1] == ' ' || (*text)[*length - 1] == '\t'))
    (*length)--;
}

/* ---- Numbers ---- */

/* Sign, digits, point, digits, exponent. */
typedef struct rdx_number {
  bool negative, plus, point, exponent, signed_exponent;
  bool leading_zero;        /* more than one digit before the point, the first of them 0 */
  bool too_large;           /* `digits` is not all of them */
  uint32_t whole_digits;    /* before the point, as written */
  uint32_t integer_digits;  /* of these, without zeros that lead */
  uint32_t fraction_digits; /* behind the point */
  uint32_t zeros;           /* of these, at the end */
  uint32_t significant;     /* digits from the first to the last that is not 0 */
  int32_t power;            /* of ten, of the exponent */
  rdx_i128 digits;          /* those before and behind the point, as an integer */
} rdx_number;

/* False: the text is no number. Words are none. */
bool rdx_number_read(const char *text, size_t length, rdx_number *out);

/* ---- Inference ---- */

/* What a value says of its column. */
typedef enum rdx_trait {
  RDX_TRAIT_BOOL,
  RDX_TRAIT_NUMBER,
  RDX_TRAIT_DATE,
  RDX_TRAIT_TIMESTAMP,
  RDX_TRAIT_TEXT,
  /* Of numbers: */
  RDX_TRAIT_NEGATIVE,
  RDX_TRAIT_ABOVE_I32, /* or below */
  RDX_TRAIT_ABOVE_I64,
  RDX_TRAIT_BEYOND, /* neither u64 nor i64 holds it */
  RDX_TRAIT_PLUS,
  RDX_TRAIT_LEADING_ZERO,
  RDX_TRAIT_MINUS_ZERO,
  RDX_TRAIT_POINT,
  RDX_TRAIT_LAST_POINT, /* "5." */
  RDX_TRAIT_BARE_POINT, /* ".5" */
  RDX_TRAIT_ZERO_POINT, /* "0.5" */
  RDX_TRAIT_CODE,       /* "12E3" */
  RDX_TRAIT_EXPONENT,   /* any other number with one */
  RDX_TRAIT_WORD,       /* NaN or infinity */
  RDX_TRAIT_LONG,       /* more digits than f64 gives back */
  RDX_TRAIT_HUGE,       /* beyond f64 */
  RDX_TRAIT_TINY,       /* closer to 0 than f64 keeps it */
  RDX_TRAIT_PADDED,     /* with fewer zeros at its end it would say the same */
  /* Of times: */
  RDX_TRAIT_ZONED, /* with Z or an offset */
  RDX_TRAIT_LOCAL, /* without */
  RDX_TRAITS,
} rdx_trait;

/* A value and what it says. */
typedef struct rdx_look {
  uint32_t traits; /* a bit each */
  uint32_t integer_digits, fraction_digits;
  uint64_t lengths; /* of a number: a bit for how many characters there are from the point on */
  uint64_t shorter; /* bits for fewer that say the same */
  rdx_number number;
  double real; /* of a number: where `is_real` */
  bool is_real;
  int64_t time; /* of a timestamp; of a date, its days */
} rdx_look;

/* Look at a value that is not NULL; `floats`: also whether f64 holds it. */
void rdx_look_at(const char *text, size_t length, bool floats, rdx_look *out);

/* The value as one of a type that was inferred from it, among others; false where it is none. */
bool rdx_look_value(const rdx_look *look, rdx_type type, uint8_t scale, const char *text, size_t length, void *out);

#define RDX_ODD_TEXTS 3

/* What the values of a column have been, to find the narrowest type for all of them. Places tell where in the text a
 * value begins. */
typedef struct rdx_inference {
  uint32_t traits;
  uint32_t integer_digits, fraction_digits; /* most before and behind the point */
  uint64_t lengths, shorter;
  uint64_t first[RDX_TRAITS]; /* place of the first value with a trait */
  uint64_t typed, texts;      /* values that were, and were not, of some type; who infers counts them */
  uint64_t odd[RDX_ODD_TEXTS], odd_hash[RDX_ODD_TEXTS]; /* places of the first texts that differ */
  uint32_t odd_count;                                   /* RDX_ODD_TEXTS + 1: there are more */
} rdx_inference;

/* Whether a value says nothing new. */
static inline bool rdx_inference_covers(const rdx_inference *f, const rdx_look *look) {
  return (look->traits & ~f->traits) == 0 && (look->lengths & ~f->lengths) == 0 && (look->shorter & ~f->shorter) == 0 &&
         look->integer_digits <= f->integer_digits && look->fraction_digits <= f->fraction_digits &&
         !(look->traits >> RDX_TRAIT_TEXT & 1u);
}

/* Take in one more value that is not NULL, which begins at `place`. */
void rdx_inference_add(rdx_inference *inference, const rdx_look *look, const char *text, size_t length, uint64_t place);

/* The same of an integer of less than 16 digits as it is usually written. */
void rdx_inference_add_integer(rdx_inference *inference, int64_t value, uint64_t place);

/* Take in what `other` has seen; its counts, too, where they are of values that `inference` has not counted. */
void rdx_inference_merge(rdx_inference *inference, const rdx_inference *other, bool counts);

/* Whether there was no value yet. */
bool rdx_inference_is_empty(const rdx_inference *inference);

/* The type so far, as rdx_csv_params describes. */
rdx_type rdx_inference_type(const rdx_inference *inference, uint8_t *scale);

/* Why the type is what it is, where one might expect another. */
typedef struct rdx_reason {
  rdx_trait trait;  /* of the value that is to blame, first[trait]; RDX_TRAITS: nothing is remarkable */
  rdx_type instead; /* the type but for that; string: none */
  uint8_t scale;
} rdx_reason;

rdx_reason rdx_inference_reason(const rdx_inference *inference);

#endif
