/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Calibrations kept in the user's cache: text, a name and its numbers on each line, in femtoseconds, which are whole
 * numbers in every locale. The first line has a checksum of the others; then comes what a calibration holds for. */

#include <raydex/version.h>

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/replace.h"
#include "cost/cost.h"
#include "device/device.h"

#define HEADER "raydex calibration 10 "
#define HEADER_SIZE (sizeof HEADER - 1 + 16 + 1) /* a checksum in hexadecimal digits, a line break */
#define MAX_TEXT 8192
#define MAX_PATH 4352
#define UNIT 1e6 /* femtoseconds in a nanosecond */
#define LARGEST 1e18

typedef struct field {
  const char *name;
  size_t offset;
  uint32_t count;
} field;

#define ONE(name)                                                                                                      \
  { #name, offsetof(rdx_calibration, name), 1 }
#define JOINS(name)                                                                                                    \
  { #name, offsetof(rdx_calibration, name), RDX_CALIBRATION_JOINS }
#define JOINS_SIZED(name)                                                                                              \
  { #name, offsetof(rdx_calibration, name), RDX_CALIBRATION_JOINS *RDX_CALIBRATION_SIZES }
#define SIZED(name)                                                                                                    \
  { #name, offsetof(rdx_calibration, name), RDX_CALIBRATION_SIZES }

static const field fields[] = {
    ONE(launch),
    ONE(read_byte),
    ONE(transfer_byte),
    ONE(pack_value),
    ONE(scan_code),
    ONE(list),
    ONE(lookup),
    ONE(found_row),
    ONE(add_row),
    ONE(group_row),
    ONE(table),
    ONE(table_row),
    ONE(number_row),
    SIZED(test),
    SIZED(gather),
    ONE(sort),
    ONE(sort_row),
    ONE(sort_group),
    SIZED(sort_key),
    JOINS(join),
    JOINS_SIZED(join_build),
    JOINS_SIZED(join_probe),
    SIZED(ray),
    SIZED(hit),
    ONE(cube),
    ONE(coarse_cube),
    ONE(rt_cube),
    ONE(tuple),
    SIZED(range),
    ONE(run),
    ONE(evaluate),
    ONE(value),
};

static double *numbers_of(rdx_calibration *c, const field *f) {
  return (double *)((char *)c + f->offset);
}

/* FNV-1a. */
static uint64_t checksum(const char *text) {
  uint64_t sum = 0xcbf29ce484222325u;
  for (; *text; text++)
    sum = (sum ^ (unsigned char)*text) * 0x100000001b3u;
  return sum;
}

/* What a calibration holds for. */
static int write_key(const rdx_device *device, char *out, size_t size) {
  const rdx_device_info *info = &device->info;
  return snprintf(out, size, "device %s\ndriver %s\nfeatures %s\nthreads %" PRIu32 "\nlibrary %s\n", info->name,
                  info->driver, info->features, info->threads, rdx_version());
}

static bool make_path(const rdx_device *device, char out[MAX_PATH]) {
  char key[1024];
  if (!device->cache_folder || !*device->cache_folder || write_key(device, key, sizeof key) >= (int)sizeof key)
    return false;
  const int length = snprintf(out, MAX_PATH, "%s/calibration-%016" PRIx64 ".txt", device->cache_folder, checksum(key));
  return length > 0 && length < MAX_PATH;
}

/* ---- Reading ---- */

/* The text of a file that is not too large, or an empty one. */
static void read_text(const char *path, char text[MAX_TEXT]) {
  FILE *file = fopen(path, "rbe");
  text[0] = '\0';
  if (!file)
    return;
  const size_t size = fread(text, 1, MAX_TEXT, file);
  fclose(file);
  text[size < MAX_TEXT ? size : 0] = '\0';
}

/* The lines of all numbers, in their order. */
static bool parse_numbers(const char *text, rdx_calibration *out) {
  for (size_t i = 0; i < RDX_COUNT(fields); i++) {
    const size_t length = strlen(fields[i].name);
    if (strncmp(text, fields[i].name, length) != 0)
      return false;
    text += length;
    for (uint32_t k = 0; k < fields[i].count; k++) {
      char *end = NULL;
      if (text[0] != ' ' || !isdigit((unsigned char)text[1]))
        return false;
      numbers_of(out, &fields[i])[k] = (double)strtoull(text, &end, 10) / UNIT;
      text = end;
    }
    if (*text++ != '\n')
      return false;
  }
  return *text == '\0';
}

bool rdx_calibration_load(const rdx_device *device, rdx_calibration *out) {
  char path[MAX_PATH], text[MAX_TEXT], key[1024], header[HEADER_SIZE + 1];
  if (!make_path(device, path))
    return false;
  read_text(path, text);
  if (strlen(text) < HEADER_SIZE)
    return false;
  const char *body = text + HEADER_SIZE;
  snprintf(header, sizeof header, HEADER "%016" PRIx64 "\n", checksum(body));
  const size_t length = (size_t)write_key(device, key, sizeof key);
  *out = (rdx_calibration){.source = RDX_CALIBRATION_KEPT};
  return strncmp(text, header, HEADER_SIZE) == 0 && strncmp(body, key, length) == 0 &&
         parse_numbers(body + length, out);
}

/* ---- Writing ---- */

static bool write_text(const rdx_device *device, const rdx_calibration *calibration, char text[MAX_TEXT]) {
  rdx_calibration copy = *calibration;
  char *body = text + HEADER_SIZE, header[HEADER_SIZE + 1];
  const size_t capacity = MAX_TEXT - HEADER_SIZE;
  size_t used = (size_t)write_key(device, body, capacity);
  for (size_t i = 0; i < RDX_COUNT(fields); i++) {
    used += (size_t)snprintf(body + used, capacity - used, "%s", fields[i].name);
    for (uint32_t k = 0; k < fields[i].count; k++)
      used += (size_t)snprintf(body + used, capacity - used, " %.0f",
                               fmin(numbers_of(&copy, &fields[i])[k] * UNIT, LARGEST));
    used += (size_t)snprintf(body + used, capacity - used, "\n");
    if (used >= capacity / 2) /* no name of a device is that long */
      return false;
  }
  snprintf(header, sizeof header, HEADER "%016" PRIx64 "\n", checksum(body));
  memcpy(text, header, HEADER_SIZE);
  return true;
}

bool rdx_calibration_store(const rdx_device *device, const rdx_calibration *calibration) {
  char path[MAX_PATH], text[MAX_TEXT];
  rdx_replacement file;
  if (!make_path(device, path) || !write_text(device, calibration, text))
    return false;
  rdx_make_parents(path);
  if (rdx_replacement_open(path, &file, NULL) != RDX_OK)
    return false;
  const bool stored =
      rdx_write(file.file, text, strlen(text), path, NULL) == RDX_OK && rdx_replacement_commit(&file, NULL) == RDX_OK;
  rdx_replacement_drop(&file);
  return stored;
}
