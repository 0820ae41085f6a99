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
  static const char *const names[] = {
      [RDX_OK] = "ok",
      [RDX_ERROR_ARGUMENT] = "invalid argument",
      [RDX_ERROR_NOT_FOUND] = "not found",
      [RDX_ERROR_UNSUPPORTED] = "not supported",
      [RDX_ERROR_RANGE] = "out of range",
      [RDX_ERROR_FORMAT] = "malformed input",
      [RDX_ERROR_IO] = "input or output failed",
      [RDX_ERROR_OVERFLOW] = "overflow",
      [RDX_ERROR_MEMORY] = "out of memory",
      [RDX_ERROR_DEVICE_MEMORY] = "out of device memory",
      [RDX_ERROR_DEVICE_LOST] = "device lost",
      [RDX_ERROR_CANCELLED] = "cancelled",
      [RDX_ERROR_INTERNAL] = "internal error",
      [RDX_ERROR_TIMEOUT] = "timeout",
  };
  return (size_t)status < RDX_COUNT(names) ? names[status] : "unknown status";
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
