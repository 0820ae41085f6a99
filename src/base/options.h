/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_BASE_OPTIONS_H
#define RDX_BASE_OPTIONS_H

/* Options of methods as tables: names to fields of a params struct. `raydex --options` and SQL's WITH set them. */

#include "base/base.h"

#include <stddef.h>

/* The names of methods with commas; names that are NULL are left out. */
void rdx_methods_list(const char *const *names, uint32_t count, char *out, size_t size);
/* The number of a name among them. RDX_ERROR_NOT_FOUND says that there is no such `what`, and lists what there is. */
RDX_MUST_USE rdx_status rdx_method_find(const char *const *names, uint32_t count, const char *what, const char *name,
                                       uint32_t *out, rdx_error *err);

typedef struct rdx_option_word {
  const char *name; /* NULL ends a list */
  uint32_t value;
} rdx_option_word;

/* A field of the params, of 8, 32 or, as a double, 64 bits: one of the words, or without them a whole number from `min`
 * to `max`; or of any size: what `read` makes of a text, false where that has not the form. */
typedef struct rdx_option {
  uint32_t method;
  const char *name;
  size_t offset, size;
  const rdx_option_word *words;
  uint32_t min, max;
  bool (*read)(const char *text, void *field);
  const char *form; /* an example */
} rdx_option;

typedef struct rdx_options {
  const rdx_option *list;
  size_t count;
} rdx_options;

#define RDX_OPTION_FIELD(params, path) offsetof(params, path), sizeof((params *)0)->path
#define RDX_OPTION_WORD(params, method, name, path, words)                                                             \
  { method, name, RDX_OPTION_FIELD(params, path), words, 0, 0, NULL, NULL }
#define RDX_OPTION_NUMBER(params, method, name, path, min, max)                                                        \
  { method, name, RDX_OPTION_FIELD(params, path), NULL, min, max, NULL, NULL }

#define RDX_OPTION_TEXT(params, method, name, path, read, form)                                                        \
  { method, name, RDX_OPTION_FIELD(params, path), NULL, 0, 0, read, form }

extern const rdx_option_word rdx_option_switches[]; /* off, on */
extern const rdx_option_word rdx_option_defaults[]; /* rdx_switch */
extern const rdx_option_word rdx_option_builds[];   /* rdx_build_preference */

/* Set the option `name` of a method. RDX_ERROR_NOT_FOUND lists its options, RDX_ERROR_ARGUMENT the values. */
RDX_MUST_USE rdx_status rdx_option_set(rdx_options options, uint32_t method, const char *method_name, const char *name,
                                       const char *value, void *params, rdx_error *err);

/* Refuse params in which an option is set that none of `methods` (a bit each) has, or to none of its words:
 * RDX_ERROR_ARGUMENT names it and lists the options of `method`, or the words. */
RDX_MUST_USE rdx_status rdx_option_check(rdx_options options, uint64_t methods, uint32_t method,
                                         const char *method_name, const void *params, rdx_error *err);

/* Option `number` of a method as "name=1..9" or "name=word|word"; false: there are fewer. */
bool rdx_option_describe(rdx_options options, uint32_t method, uint32_t number, char *text, size_t size);

#endif
