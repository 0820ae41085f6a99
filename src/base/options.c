/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

#include "base/options.h"

#include <raydex/index.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void rdx_methods_list(const char *const *names, uint32_t count, char *out, size_t size) {
  size_t used = 0;
  out[0] = '\0';
  for (uint32_t i = 0; i < count && used < size; i++)
    if (names[i])
      used += (size_t)snprintf(out + used, size - used, "%s%s", used ? ", " : "", names[i]);
}

rdx_status rdx_method_find(const char *const *names, uint32_t count, const char *what, const char *name, uint32_t *out,
                          rdx_error *err) {
  char list[256];
  for (uint32_t i = 0; i < count; i++) {
    if (names[i] && strcmp(names[i], name) == 0) {
      *out = i;
      return RDX_OK;
    }
  }
  rdx_methods_list(names, count, list, sizeof list);
  return rdx_fail(err, RDX_ERROR_NOT_FOUND, "there is no %s '%.40s'; there are %s", what, name, list);
}

const rdx_option_word rdx_option_switches[] = {{"off", 0}, {"on", 1}, {0}};
const rdx_option_word rdx_option_defaults[] = {{"on", RDX_SWITCH_ON}, {"off", RDX_SWITCH_OFF}, {0}};
const rdx_option_word rdx_option_builds[] = {{"fast_trace", RDX_BUILD_FAST_TRACE},
                                             {"fast_build", RDX_BUILD_FAST_BUILD},
                                             {"low_memory", RDX_BUILD_LOW_MEMORY},
                                             {0}};

/* Add to a text, which is cut off where it does not fit. */
RDX_PRINTF(3, 4) static void add(char *text, size_t size, const char *format, ...) {
  const size_t used = strlen(text);
  va_list list;
  va_start(list, format);
  vsnprintf(text + used, size - used, format, list);
  va_end(list);
}

static rdx_status no_such_option(rdx_status status, rdx_options options, uint32_t method, const char *method_name,
                                 const char *name, rdx_error *err) {
  char list[384] = "";
  for (size_t i = 0; i < options.count; i++)
    if (options.list[i].method == method)
      add(list, sizeof list, "%s%s", *list ? ", " : "", options.list[i].name);
  return rdx_fail(err, status, "%s has no option '%.40s'; it has %s", method_name, name, *list ? list : "none");
}

/* `value` NULL: a number that is none of the words. */
static rdx_status wrong_value(const rdx_option *o, const char *value, rdx_error *err) {
  char list[256] = "";
  for (const rdx_option_word *w = o->words; w && w->name; w++)
    add(list, sizeof list, "%s%s", *list ? ", " : "", w->name);
  if (o->read)
    add(list, sizeof list, "as in %s", o->form);
  else if (!o->words)
    add(list, sizeof list, "a number from %u to %u", o->min, o->max);
  return value ? rdx_fail(err, RDX_ERROR_ARGUMENT, "%s cannot be '%.40s'; it is %s", o->name, value, list)
               : rdx_fail(err, RDX_ERROR_ARGUMENT, "%s has an unknown value; it is %s", o->name, list);
}

/* A number in decimal digits. */
static bool read_number(const char *text, uint32_t *out) {
  uint64_t value = 0;
  bool digits = *text != '\0';
  for (; *text && digits; text++) {
    digits = *text >= '0' && *text <= '9';
    value = value * 10 + (uint64_t)(*text - '0');
    digits &= value <= UINT32_MAX;
  }
  *out = (uint32_t)value;
  return digits;
}

static bool read_value(const rdx_option *o, const char *text, uint32_t *out) {
  if (!o->words)
    return read_number(text, out) && *out >= o->min && *out <= o->max;
  const rdx_option_word *w = o->words;
  while (w->name && strcmp(w->name, text) != 0)
    w++;
  *out = w->value;
  return w->name != NULL;
}

rdx_status rdx_option_set(rdx_options options, uint32_t method, const char *method_name, const char *name,
                          const char *value, void *params, rdx_error *err) {
  for (size_t i = 0; i < options.count; i++) {
    const rdx_option *o = &options.list[i];
    uint32_t number = 0;
    if (o->method != method || strcmp(o->name, name) != 0)
      continue;
    if (!(o->read ? o->read(value, (char *)params + o->offset) : read_value(o, value, &number)))
      return wrong_value(o, value, err);
    if (o->read)
      return RDX_OK;
    const uint8_t narrow = (uint8_t)number;
    const double wide = number;
    memcpy((char *)params + o->offset,
           o->size == sizeof narrow ? (const void *)&narrow
           : o->size == sizeof wide ? (const void *)&wide
                                    : (const void *)&number,
           o->size);
    return RDX_OK;
  }
  return no_such_option(RDX_ERROR_NOT_FOUND, options, method, method_name, name, err);
}

static bool is_set(const rdx_option *o, const void *params) {
  const char *field = (const char *)params + o->offset;
  for (size_t i = 0; i < o->size; i++)
    if (field[i] != 0)
      return true;
  return false;
}

/* Whether a field has a value of one of its words. */
static bool is_word(const rdx_option *o, const void *params) {
  const char *field = (const char *)params + o->offset;
  uint32_t value = 0;
  memcpy(&value, field, o->size < sizeof value ? 1 : sizeof value);
  for (const rdx_option_word *w = o->words; w->name; w++)
    if (w->value == value)
      return true;
  return false;
}

/* Methods may share a field. */
static bool has_field(rdx_options options, uint64_t methods, size_t offset) {
  for (size_t i = 0; i < options.count; i++)
    if (options.list[i].offset == offset && (methods >> options.list[i].method & 1) != 0)
      return true;
  return false;
}

rdx_status rdx_option_check(rdx_options options, uint64_t methods, uint32_t method, const char *method_name,
                            const void *params, rdx_error *err) {
  for (size_t i = 0; i < options.count; i++) {
    const rdx_option *o = &options.list[i];
    if (!is_set(o, params))
      continue;
    if (!has_field(options, methods, o->offset))
      return no_such_option(RDX_ERROR_ARGUMENT, options, method, method_name, o->name, err);
    if (o->words && (methods >> o->method & 1) != 0 && !is_word(o, params))
      return wrong_value(o, NULL, err);
  }
  return RDX_OK;
}

bool rdx_option_describe(rdx_options options, uint32_t method, uint32_t number, char *text, size_t size) {
  const rdx_option *o = options.list, *end = options.list + options.count;
  for (; o < end; o++)
    if (o->method == method && number-- == 0)
      break;
  if (o == end)
    return false;
  snprintf(text, size, "%s=", o->name);
  for (const rdx_option_word *w = o->words; w && w->name; w++)
    add(text, size, "%s%s", w == o->words ? "" : "|", w->name);
  if (o->read)
    add(text, size, "%s", o->form);
  else if (!o->words)
    add(text, size, "%u..%u", o->min, o->max);
  return true;
}
