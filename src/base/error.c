/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Statuses, error text, version, and small helpers. */

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <raydex/version.h>

#include "base/base.h"
#include "base/utf8.h"

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

static locale_t c_locale;

static void make_c_locale(void) {
  c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

locale_t rdx_c_locale(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make_c_locale);
  return c_locale;
}

int rdx_text_print(char *text, size_t size, const char *format, ...) {
  va_list list;
  va_start(list, format);
  const locale_t before = uselocale(rdx_c_locale());
  const int length = vsnprintf(text, size, format, list);
  uselocale(before);
  va_end(list);
  return length;
}

const char *rdx_version(void) {
  return TEXT(RDX_VERSION_MAJOR) "." TEXT(RDX_VERSION_MINOR) "." TEXT(RDX_VERSION_PATCH);
}

const char *rdx_status_name(rdx_status status) {
  switch (status) {
  case RDX_OK:
    return "ok";
  case RDX_ERROR_ARGUMENT:
    return "invalid argument";
  case RDX_ERROR_NOT_FOUND:
    return "not found";
  case RDX_ERROR_UNSUPPORTED:
    return "not supported";
  case RDX_ERROR_RANGE:
    return "out of range";
  case RDX_ERROR_FORMAT:
    return "malformed input";
  case RDX_ERROR_IO:
    return "input or output failed";
  case RDX_ERROR_OVERFLOW:
    return "overflow";
  case RDX_ERROR_MEMORY:
    return "out of memory";
  case RDX_ERROR_DEVICE_MEMORY:
    return "out of device memory";
  case RDX_ERROR_DEVICE_LOST:
    return "device lost";
  case RDX_ERROR_CANCELLED:
    return "cancelled";
  case RDX_ERROR_INTERNAL:
    return "internal error";
  case RDX_ERROR_TIMEOUT:
    return "timeout";
  }
  return "unknown status";
}

rdx_status rdx_fail(rdx_error *err, rdx_status status, const char *format, ...) {
  if (err) {
    char text[RDX_MESSAGE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    rdx_utf8_escape_message(text, strlen(text), err->text, sizeof err->text); /* there may be data in it */
  }
  return status;
}

double rdx_now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

const char *rdx_format_bytes(uint64_t bytes, char text[32]) {
  static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = (double)bytes;
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < RDX_COUNT(units)) {
    value /= 1024;
    unit++;
  }
  rdx_text_print(text, 32, unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
  return text;
}
