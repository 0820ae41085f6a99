/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "definitions.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

static bool is_definition(const char *name) {
  const char *end = strrchr(name, '.');
  return end && (strcmp(end, ".query") == 0 || strcmp(end, ".view") == 0 || strcmp(end, ".index") == 0);
}

/* FNV-1a. */
static uint64_t mix(uint64_t number, const void *bytes, size_t size) {
  for (size_t i = 0; i < size; i++)
    number = (number ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
  return number;
}

/* The order of a folder's files may be any: the numbers of all are added. */
static uint64_t read_definitions(const char *folder) {
  uint64_t sum = 0;
  struct dirent *entry;
  struct stat s;
  DIR *files = opendir(folder);
  while (files && (entry = readdir(files))) {
    if (!is_definition(entry->d_name) || fstatat(dirfd(files), entry->d_name, &s, 0) != 0)
      continue;
    uint64_t number = mix(0xcbf29ce484222325u, entry->d_name, strlen(entry->d_name));
    number = mix(number, &s.st_mtim, sizeof s.st_mtim);
    number = mix(number, &s.st_ino, sizeof s.st_ino);
    sum += mix(number, &s.st_size, sizeof s.st_size);
  }
  if (files)
    closedir(files);
  return sum;
}

bool definitions_changed(const char *folder, Definitions *known) {
  struct stat s;
  struct timespec now;
  if (stat(folder, &s) != 0)
    return false;
  clock_gettime(CLOCK_REALTIME, &now);
  if (s.st_mtim.tv_sec == known->folder.tv_sec && s.st_mtim.tv_nsec == known->folder.tv_nsec &&
      now.tv_sec - s.st_mtim.tv_sec > 1)
    return false;
  const uint64_t before = known->number;
  *known = (Definitions){s.st_mtim, read_definitions(folder)};
  return known->number != before;
}
